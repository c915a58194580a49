"""Drawings of the whole Transformer: opened step by step, in numbers, and beside its rivals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import matplotlib as mpl
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from course.chapters.ch09_whole_transformer.experiments import (
    TABLE_3,
    WIDTH,
    all_rounds,
    common_vocabulary,
    costs,
    on_paper,
    parts,
    possible_vocabulary,
    waiting,
)
from course.drawing import style
from course.drawing.architecture import LAYOUT, architecture
from course.drawing.registry import figure
from course.drawing.shapes import (
    area,
    arrow,
    box,
    canvas,
    centered,
    label,
    look,
    matrix,
    name_lines,
    outline,
    path,
    percent,
    scale,
    width_of,
    word,
)
from course.drawing.values import as_array
from transformer_lib.interpret.recording import record_outputs
from transformer_lib.model.config import BASE, BIG
from transformer_lib.text.batching import make_batch
from transformer_lib.text.tokens import BOS, EOS, SPECIALS
from transformer_lib.translator import Translator

TALL = 0.56  # height of a box; all lengths in inches


def block(
    ax: Axes,
    x: float,
    y: float,
    text: str,
    *,
    width: float = 1.0,
    height: float = TALL,
    color: str = style.INK,
    marked: bool = False,
    size: float = 11,
) -> None:
    """A box around (x, y) with its label; a marked one is filled."""
    fill = style.INK if marked else style.PAPER
    box(ax, (x, y), width, height, text, color, fill=fill, size=size, line=1.6)


def words(ax: Axes, x: float, y: float, said: str, **look: Any) -> None:
    look = {"ha": "center", "va": "center", "fontsize": 10.5, "linespacing": 1.05} | look
    ax.text(x, y, said, **look)


def heading(ax: Axes, x: float, y: float, said: str) -> None:
    words(ax, x, y, said, ha="left", va="baseline", fontsize=13, weight="bold")


# --- five zoom levels ----------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def zoom_levels(N: int = 6) -> Figure:
    """Draw the Transformer five times, from a closed box to one attention -> the figure.

    What is filled in one drawing is opened in the next. N: layers on each side.
    """
    figure, ax = canvas(style.WIDTH, 10.5)
    label(
        ax,
        (0.15, 10.2),
        "Open the box, and again what is filled in it",
        size=15,
        weight="bold",
    )
    _black_box(ax)
    _two_halves(ax)
    _stacks(ax, N)
    _sublayers(ax)
    _one_attention(ax)
    return figure


def _black_box(ax: Axes) -> None:
    heading(ax, 0.15, 9.6, "1  A closed box")
    y = 8.85
    words(ax, 0.42, y, "I like\ntrees", style="italic", fontsize=12)
    block(ax, 1.6, y, "Transformer", width=1.2, height=0.8, marked=True, size=12)
    words(ax, 2.92, y, "Me gustan\nlos árboles", style="italic", fontsize=12)
    arrow(ax, (0.75, y), (1.0, y))
    arrow(ax, (2.2, y), (2.43, y))


def _two_halves(ax: Axes) -> None:
    heading(ax, 3.75, 9.6, "2  A reader and a writer")
    y = 8.85
    words(ax, 4.0, y, "I like\ntrees", style="italic", fontsize=12)
    block(ax, 4.92, y, "encoder", width=0.82, height=0.8, color=style.ENCODER, marked=True, size=12)
    block(ax, 6.5, y, "decoder", width=0.82, height=0.8, color=style.DECODER, marked=True, size=12)
    words(ax, 7.52, y, "Me gustan\nlos árboles", style="italic", fontsize=12)
    words(ax, 5.7, y + 0.16, "memory", fontsize=11)
    words(ax, 6.5, y - 0.85, "the words so far", style="italic", fontsize=12)
    for start, end in [
        ((4.3, y), (4.51, y)),
        ((5.33, y), (6.09, y)),
        ((6.91, y), (7.06, y)),
        ((6.5, y - 0.72), (6.5, y - 0.4)),
    ]:
        arrow(ax, start, end)


def _stacks(ax: Axes, N: int) -> None:
    heading(ax, 0.15, 7.6, f"3  {N} layers that read, {N} that write")
    step = 6.7 / N
    wide = 0.62 * step
    above, below, between = 7.05, 5.75, 6.42
    places = [0.5 + step * (i + 0.5) for i in range(N)]
    for i, x in enumerate(places):
        last = i == N - 1
        block(ax, x, above, str(i), width=wide, color=style.ENCODER, marked=last, size=12)
        block(ax, x, below, str(i), width=wide, color=style.DECODER, marked=last, size=12)
        for y in (above, below):
            arrow(ax, (x - step + wide / 2 if i else 0.2, y), (x - wide / 2, y))
        arrow(ax, (x, between), (x, below + TALL / 2))
    end = places[-1] + wide / 2
    path(
        ax,
        [(end, above), (end + 0.4, above), (end + 0.4, between), (places[0], between)],
        head=False,
    )
    arrow(ax, (end, below), (end + 0.4, below))
    words(ax, end + 0.46, above + 0.16, "memory", ha="center", fontsize=11)
    words(ax, 0.5, 5.25, "Each decoder layer gets the same memory.", ha="left", fontsize=11.5)


def _sublayers(ax: Axes) -> None:
    heading(ax, 0.15, 4.75, "4  What is in a layer")
    above, below = 4.2, 2.95
    rows = {
        above: (style.ENCODER, {1.9: "self-attention", 5.9: "feed-forward"}),
        below: (
            style.DECODER,
            {1.9: "self-attention", 3.9: "cross-attention", 5.9: "feed-forward"},
        ),
    }
    for y, (color, boxes) in rows.items():
        box(
            ax,
            (3.9, y),
            6.2,
            0.84,
            color=color,
            fill=style.TINTS[color],
            line=1.0,
            zorder=0,
            round=0.1,
        )
        end = 0.3
        for x, part in boxes.items():
            arrow(ax, (end, y), (x - 0.72, y))
            block(
                ax, x, y, part, width=1.44, color=color, marked=part.endswith("attention"), size=12
            )
            end = x + 0.72
        if y == below:
            arrow(ax, (end, y), (7.4, y))
    words(ax, 7.35, above + 0.18, "memory", fontsize=11)
    path(ax, [(6.62, above), (7.6, above), (7.6, 3.58), (3.9, 3.58), (3.9, below + TALL / 2)])
    words(ax, 0.8, 2.38, "Around each box: add & norm.", ha="left", fontsize=11.5)


def _one_attention(ax: Axes) -> None:
    heading(ax, 0.15, 1.98, "5  One attention: queries Q find keys K, and mix their values V")
    rows = {
        1.55: ("$Q$", "linear $W^Q$"),
        0.95: ("$K$", "linear $W^K$"),
        0.3: ("$V$", "linear $W^V$"),
    }
    for y, (name, product) in rows.items():
        words(ax, 0.2, y, name, fontsize=12)
        arrow(ax, (0.32, y), (0.45, y))
        block(ax, 0.97, y, product, width=1.04, height=0.44, size=11)
    steps = {
        2.35: ("dot products\n$QK^T$", 1.14),
        3.5: (r"$\div\ \sqrt{d_k}$", 0.72),
        4.42: ("mask,\nsoftmax", 0.8),
        5.4: ("mix the\nvalues", 0.8),
        6.42: ("all heads\nin a row", 0.9),
        7.42: ("linear\n$W^O$", 0.72),
    }
    middle, end = 1.25, 0.0
    for x, (step, wide) in steps.items():
        if end:
            arrow(ax, (end, middle), (x - wide / 2, middle))
        block(ax, x, middle, step, width=wide, height=0.6, size=11)
        end = x + wide / 2
    arrow(ax, (1.49, 1.55), (1.78, 1.35))
    arrow(ax, (1.49, 0.95), (1.78, 1.15))
    path(ax, [(1.49, 0.3), (5.4, 0.3), (5.4, middle - 0.3)])
    ax.add_patch(
        FancyBboxPatch(
            (1.66, 0.72),
            4.22,
            1.02,
            facecolor="none",
            linestyle=(0, (3, 2)),
            edgecolor=style.MUTED,
            zorder=0,
            boxstyle="round,pad=0,rounding_size=0.1",
        )
    )
    words(ax, 4.3, 0.56, "in each head", color=style.MUTED, fontsize=11.5)
    words(
        ax,
        7.85,
        0.36,
        "$W$: learned numbers\n$d_k$: the length of a key",
        ha="right",
        fontsize=11,
        linespacing=1.3,
    )


# --- the paper's Figure 2 ------------------------------------------------------------------------


class CodeBox(NamedTuple):
    """A box of the paper's Figure 2, and the pieces of the library that do its work."""

    box: str
    code: tuple[str, ...]


