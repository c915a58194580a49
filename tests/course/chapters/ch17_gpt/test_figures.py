"""Drawings of a language model's floor, dials and heads: the data reaches the picture."""

import math
from itertools import pairwise

import pytest
from matplotlib.colors import to_hex, to_rgba
from matplotlib.patches import Rectangle

from course import experiments
from course.drawing import style
from course.drawing.registry import FIGURES
from transformer_lib.text import english_spanish

LOUD = style.ACCENT, style.readable(style.ACCENT)


def test_the_curve_is_what_was_measured_and_ends_above_the_floor():
    from course.chapters.ch17_gpt import experiments as lab

    stored, floor = experiments.load("writing"), lab.floor()
    losses = [entry["validation_loss"] for entry in stored["history"]]
    steps = [entry["step"] for entry in stored["history"]]
    figure = FIGURES["gpt-floor"].draw()
    (ax,) = figure.axes
    curve, above_floor = ax.lines
    assert list(curve.get_ydata()) == losses and list(curve.get_xdata()) == steps
    band = next(patch for patch in ax.patches if isinstance(patch, Rectangle))
    assert min(losses) > floor == band.get_height() and ax.get_ylim()[0] == 0
    above_it = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert above_it.min() == floor and above_it.max() == max(losses)
    above = f"{losses[-1] - floor:.2f}"
    said = [text.get_text() for text in ax.texts]
    assert above in said and f"the floor: {floor:.2f}" in said
    assert list(above_floor.get_ydata()) == [floor, losses[-1]]
    title = f"After {steps[-1]:,} steps the loss is {above} above the floor"
    assert figure.texts[0].get_text() == title


def test_the_words_in_the_floor_are_the_grammars():
    from course.grammar.recognition import could_write

    texts = [text.get_text() for text in FIGURES["gpt-floor"].draw().axes[0].texts]
    start, *ends = texts[texts.index("We") + 1 :]
    assert start == "like" and len(ends) > 1
    assert all(could_write(f"We like {end}") for end in ends)
    assert "{}, {} or {}".format(*ends) in FIGURES["gpt-floor"].alt


def test_each_seed_has_a_dot_and_the_line_leads_from_the_first_mean_to_the_last():
    from course.chapters.ch17_gpt.experiment_language_model import distances

    figure = FIGURES["gpt-scaling"].draw()
    for ax, (what, sizes) in zip(figure.axes, distances().items(), strict=True):
        line, *dots, doubled = ax.lines
        means = [sum(seeds) / len(seeds) for seeds in sizes.values()]
        first, last = min(sizes), max(sizes)
        assert list(line.get_xdata()) == [first, last]
        assert list(line.get_ydata()) == pytest.approx([means[0], means[-1]])
        drawn = zip(*(seed.get_ydata() for seed in dots), strict=True)
        assert [list(seeds) for seeds in drawn] == list(sizes.values())
        (x, y), _, (x_end, y_end) = zip(*doubled.get_data(), strict=True)
        left, doublings = y_end / y, math.log2(last / first)
        assert means[0] * left**doublings == pytest.approx(means[-1])
        assert first < x and x_end == pytest.approx(2 * x) and x_end < last
        assert y == pytest.approx(means[0] * left ** math.log2(x / first))  # it is on the line
        assert left < 2 / 3 and f"{100 - 100 * left:.0f} %" in FIGURES["gpt-scaling"].alt
        assert f"-{100 - 100 * left:.0f} %" in [text.get_text() for text in ax.texts]
        assert ax.get_title() == f"more {what}" and ax.get_xscale() == ax.get_yscale() == "log"
    title = "Doubling data, weights or steps cuts the gap to the floor by a third or more"
    assert figure.texts[0].get_text() == title


