"""The way of one word: one station opened, and below it the line of all stations, with a dot each.

`station` draws the frame. What a station shows is drawn by the functions below, each into the box
that is left for it. All strips have one scale. Where a strip has no room for 128 cells that can be
told apart, it shows the first 32.
"""

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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
from course.drawing.cells import area, matrix, outline, scale, strip
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
CHIPS = re.compile(r"(?<!\w)(I|trees|like|los|árboles|<eos>)(?!\w)")  # in a line
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
    draw(ax, Box(foot + 0.08, foot + height - 0.08), *shown)
    _line_of_stations(ax, 0.33, STATIONS.index(here))
    return figure


def _line_of_stations(ax: Axes, y: float, here: int) -> None:
    """A dot for each station, with its name below: passed, open, to come."""
    step, green = (WIDTH - 1) / (len(STATIONS) - 1), word_color("trees")
    xs = [0.5 + i * step for i in range(len(STATIONS))]
    path(ax, [(xs[0], y), (xs[-1], y)], style.RULE, head=False, thick=0.8)
    path(ax, [(xs[0], y), (xs[here] + 0.001, y)], green, head=False, thick=0.8)
    for i, (x, name) in enumerate(zip(xs, STATIONS, strict=True)):
        color, size = (green, 6 if i == here else 3) if i <= here else (style.SOFT, 3)
        ax.plot(x, y, "o", color=color if i <= here else style.PAPER, markersize=size, zorder=3)
        ax.lines[-1].set_markeredgecolor(color)
        look = {"weight": "bold"} if i == here else {"color": style.MUTED}
        label(ax, (x, y - 0.18), name.removeprefix("encoder "), ha="center", **look)


def heading(ax: Axes, y: float, text: str, new: str, *, colors: str = "value") -> None:
    """A title that begins with the word whose way this is, if any, and what the colors mean."""
    said(ax, (0.02, y), f"{text} {new}", size=style.TITLE, weight="bold")
    if colors:
        scale(ax, (RIGHT - 0.65, y - 0.03), 0.5, limit=LIMIT)
        label(ax, (RIGHT - 0.95, y + 0.015), colors, ha="right")


def said(ax: Axes, at: tuple[float, float], text: str, size: float = style.NOTE, **look: Any):
    """A line of text in which the words of the running sentence are chips, hardly taller than it.

    look: of the rest, as of `label`.
    """
    (x, y), em = at, size / 72
    for part in filter(None, map(str.strip, CHIPS.split(text))):
        if CHIPS.fullmatch(part):
            flat = {**style.chip(part)["bbox"], "boxstyle": "round,pad=0.1,rounding_size=0.25"}
            word(ax, (x + 0.14 * em, y), part, size=size, ha="left", bbox=flat)
            x += 0.28 * em
        else:
            x -= 0.27 * em * part.startswith(",")  # it belongs to the chip before it
            label(ax, (x, y), part, size=size, **look)
        x += 0.3 * em + width_of(part, size) * (1 if "weight" in look else 0.97)


def _marked(text: str = "trees", line: float = 1.6) -> dict[str, Any]:
    """The frame of the strip that goes on."""
    return {"edge": word_color(text), "line": line}


def _fan(ax: Axes, *corners: tuple[float, float], color: str = style.SOFT) -> None:
    """What a few cells become, enlarged."""
    ax.add_patch(Polygon(corners, facecolor=style.tint(color), linewidth=0, zorder=1))


def _ribbon(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], thick: float, **look: Any
) -> None:
    """A band that leaves and arrives horizontally. thick: in inches."""
    x, y = curve(start, end).T
    ax.fill_between(x, y - thick / 2, y + thick / 2, linewidth=0, **look)


# --- what stands in the open station -------------------------------------------------------------


