"""What comes out of grading: a table, a page for each student, and what a person has to read."""

import csv
import dataclasses
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import mistune
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from coursework.grading import Result
from coursework.source import Assignment
from transformer_lib.checkpoints import write_file

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "pages"),
    autoescape=True,  # names and answers come from outside
    trim_blocks=True,
)
MARKDOWN = mistune.create_markdown(escape=True)  # HTML in it is shown, not obeyed
TEMPLATES.filters["markdown"] = lambda words: Markup(MARKDOWN(words))
COLUMNS = ("student", "exercise", "points", "of", "hint")
TO_READ = ("student", "exercise", "points", "of", "comment")


class TableError(ValueError):
    """to_read.csv can't be used; the message says which line, and why."""


def write_report(folder: Path, source: Assignment, results: Sequence[Result]) -> None:
    """grades.csv, to_read.csv, to_read.html and pages/STUDENT.html."""
    results = with_readings(results, folder / "to_read.csv")
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    write_table(folder / "grades.csv", COLUMNS, [
        (one.student, one.exercise, as_text(one.points), one.of, one.hint) for one in results
    ])  # fmt: skip
    written = [one for one in results if one.text]
    write_table(folder / "to_read.csv", TO_READ, [
        (one.student, one.exercise, as_text(one.points), one.of,
         "" if one.points is None else one.hint) for one in written
    ])  # fmt: skip
    explain = [one for one in source.exercises if one.kind == "explain"]
    page = TEMPLATES.get_template("to_read.html").render(
        title=source.title,
        exercises=[(one, [row for row in written if row.exercise == one.name]) for one in explain],
    )
    write_text(folder / "to_read.html", page)
    template = TEMPLATES.get_template("student.html")
    for student in dict.fromkeys(one.student for one in results):
        rows = [one for one in results if one.student == student]
        page = template.render(
            student=student, title=source.title, results=rows, of=sum(one.of for one in rows),
            total=sum(one.points or 0 for one in rows),
            waiting=sum(one.of for one in rows if one.points is None),
            titles={one.name: one.title for one in source.exercises},
        )  # fmt: skip
        name = student.encode()[:200].decode(errors="ignore")  # no system takes longer names
        write_text(folder / "pages" / f"{name}.html", page)


def with_readings(results: Sequence[Result], table: Path) -> list[Result]:
    """The results with the points and comments that a person wrote into to_read.csv."""
    if not table.exists():
        return list(results)
    readings = {}
    with table.open(encoding="utf-8-sig", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            if row.get("points"):
                try:
                    points, of = float(row["points"].replace(",", ".")), int(row["of"])
                    right = 0 <= points <= of
                except (ValueError, KeyError, TypeError, AttributeError):
                    right = False
                if not right or not row.get("student") or not row.get("exercise"):
                    raise TableError(f"{table}, line {number}: points must be a number from 0 to "
                                     f"{row.get('of')}, not {row['points']!r}")  # fmt: skip
                readings[row["student"], row["exercise"]] = (points, row.get("comment") or "")
    found = []
    for one in results:
        reading = readings.get((in_table(one.student), one.exercise))
        if reading and one.text:
            one = dataclasses.replace(one, points=reading[0], hint=reading[1])
        found.append(one)
    return found


def as_text(points: float | None) -> str:
    return "" if points is None else f"{points:g}"


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence]) -> None:
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([in_table(cell) for cell in row] for row in rows)
    write_text(path, table.getvalue())


def in_table(cell: object) -> str:
    """As text that no spreadsheet takes for a formula."""
    words = str(cell)
    return "'" + words if words.startswith(("=", "+", "-", "@", "\t", "\r")) else words


def write_text(path: Path, words: str) -> None:
    write_file(path, words.encode("utf-8", errors="replace"))
