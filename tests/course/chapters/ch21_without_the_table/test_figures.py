"""Drawings of notebook 21: the data reaches the picture."""

import pytest

from course.chapters.ch21_without_the_table.figures import (
    LOUD,
    _copy_lines,
    _cost_lines,
    _size_lines,
    _two_memories,
)
from course.drawing import style
from course.drawing.registry import FIGURES

CURVES = {"few": {4: [0.9, 0.7], 8: [0.2, 0.4]}, "many": {4: [1.0, 1.0, 1.0], 8: [0.8, 0.8, 0.8]}}


def named(ax) -> dict:
    return {line.get_label(): line for line in ax.lines}


def test_each_word_is_one_more_row_of_the_cache_and_no_more_state():
    ax = _two_memories(["a", "b", "c"]).axes[0]
    assert len(ax.patches) == (1 + 2 + 3) + 3 + 2  # rows, states, arrows between these
    assert [text.get_text() for text in ax.texts].count("S") == 3


def test_lines_are_means_and_bands_go_from_seed_to_seed():
    ax = _copy_lines(CURVES, loud="many").axes[0]
    lines = named(ax)
    assert lines["few"].get_ydata() == pytest.approx([0.8, 0.3])
    assert lines["many"].get_color() == LOUD != lines["few"].get_color()
    assert lines["the same, third seed"].get_color() == LOUD
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert band.min() == pytest.approx(0.2) and band.max() == pytest.approx(0.9)


def test_each_seed_is_a_dot_over_the_numbers_of_its_state():
    kinds = {"linear attention": {100: [0.1, 0.3], 200: [0.5, 0.7]}}
    ax = _size_lines(kinds, {"alone": (100, [1.0])}).axes[0]
    dots = [tuple(point) for dots in ax.collections for point in dots.get_offsets()]
    assert dots == [(100, 0.1), (100, 0.3), (200, 0.5), (200, 0.7)]
    assert named(ax)["linear attention"].get_ydata() == pytest.approx([0.2, 0.6])
    assert list(named(ax)["alone"].get_xdata()) == [100]


def test_costs_have_a_panel_each():
    curves = {"linear attention": [1, 1], "attention, with a cache": [2, 4]}
    first, second = _cost_lines([16, 32], {"bytes": curves, "time": curves}).axes
    assert [ax.get_title(loc="left") for ax in (first, second)] == ["bytes", "time"]
    assert list(named(second)["attention, with a cache"].get_ydata()) == [2, 4]


def test_the_lengths_below_the_costs_do_not_run_into_each_other():
    figure = FIGURES["without-costs"].draw()
    style.finish(figure)
    figure.draw_without_rendering()
    for ax in figure.axes:
        places = [text.get_window_extent() for text in ax.get_xticklabels()]
        assert all(a.x1 + 4 <= b.x0 for a, b in zip(places, places[1:], strict=False))
