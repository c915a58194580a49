"""A class's submissions, graded side by side: whatever one of them does costs only itself.

Each result is kept in a file of its own as soon as it is there, under a name made of everything it
depends on. So a run that was killed goes on where it stopped, and what hasn't changed since the
last run isn't graded again.
"""

import dataclasses
import functools
import hashlib
import json
import multiprocessing
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path

from tqdm import tqdm

from course.grading.assignment_files import FOLDER, Assignment
from course.grading.grade import LARGEST, NOT_GRADED, Result, grade
from course.grading.limits import ROOT, Limits, limit_memory
from course.grading.sandboxes import START
from transformer_lib.files import write_file

Grade = Callable[[str, Path, Assignment, Limits], list[Result]]
SPARE = 60.0  # seconds that a worker has beyond the time of a submission, for the checks
SLOW, THEN_EVERY = 20.0, 60.0  # seconds until a submission is told of by name, and again
NO_START = (
    "a process for grading doesn't start: is there memory left? What is graded is kept, and the "
    "same command goes on from there."
)
MEGABYTES = 4096  # for a worker, whatever its submission makes it do


# --- what is kept --------------------------------------------------------------------------------


@functools.cache
def version() -> bytes:
    """A digest of the code that grades: the library, this package and the assignments."""
    files = [path for name in ("transformer_lib", "course") for path in (ROOT / name).rglob("*.py")]
    digest = hashlib.sha256()
    for path in sorted([*files, *FOLDER.glob("*.ipynb")]):
        digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.digest()


def place(kept: Path, path: Path, source: Assignment, limits: Limits) -> Path | None:
    """The file for the results of a submission; None if the submission can't be read as a file."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST[source.suffix]:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    about = json.dumps([source.notebook, dataclasses.asdict(limits), path.name]).encode()
    return kept / (hashlib.sha256(version() + about + content).hexdigest() + ".json")


def recall(file: Path | None, student: str) -> list[Result] | None:
    """The results stored in a file, or None."""
    try:
        return [Result(student, **one) for one in json.loads(file.read_text(encoding="utf-8"))]
    except (AttributeError, OSError, ValueError, TypeError):
        return None


def keep(file: Path | None, results: Sequence[Result]) -> None:
    """Store results without the student's name, so that the file doesn't say whose work it is."""
    if file is not None:
        plain = [dataclasses.asdict(one) for one in results]
        for one in plain:
            del one["student"]
        write_file(file, json.dumps(plain).encode())


# --- the workers ---------------------------------------------------------------------------------


# Each is a program of its own, not a copy of this process: a copy has none of its threads, and
# waits for ever for a lock that one of them held.
NEW = multiprocessing.get_context("spawn")


class Worker:
    """A process that grades one submission after the other, and may be lost."""

    def __init__(self, grade: Grade, source: Assignment, limits: Limits):
        self.ours, theirs = NEW.Pipe()
        self.process = NEW.Process(target=work, args=(theirs, grade, source, limits))
        self.process.start()
        theirs.close()
        self.ready = False
        self.student = ""
        self.since = self.told = self.deadline = 0.0

    def take(self, student: str, path: Path, seconds: float) -> None:
        """Send it a submission. Raises EOFError or OSError if the worker is lost already."""
        if not self.ready:
            self.wait_for_start()
        self.student, self.since = student, time.monotonic()
        self.told, self.deadline = self.since + SLOW, self.since + seconds
        self.ours.send((student, path))

    def wait_for_start(self) -> None:
        """Wait until Python and PyTorch have started, and say so if that takes long."""
        begin, patience = time.monotonic(), SLOW
        while not self.ours.poll(patience):
            if (waited := time.monotonic() - begin) > START:
                raise EOFError
            patience = THEN_EVERY
            tqdm.write(
                f"Grading hasn't begun after {waited:.0f} seconds: this computer is busy with "
                "something else.",
                file=sys.stderr,
            )
        self.ready = self.ours.recv()

    def tell(self, limit: float) -> None:
        """Say that this submission takes long, whenever it is time to."""
        if (now := time.monotonic()) >= self.told:
            self.told = now + THEN_EVERY
            tqdm.write(
                f"{self.student} has been graded for {now - self.since:.0f} seconds now; "
                f"after {limit:g} it is stopped.",
                file=sys.stderr,
            )

    def result(self) -> list[Result] | None:
        """The results; None if the worker is lost."""
        try:
            return self.ours.recv() if self.ours.poll() else None
        except (OSError, EOFError):
            return None

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.ours.close()


def work(grader: Connection, grade: Grade, source: Assignment, limits: Limits) -> None:
    """Grade submissions until there are none left: what a worker process runs."""
    threading.Thread(target=end_with, args=[multiprocessing.parent_process()], daemon=True).start()
    limit_memory(MEGABYTES)
    grader.send(True)
    while True:
        try:
            student, path = grader.recv()
        except (OSError, EOFError):
            return
        try:
            results = grade(student, path, source, limits)
        except Exception:  # nothing in a submission stops the batch
            results = not_graded(student, source)
        grader.send(results)


def end_with(parent: multiprocessing.process.BaseProcess) -> None:
    """End this worker, and with it the student's process, when its parent has been killed."""
    parent.join()
    os._exit(1)


