"""The Transformer in one drawing, any part of which can be marked (the paper's Figure 1).

The source is read on the left, the target is written on the right, both from the bottom up.
A part is called what the library calls it: `encoder.self_attn`, `decoder.feed_forward`.
"""

from fnmatch import fnmatch
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.arrows import arrow, box, path
from course.drawing.words import bold, canvas, centered, label, muted, sentence

MIDDLES = {"encoder": 2.05, "decoder": 5.75}  # of each half; all lengths in inches
WIDTH, HEIGHT = 8.0, 8.85
BOX_WIDTH, BOX_HEIGHT = 1.55, 0.44
SHADOW = 0.05  # how far the heads behind an attention box stick out
# What everybody sees in it, for the alt texts.
LAYOUT = (
    "The whole Transformer, in two columns, from the bottom up: on the left the encoder reads 'I "
    "like trees <eos>', on the right the decoder writes 'los' after '<bos> me gustan'."
)


class Part(NamedTuple):
    """One box. half: "encoder" or "decoder". y: the height of its middle. label: the text in it."""

    half: str
    y: float
    label: str


PARTS = {
    "src_one_hot": Part("encoder", 0.75, "one-hot"),
    "src_embed": Part("encoder", 1.37, "embedding"),
    "src_positions": Part("encoder", 1.92, "+"),
    "encoder.self_attn": Part("encoder", 2.95, "self-attention"),
    "encoder.self_attn_norm": Part("encoder", 3.65, "add & norm"),
    "encoder.feed_forward": Part("encoder", 4.5, "feed-forward"),
    "encoder.feed_forward_norm": Part("encoder", 5.2, "add & norm"),
    "tgt_one_hot": Part("decoder", 0.75, "one-hot"),
    "tgt_embed": Part("decoder", 1.37, "embedding"),
    "tgt_positions": Part("decoder", 1.92, "+"),
    "decoder.self_attn": Part("decoder", 2.95, "self-attention"),
    "decoder.self_attn_norm": Part("decoder", 3.65, "add & norm"),
    "decoder.cross_attn": Part("decoder", 4.5, "cross-attention"),
    "decoder.cross_attn_norm": Part("decoder", 5.2, "add & norm"),
    "decoder.feed_forward": Part("decoder", 6.05, "feed-forward"),
    "decoder.feed_forward_norm": Part("decoder", 6.75, "add & norm"),
    "generator.proj": Part("decoder", 7.48, "linear"),
    "generator.softmax": Part("decoder", 8.08, "softmax"),
}
MASKS = {
    "encoder.self_attn.mask": "padding\nmask",
    "decoder.self_attn.causal.mask": "causal mask",
    "decoder.self_attn.mask": "padding mask",
    "decoder.cross_attn.mask": "padding\nmask",
}
FRAMES = {"encoder": (2.3, 5.55), "decoder": (2.3, 7.1)}  # what is repeated N times
COLORS = {"encoder": style.ENCODER, "decoder": style.DECODER}


def architecture(*highlight: str, title: str = "", way: bool = False) -> Figure:
    """Draw the whole Transformer with some of its parts marked -> the figure.

    highlight: names of parts, or patterns: "encoder.*" is a whole encoder layer, "*_attn" each
    attention, "*.heads" the heads behind them, "*.mask" the masks. title: what to see, in the free
    corner. way: with the words' way to the next word thick, in the colors of the halves, the
    memory's vectors, grey norms and no heads.
    """
    heads = (f"{name}.heads" for name in PARTS if name.endswith("_attn"))
    names = [*PARTS, *heads, *MASKS]
    marked = set()
    for pattern in highlight:
        fitting = {name for name in names if fnmatch(name, pattern)}
        if not fitting:
            raise ValueError(f"no part is called {pattern!r}; the parts are {', '.join(names)}")
        marked |= fitting
    figure, ax = canvas(HEIGHT)
    for half, (bottom, top) in FRAMES.items():
        _frame(ax, half, bottom, top)
        _column_of_arrows(ax, half, way)
    _memory(ax, **(_thick("encoder") if way else {}))
    source = ["I", "like", "trees", "<eos>"]
    for i, text in enumerate(source if way else ()):
        look = {"fill": style.WORDS[text], "line": 0, "zorder": 3, "round": 0.04}
        box(ax, (2.5 + 0.2 * i, 5.95), 0.12, 0.5, **look)
    for name, part in PARTS.items():
        _part(ax, name, part, marked, way)
    for name, said in MASKS.items():
        _mask(ax, PARTS[name.removesuffix(".mask").removesuffix(".causal")], said, name in marked)
    bold(ax, (0.3, 8.7), title, size=16, va="top")
    for half, y, words in (
        ("encoder", 0.2, source),
        ("decoder", 0.2, ["<bos>", "me", "gustan"]),
        ("decoder", 8.66, ["los"]),
    ):
        at = MIDDLES[half], y - 0.33 * 13 / 72  # their baseline
        sentence(ax, at, words, size=13, gap=0.2, ha="center")
    if way:
        muted(ax, (MIDDLES["decoder"] + 0.3, 8.66), "the word after gustan")
    x = MIDDLES["decoder"]
    end = (x, PARTS["generator.softmax"].y + BOX_HEIGHT / 2)
    arrow(ax, end, (x, 8.5), **(_thick("decoder") if way else {}))
    return figure


