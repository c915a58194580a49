"""Without the table: a state beside a cache, what it can copy, what it costs, what it is worth."""

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch21_without_the_table import experiments as exchange
from course.chapters.ch21_without_the_table import results
from course.drawing import style
from course.drawing.arrows import arrow, box, path
from course.drawing.cells import area
from course.drawing.registry import figure
from course.drawing.words import canvas, label, sentence, word
from transformer_lib.text import english_spanish

SENTENCE = ("the", "queen", "drank", "a", "glass", "of", "water")
LOUD = style.ACCENT
BOLD = {"size": style.LABEL, "weight": "bold"}
NUMBER = {**BOLD, "color": LOUD}


@figure(
    "without-two-memories",
    caption="What is handed on from word to word: a cache that grows, or a state of one size.",
    alt="Seven words from left to right. Above each a stack of small boxes, one at the first word, "
    "seven at the last, the newest on top and marked: the cache, a key and a value for each word. "
    "Below the words a chain of seven boxes of the same size, each in a stronger orange than the "
    "one before: the state, one sum. The last stack "
    "is named 7 rows, the last box 1 matrix.",
)
def draw_two_memories() -> Figure:
    """What is stored while a text is read: a cache that grows, and a state that doesn't."""
    note = "What a layer hands on to the next word, after each word that it has read"
    figure, ax = canvas(3.75, "A cache keeps a row for each word, a state has one size", note)
    step = 0.84
    for number, text in enumerate(SENTENCE):
        x = 1.95 + step * number
        path(ax, [(x, 0.75), (x, 1.55)], style.RULE, head=False, zorder=1)
        word(ax, (x, 1.16), text)
        for row in range(number + 1):
            new = style.SOFT if row == number else style.GROUND
            box(ax, (x, 1.58 + 0.165 * row), 0.52, 0.13, fill=new, round=0.03)
        mixed = to_hex(1 - (1 - np.array(to_rgb(LOUD))) * (number + 1) / len(SENTENCE))
        box(ax, (x, 0.5), 0.52, 0.52, "", LOUD, fill=mixed)
        if number:
            arrow(ax, (x - step + 0.3, 0.5), (x - 0.32, 0.5), LOUD)
    label(ax, (x + 0.38, 1.58 + 0.0825 * number), f"{len(SENTENCE)} rows", **BOLD)
    label(ax, (x + 0.38, 0.5), "1 matrix", **NUMBER)
    for y, name, said in (
        (1.95, "cache", "a key and a value\nfor each word"),
        (0.68, "state", "of one size; a stronger\ncolor: more words"),
    ):
        label(ax, (0.02, y), name, **BOLD)
        label(ax, (0.02, y - 0.31), said, color=style.MUTED)
    return figure


@figure(
    "without-copies",
    hero=True,
    caption="A small state copies little of a long row; with one layer of attention in two, two of "
    "three seeds copy every row.",
    alt="Rows of 4, 8, 16 and 32 cells, twice, lit for as many words as are right. Linear "
    "attention with 352 numbers in its state lights 33 % of 4 words, 22 % of 8 and 12 % of 16; "
    "with one layer of attention all are lit, to 98 % and more. The row of 32 words is there for "
    "each of three seeds: linear attention 15, 6 and 1 %, with a layer of attention 100, 100 and "
    "38 %.",
)
def draw_copies() -> Figure:
    runs = results.copying()
    (size, _), *_ = results.sizes(runs, "linear attention").items()
    kinds = (
        ("linear attention", "linear attention", size),
        ("one of its two layers is attention", "one layer of attention", 4),
    )
    note = "Rows of words are read twice: so many of the second reading are predicted"
    figure, ax = canvas(
        3.95, "A small state repeats a few words of a row, a layer of attention far more", note
    )
    for (name, kind, size), x in zip(kinds, (0.95, 4.55), strict=True):
        label(ax, (x, 3.02), name, **BOLD)
        y = 2.98
        for words in (4, 8, 16, results.LONG):
            seeds = results.copied(runs, kind, size, words)
            shown = sorted(seeds, reverse=True) if words == results.LONG else [np.median(seeds)]
            label(ax, (0.02, y - 0.36), f"{words} words", **BOLD)
            for share in map(float, shown):
                y -= 0.36
                for part, color in ((1, style.RULE), (share, LOUD)):
                    area(ax, (x, y - 0.12), 0.088 * words * part, 0.24, color)
                for place in range(1, words):  # what parts them
                    area(ax, (x + 0.088 * place - 0.008, y - 0.12), 0.016, 0.24, style.PAPER)
                label(ax, (x + 0.088 * words + 0.07, y), f"{100 * share:.0f} %", **NUMBER)
            y -= 0.12
    label(ax, (0.02, y + 0.46), "in three runs\nof training", color=style.MUTED)
    return figure


