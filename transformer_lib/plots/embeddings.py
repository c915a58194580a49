"""Words as vectors: how alike they are, how long they are, and where they lie on a map."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from transformer_lib.plots import style
from transformer_lib.plots.values import as_array, steady_round


@mpl.rc_context(style.PRINT)
def word_similarity(
    vectors: Any, words: Sequence[str], ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw the cosine of every two word vectors (n, d_model) -> the axes.

    The scale runs from 0 (white) to 1 (dark); vectors that point away from each other stay white.
    Raises ValueError when the words don't fit the vectors, or a vector is zero.
    """
    matrix = as_array(vectors)
    if matrix.ndim != 2 or len(matrix) != len(words) or not len(words):
        raise ValueError(f"{len(words)} words need vectors of the shape ({len(words)}, d_model), "
                         f"but theirs is {matrix.shape}")  # fmt: skip
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError(f"{words[int(lengths.argmin())]!r} has the vector 0, "
                         "which points nowhere")  # fmt: skip
    cosines = (matrix / lengths) @ (matrix / lengths).T
    own_figure = ax is None
    if ax is None:
        size = 1.6 + 0.44 * len(words)
        ax = style.new_figure(size + 0.6, size).subplots()
    image = ax.imshow(cosines, cmap=style.WEIGHTS, vmin=0, vmax=1, interpolation="nearest")
    ax.set_xticks(range(len(words)), words, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(words)), words)
    ax.set_xticks(np.arange(len(words) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(words) + 1) - 0.5, minor=True)
    ax.grid(which="minor", linewidth=0.8)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    for (row, column), cosine in np.ndenumerate(cosines):
        ax.text(column, row, f"{steady_round(cosine, 1):.1f}".replace("-", "\N{MINUS SIGN}"),
                ha="center", va="center", fontsize=10,
                color=style.ink_on(style.WEIGHTS(max(cosine, 0))))  # fmt: skip
    if title:
        ax.set_title(title)
    if own_figure:
        scale = ax.figure.colorbar(image, ax=ax, label="cosine", shrink=0.6, aspect=18, pad=0.02)
        scale.outline.set_visible(False)
        scale.set_ticks([0, 0.5, 1])
    return ax


@mpl.rc_context(style.PRINT)
def lookup_product(
    rows: Any, table: Any, words: Sequence[str], vocabulary: Sequence[str]
) -> Figure:
    """Draw one-hot rows (n, vocab) times a small table (vocab, d_model) -> the figure.

    The rows of the table that come out again, for the n words, have a frame. Raises ValueError
    when the shapes don't fit each other or the words.
    """
    left, middle = as_array(rows), as_array(table)
    fits = left.ndim == middle.ndim == 2 and left.shape == (len(words), len(vocabulary))
    if not fits or len(middle) != len(vocabulary):
        raise ValueError(f"{len(words)} words and a vocabulary of {len(vocabulary)} don't fit rows "
                         f"{left.shape} and a table {middle.shape}")  # fmt: skip
    vocab, width = middle.shape
    figure = style.new_figure(10.0, 0.9 + 0.42 * vocab)
    figure.get_layout_engine().set(wspace=0.06)
    panels = figure.subplots(1, 3, width_ratios=[vocab, 1.7 * width, 1.7 * width])
    limit = float(np.abs(middle).max())
    matrices = (left, middle, left @ middle)
    titles = ("one-hot rows", "times the table", "= its rows")
    for ax, matrix, title in zip(panels, matrices, titles, strict=True):
        signed = matrix is not left
        colors = style.SIGNED if signed else style.WEIGHTS
        low, high = (-limit, limit) if signed else (0, 1.4)
        ax.imshow(matrix, cmap=colors, vmin=low, vmax=high, interpolation="nearest",
                  aspect=0.6 if signed else 1)  # fmt: skip
        for (row, column), value in np.ndenumerate(matrix):
            label = f"{steady_round(value, 1):.1f}" if signed else f"{value:.0f}"
            ink = style.ink_on(colors((value - low) / (high - low)))
            ax.text(column, row, label.replace("-", "\N{MINUS SIGN}"), ha="center", va="center",
                    fontsize=10.5, color=ink)  # fmt: skip
        ax.set_title(title)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_xticks([])
        ax.set_yticks(range(len(matrix)), vocabulary if matrix is middle else words)
    panels[0].set_xticks(range(vocab), vocabulary, rotation=90)
    for row in left.argmax(axis=1):
        panels[1].add_patch(Rectangle((-0.5, row - 0.5), width, 1, fill=False, linewidth=2.5,
                                      edgecolor=style.INK, clip_on=False))  # fmt: skip
    return figure


