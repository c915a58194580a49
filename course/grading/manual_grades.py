"""What a person writes into to_read.csv, points and a comment for each answer in words, and into
adjust.csv, other points than a machine gave.

Nothing in it is lost. A row that matches nobody stays, with a notice to the teacher. Points for an
answer that has changed since then are shown as such, and don't count.
"""

import dataclasses
import hashlib
import itertools
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from course.grading.assignment_files import Assignment
from course.grading.grade import Result
from course.grading.tables import TableError, as_stored, from_table, read_table, write_table

NEEDED = ("student", "exercise", "points", "of", "comment")
COLUMNS = (*NEEDED, "answer", "before")
KEY = ("number", "student")
ADJUST = ("student", "exercise", "points", "reason")
TOTAL = "total"  # stands for an exercise where all of a student's points are meant


@dataclasses.dataclass(frozen=True)
class ManualGrade:
    """A row of to_read.csv.

    answer: the digest of the answer that it is about. before: what was given for an earlier one.
    more: columns of the teacher's own. line: the number of the row's line.
    """

    points: float | None = None
    comment: str = ""
    answer: str = ""
    before: str = ""
    more: Mapping[str, str] = dataclasses.field(default_factory=dict)
    line: int = 0


@dataclasses.dataclass(frozen=True)
class Adjustment:
    """A row of adjust.csv. points: an exercise's, or what is added to the total."""

    points: float
    reason: str
    line: int


NOT_ADJUSTED = Adjustment(0.0, "", 0)
ManualGrades = dict[tuple[str, str], ManualGrade]  # of (student, exercise)
Adjustments = dict[tuple[str, str], Adjustment]


def mark(answer: str) -> str:
    """A short digest that changes when the answer does."""
    return "a" + hashlib.sha256(answer.encode(errors="replace")).hexdigest()[:8]


def read_rows(
    table: Path, columns: Sequence[str], students: Iterable[str], numbers: Mapping[str, str]
) -> Iterator[tuple[int, tuple[str, str], dict[str, str]]]:
    """(line, (student, exercise), cells) for each row of a table that a person fills in.

    numbers: student -> number, if the answers were read blind. Nothing where there is no table.
    """
    names = {number: student for student, number in numbers.items()}
    stored = {as_stored(student): student for student in students}

    def known(rows: Sequence[Mapping[str, str]]) -> bool:
        return all(row["student"].isascii() or from_table(row["student"]) in stored for row in rows)

    for line, row in read_table(table, columns, known) if table.exists() else ():
        cells = {column: from_table(cell) for column, cell in row.items()}
        student = names.get(cells["student"], cells["student"])
        yield line, (stored.get(student, student), cells["exercise"]), cells


def read_manual_grades(
    table: Path, source: Assignment, students: Iterable[str], numbers: Mapping[str, str]
) -> ManualGrades:
    """(student, exercise) -> what a person wrote there.

    Raises a TableError that names all lines that can't be used.
    """
    of = {one.name: one.points for one in source.exercises}
    found: ManualGrades = {}
    wrong = []
    for line, key, cells in read_rows(table, NEEDED, students, numbers):
        try:
            points = as_points(cells["points"], of.get(key[1]))
        except ValueError as error:
            wrong.append(f"{table}, line {line}: {error}")
            continue
        more = {name: cell for name, cell in cells.items() if name not in COLUMNS and cell}
        one = ManualGrade(
            points, cells["comment"], cells.get("answer", ""), cells.get("before", ""), more, line
        )
        before = found.get(key)
        if before and said(before) and said(one) and said(before) != said(one):
            wrong.append(
                f"{table}, lines {before.line} and {line}: the same answer is graded "
                "twice: keep one of them"
            )
        if before is None or said(one):
            found[key] = one
    if wrong:
        raise TableError("\n".join(wrong))
    return found


def as_points(words: str, of: int | None) -> float | None:
    """The points that these words mean. of: None if the exercise isn't known."""
    if not words.strip():
        return None
    try:
        points = float(words.strip().replace(",", "."))
        if 0 <= points <= (float("inf") if of is None else of):
            return points
    except ValueError:
        pass
    largest = "" if of is None else f" from 0 to {of}"
    raise ValueError(f"points must be a number{largest}, not {words!r}")


def said(one: ManualGrade) -> tuple:
    """The points and comment that a person wrote into a row; () if there are none."""
    return (one.points, one.comment) if one.points is not None or one.comment else ()


