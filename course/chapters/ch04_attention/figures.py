"""How attention comes about: the equation step by step, why it is scaled, and a chart to move.

Rows are queries, the first word at the top; columns are keys.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from torch import Tensor

from course.chapters.ch04_attention.experiments import real_head, softmax_at
from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.arrows import arrow, attention_arrow, curve, path
from course.drawing.cells import area, matrix, outline
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round, written
from course.drawing.words import canvas, label, percent, width_of, word, word_color

BOLD = {"size": style.LABEL, "weight": "bold"}


def _word_colors(words: Sequence[str]) -> list[str]:
    """Each word's own color, as in the whole series; other words take what is left."""
    left = iter(color for color in style.CATEGORIES if color not in style.WORDS.values())
    return [style.WORDS.get(word) or next(left) for word in words]


def _query_finds_key(words: Sequence[str], query: Any, keys: Any, asks: str) -> Figure:
    """Draw a query as a level ruler of scores, and the keys as arrows from its start -> the figure.

    query (2), keys (words, 2), turned together; asks: the word that is about to be written. A dot
    on the query shows how far each key reaches: its score. The larger a weight, the softmax of the
    scores without division, the larger it is written.
    """
    q, k = as_array(query), as_array(keys)
    scores, length, unit = k @ q, np.linalg.norm(q), 1.9  # inches for 1 in a vector
    weights = np.exp(scores) / np.exp(scores).sum()
    note = "Dashed: how far a key reaches along the query, its score. Softmax makes it a weight"
    figure, ax = canvas(4.85, "A query finds the key that reaches farthest along it", note)
    here = np.array([1.0, 2.5])
    level = np.stack([q, (-q[1], q[0])], 1) / length  # along the query, and across
    for asked, key, score, weight, color in zip(
        words, k @ level, scores, weights, _word_colors(words), strict=True
    ):
        tip, strong = here + unit * key, style.readable(color, style.PAPER)
        look = {"zorder": 2.1, "linestyle": (0, (4, 3)), "head": False, "thick": 1.2}
        path(ax, [(tip[0], here[1]), tuple(tip)], style.MUTED, **look)
        arrow(ax, tuple(here), tuple(tip), strong, thick=3)
        ax.plot(tip[0], here[1], "o", color=strong, markersize=11, zorder=5)
        x, y = tip + (0.25, 0)
        label(ax, (x, y + 0.15), "key of", size=14)
        word(ax, (x + 0.64, y + 0.15), asked, size=14, ha="left")
        look, said = {"weight": "bold", "color": strong}, f"score {score:g}"
        label(ax, (x, y - 0.23), said, size=14, **look)
        x, y, size = x + width_of(said, 14) + 0.2, y - 0.23, 14 + 14 * weight
        label(ax, (x, y), "weight", size=14)
        label(ax, (x + 0.67, y), f"{steady_round(weight):.2f}", size=size, **look)
    marks = np.arange(1, q @ q)
    places = here[0] + unit * marks / length
    ax.plot(places, 0 * marks + here[1], "|", color=style.INK, markersize=13)
    for mark, x in zip(marks, places, strict=True):
        label(ax, (x, here[1] + 0.2), f"{mark:g}", ha="center", color=style.MUTED)
    label(ax, (here[0] - 0.15, here[1]), "0", ha="right", color=style.MUTED)
    end = here[0] + unit * length
    arrow(ax, tuple(here), (end, here[1]), style.INK, thick=5)
    label(ax, (end + 0.15, here[1]), "query, to write", size=14, weight="bold")
    word(ax, (end + 1.6, here[1]), asks, size=14, ha="left")
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
    note = "Each is a row times a column. Blue: below 0, orange: above, the stronger the farther"
    figure, ax = canvas(3.6, f"For each word, {d_model} numbers become {weights.shape[1]}", note)
    top, at, veil, foot = 2.4, left, {"alpha": 0.72, "zorder": 2.2}, 0.8
    lower = top - tall * (row + 1)
    under = lower - tall - 0.12  # below the row; below the column that lies
    for part, name, sign in ((x, "$X$", "×"), (weights, "$W^K$", "="), (result, "$K$", "")):
        rows, columns = part.shape
        wide, limit, spot = unit * columns, 0.7 * abs(part).max(), at + unit * column
        high = top - foot if part is weights else tall * rows
        matrix(ax, (at, top - high), wide, high, part, limit=limit)
        if part is weights:
            area(ax, (at, foot), unit * column, high, style.PAPER, **veil)
            area(ax, (spot + unit, foot), at + wide - spot - unit, high, style.PAPER, **veil)
            outline(ax, (spot - 0.02, foot), unit + 0.04, high, style.ACCENT, 1.5)
            matrix(ax, (left, under), unit * d_model, tall, part[:, [column]].T, limit=limit)
            outline(ax, (left, under), unit * d_model, tall, style.ACCENT, 2.5)
        else:
            area(ax, (at, top - tall * row), wide, tall * row, style.PAPER, **veil)
            area(ax, (at, top - high), wide, lower - top + high, style.PAPER, **veil)
            outline(ax, (at, lower), wide, tall, style.WORDS[marked], 2.5)
            for number, text in enumerate(words):
                place, ha = (at - 0.08, "right") if part is x else (at + wide + 0.08, "left")
                word(ax, (place, top - tall * (number + 0.5)), text, size=10, ha=ha)
        said = rf"{name}   {rows} × $\bf{{{columns}}}$"
        label(ax, (at, top + 0.12), said, size=13, va="baseline")
        at += wide + 0.6
        label(ax, (at - 0.3, lower + tall / 2), sign, size=20, ha="center")
    said = {"size": style.LABEL, "color": style.ACCENT, "weight": "bold"}
    label(ax, (left, under - 0.2), "one column of $W^K$, laid under the row", **said)
    label(ax, (left - 0.3, under + tall / 2), "×", size=20, ha="center")
    outline(ax, (spot - 0.03, lower - 0.02), unit + 0.06, tall + 0.04, style.ACCENT, 1.5)
    x, y, turn = spot + unit / 2, under + tall / 2, left + unit * d_model + 0.3
    corners = [(turn - 0.2, y), (turn, y), (turn, 0.6), (x, 0.6), (x, lower - 0.05)]
    path(ax, corners, style.ACCENT)
    label(ax, (turn, 0.38), "multiply, and add up", **said)
    label(ax, (x + 0.12, 1.05), written(result[row, column], 1), **{**said, "size": 16})
    return figure


