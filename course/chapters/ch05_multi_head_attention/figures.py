"""Several heads at once: the way through eight heads, and who looks at whom, head by head."""

import re
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from course.drawing import style
from course.drawing.arrows import attention_arrow, box, path, threads
from course.drawing.cells import area, outline
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import Point, bold, canvas, label, muted, sentence, word, word_color
from transformer_lib.translator import Translator

FAINT = 0.03  # lines of less weight are left out: they could not be seen


def _rows(
    ax: Axes, at: Point, wide: float, high: float, rows: int, colors: list[str], tints: Any = ()
) -> None:
    """A matrix with a line under each row, in upright stripes or each row in its own color."""
    step = wide / len(colors)
    for place, color in enumerate(colors):
        area(ax, (at[0] + place * step, at[1]), step, high, color)
        outline(ax, (at[0] + place * step, at[1]), step, high, style.SOFT)
    for row in range(rows):
        place = at[0], at[1] + high * (rows - row - 1) / rows
        if tints:
            area(ax, place, wide, high / rows, tints[row])
        outline(ax, place, wide, high / rows, style.MUTED)


def arcs(
    ax: Axes,
    middles: Sequence[float],
    y: float,
    row: Any,
    query: int,
    color: str,
    below: bool = False,
) -> None:
    """Arrows over, or under, a sentence: from the word that looks to those it looks at.

    middles: where the words stand. row: its weights, one for each word; beside each arrow of at
    least 3 % stands its share. query: the place of the word that looks.
    """
    side = -1 if below else 1
    for x, weight in zip(middles, as_array(row), strict=True):
        if weight >= FAINT:
            rise = side * (0.3 + 0.07 * abs(x - middles[query]))
            start, end = (middles[query], y), (x, y + 0.05 * side)
            attention_arrow(ax, start, end, float(weight), color, widest=4, rise=rise)
            at = (x + middles[query]) / 2, y + rise + 0.22 * side
            ink = style.readable(color, style.PAPER)
            bold(ax, at, f"{weight:.0%}", color=ink, size=14, ha="center")


TIRED = "The animal didn't cross the street because it was too tired"
# The words that look in the riddle, each with a color in all pictures of it.
RIDDLE = {"it": style.ACCENT, "tired": style.SECOND}


@figure(
    "heads-recap",
    caption="The path of three words through eight heads, with all shapes.",
    alt="""From X, 3 × 512, eight lines lead down to eight columns of Q, K and V, each 3 × 64,
    and on to Z 0 to Z 7, each 3 × 64. Below they stand side by side, 3 × 512 again; times W O,
    512 × 512, they give the output, 3 × 512, the shape of X. One head is colored all the way.""",
)
def draw_heads_recap() -> Figure:
    words, h, wide, high = ["I", "like", "trees"], 8, 1.4, 0.54
    length, title = len(words), "Eight heads work separately, and one matrix combines their results"
    figure, ax = canvas(6.05, title)
    pitch, joined, low, side = 6.55 / h, 1.5, 1.22, 1.3  # side: where the captions end
    middles = [1.4 + pitch * (head + 0.5) for head in range(h)]
    center = (middles[0] + middles[-1]) / 2
    colors = [style.ACCENT, *[style.FAINT] * (h - 1)]
    tall, base = 0.25 * length, 4.8  # so that the words don't touch
    tints = [style.tint(word_color(text)) for text in words]
    _rows(ax, (center - wide / 2, base), wide, tall, length, [style.PAPER], tints)
    for row, text in enumerate(words):
        at = center - wide / 2 - 0.12, base + tall * (1 - (row + 0.5) / length)
        word(ax, at, text, size=10, ha="right")
    below = "the words, or the output\nof the layer below"
    muted(ax, (center + wide / 2 + 0.12, base + tall / 2), below)
    for head, (x, color) in reversed(list(enumerate(zip(middles, colors, strict=True)))):
        threads(ax, [(center, base - 0.02)], [(x, 3.97)], 0.4, color, upright=True)
        for place, letter in enumerate("QKV"):
            at = x + (place - 1) * 0.245, 3.75
            box(ax, at, 0.23, 0.4, letter, color, fill=color, round=0.03)
        attention_arrow(ax, (x, 3.52), (x, 2.88), 0.4, color)
        box(ax, (x, 2.64), 0.5, 0.4, f"$Z_{head}$", color, fill=color, round=0.03)
        end = joined + wide * (head + 0.5) / h, low + high + 0.03
        threads(ax, [(x, 2.42)], [end], 0.4, color, upright=True)
    for y, said in (
        (base + tall / 2, "$X$   3 × 512"),
        (4.3, "$W^Q_i$, $W^K_i$, $W^V_i$\neach 512 × 64"),
        (3.75, "each 3 × 64"),
        (3.2, r"softmax$\left(\frac{QK^T}{\sqrt{d_k}}\right)V$"),
        (2.64, "each 3 × 64"),
        (low + high / 2, "side by side\n3 × 512"),
    ):
        label(ax, (side, y), said, size=style.LABEL, ha="right", linespacing=1.35)
    _rows(ax, (joined, low), wide, high, length, colors)
    last, top = joined + wide + 0.85, low + high  # of the matrix, as wide as it is high
    _rows(ax, (last, top - wide), wide, wide, h, [style.PAPER], colors)
    out = last + wide + 0.85
    _rows(ax, (out, low), wide, high, length, [style.PAPER], tints)
    for x, y, text in (
        (last - 0.425, low + high / 2, "×"),
        (last + wide / 2, top - wide - 0.18, "$W^O$  512 × 512"),
        (out - 0.425, low + high / 2, "="),
        (out + wide / 2, low - 0.3, "output  3 × 512,\nthe same shape as $X$"),
    ):
        label(ax, (x, y), text, size=17 if len(text) == 1 else style.LABEL, ha="center")
    said = "the 64 numbers of head 0\nmeet the orange rows of $W^O$"
    label(ax, (last + wide + 0.15, 0.42), said, color=style.ACCENT)
    return figure


