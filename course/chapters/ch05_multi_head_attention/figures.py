"""Several heads at once: the way through eight heads, and who looks at whom, head by head."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.arrows import attention_arrow, box, path, threads
from course.drawing.cells import area, outline
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import Point, canvas, label, percent, sentence, width_of, word, word_color
from transformer_lib.translator import Translator

# The words that look in the riddle, each with a color in all pictures of it.
ASKERS = {"it": style.ACCENT, "tired": "#3F7F7A", "wide": "#3F7F7A"}
SPREAD = 0.35  # of the space between two words, for the lines of all heads to one word
# One color for each head, and none that a word of the running sentence has.
HEADS = ("#2774A7", "#E89F2A", "#912E5A", "#3F7F7A", "#CD5A1F", "#86CEEB", "#C9B18A", "#4D4D4D")
WIDE = 550  # pixels of the view to touch, where its words allow it
SAID = 0.2  # in the view to touch, lines of such weight say it
SHARE = 90  # pixels for what they say
FAINT = 0.03  # lines of less weight are left out: they could not be seen
KINDS = {  # of attention: how a layer is called, and whose words its queries and keys are
    "encoder.self_attn": ("encoder, layer {}", "src", "src"),
    "decoder.self_attn": ("decoder, layer {}: Spanish looks at Spanish", "tgt", "tgt_in"),
    "decoder.cross_attn": ("decoder, layer {}: Spanish looks at English", "tgt", "src"),
}


# --- the way through the heads -------------------------------------------------------------------


def _heads_recap(words: Sequence[str], d_model: int = 512, h: int = 8) -> Figure:
    """Draw X -> h times Q, K, V -> h times Z -> side by side -> W^O -> out, with all shapes.

    words: one row of X each. One head has the accent from beginning to end. At most eight heads.
    """
    length, d_k, wide, high = len(words), d_model // h, 1.4, 0.54
    title = f"{_times(h).capitalize()} heads work separately, and one matrix combines their results"
    figure, ax = canvas(6.05, title)
    pitch, joined, low, side = 6.55 / h, 1.5, 1.22, 1.3  # side: where the captions end
    middles = [1.4 + pitch * (head + 0.5) for head in range(h)]
    center = (middles[0] + middles[-1]) / 2
    colors = [style.ACCENT, *[OTHER_HEADS] * (h - 1)]
    tall, base = 0.25 * length, 4.8  # so that the words don't touch
    tints = [style.tint(word_color(text)) for text in words]
    _rows(ax, (center - wide / 2, base), wide, tall, length, [style.PAPER], tints)
    for row, text in enumerate(words):
        at = center - wide / 2 - 0.12, base + tall * (1 - (row + 0.5) / length)
        word(ax, at, text, size=10, ha="right")
    below = "the words, or the output\nof the layer below"
    label(ax, (center + wide / 2 + 0.12, base + tall / 2), below, color=style.MUTED)
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
        (base + tall / 2, f"$X$   {length} × {d_model}"),
        (4.3, f"$W^Q_i$, $W^K_i$, $W^V_i$\neach {d_model} × {d_k}"),
        (3.75, f"each {length} × {d_k}"),
        (3.2, r"softmax$\left(\frac{QK^T}{\sqrt{d_k}}\right)V$"),
        (2.64, f"each {length} × {d_k}"),
        (low + high / 2, f"side by side\n{length} × {d_model}"),
    ):
        label(ax, (side, y), said, size=style.LABEL, ha="right", linespacing=1.35)
    _rows(ax, (joined, low), wide, high, length, colors)
    last, top = joined + wide + 0.85, low + high  # of the matrix, as wide as it is high
    _rows(ax, (last, top - wide), wide, wide, h, [style.PAPER], colors)
    out = last + wide + 0.85
    _rows(ax, (out, low), wide, high, length, [style.PAPER], tints)
    for x, y, text in (
        (last - 0.425, low + high / 2, "×"),
        (last + wide / 2, top - wide - 0.18, f"$W^O$  {d_model} × {d_model}"),
        (out - 0.425, low + high / 2, "="),
        (out + wide / 2, low - 0.3, f"output  {length} × {d_model},\nthe same shape as $X$"),
    ):
        label(ax, (x, y), text, size=17 if len(text) == 1 else style.LABEL, ha="center")
    said = f"the {d_k} numbers of head 0\nmeet these {d_k} rows of $W^O$"
    label(ax, (last + wide + 0.15, 0.42), said, color=style.ACCENT)
    return figure


OTHER_HEADS = "#C3C8CF"


def _times(h: int) -> str:
    return {1: "one", 2: "two", 4: "four", 8: "eight"}.get(h, str(h))


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


# --- all heads, one sentence ---------------------------------------------------------------------


def _eight_heads(
    named: Mapping[str, Any], words: Sequence[str], marked: Mapping[str, str]
) -> Figure:
    """Draw what two words look at in each head, half disks under their sentence -> the figure.

    named: "layer 0, head 0" -> its weights (s, s). marked: the two words -> their colors. The area
    of a half disk is the share of attention that the word above it gets; under 5 % has none. The
    row in which both look at one word is marked.
    """
    step, apart = 0.46, 0.2
    one, other = marked
    places = [words.index(text) for text in marked]
    tables = {name: as_array(table)[places] for name, table in named.items()}
    both = max(tables, key=lambda name: tables[name].min(axis=0).max())
    target = int(tables[both].min(axis=0).argmax())
    count = _times(len(named))
    note = (
        "Our translator’s encoder, weights of 5% and more. "
        f"Upper half disks: weights of “{one}”; lower ones: of “{other}”"
    )
    title = f"One head of {count} connects both “{one}” and “{other}” with “{words[target]}”"
    figure, ax = canvas(1.6 + step * len(named), title, note)
    y = ax.get_ylim()[1] - 1.04
    middles = sentence(ax, (1.5, y - 0.04), words, {words[target]: style.INK, **marked}, size=11)
    area(ax, (middles[target] - 0.32, 0.05), 0.64, y - 0.25, style.GROUND, zorder=0)
    y += apart
    for name, table in tables.items():
        (layer, head), loud = name.split(", "), name == both
        y -= step
        if head == "head 0":
            y -= apart
            label(ax, (0.1, y), layer, size=style.LABEL, weight="bold")
        label(ax, (0.75, y), head, size=style.LABEL, weight="bold" if loud else "normal")
        ends = [(middles[0] - 0.2, y), (middles[-1] + 0.2, y)]
        path(ax, ends, style.RULE, head=False, thick=0.7, zorder=1)
        for side, weights, color in zip((1, -1), table, marked.values(), strict=True):
            for x, weight in zip(middles, weights, strict=True):
                if weight >= 0.05:
                    half = (x, y), 0.2 * weight**0.5, min(0, 180 * side), max(0, 180 * side)
                    ax.add_patch(Wedge(*half, color=color, lw=0, alpha=1 if loud else 0.5))
            if loud:
                said = f"{weights[target]:.0%} of the weight of “{one if side > 0 else other}”"
                look = {"weight": "bold", "color": style.readable(color, style.PAPER)}
                label(ax, (middles[target] + 0.4, y + 0.1 * side), said, **look)
    return figure


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
            look = {"size": 14, "weight": "bold", "ha": "center"}
            ink = style.readable(color, style.PAPER)
            label(ax, at, f"{weight:.0%}", color=ink, **look)


# --- two columns of words ------------------------------------------------------------------------


def _one_two_all(weights: Any, words: Sequence[str], query: int, numbers: Sequence[int]) -> Figure:
    """Draw what one word attends to in one head, in the mean of two, and in that of all.

    weights (h, q, k), the heads in the order in which they are added; numbers: what they are
    called. A line is as thick as the mean of the panel's heads is large.
    """
    heads = as_array(weights)
    step, asker, color = 0.27, words[query], ASKERS.get(words[query], style.INK)
    tall, low, all_of = step * (len(words) - 1), 0.2, _times(len(heads))
    target = heads[0, query].argmax()
    shares = [heads[:count, query, target].mean() for count in (1, len(heads))]
    title = (
        f"“{words[target]}” has {shares[0]:.0%} of the weight in one head and {shares[1]:.0%} in "
        f"the mean of {all_of}"
    )
    note = f"What “{asker}” attends to in layer 1 of our translator’s encoder ({all_of} heads)"
    figure, ax = canvas(tall + 1.45, title, note)
    for count, x in zip((1, 2, len(heads)), (0.3, 2.88, 5.46), strict=True):
        ends = [(x + 1.02, low + tall - step * place) for place in range(len(words))]
        start, mean = (x, ends[query][1]), heads[:count, query].mean(axis=0)
        threads(ax, [start], ends, mean, color, name=f"of {count} heads", widest=8)
        few = " and ".join(map(str, sorted(numbers[:count])))
        what = {1: f"head {few}", 2: f"mean of heads {few}"}.get(count, f"mean of all {all_of}")
        label(ax, (x + 1.05, low + tall + 0.36), what, size=style.LABEL, weight="bold")
        word(ax, (x - 0.08, start[1]), asker, size=13, ha="right", color=color)
        largest = {place for place in (*mean.argsort()[-2:], target) if mean[place] >= 0.1}
        for place, (text, end) in enumerate(zip(words, ends, strict=True)):
            ink = color if place == target else style.INK if place in largest else style.MUTED
            word(ax, (end[0] + 0.08, end[1]), text, ha="left", color=ink)
            if place in largest:
                look = {"size": 13, "weight": "bold", "ha": "right", "color": ink}
                label(ax, (end[0] + 1.3, end[1]), f"{mean[place]:.0%}", **look)
    return figure


def _token_rows(maps: Any) -> tuple[list[dict], list[dict]]:
    """A translator's looks -> (lines, words), the two tables of `token_view`.

    lines: one for each layer, head, query i and key j with a weight of at least FAINT, the largest
    last. words: one for each layer, side ("query" or "key") and place. label: the word that looks,
    with a number where it stands more than once, such as "the (2)"; a word looked at has none.
    """
    sides = {"src": maps.src, "tgt_in": maps.tgt_in, "tgt": maps.tgt_out}
    lines, words = [], []
    for layer, weights in maps.weights.items():
        part, _, number, kind = layer.split(".")  # such as encoder.layers.0.self_attn
        name, rows, columns = KINDS[f"{part}.{kind}"]
        name, rows, columns = name.format(number), sides[rows], sides[columns]
        labels = _told_apart(rows)
        told_apart = (rows, labels), (columns, [None] * len(columns))
        for side, (tokens, told) in zip(("query", "key"), told_apart, strict=True):
            words += [
                {"layer": name, "side": side, "place": place, "word": word, "label": label}
                for place, (word, label) in enumerate(zip(tokens, told, strict=True))
            ]
        for (head, i, j), weight in np.ndenumerate(as_array(weights)):
            if weight >= FAINT:
                row = {"layer": name, "head": head, "i": i, "j": j, "query": rows[i]}
                row |= {"label": labels[i], "key": columns[j], "weight": steady_round(weight)}
                lines.append(row)
    return sorted(lines, key=lambda row: row["weight"]), words


def _told_apart(words: Sequence[str]) -> list[str]:
    """The words, numbered where one occurs more than once: the (1), cat, the (2)."""
    return [
        f"{word} ({words[: place + 1].count(word)})" if words.count(word) > 1 else word
        for place, word in enumerate(words)
    ]


def token_view(maps: Any, layer: str = "encoder, layer 1", word: str | None = None) -> Any:
    """Words that look on the left, words looked at on the right: an Altair chart to touch.

    maps: what a `Translator` gives. A line's width and opacity are its weight, its color the
    head. Below the chart one chooses layer, word and heads by their names. A click on a word on
    the left shows its lines alone: the thickest is loud, the others are grey, thick ones have head
    and share, and the title says where most of its attention goes. A click beside it shows the
    lines of all words and a legend, in which a click shows one head alone. layer, word: what is
    chosen at first; word None: all of them. Raises ValueError where there is no such layer or word.
    """
    lines, words = _token_rows(maps)
    layers = list(dict.fromkeys(row["layer"] for row in words))
    if layer not in layers:
        raise ValueError(f"there is no {layer!r}; the layers are {', '.join(layers)}")
    labels = [row["label"] for row in words if row["layer"] == layer and row["label"]]
    if word is not None:
        places = [row["word"] for row in words if row["layer"] == layer and row["label"]]
        if word not in places:
            raise ValueError(f"{word!r} is not among the words that look: {', '.join(places)}")
        word = labels[places.index(word)]
    longest = max(row["place"] for row in words) + 1
    heads = range(max(row["head"] for row in lines) + 1)

    # All in pixels; the same in all layers, whatever their longest word.
    for row in words:
        row["wide"] = round(72 * width_of(row["word"], 15) + 16)
    most_wide = {
        side: max(row["wide"] for row in words if row["side"] == side) for side in ("query", "key")
    }
    between = max(120, min(230, WIDE - SHARE - sum(most_wide.values())))
    left, right = most_wide["query"] + 6, most_wide["query"] + between - 6
    width = right + 6 + most_wide["key"] + SHARE
    for row in words:
        row["x"], row["x2"] = (
            (left - row["wide"], left) if row["label"] else (right, right + row["wide"])
        )

    most: dict[str, dict[str, Any]] = {name: {} for name in layers}
    for row in lines:  # the largest comes last
        where = f"{re.search(r'layer [0-9]+', row['layer'])[0]}, head {row['head']}"
        said = f"In {where}, “{row['query']}” looks at “{row['key']}”: {percent(row['weight'])}"
        most[row["layer"]][row["label"]] = {"head": row["head"], "j": row["j"], "said": said}
    for row in lines:
        best = most[row["layer"]][row["label"]]
        row["most"] = int((row["head"], row["j"]) == (best["head"], best["j"]))

    chosen = alt.param(
        name="layer", value=layer, bind=alt.binding_select(options=layers, name="layer ")
    )
    names = list(dict.fromkeys(row["label"] for row in words if row["label"]))
    pinned = alt.selection_point(
        name="word",
        fields=["label"],
        on="click",
        clear="dblclick",
        value=alt.Undefined if word is None else [{"label": word}],
        bind=alt.binding_select(options=[None, *names], labels=["all words", *names], name="word "),
    )
    boxes = [
        alt.param(name=f"head{head}", value=True, bind=alt.binding_checkbox(name=f"head {head} "))
        for head in heads
    ]
    legend = alt.selection_point(name="legend", fields=["head"], bind="legend")
    # What the chosen word looks at most, if this layer has the word.
    table = json.dumps(most, ensure_ascii=False)
    found = f"(isValid(word.label) ? {table}[layer][word.label[0]] : null)"
    strong = "found && (datum.label ? datum.label == word.label[0] : datum.place == found.j)"
    across = alt.Scale(domain=[0, width], nice=False, zero=False)
    vertical = alt.Scale(domain=[longest - 0.5, -0.5], nice=False)

    def at(field: str) -> Any:
        return alt.X(f"{field}:Q", scale=across, axis=None)

    def down(field: str) -> Any:
        return alt.Y(f"{field}:Q", scale=vertical, axis=None)

    accent = style.readable(style.ACCENT)
    shown = alt.Chart(alt.Data(values=words)).transform_filter("datum.layer == layer")
    shown = shown.transform_calculate(above="datum.place - 0.43", below="datum.place + 0.43")
    chips = shown.mark_rect(
        cornerRadius=6,
        fill=alt.expr(f"{strong} ? '{style.tint(style.ACCENT)}' : '{style.GROUND}'"),
        cursor=alt.expr("datum.label ? 'pointer' : 'default'"),
    ).encode(at("x"), down("above"), x2="x2", y2="below", description="word:N")
    # Without names Altair makes some of the data's last digits.
    chips = chips.add_params(pinned).properties(name="words")
    letters = shown.transform_calculate(middle="(datum.x + datum.x2) / 2").mark_text(
        fontSize=15,
        fontWeight=alt.expr(f"{strong} ? 'bold' : 'normal'"),
        fill=alt.expr(f"{strong} ? '{accent}' : found ? '{style.MUTED}' : '{style.INK}'"),
        cursor=alt.expr("datum.label ? 'pointer' : 'default'"),
    )
    letters = letters.encode(at("middle"), down("place"), text="word:N").properties(name="letters")
    color = alt.Color(
        "head:N",
        scale=alt.Scale(domain=list(heads), range=list(HEADS)),
        legend=alt.Legend(
            title=None,
            labelExpr="'head ' + datum.label",
            orient="none",  # where a chosen word's lines have their shares
            legendX=width - SHARE + 10,
            legendY=0,
            symbolType="stroke",
            symbolSize=300,
            labelOffset=6,
            # A chosen word's thick lines are named at their ends.
            symbolStrokeWidth=alt.expr("found ? 0 : 7"),
            labelOpacity=alt.expr("found ? 0 : 1"),
        ),
    )
    switched_on = " || ".join(f"(datum.head == {head} && head{head})" for head in heads)

    def looks(rows: list[dict], look: str) -> Any:
        drawn = alt.Chart(alt.Data(values=rows)).transform_filter("datum.layer == layer")
        return drawn.transform_filter(switched_on).transform_filter(look).transform_filter(legend)

    # Side by side, so that no head hides another one that looks at the same word.
    end = f"datum.j + (datum.head - {(len(heads) - 1) / 2}) * (found ? 0 : {SPREAD / len(heads)})"
    grey = f"datum.most ? '{style.ACCENT}' : '{style.SOFT}'"
    way = [f"{left + 6 + share * (between - 24):.0f}" for share in (0, 0.4, 0.6, 1)]
    curves = (
        looks(lines, "!found || datum.label == word.label[0]")
        .transform_calculate(x=f"[{', '.join(way)}]", y=f"[datum.i, datum.i, {end}, {end}]")
        .transform_flatten(["x", "y"])
        .mark_line(interpolate="basis", strokeCap="round")
        .encode(
            at("x"),
            down("y"),
            detail=["i:N", "j:N"],
            color=alt.condition("found", alt.value(alt.expr(grey)), color),
            opacity=alt.Opacity(
                "weight:Q", scale=alt.Scale(domain=[0, 1], range=[0.4, 1]), legend=None
            ),
            strokeWidth=alt.StrokeWidth(
                "weight:Q", scale=alt.Scale(domain=[0, 1], range=[0.8, 8]), legend=None
            ),
            tooltip=["query:N", "key:N", "head:N", alt.Tooltip("weight:Q", format=".2f")],
        )
        .add_params(chosen, *boxes, legend)
        .properties(name="looks")
    )
    far = {(row["layer"], row["place"]): row["x2"] + 12 for row in words if not row["label"]}
    said = [{**row, "x": far[row["layer"], row["j"]]} for row in lines if row["weight"] >= SAID]
    ink = f"datum.most ? '{accent}' : '{style.MUTED}'"
    shares = (  # beside the words looked at
        looks(said, "found && datum.label == word.label[0]")
        .transform_window(
            rank="row_number()",
            sort=[alt.SortField(by, "descending") for by in ("weight", "head")],
            groupby=["j"],
        )
        .transform_filter("datum.rank == 1")  # of several heads, the one that looks most
        .transform_calculate(
            said="'head ' + datum.head + ': ' + format(datum.weight * 100, '.0f') + ' %'"
        )
        .mark_text(align="left", fontSize=13, fontWeight=600, fill=alt.expr(ink))
        .encode(at("x"), down("j"), text="said:N")
        .properties(name="shares")
    )
    title = alt.Title(
        alt.expr("found ? found.said : 'Who looks at whom · ' + layer"),
        subtitle=f"A line: what one of {len(heads)} heads looks at, thicker for more attention",
        frame="bounds",
    )
    chart = alt.layer(chips, curves, letters, shares).add_params(
        alt.param(name="found", expr=found)
    )
    return chart.properties(width=width, height=26 * longest, title=title)


def encoder_heads(maps: Any) -> dict[str, torch.Tensor]:
    """All heads of a translator's encoder by name, "layer 0, head 0" first: (s, s) each."""
    return {
        f"layer {name.split('.')[2]}, head {head}": matrix
        for name, weights in maps.weights.items()
        if name.startswith("encoder")
        for head, matrix in enumerate(weights)
    }


