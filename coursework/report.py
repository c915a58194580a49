"""What comes out of grading: a table, a page for each student, and what a person has to read."""

import csv
import dataclasses
import io
from collections.abc import Iterable, Mapping, Sequence
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
COLUMNS = ("student", "exercise", "points", "of", "hint")
TO_READ = ("student", "exercise", "points", "of", "comment")


class TableError(ValueError):
    """to_read.csv can't be used; the message says why. Nothing is written then."""


def as_html(words: str) -> Markup:
    try:
        return Markup(MARKDOWN(words))
    except Exception:  # Markdown that its reader can't take: as it is
        return Markup("<pre>{}</pre>").format(words)


TEMPLATES.filters["markdown"] = as_html


@dataclasses.dataclass(frozen=True)
class Reading:
    """What a person wrote into a line of to_read.csv."""

    points: float | None
    of: int
    comment: str


def write_report(folder: Path, source: Assignment, results: Sequence[Result]) -> None:
    """grades.csv, to_read.csv, to_read.html and pages/STUDENT.html."""
    readings = read_readings(folder / "to_read.csv")
    results = [with_reading(one, readings) for one in results]
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    write_table(folder / "grades.csv", COLUMNS, [
        (one.student, one.exercise, as_text(one.points), one.of, one.hint) for one in results
    ])  # fmt: skip
    written = [one for one in results if one.text]
    fresh = {(in_table(one.student), one.exercise): Reading(None, one.of, "") for one in written}
    write_table(folder / "to_read.csv", TO_READ, [  # also lines of those who are absent this time
        (*key, as_text(one.points), one.of, one.comment) for key, one in (fresh | readings).items()
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
        # Shorter than any system's limit, and UTF-8 even where the file's name wasn't.
        name = student.encode(errors="replace")[:200].decode(errors="ignore")
        write_text(folder / "pages" / f"{name}.html", page)


def read_readings(table: Path) -> dict[tuple[str, str], Reading]:
    """(student, exercise) -> what a person wrote there, in whatever way a spreadsheet stored it."""
    if not table.exists():
        return {}
    try:
        words = table.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(f"{table} isn't in UTF-8: save it as “CSV UTF-8”") from None
    separator = max(",;\t", key=words.split("\n")[0].count)
    rows = csv.DictReader(io.StringIO(words), delimiter=separator)
    if not set(TO_READ) <= set(rows.fieldnames or ()):
        raise TableError(f"{table}: its first line should be {','.join(TO_READ)}")
    readings = {}
    for number, row in enumerate(rows, 2):
        try:
            of = int(row["of"])
            points = float(row["points"].replace(",", ".")) if row["points"] else None
            right = points is None or 0 <= points <= of
        except (ValueError, TypeError, AttributeError):
            right = False
        if not right:
            raise TableError(f"{table}, line {number}: points must be a number from 0 to "
                             f"{row['of']}, not {row['points']!r}")  # fmt: skip
        comment = (row["comment"] or "").removeprefix("'")  # see in_table
        if points is not None or comment:
            readings[row["student"], row["exercise"]] = Reading(points, of, comment)
    return readings


def with_reading(one: Result, readings: Mapping[tuple[str, str], Reading]) -> Result:
    reading = readings.get((in_table(one.student), one.exercise))
    if not reading or not one.text:
        return one
    hint = reading.comment or (one.hint if reading.points is None else "")
    return dataclasses.replace(one, points=reading.points, hint=hint)


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
