"""Assignments: one notebook each, with tasks, solutions and checks, from which both versions come.

The markers and the metadata are nbgrader's. Cells with a `grade_id` are:

    answer    code that the student writes; in the source between BEGIN and END SOLUTION
    check     code that calls a check of `assignment_N_checks.py`, worth points; what stands
              between BEGIN and END HIDDEN TESTS only the grader sees
    text      Markdown that the student writes and the teacher reads, worth points; in the source
              it says what a good answer says

The students' own Transformer, my_transformer.py, is graded like a notebook of one cell, with a
check for each of its parts.
"""

import ast
import builtins
import copy
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.mine.bench import FILE
from course.mine.checks import PARTS

FOLDER = Path(__file__).resolve().parents[1] / "assignments"
REGION = r"^([ \t]*)### BEGIN {0}\n(.*?)^[ \t]*### END {0}(?:\n|\Z)"
SOLUTION = re.compile(REGION.format("SOLUTION"), re.M | re.S)
HIDDEN = re.compile(REGION.format("HIDDEN TESTS"), re.M | re.S)
WRITE_HERE = "*Your answer: double-click here and write.*"
KINDS = ("predict", "implement", "explore")
MINE = "mine"  # stands for a number where my_transformer.py is meant
PART_POINTS = 2  # for each of its parts


class SourceError(ValueError):
    """An assignment's source is faulty; the message says where."""


@dataclass(frozen=True)
class Exercise:
    """One exercise. name: its `grade_id`; title: the heading above it.

    kind: one of KINDS, or "explain", which a person grades. check: the code of the check, hidden
    tests included. expected: what a good answer in words says.
    """

    name: str
    title: str
    kind: str
    points: int
    check: str = ""
    expected: str = ""


@dataclass(frozen=True)
class Assignment:
    """One assignment. path: the source file; notebook: its content, as parsed JSON."""

    number: int | str
    title: str
    path: Path
    notebook: dict
    exercises: tuple[Exercise, ...]

    @property
    def file(self) -> str:
        """The name of the file that is handed out, and handed in."""
        return self.path.name

    @property
    def stem(self) -> str:
        return self.path.stem

    @property
    def suffix(self) -> str:
        """The suffix of the file that students hand in: .ipynb or .py."""
        return self.path.suffix

    @property
    def points(self) -> int:
        return sum(exercise.points for exercise in self.exercises)

    @property
    def setup(self) -> str:
        """The imports, which the checks need too."""
        return "\n".join(text(cell) for cell in self.notebook["cells"] if "setup" in tags(cell))

    @property
    def given(self) -> list[str]:
        """Code that every student gets and nobody has to change; answers may need it."""
        return self.code_of_nobody(shown=False)

    @property
    def shown(self) -> list[str]:
        """Given code that only shows something. No answer needs it, so it isn't run for grading."""
        return self.code_of_nobody(shown=True)

    def code_of_nobody(self, shown: bool) -> list[str]:
        cells = [cell for cell in self.notebook["cells"] if cell["cell_type"] == "code"]
        return [
            text(cell) for cell in cells if not grade_id(cell) and ("shown" in tags(cell)) == shown
        ]


def assignments() -> list[Assignment]:
    """All assignments, in order."""
    found = map(read_source, FOLDER.glob("[0-9]*.ipynb"))
    return sorted(found, key=lambda source: source.number)


def assignment(number: int | str) -> Assignment:
    """The assignment with this number or name; MINE is my_transformer.py."""
    if number == MINE:
        return own_transformer()
    number = int(number) if str(number).isdecimal() else number
    found = {one.number: one for one in assignments()}
    if number not in found:
        raise SourceError(
            f"there is no assignment {number}, but {', '.join(map(str, found))} and {MINE}"
        )
    return found[number]


def own_transformer() -> Assignment:
    """my_transformer.py as an assignment: one cell, and a check for each of its twelve parts."""
    path = FOLDER / FILE
    solution = f"### BEGIN SOLUTION\n{path.read_text(encoding='utf-8')}### END SOLUTION"
    cells = [
        a_cell("markdown", "# A Transformer of your own"),
        a_cell("code", "from course.mine import checks as own", tags=["setup"]),
        a_cell("code", "import torch._dynamo"),  # torch.optim does, in the time of a step
        a_cell("code", solution, nbgrader={"grade_id": path.stem, "solution": True}),
    ]
    for number, part in enumerate(PARTS, start=1):
        graded = {"grade_id": f"check-part_{number}", "grade": True, "points": PART_POINTS}
        cells += [
            a_cell("markdown", f"## {number}. {part.title}"),
            a_cell(
                "code",
                f"own.judge({path.stem}, {number})",
                nbgrader=graded,
                tags=["implement"],
            ),
        ]
    return as_assignment(MINE, path, {"cells": cells, "metadata": {}})


