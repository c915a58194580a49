"""One-hot rows, and how many words of a test text a vocabulary doesn't know."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from transformer_lib.plots import style
from transformer_lib.plots.values import as_array

CELLS = 30  # a wider table has no room for one number in each cell


@mpl.rc_context(style.PRINT)
def one_hot_table(
    table: Any, words: Sequence[str], vocabulary: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Draw one-hot rows (n, vocab) -> the axes.

    words: the n words of the rows; vocabulary: what each column stands for. A small table shows
    every 0 and 1, a wide one only where in the row the 1 stands. Raises ValueError when the words
    don't fit the table, or a row doesn't consist of one 1 and zeros.
    """
    matrix = as_array(table)
    if matrix.shape != (len(words), len(vocabulary)) or 0 in matrix.shape:
        raise ValueError(f"{len(words)} words and a vocabulary of {len(vocabulary)} don't fit "
                         f"a table of the shape {matrix.shape}")  # fmt: skip
    if not (np.isin(matrix, (0, 1)).all() and (matrix.sum(axis=1) == 1).all()):
        raise ValueError("in a one-hot table each row has exactly one 1, and zeros elsewhere")
    if ax is None:
        ax = style.new_figure(style.WIDTH, 1.0 + 0.5 * len(words)).subplots()
    (_draw_cells if len(vocabulary) <= CELLS else _draw_strip)(ax, matrix, vocabulary)
    ax.set_yticks(range(len(words)), words)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def _draw_cells(ax: Axes, matrix: np.ndarray, vocabulary: Sequence[str]) -> None:
    count, width = matrix.shape
    ax.imshow(matrix, cmap=style.WEIGHTS, vmin=0, vmax=1.4, aspect="auto", interpolation="nearest")
    labels = [f"{word}\n{slot}" for slot, word in enumerate(vocabulary)]
    ax.set_xticks(range(width), labels, fontsize=10.5)
    ax.set_xticks(np.arange(width + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(count + 1) - 0.5, minor=True)
    ax.grid(which="minor", linewidth=1.0)
    ax.tick_params(which="minor", length=0)
    for (row, slot), value in np.ndenumerate(matrix):
        color = style.ink_on(style.WEIGHTS(value / 1.4)) if value else style.MUTED
        ax.text(slot, row, f"{value:.0f}", ha="center", va="center", color=color,
                weight="bold" if value else "normal")  # fmt: skip


def _draw_strip(ax: Axes, matrix: np.ndarray, vocabulary: Sequence[str]) -> None:
    count, width = matrix.shape
    ax.barh(range(count), width, left=-0.5, height=0.5, color=style.WEIGHT_COLORS[1])
    for row, slot in enumerate(matrix.argmax(axis=1)):
        ax.plot([slot, slot], [row - 0.36, row + 0.36], color=style.INK, linewidth=2.5)
        side = 1 if slot < 0.8 * width else -1
        ax.text(slot + side * 0.012 * width, row, f"1 in slot {slot}", va="center",
                ha="left" if side > 0 else "right", fontsize=10.5)  # fmt: skip
    ax.set(xlim=(-0.5, width - 0.5), ylim=(count - 0.5, -0.5))
    ax.set_xticks([0, width - 1])
    ax.set_xlabel(f"slot, one for each of the {width:,} entries of the vocabulary")


@mpl.rc_context(style.PRINT)
def unknown_words(
    sentences: Sequence[int], unknown: Sequence[int], total: int, ax: Axes | None = None
) -> Axes:
    """Draw how many of a test text's words are unknown -> the axes.

    sentences: how many training sentences each vocabulary was built from; unknown: how many of
    the test text's `total` tokens it doesn't have. Raises ValueError when the two don't fit.
    """
    if len(sentences) != len(unknown) or not len(sentences):
        raise ValueError(f"{len(sentences)} sizes of training text don't fit "
                         f"{len(unknown)} counts of unknown words")  # fmt: skip
    if ax is None:
        ax = style.new_figure(style.WIDTH, 3.4).subplots()
    shares = [100 * count / total for count in unknown]
    ax.plot(sentences, shares, "o-", color=style.CATEGORIES[0], markersize=7, clip_on=False)
    for size, share, count in zip(sentences, shares, unknown, strict=True):
        ax.annotate(f"{count:,} unknown", (size, share), xytext=(6, 7), textcoords="offset points",
                    fontsize=10.5)  # fmt: skip
    ax.set_xscale("log")
    ax.set_xticks(sentences, [f"{size:,}" for size in sentences])
    ax.minorticks_off()
    ax.set_xlim(right=sentences[-1] * 2.2)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("training sentences that the vocabulary was built from")
    ax.set_ylabel("unknown, in %\nof the test's words")
    ax.grid(axis="y")
    return ax
