"""What must not be seen: masks as squares of words, the staircase, and what a leak does.

Rows are queries, the first word at the top; columns are keys.
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
from course.drawing.cells import area
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import canvas, label, word_color
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.text.tokens import BOS, PAD


def _influence(maps: Mapping[str, Any], words: Sequence[str], changed: str) -> Figure:
    """Draw which outputs change with which word, a square for each mask -> the figure.

    maps: title -> square (t, t), True where the output of the row changes with the word of the
    column. changed: the word whose column is in the accent.
    """
    wide, high, low = 0.6, 0.46, 0.42
    note = "Filled: this row's output changes if this column's word does"
    title = "With the causal mask, a word reaches only itself and later places"
    figure, ax = canvas(low + high * len(words) + 1.95, title, note)
    top, lit = low + high * len(words), list(words).index(changed)
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
        reached = f"{int(square[:, lit].sum())} of {len(words)} outputs change"
        label(ax, (x, low - 0.2), reached, size=14, ha="center", **loud)
        for place, text in enumerate(words):
            look = loud if place == lit else {}
            label(ax, (left + wide * (place + 0.5), top + 0.18), text, ha="center", **look)
            label(ax, (left - 0.1, top - high * (place + 0.5)), text, ha="right")
    return figure


def _mask_equation(masks: Mapping[str, Any], words: Sequence[str]) -> Figure:
    """Draw three boolean squares (t, t) of the words as an equation: a & b = c -> the figure.

    masks: title -> square. What is seen is filled; what is hidden says by what.
    """
    count, cell, left, gap = len(words), 0.435, 0.75, 0.33
    note = "A row for each word that looks, a column for each one looked at. Filled: it may see it"
    title = "Both masks together hide padding and what comes later"
    figure, ax = canvas(cell * count + 1.7, title, note)
    top = 0.1 + cell * count
    for place, text in enumerate(words):
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
        said = ("padding", "later", "padding\nand later")[number]
        at = x + cell * column, top - cell * row
        label(ax, at, said, size=13, ha="center", color=style.MUTED)
        sign = ("", "&", "=")[number]
        label(ax, (x - gap / 2, top - cell * count / 2), sign, size=20, ha="center", weight="bold")
    return figure


def _staircase(tgt_in: Sequence[str], tgt_out: Sequence[str]) -> Figure:
    """Draw what the decoder may see at each position, a row for each, and what it must predict.

    Words that may be seen have their color; later ones are missing, on one common ground.
    """
    count, step = len(tgt_in), 0.55
    title = "Each row sees one word more, and predicts the next one"
    figure, ax = canvas(step * count + 1.05, title)
    wide = 6.1 / count
    label(ax, (0.02, step * count + 0.3), "what it may see", color=style.MUTED)
    label(ax, (6.85, step * count + 0.3), "what it predicts", color=style.MUTED)
    for i, predicted in enumerate(tgt_out):
        y = step * (count - i - 0.5) + 0.08
        hidden = wide * (count - i - 1)
        area(ax, (wide * count - 0.06 - hidden, y - step / 2), hidden, step, style.GROUND)
        for j, text in enumerate(tgt_in[: i + 1]):
            _tile(ax, (wide * (j + 0.5) - 0.04, y), wide - 0.04, text)
        arrow(ax, (6.28, y), (6.72, y))
        _tile(ax, (7.4, y), 1.14, predicted)
    at = wide * (count / 2 + 1.4), step * (count - 1) + 0.08
    label(ax, at, "hidden by the mask", size=16, ha="center", color=style.MUTED)
    return figure


def _tile(ax: Axes, at: tuple[float, float], wide: float, text: str) -> None:
    """A word that may be seen, or is predicted."""
    color = word_color(text)
    box(ax, at, wide, 0.48, "", style.PAPER, fill=style.tint(color), line=3)
    look = {"size": 13, "weight": "bold", "color": style.readable(color)}
    label(ax, at, text, ha="center", **look)


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
    "masks-staircase",
    caption="Each row sees one word more, and predicts the next one.",
    alt="Five rows of words, like a staircase; what is above it is empty, 'hidden by the mask'. In "
    "the first row only <bos> can be seen; an arrow leads to 'me', which it predicts. In each row "
    "below there is one word more: <bos> me leads to 'gustan', <bos> me gustan to 'los', <bos> me "
    "gustan los to 'árboles', and all five to <eos>.",
    hero=True,
)
def draw_staircase() -> Figure:
    return _staircase(TGT_IN, TGT_OUT)


@figure(
    "masks-three",
    caption="The padding mask, the causal mask, and both together.",
    alt="Three squares with a row and a column for each of '<bos> gracias <pad> <pad> <pad>', as "
    "an equation: padding mask & causal mask = both. Padding mask: the first two columns are "
    "filled, the padding is not. Causal mask: the lower left triangle with its diagonal is filled, "
    "what comes later is not. Both, in rust: filled only where both are, in the first two columns "
    "on and below the diagonal.",
)
def draw_three_masks() -> Figure:
    masks = _three_masks(torch.tensor([BOS, 4, PAD, PAD, PAD]))
    return _mask_equation(masks, ["<bos>", "gracias", "<pad>", "<pad>", "<pad>"])


@figure(
    "masks-influence",
    caption="Which outputs change when one target word changes, measured in a random model.",
    alt="Two squares: a row for the output at each word, a column for each word changed. With the "
    "causal mask only the lower left triangle is filled, and in the column of 'gustan', in rust, 3 "
    "of 5: the outputs at 'gustan', 'los' and 'árboles' change. Without a mask all is filled: 5 of "
    "5 change.",
)
def draw_influence() -> Figure:
    names = "with the causal mask", "without a mask"
    maps = dict(zip(names, measured_influence().values(), strict=True))
    return _influence(maps, TGT_IN, "gustan")


@figure(
    "masks-leak-curves",
    caption="A model whose mask leaks learns faster and can do nothing: three seeds of each kind.",
    alt="Left, next word right in training, against the step: with a leaking mask 100 % by step "
    "100, before those with the causal mask. Right, what they write alone when they read 7 2 4 4 9 "
    "0: with the causal mask all 3 models write 0 9 4 4 2 7, and of all rows 99 % right; with the "
    "leaking mask 2 models write nothing and 1 model 9 9 9, and 0 % are right.",
)
def draw_leak_curves() -> Figure:
    runs, reads = (experiments.load("masks")[key] for key in ("runs", "reads"))
    note = "They learn to write rows of digits backwards: three models with each mask"
    figure, ax = canvas(4.3, "A model whose mask leaks learns faster, and can do nothing", note)
    label(ax, (0.02, 3.4), "In training: next word right", size=12, weight="bold")
    label(ax, (4.3, 3.4), "Alone: what it writes", size=12, weight="bold")
    label(ax, (4.3, 2.85), "it reads", size=style.LABEL)
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
        label(ax, (4.3, y - 0.3), f"{100 * right:.0f} % right", size=14, **bold)
        for row, (digits, times) in enumerate(Counter(tuple(run["writes"]) for run in own).items()):
            _digits(ax, y - 0.75 * row, digits, color)
            said = {3: "3 models", 2: "2 models", 1: "1 model"}[times]
            label(ax, (7.38, y - 0.75 * row), said, color=style.MUTED)
    left.set(xlabel="step of training", xlim=(0, 305), xticks=range(0, 301, 100))
    plots.shares(left.yaxis)
    left.set(ylim=(0, 1.12), yticks=[0, 0.5, 1])
    return figure
