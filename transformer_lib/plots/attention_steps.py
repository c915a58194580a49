"""How attention comes about: the equation step by step, why it is scaled, and a chart to move.

Rows are queries, the first word at the top; columns are keys.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from transformer_lib.plots import style
from transformer_lib.plots.values import as_array, steady_round


@mpl.rc_context(style.PRINT)
def equation_frames(
    query: Any, key: Any, value: Any, words: Sequence[str], features: Sequence[str]
) -> Figure:
    """Draw softmax(Q K^T / sqrt(d_k)) V in four frames -> the figure.

    query, key (L, d_k), value (L, d_v) of one head; words: the L words; features: what the d_v
    numbers of a value are called. The first two frames share one scale, so that the division
    shows. Raises ValueError when the shapes, the words and the features don't fit.
    """
    q, k, v = as_array(query), as_array(key), as_array(value)
    wanted = {"query": q.shape, "key": k.shape}
    length, d_v = len(words), len(features)
    for name, shape in wanted.items():
        if len(shape) != 2 or shape != (length, q.shape[-1]):
            raise ValueError(f"{name} should have the shape ({length}, d_k) for {length} words, "
                             f"but its shape is {shape}")  # fmt: skip
    if v.shape != (length, d_v):
        raise ValueError(f"value should have the shape ({length}, {d_v}) for {length} words and "
                         f"{d_v} features, but its shape is {v.shape}")  # fmt: skip
    d_k = q.shape[-1]
    scores = q @ k.T
    scaled = scores / np.sqrt(d_k)
    exponentials = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    root = f"{np.sqrt(d_k):.3g}"
    frames = [
        ("1. scores", r"$Q K^T$", scores, words, 1),
        ("2. scaled", rf"$Q K^T / \sqrt{{d_k}}$,  here / {root}", scaled, words, 1),
        ("3. weights", "softmax of each row", weights, words, 2),
        ("4. output", "weights times $V$", weights @ v, features, 2),
    ]
    figure = style.new_figure(11.0, 1.9 + 0.55 * length)
    panels = figure.subplots(1, 4, width_ratios=[length, length, length, d_v])
    limit = max(float(abs(scores).max()), 1e-9)
    for ax, (title, below, matrix, columns, decimals) in zip(panels, frames, strict=True):
        ax.set_title(title)
        ax.set_xlabel(below)
        if title.startswith("3"):
            look = {"cmap": style.WEIGHTS, "vmin": 0, "vmax": 1}
        else:
            limit = max(float(abs(matrix).max()), 1e-9) if title.startswith("4") else limit
            look = {"cmap": style.SIGNED, "vmin": -limit, "vmax": limit}
        image = ax.imshow(matrix, interpolation="nearest", **look)
        ax.set_xticks(range(matrix.shape[1]), columns, fontsize=10)
        ax.set_yticks(range(length), words)
        ax.tick_params(length=0, labelleft=ax is panels[0])
        ax.spines[:].set_visible(False)
        for (i, j), number in np.ndenumerate(matrix):
            color = style.ink_on(image.cmap(image.norm(number)))
            text = f"{steady_round(number, decimals):.{decimals}f}"
            ax.text(j, i, text, ha="center", va="center", color=color, fontsize=11)
    panels[0].set_ylabel("query")
    return figure


@mpl.rc_context(style.PRINT)
def scaling_curves(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw what the width d_k does to scores and softmax, with and without sqrt(d_k) -> the figure.

    rows: one for each width and way, {"d_k", "scaled" (bool), "variance", "largest", "slope"}.
    Raises ValueError when one of the two ways is missing.
    """
    if {bool(row["scaled"]) for row in rows} != {True, False}:
        raise ValueError("the curves need rows with scaled=True and rows with scaled=False")
    panels = {
        "variance": ("variance of the scores", "log"),
        "largest": ("largest weight of a row", "linear"),
        "slope": ("slope of the softmax", "linear"),
    }
    looks = {False: ("as they are", style.CATEGORIES[1], "o-"),
             True: (r"divided by $\sqrt{d_k}$", style.CATEGORIES[0], "s--")}  # fmt: skip
    figure = style.new_figure(11.0, 3.8)
    for ax, (quantity, (title, scale)) in zip(figure.subplots(1, 3), panels.items(), strict=True):
        for scaled, (name, color, look) in looks.items():
            chosen = [row for row in rows if bool(row["scaled"]) == scaled]
            ax.plot([row["d_k"] for row in chosen], [row[quantity] for row in chosen], look,
                    color=color, label=name)  # fmt: skip
        sizes = sorted({row["d_k"] for row in rows})
        ax.set_xscale("log", base=2)
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.minorticks_off()
        ax.set_yscale(scale)
        if scale == "linear":
            ax.set_ylim(bottom=0)
        ax.set_title(title)
        ax.set_xlabel("$d_k$, the width of query and key")
        ax.grid(axis="y")
    figure.axes[1].legend(title="scores", loc="center right", bbox_to_anchor=(1.0, 0.47))
    return figure


