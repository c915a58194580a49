"""Drawings of notebook 21: the data reaches the picture."""

import numpy as np
import pytest

from course.drawing.registry import FIGURES


def drawn(name: str):
    return FIGURES[name].draw().axes[0]


def said(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_a_small_state_copies_no_long_row_and_two_of_three_with_a_layer_of_attention_do():
    ax, alt = drawn("without-copies"), FIGURES["without-copies"].alt
    shares = [int(text.removesuffix("%")) for text in said(ax) if text.endswith("%")]
    alone, hybrid = shares[:6], shares[6:]
    assert alone == [96, 91, 72, 44, 42, 22] and "linear attention, 704 numbers" in said(ax)
    assert min(hybrid[:3]) >= 98 and hybrid[3:] == [100, 100, 38]
    assert "704 numbers" in alt and "96% of 4 words, 91% of 8 and 72% of 16" in alt
    assert "44, 42 and 22%" in alt and "100, 100 and 38%" in " ".join(alt.split())


def test_a_state_is_as_large_as_its_numbers_and_lights_the_words_that_are_right():
    ax, alt = drawn("without-sizes"), FIGURES["without-sizes"].alt
    states = [part for part in ax.patches if part.get_height() == pytest.approx(part.get_width())]
    title, *rest = said(ax)
    shares = [text.removesuffix("%") for text in rest if text.endswith("%")]
    numbers = [text for text in said(ax) if text.replace(",", "").isdigit()]
    assert numbers == ["352", "704", "1,408", "2,816", "5,632"]
    assert shares == ["7", "36", "82", "95", "99"]
    areas = np.array([part.get_width() * part.get_height() for part in states])
    assert np.allclose(areas / areas[0], [int(text.replace(",", "")) / 352 for text in numbers])
    bars = [part.get_width() for part in ax.patches if part.get_height() == pytest.approx(0.34)]
    lit, rows = np.array(bars[1::2]), np.array(bars[::2])
    assert [f"{100 * share:.0f}" for share in lit / rows] == shares
    assert title == "With 4 times the state, 82% of a long row is predicted instead of 7%"
    assert "352 numbers 7%" in alt and "36, 82, 95 and 99%" in alt
    assert all(number in alt for number in numbers)
