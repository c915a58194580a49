"""Inside the encoder: who reaches whom, what depth does, and the residual connection."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MultipleLocator

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
    titles,
    what_is_added,
    without_end,
)
from course.drawing import style
from course.drawing.arrows import arrow, box, path, threads
from course.drawing.cells import area, matrix, outline, scale
from course.drawing.maps import AMOUNTS, level_name, maps_of_words
from course.drawing.plots import name_lines
from course.drawing.registry import figure
from course.drawing.values import as_array, written
from course.drawing.words import Point, canvas, heading, label, sentence, titled, word, word_color
from course.grammar.lexicon import NOUNS
from transformer_lib.translator import Translator

FLOW_LIMIT = 2.5  # numbers beyond it have the color of the ends


# --- curves over depth ---------------------------------------------------------------------------


def depth_curves(
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    loud: Sequence[str] = (),
    powers: Sequence[str] = (),
    last: str = "",
    places: Mapping[str, Point] | None = None,
) -> Figure:
    """Draw a quantity below, between and above the layers of a stack, one panel each -> the figure.

    panels: title -> curve's name -> its values, the first for the input of the stack. loud: the
    curves in the accent. powers: the titles of panels whose values are drawn as powers of ten.
    last: the name of the last value's place, where it isn't a layer. places: name -> where it is
    written, if not at its curve's end. Raises ValueError where a power of ten would be drawn of a
    number that isn't positive.
    """
    figure = style.new_figure(style.WIDTH, 3.6)
    grid = figure.subplots(1, len(panels), squeeze=False, sharey=True)
    for ax, (title, curves) in zip(grid.flat, panels.items(), strict=True):
        for name, values in curves.items():
            values, end = np.asarray(values, float), len(values) - 1
            if title in powers and not (values > 0).all():
                raise ValueError(f"{title!r}: {name} has numbers that aren't positive")
            drawn = np.log10(values) if title in powers else values
            at = [*range(end), end + 1.5 if last else end]
            color = style.ACCENT if name in loud else style.MUTED
            second = color in [line.get_color() for line in ax.lines]
            dashes = "--" if second else "-"
            ax.plot(at, drawn, dashes, color=color, label=name, linewidth=2.5)
            if name in (places or {}):
                ax.text(*places[name], name, color=color, weight="bold")
        if title in powers:
            ax.yaxis.set_major_locator(MultipleLocator(2))
            ax.yaxis.set_major_formatter(FuncFormatter(_power))
        ax.xaxis.set_major_locator(MultipleLocator(6))
        if last:
            ax.set_xticks([*range(0, end, 6), end + 1.5], [*map(str, range(0, end, 6)), last])
        ax.set_title(title, loc="left")
        ax.set_xlabel("layers passed")
        if places is None:
            name_lines(ax)
    return figure


def _power(exponent: float, _: int) -> str:
    return "1" if exponent == 0 else rf"$10^{{{exponent:.0f}}}$"


# --- the stream that words add to ----------------------------------------------------------------


def _stream_of_words(words: Sequence[str], weights: Sequence[Any]) -> Figure:
    """Draw the residual stream of an encoder, a lane for each word -> the figure.

    weights: for each layer the attention weights (words, words); a row belongs to the word that
    looks. What a word gets from another is as broad as its weight. Raises ValueError when they
    don't fit the words.
    """
    matrices = [as_array(one) for one in weights]
    for one in matrices:
        if one.shape != (len(words), len(words)):
            raise ValueError(
                f"{len(words)} words need weights of the shape "
                f"{(len(words), len(words))}, but theirs is {one.shape}"
            )
    lane, left, right = 0.82, 1.0, 7.45
    top = 0.72 + lane * len(words)  # the upper end of the boxes
    figure, ax = canvas(8, top + 0.55)
    heading(ax, "Each word flows straight on; every part only adds to it")
    wide = (right - left - 0.35) / len(matrices)
    y = [top - 0.88 - lane * row for row in range(len(words))]
    for layer, one in enumerate(matrices):
        start = left + 0.2 + wide * layer
        ground = {"fill": style.TINTS[style.ENCODER], "line": 0, "zorder": 0, "round": 0.12}
        box(ax, (start + wide / 2 - 0.1, top / 2 + 0.02), wide - 0.2, top - 0.05, **ground)
        label(ax, (start + 0.12, 0.2), f"layer {layer}", weight="bold", color=style.ENCODER)
        leave, join, away, back = (start + part * wide for part in (0.07, 0.46, 0.54, 0.82))
        label(ax, ((leave + join) / 2, top - 0.2), "attention", size=style.LABEL, ha="center")
        label(ax, ((away + back) / 2, top - 0.2), "feed-forward", size=style.LABEL, ha="center")
        for (i, j), weight in np.ndenumerate(one):
            if i != j:
                color = word_color(words[j])
                ends = [(leave, y[j])], [(join, y[i])]
                threads(ax, *ends, weight, color, name="ribbon", widest=9, least=0.02)
        for row, text in enumerate(words):
            color, up, mid = word_color(text), y[row] + 0.36, (away + back) / 2
            path(ax, [(away, y[row]), (away, up), (mid, up)], color, thick=2.4, head=False)
            path(ax, [(mid, up), (back, up), (back, y[row])], color, thick=2.4, head=False)
            box(ax, (mid, up), 0.4, 0.26, "", color, fill=style.PAPER, line=2.2, zorder=3)
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

BOX, SLIM, GAP = 0.3, 0.24, 0.14  # heights of a sub-layer and of its add & norm; between them
SIDES = {
    "encoder": (2.1, -1, style.ENCODER, ("self-attention", "feed-forward")),
    "decoder": (
        5.95,
        1,
        style.DECODER,
        ("masked self-attention", "cross-attention", "feed-forward"),
    ),
}


def _two_stacks(src: Sequence[str], read: Sequence[str], written: str, layers: int = 2) -> Figure:
    """Draw an encoder and a decoder of some layers, bottom up, with each add & norm filled.

    src: the words that the encoder reads; read: what the decoder has read, written: its next word.
    The memory leads from the encoder's end to the cross-attention of every decoder layer.
    """
    tall = 3 * (BOX + SLIM + 2 * GAP) + 0.24
    bottom, pitch = 0.98, tall + 0.2
    end, crossings, tops = bottom + layers * pitch - 0.2, [], {}
    figure, ax = canvas(8, end + 1.5)
    heading(ax, "Every layer of the decoder reads what the last layer of the encoder made")
    for (name, (x, side, color, parts)), words in zip(SIDES.items(), (src, read), strict=True):
        sentence(ax, (x, 0.16), words, size=11, ha="center")
        arrow(ax, (x, 0.36), (x, 0.52))
        box(ax, (x, 0.65), 2.3, 0.26, "embedding + position", fill=style.PAPER)
        before, each = 0.78, (tall - 0.2) / len(parts)
        for layer in range(layers):
            low = bottom + layer * pitch
            ground = {"fill": style.TINTS[color], "line": 0, "zorder": 0}
            box(ax, (x, low + tall / 2), 3.16, tall, "", color, **ground)
            called = {"weight": "bold", "color": color, "ha": "right" if side < 0 else "left"}
            label(ax, (x + 1.64 * side, low + tall - 0.2), f"layer\n{layer}", **called)
            for number, part in enumerate(parts):
                y = low + 0.14 + each * number + BOX / 2 + (each - BOX - SLIM - 2 * GAP) / 2
                norm, fork, out = y + BOX / 2 + GAP + SLIM / 2, y - BOX / 2 - 0.1, x + 1.4 * side
                arrow(ax, (x, before), (x, y - BOX / 2))
                arrow(ax, (x, y + BOX / 2), (x, norm - SLIM / 2))
                path(ax, [(x, fork), (out, fork), (out, norm), (x + 0.92 * side, norm)])
                box(ax, (x, y), 2.2, BOX, part, color, fill=style.PAPER, line=1.4, zorder=3)
                box(ax, (x, norm), 1.84, SLIM, "add & norm", color, fill=color, zorder=3, size=10)
                before = norm + SLIM / 2
                crossings += [y] if part == "cross-attention" else []
        tops[name] = before
    (x, _, color, _), (far, *_) = SIDES.values()
    lane = (x + far) / 2
    for y in crossings:
        way = [(x, tops["encoder"]), (x, end + 0.22), (lane, end + 0.22), (lane, y), (far - 1.1, y)]
        path(ax, way, color, thick=3)
    label(ax, (x - 0.1, end + 0.4), "memory", size=13, weight="bold", ha="center", color=color)
    arrow(ax, (far, tops["decoder"]), (far, end + 0.2))
    box(ax, (far, end + 0.33), 2.3, 0.26, "linear, softmax", fill=style.PAPER)
    arrow(ax, (far, end + 0.46), (far, end + 0.68))
    word(ax, (far, end + 0.86), written, size=13)
    for name, (x, side, color, _) in SIDES.items():
        at = x + 1.58 * side, end + 0.86
        label(ax, at, name, size=13, weight="bold", color=color, ha="left" if side < 0 else "right")
    return figure


# --- neurons -------------------------------------------------------------------------------------


def _neuron_words(
    neurons: Mapping[str, Mapping[str, float]],
    kinds: Mapping[str, Collection[str]],
    named: Mapping[str, Sequence[str]],
) -> Figure:
    """Draw how strongly each neuron fires for words, a dot each: title -> word -> how much.

    kinds: a row's name -> its words. named: title -> the words whose names stand at their dots.
    """
    figure = style.new_figure(style.WIDTH, 4.0)
    axes = figure.subplots(1, len(neurons), squeeze=False, sharex=True, sharey=True).flat
    for ax, (title, words) in zip(axes, neurons.items(), strict=True):
        for row, kind in enumerate(kinds.values()):
            fires = {text: value for text, value in words.items() if text in kind}
            up = np.random.default_rng(0).uniform(-0.15, 0.25, len(fires))
            for (text, value), y in zip(fires.items(), row + up, strict=True):
                color = style.WORDS.get(text, style.ACCENT if row < 2 else style.SOFT)
                if text in named[title]:
                    y = row - 0.15
                    look = style.chip(text) if text in style.WORDS else {}
                    look |= {"va": "bottom", "ha": "center" if value > 0.5 else "left"}
                    ax.text(value, y - 0.11, text, size=style.NOTE, **look)
                ax.scatter(value, y, s=34, color=color, alpha=0.8, linewidth=0, zorder=3)
        ax.set_title(title, loc="left", fontsize=style.LABEL)
        ax.set_yticks(range(len(kinds)), kinds)
        ax.set(xlabel="how strongly it fires", ylim=(len(kinds) - 0.6, -0.5))
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
    title = "Two neurons fire for “trees”: one for masculine plurals, one for all plurals"
    titled(figure, title, "Each dot is a noun: its mean in 1,000 sentences not seen in training")
    return figure


# --- which numbers share a mean ------------------------------------------------------------------


def _norm_groups(
    groups: Mapping[str, Any], sentences: Sequence[Sequence[str]], title: str = ""
) -> Figure:
    """Draw the numbers of a batch as cells; those that are normalized together are one block.

    groups: title -> whole numbers (b, s, d_model), equal for numbers of one group; the first group
    is in the accent, and each has a letter. sentences: the words of each sentence of the batch;
    padding has a dashed frame. Raises ValueError where the words don't fit.
    """
    shape, cell, pitch = (len(sentences), len(sentences[0])), 0.38, 0.6
    words = [text for words in sentences for text in words]
    tall = cell * len(words) + 0.2 * (shape[0] - 1)
    figure, ax = canvas(8, tall + 1.6)
    heading(ax, title, "One block with its letter: numbers that share a mean. Dashed: padding")
    tops = [tall + 0.42 - cell * row - 0.2 * (row // shape[1]) for row in range(len(words))]
    for panel, (name, group) in enumerate(groups.items()):
        group = as_array(group).astype(int)
        if group.ndim != 3 or group.shape[:2] != shape:
            raise ValueError(
                f"{name!r}: groups of the shape {shape} and d_model were expected, "
                f"but theirs is {group.shape}"
            )
        table, left = group.reshape(len(words), -1), 0.8 + 4.1 * panel
        blocks = list(dict.fromkeys(group.flat))
        label(ax, (left, tall + 0.72), f"{name} ({len(blocks)} means)", size=12, weight="bold")
        for block, number in enumerate(blocks):
            color = style.RULE if block else style.ACCENT
            for row, feature in np.argwhere(table == number):
                right, under = table[row, feature + 1 :], table[row + 1 :, feature]
                wide = pitch - (0.012 if len(right) and right[0] == number else 0.06)
                low, x = tops[row] - cell + 0.06, left + pitch * feature
                goes_on = len(under) and under[0] == number  # it reaches the next of its block
                if goes_on and tops[row] - tops[row + 1] > cell + 0.01:  # across the sentences' gap
                    area(ax, (x + wide / 3, tops[row + 1]), wide / 3, low - tops[row + 1], color)
                elif goes_on:
                    low = tops[row + 1] + 0.012
                area(ax, (x, low), wide, tops[row] - low, color)
            rows, features = np.nonzero(table == number)
            middle = left + pitch * (features.mean() + 0.5) - 0.03
            y = tops[rows[(len(rows) - 1) // 2]] - cell / 2 + 0.03
            look = {"ha": "center", "weight": "bold", "color": style.ink_on(color)}
            label(ax, (middle, y), chr(ord("A") + block), size=style.LABEL, **look)
        for text, top in zip(words, tops, strict=True):
            word(ax, (left - 0.1, top - cell / 2 + 0.03), text, ha="right")
            if text == "<pad>":
                at, wide = (left - 0.03, top - cell + 0.03), pitch * table.shape[1]
                outline(ax, at, wide, cell, style.INK, 1.4, linestyle=(0, (4, 2)))
        wide = f"{group.shape[2]} features of each word"
        label(ax, (left, 0.18), wide, color=style.MUTED)
    return figure


# --- the residual connection --------------------------------------------------------------------


def _around_flow(
    rows: Mapping[str, Sequence[Any]], words: Sequence[str], title: str = ""
) -> Figure:
    """Draw vectors that pass a sub-layer, one row for each way -> the figure.

    rows: title -> stations from left to right: (name, matrix (s, d)) for vectors, "+" for the sum
    with the first vectors, any other text for a box. Beside each vector stands its size, the root
    of the mean square; of the first and the last in its word's color. Raises ValueError when a
    matrix doesn't fit the words.
    """
    high, left, right = 2.15, 0.66, 7.95
    figure, ax = canvas(8, high * len(rows) + 1.1)
    note = "Beside each word’s vector: its size, the root of its mean square. f: one sub-layer"
    heading(ax, title, note)
    for row, (name, stations) in enumerate(rows.items()):
        y = high * (len(rows) - row) - 1.05  # where the vectors stand
        label(ax, (0.02, y + 1.28), name, size=12, weight="bold")
        widths = [{"+": 0.3}.get(s, 0.74) if isinstance(s, str) else 1.08 for s in stations]
        gap = (right - left - sum(widths)) / (len(stations) - 1)
        start = left
        for number, (station, width) in enumerate(zip(stations, widths, strict=True)):
            x = start + width / 2
            if number:
                arrow(ax, (start - 0.7 * gap, y), (start, y))
            if station == "+":
                _plus(ax, (x, y))
                corner, over = left + widths[0] + 0.3 * gap, y + 0.8
                path(ax, [(corner, y), (corner, over), (x, over), (x, y + 0.13)], style.INK)
                middle = (corner + x) / 2, over + 0.15
                label(ax, middle, "x itself, unchanged", size=style.LABEL, ha="center")
            elif isinstance(station, str):
                box(ax, (x, y), width, 0.54, station, fill=style.PAPER)
            else:
                loud = number in (0, len(stations) - 1)
                _vectors(ax, (start, y), *station, words, labels=number == 0, loud=loud)
            start += width + gap
    scale(ax, (6.3, 0.1), 1.2, limit=FLOW_LIMIT)
    label(ax, (5.75, 0.145), "number in a vector", ha="right")
    return figure


def _vectors(
    ax: Axes, at: Point, name: str, table: Any, words: Sequence[str], labels: bool, loud: bool
) -> None:
    """A matrix as a small map right of `at`, its name above, beside each row the row's size."""
    table = as_array(table)
    if table.ndim != 2 or len(table) != len(words):
        raise ValueError(
            f"{name!r}: {len(words)} words need vectors of the shape "
            f"({len(words)}, d), but theirs is {table.shape}"
        )
    (x, y), wide, step = at, 0.72, 0.28
    top = y + step * len(words) / 2
    matrix(ax, (x, 2 * y - top), wide, step * len(words), table, limit=FLOW_LIMIT)
    label(ax, (x + wide / 2, top + 0.15), name, size=style.LABEL, ha="center")
    for row, (size, text) in enumerate(zip(np.sqrt((table**2).mean(axis=1)), words, strict=True)):
        middle, color = top - step * (row + 0.5), style.readable(word_color(text))
        beside = {"weight": "bold", "color": color} if loud else {"color": style.MUTED}
        beside |= {"ha": "right"}
        label(ax, (x + 1.03, middle), written(size, 1), size=style.LABEL, **beside)
        if labels:
            word(ax, (x - 0.08, middle), text, ha="right")


