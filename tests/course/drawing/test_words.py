"""What pictures write."""

from course.drawing.words import percent


def test_small_percentages_have_decimals_and_0_has_none():
    assert [percent(share) for share in (0.9, 0.01, 0.0004, 0.0)] == ["90%", "1%", "0.04%", "0%"]
