"""What must not be seen: masks as squares of words, and what a leak does.

Rows are positions, named by the word to be written there; columns are words that are read.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch06_masks.experiments import measured_influence
from course.drawing import style
from course.drawing.arrows import arrow, box, segment
from course.drawing.plots import shares
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import bold, canvas, label, muted
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.text.tokens import BOS, PAD


def _digits(ax: Axes, y: float, digits: Sequence[int], color: str) -> None:
    """A row of digits, or the word "nothing"."""
    for place, digit in enumerate(digits):
        look = {"fill": None, "size": 14, "round": 0.03}
        box(ax, (5.6 + 0.3 * place, y), 0.27, 0.31, str(digit), color, **look)
    if not digits:
        bold(ax, (5.46, y), "nothing", size=14, color=color)


TGT_IN = ["<bos>", "me", "gustan", "los", "árboles"]
TGT_OUT = ["me", "gustan", "los", "árboles", "<eos>"]


@figure(
    "masks-three",
    caption="The padding mask, the causal mask, and both together.",
    alt="""Three squares as an equation: padding mask & causal mask = both. The columns are what
    is read, <bos> gracias and three <pad>; the rows what is to be written, gracias, <eos> and
    three <pad>. Padding mask: the first two columns are filled. Causal mask: the lower left
    triangle with its diagonal is filled. Both, in orange: filled only where both are, in the
    first column and, from the second row on, in the second.""",
    hero=True,
)
def draw_three_masks() -> Figure:
    count, cell, left, gap = 5, 0.435, 0.75, 0.33
    padding = padding_mask(torch.tensor([[BOS, 4, PAD, PAD, PAD]]))[0, 0].expand(count, count)
    causal = causal_mask(count)[0, 0]
    masks = (
        ("padding mask", padding, "padding", ""),
        ("causal mask", causal, "future", "&"),
        ("both", padding & causal, "padding\nand future", "="),
    )
    note = "Each row is a word to write, each column a word that is read. Filled: may be seen"
    title = "The two masks together hide the padding and the future"
    figure, ax = canvas(cell * count + 1.7, title, note)
    top = 0.1 + cell * count
    for place, text in enumerate(["gracias", "<eos>", "<pad>", "<pad>", "<pad>"]):
        label(ax, (left - 0.1, top - cell * (place + 0.5)), text, ha="right")
    for number, (name, given, said, sign) in enumerate(masks):
        x, square = left + number * (cell * count + gap), as_array(given)
        fill, ink = (style.ACCENT, style.ACCENT) if name == "both" else (style.SOFT, style.INK)
        bold(ax, (x, top + 0.65), name, size=12, color=ink)
        for column, text, apart in (
            (0.5, "<bos>", -0.06),
            (1.5, "gracias", 0.01),
            (3.5, "<pad>", 0),
        ):
            middle = x + cell * column
            label(ax, (middle + apart, top + 0.24), text, ha="center")
        half = cell * 1.5 - 0.1  # padding takes three columns
        segment(ax, (middle - half, top + 0.08), (middle + half, top + 0.08), style.SOFT)
        for (row, column), seen in np.ndenumerate(square):
            at = x + cell * (column + 0.5), top - cell * (row + 0.5)
            inside = fill if seen else style.GROUND
            edge = style.PAPER if seen else inside  # what is hidden is one ground, for its name
            look = {"line": 1, "round": 0.03, "zorder": 2 if seen else 1.5}
            box(ax, at, cell, cell, color=edge, fill=inside, **look)
        row, column = np.argwhere(square == 0).mean(axis=0) + 0.5
        muted(ax, (x + cell * column, top - cell * row), said, size=13, ha="center")
        bold(ax, (x - gap / 2, top - cell * count / 2), sign, size=20, ha="center")
    return figure


@figure(
    "masks-influence",
    caption="Which outputs change when one target word changes, measured in a random model.",
    alt="""Two squares: a row for the output that writes each word, a column for each word read.
    With the causal mask only the lower left triangle is filled, and in the column of 'los', in
    orange, 2 of 5: the outputs that write 'árboles' and <eos> change. Without a mask all is
    filled: 5 of 5 change.""",
)
def draw_influence() -> Figure:
    wide, high, low = 0.6, 0.46, 0.42
    count, lit = len(TGT_IN), TGT_IN.index("los")
    note = (
        "Each row is a word to write, each column a word that is read. Filled: the output changes"
    )
    title = "With the causal mask, changing a word changes only what is written after it"
    figure, ax = canvas(low + high * count + 1.95, title, note)
    top = low + high * count
    places = (0.78, "with the causal mask"), (4.92, "without a mask")
    for (left, name), given in zip(places, measured_influence().values(), strict=True):
        square = as_array(given)
        for (row, column), yes in np.ndenumerate(square):
            fill = (style.ACCENT if column == lit else style.SOFT) if yes else style.GROUND
            look = {"color": style.PAPER, "line": 1.5, "round": 0.03, "fill": fill}
            box(ax, (left + wide * (column + 0.5), top - high * (row + 0.5)), wide, high, **look)
        bold(ax, (left, top + 1.05), name, size=12)
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
    alt="""Left, how often the next word is right, against the training step: with a leaking mask
    100% by step 100, before those with the causal mask. Right, what they write on their own when
    they read 7 2 4 4 9 0: with the causal mask all 3 models write 0 9 4 4 2 7, and of all rows
    99% are right; with the leaking mask 2 models write nothing and 1 model 9 9 9, and 0% are
    right.""",
)
def draw_leak_curves() -> Figure:
    runs, reads = (experiments.load("masks")[key] for key in ("runs", "reads"))
    note = "Small models that learn to write digits backwards: averages of three models per mask"
    title = "With a leaking mask, scores rise faster, but the models write no row right"
    figure, ax = canvas(4.3, title, note)
    bold(ax, (0.02, 3.4), "Next word right, given the beginning", size=12)
    bold(ax, (4.3, 3.4), "What they write on their own", size=12)
    label(ax, (4.3, 2.85), "they read", size=style.LABEL)
    _digits(ax, 2.85, reads, style.MUTED)
    left = figure.add_axes((0.075, 0.15, 0.4, 0.57))
    for mask, name, color, y, at in (
        ("causal", "causal mask", style.MUTED, 2.1, (112, 0.81)),
        ("none", "leaking mask", style.ACCENT, 1.35, (100, 1.06)),
    ):
        own = [run for run in runs if run["mask"] == mask]
        found = np.array([[entry["next_word"] for entry in run["history"]] for run in own])
        steps = [entry["step"] for entry in own[0]["history"]]
        left.plot(steps, found.mean(0), color=color, linewidth=3)
        bold(left, at, name, color=color)
        bold(ax, (4.3, y), name, color=color)
        right = np.mean([run["history"][-1]["right_rows"] for run in own])
        bold(ax, (4.3, y - 0.3), f"{right:.0%} right", size=14, color=color)
        for row, (digits, times) in enumerate(Counter(tuple(run["writes"]) for run in own).items()):
            _digits(ax, y - 0.75 * row, digits, color)
            said = {3: "3 models", 2: "2 models", 1: "1 model"}[times]
            muted(ax, (7.38, y - 0.75 * row), said)
    left.set(xlabel="training step", xlim=(0, 305), xticks=range(0, 301, 100))
    shares(left.yaxis)
    left.set_ylim(0, 1.12)
    return figure
