"""The output of grading: tables, a page for each student, and the answers to read."""

import dataclasses
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from pathlib import Path

import mistune
from jinja2 import Environment, FileSystemLoader
from latex2mathml.converter import convert
from markupsafe import Markup

from course.grading.assignment_files import Assignment
from course.grading.changes import COLUMNS, changes, memory, recall, remember
from course.grading.collect import Submission
from course.grading.grade import Result
from course.grading.manual_grades import (
    ADJUST,
    KEY,
    NOT_ADJUSTED,
    TOTAL,
    Adjustments,
    ManualGrades,
    adjust,
    merge,
    numbered,
    read_adjustments,
    read_key,
    read_manual_grades,
    write_manual_grades,
)
from course.grading.tables import separator_of, write_table
from transformer_lib.files import write_file

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "pages"),
    autoescape=True,  # names and answers come from outside
    trim_blocks=True,
)
GRADES = ("student", "exercise", "points", "of", "hint")
TOTALS = ("student", "machine", "person", "adjusted", "total", "of", "to read", "late", "id")
MATHML = "http://www.w3.org/1998/Math/MathML"
HARMLESS = set(  # attributes of a formula's elements
    "display stretchy fence form mathvariant accent columnalign displaystyle linethickness "
    "separator minsize maxsize".split()
)
LONGEST_FORMULA = 1000  # characters
LONGEST_NAME = 200  # bytes of a page's name: less than any system's limit


class Words(mistune.HTMLRenderer):
    """Markdown in which HTML is shown as text, and a picture is a link, so nothing is loaded."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if url.startswith("attachment:"):  # pasted into the cell: it stays in the notebook
            return f"<em>[a picture, see the notebook: {text or mistune.escape(url)}]</em>"
        return self.link(f"picture: {text or url}", url, title)


def as_formula(latex: str, display: str) -> str:
    """LaTeX as MathML, which browsers display by themselves; invalid LaTeX stays as it is."""
    try:
        if len(latex) > LONGEST_FORMULA:
            raise ValueError("too long a formula")
        formula = ET.fromstring(convert(latex.strip(), display=display))
        for part in formula.iter():
            if not re.fullmatch(rf"{{{MATHML}}}m\w+", part.tag):
                raise ValueError("an element from outside MathML")
            for name in set(part.attrib) - HARMLESS:  # such as href
                del part.attrib[name]
        ET.register_namespace("", MATHML)  # for all of ElementTree: somebody else may have
        return ET.tostring(formula, encoding="unicode")
    except Exception:  # of whatever kind: it comes from outside
        return mistune.escape(f"${latex}$")


RENDERER = Words(escape=True)
MARKDOWN = mistune.create_markdown(renderer=RENDERER, plugins=["table", "math"])
RENDERER.register("inline_math", lambda _, latex: as_formula(latex, "inline"))
RENDERER.register("block_math", lambda _, latex: as_formula(latex, "block"))


def as_html(words: str) -> Markup:
    try:
        return Markup(MARKDOWN(words))
    except Exception:  # Markdown that its reader can't take: as it is
        return Markup("<pre>{}</pre>").format(words)


TEMPLATES.filters["markdown"] = as_html


@dataclasses.dataclass(frozen=True)
class Total:
    """One student's points. unread: how many answers nobody has read; waiting: their points.

    adjusted: what the teacher added to the sum, for this reason. failed: the grader failed, so
    there are no points. page: the file in pages/.
    """

    submission: Submission
    results: tuple[Result, ...]
    machine: float
    person: float
    of: int
    unread: int
    waiting: int
    failed: bool
    page: str
    adjusted: float = 0.0
    reason: str = ""

    @property
    def points(self) -> float:
        return max(0.0, self.machine + self.person + self.adjusted)

    @property
    def unreadable(self) -> str:
        """The reason why nothing of the submission could be graded; "" if there is none."""
        hints = {one.hint for one in self.results}
        whole = len(self.results) > 1 and len(hints) == 1 and not self.points and not self.unread
        return hints.pop() if whole else ""


@dataclasses.dataclass(frozen=True)
class Report:
    """answers: how many in words; unread: those that nobody has read; notices: for the teacher."""

    totals: list[Total]
    answers: int
    unread: int
    notices: list[str]


def by_hand(
    folder: Path, source: Assignment, students: Sequence[str]
) -> tuple[dict[str, str], ManualGrades, Adjustments]:
    """What a person wrote: the key of a blind reading, to_read.csv and adjust.csv.

    Raises a TableError, naming all faulty lines, if it can't be used.
    """
    numbers = read_key(folder / "key.csv", students)
    grades = read_manual_grades(folder / "to_read.csv", source, students, numbers)
    return numbers, grades, read_adjustments(folder / "adjust.csv", source, students, numbers)


def write_report(
    folder: Path,
    source: Assignment,
    results: Sequence[Result],
    submissions: Iterable[Submission] = (),
    blind: int | None = None,
) -> Report:
    """Write all tables and pages of one grading.

    blind: a seed, if answers are to be read without names, in a shuffled order.
    """
    students = list(dict.fromkeys(one.student for one in results))
    known = {one.student: one for one in submissions}
    table, key = folder / "to_read.csv", folder / "key.csv"
    separator = separator_of(table)  # the others come as the teacher's own spreadsheet stores them
    appeals = folder / "adjust.csv"
    numbers, grades, adjustments = by_hand(folder, source, students)  # before anything is written
    notices = []
    if blind is not None:
        # Everybody has a number, also who is in the table alone and absent now.
        numbered_now = [*students, *(student for student, _ in grades)]
        numbers = numbered(numbered_now, numbers, blind)
        rows = sorted((number, student) for student, number in numbers.items())
        write_table(key, KEY, rows, separator)
    shown = {one: one if blind is None else numbers[one] for one in [*numbers, *students]}
    merged, rows, told_of = merge(results, grades, shown)
    if blind is not None:
        rows = dict(sorted(rows.items(), key=lambda row: shown.get(row[0][0], row[0][0])))
    write_manual_grades(table, rows, source, shown, separator)
    notices += [
        f"{table.name}, line {line}: {told_of[row]}"
        for line, row in enumerate(rows, start=2)
        if row in told_of
    ]

    if not adjustments:  # a teacher's own: with a row in it, it is only read
        write_table(appeals, ADJUST, [], separator)
    results, told = adjust(merged, adjustments)
    notices += [f"{appeals.name}, {sentence}" for sentence in told]
    totals = add_up(results, known, adjustments)
    write_grades(folder, totals, separator)
    before, now = recall(folder), memory(source, results, known, adjustments)
    changed = changes(before.students, now)
    pages = [total.page for total in totals]
    everything = remember(folder, before, now, changed, pages)
    write_table(folder / "changes.csv", COLUMNS, everything, separator)
    for page in set(before.pages) - set(pages):  # of somebody who is absent now
        (folder / "pages" / page).unlink(missing_ok=True)

    written = [one for one in results if one.text]
    texts = {one.name: [] for one in source.exercises if one.kind == "explain"}
    for one in sorted(written, key=lambda one: shown[one.student] if blind is not None else ""):
        texts[one.exercise].append((shown[one.student], one, rows[one.student, one.exercise]))
    explain = [(one, texts[one.name]) for one in source.exercises if one.name in texts]
    write_page(folder / "to_read.html", "to_read.html", title=source.title, exercises=explain)
    titles = {one.name: one.title for one in source.exercises}
    for total in totals:
        write_page(
            folder / "pages" / total.page,
            "student.html",
            title=source.title,
            titles=titles,
            total=total,
        )

    notices += [
        f"{one.submission.student}: {one.unreadable}"
        for one in totals
        if one.unreadable and not one.failed
    ]
    if blind is None and key.exists():
        notices.append(
            f"{table.name} shows the names again: {key.name} is from a blind reading, "
            "which goes on with --blind."
        )
    if changed:
        place = folder / "changes.csv"
        notices.append(f"Points that aren't what they were: {len(changed)}, in {place}")
    return Report(totals, len(written), sum(one.unread for one in totals), notices)


def add_up(
    results: Sequence[Result],
    known: dict[str, Submission],
    adjustments: Adjustments,
) -> list[Total]:
    """A total for each student, in order; page names differ even where case doesn't count."""
    rows: dict[str, list[Result]] = {}
    for one in results:
        rows.setdefault(one.student, []).append(one)
    totals, taken = [], set()
    for student, own in rows.items():
        read = [one for one in own if one.text]
        submission = known.get(student, Submission(student, Path()))
        adjustment = adjustments.get((student, TOTAL), NOT_ADJUSTED)
        totals.append(
            Total(
                submission,
                tuple(own),
                machine=sum(one.points or 0 for one in own if not one.text),
                person=sum(one.points or 0 for one in read),
                of=sum(one.of for one in own),
                unread=sum(one.points is None for one in read),
                waiting=sum(one.of for one in read if one.points is None),
                failed=any(one.points is None for one in own if not one.text),
                page=page_name(student, taken),
                adjusted=adjustment.points,
                reason=adjustment.reason,
            )
        )
    return totals


