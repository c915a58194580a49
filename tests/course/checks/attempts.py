"""What is handed in to the checks: the data of each exercise, and what its chapter's tests add.

An exercise has its right ways and its mistakes itself (course/checks/exercises.py). What else is
worth trying stands in `attempts.py` of its chapter's tests: the same answer in other clothes, what
is of the wrong kind, and all attempts at a check that is a function of its own.
"""

import ast
import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import course.chapters
from course.checks import Exercise, Hint, Value, Values, Verdicts, graded
from course.checks.exercises import Check


@dataclass(frozen=True)
class Attempts:
    """Attempts at one check. slips, mistakes: a part of the hint -> attempts that get it.

    What is tried with a check of several arguments is a tuple of them.
    """

    right: list = field(default_factory=list)
    slips: dict[str, list] = field(default_factory=dict)
    mistakes: dict[str, list] = field(default_factory=dict)


class Tried(NamedTuple):
    """One attempt. hint: a part of what the check says, "" if it is right; keeps: of the points.

    place: the attempt as an expression of Python; module: what it has to be imported from, or "".
    """

    attempt: Any
    hint: str
    keeps: float
    place: str
    module: str = ""


BORROWED = " exercise for you: write its steps yourself."


@functools.cache
def all_checks() -> dict[str, Callable]:
    """module.name -> the check, for all that have data or attempts."""
    found: dict[Callable, str] = {}
    with_more = set(map(id, more_attempts()))
    for chapter in pkgutil.iter_modules(course.chapters.__path__):
        folder = Path(course.chapters.__path__[0]) / chapter.name
        for file in sorted(folder.glob("*checks.py"), reverse=True):  # checks.py first
            module = importlib.import_module(f"course.chapters.{chapter.name}.{file.stem}")
            for name, thing in vars(module).items():
                if isinstance(thing, Check) or id(thing) in with_more:
                    found.setdefault(thing, f"{module.__name__}.{name}")
    return {name: check for check, name in found.items()}


@functools.cache
def more_attempts() -> dict[Callable, Attempts]:
    """A check -> what else is tried with it, from all chapters."""
    found = {}
    for file in sorted(Path(__file__).parents[1].glob("chapters/*/attempts.py")):
        module = importlib.import_module(f"tests.course.chapters.{file.parent.name}.attempts")
        found |= module.ATTEMPTS
    return found


def more_attempts_at(name: str) -> Attempts:
    return more_attempts()[all_checks()[name]]


def attempts_of(name: str, check: Callable) -> Iterator[Tried]:
    """All attempts at a check. name: that of `all_checks`."""
    module, _, own_name = name.rpartition(".")
    if isinstance(check, Exercise):
        yield from in_tables(check, own_name, module)
        for i, way in enumerate(check.borrowed):
            yield Tried(way, BORROWED, 0.0, f"{own_name}.borrowed[{i}]", module)
    elif isinstance(check, Check):
        yield Tried(check.right, "", 1.0, repr(check.right))
        for wrong, hint, keeps in wrong_answers(check):
            yield Tried(wrong, hint, keeps, repr(wrong))
    if check in more_attempts():
        place = f"more_attempts_at({name!r})"
        yield from in_tables(more_attempts()[check], place, __name__)


def wrong_answers(check: Value | Values | Verdicts) -> Iterator[tuple[Any, str, float]]:
    """Each wrong answer that is known, its hint, and what it keeps of the points."""
    if isinstance(check, Verdicts):
        for program, kind in check.right.items():
            for said in check.kinds:
                if said != kind:
                    verdict = {**check.right, program: said}
                    yield verdict, check.hint(program, said), 0.5 if check.slips else 0.0
    elif isinstance(check, Values):
        for i, part in enumerate(check.parts):
            for wrong, hint, keeps in wrong_answers(part):
                guesses = (*check.right[:i], wrong, *check.right[i + 1 :])
                yield guesses, f"{part.name}: {hint}", keeps
    else:
        for keeps, known in ((0.5, check.slips), (0.0, check.mistakes)):
            for wrong, hint in known.items():
                yield wrong, hint, keeps


def in_tables(tables: Exercise | Attempts, place: str, module: str) -> Iterator[Tried]:
    """What stands in `right`, `slips` and `mistakes`."""
    known = ((1.0, "right", {"": tables.right}), (0.5, "slips", tables.slips))
    for keeps, kind, rows in (*known, (0.0, "mistakes", tables.mistakes)):
        for hint, attempts in rows.items():
            key = f"[{hint!r}]" if hint else ""
            for i, attempt in enumerate(attempts):
                if is_literal(attempt):
                    yield Tried(attempt, hint, keeps, repr(attempt))
                else:
                    yield Tried(attempt, hint, keeps, f"{place}.{kind}{key}[{i}]", module)


def is_literal(attempt: Any) -> bool:
    """Is what Python prints of it the thing itself?"""
    try:
        return attempt == ast.literal_eval(repr(attempt))
    except (ValueError, SyntaxError):
        return False


def told(check: Callable, *attempt: Any) -> tuple[str, float]:
    """The hint, "" if it is right, and the share of the points that is kept."""
    try:
        with graded():
            check(*attempt)
    except Hint as hint:
        return str(hint), hint.keeps
    return "", 1.0
