"""“Try it now” of docs/teaching.md, as a new teacher runs it: nothing of pytest reaches it.

A process of its own, with PATH, HOME and LANG alone in its environment, in each sandbox, as
whoever runs the tests, and as an ordinary user where that is root.
"""

import csv
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from course.grading.assignment_files import assignment, student_version
from course.grading.sandbox import ROOT
from course.grading.start import holds, why_not
from tests.course.grading.classroom import hand_in
from tests.users.place import ORDINARY, as_ordinary

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these sandboxes are Linux's")

LONGEST = 180.0  # seconds: it takes eight, on a busy computer thirty; what hangs, hangs for ever


def is_root() -> bool:
    return os.geteuid() == 0


def as_user(number: int, environment: dict[str, str], command: list[str]) -> list[str]:
    """The command with this environment alone; by an ordinary user, where root may choose."""
    begins = as_ordinary(number) if is_root() and number else []
    return [*begins, "env", "-i", *(f"{name}={it}" for name, it in environment.items()), *command]


def can_run_as(number: int) -> bool:
    """Is the project there for others to read? Python is, wherever root keeps it."""
    command = [sys.executable, "-c", "import torch, course"]
    try:
        run = subprocess.run(
            as_user(number, plain("/"), command), cwd=ROOT, capture_output=True, text=True
        )
        return run.returncode == 0
    except OSError:
        return False


def plain(home: str) -> dict[str, str]:
    """The environment of a user who has set nothing."""
    return {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}


@pytest.fixture(params=["as it is", "ordinary"])
def teacher(request):
    """(folder, user): a folder of a teacher's own, and who that is."""
    user = os.geteuid() if request.param == "as it is" else ORDINARY
    if request.param == "ordinary" and not (is_root() and can_run_as(ORDINARY)):
        pytest.skip("only root can become somebody else, where they may read the project")
    folder = Path(tempfile.mkdtemp(prefix="teacher-"))  # pytest's own lets nobody else in
    os.chown(folder, user, -1)
    yield folder, user
    shutil.rmtree(folder)


def try_it_now(folder: Path, user: int, sandbox: str, **more: str) -> subprocess.CompletedProcess:
    hand_in(folder / "trial" / "ana.ipynb", assignment(2).notebook)
    hand_in(folder / "trial" / "ben.ipynb", student_version(assignment(2)))
    environment = plain(str(folder)) | more
    command = [
        sys.executable,
        "-m",
        "course.grading",
        "grade",
        "2",
        str(folder / "trial"),
        "--out",
        str(folder / "grades"),
        *([] if sandbox else ["--no-sandbox"]),
    ]
    return subprocess.run(
        as_user(user, environment, command),
        cwd=ROOT,
        timeout=LONGEST,
        text=True,
        capture_output=True,
    )


@pytest.mark.nightly
def test_the_sandboxes_hold_for_an_ordinary_user():
    """What root has tried, by somebody who may do less, and is limited otherwise."""
    if not (is_root() and can_run_as(ORDINARY)):
        pytest.skip("only root can become somebody else, where they may read the project")
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, ORDINARY, ORDINARY)
        words = "-m pytest -p no:cacheprovider -q -n0 --nightly -k".split()
        words += ["test_sandboxes or hostile_students", "--basetemp", f"{home}/tests"]
        files = [f"tests/course/grading/test_{name}.py" for name in ("sandboxes", "rehearsal")]
        command = as_user(ORDINARY, plain(home), [sys.executable, *words, *files])
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0 and " passed" in run.stdout, run.stdout[-3000:] + run.stderr[-1000:]


@pytest.mark.parametrize("sandbox", ["bubblewrap", ""], ids=lambda sandbox: sandbox or "no sandbox")
def test_try_it_now(teacher, sandbox):
    """Ana has all points that a machine can give, Ben has none and reads “not tried yet”."""
    if sandbox and not holds(sandbox):
        pytest.skip(f"{sandbox} {why_not(sandbox)}")
    folder, user = teacher
    threads = {} if user != ORDINARY else {"OMP_NUM_THREADS": "4" if sandbox else "2"}
    run = try_it_now(folder, user, sandbox, **threads)
    assert run.returncode == 0, run.stderr
    assert (f"in a sandbox: {sandbox}." if sandbox else "No sandbox") in run.stdout
    with (folder / "grades" / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    machine = [row for row in rows if row["exercise"] != "why-the-root"]
    assert machine and {row["student"] for row in rows} == {"ana", "ben"}
    for row in machine:
        assert row["points"] == (row["of"] if row["student"] == "ana" else "0"), row
        assert row["hint"] == ("" if row["student"] == "ana" else "not tried yet"), row
