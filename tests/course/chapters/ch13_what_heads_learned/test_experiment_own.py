"""Notebook 13 tells of three small models what was measured of them."""

import re

from course import experiments
from course.notebook_tools import sections

CELLS = sections.series()["13_what_the_heads_learned"].cells


def test_what_is_told_of_three_small_models():
    rows = experiments.load("own-heads")["results"]
    told = next(cell.source for cell in CELLS if "three small models" in cell.source)
    for name in ("plurals", "without it"):
        assert "{:.0%}, {:.0%} and {:.0%}".format(*(row[name] for row in rows)) in told, name
    assert f"worst of {experiments.load('own-heads')['heads']} heads" in told


def test_the_output_of_the_cell_is_the_first_of_them():
    """It isn't compared when the notebook runs, for a reader may have a model of their own."""
    first = experiments.load("own-heads")["results"][0]
    cell = next(cell for cell in CELLS if "own_translator()" in cell.source)
    text = "".join(output["text"] for output in cell.outputs)
    shares = [int(found) for found in re.findall(r"(\d+)%", text)]
    correct, *without = shares
    wanted = [round(100 * first[name]) for name in ("plurals", "without it")]
    assert [correct, min(without)] == wanted
