"""Heat maps: a matrix with words around it and numbers in its cells, and its color scale.

image = number_map(ax, cosines, words, words, decimals=1)
color_scale(image, ax, "cosine")
level_name(ax, "to write")           # the label of the vertical axis: above it, never turned
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.cells import NO_CELL, matrix, outline, scale
from course.drawing.values import as_array, written
from course.drawing.words import canvas, centered, heading, label, width_of, word, words_around

# From nothing to much, where it is neither attention nor signed: how far something moves.
AMOUNTS = LinearSegmentedColormap.from_list(
    "amounts", (style.PAPER, "#F3C4AE", style.ACCENT, "#5A1D04")
)


def maps_of_words(
    maps: Mapping[str, Any],
    words: Sequence[str],
    *,
    title: str,
    note: str = "",
    scale_name: str,
    limits: tuple[float, float] = (-1.0, 1.0),
    across: int | None = None,
    parted: int | None = None,
) -> Figure:
    """Draw several matrices (s, s) of the same words, side by side on one scale -> the figure.

    The words stand at the left of the rows; the columns are the same words in the same order. maps:
    title -> matrix; a NaN leaves its cell grey. note: what is drawn, under the title. limits: the
    numbers at both ends of the color scale; if the first is negative, the colors show the sign.
    across: how many maps stand in a row. parted: leave a gap after so many words.
    Raises ValueError when a matrix doesn't fit the words.
    """
    for name, table in maps.items():
        if np.shape(table) != (len(words), len(words)):
            raise ValueError(
                f"{name!r}: a map of {len(words)} words has as many rows and "
                f"columns, but this is {np.shape(table)}"
            )
    across = across or len(maps)
    left = 0.25 + max(width_of(text, style.NOTE) for text in words)
    side = min((style.WIDTH - left - 0.3 * across) / across, 0.3 * len(words))
    gap = min((style.WIDTH - left - side * across - 0.02) / max(across - 1, 1), 0.6)
    down = -(-len(maps) // across)
    figure, ax = canvas(style.WIDTH, 1.2 + down * (side + 0.42))
    heading(ax, title, note)
    cmap = style.SIGNED if limits[0] < 0 else AMOUNTS
    for number, (name, table) in enumerate(maps.items()):
        x = left + (number % across) * (side + gap)
        y = 0.5 + (down - 1 - number // across) * (side + 0.42)
        label(ax, (x, y + side + 0.16), name, size=style.LABEL, weight="bold")
        matrix(ax, (x, y), side, side, table, limit=limits[1], low=limits[0], cmap=cmap)
        ax.images[-1].set_label(name)
        if parted:
            part = side * parted / len(words)
            for start, wide, high in (((x + part, y), 0, side), ((x, y + side - part), side, 0)):
                outline(ax, start, wide, high, style.PAPER, 5)
        for row, text in enumerate(words) if number % across == 0 else ():
            at = x - 0.1, y + side * (1 - (row + 0.5) / len(words))
            word(ax, at, text, size=style.NOTE, ha="right")
    scale(ax, (left + 0.3, 0.14), 1.0, limit=limits[1], low=limits[0], cmap=cmap)
    label(ax, (left + 1.6, 0.185), scale_name)
    return figure


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
    """Draw a matrix (rows, columns) as a heat map, the first row at the top -> the image.

    limits: the numbers at both ends of the color scale. decimals: of the numbers written in the
    cells; None writes none. marks: two texts, for a cell of 0 and a cell of 1, instead of numbers.
    A NaN leaves its cell grey. words: the font size of the words around the map.
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
