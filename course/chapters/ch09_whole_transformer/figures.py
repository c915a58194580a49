"""Drawings of the whole Transformer: opened step by step, in numbers, and beside its rivals."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.ticker import MaxNLocator

from course.chapters.ch09_whole_transformer.experiment_growing import runs_of
from course.chapters.ch09_whole_transformer.experiments import (
    TABLE_3,
    common_vocabulary,
    inside_a_layer,
    on_paper,
    parts,
    possible_vocabulary,
)
from course.chapters.journey.figures import the_way
from course.drawing import style
from course.drawing.architecture import LAYOUT, architecture
from course.drawing.arrows import arrow, box, path, threads
from course.drawing.cells import area, outline
from course.drawing.plots import curves, name_lines
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import (
    bold,
    canvas,
    centered,
    label,
    muted,
    sentence,
    titled,
    word,
    word_color,
)
from transformer_lib.model.config import BASE
from transformer_lib.translator import Translator

TALL = 0.56  # height of a box; all lengths in inches
ENCODER, DECODER = ({"color": side, "fill": style.PAPER} for side in (style.ENCODER, style.DECODER))
# What is new, or opened next.
LOUD = {"color": style.ACCENT, "fill": style.PALE, "line": 2.2, "weight": "bold"}


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
INPUTS = dict(zip(("query", "key", "value"), (style.CATEGORIES[i] for i in (6, 0, 3)), strict=True))
OPENED = 2  # the box of the multi-head diagram that holds the other


def _input(ax: Axes, corners: Sequence[tuple[float, float]], name: str) -> None:
    """An arrow in an input's own color, and its letter where it begins."""
    path(ax, corners, INPUTS[name], thick=2)
    (x, y), letter = corners[0], {"query": "Q", "key": "K", "value": "V"}[name]
    bold(ax, (x, y - 0.13), letter, color=INPUTS[name], ha="center")


def _diagram(
    ax: Axes,
    middle: float,
    wide: float,
    steps: Sequence[_CodeBox],
    ys: Sequence[float],
    inputs: Mapping[float, str],
    shapes: Sequence[str],
    several: Sequence[int] = (),
) -> None:
    """Boxes from the bottom up; into those in `several` go all inputs, each in its color.

    shapes: what comes out of each box, written beside the arrow.
    """
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
        if i:
            muted(ax, (middle + 0.12, (below + y - half) / 2), shapes[i - 1])
        top = y + half - 0.2
        bold(ax, (middle, top), step.box, ha="center")
        for line, code in enumerate(lines):
            _code(ax, middle, top - 0.28 - 0.2 * line, code)
        below = y + half + 0.1 * (i in several)
    arrow(ax, (middle, below), (middle, below + 0.42))
    muted(ax, (middle + 0.12, below + 0.3), shapes[-1])


def _code(ax: Axes, middle: float, y: float, code: str) -> None:
    """Code around a point; a query, a key and a value stand on their colors."""
    label(ax, (middle, y), code, ha="center", family=style.MONO)
    letter = 0.0947  # inches, at the size of a note
    for found in re.finditer("query|key|value", code):
        ends = [middle + (at - len(code) / 2) * letter for at in found.span()]
        area(ax, (ends[0], y - 0.1), ends[1] - ends[0], 0.2, style.tint(INPUTS[found[0]]), zorder=3)


SELF, SOURCE, FORWARD = "self-\nattention", "cross-\nattention", "feed-\nforward"
ADDED = (SOURCE, "+", "norm", FORWARD, "+", "norm")
WHOLE = (SELF, "+", "norm", *ADDED)
GROWTH = {  # a stage of the experiment: what is new in words, all boxes, and the new ones
    "cross-attention": ("reads the English", (SOURCE, FORWARD), (SOURCE, FORWARD)),
    "+ residuals and norms": ("keeps what came in", ADDED, ("+", "norm")),
    "+ self-attention": ("reads its own words,\nand has an encoder", WHOLE, (SELF,)),
    "+ mask": ("can’t look ahead", ("mask", *WHOLE), ("mask",)),
    "+ positions": ("knows the order", ("position", "mask", *WHOLE), ("position",)),
    "+ heads": ("reads in several ways", ("position", "mask", *WHOLE), ("heads",)),
}
AT = {SELF: 2.45, SOURCE: 4.0, FORWARD: 5.55}