# --- the figures ---------------------------------------------------------------------------------


@figure(
    "encoder-who-moves",
    caption="“animal” is nudged: which outputs move through a feed-forward network, and which "
    "through two layers? Lines from a tenth of its own move.",
    alt="The sentence 'the tired animal crosses the wide street <eos>' in a row, with 'animal' "
    "filled. Above, through a feed-forward network: one line leads to 'animal' and none to another "
    "word. Below, through two layers, with attention: a thick line leads to 'animal', others to "
    "'crosses', 'tired', 'the' before it and <eos>.",
)
def draw_who_moves() -> Figure:
    (words,), xs = read_by_encoder([SENTENCE])
    encoder, nudged, x = Translator.load().model.eval().encoder, 2, xs[0][0]
    words, middle = [*words, "<eos>"], 1.65
    figure, ax = canvas(8, 4.1)
    note = "“animal” is nudged: the thicker a line, the farther this output moves"
    heading(ax, "A word reaches the others only through attention", note)
    places = [0.34 + 1.04 * place for place in range(len(words))]
    for function, end, name in (
        (encoder.layers[0].feed_forward, 2.85, "feed-forward: it moves alone"),
        (encoder, 0.45, "two layers, with attention: others move too"),
    ):
        moves = moved(function, x)[:, nudged]
        moves, up = moves / moves.max(), 0.19 if end > middle else -0.19
        starts, ends = [(places[nudged], middle + up)], [(x, end - up) for x in places]
        look = {"name": name, "widest": 11, "least": 0.1, "upright": True}
        threads(ax, starts, ends, moves, style.ACCENT, **look)
        for place, text in enumerate(words):
            color = style.ACCENT if moves[place] >= 0.1 else style.MUTED
            word(ax, (places[place], end), text, size=12, color=color)
        label(ax, (0.02, end + (0.32 if up > 0 else -0.32)), name, weight="bold")
    box(ax, (places[nudged], middle), 0.68, 0.26, fill=style.ACCENT, line=0)
    for place, text in enumerate(words):
        color = style.PAPER if place == nudged else style.MUTED
        word(ax, (places[place], middle), text, size=12, color=color)
    return figure


