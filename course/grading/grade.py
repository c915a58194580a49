"""One submission -> points and a hint for each exercise.

The student's notebook runs in a process of its own (`worker.py`). The checks run here, on what the
student's functions answer, so nothing that the notebook redefines or patches can change a verdict.
If a cell or an answer doesn't end, or ends the process, the process is started again without it.
"""

import contextlib
import json
import math
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.checks import Hint, graded, in_part, reason_of
from course.grading.assignment_files import (
    WRITE_HERE,
    Assignment,
    Exercise,
    a_cell,
    grade_id,
    names_wanted,
    plain,
    text,
)
from course.grading.limits import Limits
from course.grading.rpc import GET_NAME, MOST_CALLS, RUN_CELL, TRY_WATCH, Line, Lost, Stopped
from course.grading.sandboxes import START, Process
from course.grading.tables import one_line

LARGEST = {".ipynb": 20 * 2**20, ".py": 2**18}  # bytes
HOW_TO = {
    ".ipynb": "hand in the notebook without its outputs",
    ".py": "hand in what you wrote, without data",
}
PACKED = (".zip", ".7z", ".rar", ".gz", ".tar")
NOT_GRADED = "not graded: the grader itself failed here. Please tell your teacher."
LONGEST_ANSWER = 10_000  # characters that a person is asked to read
LONGEST_HINT = 1_000  # that a student is


class Unreadable(Exception):
    """A file that can't be graded; the message says why."""

    def __init__(self, message: str):
        super().__init__(one_line(message))  # it names files, and students name those


class OutOfTime(Exception):
    """The submission has used up its time."""


@dataclass(frozen=True)
class Result:
    """The result of one exercise. text: an answer that a person has to read.

    points: None until that person has read it, or if the grader failed.
    """

    student: str
    exercise: str
    points: float | None
    of: int
    hint: str
    text: str = ""


def grade(student: str, path: Path, source: Assignment, limits: Limits) -> list[Result]:
    """Grade one student's file -> a result for each exercise, whatever the file holds."""
    try:
        cells = read_submission(path, source)
    except Unreadable as error:
        return [Result(student, one.name, 0.0, one.points, str(error)) for one in source.exercises]
    setup: dict[str, Any] = {}
    exec(source.setup, setup)  # the teacher's own imports
    results = []
    with contextlib.closing(Worker(code_of(cells, source), limits)) as worker:
        for one in source.exercises:
            if one.kind == "explain":
                results.append(to_be_read(student, one, cells, source))
            else:
                points, hint = judged(one, worker, setup)
                results.append(Result(student, one.name, points, one.points, hint))
    return results


def read_submission(path: Path, source: Assignment) -> list[dict]:
    """The cells of a submitted notebook, or a Python file as a single cell.

    Each has a type, a text and metadata. Raises Unreadable if the file can't be graded.
    """
    try:
        if not stat.S_ISREG(path.lstat().st_mode):  # a folder, a pipe, a link to another's work
            raise Unreadable(f"{path.name} is no file.")
        largest = LARGEST[source.suffix]
        if path.stat().st_size > largest:
            raise Unreadable(
                f"{path.name} is larger than {largest / 2**20:g} MB: {HOW_TO[source.suffix]}."
            )
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise Unreadable(nothing_in(path.parent, source)) from None
    except OSError as error:
        raise Unreadable(f"{path.name} can't be read: {error.strerror}.") from None
    return (cells_of_notebook if source.suffix == ".ipynb" else one_cell)(path, content, source)


def nothing_in(folder: Path, source: Assignment) -> str:
    """What to tell a student whose folder holds no submission; or who handed in another file."""
    found = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else [folder.name]
    place = f" in the folder {folder.name}" if folder.is_dir() else ""
    only = f", only {', '.join(found[:3])}" if found else ""
    wanted = "notebook" if source.suffix == ".ipynb" else source.file
    packed = any(Path(name).suffix.lower() in PACKED for name in found)
    way_out = (
        f" Unpack it and hand in the {source.suffix} file that is in it."
        if packed
        else f" Hand in the {source.suffix} file itself."
        if found
        else ""
    )
    return f"There is no {wanted}{place}{only}.{way_out}"


