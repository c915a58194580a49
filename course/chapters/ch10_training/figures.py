"""How learning goes: what the loss compares, what the decoder reads, and the loss step by step."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch10_training.experiment_first_words import descended
from course.chapters.ch10_training.experiments import smoothing_penalty, written_words
from course.drawing import style
from course.drawing.arrows import arrow, path
from course.drawing.cells import area
from course.drawing.plots import curves, name_lines
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import (
    bold,
    canvas,
    centered,
    muted,
    percent,
    sentence,
    titled,
    width_of,
    word,
)
from transformer_lib.training.schedules import linear_schedule, paper_schedule

UNSEEN = "4 0 0 7 4 3 1".split()  # the first row that no training on digits sees
TOP_LOSS, LAST = 9.6, 1100  # the scales of `training-writes` end there


@mpl.rc_context(style.PRINT)
def run_curves(
    steps: Sequence[Mapping[str, Any]], validations: Sequence[Mapping[str, Any]], title: str
) -> Figure:
    """Draw how a training is going, from what its log says so far (`log.read_log`) -> the figure.

    Below each other: the loss, BLEU where it was measured, the learning rate. Raises ValueError
    when the log has no step yet.
    """
    if not steps:
        raise ValueError("the log has no step yet: there is nothing to draw")
    scores = [entry for entry in validations if "bleu" in entry]
    below = {"learning rate": [(entry["step"], entry["learning_rate"]) for entry in steps]}
    if scores:
        below = {"BLEU": [(entry["step"], entry["bleu"]) for entry in scores], **below}
    heights = [3, *[1.3] * len(below)]
    figure = style.new_figure(style.WIDTH, 1.4 * sum(heights))
    top, *others = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
    for name, entries, key in (
        ("training text", steps, "loss"),
        ("validation text", validations, "validation_loss"),
    ):
        if entries:
            at, losses = ([entry[what] for entry in entries] for what in ("step", key))
            curves(top, at, {name: losses}, loud=["validation text"], names=False)
    top.set(ylabel="loss per token, in nats", ylim=(0, None), xlim=(0, None))
    top.xaxis.set_major_formatter("{x:,.0f}")
    name_lines(top)
    for ax, (name, pairs) in zip(others, below.items(), strict=True):
        ax.plot(*zip(*pairs, strict=True), color=style.MUTED)
        ax.set(ylabel=name, ylim=(0, None))
    others[-1].set_xlabel("step (one update of the weights)")
    last = steps[-1]
    figure.suptitle(
        f"{title}: step {last['step']:,}, {last['words_per_second']:,} target words a second"
    )
    return figure


@mpl.rc_context(style.PRINT)
def loop_curve(history: Sequence[Mapping[str, Any]], steps: int) -> Figure:
    """Draw a training on rows of digits, also an unfinished one -> the figure.

    history: {"step", "validation_loss"} for each validation, in nats per token; steps: how long the
    training will be. A bar for each says how likely the loss makes the right digit.
    """
    title, left, wide, low, high = "Does it learn to write digits backwards?", 0.04, 7.9, 0.6, 2.3
    if history and history[-1]["validation_loss"] < history[0]["validation_loss"]:
        title = "The model learns to write digits backwards, even in rows it never saw"
    note = "The probability of the correct digit in held-out rows (geometric mean)"
    figure, ax = canvas(4.5, title, note)
    row, answer = UNSEEN, UNSEEN[::-1]
    *_, end = sentence(ax, (left + 0.06, 3.42), row, {}, size=14, gap=0.15)
    arrow(ax, (end + 0.25, 3.49), (end + 0.6, 3.49))
    marked = dict.fromkeys(answer, style.ACCENT)
    sentence(ax, (end + 0.8, 3.42), answer, marked, size=14, gap=0.15)
    area(ax, (left, low), wide, high, style.GROUND)
    muted(ax, (left, low + high + 0.13), "100%")
    loud = sorted({len(history) * part // 4 for part in range(5)})
    for i, one in enumerate(history, 1):
        share, each = math.exp(-one["validation_loss"]), wide / steps * one["step"] / i
        x = left + each * (i - 1)
        area(ax, (x, low), each - 0.05, high * share, style.ACCENT)
        if i in loud or i == 1:
            middle, look = x + each / 2 - 0.025, {"color": style.ACCENT, "weight": "bold"}
            centered(ax, middle, low + high * share + 0.14, percent(share), **look)
            centered(ax, middle, low - 0.2, f"{one['step']}", color=style.MUTED)
    muted(ax, (left, 0.14), "training step")
    return figure


def _word_rows(
    ax: Axes, top: float, rows: Mapping[str, Sequence[str]], right: Sequence[str]
) -> None:
    """Rows of words under each other; the last row feeds the first, one position on."""
    down, xs = 0.74, [1.75 + 1.4 * i for i in range(len(right))]
    ys = [top - down * number for number in range(len(rows))]
    for y, (name, words) in zip(ys, rows.items(), strict=True):
        muted(ax, (1.1, y), name, size=style.LABEL, ha="right")
        wanted = [words[0], *right[:-1]] if name == "reads" else right
        for x, text, good in zip(xs, words, wanted, strict=True):
            color = style.RIGHT if text == good else style.WRONG
            word(ax, (x, y), text, size=13, color=style.MUTED if good == "<bos>" else color)
            if name == "predicts":
                sign = "=" if text == good else "≠"
                centered(ax, x, y - down / 2, sign, size=15, color=style.MUTED)
            elif name == "reads":
                arrow(ax, (x, y - 0.2), (x, y - down + 0.2), style.SOFT)
    *_, fed = rows.values()
    for x, after, text in zip(xs, xs[1:], fed, strict=False):  # from the last row up to the next
        half = width_of(text, 13) / 2 + 0.13
        gap = after - half - 0.3
        path(ax, [(x + half, ys[-1]), (gap, ys[-1]), (gap, top), (after - half, top)], thick=3)


@figure(
    "training-teacher-forcing",
    caption="Teacher forcing: in training the decoder reads the correct words.",
    alt="""Rows of words of a model after one step of training; correct ones are blue, wrong ones
    orange. Above, in training: the row 'reads' holds <bos> I am a student, 'predicts' holds I am
    I I am, with the sign = or ≠ above 'correct word', I am a student <eos>. A thick arrow leads
    from each correct word to the next position of 'reads'. Below, alone: the arrows start at the
    model's own words, I am I am I.""",
)
def draw_teacher_forcing() -> Figure:
    tgt_in, tgt_out, predicted, alone = written_words(descended(steps=1)).values()
    note = "A model after one step of training. Correct words are blue, wrong ones orange"
    title = "In training, the decoder reads the correct words; alone, it reads its own"
    figure, ax = canvas(5.4, title, note)
    in_training = {"reads": tgt_in, "predicts": predicted, "correct word": tgt_out}
    alone = {"reads": [tgt_in[0], *alone[:-1]], "writes": alone}
    for top, said, rows in (
        (4.4, "In training: the correct word is read next", in_training),
        (1.72, "Alone: its own word is read next", alone),
    ):
        bold(ax, (0.02, top), said, size=style.LABEL + 1)
        _word_rows(ax, top - 0.48, rows, tgt_out)
    return figure