def _equation_frames(
    query: Any, keys: Any, values: Any, asks: str, words: Sequence[str], features: Sequence[str]
) -> Figure:
    """Draw softmax(q K^T / sqrt(d_k)) V for one query, a stream for each word -> the figure.

    query (d_k), keys (words, d_k), values (words, d_v) of one head; asks: the word that asks;
    features: what the numbers of a value are called. Streams and values are as high as the weights.
    """
    q, k, v = as_array(query), as_array(keys), as_array(values)
    scores, strong, left, tall = k @ q, abs(v).max(), 4.3, 1.95
    weights = np.exp((scores - scores.max()) / np.sqrt(len(q)))
    weights /= weights.sum()
    note = "Filled is 1, empty is 0. Each value is as high as its weight; they add up to the output"
    title = f"“{asks}” looks at “{words[weights.argmax()]}” and takes its value"
    figure, ax = canvas(4.95, title, note)
    start, stack, wide = 3.42, 3.3, (7.95 - left) / len(features)

    def ramp(text: str) -> Any:
        return LinearSegmentedColormap.from_list(text, (style.PAPER, word_color(text)))

    label(ax, (0.02, 4.0), "score for", **BOLD)
    word(ax, (0.78, 4.0), asks, size=13, ha="left")
    label(ax, (1.65, 4.0), rf"weight = softmax(score ÷ $\sqrt{{{len(q)}}}$)", **BOLD)
    for text, score, weight, value in zip(words, scores, weights, v, strict=True):
        high, color = tall * weight, style.readable(word_color(text), style.PAPER)
        y = start - high / 2
        word(ax, (0.6, y), text, size=14, ha="right")
        label(ax, (1.05, y), f"{score:g}", size=14, ha="center")
        x, way = curve((2.45, y), (left, stack - high / 2)).T
        ax.fill_between(x, way + high / 2, way - high / 2, color=word_color(text), linewidth=0)
        look = {"size": 12 + 8 * weight, "weight": "bold", "color": color, "ha": "right"}
        label(ax, (2.35, y), f"{weight:.3f}", **look)
        look = {"limit": strong, "low": 0, "cmap": ramp(text), "line": 0}
        matrix(ax, (left, stack - high), wide * len(features), high, value[None], **look)
        start, stack = start - high - 0.31, stack - high
    outline(ax, (left, stack), wide * len(features), tall)
    look = {"limit": strong, "low": 0, "cmap": ramp(asks), "edge": word_color(asks), "line": 2.5}
    matrix(ax, (left, 0.2), wide * len(features), 0.5, weights[None] @ v, decimals=3, **look)
    middle = left + wide * len(features) / 2
    label(ax, (middle, 4.0), f"value: {len(features)} made-up features", ha="center", **BOLD)
    for place, name in enumerate(features):
        x = left + wide * (place + 0.5)
        label(ax, (x, 3.62), name, ha="center", size=style.LABEL)
        arrow(ax, (x, stack - 0.06), (x, 0.75))
    word(ax, (left - 0.2, 0.45), asks, size=13, ha="right")
    at = left - 0.36 - width_of(asks, 13), 0.45
    label(ax, at, "the sum of each column: output for", ha="right", **BOLD)
    return figure