def _row_open(
    ax: Axes,
    box: Box,
    words: Sequence[str],
    numbers: Sequence[str],
    first: int,
    count: int,
    note: str,
    rest: str = "",
) -> None:
    """A row of `count` cells, of which the middle one of `words` is filled; under a lens these
    words, from number `first`, with their numbers. note, rest: beside the row, and the cells."""
    y, cells, high, here = box.top - 0.28, box.bottom + 0.46, 0.42, len(words) // 2
    green = style.readable(word_color(words[here]))
    wide, unit = (RIGHT - LEFT) / len(words), (RIGHT - LEFT) / count
    outline(ax, (LEFT, y), RIGHT - LEFT, 0.18, style.SOFT)
    area(ax, (LEFT + (first + here) * unit - 0.004, y), unit + 0.008, 0.18, green)  # else a hair
    middle, half = LEFT + (first + here + 0.5) * unit, max(len(words) * unit / 2, 0.029)
    left, right = middle - half, middle + half
    outline(ax, (left, y - 0.05), right - left, 0.28, style.INK, 1)
    _fan(ax, (left, y - 0.05), (right, y - 0.05), (RIGHT, cells + high), (LEFT, cells + high))
    for i, (text, number) in enumerate(zip(words, numbers, strict=True)):
        x, chosen = LEFT + (i + 0.5) * wide, i == here
        color, line = (green, 1.2) if chosen else (style.PAPER, 0.6)
        area(ax, (LEFT + i * wide, cells), wide, high, color, zorder=2)
        outline(ax, (LEFT + i * wide, cells), wide, high, line=line)
        look = {"weight": "bold", "color": style.PAPER} if chosen else {"color": style.MUTED}
        size = (20 if len(number) == 1 else 15) if chosen else style.LABEL
        label(ax, (x, cells + high / 2), number, size=size, ha="center", **look)
        name = {} if chosen else look
        word(ax, (x, cells - 0.15), text, size=style.LABEL if chosen else style.NOTE, **name)
        label(ax, (x, cells - 0.35), str(first + i), ha="center", color=style.MUTED)
    label(ax, (LEFT - 0.12, y + 0.09), note, ha="right")
    label(ax, (LEFT - 0.12, cells + high / 2), rest, ha="right")


def _table_open(
    ax: Axes, box: Box, words: Sequence[str], table: Any, here: int, heads: Sequence[str]
) -> None:
    """A few rows of the table, and the one that the 1 picks, pulled out to full size.

    here: its place among them. heads: above the table, above this row and below it.
    """
    left, wide, x, big, top = 1.75, 2.2, 4.65, 0.5, box.top - 0.22
    step, low, green = (top - box.bottom) / len(words), 0.065, style.readable(word_color("trees"))
    middle = top - (here + 0.5) * step
    for i, (text, row) in enumerate(zip(words, as_array(table), strict=True)):
        y, chosen = top - (i + 0.5) * step, i == here
        look = {"weight": "bold", "color": style.PAPER} if chosen else {"color": style.MUTED}
        write, name, mark = (word, {}, _marked()) if chosen else (label, look, {})
        write(ax, (left - 0.6, y), text, size=style.NOTE, ha="right", **name)
        area(ax, (left - 0.5, y - step / 2), 0.32, step, green if chosen else style.PAPER)
        outline(ax, (left - 0.5, y - step / 2), 0.32, step)
        label(ax, (left - 0.34, y), str(int(chosen)), ha="center", **look)
        strip(ax, (left, y - low), wide, 2 * low, row, limit=LIMIT, **mark)
        if not chosen:
            area(ax, (left, y - low), wide, 2 * low, style.PAPER, alpha=0.65, zorder=2.4)
    near, far = (left + wide, low), (x, big / 2)
    _fan(ax, *((at, middle + side * up) for side in (1, -1) for at, up in (near, far)[::side]))
    strip(ax, (x, middle - big / 2), RIGHT - x, big, table[here], limit=LIMIT, **_marked())
    label(ax, (left - 0.18, top + 0.14), "one-hot", ha="right")
    places = (left, top + 0.14), (x, middle + 0.4), (x, middle - 0.4)
    for at, head in zip(places, heads, strict=True):
        label(ax, at, head)


def _rows_open(ax: Axes, box: Box, rows: Sequence[tuple[str, str, Any]], goes: str) -> None:
    """Strips under each other, each with a sign (+, =) and a name in front of it; the last one is
    what goes on, and is marked. Of the numbers that the colors can show in every strip, and whose
    sum is right as printed, the one that changes most is traced. goes: what it is, and for whom."""
    high, top, right = 0.26, box.top - 0.28, RIGHT - 0.85
    step = (top - box.bottom - 0.24 - high) / (len(rows) - 1)
    table = torch.stack([vector[:FEW] for *_, vector in rows])
    one, other, both = table[:3].round(decimals=2)
    shown = (table.abs() <= LIMIT).all(dim=0) & ((one + other - both).abs() < 0.005)
    wide, place = (right - LEFT) / FEW, int((shown * (table[-1] - table[0]).abs()).argmax())
    label(ax, (LEFT, box.bottom + 0.06), goes)
    label(ax, (right, box.bottom + 0.06), FIRST, ha="right", color=style.MUTED)
    for i, (sign, name, vector) in enumerate(rows):
        y, last = top - high - i * step, i == len(rows) - 1
        mark, weight = (_marked(line=2.2), "bold") if last else ({}, "normal")
        strip(ax, (LEFT, y), right - LEFT, high, vector[:FEW], limit=LIMIT, **mark)
        look = {"size": style.LABEL, "weight": weight}
        label(ax, (LEFT - 0.1, y + high / 2), name, ha="right", **look)
        label(ax, (0.1, y + high / 2), sign, size=style.TITLE, weight="bold")
        label(ax, (RIGHT, y + high / 2), f"{sign} {vector[place]:.2f}".strip(), ha="right", **look)
    x, bottom = LEFT + (place + 0.5) * wide, top - high - step * (len(rows) - 1)
    outline(ax, (x - wide / 2, bottom - 0.03), wide, top - bottom + 0.06, style.INK, 1.2)
    path(ax, [(x, top + 0.03), (x, top + 0.18), (right - 0.1, top + 0.18)], style.INK, thick=0.8)
    label(ax, (RIGHT, top + 0.18), f"number {place + 1}", ha="right")


