"""The way of one word: one station opened, and below it the line of all stations, with a dot each.

`station` draws the frame. What a station shows is drawn by the functions below, each into the box
that is left for it. All strips have one scale. Where a strip has no room for 128 cells that can be
told apart, it shows the first 32.
"""

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from course.chapters.journey import poster
from course.chapters.journey.experiments import (
    SENTENCE,
    Trace,
    nearest,
    trace,
    untrained,
    with_borrowed_memory,
)
from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, curve, path
from course.drawing.cells import area, outline, scale, strip
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import canvas, label, percent, sentence, width_of, word, word_color
from course.drawing.words import heading as kit_heading
from transformer_lib.translator import Translator

LIMIT = 3.0  # the scale of every strip: darkest at 3 and at -3
WIDTH = 8.0
LEFT, RIGHT = 1.62, 7.86  # from where to where the strips go
HEADING = 0.42  # what the word and the sentence beside it take, on top
FEW = 32  # so many of the 128 numbers are shown where all would be hairlines
FIRST = f"the first {FEW} of 128 numbers"
CHIPS = re.compile(r"(?<!\w)(trees|like|árboles|<eos>)(?!\w)")  # in a title
STATIONS = (
    "one-hot",
    "embedding",
    "+ position",
    "encoder layer 0",
    "attention",
    "memory",
    "decoder",
    "next word",
)


class Box(NamedTuple):
    """Where an open station may draw: the lower and the upper end."""

    bottom: float
    top: float


def station(
    here: str,
    draw: Callable[..., None],
    *shown: Any,
    height: float = 1.2,
    new: str = "",
    colors: str = "value",
) -> Figure:
    """The open station `here` of the way of trees -> the figure: `draw` puts `shown` into it.

    height: of the station. new: what happens to trees here: goes on after the word, on top.
    colors: the name of their scale; without one there is no scale.
    """
    if here not in STATIONS:
        raise ValueError(f"there is no station {here!r}; the stations are {', '.join(STATIONS)}")
    foot = 0.48
    figure, ax = canvas(WIDTH, HEADING + height + foot)
    heading(ax, height + foot + HEADING - 0.2, "trees", new, colors=colors)
    area(ax, (0.03, foot), WIDTH - 0.06, height, style.GROUND, zorder=0)
    area(ax, (0.03, foot), 0.06, height, word_color("trees"), zorder=1)
    draw(ax, Box(foot + 0.08, foot + height - 0.08), *shown)
    _line_of_stations(ax, 0.33, STATIONS.index(here))
    return figure


def _line_of_stations(ax: Axes, y: float, here: int) -> None:
    """A dot for each station, with its name below: passed, open, to come."""
    step, green = (WIDTH - 1) / (len(STATIONS) - 1), word_color("trees")
    xs = [0.5 + i * step for i in range(len(STATIONS))]
    path(ax, [(xs[0], y), (xs[-1], y)], style.RULE, head=False, thick=1)
    path(ax, [(xs[0], y), (xs[here] + 0.001, y)], green, head=False, thick=1.6)
    for i, (x, name) in enumerate(zip(xs, STATIONS, strict=True)):
        color, size = (green, 8 if i == here else 5) if i <= here else (style.SOFT, 5)
        ax.plot(x, y, "o", color=color if i <= here else style.PAPER, markersize=size, zorder=3)
        ax.lines[-1].set_markeredgecolor(color)
        look = {"weight": "bold"} if i == here else {"color": style.MUTED}
        label(ax, (x, y - 0.18), name.removeprefix("encoder "), ha="center", **look)


def heading(ax: Axes, y: float, text: str, new: str, *, colors: str = "value") -> None:
    """A title that begins with the word whose way this is, if any, and what the colors mean.

    Words of the running sentence are chips in it, too.
    """
    x = 0.02
    for part in filter(None, map(str.strip, CHIPS.split(f"{text} {new}"))):
        if CHIPS.fullmatch(part):
            word(ax, (x + 0.06, y), part, size=style.TITLE, ha="left")
            x += 0.22 + width_of(part, style.TITLE)
        else:
            x -= 0.1 * part.startswith(",")  # it belongs to the chip before it
            label(ax, (x, y), part, size=style.TITLE, weight="bold")
            x += 0.12 + width_of(part, style.TITLE)
    if colors:
        scale(ax, (RIGHT - 0.65, y - 0.03), 0.5, limit=LIMIT)
        label(ax, (RIGHT - 0.95, y + 0.015), colors, ha="right")


def _marked(text: str = "trees", line: float = 1.6) -> dict[str, Any]:
    """The frame of the strip that goes on."""
    return {"edge": word_color(text), "line": line}


def _one_hot_strip(ax: Axes, at: tuple[float, float], height: float, share: float) -> None:
    """A row as wide as the vocabulary, with its 1 at this share of the way: a mark, for one cell of
    a thousand is thinner than a hair."""
    outline(ax, at, RIGHT - LEFT, height)
    x = LEFT + share * (RIGHT - LEFT)
    area(ax, (x - 0.017, at[1]), 0.034, height, word_color("trees"), zorder=3)


def _fan(ax: Axes, top: tuple[float, float, float], y: float, color: str) -> None:
    """What a few cells of a row become, enlarged. top: from where to where, and how high."""
    left, right, high = top
    corners = [(left, high), (right, high), (RIGHT, y), (LEFT, y)]
    ax.add_patch(Polygon(corners, facecolor=color, linewidth=0, zorder=1))


# --- what stands in the open station -------------------------------------------------------------