@figure(
    "encoder-stream-of-words",
    hero=True,
    caption="The residual stream of 'I like trees': each word flows straight on, parts add to it.",
    alt="Four colored lanes, 'I', 'like', 'trees' and <eos>, run straight from left to right "
    "through layer 0 and layer 1. In each layer, under 'attention', ribbons lead from lane to "
    "lane and end in a plus sign; under 'feed-forward', each lane has a small loop of its own that "
    "ends in a plus sign of the same lane.",
)
def draw_stream_of_words() -> Figure:
    return _stream_of_words(
        ["I", "like", "trees", "<eos>"],
        [layer["weights"] for layer in what_is_added("I like trees")],
    )


@figure(
    "encoder-neurons",
    caption="Two neurons that fire for trees, and how strongly for the nouns that 1,000 held-out "
    "sentences have at least five times.",
    alt="Two panels of dots, one for each noun, in three rows: plurals masculine in Spanish, "
    "plurals feminine in Spanish, singulars. Neuron 314 of layer 0 fires for most masculine "
    "plurals, such as cakes and trees, and for no other noun. Neuron 11 of layer 1 fires for all "
    "plurals, most for parents, less for trees; of the singulars only for day.",
)
def draw_neurons() -> Figure:
    kinds = {
        "plural,\nmasculine\nin Spanish": plural_nouns("m"),
        "plural,\nfeminine": plural_nouns("f"),
        "singular": {noun.english for noun in NOUNS.values()},
    }
    first, second = "neuron 314 of layer 0", "neuron 11 of layer 1"
    named = {
        first: ("trees", "books", "children", "parents", "houses"),
        second: ("trees", "cats", "parents", "houses", "day"),
    }
    neurons = {first: excited_by(0, 314), second: excited_by(1, 11)}
    return _neuron_words(neurons, kinds, named)


