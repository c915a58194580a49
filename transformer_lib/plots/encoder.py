"""Inside the encoder: who reaches whom, what depth does, and the way around a sub-layer."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Polygon, Rectangle
from matplotlib.ticker import FuncFormatter, MultipleLocator

from transformer_lib.plots import style
from transformer_lib.plots.values import as_array, steady_round

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
    """Draw several matrices (L, L) over the same words, side by side on one scale -> the figure.

    maps: title -> matrix; a NaN leaves its cell empty. limits: the ends of the color scale; if it
    begins below 0, colors tell signs apart. label: what the color means; rows, columns: what the
    axes mean. numbers: write them, with one decimal, into the cells.
    Raises ValueError when a matrix doesn't fit the words.
    """
    matrices = {title: as_array(matrix) for title, matrix in maps.items()}
    for title, matrix in matrices.items():
        if matrix.shape != (len(words), len(words)):
            raise ValueError(f"{title!r}: a map of {len(words)} words has as many rows and "
                             f"columns, but this is {matrix.shape}")  # fmt: skip
    across = across or len(matrices)
    down = -(-len(matrices) // across)
    panel = max(2.2, 9.0 / across)
    figure = style.new_figure(panel * across + 1.9, down * (panel + 0.35) + 1.1)
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    ticks = range(len(words))
    for ax, (title, matrix) in zip(grid.flat, matrices.items(), strict=False):
        image = ax.imshow(matrix, cmap=style.SIGNED if limits[0] < 0 else style.WEIGHTS,
                          vmin=limits[0], vmax=limits[1], interpolation="nearest")  # fmt: skip
        ax.set_title(title)
        ax.set_xticks(ticks, words, rotation=90, fontsize=11)
        ax.set_yticks(ticks, words, fontsize=11)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        for (i, j), value in np.ndenumerate(matrix) if numbers else ():
            if np.isfinite(value):
                said = f"{steady_round(value, 1):.1f}".replace("-", "\N{MINUS SIGN}")
                ax.text(j, i, said, ha="center", va="center", fontsize=10,
                        color=style.ink_on(image.cmap(image.norm(value))))  # fmt: skip
    for number, ax in enumerate(grid.flat):
        if number >= len(matrices):
            ax.remove()
        elif number + across >= len(matrices):  # nothing below: the words go here
            ax.tick_params(labelbottom=True)
    figure.supxlabel(columns, fontsize=style.FONT_SIZE)
    figure.supylabel(rows, fontsize=style.FONT_SIZE)
    scale = figure.colorbar(image, ax=list(grid.flat[: len(matrices)]), label=label,
                            shrink=0.7 / down, aspect=18, pad=0.02)  # fmt: skip
    scale.outline.set_visible(False)
    return figure


# --- curves over depth ---------------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def depth_curves(
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    powers: Sequence[str] = (),
    last: str = "",
    legend: str = "",
) -> Figure:
    """Draw a quantity below, between and above the layers of a stack, one panel each -> the figure.

    panels: title -> curve's name -> its values, the first for the input of the stack. powers: the
    titles of panels whose values are drawn as powers of ten. last: the name of the last value's
    place, where it isn't a layer. legend: what the curves differ in.
    Raises ValueError where a power of ten would be drawn of a number that isn't positive.
    """
    figure = style.new_figure(max(6.4, 3.8 * len(panels)), 4.1)
    for ax, (title, curves) in zip(figure.subplots(1, len(panels), squeeze=False).flat,
                                   panels.items(), strict=True):  # fmt: skip
        looks = zip(style.CATEGORIES, LINES, strict=False)
        for (name, values), (color, line) in zip(curves.items(), looks, strict=False):
            values = np.asarray(values, float)
            if title in powers and not (values > 0).all():
                raise ValueError(f"{title!r}: {name} has numbers that aren't positive")
            drawn = np.log10(values) if title in powers else values
            end = len(values) - 1
            places = [*range(end), end + 1.5 if last else end]
            ax.plot(places, drawn, line, color=color, label=name, linewidth=2.4)
        if title in powers:
            ax.yaxis.set_major_locator(MultipleLocator(2))
            ax.yaxis.set_major_formatter(FuncFormatter(_power))
        ax.xaxis.set_major_locator(MultipleLocator(6))
        if last:
            ax.set_xticks([*range(0, end, 6), end + 1.5], [*map(str, range(0, end, 6)), last])
        ax.set_title(title)
        ax.set_xlabel("after layer (0: the input)")
        ax.grid(axis="y")
    handles, names = ax.get_legend_handles_labels()
    figure.legend(handles, names, title=legend or None, loc="outside lower center",
                  ncols=len(names), handlelength=3.2)  # fmt: skip
    return figure


def _power(exponent: float, _: int) -> str:
    return "1" if exponent == 0 else rf"$10^{{{exponent:.0f}}}$"


# --- which numbers share a mean ------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def norm_groups(groups: Mapping[str, Any], sentences: Sequence[Sequence[str]]) -> Figure:
    """Draw the numbers of a batch as cells, those that are normalized together in one color.

    groups: title -> whole numbers (b, L, d_model), equal for numbers of one group. sentences: the
    words of each sentence of the batch. Raises ValueError where the words don't fit.
    """
    figure = style.new_figure(10.4, 4.2)
    axes = figure.subplots(1, len(groups), squeeze=False).flat
    for ax, (title, group) in zip(axes, groups.items(), strict=True):
        group = as_array(group).astype(int)
        shape = (len(sentences), len(sentences[0]))
        if group.ndim != 3 or group.shape[:2] != shape:
            raise ValueError(f"{title!r}: groups of the shape {shape} and d_model were expected, "
                             f"but theirs is {group.shape}")  # fmt: skip
        names = {number: place for place, number in enumerate(dict.fromkeys(group.flat))}
        y = 0.0
        for sentence, words in enumerate(sentences):
            for place, word in enumerate(words):
                for feature, number in enumerate(group[sentence, place]):
                    color = style.CATEGORIES[names[number] % len(style.CATEGORIES)]
                    ax.add_patch(Rectangle((feature, y), 1, 1, facecolor=color, linewidth=1.5,
                                           edgecolor=style.PAPER))  # fmt: skip
                    ax.text(feature + 0.5, y + 0.5, str(names[number] + 1), ha="center",
                            va="center", fontsize=11, color=style.ink_on(color))  # fmt: skip
                ax.text(-0.2, y + 0.5, word, ha="right", va="center", fontsize=11.5)
                y += 1
            y += 0.6
        wide = group.shape[2]
        ax.text(wide / 2, y - 0.1, f"{wide} features of each word", ha="center", va="center",
                fontsize=11.5)  # fmt: skip
        ax.set(xlim=(-2.2, wide + 0.2), ylim=(y + 0.3, -0.1), aspect="equal")
        ax.set_title(f"{title}: {len(names)} means")
        ax.axis("off")
    return figure


# --- the way around a sub-layer ------------------------------------------------------------------


@mpl.rc_context(style.PRINT)
def around_flow(rows: Mapping[str, Sequence[Any]], words: Sequence[str]) -> Figure:
    """Draw vectors on their way around a sub-layer, one row for each way -> the figure.

    rows: title -> stations from left to right: (name, matrix (L, d)) for vectors, "+" for the sum
    with the first vectors, any other text for a box. Under the vectors stands their size, the
    root of the mean square. Raises ValueError when a matrix doesn't fit the words.
    """
    figure = style.new_figure(11.3, 2.55 * len(rows) + 0.3)
    for ax, (title, stations) in zip(
        figure.subplots(len(rows), 1, squeeze=False).flat, rows.items(), strict=True
    ):
        widths = [_station_width(station) for station in stations]
        gaps = (11.0 - 0.8 - sum(widths)) / (len(stations) - 1)
        ax.set(xlim=(0, 11.0), ylim=(-1.05, 1.35), aspect="equal")
        ax.axis("off")
        ax.set_title(title, loc="left")
        left = 0.8
        for number, (station, width) in enumerate(zip(stations, widths, strict=True)):
            x = left + width / 2
            if number:
                _arrow(ax, (left - gaps, 0), (left, 0))
            if station == "+":
                ax.add_patch(Circle((x, 0), width / 2, facecolor=style.PAPER,
                                    edgecolor=style.ENCODER, linewidth=1.8))  # fmt: skip
                ax.text(x, 0, "+", ha="center", va="center", fontsize=15)
                start = 0.8 + widths[0] + 0.3 * gaps
                ax.add_patch(Polygon([(start, 0), (start, 1.0), (x, 1.0)], closed=False, fill=False,
                                     edgecolor=style.INK, linewidth=1.6))  # fmt: skip
                _arrow(ax, (x, 1.0), (x, width / 2))
                ax.text((start + x) / 2, 1.12, "x itself, unchanged", ha="center", va="bottom",
                        fontsize=10.5)  # fmt: skip
            elif isinstance(station, str):
                ax.add_patch(FancyBboxPatch(
                    (left, -0.3), width, 0.6, boxstyle="round,pad=0,rounding_size=0.08",
                    facecolor=style.PAPER, edgecolor=style.ENCODER, linewidth=1.8,
                ))  # fmt: skip
                ax.text(x, 0, station, ha="center", va="center", fontsize=11, linespacing=1.0)
            else:
                _vectors(ax, x, width, *station, words, labels=number == 0)
            left += width + gaps
    return figure


def _station_width(station: Any) -> float:
    if station == "+":
        return 0.36
    return 0.9 if isinstance(station, str) else 1.25


def _vectors(
    ax: Axes, x: float, width: float, name: str, matrix: Any, words: Sequence[str], labels: bool
) -> None:
    """A matrix as a small map around (x, 0), with its name above and its size below."""
    matrix = as_array(matrix)
    if matrix.ndim != 2 or len(matrix) != len(words):
        raise ValueError(f"{name!r}: {len(words)} words need vectors of the shape "
                         f"({len(words)}, d), but theirs is {matrix.shape}")  # fmt: skip
    tall = 0.26 * len(words)
    ax.imshow(matrix, cmap=style.SIGNED, vmin=-FLOW_LIMIT, vmax=FLOW_LIMIT, zorder=3,
              interpolation="nearest", extent=(x - width / 2, x + width / 2, -tall / 2, tall / 2),
              aspect="auto")  # fmt: skip
    ax.text(x, tall / 2 + 0.1, name, ha="center", va="bottom", fontsize=11)
    sizes = np.sqrt((matrix**2).mean(axis=1))
    below = "  ".join(f"{steady_round(size, 1):.1f}" for size in sizes)
    ax.text(x, -tall / 2 - 0.1, f"sizes {below}", ha="center", va="top", fontsize=10)
    for row, word in enumerate(words if labels else ()):
        ax.text(x - width / 2 - 0.08, tall * (0.5 - (row + 0.5) / len(words)), word, ha="right",
                va="center", fontsize=10.5)  # fmt: skip


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    ax.annotate("", xy=end, xytext=start, zorder=2, arrowprops={
        "arrowstyle": "-|>", "color": style.INK, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0,
        "mutation_scale": 11})  # fmt: skip
