"""A query finds its key, in motion: what the arrows of `attention-arrow` are compared by."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch
from matplotlib.text import Text

from course.drawing import style
from course.drawing.loops import FADE, Film, loop
from course.drawing.shapes import path


def _tip(arrow: FancyArrowPatch) -> np.ndarray:
    """Where an arrow points to, in the coordinates of its axes."""
    return np.asarray(arrow._posA_posB[1], float)


@loop(
    "attention-arrow",
    moves="In motion: the query grows first. Then one key after the other is laid against it, "
    "with the scores 0.5, 0 and 3. When all three are there, scores give way to weights, and the "
    "disks grow.",
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
    parts = zip(keys, names, disks, weights, strict=True)
    for number, (key, name, disk, weight) in enumerate(parts):
        at = 1.5 + 1.8 * number
        film.draw(key, at=at, takes=0.6)
        film.appear(name, at=at + 0.3)
        for mark in _compared(ax, _tip(key), _tip(query), weight):
            film.glimpse(mark, at=at + 0.7, until=softmax + FADE)
        film.grow(disk, at=softmax, takes=1.0)
        film.appear(weight, at=softmax + FADE)
    return film


def _compared(ax: Axes, key: np.ndarray, query: np.ndarray, weight: Text) -> list[Artist]:
    """From a key straight to the line of the query; its score where the weight will stand."""
    score = float(key @ query)
    foot = score / (query @ query) * query
    path(ax, [tuple(key), tuple(foot)], style.ACCENT, head=False, linestyle=(0, (2, 2)), thick=1.5)
    [dot] = ax.plot(*foot, "o", color=style.ACCENT, markersize=7, zorder=4.2)
    text = ax.text(
        *weight.get_position(),
        f"score {score:g}",
        ha=weight.get_ha(),
        va=weight.get_va(),
        fontsize=weight.get_fontsize(),
        weight="bold",
        color=style.ACCENT,
        family=style.SANS,
    )
    return [ax.patches[-1], dot, text]
