"""How pytest compares a notebook's stored outputs with new ones.

nbval runs every code cell and hands over the two lists of outputs;
course/notebook_tools/compare.py says whether they agree. A cell with the tag `nbval-exact` must
give the same outputs to the last digit.
"""

import gc
import importlib
import os
import sys
from types import MethodType

# The tensors of notebooks and tests are tiny: a second thread spends its time waiting for the
# first, and they took four times the processor time. No result depends on it: OMP_NUM_THREADS=4.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# jsonschema takes three seconds where it finds this parser of web addresses, which no test needs
# (course/drawing/lazy_altair.py), and nbval imports it: so it comes first, and nbval here.
sys.modules["rfc3987_syntax"] = None
importlib.import_module("jsonschema")
del sys.modules["rfc3987_syntax"]

import pytest  # noqa: E402

from course.notebook_tools.compare import first_difference  # noqa: E402

pytest_plugins = ["nbval.plugin"]

# Copies of notebooks, and what students put into folders of their own, are theirs and not tested.
collect_ignore_glob = ["notebooks/*/*", "work/*"]


def pytest_addoption(parser) -> None:
    parser.addoption("--nightly", action="store_true", help="also what takes long (make nightly)")


def pytest_sessionstart(session) -> None:
    from kernels import copies_for_nbval

    copies_for_nbval()


def pytest_itemcollected(item) -> None:
    """Give every notebook cell the tolerant comparison instead of nbval's exact one."""
    from nbval.plugin import IPyNbCell  # not before pytest has taken it in

    if isinstance(item, IPyNbCell):
        item.compare_outputs = MethodType(compare_outputs, item)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items) -> None:
    """What is for the night goes."""
    if not config.getoption("nightly"):
        late = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=late)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


def pytest_collection_finish() -> None:
    """Python's search for garbage leaves out what is there before the first test.

    Half a million objects of PyTorch and pytest live to the end, and going through them once more
    every few seconds was a tenth of the tests' time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


def compare_outputs(cell, new: list, stored: list) -> bool:
    """What nbval calls after it ran a cell; the traceback is what it prints on failure."""
    exact = "nbval-exact" in cell.cell.metadata.get("tags", [])
    difference = first_difference(stored, new, exact=exact)
    cell.comparison_traceback = [difference]
    return not difference
