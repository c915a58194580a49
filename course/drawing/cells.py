"""Numbers as colored cells, on a page or in a panel.

strip(ax, (2, 1), 5.5, 0.4, vector, limit=3)      # one row of colored cells; white is zero
matrix(ax, (2, 0), 2, 0.8, values, limit=1)       # the same with several rows
scale(ax, (6, 0.1), 1.2, limit=3)                 # what the colors mean
mask(ax, (6, 1), 1, 1, seen)                      # a dot for each word that may be seen
"""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from course.drawing import style
from course.drawing.values import as_array, written
from course.drawing.words import Point, label


def strip(
    ax: Axes,
    at: Point,
    width: float,
    height: float,
    vector: Any,
    **look: Any,
) -> None:
    """Draw a vector as one row of colored cells. look: as in `matrix`."""
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
    edge: str = style.EDGE,
    line: float = 0.6,
    cmap: Any = None,
    vectors: bool = False,
    decimals: int | None = None,
) -> None:
    """Draw a matrix (rows, columns) as colored cells, its first row at the top.

    at: the lower left corner. limit: the colors run from -limit to limit, and 0 is white. low:
    where they begin, if not at -limit. edge, line: color and width of the frame, the width in
    points. vectors: draw each cell as a shape of its own, which is sharp in print at any size.
    decimals: of the numbers written in the cells; None writes none.
    """
    values = as_array(values)
    (x, y), norm = at, Normalize(-limit if low is None else low, limit)
    cmap = (style.SIGNED if cmap is None else cmap).with_extremes(bad=style.NO_CELL)
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
    for (row, column), value in np.ndenumerate(values) if decimals is not None else ():
        middle = (
            x + width * (column + 0.5) / values.shape[1],
            y + height * (1 - (row + 0.5) / values.shape[0]),
        )
        color = style.ink_on(cmap(norm(value)))
        label(ax, middle, written(value, decimals or 0), ha="center", color=color)
    outline(ax, at, width, height, edge, line)


def area(ax: Axes, at: Point, width: float, height: float, color: Any, **look: Any) -> None:
    """A filled rectangle without a frame. at: its lower left corner."""
    ax.add_patch(Rectangle(at, width, height, facecolor=color, linewidth=0, **look))


def outline(
    ax: Axes,
    at: Point,
    width: float,
    height: float,
    edge: str = style.EDGE,
    line: float = 0.6,
    **look: Any,
) -> None:
    """Draw an empty frame: the border of a vector, or a vector that isn't there yet.

    at: its lower left corner. line: its width in points.
    """
    ax.add_patch(
        Rectangle(
            at, width, height, facecolor="none", edgecolor=edge, linewidth=line, zorder=3, **look
        )
    )


def mask(ax: Axes, at: Point, width: float, height: float, seen: Any, loud: Any = None) -> None:
    """Draw a mask: a cell for each query and key, with a dot where the query may see the key.

    at: the lower left corner. seen: (q, k), true or false. loud: the same, for cells filled
    with the accent color.
    """
    seen, (x, y) = as_array(seen), at
    loud = np.zeros_like(seen) if loud is None else as_array(loud)
    rows, columns = seen.shape
    for i, j in np.ndindex(seen.shape):
        at = x + j * width / columns, y + height - (i + 1) * height / rows
        cell = width / columns, height / rows
        fill = style.ACCENT if loud[i, j] else style.PAPER if seen[i, j] else style.RULE
        ax.add_patch(
            Rectangle(
                at,
                *cell,
                facecolor=fill,
                edgecolor=style.EDGE,
                linewidth=0.6,
                zorder=2,
            )
        )
        if seen[i, j]:
            color = style.PAPER if loud[i, j] else style.INK
            ax.plot(at[0] + cell[0] / 2, at[1] + cell[1] / 2, "o", color=color, markersize=4)


def scale(
    ax: Axes,
    at: Point,
    width: float,
    *,
    limit: float,
    name: str = "",
    height: float = 0.09,
    low: float | None = None,
    cmap: Any = None,
) -> None:
    """Draw the color scale of strips and matrices: from -limit to limit, and 0 is white.

    at: the lower left corner. name: what the numbers are, above the scale. low: where the colors
    begin, if not at -limit. cmap: by default the colors of signed numbers.
    """
    (x, y), middle, low = at, at[1] + height / 2, -limit if low is None else low
    ramp = np.linspace(low, limit, 65)
    strip(ax, at, width, height, ramp, limit=limit, low=low, cmap=cmap)
    label(ax, (x - 0.05, middle), f"{low:g}".replace("-", "\N{MINUS SIGN}"), ha="right")
    label(ax, (x + width + 0.05, middle), f"{limit:g}")
    if name:
        label(ax, (x + width / 2, y + height + 0.14), name, ha="center")
