"""Drawings of features: the data reaches the picture."""

from itertools import combinations

import pytest
from matplotlib.colors import to_hex

from course.chapters.ch20_features.figures import _four_corners, _outcome_cells, _score_rows
from course.drawing import style
from course.drawing.registry import FIGURES

NOUNS = [
    ["letter", True, False, 10, 10],
    ["night", True, False, 10, 1],
    ["letters", True, True, 8, 0],
    ["nights", True, True, 2, 0],
    ["dog", False, False, 9, 0],
    ["dogs", False, True, 4, 3],
]


def test_a_noun_is_lit_where_the_feature_fires_on_half_of_its_places():
    ax = _four_corners(NOUNS).axes[0]
    texts = {text.get_text(): text for text in ax.texts}
    filled = [to_hex(cell.get_facecolor()) == style.ACCENT.lower() for cell in ax.patches]
    assert filled == [True, False, False, False, False, True]
    accent = style.chip("a", style.ACCENT)["color"]
    lit = {word for word, *_ in NOUNS if texts[word].get_color() == accent}
    assert lit == {"letter", "dogs"}
    said = list(texts)
    assert said[said.index("1 of 2") + 1] == "feminine singular"
    assert said[said.index("0 of 2") + 1] == "feminine plural"


def test_of_many_nouns_the_commonest_are_shown_and_all_are_counted():
    many = [[f"noun{i}{s}", True, bool(s), i, i] for i in range(1, 41) for s in ("", "s")]
    texts = [text.get_text() for text in _four_corners(many, most=12).axes[0].texts]
    assert {"noun29", "noun29s", "40 of 40"} <= set(texts) and "noun28" not in texts


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
    at = [texts.index(said) for said in ("kin:", "ahead in 1 of 2", "all:", "ahead in 2 of 2")]
    assert at == sorted(at)


def test_the_alternative_text_of_the_scores_is_true():
    from course.chapters.ch20_features.figures import draw_scores

    alt, ax = FIGURES["features-scores"].alt, draw_scores().axes[0]
    said = [text.get_text() for text in ax.texts]
    assert "ahead in 4 of 12" in said and "four are above" in alt
    assert "ahead in 10 of 12" in said and "ten are above 0" in alt
    row = [tick.get_text() for tick in ax.get_yticklabels()].index("feminine nouns")
    low, high = (dots(ax)[color][row] for color in (style.MUTED, style.ACCENT))
    assert f"at \N{MINUS SIGN}{-low:.2f}" in alt and f"at {high:.2f}" in alt
    assert ax.get_yticklabels()[0].get_text() == "feminine plural nouns"
    assert f"plural ones at {dots(ax)[style.ACCENT][0]:.2f}" in alt


def test_the_cells_of_a_field_are_the_shares():
    shares = {"flipped": 0.5, "unchanged": 0.25, "another adjective": 0.2, "another word": 0.05}
    ax = _outcome_cells(dict.fromkeys(("one", "two", "three", "four"), shares), ", a → b").axes[0]
    key, cells = ax.patches[:3], ax.patches[3:]
    colors = [to_hex(cell.get_facecolor()) for cell in cells]
    counts = [colors.count(to_hex(patch.get_facecolor())) for patch in key]
    assert counts == [200, 300, 400], "each kind lies on top of the next"
    part = _outcome_cells(dict.fromkeys("abcd", shares | {"flipped": 0.006})).axes[0].patches[3:]
    loud = [cell for cell in part if to_hex(cell.get_facecolor()) == style.ACCENT.lower()]
    assert [cell.get_width() / cell.get_height() for cell in loud] == pytest.approx([0.6] * 4)
    said = [text.get_text() for text in ax.texts]
    assert said.count("50 %") == 4 and "only the gender flips, a → b" in said


def test_the_alternative_text_of_the_steering_is_true():
    from course.chapters.ch20_features.results import runs, steering

    alt = FIGURES["features-steering"].alt
    _, mean, two, random = steering(runs()).values()
    assert f"means: {100 * mean['flipped']:.0f} %, the rest another word" in alt
    for parts, share in ((two, "55 %"), (random, "under 1 %")):
        other = 100 * (parts["another adjective"] + parts["another word"])
        assert f"{share}, another word in {other:.0f}, nothing changes in" in alt
        assert f"in {100 * parts['unchanged']:.0f}" in alt
    assert mean["unchanged"] == 0 and random["flipped"] < 0.01


def test_no_two_words_of_the_fields_overlap():
    from course.chapters.ch20_features.figures import draw_steering

    figure = draw_steering()
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) == 2 + 3 + 4 * 3  # heading, key; a number and two lines for each field
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_the_titles_say_what_is_stored():
    from course.chapters.ch20_features.figures import draw_corners, draw_steering
    from course.chapters.ch20_features.results import runs, scores

    title = "Swapping two attention weights flips 99 % of the genders, two features 55 %"
    steered = [text.get_text() for text in draw_steering().axes[0].texts]
    assert steered[0] == title and {"99 %", "55 %"} <= set(steered)
    assert "only the gender flips, cansado → cansada" in steered
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