def _grown(ax: Axes, y: float, parts: Sequence[str], new: Sequence[str]) -> None:
    """A decoder layer with these parts, in a row; the new ones are loud."""
    end, inner = 1.84, 0.0
    for part in parts:
        color = style.ACCENT if part in new else style.MUTED
        if part in ("position", "mask"):
            x = 1.88 if part == "position" else AT[SELF] + 0.22
            top = y if part == "position" else y - TALL / 2
            arrow(ax, (x, y - 0.46), (x, top), color)
            label(ax, (x + 0.06, y - 0.42), part, color=color)
            continue
        wide = {"+": 0.2, "norm": 0.42}.get(part, 0.74)
        x = AT.get(part, end + 0.05 + wide / 2)
        arrow(ax, (end, y), (x - wide / 2, y))
        if part in AT:
            inner = x - wide / 2 - 0.08
        for back in (0.12, 0.06) if "heads" in new and part in (SELF, SOURCE) else ():
            box(ax, (x + back, y + back), wide, TALL, **LOUD | {"line": 1.2})
        look, tall = LOUD if part in new else DECODER, 0.2 if part == "+" else TALL
        box(ax, (x, y), wide, tall, part, **{"line": 1.2, "size": style.NOTE - 1, **look})
        if part == SOURCE:
            arrow(ax, (x, y - 0.46), (x, y - TALL / 2), style.ENCODER, thick=2)
            label(ax, (x + 0.06, y - 0.42), "memory", color=style.ENCODER)
        if part == "+":
            path(ax, [(inner, y), (inner, y + 0.41), (x, y + 0.41), (x, y + 0.1)], color)
        end = x + wide / 2
    arrow(ax, (end, y), (6.95, y))


TABLES = ("source embeddings", "target embeddings", "generator")


@figure(
    "architecture",
    caption="""The whole Transformer: the source is read on the left, the target is written on
    the right.""",
    alt=f"""{LAYOUT} Encoder layer: self-attention and feed-forward, each followed by add and
    norm. The decoder layer has cross-attention in between; the memory, four colored vectors from
    the encoder's end, goes to each layer, which makes its own keys and values from it. The
    decoder's self-attention has a causal and a padding mask. At the end come linear and
    softmax.""",
)
def draw_architecture() -> Figure:
    return architecture(title="The encoder reads, and\nthe decoder writes\nthe next word", way=True)


SENTENCE = "I like trees"
LONG = "the animal didn’t cross the street because it was too tired"
WORDS = 37_000  # "about 37000 tokens", section 5.1


