"""Drawings of the whole Transformer: opened step by step, in numbers, and beside its rivals."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle
from matplotlib.ticker import MaxNLocator

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
from course.drawing.arrows import arrow, box, bracket, path
from course.drawing.cells import area, matrix, outline, scale
from course.drawing.plots import curves, doubling, name_lines
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import (
    Point,
    canvas,
    centered,
    heading,
    label,
    percent,
    sentence,
    titled,
    width_of,
    word,
)
from transformer_lib.interpret.recording import record_outputs
from transformer_lib.model.config import BASE
from transformer_lib.text.batching import make_batch
from transformer_lib.text.tokens import BOS, EOS, SPECIALS
from transformer_lib.translator import Translator

TALL = 0.56  # height of a box; all lengths in inches
ENCODER, DECODER = ({"color": side, "fill": style.PAPER} for side in (style.ENCODER, style.DECODER))
PLAIN = {"fill": style.PAPER}
# What is new, or opened next.
LOUD = {"color": style.ACCENT, "fill": style.tint(style.ACCENT), "line": 2.2, "weight": "bold"}
MIDDLE = {"ha": "center", "va": "center", "size": style.LABEL}


def _row_of_boxes(
    ax: Axes, y: float, start: float, boxes: Sequence[tuple[float, float, str, Any]], high: float
) -> float:
    """Boxes (x, width, text, look) on a line that begins at `start` -> where the last ends."""
    for x, wide, text, look in boxes:
        arrow(ax, (start, y), (x - wide / 2, y))
        box(ax, (x, y), wide, high, text, **{"line": 1.2, **look})
        start = x + wide / 2
    return start


# --- five zoom levels ----------------------------------------------------------------------------


def _zoom_levels(N: int = 6) -> Figure:
    """Draw the Transformer five times, from a closed box to one attention -> the figure.

    What is filled in one drawing is opened in the next. N: layers on each side.
    """
    figure, ax = canvas(style.WIDTH, 10.9)
    note = "The orange boxes of one drawing are opened in the next"
    heading(ax, "Four boxes deep inside the Transformer is attention", note)
    for x, y, said in (
        (0.14, 9.93, "1  A closed box"),
        (3.7, 9.93, "2  A reader and a writer"),
        (0.14, 7.8, f"3  {N} layers that read, {N} that write"),
        (0.14, 5.23, "4  What is in a layer"),
        (0.14, 2.07, "5  One attention: queries Q find keys K, and mix their values V"),
    ):
        label(ax, (x, y), said, size=style.LABEL + 1, weight="bold")
    for left, low, high in (
        (3.56, 8.3, 10.13),
        (0.02, 5.73, 8.0),
        (0.02, 2.6, 5.43),
        (0.02, 0.04, 2.27),
    ):
        _frame(ax, left, low, high)
    _two_closed(ax)
    _stacks(ax, N)
    _sublayers(ax)
    _one_attention(ax)
    return figure


def _frame(ax: Axes, left: float, low: float, high: float) -> None:
    """Around a drawing that opens the orange boxes of the one before."""
    middle, size = ((left + 7.98) / 2, (low + high) / 2), (7.98 - left, high - low)
    box(ax, middle, *size, color=style.tint(style.ACCENT), fill=style.PAPER, line=1.5, zorder=0)


def _opened(ax: Axes, *corners: Point) -> None:
    """From the edge of orange boxes to the frame of what is in them."""
    ax.fill(*zip(*corners, strict=True), style.tint(style.ACCENT), alpha=0.6, lw=0, zorder=0.7)


def _two_closed(ax: Axes) -> None:
    """The closed box, and beside it the reader and the writer."""
    y, source, target = 9.33, "I like\ntrees", "me gustan\nlos árboles"
    for x, said in ((0.42, source), (3.98, source), (7.5, target)):
        label(ax, (x, y), said, **MIDDLE)
    _row_of_boxes(ax, y, 0.74, [(1.6, 1.14, "Transformer", LOUD)], 0.72)
    arrow(ax, (1.6, y - 0.36), (1.6, y - 0.62))
    label(ax, (2.17, y - 0.76), target.replace("\n", " "), size=style.LABEL, ha="right")
    end = _row_of_boxes(ax, y, 4.28, [(4.86, 0.84, "", LOUD), (6.42, 0.84, "", LOUD)], 0.72)
    for x, name, color in ((4.86, "encoder", style.ENCODER), (6.42, "decoder", style.DECODER)):
        label(ax, (x, y), name, weight="bold", color=color, **MIDDLE)
    arrow(ax, (end, y), (7.04, y))
    for at, said in (((5.64, y + 0.17), "memory"), ((6.42, y - 0.78), "the words so far")):
        label(ax, at, said, ha="center", color=style.MUTED)
    arrow(ax, (6.42, y - 0.66), (6.42, y - 0.36))
    _opened(ax, (2.17, y - 0.36), (2.17, y + 0.36), (3.56, 10.13), (3.56, 8.3))
    _opened(ax, (4.44, y - 0.36), (6.84, y - 0.36), (7.98, 8.0), (0.02, 8.0))


def _stacks(ax: Axes, N: int) -> None:
    step = 6.6 / N
    wide, above, below, between = 0.62 * step, 7.28, 6.12, 6.74
    places = [0.56 + step * (i + 0.5) for i in range(N)]
    for y, name, look in ((above, "encoder", ENCODER), (below, "decoder", DECODER)):
        looks = [look] * (N - 1) + [LOUD]
        boxes = [(x, wide, str(i), looks[i]) for i, x in enumerate(places)]
        end = _row_of_boxes(ax, y, 0.2, boxes, TALL)
        label(ax, (0.14, y + 0.17), name, color=look["color"], weight="bold")
    for x in places:
        arrow(ax, (x, between), (x, below + TALL / 2))
    lane, said = end + 0.2, "the same\nmemory\nfor each"
    path(ax, [(end, above), (lane, above), (lane, between), (places[0], between)], head=False)
    arrow(ax, (end, below), (lane + 0.1, below))
    label(ax, (lane + 0.08, 7.01), said, color=style.MUTED)
    low, high, start = below - TALL / 2, above - TALL / 2, end - wide
    _opened(ax, (start, low), (start, high), (end, high), (end, low), (7.98, 5.43), (0.02, 5.43))


def _sublayers(ax: Axes) -> None:
    attend = [(1.9, 1.44, "self-attention", LOUD)]
    cross = [*attend, (3.9, 1.44, "cross-attention", LOUD)]
    above, below = 4.59, 3.34
    for y, name, look, boxes in (
        (above, "encoder", ENCODER, attend),
        (below, "decoder", DECODER, cross),
    ):
        color = look["color"]
        box(ax, (3.9, y), 6.2, 0.84, color=color, fill=style.TINTS[color], zorder=0.5)
        end = _row_of_boxes(ax, y, 0.2, [*boxes, (5.9, 1.44, "feed-forward", look)], TALL)
        label(ax, (0.14, y + 0.17), name, color=color, weight="bold")
    arrow(ax, (end, below), (7.4, below))
    label(ax, (7.12, above + 0.18), "memory", color=style.MUTED)
    corners = [(6.62, above), (7.6, above), (7.6, 3.97), (3.9, 3.97), (3.9, below + TALL / 2)]
    path(ax, corners)
    label(ax, (7.86, 2.76), "Around each box: add & norm", ha="right", color=style.MUTED)
    low, high = below - TALL / 2, above - TALL / 2
    _opened(ax, (1.18, low), (1.18, high), (2.62, high), (2.62, below + TALL / 2), (2.62, low))
    _opened(ax, (1.18, low), (4.62, low), (7.98, 2.27), (0.02, 2.27))


def _one_attention(ax: Axes) -> None:
    y, ends = 1.27, {"Q": 1.53, "K": 1.01, "V": 0.35}
    for name, at in ends.items():
        label(ax, (0.12, at), f"${name}$", **MIDDLE)
        _row_of_boxes(ax, at, 0.26, [(0.97, 1.04, f"linear $W^{name}$", PLAIN)], 0.42)
        if name != "V":
            arrow(ax, (1.49, at), (1.8, at))
    steps = [
        (3.52, 0.68, r"$\div\ \sqrt{d_k}$", PLAIN),
        (4.42, 0.78, "mask,\nsoftmax", PLAIN),
        (5.39, 0.76, "mix the\nvalues", PLAIN),
        (6.4, 0.84, "all heads\nin a row", PLAIN),
        (7.36, 0.68, "linear\n$W^O$", PLAIN),
    ]
    box(ax, (2.37, y), 1.14, 0.94, "dot products\n$QK^T$", line=1.2, **PLAIN)
    arrow(ax, (_row_of_boxes(ax, y, 2.94, steps, 0.62), y), (7.9, y))
    path(ax, [(1.49, 0.35), (5.39, 0.35), (5.39, y - 0.31)])
    box(ax, (3.78, y), 4.2, 1.14, zorder=0)
    label(ax, (3.4, 0.56), "in each head", color=style.MUTED, ha="center")
    said = "$W$: learned numbers\n$d_k$: the length of a key"
    label(ax, (5.7, 0.35), said, color=style.MUTED)


# --- the paper's Figure 2 ------------------------------------------------------------------------


class _CodeBox(NamedTuple):
    """A box of the paper's Figure 2, and the pieces of the library that do its work.

    before, after: what is written around a piece, to say what it works on.
    """

    box: str
    code: tuple[str, ...]
    before: str = ""
    after: str = ""


SCALED_DOT_PRODUCT = (
    _CodeBox("MatMul", ("query @ key.transpose(-2, -1)",)),
    _CodeBox("Scale", ("/ math.sqrt(d_k)",), before="scores "),
    _CodeBox("Mask (opt.)", ("scores.masked_fill(~mask, ",), after="…)"),
    _CodeBox("SoftMax", ("scores.softmax(dim=-1)",)),
    _CodeBox("MatMul", ("@ value",), before="weights "),
)
MULTI_HEAD = (
    _CodeBox("Linear, 3 ×", ("self.w_q(query)", "self.w_k(key)", "self.w_v(value)")),
    _CodeBox("into h heads", ("self.split_heads(",), after="x)"),
    _CodeBox("Scaled Dot-Product Attention, h ×", ("attention(q, k, v, mask)",)),
    _CodeBox("Concat", ("self.merge_heads(",), after="x)"),
    _CodeBox("Linear", ("self.w_o(",), after="x)"),
)
VIOLET, AMBER, GREEN = (style.CATEGORIES[i] for i in (6, 1, 3))
INPUTS = {"query": VIOLET, "key": AMBER, "value": GREEN}
OPENED = 2  # the box of the multi-head diagram that holds the other


def _figure_two() -> Figure:
    """Draw both diagrams of the paper's Figure 2, each box with the code that does it."""
    figure, ax = canvas(style.WIDTH, 7.1)
    note = "From the bottom up. The orange box on the left, opened, is the whole right side"
    heading(ax, "Each box of the paper’s Figure 2 is a piece of code", note)
    ys, wide, edge = [1.12 + 1.08 * i for i in range(5)], 3.0, 4.36
    low, high = ys[0] - 0.6, ys[-1] + 0.55
    orange = {"color": style.ACCENT, "zorder": 0}
    box(ax, ((edge + 7.98) / 2, (low + high) / 2), 7.98 - edge, high - low, line=1.2, **orange)
    left, right = 0.02 + wide / 2, edge + 0.14 + wide / 2
    ends = [(left + wide / 2, ys[OPENED] + 0.32 * way) for way in (-1, 1)]
    fan = [*ends, (edge, high - 0.08), (edge, low + 0.08)]
    ax.add_patch(Polygon(fan, facecolor=style.tint(style.ACCENT), linewidth=0, zorder=0))
    for x, said in ((0.02, "Multi-head attention"), (edge, "Scaled dot-product attention")):
        label(ax, (x, high + 0.2), said, size=style.LABEL + 1, weight="bold")
    inputs = {left - 0.9: "query", left: "key", left + 0.9: "value"}
    _diagram(ax, left, wide, MULTI_HEAD, ys, inputs, several=(1, OPENED))
    inputs = {right - 0.5: "query", right + 0.5: "key"}
    _diagram(ax, right, wide, SCALED_DOT_PRODUCT, ys, inputs)
    lane = 7.98 - 0.17
    _input(ax, [(lane, 0.35), (lane, ys[-1]), (right + wide / 2, ys[-1])], "value")
    return figure


