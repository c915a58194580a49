"""Recurrent translators: how they are built, where they are right, and how long they wait."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from transformer_lib.plots import style
from transformer_lib.plots.causes import agreement_bars
from transformer_lib.plots.drawing import Point, canvas, label, look, word, word_color

# One color, one mark and one kind of line for each translator, in all figures.
LOOKS = {
    "none": ("no look back", style.CATEGORIES[4], "v", ":"),
    "dot": ("dot product", style.CATEGORIES[1], "o", "--"),
    "additive": ("additive", style.CATEGORIES[2], "D", "-."),
    "transformer": ("Transformer", style.CATEGORIES[0], "s", "-"),
}
Run = Mapping[str, Any]


# --- three machines ------------------------------------------------------------------------------

BOX = 0.42  # inches


@mpl.rc_context(style.PRINT)
def three_machines(source: Sequence[str], target: Sequence[str]) -> Figure:
    """Draw what a word is written from: in 2014, in 2015 and in 2017 -> the figure.

    source, target: the words of a sentence and its translation; what is written last is looked at.
    """
    figure, ax = canvas(style.WIDTH, 5.8)
    said = {
        "2014: all that is known of the sentence is one state": "a state is\nhanded on",
        "2015: and each word looks back at all states": "it is still\nhanded on",
        "2017: nothing is handed on, all words look": "nothing waits\nin training",
    }
    for row, (title, beside) in enumerate(said.items()):
        y = 4.62 - 2.08 * row
        label(ax, (0.2, y + (1.38 if row else 0.85)), title, size=13, weight="bold")
        label(ax, (0.2, y + BOX / 2), beside, size=10)
        read = [(1.62 + 0.66 * i, y) for i in range(len(source))]
        written = [(read[-1][0] + 0.98 + 0.84 * i, y) for i in range(len(target))]
        chain = row < 2
        for words, places in ((source, read), (target, written)):
            for text, place in zip(words, places, strict=True):
                last = chain and row == 0 and place == read[-1]
                _state(ax, place, text, filled=last)
        if chain:
            for start, end in zip([*read, *written], [*read[1:], *written], strict=False):
                _on(ax, start, end)
        elif row == 2:
            for i, asking in enumerate(read):
                for j, asked in enumerate(read):
                    if i != j:
                        _arch(ax, asking, asked, style.ENCODER, 0.12)
        if row:
            last = written[-1]
            asked = [*read, *(written[:-1] if row == 2 else [])]
            for place in asked:
                near = place == read[source.index("trees")] if "trees" in source else False
                _arch(ax, last, place, style.DECODER, 0.6 if near else 0.2)
    return figure


def _state(ax: Axes, at: Point, text: str, filled: bool) -> None:
    color = word_color(text)
    ax.add_patch(Rectangle(at, BOX, BOX, facecolor=style.HIGHLIGHT if filled else style.PAPER,
                           edgecolor=color, linewidth=2, zorder=3))  # fmt: skip
    word(ax, (at[0] + BOX / 2, at[1] - 0.2), text, size=10.5)


def _on(ax: Axes, start: Point, end: Point) -> None:
    if start != end:
        look(ax, (start[0] + BOX, start[1] + BOX / 2), (end[0] - 0.02, end[1] + BOX / 2), 0.35,
             style.INK)  # fmt: skip


def _arch(ax: Axes, start: Point, end: Point, color: str, weight: float) -> None:
    far = abs(start[0] - end[0])
    begin, finish = ((x + BOX / 2, y + BOX + 0.02) for x, y in (start, end))
    look(ax, begin, finish, weight, color, rise=0.18 + 0.1 * far, alpha=0.8)


# --- where they are right ------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def backwards(looks: Any, row: str, runs: Sequence[Run]) -> Figure:
    """Draw what a small translator of digits looks at, and what share is right by length.

    looks: weights (t, s) of a row that is written backwards, the end included. runs: "attention",
    and "by_length" with "digits" and "right". Raises ValueError when the weights don't fit the row.
    """
    weights = np.asarray(looks, dtype=float)
    if weights.shape != (len(row) + 1,) * 2:
        raise ValueError(f"{row} and its end need {len(row) + 1} weights each way, "
                         f"but these are {weights.shape}")  # fmt: skip
    figure = style.new_figure(style.WIDTH, 4.3)
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
    left.imshow(weights, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
    left.set_xticks(range(len(row) + 1), [*row, "end"])
    left.set_yticks(range(len(row) + 1), [*row[::-1], "end"])
    left.set(xlabel="looked at", ylabel="to write this digit")
    left.set_title("The look goes backwards")
    left.tick_params(length=0)
    by_kind = _curves(runs, "attention", "digits", lambda entry: entry["right"])
    _draw_curves(right, by_kind)
    right.set(xlabel="digits in the row", ylim=(0, 1.04))
    right.set_yticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
    right.set_title("Rows without a mistake")
    right.legend(loc="lower left")
    return figure


def _curves(runs: Sequence[Run], kind: str, place: str, share: Any) -> dict[str, list[list]]:
    """For each kind its runs, each a list of (place, share)."""
    if not runs:
        raise ValueError("there are no runs: there is nothing to draw")
    found: dict[str, list[list]] = {name: [] for name in LOOKS}
    for run in runs:
        found[run[kind]].append([(entry[place], share(entry)) for entry in run["by_length"]])
    return {name: lines for name, lines in found.items() if lines}


def _draw_curves(ax: Axes, kinds: Mapping[str, Sequence[Sequence]]) -> None:
    """The mean of each kind's runs as a line, the runs themselves as pale dots."""
    for kind, lines in kinds.items():
        name, color, mark, line = LOOKS[kind]
        values = np.array(lines)  # (runs, places, 2)
        places = values[0, :, 0]
        for run in values:
            ax.plot(run[:, 0], run[:, 1], mark, color=color, markersize=3.5, alpha=0.45,
                    markeredgewidth=0)  # fmt: skip
        ax.plot(places, values[:, :, 1].mean(axis=0), line, marker=mark, color=color, markersize=6,
                label=name)  # fmt: skip
    ax.grid(axis="y")


