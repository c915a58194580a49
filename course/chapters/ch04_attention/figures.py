"""How attention comes about: the equation step by step, why it is scaled, and a chart to move.

Rows are queries, the first word at the top; columns are keys.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from torch import Tensor

from course.chapters.ch04_attention.experiments import real_head, softmax_at
from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, path
from course.drawing.cells import area, matrix, outline
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round, written
from course.drawing.words import canvas, heading, label, percent, width_of, word, word_color

BOLD = {"size": style.LABEL, "weight": "bold"}
SIDE = 210  # pixels, of the planes in the explorer


def _word_colors(words: Sequence[str]) -> list[str]:
    """Each word's own color, as in the whole series; other words take what is left."""
    left = iter(color for color in style.CATEGORIES if color not in style.WORDS.values())
    return [style.WORDS.get(word) or next(left) for word in words]


def _query_finds_key(
    words: Sequence[str], query: Any, keys: Any, asks: str, looks_for: str = ""
) -> Figure:
    """Draw a query and the keys of the words as arrows from one point -> the figure.

    query (2), keys (words, 2); asks: the word that is about to be written; looks_for: what
    its query asks. Each key ends in a disk whose area is its weight, the softmax of query · key
    without division; a dashed line leads from it straight to the query.
    """
    q, k = as_array(query), as_array(keys)
    if q.shape != (2,) or k.shape != (len(words), 2):
        raise ValueError(
            f"a query of the shape (2,) and keys of the shape ({len(words)}, 2) can "
            f"be drawn, but these are {q.shape} and {k.shape}"
        )
    weights = np.exp(k @ q) / np.exp(k @ q).sum()
    figure, ax = canvas(8, 4.7)
    note = "The farther a key reaches along the query (dashed), the larger its weight (disk)"
    heading(ax, "A query finds the key that points its way", note)
    here, unit = np.array([3.4, 1.0]), 1.4  # inches
    for asked, key, weight, color in zip(words, k, weights, _word_colors(words), strict=True):
        tip, foot = here + unit * key, here + unit * q * (key @ q) / (q @ q)
        radius, side = 0.62 * np.sqrt(weight), 1 if key[0] >= 0 else -1
        ax.add_patch(Circle(tip, radius, facecolor=style.tint(color), edgecolor=color, zorder=2))
        ax.plot(*zip(tip, foot, strict=True), "--", color=style.MUTED, linewidth=1.2, zorder=2.2)
        arrow(ax, tuple(here), tuple(tip), color, thick=3)
        (x, y), wide = tip + (side * (radius + 0.2), 0), width_of(asked, 14)
        start = x if side > 0 else x - wide - 0.71
        label(ax, (start, y + 0.15), "key of", size=14)
        word(ax, (start + 0.64, y + 0.15), asked, size=14, ha="left")
        look = {"size": 12, "ha": "left" if side > 0 else "right"}
        across = ", at a right angle" if abs(key @ q) < 1e-6 else ""
        label(ax, (x, y - 0.2), f"weight {steady_round(weight):.2f}{across}", **look)
    x, y = here + unit * q
    arrow(ax, tuple(here), (x, y), style.INK, thick=5)
    left = x - 0.5 - width_of(asks, 14)
    label(ax, (left - 0.12, y - 0.1), "query, to write", size=14, weight="bold", ha="right")
    word(ax, (left, y - 0.1), asks, size=14, ha="left")
    label(ax, (x - 0.46, y - 0.42), looks_for, size=12, ha="right")
    ax.plot(*here, "o", color=style.INK, markersize=8, zorder=4)
    return figure


