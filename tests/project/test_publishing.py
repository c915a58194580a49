"""What those look for first who adopt, review or carry on is there, and agrees with the rest."""

import json
import re
import tomllib
from pathlib import Path

import yaml
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

import transformer_lib
from course.site import licenses
from tests.here import read

ADDRESSES = """
repository-code: "https://git.example.org/someone/transformer"
url: https://transformer.example.org/
contact:
  - email: someone@example.org
"""


CITATION = yaml.safe_load(read("CITATION.cff"))


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
