"""`make check`: style, types, and the tests of the files that were changed since the last commit.

Or of the files that are named: .venv/bin/python tools/check.py transformer_lib/model/attention.py
`make test` runs everything; this takes seconds, for a whole notebook or grader up to a minute.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# A minute or more each: all figures, all pages, a whole class. `make test` runs them.
WHOLE = (
    "tests/prose/test_series.py",
    "tests/course/site/test_browser.py",
    "tests/course/grading/test_rehearsal.py",
    "tests/users/test_commands.py",
)
EXERCISES = Path("tests/course/chapters/test_exercises.py")
# For every change, whatever it is.
ALWAYS = ("tests/project/test_setup.py::test_style", "tests/project/test_types.py")
# What readers and teachers have in a clone: not ignored by git, so that nothing removes it.
READERS = ("work/", "runs/", "submissions/", "handout/", "grades-", "build/")


def changed() -> list[Path]:
    """What git says is new or different, but for READERS; paths from the project's folder."""
    found = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all", "--no-renames", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout
    names = [line[3:] for line in found.split("\0") if line]
    return [Path(name) for name in names if not name.startswith(READERS)]


def tests_of(path: Path) -> list[Path]:
    """The tests of one file: itself, those of its name or its folder's, else all that import it.

    Among those that import it, not the WHOLE ones where there are others.
    """
    if not (ROOT / path).exists():
        return []  # deleted
    if path.suffix == ".ipynb" or path.name.startswith("test_"):
        return [path]
    if path.suffix != ".py":
        return []
    if path.parent.parent.name == "chapters" and path.stem.endswith(("checks", "attempts")):
        # Hints and attempts: one test hands in all of them, and what else is so has its own.
        own = Path("tests/course/chapters", path.parent.name, f"test_{path.stem}.py")
        return [EXERCISES, *([own] if (ROOT / own).exists() else [])]
    if path.parts[0] == "tests":  # attempts.py belongs to test_attempts.py
        own = path.with_name(f"test_{path.stem}.py")
        if (ROOT / own).exists():
            return [own]
    # Tests mirror what they test: a/b/c.py is tested in tests/a/b/test_c.py or tests/a/b/test_b.py.
    folders = ("project",) if path.parts[0] == "tools" else path.parts[:-1]
    for depth in range(len(folders), 0, -1):
        stem = [path.stem.strip("_")] if depth == len(folders) else []
        for name in (*stem, folders[depth - 1]):
            own = Path("tests", *folders[:depth], f"test_{name}.py")
            if (ROOT / own).exists():
                return [own]
    module = ".".join(path.with_suffix("").parts).removeprefix("tools.")
    while module not in ("", "course.chapters") and not (found := importing(module)):
        module = module.rpartition(".")[0]  # the package that it is in
    if module in ("", "course.chapters"):
        return []
    return [test for test in found if test.as_posix() not in WHOLE] or found


def importing(module: str) -> list[Path]:
    """The tests that name a module in an import."""
    parent, _, name = module.rpartition(".")
    line = re.compile(
        rf"^ *(from {re.escape(module)} import|import {re.escape(module)}\b"
        rf"|from {re.escape(parent)} import .*\b{name}\b)",
        re.MULTILINE,
    )
    return [
        test.relative_to(ROOT)
        for test in sorted((ROOT / "tests").rglob("test_*.py"))
        if line.search(test.read_text(encoding="utf-8"))
    ]


def main(named: list[str]) -> int:
    paths = [Path(name).resolve().relative_to(ROOT) for name in named] or changed()
    tests = {test: None for path in paths for test in tests_of(path)}
    print("checked:", *(tests or ["style and types only: no Python file or notebook with tests"]))
    return run([*ALWAYS, *tests])


def run(tests: Iterable[Path | str], *options: str) -> int:
    """Side by side; what to exit with."""
    # pytest keeps what it makes of each test file, also where Python is told to write nothing
    # beside it: else every process spends six seconds on it each time.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return pytest.main(
        [
            "--rootdir",
            str(ROOT),
            "-q",
            "--durations=3",
            "--numprocesses=auto",
            "--maxprocesses=8",
            "--dist=loadfile",
            *options,
            *(str(ROOT / test) for test in tests),
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
