"""“Try it in five minutes” of docs/teaching.md, as a new teacher runs it: no pytest reaches it.

A process of its own, with PATH, HOME and LANG alone in its environment, in each sandbox, as
whoever runs the tests; where that is root, as an ordinary user, and by night as both.
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from course.grading.assignment_files import assignment, student_version
from course.grading.limits import ROOT
from course.grading.sandboxes import holds, why_not
from tests.course.grading.classroom import hand_in
from tests.users.place import ORDINARY, as_ordinary

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these sandboxes are Linux's")

WHO = os.geteuid() if os.name == "posix" else 0
LONGEST = 180  # seconds: it takes eight, on a busy computer thirty; what hangs, hangs for ever


def run_as(
    user: int, home: str, *command: str, longest: int = LONGEST, **more: str
) -> subprocess.CompletedProcess:
    """The command, in the environment of a user who has set nothing but this."""
    environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"} | more
    begins = as_ordinary(user) if user == ORDINARY else []
    words = [*begins, "env", "-i", *(f"{name}={it}" for name, it in environment.items())]
    words += [sys.executable, *command]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=longest)


def skip_unless(user: int) -> None:
    """Only root can become somebody else, where they may read the project."""
    if user == ORDINARY:
        if os.geteuid() != 0 or run_as(user, "/", "-c", "import torch, course").returncode:
            pytest.skip("only root can become somebody else, where they may read the project")


@pytest.mark.nightly
def test_the_sandboxes_hold_for_an_ordinary_user():
    """What root has tried, by somebody who may do less, and is limited otherwise."""
    skip_unless(ORDINARY)
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, ORDINARY, ORDINARY)
        words = "-m pytest -p no:cacheprovider -q -n0 --nightly -k".split()
        words += ["test_sandboxes or hostile_students", "--basetemp", f"{home}/tests"]
        files = [f"tests/course/grading/test_{name}.py" for name in ("sandboxes", "rehearsal")]
        run = run_as(ORDINARY, home, *words, *files, longest=3600)
    assert run.returncode == 0 and " passed" in run.stdout, run.stdout[-3000:] + run.stderr[-1000:]


# In a sandbox, the story "teaches" of tests/users does the same by day.
@pytest.mark.parametrize(
    "sandbox",
    [pytest.param("bubblewrap", marks=pytest.mark.nightly), ""],
    ids=lambda sandbox: sandbox or "no sandbox",
)
@pytest.mark.parametrize(
    "user",
    [pytest.param(WHO, marks=[pytest.mark.nightly] if WHO == 0 else []), ORDINARY],
)
def test_try_it_now(user, sandbox):
    """Ana has all points that a machine can give, Ben has none and reads “not tried yet”."""
    skip_unless(user)
    if sandbox and not holds(sandbox):
        pytest.skip(f"{sandbox} {why_not(sandbox)}")
    with tempfile.TemporaryDirectory(prefix="teacher-") as home:  # pytest's own lets nobody else in
        folder = Path(home)
        os.chown(folder, user, -1)
        hand_in(folder / "trial" / "ana.ipynb", assignment(2).notebook)
        hand_in(folder / "trial" / "ben.ipynb", student_version(assignment(2)))
        command = ["-m", "course.grading", "grade", "2", f"{home}/trial", "--out", f"{home}/grades"]
        threads = {} if user != ORDINARY else {"OMP_NUM_THREADS": "4" if sandbox else "2"}
        run = run_as(user, home, *command, *([] if sandbox else ["--no-sandbox"]), **threads)
        assert run.returncode == 0, run.stderr
        assert (f"in a sandbox: {sandbox}." if sandbox else "No sandbox") in run.stdout
        with (folder / "grades" / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    machine = [row for row in rows if row["exercise"] != "why-the-root"]
    assert machine and {row["student"] for row in rows} == {"ana", "ben"}
    for row in machine:
        assert row["points"] == (row["of"] if row["student"] == "ana" else "0"), row
        assert row["hint"] == ("" if row["student"] == "ana" else "not tried yet"), row
