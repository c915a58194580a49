"""Drawings of features: the data reaches the picture."""

from itertools import combinations

import pytest

from course.chapters.ch20_features.figures import SAID, _four_corners, _outcome_bars, _score_rows
from course.drawing import style
from course.drawing.registry import FIGURES

NOUNS = [
    ["letter", True, False, 10, 10],
    ["night", True, False, 10, 1],
    ["letters", True, True, 8, 0],
    ["dog", False, False, 9, 0],
    ["dogs", False, True, 4, 3],
]


def test_a_noun_is_lit_where_the_feature_fires_on_half_of_its_places():
    texts = {text.get_text(): text for text in _four_corners(NOUNS).axes[0].texts}
    accent = style.chip("a", style.ACCENT)["color"]
    lit = {word for word, *_ in NOUNS if texts[word].get_color() == accent}
    assert lit == {"letter", "dogs"}
    said = list(texts)
    assert said[said.index("1 of 2") + 1] == "feminine singular nouns"
    assert said[said.index("0 of 1") + 1] in ("feminine plural nouns", "masculine singular nouns")


def test_of_many_nouns_the_commonest_are_shown_and_all_are_counted():
    many = [[f"noun{i}", True, False, i, i] for i in range(1, 41)]
    texts = [text.get_text() for text in _four_corners(many, most=12).axes[0].texts]
    assert "noun29" in texts and "noun28" not in texts and "40 of 40" in texts


def test_each_property_has_its_row_and_each_panel_its_scope():
    found = {
        "best feature": [0.4, 0.6],
        "best neuron": [0.3],
        "random direction": [0.2],
        "probe": [1],
    }
    rows = {"one": {"a": found, "b": found}, "two": {"a": found, "b": found}}
    figure = _score_rows(rows, {"one": "first", "two": "second"})
    said = "feature ahead in 2 of 2"
    assert [ax.get_title() for ax in figure.axes] == [f"first:\n{said}", f"second:\n{said}"]
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["a", "b"]
    marks = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [line.get_xdata()[0] for line in marks] == [0.5, 0.5]
    for ax in figure.axes:  # above the first row's marks
        assert [text.get_text() for text in ax.texts] == ["neuron", "feature"]


def test_the_rows_of_a_kind_begin_where_the_feature_is_farthest_ahead():
    def found(feature: float) -> dict:
        by = dict.fromkeys(("best neuron", "random direction", "probe"), [0.5])
        return by | {"best feature": [feature]}

    all_words = {"noun: a": found(0.6), "noun: b": found(0.9), "verb: c": found(1.0)}
    kin = {"noun: a": found(1.0), "noun: b": found(0.1), "verb: c": found(0.2)}
    left, _ = _score_rows({"kin": kin, "all": all_words}, {"kin": "1", "all": "2"}).axes
    assert [tick.get_text() for tick in left.get_yticklabels()] == ["noun: b", "noun: a", "verb: c"]
    marks = [line.get_xdata()[0] for line in left.lines if line.get_marker() == "o"]
    assert marks == [0.1, 1.0, 0.2]  # in the rows of their names


def test_the_parts_of_a_bar_are_the_shares():
    shares = dict(zip(SAID, (0.5, 0.25, 0.2, 0.05), strict=True))
    ax = _outcome_bars({"one": shares}).axes[0]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(list(shares.values()))
    said = [text.get_text() for text in ax.texts if "%" in text.get_text()]
    assert said == ["50 %", "25 %", "20 %"]


def test_no_two_words_of_the_bars_overlap():
    from course.chapters.ch20_features.figures import draw_steering

    figure = draw_steering()
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) == 9 + 4  # numbers and names
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_the_titles_say_what_is_stored():
    from course.chapters.ch20_features.figures import draw_corners, draw_steering
    from course.chapters.ch20_features.results import runs, scores

    title = "Two weights of one head turn 99 % of the genders, two features 55 %"
    assert draw_steering().get_suptitle() == title
    said = [text.get_text() for text in draw_corners().axes[0].texts]
    counts = [text for text in said if text[0].isdigit()]
    alt = FIGURES["features-corners"].alt.replace("none", "0")
    assert counts[1] == "0 of 77" and all(count in alt for count in counts)
    ahead = [
        sum(found["probe"]) / len(found["probe"])
        >= max(sum(found[who]) / len(found[who]) for who in found if who != "probe")
        for properties in scores(runs()).values()
        for found in properties.values()
    ]
    assert len(ahead) == 24 and all(ahead)
