"""Drawings of notebook 21: the data reaches the picture."""

import numpy as np
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

CURVES = {
    "few": {4: [0.9, 0.8, 0.7], 8: [0.2, 0.3, 0.4]},
    "many": {4: [1.0, 0.6, 1.0], 8: [0.8, 0.5, 0.9]},
}


def named(ax) -> dict:
    return {line.get_label(): line for line in ax.lines}


def test_each_word_is_one_more_row_of_the_cache_and_no_more_state():
    ax = _two_memories(["a", "b", "c"]).axes[0]
    assert len(ax.patches) == (1 + 2 + 3) + 3 + 2  # rows, states, arrows between these
    assert [text.get_text() for text in ax.texts].count("S") == 3


def test_each_seed_has_its_line_and_the_lowest_loud_one_its_own_name():
    figure = _copy_lines(CURVES, loud="many", numbers=7)
    (ax,) = figure.axes
    drawn = {color: [] for color in (style.SOFT, LOUD)}
    for line in ax.lines:
        drawn[line.get_color()].append(tuple(line.get_ydata()))
    assert sorted(drawn[style.SOFT]) == [(0.7, 0.4), (0.8, 0.3), (0.9, 0.2)]
    assert drawn[LOUD] == [(0.6, 0.5), (1.0, 0.8), (1.0, 0.9)]
    assert list(named(ax)["its third seed"].get_ydata()) == [0.6, 0.5]
    assert "a state of 7 numbers" in figure.texts[1].get_text()


def test_with_a_layer_of_attention_each_seed_copies_more_than_any_without():
    ax = FIGURES["without-copies"].draw().axes[0]
    loud = [line.get_ydata() for line in ax.lines if line.get_color() == LOUD]
    others = [line.get_ydata() for line in ax.lines if line.get_color() != LOUD]
    assert len(loud) == len(others) == 3
    assert np.all(np.min(loud, axis=0) > np.max(others, axis=0))
    alt = FIGURES["without-copies"].alt
    for place, said in ((0, "85, 33 and 5 %"), (-1, "15, 6 and 1 %")):
        shares = sorted((100 * line[place] for line in others), reverse=True)
        assert "{:.0f}, {:.0f} and {:.0f} %".format(*shares) == said and said in alt
    ends = sorted(100 * line[-1] for line in loud)
    assert [round(end) for end in ends] == [38, 100, 100]
    assert min(100 * line[0] for line in loud) == pytest.approx(94, abs=0.5)


def test_each_range_of_seeds_is_over_the_numbers_of_its_state():
    kinds = {"linear attention": {100: [0.1, 0.3], 200: [0.5, 0.7]}}
    ax = _size_lines(kinds, (100, [1.0, 0.4])).axes[0]
    ranges = [part.tolist() for lines in ax.collections for part in lines.get_segments()]
    assert ranges == [[[100, 0.1], [100, 0.3]], [[200, 0.5], [200, 0.7]]]
    assert named(ax)["linear attention"].get_ydata() == pytest.approx([0.2, 0.6])
    said = "with a layer of attention, 100 numbers are enough (1 of 2 seeds)"
    assert said in {text.get_text() for text in ax.texts}
    assert any(set(line.get_ydata()) == {1.0} for line in ax.lines)


def test_costs_have_a_panel_each():
    curves = {"linear attention": [1, 1], "attention, with a cache": [2, 4]}
    first, second = _cost_lines([16, 32], {"bytes": curves, "time": curves}).axes
    assert [ax.get_title(loc="left") for ax in (first, second)] == ["bytes", "time"]
    assert list(named(second)["attention, with a cache"].get_ydata()) == [2, 4]


def test_where_a_cache_gets_slower_is_marked():
    times = {"linear attention": [1, 1, 1], "attention, with a cache": [0.5, 0.9, 1.1]}
    first, second = _cost_lines([100, 200, 600], {"bytes": times, "time": times}).axes
    assert [line.get_xydata().tolist() for line in second.lines][-1] == [[pytest.approx(400), 1]]
    assert "slower from about\n400 words on" in {text.get_text() for text in second.texts}
    assert len(first.lines) == 2
    said = {text.get_text() for text in FIGURES["without-costs"].draw().axes[1].texts}
    assert "slower from about\n700 words on" in said and "700" in FIGURES["without-costs"].alt


def test_the_lengths_below_the_costs_do_not_run_into_each_other():
    figure = FIGURES["without-costs"].draw()
    style.finish(figure)
    figure.draw_without_rendering()
    for ax in figure.axes:
        places = [text.get_window_extent() for text in ax.get_xticklabels()]
        assert all(a.x1 + 4 <= b.x0 for a, b in zip(places, places[1:], strict=False))
