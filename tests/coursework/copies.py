"""Grading in which most students' processes don't import PyTorch anew, which takes two seconds.

Each starts as a copy of a process that has imported it, and goes on as the real one does: behind
the same wall or guard, over the same line. But no other program is started in between, so a copy
might reach what was open or in memory before. That is right for mistakes that are known, and for
nothing else: whoever means harm is graded by the real thing (test_rehearsal.py, test_grading.py).
"""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from coursework import batch, grading, pupil
from coursework.source import Assignment
from coursework.wall import lock_in, readable
from tests.coursework.trained import share_of_copies
from transformer_lib.checks import training as check

REAL = ("right", "other-ways", "checks changed")  # the students who get a program of their own
batch.START.set_forkserver_preload(["coursework.grading", "coursework.pupil"])


def grade(student: str, path: Path, source: Assignment, limits: grading.Limits) -> list:
    """As coursework.grading has it."""
    if student in REAL or limits.wall not in ("", "landlock") or sys.platform != "linux":
        return grading.grade(student, path, source, limits)
    start = SimpleNamespace(Popen=Copy, PIPE=None, DEVNULL=None)
    with patch.multiple(grading, subprocess=start, behind=lambda *words: words):
        return grading.grade(student, path, source, limits)


def grade_trained(*submission, trained: Path) -> list:
    """The same. trained: the folder with what is trained once for all (trained.py)."""
    check.share_of_copies = share_of_copies(trained)
    return grade(*submission)


def grade_all(trained: Path) -> Callable:
    """As coursework.batch has it, with copies."""
    return functools.partial(
        batch.grade_all, grade=functools.partial(grade_trained, trained=trained)
    )


class Copy:
    """What subprocess.Popen gives the grader, for a process that is copied."""

    def __init__(self, words, *, cwd, env, **_):
        reads, self._to = batch.START.Pipe(duplex=False)
        self._from, writes = batch.START.Pipe(duplex=False)
        self.stdin = os.fdopen(os.dup(self._to.fileno()), "wb")
        self.stdout = os.fdopen(os.dup(self._from.fileno()), "rb")
        for one in (self._to, self._from):
            one.close()
        self._process = batch.START.Process(target=go_on, args=(reads, writes, words, cwd, env))
        self._process.start()
        reads.close()
        writes.close()
        self.pid, self.wait = self._process.pid, self._process.join


def go_on(reads, writes, words, cwd, env) -> None:
    """What happens in the copy: its streams, its folder, its wall, then the student's process."""
    os.setsid()
    os.dup2(reads.fileno(), 0)
    os.dup2(writes.fileno(), 1)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    wall, home, tree, _, *rest = words
    sys.argv = ["pupil", *rest]
    lock_in(wall, home, [*readable(), tree])
    pupil.main()
