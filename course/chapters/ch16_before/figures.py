"""Recurrent translators: how they are built, where they are right, and how long they wait."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, box, path, threads
from course.drawing.cells import area
from course.drawing.plots import curves, name_lines, shares
from course.drawing.registry import figure
from course.drawing.words import (
    Point,
    canvas,
    heading,
    label,
    percent,
    sentence,
    titled,
    word,
    word_color,
)

LABELS = {  # what the translators are called
    "none": "recurrent, no attention",
    "dot": "recurrent + dot-product attention",
    "additive": "recurrent + additive attention",
    "transformer": "Transformer",
}
Run = Mapping[str, Any]
# --- three machines ------------------------------------------------------------------------------

BOX = 0.42  # inches


def _three_machines(source: Sequence[str], target: Sequence[str]) -> Figure:
    """Draw what a word is written from: in 2014, in 2015 and in 2017 -> the figure.

    source, target: the words of a sentence and its translation; what is written last is looked at.
    """
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
        read = [(1.62 + 0.66 * i, y) for i in range(len(source))]
        written = [(read[-1][0] + 0.98 + 0.84 * i, y) for i in range(len(target))]
        chain = row < 2
        for words, places in ((source, read), (target, written)):
            for text, place in zip(words, places, strict=True):
                last = chain and row == 0 and place == read[-1]
                _state(ax, place, text, filled=last)
                if last:
                    at = (place[0] + BOX / 2, y + BOX + 0.13)
                    label(ax, at, "the one state", color=style.ACCENT, ha="center")
        if chain:
            for start, end in zip([*read, *written], [*read[1:], *written], strict=False):
                _on(ax, start, end)
        elif row == 2:
            for i, asking in enumerate(read):
                for j, asked in enumerate(read):
                    if i != j:  # apart from the middle, where the looks from Spanish arrive
                        aside = 0.09 if i < j else -0.09
                        ends = (asking[0] + aside, y), (asked[0] - aside, y)
                        _arch(ax, *ends, style.ENCODER, 0.12)
        if row:
            last = written[-1]
            asked = [*read, *(written[:-1] if row == 2 else [])]
            for place in asked:
                near = place == read[source.index("trees")] if "trees" in source else False
                _arch(ax, last, place, style.DECODER, 0.6 if near else 0.2)
    return figure


def _state(ax: Axes, at: Point, text: str, filled: bool) -> None:
    color = word_color(text)
    ax.add_patch(
        Rectangle(
            at,
            BOX,
            BOX,
            facecolor=style.ACCENT if filled else style.tint(color),
            edgecolor=color,
            linewidth=2,
            zorder=3,
        )
    )
    word(ax, (at[0] + BOX / 2, at[1] - 0.2), text, size=10.5)


def _on(ax: Axes, start: Point, end: Point) -> None:
    if start != end:
        ends = (start[0] + BOX, start[1] + BOX / 2), (end[0] - 0.02, end[1] + BOX / 2)
        arrow(ax, *ends, style.INK)


def _arch(ax: Axes, start: Point, end: Point, color: str, weight: float) -> None:
    far = abs(start[0] - end[0])
    begin, finish = ((x + BOX / 2, y + BOX + 0.02) for x, y in (start, end))
    attention_arrow(ax, begin, finish, weight, color, rise=0.18 + 0.1 * far)


# --- where they are right ------------------------------------------------------------------------


def _backwards(weights: Any, row: str, runs: Sequence[Run]) -> Figure:
    """Draw what a small translator of digits looks at, and what share is right by length.

    weights: (t, s) of a row that is written backwards, the end included. runs: "attention", and
    "by_length" with "digits" and "right".
    """
    figure, ax = canvas(style.WIDTH, 4.2)
    title = "Only with attention are long rows written backwards"
    heading(ax, title, "A small translator of digits; the thicker a line, the more it looks there")
    read, written = ([(0.3 + 0.47 * i, y) for i in range(len(row))] for y in (2.75, 0.95))
    for places, digits, said in ((read, row, "it reads"), (written, row[::-1], "it is to write")):
        label(
            ax, (0.1, places[0][1] + (0.42 if places is read else -0.42)), said, color=style.MUTED
        )
        for place, digit in zip(places, digits, strict=True):
            box(ax, place, 0.38, 0.44, digit, size=style.TITLE)
    ends = ([(x, y + way * 0.25) for x, y in each] for each, way in ((written, 1), (read, -1)))
    weights = np.asarray(weights)[:-1, :-1]
    threads(ax, *ends, weights, style.WEIGHT_COLORS[3], upright=True, widest=6)
    chart = figure.add_axes((0.66, 0.17, 0.24, 0.53))
    digits = [entry["digits"] for entry in runs[0]["by_length"]]
    found = _by_kind(runs, "attention")
    for kind, said, color, at in (
        ("dot", "with attention", style.MUTED, (3.1, 0.88)),
        ("none", "without", style.ACCENT, (4.6, 0.38)),
    ):
        lines = np.array([[entry["right"] for entry in run["by_length"]] for run in found[kind]])
        mean = lines.mean(axis=0)
        chart.plot(digits, mean, color=color, linewidth=3, label=said)
        chart.text(*at, said, color=color, weight="bold")
        _beside(
            chart, percent(mean[-1]), (digits[-1], mean[-1]), (7, 0), color=color, weight="bold"
        )
    label(ax, (5.28, 3.12), "rows without a mistake", size=style.LABEL)
    chart.set(xlabel="digits in the row", ylim=(0, 1.04), xlim=(digits[0], digits[-1]))
    chart.set_xticks([digits[0], digits[-1]])
    shares(chart.yaxis)
    return figure


def _by_kind(runs: Sequence[Run], key: str = "what") -> dict[str, list[Run]]:
    """For each kind of translator its runs."""
    if not runs:
        raise ValueError("there are no runs: there is nothing to draw")
    return {kind: mine for kind in LABELS if (mine := [run for run in runs if run[key] == kind])}


def _beside(ax: Axes, text: str, at: Point, away: Point, **look: Any) -> None:
    """A text, so many points away from a place in the plot."""
    how = {"textcoords": "offset points", "va": "center_baseline", "annotation_clip": False}
    ax.annotate(text, at, away, **how, **look)


def right_by_length(runs: Sequence[Run], learned: int, least: int = 50) -> Figure:
    """Draw the share of sentences right to the letter against their number of tokens.

    runs: "what", and "by_length" with "tokens", "sentences" and "right"; means of them are drawn.
    learned: tokens of the longest sentence in training. least: a length with fewer sentences is
    left out.
    """
    figure, ax = style.panel(4.3)
    for kind, mine in _by_kind(runs).items():
        rows = [[e for e in run["by_length"] if e["sentences"] >= least] for run in mine]
        places = [e["tokens"] for e in rows[0]]
        mean = np.mean([[e["right"] / e["sentences"] for e in row] for row in rows], axis=0)
        loud, rival = kind == "transformer", kind == "additive"
        color = style.ACCENT if loud else style.MUTED if rival else style.SOFT
        end = f"{LABELS[kind]}: {percent(mean[-1])}" if loud or rival else LABELS[kind]
        ax.plot(places, mean, color=color, linewidth=3 if loud else 2 if rival else 1, label=end)
    before = mean[places.index(learned)]
    look = {"color": style.ACCENT, "weight": "bold", "ha": "right"}
    _beside(ax, percent(before), (learned, before), (-6, 13), **look)
    name_lines(ax, wide=40)
    ax.texts[-1].set_weight("bold")
    title = (
        f"On sentences longer than any in training, the Transformer falls to {percent(mean[-1])}"
    )
    titled(figure, title, f"Sentences translated right to the letter: means of {len(mine)} runs")
    ax.axvline(learned, color=style.INK, linewidth=1.2, zorder=1)
    how = {"transform": ax.get_xaxis_transform(), "color": style.MUTED, "va": "bottom"}
    ax.text(learned, 1.02, f"longest in training: {learned}", ha="center", **how)
    ax.set(ylim=(0, 1.06), xlim=(places[0], places[-1]), xlabel="tokens in the sentence")
    shares(ax.yaxis)
    ax.set_xticks([*range(4, places[-1] + 1, 5), places[-1]])
    return figure


def _right_by_split(runs: Sequence[Run], splits: Mapping[str, tuple[str, str]]) -> Figure:
    """Draw the share of sentences right to the letter, a row of dots for each split -> the figure.

    runs: "what" and "right" by split; their means are drawn. splits: name -> what it is called, and
    a sentence. An arrow leads from the best recurrent translator of the last split to the
    Transformer.
    """
    figure, ax = canvas(style.WIDTH, 0.9 + 1.25 * len(splits))
    title = "The Transformer wins where distant words agree, and loses on longer sentences"
    heading(ax, title, "Sentences translated right to the letter: the means of three training runs")
    means = {
        kind: [float(np.mean([run["right"][split] for run in mine])) for split in splits]
        for kind, mine in _by_kind(runs).items()
    }
    rival = max([*means][:-1], key=lambda kind: means[kind][-1])
    for row, (said, example) in enumerate(splits.values()):
        y = 1.25 * (len(splits) - row) - 0.85
        label(ax, (0.02, y + 0.48), said, size=style.LABEL, weight="bold")
        label(ax, (2.35, y + 0.48), f"“{example}.”", size=style.LABEL, color=style.MUTED)
        path(ax, [(0.3, y), (7.3, y)], style.RULE, head=False, thick=0.75)
        at = {kind: 0.3 + 7 * shares[row] for kind, shares in means.items()}
        for kind, x in at.items():
            loud = kind == "transformer"
            color = style.ACCENT if loud else style.INK if kind == rival else style.SOFT
            ax.plot(x, y, "o", color=color, markersize=13 if loud else 9, zorder=4 + loud)
            look = {"color": style.readable(color, style.PAPER)}
            if row == 0:
                name = LABELS[kind].replace("recurrent", "").strip(" +,").split(" attention")[0]
                ha = {"none": "right", "dot": "left"}.get(kind, "center")
                label(ax, (x, y - 0.24), name, ha=ha, **look)
            if kind in (rival, "transformer"):
                right = (at["transformer"] >= at[rival]) == loud
                look |= {
                    "size": 13 if loud else style.LABEL,
                    "weight": "bold" if loud else "normal",
                }
                look |= {"ha": "left" if right else "right"}
                label(ax, (x + (0.16 if right else -0.16), y), percent(means[kind][row]), **look)
        gap = at["transformer"] - at[rival]
        if abs(gap) > 0.2:
            ends = (at[rival], y), (at["transformer"] - np.sign(gap) * 0.1, y)
            arrow(ax, *ends, style.ACCENT, thick=2.2)
            points = f"{100 * gap / 7:+.0f} points".replace("-", "\N{MINUS SIGN}")
            middle = (at[rival] + at["transformer"]) / 2, y + 0.2
            label(ax, middle, points, ha="center", color=style.ACCENT, weight="bold")
    return figure


# --- what they look at, and what hangs on it ------------------------------------------------------

SPREAD = 0.75  # a row whose largest weight is smaller looks at several words


def _who_looks(maps: Mapping[str, Run]) -> Figure:
    """Draw where two translators look while they write the same sentence -> the figure.

    maps: name -> "read", "written", and "weights" of layers (h, t, s) by name; of the last layer
    the mean of the heads is drawn, without the end. What looks at several words is loud.
    """
    figure, ax = canvas(style.WIDTH, 4.9)
    title = "The recurrent translator looks at one word, the Transformer often at several"
    heading(ax, title, "What each looks at while it writes a Spanish word: the thicker, the more")
    middle, middles = style.WIDTH / 2, None
    for (name, found), y in zip(maps.items(), (3.55, 0.75), strict=True):
        weights = np.array(found["weights"][max(found["weights"])]).mean(axis=0)[:-1, :-1]
        several = weights.max(axis=1) < SPREAD
        loud = {each for each, many in zip(found["written"], several, strict=True) if many}
        colors = dict.fromkeys(loud, style.ACCENT)
        if middles is None:
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


TIRED = "the animal did not cross the street because it was too tired".split()


def _genders(runs: Sequence[Run]) -> Figure:
    """Draw what "tired" looks at, and the share of adjectives in the right gender -> the figure.

    runs: "what" and "gender" with "agreement". An arrow for each run of the Transformer leads from
    as trained to after the swap; of the others there are means.
    """
    figure, ax = canvas(style.WIDTH, 5.2)
    title = "When “tired” looks at the wrong noun, the Transformer writes the wrong gender"
    heading(ax, title, "Two numbers of its attention are swapped: those for “animal” and “street”")
    marked = dict.fromkeys(("animal", "street"), style.INK) | {"tired": style.ACCENT}
    middles = dict(zip(TIRED, sentence(ax, (0.1, 3.2), TIRED, marked, size=13), strict=True))
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
        said = percent(share) if share else "0 %"
        label(
            ax,
            (at(share), 0.24),
            said + ": chance" * (share == 0.5),
            ha="center",
            color=style.MUTED,
        )
    agreement = {
        kind: [run["gender"]["agreement"] for run in mine] for kind, mine in _by_kind(runs).items()
    }
    found = agreement["transformer"]
    before, after = ([each[how] for each in found] for how in ("as trained", "two numbers swapped"))
    look = {"size": 13, "weight": "bold", "color": style.ACCENT}
    means = f"{percent(np.mean(before))} → {percent(np.mean(after))}"
    label(ax, (at(0), 2.66), f"right gender, swapped: {means}", **look)
    for row, (start, end) in enumerate(zip(before, after, strict=True)):
        y = 2.3 - 0.26 * row
        ax.plot(at(start), y, "o", color=style.ACCENT, markersize=9, zorder=5)
        arrow(ax, (at(start), y), (at(end), y), style.ACCENT, thick=4)
    for y, kind, how, said in (
        (1.2, "additive", "adjective not seen", ", “tired” hidden: "),
        (0.75, "none", "as trained", ": "),
    ):
        before, after = (
            float(np.mean([each[change] for each in agreement[kind]]))
            for change in ("as trained", how)
        )
        arrow(ax, (at(before), y), (at(after), y), style.SOFT)
        ax.plot(at(before), y, "o", color=style.SOFT, markersize=6, zorder=5)
        means = " → ".join(dict.fromkeys(map(percent, (before, after))))
        label(ax, (at(0) + 0.1, y), f"{LABELS[kind]}{said}{means}", color=style.MUTED)
    return figure


# --- how long they wait --------------------------------------------------------------------------


def _times_beside(runs: Sequence[Run]) -> Figure:
    """Draw the time of a recurrent layer as boxes, each as long as self-attention takes -> figure.

    runs: "layer", "threads", "length", "milliseconds"; those with the most threads are drawn.
    """
    threads = max(run["threads"] for run in runs)
    time = {(r["layer"], r["length"]): r["milliseconds"] for r in runs if r["threads"] == threads}
    lengths = sorted({length for _, length in time})
    times = {n: time["recurrent", n] / time["self-attention", n] for n in lengths}
    high, wide, left = 0.4, 0.42, 1.25
    figure, ax = canvas(style.WIDTH, 1.45 + high * len(lengths))
    title = f"A recurrent layer takes {min(times.values()):.0f} to {max(times.values()):.0f} times "
    note = f"Time of one layer for one sentence, on {threads} threads"
    heading(ax, f"{title}as long as self-attention", note)
    top = high * len(lengths) + 0.35
    label(ax, (0.85, top), "words", ha="right", color=style.MUTED)
    label(ax, (left, top), "each box: as long as self-attention takes", color=style.MUTED)
    for row, (words, many) in enumerate(times.items()):
        y = top - 0.4 - high * row
        label(ax, (0.85, y), f"{words}", size=style.LABEL, ha="right")
        for place in range(int(np.ceil(many))):
            part = min(many - place, 1)
            at = left + wide * place, y - 0.14
            area(ax, at, (wide - 0.05) * part, 0.28, style.ACCENT)
        loud = {"weight": "bold", "color": style.ACCENT}
        label(ax, (left + wide * many + 0.1, y), f"{many:.0f} ×", size=13, **loud)
    return figure


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


def runs() -> list[Mapping[str, Any]]:
    from course.chapters.ch16_before.experiments import chosen

    return [run for mine in chosen().values() for run in mine]


@figure(
    "before-three",
    hero=True,
    caption="What a word is written from: one state, all states, or all words.",
    alt="Three rows of boxes, one for each word of 'I like trees' and 'me gustan los árboles'. "
    "2014: arrows lead from box to box through all of them, and only the filled box at the end of "
    "the English leads to the Spanish. 2015: the same chain, and from 'árboles' arrows to all "
    "English boxes, the thickest to 'trees'. 2017: no chain; English boxes are joined to each "
    "other, and arrows lead from 'árboles' to all English and all earlier Spanish boxes.",
)
def draw_three() -> Figure:
    return _three_machines("I like trees <eos>".split(), "me gustan los árboles".split())


@figure(
    "before-backwards",
    caption="A recurrent translator of digits: what it looks at, and what share it has right.",
    alt="On the left a map: to write the digits of a row backwards, attention goes from the last "
    "digit to the first, a strong band from top right to bottom left. On the right the share "
    "of rows without a mistake against their length: without attention it falls from 100 % "
    "with 3 digits to 3 % with 10; with a dot product it stays above 96 % up to 9 digits and "
    "is near 86 % with 10; with additive scores it stays above 95 %.",
)
def draw_backwards() -> Figure:
    stored = experiments.load("backwards")
    weights = next(run["looks"] for run in stored["runs"] if run["attention"] == "dot")
    return _backwards(weights, stored["row"], stored["runs"])


@figure(
    "before-splits",
    caption="Right to the letter, by kind of sentence: four translators, three seeds each.",
    alt="Four lines over three kinds of sentences, through the means of three training runs, whose "
    "dots lie around them: without attention, with dot products, with additive scores, and the "
    "Transformer. “It” far from its noun: 59, 67, 85 and 94 %. Ordinary sentences: 77, 90, 96 and "
    "96 %. Longer than any in training: 6, 68, 85 and 38 %. The Transformer's line is orange.",
)
def draw_splits() -> Figure:
    return _right_by_split(runs(), SPLITS)


@figure(
    "before-length",
    caption="Right to the letter, by the length of the sentence: four translators, three seeds.",
    alt="Four curves with narrow bands, over 3 to 18 tokens. Up to 14 tokens the Transformer, in "
    "orange, stays between 89 and 96 %, the additive one between 85 and 98 %; with dot products it "
    "sinks from above 90 % to 74 %, without attention from 92 % to 52 %. After 14 tokens the "
    "ground is tinted, longer than any in training: the one without attention falls to 9 % and on "
    "to 0, the Transformer to 65, 25, 10 and 4 %; dot product and additive go on above 60 and "
    "75 %. No curve is smooth: the kinds of sentences change with the length, and with 18 tokens "
    "there are 60.",
)
def draw_length() -> Figure:
    return right_by_length(runs(), LEARNED)


@figure(
    "before-maps",
    caption="Where a recurrent translator and a Transformer look while they write one sentence.",
    alt="Two maps, one above the other, Spanish words against English ones, of the sentence about "
    "animal and street. With additive scores each row has a single strong cell, and these go down "
    "in a line that leaves out 'did' and 'it'. In the mean of the four heads in the Transformer's "
    "layer 1 the line is the same, but six rows, such as 'el', 'cruzó' and 'la', are spread over "
    "two or more words, and outlined: individual heads are nearly as sharp as the additive scores.",
)
def draw_maps() -> Figure:
    from course.chapters.ch16_before.experiments import chosen

    names = {"additive": "recurrent, additive", "transformer": "Transformer"}
    return _who_looks({said: chosen()[kind][0]["map"] for kind, said in names.items()})


@figure(
    "before-gender",
    caption="Adjectives in the right gender, as trained and after changes in two different places.",
    alt="Above, a sentence with two arrows from 'tired': to 'animal', as trained, cansado; and in "
    "orange to 'street', swapped, cansada. Below, an arrow for each of three training runs, from "
    "the share as trained to the share after the change. The Transformer's are orange and long, "
    "from 94 to 95 % to 9, 10 and 45 %, below chance; the mean, 21 %. With additive scores, when "
    "the writer may not see the English adjective, from 84 to 87 % to 61 to 74 %. Three dots "
    "without attention: 63 to 66 %.",
)
def draw_gender() -> Figure:
    return _genders(runs())


@figure(
    "before-waiting",
    caption="Four kinds of layers: time compared with self-attention, one sentence at a time.",
    alt="Time as a multiple of that of self-attention, against 8 to 512 words in one sentence. On "
    "two threads the recurrent layer, in orange, rises from 2 times with 8 words to 14 times with "
    "128, and is at 8 times with 512; a thin line, on one thread, rises from 3 times with 8 words "
    "to 10 times with 128, and falls to 3 times with 512. Restricted self-attention lies between "
    "1.3 and 2 times, and below 1 with 512 words. Convolution is fastest, between 1/5 and 1.",
)
def draw_waiting() -> Figure:
    return _times_beside(experiments.load("waiting")["runs"])
