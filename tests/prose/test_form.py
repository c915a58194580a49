"""The form of the series: a core that fits four evenings, open questions, words explained.

The limits are a promise to readers: see "A core path" in the index page and the teacher's guide.
"""

import ast
import re
from itertools import pairwise

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course.drawing.registry import FIGURES
from course.notebook_tools import count, pages, sections

NOTEBOOKS = sections.series()
NUMBERED = [name for name in NOTEBOOKS if name[0].isdigit()]
WORDS, CELLS, ALL_WORDS, ALL_MINUTES = 2000, 60, 20_000, 6 * 60
GRAMMAR = [name for name in NUMBERED if name < "14"]
EVENINGS = {  # after the two of the grammar: the notebooks of an evening, and its minutes
    "real text": (["14", "15"], 75),
    "before and since": (["16", "17", "18"], 100),
    "taught by a judge": (["19"], 40),
    "a known truth": (["20"], 35),
    "without the table": (["21"], 35),
}


# --- core and deeper ---


@pytest.mark.parametrize("name", NUMBERED)
def test_the_core_of_a_notebook_is_short(name):
    core, _ = count.counts(NOTEBOOKS[name])
    assert core["words"] <= WORDS
    assert core["cells"] <= CELLS


def test_the_core_of_the_series_fits_two_evenings():
    cores = [count.counts(NOTEBOOKS[name])[0] for name in GRAMMAR]
    assert sum(core["words"] for core in cores) <= ALL_WORDS
    assert sum(core["minutes"] for core in cores) <= ALL_MINUTES


@pytest.mark.parametrize("evening", EVENINGS)
def test_what_comes_after_has_an_evening_for_each_subject(evening):
    numbers, minutes = EVENINGS[evening]
    cores = [count.counts(NOTEBOOKS[name])[0] for name in NUMBERED if name[:2] in numbers]
    assert 0 < sum(core["minutes"] for core in cores) <= minutes


def test_every_notebook_has_its_evening():
    later = [number for numbers, _ in EVENINGS.values() for number in numbers]
    assert all(name in GRAMMAR or name[:2] in later for name in NUMBERED)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_says_how_long_it_takes(name):
    stated = count.stated(NOTEBOOKS[name])
    assert stated, f'say "{count.sentence(NOTEBOOKS[name])}" in the first cell'
    for said, part in zip(stated, count.counts(NOTEBOOKS[name]), strict=True):
        counted = part["minutes"]
        assert said == pytest.approx(counted, rel=0.1, abs=1), "run count.py --fix"


def test_the_readme_says_how_long_each_takes():
    readme = (sections.ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"/(\w+)\.ipynb\) \|[^|]*\| (\d+)(?:, (\d+))? \|$", readme, re.MULTILINE)
    assert [name for name, _, _ in rows] == list(NOTEBOOKS)
    for name, *said in rows:
        for minutes, part in zip(said, count.counts(NOTEBOOKS[name]), strict=True):
            counted = part["minutes"]
            assert int(minutes or 0) == pytest.approx(counted, rel=0.1, abs=1), (
                f"{name}: run count.py --fix"
            )


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


@pytest.mark.parametrize("name", NUMBERED)
def test_every_notebook_asks_in_its_core(name):
    core, _ = count.counts(NOTEBOOKS[name])
    assert core["predicts"] >= 1 and core["exercises"] >= 1


# --- pictures ---


@pytest.mark.parametrize("name", NUMBERED)
def test_every_notebook_has_one_picture_to_remember_and_shows_it_in_its_core(name):
    heroes = [entry.name for entry in FIGURES.values() if entry.hero and entry.notebook == name]
    assert len(heroes) == 1
    core = sections.cells(NOTEBOOKS[name], deeper=False)
    shown = {
        output.get("metadata", {}).get("figure")
        for cell in core
        for output in cell.get("outputs", [])
    }
    assert heroes[0] in shown


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


@pytest.mark.parametrize("page", ["README.md", "glossary.md"])
def test_the_pages_are_as_the_notebooks_are(page):
    made = {"README.md": pages.index, "glossary.md": pages.glossary}[page]
    stored = (sections.ROOT / "notebooks" / page).read_text(encoding="utf-8")
    assert stored == made(NOTEBOOKS), "run: make pages"


