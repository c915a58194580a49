"""What surrounds a student's process, and what happens when grading itself goes wrong."""

import contextlib
import csv
import dataclasses
import functools
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch

from course.chapters.ch04_attention import checks as attention
from course.checks import LONG, Hint, graded
from course.grading import __main__ as command_line
from course.grading import assignment_files as source
from course.grading import batch
from course.grading.__main__ import main
from course.grading.assignment_files import FOLDER, WRITE_HERE, assignment, text
from course.grading.collect import collect
from course.grading.grade import (
    LARGEST,
    NOT_GRADED,
    Limits,
    OutOfTime,
    Result,
    Unreadable,
    Worker,
    checked,
    code_of,
    grade,
    judged,
    read_submission,
    to_be_read,
)
from course.grading.rpc import Stopped
from course.grading.sandbox import ROOT
from tests.course.grading.classroom import filled_in, hand_in, solutions
from tests.course.grading.hostile import BORROWED, SETUP, UNWATCHED

ATTENTION = assignment(2)
LINUX = sys.platform == "linux"


# --- whose work ----------------------------------------------------------------------------------


def graded_weights(tmp_path, codes):
    """name -> (points, hint) of `my_weights`, each graded in a process of its own."""
    found = {}
    for name, code in codes.items():
        hand_in(tmp_path / "one.ipynb", filled_in(ATTENTION, {"my_weights": SETUP + code}))
        (found[name],) = [
            (one.points, one.hint)
            for one in grade(name, tmp_path / "one.ipynb", ATTENTION, Limits())
            if one.exercise == "my_weights"
        ]
    return found


def test_borrowed_work_gets_no_points(tmp_path):
    """The ways that a process could hide; tests/course/checks/test_watching.py has all others."""
    ways = {name: BORROWED[name] for name in ("partial of C", "getattr", "getsource")}
    ways |= UNWATCHED
    codes = {name: code for name, (code, _) in ways.items()}
    found = graded_weights(tmp_path, codes)
    for name, (_, whose) in ways.items():
        assert found[name][0] == 0 and f"`{whose}` does the whole" in found[name][1], (name, found)


def as_name(words: str) -> str:
    return re.sub(r"\W", "_", words)


@pytest.mark.parametrize("way", UNWATCHED)
def test_taking_the_watch_away_gets_no_points(way):
    code, whose = UNWATCHED[way]
    with contextlib.closing(Worker([("", SETUP + code)], Limits())) as worker, graded():
        worker.run_cells()
        with pytest.raises(Hint, match=f"`{whose}` does the whole"):
            attention.my_weights(worker.get("my_weights", ""))


# --- the batch -----------------------------------------------------------------------------------


def graded_here(files, kept, how, jobs=1, limits=Limits(), again=False):  # noqa: B008
    """student -> (points, hint) of the first exercise."""
    everything = batch.grade_all(files, ATTENTION, limits, jobs, kept, again, how)
    return {one[0].student: (one[0].points, one[0].hint) for one in everything}


def some_files(folder, *students):
    for student in students:
        hand_in(folder / f"{student}.ipynb", {"by": student})
    return {student: folder / f"{student}.ipynb" for student in students}


def test_a_grader_that_breaks_down_goes_on_with_the_next(tmp_path, monkeypatch):
    """Even if grading one submission ends or stops the grader's own process."""
    monkeypatch.setattr(batch, "SPARE", 3.0)
    students = ("before", "deadly", "faulty", "stuck", "after")
    found = graded_here(
        some_files(tmp_path, *students),
        tmp_path / "kept",
        grade_unless_deadly,
        jobs=1,
        limits=Limits(total=0),
    )
    assert set(found) == set(students)
    for student, (points, hint) in found.items():
        assert (points is None) == (student in ("deadly", "faulty", "stuck"))
        assert hint.startswith("not graded") == (student in ("deadly", "faulty", "stuck"))
    assert len(list((tmp_path / "kept").iterdir())) == 2  # the others get another try next time


