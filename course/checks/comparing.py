"""What an attempt returns, and whether it is what is right."""

import copy
import math
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course.checks.hints import Hint, expect, no_slip, reason_of
from course.checks.reading import a_kind, as_number, one_number, with_tensors
from course.checks.watching import Attempt, watched


class Parts(types.SimpleNamespace):
    """Functions by name, handed over as one thing, also to another process."""

    def __call__(self, *inputs: Any) -> Any:
        return self.call(*inputs)

    def watched(self, names: Collection[str], *inputs: Any, **options: Any) -> Any:
        """What its function says: as a whole it may come from a student's process."""
        return watched(self.call, names, inputs, options)


def plain(module: Callable) -> Callable[..., Tensor]:
    """A module as a function: it can be called, also with named inputs, and that is all."""
    return lambda *inputs, **named: module(*inputs, **named)


def own_work(function: Any, *too_much: str) -> None:
    """From here on, the function may not call what the library or PyTorch has under these names.

    Each of them would do the whole exercise: a check that was made with `implement` ends with a
    Hint that says so. The names are of functions and classes; what the reader calls so is fine.
    """
    if isinstance(function, Attempt):
        function.too_much = too_much


def own_copy(given: Any) -> Any:
    """What an attempt may change as it likes; a model or a function is handed over as it is."""
    if isinstance(given, Tensor):
        return given.clone()
    return copy.deepcopy(given) if isinstance(given, list) else given


def in_short(given: Any) -> str:
    """A tensor by its shape, a function by its name, a long list by its length, else as it is.

    Modules, also `plain` ones, say nothing in a sentence: "".
    """
    if isinstance(given, nn.Module) or getattr(given, "__name__", "") == "<lambda>":
        return ""
    if isinstance(given, list) and given and not any(map(in_short, given)):
        return ""
    if isinstance(given, list) and len(given) > 8:
        return f"a list of {len(given)}"
    return str(
        tuple(given.shape) if isinstance(given, Tensor) else getattr(given, "__name__", given)
    )


def result_of(function: Any, *inputs: Any, stops: Mapping[str, str] | None = None) -> Any:
    """What an attempt returns for copies of `inputs`; a Hint if it stops or returns nothing.

    stops: part of an error message -> the hint for the mistake that ends in this error.
    """
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    try:
        found = function(*map(own_copy, inputs))
    except Exception as error:
        reason = reason_of(error)
        for part, hint in (stops or {}).items():
            no_slip(part not in reason, hint)
        given = ", ".join(filter(None, map(in_short, inputs)))
        raise Hint(f"Called with {given}, it stops with {reason}.") from None
    expect(found is not None, "It returns nothing: does it end with `return`?")
    return with_tensors(found)


def call(function: Any, *inputs: Any, stops: Mapping[str, str] | None = None) -> Tensor:
    """The tensor that an attempt returns, as in `result_of`; a Hint if it isn't one."""
    return a_tensor(result_of(function, *inputs, stops=stops))


def a_tensor(found: Any) -> Tensor:
    """What was returned, without its gradient and with 32 bits; a Hint if it is no tensor."""
    expect(isinstance(found, Tensor), f"It should return a tensor, not {a_kind(found)}.")
    expect(
        found.dtype not in (torch.float16, torch.bfloat16),
        f"These numbers are in half precision ({found.dtype}), which keeps three digits of each: "
        "compute with torch.float32, as what is handed in.",
    )
    return found.detach().float() if found.dtype == torch.float64 else found.detach()


def a_number(found: Any) -> int | float:
    """What was returned as a number of Python's own; a Hint if it is none."""
    return one_number(found, f"It should return one number, not {a_kind(found)}.")


def same(one: Tensor, another: Tensor) -> bool:
    """Equal shapes, and numbers that differ only in their last digits.

    Whole numbers and truth values are equal or they aren't, whatever the type they come in.
    """
    if one.is_complex() != another.is_complex():
        return False
    if not another.is_floating_point():
        return torch.equal(one.double(), another.double())
    return one.shape == another.shape and torch.allclose(
        one.to(another.dtype), another, rtol=1e-4, atol=1e-5
    )


def alike(found: Any, right: Any) -> bool:
    """`same`, also for numbers, and for lists and tuples of tensors and numbers."""
    if isinstance(right, Tensor):
        try:
            return same(torch.as_tensor(found), right)
        except (TypeError, ValueError, RuntimeError):  # nothing that a tensor can be made of
            return False
    if isinstance(right, list | tuple):
        found = found.tolist() if isinstance(found, Tensor) else found
        fits = isinstance(found, list | tuple) and len(found) == len(right)
        return fits and all(alike(*pair) for pair in zip(found, right, strict=True))
    if isinstance(right, int | float):
        found, near = as_number(found), 0.0 if isinstance(right, int) else 1e-4
        return isinstance(found, int | float) and math.isclose(found, right, rel_tol=near)
    return found == right


def compare(found: Tensor, right: Tensor, mistakes: Sequence[tuple[Tensor, str]]) -> None:
    """Nothing, where the tensor is right; otherwise the hint for the mistake it shows."""
    if same(found, right):
        return
    for wrong, hint in mistakes:
        no_slip(not same(found, wrong), hint)
    tell_apart(found, right)


def tell_apart(found: Any, right: Any) -> None:
    """The Hint for a wrong tensor of which no more is known than whether its shape is right.

    Of lists of tensors, it is about the first that is wrong.
    """
    if isinstance(right, list):
        found, right = next(pair for pair in zip(found, right, strict=True) if not alike(*pair))
    expect(
        found.shape == right.shape,
        f"The shape is {tuple(found.shape)}, but it should be {tuple(right.shape)}.",
    )
    raise Hint("The shape is right, the numbers aren't.")


def not_this(rest: str, form: str = ".4g") -> Callable[[float, Any], None]:
    """Raises the Hint for a wrong number, such as "Not 0.5: count again."."""

    def unlike(found: float, right: Any) -> None:
        raise Hint(f"Not {found:{form}}: {rest}")

    return unlike


def drawn(*shape: int, seed: int = 0) -> Tensor:
    """Numbers that look random and are the same each time."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


ELSEWHERE = (
    "Right for what the check in the notebook tries, wrong for other inputs: is a size or a "
    "number of the example written into your code?"
)


def elsewhere(function: Any, right: Any, *inputs: Any) -> None:
    """What comes after a check: does the function also give `right` for these other inputs?"""
    try:
        found = result_of(function, *inputs)
    except Hint:  # it stops, which is as wrong
        found = None
    no_slip(alike(found, right), ELSEWHERE)
