"""The commands that the documents name, read out of them."""

import json
import re
from collections.abc import Iterator

from tests.here import ROOT, read

PAGES = (
    "README.md",
    "docs/install.md",
    "docs/using.md",
    "docs/teaching.md",
    "docs/grading.md",
    "docs/scaling.md",
    "CONTRIBUTING.md",
    "docs/testing.md",
    "docs/mine.md",
    "course/grading/students.md",
    *(f"notebooks/{path.name}" for path in sorted((ROOT / "notebooks").glob("*.ipynb"))),
)
# What a command begins with.
PROGRAMS = (
    "python",
    "py",
    "make",
    "torchrun",
    "transformer-lib",
    "conda",
    "docker",
    "git",
    "source",
    "mkdir",
    "experiment",
    "pip",
    "uv",
    "python3.13",
    "../cuda/bin/python",
    ".venv/bin/python",
    ".venv\\Scripts\\python",
    ".venv\\Scripts\\activate",
)
BLOCK = re.compile(r"^(?P<margin> *)```\w*\n(?P<text>.*?)^(?P=margin)```$", re.M | re.S)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def markdown(page: str) -> str:
    text = read(page)
    if not page.endswith(".ipynb"):
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def commands(page: str) -> list[str]:
    """Each once, in the order of the page, without comments, on one line."""
    text = markdown(page)
    found = [(block.start(), line) for block in BLOCK.finditer(text) for line in lines(block)]
    without = BLOCK.sub(lambda block: "\n\n" + " " * (len(block[0]) - 2), text)
    for span in SPAN.finditer(without):
        if "\n\n" not in span[1]:
            found.append((span.start(), " ".join(span[1].split())))
    return list(dict.fromkeys(line for _, line in sorted(found) if is_command(line)))


def lines(block: re.Match) -> Iterator[str]:
    """The commands of a block; lines that go on are joined, a text up to its END is left out."""
    text = re.sub(rf"^{block['margin']}", "", block["text"], flags=re.M)
    text = re.sub(r"<<'END'\n.*?^END$", "<<'END'", text, flags=re.M | re.S)
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        yield re.sub(r"\s+#.*", "", line).strip()


def is_command(line: str) -> bool:
    first, *rest = line.split(" ")
    return first in PROGRAMS and (bool(rest) or first == ".venv\\Scripts\\activate")


def all_commands() -> dict[str, list[str]]:
    """Every command, and the pages that name it."""
    found: dict[str, list[str]] = {}
    for page in PAGES:
        if (ROOT / page).exists():
            for command in commands(page):
                found.setdefault(command, []).append(page)
    return found