SCALED_DOT_PRODUCT = (
    CodeBox("MatMul", ("query @ key.transpose(-2, -1)",)),
    CodeBox("Scale", ("/ math.sqrt(d_k)",)),
    CodeBox("Mask (opt.)", ("scores.masked_fill(~mask, ",)),
    CodeBox("SoftMax", (".softmax(dim=-1)",)),
    CodeBox("MatMul", ("attention_weights(query, key, mask) @ value",)),
)
MULTI_HEAD = (
    CodeBox("Linear, 3 ×", ("self.w_q(query)", "self.w_k(key)", "self.w_v(value)")),
    CodeBox("into h heads", ("self.split_heads(",)),
    CodeBox("Scaled Dot-Product\nAttention, h ×", ("attention(q, k, v, mask)",)),
    CodeBox("Concat", ("self.merge_heads(",)),
    CodeBox("Linear", ("self.w_o(",)),
)


@mpl.rc_context(style.PRINT)
def figure_two() -> Figure:
    """Draw both diagrams of the paper's Figure 2, each box with the code that does it."""
    figure, ax = canvas(style.WIDTH, 10.0)
    heading(ax, 0.2, 9.7, "Scaled dot-product attention")
    heading(ax, 0.2, 4.75, "Multi-head attention")
    first, second = ([low + 0.84 * i for i in range(5)] for low in (5.9, 0.85))
    _diagram(ax, SCALED_DOT_PRODUCT, first, {1.6: "Q", 2.2: "K"}, width=1.5)
    words(ax, 0.5, 5.32, "V", fontsize=13)  # it comes in at the last step
    path(ax, [(0.5, 5.48), (0.5, first[-1]), (1.15, first[-1])])
    _diagram(ax, MULTI_HEAD, second, {1.4: "V", 1.9: "K", 2.4: "Q"}, width=2.2, several=(1, 2))
    return figure


