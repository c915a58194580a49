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
from course.drawing.arrows import arrow, attention_arrow, bracket
from course.drawing.plots import curves, dot_rows, doubling, multiples, name_lines, shares
from course.drawing.registry import figure
from course.drawing.words import (
    Point,
    canvas,
    heading,
    label,
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
Run = Mapping[str, Any]
# --- three machines ------------------------------------------------------------------------------

BOX = 0.42  # inches


@mpl.rc_context(style.PRINT)
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


@mpl.rc_context(style.PRINT)
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
    by_kind = _curves(runs, "attention", "digits", lambda entry: entry["right"])
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
    last = _draw_curves(right, by_kind, [LABELS["none"]])
    for text in right.texts:
        name = text.get_text()
        text.set(text=f"{name}: {100 * last[name]:.0f} %", weight="bold")
    return figure


def _curves(runs: Sequence[Run], kind: str, place: str, share: Any) -> dict[str, list[list]]:
    """For each kind its runs, each a list of (place, share)."""
    if not runs:
        raise ValueError("there are no runs: there is nothing to draw")
    found: dict[str, list[list]] = {name: [] for name in LABELS}
    for run in runs:
        found[run[kind]].append([(entry[place], share(entry)) for entry in run["by_length"]])
    return {LABELS[name]: lines for name, lines in found.items() if lines}


def _draw_curves(
    ax: Axes, kinds: Mapping[str, Sequence[Sequence]], loud: Sequence[str]
) -> dict[str, float]:
    """A curve for each kind, its runs thin -> where their means end."""
    places = np.array(next(iter(kinds.values())))[0, :, 0]
    lines = {name: np.array(runs)[:, :, 1] for name, runs in kinds.items()}
    curves(ax, places, lines, loud=loud)
    return {name: float(values[:, -1].mean()) for name, values in lines.items()}


def _number(ax: Axes, name: str, share: float, away: Point) -> None:
    """A share in percent, so many points away from the end of a curve."""
    (line,) = (line for line in ax.lines if line.get_label() == name)
    at, color = (line.get_xdata()[-1], share), style.readable(line.get_color(), style.PAPER)
    how = {"xytext": away, "textcoords": "offset points", "ha": "center"}
    ax.annotate(f"{100 * share:.0f} %", at, color=color, weight="bold", **how)


@mpl.rc_context(style.PRINT)
def right_by_length(runs: Sequence[Run], learned: int, least: int = 50) -> Figure:
    """Draw the share of sentences right to the letter against their number of tokens.

    runs: "what", and "by_length" with "tokens", "sentences" and "right". learned: tokens of the
    longest sentence in training. least: a length with fewer sentences is left out.
    """
    figure, ax = style.panel(4.0)
    many = [
        {**run, "by_length": [e for e in run["by_length"] if e["sentences"] >= least]}
        for run in runs
    ]
    found = _curves(many, "what", "tokens", lambda entry: entry["right"] / entry["sentences"])
    ax.set(ylim=(0, 1.03), xlabel="tokens in the English sentence", ylabel="right to the letter")
    shares(ax.yaxis)
    one = LABELS["transformer"]
    last = _draw_curves(ax, found, [one])[one]
    ax.axvline(learned + 0.5, color=style.SOFT, linewidth=1)
    ax.axvspan(learned + 0.5, ax.lines[-2].get_xdata()[-1], color=style.GROUND, zorder=0)
    how = {"transform": ax.get_xaxis_transform(), "color": style.MUTED, "va": "bottom"}
    ax.text(learned + 0.5, 1.02, "longer than any in training", **how)
    _number(ax, one, last, (-10, 14))
    ax.set_title(
        f"On sentences longer than any in training, the Transformer falls to {100 * last:.0f} %"
    )
    ax.xaxis.set_major_locator(mpl.ticker.MultipleLocator(2))
    return figure


@mpl.rc_context(style.PRINT)
def _right_by_split(runs: Sequence[Run], splits: Mapping[str, str]) -> Figure:
    """Draw the share of sentences right to the letter: a panel for each split, a dot for each run.

    runs: "what" and "right" by split; the last split makes the title. splits: name -> what it is
    called in the figure.
    """
    if not runs:
        raise ValueError("there are no runs: there is nothing to draw")
    figure = style.new_figure(style.WIDTH, 4.6)
    quiet = [split for split in splits if split != "longer"]
    grid = figure.add_gridspec(2, max(len(quiet), 1), height_ratios=(1.5, 1), hspace=0.06)
    panels = {split: figure.add_subplot(grid[1, i]) for i, split in enumerate(quiet)}
    if "longer" in splits:
        panels["longer"] = figure.add_subplot(grid[0, :])
    for split, ax in panels.items():
        rows = {
            name: [run["right"][split] for run in runs if run["what"] == kind]
            for kind, name in LABELS.items()
        }
        rows = {name: found for name, found in rows.items() if found}
        large, best = split == "longer", max(rows, key=lambda name: np.mean(rows[name]))
        loud = [best, LABELS["transformer"]] if large else []
        shown = rows if large else {name: [np.mean(found)] for name, found in rows.items()}
        how = {"at": None if large else 1.07, "named": large or split == quiet[0]}
        dot_rows(ax, shown, loud=loud, written=_percent, **how)
        ax.set_title(splits[split], fontsize=style.LABEL if large else style.NOTE)
        ax.set(xlim=(0, 1))
        shares(ax.xaxis, 4 if large else 1)
        ax.tick_params(axis="x", labelbottom=large, length=3 if large else 0)
        for text in ax.texts:  # a row's line ends before its number
            text.set_bbox({"facecolor": style.PAPER, "linewidth": 0, "pad": 2})
            text.set_color(text.get_color() if large else style.MUTED)
    if loud:
        most, other = (_percent(np.array(rows[name])) for name in loud)
        figure.suptitle(
            f"On longer sentences {best} attention has {most} right, the Transformer {other}"
        )
    note = "above: a dot for each of three training runs, and their mean; below: means, on lines "
    note += "from 0 to 100 %"
    figure.supxlabel(note, fontsize=style.NOTE, color=style.MUTED, x=0.008, ha="left")
    return figure


def _percent(found: np.ndarray) -> str:
    return f"{100 * found.mean():.0f} %"


# --- what they look at, and what hangs on it ------------------------------------------------------


@mpl.rc_context(style.PRINT)
def _two_maps(maps: Mapping[str, Run]) -> Figure:
    """Draw where translators look while they write the same sentence, side by side -> the figure.

    maps: title -> "read", "written", and "weights" of layers (h, t, s) by name; of the last layer
    the mean of the heads is drawn. The last row and column are the end.
    """
    figure = style.new_figure(style.WIDTH, 7.2)
    figure.suptitle("Additive scores look at one word at a time, the mean of heads at several")
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
        ax.set_title(title)
    scale = figure.colorbar(image, ax=panels, location="bottom", pad=0.02, aspect=30, shrink=0.4)
    scale.set_label("attention")
    scale.outline.set_visible(False)
    scale.set_ticks([0, 0.5, 1])
    return figure


# What was changed in whom, and what it is called: first in the writer of recurrent translators.
CHANGES = {False: ("adjective not seen", "not seen: "), True: ("two numbers swapped", "swapped: ")}


@mpl.rc_context(style.PRINT)
def _genders(runs: Sequence[Run]) -> Figure:
    """Draw the share of adjectives in the right gender, as trained and after each change.

    runs: "what", "seed" and "gender" with "agreement". The Transformer stands above the others. A
    translator without attention has no change.
    """
    figure = style.new_figure(height=4.4)
    seeds = len({run["seed"] for run in runs})
    note = (
        f"adjectives in the right gender: a dot for each of {seeds} training runs, and their mean"
    )
    title = "With the nouns swapped in its reader, the Transformer takes the wrong gender"
    titled(figure, title, note)
    ax = figure.subplots()
    ax.axvline(0.5, color=style.SOFT, linewidth=1, zorder=0.4)
    ax.text(0.49, -0.75, "chance", ha="right", color=style.MUTED)
    beside = "for comparison: recurrent translators, when they may not see the English adjective"
    ax.text(0, 0.93, beside, color=style.MUTED, bbox={"facecolor": style.PAPER, "linewidth": 0})
    kinds = [kind for kind in reversed(LABELS) if any(run["what"] == kind for run in runs)]
    places = [0.75 * row + 0.8 * (kind != "transformer") for row, kind in enumerate(kinds)]
    for y, kind in zip(places, kinds, strict=True):
        found = [run["gender"]["agreement"] for run in runs if run["what"] == kind]
        large, trained = kind == "transformer", [each["as trained"] for each in found]
        change, said = CHANGES[large]
        changed = [each[change] for each in found if change in each]
        ax.axhline(y, color=style.RULE, linewidth=0.5, zorder=0.3)
        dark = style.ACCENT if large else style.INK
        first = y == min(places[not large :], default=y)  # it says what the dots are
        for dots, name, color in ((trained, "as trained: ", style.MUTED), (changed, said, dark)):
            if dots:
                color_of = style.SOFT if dots is trained else color
                look = {"s": 64 if large else 42, "color": color_of, "edgecolor": style.PAPER}
                ax.scatter(dots, [y] * len(dots), zorder=3, **look)
                text, at = f"{name * first}{100 * np.mean(dots):.0f} %", (np.mean(dots), y)
                look = {"weight": "bold" if color == style.ACCENT else "normal", "color": color}
                how = {"xytext": (0, 11), "textcoords": "offset points", "ha": "center"}
                ax.annotate(text, at, **how, **look)
        if large and changed:
            arrow(ax, (min(trained) - 0.015, y), (np.mean(changed), y), dark, thick=2.2)
    ax.set(xlim=(0, 1), ylim=(places[-1] + 0.35, -0.85))
    ax.set_yticks(places, [LABELS[kind] for kind in kinds])
    ax.get_yticklabels()[0].set_weight("bold")
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)
    shares(ax.xaxis, 4)
    return figure


