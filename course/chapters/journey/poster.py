"""One sentence through the whole machine, on one page to print (A2) and to zoom into.

The encoder stands on the left with a column for each word, the decoder on the right with a column
for each place; both are read from the top down. Everything is drawn from a `Trace`: true numbers.
One path is loud: how trees becomes árboles. All else is there, and fainter.
"""

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from course.chapters.journey.experiments import Trace
from course.chapters.journey.figures import the_translator, the_way
from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, box, path, segment
from course.drawing.cells import area, outline, scale, strip
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import bold, canvas, label, percent, sentence, width_of, word, word_color

A2 = (23.39, 16.54)  # inches, landscape
LIMIT = 3.0
COLUMN, GAP = 1.36, 0.26  # the width of a word's strip, and the lane between two
ENCODER_X, DECODER_X = 4.1, 13.1
LABELS = 2.05  # how far the names of the rows reach to the left of the strips
HIGH, STEP, BAND = 0.2, 0.276, 0.362  # a strip, from one to the next, the arrows of one head
READ = 0.95  # the width of a word's memory in the decoder
LOUD, GREEN = {"encoder": "trees", "decoder": "los"}, word_color("trees")  # whose way is loud
# In points: the title, the halves, their words and layers are read from two metres, all else from
# a hand's breadth.
HUGE, LARGE, WORD, PLAIN, SMALL = 46, 32, 24, 17, 11
COLORS = {"encoder": style.ENCODER, "decoder": style.DECODER}
# What to look for, each tested: the half, the row, and which of the rows of this name.
NOTES = {
    "<eos> fades where its position is added: it points against the positions.": (
        "encoder",
        "= sum",
        0,
    ),
    "trees takes from <eos> with all four heads, 82 to 100 %.": ("encoder", "head 1", 0),
    "Down the encoder a word stays partly what it was: layers add to it.": (
        "encoder",
        "add & norm",
        2,
    ),
    "No arrow comes from a word further right: the mask.": ("decoder", "head 1", 0),
    "The strongest rows are what feed-forward adds; norms tame them.": (
        "decoder",
        "+ feed-forward",
        0,
    ),
    "To write árboles, all four heads read trees.": ("decoder", "head 1", 3),
    "Each word gets 89 or 90 %: training with smoothed targets asks for no more.": (
        "decoder",
        "likeliest words",
        0,
    ),
}


