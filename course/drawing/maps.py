"""Maps: a matrix between its words, with its numbers in the cells, and what its colors mean.

image = number_map(ax, cosines, words, words, decimals=1)
color_scale(image, ax, "cosine")
level_name(ax, "to write")           # of the vertical axis: above it, never turned
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from course.drawing import style
from course.drawing.shapes import centered, words_around
from course.drawing.values import as_array, written

NO_CELL = "#E2E2E2"  # where a matrix has no number


def number_map(
    ax: Axes,
    values: Any,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    cmap: Any = style.SIGNED,
    limits: tuple[float, float] = (-1.0, 1.0),
    decimals: int | None = None,
    marks: Sequence[str] = (),
    words: float = style.LABEL,
) -> Any:
    """Draw a matrix (rows, columns), the first row at the top -> the image.

    decimals: of the numbers in the cells; None leaves them out. marks: what stands in a cell of 0
    and of 1 instead. A NaN leaves its cell grey. words: the size of those around it.
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
    for (row, column), value in np.ndenumerate(matrix) if marks or decimals is not None else ():
        if np.isfinite(value):
            text = marks[int(value)] if marks else written(value, decimals or 0)
            color = style.ink_on(image.cmap(image.norm(value)))
            nothing = not value if marks else not text.strip("0.")
            centered(ax, column, row, text, size=10, color=style.MUTED if nothing else color)
    return image


def color_scale(image: Any, axes: Any, name: str, ticks: Sequence[float] = (), **look: Any) -> Any:
    """The scale of the colors at the right of one or several axes, its name level above it."""
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
    """The name of the vertical axis, level above it. side: where the text begins, or ends."""
    ax.set_ylabel(text, rotation=0, ha=side, va="bottom", fontsize=style.NOTE, color=style.MUTED)
    ax.yaxis.set_label_coords(-0.015 if side == "right" else 0.0, 1.015)