@mpl.rc_context(style.PRINT)
def share_bars(shares: Mapping[str, Mapping[str, float]], ax: Axes | None = None) -> Axes:
    """Draw shares from 0 to 1 as bars in percent -> the axes.

    shares: for each name in the legend ("before training") the share of each question. Raises
    ValueError when the names have different questions.
    """
    names = list(shares)
    questions = list(shares[names[0]]) if names else []
    if not questions or any(list(shares[name]) != questions for name in names):
        raise ValueError("every name needs a share for the same questions")
    if ax is None:
        ax = style.new_figure(style.WIDTH, 0.9 + 0.42 * len(names) * len(questions)).subplots()
    height = 0.8 / len(names)
    colors = (style.MUTED, *style.CATEGORIES)
    for number, name in enumerate(names):
        places = [row + (number - (len(names) - 1) / 2) * height for row in range(len(questions))]
        percent = [100 * shares[name][question] for question in questions]
        bars = ax.barh(places, percent, 0.9 * height, label=name, color=colors[number])
        ax.bar_label(bars, [f"{steady_round(value, 0):.0f} %" for value in percent], padding=4)
    ax.set_yticks(range(len(questions)), questions)
    ax.invert_yaxis()
    ax.set_xlim(0, 112)
    ax.set_xticks(range(0, 101, 25))
    ax.set_xlabel("share of the words, in %")
    ax.tick_params(axis="y", length=0)
    ax.legend(loc="upper center", bbox_to_anchor=(0.4, 1.14), ncols=len(names))
    return ax


@mpl.rc_context(style.PRINT)
def vector_sizes(
    widths: Sequence[int],
    lengths: Mapping[str, Sequence[float]],
    cosines: Mapping[str, Sequence[float]],
) -> Figure:
    """Draw how long word and position vectors are, and how alike their sums -> the figure.

    widths: the d_model measured; lengths and cosines: for each name one number per width.
    """
    for name, values in [*lengths.items(), *cosines.items()]:
        if len(values) != len(widths):
            raise ValueError(f"{name!r} has {len(values)} values for {len(widths)} widths")
    figure = style.new_figure(9.0, 3.9)
    left, right = figure.subplots(1, 2)
    looks = {name: look for name, look in zip(lengths, _looks(), strict=False)}
    for ax, curves in ((left, lengths), (right, cosines)):
        for name, values in curves.items():
            color, marker = looks[name]
            ax.plot(widths, values, marker, color=color, label=name, markersize=6)
        ax.set_xscale("log", base=2)
        ax.set_xticks(widths, [str(width) for width in widths])
        ax.minorticks_off()
        ax.set_xlabel("$d_{model}$")
        ax.grid(axis="y")
    left.set_ylabel("length of the vector")
    left.set_ylim(bottom=0)
    left.legend(fontsize=10.5)
    right.set_ylabel("cosine of the two sums")
    right.set_ylim(0, 1.05)
    right.set_title("two words, same place")
    left.set_title("one vector")
    return figure


def _looks() -> list[tuple[str, str]]:
    markers = ("o-", "s--", "^:", "D-.")
    return list(zip(style.CATEGORIES, markers, strict=False))


@mpl.rc_context(style.PRINT)
def loss_by_bottom(
    runs: Mapping[str, Sequence[Sequence[tuple[int, float]]]], ax: Axes | None = None
) -> Axes:
    """Draw learning curves, the mean of several seeds thick and each seed thin -> the axes.

    runs: for each name its runs, each of them (step, loss) at the same steps.
    """
    if ax is None:
        ax = style.new_figure(style.WIDTH, 3.8).subplots()
    for (name, curves), (color, marker) in zip(runs.items(), _looks(), strict=False):
        steps = [step for step, _ in curves[0]]
        if any([step for step, _ in curve] != steps for curve in curves):
            raise ValueError(f"the runs of {name!r} were not measured at the same steps")
        losses = np.array([[loss for _, loss in curve] for curve in curves])
        for curve in losses:
            ax.plot(steps, curve, color=color, linewidth=0.8, alpha=0.5)
        ax.plot(steps, losses.mean(axis=0), marker, color=color, label=name, markersize=6)
    ax.set(xlabel="step of training", ylabel="loss per token, held out")
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=0)
    ax.grid(axis="y")
    ax.legend()
    return ax