class _Column:
    """A row of words side by side, and how far down the page they have come.

    more: how much higher its rows are than those of the decoder.
    """

    def __init__(self, ax: Axes, side: str, left: float, words: Sequence[str], more: float = 1):
        self.ax, self.side, self.left, self.words, self.more = ax, side, left, words, more
        self.y, self.loud = A2[1] - 2.35, words.index(LOUD[side])
        self.right = self.x(len(words) - 1) + COLUMN
        self.rows: dict[str, list[float]] = {}  # name -> the heights at which it stands

    def x(self, place: int) -> float:
        return self.left + place * (COLUMN + GAP)

    def middle(self, place: int) -> float:
        return self.x(place) + COLUMN / 2

    def name(self, text: str, y: float, strong: bool = False) -> None:
        weight = "bold" if strong else "normal"
        self.rows.setdefault(text, []).append(y)
        label(self.ax, (self.left - 0.14, y), text, size=PLAIN, ha="right", weight=weight)

    def strips(self, text: str, vectors: Any, *, strong: bool = False, high: float = HIGH) -> None:
        """One strip for each word."""
        self.y -= self.more * (STEP + high - HIGH)
        for place, vector in enumerate(vectors):
            look = {"edge": word_color(self.words[place]), "line": 2.0} if strong else {}
            self.strip(place, COLUMN, self.more * high, vector, place == self.loud, **look)
        self.name(text, self.y + self.more * high / 2, strong)

    def strip(
        self, place: int, wide: float, high: float, vector: Any, loud: bool, **look: Any
    ) -> None:
        """A vector as sharp cells, fainter unless it is `loud`."""
        at = self.x(place), self.y
        strip(self.ax, at, wide, high, vector, limit=LIMIT, vectors=True, **look)
        if not loud:
            area(self.ax, at, wide, high, style.PAPER, alpha=0.5, zorder=2.4)

    def heads(self, weights: Any, sources: Sequence[str], middle: Callable[[int], float]) -> None:
        """For each head a band of arrows, from the words it takes from to those it brings to."""
        self.y -= 0.1
        for number, table in enumerate(weights):
            band = self.more * BAND
            top, bottom = self.y - 0.05, self.y - band + 0.07
            lane = self.right - self.left + 0.12, band - 0.03
            area(self.ax, (self.left - 0.06, bottom - 0.055), *lane, style.PAPER, zorder=0.5)
            for place, text in enumerate(sources):
                self.ax.plot(middle(place), top, "o", color=word_color(text), markersize=4)
            cells = np.ndenumerate(as_array(table))
            for (to, place), weight in sorted(cells, key=lambda cell: cell[0][0] == self.loud):
                ends, here = ((middle(place), top), (self.middle(to), bottom)), to == self.loud
                loud = here and sources[place] == "trees"
                strong = 1 if loud else 0.4 + 0.2 * here
                color = 1 - strong * (1 - np.array(to_rgb(word_color(sources[place]))))
                look = {"widest": 6.5 if loud else 3.5, "least": 0.05, "color": to_hex(color)}
                attention_arrow(self.ax, *ends, float(weight), **look)
            self.name(f"head {number}", (top + bottom) / 2)
            self.y -= band
        self.y += 0.06

    def box(self, top: float, title: str) -> None:
        """The tinted ground of a layer, from `top` to where we are."""
        bottom, left, right = self.y - 0.09, self.left - LABELS, self.right + 0.14
        middle, color = ((left + right) / 2, (top + bottom) / 2), COLORS[self.side]
        look = {"color": color, "fill": style.TINTS[color], "zorder": 0, "round": 0.12}
        box(self.ax, middle, right - left, top - bottom, **look)
        text, look = title.replace(" layer", "\nlayer"), {"va": "top", "weight": "bold"}
        label(self.ax, (left + 0.12, top - 0.14), text, size=17, color=color, **look)
        self.y -= 0.24

    def path(self, top: float, bottom: float) -> None:
        """The path of the loud word, behind its strips."""
        at, wide = self.x(self.loud) - 0.08, COLUMN + 0.16
        area(self.ax, (at, bottom), wide, top - bottom, GREEN, alpha=0.3, zorder=0.6)

    def note(self, text: str, row: str, time: int) -> None:
        """A sentence in the margin, beside the row that it speaks of, and a line to this row."""
        y, encoder = self.rows[row][time], self.side == "encoder"
        edge, way = (self.left - LABELS, -1) if encoder else (self.right + 0.14, 1)
        segment(self.ax, (edge, y), (edge + 0.14 * way, y), style.ACCENT, thick=3)
        look = {"size": 13.5, "ha": "right" if encoder else "left", "linespacing": 1.1}
        label(self.ax, (edge + 0.22 * way, y), textwrap.fill(text, 17), **look)


def _below(column: _Column, way: Trace, side: str, vocab: Sequence[str], positions: Any) -> None:
    """Word, one-hot row, embedding, position and their sum."""
    for place, text in enumerate(column.words):
        word(column.ax, (column.middle(place), column.y + 0.26), text, size=WORD)
    column.y -= 0.14
    for place, number in enumerate(map(vocab.index, column.words)):
        x, share = column.x(place), (number + 0.5) / len(vocab)
        outline(column.ax, (x, column.y - 0.09), COLUMN, 0.09)
        at = x + share * COLUMN
        area(column.ax, (at - 0.012, column.y - 0.09), 0.024, 0.09, style.INK, zorder=3)
        label(column.ax, (at, column.y - 0.17), str(number), size=SMALL, ha="center")
    column.name("one-hot", column.y - 0.045)
    column.y -= 0.2
    column.strips("embedding", way.outputs[f"{side}_embed"])
    column.strips("+ position", positions[: len(column.words)])
    column.strips("= sum", way.outputs[f"{side}_positions"])
    column.y -= 0.16


def _encoder_layer(column: _Column, way: Trace, i: int) -> None:
    part, top = f"encoder.layers.{i}", column.y
    column.y -= 0.02
    for text in ("query", "key", "value"):
        column.strips(text, way.outputs[f"{part}.self_attn.w_{text[0]}"])
    column.heads(way.weights[f"{part}.self_attn"], column.words, column.middle)
    column.strips("+ attention", way.outputs[f"{part}.self_attn"])
    column.strips("add & norm", way.outputs[f"{part}.residual_self_attn"])
    column.strips("512 neurons", way.outputs[f"{part}.feed_forward.w_1"].clamp(min=0), high=0.12)
    column.strips("+ feed-forward", way.outputs[f"{part}.feed_forward"])
    last = "= memory" if i else "add & norm"
    column.strips(last, way.outputs[part], strong=bool(i))
    column.box(top, f"encoder layer {i}")


