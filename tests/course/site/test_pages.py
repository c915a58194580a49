"""The pages as files: nothing is lost from the notebooks, every link leads somewhere."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qsl, unquote, urlsplit

import editables
import pytest
import yaml
from fontTools.ttLib import TTFont
from hatchling.builders.wheel import WheelBuilder
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from course.drawing.registry import FIGURES
from course.lab import attention_page
from course.lab.pages import HERE
from course.notebook_tools import sections
from course.notebook_tools.run import normalize
from course.site import colab, licenses
from course.site.book import chapter, print_pdf
from course.site.build import (
    DOCUMENTS,
    FIRST_LETTERS,
    LABORATORIES,
    TEMPLATES,
    Site,
    build,
    citation,
    notebook_pages,
    reference_pages,
    write_laboratories,
)
from course.site.build import HERE as SITE
from course.site.markdown import code_html, inline, jupyter_anchor, markdown, plain
from course.site.notebooks import ONLY_SHOWS, parts
from tests.course.site.parsed import ALL, Parsed
from tests.each import each
from transformer_lib import Translator

NOTEBOOKS = sections.series()
TRANSLATORS = {f"lab/{file}": name for name, file in LABORATORIES.items()}
words = markdown(lambda address: address, jupyter_anchor)


def outputs(name: str) -> list[tuple[dict, dict]]:
    """The cells with outputs, and each output, in order."""
    return [(cell, output) for cell in NOTEBOOKS[name].cells for output in cell.get("outputs", [])]


def for_each_notebook(check: Callable) -> Callable:
    """A test that calls `check` with the page and the name of every notebook."""

    def test(pages):
        each(NOTEBOOKS, lambda name: check(pages[f"{name}.html"], name))

    return test


def laboratory(output: dict) -> str:
    """The frame of an output that shows the laboratory, else nothing."""
    page = output.get("data", {}).get("text/html", "")
    return page if 'title="The laboratory"' in page else ""


# --- the whole ---


def test_every_notebook_and_every_document_has_a_page(pages):
    assert [page.source.stem for page in notebook_pages()] == list(NOTEBOOKS)
    expected = {f"{name}.html" for name in NOTEBOOKS} | {page.file for page in DOCUMENTS}
    expected |= {page.file for page in reference_pages()}
    assert expected | {"index.html", "about.html", "slides.html"} == set(pages)


def test_what_others_made_is_named_with_its_license(site):
    """Every font, and every script that isn't written here."""
    files = {path.relative_to(site).as_posix() for path in (site / "static").iterdir()}
    written = {path.name for folder in (SITE / "static", HERE) for path in folder.iterdir()}
    written.add("texts.js")  # made of texts.toml
    theirs = {file for file in files if PurePosixPath(file).name not in written}
    assert len([file for file in theirs if file.endswith(".woff")]) == 7
    for file in theirs:
        assert any(fnmatch(file, pattern) for pattern in licenses.OTHERS), file
    about = html.unescape((site / "about.html").read_text(encoding="utf-8"))
    for pattern, (what, _) in licenses.OTHERS.items():
        assert any(fnmatch(file, pattern) for file in theirs), pattern
        assert f"<summary>{what}</summary>" in about


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site, pages):
    ids = {name: set(page.ids()) for name, page in pages.items()}
    seen = 0
    for name, page in pages.items():
        for element in page.elements:
            for address in (element.attributes.get("href"), element.attributes.get("src")):
                if address is None:
                    continue
                if urlsplit(address).scheme in ("http", "https"):
                    assert element.tag == "a", f"{name} loads {address}"
                    continue
                file, _, anchor = address.partition("#")
                assert (site / file).exists(), f"{name}: {address}"
                if anchor:
                    is_state = file.startswith("lab/")  # what the laboratory shows first
                    assert is_state or unquote(anchor) in ids[file or name], f"{name}: {address}"
                seen += 1
    assert seen > 1500