# --- how long they wait --------------------------------------------------------------------------

LAYERS = ("recurrent", "convolutional", "restricted self-attention", "self-attention")


@mpl.rc_context(style.PRINT)
def _times_beside(runs: Sequence[Run], beside: str = "self-attention") -> Figure:
    """Draw how long each kind of layer takes, as a multiple of the time of one of them.

    runs: "layer", "threads", "length", "milliseconds". A panel for each number of threads.
    """
    if not runs:
        raise ValueError("there are no runs: there is nothing to draw")
    found = {(run["threads"], run["layer"], run["length"]): run["milliseconds"] for run in runs}
    threads, lengths = (sorted({key[part] for key in found}) for part in (0, 2))
    figure, panels = style.panels(len(threads), 4.0, sharey=True)
    slowest = max(
        found[count, "recurrent", n] / found[count, beside, n] for count in threads for n in lengths
    )
    for ax, count in zip(panels, threads, strict=True):
        doubling(ax, [2.0**i for i in range(-3, 5)], "y")
        doubling(ax, lengths, every=len(threads))
        times = {
            layer: [found[count, layer, n] / found[count, beside, n] for n in lengths]
            for layer in LAYERS
            if layer != beside
        }
        ax.text(lengths[len(lengths) // 2], 0.92, beside, color=style.MUTED, ha="center", va="top")
        curves(ax, lengths, times, loud=["recurrent"], marker="o", markersize=5, names=False)
        if ax is panels[-1]:
            name_lines(ax, wide=15)
        ax.plot(lengths, [1] * len(lengths), color=style.SOFT, linewidth=1.2, label=beside)
        longest = max(times["recurrent"])
        if longest == slowest:
            at = lengths[times["recurrent"].index(longest)]
            bracket(ax, (at, 1), (at, longest), f"{longest:.0f} ×", style.ACCENT)
        multiples(ax.yaxis)
        ax.set(xlabel="words in one sentence", title=f"{count} thread{'s' if count > 1 else ''}")
    panels[0].set_ylabel(f"time, as a multiple of {beside}'s")
    figure.suptitle(f"A recurrent layer takes up to {slowest:.0f} times as long as {beside}")
    return figure


SPLITS = {
    "test": "ordinary\nsentences",
    "noun-adjective": "nouns with new\nadjectives",
    "gustar": "liking\n(gustar)",
    "pronoun": "“it” and\nits noun",
    "longer": "sentences longer than any in training, right to the letter",
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
    alt="A wide panel, longer sentences, with a dot for each of three training runs, above four "
    "small ones of means. The means, without attention, with dot products, with additive scores "
    "and of the Transformer: Ordinary sentences: 77, 90, 96 and 96 %. Nouns with new adjectives: "
    "56, 84, 93 and 92 %. Liking: 84, 93, 96 and 94 %. “It” and its noun: 59, 67, 85 and 94 %. "
    "Longer than any in training: 6, 68, 85 and 38 %.",
)
def draw_splits() -> Figure:
    return _right_by_split(runs(), SPLITS)


@figure(
    "before-length",
    caption="Right to the letter, by the length of the sentence: four translators, three seeds.",
    alt="Four curves over 3 to 18 tokens. Up to 14 tokens the Transformer stays between 89 and "
    "96 %, the additive one between 85 and 98 %; with dot products it sinks from above 90 % "
    "to 74 %, without attention from 92 % to 52 %. After 14 tokens the ground is tinted, longer "
    "than any in training: the one without attention falls to 9 % and on to 0, the Transformer "
    "to 65, 25, 10 and 4 %; dot product and additive go on above 60 and 75 %. No curve is "
    "smooth: the kinds of sentences change with the length, and with 18 tokens there are 60.",
)
def draw_length() -> Figure:
    return right_by_length(runs(), LEARNED)


@figure(
    "before-maps",
    caption="Where a recurrent translator and a Transformer look while they write one sentence.",
    alt="Two maps, one above the other, Spanish words against English ones, of the sentence about "
    "animal and street. With additive scores each row has a single strong cell, and these go down "
    "in a line that leaves out 'did' and 'it'. In the mean of the four heads in the Transformer's "
    "layer 1 the line is the same, but several rows, such as 'el', 'cruzó' and 'la', are spread "
    "over two or more words: individual heads are nearly as sharp as the additive scores.",
)
def draw_maps() -> Figure:
    from course.chapters.ch16_before.experiments import chosen

    additive, transformer = (chosen()[name][0]["map"] for name in ("additive", "transformer"))
    titles = "additive scores", "Transformer, mean of 4 heads"
    return _two_maps(dict(zip(titles, (additive, transformer), strict=True)))


@figure(
    "before-gender",
    caption="Adjectives in the right gender, as trained and after changes in two different places.",
    alt="Four rows, a dot for each of three training runs and their mean, as trained and after a "
    "change. At the top the Transformer: 94 to 95 % as trained; with the nouns swapped in one head "
    "of its reader 9, 10 and 45 %, below chance: a long arrow leads to their mean, 21 %. Below, "
    "for comparison, recurrent translators, when the writer may not see the English adjective: "
    "with additive scores 84 to 87 % as trained, then 61 to 74 %; with dot products 64 to 70 %, "
    "then 58 to 60 %. Without attention nothing was changed: 63 to 66 %.",
)
def draw_gender() -> Figure:
    return _genders(runs())


@figure(
    "before-waiting",
    caption="Four kinds of layers: time compared with self-attention, one sentence at a time.",
    alt="Two panels, one and two threads: time as a multiple of that of self-attention, against "
    "8 to 512 words in one sentence. On one thread the recurrent layer rises from 3 times with 8 "
    "words to 10 times with 128, and falls to 3 times with 512; on two from 2 times to 14 times "
    "with 128, and is at 8 times with 512. Restricted self-attention lies between 1.3 and 2.6 "
    "times, and below 1 with 512 words. Convolution is fastest, between 1/9 and 1.",
)
def draw_waiting() -> Figure:
    return _times_beside(experiments.load("waiting")["runs"])
