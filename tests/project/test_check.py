"""`make check` finds the tests of a changed file."""

from pathlib import Path

import pytest

import check


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("transformer_lib/model/attention.py", ["tests/transformer_lib/model/test_attention.py"]),
        ("transformer_lib/cli/train.py", ["tests/transformer_lib/cli/test_train.py"]),
        (
            "course/chapters/ch06_masks/figures.py",
            ["tests/course/chapters/ch06_masks/test_figures.py"],
        ),
        ("transformer_lib/decoding/beam.py", ["tests/transformer_lib/decoding/test_beam.py"]),
        ("course/grading/similar.py", ["tests/course/grading/test_similar.py"]),
        ("tools/check.py", ["tests/project/test_check.py"]),
        # not test_series.py, which takes minutes
        ("course/notebook_tools/run.py", ["tests/prose/test_notebooks.py"]),
        ("tests/prose/test_series.py", ["tests/prose/test_series.py"]),
        ("tests/course/grading/attempts_5.py", ["tests/course/grading/test_attempts.py"]),
        (
            "tests/transformer_lib/model/test_masks.py",
            ["tests/transformer_lib/model/test_masks.py"],
        ),
        ("notebooks/06_masks.ipynb", ["notebooks/06_masks.ipynb"]),
        ("transformer_lib/gone.py", []),
        ("README.md", []),
    ],
)
def test_each_file_has_its_tests(changed, tests):
    assert check.tests_of(Path(changed)) == [Path(test) for test in tests]


def test_what_takes_minutes_runs_where_nothing_else_would():
    """Every one of them is there, and left out only beside others."""
    assert all((check.ROOT / test).exists() for test in check.WHOLE)
    found = check.tests_of(Path("course/grading/sandbox.py"))
    assert Path("tests/course/grading/test_grading.py") in found
    assert not {test.as_posix() for test in found} & set(check.WHOLE)
    alone = check.importing("tests.course.grading.trained")
    assert Path("tests/course/grading/test_rehearsal.py") in alone


def test_every_module_has_some():
    modules = [
        path.relative_to(check.ROOT)
        for folder in ("transformer_lib", "course")
        for path in (check.ROOT / folder).rglob("*.py")
        if path.name != "__init__.py" and "assignments" not in path.parts
    ]
    assert len(modules) > 100
    without = [path for path in modules if not check.tests_of(path)]
    assert not without, [str(path) for path in without]


def test_style_and_types_are_checked_whatever_has_changed(monkeypatch):
    given = []
    monkeypatch.setattr(check.pytest, "main", given.extend)
    check.main(["README.md"])
    for test in ("test_setup.py::test_style", "test_types.py"):
        assert str(check.ROOT / "tests" / "project" / test) in given


# Modules of the library without a file of tests that has their name, and where theirs are.
TESTED_IN = {
    "__main__": "cli/test_commands.py",  # three lines: it calls the command line
    "cli/common": "cli/test_commands.py",  # what all commands share
    "cli/corpus": "text/test_downloads.py",  # the command is what fetches
    "model/interface": "decoding/test_cache.py",  # a protocol: nothing that could be run
    "renamed_settings": "test_deprecated_names.py",  # with other old names
    "text/english_spanish": "test_shipped_model.py",  # reads the data that the model is measured on
    "text/moses": "../course/chapters/ch14_real_text/test_experiment_multi30k.py",  # for its scores
    "variants/gpt2": "variants/test_hugging_face.py",  # beside the model it has to equal
}


def test_tests_mirror_the_library():
    library, tests = check.ROOT / "transformer_lib", check.ROOT / "tests" / "transformer_lib"
    modules = [path for path in library.rglob("*.py") if path.name != "__init__.py"]
    alone = {
        path.relative_to(library).with_suffix("").as_posix()
        for path in modules
        if not (tests / path.relative_to(library)).with_name(f"test_{path.name}").exists()
    }
    assert alone == set(TESTED_IN)
    assert all((tests / where).exists() for where in TESTED_IN.values())
