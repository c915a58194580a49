"""Drawings of notebook 21: the data reaches the picture."""

import re

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from course import experiments
from course.chapters.ch21_without_the_table import results
from course.chapters.ch21_without_the_table.figures import LOUD, SENTENCE, SKIPPED
from course.drawing import style
from course.drawing.registry import FIGURES


def drawn(name: str):
    return FIGURES[name].draw().axes[0]


def said(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def filled(ax, color: str, height: float) -> list[float]:
    """The widths of the rectangles of a color and a height, as they are drawn one by one."""
    areas = [part for part in ax.patches if hasattr(part, "get_width")]
    return [
        part.get_width()
        for part in areas
        if part.get_fc() == to_rgba(color) and part.get_height() == pytest.approx(height)
    ]


def test_each_word_is_one_more_row_of_the_cache_and_no_more_state():
    ax, words = drawn("without-two-memories"), len(SENTENCE)
    rows = words * (words + 1) // 2
    assert len(ax.patches) == rows + words + (words - 1) + words  # states, arrows, links
    assert {f"{words} rows", "1 matrix"} < set(said(ax))


def test_rows_are_lit_as_far_as_a_seed_copies_them():
    ax, runs, alt = drawn("without-copies"), results.copying(), FIGURES["without-copies"].alt
    kinds, shares = (("linear attention", 2), ("one layer of attention", 4)), []
    for kind, size in kinds:
        for words in (4, 8, 16):
            shares.append((words, float(np.median(results.copied(runs, kind, size, words)))))
        shares += [(32, share) for share in sorted(results.copied(runs, kind, size, 32))[::-1]]
    lit = filled(ax, style.MUTED, 0.24) + filled(ax, LOUD, 0.24)  # linear attention, then with one
    rows = filled(ax, style.RULE, 0.24)
    assert np.allclose(np.array(lit) / rows, [share for _, share in shares], atol=1e-5)
    assert np.allclose(np.array(rows) / rows[0], [words / 4 for words, _ in shares])
    written = [text for text in said(ax) if text.endswith("%")]
    assert written == [f"{100 * share:.0f} %" for _, share in shares]
    for words, text in zip((4, 8, 16), written[:3], strict=True):
        assert f"{text} of {words}" in alt
    assert "15, 6 and 1 %" in alt and written[3:6] == ["15 %", "6 %", "1 %"]
    assert "100, 100 and 38 %" in alt and written[9:] == ["100 %", "100 %", "38 %"]
    assert min(int(text[:-2]) for text in written[6:9]) == 98 and "to 98 % and more" in alt


def test_with_a_layer_of_attention_each_seed_copies_more_than_any_without():
    runs = results.copying()
    for words in map(int, runs[0]["copied"]):
        alone = results.copied(runs, "linear attention", 2, words)
        assert min(results.copied(runs, "one layer of attention", 4, words)) > max(alone)


def test_a_state_is_as_large_as_its_numbers_and_lights_the_words_that_are_right():
    ax, alt = drawn("without-sizes"), FIGURES["without-sizes"].alt
    states = [part for part in ax.patches if part.get_height() == pytest.approx(part.get_width())]
    title, *rest = said(ax)
    shares = [text.removesuffix(" %") for text in rest if text.endswith("%")]
    numbers = [text for text in said(ax) if text.replace(",", "").isdigit()]
    assert numbers == ["352", "704", "1,408", "2,816", "5,632"]
    assert shares == ["7", "36", "82", "95", "99"]
    areas = np.array([part.get_width() * part.get_height() for part in states])
    assert np.allclose(areas / areas[0], [int(text.replace(",", "")) / 352 for text in numbers])
    bars = [part.get_width() for part in ax.patches if part.get_height() == pytest.approx(0.34)]
    lit, rows = np.array(bars[1::2]), np.array(bars[::2])
    assert [f"{100 * share:.0f}" for share in lit / rows] == shares
    assert title == "A state 4 times as large holds 82 % of a long row, not 7 %"
    assert "352 numbers 7 %" in alt and "36, 82, 95 and 99 %" in alt
    assert all(number in alt for number in numbers)


def test_costs_are_bars_and_linear_attention_a_line_which_the_alternative_text_says():
    ax, alt = drawn("without-costs"), FIGURES["without-costs"].alt
    rows = [row for row in experiments.load("state-times")["rows"] if row["length"] not in SKIPPED]
    kept, cache = [row["bytes"]["attention, with a cache"] / 1000 for row in rows], len(rows)
    time = [row["next word"]["attention, with a cache"] for row in rows]
    [state] = {row["bytes"]["linear attention"] / 1000 for row in rows}
    bars = [part for part in ax.patches if hasattr(part, "get_width")]
    lines = [
        part.get_path().vertices[0, 0] for part in ax.patches if not hasattr(part, "get_width")
    ]
    for costs, drawn_as, one, line in zip(
        (time, kept), (bars[:cache], bars[cache:]), (1, state), lines, strict=True
    ):
        inch = (line - drawn_as[0].get_x()) / one
        assert [bar.get_width() / inch for bar in drawn_as] == pytest.approx(costs)
        beyond = [bar.get_fc() == to_rgba(LOUD) for bar in drawn_as]
        assert beyond == [cost > one for cost in costs]
    assert {f"{state:.0f} kilobytes: linear attention", "1.0 ×: linear attention"} < set(said(ax))
    assert "{:.1f}, {:.1f}, {:.1f}, {:.1f} and {:.1f}".format(*time) in alt
    told = "{:,.0f} kilobytes, then {:,.0f}, {:,.0f}, {:,.0f} and {:,.0f}".format(*kept)
    assert told in alt and f"has {state:.0f}" in alt
    assert {f"{cost:,.0f} kilobytes" for cost in kept} | {f"{cost:.1f} ×" for cost in time} < set(
        said(ax)
    )


def test_the_levels_are_the_shares_and_the_alternative_text_has_them():
    ax, alt = drawn("without-worth"), FIGURES["without-worth"].alt
    names = [text for text in said(ax) if re.search(r"\d  \S|\S  \d", text)]
    numbers = {}
    for text, dot in zip(names, ax.lines, strict=True):
        [number] = re.findall(r"\d+", text)
        layer = text.replace(number, "").strip()
        numbers.setdefault(layer, []).append(int(number))
        scale = ("0 right", "100 right")
        ends = [one.get_position()[0] for one in ax.texts if one.get_text() in scale]
        share = (dot.get_xdata()[0] - ends[0]) / (ends[1] - ends[0])
        assert round(100 * share) == int(number)
    assert numbers == {"minGRU": [68, 91, 63], "self-attention": [18, 85, 70]}
    for before, after in zip(*(numbers[n] for n in ("self-attention", "minGRU")), strict=True):
        assert f"self-attention {before}, the minGRU {after}" in alt
