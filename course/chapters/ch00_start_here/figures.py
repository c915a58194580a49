"""The map of the series: the way of one word through the machine."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.chapters.journey.figures import LIMIT, heading, vectors
from course.drawing import style
from course.drawing.arrows import arrow, box, path
from course.drawing.attention_maps import attention_heatmap
from course.drawing.cells import area, matrix, outline, scale, strip
from course.drawing.maps import color_scale, level_name
from course.drawing.registry import figure
from course.drawing.words import canvas, label, sentence, titled, width_of, word_color
from transformer_lib.translator import Translator

WIDTH = 8.0
LEFT, RIGHT = 2.75, 7.7  # from where to where the strips go
STEP, HIGH = 0.5, 0.32  # from one strip to the next, and how high it is
FOLLOWED = 3  # so many numbers have a column
ENDS = 0.62  # what a sentence takes, above and below


class _Stage(NamedTuple):
    """One line of the map. vector: its numbers; of a one-hot row, how far along it the 1 stands.

    half: "encoder" for what reads, "decoder" for what writes, "" for what comes before.
    """

    name: str
    vector: Any
    half: str = ""


def _series_map(
    source: Sequence[str],
    target: Sequence[str],
    here: str,
    there: str,
    stations: Sequence[_Stage],
) -> Figure:
    """The sentence on top, what the word `here` becomes at each station, and what is written.

    there: the word of the target that comes out of the last station.
    """
    height = len(stations) * STEP + 2 * ENDS + 0.98
    figure, ax = canvas(WIDTH, height)
    title = f"On its way to {there}, {here} is numbers that change step by step"
    heading(ax, height - 0.2, title, "", colors="")
    note = "Its three largest learned numbers are followed to the end of the encoder"
    label(ax, (0.02, height - 0.52), note, size=style.LABEL, color=style.MUTED)
    top = height - ENDS - 0.58
    places = [top - 0.12 - (i + 1) * STEP + (STEP - HIGH) / 2 for i in range(len(stations))]
    for half, color in (("encoder", style.ENCODER), ("decoder", style.DECODER)):
        inside = [y for y, station in zip(places, stations, strict=True) if station.half == half]
        if inside:
            low, high = min(inside) - 0.085, max(inside) + HIGH + 0.085
            look = {"fill": style.TINTS[color], "line": 0, "zorder": 0}
            box(ax, (WIDTH / 2, (low + high) / 2), WIDTH - 0.24, high - low, "", color, **look)
            label(ax, (0.26, (low + high) / 2), half, size=11, color=color, weight="bold")
    green, first = word_color(here), stations[0].vector
    mark = LEFT + first * (RIGHT - LEFT) if isinstance(first, float) else None
    start = _sentence(ax, source, here, top + 0.16, mark)
    arrow(ax, (start, top), (start, places[0] + HIGH + 0.04), green)
    for y, station in zip(places, stations, strict=True):
        label(ax, (LEFT - 0.16, y + HIGH / 2), station.name, size=11, ha="right")
        if isinstance(station.vector, float):
            outline(ax, (LEFT, y), RIGHT - LEFT, HIGH)
            x = LEFT + station.vector * (RIGHT - LEFT)
            area(ax, (x - 0.02, y), 0.04, HIGH, green, zorder=3)
            below = y - STEP + HIGH  # where the next strip begins
            ax.fill([x - 0.02, x + 0.02, RIGHT, LEFT], [y, y, below, below], style.tint(green))
        else:
            strip(ax, (LEFT, y), RIGHT - LEFT, HIGH, station.vector, limit=LIMIT)
    same = [station.vector for station in stations[1:] if station.half != "decoder"]
    for number in same[0].abs().topk(FOLLOWED).indices.tolist() if same else ():
        high, wide = STEP * (len(same) - 1) + HIGH, (RIGHT - LEFT) / len(same[0])
        ends = [STEP * row + edge for row in range(len(same)) for edge in (0, HIGH)]
        values = [float(vector[number]) for vector in same for _ in range(2)]
        column = np.interp(np.linspace(0, high, 200), ends, values)[:, None]
        at, look = (LEFT + number * wide, places[len(same)]), {"edge": style.MUTED, "line": 0.9}
        matrix(ax, at, wide, high, column, limit=LIMIT, **look)
    under = places[-1] - 0.14
    corners = [(LEFT, under), (LEFT, under - 0.06), (RIGHT, under - 0.06), (RIGHT, under)]
    path(ax, corners, green, head=False)
    bottom = under - 0.42
    end = _sentence(ax, target, there, bottom - 0.2)
    arrow(ax, (end, under - 0.06), (end, bottom + 0.14), green)
    scale(ax, (0.5, bottom - 0.24), 0.8, limit=LIMIT, name="value of a number")
    return figure


def _sentence(
    ax: Axes, words: Sequence[str], marked: str, y: float, over: float | None = None
) -> float:
    """The words side by side around the middle, or the marked one at `over`; where it stands."""
    colors = {text: word_color(text.lower() if text == "Me" else text) for text in words}
    middle, number = (LEFT + RIGHT) / 2, words.index(marked)
    if over is not None:
        wide = [width_of(text, 18) for text in words]
        before = sum(wide[:number]) + 0.28 * number + wide[number] / 2
        middle = over - before + (sum(wide) + 0.28 * (len(words) - 1)) / 2
    return sentence(ax, (middle, y), words, colors, size=18, gap=0.28, ha="center")[number]


@figure(
    "series-map",
    caption="The journey of one word through the machine, every number real. The notebooks that "
    "open the strips: 01, 02, 03, 04 to 06, 07, and for the last one 08 and 11.",
    alt="'I like trees' is on top, 'Me gustan los árboles' at the bottom. In between, the word "
    "'trees' as six strips of colored cells: its number in a list, learned numbers, with its "
    "position, with its neighbors, after the encoder; then, in the decoder, about to be written. "
    "An arrow leads from 'trees' to its mark in the list, which widens to the 128 numbers; three "
    "of them, the largest, are columns through the four strips up to the end of the encoder: one "
    "stays, two fade. A bracket under the whole last strip leads to 'árboles'.",
    hero=True,
)
def draw_series_map() -> Figure:
    found = vectors()
    stations = [
        _Stage("its number in a list", found["one-hot"]),
        _Stage("128 learned numbers", found["embedding"]),
        _Stage("+ its position", found["+ position"]),
        _Stage("+ its neighbors", found["encoder layer 0"], "encoder"),
        _Stage("after the encoder", found["memory"], "encoder"),
        _Stage("about to be written", found["decoder"], "decoder"),
    ]
    return _series_map(
        ["I", "like", "trees"],
        ["Me", "gustan", "los", "árboles"],
        "trees",
        "árboles",
        stations,
    )


def draw_cross_attention(
    translator: Any, text: str, title: str = "Where the translator looks while it writes"
) -> Figure:
    """Where the decoder's last layer looks in `text` while it writes each word, mean of its heads.

    translator: a `Translator`. Raises its InputError for a text it can't read.
    """
    maps = translator.attention_maps(text)
    layers = [name for name in maps.weights if name.endswith("cross_attn")]
    weights = maps.weights[layers[-1]]
    figure, ax = style.panel(1.6 + 0.46 * len(maps.tgt_out))
    which = f"last decoder layer, mean of {len(weights)} heads"
    titled(figure, title, f"How much attention each English word gets: {which}")
    attention_heatmap(weights.mean(dim=0), maps.tgt_out, maps.src, ax)
    if not ax.texts:  # the cells are too many for numbers
        color_scale(ax.images[0], ax, "weight")
    ax.set_aspect("auto")
    ax.grid(which="minor", linewidth=5, color=style.PAPER)
    ax.set_xlabel("English word looked at")
    level_name(ax, "to write")
    return figure


@figure(
    "attention-trees",
    caption="Where the decoder looks in 'I like trees' while it writes 'Me gustan los árboles'.",
    alt="Heat map with a row for each Spanish word that is written. 'gustan' looks at 'like' "
    "and 'árboles' at 'trees', each with more than half of its weight, framed; the end token looks "
    "at the end token; for 'los' the heads disagree, so its weight is spread over several words.",
)
def draw_attention_trees() -> Figure:
    title = "“gustan” looks at “like”, “árboles” at “trees”"
    figure = draw_cross_attention(Translator.load(), "I like trees", title)
    for column, row in ((1, 1), (2, 3)):  # what the title names
        outline(figure.axes[0], (column - 0.5, row - 0.5), 1, 1, style.ACCENT, 2.5)
    return figure
