"""The paper for a journal of open education: what it cites is listed."""

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
