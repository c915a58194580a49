"""Beyond the lists: whatever is right gets full points, and whatever is wrong loses some.

For each function of the assignments its solution is dressed in other clothes, which must change
nothing, and gets one slip at a time (mutants.py). A slip that changes an answer must cost points,
and one that changes none must not. What counts as an answer is decided by the solution, on random
inputs (contracts.py), not by the check.

That is 665 right programs, which all get full points, and 2,054 with a slip. With the environment
variable EVERYTHING=1 each right answer of the lists is treated like the solution: 3,150 right ones
and some 10,000 slips, in several minutes.
"""

import ast
import functools
import itertools
import os
import textwrap

import pytest

from course.grading.assignment_files import assignments
from tests.course.grading.attempts import judged_here, lists, names_from
from tests.course.grading.classroom import solutions
from tests.course.grading.contracts import MADE_BY, alike, in_numbers
from tests.course.grading.mutants import mutants

EVERYTHING = "EVERYTHING" in os.environ
pytestmark = pytest.mark.filterwarnings("ignore")  # a warning costs no points
SOURCES = {one.number: one for one in assignments()}
FUNCTIONS = [
    (source, one)
    for source in SOURCES.values()
    for one in source.exercises
    if one.kind == "implement"
]
NAMES = [one.name for _, one in FUNCTIONS]

# Code behind an answer that puts the same function into other clothes.
CLOTHES = {
    "as it is": "",
    "a class": """
class Answer:
    def __call__(self, *inputs):
        return inner(*inputs)

inner, {name} = {name}, Answer()
""",
    "a method": """
class Answer:
    def run(self, *inputs):
        return inner(*inputs)

inner, {name} = {name}, Answer().run
""",
    "one more input, with a default": """
def {name}(*inputs, inner={name}, unused=None):
    return inner(*inputs)
""",
    "a part of a function": """
import functools
{name} = functools.partial({name})
""",
    "a decorator": """
import functools
def told(function):
    @functools.wraps(function)
    def inside(*inputs):
        return function(*inputs)
    return inside

{name} = told({name})
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


def in_other_words(code: str) -> str:
    """The same program with other names for all that it names itself, but for a class's fields."""
    tree = ast.parse(textwrap.dedent(code))
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    own -= {
        part.target.id for one in classes for part in one.body if isinstance(part, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.arg in own:
            node.arg = f"its_{node.arg}"
        elif isinstance(node, ast.Name) and node.id in own:
            node.id = f"its_{node.id}"
    return ast.unparse(tree)


@functools.cache
def solution(number: int, name: str) -> str:
    return solutions(SOURCES[number])[name]


def function_of(source, name: str, code: str):
    names = dict(names_from("\n".join(source.given)))
    exec(code, names)
    return names[name]


def ways_to_be_right(source, exercise) -> list[str]:
    """The solution, and the right answers of the assignment's own list."""
    others = lists(source.number, "RIGHT").get(exercise.name, ())
    return [solution(source.number, exercise.name), *map(textwrap.dedent, others)]


@pytest.mark.parametrize("source, exercise", FUNCTIONS, ids=NAMES)
def test_whatever_is_right_gets_full_points(source, exercise):
    ways = ways_to_be_right(source, exercise)
    ways += [in_other_words(way) for way in ways]
    dressed = list(itertools.product(ways, CLOTHES))
    if not EVERYTHING:  # each way in one dress, and the solution in all of them
        dressed = dressed[: len(CLOTHES)] + list(zip(ways, itertools.cycle(CLOTHES)))
    for way, clothes in dressed:
        code = way + CLOTHES[clothes].format(name=exercise.name)
        assert judged_here(source, exercise, code) == (exercise.points, ""), (clothes, code)


def numbers_of(function):
    return lambda *inputs: in_numbers(function(*inputs))


@pytest.mark.parametrize("source, exercise", FUNCTIONS, ids=NAMES)
def test_each_slip_that_changes_an_answer_costs_points(source, exercise):
    ways = ways_to_be_right(source, exercise)
    changed = []
    for way in ways if EVERYTHING else ways[:1]:
        right = function_of(source, exercise.name, way)
        assert alike(right, right, exercise.name)  # it answers all that it is asked
        for mutant in mutants(way):
            try:
                found = function_of(source, exercise.name, mutant)
            except SyntaxError:  # no program any more
                continue
            wrong = not alike(found, right, exercise.name)
            points, hint = judged_here(source, exercise, mutant)
            if EVERYTHING and wrong and alike(*map(numbers_of, (found, right)), exercise.name):
                continue  # a tuple for a tensor, or the like, which a check may let through
            assert (points < exercise.points) == wrong, (mutant, points, hint)
            changed.append(wrong)
    assert sum(changed) >= 10


def test_no_function_is_without_inputs():
    assert set(MADE_BY) == set(NAMES)
