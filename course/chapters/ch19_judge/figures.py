"""What a judge teaches: its price in nats, what it eats, tries at a problem, and a hole found."""

import statistics
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch19_judge.policy import least_kl, share_solved
from course.drawing import style
from course.drawing.arrows import bracket
from course.drawing.plots import curves, doubling, name_lines, shares
from course.drawing.registry import figure
from course.drawing.words import titled

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


def _price(
    before: float, trainings: Mapping[str, Sequence[Row]], others: Mapping[str, Sequence[Row]]
) -> Figure:
    """Draw the share of right sentences against the distance from the start, in nats -> figure.

    before: the share at the start; a line shows the least distance for each share (`least_kl`).
    trainings: name -> the runs of its seeds, with "history", "right" and "kl"; others: the same
    without a history; a single run lies on the shortest way. Raises ValueError for a start
    without right or without wrong sentences.
    """
    if not 0 < before < 1:
        raise ValueError(f"a share of right sentences between 0 and 1, not {before}")
    figure, ax = style.panel(4.8)
    shares = [before + (1 - before) * i / 200 for i in range(201)]
    ax.plot([least_kl(s, before) for s in shares], shares, color=style.ACCENT, linewidth=3)
    _name(ax, "the shortest way", (least_kl(0.9, before), 0.9), style.ACCENT)
    far = 1.06 * max(statistics.mean(run["kl"] for run in runs) for runs in trainings.values())
    for name, runs in trainings.items():
        histories = [run["history"] for run in runs]
        end = [statistics.mean(run[what] for run in runs) for what in ("kl", "right")]
        way = [
            [0, *windows(histories, "kl"), end[0]],
            [before, *windows(histories, "reward"), end[1]],
        ]
        ax.plot(*way, color=style.MUTED, linewidth=2, solid_joinstyle="round")
        ax.plot(*end, "o", color=style.MUTED, markersize=9, zorder=5)
        if name == LOUDEST[0]:
            least = least_kl(end[1], before)
            bracket(ax, (least, 1.04), (end[0], 1.04), f"{end[0] - least:.1f} nats farther")
        _name(ax, name, end, style.MUTED)
    for name, runs in others.items():
        color = style.ACCENT if len(runs) == 1 else style.MUTED
        end = [statistics.mean(run[what] for run in runs) for what in ("kl", "right")]
        ax.plot(*end, "o", color=color, markersize=9, zorder=5)
        _name(ax, name, end, color)
    ax.plot([0], [before], "o", color=style.INK, markersize=9, clip_on=False, zorder=5)
    _name(ax, "the start", (0, before), style.INK)
    ax.set(
        xlabel="distance from the start, in nats per sentence (KL)",
        ylabel="share of right sentences",
        ylim=(min(0.15, before / 2), 1.14),
        xlim=(-0.03 * far, 1.03 * far),
    )
    ax.set_yticks([0.2, 0.4, 0.6, 0.8, 1.0])
    note = "best of 16: the best of 16 sentences that are drawn; grey: the means of three runs"
    titled(figure, "Every training leads farther from the start than it must", note)
    return figure


NEAR = {  # where a name stands, in points from its mark, and which of its sides is there
    "the shortest way": ((11, -3), "left"),
    "best of 16": ((-11, 3), "right"),
    "KL weight 0.3": ((-4, 16), "center"),
    "KL weight 0.1": ((11, 1), "left"),
    "no KL penalty": ((4, -18), "center"),
    "the start": ((12, -6), "left"),
}


def _name(
    ax: Axes, name: str, at: Sequence[float], color: str, places: Mapping[str, Any] = NEAR
) -> None:
    offset, side = places.get(name, ((14, -22), "left"))
    look = {"color": color, "ha": side, "va": "center", "weight": "bold", "zorder": 6}
    ax.annotate(name, at, offset, textcoords="offset points", **look)


LOUDEST = ("no KL penalty",)  # the lesson that changes most
PANELS = "right", "words", "different", "length", "because", "questions"
BESIDE = {  # what else is measured -> how it is called and written
    "different": ("different sentences", "{:.0%}"),
    "length": ("words in a sentence", "{:.1f}"),
    "because": ("with “because”", "{:.0%}"),
    "questions": ("questions", "{:.0%}"),
}
AWAY = {  # where a name stands beside its words, as in `NEAR`
    "start": ((12, 8), "left"),
    "trained on what passed": ((2, 24), "left"),
    "KL weight 0.3": ((-11, -9), "right"),
    "KL weight 0.1": ((-11, -9), "right"),
    "no KL penalty": ((-13, 4), "right"),
    "best of 16": ((6, -26), "right"),
}


