"""The process in which one student's notebook runs, on the grader's orders and under a guard.

It offers four functions to the grader (see `rpc.py`): run a cell, hand over the object with a
given name, call a function while watching what runs, and test that watch. What the notebook prints
is discarded.
"""

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from course.checks.watching import on_guard, watched_here
from course.grading.cells import Cells
from course.grading.rpc import Line
from course.grading.sandbox import limit, within

# What a notebook of this course has no need for: the first words of Python's audit events.
CLOSED_EVENTS = tuple(
    """
    subprocess. os.system os.exec os.fork os.posix_spawn os.spawn os.startfile pty. _winapi. winreg.
    os.kill signal.pthread_kill fcntl. socket. ctypes. resource. sqlite3. mmap. os.setxattr
    os.removexattr os.chflags os.lockf syslog.
    """.split()
)
# Modules in C that open files, libraries and connections without an event.
CLOSED_MODULES = frozenset(
    "_cffi_backend zmq lxml posix nt _posixsubprocess _gdbm _dbm readline".split()
)
# Functions without an event.
UNSEEN = {
    os: "mkfifo mknod pidfd_open memfd_create setpriority sched_setaffinity sched_setscheduler "
    "sched_setparam chroot setns unshare",
    signal: "pidfd_send_signal",
    # The last two move a tensor into memory that no limit counts, and that outlives the process.
    torch.UntypedStorage: "from_file _new_shared_filename_cpu _share_filename_cpu_ _share_fd_cpu_",
    sys.modules.get("_posixsubprocess"): "fork_exec",
}
BELOW = {os: sys.modules[os.name], signal: sys.modules["_signal"]}
# Events that change files, and how many of their first arguments are paths. The last ones are
# the folders, as open descriptors, that the paths start from; -1 is the current folder.
CHANGES = {"os.rename": 2, "os.link": 2, "os.symlink": 2} | dict.fromkeys(
    "os.remove os.rmdir os.mkdir os.truncate os.chmod os.chown os.utime".split(), 1
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main(given: dict[str, Any]) -> None:
    """Serve the grader until it is gone. given: the limits, and the folders that may be read."""
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    torch.set_num_threads(1)
    torch.seed()  # a copy would draw what others draw
    tempfile.tempdir = str(Path.cwd())  # else it tries, and fails where nothing can be deleted
    line = Line(reader, writer)
    call, try_watch = watched_here, on_guard  # before anybody patches them
    cells = Cells()
    line.offer(cells.run)
    line.offer(lambda name: cells.names[name])
    line.offer(lambda number, *rest: call(line.functions[number], *rest))
    line.offer(try_watch)
    limit(given["megabytes"], given["seconds"])
    closed = close_unseen()  # noqa: F841  as long as it is kept
    sys.addaudithook(guard(Path.cwd(), given["readable"]))
    while True:
        kind, *rest = line.receive()
        line.serve(kind, rest)


def close_unseen() -> torch.library.Library:
    """Make functions that raise no audit event raise one, or else a PermissionError."""

    def refused(*inputs: Any, **options: Any) -> None:
        raise PermissionError("a notebook may not use this while it is graded")

    for module, names in UNSEEN.items():
        for name in names.split():
            for place in (module, BELOW.get(module)):
                if hasattr(place, name):
                    setattr(place, name, refused)
    torch._C.PyTorchFileWriter = audited(torch._C.PyTorchFileWriter)
    for kind in (torch._C.ScriptModule, torch._C._autograd._ProfilerResult):
        kind.save = audited(kind.save)
    serialize_file = audited(safetensors.serialize_file)
    safetensors.torch.serialize_file = safetensors.serialize_file = serialize_file
    os.open = sys.modules[os.name].open = audited_open(os.open)
    operations = torch.library.Library("aten", "IMPL")
    operations.impl("from_file", refused, "BackendSelect")  # torch.from_file, by whatever name
    return operations


def audited(writer: Callable) -> Callable:
    """A function that writes a file, which now raises the same audit event as `open`."""

    def writes(*inputs: Any, **options: Any) -> Any:
        for place in [*inputs, *options.values()]:
            if isinstance(place, str | bytes | os.PathLike):
                sys.audit("open", os.fspath(place), None, os.O_WRONLY)
        return writer(*inputs, **options)

    return writes


def audited_open(opener: Callable) -> Callable:
    """os.open, whose audit event now takes `dir_fd` into account."""

    def opens(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if dir_fd is not None:
            sys.audit("open", starting_from(dir_fd, path), None, flags)
        return opener(path, flags, mode, dir_fd=dir_fd)

    return opens


def starting_from(folder: int | None, path: Any) -> str:
    """A path relative to an open folder, in full. An OSError where the system can't name it."""
    path = os.fsdecode(path)
    if folder in (-1, None) or os.path.isabs(path):
        return path
    return os.path.join(os.readlink(f"/proc/self/fd/{folder}"), path)


def guard(own: Path, readable: Sequence[str]) -> Callable[[str, tuple], None]:
    """An audit hook that allows writing only in `own`, and reading only there and in `readable`.

    It stops what happens by mistake or for fun, but not somebody who knows the interpreter: that
    takes a sandbox (`sandbox.py`).
    """
    home = os.path.realpath(own)
    open_roots = [home, *map(os.path.realpath, readable)]

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
            paths = details[: CHANGES[event]]
            rest = details[len(paths) :]
            folders = (None,) if event == "os.truncate" else rest[-len(paths) :]
            for path, folder in zip(paths, folders * 2, strict=False):
                check(path if isinstance(path, int) else starting_from(folder, path), True)
        elif event == "import" and details[0].split(".")[0] in CLOSED_MODULES:
            raise ImportError(f"a notebook may not use {details[0]} while it is graded")
        elif event.startswith(CLOSED_EVENTS):
            raise PermissionError(f"a notebook may not use {event} while it is graded")

    return hook