def _decoder_layer(column: _Column, way: Trace, i: int) -> float:
    """-> the height at which the memory comes in."""
    part, top = f"decoder.layers.{i}", column.y
    column.heads(way.weights[f"{part}.self_attn"], column.words, column.middle)
    column.strips("+ self-attention", way.outputs[f"{part}.self_attn"])
    column.strips("add & norm", way.outputs[f"{part}.residual_self_attn"])
    column.y -= 0.12 + STEP
    entry = column.y + HIGH / 2
    for place, text in enumerate(way.src):
        loud, look = text == "trees", {"edge": word_color(text), "line": 1.6}
        column.strip(place, READ, HIGH, way.outputs["encoder"][place], loud, **look)
        word(column.ax, (column.x(place) + READ + 0.07, entry), text, size=SMALL, ha="left")
    column.name("memory", entry, strong=True)
    column.y -= 0.14
    weights = way.weights[f"{part}.cross_attn"]
    column.heads(weights, way.src, lambda place: column.x(place) + READ / 2)
    column.strips("+ cross-attention", way.outputs[f"{part}.cross_attn"])
    column.strips("add & norm", way.outputs[f"{part}.residual_cross_attn"])
    column.strips("512 neurons", way.outputs[f"{part}.feed_forward.w_1"].clamp(min=0), high=0.12)
    column.strips("+ feed-forward", way.outputs[f"{part}.feed_forward"])
    column.strips("add & norm", way.outputs[part])
    column.box(top, f"decoder layer {i}")
    return entry


def _cable(ax: Axes, encoder: _Column, decoder: _Column, entries: Sequence[float]) -> None:
    """The memory of all words, as one cable to both decoder layers; that of trees is loud on its
    way into the last one."""
    down = encoder.y + 0.04  # below the last layer
    for place, text in enumerate(encoder.words):
        loud, offset = place == encoder.loud, place * 0.09
        x, low, lane = encoder.middle(place), down - offset, encoder.right + 0.28 + offset
        for at in entries:
            y, most = at + offset - 0.13, loud and at == entries[-1]
            end = [(decoder.left - 1.12, y)]
            if most:  # below the names, and up into its strip
                y, into = at - 0.24, decoder.x(place) + READ / 2
                end = [(into, y), (into, at - 0.08)]
            look = {"thick": 11, "zorder": 1.6} if most else {"thick": 2, "alpha": 0.5}
            corners = [(x, down + 0.2), (x, low), (lane, low), (lane, y), *end]
            path(ax, corners, word_color(text), head=False, **{"zorder": 1.5, **look})
    said = "the memory goes to both decoder layers"
    bold(ax, (encoder.right, down - 0.62), said, size=24, ha="right", color=style.ENCODER)


def _words_out(column: _Column, way: Trace, likeliest: Any) -> None:
    """The likeliest words at each place, and the one that is written."""
    column.y -= 0.02
    down = 0.2 * len(likeliest[0]) + 0.3
    for place, words in enumerate(likeliest):
        x = column.x(place)
        for row, (text, chance) in enumerate(words):
            y, long = column.y - 0.1 - row * 0.2, max(chance * 0.3, 0.01)
            look = {"ha": "right", "color": word_color(text), "weight": "normal" if row else "bold"}
            label(column.ax, (x + 0.66, y), text, size=SMALL, **look)
            area(column.ax, (x + 0.71, y - 0.05), long, 0.1, word_color(text), zorder=2)
            label(column.ax, (x + 0.75 + long, y), percent(chance), size=SMALL)
        size = WORD + 4 * (place == column.loud)
        word(column.ax, (column.middle(place), column.y - down), way.tgt_out[place], size=size)
    column.name("likeliest words", column.y - 0.2)
    column.name("written", column.y - down, strong=True)
    column.y -= down


