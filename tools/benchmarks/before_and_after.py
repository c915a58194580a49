"""Did a change make it slower? The same commands in two states of the project, in turn.

    python tools/benchmarks/before_and_after.py 24111874^        that commit against the newest
    python tools/benchmarks/before_and_after.py v1.0.0 v1.1.0    two commits

Each state is a clone of its own, with this environment's packages. What counts is the processor
time of whole commands, the start of Python included; for JupyterLab the seconds until its first
page is there, since a person waits for them. See tools/benchmarks/README.md.
"""

import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path

from measuring import arguments, ratio, set_up, take_turns
from starting import processor_time

ROOT = Path(__file__).resolve().parents[2]
LINES = "The girl likes trees.\nShe saw the old house because it was there.\n" * 200
COMMANDS = {
    "import": ["-c", "import transformer_lib"],
    "train, 100 steps": ["-m", "transformer_lib", "train", "--task=en-es", "--steps=100"],
    "translate, 400 lines": ["-m", "transformer_lib", "translate", "--input=lines.txt"],
}
RESULTS = {"train, 100 steps": "--out", "translate, 400 lines": "--output"}  # where they write


def clone(commit: str, folder: Path) -> Path:
    """That state of the project in a new folder, which is returned."""
    git = ["git", "-c", "advice.detachedHead=false"]
    subprocess.run([*git, "clone", "--quiet", "--shared", str(ROOT), str(folder)], check=True)
    subprocess.run([*git, "checkout", "--quiet", commit], cwd=folder, check=True)
    (folder / "lines.txt").write_text(LINES, encoding="utf-8")
    return folder


def run(name: str, state: Path) -> None:
    """One command, as a process of its own that imports the project from `state`."""
    with tempfile.TemporaryDirectory() as out:
        places = [f"{RESULTS[name]}={Path(out, 'new')}"] if name in RESULTS else []
        subprocess.run(
            [sys.executable, *COMMANDS[name], *places],
            cwd=state,
            env=os.environ | {"PYTHONPATH": str(state)},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def first_page(state: Path) -> None:
    """From the command to the page: `make lab`, after the set-up, without a browser."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    old, new = (state / "tools" / name for name in ("lab.py", "start_jupyterlab.py"))
    options = ["--no-browser", f"--port={port}", "--IdentityProvider.token=open"]
    server = subprocess.Popen(
        [sys.executable, str(new if new.exists() else old), *options],
        cwd=state,
        env=os.environ | {"PYTHONPATH": str(state)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while server.poll() is None:
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                urllib.request.urlopen(f"http://localhost:{port}/lab?token=open").close()
                return
            time.sleep(0.02)
        raise RuntimeError(f"JupyterLab did not start in {state}")
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    parser = arguments(__doc__, rounds=7)
    parser.add_argument("before", help="a commit or tag")
    parser.add_argument("after", nargs="?", default="HEAD", help="another (default: %(default)s)")
    options = parser.parse_args()
    set_up(options)
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        before = clone(options.before, Path(folder, "before"))
        after = clone(options.after, Path(folder, "after"))
        print(f"\n{'':30}{'after':>9}    after / before")
        asked: dict[str, tuple[Callable[[Path], None], Callable[[], float]]] = {
            name: (partial(run, name), processor_time) for name in COMMANDS
        }
        asked["JupyterLab's first page"] = first_page, time.perf_counter
        for name, (do, clock) in asked.items():
            states = {"before": partial(do, before), "after": partial(do, after)}
            times = take_turns(states, options.repeats, clock=clock)
            middle = statistics.median(times["after"])
            print(f"{name:30}{middle:9.2f} s  {ratio(times, 'after', 'before')}")


if __name__ == "__main__":
    main()
