"""What a judge teaches: its price in nats, what it eats, tries at a problem, and a hole found."""

import statistics
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch19_judge.experiment_preferences import TAUGHT
from course.chapters.ch19_judge.experiments import TRIES, by_way
from course.chapters.ch19_judge.policy import least_kl, share_solved
from course.drawing import style
from course.drawing.arrows import box
from course.drawing.plots import curves, doubling, name_lines, shares
from course.drawing.registry import figure
from course.drawing.words import bold, canvas, label, muted, sentence, titled

Row = Mapping[str, Any]
WINDOW = 10  # steps of training behind one point of a curve


def windows(histories: Sequence[Sequence[Row]], what: str) -> list[float]:
    """The mean over the seeds and over each `WINDOW` steps."""
    steps = range(0, len(histories[0]), WINDOW)
    return [
        statistics.mean(
            entry[what] for one in histories for entry in one[at : at + WINDOW] if what in entry
        )
        for at in steps
    ]


def _mean(runs: Sequence[Row], what: str) -> float:
    return statistics.mean(run[what] for run in runs)


def stored_ways() -> dict[str, list[Row]]:
    from course.chapters.ch19_judge.experiments import name

    return {name(way): runs for way, runs in by_way(experiments.load("judge")).items()}


@figure(
    "judge-price",
    hero=True,
    caption="How far from the starting model each method moves, and how far it would have to.",
    alt="""The share of correct sentences against the KL from the starting model, in nats per
    sentence. From the starting model, at a quarter, a curve rises steeply to 1 after about one
    and a half nats: the least distance for each share; to its left is out of reach. Best of 16
    lies on it, near 1. Three methods lie to its right, each joined to it by a bar: GRPO at 91%
    and 5.2 nats, with 52% different sentences; DPO at 53% and 3.2, with 99% different; the
    reward model at 86% and 9, with 29% different.""",
)
def draw_price() -> Figure:
    ways = by_way(experiments.load("preferences"))
    before = _mean(ways["start"], "right")
    figure, ax = style.panel(4.0)
    note = "The curve: the least distance for each share. Best of 16: computed, not measured. "
    note += "Orange: means of three seeds"
    titled(figure, "Each of the three methods moves the model farther than it has to", note)
    rights = [before + (1 - before) * i / 200 for i in range(201)]
    least = [least_kl(right, before) for right in rights]
    ax.plot(least, rights, color=style.MUTED, linewidth=2.4, zorder=4)
    ax.fill_betweenx(rights, 0, least, color=style.RULE, linewidth=0)
    best = 1 - (1 - before) ** 16
    for share, said, side in (
        (before, "starting model", (10, 9)),
        (best, "starting model, best of 16", (0, 14)),
    ):
        at, look = (least_kl(share, before), share), {"va": "center_baseline"}
        ax.plot(*at, "o", color=style.INK, markersize=8, zorder=5, clip_on=False)
        ax.annotate(said, at, side, textcoords="offset points", **look)
    label(ax, (0.06, 0.88), "out of\nreach")
    for name in TAUGHT:
        runs = ways[name]
        right, kl = (_mean(runs, what) for what in ("right", "kl"))
        ax.hlines(right, least_kl(right, before), kl, color=style.ACCENT, linewidth=3, zorder=3)
        ax.plot(kl, right, "o", color=style.ACCENT, markersize=9, zorder=4)
        said = f"{name}, {100 * _mean(runs, 'different'):.0f}% different"
        label(ax, (kl + 0.2, right), said, size=style.LABEL, color=style.ACCENT)
    ax.set(xlim=(0, 13.2), ylim=(0.15, 1.1), xticks=range(0, 13, 2), ylabel="correct sentences")
    ax.set_xlabel("distance from the starting model (KL, in nats per sentence)")
    shares(ax.yaxis, (0.25, 0.5, 0.75, 1))
    return figure


@figure(
    "judge-eats",
    caption="What the sentences are like before and after training.",
    alt="""The first six sentences of each. Of the starting model, 23% are correct, with 522
    different words: six different sentences, such as 'My father wants to wash my cousin'. Taught
    without a KL penalty, 98% are correct, with 48 different words: four times 'You didn't go to
    bed', and two that differ from it in one or two words; the shared words are marked. Best of
    16 of the starting model, 98% are correct, with 420 different words: six different sentences,
    such as 'Who likes computers?'.""",
)
def draw_what_it_eats() -> Figure:
    ways = stored_ways()
    note = "First six sentences of seed 1; marked: words in more than half of the six. "
    note += "Numbers: means of three seeds"
    title = "Taught without a KL penalty, the model gives up variety for correctness"
    figure, ax = canvas(4.9, title, note)
    for x, name, way in (
        (0.02, "starting model", "starting model"),
        (2.82, "taught, no KL penalty", "no KL penalty"),
        (5.3, "starting model, best of 16", "best of 16"),
    ):
        runs, loud = ways[way], way == "no KL penalty"
        color = style.ACCENT if loud else style.INK
        right, words = _mean(runs, "right"), _mean(runs, "words")
        label(ax, (x, 3.9), name, size=style.LABEL, color=color)
        for y, said in (
            (3.62, f"{100 * right:.0f}% correct"),
            (3.34, f"{words:.0f} different words"),
        ):
            bold(ax, (x, y), said, size=14, color=color)
        first = [said.replace("'", "’") for said in runs[0]["first"][:6]]
        often = Counter(word for said in first for word in set(said.split()))
        marked = {word: style.ACCENT for word in often if 2 * often[word] > len(first)}
        for row, said in enumerate(first):
            y, wide = 2.9 - 0.5 * row, 4 + len(said) // (1 + len(said) // 40)
            if loud:
                sentence(ax, (x + 0.05, y - 0.05), said.split(), marked, size=style.NOTE, gap=0.14)
            else:
                muted(ax, (x, y), textwrap.fill(said, wide))
    return figure


