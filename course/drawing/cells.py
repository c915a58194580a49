"""Numbers as colored cells, on a page or in a panel.

strip(ax, (2, 1), 5.5, 0.4, vector, limit=3)      # one row of colored cells; white is zero
matrix(ax, (2, 0), 2, 0.8, values, limit=1)       # the same with several rows
bar(ax, (2, 1), 3, 0.2, 0.87, "#2774A7")          # a share: 87% of the length
scale(ax, (6, 0.1), 1.2, limit=3)                 # what the colors mean
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
    cmap: Any = style.SIGNED,
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


def bar(
    ax: Axes, at: Point, width: float, height: float, share: float, fill: str, **ground: Any
) -> None:
    """A bar as long as a share of its ground, which is `width` long.

    at: the lower left corner. fill: the color of the share. ground: options of `area` for the rest.
    """
    area(ax, at, width, height, **{"color": style.GROUND, **ground})
    area(ax, at, width * share, height, fill)


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


def scale(
    ax: Axes,
    at: Point,
    width: float,
    *,
    limit: float,
    name: str = "",
    height: float = 0.09,
) -> None:
    """Draw the color scale of strips and matrices: from -limit to limit, and 0 is white.

    at: the lower left corner. name: what the numbers are, above the scale.
    """
    (x, y), middle = at, at[1] + height / 2
    strip(ax, at, width, height, np.linspace(-limit, limit, 65), limit=limit)
    label(ax, (x - 0.05, middle), f"\N{MINUS SIGN}{limit:g}", ha="right")
    label(ax, (x + width + 0.05, middle), f"{limit:g}")
    if name:
        label(ax, (x + width / 2, y + height + 0.14), name, ha="center")