@figure(
    "without-sizes",
    caption="More numbers in the state, more of a long row: the means of three seeds.",
    alt="Five states as squares, each twice as large as the one before, and after each a bar for "
    "the share of 32 words that linear attention predicts when the row comes again: with 352 "
    "numbers 7 %; with 704, 1,408, 2,816 and 5,632 numbers 36, 82, 95 and 99 %. The first and the "
    "third are orange.",
)
def draw_sizes() -> Figure:
    runs, kind = results.copying(), "linear attention"
    sizes = {
        n: np.mean(results.copied(runs, kind, s)) for s, n in results.sizes(runs, kind).items()
    }
    small, _, large, *_ = sizes  # the loud ones
    title = f"A state {large // small} times as large holds {100 * sizes[large]:.0f} % of a long "
    title += f"row, not {100 * sizes[small]:.0f} %"
    note = f"Linear attention reads a row of {results.LONG} words twice, with a state of five sizes"
    figure, ax = canvas(4.2, title, note)
    label(ax, (0.02, 3.3), "numbers in the state", color=style.MUTED)
    label(ax, (2.0, 3.3), "words of the second reading that are predicted", color=style.MUTED)
    for row, (numbers, share) in enumerate(sizes.items()):
        y, side = 2.86 - 0.62 * row, 0.54 * (numbers / max(sizes)) ** 0.5
        look = {**BOLD, "color": LOUD} if numbers in (small, large) else {"size": style.LABEL}
        area(ax, (1.2 - side / 2, y - side / 2), side, side, look.get("color", style.SOFT))
        label(ax, (0.6, y), f"{numbers:,}", ha="right", **look)
        if row:
            label(ax, (0.6, y + 0.31), "× 2", ha="right", color=style.MUTED)
        area(ax, (2.0, y - 0.17), 5.2, 0.34, style.RULE)
        area(ax, (2.0, y - 0.17), 5.2 * share, 0.34, look.get("color", style.SOFT))
        label(ax, (7.3, y), f"{100 * share:.0f} %", **look)
    return figure