def _diagram(
    ax: Axes,
    steps: Sequence[CodeBox],
    ys: Sequence[float],
    inputs: Mapping[float, str],
    *,
    width: float,
    several: Sequence[int] = (),
) -> None:
    """Boxes from the bottom up; into those in `several` go as many arrows as there are inputs."""
    for x, name in inputs.items():
        words(ax, x, ys[0] - 0.58, name, fontsize=13)
        arrow(ax, (x, ys[0] - 0.42), (x, ys[0] - TALL / 2))
    for i, (step, y) in enumerate(zip(steps, ys, strict=True)):
        _step(ax, 1.9, y, step, width=width, behind=2 if i in several else 0)
        for x in (inputs if i in several else (1.9,)) if i else ():
            arrow(ax, (x, ys[i - 1] + TALL / 2), (x, y - TALL / 2))


def _step(ax: Axes, x: float, y: float, step: CodeBox, *, width: float, behind: int = 0) -> None:
    for back in range(behind, 0, -1):
        block(ax, x + 0.07 * back, y + 0.07 * back, "", width=width)
    block(ax, x, y, step.box, width=width)
    code = "\n".join(map(_shortened, step.code))
    words(ax, 3.35, y, code, ha="left", family="Course Mono", fontsize=11)


def _shortened(code: str) -> str:
    """Closes what the piece leaves open: self.w_o( -> self.w_o(…)"""
    return code + "…)" if code.count("(") > code.count(")") else code


# --- from the outside in -------------------------------------------------------------------------

GROWTH = (
    ("a stack of\nfeed-forward", ("feed-\nforward",), ("feed-\nforward",)),
    ("+ source\nattention", ("source", "feed-\nforward"), ("source",)),
    ("+ self-\nattention", ("self", "source", "feed-\nforward"), ("self",)),
    ("+ many\nheads", ("self", "source", "feed-\nforward"), ("heads",)),
    ("+ residual", ("self", "+", "source", "+", "feed-\nforward", "+"), ("+",)),
    (
        "+ norm",
        ("self", "+", "norm", "source", "+", "norm", "feed-\nforward", "+", "norm"),
        ("norm",),
    ),
)


@mpl.rc_context(style.PRINT)
def outside_in() -> Figure:
    """Draw how a decoder layer grows, one row for each step; what is new is filled."""
    figure, ax = canvas(style.WIDTH, 6.3)
    for number, (title, content, new) in enumerate(GROWTH):
        y = 5.6 - 1.0 * number
        heading(ax, 0.1, y - 0.05, str(number))
        words(ax, 0.35, y, title, ha="left", fontsize=11.5)
        _grown(ax, y, content, new, heads=number > 2)
    return figure


def _grown(ax: Axes, y: float, parts: Sequence[str], new: Sequence[str], heads: bool) -> None:
    places = {"self": 2.25, "source": 4.36, "feed-\nforward": 6.47}
    end, inner = 1.55, 0.0
    for part in parts:
        wide = {"+": 0.26, "norm": 0.5}.get(part, 0.74)
        x = places.get(part, end + 0.14 + wide / 2)
        arrow(ax, (end, y), (x - wide / 2, y))
        if part in places:
            inner = x - wide / 2 - 0.1
        shadows = heads and part in ("self", "source")
        for back in (2, 1) if shadows else ():
            block(
                ax,
                x + 0.07 * back,
                y + 0.07 * back,
                "",
                width=wide,
                color=style.DECODER,
                marked="heads" in new,
            )
        tall = 0.26 if part == "+" else TALL
        block(ax, x, y, part, width=wide, height=tall, color=style.DECODER, marked=part in new)
        if part == "+":
            path(ax, [(inner, y), (inner, y + 0.47), (x, y + 0.47), (x, y + 0.13)])
        end = x + wide / 2 + (0.14 if shadows else 0)
    arrow(ax, (end, y), (7.98, y))


# --- parameters ----------------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def parameter_bars(models: Mapping[str, Mapping[str, int]]) -> Figure:
    """Draw how many parameters each part of some models has -> the figure.

    models: name -> part -> number; all models have the same parts. Raises ValueError otherwise.
    """
    names = list(next(iter(models.values())))
    for name, counts in models.items():
        if list(counts) != names:
            raise ValueError(
                f"{name!r} has the parts {', '.join(counts)}; the first model has "
                f"{', '.join(names)}"
            )
    figure = style.new_figure(style.WIDTH, 0.75 * len(models) + 1.8)
    ax = figure.subplots()
    longest = max(sum(parts.values()) for parts in models.values())
    for part, color in zip(names, style.CATEGORIES, strict=False):
        starts = [
            sum(parts[other] for other in names[: names.index(part)]) for parts in models.values()
        ]
        numbers = [parts[part] for parts in models.values()]
        ax.barh(
            range(len(models)),
            [n / 1e6 for n in numbers],
            left=[n / 1e6 for n in starts],
            color=color,
            label=part,
            height=0.62,
            edgecolor=style.PAPER,
        )
        for row, (start, number) in enumerate(zip(starts, numbers, strict=True)):
            if number > 0.06 * longest:
                centered(
                    ax,
                    (start + number / 2) / 1e6,
                    row,
                    f"{number / 1e6:.1f}",
                    size=11,
                    color=style.ink_on(color),
                )
    for row, counts in enumerate(models.values()):
        total = sum(counts.values()) / 1e6
        ax.text(total + longest / 1e8, row, f"{total:.1f} M", va="center", weight="bold")
    ax.set_yticks(range(len(models)), list(models))
    ax.tick_params(length=0)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.2 * longest / 1e6)
    ax.set_xlabel("million parameters")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


