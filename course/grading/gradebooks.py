"""A platform's own table, as a teacher downloads it, filled in to be uploaded again.

Moodle's grading worksheet (mod/assign/feedback/offline): `Identifier` ends in the student's number;
`Grade` and `Feedback comments` are filled in. `Last modified (grade)` stays as it is: by it Moodle
sees what somebody graded after the download, and leaves that alone.
Canvas's gradebook (lib/gradebook_exporter.rb): a column for each assignment, `Points Possible`
above the students, who have an `ID`; only the one column is filled in.
"""

import codecs
import csv
import dataclasses
import html
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from course.grading.archives import write_zip
from course.grading.assignment_files import Assignment
from course.grading.collect import Submission
from course.grading.report import Total
from course.grading.tables import TableError, decoded, separator_in
from transformer_lib.files import write_file

NOT_GIVEN = ("EX", "N/A")  # Canvas: excused; not assigned
NOBODY = "Student, Test"  # Canvas's own, in every gradebook
WHY = WAITING, FAILED, NOWHERE, NAMESAKE, ABSENT, LEFT_ALONE, REPLACED = (
    "No grade yet, as there are answers to read",
    "No grade yet, as the grader failed",
    "Not in {}",
    "In {} there is the name, but with another number or twice, so no grade was filled in",
    "Left as it was, as nothing of theirs was graded",
    "Left as it was",
    "Another grade stood there",
)


@dataclasses.dataclass
class Gradebook:
    """A platform's table: its header, and its rows. Cells that aren't filled in stay as they are.

    place: the column of grades. moodle: whether it is Moodle's; else it is Canvas's.
    """

    path: Path
    head: list[str]
    rows: list[list[str]]
    separator: str
    start: bytes  # the byte order mark, or nothing
    place: int = -1
    moodle: bool = False

    def cell(self, row: Sequence[str], column: str) -> str:
        return row[self.head.index(column)]

    def written(self) -> bytes:
        table = io.StringIO()
        csv.writer(table, delimiter=self.separator).writerows([self.head, *self.rows])
        return self.start + table.getvalue().encode()


def read_gradebook(path: Path, source: Assignment, column: str = "") -> Gradebook:
    """Read either platform's table. Raises TableError if it can't be filled in.

    column: the assignment's column in Canvas, if its title doesn't say which.
    """
    book = read_csv(path)
    if {"Identifier", "Grade", "Maximum Grade"} <= {name.title() for name in book.head}:
        return dataclasses.replace(book, place=book.head.index("Grade"), moodle=True)
    if "ID" in book.head and {"Student", "LastName"} & set(book.head):
        place = book.head.index(assignment_column(book, source, column))
        points_possible(book)
        return dataclasses.replace(book, place=place)
    raise TableError(
        f"{path} is neither Moodle's grading worksheet (Identifier, Grade, Maximum "
        "grade) nor Canvas's gradebook (Student, ID): download it again, with the "
        "platform in English"
    )


def read_csv(path: Path) -> Gradebook:
    raw = path.read_bytes()
    start = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    try:
        words = raw.decode("utf-8-sig")
        separator = separator_in(words)
        rows = list(csv.reader(io.StringIO(words, newline=""), delimiter=separator))
    except (UnicodeDecodeError, csv.Error):
        raise TableError(f"{path} is no CSV file in UTF-8: use it as it was downloaded") from None
    rows = [row for row in rows if row]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise TableError(f"{path} is no table: use it as it was downloaded")
    return Gradebook(path, rows[0], rows[1:], separator, start)


def fill_in(book: Gradebook, folder: Path, totals: Sequence[Total]) -> list[str]:
    """Write DIR/filled-NAME -> sentences that say what is in it.

    A grade is filled in once none of the student's answers is left to read, on the platform's
    scale: 8 of 16 points here are 50 of 100 there.
    """
    outcome = Outcome()
    (fill_in_moodle if book.moodle else fill_in_canvas)(book, totals, outcome)
    return outcome.written(book, folder)


# --- Moodle --------------------------------------------------------------------------------------


