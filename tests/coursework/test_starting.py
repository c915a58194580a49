"""Students' processes that are copies of one: nothing comes along, and nothing stays."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from coursework import starting, wall
from coursework.grading import Limits, Pupil, grade
from coursework.source import assignment
from coursework.starting import COPIED, holds
from coursework.wall import ROOT
from tests.coursework.classroom import filled_in, hand_in

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
    code = (
        "import torch, builtins, os\nfound = hasattr(torch, 'mine'), hasattr(builtins, 'mine')\n"
        "torch.mine = builtins.mine = 1\nfiles = os.listdir('.')\nopen('mine', 'w').write('x')\n"
        "drawn = torch.rand(1).item()"
    )
    drawn = set()
    for _ in range(2):
        with contextlib.closing(Pupil([("", code)], Limits(wall=copied))) as pupil:
            pupil.run_cells()
            assert pupil.get("found", "") == (False, False) and pupil.get("files", "") == []
            drawn.add(pupil.get("drawn", ""))
    assert len(drawn) == 2


def test_the_process_that_is_copied_may_be_lost(copied):
    for _ in range(2):
        with contextlib.closing(Pupil([("", "x = 5")], Limits(wall=copied))) as pupil:
            pupil.run_cells()
            assert pupil.get("x", "") == 5
        starting.starter(copied).process.kill()


def test_an_answer_that_comes_late_is_nobody_elses(copied):
    with pytest.raises(OSError):
        starting.starter(copied).ask({"ended": 1}, seconds=1e-9)
    with contextlib.closing(
        Pupil([("", "import os\nmine = os.getpid()")], Limits(wall=copied))
    ) as pupil:
        pupil.run_cells()
        assert pupil.get("mine", "") == pupil.process.pid


def test_what_has_more_than_one_thread_is_not_copied(copied, monkeypatch):
    """A copy would wait for ever for a lock that the other thread held: so it starts anew."""
    thread = "import threading, time; threading.Thread(target=time.sleep, args=(1000,)).start(); "
    real = starting.python
    monkeypatch.setattr(starting, "STARTERS", {})
    monkeypatch.setattr(starting, "python", lambda tree, program, *words: real(
        tree, (thread if "starter" in program else "") + program, *words))  # fmt: skip
    with contextlib.closing(Pupil([("", "x = 5")], Limits(wall=copied))) as pupil:
        pupil.run_cells()
        assert pupil.get("x", "") == 5 and isinstance(pupil.process, subprocess.Popen)
    starting.starter(copied).close()


def test_who_ignores_the_end_of_children_can_grade(copied, monkeypatch):
    """Some programs that start others do, and theirs inherit it."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        starter = starting.Starter(copied)
    finally:
        signal.signal(signal.SIGCHLD, before)
    monkeypatch.setitem(starting.STARTERS, copied, starter)
    with contextlib.closing(starter):
        for _ in range(2):
            with contextlib.closing(Pupil([("", "x = 5")], Limits(wall=copied))) as pupil:
                pupil.run_cells()
                assert pupil.get("x", "") == 5 and pupil.process.starter is starter


def test_where_nothing_starts_there_is_no_wall_and_no_grade(monkeypatch, tmp_path):
    """It is the grader's trouble: no student gets 0 points for it."""
    monkeypatch.setattr(starting, "STARTERS", {})
    monkeypatch.setattr(starting, "python", lambda *words: [sys.executable, "-c", ""])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert starting.escapes("") == ["work"]
    hand_in(tmp_path / "ana.ipynb", filled_in(assignment(2), {}))
    with pytest.raises(RuntimeError, match="A student's process, before its work"):
        grade("ana", tmp_path / "ana.ipynb", assignment(2), Limits())
    monkeypatch.setattr(starting, "python", lambda *words: [str(tmp_path / "nothing")])
    assert starting.escapes("") == ["work"]
    assert not list(tmp_path.glob("starter-*"))


def test_a_walled_process_cannot_stay_when_the_grader_is_gone(tmp_path):
    """Nor keep others from opening a file."""
    if wall.pyseccomp is None:
        pytest.skip("there is no libseccomp here")
    program = (
        "import ctypes, fcntl, struct\n"
        "from coursework.wall import system_calls\n"
        "file = open('mine', 'w')\n"
        "system_calls()\n"
        "assert ctypes.CDLL(None).prctl(1, 0) == -1\n"
        "for call, number in ((fcntl.fcntl, 1024), (fcntl.ioctl, 0x40086602)):\n"
        "    try: call(file, number, 0)\n"
        "    except PermissionError: print('refused')\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         env=os.environ | {"PYTHONPATH": str(ROOT)}, cwd=tmp_path)  # fmt: skip
    assert run.stdout.split() == ["refused"] * 2, run.stderr


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