def _what_it_eats(rows: Mapping[str, Sequence[Row]], way: Sequence[str]) -> Figure:
    """Draw how many words are left against the share of right sentences, and a table of the rest.

    rows: name -> the runs of its seeds, with "right", "words" and the keys of `BESIDE`; the table
    has the first, the loudest and the last, and the "first" sentence of two. way: the names that a
    line joins. Raises ValueError for none.
    """
    if not rows:
        raise ValueError("there are no rows: there is nothing to draw")
    means = {
        name: {what: statistics.mean(run[what] for run in runs) for what in PANELS}
        for name, runs in rows.items()
    }
    figure = style.new_figure(style.WIDTH, 4.4)
    note = "dots: means of three runs; in quotes: the first sentence that each writes"
    titled(figure, "Without a KL penalty, right sentences are paid for with variety", note)
    figure.get_layout_engine().set(wspace=0.08)  # type: ignore[union-attr]
    ax, table = figure.subplots(1, 2, width_ratios=(1.1, 1))
    ax.plot(*([means[name][what] for name in way] for what in ("right", "words")), color=style.SOFT)
    for name in rows:
        color = style.ACCENT if name in LOUDEST else style.MUTED
        at = means[name]["right"], means[name]["words"]
        ax.plot(*at, "o", color=color, markersize=9, zorder=5)
        said = f"{name},\nuntrained" if name.startswith("best") else textwrap.fill(name, 14)
        _name(ax, said, at, color, {said: AWAY[name]})
    ax.set(xlabel="right sentences", ylabel="different words in 240 sentences")
    ax.set(xlim=(0, 1.04), ylim=(0, 1.15 * means[next(iter(rows))]["words"]))
    shares(ax.xaxis, parts=4)
    first, *_, last = rows
    for name, x in zip((first, *LOUDEST, last), (0.63, 0.82, 1.0), strict=True):
        loud = {"weight": "bold", "color": style.ACCENT} if name in LOUDEST else {}
        look = {"ha": "right", "color": style.MUTED, **loud}
        table.text(x, 0.9, textwrap.fill(name, 7), linespacing=1.15, **look)
        for row, (what, (_, form)) in enumerate(BESIDE.items()):
            number = form.format(means[name][what]).replace("%", " %")
            table.text(x, 0.77 - 0.14 * row, number, **look)
    for row, (said, _) in enumerate(BESIDE.values()):
        table.text(0, 0.77 - 0.14 * row, said)
        table.axhline(0.855 - 0.14 * row, color=style.RULE, linewidth=0.75)
    table.axhline(0.295, color=style.RULE, linewidth=0.75)
    for y, name in ((0.21, first), (0.11, LOUDEST[0])):
        said = f"{name}: “{rows[name][0]['first'][0]}”"
        table.text(0, y, said, color=style.ACCENT if name in LOUDEST else style.MUTED)
    table.set(xlim=(0, 1), ylim=(0, 1))
    table.axis("off")
    return figure


def _tries(curves_of: Mapping[str, Sequence[Row]], drawn: int) -> Figure:
    """Draw pass@k against k -> figure. curves_of: two names, each with the runs of its seeds.

    A run has "solved": of each problem, how many of `drawn` tries were right. The second curve is
    the accent.
    """
    figure, ax = style.panel(3.9)
    ks = [2**i for i in range(drawn.bit_length()) if 2**i <= drawn]
    lines = {
        name: [[share_solved(run["solved"], drawn, k) for k in ks] for run in runs]
        for name, runs in curves_of.items()
    }
    doubling(ax, ks)
    ax.set(xlabel="tries at each beginning of a sentence", ylim=(0, 1))
    shares(ax.yaxis, parts=4)
    ax.set_ylabel("share of beginnings with at least one right try")
    curves(ax, ks, lines, loud=list(lines)[-1:], names=False, marker="o", markersize=5)
    name_lines(ax, wide=16)
    note = "taught: by a judge's verdicts, without a KL penalty; thin lines: each seed"
    titled(figure, "With 8 tries or more, the untaught model solves more beginnings", note)
    return figure


