"""Drawings of the whole Transformer: opened step by step, in numbers, and beside its rivals."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from transformer_lib.plots import style
from transformer_lib.plots.architecture import arrow, line
from transformer_lib.plots.values import as_array

TALL = 0.56  # height of a box; all lengths in inches
LINES = ("-", "--", "-.", ":", (0, (1, 3)))


def page(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty page, on which one unit is one inch."""
    figure = style.new_figure(width, height)
    ax = figure.subplots()
    ax.set(xlim=(0, width), ylim=(0, height))
    ax.axis("off")
    return figure, ax


def box(
    ax: Axes,
    x: float,
    y: float,
    label: str,
    *,
    width: float = 1.0,
    height: float = TALL,
    color: str = style.INK,
    marked: bool = False,
    size: float = 10.5,
) -> None:
    """A box around (x, y) with its label; a marked one is black."""
    ax.add_patch(FancyBboxPatch(
        (x - width / 2, y - height / 2), width, height, zorder=2, linewidth=1.6, edgecolor=color,
        boxstyle="round,pad=0,rounding_size=0.08", facecolor=style.INK if marked else style.PAPER,
    ))  # fmt: skip
    ax.text(x, y, label, ha="center", va="center", fontsize=size, linespacing=1.0, zorder=3,
            color=style.PAPER if marked else style.INK)  # fmt: skip


def words(ax: Axes, x: float, y: float, said: str, **look: Any) -> None:
    look = {"ha": "center", "va": "center", "fontsize": 10.5, "linespacing": 1.05} | look
    ax.text(x, y, said, **look)


def heading(ax: Axes, x: float, y: float, said: str) -> None:
    words(ax, x, y, said, ha="left", va="baseline", fontsize=12, weight="bold")


# --- five zoom levels ----------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def zoom_levels(N: int = 6) -> Figure:
    """Draw the Transformer five times, from a black box to one attention -> the figure.

    What is black in one drawing is opened in the next. N: layers on each side.
    """
    figure, ax = page(11.3, 7.6)
    _black_box(ax)
    _two_halves(ax)
    _stacks(ax, N)
    _sublayers(ax)
    _one_attention(ax)
    return figure


def _black_box(ax: Axes) -> None:
    heading(ax, 0.2, 7.35, "1  A black box")
    words(ax, 0.75, 6.55, "I like\ntrees", style="italic", fontsize=11.5)
    box(ax, 2.35, 6.55, "Transformer", width=1.5, height=0.8, marked=True, size=11.5)
    words(ax, 4.1, 6.55, "Me gustan\nlos árboles", style="italic", fontsize=11.5)
    arrow(ax, (1.15, 6.55), (1.6, 6.55))
    arrow(ax, (3.1, 6.55), (3.55, 6.55))


def _two_halves(ax: Axes) -> None:
    heading(ax, 5.3, 7.35, "2  A reader and a writer")
    words(ax, 5.75, 6.55, "I like\ntrees", style="italic", fontsize=11.5)
    box(ax, 7.0, 6.55, "encoders", width=1.1, height=0.8, color=style.ENCODER, marked=True,
        size=11.5)  # fmt: skip
    box(ax, 9.05, 6.55, "decoders", width=1.1, height=0.8, color=style.DECODER, marked=True,
        size=11.5)  # fmt: skip
    words(ax, 10.7, 6.55, "Me gustan\nlos árboles", style="italic", fontsize=11.5)
    words(ax, 8.02, 6.75, "memory")
    words(ax, 9.05, 5.68, "the words so far", style="italic")
    for start, end in [((6.15, 6.55), (6.45, 6.55)), ((7.55, 6.55), (8.5, 6.55)),
                       ((9.6, 6.55), (10.1, 6.55)), ((9.05, 5.8), (9.05, 6.15))]:  # fmt: skip
        arrow(ax, start, end)


