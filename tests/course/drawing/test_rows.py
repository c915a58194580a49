"""Experiments as rows: a verdict needs every seed."""

from course.drawing.rows import verdict


def test_a_verdict_needs_every_seed():
    assert verdict([0.9, 1.0], [0.8, 0.9]) == "no clear difference"
    assert verdict([0.91, 1.0], [0.8, 0.9]) == "better"
    assert verdict([0.1, 0.79], [0.8, 0.9]) == "worse"
