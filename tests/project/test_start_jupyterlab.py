"""`make lab` works on copies: a reader never touches the course, nor it what the reader wrote."""

import errno
import json
import os
import re
import tempfile
from pathlib import Path
from unittest.mock import Mock

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import jupyterlab
import start_jupyterlab as lab
from tests.here import read

NAME, NEW, NEW2 = "01_one_hot.ipynb", "01_one_hot-new.ipynb", "01_one_hot-new2.ipynb"
LEDGER = ".copied.json"


def notebook(source: str, output: str = "", **more) -> bytes:
    outputs = [new_output("stream", text=output)] if output else []
    cell = new_code_cell(source, outputs=outputs, id="a") | more
    return json.dumps(new_notebook() | {"cells": [cell]}).encode()


def link(to: str):
    return lambda path: path.symlink_to(to)


def state(path: Path) -> object:
    """What stands under a name, without following links."""
    if path.is_symlink():
        return os.readlink(path)
    return path.read_bytes() if path.is_file() else path.exists()


# What happens after the first start: the course's new version of a notebook (a text), or what the
# reader puts under a name (bytes, or a function that makes it). Then what the last start says, and
# what stands there in the end, besides what the reader put there last: that stays, whatever it is.
MINE, MINE_TOO, OLD = notebook("mine"), notebook("mine too"), notebook("from course.gone import x")
PICTURE = notebook("1", attachments={"a.png": {"image/png": "AAAA"}})
# What stands under a notebook's name when there is a new version, and why it stays.
STAYS = {
    "changed, then new": (MINE, "you changed it"),
    "a picture pasted": (PICTURE, "you changed it"),
    "damaged": (b'{"cells": [3]}', ""),
    "nested too deep": (b"[" * 200_000, ""),
    "empty": (b"", ""),
    "a folder": (Path.mkdir, "can't be read"),
    "a pipe": (getattr(os, "mkfifo", Path.mkdir), "can't be read"),
    "a link to nothing": (link("nothing"), "can't be read"),
    "a link to itself": (link(NAME), "can't be read"),
    "imports what is gone": (OLD, "imports course.gone"),
}
CASES = {
    **{
        what: ([(NAME, there), "2"], f"{why}.* {NEW}", {NEW: "2"})
        for what, (there, why) in STAYS.items()
    },
    "only run": ([(NAME, notebook("1", output="ran")), "2"], "you had not changed", {NAME: "2"}),
    "changed": ([(NAME, MINE)], "", {}),
    "a third version": ([(NAME, MINE), "2", "3"], f"you changed it.* {NEW}", {NEW: "3"}),
    "both changed": ([(NAME, MINE), "2", (NEW, MINE_TOO), "3"], NEW2, {NEW2: "3"}),
    "a fourth": ([(NAME, MINE), "2", (NEW, MINE_TOO), "3", "4"], NEW2, {NEW2: "4"}),
    "back again": ([(NAME, MINE), "2", "1"], "", {NEW: "2"}),
    "its new name taken": ([(NAME, MINE), (NEW, Path.mkdir), "2"], NEW2, {NEW2: "2"}),
    "the reader's own": ([("02_own.ipynb", MINE), "2"], "new version", {NAME: "2"}),
    "deleted": ([(NAME, Path.unlink), "1"], "", {NAME: "1"}),
    "deleted, the newer too": ([(NAME, MINE), "2", (NEW, Path.unlink), "2"], "", {}),
    "a page in Latin-1": ([("README.md", "Ma\xf1ana".encode("latin-1"))], "", {}),
    "a link to what was": ([("old", notebook("1")), (NAME, link("old")), "2"], NEW, {NEW: "2"}),
    "without its newer": ([(NAME, OLD), "2", (NEW, Path.unlink), "2"], NEW, {NEW: "2"}),
    "the reader's own, gone": ([("own.ipynb", OLD), "1"], "own.ipynb: it imports course.gone", {}),
    **{
        f"the ledger holds {text[:8]!r}": ([(NAME, MINE), (LEDGER, text), "2"], NEW, {NEW: "2"})
        for text in (b"", b"[]", b"{}", b"3", b"[3]", b"damaged", b"\xff", b"[" * 200_000)
    },
}


