"""Curves of an experiment: what the title is about is `loud`, the rest grey.

    curves(ax, steps, {"post-norm": runs, "pre-norm": runs}, loud=["pre-norm"])
    shares(ax.yaxis)                                  # 0%, 50%, 100%
    doubling(ax, [16, 32, 64])                        # the same step for each factor of two
    name_lines(ax)                                    # names at the ends of curves: no legend

A single seed is a thin line or a dot; the mean of the seeds is a thick line or a number.
"""

import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis

from course.drawing import style
from course.drawing.values import as_array

# How grey curves differ, besides the names at their ends.
GREYS = (
    (style.MUTED, "-"),
    (style.SOFT, "-"),
    (style.MUTED, (0, (5, 2))),
    (style.SOFT, (0, (2, 1.4))),
)


def curves(
    ax: Axes,
    x: Sequence[float],
    lines: Mapping[str, Any],
    *,
    loud: Collection[str] = (),
    names: bool = True,
    **look: Any,
) -> None:
    """Draw a curve for each name: those in `loud` in the accent color, the others grey.

    x: n numbers. lines: name -> values (n,), or (seeds, n) for a thin line for each seed and a
    thick one for their mean; at most two are loud, and four grey. names: write each name at the
    right end of its curve. look: options of matplotlib's `plot`.
    """
    loud_or_grey = {True: [(style.ACCENT, "-"), (style.ACCENT, (0, (5, 2)))], False: list(GREYS)}
    for name, given in lines.items():
        runs = np.atleast_2d(as_array(given))
        color, dashes = loud_or_grey[name in loud].pop(0)
        order = 3 if name in loud else 2
        for run in runs if len(runs) > 1 else ():
            ax.plot(x, run, color=color, linewidth=0.8, alpha=0.5, zorder=order)
        own = {"color": color, "linestyle": dashes, "linewidth": 2.8 if name in loud else 2.0}
        ax.plot(x, runs.mean(axis=0), label=name, zorder=order, **{**own, **look})
    if names:
        name_lines(ax)


def name_lines(ax: Axes, wide: int = 30) -> None:
    """Write each curve's name at its right end, in its color, without overlaps: as a legend.

    wide: at most so many letters of a name stand in one line.
    """
    names = {
        line: textwrap.fill(line.get_label(), wide)
        for line in ax.lines
        if not line.get_label().startswith("_")
    }
    ax.autoscale_view()
    ends, points = {}, 72 / ax.figure.dpi
    for line in names:
        x, y = (np.asarray(values, float) for values in line.get_data())
        last = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[-1]
        ends[line] = line.get_transform(), (x[last], y[last])
    heights = {line: way.transform(end)[1] * points for line, (way, end) in ends.items()}
    lines = sorted(names, key=heights.__getitem__)
    bottom = ax.transAxes.transform((0, 0))[1] * points
    heights_of = [heights[line] for line in lines]
    rooms = [1.4 * style.LABEL * (names[line].count("\n") + 1) for line in lines]
    lowest = bottom if min(heights_of, default=0) >= bottom else -np.inf
    moved = dict(zip(lines, _apart(heights_of, rooms, lowest), strict=True))
    for line, name in names.items():
        ax.annotate(
            name,
            ends[line][1],
            (8, moved[line] - heights[line]),
            xycoords=ends[line][0],
            textcoords="offset points",
            va="center",
            size=style.LABEL,
            color=style.readable(line.get_color(), style.PAPER),
            annotation_clip=False,
        )


def _apart(wanted: Sequence[float], rooms: Sequence[float], lowest: float) -> list[float]:
    """Where the middles of names stand, from the lowest to the highest, none of them overlapping.

    wanted: where each would stand alone, in rising order. rooms: how high each is. Names that would
    touch form a stack, and a stack stands where its names are moved least in the mean, above
    `lowest`. All in points.
    """
    stacks: list[list[int]] = []

    def middles(stack: list[int]) -> np.ndarray:
        room = np.array([rooms[i] for i in stack])
        within = np.cumsum(room) - room / 2
        shift = np.mean([wanted[i] for i in stack] - within)
        return within + max(shift, lowest)

    for i in range(len(wanted)):
        stacks.append([i])
        while len(stacks) > 1:
            below, above = stacks[-2:]
            between = middles(above)[0] - middles(below)[-1]
            if between >= (rooms[above[0]] + rooms[below[-1]]) / 2:
                break
            stacks[-2:] = [below + above]
    return [float(middle) for stack in stacks for middle in middles(stack)]


def shares(axis: Axis, ticks: Sequence[float] = (0, 0.5, 1)) -> None:
    """Label an axis of shares in percent."""
    axis.set_ticks(ticks, [f"{tick:.0%}" for tick in ticks])


def doubling(ax: Axes, numbers: Sequence[float], along: str = "x") -> None:
    """Make an axis, "x" or "y", logarithmic, with a tick at each of these numbers."""
    ax.set(**{f"{along}scale": "log"})
    axis = {"x": ax.xaxis, "y": ax.yaxis}[along]
    axis.set_ticks(numbers, [f"{number:,g}" for number in numbers])
    axis.set_ticks([], minor=True)