@mpl.rc_context(style.PRINT)
def right_by_length(runs: Sequence[Run], learned: int, least: int = 50) -> Figure:
    """Draw the share of sentences right to the letter against their number of tokens.

    runs: "what", and "by_length" with "tokens", "sentences" and "right". learned: tokens of the
    longest sentence in training. least: a length with fewer sentences is left out.
    """
    figure = style.new_figure(style.WIDTH, 4.4)
    ax = figure.subplots()
    many = [{**run, "by_length": [e for e in run["by_length"] if e["sentences"] >= least]}
            for run in runs]  # fmt: skip
    _draw_curves(
        ax, _curves(many, "what", "tokens", lambda entry: entry["right"] / entry["sentences"])
    )
    ax.axvline(learned + 0.5, color=style.INK, linewidth=1.2, linestyle="--")
    ax.text(learned + 0.65, 1.14, "longer than any\nin training", va="top")
    ax.set(ylim=(0, 1.15), xlabel="tokens in the English sentence", ylabel="right to the letter")
    ax.set_yticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
    ax.xaxis.set_major_locator(mpl.ticker.MultipleLocator(2))
    ax.set_title("Beyond the longest of the training, two of four break down")
    ax.legend(loc="lower left")
    return figure


@mpl.rc_context(style.PRINT)
def right_by_split(runs: Sequence[Run], splits: Mapping[str, str]) -> Figure:
    """Draw the share of sentences right to the letter: a row for each split, a dot for each run.

    runs: "what" and "right" by split. splits: name -> what it is called in the figure.
    """
    if not runs:
        raise ValueError("there are no runs: there is nothing to draw")
    figure = style.new_figure(style.WIDTH, 1.5 + 0.72 * len(splits))
    ax = figure.subplots()
    kinds = [kind for kind in LOOKS if any(run["what"] == kind for run in runs)]
    for row, split in enumerate(splits):
        for i, kind in enumerate(kinds):
            name, color, mark, _ = LOOKS[kind]
            shares = [run["right"][split] for run in runs if run["what"] == kind]
            y = row + 0.19 * (i - (len(kinds) - 1) / 2)
            ax.plot(shares, [y] * len(shares), mark, color=color, markersize=7, alpha=0.8,
                    markeredgewidth=0, label=None if row else name)  # fmt: skip
            ax.plot([1.04], [y], mark, color=color, markersize=6, clip_on=False)
            ax.text(1.065, y, f"{100 * np.mean(shares):.0f} %", va="center", fontsize=10)
    for row in range(len(splits) - 1):
        ax.axhline(row + 0.5, color=style.MUTED, linewidth=0.6)
    ax.set(xlim=(0, 1), ylim=(len(splits) - 0.5, -0.5), xlabel="right to the letter")
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    ax.set_yticks(range(len(splits)), list(splits.values()))
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    handles, names = ax.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(kinds))
    return figure