def _stacks(ax: Axes, N: int) -> None:
    heading(ax, 0.2, 5.2, f"3  {N} layers that read, {N} that write")
    step = 4.0 / N
    wide = 0.68 * step
    above, below, between = 4.55, 3.2, 3.88
    places = [0.55 + step * (i + 0.5) for i in range(N)]
    for i, x in enumerate(places):
        last = i == N - 1
        box(ax, x, above, str(i + 1), width=wide, color=style.ENCODER, marked=last)
        box(ax, x, below, str(i + 1), width=wide, color=style.DECODER, marked=last)
        for y in (above, below):
            arrow(ax, (x - step + wide / 2 if i else 0.25, y), (x - wide / 2, y))
        arrow(ax, (x, between), (x, below + TALL / 2))
    end = places[-1] + wide / 2
    line(ax, [(end, above), (end + 0.3, above), (end + 0.3, between), (places[0], between)])
    arrow(ax, (end, below), (end + 0.35, below))
    words(ax, end + 0.12, above + 0.4, "memory")
    words(ax, 0.55, 2.6, "Each decoder layer gets the same memory.", ha="left")


def _sublayers(ax: Axes) -> None:
    heading(ax, 5.3, 5.2, "4  What is in a layer")
    above, below = 4.55, 3.2
    rows = {
        above: (style.ENCODER, {6.9: "self-\nattention", 9.7: "feed-\nforward"}),
        below: (style.DECODER, {6.9: "self-\nattention", 8.3: "cross-\nattention",
                                9.7: "feed-\nforward"}),
    }  # fmt: skip
    for y, (color, parts) in rows.items():
        ax.add_patch(
            FancyBboxPatch(
                (6.1, y - 0.42),
                4.4,
                0.84,
                facecolor="#F4F4F4",
                zorder=0,
                edgecolor=color,
                boxstyle="round,pad=0,rounding_size=0.1",
            )
        )
        end = 5.7
        for x, label in parts.items():
            arrow(ax, (end, y), (x - 0.5, y))
            box(ax, x, y, label, color=color, marked=label.endswith("attention"))
            end = x + 0.5
        arrow(ax, (end, y), (10.85, y))
    words(ax, 10.85, above - 0.59, "memory", ha="right")
    line(ax, [(10.85, above), (10.95, above), (10.95, 3.8), (8.3, 3.8)])
    arrow(ax, (8.3, 3.8), (8.3, below + TALL / 2))
    words(ax, 6.1, 2.6, "Around each box: add & norm.", ha="left")


def _one_attention(ax: Axes) -> None:
    heading(ax, 0.2, 2.15, "5  One attention")
    rows = {1.62: ("queries  Q", "linear $W^Q$"), 0.98: ("keys  K", "linear $W^K$"),
            0.34: ("values  V", "linear $W^V$")}  # fmt: skip
    for y, (name, label) in rows.items():
        words(ax, 0.3, y, name, ha="left")
        arrow(ax, (1.35, y), (1.7, y))
        box(ax, 2.25, y, label, width=1.1, height=0.46)
    steps = {4.1: "dot products\n$QK^T$", 5.6: r"$\div\ \sqrt{d_k}$", 6.95: "mask,\nsoftmax",
             8.3: "mix the\nvalues", 9.5: "all heads\nin a row",
             10.65: "linear\n$W^O$"}  # fmt: skip
    widths = {4.1: 1.3, 10.65: 0.8}
    end = 0.0
    for x, label in steps.items():
        wide = widths.get(x, 0.98)
        if end:
            arrow(ax, (end, 1.3), (x - wide / 2, 1.3))
        box(ax, x, 1.3, label, width=wide, height=0.62)
        end = x + wide / 2
    arrow(ax, (2.8, 1.62), (3.45, 1.4))
    arrow(ax, (2.8, 0.98), (3.45, 1.2))
    line(ax, [(2.8, 0.34), (8.3, 0.34)])
    arrow(ax, (8.3, 0.34), (8.3, 0.99))
    ax.add_patch(FancyBboxPatch((3.3, 0.75), 5.6, 1.1, facecolor="none", linestyle=(0, (3, 2)),
                                edgecolor=style.MUTED, zorder=0,
                                boxstyle="round,pad=0,rounding_size=0.1"))  # fmt: skip
    words(ax, 6.95, 0.58, "in each head", color=style.MUTED)


# --- the paper's Figure 2 ------------------------------------------------------------------------


