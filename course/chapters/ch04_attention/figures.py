"""How attention comes about: the equation step by step, why it is scaled, and a chart to move.

Rows are queries, the first word at the top; columns are keys.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from torch import Tensor

from course.chapters.ch04_attention.experiments import real_head, softmax_at
from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.arrows import arrow, box, path
from course.drawing.cells import matrix, outline
from course.drawing.maps import number_map
from course.drawing.plots import name_lines
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round, written
from course.drawing.words import canvas, heading, label, titled, width_of, word

GREY = style.MUTED
TICKS = (-2, 0, 2)
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
        label(ax, (x, y - 0.2), f"weight {steady_round(weight):.2f}", **look)
    x, y = here + unit * q
    arrow(ax, tuple(here), (x, y), style.INK, thick=5)
    left = x - 0.5 - width_of(asks, 14)
    label(ax, (left - 0.12, y - 0.1), "query, to write", size=14, weight="bold", ha="right")
    word(ax, (left, y - 0.1), asks, size=14, ha="left")
    label(ax, (x - 0.46, y - 0.42), looks_for, size=12, ha="right")
    ax.plot(*here, "o", color=style.INK, markersize=8, zorder=4)
    return figure


def _projection(
    words: Sequence[str],
    x: Any,
    weights: Any,
    result: Any,
    marked: str,
    names: tuple[str, str, str] = ("$X$", "$W^Q$", "$Q$"),
) -> Figure:
    """Draw X W = Q as three heat maps, each as wide and high as it is -> the figure.

    x (words, d_model), weights (d_model, d_k), result (words, d_k). The row of the word `marked` is
    framed in X and in Q. Raises ValueError when the shapes or the words don't fit.
    """
    parts = [as_array(part) for part in (x, weights, result)]
    if len(parts[0]) != len(words) or parts[2].shape != (len(words), parts[1].shape[1]):
        shapes = f"{parts[0].shape} and {parts[1].shape} don't give {parts[2].shape}"
        raise ValueError(f"{len(words)} words, {shapes}")
    d_model, d_k = parts[1].shape
    unit, row = 3.5 / d_model, 0.3  # inches: a column of any of the three; a row of words
    figure, ax = canvas(8, unit * d_model + 1.6)
    kind = {"$Q$": "queries", "$K$": "keys"}[names[2]]
    heading(
        ax,
        f"For each word, {d_model} numbers become {d_k}",
        "Each cell is a number: no color is 0, blue below, orange above",
    )
    middle, at = unit * d_model / 2 + 0.35, 0.75
    for part, name, said in zip(
        parts, names, ("the encoder’s output", "learned", f"the {kind}"), strict=True
    ):
        rows, columns = part.shape
        wide, high = unit * columns, unit * rows if part is parts[1] else row * rows
        corner = at, middle - high / 2
        matrix(ax, corner, wide, high, part, limit=0.7 * abs(part).max())
        size = f"{name}   {rows} × {columns}"
        label(ax, (at + wide / 2, middle + high / 2 + 0.16), size, size=13, ha="center")
        label(ax, (at + wide / 2, middle - high / 2 - 0.16), said, size=style.LABEL, ha="center")
        if part is not parts[1]:
            for number, text in enumerate(words):
                y = middle + high / 2 - row * (number + 0.5)
                first = part is parts[0]
                place = at - 0.08 if first else at + wide + 0.08
                word(ax, (place, y), text, size=10, ha="right" if first else "left")
            low = middle + high / 2 - row * (list(words).index(marked) + 1)
            outline(ax, (at, low), wide, row, style.WORDS.get(marked, style.INK), 2.5)
        at += wide + 0.6
        sign = {"the encoder’s output": "×", "learned": "="}.get(said, "")
        label(ax, (at - 0.3, middle), sign, size=20, ha="center")
    return figure


def _equation_frames(
    query: Any,
    key: Any,
    value: Any,
    asks: Sequence[str],
    words: Sequence[str],
    features: Sequence[str],
    title: str = "",
    note: str = "",
    loud: str | None = None,
) -> Figure:
    """Draw softmax(Q K^T / sqrt(d_k)) V in four frames -> the figure.

    query (t, d_k), key (s, d_k), value (s, d_v) of one head; asks: the t words that ask; words: the
    s words that answer; features: what the d_v numbers of a value are called. The first two frames
    share one scale, so that the division shows. note: stands under the title. loud: the word whose
    row is framed; the others are pale. Raises ValueError when the shapes, the words and the
    features don't fit.
    """
    q, k, v = as_array(query), as_array(key), as_array(value)
    length, d_v = len(words), len(features)
    for name, array, count in (("query", q, len(asks)), ("key", k, length)):
        if array.shape != (count, q.shape[-1]):
            raise ValueError(
                f"{name} should have the shape ({count}, d_k) for {count} words, "
                f"but its shape is {array.shape}"
            )
    if v.shape != (length, d_v):
        raise ValueError(
            f"value should have the shape ({length}, {d_v}) for {length} words and "
            f"{d_v} features, but its shape is {v.shape}"
        )
    d_k = q.shape[-1]
    scores = q @ k.T
    scaled = scores / np.sqrt(d_k)
    exponentials = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    frames = [
        (r"1. scores $QK^T$", "", "", scores, words, 1),
        ("2. scaled", r"$\div\,\sqrt{d_k}$", f"here {np.sqrt(d_k):.3g}", scaled, words, 1),
        ("3. weights", "softmax", "", weights, words, 2),
        ("4. output", r"$\times\,V$", "", weights @ v, features, 2),
    ]
    figure = style.new_figure(style.WIDTH, 1.75 + 0.5 * len(asks))
    titled(figure, title, note)
    figure.get_layout_engine().set(wspace=0.34)
    panels = figure.subplots(1, 4, width_ratios=[length, length, length, 1.1 * d_v])
    most = max(float(abs(scores).max()), 1e-9)
    row = len(asks) // 2 if loud is None else asks.index(loud)
    for number, (name, does, how, matrix_, columns, decimals) in enumerate(frames):
        ax = panels[number]
        ax.set_title(name)
        if name.startswith("4"):  # with room above: a small number isn't as strong as a large score
            most = 2 * max(float(abs(matrix_).max()), 1e-9)
        look = {"cmap": style.SIGNED, "limits": (-most, most)}
        if name.startswith("3"):
            look = {"cmap": style.WEIGHTS, "limits": (0, 1)}
        image = number_map(ax, matrix_, asks, columns, decimals=decimals, words=style.NOTE, **look)
        ax.set_aspect("auto")
        for tick in ax.xaxis.get_major_ticks():  # there is room for all words on one line
            tick.set_pad(5)
        ax.tick_params(labelleft=not number)
        if loud is not None:
            image.set_alpha(np.where(np.arange(len(asks)) == row, 1, 0.18)[:, None] + 0 * matrix_)
            for text in ax.texts:
                if text.get_position()[1] != row:
                    text.set_color(style.readable(style.MUTED, style.RULE))
            outline(ax, (-0.5, row - 0.5), len(columns), 1, style.INK, 1.8, clip_on=False)
        if number:
            _operation(panels[number - 1], ax, row, does, how)
    return figure


def _operation(before: Axes, after: Axes, row: int, does: str, how: str) -> None:
    """An arrow from one table to the next at the height of a row, with what is done over it."""
    start, end = (before.get_xlim()[1], row), (after.get_xlim()[0], row)
    line = {"arrowstyle": "-|>", "color": style.INK, "linewidth": 1.5, "shrinkA": 5, "shrinkB": 4}
    ends = {"xycoords": after.transData, "textcoords": before.transData}
    notes = [after.annotate("", end, start, arrowprops=line, annotation_clip=False, **ends)]
    look = {"textcoords": "offset points", "ha": "center", "va": "center", "size": style.NOTE}
    for said, up in ((does, 10), (how, -10)):
        notes.append(after.annotate(said, end, (-23.5, up), annotation_clip=False, **look))
    for note in notes:
        note.set_in_layout(False)


def _six_steps(words: Sequence[str], query: Any, keys: Any, values: Any) -> Figure:
    """Draw attention for the first of the words, step by step from top to bottom -> the figure.

    query (d_k) of the first word; keys (s, d_k), values (s, d_v). A column for each word. Raises
    ValueError when the shapes and the words don't fit.
    """
    q, k, v = as_array(query), as_array(keys), as_array(values)
    if q.ndim != 1 or k.shape != (len(words), len(q)) or v.ndim != 2 or len(v) != len(words):
        raise ValueError(
            f"{len(words)} words and a query of the shape {q.shape} don't fit keys of "
            f"the shape {k.shape} and values of the shape {v.shape}"
        )
    root = np.sqrt(len(q))
    scores = k @ q
    scaled = scores / root
    weights = np.exp(scaled - scaled.max()) / np.exp(scaled - scaled.max()).sum()
    parts = weights[:, None] * v
    first, x = words[0], [3.35 + 3.0 * column for column in range(len(words))]
    figure, ax = canvas(x[-1] + 1.65, 6.0)
    mine = f"{steady_round(100 * weights[0], 0):.0f} % of its attention"
    heading(ax, f"“{first}” gives itself {mine}", f"The six steps of attention for “{first}”")
    names = ["query", "key", "value", "query · key", rf"divided by $\sqrt{{d_k}}$ = {root:.3g}"]
    names += ["softmax: the weight", "weight × value", "sum: the output"]
    heights = [4.6, 4.22, 3.84, 3.12, 2.4, 1.68, 0.96, 0.24]
    numbers = ["1", "", "", "2", "3", "4", "5", "6"]
    for y, number, name in zip(heights, numbers, names, strict=True):
        label(ax, (0.05, y), number, size=style.LABEL, color=style.MUTED)
        label(ax, (0.3, y), name, size=style.LABEL)
    for column, (at, text) in enumerate(zip(x, words, strict=True)):
        word(ax, (at, 5.02), text, size=13)
        part = _vector(parts[column], 2)
        shown = [_vector(k[column]), _vector(v[column]), *_products(scores[[column]], column)]
        shown += [f"{scaled[column]:.4g}", f"{steady_round(weights[column]):.2f}", part]
        if not column:
            box(ax, (at, heights[0]), 1.9, 0.3, _vector(q), style.ACCENT)
        for y, said in zip(heights[1:], shown, strict=False):
            loud = y == heights[5] and not column  # what the title says
            fill, color = (style.ACCENT, style.ACCENT) if loud else (None, style.MUTED)
            box(ax, (at, y), 1.9 if y > 3.5 else 1.5, 0.3, said, color, fill=fill)
        for upper, lower in pairwise(heights[3:-1]):
            arrow(ax, (at, upper - 0.17), (at, lower + 0.17))
        lane = at + 1.3  # the value waits until the weight is there
        path(ax, [(at + 0.96, 3.84), (lane, 3.84), (lane, 0.96), (at + 0.77, 0.96)])
        turn = at - 1.3 if column else at - 1.15  # the first word's query meets every key
        start = (x[0] + 0.96, 4.6) if column else (at - 0.96, 4.6)
        path(ax, [start, (turn, 4.6), (turn, 3.12), (at - 0.77, 3.12)], style.ACCENT)
        path(ax, [(at - 0.96, 4.22), (at - 1.02, 4.22), (at - 1.02, 3.2), (at - 0.77, 3.2)])
    middle = sum(x) / len(x)
    for at in x:
        path(ax, [(at, 0.79), (at, 0.24), (middle + (0.92 if at > middle else -0.92), 0.24)])
    total = f"z = {_vector(parts.sum(axis=0), 2)}"
    box(ax, (middle, 0.24), 1.8, 0.36, total, style.INK, weight="bold")
    return figure


def _products(scores: np.ndarray, first: int = 0) -> list[str]:
    """Which query meets which key: the first word's query meets all of them."""
    return [f"$q_1 · k_{number}$ = {score:.4g}" for number, score in enumerate(scores, first + 1)]