def _input(ax: Axes, corners: Sequence[tuple[float, float]], name: str) -> None:
    """An arrow in an input's own color, and its letter where it begins."""
    path(ax, corners, INPUTS[name], thick=2)
    (x, y), letter = corners[0], {"query": "Q", "key": "K", "value": "V"}[name]
    label(ax, (x, y - 0.13), letter, weight="bold", color=INPUTS[name], **MIDDLE)


def _diagram(
    ax: Axes,
    middle: float,
    wide: float,
    steps: Sequence[_CodeBox],
    ys: Sequence[float],
    inputs: Mapping[float, str],
    *,
    several: Sequence[int] = (),
) -> None:
    """Boxes from the bottom up; into those in `several` go all inputs, each in its color."""
    below = 0.35
    for i, (step, y) in enumerate(zip(steps, ys, strict=True)):
        lines = [step.before + code + step.after for code in step.code]
        half = 0.25 + 0.1 * len(lines)
        look = {"color": style.ACCENT, "line": 1.8} if several and i == OPENED else {}
        for back in (0.1, 0.05, 0) if i in several else (0,):
            box(ax, (middle + back, y + back), wide, 2 * half, fill=style.PAPER, **look)
        for x, name in inputs.items():
            if not i:
                _input(ax, [(x, below), (x, y - half)], name)
            elif i in several:
                arrow(ax, (x, below), (x, y - half), INPUTS[name], thick=2)
        if i and i not in several:
            arrow(ax, (middle, below), (middle, y - half))
        top = y + half - 0.2
        label(ax, (middle, top), step.box, ha="center", size=style.LABEL, weight="bold")
        for line, code in enumerate(lines):
            _code(ax, middle, top - 0.28 - 0.2 * line, code)
        below = y + half + 0.1 * (i in several)