def _one_hot_open(ax: Axes, box: Box, words: Sequence[str], first: int, here: int, vocab_size: int):
    """The whole row, and a few of its cells under a lens: the words around `here`, from `first`."""
    y, cells = box.top - 0.2, box.bottom + 0.4
    wide, unit = (RIGHT - LEFT) / len(words), (RIGHT - LEFT) / vocab_size
    _one_hot_strip(ax, (LEFT, y), 0.16, (here + 0.5) / vocab_size)
    ends = LEFT + first * unit, LEFT + (first + len(words)) * unit
    _fan(ax, (*ends, y), cells + 0.36, style.RULE)
    for i, text in enumerate(words):
        number, x = first + i, LEFT + (i + 0.5) * wide
        chosen = number == here
        color = word_color("trees") if chosen else style.PAPER
        area(ax, (LEFT + i * wide, cells), wide, 0.36, color, zorder=2)
        outline(ax, (LEFT + i * wide, cells), wide, 0.36)
        look = {"weight": "bold"} if chosen else {"color": style.MUTED}
        one = {**look, "ha": "center"} | ({"color": style.ink_on(color)} if chosen else {})
        label(ax, (x, cells + 0.18), str(int(chosen)), size=13, **one)
        word(ax, (x, cells - 0.13), text, size=style.NOTE, **look)
        label(ax, (x, cells - 0.31), str(number), ha="center", color=style.MUTED)
    label(ax, (LEFT - 0.12, y), f"one cell for each\nof {vocab_size} entries", ha="right")


def _fan_open(ax: Axes, box: Box, vector: Any, share: float, note: str) -> None:
    """The mark in the one-hot row pulls a row out of the table."""
    x, top, bottom, high = LEFT + share * (RIGHT - LEFT), box.top - 0.18, box.bottom + 0.28, 0.42
    _one_hot_strip(ax, (LEFT, top), 0.16, share)
    _fan(ax, (x, x, top), bottom + high, style.tint(word_color("trees")))
    strip(ax, (LEFT, bottom), RIGHT - LEFT, high, vector, limit=LIMIT, **_marked())
    label(ax, (LEFT, box.bottom + 0.1), note)
    label(ax, (LEFT - 0.1, top + 0.08), "one-hot", ha="right")
    label(ax, (LEFT - 0.1, bottom + high / 2), "embedding", ha="right", weight="bold")


def _rows_open(ax: Axes, box: Box, rows: Sequence[tuple[str, str, Any]], goes: str) -> None:
    """Strips under each other, each with a sign (+, =) and a name in front of it; the last one is
    what goes on, and is marked. goes: what it is, and for whom."""
    label(ax, (LEFT, box.top - 0.06), FIRST, color=style.MUTED)
    high, top = 0.3, box.top - 0.2
    step = (top - box.bottom - 0.22 - high) / (len(rows) - 1)
    label(ax, (LEFT, box.bottom + 0.06), goes)
    for i, (sign, name, vector) in enumerate(rows):
        y, last = top - high - i * step, i == len(rows) - 1
        mark, weight = (_marked(line=2.2), "bold") if last else ({}, "normal")
        strip(ax, (LEFT, y), RIGHT - LEFT, high, vector[:FEW], limit=LIMIT, **mark)
        look = {"size": style.LABEL, "weight": weight}
        label(ax, (LEFT - 0.1, y + high / 2), name, ha="right", **look)
        label(ax, (0.22, y + high / 2), sign, size=style.TITLE, weight="bold")


def _attention_open(
    ax: Axes,
    box: Box,
    words: Sequence[str],
    query: Any,
    keys: Any,
    values: Any,
    weights: Sequence[float],
) -> None:
    """The query of trees looks at the keys of all words; their values are mixed by weight."""
    wide, high, left, size = 1.3, 0.24, 0.25, style.LABEL
    step = (box.top - 0.22 - box.bottom) / len(words)
    x_key, x_value, x_sum = left + 2.0, left + 4.5, RIGHT - wide
    ys = [box.top - 0.22 - (i + 0.5) * step for i in range(len(words))]
    middle = (ys[0] + ys[-1]) / 2
    for x, y, name in (
        (left, middle + 0.34, "its query"),
        (x_key, box.top - 0.06, "keys"),
        (x_value - 0.25, box.top - 0.06, "attention"),
        (x_value, box.top - 0.06, "values"),
        (x_sum, middle + 0.34, "their mix"),
    ):
        label(ax, (x, y), name, size=size, ha="right" if name == "attention" else "left")
    mixed = as_array(weights) @ as_array(values)
    for x, vector in ((left, query), (x_sum, mixed)):
        strip(ax, (x, middle - 0.2), wide, 0.4, vector, limit=LIMIT, **_marked())
    how = {"widest": 6, "least": 0.005}
    for text, y, k, v, weight in zip(words, ys, keys, values, weights, strict=True):
        for x, vector in ((x_key, k), (x_value, v)):
            strip(ax, (x, y - high / 2), wide, high, vector, limit=LIMIT)
        start = left + wide + 0.05, middle + (y - middle) * 0.2
        attention_arrow(ax, start, (x_key - 0.05, y), weight, "trees", **how)
        end = x_sum - 0.05, middle + (y - middle) * 0.3
        attention_arrow(ax, (x_value + wide + 0.05, y), end, weight, text, **how)
        word(ax, (x_key + wide + 0.36, y), text)
        _share(ax, (x_value - 0.08, y), weight, "right")


