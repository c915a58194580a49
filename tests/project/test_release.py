"""`make release` and `make wheelhouse`, in parts: what disagrees is said, and not tagged."""

import shutil
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

import release
import wheelhouse

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = ("pyproject.toml", "CITATION.cff", "docs/CHANGELOG.md", "transformer_lib/__init__.py")


@pytest.fixture
def project(tmp_path):
    """A repository with what names the version, dated and committed."""
    for name in WRITTEN:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    log = tmp_path / "docs" / "CHANGELOG.md"
    log.write_text(log.read_text("utf-8").replace("- unreleased", "- 2026-12-01"), "utf-8")
    who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    release.git(tmp_path, "init", "--quiet")
    release.git(tmp_path, "add", ".")
    release.git(tmp_path, *who, "commit", "--quiet", "--message", "all")
    return tmp_path


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_project_agrees_with_itself():
    assert release.disagreements(release.told_versions()) == []
    assert len(release.told_versions()) == 4


@pytest.mark.parametrize("name", [name for name in WRITTEN if name != "pyproject.toml"])
def test_a_version_that_was_forgotten_is_named(project, name):
    right = release.told_versions(project)["pyproject.toml"]
    change(project / name, right, "0.0.9")
    (sentence,) = release.disagreements(release.told_versions(project))
    assert sentence.endswith(f"says 0.0.9, pyproject.toml {right}")
    assert sentence.split()[0] in name


def test_nothing_is_tagged_that_isn_t_ready(project):
    assert release.against_a_tag(project) == []
    change(project / "docs" / "CHANGELOG.md", "2026-12-01", "unreleased")
    assert release.against_a_tag(project) == [
        "docs/CHANGELOG.md says unreleased: date it",
        "not everything is committed",
    ]
    release.git(project, "checkout", "--quiet", ".")
    version = release.told_versions(project)["pyproject.toml"]
    release.git(project, "tag", f"v{version}")
    assert release.against_a_tag(project) == [f"there is a tag v{version} already"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A release with stand-ins for what takes minutes: (dist, site, version)."""
    dist, site = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("site")
    list(WheelBuilder(str(ROOT)).build(directory=str(dist), versions=["standard"]))
    list(SdistBuilder(str(ROOT)).build(directory=str(dist)))
    version = release.told_versions()["pyproject.toml"]
    for name in release.parts(version)[2:]:
        (dist / name).write_bytes(b"made by another test")
    (site / "about.html").write_text(f"<cite>Title</cite>. Version {version}. <a>", "utf-8")
    (site / "book.html").write_text(f"<p>Somebody · version {version}</p>", "utf-8")
    return dist, site, version


def test_what_was_built_agrees(built):
    dist, site, version = built
    versions = release.built_versions(dist, site)
    assert len(versions) == 5 and set(versions.values()) == {version}
    assert release.missing(dist, version) == []


# --- a class without a network --------------------------------------------------------------------


def test_a_wheelhouse_is_fetched_at_the_versions_of_the_lock(tmp_path):
    (fetch,) = wheelhouse.commands("python", tmp_path, "lab")
    assert fetch[fetch.index("--constraint") + 1] == str(ROOT / "constraints.txt")
    assert f"{ROOT}[lab]" in fetch
    first, fetch = wheelhouse.commands("python", tmp_path, "test", "https://example.org/cpu")
    assert first[-1] == "torch" and "https://example.org/cpu" in first
    assert fetch[fetch.index("--find-links") + 1] == str(tmp_path)  # the one that is there
