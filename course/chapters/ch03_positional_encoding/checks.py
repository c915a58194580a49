"""The exercises of notebook 03: the vectors that say where a word stands.

`encoding` and `base_for_thirty_words` belong to assignment 1.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.checks import (
    Hint,
    a_kind,
    exercise,
    expect,
    implement,
    judge_verdicts,
    no_slip,
    one_number,
    own_work,
    result_of,
    whole_number,
    wrong_verdicts,
)
from transformer_lib.model.embedding import positional_encoding, tensor2tensor_encoding

NEAR = 1e-4  # single precision, and a formula written in another way, stay far below


def numbers(found: Any, shape: tuple[int, ...], what: str) -> Tensor:
    """What a student gave, as numbers of the shape asked for; a Hint if it can't be that."""
    try:
        found = torch.as_tensor(found).detach().double()
    except (TypeError, ValueError, RuntimeError):
        raise Hint(f"{what} should be numbers, but this is {a_kind(found)}.") from None
    theirs = tuple(found.shape)
    exchanged = " Are rows and columns exchanged?" if theirs == shape[::-1] != shape else ""
    expect(
        theirs == shape, f"{what} should have the shape {shape}, but this has {theirs}." + exchanged
    )
    expect(bool(found.isfinite().all()), f"{what} holds numbers that are infinite or undefined.")
    return found


def same(a: Tensor, b: Tensor) -> bool:
    return bool(((a - b).abs() < NEAR).all())


def blame(found: Tensor, right: Tensor, mistakes: dict[str, Tensor], otherwise: str) -> None:
    """A Hint with the mistake that gives just these numbers; nothing if they are right."""
    if same(found, right):
        return
    for hint, wrong in mistakes.items():
        if same(found, wrong):
            raise Hint(hint, keeps=0.5)
    raise Hint(otherwise)


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
    pos, column = torch.arange(length).double()[:, None], torch.arange(d_model).double()
    wrong = {
        NONE: lambda: positional_encoding(length, d_model),
        EXPONENT: lambda: positional_encoding(length, d_model, base=100.0),
        ANGLES: lambda: torch.where(
            column % 2 == 0,
            (pos / 10_000.0 ** (column / d_model)).sin(),
            (pos / 10_000.0 ** (column / d_model)).cos(),
        ).float(),
    }
    return {name: wrong[fault]() for name, fault in PLANTED.items()}


@exercise
def diagnose(verdict: Any) -> None:
    """The core exercise: which fault has each of the `suspects`?"""
    for name, said in wrong_verdicts(verdict, PLANTED, FAULTS).items():
        if said == FROM_ONE:
            raise Hint(f"{name}: its first row begins 0, 1, so it counts from 0. {MEASURE[name]}")
        sure = f"{name} isn't sound. " if said == NONE else f"{name} has another fault, or none. "
        raise Hint(sure + MEASURE[name])


@exercise
def which_position(guess: int) -> None:
    """A row that begins sin = 0.1411, cos = -0.9900, then 0.1388, 0.9903 (d_model = 6): 3."""
    guess = whole_number(guess)
    hints = {
        4: "That would be its number if positions counted from 1.",
        9: "Position 9 has the sine 0.4121.",
        0: "At position 0 every hand points up: sine 0 and cosine 1.",
    }
    no_slip(guess not in hints, hints.get(guess, ""))
    expect(
        guess == 3,
        "The first pair divides by 1: the position is an angle whose sine is 0.1411 and whose "
        "cosine is nearly -1. Or compare with positional_encoding(20, 6).",
    )


@exercise
def wave_of_pair_384(guess: float) -> None:
    """The wavelength of pair i = 384 when d_model is 1024."""
    guess = one_number(guess, "Give a number of positions.")
    answers = {
        1000.0: "1000 is what the position is divided by. A wave is complete when the angle has "
        "grown by 2π.",
        2 * math.pi * 10_000 ** (384 / 1024): "The exponent is 2i/d_model, not i/d_model.",
        2 * math.pi * 10_000 ** (768 / 512): "That is for d_model = 512.",
        2 * math.pi * 10_000 ** (384 / 511): "That is Tensor2Tensor's pair 384.",
        2 * math.pi * 10_000: "Only the last pair comes near that. Put i = 384 into the formula.",
        1 / (2000 * math.pi): "That is waves per position. How many positions does one wave take?",
        2 * math.pi / 1000: "That is by how much the angle grows per position. After how many "
        "positions has it grown by 2π?",
    }
    if abs(guess / (2000 * math.pi) - 1) < 0.005:
        return
    for wrong, hint in answers.items():
        no_slip(abs(guess / wrong - 1) > 0.004, hint)
    raise Hint("The angle is pos / 10000^(2i/d_model). For which pos is it 2π?")


BY_SENTENCE, FROM_THE_END, TOO_LOUD = "by sentence", "from the end", "too loud"
ADDED = {"A": FROM_THE_END, "B": TOO_LOUD, "C": "sound", "D": BY_SENTENCE}