def test_each_dial_has_two_bars_and_a_sentence():
    from course.grammar.recognition import could_write

    rows = experiments.load("writing")["rows"]
    figure = FIGURES["gpt-dials"].draw()
    (ax,) = figure.axes
    said = [" ".join(text.get_text().split()) for text in ax.texts]
    ordered = sorted(rows, key=lambda row: -row["own"])
    wide = [bar.get_width() for bar in ax.patches]
    filled = [bar / pale for pale, bar in zip(wide[::2], wide[1::2], strict=True)]
    most = max(row["words"] for row in rows)
    assert filled[::2] == pytest.approx([row["own"] for row in ordered])
    assert filled[1::2] == pytest.approx([row["words"] / most for row in ordered])
    at = said.index("temperature 0.5")
    for row in ordered:
        name = row["what"].replace("as it is", "temperature 1")
        mark = "✓" if could_write(row["first"][0]) else "×"
        numbers = [f"{100 * row['own']:.0f} %", str(row["words"])]
        lines = " ".join(said[said.index(name) :][4:6]).replace("’", "'")
        assert said[said.index(name) :][:4] == [name, *numbers, mark]
        assert lines.startswith(row["first"][0])
    best, first = ordered[0], rows[0]
    title = (
        f"{best['what'].capitalize()}: {best['own'] / first['own']:.1f} × as often right as at 1, "
        f"with {100 - 100 * best['words'] / first['words']:.0f} % fewer different words"
    )
    assert said[0] == title and at == said.index(best["what"])


def test_each_kind_has_a_bar_for_each_model_and_a_dot_for_each_seed():
    from course.chapters.ch17_gpt.experiment_one_text import ASKED, summary

    ax = FIGURES["gpt-translations"].draw().axes[0]
    rails, bars = ([bar for bar in ax.patches if isinstance(bar, Rectangle)][n::2] for n in (0, 1))
    stored = [row[split] for split in ASKED for row in summary()]
    for rail, bar, dots, shares in zip(rails, bars, ax.lines, stored, strict=True):
        zero, wide = rail.get_x(), rail.get_width()
        assert bar.get_x() == zero
        assert bar.get_width() / wide == pytest.approx(sum(shares) / len(shares))
        assert [(x - zero) / wide for x in dots.get_xdata()] == pytest.approx(shares)
    colors = [to_hex(bar.get_facecolor()) == style.ACCENT.lower() for bar in bars]
    assert colors == 6 * [False] + 3 * [True]  # the longer ones
    said = [text.get_text() for text in ax.texts]
    means = [100 * sum(shares) / len(shares) for shares in stored]
    shares = [f"{mean:.0f} %" for mean in means]
    assert [text for text in said if text.endswith(" %")] == ["100 %", *shares]
    end = next(text.get_position()[0] for text in ax.texts if text.get_text() == "100 %")
    assert end == pytest.approx(rails[0].get_x() + rails[0].get_width())
    least, *_, most = sorted(means[-3:])
    assert said[0] == f"On longer sentences all three get only {least:.0f} to {most:.0f} % right"
    for split in ASKED:
        words = english_spanish.load(split)[0][0].replace("'", "’").split()
        assert " ".join(words) in " ".join(said)


def test_each_model_has_its_loss_and_its_best_head():
    runs = experiments.load("induction")["runs"]
    row, *panels = FIGURES["gpt-induction"].draw().axes
    numbers = [text.get_text() for text in row.texts]
    assert numbers[12:] == [*numbers[:3], f"{numbers[3]} ?", "a row of numbers", "the same again"]
    for kind, axes in (("head", panels[:3]), ("second", panels[3:])):
        for ax, run in zip(axes, runs, strict=True):
            line, learned = ax.lines
            history = [entry for entry in run["history"] if entry["step"] <= 800]
            assert list(line.get_ydata()) == [entry[kind] for entry in history]
            below = [entry["step"] for entry in history if entry["second"] < 0.5]
            assert set(learned.get_xdata()) == {below[0]}


