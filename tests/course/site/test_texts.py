"""What pages and laboratory say stands in two files: each text is used, and nothing is missing."""

import re
from pathlib import Path

import pytest

from course.lab.pages import HERE as LABORATORY
from course.lab.pages import all_texts
from course.site.build import HERE as SITE
from course.site.build import TEXTS


def read(folder: Path, *kinds: str) -> str:
    files = sorted(path for path in folder.rglob("*") if path.suffix in kinds)
    return "".join(path.read_text(encoding="utf-8") for path in files)


LAB, OURS = all_texts(), read(LABORATORY, ".js")
PLACES = {
    "the laboratory's page": (
        LAB["page"].keys() | {"language"},
        read(LABORATORY, ".html"),
        r"{{(\w+)}}",
    ),
    "its scripts": (LAB["scripts"], OURS, r'(?<!\w)say\((?:[\w.]+ \? )?"(\w+)"(?: : "(\w+)")?'),
    "its refusals": (LAB["input"], OURS, r'refusal\((?:.*? \? )?"(\w+)"(?: : "(\w+)")?'),
    "the pages' scripts": (
        TEXTS["scripts"],
        read(SITE / "static", ".js"),
        r'siteText\((?:[\w.]+ \? )?"(\w+)"(?: : "(\w+)")?',
    ),
}


@pytest.mark.parametrize("texts, used, pattern", PLACES.values(), ids=PLACES)
def test_each_text_is_said_somewhere_and_none_is_missing(texts, used, pattern):
    found = {
        name
        for names in re.findall(pattern, used)
        for name in ([names] if isinstance(names, str) else names)
    }
    assert found - {""} == set(texts)


def test_each_step_of_the_tour_has_its_words():
    tour = (LABORATORY / "tour.js").read_text(encoding="utf-8")
    assert len(LAB["tour"]) == tour.count(" state: {")
    asked = [step for step in LAB["tour"] if "done" in step]
    assert len(asked) == tour.count(" change: {")


def test_each_text_of_the_pages_is_in_a_template():
    """A template that asks for another one fails when the site is made."""
    used = read(SITE / "templates", ".html") + read(SITE, ".py")
    for part in set(TEXTS) - {"titles", "descriptions", "scripts", "language", "name", "name_more"}:
        for name in TEXTS[part]:
            asked = (f"t.{part}.{name}", f'TEXTS["{part}"]["{name}"]', f'SAID["{name}"]')
            assert any(one in used for one in asked) or part == "laboratories", f"{part}.{name}"
