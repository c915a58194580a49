"""Run notebooks from top to bottom and store them in the one form that git keeps.

    python -m course.notebook_tools.run                    # every notebook: make notebooks
    python -m course.notebook_tools.run notebooks/00_start_here.ipynb   # this one
    python -m course.notebook_tools.run --core             # without the deeper sections: are the
                                                           # outputs the same? It stores nothing

Every run starts a fresh kernel. What depends on the machine or the moment (times, Python's
version, the editor's state) is left out, so a second run changes no file and a small change of
a notebook is a small change in git. After the run it says how long it took, and what a reader would
trip over.
"""

import copy
import json
import re
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from course.notebook_tools import sections
from course.notebook_tools.compare import first_difference

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("notebooks", "course/assignments")
TIMEOUT = 300  # seconds for one cell
LONGEST_CELL = 25  # lines of code
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
EDITOR_STATE = ("ExecuteTime", "collapsed", "execution", "scrolled", "trusted")
EXEMPT_TAGS = {"nbval-ignore-output", "nbval-skip"}
EXEMPT_COMMENT = re.compile(r"^\s*#\s*(NBVAL_IGNORE_OUTPUT|NBVAL_SKIP)\s*$", re.MULTILINE)
MACHINE = re.compile(  # a path or an address that exists on one machine only
    r"(?<![\w./])/(?:home|mnt|opt|private|root|tmp|usr|var|Users)/|\b[A-Z]:\\|\b0x[0-9a-f]{6,}\b"
)


def execute(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """A copy of the notebook with the outputs of a fresh run in `folder`."""
    client = NotebookClient(
        copy.deepcopy(notebook),
        kernel_name=KERNEL["name"],
        timeout=TIMEOUT,
        record_timing=False,
        extra_arguments=["--log-level=ERROR"],  # no warning about a kernel without encryption
        resources={"metadata": {"path": str(folder)}},
    )
    return client.execute()


def normalize(notebook: NotebookNode) -> NotebookNode:
    """A copy with nothing in it that changes from run to run; answers and deeper parts are closed.

    It is the normal form of itself.
    """
    notebook = copy.deepcopy(notebook)
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": LANGUAGE})
    for before, cell in zip([None, *notebook.cells], notebook.cells, strict=False):
        for key in EDITOR_STATE:
            cell.metadata.pop(key, None)
        if before and sections.is_predict(before):
            cell.metadata.setdefault("jupyter", NotebookNode())["outputs_hidden"] = True
        if "deeper" in cell.metadata.get("tags", []):
            cell.metadata[sections.FOLD] = True
        if sections.is_answer(cell):
            cell.source = sections.CLOSED.format(sections.opened(cell.source.strip()))
        if cell.cell_type == "code":
            cell.outputs = join_streams(cell.outputs)
    return notebook


def join_streams(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Pieces of text printed one after the other become one; of `a\\rb` only b was left to see."""
    joined = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last and last.output_type == output.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            joined.append(output)
    for output in joined:
        if output.output_type == "stream":
            output.text = re.sub(r"^.*\r(?=[^\n])", "", output.text, flags=re.MULTILINE)
    return joined


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def text(notebook: NotebookNode) -> str:
    """The notebook as the text of its file."""
    return nbformat.writes(notebook) + "\n"


def problems(notebook: NotebookNode) -> list[str]:
    """What a reader, another machine or the comparison of outputs would trip over."""
    found = []
    if notebook.metadata.get("kernelspec") != KERNEL:
        found.append(f"kernelspec is {notebook.metadata.get('kernelspec')}, not {KERNEL}")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        found.append(f"not run from top to bottom in a fresh kernel: execution counts {counts}")
    exempt = [cell for cell in code if is_exempt(cell)]
    if len(exempt) > len(code) / 10:
        found.append(f"{len(exempt)} of {len(code)} code cells are exempt from comparison")
    for number, cell in enumerate(notebook.cells):
        found += [f"cell {number}: {problem}" for problem in cell_problems(cell)]
    return found


def is_exempt(cell: NotebookNode) -> bool:
    """Does nbval leave the outputs of this code cell uncompared?"""
    tags = set(cell.metadata.get("tags", []))
    return bool(tags & EXEMPT_TAGS or EXEMPT_COMMENT.search(cell.source))


def cell_problems(cell: NotebookNode) -> list[str]:
    """The same for one cell."""
    found = []
    if MACHINE.search(cell.source):
        found.append("a path of this machine in the source")
    if cell.cell_type != "code":
        return found
    lines = len(cell.source.splitlines())
    if lines > LONGEST_CELL:
        found.append(f"{lines} lines of code; at most {LONGEST_CELL} can be read at once")
    for output in cell.outputs:
        data = output.get("data", {})
        words = output.get("text", "") + "".join(
            value if isinstance(value, str) else json.dumps(value)
            for mime, value in data.items()
            if mime not in ("image/png", "image/jpeg")
        )
        if output.output_type == "error":
            found.append(f"stopped with {output.ename}: {output.evalue}")
        elif output.get("name") == "stderr" or re.search(r"\w*Warning:", words):
            found.append(f"a warning or another text on stderr: {words[:200]!r}")
        if MACHINE.search(words):
            found.append("a path or an address of this machine in the output")
        for mime in sorted(data.keys() & {"image/png", "image/jpeg", "image/svg+xml"}):
            if not output.metadata.get(mime, {}).get("alt"):
                found.append(f"{mime} without alt text in the output's metadata")
            if "text/plain" not in data:
                found.append(f"{mime} without text/plain, which says what is drawn")
    return found


def core_differences(notebook: NotebookNode, folder: Path) -> list[str]:
    """What changes in the core cells if a reader leaves out the deeper sections."""
    core = copy.deepcopy(notebook)
    core.cells = sections.cells(core, deeper=False)
    stored = [cell for cell in core.cells if cell.cell_type == "code"]
    new = [cell for cell in execute(core, folder).cells if cell.cell_type == "code"]
    pairs = zip(stored, new, strict=True)
    found = [first_difference(one.outputs, join_streams(other.outputs)) for one, other in pairs]
    return [
        f"cell [{cell.execution_count}]: {difference}"
        for cell, difference in zip(stored, found, strict=True)
        if difference
    ]


def main(arguments: list[str]) -> int:
    """Run the notebooks named, or all; 1 if one stops or has problems."""
    status = 0
    core = "--core" in arguments
    paths = [Path(argument) for argument in arguments if argument != "--core"]
    every = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.ipynb"))]
    for path in paths or every:
        if core:
            found = core_differences(read(path), path.resolve().parent)
            print(f"{path.name}: {'other outputs' if found else 'the core stands alone'}")
            for difference in found:
                print(f"  {difference}")
                status = 1
            continue
        began = time.perf_counter()
        try:
            notebook = normalize(execute(read(path), path.resolve().parent))
        except CellExecutionError as error:
            print(f"{path.name}: stopped, file left as it was\n{error}")
            status = 1
            continue
        seconds = time.perf_counter() - began
        changed = text(notebook) != path.read_text(encoding="utf-8")
        if changed:
            path.write_text(text(notebook), encoding="utf-8", newline="\n")
        state = "stored with new outputs" if changed else "unchanged"
        print(f"{path.name}: {state}, {seconds:.0f} s", flush=True)
        for problem in problems(notebook):
            print(f"  {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
