"""The exercises of notebook 03: the vectors that say where a word stands.

`encoding` and `base_for_thirty_words` belong to assignment 1.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.checks import (
    Exercise,
    Hint,
    Value,
    Verdicts,
    a_kind,
    exercise,
    expect,
    not_so,
    one_number,
    whole_number,
)
from transformer_lib.model.embedding import positional_encoding


def numbers(found: Any) -> Tensor:
    """What a student gave, as numbers; a Hint if it can't be that."""
    try:
        found = torch.as_tensor(found).detach().double()
    except (TypeError, ValueError, RuntimeError):
        raise Hint(f"Numbers are asked for, but this is {a_kind(found)}.") from None
    expect(bool(found.isfinite().all()), "There are numbers that are infinite or undefined.")
    return found


def of_one_shape(found: Tensor, right: Tensor) -> None:
    theirs, ours = tuple(found.shape), tuple(right.shape)
    exchanged = " Are rows and columns exchanged?" if theirs == ours[::-1] != ours else ""
    expect(theirs == ours, f"The shape should be {ours}, but this has {theirs}." + exchanged)


NONE, EXPONENT, ANGLES, FROM_ONE = (
    "none",
    "exponent i/d_model",
    "sine and cosine of different angles",
    "counts from 1",
)
FAULTS = (NONE, EXPONENT, ANGLES, FROM_ONE)
PLANTED = {"A": EXPONENT, "B": NONE, "C": ANGLES}
MEASURE = {  # for a wrong verdict: what to measure
    "A": "Measure `wavelengths` of its table: which wave should be the last?",
    "B": "Compare its first row, its waves and the length of its rows with the formula.",
    "C": "A hand has length 1: sin² + cos² of each pair. Is that so in every pair here?",
}


def suspects() -> dict[str, Tensor]:
    """Three tables (20, 64) of position vectors, of which some have one planted fault."""
    length, d_model = 20, 64
    wrong = {
        NONE: lambda: positional_encoding(length, d_model),
        EXPONENT: lambda: positional_encoding(length, d_model, base=100.0),
        ANGLES: lambda: by_column(length, d_model).float(),
    }
    return {name: wrong[fault]() for name, fault in PLANTED.items()}


def what_to_measure(name: str, said: str) -> str:
    if said == FROM_ONE:
        return f"{name}: its first row begins 0, 1, so it counts from 0. {MEASURE[name]}"
    return not_so(NONE, MEASURE)(name, said)


diagnose = Verdicts(
    "diagnose",
    "Exercise 3: which fault has each of the `suspects`?",
    PLANTED,
    FAULTS,
    what_to_measure,
)


which_position = Value(
    "which_position",
    "A row that begins sin = 0.1411, cos = -0.9900, then 0.1388, 0.9903 (d_model = 6): 3.",
    read=whole_number,
    right=3,
    slips={
        4: "That would be its number if positions counted from 1.",
        9: "Position 9 has the sine 0.4121.",
        0: "At position 0 every hand points up: sine 0 and cosine 1.",
    },
    otherwise="The first pair divides by 1: the position is an angle whose sine is 0.1411 and "
    "whose cosine is nearly -1. Or compare with positional_encoding(20, 6).",
)

wave_of_pair_384 = Value(
    "wave_of_pair_384",
    "The wavelength of pair i = 384 when d_model is 1024.",
    read=lambda guess: one_number(guess, "Give a number of positions."),
    near=lambda guess, known: abs(guess / known - 1) < 0.005,
    right=2000 * math.pi,
    slips={
        1000: "1000 is what the position is divided by. A wave is complete when the angle has "
        "grown by 2π.",
        2 * math.pi * 10_000 ** (384 / 1024): "The exponent is 2i/d_model, not i/d_model.",
        2 * math.pi * 10_000 ** (768 / 512): "That is for d_model = 512.",
        2 * math.pi * 10_000 ** (384 / 511): "That is Tensor2Tensor's pair 384.",
        2 * math.pi * 10_000: "Only the last pair comes near that. Put i = 384 into the formula.",
        1 / (2000 * math.pi): "That is waves per position. How many positions does one wave take?",
        2 * math.pi / 1000: "That is by how much the angle grows per position. After how many "
        "positions has it grown by 2π?",
    },
    otherwise="The angle is pos / 10000^(2i/d_model). For which pos is it 2π?",
)


