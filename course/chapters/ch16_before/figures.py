"""Recurrent translators: how they are built, where they are right, and how long they wait."""

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, box, path, threads
from course.drawing.plots import name_lines, shares
from course.drawing.registry import figure
from course.drawing.words import (
    canvas,
    heading,
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
    "pronoun": (
        "“it” far from its noun",
        "The animal didn't cross the street because it was too tired",
    ),
    "test": ("ordinary sentences", "The mouse wasn't in the garden"),
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
    "the English leads to the Spanish. 2015: the same chain, and from 'árboles' arches to all "
    "English boxes, the thickest to 'trees'. 2017: no chain; arches lead from 'trees' to the other "
    "English boxes, and from 'árboles' to all English and all earlier Spanish boxes.",
)
def draw_three() -> Figure:
    words = "I like trees <eos> me gustan los árboles".split()
    widths = np.array([0.42, 0.5, 0.62, 0.64, 0.5, 0.78, 0.5, 0.82])
    middles = 1.19 + np.cumsum(widths + 0.24) - widths / 2
    figure, ax = canvas(style.WIDTH, 4.7)
    heading(ax, "In three years, from one bottleneck to looking at every word")
    said = "one state is\nhanded on", "each word\nalso looks back", "words\nonly look"
    for year, beside, y in zip((2014, 2015, 2017), said, (3.5, 2.0, 0.4), strict=True):
        label(ax, (0.02, y + 0.42), f"{year}", size=style.TITLE, weight="bold")
        label(ax, (0.02, y), beside, color=style.ACCENT if year == 2014 else style.DECODER)
        for i, (text, x) in enumerate(zip(words, middles, strict=True)):
            one, color = year == 2014 and text == "<eos>", word_color(text)
            edge, fill = (style.ACCENT, style.ACCENT) if one else (color, style.tint(color))
            ink = style.PAPER if one else style.readable(color)
            how = {"weight": "bold", "color": ink}
            box(ax, (x, y), widths[i], 0.42, fill=fill, line=1.5, color=edge)
            label(ax, (x, y), text, size=style.LABEL, ha="center", **how)
            if year < 2017 and i:
                ends = (middles[i - 1] + widths[i - 1] / 2, y), (x - widths[i] / 2 - 0.02, y)
                arrow(ax, *ends, style.INK)
            looks = [(-1, style.DECODER)] if year > 2014 and i < (4 if year == 2015 else 7) else []
            looks += [(2, style.ENCODER)] if year == 2017 and i in (0, 1, 3) else []
            for who, color in looks:
                aside = 0.1 * np.sign(middles[who] - x) * (color == style.ENCODER)
                ends = (middles[who] - aside, y + 0.23), (x + aside, y + 0.23)
                thick = 0.6 if text == "trees" else 0.2
                rise = 0.15 + 0.11 * abs(middles[who] - x)
                attention_arrow(ax, *ends, thick, color, rise=rise)
    return figure


