"""Heat maps: a matrix with words around it and numbers in its cells, and its color scale.

image = number_map(ax, cosines, words, words, decimals=1)
color_scale(image, ax, "cosine")
level_name(ax, "to write")           # the label of the vertical axis: above it, never turned
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from course.drawing import style
from course.drawing.cells import NO_CELL
from course.drawing.values import as_array, written
from course.drawing.words import centered, words_around

# From nothing to much, where it is neither attention nor signed: how far something moves.
AMOUNTS = LinearSegmentedColormap.from_list(
    "amounts", (style.PAPER, "#F3C4AE", style.ACCENT, "#5A1D04")
)


def number_map(
    ax: Axes,
    values: Any,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    cmap: Any = style.SIGNED,
    limits: tuple[float, float] = (-1.0, 1.0),
    decimals: int | None = None,
    words: float = style.LABEL,
) -> Any:
    """Draw a matrix (rows, columns) as a heat map, the first row at the top -> the image.

    limits: the numbers at both ends of the color scale. decimals: of the numbers written in the
    cells; None writes none. A NaN leaves its cell grey. words: the font size of the words around.
    """
    matrix = as_array(values)
    low, high = limits
    image = ax.imshow(
        np.ma.masked_invalid(matrix),
        cmap=cmap.with_extremes(bad=NO_CELL),
        vmin=low,
        vmax=high,
        interpolation="nearest",
    )
    words_around(ax, rows, columns, words)
    for (row, column), value in np.ndenumerate(matrix) if decimals is not None else ():
        if np.isfinite(value):
            text = written(value, decimals or 0)
            color = style.ink_on(image.cmap(image.norm(value))) if text.strip("0.") else style.MUTED
            centered(ax, column, row, text, size=10, color=color)
    return image


def color_scale(image: Any, axes: Any, name: str, ticks: Sequence[float] = (), **look: Any) -> Any:
    """Add a color scale at the right of one or several axes, its name above it -> the colorbar.

    image: what `number_map` returned. ticks: by default both ends and the middle. look: options of
    matplotlib's `colorbar`.
    """
    scale = image.figure.colorbar(
        image, ax=axes, **{"shrink": 0.6, "aspect": 18, "pad": 0.02, **look}
    )
    scale.outline.set_visible(False)
    low, high = image.get_clim()
    scale.set_ticks(ticks or [low, (low + high) / 2, high])
    scale.ax.tick_params(length=0)
    scale.ax.set_title(name, loc="left", fontsize=style.NOTE, weight="normal")
    return scale


def level_name(ax: Axes, text: str, side: str = "left") -> None:
    """Write the label of the vertical axis above it, horizontally.

    side: "left" if the text begins at the axis, "right" if it ends there.
    """
    ax.set_ylabel(text, rotation=0, ha=side, va="bottom", fontsize=style.NOTE, color=style.MUTED)
    ax.yaxis.set_label_coords(-0.015 if side == "right" else 0.0, 1.015)