def _code(ax: Axes, middle: float, y: float, code: str) -> None:
    """Code around a point; a query, a key and a value are underlined in their colors."""
    label(ax, (middle, y), code, ha="center", family=style.MONO)
    letter = 0.0947  # inches, at the size of a note
    for found in re.finditer("query|key|value", code):
        ends = [middle + (at - len(code) / 2) * letter for at in found.span()]
        ax.hlines(y - 0.085, *ends, color=INPUTS[found[0]], linewidth=2)


# --- from the outside in -------------------------------------------------------------------------

SELF, SOURCE, FORWARD = "self-\nattention", "source\nattention", "feed-\nforward"
GROWTH = (  # what is new, and what for; all boxes, and the new ones
    ("feed-forward", "each word alone", (FORWARD,), (FORWARD,)),
    ("+ source attention", "looks at the source", (SOURCE, FORWARD), (SOURCE,)),
    ("+ self-attention", "looks at its words", (SELF, SOURCE, FORWARD), (SELF,)),
    ("+ heads", "looks in several ways", (SELF, SOURCE, FORWARD), ("heads",)),
    ("+ residual", "keeps what came in", (SELF, "+", SOURCE, "+", FORWARD, "+"), ("+",)),
    (
        "+ norm",
        "keeps one size",
        (SELF, "+", "norm", SOURCE, "+", "norm", FORWARD, "+", "norm"),
        ("norm",),
    ),
)


def _outside_in() -> Figure:
    """Draw how a decoder layer grows, one row for each step; what is new is filled."""
    figure, ax = canvas(style.WIDTH, 6.6)
    title = f"In {len(GROWTH) - 1} steps a feed-forward network becomes a decoder layer"
    heading(ax, title, "What is new is orange")
    for number, (said, why, content, new) in enumerate(GROWTH):
        y = 5.45 - 0.98 * number
        label(ax, (0.02, y + 0.11), str(number), size=style.LABEL, weight="bold")
        label(ax, (0.25, y + 0.11), said, size=style.LABEL, weight="bold")
        label(ax, (0.25, y - 0.11), why, color=style.MUTED)
        _grown(ax, y, content, new, heads=number > 2)
    return figure


