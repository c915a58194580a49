"""Recurrent translators: how they are built, where they are right, and how long they wait."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, box, path, threads
from course.drawing.cells import area
from course.drawing.plots import name_lines, shares
from course.drawing.registry import figure
from course.drawing.words import canvas, heading, label, percent, sentence, titled, word, word_color

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
        "They have a small hat, but they don't wear it in the morning",
    ),
}
LEARNED = 14  # tokens of the longest sentence in training
SPREAD = 0.75  # a row whose largest weight is smaller looks at several words
BOX = 0.42  # inches


def runs() -> dict[str, list[Mapping[str, Any]]]:
    """The stored runs of each kind of translator."""
    from course.chapters.ch16_before.experiments import chosen

    return {kind: chosen()[kind] for kind in LABELS}


@figure(
    "before-three",
    hero=True,
    caption="What a word is written from: one state, all states, or all words.",
    alt="Three rows of boxes, one for each word of 'I like trees' and 'me gustan los árboles'. "
    "2014: arrows lead from box to box through all of them, and only the orange box at the end of "
    "the English leads to the Spanish. 2015: the same chain, and from 'árboles' arrows to all "
    "English boxes, the thickest to 'trees'. 2017: no chain; English boxes are joined to each "
    "other, and arrows lead from 'árboles' to all English and all earlier Spanish boxes.",
)
def draw_three() -> Figure:
    words = "I like trees <eos> me gustan los árboles".split()
    places = [1.62 + 0.66 * i for i in range(4)] + [4.58 + 0.84 * i for i in range(4)]
    figure, ax = canvas(style.WIDTH, 6.15)
    heading(ax, "In three years, from one state to all words")
    said = {
        "2014: all that is known of the sentence is one state": "a state is\nhanded on",
        "2015: and each word looks back at all states": "it is still\nhanded on",
        "2017: nothing is handed on, all words look": "nothing waits\nin training",
    }
    for row, (title, beside) in enumerate(said.items()):
        y = 4.62 - 2.08 * row
        label(ax, (0.02, y + (1.38 if row else 0.88)), title, size=style.LABEL + 1, weight="bold")
        label(ax, (0.02, y + BOX / 2), beside)
        looks = []  # from, to, color, weight
        for i, (text, x) in enumerate(zip(words, places, strict=True)):
            color, one = word_color(text), row == 0 and text == "<eos>"
            fill = style.ACCENT if one else style.tint(color)
            look = {"facecolor": fill, "edgecolor": color, "linewidth": 2, "zorder": 3}
            ax.add_patch(Rectangle((x, y), BOX, BOX, **look))
            word(ax, (x + BOX / 2, y - 0.2), text, size=10.5)
            if one:
                at = x + BOX / 2, y + BOX + 0.13
                label(ax, at, "the one state", color=style.ACCENT, ha="center")
            if row < 2 and i:
                middle = y + BOX / 2
                arrow(ax, (places[i - 1] + BOX, middle), (x - 0.02, middle), style.INK)
            if (row == 1 and i < 4) or (row == 2 and i < 7):
                looks.append((places[-1], x, style.DECODER, 0.6 if text == "trees" else 0.2))
            if row == 2 and i < 4:  # apart from the middle, where the looks from Spanish arrive
                aside = [
                    (other, 0.09 if x < other else -0.09) for other in places[:4] if x != other
                ]
                looks += [(x + by, to - by, style.ENCODER, 0.12) for to, by in aside]
        for start, end, color, weight in looks:
            ends = ((at + BOX / 2, y + BOX + 0.02) for at in (start, end))
            attention_arrow(ax, *ends, weight, color, rise=0.18 + 0.1 * abs(start - end))
    return figure


@figure(
    "before-backwards",
    caption="A recurrent translator of digits: what it looks at, and what share it has right.",
    alt="On the left a row of digits, and below it the same row backwards. Lines from each digit "
    "that is to be written to those that it looks at cross in the middle: the thickest lead from "
    "the first digit to the last, and so on. On the right the share of rows without a mistake "
    "against their length: without attention it falls from 100 % with 3 digits to 3 % with 10; "
    "with attention (dot products) it stays above 96 % up to 9 digits and is near 86 % with 10.",
)
def draw_backwards() -> Figure:
    stored = experiments.load("backwards")
    row = stored["row"]
    looks = next(run["looks"] for run in stored["runs"] if run["attention"] == "dot")
    figure, ax = canvas(style.WIDTH, 4.2)
    title = "Only with attention are long rows written backwards"
    heading(ax, title, "A small translator of digits; the thicker a line, the more it looks there")
    places = [0.3 + 0.47 * i for i in range(len(row))]
    for y, digits, down, said in (
        (2.75, row, 0.42, "it reads"),
        (0.95, row[::-1], -0.42, "it is to write"),
    ):
        label(ax, (0.1, y + down), said, color=style.MUTED)
        for x, digit in zip(places, digits, strict=True):
            box(ax, (x, y), 0.38, 0.44, digit, size=style.TITLE)
    for (i, j), weight in np.ndenumerate(np.array(looks)[:-1, :-1]):
        if weight > 0.08:
            ends, thick = [(places[i], 1.2), (places[j], 2.5)], 6 * weight
            path(ax, ends, style.WEIGHT_COLORS[3], head=False, thick=thick, alpha=0.7)
    label(ax, (4.6, 3.17), "rows without a mistake", size=style.LABEL)
    chart = figure.add_axes((0.63, 0.17, 0.17, 0.53))
    for kind, said, color in (
        ("dot", "with attention", style.MUTED),
        ("none", "without", style.ACCENT),
    ):
        found = [run["by_length"] for run in stored["runs"] if run["attention"] == kind]
        digits = [entry["digits"] for entry in found[0]]
        mean = np.mean([[entry["right"] for entry in entries] for entries in found], axis=0)
        chart.plot(digits, mean, color=color, linewidth=3, clip_on=False)
        at = (6.52, 0.714 + 2.226 * mean[-1] / 1.04)
        label(ax, at, f"{percent(mean[-1])} {said}", size=style.LABEL, color=color, weight="bold")
    chart.set(xlabel="digits in the row", ylim=(0, 1.04), xlim=(digits[0], digits[-1]))
    chart.set_xticks([digits[0], digits[-1]])
    shares(chart.yaxis)
    return figure


@figure(
    "before-splits",
    caption="Right to the letter, by kind of sentence: four translators, three seeds each.",
    alt="Three rows, each with a sentence and four dots for the means of three training runs: "
    "without attention, with dot products, with additive scores, and the Transformer, in orange. "
    "“It” far from its noun: 59, 67, 85 and 94 %. Ordinary sentences: 77, 90, 96 and 96 %. Longer "
    "than any in training: 6, 68, 85 and 38 %. Arrows from additive scores to the Transformer: +9 "
    "points in the first row, −47 in the last.",
)
def draw_splits() -> Figure:
    figure, ax = canvas(style.WIDTH, 0.7 + 1.25 * len(SPLITS))
    title = "The Transformer wins where distant words agree, and loses on longer sentences"
    heading(ax, title, "Sentences translated right to the letter: the means of three training runs")
    means = {
        kind: [float(np.mean([run["right"][split] for run in mine])) for split in SPLITS]
        for kind, mine in runs().items()
    }
    names = {
        "none": ("no attention", 0, "center"),
        "dot": ("dot product", -0.05, "left"),
        "additive": ("additive", 0.12, "right"),
        "transformer": ("Transformer", -0.12, "left"),
    }
    rival = max([*means][:-1], key=lambda kind: means[kind][-1])
    for row, (said, example) in enumerate(SPLITS.values()):
        y = 1.25 * (len(SPLITS) - row) - 0.85
        label(ax, (0.02, y + 0.48), said, size=style.LABEL, weight="bold")
        label(ax, (2.35, y + 0.48), f"“{example}.”", size=style.LABEL, color=style.MUTED)
        path(ax, [(0.3, y), (7.3, y)], style.RULE, head=False, thick=0.75)
        at = {kind: 0.3 + 7 * shares[row] for kind, shares in means.items()}
        new, old = (round(100 * means[kind][row]) for kind in ("transformer", rival))
        gap = new - old
        for kind, x in at.items():
            loud = kind == "transformer"
            color = style.ACCENT if loud else style.INK if kind == rival else style.SOFT
            ax.plot(x, y, "o", color=color, markersize=13 if loud else 9, zorder=4 + loud)
            look = {"color": style.readable(color, style.PAPER)}
            if row == 0:  # names below, apart from each other
                name, away, ha = names[kind]
                label(ax, (x + away, y - 0.26), name, ha=ha, **look)
            if loud or (kind == rival and gap):
                right = (gap >= 0) == loud
                look |= {"size": 13, "weight": "bold"} if loud else {"size": style.LABEL}
                look |= {"ha": "left" if right else "right"}
                label(ax, (x + (0.16 if right else -0.16), y), percent(means[kind][row]), **look)
        if row == len(SPLITS) - 1:
            for x, end in ((0.3, "0 %"), (7.3, "100 %")):
                label(ax, (x, y - 0.24), end, ha="center", color=style.MUTED)
        if gap:
            ends = (at[rival], y), (at["transformer"] - np.sign(gap) * 0.1, y)
            arrow(ax, *ends, style.ACCENT, thick=2.2)
            points = f"{gap:+d} points".replace("-", "\N{MINUS SIGN}")
            middle = (at[rival] + at["transformer"]) / 2, y + 0.2
            label(ax, middle, points, ha="center", color=style.ACCENT, weight="bold")
    return figure


@figure(
    "before-length",
    caption="Right to the letter, by the length of the sentence: four translators, three seeds.",
    alt="Four curves over 3 to 18 tokens. Up to a line at 14 tokens, the longest in training, the "
    "Transformer, in orange, stays between 89 and 96 %, the additive one between 85 and 98 %; with "
    "dot products it sinks from above 90 % to 74 %, without attention from 92 % to 52 %. Beyond "
    "the line the one without attention falls to 9 % and on to 0, the Transformer to 65, 25, 10 "
    "and 4 %; dot product and additive go on above 60 and 75 %. No curve is smooth: the kinds of "
    "sentences change with the length, and with 18 tokens there are 60.",
)
def draw_length() -> Figure:
    figure, ax = style.panel(4.3)
    for kind, mine in runs().items():
        rows = [[e for e in run["by_length"] if e["sentences"] >= 50] for run in mine]
        places = [e["tokens"] for e in rows[0]]
        mean = np.mean([[e["right"] / e["sentences"] for e in row] for row in rows], axis=0)
        loud, rival = kind == "transformer", kind == "additive"
        color = style.ACCENT if loud else style.MUTED if rival else style.SOFT
        end = f"{LABELS[kind]}: {percent(mean[-1])}" if loud or rival else LABELS[kind]
        ax.plot(places, mean, color=color, linewidth=3 if loud else 2 if rival else 1, label=end)
    before = mean[places.index(LEARNED)]
    look = {"color": style.ACCENT, "weight": "bold", "ha": "right"}
    ax.text(LEARNED - 0.15, before + 0.035, percent(before), **look)
    name_lines(ax, wide=40)
    ax.texts[-1].set_weight("bold")
    title = (
        f"On sentences longer than any in training, the Transformer falls to {percent(mean[-1])}"
    )
    titled(figure, title, f"Sentences translated right to the letter: means of {len(mine)} runs")
    ax.axvline(LEARNED, color=style.INK, linewidth=1.2, zorder=1)
    how = {"transform": ax.get_xaxis_transform(), "color": style.MUTED, "va": "bottom"}
    ax.text(LEARNED, 1.02, f"longest in training: {LEARNED}", ha="center", **how)
    ax.set(ylim=(0, 1.06), xlim=(places[0], places[-1]), xlabel="tokens in the sentence")
    shares(ax.yaxis)
    ax.set_xticks([*range(4, places[-1] + 1, 5), places[-1]])
    return figure


@figure(
    "before-maps",
    caption="Where a recurrent translator and a Transformer look while they write one sentence.",
    alt="An English sentence about animal and street between two copies of its translation, joined "
    "by lines, the thicker the more attention. With additive scores, above, a single thick line "
    "leads from each Spanish word to one English word; 'did' and 'it' have none. In the mean of "
    "the four heads in the Transformer's layer 1, below, six words in orange, such as 'el', "
    "'cruzó' and 'la', have lines to two or more: individual heads are nearly as sharp as the "
    "additive scores.",
)
def draw_maps() -> Figure:
    figure, ax = canvas(style.WIDTH, 4.9)
    title = "The recurrent translator looks at one word, the Transformer often at several"
    heading(ax, title, "What each looks at while it writes a Spanish word: the thicker, the more")
    middle, middles = style.WIDTH / 2, []
    for kind, name, y in (
        ("additive", "recurrent, additive", 3.55),
        ("transformer", "Transformer", 0.75),
    ):
        found = runs()[kind][0]["map"]
        weights = np.array(found["weights"][max(found["weights"])]).mean(axis=0)[:-1, :-1]
        several = weights.max(axis=1) < SPREAD
        loud = {each for each, many in zip(found["written"], several, strict=True) if many}
        colors = dict.fromkeys(loud, style.ACCENT)
        if not middles:
            middles = sentence(ax, (middle, 2.1), found["read"], {}, ha="center")
        places = sentence(ax, (middle, y), found["written"], colors, ha="center", gap=0.28)
        above = 1 if y > 2 else -1
        for rows, color in ((~several, style.WEIGHT_COLORS[3]), (several, style.ACCENT)):
            starts = [(x, y + 0.06 - 0.2 * above) for x in np.array(places)[rows]]
            ends = [(x, 2.16 + 0.2 * above) for x in middles]
            threads(ax, starts, ends, weights[rows], color, upright=True, widest=6, least=0.08)
        label(ax, (0.02, y + 0.42 * above + 0.06), name, size=style.LABEL, weight="bold")
    said = "“la” looks at “the” and at “street”, whose gender it takes"
    label(ax, (places[found["written"].index("la")], y - 0.36), said, color=style.ACCENT)
    return figure


@figure(
    "before-gender",
    caption="Adjectives in the right gender, as trained and after changes in two different places.",
    alt="Above, a sentence with two arrows from 'tired': to 'animal', with the word cansado; and "
    "in orange to 'street', with cansada. Below, an orange arrow for each of three training runs, "
    "from the share of adjectives in the right gender as trained to the share after the swap: from "
    "94 to 95 % to 9, 10 and 45 %, below chance; the mean, 21 %. Small and grey, the means of two "
    "others: with additive scores, when the writer may not see the English adjective, from 86 to "
    "68 %; without attention 64 %.",
)
def draw_gender() -> Figure:
    figure, ax = canvas(style.WIDTH, 5.2)
    title = "When “tired” looks at the wrong noun, the Transformer writes the wrong gender"
    heading(ax, title, "Two numbers of its attention are swapped: those for “animal” and “street”")
    marked = dict.fromkeys(("animal", "street"), style.INK) | {"tired": style.ACCENT}
    words = "the animal did not cross the street because it was too tired".split()
    middles = dict(zip(words, sentence(ax, (0.1, 3.2), words, marked, size=13), strict=True))
    for noun, said, color, rise in (
        ("animal", "cansado", style.SOFT, 0.75),
        ("street", "cansada", style.ACCENT, 0.32),
    ):
        start, end = middles["tired"] + 0.07 * (noun == "animal"), middles[noun]
        arrow(ax, (start, 3.46), (end, 3.46), color, thick=2.5, rise=rise)
        look = {"color": color if color == style.ACCENT else style.MUTED, "size": 12}
        word(ax, ((start + end) / 2, 3.46 + rise), said, zorder=6, **look)

    def at(share: float) -> float:
        return 0.3 + 7.2 * share

    for share in (0, 0.5, 1):
        path(ax, [(at(share), 0.42), (at(share), 2.5)], style.RULE, head=False, thick=0.9)
        said = f"{100 * share:.0f} %" + ": chance" * (share == 0.5)
        label(ax, (at(share), 0.24), said, ha="center", color=style.MUTED)
    agreement = {
        kind: [run["gender"]["agreement"] for run in mine] for kind, mine in runs().items()
    }
    found = agreement["transformer"]
    before, after = ([each[how] for each in found] for how in ("as trained", "two numbers swapped"))
    look = {"size": 13, "weight": "bold", "color": style.ACCENT}
    means = f"{percent(np.mean(before))} → {percent(np.mean(after))}"
    label(ax, (at(0), 2.66), f"Transformer: {means} in the right gender", **look)
    for row, (start, end) in enumerate(zip(before, after, strict=True)):
        y = 2.3 - 0.26 * row
        ax.plot(at(start), y, "o", color=style.ACCENT, markersize=9, zorder=5)
        arrow(ax, (at(start), y), (at(end), y), style.ACCENT, thick=4)
    for y, kind, how, said in (
        (1.2, "additive", "adjective not seen", "recurrent, additive, “tired” hidden: "),
        (0.75, "none", "as trained", "recurrent, no attention: "),
    ):
        before, after = (
            float(np.mean([each[change] for each in agreement[kind]]))
            for change in ("as trained", how)
        )
        arrow(ax, (at(before), y), (at(after), y), style.SOFT)
        ax.plot(at(before), y, "o", color=style.SOFT, markersize=6, zorder=5)
        means = " → ".join(dict.fromkeys(map(percent, (before, after))))
        label(ax, (at(0) + 0.1, y), said + means, color=style.MUTED)
    return figure


@figure(
    "before-waiting",
    caption="A recurrent layer’s time compared with that of self-attention, one sentence at a "
    "time.",
    alt="A row of boxes for each length of a sentence; each box is as long as self-attention "
    "takes. On two threads the recurrent layer needs from 2 boxes with 8 words to 14 with 128, and "
    "8 with 512.",
)
def draw_waiting() -> Figure:
    stored = experiments.load("waiting")["runs"]
    threads = max(run["threads"] for run in stored)
    time = {(r["layer"], r["length"]): r["milliseconds"] for r in stored if r["threads"] == threads}
    lengths = sorted({length for _, length in time})
    times = {n: time["recurrent", n] / time["self-attention", n] for n in lengths}
    high, wide, left = 0.4, 0.42, 1.25
    figure, ax = canvas(style.WIDTH, 1.55 + high * len(lengths))
    title = f"A recurrent layer takes {min(times.values()):.0f} to {max(times.values()):.0f} times "
    note = f"Time of one layer for one sentence, on {threads} threads"
    heading(ax, f"{title}as long as self-attention", note)
    top = high * len(lengths) + 0.4
    label(ax, (0.85, top), "words", ha="right", color=style.MUTED)
    area(ax, (left, top - 0.14), wide - 0.05, 0.28, style.SOFT)
    label(ax, (left + wide + 0.05, top), "self-attention’s time", color=style.MUTED)
    for row, (words, many) in enumerate(times.items()):
        y = top - 0.48 - high * row
        label(ax, (0.85, y), f"{words}", size=style.LABEL, ha="right")
        for place in range(int(np.ceil(many))):
            part = min(many - place, 1)
            at = left + wide * place, y - 0.14
            area(ax, at, (wide - 0.05) * part, 0.28, style.ACCENT)
        loud = {"weight": "bold", "color": style.ACCENT}
        label(ax, (left + wide * many + 0.1, y), f"{many:.0f} ×", size=13, **loud)
    return figure
