"""Drawings of notebook 21: the data reaches the picture."""

import pytest
from matplotlib.colors import to_rgba

from course.chapters.ch21_without_the_table import results
from course.chapters.ch21_without_the_table.figures import (
    LOUD,
    _copied_rows,
    _cost_lines,
    _levels,
    _state_sizes,
    _two_memories,
)
from course.drawing import style
from course.drawing.registry import FIGURES


def named(ax) -> dict:
    return {line.get_label(): line for line in ax.lines}


def test_each_word_is_one_more_row_of_the_cache_and_no_more_state():
    ax = _two_memories(["a", "b", "c"]).axes[0]
    assert len(ax.patches) == (1 + 2 + 3) + 3 + 2  # rows, states, arrows between these
    assert [text.get_text() for text in ax.texts].count("S") == 3


def lit(ax) -> list[int]:
    """The lit cells of each row, the shortest first."""
    rows = [part.get_y() for part in ax.patches if part.get_fc() == to_rgba(LOUD)]
    return sorted(map(rows.count, set(rows)))


def test_rows_are_lit_as_far_as_the_middle_seed_copies_them():
    kinds = {
        "few": {4: [0.0, 0.5, 0.7], 8: [0.2, 0.5, 0.4]},
        "many": {4: [1, 1, 0], 8: [1, 1, 0.3]},
    }
    ax = _copied_rows(kinds, 7).axes[0]
    assert len(ax.patches) == 2 * (4 + 8)
    assert lit(ax) == [2 + 4, 3 + 8]  # both kinds stand on the same heights
    said = [text.get_text() for text in ax.texts]
    assert {"50 %", "40 %", "100 %"} < set(said)
    assert "7 numbers in the state" in said[-1] and "gets 30 % of 8 words" in said[-1]


def test_with_a_layer_of_attention_each_seed_copies_more_than_any_without():
    runs, alt = results.copying(), FIGURES["without-copies"].alt
    for words in map(int, runs[0]["copied"]):
        alone = results.copied(runs, "linear attention", 2, words)
        assert min(results.copied(runs, "one layer of attention", 4, words)) > max(alone)
    said = [text.get_text() for text in FIGURES["without-copies"].draw().axes[0].texts]
    shares = [text for text in said if text.endswith("%")]
    alone, mixed = shares[:8], [int(share[:-2]) for share in shares[8:]]
    assert f"{alone[0]} of 4 words" in alt and f"{alone[-1]} of 32" in alt
    assert min(mixed) == 98 and "to 98 % and more" in alt
    assert (
        "38 % of 32 words" in said[-1] and "38 % of 32 words" in alt and "352 numbers" in said[-1]
    )


def test_a_state_is_as_large_as_its_numbers_and_lights_the_words_that_are_right():
    ax = _state_sizes({100: [0.1, 0.4], 400: [0.6, 0.9]}, 8).axes[0]
    small, large = (part.get_width() for part in ax.patches if part.get_fc() == to_rgba(style.SOFT))
    assert large == pytest.approx(2 * small)
    assert lit(ax) == [2, 6]
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
