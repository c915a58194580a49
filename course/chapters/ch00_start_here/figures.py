"""The map of the series: the way of one word through the machine."""

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from course.chapters.journey.figures import LIMIT, heading, vectors
from course.drawing import style
from course.drawing.arrows import arrow, box, curve
from course.drawing.attention_maps import attention_heatmap
from course.drawing.cells import area, outline, strip
from course.drawing.maps import color_scale, level_name
from course.drawing.registry import figure
from course.drawing.words import canvas, label, sentence, titled, width_of, word_color
from transformer_lib.translator import Translator

SHOWN = 16  # of the numbers of a word
LEFT, RIGHT = 2.75, 7.7  # from where to where they stand
STEP, HIGH, THIN = 0.58, 0.38, 0.06  # from row to row, of a row, half of the stream at its ends
SENTENCES = ("I", "like", "trees"), ("me", "gustan", "los", "árboles")
APART = 0.24  # more room before the decoder, which reads the memory
FAINT = 0.3  # how strong the stream is
ROWS = (  # what is written beside it, and the station
    ("its number in a list", "one-hot"),
    ("learned numbers", "embedding"),
    ("+ its position", "+ position"),
    ("+ its neighbors", "encoder layer 0"),
    ("after the encoder", "memory"),
    ("about to be written", "decoder"),
)


def _series_map(found: Mapping[str, Any]) -> Figure:
    """Both sentences, and what becomes of trees between them: its numbers at each station."""
    figure, ax = canvas(style.WIDTH, 5.52 + APART)
    heading(
        ax,
        5.32 + APART,
        "trees becomes numbers, and step by step they become árboles",
        "",
        colors="",
    )
    note = f"At each step the first {SHOWN} of its {len(found['memory'])} numbers: "
    note += "blue below zero, orange above"
    label(ax, (0.02, 5.02 + APART), note, size=style.LABEL, color=style.MUTED)
    top, bottom, mark = 4.43 + APART, 0.22, LEFT + found["one-hot"] * (RIGHT - LEFT)
    places = [top - 0.24 - HIGH - STEP * row for row in range(len(ROWS))]
    places[-1] -= APART
    over = (STEP - HIGH) / 2 - 0.03  # what a panel is higher than its rows
    for name, color, first, last in (
        ("encoder", style.ENCODER, 3, 4),
        ("decoder", style.DECODER, 5, 5),
    ):
        low, high = places[last] - over, places[first] + HIGH + over
        look = {"fill": style.TINTS[color], "line": 0, "zorder": 0, "round": 0.14}
        box(ax, (3.98, (low + high) / 2), 7.9, high - low, "", color, **look)
        label(ax, (0.15, (low + high) / 2), name, size=style.LABEL, color=color, weight="bold")
    color = word_color("trees")
    for y, words in zip((top + 0.03, bottom - 0.05), SENTENCES, strict=True):  # ends on the stream
        sentence(ax, (mark + width_of(words[-1], 16) / 2, y), words, size=16, gap=0.24, ha="right")
    area(ax, (mark - THIN, places[0]), 2 * THIN, top - places[0], color, alpha=FAINT)
    (y, left), (_, right) = (  # opened below the list, closed above the last word
        np.vstack(
            [
                curve((places[0], mark + thin), (places[1] + HIGH, x)),
                [(places[-2], x), (np.nan, np.nan)],
                curve((places[-1], x), (bottom + 0.2, mark + thin)),
            ]
        ).T
        for x, thin in ((LEFT, -THIN), (RIGHT, THIN))
    )
    ax.fill_betweenx(y, left, right, color=color, alpha=FAINT, linewidth=0)
    read = places[-1] + HIGH
    arrow(ax, (mark, places[-2] - 0.05), (mark, read + 0.04), color, thick=6)
    label(ax, (mark + 0.2, (places[-2] + read) / 2), "the decoder reads it")
    outline(ax, (LEFT, places[0]), RIGHT - LEFT, HIGH)
    area(ax, (mark - 0.02, places[0]), 0.04, HIGH, color, zorder=3)
    for y, (name, which) in zip(places, ROWS, strict=True):
        label(ax, (2.4, y + HIGH / 2), name, size=style.LABEL, ha="right")
        if which != "one-hot":
            strip(ax, (LEFT, y), RIGHT - LEFT, HIGH, found[which][:SHOWN], limit=LIMIT)
    return figure


@figure(
    "series-map",
    caption="The journey of one word through the machine, every number real. The notebooks that "
    "open the strips: 01, 02, 03, 04 to 06, 07, and for the last one 08 and 11.",
    alt="'I like trees' is on top, 'me gustan los árboles' at the bottom. From 'trees' a green "
    "stream runs down through five rows: a mark, its number in a list, which widens to the first "
    "16 of its 128 numbers as colored cells: learned, with its position, with its neighbors, after "
    "the encoder. Some cells keep their color so far, others fade or turn. There the stream ends; "
    "an arrow, 'the decoder reads it', leads to a row in the decoder, about to be written, which "
    "narrows to 'árboles'.",
    hero=True,
)
def draw_series_map() -> Figure:
    return _series_map(vectors())


@mpl.rc_context(style.PRINT)
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
