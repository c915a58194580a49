"""The form of the series: what a reader may rely on in each notebook, whatever it is about."""

import re
from itertools import pairwise

import pytest

from course.notebook_tools import count, pages, sections

NOTEBOOKS = sections.series()
NUMBERED = [name for name in NOTEBOOKS if name[0].isdigit()]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_minutes_are_as_counted(name):
    stated = count.stated(NOTEBOOKS[name])
    for said, part in zip(stated, count.counts(NOTEBOOKS[name]), strict=True):
        wanted = pytest.approx(part["minutes"], rel=0.1, abs=1)
        assert said == wanted, "run: python -m course.notebook_tools.count --fix"


HOURS = "one two three four five six seven eight nine ten eleven twelve".split()


def test_the_hours_are_those_of_the_cores():
    def hours(*numbers):
        found = [
            count.counts(NOTEBOOKS[n])[0]["minutes"] for n in NUMBERED if int(n[:2]) in numbers
        ]
        return HOURS[round(sum(found) / 60) - 1]

    root = sections.ROOT
    start, readme, site = (
        " ".join((root / path).read_text(encoding="utf-8").split())
        for path in ("notebooks/00_start_here.ipynb", "README.md", "course/site/texts.toml")
    )
    until, real, rest = hours(*range(14)), hours(14, 15), hours(*range(16, 22))
    assert f"The core of 00 to 13 takes about {until} hours" in readme
    assert f"(00–13) take about {until} hours" in start
    assert real == "one" and "Real text (14, 15) takes another hour." in start
    assert f"(16–21) takes about {rest} hours" in start
    assert f"The core of the series takes about {hours(*range(22))} hours" in site


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_deeper_sections_are_folded_and_called_so(name):
    for cell in NOTEBOOKS[name].cells:
        found = sections.headings(cell)
        assert len(found) <= 1, f"two headings in a cell can't be folded apart: {found}"
        deeper = "deeper" in cell.metadata.get("tags", [])
        assert deeper == bool(cell.metadata.get(sections.FOLD)), cell.source[:80]
        assert deeper == any(words.startswith("Deeper: ") for _, words in found), cell.source[:80]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_core_section_needs_a_deeper_one(name):
    assert sections.borrowed(NOTEBOOKS[name]) == set()


# --- questions ---


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_answers_a_prediction_is_folded(name):
    """And nothing else is: a reader who opens the notebook finds each answer closed."""
    cells = NOTEBOOKS[name].cells
    for cell, answer in zip(cells, [*cells[1:], None], strict=True):
        hidden = answer is not None and answer.metadata.get("jupyter", {}).get("outputs_hidden")
        if sections.is_predict(cell):
            assert answer is not None and answer.cell_type == "code", cell.source
            assert answer.outputs, f"nothing answers this: {cell.source}"
            assert hidden, f"the answer is in view: {cell.source}"
        else:
            assert not hidden, f"folded without a question: {answer.source}"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_words_that_answer_a_prediction_are_closed_with_its_outputs(name):
    for before, cell in pairwise(NOTEBOOKS[name].cells):
        if sections.is_answer(cell):
            folded = before.metadata.get("jupyter", {}).get("outputs_hidden")
            assert folded or sections.is_answer(before), f"no question before it: {cell.source}"
            assert cell.source.startswith(sections.BEFORE), f"run the notebook: {cell.source}"
            assert not sections.headings(cell), f"nobody finds a closed heading: {cell.source}"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_first_line_of_a_folded_output_gives_nothing_away(name):
    """JupyterLab shows it: so it is a heading that ends in a colon, or the reader's own guess."""
    for cell in NOTEBOOKS[name].cells:
        if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            first = cell.outputs[0]
            words = first.get("text") or first.get("data", {}).get("text/plain", "")
            line = words.partition("\n")[0].rstrip()
            assert line.endswith(":") or line.startswith("your guess: "), (
                f"begin what it prints with a line like 'weights of tired:', not with {line!r}"
            )


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_assertion_in_the_code_gives_an_answer_away(name):
    """What is asserted of a prediction's answer stands in a later cell."""
    cells = sections.cells(NOTEBOOKS[name], deeper=False)
    for cell, answer in pairwise(cells):
        if sections.is_predict(cell):
            assert "assert " not in answer.source, answer.source


# --- words ---


@pytest.mark.parametrize("tag", pages.TERMS)
def test_a_term_is_explained_once_and_where_it_is_first_used(tag):
    term = pages.TERMS[tag]
    word = re.compile(rf"\b{re.escape(term['word'])}", re.IGNORECASE)
    explained = [
        (name, cell)
        for name, notebook in NOTEBOOKS.items()
        for cell in notebook.cells
        if f"term-{tag}" in cell.metadata.get("tags", [])
    ]
    assert len(explained) == 1, f"{len(explained)} cells have the tag term-{tag}"
    there, cell = explained[0]
    bold = [words for words in re.findall(r"\*\*(.+?)\*\*", cell.source) if word.search(words)]
    assert bold, f"{term['word']} isn't in bold where it is explained: {cell.source}"
    if term.get("early") or not there[0].isdigit():
        return
    for name in NUMBERED:
        for earlier in sections.cells(NOTEBOOKS[name], False):
            if earlier == cell:
                return
            announced = earlier == NOTEBOOKS[name].cells[0]  # what the notebook is going to explain
            if earlier.cell_type == "markdown" and not announced:
                used = word.search(earlier.source)
                assert not used, f"{name} uses it before it is explained: {earlier.source[:200]}"
        if name == there:
            return  # explained in a deeper section, after this notebook's core


def test_every_term_of_the_notebooks_is_in_the_glossary():
    tags = {
        tag.removeprefix("term-")
        for notebook in NOTEBOOKS.values()
        for cell in notebook.cells
        for tag in cell.metadata.get("tags", [])
        if tag.startswith("term-")
    }
    assert tags == set(pages.TERMS)


@pytest.mark.parametrize("page", pages.PAGES)
def test_the_pages_are_as_the_notebooks_are(page):
    stored = (sections.ROOT / page).read_text(encoding="utf-8")
    assert stored == pages.PAGES[page](NOTEBOOKS), "run: make pages"
