"""How well a translator does: while it learns, and by two measures."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from transformer_lib.plots import style

CHANCE = 0.25  # two sentences of a pair, each with one of two genders


@mpl.rc_context(style.PRINT)
def skill_curves(history: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the share of right sentences and of right pronoun pairs against the step.

    history: entries `{"step", "exact_match", "pair_exact_match"}`, as in the training record.
    Raises ValueError when there is none.
    """
    if not history:
        raise ValueError("the training history is empty: there is no curve to draw")
    figure = style.new_figure(8.0, 4.0)
    ax = figure.subplots()
    steps = [entry["step"] for entry in history]
    looks = {
        "exact_match": ("ordinary sentences", style.CATEGORIES[0], "o-"),
        "pair_exact_match": ("pronoun pairs, both sentences", style.CATEGORIES[2], "s--"),
    }
    for key, (name, color, look) in looks.items():
        ax.plot(steps, [entry[key] for entry in history], look, label=name, color=color,
                markersize=6)  # fmt: skip
    ax.axhline(CHANCE, label="pairs with both genders guessed", color=style.MUTED, linestyle=":")
    ax.set_xlabel("step (one update of the weights)")
    ax.set_ylabel("share right to the letter")
    ax.set_ylim(0, 1.05)
    ax.set_xlim(left=0)
    ax.grid(axis="y")
    ax.legend(loc="center right")
    return figure


@mpl.rc_context(style.PRINT)
def score_bars(scores: Mapping[str, tuple[float, float]]) -> Figure:
    """Draw two bars for each name: exact match and BLEU, both from 0 to 100.

    Raises ValueError for a number outside of that.
    """
    for name, pair in scores.items():
        if not all(0 <= score <= 100 + 1e-6 for score in pair):
            raise ValueError(f"{name!r}: scores go from 0 to 100, but here are {pair}")
    figure = style.new_figure(8.0, 1.2 + 0.6 * len(scores))
    ax = figure.subplots()
    kinds = [("exact match", style.CATEGORIES[0]), ("BLEU", style.CATEGORIES[1])]
    for place, (kind, color) in enumerate(kinds):
        rows = [row + 0.38 * (place - 0.5) for row in range(len(scores))]
        values = [pair[place] for pair in scores.values()]
        ax.barh(rows, values, height=0.36, label=kind, color=color)
        for row, value in zip(rows, values, strict=True):
            ax.text(value + 1, row, f"{value:.1f}", va="center", fontsize=10.5)
    ax.set_yticks(range(len(scores)), list(scores))
    ax.invert_yaxis()
    ax.set_xlim(0, 108)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("points of 100")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    return figure
