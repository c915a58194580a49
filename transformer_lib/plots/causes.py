"""What depends on a head: tables of all heads, agreement after each change, words that cross."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from transformer_lib.plots import style
from transformer_lib.plots.heads import last_layers
from transformer_lib.plots.values import as_array, steady_round

SEEN = 0.15  # weights below are no line in `crossing`
BESIDE = 0.075  # between two lines to the same word, in words
KINDS = {"encoder.self_attn": "encoder, self-attention",
         "decoder.self_attn": "decoder, self-attention",
         "decoder.cross_attn": "decoder, cross-attention"}  # fmt: skip


def head_name(layer: str, head: int) -> str:
    """ "encoder.layers.1.self_attn", 2 -> "encoder, layer 2, head 3"; cross-attention is named."""
    part, _, number, kind = layer.split(".")
    middle = " cross-attention" if kind == "cross_attn" else ""
    return f"{part}{middle}, layer {int(number) + 1}, head {head + 1}"


@mpl.rc_context(style.PRINT)
def head_table(table: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw how often each head's largest weight lies on the right noun -> two maps, (layer, head).

    table: rows of `evaluation.head_accuracy`. The left map looks from the adjective, the right one
    from the pronoun.
    """
    layers = list(dict.fromkeys(row["layer"] for row in table))
    heads = 1 + max(row["head"] for row in table)
    names = [head_name(layer, 0).rpartition(", head")[0].replace(", ", ",\n") for layer in layers]
    figure = style.new_figure(8.6, 0.62 * len(layers) + 1.5)
    panels = figure.subplots(1, 2, sharey=True)
    for ax, word in zip(panels, ("adjective", "pronoun"), strict=True):
        shares = np.full((len(layers), heads), np.nan)
        for row in table:
            if row["from"] == word:
                shares[layers.index(row["layer"]), row["head"]] = row["right"]
        ax.imshow(shares, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
        for (i, j), share in np.ndenumerate(shares):
            ax.text(j, i, f"{steady_round(share):.2f}", ha="center", va="center",
                    color=style.ink_on(style.WEIGHTS(share)))  # fmt: skip
        ax.set_xticks(range(heads), [f"head {head + 1}" for head in range(heads)])
        ax.set_yticks(range(len(layers)), names)
        ax.tick_params(length=0)
        _grid(ax, shares.shape)
        ax.set_title(f"from the {word}")
    return figure


def _grid(ax: Axes, shape: tuple[int, int]) -> None:
    ax.set_yticks(np.arange(shape[0] + 1) - 0.5, minor=True)
    ax.set_xticks(np.arange(shape[1] + 1) - 0.5, minor=True)
    ax.grid(which="minor", linewidth=0.8)
    ax.tick_params(which="minor", length=0)
    ax.spines[:].set_visible(False)


@mpl.rc_context(style.PRINT)
def agreement_bars(measured: Mapping[str, Sequence[float]], seeds: Sequence[Any]) -> Figure:
    """Draw the share of right endings after each change, a bar for each seed -> the figure.

    measured: what is changed -> the shares, one for each of `seeds`.
    """
    for what, shares in measured.items():
        if len(shares) != len(seeds):
            raise ValueError(f"{len(seeds)} seeds need {len(seeds)} shares each, "
                             f"but {what!r} has {len(shares)}")  # fmt: skip
    figure = style.new_figure(8.6, 0.62 * len(measured) + 1.3)
    ax = figure.subplots()
    tall = 0.8 / len(seeds)
    for k, seed in enumerate(seeds):
        middles = np.arange(len(measured)) + (k - (len(seeds) - 1) / 2) * tall
        shares = [shares[k] for shares in measured.values()]
        ax.barh(middles, shares, height=0.9 * tall, color=style.CATEGORIES[k], label=f"seed {seed}")
        for y, share in zip(middles, shares, strict=True):
            ax.text(share + 0.008, y, f"{100 * share:.0f} %", va="center", fontsize=9.5,
                    bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.6})  # fmt: skip
    ax.axvline(0.5, color=style.INK, linewidth=1.2, linestyle="--", zorder=0)
    ax.text(0.5, -0.62, "chance", ha="center", va="bottom", fontsize=10)
    ax.set(xlim=(0, 1.09), ylim=(len(measured) - 0.5, -0.6))
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    ax.set_yticks(range(len(measured)), list(measured))
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("adjectives in the right gender")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.06), ncols=len(seeds))
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
def crossing(several: Sequence[Any]) -> Figure:
    """Draw which English words each Spanish word looks at, as lines between two rows of words.

    several: what a `Translator` gives for a sentence each. The lines are the heads of the last
    cross-attention; the heavier the weight, the thicker; weights below 0.15 are left out.
    """
    figure = style.new_figure(8.6, 1.75 * len(several) + 0.5)
    panels = figure.subplots(len(several), 1, squeeze=False)[:, 0]
    widest = max(max(len(looks.src), len(looks.tgt_out)) for looks in several)
    for ax, looks in zip(panels, several, strict=True):
        weights = as_array(looks.weights[last_layers(looks)[-1]])  # (h, t, s)
        for head, matrix in enumerate(weights):
            beside = (head - (len(weights) - 1) / 2) * BESIDE
            shown = [(i, j) for i, j in np.ndindex(matrix.shape) if matrix[i, j] >= SEEN]
            ax.add_collection(LineCollection(
                [[(i + beside, 0), (j + beside, 1)] for i, j in shown],
                colors=style.CATEGORIES[head],
                linewidths=[0.5 + 3.5 * matrix[look] for look in shown],
                alpha=[0.35 + 0.65 * min(matrix[look], 1) for look in shown],
            ))  # fmt: skip
        for words, y, side in ((looks.src, 1.08, "bottom"), (looks.tgt_out, -0.08, "top")):
            for place, word in enumerate(words):
                ax.text(place, y, word, ha="center", va=side, fontsize=12,
                        weight="bold" if y > 0 else "normal")  # fmt: skip
        ax.set(xlim=(-0.6, widest - 0.4), ylim=(-0.42, 1.42))
        ax.axis("off")
    heads = range(len(weights))
    figure.legend(
        [Line2D([], [], color=style.CATEGORIES[head], linewidth=3.5) for head in heads],
        [f"head {head + 1}" for head in heads], loc="outside lower center", ncols=len(heads),
    )  # fmt: skip
    return figure


@mpl.rc_context(style.PRINT)
def sharp_heads(results: Sequence[Mapping[str, Any]], named: Mapping[str, str]) -> Figure:
    """Draw, for each head, how sharp it looks and what its absence changes -> the figure.

    results: rows with layer, head, largest (mean of each word's largest weight) and changed (share
    of translations). named: "layer.head" -> what is written beside its point.
    """
    figure = style.new_figure(8.6, 4.4)
    ax = figure.subplots()
    for (kind, label), color, marker in zip(
        KINDS.items(), (style.ENCODER, style.POSITIVE, style.DECODER), "o^s", strict=True
    ):
        rows = [row for row in results if kind_of(row["layer"]) == kind]
        ax.scatter([row["largest"] for row in rows], [row["changed"] for row in rows], s=64,
                   color=color, marker=marker, edgecolor=style.PAPER, label=label, zorder=3,
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
