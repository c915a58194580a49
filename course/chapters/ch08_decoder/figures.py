"""How the decoder writes: from a vector to a word, and word after word."""

import json
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course.chapters.journey.figures import the_way
from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.architecture import LAYOUT, architecture
from course.drawing.arrows import arrow, box, path, segment
from course.drawing.cells import bar, strip
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import (
    bold,
    canvas,
    centered,
    label,
    muted,
    percent,
    width_of,
    word,
    word_color,
)
from transformer_lib.translator import Translator

CELLS = 16  # of a vector in the stepper
LIMIT = 3.0  # where its colors are darkest
COLUMN, STRIP, TALL = 54, 46, 24  # pixels: from word to word, a vector's width and height
LEFT = {"encoder": 14, "decoder": 258}  # where the first column of each half begins
WORDS_IN, VECTORS, BANDS, WORDS_OUT = 22, (40, 112, 184), (72, 144), 266
LAYER, SOFTMAX = 32, 216  # the height of a layer, and where the softmax begins
CHIP = 12  # pixels: the letters of a word


@figure(
    "decoder-three-differences",
    caption="What the half that writes has, and the half that reads lacks.",
    alt=f"""{LAYOUT} Filled, with numbers from 1 to 3: the causal mask of the decoder's
    self-attention, which hides the words to come, its cross-attention, which attends to the
    source, and on top linear and softmax, which score each word.""",
)
def draw_three_differences() -> Figure:
    figure = architecture(
        "decoder.self_attn.causal.mask",
        "decoder.cross_attn",
        "decoder.cross_attn.heads",
        "generator.*",
        title="The right half has three things\nthat the left half lacks",
    )
    [ax] = figure.axes
    for number, x, y, text in (
        (1, 3.42, 3.5, "hides the\nwords to come"),
        (2, 7.05, 4.5, "attends to\nthe source"),
        (3, 7.05, 7.78, "scores\nevery word"),
    ):
        ground = {"boxstyle": "circle,pad=0.22", "facecolor": style.ACCENT, "edgecolor": "none"}
        look = {"weight": "bold", "zorder": 5, "color": style.PAPER, "bbox": ground}
        centered(ax, x, y, str(number), size=style.LABEL, **look)
        label(ax, (x + 0.16, y), text, color=style.ACCENT, weight="bold")
    return figure


@figure(
    "decoder-generator",
    caption="From the decoder's vector to the word 'árboles', from top to bottom.",
    alt="""On top a strip of 128 colored numbers, the decoder's vector. Below it, 'linear': 1,794
    thin sticks, the logits, mostly near 0, one of 9.35, 'árboles'. From its foot two lines
    spread to a bar, 'softmax': 'árboles' takes 90% of it, all other words together 10%, none
    above 0.04%.""",
)
def draw_generator() -> Figure:
    way, place = the_way(), 3
    words = Translator.load().tgt.vocab.tokens
    x, scores = as_array(way.outputs["decoder"][place]), as_array(way.logits[place])
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    best, next_ = (-scores).argsort()[:2]
    color, chance = word_color(words[best]), percent(chances[best])
    title = f"Of {len(words):,} words, “{words[best]}” gets {chance} of the probability"
    note = (
        "What our translator computes after “me gustan los”. "
        "In the vector, orange is above 0 and blue is below."
    )
    figure, ax = canvas(4.5, title, note)
    left, wide, bottom, low = 1.45, 6.35, 1.3, 0.45
    strip(ax, (left, 3.4), wide, 0.2, x, limit=abs(x).max())
    unit = 1.8 / np.ptp(scores)
    across = left + wide * (np.arange(len(words)) + 0.5) / len(words)
    zero = bottom - unit * scores.min()
    ax.vlines(across, zero, zero + unit * scores, color=style.SOFT, lw=0.4)
    at = across[best], zero + unit * scores[best]
    for end in (left, left + wide * chances[best]):
        segment(ax, (at[0], zero), (end, low + 0.4), color, thick=1)
    ax.vlines(at[0], zero, at[1], color=color, lw=4, zorder=3)
    muted(ax, (left - 0.08, zero), "0", ha="right")
    word(ax, (at[0] + 0.12, at[1] - 0.1), words[best], size=style.TITLE, ha="left")
    after = at[0] + 0.3 + width_of(words[best], style.TITLE), at[1] - 0.1
    bold(ax, after, f"{steady_round(scores[best]):.2f}", size=style.TITLE, color=color)
    ink = style.readable(color, style.PAPER)
    bar(ax, (left, low), wide, 0.4, chances[best], ink, color=style.RULE)
    at, said = (left + 0.12, low + 0.2), f"{words[best]} {chance}"
    bold(ax, at, said, size=style.TITLE, color=style.PAPER)
    for y, part, said in (
        (3.5, "vector", f"{len(x)} numbers"),
        (zero, "linear", "a score (logit)"),
        (low + 0.2, "softmax", "a probability"),
    ):
        bold(ax, (0.02, y + 0.1), part)
        muted(ax, (0.02, y - 0.1), said)
    together, next_best = percent(1 - chances[best]), percent(chances[next_])
    rest = f"all other words together {together}, none above {next_best}"
    muted(ax, (left + wide, 0.22), rest, ha="right")
    return figure