@pytest.fixture
def course(tmp_path):
    """The originals, and where the copies go, after the first start."""
    originals, work = tmp_path / "notebooks", tmp_path / "work"
    originals.mkdir()
    (originals / NAME).write_bytes(notebook("1"))
    (originals / "README.md").write_text("index", encoding="utf-8")
    assert list(lab.bring(originals, work)) == []
    for name in (NAME, "README.md"):
        assert (work / name).read_bytes() == (originals / name).read_bytes()
    return originals, work


@pytest.mark.parametrize("steps, says, after", CASES.values(), ids=CASES)
def test_what_the_reader_wrote_stays_and_the_new_version_comes(course, steps, says, after):
    originals, work = course
    readers, said = {}, []
    for step in steps:
        if isinstance(step, str):
            (originals / NAME).write_bytes(notebook(step))
        else:
            name, made = step
            if made != Path.unlink and os.path.lexists(work / name):
                (work / name).unlink()
            made(work / name) if callable(made) else (work / name).write_bytes(made)
            readers[name] = state(work / name)
        said = list(lab.bring(originals, work))
        again = list(lab.bring(originals, work))
    for name, source in after.items():
        assert json.loads((work / name).read_bytes())["cells"][0]["source"] == source
    for name in readers.keys() - after.keys() - {LEDGER}:
        assert state(work / name) == readers[name]
    assert re.search(says, "\n".join(said)) if says else said == []
    assert again == [line for line in said if re.search("can't be read|imports", line)]
    names = {NAME, "README.md", LEDGER, *readers, *after}
    assert {path.name for path in work.iterdir()} <= names, "nothing else is left there"


def test_a_run_that_is_killed_loses_nothing(course, monkeypatch):
    """At each of its writes, before it and after it; then the next start ends where it should."""
    originals, work = course
    (work / NAME).write_bytes(MINE)
    (originals / NAME).write_bytes(notebook("2"))
    (originals / "README.md").write_text("index 2", encoding="utf-8")
    (originals / "02.ipynb").write_bytes(notebook("02"))
    began = {path.name: path.read_bytes() for path in work.iterdir()}
    list(lab.bring(originals, work))
    ended = {path.name: path.read_bytes() for path in work.iterdir()}
    assert ended.keys() - began.keys() == {NEW, "02.ipynb"}
    replace = Path.replace
    for at in range(12):
        for path in work.iterdir():
            path.unlink()
        for name, content in began.items():
            (work / name).write_bytes(content)
        step = Mock(side_effect=[None] * at + [KeyboardInterrupt])

        def kill(path, target, step=step):
            step()
            replace(path, target)
            step()

        monkeypatch.setattr(Path, "replace", kill)
        with pytest.raises(KeyboardInterrupt):
            list(lab.bring(originals, work))
        monkeypatch.setattr(Path, "replace", replace)
        list(lab.bring(originals, work))
        assert {path.name: path.read_bytes() for path in work.iterdir()} == ended