def _share(ax: Axes, at: tuple[float, float], weight: float, ha: str) -> None:
    """A weight in percent; a large one is bold, a small one grey."""
    look = {"color": style.INK if weight >= 0.1 else style.MUTED, "ha": ha}
    label(ax, at, f"{100 * weight:.0f} %", weight="bold" if weight >= 0.25 else "normal", **look)


def _heads_open(ax: Axes, box: Box, words: Sequence[str], weights: Any, brought: Any) -> None:
    """What each head brings, side by side, and above it how much of each word it takes."""
    count, gap, step, left = len(brought), 0.25, 0.27, 1.1
    wide = (RIGHT - left - (count - 1) * gap) / count
    ys = [box.top - 0.36 - step * row for row in range(len(words))]
    for text, y in zip(words, ys, strict=True):
        word(ax, (left - 0.15, y), text, ha="right")
    for i, (shares, vector) in enumerate(zip(as_array(weights), brought, strict=True)):
        x = left + i * (wide + gap)
        label(ax, (x, box.top - 0.1), f"head {i}", size=style.LABEL, weight="bold")
        for text, share, y in zip(words, shares, ys, strict=True):
            long = max(share * (wide - 0.42), 0.01)
            area(ax, (x, y - 0.09), long, 0.18, word_color(text), zorder=2)
            _share(ax, (x + long + 0.06, y), share, "left")
        strip(ax, (x, box.bottom + 0.02), wide, 0.34, vector, limit=LIMIT, **_marked(line=1.3))
    label(ax, (left - 0.1, box.bottom + 0.19), "their mix", ha="right")
    label(ax, (left - 0.1, box.top - 0.1), "attention", ha="right")


def _masks_open(
    ax: Axes, box: Box, rows: Sequence[tuple[str, str, str, Sequence[tuple[str, Any, bool]]]]
) -> None:
    """What may be seen: the vectors of the words, and grey boxes for those that are hidden.

    rows: the name of the mask, who looks, as words and a word of the sentence, and for each word
    of the row: its name, its vector, may it be seen?
    """
    step = (box.top - box.bottom) / len(rows)
    wide = (RIGHT - LEFT + 0.08) / max(len(seen_words) for *_, seen_words in rows)
    for i, (name, who, looker, seen_words) in enumerate(rows):
        y = box.top - (i + 1) * step
        label(ax, (0.2, y + 0.5), name, size=style.LABEL, weight="bold")
        label(ax, (0.2, y + 0.19), who)
        word(ax, (LEFT - 0.14, y + 0.19), looker, ha="right")
        for j, (text, vector, seen) in enumerate(seen_words):
            at, size = (LEFT + j * wide, y + 0.02), (wide - 0.08, 0.34)
            color = style.WORDS.get(text, style.MUTED)
            word(ax, (at[0] + size[0] / 2, y + 0.5), text, color=color)
            if seen:
                strip(ax, at, *size, vector[:FEW], limit=LIMIT)
            else:
                area(ax, at, *size, style.RULE)
                outline(ax, at, *size, style.SOFT)
                middle = at[0] + size[0] / 2, at[1] + size[1] / 2
                label(ax, middle, "hidden", ha="center", color=style.MUTED)


def _reading_open(
    ax: Axes,
    box: Box,
    words: Sequence[str],
    memory: Any,
    weights: Sequence[float],
    writes: str,
    vector: Any,
) -> None:
    """One position of the decoder reads the memory of all words: arrows, and where it ends."""
    left, wide, high, x_out = 0.95, 2.7, 0.26, RIGHT - 2.4
    label(ax, (left, box.top - 0.06), f"the memory: {FIRST}")
    top = box.top - 0.2
    step = (top - box.bottom) / len(words)
    middle = top - (np.argmax(weights) + 0.5) * step  # beside what is read most
    for i, (text, row, weight) in enumerate(zip(words, memory, weights, strict=True)):
        y = top - (i + 0.5) * step
        word(ax, (left - 0.12, y), text, ha="right")
        mark = _marked() if weight > 0.5 else {}
        strip(ax, (left, y - high / 2), wide, high, row[:FEW], limit=LIMIT, **mark)
        start = left + wide + 0.82, y
        attention_arrow(ax, start, (x_out - 0.08, middle), weight, text, widest=6)
        _share(ax, (left + wide + 0.74, y), weight, "right")
    label(ax, (left + wide + 0.57, box.top - 0.06), "attention", ha="center")
    at = x_out, middle - 0.25
    strip(ax, at, 2.4, 0.5, vector[:FEW], limit=LIMIT, **_marked(writes))
    label(ax, (x_out, middle + 0.45), "the position that writes")
    word(ax, (RIGHT - 0.05, middle + 0.45), writes, ha="right", size=12)


def _words_open(
    ax: Axes,
    box: Box,
    vector: Any,
    words: Sequence[str],
    chances: Sequence[float],
    others: str,
) -> None:
    """The last vector, and bars for the words that it makes likely. others: all the rest."""
    strip(ax, (LEFT, box.top - 0.34), RIGHT - LEFT, 0.34, vector, limit=LIMIT)
    label(ax, (LEFT - 0.1, box.top - 0.17), "the decoder's\nlast vector", ha="right")
    top = box.top - 0.66
    arrow(ax, (LEFT + 0.15, box.top - 0.38), (LEFT + 0.15, top + 0.02), style.MUTED)
    label(ax, (LEFT + 0.32, (box.top + top) / 2 - 0.18), "linear and softmax", color=style.MUTED)
    step, full = (top - box.bottom) / (len(words) + 1), 5.6
    rows = [*zip(words, chances, strict=True), (others, 1 - sum(chances))]
    for i, (text, chance) in enumerate(rows):
        y, long = top - (i + 0.5) * step, max(chance * full, 0.01)
        first, rest = i == 0, text == others
        name = label if rest else word
        name(ax, (LEFT - 0.12, y), text, size=12 if first else style.NOTE, ha="right")
        area(ax, (LEFT, y - 0.1), long, 0.2, style.SOFT if rest else word_color(text), zorder=2)
        weight = "bold" if first else "normal"
        label(ax, (LEFT + long + 0.08, y), percent(chance), weight=weight, size=style.LABEL)


