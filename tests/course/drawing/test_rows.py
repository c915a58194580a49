"""Experiments as rows: each seed reaches the picture, and only what is clear gets a number."""

import pytest
from matplotlib.colors import to_hex

from course.drawing import style
from course.drawing.rows import seed_rows, verdict

ROWS = [
    {"what": "base", "group": "base", "test": [-1.0, 0.0, 1.0], "longer": [-2.0, 0.0, 2.0]},
    {"what": "good", "group": "a", "test": [4.0, 5.0, 6.0], "longer": [1.0, 3.0, 4.0]},
    {"what": "bad", "group": "b", "test": [-3.0, -2.0, -1.5], "longer": [-9.0, -8.0, -7.0]},
    {"what": "all", "group": "c", "test": [2.0, 2.0, 2.0], "longer": [0.0, 0.0, 0.9]},
]
HOW = {"title": "t", "note": "n", "loud": [("good", "test")], "written": lambda x: f"{x:.0f}"}


def draw(rows=ROWS, **changes):
    return seed_rows(rows, {"test": "one", "longer": "two"}, **{**HOW, **changes})


def test_each_seed_has_a_dot_and_the_base_a_band():
    one, two = draw().axes
    assert [ax.get_title() for ax in (one, two)] == ["one", "two"]
    dots = [dots.get_offsets()[:, 0].tolist() for dots in one.collections]
    assert dots == [row["test"] for row in ROWS]
    band = two.patches[0]
    assert (band.get_x(), band.get_width()) == (-2.0, 4.0)
    assert [label.get_text() for label in one.get_yticklabels()] == ["base", "good", "bad", "all"]


def test_only_what_lies_beyond_every_seed_of_the_base_has_a_number():
    one, two = draw().axes
    assert [text.get_text() for text in one.texts] == ["5", "-2", "2"]
    assert [text.get_text() for text in two.texts] == ["-8"]


def test_one_thing_is_loud():
    colors = [to_hex(dots.get_edgecolor()[0]) for ax in draw().axes for dots in ax.collections]
    filled = [to_hex(dots.get_facecolor()[0]) for ax in draw().axes for dots in ax.collections]
    assert set(colors) == {style.PAPER.lower()}
    assert filled.count(style.ACCENT.lower()) == 1 and filled[1] == style.ACCENT.lower()
    assert filled[0] == style.SOFT.lower() and filled[2] == style.MUTED.lower()


def test_a_strong_row_is_in_bold_ink_and_the_loud_one_keeps_its_color():
    one, two = draw(strong=["all", "good"]).axes
    filled = [to_hex(dots.get_facecolor()[0]) for dots in one.collections]
    assert filled[1] == style.ACCENT.lower() and filled[3] == style.INK.lower()
    assert [text.get_weight() for text in one.texts] == ["bold", "normal", "bold"]
    names = {label.get_text(): label.get_weight() for label in one.get_yticklabels()}
    assert names == {"base": "normal", "good": "bold", "bad": "normal", "all": "bold"}


def test_panels_of_their_own_span_are_as_wide_as_it_and_quiet_ones_number_the_loud_rows():
    figure = draw(spans=[(-5, 5), (-10, 10)], quiet=True, ticks=[-8, 0, 8], strong=["all"])
    figure.draw_without_rendering()
    one, two = figure.axes
    assert [ax.get_xlim() for ax in (one, two)] == [(-5, 5), (-10, 10)]
    assert two.get_position().width == pytest.approx(2 * one.get_position().width, rel=0.02)
    assert (list(one.get_xticks()), list(two.get_xticks())) == ([0], [-8, 0, 8])
    assert [[text.get_text() for text in ax.texts] for ax in (one, two)] == [["5", "2"], []]


@pytest.mark.parametrize("rows", [[], ROWS[1:]])
def test_without_a_base_nothing_is_compared(rows):
    with pytest.raises(ValueError, match="should be the base"):
        draw(rows)


def test_a_row_without_results_is_refused():
    with pytest.raises(ValueError, match="'bad' has no results"):
        draw([ROWS[0], {**ROWS[2], "longer": []}])


def test_a_verdict_needs_every_seed():
    assert verdict([0.9, 1.0], [0.8, 0.9]) == "no clear difference"
    assert verdict([0.91, 1.0], [0.8, 0.9]) == "better"
    assert verdict([0.1, 0.79], [0.8, 0.9]) == "worse"