def _vector(numbers: Any, decimals: int | None = None) -> str:
    """(1.75, 1.75, …): at most the first three numbers."""
    shown = [
        f"{steady_round(number, decimals):.{decimals}f}"
        if decimals is not None
        else f"{number:.3g}"
        for number in numbers[:3]
    ]
    return f"({', '.join(shown)}{', …' if len(numbers) > 3 else ''})"


def _scaling_curves(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw what the width d_k does to scores and softmax, with and without sqrt(d_k) -> the figure.

    rows: one for each width and way, {"d_k", "scaled" (bool), "variance", "largest", "slope"}.
    Raises ValueError when one of the two ways is missing.
    """
    if {bool(row["scaled"]) for row in rows} != {True, False}:
        raise ValueError("the curves need rows with scaled=True and rows with scaled=False")
    panels = {
        "variance": "scores spread  →\n(variance)",
        "largest": "one takes all  →\n(largest weight)",
        "slope": "the slope is gone\n(of the softmax)",
    }
    named = {False: ("undivided", style.ACCENT), True: (r"divided by $\sqrt{d_k}$", style.MUTED)}
    figure = style.new_figure(style.WIDTH, 4.0)
    note = "Slope: how much a weight changes with its score. Without a slope nothing is learned"
    titled(figure, "Undivided, wide queries and keys leave the softmax hardly any slope", note)
    sizes = sorted({row["d_k"] for row in rows})
    axes = figure.subplots(1, 3, width_ratios=[1, 1, 2.2])
    for ax, (quantity, title) in zip(axes, panels.items(), strict=True):
        for scaled, (name, color) in named.items():
            numbers = [row[quantity] for row in rows if bool(row["scaled"]) == scaled]
            ax.plot(sizes, numbers, "o-", color=color, label=name, markersize=5)
        ax.set_xscale("log", base=2)
        ax.set_xticks(sizes[::2], [f"{size:,}" for size in sizes[::2]])
        ax.set_title(title, fontsize=style.LABEL, loc="left")
        ax.set_xlabel("width $d_k$")
        ax.set_ylim(0)
    axes[0].set(yscale="log", ylim=(0.7, 1500))
    axes[0].yaxis.set_major_formatter("{x:,.0f}")
    axes[0].minorticks_off()
    name_lines(axes[2], wide=20)
    return figure


def _score_maps(maps: Mapping[str, Any], words: Sequence[str]) -> Figure:
    """Draw score matrices (s, s) of the same words side by side on one scale -> the figure.

    maps: title -> matrix. A line joins each two words' scores for each other, with a sign: = or
    ≠. Raises ValueError when a matrix doesn't fit the words.
    """
    matrices = {title: as_array(matrix) for title, matrix in maps.items()}
    for title, scores in matrices.items():
        if scores.shape != (len(words), len(words)):
            raise ValueError(
                f"{title!r}: {len(words)} words need scores of the shape "
                f"{(len(words), len(words))}, but theirs is {scores.shape}"
            )
    limit = max(float(abs(scores).max()) for scores in matrices.values())
    wide, high, low = 0.84, 0.74, 0.72
    figure, ax = canvas(8, low + high * len(words) + 0.95)
    heading(ax, "With one matrix, two words give each other the same score")
    label(ax, (0.02, low + high * len(words) / 2), "the word\nthat looks\n(query)")
    for left, (title, scores) in zip((1.6, 5.3), matrices.items(), strict=True):
        size, pairs = (wide * len(words), high * len(words)), scores.copy()
        np.fill_diagonal(pairs, np.nan)
        matrix(ax, (left, low), *size, pairs, limit=limit, edge=style.PAPER)
        top, middle = low + size[1], left + size[0] / 2
        label(ax, (left, top + 0.2), title, size=13, weight="bold")
        label(ax, (middle, 0.17), "the word looked at (key)", ha="center")
        places = [(left + wide * (at + 0.5), top - high * (at + 0.5)) for at in range(len(words))]
        for (x, y), text in zip(places, words, strict=True):
            word(ax, (left - 0.14, y), text, ha="right")
            word(ax, (x, low - 0.22), text)
        for (i, j), score in np.ndenumerate(scores):
            at, ink = (places[j][0], places[i][1]), style.SIGNED(0.5 + score / limit / 2)
            if i == j:
                label(ax, (at[0], at[1] + 0.25), written(score, 1), ha="center", color=style.MUTED)
                continue
            label(ax, at, written(score, 1), size=13, ha="center", color=style.ink_on(ink))
            if i < j:
                x, y = (places[i][0] + places[j][0]) / 2, (places[i][1] + places[j][1]) / 2
                same, reach = np.isclose(score, scores[j, i]), (j - i) / 2 - 0.25
                ends = [(x + end * wide, y + end * high) for end in (-reach, reach)]
                path(ax, ends, style.INK, head=False)
                look = {"fill": style.PAPER, "round": 0.12, "line": 1, "zorder": 5, "size": 13}
                box(ax, (x, y), 0.24, 0.24, "=" if same else "≠", style.INK, **look)
    return figure


def _chip_path(text: str) -> str:
    """The outline of a word's chip in a chart, in pixels around its middle."""
    half = max(36 * width_of(text, 13) - 2.5, 1)
    corners = f"a6,6 0 0 1 6,6 v9 a6,6 0 0 1 -6,6 h{-2 * half:.1f} a6,6 0 0 1 -6,-6 v-9 "
    return f"M{-half:.1f},-10.5 h{2 * half:.1f} {corners}a6,6 0 0 1 6,-6 z"


def attention_explorer(
    words: Sequence[str],
    keys: Any,
    values: Any,
    query: Sequence[float],
    moved: str,
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
        .transform_calculate(score="(query_x * datum.x + query_y * datum.y) / (divide ? SQRT2 : 1)")
        .transform_calculate(power="exp(datum.score)")
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
        scale = alt.Scale(domain=[-3, 3])
        zero = {"condition": {"test": "datum.value === 0", "value": style.RULE}}
        lines = {"grid": True, "gridColor": {**zero, "value": "transparent"}}
        plain = {"values": TICKS, "title": None, "domain": False, "ticks": False, **lines}
        axis = alt.Axis(labelColor=style.MUTED, labelPadding=6, **plain)
        return alt.X(f"{x}:Q", scale=scale, axis=axis), alt.Y(f"{y}:Q", scale=scale, axis=axis)

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
    ways = base.mark_rule(**wide).encode(from_x, from_y, x2="x", y2="y")
    dots = base.mark_point(filled=True, size=140, opacity=1).encode(x, y, color=color, tooltip=tips)
    names = chips(x, y, away("y"))
    here = alt.Chart(alt.Data(values=[{"zero": 0}])).transform_calculate(x="query_x", y="query_y")
    arrow = here.mark_rule(strokeWidth=4, color=GREY).encode(from_x, from_y, x2="x", y2="y")
    tip = here.mark_point(shape="diamond", filled=True, size=220, color=GREY, opacity=1)
    side = {"align": alt.expr("query_x > 1.5 ? 'right' : 'left'")}
    side["dx"] = alt.expr("query_x > 1.5 ? -12 : 12")
    side["dy"] = alt.expr("query_y < -2.6 ? -9 : query_y > 2.6 ? 9 : 0")
    called = write(here, x, y, text=alt.value("query"), **side)
    left = ways.encode(color=color) + arrow + tip.encode(x, y) + called + dots + names

    weight = alt.X("weight:Q", axis=None, scale=alt.Scale(domain=[0, 1.3]))
    word = alt.Y("word:N", title=None, sort=None, axis=None)
    bars = base.mark_bar(size=28).encode(weight, word, color=color, tooltip=tips)
    two_decimals = alt.Text("weight:Q", format=".2f")
    middle = bars + write(base, weight, word, text=two_decimals, fill=ink, align="left", dx=6)
    middle += chips(alt.X(value=-25), word)

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
    mean = (
        parts.transform_aggregate(out_x="sum(px)", out_y="sum(py)")
        .transform_calculate(text="'output (' + format(datum.out_x, '.2f') + ', '")
        .transform_calculate(text="datum.text + format(datum.out_y, '.2f') + ')'")
    )
    output = mean.mark_point(shape="diamond", filled=True, size=220, color=GREY, opacity=1).encode(
        *plane("out_x", "out_y")
    )
    ends = "datum.out_x > 1.3 ? 'right' : datum.out_x < -1.3 ? 'left' : 'center'"
    look = {"align": alt.expr(ends), "dy": alt.expr("datum.out_y < -2 ? -22 : 22")}
    said = write(mean, *plane("out_x", "out_y"), text="text:N", **look)
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
        "The output goes to the value whose key the query points at",
        subtitle="Each point is two numbers, right and up. The wider a line, the larger its weight",
    )
    whole = alt.hconcat(*shown, bounds="flush", spacing=56, title=title)
    return whole.add_params(*sliders)


WIDTHS = (4, 16, 64, 256, 1024)


def i_like_trees() -> tuple[Tensor, Tensor, Tensor]:
    """Queries to write "me", "gustan", "árboles", keys and values of "I like trees", each (3, 4).

    Made by hand so that they can be read. A word's four numbers say: who, does, what, many.
    """
    x = torch.tensor([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])
    w_q = torch.tensor([[2.0, 0, 0, 0], [1, 0, 2, 2], [0, 1, 2, 0], [0, 0, 0, 2]])
    return x @ w_q, x @ (2 * torch.eye(4)), x @ torch.eye(4)


def _thinking_machines() -> tuple[Tensor, Tensor, Tensor]:
    """Query of "Thinking", keys and values of "Thinking Machines", with the scores 112 and 96."""
    keys = torch.tensor([[1.75], [1.5]]).expand(2, 64)
    return torch.ones(64), keys, torch.tensor([[10.0, 0.0], [0.0, 10.0]])


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
    "columns wide. The matrix W^K is 128 high and 32 wide. Their product K has the same four rows "
    "and is 32 columns wide. The row of 'trees' is framed in X and in K.",
)
def draw_projection() -> Figure:
    head = real_head()
    names = ("$X$", "$W^K$", "$K$")
    return _projection(head.src, head.memory, head.w_k, head.key, "trees", names)


