"""Words flow back into the decoder, in motion: each is written, comes down, and is read."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from course.drawing.animations import Film, animation

WORD = 2.2  # seconds from a word to the next
ROUND = 1.35  # of them on the way back


@animation(
    "decoder-words-come-back",
    moves="""In motion: the memory arrives; then the decoder reads <bos> and writes 'me', which
    travels down through the gap and is read; and so on, word by word, until it writes <eos>.""",
)
def come_back(figure: Figure) -> Film:
    [ax] = figure.axes
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    count = (len(arrows) + 1) // 3  # of the steps: in each the memory, a word up, and one back
    memory, up, back = arrows[:count], arrows[count : 2 * count], arrows[2 * count :]
    chips = [text for text in ax.texts if text.get_bbox_patch()]
    written, rest = chips[-count:], iter(chips[-count - count * (count + 1) // 2 : -count])
    read = [[next(rest) for _ in range(step + 1)] for step in range(count)]
    film = Film(figure, seconds=1.6 + WORD * count + 2.4)
    for way in memory:
        film.draw(way, at=0.6)
    for step, (*before, newest) in enumerate(read):
        begins = 1.6 + WORD * step
        for text in before:
            film.appear(text, at=begins - 0.4)
        film.appear(newest, at=begins - 0.2)
        film.draw(up[step], at=begins + 0.3)
        film.appear(written[step], at=begins + 0.6)
        if step + 1 < count:
            ride = {"at": begins + 0.8, "takes": ROUND}
            film.draw(back[step], **ride)
            begin, end = written[step].get_position(), read[step + 1][-1].get_position()
            gap = (begin[0] + end[0]) / 2
            way = _even([begin, (gap, begin[1]), (gap, end[1]), end])
            film.fly(written[step], way, before=chips[0], **ride)
    return film


def _even(corners: list, steps: int = 36) -> list:
    """The points of a way around corners, in equal steps."""
    x, y = np.transpose(corners)
    gone = np.concatenate([[0], np.hypot(np.diff(x), np.diff(y)).cumsum()])
    at = np.linspace(0, gone[-1], steps + 1)
    return list(zip(np.interp(at, gone, x), np.interp(at, gone, y), strict=True))
