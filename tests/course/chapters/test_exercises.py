"""Each right answer passes, and each mistake gets its own hint, and only that."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

from course.checks import Exercise, Value, Values, alike
from course.checks.exercises import answer
from tests.course.checks.attempts import all_checks, attempts_of, told

CHECKS = all_checks()

MODULES = sorted({name.rpartition(".")[0] for name in CHECKS})


def several(check) -> bool:
    """Is it called with several arguments?"""
    if isinstance(check, Exercise | Value):
        return False
    if isinstance(check, Values):
        return not check.as_list
    return len(inspect.signature(check).parameters) > 1


@pytest.mark.parametrize(("name", "check"), CHECKS.items(), ids=CHECKS)
def test_each_attempt_gets_its_own_hint(name, check):
    for attempt, hint, keeps, place, _ in attempts_of(name, check):
        said, kept = told(check, *attempt if several(check) else (attempt,))
        assert (hint in said and bool(hint) == bool(said), kept) == (True, keeps), (place, said)


def test_no_check_shows_its_answer_where_a_notebook_shows_the_check():
    assert [name for name, check in CHECKS.items() if "right=" in repr(check)] == []


@pytest.mark.parametrize("name", [name for name in CHECKS if getattr(CHECKS[name], "borrowed", ())])
def test_what_is_borrowed_is_what_is_asked_for(name):
    check = CHECKS[name]
    inputs = check.inputs()
    right = answer(check.right[0], inputs)
    assert all(alike(answer(way, inputs), right) for way in check.borrowed)


@pytest.mark.parametrize("name", MODULES)
def test_no_hint_stands_twice_in_a_dict(name):
    """Of two equal keys Python keeps the second, and the mistakes under the first are lost."""
    module = importlib.import_module(name)
    for table in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
        if isinstance(table, ast.Dict):
            keys = [key_of(key, vars(module)) for key in table.keys if key is not None]
            assert len(set(keys)) == len(keys), (table.lineno, keys)


def key_of(key, names):
    """What the key is; its text, where that depends on what is known only later."""
    try:
        return eval(compile(ast.Expression(key), "key", "eval"), dict(names))
    except NameError:
        return ast.unparse(key)
