"""A query finds its key, in motion: what the arrows of `attention-arrow` are compared by."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch
from matplotlib.text import Text

from course.drawing import style
from course.drawing.animations import FADE, Film, animation
from course.drawing.arrows import path

# What `attention-arrow` is drawn from, made by hand and worked out in the text around it.
QUERY, KEYS = np.array([1.0, 2.0]), np.array([[-0.5, 0.5], [1.0, -0.5], [1.0, 1.0]])


def _way(arrow: FancyArrowPatch) -> tuple[np.ndarray, np.ndarray]:
    """Where an arrow begins, and the way to its tip, in the coordinates of its axes."""
    start, tip = np.asarray(arrow._posA_posB, float)
    return start, tip - start


@animation(
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
    *chips, asks = [text for text in ax.texts if text.get_bbox_patch()]
    asks = [asks, *(text for text in ax.texts if text.get_text().startswith(("query", "It asks")))]
    origin, asked = _way(query)
    unit = np.linalg.norm(asked) / np.linalg.norm(QUERY)
    if not np.allclose([_way(key)[1] for key in keys], unit * KEYS):
        raise ValueError("the arrows aren't those of the keys that the scores are computed from")
    film = Film(figure, seconds=12)
    film.draw(query, at=0.2, takes=0.8)
    for text in asks:
        film.appear(text, at=0.6)
    softmax = 7.4
    parts = zip(keys, names, chips, ax.lines[:-1], disks, weights, strict=True)
    for number, (key, name, chip, reach, disk, weight) in enumerate(list(parts)):
        at = 1.5 + 1.8 * number
        film.draw(key, at=at, takes=0.6)
        film.appear(name, at=at + 0.3)
        film.appear(chip, at=at + 0.3)
        score = float(KEYS[number] @ QUERY)
        foot = origin + score / (QUERY @ QUERY) * asked
        for mark in _compared(ax, origin + unit * KEYS[number], foot, score, weight):
            film.glimpse(mark, at=at + 0.7, until=softmax + FADE)
        film.appear(reach, at=softmax)
        film.grow(disk, at=softmax, takes=1.0)
        film.appear(weight, at=softmax + FADE)
    return film


def _compared(
    ax: Axes, tip: np.ndarray, foot: np.ndarray, score: float, weight: Text
) -> list[Artist]:
    """From a key straight to the line of the query; its score where the weight will stand."""
    path(ax, [tuple(tip), tuple(foot)], style.ACCENT, head=False, linestyle=(0, (2, 2)), thick=1.5)
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
