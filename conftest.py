"""How pytest compares a notebook's stored outputs with new ones: see tools/compare_outputs.py.

nbval runs every code cell and hands over the two lists of outputs. A cell with the tag
`nbval-exact` must give the same outputs to the last digit.
"""

from types import MethodType

from nbval.plugin import IPyNbCell

from compare_outputs import first_difference

# Copies of notebooks, and what students put into folders of their own, are theirs and not tested.
collect_ignore_glob = ["notebooks/*/*", "work/*"]


def pytest_itemcollected(item) -> None:
    """Give every notebook cell the tolerant comparison instead of nbval's exact one."""
    if isinstance(item, IPyNbCell):
        item.compare_outputs = MethodType(compare_outputs, item)


def compare_outputs(cell: IPyNbCell, new: list, stored: list) -> bool:
    """What nbval calls after it ran a cell; the traceback is what it prints on failure."""
    exact = "nbval-exact" in cell.cell.metadata.get("tags", [])
    difference = first_difference(stored, new, exact=exact)
    cell.comparison_traceback = [difference]
    return not difference
