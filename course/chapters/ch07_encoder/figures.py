"""Inside the encoder: who reaches whom, what depth does, and the residual connection."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, MultipleLocator

from course.chapters.ch07_encoder.experiments import (
    SENTENCE,
    TEN_NOUNS,
    alike,
    all_ways,
    batch_norm,
    excited_by,
    flow_stations,
    fresh_norm,
    moved,
    others,
    random_layers,
    read_by_encoder,
    red_things,
    shares_a_mean,
    stream,
    titles,
    what_is_added,
    without_end,
)
from course.drawing import style
from course.drawing.registry import figure
from course.drawing.shapes import (
    arrow,
    box,
    canvas,
    centered,
    label,
    look,
    matrix,
    scale,
    word,
    word_color,
    words_around,
)
from course.drawing.values import as_array, steady_round

LINES = ("-", "--", "-.", ":")  # so that a grey printout tells curves apart
FLOW_LIMIT = 2.5  # numbers beyond it have the color of the ends


# --- maps of words ------------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def word_maps(
    maps: Mapping[str, Any],
    words: Sequence[str],
    *,
    label: str,
    limits: tuple[float, float] = (0.0, 1.0),
    across: int | None = None,
    rows: str = "",
    columns: str = "",
    numbers: bool = False,
) -> Figure:
    """Draw several matrices (s, s) over the same words, side by side on one scale -> the figure.

    maps: title -> matrix; a NaN leaves its cell grey. limits: the ends of the color scale; if it
    begins below 0, colors tell signs apart. label: what the color means; rows, columns: what the
    axes mean. numbers: write them, with one decimal, into the cells.
    Raises ValueError when a matrix doesn't fit the words.
    """
    matrices = {title: as_array(table) for title, table in maps.items()}
    for title, table in matrices.items():
        if table.shape != (len(words), len(words)):
            raise ValueError(
                f"{title!r}: a map of {len(words)} words has as many rows and "
                f"columns, but this is {table.shape}"
            )
    across = across or len(matrices)
    down = -(-len(matrices) // across)
    panel = (9.0 if numbers else 6.4) / across  # numbers need wider cells
    figure = style.new_figure(panel * across + 1.6, down * (panel + 0.35) + 1.0)
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    cmap = (style.SIGNED if limits[0] < 0 else style.WEIGHTS).with_extremes(bad="#E2E2E2")
    for ax, (title, table) in zip(grid.flat, matrices.items(), strict=False):
        image = ax.imshow(
            np.ma.masked_invalid(table),
            cmap=cmap,
            vmin=limits[0],
            vmax=limits[1],
            interpolation="nearest",
        )
        ax.set_title(title)
        words_around(ax, words, words)
        for (i, j), value in np.ndenumerate(table) if numbers else ():
            if np.isfinite(value):
                said = f"{steady_round(value, 1):.1f}".replace("-", "\N{MINUS SIGN}")
                centered(ax, j, i, said, size=10, color=style.ink_on(image.cmap(image.norm(value))))
    for number, ax in enumerate(grid.flat):
        if number >= len(matrices):
            ax.remove()
        elif number + across >= len(matrices):  # nothing below: the words go here
            ax.tick_params(labelbottom=True)
    figure.supxlabel(columns, fontsize=style.FONT_SIZE)
    figure.supylabel(rows, fontsize=style.FONT_SIZE)
    scale = figure.colorbar(
        image,
        ax=list(grid.flat[: len(matrices)]),
        label=label,
        shrink=0.7 / down,
        aspect=18,
        pad=0.02,
    )
    scale.outline.set_visible(False)
    return figure


# --- curves over depth ---------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def depth_curves(
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    powers: Sequence[str] = (),
    last: str = "",
    looks: Mapping[str, tuple[str, str]] | None = None,
    places: Mapping[tuple[str, str], tuple[float, float]] | None = None,
) -> Figure:
    """Draw a quantity below, between and above the layers of a stack, one panel each -> the figure.

    panels: title -> curve's name -> its values, the first for the input of the stack. powers: the
    titles of panels whose values are drawn as powers of ten. last: the name of the last value's
    place, where it isn't a layer. looks: name -> (color, line); places: (title, name) -> where in
    the panel the name is written, beside its curve. Without it, it stands at the curve's end.
    Raises ValueError where a power of ten would be drawn of a number that isn't positive.
    """
    figure = style.new_figure(8.0 if len(panels) > 1 else 6.4, 3.6)
    for ax, (title, curves) in zip(
        figure.subplots(1, len(panels), squeeze=False).flat, panels.items(), strict=True
    ):
        own = looks or dict(zip(curves, zip(style.CATEGORIES, LINES, strict=False), strict=False))
        for name, values in curves.items():
            values, (color, line) = np.asarray(values, float), own[name]
            if title in powers and not (values > 0).all():
                raise ValueError(f"{title!r}: {name} has numbers that aren't positive")
            drawn = np.log10(values) if title in powers else values
            end = len(values) - 1
            at = [*range(end), end + 1.5 if last else end]
            ax.plot(at, drawn, line, color=color, label=name, linewidth=3)
            x, y = (places or {}).get((title, name), (at[-1], drawn[-1]))
            ax.text(x, y, name, color=color, weight="bold", fontsize=11, ha="right", va="bottom")
        if title in powers:
            ax.yaxis.set_major_locator(MultipleLocator(2))
            ax.yaxis.set_major_formatter(FuncFormatter(_power))
        ax.xaxis.set_major_locator(MultipleLocator(6))
        if last:
            ax.set_xticks([*range(0, end, 6), end + 1.5], [*map(str, range(0, end, 6)), last])
        ax.set_title(title, loc="left")
        ax.set_xlabel("layers passed")
    return figure


def _power(exponent: float, _: int) -> str:
    return "1" if exponent == 0 else rf"$10^{{{exponent:.0f}}}$"


# --- the stream that words add to ----------------------------------------------------------------


def stream_of_words(words: Sequence[str], weights: Sequence[Any]) -> Figure:
    """Draw the residual stream of an encoder, a lane for each word -> the figure.

    weights: for each layer the attention weights (words, words); a row belongs to the word that
    looks. What a word gets from another is as broad as its weight. Raises ValueError when they
    don't fit the words.
    """
    looks = [as_array(one) for one in weights]
    for one in looks:
        if one.shape != (len(words), len(words)):
            raise ValueError(
                f"{len(words)} words need weights of the shape "
                f"{(len(words), len(words))}, but theirs is {one.shape}"
            )
    lane, left, right = 0.82, 1.0, 7.45
    top = 0.72 + lane * len(words)  # the upper end of the boxes
    figure, ax = canvas(8, top + 0.62)
    wide = (right - left - 0.35) / len(looks)
    y = {row: top - 0.88 - lane * row for row in range(len(words))}
    for layer, one in enumerate(looks):
        start = left + 0.2 + wide * layer
        box(
            ax,
            (start + (wide - 0.2) / 2, (top + 0.05) / 2),
            wide - 0.2,
            top - 0.05,
            fill="#F3F6FA",
            line=0,
            zorder=0,
            round=0.12,
        )
        label(
            ax, (start + 0.12, 0.2), f"layer {layer}", size=11, weight="bold", color=style.ENCODER
        )
        leave, join = start + 0.2, start + 0.46 * wide
        away, back = start + 0.54 * wide, start + 0.82 * wide
        label(ax, ((leave + join) / 2, top - 0.2), "attention", size=11.5, ha="center")
        label(ax, ((away + back) / 2, top - 0.2), "feed-forward", size=11.5, ha="center")
        for i, j in np.ndindex(one.shape):
            if i != j and one[i, j] >= 0.02:
                _ribbon(ax, (leave, y[j]), (join, y[i]), 9 * one[i, j], word_color(words[j]))
        for row, text in enumerate(words):
            _loop(ax, (away, y[row]), (back, y[row]), word_color(text))
            for x in (join, back):
                _plus(ax, (x, y[row]))
    for row, text in enumerate(words):
        ax.plot(
            [left, right],
            [y[row]] * 2,
            color=word_color(text),
            linewidth=9,
            zorder=2,
            solid_capstyle="butt",
        )
        ax.add_patch(
            Polygon(
                [(right, y[row] + 0.16), (right + 0.24, y[row]), (right, y[row] - 0.16)],
                facecolor=word_color(text),
                edgecolor="none",
                zorder=2,
            )
        )
        word(ax, (left - 0.12, y[row]), text, size=14, ha="right")
    label(
        ax,
        (0.15, top + 0.35),
        "Each word flows straight on; every part only adds to it.",
        size=14,
        weight="bold",
    )
    return figure


def _ribbon(ax: Axes, start: tuple, end: tuple, thick: float, color: str) -> None:
    """From one lane over to another, where it joins."""
    (x, y), (x_end, y_end) = start, end
    half = (x + x_end) / 2
    curve = Path(
        [(x, y), (half, y), (half, y_end), (x_end, y_end)],
        [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
    )
    ax.add_patch(
        PathPatch(
            curve,
            facecolor="none",
            edgecolor=color,
            linewidth=max(thick, 0.8),
            alpha=0.55,
            zorder=1.5,
            capstyle="butt",
        )
    )


def _loop(ax: Axes, start: tuple, end: tuple, color: str) -> None:
    """Out of a lane into a box of its own, and back into the same lane."""
    (x, y), (x_end, _) = start, end
    up, mid = y + 0.36, (x + x_end) / 2
    box(
        ax,
        (mid, up),
        0.4,
        0.26,
        color=color,
        fill=style.PAPER,
        line=2.2,
        zorder=3,
        round=0.07,
    )
    for far, near in ((x, mid - 0.2), (x_end, mid + 0.2)):
        curve = Path([(far, y), (far, up), (near, up)], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
        ax.add_patch(PathPatch(curve, facecolor="none", edgecolor=color, linewidth=2.6, zorder=1.5))


def _plus(ax: Axes, at: tuple[float, float]) -> None:
    ax.add_patch(
        Circle(at, 0.125, facecolor=style.PAPER, edgecolor=style.INK, linewidth=1.3, zorder=4)
    )
    for dx, dy in ((0.07, 0), (0, 0.07)):
        ax.plot(
            [at[0] - dx, at[0] + dx],
            [at[1] - dy, at[1] + dy],
            color=style.INK,
            linewidth=1.5,
            zorder=5,
        )


# --- two stacks side by side ---------------------------------------------------------------------

BOX, SLIM, GAP = 0.36, 0.25, 0.12  # heights of a sub-layer and of its add & norm; between them
ENCODER_PARTS = ("self-attention", "feed-forward")
DECODER_PARTS = ("masked self-attention", "cross-attention", "feed-forward")


def two_stacks(src: Sequence[str], read: Sequence[str], written: str, layers: int = 2) -> Figure:
    """Draw an encoder and a decoder of some layers, bottom up, with each add & norm filled.

    src: the words that the encoder reads; read: what the decoder has read, written: its next word.
    The memory leads from the encoder's end to the cross-attention of every decoder layer.
    """
    tall = len(DECODER_PARTS) * (BOX + SLIM + 2 * GAP) + 0.28
    bottom, pitch = 1.02, tall + 0.24
    figure, ax = canvas(8, bottom + layers * pitch + 1.28)
    columns = ((2.1, style.ENCODER, ENCODER_PARTS, src), (6.2, style.DECODER, DECODER_PARTS, read))
    end, crossings, tops = bottom + layers * pitch - 0.24, [], []
    for x, color, parts, words in columns:
        before = 0.0
        _row_of_words(ax, (x, 0.2), words)
        arrow(ax, (x, 0.36), (x, 0.54))
        _box(ax, (x, 0.68), 2.3, 0.28, "embedding + position", style.MUTED)
        for layer in range(layers):
            low = bottom + layer * pitch
            ax.add_patch(
                FancyBboxPatch(
                    (x - 1.58, low),
                    3.16,
                    tall,
                    boxstyle="round,pad=0,rounding_size=0.1",
                    facecolor=color,
                    alpha=0.08,
                    edgecolor="none",
                    zorder=0,
                )
            )
            side = "right" if color == style.ENCODER else "left"
            at = x + (-1.62 if side == "right" else 1.62), low + tall - 0.15
            label(ax, at, f"layer\n{layer}", size=11, weight="bold", color=color, ha=side, va="top")
            each = (tall - 0.2) / len(parts)
            before = before if layer else low - 0.2
            for number, part in enumerate(parts):
                y = low + 0.16 + each * number + BOX / 2 + (each - BOX - SLIM - 2 * GAP) / 2
                above = y + BOX / 2 + GAP + SLIM / 2
                arrow(ax, (x, before), (x, y - BOX / 2))
                arrow(ax, (x, y + BOX / 2), (x, above - SLIM / 2))
                fork = y - BOX / 2 - 0.07
                out = x + (1.42 if color == style.DECODER else -1.42)
                _bent(ax, [(x, fork), (out, fork), (out, above)], style.MUTED)
                arrow(ax, (out, above), (x + (0.92 if out > x else -0.92), above))
                _box(ax, (x, y), 2.2, BOX, part, color)
                _box(ax, (x, above), 1.84, SLIM, "add & norm", color, filled=True)
                before = above + SLIM / 2
                if part == "cross-attention":
                    crossings.append(y)
        tops.append(before)
    # the memory: up from the encoder's end, over, and into every cross-attention
    (x, color, *_), (far, *_) = columns
    middle = (x + far) / 2
    _bent(
        ax, [(x, tops[0]), (x, end + 0.3), (middle, end + 0.3), (middle, min(crossings))], color, 3
    )
    for y in crossings:
        look(ax, (middle, y), (far - 1.1, y), 0.6, color)
    label(ax, (x, end + 0.5), "memory", size=13, weight="bold", ha="center", color=color)
    x, color = far, style.DECODER
    arrow(ax, (x, tops[1]), (x, end + 0.27))
    _box(ax, (x, end + 0.42), 2.3, 0.3, "linear, softmax", style.MUTED)
    arrow(ax, (x, end + 0.58), (x, end + 0.8))
    word(ax, (x, end + 0.97), written, size=14)
    for (x, color, *_), name in zip(columns, ("encoder", "decoder"), strict=True):
        label(ax, (x, end + 1.32), name, size=15, weight="bold", color=color, ha="center")
    return figure


def _row_of_words(ax: Axes, at: tuple[float, float], words: Sequence[str]) -> None:
    """Words side by side, centered."""
    widths = [0.118 * len(text) + 0.14 for text in words]
    left = at[0] - sum(widths) / 2
    for text, width in zip(words, widths, strict=True):
        word(ax, (left + width / 2, at[1]), text, size=12)
        left += width


def _box(
    ax: Axes,
    at: tuple[float, float],
    width: float,
    height: float,
    text: str,
    color: str,
    filled: bool = False,
) -> None:
    box(
        ax,
        (at[0], at[1]),
        width,
        height,
        color=color,
        fill=color if filled else style.PAPER,
        line=1.5,
        zorder=3,
        round=0.07,
    )
    label(
        ax,
        at,
        text,
        size=10.5 if filled else 11,
        ha="center",
        va="center",
        color=style.PAPER if filled else style.INK,
    )


def _bent(ax: Axes, corners: Sequence[tuple[float, float]], color: str, wide: float = 1.2) -> None:
    ax.add_patch(
        Polygon(
            corners,
            closed=False,
            fill=False,
            edgecolor=color,
            linewidth=wide,
            zorder=1.5,
            joinstyle="round",
        )
    )


# --- neurons -------------------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def neuron_words(neurons: Mapping[str, Mapping[str, float]], label: str) -> Figure:
    """Draw the words to which each neuron says most, a panel each: title -> word -> how much."""
    figure = style.new_figure(8.0, 3.9)
    highest = max(max(words.values()) for words in neurons.values())
    axes = figure.subplots(1, len(neurons), squeeze=False).flat
    for ax, (title, words) in zip(axes, neurons.items(), strict=True):
        ax.barh(
            list(words),
            list(words.values()),
            height=0.72,
            color=[style.WORDS.get(word, style.ENCODER) for word in words],
        )
        ax.invert_yaxis()
        ax.set_xlim(0, highest * 1.05)
        ax.set_title(title, loc="left", fontsize=12)
        ax.set_xlabel(label)
        ax.tick_params(axis="y", length=0, labelsize=12)
        for tick in ax.get_yticklabels():
            tick.set_color(style.WORDS.get(tick.get_text(), style.INK))
            tick.set_weight("bold" if tick.get_text() in style.WORDS else "normal")
    return figure


# --- which numbers share a mean ------------------------------------------------------------------


GROUPS = ("#2774A7", "#E89F2A", "#912E5A", "#4D4D4D", "#CD5A1F", "#86CEEB")  # not a word's color


@mpl.rc_context(style.PRINT)
def norm_groups(groups: Mapping[str, Any], sentences: Sequence[Sequence[str]]) -> Figure:
    """Draw the numbers of a batch as cells, those that are normalized together in one color.

    groups: title -> whole numbers (b, s, d_model), equal for numbers of one group. sentences: the
    words of each sentence of the batch. Raises ValueError where the words don't fit.
    """
    figure = style.new_figure(style.WIDTH, 4.0)
    axes = figure.subplots(1, len(groups), squeeze=False).flat
    for ax, (title, group) in zip(axes, groups.items(), strict=True):
        group = as_array(group).astype(int)
        shape = (len(sentences), len(sentences[0]))
        if group.ndim != 3 or group.shape[:2] != shape:
            raise ValueError(
                f"{title!r}: groups of the shape {shape} and d_model were expected, "
                f"but theirs is {group.shape}"
            )
        names = {number: place for place, number in enumerate(dict.fromkeys(group.flat))}
        y = 0.0
        for sentence, words in enumerate(sentences):
            for place, text in enumerate(words):
                for feature, number in enumerate(group[sentence, place]):
                    color = GROUPS[names[number] % len(GROUPS)]
                    ax.add_patch(
                        Rectangle(
                            (feature, y),
                            1,
                            1,
                            facecolor=color,
                            linewidth=1.5,
                            edgecolor=style.PAPER,
                        )
                    )
                    centered(
                        ax,
                        feature + 0.5,
                        y + 0.5,
                        chr(ord("A") + names[number]),
                        size=11,
                        color=style.ink_on(color),
                    )
                ax.text(
                    -0.2,
                    y + 0.5,
                    text,
                    ha="right",
                    va="center_baseline",
                    fontsize=12,
                    weight="bold",
                    color=word_color(text),
                )
                y += 1
            y += 0.6
        wide = group.shape[2]
        centered(
            ax, wide / 2, y + 0.1, f"{wide} features of each word\none letter: one mean", size=11
        )
        ax.set(xlim=(-1.8, wide + 0.2), ylim=(y + 0.7, -0.1), aspect="equal")
        ax.set_title(f"{title}\n({len(names)} means)", x=(1.8 + wide / 2) / (wide + 2.0))
        ax.axis("off")
    return figure


# --- the residual connection --------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def around_flow(rows: Mapping[str, Sequence[Any]], words: Sequence[str]) -> Figure:
    """Draw vectors that pass a sub-layer, one row for each way -> the figure.

    rows: title, with a formula on a second line -> stations from left to right: (name, matrix
    (s, d)) for vectors, "+" for the sum with the first vectors, any other text for a box. Beside
    each vector stands its size, in its word's color: the root of the mean square. Raises
    ValueError when a matrix doesn't fit the words.
    """
    high, left, right = 2.5, 0.66, 7.95
    figure, ax = canvas(8, high * len(rows) + 0.6)
    for row, (title, stations) in enumerate(rows.items()):
        y = high * (len(rows) - row) - 0.95  # where the vectors stand
        plain, _, formula = title.partition("\n")
        label(ax, (0.1, y + 1.55), plain, size=14, weight="bold")
        label(ax, (0.1, y + 1.29), formula, size=11, color=style.MUTED)
        widths = [_station_width(station) for station in stations]
        gap = (right - left - sum(widths)) / (len(stations) - 1)
        start = left
        for number, (station, width) in enumerate(zip(stations, widths, strict=True)):
            x = start + width / 2
            if number:
                arrow(ax, (start - gap, y), (start, y))
            if station == "+":
                ax.add_patch(
                    Circle(
                        (x, y),
                        width / 2,
                        facecolor=style.PAPER,
                        edgecolor=style.ENCODER,
                        linewidth=1.8,
                    )
                )
                label(ax, (x, y), "+", size=15, ha="center")
                corner, over = left + widths[0] + 0.3 * gap, y + 0.84
                ax.add_patch(
                    Polygon(
                        [(corner, y), (corner, over), (x, over)],
                        closed=False,
                        fill=False,
                        edgecolor=style.INK,
                        linewidth=1.6,
                    )
                )
                arrow(ax, (x, over), (x, y + width / 2))
                label(
                    ax,
                    ((corner + x) / 2, over + 0.16),
                    "x itself, unchanged",
                    size=11.5,
                    ha="center",
                )
            elif isinstance(station, str):
                box(
                    ax,
                    (start + width / 2, y),
                    width,
                    0.54,
                    color=style.ENCODER,
                    fill=style.PAPER,
                    line=1.8,
                    zorder=1,
                )
                label(ax, (x, y), station, size=11.5, ha="center")
            else:
                _vectors(ax, (x, y), width, *station, words, labels=number == 0)
            start += width + gap
    label(ax, (0.1, 0.5), "bold: size of a word's vector (root of its mean square)", size=11.5)
    label(ax, (0.1, 0.2), "f: the attention or the feed-forward network", size=11.5)
    scale(ax, (6.1, 0.2), 1.4, limit=FLOW_LIMIT, name="number in a vector", height=0.12)
    return figure


def _station_width(station: Any) -> float:
    if station == "+":
        return 0.3
    return 0.74 if isinstance(station, str) else 1.08


def _vectors(
    ax: Axes,
    at: tuple[float, float],
    width: float,
    name: str,
    table: Any,
    words: Sequence[str],
    labels: bool,
) -> None:
    """A matrix as a small map around `at`, its name above, beside each row the row's size."""
    table = as_array(table)
    if table.ndim != 2 or len(table) != len(words):
        raise ValueError(
            f"{name!r}: {len(words)} words need vectors of the shape "
            f"({len(words)}, d), but theirs is {table.shape}"
        )
    (x, y), high, wide = at, 0.28 * len(words), width - 0.36
    matrix(ax, (x - width / 2, y - high / 2), wide, high, table, limit=FLOW_LIMIT, line=0.8)
    label(ax, (x - width / 2 + wide / 2, y + high / 2 + 0.15), name, size=11.5, ha="center")
    for row, (size, text) in enumerate(zip(np.sqrt((table**2).mean(axis=1)), words, strict=True)):
        middle = y + high * (0.5 - (row + 0.5) / len(words))
        label(
            ax,
            (x + width / 2 - 0.01, middle),
            f"{steady_round(size, 1):.1f}",
            size=12,
            ha="right",
            weight="bold",
            color=word_color(text),
        )
        if labels:
            word(ax, (x - width / 2 - 0.08, middle), text, size=12, ha="right")


