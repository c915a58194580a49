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
from course.drawing.maps import color_scale, level_name, number_map
from course.drawing.values import as_array

QUERY = "query: the word that looks"
WRITES = "query: the position that writes this word"
KEY = "key: the word looked at"


@mpl.rc_context(style.PRINT)
def attention_heatmap(
    weights: Any,
    rows: Sequence[str],
    columns: Sequence[str],
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw one head's weights (q, k) -> the axes.

    rows: the q words that look; columns: the k words they look at. In a small map each cell
    carries its number. Without `ax` a figure of its own is made, with a scale beside it.
    Raises ValueError when the words don't fit the matrix, or it doesn't hold weights.
    """
    matrix = _weights(weights, rows, columns, axes_names=("q", "k"))
    own_figure = ax is None
    if ax is None:
        width, height = (1.0 + 0.55 * min(count, 14) for count in (len(columns), len(rows)))
        ax = style.new_figure(max(width + 1.6, 4.5), max(height + 0.6, 3.0)).subplots()
    image = _draw(ax, matrix, rows, columns)
    ax.set_xlabel(KEY)
    ax.set_ylabel(QUERY)
    if title:
        ax.set_title(title)
    if own_figure:
        level_name(ax, QUERY, "right")
        color_scale(image, ax, "weight")
    return ax


@mpl.rc_context(style.PRINT)
def attention_heads(
    weights: Any,
    rows: Sequence[str],
    columns: Sequence[str],
    titles: Sequence[str] | None = None,
    across: int | None = None,
    title: str = "",
    query: str = QUERY,
) -> Figure:
    """Draw the weights of all heads (h, q, k) in maps side by side -> the figure.

    titles: one for each head; "head 0", "head 1", ... if there are none. across: how many maps
    stand in one row; by default as many as leave the words readable. title: of all maps together.
    query: what a row is. Raises ValueError as `attention_heatmap` does, and for a wrong number of
    titles.
    """
    matrices = _weights(weights, rows, columns, axes_names=("h", "q", "k"))
    heads = len(matrices)
    titles = titles or [f"head {head}" for head in range(heads)]
    if len(titles) != heads:
        raise ValueError(f"{heads} heads need {heads} titles, but there are {len(titles)}")
    if across is None:
        across = min(heads, 4 if len(columns) <= 12 else 3)  # many words need wide maps
        if heads <= 4 and len(columns) > 8:
            across = min(heads, 2)
    down = -(-heads // across)
    panel = 4.2 if across <= 2 else 2.1 if len(columns) <= 8 else 10.4 / across  # inches
    height = down * (panel * len(rows) / len(columns) + 0.4) + (1.55 if title else 1.0)
    figure = style.new_figure(panel * across + 1.2, height)
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    for ax, matrix, name in zip(grid.flat, matrices, titles, strict=False):
        image = _draw(ax, matrix, rows, columns, numbers=False)
        ax.set_title(name)
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
    return number_map(
        ax,
        matrix,
        rows,
        columns,
        cmap=style.WEIGHTS,
        limits=(0, 1),
        decimals=2 if numbers and matrix.size <= 100 and cell >= 28 else None,
        words=min(style.LABEL, max(8.0, 0.8 * cell)),
    )
