"""The sources of the assignments, and the two versions made from them."""

import copy
import json
import re

import nbformat
import pytest

from course.grading.__main__ import main
from course.grading.assignment_files import (
    HIDDEN,
    SOLUTION,
    SourceError,
    assignments,
    grade_id,
    plain,
    read_source,
    secrets,
    student_version,
    text,
)
from tests.course.grading.classroom import ATTENTION, hand_in, solutions

SOURCES = assignments()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    assert main(["build", "--out", str(folder)]) == 0
    return folder


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


# --- sources that are not as they should be ------------------------------------------------------


def changed(tmp_path, change):
    """Assignment 2 with a change, written to a file."""
    notebook = copy.deepcopy(ATTENTION.notebook)
    change(notebook["cells"])
    hand_in(tmp_path / ATTENTION.file, notebook)
    return tmp_path / ATTENTION.file


def cell_of(cells, name):
    return next(cell for cell in cells if grade_id(cell) == name)


def test_a_solution_that_stands_elsewhere_is_refused(tmp_path):
    def tell(cells):
        line = SOLUTION.search(text(cell_of(cells, "my_weights")))[2].split("\n")[0]
        cells[1]["source"] = f"Think of  {line.strip()} ."

    with pytest.raises(SourceError, match="also stands elsewhere"):
        student_version(read_source(changed(tmp_path, tell)))


def test_faulty_cells_are_refused(tmp_path):
    check, answer = "check-w_q", "my_weights"
    for name, change, message in (
        (answer, lambda cell: cell.update(source="### BEGIN SOLUTION\n1"), "BEGIN SOLUTION has no"),
        (answer, lambda cell: cell.update(source="### END SOLUTION"), "END SOLUTION has no"),
        (answer, lambda cell: cell.update(source="### BEGIN HIDDEN TESTS\n1"), "TESTS has"),
        (answer, lambda cell: cell["metadata"]["nbgrader"].update(grade_id="w_q"), "two cells"),
        (check, lambda cell: cell["metadata"]["nbgrader"].pop("points"), "w_q needs its points"),
        (check, lambda cell: cell["metadata"].update(tags=[]), "needs one of the tags"),
    ):
        path = changed(tmp_path, lambda cells: change(cell_of(cells, name)))  # noqa: B023
        with pytest.raises(SourceError, match=message):
            read_source(path)


# --- what a student opens ------------------------------------------------------------------------


def test_each_tells_its_points_and_has_inputs_that_nobody_has_seen():
    for source in SOURCES:
        kinds = [(one.kind, one.points) for one in source.exercises]
        assert {kind for kind, _ in kinds} == {"predict", "implement", "explore", "explain"}
        first_cell = text(source.notebook["cells"][0])
        rows = re.findall(r"^\| \d+\. .* \| (\w+) \| (\d+) \|$", first_cell, re.MULTILINE)
        assert [(kind, int(points)) for kind, points in rows] == kinds
        assert f"{source.points} points" in first_cell
        for one in source.exercises:
            assert bool(HIDDEN.search(one.check)) == (one.kind == "implement"), one.name


def test_student_versions_are_valid_and_are_written_only_where_they_should(built):
    for source in SOURCES:
        notebook = nbformat.read(built / "student" / source.file, as_version=4)
        nbformat.validate(notebook)
        for cell in notebook.cells:
            name = grade_id(cell)
            assert cell.metadata.get("deletable", True) == (name == "")
            assert cell.metadata.get("editable", True) == (not name.startswith("check-"))
            if cell.cell_type == "code":
                assert cell.outputs == [] and cell.execution_count is None
            if name in solutions(source):  # a stub, which says nothing
                assert "..." in text(cell)
                compile(text(cell), source.file, "exec")