def adders() -> dict[str, Callable[[Tensor], Tensor]]:
    """Four programs that add positions to vectors (b, s, d_model); three of them have a fault."""

    def table(x: Tensor) -> Tensor:
        return positional_encoding(x.size(1), x.size(2))

    programs = {
        "sound": lambda x: x + table(x),
        BY_SENTENCE: lambda x: x + positional_encoding(x.size(0), x.size(2))[:, None],
        FROM_THE_END: lambda x: x + table(x).flip(0),
        TOO_LOUD: lambda x: x + table(x) * x.size(2) ** 0.5,
    }
    return {name: programs[kind] for name, kind in ADDED.items()}


@exercise
def adder_faults(found: Any) -> None:
    """Exercise 3: which of the `adders` is sound, and what is wrong with the others?"""
    hints = {
        "sound": "adds, to every sentence, just what positional_encoding(s, d_model) holds.",
        BY_SENTENCE: "gives all words of a sentence one and the same position. Which one?",
        FROM_THE_END: "adds rows of the right table, to each word another. Give it a sentence, and "
        "the same one with two words of padding: what does it add to the first word?",
        TOO_LOUD: "adds a row for each place, in the right order. How long are these rows?",
    }
    judge_verdicts(found, ADDED, hints)


@implement(lambda: (3, 4))
def encoding(function: Callable[[int, int], Any]) -> None:
    """The whole table (length, d_model) of the paper's formula."""
    own_work(function, "positional_encoding", "tensor2tensor_encoding", "PositionalEncoding")
    length, d_model = 7, 10
    right = positional_encoding(length, d_model).double()
    found = result_of(function, length, d_model)
    turned = isinstance(found, Tensor) and found.shape == (d_model, length)
    no_slip(
        not (turned and same(found.detach().T, right)),
        "The numbers are right, with rows and columns exchanged: a position is a row.",
    )
    found = numbers(found, (length, d_model), "The table")
    blame(found, right, wrong_tables(length, d_model), first_difference(found, right))
    length, d_model = 3, 14
    found = numbers(result_of(function, length, d_model), (length, d_model), "The table")
    no_slip(
        same(found, positional_encoding(length, d_model).double()),
        "Right for d_model = 10, wrong for d_model = 14: is a size written into your function?",
    )


def wrong_tables(length: int, d_model: int) -> dict[str, Tensor]:
    """What the usual mistakes give instead of the paper's table, by the hint for each."""
    right = positional_encoding(length, d_model).double()
    pos = torch.arange(length).double()[:, None]
    i = torch.arange(d_model // 2).double()
    column = torch.arange(d_model).double()
    exact = 10_000.0 ** (2 * i / d_model)

    def table(angles: Tensor) -> Tensor:
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)

    def by_column(angles: Tensor) -> Tensor:
        return torch.where(column % 2 == 0, angles.sin(), angles.cos())

    theirs = tensor2tensor_encoding(length, d_model).double()
    sines, cosines = theirs.chunk(2, dim=1)
    return {
        "Your positions start at 1: the first row should be position 0.": table((pos + 1) / exact),
        "Sine and cosine are exchanged: the even columns are the sines.": table(pos / exact)
        .unflatten(1, (-1, 2))
        .flip(-1)
        .flatten(1),
        "The exponent of column 2i is 2i/d_model; yours is i/d_model, or your base is 100.": table(
            pos / 10_000.0 ** (i / d_model)
        ),
        "Column 2i+1 has the angle of column 2i; yours grows from column to column.": by_column(
            pos / 10_000.0 ** (column / d_model)
        ),
        "Your i is the column. It should count pairs: columns 2i and 2i+1 share one i.": by_column(
            pos / 10_000.0 ** (2 * column / d_model)
        ),
        "Those are Tensor2Tensor's frequencies: divide i by d_model/2, not one less.": torch.stack(
            [sines, cosines], dim=-1
        ).flatten(1),
        "That is Tensor2Tensor's table, in its order and with its frequencies.": theirs,
        "The numbers are right, the order isn't: put each cosine next to its sine.": torch.cat(
            [right[:, 0::2], right[:, 1::2]], dim=1
        ),
        "The position should be divided by the power of 10000, not multiplied.": table(pos * exact),
        "All your columns are sines: the odd columns should be cosines.": (pos / exact)
        .sin()
        .repeat_interleave(2, dim=1),
        "The base is 10000, with four zeros; yours is 1000.": positional_encoding(
            length, d_model, base=1_000.0
        ).double(),
        "The base is 10000; yours is e, the base of exp and log.": table(
            pos / (2 * i / d_model).exp()
        ),
        "The 2 of 2i is there twice: `arange(0, d_model, 2)` is 2i already.": table(
            pos / 10_000.0 ** (4 * i / d_model)
        ),
        "The paper's width 512 is written into your function. d_model is handed in.": table(
            pos / 10_000.0 ** (2 * i / 512)
        ),
        "All your pairs turn equally fast: the position is divided by nothing yet.": table(
            pos.expand(-1, len(i))
        ),
        "All your pairs turn equally slowly: the power of 10000 should depend on i.": table(
            (pos / 10_000.0).expand(-1, len(i))
        ),
        "Your exponent is not divided by d_model: it should go from 0 to nearly 1.": table(
            pos / 10_000.0 ** (2 * i)
        ),
        "The power comes before the division by d_model: put it into parentheses.": table(
            pos / 10_000.0 ** (2 * i) / d_model
        ),
        "You divide the power by d_model, not the exponent: put that into parentheses.": table(
            pos / (10_000.0 ** (2 * i) / d_model)
        ),
        "Your exponent is i itself: it should go from 0 to nearly 1.": table(pos / 10_000.0**i),
        "You multiply by 2i/d_model. It is an exponent: a power is written with **.": table(
            pos / 10_000.0 * (2 * i / d_model)
        ),
        "The odd columns are still 0: they should be the cosines.": by_column(
            pos / exact.repeat_interleave(2)
        )
        * (column % 2 == 0),
        "Those are the angles. What is still missing is their sine and cosine.": (
            pos / exact
        ).repeat_interleave(2, dim=1),
    }