F, SUM, BOTH = "f(x)", "x + f(x)", "norm(x + f(x))"
ALIKE = 0.95  # the mean cosine from which on words count as alike
UP, DOWN = "Signal, on its way up", "Gradient, on its way down"


@figure(
    "encoder-deep-stack",
    caption="Signal and gradient through 24 untrained layers: vanishing, exploding, steady.",
    alt="Two panels of three curves over 24 layers, in powers of ten. Signal: with f(x) it falls "
    "to a millionth, with x + f(x) it rises above ten thousand, with norm(x + f(x)) it stays at "
    "1. Gradient, on its way down: f(x) falls to a millionth, x + f(x) rises to ten million, "
    "norm(x + f(x)) stays near 1.",
)
def draw_deep_stack() -> Figure:
    ways = all_ways()
    names = {F: "neither", SUM: "residual only", BOTH: "residual and norm"}
    panels = {
        title: {name: ways[way][key] for name, way in names.items()}
        for title, key in ((UP, "signal"), (DOWN, "gradient"))
    }
    for name, values in panels[DOWN].items():
        panels[DOWN][name] = values[::-1]  # it comes from the top
    figure = depth_curves(panels, powers=list(panels), loud=[BOTH])
    title = "In 24 untrained layers, only the norm keeps the length of the vectors"
    note = "Length of the vectors, 1 at the start. f: one sub-layer, attention or feed-forward"
    titled(figure, title, note)
    figure.axes[1].set_xlabel("layers passed, from the top")
    return figure


