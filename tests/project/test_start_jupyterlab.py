"""`make lab` works on copies: a reader never touches the course, nor it what the reader wrote."""

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import jupyterlab
import start_jupyterlab as lab

ROOT = Path(__file__).resolve().parents[2]
NAME = "01_one_hot.ipynb"


def write(path: Path, source: str, output: str = "") -> None:
    outputs = [new_output("stream", text=output)] if output else []
    cells = [new_code_cell(source, outputs=outputs, id="a")]
    nbformat.write(new_notebook(cells=cells), path)


def source(path: Path) -> str:
    return nbformat.read(path, as_version=4).cells[0].source


@pytest.fixture
def course(tmp_path):
    """The originals, and where the copies go, after the first start."""
    originals, work = tmp_path / "notebooks", tmp_path / "work"
    originals.mkdir()
    write(originals / NAME, "1")
    (originals / "README.md").write_text("index", encoding="utf-8")
    assert list(lab.bring(originals, work)) == []
    return originals, work


def test_the_first_start_copies_notebooks_and_pages(course):
    originals, work = course
    for name in (NAME, "README.md"):
        assert (work / name).read_bytes() == (originals / name).read_bytes()


def test_running_a_copy_leaves_the_original_and_is_no_change(course):
    originals, work = course
    before = (originals / NAME).read_bytes()
    write(work / NAME, "1", output="ran")
    assert list(lab.bring(originals, work)) == []
    assert "ran" in (work / NAME).read_text(encoding="utf-8")
    assert (originals / NAME).read_bytes() == before


def test_a_copy_that_was_only_run_gets_the_new_version(course):
    originals, work = course
    write(work / NAME, "1", output="ran")
    write(originals / NAME, "2")
    (said,) = lab.bring(originals, work)
    assert NAME in said and "new version" in said
    assert source(work / NAME) == "2"
    assert list(lab.bring(originals, work)) == []


def test_what_the_reader_wrote_is_never_overwritten(course):
    originals, work = course
    write(work / NAME, "mine")
    assert list(lab.bring(originals, work)) == []
    write(originals / NAME, "2")
    (said,) = lab.bring(originals, work)
    assert "it stays" in said and "01_one_hot-new.ipynb" in said
    assert source(work / NAME) == "mine" and source(work / "01_one_hot-new.ipynb") == "2"
    assert list(lab.bring(originals, work)) == [], "said once for each new version"
    write(originals / NAME, "3")
    assert len(list(lab.bring(originals, work))) == 1
    assert source(work / NAME) == "mine" and source(work / "01_one_hot-new.ipynb") == "3"


def test_a_file_of_the_readers_own_stays(course):
    originals, work = course
    write(work / "02_mine.ipynb", "mine")
    write(originals / "02_mine.ipynb", "theirs")
    list(lab.bring(originals, work))
    assert source(work / "02_mine.ipynb") == "mine"


def test_a_deleted_copy_begins_again(course):
    originals, work = course
    write(work / NAME, "mine")
    (work / NAME).unlink()
    assert list(lab.bring(originals, work)) == []
    assert source(work / NAME) == "1"


@pytest.mark.parametrize("broken", ["", "{}", "no JSON", '{"cells": [3]}'])
def test_a_damaged_copy_stays_too(course, broken):
    originals, work = course
    (work / NAME).write_text(broken, encoding="utf-8")
    list(lab.bring(originals, work))
    assert (work / NAME).read_text(encoding="utf-8") == broken


def test_without_its_ledger_it_overwrites_nothing_that_differs(course):
    originals, work = course
    write(work / NAME, "mine")
    (work / ".copied.json").write_text("damaged", encoding="utf-8")
    list(lab.bring(originals, work))
    assert source(work / NAME) == "mine"


def test_it_opens_the_first_notebook_and_later_where_one_was(tmp_path):
    assert lab.first_page(tmp_path, "work") == "/lab/tree/work/00_start_here.ipynb"
    assert (lab.ORIGINALS / lab.FIRST).exists()
    saved = tmp_path / "workspaces" / "default-37a8.jupyterlab-workspace"
    saved.parent.mkdir()
    for data, page in (
        ("{", "tree"),
        ({}, "tree"),
        ({"notebook:work/03.ipynb": 1}, "/lab"),
        ({"notebook:notebooks/03.ipynb": 1}, "tree"),
    ):
        text = data if isinstance(data, str) else json.dumps({"data": data})
        saved.write_text(text, encoding="utf-8")
        found = lab.first_page(tmp_path, "work")
        assert found == page or page in found.split("/")


def test_the_settings_of_the_reader_win(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "mine"))
    monkeypatch.delenv("JUPYTERLAB_SETTINGS_DIR", raising=False)
    environment = lab.prepare(tmp_path / "course")
    assert Path(environment["JUPYTERLAB_SETTINGS_DIR"]).is_relative_to(tmp_path / "mine")
    assert environment["JUPYTER_CONFIG_PATH"].endswith(str(tmp_path / "mine"))
    assert (tmp_path / "course" / "custom" / "custom.css").exists()
    assert (tmp_path / "course" / "settings" / "overrides.json").exists()


def test_every_setting_is_one_that_jupyterlab_knows():
    """No news, Markdown as a page, and links to a section of a closed notebook that land there."""
    schemas = Path(jupyterlab.__file__).parent / "schemas"
    settings = json.loads((ROOT / "tools/jupyterlab/overrides.json").read_text(encoding="utf-8"))
    for plugin, values in settings.items():
        package, name = plugin.split(":")
        schema = json.loads((schemas / package / f"{name}.json").read_text(encoding="utf-8"))
        assert values.keys() <= schema["properties"].keys()
    assert settings["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    assert settings["@jupyterlab/notebook-extension:tracker"]["windowingMode"] == "full"


def test_jupyterlab_starts_without_the_parser_that_takes_three_seconds():
    program = (
        "import sys, start_jupyterlab; start_jupyterlab.jupyterlab_main()\n"
        "assert 'jsonschema' in sys.modules, 'this JupyterLab checks no schemas'\n"
        "assert sys.modules['rfc3987_syntax'] is None\n"
        "assert 'lark' not in sys.modules, 'something else makes such a parser'\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT / "tools", capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_only_dark_themes_turn_figures_round():
    css = (ROOT / "tools/jupyterlab/custom.css").read_text(encoding="utf-8")
    rules = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    selectors = [line for line in rules.splitlines() if line.startswith("body")]
    assert selectors and all("[data-jp-theme-light='false']" in line for line in selectors)