def page_name(student: str, taken: set[str]) -> str:
    """A file name in UTF-8, even if the student's file name isn't; it is added to `taken`."""
    stem = student.replace("/", "-").encode(errors="replace")[:LONGEST_NAME].decode(errors="ignore")
    name, again = stem, 1
    while (alike := unicodedata.normalize("NFC", name).casefold()) in taken:
        again += 1
        name = f"{stem}-{again}"
    taken.add(alike)
    return f"{name}.html"


def write_grades(folder: Path, totals: Sequence[Total], separator: str) -> None:
    """Write grades.csv, a row per exercise, and totals.csv, a row per student."""
    rows = []
    for total in totals:
        for number, one in enumerate(total.results):
            above = number > 0 and total.unreadable and not total.failed
            hint = "(as in the row above)" if above else one.hint
            rows.append((one.student, one.exercise, one.points, one.of, hint))
    write_table(folder / "grades.csv", GRADES, rows, separator)
    write_table(
        folder / "totals.csv",
        TOTALS,
        [
            (
                one.submission.student,
                *(4 * [""] if one.failed else [one.machine, one.person, one.adjusted, one.points]),
                one.of,
                one.unread,
                "late" if one.submission.late else "",
                one.submission.number,
            )
            for one in totals
        ],
        separator,
    )


def write_page(path: Path, template: str, **what) -> None:
    page = TEMPLATES.get_template(template).render(**what)
    write_file(path, page.encode("utf-8", errors="replace"))