class Step(NamedTuple):
    """A box of the paper's Figure 2, and the pieces of the library that do its work."""

    box: str
    code: tuple[str, ...]


SCALED_DOT_PRODUCT = (
    Step("MatMul", ("query @ key.transpose(-2, -1)",)),
    Step("Scale", ("/ math.sqrt(d_k)",)),
    Step("Mask (opt.)", ("scores.masked_fill(~mask, ",)),
    Step("SoftMax", (".softmax(dim=-1)",)),
    Step("MatMul", ("attention_weights(query, key, mask) @ value",)),
)
MULTI_HEAD = (
    Step("Linear, 3 ×", ("self.w_q(query)", "self.w_k(key)", "self.w_v(value)")),
    Step("into h heads", ("self.split_heads(",)),
    Step("Scaled Dot-Product\nAttention, h ×", ("attention(q, k, v, mask)",)),
    Step("Concat", ("self.merge_heads(",)),
    Step("Linear", ("self.w_o(",)),
)


@mpl.rc_context(style.PRINT)
def figure_two() -> Figure:
    """Draw both diagrams of the paper's Figure 2, each box with the code that does it."""
    figure, ax = page(11.3, 5.6)
    heading(ax, 0.2, 5.35, "Scaled dot-product attention")
    heading(ax, 5.9, 5.35, "Multi-head attention")
    first = [0.95 + 0.88 * i for i in range(5)]
    for i, (step, y) in enumerate(zip(SCALED_DOT_PRODUCT, first, strict=True)):
        _step(ax, 1.35, y, step, width=1.2)
        if i:
            arrow(ax, (1.35, first[i - 1] + TALL / 2), (1.35, y - TALL / 2))
    for x, name in [(1.1, "Q"), (1.6, "K"), (0.35, "V")]:
        words(ax, x, 0.25, name, fontsize=12)
        if name != "V":
            arrow(ax, (x, 0.4), (x, first[0] - TALL / 2))
    line(ax, [(0.35, 0.4), (0.35, first[-1])])
    arrow(ax, (0.35, first[-1]), (0.75, first[-1]))

    for i, (step, y) in enumerate(zip(MULTI_HEAD, first, strict=True)):
        _step(ax, 7.1, y, step, width=1.8, behind=2 if i in (1, 2) else 0)
        for x in (6.6, 7.1, 7.6) if 0 < i < 3 else (7.1,):
            if i:
                arrow(ax, (x, first[i - 1] + TALL / 2), (x, y - TALL / 2))
    for x, name in [(6.6, "V"), (7.1, "K"), (7.6, "Q")]:
        words(ax, x, 0.25, name, fontsize=12)
        arrow(ax, (x, 0.4), (x, first[0] - TALL / 2))
    return figure


def _step(ax: Axes, x: float, y: float, step: Step, *, width: float, behind: int = 0) -> None:
    for back in range(behind, 0, -1):
        box(ax, x + 0.07 * back, y + 0.07 * back, "", width=width)
    box(ax, x, y, step.box, width=width)
    code = "\n".join(map(_shortened, step.code))
    words(ax, x + width / 2 + 0.25, y, code, ha="left", family="DejaVu Sans Mono", fontsize=9.5)


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
    ("+ norm", ("self", "+", "norm", "source", "+", "norm", "feed-\nforward", "+", "norm"),
     ("norm",)),
)  # fmt: skip


@mpl.rc_context(style.PRINT)
def outside_in() -> Figure:
    """Draw how a decoder layer grows, one row for each step; what is new is black."""
    figure, ax = page(11.3, 6.3)
    for number, (title, parts, new) in enumerate(GROWTH, start=1):
        y = 6.3 - 1.0 * number + 0.3
        heading(ax, 0.2, y, str(number))
        words(ax, 0.5, y, title, ha="left", fontsize=11.5)
        _grown(ax, y, parts, new, heads=number > 3)
    return figure


