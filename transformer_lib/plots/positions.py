"""Where a word stands: position vectors as a heat map, one row for each position."""

from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes

from transformer_lib.plots import style
from transformer_lib.plots.values import as_array


@mpl.rc_context(style.PRINT)
def positions_heatmap(encoding: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw position vectors (length, d_model) with values from -1 to 1 -> the axes.

    Position 0 is the top row, dimension 0 the left column. Blue is negative, amber positive.
    Raises ValueError for another shape. Values beyond -1 and 1 widen the scale on both sides.
    """
    matrix = as_array(encoding)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError("position vectors should have the shape (length, d_model), "
                         f"but theirs is {matrix.shape}")  # fmt: skip
    length, d_model = matrix.shape
    own_figure = ax is None
    if ax is None:
        ax = style.new_figure(9.0, min(1.4 + 0.16 * length, 6.0)).subplots()
    limit = max(1.0, float(abs(matrix).max()))
    image = ax.imshow(matrix, cmap=style.SIGNED, vmin=-limit, vmax=limit, aspect="auto",
                      interpolation="nearest")  # fmt: skip
    ax.set_yticks(_every(length, length // 4))
    ax.set_xticks(_every(d_model, d_model // 8))
    ax.set_xlabel("dimension of the vector")
    ax.set_ylabel("position")
    ax.spines[:].set_visible(False)
    if title:
        ax.set_title(title)
    if own_figure:
        scale = ax.figure.colorbar(image, ax=ax, label="value", aspect=15, pad=0.02)
        scale.outline.set_visible(False)
    return ax


def _every(count: int, step: int) -> list[int]:
    """0, step, 2 step, ... and the last one, where there is room for it."""
    step = max(step, 1)
    ticks = list(range(0, count, step))
    return ticks + [count - 1] if count - 1 - ticks[-1] >= step / 2 else ticks
