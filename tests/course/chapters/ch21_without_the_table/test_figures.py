"""Drawings of notebook 21: the data reaches the picture."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from course.chapters.ch21_without_the_table.figures import (
    LATE,
    LOUD,
    _copy_lines,
    _cost_lines,
    _levels,
    _state_sizes,
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
    assert list(named(ax)[LATE].get_ydata()) == [0.6, 0.5]
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


def test_a_state_is_as_large_as_its_numbers_and_lights_the_words_that_are_right():
    ax = _state_sizes({100: [0.1, 0.4], 400: [0.6, 0.9]}, 8).axes[0]
    small, large = (part.get_width() for part in ax.patches if part.get_fc() == to_rgba(style.SOFT))
    assert large == pytest.approx(2 * small)
    lit = [part.get_y() for part in ax.patches if part.get_fc() == to_rgba(LOUD)]
    assert sorted(map(lit.count, set(lit))) == [2, 6]
    assert {"100", "400", "25 %", "75 %"} < {text.get_text() for text in ax.texts}


def test_the_alternative_text_of_the_sizes_has_the_numbers_of_the_picture():
    ax = FIGURES["without-sizes"].draw().axes[0]
    said = [text.get_text() for text in ax.texts]
    shares = [text.removesuffix(" %") for text in said if text.endswith("%")]
    assert shares == ["7", "36", "82", "95", "99"]
    alt = FIGURES["without-sizes"].alt
    assert "352 numbers 2 cells, 7 %" in alt and "36, 82, 95 and 99 %" in alt
    states = [text for text in said if text.replace(",", "").isdigit()]
    assert states == ["352", "704", "1,408", "2,816", "5,632"]
    assert all(state in alt for state in states)


def test_costs_have_a_line_each_and_squares_for_what_is_kept():
    kept = {"cache": [10, 20, 40, 80], "state": [10, 10, 10, 10]}
    ax = _cost_lines([100, 200, 600, 800], kept, [0.5, 0.9, 1.1, 2]).axes[0]
    assert list(named(ax)["cache"].get_ydata()) == [0.5, 0.9, 1.1, 2]
    assert set(named(ax)["state"].get_ydata()) == {1}
    squares = ax.collections[1:]
    areas = [float(square.get_sizes()[0]) for square in squares]
    assert [area / areas[0] for area in areas] == pytest.approx([1, 2, 4, 8, 1, 1, 1, 1])
    assert "slower from about\n400 words on" in {text.get_text() for text in ax.texts}


def test_the_alternative_text_of_the_costs_is_true():
    alt, ax = FIGURES["without-costs"].alt, FIGURES["without-costs"].draw().axes[0]
    said = {text.get_text() for text in ax.texts}
    assert "slower from about\n700 words on" in said and "from about 700 words on" in alt
    assert {"attention, with a cache:\n2,097 kilobytes", "linear attention:\n17 kilobytes"} < said
    assert "2,097 kilobytes" in alt and "stays at 17" in alt
    times = named(ax)["attention, with a cache"].get_ydata()
    assert f"rises from {times[0]:.1f} to {times[-1]:.1f}" in alt


def test_levels_are_the_means_of_the_seeds():
    right = {"base": {"a": [0.1, 0.3]}, "new": {"a": [0.8, 0.6]}, "other": {"a": [0.4]}}
    ax = _levels(right, 3 * [("a", "A", "one")]).axes[0]
    at = [float(line.get_xdata()[0]) for line in ax.lines][:3]
    assert (at[1] - at[0]) / (at[2] - at[0]) == pytest.approx(0.5 / 0.2)
    said = [text.get_text() for text in ax.texts]
    assert said.count("20") == said.count("70") == 3 and "40" not in said


def test_the_alternative_text_of_the_levels_is_true():
    said = [text.get_text() for text in FIGURES["without-worth"].draw().axes[0].texts]
    numbers = [text for text in said if text.isdigit()]
    assert numbers == ["18", "68", "85", "91", "70", "63"]
    alt = FIGURES["without-worth"].alt
    for before, after in zip(numbers[::2], numbers[1::2], strict=True):
        assert f"self-attention {before}, the minGRU {after}" in alt


def test_the_lengths_below_the_costs_do_not_run_into_each_other():
    figure = FIGURES["without-costs"].draw()
    style.finish(figure)
    figure.draw_without_rendering()
    for ax in figure.axes:
        places = [text.get_window_extent() for text in ax.get_xticklabels()]
        assert all(a.x1 + 4 <= b.x0 for a, b in zip(places, places[1:], strict=False))
