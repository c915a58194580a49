"""The Transformer in one drawing, any part of which can be marked (the paper's Figure 1).

The source is read in the upper row, the target is written in the lower one, both from left to
right. A part is called what the library calls it: `encoder.self_attn`, `decoder.feed_forward`.
"""

from collections.abc import Sequence
from fnmatch import fnmatch
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Polygon

from transformer_lib.plots import style
from transformer_lib.plots.drawing import word

ROWS = {"encoder": 3.05, "decoder": 0.95}  # height of each row's middle; all lengths in inches
WIDTH, HEIGHT = 11.3, 4.0
BOX_HEIGHT = 0.62
SHADOW = 0.05  # how far the heads behind an attention box stick out


class Part(NamedTuple):
    """One box: where its middle is, how wide it is, and what it is called for a reader."""

    row: str
    x: float
    width: float
    label: str


PARTS = {
    "src_one_hot": Part("encoder", 1.36, 0.72, "one-hot"),
    "src_embed": Part("encoder", 2.3, 0.94, "embedding"),
    "src_positions": Part("encoder", 3.0, 0.3, "+"),
    "encoder.self_attn": Part("encoder", 4.1, 1.0, "self-\nattention"),
    "encoder.self_attn_norm": Part("encoder", 5.08, 0.64, "add &\nnorm"),
    "encoder.feed_forward": Part("encoder", 5.98, 0.84, "feed-\nforward"),
    "encoder.feed_forward_norm": Part("encoder", 6.84, 0.64, "add &\nnorm"),
    "tgt_one_hot": Part("decoder", 1.36, 0.72, "one-hot"),
    "tgt_embed": Part("decoder", 2.3, 0.94, "embedding"),
    "tgt_positions": Part("decoder", 3.0, 0.3, "+"),
    "decoder.self_attn": Part("decoder", 4.1, 1.0, "self-\nattention"),
    "decoder.self_attn_norm": Part("decoder", 5.08, 0.64, "add &\nnorm"),
    "decoder.cross_attn": Part("decoder", 6.06, 1.0, "cross-\nattention"),
    "decoder.cross_attn_norm": Part("decoder", 7.04, 0.64, "add &\nnorm"),
    "decoder.feed_forward": Part("decoder", 7.94, 0.84, "feed-\nforward"),
    "decoder.feed_forward_norm": Part("decoder", 8.8, 0.64, "add &\nnorm"),
    "generator.proj": Part("decoder", 9.72, 0.68, "linear"),
    "generator.softmax": Part("decoder", 10.62, 0.82, "softmax"),
}
MASKS = {
    "encoder.self_attn.mask": "padding mask",
    "decoder.self_attn.mask": "causal and padding mask",
    "decoder.cross_attn.mask": "padding mask",
}
FRAMES = {"encoder": (3.37, 7.28), "decoder": (3.37, 9.24)}  # what is repeated N times
COLORS = {"encoder": style.ENCODER, "decoder": style.DECODER}


@mpl.rc_context(style.PRINT)
def architecture(*highlight: str, N: int = 6) -> Figure:
    """Draw the whole Transformer with some of its parts marked -> the figure.

    highlight: names of parts, or patterns: "encoder.*" is a whole encoder layer, "*_attn" each
    attention, "*.heads" the heads behind them, "*.mask" the masks. N: how often a layer is
    repeated. Raises ValueError for a pattern that fits no part.
    """
    marked = find_parts(*highlight)
    figure = style.new_figure(WIDTH, HEIGHT)
    ax = figure.subplots()
    ax.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
    ax.axis("off")
    for row, (left, right) in FRAMES.items():
        _frame(ax, row, left, right, N)
        _row_of_arrows(ax, row)
    _memory(ax)
    for name, part in PARTS.items():
        _part(ax, name, part, marked)
    for name, label in MASKS.items():
        _mask(ax, PARTS[name.removesuffix(".mask")], label, name in marked)
    _words(ax, 0.38, ROWS["encoder"], ["I", "like", "trees", "<eos>"])
    _words(ax, 0.38, ROWS["decoder"], ["<bos>", "me", "gustan"])
    _words(ax, 10.62, ROWS["decoder"] + 0.95, ["los"])
    arrow(ax, (10.62, ROWS["decoder"] + BOX_HEIGHT / 2), (10.62, ROWS["decoder"] + 0.78))
    return figure


def find_parts(*patterns: str) -> set[str]:
    """The names of all parts that fit one of the patterns; ValueError when one fits none."""
    heads = [f"{name}.heads" for name in PARTS if name.endswith("_attn")]
    names = [*PARTS, *heads, *MASKS]
    found = {pattern: {name for name in names if fnmatch(name, pattern)} for pattern in patterns}
    for pattern, fitting in found.items():
        if not fitting:
            raise ValueError(f"no part is called {pattern!r}; the parts are {', '.join(names)}")
    return set().union(*found.values())


