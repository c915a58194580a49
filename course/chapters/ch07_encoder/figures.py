"""Inside the encoder: who reaches whom, what depth does, and the residual connection."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.chapters.ch07_encoder.experiments import (
    TEN_NOUNS,
    all_ways,
    batch_norm,
    flow_stations,
    fresh_norm,
    held_out_neurons,
    kinds_of_words,
    others,
    red_things,
    shares_a_mean,
    stream,
    what_is_added,
)
from course.drawing import style
from course.drawing.arrows import arrow, box, bracket, curve, path, segment
from course.drawing.cells import area, bar
from course.drawing.registry import figure
from course.drawing.values import as_array, written
from course.drawing.words import Point, bold, canvas, label, muted, sentence, word, word_color

# Where whole blocks have the color of 1, a weaker one.
WEAKER = mpl.colors.ListedColormap(style.AMOUNTS(np.linspace(0, 0.75, 256)))


def _pairs(ax: Axes, at: Point, cell: float, table: Any, words: Sequence[str]) -> None:
    """Draw the cosine of every two words, once: as stairs, on which the words stand.

    A word has its row at the left and its column below. at: the lower left corner. cell: the side
    of a cell. table: (words, words).
    """
    for row, text in enumerate(words):
        x, y = at[0] + cell * row, at[1] + cell * (len(words) - 1 - row)
        for column in range(row):
            color, left = WEAKER(float(table[row, column])), at[0] + cell * column
            area(ax, (left, y), cell - 0.012, cell - 0.012, color)
        word(ax, (x + 0.1, y + cell / 2), text, size=style.NOTE, ha="left")


def _plus(ax: Axes, at: Point) -> None:
    look = {"fill": style.PAPER, "line": 1.3, "zorder": 4, "round": 0.125, "size": 13}
    box(ax, at, 0.25, 0.25, "+", style.INK, **look)


BOX, PITCH = 0.3, 0.62  # heights of a sub-layer, and from one to the next
DECODES = "masked self-attention", "cross-attention", "feed-forward"
SIDES = {
    "encoder": (2.1, -1, style.ENCODER, ("self-attention", "feed-forward")),
    "decoder": (5.9, 1, style.DECODER, DECODES),
}


@figure(
    "encoder-stream-of-words",
    hero=True,
    caption="""The residual stream of 'I like trees': attention and feed-forward add to each
    word, and a norm follows each sum.""",
    alt="""Four colored lanes, 'I', 'like', 'trees' and <eos>, run straight from left to right
    through layer 0 and layer 1. In each layer, under 'attention', ribbons lead from lane to lane
    and end in a plus sign; under 'feed-forward', each lane has a loop of its own that ends in a
    plus sign of the same lane. A box, 'norm', follows each plus sign. In layer 0 the widest
    ribbons come from <eos>, to 'trees' and 'like'.""",
)
def draw_stream_of_words() -> Figure:
    words = ["I", "like", "trees", "<eos>"]
    weights = [layer["weights"] for layer in what_is_added("I like trees")]
    lane, left, right = 0.82, 1.0, 7.5
    top = 0.72 + lane * len(words)  # the upper end of the boxes
    title = "Attention and feed-forward add to each word, and a norm follows each sum"
    note = (
        "The wider a ribbon, the more its right end attends to its left end (mean of four heads; "
        "15% and up)"
    )
    figure, ax = canvas(top + 0.75, title, note)
    wide = (right - left - 0.1) / len(weights)
    y = [top - 0.88 - lane * row for row in range(len(words))]
    for layer, one in enumerate(weights):
        start = left + 0.15 + wide * layer
        ground = {"fill": style.TINTS[style.ENCODER], "line": 0, "zorder": 0, "round": 0.12}
        box(ax, (start + wide / 2 - 0.1, top / 2 + 0.02), wide - 0.12, top - 0.05, **ground)
        label(ax, (start + 0.12, 0.2), f"layer {layer}", weight="bold", color=style.ENCODER)
        leave, join, away, back = (start + part * wide for part in (0.03, 0.35, 0.59, 0.77))
        label(ax, ((leave + join) / 2, top - 0.2), "attention", size=style.LABEL, ha="center")
        label(ax, ((away + back) / 2, top - 0.2), "feed-forward", size=style.LABEL, ha="center")
        for (i, j), weight in np.ndenumerate(as_array(one)):
            if i != j and weight >= 0.15:
                across, up = curve((leave, y[j]), (join, y[i])).T
                ax.plot(across, up, color=word_color(words[j]), lw=8 * weight, alpha=0.7, zorder=1)
        for row, text in enumerate(words):
            color, up = word_color(text), y[row] + 0.36
            loop = [(away, y[row]), (away, up), (back, up), (back, y[row])]
            path(ax, loop, color, thick=2.4, head=False)
            look = {"fill": style.PAPER, "line": 2.2, "zorder": 3}
            box(ax, ((away + back) / 2, up), 0.36, 0.26, "f", color, **look)
            for x in (join, back):
                _plus(ax, (x, y[row]))
                look = {"fill": style.PAPER, "line": 1.3, "zorder": 4, "size": 10.5}
                box(ax, (x + 0.36, y[row]), 0.41, 0.22, "norm", style.INK, **look)
    for row, text in enumerate(words):
        arrow(ax, (left, y[row]), (right + 0.3, y[row]), word_color(text), thick=8, zorder=2)
        word(ax, (left - 0.12, y[row]), text, size=14, ha="right")
    return figure


@figure(
    "encoder-neurons",
    caption="""For which words two neurons of our translator's encoder are above 1, in 1,000
    held-out sentences.""",
    alt="""Two groups of four bars. Neuron 314 of layer 0 is above 1 in 224 of 301 masculine
    plurals, 2 of 218 feminine plurals, 0 of 1,032 singular nouns and 1 of 6,175 other words.
    Neuron 11 of layer 1 is above 1 in all 301 and all 218 plurals, 6 of the singular nouns and
    42 of the other words.""",
)
def draw_neurons() -> Figure:
    _, values = held_out_neurons()
    kinds = kinds_of_words()
    title = "One neuron fires strongly for most masculine plurals, another for all plural nouns"
    note = (
        "How many words make each neuron fire above 1, in 1,000 "
        "sentences that our translator hadn’t seen"
    )
    figure, ax = canvas(4.35, title, note)
    left, wide, line = 2.05, 3.9, 0.33
    y = 3.45
    for layer, neuron in ((0, 314), (1, 11)):
        bold(ax, (0.02, y), f"Neuron {neuron} of layer {layer}", size=13)
        for kind, here in kinds.items():
            y -= line
            fires, every = int((values[layer][here, neuron] > 1).sum()), int(here.sum())
            share = fires / every
            color = style.ACCENT if share > 0.5 else style.MUTED
            label(ax, (left - 0.12, y), kind, size=style.LABEL, ha="right")
            bar(ax, (left, y - 0.1), wide, 0.2, share, color)
            said = f"{fires:,} of {every:,}"
            label(ax, (left + wide + 0.12, y), said, weight="bold", color=color)
        y -= 0.55
    return figure


@figure(
    "encoder-deep-stack",
    caption="The length of the vectors in 24 untrained layers, with and without sums and norms.",
    alt="""Three curves over 24 layers, from a vector of length 1, in powers of ten. With the
    sub-layers alone it falls below a millionth, with the residual sum it rises to about 50,000
    times its length, with sum and norm it stays the same.""",
)
def draw_deep_stack() -> Figure:
    figure, ax = canvas(
        3.7, "In our 24 untrained layers, vectors vanish or explode; a norm prevents both"
    )
    left, wide, middle, decade = 1.1, 4.2, 1.92, 0.2
    muted(ax, (0.02, 3.12), "length, compared with the input (log scale)")
    for power in (3, 0, -3, -6):
        y, times = middle + decade * power, f"{10 ** abs(power):,}"
        said = f"÷ {times}" if power < 0 else f"× {times}"
        muted(ax, (left - 0.12, y), said, ha="right")
        segment(ax, (left, y), (left + wide, y), style.RULE, thick=1, zorder=1)
    for way, name, loud in (
        ("x + f(x)", "x + f(x):", False),
        ("norm(x + f(x))", "norm(x + f(x)):", True),
        ("f(x)", "f(x):", False),
    ):
        lengths = np.array(all_ways()[way]["signal"])
        times = lengths[-1] / lengths[0]
        said = "as long as the input" if loud else f"{round(times, -4):,.0f} times as long"
        said = "less than a millionth" if times < 1e-6 else said
        x = left + wide * np.arange(len(lengths)) / (len(lengths) - 1)
        color, y = style.ACCENT if loud else style.MUTED, middle + decade * np.log10(lengths)
        ax.plot(x, y, color=color, linewidth=4 if loud else 2.5)
        label(ax, (x[-1] + 0.15, y[-1] + 0.17), name, size=style.LABEL, color=color)
        bold(ax, (x[-1] + 0.15, y[-1] - 0.05), said, size=13, color=color)
    for layer in (0, 6, 12, 18, 24):
        muted(ax, (x[layer], 0.22), str(layer or "input"), ha="center")
    muted(ax, (x[-1] + 0.15, 0.22), "layers")
    return figure


@figure(
    "encoder-deep-alike",
    caption="""The angle between two words in untrained layers, without and with a residual
    connection.""",
    alt="""Two rows of pairs of arrows, an angle of 91 degrees between them at the input. Without
    a residual connection it is 55 degrees after one layer and 1 degree after two layers, where
    the two arrows are one. With it, the angle closes slowly: 68 degrees after two layers, 33
    after five.""",
)
def draw_deep_alike() -> Figure:
    title = "Without the residual connection, two layers make all words alike"
    note = "Average angle between two words after each untrained layer, without norms"
    figure, ax = canvas(3.55, title, note)
    ways = (("without", "f(x)", style.ACCENT), ("with", "x + f(x)", style.MUTED))
    for row, (said, way, color) in enumerate(ways):
        y = 1.62 - 1.15 * row
        label(ax, (0.02, y + 0.3), f"{said} residual\nconnection", weight="bold", color=color)
        for layers in range(6):
            angle = np.arccos(min(all_ways()[way]["alike"][layers], 1))
            x = 2.1 + 1.08 * layers
            for half in (-angle / 2, angle / 2):
                end = x + 0.68 * np.sin(half), y + 0.68 * np.cos(half)
                arrow(ax, (x, y), end, color, thick=2.5)
            loud = {"size": 18 if (row, layers) == (0, 2) else style.LABEL, "weight": "bold"}
            label(ax, (x, y - 0.2), f"{np.degrees(angle):.0f}°", ha="center", color=color, **loud)
            if row == 0:
                name = f"{layers} layer{'s' * (layers > 1)}" if layers else "input"
                muted(ax, (x, 2.58), name, ha="center")
    return figure


@figure(
    "encoder-norm-groups",
    caption="""Numbers of one block share a mean: layer norm, one for each word; batch norm, one
    for each feature.""",
    alt="""Two sentences of three words, each word a row of five cells, the padding hatched. On
    the left, layer norm: the row of 'trees' is filled and has a bracket, 'one mean, one
    variance'. On the right, batch norm: the last column is filled, through both sentences, with
    the same bracket and a note, 'padding counts, too'.""",
)
def draw_norm_groups() -> Figure:
    shape = (2, 3, 5)
    groups = {"layer norm": fresh_norm, "batch norm": batch_norm}
    sentences = [["I", "like", "trees"], ["thank", "you", "<pad>"]]
    wide, high, gap, long = 0.44, 0.36, 0.42, len(sentences[0])
    words = [text for words in sentences for text in words]
    tall = high * len(words) + gap * (len(sentences) - 1)
    title = "Layer norm uses one word at a time; batch norm mixes all words, even padding"
    note = "Each cell is one number of a word’s vector; the orange ones share a mean and a variance"
    figure, ax = canvas(tall + 1.6, title, note)
    tops = [tall + 0.2 - high * row - gap * (row // long) for row in range(len(words))]
    for panel, (name, norm) in enumerate(groups.items()):
        group = as_array(shares_a_mean(norm, shape))
        table, left = group.reshape(len(words), -1), 0.8 + 3.8 * panel
        shared = table == group[0, -1, -1]
        bold(ax, (left, tall + 0.68), name, size=13)
        for (row, feature), loud in np.ndenumerate(shared):
            hatch = {"hatch": "////", "edgecolor": style.PAPER} if words[row] == "<pad>" else {}
            at = left + wide * feature, tops[row] - high
            color = style.ACCENT if loud else style.RULE if hatch else style.GROUND
            area(ax, at, wide - 0.04, high - 0.04, color, **hatch)
        rows, _ = np.nonzero(shared)
        right, low = left + wide * table.shape[1], tops[rows[-1]] - high
        look = {"size": 11, "weight": "bold", "color": style.ACCENT}
        if len(set(rows)) == 1:  # along the word
            ends = (left, low - 0.1), (right - 0.04, low - 0.1)
            at = (left + right) / 2 - 0.02, low - 0.28
            label(ax, at, "one mean, one variance", ha="center", **look)
        else:
            ends = (right + 0.1, low), (right + 0.1, tops[rows[0]] - 0.04)
            label(ax, (right + 0.22, (low + tops[0]) / 2), "one mean,\none variance", **look)
            label(ax, (right + 0.22, low + high / 2), "padding\ncounts, too", **look)
        bracket(ax, *ends, style.ACCENT)
        for row, (text, top) in enumerate(zip(words, tops, strict=True)):
            word(ax, (left - 0.1, top - high / 2 - 0.02), text, ha="right", color=style.INK)
            if row % long == 0:
                muted(ax, (left - 0.1, top + 0.14), f"sentence {row // long + 1}", ha="right")
    return figure


@figure(
    "encoder-two-norms",
    caption="Three words pass a sub-layer with its residual sum, in post-norm and in pre-norm.",
    alt="""Two rows. On the left of each, a bar for each of 'I', 'like', 'trees', with the sizes
    0.5, 1 and 2. Above, post-norm: they pass f, the sum with what goes around it, and the norm,
    which is filled; on the right, all three bars have size 1. Below, pre-norm: the norm comes
    first, then f, and the sum with what goes around both; the bars leave with 0.7, 0.9 and 2.""",
)
def draw_two_norms() -> Figure:
    step, unit = 0.34, 0.7
    title = "Post-norm gives all vectors the same size; pre-norm keeps a large one large"
    note = "The bars show the sizes of made-up vectors before and after a sub-layer f"
    figure, ax = canvas(4.26, title, note)
    post = "post-norm: f adds something to each word, then the norm brings every size to 1"
    pre = "pre-norm: f reads normalized vectors and adds something to each word"
    for y, name, norm_first in ((2.34, post, False), (0.62, pre, True)):  # where the vectors flow
        stations = flow_stations(norm_first)
        bold(ax, (0.02, y + 0.82), name, size=13)
        for x, (_, vectors) in ((0.72, stations[0]), (6.05, stations[-1])):
            sizes = np.sqrt((as_array(vectors) ** 2).mean(axis=1))
            for place, (text, size) in enumerate(zip(("I", "like", "trees"), sizes, strict=True)):
                up, color = y + step * (1 - place), word_color(text)
                word(ax, (x - 0.1, up), text, ha="right")
                area(ax, (x, up - 0.11), unit * size, 0.22, color)
                at, ink = (x + unit * size + 0.08, up), style.readable(color, style.PAPER)
                bold(ax, at, written(size, 1), color=ink)
        parts = [station for station in stations if isinstance(station, str)]
        places = dict(zip(parts, (3.35, 4.05, 4.75), strict=True))
        arrow(ax, (2.65, y), (5.3, y), style.SOFT)
        ends = [(2.85, y), (2.85, y + 0.45), (places["+"], y + 0.45), (places["+"], y + 0.13)]
        path(ax, ends, style.SOFT)
        for part, x in places.items():
            if part == "+":
                _plus(ax, (x, y))
            else:
                part = part.split(",")[0]
                fill = style.ACCENT if part == "norm" else style.PAPER
                box(ax, (x, y), 0.54, 0.36, part, fill=fill, zorder=3)
    return figure


@figure(
    "encoder-stream",
    caption="The length of the vectors between the layers of 24 untrained layers.",
    alt="""Two rows of upright arrows, one for the input and each of 24 layers. In post-norm all
    are equally long. In pre-norm they grow steadily from 1 to 4.9; one norm at the end makes the
    last as short as the first.""",
)
def draw_stream() -> Figure:
    title = (
        "In pre-norm, the vectors grow from layer to layer, to about five times their first size"
    )
    note = "Each arrow shows the size of the vectors after another untrained layer"
    figure, ax = canvas(3.9, title, note)
    for y, name, lengths, color in (
        (2.65, "post-norm", stream(False), style.MUTED),
        (0.5, "pre-norm", stream(True), style.ACCENT),
    ):
        bold(ax, (0.02, y + 0.08), name, size=13, color=color)
        for x, length in zip(1.3 + 0.2 * np.arange(25), lengths, strict=False):
            arrow(ax, (x, y), (x, y + 0.36 * length), color, thick=3)
        for at, length, side in ((1.18, lengths[0], "right"), (x + 0.12, lengths[24], "left")):
            look = {"ha": side, "weight": "bold", "color": color}
            label(ax, (at, y + 0.36 * length - 0.08), f"{length:.1f}", **look)
    muted(ax, (1.3, 0.25), "input", ha="center")
    muted(ax, (x, 0.25), "24 layers", ha="center")
    arrow(ax, (x + 0.3, 0.68), (x + 1.1, 0.68))
    muted(ax, (x + 1.35, 0.25), "one last norm", ha="center")
    arrow(ax, (x + 1.35, y), (x + 1.35, y + 0.36 * lengths[25]), color, thick=3)
    label(ax, (x + 1.5, y + 0.28), f"{lengths[25]:.1f}", weight="bold", color=color)
    return figure


@figure(
    "encoder-two-layers",
    caption="Two encoder layers and two decoder layers: the memory reaches both decoder layers.",
    alt="""Two stacks of boxes, to be read from the bottom up. On the left, the encoder reads 'I
    like trees <eos>': two layers of self-attention and feed-forward. On the right, the decoder
    has read '<bos> me gustan los': two layers of masked self-attention, cross-attention and
    feed-forward; the cross-attentions are filled. From the top of the encoder a thick line, the
    memory, leads into both of them. Above the decoder, after linear and softmax: 'árboles'.""",
)
def draw_two_layers() -> Figure:
    sentences, layers = (["I", "like", "trees", "<eos>"], ["<bos>", "me", "gustan", "los"]), 2
    bottom, crossings, tops = 0.62, [], []
    title = "Every layer of the decoder reads the output of the encoder’s last layer"
    note = "From the bottom up, without embedding, positions, residual sums and norms"
    figure, ax = canvas(bottom + layers * (3 * PITCH + 0.2) + 1.1, title, note)
    for (name, (x, side, color, parts)), words in zip(SIDES.items(), sentences, strict=True):
        sentence(ax, (x, 0.16), words, ha="center")
        before, tall = 0.36, PITCH * len(parts)
        for layer in range(layers):
            low = bottom + layer * (tall + 0.2)
            ground = {"fill": style.TINTS[color], "line": 0, "zorder": 0}
            box(ax, (x, low + tall / 2), 2.6, tall, "", color, **ground)
            called = {"color": color, "ha": "right" if side < 0 else "left"}
            at = x + 1.4 * side, low + tall / 2
            label(ax, at, f"{name},\nlayer {layer}", weight="bold", **called)
            for number, part in enumerate(parts):
                y = low + PITCH * (number + 0.5)
                arrow(ax, (x, before), (x, y - BOX / 2), style.SOFT)
                crossing = part == "cross-attention"
                crossings += [y] * crossing
                edge, fill = (color, color) if crossing else (style.MUTED, style.PAPER)
                box(ax, (x, y), 2.1, BOX, part, edge, fill=fill, zorder=3)
                before = y + BOX / 2
        tops += [before]
    (x, _, color, _), (far, *_) = SIDES.values()
    high, lane = crossings[-1], (x + far) / 2
    for y in crossings:
        way = [(x + 0.55, high), (lane, high), (lane, y), (far - 1.05, y)]
        path(ax, way, color, thick=4)
    box(ax, (x, high), 1.1, 0.32, "memory", color, fill=color, weight="bold")
    arrow(ax, (x, tops[0]), (x, high - 0.16), style.SOFT)
    muted(ax, (far + 0.12, tops[1] + 0.27), "linear, softmax")
    arrow(ax, (far, tops[1]), (far, tops[1] + 0.38), style.SOFT)
    word(ax, (far, tops[1] + 0.54), "árboles", size=13)
    return figure


@figure(
    "encoder-red",
    caption="The word 'red' before ten nouns: how alike its vectors are, before and after.",
    alt="""Two flights of stairs with ten nouns on them, and below the steps a cell for each
    pair: its color is the cosine of two vectors of 'red'. At the input all cells have the color
    of 1.00. After layer 1 two triangles are strong, with 0.99 and 0.98: the five nouns that are
    masculine in Spanish, with 'rojo', and the five that are feminine, with 'roja'; between them
    a square of fainter cells, 0.78.""",
)
def draw_red() -> Figure:
    cell, low = 0.27, 0.2
    note = "Each cell is the cosine of two vectors of “red”, each before a different noun"
    figure, ax = canvas(
        3.95, "In our translator’s encoder, “red” takes on the gender of its noun", note
    )
    every, first, last = slice(10), slice(5), slice(5, 10)
    kinds = [(1.5, 6.0, first, first), (6.5, 1.0, last, last), (2.5, 2.5, last, first)]
    for left, name, said, blocks in (
        (0.05, "input", "at the input: all the same", [(3.5, 2.5, every, every)]),
        (3.75, "layer 1", "after layer 1: two kinds", kinds),
    ):
        table = others(red_things()[name])
        _pairs(ax, (left, low), cell, table, TEN_NOUNS)
        bold(ax, (left, low + 10 * cell + 0.16), said, size=12)
        for across, up, rows, columns in blocks:
            mean = table[rows, columns].nanmean().item()
            ground = {"facecolor": WEAKER(mean), "linewidth": 0, "pad": 1}
            look = {"color": style.ink_on(WEAKER(mean)), "bbox": ground, "weight": "bold"}
            at = left + cell * across, low + cell * up
            label(ax, at, written(mean, 2), size=18, ha="center", **look)
    x, half = left + 10 * cell + 0.35, 5 * cell
    for y, gender, spanish in ((low + half, "masculine", "rojo"), (low, "feminine", "roja")):
        segment(ax, (x, y + 0.05), (x, y + half - 0.05), thick=1.3)
        label(ax, (x + 0.1, y + half / 2 + 0.12), f"{gender}:", size=style.LABEL)
        bold(ax, (x + 0.1, y + half / 2 - 0.12), f"“{spanish}”", size=13)
    return figure
