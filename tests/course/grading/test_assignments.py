"""The sources of the assignments, and the two versions made from them."""

import copy
import json
import re

import nbformat
import pytest

from course.grading.__main__ import main
from course.grading.archives import STUDENTS_PAGE
from course.grading.assignment_files import (
    HIDDEN,
    SOLUTION,
    SourceError,
    assignments,
    grade_id,
    names_wanted,
    plain,
    read_source,
    secrets,
    student_version,
    text,
    without_solution,
)
from tests.course.grading.classroom import solutions

SOURCES = assignments()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    assert main(["build", "--out", str(folder)]) == 0
    return folder


def test_ten_assignments_of_180_points_in_all():
    assert [one.number for one in SOURCES] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert sum(one.points for one in SOURCES) == 180
    assert sum(one.points for one in SOURCES[:6]) == 100


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.file)
def test_each_has_every_kind_of_exercise_and_tells_their_points(source):
    kinds = {one.kind for one in source.exercises}
    assert kinds == {"predict", "implement", "explore", "explain"}
    first_cell = text(source.notebook["cells"][0])
    rows = re.findall(r"^\| (\d+)\. .* \| (\w+) \| (\d+) \|$", first_cell, re.MULTILINE)
    assert [(kind, int(points)) for _, kind, points in rows] == [
        (one.kind, one.points) for one in source.exercises
    ]
    assert [int(number) for number, _, _ in rows] == list(range(1, len(rows) + 1))
    assert f"{source.points} points" in first_cell


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.file)
def test_its_checks_are_where_the_name_says(source):
    """Whoever looks for a hint of assignment 3 looks for assignment_3_checks.py."""
    imports = rf"^from course\.chapters\.\w+ import assignment_{source.number}_checks as check$"
    assert re.search(imports, source.setup, re.MULTILINE)
    assert " import checks" not in source.setup
    for one in source.exercises:
        assert one.kind == "explain" or one.check.startswith("check."), one.name


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.file)
def test_every_function_is_checked_with_inputs_that_nobody_has_seen(source):
    for one in source.exercises:
        assert bool(HIDDEN.search(one.check)) == (one.kind == "implement"), one.name


# --- the student version -------------------------------------------------------------------------


def test_no_solution_is_found_in_what_is_handed_out(built):
    """In no file, however its text is escaped and spaced."""
    words = ""
    for path in sorted((built / "student").rglob("*")):
        if path.is_file():
            raw = path.read_text(encoding="utf-8")
            words += raw + (json_strings(json.loads(raw)) if path.suffix == ".ipynb" else "")
    for source in SOURCES:
        hidden = secrets(source)
        assert len(hidden) > 15  # there is something to look for
        for line in hidden:
            assert line not in plain(words), f"{source.file}: {line}"
    for marker in ("SOLUTION", "HIDDEN"):
        assert marker not in words


def json_strings(thing) -> str:
    """Every string in it, keys included, as they read when the notebook is open."""
    if isinstance(thing, dict):
        return "\n".join(f"{key}\n{json_strings(value)}" for key, value in thing.items())
    if isinstance(thing, list):
        return "".join(json_strings(part) for part in thing)
    return str(thing)


def test_the_teachers_version_has_the_solutions(built):
    for source in SOURCES:
        assert json.loads((built / "teacher" / source.file).read_bytes()) == source.notebook


def test_student_versions_are_valid_and_have_no_outputs(built):
    for source in SOURCES:
        notebook = nbformat.read(built / "student" / source.file, as_version=4)
        nbformat.validate(notebook)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                assert cell.outputs == [] and cell.execution_count is None
        assert notebook.metadata.coursework.assignment == source.number


def test_students_can_write_only_where_they_should(built):
    for source in SOURCES:
        for cell in json.loads((built / "student" / source.file).read_bytes())["cells"]:
            name = grade_id(cell)
            assert cell["metadata"].get("deletable", True) == (name == "")
            assert cell["metadata"].get("editable", True) == (not name.startswith("check-"))


def test_stubs():
    function = "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n"
    assert without_solution(function) == "def f(x):\n    return ...\n"
    value = "x = ...\n### BEGIN SOLUTION\nx = 5\n### END SOLUTION"
    assert without_solution(value) == "x = ...\n"


def test_every_answer_cell_has_a_stub_that_runs_and_says_nothing(built):
    for source in SOURCES:
        for cell in json.loads((built / "student" / source.file).read_bytes())["cells"]:
            if grade_id(cell) in solutions(source):
                assert "..." in text(cell)
                compile(text(cell), source.file, "exec")


# --- sources that are not as they should be ------------------------------------------------------


def changed(tmp_path, change):
    """Assignment 2 with a change, written to a file."""
    source = next(one for one in SOURCES if one.number == 2)
    notebook = copy.deepcopy(source.notebook)
    change(notebook["cells"])
    path = tmp_path / source.file
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def cell_of(cells, name):
    return next(cell for cell in cells if grade_id(cell) == name)


def test_a_solution_that_stands_elsewhere_is_refused(tmp_path):
    def tell(cells):
        line = SOLUTION.search(text(cell_of(cells, "my_weights")))[2].split("\n")[0]
        cells[1]["source"] = f"Think of  {line.strip()} ."

    with pytest.raises(SourceError, match="also stands elsewhere"):
        student_version(read_source(changed(tmp_path, tell)))


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda cell: cell.update(source="### BEGIN SOLUTION\nx = 1"), "BEGIN SOLUTION has no"),
        (lambda cell: cell.update(source="x = 1\n### END SOLUTION"), "END SOLUTION has no"),
        (lambda cell: cell.update(source="### BEGIN HIDDEN TESTS\n1"), "BEGIN HIDDEN TESTS has"),
        (lambda cell: cell["metadata"]["nbgrader"].update(grade_id="w_q"), "two cells"),
    ],
)
def test_faulty_cells_are_refused(tmp_path, change, message):
    path = changed(tmp_path, lambda cells: change(cell_of(cells, "my_weights")))
    with pytest.raises(SourceError, match=message):
        read_source(path)


def test_a_check_without_points_is_refused(tmp_path):
    def unpoint(cells):
        del cell_of(cells, "check-w_q")["metadata"]["nbgrader"]["points"]

    with pytest.raises(SourceError, match="w_q needs its points"):
        read_source(changed(tmp_path, unpoint))


def test_a_check_without_its_kind_is_refused(tmp_path):
    def untag(cells):
        cell_of(cells, "check-w_q")["metadata"]["tags"] = []

    with pytest.raises(SourceError, match="needs one of the tags"):
        read_source(changed(tmp_path, untag))


def test_only_the_assignments_that_are_asked_for(tmp_path, capsys):
    assert main(["build", "2", "--out", str(tmp_path)]) == 0
    assert [path.name for path in (tmp_path / "student").iterdir() if path.suffix == ".ipynb"] == [
        "2_attention.ipynb"
    ]
    assert main(["build", "99", "--out", str(tmp_path)]) == 2
    assert "there is no assignment 99" in capsys.readouterr().err


def test_names_that_a_check_wants():
    code = "import torch as t\nx = t.ones(2)\nfor one in mine:\n    check.f(theirs, len(x), one)"
    assert names_wanted(code, {"check"}) == ["mine", "theirs"]


def test_the_students_page_comes_along(built):
    page = (built / "student" / "README.md").read_text(encoding="utf-8")
    assert page == STUDENTS_PAGE.read_text(encoding="utf-8")