def grade_unless_deadly(student, path, source, limits):
    if student == "deadly":
        os._exit(1)
    if student == "stuck":
        time.sleep(1000)
    if student == "faulty":
        raise KeyError(student)
    return [Result(student, one.name, 1.0, one.points, "") for one in source.exercises]


def test_nobody_has_0_points_for_a_fault_of_the_grader(tmp_path, monkeypatch, capsys):
    """No points at all, words that say so, an exit code, and no grade in a gradebook."""
    folder, out = tmp_path / "submissions", tmp_path / "grades"
    for student in ("ana", "faulty"):
        hand_in(folder / f"{student}.ipynb", filled_in(ATTENTION, {"why-the-root": WRITE_HERE}))
    book = tmp_path / "book.csv"
    book.write_text(
        "Student,ID,SIS Login ID,Section,Assignment 2 (7)\n    Points Possible,,,,16\n"
        "ana,1,ana,A,\nfaulty,2,faulty,A,\n"
    )
    command = ["grade", "2", str(folder), "--out", str(out), "--gradebook", str(book)]
    monkeypatch.setattr(command_line, "try_solution", lambda *_: None)
    monkeypatch.setattr(
        command_line, "grade_all", functools.partial(batch.grade_all, grade=grade_unless_deadly)
    )
    assert main(command) == 1
    told = capsys.readouterr()
    assert "not graded, as the grader itself failed: faulty." in told.err
    assert "1 submissions graded" in told.out and "as the grader failed: faulty" in told.out
    with (out / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["student"] == "faulty"]
    assert len(rows) == len(ATTENTION.exercises)
    for row in rows:
        assert row["points"] == "" and row["hint"].startswith("not graded"), row
    with (out / "totals.csv").open(encoding="utf-8-sig", newline="") as file:
        totals = {row["student"]: row for row in csv.DictReader(file)}
    assert totals["faulty"]["total"] == totals["faulty"]["machine"] == ""
    assert float(totals["ana"]["total"]) > 0
    page = (out / "pages" / "faulty.html").read_text(encoding="utf-8")
    assert "<strong>not graded</strong>" in page and "0 of" not in page
    filled = (out / "filled-book.csv").read_text(encoding="utf-8").splitlines()
    assert filled[-1] == "faulty,2,faulty,A," and filled[-2].startswith("ana,1,ana,A,5")
    monkeypatch.setattr(
        command_line, "grade_all", functools.partial(batch.grade_all, grade=grade_all_right)
    )
    assert main(command) == 0  # the same command tries again
    assert "the grader failed before" in (out / "changes.csv").read_text(encoding="utf-8")


def grade_all_right(student, path, source, limits):
    return [Result(student, one.name, 1.0, one.points, "") for one in source.exercises]


def test_what_takes_long_is_told_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(batch, "SLOW", 1.0)
    monkeypatch.setattr(batch, "THEN_EVERY", 1.0)
    found = graded_here(some_files(tmp_path, "ana", "slow"), tmp_path / "kept", grade_slowly)
    assert found == {"ana": (1.0, ""), "slow": (1.0, "")}
    told = capsys.readouterr().err
    assert "ana" not in told
    for seconds in (1, 2):
        assert f"slow has been graded for {seconds} seconds now; after 660 it is stopped." in told
    assert told.count("slow has been") == 2


def grade_slowly(student, path, source, limits):
    time.sleep(2.6 if student == "slow" else 0)
    return grade_all_right(student, path, source, limits)


def test_a_computer_too_busy_to_start_is_waited_for(monkeypatch, capsys):
    monkeypatch.setattr(batch, "SLOW", 0.2)
    monkeypatch.setattr(batch, "THEN_EVERY", 0.2)
    worker = batch.Worker.__new__(batch.Worker)
    (worker.ours, theirs), worker.ready = multiprocessing.Pipe(), False
    starts = threading.Timer(0.7, theirs.send, [True])
    starts.start()
    worker.wait_for_start()
    assert worker.ready and capsys.readouterr().err.count("this computer is busy") >= 2
    starts.join()
    worker.ready = False
    monkeypatch.setattr(batch, "START", 0.3)
    with pytest.raises(EOFError):  # it hangs
        worker.wait_for_start()


