"""What must not be seen: masks as squares of words, the staircase, and what a leak does.

Rows are queries, the first word at the top; columns are keys.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from course.chapters.ch06_masks.experiments import measured_influence
from course.drawing import style
from course.drawing.registry import figure
from course.drawing.shapes import area, arrow, centered, words_around
from course.drawing.values import as_array
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.text.tokens import BOS, PAD


@mpl.rc_context(style.PRINT)
def mask_maps(
    masks: Mapping[str, Any],
    rows: Sequence[str],
    columns: Sequence[str],
    xlabel: str = "key: may it be seen? 1 is yes, 0 is no",
    ylabel: str = "query",
    marks: tuple[str, str] = ("0", "1"),
) -> Figure:
    """Draw boolean squares (q, k) side by side, True dark with a 1, False white with a 0.

    masks: title -> square; rows, columns: the words of its q rows and k columns; marks: what is
    written into the cells for False and True. Raises ValueError when a square doesn't fit the words
    or holds anything but True and False (1 and 0).
    """
    squares = {title: as_array(mask) for title, mask in masks.items()}
    for title, square in squares.items():
        if square.shape != (len(rows), len(columns)):
            raise ValueError(
                f"{title!r}: {len(rows)} words for the rows and {len(columns)} for "
                f"the columns don't fit the shape {square.shape}"
            )
        if not np.isin(square, (0, 1)).all():
            raise ValueError(f"{title!r}: a mask holds True and False only")
    cell = 0.42 if len(marks[1]) == 1 else 0.56
    panel = 0.15 + cell * len(columns)
    figure = style.new_figure(1.15 + panel * len(squares), 1.75 + cell * len(rows))
    panels = figure.subplots(1, len(squares), squeeze=False)[0]
    seen = mpl.colors.ListedColormap([style.PAPER, style.CATEGORIES[0]])
    for ax, (title, square) in zip(panels, squares.items(), strict=True):
        ax.imshow(square, cmap=seen, vmin=0, vmax=1, interpolation="nearest")
        ax.set_title(title)
        words_around(ax, rows, columns)
        ax.tick_params(labelleft=ax is panels[0])
        for (i, j), one in np.ndenumerate(square):
            centered(ax, j, i, marks[int(one)], color=style.PAPER if one else style.MUTED, size=11)
    panels[0].set_ylabel(ylabel)
    figure.supxlabel(xlabel, fontsize=style.FONT_SIZE)
    return figure


@mpl.rc_context(style.PRINT)
def staircase(tgt_in: Sequence[str], tgt_out: Sequence[str]) -> Figure:
    """Draw what the decoder may see at each position, a row for each, and what it must predict.

    Words that may be seen have their color, later ones are covered. Raises ValueError when the two
    rows differ in length.
    """
    if len(tgt_in) != len(tgt_out):
        raise ValueError(
            f"tgt_in has {len(tgt_in)} words and tgt_out {len(tgt_out)}; "
            "they should have the same number"
        )
    count = len(tgt_in)
    figure = style.new_figure(style.WIDTH, 0.9 + 0.62 * count)
    ax = figure.subplots()
    ax.set(xlim=(-0.05, count + 2.0), ylim=(count + 0.02, -0.75))
    ax.axis("off")
    centered(ax, count / 2, -0.42, "what it may see", weight="bold")
    centered(ax, count + 1.4, -0.42, "what it predicts", weight="bold")
    for i in range(count):
        for j, word in enumerate(tgt_in):
            seen = j <= i
            _tile(
                ax,
                j,
                i,
                word if seen else "hidden",
                style.WORDS.get(word, style.MUTED) if seen else COVERED,
            )
        arrow(ax, (count + 0.12, i + 0.5), (count + 0.86, i + 0.5))
        _tile(ax, count + 0.95, i, tgt_out[i], style.WORDS.get(tgt_out[i], style.MUTED))
    edge_x = [0, *(x for step in range(1, count + 1) for x in (step, step))]
    edge_y = [0, *(y for step in range(count) for y in (step, step + 1))]
    ax.plot(edge_x, edge_y, color=style.INK, linewidth=3, solid_joinstyle="miter")
    return figure


COVERED = "#ECECEC"


def _tile(ax: Axes, x: float, y: float, word: str, color: str) -> None:
    area(ax, (x + 0.04, y + 0.08), 0.92, 0.84, color)
    covered = color == COVERED
    centered(
        ax,
        x + 0.5,
        y + 0.5,
        word,
        size=10 if covered else 13,
        color="#9A9A9A" if covered else style.ink_on(color),
    )


@mpl.rc_context(style.PRINT)
def leak_curves(runs: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw how models with and without a causal mask learn -> the figure.

    runs: {"mask": "causal" or "none", "seed", "history": [{"step", "next_word", "right_rows"}]},
    the form of the experiment "masks". Raises ValueError when one of the two kinds is missing.
    """
    if {run["mask"] for run in runs} != {"causal", "none"}:
        raise ValueError('the curves need runs with mask "causal" and runs with mask "none"')
    looks = {
        "causal": ("causal mask", style.RIGHT, "-", "o"),
        "none": ("mask that shows everything", style.WRONG, "--", "s"),
    }
    figure = style.new_figure(style.WIDTH, 4.1)
    panels = {
        "next_word": "next word right,\nafter a right beginning",
        "right_rows": "whole row of digits right,\nwritten alone",
    }
    for ax, (quantity, title) in zip(figure.subplots(1, 2), panels.items(), strict=True):
        for kind, (name, color, line, marker) in looks.items():
            for number, run in enumerate(run for run in runs if run["mask"] == kind):
                steps = [entry["step"] for entry in run["history"]]
                shares = [entry[quantity] for entry in run["history"]]
                ax.plot(
                    steps,
                    shares,
                    line,
                    marker=marker,
                    markersize=4,
                    color=color,
                    linewidth=1.6,
                    label=name if number == 0 else None,
                )
        ax.set_title(title)
        ax.set_xlabel("step of training")
        ax.set_xlim(left=0)
        ax.set_ylim(-0.04, 1.04)
        ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        ax.grid(axis="y")
    figure.axes[0].set_ylabel("share that is right")
    handles, names = figure.axes[0].get_legend_handles_labels()
    each = sum(run["mask"] == "causal" for run in runs)
    names = [f"{name} ({each} runs)" for name in names]
    figure.legend(handles, names, loc="outside lower center", ncols=2, handlelength=2.6)
    return figure


