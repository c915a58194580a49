"""Drawings of notebook 21: the data reaches the picture."""

import numpy as np
import pytest

from course.chapters.ch21_without_the_table import results
from course.drawing.registry import FIGURES


def drawn(name: str):
    return FIGURES[name].draw().axes[0]


def said(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


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