def test_a_grader_that_cannot_start_says_so_in_a_sentence(tmp_path, monkeypatch, capsys):
    hand_in(tmp_path / "submissions" / "ana.ipynb", filled_in(ATTENTION, {}))
    monkeypatch.setattr(command_line, "try_solution", lambda *_: None)
    monkeypatch.setattr(batch, "work", ends_at_once)
    command = ["grade", "2", str(tmp_path / "submissions"), "--out", str(tmp_path / "grades")]
    assert main(command) == 2
    assert "grading: a process for grading doesn't start" in capsys.readouterr().err


def ends_at_once(*_):
    os._exit(1)


@pytest.mark.skipif(not LINUX, reason="only Linux bounds the memory of a program")
def test_the_grader_has_a_limit_of_memory_of_its_own(tmp_path):
    found = graded_here(some_files(tmp_path, "ana"), tmp_path / "kept", grade_hungrily)
    assert found["ana"] == (None, NOT_GRADED)


def grade_hungrily(student, path, source, limits):
    torch.empty((batch.MEGABYTES + 100) * 2**20, dtype=torch.uint8)
    return grade_all_right(student, path, source, limits)


def test_what_a_submission_may_call_takes_nothing_large():
    """Else the grader's memory would grow with the square of what a notebook hands over."""
    cell = (
        "import torch\ndef mine(model, n): return model(torch.ones(1, n, dtype=torch.long)).shape"
    )
    with contextlib.closing(Worker([("", cell)], Limits())) as worker:
        worker.run_cells()
        model, mine = Mock(side_effect=lambda ids: ids), worker.get("mine", "")
        assert list(mine(model, 5)) == [1, 5]
        with pytest.raises(Stopped, match="9,000 numbers"):
            mine(model, 9000)
        assert model.call_count == 1


def grade_and_count(student, path, source, limits):
    """Each time that a submission is graded, its file gets a neighbor."""
    (path.parent / f"{student}-{time.monotonic_ns()}.graded").touch()
    if student == "killer":
        os.kill(multiprocessing.parent_process().pid, signal.SIGKILL)
        os._exit(1)
    return [Result(student, one.name, 1.0, one.points, "", "ñ") for one in source.exercises]


def test_what_is_graded_is_not_graded_again(tmp_path):
    def graded_times():
        return sum(path.suffix == ".graded" for path in tmp_path.iterdir())

    files = some_files(tmp_path, "ana", "ben")
    kept = tmp_path / "kept"
    first = graded_here(files, kept, grade_and_count)
    assert first == {"ana": (1.0, ""), "ben": (1.0, "")} and graded_times() == 2
    assert graded_here(files, kept, grade_and_count) == first and graded_times() == 2
    assert "ana" not in "".join(path.read_text() for path in kept.iterdir())
    hand_in(files["ben"], {"by": "Ben, once more"})
    graded_here(files, kept, grade_and_count)
    assert graded_times() == 3
    for path in kept.iterdir():  # whatever is in it that isn't ours
        path.write_text('[{"points": 5}]')
    assert graded_here(files, kept, grade_and_count, again=True) == first and graded_times() == 5


def test_what_a_result_depends_on(tmp_path, monkeypatch):
    (path,) = some_files(tmp_path, "ana").values()

    def place(source=ATTENTION, limits=Limits()):  # noqa: B008
        return batch.place(tmp_path, path, source, limits)

    first = place()
    assert place() == first
    assert place(assignment(3)) != first and place(limits=Limits(seconds=5)) != first
    monkeypatch.setattr(batch, "version", lambda: b"another library")
    assert place() != first
    path.unlink()
    assert place() is None
    path.symlink_to(tmp_path / "elsewhere")
    assert place() is None


