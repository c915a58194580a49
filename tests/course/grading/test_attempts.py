"""Every way to be right gets full points; every classic mistake gets its hint and its points."""

import numpy as np
import pytest
import torch

from course.checks.watching import on_guard, watched
from course.grading.assignment_files import assignments
from course.grading.grade import judged
from course.grading.rpc import GET_NAME
from tests.course.grading.attempts import Here, answers, judged_here, names_from
from tests.course.grading.classroom import solutions

EXERCISES = [
    (source, one) for source in assignments() for one in source.exercises if one.kind != "explain"
]
ANSWERS = {(source.number, one.name): answers(source, one) for source, one in EXERCISES}
IDS = [f"{source.number}-{one.name}" for source, one in EXERCISES]


@pytest.mark.parametrize("source, exercise", EXERCISES, ids=IDS)
def test_right_in_another_way(source, exercise):
    for code in ANSWERS[source.number, exercise.name][0]:
        assert judged_here(source, exercise, code) == (exercise.points, ""), code


@pytest.mark.parametrize("source, exercise", EXERCISES, ids=IDS)
def test_wrong_gets_its_hint_and_its_points(source, exercise):
    for wrong in ANSWERS[source.number, exercise.name][1]:
        points, hint = judged_here(source, exercise, wrong.code)
        assert (wrong.hint in hint, points) == (True, wrong.points), (wrong, hint)


# --- complex numbers -----------------------------------------------------------------------------

WITHOUT_NUMBERS = {"my_clean_pair", "my_deduplicate", "my_hold_out", "my_choice"}
FUNCTIONS = [
    (source, one)
    for source, one in EXERCISES
    if one.kind == "implement" and one.name not in WITHOUT_NUMBERS
]


def made_complex(thing, turn):
    """What a function answers, with its numbers and tensors turned."""
    if isinstance(thing, list | tuple):
        return type(thing)(made_complex(part, turn) for part in thing)
    if isinstance(thing, dict):
        return {name: made_complex(part, turn) for name, part in thing.items()}
    return turn(thing) if isinstance(thing, int | float | torch.Tensor) else thing


def as_tensor(thing):
    """With imaginary parts of 0."""
    return thing.to(torch.complex64) if isinstance(thing, torch.Tensor) else complex(thing)


def as_array(thing):
    numbers = thing.detach().numpy() if isinstance(thing, torch.Tensor) else thing
    return np.complex128(numbers) + 1j


@pytest.mark.parametrize("turn", [as_tensor, as_array])
@pytest.mark.parametrize("source, exercise", FUNCTIONS, ids=[one.name for _, one in FUNCTIONS])
def test_complex_numbers_get_one_hint(lines, source, exercise, turn):
    """The solution with its results turned: in the notebook, and over the grader's connection."""
    here, there = lines
    worker = Here(names_from("\n".join(source.given)), solutions(source)[exercise.name])
    right = worker.names[exercise.name]
    worker.names[exercise.name] = lambda *inputs: made_complex(right(*inputs), turn)
    call = lambda number, *rest: watched(there.functions[number], *rest)  # noqa: E731
    there.functions += [None, worker.names.__getitem__, call, on_guard]
    found = [judged(exercise, worker, names_from(source.setup))]
    worker.get = lambda name, answer: here.ask(GET_NAME, name)
    found.append(judged(exercise, worker, names_from(source.setup)))
    for points, hint in found:
        assert points == 0 and "There are complex numbers in it" in hint


def test_no_exercise_is_without_attempts():
    for source, one in EXERCISES:
        right, wrong = ANSWERS[source.number, one.name]
        assert right, f"{source.number}: {one.name}"
        if one.kind == "implement":
            assert len(right) >= 2 and len({one.hint for one in wrong}) >= 5
