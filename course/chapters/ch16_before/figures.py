"""Recurrent translators: how they are built, where they are right, and how long they wait."""

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch16_before.experiment_waiting import quickest
from course.drawing import style
from course.drawing.arrows import arrow, box, curve, path
from course.drawing.cells import area
from course.drawing.plots import name_lines, shares
from course.drawing.registry import figure
from course.drawing.words import (
    canvas,
    label,
    percent,
    sentence,
    titled,
    width_of,
    word,
    word_color,
)

LABELS = {  # what the translators are called
    "none": "recurrent, no attention",
    "dot": "recurrent + dot-product attention",
    "additive": "recurrent + additive attention",
    "transformer": "Transformer",
}
SPLITS = {  # name -> what it is called, and a sentence of it
    "test": ("ordinary sentences", "The mouse wasn't in the garden"),
    "pronoun": (
        "“it” far from its noun",
        "The animal didn't cross the street because it was too tired",
    ),
    "longer": (
        "longer than in training",
        "The old duck doesn't want to cross that empty square because it is very nervous and sick",
    ),
}
LEARNED = 14  # tokens of the longest sentence in training


def runs() -> dict[str, list[Mapping[str, Any]]]:
    """The stored runs of each kind of translator."""
    from course.chapters.ch16_before.experiments import chosen

    return {kind: chosen()[kind] for kind in LABELS}


@figure(
    "before-three",
    hero=True,
    caption="What a word is written from: one state, all states, or all words.",
    alt="Three rows of boxes with the words 'I like trees <eos>' and 'me gustan los árboles'. "
    "2014: arrows lead from box to box through all of them, and only the orange box at the end of "
    "the English leads to the Spanish. 2015: the same chain, in grey, and from 'árboles' arches to "
    "all English boxes, the thickest to 'trees'. 2017: no chain; arches lead from 'trees' to the "
    "other English boxes, and from 'árboles' to all English and all earlier Spanish boxes.",
)
def draw_three() -> Figure:
    words = "I like trees <eos> me gustan los árboles".split()
    widths = np.array([0.42, 0.5, 0.62, 0.64, 0.5, 0.78, 0.5, 0.82])
    middles = 1.19 + np.cumsum(widths + 0.24) - widths / 2
    figure, ax = canvas(4.7, "In three years, from one bottleneck to looking at every word")
    for year, said, y in (
        (2014, "one state is\nhanded on", 3.6),
        (2015, "each new word,\nhere “árboles”,\nalso looks back", 2.15),
        (2017, "no chain: each\nnew word looks at\nall before it", 0.7),
    ):
        label(ax, (0.02, y + 0.42), f"{year}", size=style.TITLE, weight="bold")
        label(ax, (0.02, y + 0.22), said, color=style.MUTED, va="top")
        for i, (text, x) in enumerate(zip(words, middles, strict=True)):
            neck, color = year == 2014 and text == "<eos>", word_color(text)
            ink = style.PAPER if neck else style.readable(color)
            fill = style.ACCENT if neck else style.tint(color)
            box(ax, (x, y), widths[i], 0.42, fill=fill, line=0)
            label(ax, (x, y), text, size=style.LABEL, ha="center", weight="bold", color=ink)
            said = "the bottleneck: all passes through here" if neck else ""
            label(ax, (x, y + 0.36), said, ha="center", weight="bold", color=style.ACCENT)
            if year < 2017 and i:
                ends = (middles[i - 1] + widths[i - 1] / 2, y), (x - widths[i] / 2 - 0.02, y)
                arrow(ax, *ends, style.INK if year == 2014 else style.SOFT)
            looks = [(-1, style.DECODER, 1)] if i < {2014: 0, 2015: 4, 2017: 7}[year] else []
            looks += [(2, style.ENCODER, -1)] if year == 2017 and i in (0, 1, 3) else []
            for who, color, up in looks:
                start = middles[who] + (0.3 - 0.1 * i if up > 0 else 0.14 * np.sign(i - who))
                ends = (start, y + 0.23 * up), (x, y + 0.23 * up)
                loud = text == "trees"
                look = {"thick": 3.5 if loud else 1.25, "alpha": 1 if loud or up < 0 else 0.5}
                arrow(ax, *ends, color, rise=up * (0.13 + 0.12 * abs(start - x)), **look)
    said = "English words look at each other, too: here “trees”"
    label(ax, (middles[3] + 0.15, y - 0.42), said, color=style.ENCODER)
    return figure


