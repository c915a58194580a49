"""Drawings of notebook 21: the data reaches the picture."""

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
