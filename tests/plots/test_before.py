"""Drawings of recurrent translators beside the Transformer: the data reaches the picture."""

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch, Rectangle

from transformer_lib.plots import style
from transformer_lib.plots.before import (
    backwards,
    genders,
    right_by_length,
    right_by_split,
    three_machines,
    times_beside,
    two_maps,
)


def texts(ax) -> set[str]:
    return {text.get_text() for text in ax.texts}


def drawn(ax) -> dict[str, list]:
    """Name in the legend -> the points of its line."""
    return {line.get_label(): list(zip(*line.get_data(), strict=True)) for line in ax.lines
            if not line.get_label().startswith("_")}  # fmt: skip


# --- three machines


def test_only_the_first_two_machines_hand_on_and_only_the_last_two_look():
    ax = three_machines("I like trees".split(), "me gustan".split()).axes[0]
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    rows = sorted({box.get_y() for box in boxes}, reverse=True)
    assert len(boxes) == 3 * 5 and len(rows) == 3
    filled = [box.get_y() for box in boxes if box.get_facecolor()[:3] != (1, 1, 1)]
    assert filled == [rows[0]]  # one state, of the first machine
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    colors = [style.INK, style.ENCODER, style.DECODER]
    count = {color: sum(arrow.get_edgecolor()[:3] == _rgb(color) for arrow in arrows)
             for color in colors}  # fmt: skip
    # two chains of five; three words look at each other; the last looks at 3, then at 3 + 1
    assert [count[color] for color in colors] == [2 * 4, 3 * 2, 3 + 4]


def _rgb(color: str) -> tuple:
    return tuple(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))


# --- where they are right


def digits(attention: str, *shares: float) -> dict:
    places = [{"digits": 3 + i, "right": share} for i, share in enumerate(shares)]
    return {"attention": attention, "by_length": places}


def test_the_look_and_the_shares_of_digits():
    looks = np.eye(4)[::-1]
    left, right = backwards(looks, "471", [digits("none", 1.0, 0.5), digits("none", 0.8, 0.1),
                                           digits("dot", 0.9, 0.7)]).axes  # fmt: skip
    assert (left.images[0].get_array() == looks).all()
    assert [t.get_text() for t in left.get_xticklabels()] == ["4", "7", "1", "end"]
    assert [t.get_text() for t in left.get_yticklabels()] == ["1", "7", "4", "end"]
    assert drawn(right) == {
        "no look back": [(3, 0.9), (4, pytest.approx(0.3))],
        "dot product": [(3, 0.9), (4, 0.7)],
    }
    with pytest.raises(ValueError, match="47 and its end need 3 weights each way"):
        backwards(looks, "47", [digits("dot", 1.0)])


def sentences(what: str, *rows: tuple[int, int, int]) -> dict:
    return {"what": what, "by_length": [
        {"tokens": tokens, "sentences": count, "right": right} for tokens, count, right in rows
    ]}  # fmt: skip


def test_a_length_with_few_sentences_is_left_out():
    runs = [sentences("dot", (2, 8, 8), (3, 100, 40), (4, 50, 25)),
            sentences("dot", (2, 8, 8), (3, 100, 60), (4, 50, 50)),
            sentences("transformer", (2, 8, 0), (3, 100, 90), (4, 50, 5))]  # fmt: skip
    ax = right_by_length(runs, learned=3).axes[0]
    assert drawn(ax) == {"dot product": [(3, 0.5), (4, 0.75)], "Transformer": [(3, 0.9), (4, 0.1)]}
    assert any(set(line.get_xdata()) == {3.5} for line in ax.lines)


def test_each_split_has_a_mark_for_each_run_and_the_mean():
    runs = [{"what": "none", "right": {"test": 0.2, "longer": 0.0}},
            {"what": "none", "right": {"test": 0.4, "longer": 0.1}},
            {"what": "transformer", "right": {"test": 1.0, "longer": 0.7}}]  # fmt: skip
    ax = right_by_split(runs, {"longer": "long ones", "test": "all"}).axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["long ones", "all"]
    marks = [list(line.get_xdata()) for line in ax.lines if line.get_xdata()[0] not in (0, 1.04)]
    assert marks == [[0.7], [0.2, 0.4], [1.0]] and [0.0, 0.1] in [
        list(line.get_xdata()) for line in ax.lines
    ]  # fmt: skip
    assert texts(ax) == {"5 %", "70 %", "30 %", "100 %"}


@pytest.mark.parametrize(
    "draw",
    [lambda runs: right_by_split(runs, {"test": "all"}), lambda runs: right_by_length(runs, 3),
     lambda runs: backwards(np.eye(2), "4", runs), times_beside],
)  # fmt: skip
def test_nothing_to_draw_is_refused(draw):
    with pytest.raises(ValueError, match="there are no runs"):
        draw([])


# --- what they look at


def test_the_last_layer_is_drawn_as_the_mean_of_its_heads():
    one, other = np.eye(3).tolist(), np.zeros((3, 3)).tolist()
    found = {"read": ["I", "swim"], "written": ["yo", "nado"],
             "weights": {"decoder.layers.0.cross_attn": [other, other],
                         "decoder.layers.1.cross_attn": [one, other]}}  # fmt: skip
    ax = two_maps({"new": found}).axes[0]
    assert (ax.images[0].get_array() == np.eye(3) / 2).all() and ax.get_title() == "new"
    assert [t.get_text() for t in ax.get_xticklabels()] == ["I", "swim", "end"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["yo", "nado", "end"]
    with pytest.raises(ValueError, match=r"4 words look at 3, but the weights are \(3, 3\)"):
        two_maps({"new": {**found, "written": ["yo", "no", "nado"]}})


def test_who_has_no_look_has_no_swap():
    runs = [{"what": what, "seed": seed, "gender": {"agreement": shares}} for what, shares in (
        ("none", {"as trained": 0.5}),
        ("dot", {"as trained": 0.7, "two numbers swapped": 0.6, "nouns not seen": 0.1}),
    ) for seed in (0, 1)]  # fmt: skip
    ax = genders(runs).axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()] == [
        "no look back, as trained", "dot product, as trained", "dot product, two numbers swapped"
    ]  # fmt: skip
    assert [round(bar.get_width(), 2) for bar in ax.patches] == [0.5, 0.7, 0.6]


# --- how long they wait


def test_times_are_multiples_of_those_of_self_attention():
    times = {"recurrent": 8, "convolutional": 1, "restricted self-attention": 3,
             "self-attention": 2}  # fmt: skip
    runs = [{"layer": layer, "threads": threads, "length": n,
             "milliseconds": time * n ** (layer == "recurrent") * threads}
            for threads in (1, 2) for layer, time in times.items() for n in (8, 16)]  # fmt: skip
    one, two = times_beside(runs).axes
    assert [ax.get_title() for ax in (one, two)] == ["1 thread", "2 threads"]
    assert drawn(one) == drawn(two) == {
        "recurrent": [(8, 32), (16, 64)], "convolutional": [(8, 0.5), (16, 0.5)],
        "restricted self-attention": [(8, 1.5), (16, 1.5)], "self-attention": [(8, 1), (16, 1)],
    }  # fmt: skip
    said = one.yaxis.get_major_formatter()
    assert [said(x, 0) for x in (16, 1, 0.25)] == ["16 ×", "1 ×", "1/4"]
