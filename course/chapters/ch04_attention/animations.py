"""A query finds its key, in motion: what the arrows of `attention-arrow` are compared by."""

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from course.drawing.animations import Film, animation


@animation(
    "attention-arrow",
    moves="In motion: the query grows first. Then one key after the other is laid against it: a "
    "bar shows how far it reaches, with the scores 0.5, 0 and 3. When all three are there, the "
    "weights appear.",
)
def find_the_key(figure: Figure) -> Film:
    [ax] = figure.axes
    *lines, query = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    *texts, asks, chip = [text for text in ax.texts if text.get_text()][2:]
    film = Film(figure, seconds=12)
    film.draw(query, at=0.2, takes=0.8)
    for text in (asks, chip):
        film.appear(text, at=0.6)
    for number, bar in enumerate(bars):
        at, (dashes, key) = 1.5 + 1.8 * number, lines[2 * number : 2 * number + 2]
        called, asked, *weight, score = texts[5 * number : 5 * number + 5]
        film.draw(key, at=at, takes=0.6)
        for text in (called, asked):
            film.appear(text, at=at + 0.3)
        for part in (dashes, bar, score):
            film.appear(part, at=at + 0.7)
        for part in weight:
            film.appear(part, at=7.4)
    return film