@figure(
    "before-backwards",
    caption="A recurrent translator of digits: what it looks at, and what share it has right.",
    alt="On the left a row of digits, and below it the same row backwards. Lines from each digit "
    "that is to be written to those that are looked at cross in the middle: the thickest of each "
    "leads to the same digit in the other row. On the right the share of rows without a mistake "
    "against their length: without attention it falls from 100 % with 3 digits to 3 % with 10; "
    "with attention (dot products) it stays above 96 % up to 9 digits and is near 86 % with 10.",
)
def draw_backwards() -> Figure:
    stored = experiments.load("backwards")
    row, teal = stored["row"], style.WEIGHT_COLORS[3]
    looks = next(run["looks"] for run in stored["runs"] if run["attention"] == "dot")
    title = "Only with attention are long rows of digits written backwards"
    note = "Where a recurrent translator looks: thicker lines are more attention, at least 25 %"
    figure, ax = canvas(3.8, title, note)
    places = [0.2 + 0.4 * i for i in range(len(row))]
    for y, digits, down, said in (
        (2.5, row, 0.42, "it reads"),
        (0.8, row[::-1], -0.42, "it should write"),
    ):
        label(ax, (0.04, y + down), said, color=style.MUTED)
        for x, digit in zip(places, digits, strict=True):
            color = teal if digit in (row[0], row[-1]) else style.MUTED
            box(ax, (x, y), 0.33, 0.44, digit, color, size=style.TITLE)
    for (i, j), weight in np.ndenumerate(np.array(looks)[:-1, :-1]):
        if weight > 0.25:
            ends = (places[i], 1.05), (places[j], 2.25)
            path(ax, ends, teal, head=False, thick=4 * weight)
    label(ax, (2.5, 1.65), "attention", color=teal, weight="bold")
    label(ax, (4.3, 2.92), "rows without a mistake", color=style.MUTED)
    chart = figure.add_axes((0.6, 0.205, 0.21, 0.49))
    for kind, said, color in (("dot", "with attention", teal), ("none", "without", style.MUTED)):
        found = [run["by_length"] for run in stored["runs"] if run["attention"] == kind]
        digits = [entry["digits"] for entry in found[0]]
        mean = np.mean([[entry["right"] for entry in entries] for entries in found], axis=0)
        end = f"{percent(mean[-1])} {said}"
        chart.plot(digits, mean, color=color, linewidth=3, clip_on=False, label=end)
    chart.set(xlabel="digits in the row", ylim=(0, 1.04), xlim=(digits[0], digits[-1]))
    name_lines(chart)
    chart.set_xticks([3, 5, 7, 10])
    shares(chart.yaxis)
    return figure