NOTEBOOK = "07_encoder"


# --- the figures ---------------------------------------------------------------------------------


@figure(
    "encoder-who-moves",
    notebook=NOTEBOOK,
    caption="One word is nudged: which outputs move? Feed-forward, self-attention, whole encoder.",
    alt="Three maps over the words of 'the tired animal crosses the wide street'. Feed-forward: "
    "the diagonal and nothing else. Self-attention: cells all over, the strongest in the columns "
    "of the two 'the'. Two whole layers: a strong diagonal, and all other cells faintly filled.",
)
def draw_who_moves() -> Figure:
    from transformer_lib.translator import Translator

    (words,), xs = read_by_encoder([SENTENCE])
    x = without_end(words, xs)[0]
    encoder = Translator.load().model.eval().encoder
    first = encoder.layers[0]
    maps = {
        "feed-forward": moved(first.feed_forward, x),
        "self-attention": moved(lambda x: first.self_attn(x, x, x), x),
        "two whole layers": moved(encoder, x),
    }
    figure = word_maps(
        maps,
        words,
        label="how far it moves (largest = 1)",
        rows="this word's output moves",
        columns="when this word is nudged",
    )
    figure.suptitle("A word reaches the others only through attention", fontsize=14, weight="bold")
    return figure


@figure(
    "encoder-stream-of-words",
    notebook=NOTEBOOK,
    hero=True,
    caption="The residual stream of 'I like trees': each word flows straight on, parts add to it.",
    alt="Four colored lanes, 'I', 'like', 'trees' and <eos>, run straight from left to right "
    "through layer 0 and layer 1. In each layer, under 'attention', ribbons lead from lane to "
    "lane and end in a plus sign; under 'feed-forward', each lane has a small loop of its own that "
    "ends in a plus sign of the same lane.",
)
def draw_stream_of_words() -> Figure:
    return stream_of_words(
        ["I", "like", "trees", "<eos>"],
        [layer["weights"] for layer in what_is_added("I like trees")],
    )


