"""Who looks at whom: attention weights with the sentence's own words on the axes.

Rows are queries, the first word at the top. Columns are keys, their words along the bottom.
All maps share one scale from 0 (white) to 1 (dark), so that two of them can be compared.
"""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.maps import color_scale
from course.drawing.values import as_array, written
from course.drawing.words import centered, words_around

QUERY = "query: the word that looks"
WRITES = "query: the position that writes this word"
KEY = "key: the word looked at"


@mpl.rc_context(style.PRINT)
def attention_heatmap(
    weights: Any, rows: Sequence[str], columns: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Draw one head's weights (q, k) -> the axes.

    rows: the q words that look; columns: the k words they look at. In a small map each cell
    carries its number. Raises ValueError when the words don't fit the matrix, or it doesn't hold
    weights.
    """
    matrix = _weights(weights, rows, columns, axes_names=("q", "k"))
    ax = style.panel(4.0)[1] if ax is None else ax
    _draw(ax, matrix, rows, columns)
    ax.set(xlabel=KEY, ylabel=QUERY)
    return ax


@mpl.rc_context(style.PRINT)
def attention_heads(
    weights: Any, rows: Sequence[str], columns: Sequence[str], title: str = "", query: str = QUERY
) -> Figure:
    """Draw the weights of all heads (h, q, k) in maps side by side -> the figure.

    title: of all maps together. query: what a row is. Raises ValueError as `attention_heatmap`.
    """
    matrices = _weights(weights, rows, columns, axes_names=("h", "q", "k"))
    heads = len(matrices)
    across = min(heads, 4 if len(columns) <= 12 else 3)  # many words need wide maps
    if heads <= 4 and len(columns) > 8:
        across = min(heads, 2)
    down = -(-heads // across)
    panel = 4.2 if across <= 2 else 2.1 if len(columns) <= 8 else 10.4 / across  # inches
    height = down * (panel * len(rows) / len(columns) + 0.4) + (1.55 if title else 1.0)
    figure = style.new_figure(panel * across + 1.2, height)
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    for head, (ax, matrix) in enumerate(zip(grid.flat, matrices, strict=False)):
        image = _draw(ax, matrix, rows, columns, numbers=False)
        ax.set_title(f"head {head}")
    for number, ax in enumerate(grid.flat):
        if number >= heads:
            ax.remove()
        elif number + across >= heads:  # nothing below: the words go here
            ax.tick_params(labelbottom=True)
    figure.supxlabel(KEY, fontsize=style.FONT_SIZE)
    figure.supylabel(query, fontsize=style.FONT_SIZE)
    figure.suptitle(title)
    color_scale(image, list(grid.flat[:heads]), "weight", shrink=0.6 / down)
    return figure


def _weights(
    weights: Any, rows: Sequence[str], columns: Sequence[str], axes_names: tuple[str, ...]
) -> np.ndarray:
    """The weights as an array, once they are known to be weights of these words."""
    array = as_array(weights)
    wanted = f"({', '.join(axes_names)})"
    if array.ndim != len(axes_names) or 0 in array.shape:
        hint = ": pick one sentence of the batch" if array.ndim == 4 else ""
        raise ValueError(
            f"the weights should have the shape {wanted}, but theirs is {array.shape}{hint}"
        )
    if array.shape[-2:] != (len(rows), len(columns)):
        raise ValueError(
            f"{len(rows)} words for the rows and {len(columns)} for the columns don't "
            f"fit weights of {array.shape[-2]} x {array.shape[-1]}"
        )
    low, high = array.min(), array.max()
    if not (low >= -1e-3 and high <= 1 + 1e-3):
        raise ValueError(
            f"attention weights lie between 0 and 1, but these run from {low:.2f} to "
            f"{high:.2f}: are they scores, before the softmax?"
        )
    return array


def _draw(
    ax: Axes, matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str], numbers: bool = True
) -> Any:
    cell = ax.get_window_extent().width / ax.figure.dpi * 72 / len(columns)  # in points, roughly
    image = ax.imshow(matrix, cmap=style.WEIGHTS, vmin=0, vmax=1, interpolation="nearest")
    words_around(ax, rows, columns, min(style.LABEL, max(8.0, 0.8 * cell)))
    numbers = numbers and matrix.size <= 100 and cell >= 28
    for (row, column), value in np.ndenumerate(matrix) if numbers else ():
        text = written(value, 2)
        color = style.ink_on(image.cmap(image.norm(value))) if text.strip("0.") else style.MUTED
        centered(ax, column, row, text, size=10, color=color)
    return image
