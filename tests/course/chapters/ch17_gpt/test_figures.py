"""Drawings of a language model's floor, dials and heads: the data reaches the picture."""

import math
from itertools import pairwise

import pytest

from course.chapters.ch17_gpt.figures import _above_the_floor, _dial_points, _heads_off, _moment
from course.drawing import style
from course.drawing.registry import FIGURES
from transformer_lib.text import english_spanish


def test_the_curve_is_what_was_measured_and_ends_above_the_floor():
    from course import experiments
    from course.chapters.ch17_gpt import experiments as lab

    stored, floor = experiments.load("writing"), lab.floor()
    losses = [entry["validation_loss"] for entry in stored["history"]]
    steps = [entry["step"] for entry in stored["history"]]
    figure = FIGURES["gpt-floor"].draw()
    (ax,) = figure.axes
    curve, equal = ax.lines
    assert list(curve.get_ydata()) == losses and list(curve.get_xdata()) == steps
    assert set(equal.get_ydata()) == {math.log(stored["words"])}
    assert min(losses) > floor == ax.patches[0].get_height() and ax.get_ylim()[0] == 0
    above = f"{losses[-1] - floor:.2f}"
    said = [text.get_text() for text in ax.texts]
    assert above in said and f"all words equally likely: {math.log(stored['words']):.1f}" in said
    title = f"After {steps[-1]:,} steps the loss is {above} nats above the floor"
    assert figure.texts[0].get_text() == title


def test_the_words_in_the_floor_are_the_grammars():
    from course.grammar.recognition import could_write

    texts = [text.get_text() for text in FIGURES["gpt-floor"].draw().axes[0].texts]
    start, *ends = texts[texts.index("We") + 1 :]
    assert start == "like" and len(ends) > 1
    assert all(could_write(f"We like {end.removesuffix('?')}") for end in ends)
    assert "{}, {} or {}".format(*(end[:-1] for end in ends)) in FIGURES["gpt-floor"].alt


def test_each_seed_has_a_dot_and_the_line_goes_through_the_means():
    panels = {"sentences": {10: [1.0, 2.0], 1000: [0.25, 0.75]}, "steps": {1: [3.0], 9: [0.5]}}
    figure = _above_the_floor(panels, "a note")
    (ax,) = figure.axes
    means, seeds = ax.lines[0], ax.lines[1:3]
    assert list(means.get_xdata()) == [1, 100] and list(means.get_ydata()) == [1, 0.5 / 1.5]
    drawn = [line.get_ydata().tolist() for line in seeds]
    assert drawn == [[1 / 1.5, 0.25 / 1.5], [2 / 1.5, 0.5]]
    title = "100 times the sentences bring the loss 3 times nearer to the floor"
    assert [text.get_text() for text in figure.texts] == [title, "a note"]
    assert ax.get_xscale() == ax.get_yscale() == "log"
    said = [text.get_text() for text in ax.texts]
    assert said == ["100 times the sentences: ÷ 3", "9 times the steps: ÷ 6"]


def test_each_dial_is_a_point_with_its_interval():
    rows = [
        {
            "what": "plain",
            "own": 0.5,
            "own_and_new": 0.4,
            "words": 90,
            "drawn": 40,
            "first": ["a b"],
        },
        {
            "what": "cold",
            "own": 0.9,
            "own_and_new": 0.2,
            "words": 30,
            "drawn": 40,
            "first": ["c", "d"],
        },
    ]
    figure = _dial_points(rows)
    (ax,) = figure.axes
    points = [tuple(dot.get_offsets()[0]) for dot in ax.collections]
    assert points == [(90, 0.5), (30, 0.9)]
    said = [text.get_text() for text in ax.texts if text.get_text()]
    assert said == ["plain: 50 %", "“a b”", "cold: 90 %", "“c”"]
    assert [list(line.get_ydata()) for line in ax.lines] == [
        pytest.approx(ends, abs=1e-5) for ends in ([0.35199, 0.64801], [0.76948, 0.96042])
    ]
    title = "Cold: 1.8 times as often right, 67 % fewer different words"
    assert figure.texts[0].get_text() == title


