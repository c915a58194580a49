"""Whatever is right gets full points, in whatever clothes: those of each function's solution."""

import ast
import functools
import textwrap

import pytest

from course.grading.assignment_files import assignments
from tests.course.grading.attempts import judged_here
from tests.course.grading.classroom import solutions

pytestmark = pytest.mark.filterwarnings("ignore")  # a warning costs no points
SOURCES = {one.number: one for one in assignments()}
FUNCTIONS = [
    (source, one)
    for source in SOURCES.values()
    for one in source.exercises
    if one.kind == "implement"
]
# Code behind an answer that puts the same function into other clothes.
CLOTHES = {
    "as it is": "",
    "a class": """
class Answer:
    def __call__(self, *inputs):
        return inner(*inputs)

inner, {name} = {name}, Answer()
""",
    "one more input, with a default": """
def {name}(*inputs, inner={name}, unused=None):
    return inner(*inputs)
""",
    "a part of a function": """
import functools
{name} = functools.partial({name})
""",
    "it spoils what it was given": """
import copy

def {name}(*inputs, inner={name}):
    found = inner(*copy.deepcopy(inputs))
    for one in inputs:
        if isinstance(one, torch.Tensor):
            one.zero_()
        elif isinstance(one, list):
            one.clear()
    return found
""",
    "twice as many digits": """
def doubled(found):
    if isinstance(found, tuple):
        return tuple(map(doubled, found))
    floats = isinstance(found, torch.Tensor) and found.is_floating_point()
    return found.double() if floats else found

def {name}(*inputs, inner={name}):
    return doubled(inner(*inputs))
""",
    "an array of NumPy": """
def as_arrays(found):
    if type(found) is tuple:
        return tuple(map(as_arrays, found))
    return found.detach().numpy() if isinstance(found, torch.Tensor) else found

def {name}(*inputs, inner={name}):
    return as_arrays(inner(*inputs))
""",
}
# The same for the results of a few: as numbers or tensors, and as arrays of NumPy.
COMPLEX = """
import numpy as np

def turned(found):
    if isinstance(found, tuple):
        return tuple(map(turned, found))
    return {turn}

def {name}(*inputs, inner={name}):
    return turned(inner(*inputs))
"""
TURNS = ("found * (1 + 0j)", "np.asarray(torch.as_tensor(found).detach()) + 1j")


def in_other_words(code: str) -> str:
    """The same program with other names for what its functions are given."""
    tree = ast.parse(textwrap.dedent(code))
    given = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.arg = f"its_{node.arg}"
        elif isinstance(node, ast.Name) and node.id in given:
            node.id = f"its_{node.id}"
    return ast.unparse(tree)


@functools.cache
def solution(number: int, name: str) -> str:
    return solutions(SOURCES[number])[name]


@pytest.mark.parametrize("source, exercise", FUNCTIONS, ids=[one.name for _, one in FUNCTIONS])
def test_whatever_is_right_gets_full_points(source, exercise):
    right = solution(source.number, exercise.name)
    ways = [(right, clothes) for clothes in CLOTHES] + [(in_other_words(right), "as it is")]
    for way, clothes in ways:
        code = way + CLOTHES[clothes].format(name=exercise.name)
        assert judged_here(source, exercise, code) == (exercise.points, ""), (clothes, code)


@pytest.mark.parametrize("turn", TURNS)
def test_complex_numbers_get_one_hint(turn):
    """Over the grader's connection they arrive as they are: test_rpc.py."""
    for source, exercise in FUNCTIONS:
        if exercise.name in ("my_weights", "my_stop", "my_loss"):
            code = solution(source.number, exercise.name)
            code += COMPLEX.format(name=exercise.name, turn=turn)
            points, hint = judged_here(source, exercise, code)
            assert points == 0 and "There are complex numbers in it" in hint, exercise.name