def test_every_font_is_there(site):
    css = "".join(path.read_text(encoding="utf-8") for path in (site / "static").glob("*.css"))
    named = re.findall(r'url\("(.+?)"\)', css)
    assert len(named) == 7
    assert all((site / "static" / file).stat().st_size for file in named) and "@import" not in css


def test_every_page_forbids_what_comes_from_elsewhere(everything):
    for file, page in everything.items():
        (rules,) = (
            meta.attributes["content"]
            for meta in page.all("meta")
            if meta.attributes.get("http-equiv") == "Content-Security-Policy"
        )
        assert rules.startswith("default-src 'none'; script-src 'self' file:; "), file
        assert "http" not in rules and "unsafe-eval" not in rules
        for script in page.all("script"):
            there = script.attributes
            assert "src" in there or there["type"] == "application/json", file
        for element in page.elements:
            assert not any(name.startswith("on") for name in element.attributes), file


def test_what_is_fetched_is_small(site, everything):
    """At 10 Mbit/s a second is 1.25 MB: the small one within 3 s, the larger within 8, with room
    to compute. For the first page: test_browser.py."""

    def fetched(file: str) -> int:
        page = everything[file]
        files = {Path(file).name}
        for link in page.all("link"):
            if link.attributes["rel"] in ("stylesheet", "icon"):
                files.add(link.attributes["href"])
        files |= {one.attributes.get("src", "") for one in page.all("script") + page.all("img")}
        (body,) = page.all("body")
        files |= {part for part, _ in json.loads(body.attributes["data-parts"])}
        return sum((site / file).parent.joinpath(name).stat().st_size for name in files - {""})

    assert fetched("lab/index.html") < 2.0 * 1.25e6
    assert fetched("lab/everyday.html") < 7.2 * 1.25e6


def metas(page: Parsed) -> dict[str, str]:
    """The meta elements of a page, and its other elements that say what it is."""
    told = [one.attributes for one in page.all("meta") if "content" in one.attributes]
    found = {meta.get("name") or meta.get("property"): meta["content"] for meta in told}
    return found | {one.attributes["rel"]: one.attributes["href"] for one in page.all("link")}


def test_every_page_says_what_it_is_where_it_is_shared(site, everything):
    assert len(everything) > 55
    said = []
    for name, page in everything.items():
        meta = metas(page)
        assert 40 < len(meta["description"]) <= 220, (name, meta["description"])
        assert meta["og:description"] == meta["description"] and meta["og:title"]
        assert meta["canonical"].endswith(name) and meta["icon"]
        assert meta["twitter:card"] == "summary_large_image"
        up = "../" if name.startswith("lab/") else ""
        assert meta["og:image"] == f"{up}images/card.png" and "og:url" not in meta
        if "/" not in name:
            said.append(meta["description"])
    assert len(set(said)) == len(said)
    card = Image.open(site / "images" / "card.png")
    assert card.size == (1200, 630) and len(card.getcolors()) > 8


CITED = """
title: A course
version: 1.0
authors:
  - {given-names: Ada, family-names: Byron}
  - {name: The others}
url: https://example.org/course
repository-code: https://example.org/code
"""


@pytest.mark.parametrize(
    ("contact", "feedback"),
    [
        ("", "https://example.org/code/issues"),
        ("contact: [{name: Us, email: us@example.org}]", "mailto:us@example.org"),
        ("contact: [{name: Us, website: 'https://example.org/say'}]", "https://example.org/say"),
    ],
)
def test_what_the_citation_says_stands_on_every_page(tmp_path, contact, feedback):
    (tmp_path / "CITATION.cff").write_text(CITED + contact, encoding="utf-8")
    (tmp_path / "slides").mkdir()
    site = Site(tmp_path, citation(tmp_path / "CITATION.cff"))
    page = site.pages["notebooks/glossary.md"]
    site.document(page)
    site.write("slides.html", page, "slides/x.html", goals="", slides=[])
    if not contact:
        write_laboratories(site)
    files = [path for pattern in ALL for path in tmp_path.glob(pattern)]
    assert len(files) == (2 if contact else 4)
    for file in files:
        text = file.read_text(encoding="utf-8")
        name = file.relative_to(tmp_path).as_posix()
        meta = metas(Parsed(text))
        assert meta["canonical"] == meta["og:url"] == f"https://example.org/course/{name}"
        assert meta["og:image"] == "https://example.org/course/images/card.png"
        assert "By Ada Byron and The others" in text
        assert f'<a href="{feedback}">' in text
        assert '<a href="https://example.org/code">Repository</a>' in text