@pytest.mark.skipif(os.name != "posix", reason="no SIGKILL here")
def test_a_grader_that_is_killed_goes_on_where_it_was(tmp_path):
    """Killed while the second is graded: the first is kept, and the rest is graded next time."""
    files = some_files(tmp_path, "ana", "killer", "ben")
    program = (
        "from pathlib import Path; from tests.course.grading.test_grading import *\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "files = {name: folder / f'{name}.ipynb' for name in ('ana', 'killer', 'ben')}\n"
        "graded_here(files, folder / 'kept', grade_and_count, jobs=1)"
    )
    script = tmp_path / "grading.py"
    script.write_text(f"if __name__ == '__main__':\n    exec({program!r})")
    run = subprocess.run(
        [sys.executable, script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert len(list((tmp_path / "kept").iterdir())) == 1
    found = graded_here(files, tmp_path / "kept", grade_unless_deadly)
    assert found == dict.fromkeys(files, (1.0, ""))
    assert len(list(tmp_path.glob("ana-*.graded"))) == 1


def test_a_submission_has_a_time_of_its_own(tmp_path):
    """A cell may take 30 seconds, but all of them only 6: what comes after them gets no time."""
    endless = dict.fromkeys(("two_weights", "my_weights", "my_attention"), "while True: pass")
    hand_in(tmp_path / "slow.ipynb", filled_in(ATTENTION, solutions(ATTENTION) | endless))
    limits = Limits(seconds=30, total=6)
    start = time.monotonic()
    results = grade("slow", tmp_path / "slow.ipynb", ATTENTION, limits)
    hints = {one.exercise: one.hint for one in results}
    assert time.monotonic() - start < 25
    assert "used up its 6 seconds" in hints["w_q"]
    assert all(one.points == 0 for one in results if one.exercise != "why-the-root")


def test_a_check_for_which_no_time_is_left_says_so():
    """The cells have run and the process lives, but its time is over."""
    ended = Mock(limits=Limits(total=6), clock=Mock(side_effect=OutOfTime))
    points, hint = judged(ATTENTION.exercises[0], ended, {})
    assert points == 0 and hint == "The notebook had used up its 6 seconds before this."


def broken_cells(change):
    """Assignment 2 with something in its first cell that no editor writes."""
    notebook = filled_in(ATTENTION, {})
    change(notebook["cells"][0])
    return json.dumps(notebook)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "5",
        "[]",
        "{}",
        '{"cells": []}',
        '{"cells": 5, "metadata": {}}',
        '{"cells": [5], "metadata": {}}',
        '{"cells": [], "metadata": {"coursework": 5}}',
        broken_cells(lambda cell: cell.update(source=5)),
        broken_cells(lambda cell: cell.update(source=[5])),
        broken_cells(lambda cell: cell.update(metadata=None)),
        broken_cells(lambda cell: cell.update(metadata={"nbgrader": {"grade_id": [1]}})),
        broken_cells(lambda cell: cell.update(metadata={"nbgrader": 5})),
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_notebook_gets_a_sentence(tmp_path, content):
    path = tmp_path / "ana.ipynb"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(Unreadable, match="isn't a notebook: hand in"):
        read_submission(path, ATTENTION)


def test_a_notebook_that_was_cut_off_is_told_so(tmp_path):
    path = tmp_path / "ana.ipynb"
    path.write_bytes((FOLDER / ATTENTION.file).read_bytes()[:-9])
    with pytest.raises(Unreadable, match="ana.ipynb isn't a notebook any more: it was cut off"):
        read_submission(path, ATTENTION)


@pytest.mark.parametrize(
    "found, way_out",
    [
        ("work.zip", "only work.zip. Unpack it and hand in the .ipynb file that is in it."),
        ("scan.pdf", "only scan.pdf. Hand in the .ipynb file itself."),
        (None, "There is no notebook in the folder ana."),
    ],
)
def test_a_folder_without_a_notebook_says_what_to_do(tmp_path, found, way_out):
    (tmp_path / "ana").mkdir()
    if found:
        (tmp_path / "ana" / found).touch()
    with pytest.raises(Unreadable) as caught:
        read_submission(tmp_path / "ana" / ATTENTION.file, ATTENTION)
    assert str(caught.value).endswith(way_out)
    (tmp_path / "ben.zip").touch()
    with pytest.raises(Unreadable, match="ben.zip is an archive: unpack it"):
        read_submission(tmp_path / "ben.zip", ATTENTION)


def test_files_that_are_none(tmp_path):
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.ipynb")
        with pytest.raises(Unreadable, match="is no file"):
            read_submission(tmp_path / "pipe.ipynb", ATTENTION)
    with pytest.raises(Unreadable, match=f"no notebook in the folder {tmp_path.name}, only pipe"):
        read_submission(tmp_path / "nothing.ipynb", ATTENTION)
    large = tmp_path / "large.ipynb"
    with large.open("wb") as file:
        file.truncate(LARGEST[".ipynb"] + 1)
    with pytest.raises(Unreadable, match="larger than 20 MB"):
        read_submission(large, ATTENTION)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["grade", "2", "nowhere"], "nowhere is no folder"),
        (["grade", "99", "."], "there is no assignment 99"),
        (["grade", "2", "empty"], "empty holds no submissions"),
    ],
)
def test_one_sentence_for_a_mistaken_command(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_nothing_is_graded_with_a_solution_that_fails(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "sources"
    folder.mkdir()
    broken = json.loads((FOLDER / ATTENTION.file).read_text(encoding="utf-8"))
    for cell in broken["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "my_weights":
            cell["source"] = "def my_weights(query, key): return query @ key.T"
    hand_in(folder / ATTENTION.file, broken)
    hand_in(tmp_path / "submissions" / "one.ipynb", {})
    monkeypatch.setattr(source, "FOLDER", folder)
    assert main(["grade", "2", str(tmp_path / "submissions"), "--out", str(tmp_path / "out")]) == 2
    assert "the solution of my_weights" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_only_shows_something_is_not_run_unless_it_was_changed():
    training = assignment(5)
    assert any("trained(pack)" in code for code in training.shown)
    cells = filled_in(training, {})["cells"]
    run = [code for _, code in code_of(cells, training)]
    assert set(training.given) <= set(run) and not set(training.shown) & set(run)
    assert code_of([], training) == [("", code) for code in training.given]
    mine = "best = copies(max_lr=0.01, warmup=10, steps=60)"
    for cell in cells:
        if text(cell) == training.shown[0]:
            cell["source"] = mine
    changed = [code for _, code in code_of(cells, training)]
    assert [code for code in changed if code not in run] == [mine]


# --- what a person reads -------------------------------------------------------------------------


def test_an_answer_in_a_cell_of_ones_own_is_found(tmp_path):
    notebook = filled_in(ATTENTION, {"why-the-root": WRITE_HERE})
    mine = {"cell_type": "markdown", "source": "One weight takes it all.", "metadata": {}}
    hand_in(tmp_path / "ana.ipynb", notebook | {"cells": [*notebook["cells"], mine]})
    cells = read_submission(tmp_path / "ana.ipynb", ATTENTION)
    found = to_be_read("ana", ATTENTION.exercises[-1], cells, ATTENTION)
    assert (found.points, found.text) == (None, "One weight takes it all.")


def test_a_link_is_no_work(tmp_path):
    hand_in(tmp_path / "ana" / ATTENTION.file, filled_in(ATTENTION, {}))
    (tmp_path / "ben").symlink_to(tmp_path / "ana")
    (tmp_path / "cem.ipynb").symlink_to(tmp_path / "ana" / ATTENTION.file)
    found = {one.student: one.path for one in collect(tmp_path, ATTENTION).submissions}
    assert read_submission(found["ana"], ATTENTION)
    for student in ("ben", "cem"):
        with pytest.raises(Unreadable, match="is no file"):
            read_submission(found[student], ATTENTION)


def test_a_cell_that_stops_half_way_says_so(tmp_path):
    half = "w_q = torch.zeros(4, 4)\nw_q[9, 9] = 5.0"
    hand_in(tmp_path / "ana.ipynb", filled_in(ATTENTION, {"w_q": half}))
    (found,) = [
        one
        for one in grade("ana", tmp_path / "ana.ipynb", ATTENTION, Limits())
        if one.exercise == "w_q"
    ]
    assert "attends to all three words alike" in found.hint
    assert "(The cell stopped: IndexError: index 9 is out of bounds" in found.hint


@pytest.mark.parametrize(
    "code",
    [
        "[True, 10**5000]",
        "functools.reduce(lambda inner, _: [inner], range(900), 0)",
        "torch.tensor([0.25, 0.75]).to_sparse()",
        "torch.ones(2, device='meta')",
    ],
    ids=["a number of 5,000 digits", "lists in lists", "sparse", "without numbers"],
)
def test_what_no_message_can_hold_is_there_all_the_same(tmp_path, code):
    """Its cell ran, so the hint doesn't ask whether that is deleted."""
    answer = f"import functools\ntwo_weights = {code}"
    hand_in(tmp_path / "ana.ipynb", filled_in(ATTENTION, {"two_weights": answer}))
    found = grade("ana", tmp_path / "ana.ipynb", ATTENTION, Limits())[0]
    assert found.exercise == "two_weights" and found.points == 0
    assert found.hint.startswith("`two_weights` can't be handed over: ") and "Error" in found.hint


MILLION = "x" * 1_000_000
CUT = " … (cut after"


CALLED = """
def my_weights(query, key):
    raise ValueError({message})
my_weights(1, 2)
"""


@pytest.mark.parametrize(
    "name, code, said",
    [
        ("w_q", f"raise ValueError('x' * {len(MILLION)})", 1),
        ("w_q", f"w_q = torch.zeros(4, 4)\nraise ValueError('x' * {len(MILLION)})", 1),
        ("my_weights", CALLED.format(message=f"'x' * {len(MILLION)}"), 1),
        ("my_weights", CALLED.format(message=f"'x\\n' * {len(MILLION)}"), 0),
        ("my_weights", f"my_weights = type('x' * {len(MILLION)}, (), {{}})()", 0),
    ],
    ids=["no name", "a wrong answer", "a function", "a million lines", "a kind"],
)
def test_a_message_of_a_million_letters_is_told_once_and_in_part(tmp_path, name, code, said):
    hand_in(tmp_path / "ana.ipynb", filled_in(ATTENTION, {name: code}))
    results = {
        one.exercise: one for one in grade("ana", tmp_path / "ana.ipynb", ATTENTION, Limits())
    }
    hint = results[name].hint
    assert results[name].points == 0 and len(hint) < 600
    assert hint.count(CUT) == hint.count("x" * 250) == said
    assert said == 0 or max(map(len, re.findall("x+", hint))) == LONG - len("ValueError: ")


def test_a_message_commands_no_terminal_and_ends_no_table(tmp_path):
    code = "raise ValueError('red \\x1b[31m nul \\x00 round \\u202e é ñ 👩\\u200d💻')"
    hand_in(tmp_path / "ana.ipynb", filled_in(ATTENTION, {"w_q": code}))
    found = {one.exercise: one for one in grade("ana", tmp_path / "ana.ipynb", ATTENTION, Limits())}
    assert "red �[31m nul � round � é ñ 👩\u200d💻" in found["w_q"].hint


def test_a_hint_too_long_is_cut_where_it_says_so():
    class Silent:
        clock = contextlib.nullcontext

        def trouble_in(self, answer, known):
            return " (The cell stopped.)"

    def hinting():
        raise Hint(MILLION)

    exercise = dataclasses.replace(ATTENTION.exercises[0], check="hinting()")
    points, hint = checked(exercise, Silent(), {"hinting": hinting})
    assert hint == f"{MILLION[:1_000]} … (cut after 1,000 characters) (The cell stopped.)"


@pytest.mark.parametrize(
    "answer, points, hint",
    [
        (WRITE_HERE, 0, "Nothing is written here."),
        (" \n", 0, "Nothing is written here."),
        ("One weight takes it all.", None, "to be read"),
    ],
)
def test_an_answer_in_words_waits_for_a_person(tmp_path, answer, points, hint):
    hand_in(tmp_path / "ana.ipynb", filled_in(ATTENTION, {"why-the-root": answer}))
    (found,) = [
        one
        for one in grade("ana", tmp_path / "ana.ipynb", ATTENTION, Limits())
        if one.exercise == "why-the-root"
    ]
    assert (found.points, found.hint) == (points, hint)