@mpl.rc_context(style.PRINT)
def vocabulary_ranges(
    ranges: Mapping[str, tuple[float, float]], common: tuple[float, float], said: float
) -> Figure:
    """Draw which sizes of a vocabulary are possible, a bar for each row of a table -> the figure.

    ranges: row -> the smallest and the largest size. common: what most rows allow, drawn as a band.
    said: the size that the text gives.
    """
    figure = style.new_figure(style.WIDTH, 0.36 * len(ranges) + 2.0)
    ax = figure.subplots()
    for row, (low, high) in enumerate(ranges.values()):
        ax.barh(row, (high - low) / 1e3, left=low / 1e3, color=style.CATEGORIES[0], height=0.6)
    ax.axvspan(common[0] / 1e3, common[1] / 1e3, color=style.CATEGORIES[1], alpha=0.6, zorder=0)
    ax.axvline(said / 1e3, color=style.INK, linestyle="--")
    ax.annotate(
        f"the paper's text:\nabout {said:,.0f}",
        (said / 1e3, -1.25),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        fontsize=11,
    )
    ax.annotate(
        f"{common[0]:,.0f} to {common[1]:,.0f}",
        (common[1] / 1e3, -1.25),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        fontsize=11,
    )
    names = [
        row.replace("d_model", r"$d_\mathrm{model}$").replace("d_ff", r"$d_\mathrm{ff}$")
        for row in ranges
    ]
    ax.set_yticks(range(len(ranges)), names)
    ax.set_ylabel("row of Table 3")
    ax.set_title(
        "A bar: all sizes that give the number of parameters printed in its row",
        loc="right",
        fontsize=11.5,
    )
    ax.set_ylim(len(ranges) - 0.4, -2.1)
    ax.set_xlim(left=min(low for low, _ in ranges.values()) / 1e3 - 0.5)
    ax.tick_params(length=0)
    ax.grid(axis="x")
    ax.set_axisbelow(True)
    ax.set_xlabel("words in the shared vocabulary, in thousands")
    return figure


# --- one sentence --------------------------------------------------------------------------------


class Station(NamedTuple):
    """Where a sentence is on its way: the name of the place, and the vectors (s, d) there."""

    name: str
    vectors: Any


@mpl.rc_context(style.PRINT)
def sentence_path(
    rows: Sequence[tuple[Sequence[str], Sequence[Station]]], answers: Sequence[tuple[str, float]]
) -> Figure:
    """Draw the vectors of a sentence at each station of its way -> the figure.

    rows: (words, stations) for the encoder and for the decoder. answers: at each place of the
    decoder the most probable word and its probability, drawn at the end of the second row.
    Raises ValueError when vectors don't fit the words.
    """
    step, between = 0.33, 1.0
    tall = [step * len(tokens) for tokens, _ in rows]
    figure, ax = canvas(style.WIDTH, sum(tall) + between * len(rows) + 1.0)
    y = sum(tall) + between * len(rows) + 0.95
    label(
        ax,
        (0.15, y - 0.2),
        "Each word is a vector all the way, until the next word is chosen",
        size=14,
        weight="bold",
    )
    left, wide, gap = 1.1, 1.18, 0.13
    ends = []  # where each half has its last vectors: x, y
    halves = (("encoder", style.ENCODER), ("decoder", style.DECODER))
    for (tokens, stations), (name, color) in zip(rows, halves, strict=True):
        tint = style.TINTS[color]
        y -= between
        high = step * len(tokens)
        right = left + len(stations) * (wide + gap)
        box(
            ax,
            (0.1 + (right - 0.05) / 2, y - high - 0.08 + (high + 0.52) / 2),
            right - 0.05,
            high + 0.52,
            color=color,
            fill=tint,
            line=1.2,
            zorder=0,
            round=0.1,
        )
        label(ax, (0.2, y + 0.24), name, size=12, weight="bold", color=color)
        for column, (said, vectors) in enumerate(stations):
            table = as_array(vectors)
            if table.ndim != 2 or len(table) != len(tokens):
                raise ValueError(
                    f"{said!r}: {len(tokens)} words need vectors of the shape "
                    f"({len(tokens)}, d), but theirs is {table.shape}"
                )
            x = left + column * (wide + gap)
            label(ax, (x + wide / 2, y + 0.24), said, size=10.5, ha="center")
            matrix(ax, (x, y - high), wide, high, table[:, :DRAWN], limit=3, edge="none")
            for row in range(len(tokens) + 1):  # words apart
                low = y - step * row - 0.045
                area(ax, (x - 0.01, low), wide + 0.02, 0.09, tint, zorder=2.5)
                if row:
                    outline(ax, (x, low + 0.09), wide, step - 0.09)
        for row, text in enumerate(tokens):
            word(ax, (left - 0.1, y - step * (row + 0.5)), text, size=12, ha="right")
        ends.append((right, y - high / 2))
        y -= high
    _memory_down(ax, *ends)
    x, y = ends[-1][0] + 0.14, y + step * len(answers)
    label(ax, (x, y + 0.24), "next word", size=10.5)
    for row, (text, chance) in enumerate(answers):
        middle = y - step * (row + 0.5)
        word(ax, (x, middle), text, size=12, ha="left")
        label(ax, (style.WIDTH - 0.08, middle), percent(chance), size=10.5, ha="right")
    widest = max(as_array(one.vectors).shape[1] for _, stations in rows for one in stations)
    part = f"the first {DRAWN} of {widest} numbers" if widest > DRAWN else "the numbers"
    scale(ax, (3.1, 0.14), 1.6, limit=3, name=f"{part} of each vector", height=0.12)
    return figure


