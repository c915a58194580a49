"""How attention comes about: the equation step by step, a number's routes, and a chart to move.

Rows are queries, the first word at the top; columns are keys.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.arrows import arrow, path
from course.drawing.cells import matrix, outline
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import bold, canvas, label, muted, width_of, word
from course.experiments import load


def _word_colors(words: Sequence[str]) -> list[str]:
    """Each word's own color, as in the whole series; other words take what is left."""
    left = iter(color for color in style.CATEGORIES if color not in style.WORDS.values())
    return [style.WORDS.get(word) or next(left) for word in words]


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
    colors = _word_colors(words)
    table = [
        {"word": word, "kx": k[0], "ky": k[1], "vx": v[0], "vy": v[1], "moved": word == moved}
        | {"ink": style.readable(own), "ground": style.tint(own), "chip": _chip_path(word)}
        for word, own, k, v in zip(words, colors, keys.tolist(), values.tolist(), strict=True)
    ]
    base = (
        alt.Chart(alt.Data(values=table))
        .transform_calculate(
            x="datum.moved ? key_x : datum.kx",
            y="datum.moved ? key_y : datum.ky",
            dot="query_x * datum.x + query_y * datum.y",
            score="datum.dot / (divide ? SQRT2 : 1)",
            power="exp(datum.score)",
            far="datum.dot / max(query_x * query_x + query_y * query_y, 0.01)",
            foot_x="datum.far * query_x",
            foot_y="datum.far * query_y",
        )
        .transform_joinaggregate(total="sum(power)")
        .transform_calculate(weight="datum.power / datum.total")
    )
    own = alt.Scale(domain=list(words), range=colors)
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
    line = here.transform_calculate(
        long="9 / max(abs(query_x), abs(query_y), 0.01)",
        x1="-datum.long * query_x",
        y1="-datum.long * query_y",
        x2="datum.long * query_x",
        y2="datum.long * query_y",
    )
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
    named = "(divide ? 'score ÷ √2 = ' : 'score = ') + format(datum.score, '.2f')"
    scores = base.transform_calculate(said=named)
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
        subtitle="Dots show how far the keys reach; lines to the output are as wide as the weights",
    )
    whole = alt.hconcat(*shown, bounds="flush", spacing=60, title=title)
    return whole.add_params(*sliders)


@figure(
    "attention-arrow",
    caption="The farther a key reaches along the query, the larger its weight.",
    alt="""Arrows from one point. A thick one, the query to write 'gustan', points to the right.
    The key of 'trees' points nearly the same way: a dashed line drops from its tip to a dot on
    the query, at score 3, and its weight is written large, 0.88. The key of 'I' points up: score
    0.5, weight 0.07. That of 'like' points straight down: score 0, weight 0.04. The query has
    marks at the scores 1 to 4.""",
    hero=True,
)
def draw_arrow() -> Figure:
    words, q = ["I", "like", "trees"], np.array([1, 2])
    k = np.array([[-0.5, 0.5], [1, -0.5], [1, 1]])
    scores, length, unit = k @ q, np.linalg.norm(q), 1.9  # inches for 1 in a vector
    weights = np.exp(scores) / np.exp(scores).sum()
    turned = np.degrees(np.arctan2(q[1], q[0]))
    note = (
        f"Each dashed line leads from a key to its score. All vectors are turned by {turned:.0f}°, "
        "which doesn’t change the scores"
    )
    title = "The farther a key reaches along the query, the larger its weight"
    figure, ax = canvas(4.85, title, note)
    here = np.array([1.0, 2.5])
    level = np.stack([q, (-q[1], q[0])], 1) / length  # along the query, and across
    for asked, key, score, weight, color in zip(
        words, k @ level, scores, weights, _word_colors(words), strict=True
    ):
        tip, strong = here + unit * key, style.readable(color, style.PAPER)
        look = {"zorder": 2.1, "linestyle": (0, (4, 3)), "head": False, "thick": 1.2}
        path(ax, [(tip[0], here[1]), tuple(tip)], **look)
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
        muted(ax, (x, here[1] + 0.2), f"{mark:g}", ha="center")
    muted(ax, (here[0] - 0.15, here[1]), "0", ha="right")
    end = here[0] + unit * length
    arrow(ax, tuple(here), (end, here[1]), style.INK, thick=5)
    bold(ax, (end + 0.15, here[1]), "query, to write", size=14)
    word(ax, (end + 1.65, here[1]), "gustan", size=14, ha="left")
    return figure