@figure(
    "attention-shared-matrix",
    caption="Scores with one matrix for queries and keys, and with two.",
    alt="Two maps of three by three scores for 'I like trees', their diagonals grey. With one "
    "shared matrix the map is its own mirror image along the diagonal, and between each two "
    "mirrored scores stands an equals sign; with two matrices it is not.",
)
def draw_shared_matrix() -> Figure:
    return _score_maps(_shared_and_separate(), ["I", "like", "trees"])


@figure(
    "attention-six-steps",
    caption="The six steps of attention for the first word of 'Thinking Machines'.",
    alt="Two columns, 'Thinking' and 'Machines', from top to bottom: keys and values; scores 112 "
    "and 96; divided by 8, 14 and 12; softmax 0.88 and 0.12; weight times value (8.81, 0.00) and "
    "(0.00, 1.19). A rust arrow leads from the query of 'Thinking' to the score of 'Machines', "
    "too; grey ones lead from each value past the weights to weight times value. At the end "
    "arrows join the two columns to the sum, (8.81, 1.19).",
)
def draw_six_steps() -> Figure:
    return _six_steps(["Thinking", "Machines"], *_thinking_machines())


@figure(
    "attention-four-frames",
    caption="The equation of attention in four frames: scores, scaled, softmax, times the values.",
    alt="Four maps with a row for each of 'me gustan árboles', which ask, three with a column "
    "for each of 'I like trees', which answer, the last for who, does, what and many. The scores "
    "to write 'gustan' are 2, 0, 8; divided by 2 they are 1, 0, 4; the softmax gives nearly all "
    "weight to 'trees'; so the output for 'gustan' holds the 'what' and the 'many' of trees. The "
    "row of 'gustan' is framed in all four, the others are faint. An arrow from map to map: "
    "divided by the root of d_k, softmax, times V.",
)
def draw_four_frames() -> Figure:
    asks, words = ["me", "gustan", "árboles"], ["I", "like", "trees"]
    title = "To write “gustan”, “trees” is found, and its value is taken over"
    note = "The value of “trees” says: it is a thing (what), and more than one (many)"
    says = ["who", "does", "what", "many"]
    return _equation_frames(*i_like_trees(), asks, words, says, title, note, loud="gustan")


@figure(
    "attention-scaling",
    caption="What the width of queries and keys does to scores, weights and gradient, with and "
    "without the division by the root of d_k.",
    alt="Two small panels and a large one against d_k from 4 to 1024. Undivided, the variance of "
    "the scores rises in a straight line, the largest weight comes near 1, and, in the large "
    "panel, the slope of the softmax falls to 0.02. Divided by the root of d_k, all stay level.",
)
def draw_scaling() -> Figure:
    return _scaling_curves([softmax_at(d_k, scaled) for d_k in WIDTHS for scaled in (False, True)])


@figure(
    "attention-explorer",
    caption="Move a query and a key, and see the weights and the output follow.",
    alt="Three panels with sliders. Left: a query and the keys of I, like and trees as points in a "
    "plane, with lines as wide as their weights; trees lies where the query points. Middle: bars "
    "of the three weights, the longest for trees. Right: the three values, each with such a line "
    "to the output, which lies near the value of trees.",
)
def draw_explorer() -> Any:
    words = ["I", "like", "trees"]
    keys, values = [[-1, 1.5], [1.5, -1], [2, 2]], [[-2, -1], [-0.5, 2], [1.5, 1]]
    return attention_explorer(words, keys, values, query=[1, 0.5], moved="trees")