# --- the three uses ------------------------------------------------------------------------------


def _three_uses(maps: Any) -> Figure:
    """Draw who attends to whom in each of the three kinds of attention, a panel for each.

    maps: what a `Translator` gives. A line is the mean of the heads of the last layer of its kind;
    less than 10% gets none. Those between the languages have the
    color of the word attended to. A row of the decoder is named by the word to be written there.
    """
    note = "Our translator’s last layers, mean of four heads each; weights of 10% and more"
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
        label(ax, (x + 0.5, top), said, size=12, weight="bold", ha="center", color=ink)
        starts = [(x + 0.1, top - 0.55 - step * row) for row in range(len(rows))]
        for (_, y), text in zip(starts, rows, strict=True):
            word(ax, (x, y), text, size=12, ha="right", color=None if loud else style.MUTED)
        for j, text in enumerate(columns):
            y, color = starts[j][1], word_color(text) if loud else style.SOFT
            word(ax, (x + 1.05, y), text, size=12, ha="left", color=None if loud else style.MUTED)
            threads(ax, starts, [(x + 0.95, y)], means[:, j], color, widest=9, least=0.1)
    return figure


TIRED = "The animal didn't cross the street because it was too tired"
RIDDLE = {word: ASKERS[word] for word in ("it", "tired")}


