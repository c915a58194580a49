"""Drawings of features: the data reaches the picture."""

import pytest

from course.chapters.ch20_features.figures import _score_rows
from course.drawing import style


def dots(ax) -> dict[str, list[float]]:
    """Color -> the place of each row's dot, from the top."""
    found: dict[str, list[float]] = {}
    for line in ax.lines:
        if line.get_marker() == "o":
            found.setdefault(line.get_color(), []).append(float(line.get_xdata()[0]))
    return found


def test_each_property_has_a_row_with_a_dot_for_each_scope():
    def found(feature: float, neuron: float) -> dict:
        return {"best feature": [feature - 0.1, feature + 0.1], "best neuron": [neuron]}

    one = {"noun: a": found(0.5, 0.75), "noun: b, one": found(0.5, 0.25)}
    two = {"noun: a": found(0.75, 0.5), "noun: b, one": found(1.0, 0.25)}
    ax = _score_rows({"x": one, "y": two}, {"x": "kin", "y": "all"}).axes[0]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["b singular nouns", "a nouns"]
    assert dots(ax)[style.MUTED] == pytest.approx([0.25, -0.25])
    assert dots(ax)[style.ACCENT] == pytest.approx([0.75, 0.25])
    texts = [text.get_text() for text in ax.texts]
    at = [
        texts.index(said)
        for said in ("kin:", "feature ahead for 1 of 2", "all:", "feature ahead for 2 of 2")
    ]
    assert at == sorted(at)
