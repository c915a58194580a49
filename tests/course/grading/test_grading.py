"""What surrounds a student's process, and what happens when grading itself goes wrong."""

import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from course.grading import __main__ as command_line
from course.grading import assignment_files as source
from course.grading import batch
from course.grading.__main__ import main
from course.grading.assignment_files import FOLDER, WRITE_HERE, a_cell, assignment, text
from course.grading.collect import collect
from course.grading.grade import (
    LARGEST,
    NOT_GRADED,
    Unreadable,
    code_of,
    grade,
    read_submission,
    to_be_read,
)
from course.grading.limits import ROOT, Limits
from course.grading.rpc import Stopped
from tests.course.grading.classroom import (
    ATTENTION,
    at_work,
    command,
    filled_in,
    hand_in,
    results,
    solutions,
    table,
)
from tests.course.grading.hostile import BORROWED, COMPILED, SETUP, UNWATCHED


def hints(tmp_path, answers, **limits):
    """exercise -> hint of a notebook in which all these answers get no points."""
    path = tmp_path / "ana.ipynb"
    hand_in(path, filled_in(ATTENTION, answers))
    found = {one.exercise: one for one in grade("ana", path, ATTENTION, Limits(**limits))}
    assert all(found[name].points == 0 for name in answers)
    return {name: found[name].hint for name in answers}


# --- whose work ----------------------------------------------------------------------------------


def test_borrowed_work_gets_no_points(tmp_path):
    """The ways that a process could hide; tests/course/checks/test_watching.py has all others."""
    ways = {name: BORROWED[name] for name in ("partial of C", "getattr", "getsource")}
    for code, whose in (ways | COMPILED | UNWATCHED).values():
        found = hints(tmp_path, {"my_weights": SETUP + code})
        assert f"`{whose}` does the whole" in found["my_weights"], code


# --- the batch -----------------------------------------------------------------------------------


def graded_here(files, kept, how, limits=Limits(), again=False):  # noqa: B008
    """student -> (points, hint) of the first exercise."""
    everything = batch.grade_all(files, ATTENTION, limits, 1, kept, again, how)
    return {one[0].student: (one[0].points, one[0].hint) for one in everything}


def some_files(folder, *students):
    for student in students:
        hand_in(folder / f"{student}.ipynb", {"by": student})
    return {student: folder / f"{student}.ipynb" for student in students}


def grade_by_name(student, path, source, limits):
    """What happens to the grader. Each time that it grades a file, that gets a neighbor."""
    (path.parent / f"{student}-{time.monotonic_ns()}.graded").touch()
    match student:
        case "deadly":
            os._exit(1)
        case "killer":
            os.kill(multiprocessing.parent_process().pid, signal.SIGKILL)
            os._exit(1)
        case "stuck":
            time.sleep(1000)
        case "faulty":
            raise KeyError(student)
        case "hungry":
            torch.empty((batch.MEGABYTES + 100) * 2**20, dtype=torch.uint8)
    return grade_all_right(student, path, source, limits)


def grade_all_right(student, path, source, limits):
    return results(**{student: ""})


RIGHT = (2.0, "")


def test_a_grader_that_breaks_down_goes_on_with_the_next(tmp_path, monkeypatch):
    """Even if grading one submission ends or stops the grader's own process, or fills it."""
    monkeypatch.setattr(batch, "SPARE", 3.0)
    # Only Linux bounds the memory of a program.
    trouble = ["deadly", "faulty", "stuck", *(["hungry"] if sys.platform == "linux" else [])]
    files = some_files(tmp_path, "before", *trouble, "after")
    found = graded_here(files, tmp_path / "kept", grade_by_name, limits=Limits(total=0))
    not_graded = dict.fromkeys(trouble, (None, NOT_GRADED))
    assert found == not_graded | {"before": RIGHT, "after": RIGHT}
    assert len(list((tmp_path / "kept").iterdir())) == 2  # the others get another try next time


