"""The whole machine, from left to right: large with its parts named, or small with some marked.

Each line is a word's vector. The encoder is above, the decoder below it, and the memory runs down
from the one to the other. All lengths are in inches.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.chapters import SERIES
from course.drawing import style
from course.drawing.arrows import arrow, box, path, segment
from course.drawing.cells import area, outline
from course.drawing.registry import figure
from course.drawing.words import bold, canvas, label, muted, word, word_color
from transformer_lib.translator import Translator

READ = ("I", "like", "trees", "<eos>")
WRITTEN = ("<bos>", "me", "gustan", "los", "árboles")  # each word is written where its left one is
SHIFT = 0.63  # how far to the right the decoder stands
FRAME = 2.05  # where a layer begins


class Part(NamedTuple):
    """A box. x: its left edge in the encoder's row. label: the text in the large picture."""

    x: float
    wide: float
    label: str


INPUT = {"embedding": Part(1.06, 0.6, "embed-\nding"), "position": Part(1.72, 0.2, "+")}
PARTS = {
    "encoder": {
        **INPUT,
        "self_attn": Part(2.16, 0.68, "self-\nattention"),
        "norm 0": Part(2.91, 0.12, ""),
        "feed_forward": Part(3.15, 0.62, "feed-\nforward"),
        "norm 1": Part(3.84, 0.12, ""),
    },
    "decoder": {
        **INPUT,
        "self_attn": Part(2.16, 0.68, "masked\nself-\nattention"),
        "norm 0": Part(2.91, 0.12, ""),
        "cross_attn": Part(3.15, 0.68, "cross-\nattention"),
        "norm 1": Part(3.90, 0.12, ""),
        "feed_forward": Part(4.14, 0.62, "feed-\nforward"),
        "norm 2": Part(4.83, 0.12, ""),
        "output": Part(5.20, 0.56, "output\nlayer"),
        "softmax": Part(5.85, 0.62, "softmax"),
    },
}
LAYER = {"encoder": "norm 1", "decoder": "norm 2"}  # the last part of a layer
COLORS = {"encoder": style.ENCODER, "decoder": style.DECODER}
OUT = 6.57 + SHIFT  # where the written words stand