def fill_in_moodle(book: Gradebook, totals: Sequence[Total], outcome: "Outcome") -> None:
    columns = {name.title(): name for name in book.head}
    numbers = {
        re.search(r"\d*\s*$", book.cell(row, "Identifier"))[0].strip(): row for row in book.rows
    }
    name = columns.get("Full Name")
    outcome.people = [(book.cell(row, name), row) for row in book.rows] if name else []
    names = by_name(outcome.people)
    feedback = columns.get("Feedback Comments")
    for total in totals:
        row = row_of(total, numbers, names)
        # A group's number may be somebody's, too. (Moodle drops ' and : from folder names.)
        if row and name and letters(total.submission.name) != letters(book.cell(row, name)):
            row = None
        if outcome.can_be_graded(total, row):
            outcome.give(total, row, book, book.cell(row, columns["Maximum Grade"]))
            if feedback:
                row[book.head.index(feedback)] = as_comment(total)


def as_comment(total: Total) -> str:
    """Points and hints, line by line, as the HTML that Moodle's editor stores."""
    if total.unreadable:
        return html.escape(total.unreadable)
    lines = [
        f"{one.exercise}: {one.points:g} of {one.of}. {one.hint}".strip() for one in total.results
    ]
    if total.adjusted:
        lines.append(f"total: {total.adjusted:+g}. {total.reason}")
    return "<br>".join(map(html.escape, lines))


def write_feedback(folder: Path, totals: Sequence[Total]) -> Path:
    """Write feedback.zip, for *Upload multiple feedback files in a zip*: a page per student.

    The layout that Moodle 4.1 and later reads (mod/assign/feedback/file/importziplib.php): folders
    `Full name_ID_assignfeedback_file`.
    """
    files = {}
    for total in totals:
        if number := total.submission.number:
            name = re.sub(r'[_/\\:*?"<>|]', " ", total.submission.student)
            page = (folder / "pages" / total.page).read_bytes()
            files[f"{name}_{number}_assignfeedback_file/feedback.html"] = page
    return write_zip(folder / "feedback.zip", files)


# --- Canvas --------------------------------------------------------------------------------------


def points_possible(book: Gradebook) -> int:
    """The index of the row “Points Possible”, which the students' rows follow."""
    found = [place for place, row in enumerate(book.rows) if row[0].strip() == "Points Possible"]
    if len(found) != 1:
        raise TableError(f"{book.path} has no row “Points Possible”: use it as it was downloaded")
    return found[0]


def fill_in_canvas(book: Gradebook, totals: Sequence[Total], outcome: "Outcome") -> None:
    above = points_possible(book)
    largest, students = book.rows[above][book.place], book.rows[above + 1 :]
    numbers = {book.cell(row, "ID"): row for row in students}
    if "Student" in book.head:
        outcome.people = [(book.cell(row, "Student"), row) for row in students]
    else:
        outcome.people = [
            (f"{book.cell(row, 'LastName')}, {book.cell(row, 'FirstName')}", row)
            for row in students
        ]
    names = by_name(outcome.people)
    for total in totals:
        row = row_of(total, numbers, names)
        if outcome.can_be_graded(total, row):
            if (given := row[book.place].strip()) in NOT_GIVEN:
                outcome.told[LEFT_ALONE].append(f"{total.submission.student} ({given})")
            else:
                outcome.give(total, row, book, largest)


def assignment_column(book: Gradebook, source: Assignment, wanted: str) -> str:
    """The assignment's column: `Title (number)`, with a title that names this assignment."""
    titles = {name: re.sub(r" \(\d+\)$", "", name) for name in book.head}
    ours = {alike(title) for title in (source.title, source.title.split(": ")[-1], source.stem)}
    number = re.compile(rf"assignment 0*{source.number}\b")
    if wanted:
        found = [name for name, title in titles.items() if wanted in (name, title)]
    else:
        found = [
            name
            for name, title in titles.items()
            if number.match(alike(title)) or alike(title) in ours
        ]
    if len(found) != 1:
        listed = ", ".join(name for name in titles if re.search(r" \(\d+\)$", name))
        raise TableError(
            f"{book.path}: which column is assignment {source.number}? Name one "
            f"with --column: {listed}"
        )
    return found[0]


# --- both ----------------------------------------------------------------------------------------


