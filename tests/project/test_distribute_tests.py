"""Which tests run side by side, and in which order."""

import random

import distribute_tests
from distribute_tests import FIRST, ROOT, order, unit


def test_a_notebook_and_a_file_stay_whole_and_a_rehearsal_runs_apart():
    notebook = "notebooks/04_attention.ipynb"
    assert {unit(f"{notebook}::Cell {i}") for i in range(3)} == {notebook}
    file = "tests/transformer_lib/model/test_masks.py"
    assert {unit(f"{file}::test_{name}") for name in "ab"} == {file}
    rehearsals = [f"tests/course/grading/test_rehearsal.py::test_students[{i}]" for i in range(3)]
    assert [unit(test) for test in rehearsals] == rehearsals


def test_the_longest_start_first_and_no_file_is_torn():
    few, many = ["tests/test_few.py::test_a"], [f"tests/test_many.py::test_{i}" for i in range(5)]
    cells = [f"notebooks/01_one_hot.ipynb::Cell {i}" for i in range(3)]
    long = [f"{file}::test_a" for file in reversed(FIRST)]
    found = [few, many, cells, long]
    random.Random(1).shuffle(found)
    tests = sum(found, [])
    place = order(tests)
    assert sorted(tests, key=place.get) == sorted(long) + cells + many + few


def test_the_files_named_are_there():
    assert all((ROOT / file).is_file() for file in FIRST)
    assert set(distribute_tests.APART) <= set(FIRST)