@figure(
    "training-smoothing-penalty",
    caption="Label smoothing makes overconfidence costly.",
    alt="""Loss against the probability of the correct word, from 0.1 to 0.9999; at each mark
    from 0.9 on, ten times less is left for the others. Without smoothing the curve falls towards
    0. With smoothing of 0.1 it is lowest at a probability of 0.91, and then rises; the wedge
    below it is 'the price of overconfidence'.""",
)
def draw_penalty() -> Figure:
    leads, losses, shares = map(as_array, smoothing_penalty())
    plain, smoothed = losses
    figure, ax = style.panel(4.2)
    note = "The loss for one word of nine; the other eight share the rest of the probability evenly"
    titled(figure, "With label smoothing, too much confidence raises the loss again", note)
    ax.set(xlim=(leads[0], leads[-1]), ylabel="loss")
    name = "label smoothing, ε = 0.1"
    curves(ax, leads, {"no smoothing": plain, name: smoothed}, loud=[name])
    ax.set_ylim(bottom=-0.04)
    best = int(smoothed.argmin())
    at, look = (leads[best], smoothed[best]), {"color": style.ACCENT, "textcoords": "offset points"}
    ax.scatter(*at, s=80, color=style.ACCENT, zorder=3)
    ax.vlines(at[0], -1, at[1], style.ACCENT, linewidth=1.2, linestyle=":")
    ax.fill_between(leads[best:], at[1], smoothed[best:], color=style.PALE, lw=0)
    said = f"lowest at {steady_round(shares[best]):.2f}"
    ax.annotate(said, at, (0, 14), ha="center", weight="bold", **look)
    look["color"] = style.readable(style.ACCENT)
    ax.annotate("the price of overconfidence", (leads[-1], at[1]), (-6, 8), ha="right", **look)
    ticks = [0.5, 0.9, 0.99, 0.999, 0.9999]
    said = [f"{shares[0]:.1f}", *map("{:g}".format, ticks)]
    ax.set_xticks([leads[0], *np.interp(ticks, shares, leads)], said)
    ax.set_xlabel("probability of the correct word")
    return figure


