"""What must not be seen: masks as squares of words, and what a leak does.

Rows are positions, named by the word to be written there; columns are words that are read.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from course import experiments
from course.chapters.ch06_masks.experiments import measured_influence
from course.drawing import plots, style
from course.drawing.arrows import arrow, box, path
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import canvas, label
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.text.tokens import BOS, PAD


def _mask_equation(
    masks: Mapping[str, Any], words: Sequence[str], written: Sequence[str]
) -> Figure:
    """Draw three boolean squares (t, t) of the words as an equation: a & b = c -> the figure.

    masks: title -> square. words, written: what is read at each position, and what is to be written
    there. What is seen is filled; what is hidden says by what.
    """
    count, cell, left, gap = len(words), 0.435, 0.75, 0.33
    note = "Each row is a word to write, each column a word that is read. Filled: may be seen"
    title = "The two masks together hide the padding and the future"
    figure, ax = canvas(cell * count + 1.7, title, note)
    top = 0.1 + cell * count
    for place, text in enumerate(written):
        label(ax, (left - 0.1, top - cell * (place + 0.5)), text, ha="right")
    for number, (name, given) in enumerate(masks.items()):
        x, square, last = left + number * (cell * count + gap), as_array(given), number == 2
        fill, ink = (style.ACCENT, style.ACCENT) if last else (style.SOFT, style.INK)
        label(ax, (x, top + 0.65), name, size=12, weight="bold", color=ink)
        for place, text in enumerate(dict.fromkeys(words)):
            wide = words.count(text)  # padding, the last, takes all that is left
            middle = x + cell * (place + wide / 2)
            apart = (-0.06, 0.01, 0)[place]
            label(ax, (middle + apart, top + 0.24), text, ha="center")
            if wide > 1:
                edges = (middle + side * (cell * wide / 2 - 0.1) for side in (-1, 1))
                path(ax, [(edge, top + 0.08) for edge in edges], style.SOFT, head=False)
        for (row, column), seen in np.ndenumerate(square):
            at = x + cell * (column + 0.5), top - cell * (row + 0.5)
            inside = fill if seen else style.GROUND
            edge = style.PAPER if seen else inside  # what is hidden is one ground, for its name
            look = {"line": 1, "round": 0.03, "zorder": 2 if seen else 1.5}
            box(ax, at, cell, cell, color=edge, fill=inside, **look)
        row, column = np.argwhere(square == 0).mean(axis=0) + 0.5
        said = ("padding", "future", "padding\nand future")[number]
        at = x + cell * column, top - cell * row
        label(ax, at, said, size=13, ha="center", color=style.MUTED)
        sign = ("", "&", "=")[number]
        label(ax, (x - gap / 2, top - cell * count / 2), sign, size=20, ha="center", weight="bold")
    return figure


def _digits(ax: Axes, y: float, digits: Sequence[int], color: str) -> None:
    """A row of digits, or the word "nothing"."""
    for place, digit in enumerate(digits):
        look = {"fill": None, "size": 14, "round": 0.03}
        box(ax, (5.6 + 0.3 * place, y), 0.27, 0.31, str(digit), color, **look)
    if not digits:
        label(ax, (5.46, y), "nothing", size=14, color=color, weight="bold")


TGT_IN = ["<bos>", "me", "gustan", "los", "árboles"]
TGT_OUT = ["me", "gustan", "los", "árboles", "<eos>"]


def _three_masks(tgt_in: Tensor) -> dict[str, Tensor]:
    """Padding mask, causal mask and both together, as squares (t, t), of one row of ids (t,)."""
    length = len(tgt_in)
    padding = padding_mask(tgt_in[None]).expand(1, 1, length, length)[0, 0]
    causal = causal_mask(length)[0, 0]
    return {"padding mask": padding, "causal mask": causal, "both": padding & causal}


@figure(
    "masks-three",
    caption="The padding mask, the causal mask, and both together.",
    alt="Three squares as an equation: padding mask & causal mask = both. The columns are what is "
    "read, <bos> gracias and three <pad>; the rows what is to be written, gracias, <eos> and three "
    "<pad>. Padding mask: the first two columns are filled. Causal mask: the lower left triangle "
    "with its diagonal is filled. Both, in orange: filled only where both are, in the first column "
    "and, from the second row on, in the second.",
    hero=True,
)
def draw_three_masks() -> Figure:
    masks = _three_masks(torch.tensor([BOS, 4, PAD, PAD, PAD]))
    words = ["<bos>", "gracias", "<eos>", "<pad>", "<pad>", "<pad>"]
    return _mask_equation(masks, [*words[:2], *words[3:]], words[1:])


@figure(
    "masks-influence",
    caption="Which outputs change when one target word changes, measured in a random model.",
    alt="Two squares: a row for the output that writes each word, a column for each word read. "
    "With the causal mask only the lower left triangle is filled, and in the column of 'los', in "
    "orange, 2 of 5: the outputs that write 'árboles' and <eos> change. Without a mask all is "
    "filled: 5 of 5 change.",
)
def draw_influence() -> Figure:
    names = "with the causal mask", "without a mask"
    maps = dict(zip(names, measured_influence().values(), strict=True))
    wide, high, low = 0.6, 0.46, 0.42
    count, lit = len(TGT_IN), TGT_IN.index("los")
    note = (
        "Each row is a word to write, each column a word that is read. Filled: the output changes"
    )
    title = "With the causal mask, changing a word changes only what is written after it"
    figure, ax = canvas(low + high * count + 1.95, title, note)
    top = low + high * count
    for left, (name, given) in zip((0.78, 4.92), maps.items(), strict=False):
        square = as_array(given)
        for (row, column), yes in np.ndenumerate(square):
            fill = (style.ACCENT if column == lit else style.SOFT) if yes else style.GROUND
            look = {"color": style.PAPER, "line": 1.5, "round": 0.03, "fill": fill}
            box(ax, (left + wide * (column + 0.5), top - high * (row + 0.5)), wide, high, **look)
        label(ax, (left, top + 1.05), name, size=12, weight="bold")
        x, loud = left + wide * (lit + 0.5), {"weight": "bold", "color": style.ACCENT}
        label(ax, (x, top + 0.68), "changed", ha="center", **loud)
        arrow(ax, (x, top + 0.58), (x, top + 0.33), style.ACCENT)
        reached = f"{int(square[:, lit].sum())} of {count} outputs change"
        label(ax, (x, low - 0.2), reached, size=14, ha="center", **loud)
        for place, (text, row) in enumerate(zip(TGT_IN, TGT_OUT, strict=True)):
            look = loud if place == lit else {}
            label(ax, (left + wide * (place + 0.5), top + 0.18), text, ha="center", **look)
            label(ax, (left - 0.1, top - high * (place + 0.5)), row, ha="right")
    return figure


@figure(
    "masks-leak-curves",
    caption="Models whose mask leaks get ahead in training, but what they write is wrong.",
    alt="Left, how often the next word is right, against the training step: with a leaking mask "
    "100% by step 100, before those with the causal mask. Right, what they write on their own when "
    "they read 7 2 4 4 9 0: with the causal mask all 3 models write 0 9 4 4 2 7, and of all rows "
    "99% are right; with the leaking mask 2 models write nothing and 1 model 9 9 9, and 0% are "
    "right.",
)
def draw_leak_curves() -> Figure:
    runs, reads = (experiments.load("masks")[key] for key in ("runs", "reads"))
    note = "Small models that learn to write digits backwards: averages of three models per mask"
    title = "With a leaking mask, scores rise faster, but the models write no row right"
    figure, ax = canvas(4.3, title, note)
    label(ax, (0.02, 3.4), "Next word right, given the beginning", size=12, weight="bold")
    label(ax, (4.3, 3.4), "What they write on their own", size=12, weight="bold")
    label(ax, (4.3, 2.85), "they read", size=style.LABEL)
    _digits(ax, 2.85, reads, style.MUTED)
    left = figure.add_axes((0.075, 0.15, 0.4, 0.57))
    for mask, name, color, y, at in (
        ("causal", "causal mask", style.MUTED, 2.1, (112, 0.81)),
        ("none", "leaking mask", style.ACCENT, 1.35, (100, 1.06)),
    ):
        own = [run for run in runs if run["mask"] == mask]
        shares = np.array([[entry["next_word"] for entry in run["history"]] for run in own])
        steps = [entry["step"] for entry in own[0]["history"]]
        left.plot(steps, shares.mean(0), color=color, linewidth=3)
        bold = {"weight": "bold", "color": color}
        label(left, at, name, size=style.LABEL, **bold)
        label(ax, (4.3, y), name, size=style.LABEL, **bold)
        right = np.mean([run["history"][-1]["right_rows"] for run in own])
        label(ax, (4.3, y - 0.3), f"{right:.0%} right", size=14, **bold)
        for row, (digits, times) in enumerate(Counter(tuple(run["writes"]) for run in own).items()):
            _digits(ax, y - 0.75 * row, digits, color)
            said = {3: "3 models", 2: "2 models", 1: "1 model"}[times]
            label(ax, (7.38, y - 0.75 * row), said, color=style.MUTED)
    left.set(xlabel="training step", xlim=(0, 305), xticks=range(0, 301, 100))
    plots.shares(left.yaxis)
    left.set(ylim=(0, 1.12), yticks=[0, 0.5, 1])
    return figure