@figure(
    "encoder-deep-alike",
    caption="How alike the words become in untrained layers, without and with a residual "
    "connection.",
    alt="Two curves over the first 10 of 24 layers, and a dashed line at a cosine of 0.95. Without "
    "a residual connection, the mean cosine of two words passes it after two layers; with one, "
    "after eight.",
)
def draw_deep_alike() -> Figure:
    curves = {
        f"{said} a residual connection": all_ways()[way]["alike"][:11]
        for said, way in (("without", "neither"), ("with", "residual only"))
    }
    [without, with_one] = (
        next(layers for layers, cosine in enumerate(curve) if cosine > ALIKE)
        for curve in curves.values()
    )
    places = dict(zip(curves, ((2.2, 1.05), (3.7, 0.62)), strict=True))
    figure = depth_curves({"": curves}, loud=list(curves)[1:], places=places)
    titled(
        figure,
        f"Words are alike after {without} layers; with the residual connection, after {with_one}",
        "How alike two words are in the mean, as a cosine, in layers that have learned nothing",
    )
    [ax] = figure.axes
    ax.axhline(ALIKE, color=style.MUTED, linewidth=1, linestyle="--")
    for layers, line in zip((without, with_one), ax.lines, strict=False):
        color = line.get_color()
        ax.plot([layers, layers], [-0.05, ALIKE], ":", linewidth=1.5, color=color)
        ax.text(layers + 0.12, 0.03, f"alike after {layers} layers", color=color)
    ax.text(10.2, 0.91, f"above {ALIKE}: alike", ha="right", va="top", color=style.MUTED)
    ax.set(xlim=(-0.1, 10.2), ylim=(-0.05, 1.15), xticks=range(0, 11, 2))
    ax.set_yticks([0, 0.5, ALIKE], ["0", "0.5", f"{ALIKE}"])
    return figure


