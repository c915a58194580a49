"""The vocabulary of drawing: one way to draw a vector, a matrix, a word, an arrow between words.

All of them draw on a `canvas`: an empty page whose coordinates are inches, with (0, 0) at the
bottom left. A figure is composed of them:

    figure, ax = canvas(8, 2)
    strip(ax, (2, 1), 5.5, 0.4, vector, limit=3)      # one row of colored cells, white is zero
    matrix(ax, (2, 0), 2, 0.8, values, limit=1)       # the same with several rows
    word(ax, (1, 1), "trees")                         # a word of the sentence, in its own color
    look(ax, (1, 1.2), (3, 1.8), 0.9, "trees")        # who looks at whom: the more, the thicker
    threads(ax, places, others, weights, "#2774A7")   # the same for many words: lines
    sentence(ax, (0.2, 1), words, {"trees": "green"}) # words in a row, some of them marked
    pointer(ax, (1, 0.5), (1, 0.9))                   # what goes where
    scale(ax, (6, 0.1), 1.2, limit=3)                 # what the colors mean
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from course.drawing import style
from course.drawing.values import as_array

EDGE = "#BBBBBB"  # the thin frame around cells
Point = tuple[float, float]


def canvas(width: float = style.WIDTH, height: float = 2.5) -> tuple[Figure, Axes]:
    """An empty page of this many inches, on which one unit is one inch."""
    with mpl.rc_context(style.PRINT):
        figure = Figure(figsize=(width, height))
        ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(0, height))
    ax.axis("off")
    return figure, ax


def strip(
    ax: Axes,
    at: Point,
    width: float,
    height: float,
    vector: Any,
    *,
    limit: float,
    edge: str = EDGE,
    line: float = 0.6,
    cmap: Any = None,
    vectors: bool = False,
) -> None:
    """A vector as one row of colored cells.

    at: its lower left corner. limit: the number whose color is the darkest; -limit is the darkest
    of the other side, 0 is white. vectors: for print, draw each cell as a shape of its own.
    """
    row = as_array(vector).reshape(1, -1)
    matrix(
        ax, at, width, height, row, limit=limit, edge=edge, line=line, cmap=cmap, vectors=vectors
    )


def matrix(
    ax: Axes,
    at: Point,
    width: float,
    height: float,
    values: Any,
    *,
    limit: float,
    edge: str = EDGE,
    line: float = 0.6,
    cmap: Any = None,
    vectors: bool = False,
) -> None:
    """A matrix as colored cells, its first row at the top; the rest as in `strip`."""
    values = as_array(values)
    (x, y), norm = at, Normalize(-limit, limit)
    cmap = style.SIGNED if cmap is None else cmap
    if vectors:
        rows, columns = values.shape
        ax.pcolormesh(
            np.linspace(x, x + width, columns + 1),
            np.linspace(y + height, y, rows + 1),
            values,
            cmap=cmap,
            norm=norm,
            edgecolors="face",
            linewidth=0.15,
            zorder=2,
        )
    else:
        limits = ax.get_xlim(), ax.get_ylim()
        ax.imshow(
            values,
            extent=(x, x + width, y, y + height),
            aspect="auto",
            cmap=cmap,
            norm=norm,
            interpolation="nearest",
            zorder=2,
        )
        ax.set(xlim=limits[0], ylim=limits[1])
    outline(ax, at, width, height, edge, line)


def outline(
    ax: Axes,
    at: Point,
    width: float,
    height: float,
    edge: str = EDGE,
    line: float = 0.6,
    **look: Any,
) -> None:
    """An empty frame: a vector that isn't there yet, or the border of one that is."""
    ax.add_patch(
        Rectangle(
            at, width, height, facecolor="none", edgecolor=edge, linewidth=line, zorder=3, **look
        )
    )


def word_color(text: str) -> str:
    """The color that a word of the running sentence has in the whole series; else ink."""
    return style.WORDS.get(text, style.INK)


def word(ax: Axes, at: Point, text: str, *, size: float = 11.0, **look: Any) -> None:
    """A word, in its own color where it belongs to the running sentence."""
    own = {"ha": "center", "va": "center_baseline", "weight": "bold", "color": word_color(text)}
    ax.text(*at, text, fontsize=size, zorder=4, **{**own, **look})


def label(ax: Axes, at: Point, text: str, *, size: float = 9.5, **look: Any) -> None:
    """Words that explain."""
    own = {
        "ha": "left",
        "va": "center" if "\n" in text else "center_baseline",
        "color": style.INK,
        "linespacing": 1.15,
    }
    ax.text(*at, text, fontsize=size, zorder=4, **{**own, **look})


