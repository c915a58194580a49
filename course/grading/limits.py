"""What a submission may see and use: this module is the same on both sides of a sandbox's wall.

`sandboxes.py` builds the sandbox from outside. Within it, a student's process imports this module
before any of the student's code runs, and limits itself; so it imports nothing large.
"""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

try:
    import resource
except ImportError:  # Windows has none
    resource = None

ROOT = Path(__file__).resolve().parents[2]
# What no student gets or may read of the course: solutions, and what checks them in secret.
TEACHERS = ("assignments", "grading")
DISK = 500 * 2**20  # bytes that a submission may write, in all its files together
FILES = 10_000  # and how many files and folders
OPEN_FILES = 256  # at a time: each pipe may hold 64 KB of the system's memory


@dataclass(frozen=True)
class Limits:
    """What a submission may use. seconds: for one cell or one check; total: for all of it."""

    seconds: float = 60.0
    total: float = 600.0
    megabytes: int = 4096
    sandbox: str = ""  # one of sandboxes.SANDBOXES; "": Python's own guard only


def students_part() -> list[Path]:
    """Files and folders of the course that students may have."""
    return sorted(
        path for path in (ROOT / "course").iterdir() if path.name not in (*TEACHERS, "__pycache__")
    )


def systems_part() -> list[str]:
    """Python's files and folders, and the system's: at the same place inside and outside."""
    python = (sys.prefix, sys.base_prefix)
    system = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/System/Library", "/Library/Frameworks")
    etc = [f"/etc/{name}" for name in ("ld.so.cache", "alternatives", "localtime", "fonts")]
    found = [*python, *map(os.path.realpath, python), *system, *etc]
    return [path for path in dict.fromkeys(found) if os.path.exists(path)]


def readable() -> list[str]:
    """Files and folders that every submission may read."""
    ours = (ROOT / "transformer_lib", ROOT / "data", *students_part())
    return [*systems_part(), *map(str, ours)]


def keep_apart(*secrets: Path) -> None:
    """Raise a ValueError if one of these paths is in a folder that every submission may read."""
    for secret in map(os.path.realpath, secrets):
        for folder in map(os.path.realpath, readable()):
            if within(secret, folder):
                raise ValueError(
                    f"{secret} lies in {folder}, which every submission may read: keep it elsewhere"
                )


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def kilobytes(process: int | str, *names: str) -> int:
    """The sum of these numbers of /proc/PID/status, in KB; 0 where the system doesn't tell."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return sum(map(int, re.findall(rf"^(?:{'|'.join(names)}):\s*(\d+) kB$", status, re.M)))


def limit_memory(megabytes: int, of: str = "Data") -> None:
    """Let this process use so many megabytes more than it does now, where the system can tell.

    of: "Data" counts what it may write to, "Size" all addresses: whatever it maps, and however.
    """
    name = {"Data": "RLIMIT_DATA", "Size": "RLIMIT_AS"}[of]
    set_limits({name: kilobytes("self", f"Vm{of}") * 1024 + megabytes * 2**20})


def limit(megabytes: int, seconds: float) -> None:
    """Limit memory, processor time, files and processes, where the system can.

    PyTorch itself takes 0.2 GB, or 0.7 GB where it can use CUDA: what is in use already is free.
    """
    limit_memory(megabytes, "Size")
    set_limits(
        {
            "RLIMIT_CPU": int(seconds) + 5,  # even if nobody is left to stop it
            "RLIMIT_FSIZE": DISK // 5,
            "RLIMIT_NOFILE": OPEN_FILES,
            "RLIMIT_CORE": 0,
            "RLIMIT_NPROC": 0,  # no more processes or threads; root is exempt
        }
    )


def set_limits(bounds: dict[str, int]) -> None:
    for name, bound in bounds.items():
        try:
            resource.setrlimit(getattr(resource, name), (bound, bound))
        except (AttributeError, ValueError, OSError):  # no such limit here, or it can't be set
            continue