@figure(
    "before-splits",
    caption="Right to the letter, by kind of sentence: three translators, three seeds each.",
    alt="Three columns, each with a sentence and a bar for each translator: the Transformer, in "
    "orange, the recurrent one with additive scores, and the one without attention; means of three "
    "training runs. Ordinary sentences: 96, 96 and 77 %. “It” far from its noun: 94, 85 and 59 %. "
    "Longer than any in training: 38, 85 and 6 %.",
)
def draw_splits() -> Figure:
    title = "The Transformer wins at “it”, and loses at longer sentences"
    figure, ax = canvas(3.9, title, "Sentences translated right to the letter: means of three runs")
    wide, high = 1.25, 0.34
    for column, (split, (name, example)) in enumerate(SPLITS.items()):
        x = 1.9 + 2.1 * column
        label(ax, (x, 2.95), name, size=style.LABEL, weight="bold")
        for row, kind in enumerate(("transformer", "additive", "none")):
            y, loud = 2.5 - 0.54 * row, kind == "transformer"
            look = {"size": style.LABEL, "weight": "bold" if loud else "normal"}
            look["color"] = style.ACCENT if loud else style.INK
            if not column:
                label(
                    ax, (0.02, y), LABELS[kind].replace("t +", "t\n+").replace(", ", ",\n"), **look
                )
            mean = float(np.mean([run["right"][split] for run in runs()[kind]]))
            area(ax, (x, y - high / 2), wide, high, style.GROUND)
            area(ax, (x, y - high / 2), wide * mean, high, style.ACCENT if loud else style.SOFT)
            label(ax, (x + wide + 0.08, y), percent(mean), **look)
        lines = textwrap.fill(f"“{example}.”", 26)
        label(ax, (x, 1.02), lines, color=style.MUTED, va="top")
    label(ax, (0.02, 1.02), "for example", color=style.MUTED, va="top")
    return figure


@figure(
    "before-length",
    caption="Right to the letter, by the length of the sentence: three translators, three seeds.",
    alt="Three curves over 3 to 18 tokens. Up to 14 tokens, the longest in training, the "
    "Transformer, in orange, stays between 89 and 96 %, the additive one between 85 and 98 %; "
    "without attention it sinks from 92 % to 52 %. Beyond, on a grey ground, the one without "
    "attention falls to 9 % and on to 0, the Transformer to 65, 25, 10 and 4 %; the additive one "
    "goes on above 75 %. No curve is smooth: the kinds of sentences change with the length, and "
    "with 18 tokens there are 60.",
)
def draw_length() -> Figure:
    figure, ax = style.panel(4.2)
    for kind, mine in [(kind, mine) for kind, mine in runs().items() if kind != "dot"]:
        rows = [[e for e in run["by_length"] if e["sentences"] >= 50] for run in mine]
        places = [e["tokens"] for e in rows[0]]
        mean = np.mean([[e["right"] / e["sentences"] for e in row] for row in rows], axis=0)
        color = {"none": style.SOFT, "additive": style.MUTED, "transformer": style.ACCENT}[kind]
        end = f"{100 * mean[-1]:.0f} % {LABELS[kind]}"
        thick = {"none": 1, "additive": 2, "transformer": 3}[kind]
        ax.plot(places, mean, color=color, linewidth=thick, label=end)
    before = mean[places.index(LEARNED)]
    ax.plot([LEARNED, places[-1]], [before, mean[-1]], "o", color=color, ms=8, clip_on=False)
    look = {"color": style.ACCENT, "weight": "bold", "ha": "right"}
    ax.text(LEARNED - 0.15, before + 0.035, percent(before), **look)
    ax.set(ylim=(0, 1.06), xlim=(places[0], places[-1]), xlabel="tokens in the sentence")
    name_lines(ax, wide=40)
    ax.texts[-1].set_weight("bold")
    end = percent(mean[-1])
    title = f"On sentences longer than any in training, the Transformer falls to {end}"
    titled(figure, title, f"Sentences translated right to the letter: means of {len(mine)} runs")
    ax.axvspan(LEARNED, places[-1], color=style.GROUND, zorder=0)
    look = {"color": style.MUTED, "ha": "center", "va": "bottom"}
    ax.text((LEARNED + places[-1]) / 2, 1.07, "longer than in training", **look)
    shares(ax.yaxis)
    ax.set_xticks([places[0], 6, 10, LEARNED, places[-1]])
    return figure