@figure(
    "before-backwards",
    caption="A recurrent translator of digits: what it looks at, and what share it has right.",
    alt="On the left a row of digits, and below it the same row backwards. Lines from each digit "
    "that is to be written to those that it looks at cross in the middle; those of the first and "
    "of the last are strong, and the thickest lead from the first to the last and back. On the "
    "right the share of rows without a mistake against their length: without attention it falls "
    "from 100 % with 3 digits to 3 % with 10; with attention (dot products) it stays above 96 % up "
    "to 9 digits and is near 86 % with 10.",
)
def draw_backwards() -> Figure:
    stored = experiments.load("backwards")
    row, teal = stored["row"], style.WEIGHT_COLORS[3]
    looks = next(run["looks"] for run in stored["runs"] if run["attention"] == "dot")
    figure, ax = canvas(style.WIDTH, 3.65)
    heading(ax, "Only with attention are long rows of digits written backwards")
    places = [0.23 + 0.45 * i for i in range(len(row))]
    for y, digits, down, said in (
        (2.5, row, 0.42, "it reads"),
        (0.8, row[::-1], -0.42, "it should write"),
    ):
        label(ax, (0.04, y + down), said, color=style.MUTED)
        for x, digit in zip(places, digits, strict=True):
            color = teal if digit in (row[0], row[-1]) else style.MUTED
            box(ax, (x, y), 0.37, 0.44, digit, color, size=style.TITLE)
    for (i, j), weight in np.ndenumerate(np.array(looks)[:-1, :-1]):
        if weight > 0.08:
            color, order = (teal, 2.6) if i in (0, len(row) - 1) else (style.WEIGHT_COLORS[1], 2.5)
            ends = [(places[i], 1.05), (places[j], 2.25)]
            path(ax, ends, color, head=False, thick=6 * weight, zorder=order)
    label(ax, (4.55, 2.92), "rows without a mistake", color=style.MUTED)
    chart = figure.add_axes((0.63, 0.214, 0.17, 0.513))
    for kind, said, color in (("dot", "with attention", teal), ("none", "without", style.MUTED)):
        found = [run["by_length"] for run in stored["runs"] if run["attention"] == kind]
        digits = [entry["digits"] for entry in found[0]]
        mean = np.mean([[entry["right"] for entry in entries] for entries in found], axis=0)
        end = f"{percent(mean[-1])} {said}"
        chart.plot(digits, mean, color=color, linewidth=3, clip_on=False, label=end)
    chart.set(xlabel="digits in the row", ylim=(0, 1.04), xlim=(digits[0], digits[-1]))
    name_lines(chart)
    for name in chart.texts:
        name.set_weight("bold")
    chart.set_xticks([digits[0], digits[-1]])
    shares(chart.yaxis)
    return figure