@figure(
    "heads-recap",
    caption="The path of three words through eight heads, with all shapes.",
    alt="From X, 3 × 512, eight lines lead down to eight columns of Q, K and V, each 3 × 64, and "
    "on to Z 0 to Z 7, each 3 × 64. Below they stand side by side, 3 × 512 again; times W O, 512 × "
    "512, they give the output, 3 × 512, the shape of X. One head is colored all the way.",
)
def draw_heads_recap() -> Figure:
    return _heads_recap(["I", "like", "trees"])


def maps_of_tired() -> Any:
    return Translator.load().attention_maps(TIRED)


@figure(
    "heads-eight",
    caption="What two words attend to in each of the encoder's eight heads.",
    alt="The sentence 'the animal did not cross the street because it was too tired'; under it a "
    "line for each of eight heads, four in each layer. Half disks show how much attention the word "
    "above gets from 'it', over the line, and from 'tired', under it. In layer 0 the largest are "
    "mostly under <eos>. In layer 1, head 1 attends to words just before; head 2 has one full "
    "disk, under 'animal', 98% and 100%; heads 0 and 3 have small ones everywhere.",
    hero=True,
)
def draw_heads_eight() -> Figure:
    maps = maps_of_tired()
    return _eight_heads(encoder_heads(maps), maps.src, RIDDLE)


