"""Every way to be right gets full points, hidden tests included; what fits no other input doesn't.

All mistakes of an exercise are handed in to its check by tests/course/chapters/test_exercises.py.
"""

import numpy as np
import pytest
import torch

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
    *attempts, last = answers(source, exercise)
    assert any(not one.hint for one in attempts)
    others = attempts[: len(OTHER_INPUTS.get(exercise.name, ()))]
    for one in [*others, *(one for one in attempts if not one.hint), last]:
        points, hint = judged_here(source, exercise, one.code)
        assert (one.hint in hint and bool(one.hint) == bool(hint), points) == (True, one.points), (
            one,
            hint,
        )


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
    there.functions[GET_NAME] = worker.names.__getitem__
    found = [judged(exercise, worker, names_from(source.setup))]
    worker.get = lambda name, answer: here.ask(GET_NAME, name)
    found.append(judged(exercise, worker, names_from(source.setup)))
    for points, hint in found:
        assert points == 0 and "There are complex numbers in it" in hint
