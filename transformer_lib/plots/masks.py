"""What must not be seen: masks as squares of words, the shift by one place, and what a leak does.

Rows are queries, the first word at the top; columns are keys.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from transformer_lib.plots import style
from transformer_lib.plots.values import as_array


@mpl.rc_context(style.PRINT)
def mask_maps(
    masks: Mapping[str, Any],
    rows: Sequence[str],
    columns: Sequence[str],
    xlabel: str = "key: may it be seen?",
    ylabel: str = "query",
) -> Figure:
    """Draw boolean squares (q, k) side by side, True dark with a 1, False white with a 0.

    masks: title -> square; rows, columns: the words of its q rows and k columns. Raises ValueError
    when a square doesn't fit the words or holds anything but True and False (1 and 0).
    """
    squares = {title: as_array(mask) for title, mask in masks.items()}
    for title, square in squares.items():
        if square.shape != (len(rows), len(columns)):
            raise ValueError(f"{title!r}: {len(rows)} words for the rows and {len(columns)} for "
                             f"the columns don't fit the shape {square.shape}")  # fmt: skip
        if not np.isin(square, (0, 1)).all():
            raise ValueError(f"{title!r}: a mask holds True and False only")
    panel = 1.0 + 0.42 * len(columns)
    figure = style.new_figure(0.9 + panel * len(squares), 1.7 + 0.42 * len(rows))
    panels = figure.subplots(1, len(squares), squeeze=False)[0]
    seen = mpl.colors.ListedColormap([style.PAPER, style.CATEGORIES[0]])
    for ax, (title, square) in zip(panels, squares.items(), strict=True):
        ax.imshow(square, cmap=seen, vmin=0, vmax=1, interpolation="nearest")
        ax.set_title(title)
        ax.set_xlabel(xlabel)
        ax.set_xticks(range(len(columns)), columns, rotation=45, ha="right",
                      rotation_mode="anchor")  # fmt: skip
        ax.set_yticks(range(len(rows)), rows)
        ax.tick_params(length=0, labelleft=ax is panels[0])
        ax.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
        ax.grid(which="minor", linewidth=0.8)
        ax.tick_params(which="minor", length=0)
        ax.spines[:].set_visible(False)
        for (i, j), one in np.ndenumerate(square):
            ax.text(j, i, f"{one:.0f}", ha="center", va="center", fontsize=11,
                    color=style.PAPER if one else style.MUTED)  # fmt: skip
    panels[0].set_ylabel(ylabel)
    return figure


@mpl.rc_context(style.PRINT)
def shift_drawing(tgt_in: Sequence[str], tgt_out: Sequence[str], position: int) -> Figure:
    """Draw what the decoder reads above what it must predict, seen from one position.

    Read words up to `position` are filled, later ones hatched; the word to predict there is
    amber. Raises ValueError when the two rows differ in length or the position isn't in them.
    """
    if len(tgt_in) != len(tgt_out):
        raise ValueError(f"tgt_in has {len(tgt_in)} words and tgt_out {len(tgt_out)}; "
                         "they should have the same number")  # fmt: skip
    if not 0 <= position < len(tgt_in):
        raise ValueError(f"position={position} must be from 0 to {len(tgt_in) - 1}")
    figure = style.new_figure(9.0, 2.9)
    ax = figure.subplots()
    ax.set(xlim=(-1.25, len(tgt_in)), ylim=(-0.35, 2.75))
    ax.axis("off")
    for i in range(len(tgt_in)):
        ax.text(i + 0.45, 2.55, f"position {i}", ha="center", va="center", color=style.MUTED,
                fontsize=11)  # fmt: skip
    for y, name, words in ((1.6, "reads\n(tgt_in)", tgt_in), (0.0, "predicts\n(tgt_out)", tgt_out)):
        ax.text(-0.2, y + 0.35, name, ha="right", va="center", weight="bold")
        for i, word in enumerate(words):
            fill, ink, hatch = style.PAPER, style.INK, None
            if y and i <= position:
                fill, ink = style.CATEGORIES[0], style.PAPER
            elif y:
                ink, hatch = style.MUTED, "////"
            elif i == position:
                fill = style.POSITIVE
            ax.add_patch(Rectangle((i, y), 0.9, 0.7, facecolor=fill, hatch=hatch, linewidth=1.4,
                                   edgecolor="#BBBBBB" if hatch else style.MUTED))  # fmt: skip
            ax.text(i + 0.45, y + 0.35, word, ha="center", va="center", color=ink,
                    bbox={"facecolor": fill, "edgecolor": "none", "pad": 1.5})  # fmt: skip
    for i in range(position + 1):
        ax.annotate("", xy=(position + 0.45, 0.74), xytext=(i + 0.45, 1.56),
                    arrowprops={"arrowstyle": "-|>", "color": style.CATEGORIES[0],
                                "linewidth": 1.5})  # fmt: skip
    return figure


@mpl.rc_context(style.PRINT)
def leak_curves(runs: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw how models with and without a causal mask learn -> the figure.

    runs: {"mask": "causal" or "none", "seed", "history": [{"step", "next_word", "right_rows"}]},
    the form of the experiment "masks". Raises ValueError when one of the two kinds is missing.
    """
    if {run["mask"] for run in runs} != {"causal", "none"}:
        raise ValueError('the curves need runs with mask "causal" and runs with mask "none"')
    looks = {
        "causal": ("causal mask", style.CATEGORIES[0], "-", "o"),
        "none": ("mask that shows everything", style.CATEGORIES[4], "--", "s"),
    }
    figure = style.new_figure(10.0, 3.9)
    panels = {
        "next_word": "next word right,\nafter a right beginning",
        "right_rows": "whole row right,\nwritten alone",
    }
    for ax, (quantity, title) in zip(figure.subplots(1, 2), panels.items(), strict=True):
        for kind, (name, color, line, marker) in looks.items():
            for number, run in enumerate(run for run in runs if run["mask"] == kind):
                steps = [entry["step"] for entry in run["history"]]
                shares = [entry[quantity] for entry in run["history"]]
                ax.plot(steps, shares, line, marker=marker, markersize=4, color=color,
                        linewidth=1.6, label=name if number == 0 else None)  # fmt: skip
        ax.set_title(title)
        ax.set_xlabel("step of training")
        ax.set_xlim(left=0)
        ax.set_ylim(-0.04, 1.04)
        ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        ax.grid(axis="y")
    figure.axes[0].legend(loc="lower right")
    return figure
