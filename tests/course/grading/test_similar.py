"""Work that is alike is found whatever was renamed, and honest work isn't mixed up with it."""

import csv
import importlib
import re

import pytest

from course.grading.__main__ import main
from course.grading.assignment_files import assignment, assignments, text
from course.grading.collect import collect
from course.grading.similar import MOST, compare
from tests.course.grading.classroom import filled_in, hand_in, solutions

SOURCES = assignments()
WORDS = [
    "The largest weight grows from 0.5 to 0.97, because the scores spread as d_k grows.",
    "Without the root the softmax becomes a maximum: I saw 0.99 for the first word at once.",
    "It goes up a lot, up to one, since products of sixteen numbers are larger than of two.",
    "I had expected less. The weights were 0.2 and 0.8, later 0.01 and 0.99, so it matters.",
    "Variance is d_k, so we divide by its root; then the gradient does not vanish any more.",
]


def honest(source, seed):
    """A notebook with some of the right and wrong answers that the tests know, each its own."""
    lists = importlib.import_module(f"tests.course.grading.attempts_{source.number}")
    answers = {}
    for name in solutions(source):
        ways = [*lists.RIGHT.get(name, ()), *(one.code for one in lists.WRONG.get(name, ()))]
        if ways:
            answers[name] = ways[(seed * len(ways) // 5) % len(ways)]
    written = {one.name for one in source.exercises if one.kind == "explain"}
    return filled_in(source, answers | dict.fromkeys(written, WORDS[seed]))


def renamed(notebook):
    """A copy whose author renamed what could be renamed, and put the words differently."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            code = re.sub(r"\b(scores|query|key|vectors|model)\b", r"the_\1_of_mine", text(cell))
            cell["source"] = "# My own work\n" + code.replace(" = ", "=")
        elif text(cell) in WORDS:
            cell["source"] = "Nothing of what they said."
    return notebook


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.file)
def test_a_copy_is_the_most_alike(tmp_path, source):
    for seed in range(5):
        hand_in(tmp_path / f"{seed}.ipynb", honest(source, seed))
    hand_in(tmp_path / "copy.ipynb", renamed(honest(source, 0)))
    first, second, *_ = compare(source, collect(tmp_path, source).submissions)
    assert (first.first.student, first.second.student) == ("0", "copy")
    assert first.code > 0.9 and first.words == 0 and first.code > second.most


def test_words_that_are_alike(tmp_path):
    source = assignment(2)
    for seed in range(5):
        hand_in(tmp_path / f"{seed}.ipynb", honest(source, seed))
    copy = {"why-the-root": f"Well! {WORDS[3].upper()}"}
    hand_in(tmp_path / "copy.ipynb", filled_in(source, copy))
    first, *_ = compare(source, collect(tmp_path, source).submissions)
    assert {first.first.student, first.second.student} == {"3", "copy"} and first.words > 0.8


def test_what_was_handed_out_and_what_is_right_does_not_count(tmp_path):
    source = assignment(2)
    for student, words in (("ana", WORDS[0]), ("ben", WORDS[1])):
        answers = solutions(source) | {"why-the-root": words}
        hand_in(tmp_path / f"{student}.ipynb", filled_in(source, answers))
    (pair,) = compare(source, collect(tmp_path, source).submissions)
    assert (pair.code, pair.words) == (0, 0)


def test_the_report(tmp_path, capsys):
    source, folder, out = assignment(2), tmp_path / "in", tmp_path / "out"
    for seed in range(3):
        hand_in(folder / f"{seed}.ipynb", honest(source, seed))
    harm = {"my_weights": "def my_weights(query, key):\n    return '<script>', [x for x in query]"}
    for student in ("=x", "y"):
        hand_in(folder / f"{student}.ipynb", filled_in(source, harm))
    (folder / "scan.ipynb").write_text("no notebook")
    assert main(["similar", "2", str(folder), "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "Pairs compared: 10," in told
    assert "Not compared, as there is nothing to read: scan\n" in told
    page = (out / "similar.html").read_text(encoding="utf-8")
    assert MOST == 10 and 1 <= page.count("<h2>") <= 10  # as the guide says
    assert "never a grade" in page and "=x and y" in page
    assert "Not compared, as there is nothing to read: scan." in page
    assert ";;" not in page
    assert "<mark>" in page and "&lt;script&gt;" in page and "<script" not in page
    with (out / "similar.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 10 and rows[0]["first"] == "'=x"
