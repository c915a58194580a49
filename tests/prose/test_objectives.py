"""Each objective is asked somewhere: by an exercise, a question, an assignment, the quiz."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from course.chapters.ch13_what_heads_learned import quiz
from tests.here import ROOT, read

PAGE = read("docs/objectives.md")
NOTEBOOKS = {
    path.name.partition("_")[0]: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
}
ASSIGNMENTS = {
    path.name.partition("_")[0]: path for path in (ROOT / "course/assignments").glob("*.ipynb")
}
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
    """The exercises that have a check, and the parts of a Transformer of the reader's own."""
    code = "\n".join(source for kind, source, _ in cells(path) if kind == "code")
    parts = " ".join(re.findall(r"\bmine\.check\(([\w, ]+)\)", code))
    return {*re.findall(r"\bcheck\.(\w+)\(", code), *re.findall(r"\w+", parts)}


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


@pytest.mark.skipif(not ASSIGNMENTS, reason="there is no coursework here")
def test_each_exercise_of_an_assignment_serves_an_objective():
    """The other way round: no points for what isn't an objective."""
    named = set(re.findall(r"assignment (\d+): `([\w-]+)`", PAGE))
    there = {(number, name) for number in ASSIGNMENTS for name in exercises(ASSIGNMENTS[number])}
    assert not there - named, "these serve no objective in docs/objectives.md"