# --- the tools themselves ---


def small() -> nbformat.NotebookNode:
    """Core: 10 words, 2 lines, 1 figure, 1 prediction. Deeper: 4 words, 3 lines, 1 exercise."""
    drawn = new_output("display_data", {"image/png": "x", "text/plain": "Figure"})
    return new_notebook(
        cells=[
            new_markdown_cell("# One title\nIt takes about 9 minutes."),
            new_markdown_cell("**Predict.** [Here](there.md)?"),
            new_code_cell("x = 1\n\nshow(x)", outputs=[drawn]),
            new_markdown_cell("## Deeper: two", metadata={"tags": ["deeper"], sections.FOLD: True}),
            new_code_cell("y = x", metadata={"tags": ["concept-2"]}),
            new_markdown_cell("### Below it"),
            new_code_cell(
                "z = ...\ncheck(z)", outputs=[new_output("stream", text="z: not tried yet")]
            ),
            new_markdown_cell("## Core"),
        ]
    )


def test_the_count_counts():
    core, deeper = count.counts(small())
    assert [core[name] for name in count.COLUMNS[:-1]] == [10, 4, 2, 1, 1, 0]
    assert [deeper[name] for name in count.COLUMNS[:-1]] == [4, 4, 3, 0, 0, 1]
    assert core["minutes"] == pytest.approx(10 / 180 + 2 * 5 / 60 + 20 / 60 + 20 / 60)
    assert deeper["minutes"] == pytest.approx(4 / 180 + 3 * 5 / 60 + 7)
    assert count.stated(small()) == (9, 0)
    assert count.sentence(small()) == "It takes about 1 minutes; the deeper sections another 7."


def test_a_deeper_section_reaches_to_the_next_of_its_level():
    found = [(part.heading, part.deeper) for part in sections.sections(small())]
    assert found == [
        ("One title", False),
        ("Deeper: two", True),
        ("Below it", True),
        ("Core", False),
    ]


def test_what_the_core_borrows_is_found():
    notebook = small()
    assert sections.borrowed(notebook) == set()
    notebook.cells.append(new_code_cell("print(x, z)"))
    assert sections.borrowed(notebook) == {"z"}
    notebook.cells[-1].source = "z = 2\nprint(z)"
    assert sections.borrowed(notebook) == set()


def test_the_index_marks_what_is_deeper():
    page = pages.index({"02_embeddings": small()})
    row = next(line for line in page.splitlines() if line.startswith("| 2 |"))
    assert row.endswith("| [02 · two](02_embeddings.ipynb#Deeper:-two) *(deeper)* |")


# --- sources ---


def cuts(code: str) -> bool:
    """Whether a cell takes a piece of what `inspect.getsource` gives, at once or by a name."""
    tree, held = ast.parse(code), set()

    def is_source(node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and "getsource" in ast.unparse(node.func):
            return True
        if isinstance(node, ast.BinOp):
            return is_source(node.left) or is_source(node.right)
        return isinstance(node, ast.Name) and node.id in held

    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and is_source(node.value):
            held |= {
                name.id
                for target in node.targets
                for name in ast.walk(target)
                if isinstance(name, ast.Name)
            }
    return any(
        isinstance(node, ast.Attribute | ast.Subscript) and is_source(node.value)
        for node in ast.walk(tree)
    )


@pytest.mark.parametrize(
    ("code", "cut"),
    [
        ("print(inspect.getsource(f))", False),
        ("source = inspect.getsource(f) + inspect.getsource(g)\nprint('x' in source)", False),
        ("print(inspect.getsource(f).split('x')[2])", True),
        ("print(inspect.getsource(f)[10:])", True),
        ("from inspect import getsource\nprint(getsource(f).partition('=')[2])", True),
        ("source = inspect.getsource(f)\nprint(source[source.index('x'):])", True),
        ("print(inspect.getsourcelines(f)[0][3:])", True),
    ],
)
def test_a_cut_is_seen(code, cut):
    assert cuts(code) == cut


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_source_is_printed_whole(name):
    codes = [cell.source for cell in NOTEBOOKS[name].cells if cell.cell_type == "code"]
    codes = [code for code in codes if "getsource" in code]
    assert [code for code in codes if cuts(code)] == []