def test_nobody_has_0_points_for_a_fault_of_the_grader(tmp_path, monkeypatch, capsys):
    """No points at all, words that say so, an exit code, and no grade in a gradebook."""
    out, book = tmp_path / "grades", tmp_path / "book.csv"
    some_files(tmp_path / "submissions", "ana", "faulty")
    book.write_text(
        "Student,ID,SIS Login ID,Section,Assignment 2 (7)\n    Points Possible,,,,16\n"
        "ana,1,ana,A,\nfaulty,2,faulty,A,\n"
    )
    monkeypatch.setattr(command_line, "try_solution", lambda *_: None)

    def graded_by(grade):
        everybody = functools.partial(batch.grade_all, grade=grade)
        monkeypatch.setattr(command_line, "grade_all", everybody)
        return main(command(tmp_path, "--gradebook", str(book)))

    assert graded_by(grade_by_name) == 1
    told = capsys.readouterr()
    assert "not graded, as the grader itself failed: faulty." in told.err
    assert "1 submissions graded" in told.out and "as the grader failed: faulty" in told.out
    for row in [*table(out / "grades.csv"), *table(out / "totals.csv")]:
        if row["student"] == "faulty":
            assert row.get("points", row.get("total")) == "", row
            assert row.get("hint", "not graded").startswith("not graded")
    page = (out / "pages" / "faulty.html").read_text(encoding="utf-8")
    assert "<strong>not graded</strong>" in page and "0 of" not in page
    filled = (out / "filled-book.csv").read_text(encoding="utf-8").splitlines()
    assert filled[-2:] == ["ana,1,ana,A,13", "faulty,2,faulty,A,"]
    assert graded_by(grade_all_right) == 0  # the same command tries again
    assert "the grader failed before" in (out / "changes.csv").read_text(encoding="utf-8")


def test_what_a_submission_may_call_takes_nothing_large():
    """Else the grader's memory would grow with the square of what a notebook hands over."""
    seen = []
    with at_work("import torch\ndef mine(model, n): return model(torch.ones(n))") as worker:
        mine = worker.get("mine", "")
        mine(lambda ids: seen.append(len(ids)), 5)
        with pytest.raises(Stopped, match="9,000 numbers"):
            mine(lambda ids: seen.append(len(ids)), 9000)
    assert seen == [5]


def test_what_is_graded_is_not_graded_again(tmp_path, monkeypatch):
    files, kept = some_files(tmp_path, "ana", "ben"), tmp_path / "kept"

    def more(**how):
        """How many are graded anew."""
        before = len(list(tmp_path.glob("*.graded")))
        assert graded_here(files, kept, grade_by_name, **how) == dict.fromkeys(files, RIGHT)
        return len(list(tmp_path.glob("*.graded"))) - before

    assert (more(), more()) == (2, 0)
    assert "ana" not in "".join(path.read_text() for path in kept.iterdir())
    hand_in(files["ben"], {"by": "Ben, once more"})
    assert more() == 1
    for path in kept.iterdir():  # whatever is in it that isn't ours
        path.write_text('[{"points": 5}]')
    assert more(again=True) == 2 and more(limits=Limits(seconds=5)) == 2
    monkeypatch.setattr(batch, "version", lambda: b"another library")
    assert more() == 2