def _grown(ax: Axes, y: float, parts: Sequence[str], new: Sequence[str], heads: bool) -> None:
    places = {SELF: 2.4, SOURCE: 4.46, FORWARD: 6.52}
    end, inner = 1.72, 0.0
    for part in parts:
        wide = {"+": 0.24, "norm": 0.46}.get(part, 0.8)
        x = places.get(part, end + 0.1 + wide / 2)
        arrow(ax, (end, y), (x - wide / 2, y))
        if part in places:
            inner = x - wide / 2 - 0.1
        shadows = (0.14, 0.07) if heads and part in (SELF, SOURCE) else ()
        for back in shadows:
            behind = LOUD if "heads" in new else DECODER
            box(ax, (x + back, y + back), wide, TALL, **{"line": 1.2, **behind})
        look, tall = LOUD if part in new else DECODER, 0.24 if part == "+" else TALL
        box(ax, (x, y), wide, tall, part, **{"line": 1.2, "size": style.NOTE, **look})
        if part == "+":
            way = [(inner, y), (inner, y + 0.47), (x, y + 0.47), (x, y + 0.12)]
            path(ax, way, style.ACCENT if part in new else style.MUTED)
        end = x + wide / 2 + (0.14 if shadows else 0)
    arrow(ax, (end, y), (7.98, y))


# --- parameters ----------------------------------------------------------------------------------

TABLES = ("source embeddings", "target embeddings", "generator")


