"""Every way to be right gets full points, hidden tests included; what fits no other input doesn't.

All mistakes of an exercise are handed in to its check by tests/course/chapters/test_exercises.py.
"""

import numpy as np
import pytest
import torch

from course.checks.watching import on_guard, watched
from course.grading.assignment_files import assignment, assignments
from course.grading.grade import judged
from course.grading.rpc import GET_NAME
from tests.course.grading.attempts import Here, answers, judged_here, names_from
from tests.course.grading.classroom import solutions
from tests.course.grading.other_inputs import OTHER_INPUTS

EXERCISES = [
    pytest.param(source, one, id=f"{source.number}-{one.name}")
    for source in assignments()
    for one in source.exercises
    if one.kind != "explain"
]


@pytest.mark.parametrize("source, exercise", EXERCISES)
def test_each_attempt_gets_its_points(source, exercise):
    right, wrong = answers(source, exercise)
    for code in right:
        assert judged_here(source, exercise, code) == (exercise.points, ""), code
    others = wrong[: len(OTHER_INPUTS.get(exercise.name, ()))]
    for one in [*others, *wrong[-1:]]:
        points, hint = judged_here(source, exercise, one.code)
        assert (one.hint in hint, points) == (True, one.points), (one, hint)
    assert right


# --- complex numbers -----------------------------------------------------------------------------


def made_complex(thing, turn):
    """What a function answers, with its numbers and tensors turned."""
    if isinstance(thing, tuple):
        return tuple(made_complex(part, turn) for part in thing)
    return turn(thing) if isinstance(thing, int | float | torch.Tensor) else thing


def as_tensor(thing):
    """With imaginary parts of 0."""
    return thing.to(torch.complex64) if isinstance(thing, torch.Tensor) else complex(thing)


def as_array(thing):
    numbers = thing.detach().numpy() if isinstance(thing, torch.Tensor) else thing
    return np.complex128(numbers) + 1j


@pytest.mark.parametrize("turn", [as_tensor, as_array])
@pytest.mark.parametrize("number, name", [(2, "my_weights"), (7, "my_stop"), (10, "my_loss")])
def test_complex_numbers_get_one_hint(lines, number, name, turn):
    """The solution with its results turned: in the notebook, and over the grader's connection."""
    here, there = lines
    source = assignment(number)
    (exercise,) = [one for one in source.exercises if one.name == name]
    worker = Here(names_from("\n".join(source.given)), solutions(source)[name])
    right = worker.names[name]
    worker.names[name] = lambda *inputs: made_complex(right(*inputs), turn)
    call = lambda number, *rest: watched(there.functions[number], *rest)  # noqa: E731
    there.functions += [None, worker.names.__getitem__, call, on_guard]
    found = [judged(exercise, worker, names_from(source.setup))]
    worker.get = lambda name, answer: here.ask(GET_NAME, name)
    found.append(judged(exercise, worker, names_from(source.setup)))
    for points, hint in found:
        assert points == 0 and "There are complex numbers in it" in hint