def _projection(words: Sequence[str], x: Any, weights: Any, marked: str) -> Figure:
    """Draw X W = K as three heat maps, each as wide as it is -> the figure.

    x (words, d_model), weights (d_model, d_k). One number is followed: it comes from the row of the
    word `marked` and from the column that makes its largest number, which also lies under the row.
    """
    x, weights = as_array(x), as_array(weights)
    result, row = x @ weights, list(words).index(marked)
    column = int(abs(result[row]).argmax())
    d_model, left = len(weights), 0.72
    unit, tall = 3.5 / d_model, 0.3  # inches: a column of any of the three; a row of words
    figure, ax = canvas(8, 3.95)
    note = "Each is a row times a column: multiply number by number, and add up"
    heading(ax, f"For each word, {d_model} numbers become {weights.shape[1]}", note)
    top, at, veil = 2.8, left, {"alpha": 0.72, "zorder": 2.2}
    lower, under = top - tall * (row + 1), 0.95  # below the row; below the column that lies
    for part, name, sign in ((x, "$X$", "×"), (weights, "$W^K$", "="), (result, "$K$", "")):
        rows, columns = part.shape
        wide, high, limit = unit * columns, tall * rows, 0.7 * abs(part).max()
        spot = at + unit * column
        if part is weights:
            high = top - 0.35
            area(ax, (at, 0.35), unit * column, high, style.PAPER, **veil)
            area(ax, (spot + unit, 0.35), at + wide - spot - unit, high, style.PAPER, **veil)
            outline(ax, (spot - 0.01, 0.35), unit + 0.02, high, style.ACCENT, 1.5)
            matrix(ax, (left, under), unit * d_model, tall, part[:, [column]].T, limit=limit)
            outline(ax, (left, under), unit * d_model, tall, style.ACCENT, 2.5)
        else:
            area(ax, (at, top - tall * row), wide, tall * row, style.PAPER, **veil)
            area(ax, (at, top - high), wide, lower - top + high, style.PAPER, **veil)
            outline(ax, (at, lower), wide, tall, style.WORDS[marked], 2.5)
            for number, text in enumerate(words):
                place, ha = (at - 0.08, "right") if part is x else (at + wide + 0.08, "left")
                word(ax, (place, top - tall * (number + 0.5)), text, size=10, ha=ha)
        matrix(ax, (at, top - high), wide, high, part, limit=limit)
        label(ax, (at, top + 0.2), f"{name}   {rows} × {columns}", size=13)
        at += wide + 0.6
        label(ax, (at - 0.3, top - tall * 2), sign, size=20, ha="center")
    said = {"size": style.LABEL, "color": style.ACCENT, "weight": "bold"}
    label(ax, (left, under - 0.2), "one column of $W^K$, laid under the row", **said)
    outline(ax, (spot - 0.02, lower), unit + 0.04, tall, style.ACCENT, 2.5)
    path(ax, [(spot + unit / 2, under + 0.26), (spot + unit / 2, lower - 0.03)], style.ACCENT)
    added = {**said, "ha": "center", "size": 14}
    label(ax, (spot + unit / 2, under + 0.12), written(result[row, column], 1), **added)
    label(ax, (spot + unit / 2, under - 0.2), "one number", **{**added, "size": style.LABEL})
    return figure


