"""Drawings of a language model's floor, dials and heads: the data reaches the picture."""

import math
from itertools import pairwise

import pytest
from matplotlib.colors import to_hex

from course.chapters.ch17_gpt.figures import (
    ATTENDS,
    _above_the_floor,
    _dial_points,
    _heads_off,
    _moment,
    _shares_by_kind,
    _way_to_the_floor,
)
from course.drawing import style
from course.drawing.registry import FIGURES

HISTORY = [{"step": 10, "validation_loss": 4.0}, {"step": 20, "validation_loss": 2.5}]


def test_the_curve_is_what_was_measured_and_ends_above_the_floor():
    figure = _way_to_the_floor(HISTORY, floor=2.0, all_equal=6.5)
    (ax,) = figure.axes
    curve, floor = ax.lines
    assert list(curve.get_ydata()) == [4.0, 2.5] and list(curve.get_xdata()) == [10, 20]
    assert set(floor.get_ydata()) == {2.0}
    assert "0.50" in {text.get_text() for text in ax.texts}
    assert [text.get_text() for text in figure.texts] == [
        "After 20 steps the loss is 0.50 nats above the floor",
        "With all words equally likely it would be 6.5",
    ]


@pytest.mark.parametrize("history", [HISTORY, []])
def test_a_model_below_the_floor_is_refused(history):
    with pytest.raises(ValueError, match="below the floor"):
        _way_to_the_floor(history, floor=3.0, all_equal=6.5)


def test_each_seed_has_a_dot_above_the_floor_and_the_line_goes_through_the_means():
    panels = {"sentences": {10: [1.0, 2.0], 1000: [0.25, 0.75]}, "steps": {1: [3.0], 9: [0.5]}}
    figure = _above_the_floor(panels)
    heads = ["100 times the sentences", "9 times the steps"]
    assert [ax.get_title() for ax in figure.axes] == heads
    [mean, at_the_end], dots = figure.axes[0].lines, figure.axes[0].collections
    assert list(mean.get_xdata()) == [10, 1000] and list(mean.get_ydata()) == [1.5, 0.5]
    drawn = [one.get_offsets()[:, 1].tolist() for one in dots]
    assert drawn == [[1.0, 2.0], [0.25, 0.75]]
    assert at_the_end.get_ydata() == [0.5, 0.5]
    title = "100 times the sentences bring the loss 3 times nearer to the floor"
    assert figure.texts[0].get_text() == title
    assert all(ax.get_xscale() == ax.get_yscale() == "log" for ax in figure.axes)
    said = [[text.get_text() for text in ax.texts if text.get_text()] for ax in figure.axes]
    assert said == [["÷ 3", "the largest model: 0.50"], ["÷ 6"]]
    factors = [math.log(high / low) for low, high in (ax.get_xlim() for ax in figure.axes)]
    widths = figure.axes[0].get_gridspec().get_width_ratios()
    assert factors == pytest.approx(widths), "a factor is as wide in both"


def test_numbers_at_the_edge_keep_apart():
    panel = {size: [1.0] for size in (250, 500, 750, 1000, 1250, 1500)}
    labels = _above_the_floor({"steps": panel}).axes[0].get_xticklabels()
    assert [label.get_text() for label in labels] == ["250", "1,500"]


@pytest.mark.parametrize("distances", [[], [0.4, 0.0]])
def test_what_lies_on_the_floor_or_nowhere_is_refused(distances):
    with pytest.raises(ValueError, match="above the floor"):
        _above_the_floor({"steps": {10: distances}})


def test_each_dial_is_a_point_with_its_interval():
    rows = [
        {"what": "plain", "own": 0.5, "own_and_new": 0.4, "words": 90, "drawn": 40},
        {"what": "cold", "own": 0.9, "own_and_new": 0.2, "words": 30, "drawn": 40},
    ]
    figure = _dial_points(rows)
    (ax,) = figure.axes
    points = [tuple(dot.get_offsets()[0]) for dot in ax.collections]
    assert points == [(90, 0.5), (30, 0.9)]
    assert [text.get_text() for text in ax.texts[:2]] == ["plain: 50 %", "cold: 90 %"]
    assert [list(line.get_ydata()) for line in ax.lines] == [
        pytest.approx(ends, abs=1e-5) for ends in ([0.35199, 0.64801], [0.76948, 0.96042])
    ]
    title = "Cold: 1.8 times as often right, 67 % fewer different words"
    assert figure.texts[0].get_text() == title


