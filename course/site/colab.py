"""A copy of a notebook for Google Colab: its first cell brings the course."""

import copy

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

BRANCH = "gh-pages"  # where the workflow puts the site, and Colab finds the copies
FIRST_CELL = """\
# Only on Colab: fetches the course with its data, and installs it. Run this cell first.
import site, subprocess, sys
from importlib.metadata import distribution, distributions
from pathlib import Path

def versions():
    return {d.name.lower(): d.version for d in distributions()}

before = versions()
if "transformer-lib" not in before:
    clone = Path("transformer-course").resolve()
    if not clone.exists():
        subprocess.run(["git", "clone", "--quiet", "--depth=1", "REPOSITORY", clone], check=True)
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--editable", f"{clone}[plots]"]
    subprocess.run(install, check=True)
    after = versions()
    if any(before.get(name, after[name]) != after[name] for name in ("numpy", "torch")):
        print("NumPy or PyTorch was replaced: the kernel restarts now. Then go on below.")
        get_ipython().kernel.do_shutdown(restart=True)
    # An editable install is found by a .pth file, which Python reads when it starts: read it now.
    site.addsitedir(str(distribution("transformer-lib").locate_file("")))
"""


def with_first_cell(notebook: NotebookNode, repository: str) -> NotebookNode:
    """The copy. Nothing is installed before it is run, and nothing mixed within one kernel."""
    notebook = copy.deepcopy(notebook)
    source = FIRST_CELL.replace("REPOSITORY", repository).rstrip("\n")
    notebook.cells.insert(0, new_code_cell(source, id="colab-first"))
    return notebook


def address(repository: str | None, name: str) -> str | None:
    """Where Colab opens the copy of a notebook; None if the project isn't on GitHub."""
    _, github, project = (repository or "").partition("https://github.com/")
    if not github:
        return None
    folder = f"{project.strip('/')}/blob/{BRANCH}/colab"
    return f"https://colab.research.google.com/github/{folder}/{name}.ipynb"