class _Half:
    """The encoder or the decoder: its lines, and the boxes on them."""

    def __init__(self, ax: Axes, name: str, y: float, marked: tuple[str, ...], big: bool):
        self.ax, self.name, self.y, self.marked, self.big = ax, name, y, marked, big
        step = 0.26 if big else 0.095
        self.rows = [y + step * (1.5 - row) for row in range(4)]
        self.top = self.rows[0] + (0.15 if big else 0.07)
        self.bottom = self.rows[-1] - (0.15 if big else 0.07)
        self.words = READ if name == "encoder" else WRITTEN[:-1]
        self.shift = SHIFT if name == "decoder" else 0.0
        self.end = self.shift + PARTS[name][LAYER[name]].x + 0.22

    def is_marked(self, part: str) -> bool:
        return any(fnmatch(f"{self.name}.{part}", pattern) for pattern in self.marked)

    def layer(self) -> None:
        """The ground of what is repeated."""
        left, loud, color = FRAME + self.shift, self.is_marked("layers"), COLORS[self.name]
        above, below = (0.5, 0.4) if self.big else (0.07, 0.07)
        top, bottom = self.top + above, self.bottom - below
        at, size = ((left + self.end) / 2, (top + bottom) / 2), (self.end - left, top - bottom)
        look = {"color": style.ACCENT, "line": 2.2} if loud else {"color": color, "line": 0}
        box(self.ax, at, *size, fill=style.TINTS[color], zorder=0, round=0.1, **look)
        if self.big:
            bold(self.ax, (left + 0.1, top - 0.16), f"{self.name} layer", color=color)
            bold(self.ax, (self.end - 0.1, top - 0.16), "2 ×", ha="right", color=color)

    def lines(self, colors: list[str], start: float, end: float) -> None:
        thick = 3.0 if self.big else 1.6
        for y, color in zip(self.rows, colors, strict=True):
            segment(self.ax, (start, y), (end, y), color, thick=thick, zorder=1.5)

    def boxes(self) -> None:
        names = list(PARTS[self.name])
        for before, name in zip(["", *names], names, strict=False):
            part, loud = PARTS[self.name][name], self.is_marked(name)
            x = part.x + self.shift + part.wide / 2
            color = style.ACCENT if loud else COLORS[self.name] if self.big else style.SOFT
            fill = style.ACCENT if loud else style.PAPER
            look = {"fill": fill, "line": 1.4 if self.big else 0.8, "size": style.NOTE}
            box(
                self.ax,
                (x, self.y),
                part.wide,
                self.top - self.bottom,
                part.label if self.big else "",
                color,
                round=min(0.08, part.wide / 3),
                linespacing=1.05,
                **look,
            )
            self._inside(name, x, part.wide)
            if self.big and name.startswith("norm"):
                # What goes into a part also goes around it, and is added to what comes out.
                left, over = PARTS[self.name][before].x + self.shift - 0.06, self.top + 0.13
                corners = [(left, self.rows[0]), (left, over), (x, over), (x, self.top)]
                path(self.ax, corners, style.SOFT)
                muted(self.ax, (x, self.bottom - 0.21), "add &\nnorm", ha="center")

    def _inside(self, name: str, x: float, wide: float) -> None:
        """The heads of an attention, or its mask: a row for each line that asks, and in the accent
        what it may see."""
        left, high = x - wide / 2, self.top - self.bottom
        if self.is_marked(f"{name}.heads"):
            for head in range(4):
                at = left + 0.06, self.bottom + 0.05 + head * (high - 0.06) / 4
                area(self.ax, at, wide - 0.12, 0.06, style.ACCENT, zorder=3)
        if self.is_marked(f"{name}.mask"):
            seen = np.tri(4, dtype=bool) | (f"{self.name}.{name}" != "decoder.self_attn")
            cell = (high - 0.1) / 4
            for row, column in np.ndindex(4, 4):
                at = x + (column - 2) * cell, self.top - 0.05 - (row + 1) * cell
                area(
                    self.ax,
                    at,
                    cell,
                    cell,
                    style.ACCENT,
                    alpha=0.75 if seen[row, column] else 0,
                    zorder=3,
                )
                outline(self.ax, at, cell, cell, style.ACCENT)

    def words_beside(self, part: str, x: float, text: str, **look: str) -> None:
        """Words at the height of the lines, loud if the part is marked."""
        loud = self.is_marked(part)
        own = {"color": style.ACCENT, "weight": "bold"} if loud else {"color": style.MUTED}
        label(self.ax, (x, self.y), text, **own, **look)


def machine(*marked: str, name: str = "", ids: Mapping[str, Sequence[int]] | None = None) -> Figure:
    """Draw the whole machine -> the figure, 8 inches wide.

    marked: what stands in the accent, as patterns: "encoder.self_attn", "*_attn", "*.layers",
    "*.words", "decoder.written", "decoder.back". name: what it is called; then the picture is
    small, and no other part is named. ids: without a name the picture is large, all parts are
    named, and these are the words' numbers, of "encoder" and "decoder".
    """
    big = not name
    title = "The encoder reads the sentence, and the decoder writes the translation"
    note = "Each line is a word on its way through the machine, which is about to write árboles"
    figure, ax = canvas(5.2, title, note) if big else canvas(1.5)
    encoder = _Half(ax, "encoder", 3.5 if big else 1.12, marked, big)
    decoder = _Half(ax, "decoder", 1.45 if big else 0.42, marked, big)
    colors = [style.readable(word_color(text), style.PAPER) for text in READ]
    last = [*[style.SOFT] * 3, word_color(WRITTEN[-1])]
    start, middle = (0.6 if big else 0.98), INPUT["position"].x + SHIFT
    encoder.lines(colors, start, encoder.end)
    decoder.lines([word_color(text) for text in WRITTEN[:4]], start + SHIFT, middle)
    decoder.lines(last, middle, OUT)
    _memory(encoder, decoder, colors)
    for half in (encoder, decoder):
        half.layer()
        half.boxes()
    if ids:
        _name_parts(encoder, decoder, ids)
        return figure
    for half in (encoder, decoder):
        said = " ".join(text for text in half.words if not text.startswith("<"))
        half.words_beside("words", 0.95 + half.shift, said, ha="right")
    decoder.words_beside("written", OUT + 0.06, WRITTEN[-1])
    loud = decoder.is_marked("back")
    _back(decoder, style.ACCENT if loud else style.SOFT, 2.2 if loud else 1.2, 0.08, OUT + 0.3)
    muted(ax, (4.7, encoder.y + 0.16), "This notebook is about")
    bold(ax, (4.7, encoder.y - 0.1), name, size=13, color=style.ACCENT)
    return figure