@figure(
    "encoder-norm-groups",
    caption="Numbers of one block share a mean: layer norm, one for each word; batch norm, one for "
    "each feature.",
    alt="Two sentences of three words, each word a row of five numbers. On the left, layer norm: "
    "each row is a block with its own letter, six means. On the right, batch norm: each column is "
    "one, five means, through both sentences and the padding of the shorter one, which has a "
    "dashed frame.",
)
def draw_norm_groups() -> Figure:
    shape = (2, 3, 5)
    groups = {
        "layer norm": shares_a_mean(fresh_norm, shape),
        "batch norm": shares_a_mean(batch_norm, shape),
    }
    title = "Layer norm takes one word by itself; batch norm mixes all, even padding"
    return _norm_groups(groups, [["I", "like", "trees"], ["thank", "you", "<pad>"]], title)


@figure(
    "encoder-two-norms",
    caption="Three words pass a sub-layer with its residual sum, in post-norm and in pre-norm.",
    alt="Two rows of small color maps joined by arrows, with three words each and the size of each "
    "word, first 0.5, 1 and 2. Above, post-norm: f and dropout, the sum with x, then the norm; "
    "the output's three words have size 1. Below, pre-norm: the norm comes first and only f "
    "reads it; x itself goes around to the sum, and the output's words keep different sizes. In "
    "what is added, some cells are blank: dropout has set them to 0.",
)
def draw_two_norms() -> Figure:
    return _around_flow(
        {
            "post-norm: every word leaves with size 1": flow_stations(False),
            "pre-norm: what goes in large, leaves large": flow_stations(True),
        },
        ["I", "like", "trees"],
        "Post-norm gives all words one size, pre-norm leaves them theirs",
    )