@figure(
    "before-splits",
    caption="Right to the letter, by kind of sentence: four translators, three seeds each.",
    alt="Three columns, each with a sentence and dots for the means of three training runs, joined "
    "by a line for each translator: without attention, with dot products, with additive scores, "
    "and the Transformer, in orange. “It” far from its noun: 59, 67, 85 and 94 %. Ordinary "
    "sentences: 77, 90, 96 and 96 %. Longer than any in training: 6, 68, 85 and 38 %.",
)
def draw_splits() -> Figure:
    figure, ax = canvas(style.WIDTH, 5.2)
    title = "The Transformer wins at “it”, and loses at longer sentences"
    heading(ax, title, "Sentences translated right to the letter: the means of three training runs")
    places, (zero, whole) = [1.05, 3.05, 5.05], (0.25, 2.95)
    for x, (name, example) in zip(places, SPLITS.values(), strict=True):
        label(ax, (x, 4.3), name, size=style.LABEL, weight="bold", ha="center")
        lines = textwrap.fill(f"“{example}.”", 26)
        label(ax, (x, 4.12), lines, color=style.MUTED, ha="center", va="top")
        path(ax, [(x, zero), (x, whole)], style.RULE, head=False, thick=0.75)
    for kind, mine in runs().items():
        means = [float(np.mean([run["right"][split] for run in mine])) for split in SPLITS]
        heights = [zero + (whole - zero) * mean for mean in means]
        loud, rival = kind == "transformer", kind == "additive"
        color = style.ACCENT if loud else style.MUTED if rival else style.SOFT
        look = {"color": style.readable(color, style.PAPER), "weight": "bold" if loud else "normal"}
        ax.plot(places, heights, "o-", color=color, linewidth=1 + rival + 2 * loud, zorder=3 + loud)
        label(ax, (places[-1] + 0.15, heights[-1]), f"{percent(means[-1])} {LABELS[kind]}", **look)
        label(ax, (places[0] - 0.15, heights[0]), percent(means[0]), ha="right", **look)
        if loud:
            label(ax, (places[1], heights[1] + 0.2), percent(means[1]), ha="center", **look)
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
    for kind, mine in runs().items():
        if kind == "dot":
            continue
        rows = [[e for e in run["by_length"] if e["sentences"] >= 50] for run in mine]
        places = [e["tokens"] for e in rows[0]]
        mean = np.mean([[e["right"] / e["sentences"] for e in row] for row in rows], axis=0)
        loud = kind == "transformer"
        color = style.ACCENT if loud else style.SOFT
        end = f"{100 * mean[-1]:.0f} % {LABELS[kind]}"
        ax.plot(places, mean, color=color, linewidth=3 if loud else 2, label=end)
    before = mean[places.index(LEARNED)]
    look = {"color": style.ACCENT, "weight": "bold", "ha": "right"}
    ax.text(LEARNED - 0.15, before + 0.035, percent(before), **look)
    ax.set(ylim=(0, 1.06), xlim=(places[0], places[-1]), xlabel="tokens in the sentence")
    name_lines(ax, wide=40)
    ax.texts[-1].set_weight("bold")
    title = (
        f"On sentences longer than any in training, the Transformer falls to {percent(mean[-1])}"
    )
    titled(figure, title, f"Sentences translated right to the letter: means of {len(mine)} runs")
    ax.axvspan(LEARNED, places[-1], color=style.GROUND, zorder=0)
    middle = (LEARNED + places[-1]) / 2
    ax.text(middle, 1.08, "longer than in training", color=style.MUTED, ha="center", va="bottom")
    shares(ax.yaxis)
    ax.set_xticks([places[0], LEARNED, places[-1]])
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
    figure, ax = canvas(style.WIDTH, 4.4)
    title = "The recurrent translator looks at one word, the Transformer often at several"
    heading(ax, title, "What each looks at while it writes a Spanish word: the thicker, the more")
    for kind, name, y in (
        ("additive", "recurrent", 3.3),
        ("transformer", "Transformer", 0.75),
    ):
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
        rows, above = np.array(written) == "la", 1 if kind == "additive" else -1
        rows &= kind == "transformer"
        for text, x, one in zip(written, middles[over], rows, strict=True):
            word(ax, (x, y), text, color=style.ACCENT if one else style.MUTED)
        for some, color in ((~rows, style.WEIGHT_COLORS[3]), (rows, style.ACCENT)):
            starts = [(x, y - 0.2 * above) for x in middles[over][some]]
            ends = [(x, 2.02 + 0.2 * above) for x in middles]
            threads(ax, starts, ends, weights[some], color, upright=True, widest=6, least=0.08)
        label(ax, (0.02, (y + 2.02) / 2), name, size=style.LABEL, weight="bold")
    for x, text in zip(middles, read, strict=True):
        word(ax, (x, 2.02), text, color=style.MUTED)
    said = "“la” looks at “the” and at “street”, whose gender it takes"
    at = middles[over[written.index("la")]], y - 0.36
    label(ax, at, said, ha="center", color=style.ACCENT)
    return figure


