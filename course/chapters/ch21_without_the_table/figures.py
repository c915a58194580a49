"""Without the table: a state beside a cache, what it can copy, what it costs, what it is worth."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, box, path
from course.drawing.cells import area
from course.drawing.plots import multiples
from course.drawing.registry import figure
from course.drawing.words import Point, canvas, heading, label, titled, word

SENTENCE = ("the", "queen", "drank", "a", "glass", "of", "water")
LOUD = style.ACCENT
OFFSET = {"textcoords": "offset points"}


def _two_memories(words: Sequence[str] = SENTENCE) -> Figure:
    """Draw what is stored while a text is read: a cache that grows, and a state that doesn't."""
    figure, ax = canvas(style.WIDTH, 3.9)
    note = "What a layer hands on to the next word, after each word that it has read"
    heading(ax, "A cache keeps a row for each word, a state has one size", note)
    step = (style.WIDTH - 1.6) / len(words)
    for number, text in enumerate(words):
        x = 2.02 + step * number
        ax.vlines(x, 0.7, 1.6, color=style.RULE, linewidth=1.5, zorder=1)
        word(ax, (x, 1.25), text)
        for row in range(number + 1):
            new = style.SOFT if row == number else style.GROUND
            box(ax, (x, 1.66 + 0.165 * row), 0.52, 0.13, fill=new, round=0.03)
        mixed = to_hex(1 - (1 - np.array(to_rgb(LOUD))) * (number + 1) / len(words))
        box(ax, (x, 0.55), 0.52, 0.52, "S", LOUD, fill=mixed)
        if number:
            arrow(ax, (x - step + 0.3, 0.55), (x - 0.32, 0.55))
    label(ax, (x, 1.74 + 0.165 * len(words)), f"{len(words)} rows", ha="center", color=style.MUTED)
    label(ax, (x, 0.13), "1 matrix", ha="center", color=LOUD)
    for y, name, *rest in (
        (2.1, "cache", "a key and a value", "for each word"),
        (0.74, "state S", "one sum, always", "of the same size"),
    ):
        label(ax, (0.02, y), name, size=style.LABEL, weight="bold")
        for line, said in enumerate(rest, 1):
            label(ax, (0.02, y - 0.2 * line), said, color=style.MUTED)
    return figure


def _row(ax: Axes, at: Point, words: int, share: float, step: float, height: float) -> None:
    """Draw a row of words as cells, as many of them lit as are right: counted, not placed."""
    for place in range(words):
        color = LOUD if place < round(words * share) else style.RULE
        area(ax, (at[0] + step * place, at[1] - height / 2), 0.84 * step, height, color)


def _copied_rows(kinds: Mapping[str, Mapping[int, Sequence[float]]], numbers: int) -> Figure:
    """Draw rows of each length, lit as far as the middle seed predicts them when they come again.

    kinds: name -> words in a row -> a share for each of three seeds; the last one's lowest seed is
    told, too. numbers: in the state of each model.
    """
    figure, ax = canvas(style.WIDTH, 4.3)
    heading(
        ax,
        "A small state forgets long rows; a layer of attention remembers more of them",
        "A row is read twice: so many words of the second reading are predicted right",
    )
    for (name, found), x in zip(kinds.items(), (0.02, 4.22), strict=True):
        label(ax, (x, 3.35), name, size=style.LABEL, weight="bold")
        for row, (words, seeds) in enumerate(found.items()):
            y, share = 2.95 - 0.32 * row, float(np.median(seeds))
            _row(ax, (x, y), words, share, 0.1, 0.2)
            said, look = f"{100 * share:.0f} %", {"color": LOUD, "weight": "bold"}
            label(ax, (x + 0.1 * words + 0.07, y), said, **look)
    lowest = f"the lowest with attention gets {100 * min(seeds):.0f} % of {words} words"
    note = f"Both with {numbers} numbers in the state. The middle of three seeds; {lowest}"
    label(ax, (0.02, 0.2), note, color=style.MUTED)
    return figure


