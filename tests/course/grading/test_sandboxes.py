"""What surrounds a student's process: sandboxes, limits, and the guard in Python.

Under bubblewrap, and in a container, for which stand_in_docker.py stands where there is no Docker.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import patch

import pytest

from course.checks import Hint
from course.grading import __main__ as command_line
from course.grading import limits as inside
from course.grading import sandboxes
from course.grading.__main__ import main
from course.grading.assignment_files import FOLDER
from course.grading.grade import Worker, grade
from course.grading.limits import ROOT, Limits
from course.grading.rpc import Stopped
from tests.course.grading.classroom import (
    ATTENTION,
    at_work,
    command,
    filled_in,
    hand_in,
    solutions,
)
from tests.course.grading.hostile import ATTACKS, BARE, BEYOND_THE_GUARD, NO_GUARD

new_program = sandboxes.launch
in_each = pytest.mark.parametrize("sandbox", ["bubblewrap", "container"], indirect=True)


# --- nothing gets out ----------------------------------------------------------------------------


def test_bubblewrap_holds_where_it_works():
    """What tries to get out has failed, and Python starts: else what follows would be skipped."""
    plain = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    if shutil.which("bwrap") is None or subprocess.run(plain, capture_output=True).returncode:
        pytest.skip("bubblewrap isn't here, or may not make namespaces")
    assert sandboxes.why_not("bubblewrap") == "" and sandboxes.find_sandbox() == "bubblewrap"


@pytest.mark.parametrize("sandbox", ["bubblewrap", "container", ""], indirect=True)
def test_nothing_gets_out(tmp_path, sandbox):
    """Each attack fails in its own cell, in every sandbox; without one, those the guard can see."""
    codes = dict(ATTACKS)
    if sandbox:
        codes |= BEYOND_THE_GUARD | {"no-guard": (f"{NO_GUARD}raise SystemError", "")} | BARE
    victim = tmp_path / "submissions" / "victim.ipynb"
    hand_in(victim, filled_in(ATTENTION, {}))
    before = victim.read_bytes()
    with sandboxes.shared_memory() as shared:
        places = {
            "outside": tmp_path / "outside",
            "another": victim,
            "others": victim.parent,
            "project": ROOT,
            "solution": FOLDER / ATTENTION.file,
            "mail": tmp_path / "mail",
            "shared": shared,
            "listed": listed_calls(),
        }
        cells = ["import torch"]
        for code, _ in codes.values():
            for place, path in places.items():
                code = code.replace("{" + place + "}", str(path))
            cells.append(code)
        with at_work(*cells, sandbox=sandbox) as worker:
            for number, (name, (_, said)) in enumerate(codes.items(), 1):
                assert number in worker.troubles, f"{name} went through"
                assert said in worker.troubles[number], (name, worker.troubles[number])
            assert not worker.deadly
            with pytest.raises(Hint):
                worker.get("my_weights", "")
    assert victim.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["submissions"]


def listed_calls() -> list[int]:
    """The numbers of the system calls that a sandbox lets through."""
    if sandboxes.pyseccomp is None:
        return []
    rules = json.loads(sandboxes.CALLS.read_text(encoding="utf-8"))["syscalls"]
    native = sandboxes.pyseccomp.Arch.NATIVE
    names = [name for rule in rules for name in rule["names"]]
    return [sandboxes.pyseccomp.resolve_syscall(native, name) for name in names]


LOOKS = f"""{NO_GUARD}
def around(place): return sorted(os.listdir(place))
def has(path):
    try: return bool(open(path).read(1))
    except OSError: return False
def writes(path):
    try: return bool(open(path, 'w').write('x'))
    except OSError: return False