@figure(
    "before-maps",
    caption="Where a recurrent translator and a Transformer look while they write one sentence.",
    alt="An English sentence about animal and street between two copies of its translation, joined "
    "by lines, the thicker the more attention. With additive scores, above, a single thick upright "
    "line leads from each Spanish word to one English word; 'did' and 'it' have none. In the mean "
    "of the four heads in the Transformer's layer 1, below, six words, such as 'el' and 'cruzó', "
    "have lines to two or more; those of 'la', in orange, lead to 'the' and 'street': individual "
    "heads are nearly as sharp as the additive scores.",
)
def draw_maps() -> Figure:
    title = "The recurrent translator looks at one word, the Transformer often at several"
    note = "What each looks at (thicker: more; from 10 % on); Transformer: the mean of four heads"
    figure, ax = canvas(4.4, title, note)
    for kind, name, y in (("additive", "recurrent", 3.3), ("transformer", "Transformer", 0.75)):
        found = runs()[kind][0]["map"]
        read, written = found["read"], found["written"]
        weights = np.array(found["weights"][max(found["weights"])]).mean(axis=0)[:-1, :-1]
        if kind == "additive":  # a Spanish word stands above the English one that it looks at
            over = weights.argmax(axis=1)
            widths = np.array([width_of(text, style.LABEL) for text in read])
            theirs = [width_of(text, style.LABEL) for text in written]
            widths[over] = np.maximum(widths[over], theirs)
            gap = (style.WIDTH - 1.2 - widths.sum()) / len(read)
            middles = 1.2 + np.cumsum(widths + gap) - widths / 2 - gap / 2
        up = 1 if kind == "additive" else -1
        for text, x, row in zip(written, middles[over], weights, strict=True):
            loud = kind == "transformer" and text == "la"
            word(ax, (x, y), text, color=style.ACCENT if loud else style.MUTED)
            color = style.ACCENT if loud else style.WEIGHT_COLORS[3]
            for to, weight in zip(middles, row, strict=True):
                if weight >= 0.1:
                    end = to + 0.12 * np.sign(x - to), 2.02 + 0.2 * up
                    way = curve((x, y - 0.2 * up), end, upright=True).T
                    ax.plot(*way, color=color, linewidth=4 * weight)
        label(ax, (0.02, (y + 2.02) / 2), name, size=style.LABEL, weight="bold")
        label(ax, (0.02, y), "Spanish", color=style.MUTED)
    for x, text in zip(middles, read, strict=True):
        word(ax, (x, 2.02), text, color=style.INK)
    label(ax, (0.02, 2.02), "English", weight="bold")
    la = written.index("la")
    the, street = (percent(weights[la, i]) for i in (over[la], read.index("street")))
    said = f"{the} at “the”, {street} at “street”, whose gender it takes"
    x = middles[over[la]]
    path(ax, [(x, y - 0.2), (x, y - 0.43), (x + 0.12, y - 0.43)], style.ACCENT, head=False, thick=1)
    label(ax, (x + 0.18, y - 0.43), said, color=style.ACCENT)
    return figure


