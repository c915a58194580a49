"""The map of the series: the way of one word through the machine."""

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from course.chapters.journey.figures import LIMIT, said, vectors
from course.drawing import style
from course.drawing.arrows import arrow, box, curve
from course.drawing.attention_maps import attention_heatmap
from course.drawing.cells import area, outline, strip
from course.drawing.maps import color_scale, level_name
from course.drawing.registry import figure
from course.drawing.words import canvas, label, sentence, titled, width_of, word, word_color
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
    ("mixed with its neighbors", "encoder layer 0"),
    ("after the encoder", "memory"),
    ("about to be written", "decoder"),
)


def _series_map(found: Mapping[str, Any]) -> Figure:
    """Both sentences, and what becomes of trees between them: its numbers at each station."""
    figure, ax = canvas(5.52 + APART)
    title = "trees becomes numbers, and step by step they become árboles"
    said(ax, (0.02, 5.32 + APART), title, size=style.TITLE, weight="bold")
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
        label(ax, (2.6, y + HIGH / 2), name, size=style.LABEL, ha="right")
        if which != "one-hot":
            strip(ax, (LEFT, y), RIGHT - LEFT, HIGH, found[which][:SHOWN], limit=LIMIT)
            cells = np.linspace(LEFT, RIGHT, SHOWN + 1)[1:-1]
            ax.vlines(cells, y, y + HIGH, color=style.PAPER, linewidth=1, zorder=3)
            look = {"color": style.PAPER, "weight": "bold", "ha": "right"}
            one = f"{found[which][SHOWN - 1]:.1f}"  # one number to follow
            label(ax, (RIGHT - 0.03, y + HIGH / 2), one, **look)
    return figure


@figure(
    "series-map",
    caption="The journey of one word through the machine, every number real. The notebooks that "
    "open the strips: 01, 02, 03, 04 to 06, 07, and for the last one 08 and 11.",
    alt="'I like trees' is on top, 'me gustan los árboles' at the bottom. From 'trees' a green "
    "stream runs down through five rows: a mark, its number in a list, which widens to the first "
    "16 of its 128 numbers as colored cells: learned, with its position, mixed with its neighbors, "
    "after the encoder. Some cells keep their color so far; others fade or turn. In the last one "
    "stand its numbers: 3.8, 4.5, 3.1, 3.0. There the stream ends; an arrow, 'the decoder reads "
    "it', leads to a row in the decoder, about to be written, whose last number is -3.3; it "
    "narrows to 'árboles'.",
    hero=True,
)
def draw_series_map() -> Figure:
    return _series_map(vectors())


@mpl.rc_context(style.PRINT)
def draw_cross_attention(translator: Any, text: str) -> Figure:
    """Where the decoder's last layer looks in `text` while it writes each word, mean of its heads.

    translator: a `Translator`. Raises its InputError for a text it can't read.
    """
    maps = translator.attention_maps(text)
    weights = maps.last_cross_attention()
    figure, ax = style.panel(1.6 + 0.46 * len(maps.tgt_out))
    note = "How much attention each English word gets: last decoder layer, mean of its heads"
    titled(figure, "Where the translator looks while it writes", note)
    attention_heatmap(weights, maps.tgt_out, maps.src, ax)
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
    alt="'I like trees' and its end token are on top, 'me gustan los árboles' and the end token "
    "below. Bands in the words' colors run down, as wide as the attention. 'árboles' gets one full "
    "band from 'trees', 1.00, and 'gustan' a broad one from 'like', 0.75; both are strong. The "
    "others are faint: three words share 'los', and the end token looks at the end token.",
)
def draw_attention_trees() -> Figure:
    maps = Translator.load().attention_maps("I like trees")
    weights = maps.last_cross_attention().numpy()
    note = "A band is as wide as the attention: last layer of the decoder, mean of its 4 heads"
    figure, ax = canvas(3.9, "“gustan” looks at “like”, “árboles” at “trees”", note)
    full, left, top, low = 1.2, 0.9, 2.62, 0.55
    wide = full * weights.sum(axis=0)
    ends = np.linspace(left, 7.95 - full, len(weights))  # where the next band arrives
    gap = (7.95 - left - full * len(ends)) / (len(wide) - 1)
    starts = left + np.cumsum([0, *wide[:-1] + gap])
    for y, does, xs, words in (
        (top + 0.22, "read", starts + wide / 2, maps.src),
        (low - 0.24, "to write", ends + full / 2, maps.tgt_out),
    ):
        label(ax, (0.02, y), does, size=style.LABEL)
        for x, text in zip(xs, words, strict=True):
            word(ax, (x, y), text, size=15)
    for (row, column), weight in np.ndenumerate(weights):
        thick, loud = full * weight, (row, column) in ((1, 1), (3, 2))  # what the title names
        color = style.readable(word_color(maps.src[column]))
        color = color if loud else style.tint(color)
        y, x = curve((top, starts[column]), (low, ends[row])).T
        if weight > 0.02:
            ax.fill_betweenx(y, x, x + thick, color=color, linewidth=0, zorder=2 + loud)
        if weight > 0.1:
            look = {"size": 15, "weight": "bold"} if loud else {}
            look |= {"color": style.ink_on(color), "ha": "center"}
            label(ax, (ends[row] + thick / 2, low + 0.13), f"{weight:.2f}", **look)
        starts[column] += thick
        ends[row] += thick
    return figure
