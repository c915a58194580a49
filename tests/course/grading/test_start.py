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

from course.grading import sandbox
from course.grading import start as starting
from course.grading.assignment_files import assignment
from course.grading.batch import grade_all
from course.grading.folders import LOCK, Folder, clear_up
from course.grading.grade import Limits, Worker, grade
from course.grading.sandbox import ROOT
from course.grading.start import COPIED, holds
from tests.course.grading.classroom import filled_in, hand_in, solutions

ATTENTION = assignment(2)
pytestmark = pytest.mark.skipif(not COPIED, reason="processes are copied on Linux alone")


@pytest.fixture(params=COPIED, ids=[sandbox or "guard only" for sandbox in COPIED])
def copied(request):
    """The name of each sandbox that a copy builds, and "" for the guard alone."""
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
    with contextlib.closing(Worker([("", LOOKS)], Limits(sandbox=copied))) as worker:
        worker.run_cells()
        kinds = worker.get("kinds", "")
        assert sorted(kind for kind in kinds if kind != "closed") == [
            *["device"] * 4,
            "pipe",
            "pipe",
        ]
        variables = worker.get("variables", "")
        assert "SECRET" not in variables and variables["HOME"] == str(worker.home)
        assert worker.get("leads", "") is True


def test_copies_know_nothing_of_each_other(copied):
    """What one does to PyTorch, or leaves in its folder, the next doesn't see."""
    code = (
        "import torch, builtins, os\nfound = hasattr(torch, 'mine'), hasattr(builtins, 'mine')\n"
        "torch.mine = builtins.mine = 1\nfiles = os.listdir('.')\nopen('mine', 'w').write('x')\n"
        "drawn = torch.rand(1).item()"
    )
    drawn = set()
    for _ in range(2):
        with contextlib.closing(Worker([("", code)], Limits(sandbox=copied))) as worker:
            worker.run_cells()
            assert worker.get("found", "") == (False, False) and worker.get("files", "") == []
            drawn.add(worker.get("drawn", ""))
    assert len(drawn) == 2


def test_the_process_that_is_copied_may_be_lost(copied):
    for _ in range(2):
        with contextlib.closing(Worker([("", "x = 5")], Limits(sandbox=copied))) as worker:
            worker.run_cells()
            assert worker.get("x", "") == 5
        starting.fork_server(copied).process.kill()


def test_an_answer_that_comes_late_is_nobody_elses(copied):
    with pytest.raises(OSError):
        starting.fork_server(copied).ask({"ended": 1}, seconds=1e-9)
    with contextlib.closing(
        Worker([("", "import os\nmine = os.getpid()")], Limits(sandbox=copied))
    ) as worker:
        worker.run_cells()
        assert worker.get("mine", "") == worker.process.pid


def test_what_has_more_than_one_thread_is_not_copied(copied, monkeypatch):
    """A copy would wait for ever for a lock that the other thread held: so it starts anew."""
    thread = "import threading, time; threading.Thread(target=time.sleep, args=(1000,)).start(); "
    real = starting.python
    monkeypatch.setattr(starting, "FORK_SERVERS", {})
    monkeypatch.setattr(
        starting,
        "python",
        lambda program, *words: real(
            (thread if "fork_server" in program else "") + program, *words
        ),
    )
    with contextlib.closing(Worker([("", "x = 5")], Limits(sandbox=copied))) as worker:
        worker.run_cells()
        assert worker.get("x", "") == 5 and isinstance(worker.process, subprocess.Popen)
    starting.fork_server(copied).close()


def test_who_ignores_the_end_of_children_can_grade(copied, monkeypatch):
    """Some programs that start others do, and theirs inherit it."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        starter = starting.ForkServer(copied)
    finally:
        signal.signal(signal.SIGCHLD, before)
    monkeypatch.setitem(starting.FORK_SERVERS, copied, starter)
    with contextlib.closing(starter):
        for _ in range(2):
            with contextlib.closing(Worker([("", "x = 5")], Limits(sandbox=copied))) as worker:
                worker.run_cells()
                assert worker.get("x", "") == 5 and worker.process.fork_server is starter


def test_where_nothing_starts_there_is_no_sandbox_and_no_grade(monkeypatch, tmp_path):
    """It is the grader's trouble: no student gets 0 points for it."""
    monkeypatch.setattr(starting, "FORK_SERVERS", {})
    monkeypatch.setattr(starting, "python", lambda *words: [sys.executable, "-c", ""])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert starting.escapes("") == ["work"]
    hand_in(tmp_path / "ana.ipynb", filled_in(assignment(2), {}))
    with pytest.raises(ChildProcessError, match="A student's process, before its work"):
        grade("ana", tmp_path / "ana.ipynb", assignment(2), Limits())
    monkeypatch.setattr(starting, "python", lambda *words: [str(tmp_path / "nothing")])
    assert starting.escapes("") == ["work"]
    assert not list(tmp_path.glob("fork-server-*"))