def _flow_back(column: _Column, way: Trace, top: float) -> None:
    """Each word that is written goes back up, and in at the next place."""
    for place, text in enumerate(way.tgt_out[:-1]):
        lane, color = column.x(place) + COLUMN + GAP / 2, word_color(text)
        half, other = (width_of(one, WORD) / 2 for one in (text, column.words[place + 1]))
        start, end = column.middle(place) + half + 0.1, column.middle(place + 1) - other - 0.1
        corners = [(start, column.y), (lane, column.y), (lane, top + 0.26), (end, top + 0.26)]
        path(column.ax, corners, color, thick=4, head=False, alpha=0.3, zorder=0.6)
        path(column.ax, corners[-2:], color, thick=3)


def _legend(ax: Axes, left: float, top: float) -> None:
    """How to read the page."""
    scale(ax, (left + 0.35, top - 0.1), 1.7, limit=LIMIT, height=0.19)
    text = "the value of a number: no color is zero, blue below it, orange above it"
    label(ax, (left + 2.6, top), text, size=17)
    for x, weight in ((left + 0.3, 1.0), (left + 1.3, 0.25)):
        attention_arrow(ax, (x, top - 0.4), (x + 0.8, top - 0.4), weight, "trees", widest=6.5)
    text = "attention, 100 % and 25 %: from the word that is looked at, in its color"
    label(ax, (left + 2.6, top - 0.4), text, size=17)
    area(ax, (left + 0.3, top - 0.9), 1.8, 0.2, GREEN, alpha=0.3)
    label(ax, (left + 2.6, top - 0.8), "how trees becomes árboles; all else is fainter", size=17)


@figure(
    "poster",
    notebook="09_the_whole_transformer",
    caption="'I like trees' all the way through, on one page (A2), every number real.",
    alt="""A page with four columns of strips on the left, the encoder, and five on the right,
    the decoder, read from the top down. Each word is a strip of 128 colored cells that changes
    from row to row; between the rows each head has a lane, in which arrows as thick as its
    attention lead from word to word. One green path is loud: the column of 'trees', its memory,
    a thick line into the last decoder layer, and the column that writes 'árboles'; all else is
    fainter. Seven remarks stand in the margins next to their rows. A cable of four colors takes
    the memory into both decoder layers. At the bottom stand me, gustan, los, árboles and <eos>,
    each with 89 or 90 %; all but <eos> go back up and in again.""",
)
def draw_poster() -> Figure:
    way, translator = the_way(), the_translator()
    positions = translator.model.src_positions.table
    likeliest = [
        [(translator.tgt.vocab.tokens[i], chance) for i, chance in way.likeliest(text, 3)]
        for text in way.tgt_out
    ]
    figure, ax = canvas(A2[1], width=A2[0])
    figure.set_label(style.PAGE)
    encoder = _Column(ax, "encoder", ENCODER_X, way.src, 1.27)
    decoder = _Column(ax, "decoder", DECODER_X, way.tgt_in)
    left, top, y = encoder.left - LABELS, encoder.y, A2[1] - 0.86
    written = {"size": HUGE, "gap": 0.55}
    x = sentence(ax, (left + 0.1, y), way.src[:-1], **written)[-1] + 1.55
    arrow(ax, (x, y + 0.25), (x + 1.05, y + 0.25), style.INK, thick=7)
    sentence(ax, (x + 1.6, y), way.tgt_out[:-1], **written)
    text = "How a small Transformer translates:\nevery cell is a number that it computed."
    label(ax, (A2[0] - 0.45, y + 0.2), text, size=20, linespacing=1.3, ha="right")
    for column, text, side, language in (
        (encoder, "The encoder reads all words at once", "src", translator.src),
        (decoder, "The decoder writes one word after another", "tgt", translator.tgt),
    ):
        at, look = (column.left - LABELS, top + 0.82), {"size": LARGE, "weight": "bold"}
        label(ax, at, text, color=COLORS[column.side], **look)
        _below(column, way, side, language.vocab.tokens, positions)
    for i in (0, 1):
        _encoder_layer(encoder, way, i)
    entries = [_decoder_layer(decoder, way, i) for i in (0, 1)]
    _cable(ax, encoder, decoder, entries)
    _words_out(decoder, way, likeliest)
    encoder.path(top, encoder.y)
    decoder.path(entries[1] - 0.3, decoder.y)
    _flow_back(decoder, way, top)
    _legend(ax, 0.1, 1.25)
    for note, (side, row, time) in NOTES.items():
        {"encoder": encoder, "decoder": decoder}[side].note(note, row, time)
    return figure
