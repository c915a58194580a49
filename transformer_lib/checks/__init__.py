"""What the exercises of the notebooks are checked with: each check names the likely mistake.

A check is called with the attempt, and `...` stands for none yet:

    from transformer_lib.checks import start_here
    start_here.several_people(...)     # several_people: not tried yet
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor


class Hint(Exception):
    """The attempt isn't right yet; the message says what to think about."""


def expect(right: bool, hint: str) -> None:
    if not right:
        raise Hint(hint)


def exercise(check: Callable[..., None]) -> Callable[..., None]:
    """A function that raises a Hint -> a check that prints how the attempt did."""

    @functools.wraps(check)
    def checked(*attempt) -> None:
        if any(part is ... for part in attempt):
            print(f"{check.__name__}: not tried yet")
            return
        try:
            check(*attempt)
        except Hint as hint:
            print(f"{check.__name__}: not yet. {hint}")
        else:
            print(f"{check.__name__}: right!")

    return checked


def implement(*first: Any) -> Callable:
    """A check of a function the reader writes: "not tried yet" while its body is still `...`.

    first: arguments to try it with, to see whether anything comes back.
    """

    def decorate(check: Callable[[Callable], None]) -> Callable[[Callable], None]:
        checked = exercise(check)

        @functools.wraps(check)
        def started(function: Callable) -> None:
            try:
                untouched = callable(function) and function(*first) is ...
            except Exception:  # it was tried, and the check will say what is wrong
                untouched = False
            checked(... if untouched else function)

        return started

    return decorate


# --- what the checks of functions share ----------------------------------------------------------


def result_of(function: Any, *inputs: Any, stops: Mapping[str, str] | None = None) -> Any:
    """What an attempt returns for copies of `inputs`; a Hint if it stops or returns nothing.

    stops: part of an error message -> the hint for the mistake that ends in this error.
    """
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    try:
        found = function(*(x.clone() if isinstance(x, Tensor) else x for x in inputs))
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        for part, hint in (stops or {}).items():
            expect(part not in reason, hint)
        given = ", ".join(str(tuple(x.shape) if isinstance(x, Tensor) else x) for x in inputs)
        raise Hint(f"Called with {given}, it stops with {reason}.") from None
    expect(found is not None, "It returns nothing: does it end with `return`?")
    return found


def call(function: Any, *inputs: Any, stops: Mapping[str, str] | None = None) -> Tensor:
    """The tensor that an attempt returns, as in `result_of`; a Hint if it isn't one."""
    found = result_of(function, *inputs, stops=stops)
    expect(isinstance(found, Tensor), f"It should return a tensor, not a {type(found).__name__}.")
    return found.detach()


def same(one: Tensor, another: Tensor) -> bool:
    """Equal shapes, and numbers that differ only in their last digits."""
    return one.shape == another.shape and torch.allclose(
        one.to(another.dtype), another, rtol=1e-4, atol=1e-5
    )


def compare(found: Tensor, right: Tensor, mistakes: Sequence[tuple[Tensor, str]]) -> None:
    """Nothing, where the tensor is right; otherwise the hint for the mistake it shows."""
    if same(found, right):
        return
    for wrong, hint in mistakes:
        expect(not same(found, wrong), hint)
    expect(
        found.shape == right.shape,
        f"The shape is {tuple(found.shape)}, but it should be {tuple(right.shape)}.",
    )
    raise Hint("The shape is right, the numbers aren't.")


def whole_number(guess: Any) -> None:
    right_kind = isinstance(guess, int) and not isinstance(guess, bool)
    expect(right_kind, f"Give a whole number, not {guess!r}.")


def as_shape(given: Any) -> tuple[int, ...]:
    expect(
        isinstance(given, list | tuple) and all(isinstance(size, int) for size in given),
        "Write each shape as a tuple of whole numbers, such as (2, 7, 512).",
    )
    return tuple(given)
