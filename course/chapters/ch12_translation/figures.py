"""How good translations are, by two measures, and what the paper's Table 2 says of that."""

from collections.abc import Mapping
from difflib import SequenceMatcher

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.arrows import path
from course.drawing.plots import doubling
from course.drawing.registry import figure
from course.drawing.words import canvas, label, muted, titled
from course.paper import TABLE_2

# Where a name stands beside its point, if not on the right of it: points, and what is aligned.
SIDES = {
    "Transformer, big": (-14, 0, "right"),
    "Transformer, base": (-12, 26, "left"),
    "ConvS2S, ensemble": (0, -18, "center"),
    "GNMT + RL, ensemble": (14, 0, "left"),
}
OTHERS = [  # what the figure of costs shows besides the Transformers: BLEU from English to German
    row.german for row in TABLE_2.values() if row.german_cost and row.kind != "attention"
]
BASE = "Transformer, base"
MULTIPLES = (1, 3, 7, 23, 55)  # of its cost, what five of the others cost
EXAMPLE = "¿Cómo está mi hijo herido?"  # of the test; each way to break it changes it
ONE_LETTER = "last adjective in the wrong gender"
SAID = {"nothing": "nothing broken"}


@mpl.rc_context(style.PRINT)
def score_bars(scores: Mapping[str, tuple[float, float]]) -> Figure:
    """Draw a bar from exact match to BLEU for each way to break translations, the title's first.

    Above them what isn't broken; below each way, a sentence that was broken so.
    """
    from course.chapters.ch12_translation.experiments import BREAKS

    rows = list(scores.items())
    rows.sort(key=lambda row: (row[0] != "nothing", row[0] != ONE_LETTER, row[1][0] - row[1][1]))
    tall, left, wide = 1.45 + 0.72 * len(rows), 3.8, 3.3
    note = (
        "200 correct translations, damaged wherever possible; in the example, the damage is orange"
    )
    exact, bleu = scores[ONE_LETTER]
    right = f"{exact:.0f}% of the sentences" if exact else "no sentence"
    title = f"With one adjective in the wrong gender, {right} is right, yet BLEU is {bleu:.0f}"
    figure, ax = canvas(tall, title, note)
    for x, said in ((left, "0"), (left + wide, "100")):
        muted(ax, (x, tall - 0.95), said, ha="center")
    for row, (name, pair) in enumerate(rows):
        y, loud = tall - 1.35 - 0.72 * row, name == ONE_LETTER
        weight, color = ("bold", style.ACCENT) if loud else ("normal", style.MUTED)
        label(ax, (0.02, y + 0.12), SAID.get(name, name), size=style.LABEL, weight=weight)
        _changed(ax, (0.02, y - 0.12), EXAMPLE, BREAKS[name](EXAMPLE))
        ends = [left + wide * score / 100 for score in pair]
        ax.hlines(y, left, left + wide, color=style.RULE, linewidth=1, zorder=1)
        ax.hlines(y, *ends, color=color, linewidth=5 if loud else 2.5)
        ax.scatter(ends, [y, y], 110, [style.PAPER, color], edgecolors=color, lw=2, zorder=3)
        look = {"color": color, "weight": weight, "size": style.LABEL}
        look["bbox"] = {"facecolor": style.PAPER, "linewidth": 0, "pad": 1}
        exact, bleu = (f"{score:.0f}" for score in pair)
        if pair[1] - pair[0] > 0.1:
            label(ax, (ends[0] - 0.16, y), exact, ha="right", **look)
        for x, kind in zip(ends, ("exact match", "BLEU") if loud else (), strict=False):
            label(ax, (x, y + 0.27), kind, ha="center", color=color)
        label(ax, (ends[1] + 0.16, y), bleu if exact != bleu else f"both {bleu}", **look)
    muted(ax, (left, 0.27), "Some sentences have no accents to lose")
    return figure