def test_what_the_citation_does_not_say_is_left_out(site, monkeypatch):
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    told = citation()
    for file in ("index.html", "lab/index.html", "slides/04_attention.html"):
        text = (site / file).read_text(encoding="utf-8")
        assert f"By {told.authors}" in text
        assert bool(told.repository) == (">Repository</a>" in text)
        assert bool(told.feedback) == ("Tell us what" in text)
    monkeypatch.setenv("GITHUB_REPOSITORY", "a/b")
    on_github = citation()
    assert on_github.site == (told.site or "https://a.github.io/b/")
    assert on_github.feedback == (told.feedback or "https://github.com/a/b/issues")


def test_no_name_stands_twice_on_a_page(pages):
    for name, page in pages.items():
        assert len(page.ids()) == len(set(page.ids())), name


# --- notebooks ---


@for_each_notebook
def test_every_alt_text_arrives(page, name):
    assert [image.attributes["alt"] for image in page.all("img")] == [
        output.metadata["image/png"]["alt"]
        for _, output in outputs(name)
        if "image/png" in output.get("data", {})
    ]


@for_each_notebook
def test_every_answer_is_closed_and_nothing_else(page, name):
    printed, pictures = [], []
    for cell, output in outputs(name):
        hidden = bool(cell.metadata.get("jupyter", {}).get("outputs_hidden"))
        if "image/png" in output.get("data", {}):
            pictures.append(hidden)
        elif not laboratory(output):
            printed.append(hidden)
    for expected, shown in ((printed, page.all("pre", "output")), (pictures, page.all("img"))):
        assert [one.inside("details", "answer") for one in shown] == expected
    predictions = sum(map(sections.is_predict, NOTEBOOKS[name].cells))
    assert len(page.all("details", "answer")) == len(page.all("p", "predict")) == predictions
    assert not any("open" in box.attributes for box in page.all("details"))


@for_each_notebook
def test_a_guess_can_be_typed_wherever_one_is_asked(page, name):
    asked = [
        cell
        for cell in NOTEBOOKS[name].cells
        if "my_guess = ..." in cell.source
        and cell.metadata.get("jupyter", {}).get("outputs_hidden")
    ]
    assert len(page.all("form", "guess")) == len(asked)
    for cell in asked:
        assert "your guess: none yet\nit is " in cell.outputs[0].text


@for_each_notebook
def test_sections_keep_their_names_and_deeper_ones_are_folded(page, name):
    heads = {head.attributes["id"]: head for level in range(1, 7) for head in page.all(f"h{level}")}
    expected = sections.sections(NOTEBOOKS[name])
    assert list(heads) and set(heads) == {section.anchor for section in expected}
    for section in expected:
        assert heads[section.anchor].inside("details", "deeper") == section.deeper
        if section.deeper and section.heading.startswith("Deeper: "):
            assert heads[section.anchor].inside("summary")


@for_each_notebook
def test_code_and_what_it_printed_are_as_in_the_notebook(page, name):
    shown = [code.text for code in page.all("code")]
    for cell in NOTEBOOKS[name].cells:
        if cell.cell_type == "code" and not ONLY_SHOWS.fullmatch(cell.source.strip()):
            assert cell.source.strip("\n") in shown
    streams = [output for _, output in outputs(name) if output.output_type == "stream"]
    printed = page.all("pre", "output")
    assert [one.text.strip() for one in printed] == [one.text.strip() for one in streams]


