"""The series as a whole: every figure by name, every concept in its place, every link alive."""

import dataclasses
import re
from pathlib import Path
from unittest.mock import patch
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from nbformat.v4 import new_output
from PIL import Image

from course.cli import main
from course.drawing.display import show
from course.drawing.gallery import gallery_markdown
from course.drawing.notebook_output import is_chart
from course.drawing.registry import FIGURES
from course.drawing.saving import save
from course.notebook_tools import run as tool
from course.notebook_tools import sections
from course.notebook_tools.compare import first_difference
from tests.here import ROOT, read

NOTEBOOKS = sections.series()
FOR_THE_WALL = ("poster",)  # too large for a notebook, which only says how to draw it


def pictures(notebook: str) -> list[tuple[dict, dict]]:
    """Cell and output with a picture, in their order; not of cells for the reader's own data."""
    return [
        (cell, output)
        for cell in NOTEBOOKS[notebook].cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
        and "your-turn" not in cell.metadata.get("tags", [])
    ]


def compares_by_name(cell: dict, name: str) -> bool:
    """Does running this cell draw the figure by its name, and compare it with what is stored?"""
    return f'show("{name}")' in cell.source and not tool.is_exempt(cell)


def displayed(name: str) -> dict:
    """What a notebook would store of a figure of the series, drawn now."""
    outputs = []
    with patch("IPython.display.display", lambda data, **_: outputs.append(data)):
        show(name)
    return new_output("display_data", outputs[0])


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_every_picture_in_a_notebook_is_a_figure_of_the_series(notebook):
    for _, output in pictures(notebook):
        name = output.metadata.get("figure")
        assert name in FIGURES, f"give it a name: {output.data['text/plain'][:200]}"


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_can_be_saved(name, tmp_path, monkeypatch, by_night):
    """And is what its notebook shows, so that a lecturer who draws it gets what the students see.

    A cell that shows it by its name draws it by the same line as `save`, and compares it whenever
    the notebook runs: such figures are saved by night. Another is compared here. It is shown
    before it is saved: letters may move a little when a figure is laid out again.
    """
    if FIGURES[name].notebook not in NOTEBOOKS:
        pytest.skip("its notebook is not written yet")
    shown = [
        (cell, output)
        for cell, output in pictures(FIGURES[name].notebook)
        if output.metadata.get("figure") == name
    ]
    assert shown or name in FOR_THE_WALL, f"{FIGURES[name].notebook} doesn't show it"
    if any(compares_by_name(cell, name) for cell, _ in shown) and not by_night:
        return
    drawn = FIGURES[name].draw()
    assert isinstance(drawn, Figure) or is_chart(drawn)
    monkeypatch.setitem(FIGURES, name, dataclasses.replace(FIGURES[name], draw=lambda: drawn))
    for cell, output in shown[:1]:
        if not compares_by_name(cell, name):
            assert first_difference([output], [displayed(name)]) == ""
    path = save(name, tmp_path / "new" / "folder", "png")
    assert path == tmp_path / "new" / "folder" / f"{name}.png"
    assert len(Image.open(path).convert("L").getcolors(1 << 16)) > 2, "the picture is empty"


# --- the gallery ---


def test_the_gallery_lists_every_figure_as_it_is_now():
    written = gallery_markdown(list(FIGURES.values()))
    command = "python -m course figures --page notebooks/figures.md"
    assert read("notebooks/figures.md") == written, command


def test_all_figures_come_with_a_page_that_shows_them(tmp_path, monkeypatch, capsys):
    few = {name: FIGURES[name] for name in ("machine", "architecture", "trees-one-hot")}
    monkeypatch.setattr("course.drawing.registry.FIGURES", few)
    assert main(["figures", "--all", "--out", str(tmp_path), "--format", "svg", "pdf"]) == 0
    page = ElementTree.fromstring(
        re.sub(
            "<(meta|img)([^>]*)>", r"<\1\2/>", (tmp_path / "index.html").read_text("utf-8")
        ).removeprefix("<!DOCTYPE html>\n")
    )
    images = page.findall(".//img")
    links = [link.get("href") for link in page.findall(".//figure//a")]
    assert len(images) == 3 and len(links) == 9  # the thumbnail, svg and pdf
    assert all((tmp_path / file).exists() for file in [*links, *(i.get("src") for i in images)])
    order = sorted(few.values(), key=lambda entry: entry.notebook)
    assert [image.get("alt") for image in images] == [entry.alt for entry in order]
    assert [code.text for code in page.findall(".//figcaption/p/code")] == [e.name for e in order]
    notebooks = [section.get("id") for section in page.findall(".//section")]
    assert notebooks == sorted({entry.notebook for entry in order})
    assert [link.get("href") for link in page.findall(".//nav//a")] == [f"#{n}" for n in notebooks]


# --- the index of concepts ---

ROWS = re.findall(
    r"^\| (D?\d+) \| (.+?) \| (.*?) \|$",
    read("notebooks/README.md"),
    re.MULTILINE,
)
LINK = re.compile(r"\[(.+?)\]\((\w\d_\w+)\.ipynb#(.+?)\)")


def test_the_index_leads_to_where_each_concept_is_shown():
    expected = [*(str(n) for n in range(1, 107)), *(f"D{n}" for n in range(1, 24))]
    assert sorted(number for number, _, _ in ROWS) == sorted(expected)  # each has one row
    for number, concept, place in ROWS:
        links = LINK.findall(place)
        assert links, f"{concept} is shown nowhere"
        for _, notebook, anchor in links:
            parts = {part.anchor: part for part in sections.sections(NOTEBOOKS[notebook])}
            assert unquote(anchor) in parts, f"{notebook} has no heading {anchor}"
            assert f"concept-{number}" in parts[unquote(anchor)].tags


# --- links ---

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (
        *ROOT.glob("*.md"),
        *(ROOT / "notebooks").glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / ".github" / "pull_request_template.md",
    )
} | {
    f"notebooks/{name}.ipynb": "\n".join(
        cell.source for cell in notebook.cells if cell.cell_type == "markdown"
    )
    for name, notebook in NOTEBOOKS.items()
}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    """To a file that exists, and to a section that it has."""
    for target in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)", PAGES[page]):
        file, _, anchor = target.partition("#")
        path = (ROOT / page).parent / file if file else ROOT / page
        assert path.exists(), target
        assert not anchor or unquote(anchor) in anchors(path), target


def anchors(path: Path) -> set[str]:
    """Of a notebook's sections, or of a page's as GitHub makes them."""
    if path.suffix == ".ipynb":
        return {part.anchor for part in sections.sections(NOTEBOOKS[path.stem])}
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8").lower(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in headings}
