"""Students' processes that are copies of one: nothing comes along, and nothing stays."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from coursework import starting
from coursework.grading import Limits, Pupil
from coursework.starting import COPIED, holds
from coursework.wall import ROOT

pytestmark = pytest.mark.skipif(not COPIED, reason="processes are copied on Linux alone")


@pytest.fixture(params=COPIED, ids=[wall or "guard only" for wall in COPIED])
def copied(request):
    """The name of each wall that a copy builds, and "" for the guard alone."""
    if request.param and not holds(request.param):
        pytest.skip(f"{request.param} isn't here, or this system doesn't let it work")
    return request.param


LOOKS = """
import os, stat
def kind(number):
    try: mode = os.fstat(number).st_mode
    except OSError: return "closed"
    return "pipe" if stat.S_ISFIFO(mode) else "device" if stat.S_ISCHR(mode) else "other"
kinds = [kind(number) for number in range(256)]
variables = dict(os.environ)
leads = os.getsid(0) == os.getpgid(0) == os.getpid()
"""


def test_a_copy_has_what_a_new_program_has(copied, monkeypatch):
    """The null device three times, two pipes to the grader, variables of its own, a session."""
    monkeypatch.setenv("SECRET", "the teacher's")
    with contextlib.closing(Pupil([("", LOOKS)], Limits(wall=copied))) as pupil:
        pupil.run_cells()
        kinds = pupil.get("kinds", "")
        assert sorted(kind for kind in kinds if kind != "closed") == [
            *["device"] * 4,
            "pipe",
            "pipe",
        ]
        variables = pupil.get("variables", "")
        assert "SECRET" not in variables and variables["HOME"] == str(pupil.home)
        assert pupil.get("leads", "") is True


def test_copies_know_nothing_of_each_other(copied):
    """What one does to PyTorch, or leaves in its folder, the next doesn't see."""
    first = "import torch, builtins\ntorch.mine = builtins.mine = 1\nopen('mine', 'w').write('x')"
    second = (
        "import torch, builtins, os\nfound = hasattr(torch, 'mine'), hasattr(builtins, 'mine')\n"
        "files = os.listdir('.')"
    )
    for code in (first, second):
        with contextlib.closing(Pupil([("", code)], Limits(wall=copied))) as pupil:
            pupil.run_cells()
            assert not pupil.troubles
            if code == second:
                assert pupil.get("found", "") == (False, False) and pupil.get("files", "") == []


def test_the_process_that_is_copied_may_be_lost(copied):
    for _ in range(2):
        with contextlib.closing(Pupil([("", "x = 5")], Limits(wall=copied))) as pupil:
            pupil.run_cells()
            assert pupil.get("x", "") == 5
        starting.starter(copied).process.kill()


def test_nothing_outlives_a_grader_that_is_killed(copied, tmp_path):
    """Not even a cell that sleeps on, and no folder of the process that is copied."""
    program = (
        "from coursework.grading import Limits, Pupil\n"
        "from coursework.starting import starter\n"
        f"limits = Limits(wall={copied!r})\n"
        "cell = \"open('asleep', 'w').close(); import time; time.sleep(1000)\"\n"
        "pupil = Pupil([('', cell)], limits)\n"
        "pupil.start()\n"
        "print(pupil.process.pid, pupil.home, starter(limits.wall).tree.parent, flush=True)\n"
        "pupil.run(0)\n"
    )
    command = [sys.executable, "-c", program]
    surroundings = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT,
                          env=surroundings) as grader:  # fmt: skip
        number, home, folder = grader.stdout.readline().split()
        wait_until(lambda: Path(home, "asleep").exists())
        assert Path(folder).is_dir() and runs(int(number))
        grader.send_signal(signal.SIGKILL)
    wait_until(lambda: not Path(folder).exists() and not runs(int(number)))


def wait_until(holds, seconds=30):
    over = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < over
        time.sleep(0.05)


def runs(number: int) -> bool:
    """A process that has ended may wait for somebody to ask how: Z, a zombie."""
    try:
        told = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return told.rpartition(")")[2].split()[0] != "Z"
