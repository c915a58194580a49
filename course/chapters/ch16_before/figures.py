"""Recurrent translators: how they are built, where they are right, and how long they wait."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch16_before.experiment_adjective import FROM
from course.chapters.ch16_before.experiment_waiting import quickest
from course.chapters.ch16_before.experiments import chosen
from course.drawing import style
from course.drawing.arrows import arrow, box, path, threads
from course.drawing.cells import area, bar
from course.drawing.plots import name_lines, shares
from course.drawing.registry import figure
from course.drawing.words import bold, canvas, label, muted, percent, sentence, titled, word_color

LABELS = {  # what the translators are called
    "transformer": "Transformer",
    "additive": "recurrent\n+ additive attention",
    "dot": "recurrent\n+ dot-product attention",
    "none": "recurrent,\nno attention",
}
SPLITS = {  # name -> what it is called, and a sentence of it
    "test": ("ordinary sentences", "The mouse wasn't in the garden"),
    "pronoun": (
        "pronoun far from its noun",
        "The animal didn't cross the street because it was too tired",
    ),
    "longer": (
        "longer than in training",
        "The old duck doesn't want to cross that empty square because it is very nervous and sick",
    ),
}
LEARNED = 14  # tokens of the longest sentence in training


# --- How they are built --------------------------------------------------------------------------

WORDS = "I like trees <eos> me gustan los árboles".split()
WIDTHS = np.array([0.42, 0.5, 0.62, 0.64, 0.5, 0.78, 0.5, 0.82])
MIDDLES = 1.25 + np.cumsum(WIDTHS + 0.23) - WIDTHS / 2
LAST = len(WORDS) - 1


def boxes(ax: Axes, y: float, loud: str = "") -> None:
    """A row of boxes with the words of both sentences, one of them loud."""
    for text, x, wide in zip(WORDS, MIDDLES, WIDTHS, strict=True):
        color = word_color(text)
        fill = style.ACCENT if text == loud else style.tint(color)
        ink = style.PAPER if text == loud else style.readable(color)
        box(ax, (x, y), wide, 0.42, fill=fill, line=0)
        bold(ax, (x, y), text, ha="center", color=ink)


def chain(ax: Axes, y: float, color: str) -> None:
    """An arrow from each box to the next."""
    for i in range(LAST):
        right, left = MIDDLES + WIDTHS / 2, MIDDLES - WIDTHS / 2
        arrow(ax, (right[i], y), (left[i + 1] - 0.02, y), color)


def look_back(ax: Axes, y: float, count: int) -> None:
    """Arches from the last box to the first boxes, the thickest to "trees"."""
    for i in range(count):
        start = MIDDLES[LAST] + 0.3 - 0.1 * i
        loud = WORDS[i] == "trees"
        look = {"thick": 3.5, "alpha": 1} if loud else {"thick": 1.25, "alpha": 0.5}
        rise = 0.13 + 0.12 * abs(start - MIDDLES[i])
        arrow(ax, (start, y), (MIDDLES[i], y), style.DECODER, rise=rise, **look)


@figure(
    "before-three",
    hero=True,
    caption="What a word is written from: one state, all states, or all words.",
    alt="""Three rows of boxes with the words 'I like trees <eos>' and 'me gustan los árboles'.
    2014: arrows lead from box to box through all of them, and only the orange box at the end of
    the English leads to the Spanish. 2015: the same chain, in grey, and from 'árboles' arches to
    all English boxes, the thickest to 'trees'. 2017: no chain; arches lead from 'trees' to the
    other English boxes, and from 'árboles' to all English and all earlier Spanish boxes.""",
)
def draw_three() -> Figure:
    note = "Straight arrows: a state is handed on. Curved arrows: a word attends to another"
    figure, ax = canvas(4.95, "Attention first joined the chain, and then replaced it", note)
    heights = {2014: 3.6, 2015: 2.15, 2017: 0.7}
    said = {
        2014: "the state goes from\nword to word",
        2015: "“árboles” is also\nwritten from all\nEnglish states",
        2017: "there is no chain:\nwords attend to\nwords",
    }
    for year, y in heights.items():
        bold(ax, (0.02, y + 0.42), str(year), size=style.TITLE)
        muted(ax, (0.02, y + 0.22), said[year], va="top")
        boxes(ax, y, loud="<eos>" if year == 2014 else "")
    end = MIDDLES[WORDS.index("<eos>")]
    look = {"ha": "center", "weight": "bold", "color": style.ACCENT}
    label(ax, (end, heights[2014] + 0.36), "bottleneck: the Spanish starts from this state", **look)
    chain(ax, heights[2014], style.INK)
    chain(ax, heights[2015], style.SOFT)
    look_back(ax, heights[2015] + 0.23, count=4)
    look_back(ax, heights[2017] + 0.23, count=LAST)
    below, trees = heights[2017] - 0.23, WORDS.index("trees")
    for i in (0, 1, 3):
        start = MIDDLES[trees] + 0.14 * np.sign(i - trees)
        rise = -(0.13 + 0.12 * abs(start - MIDDLES[i]))
        arrow(ax, (start, below), (MIDDLES[i], below), style.ENCODER, rise=rise, thick=1.25)
    text = "English words attend to one another, too (only “trees” is shown)"
    label(ax, (end + 0.15, below - 0.19), text, color=style.ENCODER)
    return figure


# --- Where they are right ------------------------------------------------------------------------


@figure(
    "before-backwards",
    caption="A recurrent translator of digits: what it attends to, and what share it has right.",
    alt="""On the left a row of digits, and below it the same row backwards. Lines from each
    digit that is to be written to those that are attended to cross in the middle: the thickest
    of each leads to the same digit in the other row. On the right the share of rows without a
    mistake against their length: without attention it falls from 100% with 3 digits to 3% with
    10; with attention (dot products) it stays above 96% up to 9 digits and is near 86% with 10.""",
)
def draw_backwards() -> Figure:
    stored, teal = experiments.load("backwards"), style.WEIGHT_COLORS[3]
    means = {}
    for kind in ("dot", "none"):
        found = [run["by_length"] for run in stored["runs"] if run["attention"] == kind]
        means[kind] = np.mean([[entry["right"] for entry in row] for row in found], axis=0)
    lengths = [entry["digits"] for entry in stored["runs"][0]["by_length"]]
    best, worst = (percent(means[kind][-1]) for kind in ("dot", "none"))
    title = f"With dot products, {best} of the ten-digit rows are right; without attention, {worst}"
    note = "Left: one translator's attention weights of 25% or more. Right: means of three runs"
    figure, ax = canvas(3.8, title, note)

    row, high, low = stored["row"], 2.5, 0.8
    middles = 0.2 + 0.4 * np.arange(len(row))
    for y, digits in ((high, row), (low, row[::-1])):
        for x, digit in zip(middles, digits, strict=True):
            box(ax, (x, y), 0.33, 0.44, digit, size=style.TITLE)
    muted(ax, (0.04, high + 0.42), "the encoder reads")
    muted(ax, (0.04, low - 0.42), "the decoder should write")
    label(ax, (2.5, 1.65), "attention", color=teal, weight="bold")
    looks = next(run["looks"] for run in stored["runs"] if run["attention"] == "dot")
    for (i, j), weight in np.ndenumerate(np.array(looks)[:-1, :-1]):
        if weight > 0.25:
            ends = (middles[i], low + 0.25), (middles[j], high - 0.25)
            path(ax, ends, teal, head=False, thick=4 * weight)

    muted(ax, (4.3, high + 0.42), "rows without a mistake")
    chart = figure.add_axes((0.6, 0.205, 0.21, 0.49))
    look = {"linewidth": 3, "clip_on": False}
    chart.plot(lengths, means["dot"], color=teal, label=f"{best} dot products", **look)
    chart.plot(lengths, means["none"], color=style.MUTED, label=f"{worst} no attention", **look)
    chart.set(xlabel="digits in the row", ylim=(0, 1.04), xlim=(lengths[0], lengths[-1]))
    name_lines(chart)
    chart.set_xticks([3, 5, 7, 10])
    shares(chart.yaxis)
    return figure


def table_of_bars(
    ax: Axes, top: float, columns: Sequence[str], rows: Mapping[str, Sequence[float]]
) -> None:
    """A bar for each share: a row for each translator, the Transformer's in the accent color.

    top: the height of the columns' names. rows: kind of translator -> a share for each column.
    """
    wide, high = 1.25, 0.34
    for column, name in enumerate(columns):
        x = 1.9 + 2.1 * column
        bold(ax, (x, top), name)
        for row, (kind, found) in enumerate(rows.items()):
            y, loud = top - 0.45 - 0.54 * row, kind == "transformer"
            look = {"size": style.LABEL, "weight": "bold" if loud else "normal"}
            look["color"] = style.ACCENT if loud else style.INK
            if not column:
                label(ax, (0.02, y), LABELS[kind], **look)
            color = style.ACCENT if loud else style.SOFT
            bar(ax, (x, y - high / 2), wide, high, found[column], color)
            label(ax, (x + wide + 0.08, y), percent(found[column]), **look)


@figure(
    "before-splits",
    caption="Right to the letter, by kind of sentence: four translators, three seeds each.",
    alt="""Three columns, each with a sentence and a bar for each translator: the Transformer, in
    orange, the recurrent ones with additive scores and with dot products, and the one without
    attention; means of three runs. Ordinary sentences: 96, 96, 90 and 77%. With a pronoun far
    from its noun: 94, 85, 67 and 59%. Longer than any in training: 38, 85, 68 and 6%.""",
)
def draw_splits() -> Figure:
    title = (
        "The Transformer leads on distant pronouns but trails additive attention on long sentences"
    )
    note = "Translations that are right to the letter after 1,500 steps: means of three runs each"
    figure, ax = canvas(4.45, title, note)
    rows = {
        kind: [float(np.mean([run["right"][split] for run in chosen()[kind]])) for split in SPLITS]
        for kind in LABELS
    }
    table_of_bars(ax, 3.5, [name for name, _ in SPLITS.values()], rows)
    muted(ax, (0.02, 1.02), "for example", va="top")
    for column, (_, example) in enumerate(SPLITS.values()):
        lines = textwrap.fill(f"“{example}.”", 26)
        muted(ax, (1.9 + 2.1 * column, 1.02), lines, va="top")
    return figure


@figure(
    "before-length",
    caption="Right to the letter, by the length of the sentence: three translators, three seeds.",
    alt="""Three curves over 3 to 18 tokens. Up to 14 tokens, the longest in training, the
    Transformer, in orange, stays between 89 and 96%, the additive one between 85 and 98%;
    without attention it sinks from 92% to 52%. Beyond, on a grey ground, the one without
    attention falls to 9% and on to 0, the Transformer to 65, 25, 10 and 4%; the additive one
    goes on above 75%. No curve is smooth: the kinds of sentences change with the length, and
    with 18 tokens there are 60.""",
)
def draw_length() -> Figure:
    curves, sentences = {}, {}
    for kind in ("transformer", "additive", "none"):
        by_length: dict[int, list[float]] = {}
        for entry in (entry for run in chosen()[kind] for entry in run["by_length"]):
            if entry["sentences"] >= 50:
                share = entry["right"] / entry["sentences"]
                by_length.setdefault(entry["tokens"], []).append(share)
                sentences[entry["tokens"]] = entry["sentences"]
        curves[kind] = {tokens: float(np.mean(found)) for tokens, found in by_length.items()}
    transformer = curves["transformer"]
    shortest, longest = min(transformer), max(transformer)

    figure, ax = style.panel(4.2)
    looks = (style.ACCENT, 3), (style.MUTED, 2), (style.SOFT, 1)
    for (kind, curve), (color, thick) in zip(curves.items(), looks, strict=True):
        name = percent(curve[longest]) + " " + LABELS[kind].replace("\n", " ")
        ax.plot([*curve], [*curve.values()], color=color, linewidth=thick, label=name)
    ends = {tokens: transformer[tokens] for tokens in (LEARNED, longest)}
    ax.plot([*ends], [*ends.values()], "o", color=style.ACCENT, ms=8, clip_on=False)
    look = {"color": style.ACCENT, "weight": "bold", "ha": "right"}
    ax.text(LEARNED - 0.15, ends[LEARNED] + 0.035, percent(ends[LEARNED]), **look)
    ax.set(ylim=(0, 1.06), xlim=(shortest, longest), xlabel="tokens in the sentence")
    name_lines(ax, wide=40)

    title = f"Beyond {LEARNED} tokens, additive attention holds up and the Transformer fails"
    note = "Right to the letter in six sets, means of three runs; with {} tokens, {} sentences"
    titled(figure, title, note.format(longest, sentences[longest]))
    ax.axvspan(LEARNED + 0.5, longest, color=style.GROUND, zorder=0)
    look = {"color": style.MUTED, "ha": "center", "va": "bottom"}
    ax.text((LEARNED + 0.5 + longest) / 2, 1.07, "longer than in training", **look)
    shares(ax.yaxis)
    ax.set_xticks([shortest, 6, 10, LEARNED, longest])
    return figure


# --- Where the gender is -------------------------------------------------------------------------


@figure(
    "before-maps",
    caption="What a recurrent translator with additive scores attends to, word by word.",
    alt="""An English sentence about animal and street, and below it its translation. A single
    thick line leads from each Spanish word to one English word, the orange one from 'cansado' to
    'tired'; 'did' and 'it' have none.""",
)
def draw_maps() -> Figure:
    found = chosen()["additive"][0]["map"]
    weights = np.array(found["weights"]["readout.cross_attn"][0])[:-1, :-1]  # without the ends
    title = "While it writes “cansado,” the recurrent translator attends to “tired”"
    note = "One translator with additive scores: thicker lines mean more attention"
    figure, ax = canvas(2.75, title, note)
    last = len(found["written"]) - 1
    english, spanish = (
        sentence(ax, (0.85, y), words, {words[-1]: style.ACCENT})
        for y, words in ((1.75, found["read"]), (0.4, found["written"]))
    )
    for y, name in ((1.75, "English"), (0.4, "Spanish")):
        muted(ax, (0.02, y), name, va="baseline")
    starts, ends = [(x, 0.6) for x in spanish], [(x, 1.55) for x in english]
    for rows, color in ((slice(last), style.WEIGHT_COLORS[3]), (slice(last, None), style.ACCENT)):
        threads(ax, starts[rows], ends, weights[rows], color, widest=4, least=0.1, upright=True)
    return figure


@figure(
    "before-adjective",
    caption="Adjectives in the right gender when the vector of the English one is exchanged.",
    alt="""Three columns of two bars: the Transformer, in orange, and the recurrent translator
    with additive scores; means of three. With the adjective's own vector 94 and 86% of the
    Spanish adjectives are in the right gender, with one from a sentence of the same gender 88
    and 77%, with one from a sentence of the other gender 13 and 64%.""",
)
def draw_adjective() -> Figure:
    runs, rows = experiments.load("before-adjective")["runs"], {}
    for kind in ("transformer", "additive"):
        mine = [run["agreement"] for run in runs if run["what"] == kind]
        rows[kind] = [float(np.mean([run[whose] for run in mine])) for whose in FROM]
    right = percent(rows["transformer"][-1])
    title = (
        f"With a vector of the other gender, our Transformers get {right} of the adjectives right"
    )
    note = "Adjectives in the right gender, by where the vector comes from: "
    figure, ax = canvas(2.6, title, f"{note}means of three runs")
    columns = ["its own sentence", "same gender", "other gender"]
    table_of_bars(ax, 1.7, columns, rows)
    return figure


# --- How long they wait --------------------------------------------------------------------------


@figure(
    "before-waiting",
    caption="""A recurrent layer’s time compared with that of self-attention, one sentence at a
    time, each on the number of threads that suits it better.""",
    alt="""Two rows on one axis of time, for a sentence of 128 words. The recurrent layer is 128
    grey cells, one after another, 14.9 ms long; self-attention is one orange cell of 1.49 ms.
    Below, bars: how many times as long the recurrent layer takes, from 3 times as long with 8
    words to 10 with 128, and 6 with 512.""",
)
def draw_waiting() -> Figure:
    time = quickest(experiments.load("waiting")["runs"])
    lengths = sorted({length for _, length in time})
    times = {n: time["recurrent", n] / time["self-attention", n] for n in lengths}
    most = max(times, key=times.__getitem__)
    title = f"At {most} words, a recurrent layer takes {times[most]:.0f} times as long as "
    note = "One layer, one sentence, forward and backward; each on one thread or two, "
    figure, ax = canvas(4.4, f"{title}self-attention", note + "whichever is quicker")
    for y, name, does, cells, color in (
        (3.05, "recurrent", f"{most} words, one after another", most, style.MUTED),
        (2.25, "self-attention", f"{most} words at once", 1, style.ACCENT),
    ):
        took = time[name, most]
        wide = 7.1 * took / time["recurrent", most]
        for i in range(cells):
            area(ax, (0.02 + wide * i / cells, y), wide / cells - 0.008, 0.3, color)
        bold(ax, (0.02, y + 0.44), f"{name}: {does}", color=color)
        bold(ax, (0.1 + wide, y + 0.15), f"{took:.3g} ms", color=color)
    text = "The recurrent layer's time divided by self-attention's, by the length of the sentence"
    muted(ax, (0.02, 1.85), text)
    for i, (length, factor) in enumerate(times.items()):
        x, loud = 0.42 + 1.12 * i, length == most
        look = {"weight": "bold" if loud else "normal"}
        area(ax, (x - 0.17, 0.4), 0.34, 0.075 * factor, style.MUTED if loud else style.SOFT)
        top, name = 0.56 + 0.075 * factor, f"{length} words"
        label(ax, (x, top), f"{factor:.0f}", size=style.LABEL + 1, ha="center", **look)
        label(ax, (x, 0.2), name, ha="center", **look)
    return figure
