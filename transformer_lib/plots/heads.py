"""Several heads at once: the way through eight heads, and who looks at whom, head by head."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from transformer_lib.plots import style
from transformer_lib.plots.attention import attention_heatmap
from transformer_lib.plots.drawing import canvas, word_color
from transformer_lib.plots.values import as_array, steady_round

SPREAD = 0.45  # of the space between two words, for the lines of all heads to one word
# One color for each head, and none that a word of the running sentence has.
HEADS = ("#2774A7", "#E89F2A", "#912E5A", "#4D4D4D", "#CD5A1F", "#86CEEB", "#C9B18A", "#3F7F7A")
WIDE = 575  # pixels of the view to touch, where its words allow it
FAINT = 0.03  # lines of less weight are left out: they could not be seen
KINDS = {  # of attention: how a layer is called, and whose words its queries and keys are
    "encoder.self_attn": ("encoder, layer {}", "src", "src"),
    "decoder.self_attn": ("decoder, layer {}: Spanish looks at Spanish", "tgt", "tgt_in"),
    "decoder.cross_attn": ("decoder, layer {}: Spanish looks at English", "tgt", "src"),
}


# --- the way through the heads -------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def heads_recap(words: Sequence[str], d_model: int = 512, h: int = 8) -> Figure:
    """Draw X -> h times Q, K, V -> h times Z -> side by side -> W^O -> out, with all shapes.

    words: one row of X each. Every head has its own color from beginning to end. Raises ValueError
    where h doesn't divide d_model, or there are more heads than colors.
    """
    if d_model % h:
        raise ValueError(f"d_model={d_model} must be divisible by h={h}")
    if not 1 <= h <= len(HEADS):
        raise ValueError(f"there are colors for 1 to {len(HEADS)} heads, not for {h}")
    length, d_k = len(words), d_model // h
    figure, ax = canvas(8, 5.3)
    ax.set(xlim=(0, 80), ylim=(0, 53))
    step = 43 / h
    tall, wide = min(0.66 * step, 4.0), 4.0  # of one head's small matrices
    ys = [44.5 - step * (head + 0.5) for head in range(h)]
    middle = (ys[0] + ys[-1]) / 2

    _matrix(ax, 11.2, middle, 7, 4.8, length, style.PAPER)
    _name(ax, 11.2, middle + 4.4, "$X$")
    _name(ax, 11.2, middle - 4.7, f"{length} × {d_model}", small=True)
    _name(ax, 9.2, middle - 10.5, "the words,\nor the output of\nthe layer below", small=True)
    for row, word in enumerate(words):
        ax.text(7, middle + 4.8 * (0.5 - (row + 0.5) / length), word, ha="right",
                va="center_baseline", fontsize=11, weight="bold",
                color=word_color(word))  # fmt: skip
    for head, (y, color) in enumerate(zip(ys, HEADS, strict=False)):
        _arrow(ax, (15, middle), (22, y), color)
        for place, x in enumerate((24.6, 29.1, 33.6)):
            _matrix(ax, x, y, wide, tall, 1, color)
            ax.text(x, y, "QKV"[place], ha="center", va="center", fontsize=11, weight="bold",
                    color=style.ink_on(color))  # fmt: skip
        _arrow(ax, (36, y), (43.6, y), color)
        _matrix(ax, 46, y, wide, tall, 1, color)
        ax.text(46, y, f"$Z_{head}$", ha="center", va="center", fontsize=11,
                color=style.ink_on(color))  # fmt: skip
        left = 56.5 + (head - (h - 1) / 2) * 8 / h
        down = y >= middle  # to its own column, from above or from below
        _arrow(ax, (48.3, y), (left, middle + (2.55 if down else -2.55)), color)
        _matrix(ax, left, middle, 8 / h, 4.8, length, color)
        _matrix(ax, 67, middle + 3.5 - (head + 0.5) * 7 / h, 7, 7 / h, 1, color)
    for x, high, lines in (
        (16.5, 48.5, ("$W_i^Q,\\ W_i^K,\\ W_i^V$", f"each {d_model} × {d_k}")),
        (29.1, 48.5, (f"{_times(h)} times", f"each {length} × {d_k}")),
        (39.8, 51.0, (r"softmax$\left(\frac{QK^T}{\sqrt{d_k}}\right)V$", "")),
        (46, 48.5, (f"{_times(h)} times", f"each {length} × {d_k}")),
    ):
        for place, line in enumerate(lines):
            _name(ax, x, high - 2.3 * place, line, small=True)
    _name(ax, 60.5, middle + 8.0, "side by side", small=True)
    _name(ax, 62.0, middle - 5.6, f"{length} × {d_model}", small=True)
    ax.text(62, middle, "×", ha="center", va="center", fontsize=15)
    _name(ax, 67, middle + 5.7, "$W^O$")
    _name(ax, 69.0, middle - 8.2, f"{d_model} × {d_model}", small=True)
    ax.text(71.9, middle, "=", ha="center", va="center", fontsize=15)
    _matrix(ax, 76.3, middle, 6.4, 4.8, length, style.PAPER)
    _name(ax, 76.3, middle + 4.4, "out")
    _name(ax, 76.3, middle - 4.7, f"{length} × {d_model}", small=True)
    return figure


def _times(h: int) -> str:
    return {1: "one", 2: "two", 4: "four", 8: "eight"}.get(h, str(h))


def _matrix(ax: Axes, x: float, y: float, wide: float, tall: float, rows: int, color: str) -> None:
    """A matrix around (x, y) with a line under each row."""
    ax.add_patch(Rectangle((x - wide / 2, y - tall / 2), wide, tall, facecolor=color,
                           edgecolor=style.INK, linewidth=0.8))  # fmt: skip
    for row in range(rows):
        ax.add_patch(Rectangle((x - wide / 2, y - tall / 2 + tall * row / rows), wide, tall / rows,
                               fill=False, edgecolor=style.INK, linewidth=0.4))  # fmt: skip


def _name(ax: Axes, x: float, y: float, text: str, small: bool = False) -> None:
    ax.text(x, y, text, ha="center", va="center", fontsize=10.5 if small else 13,
            weight="normal" if small else "bold")  # fmt: skip


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], color: str) -> None:
    ax.annotate("", xy=end, xytext=start, arrowprops={
        "arrowstyle": "-|>", "color": color, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0,
        "mutation_scale": 10})  # fmt: skip


# --- all heads, one sentence ---------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def eight_looks(named: Mapping[str, Any], words: Sequence[str], marked: Sequence[str]) -> Figure:
    """Draw a map for each head, four in a row, with the rows of the `marked` words framed.

    named: "layer 0, head 0" -> its weights (s, s).
    """
    across = min(4, len(named))
    down = -(-len(named) // across)
    figure = style.new_figure(style.WIDTH, 2.3 * down + 1.7)
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    for ax in list(grid.flat)[len(named) :]:
        ax.remove()
    for ax, (name, matrix) in zip(grid.flat, named.items(), strict=False):
        image = ax.imshow(as_array(matrix), cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
        ax.set_title(name, fontsize=11.5, pad=5)
        ax.set_xticks(range(len(words)), words, rotation=90, fontsize=10)
        ax.set_yticks(range(len(words)), words, fontsize=10)
        ax.tick_params(length=0, pad=2)
        ax.spines[:].set(visible=True, color="#CFCFCF")
        for word in marked:
            row = words.index(word)
            ax.add_patch(Rectangle((-0.5, row - 0.5), len(words), 1, fill=False, linewidth=1.8,
                                   edgecolor=style.HIGHLIGHT, clip_on=False, zorder=3))  # fmt: skip
    for ax in grid[:, 0]:
        for tick, word in zip(ax.get_yticklabels(), words, strict=True):
            if word in marked:
                tick.set(weight="bold", fontsize=11)
    figure.supylabel("the word that looks", fontsize=11)
    figure.supxlabel("the word looked at", fontsize=11)
    scale = figure.colorbar(image, ax=list(grid.flat)[: len(named)], label="attention weight",
                            location="top", shrink=0.3, aspect=22, pad=0.02)  # fmt: skip
    scale.outline.set_visible(False)
    scale.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    return figure


@mpl.rc_context(style.PRINT)
def two_pictures(looks: Any, layer: str, head: int, askers: Sequence[str]) -> Figure:
    """Draw the looks of two words of a sentence in one head, side by side and without its name."""
    figure = style.new_figure(style.WIDTH, 0.27 * len(looks.src) + 0.8)
    panels = figure.subplots(1, len(askers), gridspec_kw={"wspace": 0.3})
    for ax, asker, letter in zip(panels, askers, "ab", strict=True):
        query = looks.src.index(asker)
        token_lines({"": looks.weights[layer][head]}, looks.src, looks.src, query, ax,
                    {"": HEADS[0]})  # fmt: skip
        _alone(ax, query)
        ax.set_title(f"({letter})  what “{asker}” looks at")
    return figure


def _alone(ax: Axes, query: int) -> None:
    """Leave only the word that looks on the left, and set the one most looked at in bold."""
    lines = [lines for lines in ax.collections if len(lines.get_linewidths())]
    heavy = max(lines, key=lambda one: max(one.get_linewidths()))
    end = heavy.get_segments()[int(np.argmax(heavy.get_linewidths()))][-1][1]
    for text in list(ax.texts):
        x, place = text.get_position()
        if x < 0 and place != query:
            text.remove()
        elif x > 1 and abs(place - end) < 0.5:
            text.set_weight("bold")


# --- two columns of words ------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def token_lines(
    weights: Mapping[str, Any],
    rows: Sequence[str],
    columns: Sequence[str],
    query: int | None = None,
    ax: Axes | None = None,
    colors: Mapping[str, str] | None = None,
) -> Axes:
    """Draw words that look on the left, words looked at on the right, and the looks as lines.

    weights: head's name -> its weights (q, k); the heavier, the thicker the line. query: the
    position of one word on the left whose lines alone are drawn. Weights below 0.03 are left out.
    Raises ValueError when the words don't fit the matrices.
    """
    if ax is None:
        ax = style.new_figure(4.0, 0.28 * max(len(rows), len(columns)) + 0.8).subplots()
    colors = colors or dict(zip(weights, HEADS, strict=False))
    for name, matrix in weights.items():
        matrix = as_array(matrix)
        if matrix.shape != (len(rows), len(columns)):
            raise ValueError(f"{len(rows)} words on the left and {len(columns)} on the right don't "
                             f"fit the weights of {name}, {matrix.shape}")  # fmt: skip
        # Side by side, so that no head hides another one that looks at the same word.
        beside = (list(weights).index(name) - (len(weights) - 1) / 2) * SPREAD / len(weights)
        looks = [
            (i, j) for i in (range(len(rows)) if query is None else [query])
            for j in range(len(columns)) if matrix[i, j] >= FAINT
        ]  # fmt: skip
        shown = [matrix[look] for look in looks]
        ax.add_collection(LineCollection(
            [[(0, i), (1, j + beside)] for i, j in looks], colors=colors[name], label=name,
            linewidths=[0.7 + 4 * weight for weight in shown],
            alpha=[0.4 + 0.6 * min(weight, 1) for weight in shown],
            capstyle="round", clip_on=False,
        ))  # fmt: skip
    for side, words in ((0, rows), (1, columns)):
        for place, word in enumerate(words):
            dim = side == 0 and query not in (None, place)
            ax.text(1.06 if side else -0.06, place, word, ha="left" if side else "right",
                    va="center", fontsize=12, color=style.MUTED if dim else style.INK,
                    weight="bold" if side == 0 and place == query else "normal")  # fmt: skip
    ax.set(xlim=(0, 1), ylim=(max(len(rows), len(columns)) - 0.5, -0.5))
    ax.axis("off")
    return ax


@mpl.rc_context(style.PRINT)
def one_two_all(weights: Any, words: Sequence[str], query: int, names: Sequence[str]) -> Figure:
    """Draw what one word looks at in one head, in two, and in all -> the figure, three panels.

    weights (h, q, k), the heads in the order in which they are added; names: one for each.
    """
    heads = as_array(weights)
    if len(names) != len(heads):
        raise ValueError(f"{len(heads)} heads need {len(heads)} names, but there are {len(names)}")
    named = dict(zip(names, heads, strict=True))
    last_first = sorted(names, key=lambda name: (-_layer(name), name))
    colors = dict(zip(last_first, HEADS, strict=False))  # as in `token_view`
    figure = style.new_figure(style.WIDTH, 0.27 * len(words) + 1.9)
    panels = figure.subplots(1, 3, gridspec_kw={"wspace": 0.3})
    for ax, count, letter in zip(panels, (1, 2, len(heads)), "abc", strict=True):
        shown = {name: named[name] for name in names[:count]}
        token_lines(shown, words, words, query, ax, colors)
        _alone(ax, query)
        what = {1: "one head", 2: "two heads"}.get(count, f"all {_times(count)} heads")
        ax.set_title(f"({letter}) {what}")
        mean = heads[:count, query].mean(axis=0)
        largest = [(words[j], mean[j]) for j in mean.argsort()[::-1] if mean[j] >= 0.1][:2]
        said = ", ".join(f"{word} {steady_round(weight):.2f}" for word, weight in largest)
        mean = "weight" if count == 1 else "mean of the heads"
        ax.text(0.6, len(words) + 0.6, f"{mean}:\n{said}", ha="center", va="center", fontsize=10.5)
    ordered = sorted(names)  # by layer, then by head; a legend fills its columns first
    ordered = [name for pair in zip(ordered[: len(names) // 2], ordered[len(names) // 2 :],
                                    strict=False) for name in pair] or ordered  # fmt: skip
    proxies = [mpl.lines.Line2D([], [], color=colors[name], linewidth=4) for name in ordered]
    figure.legend(proxies, ordered, loc="outside lower center", ncols=4, fontsize=10,
                  handlelength=1.4, columnspacing=1.2)  # fmt: skip
    return figure


def token_rows(looks: Any) -> tuple[list[dict], list[dict]]:
    """A translator's looks -> (lines, words), the two tables of `token_view`.

    lines: one for each layer, head, query i and key j with a weight of at least 0.03. words: one
    for each layer, side ("query" or "key") and place. label: the word, with a number where it
    stands more than once, such as "the (2)".
    """
    written = [f"{read} → {word}" for read, word in zip(looks.tgt_in, looks.tgt_out, strict=True)]
    sides = {"src": looks.src, "tgt_in": looks.tgt_in, "tgt": written}
    lines, words = [], []
    for layer, weights in looks.weights.items():
        part, _, number, kind = layer.split(".")  # such as encoder.layers.0.self_attn
        name, rows, columns = KINDS[f"{part}.{kind}"]
        name, rows, columns = name.format(number), sides[rows], sides[columns]
        for side, tokens in (("query", rows), ("key", columns)):
            words += [{"layer": name, "side": side, "place": place, "word": word, "label": label}
                      for place, (word, label) in enumerate(zip(tokens, told_apart(tokens),
                                                                strict=True))]  # fmt: skip
        labels = told_apart(rows)
        for head, matrix in enumerate(as_array(weights)):
            lines += [
                {"layer": name, "head": head, "i": i, "j": j, "query": rows[i],
                 "label": labels[i], "key": columns[j], "weight": steady_round(matrix[i, j])}
                for i in range(len(rows)) for j in range(len(columns)) if matrix[i, j] >= FAINT
            ]  # fmt: skip
    return lines, words


def told_apart(words: Sequence[str]) -> list[str]:
    """Each word, with its number where it stands more than once: the (1), cat, the (2)."""
    return [
        f"{word} ({words[: place + 1].count(word)})" if words.count(word) > 1 else word
        for place, word in enumerate(words)
    ]


def token_view(looks: Any, layer: str = "encoder, layer 1", word: str | None = None) -> Any:
    """Words that look on the left, words looked at on the right: an Altair chart to touch.

    looks: what a `Translator` gives. A line's width and opacity are its weight, its color the
    head. Below the chart one chooses layer, word and heads by their names. A click on a word on
    the left shows its lines alone, a click beside it those of all words; a click in the legend
    shows one head alone. layer, word: what is chosen at first; word None: all of them.
    Raises ValueError where there is no such layer or word.
    """
    import altair as alt

    lines, words = token_rows(looks)
    layers = list(dict.fromkeys(row["layer"] for row in words))
    if layer not in layers:
        raise ValueError(f"there is no {layer!r}; the layers are {', '.join(layers)}")
    labels = {  # of each layer's words that look
        name: [row["label"] for row in words if row["layer"] == name and row["side"] == "query"]
        for name in layers
    }
    if word is not None:
        places = [row["word"] for row in words if row["layer"] == layer and row["side"] == "query"]
        if word not in places:
            raise ValueError(f"{word!r} is not among the words that look: {', '.join(places)}")
        word = labels[layer][places.index(word)]
    longest = max(row["place"] for row in words) + 1
    heads = range(max(row["head"] for row in lines) + 1)

    chosen = alt.param(
        name="layer", value=layer, bind=alt.binding_select(options=layers, name="layer ")
    )
    names = list(dict.fromkeys(label for some in labels.values() for label in some))
    pinned = alt.selection_point(
        name="word", fields=["label"], on="click", clear="dblclick",
        value=alt.Undefined if word is None else [{"label": word}],
        bind=alt.binding_select(options=[None, *names], labels=["all words", *names], name="word "),
    )  # fmt: skip
    boxes = [
        alt.param(name=f"head{head}", value=True, bind=alt.binding_checkbox(name=f"head {head} "))
        for head in heads
    ]
    legend = alt.selection_point(name="legend", fields=["head"], bind="legend")

    by_layer = json.dumps(labels, ensure_ascii=False)
    is_chosen = f"isValid(word.label) && indexof({by_layer}[layer], word.label[0]) >= 0"
    switched_on = " || ".join(f"(datum.head == {head} && head{head})" for head in heads)
    vertical = alt.Scale(domain=[longest - 0.5, -0.5], nice=False)
    across = alt.Scale(domain=[0, 1], nice=False)
    # Pixels between the two columns; with the words the view is no wider than a notebook's column.
    width = max(120, min(260, WIDE - room(words, "query") - room(words, "key")))
    queries = [row for row in words if row["side"] == "query"]
    longest_word = json.dumps({
        layer: max(len(row["word"]) for row in queries if row["layer"] == layer) for layer in labels
    }, ensure_ascii=False)  # fmt: skip
    buttons = (  # the word itself is the label of an axis; this is its background, to be clicked
        alt.Chart(alt.Data(values=queries))
        .transform_filter("datum.layer == layer")
        .transform_calculate(
            edge=str(-6 / width),
            outside=f"{-14 / width} - {longest_word}[datum.layer] * {8.6 / width}",
            above="datum.place - 0.44", below="datum.place + 0.44",
        )
        .mark_rect(cornerRadius=5, fill="#8a8a8a", clip=False, cursor="pointer")
        .encode(
            x=alt.X("edge:Q", scale=across, axis=None), x2="outside:Q",
            y=alt.Y("above:Q", scale=vertical, axis=_column(labels, words, "query", longest)),
            y2="below:Q",
            fillOpacity=alt.condition(
                f"({is_chosen}) && datum.label == word.label[0]", alt.value(0.4), alt.value(0.14)
            ),
            description="word:N",
        )
        .add_params(pinned)
        .properties(name="words")  # otherwise Altair makes a name of the data's last digits
    )  # fmt: skip
    looks_chart = (
        alt.Chart(alt.Data(values=lines))
        .transform_filter("datum.layer == layer")
        .transform_filter(switched_on)
        .transform_filter(f"({is_chosen}) ? datum.label == word.label[0] : true")
        .transform_filter(legend)
        .transform_calculate(
            left="0", right="1",
            # Side by side, so that no head hides another one that looks at the same word.
            end=f"datum.j + (datum.head - {(len(heads) - 1) / 2}) * {SPREAD / len(heads)}",
        )
        .mark_rule(strokeCap="round")
        .encode(
            x=alt.X("left:Q", scale=across, axis=None), x2="right:Q",
            y=alt.Y("i:Q", scale=vertical, axis=_column(labels, words, "key", longest)),
            y2="end:Q",
            color=alt.Color(
                "head:N", scale=alt.Scale(domain=list(heads), range=list(HEADS)),
                legend=alt.Legend(title="head", titleOrient="left", orient="top",
                                  symbolType="stroke", symbolSize=300,
                                  symbolStrokeWidth=7, symbolOpacity=1),
            ),
            opacity=alt.Opacity("weight:Q", scale=alt.Scale(domain=[0, 1], range=[0.4, 1]),
                                legend=None),
            strokeWidth=alt.StrokeWidth("weight:Q", scale=alt.Scale(domain=[0, 1], range=[1, 6]),
                                        legend=None),
            tooltip=[alt.Tooltip("query:N"), alt.Tooltip("key:N"), alt.Tooltip("head:N"),
                     alt.Tooltip("weight:Q", format=".2f")],
        )
        .add_params(chosen, *boxes, legend)
        .properties(name="looks")
    )  # fmt: skip
    chart = alt.layer(buttons, looks_chart).resolve_axis(y="independent")
    title = alt.Title(alt.ExprRef("layer"), fontSize=15, anchor="middle", offset=2)
    return chart.properties(width=width, height=26 * longest, title=title)


def _column(
    labels: Mapping[str, Sequence[str]], words: Sequence[Mapping[str, Any]], side: str, longest: int
) -> Any:
    """One side's words as the labels of an axis, whose ink JupyterLab changes with its theme."""
    import altair as alt

    by_layer: dict[str, list[str]] = {}
    for row in words:
        if row["side"] == side:
            by_layer.setdefault(row["layer"], []).append(row["word"])
    weight = "normal"
    if side == "query":
        said = f"{json.dumps(labels, ensure_ascii=False)}[layer][datum.value]"
        weight = {"condition": {"test": f"isValid(word.label) && {said} == word.label[0]",
                                "value": "bold"},
                  "value": "normal"}  # fmt: skip
    return alt.Axis(
        values=list(range(longest)), orient="left" if side == "query" else "right", title=None,
        labelExpr=f"{json.dumps(by_layer, ensure_ascii=False)}[layer][datum.value] || ''",
        labelFontWeight=weight, labelFontSize=14, labelPadding=10, labelLimit=400,
        labelOverlap=False, grid=False, ticks=False, domain=False,
        minExtent=room(words, side),  # the same in all layers, whatever their longest word
    )  # fmt: skip