def test_each_head_has_its_bar():
    ax = FIGURES["gpt-heads-off"].draw().axes[0]
    runs = experiments.load("induction")["runs"]
    stored = [list(run["second_with_a_head_off"].values()) for run in runs]
    bars = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
    said = {text.get_text(): text.get_position()[1] for text in ax.texts}
    nat = (said["loss 3.7"] - said["loss 0"]) / 3.7
    drawn = [bar.get_height() / nat for bar in bars]
    assert drawn == pytest.approx([loss for losses in stored for loss in losses])
    loud = [to_hex(bar.get_facecolor()) == style.ACCENT.lower() for bar in bars]
    assert loud == [loss == max(losses) for losses in stored for loss in losses]
    assert {f"{max(losses):.2f}" for losses in stored} < set(said)
    on = max(run["history"][-1]["second"] for run in runs)
    assert any(text.endswith(f"with all of them at most {on:.2f}") for text in said)


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
        assert f"{run['history'][-1]['first']:.1f}" == "3.7"  # as the axis says
    for row in experiments.load("writing")["rows"]:
        assert f"{row['own']:.2f}" in FIGURES["gpt-dials"].alt
        assert str(row["words"]) in FIGURES["gpt-dials"].alt
        if row["what"] in ("as it is", "temperature 0.5", "temperature 1.5"):
            assert row["first"][0] in FIGURES["gpt-dials"].alt
    translator, *others = (row["shares"] for row in experiments.load("prompting")["rows"])
    alt = FIGURES["gpt-prompting"].alt
    for shares in (translator, *others):
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
    assert "at step {}, {} and {}; a line".format(*sorted(ends)) in alt


def test_the_alt_text_of_the_scaling_law_says_what_is_stored():
    from course.chapters.ch17_gpt.experiment_language_model import distances

    alt = FIGURES["gpt-scaling"].alt
    for what, sizes in distances().items():
        for size, seeds in sizes.items():
            if what != "steps" or size in (250, 1500):
                assert f"{size:,}" in alt and f"{sum(seeds) / len(seeds):.2f}" in alt, (what, size)


def test_the_alt_text_of_the_translations_says_what_is_stored():
    from course.chapters.ch17_gpt.experiment_one_text import ASKED, summary

    alt = FIGURES["gpt-translations"].alt
    for split in ASKED:
        means = [f"{sum(row[split]) / len(row[split]):.2f}" for row in summary()]
        assert f"{means[0]}, {means[1]} and {means[2]}" in alt, split


def test_the_masks_of_a_text_reach_the_picture():
    ax = FIGURES["gpt-masks"].draw().axes[0]
    said = [text.get_text() for text in ax.texts]
    # each word at the left of its row, and those it sees: up to its own; the prompt, and the rest
    chips = [text for text in ax.texts if text.get_bbox_patch()]
    assert len(chips) == 36 + 6 == 4 * 4 + 5 + 6 + 7 + 8
    assert all(said.count(text) > 1 for text in "I like trees => me gustan los árboles".split())
    loud = [text for text in chips if text.get_color() in LOUD]
    assert [text.get_text() for text in loud] == ["like", "trees", "=>", "trees", "=>", "=>"]
    assert "6 words more" in said[0] and said.count("6 words more, only") == 1


def test_a_hundred_rows_are_filled_by_their_share():
    ax = FIGURES["gpt-prompting"].draw().axes[0]
    shares = [s for row in experiments.load("prompting")["rows"] for s in row["shares"]]
    filled = [
        sum(tuple(color) != to_rgba(style.RULE) for color in squares.get_facecolors())
        for squares in ax.collections
    ]
    assert filled == [round(100 * share) for share in shares]
    said = [text.get_text() for text in ax.texts]
    shown = [text for text in said if text.endswith(" %")]
    for model in range(3):
        counts = filled[3 * model : 3 * model + 3]
        ends = f"{min(counts)} to {max(counts)} %"
        assert shown[4 * model : 4 * model + 4] == [ends, *(f"{count} %" for count in counts)]
    given = said[2:6]
    assert said[6:10] == given[::-1]
