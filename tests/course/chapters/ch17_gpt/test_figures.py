"""Drawings of a language model's floor, dials and heads: the data reaches the picture."""

import math
from itertools import pairwise

import pytest

from course import experiments
from course.drawing import style
from course.drawing.registry import FIGURES
from transformer_lib.text import english_spanish


def test_the_curve_is_what_was_measured_and_ends_above_the_floor():
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
    from course.chapters.ch17_gpt.experiment_language_model import distances

    figure = FIGURES["gpt-scaling"].draw()
    (ax,) = figure.axes
    lines, said, factors = iter(ax.lines), [], []
    for what, sizes in distances().items():
        start = sum(seeds := sizes[min(sizes)]) / len(seeds)
        means = next(lines)
        assert list(means.get_xdata()) == [size / min(sizes) for size in sizes]
        mean = [sum(seeds) / len(seeds) / start for seeds in sizes.values()]
        assert list(means.get_ydata()) == pytest.approx(mean)
        drawn = [next(lines).get_ydata() for _ in seeds]
        for dots, seeds in zip(zip(*drawn, strict=True), sizes.values(), strict=True):
            assert [start * dot for dot in dots] == pytest.approx(seeds)
        factors.append(f"{1 / mean[-1]:.0f}")
        said.append(f"{max(sizes) / min(sizes):.0f} times the {what}: ÷ {factors[-1]}")
    assert not list(lines) and [text.get_text() for text in ax.texts] == said
    title = f"30 times the sentences bring the loss {factors[0]} times nearer to the floor"
    assert figure.texts[0].get_text() == title
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_each_dial_is_a_point_with_its_interval():
    from course.chapters.ch17_gpt.experiments import interval

    rows = experiments.load("writing")["rows"]
    figure = FIGURES["gpt-dials"].draw()
    (ax,) = figure.axes
    points = [tuple(dot.get_offsets()[0]) for dot in ax.collections]
    assert points == [(row["words"], row["own"]) for row in rows]
    ends = [interval(row["own"], row["drawn"]) for row in rows]
    assert [tuple(line.get_ydata()) for line in ax.lines] == ends
    said = [" ".join(text.get_text().split()) for text in ax.texts]
    assert [text for text in said if text.endswith(" %")] == [
        f"{row['what']}: {100 * row['own']:.0f} %" for row in rows
    ]
    read = [text[1:-1] for text in said if text.startswith("“")]
    of = {"as it is", "temperature 0.5", "temperature 1.5"}
    assert read == [row["first"][0] for row in rows if row["what"] in of]
    best = max(rows, key=lambda row: row["own"])
    title = (
        f"{best['what'].capitalize()}: {best['own'] / rows[0]['own']:.1f} times as often right, "
        f"{100 - 100 * best['words'] / rows[0]['words']:.0f} % fewer different words"
    )
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


def test_one_seed_has_its_moment():
    runs = experiments.load("induction")["runs"]
    row, top, bottom = FIGURES["gpt-induction"].draw().axes
    numbers = [text.get_text() for text in row.texts]
    assert numbers[12:] == [numbers[0], f"? {numbers[1]}", "row 1", "row 2"]
    histories = [[e for e in run["history"] if e["step"] <= 800] for run in runs]
    for ax, kinds in ((top, ("second", "first")), (bottom, ("head",))):
        drawn = [list(line.get_ydata()) for line in ax.lines if len(line.get_ydata()) > 2]
        assert drawn == [[e[kind] for e in history] for history in histories for kind in kinds]
        guides = [line.get_xdata()[0] for line in ax.lines if len(line.get_ydata()) == 2]
        dots = [float(dots.get_offsets()[0, 0]) for dots in ax.collections]
        fell = next(e["step"] for e in histories[0] if e["second"] < 0.5)
        assert guides == dots == [fell]  # of the loud one


def test_each_head_has_its_dot():
    ax = FIGURES["gpt-heads-off"].draw().axes[0]
    runs = experiments.load("induction")["runs"]
    stored = [sorted(run["second_with_a_head_off"].values()) for run in runs]
    numbers = {text.get_text(): text.get_position()[0] for text in ax.texts}
    nat = numbers["2.5"] - numbers["2"]
    drawn = [(float(line.get_xdata()[0]) - numbers["0"]) / (2 * nat) for line in ax.lines]
    assert drawn == pytest.approx([loss for losses in stored for loss in losses])
    colors = [line.get_color() for line in ax.lines]
    assert colors == len(runs) * [*7 * [style.MUTED], style.ACCENT]
    assert {f"{losses[-1]:.2f}" for losses in stored} < set(numbers)


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
