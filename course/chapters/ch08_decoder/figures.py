"""How the decoder writes: from a vector to a word, and word after word."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.chapters.ch08_decoder.experiments import (
    WordStep,
    decode_steps,
    decoder_vector,
    on_the_way,
)
from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.architecture import LAYOUT, architecture
from course.drawing.arrows import arrow, box, path
from course.drawing.cells import area, matrix
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import (
    canvas,
    centered,
    heading,
    label,
    percent,
    sentence,
    width_of,
    word,
    word_color,
)
from transformer_lib.translator import Translator

CELLS = 16  # of a vector in the stepper
LIMIT = 3.0  # where its colors are darkest


def _generator_flow(vector: Any, logits: Any, words: Sequence[str]) -> Figure:
    """Draw the way from the decoder's vector down to a word -> the figure.

    vector (d_model), logits (vocab_size), words: the vocabulary. Raises ValueError when there are
    more or fewer words than logits.
    """
    x, scores = as_array(vector), as_array(logits)
    if x.ndim != 1 or scores.shape != (len(words),):
        raise ValueError(
            f"a vector of the shape {x.shape} and logits of the shape {scores.shape} "
            f"don't fit {len(words)} words"
        )
    log_probs = scores - scores.max()
    log_probs = log_probs - np.log(np.exp(log_probs).sum())
    best = int(scores.argmax())
    color = word_color(words[best])
    figure = style.new_figure(style.WIDTH, 6.2)
    chance = percent(float(np.exp(log_probs[best])))
    figure.suptitle(f"Of {len(words):,} words one stands out: {words[best]}, with {chance}")
    strip, product, upper, softmax, lower, argmax, bottom = axes = figure.subplots(
        7, 1, height_ratios=[0.35, 0.5, 1.6, 0.4, 1.6, 0.45, 0.5]
    )
    for ax in axes[1:]:
        ax.set_xlim(-0.01 * len(words), 1.01 * len(words))
    for ax, text in (
        (product, f"times $W^T$: {len(x)} numbers → {len(words):,}, one for each word"),
        (softmax, "log softmax: the same curve, moved down"),
        (argmax, "argmax: the highest of all"),
    ):
        _way_down(ax, text, best)
    limit = float(abs(x).max())
    strip.imshow(
        x[None], cmap=style.SIGNED, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest"
    )
    strip.set(xticks=[], yticks=[])
    strip.set_ylabel(
        f"the decoder's vector at the last position: {len(x)} numbers from -{limit:.1f} "
        f"(blue) to {limit:.1f} (orange)"
    )
    strip.spines[:].set_visible(False)
    for ax, values, name in ((upper, scores, "logit"), (lower, log_probs, "log-probability")):
        ax.plot(values, color=style.SOFT, linewidth=0.6)
        ax.plot([best], [values[best]], "o", color=color, markersize=9)
        ax.plot([best, best], [np.median(values), values[best]], color=color, linewidth=2.5)
        ax.set_ylabel(name)
        low, high = values.min(), values.max()
        ax.set_ylim(low - 0.06 * (high - low), high + 0.14 * (high - low))
        number = f"{steady_round(values[best]):.2f}"
        if ax is lower:  # what a logarithm means
            number += f" = log of {chance}"
        ax.annotate(
            f"{words[best]}: {number}",
            (best, values[best]),
            (10, 0),
            textcoords="offset points",
            va="center",
            weight="bold",
            color=color,
        )
        ax.xaxis.set_major_formatter("{x:,.0f}")
    upper.tick_params(labelbottom=False)
    lower.set_xlabel(f"id of the word, 0 to {len(words) - 1:,}", labelpad=1)
    bottom.axis("off")
    bottom.set_ylim(0, 1)
    centered(bottom, best, 0.55, words[best], size=18, weight="bold", color=color)
    return figure


def _way_down(ax: Axes, text: str, x: float) -> None:
    ax.axis("off")
    ax.set_ylim(0, 1)
    look = {"arrowstyle": "-|>", "color": style.MUTED, "linewidth": 1.8, "mutation_scale": 16}
    ax.annotate("", xy=(x, 0), xytext=(x, 1), arrowprops=look)
    ax.annotate(text, (x, 0.5), (14, 0), textcoords="offset points", va="center")


def _decode_trace(src: Sequence[str], steps: Sequence[WordStep]) -> Figure:
    """Draw all steps of a translation below each other -> the figure.

    Each step: what the decoder has read and writes, its look at the source, the two likeliest words
    with their probabilities. Raises ValueError when a step has other source words.
    """
    _check(src, steps)
    figure, ax = canvas(style.WIDTH, 1.15 + 0.5 * len(steps))
    sure = " or ".join(sorted({percent(step.chances[0]) for step in steps}))
    heading(ax, f"At each step one word is nearly sure, with {sure}")
    columns = {0.02: "has read", 2.5: "looks at", 4.6: "writes", 5.6: "how likely"}
    columns |= {7.0: "next likeliest"}
    for x, said in columns.items():
        label(ax, (x, ax.get_ylim()[1] - 0.62), said, color=style.MUTED)
    wide = 1.9 / len(src)
    for place, text in enumerate(src):
        word(ax, (2.5 + wide * (place + 0.5), ax.get_ylim()[1] - 0.95), text, size=style.NOTE)
    for number, step in enumerate(steps):
        y = ax.get_ylim()[1] - 1.4 - 0.5 * number
        sentence(ax, (0.06, y + 0.045), step.read, style.WORDS, size=style.NOTE, gap=0.14)
        matrix(ax, (2.5, y - 0.06), 1.9, 0.3, [step.weights], limit=1, low=0, cmap=style.WEIGHTS)
        for place, weight in enumerate(step.weights):
            x, said = 2.5 + wide * (place + 0.5), f"{steady_round(weight):.2f}"
            ink = style.ink_on(style.WEIGHTS(weight))
            label(ax, (x, y + 0.09), said.replace("0.00", ""), ha="center", color=ink)
        word(ax, (4.66, y + 0.09), step.best[0], size=13, ha="left")
        area(ax, (5.6, y), 0.8 * step.chances[0], 0.18, word_color(step.best[0]))
        label(ax, (5.68 + 0.8 * step.chances[0], y + 0.09), percent(step.chances[0]))
        label(ax, (7.0, y + 0.18), step.best[1], color=style.MUTED)
        label(ax, (7.0, y), percent(step.chances[1]), color=style.MUTED)
    return figure


# --- words that come back ------------------------------------------------------------------------


def _words_come_back(src: Sequence[str], read: Sequence[str], written: Sequence[str]) -> Figure:
    """Draw a decoder whose words flow back into it -> the figure.

    read[i] is what the decoder reads at place i, written[i] what it writes there. Raises ValueError
    when a written word isn't the next one that is read.
    """
    if list(read[1:]) != list(written[:-1]):
        raise ValueError(f"{' '.join(written)} doesn't come back as {' '.join(read)}")
    figure, ax = canvas(style.WIDTH, 3.72)
    heading(ax, "Each word the decoder writes is the next word it reads")
    left, pitch, low, high, under, over = 1.66, 1.2, 0.86, 2.36, 0.3, 2.92
    places, middle = [left + 0.86 + pitch * place for place in range(len(read))], (low + high) / 2
    for x, end, color, name in (
        (0.03, 1.04, style.ENCODER, "encoder"),
        (left, places[-1] + 0.58, style.DECODER, "decoder"),
    ):
        at, look = ((x + end) / 2, middle), {"fill": style.TINTS[color], "line": 0, "round": 0.14}
        box(ax, at, end - x, high - low, "", color, **look)
        label(ax, (x + 0.12, high - 0.2), name, size=style.LABEL, color=color, weight="bold")
    for place, text in enumerate(src):
        word(ax, (0.19, high - 0.5 - 0.26 * place), text, size=style.NOTE, ha="left")
    arrow(ax, (1.04, middle), (left, middle), style.ENCODER, thick=3)
    label(ax, (1.33, middle + 0.17), "memory", ha="center", color=style.ENCODER, weight="bold")
    cell = {"color": style.PAPER, "linewidth": 9, "joinstyle": "round", "zorder": 2.1}
    ax.broken_barh([(x - 0.27, 0.54) for x in places], (low + 0.42, high - low - 0.84), **cell)
    turn, size = np.linspace(0, np.pi / 2, 16)[:, None], np.array([0.15, 0.24])
    bow = size * (np.hstack([np.sin(turn), np.cos(turn)]) - 1)  # a quarter of an ellipse
    for y, said, words in ((over, "it writes", written), (under, "it reads", read)):
        label(ax, (left + 0.14, y), said, ha="right", color=style.MUTED)
        for x, text in zip(places, words, strict=True):
            start = high - 0.34 if y > high else y + 0.18
            arrow(ax, (x, start), (x, start + low + 0.16 - under), word_color(text))
            word(ax, (x, y), text, size=12)
    for x, text in zip(places, written[:-1], strict=False):  # down through a gap, to be read
        gap, end = x + pitch / 2, x + pitch - width_of(text, 12) / 2 - 0.08
        way = [(x, over), *((gap, over) + bow), *((gap, under) - bow[::-1]), (end, under)]
        path(ax, way, word_color(text), thick=3)
    return figure


# --- the stepper ---------------------------------------------------------------------------------

COLUMN, STRIP, TALL = 54, 46, 15  # pixels: from word to word, a vector's width and height
LEFT = {"encoder": 14, "decoder": 258}  # where the first column of each half begins
WORDS_IN, VECTORS, BANDS, WORDS_OUT = 22, (46, 146, 246), (66, 166), 322
SOFTMAX = 266
CHIP = 12  # pixels: the letters of a word


def _stacks_stepper(way: Mapping[str, Any], start: int | None = None) -> Any:
    """One sentence through encoder and decoder, to step through: an Altair chart with a slider.

    way: what `experiments.decoder.on_the_way` gives. Steps: the source comes in, and passes each
    encoder layer; then for each target word: it is read, passes each decoder layer, and the next
    word is written. start: the step that the picture shows, counted from 1; if none, the one in
    which the last word but one comes back. Raises ValueError for a step that isn't there.
    """
    layers = len(way["encoder"]) - 1
    each = layers + 2  # steps for one target word
    count = layers + 1 + each * len(way["read"])
    start = start or count - 2 * each + 1
    if not 1 <= start <= count:
        raise ValueError(f"there is no step {start}: there are {count}")
    cells, frames, names, backs, heads, flows, said = [], [], [], [], [], [], []
    right = LEFT["decoder"] + COLUMN * len(way["read"]) - 2

    def vector(half: str, place: int, level: int, since: int) -> None:
        left, bottom = LEFT[half] + COLUMN * place, VECTORS[level]
        place_of = {"y": bottom, "y2": bottom + TALL, "since": since}
        frames.append({"x": left, "x2": left + STRIP, **place_of})
        for cell, value in enumerate(way[half][level][place][:CELLS].tolist()):
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

    said.append("The encoder reads all words at once")
    for place, text in enumerate(way["src"]):
        name("encoder", place, WORDS_IN, text, 1)
        for level in range(layers + 1):
            vector("encoder", place, level, level + 1)
    said += [f"Encoder, layer {layer}: words meet, each is changed" for layer in range(layers)]
    said[-1] += ". This is the memory"
    for place, (read, written) in enumerate(zip(way["read"], way["written"], strict=True)):
        first = layers + 2 + each * place
        said.append(f"The decoder reads “{read}”" + ", which it has just written" * (place > 0))
        looks = "looks at its words, then at the memory"
        said += [f"Decoder, layer {layer}: {looks}" for layer in range(layers)]
        said.append(f"The likeliest next word: “{written}”")
        name("decoder", place, WORDS_IN, read, first)
        for level in range(layers + 1):
            vector("decoder", place, level, first + level)
            if level:
                flows.append({"step": first + level, "y": BANDS[level - 1] + 32})
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
            "x2": LEFT[half] + COLUMN * len(way[key]) - 2,
            "y": bottom,
            "y2": bottom + high,
            "color": color,
            "tint": style.TINTS[color],
            "name": text,
            "at": LEFT[half] + (COLUMN * len(way[key]) - 8) / 2,
        }
        for half, key, color in (
            ("encoder", "src", style.ENCODER),
            ("decoder", "read", style.DECODER),
        )
        for bottom, high, text in (
            *((band, 64, f"{half}, layer {layer}") for layer, band in enumerate(BANDS)),
            (SOFTMAX, 36, "linear, softmax"),
        )
        if half == "decoder" or bottom != SOFTMAX
    ]
    layer_boxes = alt.Chart(alt.Data(values=boxes))
    color = alt.Color("color:N", scale=None, legend=None)
    newest = "datum.since <= step && step < datum.until"
    out, end = LEFT["encoder"] + COLUMN * len(way["src"]) - 2, LEFT["decoder"] - 6
    middle = (out + end) / 2 - 2
    high, arrived = VECTORS[-1] + 8, f"step >= {layers + 1}"
    corners = [(out - 4, high), (middle, high), (middle, BANDS[0] + 32)]
    memory = [{"x": a, "y": b, "order": order} for order, (a, b) in enumerate(corners)]
    ways = [{"x": middle, "x2": end - 5, "y": band + 32} for band in BANDS]
    flows = [{"x": middle, "x2": end, **flow} for flow in flows]
    named = [{"x": LEFT["encoder"], "y": VECTORS[-1] + 28, "word": "memory"}]
    to, bold = {"x2": "x2:Q", "y2": "y2:Q"}, {"fontWeight": "bold"}
    stroke = alt.Stroke("color:N", scale=None, legend=None)
    fill = alt.Fill("tint:N", scale=None, legend=None)
    ramp = [-LIMIT, -LIMIT / 2, 0, LIMIT / 2, LIMIT]
    scale = alt.Scale(domain=ramp, clamp=True, interpolate="rgb", range=list(style.SIGNED_COLORS))
    key = {"title": "numbers of a vector", "values": [-3, 0, 3], "legendX": 0, "legendY": 0}
    legend = alt.Legend(orient="none", direction="horizontal", gradientLength=110, **key)
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
        .mark_text(fontSize=14, baseline="middle", **bold)
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
            color=alt.Color("value:Q", scale=scale, legend=legend),
            opacity=alt.condition("datum.since == step", alt.value(1), alt.value(0.5)),
            **to,
        ),
        now(frames, "datum.since == step")
        .mark_rect(filled=False, stroke=style.ACCENT, strokeWidth=3)
        .encode(x, y, **to),
        now(named, arrived)
        .mark_text(fontSize=13, color=style.ENCODER, align="left", **bold)
        .encode(x, y, text="word:N"),
        now(names, "datum.since <= step").mark_rect(cornerRadius=4).encode(x, y, fill=fill, **to),
        now(names, "datum.since <= step")
        .mark_text(fontSize=CHIP, baseline="middle", **bold)
        .encode(alt.X("middle:Q", axis=None), alt.Y("up:Q", axis=None), text="word:N", color=color),
    ).resolve_scale(color="independent")
    titles = json.dumps(said, ensure_ascii=False)
    title = alt.Title(alt.ExprRef(f"{titles}[step - 1]"), subtitle="Dashed: not computed yet")
    return drawn.properties(width=width, height=height + 8, title=title).add_params(slider)


def _check(src: Sequence[str], steps: Sequence[WordStep]) -> None:
    if not steps:
        raise ValueError("there are no steps to draw")
    for number, step in enumerate(steps, start=1):
        if len(step.weights) != len(src):
            raise ValueError(
                f"step {number} looks at {len(step.weights)} words, but the source has {len(src)}"
            )


SENTENCE = "I like trees"


@cache
def i_like_trees() -> tuple[list[str], list[WordStep]]:
    return decode_steps(Translator.load(), SENTENCE)


@cache
def _i_like_trees_on_the_way() -> dict[str, Any]:
    return on_the_way(Translator.load(), SENTENCE)


@figure(
    "decoder-three-differences",
    caption="What the decoder has and the encoder lacks.",
    alt=f"{LAYOUT} Filled, with numbers from 1 to 3: the causal mask of the decoder's "
    "self-attention, which hides the words to come, its cross-attention, which looks at the "
    "source, and on top linear and softmax, which choose the next word.",
)
def draw_three_differences() -> Figure:
    figure = architecture(
        "decoder.self_attn.causal.mask",
        "decoder.cross_attn",
        "decoder.cross_attn.heads",
        "generator.*",
        title="Three things that only\nthe decoder has",
    )
    [ax] = figure.axes
    for number, x, y, text, at, ha in (
        (1, 3.92, 3.42, "hides the\nwords to come", (3.92, 2.42), "center"),
        (2, 7.12, 4.5, "looks at\nthe source", (7.28, 4.5), "left"),
        (3, 6.75, 7.78, "choose the\nnext word", (6.91, 7.78), "left"),
    ):
        ground = {"boxstyle": "circle,pad=0.22", "facecolor": style.ACCENT, "edgecolor": "none"}
        look = {"weight": "bold", "zorder": 5, "color": style.PAPER, "bbox": ground}
        centered(ax, x, y, str(number), size=style.LABEL, **look)
        label(ax, at, text, ha=ha, color=style.ACCENT, weight="bold")
    return figure


@figure(
    "decoder-generator",
    caption="From the decoder's vector to the word 'árboles', from top to bottom.",
    alt="On top a strip of 128 colored numbers. An arrow leads down to a curve of 1,794 logits, "
    "mostly near 0, with one needle above 9. The next arrow leads to log-probabilities: the same "
    "curve, moved down so that the needle ends just below 0. The last arrow leads from below the "
    "needle to the word 'árboles'.",
)
def draw_generator() -> Figure:
    translator = Translator.load()
    x, logits = decoder_vector(translator, SENTENCE, place=3)
    return _generator_flow(x, logits, translator.tgt.vocab.tokens)


@figure(
    "decoder-words-come-back",
    hero=True,
    caption="Each word that the decoder writes is the next word that it reads.",
    alt="On the left the encoder, with 'I like trees <eos>'; an arrow 'memory' leads to a wide "
    "panel, the decoder, with five cells. Below the cells stand the words that it reads, <bos> me "
    "gustan los árboles; above them the words that it writes, me gustan los árboles <eos>. From "
    "each written word an arrow in its color leads down through the gap on its right to the same "
    "word under the next cell: four strokes of one shape, from left to right.",
)
def draw_words_come_back() -> Figure:
    way = _i_like_trees_on_the_way()
    return _words_come_back(way["src"], way["read"], way["written"])


@figure(
    "decoder-stepper",
    caption="Step through encoder and decoder: vectors climb, each written word comes back.",
    alt="Two stacks of two layers with a slider for 23 steps; shown is step 16, in which the "
    "decoder reads 'los', which it has just written. On the left, four columns of colored strips, "
    "the vectors of 'I like trees <eos>' before and after each encoder layer; a line, the memory, "
    "leads from their top to both decoder layers. On the right, the columns of <bos>, 'me' and "
    "'gustan' are complete up to the words written above them; from the newest, 'los', a line in "
    "its color leads around the decoder to the next column, where it is read. All strips are "
    "faded but the newest, that of 'los'; dashed frames stand for what isn't computed yet.",
)
def draw_stepper() -> Any:
    return _stacks_stepper(_i_like_trees_on_the_way())


@figure(
    "decoder-trace",
    caption="All five steps of 'I like trees' → 'me gustan los árboles <eos>' by our translator.",
    alt="Five rows. Each shows the words read so far, a row of attention weights over 'I like "
    "trees <eos>', the next word with its probability as a bar, about 90 %, and the next "
    "likeliest, with 0.05 % at most. 'me' looks mostly at 'I', 'gustan' at 'like', 'los' half at "
    "'trees', 'árboles' at 'trees', <eos> at <eos>.",
)
def draw_trace() -> Figure:
    return _decode_trace(*i_like_trees())