def merge(
    results: Sequence[Result],
    grades: ManualGrades,
    shown: Mapping[str, str],
) -> tuple[list[Result], ManualGrades, dict[tuple[str, str], str]]:
    """Add the grades to the results. shown: student -> the name in the tables.

    -> the results with the points that a person gave; all of to_read.csv, (student, exercise) ->
    what to write there; and what the teacher should know about some of these rows.
    """
    merged, rows, notices = [], {}, {}
    left = dict(grades)
    for one in results:
        if not one.text:
            merged.append(one)
            continue
        key, now = (one.student, one.exercise), mark(one.text)
        grade = left.pop(key, ManualGrade())
        if grade.answer not in ("", now) and said(grade):
            given = f"{as_words(grade)} for an answer that has changed since"
            notices[key] = f"{shown[one.student]} ({one.exercise}): {given}; read it again."
            grade = dataclasses.replace(grade, points=None, comment="", before=given)
        elif grade.points is not None:
            grade = dataclasses.replace(grade, before="")
        rows[key] = dataclasses.replace(grade, answer=now)
        hint = grade.comment or (one.hint if grade.points is None else "")
        merged.append(dataclasses.replace(one, points=grade.points, hint=hint))
    here = {one.student for one in results}
    exercises = {one.exercise for one in results}
    for (student, exercise), grade in left.items():
        if not said(grade) and not grade.before:
            continue
        rows[student, exercise] = grade
        why = (
            f"nobody handed in as {shown.get(student, student)!r}"
            if student not in here
            else f"there is no exercise {exercise!r}"
            if exercise not in exercises
            else f"{shown[student]} has no answer to {exercise} now"
        )
        notices[student, exercise] = (
            f"{why}. {as_words(grade)} stay in the table and count for nobody."
        )
    return merged, rows, notices


def as_words(grade: ManualGrade) -> str:
    comment = f" ({grade.comment})" if grade.comment else ""
    if grade.points is None:
        return f"The comment{comment}" if comment else grade.before
    return f"{grade.points:g} points{comment}"


# --- appeals -------------------------------------------------------------------------------------


def read_adjustments(
    table: Path, source: Assignment, students: Iterable[str], numbers: Mapping[str, str]
) -> Adjustments:
    """(student, exercise) -> the points that it gets instead; of TOTAL, what is added to the sum.

    Raises a TableError that names all lines that can't be used.
    """
    of = {one.name: one.points for one in source.exercises}
    found: Adjustments = {}
    wrong = []
    for line, (student, exercise), cells in read_rows(table, ADJUST, students, numbers):
        key = student, TOTAL if exercise.casefold() == TOTAL else exercise
        words = cells["points"].strip().replace("−", "-").replace(",", ".")
        try:
            if key[1] == TOTAL:
                points = float(words)
                if not math.isfinite(points):
                    raise ValueError
            else:
                points = as_points(words or "none", of.get(key[1]))
        except ValueError:
            may = (
                "a number, such as -2"
                if key[1] == TOTAL
                else f"from 0 to {of[key[1]]}"
                if key[1] in of
                else "a number"
            )
            wrong.append(f"{table}, line {line}: points must be {may}, not {cells['points']!r}")
            continue
        if key in found:
            wrong.append(f"{table}, lines {found[key].line} and {line}: the same twice: keep one")
        found[key] = Adjustment(points, cells["reason"], line)
    if wrong:
        raise TableError("\n".join(wrong))
    return found


def adjust(results: Sequence[Result], adjustments: Adjustments) -> tuple[list[Result], list[str]]:
    """The results with these points, and a sentence on each row that fits nobody."""
    changed = []
    for one in results:
        if now := adjustments.get((one.student, one.exercise)):
            before = "" if one.points is None else f" instead of {one.points:g}"
            hint = f"{now.points:g} points from your teacher{before}: {now.reason}"
            one = dataclasses.replace(one, points=now.points, hint=hint)
        changed.append(one)
    students = {one.student for one in results}
    exercises = {TOTAL, *(one.exercise for one in results)}
    told = [
        f"line {now.line}: "
        + (
            f"there is no exercise {exercise!r}"
            if student in students
            else f"nobody handed in as {student!r}"
        )
        + f". {now.points:g} points stay in the table and count for nobody."
        for (student, exercise), now in adjustments.items()
        if student not in students or exercise not in exercises
    ]
    return changed, told


def write_manual_grades(
    table: Path,
    rows: ManualGrades,
    source: Assignment,
    shown: Mapping[str, str],
    separator: str,
) -> None:
    """Write to_read.csv in the order of the names shown, which tells a blind reader nothing."""
    of = {one.name: one.points for one in source.exercises}
    more = list(dict.fromkeys(name for one in rows.values() for name in one.more))
    write_table(
        table,
        (*COLUMNS, *more),
        [
            (
                shown.get(student, student),
                exercise,
                one.points,
                of.get(exercise),
                one.comment,
                one.answer,
                one.before,
                *(one.more.get(name, "") for name in more),
            )
            for (student, exercise), one in rows.items()
        ],
        separator,
    )


# --- blind ---------------------------------------------------------------------------------------


def read_key(path: Path, students: Iterable[str]) -> dict[str, str]:
    """student -> number, from an earlier blind reading."""
    if not path.exists():
        return {}
    stored = {as_stored(student): student for student in students}
    numbers = {}
    for _, row in read_table(path, KEY, lambda rows: False):
        student = from_table(row["student"])
        student = stored.get(student, student)
        numbers[student] = from_table(row["number"])
    return numbers


def numbered(students: Iterable[str], before: Mapping[str, str], seed: int) -> dict[str, str]:
    """student -> number, in a shuffled order; numbers given before stay."""
    new = sorted(set(students) - set(before))
    random.Random(seed).shuffle(new)
    free = (f"student-{number:03}" for number in itertools.count(1))
    free = (number for number in free if number not in before.values())
    return dict(before) | dict(zip(new, free, strict=False))