@figure(
    "whole-zoom",
    caption="Five looks at the Transformer: the orange box of one drawing is opened in the next.",
    alt="""Five drawings below each other; a tinted wedge leads from the orange box of each to
    the frame of the next. 1: the Transformer turns 'I like trees' into 'me gustan los árboles'.
    2: encoder and decoder, which is opened. 3: its six layers. 4: the parts of a layer,
    self-attention, cross-attention, with an arrow from the encoder, and feed-forward. 5: the
    cross-attention of our translator's last layer, as lines from the words written to the
    source's, the thicker the more it looks there: all of árboles comes from trees.""",
)
def draw_zoom() -> Figure:
    way = the_way()
    source, written = way.src, way.tgt_out
    looks = way.weights["decoder.layers.1.cross_attn"].mean(dim=0)
    note, N = "Each drawing opens the orange box of the one before", 6
    figure, ax = canvas(8.1, "Attention sits four boxes deep in the Transformer", note)
    layers = [(str(i), LOUD if i == N - 1 else DECODER) for i in range(N)]
    parts = [("self-attention", DECODER), ("cross-attention", LOUD), ("feed-forward", DECODER)]
    levels = {
        "The whole": [("Transformer", LOUD)],
        "A reader\nand a writer": [("encoder", ENCODER), ("decoder", LOUD)],
        f"The writer’s\n{N} layers": layers,
        "The parts\nof a layer": parts,
        "Measured in our\n2-layer translator:\nwhere it looks as\nit writes a word": [],
    }
    left, right, x, y = 1.95, 7.95, 0.0, 6.95
    middle, wide, look = (left + right) / 2, right - left, {"fill": style.PAPER, "zorder": 1}
    for number, (said, boxes) in enumerate(levels.items(), 1):
        muted(ax, (0.02, y), str(number), size=style.TITLE, weight="bold")
        bold(ax, (0.32, y), said, size=style.LABEL + 1)
        if not boxes:
            break
        if number > 1:
            box(ax, (middle, y), wide, 0.86, **look)
        step = (wide - 0.3) / len(boxes)
        half, end = min(0.36 * step, 0.8), left + 0.1
        for i, (text, look_of) in enumerate(boxes):
            at = left + 0.15 + step * (i + 0.5)
            arrow(ax, (end, y), (at - half, y))
            box(ax, (at, y), 2 * half, 0.5, text, **{"line": 1.2, **look_of})
            x, end = at if look_of is LOUD else x, at + half
            if text == "cross-attention":
                arrow(ax, (at, y + 0.62), (at, y + 0.25), style.ENCODER, thick=2.5)
                label(ax, (at + 0.12, y + 0.6), "from the encoder", color=style.ENCODER)
        arrow(ax, (end, y), (right - 0.1, y))
        y -= 1.3
        xs, ys = (x - half, x + half, right, left), (y + 1.05, y + 1.05, y + 0.43, y + 0.43)
        ax.fill(xs, ys, style.PALE, lw=0, zorder=1.5)
    for x, words, ha in ((left + 0.1, source, "left"), (right - 0.1, written, "right")):
        muted(ax, (x, 7.12), " ".join(words[:-1]), ha=ha)
    box(ax, (middle, y - 0.55), wide, 1.96, **look)
    row, look = {"size": 15, "ha": "center", "gap": 0.55}, {"least": 0.1, "upright": True}
    ends = [(x, y - 0.1) for x in sentence(ax, (middle, y + 0.05), written, **row)]
    starts = [(x, y - 1.02) for x in sentence(ax, (middle, y - 1.3), source, **row)]
    for start, text, weights in zip(starts, source, as_array(looks).T, strict=True):
        threads(ax, ends, [start], weights, word_color(text), widest=10, **look)
    return figure


@figure(
    "whole-figure-2",
    caption="The two diagrams of the paper's Figure 2, each box with the code that does its work.",
    alt="""Two stacks of boxes, read from the bottom. On the left: three Linear, a cut into h
    heads, Scaled Dot-Product Attention h times, Concat, Linear. From this attention, in orange,
    a tinted wedge leads to a frame around the right stack: MatMul of Q and K, Scale, Mask,
    SoftMax and a MatMul with V. In each box is a piece of code, such as 'query @
    key.transpose(-2, -1)', and next to the arrows is the size for 'I like trees': 4 words × 128,
    4 heads × 4 words × 32, and 4 × 4 for scores and weights. Q, K and V have a color each, also
    behind the words query, key and value.""",
)
def draw_figure_two() -> Figure:
    note = f"From the bottom up, with the sizes for “{SENTENCE}” in our translator"
    figure, ax = canvas(7.6, "Each box of the paper’s Figure 2 is a piece of code", note)
    ys, wide, edge = [1.12, *(2.3 + 1.08 * i for i in range(4))], 3.0, 4.36
    low, high = ys[0] - 0.6, ys[-1] + 0.55
    orange = {"color": style.ACCENT, "fill": style.PAPER, "zorder": 0}
    box(ax, ((edge + 7.98) / 2, (low + high) / 2), 7.98 - edge, high - low, line=1.8, **orange)
    left, right = 0.02 + wide / 2, edge + 0.14 + wide / 2
    start, y = left + wide / 2 + 0.05, ys[OPENED]
    corners = (start, edge, edge, start), (y + 0.4, high, low, y - 0.35)
    ax.fill(*corners, style.PALE, lw=0, zorder=-1)
    for x, said in ((0.02, "Multi-head attention"), (edge, "Scaled dot-product attention")):
        bold(ax, (x, high + 0.6), said, size=style.LABEL + 1)
    shapes = [shape for _, shape in inside_a_layer(Translator.load(), SENTENCE)]
    whole, heads, table = (
        " × ".join(map(str, shape)) for shape in (shapes[1][1:], shapes[2][1:], shapes[3][2:])
    )
    _, h, words, numbers = shapes[2]
    sizes = [whole, heads, f"{h} heads × {words} words × {numbers}"]
    sizes += 2 * [f"{words} words × {h * numbers}"]
    inputs = {left - 0.9: "query", left: "key", left + 0.9: "value"}
    _diagram(ax, left, wide, MULTI_HEAD, ys, inputs, sizes, (1, OPENED))
    inputs = {right - 0.5: "query", right + 0.5: "key"}
    even = [1.12 + (ys[-1] - 1.12) * i / 4 for i in range(5)]
    sizes = [f"{words} words × {words} words", table, table, table]
    sizes.append(f"{words} words × {numbers}, each head")
    _diagram(ax, right, wide, SCALED_DOT_PRODUCT, even, inputs, sizes)
    lane = 7.98 - 0.17
    _input(ax, [(lane, 0.35), (lane, ys[-1]), (right + wide / 2, ys[-1])], "value")
    return figure


