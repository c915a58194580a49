"""Every way to be right gets full points; every classic mistake gets its hint and its points."""

import importlib

import pytest

from course.grading.assignments import assignments
from tests.course.grading.attempts import judged_here

SOURCES = assignments()
LISTS = {
    one.number: importlib.import_module(f"tests.course.grading.attempts_{one.number}")
    for one in SOURCES
}
EXERCISES = [
    (source, one) for source in SOURCES for one in source.exercises if one.kind != "explain"
]
RIGHT = [
    (source, one, code)
    for source, one in EXERCISES
    for code in LISTS[source.number].RIGHT.get(one.name, [])
]
WRONG = [
    (source, one, wrong)
    for source, one in EXERCISES
    for wrong in LISTS[source.number].WRONG.get(one.name, [])
]


def named(cases: list[tuple]) -> list[str]:
    return [
        f"{source.number}-{one.name}-{getattr(what, 'mistake', 'right')}"
        for source, one, what in cases
    ]


@pytest.mark.parametrize("source, exercise, code", RIGHT, ids=named(RIGHT))
def test_right_in_another_way(source, exercise, code):
    assert judged_here(source, exercise, code) == (exercise.points, "")


@pytest.mark.parametrize("source, exercise, wrong", WRONG, ids=named(WRONG))
def test_wrong_gets_its_hint_and_its_points(source, exercise, wrong):
    points, hint = judged_here(source, exercise, wrong.code)
    assert wrong.hint in hint
    assert points == wrong.points


def test_no_exercise_is_without_attempts():
    for source, one in EXERCISES:
        lists = LISTS[source.number]
        assert lists.RIGHT[one.name], f"{source.number}: {one.name}"
        if one.kind == "implement":
            assert len(lists.RIGHT[one.name]) >= 2
            assert len({wrong.hint for wrong in lists.WRONG[one.name]}) >= 5


def test_lists_name_only_exercises():
    for source in SOURCES:
        names = {one.name for _, one in EXERCISES if _ is source}
        lists = LISTS[source.number]
        assert set(lists.RIGHT) == names and set(lists.WRONG) == names