@figure(
    "encoder-neurons",
    title="Neurons that fire for “trees” fire for other plurals, too",
    notebook=NOTEBOOK,
    caption="Two neurons that fire for trees, and the words of 1,000 held-out sentences for which "
    "they fire most.",
    alt="Two panels of bars. Neuron 314 of layer 0: cakes, trees, paths, students, trunks, books, "
    "artists, boats: plurals, all masculine in Spanish. Neuron 11 of layer 1: parents, rabbits, "
    "cousins, ducks, dogs: people and animals in the plural, and, lower, trees.",
)
def draw_neurons() -> Figure:
    return neuron_words(
        {
            "layer 0, neuron 314:\nplurals, masculine in Spanish": excited_by(0, 314, also="trees"),
            "layer 1, neuron 11:\nplurals, most of them alive": excited_by(1, 11, also="trees"),
        },
        "how strongly it fires (mean)",
    )


F, SUM, BOTH = "f(x)", "x + f(x)", "norm(x + f(x))"
UP, DOWN = "signal, on its way up", "gradient, on its way down"


@figure(
    "encoder-deep-stack",
    notebook=NOTEBOOK,
    caption="Signal and gradient through 24 untrained layers: vanishing, exploding, steady.",
    alt="Two panels of three curves over 24 layers, in powers of ten. Signal: with f(x) it falls "
    "to a millionth, with x + f(x) it rises above ten thousand, with norm(x + f(x)) it stays at "
    "1. Gradient, from right to left: f(x) falls to a millionth, x + f(x) rises to ten million, "
    "norm(x + f(x)) stays near 1.",
)
def draw_deep_stack() -> Figure:
    ways = all_ways()
    names = {F: "neither", SUM: "residual only", BOTH: "residual and norm"}
    panels = {
        title: {name: ways[way][key] for name, way in names.items()}
        for title, key in ((UP, "signal"), (DOWN, "gradient"))
    }
    looks = {F: (style.CATEGORIES[2], "--"), SUM: (style.WRONG, ":"), BOTH: (style.RIGHT, "-")}
    places = {
        (UP, F): (11, -5.0),
        (UP, SUM): (13, 3.2),
        (UP, BOTH): (24, 0.25),
        (DOWN, F): (20, -4.4),
        (DOWN, SUM): (17, 2.9),
        (DOWN, BOTH): (11, 0.2),
    }
    figure = depth_curves(panels, powers=list(panels), looks=looks, places=places)
    figure.suptitle(
        "24 layers deep, only the norm keeps the length of the vectors", fontsize=14, weight="bold"
    )
    figure.supxlabel("f: one sub-layer, attention or feed-forward", fontsize=12)
    for ax in figure.axes:
        ax.set_ylim(-7.4, 7.9)  # the same scale for both
    figure.axes[0].set_ylabel("length, 1 where it starts")
    figure.axes[1].set_xlabel("layer (read from right to left)")
    return figure


