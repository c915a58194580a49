"""A page whose coordinates are inches, its title, and words on it.

    figure, ax = canvas(2, "The finding", "what is drawn")  # (0, 0) is at the bottom left
    label(ax, (1, 0.5), "query")                      # words that explain
    bold(ax, (1, 0.8), "layer 0")                     # what a part is called
    muted(ax, (1, 0.2), "4 words")                    # words in the background
    word(ax, (1, 1), "trees")                         # a word on its chip, in its own color
    sentence(ax, (0.2, 1), words, {"trees": "green"}) # words in a row, some of them marked

A figure is composed of them, of cells (`cells.py`), and of boxes and arrows (`arrows.py`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath
from matplotlib.transforms import ScaledTranslation

from course.drawing import style

Point = tuple[float, float]


def canvas(
    height: float, title: str = "", note: str = "", *, width: float = style.WIDTH
) -> tuple[Figure, Axes]:
    """An empty page of so many inches -> the figure, and axes on which one unit is one inch.

    title, note: the finding, and below it what is drawn; they stand at the top left.
    """
    figure = Figure(figsize=(width, height))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(0, height))
    ax.axis("off")
    if title:
        bold(ax, (0.02, height - 0.2), title, size=style.TITLE)
        muted(ax, (0.02, height - 0.5), note, size=style.LABEL)
    return figure, ax


def titled(figure: Figure, text: str, note: str) -> None:
    """Write a title and a note above the panels of a figure, as `canvas` does."""
    height = figure.get_figheight()
    look = {"va": "top", "size": style.TITLE, "weight": "bold", "color": style.INK}
    figure.text(0.008, 1 - 0.05 / height, text, **look)
    figure.text(0.008, 1 - 0.36 / height, note, va="top", size=style.LABEL, color=style.MUTED)
    engine = figure.get_layout_engine()
    taken = 0.5 + 0.19 * len(note.splitlines())
    engine.set(rect=(0, 0, 1, 1 - taken / height))  # type: ignore[union-attr]


def label(ax: Axes, at: Point, text: str, *, size: float = style.NOTE, **look: Any) -> None:
    """Write a text that explains something.

    at: its left end, at the middle of its height. size: in points. look: options of matplotlib's
    `text`.
    """
    _write(ax, at, text, **{"ha": "left", "color": style.INK, "zorder": 4, "size": size, **look})


def bold(ax: Axes, at: Point, text: str, *, size: float = style.LABEL, **look: Any) -> None:
    """Write what a part is called, or a number that counts. at, size, look: as of `label`."""
    label(ax, at, text, size=size, weight="bold", **look)


def muted(ax: Axes, at: Point, text: str, **look: Any) -> None:
    """Write a text that stays in the background. at, look: as of `label`."""
    label(ax, at, text, color=style.MUTED, **look)


def centered(ax: Axes, x: float, y: float, text: str, **look: Any) -> None:
    """Write a text around a point, in the units of the axes. look: as of `label`."""
    _write(ax, (x, y), text, **{"ha": "center", **look})


def _write(ax: Axes, at: Point, text: str, linespacing: float = 1.15, **look: Any) -> None:
    """Write lines by their baselines, at equal distances.

    matplotlib goes by the ink of the letters: "árboles" and "<eos>" would stand lower than "like"
    beside them, and a line with brackets farther from the next than one without. Upright in the
    middle, a capital has as much above the point as below. A formula in one line, whose height is
    its own, and lines on a ground of their own stay matplotlib's.
    """
    look = {"va": "center", **look}
    lines = text.split("\n")
    if text.startswith("$") or (len(lines) > 1 and look.get("bbox")):
        ax.text(*at, text, linespacing=linespacing, **look)
        return
    va = look.pop("va")
    for row, line in enumerate(lines):
        written = ax.text(*at, line, va="baseline", **look)
        size = written.get_fontsize()
        leading = 1.12 * linespacing * size
        first = {  # how far below the point the first line stands
            "center": 0.33 * size - leading * (len(lines) - 1) / 2,
            "top": 0.9 * size,
            "bottom": -0.25 * size - leading * (len(lines) - 1),
            "baseline": -leading * (len(lines) - 1),
        }
        down = (first[va] + leading * row) / 72
        shift = ScaledTranslation(0, -down, written.figure.dpi_scale_trans)
        written.set_transform(written.get_transform() + shift)


def width_of(text: str, size: float) -> float:
    """The width of a bold text, in inches. size: in points."""
    bold = {"family": style.SANS, "weight": "bold"}
    return TextPath((0, 0), text, size=size, prop=bold).get_extents().width / 72


def percent(chance: float) -> str:
    """A probability as a text: 90%, and with two decimals where it is small, 0.04%, but not 0."""
    return f"{chance:.0%}" if chance >= 0.01 or chance == 0 else f"{chance:.2%}"


def word_color(text: str) -> str:
    """The color that a word of the running sentence has in the whole series; else ink."""
    return style.WORDS.get(text, style.INK)


def word(ax: Axes, at: Point, text: str, *, size: float = 11.0, **look: Any) -> None:
    """Write a word on its chip, in its own color if it belongs to the running sentence.

    at: its middle. size: in points. look: options of matplotlib's `text`; a `color` replaces its
    own.
    """
    own = {"ha": "center", **style.chip(text, look.pop("color", None))}
    _write(ax, at, text, **{**own, "zorder": 4, "size": size, **look})


def sentence(
    ax: Axes,
    at: Point,
    words: Sequence[str],
    marked: Mapping[str, str] = style.WORDS,
    *,
    size: float = 12.0,
    gap: float = 0.165,
    ha: str = "left",
) -> list[float]:
    """Write words in a row -> the x of the middle of each.

    at: where the row begins, has its middle or ends, if `ha` is "left", "center" or "right".
    marked: word -> its color; the others are grey. size: in points. gap: between words, in inches.
    """
    (x, y), middles = at, []
    long = sum(width_of(text, size) + gap for text in words) - gap
    x -= {"left": 0.0, "center": long / 2, "right": long}[ha]
    for text in words:
        wide = width_of(text, size)
        color = marked.get(text, style.MUTED)
        word(ax, (x + wide / 2, y), text, size=size, va="baseline", color=color)
        middles.append(x + wide / 2)
        x += wide + gap
    return middles


def words_around(
    ax: Axes, rows: Sequence[str], columns: Sequence[str], size: float = style.LABEL
) -> None:
    """Write the words of a map's rows and columns, and draw thin lines between its cells.

    Words are never turned: where they would touch, they are smaller, or on several heights.
    """
    cell = ax.get_window_extent().width / ax.figure.dpi * 72 / len(columns)  # in points, roughly
    cell *= 0.7  # the layout will take some room
    if max(_heights(columns, size, cell)) and not max(_heights(columns, style.NOTE, cell)):
        size = min(size, style.NOTE)
    ax.set_xticks(range(len(columns)), columns, fontsize=size)
    ax.set_yticks(range(len(rows)), rows, fontsize=size)
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        text.set(**style.chip(text.get_text()))
    heights = _heights(columns, size, cell)
    for height, tick in zip(heights, ax.xaxis.get_major_ticks(), strict=True):
        tick.set_pad(5 + 1.35 * size * height)
    # Without lines, the eye would lose its row where a cell has no color beside another.
    ax.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    ax.grid(which="minor", linewidth=0.8)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)


def _heights(words: Sequence[str], size: float, cell: float) -> list[int]:
    """How many lines down each word stands, so that none touches another. cell: in points."""
    last: list[tuple[int, float]] = []  # of each line, its last word and half of its width
    heights = []
    for place, text in enumerate(words):
        half = 36 * width_of(text, size) + 0.4 * size if text.strip() else 0.0
        free = [(place - other) * cell >= half + width for other, width in last]
        height = free.index(True) if True in free else len(last)
        last[height : height + 1] = [(place, half)]
        heights.append(height)
    return heights
