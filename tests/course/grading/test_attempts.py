"""Every way to be right gets full points, hidden tests included; what fits no other input doesn't.

All mistakes of an exercise are handed in to its check by tests/course/chapters/test_exercises.py.
"""

import pytest

from course.grading.assignment_files import assignments
from tests.course.grading.attempts import answers, judged_here
from tests.course.grading.other_inputs import OTHER_INPUTS

EXERCISES = [
    pytest.param(source, one, id=f"{source.number}-{one.name}")
    for source in assignments()
    for one in source.exercises
    if one.kind != "explain"
]


@pytest.mark.parametrize("source, exercise", EXERCISES)
def test_each_attempt_gets_its_points(source, exercise):
    *attempts, last = answers(source, exercise)
    assert any(not one.hint for one in attempts)
    others = attempts[: len(OTHER_INPUTS.get(exercise.name, ()))]
    for one in [*others, *(one for one in attempts if not one.hint), last]:
        points, hint = judged_here(source, exercise, one.code)
        assert (one.hint in hint and bool(one.hint) == bool(hint), points) == (True, one.points), (
            one,
            hint,
        )
