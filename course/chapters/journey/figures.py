"""The way of one word, a station for each notebook.

`station` draws the frame. What a station shows is drawn by the functions below, each into the box
that is left for it. All strips have one scale. Where a strip has no room for 128 cells that can be
told apart, it shows the first 32.
"""

import functools
import math
import re
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from course.chapters.journey.experiments import SENTENCE, Trace, trace, with_borrowed_memory
from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, curve, segment
from course.drawing.cells import area, matrix, outline, scale, strip
from course.drawing.registry import figure
from course.drawing.words import (
    bold,
    canvas,
    label,
    muted,
    percent,
    sentence,
    width_of,
    word,
    word_color,
)
from transformer_lib.translator import Translator

LIMIT = 3.0  # the scale of every strip: darkest at 3 and at -3
RIGHT = 7.86  # where the strips end
HEADING = 0.42  # what the word and the sentence beside it take, on top
FEW = 32  # so many of the 128 numbers are shown where all would be hairlines
FIRST = f"the first {FEW} of 128 numbers"
WORD, WRITTEN, OTHER, BEFORE = "trees", "árboles", "houses", "los"
LAYER = "encoder.layers.1.self_attn"  # the attention that notebooks 04 to 06 look into
CHIPS = re.compile(r"(?<!\w)(I|trees|like|los|árboles|<eos>)(?!\w)")  # in a line


def station(
    *, height: float, new: str = "", colors: str = "value"
) -> tuple[Figure, Axes, float, float]:
    """A station of the way of trees -> the figure, its axes, and between which heights there is
    room to draw: the lower and the upper one.

    height: of the station. new: what happens to trees here: goes on after the word, on top.
    colors: the name of their scale; without one there is no scale.
    """
    figure, ax = canvas(HEADING + height)
    heading(ax, height + HEADING - 0.2, "trees", new, colors=colors)
    return figure, ax, 0.08, height - 0.08


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


MARKED = {"edge": word_color(WORD), "line": 1.6}  # the frame of the strip that goes on


@functools.cache
def the_translator() -> Translator:
    return Translator.load()


@functools.cache
def the_way() -> Trace:
    return trace(the_translator(), SENTENCE)


def number() -> int:
    return the_translator().src.vocab.encode([WORD])[0]


@figure(
    "trees-one-hot",
    notebook="01_one_hot",
    caption="The word trees becomes a row with a single 1, at its own number.",
    hero=True,
    alt="""A field of 955 small cells, one for each entry of the vocabulary, line below line. All
    are the same, a 0, but for one in green, number 498. Under a lens it is large: a 1, and below
    it the word 'trees'.""",
)
def draw_one_hot() -> Figure:
    count = len(the_translator().src.vocab)
    new, note = "is a row of zeros with a single 1", f"one number for each of the {count} entries"
    place = number()
    figure, ax, bottom, top = station(new=new, height=1.95, colors="")
    left, wide, low, high = 0.02, 5.7, bottom + 0.24, top - bottom - 0.5
    rows = round((count * high / wide) ** 0.5)
    columns = math.ceil(count / rows)
    step = wide / columns, high / rows
    row, column = np.divmod(np.arange(count), columns)
    xs, ys = left + column * step[0], low + high - (row + 1) * step[1]
    green, tile, x = style.readable(word_color(WORD)), 1.0, 6.72
    for i, at in enumerate(zip(xs, ys, strict=True)):
        if i != place:
            area(ax, at, 0.74 * step[0], 0.74 * step[1], style.RULE)
    y = low + high - tile
    cell = xs[place], ys[place], xs[place] + step[0], ys[place] + step[1]
    for start, end in ((cell[3], y + tile), (cell[1], y)):
        segment(ax, (cell[2], start), (x, end), green, thick=1.2)
    area(ax, cell[:2], *step, green, zorder=3)
    area(ax, (x, y), tile, tile, green, zorder=3)
    bold(ax, (x + tile / 2, y + tile / 2), "1", size=44, ha="center", color=style.PAPER)
    word(ax, (x + tile / 2, y - 0.19), WORD, size=13)
    label(ax, (x + tile / 2, y - 0.42), f"number {place}", ha="center")
    label(ax, (left, top - 0.1), f"{note}, in {rows} lines")
    muted(ax, (left, bottom + 0.06), "every other cell is 0")
    return figure