def _attention_open(
    ax: Axes, box: Box, words: Sequence[str], values: Any, weights: Sequence[float]
) -> None:
    """What trees takes in: bands lead from the words to the values that they hand over, each as
    high as its weight, so that the mix below is the mean of what stands above it."""
    left, full, wide, top, pitch = 3.3, 0.98, RIGHT - 3.3, box.top - 0.27, 0.35
    y, low, mix = top - 0.08, top, as_array(weights) @ as_array(values)
    label(ax, (1.35, top + 0.15), "weight", ha="right")
    label(ax, (left, top + 0.15), "the values of the words, each as high as its weight")
    for text, value, weight in zip(words, values, weights, strict=True):
        thick, end = full * weight, low - full * weight / 2
        word(ax, (0.75, y), text, ha="right", size=13)
        _share(ax, (1.35, y), weight, "right")
        _ribbon(ax, (1.45, y), (left - 0.05, end), thick, color=word_color(text))
        strip(ax, (left, low - thick), wide, thick, value, limit=LIMIT, line=0)
        y, low = y - pitch, low - thick
    strip(ax, (left, box.bottom + 0.02), wide, 0.34, mix, limit=LIMIT, **_marked(line=2.2))
    look = {"size": style.LABEL, "weight": "bold", "ha": "right"}
    label(ax, (left - 0.12, box.bottom + 0.19), "their mix", **look)


def _share(ax: Axes, at: tuple[float, float], weight: float, ha: str) -> None:
    """A weight in percent; a large one is bold, a small one grey."""
    look = {"color": style.INK if weight >= 0.1 else style.MUTED, "ha": ha}
    label(ax, at, f"{100 * weight:.0f} %", weight="bold" if weight >= 0.25 else "normal", **look)


def _heads_open(ax: Axes, box: Box, words: Sequence[str], weights: Any) -> None:
    """The attention that trees gives in each head: one bar for each, of one length, and in it a
    part for each word, by whose chips the first bar is headed."""
    left, high, top = 1.0, 0.27, box.top - 0.29
    label(ax, (left - 0.15, box.top - 0.12), "attention to", ha="right")
    for i, shares in enumerate(as_array(weights)):
        x, y = left, top - (i + 0.5) * (top - box.bottom) / len(weights)
        label(ax, (left - 0.15, y), f"head {i}", size=style.LABEL, weight="bold", ha="right")
        for text, share in zip(words, shares, strict=True):
            long, color = share * (RIGHT - left), style.readable(word_color(text), style.PAPER)
            area(ax, (x, y - high / 2), long - 0.015, high, color, zorder=2)
            if i == 0:
                word(ax, (x + long / 2, box.top - 0.12), text)
            if share > 0.04:
                look = {"color": style.PAPER, "ha": "center", "size": style.LABEL}
                look["weight"] = "bold" if share > 0.25 else "normal"
                label(ax, (x + long / 2, y), percent(share), **look)
            x += long


def _masks_open(
    ax: Axes, box: Box, rows: Sequence[tuple[str, str, Sequence[str], int, str]]
) -> None:
    """What may be seen: a tile for each word, filled, and hatched for those that are hidden.

    rows: the name of the mask, who looks, the words, how many of them it sees, and why no more.
    """
    step, gap, high, left = (box.top - box.bottom) / len(rows), 0.1, 0.34, LEFT + 0.14
    wide = (RIGHT - left + gap) / max(len(words) for _, _, words, *_ in rows)
    for i, (name, who, words, seen, why) in enumerate(rows):
        y = box.top - (i + 1) * step + 0.08
        label(ax, (0.05, y + 0.5), name, size=style.LABEL, weight="bold")
        said(ax, (0.05, y + high / 2), who)
        for j, text in ((0, "seen"), (seen, f"hidden: {why}")):
            label(ax, (left + j * wide, y + 0.5), text, color=style.MUTED)
        for j, text in enumerate(words):
            x, color = left + j * wide, style.tint(word_color(text))
            word_look: dict[str, Any] = {"size": 12}
            if j >= seen:
                color, ground = style.PAPER, {"facecolor": style.PAPER, "linewidth": 0, "pad": 2}
                outline(ax, (x, y), wide - gap, high, style.SOFT)
                word_look = {"bbox": ground, "color": style.MUTED}
            hatch = {"hatch": "////" * (j >= seen), "edgecolor": style.RULE}
            area(ax, (x, y), wide - gap, high, color, **hatch)
            word(ax, (x + (wide - gap) / 2, y + high / 2), text, **word_look)