@pytest.mark.parametrize(
    "stands_there, writable, full, opens",
    [
        ("a folder", True, False, "work"),
        ("a folder", True, True, "work"),  # the copies are there
        ("a folder", False, False, "work"),
        ("a file", True, False, None),
        ("a link to nothing", True, False, None),
        ("nothing", True, True, None),
        ("nothing", False, False, "notebooks"),  # they can't be changed either
        ("a file", False, False, "notebooks"),
    ],
)
def test_where_nothing_can_be_written_it_is_said_and_what_can_be_read_opens(
    tmp_path, monkeypatch, capsys, stands_there, writable, full, opens
):
    originals, work, opened = tmp_path / "notebooks", tmp_path / "work", []
    originals.mkdir()
    (originals / lab.FIRST).write_bytes(notebook("1"))
    if stands_there == "a folder":
        list(lab.bring(originals, work))
        (originals / lab.FIRST).write_bytes(notebook("2"))
    elif stands_there == "a file":
        work.write_text("a file")
    elif stands_there == "a link to nothing":
        work.symlink_to("nothing")
    write = Path.write_bytes

    def write_bytes(path, content):
        if full and path.is_relative_to(work):
            write(path, content[:9])
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, content)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    # Root may write everywhere, whatever a folder's mode is.
    monkeypatch.setattr(os, "access", lambda path, _: writable or path not in (work, originals))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(lab, "ORIGINALS", originals)
    monkeypatch.setattr(lab, "WORK", work)
    monkeypatch.setattr(lab, "jupyterlab_main", lambda: lambda options: opened.extend(options))
    ended = lab.main([])
    said = capsys.readouterr().out
    well = stands_there == "a folder" and writable and not full
    assert ("you had not changed" in said and "as you like" in said) == well
    assert (f"{work}" in said and "can't be written" in said) != well
    assert ended == (1 if opens is None else None)
    if opens:
        assert f"--LabApp.default_url=/lab/tree/{opens}/{lab.FIRST}" in opened
        config = Path(os.environ["JUPYTER_CONFIG_DIR"])
        assert (config / "custom" / "custom.css").exists()
        assert config.is_relative_to(work) == well
    if full:
        assert not list(work.glob(".0*")), "nothing half-written is left"


@pytest.mark.parametrize(
    "source, gone",
    [
        ("import course.gone", "course.gone"),
        ("import course.gone as c  # why", "course.gone"),
        ("%matplotlib inline\nfrom course.gone import a, b\n!ls", "course.gone"),
        ("from course import gone, reader", "course.gone"),
        ("from transformer_lib import Translator, gone as g", "transformer_lib.gone"),
        (
            "if 1:\n  from transformer_lib import (\n    gone,  # here\n    train,\n)\nx =",
            "transformer_lib.gone",
        ),
        (
            "from transformer_lib.model.gone import x\nimport course.gone",
            "transformer_lib.model.gone, course.gone",
        ),
        ("import courses.gone, web_tools\n# import course.gone\nfrom .course import gone", ""),
        ("from transformer_lib.model import *\nimport course", ""),
    ],
)
def test_what_the_course_no_longer_has_is_found_without_importing(source, gone):
    assert lab.missing(notebook(source)) == gone


def test_the_course_has_what_its_notebooks_import():
    for original in lab.ORIGINALS.glob("*.ipynb"):
        assert lab.missing(original.read_bytes()) == "", original.name


def test_it_opens_the_first_notebook_and_later_where_one_was(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    assert lab.first_page(tmp_path, work) == "/lab/tree/work"
    (work / lab.FIRST).touch()
    assert lab.first_page(tmp_path, work) == "/lab/tree/work/00_start_here.ipynb"
    assert (lab.ORIGINALS / lab.FIRST).exists()
    saved = tmp_path / "workspaces" / "default-37a8.jupyterlab-workspace"
    saved.parent.mkdir()
    for data, page in (
        ("{", "tree"),
        ({}, "tree"),
        (3, "tree"),
        ([3], "tree"),
        ({"notebook:work/03.ipynb": 1}, "/lab"),
        ({"notebook:notebooks/03.ipynb": 1}, "tree"),
    ):
        text = data if isinstance(data, str) else json.dumps({"data": data})
        saved.write_text(text, encoding="utf-8")
        found = lab.first_page(tmp_path, work)
        assert found == page or page in found.split("/")


def test_every_setting_is_one_that_jupyterlab_knows():
    """No news, Markdown as a page, and links to a section of a closed notebook that land there."""
    schemas = Path(jupyterlab.__file__).parent / "schemas"
    settings = json.loads(read("tools/jupyterlab/overrides.json"))
    for plugin, values in settings.items():
        package, name = plugin.split(":")
        schema = json.loads((schemas / package / f"{name}.json").read_text(encoding="utf-8"))
        assert values.keys() <= schema["properties"].keys()
    assert settings["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    assert settings["@jupyterlab/notebook-extension:tracker"]["windowingMode"] == "full"
