"""Count words, cells and minutes of the notebooks, core and deeper.

    python -m course.notebook_tools.count        # a table: make count
    python -m course.notebook_tools.count --fix  # also write the minutes into the notebooks

How the minutes come about: prose at 180 words a minute, five seconds for a line of code, twenty
seconds for a figure and for a prediction, seven minutes for an exercise. Where the reader writes a
part of a Transformer of their own (`mine.check`), the minutes stand in the text and aren't counted.
"""

import argparse
import re
import sys

from nbformat import NotebookNode

from course.notebook_tools import run, sections

A_MINUTE = {  # so many of them take one
    "words": 180,
    "lines": 12,
    "figures": 3,
    "predicts": 3,
    "exercises": 1 / 7,
}
COLUMNS = ("words", "cells", "lines", "figures", "predicts", "exercises", "minutes")
STATED = re.compile(
    r"Plan on about (\d+) minutes(?:, plus another (\d+) for the deeper sections)?\."
)


def count(cells: list[NotebookNode]) -> dict[str, float]:
    """The numbers of `COLUMNS` for some cells of a notebook."""
    found = {
        "words": sum(map(sections.words, cells)),
        "cells": len(cells),
        "lines": sum(map(sections.code_lines, cells)),
        "figures": sum(map(sections.figures, cells)),
        "predicts": sum(map(sections.is_predict, cells)),
        "exercises": sum(map(is_counted, cells)),
    }
    return {**found, "minutes": sum(found[one] / count for one, count in A_MINUTE.items())}


def is_counted(cell: NotebookNode) -> bool:
    """An exercise, but for a part of one's own Transformer."""
    return sections.is_exercise(cell) and "mine.check(" not in cell.source


def counts(notebook: NotebookNode) -> tuple[dict[str, float], dict[str, float]]:
    """The numbers of its core and of its deeper sections."""
    return count(sections.cells(notebook, False)), count(sections.cells(notebook, True))


def stated(notebook: NotebookNode) -> tuple[int, int] | None:
    """The minutes that its first cell promises, for the core and for the deeper sections."""
    found = STATED.search(notebook.cells[0].source)
    return found and (int(found[1]), int(found[2] or 0))


def sentence(notebook: NotebookNode) -> str:
    """What its first cell should say of the time it takes."""
    core, deeper = (round(part["minutes"]) for part in counts(notebook))
    rest = f", plus another {deeper} for the deeper sections" if deeper else ""
    return f"Plan on about {core} minutes{rest}."


def table(notebooks: dict[str, NotebookNode]) -> str:
    """A line for each notebook and one for the sum of those with a number."""
    rows = [("", *COLUMNS, *COLUMNS)]
    total = [0.0] * (2 * len(COLUMNS))
    for name, notebook in notebooks.items():
        numbers = [part[column] for part in counts(notebook) for column in COLUMNS]
        rows.append((name, *(f"{number:.0f}" for number in numbers)))
        if name[0].isdigit():
            total = [one + more for one, more in zip(total, numbers, strict=True)]
    rows.append(("all with a number", *(f"{number:.0f}" for number in total)))
    lines = [f"{row[0]:30}" + "".join(f"{value:>10}" for value in row[1:]) for row in rows]
    return "\n".join([f"{'core':>40}{'deeper':>70}", *lines])


def fix(notebooks: dict[str, NotebookNode]) -> None:
    """Write the minutes into the first cells."""
    for name, notebook in notebooks.items():
        top = notebook.cells[0]
        if not STATED.search(top.source):
            print(f'{name}: its first cell lacks the sentence "{sentence(notebook)}"')
            continue
        new = STATED.sub(sentence(notebook), top.source)
        if new != top.source:
            top.source = new
            path = sections.ROOT / "notebooks" / f"{name}.ipynb"
            path.write_text(run.text(notebook), encoding="utf-8", newline="\n")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fix", action="store_true", help="write the minutes where they stand")
    notebooks = sections.series()
    if parser.parse_args(arguments).fix:
        fix(notebooks)
    print(table(notebooks))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