def _reading_open(
    ax: Axes, box: Box, words: Sequence[str], weights: Sequence[float], before: Sequence[str]
) -> None:
    """The decoder reads the memory of all words, in bands as thick as its attention, and writes.

    before: what it has written so far.
    """
    left, wide, full, most = 3.85, 1.9, 0.42, weights.index(max(weights))
    ys, center = [box.top - 0.5 - 0.36 * i for i in range(len(words))], left + wide / 2
    y, green, tints = ys[most], style.readable(word_color(words[most]), style.PAPER), style.TINTS
    area(ax, (0.05, box.bottom), 1.2, box.top - box.bottom, tints[style.ENCODER])
    area(ax, (left, y - 0.4), wide, 0.8, tints[style.DECODER], zorder=3.5)
    head = {"size": 13, "weight": "bold", "ha": "center"}
    label(ax, (0.65, box.top - 0.18), "memory", color=style.ENCODER, **head)
    label(ax, (center, y + 0.09), "decoder", color=style.DECODER, **head)
    label(ax, (center, y - 0.13), "in its last layer", color=style.DECODER, ha="center")
    for i, (text, weight) in enumerate(zip(words, weights, strict=True)):
        word(ax, (1.13, ys[i]), text, ha="right", size=13)
        color, thick = green if i == most else style.SOFT, max(full * weight, 0.008)
        _ribbon(ax, (1.25, ys[i]), (left, y), thick, color=color, zorder=2 + weight)
        if i != most:
            _share(ax, (1.4, ys[i] + (0.11 if i < most else -0.11)), weight, "left")
    share = f"{percent(weights[most])} of the attention"
    label(ax, (1.4, y), share, size=13, weight="bold", color=style.PAPER)
    label(ax, (center, box.top - 0.1), "written so far", ha="center", color=style.MUTED)
    sentence(ax, (center, box.top - 0.43), before, ha="center")
    arrow(ax, (center, box.top - 0.53), (center, y + 0.4))
    arrow(ax, (left + wide, y), (RIGHT - 1.3, y), green, thick=9)
    word(ax, (RIGHT - 0.6, y), WRITTEN, size=20)


def _sentence_across(src: Sequence[str], tgt: Sequence[str], weights: Any, alone: str) -> Figure:
    """Who reads whom: the English words on the left, those that are written on the right.

    alone: the written word that has no English one.
    """
    figure, ax = canvas(WIDTH, 2.75)
    full, step, x = 0.21, 0.41, (1.15, 5.35)  # full: the width of all attention of a word
    ys = [2.0 - step * i for i in range(max(len(src), len(tgt)))]
    rows = [y - step / 2 for y in ys[: len(src)]]  # one fewer: they stand between
    heading(ax, 2.55, "", "Most words read the memory of their English word", colors="")
    label(ax, (x[0] - 0.12, 2.25), "memory of", ha="right")
    label(ax, (sum(x) / 2, 2.25), "attention: the thicker, the more is read", ha="center")
    label(ax, (x[1] + 0.75, 2.25), "written")
    weights = as_array(weights)
    leaves = [y + full / 2 * given for y, given in zip(rows, weights.sum(axis=0), strict=True)]
    for text, y in zip(src, rows, strict=True):
        word(ax, (x[0] - 0.12, y), text, ha="right", size=13)
    for row, text, y in zip(weights, tgt, ys, strict=True):
        arrives, most = y + full / 2, row.argmax()  # the bands lie on each other at both ends
        for i, weight in enumerate(row):
            thick = full * weight
            ends = (x[0], leaves[i] - thick / 2), (x[1], arrives - thick / 2)
            leaves[i], arrives = leaves[i] - thick, arrives - thick
            if weight >= 0.02:
                look = {"alpha": 1 if i == most else 0.4, "zorder": 3 if i == most else 2}
                _ribbon(ax, *ends, thick, color=word_color(src[i]), **look)
        color = style.readable(word_color(src[most]))
        share = {"ha": "right", "color": color, "weight": "bold", "size": style.LABEL}
        label(ax, (x[1] + 0.55, y), percent(row[most]), **share)
        word(ax, (x[1] + 0.75, y), text, ha="left", size=13)
        if text == alone:
            label(ax, (x[1] + 1.15, y), "has no English word", color=style.MUTED)
    return figure