def _memory(encoder: _Half, decoder: _Half, colors: list[str]) -> None:
    """From the end of the encoder down into the decoder's layers, a line for each word."""
    middle, step = PARTS["decoder"]["cross_attn"].x + SHIFT + 0.49, 0.1 if encoder.big else 0.07
    for row, (y, color) in enumerate(zip(encoder.rows, colors, strict=True)):
        x = middle + step * (1.5 - row)
        corners = [(encoder.end, y), (x, y), (x, decoder.top)]
        path(encoder.ax, corners, color, thick=2.6 if encoder.big else 1.4)


def _back(decoder: _Half, color: str, thick: float, low: float, right: float) -> None:
    """The word that was written is read in the next step."""
    left, start = 0.36 + SHIFT, decoder.rows[-1] - 0.24 if decoder.big else decoder.y - 0.1
    end = decoder.rows[-1] - 0.4 if decoder.big else decoder.y - 0.1
    corners = [(right, start), (right, low), (left, low), (left, end)]
    path(decoder.ax, corners, color, thick=thick)


def _name_parts(encoder: _Half, decoder: _Half, ids: Mapping[str, Sequence[int]]) -> None:
    """The words with their numbers, and what has no box of its own."""
    ax, green = decoder.ax, style.readable(word_color(WRITTEN[-1]))
    for half in (encoder, decoder):
        for y, text, number in zip(half.rows, half.words, ids[half.name], strict=True):
            word(ax, (0.36 + half.shift, y), text, size=style.LABEL)
            ground = {"boxstyle": "square,pad=0.1", "facecolor": style.PAPER, "linewidth": 0}
            label(ax, (0.88 + half.shift, y), str(number), ha="center", bbox=ground)
        for x, said in ((0.36, "words"), (0.9, "numbers")):
            muted(ax, (x + half.shift, half.top + 0.13), said, ha="center")
        x, y = INPUT["position"].x + half.shift + 0.1, half.bottom
        arrow(ax, (x, y - 0.22), (x, y))
        muted(ax, (FRAME + half.shift - 0.05, y - 0.4), "positional\nencoding", ha="right")
    text = "The memory: a list of numbers\nfor each English word. Every\ndecoder layer reads it"
    label(ax, (4.6, encoder.y + 0.28), text, size=style.LABEL)
    text = "2 × means that a second layer of the same\nkind follows, with numbers of its own"
    muted(ax, (4.6, encoder.y - 0.38), text)
    for y, text in zip(decoder.rows, WRITTEN[1:], strict=True):
        loud = text == WRITTEN[-1]
        look = {"size": 12} if loud else {"size": style.NOTE, "color": style.MUTED}
        word(ax, (OUT + 0.06, y - 0.05 * loud), text, ha="left", **look)
    low = decoder.bottom - 0.85
    _back(decoder, green, 2.4, low, OUT + 0.35)
    slot = decoder.rows[-1] - 0.27
    outline(ax, (0.36 + SHIFT - 0.3, slot - 0.11), 0.6, 0.22, green, 1.2, linestyle="--")
    label(ax, (1.7, low + 0.13), "each new word goes back in before the next one is written")


