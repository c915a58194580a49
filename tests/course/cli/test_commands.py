"""The course's commands: what they write, and what they say when stuck."""

import functools
import subprocess
import sys
from unittest.mock import Mock

import pytest

from course.cli import COMMANDS, main
from tests import commands
from transformer_lib.cli import main as library
from transformer_lib.translator import SHIPPED_MODEL

refused = functools.partial(commands.refused, program="python -m course")


def test_as_a_process_of_its_own_and_quick():
    """Help comes without what takes seconds to import."""
    program = "import sys, runpy; sys.argv[1:] = ['view', '--help']; import course.cli; {}"
    late = "print({'matplotlib', 'altair', 'jinja2', 'course.site.build'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program.format(late)], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "set()\n", "")
    done = subprocess.run(
        [sys.executable, "-m", "course", "view", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.startswith("usage: python -m course view")


def test_help_is_there_for_every_command(capsys):
    for command in ["", *(c.__name__.split(".")[-1] for c in COMMANDS)]:
        with pytest.raises(SystemExit) as stopped:
            main([*command.split(), "--help"])
        assert stopped.value.code == 0
        assert "usage: python -m course" in capsys.readouterr().out


def test_mistyped_options_are_refused(capsys):
    for arguments in (["figures"], ["corpus"], ["view", "tatoeba"], ["fly"], []):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert capsys.readouterr().err


def test_figures_by_name(run, tmp_path):
    status, out, _ = run("figures", "--list")
    assert status == 0 and "positions-clocks" in out
    status, out, _ = run("figures", "--only", "positions-clocks", "--out", tmp_path)
    assert status == 0
    assert (tmp_path / "positions-clocks.png").read_bytes().startswith(b"\x89PNG")
    refused(run("figures", "--only", "positions-cloaks", "--out", tmp_path), "positions-cloaks")
    blocked = tmp_path / "file"
    blocked.write_text("")
    refused(run("figures", "--only", "positions-clocks", "--out", blocked / "x"), str(blocked))


def test_the_curves_of_a_training(run, tmp_path, capsys):
    folder = tmp_path / "copy"
    assert library(["train", "--task", "copy", "--steps", "20", "--out", str(folder)]) == 0
    capsys.readouterr()
    status, out, _ = run("figures", "--run", folder, "--out", tmp_path / "drawn")
    assert (status, out) == (0, f"{tmp_path / 'drawn' / 'run-copy.png'}\n")
    assert (tmp_path / "drawn" / "run-copy.png").read_bytes().startswith(b"\x89PNG")
    refused(run("figures", "--run", tmp_path), str(tmp_path), "log.jsonl")


def test_a_view_as_a_picture(run, tmp_path):
    picture = tmp_path / "attention.png"
    view = functools.partial(run, "view", "grammar", "I like trees", "--out")
    assert view(picture) == (0, f"{picture}\n", "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    refused(view(tmp_path / "attention.doc"), "attention.doc", ".html, .png, .svg, .pdf")


def test_a_view_as_a_page(run, tmp_path):
    page = tmp_path / "attention.html"
    assert run("view", SHIPPED_MODEL, "I like trees", "--out", page) == (0, f"{page}\n", "")
    text = page.read_text(encoding="utf-8")
    assert "<title>I like trees</title>" in text
    assert '"layer": "decoder.layers.1.cross_attn"' in text
    refused(run("view", SHIPPED_MODEL, "I like xylophones", "--out", page), "'xylophones'")
    refused(run("view", tmp_path / "none", "I like trees"), "folder is missing")


def test_the_laboratory(run, tmp_path):
    page = tmp_path / "new" / "lab.html"
    assert run("laboratory", "--out", page) == (0, f"{page}\n", "")
    assert "<title>Two numbers and a letter" in page.read_text(encoding="utf-8")
    refused(run("laboratory", "--out", tmp_path / "lab.png"), "lab.png", ".html")


def test_a_laboratory_says_whose_sentences_its_model_learned_from(run, tmp_path):
    """In the page as it is written: the weights are in it, too."""
    page = tmp_path / "lab.html"
    assert run("laboratory", "--model", "tatoeba", "--out", page)[0] == 0
    text = page.read_text(encoding="utf-8").partition("</main>")[0]
    told = text.rpartition('<p class="aside">')[2]
    for place in ("tatoeba.org", "www.manythings.org/anki", "creativecommons.org/licenses/by/2.0/"):
        assert f'<a href="https://{place}">https://{place}</a>' in told
    assert "CC BY 2.0" in told
    run("laboratory", "--out", page)
    assert "tatoeba.org" not in page.read_text(encoding="utf-8")


def test_corpus_names_the_files_it_wrote(run, tmp_path, monkeypatch):
    monkeypatch.setattr("course.grammar.splits.render", lambda corpus: {"gustar.tsv": "a\tb\n"})
    monkeypatch.setattr("course.grammar.splits.generate", lambda: None)
    path = tmp_path / "data" / "gustar.tsv"
    assert run("corpus", "--out", path.parent) == (0, f"{path}\n", "")
    assert path.read_bytes() == b"a\tb\n"
    refused(run("corpus", "--out", path / "data"), str(path))


@pytest.mark.parametrize("what", ["site", "slides", "book"])
def test_the_site_says_what_to_open(run, what, tmp_path, monkeypatch):
    built = []
    monkeypatch.setattr("course.site.build.build", lambda folder: built.append(folder) or folder)
    monkeypatch.setattr("course.site.build.build_book", built.append)
    opened = {"site": "index.html", "slides": "slides.html", "book": "book.pdf"}[what]
    assert run(what, "--out", tmp_path) == (0, f"Open {tmp_path / opened}\n", "")
    assert built == [tmp_path] * (2 if what == "book" else 1)
    without_browser = Mock(side_effect=ValueError("the book needs Chromium"))
    monkeypatch.setattr("course.site.build.build", without_browser)
    refused(run(what, "--out", tmp_path), "the book needs Chromium")
