"""What only describes something can't be changed: settings, results, batches."""

import dataclasses
import importlib
import inspect
import pkgutil

import transformer_lib

GROWING = {"TrainState"}  # a training changes it, step by step


def test_dataclasses_are_frozen():
    found = {}
    for info in pkgutil.walk_packages(transformer_lib.__path__, "transformer_lib."):
        if not info.name.endswith("__main__"):
            for name, one in inspect.getmembers(
                importlib.import_module(info.name), inspect.isclass
            ):
                if dataclasses.is_dataclass(one) and one.__module__ == info.name:
                    found[name] = one.__dataclass_params__.frozen
    assert {"ModelConfig", "Batch", "Hypothesis", "Translation"} <= set(found)
    assert {name for name, frozen in found.items() if not frozen} == GROWING
