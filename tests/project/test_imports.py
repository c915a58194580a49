"""The modules in the order data flows: each imports only what stands above it."""

import ast
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from course.chapters import CHAPTERS

ROOT = Path(__file__).resolve().parents[2]
# The folders and modules of the library in the order data flows; a folder stands for all in it.
LIBRARY = """files renamed_settings text model structure checkpoints training decoding interpret.recording
    interpret.patching interpret variants confidence translator metrics
    interpret.pronouns recipes deprecated_names cli __main__""".split()
# Those of the course. Chapters have their own order: each asks only those that come before it.
COURSE = """paper grammar chapters catalog experiments checks drawing chapters.* from_scratch
    lab notebook_tools notebooks reader site assignments grading cli __main__""".split()
EXCEPTIONS = {
    # its base was measured there
    ("course.chapters.ch17_gpt.experiment_one_text", "course.chapters.ch18_since_2017"),
    # asked for an old name that went to the course, it looks there; without a course it says so
    ("transformer_lib.deprecated_names", "course.deprecated_names"),
}
# Slow to import: only by those who need them, when needed.
LATE = {
    "matplotlib",
    "altair",
    "spacy",
    "tokenizers",
    "pooch",
    "transformers",
    "sacremoses",
    "IPython",
}
FILES = sorted((ROOT / "transformer_lib").rglob("*.py"))
ALL = [*FILES, *sorted((ROOT / "course").rglob("*.py"))]


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in ALL}


def stage(module: str) -> tuple[int, int]:
    """Where a module stands: its place in the list, and for a chapter which one it is."""
    package, _, rest = module.partition(".")
    parts = rest.split(".")
    if package == "course" and parts[0] == "chapters" and len(parts) > 1:
        return COURSE.index("chapters.*"), list(CHAPTERS).index(parts[1])
    order = LIBRARY if package == "transformer_lib" else COURSE
    for name in (".".join(parts[:2]), parts[0]):
        if name in order:
            return order.index(name), 0
    raise AssertionError(f"{module} has no place in the order: give it one")