def flat_map(vectors: Any) -> tuple[np.ndarray, float]:
    """Vectors (n, d) -> their places (n, 2) on the best flat map, and the share it keeps.

    The map is made of the two directions in which the vectors differ most (principal components);
    the share is the part of all squared distances from the middle that is left on it. Each
    direction is turned so that its largest entry is positive: the same map on every machine.
    """
    matrix = as_array(vectors)
    if matrix.ndim != 2 or min(matrix.shape) < 2:
        raise ValueError("a map needs vectors of the shape (n, d), n and d at least 2, "
                         f"but theirs is {matrix.shape}")  # fmt: skip
    centered = matrix - matrix.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centered, full_matrices=False)
    first_two = directions[:2]
    largest = np.abs(first_two).argmax(axis=1)
    first_two = first_two * np.sign(first_two[[0, 1], largest])[:, None]
    return centered @ first_two.T, float((sizes[:2] ** 2).sum() / (sizes**2).sum())


def nearest_words(vectors: Any, words: Sequence[str], count: int = 3) -> list[list[str]]:
    """For each word the `count` others whose vectors point most nearly the same way."""
    matrix = as_array(vectors)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :count]
    return [[words[other] for other in row] for row in best]


def word_map(
    points: Sequence[Mapping[str, Any]],
    kinds: Mapping[str, tuple[str, str]],
    views: Sequence[str],
    landmarks: Collection[str] = (),
    title: str = "",
) -> Any:
    """Draw words as points to touch -> an Altair chart.

    points: one for each word and view, `{"view", "word", "x", "y", "kind", "near"}`; view is a
    place in `views`, near the text that the mouse shows besides word and kind. kinds: for each
    kind its color and its shape. The reader chooses a view, searches for a word, and clicks on a
    kind in the legend to see it alone. landmarks: the words written beside their points while
    nothing is searched for. Raises ValueError for a point of an unknown kind or view.
    """
    import altair as alt

    for point in points:
        if point["kind"] not in kinds or point["view"] not in range(len(views)):
            raise ValueError(f"{point['word']!r} is of the kind {point['kind']!r} in view "
                             f"{point['view']!r}, which the map doesn't have")  # fmt: skip
    table = [
        {**point, "x": steady_round(point["x"], 3), "y": steady_round(point["y"], 3),
         "landmark": point["word"] in landmarks}
        for point in points
    ]  # fmt: skip
    search = alt.param(
        name="search", value="", bind=alt.binding(input="search", name="find a word  ")
    )
    chosen = alt.selection_point(name="chosen", fields=["kind"], bind="legend")
    move = alt.selection_interval(
        name="move", bind="scales", zoom="wheel![event.shiftKey]", translate=True
    )
    parameters = [search, chosen, move]
    found = "indexof(lower(datum.word), lower(search)) == 0"
    data = alt.Chart(alt.Data(values=table))
    if len(views) > 1:
        options = list(range(len(views)))
        parameters.append(
            alt.param(
                name="view",
                value=len(views) - 1,
                bind=alt.binding_select(options=options, labels=list(views), name="table  "),
            )
        )
        data = data.transform_filter("datum.view == view")
    place = {
        axis: channel(f"{axis}:Q", axis=None, scale=alt.Scale(zero=False, nice=False, padding=15))
        for axis, channel in (("x", alt.X), ("y", alt.Y))
    }
    colors, shapes = (
        alt.Scale(domain=list(kinds), range=list(looks))
        for looks in zip(*kinds.values(), strict=True)
    )
    legend = alt.Legend(title=title or None, symbolSize=110, symbolOpacity=1, labelLimit=240)
    seen = {"and": [{"param": chosen.name}, f"search == '' || {found}"]}
    tooltip = [
        alt.Tooltip("word:N"),
        alt.Tooltip("kind:N", title=title or "kind"),
        alt.Tooltip("near:N", title="nearest"),
    ]
    dots = data.mark_point(filled=True, size=45).encode(
        **place,
        color=alt.Color("kind:N", scale=colors, legend=legend),
        shape=alt.Shape("kind:N", scale=shapes, legend=legend),
        opacity=alt.value(0.07, condition={"test": seen, "value": 0.8}),
        tooltip=tooltip,
    )
    # Without a name the chart would get one that changes with the last digits of the data.
    dots = dots.properties(name="dots")
    # Dark letters on a white rim can be read on a light page, on a dark one, and on the dots.
    labels = data.encode(**place, text="word:N").transform_filter(
        f"search == '' ? datum.landmark : {found}"
    )
    letters = {"fontSize": 13, "fontWeight": "bold", "align": "left", "dx": 7}
    rim = labels.mark_text(**letters, color=style.PAPER, stroke=style.PAPER, strokeWidth=4,
                           strokeJoin="round")  # fmt: skip
    labels = labels.mark_text(**letters, color=style.INK)
    return (dots + rim + labels).add_params(*parameters).properties(width=560, height=460)
