"""The paper for a journal of open education: what it cites is listed, what it says holds."""

import math
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


PAPER = read("docs/paper/paper.md")
_, HEAD, BODY = PAPER.split("---\n", 2)
ENTRIES = {
    key: dict(re.findall(r"^  (\w+)\s*= \{(.*)\},?$", text, re.M))
    for key, text in re.findall(
        r"^@\w+\{(\w+),\n(.*?)^\}$", read("docs/paper/paper.bib"), re.M | re.S
    )
}


def test_what_is_cited_is_listed_and_what_is_listed_is_cited():
    assert set(re.findall(r"@(\w+)", BODY)) == set(ENTRIES)


def test_what_it_says_of_the_course_is_so():
    words = "no one two three four five six seven eight nine ten eleven twelve".split()
    assignments = list((ROOT / "course/assignments").glob("*.ipynb"))
    if assignments:
        assert f"{words[len(assignments)]} assignments" in " ".join(BODY.split())
    plans = "plans for five, eight and twelve weeks"
    assert plans in BODY and plans in read("docs/teaching.md")
    for file in re.findall(r"`([\w/]+\.md)`", BODY):
        assert (ROOT / file).exists(), file
    training = next((ROOT / "notebooks").glob("*_training.ipynb"))
    assert training.name[:2] == "10" and "Training comes tenth" in BODY


def test_what_the_study_says_of_thirty_students_is_arithmetic():
    """McNemar's exact test: of those whose answer changed, how many changed for the better."""
    study = " ".join(read("docs/classroom-study.md").split())
    assert "With thirty students a rise from 50 % to 80 % on a question shows" in study

    def p(better: int, worse: int) -> float:
        changed = better + worse
        tail = sum(math.comb(changed, k) for k in range(better, changed + 1))
        return min(1.0, 2 * tail / 2**changed)

    risen = [(9 + worse, worse) for worse in range(3)]  # 15 of 30 -> 24 of 30
    assert all(p(*change) < 0.05 for change in risen)
    small = [(3 + worse, worse) for worse in range(7)]  # 15 -> 18
    assert all(p(*change) > 0.05 for change in small)
