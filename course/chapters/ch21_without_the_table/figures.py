"""Without the table: a state beside a cache, what it can copy, what it costs, what it is worth."""

import textwrap

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch21_without_the_table import experiments as exchange
from course.chapters.ch21_without_the_table import results
from course.drawing import style
from course.drawing.arrows import arrow, box, segment
from course.drawing.cells import area, bar
from course.drawing.registry import figure
from course.drawing.words import bold, canvas, label, muted, word
from transformer_lib.text import english_spanish

SENTENCE = ("the", "queen", "drank", "a", "glass", "of", "water")
LOUD = style.ACCENT
SKIPPED = (32, 64, 128)  # lengths that show no more than their neighbors


@figure(
    "without-two-memories",
    caption="What is handed on from word to word: a cache that grows, or a state of one size.",
    alt="""Seven words from left to right. Above each a stack of small boxes, one at the first
    word, seven at the last, the newest on top and marked: the cache, a key and a value for each
    word. Below the words a chain of seven boxes of the same size, each in a stronger orange than
    the one before: the state, one sum. The last stack is named 7 rows, the last box 1 matrix.""",
)
def draw_two_memories() -> Figure:
    """What is stored while a text is read: a cache that grows, and a state that doesn't."""
    note = "What a layer hands on to the next word, after each word that it has read"
    figure, ax = canvas(
        3.75, "A cache grows by a row with each word; a state stays the same size", note
    )
    step = 0.84
    for number, text in enumerate(SENTENCE):
        x = 1.95 + step * number
        segment(ax, (x, 0.75), (x, 1.55), style.RULE, zorder=1)
        word(ax, (x, 1.16), text)
        for row in range(number + 1):
            new = style.SOFT if row == number else style.GROUND
            box(ax, (x, 1.58 + 0.165 * row), 0.52, 0.13, fill=new, round=0.03)
        mixed = to_hex(1 - (1 - np.array(to_rgb(LOUD))) * (number + 1) / len(SENTENCE))
        box(ax, (x, 0.5), 0.52, 0.52, "", LOUD, fill=mixed)
        if number:
            arrow(ax, (x - step + 0.3, 0.5), (x - 0.32, 0.5), LOUD)
    bold(ax, (x + 0.38, 1.58 + 0.0825 * number), f"{len(SENTENCE)} rows")
    bold(ax, (x + 0.38, 0.5), "1 matrix", color=LOUD)
    for y, name, said in (
        (1.95, "cache", "a key and a value\nfor each word"),
        (0.68, "state", "of one size; darker\nwith more words"),
    ):
        bold(ax, (0.02, y), name)
        muted(ax, (0.02, y - 0.31), said)
    return figure


@figure(
    "without-copies",
    hero=True,
    caption="""A small state copies little of a long row; with one layer of attention in two, two
    of three runs copy every row.""",
    alt="""Rows of 4, 8, 16 and 32 cells, twice, filled for as many words as are correct. Linear
    attention with 704 numbers in its states fills 96% of 4 words, 91% of 8 and 72% of 16; with
    one layer of attention, in orange, all are filled, to 98% and more. The row of 32 words is
    there for each of three seeds: linear attention 44, 42 and 22%, with a layer of attention
    100, 100 and 38%.""",
)
def draw_copies() -> Figure:
    runs = results.copying()
    size, kind = 4, "linear attention"  # as trained in the notebook
    kinds = (
        (f"{kind}, {results.sizes(runs, kind)[size]} numbers", kind, size, style.MUTED),
        ("a state and a layer of attention", "one layer of attention", 4, LOUD),
    )
    note = (
        "Filled: words predicted correctly in the second reading; "
        "rows of up to 16 words, the median run"
    )
    figure, ax = canvas(
        3.95, "A small state doesn’t copy a long row; with attention, two of three runs do", note
    )
    for (name, kind, size, loud), x in zip(kinds, (0.95, 4.55), strict=True):
        bold(ax, (x, 3.02), name, color=loud)
        y = 2.98
        for words in (4, 8, 16, results.LONG):
            seeds = results.copied(runs, kind, size, words)
            shown = sorted(seeds, reverse=True) if words == results.LONG else [np.median(seeds)]
            bold(ax, (0.02, y - 0.36), f"{words} words")
            for share in map(float, shown):
                y -= 0.36
                bar(ax, (x, y - 0.12), 0.088 * words, 0.24, share, loud, color=style.RULE)
                for place in range(1, words):  # what parts them
                    area(ax, (x + 0.088 * place - 0.008, y - 0.12), 0.016, 0.24, style.PAPER)
                bold(ax, (x + 0.088 * words + 0.07, y), f"{100 * share:.0f}%", color=loud)
            y -= 0.12
    muted(ax, (0.02, y + 0.46), "each of\nthree runs")
    return figure


