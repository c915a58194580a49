"""How a notebook of the series is divided: sections, core or deeper, and what they hold.

A section begins with a Markdown heading and reaches to the next heading of the same or a higher
level. It is *deeper* if its heading cell has the tag `deeper`, and *core* otherwise; what stands
inside a deeper section is deeper too.
"""

import ast
import functools
import re
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[2]
FOLD = "jp-MarkdownHeadingCollapsed"  # what JupyterLab stores for a folded section
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
PREDICT = "**Predict.**"
# Around the words that tell a prediction's answer: JupyterLab and GitHub show them closed.
CLOSED = "<details><summary>The answer in words</summary>\n\n{}\n\n</details>"
BEFORE, AFTER = CLOSED.split("{}")


@functools.cache
def series() -> dict[str, NotebookNode]:
    """The notebooks by name, in their order: those with a number, then the appendix.

    Read once: who changes one changes it for everybody.
    """
    paths = sorted((ROOT / "notebooks").glob("[0-9a][0-9]_*.ipynb"))
    return {path.stem: nbformat.read(path, as_version=4) for path in paths}


@dataclass
class Section:
    """A heading with the cells up to the next heading of any level; the heading's cell is one."""

    heading: str
    level: int
    deeper: bool
    cells: list[NotebookNode] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        """The heading as JupyterLab and GitHub link to it."""
        return self.heading.replace(" ", "-")

    @property
    def tags(self) -> set[str]:
        return {tag for cell in self.cells for tag in cell.metadata.get("tags", [])}


def headings(cell: NotebookNode) -> list[tuple[int, str]]:
    """The headings of a cell as (level, words); lines of code blocks don't count."""
    if cell.cell_type != "markdown":
        return []
    prose = re.sub(r"^```.*?^```", "", cell.source, flags=re.DOTALL | re.MULTILINE)
    return [(len(marks), words.strip()) for marks, words in HEADING.findall(prose)]


def sections(notebook: NotebookNode) -> list[Section]:
    """The sections of a notebook, in order; cells before the first heading are dropped."""
    found: list[Section] = []
    folded = 0  # the level of the deeper heading that we are under; 0: of none
    for cell in notebook.cells:
        for level, words in headings(cell):
            if level <= folded:
                folded = 0
            if not folded and "deeper" in cell.metadata.get("tags", []):
                folded = level
            found.append(Section(words, level, folded > 0))
        if found:
            found[-1].cells.append(cell)
    return found


def cells(notebook: NotebookNode, deeper: bool) -> list[NotebookNode]:
    """The cells of the core, or those of the deeper sections."""
    return [cell for part in sections(notebook) if part.deeper == deeper for cell in part.cells]


def words(cell: NotebookNode) -> int:
    """What a reader reads of a Markdown cell: without addresses of links and HTML tags."""
    if cell.cell_type != "markdown":
        return 0
    prose = re.sub(r"\]\([^)]*\)|<!--.*?-->|</?[a-z][^<>]*>", " ", cell.source, flags=re.DOTALL)
    return sum(any(letter.isalnum() for letter in word) for word in prose.split())


def code_lines(cell: NotebookNode) -> int:
    return sum(bool(line.strip()) for line in cell.source.splitlines()) * (cell.cell_type == "code")


def figures(cell: NotebookNode) -> int:
    return sum("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def is_exercise(cell: NotebookNode) -> bool:
    """A code cell that waits for an answer: its check says so."""
    return "not tried yet" in "".join(
        str(output.get("text", "")) + str(output.get("data", {}).get("text/plain", ""))
        for output in cell.get("outputs", [])
    )


def is_predict(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown" and PREDICT in cell.source


def is_answer(cell: NotebookNode) -> bool:
    """Words that tell a prediction's answer: a Markdown cell with the tag `answer`."""
    return cell.cell_type == "markdown" and "answer" in cell.metadata.get("tags", [])


def opened(source: str) -> str:
    """What an answer says, without what closes it."""
    return source.removeprefix(BEFORE).removesuffix(AFTER)


def borrowed(notebook: NotebookNode) -> set[str]:
    """Names that core cells use and only deeper cells before them have defined."""
    core, deeper, found = set(), set(), set()
    for part in sections(notebook):
        for cell in part.cells:
            if cell.cell_type != "code":
                continue
            defined, used = names(cell.source)
            if part.deeper:
                deeper |= defined
            else:
                found |= (used - defined - core) & deeper
                core |= defined
    return found


def names(source: str) -> tuple[set[str], set[str]]:
    """The names that a program defines, and those that it uses."""
    defined, used = set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else defined).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return defined, used
