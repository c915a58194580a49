"""What those look for first who adopt, review or carry on is there, and agrees with the rest."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

import transformer_lib
from course.site import licenses

ROOT = Path(__file__).resolve().parents[2]
ADDRESSES = """
repository-code: "https://git.example.org/someone/transformer"
url: https://transformer.example.org/
contact:
  - email: someone@example.org
"""


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


CITATION = yaml.safe_load(read("CITATION.cff"))
# The pages of this list that a visitor opens first, and where GitHub looks for them.
FIRST = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/CODE_OF_CONDUCT.md",
    "docs/SECURITY.md",
    "docs/CHANGELOG.md",
    "LICENSE",
    ".github/pull_request_template.md",
)


def test_the_version_is_the_same_wherever_it_stands():
    project = tomllib.loads(read("pyproject.toml"))["project"]
    changelog = re.search(
        r"^## \[(.+?)\] - (unreleased|\d{4}-\d\d-\d\d)$", read("docs/CHANGELOG.md"), re.M
    )
    assert changelog[1] == project["version"] == CITATION["version"] == transformer_lib.__version__


def metadata(folder: Path, cff: str) -> ProjectMetadata:
    """What a wheel of a project with this citation would say of itself."""
    (folder / "tools").mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "tools/hatch_build.py"):
        (folder / name).write_text(read(name), encoding="utf-8")
    (folder / "LICENSES").mkdir()
    (folder / "LICENSES" / "MIT.txt").write_text("")
    (folder / "CITATION.cff").write_text(cff, encoding="utf-8")
    return ProjectMetadata(str(folder), PluginManager())


def test_the_wheel_has_the_addresses_that_the_citation_has(tmp_path):
    repository = "https://git.example.org/someone/transformer"
    without = re.sub(r"^(repository-code|url):.*\n", "", read("CITATION.cff"), flags=re.M)
    assert metadata(tmp_path, without + ADDRESSES).core.urls == {
        "Homepage": "https://transformer.example.org/",
        "Repository": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/HEAD/docs/CHANGELOG.md",
    }


def test_zenodo_is_told_what_the_citation_says():
    told = json.loads(read(".zenodo.json"))
    assert told["title"] == CITATION["title"]
    assert [one["name"] for one in told["creators"]] == [one["name"] for one in CITATION["authors"]]
    assert told["keywords"] == CITATION["keywords"]
    assert told["license"] == licenses.identifier("transformer_lib/__init__.py")
    assert CITATION["license"] == licenses.by_kind()["code"]
    for spoken in licenses.by_kind().values():
        assert spoken in told["notes"]
    assert "tatoeba.org" in told["notes"] and "manythings.org/anki" in told["notes"]


PAGES = (*FIRST, *(p.relative_to(ROOT).as_posix() for p in sorted((ROOT / "docs").rglob("*.md"))))


@pytest.mark.parametrize("page", [page for page in PAGES if page.endswith(".md")])
def test_links_of_a_page_lead_somewhere(page):
    for text, target in re.findall(r"\[([^]]*)\]\(([^)\s]+)\)", read(page)):
        if re.match(r"https?:|mailto:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (ROOT / page).parent / name if name else ROOT / page
        assert file.exists(), f"{page}: {text} leads to {target}"
        if anchor and file.suffix == ".md":
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.M)
            assert anchor in {slug(heading) for heading in headings}, f"{page}: {target}"


def slug(heading: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