def test_formulas_are_all_translated(pages):
    count = 0
    for name, page in pages.items():
        for formula in page.all("math"):
            assert "\\" not in formula.text, f"{name}: {formula.text}"
            count += 1
        for paragraph in page.all("p"):
            assert "$$" not in paragraph.text, f"{name}: {paragraph.text}"
    assert count > 300


def each_with_a_picture(pages, kind: str, mime: str):
    """The charts or views, as many as the notebooks have, each with a picture and its data."""
    found = [(page, box) for page in pages.values() for box in page.all("div", kind)]
    stored = [output for name in NOTEBOOKS for _, output in outputs(name)]
    assert len(found) == sum(mime in output.get("data", {}) for output in stored) > 0
    for page, box in found:
        inside = [element for element in page.elements if box in element.around]
        assert [element.tag for element in inside] == ["img", "script"]
        yield json.loads(inside[1].text)


def test_a_chart_brings_its_data_and_a_picture(pages):
    assert all(each_with_a_picture(pages, "chart", "application/vnd.vegalite.v5+json"))


def test_an_attention_view_brings_its_data_and_a_picture(site, pages):
    for data in each_with_a_picture(pages, "view", attention_page.MIME):
        assert {layer["name"] for layer in data["layers"]} >= {data["chosen"]["layer"]}
    drawn = (site / "static" / "attention_view.js").read_text(encoding="utf-8")
    assert drawn == (HERE / "attention_view.js").read_text(encoding="utf-8")


@for_each_notebook
def test_where_a_notebook_has_the_laboratory_a_link_leads_there(page, name):
    links = [link for link in page.all("a") if link.inside("p", "to-lab")]
    frames = [laboratory(output) for _, output in outputs(name) if laboratory(output)]
    for way, frame in zip(links, frames, strict=True):
        file, _, link = way.attributes["href"].partition("#")
        assert f' name="{html.escape(link)}" ' in frame
        translator = Translator.load(TRANSLATORS[file])
        state = dict(parse_qsl(link))
        translator.read(state.get("text", "I like trees"))  # raises if it can't
        layer = state.get("layer", "decoder.layers.0.self_attn")
        assert layer in translator.attention_maps("I like trees").weights
        assert state.get("choose", "beam") == "beam"


def test_the_search_knows_every_section(site, pages, found):
    for name, notebook in NOTEBOOKS.items():
        pieces = [piece for piece in found if piece["page"].startswith(f"{name}.html#")]
        heads = [plain(section.heading) for section in sections.sections(notebook)]
        assert [piece["heading"] for piece in pieces] == heads
    for piece in found:
        file, _, anchor = piece["page"].partition("#")
        assert unquote(anchor) in pages[file].ids()


def test_every_term_of_the_glossary_leads_to_its_section(site, found):
    text = (site / "search.js").read_text(encoding="utf-8")
    terms = json.loads(text.partition("window.terms = ")[2].removesuffix(";\n"))
    glossary = (sections.ROOT / "notebooks" / "glossary.md").read_text(encoding="utf-8")
    assert len(terms) == len(re.findall(r"^\| \*\*", glossary, re.MULTILINE)) > 70
    assert {term["page"] for term in terms} <= {piece["page"] for piece in found}
    others = yaml.safe_load((SITE / "synonyms.yml").read_text(encoding="utf-8"))
    assert others.keys() <= {term["names"][0] for term in terms}
    names = [name.casefold() for term in terms for name in term["names"]]
    assert len(set(names)) == len(names)


# --- a notebook of our own ---


