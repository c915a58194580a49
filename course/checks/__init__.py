"""What the exercises of the notebooks are checked with: each check names the likely mistake.

A check is called with the attempt, and `...` stands for none yet:

    from course.checks import start_here
    start_here.several_people(...)     # several_people: ○ not tried yet

Right, wrong and untried differ by a word, a sign and, where colors can be shown, a color.
While you learn, a check prints. Where work is graded (`with graded():`), it raises its Hint.
"""

import contextlib
import copy
import dataclasses
import functools
import inspect
import math
import os
import re
import sys
import types
import unicodedata
from collections import namedtuple
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course.checks.watching import Attempt, Borrowed, watched
from transformer_lib.decoding import Hypothesis

# Grading is going on: by `with graded()`, or by nbgrader, which sets this variable.
GRADED = ContextVar("GRADED", default="NBGRADER_EXECUTION" in os.environ)


@contextlib.contextmanager
def graded() -> Iterator[None]:
    """Within it, checks raise their hints and print nothing."""
    before = GRADED.set(True)
    try:
        yield
    finally:
        GRADED.reset(before)


class Hint(Exception):
    """The attempt isn't right yet; the message says what to think about.

    keeps: the share of the points that it keeps when graded, 0 to 1.
    """

    def __init__(self, message: str, keeps: float = 0.0):
        super().__init__(message)
        self.keeps = keeps


def expect(right: bool, hint: str) -> None:
    """Nothing if it is right, else a Hint that keeps no points."""
    if not right:
        raise Hint(hint)


def no_slip(right: bool, hint: str) -> None:
    """Nothing if it is right, else a Hint that keeps half the points.

    For a mistake that the check knows by name: one step went wrong, the others didn't.
    """
    if not right:
        raise Hint(hint, keeps=0.5)


class NotTried(Hint):
    """There is no attempt yet."""


class Parts(types.SimpleNamespace):
    """Functions by name, handed over as one thing, also to another process."""

    def __call__(self, *inputs: Any) -> Any:
        return self.call(*inputs)

    def watched(self, names: Collection[str], *inputs: Any, **options: Any) -> Any:
        """What its function says: as a whole it may come from a student's process."""
        return watched(self.call, names, inputs, options)


GREEN, RED = "\x1b[1;32m", "\x1b[1;31m"
NORMAL = "\x1b[0m"


def in_notebook() -> bool:
    return type(sys.stdout).__module__.startswith("ipykernel")


def colored(text: str, color: str) -> str:
    """The text in a color where that can be shown: in a notebook, or in a terminal that wants it.

    In a notebook always, so that its stored output depends on no setting.
    """
    terminal = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return f"{color}{text}{NORMAL}" if in_notebook() or terminal else text


def in_words(hint: Hint | None) -> str:
    """How an attempt did, for readers of colors, signs or neither: "✗ not yet. One more."."""
    if hint is None:
        return colored("✓ right!", GREEN)
    if isinstance(hint, NotTried):
        return f"○ {hint}"
    return f"{colored('✗ not yet.', RED)} {hint}"


def exercise(check: Callable[..., None]) -> Callable[..., None]:
    """A function that raises a Hint -> a check that prints how the attempt did."""

    @functools.wraps(check)
    def checked(*attempt) -> None:
        found = None
        try:
            if any(part is ... for part in attempt):
                raise NotTried("not tried yet")
            check(*map(by_value, map(with_tensors, attempt)))
        except Hint as hint:
            found = hint
        except Borrowed as borrowed:
            share = "a part of the" if str(borrowed).startswith("Transformer.") else "the whole"
            found = Hint(f"`{borrowed}` does {share} exercise for you: write its steps yourself.")
        if found and GRADED.get():
            raise found
        if not GRADED.get():
            print(f"{check.__name__}: {in_words(found)}")

    return checked


def reveal(guess: Any, measured: Any) -> None:
    """Print the reader's guess, what is measured, and how near the guess came.

    A guess `...` is none yet. A number is compared by difference, also one in quotes; anything else
    by being equal, whatever its capitals, accents, spaces, hyphens, final period, the brackets
    around it and a "the" in front of it.
    What is measured is never in the first line, because JupyterLab shows that of a folded output.
    """
    print("your guess:", "none yet" if guess is ... else guess)
    guess, numbers = by_value(guess), (int, float)
    how_near = ""
    if isinstance(measured, numbers) and not isinstance(measured, bool):
        if isinstance(guess, numbers):
            right = math.isclose(guess, measured, rel_tol=0.005)
            how_near = "right" if right else f"off by {abs(guess - measured):.3g}"
        elif guess is not ...:
            how_near = "your guess is not a number"
    elif guess is not ...:
        right = bare(guess) == bare(measured)
        how_near = "right" if right else "another one"
    shown = f"{measured:.4g}" if isinstance(measured, float) else str(measured)
    print(f"it is {shown}{how_near and f': {how_near}'}")


