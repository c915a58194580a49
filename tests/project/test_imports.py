"""What imports what: the wall between library and course, and how long an import takes."""

import json
import sys
from pathlib import Path

from tests.here import ROOT, outcome

# Slow to import, so imported only when they are needed.
LATE = {"matplotlib", "altair", "spacy", "tokenizers", "pooch", "transformers", "sacremoses"}


def modules(package: str) -> list[str]:
    """All modules of a package, but for those that run a command."""
    paths = sorted((ROOT / package).rglob("*.py"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]


def test_the_contracts_of_pyproject_are_kept():
    """The library never asks the course; each layer asks only those below it."""
    outcome(Path(sys.executable).with_name("lint-imports"), "--no-cache")


def test_the_library_is_quick_and_quiet_to_import():
    """It prints nothing, draws no random numbers, and loads nothing that is slow."""
    program = """
import importlib, json, sys, torch
state, threads = torch.get_rng_state(), torch.get_num_threads()
path = list(sys.meta_path)
for module in sys.argv[1:]:
    importlib.import_module(module)
assert torch.equal(torch.get_rng_state(), state), "importing drew random numbers"
assert torch.get_num_threads() == threads, "importing changed the number of threads"
assert torch.get_default_dtype() == torch.float32, "importing changed the default dtype"
assert sys.meta_path == path, "importing changed how modules are found"
print(json.dumps(sorted(sys.modules)), end="")
"""
    loaded = set(json.loads(outcome(sys.executable, "-c", program, *modules("transformer_lib"))))
    assert "course" not in loaded and not LATE & loaded


def test_nothing_is_computed_while_a_module_is_imported():
    """Otherwise PyTorch starts its threads, and a fork of that process would wait for them."""
    program = """
import importlib, sys, traceback
import numpy, torch
from torch.utils._python_dispatch import TorchDispatchMode

class Recorder(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        ours = [frame for frame in traceback.extract_stack() if frame.name == "<module>"]
        sys.exit(f"{ours[-1].filename}, line {ours[-1].lineno}: {func}")

with Recorder():
    for module in sys.argv[1:]:
        importlib.import_module(module)
"""
    outcome(sys.executable, "-c", program, *modules("transformer_lib"), *modules("course"))