# --- what they look at, and what hangs on it ------------------------------------------------------


@mpl.rc_context(style.PRINT)
def two_maps(maps: Mapping[str, Run]) -> Figure:
    """Draw where translators look while they write the same sentence, side by side -> the figure.

    maps: title -> "read", "written", and "weights" of layers (h, t, s) by name; of the last layer
    the mean of the heads is drawn. The last row and column are the end.
    """
    figure = style.new_figure(style.WIDTH, 4.6)
    panels = figure.subplots(1, len(maps), squeeze=False)[0]
    for ax, (title, found) in zip(panels, maps.items(), strict=True):
        weights = np.array(found["weights"][max(found["weights"])]).mean(axis=0)
        read, written = [*found["read"], "end"], [*found["written"], "end"]
        if weights.shape != (len(written), len(read)):
            raise ValueError(f"{len(written)} words look at {len(read)}, but the weights are "
                             f"{weights.shape}")  # fmt: skip
        image = ax.imshow(weights, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
        ax.set_xticks(range(len(read)), read, rotation=90)
        ax.set_yticks(range(len(written)), written)
        ax.tick_params(length=0)
        ax.set_title(title)
    scale = figure.colorbar(image, ax=panels, pad=0.02, aspect=30, label="weight")
    scale.outline.set_visible(False)
    scale.set_ticks([0, 0.5, 1])
    return figure


# What was changed, where: a recurrent translator in its writer, a Transformer in its reader.
IN_THE_LOOK = {"two numbers swapped": "nouns swapped in its look",
               "adjective not seen": "adjective not seen"}  # fmt: skip
IN_THE_READER = {"two numbers swapped": "nouns swapped in its reader"}


@mpl.rc_context(style.PRINT)
def genders(runs: Sequence[Run]) -> Figure:
    """Draw the share of adjectives in the right gender, as trained and after each change.

    runs: "what", "seed" and "gender" with "agreement". Who has no look has no change.
    """
    rows: dict[str, list[float]] = {}
    for run in runs:
        shares, name = run["gender"]["agreement"], LOOKS[run["what"]][0]
        changes = IN_THE_READER if run["what"] == "transformer" else IN_THE_LOOK
        for change, said in {"as trained": "as trained", **changes}.items():
            if change in shares:
                rows.setdefault(f"{name}, {said}", []).append(shares[change])
    seeds = sorted({run["seed"] for run in runs})
    return agreement_bars(rows, seeds, "Changed in two places: in the look, and in the reader")


# --- how long they wait --------------------------------------------------------------------------

LAYERS = {
    "recurrent": (style.CATEGORIES[1], "o", "--"),
    "convolutional": (style.CATEGORIES[2], "D", "-."),
    "restricted self-attention": (style.CATEGORIES[3], "^", ":"),
    "self-attention": (style.CATEGORIES[0], "s", "-"),
}


@mpl.rc_context(style.PRINT)
def times_beside(runs: Sequence[Run], beside: str = "self-attention") -> Figure:
    """Draw how long each kind of layer takes, as a multiple of the time of one of them.

    runs: "layer", "threads", "length", "milliseconds". A panel for each number of threads.
    """
    if not runs:
        raise ValueError("there are no runs: there is nothing to draw")
    found = {(run["threads"], run["layer"], run["length"]): run["milliseconds"] for run in runs}
    threads, lengths = (sorted({key[part] for key in found}) for part in (0, 2))
    figure = style.new_figure(style.WIDTH, 4.3)
    panels = figure.subplots(1, len(threads), sharey=True, squeeze=False)[0]
    for ax, count in zip(panels, threads, strict=True):
        for layer, (color, mark, line) in LAYERS.items():
            times = [found[count, layer, n] / found[count, beside, n] for n in lengths]
            ax.plot(lengths, times, line, marker=mark, color=color, label=layer)
        ax.set_xscale("log", base=2)
        ax.set_yscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_major_formatter(lambda x, _: f"{x:g} ×" if x >= 1 else f"1/{1 / x:g}")
        ax.set_xticks(lengths)
        ax.set(xlabel="words in one sentence")
        ax.set_title(f"{count} thread{'s' if count > 1 else ''}")
        ax.grid(axis="y")
    panels[0].set_ylabel(f"time, as a multiple\nof that of {beside}")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=2)
    return figure