def grade_all(
    files: Mapping[str, Path],
    source: Assignment,
    limits: Limits,
    jobs: int,
    kept: Path,
    again: bool = False,
    grade: Grade = grade,
) -> Iterator[list[Result]]:
    """Grade all submissions -> each one's results, as they come. Says how many are kept ones.

    kept: the folder for stored results; again: don't look there first. A submission whose worker is
    lost gets a second try, alone, so that no other submission can be to blame.
    """
    waiting, before = {}, []
    for student, path in files.items():
        file = place(kept, path, source, limits)
        results = None if again else recall(file, student)
        if results is None:
            waiting[student] = (path, file)
        else:
            before.append(results)
    if before:
        tqdm.write(f"{len(before)} of {len(files)} were graded before and haven't changed.")
    yield from before
    for side_by_side in (jobs, 1):
        for student, results in tries(waiting, source, limits, side_by_side, grade):
            if results is not None:
                _, file = waiting.pop(student)
                if not any(one.hint == NOT_GRADED for one in results):
                    keep(file, results)
                yield results
    for student in waiting:
        yield not_graded(student, source)


def tries(
    waiting: Mapping[str, tuple[Path, Path | None]],
    source: Assignment,
    limits: Limits,
    jobs: int,
    grade: Grade,
) -> Iterator[tuple[str, list[Result] | None]]:
    """(student, results or None) for all who are waiting, with so many workers at a time."""
    queue = deque((student, path) for student, (path, _) in waiting.items())
    busy: dict[Connection, Worker] = {}
    free = [Worker(grade, source, limits) for _ in range(min(jobs, len(queue)))]
    try:
        while queue or busy:
            while queue and len(busy) < jobs:
                worker = free.pop() if free else Worker(grade, source, limits)
                try:
                    worker.take(*queue[0], limits.total + SPARE)
                except (OSError, EOFError):  # it was lost while it was waiting
                    worker.end()
                    if not worker.ready:
                        raise ChildProcessError(NO_START) from None
                    continue
                queue.popleft()
                busy[worker.ours] = worker
            soonest = min(min(worker.deadline, worker.told) for worker in busy.values())
            ready = wait(busy, max(0.0, soonest - time.monotonic()))
            for worker in busy.values():
                worker.tell(limits.total + SPARE)
            late = [line for line, one in busy.items() if one.deadline <= time.monotonic()]
            for line in {*ready, *late}:
                worker = busy.pop(line)
                results = worker.result()
                if results is None:
                    worker.end()
                else:
                    free.append(worker)
                yield worker.student, results
    finally:
        for worker in [*busy.values(), *free]:
            worker.end()


def not_graded(student: str, source: Assignment) -> list[Result]:
    """Results without points: nobody gets 0 points for a fault of the grader."""
    return [Result(student, one.name, None, one.points, NOT_GRADED) for one in source.exercises]
