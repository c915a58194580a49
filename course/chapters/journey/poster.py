"""One sentence through the whole machine, on one page to print (A2) and to zoom into.

The encoder stands on the left with a column for each word, the decoder on the right with a column
for each place; both are read from the top down. Everything is drawn from a `Trace`: true numbers.
"""

from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, box, head, path
from course.drawing.cells import area, outline, scale, strip
from course.drawing.values import as_array
from course.drawing.words import canvas, label, percent, sentence, width_of, word, word_color

A2 = (23.39, 16.54)  # inches, landscape
LIMIT = 3.0
COLUMN, GAP = 1.77, 0.3  # the width of a word's strip, and the lane between two
ENCODER_X, DECODER_X = 2.42, 12.85
LABELS = 1.97  # how far the names of the rows reach to the left of the strips
HIGH, STEP, BAND = 0.2, 0.276, 0.362  # a strip, from one to the next, the arrows of one head
SUBTITLE = """How a small Transformer translates: every cell is a number
that it computed. A word is a strip of 128 cells;
each half is read from the top down."""
# In points: the title, the halves, their words and layers are read from two metres, all else from
# a hand's breadth.
HUGE, LARGE, WORD, PLAIN, SMALL = 46, 32, 28, 15, 11
COLORS = {"encoder": style.ENCODER, "decoder": style.DECODER}
MARKS = (  # where to look: the half, the note, the row, and which of the rows of this name
    ("encoder", 1, "add & norm", 0),
    ("encoder", 2, "= sum", 0),
    ("encoder", 3, "head 1", 0),
    ("decoder", 4, "head 1", 0),
    ("decoder", 4, "head 1", 2),
    ("decoder", 5, "head 1", 3),
    ("decoder", 6, "+ feed-forward", 0),
    ("decoder", 6, "+ feed-forward", 1),
    ("decoder", 7, "likeliest words", 0),
)


class _Column:
    """A row of words side by side, and how far down the page they have come."""

    def __init__(self, ax: Axes, side: str, left: float, words: Sequence[str], top: float):
        self.ax, self.side, self.left, self.words, self.y = ax, side, left, words, top
        self.rows: dict[str, list[float]] = {}  # name -> the heights at which it stands

    def x(self, place: int) -> float:
        return self.left + place * (COLUMN + GAP)

    def middle(self, place: int) -> float:
        return self.x(place) + COLUMN / 2

    @property
    def right(self) -> float:
        return self.x(len(self.words) - 1) + COLUMN

    def name(self, text: str, y: float, strong: bool = False) -> None:
        weight = "bold" if strong else "normal"
        self.rows.setdefault(text, []).append(y)
        label(self.ax, (self.left - 0.14, y), text, size=PLAIN, ha="right", weight=weight)

    def strips(self, text: str, vectors: Any, *, strong: bool = False, high: float = HIGH) -> None:
        """One strip for each word."""
        self.y -= STEP + (high - HIGH)
        for place, vector in enumerate(vectors):
            edge = word_color(self.words[place]) if strong else "#BBBBBB"
            strip(
                self.ax,
                (self.x(place), self.y),
                COLUMN,
                high,
                vector,
                limit=LIMIT,
                edge=edge,
                line=2.0 if strong else 0.5,
                vectors=True,
            )
        self.name(text, self.y + high / 2, strong)

    def heads(self, weights: Any, sources: Sequence[str], middle: Callable[[int], float]) -> None:
        """For each head a band of arrows, from the words it takes from to those it brings to."""
        self.y -= 0.1
        for number, table in enumerate(weights):
            top, bottom = self.y - 0.05, self.y - BAND + 0.07
            lane = self.right - self.left + 0.12, BAND - 0.03
            area(self.ax, (self.left - 0.06, bottom - 0.055), *lane, style.PAPER, zorder=0.5)
            for place, text in enumerate(sources):
                self.ax.plot(middle(place), top, "o", color=word_color(text), markersize=4)
            starts = [(middle(place), top) for place in range(len(sources))]
            ends = [(self.middle(place), bottom) for place in range(len(self.words))]
            head(self.ax, starts, ends, as_array(table), sources, widest=4.5, least=0.05)
            self.name(f"head {number}", (top + bottom) / 2)
            self.y -= BAND
        self.y += 0.06

    def box(self, top: float, title: str) -> None:
        """The tinted ground of a layer, from `top` to where we are."""
        bottom = self.y - 0.09
        left = self.left - LABELS
        right, color = self.right + 0.14, COLORS[self.side]
        middle = (left + right) / 2, (top + bottom) / 2
        size = right - left, top - bottom
        box(self.ax, middle, *size, color=color, fill=style.TINTS[color], zorder=0, round=0.12)
        label(
            self.ax,
            (left + 0.12, top - 0.14),
            title.replace(" layer", "\nlayer"),
            size=17,
            va="top",
            weight="bold",
            color=color,
        )


