"""A class of thirty-two: built, handed out, handed in and graded, as a teacher does it.

Twelve students hand in all ten assignments: one right, one right in other ways, and ten with
classic mistakes, ten of each exercise (test_attempts.py goes through all of them). Twenty
hand in assignment 2 in ways that teachers get to see. The hostile ones come extra.
"""

import json
from collections import defaultdict
from unittest.mock import patch

import pytest

from course.grading import __main__ as command_line
from course.grading.__main__ import main
from course.grading.assignment_files import a_cell, assignments, grade_id, student_version, text
from tests.course.grading.attempts import Attempt, answers
from tests.course.grading.classroom import ATTENTION, command, filled_in, hand_in, solutions, table
from tests.course.grading.hostile import HOSTILE

SOURCES = {one.number: one for one in assignments()}
STUDENTS = ["right", "other-ways", *(f"mistaken-{k:02}" for k in range(10))]


def grade(folder, *options, number=2):
    """The table as {(student, exercise): (points, hint)}."""
    with patch.object(command_line, "try_solution"):  # it is handed in as well
        assert main(command(folder, *options, number=number)) == 0
    return {
        (row["student"], row["exercise"]): (row["points"], row["hint"])
        for row in table(folder / "grades" / "grades.csv")
    }


# --- twelve who work through the course ----------------------------------------------------------


def tried(source, exercise):
    """What the twelve hand in: answers that a student's process can hold, as it sees no tests."""
    right, wrong = [Attempt(solutions(source)[exercise.name], "", exercise.points)], []
    for one in answers(source, exercise):
        if "from tests" not in one.code:
            (wrong if one.hint else right).append(one)
    wrong = wrong or right[:1]
    return [right[0], right[-1], *(wrong[k % len(wrong)] for k in range(10))]


# Most are for the night; by day, test_attempts.py tries each answer alone.
@pytest.mark.parametrize(
    "number",
    [pytest.param(number, marks=() if number == 2 else pytest.mark.nightly) for number in SOURCES],
)
def test_twelve_students_hand_in(tmp_path, number):
    source, folder = SOURCES[number], tmp_path / "submissions"
    tries = {one.name: tried(source, one) for one in source.exercises if one.kind != "explain"}
    for k, student in enumerate(STUDENTS):
        given = {name: attempts[k].code for name, attempts in tries.items()}
        hand_in(folder / student / source.file, filled_in(source, given))

    found = grade(tmp_path, number=number)

    for k, student in enumerate(STUDENTS):
        for name, attempts in tries.items():
            (_, part, keeps), (points, hint) = attempts[k], found[student, name]
            assert points == f"{keeps:g}" and part in hint, (attempts[k], hint)
            assert bool(part) == bool(hint), (attempts[k], hint)
    written = {key for key, row in found.items() if row == ("", "to be read")}
    assert {name for _, name in set(found) - written} == set(tries)


# --- twenty whom every teacher knows -------------------------------------------------------------


RIGHT, EMPTY = solutions(ATTENTION), {}
NUMPY = (
    "import numpy as np\nget_ipython().run_line_magic('pwd', '')\ndisplay(np.ones(2))\n"
    "two_weights = np.array([0.25, 0.75])"
)


def is_check(cell) -> bool:
    return grade_id(cell).startswith("check-")


WAYS = {  # what is done with all cells of a right or an empty notebook, and what it gets
    "checks deleted": (RIGHT, lambda cells: [one for one in cells if not is_check(one)], "2542"),
    "checks changed": (
        EMPTY,
        lambda cells: [
            one | {"source": "print('right!')"} if is_check(one) else one for one in cells
        ],
        "0000",
    ),
    "imports deleted": (
        RIGHT,
        lambda cells: [one for one in cells if "import" not in text(one)],
        "2542",
    ),
    "magics": (
        RIGHT,
        lambda cells: [
            *cells[:2],
            *(a_cell("code", code) for code in ("%matplotlib inline\n!ls", "%%time\nx = 1")),
            *cells[2:],
        ],
        "2542",
    ),
    "reordered": (RIGHT | {"two_weights": NUMPY}, lambda cells: cells[::-1], "2542"),
    "no metadata": (RIGHT, lambda cells: [one | {"metadata": {}} for one in cells], "2542"),
    "answer deleted": (
        RIGHT,
        lambda cells: [one for one in cells if grade_id(one) != "my_attention"],
        "2502",
    ),
    "nothing done": (EMPTY, list, "0000"),
}