@figure(
    "before-gender",
    caption="Adjectives in the right gender, as trained and after two numbers are swapped.",
    alt="A sentence twice. Above, as trained, an arch leads from 'tired' to 'animal'; it becomes "
    "cansado, and 94 of 100 cells are grey: so many of 997 adjectives are in the right gender; "
    "the others are orange. Below, with two numbers swapped, an orange arch leads to 'street', it "
    "becomes cansada, and only 21 cells are grey. The mean of three Transformers goes from 94 to "
    "21 %, below chance: as trained they have 94 to 95 %, then 9, 10 and 45 %.",
)
def draw_gender() -> Figure:
    title = "When “tired” looks at the wrong noun, the gender comes out wrong"
    note = "Swapped in three Transformers: the attention of “tired” to “animal” and to “street”"
    figure, ax = canvas(4.45, title, note)
    (asked,) = {run["gender"]["sentences"] for run in runs()["transformer"]}
    words = "the animal did not cross the street because it was too tired".split()
    found = [run["gender"]["agreement"] for run in runs()["transformer"]]
    for y, how, said, noun, written, color in (
        (2.45, "as trained", "as trained", "animal", "cansado", style.MUTED),
        (0.75, "two numbers swapped", "swapped", "street", "cansada", style.ACCENT),
    ):
        placed = sentence(ax, (0.06, y), words, {noun: color, "tired": color}, size=10.5, gap=0.15)
        (start, end), top = [placed[words.index(text)] for text in ("tired", noun)], y + 0.23
        arrow(ax, (start, top), (end, top), color, thick=2.5, rise=0.6)
        label(ax, (0.02, top + 0.7), said, size=style.LABEL, weight="bold", color=color)
        arrow(ax, (start, y - 0.13), (start, y - 0.42), color)
        word(ax, (start, y - 0.57), written, color=color)
        label(ax, (start - 0.42, y - 0.57), "it writes", ha="right", color=color)
        right = float(np.mean([each[how] for each in found]))
        for cell in range(100):
            fill = style.SOFT if cell < round(100 * right) else style.ACCENT
            area(ax, (6.74 + 0.12 * (cell % 10), y + 0.98 - 0.12 * (cell // 10)), 0.1, 0.1, fill)
        look = {"ha": "right", "color": style.ACCENT}
        label(ax, (6.6, y + 0.68), percent(1 - right), size=22, weight="bold", **look)
        said = f"of {asked} adjectives in\nthe wrong gender"
        label(ax, (6.6, y + 0.3), said, **look)
    return figure


@figure(
    "before-waiting",
    caption="A recurrent layer’s time compared with that of self-attention, one sentence at a "
    "time, each on the number of threads that suits it better.",
    alt="Two rows on one axis of time, for a sentence of 128 words. The recurrent layer is 128 "
    "orange cells, one after another, 14.9 ms long; self-attention is one grey cell of 1.49 ms. "
    "Below, bars: how many times as long the recurrent layer takes, from 3 times as long with 8 "
    "words to 10 with 128, in orange, and 6 with 512.",
)
def draw_waiting() -> Figure:
    time = quickest(experiments.load("waiting")["runs"])
    lengths = sorted({length for _, length in time})
    times = {n: time["recurrent", n] / time["self-attention", n] for n in lengths}
    most = max(times, key=times.__getitem__)
    title = f"At {most} words, a recurrent layer takes {times[most]:.0f} times as long as self-"
    note = "Time of one layer for one sentence, forward and backward; each on one thread or two, "
    figure, ax = canvas(4.4, f"{title}attention", note + "whichever is quicker")
    for y, name, does, cells, color in (
        (3.05, "recurrent", f"{most} words, one after another", most, style.ACCENT),
        (2.25, "self-attention", f"{most} words at once", 1, style.MUTED),
    ):
        took = time[name, most]
        wide = 7.1 * took / time["recurrent", most]
        look = {"size": style.LABEL, "color": color, "weight": "bold"}
        for i in range(cells):
            area(ax, (0.02 + wide * i / cells, y), wide / cells - 0.008, 0.3, color)
        label(ax, (0.02, y + 0.44), f"{name}: {does}", **look)
        label(ax, (0.1 + wide, y + 0.15), f"{took:.3g} ms", **look)
    label(ax, (0.02, 1.85), "how many times as long, by the number of words", color=style.MUTED)
    said = "longer: self-attention compares all n² pairs of words"
    label(ax, (7.9, 1.85), said, color=style.MUTED, ha="right")
    for i, (length, factor) in enumerate(times.items()):
        x, loud = 0.42 + 1.12 * i, length == most
        look = {"color": style.ACCENT, "weight": "bold"} if loud else {}
        look["ha"] = "center"
        area(ax, (x - 0.17, 0.4), 0.34, 0.075 * factor, style.ACCENT if loud else style.SOFT)
        label(ax, (x, 0.56 + 0.075 * factor), f"{factor:.0f} ×", size=style.LABEL + 1, **look)
        label(ax, (x, 0.2), f"{length} words", **look)
    return figure
