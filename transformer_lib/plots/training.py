"""How learning goes: what the loss compares, what the decoder reads, and the loss step by step."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from transformer_lib.plots import style
from transformer_lib.plots.values import as_array, steady_round


@mpl.rc_context(style.PRINT)
def learning_curve(
    history: Sequence[Mapping[str, Any]],
    ax: Axes | None = None,
    title: str | None = None,
    floor: float | None = None,
) -> Axes:
    """Draw the loss on training and on validation text against the step -> the axes.

    history: one entry for each report, `{"step", "loss", "validation_loss" (None where it was
    not measured)}`, the training record's own form. floor: the lowest training loss there can be,
    with label smoothing (see `smoothing_floor`). Raises ValueError when the history is empty.
    """
    if not history:
        raise ValueError("the training history is empty: there is no curve to draw")
    if ax is None:
        ax = style.new_figure(8.0, 4.0).subplots()
    looks = {
        "loss": ("training text", style.CATEGORIES[0], "o-"),
        "validation_loss": ("validation text", style.CATEGORIES[2], "s--"),
    }
    for key, (name, color, look) in looks.items():
        measured = [entry for entry in history if entry.get(key) is not None]
        if measured:
            steps, losses = [e["step"] for e in measured], [e[key] for e in measured]
            size = 6 if len(measured) < 50 else 0
            ax.plot(steps, losses, look, label=name, color=color, markersize=size)
    if floor is not None:
        ax.axhline(floor, label="the least that smoothed targets allow in training",
                   color=style.MUTED, linestyle=":")  # fmt: skip
    ax.set_xlabel("step (one update of the weights)")
    ax.set_ylabel("loss per token, in nats")
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=0)
    ax.grid(axis="y")
    ax.legend()
    if title:
        ax.set_title(title)
    return ax


def smoothing_floor(smoothing: float, vocab: int) -> float:
    """The cross-entropy of a model that predicts the smoothed targets exactly: their entropy.

    The right one of `vocab` words has the target 1 - smoothing + smoothing / vocab, each other
    one smoothing / vocab. Without smoothing the floor is 0.
    """
    other = smoothing / vocab
    right = 1 - smoothing + other
    return sum(-count * p * math.log(p) for count, p in ((1, right), (vocab - 1, other)) if p)


@mpl.rc_context(style.PRINT)
def probability_bars(panels: Mapping[str, Any], words: Sequence[str]) -> Figure:
    """Draw how likely each word is, one panel for each distribution -> the figure.

    panels: title -> probabilities, one for each of `words`. Raises ValueError when there are more
    or fewer, or when they don't add up to 1.
    """
    figure = style.new_figure(10.0, 3.6)
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, (title, given) in zip(axes, panels.items(), strict=True):
        shares = as_array(given)
        check_rows(title, shares[None], words)
        best = int(shares.argmax())
        colors = [style.CATEGORIES[0] if i == best else style.CATEGORIES[5]
                  for i in range(len(words))]  # fmt: skip
        ax.barh(range(len(words)), shares, color=colors)
        for i, share in enumerate(shares):
            ax.text(share + 0.02, i, f"{steady_round(share):.2f}", va="center", fontsize=11)
        ax.set_title(title)
        ax.set_xlim(0, 1.25)
        ax.set_xticks([0, 0.5, 1])
        ax.set_xlabel("probability")
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticks(range(len(words)), words)
    axes[0].invert_yaxis()
    return figure


@mpl.rc_context(style.PRINT)
def word_grids(grids: Mapping[str, Any], rows: Sequence[str], columns: Sequence[str]) -> Figure:
    """Draw grids of probabilities (places, words) side by side, each row adding up to 1.

    grids: title -> grid; rows: what is predicted at each place. Raises ValueError when a grid
    doesn't fit the words or a row doesn't add up to 1.
    """
    figure = style.new_figure(1.4 + 4.6 * len(grids), 1.6 + 0.5 * len(rows))
    axes = figure.subplots(1, len(grids), squeeze=False)[0]
    for ax, (title, given) in zip(axes, grids.items(), strict=True):
        grid = as_array(given)
        if len(grid) != len(rows):
            raise ValueError(f"{title!r}: {len(rows)} places, but {len(grid)} rows of numbers")
        check_rows(title, grid, columns)
        image = ax.imshow(grid, cmap=style.WEIGHTS, vmin=0, vmax=1, interpolation="nearest",
                          aspect="auto")  # fmt: skip
        ax.set_title(title)
        ax.set_xticks(range(len(columns)), columns, rotation=45, ha="right",
                      rotation_mode="anchor")  # fmt: skip
        ax.set_yticks(range(len(rows)), rows)
        ax.tick_params(length=0, labelleft=ax is axes[0])
        ax.spines[:].set_visible(False)
        for (i, j), share in np.ndenumerate(grid):
            ax.text(j, i, f"{steady_round(share):.2f}", ha="center", va="center", fontsize=10.5,
                    color=style.ink_on(image.cmap(image.norm(share))))  # fmt: skip
        ax.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
        ax.grid(which="minor", linewidth=0.8)
        ax.tick_params(which="minor", length=0)
    axes[0].set_ylabel("place: the right word")
    figure.get_layout_engine().set(wspace=0.08)
    return figure


def check_rows(title: str, rows: np.ndarray, words: Sequence[str]) -> None:
    """ValueError unless each row has a probability for each word, and they add up to 1."""
    if rows.ndim != 2 or rows.shape[1] != len(words):
        raise ValueError(f"{title!r}: {len(words)} words need as many numbers in each row, "
                         f"but the shape is {rows.shape}")  # fmt: skip
    totals = rows.sum(axis=1)
    if (abs(totals - 1) > 1e-3).any():
        worst = totals[abs(totals - 1).argmax()]
        raise ValueError(f"{title!r}: probabilities add up to 1, but a row's to {worst:.3f}")


@mpl.rc_context(style.PRINT)
def teacher_forcing(
    tgt_in: Sequence[str],
    tgt_out: Sequence[str],
    predicted: Sequence[str],
    alone: Sequence[str],
) -> Figure:
    """Draw where the decoder's next word comes from: in training, and when it writes alone.

    tgt_in: what it reads in training. tgt_out: the right words. predicted: what it predicts there.
    alone: what it writes when it reads its own words. Raises ValueError when the lengths differ.
    """
    rows = {"tgt_in": tgt_in, "tgt_out": tgt_out, "predicted": predicted, "alone": alone}
    if len({len(words) for words in rows.values()}) > 1:
        lengths = ", ".join(f"{name} {len(words)}" for name, words in rows.items())
        raise ValueError(f"the rows should have the same number of words: {lengths}")
    figure = style.new_figure(10.0, 6.0)
    above, below = figure.subplots(2, 1, height_ratios=[3.4, 2.2])
    for ax, rows, title in (
        (above, [("reads", tgt_in), ("predicts", predicted), ("is right", tgt_out)],
         "in training: the next word to read comes from the right translation"),
        (below, [("reads", [tgt_in[0], *alone[:-1]]), ("writes", alone)],
         "alone: the next word to read is its own"),
    ):  # fmt: skip
        _word_rows(ax, rows, tgt_out)
        ax.set_title(title, loc="left", fontsize=style.FONT_SIZE)
    return figure


def _word_rows(ax: Axes, rows: list[tuple[str, Sequence[str]]], right: Sequence[str]) -> None:
    """Rows of word boxes under each other; the last row feeds the first, one place on."""
    wide, tall, step = 0.72, 0.62, 1.1
    ax.set(xlim=(-0.75, len(right) - 0.1), ylim=(-step * (len(rows) - 1) - 0.15, 0.8))
    ax.axis("off")
    for number, (name, words) in enumerate(rows):
        y = -step * number
        ax.text(-0.1, y + tall / 2, name, ha="right", va="center", weight="bold")
        for i, word in enumerate(words):
            fill = style.PAPER
            if name in ("predicts", "writes"):
                fill = style.POSITIVE if word != right[i] else "#BFE5CD"
            ax.add_patch(Rectangle((i, y), wide, tall, facecolor=fill, edgecolor=style.MUTED,
                                   linewidth=1.4))  # fmt: skip
            ax.text(i + wide / 2, y + tall / 2, word, ha="center", va="center")
            if number == 0:
                _arrow(ax, [(i + wide / 2, y), (i + wide / 2, y - step + tall)], style.MUTED)
            elif name == "is right":
                ax.plot([i + wide / 2] * 2, [y + tall + 0.04, y + step - 0.04], ":", linewidth=2.2,
                        color=style.CATEGORIES[4])  # fmt: skip
    if len(rows) == 3:
        ax.text(0.04, -1.5 * step + tall / 2, "loss", ha="left", va="center", fontsize=11,
                color=style.CATEGORIES[4], weight="bold")  # fmt: skip
    last = -step * (len(rows) - 1) + tall / 2
    for i in range(len(right) - 1):  # from the end of the box up between the columns
        gap = i + wide + (1 - wide) / 2
        _arrow(ax, [(i + wide, last), (gap, last), (gap, tall / 2), (i + 1, tall / 2)],
               style.CATEGORIES[0])  # fmt: skip


def _arrow(ax: Axes, corners: list[tuple[float, float]], color: str) -> None:
    xs, ys = zip(*corners[:-1], strict=True)
    ax.plot(xs, ys, color=color, linewidth=1.8)
    ax.annotate(
        "",
        xy=corners[-1],
        xytext=corners[-2],
        arrowprops={
            "arrowstyle": "-|>",
            "color": color,
            "linewidth": 1.8,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )


@mpl.rc_context(style.PRINT)
def penalty_curves(leads: Any, curves: Mapping[str, Any], shares: Any) -> Figure:
    """Draw the loss against how far the right word's score leads, with and without smoothing.

    leads: (n,) scores of the right word above all others; curves: name -> loss (n,); shares: (n,)
    the probability of the right word. Raises ValueError when the lengths differ.
    """
    leads, shares = as_array(leads), as_array(shares)
    figure = style.new_figure(9.0, 4.2)
    ax = figure.subplots()
    for (name, given), color, look in zip(
        curves.items(), (style.CATEGORIES[0], style.CATEGORIES[4], style.CATEGORIES[2]),
        ("-", "--", "-."), strict=False,
    ):  # fmt: skip
        losses = as_array(given)
        if losses.shape != leads.shape:
            raise ValueError(f"{name!r}: {len(leads)} leads, but {losses.size} losses")
        ax.plot(leads, losses, look, color=color, label=name)
        best = int(losses.argmin())
        if best < len(leads) - 1:
            ax.plot(leads[best], losses[best], "o", color=color, markersize=8)
            ax.annotate(f"least at {steady_round(shares[best]):.2f}", (leads[best], losses[best]),
                        xytext=(0, 12), textcoords="offset points", ha="center",
                        fontsize=11)  # fmt: skip
    ax.set_xlabel("how far the right word's score leads   (below: its probability)")
    ticks = [i for i in range(len(leads)) if leads[i] % 2 == 0]
    ax.set_xticks(leads[ticks], [f"{leads[i]:.0f}\n{steady_round(shares[i], 5):.5f}"
                                 for i in ticks])  # fmt: skip
    ax.set_ylabel("loss, in nats")
    ax.set_ylim(bottom=0)
    ax.grid(axis="y")
    ax.legend()
    return figure


@mpl.rc_context(style.PRINT)
def schedule_curves(rates: Mapping[str, Any]) -> Figure:
    """Draw learning rates against the step, from step 1 on -> the figure.

    rates: name -> the rate at step 1, 2, 3, …
    """
    figure = style.new_figure(9.0, 4.0)
    ax = figure.subplots()
    looks = ("-", "--", "-.", ":")
    for number, (name, given) in enumerate(rates.items()):
        rate = as_array(given)
        ax.plot(np.arange(1, len(rate) + 1), 1000 * rate, looks[number % 4], label=name,
                color=style.CATEGORIES[number % len(style.CATEGORIES)])  # fmt: skip
    ax.set_xlabel("step (one update of the weights)")
    ax.set_ylabel("learning rate, in thousandths")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    ax.grid(axis="y")
    ax.legend()
    return figure


@mpl.rc_context(style.PRINT)
def loss_panels(
    panels: Mapping[str, Mapping[str, Sequence[Sequence[tuple[float, float]]]]],
    columns: int,
    top: float | None = None,
) -> Figure:
    """Draw learning curves in small panels on one scale, every run a line of its own.

    panels: title -> {kind of curve -> its runs, each of them (step, loss) pairs}. A kind has the
    same color and dashes in every panel. columns: panels side by side. top: where the scale ends.
    Raises ValueError without a panel.
    """
    if not panels:
        raise ValueError("there are no panels: there is nothing to draw")
    lines = -(-len(panels) // columns)
    figure = style.new_figure(10.0, 0.9 + 2.5 * lines if lines > 1 else 3.9)
    axes = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    if top is None:
        top = 1.05 * max(loss for kinds in panels.values() for runs in kinds.values()
                         for run in runs for _, loss in run)  # fmt: skip
    looks = {}
    for ax, (title, kinds) in zip(axes.flat, panels.items(), strict=False):
        for kind, runs in kinds.items():
            color, dashes = looks.setdefault(kind, _looks()[len(looks)])
            for run in runs:
                steps, losses = zip(*run, strict=True)
                ax.plot(steps, losses, dashes, color=color, linewidth=1.7, label=kind)
        ax.set_title(title, fontsize=style.FONT_SIZE)
        ax.grid(axis="y")
        ax.set_xlim(left=0)
        ax.set_ylim(0, top)
    for ax in axes[:, 0]:
        ax.set_ylabel("loss per token")
    for ax in axes[-1]:
        ax.set_xlabel("step of training")
    handles = {label: handle for ax in axes.flat
               for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}  # fmt: skip
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=len(handles))
    return figure


def _looks() -> list[tuple[str, str]]:
    return [(style.CATEGORIES[0], "-"), (style.CATEGORIES[4], "--"), (style.CATEGORIES[2], "-.")]


def verdict(shares: Sequence[float], base: Sequence[float]) -> str:
    """Is every seed worse than the worst of the base's, or better than its best?"""
    if max(shares) < min(base):
        return "worse"
    return "better" if min(shares) > max(base) else "no clear difference"


