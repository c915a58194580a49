"""Several heads at once: the way through eight heads, and who looks at whom, head by head."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import torch
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from transformer_lib.plots import style
from transformer_lib.plots.attention import attention_heatmap
from transformer_lib.plots.values import as_array, steady_round

SPREAD = 0.75  # of the space between two words, for the lines of all heads to one word
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
    if not 1 <= h <= len(style.CATEGORIES):
        raise ValueError(f"there are colors for 1 to {len(style.CATEGORIES)} heads, not for {h}")
    length, d_k = len(words), d_model // h
    figure = style.new_figure(10.6, 5.6)
    ax = figure.subplots()
    ax.set(xlim=(0, 106), ylim=(0, 56))
    ax.axis("off")
    step = 44 / h
    tall, wide = min(0.62 * step, 4.0), 4.4  # of one head's small matrices
    ys = [46 - step * (head + 0.5) for head in range(h)]
    middle = (ys[0] + ys[-1]) / 2

    _matrix(ax, 14, middle, 10, 6, length, style.PAPER)
    _name(ax, 14, middle + 6, "$X$")
    _name(ax, 14, middle - 5.5, f"{length} × {d_model}", small=True)
    for row, word in enumerate(words):
        ax.text(8, middle + 6 * (0.5 - (row + 0.5) / length), word, ha="right", va="center",
                fontsize=10.5)  # fmt: skip
    for head, (y, color) in enumerate(zip(ys, style.CATEGORIES, strict=False)):
        _arrow(ax, (19.6, middle), (29.6, y), color)
        for place, x in enumerate((32.5, 38, 43.5)):
            _matrix(ax, x, y, wide, tall, length, color)
            ax.text(x, y, "QKV"[place], ha="center", va="center", fontsize=11, weight="bold",
                    color=style.ink_on(color))  # fmt: skip
        _arrow(ax, (46.4, y), (56.6, y), color)
        _matrix(ax, 59.5, y, wide, tall, length, color)
        ax.text(59.5, y, f"$Z_{head}$", ha="center", va="center", fontsize=11,
                color=style.ink_on(color))  # fmt: skip
        _arrow(ax, (62.4, y), (65.1, middle + (y - middle) * 0.14), color)
        left = 70.5 + (head - (h - 1) / 2) * 10 / h
        _matrix(ax, left, middle, 10 / h, 6, length, color)
        _matrix(ax, 85, middle + 5 - (head + 0.5) * 10 / h, 10, 10 / h, 1, color)
    for x, lines in {
        23: ("$W_i^Q,\\ W_i^K,\\ W_i^V$", f"each {d_model} × {d_k}"),
        38: (f"{_times(h)} times", f"each {length} × {d_k}"),
        50.8: (r"softmax$\left(\frac{QK^T}{\sqrt{d_k}}\right)V$", ""),
        62: (f"{_times(h)} times", f"each {length} × {d_k}"),
    }.items():
        for line, y in zip(lines, (52, 49), strict=True):
            _name(ax, x, y, line, small=True)
    _name(ax, 70.5, middle + 5.5, "side by side", small=True)
    _name(ax, 70.5, middle - 5.5, f"{length} × {d_model}", small=True)
    ax.text(77.7, middle, "×", ha="center", va="center", fontsize=16)
    _name(ax, 85, middle + 8, "$W^O$")
    _name(ax, 85, middle - 7.5, f"{d_model} × {d_model}", small=True)
    ax.text(92.3, middle, "=", ha="center", va="center", fontsize=16)
    _matrix(ax, 99.5, middle, 10, 6, length, style.PAPER)
    _name(ax, 99.5, middle + 6, "out")
    _name(ax, 99.5, middle - 5.5, f"{length} × {d_model}", small=True)
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
        "arrowstyle": "-|>", "color": color, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0,
        "mutation_scale": 10})  # fmt: skip


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

    weights: head's name -> its weights (q, k); the heavier, the thicker the line. query: the place
    of one word on the left whose lines alone are drawn. Weights below 0.03 are left out.
    Raises ValueError when the words don't fit the matrices.
    """
    if ax is None:
        ax = style.new_figure(4.0, 0.28 * max(len(rows), len(columns)) + 0.8).subplots()
    colors = colors or dict(zip(weights, style.CATEGORIES, strict=False))
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
    colors = dict(zip(last_first, style.CATEGORIES, strict=False))  # as in `token_view`
    figure = style.new_figure(10.4, 0.28 * len(words) + 1.9)
    panels = figure.subplots(1, 3, gridspec_kw={"wspace": 0.12})
    for ax, count, letter in zip(panels, (1, 2, len(heads)), "abc", strict=True):
        shown = {name: named[name] for name in names[:count]}
        token_lines(shown, words, words, query, ax, colors)
        what = {1: "one head", 2: "two heads"}.get(count, f"all {_times(count)} heads")
        ax.set_title(f"({letter}) {what}")
        mean = heads[:count, query].mean(axis=0)
        largest = [(words[j], mean[j]) for j in mean.argsort()[::-1] if mean[j] >= 0.1][:2]
        said = ", ".join(f"{word} {steady_round(weight):.2f}" for word, weight in largest)
        ax.text(0.5, len(words) + 0.2, f"mean: {said}", ha="center", va="center", fontsize=11)
    proxies = [mpl.lines.Line2D([], [], color=colors[name], linewidth=4) for name in names]
    figure.legend(proxies, names, loc="outside lower center", ncols=4, fontsize=10.5)
    return figure


