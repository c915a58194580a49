"""Folders that belong to a process, and are removed when it ends, or by the next grader.

Each holds a file that is locked as long as the process that made it lives, however that ends.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: there nothing is left but by a grader that is killed
    fcntl = None

LOCK = "grading.lock"
OURS = ("submission-", "fork-server-")


class Folder:
    """A new folder, for as long as this process lives. kind: one of OURS."""

    def __init__(self, kind: str):
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=kind))
            self.lock = os.open(self.path / LOCK, os.O_WRONLY | os.O_CREAT, 0o600)
            locked(self.lock, wait=True)
            if (self.path / LOCK).exists():
                return
            os.close(self.lock)  # somebody cleared up before it was locked

    def close(self) -> None:
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1
            remove(self.path)


def locked(file: int, wait: bool) -> bool:
    """Try to lock the file; False if a living process has it."""
    with contextlib.suppress(OSError):
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return True
    return False


def clear_up() -> None:
    """Remove the folders of graders that were killed."""
    for kind in OURS if fcntl is not None else ():
        for folder in Path(tempfile.gettempdir()).glob(f"{kind}*"):
            try:
                file = os.open(folder / LOCK, os.O_WRONLY | os.O_NOFOLLOW)
            except OSError:  # none of ours, or another user's
                continue
            if locked(file, wait=False):
                remove(folder)
            os.close(file)


def remove(folder: Path) -> None:
    """Remove a folder, even one that a submission has made too deep for Python, or read-only."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists() and os.name == "posix":
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*command, "--", str(folder)], stderr=subprocess.DEVNULL, check=False)
