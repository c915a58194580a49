"""The paper for a journal of open education: what it cites is listed."""

import re

from tests.here import read


def test_what_is_cited_is_listed_and_what_is_listed_is_cited():
    _, _, body = read("docs/paper/paper.md").split("---\n", 2)
    listed = re.findall(r"^@\w+\{(\w+),", read("docs/paper/paper.bib"), re.M)
    assert set(re.findall(r"@(\w+)", body)) == set(listed)