def width_of(text: str, size: float) -> float:
    """How many inches wide a bold word will be."""
    return TextPath((0, 0), text, size=size, prop={"weight": "bold"}).get_extents().width / 72


def percent(chance: float) -> str:
    """A probability as a reader wants it: 90 %, and 0.04 % where it is small."""
    return f"{100 * chance:.0f} %" if chance >= 0.01 else f"{100 * chance:.2f} %"


def look(
    ax: Axes,
    start: Point,
    end: Point,
    weight: float,
    color: str = style.MUTED,
    *,
    widest: float = 5.0,
    bend: float = 0.0,
    rise: float = 0.0,
    least: float = 0.02,
    head: bool = True,
    alpha: float = 0.9,
) -> None:
    """An arrow between words, as thick as the weight (0 to 1) is large; below `least`, none.

    color: a color, or a word of the running sentence whose color it shall have. bend: aside, as a
    share of its length. rise: it leaves and arrives upright, an arch of this height in inches.
    """
    if weight < least:
        return
    thick = max(widest * weight, 0.5)
    way = {"posA": start, "posB": end, "connectionstyle": f"arc3,rad={bend}"}
    if rise:  # a curve stays under its corners: its top is at three quarters of their height
        (x, y), (x_end, y_end), up = start, end, 4 / 3 * rise
        corners = [start, (x, y + up), (x_end, y_end + up), end]
        way = {"path": Path(corners, [Path.MOVETO] + 3 * [Path.CURVE4])}
    ax.add_patch(
        FancyArrowPatch(
            **way,
            arrowstyle=f"-|>,head_length={2.4 + thick / 3},head_width={1.4 + thick / 2.4}"
            if head
            else "-",
            mutation_scale=1.0,
            color=style.WORDS.get(color, color),
            linewidth=thick,
            shrinkA=0,
            shrinkB=0,
            alpha=alpha,
            zorder=2.5,
            capstyle="butt",
            joinstyle="miter",
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
    """Lines from words to the words they look at: the more, the thicker; below `least`, none.

    starts, ends: a point for each row and each column of the weights (q, k). name: of the weights,
    for the summary. upright: the lines leave and arrive upright, not level.
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
    """Points of a line that leaves and arrives level, or upright, and bends in between: (33, 2)."""
    part = np.linspace(0, 1, 33)
    bent = part**2 * (3 - 2 * part)
    x, y = (bent, part) if upright else (part, bent)
    return np.stack([start[0] + (end[0] - start[0]) * x, start[1] + (end[1] - start[1]) * y], 1)


def sentence(
    ax: Axes,
    at: Point,
    words: Sequence[str],
    marked: Mapping[str, str],
    *,
    size: float = 12.0,
    gap: float = 0.165,
) -> list[float]:
    """Words in a row that begins at `at` -> the middle of each.

    marked: word -> its color; it is bold, the others stay in the background.
    """
    (x, y), middles = at, []
    for text in words:
        wide = width_of(text, size)
        look = (
            {"color": marked[text]}
            if text in marked
            else {"weight": "normal", "color": style.MUTED}
        )
        word(ax, (x + wide / 2, y), text, size=size, va="baseline", **look)
        middles.append(x + wide / 2)
        x += wide + gap
    return middles


def pointer(ax: Axes, start: Point, end: Point, color: str = style.MUTED) -> None:
    """A thin arrow: what goes where."""
    look(ax, start, end, 0.25, color)


def scale(
    ax: Axes, at: Point, width: float, *, limit: float, name: str = "", height: float = 0.09
) -> None:
    """What the colors of the strips mean: from -limit over white, which is zero, to limit."""
    (x, y), middle = at, at[1] + height / 2
    limits = ax.get_xlim(), ax.get_ylim()
    ramp = np.linspace(-limit, limit, 65)[None]
    ax.imshow(
        ramp,
        extent=(x, x + width, y, y + height),
        aspect="auto",
        cmap=style.SIGNED,
        vmin=-limit,
        vmax=limit,
        zorder=2,
    )
    ax.set(xlim=limits[0], ylim=limits[1])
    outline(ax, at, width, height)
    label(ax, (x - 0.05, middle), f"\N{MINUS SIGN}{limit:g}", size=10, ha="right")
    label(ax, (x + width + 0.05, middle), f"{limit:g}", size=10)
    if name:
        label(ax, (x + width / 2, y + height + 0.1), name, size=10, ha="center")