def _sentence_across(
    src: Sequence[str], memory: Any, tgt: Sequence[str], last: Any, weights: Any
) -> Figure:
    """All words: their memory on the left, what is written on the right, and who reads whom."""
    figure, ax = canvas(WIDTH, 2.52)
    wide, high, left, right = 2.35, 0.24, 0.75, WIDTH - 3.3
    ys = [1.7 - 0.38 * i for i in range(max(len(src), len(tgt)))]
    heading(ax, 2.32, "", "Most words read the memory of their English word")
    label(ax, (left, 1.98), f"memory: {FIRST}")
    label(ax, ((left + wide + right) / 2, 1.98), "attention", ha="center")
    label(ax, (right, 1.98), "the position that writes")
    for words, vectors, x, beside, ha in (
        (src, memory, left, left - 0.1, "right"),
        (tgt, last, right, right + wide + 0.1, "left"),
    ):
        for text, vector, y in zip(words, vectors, ys, strict=False):
            word(ax, (beside, y), text, ha=ha, size=12)
            strip(ax, (x, y - high / 2), wide, high, vector[:FEW], limit=LIMIT)
    weights, x = as_array(weights), (left + wide + 0.05, right - 0.6)
    leaves = [y + 0.1 * given for y, given in zip(ys, weights.sum(axis=0), strict=False)]
    for j, row in enumerate(weights):  # the bands of a word lie on each other at both ends
        arrives = ys[j] + 0.1
        for i, weight in enumerate(row):
            thick, color = 0.2 * weight, word_color(src[i])
            middle = curve((x[0], leaves[i] - thick / 2), (x[1], arrives - thick / 2))
            leaves[i], arrives = leaves[i] - thick, arrives - thick
            if weight >= 0.02:
                across, y = middle.T
                ends = {"y1": y - thick / 2, "y2": y + thick / 2, "zorder": 3 - weight}
                ax.fill_between(across, **ends, color=color, linewidth=0)
        color, most = style.readable(word_color(src[row.argmax()])), percent(row.max())
        label(ax, (right - 0.1, ys[j]), most, ha="right", color=color, weight="bold")
    return figure


def _whole_way(
    names: Sequence[str],
    halves: Sequence[tuple[str, str, str, Sequence[Any]]],
    out: str,
    chance: str,
) -> Figure:
    """Every station of the way at the same size: encoder on the left, decoder on the right.

    names: of the rows. halves: for each half its name, the word at whose place it is, what happens
    there, and a vector for each row; the last one of the first half is the memory, which the layers
    of the second read. out, chance: the word that comes out, and how likely it is.
    """
    step, high, wide, lefts = 0.3, 0.23, 2.55, (1.2, RIGHT - 2.65)
    top, figure_height = 1.9, 2.92
    figure, ax = canvas(WIDTH, figure_height)
    heading(ax, figure_height - 0.2, "trees", "becomes árboles, station by station")
    ys = [top - 0.06 - step * (i + 0.5) for i in range(len(names))]
    for name, y in zip(names, ys, strict=True):
        label(ax, (lefts[0] - 0.22, y), name, ha="right")
    for (half, text, does, vectors), left in zip(halves, lefts, strict=True):
        color = style.ENCODER if half == "encoder" else style.DECODER
        area(ax, (left - 0.1, ys[-1] - 0.2), wide + 0.2, 1.86, style.TINTS[color], zorder=0)
        label(ax, (left, top + 0.38), half, color=color, weight="bold", size=style.LABEL)
        word(ax, (left + 0.85, top + 0.38), text, ha="left", size=12)
        label(ax, (left, top + 0.1), does)
        for y, vector in zip(ys, vectors, strict=True):
            strip(ax, (left, y - high / 2), wide, high, vector[:FEW], limit=LIMIT)
    start, end, lane = lefts[0] + wide + 0.03, lefts[1] - 0.03, lefts[0] + wide + 0.6
    outline(ax, (lefts[0], ys[-1] - high / 2), wide, high, word_color("trees"), 2.2)
    look = {"thick": 3.0}
    arrow(ax, (start, ys[-1]), (end, ys[-1]), word_color("trees"), **look)
    path(ax, [(lane, ys[-1]), (lane, ys[-2]), (end, ys[-2])], word_color("trees"), **look)
    label(ax, ((start + end) / 2, ys[-2] + 0.36), "both layers\nread the\nmemory", ha="center")
    label(ax, (lefts[0], ys[-1] - 0.34), "framed: the memory of trees")
    label(ax, (lefts[0], ys[-1] - 0.58), f"each strip: {FIRST}", color=style.MUTED)
    x, y = lefts[1] + 0.4, ys[-1] - 0.54
    arrow(ax, (x, ys[-1] - high / 2), (x, y + 0.17), word_color("trees"), **look)
    word(ax, (x - 0.35, y), out, size=14, ha="left")
    label(ax, (x + width_of(out, 14) - 0.2, y), chance, size=style.LABEL)
    return figure


