"""Whatever is handed in, and whatever a student's process says: nobody is lost, nothing breaks."""

import io
import json
import math
import shutil

from hypothesis import given
from hypothesis import strategies as st

from course.grading.assignment_files import assignment, assignments, student_version
from course.grading.collect import collect
from course.grading.grade import Unreadable, code_of, read_submission
from course.grading.rpc import SIZES, Line, Lost, Stopped

SOURCES = assignments()
NOTEBOOK = json.dumps(student_version(assignment(5))).encode()
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)


# --- a file --------------------------------------------------------------------------------------

FIELDS = st.sampled_from(
    "cells metadata coursework assignment cell_type source nbgrader grade_id tags".split()
)
THINGS = st.recursive(
    PLAIN | st.sampled_from(["code", "markdown"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS | st.text(), inner),
)


def other(number, field, thing):
    """The notebook with something else in a field of its own, or of a cell; ... takes it away."""
    book = json.loads(NOTEBOOK)
    cell = book["cells"][number % len(book["cells"])]
    inside = cell["metadata"], cell["metadata"].get("nbgrader", {})
    for part in (book, book["metadata"], book["metadata"]["coursework"], cell, *inside):
        if part.pop(field, None) is not None and thing is not ...:
            part[field] = thing
    return json.dumps(book).encode()


def damaged(place, length, new):
    return NOTEBOOK[:place] + new + NOTEBOOK[place + length :]


CONTENTS = (
    st.binary(max_size=40)
    | THINGS.map(lambda thing: json.dumps(thing).encode())
    | st.builds(other, st.integers(0, 99), FIELDS, THINGS | st.just(...))
    | st.builds(damaged, st.integers(0, len(NOTEBOOK)), st.integers(0, 99), st.binary(max_size=3))
    | st.integers(0, len(NOTEBOOK)).map(lambda end: NOTEBOOK[:end])
)


@given(st.sampled_from(SOURCES), CONTENTS)
def test_any_file_is_cells_or_a_sentence_with_its_name(tmp_path_factory, source, content):
    path = tmp_path_factory.getbasetemp() / f"ana{source.suffix}"
    path.write_bytes(content)
    try:
        cells = read_submission(path, source)
        code = code_of(cells, source)
    except Unreadable as error:
        assert path.name in str(error) and "\n" not in str(error) and str(error).endswith(".")
    else:
        assert all(isinstance(text, str) for _, text in code)
        assert len(code) >= len(source.given)


# --- a folder ------------------------------------------------------------------------------------

NAMES = (
    st.text("abñ _-.1", min_size=1, max_size=6)
    .map(str.strip)
    .filter(lambda name: name.strip(". ") and not name.startswith("."))
)
FILES = st.sampled_from(
    [assignment(5).file, "mine.ipynb", "notes.txt", "deep/er.ipynb", "mine", "a.IPYNB.json"]
)
FOLDERS = st.lists(st.tuples(NAMES, FILES), min_size=1, max_size=5)


def put(folder, names):
    shutil.rmtree(folder, ignore_errors=True)
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}" if name.endswith("notes.txt") else NOTEBOOK)


@given(FOLDERS, st.lists(NAMES.map(lambda name: f"{name}.ipynb"), min_size=2, max_size=4))
def test_in_a_plain_folder_each_name_is_a_student_and_each_notebook_somebody_s(
    tmp_path_factory, folders, files
):
    folder = tmp_path_factory.getbasetemp() / "plain"
    put(folder, [*(f"{name}/{file}" for name, file in folders), *files])
    collected = collect(folder, assignment(5))
    tops = sorted(folder.iterdir())
    assert collected.platform == ""
    assert len({one.student for one in collected.submissions}) == len(tops)
    for one, top in zip(collected.submissions, tops, strict=True):
        files = [path for path in (top, *top.rglob("*")) if path.is_file()]
        books = [path for path in files if path.name != "notes.txt"]
        assert one.path in (books or [top / assignment(5).file])


# --- what a student's process says ---------------------------------------------------------------

KINDS = st.sampled_from(
    "tuple set dict complex hypothesis parts nothing tensor loss yours function other".split()
)
SAID = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KINDS, inner, max_size=2)
)


@given(
    st.sampled_from(["answer", "error", "call", "shout"]),
    st.lists(SAID, max_size=3),
    st.binary(max_size=9),
    st.none() | st.integers(0, 30),
)
def test_whatever_a_process_says_is_an_answer_an_error_or_nothing(kind, rest, data, cut):
    words = json.dumps([kind, *rest]).encode()
    said = (SIZES.pack(len(words), len(data)) + words + data)[:cut]
    line = Line(io.BytesIO(said), io.BytesIO())
    try:
        found = line.ask(0)
    except Lost:
        return
    except Stopped as error:
        assert kind == "error" and type(error).__name__.isidentifier()
    else:
        assert kind == "answer" and not (isinstance(found, float) and math.isnan(found))