def _six_steps(words: Sequence[str], query: Any, keys: Any, values: Any) -> Figure:
    """Draw attention for the first of two words -> the figure.

    query (d_k) of the first word; keys (2, d_k), values (2, 2), which lie on the two axes. On
    the left are the steps to their weights; on the right the output divides the line between them.
    """
    q, k, v = as_array(query), as_array(keys), as_array(values)
    root, scores, colors = np.sqrt(len(q)), k @ q, (style.ACCENT, style.MUTED)
    weights = np.exp((scores - max(scores)) / root)
    weights /= weights.sum()
    title = f"“{words[0]}” gets a weight of {weights[0]:.2f}, so the output lies near its value"
    note = f"The query of “{words[0]}”: three steps to the weights, and the values mixed by them"
    figure, ax = canvas(4.4, title, note)
    names = "query · key", rf"÷ $\sqrt{{d_k}}$ = {root:.3g}", "softmax:\nthe weight"
    heights, zero, unit = (2.65, 1.95, 1.05), np.array([4.6, 0.75]), 2.5 / v.max()
    for y, name in zip(heights, names, strict=True):
        label(ax, (0.02, y), name, size=style.LABEL)
    out, ends = zero + unit * weights @ v, zero + unit * v
    for x, text, color, score, weight, end, other in zip(
        (1.75, 3.0), words, colors, scores, weights, ends, ends[::-1], strict=True
    ):
        word(ax, (x, 3.35), text, size=14, color=color)
        shown = f"{score:.4g}", f"{score / root:.4g}", f"{weight:.2f}"
        for y, number, size in zip(heights, shown, (16, 16, 24), strict=True):
            look = {"weight": "bold", "color": color} if size == 24 else {}
            label(ax, (x, y), number, size=size, ha="center", **look)
        arrow(ax, (x, 2.4), (x, 2.2))
        arrow(ax, (x, 1.7), (x, 1.35))
        path(ax, [tuple(zero), tuple(end)], style.SOFT, head=False)
        path(ax, [tuple(other), tuple(out)], color, thick=5, head=False)  # as long as its weight
        ax.plot(*end, "o", color=color, markersize=11, zorder=4)
    (x, y), (right, top) = zero, ends.max(0)
    label(ax, (x - 0.1, y), "(0, 0)", ha="right")
    label(ax, (right, y - 0.34), f"value of {words[0]}\n{_vector(v[0])}", ha="center")
    label(ax, (x + 0.2, top), f"value of {words[1]}  {_vector(v[1])}")
    ax.plot(*out, "o", color=style.INK, markersize=15, zorder=4)
    look = {"size": 14, "weight": "bold"}
    label(ax, tuple(out + (0.2, 0.25)), f"output\n{_vector(weights @ v, 1)}", **look)
    at = (out + ends[1]) / 2 + (0.15, 0.1)
    label(ax, at, f"{weights[0]:.2f} of the way", color=style.ACCENT, **look)
    return figure