def _thick(half: str) -> dict:
    return {"color": COLORS[half], "thick": 3}


def _part(ax: Axes, name: str, part: Part, marked: set[str], way: bool) -> None:
    x = MIDDLES[part.half]
    if part.label == "+":
        box(ax, (x, part.y), 0.3, 0.3, **_look(part, name in marked), round=0.15)
        _label(ax, x, part.y, "+", name in marked, size=15)
        _label(ax, x + 0.85, part.y, "position", name in marked, box=True)
        arrow(ax, (x + 0.5, part.y), (x + 0.15, part.y))
        return
    for step in (2, 1) if name.endswith("_attn") and not way else ():  # the other heads, behind
        _box(ax, part, f"{name}.heads" in marked, step * SHADOW)
    if name.endswith(("_attn", "feed_forward")):
        _residual(ax, part, PARTS[f"{name}_norm"])
    _box(ax, part, name in marked, grey=way and part.label == "add & norm")
    _label(ax, x, part.y, part.label, name in marked)


def _box(ax: Axes, part: Part, marked: bool, behind: float = 0.0, grey: bool = False) -> None:
    at = MIDDLES[part.half] + behind, part.y + behind
    look = {"fill": style.PAPER} if grey else _look(part, marked)
    box(ax, at, BOX_WIDTH, BOX_HEIGHT, **look)


def _look(part: Part, marked: bool) -> dict:
    color = style.ACCENT if marked else COLORS[part.half]
    return {"color": color, "fill": color if marked else style.PAPER, "line": 1.8}


def _label(
    ax: Axes, x: float, y: float, words: str, marked: bool, size: float = 12, box: bool = False
) -> None:
    ink, paper = (style.PAPER, style.ACCENT) if marked else (style.INK, style.PAPER)
    ground = {"boxstyle": "round,pad=0.15", "linewidth": 0, "facecolor": paper} if box else None
    look = {"size": size, "zorder": 3, "linespacing": 1.1, "color": ink, "bbox": ground}
    centered(ax, x, y, words, **look)


def _mask(ax: Axes, part: Part, said: str, marked: bool) -> None:
    """Beside its attention, on the left, one above the other; under the memory, if it comes in."""
    x = MIDDLES[part.half]
    y = part.y - (0.1 if part.label == "cross-attention" else 0)
    arrow(ax, (x - 1.35, y), (x - BOX_WIDTH / 2, y), style.SOFT)
    wide = 0.31 if "\n" in said else 0.48
    lift = 0.14 if "causal" in said else -0.14 if wide > 0.4 else 0
    _label(
        ax, x - 1.4 - wide, y + lift - (0.12 if y < part.y else 0), said, marked, size=11, box=True
    )


def _frame(ax: Axes, half: str, bottom: float, top: float) -> None:
    x = MIDDLES[half]
    middle, color = (bottom + top) / 2, COLORS[half]
    box(ax, (x, middle), 2.3, top - bottom, color=color, fill=style.TINTS[color], line=0, zorder=0)
    aside, ha = (1.25, "left") if half == "decoder" else (-1.25, "right")
    look = {"size": 13, "ha": ha, "va": "top", "color": color}
    bold(ax, (x + aside, top - 0.15), f"{half}\nlayer, 6 ×", **look)


def _column_of_arrows(ax: Axes, half: str, way: bool) -> None:
    """From the words up through the boxes of one half."""
    x, end, look = MIDDLES[half], 0.36, _thick(half) if way else {}
    for name, part in PARTS.items():
        if part.half == half:
            high = 0.15 if part.label == "+" else BOX_HEIGHT / 2
            arrow(ax, (x, end), (x, part.y - high), **look)
            end = part.y + high + 2 * SHADOW * (name.endswith("_attn") and not way)


def _residual(ax: Axes, part: Part, norm: Part) -> None:
    """Around a sub-layer: what goes in is added to what comes out."""
    x = MIDDLES[part.half]
    below, aside = part.y - BOX_HEIGHT / 2 - 0.14, x + BOX_WIDTH / 2 + 0.24
    path(ax, [(x, below), (aside, below), (aside, norm.y), (x + BOX_WIDTH / 2, norm.y)], style.SOFT)


def _memory(ax: Axes, **look: Any) -> None:
    """From the encoder's end to each decoder layer, which makes keys and values of its own."""
    norm, cross = PARTS["encoder.feed_forward_norm"], PARTS["decoder.cross_attn"]
    x, over, lane, y = MIDDLES["encoder"], 5.95, 3.5, cross.y + 0.1
    end = MIDDLES["decoder"] - BOX_WIDTH / 2, y
    path(ax, [(x, norm.y + BOX_HEIGHT / 2), (x, over), (lane, over), (lane, y), end], **look)
    said = (
        "memory: a vector for each word.\nEach decoder layer makes its own\nkeys and values from it"
    )
    label(ax, (x - 1.15, over + 0.66), said, size=12)