def poster(
    way: Any,
    src_ids: Sequence[int],
    tgt_ids: Sequence[int],
    sizes: tuple[int, int],
    positions: Any,
    likeliest: Sequence[Sequence[tuple[str, float]]],
    notes: Sequence[str],
) -> Figure:
    """The whole way of a sentence on one page.

    way: a `Trace`. src_ids, tgt_ids: the numbers of its words. sizes: of the two vocabularies.
    positions: the table that is added. likeliest: for each place the likeliest words and their
    probabilities. notes: what to look for, a sentence each.
    """
    figure, ax = canvas(*A2)
    figure.set_label(style.PAGE)
    left, y = ENCODER_X - LABELS, A2[1] - 0.86
    written = {"size": HUGE, "gap": 0.55}
    x = sentence(ax, (left + 0.1, y), way.src[:-1], style.WORDS, **written)[-1] + 1.55
    arrow(ax, (x, y + 0.25), (x + 1.05, y + 0.25), style.INK, thick=7)
    sentence(ax, (x + 1.6, y), way.tgt_out[:-1], style.WORDS, **written)
    label(ax, (A2[0] - 0.45, y + 0.2), SUBTITLE, size=17, linespacing=1.3, ha="right")

    top = A2[1] - 2.35
    encoder = _Column(ax, "encoder", ENCODER_X, way.src, top)
    decoder = _Column(ax, "decoder", DECODER_X, way.tgt_in, top)
    for column, text in (
        (encoder, "The encoder reads all words at once"),
        (decoder, "The decoder writes one word after another"),
    ):
        at, look = (column.left - LABELS, top + 0.82), {"size": LARGE, "weight": "bold"}
        label(ax, at, text, color=COLORS[column.side], **look)
    _below(encoder, way, "src", src_ids, sizes[0], positions)
    _below(decoder, way, "tgt", tgt_ids, sizes[1], positions)
    for i in (0, 1):
        _encoder_layer(encoder, way, i)
    memory_y = encoder.y
    entries = [_decoder_layer(decoder, way, i) for i in (0, 1)]
    _ribbon(ax, encoder, memory_y, entries)
    said, look = "the memory goes to both decoder layers", {"size": 24, "weight": "bold"}
    label(ax, (encoder.right, memory_y - 0.5), said, ha="right", color=style.ENCODER, **look)
    _words_out(decoder, way, likeliest)
    _flow_back(decoder, way, top)
    _legend(ax, encoder.y - 0.9, notes)
    halves = {"encoder": encoder, "decoder": decoder}
    for side, number, row, time in MARKS:
        _mark(halves[side], number, row, time)
    return figure


