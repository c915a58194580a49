"""Curves: every number reaches the picture, and only what is loud has the accent."""

import numpy as np
import pytest

from course.drawing import style
from course.drawing.plots import _apart, curves, doubling, multiples, shares


@pytest.fixture
def ax():
    return style.new_figure().subplots()


def test_each_seed_is_thin_and_their_mean_thick(ax):
    curves(ax, [0, 1], {"one": [[1, 2], [3, 6]], "two": [5, 7]}, loud=["one"])
    drawn = [(line.get_ydata().tolist(), line.get_color().lower()) for line in ax.lines]
    accent, grey = style.ACCENT.lower(), style.MUTED.lower()
    assert drawn == [([1, 2], accent), ([3, 6], accent), ([2, 4], accent), ([5, 7], grey)]
    assert [text.get_text() for text in ax.texts] == ["one", "two"]
    with pytest.raises(ValueError, match="'short' has 1 numbers for 2 places"):
        curves(ax, [0, 1], {"short": [1]})


def test_axes_of_shares_and_of_doublings(ax):
    shares(ax.yaxis, parts=4)
    doubling(ax, [16, 1024])
    percent = [text.get_text() for text in ax.get_yticklabels()]
    assert percent == ["0 %", "25 %", "50 %", "75 %", "100 %"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["16", "1,024"]
    assert ax.get_xscale() == "log" and ax.get_yscale() == "linear"
    multiples(ax.yaxis)
    assert [ax.yaxis.get_major_formatter()(x) for x in (0.25, 1, 8)] == ["1/4", "1 ×", "8 ×"]


def test_only_names_that_touch_are_moved(ax):
    names = [f"line {i}" for i in range(4)]
    curves(ax, [0, 1], dict(zip(names, ([0, 50], [0, 50.5], [0, 51], [0, 100]), strict=True)))
    moved = [text.xyann[1] for text in ax.texts]
    assert moved[1] == pytest.approx(0, abs=0.1) and moved[3] == pytest.approx(0)
    assert moved[0] == pytest.approx(-moved[2], abs=0.2) and moved[0] < -12


@pytest.mark.parametrize("seed", range(20))
def test_names_keep_their_order_and_their_distance(seed):
    random = np.random.default_rng(seed)
    wanted = np.sort(random.uniform(10, 90, size=1 + seed % 7))
    rooms = random.uniform(5, 30, size=len(wanted))
    lowest = random.choice([-np.inf, 10])
    middles = np.array(_apart(wanted, rooms, lowest))
    touching = (rooms[1:] + rooms[:-1]) / 2
    assert (np.diff(middles) >= touching - 1e-9).all()
    assert middles[0] - rooms[0] / 2 >= lowest - 1e-9
    if (np.diff(wanted) >= touching).all() and wanted[0] - rooms[0] / 2 >= lowest:
        np.testing.assert_allclose(middles, wanted)
    elif lowest < 0:  # nothing is pushed up, so nothing goes up or down in the mean
        assert middles.mean() == pytest.approx(wanted.mean())