def _whole_way(
    halves: Sequence[tuple[str, str, dict[str, Any]]], before: str, out: str, chance: str
) -> Figure:
    """The way of trees as one path through both halves of the model, to the word `out`.

    halves: encoder and decoder with their colors, and each station's vector. before: the word that
    was written last. chance: that of `out`.
    """
    y, high, thin, pitch, gap, above = 0.82, 0.98, 0.3, 0.8, 1.0, 1.61
    figure, ax = canvas(WIDTH, 2.56)
    heading(ax, 2.36, "trees", f"becomes {out}, station by station", colors=f"{FEW} of 128 values")
    end, places = 0.95 - gap, []
    for name, color, stations in halves:
        left, end = end + gap, end + gap + pitch * len(stations)
        area(ax, (left, 0.06), end - left, 1.95, style.TINTS[color], zorder=0)
        label(ax, (left + 0.1, 1.85), name, color=color, weight="bold", size=style.LABEL)
        for i, (station, vector) in enumerate(stations.items()):
            places.append(left + (i + 0.5) * pitch)
            cells = vector[:FEW, None]
            matrix(ax, (places[-1] - thin / 2, y - high / 2), thin, high, cells, limit=LIMIT)
            label(ax, (places[-1], y - high / 2 - 0.15), station, ha="center")
    *_, first, last = places
    green, start = word_color("trees"), left - 0.28
    for x, to, color in ((0.42, left - gap, green), (start, last, word_color(before))):
        area(ax, (x, y - 0.1), to - x, 0.2, color, zorder=1)
    # The memory goes to both layers of the decoder.
    _ribbon(ax, (left - gap - 0.01, y), (left - 0.19, above), 0.2, color=green)
    area(ax, (left - 0.2, above - 0.1), last - left + 0.26, 0.2, green, zorder=1)
    label(ax, (left - gap / 2, 1.85), "memory", ha="center", color=style.ENCODER)
    for x in (first, last):
        arrow(ax, (x, above), (x, y + high / 2 + 0.02), green, thick=4.5)
    arrow(ax, (last + thin / 2, y), (6.9, y), green, thick=9)
    for x, text, size in ((0.42, "trees", 16), (start, before, 13), (7.44, out, 18)):
        word(ax, (x, y), text, size=size)
    label(ax, (7.44, y - 0.36), chance, ha="center")
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
    text: str, groups: Sequence[tuple[str, str, dict[str, Sequence[float]]]]
) -> Figure:
    """How near other rows of the table come to the row of `text` in training, and go.

    groups: when these words are the nearest, which words they are, and for each its cosine with
    `text`, first and last. The words of the last group are loud.
    """
    pitch, left, wide, foot, gap = 0.26, 3.25, 10.8, 0.5, 0.16  # wide: of a cosine of 1
    top = foot + sum(gap + pitch * len(words) for *_, words in groups)
    figure, ax = canvas(WIDTH, top + HEADING)
    heading(ax, top + HEADING - 0.2, text, "moves toward similar words in training", colors="")
    for tick in (0, 0.1, 0.2, 0.3, 0.4):
        x = left + wide * tick
        path(ax, [(x, foot - 0.05), (x, top)], style.RULE, head=False, thick=0.8, zorder=1)
        label(ax, (x, foot - 0.18), f"{tick:g}", ha="center", color=style.MUTED)
    label(ax, (left - 0.3, foot - 0.18), f"cosine with {text}", ha="right", color=style.MUTED)
    at = top + gap / 2
    for i, (when, which, words) in enumerate(groups):
        loud, at = i == len(groups) - 1, at - gap
        color = word_color(text) if loud else style.SOFT
        label(ax, (0.05, at - pitch / 2), when, size=style.LABEL, weight="bold")
        label(ax, (0.05, at - 1.4 * pitch), which, color=style.MUTED)
        for other, (start, end) in words.items():
            at -= pitch
            y, xs = at + pitch / 2, (left + wide * start, left + wide * end)
            word(ax, (left - 0.33, y), other, size=style.LABEL, ha="right")
            ax.plot(xs[0], y, "o", color=color, markersize=6)
            arrow(ax, (xs[0], y), (xs[1], y), color, thick=4 if loud else 2)
            for x, cosine in zip(xs, (start, end), strict=True):
                last, ha = x == xs[1], "left" if x == max(xs) else "right"
                ink = style.readable(color) if last else style.MUTED
                look = {"ha": ha, "color": ink, "weight": "bold" if last else "normal"}
                look["bbox"] = {"facecolor": style.PAPER, "linewidth": 0, "pad": 1}
                label(ax, (x + (0.1 if ha == "left" else -0.1), y), f"{cosine:.2f}", **look)
    return figure