def imports_in(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports in a file, which are statements: to search expressions would take longer."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield from imports_in(node)


def imported_by_call(tree: ast.AST) -> set[str]:
    """What is imported by its name: import_module("course.lab"), __import__("course")."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    functions = [getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls]
    return {
        call.args[0].value
        for call, function in zip(calls, functions, strict=True)
        if function in ("import_module", "__import__") and isinstance(call.args[0], ast.Constant)
    }


def imported(path: Path) -> set[str]:
    """Full names of everything a file imports, also inside functions: {"torch", "torch.nn", …}."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    names = imported_by_call(tree) if "import_module(" in text or "__import__(" in text else set()
    for node in imports_in(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        else:
            assert not node.level, f"{path}: imports name the whole module"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                names.add(full if full in MODULES else node.module)
    return names


@pytest.mark.parametrize("module", sorted(MODULES.keys() - {"transformer_lib", "course"}))
def test_a_module_imports_only_what_stands_above_it(module):
    package = module.partition(".")[0]
    for name in imported(MODULES[module]):
        first = name.partition(".")[0]
        if first == package:
            assert name != package, f"{module} imports {package} as a whole: name the module"
            if any(module == who and name.startswith(whom) for who, whom in EXCEPTIONS):
                continue
            assert stage(name) <= stage(module), f"{module} imports {name}, which stands below it"
        elif package == "transformer_lib" and (module, name) not in EXCEPTIONS:
            assert first not in ("course", "tools", "tests"), f"{module} imports {name}"


def test_an_import_by_its_name_is_seen():
    program = "def f(name):\n    importlib.import_module('course.lab').x(__import__('os'), g(name))"
    assert imported_by_call(ast.parse(program)) == {"course.lab", "os"}
    (there,) = [name for who, name in EXCEPTIONS if who == "transformer_lib.deprecated_names"]
    assert there in imported(MODULES["transformer_lib.deprecated_names"]), "it is needed no more"


def test_nobody_changes_where_python_looks_for_modules():
    """A process that is started gets PYTHONPATH, or -P: then nothing depends on who came first."""
    changes = re.compile(r"sys\.path\.\w+\(|sys\.path(\[.*?\])? *\+?=[^=]|syspath_prepend")
    folders = ("transformer_lib", "course", "tools", "tests", "benchmarks", "from_scratch")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in [*files, *ROOT.glob("*.py")]
        if path != Path(__file__) and changes.search(path.read_text(encoding="utf-8"))
    }
    # Each says why.
    assert found == {"tests/project/test_benchmarks.py", "tools/kernels.py"}


# Decorators that give a function to somebody else, by its name in the series.
REGISTER = re.compile(r"(figure|animation)\(")
# A reader's own notebook may call these: old names of the library lead to them.
FOR_READERS = {"attention_chart", "enable_altair"}


def helpers(text: str, elsewhere: set[str], *, shared: bool) -> list[str]:
    """Public functions and classes of a file that nobody else uses.

    elsewhere: the words of the files that could use them. shared: leave out what two functions of
    the file use, if it is for two figures, or for one and a function that is used elsewhere.
    """
    parts = [
        node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    names = {part.name for part in parts}
    uses = {
        part.name: {n.id for n in ast.walk(part) if isinstance(n, ast.Name)} & names - {part.name}
        for part in parts
    }
    doors = {
        part.name
        for part in parts
        if any(REGISTER.match(ast.unparse(decorator)) for decorator in part.decorator_list)
        or (not part.name.startswith("_") and part.name in elsewhere)
    }

    def asking(name: str) -> set[str]:
        """The doors behind which it stands: what uses it, what uses that, and so on."""
        found, new = set(), {name}
        while new:
            found |= new
            new = {it for it in uses if uses[it] & new} - found
        return found & doors

    alone = [part.name for part in parts if part.name not in doors and part.name[0] != "_"]
    if not shared:
        return alone
    users = Counter(name for used in uses.values() for name in used)
    return [name for name in alone if users[name] <= 1 or len(asking(name)) <= 1]


def test_what_one_figure_alone_uses_is_private():
    """Two figures of a chapter may share what is public. In other files that draw, all that is
    public is for somebody else.
    """
    notebooks = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("course/assignments/*.ipynb")]
    scripts = [*ROOT.glob("*.py"), *ROOT.glob("tools/*.py"), *ROOT.glob("benchmarks/*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in [*ALL, *scripts, *notebooks]}
    words = {path: set(re.findall(r"\w+", text)) for path, text in texts.items()}
    seen = set().union(*(words[path] for path in notebooks))  # all that readers see
    imports = {
        path: imported(path)
        for path, text in texts.items()
        if path not in notebooks and ("course.chapters" in text or "course.drawing" in text)
    }
    chapters = ROOT / "course" / "chapters"
    figures = [*chapters.glob("*/figures.py"), *chapters.glob("*/animations.py")]
    rest = [*chapters.glob("*/poster.py"), *chapters.glob("*/growing_curve.py")]
    rest += (ROOT / "course" / "drawing").glob("*.py")
    assert len(rest) > 15 and len(figures) > 20
    public = {}
    for path in sorted([*figures, *rest]):
        others = [other for other in imports if module_of(path) in imports[other] and other != path]
        asks = seen.union(FOR_READERS, *(words[other] for other in others))
        found = helpers(texts[path], asks, shared=path in figures)
        public |= {module_of(path): found} if found else {}
    assert not public


def test_a_helper_of_one_figure_is_seen():
    text = "def bars(): ...\ndef _dots(): ...\n@figure('a')\ndef draw():\n    bars(), _dots()\n"
    assert helpers(text, set(), shared=True) == ["bars"]
    assert helpers(text, {"bars"}, shared=True) == []
    assert helpers(text + "def more():\n    bars()\n", {"more"}, shared=True) == []
    assert helpers(text + "def _more():\n    bars()\n", set(), shared=True) == ["bars"]
    another = text + "@figure('b')\ndef draw_again():\n    bars()\n"
    assert helpers(another, set(), shared=True) == []
    assert helpers(another, set(), shared=False) == ["bars"]


def test_a_class_of_one_figure_is_seen():
    """Also under a decorator that registers nothing."""
    text = "@dataclass\nclass Row: ...\ndef _rows() -> Row:\n    return Row()\n"
    text += "def _dots(row: Row): ...\n@figure('a')\ndef draw():\n    _dots(*_rows())\n"
    assert helpers(text, set(), shared=True) == ["Row"]
    assert helpers(text + "@figure('b')\ndef again():\n    _rows()\n", set(), shared=True) == []
    assert helpers(text, {"Row"}, shared=False) == []


def test_a_name_of_the_library_means_nothing_else_in_the_course():
    """Each has its own commands; `corpus` is one of both: fetching sentences, and writing them."""
    names = {
        package: {path.stem for path in ALL if module_of(path).startswith(f"{package}.")}
        for package in ("transformer_lib", "course")
    }
    both = {"__init__", "__main__", "deprecated_names", "corpus"}
    assert names["transformer_lib"] & names["course"] == both


def test_a_name_within_the_course_means_one_thing():
    """Chapters have the same files each, and a command has its own name: those aside."""
    inside = [path for path in ALL if path.parts[len(ROOT.parts)] == "course"]
    inside = [path for path in inside if path.parent.name != "cli" and "chapters" not in path.parts]
    names = Counter(path.stem for path in inside)
    names.update(path.name for path in (ROOT / "course").iterdir() if path.is_dir())
    del names["__init__"], names["__main__"]
    # The same thing each time, of two folders: what they draw or write, and what they check.
    same = {"checks", "notebooks", "pages", "words"}
    assert {name for name, count in names.items() if count > 1} == same


@pytest.mark.slow
def test_the_library_is_quick_and_quiet_to_import():
    """And knows nothing of drawing."""
    modules = sorted(name for name in MODULES if name.startswith("transformer_lib"))
    modules.remove("transformer_lib.__main__")
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
    assert "transformer_lib" in loaded and "course" not in loaded


@pytest.mark.parametrize(
    "module", ["course.cli", "course.drawing", "course.drawing.values", "course.lab"]
)
@pytest.mark.slow
def test_what_may_draw_later_loads_nothing_to_draw_with(module):
    """Each begins a command or a notebook, most of which draw nothing for a while."""
    program = f"import {module}, sys; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert LATE & set(run.stdout.split()) == set()


# Imports modules one by one. An operation on tensors is noted with the line of ours that began it.
IMPORT_ALL = """
import importlib, json, os, sys, traceback
import numpy, torch
from torch.utils._python_dispatch import TorchDispatchMode

root, *modules = sys.argv[1:]
computed, threaded = [], []

class Recorder(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        at_import = [frame for frame in traceback.extract_stack()
                     if frame.name == "<module>" and frame.filename.startswith(root)]
        computed.append(f"{at_import[-1].filename}, line {at_import[-1].lineno}: {func}")
        return func(*args, **(kwargs or {}))

def threads():
    return len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 0

before = threads()
with Recorder():
    for module in modules:
        importlib.import_module(module)
        if threads() > before:
            threaded.append(module)
print(json.dumps([computed, threaded]))
"""


def imported_one_by_one(*modules: str, root: Path = ROOT) -> tuple[list[str], list[str]]:
    """What computed with tensors while these were imported, and after which there were more
    threads than PyTorch and NumPy have: in a process such as a user starts.
    """
    users = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    users["PYTHONPATH"] = str(ROOT / "tools")
    program = [sys.executable, "-c", IMPORT_ALL, str(root), *modules]
    run = subprocess.run(program, capture_output=True, text=True, cwd=root, env=users)
    assert run.returncode == 0, run.stderr
    return tuple(json.loads(run.stdout.splitlines()[-1]))


@pytest.mark.slow
def test_nothing_is_computed_while_a_module_is_imported():
    """PyTorch's threads would be started, and a fork of that process waits for them for ever."""
    modules = [module_of(path) for path in ALL]
    tools = sorted(path.stem for path in (ROOT / "tools").glob("*.py"))
    assert {"course.chapters.ch08_decoder.checks", "course.site.build"} < set(modules)
    assert imported_one_by_one(*modules, *tools) == ([], [])


@pytest.mark.slow
def test_what_is_computed_while_a_module_is_imported_is_seen(tmp_path):
    lines = {
        "ids": "torch.tensor([1, 0])",
        "layer": "torch.nn.Linear(2, 2)",
        "mask": "torch.ones(9, 9).tril().softmax(-1)",
    }
    for name, line in lines.items():
        (tmp_path / f"{name}.py").write_text(f"import torch\n\nit = {line}\n", encoding="utf-8")
    computed, threaded = imported_one_by_one(*lines, root=tmp_path)
    for name, operation in (("ids", "lift_fresh"), ("layer", "uniform_"), ("mask", "tril")):
        assert any(f"{name}.py, line 3: aten.{operation}" in each for each in computed)
    several = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1
    assert threaded == (["mask"] if several else [])


@pytest.mark.slow
def test_every_package_used_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    declared = {plain(re.match(r"[\w.-]+", line).group()) for lines in lists for line in lines}
    providers = importlib.metadata.packages_distributions()
    scripts = (
        path.stem for folder in ("tools", "benchmarks") for path in ROOT.glob(f"{folder}/*.py")
    )
    ours = {"transformer_lib", "course", *scripts}
    folders = ("tests", "tools")
    for path in [*ALL, *(path for folder in folders for path in (ROOT / folder).rglob("*.py"))]:
        for module in others(ast.parse(path.read_text(encoding="utf-8"))) - ours - {"tests"}:
            assert declared & {plain(name) for name in providers.get(module, [])}, (
                f"{path.relative_to(ROOT)} imports {module}: pyproject.toml doesn't declare it"
            )


def test_an_installed_library_has_whatever_it_imports():
    """Not only with an extra, such as [lab]: also what is imported late, inside a function."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    brought = {plain(re.match(r"[\w.-]+", line).group()) for line in project["dependencies"]}
    providers = importlib.metadata.packages_distributions()
    for path in FILES:
        for module in others(ast.parse(path.read_text(encoding="utf-8"))) - {"transformer_lib"}:
            assert brought & {plain(name) for name in providers.get(module, [])}, (
                f"{path.relative_to(ROOT)} imports {module}: not in [project] dependencies"
            )


def others(tree: ast.AST) -> set[str]:
    """Top names of what is imported anywhere in a file, without Python's own modules."""
    names = set()
    for node in imports_in(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif not node.level:
            names.add(node.module)
    return {name.split(".")[0] for name in names} - sys.stdlib_module_names


def plain(name: str) -> str:
    """A distribution's name as the registry compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
