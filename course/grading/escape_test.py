"""A process in a sandbox that tries to get out, and prints as JSON what it managed to do."""

import contextlib
import ctypes
import json
import mmap
import os
import resource
import socket
import stat
import threading
from collections.abc import Callable
from typing import Any

from course.grading.limits import DISK, FILES, OPEN_FILES, limit


def main(given: dict[str, Any]) -> None:
    """Try everything and print what worked. given: what is outside, as `start.escapes` makes it."""
    limit(given["megabytes"], 60)
    print(json.dumps("begun"), flush=True)
    for name, attempt in {"work": unable, **ways_out(given), "files": files}.items():
        if works(attempt):
            print(json.dumps(name), flush=True)  # at once: the next may be what it is killed for


def works(attempt: Callable[[], Any]) -> bool:
    try:
        return bool(attempt())
    except (OSError, ValueError, AttributeError, RuntimeError, MemoryError):
        return False


def unable() -> bool:
    """Whether it can't do what it may: write a file in its folder, read it, and the library."""
    try:
        with open("mine", "w", encoding="utf-8") as file:
            file.write("x")
        return open("mine", encoding="utf-8").read() != "x" or not open(__file__, "rb").read()
    except OSError:
        return True


def ways_out(given: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """name -> a call that returns something true if it gets out, and else fails."""
    outside, grader, shared = given["outside"], given["grader"], given["shared"]
    c = ctypes.CDLL(None)
    c.shmat.restype = ctypes.c_ssize_t
    return {
        # files
        "read": lambda: open(f"{outside}/secret", encoding="utf-8").read(),
        "see": lambda: os.listdir(outside),
        "write": lambda: open(f"{outside}/mine", "w", encoding="utf-8").write("x"),
        "change": lambda: os.open(__file__, os.O_WRONLY) > 0,
        "mode": lambda: os.chmod(__file__, stat.S_IMODE(os.stat(__file__).st_mode)) is None,
        "settings": lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY) > 0,
        "spill": lambda: any(map(writable, ("/dev/shm", "/dev", "/tmp", "/"))),
        "fill": lambda: fill() > DISK,
        "fallocate": lambda: (
            c.fallocate(os.open("mine", os.O_RDWR), 1, ctypes.c_long(0), ctypes.c_long(3 * 2**30))
            == 0
        ),
        # memory that no limit counts, or that is others'
        "grow": lambda: mmap.mmap(-1, 2**20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANON | 0x100),
        "hoard": lambda: mmap.mmap(-1, given["megabytes"] * 2**20),
        "raise": lambda: raised(resource.RLIMIT_AS) or raised(resource.RLIMIT_NOFILE),
        "pairs": lambda: [socket.socketpair() for _ in range(OPEN_FILES // 4)],
        "descriptors": descriptors,
        "memfd": lambda: os.memfd_create("x") > 0,
        "shmget": lambda: c.shmget(0, 4096, 0o600) != -1,
        "shmat": lambda: c.shmat(shared, None, 0) != -1,
        "shmctl": lambda: c.shmctl(shared, 0, None) != -1,
        # other processes
        "find": lambda: b"python" in open(f"/proc/{grader}/cmdline", "rb").read(),
        "tamper": lambda: any(map(opened, os.listdir("/proc"))),
        "send": lambda: os.kill(grader, 0) is None,
        "trace": lambda: c.ptrace(0x4206, grader, None, None) != -1,  # PTRACE_SEIZE
        "thread": lambda: threading.Thread(target=int).start() is None,
        "start": start,
        # the network, and what listens on this computer
        "connect": lambda: socket.create_connection(("127.0.0.1", given["port"]), timeout=2),
        "mail": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(
            b"x", f"{outside}/mail"
        ),
        # the sandbox itself
        "unshare": lambda: c.unshare(0x10000000) == 0,  # CLONE_NEWUSER
        "mount": lambda: c.mount(b"x", os.fsencode(os.getcwd()), b"tmpfs", 0, None) == 0,
    }


def writable(folder: str) -> bool:
    path = f"{folder}/probe-{os.getpid()}"
    with contextlib.suppress(OSError):
        open(path, "w", encoding="utf-8").close()
        os.remove(path)
        return True
    return False


def opened(process: str) -> bool:
    """Whether the memory of another process can be written."""
    with contextlib.suppress(OSError):
        if process.isdigit() and int(process) != os.getpid():
            return os.open(f"/proc/{process}/mem", os.O_RDWR) > 0
    return False


def fill() -> int:
    """Bytes that could be written, up to a little more than is allowed."""
    written = 0
    with contextlib.suppress(OSError):
        for number in range(21):
            with open(f"fill-{number}", "wb", buffering=0) as file:
                written += file.write(bytes(DISK // 20))
    for name in os.listdir("."):
        if name.startswith("fill-"):
            os.remove(name)
    return written


def descriptors() -> int:
    """How many can be open at a time, where that is more than it should be."""
    kept = []
    try:
        while len(kept) < OPEN_FILES:
            kept.append(os.dup(0))
    finally:
        for one in kept:
            os.close(one)
    return len(kept)


def raised(which: int) -> bool:
    """Whether it has more now than before, or never had a limit."""
    _, most = resource.getrlimit(which)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(which, (most, most + 1))
        return True
    return most == resource.RLIM_INFINITY


def start() -> bool:
    if (child := os.fork()) == 0:
        os._exit(0)
    return child > 0


def files() -> bool:
    """Many more files than allowed, each of them empty; then wait to be seen."""
    for number in range(3 * FILES):
        os.close(os.open(f"empty-{number}", os.O_CREAT | os.O_WRONLY))
    threading.Event().wait(1)
    return True
