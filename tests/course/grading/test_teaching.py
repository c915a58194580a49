"""The teacher's guide: what it names is there, what it counts is so."""

import io
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

from course.grading.assignment_files import FOLDER, assignments
from course.notebook_tools import count, sections

TEACHERS = ("course/grading", "course/assignments", "tests/course/")
ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")
SOURCES = assignments()
SERIES = sections.series()


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
PROJECT = (ROOT / "docs" / "mine.md").read_text(encoding="utf-8")
PART_MINUTES = [int(minutes) for minutes in re.findall(r"^\| \d.* \| (\d+) \|$", PROJECT, re.M)]
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
        if parts := re.search(r"parts? (\d+)(?:–(\d+))?", hand_in):
            first_part, last_part = int(parts[1]), int(parts[2] or parts[1])
            minutes += sum(PART_MINUTES[first_part - 1 : last_part])
        assert int(stated) == pytest.approx(minutes, rel=0.1), f"week {week}: {minutes:.0f}"
        if number < 5:
            longest = max(longest, minutes)
    assert longest <= 4 * 60