@figure(
    "attention-four-frames",
    caption="One whole self-attention of three words: scores, scaled scores, weights, output.",
    alt="""Four tables with a row for each of 'I', 'like' and 'trees', and all numbers in their
    cells; the row of 'like' is framed. Its scores are 2, 0 and 8; divided by 2 they are 1, 0 and
    4; its weights are 0.05, 0.02 and 0.94; and its output is 0.05 in who, 0.02 in does, 0.94 in
    what and 0.94 in many. The weights of 'I' are 0.79, 0.11 and 0.11, those of 'trees' 0.02,
    0.05 and 0.94.""",
)
def draw_four_frames() -> Figure:
    x = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])
    query = np.array([[2, 0, 0, 0], [1, 0, 2, 2], [0, 1, 2, 2]])
    words, features = ["I", "like", "trees"], ["who", "does", "what", "many"]
    scores, root, row = query @ (2 * x).T, 2, 1  # of "like"
    weights = np.exp(scores / root)
    weights /= weights.sum(axis=1, keepdims=True)
    found, most = words[weights[row].argmax()], weights[row].max()
    title = f"“{words[row]}” attends to “{found}” with a weight of {most:.2f}"
    note = (
        "Each row belongs to the word that asks; in the first three tables, each column belongs to "
        "the word that answers"
    )
    figure, ax = canvas(3.2, title, note)
    cell, left, foot = 0.46, 0.72, 0.2
    frames = (
        (r"scores: $QK^\top$", scores, words, scores.max(), 0),
        (rf"scores ÷ $\sqrt{{d_k}}$ (= {root:g})", scores / root, words, scores.max(), 0),
        ("weights: softmax", weights, words, 1, 2),
        ("output: weights × $V$", weights @ x, features, 1, 2),
    )
    for name, numbers, heads, limit, decimals in frames:
        wide, high = cell * len(heads), cell * len(words)
        look = {"limit": limit, "low": 0, "cmap": style.WEIGHTS, "decimals": decimals}
        matrix(ax, (left, foot), wide, high, numbers, **look)
        y = foot + high - cell * (row + 1)
        outline(ax, (left, y), wide, cell, style.ACCENT, 2.5)
        bold(ax, (left + wide / 2, foot + high + 0.55), name, ha="center")
        for column, text in enumerate(heads):
            at = left + cell * (column + 0.5), foot + high + 0.2
            if heads is words:
                word(ax, at, text, size=10)
            else:
                label(ax, at, text, ha="center")
        left += wide + 0.42
    for i, text in enumerate(words):
        word(ax, (0.62, foot + cell * (len(words) - i - 0.5)), text, size=13, ha="right")
    return figure


@figure(
    "attention-routes",
    caption="""Three models, trained alike from different random numbers: how the number of the
    noun reaches the verb.""",
    alt="""Three panels, seeds 0, 1 and 2. In each a solid arrow leads straight from 'trees' to
    'gustan', another to the other English words, and a dashed one from there to 'gustan'. The
    numbers say how many verbs lose the plural when the noun is hidden at the arrow's start. In
    seed 0 the straight arrow is thick, 61%, and passes through head 0 of layer 1, without which
    98% are lost; the arrow to the other words is thin, 0%. In seed 1 the straight arrow is thin,
    0%, and the one to the other words thick, 91%. Seed 2 is like seed 0: 82% straight, through
    head 3 of layer 1, without which 84% are lost; 1% around.""",
)
def draw_routes() -> Figure:
    title = "In two models, most verbs need to see the noun; in seed 1, the other English words do"
    note = (
        "Share of the 233 plurals lost when the noun is hidden at the arrow’s tip; the dashed "
        "arrows weren’t cut"
    )
    figure, ax = canvas(4.35, title, note)
    seeds = load("thread")["seeds"].items()
    for left, (seed, found) in zip((0.0, 2.7, 5.4), seeds, strict=True):
        right, best = found["right"]["plural"], found["best_head"]
        noun, verb, other = (left + 0.45, 1.3), (left + 2.15, 1.3), (left + 1.3, 3.0)
        bold(ax, (left + 0.02, 3.5), f"seed {seed}" + ": our translator" * (seed == "0"))
        for lost, start, end in (
            (1 - right["no other English word sees the noun"], noun, other),
            (None, other, verb),
            (1 - right["verb's place can't see the noun"], noun, verb),
        ):
            along = np.subtract(end, start) / np.hypot(*np.subtract(end, start))
            tail, tip = start + (0.4 if start != other else 0.3) * along, end - 0.4 * along
            if lost is None:
                path(ax, [tuple(tail), tuple(tip)], linestyle=(0, (4, 3)), thick=1.2)
                continue
            color = style.ACCENT if lost > 0.5 else style.SOFT
            arrow(ax, tuple(tail), tuple(tip), color, thick=1 + 7 * lost)
            (x, y), aside = np.mean([start, end], axis=0), end == other
            x, y = (x - 0.17, y + 0.1) if aside else (x, y - 0.32)
            look = {"weight": "bold"} if lost > 0.5 else {}
            look |= {"color": color if lost > 0.5 else style.MUTED}
            label(ax, (x, y), f"{lost:.0%}", size=15, ha="right" if aside else "center", **look)
        word(ax, noun, "trees", size=13)
        word(ax, verb, "gustan", size=13)
        label(ax, other, "other English words", ha="center")
        without = 1 - right["best head off"]
        if without > 0.5:
            said = f"through head {best['head']} of layer {best['layer'].split('.')[2]}"
            label(ax, (left + 1.3, 0.58), said, ha="center")
            said = f"without that head: {without:.0%} lost"
            label(ax, (left + 1.3, 0.33), said, ha="center", weight="bold", color=style.ACCENT)
    return figure


@figure(
    "attention-explorer",
    caption="Move a query and a key, and see the weights and the output follow.",
    alt="""Three panels with sliders. Left: a query as an arrow from 0, and the keys of I, like
    and trees as rings; from each a dashed line drops onto the query's line, where a dot shows
    how far the key reaches; that of trees is the farthest. Middle: bars of the three weights,
    the longest for trees, and the scores. Right: the three values, each with a line as wide as
    its weight to the output, which lies near the value of trees.""",
)
def draw_explorer() -> Any:
    words = ["I", "like", "trees"]
    keys, values = [[-1, 1.5], [1.5, -1], [2, 2]], [[-2, -1], [-0.5, 2], [1.5, 1]]
    return attention_explorer(words, keys, values, query=[1, 0.5], moved="trees")
