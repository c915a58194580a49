"""A class: what students hand in, the student version filled in, and what grading makes of it."""

import contextlib
import copy
import csv
import json
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from course.grading.assignment_files import (
    SOLUTION,
    Assignment,
    assignment,
    grade_id,
    student_version,
    text,
)
from course.grading.grade import Result, Worker
from course.grading.limits import Limits
from course.grading.tables import separator_of

ATTENTION = assignment(2)
WRITTEN = "The largest weight grows without the root, because the scores spread more."


def solutions(source: Assignment) -> dict[str, str]:
    """grade_id -> the answer cell with its solution in it."""
    return {
        grade_id(cell): text(cell)
        for cell in source.notebook["cells"]
        if SOLUTION.search(text(cell))
    }


def filled_in(source: Assignment, answers: Mapping[str, str]) -> dict:
    """The student version with these answers; written answers get a sentence."""
    notebook = copy.deepcopy(student_version(source))
    written = {one.name for one in source.exercises if one.kind == "explain"}
    for cell in notebook["cells"]:
        if grade_id(cell) in answers:
            cell["source"] = textwrap.dedent(answers[grade_id(cell)])
        elif grade_id(cell) in written:
            cell["source"] = WRITTEN
    return notebook


def hand_in(path: Path, content: dict | str) -> None:
    """A notebook, or what else somebody writes into a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    words = content if isinstance(content, str) else json.dumps(content)
    path.write_text(words, encoding="utf-8")


def command(folder: Path, *more: str, number: int | str = 2) -> list[str]:
    """`grade` for the submissions in this folder, into its grades."""
    submissions, grades = str(folder / "submissions"), str(folder / "grades")
    return ["grade", str(number), submissions, "--out", grades, *more]


@contextlib.contextmanager
def at_work(*cells: str, **limits: Any) -> Iterator[Worker]:
    """A student's process in which these cells have run."""
    with contextlib.closing(Worker([("", cell) for cell in cells], Limits(**limits))) as worker:
        worker.run_cells()
        yield worker


def results(**answers: str) -> list[Result]:
    """Of assignment 2: all 13 points by machine, and this answer in words ("" is none)."""
    found = []
    for student, answer in answers.items():
        for one in ATTENTION.exercises:
            if one.kind == "explain" and answer:
                found.append(Result(student, one.name, None, one.points, "to be read", answer))
            elif one.kind == "explain":
                found.append(Result(student, one.name, 0.0, one.points, "Nothing is written here."))
            else:
                found.append(Result(student, one.name, float(one.points), one.points, ""))
    return found


def table(path: Path) -> list[dict[str, str]]:
    """A table that grading has written."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=separator_of(path)))