def first_difference(found: Tensor, right: Tensor) -> str:
    pos, column = (((found - right).abs() >= NEAR).nonzero().tolist() or [[0, 0]])[0]
    return (
        f"The first wrong number is at position {pos}, column {column}: it should be "
        f"{right[pos, column]:.3f}, and yours is {found[pos, column]:.3f}."
    )


@implement(lambda: (torch.zeros(4), 1))
def move_on(function: Callable[[Tensor, int], Any]) -> None:
    """From the vector of a position to that of k positions later."""
    d_model = 10
    table = positional_encoding(29, d_model).double()
    for start, k in ((5, 3), (13, 11), (17, 1), (0, 3)):
        found = numbers(result_of(function, table[start].float(), k), (d_model,), "The vector")
        nothing = {
            "That is the vector of position k. Where did the vector that was given go?": table[k],
            "That is the vector that was given: turn each of its pairs.": table[start],
        }
        for hint, wrong in nothing.items():
            expect(same(found, table[start + k]) or not same(found, wrong), hint)
        blame(
            found,
            table[start + k],
            wrong_moves(table, start, k),
            f"From position {start}, {k} further on: {first_wrong(found, table[start + k])}",
        )


def first_wrong(found: Tensor, right: Tensor) -> str:
    """Where they differ most, in words."""
    column = int((found - right).abs().argmax())
    return f"column {column} should be {right[column]:.3f}, and yours is {found[column]:.3f}."


def wrong_moves(table: Tensor, start: int, k: int) -> dict[str, Tensor]:
    """What the usual mistakes give instead of position start + k, by the hint for each."""
    sine, cosine = table[start, 0::2], table[start, 1::2]
    i = torch.arange(len(sine)).double()
    rate = 10_000.0 ** (-2 * i / (2 * len(sine)))

    def turned(by: Tensor) -> Tensor:
        pairs = [sine * by.cos() + cosine * by.sin(), cosine * by.cos() - sine * by.sin()]
        return torch.stack(pairs, dim=-1).flatten()

    k1, k2 = (k * rate).cos(), (k * rate).sin()
    new_sine, new_cosine = sine * k1 + cosine * k2, cosine * k1 - sine * k2
    wrong_cosine = torch.stack([new_sine, cosine * k1 + sine * k2], dim=-1).flatten()
    wrong_sine = torch.stack([sine * k1 - cosine * k2, new_cosine], dim=-1).flatten()
    late = torch.stack([new_sine, cosine * k1 - new_sine * k2], dim=-1).flatten()
    late_sine = torch.stack([sine * k1 + new_cosine * k2, new_cosine], dim=-1).flatten()
    return {
        "The cosine needs the old sine: work out both before you write either.": late,
        "The sine needs the old cosine: work out both before you write either.": late_sine,
        "You always divide by 512. The exponent of pair i is 2i/d_model, and d_model is the length "
        "of the vector.": turned(k * 10_000.0 ** (-2 * i / 512)),
        "You turned back: the hands should go on by k, not back.": turned(-k * rate),
        "The sine is right. For the cosine: cos(a+b) = cos a cos b - sin a sin b.": wrong_cosine,
        "The cosine is right. For the sine: sin(a+b) = sin a cos b + cos a sin b.": wrong_sine,
        "Every pair turns by its own angle, k / 10000^(2i/d_model); yours all turn by the same "
        "one.": turned(k * torch.ones_like(rate)),
        "The exponent of pair i is 2i/d_model; yours is i/d_model.": turned(k * rate.sqrt()),
        "The numbers are right, the order isn't: put each cosine next to its sine.": torch.cat(
            [new_sine, new_cosine]
        ),
        "Adding the vector of position k doesn't turn the hands: multiply, as in K1 and K2.": table[
            start
        ]
        + table[k],
    }


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
