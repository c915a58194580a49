"""The process in which one student's notebook runs, on the grader's orders and under a guard.

It offers four functions to the grader (see `rpc.py`): run a cell, hand over the object with a
given name, call a function while watching what runs, and test that watch. What the notebook prints
is discarded.
"""

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch

from course.checks.watching import on_guard, watched_here
from course.grading.cells import Cells
from course.grading.limits import limit, readable, within
from course.grading.rpc import Line

# What a notebook of this course has no need for: the first words of Python's audit events.
CLOSED_EVENTS = tuple(
    """
    subprocess. os.system os.exec os.fork os.posix_spawn os.spawn os.startfile pty. _winapi. winreg.
    os.kill signal.pthread_kill fcntl. socket. ctypes. resource. sqlite3. mmap. os.setxattr
    os.removexattr os.chflags os.lockf syslog.
    """.split()
)
# Events that change files, and how many of their first arguments are paths.
CHANGES = {"os.rename": 2, "os.link": 2, "os.symlink": 2} | dict.fromkeys(
    "os.remove os.rmdir os.mkdir os.truncate os.chmod os.chown os.utime".split(), 1
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main(given: dict[str, Any]) -> None:
    """Serve the grader until it is gone. given: the limits."""
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    torch.set_num_threads(1)
    tempfile.tempdir = str(Path.cwd())
    line = Line(reader, writer)
    call, try_watch = watched_here, on_guard  # before anybody patches them
    cells = Cells()
    line.offer(cells.run)
    line.offer(lambda name: cells.names[name])
    line.offer(lambda number, *rest: call(line.functions[number], *rest))
    line.offer(try_watch)
    limit(given["megabytes"], given["seconds"])
    if hasattr(signal, "alarm"):  # it sleeps, and the grader was killed
        signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
        signal.alarm(int(given["seconds"]) + 60)
    sys.addaudithook(guard(Path.cwd(), readable()))
    while True:
        line.serve(line.receive())


def guard(own: Path, may_be_read: Iterable[str]) -> Callable[[str, tuple], None]:
    """An audit hook that allows writing only in `own`, and reading only there and in `may_be_read`.

    It stops what happens by mistake or for fun, but not somebody who knows the interpreter: that
    takes a sandbox (`sandboxes.py`).
    """
    home = os.path.realpath(own)
    open_roots = [home, *map(os.path.realpath, may_be_read)]

    def check(path: Any, writes: bool) -> None:
        if path is None or isinstance(path, int):  # a file that is open already
            return
        path = os.path.realpath(os.fsdecode(path))
        if path == os.devnull or within(path, home):
            return
        if writes:
            raise PermissionError(f"a notebook may only write into its own folder, not to {path}")
        if not any(within(path, root) for root in open_roots):
            raise PermissionError(f"a notebook may not read {path} while it is graded")

    def hook(event: str, details: tuple) -> None:
        if event == "open":
            check(details[0], bool((details[2] or 0) & WRITES))
        elif event in ("os.listdir", "os.scandir"):
            check(details[0] or ".", False)
        elif event in CHANGES:
            for path in details[: CHANGES[event]]:
                check(path, True)
        elif event.startswith(CLOSED_EVENTS):
            raise PermissionError(f"a notebook may not use {event} while it is graded")

    return hook
