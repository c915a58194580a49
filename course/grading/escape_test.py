"""A process in a sandbox that tries to get out, and prints as JSON what it managed to do."""

import contextlib
import json
import mmap
import os
import socket
import threading
from collections.abc import Callable
from typing import Any

from course.grading.sandbox import limit


def main(given: dict[str, Any]) -> None:
    """Try everything and print what worked. given: a folder outside, a port, a process's number."""
    outside, grader, library = given["outside"], given["grader"], __file__
    limit(4096, 60)

    def reads(path: str) -> str:
        with open(path, encoding="utf-8") as file:
            return file.read()

    def read() -> bool:
        return bool(reads(f"{outside}/secret"))

    def see() -> bool:
        return bool(os.listdir(outside))

    def write() -> bool:
        return bool(open(f"{outside}/mine", "w", encoding="utf-8").write("x"))

    def spill() -> bool:  # in memory or on the disk, without a bound
        for folder in ("/dev/shm", "/dev", "/tmp", "/"):
            path = f"{folder}/probe-{os.getpid()}"
            with contextlib.suppress(OSError):
                open(path, "w", encoding="utf-8").close()
                os.remove(path)
                return True
        return False

    def change() -> bool:
        return bool(open(library, "a", encoding="utf-8").write("x"))

    def empty() -> bool:
        os.close(os.open(library, os.O_RDONLY | os.O_TRUNC))
        return os.path.getsize(library) == 0

    def mode() -> bool:
        os.chmod(library, 0o600)
        return True

    def find() -> bool:
        with open(f"/proc/{grader}/cmdline", "rb") as file:
            return b"python" in file.read()

    def tamper() -> bool:  # with another process in there, which may have no limits
        for number in os.listdir("/proc"):
            if number.isdigit() and int(number) != os.getpid():
                with contextlib.suppress(OSError):
                    os.close(os.open(f"/proc/{number}/mem", os.O_RDWR))
                    return True
        return False

    def hoard() -> bool:  # memory that no limit counts
        with contextlib.suppress(OSError, ValueError):
            mmap.mmap(-1, 2**20).close()
            return True
        return False

    def thread() -> bool:  # which nobody watches
        threading.Thread(target=int).start()
        return True

    def send() -> bool:
        os.kill(grader, 0)
        return True

    def connect() -> bool:
        socket.create_connection(("127.0.0.1", given["port"]), timeout=2).close()
        return True

    def start() -> bool:
        if (child := os.fork()) == 0:
            os._exit(0)
        return child > 0

    def work() -> bool:
        with open("mine", "w", encoding="utf-8") as file:
            file.write("x")
        return not (reads("mine") and reads(library))

    tries = (
        read,
        see,
        write,
        spill,
        change,
        empty,
        mode,
        find,
        tamper,
        hoard,
        thread,
        send,
        connect,
        start,
        work,
    )
    print(json.dumps([attempt.__name__ for attempt in tries if done(attempt)]), flush=True)


def done(attempt: Callable[[], bool]) -> bool:
    """Whether the attempt worked. Any error kept it from that, except in "work"."""
    try:
        return attempt()
    except Exception:
        return attempt.__name__ == "work"