@mpl.rc_context(style.PRINT)
def score_maps(maps: Mapping[str, Any], words: Sequence[str]) -> Figure:
    """Draw score matrices (L, L) of the same words side by side on one scale -> the figure.

    maps: title -> matrix. Raises ValueError when a matrix doesn't fit the words.
    """
    matrices = {title: as_array(matrix) for title, matrix in maps.items()}
    for title, matrix in matrices.items():
        if matrix.shape != (len(words), len(words)):
            raise ValueError(
                f"{title!r}: {len(words)} words need scores of the shape "
                f"{(len(words), len(words))}, but theirs is {matrix.shape}"
            )
    limit = max(float(abs(matrix).max()) for matrix in matrices.values())
    figure = style.new_figure(1.2 + 3.4 * len(matrices), 3.8)
    panels = figure.subplots(1, len(matrices), squeeze=False)[0]
    for ax, (title, matrix) in zip(panels, matrices.items(), strict=True):
        image = ax.imshow(matrix, cmap=style.SIGNED, vmin=-limit, vmax=limit,
                          interpolation="nearest")  # fmt: skip
        ax.set_title(title)
        ax.set_xlabel("key")
        ax.set_xticks(range(len(words)), words)
        ax.set_yticks(range(len(words)), words)
        ax.tick_params(length=0, labelleft=ax is panels[0])
        ax.spines[:].set_visible(False)
        for (i, j), number in np.ndenumerate(matrix):
            ax.text(j, i, f"{steady_round(number, 1):.1f}", ha="center", va="center", fontsize=11,
                    color=style.ink_on(image.cmap(image.norm(number))))  # fmt: skip
    panels[0].set_ylabel("query")
    return figure