def _hole_found(runs: Sequence[Row], example: str = "") -> Figure:
    """Draw, along a training, what a judge with a hole takes for right, and what is right.

    runs: those of the seeds, each "history" with "reward" and "right". Means of `WINDOW` steps.
    example: a wrong sentence that passes; the judge reads its first four words.
    """
    figure = style.new_figure(style.WIDTH, 3.8)
    titled(
        figure,
        "A judge with a hole: nearly all sentences pass, nearly none is right",
        "The judge reads only the first four words. Thin lines: each of three seeds",
    )
    ax = figure.subplots()
    histories = [run["history"] for run in runs]
    names = {"reward": "passed by the judge", "right": "truly right"}
    lines = {said: [windows([one], what) for one in histories] for what, said in names.items()}
    steps = [WINDOW * (place + 0.5) for place in range(len(windows(histories, "right")))]
    ax.set(xlabel="step of training", ylabel="share of the sentences", ylim=(0, 1.02))
    curves(ax, steps, lines, loud=["truly right"], marker="o", markersize=5, clip_on=False)
    ax.set_xlim(left=0)
    shares(ax.yaxis)
    passed, right = (windows(histories, what) for what in names)
    ax.fill_between(steps, right, passed, color=style.tint(style.ACCENT), linewidth=0, zorder=0)
    said, at = f"passed, but wrong: {100 * (passed[-1] - right[-1]):.0f} %", 0.6 * steps[-1]
    look = {"va": "center_baseline"}
    ax.text(
        at, 0.62, said, color=style.ACCENT, weight="bold", size=style.TITLE, ha="center", **look
    )
    read, unread = " ".join(example.split()[:4]), " ".join(example.split()[4:])
    for left, words, below in (
        (at + 8, f"for example “{read} ", "read by the judge "),
        (at + 8, f" {unread}”", " not read"),
    ):
        look["ha"] = "right" if words.startswith("for") else "left"
        ax.text(left, 0.44, words, size=style.LABEL + 1, **look)
        ax.text(left, 0.36, below, size=style.NOTE, **look)
    ax.plot([at + 8] * 2, [0.33, 0.48], color=style.ACCENT, linewidth=1.5)
    return figure


OWN = "trained on what passed:\nits own right sentences"
NAMES = {"KL 0": "no KL penalty", "KL 0.1": "KL weight 0.1", "KL 0.3": "KL weight 0.3"}


def stored_ways() -> dict[str, list[Row]]:
    from course.chapters.ch19_judge.experiments import by_way

    return {NAMES.get(way, way): runs for way, runs in by_way(experiments.load("judge")).items()}


@figure(
    "judge-price",
    hero=True,
    caption="How far from the start each way to right sentences leads, and how far the "
    "shortest way would.",
    alt="The share of right sentences against the KL from the start, in nats per sentence. The "
    "start is at about a fifth. From there a line rises steeply and reaches 1 after about one and "
    "a half nats: the shortest way. Best of 16 lies on it, above 0.9. Training runs with KL "
    "weights of 0.3, 0.1 and 0 leave to the right of it; the lower the weight, the higher and the "
    "farther away they end: without a penalty 7.7 nats farther than best of 16. What was trained "
    "on what passed ends lower, and to the right of the line as well.",
)
def draw_price() -> Figure:
    ways = stored_ways()
    before, right = (
        statistics.mean(run[what] for run in ways["best of 16"]) for what in ("before", "right")
    )
    best = [{"right": right, "kl": least_kl(right, before)}]  # by theory: it lies on the line
    return _price(
        before,
        {name: ways[name] for name in NAMES.values()},
        {"best of 16": best, OWN: ways["trained on what passed"]},
    )


@figure(
    "judge-eats",
    caption="What the sentences are like before and after the lessons, on three seeds.",
    alt="On the left, different words in 240 sentences against the share of right ones, means of "
    "three training runs. A line falls from the start, at 522 words and 23 "
    "%, over KL weights of 0.3 and 0.1 to no penalty, at 48 words and 98 %. What was trained on "
    "what passed lies beside it, at 411 words and 53 %; best of 16 far above it, at 420 words and "
    "98 %. On the right a table of the start, no penalty and best of 16: different sentences 100, "
    "19 and 100 %; words in a sentence 7.3, 4.3 and 5.5; with because 26, 0 and 12 %; questions 7, "
    "0 and 7 %; and a sentence of the start, 'My father wants to wash my cousin', and one without "
    "a penalty, 'You didn't go to bed'.",
)
def draw_what_it_eats() -> Figure:
    ways = stored_ways()
    rows = ["start", *reversed(NAMES.values()), "trained on what passed", "best of 16"]
    return _what_it_eats({name: ways[name] for name in rows}, rows[:4])


@figure(
    "judge-tries",
    caption="pass@k: how many beginnings have a right sentence among k, before and after.",
    alt="The share of 32 beginnings that became a right sentence, against the number of tries "
    "from 1 to 32, doubling. With one try the taught model is above its start. The "
    "untaught start's curve is steeper, meets it at 4 tries, and is above it from 8 on.",
)
def draw_tries() -> Figure:
    from course.chapters.ch19_judge.experiments import TRIES

    ways = stored_ways()
    return _tries({"untaught": ways["start"], "taught": ways["no KL penalty"]}, TRIES)


@figure(
    "judge-hole",
    caption="A judge that reads four words only, and what is right of what it lets pass.",
    alt="Shares of the sentences against the step. What the judge with a hole lets pass rises "
    "within thirty steps to nearly all. What is truly right falls from about a fifth to "
    "nearly nothing. The room between is tinted: passed, but wrong, 98 % at the end, for example "
    "'Because it was too tired', of which the judge reads all but the last word.",
)
def draw_hole() -> Figure:
    runs = stored_ways()["hole"]
    return _hole_found(runs, runs[0]["first"][0])
