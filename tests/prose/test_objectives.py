"""Each objective is asked somewhere: by an exercise, a question, an assignment, the quiz."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from course.chapters.ch13_what_heads_learned import quiz

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/objectives.md").read_text(encoding="utf-8")
NOTEBOOKS = {
    path.name.partition("_")[0]: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
}
ASSIGNMENTS = {
    path.name.partition("_")[0]: path for path in (ROOT / "course/assignments").glob("*.ipynb")
}
NOTHING_ASKED = {"a2"}  # an appendix to look things up in
SECTIONS = dict(re.findall(r"^## (\w\w) · .*\n((?:(?!## ).*\n?)*)", PAGE, re.M))
ROW = re.compile(r"^\| (?!objective|---)(.+?) \| (.+?) \|$", re.M)
OBJECTIVES = [
    pytest.param(number, said, where, id=f"{number}: {said}")
    for number, text in SECTIONS.items()
    for said, where in ROW.findall(text)
]


@cache
def cells(path: Path) -> list[tuple[str, str, dict]]:
    """(kind, source, metadata) of each."""
    told = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [(cell["cell_type"], "".join(cell["source"]), cell["metadata"]) for cell in told]


def predictions(path: Path) -> set[str]:
    """The numbers of the sections with a question to the reader."""
    section, found = "", set()
    for kind, source, _ in cells(path):
        if kind == "markdown":
            for heading in re.findall(r"^## (.+)$", source, re.M):
                section = heading.partition(".")[0]
            if "**Predict" in source:
                found.add(section)
    return found


def checks(path: Path) -> set[str]:
    return {
        name
        for kind, source, _ in cells(path)
        if kind == "code"
        for name in re.findall(r"\bcheck\.(\w+)\(", source)
    }


def exercises(path: Path) -> set[str]:
    marked = [metadata.get("nbgrader", {}) for _, _, metadata in cells(path)]
    return {mark["grade_id"].removeprefix("check-") for mark in marked if mark.get("grade")}


def is_asked(number: str, where: str) -> bool:
    """where: one place of the column "asked by", such as `shapes` or assignment 3: `leaks`."""
    if told := re.fullmatch(r"assignment (\d+): `([\w-]+)`", where):
        return told[2] in exercises(ASSIGNMENTS[told[1]])
    if told := re.fullmatch(r"`(\w+)`", where):
        return told[1] in checks(NOTEBOOKS[number])
    if told := re.fullmatch(r"predict (\d+)", where):
        return told[1] in predictions(NOTEBOOKS[number])
    if told := re.fullmatch(r"quiz (\d+)", where):
        question = int(told[1])
        return question <= len(quiz.QUESTIONS) and number in quiz.QUESTIONS[question - 1].reread
    return False


@pytest.mark.parametrize("number, said, where", OBJECTIVES)
def test_an_objective_is_asked_where_it_says(number, said, where):
    if not ASSIGNMENTS:  # the students' zip leaves them out
        where = re.sub(r"(, )?assignment \d+: `[\w-]+`", "", where).removeprefix(", ")
    for place in filter(None, where.split(", ")):
        assert is_asked(number, place), f"{number}, {said} {place} isn't there"


@pytest.mark.parametrize("number", NOTEBOOKS)
def test_each_notebook_has_objectives(number):
    assert number in SECTIONS, f"docs/objectives.md has none for notebook {number}: give it some"
    rows = ROW.findall(SECTIONS[number])
    if number in NOTHING_ASKED:
        assert not rows and not checks(NOTEBOOKS[number]), number
    else:
        assert 3 <= len(rows) <= 6
        assert len({said for said, _ in rows}) == len(rows)


def test_no_section_is_left_of_a_notebook_that_is_gone():
    assert set(SECTIONS) <= set(NOTEBOOKS)


@pytest.mark.skipif(not ASSIGNMENTS, reason="there is no coursework here")
def test_each_exercise_of_an_assignment_serves_an_objective():
    """The other way round: no points for what isn't an objective."""
    named = set(re.findall(r"assignment (\d+): `([\w-]+)`", PAGE))
    there = {(number, name) for number in ASSIGNMENTS for name in exercises(ASSIGNMENTS[number])}
    assert not there - named, "these serve no objective in docs/objectives.md"


def test_places_that_are_not_there_are_seen():
    """The test of these tests."""
    assert is_asked("04", "`my_attention`") and not is_asked("04", "`my_transformer`")
    assert is_asked("04", "predict 6") and not is_asked("04", "predict 4")
    assert is_asked("08", "quiz 5") and not is_asked("07", "quiz 5")
    assert not is_asked("08", "quiz 9") and not is_asked("04", "somewhere")
    if ASSIGNMENTS:
        assert is_asked("04", "assignment 2: `why-the-root`")
        assert not is_asked("04", "assignment 3: `why-the-root`")


def test_the_six_stand_in_the_paper_too():
    numbered = re.compile(r"^\d\. (?:.+\n?)(?:   .+\n?)*", re.M)

    def six(text: str) -> list[str]:
        found = [" ".join(item.split()).lower() for item in numbered.findall(text)]
        return [re.sub(r"^\d\. | \(\d[^)]*\)|[.;]$", "", item).rstrip(".;") for item in found]

    paper = (ROOT / "paper/paper.md").read_text(encoding="utf-8")
    assert len(six(PAGE)) == 6 and six(PAGE) == six(paper)
