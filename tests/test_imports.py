"""The modules in the order data flows: each imports only what stands above it."""

import ast
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "transformer_lib"
ORDER = """paper config settings tokens subwords corpora encoded batching masks embedding
    attention layers encoder decoder model loss checkpoints distributed log threads training
    decoding recording since language_model before typed languages sureness translator downloads
    moses evaluation recipes experiments plots web checks __main__""".split()
# Slow to import: only by those who need them, when needed.
LATE = {"matplotlib", "altair", "spacy", "tokenizers", "pooch", "transformers",
        "sacremoses", "IPython"}  # fmt: skip
# What an installed library may do without, and why.
NOT_NEEDED = {"IPython": "shows figures in a notebook, and is there wherever a notebook runs"}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def stage(path: Path) -> str:
    """corpora/digits.py -> corpora: the part of the package that a file belongs to."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> set[str]:
    """Full names of everything a file imports, also inside functions: {"torch", "torch.nn", …}."""
    package = ("transformer_lib", *path.relative_to(PACKAGE).parent.parts)
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*start, *([node.module] if node.module else [])])
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_modules_above_it(path):
    assert stage(path) in ORDER, f"{path.name} has no place in ORDER: give it one"
    above = ORDER[: ORDER.index(stage(path))] + [stage(path)]
    for name in imported(path):
        first, *rest = name.split(".")
        if first == "transformer_lib":
            assert rest and rest[0] in above, f"{path.name} imports {name}, which stands below it"


def test_the_package_is_quick_and_quiet_to_import():
    modules = ["transformer_lib"] + [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in FILES
        if stage(path) != "plots"
    ]
    program = f"""
import importlib, json, sys, torch
state, threads = torch.get_rng_state(), torch.get_num_threads()
for module in {modules}:
    importlib.import_module(module)
assert torch.equal(torch.get_rng_state(), state), "importing drew random numbers"
assert torch.get_num_threads() == threads, "importing changed the number of threads"
assert torch.get_default_dtype() == torch.float32, "importing changed the default dtype"
print(json.dumps(sorted(sys.modules)), end="")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    loaded = json.loads(run.stdout)  # fails if an import printed something
    assert LATE & set(loaded) == set()
    assert "transformer_lib" in loaded


def test_every_package_used_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    declared = {plain(re.match(r"[\w.-]+", line).group()) for lines in lists for line in lines}
    providers = importlib.metadata.packages_distributions()
    tools = (path.stem for path in ROOT.glob("tools/*.py"))
    ours = {"transformer_lib", "coursework", "web", *tools}
    files = [*FILES, *(path for folder in ("tests", "tools", "coursework", "web")
                       for path in (ROOT / folder).glob("**/*.py"))]  # fmt: skip
    for path in [PACKAGE / "__init__.py", *files]:
        for module in others(ast.parse(path.read_text(encoding="utf-8"))) - ours - {"tests"}:
            assert declared & {plain(name) for name in providers.get(module, [])}, (
                f"{path.relative_to(ROOT)} imports {module}: pyproject.toml doesn't declare it"
            )


def test_an_installed_library_has_whatever_it_imports():
    """Not only with an extra, such as [lab]: also what is imported late, inside a function."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    brought = {plain(re.match(r"[\w.-]+", line).group()) for line in project["dependencies"]}
    providers = importlib.metadata.packages_distributions()
    used = set()
    for path in [PACKAGE / "__init__.py", *FILES]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = others(tree) - {"transformer_lib"}
        at_once = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        assert not others(ast.Module(at_once, [])) & NOT_NEEDED.keys(), f"{path}: not at the top"
        for module in modules - NOT_NEEDED.keys():
            assert brought & {plain(name) for name in providers.get(module, [])}, (
                f"{path.relative_to(ROOT)} imports {module}: not in [project] dependencies"
            )
        used |= modules
    assert used >= NOT_NEEDED.keys(), "an exception that nobody needs any more"


def others(tree: ast.AST) -> set[str]:
    """Top names of what is imported anywhere in a file, without Python's own modules."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module)
    return {name.split(".")[0] for name in names} - sys.stdlib_module_names


def plain(name: str) -> str:
    """A distribution's name as the registry compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