def _below(
    column: _Column, way: Any, side: str, ids: Sequence[int], vocab_size: int, positions: Any
) -> None:
    """Word, one-hot row, embedding, position and their sum."""
    for place, text in enumerate(column.words):
        word(column.ax, (column.middle(place), column.y + 0.26), text, size=WORD)
    column.y -= 0.14
    for place, number in enumerate(ids):
        x, share = column.x(place), (number + 0.5) / vocab_size
        outline(column.ax, (x, column.y - 0.09), COLUMN, 0.09)
        at = x + share * COLUMN
        area(column.ax, (at - 0.012, column.y - 0.09), 0.024, 0.09, style.INK, zorder=3)
        label(column.ax, (at, column.y - 0.17), str(number), size=SMALL, ha="center")
    column.name("one-hot", column.y - 0.045)
    column.y -= 0.2
    column.strips("embedding × √128", way.outputs[f"{side}_embed"])
    column.strips("+ position", positions[: len(column.words)])
    column.strips("= sum", way.outputs[f"{side}_positions"])
    column.y -= 0.16


def _encoder_layer(column: _Column, way: Any, i: int) -> None:
    part, top = f"encoder.layers.{i}", column.y
    column.y -= 0.02
    for text in ("query", "key", "value"):
        column.strips(text, way.outputs[f"{part}.self_attn.w_{text[0]}"])
    column.heads(way.weights[f"{part}.self_attn"], column.words, column.middle)
    column.strips("+ attention", way.outputs[f"{part}.self_attn"])
    column.strips("add & norm", way.outputs[f"{part}.residual_self_attn"])
    column.strips("512 neurons", way.outputs[f"{part}.feed_forward.w_1"].clamp(min=0), high=0.12)
    column.strips("+ feed-forward", way.outputs[f"{part}.feed_forward"])
    last = f"{part}" == "encoder.layers.1"
    column.strips("= memory" if last else "add & norm", way.outputs[part], strong=last)
    column.box(top, f"encoder layer {i}")
    column.y -= 0.24


def _decoder_layer(column: _Column, way: Any, i: int) -> float:
    """-> the height at which the memory comes in."""
    part, top = f"decoder.layers.{i}", column.y
    column.heads(way.weights[f"{part}.self_attn"], column.words, column.middle)
    column.strips("+ self-attention", way.outputs[f"{part}.self_attn"])
    column.strips("add & norm", way.outputs[f"{part}.residual_self_attn"])
    column.y -= 0.12
    wide = 1.2
    column.y -= STEP
    entry = column.y + HIGH / 2
    for place, text in enumerate(way.src):
        strip(
            column.ax,
            (column.x(place), column.y),
            wide,
            HIGH,
            way.outputs["encoder"][place],
            limit=LIMIT,
            edge=word_color(text),
            line=1.6,
            vectors=True,
        )
        word(column.ax, (column.x(place) + wide + 0.07, entry), text, size=SMALL, ha="left")
    column.name("memory", entry, strong=True)
    column.heads(
        way.weights[f"{part}.cross_attn"], way.src, lambda place: column.x(place) + wide / 2
    )
    column.strips("+ cross-attention", way.outputs[f"{part}.cross_attn"])
    column.strips("add & norm", way.outputs[f"{part}.residual_cross_attn"])
    column.strips("512 neurons", way.outputs[f"{part}.feed_forward.w_1"].clamp(min=0), high=0.12)
    column.strips("+ feed-forward", way.outputs[f"{part}.feed_forward"])
    column.strips("add & norm", way.outputs[part])
    column.box(top, f"decoder layer {i}")
    column.y -= 0.24
    return entry


def _ribbon(ax: Axes, encoder: _Column, y: float, entries: Sequence[float]) -> None:
    """The memory of all words, as one cable to both decoder layers."""
    lane, spacing = encoder.right + 0.25, 0.055
    down = y + 0.02
    for place, text in enumerate(encoder.words):
        color, offset = word_color(text), place * spacing
        x, low, lane_x = encoder.middle(place), down - 0.02 - offset, lane + offset
        up = [(x, y + 0.22), (x, low), (lane_x, low), (lane_x, max(entries) + offset)]
        rows = [
            [(lane_x, at + offset - 0.08), (DECODER_X - 1.02, at + offset - 0.08)] for at in entries
        ]
        for way in (up, *rows):
            path(ax, way, color, head=False, thick=2.6, zorder=1.5)