TGT_IN = ["<bos>", "me", "gustan", "los", "árboles"]
TGT_OUT = ["me", "gustan", "los", "árboles", "<eos>"]


def three_masks(tgt_in: Tensor) -> dict[str, Tensor]:
    """Padding mask, causal mask and both together, as squares (t, t), of one row of ids (t,)."""
    length = len(tgt_in)
    padding = padding_mask(tgt_in[None]).expand(1, 1, length, length)[0, 0]
    causal = causal_mask(length)[0, 0]
    return {"padding mask": padding, "causal mask": causal, "both (&)": padding & causal}


@figure(
    "masks-staircase",
    notebook="06_masks",
    caption="Each row sees one word more, and predicts the next one.",
    alt="Five rows of five tiles, like a staircase. In the first row only <bos> can be seen and "
    "the other four tiles are covered; an arrow leads to 'me', which it predicts. In each row "
    "below one tile more is open: <bos> me leads to 'gustan', <bos> me gustan to 'los', <bos> me "
    "gustan los to 'árboles', and all five to <eos>.",
    hero=True,
)
def draw_staircase() -> Figure:
    return staircase(TGT_IN, TGT_OUT)


@figure(
    "masks-three",
    title="Padding is hidden from all, what comes later from each word",
    notebook="06_masks",
    caption="The padding mask, the causal mask, and both together.",
    alt="Three squares with a row and a column for each of '<bos> gracias <pad> <pad> <pad>'. "
    "Padding mask: the first two columns are 1. Causal mask: the lower left triangle with its "
    "diagonal is 1. Both: 1 only where both are, in the first two columns on and below the "
    "diagonal.",
)
def draw_three_masks() -> Figure:
    words = ["<bos>", "gracias", "<pad>", "<pad>", "<pad>"]
    return mask_maps(three_masks(torch.tensor([BOS, 4, PAD, PAD, PAD])), words, words)


@figure(
    "masks-influence",
    title="With the causal mask, a word reaches only itself and later places",
    notebook="06_masks",
    caption="Which outputs change when one target word changes, measured in a random model.",
    alt="Two squares: a row for the output at each word, a column for each word changed. With the "
    "causal mask only the lower left triangle says yes. With a mask that shows everything, each "
    "output changes with each word.",
)
def draw_influence() -> Figure:
    return mask_maps(
        measured_influence(),
        TGT_IN,
        TGT_IN,
        xlabel="when this word is changed",
        ylabel="does the output here change?",
        marks=("no", "yes"),
    )


@figure(
    "masks-leak-curves",
    title="A model whose mask leaks learns faster, and can do nothing",
    notebook="06_masks",
    caption="A model whose mask leaks learns faster and can do nothing: three seeds of each kind.",
    alt="Two panels against the step of training. Left, next word right after a right beginning: "
    "the three models without a mask reach 100 % by step 125, before those with the causal mask. "
    "Right, whole rows written alone: with the causal mask more than 95 % at the end, without it "
    "0 % at every step.",
)
def draw_leak_curves() -> Figure:
    from course import experiments

    return leak_curves(experiments.load("masks")["runs"])
