"""Where the decoder looks while it writes."""

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.arrows import curve
from course.drawing.attention_maps import attention_heatmap
from course.drawing.maps import color_scale, level_name
from course.drawing.registry import figure
from course.drawing.words import canvas, label, titled, word, word_color
from transformer_lib.translator import Translator


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
    alt="""'I like trees' and its end token are on top, 'me gustan los árboles' and the end token
    below. Bands in the words' colors run down, as wide as the attention. 'árboles' gets one full
    band from 'trees', 1.00, and 'gustan' a broad one from 'like', 0.75; both are strong. The
    others are faint: three words share 'los', and the end token looks at the end token.""",
)
def draw_attention_trees() -> Figure:
    maps = Translator.load().attention_maps("I like trees")
    weights = maps.last_cross_attention().numpy()
    title = "“gustan” attends mostly to “like”, and “árboles” only to “trees”"
    note = (
        "The width of a band is its weight: the mean of four heads, in our translator's last layer"
    )
    figure, ax = canvas(3.9, title, note)
    full, left, top, low = 1.2, 0.9, 2.62, 0.55
    wide = full * weights.sum(axis=0)
    ends = np.linspace(left, 7.95 - full, len(weights))  # where the next band arrives
    gap = (7.95 - left - full * len(ends)) / (len(wide) - 1)
    starts = left + np.cumsum([0, *wide[:-1] + gap])
    for y, does, xs, words in (
        (top + 0.22, "English", starts + wide / 2, maps.src),
        (low - 0.24, "about to\nbe written", ends + full / 2, maps.tgt_out),
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