@figure(
    "encoder-stream",
    title="In pre-norm the vectors grow from layer to layer, to five times their size",
    caption="The size of the vectors between the layers of 24 untrained layers.",
    alt="Two curves. Post-norm is flat at 1. Pre-norm climbs steadily from 1 to about 5, and the "
    "one norm at the end takes it back to 1.",
)
def draw_stream() -> Figure:
    sizes = {"post-norm": stream(False), "pre-norm": stream(True)}
    places = {"pre-norm": (11, 3.45), "post-norm": (11, 1.15)}
    drawn = depth_curves({"": sizes}, last="end", loud=["pre-norm"], places=places)
    [ax] = drawn.axes
    ax.set(xlim=(-0.3, 26.5), ylim=(0, 5.6))
    for line in ax.lines:
        line.set_clip_on(False)
    largest = sizes["pre-norm"][24]
    look = {"ha": "center", "weight": "bold", "color": style.ACCENT}
    ax.text(24, largest + 0.2, f"{largest:.1f}", **look)
    ax.text(24.6, 2.4, "one norm at the end", ha="right", color=style.ACCENT)
    level_name(ax, "size of the vectors")
    return drawn


@figure(
    "encoder-two-layers",
    caption="Two encoder layers and two decoder layers: the memory reaches both decoder layers.",
    alt="Two stacks of boxes, to be read from the bottom up. On the left, the encoder reads 'I "
    "like trees <eos>': two layers of self-attention and feed-forward, each followed by a filled "
    "box 'add & norm' with a line around the sub-layer into it. On the right, the decoder has read "
    "'<bos> me gustan los': two layers of masked self-attention, cross-attention and feed-forward. "
    "From the top of the encoder a thick line, the memory, leads into the cross-attention of both "
    "decoder layers. Above the decoder: linear, softmax, and the word 'árboles'.",
)
def draw_two_layers() -> Figure:
    return _two_stacks(["I", "like", "trees", "<eos>"], ["<bos>", "me", "gustan", "los"], "árboles")