def _parameter_bars(models: Mapping[str, Mapping[str, int]], title: str = "") -> Figure:
    """Draw how many parameters each part of some models has -> the figure.

    models: name -> part -> number; all models have the same parts. Each part begins where it does
    in the first model. The tables of words are loud. Raises ValueError for other parts.
    """
    first, *_ = models.values()
    for name, counts in models.items():
        if list(counts) != list(first):
            raise ValueError(
                f"{name!r} has the parts {', '.join(counts)}; the first model has "
                f"{', '.join(first)}"
            )
    figure, ax = style.panel(3.0)
    titled(figure, title, "Millions of parameters in each part of the base model")
    start = 0.0
    for part, most in first.items():
        color = style.ACCENT if part in TABLES else style.RULE
        for row, counts in enumerate(models.values()):
            number = counts[part] / 1e6
            ax.barh(row, number, 0.5, start, color=color, edgecolor=style.PAPER, linewidth=2)
            if number > 1:
                look = {"ha": "center", "va": "center_baseline", "color": style.ink_on(color)}
                ax.text(start + number / 2, row, f"{number:.1f}", **look)
        if most > 1e6:
            look = {"ha": "center", "va": "bottom", "size": style.NOTE}
            ink = style.ACCENT if part in TABLES else style.INK
            ax.text(start + most / 2e6, -0.32, part.replace(" ", "\n"), color=ink, **look)
        start += most / 1e6
    for row, (name, counts) in enumerate(models.items()):
        left = {"x": -start / 60, "ha": "right", "va": "center_baseline"}
        ax.text(**left, y=row - 0.1, s=name, weight="bold")
        said = f"{sum(counts.values()) / 1e6:.1f} million"
        ax.text(**left, y=row + 0.13, s=said, color=style.MUTED)
    ax.set(xlim=(0, start), ylim=(len(models) - 0.6, -0.75), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return figure


def _vocabulary_ranges(
    ranges: Mapping[str, tuple[float, float]], common: tuple[float, float], said: float
) -> Figure:
    """Draw which sizes of a vocabulary are possible, a bar for each row of a table -> the figure.

    ranges: row -> the smallest and the largest size. common: what most rows allow, drawn as a band.
    said: the size that the text gives.
    """
    figure = style.new_figure(style.WIDTH, 0.34 * len(ranges) + 2.0)
    fitting = [row for row, (low, high) in ranges.items() if low <= said <= high]
    title = f"{len(fitting) or 'No'} row of Table 3 fits a vocabulary of {said:,.0f} words"
    note = "Each bar: all sizes that give the row's parameters, which are printed in whole millions"
    titled(figure, title, note)
    ax = figure.subplots()
    for row, (low, high) in enumerate(ranges.values()):
        ax.barh(row, (high - low) / 1e3, left=low / 1e3, color=style.RULE, height=0.6)
    shared = [row for row, (low, high) in enumerate(ranges.values()) if low <= common[0] < high]
    width = (common[1] - common[0]) / 1e3
    ax.barh(shared, width, left=common[0] / 1e3, color=style.MUTED, height=0.6)
    ax.axvline(said / 1e3, color=style.ACCENT, linewidth=2)
    for x, text, color in (
        (said, f"the paper's text:\nabout {said:,.0f}", style.ACCENT),
        (
            common[0],
            f"shared by {len(shared)} rows:\n{common[0]:,.0f} to {common[1]:,.0f}",
            style.MUTED,
        ),
    ):
        ax.text(x / 1e3 + 0.1 * (x == said), -1.1, text, va="center", weight="bold", color=color)
    ax.set_yticks(range(len(ranges)), [*ranges])
    ax.set_ylim(len(ranges) - 0.4, -2.0)
    ax.set_xlim(left=min(low for low, _ in ranges.values()) / 1e3 - 0.5)
    ax.tick_params(length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel("thousand words in the vocabulary")
    return figure


# --- one sentence --------------------------------------------------------------------------------


class _Station(NamedTuple):
    """Where a sentence is on its way: the name of the place, and the vectors (s, d) there."""

    name: str
    vectors: Any


DRAWN = 16  # numbers of a vector that are drawn; more would be a bar code
STEP, FIRST, STRIP, GAP = 0.33, 1.1, 1.12, 0.19  # from row to row; the strips of a station


def _sentence_path(
    rows: Sequence[tuple[Sequence[str], Sequence[_Station]]],
    answers: Sequence[tuple[str, float]],
    followed: Sequence[int] = (0, 0),
) -> Figure:
    """Draw the vectors of a sentence at each station of its way -> the figure.

    rows: (words, stations) for the encoder and for the decoder. answers: at each place of the
    decoder the most probable word and its probability, drawn at the end of the second row.
    followed: the word of the encoder and that of the decoder whose vectors aren't faded. Raises
    ValueError when vectors don't fit the words.
    """
    tall = [STEP * len(tokens) for tokens, _ in rows]
    figure, ax = canvas(style.WIDTH, sum(tall) + 0.9 * len(rows) + 0.57)
    widest = max(as_array(one.vectors).shape[1] for _, stations in rows for one in stations)
    part = f"The first {DRAWN} of {widest} numbers" if widest > DRAWN else "The numbers"
    title = "Each word is a vector all the way, until the next word is chosen"
    heading(ax, title, f"{part} of each vector; one word is followed on each side")
    y, ends = sum(tall) + 0.9 * len(rows) + 0.18, []  # and where each half has its last vectors
    for (tokens, stations), side, loud in zip(rows, ("encoder", "decoder"), followed, strict=True):
        right, high = FIRST + len(stations) * (STRIP + GAP), STEP * len(tokens)
        y -= 0.9 + high
        _half(ax, y, right, tokens, stations, side, loud)
        ends.append((right, y + high / 2))
    x, middle = ends[0]
    lane, over = x + 0.45, middle - tall[0] / 2 - 0.22
    layers = [column for column, station in enumerate(rows[-1][1]) if "layer" in station.name]
    for column in layers:
        down = FIRST + column * (STRIP + GAP) + STRIP / 2
        corners = [(x + 0.05, middle), (lane, middle), (lane, over), (down, over)]
        path(ax, [*corners, (down, over - 0.24)], style.ENCODER, thick=2)
    named = {"size": style.LABEL, "weight": "bold", "color": style.ENCODER}
    label(ax, (lane + 0.14, middle - 0.06), "the memory", **named)
    label(ax, (lane + 0.14, middle - 0.43), "both layers of\nthe decoder\nread it")
    x, y = ends[-1][0] + 0.3, y + STEP * len(answers)
    label(ax, (x, y + 0.24), "next word")
    label(ax, (7.98, y + 0.24), "chance", ha="right")
    for row, (text, chance) in enumerate(answers):
        at, loud = y - STEP * (row + 0.5), row == followed[1]
        color = style.INK if loud else style.MUTED
        arrow(ax, (x - 0.46, at), (x - 0.08, at), color)
        word(ax, (x, at), text, size=12, ha="left")
        strong = {"weight": "bold" if loud else "normal", "color": color}
        label(ax, (7.98, at), percent(chance), ha="right", **strong)
    scale(ax, (6.6, ax.get_ylim()[1] - 0.56), 1.2, limit=3, height=0.12)
    return figure


def _half(
    ax: Axes,
    y: float,
    right: float,
    tokens: Sequence[str],
    stations: Sequence[_Station],
    side: str,
    loud: int,
) -> None:
    """The words of one half and their vectors at each station; y: where the lowest row ends."""
    color = {"encoder": style.ENCODER, "decoder": style.DECODER}[side]
    tint, high = style.TINTS[color], STEP * len(tokens)
    middle = 0.1 + (right - 0.05) / 2, y - 0.08 + (high + 0.52) / 2
    box(ax, middle, right - 0.05, high + 0.52, color=color, fill=tint, zorder=0)
    label(ax, (0.2, y + high + 0.24), side, size=style.LABEL, weight="bold", color=color)
    for column, (said, vectors) in enumerate(stations):
        table, x = as_array(vectors), FIRST + column * (STRIP + GAP)
        if table.ndim != 2 or len(table) != len(tokens):
            raise ValueError(
                f"{said!r}: {len(tokens)} words need vectors of the shape "
                f"({len(tokens)}, d), but theirs is {table.shape}"
            )
        label(ax, (x + STRIP / 2, y + high + 0.24), said, ha="center")
        matrix(ax, (x, y), STRIP, high, table[:, :DRAWN], limit=3, edge="none")
        for row in range(len(tokens) + 1):  # words apart
            area(ax, (x - 0.01, y + STEP * row - 0.045), STRIP + 0.02, 0.09, tint, zorder=2.5)
        for row in range(len(tokens)):
            low = y + high - STEP * (row + 1)
            frame = {"edge": style.INK, "line": 1.4} if row == loud else {}
            outline(ax, (x, low + 0.045), STRIP, STEP - 0.09, **frame)
            if row != loud:
                area(ax, (x, low), STRIP, STEP, tint, alpha=0.7, zorder=2.4)
            elif column:
                middle = low + STEP / 2
                arrow(ax, (x - GAP, middle), (x, middle), style.INK, zorder=4)
    for row, text in enumerate(tokens):
        word(ax, (FIRST - 0.1, y + high - STEP * (row + 0.5)), text, size=12, ha="right")


# --- beside its rivals ---------------------------------------------------------------------------


WINDOWS = dict.fromkeys(("convolution", "restricted"), "windows of 5\N{NO-BREAK SPACE}words")


def _cost_and_path(
    lengths: Sequence[int],
    costs: Mapping[str, Sequence[int]],
    places: Sequence[int],
    waiting: Mapping[str, Sequence[int]],
    rounds: Mapping[str, Sequence[int]],
    d_model: int,
) -> Figure:
    """Draw how long a layer waits, how far news travels, what it costs: Table 1 -> the figure.

    places, waiting, rounds: steps for sentences of each length, a curve for each kind of layer;
    those with windows are faint. lengths, costs: multiplications. d_model: where costs meet.
    Raises ValueError when a curve has another number of points than there are lengths.
    """
    figure = style.new_figure(style.WIDTH, 4.3)
    note = f"Its price: beyond {d_model} words it costs more than a recurrent layer"
    titled(figure, "Self-attention never waits and reaches each word in one layer", note)
    drawn = [
        (places, waiting, 1, "Waiting", "steps one after another"),
        (places, rounds, 1, "Path", "layers from first to last word"),
        (lengths, costs, 1e6, "Price", "million multiplications"),
    ]
    figure.get_layout_engine().set(wspace=0.06)
    looks = {"self-attention": (style.ACCENT, 3), "recurrent": (style.MUTED, 2)}
    for ax, (xs, given, unit, title, what) in zip(figure.subplots(1, 3), drawn, strict=True):
        ax.set(title=title, ylabel=what)
        ax.set_xlabel("words in the sentence", loc="left")
        drawn_names: set[str] = set()
        for name, numbers in given.items():
            if len(numbers) != len(xs):
                raise ValueError(f"{name!r} has {len(numbers)} points for {len(xs)} lengths")
            color, wide = looks.get(name, (style.SOFT, 1.2))
            said = WINDOWS.get(name, name)
            steps = given is rounds and color == style.SOFT
            look = {"color": color, "linewidth": wide, "zorder": 1 + wide}
            look["drawstyle"] = "steps-mid" if steps else "default"
            hidden = said in drawn_names or (given is waiting and name not in looks)
            ax.plot(xs, as_array(numbers) / unit, label="_" if hidden else said, **look)
            drawn_names.add(said)
        ax.set(xlim=(0, xs[-1]), ylim=(0, None), xticks=[0, xs[-1] / 2, xs[-1]])
        ax.xaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        name_lines(ax, wide=14)
    meet = np.interp(d_model, xs, [*given.values()][0]) / unit
    ax.plot(
        [d_model, d_model],
        [0, meet],
        "o:",
        color=style.INK,
        markersize=5,
        linewidth=1.2,
        label="_",
        markevery=[1],
        zorder=5,
    )
    ax.set_xticks([0, d_model, xs[-1]])
    return figure


# --- the picture to remember ---------------------------------------------------------------------


def _whole_machine(source: Sequence[str], target: Sequence[str], N: int = 6) -> Figure:
    """Draw reader and writer with the memory between them: the whole machine at a glance.

    source, target: the words, each in the color of `style.WORDS`. N: layers on each side.
    """
    figure, ax = canvas(style.WIDTH, 5.9)
    heading(ax, "The source is read once; the target is written word by word")
    left, right, low, high, top = 1.5, 5.55, 1.0, 3.9, 4.75
    step, memory, lane = (high - low) / N, (left + right) / 2 - 0.05, style.WIDTH - 0.2
    heights = [low + (i + 0.5) * step for i in range(N)]
    for x, color, name in [(left, style.ENCODER, "encoder"), (right, style.DECODER, "decoder")]:
        for y in heights:
            box(ax, (x, y), 2.1, step - 0.1, color=color, fill=style.TINTS[color], round=0.06)
        label(ax, (x - 1.03, high + 0.36), name, size=style.TITLE, weight="bold", color=color)
        label(ax, (x - 1.03, high + 0.12), f"{N} layers", size=style.LABEL)
    wide, gap, slot = 0.24 * len(source) + 0.06, 0.2, 0.84
    sentence(ax, (left, 0.25), source, style.WORDS, size=14, gap=gap, ha="center")
    read = sentence(ax, (right - slot / 2, 0.25), target[:-1], size=14, gap=gap, ha="center")
    for x in (left, right):
        arrow(ax, (x, 0.56), (x, low + 0.03))
    label(ax, (left + 0.12, 0.76), "once", size=style.LABEL, weight="bold")
    box(ax, (memory, top), wide, 0.78, color=style.ENCODER, fill=style.TINTS[style.ENCODER])
    for i, text in enumerate(source):
        at = memory + 0.24 * (i - (len(source) - 1) / 2), top
        box(ax, at, 0.15, 0.58, fill=style.WORDS[text], line=0, round=0.04)
    path(ax, [(left, high - 0.04), (left, top), (memory - wide / 2, top)])
    label(ax, (memory, top + 0.53), "memory: a vector for each word", **MIDDLE)
    path(ax, [(memory, top - 0.39), (memory, heights[0])], head=False)
    for y in heights:
        arrow(ax, (memory, y), (right - 1.05, y))
    arrow(ax, (right, high - 0.04), (right, top - 0.22))
    word(ax, (right, top), target[-1], size=17)
    color = style.WORDS[target[-1]]
    end = read[-1] + width_of(target[-2], 14) / 2 + gap - 0.04 + slot  # of the empty place
    outline(ax, (end - slot, 0.17), slot, 0.3, color, 1.5, linestyle=(0, (3, 2)))
    ends = [(right + 0.54, top), (lane, top), (lane, 0.32), (end + 0.03, 0.32)]
    path(ax, ends, color, thick=3.5)
    look = {"ha": "right", "size": style.LABEL, "weight": "bold", "color": style.readable(color)}
    label(ax, (lane - 0.14, (low + high) / 2), "each word\ncomes back", **look)
    return figure


def _step_lines(
    lengths: Sequence[int],
    panels: Mapping[tuple[str, str], Mapping[str, Sequence[float]]],
    title: str = "",
    note: str = "",
) -> Figure:
    """Draw curves against the length of the sentences, a panel for each quantity -> the figure.

    panels: (quantity, unit) -> name -> a number for each length; the last curve is loud. A bracket
    says how far apart they end. Raises ValueError for a curve without a number for each length.
    """
    figure = style.new_figure(style.WIDTH, 4.2)
    titled(figure, title, note)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for ax, ((name, unit), lines) in zip(axes, panels.items(), strict=True):
        ax.set(ylim=(0, 1.06 * max(map(max, lines.values()))), ylabel=unit)
        ax.set(xlabel="words in a sentence", title=name)
        doubling(ax, lengths)
        ends = [values[-1] for values in lines.values()]
        if len(ends) > 1:
            at = [(1.2 * lengths[-1], end) for end in (min(ends), max(ends))]
            bracket(ax, *at, f"{max(ends) / min(ends):.1f} ×")
        curves(ax, lengths, lines, loud=[[*lines][-1]], marker="o", names=False)
        for line, place, side in zip(
            ax.lines, ((-10, 4), (0, -21)), ("right", "center"), strict=False
        ):
            before = lengths[-2], line.get_ydata()[-2]
            look = {"textcoords": "offset points", "ha": side, "color": line.get_color()}
            ax.annotate(line.get_label(), before, place, size=style.LABEL, **look)
        ax.yaxis.set_major_formatter("{x:,.0f}")
    return figure


@figure(
    "architecture",
    caption="The whole Transformer: the source is read on the left, the target is "
    "written on the right.",
    alt=f"{LAYOUT} Encoder layer: self-attention and feed-forward, each followed by add and norm. "
    "The decoder layer has cross-attention in between; the memory, a vector for each word from the "
    "encoder's end, goes to each layer, which makes its own keys and values from it. The decoder's "
    "self-attention has a causal and a padding mask. At the end come linear and softmax.",
)
def draw_architecture() -> Figure:
    return architecture(title="The encoder reads and\nthe decoder writes\nthe next word")


SENTENCE = "I like trees"
WORDS = 37_000  # "about 37000 tokens", section 5.1
LENGTHS = range(16, 257, 16)
PLACES = range(2, 33)


# --- the figures ---------------------------------------------------------------------------------


@figure(
    "whole-zoom",
    caption="Five looks at the Transformer: what is orange in one drawing is opened in the next.",
    alt="Five drawings; a tinted wedge leads from the orange boxes of each to the frame of the "
    "next. 1: an orange box turns 'I like trees' into 'Me gustan los árboles'. 2: "
    "the encoder hands a memory to the decoder, which also gets the words so far. 3: six encoder "
    "layers in a row, six decoder layers in a row, and the memory goes to each decoder layer. 4: "
    "an encoder layer is self-attention and feed-forward, a decoder layer has cross-attention in "
    "between. 5: an attention is three linear layers, dot products, scale, mask and softmax, a mix "
    "of values, the heads in a row and a last linear layer.",
)
def draw_zoom() -> Figure:
    return _zoom_levels()


@figure(
    "whole-figure-2",
    caption="The two diagrams of the paper's Figure 2, each box with the code that does its work.",
    alt="Two stacks of boxes, read from the bottom. On the left: three Linear, a cut into h heads, "
    "Scaled Dot-Product Attention h times, Concat, Linear. From this attention, in orange, a fan "
    "opens to the whole right stack: MatMul of Q and K, Scale, Mask, SoftMax and a MatMul with V. "
    "In each box is a piece of code, such as 'query @ key.transpose(-2, "
    "-1)'; Q, K and V have a color each, also under the words query, key and value.",
)
def draw_figure_two() -> Figure:
    return _figure_two()


def _counted_models() -> dict[str, dict[str, int]]:
    """The parts of the base model, as it comes and with one matrix for all words."""
    models = {}
    for name, tie in (("three matrices", "none"), ("one for all", "all")):
        counts = parts(on_paper(WORDS, WORDS, tie_weights=tie))
        one = WORDS * BASE.d_model
        words = counts["embeddings"] - one, counts["generator"], one
        others = {part: counts[part] for part in ("attention", "feed-forward", "norms")}
        models[name] = dict(zip(TABLES, words, strict=True)) | others
    return models


@figure(
    "whole-parameters",
    caption="Parameters of the base model by part: with three matrices for words, and with one.",
    alt="Two stacked bars. With three matrices for words 100.9 million parameters: source "
    "embeddings, target embeddings and generator, 18.9 each, in orange, attention 18.9, "
    "feed-forward 25.2. With one matrix for all 63.0 million: the three orange blocks fold into "
    "one of 18.9, and in the place of the two others stands '38 million saved'. The norms are too "
    "few to be seen.",
)
def draw_parameters() -> Figure:
    models = _counted_models()
    whole, rest = (sum(counts.values()) / 1e6 for counts in models.values())
    title = (
        f"One shared matrix for words saves {whole - rest:.0f} of {whole:.0f} million parameters"
    )
    figure = _parameter_bars(models, title)
    ax, saved = figure.axes[0], whole - rest
    fold = [(0, 0.25), (1.5 * saved, 0.25), (1.5 * saved, 0.75), (saved, 0.75)]
    ax.add_patch(Polygon(fold, facecolor=style.tint(style.ACCENT), zorder=0))
    gone = Rectangle(
        (0.2, 0.77), saved - 0.6, 0.46, fill=False, edgecolor=style.ACCENT, linestyle="--"
    )
    ax.add_patch(gone)
    centered(
        ax, saved / 2, 1, f"{saved:.0f} million saved", color=style.ACCENT, weight="bold", size=12
    )
    return figure


@figure(
    "whole-vocabulary",
    notebook="a2_slips_in_well_known_texts",
    caption="The sizes of the vocabulary that give each row of Table 3 the count it prints.",
    alt="A bar for each of nine rows of Table 3. The eight bars from base to d_ff = 4096 have a "
    "part in common, from 41,003 to 41,209; the bar of big lies apart, from 35,400 to 36,300. None "
    "contains 37,000, the size given in the text.",
)
def draw_vocabulary() -> Figure:
    ranges = {row: possible_vocabulary(row) for row in TABLE_3}
    return _vocabulary_ranges(ranges, common_vocabulary(list(TABLE_3)[:-1]), said=WORDS)


@figure(
    "whole-outside-in",
    caption="A decoder layer grows from the outside in, in five steps; what is new is orange.",
    alt="Six rows. 0: a feed-forward box. 1: source attention before it. 2: self-attention before "
    "both. 3: more heads in both attentions. 4: a plus after each box, with a line around the "
    "box. 5: a norm after each plus. Beside each row is what for: for instance '+ residual, keeps "
    "what came in'.",
)
def draw_outside_in() -> Figure:
    return _outside_in()


@torch.no_grad()
def _path_of(
    translator: Translator, text: str
) -> tuple[list[tuple[Sequence[str], list[_Station]]], list[tuple[str, float]]]:
    """A sentence's vectors at each station, and the next word at each position of the target."""
    model = translator.model
    tokens, written = translator.read(text), translator.translate(text)[0].tokens
    ids = (translator.src.vocab.encode(tokens), translator.tgt.vocab.encode(written))
    batch = make_batch([ids])
    with record_outputs(model) as outputs:
        logits = model(batch.src, batch.tgt_in)[0]
    names = {"embed": "embedding", "positions": "+ position"}

    def side(prefix: str, stack: str) -> list[_Station]:
        return [
            *(_Station(name, outputs[f"{prefix}_{part}"][0]) for part, name in names.items()),
            *(
                _Station(f"{stack} layer {i}", outputs[f"{stack}.layers.{i}"][0])
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
    caption="All vectors of 'I like trees' on the way through our translator.",
    alt="Two frames with strips: the first 16 of each vector's 128 numbers, as colored cells. "
    "Above, the encoder with four words: embedding, with position, after layer 0 and 1, which is "
    "the memory that both layers of the decoder read. Below, the decoder with five: embedding, "
    "with position, after layer 0 and 1, and beside it what is written next: me, gustan, los, "
    "árboles, <eos>, each with 89 or 90 %. The row of trees and the one after which árboles is "
    "written have arrows from strip to strip; the others are faded.",
)
def draw_sentence() -> Figure:
    rows, answers = _path_of(Translator.load(), SENTENCE)
    followed = rows[0][0].index("trees"), [text for text, _ in answers].index("árboles")
    return _sentence_path(rows, answers, followed)


@figure(
    "whole-cost",
    caption="The paper's Table 1, measured: how long a layer waits, how many layers news needs "
    "from the first word to the last, and what it costs, against the length of the sentence.",
    alt="Three panels of curves. Waiting: the recurrent layer waits as many steps as there are "
    "words, all others one. Path: one layer for self-attention, as many as words for the recurrent "
    "one, a quarter as many for layers with windows of 5 words, which are convolution and "
    "restricted attention, 2 or 3 with gaps. Price: self-attention bends upwards and crosses the "
    "straight line of the recurrent layer at 64 words, as many as a vector has numbers, at a dot "
    "above its mark; the two with windows stay below. Each curve has its name at its end.",
)
def draw_cost() -> Figure:
    cost, wait = [costs(n) for n in LENGTHS], [waiting(n) for n in PLACES]
    path = [all_rounds(n) for n in PLACES]
    return _cost_and_path(
        LENGTHS,
        {name: [row[name] for row in cost] for name in wait[0]},
        PLACES,
        {name: [row[name] for row in wait] for name in wait[0]},
        {name: [row[name] for row in path] for name in path[0]},
        WIDTH,
    )


@figure(
    "whole-step-lengths",
    caption="What a step of training takes, with as many words in longer and longer sentences.",
    alt="Two panels against the words in a sentence, 16 to 1,024, with 2,048 words in a batch. "
    "Time of a step: with attention by its formula it rises from 252 milliseconds to 1,801, in one "
    "kernel from 239 to 627. Memory at a time: by its formula from 125 megabytes to 529, in one "
    "kernel from 119 to 137. Brackets at 1,024 words: 2.9 times the time, 3.9 times the memory.",
)
def draw_step_lengths() -> Figure:
    from course.chapters.ch09_whole_transformer.experiment_scaling import WORDS, against_length

    panels, times = {}, []
    for quantity, unit, what in (
        ("time of a step", "milliseconds", "milliseconds"),
        ("memory at a time", "megabytes", "tensors"),
    ):
        lengths, ways = against_length(what)
        lines = {"by its formula": ways["formula"], "in one kernel": ways["fused"]}
        panels[quantity, unit] = lines
        times.append(ways["formula"][-1] / ways["fused"][-1])
    title = (
        f"At {lengths[-1]:,} words, the formula takes {times[0]:.1f} times the time "
        f"and {times[1]:.1f} times the memory"
    )
    note = "Attention by its formula, or in one program, a kernel. "
    return _step_lines(lengths, panels, title, f"{note}Each step trains on {WORDS:,} words")


@figure(
    "whole-machine",
    hero=True,
    caption="The whole machine: a reader, a writer, and the memory that goes to each of the "
    "writer's layers.",
    alt="Two stacks of six layers. 'I like trees' and the end token enter the encoder from below. "
    "The memory comes out at its top, a vector for each word, with an arrow into each of the six "
    "decoder layers. '<bos> me gustan los' enters the decoder from below, and árboles comes out on "
    "top. From there a thick green line leads to the empty place after 'los': each word comes back "
    "as input.",
)
def draw_machine() -> Figure:
    return _whole_machine(
        ["I", "like", "trees", "<eos>"], ["<bos>", "me", "gustan", "los", "árboles"]
    )
