"""What the set-up says in several places is the same in all of them, and is what is installed."""

import importlib.metadata
import re
import sys
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.here import outcome, read

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


def brought_by(requirements: list[Requirement]) -> set[str]:
    """These packages, and whatever they need in turn, by name."""
    waiting, seen = list(requirements), set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, *requirement.extras) in seen or CUDA.match(name):
            continue
        seen.add((name, *requirement.extras))
        for line in importlib.metadata.requires(name) or []:
            needed = Requirement(line)
            if any(
                needed.marker is None or needed.marker.evaluate({"extra": extra})
                for extra in ["", *requirement.extras]
            ):
                waiting.append(needed)
    return {name for name, *_ in seen}


def test_the_lock_is_complete():
    """Whatever the declared packages need, and those need in turn, is pinned too."""
    needed = brought_by(HERE)
    for name in needed:
        assert pinned(name), f"constraints.txt doesn't pin {name}: make lock"
    assert len(needed) > len({one.name for one in DECLARED})


def test_environment_yml_is_the_same_environment():
    environment = yaml.safe_load(read("environment.yml"))
    *conda, last = environment["dependencies"]
    assert last == {"pip": ["-c constraints.txt", "-e .[test]"]}
    python, pip = conda
    assert pip == "pip"
    assert SpecifierSet(python.removeprefix("python")) == SpecifierSet(PROJECT["requires-python"])


def names_of_extra(extra: str) -> set[str]:
    """What it installs, with what it takes of other extras."""
    seen, waiting = set(), [extra]
    while waiting:
        for line in map(Requirement, PROJECT["optional-dependencies"][waiting.pop()]):
            if line.name == PROJECT["name"]:
                waiting += line.extras
            seen.add(line.name)
    return seen


def test_a_student_gets_nothing_of_a_teacher_s():
    """Nor does who installs the library get anything to draw with."""
    seen = names_of_extra("lab")
    assert "jupyterlab" in seen
    assert not seen & {"copydetect", "pyseccomp", "pytest", "playwright"}
    library = {Requirement(line).name for line in PROJECT["dependencies"]}
    assert not library & {"matplotlib", "altair", "pillow", "jupyterlab", "ipython"}


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_style(command):
    """`ruff check --fix .` and `ruff format .` mend nearly all of it."""
    outcome(sys.executable, "-m", "ruff", *command, "--no-cache", ".")


# What each extra is for: a module that begins it.
BEGINS = {
    "lab": "course.reader",
    "grading": "course.grading.__main__",
    "site": "course.site.build",
}
# Imports a module while packages that an extra doesn't bring are out of reach.
IMPORT_WITHIN = """
import importlib, sys
from importlib.metadata import packages_distributions
module, *brought = sys.argv[1:]
of = packages_distributions()
class Refused:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in of and not any(one.lower().replace("_", "-") in brought for one in of[top]):
            raise ModuleNotFoundError(f"no extra brings {name}", name=name)
sys.meta_path.insert(0, Refused())
importlib.import_module(module)
"""


@pytest.mark.parametrize("extra", BEGINS)
def test_an_extra_brings_all_that_its_command_imports(extra):
    names = names_of_extra(extra) | {Requirement(one).name for one in PROJECT["dependencies"]}
    brought = brought_by([one for one in HERE if one.name in names]) | {PROJECT["name"]}
    outcome(sys.executable, "-c", IMPORT_WITHIN, BEGINS[extra], *sorted(brought))