def maps_of_tired() -> Any:
    return Translator.load().attention_maps(TIRED)


@figure(
    "heads-eight",
    caption="What two words attend to in each of the encoder's eight heads.",
    alt="""The sentence 'the animal did not cross the street because it was too tired'; under it
    a line for each of eight heads, four in each layer. Half disks show how much attention the
    word above gets from 'it', over the line, and from 'tired', under it. In layer 0 the largest
    are mostly under <eos>. In layer 1, head 1 attends to words just before; head 2 has one full
    disk, under 'animal', 98% and 100%; heads 0 and 3 have small ones everywhere.""",
    hero=True,
)
def draw_heads_eight() -> Figure:
    maps = maps_of_tired()
    words, step, apart = maps.src, 0.46, 0.2
    one, other = RIDDLE
    places = [words.index(text) for text in RIDDLE]
    tables = {
        (layer, head): as_array(table[places])
        for layer in (0, 1)
        for head, table in enumerate(maps.weights[f"encoder.layers.{layer}.self_attn"])
    }
    both, target = (1, 2), words.index("animal")
    note = (
        "Our translator’s encoder, weights of 5% or more. "
        f"Upper half disks: weights from “{one}”; lower: from “{other}”"
    )
    title = f"One of eight heads connects both “{one}” and “{other}” with “{words[target]}”"
    figure, ax = canvas(1.6 + step * len(tables), title, note)
    y = ax.get_ylim()[1] - 1.04
    middles = sentence(ax, (1.5, y - 0.04), words, {words[target]: style.INK, **RIDDLE}, size=11)
    area(ax, (middles[target] - 0.32, 0.05), 0.64, y - 0.25, style.GROUND, zorder=0)
    y += apart
    for (layer, head), table in tables.items():
        loud = (layer, head) == both
        y -= step
        if head == 0:
            y -= apart
            bold(ax, (0.1, y), f"layer {layer}")
        label(ax, (0.75, y), f"head {head}", size=style.LABEL, weight="bold" if loud else "normal")
        ends = [(middles[0] - 0.2, y), (middles[-1] + 0.2, y)]
        path(ax, ends, style.RULE, head=False, thick=0.7, zorder=1)
        for side, weights, color in zip((1, -1), table, RIDDLE.values(), strict=True):
            for x, weight in zip(middles, weights, strict=True):
                if weight >= 0.05:
                    half = (x, y), 0.2 * weight**0.5, min(0, 180 * side), max(0, 180 * side)
                    ax.add_patch(Wedge(*half, color=color, lw=0, alpha=1 if loud else 0.5))
            if loud:
                said = f"{weights[target]:.0%} of the weight from “{one if side > 0 else other}”"
                look = {"weight": "bold", "color": style.readable(color, style.PAPER)}
                label(ax, (middles[target] + 0.4, y + 0.1 * side), said, **look)
    return figure