@figure(
    "trees-embeddings",
    notebook="02_embeddings",
    caption="The 1 pulls a row of 128 numbers out of a table.",
    alt="""A table of 955 rows and 128 columns, so fine that its blue and orange cells look like
    noise. Left of it stands the one-hot row, upright and empty but for a green mark at 498,
    'trees'. There a row of the table is framed in green, and opens into a large strip: the first
    32 numbers of row 498, the embedding of 'trees', blue below zero and orange above.""",
)
def draw_embeddings() -> Figure:
    table, small = the_translator().model.src_embed.table.weight.detach(), 0.3
    figure, ax, bottom, top = station(new="picks its row from the table", height=2.05, colors="")
    left, wide, x, big = 0.75, 2.35, 3.95, 0.55
    high, green = top - bottom - 0.3, style.readable(word_color(WORD))
    unit, cells = high / len(table), {"limit": small, "line": 0.6}
    matrix(ax, (left, bottom), wide, high, table, **cells)
    area(ax, (left, bottom), wide, high, style.PAPER, alpha=0.5, zorder=2.4)
    outline(ax, (left - 0.3, bottom), 0.14, high)
    y, row = bottom + high - (number() + 0.5) * unit, table[number()]
    area(ax, (left - 0.3, y - 0.03), 0.14, 0.06, green, zorder=3)
    segment(ax, (left - 0.16, y), (left, y), green, thick=1)
    strip(ax, (left, y - 0.045), wide, 0.09, row, limit=small, **MARKED | {"line": 1.4})
    middle = y + 0.1
    ends = (x, middle - big / 2), (x, middle + big / 2)
    fan = [(left + wide, y + 0.045), (left + wide, y - 0.045), *ends]  # a few cells, enlarged
    ax.add_patch(Polygon(fan, facecolor=style.tint(green), linewidth=0, zorder=1))
    strip(
        ax, (x, middle - big / 2), RIGHT - x, big, row[:FEW], limit=small, **MARKED | {"line": 2.2}
    )
    label(ax, (left - 0.23, top - 0.15), "one-hot", ha="center")
    label(ax, (left + 0.4, top - 0.15), f"{len(table)} rows of {table.shape[1]} numbers")
    label(ax, (x, middle + big / 2 + 0.16), f"row {number()}: its embedding", weight="bold")
    muted(ax, (RIGHT, middle - big / 2 - 0.14), FIRST, ha="right")
    label(ax, (x, middle - big / 2 - 0.14), "value")
    scale(ax, (x + 0.75, middle - big / 2 - 0.185), 0.5, limit=small)
    return figure


@figure(
    "trees-heads",
    notebook="05_multi_head_attention",
    caption="From which words four heads bring something to trees.",
    alt="""For each of four heads, bands from 'I', 'like', 'trees' and <eos>, in their colors,
    run together into a strip of cells, what the head returns. In head 0 <eos> is half of it,
    51%, and 'trees' most of the rest; in head 1 'like' and <eos> have 47% each; in head 2
    'trees' is nearly all, 93%; in head 3 <eos> has 54%, the others like parts of the rest.""",
)
def draw_heads() -> Figure:
    way, new = the_way(), "gets a different mix from each head"
    figure, ax, bottom, top = station(new=new, height=1.95, colors="number")
    full, pitch, low = 0.9, 2.03, bottom + 0.28
    layer = the_translator().model.get_submodule(LAYER)
    values = layer.split_heads(way.outputs[f"{LAYER}.w_v"][None])[0]
    for i, weights in enumerate(way.weights[LAYER][:, way.src.index(WORD)]):
        left, end = 0.62 + i * pitch, low + full
        right = left + 0.92
        bold(ax, (left - 0.6, top - 0.12), f"head {i}")
        for j, (text, share) in enumerate(zip(way.src, weights.tolist(), strict=True)):
            y, thick = low + full / 2 + 0.37 * (1.5 - j), full * share
            color, begins = style.readable(word_color(text), style.PAPER), min(thick, 0.34)
            word(ax, (left - 0.08, y), text, ha="right")
            over, under = (  # no broader at its word than the word
                curve((left, y + side * begins / 2), (right, end - thick * (side < 0)))
                for side in (1, -1)
            )
            ax.fill_between(over[:, 0], under[:, 1], over[:, 1], linewidth=0, color=color)
            end -= thick
            if share > 0.4:
                bold(ax, (left + 0.08, y), percent(share), color=style.PAPER)
        mix = (weights @ values[i])[:, None]
        matrix(ax, (right, low), 0.24, full, mix, limit=LIMIT, **MARKED)
    return figure