variables = dict(os.environ)
"""


@in_each
def test_a_submission_sees_nothing_but_the_library(sandbox, monkeypatch):
    """In an empty folder: no assignment, no test, no .git, no grade, no other submission."""
    monkeypatch.setenv("SECRET", "the teacher's")
    with at_work(LOOKS, sandbox=sandbox) as worker:
        around, has, writes = (worker.get(name, "") for name in ("around", "has", "writes"))
        assert around(".") == []
        assert "SECRET" not in worker.get("variables", "")
        assert set(around("/course")) == {"course", "transformer_lib", "data"}
        assert set(around("/course/course/grading")) == set(sandboxes.WORKER_SIDE)
        assert not {"assignments", "my_transformer.py"} & set(around("/course/course"))
        assert has("/course/transformer_lib/model/attention.py") and has("/course/data/README.md")
        for name in ("README.md", "course/assignments/2_attention.ipynb", ".git/HEAD", ".git"):
            assert not has(f"{ROOT}/{name}"), name
        assert not has("/etc/passwd")
        assert writes("mine") and has("mine")
        for place in ("/course/course/mine", "/tmp/mine", "/dev/shm/mine", "/dev/mine", "/mine"):
            assert not writes(place), place


# --- a sandbox is trusted for what it does -------------------------------------------------------


def found_with(sandbox, **changed):
    """What a process in the sandbox manages when something in `sandboxes` is changed."""
    sandboxes.compiled_calls.cache_clear()
    try:
        with patch.multiple(sandboxes, **changed):
            return sandboxes.escapes(sandbox)[0]
    finally:
        sandboxes.compiled_calls.cache_clear()


ROOT_ALONE = {
    "change",  # the project's files are the teacher's, here root's
    "mode",
    "thread",  # RLIMIT_NPROC, which holds everybody but root
    "start",
}


def by_this_user(found):
    """What of it whoever runs the tests can do; the limits of an ordinary user come besides."""
    return {one for one in found if os.geteuid() == 0 or one not in ROOT_ALONE}


def test_without_a_sandbox_the_probe_gets_out():
    """Until it is stopped, as it fills the disk."""
    expected = by_this_user({"read", "see", "write", "change", "mode", "spill"})
    assert expected <= set(sandboxes.escapes("")[0])


@pytest.mark.parametrize("sandbox", ["bubblewrap"], indirect=True)
@pytest.mark.parametrize(
    "calls, found",
    [
        ("socket socketpair sendto connect", ["pairs"]),  # a network without anybody in it
        ("shmget shmat shmctl", ["shmget"]),  # the teacher's isn't there
        ("mmap", ["grow"]),
        ("memfd_create", ["memfd"]),
        ("clone clone3", ["thread", "start"]),
        ("kill ptrace unshare mount fallocate", ["unshare"]),  # nobody is there, no right to
    ],
)
def test_a_call_too_many_on_the_list_is_seen(sandbox, calls, found, tmp_path):
    """And what it opens is all: beside the list, each sandbox has walls of its own."""
    profile = json.loads(sandboxes.CALLS.read_text(encoding="utf-8"))
    kept = [rule for rule in profile["syscalls"] if not set(rule["names"]) & set(calls.split())]
    more = {"names": calls.split(), "action": "SCMP_ACT_ALLOW"}
    path = tmp_path / "calls.json"
    path.write_text(json.dumps(profile | {"syscalls": [*kept, more]}))
    assert set(found_with(sandbox, CALLS=path)) == by_this_user(found)


@pytest.mark.parametrize(
    "sandbox, words, found",
    [
        ("bubblewrap", "--remount-ro /dev --remount-ro / ", {"spill"}),
        ("bubblewrap", "--remount-ro /proc ", {"settings"}),
        ("container", "--read-only ", {"spill"}),
        (
            "container",
            f"--security-opt seccomp={sandboxes.CALLS} ",
            {"grow", "pairs", "memfd", "shmget", "thread", "start", "unshare"},
        ),
    ],
    indirect=["sandbox"],
)
def test_a_word_too_few_is_seen(sandbox, words, found):
    if "settings" in found and os.geteuid() != 0:
        pytest.skip("these files are root's")
    real, hole = getattr(sandboxes, sandbox), words.replace(" ", "\n")

    def with_hole(*given):
        told = "\n".join(real(*given))
        assert told.count(hole) == 1
        return told.replace(hole, "").split("\n")

    assert by_this_user(found) <= set(found_with(sandbox, **{sandbox: with_hole}))


@pytest.mark.parametrize(
    "said, told",
    [
        ("bwrap: setting up uid map: Permission denied", "kernel.apparmor_restrict_unprivileged"),
        ("bwrap: No permissions to create new namespace, likely because", "userns_clone=1"),
        ("bwrap: Creating new namespace failed: Operation not permitted", "namespaces for users"),
        ("bwrap: Can't find source path /root/py: Permission denied", "can't read /root/py"),
        ("bwrap: execvp /root/py/bin/python: Permission denied", "can't read /root/py/bin/python"),
        ("ModuleNotFoundError: No module named 'course'", "doesn't start Python (ModuleNotFound"),
        ("", "it says nothing"),
    ],
)
def test_why_a_sandbox_does_not_start(said, told):
    assert told in sandboxes.cannot_start(said)


def test_bubblewrap_may_lie_anywhere(monkeypatch, tmp_path):
    """Found by PATH when it is started as well, and missed by its name where it isn't there."""
    if not sandboxes.holds("bubblewrap"):
        pytest.skip(f"bubblewrap {sandboxes.why_not('bubblewrap')}")
    bwrap = shutil.which("bwrap")
    monkeypatch.setenv("PATH", str(tmp_path))
    sandboxes.why_not.cache_clear()
    assert "isn't installed (apt install bubblewrap" in sandboxes.why_not("bubblewrap")
    (tmp_path / "bwrap").symlink_to(bwrap)
    sandboxes.why_not.cache_clear()
    assert sandboxes.holds("bubblewrap")


