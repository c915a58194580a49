"""Run the checks of a hand-in on GitHub, after each push: python .github/check.py FILE.

What they say stands in the run's summary, and beside the commit; the run is green when all are
right. These are the checks that everybody has. They run beside the answers, so they are no grade.
"""

import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from course.checks import Hint, in_words
from course.from_scratch.checks import STEPS, own_file, verdict

COLORS = re.compile(r"\x1b\[[\d;]*m")
WHICH = re.compile(r"^\w+: (?=[✓✗○])")  # how a check calls itself


def main(file: str) -> int:
    """0 if all is right, else 1."""
    path = Path(file)
    try:
        said = (said_of_file if path.suffix == ".py" else said_of_notebook)(path)
    except Exception as error:  # no notebook, no Python, nothing at all
        said = {path.name: f"✗ {type(error).__name__}: {error}"}
    rows = [f"| {name} | {in_a_cell(words)} |" for name, words in said.items()]
    summary = "\n".join([f"### {path.name}", "", "| | |", "|---|---|", *rows, ""])
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as page:
        page.write(summary)
    wrong = {name: words for name, words in said.items() if not words.startswith("✓")}
    for name, words in wrong.items():
        print(f"::warning file={path.name},title={name}::{as_message(words)}")
    print(f"{len(said) - len(wrong)} of {len(said)} right")
    return 1 if wrong else 0


def said_of_notebook(path: Path) -> dict[str, str]:
    """What each check prints when all cells have run."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, kernel_name="python3", timeout=60, interrupt_on_timeout=True, allow_errors=True
    ).execute()
    found = {}
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name.startswith("check-"):
            found[name.removeprefix("check-")] = WHICH.sub("", COLORS.sub("", printed(cell)))
    return found


def printed(cell) -> str:
    """A check's own words, or the error that the cell stopped with."""
    said = [
        one.text if one.output_type == "stream" else f"✗ {one.ename}: {one.evalue}"
        for one in cell.outputs
        if one.output_type in ("stream", "error")
    ]
    return "".join(said).strip() or "✗ the check didn't run"


def said_of_file(path: Path) -> dict[str, str]:
    """The verdict on each step of my_transformer.py."""
    try:
        mine = own_file(path)
    except Hint as hint:
        return {path.name: in_words(hint)}
    return {
        f"{number}. {step.title}": COLORS.sub("", in_words(verdict(mine, step)))
        for number, step in enumerate(STEPS, start=1)
    }


def in_a_cell(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")


def as_message(words: str) -> str:
    """As GitHub wants it in one line."""
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
