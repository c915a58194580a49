"""Every command that the documents name is run as a user runs it, or its text is read.

In a clone, in processes that see PATH, HOME and LANG and nothing of what makes the tests fast. As
whoever runs the tests and, where that is root, as an ordinary user too.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.users.documents import BLOCK, ROOT, all_commands, is_command, lines
from tests.users.place import ORDINARY, Place
from tests.users.tables import BY_NIGHT, LIBRARY, ONLY_READ, STORIES, Line

COMMANDS = all_commands()
# Those take minutes to days; tests/experiments runs their parts.
EXPERIMENTS = re.compile(r"(?:python -m course )?experiment ([a-z][a-z0-9-]*)(?: --model \S+)?")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="types into bash")
ROOT_HERE = hasattr(os, "getuid") and os.getuid() == 0
TEACHES = (ROOT / "course/grading").is_dir()  # the students' zip leaves it out
AS = {"as I am": None} | ({"as an ordinary user": ORDINARY} if ROOT_HERE else {})
# What an ordinary user types in `make test` as well; the rest is for the night.
BY_BOTH = {"translates", "teaches"}


def told() -> list:
    """Each story and for whom it is; those that take long are for the night."""
    night = pytest.mark.nightly
    found = []
    for stories, long in ((STORIES, False), (BY_NIGHT, True)):
        for story in stories:
            for who in AS:
                graded = any(" grade " in line.command for line in stories[story])
                late = long or (AS[who] is not None and story not in BY_BOTH)
                marks = [night] * late
                if "teaches" in story and not TEACHES:
                    marks.append(pytest.mark.skip("there is no coursework here"))
                found.append(
                    pytest.param(stories[story], AS[who], graded, id=f"{story}, {who}", marks=marks)
                )
    return found


@pytest.mark.parametrize("story, user, graded", told())
def test_a_user_types_it(story, user, graded):
    place = Place(user, inside=graded)
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


# --- each has its place ---------------------------------------------------------------------------


def typed_here() -> dict[str, Line]:
    stories = [*STORIES.values(), *BY_NIGHT.values()]
    return {line.command: line for story in stories for line in story}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_run_or_says_why_not(command):
    ways = [command in typed_here(), command in ONLY_READ, bool(EXPERIMENTS.fullmatch(command))]
    assert sum(ways) == 1, (
        f"{command!r} stands in {', '.join(COMMANDS[command])}: give it one place in "
        f"tests/users/tables.py"
    )


def test_no_command_is_run_that_no_document_names():
    assert set(typed_here()) | set(ONLY_READ) <= set(COMMANDS)


def test_commands_are_found_wherever_they_stand():
    assert is_command("make lab") and not is_command("make") and not is_command("maker of it")
    block = BLOCK.search(
        "text\n\n  ```\n  make lab  # the first\n  python -m \\\n      pytest\n"
        "  docker build - <<'END'\n  make no\n  END\n  ```\n"
    )
    assert list(lines(block)) == ["make lab", "python -m pytest", "docker build - <<'END'"]
    assert len(COMMANDS) > 90 and len(COMMANDS["make lab"]) >= 2
    assert "notebooks/12_translation.ipynb" in COMMANDS[f"{LIBRARY} translate < english.txt"]


# --- what isn't run is read -----------------------------------------------------------------------


def test_what_the_tests_do_otherwise_is_written_down():
    """Each file named there exists; and whatever a conftest sets or replaces for all is named."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = page[page.index("## What the tests do otherwise than a user") :]
    names = re.findall(r"`((?:tests|tools)/[\w./]+|conftest\.py|pyproject\.toml)`", part)
    assert len(set(names)) >= 7 and all((ROOT / name).exists() for name in names)
    for conftest in (ROOT / "conftest.py", ROOT / "tests" / "conftest.py"):
        code = conftest.read_text(encoding="utf-8")
        made = re.findall(r'(?:environ(?:\.setdefault\(|\[)|sys\.modules\[)"(\w+)"', code)
        assert made and all(f"`{name}`" in part for name in made), made
    for conftest in (ROOT / "tests").rglob("conftest.py"):
        if re.search(r"patch\.(?:set|del)(?:attr|env)", conftest.read_text("utf-8")):
            assert conftest.relative_to(ROOT).as_posix() in names, conftest