@figure(
    "encoder-deep-alike",
    title="With depth words become alike; the way around slows it",
    notebook=NOTEBOOK,
    caption="How alike the words become in 24 untrained layers, with four ways to use a sub-layer.",
    alt="Four curves over 24 layers. Without a residual, with and without a norm, the mean cosine "
    "of two words is 1 after two layers; with one it gets there after about ten.",
)
def draw_deep_alike() -> Figure:
    names = {
        F: "neither",
        SUM: "residual only",
        "norm(f(x))": "norm only",
        BOTH: "residual and norm",
    }
    title = "mean cosine of two words"
    curves = {name: all_ways()[way]["alike"] for name, way in names.items()}
    looks = dict(zip(names, zip(style.CATEGORIES, LINES, strict=False), strict=False))
    places = {
        (title, F): (7.5, 0.12),
        (title, "norm(f(x))"): (7.5, 0.24),
        (title, SUM): (13, 0.52),
        (title, BOTH): (13, 0.64),
    }
    return depth_curves({title: curves}, looks=looks, places=places)


@figure(
    "encoder-norm-groups",
    notebook=NOTEBOOK,
    caption="Numbers of one color share a mean: layer norm, one for each word; batch norm, one "
    "for each feature.",
    alt="Two sentences of three words, each word a row of five cells. On the left, layer norm: "
    "each row has its own letter and color, six means. On the right, batch norm: each column has "
    "its own, five means, through both sentences and the padding of the shorter one.",
)
def draw_norm_groups() -> Figure:
    shape = (2, 3, 5)
    groups = {
        "layer norm:\none mean for each word": shares_a_mean(fresh_norm, shape),
        "batch norm:\none for each feature": shares_a_mean(batch_norm, shape),
    }
    return norm_groups(groups, [["I", "like", "trees"], ["thank", "you", "<pad>"]])