def _borrowed(
    rows: Sequence[tuple[str, Any, Sequence[str]]], arrow_from: int, arrow_to: int
) -> Figure:
    """Sentences that differ in the memory of one place: its strip, and what the decoder writes.

    rows: the English sentence, the memory of its last word, the words written. The memory of row
    `arrow_from` is put into the place of row `arrow_to`.
    """
    step, left, wide = 0.62, 1.85, 3.1
    top = step * len(rows) + 0.14
    ys = [step * (len(rows) - 1 - i) + 0.3 for i in range(len(rows))]
    figure, ax = canvas(WIDTH, top + 0.6)
    heading(ax, top + 0.4, "trees", "is written as casas, with the memory of houses")
    label(ax, (left - 0.14, top), "it reads", ha="right")
    label(ax, (left, top), f"memory of the last word: {FEW} of 128 numbers")
    label(ax, (left + wide + 0.5, top), "it writes")
    others = {OTHER: style.ACCENT, "las": style.ACCENT, "casas": style.ACCENT}
    words = {"marked": {**style.WORDS, **others}, "gap": 0.14}
    for i, ((source, vector, written), y) in enumerate(zip(rows, ys, strict=True)):
        first, _, more = source.partition("\n")
        at = left - 0.14, y + (0.06 if more else -0.05)
        sentence(ax, at, first.split(), ha="right", size=11, **words)
        label(ax, (left - 0.14, y - 0.13), more, ha="right", color=style.ACCENT, weight="bold")
        mark = {"edge": style.ACCENT, "line": 2.2} if i >= arrow_from else {}
        strip(ax, (left, y - 0.15), wide, 0.3, vector[:FEW], limit=LIMIT, **mark)
        last = i == arrow_to
        color = style.ACCENT if last else style.MUTED
        arrow(ax, (left + wide + 0.1, y), (left + wide + 0.42, y), color, thick=3 if last else 1.5)
        size = 13.5 if last else 11
        sentence(ax, (left + wide + 0.52, y - 0.05), written, size=size, **words)
    start, end, x = ys[arrow_from], ys[arrow_to], left + wide / 2
    side = 0.17 if start > end else -0.17
    attention_arrow(ax, (x, start - side), (x, end + side), 0.8, style.ACCENT)
    return figure


def _before_after(
    text: str, rows: Sequence[tuple[str, str, Any, dict[str, tuple[float, float]]]]
) -> Figure:
    """The same row of the table at several times, and how near other rows come, and go.

    rows: the time, what the words are, the vector, and for each of the words most like it the
    cosine with the row of `text`, first and last. The words of the last time are loud.
    """
    step, pitch, left, wide = 1.08, 0.24, 5.25, 5.8  # wide: of a cosine of 1
    top = step * len(rows) + 0.3
    figure, ax = canvas(WIDTH, top + HEADING)
    heading(ax, top + HEADING - 0.2, text, "moves toward similar words in training")
    for i, (title, why, vector, cosines) in enumerate(rows):
        y, loud = top - 0.2 - step * i, i == len(rows) - 1
        color = word_color(text) if loud else style.SOFT
        label(ax, (0.1, y), title, size=style.LABEL, weight="bold")
        strip(ax, (0.1, y - 0.7), 3.1, 0.5, vector[:FEW], limit=LIMIT, **_marked(text, 1.4))
        label(ax, (3.75, y), f"most like it: {why}", size=style.LABEL)
        for row, (other, both) in enumerate(cosines.items()):
            at, (start, end) = y - 0.25 - pitch * row, (left + wide * cosine for cosine in both)
            word(ax, (left - 0.5, at), other, size=style.NOTE, ha="right")
            ax.plot(start, at, "o", color=color, markersize=6)
            arrow(ax, (start, at), (end, at), color, thick=3 if loud else 2)
            for x, cosine in zip((start, end), both, strict=True):
                side, ink = 1 if x == max(start, end) else -1, style.readable(color)
                look = {"weight": "bold", "color": ink} if x == end else {"color": style.MUTED}
                ha = "left" if side > 0 else "right"
                label(ax, (x + 0.1 * side, at), f"{cosine:.2f}", ha=ha, **look)
    note = f"cosine with {text}: from before training to after 8,000 steps"
    label(ax, (RIGHT, 0.12), note, ha="right", color=style.MUTED)
    label(ax, (0.1, 0.12), FIRST, color=style.MUTED)
    return figure


def sums(title: str, groups: Sequence[tuple[str, Sequence[tuple[str, Any]]]]) -> Figure:
    """A word, its position and their sum, for several words under each other.

    groups: the word, or "" for the one above, and its rows as (name, vector); a name with "=" is
    that of a sum, which is framed in the word's color.
    """
    step, gap, high, left = 0.31, 0.16, 0.23, 1.75
    total = sum(len(rows) for _, rows in groups) * step + (len(groups) - 1) * gap + 0.86
    figure, ax = canvas(WIDTH, total)
    kit_heading(ax, title)
    y, color = total - 0.5, style.INK
    for text, rows in groups:
        if text:
            word(ax, (0.08, y - step + high / 2), text, size=12, ha="left")
            color = word_color(text)
        for name, vector in rows:
            y -= step
            is_sum = name.startswith("=")
            weight, mark = ("bold", {"edge": color, "line": 1.6}) if is_sum else ("normal", {})
            label(ax, (left - 0.1, y + high / 2), name, ha="right", weight=weight)
            strip(ax, (left, y), WIDTH - left - 0.02, high, vector, limit=LIMIT, **mark)
        y -= gap
    scale(ax, (WIDTH - 1.1, 0.1), 0.7, limit=LIMIT)
    label(ax, (WIDTH - 1.45, 0.145), "number", ha="right")
    return figure