@figure(
    "whole-parameters",
    caption="Parameters of the base model by part: with three matrices for words, and with one.",
    alt="""Two stacked bars. With three matrices for words 100.9 million parameters: source
    embeddings, target embeddings and generator, 18.9 each, in orange, attention 18.9,
    feed-forward 25.2. With one matrix for all 63.0 million: three ribbons lead from the orange
    blocks into one shared matrix of 18.9, and in the place of the two others, dashed, stands '38
    million saved'. The norms are too few to be seen.""",
)
def draw_parameters() -> Figure:
    models, one = {}, WORDS * BASE.d_model
    for name, tie in (("three matrices", "none"), ("one for all", "all")):
        counts = parts(on_paper(WORDS, WORDS, tie_weights=tie))
        words = counts["embeddings"] - one, counts["generator"], one
        others = {part: counts[part] for part in ("attention", "feed-forward", "norms")}
        models[name] = dict(zip(TABLES, words, strict=True)) | others
    whole, rest = (sum(counts.values()) / 1e6 for counts in models.values())
    saved = whole - rest
    figure, ax = style.panel(3.2)
    title = f"One shared matrix for words saves {saved:.0f} of {whole:.0f} million parameters"
    titled(figure, title, "Millions of parameters in each part of the base model")
    start = 0.0
    for part, most in models["three matrices"].items():
        color = style.ACCENT if part in TABLES else style.RULE
        for row, counts in enumerate(models.values()):
            number = counts[part] / 1e6
            ax.barh(row, number, 0.5, start, color=color, edgecolor=style.PAPER, linewidth=2)
            if number > 1:
                centered(ax, start + number / 2, row, f"{number:.1f}", color=style.ink_on(color))
        if most > 1e6:
            ink = style.ACCENT if part in TABLES else style.INK
            look = {"color": ink, "va": "bottom", "size": style.NOTE}
            centered(ax, start + most / 2e6, -0.32, part.replace(" ", "\n"), **look)
        start += most / 1e6
    for row, (name, counts) in enumerate(models.items()):
        left = {"x": -start / 60, "ha": "right", "va": "center_baseline"}
        ax.text(**left, y=row - 0.1, s=name, weight="bold")
        said = f"{sum(counts.values()) / 1e6:.1f} million"
        ax.text(**left, y=row + 0.13, s=said, color=style.MUTED)
    ax.set(xlim=(0, start), ylim=(len(models) - 0.4, -0.75), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    for i in range(3):
        gap, third = 0.008, 2 + i / 3
        ends = [saved * x / 2 for x in (i + gap, i + 1 - gap, third + 1 / 3 - gap, third + gap)]
        ribbon = [*zip(ends, (0.25, 0.25, 0.75, 0.75), strict=True)]
        ax.add_patch(Polygon(ribbon, fc=style.PALE, lw=0, zorder=0))
    look = {"color": style.ACCENT, "weight": "bold"}
    outline(ax, (0.2, 0.75), saved - 0.5, 0.5, style.ACCENT, 1.2, linestyle=(0, (3, 2)))
    centered(ax, saved / 2, 1, f"{saved:.0f} million saved", size=18, **look)
    centered(ax, 1.25 * saved, 1.4, "one shared matrix", size=style.NOTE, color=style.ACCENT)
    return figure


@figure(
    "whole-vocabulary",
    notebook="a2_slips_in_well_known_texts",
    caption="The sizes of the vocabulary that give each row of Table 3 the count it prints.",
    alt="""A bar for each of nine rows of Table 3, named with its count, such as base: 65
    million. Two upright lines, at 41,003 and 41,209, cross the eight bars from base to d_ff =
    4096; the bar of big lies apart, from 35,400 to 36,300. An orange line at 37,000, the size
    given in the text, meets none.""",
)
def draw_vocabulary() -> Figure:
    ranges = {
        f"{row}: {millions} million": possible_vocabulary(row)
        for row, (_, millions) in TABLE_3.items()
    }
    common = common_vocabulary(list(TABLE_3)[:-1])
    figure, ax = style.panel(0.34 * len(ranges) + 1.9)
    title = f"No row of Table 3 fits a vocabulary of {WORDS:,} words"
    titled(figure, title, "A bar: all sizes that give as many parameters, in rounded millions")
    shared = [low <= common[0] < high for low, high in ranges.values()]
    ys = [row + 0.6 * (not fits) for row, fits in enumerate(shared)]
    for y, (low, high) in zip(ys, ranges.values(), strict=True):
        ax.barh(y, high - low, left=low, color=style.SOFT, height=0.6)
    ax.vlines(common, -0.7, sum(shared) - 0.4, color=style.INK, linewidth=1)
    ax.axvline(WORDS, ymax=0.88, color=style.ACCENT, linewidth=4)
    look = {"va": "bottom", "weight": "bold"}
    centered(ax, WORDS, -0.85, f"{WORDS:,}, says the text", color=style.ACCENT, **look)
    one = f"one size fits {sum(shared)}: {common[0]:,.0f} to {common[1]:,.0f}"
    centered(ax, sum(common) / 2, -0.85, one, **look)
    for y, said in [(-1.17, "row of Table 3: parameters"), *zip(ys, ranges, strict=True)]:
        model, _, printed = said.partition(": ")
        look = {"va": "center_baseline", "color": style.MUTED if y < 0 else style.INK}
        ax.text(-0.35, y, model, transform=ax.get_yaxis_transform(), **look)
        ax.text(-0.03, y, printed, ha="right", transform=ax.get_yaxis_transform(), **look)
    ax.set_yticks([])
    ax.set_ylim(max(ys) + 0.6, -1.5)
    ax.set_xlim(left=min(low for low, _ in ranges.values()) - 500)
    ax.tick_params(length=0)
    ax.spines["left"].set_visible(False)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set_xlabel("words in the vocabulary")
    return figure


@figure(
    "whole-repair",
    hero=True,
    caption="""Six machines, each with more parts than the one before it, and the share of
    held-out sentences that each translates correctly.""",
    alt="""Six rows, in each the decoder layer of a machine; what is new in it is orange.
    Cross-attention and feed-forward; then a plus and a norm after each of them; self-attention
    in front, with an encoder; an arrow 'mask' into self-attention; an arrow 'position' at the
    start; copies behind both attentions for the heads. At the right end of each row stand the
    shares, one for each seed: about a third, six in ten, none, seven in ten, seven in ten, and
    three in four.""",
)
def draw_repair() -> Figure:
    title = "A Transformer grows from cross-attention in five steps"
    figure, ax = canvas(7.4, title, "One decoder layer of each machine; new parts are orange")
    muted(ax, (7.98, 6.6), "sentences correct,\nthree seeds", ha="right")
    for number, (what, (why, boxes, new)) in enumerate(GROWTH.items()):
        y = 5.92 - 1.06 * number
        bold(ax, (0.02, y + 0.11), what)
        muted(ax, (0.02, y - 0.01), why, va="top")
        _grown(ax, y, boxes, new)
        shares = [f"{run['right']:.1%}" for run in runs_of(what)]
        label(ax, (7.98, y), "\n".join(shares), ha="right", size=style.LABEL)
    return figure


@figure(
    "whole-cost",
    caption="""From the paper's Table 1: in which step a recurrent layer and self-attention
    compute the last of eleven words.""",
    alt="""A sentence of eleven words twice. Recurrent: a short arrow from each word to the next;
    above the words the numbers 1 to 11. Self-attention: an orange line from each word straight
    to the last, whose number is 1; the thick arrow comes from the first word.""",
)
def draw_cost() -> Figure:
    words = LONG.split()
    steps = len(words)
    title = f"A recurrent layer needs {steps} steps to reach the last word, self-attention one"
    figure, ax = canvas(4.1, title, "The number above a word is the step in which it is computed")
    rows = {"recurrent": style.MUTED, "self-attention": style.ACCENT}
    for y, (said, color), at_once in zip((2.1, 0.25), rows.items(), (False, True), strict=True):
        xs = sentence(ax, (0.12, y - 0.07), words, {}, size=14, gap=0.28)
        for i in (0, steps - 1):
            word(ax, (xs[i], y), words[i], size=14, color=style.ACCENT)
        bold(
            ax,
            (0.04, y + (1.2 if at_once else 0.85)),
            said,
            size=style.LABEL + 1,
            color=color,
        )
        for i, start in enumerate(xs):
            last = i == steps - 1
            if not at_once:
                look = {"size": 20 if last else style.LABEL, "weight": "bold", "color": color}
                label(ax, (start, y + 0.42), str(i + 1), ha="center", **look)
            if last:
                continue
            end = xs[-1] + (0.2 - 0.045 * i) if at_once else xs[i + 1]
            rise = 0.05 + 0.108 * (end - start) if at_once else 0.1
            look = {"thick": 4 if at_once and not i else 1.5, "alpha": 0.45 if at_once and i else 1}
            ways = (start, y + 0.2), (end, y + 0.2)
            arrow(ax, *ways, color, rise=rise, head=not at_once or not i, **look)
        if at_once:
            bold(ax, (xs[-1] + 0.3, y + 0.75), "1", ha="center", size=20, color=color)
    return figure


@figure(
    "whole-step-lengths",
    caption="What a step of training takes, with as many words in longer and longer sentences.",
    alt="""Two panels against the words in a sentence, 16 to 1,024, with 2,048 words in a batch.
    Time of a step: with attention by its formula, in orange, it rises from 252 milliseconds to
    1,801, in one kernel from 239 to 627. Peak memory: by its formula from 125 megabytes to 529,
    in one kernel from 119 to 137. At 1,024 words that is 2.9 times the time and 3.9 times the
    memory.""",
)
def draw_step_lengths() -> Figure:
    from course.chapters.ch09_whole_transformer.experiment_scaling import WORDS, against_length

    figure, axes = style.panels(2, 4.2)
    saved = []
    for ax, (name, unit, what) in zip(
        axes,
        (
            ("time per step", "milliseconds", "milliseconds"),
            ("peak memory", "megabytes", "tensors"),
        ),
        strict=True,
    ):
        lengths, ways = against_length(what)
        formula, kernel = ways["formula"], ways["fused"]
        saved.append(1 - kernel[-1] / formula[-1])
        lines = {f"formula {formula[-1]:,.0f}": formula, f"kernel {kernel[-1]:,.0f}": kernel}
        curves(ax, lengths, lines, loud=[*lines][:1], names=False)
        for line in ax.lines:
            line.set(marker="o", markevery=[-1], markersize=8, clip_on=False)
        ax.set(ylim=(0, 1.06 * max(*formula, *kernel)), xlim=(0, lengths[-1]), ylabel=unit)
        ax.set(xlabel="words in a sentence", title=name, xticks=[0, *lengths[-2:]])
        ax.yaxis.set_major_locator(MaxNLocator(4))
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:,.0f}")
        name_lines(ax, wide=8)
    title = "At {:,} words, a fused kernel saves {:.0%} of the time and {:.0%} of the memory"
    note = "A fused kernel: one program in place of the formula. {:,} words per training step"
    titled(figure, title.format(lengths[-1], *saved), note.format(WORDS))
    return figure
