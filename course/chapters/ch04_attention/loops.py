"""A query finds its key, in motion: what the arrows of `attention-arrow` are compared by."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch

from course.drawing import style
from course.drawing.loops import FADE, Film, loop
from course.drawing.shapes import path


def _tip(arrow: FancyArrowPatch) -> np.ndarray:
    """Where an arrow points to, in the coordinates of its axes."""
    return np.asarray(arrow._posA_posB[1], float)


@loop(
    "attention-arrow",
    moves="In motion: the query grows first. Then one key after the other is laid against it, "
    "which gives the scores 0.5, 0 and 3. When all three are there, the disks grow to the weights.",
)
def find_the_key(figure: Figure) -> Film:
    [ax] = figure.axes
    *keys, query = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    disks = [patch for patch in ax.patches if isinstance(patch, Circle)]
    names = [text for text in ax.texts if text.get_text().startswith("key of")]
    weights = [text for text in ax.texts if text.get_text().startswith("weight")]
    asks = [text for text in ax.texts if "query" in text.get_text() or "?" in text.get_text()]
    film = Film(figure, seconds=12)
    film.draw(query, at=0.2, takes=0.8)
    for text in asks:
        film.appear(text, at=0.6)
    softmax = 7.4
    for number, (key, name) in enumerate(zip(keys, names, strict=True)):
        at = 1.5 + 1.8 * number
        film.draw(key, at=at, takes=0.6)
        film.appear(name, at=at + 0.3)
        for mark in _compared(ax, _tip(key), _tip(query)):
            film.glimpse(mark, at=at + 0.7, until=softmax + 0.8)
    for disk, weight in zip(disks, weights, strict=True):
        film.grow(disk, at=softmax, takes=1.0)
        film.appear(weight, at=softmax + 1.0 - FADE)
    return film


def _compared(ax: Axes, key: np.ndarray, query: np.ndarray) -> list:
    """From a key straight to the line of the query, and beside its foot the score, key · query."""
    score = float(key @ query)
    foot = score / (query @ query) * query
    path(ax, [tuple(key), tuple(foot)], style.MUTED, head=False, linestyle=(0, (2, 2)), thick=1.2)
    line = ax.patches[-1]
    line.set_zorder(2.4)
    [dot] = ax.plot(*foot, "o", color=style.ACCENT, markersize=7, zorder=4.2)
    aside = foot + (-0.14, 0.05) if score > 0 else foot + (-0.14, -0.12)
    text = ax.text(
        *aside,
        f"score {score:g}",
        ha="right",
        va="center",
        fontsize=13,
        weight="bold",
        color=style.ACCENT,
        family=style.SANS,
    )
    return [line, dot, text]
