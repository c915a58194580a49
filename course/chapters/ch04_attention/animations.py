"""A query finds its key, in motion: what the arrows of `attention-arrow` are compared by."""

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from course.drawing.animations import Film, animation


@animation(
    "attention-arrow",
    moves="""In motion: the query grows first. Then one key after the other is drawn from its
    start, and a dot on the query shows its score, 0.5, 0 and 3. When all three are there, the
    weights appear.""",
)
def find_the_key(figure: Figure) -> Film:
    [ax] = figure.axes
    *lines, query = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    texts = [text for text in ax.texts if text.get_text()][2:]
    film = Film(figure, seconds=12)
    film.draw(query, at=0.2, takes=0.8)
    for text in (ax.lines[-1], *texts[len(lines) * 5 // 2 :]):
        film.appear(text, at=0.6)
    for number, dot in enumerate(ax.lines[:-1]):
        at, (dashes, key) = 1.5 + 1.8 * number, lines[2 * number : 2 * number + 2]
        called, asked, score, *weight = texts[5 * number : 5 * number + 5]
        film.draw(key, at=at, takes=0.6)
        for text in (called, asked):
            film.appear(text, at=at + 0.3)
        for part in (dashes, dot, score):
            film.appear(part, at=at + 0.7)
        for part in weight:
            film.appear(part, at=7.4)
    return film