DRAWN = 16  # numbers of a vector that are drawn; more would be a bar code


def _memory_down(ax: Axes, encoder: tuple[float, float], decoder: tuple[float, float]) -> None:
    """From the last vectors of the encoder down to the decoder, with a name."""
    (x, y), middle = encoder, encoder[0] + 0.7
    label(
        ax,
        (middle + 0.03, y + 0.3),
        "the memory",
        size=12,
        weight="bold",
        ha="center",
        color=style.ENCODER,
    )
    label(ax, (middle, y - 0.6), "both layers of\nthe decoder\nread it", size=10, ha="center")
    look(ax, (x - 0.02, y), (middle, y), 0.7, style.ENCODER, head=False)
    look(ax, (middle, y), (middle, y - 0.3), 0.7, style.ENCODER)


# --- beside its rivals ---------------------------------------------------------------------------

RIVALS = ("self-attention", "recurrent", "convolution", "restricted", "with gaps")
OF_RIVAL = dict(zip(RIVALS, style.CATEGORIES, strict=False))  # one color for one kind of layer
SEES = {  # what a word is made from, in words, and of nine words which
    "self-attention": ("a word looks\nat all words", range(9)),
    "recurrent": ("a word waits for\nthe one before it", range(9)),
    "convolution": ("5 neighbors; their\nplace decides", range(4, 9)),
    "restricted": ("5 neighbors; their\nmeaning decides", range(4, 9)),
    "with gaps": ("convolution with\ngaps in between", range(0, 9, 2)),
}


@mpl.rc_context(style.PRINT)
def cost_and_path(
    lengths: Sequence[int],
    costs: Mapping[str, Sequence[int]],
    places: Sequence[int],
    waiting: Mapping[str, Sequence[int]],
    rounds: Mapping[str, Sequence[int]],
    d_model: int,
) -> Figure:
    """Draw what a layer costs, how long it waits, how far news travels: Table 1 -> the figure.

    lengths, costs: multiplications for sentences of each length, a curve for each kind of layer.
    places, waiting, rounds: steps for sentences of each length. d_model: where costs meet.
    Raises ValueError when a curve has another number of points than there are lengths.
    """
    figure, page = canvas(style.WIDTH, 6.3)
    label(
        page,
        (0.2, 6.02),
        "Self-attention never waits and reaches each word in one layer.",
        size=14,
        weight="bold",
    )
    label(
        page,
        (0.2, 5.68),
        f"{d_model} numbers wide, it costs more than a recurrent layer only beyond "
        f"{d_model} words.",
        size=12,
    )
    _rivals(page, [name for name in RIVALS if any(name in some for some in (costs, rounds))])
    panels = [
        figure.add_axes((left / 8, 0.65 / 6.3, 1.2 / 8, 2.0 / 6.3)) for left in (0.45, 3.05, 5.65)
    ]
    drawn = [
        (lengths, costs, 1e6, "Cost", "multiplications, in millions"),
        (places, waiting, 1, "Waiting", "steps one after another"),
        (places, rounds, 1, "Path", "layers from first to last word"),
    ]
    for ax, (xs, curves, unit, title, quantity) in zip(panels, drawn, strict=True):
        for name, numbers in curves.items():
            if len(numbers) != len(xs):
                raise ValueError(f"{name!r} has {len(numbers)} points for {len(xs)} lengths")
            stairs = 1 < len(set(numbers)) < len(xs)
            ax.plot(
                xs,
                [n / unit for n in numbers],
                label=name,
                color=OF_RIVAL[name],
                linewidth=2.6,
                drawstyle="steps-mid" if stairs else "default",
            )
        ax.set_title(title, loc="left", pad=24)
        ax.text(0, 1.05, quantity, transform=ax.transAxes, fontsize=10)
        ax.set_xlim(left=0, right=xs[-1])
        ax.set_xticks([0, xs[-1] / 2, xs[-1]])
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_ylim(bottom=0)
        ax.set_xlabel("words in the sentence", fontsize=10)
        ax.tick_params(labelsize=10.5)
        _names_at_the_ends(ax, curves, unit)
    panels[0].axvline(d_model, color=style.MUTED, linewidth=1.0, linestyle=":")
    panels[0].annotate(
        f"{d_model} words",
        (d_model, panels[0].get_ylim()[1]),
        xytext=(4, -4),
        textcoords="offset points",
        va="top",
        fontsize=10,
    )
    return figure


def _rivals(ax: Axes, names: Sequence[str]) -> None:
    """For each kind of layer: which words of the layer below the last word is made from."""
    count, step = 9, 0.145
    for column, name in enumerate(names):
        color, (said, seen) = OF_RIVAL[name], SEES[name]
        left, each = 0.26 + 1.56 * column, name == "recurrent"
        low = [(left + step * i, 4.2) for i in range(count)]
        top = [(x, 4.92) for x, _ in low]
        for i, (start, end) in enumerate(zip(low, top, strict=True)):
            ax.add_patch(Circle(start, 0.036, color=style.MUTED, linewidth=0, zorder=3))
            if each or i == count - 1:
                ax.add_patch(Circle(end, 0.046, color=color, linewidth=0, zorder=3))
            if i in seen:
                path(ax, [start, end if each else top[-1]], color, head=False)
            if each and i:
                look(ax, top[i - 1], (top[i][0] - 0.03, top[i][1]), 0.3, color)
        label(ax, (left - 0.05, 5.22), name, size=11, weight="bold", color=color)
        label(ax, (left - 0.05, 3.85), said, size=10, va="center")


