"""What depends on a head: tables of all heads, agreement after each change, words that cross."""

from collections.abc import Mapping, Sequence
from os.path import commonprefix
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyArrowPatch
from matplotlib.textpath import TextPath

from transformer_lib.plots import style
from transformer_lib.plots.drawing import canvas, label, sentence
from transformer_lib.plots.heads import ASKERS, arcs
from transformer_lib.plots.values import as_array, steady_round

# The mean, behind the dots of the single trainings.
PALE_BAR, PALE_WRONG = "#C9DDF0", "#F6D3BF"
NOT_BY_CHANCE = 0.55  # of a few hundred coins, as many are hardly ever heads
SEEN = 0.3  # weights below are no line in `crossing`
KINDS = {"encoder.self_attn": "encoder, self-attention",
         "decoder.self_attn": "decoder, self-attention",
         "decoder.cross_attn": "decoder, cross-attention"}  # fmt: skip


def head_name(layer: str, head: int) -> str:
    """ "encoder.layers.1.self_attn", 2 -> "encoder, layer 1, head 2"; cross-attention is named."""
    part, _, number, kind = layer.split(".")
    middle = " cross-attention" if kind == "cross_attn" else ""
    return f"{part}{middle}, layer {number}, head {head}"


@mpl.rc_context(style.PRINT)
def head_table(table: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw how often each head's largest weight lies on the right noun -> two maps, (layer, head).

    table: rows of `evaluation.head_accuracy`. The left map looks from the adjective, the right one
    from the pronoun.
    """
    layers = list(dict.fromkeys(row["layer"] for row in table))
    heads = 1 + max(row["head"] for row in table)
    names = [head_name(layer, 0).rpartition(", head")[0].replace(", ", ",\n") for layer in layers]
    figure = style.new_figure(8.0, 0.68 * len(layers) + 1.9)
    found = [sum(row["right"] > 0.5 for row in table if row["from"] == word)
             for word in ("adjective", "pronoun")]  # fmt: skip
    said = [{0: "none", 1: "one"}.get(count, str(count)) for count in found]
    figure.suptitle(f"{said[0].capitalize()} head of {len(layers) * heads} finds the noun of the "
                    f"adjective, {said[1]} that of “it”", fontsize=14, weight="bold")  # fmt: skip
    panels = figure.subplots(1, 2, sharey=True)
    for ax, word, title in zip(
        panels, ("adjective", "pronoun"), ("adjective → its noun", "“it” → its noun"), strict=True
    ):
        shares = np.full((len(layers), heads), np.nan)
        for row in table:
            if row["from"] == word:
                shares[layers.index(row["layer"]), row["head"]] = row["right"]
        image = ax.imshow(shares, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
        for (i, j), share in np.ndenumerate(shares):
            if said := f"{steady_round(100 * share, 0):.0f} %".removeprefix("0 %"):
                ax.text(j, i, said, ha="center", va="center", fontsize=12,
                        weight="bold" if share > 0.5 else "normal",
                        color=style.ink_on(style.WEIGHTS(share)))  # fmt: skip
        ax.set_xticks(range(heads), range(heads))
        ax.set_xlabel("head")
        ax.set_yticks(range(len(layers)), names)
        ax.tick_params(length=0)
        _grid(ax, shares.shape)
        ax.set_title(title)
    scale = figure.colorbar(
        image, ax=panels, pad=0.02, aspect=16, label="looks most at its noun (empty: 0 %)"
    )
    scale.outline.set_visible(False)
    scale.set_ticks([0, 0.5, 1], labels=["0 %", "50 %", "100 %"])
    return figure


def _grid(ax: Axes, shape: tuple[int, int]) -> None:
    ax.set_yticks(np.arange(shape[0] + 1) - 0.5, minor=True)
    ax.set_xticks(np.arange(shape[1] + 1) - 0.5, minor=True)
    ax.grid(which="minor", linewidth=0.8)
    ax.tick_params(which="minor", length=0)
    ax.spines[:].set_visible(False)


@mpl.rc_context(style.PRINT)
def agreement_bars(
    measured: Mapping[str, Sequence[float]], seeds: Sequence[Any], title: str = ""
) -> Figure:
    """Draw the share of right endings after each change, a dot for each seed -> the figure.

    measured: what is changed -> the shares, one for each of `seeds`. Where their mean is no better
    than chance, the bar has the color of what is wrong.
    """
    for what, shares in measured.items():
        if len(shares) != len(seeds):
            raise ValueError(f"{len(seeds)} seeds need {len(seeds)} shares each, "
                             f"but {what!r} has {len(shares)}")  # fmt: skip
    figure = style.new_figure(8.0, 0.58 * len(measured) + 1.6)
    if title:
        figure.suptitle(title, fontsize=14, weight="bold")
    ax = figure.subplots()
    for y, shares in enumerate(measured.values()):
        wrong = np.mean(shares) < NOT_BY_CHANCE
        ax.barh(y, np.mean(shares), height=0.6, color=PALE_WRONG if wrong else PALE_BAR, zorder=1)
        spread = np.linspace(-0.16, 0.16, len(shares)) if len(shares) > 1 else [0]
        ax.plot(shares, y + np.array(spread), "o", markersize=6, clip_on=False, zorder=3,
                color=style.WRONG if wrong else style.RIGHT)  # fmt: skip
        said = [f"{100 * share:.0f}" for share in (min(shares), max(shares))]
        ax.text(1.04, y, "–".join(dict.fromkeys(said)) + " %", va="center", weight="bold",
                color="#A8430F" if wrong else style.INK)  # fmt: skip
    ax.axvline(0.5, color=style.INK, linewidth=1.4, linestyle="--", zorder=2)
    ax.text(0.5, -0.62, "chance", ha="center", va="bottom")
    ax.set(xlim=(0, 1), ylim=(len(measured) - 0.5, -0.6))
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    ax.set_yticks(range(len(measured)), list(measured))
    ax.tick_params(axis="y", length=0, pad=9)
    ax.set_xlabel(f"adjectives in the right gender; a dot for each of {len(seeds)} trainings")
    return figure


def before_and_after(
    looks: Any, layer: str, head: int, word: str, one: str, another: str
) -> torch.Tensor:
    """(2, s): a word's row in one head, and the same with the weights of two words exchanged."""
    from transformer_lib.evaluation import swap

    query, first, second = (looks.src.index(name) for name in (word, one, another))
    weights = looks.weights[layer][None]
    swapped = swap(0, head, query, first, second)(weights)
    return torch.stack([weights[0, head, query], swapped[0, head, query]])


@mpl.rc_context(style.PRINT)
def exchanged(
    words: Sequence[str], rows: Any, word: str, nouns: Sequence[str], endings: Sequence[str],
    meanings: Sequence[str],
) -> Figure:  # fmt: skip
    """Draw a sentence before and after two weights of one word have changed places.

    rows (2, s): what `word` looks at, before and after. endings: the last words of the translation
    before and after; the letters in which they differ are marked. meanings: a note for each.
    """
    weights = as_array(rows)
    gap, letter = 0.17, 0.1  # inches
    places = _middles(words, 0.1, letter, gap)
    middle = {text: x for text, x in reversed(list(zip(words, places, strict=True)))}
    right = places[-1] + letter * len(words[-1]) / 2 + gap
    figure, ax = canvas(right + 0.1, 5.1)
    tops, same = (3.66, 1.42), len(commonprefix(list(endings)))
    between = sum(middle[noun] for noun in nouns) / 2
    for row, y, side, when, ending, meaning in zip(
        weights, tops, (1, -1), ("as it is", "two numbers swapped"), endings, meanings,
        strict=True,
    ):  # fmt: skip
        for text, x in zip(words, places, strict=True):
            marked = text == word or text in nouns
            label(ax, (x, y - 0.06), text, size=14.5 if marked else 11.5, ha="center",
                  va="baseline", weight="bold" if marked else "normal",
                  color=style.INK if marked else style.MUTED)  # fmt: skip
        for noun in nouns:
            weight = float(row[words.index(noun)])
            strong = weight > 0.5
            farther = abs(middle[noun] - middle[word]) == max(
                abs(middle[other] - middle[word]) for other in nouns
            )
            start = middle[word] + (0.05 if strong else 0.24 if farther else -0.2)
            ax.add_patch(FancyArrowPatch(
                (start, y + 0.2 * side), (middle[noun], y + 0.2 * side),
                connectionstyle=f"arc3,rad={(0.24 if strong or farther else 0.17) * side}",
                arrowstyle="-|>",
                mutation_scale=26 if strong else 11, linewidth=6 * weight if strong else 1.3,
                linestyle="-" if strong else (0, (4, 3)),
                color=style.HIGHLIGHT if strong else "#8E8E8E", shrinkA=3, shrinkB=3,
                zorder=2.5 if strong else 2,
            ))  # fmt: skip
            label(
                ax,
                (middle[noun], y - 0.42 * side),
                f"{steady_round(weight):.2f}",
                size=17,
                ha="center",
                weight="bold",
                color=style.INK if strong else style.MUTED,
            )
        label(ax, (0.12, y + 1.1 * side), when, size=15, weight="bold")
        label(ax, (between, y - 0.42 * side), "attention weights", size=11, ha="center",
              color=style.MUTED)  # fmt: skip
        stem, change = _inches(ending[:same], 19), _inches(ending[same:], 19)
        x = right - 0.05 - stem - change
        label(ax, (x - 0.06, y - 0.45 * side), "…", size=17, ha="right", color=style.MUTED)
        base = y - 0.45 * side - 0.09
        label(ax, (x, base), ending[:same], size=19, weight="bold", va="baseline")
        label(ax, (x + stem, base), ending[same:], size=19, weight="bold", color="#B36B00",
              va="baseline")  # fmt: skip
        label(ax, (right - 0.05, y - 0.83 * side), meaning, size=11.5, ha="right",
              color=style.MUTED)  # fmt: skip
    for start, end in (nouns, nouns[::-1]):
        ax.annotate("", (middle[end], tops[1] + 0.62), (middle[start], tops[0] - 0.62), arrowprops={
            "arrowstyle": "-|>", "linewidth": 2.2, "color": style.INK, "mutation_scale": 18,
            "shrinkA": 0, "shrinkB": 0})  # fmt: skip
    return figure


@mpl.rc_context(style.PRINT)
def same_and_other(
    sentences: Sequence[tuple[Sequence[str], Any]], changed: Sequence[str], same: str
) -> Figure:
    """Draw what two words look at in two sentences that differ in one word -> the figure.

    sentences: the words and the weights (s, s) of one head, for each. changed: the word in which
    they differ, as it is in each; its looks go above the sentence. same: the word whose looks go
    below it.
    """
    figure, ax = canvas(8, 5.4)
    label(ax, (0.2, 5.15), f"“{changed[0]}” and “{changed[1]}” look at different nouns, “{same}” "
          "at the same one.", size=14, weight="bold")  # fmt: skip
    for (words, weights), word, y in zip(sentences, changed, (3.4, 1.05), strict=True):
        weights = as_array(weights)
        places = {word: words.index(word), same: words.index(same)}
        found = {words[weights[place].argmax()]: style.INK for place in places.values()}
        middles = sentence(ax, (0.2, y), words, {**found, word: ASKERS[word], same: ASKERS[same]})
        arcs(ax, middles, y + 0.26, weights[places[word]], places[word], ASKERS[word])
        arcs(ax, middles, y - 0.12, weights[places[same]], places[same], ASKERS[same], below=True)
    return figure


def _inches(text: str, size: float) -> float:
    """How wide a bold text is, with the space to its next letter."""
    path = TextPath((0, 0), text + "|", size=size, prop=FontProperties(weight="bold"))
    bar = TextPath((0, 0), "|", size=size, prop=FontProperties(weight="bold"))
    return (path.get_extents().x1 - bar.get_extents().x1) / 72


def _middles(words: Sequence[str], left: float, letter: float, gap: float) -> list[float]:
    found = []
    for text in words:
        wide = len(text) * letter + gap
        found.append(left + wide / 2)
        left += wide
    return found


def lines_between(looks: Any) -> list[tuple[int, int]]:
    """(Spanish position, English position) where the mean of the last cross-attention is at least
    0.3, without the sign for the end."""
    mean = as_array(looks.last_cross_attention())[:-1, :-1]
    return [(i, j) for i, j in np.ndindex(mean.shape) if mean[i, j] >= SEEN]


def crossings(lines: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The pairs of lines that cross: one starts further left and ends further right."""
    return [(a, b) for a in lines for b in lines if a[0] < b[0] and a[1] > b[1]]


@mpl.rc_context(style.PRINT)
def crossing(several: Sequence[Any]) -> Figure:
    """Draw which English words each Spanish word looks at, as lines between two rows of words.

    several: what a `Translator` gives for a sentence each. The lines are the mean of the heads of
    the last cross-attention; the heavier the weight, the thicker; lines that cross another one are
    marked.
    """
    figure = style.new_figure(8.0, 2.0 * len(several) + 0.3)
    panels = figure.subplots(len(several), 1, squeeze=False)[:, 0]
    widest = max(max(len(looks.src), len(looks.tgt_out)) for looks in several) - 1
    for ax, looks in zip(panels, several, strict=True):
        mean, lines = as_array(looks.last_cross_attention()), lines_between(looks)
        crossed = {line for pair in crossings(lines) for line in pair}
        for line in lines:
            (i, j), marked = line, line in crossed
            ax.add_collection(LineCollection(
                [[(i, 0), (j, 1)]], linewidths=1 + 5 * mean[line], capstyle="round",
                colors=style.HIGHLIGHT if marked else "#9A9A9A", zorder=2 if marked else 1,
            ))  # fmt: skip
        for words, y, side, name in ((looks.src, 1.1, "bottom", "English"),
                                     (looks.tgt_out, -0.1, "top", "Spanish")):  # fmt: skip
            ax.text(-0.62, y, name, ha="right", va=side, fontsize=11, color=style.MUTED)
            for place, word in enumerate(words[:-1]):
                ax.text(place, y, word, ha="center", va=side, fontsize=14, weight="bold",
                        color=style.WORDS.get(word, style.INK))  # fmt: skip
        count = len(crossings(lines))
        ax.text(widest - 0.35, 0.5, f"{count or 'no'} crossing{'s' if count != 1 else ''}",
                va="center", fontsize=12, color=style.INK)  # fmt: skip
        ax.set(xlim=(-1.3, widest + 0.8), ylim=(-0.5, 1.5))
        ax.axis("off")
    return figure


@mpl.rc_context(style.PRINT)
def sharp_heads(results: Sequence[Mapping[str, Any]], named: Mapping[str, str]) -> Figure:
    """Draw, for each head, how sharp it looks and what its absence changes -> the figure.

    results: rows with layer, head, largest (mean of each word's largest weight) and changed (share
    of translations). named: "layer.head" -> what is written beside its point.
    """
    figure = style.new_figure(8.0, 4.4)
    ax = figure.subplots()
    for (kind, name), color, marker in zip(
        KINDS.items(), (style.ENCODER, style.POSITIVE, style.DECODER), "o^s", strict=True
    ):
        rows = [row for row in results if kind_of(row["layer"]) == kind]
        ax.scatter([row["largest"] for row in rows], [row["changed"] for row in rows], s=64,
                   color=color, marker=marker, edgecolor=style.PAPER, label=name, zorder=3,
                   clip_on=False)  # fmt: skip
    for row in results:
        text = named.get(f"{row['layer']}.{row['head']}")
        if text:
            right = row["largest"] > 0.8
            high = row["changed"] > 0.1
            ax.annotate(text, (row["largest"], row["changed"]),
                        xytext=(-8 if right else 8, 6 if high else 40), textcoords="offset points",
                        ha="right" if right else "left", va="bottom", fontsize=11,
                        arrowprops=None if high else {"arrowstyle": "-", "color": style.MUTED,
                                                      "shrinkB": 5})  # fmt: skip
    ax.set(xlim=(0.3, 1), ylim=(0, 0.26))
    ax.set_yticks([0, 0.05, 0.1, 0.15, 0.2, 0.25], ["0", "5 %", "10 %", "15 %", "20 %", "25 %"])
    ax.set_xlabel("how sharp the head looks: mean of each word's largest weight")
    ax.set_ylabel("translations that change without it")
    ax.legend(loc="upper left")
    return figure


def kind_of(layer: str) -> str:
    """ "encoder.layers.1.self_attn" -> "encoder.self_attn" """
    part, _, _, kind = layer.split(".")
    return f"{part}.{kind}"
