"""Beyond the lists: whatever is right gets full points, and whatever is wrong loses some.

For each function of the assignments its solution is dressed in other clothes, which must change
nothing, and gets one slip at a time (mutants.py), of which all but a few must cost points.
"""

import ast
import contextlib
import functools
import textwrap

import pytest

from course.grading.assignment_files import assignments
from tests.course.grading.attempts import judged_here
from tests.course.grading.classroom import solutions
from tests.course.grading.mutants import mutants

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


@pytest.mark.parametrize("source, exercise", FUNCTIONS, ids=[one.name for _, one in FUNCTIONS])
def test_whatever_is_right_gets_full_points(source, exercise):
    right = solution(source.number, exercise.name)
    ways = [(right, clothes) for clothes in CLOTHES] + [(in_other_words(right), "as it is")]
    for way, clothes in ways:
        code = way + CLOTHES[clothes].format(name=exercise.name)
        assert judged_here(source, exercise, code) == (exercise.points, ""), (clothes, code)


# Slips that change no answer, such as `dim=1` for `dim=-1`: so many of each function's keep all
# points, which was tried against the solution on random inputs. Of a new function, or where the
# number has changed, read what the test shows: each of these programs must be right.
THE_SAME = dict(
    my_embeddings=1,
    my_encoding=1,
    my_weights=5,
    my_attention=4,
    my_split_heads=2,
    my_merge_heads=2,
    my_mask=3,
    my_hidden_weights=2,
    my_shift=2,
    my_smoothed_loss=1,
    my_schedule=1,
    my_updates=1,
    my_greedy=3,
    my_beam_step=3,
    my_choice=5,
    my_brevity=1,
    my_clean_pair=2,
    my_deduplicate=1,
    my_any_reference=1,
    my_interval=1,
    my_turn=2,
    my_rotary_attention=8,
    my_grouped_attention=6,
    my_cache_bytes=1,
    my_sizes=1,
    my_fit=5,
    my_loss=2,
    my_average_precision=3,
    my_delta=6,
)


@pytest.mark.parametrize("source, exercise", FUNCTIONS, ids=[one.name for _, one in FUNCTIONS])
def test_each_slip_that_changes_an_answer_costs_points(source, exercise):
    slips, kept = 0, []
    for mutant in mutants(solution(source.number, exercise.name)):
        with contextlib.suppress(SyntaxError):  # no program any more
            points, _ = judged_here(source, exercise, mutant)
            slips += 1
            if points == exercise.points:
                kept.append(mutant)
    assert slips >= 10
    assert len(kept) == THE_SAME.get(exercise.name, 0), "\n\n".join(kept)