def small():
    hidden = {"jupyter": {"outputs_hidden": True}}
    return new_notebook(
        cells=[
            new_markdown_cell("# Title"),
            new_markdown_cell("Words.\n\n**Predict.** What?"),
            new_code_cell(
                "my_guess = ...",
                metadata=hidden,
                outputs=[new_output("stream", text="your guess: none yet\nit is 3\n")],
            ),
            new_markdown_cell("Three: *why*.", metadata={"tags": ["answer"]}),
            new_markdown_cell("## Deeper: one\n\nmore", metadata={"tags": ["deeper"]}),
            new_markdown_cell("### Below"),
            new_markdown_cell("## Deeper: two", metadata={"tags": ["deeper"]}),
            new_markdown_cell("## Core"),
            new_markdown_cell("## Deeper: last", metadata={"tags": ["deeper"]}),
        ]
    )


def test_words_that_answer_are_in_the_fold_of_the_output():
    closed = normalize(small())
    assert closed.cells[3].source == (
        "<details><summary>The answer in words</summary>\n\nThree: *why*.\n\n</details>"
    )
    assert normalize(closed) == closed
    for notebook in (small(), closed):
        found, _ = parts(notebook, "small", words)
        assert found[2].told == "<p>Three: <em>why</em>.</p>\n"
        assert not any("Three" in part.words for part in found)
        page = TEMPLATES.from_string('{% from "parts.html" import cells %}{{ cells(found) }}')
        answer = re.search(r'<details class="answer">.*?</details>', page.render(found=found), re.S)
        assert "it is 3" in answer[0] and "Three: <em>why" in answer[0]


def test_what_is_folded_ends_where_the_next_section_begins():
    found, open_at_end = parts(small(), "small", words)
    assert [part.closes for part in found] == [False] * 5 + [True, True, False]
    assert [bool(part.summary) for part in found] == [False] * 3 + [True, False, True, False, True]
    assert open_at_end
    assert found[3].summary == '<h2 id="Deeper:-one">Deeper: one</h2>\n'
    assert found[3].words == "<p>more</p>\n"
    assert [part.asks for part in found] == [False, False, True] + [False] * 5
    asked = '<p class="predict"><strong>Predict.</strong> What?</p>\n'
    assert found[1].words == f"<p>Words.</p>\n{asked}"


# --- words ---


def test_words_become_html():
    assert words("# A b: $x$?").startswith(
        '<h1 id="A-b:-$x$?">A b: <span class="whole"><math'  # with the sign after it
    )
    assert words("<eos> & <script>") == "<p>&lt;eos&gt; &amp; &lt;script&gt;</p>\n"
    assert "<msqrt>" in words(r"$\sqrt{d_k}$") and "\\" not in words(r"$\sqrt{d_k}$")
    assert words("| a |\n|---|\n| b |").startswith('<div class="wide"><table>')
    assert inline("1. One *two*") == "1. One <em>two</em>"
    assert markdown(lambda _: None, jupyter_anchor)("[a](b)") == "<p>a</p>\n"
    assert code_html("x < 1", "no such language").count("x &lt; 1") == 1
    assert plain("## [One](there.md#x) of `two`, $x$ **3**") == "One of two, x 3"
    assert plain("so (`a` *here*).") == "so (a here)."


# --- the rest ---


def test_it_replaces_a_site_and_nothing_else(tmp_path):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="holds something other than a site"):
        build(tmp_path)
    assert (tmp_path / "mine.txt").exists()


# A Python that has nothing installed, and an installer that unpacks what it was given.
FRESH = """
import importlib.util, subprocess, sys, zipfile
cell, wheel, packages = sys.argv[1:]

def run(command, check):
    if "pip" in command:
        zipfile.ZipFile(wheel).extractall(packages)

subprocess.run = run
assert importlib.util.find_spec("course") is importlib.util.find_spec("transformer_lib") is None
exec(cell, {})
import course
print(course.__file__, importlib.util.find_spec("transformer_lib").origin, sep="\\n")
"""


