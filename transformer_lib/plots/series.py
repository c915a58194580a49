"""The map of the series: the way of one word through the machine, and where each part is opened."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyBboxPatch
from matplotlib.textpath import TextPath

from transformer_lib.plots import style
from transformer_lib.plots.drawing import (
    canvas,
    label,
    outline,
    pointer,
    scale,
    strip,
    word,
    word_color,
)
from transformer_lib.plots.trees import LIMIT

WIDTH = 8.0
LEFT, RIGHT = 2.7, 6.95  # from where to where the strips go
NUMBERS = 7.46  # the column that says in which notebook
STEP, HIGH = 0.44, 0.27  # from one strip to the next, and how high it is
ENDS = 0.62  # what a sentence takes, above and below


class Stage(NamedTuple):
    """One line of the map. vector: its numbers; of a one-hot row, how far along it the 1 stands.

    half: "encoder" for what reads, "decoder" for what writes, "" for what comes before.
    """

    name: str
    notebook: str
    vector: Any
    half: str = ""


@mpl.rc_context(style.PRINT)
def series_map(
    source: Sequence[str], target: Sequence[str], here: str, there: str,
    stations: Sequence[Stage], others: str = "",
) -> Figure:  # fmt: skip
    """The sentence on top, what the word `here` becomes at each station, and what is written.

    there: the word of the target that comes out of the last station. others: a line at the foot.
    """
    height = len(stations) * STEP + 2 * ENDS + 0.36
    figure, ax = canvas(WIDTH, height)
    top = height - ENDS
    start = _sentence(ax, source, here, top + 0.24)
    places = [top - 0.12 - (i + 1) * STEP + (STEP - HIGH) / 2 for i in range(len(stations))]
    for half, color in (("encoder", style.ENCODER), ("decoder", style.DECODER)):
        inside = [y for y, station in zip(places, stations, strict=True) if station.half == half]
        if inside:
            _half(ax, half, color, min(inside) - 0.085, max(inside) + HIGH + 0.085)
    green = word_color(here)

    first = stations[0].vector
    mark = LEFT + first * (RIGHT - LEFT) if isinstance(first, float) else start
    pointer(ax, (start, top + 0.08), (mark, places[0] + HIGH + 0.04), green)
    for y, station in zip(places, stations, strict=True):
        label(ax, (LEFT - 0.16, y + HIGH / 2), station.name, size=11, ha="right")
        label(ax, (NUMBERS, y + HIGH / 2), station.notebook, size=11, ha="center", weight="bold")
        if isinstance(station.vector, float):
            outline(ax, (LEFT, y), RIGHT - LEFT, HIGH)
            x = LEFT + station.vector * (RIGHT - LEFT)
            ax.plot([x, x], [y, y + HIGH], color=green, linewidth=3, solid_capstyle="butt")
        else:
            strip(ax, (LEFT, y), RIGHT - LEFT, HIGH, station.vector, limit=LIMIT)
    label(ax, (NUMBERS, top + 0.02), "opened in\nnotebook", size=10, ha="center",
          color=style.MUTED)  # fmt: skip
    bottom = places[-1] - 0.3
    end = _sentence(ax, target, there, bottom - 0.12)
    pointer(ax, (end, places[-1] - 0.06), (end, bottom + 0.03), green)
    scale(ax, (0.5, bottom - 0.24), 0.8, limit=LIMIT, name="value of a number")
    label(ax, (WIDTH / 2, 0.13), others, size=10, ha="center", color=style.MUTED)
    return figure


def _half(ax: Axes, name: str, color: str, bottom: float, top: float) -> None:
    ax.add_patch(FancyBboxPatch(
        (0.12, bottom), WIDTH - 0.24, top - bottom, boxstyle="round,pad=0,rounding_size=0.08",
        facecolor=color, alpha=0.1, linewidth=0, zorder=0,
    ))  # fmt: skip
    label(ax, (0.26, (bottom + top) / 2), name, size=11, color=color, weight="bold")


def _sentence(ax: Axes, words: Sequence[str], marked: str, y: float) -> float:
    """The words side by side around the middle; where the marked one stands."""
    size, gap = 19.0, 0.13
    fonts = [FontProperties(weight="bold" if text == marked else "normal") for text in words]
    widths = [
        TextPath((0, 0), text, size=size, prop=font).get_extents().width / 72 + gap
        for text, font in zip(words, fonts, strict=True)
    ]
    x, found = (LEFT + RIGHT) / 2 - sum(widths) / 2, 0.0
    for text, wide in zip(words, widths, strict=True):
        known = text.lower() if text.lower() in style.WORDS else text
        word(ax, (x + wide / 2, y), text, size=size, color=word_color(known),
             weight="bold" if text == marked else "normal")  # fmt: skip
        found = x + wide / 2 if text == marked else found
        x += wide
    return found