def test_each_kind_has_its_place_and_each_seed_its_line():
    kinds = {"short": {"a": [0.5, 0.7], "b": [1, 1]}, "long": {"a": [0.1, 0.2], "b": [0, 0]}}
    (ax,) = _shares_by_kind(kinds).axes
    drawn = [line.get_ydata().tolist() for line in ax.lines]
    assert drawn == [
        *([0.5, 0.1], [0.7, 0.2], pytest.approx([0.6, 0.15])),
        *([1, 0], [1, 0], [1, 0]),
    ]
    said = ["60 %", "100 %", "a: 15 %", "b: 0 %"]
    assert [text.get_text() for text in ax.texts] == said
    assert [text.get_text() for text in ax.get_xticklabels()] == ["short", "long"]
    with pytest.raises(ValueError, match="no kinds"):
        _shares_by_kind({})


def run(seed: int, moved: int = 0) -> dict:
    history = [
        {"step": step, "first": 3.7, "second": 0.1 if late else 3.5, "head": 0.9 if late else 0.1}
        for step in (10, 20, 30, 40)
        for late in [step >= 30 + moved]
    ]
    off = {
        f"layers.{layer}.self_attn.{head}": 0.1 + layer + head / 2
        for layer in range(2)
        for head in range(2)
    }
    heads = [
        {
            "layer": f"layers.{layer}.self_attn",
            "head": head,
            "previous": 0.6 * (1 - layer),
            "induction": 0.8 * layer * head,
        }
        for layer in range(2)
        for head in range(2)
    ]
    return {
        "seed": seed,
        "history": history,
        "second": 0.1,
        "second_with_a_head_off": off,
        "heads": heads,
    }


def test_each_seed_has_its_moment():
    row, top, bottom = _moment([run(0), run(1, moved=10)], ["5", "7", "9"]).axes
    assert [text.get_text() for text in row.texts] == ["5", "7", "9", "5", "?", "row 1", "row 2"]
    losses = [list(line.get_ydata()) for line in top.lines if len(line.get_ydata()) == 4]
    assert losses[::2] == [[3.5, 3.5, 0.1, 0.1], [3.5, 3.5, 3.5, 0.1]]
    weights = [list(line.get_ydata()) for line in bottom.lines if len(line.get_ydata()) == 4]
    assert weights[1] == [0.1, 0.1, 0.1, 0.9]
    for ax in (top, bottom):
        guides = [line.get_xdata()[0] for line in ax.lines if len(line.get_ydata()) == 2]
        dots = [float(dots.get_offsets()[0, 0]) for dots in ax.collections]
        assert guides == dots == [30, 40]


def test_each_head_has_its_dot():
    figure = _heads_off([run(0), run(1)])
    (ax,) = figure.axes
    dots = [dots.get_offsets()[:, 0].tolist() for dots in ax.collections]
    assert dots == 2 * [[0.1, 0.6], [1.1, 1.6]]
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["seed 0, layer 0", "layer 1", "seed 1, layer 0", "layer 1"]
    assert "layer 0" in figure.texts[0].get_text()
    # a head that looks at neither place is an open dot
    filled = [to_hex(face) for face in ax.collections[-1].get_facecolors()]
    assert filled == [style.PAPER.lower(), style.MUTED.lower()]
    assert [text.get_text() for text in ax.texts if text.get_text()] == [
        "0.60: it looks at the word before",
        "all look at the word to copy",
        "0.60",
        "a head that looks at neither",
        "all heads on",
        "nothing is copied",
    ]
    (nothing,) = (line for line in ax.lines if set(line.get_xdata()) == {3.7})
    assert list(nothing.get_ydata()) == [0, 1]


@pytest.mark.parametrize("draw", [_dial_points, _moment, _heads_off])
def test_nothing_to_draw_is_refused(draw):
    with pytest.raises(ValueError, match="there are no r"):
        draw([])


def test_what_is_left_has_no_encoder_and_no_cross_attention():
    from course.chapters.ch17_gpt.figures import LEFT
    from course.drawing.architecture import _find_parts

    marked = _find_parts(*LEFT)
    assert not any("src" in name or "encoder" in name or "cross" in name for name in marked)
    assert {
        "decoder.self_attn",
        "decoder.feed_forward",
        "generator.proj",
        "tgt_embed",
        "decoder.self_attn.causal.mask",
    } < marked