def _words_out(column: _Column, way: Any, likeliest: Any) -> None:
    """The likeliest words at each place, and the one that is written."""
    column.y -= 0.02
    for place, words in enumerate(likeliest):
        x = column.x(place)
        for row, (text, chance) in enumerate(words):
            y = column.y - 0.1 - row * 0.2
            look_like = {"ha": "right", "weight": "bold", "color": word_color(text)}
            label(column.ax, (x + 0.86, y), text, size=SMALL, **look_like)
            long = max(chance * 0.6, 0.01)
            area(column.ax, (x + 0.93, y - 0.05), long, 0.1, word_color(text), zorder=2)
            label(column.ax, (x + 0.98 + long, y), percent(chance), size=SMALL)
        at = column.middle(place), column.y - 0.2 * len(words) - 0.3
        word(column.ax, at, way.tgt_out[place], size=WORD)
    column.name("likeliest words", column.y - 0.2)
    column.name("written", column.y - 0.2 * len(likeliest[0]) - 0.3, strong=True)
    column.y -= 0.2 * len(likeliest[0]) + 0.3


def _mark(column: _Column, number: int, row: str, time: int = 0) -> None:
    """The number of a note, in the margin beside the row that it speaks of."""
    x = 0.2 if column.side == "encoder" else A2[0] - 0.19
    at = x, column.rows[row][time]
    column.ax.plot(*at, "o", color=style.ACCENT, markersize=17, zorder=4)
    look = {"size": SMALL + 1, "ha": "center", "weight": "bold", "color": style.PAPER, "zorder": 5}
    label(column.ax, at, str(number), **look)


def _flow_back(column: _Column, way: Any, top: float) -> None:
    """Each word that is written goes back up, and in at the next place."""
    for place, text in enumerate(way.tgt_out[:-1]):
        lane, color = column.x(place) + COLUMN + GAP / 2, word_color(text)
        half, other = (width_of(one, WORD) / 2 for one in (text, column.words[place + 1]))
        start, end = column.middle(place) + half + 0.1, column.middle(place + 1) - other - 0.1
        corners = [(start, column.y), (lane, column.y), (lane, top + 0.26), (end, top + 0.26)]
        path(column.ax, corners, color, thick=6, head=False, alpha=0.35, zorder=0.6)
        path(column.ax, corners[-2:], color, thick=3)


def _legend(ax: Axes, top: float, notes: Sequence[str]) -> None:
    """How to read the page, and what to look for."""
    left = ENCODER_X - LABELS
    label(ax, (left, top), "How to read it", size=24, weight="bold")
    scale(ax, (left + 0.35, top - 0.52), 1.7, limit=LIMIT, height=0.19)
    text = "the value of a number: no color is zero, blue below it, orange above it"
    label(ax, (left + 2.6, top - 0.42), text, size=17)
    y = top - 0.87
    attention_arrow(ax, (left + 0.3, y), (left + 1.1, y), 1.0, "trees", widest=4.5)
    attention_arrow(ax, (left + 1.3, y), (left + 2.1, y), 0.25, "trees", widest=4.5)
    text = "attention, 100 % and 25 %: from the word that is looked at, in its color"
    label(ax, (left + 2.6, y), text, size=17)
    label(ax, (left, top - 1.45), "What to look for", size=24, weight="bold")
    for row, note in enumerate(notes):
        y = top - 1.88 - 0.33 * row
        label(ax, (left + 0.05, y), f"{row + 1}", size=17, weight="bold", color=style.ACCENT)
        label(ax, (left + 0.4, y), note, size=17)