@figure(
    "training-schedule",
    caption="Two schedules for a run of 400 steps: straight lines, and the paper's.",
    alt="""Two curves over 400 steps. Both rise in a straight line to 0.01 at step 50, the end of
    the warm-up. Ours, in orange, falls in a straight line to 0 at step 400; the paper's falls
    steeply at first and then ever more slowly, to 0.0035.""",
)
def draw_schedule() -> Figure:
    steps, warmup, max_lr = 400, 50, 0.01
    figure, ax = style.panel(4.0)
    title = "In a short run, the paper's schedule stops far above zero"
    titled(figure, title, "The learning rate in a run of 400 steps, with a peak of 0.01")
    ax.set(xlabel="step (one update of the weights)", ylabel="learning rate")
    at = range(1, steps + 1)
    top = paper_schedule(warmup, 1, warmup)
    lines = {
        "the paper's": [max_lr / top * paper_schedule(step, 1, warmup) for step in at],
        "ours": [linear_schedule(step, max_lr, warmup, steps) for step in at],
    }
    curves(ax, list(at), lines, loud=["ours"])
    ax.annotate(f"warm-up: {warmup} steps", (warmup, max_lr), (12, 0), textcoords="offset points")
    ax.set(xlim=(0, steps), ylim=(0, 1.1 * max_lr), yticks=[0, 0.005, 0.01])
    ax.set_xticks([0, warmup, 200, steps])
    return figure


@figure(
    "training-held-out",
    caption="Learned by heart and understood: the same model on 50 rows and on 10,000.",
    alt="""Two panels with the loss against the step, means of three runs. Trained on 50 rows:
    the loss on seen rows falls to 0, while the loss on new rows, in orange, rises from 2.3 to
    4.6, and 0% of them are right. Trained on 10,000 rows: both fall close to 0, and 94% of the
    new rows are right. The task is to write rows backwards, for example 4 0 0 7 4 3 1.""",
)
def draw_held_out() -> Figure:
    figure, axes = style.panels(2, 4.2, sharey=True)
    note = "Means of three runs. The task is to write rows backwards, for example {} → {}"
    note += "\nThe loss on seen rows is a mean over the last 25 steps, so it lags behind"
    title = "Trained on only 50 rows, the model gets worse on other rows"
    titled(figure, title, note.format(" ".join(UNSEEN), " ".join(UNSEEN[::-1])))
    for ax, count in zip(axes, (50, 10_000), strict=True):
        histories = [
            run["history"] for run in experiments.load("held-out")["runs"] if run["pairs"] == count
        ]
        steps, seen, new, right = (
            np.mean([[entry[key] for entry in history] for history in histories], axis=0)
            for key in ("step", "loss", "validation_loss", "new")
        )
        unseen = f"new rows: {100 * right[-1]:.0f}% right"
        curves(ax, steps, {unseen: new, "seen rows": seen}, loud=[unseen], names=False)
        ax.set(xlim=(25, 400), ylim=(0, 5), yticks=[0, 2, 4], xticks=[25, 200, 400])
        ax.set(xlabel="training step", title=f"trained on {count:,} rows")
        name_lines(ax, wide=10)
    axes[0].set_ylabel("loss")
    return figure