def test_the_figures_alt_texts_say_what_is_stored():
    from course import experiments

    alt = FIGURES["gpt-heads-off"].alt
    for run in experiments.load("induction")["runs"]:
        assert f"{run['second']:.2f}" in alt
        most = max(run["second_with_a_head_off"], key=run["second_with_a_head_off"].get)
        assert most.startswith("layers.0")  # the title
        for layer in "01":
            off = [
                loss
                for name, loss in run["second_with_a_head_off"].items()
                if name.startswith(f"layers.{layer}")
            ]
            assert f"{max(off):.2f}" in alt
        looks = {
            layer: [head for head in run["heads"] if head["layer"].startswith(layer)]
            for layer in ("layers.0", "layers.1")
        }
        assert all(head["induction"] > ATTENDS for head in looks["layers.1"])
        (missed,) = (head for head in looks["layers.0"] if most.endswith(f".{head['head']}"))
        assert missed["previous"] > ATTENDS  # as the picture says
        assert sum(head["previous"] > ATTENDS for head in looks["layers.0"]) == 2
        others = [
            run["second_with_a_head_off"][f"{head['layer']}.{head['head']}"]
            for head in looks["layers.0"]
            if head["previous"] <= ATTENDS
        ]
        assert f"{max(others):.2f}" in alt and "two are filled" in alt
        assert f"{run['history'][-1]['first']:.1f}" == "3.7" in alt
    for row in experiments.load("writing")["rows"]:
        assert f"{row['own']:.2f}" in FIGURES["gpt-dials"].alt
        assert str(row["words"]) in FIGURES["gpt-dials"].alt
    translator, *others = (row["shares"] for row in experiments.load("prompting")["rows"])
    alt = FIGURES["gpt-prompting"].alt
    assert max(abs(share - 0.90) for share in translator) < 0.02 and "around 0.90" in alt
    for shares in others:
        assert all(f"{share:.2f}" in alt for share in shares)


def test_the_alt_texts_of_the_two_curves_say_what_is_stored():
    from course import experiments
    from course.chapters.ch17_gpt import experiments as lab
    from course.chapters.ch17_gpt.experiment_induction import fall

    losses = {row["step"]: row["validation_loss"] for row in experiments.load("writing")["history"]}
    floor, alt = lab.floor(), FIGURES["gpt-floor"].alt
    for step in (100, 200, 1000):
        assert f"{losses[step]:.2f}" in alt and f"{step:,}" in alt
    assert f"{floor:.2f}" in alt and f"{losses[1000] - floor:.2f} above" in alt
    alt, runs = FIGURES["gpt-induction"].alt, experiments.load("induction")["runs"]
    falls, ends, jumped = sorted(map(fall, runs)), [], []
    for run in runs:
        second = {entry["step"]: entry["second"] for entry in run["history"]}
        ends.append(min(step for step, loss in second.items() if loss < 0.5))
        jumps = [after - before for before, after in pairwise(second.values())]
        jumped.append(max(jumps) > 0.6)
        assert all(3.3 < second[step] < 3.6 for step in (200, 225, 250))
        for entry in run["history"]:
            assert entry["step"] > ends[-1] - fall(run) or entry["head"] < 0.25
            assert entry["step"] != ends[-1] or 0.75 < entry["head"] < 0.85
        assert run["history"][-1]["head"] > 0.9
    assert sum(jumped) == 2 and "in two seeds with a jump back" in alt
    assert f"within {falls[0]} to {falls[-1]} steps" in alt
    assert "at step {}, {} and {};".format(*sorted(ends)) in alt


def test_the_alt_text_of_the_scaling_law_says_what_is_stored():
    from course.chapters.ch17_gpt.experiment_language_model import distances

    alt = FIGURES["gpt-scaling"].alt
    for what, sizes in distances().items():
        for size, seeds in sizes.items():
            if what != "steps" or size in (250, 1500):
                assert f"{size:,}" in alt and f"{sum(seeds) / len(seeds):.2f}" in alt, (what, size)
    ends = [[sum(seeds) for seeds in sizes.values()] for sizes in distances().values()]
    assert "divided by {:.0f}, {:.0f} and {:.0f}".format(*(far[0] / far[-1] for far in ends)) in alt


def test_the_alt_text_of_the_translations_says_what_is_stored():
    from course.chapters.ch17_gpt.experiment_one_text import ASKED, summary

    alt = FIGURES["gpt-translations"].alt
    for split in ASKED:
        means = [f"{sum(row[split]) / len(row[split]):.2f}" for row in summary()]
        assert f"{means[0]}, {means[1]} and {means[2]}" in alt, split


def test_the_masks_of_a_text_reach_the_picture():
    ax = FIGURES["gpt-masks"].draw().axes[0]
    seen = sum(line.get_marker() == "o" for line in ax.lines)
    assert seen == 64 + 36 + (
        4 * 8 + 10
    )  # all; on and below the diagonal; the prompt, and the rest
    said = [text.get_text() for text in ax.texts]
    assert said[-9:] == [
        text for name in ("encoder", "GPT", "prefix") for text in ("prompt", "answer", name)
    ]