@pytest.mark.slow
def test_after_the_first_cell_on_colab_the_kernel_finds_the_course(tmp_path):
    """Its Python has started before there was anything to find."""
    (wheel,) = WheelBuilder(str(sections.ROOT)).build(
        directory=str(tmp_path), versions=["editable"]
    )
    packages, needed = tmp_path / "packages", tmp_path / "needed"
    packages.mkdir()
    needed.mkdir()
    shutil.copytree(Path(editables.__file__).parent, needed / "editables")
    for name in ("numpy", "torch"):  # which Colab has
        (needed / f"{name}-2.dist-info").mkdir()
        about = f"Name: {name}\nVersion: 2\n"
        (needed / f"{name}-2.dist-info" / "METADATA").write_text(about, encoding="utf-8")
    cell = colab.with_first_cell(small(), "https://github.com/a/b").cells[0].source
    program = [sys.executable, "-P", "-S", "-c", FRESH, cell, wheel, packages]
    found = os.environ | {"PYTHONPATH": f"{packages}{os.pathsep}{needed}"}
    run = subprocess.run(program, cwd=tmp_path, env=found, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    places = [sections.ROOT / name / "__init__.py" for name in ("course", "transformer_lib")]
    assert [Path(line) for line in run.stdout.splitlines()] == places


def test_the_laboratory_comes_along_and_leads_back(site):
    for file, other in (("index.html", "everyday.html"), ("everyday.html", "index.html")):
        page = (site / "lab" / file).read_text(encoding="utf-8")
        head = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
        assert 'href="../index.html">' in head and f'<a href="{other}">' in head
        given = 'href="https://creativecommons.org/licenses/by/2.0/"' in head
        assert given == ("tatoeba.org" in head) == (file == "everyday.html")


# --- slides and book ---


def test_a_deck_shows_every_figure_of_its_notebook_the_hero_first(site, everything):
    def check(name):
        shown = [image.attributes for image in everything[f"slides/{name}.html"].all("img")]
        notes = [output.metadata for _, output in outputs(name) if "metadata" in output]
        figures = {note.figure: note["image/png"]["alt"] for note in notes if "figure" in note}
        assert sorted(image["alt"] for image in shown) == sorted(figures.values())
        assert all((site / image["src"]).exists() for image in shown)
        heroes = [
            figures[figure]
            for figure in figures
            if FIGURES[figure].hero and FIGURES[figure].notebook == name
        ]
        assert heroes == [image["alt"] for image in shown][: len(heroes)]

    each(NOTEBOOKS, check)


def test_a_chapter_of_the_book_is_open_and_keeps_its_links_inside():
    body = '<h2 id="a">A</h2><a href="#a"></a><a href="04.html#b"></a><a href="04.html"></a>'
    body += '<a href="other.html#c"></a><details class="x"></details><img src="i" loading="lazy">'
    assert chapter(body, "03", {"03", "04"}) == (
        '<h2 id="03.a">A</h2><a href="#03.a"></a><a href="#04.b"></a><a href="#04"></a>'
        '<a ></a><details open class="x"></details><img src="i">'
    )


def test_printing_without_a_browser_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("course.site.book.find_browser", lambda: None)
    with pytest.raises(ValueError, match="needs Chromium, Chrome or Edge"):
        print_pdf(tmp_path / "page.html", tmp_path / "page.pdf")


def test_the_letters_of_the_first_page_are_those_that_its_fonts_name(site):
    css = (site / "static" / "fonts.css").read_text(encoding="utf-8")
    ranges = re.findall(r"-first\.woff.*?\n\s*unicode-range: (.*?);", css)
    assert len(ranges) == 3 and len(set(ranges)) == 1
    named = set()
    for part in ranges[0].split(", "):
        low, _, high = part.removeprefix("U+").partition("-")
        named |= set(map(chr, range(int(low, 16), int(high or low, 16) + 1)))
    assert named == set(FIRST_LETTERS)
    for file in (site / "static").glob("*-first.woff"):
        with TTFont(file) as font:
            assert named <= set(map(chr, font.getBestCmap())), file.name