@figure(
    "encoder-two-norms",
    notebook=NOTEBOOK,
    caption="Three words pass a sub-layer with its residual sum, in post-norm and in pre-norm.",
    alt="Two rows of small color maps joined by arrows, with three words each and the size of each "
    "word, first 0.5, 1 and 2. Above, post-norm: f and dropout, the sum with x, then the norm; "
    "the output's three words have size 1. Below, pre-norm: the norm comes first and only f "
    "reads it; x itself goes around to the sum, and the output's words keep different sizes. In "
    "what is added, some cells are blank: dropout has set them to 0.",
)
def draw_two_norms() -> Figure:
    return around_flow(
        {
            "post-norm: every word leaves with size 1\nLayerNorm(x + Dropout(f(x)))": flow_stations(
                False
            ),
            "pre-norm: what goes in large, leaves large\n"
            "x + Dropout(f(LayerNorm(x)))": flow_stations(True),
        },
        ["I", "like", "trees"],
    )


@figure(
    "encoder-stream",
    title="In pre-norm the vectors grow from layer to layer",
    notebook=NOTEBOOK,
    caption="The size of the vectors between the layers of 24 untrained layers.",
    alt="Two curves. Post-norm is flat at 1. Pre-norm climbs steadily from 1 to about 5, and the "
    "one norm at the end takes it back to 1.",
)
def draw_stream() -> Figure:
    sizes = {"post-norm": stream(False), "pre-norm": stream(True)}
    title = "size of the vectors"
    places = {(title, "pre-norm"): (15.5, 4), (title, "post-norm"): (15.5, 1.05)}
    return depth_curves({title: sizes}, last="end", places=places)


