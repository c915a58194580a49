"""Stands in for Docker, where there is none: `image inspect`, `run` and `kill`, with bubblewrap.

It takes the words of `sandboxes.container` and does what each of them means, no more: without
`--network none` there is a network, without a list of system calls all are allowed. The image is
this computer's Python and its packages. Docker itself wasn't tried.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from course.grading import sandboxes
from course.grading.limits import systems_part


def pid_file(name: str) -> Path:
    return Path(tempfile.gettempdir(), f"stand-in-{name}")


def main(words: list[str]) -> int:
    if words[0] == "run":
        return run(options(words[1:]))
    if words[0] == "kill":
        pid_file(words[1]).touch()
    return 0 if words[0] == "kill" or words[:2] == ["image", "inspect"] else 1


def options(words: list[str]) -> argparse.Namespace:
    """An unknown word ends this program, as it would end Docker's."""
    known = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("rm", "interactive", "read-only"):
        known.add_argument(f"--{name}", action="store_true")
    for name in ("name", "workdir", "user", "memory", "memory-swap", "pids-limit"):
        known.add_argument(f"--{name}", required=True)
    for name in ("network", "ipc", "cap-drop"):
        known.add_argument(f"--{name}", default="")
    for name in ("security-opt", "ulimit", "mount", "env", "tmpfs"):
        known.add_argument(f"--{name}", action="append", default=[])
    known.add_argument("image")
    known.add_argument("command", nargs=argparse.REMAINDER)
    return known.parse_args(words)


def run(told: argparse.Namespace) -> int:
    words = [shutil.which("bwrap"), "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--as-pid-1", "--die-with-parent", "--clearenv", "--proc", "/proc", "--dev", "/dev"]
    words += ["--unshare-net"] if told.network == "none" else []
    words += ["--unshare-ipc"] if told.ipc in ("none", "private") else []
    words += ["--cap-drop", told.cap_drop] if told.cap_drop else []
    for path in systems_part():
        words += ["--ro-bind", path, path]
    for one in told.mount:
        said = dict(pair.split("=") for pair in one.removesuffix(",readonly").split(","))
        assert said["type"] == "bind"
        bind = "--ro-bind" if one.endswith(",readonly") else "--bind"
        words += [bind, said["src"], said["dst"]]
    (writable,) = told.tmpfs
    place, _, how = writable.partition(":")
    said = dict(pair.split("=") for pair in how.split(","))
    words += ["--size", said["size"], "--tmpfs", place]
    words += ["--remount-ro", "/"] if told.read_only else []
    words += ["--remount-ro", "/dev"] if told.user != "0" else []  # root's folder
    words += ["--remount-ro", "/proc"]  # Docker shows what may be set there as read-only
    for one in told.env:
        words += ["--setenv", *one.split("=", 1)]
    calls = -1
    for one in told.security_opt:
        if one.startswith("seccomp="):
            with patch.object(sandboxes, "CALLS", Path(one.removeprefix("seccomp="))):
                calls = sandboxes.as_file(sandboxes.compiled_calls())
            words += ["--seccomp", str(calls)]
    words += ["--chdir", told.workdir, sys.executable, *told.command[1:]]

    def limit() -> None:
        for one in told.ulimit:
            name, most = one.split("=")
            resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (int(most), int(most)))

    process = subprocess.Popen(
        words, pass_fds=[calls] if calls >= 0 else [], preexec_fn=limit, start_new_session=True
    )
    memory, files = int(told.memory.removesuffix("m")) * 1024, int(said["nr_inodes"])
    while process.poll() is None:
        time.sleep(0.05)
        if pid_file(told.name).exists() or over(process.pid, memory, place, files):
            process.kill()
    pid_file(told.name).unlink(missing_ok=True)
    return process.returncode


def over(process: int, memory: int, place: str, files: int) -> bool:
    """Whether it uses more than it was given, memory in KB: here somebody has to look."""
    try:
        processes = list(sandboxes.family(process))
        if sum(map(sandboxes.memory, processes)) > memory:
            return True
        used = os.statvfs(f"/proc/{processes[-1]}/root{place}")
    except OSError:  # it has just begun, or just ended
        return False
    return used.f_files - used.f_ffree >= files


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
