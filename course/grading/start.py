"""How a student's process starts in a sandbox, and which sandbox is trusted.

Where a process can build its sandbox around itself, it is forked from one that has imported
PyTorch (`fork_server.py`), which saves the two seconds of the import. A fork server with more than
one thread isn't forked. Elsewhere a new program is started.
"""

import atexit
import contextlib
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from course.grading.folders import Folder
from course.grading.sandbox import ROOT, bubblewrap, landlockpy, profile, readable, students_part

SANDBOXES = ("bubblewrap", "landlock", "sandbox-exec")
COPIED = ("landlock", "") if sys.platform == "linux" else ()
WORKER_SIDE = (
    "__init__.py",
    "sandbox.py",
    "fork_server.py",
    "escape_test.py",
    "cells.py",
    "rpc.py",
    "worker.py",
)
# Seconds for Python and PyTorch to start: two, but 150 were seen beside twenty other programs. One
# that fails is seen at once; so long is only waited for one that hangs.
START = 600.0
GONE = 10.0  # seconds for a process that is killed to be gone
NO_SANDBOX = (
    "nothing here can sandbox a submission, so it would run with your rights. On Linux, install "
    "bubblewrap (apt install bubblewrap, dnf install bubblewrap); anywhere, grade in a container "
    "(docs/teaching.md has the commands). --no-sandbox grades all the same, with Python's own "
    "guard alone, which stops mistakes and pranks but nobody who means it."
)