@figure(
    "heads-one-two-all",
    caption="What 'it' attends to: in one head, in the mean of two, and in the mean of all four.",
    alt="""Three times the words of the sentence in a column, and lines to them from 'it'. Head
    2: one thick line goes to 'animal', 98%. Mean of heads 1 and 2: a line half as thick to
    'animal', 49%, and one to 'because', 35%. Mean of all four: thin lines fan out to most words,
    the thickest to 'animal', 27%, and to 'because', 24%.""",
)
def draw_heads_one_two_all() -> Figure:
    maps = maps_of_tired()
    words, asker, color = maps.src, "it", RIDDLE["it"]
    query, target, step, low = words.index(asker), words.index("animal"), 0.27, 0.2
    weights = as_array(maps.weights["encoder.layers.1.self_attn"])[:, query]
    tall = step * (len(words) - 1)
    shares = weights[2, target], weights[:, target].mean()
    title = (
        f"“{words[target]}” has {shares[0]:.0%} of the weight in one head and {shares[1]:.0%} in "
        "the mean of four"
    )
    note = f"What “{asker}” attends to in layer 1 of our translator’s encoder (four heads)"
    figure, ax = canvas(tall + 1.45, title, note)
    for x, heads, what in (
        (0.3, [2], "head 2"),
        (2.88, [1, 2], "mean of heads 1 and 2"),
        (5.46, [0, 1, 2, 3], "mean of all four"),
    ):
        ends = [(x + 1.02, low + tall - step * place) for place in range(len(words))]
        start, mean = (x, ends[query][1]), weights[heads].mean(axis=0)
        threads(ax, [start], ends, mean, color, name=f"of {len(heads)} heads", widest=8)
        bold(ax, (x + 1.05, low + tall + 0.36), what)
        word(ax, (x - 0.08, start[1]), asker, size=13, ha="right", color=color)
        largest = {place for place in (*mean.argsort()[-2:], target) if mean[place] >= 0.1}
        for place, (text, end) in enumerate(zip(words, ends, strict=True)):
            ink = color if place == target else style.INK if place in largest else style.MUTED
            word(ax, (end[0] + 0.08, end[1]), text, ha="left", color=ink)
            if place in largest:
                look = {"size": 13, "weight": "bold", "ha": "right", "color": ink}
                label(ax, (end[0] + 1.3, end[1]), f"{mean[place]:.0%}", **look)
    return figure


@figure(
    "heads-three-uses",
    caption="The three uses of attention, in the last layers, on 'I like trees'.",
    alt="""Three panels, each with the words that attend on the left, and lines to the words on
    the right. Encoder self-attention, English to English, in gray. Cross-attention, Spanish to
    English, in the words' colors: to write 'gustan' it attends to 'like' and a little to
    'trees', for 'árboles' to 'trees', and for <eos> to <eos>. Decoder self-attention, Spanish to
    the Spanish before it, in gray: no line leads down.""",
)
def draw_heads_three_uses() -> Figure:
    maps = Translator.load().attention_maps("I like trees")
    note = "Our translator’s last layers, mean of four heads each; weights of 10% or more"
    step = 0.47
    title = "Only cross-attention links the two languages"
    figure, ax = canvas(1.4 + step * len(maps.tgt_out), title, note)
    for x, kind, rows, columns, said in (
        (0.83, "encoder", maps.src, maps.src, "encoder\nself-attention"),
        (3.5, "decoder.*cross", maps.tgt_out, maps.src, "cross-attention"),
        (6.22, "decoder.*self", maps.tgt_out, maps.tgt_in, "decoder\nself-attention"),
    ):
        means = [w.mean(dim=0) for name, w in maps.weights.items() if re.match(kind, name)][-1]
        loud, top = "cross" in kind, ax.get_ylim()[1] - 0.98
        ink = style.INK if loud else style.MUTED
        bold(ax, (x + 0.5, top), said, size=12, ha="center", color=ink)
        starts = [(x + 0.1, top - 0.55 - step * row) for row in range(len(rows))]
        for (_, y), text in zip(starts, rows, strict=True):
            word(ax, (x, y), text, size=12, ha="right", color=None if loud else style.MUTED)
        for j, text in enumerate(columns):
            y, color = starts[j][1], word_color(text) if loud else style.SOFT
            word(ax, (x + 1.05, y), text, size=12, ha="left", color=None if loud else style.MUTED)
            threads(ax, starts, [(x + 0.95, y)], means[:, j], color, widest=9, least=0.1)
    return figure
