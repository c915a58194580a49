"""The paper for a journal of open education: what it cites is listed, what it says holds."""

import math
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


PAPER = read("paper/paper.md")
_, HEAD, BODY = PAPER.split("---\n", 2)
ENTRIES = {
    key: dict(re.findall(r"^  (\w+)\s*= \{(.*)\},?$", text, re.M))
    for key, text in re.findall(r"^@\w+\{(\w+),\n(.*?)^\}$", read("paper/paper.bib"), re.M | re.S)
}


def test_the_head_has_what_the_journal_asks_for():
    head = yaml.safe_load(HEAD)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(head)
    citation = yaml.safe_load(read("CITATION.cff"))
    assert [one["name"] for one in head["authors"]] == [one["name"] for one in citation["authors"]]
    assert (ROOT / "paper" / head["bibliography"]).exists()


def test_it_has_the_parts_of_the_checklist_and_is_short():
    headings = re.findall(r"^# (.+)$", BODY, re.M)
    assert headings == [
        "Summary",
        "Statement of need",
        "Audience and learning objectives",
        "The story of the project",
        "Content and instructional design",
        "How to adopt it",
        "Related work",
        "Experience of use",
        "Acknowledgements",
        "References",
    ]
    assert 1000 <= len(BODY.split()) <= 1500


def test_what_is_cited_is_listed_and_what_is_listed_is_cited():
    assert set(re.findall(r"@(\w+)", BODY)) == set(ENTRIES)


@pytest.mark.parametrize("key", ENTRIES)
def test_an_entry_can_be_found_by_a_reader(key):
    entry = ENTRIES[key]
    assert {"author", "title"} <= set(entry) and {"doi", "url"} & set(entry)
    if doi := entry.get("doi"):
        assert re.fullmatch(r"10\.\d{4,5}/\S+", doi)
    where = entry.get("url") or entry.get("journal", "")
    if found := re.search(r"(?:arXiv:|arxiv\.org/abs/)(.+)", where):
        assert entry["doi"] == f"10.48550/arXiv.{found[1]}"  # such a DOI is made of the number


def test_it_compares_itself_with_those_that_readers_know():
    related = " ".join(BODY[BODY.index("# Related work") : BODY.index("# Experience")].split())
    for name in (
        "The Illustrated Transformer",
        "The Annotated Transformer",
        "Dive into Deep Learning",
        "Build a Large Language Model (From Scratch)",
        "Transformer Explainer",
        "ARENA",
    ):
        assert f"*{name}*" in related


def test_what_it_says_of_the_course_is_so():
    words = "no one two three four five six seven eight nine ten eleven twelve".split()
    assignments = list((ROOT / "course/assignments").glob("*.ipynb"))
    if assignments:
        assert f"{words[len(assignments)]} assignments" in " ".join(BODY.split())
    plans = "plans for five, eight and twelve weeks"
    assert plans in BODY and plans in read("TEACHING.md")
    for file in re.findall(r"`([\w/]+\.md)`", BODY):
        assert (ROOT / file).exists(), file
    training = next((ROOT / "notebooks").glob("*_training.ipynb"))
    assert training.name[:2] == "10" and "Training comes tenth" in BODY


def test_it_claims_no_class():
    """Until somebody has used it: then this fails, and the paper says what came out."""
    assert "To our knowledge no class has used this course" in " ".join(BODY.split())
    assert "we know of no class" in read("docs/classroom-study.md")


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
