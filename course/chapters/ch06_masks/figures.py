"""What must not be seen: masks as squares of words, the staircase, and what a leak does.

Rows are queries, the first word at the top; columns are keys.
"""

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
from course.drawing.words import canvas, heading, label, titled, word, word_color
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.text.tokens import BOS, PAD


def _influence(maps: Mapping[str, Any], words: Sequence[str], changed: str) -> Figure:
    """Draw which outputs change with which word: the first square large, the others small.

    maps: title -> square (t, t), True where the output of the row changes with the word of the
    column. changed: the word whose column is in the accent. Raises ValueError when a square doesn't
    fit the words or holds anything but True and False (1 and 0).
    """
    squares = {name: as_array(one) for name, one in maps.items()}
    for name, square in squares.items():
        if square.shape != (len(words), len(words)):
            raise ValueError(f"{name!r}: {len(words)} words don't fit the shape {square.shape}")
        if not np.isin(square, (0, 1)).all():
            raise ValueError(f"{name!r}: the answers are True and False only")
    figure, ax = canvas(style.WIDTH, 4.9)
    note = "Filled: the output changes when the word does"
    heading(ax, "With the causal mask, a word reaches only itself and later places", note)
    top, lit = 3.1, list(words).index(changed)
    for number, (name, square) in enumerate(squares.items()):
        left, wide, high = (5.75, 0.42, 0.3) if number else (1.35, 0.74, 0.52)
        for (row, column), yes in np.ndenumerate(square):
            fill = (style.ACCENT if column == lit else style.SOFT) if yes else style.GROUND
            look = {"color": style.PAPER, "line": 1.5, "round": 0.03, "fill": fill}
            box(ax, (left + wide * (column + 0.5), top - high * (row + 0.5)), wide, high, **look)
        label(ax, (left, top + 0.8), name, size=12, weight="bold")
        if number:
            said = "every output changes,\nwhichever word is changed"
            label(ax, (left, top - high * len(words) - 0.35), said)
            continue
        reached = f"“{changed}” changes {int(square[:, lit].sum())} of {len(words)} outputs"
        look = {"size": 12, "weight": "bold", "color": style.ACCENT, "ha": "center"}
        label(ax, (left + wide * (lit + 0.5), top - high * len(words) - 0.2), reached, **look)
        label(ax, (left, top + 0.5), "the word that is changed", color=style.MUTED)
        label(ax, (0.02, top + 0.2), "the output at", color=style.MUTED)
        for place, text in enumerate(words):
            word(ax, (left + wide * (place + 0.5), top + 0.2), text)
            word(ax, (left - 0.16, top - high * (place + 0.5)), text, ha="right")
    return figure


def _mask_equation(masks: Mapping[str, Any], first: Sequence[str], rest: str) -> Figure:
    """Draw three boolean squares (t, t) as an equation: a & b = c -> the figure.

    masks: title -> square. first: the words of the first rows and columns; rest: that of all
    others, which is written once.
    """
    count, cell, left, gap, bottom = len(next(iter(masks.values()))), 0.42, 0.93, 0.37, 0.44
    figure, ax = canvas(style.WIDTH, bottom + cell * count + 1.12)
    note = "Row: a word that looks. Column: may it see this one? 1 is yes"
    heading(ax, "Both masks together hide padding and what comes later", note)
    top, half = bottom + cell * count, cell * (len(first) + count) / 2  # in the middle of the rest
    said = f"{rest} × {count - len(first)}"
    for number, (name, square) in enumerate(masks.items()):
        x, loud = left + number * (cell * count + gap), number == len(masks) - 1
        color = style.ACCENT if loud else style.INK
        label(
            ax,
            (x, top + 0.2),
            name.removesuffix(" (&)"),
            size=style.LABEL,
            weight="bold",
            color=color,
        )
        for (row, column), seen in np.ndenumerate(as_array(square)):
            at = x + cell * (column + 0.5), top - cell * (row + 0.5)
            fill = (style.ACCENT if loud else style.SOFT) if seen else style.GROUND
            look = {"color": style.PAPER, "line": 1.5, "round": 0.03, "fill": fill}
            box(ax, at, cell, cell, **look)
            label(ax, at, "1" if seen else "", ha="center", color=style.ink_on(fill))
        for place, text in enumerate(first):
            apart = 0.06 * (2 * place - len(first) + 1)  # chips are wider than cells
            at = x + cell * (place + 0.5) + apart, bottom - 0.24
            word(ax, at, text, size=style.NOTE)
        ends = x + cell * len(first) + 0.05, x + cell * count - 0.05
        path(ax, [(end, bottom - 0.06) for end in ends], style.SOFT, head=False)
        word(ax, (x + half, bottom - 0.24), said, size=style.NOTE)
        sign = ("", "&", "=")[number]
        label(ax, (x - gap / 2, (top + bottom) / 2), sign, size=20, ha="center", weight="bold")
    for place, text in enumerate(first):
        word(ax, (left - 0.14, top - cell * (place + 0.5)), text, size=style.NOTE, ha="right")
    ends = top - cell * len(first) - 0.05, bottom + 0.05
    path(ax, [(left - 0.06, end) for end in ends], style.SOFT, head=False)
    word(ax, (left - 0.18, top - half), said, size=style.NOTE, ha="right")
    return figure


