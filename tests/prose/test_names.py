"""Whatever a page, a notebook or a docstring names is there: folders, modules, commands."""

import contextlib
import functools
import io
import json
import re
import subprocess
from pathlib import Path

import pytest

import course.cli
import transformer_lib.cli

ROOT = Path(__file__).resolve().parents[2]
KINDS = "*.md *.py *.ipynb *.js *.yml *.toml *.html Makefile .devcontainer".split()
# Names of what isn't there, on purpose: in tests, in tables of old names, of what a wheel holds.
NOT_READ = re.compile(r"tests/|coursework\.py|web\.py|\w+/deprecated_names\.py|hatch_build\.py")
PATH = re.compile(r"(?<![\w./-])(?:transformer_lib|course)(?:/[\w.-]+)+")
MODULE = re.compile(r"(?<![\w./-])((?:transformer_lib|course)(?:\.[a-z_]\w*)+)(?![/\w])")
COMMAND = re.compile(r"-m (transformer_lib|course|web)\b(?: ([a-z]+))?")


def listed() -> list[str]:
    """The project's files, those too that git doesn't know yet."""
    run = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *KINDS],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
    )
    names = {name for name in run.stdout.split("\0") if name and not NOT_READ.match(name)}
    return sorted(name for name in names if (ROOT / name).is_file())


def text_of(name: str) -> str:
    """What its authors wrote: of a notebook, the cells."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if name.endswith(".ipynb"):
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return text


def missing(text: str) -> list[str]:
    """The names in a text that lead nowhere."""
    paths = [found.rstrip("./") for found in PATH.findall(text)]
    return [
        *(path for path in paths if not (ROOT / path).exists()),
        *(name for name in MODULE.findall(text) if not is_there(name)),
        *(f"{m[1]} {m[2]}" for m in COMMAND.finditer(text) if not is_command(m[1], m[2])),
    ]


@functools.cache
def is_there(name: str) -> bool:
    """A folder or module, or a word that stands in it; or a file, like course.zip."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:n])
        if path.is_dir() or path.with_suffix(".py").is_file():
            if n == len(parts) or parts[-1] in ("py", "zip"):
                return True
            source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            return bool(re.search(rf"\b{parts[n]}\b", source.read_text(encoding="utf-8")))
    return False


@functools.cache
def is_command(program: str, name: str | None) -> bool:
    command_lines = {"transformer_lib": transformer_lib.cli, "course": course.cli}
    if program not in command_lines or name is None:
        return program in command_lines
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        with pytest.raises(SystemExit) as stopped:
            command_lines[program].parser().parse_args([name, "--help"])
    return stopped.value.code == 0


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone")
def test_what_is_named_is_there():
    names = listed()
    assert {"README.md", "Makefile", "notebooks/12_translation.ipynb"} < set(names)
    assert {name: found for name in names if (found := missing(text_of(name)))} == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See `transformer_lib/plots/style.py`.", ["transformer_lib/plots/style.py"]),
        ("`transformer_lib.evaluation.exact_match`", ["transformer_lib.evaluation.exact_match"]),
        ("transformer_lib.metrics.no_such_name", ["transformer_lib.metrics.no_such_name"]),
        ("python -m transformer_lib figures --all", ["transformer_lib figures"]),
        ("python -m web site", ["web site"]),
        ("python -m course fly", ["course fly"]),
        ("In `course/drawing/`, transformer_lib.metrics.exact_match, course.zip.", []),
        ("python -m transformer_lib train --task copy; python -m course figures", []),
        ("python -m transformer_lib --help says how", []),
    ],
)
def test_a_name_that_leads_nowhere_is_found(text, found):
    assert missing(text) == found
