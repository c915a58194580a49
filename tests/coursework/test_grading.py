"""What surrounds a student's process, and what happens when grading itself goes wrong."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from coursework import __main__ as command_line
from coursework.__main__ import main
from coursework.grading import (
    LARGEST_NOTEBOOK,
    ROOT,
    Limits,
    Result,
    Unreadable,
    grade,
    has_wall,
    read_submission,
    to_be_read,
    wall,
)
from coursework.intake import handed_in
from coursework.pupil import guard, plain_python
from coursework.source import FOLDER, WRITE_HERE, assignment
from tests.coursework.classroom import filled_in, hand_in, solutions

ATTENTION = assignment(2)
LINUX = sys.platform == "linux"


# --- the guard -----------------------------------------------------------------------------------


@pytest.fixture
def hook(tmp_path):
    for name in ("own", "library", "library/secret", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "own" / "link").symlink_to(tmp_path / "elsewhere")
    return guard(tmp_path / "own", [str(tmp_path / "library")], [str(tmp_path / "library/secret")])


@pytest.mark.parametrize(
    "event, place",
    [
        ("open-w", "own/file"),
        ("open-r", "own/file"),
        ("open-r", "library/file"),
        ("os.remove", "own/file"),
        ("os.listdir", "library"),
    ],
)
def test_the_guard_lets_pass(hook, tmp_path, event, place):
    hook(*told(event, tmp_path / place))


@pytest.mark.parametrize(
    "event, place",
    [
        ("open-w", "elsewhere/file"),
        ("open-w", "library/file"),
        ("open-w", "own/../elsewhere/file"),
        ("open-w", "own/link/file"),
        ("open-w", "own-not/file"),
        ("open-r", "elsewhere/file"),
        ("open-r", "library/secret/file"),
        ("os.remove", "elsewhere/file"),
        ("os.rename", "elsewhere/file"),
        ("os.mkdir", "elsewhere/file"),
        ("os.truncate", "elsewhere/file"),
        ("os.listdir", "elsewhere"),
        ("os.scandir", "library/secret"),
    ],
)
def test_the_guard_refuses(hook, tmp_path, event, place):
    with pytest.raises(PermissionError, match="a notebook may"):
        hook(*told(event, tmp_path / place))


def told(event: str, path: Path) -> tuple[str, tuple]:
    """An audit event as Python tells it to a hook."""
    if event == "open-r":
        return "open", (str(path), "r", os.O_RDONLY)
    if event == "open-w":
        return "open", (str(path), "w", os.O_WRONLY | os.O_CREAT)
    return event, (os.fsencode(path), path.with_name("other"), -1)


def test_the_guard_knows_what_a_descriptor_and_the_null_device_are(hook):
    hook("open", (3, "w", os.O_WRONLY))
    hook("open", (os.devnull, "w", os.O_WRONLY))
    hook("import", ("torch", None, None, None, None))
    with pytest.raises(PermissionError, match="socket.connect"):
        hook("socket.connect", (None, ("example.com", 80)))


def test_lines_that_only_jupyter_understands():
    cell = "%matplotlib inline\nx = 1\n!ls\n  %time y = 2\nz = 7 % 5"
    assert plain_python(cell) == "\nx = 1\n\n\nz = 7 % 5"


@pytest.mark.skipif(not LINUX, reason="only Linux bounds the processes of a program")
def test_limits_hold_where_the_guard_does_not_see():
    code = """
import os, torch
from coursework.pupil import limit
if os.getuid() == 0: os.setuid(65534)  # root is exempt
limit(1000)
try: print(os.fork() and "forked")
except BlockingIOError: print("refused")
try: print(torch.ones(10**9).sum())
except RuntimeError: print("refused")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.split() == ["refused", "refused"], run.stderr