def cells_of_notebook(path: Path, content: bytes, source: Assignment) -> list[dict]:
    if path.suffix.lower() in PACKED:
        raise Unreadable(
            f"{path.name} is an archive: unpack it and hand in the .ipynb file that is in it."
        )
    try:
        notebook = json.loads(content)
        cells = [
            {
                "cell_type": cell["cell_type"],
                "source": text(cell),
                "metadata": cell.get("metadata", {}),
            }
            for cell in notebook["cells"]
        ]
        if not all(isinstance(grade_id(cell), str) for cell in cells):
            raise ValueError("a grade_id that is no name")
        made_for = notebook["metadata"].get("coursework", {}).get("assignment", source.number)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and error.doc.lstrip().startswith("{"):
            raise Unreadable(
                f"{path.name} isn't a notebook any more: it was cut off or damaged on "
                "its way. Hand in the file once more."
            ) from None
        raise Unreadable(
            f"{path.name} isn't a notebook: hand in the .ipynb file that you worked "
            "on, saved in JupyterLab."
        ) from None
    if made_for != source.number:
        raise Unreadable(f"{path.name} is assignment {made_for}, but this is {source.number}.")
    return cells


def one_cell(path: Path, content: bytes, source: Assignment) -> list[dict]:
    try:
        return [a_cell("code", content.decode("utf-8-sig"))]
    except UnicodeDecodeError:
        raise Unreadable(
            f"{path.name} can't be read as text: hand in {source.file} as your editor "
            "saved it, in UTF-8."
        ) from None


def code_of(cells: Sequence[dict], source: Assignment) -> list[tuple[str, str]]:
    """What to run, as (grade_id, code): the student's cells, in the student's order.

    Given code that was deleted or changed runs before them. Checks are left out, and so are cells
    that only show something. An answer is code also where its cell became Markdown, which one key
    does. A Python file becomes a module under the name that the checks use.
    """
    if source.suffix == ".py":
        (cell,) = cells
        module = f"{source.stem} = own.at_work({text(cell)!r})"
        return [*(("", given) for given in source.given), ("", module)]
    answers = {one.name for one in source.exercises if one.kind != "explain"}
    checks = {f"check-{name}" for name in answers}
    theirs = [
        (grade_id(cell), text(cell))
        for cell in cells
        if (cell["cell_type"] == "code" or grade_id(cell) in answers)
        and grade_id(cell) not in checks
        and text(cell) not in source.shown
    ]
    kept = {code for _, code in theirs}
    return [("", given) for given in source.given if given not in kept] + theirs


def to_be_read(
    student: str, exercise: Exercise, cells: Sequence[dict], source: Assignment
) -> Result:
    """The result of an answer in words: no points yet, or 0 if nothing was written.

    If its cell is untouched or gone, the answer is what the student wrote in cells of their own.
    """
    answer = joined(cell for cell in cells if grade_id(cell) == exercise.name)
    if plain(answer) in ("", plain(WRITE_HERE)):
        ours = {plain(text(cell)) for cell in source.notebook["cells"]} | {plain(WRITE_HERE)}
        answer = joined(
            cell
            for cell in cells
            if cell["cell_type"] == "markdown"
            and not grade_id(cell)
            and plain(text(cell)) not in ours
        )
    if plain(answer) in ("", plain(WRITE_HERE)):
        return Result(student, exercise.name, 0.0, exercise.points, "Nothing is written here.")
    return Result(
        student, exercise.name, None, exercise.points, "to be read", in_part(answer, LONGEST_ANSWER)
    )


def joined(cells: Iterable[dict]) -> str:
    return "\n\n".join(map(text, cells)).strip()


def judged(exercise: Exercise, worker: "Worker", setup: dict[str, Any]) -> tuple[float, str]:
    """The points of one exercise, and the hint if they aren't full points."""
    try:
        worker.run_cells()  # if this raises anything else, it is the grader's own trouble
        return checked(exercise, worker, dict(setup))
    except OutOfTime:
        return 0.0, f"The notebook had used up its {worker.limits.total:g} seconds before this."