def _grown(ax: Axes, y: float, parts: Sequence[str], new: Sequence[str], heads: bool) -> None:
    places = {"self": 3.1, "source": 5.85, "feed-\nforward": 8.6}
    end, inner = 2.1, 0.0
    for part in parts:
        wide = {"+": 0.3, "norm": 0.62}.get(part, 0.95)
        x = places.get(part, end + 0.22 + wide / 2)
        arrow(ax, (end, y), (x - wide / 2, y))
        if part in places:
            inner = x - wide / 2 - 0.18
        shadows = heads and part in ("self", "source")
        for back in (2, 1) if shadows else ():
            box(ax, x + 0.07 * back, y + 0.07 * back, "", width=wide, color=style.DECODER,
                marked="heads" in new)  # fmt: skip
        tall = 0.3 if part == "+" else TALL
        box(ax, x, y, part, width=wide, height=tall, color=style.DECODER, marked=part in new)
        if part == "+":
            line(ax, [(inner, y), (inner, y + 0.47), (x, y + 0.47)])
            arrow(ax, (x, y + 0.47), (x, y + 0.15))
        end = x + wide / 2 + (0.14 if shadows else 0)
    arrow(ax, (end, y), (11.1, y))


# --- parameters ----------------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def parameter_bars(models: Mapping[str, Mapping[str, int]]) -> Figure:
    """Draw how many parameters each part of some models has -> the figure.

    models: name -> part -> number; all models have the same parts. Raises ValueError otherwise.
    """
    names = list(next(iter(models.values())))
    for name, parts in models.items():
        if list(parts) != names:
            raise ValueError(f"{name!r} has the parts {', '.join(parts)}; the first model has "
                             f"{', '.join(names)}")  # fmt: skip
    figure = style.new_figure(10.4, 0.75 * len(models) + 1.5)
    ax = figure.subplots()
    longest = max(sum(parts.values()) for parts in models.values())
    for part, color in zip(names, style.CATEGORIES, strict=False):
        starts = [sum(parts[other] for other in names[: names.index(part)])
                  for parts in models.values()]  # fmt: skip
        numbers = [parts[part] for parts in models.values()]
        ax.barh(range(len(models)), [n / 1e6 for n in numbers], left=[n / 1e6 for n in starts],
                color=color, label=part, height=0.62, edgecolor=style.PAPER)  # fmt: skip
        for row, (start, number) in enumerate(zip(starts, numbers, strict=True)):
            if number > 0.045 * longest:
                ax.text((start + number / 2) / 1e6, row, f"{number / 1e6:.1f}", ha="center",
                        va="center", fontsize=11, color=style.ink_on(color))  # fmt: skip
    for row, parts in enumerate(models.values()):
        total = sum(parts.values()) / 1e6
        ax.text(total + longest / 1e8, row, f"{total:.1f} M", va="center", weight="bold")
    ax.set_yticks(range(len(models)), list(models))
    ax.tick_params(length=0)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.13 * longest / 1e6)
    ax.set_xlabel("million parameters")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=len(names))
    return figure


@mpl.rc_context(style.PRINT)
def vocabulary_ranges(
    ranges: Mapping[str, tuple[float, float]], common: tuple[float, float], said: float
) -> Figure:
    """Draw which sizes of a vocabulary are possible, a bar for each row of a table -> the figure.

    ranges: row -> the smallest and the largest size. common: what most rows allow, drawn as a band.
    said: the size that the text gives.
    """
    figure = style.new_figure(9.2, 0.36 * len(ranges) + 1.5)
    ax = figure.subplots()
    for row, (low, high) in enumerate(ranges.values()):
        ax.barh(row, (high - low) / 1e3, left=low / 1e3, color=style.CATEGORIES[0], height=0.6)
    ax.axvspan(common[0] / 1e3, common[1] / 1e3, color=style.CATEGORIES[1], alpha=0.6, zorder=0)
    ax.axvline(said / 1e3, color=style.INK, linestyle="--")
    ax.annotate(f"the text: about {said:,.0f}", (said / 1e3, -0.9), xytext=(5, 0),
                textcoords="offset points", va="center")  # fmt: skip
    ax.annotate(f"{common[0]:,.0f} to {common[1]:,.0f}", (common[1] / 1e3, -0.9), xytext=(5, 0),
                textcoords="offset points", va="center")  # fmt: skip
    ax.set_yticks(range(len(ranges)), list(ranges))
    ax.set_ylim(len(ranges) - 0.4, -1.5)
    ax.set_xlim(left=min(low for low, _ in ranges.values()) / 1e3 - 0.5)
    ax.tick_params(length=0)
    ax.grid(axis="x")
    ax.set_axisbelow(True)
    ax.set_xlabel("size of the shared vocabulary, in thousands")
    return figure


