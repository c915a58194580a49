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
from course.grading.manual_grades import TOTAL, Adjustment, mark
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
    for student in [*before, *(one for one in now if before and one not in before)]:
        first, then = before.get(student, {}), now.get(student, {})
        for exercise in [*first, *(one for one in then if one not in first)]:
            old, new = first.get(exercise), then.get(exercise)
            was_here = old is not None and old["here"]
            points = old["points"] if was_here else None, new["points"] if new else None
            adjusted = (old or {}).get("adjusted", ""), (new or {}).get("adjusted", "")
            if points[0] == points[1] or (exercise == TOTAL and not (was_here and new)):
                continue
            if was_here and new and adjusted[0] != adjusted[1]:
                taken_back = "an adjustment of yours was taken back"
                reason = f"your adjustment: {adjusted[1]}" if adjusted[1] else taken_back
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
    adjustments: Mapping[tuple[str, str], Adjustment],
) -> Memory:
    """The results of this grading, as they are stored."""
    checks = {one.name: mark(one.check + library()) for one in source.exercises}
    work = {student: code_mark(one.path, source) for student, one in known.items()}
    found: Memory = {}
    for student in dict.fromkeys(one.student for one in results):
        now = adjustments.get((student, TOTAL), Adjustment(0.0, "", 0))
        found[student] = {TOTAL: entry(now.points, adjusted=now)}
    for one in results:
        found[one.student][one.exercise] = entry(
            one.points,
            text=bool(one.text),
            work=mark(one.text) if one.text else work.get(one.student, ""),
            check=checks.get(one.exercise, ""),
            adjusted=adjustments.get((one.student, one.exercise)),
        )
    return found


def entry(
    points: float | None,
    text: bool = False,
    work: str = "",
    check: str = "",
    adjusted: Adjustment | None = None,
) -> dict:
    """What is remembered of one exercise."""
    reason = (adjusted.reason or "no reason") if adjusted and adjusted.line else ""
    return {
        "here": True,
        "points": points,
        "text": text,
        "work": work,
        "check": check,
        "adjusted": reason,
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
