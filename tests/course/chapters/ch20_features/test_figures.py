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
    ax = _score_rows({"x": one, "y": two}, {"x": "kin", "y": "all"}, "noun: a").axes[0]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["noun: b singular", "noun: a"]
    assert dots(ax)[style.MUTED] == pytest.approx([0.25, -0.25])
    assert dots(ax)[style.ACCENT] == pytest.approx([0.75, 0.25])
    texts = [text.get_text() for text in ax.texts]
    assert {"-0.25", "+0.25", "kin:", "ahead in 1 of 2", "all:", "ahead in 2 of 2"} < set(texts)


def test_the_alternative_text_of_the_scores_is_true():
    from course.chapters.ch20_features.figures import draw_scores

    alt, ax = FIGURES["features-scores"].alt, draw_scores().axes[0]
    said = [text.get_text() for text in ax.texts]
    assert "ahead in 4 of 12" in said and "four are above" in alt
    assert "ahead in 10 of 12" in said and "ten are above 0" in alt
    row = [tick.get_text() for tick in ax.get_yticklabels()].index("noun: feminine")
    low, high = (dots(ax)[color][row] for color in (style.MUTED, style.ACCENT))
    assert f"at \N{MINUS SIGN}{-low:.2f}" in alt and f"at {high:.2f}" in alt
    assert ax.get_yticklabels()[0].get_text() == "noun: feminine plural"
    assert f"plural ones at {dots(ax)[style.ACCENT][0]:.2f}" in alt


def test_the_parts_of_a_bar_are_the_shares():
    shares = dict(zip(SAID, (0.5, 0.25, 0.2, 0.05), strict=True))
    ax = _outcome_bars(dict.fromkeys(("one", "two", "three"), shares), ": a → b").axes[0]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(3 * list(shares.values()))
    said = [text.get_text() for text in ax.texts if "%" in text.get_text()]
    assert said == 3 * ["50 %", "25 %", "20 %"]
    names = [text.get_text() for text in ax.texts if "%" not in text.get_text()]
    assert names == ["only its gender flips: a → b", "nothing changes", "another adjective"]


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

    title = "Swapping two attention weights flips 99 % of the genders, two features 55 %"
    steered = draw_steering()
    assert steered.texts[0].get_text() == title
    flips = "only its gender flips: cansado → cansada"
    assert flips in {text.get_text() for text in steered.axes[0].texts}
    assert "from cansado to cansada" in FIGURES["features-steering"].alt
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
