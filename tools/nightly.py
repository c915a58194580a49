"""All tests, also those that take long, and once more in another order. Hours: for the night.

    python tools/nightly.py                         # make nightly
    python tools/nightly.py /path/to/its/python     # make nightly ALSO=/path/to/its/python

First everything of `make test`, with every command that the documents name, every notebook in a
plain kernel and a thousand examples of each property; then the tests in one process and in a random
order, whose number is printed (`--random-order-seed=NUMBER` repeats it). Another Python does the
same with another build of PyTorch: Linux users get the one for CUDA from the registry, unless they
ask for the CPU's.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = {
    "everything, and what takes long": [
        "--nightly",
        "--hypothesis-profile=nightly",
        "--numprocesses=auto",
        "--maxprocesses=8",
        "--dist=loadfile",
    ],
    "one process, a random order": ["tests", "--random-order"],
}
BUILD = "import torch; print(torch.__version__, 'CUDA' if torch.version.cuda else 'CPU', sep='|')"


def build(python: str) -> tuple[str, str]:
    """The version of this Python's PyTorch, and what it is built for: CPU or CUDA."""
    told = subprocess.run([python, "-c", BUILD], capture_output=True, text=True, check=True).stdout
    version, kind = told.split("|")
    return version, kind.strip()


def main(others: list[str]) -> int:
    """0 if all is green with every Python."""
    builds = {python: build(python) for python in [sys.executable, *others]}
    results = []
    for python, (version, kind) in builds.items():
        for what, options in RUNS.items():
            name = f"PyTorch {version} (built for {kind}): {what}"
            print(f"\n== {name}", flush=True)
            run = subprocess.run([python, "-m", "pytest", *options], cwd=ROOT)
            results.append((name, run.returncode))
    print()
    for name, status in results:
        print("green" if status == 0 else "RED  ", name)
    for kind in {"CPU", "CUDA"} - {kind for _, kind in builds.values()}:
        print(f"not run: PyTorch built for {kind}; name a Python that has it, as this file says")
    return int(any(status for _, status in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