# Where whole maps have the color of 1.
LIGHTER = mpl.colors.ListedColormap(AMOUNTS(np.linspace(0, 0.75, 256)))
COLUMNS = "Each pair of words, the columns in the order of the rows"


@figure(
    "encoder-similarity",
    caption="How alike the words of one sentence are, before and after each layer of our "
    "translator.",
    alt="Three maps of cosines over 'the tired animal crosses the wide street', parted into who "
    "acts, 'the tired animal', and what it does. Input: the two 'the' are alike, all other pairs "
    "only a little. Layer 0: they no longer are. Layer 1: two blocks of positive values, half "
    "of those between negative; their mean has fallen from 0.18 to -0.07.",
)
def draw_similarity() -> Figure:
    (words,), xs = read_by_encoder([SENTENCE])
    xs = without_end(words, xs)
    maps = {title: others(alike(x)) for title, x in zip(titles(xs), xs, strict=True)}
    apart = {name: table[:3, 3:].mean().item() for name, table in maps.items()}
    return maps_of_words(
        maps,
        words,
        title="In this sentence, what doesn't belong together moves apart",
        note=f"{COLUMNS}; across: mean of who with what",
        scale_name="how alike they are (cosine)",
        limits=(-0.7, 0.7),
        groups={"who": 3, "does what": 4},
        notes={name: f"across: {mean:.2f}" for name, mean in apart.items()},
    )


@figure(
    "encoder-similarity-random",
    caption="The same sentence through six layers that have learned nothing.",
    alt="Seven maps of cosines over 'the tired animal crosses the wide street'. The first, the "
    "input, is faint except for the two 'the'. From layer to layer all cells become stronger; "
    "after layer 5 all of them have nearly the color of 1.",
)
def draw_similarity_random() -> Figure:
    words, xs = random_layers()
    maps = {title: others(alike(x)) for title, x in zip(titles(xs), xs, strict=True)}
    return maps_of_words(
        maps,
        words,
        title="Layers that have learned nothing make all words alike",
        note=COLUMNS,
        scale_name="how alike they are\n(cosine)",
        limits=(0, 1),
        across=4,
        notes={name: f"mean {np.nanmean(table):.2f}" for name, table in maps.items()},
    )


@figure(
    "encoder-red",
    caption="The word 'red' before ten nouns: how alike its ten vectors are in each layer.",
    alt="Two maps of ten nouns by ten, the color is the cosine of two vectors of 'red'. Input: one "
    "color, all alike. After layer 1: two strong blocks, the five nouns that are masculine in "
    "Spanish and the five that are feminine, and fainter cells between them. The columns are "
    "named masculine and feminine.",
)
def draw_red() -> Figure:
    nouns = [f"{noun}  {gender}" for noun, gender in zip(TEN_NOUNS, "mmmmmfffff", strict=True)]
    found = red_things()
    figure = maps_of_words(
        {"input: all alike": found["input"], "after layer 1: two kinds": found["layer 1"]},
        nouns,
        title="“red” takes on the gender of its noun",
        note="“red” before ten nouns, masculine or feminine in Spanish; columns in the same order",
        scale_name="how alike two “red” are (cosine)",
        limits=(0.7, 1.0),
        groups={"masculine": 5, "feminine": 5},
    )
    [ax] = figure.axes
    for image in ax.images:
        image.set_cmap(LIGHTER)
    for image in ax.images[:2]:
        left, right, low, high = image.get_extent()
        look = {"color": style.PAPER, "linewidth": 0.8, "zorder": 2.5}
        ax.hlines(np.linspace(low, high, len(nouns) + 1), left, right, **look)
        ax.vlines(np.linspace(left, right, len(nouns) + 1), low, high, **look)
    return figure