@figure(
    "without-costs",
    caption="What a layer keeps, and what the next word takes, after 16 to 2,048 words.",
    alt="""Two columns of bars, attention with a cache after 16, 256, 512, 1,024 and 2,048 words.
    The time for the next word, by linear attention's, a line at 1: 0.7, 0.8, 0.9, 1.1 and 1.5.
    What a layer keeps: 16 kilobytes, then 262, 524, 1,049 and 2,097; linear attention's state, a
    line, has 17. Orange: the bars beyond the lines.""",
)
def draw_costs() -> Figure:
    cache, state = "attention, with a cache", "linear attention"
    rows = [row for row in experiments.load("state-times")["rows"] if row["length"] not in SKIPPED]
    note = "Bars: attention with a cache; lines: linear attention with its state"
    title = "A cache grows with the text, and so does the time for the next word"
    figure, ax = canvas(3.75, title, note)
    bold(ax, (0.02, 2.72), "words so far")
    for left, inch, name, unit, key, said in (
        (1.35, 1.4, "time for the next word", 1, "next word", "{:.1f}×"),
        (4.6, 0.001, "what a layer keeps", 1000, "bytes", "{:,.0f} kilobytes"),
    ):
        one = 1 if key == "next word" else rows[0][key][state] / unit
        bold(ax, (left, 2.72), name)
        segment(ax, (left + inch * one, 0.05), (left + inch * one, 2.35), style.INK)
        label(ax, (left + inch * one, 2.45), f"{said.format(one)}: {state}")
        for place, row in enumerate(rows):
            y, cost = 2.08 - 0.44 * place, row[key][cache] / unit
            color = LOUD if cost > one else style.SOFT
            area(ax, (left, y - 0.14), inch * cost, 0.28, color)
            bold(ax, (left + inch * max(cost, one) + 0.1, y), said.format(cost), color=color)
            label(ax, (0.95, y), f"{row['length']:,}", ha="right", size=style.LABEL)
    return figure


@figure(
    "without-worth",
    caption="A state in place of each self-attention of the translator: three runs, their mean.",
    alt="""Correct sentences out of 100, a line from 0 to 100 for each kind, with an example of
    it; small dots are the runs, large ones their means. Longer ones than in training: 18 with
    the attention of 2017, 51 with rotary positions besides, 68 with the minGRU. Ordinary ones:
    85 with the attention of 2017, 91 with the minGRU. With a pronoun: 70 and 63, and the runs
    overlap.""",
)
def draw_worth() -> Figure:
    right = {**exchange.right(), **exchange.right_today()}
    title = "The minGRU is far ahead on longer sentences, but on average behind with a pronoun"
    note = "Correct sentences out of 100; small dots: three runs, large dots: their means"
    figure, ax = canvas(3.95, title, note)
    left, wide = 2.95, 4.2
    names = {"longer": "longer", "test": "ordinary", "pronoun": "with a pronoun"}
    for row, (split, name) in enumerate(names.items()):
        y = 2.55 - 0.95 * row
        segment(ax, (left, y), (left + wide, y), style.RULE, zorder=1)
        example = "“" + english_spanish.load(split)[0][0] + "”"
        bold(ax, (0.02, y + 0.3), name)
        muted(ax, (0.02, y + 0.18), textwrap.fill(example, 36), va="top")
        shown = [("minGRU", LOUD), ("base", style.MUTED)]
        shown += [("rotary", style.INK)] if split == "longer" else []
        means = {layer: float(np.mean(right[layer][split])) for layer, _ in shown}
        for layer, color in shown:
            x, runs = left + wide * means[layer], right[layer][split]
            lane = y + 0.05 if layer == "base" else y - 0.05  # so that no run hides another
            ax.plot([left + wide * run for run in runs], 3 * [lane], "o", color=color, markersize=5)
            ax.plot(x, y, "o", color=color, markersize=13, zorder=0.5, alpha=0.35)
            said = f"{CALLED[layer]}  {100 * means[layer]:.0f}"
            if layer == "rotary":
                bold(ax, (x, y - 0.26), said, ha="center", color=color)
                continue
            ha = "left" if means[layer] == max(means.values()) else "right"
            bold(ax, (x + (0.09 if ha == "right" else -0.09), y + 0.23), said, ha=ha, color=color)
    for end, ha in enumerate(("left", "right")):
        muted(ax, (left + wide * end, y - 0.26), f"{100 * end} correct", ha=ha)
    return figure


CALLED = {"minGRU": "minGRU", "base": "2017 attention", "rotary": "… with rotary positions"}
