"""Time and memory of a training step: the data reach the picture, and the alt text tells them."""

import pytest

from course.chapters.ch09_whole_transformer.experiment_scaling import against_length
from course.chapters.ch09_whole_transformer.figures import _step_lines
from course.drawing.registry import FIGURES


def test_curves_and_their_names_reach_the_picture():
    figure = _step_lines(
        [16, 32],
        {("one", "bytes"): {"a": [1.0, 3.0], "b": [1.0, 2.0]}, ("two", "s"): {"a": [1.0, 2.0]}},
    )
    one, two = figure.axes
    assert [ax.get_title() for ax in figure.axes] == ["one", "two"]
    assert [list(line.get_ydata()) for line in one.lines] == [[1.0, 3.0], [1.0, 2.0]]
    assert {"a 3", "b 2"} == {text.get_text() for text in one.texts}
    assert [text.get_text() for text in two.texts] == ["a 2"]
    with pytest.raises(ValueError, match="1 numbers for 2 places"):
        _step_lines([16, 32], {("one", "bytes"): {"a": [1.0]}})


def test_the_alt_text_says_what_is_stored():
    alt = FIGURES["whole-step-lengths"].alt
    time, memory = alt.split("Peak memory")
    for part, what in ((time, "milliseconds"), (memory, "tensors")):
        lengths, ways = against_length(what)
        assert (lengths[0], lengths[-1]) == (16, 1024) and "16 to 1,024" in alt
        formula, fused = part.split("in one kernel")
        for said, way in ((formula, "formula"), (fused, "fused")):
            values = ways[way]
            assert f" {values[0]:.0f} " in said and f" {values[-1]:,.0f}" in said, (what, way)