@figure(
    "encoder-two-layers",
    notebook=NOTEBOOK,
    caption="Two encoder layers and two decoder layers: the memory reaches both decoder layers.",
    alt="Two stacks of boxes, to be read from the bottom up. On the left, the encoder reads 'I "
    "like trees <eos>': two layers of self-attention and feed-forward, each followed by a filled "
    "box 'add & norm' with a line around the sub-layer into it. On the right, the decoder has read "
    "'<bos> me gustan los': two layers of masked self-attention, cross-attention and feed-forward. "
    "From the top of the encoder a thick line, the memory, leads into the cross-attention of both "
    "decoder layers. Above the decoder: linear, softmax, and the word 'árboles'.",
)
def draw_two_layers() -> Figure:
    return two_stacks(["I", "like", "trees", "<eos>"], ["<bos>", "me", "gustan", "los"], "árboles")


@figure(
    "encoder-similarity",
    notebook=NOTEBOOK,
    caption="How alike the words of one sentence are, before and after each layer of our "
    "translator.",
    alt="Three maps of cosines over 'the tired animal crosses the wide street'. Input: the two "
    "'the' are alike, all other pairs only a little. Layer 0: they no longer are. Layer 1: two "
    "faint blocks, 'the tired animal' and 'crosses the wide street', mostly negative values "
    "between.",
)
def draw_similarity() -> Figure:
    (words,), xs = read_by_encoder([SENTENCE])
    xs = without_end(words, xs)
    maps = {title: others(alike(x)) for title, x in zip(titles(xs), xs, strict=True)}
    return word_maps(maps, words, label="cosine", limits=(-1, 1), numbers=True)


