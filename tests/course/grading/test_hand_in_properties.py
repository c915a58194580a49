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

CELLS = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", 1, None]),
        "source": PLAIN | st.lists(PLAIN, max_size=3),
        "metadata": PLAIN | st.dictionaries(st.sampled_from(["nbgrader", "tags"]), PLAIN),
    },
)
BOOKS = st.fixed_dictionaries(
    {}, optional={"cells": PLAIN | st.lists(PLAIN | CELLS, max_size=4), "metadata": PLAIN | CELLS}
)
# All is well, but for what the notebook says of itself.
ANSWERS = st.fixed_dictionaries({"cell_type": st.just("code"), "source": st.text(max_size=4)})
ABOUT = PLAIN | st.lists(PLAIN) | st.dictionaries(st.sampled_from(["coursework", "x"]), PLAIN)
BOOKS |= st.fixed_dictionaries({"cells": st.lists(ANSWERS, max_size=2), "metadata": ABOUT})
THINGS = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


def damaged(place, length, new):
    return NOTEBOOK[:place] + new + NOTEBOOK[place + length :]


CONTENTS = (
    st.binary(max_size=40)
    | (BOOKS | THINGS).map(lambda thing: json.dumps(thing).encode())
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
NUMBERS = st.integers(1, 4)


def moodle(name, number):
    return f"x{name.replace('_', '')}_{number}_assignsubmission_file"


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
    tops = sorted(path for path in folder.iterdir())
    assert collected.platform == "" and len(collected.submissions) == len(tops)
    assert len({one.student for one in collected.submissions}) == len(tops)
    for one, top in zip(collected.submissions, tops, strict=True):
        assert one.path == top or top in one.path.parents
        books = [top] if top.is_file() else [path for path in top.rglob("*") if path.is_file()]
        books = [path for path in books if path.name != "notes.txt"]
        assert one.path in (books or [top / assignment(5).file])


@given(st.lists(st.tuples(NAMES, NUMBERS, FILES), min_size=1, max_size=6))
def test_in_a_platform_s_folder_each_number_is_a_student(tmp_path_factory, handed):
    folder = tmp_path_factory.getbasetemp() / "moodle"
    put(folder, [f"{moodle(name, number)}/{file}" for name, number, file in handed])
    collected = collect(folder, assignment(5))
    assert collected.platform == "Moodle"
    assert sorted(one.number for one in collected.submissions) == sorted(
        {str(number) for _, number, _ in handed}
    )
    assert len({one.student for one in collected.submissions}) == len(collected.submissions)
    for one in collected.submissions:
        if any(str(number) == one.number and file != "notes.txt" for _, number, file in handed):
            assert one.path.is_file() and f"_{one.number}_" in str(one.path.relative_to(folder))


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
