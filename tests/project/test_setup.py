"""What the set-up says in several places is the same in all of them, and is what is installed."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


PROJECT = tomllib.loads(read("pyproject.toml"))["project"]
DECLARED = [
    requirement
    for lines in [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    for requirement in map(Requirement, lines)
    if requirement.name != PROJECT["name"]  # an extra that takes in another
]
HERE = [one for one in DECLARED if one.marker is None or one.marker.evaluate()]
LOCK = [Requirement(line) for line in read("constraints.txt").splitlines() if line[0] != "#"]
CUDA = re.compile(r"cuda-|nvidia-|triton")  # pinned by the torch wheel that wants them


def pinned(name: str) -> Version | None:
    """The version of a package that the lock gives to the Python and system running this."""
    for line in LOCK:
        here = line.marker is None or line.marker.evaluate()
        if here and canonicalize_name(line.name) == canonicalize_name(name):
            return Version(str(line.specifier).removeprefix("=="))
    return None


def installed(name: str) -> Version:
    """Without a local suffix: torch 2.13.0+cpu is torch 2.13.0."""
    return Version(Version(importlib.metadata.version(name)).public)


@pytest.mark.parametrize("requirement", HERE, ids=lambda requirement: requirement.name)
def test_what_is_declared_is_locked_and_installed(requirement):
    pin = pinned(requirement.name)
    assert pin, f"constraints.txt doesn't pin {requirement.name}: make lock"
    assert pin in requirement.specifier
    assert installed(requirement.name) == pin


def test_the_lock_is_complete():
    """Whatever the declared packages need, and those need in turn, is pinned too."""
    waiting, seen = list(HERE), set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, *requirement.extras) in seen or CUDA.match(name):
            continue
        seen.add((name, *requirement.extras))
        assert pinned(name), f"constraints.txt doesn't pin {name}: make lock"
        for line in importlib.metadata.requires(name) or []:
            needed = Requirement(line)
            if any(
                needed.marker is None or needed.marker.evaluate({"extra": extra})
                for extra in ["", *requirement.extras]
            ):
                waiting.append(needed)
    assert len(seen) > len(DECLARED)


def test_the_lock_holds_plain_versions_only():
    for line in LOCK:
        assert re.fullmatch(r"==[\w.]+", str(line.specifier)), f"{line} is not NAME==VERSION"
        assert line.url is None
        assert not CUDA.match(line.name), f"{line.name}: leave CUDA to the torch wheel"


def test_environment_yml_is_the_same_environment():
    environment = yaml.safe_load(read("environment.yml"))
    *conda, last = environment["dependencies"]
    assert last == {"pip": ["-c constraints.txt", "-e .[test]"]}
    python, pip = conda
    assert pip == "pip"
    assert SpecifierSet(python.removeprefix("python")) == SpecifierSet(PROJECT["requires-python"])


def would_type(*words: str) -> str:
    """What make would do for this in a clone where nothing is installed, without doing it."""
    dry = [
        "make",
        "--dry-run",
        "--always-make",
        "--no-print-directory",
        f"PYTHON={sys.executable}",
        *words,
    ]
    return subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_every_way_to_install_uses_the_lock_and_an_extra_that_there_is():
    pages = {name: read(name) for name in ("README.md", "TEACHING.md", "CONTRIBUTING.md")}
    makes = {f"make {name}": would_type(name) for name in ("lab", "grading", "site", "test")}
    for name, text in (pages | makes).items():
        found = re.findall(r"-c constraints\.txt \\?\s*-e (\S+)", text)
        for install in found:
            extra = re.fullmatch(r'"\.\[(.+)\]"', install)[1]
            assert extra in PROJECT["optional-dependencies"], f"{name}: {extra}"
            assert name.removeprefix("make ") in (name, extra)  # each brings what it is for
        assert found, name


def names_of_extra(extra: str) -> set[str]:
    """What it installs, with what it takes of other extras."""
    seen, waiting = set(), [extra]
    while waiting:
        for line in map(Requirement, PROJECT["optional-dependencies"][waiting.pop()]):
            if line.name == PROJECT["name"]:
                waiting += line.extras
            seen.add(line.name)
    return seen


@pytest.mark.parametrize("extra", sorted(PROJECT["optional-dependencies"]))
def test_what_finds_an_editable_install_is_asked_for_by_name(extra):
    """uv reads pyproject.toml, not what the builder would add to it; without it nothing is found
    from another folder, such as a reader's `work`.
    """
    assert "editables" in names_of_extra(extra)


def test_a_student_gets_nothing_of_a_teacher_s():
    """Nor does who installs the library get anything to draw with."""
    seen = names_of_extra("lab")
    assert "jupyterlab" in seen
    assert not seen & {"copydetect", "landlockpy", "pyseccomp", "pytest", "playwright"}
    library = {Requirement(line).name for line in PROJECT["dependencies"]}
    assert not library & {"matplotlib", "altair", "pillow", "jupyterlab", "ipython"}


# This Python, which says that it is another, and makes an environment of one file.
OTHER = """#!{python}
import pathlib, sys
sys.version_info = ({version}, 0)
if sys.argv[1] == "-c":
    exec(sys.argv[2])
