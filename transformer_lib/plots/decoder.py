"""How the decoder writes: from a vector to a word, and word after word."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from transformer_lib.plots import style
from transformer_lib.plots.values import as_array, steady_round

HIGHEST = 11.0  # where the axis of logits ends, so that all steps share it
LOWEST = -1.5


@dataclass(frozen=True)
class WordStep:
    """One run of the decoder: what it reads, where it looks, and which words it finds likely.

    read: the target words so far, from <bos>. looks: a weight for each source word. best: the
    likeliest next words, the first of which is written; logits and chances: of these words.
    """

    read: list[str]
    looks: list[float]
    best: list[str]
    logits: list[float]
    chances: list[float]


@mpl.rc_context(style.PRINT)
def generator_flow(vector: Any, logits: Any, words: Sequence[str]) -> Figure:
    """Draw the way from the decoder's vector to a word, from bottom to top -> the figure.

    vector (d_model), logits (vocab), words: the vocabulary. Raises ValueError when there are more
    or fewer words than logits.
    """
    x, scores = as_array(vector), as_array(logits)
    if x.ndim != 1 or scores.shape != (len(words),):
        raise ValueError(f"a vector of the shape {x.shape} and logits of the shape {scores.shape} "
                         f"don't fit {len(words)} words")  # fmt: skip
    log_probs = scores - scores.max()
    log_probs = log_probs - np.log(np.exp(log_probs).sum())
    best = int(scores.argmax())
    figure = style.new_figure(9.5, 7.6)
    word, _, upper, _, lower, _, strip = axes = figure.subplots(
        7, 1, height_ratios=[0.5, 0.5, 1.7, 0.45, 1.7, 0.5, 0.35]
    )
    span = (-0.01 * len(words), 1.01 * len(words))
    for ax in axes[:6]:
        ax.set_xlim(*span)
    for ax, text, x_tip in (
        (axes[1], "argmax: the highest of all", best),
        (axes[3], "log softmax", None),
        (axes[5], f"times $W^T$: {len(x)} numbers → {len(words):,}", None),
    ):
        _way_up(ax, text, x_tip if x_tip is not None else len(words) / 2)

    limit = float(abs(x).max())
    strip.imshow(x[None], cmap=style.SIGNED, vmin=-limit, vmax=limit, aspect="auto",
                 interpolation="nearest")  # fmt: skip
    strip.set_yticks([])
    strip.set_xlabel(f"the decoder's vector at the last place: {len(x)} numbers")
    strip.spines[:].set_visible(False)
    for ax, values, name in ((lower, scores, "logit"), (upper, log_probs, "log-probability")):
        ax.plot(values, color=style.CATEGORIES[0], linewidth=0.6)
        ax.plot([best], [values[best]], "o", color=style.POSITIVE, markeredgecolor=style.INK)
        ax.axvline(best, color=style.MUTED, linewidth=0.8, linestyle=":", zorder=0)
        ax.set_ylabel(name)
        low, high = values.min(), values.max()
        ax.set_ylim(low - 0.06 * (high - low), high + 0.14 * (high - low))
        number = f"{values[best]:.1f}".replace("-", "\N{MINUS SIGN}")
        ax.annotate(f"{words[best]}: {number}", (best, values[best]), (8, 0),
                    textcoords="offset points", va="center", weight="bold")  # fmt: skip
    lower.set_xlabel(f"id of the word, 0 to {len(words) - 1:,}", labelpad=1)
    upper.tick_params(labelbottom=False)
    word.axis("off")
    word.set_ylim(0, 1)
    word.text(best, 0.45, words[best], ha="center", va="center", fontsize=16, weight="bold",
              bbox={"boxstyle": "round,pad=0.35", "facecolor": style.PAPER,
                    "edgecolor": style.DECODER, "linewidth": 1.8})  # fmt: skip
    return figure


def _way_up(ax: Axes, text: str, x: float) -> None:
    ax.axis("off")
    ax.set_ylim(0, 1)
    look = {"arrowstyle": "-|>", "color": style.MUTED, "linewidth": 1.8, "mutation_scale": 16}
    ax.annotate("", xy=(x, 1), xytext=(x, 0), arrowprops=look)
    ax.annotate(text, (x, 0.5), (14, 0), textcoords="offset points", va="center")


@mpl.rc_context(style.PRINT)
def decode_trace(src: Sequence[str], steps: Sequence[WordStep]) -> Figure:
    """Draw all steps of a translation below each other -> the figure.

    Each step: what the decoder has read and writes, its look at the source, the likeliest words.
    Raises ValueError when a step has other source words.
    """
    _check(src, steps)
    figure = style.new_figure(10.5, 0.9 + 1.25 * len(steps))
    widths = [3.6, 0.95 * len(src), 3.6]
    grid = figure.subplots(len(steps), 3, width_ratios=widths, squeeze=False)
    for number, (row, step) in enumerate(zip(grid, steps, strict=True), start=1):
        text, look, bars = row
        text.axis("off")
        text.set(xlim=(0, 1), ylim=(0, 1))
        text.text(0, 0.72, f"{number}.  {' '.join(step.read)}", va="center", fontsize=12)
        text.text(0.12, 0.28, f"→ {step.best[0]}", va="center", fontsize=13, weight="bold",
                  color=style.DECODER)  # fmt: skip
        look.imshow([step.looks], cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto",
                    interpolation="nearest")  # fmt: skip
        for place, weight in enumerate(step.looks):
            look.text(place, 0, f"{steady_round(weight):.2f}", ha="center", va="center",
                      color=style.ink_on(style.WEIGHTS(weight)))  # fmt: skip
        look.set_xticks(range(len(src)), src)
        look.set_xticks(np.arange(len(src) + 1) - 0.5, minor=True)
        look.grid(which="minor", linewidth=0.8)
        look.set_yticks([])
        look.tick_params(which="both", length=0)
        look.spines[:].set(visible=True, color="#D9D9D9")
        colors = [style.POSITIVE] + [style.CATEGORIES[0]] * (len(step.best) - 1)
        bars.barh(range(len(step.best)), step.logits, color=colors)
        for place, (logit, chance) in enumerate(zip(step.logits, step.chances, strict=True)):
            bars.text(max(logit, 0) + 0.2, place, percent(chance), va="center", fontsize=9.5)
        bars.set_yticks(range(len(step.best)), step.best, fontsize=9.5)
        bars.invert_yaxis()
        bars.set_xlim(LOWEST, HIGHEST + 2)
        bars.tick_params(axis="y", length=0)
        bars.set_xticks([0, 5, 10])
        bars.tick_params(axis="x", labelbottom=number == len(steps))
    grid[0, 0].set_title("has read → writes", loc="left")
    grid[0, 1].set_title("looks at")
    grid[0, 2].set_title("five likeliest words")
    grid[-1, 2].set_xlabel("logit (and probability)")
    return figure


def percent(chance: float) -> str:
    """0.893 -> "89 %", 0.0004 -> "0.04 %"."""
    return f"{100 * chance:.0f} %" if chance >= 0.01 else f"{100 * steady_round(chance, 4):.2f} %"


def decode_stepper(src: Sequence[str], steps: Sequence[WordStep], start: int = 1) -> Any:
    """The same to touch: an Altair chart with a slider for the step.

    The picture shows the step `start`, counted from 1. Raises ValueError when a step has other
    source words, or there is no such step.
    """
    import altair as alt

    _check(src, steps)
    if not 1 <= start <= len(steps):
        raise ValueError(f"there is no step {start}: there are {len(steps)}")
    count, written = len(steps), [step.best[0] for step in steps]
    tiles, looks, bars = [], [], []
    for number, step in enumerate(steps, start=1):
        for row, words in (("has read", step.read), ("writes", written[:number])):
            tiles += [{"step": number, "row": row, "place": place, "word": word,
                       "newest": row == "writes" and place == number - 1}
                      for place, word in enumerate(words)]  # fmt: skip
        looks += [{"step": number, "place": place, "weight": steady_round(weight)}
                  for place, weight in enumerate(step.looks)]  # fmt: skip
        bars += [{"step": number, "place": place, "logit": steady_round(logit)}
                 for place, logit in enumerate(step.logits)]  # fmt: skip

    slider = alt.param(name="step", value=start, bind=alt.binding_range(
        min=1, max=count, step=1, name="step "))  # fmt: skip

    def now(rows: list[dict]) -> Any:
        return alt.Chart(alt.Data(values=rows)).transform_filter("datum.step == step")

    at = {
        "x": alt.X("place:O", title=None, scale=alt.Scale(domain=list(range(count))),
                   axis=alt.Axis(labelAngle=0, title="position", domain=False, ticks=False)),
        "y": alt.Y("row:N", title=None, scale=alt.Scale(domain=["has read", "writes"]),
                   axis=alt.Axis(domain=False, ticks=False)),
    }  # fmt: skip
    boxes = now(tiles).mark_rect(stroke=style.MUTED, cornerRadius=5).encode(
        **at, color=alt.condition("datum.newest", alt.value(style.POSITIVE), alt.value(style.PAPER))
    )  # fmt: skip
    names = now(tiles).mark_text(fontSize=14, fill=style.INK).encode(**at, text="word:N")
    top = (boxes + names).properties(width=110 * count, height=84)

    def labeled(words: Callable[[WordStep], list[str]]) -> Any:
        """A label for each bar, others at each step; an axis takes the color of the theme."""
        labels = json.dumps([words(step) for step in steps], ensure_ascii=False)
        axis = alt.Axis(labelExpr=f"{labels}[step - 1][datum.value]", minExtent=120, ticks=False,
                        labelPadding=6)  # fmt: skip
        return alt.Y("place:O", title=None, axis=axis)

    weight = alt.X("weight:Q", title="attention weight", scale=alt.Scale(domain=[0, 1]),
                   axis=alt.Axis(values=[0, 0.5, 1]))  # fmt: skip
    left = now(looks).mark_bar(color=style.CATEGORIES[0]).encode(weight, labeled(
        lambda step: [f"{word}   {steady_round(weight):.2f}"
                      for word, weight in zip(src, step.looks, strict=True)]))  # fmt: skip
    logit = alt.X("logit:Q", title="logit", scale=alt.Scale(domain=[LOWEST, HIGHEST]),
                  axis=alt.Axis(values=[0, 5, 10]))  # fmt: skip
    color = alt.condition("datum.place == 0", alt.value(style.POSITIVE),
                          alt.value(style.CATEGORIES[0]))  # fmt: skip
    likeliest = labeled(lambda step: [
        f"{word}   {percent(chance)}" for word, chance in zip(step.best, step.chances, strict=True)
    ])  # fmt: skip
    right = now(bars).mark_bar().encode(logit, likeliest, color=color)
    size = {"width": 180, "height": 150}
    below = alt.hconcat(left.properties(**size, title="looks at"),
                        right.properties(**size, title="five likeliest words"),
                        spacing=20)  # fmt: skip
    return alt.vconcat(top, below).add_params(slider)


def _check(src: Sequence[str], steps: Sequence[WordStep]) -> None:
    if not steps:
        raise ValueError("there are no steps to draw")
    for number, step in enumerate(steps, start=1):
        if len(step.looks) != len(src):
            raise ValueError(f"step {number} looks at {len(step.looks)} words, "
                             f"but the source has {len(src)}")  # fmt: skip
