"""Drawings of a language model's floor, dials and heads: the data reaches the picture."""

import pytest

from course import experiments
from course.drawing.registry import FIGURES


def test_each_dial_has_two_bars_and_a_sentence():
    from course.grammar.recognition import could_write

    rows = experiments.load("writing")["rows"]
    figure = FIGURES["gpt-dials"].draw()
    (ax,) = figure.axes
    said = [" ".join(text.get_text().split()) for text in ax.texts]
    ordered = sorted(rows, key=lambda row: -row["own"])
    wide = [bar.get_width() for bar in ax.patches]
    filled = [bar / pale for pale, bar in zip(wide[::2], wide[1::2], strict=True)]
    most = max(row["words"] for row in rows)
    assert filled[::2] == pytest.approx([row["own"] for row in ordered])
    assert filled[1::2] == pytest.approx([row["words"] / most for row in ordered])
    at = said.index("temperature 0.5")
    for row in ordered:
        name = row["what"].replace("as it is", "temperature 1")
        mark = "✓" if could_write(row["first"][0]) else "×"
        numbers = [f"{row['own']:.0%}", str(row["words"])]
        lines = " ".join(said[said.index(name) :][4:6]).replace("’", "'")
        assert said[said.index(name) :][:4] == [name, *numbers, mark]
        assert lines.startswith(row["first"][0])
    best, first = ordered[0], rows[0]
    title = (
        f"{best['what'].capitalize()}: {best['own'] / first['own']:.1f} × as often right as at 1, "
        f"with {100 - 100 * best['words'] / first['words']:.0f} % fewer different words"
    )
    assert said[0] == title and at == said.index(best["what"])


def test_what_is_left_has_no_encoder_and_no_cross_attention():
    from course.chapters.ch17_gpt.figures import LEFT
    from course.drawing.architecture import _find_parts

    marked = _find_parts(*LEFT)
    assert not any("src" in name or "encoder" in name or "cross" in name for name in marked)
    assert {
        "decoder.self_attn",
        "decoder.feed_forward",
        "generator.proj",
        "tgt_embed",
        "decoder.self_attn.causal.mask",
    } < marked
