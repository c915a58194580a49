"""Every command that the documents name is run as a user runs it, or its text is read.

In a clone, in processes that see PATH, HOME and LANG and nothing of what makes the tests fast. By
day each story once: as whoever runs the tests, and what rights could stop as an ordinary user where
that is root. By night all of them as both.
"""

import json
import os
import re
import shlex
import sys

import pytest

from tests.here import ROOT, read
from tests.users.documents import all_commands
from tests.users.place import ORDINARY, Place
from tests.users.tables import BY_NIGHT, STORIES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="types into bash")
ROOT_HERE = hasattr(os, "getuid") and os.getuid() == 0
TEACHES = (ROOT / "course/grading").is_dir()  # the students' zip leaves it out
AS = {"as I am": None} | ({"as an ordinary user": ORDINARY} if ROOT_HERE else {})
# What needs rights that root has and others don't: by day an ordinary user types it.
NEEDS_RIGHTS = {"translates", "teaches"}


def told() -> list:
    """Each story and who types it; what takes long, or was typed already, is for the night."""
    night = pytest.mark.nightly
    found = []
    for stories, long in ((STORIES, False), (BY_NIGHT, True)):
        for story in stories:
            for who in AS:
                ordinary = ROOT_HERE and story in NEEDS_RIGHTS
                late = long or ordinary != (AS[who] is not None)
                marks = [night] * late
                if "teaches" in story and not TEACHES:
                    marks.append(pytest.mark.skip("there is no coursework here"))
                found.append(
                    pytest.param(stories[story], AS[who], id=f"{story}, {who}", marks=marks)
                )
    return found


@pytest.mark.parametrize("story, user", told())
def test_a_user_types_it(story, user):
    place = Place(user, inside=any(" grade " in line.command for line in story))
    try:
        for line in story:
            typed = line.command
            for name, filled in line.fills.items():
                typed = typed.replace(name, filled)
            if line.first:
                status, said = place.type(line.first)
                assert status == 0, f"{line.first}\n{said}"
            status, said = place.type(f"{typed} {line.more}".strip(), timeout=1200)
            assert status == line.status, f"{typed}\n{said}"
            assert line.says in said, f"{typed}\n{said}"
            assert "Traceback" not in said, f"{typed}\n{said}"
            if line.writes:
                assert (place.clone / line.writes).exists(), f"{typed}: no {line.writes}\n{said}"
    finally:
        place.remove()


# --- what isn't run is read -----------------------------------------------------------------------


def test_every_command_of_the_documents_would_be_understood():
    """Those that no story types: each is read by the parser that it is for, or is a file here."""
    from course.cli import parser as of_course
    from course.experiments import EXPERIMENTS
    from transformer_lib.cli import parser

    parsers = {"transformer_lib": parser, "course": of_course}
    if TEACHES:
        from course.grading.__main__ import parser as of_grading

        parsers["course.grading"] = of_grading
    commands = all_commands()
    assert (
        "notebooks/12_translation.ipynb"
        in commands["python -m transformer_lib translate < english.txt"]
    )
    stories = [*STORIES.values(), *BY_NIGHT.values()]
    typed = {line.command for story in stories for line in story}
    targets = " ".join(re.findall(r"^([a-z ]+):", read("Makefile"), re.MULTILINE)).split()
    for command, pages in commands.items():
        words = shlex.split(command.replace("\\", "/"))
        module = words[words.index("-m") + 1] if "-m" in words else ""
        if command in typed or words[0] in ("docker", "conda", "git", "py"):
            continue
        if words[0] == "experiment":
            assert words[1] in EXPERIMENTS, f"{pages}: {command}"
        elif words[0] == "make":
            assert words[1] in targets, f"{pages}: {command}"
        elif module in parsers:
            parsers[module]().parse_args(words[words.index(module) + 1 :])
        elif len(words) > 1 and words[1].endswith(".py"):
            assert (ROOT / words[1]).is_file(), f"{pages}: {command}"


# --- what a user's process sees -------------------------------------------------------------------

LOOK = """python - <<'END'
import json, os, sys, torch
print(json.dumps({"names": sorted(os.environ),
                  "blocked": [name for name, module in sys.modules.items() if module is None],
                  "modules": sorted(sys.modules), "home": os.path.expanduser("~"),
                  "user": os.getuid(), "from": __import__("transformer_lib").__file__,
                  "groups": os.getgroups()}))
END"""
OF_BASH = set("PATH HOME LANG PWD OLDPWD SHLVL _ PS1 VIRTUAL_ENV VIRTUAL_ENV_PROMPT".split())


@pytest.mark.parametrize("who", AS)
def test_nothing_of_the_tests_reaches_a_user(who, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("MADE_BY_A_TEST", "yes")
    place = Place(AS[who])
    try:
        status, said = place.type(LOOK)
        assert status == 0, said
        seen = json.loads(said.splitlines()[-1])
        assert set(seen["names"]) <= OF_BASH
        assert not seen["blocked"] and not {"pytest", "kernels", "conftest"} & set(seen["modules"])
        assert seen["home"] == str(place.home) and not list(place.home.glob(".*rc"))
        assert seen["from"] == str(place.clone / "transformer_lib" / "__init__.py")
        assert seen["user"] == (os.getuid() if AS[who] is None else AS[who])
        if AS[who] is not None:
            assert not seen["groups"]
    finally:
        place.remove()


# --- notebooks in kernels that nothing was done to ------------------------------------------------

RUN = """
import sys
from pathlib import Path
from course.notebook_tools.compare import first_difference
from course.notebook_tools.run import execute, normalize, read
path = Path("notebooks", sys.argv[1])
stored, new = read(path), normalize(execute(read(path), path.parent.resolve()))
for one, other in zip(stored.cells, new.cells, strict=True):
    tags = one.metadata.get("tags", [])
    if one.cell_type == "code" and not {"nbval-ignore-output", "nbval-skip"} & set(tags):
        found = first_difference(one.outputs, other.outputs, exact="nbval-exact" in tags)
        if found:
            sys.exit(f"[{one.execution_count}] {found}")
print("the same")
"""
TONIGHT = [
    pytest.param(path.name, marks=[] if path.name.startswith("00") else [pytest.mark.nightly])
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
]


@pytest.mark.parametrize("name", TONIGHT)
def test_a_notebook_runs_in_a_plain_kernel(name):
    """As JupyterLab starts it: no copy, no variable of the tests, all cores."""
    place = Place()
    try:
        (place.clone / "run.py").write_text(RUN)
        status, said = place.type(f"python run.py {name}", timeout=1800)
        assert status == 0 and said.endswith("the same\n"), said
    finally:
        place.remove()
