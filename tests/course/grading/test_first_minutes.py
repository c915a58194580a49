"""“Try it in five minutes” of docs/teaching.md, as a new teacher runs it: no pytest reaches it.

A process of its own, with PATH, HOME and LANG in its environment, and at most one variable more;
as whoever runs the tests or, where that is root, as an ordinary user.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from course.grading.assignment_files import student_version
from course.grading.limits import ROOT
from course.grading.sandboxes import holds, why_not
from tests.course.grading.classroom import ATTENTION, hand_in, table
from tests.users.place import ORDINARY, as_ordinary

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these sandboxes are Linux's")

ROOT_HERE = os.name == "posix" and os.geteuid() == 0
LONGEST = 180  # seconds: it takes eight, on a busy computer thirty; what hangs, hangs for ever


def run(home: str, *command: str, longest: int = LONGEST, **more: str):
    """The command, in the environment of a user who has set nothing but this."""
    environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"} | more
    begins = as_ordinary(ORDINARY) if ROOT_HERE else []
    words = [*begins, "env", "-i", *(f"{name}={it}" for name, it in environment.items())]
    words += [sys.executable, *command]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=longest)


@pytest.fixture
def home():
    """The user's own folder: pytest's lets nobody else in."""
    if run("/", "-c", "import torch, course").returncode:
        pytest.skip("an ordinary user may not read the project")
    with tempfile.TemporaryDirectory(prefix="teacher-") as folder:
        if ROOT_HERE:
            os.chown(folder, ORDINARY, ORDINARY)
        yield folder


@pytest.mark.nightly
@pytest.mark.skipif(not ROOT_HERE, reason="it is one who runs the tests")
def test_the_sandboxes_hold_for_an_ordinary_user(home):
    """What root has tried, by somebody who may do less, and is limited otherwise."""
    words = "-m pytest -p no:cacheprovider -q -n0 --nightly -k".split()
    words += ["test_sandboxes or hostile_students", "--basetemp", f"{home}/tests"]
    files = [f"tests/course/grading/test_{name}.py" for name in ("sandboxes", "rehearsal")]
    done = run(home, *words, *files, longest=3600)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout[-3000:] + done.stderr


# In a sandbox, the story "teaches" of tests/users does the same by day.
@pytest.mark.parametrize(
    "sandbox",
    [pytest.param("bubblewrap", marks=pytest.mark.nightly), ""],
    ids=lambda sandbox: sandbox or "no sandbox",
)
def test_try_it_now(home, sandbox):
    """Ana has all points that a machine can give, Ben has none and reads “not tried yet”."""
    if sandbox and not holds(sandbox):
        pytest.skip(f"{sandbox} {why_not(sandbox)}")
    hand_in(Path(home) / "trial" / "ana.ipynb", ATTENTION.notebook)
    hand_in(Path(home) / "trial" / "ben.ipynb", student_version(ATTENTION))
    command = ["-m", "course.grading", "grade", "2", f"{home}/trial", "--out", f"{home}/grades"]
    command += [] if sandbox else ["--no-sandbox"]
    # A user's own variables, which no submission may have; and at night none.
    done = run(home, *command, **({} if sandbox else {"OMP_NUM_THREADS": "4"}))
    assert done.returncode == 0, done.stderr
    assert (f"in a sandbox: {sandbox}." if sandbox else "No sandbox") in done.stdout
    rows = table(Path(home) / "grades" / "grades.csv")
    machine = [row for row in rows if row["exercise"] != "why-the-root"]
    assert machine and {row["student"] for row in rows} == {"ana", "ben"}
    for row in machine:
        assert row["points"] == (row["of"] if row["student"] == "ana" else "0"), row
        assert row["hint"] == ("" if row["student"] == "ana" else "not tried yet"), row
