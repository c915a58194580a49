"""What has changed since earlier gradings into the same folder: for whom, and why."""

import dataclasses
import datetime
import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from course.grading.assignment_files import Assignment, text
from course.grading.collect import Submission
from course.grading.grade import Result, Unreadable, read_submission
from course.grading.limits import ROOT
from course.grading.manual_grades import NOT_ADJUSTED, TOTAL, Adjustment, Adjustments, mark
from transformer_lib.files import CheckpointError, read_json, write_file

MEMORY = "last.json"
COLUMNS = ("when", "student", "exercise", "before", "now", "why")
NOTHING_CHANGED = "neither the notebook nor the check: chance, or a limit of time?"

Memory = dict[str, dict[str, dict]]  # student -> exercise -> points, and what they were given for


@dataclasses.dataclass(frozen=True)
class Before:
    """Earlier gradings: their results, their changes, and the pages that the last one wrote."""

    students: Memory = dataclasses.field(default_factory=dict)
    changes: list[list] = dataclasses.field(default_factory=list)
    pages: list[str] = dataclasses.field(default_factory=list)


def recall(folder: Path) -> Before:
    try:
        return Before(**read_json(folder / MEMORY))
    except (CheckpointError, TypeError):  # the first time
        return Before()


def remember(
    folder: Path, before: Before, now: Memory, new: Sequence[tuple], pages: Iterable[str]
) -> list[list]:
    """Store it for the next time -> all changes, each with its time. Absent students are marked."""
    absent = {
        student: {name: old | {"here": False} for name, old in exercises.items()}
        for student, exercises in before.students.items()
    }
    when = datetime.datetime.now().isoformat(" ", timespec="minutes")
    everything = [*before.changes, *([when, *row] for row in new)]
    stored = Before(absent | now, everything, sorted(pages))
    write_file(folder / MEMORY, json.dumps(dataclasses.asdict(stored)).encode())
    return everything


def changes(before: Memory, now: Memory) -> list[tuple]:
    """(student, exercise, points before, now, why). That an answer was read isn't a change."""
    found = []
    for student in dict.fromkeys([*before, *now]) if before else ():
        first, then = before.get(student, {}), now.get(student, {})
        for exercise in dict.fromkeys([*first, *then]):
            old, new = first.get(exercise), then.get(exercise)
            was_here = old is not None and old["here"]
            points = old["points"] if was_here else None, new["points"] if new else None
            if points[0] == points[1] or (exercise == TOTAL and not (was_here and new)):
                continue
            if was_here and new and old.get("adjusted", "") != new["adjusted"]:
                reason = f"your adjustment: {new['adjusted']}"
                if not new["adjusted"]:
                    reason = "an adjustment of yours was taken back"
            elif new is None:
                reason = "not handed in this time"
            elif not was_here:
                reason = "handed in for the first time" if old is None else "handed in again"
            elif new["text"] and old["points"] is None:
                continue
            else:
                reason = why(old, new)
            found.append((student, exercise, *points, reason))
    return found


def why(old: Mapping, new: Mapping) -> str:
    if old["text"] or new["text"]:
        return "the answer" if old["work"] != new["work"] else "your points for it"
    if None in (old["points"], new["points"]):
        return "the grader failed " + ("before" if old["points"] is None else "this time")
    different = [
        name
        for name, mark in (("the notebook", "work"), ("the check", "check"))
        if old[mark] != new[mark]
    ]
    return " and ".join(different) or NOTHING_CHANGED


def memory(
    source: Assignment,
    results: Sequence[Result],
    known: Mapping[str, Submission],
    adjustments: Adjustments,
) -> Memory:
    """The results of this grading, as they are stored."""
    checks = {one.name: mark(one.check + library()) for one in source.exercises}
    work = {student: code_mark(one.path, source) for student, one in known.items()}
    found: Memory = {}
    for one in results:
        total = adjustments.get((one.student, TOTAL), NOT_ADJUSTED)
        exercises = found.setdefault(one.student, {TOTAL: entry(total.points, total)})
        exercises[one.exercise] = entry(
            one.points,
            adjustments.get((one.student, one.exercise), NOT_ADJUSTED),
            text=bool(one.text),
            work=mark(one.text) if one.text else work.get(one.student, ""),
            check=checks.get(one.exercise, ""),
        )
    return found


def entry(
    points: float | None, adjusted: Adjustment, text: bool = False, work: str = "", check: str = ""
) -> dict:
    """What is remembered of one exercise."""
    return {
        "here": True,
        "points": points,
        "text": text,
        "work": work,
        "check": check,
        "adjusted": (adjusted.reason or "no reason") if adjusted.line else "",
    }


def code_mark(path: Path, source: Assignment) -> str:
    """A digest of the code that was run; outputs and text cells don't change it."""
    try:
        cells = read_submission(path, source)
    except Unreadable as error:
        return mark(str(error))
    return mark("\n\n".join(text(cell) for cell in cells if cell["cell_type"] == "code"))


@functools.cache
def library() -> str:
    """The code that the checks call, as one text."""
    files: list[Path] = [
        *(ROOT / "course" / "checks").rglob("*.py"),
        *(ROOT / "course").rglob("*checks.py"),
    ]
    return "".join(path.read_text(encoding="utf-8") for path in sorted(files))