def sums(title: str, groups: Sequence[tuple[str, Sequence[tuple]]], notes: float = 0) -> Figure:
    """A word, its position and their sum, for several words under each other.

    groups: the word, or "" for the one above, and its rows as (name, vector) or (name, vector,
    note); a name with "=" is that of a sum, framed in the word's color. notes: their width.
    """
    step, gap, high, left, right = 0.31, 0.16, 0.23, 1.75, WIDTH - 0.02 - notes
    total = sum(len(rows) for _, rows in groups) * step + (len(groups) - 1) * gap + 0.86
    figure, ax = canvas(WIDTH, total)
    kit_heading(ax, title)
    y, color = total - 0.5, style.INK
    for text, rows in groups:
        if text:
            word(ax, (0.08, y - step + high / 2), text, size=12, ha="left")
            color = word_color(text)
        for name, vector, *note in rows:
            y -= step
            is_sum = name.startswith("=")
            weight, mark = ("bold", {"edge": color, "line": 1.6}) if is_sum else ("normal", {})
            label(ax, (left - 0.1, y + high / 2), name, ha="right", weight=weight)
            strip(ax, (left, y), right - left, high, vector, limit=LIMIT, **mark)
            for text in note:
                label(ax, (right + 0.12, y + high / 2), text, size=style.LABEL, weight=weight)
        y -= gap
    scale(ax, (right - 1.08, 0.1), 0.7, limit=LIMIT)
    label(ax, (right - 1.43, 0.145), "number", ha="right")
    return figure


WORD, WRITTEN, OTHER = "trees", "árboles", "houses"
LAYER = "encoder.layers.1.self_attn"  # the attention that notebooks 04 to 06 look into
HEAD = 1
READING = "decoder.layers.1.cross_attn"
RESULT = "decoder.layers.1.residual_cross_attn"
DOTS = "Below, a line with eight stages by name, green up to this one."


@functools.cache
def _the_translator() -> Translator:
    return Translator.load()


@functools.cache
def _the_way() -> Trace:
    return trace(_the_translator(), SENTENCE)


def number() -> int:
    return _the_translator().src.vocab.encode([WORD])[0]


