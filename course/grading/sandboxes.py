"""How a student's process starts in a sandbox, and which sandbox is trusted.

    bubblewrap    Linux
    container     every system with Docker; `platforms/Dockerfile` makes the image

Either is there for one submission alone, and denies by default. A process in it sees Python, the
system's programs, the library and its data, and nothing else; it writes into one folder in memory,
which is gone afterwards; it is the only process, without a network; and it may make the system
calls of `system_calls.json`, in which nothing is that a run of PyTorch doesn't need. A sandbox is
trusted once a process in it has tried to get out and failed (`escape_test.py`).
"""

import contextlib
import functools
import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from course.grading.limits import (
    DISK,
    FILES,
    OPEN_FILES,
    ROOT,
    kilobytes,
    students_part,
    systems_part,
)

try:
    import pyseccomp
except (ImportError, RuntimeError, OSError):  # no Linux, or one without libseccomp
    pyseccomp = None

SANDBOXES = ("bubblewrap", "container")
WORKER_SIDE = ("__init__.py", "limits.py", "escape_test.py", "cells.py", "rpc.py", "worker.py")
INSIDE, HOME = "/course", "/submission"  # places in a sandbox
CALLS = Path(__file__).with_name("system_calls.json")
IMAGE = "course-grading"
# Seconds for Python and PyTorch to start: two, but 150 were seen beside twenty other programs. One
# that fails is seen at once; so long is only waited for one that hangs.
START = 600.0
WATCH_EVERY = 0.05  # seconds between two looks at a running process


# --- a student's process -------------------------------------------------------------------------


class Process:
    """A process that runs `main(given)` of course.grading.MODULE in a sandbox ("": in none).

    It is killed when its time is up, or when the system counts more memory, bytes or files than it
    may have; `stopped` then says why. given: must fit into JSON; its megabytes are the limit.
    """

    def __init__(
        self, sandbox: str, module: str, given: dict[str, Any], errors: Any = subprocess.DEVNULL
    ):
        self.sandbox, self.stopped = sandbox, ""
        self.megabytes, self.at_start = given["megabytes"], math.inf
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.allow(START)
        self.name = f"submission-{uuid.uuid4().hex}"
        self.home = tempfile.mkdtemp(prefix="submission-")  # in a sandbox nobody sees it
        try:
            self.popen = launch(self, module, given, errors)
        except BaseException:
            shutil.rmtree(self.home)
            raise
        self.stdin, self.stdout = self.popen.stdin, self.popen.stdout
        self.watcher = threading.Thread(target=self.watch, daemon=True)
        self.watcher.start()

    def allow(self, seconds: float) -> None:
        """From now on it has so many seconds; inf while none of its code runs."""
        with self.lock:
            self.deadline, self.seconds = time.monotonic() + seconds, seconds

    def watch(self) -> None:
        while not self.ended.wait(WATCH_EVERY):
            with self.lock:
                try:
                    self.stopped = self.excess()
                except (ValueError, RecursionError) as error:  # such as by folders in folders
                    self.stopped = f"can't be watched any more: {error}"
                if self.stopped:
                    return self.kill()

    def excess(self) -> str:
        """What it has too much of, or ""."""
        if time.monotonic() >= self.deadline:
            return (
                f"did not end within {self.seconds:.3g} seconds: is there a loop that never ends?"
            )
        try:
            processes = list(family(self.popen.pid))
            if sum(map(memory, processes)) > self.at_start + self.megabytes * 1024:
                return f"used more than {self.megabytes} MB of memory."
            written, files = self.on_disk(processes)
        except (OSError, IndexError):  # it has just begun, or just ended
            return ""
        if written > DISK:
            return f"wrote more than {DISK // 2**20} MB into files."
        return f"made more than {FILES:,} files." if files > FILES else ""

    def on_disk(self, processes: list[int]) -> tuple[int, int]:
        """Bytes and number of its files, also of those that are deleted and still open."""
        if self.sandbox == "bubblewrap":  # a container has nothing here, and limits of its own
            used = os.statvfs(f"/proc/{processes[1]}/root{HOME}")
            return (
                (used.f_blocks - used.f_bfree) * used.f_frsize,
                used.f_files - used.f_ffree,
            )
        written = files = 0
        for folder, _, names in os.walk(self.home):
            files += 1 + len(names)
            if files > FILES:
                break
            written += sum(os.lstat(os.path.join(folder, name)).st_size for name in names)
        return written, files

    def begin(self) -> None:
        """What it uses by now is Python's and PyTorch's: the student's limits are beyond that."""
        with contextlib.suppress(OSError):
            self.at_start = sum(map(memory, family(self.popen.pid)))

    def kill(self) -> None:
        self.popen.kill()  # bubblewrap takes what is in it with it
        if self.sandbox == "container":
            subprocess.run([engine(), "kill", self.name], capture_output=True, check=False)

    def close(self) -> None:
        """End it, and wait until it is gone."""
        self.ended.set()
        self.watcher.join()
        self.kill()
        for stream in (self.stdin, self.stdout):
            with contextlib.suppress(OSError):
                stream.close()
        self.popen.wait()
        shutil.rmtree(self.home, ignore_errors=True)


