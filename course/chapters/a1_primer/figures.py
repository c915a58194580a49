"""Shapes that stretch: a column and a row make a square."""

from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.registry import figure
from course.drawing.shapes import area, centered

COLUMN, ROW = style.CATEGORIES[0], style.CATEGORIES[2]


@mpl.rc_context(style.PRINT)
def broadcasting(column: Sequence[int], row: Sequence[int]) -> Figure:
    """Draw a column plus a row of whole numbers, and the square of their sums -> the figure."""
    height, width = len(column), len(row)
    figure = style.new_figure(style.WIDTH, 1.2 + 0.6 * height)
    ax = figure.subplots()
    ax.set_title("Broadcasting: both stretch until they fit")
    middle, right = width + 1.0, 2 * (width + 1.0)
    ax.set(xlim=(-0.1, right + width + 0.1), ylim=(height + 0.15, -0.7), aspect="equal")
    ax.axis("off")
    for i, one in enumerate(column):
        for j, other in enumerate(row):
            _cell(ax, j, i, one, COLUMN, j == 0)
            _cell(ax, middle + j, i, other, ROW, i == 0)
            _cell(ax, right + j, i, one + other, style.INK, False)
    for x, sign in ((width + 0.5, "+"), (middle + width + 0.5, "=")):
        centered(ax, x, height / 2, sign, size=22)
    for x, words, color in (
        (0, f"({height}, 1), copied across", COLUMN),
        (middle, f"({width},), copied down", ROW),
        (right, f"({height}, {width})", style.INK),
    ):
        ax.text(
            x + 0.04,
            -0.35,
            words,
            ha="left",
            va="center",
            weight="bold",
            color=color,
            fontsize=10.5,
        )
    return figure


def _cell(ax: Axes, x: float, y: float, number: int, color: str, own: bool) -> None:
    """own: a number of the tensor itself, strong; else a copy of it or a sum, pale."""
    area(ax, (x + 0.04, y + 0.04), 0.92, 0.92, color if own else "#F2F2F2")
    centered(ax, x + 0.5, y + 0.52, str(number), size=14, color=style.PAPER if own else color)


@figure(
    "primer-broadcasting",
    notebook="a1_pytorch_primer",
    caption="A column and a row stretch to a table.",
    alt="Three tables of three rows and four columns: the first plus the second equals the third. "
    "In the first a column, 0, 10, 20, stands four times, once in strong color; in the second a "
    "row, 0, 1, 2, 3, three times, once in strong color. The sums are 0 to 3, 10 to 13 and 20 to "
    "23.",
    hero=True,
)
def draw_broadcasting() -> Figure:
    return broadcasting([0, 10, 20], [0, 1, 2, 3])