@figure(
    "training-norms",
    caption="Post-norm and pre-norm, with and without warm-up, at the highest of three rates.",
    alt="""Four fields of 100 cells: how many of 100 rows are right, at a learning rate of up to
    0.003. Post-norm, in orange, gets 0 without warm-up and 22 with it, pre-norm 97 and 99.
    Above, the learning rate step by step: without warm-up it starts at its peak, with warm-up it
    first rises to it.""",
)
def draw_norms() -> Figure:
    note = "Held-out rows that are right after 600 steps: six-layer models, means of three runs"
    title = "At a rate of 0.003 without warm-up, post-norm gets 0% right, pre-norm 97%"
    figure, ax = canvas(4.78, title, note)
    found: dict[Any, list[float]] = {}
    for run in experiments.load("norms")["runs"]:
        setting = run["norm_first"], run["warmup"], run["max_lr"]
        found.setdefault(setting, []).append(run["right_rows"])
    cell, size = 0.145, style.LABEL + 1
    for x, warmup, said in ((1.3, 1, "without warm-up"), (4.95, 100, "with warm-up")):
        bold(ax, (x, 3.86), said, size=size)
        rates = [linear_schedule(step, 1, warmup, 600) for step in range(1, 601)]
        ends = x, x + 20 * cell - 0.02
        ax.plot(np.linspace(*ends, 600), 3.0 + 0.45 * np.array(rates), color=style.SOFT)
        muted(ax, (x + cell / 30 * (warmup - 1), 3.58), "0.003")
        muted(ax, (ends[1], 3.2), "0", ha="right")
        for y, first, color in ((1.65, False, style.ACCENT), (0.25, True, style.MUTED)):
            right = round(100 * np.mean(found[first, warmup, 0.003]))
            bold(ax, (x, y + 0.95), f"{right} of 100", color=color, size=17)
            for i in range(100):
                at = x + cell * (i // 5), y + cell * (4 - i % 5)
                area(ax, at, cell - 0.02, cell - 0.02, color if i < right else style.RULE)
            if warmup == 1:
                said = "pre-norm" if first else "post-norm"
                bold(ax, (0.02, y + 0.36), said, size=size, color=color)
    muted(ax, (0.02, 3.22), "learning rate,\nstep by step")
    return figure


@figure(
    "training-loop",
    caption="One's own Transformer learns to write rows of digits backwards.",
    alt="""A row it never saw, 4 0 0 7 4 3 1, and the same backwards in orange. Below, 20 bars,
    one after each 20 steps of training, for the probability of the correct digit: 10% after 20
    steps, 38% after 100, 75% after 200, 89% after 300, and 90% at the end, after 400.""",
)
def draw_loop() -> Figure:
    run = experiments.load("loop")
    return loop_curve(run["history"], run["steps"])


WRITTEN = {  # step -> what it writes, in English and in a word
    0: ("frightened frightened …", "one word, repeated"),
    100: ("to to to", "a common word"),
    275: ("I like children", "a Spanish sentence"),
    725: ("I like trees", "correct from here on"),
}


@figure(
    "training-writes",
    caption="What the translator writes for 'I like trees' while it learns.",
    alt="""The loss on held-out text falls steeply from 8 to 0.3 in 1,100 steps. Beside the curve
    is what the translator writes for 'I like trees'. Step 0: 'asustados asustados', frightened
    frightened: one word, repeated. Step 100: 'a a a', to to to: a common word. Step 275: 'me
    gustan los niños', I like children: a Spanish sentence. Step 725: 'me gustan los árboles':
    from here on, it is correct.""",
    hero=True,
)
def draw_writes() -> Figure:
    history = experiments.load("first-steps")["history"]
    entries = {entry["step"]: entry for entry in history if entry["step"] <= LAST}
    tall = 6.9
    figure, ax = style.panel(tall)
    title = "It begins with one repeated word and ends with the correct translation"
    titled(figure, title, "What it writes for “I like trees” at four points in its training")
    losses = {"": [entry["validation_loss"] for entry in entries.values()]}
    curves(ax, list(entries), losses, names=False, linewidth=3)
    for step, (meaning, phase) in WRITTEN.items():
        loss = entries[step]["validation_loss"]
        beside = [
            entry["validation_loss"]
            for at, entry in entries.items()
            if step <= at <= step + 0.35 * LAST
        ]
        lift = 72 * 0.8 * tall * (max(beside) - loss) / TOP_LOSS  # the text stays off the curve
        ax.scatter(step, loss, s=90, color=style.ACCENT, edgecolor=style.PAPER, zorder=3)
        written = entries[step]["writes"].split()
        words = written[: 3 if len({word.lower() for word in written}) == 1 else 6]
        before = None
        for said in [*words, "…"] if len(words) < len(written) else words:
            color = style.WORDS.get(said.lower())
            before = ax.annotate(
                said,
                (1, 0) if before else (step, loss),
                xycoords=before or "data",
                xytext=(8, 0) if before else (14 + 3 * bool(color), 16 + lift),
                textcoords="offset points",
                va="bottom",
                fontsize=13,
                **(style.chip(said, color) if color else {"color": style.MUTED}),
            )
        look = {"textcoords": "offset points", "size": style.NOTE, "style": "italic"}
        ax.annotate(meaning, (step, loss), (14, 4 + lift), color=style.MUTED, **look)
        look |= {"size": style.LABEL + 1, "style": "normal", "weight": "bold"}
        ax.annotate(phase, (step, loss), (14, 39 + lift), color=style.ACCENT, **look)
    ax.set(xlim=(-14, LAST), ylim=(0, TOP_LOSS), xticks=(0, 500, 1000), yticks=(0, 4, 8))
    ax.set(xlabel="training step", ylabel="loss on held-out text")
    return figure