def bare(guess: Any) -> str:
    """ "Árbol." -> "arbol", "self-attention" -> "selfattention", (1, 2) and "[1, 2]" -> "1,2"."""
    text = str(list(guess) if isinstance(guess, tuple) else guess).strip().removesuffix(".")
    text = unicodedata.normalize("NFKD", text)
    text = "".join(c for c in text if not unicodedata.combining(c)).casefold().removeprefix("the ")
    text = re.sub(r"^[(\[](.*)[)\]]$", r"\1", re.sub(r"\s", "", text))
    return re.sub(r"(?<=[^\W\d])[-–](?=[^\W\d])", "", text)


def implement(first: Callable[[], Sequence[Any]]) -> Callable:
    """A check of a function the reader writes: "not tried yet" while its body is still `...`.

    first: makes arguments to try it with, to see whether anything comes back. It is a function
    because nothing may be computed while a module is imported: PyTorch would start its threads,
    and a process forked from that one waits for them for ever.
    """

    def decorate(check: Callable[[Callable], None]) -> Callable[[Callable], None]:
        checked = exercise(check)

        @functools.wraps(check)
        def started(function: Callable) -> None:
            inputs = map(own_copy, first())
            try:
                untouched = callable(function) and function(*inputs) is ...
            except Exception:  # it was tried, and the check will say what is wrong
                untouched = False
            checked(... if untouched else Attempt(function) if callable(function) else function)

        return started

    return decorate


def yours(mine: Callable, ours: Callable, check: Callable[[Callable], None]) -> Callable:
    """The reader's function if its check finds it right, else ours; it says which.

    So a notebook goes on with what the reader wrote, and a cell that was left alone, or isn't
    right yet, never stops the rest.
    """
    try:
        with graded():
            check(mine)
    except Hint:
        print(f"until {check.__name__} is right, the library's own runs here")
        return ours
    print(f"from here on, your {check.__name__} runs")
    return mine


# --- what the checks of functions share ----------------------------------------------------------


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
        given = ", ".join(map(in_short, inputs))
        raise Hint(f"Called with {given}, it stops with {reason}.") from None
    expect(found is not None, "It returns nothing: does it end with `return`?")
    return with_tensors(found)


LONG = 300  # characters of a message that tell enough
# Characters that aren't text: they control a terminal, end a table or reverse the rest of a line.
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def in_part(text: str, most: int = LONG) -> str:
    """The text without control characters (� instead), cut where it is too long to be read."""
    text = CONTROLS.sub("�", text)
    return text if len(text) <= most else f"{text[:most]} … (cut after {most:,} characters)"


def reason_of(error: Exception) -> str:
    """Its kind and the first line of its message, without a period: "ValueError: no such word"."""
    return in_part(f"{type(error).__name__}: {error}".splitlines()[0].rstrip("."))


def in_short(given: Any) -> str:
    """A tensor by its shape, a function by its name, a long list by its length, else as it is."""
    if isinstance(given, list) and len(given) > 8:
        return f"a list of {len(given)}"
    return str(
        tuple(given.shape) if isinstance(given, Tensor) else getattr(given, "__name__", given)
    )


def own_copy(given: Any) -> Any:
    """What an attempt may change as it likes; a model or a function is handed over as it is."""
    if isinstance(given, Tensor):
        return given.clone()
    return copy.deepcopy(given) if isinstance(given, list) else given


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


def call(function: Any, *inputs: Any, stops: Mapping[str, str] | None = None) -> Tensor:
    """The tensor that an attempt returns, as in `result_of`; a Hint if it isn't one."""
    found = result_of(function, *inputs, stops=stops)
    expect(isinstance(found, Tensor), f"It should return a tensor, not {a_kind(found)}.")
    expect(
        found.dtype not in (torch.float16, torch.bfloat16),
        f"These numbers are in half precision ({found.dtype}), which keeps three digits of each: "
        "compute with torch.float32, as what is handed in.",
    )
    return found.detach().float() if found.dtype == torch.float64 else found.detach()


def a_kind(thing: Any) -> str:
    """What kind of thing it is, with its article: 3 -> "an int"."""
    name = type(thing).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


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


def compare(found: Tensor, right: Tensor, mistakes: Sequence[tuple[Tensor, str]]) -> None:
    """Nothing, where the tensor is right; otherwise the hint for the mistake it shows."""
    if same(found, right):
        return
    for wrong, hint in mistakes:
        no_slip(not same(found, wrong), hint)
    expect(
        found.shape == right.shape,
        f"The shape is {tuple(found.shape)}, but it should be {tuple(right.shape)}.",
    )
    raise Hint("The shape is right, the numbers aren't.")


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


