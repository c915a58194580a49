"""The figures of notebook 19: what they draw is what they are given."""

import pytest

from course.chapters.ch19_judge.figures import (
    PANELS,
    _hole_found,
    _price,
    _tries,
    _what_it_eats,
    stored_ways,
    windows,
)
from course.chapters.ch19_judge.policy import least_kl, share_solved
from course.drawing.registry import FIGURES


def history(**shares: float) -> list[dict]:
    return [{"kl": 0.1 * step, **shares} for step in range(20)]


def test_windows_are_means_over_seeds_and_steps():
    seeds = [[{"kl": step} for step in range(20)], [{"kl": step + 2} for step in range(20)]]
    assert windows(seeds, "kl") == [5.5, 15.5]
    sparse = [[{"right": 1.0} if step % 2 else {} for step in range(20)]]
    assert windows(sparse, "right") == [1.0, 1.0]


def test_the_price_has_the_shortest_way_and_the_mean_of_the_seeds():
    run = {"kl": 3.0, "right": 0.8, "history": history(reward=0.5)}
    figure = _price(
        0.2, {"taught": [run, run | {"kl": 4.0}]}, {"other": [{"kl": 1.0, "right": 0.6}]}
    )
    ax = figure.axes[0]
    shortest = dict(zip(*ax.lines[0].get_data()[::-1], strict=True))
    assert shortest[1.0] == pytest.approx(least_kl(1, 0.2))
    points = {
        tuple(map(float, line.get_xydata()[0])) for line in ax.lines if len(line.get_xdata()) == 1
    }
    assert points == {(3.5, 0.8), (1.0, 0.6), (0.0, 0.2)}
    way = ax.lines[1].get_xydata()
    assert tuple(way[0]) == (0, 0.2) and tuple(way[-1]) == (3.5, 0.8)
    with pytest.raises(ValueError):
        _price(0.0, {}, {})


def test_what_it_eats_has_a_dot_and_a_column_of_means():
    run = dict.fromkeys(PANELS, 0.5) | {"first": ["You go"]}
    taught = [run | {"words": 0.2, "length": length} for length in (3.0, 4.0)]
    rows = {"start": [run, run], "no KL penalty": taught, "best of 16": [run]}
    ax, table = _what_it_eats(rows, ["start", "no KL penalty"]).axes
    points = [line.get_xydata()[0].tolist() for line in ax.lines if line.get_marker() == "o"]
    assert points == [[0.5, 0.5], [0.5, 0.2], [0.5, 0.5]]
    assert ax.lines[0].get_xydata().tolist() == [[0.5, 0.5], [0.5, 0.2]]
    said = [text.get_text() for text in table.texts]
    assert said[5:10] == ["no KL\npenalty", "50 %", "3.5", "50 %", "50 %"]
    assert said[-2:] == ["start: “You go”", "no KL penalty: “You go”"]
    with pytest.raises(ValueError):
        _what_it_eats({}, [])


def test_the_alternative_text_has_the_numbers_of_the_picture():
    ways, alt = stored_ways(), FIGURES["judge-eats"].alt
    table = {what: [] for what in PANELS}
    for name in ("start", "no KL penalty", "best of 16", "trained on what passed"):
        for what, means in table.items():
            means.append(sum(run[what] for run in ways[name]) / len(ways[name]))
    for what in ("different", "because", "questions"):
        said = "{:.0f}, {:.0f} and {:.0f} %".format(*(100 * mean for mean in table[what][:3]))
        assert f"{what} sentences {said}" in alt or f"{what} {said}" in alt
    assert "{:.1f}, {:.1f} and {:.1f}".format(*table["length"][:3]) in alt
    for words, right in zip(table["words"], table["right"], strict=True):
        assert f"{words:.0f} words and {100 * right:.0f} %" in alt
    assert all(f"'{ways[name][0]['first'][0]}'" in alt for name in ("start", "no KL penalty"))


def test_tries():
    figure = _tries({"start": [{"solved": [0, 4]}], "taught": [{"solved": [2, 2]}]}, 4)
    means = [line.get_ydata() for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert list(means[0]) == pytest.approx([0.5, 0.5, 0.5])
    assert list(means[1]) == pytest.approx([0.5, 5 / 6, 1.0])


def test_the_hole_has_both_curves():
    runs = [{"history": history(reward=0.9, right=0.1)}]
    means = [
        line.get_ydata() for line in _hole_found(runs).axes[0].lines if line.get_marker() == "o"
    ]
    assert [list(one) for one in means] == [pytest.approx([0.9, 0.9]), pytest.approx([0.1, 0.1])]


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
