"""Boxes and arrows: what goes where, and who looks at whom.

box(ax, (1, 1), 2, 0.4, "softmax")                # a part, a step, a number
arrow(ax, (1, 0.5), (1, 0.9))                     # from here to there; with `rise` as an arch
path(ax, [(1, 1), (2, 1), (2, 0)])                # an arrow around corners
segment(ax, (1, 1), (2, 1))                       # a straight line without a head
attention_arrow(ax, (1, 1), (3, 2), 0.9, "trees")  # who looks at whom: thicker for more weight
threads(ax, places, others, weights, "#2774A7")   # the same for many words, as lines
bracket(ax, (6, 0.2), (6, 0.9))                   # a distance
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from course.drawing import style
from course.drawing.values import as_array
from course.drawing.words import Point, centered

PIXEL = 0.75  # points: a pixel of a browser


def attention_arrow(
    ax: Axes,
    start: Point,
    end: Point,
    weight: float,
    color: str = style.MUTED,
    *,
    widest: float = 5.0,
    rise: float = 0.0,
    least: float = 0.02,
) -> None:
    """Draw an arrow between two words: the larger the weight (0 to 1), the thicker.

    color: a color, or a word of the running sentence, whose color it takes. widest: its width at a
    weight of 1, in points. rise: the height, in inches, of an arch that leaves and arrives
    vertically. least: a smaller weight gets no arrow.
    """
    if weight >= least:
        thick, color = max(widest * weight, 0.5), style.WORDS.get(color, color)
        arrow(ax, start, end, color, thick=thick, rise=rise)


def arrow(
    ax: Axes,
    start: Point,
    end: Point,
    color: str = style.MUTED,
    *,
    thick: float = 2 * PIXEL,
    rise: float = 0.0,
    head: bool = True,
    **kwargs: Any,
) -> None:
    """Draw an arrow. thick: its width in points. rise: see `attention_arrow`."""
    way: dict[str, Any] = {"posA": start, "posB": end}
    if rise:  # a curve stays under its corners: its top is at three quarters of their height
        (x, y), (x_end, y_end), up = start, end, 4 / 3 * rise
        straight = y_end + np.sign(rise) * (3 + thick) / 72 * head  # under the head, else it kinks
        corners = [start, (x, y + up), (x_end, y_end + up), (x_end, straight), end]
        way = {"path": Path(corners, [Path.MOVETO, *3 * [Path.CURVE4], Path.LINETO])}
    _patch(ax, way, color, thick, head, **kwargs)


def path(
    ax: Axes,
    corners: Sequence[Point],
    color: str = style.MUTED,
    *,
    thick: float = 2 * PIXEL,
    head: bool = True,
    **kwargs: Any,
) -> None:
    """Draw a line around corners, with an arrowhead at its end. thick: its width in points."""
    _patch(ax, {"path": Path(corners)}, color, thick, head, **kwargs)


def segment(ax: Axes, start: Point, end: Point, color: str = style.MUTED, **look: Any) -> None:
    """Draw a straight line. look: as of `path`."""
    path(ax, [start, end], color, head=False, **look)


def _patch(ax: Axes, way: Any, color: str, thick: float, head: bool, **kwargs: Any) -> None:
    ends = f"-|>,head_length={2.6 + thick / 2},head_width={1.6 + thick / 2.2}" if head else "-"
    own = {"zorder": 2.5, "capstyle": "butt", "joinstyle": "miter", "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(
        FancyArrowPatch(
            arrowstyle=ends,
            mutation_scale=1.0,
            color=color,
            linewidth=thick,
            **{**own, **way, **kwargs},
        )
    )


def threads(
    ax: Axes,
    starts: Sequence[Point],
    ends: Sequence[Point],
    weights: Any,
    color: str,
    *,
    name: str = "",
    widest: float = 5.0,
    least: float = 0.03,
    upright: bool = False,
) -> None:
    """Draw lines from words to the words they look at: the larger the weight, the thicker.

    starts, ends: a point for each row and each column of the weights (q, k). name: what the weights
    are called in the figure's summary. widest: the width at a weight of 1, in points. least: a
    smaller weight gets no line. upright: lines leave and arrive vertically, not horizontally.
    """
    weights = as_array(weights).reshape(len(starts), len(ends))
    pairs = [pair for pair in np.ndindex(weights.shape) if weights[pair] >= least]
    if not pairs:
        return
    ax.add_collection(
        LineCollection(
            [curve(starts[i], ends[j], upright) for i, j in pairs],
            colors=color,
            label=name,
            linewidths=[max(widest * weights[pair], 0.6) for pair in pairs],
            alpha=[0.35 + 0.6 * min(float(weights[pair]), 1.0) for pair in pairs],
            capstyle="round",
            zorder=2,
        )
    )


def curve(start: Point, end: Point, upright: bool = False) -> np.ndarray:
    """Points (33, 2) of a line that leaves and arrives horizontally, or vertically if `upright`."""
    part = np.linspace(0, 1, 33)
    bent = part**2 * (3 - 2 * part)
    x, y = (bent, part) if upright else (part, bent)
    return np.stack([start[0] + (end[0] - start[0]) * x, start[1] + (end[1] - start[1]) * y], 1)


def box(
    ax: Axes,
    at: Point,
    width: float,
    height: float,
    text: str = "",
    color: str = style.MUTED,
    *,
    fill: str | None = None,
    size: float = style.LABEL,
    line: float = PIXEL,
    zorder: float = 2,
    round: float = 0.08,
    **kwargs: Any,
) -> None:
    """Draw a box with a thin frame, and a text in its middle.

    at: the middle of the box. color: of the frame. fill: the color inside, by default a pale tint
    of `color`. line: the width of the frame, in points. round: the radius of its corners.
    """
    plain = color in (style.INK, style.MUTED)
    fill = fill or (style.GROUND if plain else style.tint(color))
    x, y = at
    shape = "circle,pad=0" if width == height == 2 * round else f"round,pad=0,rounding_size={round}"
    ax.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle=shape,
            facecolor=fill,
            edgecolor=style.SOFT if plain else color,
            linewidth=line,
            zorder=zorder,
        )
    )
    if text:
        own = {"color": style.ink_on(fill), "linespacing": 1.3, "zorder": zorder + 1}
        centered(ax, x, y, text, size=size, **{**own, **kwargs})


def bracket(ax: Axes, start: Point, end: Point, color: str = style.INK) -> None:
    """Mark a distance: a line from start to end, with a bar at each."""
    way = {"arrowstyle": "|-|,widthA=0.3,widthB=0.3", "color": color, "linewidth": 1.3}
    ax.annotate("", end, start, arrowprops={**way, "shrinkA": 0, "shrinkB": 0}, zorder=4)