@figure(
    "before-gender",
    caption="Adjectives in the right gender, as trained and after changes in two different places.",
    alt="Above, a sentence with two arrows from 'tired': to 'animal', with the word cansado; and "
    "in orange to 'street', with cansada. Below, a thick orange arrow from the share of adjectives "
    "in the right gender as trained, in the mean of three Transformers, to the share after the "
    "swap: from 94 to 21 %, below chance. Three thin arrows are the single Transformers, from 94 "
    "to 95 % to 9, 10 and 45 %. In grey, a recurrent translator with additive scores, when the "
    "writer may not see the English adjective: from 86 to 68 %.",
)
def draw_gender() -> Figure:
    figure, ax = canvas(style.WIDTH, 5.0)
    title = "When “tired” looks at the wrong noun, the Transformer writes the wrong gender"
    heading(ax, title, "Two numbers of its attention are swapped: those for “animal” and “street”")
    marked = dict.fromkeys(("animal", "street"), style.INK) | {"tired": style.ACCENT}
    words = "the animal did not cross the street because it was too tired".split()
    placed = sentence(ax, (4.0, 3.05), words, marked, size=13, ha="center")
    middles = dict(zip(words, placed, strict=True))
    for noun, said, color, rise in (
        ("animal", "cansado", style.SOFT, 0.75),
        ("street", "cansada", style.ACCENT, 0.32),
    ):
        start, end = middles["tired"] + 0.07 * (noun == "animal"), middles[noun]
        arrow(ax, (start, 3.31), (end, 3.31), color, thick=2.5, rise=rise)
        look = {"color": color if color == style.ACCENT else style.MUTED, "size": 12}
        word(ax, ((start + end) / 2, 3.31 + rise), said, zorder=6, **look)

    def at(share: float) -> float:
        return 0.35 + 6.9 * share

    for ends in ([(at(0), 0.42), (at(1), 0.42)], [(at(0.5), 0.42), (at(0.5), 2.25)]):
        path(ax, ends, style.RULE, head=False, thick=0.9)
    for share in (0, 0.5, 1):
        said = f"{100 * share:.0f} %" + ": chance" * (share == 0.5)
        label(ax, (at(share), 0.24), said, ha="center", color=style.MUTED)
    label(ax, (at(0), 2.42), "adjectives in the right gender", color=style.MUTED)
    for y, kind, how, color in (
        (1.9, "transformer", "two numbers swapped", style.ACCENT),
        (0.72, "additive", "adjective not seen", style.SOFT),
    ):
        found = [run["gender"]["agreement"] for run in runs()[kind]]
        ends = np.array([[each[change] for change in ("as trained", how)] for each in found])
        loud = kind == "transformer"
        look = {"color": style.readable(color, style.PAPER)}
        look |= {"size": 13, "weight": "bold"} if loud else {}
        for share, away, ha in zip(ends.mean(axis=0), (0.1, -0.1), ("left", "right"), strict=True):
            label(ax, (at(share) + away, y), percent(share), ha=ha, **look)
        arrow(ax, *((at(share), y) for share in ends.mean(axis=0)), color, thick=6 if loud else 2)
        for row, pair in enumerate(ends if loud else ()):
            arrow(ax, *((at(share), y - 0.3 - 0.14 * row) for share in pair), color, alpha=0.5)
    label(ax, (at(0.97), 1.46), "three models", color=style.ACCENT)
    label(ax, (at(0) + 0.1, 0.72), "another translator that may not see “tired”", color=style.MUTED)
    return figure


@figure(
    "before-waiting",
    caption="A recurrent layer’s time compared with that of self-attention, one sentence at a "
    "time.",
    alt="A bar for each length of a sentence, and a line at self-attention's time. On two threads "
    "the recurrent layer needs from 2 times as long with 8 words to 14 with 128, in orange, and 8 "
    "with 512.",
)
def draw_waiting() -> Figure:
    stored = experiments.load("waiting")["runs"]
    threads = max(run["threads"] for run in stored)
    time = {(r["layer"], r["length"]): r["milliseconds"] for r in stored if r["threads"] == threads}
    times = {
        f"{n} words": time["recurrent", n] / took
        for (layer, n), took in time.items()
        if layer == "self-attention"
    }
    most = max(times, key=times.__getitem__)
    figure, ax = style.panel(4.2)
    for y, (words, factor) in enumerate(times.items()):
        loud = words == most
        look = {"weight": "bold" if loud else "normal", "va": "center_baseline"}
        ax.barh(y, factor, height=0.64, color=style.ACCENT if loud else style.SOFT)
        ink = style.ACCENT if loud else style.INK
        ax.text(factor + 0.02 * times[most], y, f"{factor:.0f} ×", color=ink, **look)
    ax.set_yticks(range(len(times)), times)
    ax.set(xlim=(0, 1.25 * times[most]), xticks=[])
    ax.tick_params(length=0)
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.axvline(1, color=style.INK, linewidth=1.5)
    ax.text(1, -0.75, "self-attention: 1 ×", ha="center")
    title = (
        f"With {most}, a recurrent layer takes {times[most]:.0f} times as long as self-attention"
    )
    titled(figure, title, f"Time of one layer for one sentence, on {threads} threads")
    return figure
