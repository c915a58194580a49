"""Drawings of notebook 21: the data reaches the picture."""

import re

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from course import experiments
from course.chapters.ch21_without_the_table import results
from course.chapters.ch21_without_the_table.figures import LOUD, SENTENCE
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
    lit, rows = (filled(ax, color, 0.24) for color in (LOUD, style.RULE))
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


def test_costs_have_a_line_each_and_squares_for_what_is_kept():
    ax, rows = drawn("without-costs"), experiments.load("state-times")["rows"]
    lengths = np.array([row["length"] for row in rows])
    time = np.array([row["next word"]["attention, with a cache"] for row in rows])
    x, y = ax.lines[0].get_data()
    assert np.allclose(np.diff(x) / np.diff(lengths), (x[1] - x[0]) / (lengths[1] - lengths[0]))
    one = next(text.get_position()[1] for text in ax.texts if text.get_text().startswith("1 ×"))
    assert np.allclose((y - one) / (y[-1] - one), (time - 1) / (time[-1] - 1))
    shown = [rows[place]["bytes"] for place in (0, -3, -2, -1)]
    squares = [part for part in ax.patches if hasattr(part, "get_width")]
    areas = np.array([part.get_width() * part.get_height() for part in squares])
    kept = [row[name] for name in ("attention, with a cache", "linear attention") for row in shown]
    assert np.allclose(areas / areas.max(), np.array(kept) / max(kept))


def test_the_alternative_text_of_the_costs_is_true():
    alt, texts = FIGURES["without-costs"].alt, said(drawn("without-costs"))
    assert {"slower from about", "700 words on"} < set(texts) and "from about 700 words on" in alt
    assert {"2,097 kilobytes", "17 kilobytes", "1.5 × with a cache"} < set(texts)
    assert "2,097 kilobytes" in alt and "stays at 17" in alt and "to 1.5" in alt
    first = experiments.load("state-times")["rows"][0]["next word"]["attention, with a cache"]
    assert f"rises from {first:.1f} to" in alt


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