def launch(process: Process, module: str, given: dict[str, Any], errors: Any) -> subprocess.Popen:
    program = (
        f"import json, sys; from course.grading.{module} import main; main(json.loads(sys.argv[1]))"
    )
    # -P, -s: imports nothing from the folder where it is started, or from the user's own.
    words = ["-P", "-s", "-B", "-c", program, json.dumps(given)]
    calls = as_file(compiled_calls()) if process.sandbox == "bubblewrap" else -1
    begins = {"bubblewrap": bubblewrap, "container": container}.get(process.sandbox, unguarded)
    try:
        return subprocess.Popen(
            [*begins(process, calls), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=process.home,
            # The program that starts a container is on this side, and gives it these as words.
            env=None if process.sandbox == "container" else environment(process),
            pass_fds=[calls] if calls >= 0 else [],
            start_new_session=True,
        )
    finally:
        if calls >= 0:
            os.close(calls)


def family(process: int) -> Iterator[int]:
    """The numbers of a process and of all that it has started, where the system tells."""
    yield process
    children = Path(f"/proc/{process}/task/{process}/children")
    if children.exists():
        for child in children.read_text(encoding="utf-8").split():
            yield from family(int(child))


def memory(process: int) -> int:
    """KB that are this process's, also the system's for it: what no file could give back."""
    return kilobytes(process, "RssAnon", "RssShmem", "VmSwap", "VmPTE")


def environment(process: Process) -> dict[str, str]:
    """The environment variables of a student's process: nothing of the teacher's."""
    one = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    homes = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR", "IPYTHONDIR")
    needed = {
        "PATH": os.defpath,
        "MPLBACKEND": "agg",
        "TOKENIZERS_PARALLELISM": "false",  # else they start threads, which no sandbox allows
        "PYTHONPATH": INSIDE if process.sandbox in SANDBOXES else str(ROOT),
    }
    if "SYSTEMROOT" in os.environ:  # Windows can't start Python without it
        needed["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    home = HOME if process.sandbox in SANDBOXES else process.home
    return needed | dict.fromkeys(one, "1") | dict.fromkeys(homes, home)


# --- the sandboxes: what stands before a program's arguments -------------------------------------


def unguarded(process: Process, calls: int) -> list[str]:
    return [sys.executable]


def course_inside() -> dict[str, Path]:
    """Place in a sandbox -> the file or folder that is to be read there."""
    own = [ROOT / "course" / "grading" / name for name in WORKER_SIDE]
    paths = (ROOT / "transformer_lib", ROOT / "data", *students_part(), *own)
    return {f"{INSIDE}/{path.relative_to(ROOT).as_posix()}": path for path in paths}


def bubblewrap(process: Process, calls: int) -> list[str]:
    """calls: the descriptor of the list of system calls.

    The program is the only process in there (--as-pid-1): bubblewrap's own would have no limits.
    """
    words = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--as-pid-1", "--die-with-parent"]
    words += ["--cap-drop", "ALL", "--seccomp", str(calls), "--proc", "/proc", "--dev", "/dev"]
    for place, path in [*((path, path) for path in systems_part()), *course_inside().items()]:
        words += ["--ro-bind", str(path), place]
    words += ["--size", str(DISK), "--tmpfs", HOME, "--chdir", HOME]
    for place in ("/proc", "/dev", "/"):  # root could write the system's settings in /proc/sys
        words += ["--remount-ro", place]
    return [*words, sys.executable]


def container(process: Process, calls: int) -> list[str]:
    """Memory is bounded by the system there, its own included, and so are bytes and files."""
    user = getattr(os, "getuid", int)() or 65534  # nobody, in place of root
    all_memory = f"{process.megabytes + 1024}m"  # Python and PyTorch take up to 0.7 GB
    words = [engine(), "run", "--rm", "--interactive", "--name", process.name]
    words += ["--network", "none", "--ipc", "none", "--read-only", "--cap-drop", "ALL"]
    words += ["--security-opt", "no-new-privileges", "--security-opt", f"seccomp={CALLS}"]
    words += ["--memory", all_memory, "--memory-swap", all_memory, "--pids-limit", "64"]
    words += ["--ulimit", f"nofile={OPEN_FILES}", "--ulimit", "core=0", "--user", str(user)]
    # The folder is the user's own, as the engine may give it the mode of one in the image.
    words += ["--tmpfs", f"{HOME}:size={DISK},nr_inodes={FILES},mode=0700,uid={user}"]
    words += ["--workdir", HOME]
    for place, path in course_inside().items():
        words += ["--mount", f"type=bind,src={path},dst={place},readonly"]
    for name, value in environment(process).items():
        words += ["--env", f"{name}={value}"] if name != "PATH" else []  # the image has its own
    return [*words, IMAGE, "python"]


def engine() -> str:
    """The program that runs containers; "" if there is none."""
    return shutil.which("docker") or ""


@functools.cache
def compiled_calls() -> bytes:
    """system_calls.json as the kernel takes it. Containers read the file themselves."""
    profile = json.loads(CALLS.read_text(encoding="utf-8"))
    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(profile["defaultErrnoRet"]))
    for rule in profile["syscalls"]:
        allowed = rule["action"] == "SCMP_ACT_ALLOW"
        action = pyseccomp.ALLOW if allowed else pyseccomp.ERRNO(rule["errnoRet"])
        conditions = [
            pyseccomp.Arg(
                one["index"],
                getattr(pyseccomp, one["op"].removeprefix("SCMP_CMP_")),
                one["value"],
                one.get("valueTwo", 0),
            )
            for one in rule.get("args", ())
        ]
        for name in rule["names"]:
            number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
            if number >= 0:  # else this processor hasn't got it
                rules.add_rule(action, number, *conditions)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def as_file(content: bytes) -> int:
    """A descriptor from which this can be read; a pipe holds 64 KB."""
    reads, writes = os.pipe()
    os.write(writes, content)
    os.close(writes)
    return reads


# --- which sandbox -------------------------------------------------------------------------------


def find_sandbox() -> str:
    """The first sandbox that holds here; "" if none does."""
    return next((sandbox for sandbox in SANDBOXES if holds(sandbox)), "")


def holds(sandbox: str) -> bool:
    return not why_not(sandbox)


def refusal() -> str:
    """Why nothing is graded where no sandbox holds, in one sentence."""
    reasons = f"bubblewrap {why_not('bubblewrap')}; a container {why_not('container')}"
    return (
        f"no submission runs without a sandbox, and none works here: {reasons}. --no-sandbox "
        "grades all the same, with your rights and Python's own guard alone, which stops mistakes "
        "and pranks but nobody who means it."
    )


@functools.cache
def why_not(sandbox: str) -> str:
    """Why this sandbox can't be trusted, as "bubblewrap ..." goes on; "" if it holds."""
    if sandbox == "bubblewrap":
        if sys.platform != "linux":
            return "needs Linux"
        if shutil.which("bwrap") is None:
            return "isn't installed (apt install bubblewrap, dnf install bubblewrap)"
        if pyseccomp is None:
            return "lacks pyseccomp or libseccomp (make grading; apt install libseccomp2)"
    else:
        if not engine():
            return "needs Docker"
        found = subprocess.run([engine(), "image", "inspect", IMAGE], capture_output=True)
        if found.returncode:
            return (
                f"has no image yet, or Docker doesn't run (docker build -t {IMAGE} "
                "-f course/grading/platforms/Dockerfile .)"
            )
    managed, said = escapes(sandbox)
    if managed == ["work"]:
        return cannot_start(said)
    return f"let a process out, by: {', '.join(managed)}" if managed else ""


def cannot_start(said: str) -> str:
    """What a sandbox said when Python didn't start in it -> why, and the way out."""
    if barred := re.search(r"(/\S+?)'?: Permission denied", said):
        return (
            f"can't read {barred[1]}, as root alone or another user may enter a folder above it "
            "(install Python and the course where you may read them without special rights)"
        )
    if re.search("namespace|uid map|not permitted", said):
        return (
            f"may not make namespaces for users ({said}; sudo sysctl -w "
            "kernel.apparmor_restrict_unprivileged_userns=0 allows it on Ubuntu, "
            "kernel.unprivileged_userns_clone=1 on Debian)"
        )
    return f"doesn't start Python ({said or 'it says nothing'})"


def escapes(sandbox: str) -> tuple[list[str], str]:
    """(what a process in the sandbox managed that it shouldn't have, its last words).

    ["work"] if it can't work in there.
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
        with contextlib.ExitStack() as stack:
            outside = Path(folder, "outside")
            outside.mkdir()
            (outside / "secret").write_text("secret")
            server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            given = {"outside": str(outside), "grader": os.getpid(), "megabytes": 2048}
            given |= {"port": server.getsockname()[1]}
            if hasattr(socket, "AF_UNIX"):
                mail = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
                with contextlib.suppress(OSError):  # too long a path
                    mail.bind(f"{outside}/mail")
            given["shared"] = stack.enter_context(shared_memory())
            try:
                process = Process(sandbox, "escape_test", given, errors)
            except OSError as error:
                return ["work"], str(error)
            with contextlib.closing(process):
                process.begin()
                answers = process.stdout.read().splitlines()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
    try:
        begun, *managed = map(json.loads, answers)
    except ValueError:
        managed = ["work"]
    return managed, said


@contextlib.contextmanager
def shared_memory() -> Iterator[int]:
    """The number of a piece of System V's shared memory; -1 where there is none."""
    try:
        import ctypes

        libc = ctypes.CDLL(None)
        number = libc.shmget(0, 4096, 0o600)
    except (OSError, TypeError, AttributeError):
        yield -1
        return
    try:
        yield number
    finally:
        libc.shmctl(number, 0, None)  # IPC_RMID