def token_rows(looks: Any) -> tuple[list[dict], list[dict]]:
    """A translator's looks -> (lines, words), the two tables of `token_view`.

    lines: one for each layer, head, query i and key j with a weight of at least 0.03. words: one
    for each layer, side ("query" or "key") and place.
    """
    written = [f"{read} → {word}" for read, word in zip(looks.tgt_in, looks.tgt_out, strict=True)]
    sides = {"src": looks.src, "tgt_in": looks.tgt_in, "tgt": written}
    lines, words = [], []
    for layer, weights in looks.weights.items():
        part, _, number, kind = layer.split(".")  # such as encoder.layers.0.self_attn
        name, rows, columns = KINDS[f"{part}.{kind}"]
        name, rows, columns = name.format(int(number) + 1), sides[rows], sides[columns]
        for side, tokens in (("query", rows), ("key", columns)):
            words += [{"layer": name, "side": side, "place": place, "word": word}
                      for place, word in enumerate(tokens)]  # fmt: skip
        for head, matrix in enumerate(as_array(weights)):
            lines += [
                {"layer": name, "head": head + 1, "i": i, "j": j, "query": rows[i],
                 "key": columns[j], "weight": steady_round(matrix[i, j])}
                for i in range(len(rows)) for j in range(len(columns)) if matrix[i, j] >= FAINT
            ]  # fmt: skip
    return lines, words


def token_view(looks: Any, layer: str = "encoder, layer 2", word: str | None = None) -> Any:
    """Words that look on the left, words looked at on the right: an Altair chart to touch.

    looks: what a `Translator` gives. A line's width and opacity are its weight, its color the
    head. Below the chart one chooses layer, heads and word; the mouse on a word shows its lines
    alone, a click in the legend one head alone. layer, word: what is chosen at first; word None:
    all of them. Raises ValueError where there is no such layer or word.
    """
    import altair as alt

    lines, words = token_rows(looks)
    layers = list(dict.fromkeys(row["layer"] for row in words))
    if layer not in layers:
        raise ValueError(f"there is no {layer!r}; the layers are {', '.join(layers)}")
    places = [row["word"] for row in words if row["layer"] == layer and row["side"] == "query"]
    if word is not None and word not in places:
        raise ValueError(f"{word!r} is not among the words that look: {', '.join(places)}")
    longest = max(row["place"] for row in words) + 1
    heads = range(1, max(row["head"] for row in lines) + 1)

    chosen = alt.param(
        name="layer", value=layer, bind=alt.binding_select(options=layers, name="layer ")
    )
    pinned = alt.param(
        name="word", value=places.index(word) + 1 if word else 0,
        bind=alt.binding_range(min=0, max=longest, step=1, name="word on the left (0: all) "),
    )  # fmt: skip
    boxes = [
        alt.param(name=f"head{head}", value=True, bind=alt.binding_checkbox(name=f"head {head} "))
        for head in heads
    ]
    hover = alt.selection_point(
        name="hover", fields=["side", "place"], on="pointerover", clear="pointerout", empty=False
    )
    legend = alt.selection_point(name="legend", fields=["head"], bind="legend")

    switched_on = " || ".join(f"(datum.head == {head} && head{head})" for head in heads)
    under_mouse = "(hover.side[0] == 'query' ? datum.i : datum.j) == hover.place[0]"
    on_a_word = "isValid(hover.place) && isValid(hover.place[0])"  # lines have no place
    pinned_word = "word == 0 || datum.i == word - 1"
    vertical = alt.Scale(domain=[longest - 0.5, -0.5], nice=False)
    across = alt.Scale(domain=[0, 1], nice=False)
    width = 260  # pixels between the two columns
    room = {
        side: round((16 + 8.4 * max(len(w["word"]) for w in words if w["side"] == side)) / width, 3)
        for side in ("query", "key")
    }
    looks_chart = (
        alt.Chart(alt.Data(values=lines))
        .transform_filter("datum.layer == layer")
        .transform_filter(switched_on)
        .transform_filter(f"{on_a_word} ? {under_mouse} : ({pinned_word})")
        .transform_filter(legend)
        .transform_calculate(
            left="0", right="1",
            # Side by side, so that no head hides another one that looks at the same word.
            end=f"datum.j + (datum.head - {(len(heads) + 1) / 2}) * {SPREAD / len(heads)}",
        )
        .mark_rule(strokeCap="round")
        .encode(
            x=alt.X("left:Q", scale=across, axis=None), x2="right:Q",
            y=alt.Y("i:Q", scale=vertical, axis=_column(words, "key", longest)), y2="end:Q",
            color=alt.Color(
                "head:N", scale=alt.Scale(domain=list(heads), range=list(style.CATEGORIES)),
                legend=alt.Legend(title="head", orient="top", symbolType="stroke", symbolSize=300,
                                  symbolStrokeWidth=7, symbolOpacity=1),
            ),
            opacity=alt.Opacity("weight:Q", scale=alt.Scale(domain=[0, 1], range=[0.4, 1]),
                                legend=None),
            strokeWidth=alt.StrokeWidth("weight:Q", scale=alt.Scale(domain=[0, 1], range=[1, 6]),
                                        legend=None),
            tooltip=[alt.Tooltip("query:N"), alt.Tooltip("key:N"), alt.Tooltip("head:N"),
                     alt.Tooltip("weight:Q", format=".2f")],
        )
        .add_params(chosen, pinned, *boxes, legend)
        .properties(name="looks")  # otherwise Altair makes a name of the data's last digits
    )  # fmt: skip
    # Letters are hard to hit with the mouse: a wide stripe that can't be seen lies over each word.
    # The stripes also keep room for the longest word of all layers.
    stripes = (
        alt.Chart(alt.Data(values=words))
        .transform_filter("datum.layer == layer")
        .transform_calculate(
            edge="datum.side == 'query' ? 0 : 1",
            outside=f"datum.side == 'query' ? {-room['query']} : {1 + room['key']}",
        )
        .mark_rule(strokeWidth=22, stroke="transparent", aria=False)
        .encode(
            x=alt.X("edge:Q", scale=across, axis=None), x2="outside:Q",
            y=alt.Y("place:Q", scale=vertical, axis=_column(words, "query", longest)),
        )
        .add_params(hover)
        .properties(name="places")
    )  # fmt: skip
    chart = alt.layer(looks_chart, stripes).resolve_axis(y="independent")
    return chart.properties(width=width, height=26 * longest)