@figure(
    "decoder-words-come-back",
    hero=True,
    caption="Each word that the decoder writes is the next word that it reads.",
    alt="""On the left the encoder, with 'I like trees <eos>'; a line, the memory, leads from it
    under the decoder and up into each of its five boxes. They hold the words that it reads:
    <bos> in the first, '<bos> me' in the second, up to '<bos> me gustan los árboles' in the
    fifth. Above the boxes stand the words that it writes, me gustan los árboles <eos>. From each
    of them an arrow in its color leads down through a gap to the same word, which is the newest
    in the next box: four strokes that get longer from left to right.""",
)
def draw_words_come_back() -> Figure:
    way = the_way()
    src, read, written = way.src, way.tgt_in, way.tgt_out
    figure, ax = canvas(3.78, "Each word that the decoder writes is the next word it reads")
    left, pitch, high, over, line, memory = 1.7, 1.24, 2.66, 3.12, 0.3, 0.56
    places = [left + 0.6 + pitch * place for place in range(len(read))]
    rows = [high - 0.5 - line * row for row in range(len(read))]
    for x, end, color, name in (
        (0.03, 0.98, style.ENCODER, "encoder"),
        (left, places[-1] + 0.6, style.DECODER, "decoder"),
    ):
        at, look = ((x + end) / 2, high / 2 + 0.06), {"fill": style.TINTS[color], "line": 0}
        box(ax, at, end - x, high - 0.12, "", color, **look)
        bold(ax, (x + 0.12, 0.3), name, color=color)
    for y, text in zip(rows, src, strict=False):
        word(ax, (0.505, y), text)
    for y, said in ((over, "it writes"), (rows[0], "it reads")):
        muted(ax, (left - 0.12, y), said, ha="right")
    label(ax, (1.34, memory + 0.17), "memory", ha="center", color=style.ENCODER, weight="bold")
    for step, x in enumerate(places):
        path(ax, [(0.98, memory), (x, memory), (x, 0.79)], style.ENCODER, thick=2.2)
        box(ax, (x, (rows[0] + rows[-1]) / 2), 0.84, 1.54, fill=style.PAPER, line=0)
        for y, text in zip(rows[:step], read, strict=False):
            word(ax, (x, y), text, color=style.MUTED)
        word(ax, (x, rows[step]), read[step])
    for x, text in zip(places, written, strict=True):
        arrow(ax, (x, rows[0] + 0.17), (x, over - 0.16), word_color(text), thick=2.2)
        word(ax, (x, over), text, size=13)
    turn, bend = np.linspace(0, np.pi / 2, 16), 0.14
    bow = bend * np.stack([np.sin(turn) - 1, np.cos(turn) - 1], 1)  # a quarter of a circle
    for x, y, text in zip(places, rows[1:], written, strict=False):  # down a gap, to be read
        gap, end = x + pitch / 2, x + pitch - width_of(text, 11) / 2 - 0.07
        way = [(x, over), *((gap, over) + bow), *((gap, y) - bow[::-1]), (end, y)]
        path(ax, way, word_color(text), thick=2.2)
    return figure


