"""How pytest compares a notebook's stored outputs with new ones: see tools/compare_outputs.py.

nbval runs every code cell and hands over the two lists of outputs. A cell with the tag
`nbval-exact` must give the same outputs to the last digit.
"""

import importlib
import sys
from types import MethodType

# jsonschema takes three seconds where it finds this parser of web addresses, which no test needs
# (transformer_lib/plots/late.py), and nbval imports it: so it comes first, and nbval here.
sys.modules["rfc3987_syntax"] = None
importlib.import_module("jsonschema")
del sys.modules["rfc3987_syntax"]

from compare_outputs import first_difference  # noqa: E402

pytest_plugins = ["nbval.plugin"]

# Copies of notebooks, and what students put into folders of their own, are theirs and not tested.
collect_ignore_glob = ["notebooks/*/*", "work/*"]


def pytest_itemcollected(item) -> None:
    """Give every notebook cell the tolerant comparison instead of nbval's exact one."""
    from nbval.plugin import IPyNbCell  # not before pytest has taken it in

    if isinstance(item, IPyNbCell):
        item.compare_outputs = MethodType(compare_outputs, item)


def compare_outputs(cell, new: list, stored: list) -> bool:
    """What nbval calls after it ran a cell; the traceback is what it prints on failure."""
    exact = "nbval-exact" in cell.cell.metadata.get("tags", [])
    difference = first_difference(stored, new, exact=exact)
    cell.comparison_traceback = [difference]
    return not difference