@figure(
    "machine",
    notebook="00_start_here",
    hero=True,
    caption="""The whole machine: the encoder reads 'I like trees', the decoder writes 'Me gustan
    los árboles'.""",
    alt="""The machine from left to right. Above, the words I, like, trees and <eos> become
    numbers, and each a line that runs through embedding, positional encoding and the encoder
    layer, 2 times: self-attention, add and norm, feed-forward, add and norm. As the memory the
    four lines turn down into the cross-attention of the decoder layer. Below, <bos>, me, gustan
    and los go in: embedding, positional encoding, and 2 times masked self-attention,
    cross-attention and feed-forward, each followed by add and norm; then output layer and
    softmax. The line of los is green, and árboles comes out of it. An arrow leads from there
    back to an empty place below los: each new word goes back in.""",
)
def draw_machine() -> Figure:
    translator = Translator.load()
    ids = {
        "encoder": translator.src.vocab.encode(READ),
        "decoder": translator.tgt.vocab.encode(WRITTEN[:-1]),
    }
    return machine(ids=ids)


def figure_of_place(figure_name: str, name: str, seen: str, *marked: str) -> None:
    """Register the small machine of a notebook: machine-01 for 01. seen: what is orange in it."""
    number = figure_name[-2:]
    notebook = next(one["file"] for one in SERIES if one["file"].startswith(number))
    alt = "The machine, small: above the encoder, below the decoder, and the memory's lines between"

    @figure(
        figure_name,
        notebook=notebook,
        caption=f"Where notebook {number} is in the machine: {name}.",
        alt=f"{alt} them. This notebook is about {name}. In orange: {seen}.",
    )
    def draw() -> Figure:
        return machine(*marked, name=name)


figure_of_place("machine-01", "words as numbers", "the words that go in, on both sides", "*.words")
figure_of_place("machine-02", "the embedding", "the first box of both halves", "*.embedding")
figure_of_place(
    "machine-03", "the positional encoding", "the second box of both halves", "*.position"
)
figure_of_place(
    "machine-04", "attention", "one box in the encoder layer, two in the decoder's", "*_attn"
)
figure_of_place(
    "machine-05",
    "multi-head attention",
    "four bars in each of the three boxes of attention",
    "*_attn.heads",
)
figure_of_place(
    "machine-06",
    "masks",
    "a grid of 4 by 4 cells in each of the three attention boxes; what may be seen is filled: in "
    "the decoder's first box the diagonal and what is below it, in the other two all",
    "*_attn.mask",
)
figure_of_place("machine-07", "the encoder", "the frame of the encoder layer", "encoder.layers")
figure_of_place(
    "machine-08",
    "the decoder",
    "the frame of the decoder layer, and the two boxes after it",
    "decoder.layers",
    "decoder.output",
    "decoder.softmax",
)
figure_of_place(
    "machine-09",
    "the whole machine",
    "the words, the frames of both layers, and the way of the written word back to the input",
    "*.words",
    "*.layers",
    "decoder.written",
    "decoder.back",
)
figure_of_place(
    "machine-10",
    "how these boxes get their numbers",
    "every box but the positional encoding and the last one",
    "*.embedding",
    "*_attn",
    "*.norm ?",
    "*.feed_forward",
    "*.output",
)
figure_of_place(
    "machine-11",
    "the choice of the next word",
    "the last box, the word that comes out, and its way back to the input",
    "decoder.softmax",
    "decoder.written",
    "decoder.back",
)
figure_of_place(
    "machine-12",
    "what goes in and what comes out",
    "the English words at the beginning and the Spanish word at the end",
    "encoder.words",
    "decoder.written",
)