def attention_explorer(
    words: Sequence[str],
    keys: Any,
    values: Any,
    query: Sequence[float],
    moved: str,
) -> Any:
    """Attention to touch: sliders move a query and one key, weights and output follow.

    keys, values (L, 2): where the words' keys and values lie, between -3 and 3; query: where the
    query starts; moved: the word whose key has sliders. The picture shows the start. Everything is
    computed inside the chart. Raises ValueError for other shapes or an unknown word.
    """
    import altair as alt

    keys, values, start = as_array(keys), as_array(values), as_array(query)
    for name, array in (("keys", keys), ("values", values)):
        if array.shape != (len(words), 2):
            raise ValueError(f"{name} should have the shape ({len(words)}, 2) for {len(words)} "
                             f"words, but their shape is {array.shape}")  # fmt: skip
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
        alt.param(name="divide", value=True,
                  bind=alt.binding_checkbox(name="divide by the root of d_k ")),
    ]  # fmt: skip
    table = [
        {"word": word, "kx": k[0], "ky": k[1], "vx": v[0], "vy": v[1], "moved": word == moved}
        for word, k, v in zip(words, keys.tolist(), values.tolist(), strict=True)
    ]
    base = (
        alt.Chart(alt.Data(values=table))
        .transform_calculate(
            x="datum.moved ? key_x : datum.kx",
            y="datum.moved ? key_y : datum.ky",
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
        scale=alt.Scale(domain=list(words), range=list(style.CATEGORIES)),
    )
    tips = [alt.Tooltip("word:N"), alt.Tooltip("score:Q", format=".2f"),
            alt.Tooltip("weight:Q", format=".2f")]  # fmt: skip

    def plane(x: str, y: str) -> tuple[Any, Any]:
        scale, axis = alt.Scale(domain=[-3, 3]), alt.Axis(tickCount=7, title=None)
        return (alt.X(f"{x}:Q", scale=scale, axis=axis), alt.Y(f"{y}:Q", scale=scale, axis=axis))

    x, y = plane("x", "y")
    dots = base.mark_point(filled=True, size=140, opacity=1).encode(x, y, color=color, tooltip=tips)
    names = base.mark_text(dx=9, dy=-11, align="left", fontSize=13).encode(x, y, text="word:N",
                                                                         color=color)  # fmt: skip
    here = alt.Chart(alt.Data(values=[{"zero": 0}])).transform_calculate(x="query_x", y="query_y")
    from_x, from_y = plane("zero", "zero")
    arrow = here.mark_rule(strokeWidth=3, color=style.MUTED).encode(from_x, from_y, x2="x", y2="y")
    tip = here.mark_point(shape="diamond", filled=True, size=220, color=style.MUTED,
                          opacity=1).encode(x, y)  # fmt: skip
    label = here.mark_text(dx=12, dy=4, align="left", fontSize=13, color=style.MUTED).encode(
        x, y, text=alt.value("query"))  # fmt: skip
    left = (arrow + tip + label + dots + names).properties(width=230, height=230,
                                                          title="query and keys")  # fmt: skip

    weight = alt.X("weight:Q", title=None, scale=alt.Scale(domain=[0, 1]),
                   axis=alt.Axis(values=[0, 0.5, 1]))  # fmt: skip
    word = alt.Y("word:N", title=None, sort=None)
    bars = base.mark_bar().encode(weight, word, color=color, tooltip=tips)
    numbers = base.mark_text(align="left", dx=4, fontSize=13, color=style.MUTED).encode(
        weight, word, text=alt.Text("weight:Q", format=".2f"))  # fmt: skip
    middle = (bars + numbers).properties(width=150, height=230, title="weights")

    x, y = plane("vx", "vy")
    squares = base.mark_point(shape="square", filled=True, opacity=1).encode(
        x, y, color=color, tooltip=tips,
        size=alt.Size("weight:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[40, 700])),
    )  # fmt: skip
    value_names = base.mark_text(dx=9, dy=-15, align="left", fontSize=13).encode(
        x, y, text="word:N", color=color)  # fmt: skip
    mean = (
        base.transform_calculate(px="datum.weight * datum.vx", py="datum.weight * datum.vy")
        .transform_aggregate(out_x="sum(px)", out_y="sum(py)")
        .transform_calculate(
            text="'output (' + format(datum.out_x, '.2f') + ', ' + format(datum.out_y, '.2f') + ')'"
        )
    )
    output = mean.mark_point(shape="diamond", filled=True, size=220, color=style.MUTED,
                             opacity=1).encode(*plane("out_x", "out_y"))  # fmt: skip
    written = mean.mark_text(fontSize=13, color=style.MUTED).encode(
        x=alt.value(115), y=alt.value(222), text="text:N")  # fmt: skip
    right = (squares + value_names + output + written).properties(
        width=230, height=230, title="values and output")  # fmt: skip
    return alt.hconcat(left, middle, right).add_params(*sliders)
