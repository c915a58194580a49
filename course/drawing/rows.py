"""Experiments as rows: a dot for each seed, to be compared with the seeds of the base."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.values import as_array
from course.drawing.words import titled

STEP = 0.265  # inches from row to row


def verdict(shares: Sequence[float], base: Sequence[float]) -> str:
    """Compare the seeds of a change with those of the base.

    "better" if each of them is above all of the base, "worse" if each is below, else "no clear
    difference".
    """
    if min(shares) > max(base):
        return "better"
    return "worse" if max(shares) < min(base) else "no clear difference"


@mpl.rc_context(style.PRINT)
def seed_rows(
    rows: Sequence[Mapping[str, Any]],
    panels: Mapping[str, str],
    *,
    title: str,
    note: str,
    loud: Collection[tuple[str, str]],
    strong: Collection[str] = (),
    written: Callable[[float], str],
    ticks: Sequence[float] = (),
    spans: Sequence[tuple[float, float]] = (),
    quiet: bool = False,
) -> Figure:
    """Draw what changes are worth: a panel for each measure, a row for each change -> the figure.

    rows: {"what": the change, "group": changes that stand together}, and for each key of `panels` a
    number for each seed. The first row has the group "base"; its seeds make a band behind the
    others. panels: key -> the panel's title. loud: (what, key) of the dots in the accent color.
    strong: the rows in bold ink. written: a mean -> the number beside the dots of a row that is
    better or worse (see `verdict`); the other rows are pale. ticks: numbers at the foot of each
    panel, written as differences. spans: of each panel the limits of its own axis, and its width
    goes by them. quiet: with one dot for the mean on the range of the seeds, and numbers for the
    loud and strong rows only.
    Raises ValueError when the first row is not the base, or a row has no numbers.
    """
    if not rows or rows[0]["group"] != "base":
        raise ValueError("the first row should be the base, to which the others are compared")
    for row in rows:
        if not all(len(row[key]) for key in panels):
            raise ValueError(f"the row {row['what']!r} has no results")
    places = np.cumsum([0, *(1.45 if a["group"] != b["group"] else 1 for a, b in pairwise(rows))])
    figure = style.new_figure(style.WIDTH, 1.5 + STEP * places[-1] + 0.45 * bool(ticks))
    titled(figure, title, note)
    how = {"width_ratios": [high - low for low, high in spans]} if spans else {"sharex": True}
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False, **how)[0]
    numbers = np.concatenate([as_array(row[key]) for row in rows for key in panels])
    room = 0.05 * np.ptp(numbers)
    ends = numbers.min() - 5 * room, numbers.max() + 5 * room
    for (low, high), ax, key in zip(spans or [ends] * len(panels), axes, panels, strict=True):
        base = rows[0][key]
        ax.axvspan(min(base), max(base), color=style.GROUND, zorder=0)
        ax.axvline(np.mean(base), color=style.SOFT, linewidth=0.8, zorder=1)
        for y, row in zip(places, rows, strict=True):
            values, mean = as_array(row[key]), float(np.mean(row[key]))
            found, accent = verdict(row[key], base), (row["what"], key) in loud
            clear = found != "no clear difference"
            bold = accent or row["what"] in strong
            color = style.INK if bold else style.MUTED if clear else style.SOFT
            color = style.ACCENT if accent else color
            wide, dots = (1.5, as_array([mean])) if quiet else (3, values)
            ax.plot([values.min(), values.max()], [y, y], color=color, alpha=0.4, linewidth=wide)
            ax.scatter(dots, [y] * len(dots), s=34, color=color, edgecolor=style.PAPER, lw=0.6)
            if clear and (bold or not quiet):
                left = found == "worse" and mean - 3.5 * room > low
                ax.text(
                    values.min() - room if left else values.max() + room,
                    y,
                    written(mean),
                    ha="right" if left else "left",
                    va="center_baseline",
                    weight="bold" if bold else "normal",
                    color=style.ACCENT if accent else style.INK,
                )
            ax.axhline(y, color=style.RULE, linewidth=0.5, zorder=0.5)
        ax.set_title(panels[key], fontsize=style.LABEL)
        ax.set(ylim=(places[-1] + 0.7, -0.7), xlim=(low, high))
        inside = [tick for tick in ticks if low <= tick <= high]
        ax.set_xticks(inside, [f"{tick:+g}" if tick else "0" for tick in inside])
        ax.spines[:].set_visible(False)
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticks(places, [row["what"] for row in rows])
    named = {*strong, *(what for what, _ in loud)}
    for text in axes[0].get_yticklabels():
        text.set_weight("bold" if text.get_text() in named else "normal")
    return figure