def test_without_a_sandbox_nothing_is_graded_unless_told_to(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command_line, "find_sandbox", lambda: "")
    monkeypatch.setenv("PATH", str(tmp_path))
    sandboxes.why_not.cache_clear()
    hand_in(tmp_path / "submissions" / "ana.ipynb", filled_in(ATTENTION, {}))
    assert main(command(tmp_path)) == 2
    sandboxes.why_not.cache_clear()
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert all(word in told for word in ("bubblewrap", "Docker", "--no-sandbox", "your rights"))
    assert not (tmp_path / "grades").exists()
    assert main(command(tmp_path, "--no-sandbox")) == 0
    assert "No sandbox" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["submissions", "grades"])
def test_no_secret_lies_where_submissions_may_read(tmp_path, monkeypatch, capsys, place):
    hand_in(tmp_path / "submissions" / "ana.ipynb", filled_in(ATTENTION, {}))
    monkeypatch.setattr(inside, "readable", lambda: [str(tmp_path / place)])
    assert main(command(tmp_path)) == 2
    assert "which every submission may read: keep it elsewhere" in capsys.readouterr().err


# --- limits, and what isn't left -----------------------------------------------------------------


@pytest.mark.parametrize("sandbox", ["bubblewrap", ""], indirect=True)
def test_the_limit_of_memory_is_what_comes_on_top_of_pytorch(sandbox):
    cell = "import torch\ndef mine(n): return torch.ones(n, dtype=torch.uint8).shape[0]"
    with at_work(cell, sandbox=sandbox, megabytes=100) as worker:
        mine = worker.get("mine", "")
        assert mine(60 * 2**20) == 60 * 2**20
        with pytest.raises(Stopped, match="memory"):
            mine(120 * 2**20)


USES = {
    "used more than 200 MB of memory": "held = torch.ones(2**28, dtype=torch.uint8)",
    "made more than 10,000 files": (
        "import os\nfor i in range(20_000): os.close(os.open(f'{i}', os.O_CREAT | os.O_WRONLY))"
    ),
    "wrote more than 500 MB into files": (
        "for i in range(60): open(f'{i}.bin', 'wb').write(bytes(10_000_000))"
    ),
}


