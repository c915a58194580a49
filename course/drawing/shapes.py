"""The vocabulary of drawing: a word, an arrow, a box, a strip, a matrix, a bracket, a title.

Most of them draw on a `canvas`: an empty page whose coordinates are inches, with (0, 0) at the
bottom left. A figure is composed of them:

    figure, ax = canvas(8, 2)
    heading(ax, "The finding", "what is drawn")       # at the left edge
    word(ax, (1, 1), "trees")                         # a word on its chip, in its own color
    sentence(ax, (0.2, 1), words, {"trees": "green"}) # words in a row, some of them marked
    strip(ax, (2, 1), 5.5, 0.4, vector, limit=3)      # one row of colored cells, blank is zero
    matrix(ax, (2, 0), 2, 0.8, values, limit=1)       # the same with several rows
    box(ax, (1, 1), 2, 0.4, "softmax")                # a part, a step, a number
    arrow(ax, (1, 0.5), (1, 0.9))                     # what goes where; rise: as an arch
    path(ax, [(1, 1), (2, 1), (2, 0)])                # an arrow around corners
    look(ax, (1, 1.2), (3, 1.8), 0.9, "trees")        # who looks at whom: the more, the thicker
    threads(ax, places, others, weights, "#2774A7")   # the same for many words: lines
    bracket(ax, (6, 0.2), (6, 0.9), "0.37")           # the number that the title names
    scale(ax, (6, 0.1), 1.2, limit=3)                 # what the colors mean

Curves are named at their ends, with `name_lines`, and have no legend.
"""

import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from course.drawing import style
from course.drawing.values import as_array

EDGE = "#BBBBBB"  # the thin frame around cells
PIXEL = 0.75  # points: a pixel of a browser
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
    **look: Any,
) -> None:
    """A vector as one row of colored cells.

    at: its lower left corner. limit: the number whose color is the strongest; -limit is the
    strongest of the other side, 0 has none. vectors: for print, each cell is a shape of its own.
    """
    matrix(ax, at, width, height, as_array(vector).reshape(1, -1), **look)


def matrix(
    ax: Axes,
    at: Point,
    width: float,
    height: float,
    values: Any,
    *,
    limit: float,
    low: float | None = None,
    edge: str = EDGE,
    line: float = 0.6,
    cmap: Any = None,
    vectors: bool = False,
) -> None:
    """A matrix as colored cells, its first row at the top; the rest as in `strip`.

    low: where the colors begin, if not at -limit. edge, line: color and width of the frame.
    """
    values = as_array(values)
    (x, y), norm = at, Normalize(-limit if low is None else low, limit)
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


def area(ax: Axes, at: Point, width: float, height: float, color: Any, **look: Any) -> None:
    """A filled rectangle without a frame. at: its lower left corner."""
    ax.add_patch(Rectangle(at, width, height, facecolor=color, linewidth=0, **look))


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
    """A word on its chip, in its own color where it belongs to the running sentence."""
    own = {"ha": "center", "va": "center_baseline", **style.chip(text, look.pop("color", None))}
    ax.text(*at, text, fontsize=size, zorder=4, **{**own, **look})


def words_around(
    ax: Axes, rows: Sequence[str], columns: Sequence[str], size: float = style.LABEL
) -> None:
    """The words of a map's rows and columns, and thin lines between its cells.

    Words are never turned: where they are wider than their column, they stand on several heights.
    """
    cell = ax.get_window_extent().width / ax.figure.dpi * 72 / len(columns)  # in points, roughly
    wide = max(width_of(text, size) for text in columns) * 72 + 0.5 * size
    ax.set_xticks(range(len(columns)), columns, fontsize=size)
    ax.set_yticks(range(len(rows)), rows, fontsize=size)
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        text.set(**style.chip(text.get_text()))
    levels = int(np.ceil(wide / (0.7 * cell)))  # the layout will take some room
    for number, tick in enumerate(ax.xaxis.get_major_ticks()):
        tick.set_pad(5 + 1.35 * size * (number % levels))
    # Without lines, the eye would lose its row where a cell has no color beside another.
    ax.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    ax.grid(which="minor", linewidth=0.8)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)


def heading(ax: Axes, text: str, note: str = "") -> None:
    """The finding as a title, at the upper left edge of a canvas; what is drawn, below it."""
    top = ax.get_ylim()[1]
    label(ax, (0.02, top - 0.2), text, size=style.TITLE, weight="bold")
    label(ax, (0.02, top - 0.5), note, size=style.LABEL, color=style.MUTED)