def room(words: Sequence[Mapping[str, Any]], side: str) -> float:
    """Pixels for the longest word of one side in any layer."""
    return 14 + 8.6 * max(len(row["word"]) for row in words if row["side"] == side)


def encoder_heads(looks: Any) -> dict[str, torch.Tensor]:
    """All heads of a translator's encoder by name, "layer 0, head 0" first: (s, s) each."""
    return {
        f"layer {name.split('.')[2]}, head {head}": matrix
        for name, weights in looks.weights.items() if name.startswith("encoder")
        for head, matrix in enumerate(weights)
    }  # fmt: skip


def sharpest_first(heads: Mapping[str, torch.Tensor], query: int) -> dict[str, torch.Tensor]:
    """The heads in the order of their entropy in one row: the least spread one comes first.

    The last layer goes before the others, since its vectors are what the decoder reads.
    """

    def order(name: str) -> tuple[float, float]:
        return -_layer(name), torch.special.entr(heads[name][query]).sum().item()

    return {name: heads[name] for name in sorted(heads, key=order)}


def _layer(name: str) -> int:
    """ "layer 1, head 2" -> 1"""
    return int(name.split()[1].rstrip(","))


# --- heads as filters ----------------------------------------------------------------------------


def weight_by_distance(translator: Any, texts: Sequence[str], reach: int = 3) -> dict:
    """How far the encoder's heads look -> {head's name: {distance: mean weight}}.

    distance: from -reach to reach, -1 is the word on the left. The mean is taken over all words of
    all texts that have a word at this distance.
    """
    from transformer_lib.batching import source_batch
    from transformer_lib.decoding import deciding
    from transformer_lib.recording import record_attention
    from transformer_lib.tokens import PAD

    src = source_batch([translator.src.encode(text) for text in texts])
    with deciding(translator.model), record_attention(translator.model) as recorded:
        translator.model.encode(src)
    place, real = torch.arange(src.size(1)), src != PAD
    both_real = real[:, :, None] & real[:, None, :]  # (b, q, k)
    profiles = {}
    for layer, weights in enumerate(recorded.values()):
        for head in range(weights.size(1)):
            profile = profiles[f"layer {layer}, head {head}"] = {}
            for distance in range(-reach, reach + 1):
                there = both_real & (place[None, :] - place[:, None] == distance)
                profile[distance] = weights[:, head][there].mean().item()
    return profiles


