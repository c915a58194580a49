"""What readers hand in, in whatever clothes: numbers, lists, shapes, hypotheses."""

import dataclasses
import inspect
import math
import types
from collections import namedtuple
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course.checks.hints import expect
from transformer_lib.decoding import Hypothesis


def with_tensors(found: Any) -> Any:
    """NumPy's arrays as tensors, also those in a tuple or a list; a Hint for complex numbers.

    Nothing here asks for them, and PyTorch forgets an imaginary part where it compares.
    """
    if isinstance(found, np.ndarray) and found.dtype.kind in "biufc":
        found = torch.as_tensor(found.copy())  # the copy runs forwards; [::-1] can't be shared
    if type(found) in (tuple, list):
        return type(found)(map(with_tensors, found))
    is_complex = isinstance(found, Tensor) and found.is_complex()
    expect(
        not (is_complex or isinstance(found, complex | np.complexfloating)),
        "There are complex numbers in it, such as 1+0j, but real ones are asked for: which step "
        "makes them?",
    )
    return found


def by_value(guess: Any) -> Any:
    """A number in quotes as that number, also in a tuple or a list: by hand it is worked out alike.

    Only for what is handed over; a function has to return a number, with which one can go on.
    """
    if type(guess) in (tuple, list):
        return type(guess)(map(by_value, guess))
    try:
        number = float(guess) if isinstance(guess, str) else math.nan
    except ValueError:  # another text
        return guess
    return number if math.isfinite(number) else guess


def a_kind(thing: Any) -> str:
    """What kind of thing it is, with its article: 3 -> "an int"."""
    name = type(thing).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def as_number(guess: Any) -> Any:
    """One number in any clothes as Python's own: Fraction(1, 4) and torch.tensor([0.25]) -> 0.25.

    Whatever is no number comes back as it is.
    """
    if isinstance(guess, Tensor | np.generic) and math.prod(guess.shape) == 1:
        guess = guess.item()
    if isinstance(guess, int) or not isinstance(guess, Real | Decimal):
        return guess
    return float(guess)


def one_number(guess: Any, hint: str = "Give one number.") -> int | float:
    """The number that was given; a Hint for anything else."""
    number = as_number(guess)
    expect(isinstance(number, int | float) and not isinstance(number, bool), hint)
    return number


def numbers_in(found: Any, count: int, wanted: str) -> list[int | float]:
    """A list, tuple or tensor of so many numbers; a Hint for anything else."""
    found = found.tolist() if isinstance(found, Tensor) else found
    expect(isinstance(found, list | tuple) and len(found) == count, wanted)
    return [one_number(number, wanted) for number in found]


def in_a_row(guess: Any) -> Any:
    """On paper [[1, 2]], or a column, says what [1, 2] says."""
    if isinstance(guess, Tensor):
        return guess.flatten()
    return guess[0] if isinstance(guess, list | tuple) and len(guess) == 1 else guess


def whole_number(guess: Any, hint: str = "") -> int:
    """The whole number that was given, 3.0 included; a Hint for anything else."""
    hint = hint or f"Give a whole number, not {guess!r}."
    number = one_number(guess, hint)
    expect(number % 1 == 0, hint)
    return int(number)


def whole_numbers(given: Any, hint: str) -> list[int]:
    """A list, tuple or tensor of whole numbers as a list; a Hint for anything else."""
    given = given.tolist() if isinstance(given, Tensor) else given
    expect(isinstance(given, list | tuple), hint)
    return [whole_number(number, hint) for number in given]


def as_shape(given: Any) -> tuple[int, ...]:
    return tuple(
        whole_numbers(given, "Write each shape as a tuple of whole numbers, such as (2, 7, 512).")
    )


HYPOTHESIS = tuple(field.name for field in dataclasses.fields(Hypothesis))


# Where a class with __slots__, and a named tuple, keep a field: reading it runs no code of theirs.
PLACES = (types.MemberDescriptorType, type(namedtuple("One", "field").field))


def as_hypothesis(thing: Any) -> Any:
    """What stores the fields of a Hypothesis as one, such as a named tuple of the reader's own.

    Whatever has other fields comes back as it is. So does what works them out when it is asked:
    `__getattr__` may answer to any name, and without an end.
    """
    if isinstance(thing, type):
        return thing
    try:
        ids, *others = (stored_field(thing, name) for name in HYPOTHESIS)
    except AttributeError:
        return thing
    ids = ids.tolist() if isinstance(ids, Tensor | np.ndarray) else ids
    return Hypothesis(list(ids) if isinstance(ids, tuple) else ids, *map(as_number, others))


def stored_field(thing: Any, name: str) -> Any:
    """What is stored in it under this name; an AttributeError if that is nothing, or code."""
    found = inspect.getattr_static(thing, name)
    if type(found) in PLACES:
        return found.__get__(thing)
    if inspect.getattr_static(type(found), "__get__", None) is not None:
        raise AttributeError(f"{name} is worked out")
    return found