@pytest.mark.parametrize("said", USES)
@pytest.mark.parametrize("sandbox", ["bubblewrap", ""], indirect=True)
def test_what_is_used_is_watched_from_outside(sandbox, said, monkeypatch):
    """Also where the process has taken its own limits away, and the disk has no size."""
    monkeypatch.setattr(sandboxes, "DISK", 600 * 2**20 if "500" not in said else inside.DISK)
    real = sandboxes.bubblewrap
    monkeypatch.setattr(
        sandboxes,
        "bubblewrap",
        lambda *given: [w.replace("524288000", "9" * 9) for w in real(*given)],
    )
    cell = f"import time, torch\n{USES[said]}\ntime.sleep(30)"
    with contextlib.closing(Worker([("", cell)], Limits(sandbox=sandbox))) as worker:
        worker.start()
        worker.process.megabytes = 200
        start = time.monotonic()
        with contextlib.suppress(BaseException):
            worker.run(0)
        assert said in worker.troubles[0] and time.monotonic() - start < 25


@in_each
def test_what_is_endless_is_stopped_and_leaves_nothing(sandbox):
    before = set(processes())
    with at_work("while True: pass", "x = 5", seconds=2, sandbox=sandbox) as worker:
        assert "did not end within 2 seconds" in worker.troubles[0]
        assert worker.get("x", "") == 5
    wait_until(lambda: set(processes()) <= before)


def test_where_python_does_not_start_it_is_the_graders_trouble(monkeypatch, tmp_path):
    """No student gets 0 points for it."""
    monkeypatch.setattr(sandboxes, "unguarded", lambda *_: [shutil.which("false")])
    monkeypatch.setattr(sandboxes, "launch", new_program)
    assert sandboxes.escapes("")[0] == ["work"]
    hand_in(tmp_path / "ana.ipynb", filled_in(ATTENTION, {}))
    with pytest.raises(ChildProcessError, match="A student's process, before its work"):
        grade("ana", tmp_path / "ana.ipynb", ATTENTION, Limits())
    monkeypatch.setattr(sandboxes, "unguarded", lambda *_: [str(tmp_path / "nothing")])
    assert sandboxes.escapes("")[0] == ["work"]


@pytest.mark.parametrize("sandbox", ["bubblewrap"], indirect=True)
def test_a_command_that_is_killed_leaves_nothing(tmp_path, sandbox):
    """No process, of the grader's or the student's."""
    endless = solutions(ATTENTION) | {"my_weights": "while True: pass"}
    hand_in(tmp_path / "ben.ipynb", filled_in(ATTENTION, endless))
    program = tmp_path / "grading.py"
    program.write_text(
        "from pathlib import Path\n"
        "from course.grading.batch import grade_all\n"
        "from course.grading.limits import Limits\n"
        "from course.grading.assignment_files import assignment\n"
        "if __name__ == '__main__':\n"
        f"    here, limits = Path({str(tmp_path)!r}), Limits(500, sandbox={sandbox!r})\n"
        "    files = {'ben': here / 'ben.ipynb'}\n"
        "    list(grade_all(files, assignment(2), limits, 1, here / 'kept'))\n"
    )
    before = set(processes())
    surroundings = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, program], cwd=ROOT, env=surroundings) as grader:
        wait_until(lambda: set(processes()) - before, 120)
        grader.send_signal(signal.SIGKILL)
    wait_until(lambda: set(processes()) <= before)


def processes():
    """Those of students, in whatever sandbox."""
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            told = (path / "cmdline").read_bytes()
            if b"course.grading.worker import main" in told:
                if b") Z" not in (path / "stat").read_bytes():
                    yield path.name


def wait_until(holds, seconds=30):
    over = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < over
        time.sleep(0.05)
