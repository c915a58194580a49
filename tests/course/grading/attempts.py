"""What students hand in: right answers written in other ways, and the classic mistakes.

They are those of the exercises (tests/course/checks/attempts.py) and those of other_inputs.py, as
code that takes them from there.
"""

import ast
import contextlib
import functools
import textwrap
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

from course.grading.assignment_files import Assignment, Exercise
from course.grading.grade import judged
from tests.course.checks.attempts import all_checks, attempts_of
from tests.course.grading.other_inputs import OTHER_INPUTS

OTHER = "tests.course.grading.other_inputs"


class Attempt(NamedTuple):
    """hint: a part of what the check says to it, "" if it is right. points: what it gets."""

    code: str
    hint: str
    points: float


@functools.cache
def names_from(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(code, names)
    return names


def judged_here(source: Assignment, exercise: Exercise, code: str) -> tuple[float, str]:
    """(points, hint) for one answer. It runs in this process, which is faster than a student's."""
    names = dict(names_from("\n".join(source.given)))
    exec(textwrap.dedent(code), names)
    worker: Any = SimpleNamespace(
        run_cells=lambda: None,
        clock=contextlib.nullcontext,
        get=lambda name, answer: names[name],
        trouble_in=lambda answer, known: "",
    )
    return judged(exercise, worker, names_from(source.setup))


def called(source: Assignment, exercise: Exercise) -> tuple[Callable, list[str]]:
    """The check that an assignment calls, and the names that it hands over."""
    call = next(node for node in ast.walk(ast.parse(exercise.check)) if isinstance(node, ast.Call))
    check = eval(ast.unparse(call.func), names_from(source.setup))
    return check, [ast.unparse(argument) for argument in call.args]


def answers(source: Assignment, exercise: Exercise) -> list[Attempt]:
    """Right and wrong answers as code: what its hidden tests find, and those of the check."""
    check, names = called(source, exercise)
    found = [
        Attempt(
            f"from {OTHER} import OTHER_INPUTS as some\n"
            f"{exercise.name} = some[{exercise.name!r}][{i}]",
            "wrong for other inputs",
            exercise.points / 2,
        )
        for i in range(len(OTHER_INPUTS.get(exercise.name, ())))
    ]
    for name in (name for name, one in all_checks().items() if one is check):
        for one in attempts_of(name, check):
            thing = one.place.split(".")[0].split("(")[0]
            imported = f"from {one.module} import {thing}\n" if one.module else ""
            code = f"{imported}{', '.join(names)} = {one.place}"
            found.append(Attempt(code, one.hint, one.keeps * exercise.points))
    return found