@figure(
    "decoder-stepper",
    caption="Step through encoder and decoder: vectors climb, and each written word comes back.",
    alt="""Two stacks of two layers with a slider for 23 steps; shown is step 16, in which the
    decoder reads 'los', which it has just written. On the left, four columns of colored strips,
    the vectors of 'I like trees <eos>' before and after each encoder layer; from the box above
    them, the memory, a line leads to both decoder layers. On the right, the columns of <bos>,
    'me' and 'gustan' are complete up to the words written above them; from the newest, 'los', a
    line in its color leads around the decoder to the next column, where it is read. All strips
    are faded but that of 'los'; dashed frames stand for what isn't computed yet.""",
)
def draw_stepper() -> Any:
    """An Altair chart with a slider.

    Steps: the source comes in, and passes each encoder layer; then for each target word: it is
    read, passes each decoder layer, and the next word is written. The picture shows the step in
    which the last word but one comes back.
    """
    way, layers = the_way(), 2
    words, levels = {"encoder": way.src, "decoder": way.tgt_in}, {}
    for half, side in (("encoder", "src"), ("decoder", "tgt")):  # below and above each layer
        parts = f"{side}_positions", *(f"{half}.layers.{i}" for i in range(layers))
        levels[half] = [way.outputs[part] for part in parts]
    each = layers + 2  # steps for one target word
    count = layers + 1 + each * len(way.tgt_in)
    start = count - 2 * each + 1
    cells, frames, names, backs, heads, flows = [], [], [], [], [], []
    right = LEFT["decoder"] + COLUMN * len(way.tgt_in) - 2

    def vector(half: str, place: int, level: int, since: int) -> None:
        left, bottom = LEFT[half] + COLUMN * place, VECTORS[level]
        place_of = {"y": bottom, "y2": bottom + TALL, "since": since}
        color = style.readable(word_color(words[half][place]), style.PAPER)
        frames.append({"x": left, "x2": left + STRIP, "color": color, **place_of})
        for cell, value in enumerate(levels[half][level][place][:CELLS].tolist()):
            x, x2 = (left + STRIP * end / CELLS for end in (cell, cell + 1))
            cells.append({"x": x, "x2": x2, **place_of, "value": value})

    def name(half: str, place: int, y: int, text: str, since: int) -> None:
        x = LEFT[half] + COLUMN * place + STRIP / 2
        look, half = style.chip(text), 36 * width_of(text, CHIP) + 5
        names.append(
            {"x": x - half, "x2": x + half, "y": y - 10, "y2": y + 10, "middle": x, "up": y}
            | {"word": text, "color": look["color"], "tint": look["bbox"]["facecolor"]}
            | {"since": since}
        )

    said = ["The encoder reads all words at once"]
    for place, text in enumerate(way.src):
        name("encoder", place, WORDS_IN, text, 1)
        for level in range(layers + 1):
            vector("encoder", place, level, level + 1)
    said += [f"Encoder, layer {layer}: words meet, and each is changed" for layer in range(layers)]
    said[-1] += ". This is the memory"
    for place, (read, written) in enumerate(zip(way.tgt_in, way.tgt_out, strict=True)):
        first = layers + 2 + each * place
        said.append(f"The decoder reads “{read}”" + ", which it has just written" * (place > 0))
        looks = "attends to the Spanish words, then to the memory"
        said += [f"Decoder, layer {layer}: {looks}" for layer in range(layers)]
        said.append(f"The most likely next word is “{written}”")
        name("decoder", place, WORDS_IN, read, first)
        for level in range(layers + 1):
            vector("decoder", place, level, first + level)
            if level:
                flows.append({"step": first + level, "y": BANDS[level - 1] + LAYER / 2})
        name("decoder", place, WORDS_OUT, written, first + layers + 1)
        if place:
            x = LEFT["decoder"] + COLUMN * (place - 1) + STRIP / 2
            outside, over, under = right + 14, WORDS_OUT + 22, -6
            corners = [(x, over - 8), (x, over), (outside, over), (outside, under)]
            corners += [(x + COLUMN, under), (x + COLUMN, under + 6)]
            own = {"color": style.readable(word_color(read), style.PAPER), "place": place}
            own |= {"since": first, "until": first + each}
            heads.append({"x": x + COLUMN, "y": under + 10, **own})
            backs += [{"x": x, "y": y, "order": n, **own} for n, (x, y) in enumerate(corners)]

    slider = alt.param(
        name="step", value=start, bind=alt.binding_range(min=1, max=count, step=1, name="step ")
    )
    width, height = right + 8, WORDS_OUT + 24
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[8, width + 8], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-8, height], nice=False))

    def now(rows: list[dict], test: str) -> Any:
        return alt.Chart(alt.Data(values=rows)).transform_filter(test)

    boxes = [
        {
            "x": LEFT[half] - 6,
            "x2": LEFT[half] + COLUMN * len(words[half]) - 2,
            "y": bottom,
            "y2": bottom + high,
            "color": color,
            "tint": style.TINTS[color],
            "name": text,
            "at": LEFT[half] + (COLUMN * len(words[half]) - 8) / 2,
        }
        for half, color in (("encoder", style.ENCODER), ("decoder", style.DECODER))
        for bottom, high, text in (
            *((band, LAYER, f"{half}, layer {layer}") for layer, band in enumerate(BANDS)),
            (SOFTMAX, 26, "linear, softmax" if half == "decoder" else "memory"),
        )
    ]
    layer_boxes = alt.Chart(alt.Data(values=boxes))
    color = alt.Color("color:N", scale=None, legend=None)
    newest = "datum.since <= step && step < datum.until"
    out, end = LEFT["encoder"] + COLUMN * len(way.src) - 2, LEFT["decoder"] - 6
    middle = (out + end) / 2 - 2
    high, arrived = SOFTMAX + 13, f"step >= {layers + 1}"
    corners = [(out, high), (middle, high), (middle, BANDS[0] + LAYER / 2)]
    memory = [{"x": a, "y": b, "order": order} for order, (a, b) in enumerate(corners)]
    ways = [{"x": middle, "x2": end - 5, "y": band + LAYER / 2} for band in BANDS]
    flows = [{"x": middle, "x2": end, **flow} for flow in flows]
    to, thick = {"x2": "x2:Q", "y2": "y2:Q"}, {"fontWeight": "bold"}
    stroke = alt.Stroke("color:N", scale=None, legend=None)
    fill = alt.Fill("tint:N", scale=None, legend=None)
    ramp = [-LIMIT, -LIMIT / 2, 0, LIMIT / 2, LIMIT]
    scale = alt.Scale(domain=ramp, clamp=True, interpolate="rgb", range=list(style.SIGNED_COLORS))
    drawn = alt.layer(
        now(backs, newest)
        .mark_line(strokeWidth=4, strokeJoin="round")
        .encode(x, y, color=color, order="order:Q", detail="place:N"),
        now(heads, newest)
        .mark_point(shape="triangle-up", filled=True, size=170, opacity=1)
        .encode(x, y, color=color),
        layer_boxes.mark_rect(cornerRadius=8, strokeWidth=1).encode(
            x, y, stroke=stroke, fill=fill, **to
        ),
        layer_boxes.transform_calculate(up="(datum.y + datum.y2) / 2")
        .mark_text(fontSize=14, baseline="middle", **thick)
        .encode(alt.X("at:Q", axis=None), alt.Y("up:Q", axis=None), text="name:N", color=color),
        now(frames, "datum.since > step")
        .mark_rect(filled=False, stroke=style.SOFT, strokeWidth=1, strokeDash=[3, 3])
        .encode(x, y, **to),
        now(memory, arrived)
        .mark_line(color=style.ENCODER, strokeWidth=3)
        .encode(x, y, order="order:Q"),
        now(ways, arrived).mark_rule(color=style.ENCODER, strokeWidth=1.5).encode(x, y, x2="x2:Q"),
        now(ways, arrived)
        .mark_point(shape="triangle-right", filled=True, size=90, color=style.ENCODER, opacity=1)
        .encode(alt.X("x2:Q", axis=None), y),
        now(flows, "datum.step == step")
        .mark_rule(color=style.ENCODER, strokeWidth=5)
        .encode(x, y, x2="x2:Q"),
        now(cells, "datum.since <= step")
        .mark_rect()
        .encode(
            x,
            y,
            color=alt.Color("value:Q", scale=scale, legend=None),
            opacity=alt.condition("datum.since == step", alt.value(1), alt.value(0.15)),
            **to,
        ),
        now(frames, "datum.since == step")
        .mark_rect(filled=False, strokeWidth=3)
        .encode(x, y, stroke=stroke, **to),
        now(names, "datum.since <= step").mark_rect(cornerRadius=4).encode(x, y, fill=fill, **to),
        now(names, "datum.since <= step")
        .mark_text(fontSize=CHIP, baseline="middle", **thick)
        .encode(alt.X("middle:Q", axis=None), alt.Y("up:Q", axis=None), text="word:N", color=color),
    ).resolve_scale(color="independent")
    titles = json.dumps(said, ensure_ascii=False)
    note = (
        "Read from the bottom up. The framed vector is being computed; the dashed ones come later."
    )
    title = alt.Title(alt.ExprRef(f"{titles}[step - 1]"), subtitle=note)
    return drawn.properties(width=width, height=height + 8, title=title).add_params(slider)
