"""What notebooks and figures measure: in each chapter's folder, and in `EXPERIMENTS` by name.

Some measurements take too long for a notebook cell. They are made once and stored, and checked when
they are used. Such an experiment is a function without required arguments that returns its settings
and results as a dictionary. `python -m course experiment NAME` runs it and stores the results in
data/experiments; notebooks and figures `load` them, and a notebook repeats a small part live.
"""

from collections.abc import Callable, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from course.catalog import Registry
from transformer_lib.files import read_json, write_json
from transformer_lib.text.data import DATA

RESULTS = DATA / "experiments"
EXPERIMENTS: Registry[Callable[[], dict[str, Any]]] = Registry("experiment")


def experiment(name: str) -> Callable:
    """Register the function below; the first line of its docstring says what it measures."""

    def register(measure: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
        EXPERIMENTS.register(name, measure, measure.__module__)
        return measure

    return register


def run(name: str, folder: Path = RESULTS, models: Sequence[str] | None = None) -> Path:
    """Run an experiment again and store its results -> the file. It takes minutes, with a bar.

    models: names or folders of trained models, for an experiment that can measure any; else its
    own. Raises ValueError for an unknown name, or for models where the experiment takes none.
    """
    import torch

    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    if models and "models" not in signature(EXPERIMENTS[name]).parameters:
        raise ValueError(f"the experiment {name!r} has models of its own: it takes no --model")
    chosen = {"models": models} if models else {}
    path = Path(folder) / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    found = EXPERIMENTS[name](**chosen)
    made_with = {"torch": torch.__version__.split("+")[0], "threads": torch.get_num_threads()}
    write_json(path, {"experiment": name, **made_with, **found})
    return path


def load(name: str) -> dict[str, Any]:
    """The results of the experiment's last run."""
    return read_json(RESULTS / f"{name}.json")


def load_runs(name: str, **values: Any) -> list[dict[str, Any]]:
    """Its "runs", or those of them that have these values."""
    return [run for run in load(name)["runs"] if values.items() <= run.items()]
