"""Inside the encoder: who reaches whom, what depth does, and the residual connection."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.chapters.ch07_encoder.experiments import (
    SENTENCE,
    TEN_NOUNS,
    alike,
    all_ways,
    batch_norm,
    excited_by,
    flow_stations,
    fresh_norm,
    moved,
    others,
    plural_nouns,
    random_layers,
    read_by_encoder,
    red_things,
    shares_a_mean,
    stream,
    what_is_added,
    without_end,
)
from course.drawing import style
from course.drawing.arrows import arrow, box, bracket, curve, path
from course.drawing.cells import area, matrix, scale
from course.drawing.maps import AMOUNTS
from course.drawing.registry import figure
from course.drawing.values import as_array, written
from course.drawing.words import Point, canvas, label, sentence, width_of, word, word_color
from course.grammar.lexicon import NOUNS
from transformer_lib.translator import Translator

# Where whole blocks have the color of 1, a weaker one.
WEAKER = mpl.colors.ListedColormap(AMOUNTS(np.linspace(0, 0.75, 256)))

# --- parts of several figures --------------------------------------------------------------------


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


# --- the stream that words add to ----------------------------------------------------------------


def _stream_of_words(words: Sequence[str], weights: Sequence[Any]) -> Figure:
    """Draw the residual stream of an encoder, a lane for each word -> the figure.

    weights: for each layer the attention weights (words, words); a row belongs to the word that
    looks. A weight of 1 would be as broad as a lane.
    """
    lane, left, right = 0.82, 1.0, 7.45
    top = 0.72 + lane * len(words)  # the upper end of the boxes
    note = "The broader a band, the more attention to another word; below 15 % not drawn"
    figure, ax = canvas(top + 0.75, "Each word flows straight on; every part only adds to it", note)
    wide = (right - left - 0.35) / len(weights)
    y = [top - 0.88 - lane * row for row in range(len(words))]
    for layer, one in enumerate(weights):
        start = left + 0.2 + wide * layer
        ground = {"fill": style.TINTS[style.ENCODER], "line": 0, "zorder": 0, "round": 0.12}
        box(ax, (start + wide / 2 - 0.1, top / 2 + 0.02), wide - 0.2, top - 0.05, **ground)
        label(ax, (start + 0.12, 0.2), f"layer {layer}", weight="bold", color=style.ENCODER)
        leave, join, away, back = (start + part * wide for part in (0.07, 0.46, 0.54, 0.82))
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
            box(ax, ((away + back) / 2, up), 0.4, 0.26, "f", color, **look)
            for x in (join, back):
                _plus(ax, (x, y[row]))
    for row, text in enumerate(words):
        arrow(ax, (left, y[row]), (right + 0.3, y[row]), word_color(text), thick=8, zorder=2)
        word(ax, (left - 0.12, y[row]), text, size=14, ha="right")
    return figure


def _plus(ax: Axes, at: Point) -> None:
    look = {"fill": style.PAPER, "line": 1.3, "zorder": 4, "round": 0.125, "size": 13}
    box(ax, at, 0.25, 0.25, "+", style.INK, **look)


# --- two stacks side by side ---------------------------------------------------------------------

BOX, PITCH = 0.3, 0.62  # heights of a sub-layer, and from one to the next
DECODES = "masked self-attention", "cross-attention", "feed-forward"
SIDES = {
    "encoder": (2.1, -1, style.ENCODER, ("self-attention", "feed-forward")),
    "decoder": (5.9, 1, style.DECODER, DECODES),
}


def _two_stacks(src: Sequence[str], read: Sequence[str], written: str, layers: int = 2) -> Figure:
    """Draw an encoder and a decoder of some layers, bottom up, with cross-attention filled.

    src: the words that the encoder reads; read: what the decoder has read, written: its next word.
    The memory leads from the encoder's end to the cross-attention of every decoder layer.
    """
    bottom, crossings, tops = 0.62, [], []
    title = "Every layer of the decoder reads what the last layer of the encoder made"
    note = "From the bottom up, without embedding, positions, residual sums and norms"
    figure, ax = canvas(bottom + layers * (3 * PITCH + 0.2) + 1.1, title, note)
    for (name, (x, side, color, parts)), words in zip(SIDES.items(), (src, read), strict=True):
        sentence(ax, (x, 0.16), words, size=12, ha="center")
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
    label(ax, (far + 0.12, tops[1] + 0.27), "linear, softmax", color=style.MUTED)
    arrow(ax, (far, tops[1]), (far, tops[1] + 0.38), style.SOFT)
    word(ax, (far, tops[1] + 0.54), written, size=13)
    return figure


# --- neurons -------------------------------------------------------------------------------------


def _neuron_words(
    neurons: Mapping[str, Mapping[str, float]], kinds: Mapping[str, Collection[str]]
) -> Figure:
    """Draw how strongly each neuron fires for nouns: neuron -> word -> how much.

    kinds: the name of a group -> its words, in one order for all neurons: first what excites them
    most. A word's chip is as strong in color as the neuron fires; of a last group each is a cell.
    """
    left, right, line, silent = 1.75, 7.95, 0.31, 0.1
    title = "Two neurons fire for “trees”: one for masculine plurals, one for all plurals"
    note = "How strongly each fires for a noun: the stronger the color, the more; gray: silent"
    figure, ax = canvas(6.12, title, note)
    y, rest = 5.69, list(kinds)[-1]
    for neuron, fires in neurons.items():
        y -= 0.62
        label(ax, (0.02, y), neuron, size=12, weight="bold")
        for kind, members in kinds.items():
            nouns = [text for text in members if text in fires]
            nouns.sort(key=lambda text: -sum(one[text] for one in neurons.values()))
            fire = sum(fires[text] > silent for text in nouns)
            x, y = left, y - 1.3 * line
            bars = ", a bar each" * (kind == rest)
            label(ax, (0.02, y), kind + bars, color=style.MUTED)
            said = f"fires for {fire} of {len(nouns)}"
            color = style.ACCENT if fire else style.MUTED
            label(ax, (0.02, y - 0.22), said, weight="bold", color=color)
            for text in nouns:
                strong = fires[text] > silent
                color = AMOUNTS(fires[text] / 5) if strong else style.GROUND
                if kind == rest:
                    each = (right - left) / len(nouns)
                    area(ax, (x, y - 0.09), 0.75 * each, 0.18, color if strong else style.RULE)
                    label(ax, (x - 0.04, y - 0.22), text if strong else "", size=10.5)
                    x += each
                    continue
                wide = width_of(text, 10.5) + 0.17
                x, y = (x, y) if x + wide < right else (left, y - line)
                chip = {**style.chip("")["bbox"], "facecolor": color}
                chip |= {"edgecolor": style.INK, "linewidth": 1.6 if text == "trees" else 0}
                ink = style.ink_on(color) if strong else style.MUTED
                label(ax, (x, y), text, size=10.5, color=ink, bbox=chip)
                x += wide
    return figure


# --- which numbers share a mean ------------------------------------------------------------------


def _norm_groups(groups: Mapping[str, Any], sentences: Sequence[Sequence[str]]) -> Figure:
    """Draw the numbers of a batch as cells, those of one group in the accent -> the figure.

    groups: title -> whole numbers (b, s, d_model), equal for numbers of one group; the group shown
    is that of the last number of the first sentence. sentences: the words of each sentence of the
    batch; padding is hatched.
    """
    wide, high, gap, long = 0.44, 0.36, 0.42, len(sentences[0])
    words = [text for words in sentences for text in words]
    tall = high * len(words) + gap * (len(sentences) - 1)
    title = "Layer norm takes one word by itself; batch norm mixes all, even padding"
    note = "Each cell is a number of a word’s vector; the orange ones are scaled together"
    figure, ax = canvas(tall + 1.6, title, note)
    tops = [tall + 0.2 - high * row - gap * (row // long) for row in range(len(words))]
    for panel, (name, group) in enumerate(groups.items()):
        group = as_array(group)
        table, left = group.reshape(len(words), -1), 0.8 + 3.8 * panel
        shared = table == group[0, -1, -1]
        label(ax, (left, tall + 0.68), name, size=13, weight="bold")
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
        bracket(ax, *ends, "", style.ACCENT)
        for row, (text, top) in enumerate(zip(words, tops, strict=True)):
            word(ax, (left - 0.1, top - high / 2 - 0.02), text, ha="right", color=style.INK)
            if row % long == 0:
                said = f"sentence {row // long + 1}"
                label(ax, (left - 0.1, top + 0.14), said, ha="right", color=style.MUTED)
    return figure


# --- the residual connection --------------------------------------------------------------------


def _around_flow(rows: Mapping[str, Sequence[Any]], words: Sequence[str]) -> Figure:
    """Draw how large words enter and leave a sub-layer, one row for each way -> the figure.

    rows: title -> what is on the way, from left to right: (name, matrix (s, d)) for vectors, "+"
    for the sum with the first vectors, any other text for a box. A bar is as long as a word's first
    or last vector is large: the root of its mean square.
    """
    high, step, unit = 1.72, 0.34, 0.7
    title = "Post-norm gives all words one size; pre-norm keeps large ones large"
    note = "Bars: how large each word’s vector is, before and after a sub-layer f"
    figure, ax = canvas(high * len(rows) + 0.82, title, note)
    for row, (name, stations) in enumerate(rows.items()):
        y = high * (len(rows) - row) - 1.1  # where the vectors flow
        label(ax, (0.02, y + 0.82), name, size=13, weight="bold")
        for x, (_, vectors) in ((0.72, stations[0]), (6.05, stations[-1])):
            sizes = np.sqrt((as_array(vectors) ** 2).mean(axis=1))
            for place, (text, size) in enumerate(zip(words, sizes, strict=True)):
                up, color = y + step * (1 - place), word_color(text)
                word(ax, (x - 0.1, up), text, ha="right")
                area(ax, (x, up - 0.11), unit * size, 0.22, color)
                look = {"weight": "bold", "color": style.readable(color, style.PAPER)}
                at = x + unit * size + 0.08, up
                label(ax, at, written(size, 1), size=style.LABEL, **look)
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


# --- the figures ---------------------------------------------------------------------------------


@figure(
    "encoder-who-moves",
    caption="“animal” is nudged: which outputs move through a feed-forward network, and which "
    "through two layers? In percent of its own move.",
    alt="Twice the sentence 'the tired animal crosses the wide street <eos>' in a row, with "
    "'animal' filled, and the same words below it. Through a feed-forward network a band leads "
    "down to 'animal', 100 %, and none to another word, 0 %. Through two layers, with attention, "
    "bands spread to all words, the broadest to 'animal', the next ones to 'crosses', 'tired', the "
    "first 'the' and <eos>, from 33 % to 23 %; at most 7 % reach the others.",
)
def draw_who_moves() -> Figure:
    (words,), xs = read_by_encoder([SENTENCE])
    encoder, nudged, x = Translator.load().model.eval().encoder, 2, xs[0][0]
    words = [*words, "<eos>"]
    note = "“animal” is nudged: how far each output moves, its own move being 100 %"
    figure, ax = canvas(4.9, "A word reaches the others only through attention", note)
    places = [0.42 + 1.02 * place for place in range(len(words))]
    for function, top, down, name in (
        (encoder.layers[0].feed_forward, 3.56, 0.72, "through feed-forward: no other word moves"),
        (encoder, 1.78, 1.2, "through two layers, with attention: all words move"),
    ):
        moves, end = moved(function, x)[:, nudged], top - down
        shares = as_array(moves / moves[nudged])
        label(ax, (0.02, top + 0.38), name, size=style.LABEL, weight="bold")
        thick = 0.27 * shares  # in inches
        starts = thick.cumsum() - thick / 2
        starts += places[nudged] - starts[nudged]
        for place, text in enumerate(words):
            across, up = curve((starts[place], top), (places[place], end), True).T
            loud = shares[place] >= 0.1
            look = {"lw": 72 * thick[place], "alpha": 0.75, "solid_capstyle": "butt"}
            ax.plot(across, up, color=style.ACCENT, **look)
            box(ax, (places[nudged], top), 0.68, 0.26, fill=style.ACCENT, line=0, zorder=3)
            color = style.PAPER if place == nudged else style.MUTED
            word(ax, (places[place], top), text, size=12, color=color)
            color = style.ACCENT if loud else style.MUTED
            word(ax, (places[place], end), text, size=12, color=color)
            said, look = f"{100 * shares[place]:.0f} %", {"weight": "bold"} if loud else {}
            label(ax, (places[place], end - 0.3), said, ha="center", color=color, **look)
    return figure


@figure(
    "encoder-stream-of-words",
    hero=True,
    caption="The residual stream of 'I like trees': each word flows straight on, parts add to it.",
    alt="Four colored lanes, 'I', 'like', 'trees' and <eos>, run straight from left to right "
    "through layer 0 and layer 1. In each layer, under 'attention', ribbons lead from lane to "
    "lane and end in a plus sign; under 'feed-forward', each lane has a loop of its "
    "own that ends in a plus sign of the same lane.",
)
def draw_stream_of_words() -> Figure:
    return _stream_of_words(
        ["I", "like", "trees", "<eos>"],
        [layer["weights"] for layer in what_is_added("I like trees")],
    )


@figure(
    "encoder-neurons",
    caption="Two neurons that fire for trees, and how strongly for the nouns that 1,000 held-out "
    "sentences have at least five times: the mean of each.",
    alt="The nouns in three groups, twice, in a color as strong as a neuron fires. Neuron 314 of "
    "layer 0 fires for 20 of 25 plurals that are masculine in Spanish, trees among the strongest, "
    "and for none of the 13 feminine ones or the 94 singulars. Neuron 11 of layer 1 fires for all "
    "25 and all 13 plurals; of the singulars only for day.",
)
def draw_neurons() -> Figure:
    kinds = {
        "masculine plurals": plural_nouns("m"),
        "feminine plurals": plural_nouns("f"),
        "singulars": {noun.english for noun in NOUNS.values()},
    }
    neurons = {
        "Neuron 314 of layer 0: only masculine plurals": excited_by(0, 314),
        "Neuron 11 of layer 1: all plurals": excited_by(1, 11),
    }
    return _neuron_words(neurons, kinds)


@figure(
    "encoder-deep-stack",
    caption="The length of the vectors in 24 untrained layers: it vanishes, explodes, stays.",
    alt="Three curves over 24 layers, from a vector of length 1, in powers of ten. With the "
    "sub-layers alone it falls below a millionth, with the residual sum it rises to about 50,000 "
    "times its length, with sum and norm it stays the same.",
)
def draw_deep_stack() -> Figure:
    figure, ax = canvas(
        3.7, "In 24 untrained layers, only the norm keeps the length of the vectors"
    )
    left, wide, middle, decade = 1.1, 4.2, 1.92, 0.2
    label(ax, (0.02, 3.12), "length, compared with the input (log scale)", color=style.MUTED)
    for power in (3, 0, -3, -6):
        y, times = middle + decade * power, f"{10 ** abs(power):,}"
        said = f"÷ {times}" if power < 0 else f"× {times}"
        label(ax, (left - 0.12, y), said, ha="right", color=style.MUTED)
        path(ax, [(left, y), (left + wide, y)], style.RULE, head=False, thick=1, zorder=1)
    for way, name, loud in (
        ("residual only", "residual sum, no norm:", False),
        ("residual and norm", "residual sum and norm:", True),
        ("neither", "sub-layers alone:", False),
    ):
        lengths = np.array(all_ways()[way]["signal"])
        times = lengths[-1] / lengths[0]
        said = "as long as before" if loud else f"{round(times, -4):,.0f} times as long"
        said = "less than a millionth left" if times < 1e-6 else said
        x = left + wide * np.arange(len(lengths)) / (len(lengths) - 1)
        color, y = style.ACCENT if loud else style.MUTED, middle + decade * np.log10(lengths)
        ax.plot(x, y, color=color, linewidth=4 if loud else 2.5)
        label(ax, (x[-1] + 0.15, y[-1] + 0.17), name, size=style.LABEL, color=color)
        label(ax, (x[-1] + 0.15, y[-1] - 0.05), said, size=13, weight="bold", color=color)
    for layer in (0, 6, 12, 18, 24):
        label(ax, (x[layer], 0.22), str(layer or "input"), color=style.MUTED, ha="center")
    label(ax, (x[-1] + 0.15, 0.22), "layers", color=style.MUTED)
    return figure


@figure(
    "encoder-deep-alike",
    caption="The angle between two words in untrained layers, without and with a residual "
    "connection.",
    alt="Two rows of pairs of arrows, an angle of 91 degrees between them at the input. Without a "
    "residual connection it is 55 degrees after one layer and 1 degree after two layers, where the "
    "two arrows are one. With it, the angle closes slowly: 68 degrees after two layers, 33 after "
    "five.",
)
def draw_deep_alike() -> Figure:
    title = "Without the residual connection, two layers make all words alike"
    note = "The angle between two words, from their mean cosine, in untrained layers"
    figure, ax = canvas(3.55, title, note)
    ways = (("without", "neither", style.ACCENT), ("with", "residual only", style.MUTED))
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
                label(ax, (x, 2.58), name, ha="center", color=style.MUTED)
    return figure


@figure(
    "encoder-norm-groups",
    caption="Numbers of one block share a mean: layer norm, one for each word; batch norm, one for "
    "each feature.",
    alt="Two sentences of three words, each word a row of five cells, the padding hatched. On the "
    "left, layer norm: the row of 'trees' is filled and has a bracket, 'one mean, one "
    "variance'. On the right, batch norm: the last column is filled, through both sentences, with "
    "the same bracket and a note, 'padding counts, too'.",
)
def draw_norm_groups() -> Figure:
    shape = (2, 3, 5)
    groups = {
        "layer norm": shares_a_mean(fresh_norm, shape),
        "batch norm": shares_a_mean(batch_norm, shape),
    }
    return _norm_groups(groups, [["I", "like", "trees"], ["thank", "you", "<pad>"]])


@figure(
    "encoder-two-norms",
    caption="Three words pass a sub-layer with its residual sum, in post-norm and in pre-norm.",
    alt="Two rows. On the left of each, a bar for each of 'I', 'like', 'trees', with the sizes "
    "0.5, 1 and 2. Above, post-norm: they pass f, the sum with what goes around it, and the norm, "
    "which is filled; on the right, all three bars have size 1. Below, pre-norm: the norm comes "
    "first, then f, and the sum with what goes around both; the bars leave with 0.7, 0.9 and 2.",
)
def draw_two_norms() -> Figure:
    ways = {
        "post-norm: f adds something to each word, then all get size 1": flow_stations(False),
        "pre-norm: f adds something to each word, and that is all": flow_stations(True),
    }
    return _around_flow(ways, ["I", "like", "trees"])


@figure(
    "encoder-stream",
    caption="The length of the vectors between the layers of 24 untrained layers.",
    alt="Two rows of upright arrows, one for the input and each of 24 layers. In post-norm all "
    "are equally long. In pre-norm they grow steadily from 1 to 4.9; one norm at the end makes the "
    "last as short as the first.",
)
def draw_stream() -> Figure:
    title = "In pre-norm the vectors grow from layer to layer, to five times their length"
    note = "Each arrow: how long the vectors are after one more untrained layer"
    figure, ax = canvas(3.9, title, note)
    for y, name, lengths, color in (
        (2.65, "post-norm", stream(False), style.MUTED),
        (0.5, "pre-norm", stream(True), style.ACCENT),
    ):
        label(ax, (0.02, y + 0.08), name, size=13, weight="bold", color=color)
        for x, length in zip(1.3 + 0.2 * np.arange(25), lengths, strict=False):
            arrow(ax, (x, y), (x, y + 0.36 * length), color, thick=3)
        for at, length, side in ((1.18, lengths[0], "right"), (x + 0.12, lengths[24], "left")):
            look = {"ha": side, "weight": "bold", "color": color}
            label(ax, (at, y + 0.36 * length - 0.08), f"{length:.1f}", **look)
    label(ax, (1.3, 0.25), "input", color=style.MUTED, ha="center")
    label(ax, (x, 0.25), "24 layers", color=style.MUTED, ha="center")
    arrow(ax, (x + 0.3, 0.68), (x + 1.1, 0.68), style.MUTED)
    label(ax, (x + 1.35, 0.25), "one last norm", color=style.MUTED, ha="center")
    arrow(ax, (x + 1.35, y), (x + 1.35, y + 0.36 * lengths[25]), color, thick=3)
    label(ax, (x + 1.5, y + 0.28), f"{lengths[25]:.1f}", weight="bold", color=color)
    return figure


@figure(
    "encoder-two-layers",
    caption="Two encoder layers and two decoder layers: the memory reaches both decoder layers.",
    alt="Two stacks of boxes, to be read from the bottom up. On the left, the encoder reads 'I "
    "like trees <eos>': two layers of self-attention and feed-forward. On the right, the decoder "
    "has read '<bos> me gustan los': two layers of masked self-attention, cross-attention and "
    "feed-forward; the cross-attentions are filled. From the top of the encoder a thick line, the "
    "memory, leads into both of them. Above the decoder, after linear and softmax: 'árboles'.",
)
def draw_two_layers() -> Figure:
    return _two_stacks(["I", "like", "trees", "<eos>"], ["<bos>", "me", "gustan", "los"], "árboles")


@figure(
    "encoder-similarity",
    caption="How alike who acts and what it does are in one sentence, before and after the two "
    "layers of our translator.",
    alt="Two maps of numbers: the rows are 'the tired animal', who acts, the columns 'crosses the "
    "wide street', what it does. At the input nearly all cosines are above 0, such as 0.22 of "
    "'tired' and 'street', with a mean of 0.18. After two layers half of them are below 0, down to "
    "-0.33 of 'animal' and 'wide', and the mean is -0.07.",
)
def draw_similarity() -> Figure:
    (words,), xs = read_by_encoder([SENTENCE])
    before, _, after = (alike(x)[:3, 3:] for x in without_end(words, xs))
    note = "How alike two words are (cosine): orange above 0, blue below"
    figure, ax = canvas(3.7, "In this sentence, who acts and what it does move apart", note)
    wide, high, low, start, top = 0.68, 0.5, 0.5, 1.72, 2
    for row, text in enumerate(words[:3]):
        word(ax, (start - 0.1, top - high * (row + 0.5)), text, size=style.LABEL, ha="right")
    path(ax, [(start - 0.88, low + 0.03), (start - 0.88, top - 0.03)], thick=1.3, head=False)
    quiet = {"size": style.LABEL + 1, "weight": "bold", "color": style.MUTED}
    label(ax, (start - 0.98, low + 1.5 * high), "who\nacts", ha="right", **quiet)
    arrow(ax, (start + 4 * wide + 0.15, low + 1.5 * high), (4.95, low + 1.5 * high), thick=2.5)
    for left, name, table in ((start, "input", before), (5.1, "after two layers", after)):
        matrix(ax, (left, low), 4 * wide, 3 * high, table, limit=0.7, decimals=2)
        label(ax, (left, top + 0.88), name, size=13, weight="bold")
        for column, text in enumerate(words[3:]):
            word(ax, (left + wide * (column + 0.5), top + 0.2), text, size=style.LABEL)
        label(ax, (left + 2 * wide, top + 0.55), "what it does", ha="center", **quiet)
        path(ax, [(left, top + 0.4), (left + 4 * wide, top + 0.4)], thick=1.3, head=False)
        mean = table.mean().item()
        color = style.readable(style.POSITIVE if mean > 0 else style.NEGATIVE)
        look = {"size": style.TITLE, "weight": "bold", "color": color}
        label(ax, (left, low - 0.25), f"mean {written(mean, 2)}", **look)
    return figure


@figure(
    "encoder-similarity-random",
    caption="The same sentence through six layers that have learned nothing.",
    alt="Three flights of stairs with the words 'the tired animal crosses the wide street' on "
    "them, and below the steps a cell for each pair of words. At the input only that of 'the' and "
    "'the' is strong; the mean of all pairs is 0.18. After three layers all cells are stronger, "
    "0.67 in the mean; after six all of them have nearly the strongest color, with a mean of 0.96.",
)
def draw_similarity_random() -> Figure:
    words, xs = random_layers()
    note = "How alike two words are: the cell left of one and below the other"
    figure, ax = canvas(3.6, "Layers that have learned nothing make all words alike", note)
    scale(ax, (6.5, 3.055), 1.2, limit=1, low=0, cmap=WEAKER)
    label(ax, (6.25, 3.1), "cosine", ha="right", color=style.MUTED)
    for place, (name, layers) in enumerate({"input": 0, "3 layers": 3, "6 layers": 6}.items()):
        table, left = alike(xs[layers]), 0.05 + 2.68 * place
        _pairs(ax, (left, 0.2), 0.31, table, words)
        mean = written(others(table).nanmean().item(), 2)
        label(ax, (left + 0.9, 2.5), f"{name}:", size=12, weight="bold")
        label(ax, (left + 0.9, 2.22), f"mean {mean}", size=style.TITLE, weight="bold")
    return figure


@figure(
    "encoder-red",
    caption="The word 'red' before ten nouns: how alike its vectors are, before and after.",
    alt="Two flights of stairs with ten nouns on them, and below the steps a cell for each pair: "
    "its color is the cosine of two vectors of 'red'. At the input all cells have the color of "
    "1.00. After layer 1 two triangles are strong, with 0.99 and 0.98: the five nouns that are "
    "masculine in Spanish, with 'rojo', and the five that are feminine, with 'roja'; between them "
    "a square of fainter cells, 0.78.",
)
def draw_red() -> Figure:
    cell, low = 0.27, 0.2
    note = "How alike it is before two nouns (cosine): the cell left of one and below the other"
    figure, ax = canvas(3.95, "“red” takes on the gender of its noun", note)
    every, first, last = slice(10), slice(5), slice(5, 10)
    kinds = [(1.5, 6.0, first, first), (6.5, 1.0, last, last), (2.5, 2.5, last, first)]
    for left, name, said, blocks in (
        (0.05, "input", "at the input: all the same", [(3.5, 2.5, every, every)]),
        (3.75, "layer 1", "after layer 1: two kinds", kinds),
    ):
        table = others(red_things()[name])
        _pairs(ax, (left, low), cell, table, TEN_NOUNS)
        label(ax, (left, low + 10 * cell + 0.16), said, size=12, weight="bold")
        for across, up, rows, columns in blocks:
            mean = table[rows, columns].nanmean().item()
            ground = {"facecolor": WEAKER(mean), "linewidth": 0, "pad": 1}
            look = {"color": style.ink_on(WEAKER(mean)), "bbox": ground, "weight": "bold"}
            at = left + cell * across, low + cell * up
            label(ax, at, written(mean, 2), size=18, ha="center", **look)
    x, half = left + 10 * cell + 0.35, 5 * cell
    for y, gender, spanish in ((low + half, "masculine", "rojo"), (low, "feminine", "roja")):
        path(ax, [(x, y + 0.05), (x, y + half - 0.05)], thick=1.3, head=False)
        label(ax, (x + 0.1, y + half / 2 + 0.12), f"{gender}:", size=style.LABEL)
        label(ax, (x + 0.1, y + half / 2 - 0.12), f"“{spanish}”", size=13, weight="bold")
    return figure