def _vector(numbers: Any, decimals: int = 0) -> str:
    """(8.8, 1.2)"""
    return f"({', '.join(f'{steady_round(number, decimals):.{decimals}f}' for number in numbers)})"


def _scaling_bars(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the weights of 16 keys for each width d_k, undivided above, divided below -> the figure.

    rows: one for each width and way, {"d_k", "scaled" (bool), "sorted" (the weights)}.
    """
    note = "The weights of 16 random keys of $d_k$ numbers, the largest first (mean of 500 queries)"
    title = r"Without dividing by $\sqrt{d_k}$, one of 16 keys takes nearly all the weight"
    figure, ax = canvas(4.15, title, note)
    widths, bar, high = sorted({row["d_k"] for row in rows}), 0.125, 1.7
    for y, name in ((1.35, "undivided"), (0.25, "divided by $\\sqrt{d_k}$")):
        label(ax, (0.02, y + 0.1), name, size=style.LABEL, weight="bold")
    for row in rows:
        x, most = 1.5 + 2.2 * widths.index(row["d_k"]), row["sorted"][0]
        y, lift, ink = (0.25, 0.05, style.MUTED) if row["scaled"] else (1.35, -0.08, style.ACCENT)
        for place, weight in enumerate(row["sorted"]):
            color = style.SOFT if place or row["scaled"] else style.ACCENT
            area(ax, (x + bar * place, y), bar - 0.015, high * weight, color)
        path(ax, [(x, y), (x + 16 * bar, y)], style.SOFT, head=False, thick=0.75)
        at = x + bar + 0.06, y + high * most + lift
        label(ax, at, percent(steady_round(most)), size=14, weight="bold", color=ink)
        label(ax, (x, 3.27), f"$d_k$ = {row['d_k']:,}", size=13, weight="bold")
    return figure


def _mutual_scores(ways: Mapping[str, Any], words: Sequence[str]) -> Figure:
    """Draw how two words score each other, a panel for each way to make the scores -> the figure.

    ways: title -> scores (s, s) of a sentence that the two begin and end. An arrow leads from the
    word of the query to that of the key; its width is the size of the score.
    """
    note = "Each arrow leads from query to key; the thicker, the farther its score is from 0"
    figure, ax = canvas(3.5, "One matrix gives the same score both ways, two matrices don't", note)
    limit = max(float(abs(as_array(scores)).max()) for scores in ways.values())
    for left, (title, given) in zip((0.02, 4.3), ways.items(), strict=True):
        scores = as_array(given)
        label(ax, (left, 2.55), title, size=13, weight="bold")
        for x, said in ((0.35, "query"), (2.0, "key"), (3.0, "score")):
            label(ax, (left + x, 2.05), said, ha="center", color=style.MUTED)
        for y, (i, j) in ((1.55, (0, -1)), (0.35, (-1, 0))):
            color = style.POSITIVE if scores[i, j] > 0 else style.NEGATIVE
            ends, size = [(left + x, y) for x in (0.8, 1.6)], abs(scores[i, j]) / limit
            word(ax, (left + 0.35, y), words[i], size=16)
            word(ax, (left + 2.0, y), words[j], size=16)
            attention_arrow(ax, *ends, size, color, widest=12, least=0)
            look = {"size": 20, "weight": "bold", "color": style.readable(color, style.PAPER)}
            label(ax, (left + 3.0, y), written(scores[i, j], 1), ha="center", **look)
        same = np.isclose(scores[0, -1], scores[-1, 0])
        look = {"size": 36, "weight": "bold", "color": style.INK if same else style.ACCENT}
        label(ax, (left + 3.0, 0.95), "=" if same else "≠", ha="center", **look)
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
            wanted = f"{name} should have the shape ({len(words)}, 2)"
            raise ValueError(f"{wanted} for {len(words)} words, but their shape is {array.shape}")
    if start.shape != (2,):
        raise ValueError(f"the query should be two numbers, but its shape is {start.shape}")
    if moved not in words:
        raise ValueError(f"there is no word {moved!r}; there are {', '.join(words)}")

    def slider(name: str, label: str, value: float) -> Any:
        bind = alt.binding_range(min=-3, max=3, step=0.25, name=label)
        return alt.param(name=name, value=float(value), bind=bind)

    key = keys[list(words).index(moved)]
    switch = alt.binding_checkbox(name="divide by the root of d_k ")
    sliders = [
        slider("query_x", "query: right ", start[0]),
        slider("query_y", "query: up ", start[1]),
        slider("key_x", f"key of {moved}: right ", key[0]),
        slider("key_y", f"key of {moved}: up ", key[1]),
        alt.param(name="divide", value=True, bind=switch),
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
        .transform_calculate(x="datum.moved ? key_x : datum.kx", y="datum.moved ? key_y : datum.ky")
        .transform_calculate(dot="query_x * datum.x + query_y * datum.y")
        .transform_calculate(score="datum.dot / (divide ? SQRT2 : 1)")
        .transform_calculate(power="exp(datum.score)")
        .transform_calculate(far="datum.dot / max(query_x * query_x + query_y * query_y, 0.01)")
        .transform_calculate(foot_x="datum.far * query_x", foot_y="datum.far * query_y")
        .transform_joinaggregate(total="sum(power)")
        .transform_calculate(weight="datum.power / datum.total")
    )
    own = alt.Scale(domain=list(words), range=_word_colors(words))
    color = alt.Color("word:N", legend=None, sort=None, scale=own)
    numbers = (alt.Tooltip(f"{name}:Q", format=".2f") for name in ("score", "weight"))
    tips = [alt.Tooltip("word:N"), *numbers]

    def plane(x: str, y: str, low: Any = (-3, -3), high: Any = (3, 3)) -> tuple[Any, Any]:
        across, up = (alt.Scale(domain=ends, nice=False) for ends in zip(low, high, strict=True))
        return alt.X(f"{x}:Q", scale=across, axis=None), alt.Y(f"{y}:Q", scale=up, axis=None)

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
    here = alt.Chart(alt.Data(values=[{"zero": 0}])).transform_calculate(x="query_x", y="query_y")
    line = here.transform_calculate(long="9 / max(abs(query_x), abs(query_y), 0.01)")
    line = line.transform_calculate(x1="-datum.long * query_x", y1="-datum.long * query_y")
    line = line.transform_calculate(x2="datum.long * query_x", y2="datum.long * query_y")
    line = line.mark_rule(color=style.SOFT, clip=True).encode(*plane("x1", "y1"), x2="x2", y2="y2")
    drop = base.mark_rule(strokeWidth=2, strokeDash=[5, 4], clip=True)
    drop = drop.encode(x, y, x2="foot_x", y2="foot_y", color=color)
    feet = base.mark_point(filled=True, size=75, opacity=1, clip=True)
    feet = feet.encode(*plane("foot_x", "foot_y"), color=color)
    dots = base.mark_point(size=120, opacity=1, strokeWidth=2.5, fill=style.PAPER)
    dots = dots.encode(x, y, color=color, tooltip=tips)
    arrow = here.mark_rule(strokeWidth=5, color=style.INK).encode(from_x, from_y, x2="x", y2="y")
    turn = alt.expr("90 - atan2(query_y, query_x) * 180 / PI")
    tip = here.mark_point(shape="triangle", angle=turn, size=200, opacity=1, strokeWidth=0)
    tip = tip.encode(x, y, fill=alt.value(style.INK))
    start = here.mark_point(filled=True, size=75, color=style.INK, opacity=1).encode(from_x, from_y)
    start += write(here, from_x, from_y, text=alt.value("0"), dx=9, dy=15)
    side = {"align": alt.expr("query_x > 1.5 ? 'right' : 'left'")}
    side |= {"dx": alt.expr("query_x > 1.5 ? -9 : 9"), "dy": alt.expr("query_y < -2 ? -18 : 18")}
    called = write(here, x, y, text=alt.value("query"), **side)
    left = line + drop + arrow + start + tip + feet + called + dots + chips(x, y, away("y"))

    weight = alt.X("weight:Q", axis=None, scale=alt.Scale(domain=[0, 1.3]))
    word = alt.Y("word:N", title=None, sort=None, axis=None)
    bars = base.mark_bar(size=22).encode(weight, word, color=color, tooltip=tips)
    two_decimals = alt.Text("weight:Q", format=".2f")
    middle = bars + write(base, weight, word, text=two_decimals, fill=ink, align="left", dx=6)
    scores = base.transform_calculate(said="'score ' + format(datum.score, '.2f')")
    below = scores.mark_text(align="left", dy=24, fontSize=12, fill=style.MUTED)
    middle += below.encode(alt.X(value=3), word, text="said:N")
    middle += chips(alt.X(value=-25), word)
    middle += alt.Chart(alt.Data(values=[{}])).mark_rule(color=style.SOFT).encode(x=alt.value(0))

    middles, half = (values.max(0) + values.min(0)) / 2, 0.75 * max(np.ptp(values, 0).max(), 1)
    cut = (middles - half).tolist(), (middles + half).tolist()
    x, y = plane("vx", "vy", *cut)
    squares = base.mark_point(shape="square", filled=True, size=110, opacity=1)
    squares = squares.encode(x, y, color=color, tooltip=tips) + chips(x, y, away("vy"))
    parts = base.transform_calculate(px="datum.weight * datum.vx", py="datum.weight * datum.vy")
    pulls = (
        parts.transform_joinaggregate(out_x="sum(px)", out_y="sum(py)")
        .mark_rule(opacity=0.6, strokeWidth=alt.expr("max(14 * datum.weight, 0.8)"))
        .encode(x, y, x2="out_x", y2="out_y", color=color)
    )
    mean = parts.transform_aggregate(out_x="sum(px)", out_y="sum(py)").transform_calculate(
        text="'(' + format(datum.out_x, '.2f') + ', ' + format(datum.out_y, '.2f') + ')'"
    )
    x, y = plane("out_x", "out_y", *cut)
    output = mean.mark_point(shape="diamond", filled=True, size=220, color=style.INK, opacity=1)
    output = output.encode(x, y)
    edge, said = alt.expr(f"datum.out_x > {middles[0] + 0.7 * half} ? 'right' : 'left'"), None
    for text, up, down in ((alt.value("output"), -40, 22), ("text:N", -22, 40)):
        dy = alt.expr(f"datum.out_y < {cut[0][1] + 1} ? {up} : {down}")
        lines = write(mean, x, y, text=text, align=edge, dx=-20, dy=dy)
        said = said + lines if said else lines
    right = pulls + squares + output + said
    part = {"fontSize": style.PART, "frame": "group"}
    shown = [
        chart.properties(title=alt.Title(name, offset=off, **part), width=wide, height=260)
        for chart, name, wide, off in (
            (left, "1. query and keys", 260, 14),
            (middle, "2. weights", 95, 13),
            (right, "3. values and output", 190, 14),
        )
    ]
    title = alt.Title(
        "The farther a key reaches along the query, the more its value counts",
        subtitle="Small dots: how far each key reaches from 0. Lines to the output: the weights",
    )
    whole = alt.hconcat(*shown, bounds="flush", spacing=60, title=title)
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
    return {"one matrix, $W^Q = W^K$": q @ q.T, "two matrices, $W^Q$ and $W^K$": q @ k.T}


@figure(
    "attention-arrow",
    caption="A query finds its key: the one that points the same way gets nearly all the weight.",
    alt="Arrows from one point. A thick one, the query to write 'gustan', points to the right. The "
    "key of 'trees' points nearly the same way: a dashed line drops from its tip to a dot on the "
    "query, at score 3, and its weight is written large, 0.88. The key of 'I' points up: score "
    "0.5, weight 0.07. That of 'like' points straight down: score 0, weight 0.04. The query has "
    "marks at the scores 1 to 4.",
    hero=True,
)
def draw_arrow() -> Figure:
    keys = [[-0.5, 0.5], [1, -0.5], [1, 1]]
    return _query_finds_key(["I", "like", "trees"], [1, 2], keys, "gustan")


@figure(
    "attention-projection",
    caption="X · W^K = K with its real widths: from 128 numbers for each word to 32.",
    alt="Three heat maps. X has a row for each of 'I', 'like' and 'trees' and is 128 "
    "columns wide; the matrix W^K is 128 high and 32 wide; their product K has the same three rows "
    "and is 32 wide. The row of 'trees' is framed in X and in K, all else is faint but one column "
    "of W^K, framed in rust. It lies once more under the row of X, and an arrow, 'multiply, and "
    "add up', leads from there to the one number of K that they make, −3.8.",
)
def draw_projection() -> Figure:
    head = real_head()
    return _projection(head.src[:-1], head.memory[:-1], head.w_k, "trees")


@figure(
    "attention-shared-matrix",
    caption="How two words score each other, with one matrix for queries and keys, and with two.",
    alt="Two panels with an arrow from 'I' to 'trees' and, below, one from 'trees' to 'I': query, "
    "key and score. With one matrix both scores are equal, 10.1. With two matrices they are not: "
    "'I' to 'trees' has −9.5, 'trees' to 'I' 6.3.",
)
def draw_shared_matrix() -> Figure:
    return _mutual_scores(_shared_and_separate(), ["I", "trees"])


@figure(
    "attention-six-steps",
    caption="The six steps of attention for the first word of 'Thinking Machines'.",
    alt="Two columns, 'Thinking' and 'Machines', from top to bottom: query times key 112 and 96; "
    "divided by 8, 14 and 12; softmax 0.88, rust, and 0.12, grey. At the right a plane: the value "
    "of 'Thinking', (10, 0), lies to the right, that of 'Machines', (0, 10), above. On the line "
    "between them, 0.88 of the way to 'Thinking', in rust, lies the output, (8.8, 1.2).",
)
def draw_six_steps() -> Figure:
    keys = torch.tensor([[1.75], [1.5]]).expand(2, 64)
    return _six_steps(["Thinking", "Machines"], torch.ones(64), keys, [[10, 0], [0, 10]])


@figure(
    "attention-four-frames",
    caption="The equation of attention for one query: scores, weights, values, output.",
    alt="'I', 'like' and 'trees' with their scores for 'gustan', 2, 0 and 8, and a stream from "
    "each, as thick as its weight: the softmax of the scores divided by the root of 4, 0.047, "
    "0.017 and 0.936. The streams lead into the values, each as high as its weight, in the words' "
    "colors, filled where who, does, what and many are 1: 'trees' fills nearly all, in 'what' and "
    "in 'many'. Below, the sum of each column, the output for 'gustan': 0.936 in 'what' and in "
    "'many', little in the others.",
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
    alt="Three panels with sliders. Left: a query as an arrow from 0, and the keys of I, like and "
    "trees as rings; from each a dashed line drops onto the query's line, where a dot shows how "
    "far the key reaches; that of trees is the farthest. Middle: bars of the three weights, the "
    "longest for trees, and the scores. Right: the three values, each with a line as wide as its "
    "weight to the output, which lies near the value of trees.",
)
def draw_explorer() -> Any:
    words = ["I", "like", "trees"]
    keys, values = [[-1, 1.5], [1.5, -1], [2, 2]], [[-2, -1], [-0.5, 2], [1.5, 1]]
    return attention_explorer(words, keys, values, query=[1, 0.5], moved="trees")
