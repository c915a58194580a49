"""The exercises of notebook 03: what is right passes, and each mistake gets its own hint."""

import math
import re

import pytest
import torch

import transformer_lib
from course.chapters.ch03_positional_encoding import checks as check
from course.checks import Hint, graded
from tests.course.checks.saying import said


# The library's tables once more, as a student's work: the checks don't take the library's.
def right_table(length, d_model, base=10_000.0):
    i = torch.arange(d_model // 2, dtype=torch.float64)
    angles = torch.arange(length)[:, None] / base ** (2 * i / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).float()


def their_table(length, d_model):
    i = torch.arange(d_model // 2, dtype=torch.float64)
    angles = torch.arange(length)[:, None] / 10_000 ** (i / (d_model / 2 - 1))
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


@pytest.mark.parametrize(
    ("checked", "attempt"),
    [
        (check.which_position, ...),
        (check.wave_of_pair_384, ...),
        (check.diagnose, ...),
        (check.diagnose, dict.fromkeys("ABC", ...)),
        (check.encoding, ...),
        (check.encoding, lambda length, d_model: ...),
        (check.move_on, lambda vector, k: ...),
    ],
)
def test_what_was_not_tried_is_not_judged(capsys, checked, attempt):
    assert said(capsys, checked, attempt) == "not tried yet"


NUMBERS = [
    (check.which_position, 3, "right!"),
    (check.which_position, 4, "counted from 1"),
    (check.which_position, 9, "has the sine"),
    (check.which_position, 0, "every hand points up"),
    (check.which_position, 7, "whose cosine is nearly -1"),
    (check.which_position, "three", "whole number"),
    (check.wave_of_pair_384, 6283.2, "right!"),
    (check.wave_of_pair_384, 6283, "right!"),
    (check.wave_of_pair_384, 1000, "1000 is what"),
    (check.wave_of_pair_384, 198.7, "not i/d_model"),
    (check.wave_of_pair_384, 6_283_185, "for d_model = 512"),
    (check.wave_of_pair_384, 6369.1, "Tensor2Tensor's pair"),
    (check.wave_of_pair_384, 62_831.9, "last pair"),
    (check.wave_of_pair_384, 0.000159, "waves per position"),
    (check.wave_of_pair_384, 0.00628, "angle grows per position"),
    (check.wave_of_pair_384, 512, "For which pos"),
    (check.wave_of_pair_384, 0, "For which pos"),
    (check.wave_of_pair_384, "628 words", "a number"),
    (check.wave_of_pair_384, True, "a number"),
    (check.diagnose, {**check.PLANTED}, "right!"),
    (check.diagnose, {**check.PLANTED, "A": check.NONE}, "A isn't sound. Measure .*wavelengths"),
    (check.diagnose, {**check.PLANTED, "A": check.ANGLES}, "A has another fault, or none"),
    (check.diagnose, {**check.PLANTED, "B": check.FROM_ONE}, "B: its first row begins 0, 1"),
    (check.diagnose, {**check.PLANTED, "B": check.EXPONENT}, "B has another fault, or none"),
    (check.diagnose, {**check.PLANTED, "C": check.NONE}, "C isn't sound. A hand has length 1"),
    (check.diagnose, {**check.PLANTED, "C": "?"}, "C: choose one of none, exponent"),
    (check.diagnose, {**check.PLANTED, "C": ...}, "C: still to be measured"),
    (check.diagnose, ["none"] * 3, "a kind for each of them"),
    (check.adder_faults, {**check.ADDED}, "right!"),
    (check.adder_faults, {**check.ADDED, "A": "sound"}, "A adds rows of the right table"),
    (check.adder_faults, {**check.ADDED, "B": "sound"}, "B adds a row for each place"),
    (check.adder_faults, {**check.ADDED, "C": check.TOO_LOUD}, "C adds, to every sentence"),
    (check.adder_faults, {**check.ADDED, "D": "sound"}, "D gives all words of a sentence one"),
    (check.adder_faults, dict.fromkeys("ABCD", "sound"), r"A adds rows .*\(1 of 4 are right.\)"),
    (check.adder_faults, {**check.ADDED, "D": "loud"}, "D: choose one of sound, by sentence"),
    (check.adder_faults, dict.fromkeys("ABCD", ...), "not tried yet"),
]


@pytest.mark.parametrize(("checked", "attempt", "answer"), NUMBERS)
def test_a_number_or_a_row_is_judged(capsys, checked, attempt, answer):
    assert re.search(answer, said(capsys, checked, attempt))


def test_each_suspect_has_the_fault_that_is_planted_in_it():
    suspects = check.suspects()
    theirs = {
        check.NONE: right_table(20, 64),
        check.EXPONENT: torch.tensor(by_column(lambda c, width: c // 2 / width)(20, 64)),
        check.ANGLES: torch.tensor(by_column(lambda c, width: c / width)(20, 64)),
    }
    assert set(suspects) == set(check.PLANTED)
    for name, fault in check.PLANTED.items():
        torch.testing.assert_close(suspects[name], theirs[fault], rtol=1e-4, atol=1e-4)
        assert len(suspects[name].unique(dim=0)) == 20, "a model could be trained with it"


def test_each_adder_has_the_fault_that_is_planted_in_it():
    adders = check.adders()
    x = torch.randn(3, 5, 8)
    added = {check.ADDED[name]: adder(x) - x for name, adder in adders.items()}
    table = right_table(5, 8)
    for found, right in (
        (added["sound"], table.expand(3, -1, -1)),
        (added[check.BY_SENTENCE], right_table(3, 8)[:, None].expand(-1, 5, -1)),
        (added[check.FROM_THE_END], table.flip(0).expand(3, -1, -1)),
        (added[check.TOO_LOUD], 8**0.5 * table.expand(3, -1, -1)),
    ):
        torch.testing.assert_close(found, right.to(found), rtol=1e-4, atol=1e-4)


# --- the table ---


def with_a_loop(length, d_model):
    rows = []
    for pos in range(length):
        angles = [pos / 10_000 ** (2 * i / d_model) for i in range(d_model // 2)]
        rows.append([f(angle) for angle in angles for f in (math.sin, math.cos)])
    return rows


def with_logarithms(length, d_model):
    table = torch.zeros(length, d_model)
    divisors = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000.0) / d_model))
    table[:, 0::2] = torch.sin(torch.arange(length)[:, None] * divisors)
    table[:, 1::2] = torch.cos(torch.arange(length)[:, None] * divisors)
    return table


def by_column(exponent):
    """A table whose column has the angle pos / 10000^exponent(column, d_model)."""

    def table(length, d_model):
        return [
            [
                (math.sin, math.cos)[column % 2](pos / 10_000 ** exponent(column, d_model))
                for column in range(d_model)
            ]
            for pos in range(length)
        ]

    return table


def angles(length, d_model):
    divisors = 10_000 ** (2 * torch.arange(d_model // 2) / d_model)
    return (torch.arange(length)[:, None] / divisors).repeat_interleave(2, dim=1)


def swapped(length, d_model):
    return right_table(length, d_model).unflatten(1, (-1, 2)).flip(-1).flatten(1)


def their_frequencies(length, d_model):
    sines, cosines = their_table(length, d_model).chunk(2, dim=1)
    return torch.stack([sines, cosines], dim=-1).flatten(1)


def concatenated(length, d_model):
    table = right_table(length, d_model)
    return torch.cat([table[:, 0::2], table[:, 1::2]], dim=1)


def multiplied(length, d_model):
    return by_column(lambda column, width: -(column // 2 * 2) / width)(length, d_model)


def by_divisor(divisor):
    """A table whose pair i has the angle pos / divisor(i, d_model)."""

    def table(length, d_model):
        return [
            [
                f(pos / divisor(i, d_model))
                for i in range(d_model // 2)
                for f in (math.sin, math.cos)
            ]
            for pos in range(length)
        ]

    return table


def multiplied_exponent(length, d_model):
    return [
        [
            f(pos / 10_000 * (2 * i / d_model))
            for i in range(d_model // 2)
            for f in (math.sin, math.cos)
        ]
        for pos in range(length)
    ]


def only_sines(length, d_model):
    table = with_logarithms(length, d_model)
    table[:, 1::2] = 0
    return table


def library(length, d_model):
    return transformer_lib.positional_encoding(length, d_model)


def one_wrong(length, d_model):
    table = right_table(length, d_model)
    table[1, 3] = 0.5
    return table


TABLES = [
    (right_table, "right!"),
    (with_a_loop, "right!"),
    (with_logarithms, "right!"),
    (lambda length, d_model: right_table(length + 1, d_model)[1:], "start at 1"),
    (swapped, "Sine and cosine are exchanged"),
    (by_column(lambda column, width: column // 2 / width), "yours is i/d_model"),
    (by_column(lambda column, width: column / width), "grows from column to column"),
    (by_column(lambda column, width: 2 * column / width), "Your i is the column"),
    (their_frequencies, "Tensor2Tensor's frequencies"),
    (their_table, "in its order and with its frequencies"),
    (concatenated, "the order isn't"),
    (multiplied, "not multiplied"),
    (lambda length, d_model: angles(length, d_model).sin(), "All your columns are sines"),
    (lambda length, d_model: right_table(length, d_model, 1000.0), "four zeros"),
    (angles, "still missing is their sine"),
    (one_wrong, "position 1, column 3: it should be .*, and yours is 0.500"),
    (lambda length, d_model: right_table(length, d_model).T, "a position is a row"),
    (lambda length, d_model: -right_table(length, d_model).T, "Are rows and columns exchanged"),
    (by_divisor(lambda i, width: 100 ** (2 * i / width)), "your base is 100"),
    (by_divisor(lambda i, width: math.exp(2 * i / width)), "yours is e"),
    (by_divisor(lambda i, width: 1), "equally fast"),
    (by_divisor(lambda i, width: 10_000), "equally slowly"),
    (by_divisor(lambda i, width: 10_000 ** (2 * i)), "not divided by d_model"),
    (by_divisor(lambda i, width: 10_000 ** (2 * i) * width), "into parentheses"),
    (by_divisor(lambda i, width: 10_000 ** (2 * i) / width), "into parentheses"),
    (by_divisor(lambda i, width: 10_000**i), "i itself"),
    (multiplied_exponent, "written with"),
    (only_sines, "odd columns are still 0"),
    (library, "does the whole exercise"),
    (lambda length, d_model: right_table(length, d_model)[None], r"this has \(1, 7, 10\)"),
    (lambda length, d_model: right_table(length, 10), r"shape \(3, 14\)"),
    (
        lambda length, d_model: by_column(lambda column, _: column // 2 * 2 / 10)(length, d_model),
        "a size written into",
    ),
    (lambda length, d_model: None, "returns nothing"),
    (lambda length, d_model: "sin", "should be numbers"),
    (lambda length: 0, "stops with TypeError"),
    (lambda length, d_model: 1 / 0, "stops with ZeroDivisionError"),
    (3, "function itself"),
]


@pytest.mark.parametrize(("attempt", "answer"), TABLES)
def test_a_table_is_judged(capsys, attempt, answer):
    assert re.search(answer, said(capsys, check.encoding, attempt))


# --- moving on ---


def mover(new_sine, new_cosine, rate=lambda i, width: 10_000 ** (-2 * i / width)):
    """A function that moves each pair (s, c) on, with K1 = cos and K2 = sin of its angle."""

    def move(vector, k):
        pairs = []
        for i, (s, c) in enumerate(vector.view(-1, 2).tolist()):
            angle = k * rate(i, len(vector))
            pairs += [f(s, c, math.cos(angle), math.sin(angle)) for f in (new_sine, new_cosine)]
        return pairs

    return move


def right_sine(s, c, K1, K2):
    return s * K1 + c * K2


def right_cosine(s, c, K1, K2):
    return c * K1 - s * K2


def one_after_the_other(sine_first):
    """One hand of a pair is moved before the other one has used it."""

    def move(vector, k):
        moved = vector.clone()
        for i in range(0, len(vector), 2):
            angle = k * 10_000 ** (-i / len(vector))
            K1, K2 = math.cos(angle), math.sin(angle)
            for hand in "sc" if sine_first else "cs":
                s, c = moved[i].item(), moved[i + 1].item()
                if hand == "s":
                    moved[i] = right_sine(s, c, K1, K2)
                else:
                    moved[i + 1] = right_cosine(s, c, K1, K2)
        return moved

    return move


def with_complex_numbers(vector, k):
    hands = torch.complex(vector[1::2], vector[0::2])
    i = torch.arange(len(hands))
    turned = hands * torch.polar(torch.ones(len(hands)), k * 10_000 ** (-i / len(hands)))
    return torch.stack([turned.imag, turned.real], dim=1).flatten()


def sorted_move(vector, k):
    moved = torch.tensor(mover(right_sine, right_cosine)(vector, k))
    return torch.cat([moved[0::2], moved[1::2]])


MOVES = [
    (mover(right_sine, right_cosine), "right!"),
    (with_complex_numbers, "right!"),
    (lambda vector, k: mover(right_sine, right_cosine)(vector, -k), "turned back"),
    (mover(right_sine, lambda s, c, K1, K2: c * K1 + s * K2), "The sine is right"),
    (mover(lambda s, c, K1, K2: s * K1 - c * K2, right_cosine), "The cosine is right"),
    (one_after_the_other(sine_first=True), "The cosine needs the old sine"),
    (one_after_the_other(sine_first=False), "The sine needs the old cosine"),
    (mover(right_sine, right_cosine, lambda i, width: 10_000 ** (-2 * i / 512)), "divide by 512"),
    (mover(right_sine, right_cosine, lambda i, width: 1), "yours all turn by the same one"),
    (mover(right_sine, right_cosine, lambda i, width: 10_000 ** (-i / width)), "yours is i/d_m"),
    (sorted_move, "the order isn't"),
    (lambda vector, k: vector + right_table(k + 1, 10)[k], "Adding the vector"),
    (lambda vector, k: right_table(k + 1, 10)[k], "That is the vector of position k"),
    (lambda vector, k: vector, "turn each of its pairs"),
    (lambda vector, k: 2 * vector, r"From position 5, 3 further on: column \d should be"),
    (lambda vector, k: vector[:4], r"shape \(10,\), but this has \(4,\)"),
    (lambda vector, k: None, "returns nothing"),
    (lambda vector: vector, "stops with TypeError"),
]


@pytest.mark.parametrize(("attempt", "answer"), MOVES)
def test_a_move_is_judged(capsys, attempt, answer):
    assert re.search(answer, said(capsys, check.move_on, attempt))


# --- a base for thirty words ---

BASES = [
    (30, "right!"),
    (40.0, "right!"),
    (6, "right!"),
    (10_000, "Position 19 .* hardly left"),
    (100, "Position 6 .* hardly left"),
    (10, "come round together"),
    (1, "equally fast"),
    (0, "positive number"),
    (-30, "positive number"),
    (10**400, "positive number"),
    (math.nan, "positive number"),
    (True, "positive number"),
    ("thirty", "positive number"),
]


@pytest.mark.parametrize(("attempt", "answer"), [(..., "not tried yet"), *BASES])
def test_a_base_is_judged(capsys, attempt, answer):
    assert re.search(answer, said(capsys, check.base_for_thirty_words, attempt))


def test_a_known_mistake_keeps_half():
    for checked, attempt in [
        (check.encoding, swapped),
        (check.which_position, 4),
        (check.wave_of_pair_384, 1000),
        (check.move_on, sorted_move),
    ]:
        with graded(), pytest.raises(Hint) as raised:
            checked(attempt)
        assert raised.value.keeps == 0.5
