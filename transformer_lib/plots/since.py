"""Since 2017: new bends, positions and schedules, what each part is worth, and both ends."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from transformer_lib.plots import style
from transformer_lib.plots.architecture import arrow, line
from transformer_lib.plots.drawing import canvas, label
from transformer_lib.plots.training import verdict
from transformer_lib.plots.values import as_array

LINES = ("-", "--", "-.", ":")
LOOKS = {
    "worse": (style.CATEGORIES[4], "s", "each seed worse than each of the base"),
    "better": (style.CATEGORIES[3], "^", "each seed better than each of the base"),
    "no clear difference": (style.CATEGORIES[0], "o", "base, and no clear difference from it"),
}


@mpl.rc_context(style.PRINT)
def worth_dots(
    rows: Sequence[Mapping[str, Any]],
    panels: Mapping[str, str],
    unit: str = "sentences right to the letter: percentage points above the base's mean",
) -> Figure:
    """Draw how far each part is from the base: a panel for each kind of sentence -> the figure.

    rows: {"what", "group"} and for each key of `panels` a number for each seed, above 0 if it is
    better than the base's mean; the first is the base, whose seeds make the band. panels: key ->
    title. unit: what the numbers are. Raises ValueError when the first row is not the base.
    """
    if not rows or rows[0]["group"] != "base":
        raise ValueError("the first row should be the base, to which the others are compared")
    groups = list(dict.fromkeys(row["group"] for row in rows))
    places = [i + 0.55 * groups.index(row["group"]) for i, row in enumerate(rows)]
    figure = style.new_figure(style.WIDTH, 2.0 + 0.31 * places[-1])
    axes = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    named = {}
    for ax, (key, title) in zip(axes, panels.items(), strict=True):
        base = rows[0][key]
        ax.axvspan(min(base), max(base), color="#DCE9F3", zorder=0)
        ax.axvline(0, color=style.MUTED, linewidth=0.8, zorder=1)
        for y, row in zip(places, rows, strict=True):
            values, found = as_array(row[key]), verdict(row[key], base)
            color, marker, said = LOOKS[found]
            dots = ax.plot(values, [y] * len(values), linestyle="", marker=marker, color=color,
                           markersize=6.5, alpha=0.75)  # fmt: skip
            named.setdefault(said, dots[0])
            ax.plot([values.mean()] * 2, [y - 0.36, y + 0.36], color=style.INK, linewidth=2.2)
        ax.set_title(title, fontsize=style.FONT_SIZE)
        ax.set_ylim(places[-1] + 0.7, places[0] - 0.7)
        ax.xaxis.set_major_formatter(lambda x, _: in_points(x))
        ax.grid(axis="x")
        ax.tick_params(axis="y", length=0)
        ax.spines[["left", "bottom"]].set_visible(False)
    axes[0].set_yticks(places, [row["what"] for row in rows])
    seeds = len(rows[0][next(iter(panels))])
    figure.supxlabel(f"{unit}\n(a mark for each of {seeds} seeds, a line at their mean; "
                     f"tinted: the base's own seeds)", fontsize=style.FONT_SIZE - 1)  # fmt: skip
    order = [said for _, _, said in LOOKS.values() if said in named]
    figure.legend([named[said] for said in order], order, loc="outside upper center", ncols=1)
    return figure


@mpl.rc_context(style.PRINT)
def bend_curves(z: Any, curves: Mapping[str, Any]) -> Figure:
    """Draw what comes out of a bend against what goes in, a curve for each -> the figure."""
    figure = style.new_figure(style.WIDTH, 3.6)
    ax = figure.subplots()
    for (name, values), color, look in zip(curves.items(), style.CATEGORIES, LINES, strict=False):
        ax.plot(as_array(z), as_array(values), look, color=color, linewidth=3, label=name)
    ax.axhline(0, color=style.MUTED, linewidth=0.8)
    ax.set(xlabel="z: what goes in", ylabel="what comes out")
    ax.grid()
    ax.legend()
    return figure


@mpl.rc_context(style.PRINT)
def score_squares(squares: Mapping[str, Any]) -> Figure:
    """Draw scores (q, k) by the places of query and key -> the figure.

    squares: title -> scores. Each has a scale of its own, white at zero, blue below, amber above;
    -inf is grey and crossed out.
    """
    down = -(-len(squares) // 2)
    figure = style.new_figure(style.WIDTH, 0.6 + 3.6 * down)
    for number, (title, square) in enumerate(squares.items(), 1):
        ax = figure.add_subplot(down, 2, number)
        scores = as_array(square)
        shown = np.ma.masked_invalid(scores)
        limit = float(np.abs(shown).max()) or 1.0
        ax.set_facecolor("#D9D9D9")
        ax.imshow(shown, cmap=style.SIGNED, vmin=-limit, vmax=limit, interpolation="nearest")
        for y, x in np.argwhere(np.isinf(scores)):
            ax.plot([x - 0.25, x + 0.25], [y - 0.25, y + 0.25], color=style.MUTED, linewidth=0.8)
        ax.set_title(title, fontsize=style.FONT_SIZE)
        ax.set(xlabel="place of the key", ylabel="place of the query")
        ax.set_xticks(range(0, scores.shape[1], 3))
        ax.set_yticks(range(0, scores.shape[0], 3))
    figure.supxlabel("white: 0; amber: above; blue: below; grey: hidden. "
                     "Each square has its own scale", fontsize=style.FONT_SIZE)  # fmt: skip
    return figure


@mpl.rc_context(style.PRINT)
def schedule_lines(rates: Mapping[str, Any]) -> Figure:
    """Draw learning rates by the step, as shares of the highest one -> the figure."""
    figure = style.new_figure(style.WIDTH, 3.2)
    ax = figure.subplots()
    for (name, rate), color, look in zip(rates.items(), style.CATEGORIES, LINES, strict=False):
        rate = as_array(rate)
        ax.plot(np.arange(1, len(rate) + 1), rate / rate.max(), look, color=color, linewidth=3,
                label=name)  # fmt: skip
    ax.set(xlabel="step of training", ylabel="learning rate,\nby its own highest", ylim=(0, 1.08))
    ax.set_xlim(left=0)
    ax.legend(loc="lower left", bbox_to_anchor=(0.14, 0.02))
    return figure


@mpl.rc_context(style.PRINT)
def memory_lines(
    lengths: Sequence[int],
    megabytes: Mapping[str, Sequence[float]],
    unit: str = "megabytes at a time",
) -> Figure:
    """Draw the memory of attention against the length of the sentences -> the figure.

    Both axes double from line to line. Raises ValueError for a way without a number for each
    length.
    """
    figure = style.new_figure(style.WIDTH, 4.2)
    ax = figure.subplots()
    for (name, values), color, look, mark in zip(
        megabytes.items(), style.CATEGORIES, LINES, "osD", strict=False
    ):
        if len(values) != len(lengths):
            raise ValueError(f"{name!r} has {len(values)} numbers for {len(lengths)} lengths")
        ax.plot(lengths, values, look, marker=mark, color=color, linewidth=2.6, markersize=7,
                label=name)  # fmt: skip
        ax.annotate(f"{values[-1]:.0f} MB", (lengths[-1], values[-1]), xytext=(8, 0),
                    textcoords="offset points", va="center", weight="bold",
                    annotation_clip=False)  # fmt: skip
    doubling(ax, lengths)
    ax.set_ylabel(unit)
    ax.legend()
    return figure


@mpl.rc_context(style.PRINT)
def time_lines(
    lengths: Sequence[int],
    panels: Mapping[str, Mapping[str, Any]],
    unit: str = "time, by that of the formula",
) -> Figure:
    """Draw times, divided by those of the formula, against the length of the sentences.

    panels: title -> {name -> a time for each length}. 1, the formula's own, is a line.
    """
    figure = style.new_figure(style.WIDTH, 4.0)
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, (title, curves) in zip(axes, panels.items(), strict=True):
        for (name, values), color, look, mark in zip(
            curves.items(), style.CATEGORIES[1:], LINES, "sDo^", strict=False
        ):
            ax.plot(lengths, values, look, marker=mark, color=color, linewidth=2.4, markersize=6,
                    label=name)  # fmt: skip
        ax.axhline(1, color=style.CATEGORIES[0], linewidth=2)
        doubling(ax, lengths)
        ax.set_title(title, fontsize=style.FONT_SIZE)
    axes[0].set_ylabel(unit)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=2)
    return figure


def doubling(ax: Axes, lengths: Sequence[int]) -> None:
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    ax.set_xticks(lengths, [f"{length:,}" for length in lengths], fontsize=10)
    ax.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    ax.minorticks_off()
    ax.grid()
    ax.set_xlabel("words in a sentence")


# --- both ends -----------------------------------------------------------------------------------

THEN, NOW = 1.35, 6.65  # the middles of the two columns, in inches
WIDE = 1.7  # a part
NAME, NUMBERS = 2.72, (4.17, 4.66, 5.2)  # the table between them: its names, and its numbers
PAPER_LAYER = (  # from the bottom up: height of the middle, what it is; a residual goes around
    (1.2, "words + positions", ""), (2.2, "self-attention:\n4 heads of keys", "around"),
    (3.0, "add & layer norm", ""), (4.0, "feed-forward:\nmax(0, z), biases", "around"),
    (4.8, "add & layer norm", ""),
)  # fmt: skip
TODAYS_LAYER = (
    (1.2, "words", ""), (2.0, "RMSNorm", "around"), (2.8, "self-attention:\nturned, QK-norm,\n"
     "2 heads of keys", ""), (3.55, "add", ""), (4.2, "RMSNorm", "around"),
    (4.9, "feed-forward:\nSwiGLU, no biases", ""), (5.55, "add", ""),
)  # fmt: skip


@mpl.rc_context(style.PRINT)
def two_models(rows: Sequence[Mapping[str, Any]], panels: Mapping[str, str]) -> Figure:
    """Draw a layer of 2017, one of today, and what lies between them, with its worth -> the figure.

    rows: {"what"} and for each key of `panels` a number for each seed, in points; the first is the
    base, the last all of them together. panels: key -> the head of its column. A mean is bold where
    each seed lies beyond all of the base's.
    """
    if len(rows) < 3:
        raise ValueError(f"{len(rows)} rows: the base, a part and all together are needed")
    base, *parts, together = rows
    figure, ax = canvas(style.WIDTH, 6.9)
    for x, year, layer, training in (
        (THEN, "2017", PAPER_LAYER, "trained with Adam; our base's\n"
         "rate goes up, and straight down\n(the paper's: as 1 over the root)"),
        (NOW, "2026", TODAYS_LAYER, "trained with AdamW; the rate\ngoes up, stays, and goes down"),
    ):  # fmt: skip
        label(ax, (x, 6.6), year, size=18, weight="bold", ha="center")
        _layer(ax, x, layer)
        label(ax, (x, 0.42), training, size=10.5, ha="center", color=style.MUTED)
    label(ax, (4.0, 6.3), "What it is worth here,\nat its own rate: points,\n"
          "by kind of sentence", size=11, ha="center", va="center")  # fmt: skip
    for x, head in zip(NUMBERS, panels.values(), strict=False):
        label(ax, (x, 5.85), head, size=9.5, ha="center", color=style.MUTED)
    step = 4.3 / len(parts)
    for number, row in enumerate([*parts, together]):
        last = row is together
        y = 5.5 - number * step - (0.25 if last else 0)
        label(ax, (NAME, y), row["what"], size=11, weight="bold" if last else "normal")
        for x, key in zip(NUMBERS, panels, strict=False):
            clear = verdict(row[key], base[key]) != "no clear difference"
            label(ax, (x, y), in_points(as_array(row[key]).mean()), size=11, ha="center",
                  weight="bold" if clear else "normal",
                  color=style.INK if clear else style.MUTED)  # fmt: skip
        if last:
            line(ax, [(NAME, y + 0.27), (NUMBERS[-1] + 0.25, y + 0.27)])
    label(ax, (4.0, 0.42), "bold: each seed beyond\nall seeds of the base", size=10.5, ha="center",
          color=style.MUTED)  # fmt: skip
    return figure


def in_points(number: float) -> str:
    """A whole number of points with its sign: +3, 0, −12."""
    return f"{round(number):+d}".replace("-", "\N{MINUS SIGN}") if round(number) else "0"


def _layer(ax: Axes, x: float, parts: Sequence[tuple[float, str, str]]) -> None:
    """Boxes from the bottom up, in a frame that is repeated; what comes in goes around, too."""
    bottom, top = parts[1][0] - 0.52, parts[-1][0] + 0.36
    ax.add_patch(FancyBboxPatch(
        (x - 1.15, bottom), 2.3, top - bottom, boxstyle="round,pad=0,rounding_size=0.12",
        facecolor=style.TINTS[style.DECODER], edgecolor=style.DECODER, linewidth=1.4, zorder=0,
    ))  # fmt: skip
    edge = None  # the upper edge of the last box
    adds = [y for y, words, _ in parts if words.startswith("add")]
    for y, words, way in parts:
        high = 0.32 + 0.18 * words.count("\n")
        if edge is not None:
            arrow(ax, (x, edge), (x, y - high / 2))
        if way == "around":
            below, aside = y - high / 2 - 0.12, x + WIDE / 2 + 0.17
            add = min(place for place in adds if place > y)
            line(ax, [(x, below), (aside, below), (aside, add)])
            arrow(ax, (aside, add), (x + WIDE / 2, add))
        ax.add_patch(FancyBboxPatch(
            (x - WIDE / 2, y - high / 2), WIDE, high, facecolor=style.PAPER, zorder=2,
            boxstyle="round,pad=0,rounding_size=0.08", edgecolor=style.DECODER, linewidth=1.8,
        ))  # fmt: skip
        label(ax, (x, y), words, size=10.5, ha="center", va="center")
        edge = y + high / 2
    arrow(ax, (x, edge), (x, top + 0.25))