def test_a_walled_process_cannot_stay_when_the_grader_is_gone(tmp_path):
    """Nor keep others from opening a file."""
    if sandbox.pyseccomp is None:
        pytest.skip("there is no libseccomp here")
    program = (
        "import ctypes, fcntl, struct\n"
        "from course.grading.sandbox import system_calls\n"
        "file = open('mine', 'w')\n"
        "system_calls()\n"
        "assert ctypes.CDLL(None).prctl(1, 0) == -1\n"
        "for call, number in ((fcntl.fcntl, 1024), (fcntl.ioctl, 0x40086602)):\n"
        "    try: call(file, number, 0)\n"
        "    except PermissionError: print('refused')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )
    assert run.stdout.split() == ["refused"] * 2, run.stderr


def test_nothing_outlives_a_grader_that_is_killed(copied, tmp_path):
    """Not even a cell that sleeps on, and no folder of the process that is copied."""
    program = (
        "from course.grading.grade import Limits, Worker\n"
        "from course.grading.start import fork_server\n"
        f"limits = Limits(sandbox={copied!r})\n"
        "cell = \"open('asleep', 'w').close(); import time; time.sleep(1000)\"\n"
        "worker = Worker([('', cell)], limits)\n"
        "worker.start()\n"
        "folder = fork_server(limits.sandbox).tree.parent\n"
        "print(worker.process.pid, worker.home, folder, flush=True)\n"
        "worker.run(0)\n"
    )
    command = [sys.executable, "-c", program]
    surroundings = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=surroundings
    ) as grader:
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


# --- what is left over ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sandbox", ["bubblewrap", *COPIED], ids=lambda sandbox: sandbox or "guard only"
)
def test_a_command_that_is_killed_leaves_nothing(tmp_path, monkeypatch, sandbox):
    """No process, of the grader's or the student's; and no folder when the next one has begun."""
    if sandbox and not holds(sandbox):
        pytest.skip(f"{sandbox} isn't here, or this system doesn't let it work")
    endless = solutions(ATTENTION) | {"my_weights": "while True: pass"}
    hand_in(tmp_path / "ben.ipynb", filled_in(ATTENTION, endless))
    program = tmp_path / "grading.py"
    program.write_text(
        "from pathlib import Path\n"
        "from course.grading.batch import grade_all\n"
        "from course.grading.grade import Limits\n"
        "from course.grading.assignment_files import assignment\n"
        "if __name__ == '__main__':\n"
        f"    here, limits = Path({str(tmp_path)!r}), Limits(500, sandbox={sandbox!r})\n"
        "    files = {'ben': here / 'ben.ipynb'}\n"
        "    list(grade_all(files, assignment(2), limits, 1, here / 'kept'))\n"
    )
    surroundings = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, program], cwd=ROOT, env=surroundings) as grader:
        wait_until(lambda: any(seconds_of(one) > 2 for one in students_of(tmp_path)), 120)
        started = processes_of(tmp_path)
        assert len(started) >= 3  # the command, a worker, the student's
        grader.send_signal(signal.SIGKILL)
    wait_until(lambda: not any(map(runs, started)) and not processes_of(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (left,) = tmp_path.glob("submission-*")
    mine = Folder("submission-")
    assert list(grade_all({}, ATTENTION, Limits(), 1, tmp_path / "kept")) == []
    assert not left.exists() and mine.path.exists()
    mine.close()
    assert not list(tmp_path.glob("submission-*")) and not list(tmp_path.glob("fork-server-*"))


def processes_of(folder):
    """Those with the folder among their environment variables."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if os.fsencode(folder) in path.read_bytes() and int(path.parent.name) != os.getpid():
                found.append(int(path.parent.name))
    return [number for number in found if runs(number)]


def students_of(folder):
    for number in processes_of(folder):
        with contextlib.suppress(OSError):
            told = (
                Path(f"/proc/{number}/environ").read_bytes()
                + os.readlink(
                    f"/proc/{number}/cwd"  # a copy has the variables of what it is a copy of
                ).encode()
            )
            if b"submission-" in told:
                yield number


def seconds_of(number):
    """How long the processor has worked for it."""
    with contextlib.suppress(OSError):
        told = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def test_a_folder_of_any_depth_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    folder = Folder("submission-")
    os.chdir(folder.path)
    for _ in range(2 * sys.getrecursionlimit()):
        os.mkdir("deep")
        os.chdir("deep")
    os.chmod(".", 0)
    os.chdir(tmp_path)
    folder.close()
    assert os.listdir(tmp_path) == []


def test_only_what_is_ours_is_cleared_up(tmp_path, monkeypatch):
    """Another's folder of such a name stays."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    theirs, dead = tmp_path / "submission-of-mine", tmp_path / "submission-dead"
    for folder in (theirs, dead):
        folder.mkdir()
    (dead / LOCK).touch()
    clear_up()
    assert os.listdir(tmp_path) == [theirs.name]