@figure(
    "trees-masks",
    notebook="06_masks",
    caption="What trees may see, and what the position may see that writes árboles.",
    alt="""Two rows of tiles, one for each word, with a wall in each row: the mask. In the first,
    arcs lead from 'trees' to 'I', 'like', itself and <eos>; those toward two <pad> end at the
    wall. In the second, arcs lead from 'los', the position that writes 'árboles', to <bos>,
    'me', 'gustan' and itself; the one toward 'árboles' ends at the wall, for it is to be
    predicted here. What is hidden is hatched.""",
)
def draw_masks() -> Figure:
    way = the_way()
    new = "sees no padding, and the position that writes árboles doesn't see it"
    figure, ax, _, top = station(new=new, height=2.25, colors="")
    gap, high, arcs = 0.2, 0.34, np.linspace(0, np.pi, 60)
    wide = (RIGHT - 0.05 + gap) / 6
    for i, (who, words, seen, name, why) in enumerate(
        (
            (WORD, [*way.src, "<pad>", "<pad>"], 4, "padding mask", "these only fill up the row"),
            (BEFORE, way.tgt_in, way.tgt_out.index(WRITTEN) + 1, "causal mask", "to be predicted"),
        )
    ):
        y, color = top - 0.86 - 0.98 * i, style.readable(word_color(who))
        me, wall = words.index(who), 0.05 + seen * wide - gap / 2
        for j, text in enumerate(words):
            x, hidden = 0.05 + j * wide, j >= seen
            look: dict[str, Any] = {}
            ground, hatch = style.tint(word_color(text)), {}
            if hidden:
                ground, hatch = style.PAPER, {"hatch": "////", "edgecolor": style.RULE}
                look = {"bbox": {"facecolor": ground, "linewidth": 0, "pad": 2}}
                look |= {"color": style.MUTED}
            area(ax, (x, y), wide - gap, high, ground, **hatch)
            edge, line = (color, 2.2) if j == me else (style.SOFT, 0.6 * hidden)
            outline(ax, (x, y), wide - gap, high, edge, line)
            word(ax, (x + (wide - gap) / 2, y + high / 2), text, size=13, **look)
            # An arc from the one that looks; to itself it is narrow, and a wall ends it.
            start, end = (me + 0.5) * wide + 0.2 * np.sign(j - me), (j + 0.5) * wide
            if j == me:
                start, end = start - 0.1, end + 0.1
            rise = 0.16 + 0.08 * abs(j - me)
            if not hidden:
                arrow(ax, (start, y + high + 0.02), (end, y + high + 0.02), color, rise=rise)
                continue
            xs = (start + end) / 2 - (end - start) / 2 * np.cos(arcs)
            ys = y + high + 0.02 + rise * np.sin(arcs)
            seen_part = xs < wall - 0.09
            ax.plot(xs[seen_part], ys[seen_part], ":", color=color, linewidth=1.5)
            at = xs[seen_part][-1] + 0.03, ys[seen_part][-1]
            ax.plot(*at, "x", color=style.INK, markersize=5, markeredgewidth=1.5, zorder=4)
        segment(ax, (wall, y - 0.05), (wall, y + high + 0.42), style.INK, thick=4)
        bold(ax, (wall + 0.12, y + high + 0.3), name)
        muted(ax, (wall + 0.12, y + high + 0.11), f"hides {words[-1]}: {why}")
    muted(ax, ((me + 0.5) * wide - 0.05, y - 0.14), f"writes {WRITTEN}", ha="center")
    return figure


@figure(
    "trees-transformer",
    notebook="09_the_whole_transformer",
    caption="Every stage of trees, from the embedding to the next word.",
    alt="""A green stream runs from 'trees', on the left, through the encoder: four columns of 32
    cells, embedding, + position, layer 0 and layer 1, where some cells keep their colors
    throughout. As the memory it rises, bends and comes down into each of the decoder's two
    columns, layer 0 and layer 1. Through these runs a stream from 'los', the word written last;
    behind them it is green, and ends in 'árboles' with 90 %.""",
)
def draw_transformer() -> Figure:
    way, y, high, thin, pitch, gap, above = the_way(), 0.82, 0.98, 0.3, 0.8, 1.0, 1.61
    figure, ax = canvas(2.56)
    new = f"becomes {WRITTEN} once it has read {WORD}"
    heading(ax, 2.36, BEFORE, new, colors=f"{FEW} of 128 values")
    encoder = {"embedding": way.of("src_embed", WORD), "+ position": way.of("src_positions", WORD)}
    encoder |= {f"layer {i}": way.of(f"encoder.layers.{i}", WORD) for i in range(2)}
    decoder = {f"layer {i}": way.of(f"decoder.layers.{i}", WRITTEN) for i in range(2)}
    halves = ("encoder", style.ENCODER, encoder), ("decoder", style.DECODER, decoder)
    end, places = 0.95 - gap, []
    for name, color, stations in halves:
        left, end = end + gap, end + gap + pitch * len(stations)
        start = end - 2 * pitch  # of the layers; embedding and position come before them
        area(ax, (start, 0.06), 2 * pitch, 1.95, style.TINTS[color], zorder=0)
        bold(ax, (start + 0.1, 1.85), name, color=color)
        for i, (here, vector) in enumerate(stations.items()):
            places.append(left + (i + 0.5) * pitch)
            cells = vector[:FEW, None]
            matrix(ax, (places[-1] - thin / 2, y - high / 2), thin, high, cells, limit=LIMIT)
            label(ax, (places[-1], y - high / 2 - 0.15), here, ha="center")
    *_, first, last = places
    green, start = word_color(WORD), left - 0.28
    for x, to, color in ((0.42, left - gap, green), (start, last, word_color(BEFORE))):
        area(ax, (x, y - 0.1), to - x, 0.2, color, zorder=1)
    # The memory goes to both layers of the decoder.
    xs, ys = curve((left - gap - 0.01, y), (left - 0.19, above)).T
    ax.fill_between(xs, ys - 0.1, ys + 0.1, linewidth=0, color=green)
    label(ax, (left - gap / 2, 1.85), "memory", ha="center", color=style.ENCODER)
    for x in (first, last):
        bend = {"connectionstyle": "angle,angleA=0,angleB=90,rad=14", "head": False}
        arrow(ax, (left - 0.2, above), (x, y), green, thick=72 * 0.2, zorder=1, **bend)
    arrow(ax, (last + thin / 2, y), (6.9, y), green, thick=9)
    for x, text, size in ((0.42, WORD, 16), (start, BEFORE, 13), (7.44, WRITTEN, 18)):
        word(ax, (x, y), text, size=size)
    (_, chance), *_ = way.likeliest(WRITTEN, 1)
    label(ax, (7.44, y - 0.36), f"probability {percent(chance)}", ha="center")
    return figure