def start(
    sandbox: str, home: Path, module: str, given: dict[str, Any]
) -> "subprocess.Popen | Copy":
    """Start a process that runs `main(given)` of course.grading.MODULE in a sandbox ("": in none).

    It works in the folder `home`, beside which other files may be put. given: must fit into JSON.
    """
    for _ in range(2) if sandbox in COPIED else ():
        with contextlib.suppress(OSError):  # it was lost, for want of memory perhaps: then another
            return Copy(fork_server(sandbox), sandbox, home, module, given)
    tree = worker_side(home.parent / "tree")
    return subprocess.Popen(
        sandboxed(sandbox, str(home), str(tree), module, may_read(tree, given)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=home,
        env=surroundings(str(home), str(tree)),
        start_new_session=True,
    )


def end(process: "subprocess.Popen | Copy") -> None:
    """Kill a process and whatever it started in its session."""
    if isinstance(process, Copy) and process.fork_server.is_lost():
        return  # it ended with the fork server, and its number may be another's by now
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:  # it has ended already
        pass


# --- what a student's process gets ---------------------------------------------------------------


def worker_side(tree: Path) -> Path:
    """Make a folder with the modules that a student's process imports: no assignment, no test."""
    if not tree.exists():
        own = tree / "course" / "grading"
        own.mkdir(parents=True)
        for name in WORKER_SIDE:
            shutil.copy(ROOT / "course" / "grading" / name, own)
        for path in (ROOT / "transformer_lib", *students_part()):
            place = tree / path.relative_to(ROOT)
            if os.name == "posix":
                place.symlink_to(path)
            else:  # Windows keeps links for administrators
                (shutil.copytree if path.is_dir() else shutil.copy)(path, place)
    return tree


def may_read(tree: Path, given: dict[str, Any]) -> dict[str, Any]:
    return given | {"readable": [*readable(), str(tree)]}


def surroundings(home: str, tree: str = "") -> dict[str, str]:
    """The environment variables of a student's process: nothing of the teacher's.

    tree: where a Python that is started finds the student's side of this package, and the library.
    """
    one = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    homes = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR", "IPYTHONDIR")
    # Hugging Face's tokenizers would start threads, which `limit` forbids.
    needed = {"PATH": os.defpath, "MPLBACKEND": "agg", "TOKENIZERS_PARALLELISM": "false"}
    if "SYSTEMROOT" in os.environ:  # Windows can't start Python without it
        needed["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    if tree:
        needed["PYTHONPATH"] = os.pathsep.join((tree, str(ROOT)))
    return needed | dict.fromkeys(one, "1") | dict.fromkeys(homes, home)


def python(program: str, *words: str) -> list[str]:
    """The command for a program that imports nothing from the folder where it is started."""
    return [sys.executable, "-P", "-s", "-B", "-c", program, *words]


# --- as a program of its own ---------------------------------------------------------------------


def sandboxed(sandbox: str, home: str, tree: str, module: str, given: dict[str, Any]) -> list[str]:
    """The command that runs `main` of course.grading.MODULE in a sandbox ("": in none)."""
    program = (
        "import json, sys; given = json.loads(sys.argv[1]); "
        "from course.grading.sandbox import lock_in; "
        f"lock_in({sandbox!r}, {home!r}, given['readable']); "
        f"from course.grading.{module} import main; main(given)"
    )
    command = python(program, json.dumps(given))
    if sandbox == "bubblewrap":
        return [*bubblewrap(home, tree), *command]
    if sandbox == "sandbox-exec":
        return ["sandbox-exec", "-p", profile(home, tree), *command]
    return [*without_rights(sandbox), *command]


def without_rights(sandbox: str) -> list[str]:
    """What to put in front of a command so that root gives up its privileges."""
    as_root = sandbox == "landlock" and os.geteuid() == 0
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if as_root else []


# --- as a copy -----------------------------------------------------------------------------------


class ForkServer:
    """The process that students' processes are forked from. It ends with this one."""

    def __init__(self, sandbox: str):
        self.owner = os.getpid()
        self.folder = Folder("fork-server-")
        folder = str(self.folder.path)
        self.tree = worker_side(Path(folder, "tree"))
        self.line, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        words = (folder, str(its_end.fileno()))
        program = python("from course.grading.fork_server import main; main()", *words)
        command = [*without_rights(sandbox), *program]
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=surroundings(folder, str(self.tree)),
                pass_fds=[its_end.fileno()],
                start_new_session=True,
            )
        except BaseException:
            self.line.close()
            self.folder.close()
            raise
        finally:
            its_end.close()
        atexit.register(self.close)

    def ask(self, request: dict[str, Any], *pipes: int, seconds: float = START) -> bytes:
        """Its answer. An OSError if it is lost or doesn't answer in time; then it is ended."""
        try:
            self.line.settimeout(seconds)
            socket.send_fds(self.line, [json.dumps(request).encode()], pipes)
            if answer := self.line.recv(100):
                return answer
            raise ConnectionResetError("the process that is copied has ended")
        except BaseException:  # an answer that comes late would be taken for that of the next
            self.close()
            raise

    def is_lost(self) -> bool:
        return self.line.fileno() == -1 or self.process.poll() is not None

    def close(self) -> None:
        if os.getpid() == self.owner:  # not in a process that this one forked
            self.line.close()
            self.process.kill()
            self.process.wait()
            self.folder.close()


FORK_SERVERS: dict[str, ForkServer] = {}


def fork_server(sandbox: str) -> ForkServer:
    """The fork server for a sandbox; a new one if it was lost."""
    if sandbox in FORK_SERVERS and FORK_SERVERS[sandbox].is_lost():
        FORK_SERVERS.pop(sandbox).close()
    if sandbox not in FORK_SERVERS:
        FORK_SERVERS[sandbox] = ForkServer(sandbox)
    return FORK_SERVERS[sandbox]


class Copy:
    """A forked process, with what is used of subprocess.Popen: stdin, stdout, pid and wait."""

    def __init__(
        self, fork_server: ForkServer, sandbox: str, home: Path, module: str, given: dict[str, Any]
    ):
        self.fork_server = fork_server
        request = {
            "module": module,
            "home": str(home),
            "surroundings": surroundings(str(home)),
            "sandbox": sandbox,
            "given": may_read(fork_server.tree, given),
        }
        reads, to_it = os.pipe()
        from_it, writes = os.pipe()
        self.stdin, self.stdout = os.fdopen(to_it, "wb"), os.fdopen(from_it, "rb")
        try:
            self.pid = int(fork_server.ask(request, reads, writes))
            if self.pid == 0:
                raise BlockingIOError("it has more than one thread, so it can't be copied")
        except OSError:
            self.stdin.close()
            self.stdout.close()
            raise
        finally:
            os.close(reads)
            os.close(writes)

    def wait(self) -> None:
        """Wait until it has ended. Until then its number can't become another process's."""
        with contextlib.suppress(OSError):
            self.fork_server.ask({"ended": self.pid}, seconds=GONE)


# --- which sandbox -------------------------------------------------------------------------------


@functools.cache
def find_sandbox() -> str:
    """The first sandbox that holds here; "" if none does."""
    return next((sandbox for sandbox in SANDBOXES if holds(sandbox)), "")


@functools.cache
def holds(sandbox: str) -> bool:
    """Whether a process that tries to get out stays in, and can still do what it may."""
    program = {"bubblewrap": "bwrap", "landlock": "setpriv", "sandbox-exec": "sandbox-exec"}
    if shutil.which(program[sandbox]) is None or (sandbox == "landlock" and landlockpy is None):
        return False
    return escapes(sandbox) == []


def escapes(sandbox: str) -> list[str]:
    """What a process in the sandbox managed that it shouldn't have; "work" if it can't work."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as server:
        home, outside = Path(folder, "home"), Path(folder, "other")
        home.mkdir()
        outside.mkdir()
        (outside / "secret").write_text("secret")
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        given = {"outside": str(outside), "port": port, "grader": os.getpid()}
        try:
            process = start(sandbox, home, "escape_test", given)
        except OSError:
            return ["work"]
        with process.stdin, process.stdout:
            late = threading.Timer(START, end, [process])
            late.start()
            answer = process.stdout.read()
            late.cancel()
        end(process)
        process.wait()
    try:
        return json.loads(answer)
    except ValueError:
        return ["work"]
