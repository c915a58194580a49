"""What students hand in: right answers written in other ways, and the classic mistakes.

Each assignment has its own list, in attempts_1.py to attempts_10.py.
"""

import contextlib
import functools
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from course.checks import Hint
from course.grading.assignment_files import Assignment, Exercise
from course.grading.grade import judged


@dataclass(frozen=True)
class Wrong:
    """mistake: in a few words. hint: a part of what the check says to it. points: what it keeps."""

    mistake: str
    code: str
    hint: str
    points: float


class Here:
    """Stands in for a student's process: the same code, run in this one, which is faster."""

    def __init__(self, names: dict[str, Any], code: str):
        self.names = dict(names)
        exec(textwrap.dedent(code), self.names)

    def run_cells(self) -> None:
        pass

    @contextlib.contextmanager
    def clock(self) -> Iterator[None]:
        yield

    def trouble_in(self, answer: str, known: str) -> str:
        return ""

    def get(self, name: str, answer: str) -> Any:
        if name not in self.names:
            raise Hint(f"There is no `{name}`")
        return self.names[name]


@functools.cache
def names_from(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(code, names)
    return names


def judged_here(source: Assignment, exercise: Exercise, code: str) -> tuple[float, str]:
    """(points, hint) for one answer."""
    worker = Here(names_from("\n".join(source.given)), code)
    return judged(exercise, worker, names_from(source.setup))