BY_SENTENCE, FROM_THE_END, TOO_LARGE = "by sentence", "from the end", "too large"
ADDED = {"A": FROM_THE_END, "B": TOO_LARGE, "C": "sound", "D": BY_SENTENCE}


def adders() -> dict[str, Callable[[Tensor], Tensor]]:
    """Four programs that add positions to vectors (b, s, d_model); three of them have a fault."""

    def table(x: Tensor) -> Tensor:
        return positional_encoding(x.size(1), x.size(2))

    programs = {
        "sound": lambda x: x + table(x),
        BY_SENTENCE: lambda x: x + positional_encoding(x.size(0), x.size(2))[:, None],
        FROM_THE_END: lambda x: x + table(x).flip(0),
        TOO_LARGE: lambda x: x + table(x) * x.size(2) ** 0.5,
    }
    return {name: programs[kind] for name, kind in ADDED.items()}


ABOUT_ADDERS = {
    "sound": "adds, to every sentence, just what positional_encoding(s, d_model) holds.",
    BY_SENTENCE: "gives all words of a sentence one and the same position. Which one?",
    FROM_THE_END: "adds rows of the right table, to each word another. Give it a sentence, and "
    "the same one with two words of padding: what does it add to the first word?",
    TOO_LARGE: "adds a row for each place, in the right order. How long are these rows?",
}
adder_faults = Verdicts(
    "adder_faults",
    "Exercise 4: which of the `adders` is sound, and what is wrong with the others?",
    ADDED,
    tuple(ABOUT_ADDERS),
    lambda name, said: f"{name} {ABOUT_ADDERS[ADDED[name]]}",
    slips=2,
    counts=True,
)


BASE = 10_000.0


def paper(pos: Tensor, i: Tensor, d_model: int) -> Tensor:
    """The angle of pair i."""
    return pos / BASE ** (2 * i / d_model)