def words(command: str) -> list[str]:
    return shlex.split(command.replace("\\", "/"))


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in typed_here()])
def test_what_is_not_run_would_be_understood(command):
    from course.cli import parser as of_course
    from course.experiments import EXPERIMENTS as THERE
    from transformer_lib.cli import parser

    first, *rest = words(command)
    if first == "py":  # Windows' launcher, and which Python it starts
        rest = rest[1:]
    if found := EXPERIMENTS.fullmatch(command):
        assert found[1] in THERE
        rest = ["-m", "course", "experiment", found[1]]
    if first == "make":
        dry = ["make", "--dry-run", f"PYTHON={sys.executable}", *rest]
        done = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    elif "transformer_lib" in rest:
        parser().parse_args(rest[rest.index("transformer_lib") + 1 :])
    elif "course" in rest and first != "docker":
        of_course().parse_args(rest[rest.index("course") + 1 :])
    elif "course.grading" in rest:
        courseworks = pytest.importorskip("course.grading.__main__").parser
        courseworks().parse_args(rest[rest.index("course.grading") + 1 :])
    elif first == "conda":
        assert rest[-1] in ("environment.yml", "transformer")
        assert "name: transformer\n" in (ROOT / "environment.yml").read_text()
    elif rest and rest[0].endswith(".py"):
        assert (ROOT / rest[0]).is_file()
    elif "-m" in rest:
        assert rest[rest.index("-m") + 1] in ("pytest", "pip", "venv")
    else:
        assert command in ONLY_READ and first in ("git", "docker", ".venv/Scripts/activate")


# --- what a user's process sees -------------------------------------------------------------------

LOOK = """python - <<'END'
import json, os, sys, torch
print(json.dumps({"names": sorted(os.environ), "threads": torch.get_num_threads(),
                  "blocked": [name for name, module in sys.modules.items() if module is None],
                  "modules": sorted(sys.modules), "home": os.path.expanduser("~"),
                  "user": os.getuid(), "from": __import__("transformer_lib").__file__,
                  "groups": os.getgroups()}))
END"""
OF_BASH = {
    "PATH",
    "HOME",
    "LANG",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "_",
    "PS1",
    "VIRTUAL_ENV",
    "VIRTUAL_ENV_PROMPT",
}


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
        assert seen["threads"] in cores()
        assert not seen["blocked"] and not {"pytest", "kernels", "conftest"} & set(seen["modules"])
        assert seen["home"] == str(place.home) and not list(place.home.glob(".*rc"))
        assert seen["from"] == str(place.clone / "transformer_lib" / "__init__.py")
        assert seen["user"] == (os.getuid() if AS[who] is None else AS[who])
        if AS[who] is not None:
            assert not seen["groups"]
    finally:
        place.remove()


def cores() -> set[int]:
    """As many threads as PyTorch takes by itself: one for each core, however it counts them."""
    here = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count())
    topology = Path("/sys/devices/system/cpu")
    try:
        names = ("physical_package_id", "core_id")
        places = {
            tuple((topology / f"cpu{one}/topology/{name}").read_text() for name in names)
            for one in here
        }
    except OSError:
        return {len(here)}
    return {len(here), len(places)}


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
    pytest.param(
        path.name, marks=[] if path.name[:2] in ("00", "10", "13") else [pytest.mark.nightly]
    )
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


def test_three_notebooks_run_so_by_day():
    by_day = [one.values[0] for one in TONIGHT if not one.marks]
    assert [name[:2] for name in by_day] == ["00", "10", "13"] and len(TONIGHT) > 20