def titled(figure: Figure, text: str, note: str = "") -> None:
    """The same above panels: the finding as a title, and what is drawn below it."""
    height = figure.get_figheight()
    lines = [(text, 0.05, style.TITLE, "bold", style.INK)]
    lines += [(note, 0.36, style.LABEL, "normal", style.MUTED)] if note else []
    for said, down, size, weight, color in lines:
        figure.text(0.008, 1 - down / height, said, va="top", size=size, weight=weight, color=color)
    engine = figure.get_layout_engine()
    taken = 0.5 + 0.19 * len(note.splitlines())
    engine.set(rect=(0, 0, 1, 1 - taken / height))  # type: ignore[union-attr]


def label(ax: Axes, at: Point, text: str, *, size: float = style.NOTE, **look: Any) -> None:
    """Words that explain."""
    own = {
        "ha": "left",
        "va": "center" if "\n" in text else "center_baseline",
        "color": style.INK,
        "linespacing": 1.15,
    }
    ax.text(*at, text, fontsize=size, zorder=4, **{**own, **look})


def centered(ax: Axes, x: float, y: float, text: str, **look: Any) -> Any:
    """Words around a point, in the coordinates of any axes."""
    return ax.text(x, y, text, **{"ha": "center", "va": "center", **look})


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
    alpha: float = 1.0,
) -> None:
    """An arrow between words, as thick as the weight (0 to 1) is large; below `least`, none.

    color: a color, or a word of the running sentence whose color it shall have. bend: aside, as a
    share of its length. rise: it leaves and arrives upright, an arch of this height in inches.
    """
    if weight < least:
        return
    thick, color = max(widest * weight, 0.5), style.WORDS.get(color, color)
    arrow(ax, start, end, color, thick=thick, bend=bend, rise=rise, head=head, alpha=alpha)


def arrow(
    ax: Axes,
    start: Point,
    end: Point,
    color: str = style.MUTED,
    *,
    thick: float = 2 * PIXEL,
    bend: float = 0.0,
    rise: float = 0.0,
    head: bool = True,
    **look: Any,
) -> None:
    """An arrow, its head along its tangent; bend and rise as in `look`, thick in points."""
    way = {"posA": start, "posB": end, "connectionstyle": f"arc3,rad={bend}"}
    if rise:  # a curve stays under its corners: its top is at three quarters of their height
        (x, y), (x_end, y_end), up = start, end, 4 / 3 * rise
        corners = [start, (x, y + up), (x_end, y_end + up), end]
        way = {"path": Path(corners, [Path.MOVETO] + 3 * [Path.CURVE4])}
    _patch(ax, way, color, thick, head, **look)


def path(
    ax: Axes,
    corners: Sequence[Point],
    color: str = style.MUTED,
    *,
    thick: float = 2 * PIXEL,
    head: bool = True,
    **look: Any,
) -> None:
    """A line around corners, with a head at its end."""
    _patch(ax, {"path": Path(corners)}, color, thick, head, **look)


def _patch(ax: Axes, way: Any, color: str, thick: float, head: bool, **look: Any) -> None:
    ends = f"-|>,head_length={2.6 + thick / 2},head_width={1.6 + thick / 2.2}" if head else "-"
    own = {"zorder": 2.5, "capstyle": "butt", "joinstyle": "miter", "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(
        FancyArrowPatch(
            **way,
            arrowstyle=ends,
            mutation_scale=1.0,
            color=color,
            linewidth=thick,
            **{**own, **look},
        )
    )


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
    **look: Any,
) -> None:
    """A part, a step, a number: pale, with a thin line. at: its middle. fill: else a tint."""
    plain = color in (style.INK, style.MUTED)
    fill = fill or (style.GROUND if plain else style.tint(color))
    x, y = at
    ax.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle=f"round,pad=0,rounding_size={round}",
            facecolor=fill,
            edgecolor=style.SOFT if plain else color,
            linewidth=line,
            zorder=zorder,
        )
    )
    if text:
        own = {"color": style.ink_on(fill), "linespacing": 1.3, "zorder": zorder + 1}
        centered(ax, x, y, text, size=size, **{**own, **look})


def bracket(ax: Axes, start: Point, end: Point, text: str, color: str = style.INK) -> None:
    """Two ends joined by a line, and beside or above it the number of what lies between."""
    way = {"arrowstyle": "|-|,widthA=0.3,widthB=0.3", "color": color, "linewidth": 1.3}
    ax.annotate("", end, start, arrowprops={**way, "shrinkA": 0, "shrinkB": 0}, zorder=4)
    upright = start[0] == end[0]
    ax.annotate(
        text,
        ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2),
        (7, 0) if upright else (0, 5),
        textcoords="offset points",
        ha="left" if upright else "center",
        va="center" if upright else "bottom",
        weight="bold",
        size=style.LABEL + 1,
        color=color,
        zorder=4,
    )