def _state_sizes(sizes: Mapping[int, Sequence[float]], words: int) -> Figure:
    """Draw states as squares, and beside each how much of a row of so many words it repeats.

    sizes: numbers in the state -> the share of right words for each seed, of which the mean counts.
    """
    figure, ax = canvas(style.WIDTH, 4.65)
    note = f"Linear attention reads {words} words twice: so many of the second reading it predicts"
    heading(ax, "The larger the state, the more of a long row it holds", note)
    label(ax, (0.02, 3.72), "numbers in the state", color=style.MUTED)
    y, largest = 3.6, max(sizes)
    for numbers, seeds in sizes.items():
        share, side = float(np.mean(seeds)), 0.92 * (numbers / largest) ** 0.5
        y -= 0.13 + max(side, 0.4) / 2
        area(ax, (1.25 - side / 2, y - side / 2), side, side, style.SOFT)
        label(ax, (0.55, y), f"{numbers:,}", size=style.LABEL, ha="right")
        _row(ax, (2.0, y), words, share, 0.163, 0.3)
        label(ax, (7.3, y), f"{100 * share:.0f} %", size=style.LABEL, color=LOUD, weight="bold")
        y -= max(side, 0.4) / 2
    return figure


def _cost_lines(
    lengths: Sequence[int], kept: Mapping[str, Sequence[float]], time: Sequence[float]
) -> Figure:
    """Draw the time for the next word, in that of linear attention, and squares for what is kept.

    kept: the bytes of the cache and of linear attention's state, for each length. time: with the
    cache. Where it gets slower is marked.
    """
    figure, ax = style.panel(4.6)
    note = "Area of a square: what a layer keeps; linear attention keeps a state of one size"
    titled(figure, "A cache grows with the text, and so does the time for the next word", note)
    after = next(place for place, one in enumerate(time) if one > 1)
    slower = np.interp(1, time[after - 1 : after + 1], lengths[after - 1 : after + 1])
    x, y = [*lengths[:after], slower, *lengths[after:]], [*time[:after], 1, *time[after:]]
    ax.fill_between(x[after:], 1, y[after:], color=style.tint(LOUD), linewidth=0, zorder=0)
    places, largest = (0, -3, -2, -1), max(max(bytes_) for bytes_ in kept.values())
    looks = zip((time, [1] * len(time)), (LOUD, style.MUTED), strict=True)
    for (name, bytes_), (times, color) in zip(kept.items(), looks, strict=True):
        ax.plot(lengths, times, color=color, label=name)
        areas = [3000 * one / largest for one in bytes_]
        for place in places:
            look = {"color": color, "marker": "s", "linewidth": 0, "zorder": 3}
            ax.scatter(lengths[place], times[place], areas[place], **look)
        said = f"{name}:\n{bytes_[-1] / 1000:,.0f} kilobytes"
        up = (areas[-1] ** 0.5 / 2 + 8, 0)
        ax.annotate(said, (lengths[-1], times[-1]), up, va="center", color=color, **OFFSET)
    said = f"slower from about\n{round(slower, -2):,.0f} words on"
    ax.annotate(said, (slower, 1), (0, -10), va="top", color=LOUD, size=style.NOTE, **OFFSET)
    ax.set(
        xlabel="words so far",
        xlim=(-40, 2180),
        xticks=[lengths[place] for place in places],
    )
    ax.set_ylabel("time for the next word, as a multiple of linear attention’s")
    ax.set(ylim=(0.4, 1.8), yticks=[0.5, 1, 1.5])
    ax.xaxis.set_major_formatter("{x:,.0f}")
    multiples(ax.yaxis)
    return figure


def _levels(
    right: Mapping[str, Mapping[str, Sequence[float]]], kinds: Sequence[Sequence[str]]
) -> Figure:
    """Draw how many sentences of a kind are right, with each layer in place of self-attention.

    right: layer -> split -> the share of each seed; the first is self-attention, the second is in
    the accent color. kinds: for each row a split, its name and a sentence of it.
    """
    figure, ax = canvas(style.WIDTH, 4.4)
    note = "Right translations of 100; small dots: two other states in place of attention"
    heading(ax, "The minGRU, a gated state, reads longer sentences better than attention", note)
    base, loud, *_ = right
    for (split, name, example), y in zip(kinds, (3.05, 1.8, 0.8), strict=True):
        first = split == kinds[0][0]
        label(ax, (0.02, y + 0.1), name, size=style.LABEL, weight="bold")
        label(ax, (0.02, y - 0.14), textwrap.fill(example, 36), color=style.MUTED, va="top")
        means = {layer: float(np.mean(shares[split])) for layer, shares in right.items()}
        at = {layer: 3.2 + 4.6 * mean for layer, mean in means.items()}
        path(ax, [(3.2, y), (7.8, y)], style.RULE, head=False, thick=1)
        path(ax, [(at[base], y), (at[loud], y)], LOUD if first else style.SOFT, head=False, thick=4)
        for layer, x in at.items():
            strong = layer in (base, loud)
            color = LOUD if layer == loud else style.MUTED if layer == base else style.SOFT
            ax.plot(x, y, "o", color=color, markersize=11 if strong else 7, zorder=3 + strong)
            said = f"{100 * means[layer]:.0f}" if strong else ""
            look = {"ha": "center", "color": style.readable(color, style.PAPER)}
            label(ax, (x, y - 0.22), said, weight="bold", size=style.LABEL, **look)
            if first and strong:
                label(ax, (x, y + 0.24), layer, **look)
    return figure