@mpl.rc_context(style.PRINT)
def ablation_rows(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw a table of ablations: a dot for each seed, a bar at their mean, the base as a band.

    rows: {"part", "what", "shares": one for each seed, "paper": a remark}; the first is the base.
    Raises ValueError when it is not, or when a row has no shares.
    """
    if not rows or rows[0]["part"] != "base":
        raise ValueError("the first row should be the base, to which the others are compared")
    figure = style.new_figure(10.0, 1.2 + 0.34 * len(rows))
    ax = figure.subplots()
    base = rows[0]["shares"]
    ax.axvspan(min(base), max(base), color="#DCE9F3", zorder=0)
    looks = {
        "worse": (style.CATEGORIES[4], "s", "each seed worse than each of the base"),
        "better": (style.CATEGORIES[3], "^", "each seed better than each of the base"),
        "no clear difference": (style.CATEGORIES[0], "o", "base, and no clear difference from it"),
    }
    places, named = [], set()
    for number, row in enumerate(rows):
        if not row["shares"]:
            raise ValueError(f"the row {row['what']!r} has no results")
        y = number + 0.35 * len({r["part"] for r in rows[: number + 1]})
        places.append(y)
        shares = as_array(row["shares"])
        found = verdict(row["shares"], base)
        color, marker, label = looks[found]
        ax.plot(shares, [y] * len(shares), linestyle="", marker=marker, color=color, markersize=6.5,
                alpha=0.75, label=None if found in named else label)  # fmt: skip
        named.add(found)
        ax.plot([shares.mean()] * 2, [y - 0.33, y + 0.33], color=style.INK, linewidth=2.5)
        ax.text(1.07, y, row["paper"], va="center", fontsize=11)
    ax.text(1.07, places[0] - 1.1, "in the paper (BLEU)", va="center", weight="bold", fontsize=11)
    ax.set_yticks(places, [row["what"] for row in rows])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(places[-1] + 0.7, places[0] - 0.7)
    ax.set_xlim(-0.02, 1.04)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    ax.set_xlabel("held-out rows written without a mistake, three seeds")
    ax.grid(axis="x")
    figure.legend(loc="outside upper center", ncols=2)
    return figure
