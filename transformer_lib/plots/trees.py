"""The way of one word: a thin strip for each station that it has passed, the newest one opened.

`stack` draws the stations from top to bottom, and names those to come. What a station shows when it
is open is drawn by the functions below, each into the box that the stack leaves for it. All strips
have one scale.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle

from transformer_lib.plots import style
from transformer_lib.plots.drawing import (
    canvas,
    label,
    look,
    percent,
    pointer,
    scale,
    strip,
    width_of,
    word,
    word_color,
)
from transformer_lib.plots.values import as_array

LIMIT = 3.0  # the scale of every strip: darkest at 3 and at -3
WIDTH = 8.0
LEFT, RIGHT = 1.62, 7.86  # from where to where the strips go
STEP, THIN = 0.165, 0.105  # from one thin strip to the next, and how high it is
HEADING = 0.42  # what the word and the sentence beside it take, on top
STATIONS = (
    "one-hot", "embedding", "+ position", "encoder layer 0", "attention", "memory",
    "decoder", "next word",
)  # fmt: skip


class Box(NamedTuple):
    """Where an open station may draw: the middle of its height, and its lower and upper end."""

    bottom: float
    top: float

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2


@mpl.rc_context(style.PRINT)
def stack(
    passed: Mapping[str, Any], here: str, draw: Callable[[Axes, Box], None], *, name: str = "",
    height: float = 1.2, new: str = "", colors: bool = True,
) -> Figure:  # fmt: skip
    """The stations of a word -> the figure: passed ones thin, `here` open, the names of the rest.

    passed: station -> its vector (the one-hot row as a number: how far along it the 1 stands).
    draw: what to put into the open station, of this height. name: what to call it there.
    new: what happens here, in a few words, on top. colors: whether a scale says what they mean.
    """
    if here not in STATIONS:
        raise ValueError(f"there is no station {here!r}; the stations are {', '.join(STATIONS)}")
    before = [station for station in STATIONS[: STATIONS.index(here)] if station in passed]
    after = STATIONS[STATIONS.index(here) + 1 :]
    total = HEADING + len(before) * STEP + height + 0.06 + 0.26 * bool(after)
    figure, ax = canvas(WIDTH, total)
    heading(ax, total - 0.2, "trees", new, colors=colors)
    y = total - HEADING
    for station in before:
        y -= STEP
        at = (LEFT, y + (STEP - THIN) / 2)
        label(ax, (LEFT - 0.1, y + STEP / 2), station, size=10, ha="right", color=style.MUTED)
        if station == "one-hot":
            one_hot_strip(ax, at, THIN, passed[station])
        else:
            strip(ax, at, RIGHT - LEFT, THIN, passed[station], limit=LIMIT)
    y -= height
    box = Box(y + 0.06, y + height - 0.06)
    ax.add_patch(Rectangle((0.03, y + 0.01), WIDTH - 0.06, height - 0.02, linewidth=0,
                           facecolor="#F3F3F3", zorder=0))  # fmt: skip
    ax.add_patch(Rectangle((0.03, y + 0.01), 0.06, height - 0.02, linewidth=0,
                           facecolor=word_color("trees"), zorder=1))  # fmt: skip
    label(ax, (0.2, y + height - 0.17), name or here, size=11.5, weight="bold")
    draw(ax, box)
    if after:
        label(ax, (LEFT - 0.1, 0.15), "to come", size=10, ha="right", color=style.MUTED)
        label(ax, (LEFT, 0.15), " → ".join(after), size=10, color=style.MUTED)
    return figure


def heading(ax: Axes, y: float, text: str, new: str, *, colors: bool = True) -> None:
    """The word whose way this is, what happens to it here, and what the colors mean."""
    word(ax, (0.2, y), text, size=17, ha="left")
    label(ax, (LEFT if text else 0.2, y), new, size=12, weight="bold")
    if colors:
        scale(ax, (RIGHT - 0.75, y - 0.03), 0.5, limit=LIMIT)
        label(ax, (RIGHT - 1.05, y + 0.015), "value", size=10, ha="right")


def one_hot_strip(ax: Axes, at: tuple[float, float], height: float, share: float) -> None:
    """A row as wide as the vocabulary, with its 1 at this share of the way: a mark, for one cell of
    a thousand is thinner than a hair."""
    ax.add_patch(Rectangle(at, RIGHT - LEFT, height, facecolor=style.PAPER, edgecolor="#BBBBBB",
                           linewidth=0.6, zorder=2))  # fmt: skip
    x = LEFT + share * (RIGHT - LEFT)
    ax.plot([x, x], [at[1], at[1] + height], color=word_color("trees"), linewidth=2.4, zorder=3,
            solid_capstyle="butt")  # fmt: skip


# --- what stands in the open station -------------------------------------------------------------


def one_hot_open(ax: Axes, box: Box, words: Sequence[str], first: int, here: int, vocab: int):
    """The whole row, and a few of its cells under a lens: the words around `here`, from `first`."""
    y = box.top - 0.2
    one_hot_strip(ax, (LEFT, y), 0.16, (here + 0.5) / vocab)
    wide = (RIGHT - LEFT) / len(words)
    unit = (RIGHT - LEFT) / vocab
    cells = box.bottom + 0.3
    ax.add_patch(Polygon(
        [(LEFT + first * unit, y), (LEFT + (first + len(words)) * unit, y),
         (RIGHT, cells + 0.36), (LEFT, cells + 0.36)], facecolor="#E3E3E3", linewidth=0, zorder=1,
    ))  # fmt: skip
    for i, text in enumerate(words):
        number, x = first + i, LEFT + (i + 0.5) * wide
        chosen = number == here
        ax.add_patch(Rectangle(
            (LEFT + i * wide, cells), wide, 0.36, linewidth=0.6, edgecolor="#BBBBBB", zorder=2,
            facecolor=word_color("trees") if chosen else style.PAPER,
        ))  # fmt: skip
        label(ax, (x, cells + 0.18), "1" if chosen else "0", size=13, ha="center",
              color=style.PAPER if chosen else style.MUTED,
              weight="bold" if chosen else "normal")  # fmt: skip
        look = {"weight": "bold"} if chosen else {"weight": "normal", "color": style.MUTED}
        word(ax, (x, cells - 0.1), text, size=11 if chosen else 10, **look)
        label(ax, (x, cells - 0.26), str(number), size=10, ha="center", color=style.MUTED)
    label(ax, (0.2, y - 0.3), f"one cell for\neach of {vocab}\nEnglish words", size=10)


def fan_open(ax: Axes, box: Box, vector: Any, share: float, note: str) -> None:
    """The mark in the one-hot row above pulls a row out of the table."""
    x, bottom = LEFT + share * (RIGHT - LEFT), box.bottom + 0.3
    top, height = box.top + 0.06 + (STEP - THIN) / 2, 0.42
    color = word_color("trees")
    ax.add_patch(Polygon([(x, top), (RIGHT, bottom + height), (LEFT, bottom + height)],
                         facecolor=color, alpha=0.25, linewidth=0, zorder=1))  # fmt: skip
    strip(ax, (LEFT, bottom), RIGHT - LEFT, height, vector, limit=LIMIT, edge=color, line=1.6)
    label(ax, (LEFT, box.bottom + 0.1), note, size=10)


def rows_open(
    ax: Axes, box: Box, rows: Sequence[tuple[str, str, Any]], *, height: float = 0.26
) -> None:
    """Strips under each other, each with a sign (+, =) and a name in front of it; the last one is
    what goes on, and is marked."""
    step = (box.top - box.bottom - height) / max(len(rows) - 1, 1)
    marked, plain = {"edge": word_color("trees"), "line": 1.6}, {}
    for i, (sign, name, vector) in enumerate(rows):
        y, last = box.top - height - i * step, i == len(rows) - 1
        strip(ax, (LEFT, y), RIGHT - LEFT, height, vector, limit=LIMIT,
              **(marked if last else plain))  # fmt: skip
        label(ax, (LEFT - 0.1, y + height / 2), f"{sign}  {name}" if sign else name, size=10,
              ha="right", weight="bold" if last else "normal")  # fmt: skip


def attention_open(
    ax: Axes, box: Box, words: Sequence[str], query: Any, keys: Any, values: Any,
    weights: Sequence[float],
) -> None:  # fmt: skip
    """The query of trees looks at the keys of all words; their values are mixed by weight."""
    wide, high = 1.0, 0.16
    step = (box.top - 0.24 - box.bottom) / len(words)
    x_query, x_key, x_value, x_sum = LEFT, LEFT + 2.3, LEFT + 3.83, RIGHT - wide
    ys = [box.top - 0.24 - (i + 0.5) * step for i in range(len(words))]
    middle = (ys[0] + ys[-1]) / 2
    for x, y, name in (
        (x_query, middle + 0.27, "its query"), (x_key, box.top - 0.09, "keys"),
        (x_value, box.top - 0.09, "values"), (x_sum, middle + 0.27, "their mix"),
    ):  # fmt: skip
        label(ax, (x, y), name, size=10)
    ends = {"edge": word_color("trees"), "line": 1.6}
    strip(ax, (x_query, middle - 0.15), wide, 0.3, query, limit=LIMIT, **ends)
    mixed = as_array(weights) @ as_array(values)
    strip(ax, (x_sum, middle - 0.15), wide, 0.3, mixed, limit=LIMIT, **ends)
    for text, y, k, v, weight in zip(words, ys, keys, values, weights, strict=True):
        word(ax, (x_key - 0.08, y), text, size=11, ha="right")
        strip(ax, (x_key, y - high / 2), wide, high, k, limit=LIMIT)
        strip(ax, (x_value, y - high / 2), wide, high, v, limit=LIMIT)
        look(ax, (x_query + wide + 0.05, middle), (x_key - 0.62, y), weight, "trees", widest=6,
             least=0.005)  # fmt: skip
        look(ax, (x_value + wide + 0.05, y), (x_sum - 0.05, middle), weight, text, widest=6,
             least=0.005)  # fmt: skip
        label(ax, ((x_key + wide + x_value) / 2, y), percent(weight), size=10, ha="center",
              weight="bold" if weight >= 0.25 else "normal")  # fmt: skip


def heads_open(ax: Axes, box: Box, words: Sequence[str], weights: Any, brought: Any) -> None:
    """What each head brings, side by side, and above it from which words it comes."""
    count, gap = len(brought), 0.12
    wide = (RIGHT - LEFT - (count - 1) * gap) / count
    for i, (shares, vector) in enumerate(zip(as_array(weights), brought, strict=True)):
        x = LEFT + i * (wide + gap)
        label(ax, (x + wide / 2, box.top - 0.08), f"head {i}", size=11, ha="center", weight="bold")
        left = x
        for text, share in zip(words, shares, strict=True):
            color = word_color(text)
            ax.add_patch(Rectangle(
                (left, box.top - 0.46), share * wide, 0.24, linewidth=0.5, zorder=2,
                facecolor=color, edgecolor=style.PAPER,
            ))  # fmt: skip
            if share * wide > 0.4:  # room for the number and the word
                at = left + share * wide / 2
                label(ax, (at, box.top - 0.34), f"{100 * share:.0f} %", size=10, ha="center",
                      color=style.ink_on(color))  # fmt: skip
                word(ax, (at, box.top - 0.57), text, size=11)
            left += share * wide
        strip(ax, (x, box.bottom + 0.04), wide, 0.36, vector, limit=LIMIT,
              edge=word_color("trees"), line=1.3)  # fmt: skip
    label(ax, (LEFT - 0.1, box.top - 0.34), "looks at", size=10, ha="right")
    label(ax, (LEFT - 0.1, box.bottom + 0.22), "brings\n32 numbers", size=10, ha="right")
    for y, line in ((0.56, words[:2]), (0.74, words[2:])):  # whose color is which
        x = LEFT - 0.1
        for text in reversed(line):
            word(ax, (x, box.top - y), text, size=10, ha="right")
            x -= width_of(text, 10) + 0.09


def masks_open(
    ax: Axes, box: Box, rows: Sequence[tuple[str, str, str, Sequence[tuple[str, Any, bool]]]]
) -> None:
    """What may be seen: the vectors of the words, and a hatch over those that are hidden.

    rows: the name of the mask, who looks, as words and a word of the sentence, and for each word
    of the row: its name, its vector, may it be seen?
    """
    step = (box.top - box.bottom) / len(rows)
    for i, (name, who, looker, seen_words) in enumerate(rows):
        y = box.top - (i + 1) * step
        label(ax, (0.2, y + 0.44), name, size=11.5, weight="bold")
        label(ax, (0.2, y + 0.18), who, size=10)
        word(ax, (LEFT - 0.14, y + 0.18), looker, size=11, ha="right")
        wide = (RIGHT - LEFT) / len(seen_words)
        for j, (text, vector, seen) in enumerate(seen_words):
            x = LEFT + j * wide
            at, size = (x + 0.04, y + 0.03), (wide - 0.08, 0.28)
            word(ax, (x + wide / 2, y + 0.43), text, size=11,
                 color=style.WORDS.get(text, style.MUTED))  # fmt: skip
            if seen:
                strip(ax, at, *size, vector, limit=LIMIT)
            else:
                ax.add_patch(Rectangle(at, *size, facecolor="#D8D8D8", edgecolor="#8A8A8A",
                                       hatch="////", linewidth=0.6, zorder=2))  # fmt: skip


def reading_open(
    ax: Axes, box: Box, words: Sequence[str], memory: Any, weights: Sequence[float],
    writes: str, vector: Any,
) -> None:  # fmt: skip
    """One position of the decoder reads the memory of all words: arrows, and where it ends."""
    label(ax, (LEFT, box.top - 0.1), "the memory", size=10)
    top = box.top - 0.2
    step = (top - box.bottom) / len(words)
    wide, high = 2.2, 0.16
    x_out = RIGHT - 2.3
    for i, (text, row, weight) in enumerate(zip(words, memory, weights, strict=True)):
        y = top - (i + 0.5) * step
        word(ax, (LEFT - 0.1, y), text, size=11, ha="right")
        strip(ax, (LEFT, y - high / 2), wide, high, row, limit=LIMIT)
        look(ax, (LEFT + wide + 0.56, y), (x_out - 0.08, box.middle), weight, text, widest=6)
        label(ax, (LEFT + wide + 0.5, y), f"{100 * weight:.0f} %", size=10, ha="right",
              color=style.INK if weight >= 0.01 else style.MUTED,
              weight="bold" if weight >= 0.25 else "normal")  # fmt: skip
    strip(ax, (x_out, box.middle - 0.2), 2.3, 0.4, vector, limit=LIMIT, edge=word_color(writes),
          line=1.6)  # fmt: skip
    label(ax, (x_out - 0.13, box.middle + 0.34), "the position that writes", size=10)
    word(ax, (RIGHT, box.middle + 0.34), writes, size=11, ha="right")


def words_open(
    ax: Axes, box: Box, vector: Any, words: Sequence[str], chances: Sequence[float],
    rest: str = "",
) -> None:  # fmt: skip
    """The last vector, and bars for the words that it makes likely. rest: about the others."""
    strip(ax, (LEFT, box.top - 0.3), RIGHT - LEFT, 0.26, vector, limit=LIMIT)
    step = (box.top - 0.38 - box.bottom) / (len(words) + bool(rest))
    start, full = LEFT + 1.1, 4.2
    for i, (text, chance) in enumerate(zip(words, chances, strict=True)):
        y = box.top - 0.38 - (i + 0.5) * step
        word(ax, (start - 0.1, y), text, size=12 if i == 0 else 10, ha="right")
        ax.add_patch(Rectangle((start, y - 0.08), max(chance * full, 0.01), 0.16, linewidth=0,
                               facecolor=word_color(text), zorder=2))  # fmt: skip
        label(ax, (start + max(chance * full, 0.01) + 0.08, y), percent(chance), size=10)
    label(ax, (start, box.bottom + step / 2), rest, size=10, color=style.MUTED)


@mpl.rc_context(style.PRINT)
def sentence_across(
    src: Sequence[str], memory: Any, tgt: Sequence[str], last: Any, weights: Any
) -> Figure:
    """All words: their memory on the left, what is written on the right, and who reads whom."""
    figure, ax = canvas(WIDTH, 2.52)
    wide, high, top, step = 2.35, 0.24, 1.74, 0.38
    left, right = 0.75, WIDTH - 0.95 - wide
    heading(ax, 2.32, "", "Which memory is read to write which word")
    label(ax, (left, 2.0), "the encoder's memory of", size=10)
    label(ax, ((left + wide + right) / 2, 2.0), "attention", size=10, ha="center")
    label(ax, (right, 2.0), "the position that writes", size=10)
    for i, text in enumerate(src):
        y = top - i * step
        word(ax, (left - 0.1, y), text, ha="right", size=12)
        strip(ax, (left, y - high / 2), wide, high, memory[i], limit=LIMIT)
    for j, text in enumerate(tgt):
        y = top - j * step
        word(ax, (right + wide + 0.1, y), text, ha="left", size=12)
        strip(ax, (right, y - high / 2), wide, high, last[j], limit=LIMIT)
        for i, source in enumerate(src):
            look(ax, (left + wide + 0.05, top - i * step), (right - 0.05, y),
                 float(weights[j][i]), source, widest=6, head=False)  # fmt: skip
    return figure


@mpl.rc_context(style.PRINT)
def whole_way(rows: Sequence[tuple[str, str, Any, str]], ends: Sequence[str]) -> Figure:
    """Every station of the way at the same size.

    rows: name, which stack it belongs to ("encoder", "decoder" or ""), vector, a word in front.
    ends: the word that comes out, and how likely it is.
    """
    step, high, pause = 0.215, 0.17, 0.34
    changes = [i for i in range(1, len(rows)) if rows[i][1] != rows[i - 1][1]]
    total = HEADING + step * len(rows) + pause * (len(changes) + 1) + 0.12
    figure, ax = canvas(WIDTH, total)
    heading(ax, total - 0.2, "", "From trees to árboles, station by station")
    y = total - HEADING
    colors = {"encoder": style.ENCODER, "decoder": style.DECODER}
    left, wide = 2.55, RIGHT - 2.55
    for i, (name, side, vector, front) in enumerate(rows):
        if i in changes:
            pointer(ax, (left + 0.2, y - 0.03), (left + 0.2, y - pause + 0.03))
            label(ax, (left + 0.35, y - pause / 2),
                  "each layer of the decoder reads this memory", size=10)  # fmt: skip
            y -= pause
        y -= step
        if side:
            ax.add_patch(Rectangle((0.98, y), 0.06, step, facecolor=colors[side], linewidth=0))
        label(ax, (left - 0.1, y + step / 2), name, size=10, ha="right")
        if front:
            word(ax, (0.88, y + step / 2), front, size=13, ha="right")
            label(ax, (0.88, y - step / 2), side, size=10, ha="right", color=colors[side])
        strip(ax, (left, y + (step - high) / 2), wide, high, vector, limit=LIMIT)
    pointer(ax, (left + 0.2, y - 0.03), (left + 0.2, y - pause + 0.03))
    word(ax, (left + 0.35, y - pause + 0.1), ends[0], size=14, ha="left")
    label(ax, (left + 0.5 + width_of(ends[0], 14), y - pause + 0.1), ends[1], size=10)
    return figure


@mpl.rc_context(style.PRINT)
def borrowed(
    rows: Sequence[tuple[str, Any, Sequence[str]]], arrow_from: int, arrow_to: int
) -> Figure:
    """Sentences that differ in the memory of one place: its strip, and what the decoder writes.

    rows: the English sentence, the memory of its last word, the words written. The memory of row
    `arrow_from` is put into the place of row `arrow_to`.
    """
    step = 0.62
    figure, ax = canvas(WIDTH, step * len(rows) + 0.66)
    left, wide = 1.75, 3.2
    heading(ax, step * len(rows) + 0.46, "", "What the memory holds is what gets written")
    label(ax, (left, step * len(rows) + 0.14), "memory of the last word", size=10)
    label(ax, (left + wide + 0.5, step * len(rows) + 0.14), "what the decoder writes", size=10)
    for i, (source, vector, written) in enumerate(rows):
        y = step * (len(rows) - 1 - i) + 0.3
        first, *more = source.split("\n")
        x = left - 0.12
        for text in reversed(first.split()):
            up = 0.1 if more else 0.0
            word(ax, (x, y + up), text, ha="right")
            x -= width_of(text, 11) + 0.09
        for text in more:
            label(ax, (left - 0.12, y - 0.1), text, size=10, ha="right")
        strip(ax, (left, y - 0.15), wide, 0.3, vector, limit=LIMIT,
              edge=style.HIGHLIGHT if i == arrow_to else "#BBBBBB",
              line=2.2 if i == arrow_to else 0.6)  # fmt: skip
        pointer(ax, (left + wide + 0.1, y), (left + wide + 0.42, y))
        x = left + wide + 0.5
        for text in written:
            word(ax, (x, y), text, ha="left")
            x += width_of(text, 11) + 0.09
    start, end = (step * (len(rows) - 1 - i) + 0.3 for i in (arrow_from, arrow_to))
    x = left + wide / 2
    look(ax, (x, start - 0.17 * (1 if start > end else -1)),
         (x, end + 0.17 * (1 if start > end else -1)), 0.8, style.HIGHLIGHT)  # fmt: skip
    return figure


@mpl.rc_context(style.PRINT)
def before_after(text: str, rows: Sequence[tuple[str, Any, Sequence[str]]]) -> Figure:
    """The same row of the table at several times, and the words whose rows are most like it."""
    step = 0.86
    figure, ax = canvas(WIDTH, step * len(rows) + HEADING)
    heading(ax, step * len(rows) + HEADING - 0.2, text, "what training makes of its row")
    for i, (title, vector, others) in enumerate(rows):
        y = step * (len(rows) - 1 - i) + 0.4
        label(ax, (LEFT - 0.1, y + 0.2), title, size=11, ha="right", weight="bold")
        strip(ax, (LEFT, y), RIGHT - LEFT, 0.4, vector, limit=LIMIT, edge=word_color(text),
              line=1.4)  # fmt: skip
        label(ax, (LEFT, y - 0.16), f"most like it: {', '.join(others)}", size=11)
    return figure


@mpl.rc_context(style.PRINT)
def sums(groups: Sequence[tuple[str, Sequence[tuple[str, Any]]]]) -> Figure:
    """A word, its position and their sum, for several words under each other.

    groups: the word, and its rows as (name, vector); the last row is the sum.
    """
    step, gap, high = 0.31, 0.16, 0.23
    rows = sum(len(group) for _, group in groups)
    total = rows * step + (len(groups) - 1) * gap + 0.42
    figure, ax = canvas(WIDTH, total)
    y = total - 0.06
    for text, group in groups:
        word(ax, (0.62, y - step * len(group) / 2), text, size=13)
        for i, (name, vector) in enumerate(group):
            y -= step
            last = i == len(group) - 1
            label(ax, (2.2, y + step / 2), name, size=10, ha="right",
                  weight="bold" if last else "normal")  # fmt: skip
            marked = {"edge": word_color(text), "line": 1.6} if last else {}
            at = (2.3, y + (step - high) / 2)
            strip(ax, at, RIGHT - 2.3, high, vector, limit=LIMIT, **marked)
        y -= gap
    scale(ax, (RIGHT - 0.95, 0.1), 0.7, limit=LIMIT)
    label(ax, (RIGHT - 1.3, 0.145), "value of a number", size=10, ha="right")
    return figure