if sys.argv[1:3] == ["-m", "venv"]:
    pathlib.Path(".venv/bin").mkdir(parents=True)
    pathlib.Path(".venv/bin/python").write_text("{version}")
"""


def program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no make")
@pytest.mark.parametrize("minor", range(9, 16))
def test_make_takes_the_pythons_that_pyproject_allows(tmp_path, minor):
    """By itself, where the first one that it meets is too old; and no other, though it is named."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    name = tmp_path / "bin" / f"python3.{minor}"
    program(name, OTHER.format(python=sys.executable, version=f"3, {minor}"))
    program(tmp_path / "bin" / "python3", OTHER.format(python=sys.executable, version="3, 8"))
    allowed = f"3.{minor}.0" in SpecifierSet(PROJECT["requires-python"])
    path = os.pathsep.join([str(name.parent), os.defpath])  # not the others that are here
    command = ["make", ".venv/bin/python", "UV=", *([] if allowed else [f"PYTHON={name}"])]
    run = subprocess.run(command, cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True)
    made = tmp_path / ".venv" / "bin" / "python"
    if allowed:
        assert made.read_text() == f"3, {minor}", run.stderr
    else:
        assert run.returncode and not made.exists() and "This needs Python 3.1" in run.stderr
    classifier = f"Programming Language :: Python :: 3.{minor}"
    assert (classifier in PROJECT["classifiers"]) == allowed


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no bash")
def test_continuous_integration_runs_what_the_readme_says(tmp_path):
    program(tmp_path / "bin" / "make", '#!/bin/sh\necho "in $PWD: make $*"\nexit 7\n')
    path = os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]])
    run = subprocess.run(
        ["bash", ROOT / ".ci/run"], cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True
    )
    assert (run.returncode, run.stdout) == (7, f"in {ROOT}: make test\n"), run.stderr
    assert "\nmake test\n" in read("README.md")


def test_every_way_to_open_the_notebooks_is_the_same():
    """With make, on Windows and with conda."""
    readme = read("README.md")
    assert would_type("lab").endswith("\n.venv/bin/python tools/start_jupyterlab.py\n")
    assert "\n.venv\\Scripts\\python tools\\start_jupyterlab.py\n" in readme
    assert "\npython tools/start_jupyterlab.py\n" in readme
    assert "-m jupyterlab" not in readme


def test_make_alone_explains_every_target():
    run = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    explained = re.findall(r"^make (\w+)", run.stdout, re.MULTILINE)
    known = ["make", "--print-data-base", "--question", "help"]
    told = subprocess.run(known, cwd=ROOT, capture_output=True, text=True).stdout
    phony = re.search(r"^\.PHONY: help (.+)$", told, re.MULTILINE)[1].split()
    assert explained == phony
    for target in explained:
        assert would_type(target), target


def test_the_citation_is_complete_and_current():
    citation = yaml.safe_load(read("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["version"] == PROJECT["version"]
    assert citation["authors"] == PROJECT["authors"]


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_style(command):
    """`ruff check --fix .` and `ruff format .` mend nearly all of it."""
    ruff = [sys.executable, "-m", "ruff", *command, "--no-cache", "."]
    run = subprocess.run(ruff, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_line_escapes_the_formatter():
    escape = re.compile(r"# fm[t]: *(?:skip|off)")
    files = [
        path
        for folder in ("transformer_lib", "course", "tests", "tools", "benchmarks", "from_scratch")
        for path in (ROOT / folder).rglob("*.py")
    ]
    assert len(files) > 500 and escape.search("x = 1  # fmt" + ": skip")
    assert not [path for path in files if escape.search(path.read_text(encoding="utf-8"))]
