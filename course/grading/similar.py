"""Notebooks that are suspiciously alike: a hint to look, never a grade.

The comparison is copydetect's: it finds the runs of code that two have in common, whatever the
names, strings, comments and spaces in them (winnowing: Schleimer, Wilkerson and Aiken, 2003). What
was handed out doesn't count, and neither does what the assignment's own solution has: whoever is
right often writes the same ten lines.
"""

import dataclasses
import io
import itertools
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from course.grading.assignment_files import Assignment, grade_id, plain, student_version, text
from course.grading.collect import Submission
from course.grading.grade import Unreadable, read_submission
from course.grading.report import write_page
from course.grading.tables import write_table

RUN = 25  # characters of the shortest run that counts; in code, a name is one character
BETWEEN = RUN * ";"  # between cells: no run goes from one to the next
# Characters that are compared: it takes a second for 20,000, and nobody writes so much.
OF_A_CELL, OF_A_NOTEBOOK = 10_000, 40_000
MOST = 10  # pairs that are shown side by side
COLUMNS = ("first", "second", "code", "words")


@dataclasses.dataclass(frozen=True)
class Work:
    """One student's code and answers in words, with copydetect's fingerprints of both."""

    student: str
    code: Any
    words: Any


@dataclasses.dataclass(frozen=True)
class Pair:
    """code, words: how much two students' work overlaps, 0 to 1, the mean of both directions."""

    first: Work
    second: Work
    code: float
    words: float

    @property
    def most(self) -> float:
        return max(self.code, self.words)

    def side_by_side(self) -> tuple[Markup, Markup]:
        """The code of both, with what they have in common marked."""
        from copydetect.detector import compare_files
        from copydetect.utils import highlight_overlap

        _, _, slices = compare_files(self.first.code, self.second.code)
        codes = []
        for work, part in zip((self.first, self.second), slices, strict=True):
            code = work.code.raw_code if len(part) else ""
            if code:
                code, _ = highlight_overlap(code, part, "<mark>", "</mark>", escape_html=True)
            codes.append(Markup(re.sub(";;+", "", code)))  # what stood between cells
        return tuple(codes)


def write_similar(
    folder: Path, source: Assignment, submissions: Iterable[Submission]
) -> tuple[list[Pair], list[str]]:
    """Write similar.csv, with all pairs, and similar.html, with the most alike side by side.

    -> the pairs, and who couldn't be compared.
    """
    pairs, left_out = compare(source, submissions)
    write_table(
        folder / "similar.csv",
        COLUMNS,
        [
            (one.first.student, one.second.student, round(one.code, 2), round(one.words, 2))
            for one in pairs
        ],
    )
    usual = statistics.median(one.most for one in pairs) if pairs else 0.0
    write_page(
        folder / "similar.html",
        "similar.html",
        title=source.title,
        pairs=[one for one in pairs if one.most][:MOST],
        usual=usual,
        left_out=left_out,
    )
    return pairs, left_out


def compare(source: Assignment, submissions: Iterable[Submission]) -> tuple[list[Pair], list[str]]:
    """All pairs, the most alike first; and who is in none, because there is nothing to read."""
    handed_out, own = student_version(source)["cells"], source.notebook["cells"]
    code = fingerprint([text(cell) for cell in [*handed_out, *own] if cell["cell_type"] == "code"])
    words = fingerprint([text(cell) for cell in handed_out], words=True)
    works, left_out = [], []
    for one in submissions:
        try:
            cells = read_submission(one.path, source)
        except Unreadable:
            left_out.append(one.student)
            continue
        works.append(
            Work(
                one.student,
                fingerprint(written(cells, handed_out, "code"), known=code),
                fingerprint(written(cells, handed_out, "markdown"), known=words, words=True),
            )
        )
    pairs = [
        Pair(one, two, share(one.code, two.code), share(one.words, two.words))
        for one, two in itertools.combinations(works, 2)
    ]
    return sorted(pairs, key=lambda one: -one.most), left_out


def written(cells: Sequence[Mapping], handed_out: Sequence[Mapping], kind: str) -> list[str]:
    """The cells that differ from what was handed out, in order; the longest only in part."""
    given = {plain(text(cell)) for cell in handed_out}
    order = {grade_id(cell): number for number, cell in enumerate(handed_out) if grade_id(cell)}
    own = [
        cell
        for cell in cells
        if cell["cell_type"] == kind
        and plain(text(cell)) not in given
        and not grade_id(cell).startswith("check-")
    ]
    own.sort(key=lambda cell: order.get(grade_id(cell), len(order)))
    texts, left = [], OF_A_NOTEBOOK
    for cell in own:
        texts.append(text(cell)[: min(OF_A_CELL, left)])
        left -= len(texts[-1])
    return texts


def fingerprint(texts: Sequence[str], known: Any = None, words: bool = False) -> Any:
    """copydetect's fingerprint of these texts, without the runs of code that `known` has."""
    from copydetect import CodeFingerprint  # it imports matplotlib, which takes a second

    if words:
        texts = [re.sub(r"\W+", " ", one).casefold() for one in texts]
    between = f"\n{BETWEEN}\n"
    whole = io.StringIO(between + between.join(texts) + between)
    boilerplate = np.unique(list(known.hashes)) if known else ()
    return CodeFingerprint("notebook.py", RUN, 1, boilerplate, filter=not words, fp=whole)


def share(first: Any, second: Any) -> float:
    from copydetect.detector import compare_files

    if not (first.token_coverage and second.token_coverage):
        return 0.0
    _, shares, _ = compare_files(first, second)
    return float(min(sum(shares) / 2, 1))