@figure(
    "judge-tries",
    caption="pass@k: how many beginnings have a correct sentence among k, before and after.",
    alt="""The share of 32 beginnings that became a correct sentence, against the number of tries
    from 1 to 32, doubling. With one try the taught model is above the starting model, whose
    curve is steeper, meets it at 4 tries, and is above it from 8 on: by 8 points with 32.""",
)
def draw_tries() -> Figure:
    ways = stored_ways()
    figure, ax = style.panel(3.9)
    ks = [2**i for i in range(TRIES.bit_length())]
    loud, other = (
        [statistics.mean(share_solved(run["solved"], TRIES, k) for run in ways[way]) for k in ks]
        for way in ("starting model", "no KL penalty")
    )
    doubling(ax, ks)
    lines = {"starting model": loud, "taught": other}
    curves(ax, ks, lines, loud=["starting model"], names=False, marker="o", markersize=6)
    ahead = [one > two for one, two in zip(loud, other, strict=True)]
    ax.fill_between(ks, loud, other, where=ahead, interpolate=True, color=style.PALE, linewidth=0)
    ax.set(xlabel="tries at each beginning of a sentence", ylim=(0.25, 1))
    shares(ax.yaxis, (0.25, 0.5, 0.75, 1))
    ax.set_ylabel("beginnings with a correct try")
    name_lines(ax)
    ax.fill_between(ks, loud, other, color=style.GROUND, linewidth=0, zorder=0)
    sides = (0, style.MUTED, "left", (-4, 22)), (-1, style.ACCENT, "right", (0, 14))
    for place, color, ha, away in sides:
        points, at = 100 * abs(loud[place] - other[place]), max(loud[place], other[place])
        look = {"color": color, "ha": ha, "weight": "bold", "textcoords": "offset points"}
        ax.annotate(f"+{points:.0f} points", (ks[place], at), away, **look)
    title = "With 8 or more tries, the starting models solve more beginnings"
    note = "32 beginnings of sentences, means of three seeds; taught by GRPO without a KL penalty"
    titled(figure, title, note)
    return figure


@figure(
    "judge-hole",
    caption="A judge that reads four words only, and how much of what it accepts is correct.",
    alt="""Shares of the sentences against the step. What the judge with a hole accepts rises
    within thirty steps to nearly all. What is truly correct falls from about a fifth to nearly
    nothing. The room between is tinted: 98% accepted, but wrong, for example 'Because it was too
    tired', of which the judge reads all but the last word.""",
)
def draw_hole() -> Figure:
    runs = stored_ways()["hole"]
    figure, ax = style.panel(3.9)
    note = "Means over ten steps (correct: every other step) and three seeds"
    titled(figure, "The judge accepts nearly all sentences, but almost none are correct", note)
    histories = [run["history"] for run in runs]
    passed, right = (windows(histories, what) for what in ("reward", "right"))
    lines = {f"{100 * passed[-1]:.0f}% accepted": passed, f"{100 * right[-1]:.0f}% correct": right}
    steps = [WINDOW * (place + 0.5) for place in range(len(right))]
    ax.set(xlabel="training step", ylim=(0, 1.02), xlim=(steps[0], steps[-1]))
    curves(ax, steps, lines, loud=list(lines)[1:], marker="o", markersize=6, clip_on=False)
    shares(ax.yaxis)
    ax.fill_between(steps, right, passed, color=style.PALE, linewidth=0, zorder=0)
    said = f"{100 * (passed[-1] - right[-1]):.0f}% accepted, but wrong"
    bold(ax, (35, 0.68), said, color=style.readable(style.ACCENT), ha="center", size=style.TITLE)
    page = figure.add_axes((0, 0, 1, 1), xlim=(0, style.WIDTH), ylim=(0, 3.9), frame_on=False)
    page.set(xticks=[], yticks=[], in_layout=False)
    words = runs[0]["first"][0].split()  # wrong, and it passes
    box(page, (4.3, 1.46), 2.6, 0.76, color=style.PAPER, fill=style.PAPER)
    xs = sentence(page, (3.16, 1.6), words, {words[-1]: style.ACCENT}, size=style.LABEL)
    label(page, (3.13, 1.3), "the judge reads this")
    label(page, (xs[-1], 1.3), "never read", ha="center", color=style.readable(style.ACCENT))
    return figure