# --- the figures of the notebook ------------------------------------------------------------------


@figure(
    "without-two-memories",
    caption="What is handed on from word to word: a cache that grows, or a state of one size.",
    alt="Seven words from left to right. Above each a stack of small boxes, one at the first word, "
    "seven at the last, the newest on top and marked: the cache, a key and a value for each word. "
    "Below the words a chain of seven boxes of the same size, each with an S and in a stronger "
    "orange than the one before: the state, one sum. The last stack is named 7 rows, the last S 1 "
    "matrix.",
)
def draw_two_memories() -> Figure:
    return _two_memories()


@figure(
    "without-copies",
    hero=True,
    caption="A small state copies little of a long row; with one layer of attention in two, two of "
    "three seeds copy every row.",
    alt="Rows of 4 to 32 cells, twice, lit for the words that are right, by the middle of three "
    "seeds. Linear attention with 352 numbers in its state lights 33 % of 4 words, and fewer in "
    "each longer row, down to 6 % of 32. With one layer of attention all rows are lit, to 98 % and "
    "more. A note: the lowest seed with attention gets 38 % of 32 words.",
)
def draw_copies() -> Figure:
    from course.chapters.ch21_without_the_table import results

    runs = results.copying()
    (size, numbers), *_ = results.sizes(runs, "linear attention").items()
    lengths = [int(words) for words in runs[0]["copied"]]
    alone, mixed = (
        {words: results.copied(runs, kind, size, words) for words in lengths}
        for kind, size in (("linear attention", size), ("one layer of attention", 4))
    )
    kinds = {"linear attention": alone, "with one layer of attention": mixed}
    return _copied_rows(kinds, numbers)


@figure(
    "without-sizes",
    caption="More numbers in the state, more of a long row: the means of three seeds.",
    alt="Five states as squares, each twice as large as the one before, and beside each a row of "
    "32 cells, lit for the words that linear attention predicts when the row comes again: with 352 "
    "numbers 2 cells, 7 %; with 704, 1,408, 2,816 and 5,632 numbers 36, 82, 95 and 99 %.",
)
def draw_sizes() -> Figure:
    from course.chapters.ch21_without_the_table import results

    runs, kind = results.copying(), "linear attention"
    sizes = results.sizes(runs, kind).items()
    found = {numbers: results.copied(runs, kind, size) for size, numbers in sizes}
    return _state_sizes(found, results.LONG)


@figure(
    "without-costs",
    caption="What a layer keeps, and what the next word takes, after 16 to 2,048 words.",
    alt="The time for the next word, by linear attention's, against the words so far. With a cache "
    "it rises from 0.7 to 1.5; from about 700 words on it is above 1, and tinted. A square at each "
    "length has the area of what is kept: with a cache it grows to 2,097 kilobytes, that of linear "
    "attention stays at 17.",
)
def draw_costs() -> Figure:
    rows, cache = experiments.load("state-times")["rows"], "attention, with a cache"
    return _cost_lines(
        [row["length"] for row in rows],
        {name: [row["bytes"][name] for row in rows] for name in (cache, "linear attention")},
        [row["next word"][cache] for row in rows],
    )


@figure(
    "without-worth",
    caption="A state in place of each self-attention of the translator, the means of three seeds.",
    alt="Right sentences of 100, a line for each kind. Longer ones than in training: "
    "self-attention 18, the minGRU 68, the two other states near self-attention. Ordinary ones: "
    "self-attention 85, the minGRU 91, the others below. With a pronoun: self-attention 70, the "
    "minGRU 63, the others below both. An example of each kind stands beside it.",
)
def draw_worth() -> Figure:
    from course.chapters.ch21_without_the_table import experiments as exchange
    from transformer_lib.text import english_spanish

    found = exchange.right()
    found = {"self-attention": found.pop("base"), "minGRU": found.pop("minGRU"), **found}
    kinds = {"longer": "longer sentences", "test": "as in training", "pronoun": "with a pronoun"}
    return _levels(
        found, [(split, said, english_spanish.load(split)[0][0]) for split, said in kinds.items()]
    )