def _column(words: Sequence[Mapping[str, Any]], side: str, longest: int) -> Any:
    """One side's words as the labels of an axis, whose ink JupyterLab changes with its theme."""
    import altair as alt

    by_layer: dict[str, list[str]] = {}
    for row in words:
        if row["side"] == side:
            by_layer.setdefault(row["layer"], []).append(row["word"])
    weight = "normal"
    if side == "query":
        weight = {"condition": {"test": "word == datum.value + 1", "value": "bold"},
                  "value": "normal"}  # fmt: skip
    return alt.Axis(
        values=list(range(longest)), orient="left" if side == "query" else "right", title=None,
        labelExpr=f"{json.dumps(by_layer, ensure_ascii=False)}[layer][datum.value] || ''",
        labelFontWeight=weight, labelFontSize=14, labelPadding=10, labelLimit=400,
        labelOverlap=False, grid=False, ticks=False, domain=False,
    )  # fmt: skip


def encoder_heads(looks: Any) -> dict[str, torch.Tensor]:
    """All heads of a translator's encoder by name, "layer 1, head 1" first: (s, s) each."""
    return {
        f"layer {int(name.split('.')[2]) + 1}, head {head + 1}": matrix
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
    """ "layer 2, head 3" -> 2"""
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
    for layer, weights in enumerate(recorded.values(), 1):
        for head in range(weights.size(1)):
            profile = profiles[f"layer {layer}, head {head + 1}"] = {}
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
        ax.bar(list(profile), list(profile.values()), width=0.7, color=style.CATEGORIES[0])
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
    kind. What the causal mask forbids is grey.
    """
    layers = last_layers(looks)
    written = [f"{read} → {word}" for read, word in zip(looks.tgt_in, looks.tgt_out, strict=True)]
    panels = (
        ("encoder\nself-attention", looks.src, looks.src, "English", "English"),
        ("decoder, masked\nself-attention", written, looks.tgt_in, "Spanish", "Spanish"),
        ("encoder-decoder\nattention", written, looks.src, "Spanish", "English"),
    )
    figure = style.new_figure(10.6, 4.6)
    axes = figure.subplots(1, 3, width_ratios=[len(columns) for _, _, columns, *_ in panels])
    for ax, layer, (title, rows, columns, q_from, kv_from) in zip(
        axes, layers, panels, strict=True
    ):
        attention_heatmap(looks.weights[layer].mean(dim=0), rows, columns, ax=ax, title=title)
        ax.set_aspect("auto")  # all three equally high
        ax.set_ylabel(f"q from the {q_from}")
        ax.set_xlabel(f"k and v from the {kv_from}")
        ax.set_xticks(range(len(columns)), columns, rotation=45, ha="right",
                      rotation_mode="anchor")  # fmt: skip
        if "masked" in title:
            _grey_out(ax, len(columns))
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