@mpl.rc_context(style.PRINT)
def distance_bars(profiles: Mapping[str, Mapping[int, float]]) -> Figure:
    """Draw the mean weight at each distance, a panel for each head -> the figure."""
    figure = style.new_figure(8.6, 3.2)
    panels = figure.subplots(1, len(profiles), sharey=True, squeeze=False)[0]
    for ax, (name, profile) in zip(panels, profiles.items(), strict=True):
        ax.bar(list(profile), list(profile.values()), width=0.7, color=HEADS[0])
        ax.set_xticks(list(profile), [f"{d:+d}" if d else "itself" for d in profile])
        ax.set_title(name)
        ax.set_xlabel("distance of the word looked at")
    panels[0].set_ylabel("mean weight")
    return figure


# --- the three uses ------------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def three_uses(looks: Any) -> Figure:
    """Draw encoder self-attention, decoder self-attention and cross-attention side by side.

    looks: what a `Translator` gives. Each map is the mean of the heads of the last layer of its
    kind. What the causal mask forbids is gray.
    """
    layers = last_layers(looks)
    written = [f"{read} → {word}" for read, word in zip(looks.tgt_in, looks.tgt_out, strict=True)]
    panels = (
        ("encoder\nself-attention", looks.src, looks.src, "English", "English"),
        ("decoder, masked\nself-attention", written, looks.tgt_in, "Spanish", "Spanish"),
        ("encoder-decoder\nattention", written, looks.src, "Spanish", "English"),
    )
    figure = style.new_figure(style.WIDTH, 3.8)
    axes = figure.subplots(1, 3, width_ratios=[len(columns) for _, _, columns, *_ in panels])
    for ax, layer, (title, rows, columns, q_from, kv_from) in zip(
        axes, layers, panels, strict=True
    ):
        attention_heatmap(looks.weights[layer].mean(dim=0), rows, columns, ax=ax)
        ax.set_title(title, fontsize=12)
        ax.set_anchor("N")
        ax.set_ylabel(f"queries from the {q_from}", fontsize=11)
        ax.set_xlabel(f"keys and values\nfrom the {kv_from}", fontsize=11)
        ax.set_xticks(range(len(columns)), columns, rotation=45, ha="right",
                      rotation_mode="anchor")  # fmt: skip
        for tick in [*ax.get_xticklabels(), *ax.get_yticklabels()]:
            said = tick.get_text().split(" → ")[-1]
            tick.set(color=word_color(said), weight="bold", fontsize=10.5)
        for text in ax.texts:
            text.set_fontsize(10)
            if text.get_text() == "0.00":
                text.set_text("")
        if "masked" in title:
            _grey_out(ax, len(columns))
    axes[2].tick_params(labelleft=False)  # the same rows as its neighbor's
    axes[2].set_ylabel("")
    figure.supxlabel(f"weights of layer {layers[0].split('.')[2]}, mean of its heads; "
                     "gray: hidden by the mask; empty: 0.00", fontsize=10)  # fmt: skip
    return figure


def last_layers(looks: Any) -> list[str]:
    """The names of the last encoder layer, decoder self-attention and cross-attention."""
    kinds = (kind.split(".") for kind in KINDS)
    return [
        [name for name in looks.weights if name.startswith(part) and name.endswith(kind)][-1]
        for part, kind in kinds
    ]


def _grey_out(ax: Axes, length: int) -> None:
    """Cover what the causal mask forbids."""
    for i in range(length):
        for j in range(i + 1, length):
            ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor="#D9D9D9",
                                   edgecolor=style.PAPER, zorder=3))  # fmt: skip
    for text in list(ax.texts):
        column, row = text.get_position()
        if column > row:
            text.remove()