WORD, WRITTEN, OTHER = "trees", "árboles", "houses"
LAYER = "encoder.layers.1.self_attn"  # the attention that notebooks 04 to 06 look into
HEAD = 1
READING = "decoder.layers.1.cross_attn"
DOTS = "Below, a line with eight stages by name, green up to this one."


@functools.cache
def _the_translator() -> Translator:
    return Translator.load()


@functools.cache
def _the_way() -> Trace:
    return trace(_the_translator(), SENTENCE)


def number() -> int:
    return _the_translator().src.vocab.encode([WORD])[0]


def share() -> float:
    """How far along the one-hot row the 1 stands."""
    return (number() + 0.5) / len(_the_translator().src.vocab)


@functools.cache
def vectors() -> dict[str, Any]:
    """What trees is at each station; in the decoder, at the position that writes árboles."""
    way = _the_way()
    return {
        "one-hot": share(),
        "embedding": way.of("src_embed", WORD),
        "+ position": way.of("src_positions", WORD),
        "encoder layer 0": way.of("encoder.layers.0", WORD),
        "attention": way.of(LAYER, WORD),
        "memory": way.of("encoder", WORD),
        "decoder": way.of("decoder", WRITTEN),
    }


@figure(
    "trees-one-hot",
    notebook="01_one_hot",
    caption="You are here: the word trees becomes a row with one 1, at its own number.",
    alt="'trees' in green, and a long empty row with one green mark, in the middle. Under a lens "
    "its cells are 0, but for one: a 1 at number 498, the number of 'trees'. Below, a line with "
    "eight stages by name, from one-hot to next word; the first is green.",
)
def draw_one_hot() -> Figure:
    vocab = _the_translator().src.vocab
    first = number() - 4
    words = vocab.tokens[first : first + 9]
    return station(
        "one-hot",
        _one_hot_open,
        words,
        first,
        number(),
        len(vocab),
        new="is a row with one 1, all else 0",
        height=1.42,
        colors="",
    )


@figure(
    "trees-embeddings",
    notebook="02_embeddings",
    caption="You are here: the 1 pulls a row of 128 numbers out of a table.",
    alt="From the mark in the one-hot row a green fan opens onto a strip of 128 colored cells, "
    f"blue below zero and orange above: the embedding of 'trees', times 11.3. {DOTS}",
)
def draw_embeddings() -> Figure:
    scale = _the_translator().model.src_embed.scale
    note = f"row {number()} of the table, times √128 = {scale:.1f}"
    return station(
        "embedding",
        _fan_open,
        vectors()["embedding"],
        share(),
        note,
        new="picks 128 numbers from a table",
        height=1.36,
    )


@figure(
    "trees-positions",
    notebook="03_positional_encoding",
    caption="You are here: the vector of position 2 is added to the word.",
    alt="Three strips, 32 cells each: the embedding of 'trees' in blue and orange, plus position "
    "2, whose cells are nearly all orange, equals the sum, in which each "
    f"cell is the one plus the other. {DOTS}",
)
def draw_positions() -> Figure:
    model = _the_translator().model
    place = _the_way().src.index(WORD)
    rows = [
        ("", "embedding", vectors()["embedding"]),
        ("+", f"position {place}", model.src_positions.table[place]),
        ("=", "their sum", vectors()["+ position"]),
    ]
    return station(
        "+ position",
        _rows_open,
        rows,
        "this goes into the encoder",
        new="gets its position added, number by number",
        height=1.7,
    )


@figure(
    "trees-attention",
    notebook="04_attention",
    caption="You are here: the query of trees looks for keys, in one real head.",
    alt="From the query of 'trees' green arrows go to the keys of 'like' and <eos>, 47 % each; 'I' "
    "gets 1 % and 'trees' itself 5 %. Next to each key is a value; arrows of the same weights "
    f"lead from the values to their mix. All these are strips of 32 cells. {DOTS}",
)
def draw_attention() -> Figure:
    way = _the_way()
    layer = _the_translator().model.get_submodule(LAYER)
    q, k, v = (layer.split_heads(way.outputs[f"{LAYER}.w_{part}"][None])[0, HEAD] for part in "qkv")
    place = way.src.index(WORD)
    weights = way.weights[LAYER][HEAD, place].tolist()
    return station(
        "attention",
        _attention_open,
        way.src,
        q[place],
        k,
        v,
        weights,
        new="takes in like and <eos>, in one head",
        height=1.62,
    )


@figure(
    "trees-heads",
    notebook="05_multi_head_attention",
    caption="You are here: what four heads bring to trees, side by side.",
    alt="Four strips of 32 cells, one for each head. Four bars above each, with their numbers, "
    "say how much of each word is in it: head 0 takes <eos> and 'trees', head 1 'like' and <eos>, "
    f"head 2 almost only 'trees', head 3 mostly <eos>. {DOTS}",
)
def draw_heads() -> Figure:
    way = _the_way()
    place = way.src.index(WORD)
    return station(
        "attention",
        _heads_open,
        way.src,
        way.weights[LAYER][:, place],
        way.heads[LAYER][:, place],
        new="gets a different mix from each head",
        height=1.95,
    )


