"""Recurrent translators: how they are built, where they are right, and how long they wait."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, path
from course.drawing.cells import outline
from course.drawing.plots import curves, doubling, multiples, name_lines, shares
from course.drawing.registry import figure
from course.drawing.words import (
    Point,
    canvas,
    heading,
    label,
    sentence,
    titled,
    word,
    word_color,
    words_around,
)

LABELS = {  # what the translators are called
    "none": "no attention",
    "dot": "dot product",
    "additive": "additive",
    "transformer": "Transformer",
}
IN_FULL = {  # and where there is room for it
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
            facecolor=style.ACCENT if filled else style.PAPER,
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

    looks: weights (t, s) of a row that is written backwards, the end included. runs: "attention",
    and "by_length" with "digits" and "right". Raises ValueError when the weights don't fit the row.
    """
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(row) + 1,) * 2:
        raise ValueError(
            f"{row} and its end need {len(row) + 1} weights each way, but these are {weights.shape}"
        )
    lines = {
        LABELS[kind]: np.array([[entry["right"] for entry in run["by_length"]] for run in mine])
        for kind, mine in _by_kind(runs, "attention").items()
    }
    figure = style.new_figure(style.WIDTH, 4.6)
    title = "Only with attention are long rows written backwards"
    titled(figure, title, f"Small translators of digits: {row} is to become {row[::-1]}")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
    image = left.imshow(weights, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
    key = left.inset_axes((0.62, 0.17, 0.32, 0.03), label="<colorbar>")
    figure.colorbar(image, cax=key, orientation="horizontal", ticks=[0, 1])
    key.set_title("attention", fontsize=style.NOTE, weight="normal", pad=4)
    key.tick_params(length=0, labelsize=style.NOTE)
    left.set_xticks(range(len(row) + 1), [*row, "end"])
    left.set_yticks(range(len(row) + 1), [*row[::-1], "end"])
    left.set(title="attention goes backwards", xlabel="it looks at", ylabel="to write this digit")
    left.tick_params(length=0)
    right.set(title="rows without a mistake", xlabel="digits in the row", ylim=(0, 1.04))
    shares(right.yaxis)
    digits = [entry["digits"] for entry in runs[0]["by_length"]]
    curves(right, digits, lines, loud=[LABELS["none"]])
    for text in right.texts:
        name = text.get_text()
        text.set(text=f"{name}: {_percent(lines[name][:, -1].mean())}", weight="bold")
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

    runs: "what", and "by_length" with "tokens", "sentences" and "right". learned: tokens of the
    longest sentence in training. least: a length with fewer sentences is left out.
    """
    by_kind = _by_kind(runs)
    figure = style.new_figure(style.WIDTH, 4.3)
    ax = figure.subplots()
    for kind, mine in by_kind.items():
        rows = [[e for e in run["by_length"] if e["sentences"] >= least] for run in mine]
        places = [e["tokens"] for e in rows[0]]
        found = np.array([[e["right"] / e["sentences"] for e in row] for row in rows])
        loud, name, mean = kind == "transformer", IN_FULL[kind], found.mean(axis=0)
        color = style.ACCENT if loud else style.MUTED
        ax.fill_between(places, found.min(axis=0), found.max(axis=0), color=color, alpha=0.2, lw=0)
        end = f"{name}: {_percent(mean[-1])}" if loud else name
        ax.plot(places, mean, color=color, linewidth=3 if loud else 1.5, label=end)
        if loud:
            last, before = mean[-1], mean[places.index(learned)]
            look = {"color": color, "weight": "bold", "ha": "center"}
            _beside(ax, _percent(before), (learned, before), (-8, 12), **look)
    name_lines(ax, wide=40)
    ax.texts[-1].set_weight("bold")
    title = f"On sentences longer than any in training, the Transformer falls to {_percent(last)}"
    note = f"Sentences translated right to the letter: the mean of {len(mine)} training runs, "
    titled(figure, title, f"{note}and a band from the worst to the best")
    ax.axvspan(learned + 0.5, places[-1], color=style.GROUND, zorder=0)
    middle = (learned + 0.5 + places[-1]) / 2
    how = {"transform": ax.get_xaxis_transform(), "color": style.MUTED, "va": "bottom"}
    ax.text(middle, 1.02, "longer than any\nin training", ha="center", **how)
    ax.set(ylim=(0, 1.06), xlim=(places[0] - 0.3, places[-1]), xlabel="tokens in the sentence")
    shares(ax.yaxis)
    ax.xaxis.set_major_locator(mpl.ticker.MultipleLocator(2))
    return figure


def _right_by_split(runs: Sequence[Run], splits: Mapping[str, str]) -> Figure:
    """Draw the share of sentences right to the letter as lines from one split to the next.

    runs: "what" and "right" by split, a dot for each. splits: name -> what it is called, from left
    to right. The Transformer is loud, the best recurrent translator on the last split is strong.
    """
    rows = {
        kind: np.array([[run["right"][split] for split in splits] for run in mine])
        for kind, mine in _by_kind(runs).items()
    }
    old = [kind for kind in rows if kind != "transformer"]
    strong = max(old, key=lambda kind: rows[kind][:, -1].mean())
    figure = style.new_figure(style.WIDTH, 4.6)
    title = "The Transformer wins where distant words agree, and loses on longer sentences"
    titled(figure, title, "Sentences translated right to the letter: a dot for each training run")
    ax = figure.subplots()
    places = range(len(splits))
    for place in places:
        ax.axvline(place, color=style.RULE, linewidth=0.8, zorder=0.5)
    for kind, found in rows.items():
        loud, mean = kind == "transformer", found.mean(axis=0)
        color = style.ACCENT if loud else style.INK if kind == strong else style.SOFT
        ax.plot(places, mean, color=color, linewidth=3 if loud else 2, label=IN_FULL[kind])
        for run in found:
            ax.scatter(places, run, s=26, color=color, edgecolor=style.PAPER, lw=0.6, zorder=3)
        look = {"color": style.readable(color, style.PAPER), "weight": "bold" if loud else "normal"}
        _beside(ax, _percent(mean[0]), (0, mean[0]), (-12, 0), ha="right", **look)
        said = f"{_percent(mean[-1])}  {IN_FULL[kind]}"
        if kind in (strong, "none"):  # the best and the worst of the ordinary
            away = (-5, 14 if kind == strong else -20)
            _beside(ax, _percent(mean[1]), (1, mean[1]), away, ha="right", **look)
        _beside(ax, said, (places[-1], mean[-1]), (12, 0), **look)
    ax.set(ylim=(0, 1.06), xlim=(-0.2, places[-1] + 1))
    ax.set_xticks(places, splits.values())
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    return figure


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


# --- what they look at, and what hangs on it ------------------------------------------------------

SPREAD = 0.75  # a row whose largest weight is smaller looks at several words


def _two_maps(maps: Mapping[str, Run]) -> Figure:
    """Draw where translators look while they write the same sentence, side by side -> the figure.

    maps: title -> "read", "written", and "weights" of layers (h, t, s) by name; of the last layer
    the mean of the heads is drawn. The last row and column are the end.
    """
    figure = style.new_figure(style.WIDTH, 6.9)
    title = "The recurrent translator looks at one word, the Transformer often at several"
    note = "What is looked at while each Spanish word is written; outlined: several words at once"
    titled(figure, title, note)
    panels = figure.subplots(len(maps), 1, squeeze=False)[:, 0]
    for ax, (title, found) in zip(panels, maps.items(), strict=True):
        weights = np.array(found["weights"][max(found["weights"])]).mean(axis=0)
        read, written = [*found["read"], "end"], [*found["written"], "end"]
        if weights.shape != (len(written), len(read)):
            raise ValueError(
                f"{len(written)} words look at {len(read)}, but the weights are {weights.shape}"
            )
        image = ax.imshow(weights, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
        words_around(ax, written, read, style.NOTE)
        for tick in ax.xaxis.get_major_ticks():
            tick.set_pad(5)  # with the whole width all words have room in one line
        ax.tick_params(labelbottom=ax is panels[0])  # between the maps, for both
        for y in np.flatnonzero(weights.max(axis=1) < SPREAD):
            (seen,) = np.nonzero(weights[y] > 0.1)
            outline(ax, (seen[0] - 0.5, y - 0.5), np.ptp(seen) + 1, 1, style.ACCENT, 2)
            ax.get_yticklabels()[y].set(**style.chip(written[y], style.ACCENT))
        ax.set_title(title)
    scale = figure.colorbar(image, ax=panels, location="bottom", pad=0.02, aspect=30, shrink=0.4)
    scale.set_label("attention")
    scale.outline.set_visible(False)
    shares(scale.ax.xaxis)
    return figure


CHANGES = (  # whom, what it is called, what was changed in it
    ("transformer", ", swapped", "two numbers swapped", style.ACCENT),
    ("additive", ", “tired” hidden", "adjective not seen", style.MUTED),
    ("none", "", "", style.MUTED),
)
TIRED = "the animal did not cross the street because it was too tired".split()


def _genders(runs: Sequence[Run]) -> Figure:
    """Draw what "tired" looks at, and the share of adjectives in the right gender -> the figure.

    runs: "what" and "gender" with "agreement". An arrow for each run leads from as trained to after
    the change, which isn't the same for the Transformer and for the recurrent translator; the one
    without attention has no change.
    """
    figure, ax = canvas(style.WIDTH, 5.1)
    title = "When “tired” looks at the wrong noun, the Transformer writes the wrong gender"
    by_kind = _by_kind(runs)
    count = len(by_kind["none"])
    note = f"Adjectives in the right gender: an arrow for each of {count} training runs"
    heading(ax, title, note)
    marked = dict.fromkeys(("animal", "street"), style.INK) | {"tired": style.ACCENT}
    at_words = sentence(ax, (style.WIDTH / 2, 3.14), TIRED, marked, ha="center")
    middles = dict(zip(TIRED, at_words, strict=True))
    for noun, said, color, rise in (
        ("animal", "as trained: cansado", style.SOFT, 0.68),
        ("street", "swapped: cansada", style.ACCENT, 0.3),
    ):
        start, end = middles["tired"] + 0.07 * (noun == "animal"), middles[noun]
        arrow(ax, (start, 3.38), (end, 3.38), color, thick=2.2, rise=rise)
        _on_paper(ax, ((start + end) / 2, 3.38 + rise), said, color, ha="center")

    def at(share: float) -> float:
        return 0.35 + 7.2 * share

    for share in (0, 0.25, 0.5, 0.75, 1):
        color, x = style.SOFT if share == 0.5 else style.RULE, at(share)
        path(ax, [(x, 0.42), (x, 2.5)], color, head=False, thick=0.9)
        said = _percent(share) + ": chance" * (share == 0.5)
        label(ax, (x, 0.24), said, ha="center", color=style.MUTED)
    y = 2.62
    for kind, said, change, color in CHANGES:
        found = [run["gender"]["agreement"] for run in by_kind[kind]]
        before = [each["as trained"] for each in found]
        after = [each.get(change, each["as trained"]) for each in found]
        means = " → ".join(dict.fromkeys(_percent(np.mean(shares)) for shares in (before, after)))
        _on_paper(ax, (at(0), y), f"{IN_FULL[kind]}{said}: {means}", color, weight="bold")
        for row, (start, end) in enumerate(zip(before, after, strict=True)):
            line = y - 0.25 - 0.17 * row if change else y
            ax.plot(at(start), line, "o", color=color, markersize=6, zorder=5)
            if change:
                arrow(ax, (at(start), line), (at(end), line), color, thick=2.2)
        y -= 0.95
    return figure


def _on_paper(ax: Axes, at: Point, text: str, color: str, **look: Any) -> None:
    """A text that interrupts the lines behind it."""
    ground = {"facecolor": style.PAPER, "linewidth": 0, "pad": 2}
    color = style.readable(color, style.PAPER)
    label(ax, at, text, size=style.LABEL, color=color, bbox=ground, **look)


# --- how long they wait --------------------------------------------------------------------------

LAYERS = ("recurrent", "convolutional", "restricted self-attention", "self-attention")


def _times_beside(runs: Sequence[Run], beside: str = "self-attention") -> Figure:
    """Draw how long each kind of layer takes, as a multiple of the time of one of them.

    runs: "layer", "threads", "length", "milliseconds". Of the recurrent layer there is a thin line
    for fewer threads than the most.
    """
    if not runs:
        raise ValueError("there are no runs: there is nothing to draw")
    found = {(run["threads"], run["layer"], run["length"]): run["milliseconds"] for run in runs}
    threads, lengths = (sorted({key[part] for key in found}) for part in (0, 2))

    def times(layer: str, count: int) -> list[float]:
        return [found[count, layer, n] / found[count, beside, n] for n in lengths]

    lines = {layer: times(layer, threads[-1]) for layer in LAYERS if layer != beside}
    least, most = min(lines["recurrent"]), max(lines["recurrent"])
    figure = style.new_figure(style.WIDTH, 4.5)
    title = f"A recurrent layer takes {least:.0f} to {most:.0f} times as long as {beside}"
    note = f"Time of one layer for one sentence, on {threads[-1]} threads; {beside}’s time is 1 ×"
    titled(figure, title, note)
    ax = figure.subplots()
    doubling(ax, [2.0**i for i in range(-2, 5)], "y")
    doubling(ax, lengths)
    ends = {f"{layer}: {line[-1]:.{line[-1] < 2:d}f} ×": line for layer, line in lines.items()}
    curves(ax, lengths, ends, loud=list(ends)[:1], marker="o", markersize=6, names=False)
    name_lines(ax, wide=26)
    ax.plot([lengths[0], lengths[-1]], [1, 1], color=style.INK, linewidth=1.2, zorder=1)
    for said, away, va in (("slower", 5, "bottom"), ("quicker", -5, "top")):
        look = {"color": style.MUTED, "textcoords": "offset points", "va": va}
        ax.annotate(f"{said} than {beside}", (lengths[2 % len(lengths)], 1), (0, away), **look)
    for count in threads[:-1]:
        line = times("recurrent", count)
        ax.plot(lengths, line, color=style.ACCENT, linewidth=1, zorder=2.5)
        said = f"recurrent,\non {count} thread{'s' * (count > 1)}"
        _beside(ax, said, (lengths[-1], line[-1]), (8, 0), color=style.ACCENT)
    peak = lengths[lines["recurrent"].index(most)], most
    _beside(ax, f"{most:.0f} ×", peak, (0, 14), color=style.ACCENT, weight="bold", ha="center")
    multiples(ax.yaxis)
    ax.set(xlabel="words in the sentence")
    return figure


SPLITS = {
    "pronoun": "“it” far from\nits noun",
    "test": "ordinary\nsentences",
    "longer": "longer than any\nin training",
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

    additive, transformer = (chosen()[name][0]["map"] for name in ("additive", "transformer"))
    titles = IN_FULL["additive"], "Transformer, mean of 4 heads"
    return _two_maps(dict(zip(titles, (additive, transformer), strict=True)))


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