def _equation_frames(
    query: Any, keys: Any, values: Any, asks: str, words: Sequence[str], features: Sequence[str]
) -> Figure:
    """Draw softmax(q K^T / sqrt(d_k)) V for one query, a row for each word -> the figure.

    query (d_k), keys (words, d_k), values (words, d_v) of one head; asks: the word that asks;
    features: what the numbers of a value are called. The row of the largest weight is framed.
    """
    q, k, v = as_array(query), as_array(keys), as_array(values)
    scores = k @ q
    scaled = scores / np.sqrt(len(q))
    weights = np.exp(scaled - scaled.max()) / np.exp(scaled - scaled.max()).sum()
    found, cell, wide, low, left = int(weights.argmax()), 0.6, 0.85, 1.35, 4.45
    long, (high, middle) = wide * len(features), (cell * len(words), cell / 2)
    figure, ax = canvas(8, low + high + 1.15)
    heading(ax, f"“{asks}” looks at “{words[found]}” and takes its value")
    color, strong, top = word_color(words[found]), 1.8 * abs(v).max(), low + high
    heights = [top - cell * row - middle for row in range(len(words))]
    weight_at, y = 2.95, heights[found]
    for text, at in zip(words, heights, strict=True):
        word(ax, (0.45, at), text, size=14)
    for x, name in ((1.0, "score"), (weight_at, "weight")):
        label(ax, (x + wide / 2, top + 0.2), name, ha="center", **BOLD)
    for place, name in enumerate(features):
        label(ax, (left + wide * (place + 0.5), top + 0.2), name, ha="center", **BOLD)
    matrix(ax, (1.0, low), wide, high, scores[:, None], limit=1.8 * abs(scores).max(), decimals=0)
    look = {"limit": 1, "low": 0, "cmap": style.WEIGHTS, "decimals": 2}
    matrix(ax, (weight_at, low), wide, high, weights[:, None], **look)
    matrix(ax, (left, low), long, high, v, limit=strong, decimals=0)
    matrix(ax, (left, 0.2), long, cell, weights[None] @ v, limit=strong, decimals=2)
    arrow(ax, (1.1 + wide, y), (weight_at - 0.1, y), color, thick=3)
    said = rf"$\div\,\sqrt{{d_k}} = {np.sqrt(len(q)):.3g}$"
    label(ax, ((1 + wide + weight_at) / 2, top - 0.3), said, size=style.LABEL, ha="center")
    label(ax, ((1 + wide + weight_at) / 2, top - 0.62), "softmax", size=style.LABEL, ha="center")
    label(ax, ((weight_at + wide + left) / 2, y), "×", size=18, ha="center")
    outline(ax, (1.0, y - middle), left + long - 1.0, cell, color, 2.5)
    arrow(ax, (left + long / 2, low - 0.08), (left + long / 2, 0.3 + cell), color, thick=3)
    label(ax, (left + long / 2 + 0.15, low / 2 + 0.43), "rows × weights, summed")
    word(ax, (left - 0.2, 0.2 + middle), asks, size=14, ha="right")
    label(ax, (left - 0.36 - width_of(asks, 14), 0.2 + middle), "output for", ha="right", **BOLD)
    return figure


def _six_steps(words: Sequence[str], query: Any, keys: Any, values: Any) -> Figure:
    """Draw attention for the first of two words -> the figure.

    query (d_k) of the first word; keys (2, d_k), values (2, 2). On the left the steps down to the
    weights, a column for each word; on the right the values as arrows, and the output.
    """
    q, k, v = as_array(query), as_array(keys), as_array(values)
    root, scores, colors = np.sqrt(len(q)), k @ q, (style.ACCENT, style.MUTED)
    weights = np.exp((scores - max(scores)) / root)
    weights /= weights.sum()
    figure, ax = canvas(8, 4.2)
    most = steady_round(weights[0])
    heading(ax, f"“{words[0]}” gets a weight of {most:.2f}, so the output lies near its value")
    names = "query · key", rf"divided by $\sqrt{{d_k}}$ = {root:.3g}", "softmax: the weight"
    heights, unit = (2.65, 1.9, 1.05), 2.3 / v.max()  # inches for 1 in a value
    for y, name in zip(heights, names, strict=True):
        label(ax, (0.02, y), name, size=style.LABEL)
    here = np.array([4.95, 0.85])
    tips, output = here + unit * v, here + unit * weights @ v
    ax.plot(*tips.T, "--", color=style.SOFT, linewidth=1.2)
    for x, text, color, score, weight, tip, value in zip(
        (2.1, 3.3), words, colors, scores, weights, tips, v, strict=True
    ):
        word(ax, (x, 3.4), text, size=13, color=color)
        for y, number in zip(heights, (score, score / root), strict=False):
            label(ax, (x, y), f"{number:.4g}", size=14, ha="center")
            arrow(ax, (x, y - 0.2), (x, y - 0.5), style.SOFT)
        shown = f"{steady_round(weight):.2f}"
        label(ax, (x, heights[2]), shown, size=20, weight="bold", color=color, ha="center")
        path(ax, [tuple(here), tuple(tip)], style.SOFT)
        path(ax, [tuple(here), tuple(here + weight * (tip - here))], color, thick=7, head=False)
        (right, up), called = tip, f"value of “{text}”: {_vector(value)}"
        at = (here[0] - 0.05, up + 0.18) if up > here[1] else (right + 0.6, up - 0.28)
        look = {"ha": "left" if up > here[1] else "right", "size": style.LABEL}
        label(ax, at, called, color=style.readable(color, style.PAPER), weight="bold", **look)
    arrow(ax, tuple(here), tuple(output), style.INK, thick=3.5)
    at = output[0] + 0.15, output[1] + 0.17
    label(ax, at, f"output\n{_vector(weights @ v, 1)}", size=14, weight="bold")
    return figure