def table(
    angle: Callable[..., Tensor] = paper,
    even: Callable[[Tensor], Tensor] = torch.sin,
    odd: Callable[[Tensor], Tensor] = torch.cos,
) -> Callable[[int, int], Tensor]:
    """A program for the whole table, (length, d_model) -> numbers.

    angle: (pos, i, d_model) -> the angle of pair i, or the two of its columns.
    """

    def program(length: int, d_model: int) -> Tensor:
        pos = torch.arange(length).double()[:, None, None]
        i = torch.arange(d_model // 2).double()[:, None]
        angles = angle(pos, i, d_model).expand(length, len(i), 2)
        return torch.stack([even(angles[..., 0]), odd(angles[..., 1])], dim=-1).flatten(1)

    return program


by_column = table(lambda pos, i, d: paper(pos, i + torch.arange(2) / 2, d))


def apart(found: Tensor) -> Tensor:
    """The columns with all sines first, then all cosines."""
    return torch.cat([found[..., 0::2], found[..., 1::2]], dim=-1)


def theirs(pos: Tensor, i: Tensor, d_model: int) -> Tensor:
    """Tensor2Tensor's angle."""
    return pos / BASE ** (i / (d_model / 2 - 1))


def first_difference(found: Tensor, right: Tensor) -> None:
    of_one_shape(found, right)
    pos, column = torch.isclose(found, right, rtol=1e-4, atol=1e-5).logical_not().nonzero()[0]
    raise Hint(
        f"The first wrong number is at position {pos}, column {column}: it should be "
        f"{right[pos, column]:.3f}, and yours is {found[pos, column]:.3f}."
    )


A_SIZE = "Right for d_model = 10, wrong for d_model = 14: is a size written into your function?"
encoding = Exercise(
    "encoding",
    "The whole table (length, d_model) of the paper's formula.",
    inputs=lambda: (7, 10),
    right=[table()],
    not_allowed=("positional_encoding", "tensor2tensor_encoding", "PositionalEncoding"),
    borrowed=[positional_encoding],
    read=numbers,
    slips={
        "The numbers are right, with rows and columns exchanged: a position is a row.": [
            lambda length, d: table()(length, d).T
        ],
        "Your positions start at 1: the first row should be position 0.": [
            table(lambda pos, i, d: paper(pos + 1, i, d))
        ],
        "Sine and cosine are exchanged: the even columns are the sines.": [
            table(paper, torch.cos, torch.sin)
        ],
        "The exponent of column 2i is 2i/d_model; yours is i/d_model, or your base is 100.": [
            table(lambda pos, i, d: pos / BASE ** (i / d))
        ],
        "Column 2i+1 has the angle of column 2i; yours grows from column to column.": [by_column],
        "Your i is the column. It should count pairs: columns 2i and 2i+1 share one i.": [
            table(lambda pos, i, d: paper(pos, 2 * i + torch.arange(2), d))
        ],
        "Those are Tensor2Tensor's frequencies: divide i by d_model/2, not one less.": [
            table(theirs)
        ],
        "That is Tensor2Tensor's table, in its order and with its frequencies.": [
            lambda length, d: apart(table(theirs)(length, d))
        ],
        "The numbers are right, the order isn't: put each cosine next to its sine.": [
            lambda length, d: apart(table()(length, d))
        ],
        "The position should be divided by the power of 10000, not multiplied.": [
            table(lambda pos, i, d: paper(pos, -i, d))
        ],
        "All your columns are sines: the odd columns should be cosines.": [
            table(paper, torch.sin, torch.sin)
        ],
        "The base is 10000, with four zeros; yours is 1000.": [
            table(lambda pos, i, d: pos / 1000.0 ** (2 * i / d))
        ],
        "The base is 10000; yours is e, the base of exp and log.": [
            table(lambda pos, i, d: pos / (2 * i / d).exp())
        ],
        "The 2 of 2i is there twice: `arange(0, d_model, 2)` is 2i already.": [
            table(lambda pos, i, d: paper(pos, 2 * i, d))
        ],
        "The paper's width 512 is written into your function. d_model is handed in.": [
            table(lambda pos, i, d: paper(pos, i, 512))
        ],
        "All your pairs turn equally fast: the position is divided by nothing yet.": [
            table(lambda pos, i, d: pos)
        ],
        "All your pairs turn equally slowly: the power of 10000 should depend on i.": [
            table(lambda pos, i, d: pos / BASE)
        ],
        "Your exponent is not divided by d_model: it should go from 0 to nearly 1.": [
            table(lambda pos, i, d: paper(pos, i, 1))
        ],
        "The power comes before the division by d_model: put it into parentheses.": [
            table(lambda pos, i, d: paper(pos, i, 1) / d)
        ],
        "You divide the power by d_model, not the exponent: put that into parentheses.": [
            table(lambda pos, i, d: paper(pos, i, 1) * d)
        ],
        "Your exponent is i itself: it should go from 0 to nearly 1.": [
            table(lambda pos, i, d: paper(pos, i, 2))
        ],
        "You multiply by 2i/d_model. It is an exponent: a power is written with **.": [
            table(lambda pos, i, d: pos / BASE * (2 * i / d))
        ],
        "The odd columns are still 0: they should be the cosines.": [
            table(paper, torch.sin, torch.zeros_like)
        ],
        "Those are the angles. What is still missing is their sine and cosine.": [
            table(paper, torch.clone, torch.clone)
        ],
        A_SIZE: [table(lambda pos, i, d: paper(pos, i, 10))],
    },
    unlike=first_difference,
    elsewhere={A_SIZE: lambda: (3, 14)},
)

MOVES = (5, 3), (13, 11), (17, 1), (0, 3)  # from which position, and how far


def at(position: int, d_model: int = 10) -> Tensor:
    return table()(position + 1, d_model)[position]


def turned(
    sine: Callable[..., Tensor] = lambda s, c, K1, K2: s * K1 + c * K2,
    cosine: Callable[..., Tensor] = lambda s, c, K1, K2: c * K1 - s * K2,
    rate: Callable[[Tensor, int], Tensor] = lambda i, d: BASE ** (-2 * i / d),
) -> Callable[[Tensor, int], Tensor]:
    """A program that moves each pair (s, c) on, with K1 = cos and K2 = sin of its angle."""

    def program(vector: Tensor, k: int) -> Tensor:
        s, c = vector.double().view(-1, 2).T
        angle = k * rate(torch.arange(len(s)).double(), len(vector))
        hands = s, c, angle.cos(), angle.sin()
        return torch.stack([sine(*hands), cosine(*hands)], dim=-1).flatten()

    return program


def first_wrong_move(found: list[Tensor], right: list[Tensor]) -> None:
    """Where a vector that was moved on differs most, in words."""
    for (start, k), theirs, ours in zip(MOVES, found, right, strict=True):
        of_one_shape(theirs, ours)
        column = int((theirs - ours).abs().argmax())
        expect(
            abs(float(theirs[column] - ours[column])) < 1e-4,
            f"From position {start}, {k} further on: column {column} should be "
            f"{ours[column]:.3f}, and yours is {theirs[column]:.3f}.",
        )


move_on = Exercise(
    "move_on",
    "From the vector of a position to that of k positions later.",
    inputs=lambda: [(at(start).float(), k) for start, k in MOVES],
    right=[turned()],
    read=numbers,
    mistakes={
        "That is the vector of position k. Where did the vector that was given go?": [
            lambda vector, k: at(k)
        ],
        "That is the vector that was given: turn each of its pairs.": [lambda vector, k: vector],
    },
    slips={
        "The cosine needs the old sine: work out both before you write either.": [
            turned(cosine=lambda s, c, K1, K2: c * K1 - (s * K1 + c * K2) * K2)
        ],
        "The sine needs the old cosine: work out both before you write either.": [
            turned(sine=lambda s, c, K1, K2: s * K1 + (c * K1 - s * K2) * K2)
        ],
        "You always divide by 512. The exponent of pair i is 2i/d_model, and d_model is the length "
        "of the vector.": [turned(rate=lambda i, d: BASE ** (-2 * i / 512))],
        "You turned back: the hands should go on by k, not back.": [
            lambda vector, k: turned()(vector, -k)
        ],
        "The sine is right. For the cosine: cos(a+b) = cos a cos b - sin a sin b.": [
            turned(cosine=lambda s, c, K1, K2: c * K1 + s * K2)
        ],
        "The cosine is right. For the sine: sin(a+b) = sin a cos b + cos a sin b.": [
            turned(sine=lambda s, c, K1, K2: s * K1 - c * K2)
        ],
        "Every pair turns by its own angle, k / 10000^(2i/d_model); yours all turn by the same "
        "one.": [turned(rate=lambda i, d: i**0)],
        "The exponent of pair i is 2i/d_model; yours is i/d_model.": [
            turned(rate=lambda i, d: BASE ** (-i / d))
        ],
        "The numbers are right, the order isn't: put each cosine next to its sine.": [
            lambda vector, k: apart(turned()(vector, k))
        ],
        "Adding the vector of position k doesn't turn the hands: multiply, as in K1 and K2.": [
            lambda vector, k: vector + at(k)
        ],
    },
    unlike=first_wrong_move,
)


@exercise
def base_for_thirty_words(guess: float) -> None:
    """A base with which 4 numbers keep 30 positions apart, judged by what it does."""
    wanted = "Give one positive number, below 1e12."
    guess = one_number(guess, wanted)
    expect(0 < guess < 1e12, wanted)
    table = positional_encoding(30, 4, float(guess)).double()
    alike = table @ table[0] / 2
    place = int(alike[1:].argmax()) + 1
    turned = place / float(guess) ** 0.5  # the slow hand's angle there
    if alike[place] < 0.8:
        return
    seen = f"Position {place} is still like position 0, by {alike[place]:.2f}:"
    expect(guess != 1, f"{seen} with the base 1 both hands turn equally fast, so one would do.")
    expect(
        turned > math.pi,
        f"{seen} the first hand is back where it began, and the second has hardly left. Is the "
        "base too large or too small?",
    )
    raise Hint(f"{seen} both hands have come round together. Try another base.")
