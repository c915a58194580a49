"""The process in which one student's notebook runs: it obeys the grader, behind a guard.

Two functions are offered to the grader, see `Line`: number 0 runs a cell, number 1 hands over what
a name stands for. What the notebook prints goes nowhere.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import torch

from coursework.wire import Line

try:
    import resource
except ImportError:  # Windows has none
    resource = None

# What a notebook of this course has no need for, by the names of Python's audit events.
CLOSED_EVENTS = frozenset(
    """
    subprocess.Popen os.system os.exec os.fork os.forkpty os.posix_spawn os.spawn os.startfile
    pty.spawn os.kill os.killpg socket.connect socket.bind socket.sendto socket.sendmsg
    socket.getaddrinfo socket.gethostbyname ctypes.dlopen ctypes.dlsym ctypes.call_function
    resource.prlimit sqlite3.connect mmap.__new__
    """.split()
)
# Events that change files, and how many of their first arguments are paths.
CHANGES = {"os.rename": 2, "os.link": 2, "os.symlink": 2} | dict.fromkeys(
    "os.remove os.rmdir os.mkdir os.truncate os.chmod os.chown os.utime".split(), 1
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main() -> None:
    """The grader starts this with one argument: the limits and folders, as JSON."""
    given = json.loads(sys.argv[1])
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    torch.set_num_threads(1)
    line = Line(reader, writer)
    names: dict[str, Any] = {"__name__": "__main__", "display": Mock(), "get_ipython": Mock()}
    line.offer(lambda source: exec(compile(plain_python(source), "notebook", "exec"), names))
    line.offer(lambda name: names[name])
    limit(given["megabytes"])
    sys.addaudithook(guard(Path.cwd(), given["readable"], given["hidden"]))
    while True:
        kind, *rest = line.receive()
        line.serve(kind, rest)


def plain_python(source: str) -> str:
    """A cell; if it isn't Python, without the lines for Jupyter alone: %magic and !shell."""
    try:
        compile(source, "notebook", "exec")
        return source
    except (SyntaxError, ValueError):
        lines = source.split("\n")
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def limit(megabytes: int) -> None:
    """Bounds on memory, files and processes, where the system has them (not on Windows)."""
    if resource is None:
        return
    bounds = {
        resource.RLIMIT_DATA: megabytes * 2**20,
        resource.RLIMIT_FSIZE: 100 * 2**20,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,  # no more processes or threads; root is exempt
    }
    for kind, bound in bounds.items():
        try:
            resource.setrlimit(kind, (bound, bound))
        except (ValueError, OSError):  # a system that knows the limit but won't set it
            continue


def guard(
    own: Path, readable: Sequence[str], hidden: Sequence[str]
) -> Callable[[str, tuple], None]:
    """An audit hook: files are written in `own` alone, read in `readable` but not in `hidden`.

    It stops what happens by mistake or for fun. It is no wall against somebody who knows the
    interpreter (TEACHING.md says what is).
    """
    home = os.path.realpath(own)
    open_roots = [home, *map(os.path.realpath, readable)]
    closed_roots = [os.path.realpath(folder) for folder in hidden]

    def within(path: str, roots: Sequence[str]) -> bool:
        return any(path == root or path.startswith(root + os.sep) for root in roots)

    def check(path: Any, writes: bool) -> None:
        if path is None or isinstance(path, int):  # a file that is open already
            return
        path = os.path.realpath(os.fsdecode(path))
        if path == os.devnull or within(path, [home]):
            return
        if writes:
            raise PermissionError(f"a notebook may only write into its own folder, not to {path}")
        if not within(path, open_roots) or within(path, closed_roots):
            raise PermissionError(f"a notebook may not read {path} while it is graded")

    def hook(event: str, details: tuple) -> None:
        if event == "open":
            check(details[0], bool((details[2] or 0) & WRITES))
        elif event in ("os.listdir", "os.scandir"):
            check(details[0] or ".", False)
        elif event in CHANGES:
            for path in details[: CHANGES[event]]:
                check(path, True)
        elif event in CLOSED_EVENTS:
            raise PermissionError(f"a notebook may not use {event} while it is graded")

    return hook