def name_lines(
    ax: Axes, size: float = style.LABEL, wide: int = 30, but: Collection[str] = ()
) -> None:
    """Each curve's name at its right end, in its color, none over another: instead of a legend.

    wide: how many letters of a name go into one line. but: names that stand elsewhere already.
    """
    names = {
        line: textwrap.fill(line.get_label(), wide)
        for line in ax.lines
        if not line.get_label().startswith("_") and line.get_label() not in but
    }
    ax.autoscale_view()
    ends, points = {}, 72 / ax.figure.dpi
    for line in names:
        x, y = (np.asarray(values, float) for values in line.get_data())
        last = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[-1]
        ends[line] = line.get_transform(), (x[last], y[last])
    heights = {line: way.transform(end)[1] * points for line, (way, end) in ends.items()}
    top, moved = -np.inf, {}
    for line in sorted(names, key=heights.__getitem__):
        room = 0.7 * size * (names[line].count("\n") + 1)  # half of what the name takes
        moved[line] = max(heights[line], top + room)
        top = moved[line] + room
    bottom = ax.transAxes.transform((0, 0))[1] * points
    spread = max((moved[line] - heights[line] for line in names), default=0) / 2
    spread = min(spread, max(min(heights.values(), default=0) - bottom, 0))
    for line, name in names.items():
        ax.annotate(
            name,
            ends[line][1],
            (8, moved[line] - heights[line] - spread),
            xycoords=ends[line][0],
            textcoords="offset points",
            va="center",
            size=size,
            color=style.readable(line.get_color(), style.PAPER),
            annotation_clip=False,
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


def head(
    ax: Axes,
    sources: Sequence[Point],
    targets: Sequence[Point],
    weights: Any,
    words: Sequence[str],
    **how: Any,
) -> None:
    """What one head brings to each word (q) from the others (k): an arrow each, in their colors.

    weights: (q, k). words: of the sources. how: as in `look`.
    """
    for (target, source), weight in np.ndenumerate(as_array(weights)):
        look(ax, sources[source], targets[target], float(weight), words[source], **how)


def curve(start: Point, end: Point, upright: bool = False) -> np.ndarray:
    """Points of a line that leaves and arrives level, or upright, and bends in between: (33, 2)."""
    part = np.linspace(0, 1, 33)
    bent = part**2 * (3 - 2 * part)
    x, y = (bent, part) if upright else (part, bent)
    return np.stack([start[0] + (end[0] - start[0]) * x, start[1] + (end[1] - start[1]) * y], 1)


def mask(ax: Axes, at: Point, width: float, height: float, seen: Any) -> None:
    """What may be seen: a cell for each pair (q, k), a dot in it where `seen` is true."""
    seen, (x, y) = as_array(seen), at
    rows, columns = seen.shape
    for i, j in np.ndindex(seen.shape):
        at = x + j * width / columns, y + height - (i + 1) * height / rows
        cell = width / columns, height / rows
        ax.add_patch(
            Rectangle(
                at,
                *cell,
                facecolor=style.PAPER if seen[i, j] else style.RULE,
                edgecolor=EDGE,
                linewidth=0.6,
                zorder=2,
            )
        )
        if seen[i, j]:
            ax.plot(at[0] + cell[0] / 2, at[1] + cell[1] / 2, "o", color=style.INK, markersize=4)


def sentence(
    ax: Axes,
    at: Point,
    words: Sequence[str],
    marked: Mapping[str, str],
    *,
    size: float = 12.0,
    gap: float = 0.165,
    ha: str = "left",
) -> list[float]:
    """Words in a row that begins at `at`, or with ha="center" lies around it -> the middle of each.

    marked: word -> its color; the others stay in the background.
    """
    (x, y), middles = at, []
    if ha == "center":
        x -= (sum(width_of(text, size) + gap for text in words) - gap) / 2
    for text in words:
        wide = width_of(text, size)
        color = marked.get(text, style.MUTED)
        word(ax, (x + wide / 2, y), text, size=size, va="baseline", color=color)
        middles.append(x + wide / 2)
        x += wide + gap
    return middles


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
        label(ax, (x + width / 2, y + height + 0.14), name, size=10, ha="center")