def elsewhere(function: Any, right: Any, *inputs: Any) -> None:
    """What comes after a check: does the function also give `right` for these other inputs?"""
    try:
        found = result_of(function, *inputs)
    except Hint:  # it stops, which is as wrong
        found = None
    no_slip(
        alike(found, right),
        "Right for what the check in the notebook tries, wrong for other inputs: is a size or a "
        "number of the example written into your code?",
    )


def own_work(function: Any, *too_much: str) -> None:
    """From here on, the function may not call what the library or PyTorch has under these names.

    Each of them would do the whole exercise: a check that was made with `implement` ends with a
    Hint that says so. The names are of functions and classes; what the reader calls so is fine.
    """
    if isinstance(function, Attempt):
        function.too_much = too_much


def parts_right(*parts: tuple[str, Any, Any, Mapping[Any, str]]) -> None:
    """For several guesses in one exercise, each as (name, guess, right, wrong guess -> hint).

    A wrong guess that has a hint is a slip, as long as the other guesses are right. The hint of
    `None` is for all guesses that have none of their own.
    """
    wrong = [part for part in parts if part[1] != part[2]]
    if wrong:
        name, guess, _, hints = wrong[0]
        slip = guess in hints and len(wrong) == 1
        parts = "not yet. Which parts does it have, and how large is each?"
        hint = hints.get(guess, hints.get(None, parts))
        raise Hint(f"{name}: {hint}", keeps=0.5 if slip else 0.0)


def plain(module: Callable) -> Callable[..., Tensor]:
    """A module as a function: it can be called, also with named inputs, and that is all."""
    return lambda *inputs, **named: module(*inputs, **named)


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


def one_letter(guess: Any, letters: Collection[str], hint: str) -> str:
    """The letter that was given, also as "(B)"; a Hint for anything else."""
    letter = guess.strip(" ().").lower() if isinstance(guess, str) else guess
    expect(isinstance(letter, str) and letter in letters, hint)
    return letter


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


def as_shape(given: Any) -> tuple[int, ...]:
    return tuple(
        whole_numbers(given, "Write each shape as a tuple of whole numbers, such as (2, 7, 512).")
    )


# --- looking for planted faults ------------------------------------------------------------------


def wrong_verdicts(
    verdict: Any, planted: Mapping[str, str], kinds: Sequence[str]
) -> dict[str, str]:
    """Which of several programs got a wrong verdict, and which: name -> one of `kinds`.

    planted: name -> what is true of it.
    """
    form = ", ".join(f'"{name}": …' for name in planted)
    expect(
        isinstance(verdict, dict) and set(verdict) == set(planted),
        f"Give a kind for each of them: {{{form}}}.",
    )
    untried = [name for name in planted if verdict[name] is ...]
    if len(untried) == len(planted):
        raise NotTried("not tried yet")
    expect(not untried, f"{' and '.join(untried)}: still to be measured.")
    for name in planted:
        said = verdict[name]
        expect(said in kinds, f"{name}: choose one of {', '.join(kinds)}, not {said!r}.")
    return {name: verdict[name] for name, kind in planted.items() if verdict[name] != kind}


def judge_verdicts(verdict: Any, planted: Mapping[str, str], hints: Mapping[str, str]) -> None:
    """A Hint for the first wrong verdict, as in `wrong_verdicts`; it keeps half with two at most.

    hints: kind -> what a program of this kind does, or what to measure.
    """
    wrong = wrong_verdicts(verdict, planted, tuple(hints))
    for name in wrong:
        hint = f"{name} {hints[planted[name]]}"
        no_slip(len(wrong) > 2, hint)
        right = len(planted) - len(wrong)
        raise Hint(f"{hint} ({right} of {len(planted)} are right.)")


def fault_in_a_stack(
    guess: tuple[Any, Any],
    right: tuple[int, str],
    layers: int,
    faults: Mapping[str, str],
    in_another_layer: str,
) -> None:
    """One of `layers` has one of `faults`: is the guess (layer, fault) right?

    faults: name -> how to see that it isn't this one.
    """
    layer = whole_number(guess[0], f"The layer is a whole number from 0 to {layers - 1}.")
    fault = guess[1]
    expect(0 <= layer < layers, f"The layer is a whole number from 0 to {layers - 1}.")
    expect(fault in faults, f"The fault is one of {', '.join(map(repr, faults))}.")
    expect(fault == right[1], f"That isn't the fault. {faults[fault]}")
    no_slip(layer != right[0] + 1, "The right fault. But layers count from 0.")
    expect(layer == right[0], f"The right fault, in another layer. {in_another_layer}")