@pytest.mark.parametrize("sandbox", ["bubblewrap"], indirect=True)
def test_twenty_students_hand_in_as_students_do(tmp_path, sandbox):
    folder, right = tmp_path / "submissions" / "download", filled_in(ATTENTION, RIGHT)
    exercises = [one.name for one in ATTENTION.exercises if one.kind != "explain"]
    expected = defaultdict(lambda: "2542")
    for name in (
        "Álvaro Núñez/2_attention.ipynb",
        "in a folder/sub folder/2_attention (1).ipynb",
        "two notebooks/2_attention.ipynb",
        "copied/2_attention-Copy1.ipynb",
        "=cmd|calc.ipynb",
        "x;=1+1;.ipynb",
        "<b>bold<b>.ipynb",
    ):
        hand_in(folder / name, right)
    for name in ("another.ipynb", ".ipynb_checkpoints/2_attention.ipynb"):
        hand_in(folder / "two notebooks" / name, filled_in(ATTENTION, EMPTY))
    hand_in(folder / "copied/2_attention.ipynb", student_version(ATTENTION))
    for name, (given, change, points) in WAYS.items():
        notebook = filled_in(ATTENTION, given)
        hand_in(folder / f"{name}.ipynb", notebook | {"cells": change(notebook["cells"])})
        expected[name] = points
    hand_in(folder / "another one.ipynb", right | {"metadata": {"coursework": {"assignment": 5}}})
    for name, content in (
        ("half", json.dumps(right)[:2000]),
        ("scan", "%PDF-1.7"),
        ("deep", "[" * 100_000),
    ):
        hand_in(folder / f"{name}.ipynb", content)
    (folder / "no file").mkdir()
    expected |= dict.fromkeys(("another one", "half", "scan", "deep", "no file"), "0000")

    found = grade(tmp_path)

    students = {student for student, _ in found}
    pages = {path.stem for path in (tmp_path / "grades" / "pages").iterdir()}
    assert len(students) == 20 and pages == {name.removeprefix("'") for name in students}
    for student in students:
        rows = [found[student, name] for name in exercises]
        assert "".join(points for points, _ in rows) == expected[student], (student, rows)
        assert all((hint == "") == (points != "0") for points, hint in rows), (student, rows)
    for student, exercise, hint in (
        ("half", "two_weights", "isn't a notebook"),
        ("deep", "two_weights", "isn't a notebook"),
        ("another one", "two_weights", "is assignment 5"),
        ("answer deleted", "my_attention", "deleted"),
        ("nothing done", "my_weights", "not tried yet"),
    ):
        assert hint in found[student, exercise][1]
    # Names and answers are shown as they are written, and never obeyed.
    bold = (tmp_path / "grades" / "pages" / "<b>bold<b>.html").read_text(encoding="utf-8")
    assert "<b>" not in bold and "&lt;b&gt;bold" in bold


# --- and those who mean harm ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "sandbox", ["bubblewrap", pytest.param("container", marks=pytest.mark.nightly)], indirect=True
)
def test_hostile_students_harm_only_themselves(tmp_path, sandbox):
    folder = tmp_path / "submissions"
    hand_in(folder / "victim.ipynb", filled_in(ATTENTION, solutions(ATTENTION)))
    for name, (code, _) in HOSTILE.items():
        answers = solutions(ATTENTION) | {"my_weights": code}
        hand_in(folder / f"{name}.ipynb", filled_in(ATTENTION, answers))
    before = {path: path.read_bytes() for path in folder.iterdir()}

    found = grade(tmp_path, *"--seconds 5 --megabytes 300 --jobs 2".split())

    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["grades", "submissions"]
    for exercise, points in (("two_weights", 2), ("my_weights", 5), ("my_attention", 4)):
        assert found["victim", exercise] == (str(points), "")
    for name, (_, hint) in HOSTILE.items():
        points, told = found[name, "my_weights"]
        assert points in ("0", "2.5") and told and hint in told, (name, points, told)
        assert (points == "2.5") == ("not scaled" in told), (name, told)
        assert found[name, "two_weights"] == ("2", ""), name
        if name != "patches-torch":  # its own my_attention runs on the torch it has broken
            assert found[name, "my_attention"] == ("4", ""), (name, found[name, "my_attention"])
