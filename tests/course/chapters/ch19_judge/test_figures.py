"""The figures of notebook 19: what they draw is what they are given."""

import pytest

from course.chapters.ch19_judge.figures import (
    _hole_found,
    _price,
    _tries,
    _what_it_eats,
    draw_hole,
    draw_price,
    draw_tries,
    draw_what_it_eats,
    stored_ways,
    windows,
)
from course.chapters.ch19_judge.policy import least_kl, share_solved
from course.drawing import style
from course.drawing.registry import FIGURES

NAMES_IN_EATS = "start", "no KL penalty", "best of 16"


def history(**shares: float) -> list[dict]:
    return [{"kl": 0.1 * step, **shares} for step in range(20)]


def test_windows_are_means_over_seeds_and_steps():
    seeds = [[{"kl": step} for step in range(20)], [{"kl": step + 2} for step in range(20)]]
    assert windows(seeds, "kl") == [5.5, 15.5]
    sparse = [[{"right": 1.0} if step % 2 else {} for step in range(20)]]
    assert windows(sparse, "right") == [1.0, 1.0]


def test_the_price_is_a_bar_from_the_shortest_way_to_the_mean_of_the_seeds():
    run = {"kl": 3.0, "right": 0.8}
    ax = _price(0.2, 0.9, {"taught": [run, run | {"kl": 4.0}]}).axes[0]
    shortest = dict(zip(*ax.lines[0].get_data()[::-1], strict=True))
    assert shortest[1.0] == pytest.approx(least_kl(1, 0.2))
    points = [line.get_xydata()[0].tolist() for line in ax.lines if len(line.get_xdata()) == 1]
    assert points == [[0, 0.2], [pytest.approx(least_kl(0.9, 0.2)), 0.9], [3.5, 0.8]]
    bar = ax.collections[1].get_segments()[0].tolist()
    assert bar == [[pytest.approx(least_kl(0.8, 0.2)), 0.8], [3.5, 0.8]]
    said = [text.get_text() for text in ax.texts]
    assert f"+{3.5 - least_kl(0.8, 0.2):.1f}" in said


def test_the_alternative_text_of_the_price_has_the_numbers_of_the_picture():
    said = [text.get_text() for text in draw_price().axes[0].texts]
    numbers = [text.strip("+") for text in said if text.startswith("+")]
    assert numbers == ["7.7", "3.4", "1.4", "1.7"]
    assert all(number in FIGURES["judge-price"].alt for number in numbers)


def test_what_it_eats_has_the_means_and_the_first_sentences():
    run = {"right": 0.5, "words": 300, "first": ["You go"] * 3 + ["We go"] * 3 + ["no more"]}
    rows = {"before": [run, run], "taught": [run, run | {"words": 400}], "best": [run]}
    texts = _what_it_eats(rows, "taught").axes[0].texts
    said = [text.get_text() for text in texts]
    assert said.count("50 % right") == 3 and said.count("350 different words") == 1
    assert said.count("300 different words") == 2
    assert said.count("You go") == said.count("We go") == 6 and "no more" not in said
    marked = {text.get_text() for text in texts if text.get_bbox_patch() and is_loud(text)}
    assert marked == {"go"}


def is_loud(text) -> bool:
    return text.get_color() == style.chip("a", style.ACCENT)["color"]


def test_the_alternative_text_has_the_numbers_of_the_picture():
    alt, texts = FIGURES["judge-eats"].alt, draw_what_it_eats().axes[0].texts
    said = [text.get_text() for text in texts]
    assert all(text in alt for text in said if text.endswith("different words"))
    ways = {name: stored_ways()[name][0]["first"][:6] for name in NAMES_IN_EATS}
    assert ways["no KL penalty"].count("You didn't go to bed") == 4
    assert all(len(set(ways[name])) == 6 for name in ("start", "best of 16"))
    assert all(any(f"'{one}'" in alt for one in first) for first in ways.values())
    for first in (ways["start"], ways["best of 16"]):  # unmarked: most share no word
        assert all(
            2 * sum(word in one.split() for one in first) <= 6 for word in " ".join(first).split()
        )


def test_tries():
    figure = _tries({"start": [{"solved": [0, 4]}], "taught": [{"solved": [2, 2]}]}, 4)
    means = [line.get_ydata() for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert list(means[0]) == pytest.approx([0.5, 0.5, 0.5])
    assert list(means[1]) == pytest.approx([0.5, 5 / 6, 1.0])
    said = [text.get_text() for text in draw_tries().axes[0].texts]
    assert {"+12 points", "+8 points"} < set(said) and "by 8 points with 32" in FIGURES[
        "judge-tries"
    ].alt


def test_the_hole_has_both_curves():
    runs = [{"history": history(reward=0.9, right=0.1)}]
    means = [
        line.get_ydata()
        for line in _hole_found(runs, "It was so").axes[0].lines
        if line.get_marker() == "o"
    ]
    assert [list(one) for one in means] == [pytest.approx([0.9, 0.9]), pytest.approx([0.1, 0.1])]
    said = {text.get_text() for ax in draw_hole().axes for text in ax.texts}
    assert {"98 % passed, but wrong", "tired", "99 % passed", "1 % right"} < said


def test_what_the_titles_and_alternative_texts_say():
    ways = stored_ways()

    def told(name: str, what: str) -> list[float]:
        return [run[what] for run in ways[name]]

    assert all(0.15 < share < 0.3 for share in told("start", "right"))
    order = ("start", "KL weight 0.3", "KL weight 0.1", "no KL penalty")
    for lower, higher in zip(order, order[1:], strict=False):
        assert max(told(lower, "right")) < min(told(higher, "right"))
        assert max(told(lower, "kl")) < min(told(higher, "kl"))
        assert min(told(lower, "words")) > max(told(higher, "words"))
    assert (
        max(told("no KL penalty", "because")) < 0.05 and min(told("no KL penalty", "right")) > 0.9
    )
    for name in ("trained on what passed", "best of 16"):
        assert min(told(name, "different")) > 0.95
        assert min(told(name, "words")) > 0.6 * max(told("start", "words"))
    ahead = {
        k: [
            sum(share_solved(run["solved"], 32, k) for run in ways[name]) / len(ways[name])
            for name in ("start", "no KL penalty")
        ]
        for k in (1, 2, 4, 8, 16, 32)
    }
    assert [k for k, (start, taught) in ahead.items() if start - taught > 0.03] == [8, 16, 32]
    before = [run["before"] for run in ways["best of 16"]]
    assert 1.3 < least_kl(1, sum(before) / 3) < 1.7
    for run in ways["hole"]:
        assert windows([run["history"]], "reward")[2] > 0.9
