"""Where a word stands: position vectors as a heat map, as waves, as clock hands, and compared."""

import functools
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle, Rectangle, Wedge

from course.drawing import lazy_altair as late
from course.drawing import style
from course.drawing.registry import figure
from course.drawing.shapes import arrow, box, centered, name_lines, path
from course.drawing.values import as_array, steady_round

BLUE, AMBER, WINE, GREEN = style.CATEGORIES[:4]
WIDE = 315  # pixels, of the table in the explorer


@mpl.rc_context(style.PRINT)
def positions_heatmap(encoding: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw position vectors (length, d_model) with values from -1 to 1 -> the axes.

    Position 0 is the top row, dimension 0 the left column. Zero has no color, blue is
    negative, orange positive. Values beyond -1 and 1 widen the scale on both sides. Raises
    ValueError for another shape.
    """
    matrix = _table(encoding)
    length, d_model = matrix.shape
    own_figure = ax is None
    if ax is None:
        ax = style.new_figure(style.WIDTH, min(1.6 + 0.16 * length, 5.0)).subplots()
    limit = max(1.0, float(abs(matrix).max()))
    image = ax.imshow(
        matrix, cmap=style.SIGNED, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest"
    )
    ax.set_yticks(_every(length, length // 4))
    ax.set_xticks(_every(d_model, d_model // 8))
    ax.set_xlabel("column of the vector: a sine and a cosine in turn")
    ax.set_ylabel("position of the word")
    ax.spines[:].set_visible(False)
    if title:
        ax.set_title(title)
    if own_figure:
        scale = ax.figure.colorbar(image, ax=ax, label="number in the vector", aspect=15, pad=0.02)
        scale.set_ticks([-limit, 0, limit])
    return ax


@mpl.rc_context(style.PRINT)
def positions_table(encoding: Any, row: int) -> Figure:
    """Draw a whole table (length, d_model), and one of its rows enlarged below it -> the figure.

    Above the table stands how the waves grow longer from left to right.
    """
    matrix = _table(encoding)
    length, d_model = matrix.shape
    figure = style.new_figure(style.WIDTH, 5.4)
    ax, one = figure.subplots(2, 1, height_ratios=(10, 1))
    look = {
        "cmap": style.SIGNED,
        "vmin": -1,
        "vmax": 1,
        "aspect": "auto",
        "interpolation": "nearest",
    }
    image = ax.imshow(matrix, **look)
    ax.set(ylabel="position of the word", xticks=[], yticks=_every(length, 20))
    ax.set_title("Each row is one position; no two rows are alike", pad=26)
    for x, side, text in ((0, "left", "fast waves"), (1, "right", "slow waves")):
        ax.text(x, 1.02, text, transform=ax.transAxes, ha=side, va="bottom")
    ax.annotate(
        "",
        xy=(0.84, 1.045),
        xytext=(0.16, 1.045),
        xycoords="axes fraction",
        arrowprops={"arrowstyle": "-|>", "color": style.MUTED},
    )
    ax.add_patch(
        Rectangle(
            (-0.5, row - 0.5),
            d_model,
            1,
            fill=False,
            edgecolor=style.INK,
            linewidth=1.2,
            clip_on=False,
        )
    )
    one.imshow(matrix[row : row + 1], **look)
    one.set_yticks([0], [f"position {row}"])
    one.set(
        xticks=range(0, d_model, d_model // 8),
        xlabel="column of the vector: a sine and a cosine in turn",
    )
    for panel in (ax, one):
        panel.spines[:].set_visible(False)
    scale = figure.colorbar(image, ax=[ax, one], label="number in the vector", aspect=22, pad=0.02)
    scale.set_ticks([-1, 0, 1], labels=["\N{MINUS SIGN}1", "0", "1"])
    return figure


@mpl.rc_context(style.PRINT)
def positions_curves(encoding: Any, pairs: Sequence[int]) -> Figure:
    """Draw pairs of columns 2i and 2i+1 of a table (length, d_model), one panel for each i."""
    matrix = _table(encoding)
    figure = style.new_figure(style.WIDTH, 0.9 + 1.2 * len(pairs))
    panels = figure.subplots(len(pairs), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for ax, i, wave in zip(panels, pairs, wavelengths(matrix)[list(pairs)], strict=True):
        ax.plot(
            matrix[:, 2 * i],
            "o-",
            color=BLUE,
            markersize=3.5,
            linewidth=1.3,
            label="sine, column 2i",
        )
        ax.plot(
            matrix[:, 2 * i + 1],
            "s--",
            color=AMBER,
            markersize=3.5,
            linewidth=1.3,
            label="cosine, column 2i+1",
        )
        ax.set_title(
            f"pair i = {i}: one wave in {wave:,.{1 if wave < 100 else 0}f} positions",
            loc="left",
            fontsize=11.5,
        )
        ax.set_yticks([-1, 0, 1])
        ax.hlines(0, 0, len(matrix) - 1, color="#D9D9D9", linewidth=1, zorder=0)
    panels[0].legend(
        loc="lower right", bbox_to_anchor=(1, 0.98), ncols=2, borderaxespad=0, fontsize=11
    )
    panels[-1].set(xlabel="position of the word", xlim=(0, len(matrix) - 1))
    figure.supylabel("number in the vector", fontsize=style.FONT_SIZE)
    return figure


def wavelengths(encoding: Any) -> np.ndarray:
    """Read from a table with sine and cosine side by side: positions in one wave of each pair.

    Between positions 0 and 1 the hand of a pair turns by a part of the circle; the whole circle
    takes as many positions as that part fits into it.
    """
    first_step = _table(encoding)[1]
    return 2 * math.pi / np.arctan2(first_step[0::2], first_step[1::2])


@mpl.rc_context(style.PRINT)
def positions_frequencies(
    small: Mapping[str, np.ndarray], large: Mapping[str, np.ndarray]
) -> Figure:
    """Compare the wavelengths of two encodings, for few pairs and for many -> the figure.

    small, large: for each of the two encodings, by name, the wavelength of each pair. On the left
    few pairs, on a scale on which each step multiplies. On the right many pairs: by how many
    percent the waves of the second encoding are longer than those of the first.
    """
    figure = style.new_figure(style.WIDTH, 3.9)
    left, right = figure.subplots(1, 2)
    for (name, waves), mark, color in zip(small.items(), "os", (BLUE, WINE), strict=True):
        left.plot(range(len(waves)), waves, marker=mark, markersize=8, color=color, label=name)
    left.hlines(
        2 * math.pi * 10_000, 0, len(waves) - 1, color=style.MUTED, linewidth=1, linestyle=":"
    )
    left.text(0, 2 * math.pi * 10_000 * 0.9, "10000 · 2π", va="top", fontsize=11)
    left.set(
        yscale="log",
        xlabel="pair i",
        ylabel="positions in one wave",
        title=f"$d_{{model}}$ = {2 * len(waves)}",
        xticks=range(len(waves)),
    )
    name_lines(left)
    (first, waves), (second, longer) = large.items()
    right.plot(100 * (longer / waves - 1), color=WINE, label="percent longer")
    right.hlines(0, 0, len(waves) - 1, color=BLUE)
    right.text(
        len(waves) * 0.98, 0.06, first, color=style.INK, ha="right", va="bottom", fontsize=11
    )
    right.text(len(waves) * 0.6, 2.55, second, ha="right", fontsize=11)
    right.set(
        xlabel="pair i",
        ylabel="wave longer by, in %",
        ylim=(-0.3, 4.2),
        title=f"$d_{{model}}$ = {2 * len(waves)}",
        xlim=(0, len(waves) - 1),
        xticks=_every(len(waves), len(waves) // 4),
    )
    return figure


@mpl.rc_context(style.PRINT)
def clock_table(words: Sequence[str], encoding: Any, pairs: Mapping[int, str]) -> Figure:
    """Draw each position as a column of clocks, one for each pair of columns -> the figure.

    words: what stands at positions 0, 1, 2 ...; encoding (length, d_model). pairs: which pairs of
    columns, from top to bottom, and what to call each. The sine of a pair is how far its hand
    points to the right, the cosine how far up.
    """
    matrix = _table(encoding)
    figure = style.new_figure(style.WIDTH, 1.15 + 0.88 * len(pairs))
    ax = figure.subplots()
    for row, (i, name) in enumerate(pairs.items()):
        y = -1.15 * row
        ax.text(-0.75, y, name, ha="right", va="center", linespacing=1.35)
        for position in range(len(words)):
            x, y_end = matrix[position, 2 * i], matrix[position, 2 * i + 1]
            turned = math.degrees(math.atan2(x, y_end)) % 360
            ax.add_patch(Wedge((position, y), 0.43, 90 - turned, 90, facecolor="#F2B85C", zorder=1))
            ax.add_patch(
                Circle(
                    (position, y), 0.43, fill=False, edgecolor=style.MUTED, linewidth=1.3, zorder=2
                )
            )
            ax.plot(
                [position, position + 0.4 * x],
                [y, y + 0.4 * y_end],
                color=style.INK,
                linewidth=3,
                solid_capstyle="round",
                zorder=3,
            )
            ax.plot(position, y, "o", color=style.INK, markersize=4, zorder=3)
    bottom = -1.15 * (len(pairs) - 1) - 0.72
    for position, word in enumerate(words):
        color = style.WORDS.get(word, style.INK)
        centered(ax, position, bottom, word, weight="bold", size=13, color=color)
        centered(ax, position, bottom - 0.32, str(position))
    ax.text(-0.75, bottom - 0.32, "position", ha="right", va="center")
    ax.set(xlim=(-2.65, len(words) - 0.5), ylim=(bottom - 0.5, 0.5), aspect="equal")
    ax.axis("off")
    ax.set_title("Every position is a setting of clocks")
    return figure


@mpl.rc_context(style.PRINT)
def positions_clocks(
    encoding: Any, pairs: Sequence[int], start: int, other: int, step: int
) -> Figure:
    """Draw pairs of columns as clocks, whose hand goes on by `step` from two positions.

    The sine of a pair is how far its hand points to the right, the cosine how far up: position 0
    points up, and the hand turns clockwise.
    """
    matrix = _table(encoding)
    figure = style.new_figure(style.WIDTH, 4.0)
    figure.get_layout_engine().set(h_pad=0.1)
    for ax, i in zip(figure.subplots(1, len(pairs)), pairs, strict=True):
        ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor=style.MUTED, linewidth=1.2))
        for begin, color, radius in ((start, BLUE, 0.55), (other, WINE, 0.75)):
            ends = matrix[[begin, begin + step], 2 * i : 2 * i + 2]
            for (x, y), position, dashes in zip(
                ends, (begin, begin + step), ((1, 0), (3, 1.5)), strict=True
            ):
                ax.plot([0, x], [0, y], color=color, dashes=dashes, label=f"_{position}")
                ax.plot(x, y, "o", color=color, markersize=7, label=f"position {position}")
                centered(ax, 1.17 * x, 1.17 * y, position, weight="bold")
            angles = np.degrees(np.arctan2(ends[:, 1], ends[:, 0]))
            ax.add_patch(
                Arc(
                    (0, 0),
                    2 * radius,
                    2 * radius,
                    theta1=angles[1],
                    theta2=angles[0],
                    color=color,
                    linewidth=4,
                    alpha=0.55,
                )
            )
        turn = math.degrees(step * 2 * math.pi / wavelengths(matrix)[i])
        ax.set_title(f"numbers {2 * i} and {2 * i + 1}:\n{turn:.0f}° further", fontsize=12)
        ax.set(xlim=(-1.3, 1.3), ylim=(-1.25, 1.25), aspect="equal")
        ax.axis("off")
    figure.suptitle(
        "The step from one word to another is an angle, wherever they are",
        weight="bold",
        fontsize=style.FONT_SIZE + 2,
    )
    figure.supxlabel(
        f"Two numbers of a position's {matrix.shape[1]} say how far right and how far "
        f"up a hand points.\nFrom {start} to {start + step} (blue) it turns as far as "
        f"from {other} to {other + step} (wine).",
        fontsize=style.FONT_SIZE,
    )
    return figure


@mpl.rc_context(style.PRINT)
def positions_similarity(encoding: Any, others: Sequence[Any] = ()) -> Figure:
    """Draw dot products of position vectors, each divided by d_model/2, their square length.

    Left: all pairs of positions of `encoding`. Right: position 0 with each other position, by their
    distance, for `encoding` and for the `others`, which may have other sizes.
    """
    matrix = _table(encoding)
    figure = style.new_figure(style.WIDTH, 3.5)
    figure.get_layout_engine().set(wspace=0.06)
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.25))
    products = matrix @ matrix.T / (matrix.shape[1] / 2)
    image = left.imshow(products, cmap=style.WEIGHTS, vmin=0, vmax=1, interpolation="nearest")
    left.set(
        xlabel="position",
        ylabel="position",
        title=f"d_model = {matrix.shape[1]}",
        xticks=_every(len(matrix), len(matrix) // 4),
        yticks=_every(len(matrix), len(matrix) // 4),
    )
    scale = figure.colorbar(image, ax=left, shrink=0.8, aspect=18, pad=0.02, label="similarity")
    scale.outline.set_visible(False)
    scale.set_ticks([0, 0.5, 1])
    for table, color, dashes in zip(
        [matrix, *map(_table, others)],
        (BLUE, WINE, AMBER),
        ((1, 0), (5, 1.5), (2, 1)),
        strict=False,
    ):
        width = table.shape[1]
        right.plot(
            table @ table[0] / (width / 2), color=color, dashes=dashes, label=f"d_model = {width}"
        )
    right.set(
        xlabel="distance between the two positions",
        ylabel="similarity",
        ylim=(0, 1.05),
        xlim=(0, len(matrix) - 1),
    )
    name_lines(right)
    return figure


@mpl.rc_context(style.PRINT)
def word_plus_position(words: Sequence[str], vectors: Any, positions: Mapping[int, Any]) -> Figure:
    """Draw word + position = sum for each word, in a panel of three stripes each.

    words: one label for each panel; vectors (words, d_model); positions: where each word stands ->
    its position vector, in the order of the words.
    """
    matrix = _table(vectors)
    figure = style.new_figure(style.WIDTH, 2.7)
    panels = figure.subplots(1, len(words), sharey=True)
    for ax, word, vector, (place, position) in zip(
        panels, words, matrix, positions.items(), strict=True
    ):
        stripes = np.stack([vector, as_array(position), vector + as_array(position)])
        image = ax.imshow(
            stripes, cmap=style.SIGNED, vmin=-2, vmax=2, aspect="auto", interpolation="nearest"
        )
        ax.set_title(f"{word}, position {place}", fontsize=style.FONT_SIZE)
        ax.set_yticks(range(3), ["word", "+ position", "= sum"])
        ax.set_xticks(_every(matrix.shape[1], matrix.shape[1] // 4))
        ax.set_xlabel("column of the vector")
        ax.tick_params(axis="y", length=0)
        ax.spines[:].set_visible(False)
        ax.hlines([0.5, 1.5], -0.5, stripes.shape[1] - 0.5, color=style.PAPER, linewidth=6)
    figure.colorbar(
        image, ax=panels, label="number in the vector", aspect=12, pad=0.02, extend="both"
    )
    return figure


@mpl.rc_context(style.PRINT)
def input_vectors(
    words: Sequence[str], vectors: Any, positions: Any, side: str = "encoder"
) -> Figure:
    """Draw what goes into one side of the model: for each word its vector + its position's.

    words: the tokens; vectors (tokens, d_model), their word vectors; positions (tokens, d_model).
    side: "encoder" or "decoder". On the left stand both stacks, small, with the bottom of this
    side filled; on the right that bottom, enlarged, with the first numbers of each vector.
    """
    shown = 4 if len(words) <= 3 else 2
    matrix, places = _table(vectors), _table(positions)
    color = {"encoder": style.ENCODER, "decoder": style.DECODER}[side]
    figure = style.new_figure(style.WIDTH, 4.3)
    small, ax = figure.subplots(1, 2, width_ratios=[1, 3.5])
    _two_stacks(small, side)
    ax.set(xlim=(-0.52 * len(words), 3 * len(words) - 0.2), ylim=(-0.25, 4.75))
    ax.axis("off")
    for number, word in enumerate(words):
        x, own = 3.0 * number, style.WORDS.get(word, style.INK)
        centered(ax, x + 1.25, 0.0, word, weight="bold", size=14, color=own)
        _stripe(ax, x, 0.75, matrix[number, :shown])
        _stripe(ax, x, 1.75, places[number, :shown])
        _stripe(ax, x, 2.75, matrix[number, :shown] + places[number, :shown], own)
        for low, high in ((0.2, 0.7), (3.25, 3.95)):
            arrow(ax, (x + 1.25, low), (x + 1.25, high))
        centered(ax, x + 1.25, 2.38, f"position {number}", size=11)
    for text, height in (("word", 0.97), ("+ position", 1.97), ("= sum", 2.97)):
        ax.text(
            -0.15,
            height,
            text,
            ha="right",
            va="center",
            fontsize=style.FONT_SIZE - 1,
            weight="bold" if text == "= sum" else "normal",
        )
    box(
        ax,
        ((3 * len(words) - 0.5) / 2, 4.295),
        3 * len(words) - 0.5,
        0.55,
        color=color,
        fill=style.PAPER,
        line=2.5,
        zorder=1,
        round=0.1,
    )
    centered(ax, (3 * len(words) - 0.5) / 2, 4.29, f"{side} layer 0", weight="bold")
    return figure


def _two_stacks(ax: Axes, side: str) -> None:
    """Encoder and decoder as two small towers; the bottom of one of them is filled."""
    ax.set(xlim=(-0.1, 2.3), ylim=(-0.25, 4.75))
    ax.axis("off")
    for name, x, color in (("encoder", 0.0, style.ENCODER), ("decoder", 1.2, style.DECODER)):
        marked = name == side
        floors = [("word +\nposition", 0.55, 0.75), (f"{name}\nlayers", 1.55, 1.7)]
        if name == "decoder":
            floors.append(("word\nscores", 3.5, 0.6))
        for text, y, height in floors:
            filled = marked and text.startswith("word +")
            box(
                ax,
                (x + 0.5, y + height / 2),
                1.0,
                height,
                color=color,
                fill=color if filled else style.PAPER,
                line=2,
                zorder=1,
            )
            centered(
                ax,
                x + 0.5,
                y + height / 2,
                text,
                size=10,
                color=style.PAPER if filled else style.INK,
            )
        for low, high in ((0.2, 0.55), (1.3, 1.55), (3.25, 3.5))[: len(floors)]:
            arrow(ax, (x + 0.5, low), (x + 0.5, high))
        words = "I like\ntrees" if name == "encoder" else "<bos> me\ngustan …"
        centered(ax, x + 0.5, -0.02, words, size=10, style="italic")
    path(ax, [(0.5, 3.25), (0.5, 3.38), (1.1, 3.38), (1.1, 2.4), (1.2, 2.4)])


def _stripe(ax: Axes, x: float, y: float, numbers: np.ndarray, edge: str = "") -> None:
    """A vector as a row of colored boxes with their numbers, and dots for the rest."""
    width = 2.5 / len(numbers)
    for place, number in enumerate(numbers):
        color = style.SIGNED(0.5 + max(-1.0, min(1.0, number / 3)) / 2)
        ax.add_patch(
            Rectangle(
                (x + place * width, y),
                width,
                0.44,
                facecolor=color,
                edgecolor="#BBBBBB",
                linewidth=0.6,
            )
        )
        text = f"{steady_round(number, 1):.1f}".replace("-", "\N{MINUS SIGN}")
        centered(ax, x + (place + 0.5) * width, y + 0.21, text, size=10, color=style.ink_on(color))
    if edge:
        ax.add_patch(Rectangle((x, y), 2.5, 0.44, fill=False, edgecolor=edge, linewidth=2))
    ax.text(x + 2.53, y + 0.2, "…", ha="left", va="center")


@mpl.rc_context(style.PRINT)
def rows_in_pairs(
    words: Sequence[str], orders: tuple[str, str], panels: Mapping[str, tuple]
) -> Figure:
    """Draw the vectors of the same words in two orders, the two rows of each word side by side.

    words: s labels. orders: what to call the two orders. panels: for each title two tables
    (s, numbers), the rows of both in the order of `words`.
    """
    figure = style.new_figure(style.WIDTH, 3.3)
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, (title, (first, second)) in zip(axes, panels.items(), strict=True):
        pairs = np.stack([_table(first), _table(second)], axis=1).reshape(2 * len(words), -1)
        image = ax.imshow(
            pairs, cmap=style.SIGNED, vmin=-2, vmax=2, aspect="auto", interpolation="nearest"
        )
        same = bool(np.allclose(pairs[0::2], pairs[1::2], atol=1e-4))
        ax.set_title(
            f"{title}:\n{'the same' if same else 'different'} in each order",
            fontsize=style.FONT_SIZE,
        )
        for row in range(2 * len(words)):  # a wide gap below each pair, a hair within it
            ax.axhline(row + 0.5, color=style.PAPER, linewidth=14 if row % 2 else 1.5)
        ax.axhline(-0.5, color=style.PAPER, linewidth=14)  # so that all rows are equally high
        ax.set_yticks(
            range(2 * len(words)), [f"{word}  in “{order}”" for word in words for order in orders]
        )
        for label, number in zip(ax.get_yticklabels(), range(2 * len(words)), strict=False):
            label.set_color(style.WORDS.get(words[number // 2], style.INK))
        ax.set_xticks([])
        ax.set_xlabel("the output vector")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    figure.colorbar(
        image,
        ax=axes,
        label="number in the vector",
        aspect=14,
        pad=0.02,
        extend="both",
        ticks=[-2, 0, 2],
    )
    return figure


LOOKS_OF_KINDS = {  # the name in the picture, color, mark, line, and by how much it is moved aside
    "paper": ("computed, the paper's", BLUE, "o", "-", -0.06),
    "tensor2tensor": ("computed, Tensor2Tensor's", WINE, "s", "--", 0.06),
    "learned": ("learned", GREEN, "^", "-.", 0.0),
    "none": ("none", style.MUTED, "x", ":", 0.0),
}


@mpl.rc_context(style.PRINT)
def lengths_copied(
    results: Sequence[Mapping[str, Any]], trained_to: int, measure: str = "exact"
) -> Axes:
    """Draw how many rows are copied right against their length, for each kind of positions.

    results: {"kind", "seed", "length", measure}. The line is the mean of the seeds, each mark a
    seed. To the right of `trained_to` the rows are longer than any in training.
    """
    ax = style.new_figure(style.WIDTH, 4.2).subplots()
    lengths = sorted({row["length"] for row in results if row["length"] <= trained_to + 5})
    ax.axvspan(trained_to + 0.5, max(lengths) + 0.5, color="#EFEFEF", zorder=0)
    for x, text in ((trained_to + 0.4, "seen in training"), (trained_to + 0.6, "longer")):
        ax.text(
            x, 1.07, text, ha="right" if x < trained_to + 0.5 else "left", va="center", fontsize=11
        )
    for kind, (name, color, mark, dash, aside) in LOOKS_OF_KINDS.items():
        groups = [
            [row[measure] for row in results if (row["kind"], row["length"]) == (kind, n)]
            for n in lengths
        ]
        ax.plot(
            np.array(lengths) + aside,
            [np.mean(group) for group in groups],
            color=color,
            linestyle=dash,
            label=name,
        )
        seeds = [
            (n + aside, share) for n, group in zip(lengths, groups, strict=True) for share in group
        ]
        ax.scatter(*zip(*seeds, strict=True), marker=mark, color=color, s=26, zorder=3)
    ax.set(
        xlabel="digits in the row (a mark for each training, a line for their mean)",
        ylabel="share of rows copied right",
        xticks=lengths,
        ylim=(-0.03, 1.13),
        xlim=(min(lengths) - 0.5, max(lengths) + 0.5),
        yticks=[0, 0.25, 0.5, 0.75, 1],
    )
    name_lines(ax)
    return ax


@mpl.rc_context(style.PRINT)
def padding_picture(batches: Mapping[str, Sequence[int]]) -> Figure:
    """Draw batches as tables, a row for each sentence: words in ink, padding left pale.

    batches: for each title the lengths of its sentences. Below stands the share of padding.
    """
    figure = style.new_figure(style.WIDTH, 4.0)
    longest = max(max(lengths) for lengths in batches.values())
    for ax, (title, lengths) in zip(figure.subplots(1, len(batches)), batches.items(), strict=True):
        width = max(lengths)
        is_word = np.arange(width) < np.asarray(lengths)[:, None]
        ax.pcolormesh(
            np.arange(width + 1),
            np.arange(len(lengths) + 1),
            np.where(is_word, 0.8, 0.12),
            cmap=style.WEIGHTS,
            vmin=0,
            vmax=1,
        )
        padding = f"{100 * (1 - is_word.mean()):.0f} % of the batch is padding"
        ax.set_title(f"{title}:\n{padding}", fontsize=style.FONT_SIZE)
        ax.set(
            xlabel="position in the sentence", xlim=(0, longest), xticks=range(0, longest + 1, 5)
        )
        ax.set_ylim(len(lengths), 0)
        ax.spines[:].set_visible(False)
    figure.axes[0].set_ylabel("sentence of the batch")
    inks = [Rectangle((0, 0), 1, 1, facecolor=style.WEIGHTS(ink)) for ink in (0.8, 0.12)]
    figure.legend(inks, ("a word", "padding"), loc="outside lower center", ncols=2)
    return figure


def positions_explorer() -> Any:
    """An Altair chart with sliders for d_model, the base and a position: all of it is computed in
    the chart, so that it works without Python and without a network.

    Left: the table of the paper's formula for 20 positions. Right: how similar each position is to
    the chosen one. Below: the numbers of the chosen position.
    """
    alt = late.altair()

    def slider(name: str, label: str, value: float, low: float, high: float, step: float) -> Any:
        bind = alt.binding_range(min=low, max=high, step=step, name=label)
        return alt.param(name=name, value=value, bind=bind)

    length, widest = 20, 64
    d_model = slider("d_model", "d_model ", 32, 4, widest, 4)
    exponent = slider("exponent", "base = 10 to the power of ", 4, 0.5, 5, 0.5)
    chosen = slider("chosen", "position ", 3, 0, length - 1, 1)
    cells = alt.Data(sequence=alt.SequenceParams(start=0, stop=length * widest, **{"as": "cell"}))
    table = (
        alt.Chart(cells)
        .transform_calculate(
            position=f"floor(datum.cell / {widest})", dimension=f"datum.cell % {widest}"
        )
        .transform_filter("datum.dimension < d_model")
        .transform_calculate(rate="pow(10, -exponent * 2 * floor(datum.dimension / 2) / d_model)")
        .transform_calculate(
            value="datum.dimension % 2 == 0 ? sin(datum.position * datum.rate)"
            " : cos(datum.position * datum.rate)",
            part="cos((datum.position - chosen) * datum.rate) / d_model",
        )
    )
    shade = alt.Color(
        "value:Q",
        title="value",
        legend=alt.Legend(gradientLength=120),
        scale=alt.Scale(domain=[-1, 1], range=list(style.SIGNED_COLORS), interpolate="rgb"),
    )
    every = "d_model <= 16 ? 1 : d_model <= 32 ? 4 : 8"  # labels that don't touch each other
    across = alt.X(
        "dimension:O",
        title="dimension",
        axis=alt.Axis(
            labelAngle=0,
            labelOverlap=False,
            ticks=False,
            labelExpr=f"datum.value % ({every}) == 0 ? datum.value : ''",
        ),
    )
    down = alt.Y("position:O", title="position")
    tips = [
        alt.Tooltip("position:Q"),
        alt.Tooltip("dimension:Q"),
        alt.Tooltip("value:Q", format=".2f"),
    ]
    here = alt.condition("datum.position == chosen", alt.value(1.0), alt.value(0.55))
    heat = table.mark_rect().encode(across, down, shade, tooltip=tips)
    frame = (
        table.transform_filter("datum.position == chosen && datum.dimension == 0")
        .mark_rect(filled=False, stroke=style.CATEGORIES[4], strokeWidth=3)
        .encode(x=alt.value(0), x2=alt.value(WIDE), y=down)
    )
    similar = (
        table.transform_aggregate(similarity="sum(part)", groupby=["position"])
        .mark_bar(color=BLUE)
        .encode(
            alt.X(
                "similarity:Q",
                title="similarity",
                axis=alt.Axis(values=[-1, 0, 1]),
                scale=alt.Scale(domain=[-1, 1]),
            ),
            alt.Y("position:O", title=None),
            opacity=here,
            tooltip=[alt.Tooltip("position:Q"), alt.Tooltip("similarity:Q", format=".2f")],
        )
    )
    numbers = (
        table.transform_filter("datum.position == chosen")
        .mark_bar()
        .encode(
            across,
            alt.Y("value:Q", title="value", scale=alt.Scale(domain=[-1, 1])),
            color=alt.condition("datum.value < 0", alt.value(BLUE), alt.value(AMBER)),
            tooltip=tips,
        )
    )
    top = alt.hconcat(
        alt.layer(heat, frame).properties(width=WIDE, height=260, title="the table"),
        similar.properties(width=105, height=260, title="dot products"),
    )
    bottom = numbers.properties(width=WIDE, height=110, title="the chosen position's vector")
    return alt.vconcat(top, bottom).add_params(d_model, chosen, exponent)


def _table(vectors: Any) -> np.ndarray:
    matrix = as_array(vectors)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(
            "position vectors should have the shape (length, d_model), "
            f"but theirs is {matrix.shape}"
        )
    return matrix


def _every(count: int, step: int) -> list[int]:
    """0, step, 2 step, ... and the last one, where there is room for it."""
    step = max(step, 1)
    ticks = list(range(0, count, step))
    return ticks + [count - 1] if count - 1 - ticks[-1] >= step / 2 else ticks


NOTEBOOK = "03_positional_encoding"


def _shuffled_outputs() -> dict[str, tuple[Any, Any]]:
    """What an untrained encoder makes of "I like trees" and of "trees I like".

    Without positions and with them: two tables with a row for each of I, like, trees, of which 24
    of 512 numbers are kept.
    """
    from transformer_lib.model.embedding import positional_encoding
    from transformer_lib.model.encoder import Encoder

    torch.manual_seed(0)
    words = torch.randn(1, 3, 512)
    encoder = Encoder(N=2, d_model=512, d_ff=2048, h=8, dropout=0.0).eval()
    places = positional_encoding(3, 512)
    order = torch.tensor([2, 0, 1])  # trees I like
    panels = {}
    with torch.inference_mode():
        for title, added in (("without positions", 0 * places), ("with positions", places)):
            straight = encoder(words + added)[0]
            shuffled = encoder(words[:, order] + added)[0, order.argsort()]
            panels[title] = straight[:, :24], shuffled[:, :24]
    return panels


@figure(
    "positions-shuffled",
    title="Without positions, the order of the words changes nothing",
    notebook=NOTEBOOK,
    caption="Without positions, an encoder gives each word the same vector in whatever order.",
    alt="Two tables of output vectors, with two rows for each of 'I', 'like' and 'trees': one from "
    "'I like trees', one from 'trees I like'. On the left, without positions, the two rows of a "
    "word are "
    "the same. On the right, with positions, they differ, as the headings say.",
)
def draw_positions_shuffled() -> Figure:
    words, orders = ["I", "like", "trees"], ("I like trees", "trees I like")
    return rows_in_pairs(words, orders, _shuffled_outputs())


SENTENCE = ["I", "like", "trees", "and", "their", "shade", "in", "summer"]
CLOCKS = {
    0: "fast: once round\nin about 6 words",
    45: "slower: once round\nin about 32 words",
    128: "slow: once round\nin about 628 words",
}


@figure(
    "positions-clocks",
    notebook=NOTEBOOK,
    caption="Every position is a setting of clocks: fast hands for neighbors, slow ones for "
    "distance.",
    alt="Three rows of eight clocks above the words 'I like trees and their shade in summer' at "
    "positions 0 to 7. All hands start pointing up. The fast hand turns by 57 degrees from word to "
    "word and comes round after 6, the middle one by 11 degrees, the slow one hardly moves.",
    hero=True,
)
def draw_positions_clocks() -> Figure:
    from transformer_lib.model.embedding import positional_encoding

    return clock_table(SENTENCE, positional_encoding(len(SENTENCE), 512), CLOCKS)


@figure(
    "positions-table",
    notebook=NOTEBOOK,
    caption="A hundred position vectors of our translator's width, 128: no color is zero.",
    alt="Heat map of 100 positions and 128 columns. On the left blue and orange alternate fast "
    "from row to row; the further right, the slower the change, along curved bands. The right "
    "third is still: blank columns, the sines near 0, next to brown ones, the cosines near 1. "
    "Below, the row of position 30 is shown alone.",
)
def draw_positions_table() -> Figure:
    from transformer_lib.model.embedding import positional_encoding

    return positions_table(positional_encoding(100, 128), row=30)


@figure(
    "positions-curves",
    title="Each pair of columns is a wave, and the waves grow longer",
    notebook=NOTEBOOK,
    caption="Each column of the table is a wave, and the waves grow longer to the right.",
    alt="Four panels over 60 positions, each with a sine and a cosine between -1 and 1. The waves "
    "of pair 0 are about 6 positions long, of pair 15 about 11, of pair 45 about 32. Those of pair "
    "255 would be about 61,000 long: the sine looks like a flat line at 0, the cosine at 1.",
)
def draw_positions_curves() -> Figure:
    from transformer_lib.model.embedding import positional_encoding

    return positions_curves(positional_encoding(61, 512), pairs=(0, 15, 45, 255))


@figure(
    "positions-paper",
    title="The further right a column, the more slowly it changes",
    notebook=NOTEBOOK,
    caption="The paper's position vectors: 20 positions, 512 dimensions.",
    alt="Heat map with one row per position. On the left blue and orange alternate from row to "
    "row, fast; to the right ever more slowly. Beyond column 300 the rows look alike: thin blank "
    "and brown stripes, the sines still near 0 and the cosines near 1.",
)
def draw_positions_paper() -> Figure:
    from transformer_lib.model.embedding import positional_encoding

    return positions_heatmap(positional_encoding(20, 512)).figure


@figure(
    "positions-small",
    title="The further right a column, the more slowly it changes",
    notebook=NOTEBOOK,
    caption="The paper's position vectors where individual columns can be seen: 10 positions, 64 "
    "dimensions.",
    alt="Heat map of 10 rows and 64 columns. Even columns start blank, the sine of 0; odd ones "
    "strong brown, the cosine of 0. The columns on the left change from row to row; those on the "
    "right keep their color, so that blank and brown stripes alternate.",
)
def draw_positions_small() -> Figure:
    from transformer_lib.model.embedding import positional_encoding

    return positions_heatmap(positional_encoding(10, 64)).figure


@figure(
    "positions-tensor2tensor",
    title="The authors' code: first all sines, then all cosines",
    notebook=NOTEBOOK,
    caption="The position vectors of the authors' code, Tensor2Tensor: 20 positions, 512 "
    "dimensions.",
    alt="Heat map split in the middle. The left half holds the sines and starts blank in row 0; "
    "the right half holds the cosines and starts strong brown. In both halves the colors alternate "
    "fast on the left and hardly change on the right.",
)
def draw_positions_tensor2tensor() -> Figure:
    from transformer_lib.model.embedding import tensor2tensor_encoding

    return positions_heatmap(tensor2tensor_encoding(20, 512)).figure


def both_wavelengths(d_model: int) -> dict[str, Any]:
    """The waves of the two encodings, each measured in its own table."""
    from transformer_lib.model.embedding import positional_encoding, tensor2tensor_encoding

    sines, cosines = tensor2tensor_encoding(2, d_model).chunk(2, dim=1)
    side_by_side = torch.stack([sines, cosines], dim=-1).flatten(1)
    return {
        "paper": wavelengths(positional_encoding(2, d_model)),
        "Tensor2Tensor": wavelengths(side_by_side),
    }


@figure(
    "positions-frequencies",
    title="The waves of the authors' code are longer than the paper's",
    notebook=NOTEBOOK,
    caption="The two encodings differ in their wavelengths, not only in the order of the columns.",
    alt="Left, d_model = 8: wavelengths of four pairs on a logarithmic scale. Both start at 6; "
    "Tensor2Tensor's rise to 10000 times 2 pi, the paper's only to 1000 times 2 pi. Right, "
    "d_model = 512: Tensor2Tensor's waves are longer than the paper's by 0 percent at pair 0, "
    "rising in almost a straight line to 3.7 percent at pair 255.",
)
def draw_positions_frequencies() -> Figure:
    return positions_frequencies(both_wavelengths(8), both_wavelengths(512))


@figure(
    "positions-rotation",
    notebook=NOTEBOOK,
    caption="Going three positions on turns each hand by its own angle, wherever it starts.",
    alt="Three clocks, for numbers 0 and 1, 60 and 61, 120 and 121. In each, a blue arc leads from "
    "position 1 to 4 and a wine arc from position 6 to 9. Within a clock the two arcs are "
    "equally long; from clock to clock they shrink: 172, 58 and 20 degrees.",
)
def draw_positions_rotation() -> Figure:
    from transformer_lib.model.embedding import positional_encoding

    return positions_clocks(positional_encoding(10, 512), (0, 30, 60), start=1, other=6, step=3)


@figure(
    "positions-dot-products",
    title="How alike two positions are depends on their distance only",
    notebook=NOTEBOOK,
    caption="The dot product of two position vectors depends on their distance only.",
    alt="Left: a table of 41 by 41 positions, strongest on the diagonal and constant along each "
    "parallel to it. Right: dot product against distance. For 512 dimensions the curve falls from "
    "1 to about 0.55 at distance 40; for 8 dimensions it swings up and down, and at distance 6 it "
    "is back at 0.95.",
)
def draw_positions_dot_products() -> Figure:
    from transformer_lib.model.embedding import positional_encoding

    return positions_similarity(positional_encoding(41, 512), [positional_encoding(41, 8)])


def trained_words(words: list[str], side: str = "source") -> Any:
    """The vectors (words, 128) that the shipped translator reads, without positions."""
    from transformer_lib.checkpoints import load_model
    from transformer_lib.files import read_json
    from transformer_lib.text.tokens import Vocabulary
    from transformer_lib.translator import SHIPPED_MODEL

    vocab = Vocabulary(read_json(SHIPPED_MODEL / "vocabulary.json")[side]["words"])
    model = load_model(SHIPPED_MODEL)
    embed = model.src_embed if side == "source" else model.tgt_embed
    with torch.inference_mode():
        return embed(torch.tensor(vocab.encode(words)))


@figure(
    "positions-sum",
    title="One word at two positions gives two different sums",
    notebook=NOTEBOOK,
    caption="The same word at two positions: word vector + position vector = two different sums.",
    alt="Two panels for 'trees' at positions 2 and 1, each with three stripes of 32 of the 128 "
    "numbers. The top stripes, the word, are the same. The middle ones, the position, differ most "
    "on their left. The bottom ones, the sums, differ where the positions do.",
)
def draw_positions_sum() -> Figure:
    from transformer_lib.model.embedding import positional_encoding

    word = trained_words(["trees"])
    table = positional_encoding(3, word.size(1))[:, :32]
    word = word[:, :32]
    return word_plus_position(["trees", "trees"], word.repeat(2, 1), {2: table[2], 1: table[1]})


@figure(
    "positions-input",
    notebook=NOTEBOOK,
    caption="What goes into the encoder: three vectors, each a meaning plus a position.",
    alt="Left: encoder and decoder as two small towers, the bottom of the encoder filled. Right, "
    "that bottom enlarged: three columns for 'I', 'like' and 'trees'. In each, from the bottom: "
    "the word, its vector, plus the vector of its position 0, 1 or 2, and the sum, framed in the "
    "word's color, from which an arrow leads into encoder layer 0.",
)
def draw_positions_input() -> Figure:
    from transformer_lib.model.embedding import positional_encoding

    words = ["I", "like", "trees"]
    vectors = trained_words(words)
    return input_vectors(words, vectors, positional_encoding(3, vectors.size(1)))


@figure(
    "positions-output-side",
    notebook=NOTEBOOK,
    caption="The same on the side that writes: words of another table, the same positions.",
    alt="Left: encoder and decoder as two small towers, the bottom of the decoder filled. Right, "
    "that bottom enlarged: five columns for '<bos>', 'me', 'gustan', 'los' and 'árboles'. In each, "
    "from the bottom: the word, its vector, plus the vector of its position 0 to 4, and the sum, "
    "framed in the word's color, from which an arrow leads into decoder layer 0.",
)
def draw_positions_output_side() -> Figure:
    from transformer_lib.model.embedding import positional_encoding

    words = ["<bos>", "me", "gustan", "los", "árboles"]
    vectors = trained_words(words, "target")
    return input_vectors(words, vectors, positional_encoding(5, vectors.size(1)), "decoder")


@figure(
    "positions-explorer",
    notebook=NOTEBOOK,
    caption="The formula to play with: sliders for d_model, the base and a position.",
    alt="A heat map of 20 positions and 32 dimensions with position 3 framed; to its right a bar "
    "for each position, as long as its dot product with position 3, longest at 3 itself; below, "
    "the 32 numbers of position 3 as bars. Three sliders change d_model, the base, the position.",
)
def draw_positions_explorer() -> Any:
    return positions_explorer()


@figure(
    "positions-learned",
    title="Beyond the training's lengths, no positions hold out for long",
    notebook=NOTEBOOK,
    caption="Learned and computed positions copy equally well within the training lengths; beyond "
    "them neither holds out for long.",
    alt="Share of rows copied right against the number of digits. Up to 10 digits, the longest in "
    "training, computed and learned positions are near 1. At 11 the computed ones fall to about a "
    "half, the learned ones to 0; from 13 on all are at 0. Without positions the share falls from "
    "1 digit on and is near 0 from 5 on.",
)
def draw_positions_learned() -> Figure:
    from course import experiments

    found = experiments.load("positions")
    return lengths_copied(found["results"], found["trained_to"]).figure


@functools.cache  # notebook 03 shows the numbers, and then the picture
def two_ways() -> tuple[list[int], dict[str, list[list[int]]]]:
    """All training sentences in batches, at random and by length -> their lengths, both ways."""
    from transformer_lib.text import english_spanish
    from transformer_lib.text.batching import batch_indices

    pairs = [(en.split(), es.split()) for en, es in english_spanish.load("train")]
    lengths = [len(source) + 1 for source, _ in pairs]  # the words and <eos>
    similar = batch_indices(pairs, max_tokens=1024, seed=0)
    shuffled = random.Random(0).sample(range(len(pairs)), len(pairs))
    size = len(pairs) // len(similar)
    at_random = [shuffled[start : start + size] for start in range(0, len(pairs), size)]
    return lengths, {"sentences as they come": at_random, "of similar length": similar}


def usual_batch(batches: list[list[int]], lengths: list[int]) -> list[int]:
    """The lengths of the batch whose share of padding is nearest to that of all batches."""
    words = [[lengths[i] for i in batch] for batch in batches]
    share = 1 - sum(map(sum, words)) / sum(len(batch) * max(batch) for batch in words)
    return min(words, key=lambda batch: abs(1 - sum(batch) / len(batch) / max(batch) - share))


@figure(
    "padding-saved",
    title="Sentences of similar length leave hardly any padding",
    notebook=NOTEBOOK,
    caption="A batch of sentences taken at random, and one of sentences of similar length.",
    alt="Two tables with a row for each sentence of a batch, words filled and padding empty. On "
    "the left the rows end at very different positions and 41 % of the table is padding; on the "
    "right nearly all rows are equally long and 3 % is padding.",
)
def draw_padding_saved() -> Figure:
    lengths, ways = two_ways()
    return padding_picture({way: usual_batch(batches, lengths) for way, batches in ways.items()})