@figure(
    "trees-causes",
    notebook="13_what_the_heads_learned",
    caption="The memory of trees is exchanged, to see what depends on it.",
    alt="""Three rows. The memory of 'trees' makes the decoder write 'me gustan los árboles',
    that of 'houses' 'me gustan las casas'. An arrow puts the memory of 'houses' into the place
    of 'trees', which is struck out, in the sentence 'I like trees': now it writes 'me gustan las
    casas'.""",
)
def draw_causes() -> Figure:
    other = trace(the_translator(), SENTENCE.replace(WORD, OTHER))
    memory, theirs = the_way().of("encoder", WORD), other.of("encoder", OTHER)
    mixed = with_borrowed_memory(the_translator(), SENTENCE, WORD, OTHER)
    left, wide, right = 1.85, 3.1, 5.52
    figure, ax = canvas(2.9)
    heading(ax, 2.7, WORD, f"becomes “{mixed[-1]}” with the vector of “{OTHER}”")
    label(ax, (left - 0.14, 2.32), "it reads", ha="right")
    label(ax, (left, 2.32), f"vector of the last word: {FEW} of 128 numbers")
    label(ax, (right, 2.32), "it writes")
    loud = dict.fromkeys([OTHER, *mixed[2:]], style.ACCENT)
    words = {"marked": {**style.WORDS, **loud}, "gap": 0.14}
    for y, source, vector, written in (
        (1.95, the_way().src, memory, the_way().tgt_out[:-1]),
        (1.33, other.src, theirs, other.tgt_out[:-1]),
        (0.6, the_way().src, theirs, mixed),
    ):
        last = y < 1
        sentence(ax, (left - 0.14, y - 0.05), source[:-1], ha="right", size=11, **words)
        mark = {"edge": style.ACCENT, "line": 2.2} if vector is theirs else {}
        strip(ax, (left, y - 0.15), wide, 0.3, vector[:FEW], limit=LIMIT, **mark)
        color, thick = (style.ACCENT, 3) if last else (style.MUTED, 1.5)
        arrow(ax, (left + wide + 0.1, y), (left + wide + 0.42, y), color, thick=thick)
        x = sentence(ax, (right, y - 0.05), written[:2], size=11, **words)[-1] + 0.05 * last
        x += width_of(written[1], 11) / 2 + words["gap"]
        size, words["gap"] = (15, 0.19) if last else (11, 0.14)
        sentence(ax, (x, y - 0.05), written[2:], size=size, **words)
    attention_arrow(ax, (left + wide / 2, 1.16), (left + wide / 2, 0.77), 0.8, style.ACCENT)
    strip(ax, (left, 0.2), wide, 0.14, memory[:FEW], limit=LIMIT)
    area(ax, (left, 0.2), wide, 0.14, style.PAPER, alpha=0.5, zorder=2.4)
    segment(ax, (left - 0.06, 0.27), (left + wide + 0.06, 0.27), style.INK, thick=1.5)
    muted(ax, (left - 0.14, 0.27), "its own vector", ha="right")
    return figure