def a_cell(kind: str, source: str, **metadata: Any) -> dict:
    return {"cell_type": kind, "source": source, "metadata": metadata}


def read_source(path: Path) -> Assignment:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return as_assignment(int(path.name.split("_")[0]), path, notebook)


def as_assignment(number: int | str, path: Path, notebook: dict) -> Assignment:
    """An assignment, once it is clear that it can be built and graded."""
    cells = notebook["cells"]
    exercises, heading = [], ""
    for cell in cells:
        if not is_graded(cell):
            if cell["cell_type"] == "markdown" and text(cell).startswith("## "):
                heading = text(cell).split("\n")[0].removeprefix("## ")
            continue
        name, points = grade_id(cell).removeprefix("check-"), about(cell).get("points")
        if not isinstance(points, int):
            raise SourceError(f"{path.name}: {name} needs its points, a whole number")
        if cell["cell_type"] == "markdown":
            exercises.append(Exercise(name, heading, "explain", points, expected=text(cell)))
            continue
        kinds = [kind for kind in KINDS if kind in tags(cell)]
        if len(kinds) != 1:
            raise SourceError(f"{path.name}: the check {name} needs one of the tags {KINDS}")
        exercises.append(Exercise(name, heading, kinds[0], points, check=text(cell)))
    ids = [grade_id(cell) for cell in cells if grade_id(cell)]
    for one in set(ids):
        if ids.count(one) > 1:
            raise SourceError(f"{path.name}: two cells have the grade_id {one!r}")
    for cell in cells:
        for region, kind in ((SOLUTION, "SOLUTION"), (HIDDEN, "HIDDEN TESTS")):
            if lone := re.search(f"### (BEGIN|END) {kind}", region.sub("", text(cell))):
                raise SourceError(f"{path.name}: a {lone[0]} has no partner")
    title = text(cells[0]).split("\n")[0].lstrip("# ")
    return Assignment(number, title, path, notebook, tuple(exercises))


def student_version(source: Assignment) -> dict:
    """The notebook that is handed out: no solutions, no hidden tests, no outputs."""
    notebook = copy.deepcopy(source.notebook)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
            cell["source"] = without_solution(HIDDEN.sub("", text(cell))).rstrip("\n")
            if is_graded(cell):
                cell["metadata"] |= {"editable": False, "deletable": False}
        elif is_graded(cell):
            cell["source"] = WRITE_HERE
        if grade_id(cell):
            cell["metadata"]["deletable"] = False
    notebook["metadata"]["coursework"] = {"assignment": source.number}
    for secret in secrets(source):
        if secret in plain("\n".join(text(cell) for cell in notebook["cells"])):
            raise SourceError(
                f"{source.file}: this line of the solution also stands elsewhere, "
                f"where students see it: {secret}"
            )
    return notebook


def without_solution(code: str) -> str:
    """The replacement for a solution: `return ...` inside a function, elsewhere nothing."""
    return SOLUTION.sub(lambda found: f"{found[1]}return ...\n" if found[1] else "", code)


def secrets(source: Assignment) -> list[str]:
    """Lines that must not be in the student version, without white space."""
    found = []
    for cell in source.notebook["cells"]:
        for _, block in SOLUTION.findall(text(cell)) + HIDDEN.findall(text(cell)):
            found += block.split("\n")
        if cell["cell_type"] == "markdown" and is_graded(cell):
            found += text(cell).split("\n")
    short = 12  # characters: `return x` and the like give nothing away
    return [plain(line) for line in found if len(plain(line)) >= short]


def plain(words: str) -> str:
    """The text without white space, so that it is found however it is laid out."""
    return re.sub(r"\s+", "", words)


def names_wanted(check: str, known: set[str]) -> list[str]:
    """The names in a check's code that have to come from the student's notebook."""
    made, used = known | set(dir(builtins)), []
    for node in ast.walk(ast.parse(check)):
        match node:
            case ast.Name(name, ast.Load()):
                used.append(name)
            case ast.Name(name) | ast.FunctionDef(name) | ast.arg(name):
                made.add(name)
            case ast.alias(name, other):
                made.add(other or name)
    return [name for name in dict.fromkeys(used) if name not in made]


# --- cells ---------------------------------------------------------------------------------------


def text(cell: dict) -> str:
    """A cell's source: one string, or a list of lines."""
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def tags(cell: dict) -> list[str]:
    return cell["metadata"].get("tags", [])


def about(cell: dict) -> dict[str, Any]:
    return cell["metadata"].get("nbgrader") or {}


def grade_id(cell: dict) -> str:
    return about(cell).get("grade_id", "")


def is_graded(cell: dict) -> bool:
    """Whether a cell is worth points."""
    return bool(about(cell).get("grade"))