@figure(
    "without-costs",
    caption="What a layer keeps, and what the next word takes, after 16 to 2,048 words.",
    alt="Two panels above each other, against the words so far. Above, the time for the next word, "
    "by linear attention's: with a cache it rises from 0.7 to 1.5; from about 700 words on it is "
    "above 1, and tinted. Below, a square at each length has the area of what is kept: with a "
    "cache it grows to 2,097 kilobytes, that of linear attention stays at 17.",
)
def draw_costs() -> Figure:
    rows, cache, state = experiments.load("state-times")["rows"], "with a cache", "linear attention"
    lengths = np.array([row["length"] for row in rows])
    time = np.array([row["next word"][f"attention, {cache}"] for row in rows])
    kept = {cache: f"attention, {cache}", state: state}
    figure, ax = canvas(4.4, "A cache grows with the text, and so does the time for the next word")
    left, wide, one, high = 1.5, 4.7 / lengths[-1], 2.45, 1.6  # high: of linear attention's time
    xs, ys = left + wide * lengths, one + high * (time - 1)
    after = int(np.argmax(time > 1))
    slower = np.interp(1, time[after - 1 : after + 1], lengths[after - 1 : after + 1])
    over = [left + wide * slower, *xs[after:]]
    ax.fill_between(over, one, [one, *ys[after:]], color=style.tint(LOUD), linewidth=0)
    ax.plot(xs, ys, color=LOUD, linewidth=2.8)
    path(ax, [(left, one), (xs[-1], one)], style.MUTED, head=False, thick=2)
    ax.plot(over[0], one, "o", color=LOUD, markersize=7, zorder=4)
    said = f"slower from about\n{round(slower, -2):,.0f} words on"
    label(ax, (over[0] + 0.05, one - 0.3), said, color=LOUD)
    label(ax, (0.02, one + 0.5), "time for the\nnext word", **BOLD)
    label(ax, (xs[-1] + 0.12, ys[-1]), f"{time[-1]:.1f} × {cache}", **NUMBER)
    label(ax, (xs[-1] + 0.12, one), f"1 × {state}", **{**BOLD, "color": style.MUTED})
    label(ax, (0.02, 0.98), "what a layer\nkeeps", **BOLD)
    largest = max(row["bytes"][kept[cache]] for row in rows)
    for stored, low, color in zip(kept.values(), (0.8, 0.5), (LOUD, style.MUTED), strict=True):
        for place in (0, -3, -2, -1):
            size, x = rows[place]["bytes"][stored], xs[place]
            side = 0.72 * (size / largest) ** 0.5
            area(ax, (x - side / 2, low), side, side, color)
            if color == LOUD:
                label(ax, (x, 0.2), f"{lengths[place]:,}", ha="center", color=style.MUTED)
        y, said = low + side / 2, f"{size / 1000:,.0f} kilobytes"
        label(ax, (xs[-1] + 0.12 + side / 2, y), said, **{**BOLD, "color": color})
    label(ax, (0.02, 0.2), "words so far", color=style.MUTED)
    return figure


@figure(
    "without-worth",
    caption="A state in place of each self-attention of the translator, the means of three seeds.",
    alt="Right sentences of 100, a line from 0 to 100 for each kind, below an example of it. "
    "Longer ones than in training: self-attention 18, the minGRU 68. Ordinary ones: self-attention "
    "85, the minGRU 91. With a pronoun: self-attention 70, the minGRU 63.",
)
def draw_worth() -> Figure:
    right = exchange.right()
    note = "How many of 100 sentences are right, with one or the other in each layer"
    figure, ax = canvas(
        4.2, "The minGRU, a gated state, reads longer sentences better than attention", note
    )
    left, wide = 0.02, 7.8
    names = {"longer": "longer", "test": "ordinary", "pronoun": "pronoun"}
    for row, (split, name) in enumerate(names.items()):
        y = 2.52 - 0.98 * row
        path(ax, [(left, y), (left + wide, y)], style.RULE, head=False)
        label(ax, (0.02, y + 0.55), name, **BOLD)
        example = english_spanish.load(split)[0][0].split()
        sentence(ax, (0.95, y + 0.5), example, {}, size=style.NOTE, gap=0.11)
        base, state = (float(np.mean(right[layer][split])) for layer in ("base", "minGRU"))
        ahead = [(LOUD, "minGRU", state), (style.MUTED, "self-attention", base)]
        ahead = sorted(ahead, key=lambda one: -one[2])
        xs = [left + wide * share for *_, share in ahead]
        path(ax, [(xs[1], y), (xs[0], y)], style.tint(ahead[0][0]), head=False, thick=9, zorder=2)
        for (color, layer, share), x, ha in zip(ahead, xs, ("left", "right"), strict=True):
            ax.plot(x, y, "o", color=color, markersize=11, zorder=3)
            said = f"{layer}  {100 * share:.0f}" if ha == "right" else f"{100 * share:.0f}  {layer}"
            at = x + (0.09 if ha == "right" else -0.09), y + 0.21
            label(ax, at, said, ha=ha, **{**BOLD, "color": color})
    for end, ha in enumerate(("left", "right")):
        label(ax, (left + wide * end, y - 0.26), f"{100 * end} right", ha=ha, color=style.MUTED)
    return figure