@figure(
    "trees-masks",
    notebook="06_masks",
    caption="You are here: what trees may see, and what the position that writes árboles may.",
    alt="Two rows of words with their vectors. Padding mask: 'trees' sees 'I', 'like', 'trees' and "
    "<eos>, but two <pad> are grey: hidden. Causal mask: the position that writes 'árboles' sees "
    f"<bos>, 'me', 'gustan' and 'los', but 'árboles' is hidden. {DOTS}",
)
def draw_masks() -> Figure:
    way = _the_way()
    x, y = way.outputs["encoder.layers.0"], way.outputs["decoder.layers.0"]
    place = way.tgt_out.index(WRITTEN)
    rows = [
        (
            "padding mask",
            "seen from",
            WORD,
            [
                *((text, x[i], True) for i, text in enumerate(way.src)),
                ("<pad>", None, False),
                ("<pad>", None, False),
            ],
        ),
        (
            "causal mask",
            "to write",
            WRITTEN,
            [(text, y[i], i <= place) for i, text in enumerate(way.tgt_in)],
        ),
    ]
    return station(
        "attention",
        _masks_open,
        rows,
        new="sees no padding, the decoder no later word",
        height=1.58,
        colors=f"{FEW} of 128 values",
    )


@figure(
    "trees-encoder",
    notebook="07_encoder",
    caption="You are here: what is left of trees at the end of the encoder, the memory.",
    alt="Three strips, 32 cells each: 'trees' after the attention, plus what the feed-forward "
    f"network adds, equals, once normed, the memory: what the decoder will read. {DOTS}",
)
def draw_encoder() -> Figure:
    way, layer = _the_way(), "encoder.layers.1"
    rows = [
        ("", "after attention", way.of(f"{layer}.residual_self_attn", WORD)),
        ("+", "feed-forward", way.of(f"{layer}.feed_forward", WORD)),
        ("=", "normed sum", vectors()["memory"]),
    ]
    return station(
        "memory",
        _rows_open,
        rows,
        "the memory: all that the decoder reads of trees",
        new="leaves the encoder as its memory",
        height=1.7,
    )


@figure(
    "trees-decoder",
    notebook="08_decoder",
    caption="You are here: the position that writes árboles reads the memory, in layer 1.",
    alt="Four strips, the memory of 'I', 'like', 'trees' and <eos>. One thick green arrow, 100 %, "
    "leads from 'trees' to the strip of the position that writes 'árboles'; the others have 0 %. "
    f"{DOTS}",
)
def draw_decoder() -> Figure:
    way = _the_way()
    place = way.tgt_out.index(WRITTEN)
    weights = way.weights[READING].mean(dim=0)[place].tolist()
    return station(
        "decoder",
        _reading_open,
        way.src,
        way.outputs["encoder"],
        weights,
        WRITTEN,
        vectors()["decoder"],
        new="is what the decoder reads to write árboles",
        height=1.6,
    )


@figure(
    "trees-transformer",
    notebook="09_the_whole_transformer",
    caption="You are here: every stage of trees, from the embedding to the next word.",
    alt="Two columns of four strips each: embedding, + position, layer 0, layer 1. The left one is "
    "'trees' in the encoder; its last strip is framed, the memory. From there arrows lead to layer "
    "0 and layer 1 of the right one, 'los' in the decoder, which says what comes after it. An "
    "arrow leads from its last strip to 'árboles' with 90 %.",
)
def draw_transformer() -> Figure:
    way = _the_way()
    before = way.tgt_in[way.tgt_out.index(WRITTEN)]
    names = ("embedding", "+ position", "layer 0", "layer 1")
    encoder = ("src_embed", "src_positions", "encoder.layers.0", "encoder.layers.1")
    decoder = ("tgt_embed", "tgt_positions", "decoder.layers.0", "decoder.layers.1")
    halves = [
        ("encoder", WORD, "reads this word", [way.of(part, WORD) for part in encoder]),
        (
            "decoder",
            before,
            "says what comes after it",
            [way.of(part, WRITTEN) for part in decoder],
        ),
    ]
    (_, chance), *_ = way.likeliest(WRITTEN, 1)
    return _whole_way(names, halves, WRITTEN, f"the next word, {percent(chance)}")


@figure(
    "trees-training",
    notebook="10_training",
    caption="You are here: the row of trees in the table, before training and after it.",
    alt="Two strips of 32 cells, and beside each the three words whose rows are most like it, with "
    "an arrow from the cosine before training to the one after. Before training: random numbers; "
    "most like them are, by chance, 'truck', 'help' and 'Spanish', which move away, from 0.24 or "
    "0.25 to 0.14 at most. After 8,000 steps: other numbers; most like them are 'drawers', 'cars' "
    "and 'tomatoes', all masculine plurals in Spanish, which came nearer: from 0.02, 0.03 and 0.15 "
    "to 0.35, 0.32 and 0.32.",
)
def draw_training() -> Figure:
    models = untrained(_the_translator()), _the_translator()
    times = ("before training", "by chance"), ("after 8,000 steps", "masculine plurals in Spanish")
    embeds, encode = [model.model.src_embed for model in models], models[0].src.vocab.encode

    def cosine(embed: Any, other: str) -> float:
        one, two = embed.table.weight[encode([WORD, other])]
        return torch.cosine_similarity(one, two, dim=0).item()

    with torch.no_grad():
        rows = [
            (
                *time,
                embed.table.weight[number()] * embed.scale,
                {other: [cosine(each, other) for each in embeds] for other in nearest(model, WORD)},
            )
            for time, model, embed in zip(times, models, embeds, strict=True)
        ]
    return _before_after(WORD, rows)


