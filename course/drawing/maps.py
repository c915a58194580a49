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
from course.drawing.arrows import path
from course.drawing.cells import NO_CELL, area, matrix, outline, scale
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
    groups: Mapping[str, int] | None = None,
    notes: Mapping[str, str] | None = None,
) -> Figure:
    """Draw several matrices (s, s) of the same words, side by side on one scale -> the figure.

    The words stand at the left of the rows; the columns are the same words in the same order. maps:
    title -> matrix; a NaN, a word with itself, leaves its cell grey. note: what is drawn, under the
    title. limits: the numbers at both ends of the color scale; if the first is negative, the colors
    show the sign. across: how many maps stand in a row. groups: the name of words that follow each
    other, above their columns -> how many. notes: title -> what is said beside it. Raises
    ValueError when a matrix doesn't fit the words.
    """
    for name, table in maps.items():
        if np.shape(table) != (len(words), len(words)):
            raise ValueError(
                f"{name!r}: a map of {len(words)} words has as many rows and "
                f"columns, but this is {np.shape(table)}"
            )
    across = across or len(maps)
    left = 0.25 + max(width_of(text, style.NOTE) for text in words)
    side = min((style.WIDTH - left - 0.25 * across) / across, 0.3 * len(words))
    gap = min((style.WIDTH - left - side * across - 0.02) / max(across - 1, 1), 0.6)
    down, lift = -(-len(maps) // across), 0.4 if groups else 0.16
    above = lift + 0.18 + 0.2 * (down > 1)
    free = len(maps) % across * (side + gap)  # where a row has room for one more map
    low = 0.06 if free else 0.46
    figure, ax = canvas(style.WIDTH, low + 0.69 + down * (side + above))
    heading(ax, title, note)
    cmap, cell = style.SIGNED if limits[0] < 0 else AMOUNTS, side / len(words)
    for number, (name, table) in enumerate(maps.items()):
        x = left + (number % across) * (side + gap)
        y = low + (down - 1 - number // across) * (side + above)
        label(ax, (x, y + side + lift), name, size=style.LABEL, weight="bold")
        said = {"ha": "right", "color": style.MUTED}
        label(ax, (x + side, y + side + lift), (notes or {}).get(name, ""), **said)
        matrix(ax, (x, y), side, side, table, limit=limits[1], low=limits[0], cmap=cmap)
        ax.images[-1].set_label(name)
        start = 0.0
        for group, count in (groups or {}).items():
            end, over = start + cell * count, y + side + 0.06
            for at, wide, high in (((x + end, y), 0, side), ((x, y + side - end), side, 0)):
                outline(ax, at, wide, high, style.PAPER, 3.5 if end < side - 0.01 else 0)
            path(ax, [(x + start + 0.04, over), (x + end - 0.04, over)], style.SOFT, head=False)
            label(ax, (x + (start + end) / 2, over + 0.12), group, ha="center")
            start = end
        for row, text in enumerate(words) if number % across == 0 else ():
            word(ax, (x - 0.1, y + side - cell * (row + 0.5)), text, size=style.NOTE, ha="right")
    x, y = left + free + 0.3, low + side / 2 if free else 0.14
    scale(ax, (x, y), 1.0, limit=limits[1], low=limits[0], cmap=cmap)
    at = (x - 0.2, y + 0.34) if free else (x + 1.35, y + 0.045)
    label(ax, at, scale_name)
    if np.isnan(np.stack([as_array(table) for table in maps.values()])).any():
        at = (x - 0.2, y - 0.3) if free else (left + 2 * (side + gap), y - 0.03)
        area(ax, at, 0.15, 0.15, NO_CELL)
        label(ax, (at[0] + 0.23, at[1] + 0.075), "a word with itself")
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
