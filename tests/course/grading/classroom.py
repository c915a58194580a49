"""Notebooks as students hand them in: the student version, filled in."""

import copy
import json
import textwrap
from collections.abc import Mapping
from pathlib import Path

from course.grading.assignment_files import SOLUTION, Assignment, grade_id, student_version, text

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


def hand_in(path: Path, notebook: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")