@pytest.mark.skipif(not has_wall(), reason="bubblewrap isn't installed")
def test_behind_the_wall_there_is_nothing_else(tmp_path):
    own, secret = tmp_path / "own", tmp_path / "library" / "secret"
    own.mkdir()
    secret.mkdir(parents=True)
    (secret / "file").touch()
    code = f"""
import os, socket
print(os.path.exists({str(secret.parent)!r}), os.listdir({str(secret)!r}))
print(os.path.exists({str(Path.home())!r}) and os.access({str(Path.home())!r}, os.W_OK))
print([name for _, name in socket.if_nameindex()], sum(map(str.isdigit, os.listdir("/proc"))))
print(open("mine", "w").write("x"))
try: open({str(secret.parent / "theirs")!r}, "w")
except OSError as error: print(type(error).__name__)
"""
    readable = ["/usr", "/lib", "/lib64", "/etc", sys.prefix, sys.base_prefix, str(secret.parent)]
    command = [*wall(str(own), readable, [str(secret)]), sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, env={})
    lines = run.stdout.splitlines()
    assert not (own / "mine").exists(), run.stderr
    assert lines[0] == "True []"
    assert lines[2] in ("['lo'] 1", "['lo'] 2")  # itself, and the wall's own first process
    assert lines[3:5] == ["1", "OSError"]
    assert not (secret.parent / "theirs").exists()


# --- the batch -----------------------------------------------------------------------------------


def test_a_grader_that_breaks_down_goes_on_with_the_next(monkeypatch):
    """Even if grading one submission ends the grader's own process."""
    monkeypatch.setattr(command_line, "grade", grade_unless_deadly)
    files = {name: Path(name) for name in ("before", "deadly", "faulty", "after")}
    results = list(command_line.grade_all(files, ATTENTION, Limits(), jobs=1))
    assert [one.student for one in results if one.exercise == "w_q"] == list(files)
    for one in results:
        assert (one.points == 0.0) == (one.student in ("deadly", "faulty"))
        assert ("broke down" in one.hint) == (one.student in ("deadly", "faulty"))


def grade_unless_deadly(student, path, source, limits):
    if student == "deadly":
        os._exit(1)
    if student == "faulty":
        raise KeyError(student)
    return [Result(student, one.name, 1.0, one.points, "") for one in source.exercises]


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
    with pytest.raises(Unreadable, match="isn't a notebook"):
        read_submission(path, ATTENTION)


def test_files_that_are_none(tmp_path):
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.ipynb")
        with pytest.raises(Unreadable, match="is no file"):
            read_submission(tmp_path / "pipe.ipynb", ATTENTION)
    with pytest.raises(Unreadable, match=f"no notebook in the folder {tmp_path.name}"):
        read_submission(tmp_path / "nothing.ipynb", ATTENTION)
    large = tmp_path / "large.ipynb"
    with large.open("wb") as file:
        file.truncate(LARGEST_NOTEBOOK + 1)
    with pytest.raises(Unreadable, match="larger than 20 MB"):
        read_submission(large, ATTENTION)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["grade", "2", "nowhere"], "nowhere is no folder"),
        (["grade", "9", "."], "there is no assignment 9"),
        (["grade", "2", "empty"], "empty is empty"),
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
    monkeypatch.setattr(command_line, "FOLDER", folder)
    assert main(["grade", "2", str(tmp_path / "submissions"), "--out", str(tmp_path / "out")]) == 2
    assert "the solution of my_weights" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


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
    found = {one.student: one.path for one in handed_in(tmp_path, ATTENTION).submissions}
    assert read_submission(found["ana"], ATTENTION)
    for student in ("ben", "cem"):
        with pytest.raises(Unreadable, match="is no file"):
            read_submission(found[student], ATTENTION)


def test_a_cell_that_stops_half_way_says_so(tmp_path):
    half = "w_q = torch.zeros(4, 4)\nw_q[9, 9] = 5.0"
    hand_in(tmp_path / "ana.ipynb", filled_in(ATTENTION, {"w_q": half}))
    (found,) = [one for one in grade("ana", tmp_path / "ana.ipynb", ATTENTION, Limits())
                if one.exercise == "w_q"]  # fmt: skip
    assert "looks at all three words alike" in found.hint
    assert "(The cell stopped: IndexError: index 9 is out of bounds" in found.hint


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
    (found,) = [one for one in grade("ana", tmp_path / "ana.ipynb", ATTENTION, Limits())
                if one.exercise == "why-the-root"]  # fmt: skip
    assert (found.points, found.hint) == (points, hint)