def test_each_kind_has_a_dot_for_each_seed():
    from course.chapters.ch17_gpt.experiment_one_text import ASKED, summary

    ax = FIGURES["gpt-translations"].draw().axes[0]
    drawn = [line.get_xdata() for line in ax.lines]
    stored = [row[split] for split in ASKED for row in summary()]
    slope = (drawn[0][1] - drawn[0][0]) / (stored[0][1] - stored[0][0])
    zero = drawn[0][0] - slope * stored[0][0]
    for xs, shares in zip(drawn, stored, strict=True):
        assert [(x - zero) / slope for x in xs] == pytest.approx(shares)
    said = [text.get_text() for text in ax.texts]
    means = [f"{100 * sum(shares) / len(shares):.0f} %" for shares in stored]
    assert [text for text in said if text.endswith(" %")] == means
    for split in ASKED:
        words = english_spanish.load(split)[0][0].split()
        at = said.index(words[0])
        assert said[at : at + len(words)] == words
    assert {line.get_color() for line in ax.lines[-3:]} == {style.ACCENT}


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
    assert [text.get_text() for text in row.texts] == ["5", "7", "9", "5", "? 7", "row 1", "row 2"]
    losses = [list(line.get_ydata()) for line in top.lines if len(line.get_ydata()) == 4]
    assert losses[::2] == [[3.5, 3.5, 0.1, 0.1], [3.5, 3.5, 3.5, 0.1]]
    weights = [list(line.get_ydata()) for line in bottom.lines if len(line.get_ydata()) == 4]
    assert weights[1] == [0.1, 0.1, 0.1, 0.9]
    for ax in (top, bottom):  # of the loud one
        guides = [line.get_xdata()[0] for line in ax.lines if len(line.get_ydata()) == 2]
        dots = [float(dots.get_offsets()[0, 0]) for dots in ax.collections]
        assert guides == dots == [30]


def test_each_head_has_its_dot():
    ax = _heads_off([run(0), run(1)]).axes[0]
    dots = [float(line.get_xdata()[0]) for line in ax.lines]
    nat = (dots[1] - dots[0]) / 0.5
    assert [(x - dots[0]) / nat for x in dots] == pytest.approx(2 * [0, 0.5, 1.0, 1.5])
    colors = [line.get_color() for line in ax.lines]
    assert colors == 2 * [*3 * [style.MUTED], style.ACCENT]
    said = [text.get_text() for text in ax.texts]
    assert said.count("1.60") == 2 and "? b" in said
    zero = next(text for text in ax.texts if text.get_text() == "0").get_position()[0]
    assert dots[0] == pytest.approx(zero + 0.1 * nat)


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
        off = run["second_with_a_head_off"]
        *_, next_worst, most = sorted(off, key=off.get)
        assert f"{off[most]:.2f}" in alt and f"{off[next_worst]:.2f}" in alt
        assert most.startswith("layers.0") and off[most] < 2.5 < run["history"][-1]["first"]
        (missed,) = (head for head in run["heads"] if f"{head['layer']}.{head['head']}" == most)
        assert missed["previous"] > 0.4 > missed["induction"]  # as the title says
        assert f"{run['history'][-1]['first']:.1f}" == "3.7"  # as the note says
    for row in experiments.load("writing")["rows"]:
        assert f"{row['own']:.2f}" in FIGURES["gpt-dials"].alt
        assert str(row["words"]) in FIGURES["gpt-dials"].alt
        if row["what"] in ("as it is", "temperature 0.5", "temperature 1.5"):
            assert row["first"][0] in FIGURES["gpt-dials"].alt
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
    assert said[-10:-1] == [
        text for name in ("encoder", "GPT", "prefix") for text in ("prompt", "answer", name)
    ]
    assert said[-1] == "6 dots more"