@pytest.mark.skipif(os.name != "posix", reason="no SIGKILL here")
def test_a_grader_that_is_killed_goes_on_where_it_was(tmp_path):
    """Killed while the second is graded: the first is kept, and the rest is graded next time."""
    files = some_files(tmp_path, "ana", "killer", "ben")
    script = tmp_path / "grading.py"
    script.write_text(
        "from pathlib import Path\nfrom tests.course.grading.test_grading import *\n"
        "if __name__ == '__main__':\n"
        f"    here = Path({str(tmp_path)!r})\n"
        "    files = {name: here / f'{name}.ipynb' for name in ('ana', 'killer', 'ben')}\n"
        "    graded_here(files, here / 'kept', grade_by_name)\n"
    )
    run = subprocess.run(
        [sys.executable, script], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert run.returncode == -signal.SIGKILL
    assert len(list((tmp_path / "kept").iterdir())) == 1
    found = graded_here(files, tmp_path / "kept", grade_all_right)
    assert found == dict.fromkeys(files, RIGHT)
    assert len(list(tmp_path.glob("ana-*.graded"))) == 1


def test_a_submission_has_a_time_of_its_own(tmp_path):
    """A cell may take 30 seconds, but all of them only 6: what comes after them gets no time."""
    endless = dict.fromkeys(("two_weights", "my_weights", "my_attention"), "while True: pass")
    start = time.monotonic()
    found = hints(tmp_path, solutions(ATTENTION) | endless, seconds=30, total=6)
    assert time.monotonic() - start < 25 and "used up its 6 seconds" in found["w_q"]


def test_nothing_is_graded_with_a_solution_that_fails(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "sources"
    broken = filled_in(ATTENTION, solutions(ATTENTION) | {"my_weights": "my_weights = max"})
    hand_in(folder / ATTENTION.file, broken)
    hand_in(tmp_path / "submissions" / "one.ipynb", {})
    monkeypatch.setattr(source, "FOLDER", folder)
    assert main(command(tmp_path)) == 2
    assert "the solution of my_weights" in capsys.readouterr().err
    assert not (tmp_path / "grades").exists()


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


def test_a_link_is_no_work(tmp_path):
    hand_in(tmp_path / "ana" / ATTENTION.file, filled_in(ATTENTION, {}))
    (tmp_path / "ben").symlink_to(tmp_path / "ana")
    (tmp_path / "cem.ipynb").symlink_to(tmp_path / "ana" / ATTENTION.file)
    found = {one.student: one.path for one in collect(tmp_path, ATTENTION).submissions}
    assert read_submission(found["ana"], ATTENTION)
    for student in ("ben", "cem"):
        with pytest.raises(Unreadable, match="is no file"):
            read_submission(found[student], ATTENTION)


def test_what_is_no_file_of_a_notebook_says_what_to_hand_in(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    missing = folder / ATTENTION.file

    def told(path, says):
        with pytest.raises(Unreadable, match=says):
            read_submission(path, ATTENTION)

    told(missing, "There is no notebook in the folder folder")
    (folder / "work.zip").touch()
    told(missing, "only work.zip. Unpack it and hand in the .ipynb file")
    told(folder / "work.zip", "work.zip is an archive: unpack it")
    cut_off, large = tmp_path / "ana.ipynb", tmp_path / "large.ipynb"
    cut_off.write_bytes((FOLDER / ATTENTION.file).read_bytes()[:-9])
    told(cut_off, "ana.ipynb isn't a notebook any more: it was cut off")
    with large.open("wb") as file:
        file.truncate(LARGEST[".ipynb"] + 1)
    told(large, "larger than 20 MB")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.ipynb")
        told(tmp_path / "pipe.ipynb", "is no file")


def test_one_sentence_for_a_mistaken_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    for number, folder, message in (
        ("2", "nowhere", "nowhere is no folder"),
        ("99", ".", "there is no assignment 99"),
        ("2", "empty", "empty holds no submissions"),
    ):
        assert main(["grade", number, folder]) == 2
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1


def test_an_answer_in_words_is_found_and_waits_for_a_person(tmp_path):
    """Where it should be, or in a cell of one's own."""
    nothing = (0, "Nothing is written here.", "")
    for given, in_a_cell_of_ones_own, expected in (
        (WRITE_HERE, "", nothing),
        (" \n", "", nothing),
        ("One weight takes it all.", "", (None, "to be read", "One weight takes it all.")),
        (WRITE_HERE, "All of it.", (None, "to be read", "All of it.")),
    ):
        notebook = filled_in(ATTENTION, {"why-the-root": given})
        cells = [*notebook["cells"], a_cell("markdown", in_a_cell_of_ones_own)]
        found = to_be_read("ana", ATTENTION.exercises[-1], cells, ATTENTION)
        assert (found.points, found.hint, found.text) == expected


def test_whatever_a_cell_stops_with_is_told_and_harms_no_table(tmp_path):
    million = "raise ValueError('x' * 1_000_000)"
    odd = r"raise ValueError('red \x1b[31m nul \x00 round \u202e é ñ 👩\u200d💻')"
    found = hints(
        tmp_path,
        {
            "w_q": "w_q = torch.zeros(4, 4)\nw_q[9, 9] = 5.0",
            "two_weights": odd,
            "my_weights": f"def my_weights(query, key):\n    {million}\nmy_weights(1, 2)",
            "my_attention": "my_attention = type('x' * 1_000_000, (), {})()",
        },
    )
    assert "attends to all three words alike" in found["w_q"]
    assert "(The cell stopped: IndexError: index 9 is out of bounds" in found["w_q"]
    assert "red �[31m nul � round � é ñ 👩\u200d💻" in found["two_weights"]
    assert found["my_weights"].count(" … (cut after") == found["my_weights"].count("x" * 250) == 1
    assert all(len(hint) < 600 for hint in found.values())


def test_what_no_message_can_hold_is_there_all_the_same(tmp_path):
    """Its cell ran, so the hint doesn't ask whether that is deleted."""
    nested = "import functools\ntwo_weights = functools.reduce(lambda x, _: [x], range(900), 0)"
    for code in ("two_weights = [True, 10**5000]", nested):
        hint = hints(tmp_path, {"two_weights": code})["two_weights"]
        assert hint.startswith("`two_weights` can't be handed over: ") and "Error" in hint
