"""Words flow back into the decoder, in motion: each is written, comes down, and is read."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Patch
from matplotlib.path import Path
from matplotlib.text import Text

from course.drawing.animations import Film, animation

WORD = 2.2  # seconds from a word to the next
ROUND = 1.35  # of them on the way back


@animation(
    "decoder-words-come-back",
    moves="In motion: the memory arrives; then the decoder reads <bos> and writes 'me', which "
    "travels down through the gap and is read; and so on, word by word, until it writes <eos>.",
)
def come_back(figure: Figure) -> Film:
    [ax] = figure.axes
    encoder, decoder = (patch for patch in ax.patches if isinstance(patch, FancyBboxPatch))
    left, low = decoder.get_x(), decoder.get_y()
    high = low + decoder.get_height()
    chips = [text for text in ax.texts if text.get_bbox_patch() and text.get_position()[0] > left]
    read = sorted((text for text in chips if text.get_position()[1] < low), key=_x)
    written = sorted((text for text in chips if text.get_position()[1] > high), key=_x)
    places = np.array([_x(text) for text in read])
    film = Film(figure, seconds=1.6 + WORD * len(places) + 2.4)
    begins = [1.6 + WORD * place for place in range(len(places))]
    film.appear(read[0], at=begins[0] - 0.4)
    for place, text in enumerate(written):
        film.appear(text, at=begins[place] + 0.7)
        if place + 1 < len(places):
            film.appear(read[place + 1], at=begins[place] + 0.8 + ROUND - 0.15)
    for patch in [one for one in ax.patches if one not in (encoder, decoder)]:
        x, y, right, top = _extent(patch)
        middle = (x + right) / 2
        if right <= left + 0.05:  # from the words to the encoder, and its memory
            film.draw(patch, at=0.6 if right > left - 0.1 else 0.1, takes=0.5)
            continue
        nearest = int(np.abs(places - middle).argmin())
        if right - x > 0.4 * (places[1] - places[0]):  # a ribbon: from a word to the next
            start = int(np.abs(places - x).argmin())
            film.draw(patch, at=begins[start] + 0.8, takes=ROUND)
            begin, end = written[start].get_position(), read[start + 1].get_position()
            gap = places[start : start + 2].mean()
            way = _down(begin, end, (gap, top), (gap, y))
            film.fly(written[start], way, at=begins[start] + 0.8, takes=ROUND, before=read[0])
        elif y > high - 0.05:
            film.draw(patch, at=begins[nearest] + 0.45, takes=0.3)
        else:
            film.draw(patch, at=begins[nearest], takes=0.3)
    return film


def _x(text: Text) -> float:
    return text.get_position()[0]


def _extent(patch: Patch) -> tuple[float, float, float, float]:
    """Left, bottom, right and top, in inches on the canvas."""
    drawn = patch.get_path().transformed(patch.get_patch_transform())
    real = ... if drawn.codes is None else drawn.codes != Path.CLOSEPOLY  # which has no place
    x, y = drawn.vertices[real].T
    return x.min(), y.min(), x.max(), y.max()


def _down(start: tuple, end: tuple, high: tuple, low: tuple, steps: int = 36) -> list:
    """Right of a written word, down through the gap, and to the next: in equal steps."""
    corners = np.array([start, (start[0], high[1]), high, low, (end[0], low[1]), end])
    gone = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
    at = np.linspace(0, gone[-1], steps + 1)
    x, y = (np.interp(at, gone, corners[:, axis]) for axis in (0, 1))
    return list(zip(x, y, strict=True))