def _staircase(tgt_in: Sequence[str], tgt_out: Sequence[str]) -> Figure:
    """Draw what the decoder may see at each position, a row for each, and what it must predict.

    Words that may be seen have their color, later ones are covered. Raises ValueError when the two
    rows differ in length.
    """
    if len(tgt_in) != len(tgt_out):
        raise ValueError(
            f"tgt_in has {len(tgt_in)} words and tgt_out {len(tgt_out)}; "
            "they should have the same number"
        )
    count, step = len(tgt_in), 0.55
    figure, ax = canvas(8, step * count + 1.05)
    heading(ax, "Each row sees one word more, and predicts the next one")
    wide = 6.1 / count
    label(ax, (0.06, step * count + 0.3), "what it may see", color=style.MUTED)
    label(ax, (6.85, step * count + 0.3), "what it predicts", color=style.MUTED)
    for i, (_, predicted) in enumerate(zip(tgt_in, tgt_out, strict=True)):
        y = step * (count - i - 0.5) + 0.08
        for j, text in enumerate(tgt_in):
            _tile(ax, (0.04 + wide * (j + 0.5), y), wide - 0.08, text if j <= i else "")
        arrow(ax, (6.28, y), (6.72, y))
        _tile(ax, (7.4, y), 1.14, predicted)
    stairs = [(0.0, step * count + 0.08)]
    for i in range(count):
        x, y = 0.04 + wide * (i + 1), step * (count - i) + 0.08
        stairs += [(x, y), (x, y - step)]
    path(ax, stairs, style.INK, thick=2.5, head=False)
    return figure


COVERED = style.GROUND


def _tile(ax: Axes, at: tuple[float, float], wide: float, text: str) -> None:
    """A word that may be seen, or none: what is hidden."""
    color = word_color(text) if text else COVERED
    box(ax, at, wide, 0.45, "", color, fill=style.tint(color) if text else COVERED, line=0)
    if text:
        label(ax, at, text, size=13, ha="center", weight="bold", color=style.readable(color))


