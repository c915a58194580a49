"""The teacher's guide: what it names is there, what it counts is so."""

import io
import re
import shlex
import subprocess
import tarfile
from pathlib import Path

import pytest

from course.drawing.registry import FIGURES
from course.grading import batch
from course.grading.__main__ import parser
from course.grading.assignment_files import FOLDER, assignments
from course.grading.grade import Limits
from course.grading.sandbox import DISK, FILES
from course.notebook_tools import count, sections

TEACHERS = ("course/grading", "course/assignments", "tests/course/")
ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
STUDENTS = (ROOT / "course" / "grading" / "students.md").read_text(encoding="utf-8")
SOURCES = assignments()
SERIES = sections.series()
NOTEBOOK_ROWS = re.findall(
    r"^\| (\d\d) \| (?!core of|all of|\[).+ \| (.+) \| .+ \|$", GUIDE, re.MULTILINE
)


def test_every_notebook_has_goals_figures_and_a_misconception():
    notebooks = [name[:2] for name in SERIES if name[0].isdigit()]
    assert [number for number, _ in NOTEBOOK_ROWS] == notebooks


@pytest.mark.parametrize("number, figures", NOTEBOOK_ROWS, ids=[row[0] for row in NOTEBOOK_ROWS])
def test_lecture_figures_are_those_of_the_notebook(number, figures):
    names = re.findall(r"`([\w-]+)`", figures)
    assert names
    for name in names:
        assert FIGURES[name].notebook.startswith(number)


def capital(title: str) -> str:
    """Assignment 2: attention … -> Attention …"""
    words = title.split(": ", 1)[1]
    return words[0].upper() + words[1:]


def test_every_assignment_is_listed_as_it_is():
    rows = re.findall(r"^\| (\d+) \| \[(.+)\]\((.+)\) \| (.+) \| (\d+) \|$", GUIDE, re.MULTILINE)
    listed = [
        (int(number), title, (ROOT / "docs" / link).resolve(), int(points))
        for number, title, link, _, points in rows
    ]
    assert listed == [
        (one.number, capital(one.title), FOLDER / one.file, one.points) for one in SOURCES
    ]


def test_points_by_machine_and_by_a_person():
    machine = sum(
        one.points for source in SOURCES for one in source.exercises if one.kind != "explain"
    )
    points = sum(source.points for source in SOURCES)
    assert f"{machine} points by machine, {points - machine} by you" in GUIDE
    numbers = {6: "Six", 7: "Seven", 8: "Eight", 9: "Nine", 10: "Ten"}
    told = f"{numbers[len(SOURCES)]} notebooks, an hour or two each, {points} points in all"
    assert told in STUDENTS
    assert f"{numbers[len(SOURCES)].lower()} assignments of {points} points" in README


def test_the_commands_of_the_guide_can_be_typed():
    commands = re.findall(r"^ *(?:course )?(python -m course.grading .+)$", GUIDE, re.MULTILINE)
    assert len(commands) >= 3
    for command in commands:
        parser().parse_args(shlex.split(command)[3:])


def test_the_limits_are_the_ones_that_are_told():
    limits = Limits()
    assert f"{limits.seconds:g} seconds" in GUIDE and f"{limits.seconds:g} seconds" in STUDENTS
    assert limits.total == 600 and "ten minutes" in STUDENTS
    assert limits.megabytes == 4096 and "4 GB (`--megabytes`)" in GUIDE
    assert f"{DISK // 2**20} MB in {FILES:,} files" in GUIDE
    assert (batch.SLOW, batch.THEN_EVERY) == (20, 60) and "longer than 20 seconds" in GUIDE


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone")
def test_the_zip_for_students_has_no_solutions():
    """Nor has a release's: `git archive` leaves out what the attributes say."""
    packed = subprocess.run(
        ["git", "archive", "--worktree-attributes", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        names = archive.getnames()
    assert "course/chapters/ch04_attention/checks.py" in names
    assert not [name for name in names if name.startswith(TEACHERS)]


MINUTES = {"90 minutes": 90, "two hours": 120}  # as an assignment says at its top
ASSIGNMENTS = {
    source.number: MINUTES[re.search(r"About (90 minutes|two hours),", text)[1]]
    for source in SOURCES
    for text in [(FOLDER / source.file).read_text(encoding="utf-8")]
}
PROJECT = (ROOT / "from_scratch" / "README.md").read_text(encoding="utf-8")
STEP_MINUTES = [int(minutes) for minutes in re.findall(r"Minutes:\s(\d+)\.", PROJECT)]
PLAN = re.compile(
    r"^\| (\d+) \| (core|all) of (\w\d)(?:–(\d\d))? \| (.*) \| (\d+) min \|$", re.MULTILINE
)


def test_the_plans_say_how_long_a_week_takes():
    """And the plan of five weeks fits into three to four hours a week at home."""
    weeks = PLAN.findall(GUIDE)
    plans = [5, 8, 12, 4, 8]  # the last two: a second course, and the project
    assert [int(week) for week, *_ in weeks] == [w for last in plans for w in range(1, last + 1)]
    longest = 0.0
    for number, (week, part, first, last, hand_in, stated) in enumerate(weeks):
        minutes = sum(
            core["minutes"] + (deeper["minutes"] if part == "all" else 0)
            for name, notebook in SERIES.items()
            if first <= name[:2] <= (last or first)
            for core, deeper in [count.counts(notebook)]
        )
        if assignment := re.search(r"assignment (\d+)", hand_in):
            minutes += ASSIGNMENTS[int(assignment[1])]
        if steps := re.search(r"steps? (\d+)(?:–(\d+))?", hand_in):
            first_step, last_step = int(steps[1]), int(steps[2] or steps[1])
            minutes += sum(STEP_MINUTES[first_step - 1 : last_step])
        assert int(stated) == pytest.approx(minutes, rel=0.1), f"week {week}: {minutes:.0f}"
        if number < 5:
            longest = max(longest, minutes)
    assert longest <= 4 * 60


def test_the_project_takes_every_step_once():
    steps = [
        step
        for *_, write, _ in PLAN.findall(GUIDE)[29:]
        for first, last in re.findall(r"steps? (\d+)(?:–(\d+))?", write)
        for step in range(int(first), int(last or first) + 1)
    ]
    assert steps == [*range(1, len(STEP_MINUTES) + 1)] and len(steps) == 12


def test_the_plans_use_every_notebook():
    """Five, eight and twelve weeks go from 00 to 18; the second course goes from 14 to the end."""
    numbered = [name[:2] for name in SERIES if name[0].isdigit()]
    plans = ((0, 5, "00", "18"), (5, 8, "00", "18"), (13, 12, "00", "18"), (25, 4, "14", "99"))
    for start, weeks, begins, ends in plans:
        read = [
            name[:2]
            for _, _, first, last, *_ in PLAN.findall(GUIDE)[start : start + weeks]
            for name in SERIES
            if first <= name[:2] <= (last or first)
        ]
        assert read == [number for number in numbered if begins <= number <= ends]