def _part(ax: Axes, name: str, part: Part, marked: set[str]) -> None:
    y = ROWS[part.row]
    if part.label == "+":
        ax.add_patch(Circle((part.x, y), part.width / 2, zorder=2, **_look(part, name in marked)))
        _label(ax, part.x, y, "+", name in marked, size=14)
        _label(ax, part.x, y - 0.44, "position", name in marked, box=True)
        arrow(ax, (part.x, y - 0.34), (part.x, y - part.width / 2))
        return
    if name.endswith("_attn"):
        heads = f"{name}.heads" in marked
        for step in (2, 1):  # the other heads, behind the first
            _box(ax, part.x + step * SHADOW, y + step * SHADOW, part, heads)
    if name.endswith(("_attn", "feed_forward")):
        _residual(ax, part, PARTS[f"{name}_norm"], y)
    _box(ax, part.x, y, part, name in marked)
    _label(ax, part.x, y, part.label, name in marked)


def _box(ax: Axes, x: float, y: float, part: Part, marked: bool) -> None:
    ax.add_patch(FancyBboxPatch(
        (x - part.width / 2, y - BOX_HEIGHT / 2), part.width, BOX_HEIGHT, zorder=2,
        boxstyle="round,pad=0,rounding_size=0.08", **_look(part, marked),
    ))  # fmt: skip


def _look(part: Part, marked: bool) -> dict:
    return {"facecolor": style.INK if marked else style.PAPER, "linewidth": 1.6,
            "edgecolor": COLORS[part.row]}  # fmt: skip


def _label(
    ax: Axes, x: float, y: float, words: str, marked: bool, size: float = 10.5, box: bool = False
) -> None:
    ground = {"boxstyle": "round,pad=0.15", "linewidth": 0,
              "facecolor": style.INK if marked else style.PAPER}  # fmt: skip
    ax.text(x, y, words, ha="center", va="center", fontsize=size, zorder=3, linespacing=1.0,
            color=style.PAPER if marked else style.INK, bbox=ground if box else None)  # fmt: skip


def _mask(ax: Axes, part: Part, label: str, marked: bool) -> None:
    y = ROWS[part.row] - BOX_HEIGHT / 2
    arrow(ax, (part.x, y - 0.2), (part.x, y))
    aside = 0.3 if len(label) > 20 else 0.0  # a long one stays inside the frame of the layer
    _label(ax, part.x + aside, y - 0.3, label, marked, size=10, box=True)


def _frame(ax: Axes, row: str, left: float, right: float, N: int) -> None:
    bottom, top = ROWS[row] - 0.85, ROWS[row] + 0.82
    ax.add_patch(FancyBboxPatch(
        (left, bottom), right - left, top - bottom, boxstyle="round,pad=0,rounding_size=0.12",
        facecolor="#F4F4F4", edgecolor=COLORS[row], linewidth=1.2, zorder=0,
    ))  # fmt: skip
    ax.text(right - 0.1, bottom + 0.17, f"{row} layer, {N} ×", ha="right", va="center",
            fontsize=11.5, weight="bold", color=style.INK)  # fmt: skip


def _row_of_arrows(ax: Axes, row: str) -> None:
    """From the words through the boxes of one row."""
    y, end = ROWS[row], 0.8
    for name, part in PARTS.items():
        if part.row == row:
            arrow(ax, (end, y), (part.x - part.width / 2, y))
            end = part.x + part.width / 2 + (2 * SHADOW if name.endswith("_attn") else 0)


def _residual(ax: Axes, part: Part, norm: Part, y: float) -> None:
    """Around a sub-layer: what goes in is added to what comes out."""
    start, over = part.x - part.width / 2 - 0.12, y + BOX_HEIGHT / 2 + 0.27
    line(ax, [(start, y), (start, over), (norm.x, over)])
    arrow(ax, (norm.x, over), (norm.x, y + BOX_HEIGHT / 2))


def _memory(ax: Axes) -> None:
    """From the encoder's end to each decoder layer, which makes keys and values of its own."""
    norm, cross = PARTS["encoder.feed_forward_norm"], PARTS["decoder.cross_attn"]
    start, right = norm.x + norm.width / 2, FRAMES["encoder"][1] + 0.3
    middle = (ROWS["encoder"] - 0.85 + ROWS["decoder"] + 0.82) / 2
    line(ax, [(start, ROWS["encoder"]), (right, ROWS["encoder"]), (right, middle),
               (cross.x, middle)])  # fmt: skip
    arrow(ax, (cross.x, middle), (cross.x, ROWS["decoder"] + BOX_HEIGHT / 2 + 2 * SHADOW))
    ax.text(right + 0.1, ROWS["encoder"], "memory: a vector\nfor each word", va="center",
            fontsize=10.5)  # fmt: skip
    ax.text(right + 0.1, middle + 0.22, "each decoder layer makes\nits own keys and values from it",
            va="center", fontsize=10.5)  # fmt: skip


def _words(ax: Axes, x: float, y: float, words: Sequence[str]) -> None:
    """Under each other, each in its color."""
    for row, text in enumerate(words):
        word(ax, (x, y + 0.24 * ((len(words) - 1) / 2 - row)), text, size=12)


def line(ax: Axes, corners: list[tuple[float, float]]) -> None:
    """A bent line, without a head."""
    ax.add_patch(Polygon(corners, closed=False, fill=False, edgecolor=style.MUTED, linewidth=1.3,
                         zorder=1))  # fmt: skip


def arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """An arrow as in all drawings of the architecture."""
    ax.annotate("", xy=end, xytext=start, zorder=1, arrowprops={
        "arrowstyle": "-|>", "color": style.MUTED, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0,
        "mutation_scale": 11})  # fmt: skip