def _leak_curves(runs: Sequence[Mapping[str, Any]], title: str = "") -> Figure:
    """Draw how models with and without a causal mask learn -> the figure.

    runs: {"mask": "causal" or "none", "seed", "history": [{"step", "next_word", "right_rows"}]},
    the form of the experiment "masks". Raises ValueError when one of the two kinds is missing.
    """
    if {run["mask"] for run in runs} != {"causal", "none"}:
        raise ValueError('the curves need runs with mask "causal" and runs with mask "none"')
    looks = {
        "none": ("mask shows everything", style.ACCENT),
        "causal": ("causal mask", style.MUTED),
    }
    figure, panels = style.panels(2, 3.7, sharey=True)
    titled(figure, title, f"Each line is one training run: {len(runs) // 2} with each mask")
    titles = {
        "next_word": "Next word right, after a right beginning",
        "right_rows": "Whole row of digits right, written alone",
    }
    places = (
        {"causal": (150, 0.78), "none": (82, 1.05)},
        {"causal": (205, 0.8), "none": (82, 0.05)},
    )
    for ax, (quantity, title), at in zip(panels, titles.items(), places, strict=True):
        for run in runs:
            color = looks[run["mask"]][1]
            steps, shares = ([e[key] for e in run["history"]] for key in ("step", quantity))
            ax.plot(steps, shares, color=color, linewidth=1.6)
        for mask, (name, color) in looks.items():
            ax.text(*at[mask], name, color=color, weight="bold")
        ax.set_title(title, fontsize=style.LABEL)
        ax.set_xlabel("step of training")
        ax.set(xlim=(0, 305), ylim=(-0.02, 1.12), xticks=range(0, 301, 100))
    plots.shares(panels[0].yaxis)
    figure.get_layout_engine().set(w_pad=0.15)
    return figure


TGT_IN = ["<bos>", "me", "gustan", "los", "árboles"]
TGT_OUT = ["me", "gustan", "los", "árboles", "<eos>"]


def _three_masks(tgt_in: Tensor) -> dict[str, Tensor]:
    """Padding mask, causal mask and both together, as squares (t, t), of one row of ids (t,)."""
    length = len(tgt_in)
    padding = padding_mask(tgt_in[None]).expand(1, 1, length, length)[0, 0]
    causal = causal_mask(length)[0, 0]
    return {"padding mask": padding, "causal mask": causal, "both (&)": padding & causal}


@figure(
    "masks-staircase",
    caption="Each row sees one word more, and predicts the next one.",
    alt="Five rows of five tiles, like a staircase. In the first row only <bos> can be seen and "
    "the other four tiles are covered; an arrow leads to 'me', which it predicts. In each row "
    "below one tile more is open: <bos> me leads to 'gustan', <bos> me gustan to 'los', <bos> me "
    "gustan los to 'árboles', and all five to <eos>.",
    hero=True,
)
def draw_staircase() -> Figure:
    return _staircase(TGT_IN, TGT_OUT)


@figure(
    "masks-three",
    caption="The padding mask, the causal mask, and both together.",
    alt="Three squares with a row and a column for each of '<bos> gracias <pad> <pad> <pad>', as "
    "an equation: padding mask & causal mask = both. Padding mask: the first two columns are 1. "
    "Causal mask: the lower left triangle with its diagonal is 1. Both: 1 only where both are, in "
    "the first two columns on and below the diagonal.",
)
def draw_three_masks() -> Figure:
    masks = _three_masks(torch.tensor([BOS, 4, PAD, PAD, PAD]))
    return _mask_equation(masks, ["<bos>", "gracias"], "<pad>")


@figure(
    "masks-influence",
    caption="Which outputs change when one target word changes, measured in a random model.",
    alt="A large square, with the causal mask: a row for the output at each word, a column for "
    "each word changed. Only the lower left triangle is filled; the column of 'gustan' is rust: "
    "the outputs at 'gustan', 'los' and 'árboles' change. Beside it a small square, with a mask "
    "that shows everything: all is filled.",
)
def draw_influence() -> Figure:
    return _influence(measured_influence(), TGT_IN, "gustan")


@figure(
    "masks-leak-curves",
    caption="A model whose mask leaks learns faster and can do nothing: three seeds of each kind.",
    alt="Two panels against the step of training. Left, next word right after a right beginning: "
    "the three models without a mask reach 100 % by step 125, before those with the causal mask. "
    "Right, whole rows written alone: with the causal mask more than 95 % at the end, without it "
    "0 % at every step.",
)
def draw_leak_curves() -> Figure:
    title = "A model whose mask leaks learns faster, and can do nothing"
    return _leak_curves(experiments.load("masks")["runs"], title)
