"""Write what leads into the notebooks: the index of ideas, the glossary, the tables of the series.

    python -m course.notebook_tools.pages  # make pages

The tables, in README.md and in notebook 00, are made from course/series.toml and the minutes that
are counted; before that, the minutes are written into the notebooks. The other two are made from
tags on the cells: `concept-7` stands on each cell that shows idea 7, `term-logit` on the cell where
the word *logit* is explained, in bold, for the first time. Their lists are in `pages.yml`.
"""

import copy
import re
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import yaml
from nbformat import NotebookNode

from course.chapters import SERIES, parts_of_the_series
from course.notebook_tools import count, run, sections

LISTS = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text(encoding="utf-8"))
IDEAS: dict[str, dict] = LISTS["ideas"]  # part of the series -> number -> idea
TERMS: dict[str, dict] = LISTS["terms"]  # tag -> word, means, early


def places(notebooks: dict[str, NotebookNode], tag: str) -> Iterator[str]:
    """A link to each section with this tag on a cell, by its heading without number."""
    for name, notebook in notebooks.items():
        for part in sections.sections(notebook):
            if tag in part.tags:
                words = re.sub(r"^(Deeper: )?(\d+\. |\d\d · )?", "", part.heading)
                anchor = part.anchor.replace('"', "%22")
                deeper = " *(deeper)*" if part.deeper else ""
                yield f"[{name[:2]} · {words}]({name}.ipynb#{anchor}){deeper}"


def index(notebooks: dict[str, NotebookNode]) -> str:
    """From idea to section, as a page."""
    lines = [
        "# Where each idea is shown",
        "",
        "From idea to section; *(deeper)* marks sections that the core of the series can do "
        "without. The words are in the [glossary](glossary.md), the figures are listed in "
        "[figures.md](figures.md). To write it all yourself, part by part: "
        "[your own Transformer](../docs/mine.md).",
    ]
    for title, ideas in IDEAS.items():
        lines += ["", f"## {title}", "", "| | idea | shown in |", "|---|---|---|"]
        for number, idea in ideas.items():
            found = ", ".join(places(notebooks, f"concept-{number}"))
            lines.append(f"| {number} | {idea} | {found} |")
    return "\n".join(lines) + "\n"


def glossary(notebooks: dict[str, NotebookNode]) -> str:
    """From word to section, as a page."""
    lines = [
        "# Glossary",
        "",
        "The words of the field, each with the section that explains it. *(deeper)* marks "
        "sections that the core of the series can do without.",
        "",
        "| word | means | explained in |",
        "|---|---|---|",
    ]
    for tag, term in sorted(TERMS.items(), key=lambda item: item[1]["word"].casefold()):
        found = ", ".join(places(notebooks, f"term-{tag}"))
        lines.append(f"| **{term['word']}** | {term['means']} | {found} |")
    return "\n".join(lines) + "\n"


def readme(notebooks: dict[str, NotebookNode]) -> str:
    """README.md, with its table of the series made anew, part by part."""
    rows = [
        "| | notebook | what you will be able to explain | minutes: core, deeper |\n",
        "|---|---|---|---|\n",
    ]
    for part, members in parts_of_the_series():
        rows.append(f"| | **{part}** | | |\n")
        for one in members:
            core, deeper = (round(half["minutes"]) for half in count.counts(notebooks[one["file"]]))
            rows.append(
                f"| {one['file'][:2]} | [{one['title']}](notebooks/{one['file']}.ipynb) | "
                f"{one['teaches']} | {core}{f', {deeper}' if deeper else ''} |\n"
            )
    text = (sections.ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(
        r"^\| \| notebook .*\n(\|.*\n)+", lambda _: "".join(rows), text, flags=re.MULTILINE
    )


def first_notebook(notebooks: dict[str, NotebookNode]) -> str:
    """Notebook 00, with its table of the series made anew: two notebooks in a row."""
    first, *others = SERIES
    cells = sorted(f"{one['file'][:2]} | [{one['title']}]({one['file']}.ipynb)" for one in others)
    cells.insert(0, f"00 | **{first['title']}**")
    pairs = zip_longest(cells[::2], cells[1::2], fillvalue=" | ")
    table = "\n".join(["| | | | |", "|---|---|---|---|", *(f"| {a} | {b} |" for a, b in pairs)])
    notebook = copy.deepcopy(notebooks[first["file"]])
    for cell in notebook.cells:
        cell.source = re.sub(
            r"^\| \| \| \| \|(\n\|.*)+", lambda _: table, cell.source, flags=re.MULTILINE
        )
    return run.text(notebook)


# Each page, and the function that makes it from the notebooks.
PAGES = {"README.md": readme, "notebooks/README.md": index, "notebooks/glossary.md": glossary}
PAGES[f"notebooks/{SERIES[0]['file']}.ipynb"] = first_notebook


def main() -> int:
    notebooks = sections.series()
    count.fix(notebooks)
    for name, made in PAGES.items():
        (sections.ROOT / name).write_text(made(notebooks), encoding="utf-8", newline="\n")
    missing = [f"concept-{number}" for ideas in IDEAS.values() for number in ideas]
    missing += [f"term-{tag}" for tag in TERMS]
    missing = [tag for tag in missing if not any(places(notebooks, tag))]
    for tag in missing:
        print(f"no cell has the tag {tag}")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