def _changed(ax: Axes, at: tuple[float, float], old: str, new: str) -> None:
    """Write a changed sentence: what isn't as before in the accent color, what is gone as lines."""
    same = SequenceMatcher(None, old, new, autojunk=False)
    parts = same.get_opcodes() if same.ratio() > 0.6 else [("replace", 0, 0, 0, len(new))]
    x, y = at
    for what, i, j, k, m in parts:
        said = new[k:m] or "_" * (j - i)
        color = style.MUTED if what == "equal" else style.ACCENT
        label(ax, (x, y), said, family=style.MONO, color=color)
        x += 0.0947 * len(said)  # a letter's width, in inches


@figure(
    "translation-two-measures",
    caption="What exact match and BLEU say about translations that were broken on purpose.",
    alt="""Four rows by what was broken, each with a broken sentence, what was changed in orange,
    and a bar from exact match, a ring, to BLEU, a dot, on a line from 0 to 100. Nothing: both
    are 100. The last adjective in the wrong gender, in orange: exact match 0, BLEU 79. Last word
    left out: 0 and 87. No accents: 28 and 72.""",
)
def draw_two_measures() -> Figure:
    from course.chapters.ch12_translation.experiments import broken_scores, with_an_adjective

    return score_bars(broken_scores(with_an_adjective()))


@figure(
    "paper-better-and-cheaper",
    hero=True,
    caption="BLEU against the cost of training, as the paper's Table 2 prints them.",
    alt="A point for each system with a printed cost, in multiples of base's cost on a logarithmic "
    "axis from left to right; BLEU into German from bottom to top. Both Transformers lie above all "
    f"others, in orange: base, the cheapest, at {TABLE_2[BASE].german}, big at "
    f"{TABLE_2['Transformer, big'].german}. A line leads from base to the right and down to the "
    f"best rival, an ensemble of ConvS2S: {max(OTHERS)} at 23 times base's cost. ConvS2S, MoE, "
    "GNMT and its ensemble lie below it.",
)
def draw_better_and_cheaper() -> Figure:
    drawn = {name: row for name, row in TABLE_2.items() if row.german and row.german_cost}
    base, rivals = drawn[BASE], {n: row for n, row in drawn.items() if row.kind != "attention"}
    rival = max(rivals.values(), key=lambda row: row.german)
    times, more = rival.german_cost / base.german_cost, base.german - rival.german
    figure, ax = style.panel(4.6)
    title = f"Into German, the base Transformer beats its best rival at 1/{times:.0f} of the cost"
    titled(
        figure,
        title,
        "The systems in Table 2 with a known cost; the paper’s own two in orange",
    )
    for name, row in drawn.items():
        ours, cost = row.kind == "attention", row.german_cost / base.german_cost
        color = style.ACCENT if ours else style.MUTED
        ax.plot(cost, row.german, "o", markersize=16 if name == BASE else 12, color=color)
        x, y, align = SIDES.get(name, (14, 0, "left"))
        look = {"color": color, "weight": "bold" if ours else "normal", "ha": align, "va": "center"}
        look |= {"size": style.LABEL + 3 * (name == BASE), "textcoords": "offset points"}
        ax.annotate(name, (cost, row.german), (x, y), **look)
    corner = [(1.13, base.german), (times, base.german), (times, rival.german + 0.15)]
    path(ax, corner, style.ACCENT, thick=2)
    look = {"color": style.ACCENT, "weight": "bold", "size": style.LABEL + 1}
    ax.text(times**0.7, base.german + 0.1, f"{times:.0f} times the cost", ha="center", **look)
    ax.text(1.07 * times, base.german - more / 2, f"{more:.1f} BLEU less", va="center", **look)
    costs = {row.german_cost / base.german_cost for row in drawn.values()}
    doubling(ax, sorted(cost for cost in costs if round(cost) in MULTIPLES))
    ax.set_xticklabels(["base’s cost", *(f"{times} times" for times in MULTIPLES[1:])])
    ax.set(xlim=(0.7, 240), ylim=(24.2, 28.8), yticks=range(25, 29))
    ax.set(xlabel="estimated cost of the training, on a logarithmic scale", ylabel="quality: BLEU")
    return figure