@figure(
    "trees-decoding",
    notebook="11_decoding",
    caption="You are here: the last vector says how likely each word is.",
    alt="A strip of 128 cells, the last vector of the decoder, and below it a long bar, 'árboles' "
    "with 90 %, two hairlines, for 'lo' and 'tarde', with 0.04 %, and a grey bar of 10 % for the "
    f"other 1,791 words together. {DOTS}",
)
def draw_decoding() -> Figure:
    way, vocab = _the_way(), _the_translator().tgt.vocab
    words, chances = zip(*way.likeliest(WRITTEN, 3), strict=True)
    texts = [vocab.tokens[i] for i in words]
    others = f"{len(vocab) - 3:,} others"
    return station(
        "next word",
        _words_open,
        vectors()["decoder"],
        texts,
        chances,
        others,
        new=f"comes out as árboles, with {percent(chances[0])}",
        height=1.75,
    )


@figure(
    "trees-translation",
    notebook="12_translation",
    caption="You are here: every word, read on the left and written on the right.",
    alt="On the left four strips, the memory of 'I', 'like', 'trees' and <eos>; on the right five "
    "strips, the last vectors of 'me', 'gustan', 'los', 'árboles' and <eos>. Bands as thick as the "
    "attention: 'árboles' reads 'trees' with 100 %, <eos> reads <eos> with 100 %, 'me' reads 'I' "
    "with 72 %, 'gustan' reads 'like' with 75 % and the rest of 'trees', 'los' reads 'trees' with "
    "50 %.",
)
def draw_translation() -> Figure:
    way = _the_way()
    reads = way.weights[READING].mean(dim=0)
    return _sentence_across(
        way.src, way.outputs["encoder"], way.tgt_out, way.outputs["decoder"], reads
    )


@figure(
    "trees-causes",
    notebook="13_what_the_heads_learned",
    caption="You are here: the memory of trees is exchanged, to see what depends on it.",
    alt="Three rows. The memory of 'trees' makes the decoder write 'me gustan los árboles', that "
    "of 'houses' 'me gustan las casas'. An arrow puts the memory of 'houses' into the place of "
    "'trees' in the sentence 'I like trees': now it writes 'me gustan las casas'.",
)
def draw_causes() -> Figure:
    translator = _the_translator()
    other = trace(translator, SENTENCE.replace(WORD, OTHER))
    theirs = other.of("encoder", OTHER)
    mixed = with_borrowed_memory(translator, SENTENCE, WORD, OTHER)
    rows = [
        (SENTENCE, vectors()["memory"], _the_way().tgt_out[:-1]),
        (" ".join(other.src[:-1]), theirs, other.tgt_out[:-1]),
        (f"{SENTENCE}\nmemory of {OTHER}", theirs, mixed),
    ]
    return _borrowed(rows, arrow_from=1, arrow_to=2)


@figure(
    "positions-end-sign",
    notebook="03_positional_encoding",
    caption="A word stays what it is when its position is added; the end token fades.",
    alt="Two groups of three strips: word, position and their sum. For 'trees' the sum is as "
    "strong as the word. For <eos> the word is faint blue where the position is orange, and the "
    "sum is almost blank, but for some cells on the left.",
)
def draw_end_sign() -> Figure:
    way, table = _the_way(), _the_translator().model.src_positions.table
    groups = [
        (
            text,
            [
                ("word", way.of("src_embed", text)),
                (f"+ position {way.src.index(text)}", table[way.src.index(text)]),
                ("= sum", way.of("src_positions", text)),
            ],
        )
        for text in (WORD, way.src[-1])
    ]
    return sums("With its position, “trees” stays what it is; the end token nearly fades", groups)


# What to look for on the poster: each is tested.
NOTES = (
    "Down the encoder a word stays partly what it was: layers add to what is there.",
    "<eos> fades where its position is added: its row points against the positions.",
    "In encoder layer 0, trees takes from <eos> with all four heads, 82 to 100 %.",
    "In self-attention of the decoder no arrow comes from a word further right: the mask.",
    "The position that writes árboles reads trees with all four heads of decoder layer 1.",
    "The strongest rows come from the decoder's feed-forward networks; norms tame them.",
    "Each word gets 89 or 90 %: training with smoothed targets asks for no more.",
)


@figure(
    "poster",
    notebook="09_the_whole_transformer",
    caption="'I like trees' all the way through, on one page (A2), every number real.",
    alt="A page with four columns of strips on the left, the encoder, and five on the right, the "
    "decoder, read from the top down. Each word is a strip of 128 colored cells that changes "
    "from row to row; between the rows, arrows as thick as the attention of each head lead from "
    "word to word. A cable of four colors takes the memory into both decoder layers. At the "
    "bottom stand me, gustan, los, árboles and <eos>, each with 89 or 90 %; all but <eos> go "
    "back up and in again.",
)
def draw_poster() -> Figure:
    translator, way = _the_translator(), _the_way()
    src, tgt = translator.src.vocab, translator.tgt.vocab
    likeliest = [
        [(tgt.tokens[i], chance) for i, chance in way.likeliest(text, 3)] for text in way.tgt_out
    ]
    return poster.poster(
        way,
        _ids_of(src, way.src),
        _ids_of(tgt, way.tgt_in),
        (len(src), len(tgt)),
        translator.model.src_positions.table,
        likeliest,
        NOTES,
    )


def _ids_of(vocab: Any, words: list[str]) -> list[int]:
    """The numbers of words, and of signs such as <eos>."""
    return [vocab.tokens.index(text) for text in words]
