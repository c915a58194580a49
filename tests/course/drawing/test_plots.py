"""Curves: every number reaches the picture, and only what is loud has the accent."""

import numpy as np
import pytest

from course.drawing import style
from course.drawing.plots import _apart, curves


@pytest.fixture
def ax():
    return style.new_figure().subplots()


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