def _vector(numbers: Any, decimals: int = 0) -> str:
    """(8.8, 1.2)"""
    return f"({', '.join(f'{steady_round(number, decimals):.{decimals}f}' for number in numbers)})"


def _scaling_bars(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the weights of 16 keys for each width d_k, undivided above, divided below -> the figure.

    rows: one for each width and way, {"d_k", "scaled" (bool), "sorted" (the weights)}.
    """
    figure, ax = canvas(8, 4.1)
    note = "The weights of 16 random keys, the largest first (mean of 500 random queries)"
    heading(ax, "Without the division, one of 16 keys takes nearly all the weight", note)
    widths, bar, high = sorted({row["d_k"] for row in rows}), 0.1, 1.5
    for y, name in ((1.6, "undivided"), (0.62, "divided by $\\sqrt{d_k}$")):
        label(ax, (0.02, y + 0.1), name, size=style.LABEL, weight="bold")
    for row in rows:
        x, most = 1.95 + 2.15 * widths.index(row["d_k"]), row["sorted"][0]
        y, lift, ink = (0.62, 0.05, style.MUTED) if row["scaled"] else (1.6, -0.08, style.ACCENT)
        for place, weight in enumerate(row["sorted"]):
            color = style.SOFT if place or row["scaled"] else style.ACCENT
            area(ax, (x + bar * place, y), bar - 0.015, high * weight, color)
        path(ax, [(x, y), (x + 16 * bar, y)], style.SOFT, head=False, thick=0.75)
        at = x + bar + 0.06, y + high * most + lift
        label(ax, at, percent(steady_round(most)), size=14, weight="bold", color=ink)
        label(ax, (x, 0.26), f"{row['d_k']:,} numbers", size=style.LABEL)
    label(ax, (0.02, 0.26), "a key or query has", size=style.LABEL, color=style.MUTED)
    return figure


def _mutual_scores(ways: Mapping[str, Any], words: Sequence[str]) -> Figure:
    """Draw how words score each other, a panel for each way to make the scores -> the figure.

    ways: title -> scores (s, s). Arrows to later words run above the sentence, those back below it;
    their width is the size of the score. Only the first and the last word have arrows.
    """
    figure, ax = canvas(8, 4.25)
    note = "Scores from random matrices; the thicker an arrow, the farther its score is from 0"
    heading(ax, "With one matrix, two words give each other the same score", note)
    y, limit = 1.55, max(float(abs(as_array(scores)).max()) for scores in ways.values())
    for left, (title, scores) in zip((0.02, 4.35), ways.items(), strict=True):
        label(ax, (left, 3.32), title, size=13, weight="bold")
        places = [left + 0.3 + 1.42 * place for place in range(len(words))]
        for x, text in zip(places, words, strict=True):
            word(ax, (x, y), text, size=14)
        for (i, j), score in np.ndenumerate(as_array(scores)):
            if abs(i - j) < len(words) - 1:
                continue
            up, color = (1 if i < j else -1), style.POSITIVE if score > 0 else style.NEGATIVE
            rise, ends = 0.85 * up, [(places[place], y + 0.27 * up) for place in (i, j)]
            attention_arrow(ax, *ends, abs(score) / limit, color, widest=12, rise=rise, least=0)
            at = (places[i] + places[j]) / 2, y + rise + 0.5 * up
            label(ax, at, written(score, 1), ha="center", size=18, weight="bold")
    return figure


def _chip_path(text: str) -> str:
    """The outline of a word's chip in a chart, in pixels around its middle."""
    half = max(36 * width_of(text, 13) - 2.5, 1)
    corners = f"a6,6 0 0 1 6,6 v9 a6,6 0 0 1 -6,6 h{-2 * half:.1f} a6,6 0 0 1 -6,-6 v-9 "
    return f"M{-half:.1f},-10.5 h{2 * half:.1f} {corners}a6,6 0 0 1 6,-6 z"


def attention_explorer(
    words: Sequence[str], keys: Any, values: Any, query: Sequence[float], moved: str
) -> Any:
    """Attention to touch: sliders move a query and one key, weights and output follow.

    keys, values (s, 2): where the words' keys and values lie, between -3 and 3; query: where the
    query starts; moved: the word whose key has sliders. The picture shows the start. Everything is
    computed inside the chart. Raises ValueError for other shapes or an unknown word.
    """
    keys, values, start = as_array(keys), as_array(values), as_array(query)
    for name, array in (("keys", keys), ("values", values)):
        if array.shape != (len(words), 2):
            raise ValueError(
                f"{name} should have the shape ({len(words)}, 2) for {len(words)} "
                f"words, but their shape is {array.shape}"
            )
    if start.shape != (2,):
        raise ValueError(f"the query should be two numbers, but its shape is {start.shape}")
    if moved not in words:
        raise ValueError(f"there is no word {moved!r}; there are {', '.join(words)}")

    def slider(name: str, label: str, value: float) -> Any:
        bind = alt.binding_range(min=-3, max=3, step=0.25, name=label)
        return alt.param(name=name, value=float(value), bind=bind)

    key = keys[list(words).index(moved)]
    sliders = [
        slider("query_x", "query: right ", start[0]),
        slider("query_y", "query: up ", start[1]),
        slider("key_x", f"key of {moved}: right ", key[0]),
        slider("key_y", f"key of {moved}: up ", key[1]),
        alt.param(
            name="divide", value=True, bind=alt.binding_checkbox(name="divide by the root of d_k ")
        ),
    ]
    table = [
        {"word": word, "kx": k[0], "ky": k[1], "vx": v[0], "vy": v[1], "moved": word == moved}
        | {"ink": style.readable(own), "ground": style.tint(own), "chip": _chip_path(word)}
        for word, own, k, v in zip(
            words, _word_colors(words), keys.tolist(), values.tolist(), strict=True
        )
    ]
    base = (
        alt.Chart(alt.Data(values=table))
        .transform_calculate(
            x="datum.moved ? key_x : datum.kx",
            y="datum.moved ? key_y : datum.ky",
            zero="0",
        )
        .transform_calculate(dot="query_x * datum.x + query_y * datum.y")
        .transform_calculate(score="datum.dot / (divide ? SQRT2 : 1)")
        .transform_calculate(power="exp(datum.score)")
        .transform_calculate(far="datum.dot / max(query_x * query_x + query_y * query_y, 0.01)")
        .transform_calculate(foot_x="datum.far * query_x", foot_y="datum.far * query_y")
        .transform_joinaggregate(total="sum(power)")
        .transform_calculate(weight="datum.power / datum.total")
    )
    color = alt.Color(
        "word:N",
        legend=None,
        sort=None,
        scale=alt.Scale(domain=list(words), range=_word_colors(words)),
    )
    tips = [
        alt.Tooltip("word:N"),
        alt.Tooltip("score:Q", format=".2f"),
        alt.Tooltip("weight:Q", format=".2f"),
    ]

    def plane(x: str, y: str) -> tuple[Any, Any]:
        look = {"labels": False, "title": None, "domain": False, "ticks": False}
        axis = alt.Axis(values=[0], grid=True, gridColor=style.RULE, **look)
        how = {"scale": alt.Scale(domain=[-3, 3]), "axis": axis}
        return alt.X(f"{x}:Q", **how), alt.Y(f"{y}:Q", **how)

    ink = alt.Fill("ink:N", scale=None)

    def write(chart: Any, *where: Any, text: Any, fill: Any = style.INK, **look: Any) -> Any:
        """Letters with a white rim, for both themes; clipped, so that the layout stays."""
        look = {"fontSize": 13, "fontWeight": "bold", "clip": True, **look}
        channels = {"text": text} | dict(zip("xy", where, strict=True))
        rim = chart.mark_text(fill=style.PAPER, stroke=style.PAPER, strokeWidth=3.5, **look)
        fill = alt.value(fill) if isinstance(fill, str) else fill
        return rim.encode(**channels) + chart.mark_text(**look).encode(fill=fill, **channels)

    def chips(x: Any, y: Any, down: Any = 0) -> Any:
        """Each word on its chip, `down` pixels below a place."""
        ground = base.mark_point(size=4, opacity=1, yOffset=down, strokeWidth=0)
        letters = base.mark_text(fontSize=13, fontWeight="bold", dy=down)
        shape, fill = alt.Shape("chip:N", scale=None), alt.Fill("ground:N", scale=None)
        return ground.encode(x, y, shape, fill) + letters.encode(x, y, ink, text="word:N")

    def away(y: str) -> Any:
        """Away from the middle; at an edge towards it, so that the layout stays."""
        return alt.expr(f"(datum.{y} < 0) == (abs(datum.{y}) < 2.3) ? 21 : -21")

    from_x, from_y = plane("zero", "zero")
    x, y = plane("x", "y")
    wide = {"opacity": 0.6, "strokeWidth": alt.expr("max(10 * datum.weight, 0.8)")}
    ways = base.mark_rule(opacity=0.6, strokeWidth=2).encode(from_x, from_y, x2="x", y2="y")
    thin = {"color": style.MUTED, "clip": True}
    feet = base.mark_rule(strokeDash=[4, 4], **thin).encode(x, y, x2="foot_x", y2="foot_y")
    along = base.mark_rule(**thin).encode(from_x, from_y, x2="foot_x", y2="foot_y")
    dots = base.mark_point(filled=True, size=140, opacity=1).encode(x, y, color=color, tooltip=tips)
    names = chips(x, y, away("y"))
    here = alt.Chart(alt.Data(values=[{"zero": 0}])).transform_calculate(x="query_x", y="query_y")
    arrow = here.mark_rule(strokeWidth=4, color=style.INK).encode(from_x, from_y, x2="x", y2="y")
    tip = here.mark_point(shape="diamond", filled=True, size=220, color=style.INK, opacity=1)
    side = {"align": alt.expr("query_x > 1.5 ? 'right' : 'left'")}
    side |= {"dx": alt.expr("query_x > 1.5 ? -9 : 9"), "dy": alt.expr("query_y < -2 ? -14 : 14")}
    called = write(here, x, y, text=alt.value("query"), **side)
    left = (
        ways.encode(color=color) + along + feet + arrow + tip.encode(x, y) + called + dots + names
    )

    weight = alt.X("weight:Q", axis=None, scale=alt.Scale(domain=[0, 1.3]))
    word = alt.Y("word:N", title=None, sort=None, axis=None)
    bars = base.mark_bar(size=28).encode(weight, word, color=color, tooltip=tips)
    two_decimals = alt.Text("weight:Q", format=".2f")
    middle = bars + write(base, weight, word, text=two_decimals, fill=ink, align="left", dx=6)
    middle += chips(alt.X(value=-25), word)
    middle += alt.Chart(alt.Data(values=[{}])).mark_rule(color=style.SOFT).encode(x=alt.value(0))

    x, y = plane("vx", "vy")
    squares = base.mark_point(shape="square", filled=True, size=110, opacity=1).encode(
        x, y, color=color, tooltip=tips
    )
    value_names = chips(x, y, away("vy"))
    parts = base.transform_calculate(px="datum.weight * datum.vx", py="datum.weight * datum.vy")
    pulls = (
        parts.transform_joinaggregate(out_x="sum(px)", out_y="sum(py)")
        .mark_rule(**wide)
        .encode(x, y, x2="out_x", y2="out_y", color=color)
    )
    mean = parts.transform_aggregate(out_x="sum(px)", out_y="sum(py)").transform_calculate(
        text="'(' + format(datum.out_x, '.2f') + ', ' + format(datum.out_y, '.2f') + ')'"
    )
    x, y = plane("out_x", "out_y")
    output = mean.mark_point(shape="diamond", filled=True, size=220, color=style.INK, opacity=1)
    output = output.encode(x, y)
    edge, said = alt.expr("datum.out_x > 1.2 ? 'right' : 'left'"), None
    for text, up, down in ((alt.value("output"), -40, 22), ("text:N", -22, 40)):
        lines = write(
            mean, x, y, text=text, align=edge, dy=alt.expr(f"datum.out_y < -1.5 ? {up} : {down}")
        )
        said = said + lines if said else lines
    right = pulls + squares + value_names + output + said
    part = {"fontSize": style.PART, "frame": "group", "offset": 14}
    shown = [
        chart.properties(title=alt.Title(name, **part), width=wide, height=SIDE)
        for chart, name, wide in (
            (left, "1. query and keys", SIDE),
            (middle, "2. weights", 95),
            (right, "3. values and output", SIDE),
        )
    ]
    title = alt.Title(
        "The farther a key reaches along the query, the more its value counts",
        subtitle="Dashed: how far each key reaches. The wider a line, the larger its weight",
    )
    whole = alt.hconcat(*shown, bounds="flush", spacing=56, title=title)
    return whole.add_params(*sliders)


WIDTHS = (4, 64, 1024)


def i_like_trees() -> tuple[Tensor, Tensor, Tensor]:
    """Queries to write "me", "gustan", "árboles", keys and values of "I like trees", each (3, 4).

    Made by hand so that they can be read. A word's four numbers say: who, does, what, many.
    """
    x = torch.tensor([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])
    w_q = torch.tensor([[2.0, 0, 0, 0], [1, 0, 2, 2], [0, 1, 2, 0], [0, 0, 0, 2]])
    return x @ w_q, x @ (2 * torch.eye(4)), x @ torch.eye(4)


def _shared_and_separate() -> dict[str, Tensor]:
    """Scores (3, 3) of three random words: one matrix for queries and keys, and two matrices."""
    generator = torch.Generator().manual_seed(4)
    x, w, w_k = (torch.randn(*size, generator=generator) for size in ((3, 4), (4, 4), (4, 4)))
    q, k = x @ w / 2, x @ w_k / 2
    return {"one shared matrix": q @ q.T, "two matrices": q @ k.T}


@figure(
    "attention-arrow",
    caption="A query finds its key: the one that points the same way gets nearly all the weight.",
    alt="Arrows from one point. A thick one, the query to write 'gustan', points up and "
    "right; it asks: is one thing liked, or many? The key of 'trees' points nearly the same way "
    "and ends in a large disk, weight 0.88; the keys of 'I' and 'like' point to the sides and end "
    "in small disks, weights 0.07 and 0.04. Dashed lines lead from the keys straight to the query: "
    "'trees' reaches far along it, 'I' hardly, 'like' not at all.",
    hero=True,
)
def draw_arrow() -> Figure:
    keys = [[-0.5, 0.5], [1, -0.5], [1, 1]]
    looks_for = "It asks: is one thing liked, or many?"
    return _query_finds_key(["I", "like", "trees"], [1, 2], keys, "gustan", looks_for)


@figure(
    "attention-projection",
    caption="X · W^K = K with its real widths: from 128 numbers for each word to 32.",
    alt="Three heat maps. X has a row for each of 'I', 'like', 'trees' and '<eos>' and is 128 "
    "columns wide; the matrix W^K is 128 high and 32 wide; their product K has the same four rows "
    "and is 32 wide. The row of 'trees' is framed in X and in K, all else is faint but one column "
    "of W^K, framed in rust. It lies once more under the row of X, and an arrow leads to the one "
    "number of K that they make.",
)
def draw_projection() -> Figure:
    head = real_head()
    return _projection(head.src, head.memory, head.w_k, "trees")


@figure(
    "attention-shared-matrix",
    caption="How three words score each other, with one matrix for queries and keys, and with two.",
    alt="The sentence 'I like trees' twice, with an arrow above it from 'I' to 'trees' and one "
    "below it back. With one shared matrix both are alike: 'I' gives 'trees' 10.1 and gets 10.1 "
    "back. With two matrices 'I' gives 'trees' −9.5 and gets 6.3.",
)
def draw_shared_matrix() -> Figure:
    return _mutual_scores(_shared_and_separate(), ["I", "like", "trees"])


@figure(
    "attention-six-steps",
    caption="The six steps of attention for the first word of 'Thinking Machines'.",
    alt="Two columns, 'Thinking' and 'Machines', from top to bottom: query times key 112 and 96; "
    "divided by 8, 14 and 12; softmax 0.88, rust, and 0.12, grey. On the right the value of "
    "'Thinking' is an arrow to the right, (10, 0), that of 'Machines' one upward, (0, 10); 0.88 of "
    "the first is thick and rust, 0.12 of the second thick and grey. The output, (8.8, 1.2), ends "
    "on the line between their tips, close to the value of 'Thinking'.",
)
def draw_six_steps() -> Figure:
    keys = torch.tensor([[1.75], [1.5]]).expand(2, 64)
    return _six_steps(["Thinking", "Machines"], torch.ones(64), keys, [[10, 0], [0, 10]])


@figure(
    "attention-four-frames",
    caption="The equation of attention for one query: scores, weights, values, output.",
    alt="A row for each of 'I', 'like' and 'trees'. The scores to write 'gustan' are 2, 0 and 8; "
    "divided by 2 and after the softmax the weights are 0.05, 0.02 and 0.94. Times the values, "
    "numbers for who, does, what and many: that of 'trees' has a 1 in 'what' and in 'many'. The "
    "row of 'trees' is framed. Below, the output for 'gustan', the rows times their weights, added "
    "up: 0.94 in 'what' and in 'many', little in the others.",
)
def draw_four_frames() -> Figure:
    (_, query, _), keys, values = i_like_trees()
    says = ["who", "does", "what", "many"]
    return _equation_frames(query, keys, values, "gustan", ["I", "like", "trees"], says)


@figure(
    "attention-scaling",
    caption="The weights of 16 keys when queries and keys get wider, with and without the division "
    "by the root of d_k.",
    alt="Two rows of three small charts, for d_k = 4, 64 and 1,024. Each has a bar for each of 16 "
    "weights, the largest first. Undivided, the first bar grows from 43 % to 97 % and the others "
    "vanish. Divided by the root of d_k, the bars hardly change: the first has 24 or 25 %.",
)
def draw_scaling() -> Figure:
    return _scaling_bars([softmax_at(d_k, scaled) for d_k in WIDTHS for scaled in (False, True)])


@figure(
    "attention-explorer",
    caption="Move a query and a key, and see the weights and the output follow.",
    alt="Three panels with sliders. Left: a query and the keys of I, like and trees as points in a "
    "plane, with lines to them; dashed lines lead from the keys straight to the "
    "query, and trees reaches farthest along it. Middle: bars of the three weights, the longest "
    "for trees. Right: the three values, each with a line as wide as its weight "
    "to the output, which lies near the value of trees.",
)
def draw_explorer() -> Any:
    words = ["I", "like", "trees"]
    keys, values = [[-1, 1.5], [1.5, -1], [2, 2]], [[-2, -1], [-0.5, 2], [1.5, 1]]
    return attention_explorer(words, keys, values, query=[1, 0.5], moved="trees")