def checked(exercise: Exercise, worker: "Worker", names: dict[str, Any]) -> tuple[float, str]:
    """The same for a notebook whose cells have run. names: what the teacher's setup defines."""
    try:
        with worker.clock():
            for name in names_wanted(exercise.check, set(names)):
                names[name] = worker.get(name, exercise.name)
            with graded():
                exec(exercise.check, names)  # the teacher's own check
    except Hint as hint:
        trouble = worker.trouble_in(exercise.name, str(hint))
        return exercise.points * hint.keeps, in_part(str(hint), LONGEST_HINT) + trouble
    except Lost:
        return 0.0, worker.what_happened("This answer")
    except (OutOfTime, MemoryError):
        raise
    except Exception as error:  # an answer of a kind that the check didn't foresee
        return 0.0, f"This can't be checked: {reason_of(error)}"
    return float(exercise.points), ""


class Worker:
    """Runs a student's code in a process of its own, and starts that again whenever it is lost."""

    def __init__(self, cells: Sequence[tuple[str, str]], limits: Limits):
        self.cells = cells
        self.limits = limits
        self.deadline = time.monotonic() + limits.total
        self.process: Process | None = None
        self.line: Line | None = None
        self.stopped = ""  # why the last process was killed, if it was
        self.troubles: dict[int, str] = {}  # number of a cell -> what went wrong in it
        self.deadly: set[int] = set()  # cells that ended the process

    def run_cells(self) -> None:
        """Run all cells, except those that end the process."""
        while self.process is None:
            self.start()
            try:
                unknown = [i for i in range(len(self.cells)) if self.run(i)]
                for i in unknown:  # perhaps cells stand in another order than they were run in
                    self.run(i)
            except Lost:
                continue

    def run(self, number: int) -> bool:
        """Run a cell; True if it uses a name that isn't defined (yet)."""
        if number in self.deadly:
            return False
        try:
            with self.clock():
                self.line.ask(RUN_CELL, self.cells[number][1])
        except Stopped as error:
            self.troubles[number] = reason_of(error)
            return type(error).__name__ == "NameError"
        except Lost:
            self.deadly.add(number)
            self.troubles[number] = self.what_happened("its cell")
            raise
        self.troubles.pop(number, None)
        return False

    def get(self, name: str, answer: str) -> Any:
        """The object with this name, which the cell with the grade_id `answer` should have made."""
        try:
            return self.line.ask(GET_NAME, name)
        except Stopped as error:
            if type(error).__name__ != "KeyError":  # it is there, and no message can hold it
                raise Hint(f"`{name}` can't be handed over: {reason_of(error)}") from None
            why = self.told(answer, name) or "is its cell deleted, or the name changed?"
            raise Hint(f"There is no `{name}`: {why}") from None

    def told(self, answer: str, name: str = "") -> str:
        """What stopped the cell with this grade_id, or the first one that has the name in it."""
        for number, trouble in sorted(self.troubles.items()):
            cell, code = self.cells[number]
            if cell == answer or (name and name in code):
                return trouble
        return ""

    def trouble_in(self, answer: str, known: str) -> str:
        """What stopped the cell with this grade_id, unless `known` says it already."""
        trouble = self.told(answer)
        return f" (The cell stopped: {trouble})" if trouble not in known else ""

    @contextlib.contextmanager
    def clock(self, seconds: float | None = None) -> Iterator[None]:
        """While in this context, the process is killed if its time is up."""
        left = min(seconds or self.limits.seconds, self.deadline - time.monotonic())
        if left <= 0:
            raise OutOfTime
        self.process.allow(left)
        try:
            yield
        except Lost:
            self.close()
            raise
        finally:
            if self.process is not None:
                self.process.allow(math.inf)
                if self.process.stopped:  # perhaps just after its answer: never used again
                    self.close()

    def what_happened(self, subject: str) -> str:
        return f"{subject} {self.stopped or 'ended the whole program, or answered with nonsense.'}"

    def start(self) -> None:
        if time.monotonic() > self.deadline:
            raise OutOfTime
        given = {"megabytes": self.limits.megabytes, "seconds": self.limits.total}
        self.process = Process(self.limits.sandbox, "worker", given)
        self.line = Line(self.process.stdout, self.process.stdin, calls=MOST_CALLS)
        try:
            with self.clock(START):
                self.line.ask(TRY_WATCH)
                self.process.begin()
        except Lost:
            if time.monotonic() >= self.deadline:
                raise OutOfTime from None
            raise ChildProcessError(
                self.what_happened("A student's process, before its work,")
            ) from None

    def close(self) -> None:
        if self.process is not None:
            self.process.close()
            self.stopped = self.process.stopped
            self.process = None