@dataclasses.dataclass
class Outcome:
    """Whose grade was filled in, whose wasn't, and why. people: (name, row) of the table.

    told: what became of whom -> their names. found: the ids of the rows of those who handed in.
    """

    people: list[tuple[str, list]] = dataclasses.field(default_factory=list)
    filled: int = 0
    scale: str = ""
    found: set[int] = dataclasses.field(default_factory=set)
    told: dict[str, list[str]] = dataclasses.field(default_factory=lambda: {one: [] for one in WHY})

    def can_be_graded(self, total: Total, row: list[str] | None) -> bool:
        student = total.submission.student
        if row is None:
            name = alike(total.submission.name)
            there = any(name in spellings(one) for one, _ in self.people)
            self.told[NAMESAKE if there else NOWHERE].append(student)
            return False
        self.found.add(id(row))
        if total.failed or total.unread:
            self.told[FAILED if total.failed else WAITING].append(student)
            return False
        return True

    def give(self, total: Total, row: list[str], book: Gradebook, largest: str) -> None:
        """Fill in one grade. largest: the points that can be had on the platform."""
        try:
            most = float(largest.replace(",", "."))
        except ValueError:
            raise TableError(
                f"{book.path}: the largest grade is {largest!r}, no number: grade "
                "with points there, not with a scale"
            ) from None
        if most != total.of:
            self.scale = f"Points are scaled: {total.of} here are {most:g} there"
        grade = f"{round(total.points * most / total.of, 2):g}"
        before = row[book.place].strip()
        if before not in ("", grade):
            self.told[REPLACED].append(f"{total.submission.student} from {before} to {grade}")
        row[book.place] = grade
        self.filled += 1

    def written(self, book: Gradebook, folder: Path) -> list[str]:
        place = folder / f"filled-{book.path.name}"
        write_file(place, book.written())
        self.told[ABSENT] = [
            name for name, row in self.people if id(row) not in self.found and name != NOBODY
        ]
        told = [f"Grades filled in: {self.filled}, in {place}"]
        told += [self.scale] if self.scale else []
        return told + [
            f"{why.format(book.path.name)}: {', '.join(who)}"
            for why, who in self.told.items()
            if who
        ]


def row_of(total: Total, numbers: dict[str, list], names: dict[str, list]) -> list[str] | None:
    """The student's row: by the platform's number or, from a plain folder, by name."""
    if total.submission.number:
        return numbers.get(total.submission.number)
    return names.get(alike(total.submission.student))


def by_name(rows: Sequence[tuple[str, list]]) -> dict[str, list]:
    """name -> row, for unique names; "García, Ana" is also found as "Ana García"."""
    found: dict[str, list[list]] = {}
    for name, row in rows:
        for one in spellings(name):
            found.setdefault(one, []).append(row)
    return {name: rows[0] for name, rows in found.items() if len(rows) == 1}


def spellings(name: str) -> set[str]:
    last, _, first = name.partition(", ")
    return {alike(name), alike(f"{first} {last}")}


def missing(path: Path, submissions: Iterable[Submission]) -> list[str]:
    """Who is on a class list, and handed in nothing.

    path: a name in each line; or a table with a column `student`, `name` or `full name`, or with
    `first name` and `last name`, as both platforms' gradebooks have them.
    """
    here = Counter(letters(one.name) for one in submissions)
    absent = []
    for name in names_on(path):
        words = name.replace(",", " ").split()  # last or first names first, as Canvas joins them
        turned = (letters("".join(words[n:] + words[:n])) for n in range(len(words)))
        mine = next((one for one in turned if here[one] > 0), None)
        if mine is None:
            absent.append(name)
        else:
            here[mine] -= 1
    return absent


def names_on(path: Path) -> list[str]:
    words = decoded(path)
    rows = [
        row for row in csv.reader(words.splitlines(), delimiter=separator_in(words)) if any(row)
    ]
    head = [alike(cell) for cell in rows[0]] if rows else []
    columns = [head.index(one) for one in ("student", "name", "full name") if one in head][:1]
    if not columns and {"first name", "last name"} <= set(head):
        columns = [head.index("first name"), head.index("last name")]
    if columns:
        names = [" ".join(row[column].strip() for column in columns) for row in rows[1:]]
    elif len(head) > 2:
        raise TableError(f"{path} has no column with names: call it student in the first line")
    else:
        names = words.splitlines()
    return [name.strip() for name in names if name.strip() not in ("", "Points Possible", NOBODY)]


def letters(name: str) -> str:
    return re.sub(r"[\W_]", "", alike(name))


def alike(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())