# --- one sentence --------------------------------------------------------------------------------


class Station(NamedTuple):
    """Where a sentence is on its way: the name of the place, and the vectors (L, d) there."""

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
    figure = style.new_figure(11.3, 4.6)
    across = max(len(stations) for _, stations in rows) + 1
    grid = figure.subplots(len(rows), across)
    for axes, (tokens, stations) in zip(grid, rows, strict=True):
        for ax in axes[len(stations) :]:
            ax.axis("off")
        for ax, (name, vectors) in zip(axes, stations, strict=False):
            matrix = as_array(vectors)
            if matrix.ndim != 2 or len(matrix) != len(tokens):
                raise ValueError(f"{name!r}: {len(tokens)} words need vectors of the shape "
                                 f"({len(tokens)}, d), but theirs is {matrix.shape}")  # fmt: skip
            ax.imshow(matrix, cmap=style.SIGNED, vmin=-3, vmax=3, aspect="auto",
                      interpolation="nearest")  # fmt: skip
            ax.set_title(f"{name}\n{matrix.shape[0]} × {matrix.shape[1]}", fontsize=11)
            ax.set_xticks([])
            ax.set_yticks(range(len(tokens)), tokens if ax is axes[0] else [], fontsize=11)
            ax.tick_params(length=0)
            ax.spines[:].set_visible(False)
    last = grid[-1][across - 1]
    last.axis("on")
    last.barh(range(len(answers)), [p for _, p in answers], color=style.CATEGORIES[1], height=0.7)
    for row, (word, _) in enumerate(answers):
        last.text(0.04, row, word, va="center", fontsize=11)
    last.set(xlim=(0, 1), ylim=(len(answers) - 0.5, -0.5), yticks=[], xticks=[0, 1])
    last.set_title("next word,\nprobability", fontsize=11)
    return figure


# --- beside its rivals ---------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def cost_and_path(
    lengths: Sequence[int],
    costs: Mapping[str, Sequence[int]],
    places: Sequence[int],
    rounds: Mapping[str, Sequence[int]],
    d_model: int,
) -> Figure:
    """Draw what a layer costs, and how many rounds a word needs to be heard -> the figure.

    lengths, costs: multiplications for sentences of each length, a curve for each kind of layer.
    places, rounds: rounds for sentences of each length. d_model: marked on the axis of lengths.
    Raises ValueError when a curve has another number of points than there are lengths.
    """
    figure = style.new_figure(11.3, 4.4)
    left, right = figure.subplots(1, 2)
    colors = dict(zip({**costs, **rounds}, style.CATEGORIES, strict=False))
    looks = dict(zip(colors, LINES, strict=False))
    for ax, xs, curves, unit in [(left, lengths, costs, 1e6), (right, places, rounds, 1)]:
        for name, numbers in curves.items():
            if len(numbers) != len(xs):
                raise ValueError(f"{name!r} has {len(numbers)} points for {len(xs)} lengths")
            ax.plot(
                xs,
                [n / unit for n in numbers],
                linestyle=looks[name],
                color=colors[name],
                linewidth=2.4,
            )
            ax.annotate(name, (xs[-1], numbers[-1] / unit), xytext=(6, 0), va="center",
                        textcoords="offset points", fontsize=11)  # fmt: skip
        ax.set_xlabel("words in the sentence")
        ax.set_xticks(range(0, xs[-1] + 1, d_model if ax is left else 8))
        ax.set_xlim(0, 1.45 * xs[-1])
        ax.set_ylim(bottom=0)
        ax.grid(axis="y")
    left.axvline(d_model, color=style.MUTED, linewidth=1.2)
    left.annotate(f"$n = d_{{model}} = {d_model}$", (d_model, left.get_ylim()[1]), xytext=(5, -8),
                  textcoords="offset points", fontsize=11)  # fmt: skip
    left.set_title("million multiplications in a layer")
    right.set_title("rounds from first word to last")
    return figure
