"""What is different from the last grading into the same folder: for whom, and why."""

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from coursework.grading import Result, Unreadable, read_submission
from coursework.intake import Submission
from coursework.readings import mark
from coursework.source import Assignment, text
from coursework.wall import ROOT
from transformer_lib.checkpoints import CheckpointError, read_json, write_file

MEMORY = "last.json"
NOTHING_CHANGED = "neither the notebook nor the check: chance, or a limit of time?"


def changes(
    folder: Path, source: Assignment, results: Sequence[Result], known: Mapping[str, Submission]
) -> list[tuple]:
    """(student, exercise, points before, now, why); to read an answer is no such change."""
    try:
        before = read_json(folder / MEMORY)
    except CheckpointError:  # the first time
        return []
    now = memory(source, results, known)
    found = []
    for student, exercises in before.items():
        for exercise, old in exercises.items():
            new = now.get(student, {}).get(exercise)
            if new is None:
                found.append((student, exercise, old["points"], None, "not handed in this time"))
            elif old["points"] != new["points"] and not (new["text"] and old["points"] is None):
                found.append((student, exercise, old["points"], new["points"], why(old, new)))
    return found


def why(old: Mapping, new: Mapping) -> str:
    if old["text"] or new["text"]:
        return "the answer" if old["work"] != new["work"] else "your points for it"
    different = [name for name, mark in (("the notebook", "work"), ("the check", "check"))
                 if old[mark] != new[mark]]  # fmt: skip
    return " and ".join(different) or NOTHING_CHANGED


def remember(
    folder: Path, source: Assignment, results: Sequence[Result], known: Mapping[str, Submission]
) -> None:
    write_file(folder / MEMORY, json.dumps(memory(source, results, known)).encode())


def memory(
    source: Assignment, results: Sequence[Result], known: Mapping[str, Submission]
) -> dict[str, dict]:
    """student -> exercise -> points, and marks of what they were given for."""
    checks = {one.name: mark(one.check + library()) for one in source.exercises}
    work = {student: code_mark(one.path, source) for student, one in known.items()}
    found: dict[str, dict] = {}
    for one in results:
        found.setdefault(one.student, {})[one.exercise] = {
            "points": one.points,
            "text": bool(one.text),
            "work": mark(one.text) if one.text else work.get(one.student, ""),
            "check": checks.get(one.exercise, ""),
        }
    return found


def code_mark(path: Path, source: Assignment) -> str:
    """Of what was run; outputs and words don't matter."""
    try:
        cells = read_submission(path, source)
    except Unreadable as error:
        return mark(str(error))
    return mark("\n\n".join(text(cell) for cell in cells if cell["cell_type"] == "code"))


@functools.cache
def library() -> str:
    """The code that the checks call."""
    files: Iterator[Path] = (ROOT / "transformer_lib" / "checks").rglob("*.py")
    return "".join(path.read_text(encoding="utf-8") for path in sorted(files))