@figure(
    "encoder-similarity-random",
    title="Layers that have learned nothing make all words alike",
    notebook=NOTEBOOK,
    caption="The same sentence through six layers that have learned nothing.",
    alt="Seven maps of cosines over 'the tired animal crosses the wide street'. The first, the "
    "input, is faint except for the two 'the'. From layer to layer all cells become stronger; "
    "after layer 5 all of them have nearly the color of 1.",
)
def draw_similarity_random() -> Figure:
    words, xs = random_layers()
    maps = {title: others(alike(x)) for title, x in zip(titles(xs), xs, strict=True)}
    return word_maps(maps, words, label="cosine", limits=(-1, 1), across=4)


@figure(
    "encoder-red",
    notebook=NOTEBOOK,
    caption="The word 'red' before ten nouns: how alike its ten vectors are in each layer.",
    alt="Two maps of ten nouns by ten, the color is the cosine of two vectors of 'red'. Input: one "
    "color, all alike. After layer 1: two strong blocks, the five nouns that are masculine in "
    "Spanish and the five that are feminine, and fainter cells between them; a blank cross parts "
    "the two kinds.",
)
def draw_red() -> Figure:
    genders = ["m"] * 5 + ["f"] * 5
    figure = word_maps(
        {
            "input: all alike": red_things()["input"],
            "after layer 1: two kinds": red_things()["layer 1"],
        },
        [f"{noun}  {gender}" for noun, gender in zip(TEN_NOUNS, genders, strict=True)],
        label="how alike two “red” are (cosine)",
        limits=(0.7, 1.0),
        rows="noun after “red”",
        columns="noun after “red” (m, f: masculine or feminine in Spanish)",
    )
    for ax in figure.axes[:2]:
        ax.axhline(4.5, color=style.PAPER, linewidth=4)
        ax.axvline(4.5, color=style.PAPER, linewidth=4)
    figure.suptitle("“red” takes on the gender of its noun", fontsize=14, weight="bold")
    return figure