@functools.cache
def vectors() -> dict[str, Any]:
    """What trees is at each station; in the decoder, at the position that writes árboles."""
    way = _the_way()
    return {
        "one-hot": (number() + 0.5) / len(_the_translator().src.vocab),  # how far along the row
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
    vocab, first = _the_translator().src.vocab, number() - 4
    numbers = [str(int(i == 4)) for i in range(9)]
    shown = vocab.tokens[first : first + 9], numbers, first, len(vocab)
    note, new = f"one cell for each\nof {len(vocab)} entries", "is a row with one 1, all else 0"
    return station("one-hot", _row_open, *shown, note, new=new, height=1.74, colors="")


@figure(
    "trees-embeddings",
    notebook="02_embeddings",
    caption="You are here: the 1 pulls a row of 128 numbers out of a table.",
    alt="Seven rows of a table, one for each of seven words; before each a 0 of the one-hot row, "
    "and before row 498, 'trees', the 1. This row is framed and pulled out to full size: 128 "
    "colored cells, blue below zero and orange above, the embedding of 'trees', times 11.3. "
    f"{DOTS}",
)
def draw_embeddings() -> Figure:
    translator, first = _the_translator(), number() - 3
    embed, tokens = translator.model.src_embed, translator.src.vocab.tokens
    times = f"multiplied by √128 = {embed.scale:.1f}"
    return station(
        "embedding",
        _table_open,
        tokens[first : first + 7],
        embed.table.weight.detach()[first : first + 7] * embed.scale,
        3,
        (f"7 of {len(tokens)} rows of the table", f"row {number()}: the embedding", times),
        new="picks 128 numbers from a table",
        height=1.82,
    )


@figure(
    "trees-positions",
    notebook="03_positional_encoding",
    caption="You are here: the vector of position 2 is added to the word.",
    alt="Three strips, 32 cells each: the embedding of 'trees' in blue and orange, plus position "
    "2, whose cells are nearly all orange, equals the sum, in which each cell is the one plus the "
    f"other; one of these sums is written out. {DOTS}",
)
def draw_positions() -> Figure:
    model = _the_translator().model
    place = _the_way().src.index(WORD)
    rows = [
        ("", "embedding", vectors()["embedding"]),
        ("+", f"position {place}", model.src_positions.table[place]),
        ("=", "their sum", vectors()["+ position"]),
    ]
    goes, new = "this goes into the encoder", "gets its position added, number by number"
    return station("+ position", _rows_open, rows, goes, new=new, height=1.66)


@figure(
    "trees-attention",
    notebook="04_attention",
    caption="You are here: how much trees takes of the value of each word, in one real head.",
    alt="Four words, each with a band in its color as thick as the attention of 'trees': thick "
    "ones from 'like' and <eos>, 47 % each, thin ones from 'I', 1 %, and 'trees' itself, 5 %. They "
    "end at the words' values, strips of 32 cells, each as high as its band, in one block. Below "
    f"it, their mix: each of its cells is the mean of the column above it. {DOTS}",
)
def draw_attention() -> Figure:
    way = _the_way()
    layer = _the_translator().model.get_submodule(LAYER)
    values = layer.split_heads(way.outputs[f"{LAYER}.w_v"][None])[0, HEAD]
    place = way.src.index(WORD)
    weights = way.weights[LAYER][HEAD, place].tolist()
    shown, new = (way.src, values, weights), "takes in like and <eos>, in one head"
    return station("attention", _attention_open, *shown, new=new, height=1.95)


@figure(
    "trees-heads",
    notebook="05_multi_head_attention",
    caption="You are here: from which words four heads bring something to trees.",
    alt="Four bars of one length, one for each head, each cut into the attention to 'I', 'like', "
    "'trees' and <eos>, in their colors. Head 0: 8, 7, 34 and 51 %; head 1 takes 'like' and <eos>, "
    "47 % each; head 2 almost only 'trees', 93 %; head 3 some of each, but 54 % <eos>. "
    f"{DOTS}",
)
def draw_heads() -> Figure:
    way = _the_way()
    place = way.src.index(WORD)
    new, shown = "gets a different mix from each head", (way.src, way.weights[LAYER][:, place])
    return station("attention", _heads_open, *shown, new=new, height=1.95, colors="")


@figure(
    "trees-masks",
    notebook="06_masks",
    caption="You are here: what trees may see, and what the position that writes árboles may.",
    alt="Two rows of tiles, one for each word; those that may be seen are filled, the others "
    "hatched. Padding mask: 'trees' sees 'I', 'like', 'trees' and <eos>, but two <pad> are hidden. "
    "Causal mask: what writes 'árboles' sees <bos>, 'me', 'gustan' and 'los', but 'árboles' is "
    f"hidden: it isn't written yet. {DOTS}",
)
def draw_masks() -> Figure:
    way = _the_way()
    read, place = [*way.src, "<pad>", "<pad>"], way.tgt_out.index(WRITTEN)
    rows = [
        ("padding mask", f"{WORD} may see", read, len(way.src), "these only fill the row"),
        ("causal mask", f"to write {WRITTEN}", way.tgt_in, place + 1, "not yet written"),
    ]
    new = "sees no padding, the decoder no later word"
    return station("attention", _masks_open, rows, new=new, height=1.58, colors="")


@figure(
    "trees-encoder",
    notebook="07_encoder",
    caption="You are here: what is left of trees at the end of the encoder, the memory.",
    alt="Four strips, 32 cells each: 'trees' after the attention, plus what the feed-forward "
    "network adds, equals their sum; below it the sum after its norm, the memory: what the decoder "
    "will read. One number is traced through all: \N{MINUS SIGN}1.49 + 0.94 = "
    "\N{MINUS SIGN}0.55, and \N{MINUS SIGN}0.22 after the norm. "
    f"{DOTS}",
)
def draw_encoder() -> Figure:
    way, layer = _the_way(), "encoder.layers.1"
    before = way.of(f"{layer}.residual_self_attn", WORD)
    added = way.of(f"{layer}.feed_forward", WORD)
    rows = [
        ("", "after attention", before),
        ("+", "feed-forward", added),
        ("=", "their sum", before + added),
        ("", "after the norm", vectors()["memory"]),
    ]
    goes = "the memory: all that the decoder reads of it"
    new = "leaves the encoder as a sum, tamed by a norm"
    return station("memory", _rows_open, rows, goes, new=new, height=1.98)


@figure(
    "trees-decoder",
    notebook="08_decoder",
    caption="You are here: the position that writes árboles reads the memory, in layer 1.",
    alt="The memory, a column of 'I', 'like', 'trees' and <eos>. One thick green band, 100 % of "
    "the attention, leads from 'trees' into a box, the decoder in its last layer; the others have "
    "0 % and are hairlines. From above come the words written so far, 'me gustan los'; out of the "
    f"box comes, large, 'árboles'. {DOTS}",
)
def draw_decoder() -> Figure:
    way = _the_way()
    place = way.tgt_out.index(WRITTEN)
    weights = way.weights[READING].mean(dim=0)[place].tolist()
    shown, new = (way.src, weights, way.tgt_out[:place]), "is what the decoder reads to write"
    return station("decoder", _reading_open, *shown, new=f"{new} {WRITTEN}", height=1.95, colors="")


@figure(
    "trees-transformer",
    notebook="09_the_whole_transformer",
    caption="You are here: every stage of trees, from the embedding to the next word.",
    alt="A green stream runs from 'trees', on the left, through the encoder: four columns of 32 "
    "cells, embedding, + position, layer 0 and layer 1, where some cells keep their colors "
    "throughout. As the memory it rises and comes down with an arrow into each of the decoder's "
    "two columns, layer 0 and layer 1. Through these runs a stream from 'los', the word written "
    "last; behind them it is green, and ends in 'árboles' with 90 %.",
)
def draw_transformer() -> Figure:
    way = _the_way()
    before = way.tgt_in[way.tgt_out.index(WRITTEN)]
    encoder = {name: vectors()[name] for name in ("embedding", "+ position")}
    encoder |= {f"layer {i}": way.of(f"encoder.layers.{i}", WORD) for i in range(2)}
    decoder = {f"layer {i}": way.of(f"decoder.layers.{i}", WRITTEN) for i in range(2)}
    halves = [("encoder", style.ENCODER, encoder), ("decoder", style.DECODER, decoder)]
    (_, chance), *_ = way.likeliest(WRITTEN, 1)
    return _whole_way(halves, before, WRITTEN, f"with {percent(chance)}")


@figure(
    "trees-training",
    notebook="10_training",
    caption="You are here: which rows of the table the row of trees leaves, and which it nears.",
    alt="Arrows on an axis of the cosine with 'trees', from before training to after 8,000 steps. "
    "Before training the nearest words are, by chance, 'truck', 'help' and 'Spanish'; they move "
    "away, from 0.24 or 0.25 to 0.14 at most. After training the nearest are 'drawers', 'cars' and "
    "'tomatoes', all masculine plurals in Spanish, which came nearer: from 0.02, 0.03 and 0.15 to "
    "0.35, 0.32 and 0.32.",
)
def draw_training() -> Figure:
    models = untrained(_the_translator()), _the_translator()
    tables = [model.model.src_embed.table.weight.detach() for model in models]
    times = (
        ("nearest before training", "by chance"),
        (
            "nearest after 8,000 steps",
            "masculine plurals in Spanish",
        ),
    )

    def cosines(other: str) -> Sequence[float]:
        own, its = models[0].src.vocab.encode([WORD, other])
        return tuple(torch.cosine_similarity(t[own], t[its], dim=0).item() for t in tables)

    return _before_after(
        WORD,
        [
            (*time, {other: cosines(other) for other in nearest(model, WORD)})
            for time, model in zip(times, models, strict=True)
        ],
    )


@figure(
    "trees-decoding",
    notebook="11_decoding",
    caption="You are here: the last vector says how likely each word is.",
    alt="A long empty row, a chance for each of 1,794 words, with one green mark. Under a lens are "
    "the words around 'árboles': 0.00 or 0.01 % each, but 90 % for 'árboles', number 472. The "
    f"other 1,793 words together have 10 %. {DOTS}",
)
def draw_decoding() -> Figure:
    vocab, way = _the_translator().tgt.vocab, _the_way()
    first = vocab.encode([WRITTEN])[0] - 3
    chances = way.logits[way.tgt_out.index(WRITTEN)].softmax(dim=-1)[first : first + 7].tolist()
    shown = vocab.tokens[first : first + 7], list(map(percent, chances)), first, len(vocab)
    note = f"a chance for each\nof {len(vocab):,} words"
    rest = f"{percent(1 - chances[3])} for all the\n{len(vocab) - 1:,} others"
    new = f"comes out as {WRITTEN}, with {percent(chances[3])}"
    return station("next word", _row_open, *shown, note, rest, new=new, height=1.74, colors="")


@figure(
    "trees-translation",
    notebook="12_translation",
    caption="You are here: every word, read on the left and written on the right.",
    alt="On the left 'I', 'like', 'trees' and <eos>, on the right 'me', 'gustan', 'los', 'árboles' "
    "and <eos>. Bands as thick as the attention: 'árboles' reads 'trees' with 100 %, <eos> reads "
    "<eos> with 100 %, 'me' reads 'I' with 72 %, 'gustan' reads 'like' with 75 % and the rest of "
    "'trees'; 'los', which has no English word, reads 'trees' with 50 %.",
)
def draw_translation() -> Figure:
    way = _the_way()
    return _sentence_across(way.src, way.tgt_out, way.weights[READING].mean(dim=0), alone="los")


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
    "strong as the word, cosine 0.88. For <eos> the word is faint blue where the position is "
    "orange, and the sum is almost blank, but for some cells on the left, cosine 0.28.",
)
def draw_end_sign() -> Figure:
    way, table, groups = _the_way(), _the_translator().model.src_positions.table, []
    for text, how in ((WORD, "unrelated to the word"), (way.src[-1], "orange cancels blue")):
        one, place = way.of("src_embed", text), way.src.index(text)
        both = way.of("src_positions", text)
        like = torch.cosine_similarity(one, both, dim=0).item()
        rows = [
            ("word", one),
            (f"+ position {place}", table[place], how),
            ("= sum", both, f"cosine with word: {like:.2f}"),
        ]
        groups.append((text, rows))
    title = "With its position, “trees” stays what it is; the end token nearly fades"
    return sums(title, groups, notes=1.72)


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
    "from row to row; between the rows each head has a lane, in which arrows as thick as its "
    "attention lead from word to word. Seven numbered remarks have their marks in the margins. A "
    "cable of four colors takes the memory into both decoder layers. At the bottom stand me, "
    "gustan, los, árboles and <eos>, each with 89 or 90 %; all but <eos> go "
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