@figure(
    "heads-one-two-all",
    caption="What 'it' attends to: in one head, in the mean of two, and in the mean of all four.",
    alt="Three times the words of the sentence in a column, and lines to them from 'it'. Head 2: "
    "one thick line goes to 'animal', 98%. Mean of heads 1 and 2: a line half as thick to "
    "'animal', 49%, and one to 'because', 35%. Mean of all four: thin lines fan out to most "
    "words, the thickest to 'animal', 27%, and to 'because', 24%.",
)
def draw_heads_one_two_all() -> Figure:
    maps = maps_of_tired()
    weights, query = maps.weights["encoder.layers.1.self_attn"], maps.src.index("it")
    spread = torch.special.entr(weights[:, query]).sum(dim=-1)
    order = spread.argsort()
    return _one_two_all(weights[order], maps.src, query, order.tolist())


@figure(
    "heads-three-uses",
    caption="The three uses of attention, in the last layers, on 'I like trees'.",
    alt="Three panels, each with the words that attend on the left, and lines to the words on the "
    "right. Encoder self-attention, English to English, in gray. Cross-attention, Spanish to "
    "English, in the words' colors: to write 'gustan' it attends to 'like' and a little to "
    "'trees', for 'árboles' to 'trees', and for <eos> to <eos>. Decoder self-attention, Spanish to "
    "the Spanish before it, in gray: no line leads down.",
)
def draw_heads_three_uses() -> Figure:
    return _three_uses(Translator.load().attention_maps("I like trees"))