def _names_at_the_ends(ax: Axes, curves: Mapping[str, Sequence[int]], unit: float) -> None:
    """Each curve's name at its end, those of one and the same curve under each other."""
    top = ax.get_ylim()[1]
    line_tall, taken = 0.062 * top, -top
    same: dict[tuple[float, ...], list[str]] = {}
    for name, numbers in curves.items():
        same.setdefault(tuple(numbers), []).append(name)
    for numbers in sorted(same, key=lambda one: one[-1]):
        for name in reversed(same[numbers]):
            y = max(numbers[-1] / unit, taken + line_tall)
            ax.annotate(
                name,
                (ax.get_xlim()[1], y),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                fontsize=10,
                weight="bold",
                color=OF_RIVAL[name],
                annotation_clip=False,
            )
            taken = y


# --- the picture to remember ---------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def whole_machine(source: Sequence[str], target: Sequence[str], N: int = 6) -> Figure:
    """Draw reader and writer with the memory between them: the whole machine at a glance.

    source, target: the words, each in the color of `style.WORDS`. N: layers on each side.
    """
    figure, ax = canvas(style.WIDTH, 6.0)
    label(
        ax,
        (0.2, 5.72),
        "The source is read once; the target is written word by word",
        size=15,
        weight="bold",
    )
    left, right, low, high = 1.5, 5.9, 1.25, 4.15
    step = (high - low) / N
    for x, color, name in [(left, style.ENCODER, "encoder"), (right, style.DECODER, "decoder")]:
        for i in range(N):
            box(
                ax,
                (x, low + (i + 0.5) * step),
                2.1,
                step - 0.08,
                fill=color,
                line=0,
                zorder=1,
                round=0.06,
            )
        for i, said in [(N // 2, name), (N // 2 - 1, f"{N} layers")]:
            words(
                ax,
                x,
                low + (i + 0.5) * step - 0.01,
                said,
                color=style.PAPER,
                fontsize=15,
                weight="bold",
            )
    for x, said in [(left, source), (right, target)]:
        _spread(ax, x, 0.55, said[:-1] if said is target else said)
        arrow(ax, (x, 0.8), (x, low))
    memory = (left + right) / 2 - 0.1
    for i, text in enumerate(source):
        box(
            ax,
            (memory - 0.345 + 0.24 * i, 4.81),
            0.15,
            0.62,
            fill=style.WORDS[text],
            line=0,
            zorder=1,
            round=0.04,
        )
    path(ax, [(left, high), (left, 4.81), (memory - 0.55, 4.81)])
    words(ax, memory, 5.27, "memory: a vector for each word", fontsize=12)
    for i in range(N):
        y = low + (i + 0.5) * step
        arrow(ax, (memory, y), (right - 1.05, y))
    path(ax, [(memory, 4.42), (memory, low + 0.5 * step)], head=False)
    arrow(ax, (right, high), (right, 4.58))
    words(ax, right, 4.81, target[-1], fontsize=17, weight="bold", color=style.WORDS[target[-1]])
    lane = style.WIDTH - 0.6
    path(ax, [(right + 0.7, 4.81), (lane, 4.81), (lane, 0.55), (right + 1.45, 0.55)])
    words(ax, lane + 0.08, 2.7, "each\nword\ncomes\nback", ha="left", fontsize=12)
    return figure


def _spread(ax: Axes, x: float, y: float, said: Sequence[str]) -> None:
    """Words in a row around x, each in its color."""
    widths = [width_of(text, 14) + 0.2 for text in said]
    at = x - sum(widths) / 2
    for text, width in zip(said, widths, strict=True):
        words(
            ax,
            at + width / 2,
            y - 0.08,
            text,
            fontsize=14,
            weight="bold",
            va="baseline",
            color=style.WORDS[text],
        )
        at += width


@dataclass(frozen=True)
class Panel:
    """One quantity: its unit, a number for each length by name of the curve, where it doubles."""

    unit: str
    curves: Mapping[str, Sequence[float]]
    doubled: Mapping[str, float | None]


LINES = ("-", "--", "-.", ":")


def doubling(ax: Axes, lengths: Sequence[int]) -> None:
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    ax.set_xticks(lengths, [f"{length:,}" for length in lengths], fontsize=10)
    ax.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    ax.minorticks_off()
    ax.grid()
    ax.set_xlabel("words in a sentence")


@mpl.rc_context(style.PRINT)
def step_lines(lengths: Sequence[int], panels: Mapping[str, Panel]) -> Figure:
    """Draw curves against the length of the sentences -> the figure, a panel for each title.

    Both axes double from line to line. A thin line leads from where a curve is twice its first
    number down to that length. Raises ValueError for a curve without a number for each length.
    """
    figure = style.new_figure(style.WIDTH, 4.6)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for ax, (title, panel) in zip(axes, panels.items(), strict=True):
        doubling(ax, lengths)
        for (name, values), color, dashes, mark in zip(
            panel.curves.items(), style.CATEGORIES, LINES, "os^D", strict=False
        ):
            if len(values) != len(lengths):
                raise ValueError(f"{name!r} has {len(values)} numbers for {len(lengths)} lengths")
            ax.plot(
                lengths,
                values,
                dashes,
                marker=mark,
                color=color,
                linewidth=2.6,
                markersize=7,
                label=name,
            )
            at = panel.doubled[name]
            if at is not None:
                ax.plot([at, at], [0, 2 * values[0]], color=color, linewidth=1.4, linestyle=":")
                first = color == style.CATEGORIES[0]  # its number left of the line, others' right
                ax.annotate(
                    f"{at:.0f}",
                    (at, 2 * values[0]),
                    xytext=(-8, 2) if first else (8, -16),
                    textcoords="offset points",
                    ha="right" if first else "left",
                    weight="bold",
                )
        ax.set_title(title, fontsize=style.FONT_SIZE)
        ax.set_ylabel(panel.unit)
        ax.yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}")
    figure.supxlabel(
        f"dotted: twice as much as with {lengths[0]} words", fontsize=style.FONT_SIZE - 1
    )
    name_lines(axes[-1])
    return figure


@figure(
    "architecture",
    notebook="09_the_whole_transformer",
    caption="The whole Transformer: the source is read on the left, the target is "
    "written on the right.",
    alt=f"{LAYOUT} Encoder layer: self-attention and feed-forward, each followed by add and norm. "
    "The decoder layer has cross-attention in between; the memory, a vector for each word from the "
    "encoder's end, goes to each layer, which makes its own keys and values from it. The decoder's "
    "self-attention has a causal and a padding mask. At the end come linear and softmax.",
)
def draw_architecture() -> Figure:
    return architecture(title="Left: the encoder reads.\nRight: the decoder writes\nthe next word.")


NOTEBOOK = "09_the_whole_transformer"
SENTENCE = "I like trees"
WORDS = 37_000  # "about 37000 tokens", section 5.1
LENGTHS = range(16, 257, 16)
PLACES = range(2, 33)


# --- the figures ---------------------------------------------------------------------------------


@figure(
    "whole-zoom",
    notebook=NOTEBOOK,
    caption="Five looks at the Transformer: what is filled in one drawing is opened in the next.",
    alt="Five drawings. 1: a filled box turns 'I like trees' into 'Me gustan los árboles'. 2: "
    "the encoder hands a memory to the decoder, which also gets the words so far. 3: six encoder "
    "layers in a row, six decoder layers in a row, and the memory goes to each decoder layer. 4: "
    "an encoder layer is self-attention and feed-forward, a decoder layer has cross-attention in "
    "between. 5: an attention is three linear layers, dot products, scale, mask and softmax, a mix "
    "of values, the heads in a row and a last linear layer.",
)
def draw_zoom() -> Figure:
    return zoom_levels()


@figure(
    "whole-figure-2",
    notebook=NOTEBOOK,
    caption="The two diagrams of the paper's Figure 2, each box with the code that does its work.",
    alt="Two columns of boxes, read from the bottom. On the left: MatMul of Q and K, Scale, Mask, "
    "SoftMax and a MatMul with V. On the right: three Linear, a cut into h heads, Scaled "
    "Dot-Product Attention h times, Concat, Linear. Beside each box is a piece of code, such as "
    "'query @ key.transpose(-2, -1)'.",
)
def draw_figure_two() -> Figure:
    return figure_two()


def _counted_models() -> dict[str, dict[str, int]]:
    """The parts of the base model, as it comes and with shared matrices, and of the big one."""
    sizes = {key: getattr(BIG, key) for key in ("N", "d_model", "d_ff", "h")}
    return {
        "base": parts(on_paper(WORDS, WORDS, N=BASE.N)),
        "base, one matrix": parts(on_paper(WORDS, WORDS, tie_weights="all")),
        "big, one matrix": parts(on_paper(WORDS, WORDS, tie_weights="all", **sizes)),
    }


@figure(
    "whole-parameters",
    title="Most parameters are in embeddings and feed-forward networks",
    notebook=NOTEBOOK,
    caption="Parameters by part: the base model as it comes, with one matrix for words, and big.",
    alt="Three stacked bars. Base: 100.9 million, of which embeddings 37.9, attention 18.9, "
    "feed-forward 25.2, generator 18.9. With one matrix for all words: 63.0 million. Big, with "
    "one matrix: 214.2 million, of which feed-forward 100.7. The norms are too few to be seen.",
)
def draw_parameters() -> Figure:
    return parameter_bars(_counted_models())


@figure(
    "whole-vocabulary",
    notebook="a2_slips_in_well_known_texts",
    caption="The sizes of the vocabulary that give each row of Table 3 the count it prints.",
    alt="A bar for each of nine rows of Table 3. The eight bars from base to d_ff = 4096 have a "
    "band in common, from 41,003 to 41,209; the bar of big lies apart, from 35,400 to 36,300. None "
    "contains 37,000, the size given in the text.",
)
def draw_vocabulary() -> Figure:
    ranges = {row: possible_vocabulary(row) for row in TABLE_3}
    return vocabulary_ranges(ranges, common_vocabulary(list(TABLE_3)[:-1]), said=WORDS)


@figure(
    "whole-outside-in",
    notebook=NOTEBOOK,
    caption="A decoder layer grows from the outside in, in six steps; what is new is filled.",
    alt="Six rows. 0: a feed-forward box. 1: source attention before it. 2: self-attention before "
    "both. 3: more heads behind both attentions. 4: a plus after each box, with a line around the "
    "box. 5: a norm after each plus.",
)
def draw_outside_in() -> Figure:
    return outside_in()


@torch.no_grad()
def _path_of(
    translator: Translator, text: str
) -> tuple[list[tuple[Sequence[str], list[Station]]], list[tuple[str, float]]]:
    """A sentence's vectors at each station, and the next word at each position of the target."""
    model = translator.model
    tokens, written = translator.read(text), translator.translate(text)[0].tokens
    ids = (translator.src.vocab.encode(tokens), translator.tgt.vocab.encode(written))
    batch = make_batch([ids])
    with record_outputs(model) as outputs:
        logits = model(batch.src, batch.tgt_in)[0]
    names = {"embed": "embedding", "positions": "+ position"}

    def side(prefix: str, stack: str) -> list[Station]:
        return [
            *(Station(name, outputs[f"{prefix}_{part}"][0]) for part, name in names.items()),
            *(
                Station(f"{stack} layer {i}", outputs[f"{stack}.layers.{i}"][0])
                for i in range(model.config.N)
            ),
        ]

    rows = [
        ([*tokens, SPECIALS[EOS]], side("src", "encoder")),
        ([SPECIALS[BOS], *written], side("tgt", "decoder")),
    ]
    best = logits.softmax(dim=-1).max(dim=-1)
    said = [translator.tgt.vocab.tokens[i] for i in best.indices.tolist()]
    return rows, list(zip(said, best.values.tolist(), strict=True))


@figure(
    "whole-sentence",
    notebook=NOTEBOOK,
    caption="All vectors of 'I like trees' on the way through our translator.",
    alt="Two frames with strips: the first 16 of each vector's 128 numbers, as colored cells. "
    "Above, the encoder with four words: embedding, with position, after layer 0 and 1, which is "
    "the memory that both layers of the decoder read. Below, the decoder with five: embedding, "
    "with position, after layer 0 and 1, and beside it what is written next: me, gustan, los, "
    "árboles, <eos>, each with 89 or 90 %.",
)
def draw_sentence() -> Figure:
    return sentence_path(*_path_of(Translator.load(), SENTENCE))


@figure(
    "whole-cost",
    notebook=NOTEBOOK,
    caption="The paper's Table 1, measured: what a layer costs, how long it waits, and how many "
    "layers news needs from the first word to the last, against the length of the sentence.",
    alt="Five small drawings say what a word is made from: all words, the one before it, five "
    "neighbors mixed, five looked at, five with gaps. Below, three panels of curves. Cost: "
    "self-attention bends upwards and crosses the straight line of the recurrent layer at 64 "
    "words, as many as a vector has numbers; convolution and restricted attention stay below. "
    "Waiting: the recurrent layer waits as many steps as there are words, all others one. Path: "
    "one layer for self-attention, as many as words for the recurrent one, a quarter as many for "
    "convolution and restricted attention, three with gaps. Each curve has its name at its end.",
)
def draw_cost() -> Figure:
    cost, wait = [costs(n) for n in LENGTHS], [waiting(n) for n in PLACES]
    path = [all_rounds(n) for n in PLACES]
    return cost_and_path(
        LENGTHS,
        {name: [row[name] for row in cost] for name in wait[0]},
        PLACES,
        {name: [row[name] for row in wait] for name in wait[0]},
        {name: [row[name] for row in path] for name in path[0]},
        WIDTH,
    )


@figure(
    "whole-step-lengths",
    notebook=NOTEBOOK,
    caption="What a step of training takes, with as many words in longer and longer sentences.",
    alt="Two panels against the words in a sentence, 16 to 1,024, with 2,048 words in a batch. "
    "Time of a step: with attention by its formula it rises from 252 milliseconds to 1,801, twice "
    "the first at 395 words; in one kernel it rises from 239 to 627, twice the first at 655 words. "
    "Memory at a time: by its formula from 125 megabytes to 529, twice the first at 329 words; in "
    "one kernel from 119 to 137.",
)
def draw_step_lengths() -> Figure:
    from course.chapters.ch09_whole_transformer.experiment_scaling import against_length, doubled

    panels = {}
    for title, (what, unit) in {
        "time of a step": ("milliseconds", "milliseconds"),
        "memory at a time": ("tensors", "megabytes"),
    }.items():
        lengths, ways = against_length(what)
        ways = {
            {"formula": "by its formula", "fused": "in one kernel"}[way]: values
            for way, values in ways.items()
        }
        twice = {name: doubled(lengths, values) for name, values in ways.items()}
        panels[title] = Panel(unit, ways, twice)
    return step_lines(lengths, panels)


@figure(
    "whole-machine",
    notebook=NOTEBOOK,
    hero=True,
    caption="The whole machine: a reader, a writer, and the memory that goes to each of the "
    "writer's layers.",
    alt="Two stacks of six layers. 'I like trees' and the end token enter the encoder from below. "
    "The memory comes out at its top, a vector for each word, with an arrow into each of the six "
    "decoder layers. '<bos> me gustan los' enters the decoder from below, árboles comes out on "
    "top, and each word written comes back as input.",
)
def draw_machine() -> Figure:
    return whole_machine(
        ["I", "like", "trees", "<eos>"], ["<bos>", "me", "gustan", "los", "árboles"]
    )
