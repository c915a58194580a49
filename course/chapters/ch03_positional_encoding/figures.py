"""Where a word stands: position vectors as a heat map, as waves, as clock hands, and compared."""

import functools
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle, Rectangle, Wedge
from matplotlib.patheffects import withStroke

from course import experiments
from course.chapters.journey.figures import sums
from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.arrows import arrow, box, bracket, path
from course.drawing.cells import matrix, scale, strip
from course.drawing.maps import AMOUNTS, color_scale, level_name
from course.drawing.plots import name_lines, shares
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import canvas, heading, label, percent, titled, word
from transformer_lib.checkpoints import load_model
from transformer_lib.files import read_json
from transformer_lib.model.embedding import positional_encoding, tensor2tensor_encoding
from transformer_lib.model.encoder import Encoder
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import batch_indices
from transformer_lib.text.tokens import Vocabulary
from transformer_lib.translator import SHIPPED_MODEL

WIDE = 192  # pixels, of each half of the table in the explorer
TABLE = {"cmap": style.SIGNED, "aspect": "auto", "interpolation": "nearest"}


def _positions_heatmap(encoding: Any, title: str = "") -> Axes:
    """Draw position vectors (length, d_model) with values from -1 to 1 -> the axes.

    Position 0 is the top row, dimension 0 the left column. Zero has no color, blue is
    negative, orange positive. Values beyond -1 and 1 widen the scale on both sides. Raises
    ValueError for another shape.
    """
    table = _table(encoding)
    length, d_model = table.shape
    _, ax = style.panel(min(1.6 + 0.16 * length, 5.0))
    limit = max(1.0, float(abs(table).max()))
    image = ax.imshow(table, vmin=-limit, vmax=limit, **TABLE)
    _name_positions(ax, _every(length, length // 4))
    ax.set_xticks(_every(d_model, d_model // 8))
    ax.set_xlabel("column of the vector")
    ax.spines[:].set_visible(False)
    ax.set_title(title)
    color_scale(image, ax, "number", [-limit, 0, limit])
    return ax


def _sines_over_cosines(encoding: Any, title: str, note: str = "", *, every: int = 1) -> Figure:
    """Draw the even columns of a table (length, d_model), and below them the odd ones.

    Side by side, as they are, a sine near 0 and a cosine near 1 would flicker. every: which pairs
    are drawn, where all of them would be finer than a screen.
    """
    table = _table(encoding)
    length, d_model = table.shape
    figure = style.new_figure(style.WIDTH, 2.6 + 0.14 * length)
    titled(figure, title, note)
    axes = figure.subplots(2, 1, sharex=True)
    for ax, name, first in zip(axes, ("sines", "cosines"), (0, 1), strict=True):
        image = ax.imshow(table[:, first :: 2 * every], vmin=-1, vmax=1, **TABLE)
        ax.set_title(name, fontsize=style.LABEL)
        _name_positions(ax, _every(length, length // 2))
        _framed(ax)
    drawn = len(table[0, :: 2 * every])
    columns = {i: 2 * every * i for i in _every(drawn, drawn // 4)}
    axes[1].set_xticks([*columns], [f"{first}, {first + 1}" for first in columns.values()])
    axes[1].set_xlabel("columns of the vector, a sine above its cosine")
    _name_waves(axes[1])
    color_scale(image, axes, "number")
    return figure


def _square_cells(encoding: Any, title: str, pairs: int, waves: Sequence[int]) -> Figure:
    """Draw the first `pairs` sines of a table (length, d_model), and beside them their cosines.

    waves: the pairs over which the wave is drawn that they are taken from.
    """
    table = _table(encoding)
    length, d_model = table.shape
    cell, low, rest = 3.25 / pairs, 0.78, 2 * pairs
    high = low + cell * length
    figure, ax = canvas(style.WIDTH, high + 1.9)
    note = f"Each row is the vector of a position. Columns {rest} to {d_model - 1} hardly change"
    heading(ax, title, note)
    for left, first, name in ((0.78, 0, "sines"), (4.53, 1, "cosines")):
        label(ax, (left, high + 0.98), name, size=style.LABEL, weight="bold")
        matrix(ax, (left, low), cell * pairs, cell * length, table[:, first:rest:2], limit=1)
        label(ax, (left + cell * pairs + 0.04, (low + high) / 2), "…", color=style.MUTED)
        for pair in _every(pairs, 5):
            x = left + cell * (pair + 0.5)
            label(ax, (x, low - 0.15), str(2 * pair + first), ha="center")
        label(ax, (left + cell * pairs / 2, low - 0.38), "column of the vector", ha="center")
        for number, pair in enumerate(waves):
            start, y = left + 1.21 * number, high + 0.5
            speed, way = wavelengths(table)[pair], (math.sin, math.cos)[first]
            curve = [(at, way(2 * math.pi * at / speed)) for at in np.linspace(0, length - 1, 181)]
            points = [(start + 0.092 * at, y + 0.2 * value) for at, value in curve]
            ax.plot(*zip(*points, strict=True), color=style.SOFT, linewidth=1.4, zorder=2)
            for at, value in enumerate(table[:, 2 * pair + first]):
                look = {"color": style.SIGNED((value + 1) / 2), "mec": style.MUTED, "mew": 0.5}
                ax.plot(start + 0.092 * at, y + 0.2 * value, "o", markersize=5, **look)
            x = left + cell * (pair + 0.5)
            path(ax, [(start + 0.41, y - 0.27), (x, high + 0.03)], style.SOFT)
    for row in _every(length, length // 2):
        said = str(row) if row else "position 0"
        label(ax, (0.7, high - cell * (row + 0.5)), said, ha="right")
    scale(ax, (6.5, 0.12), 1.0, limit=1)
    label(ax, (6.2, 0.165), "number", ha="right")
    return figure


def _name_positions(ax: Axes, marks: Sequence[int]) -> None:
    """Name the rows of a map of positions at its left, the first of them in full."""
    ax.set_yticks(marks, [str(mark) if mark else "position 0" for mark in marks])


def _name_waves(ax: Axes, right: float = 1) -> None:
    """Write under a map of positions where its waves are fast, and where slow."""
    for x, said, side in ((0, "fast waves", "left"), (right, "slow waves", "right")):
        look = {"xycoords": "axes fraction", "textcoords": "offset points", "size": style.NOTE}
        ax.annotate(said, (x, 0), (0, -22), ha=side, va="top", color=style.MUTED, **look)


def _framed(ax: Axes) -> None:
    """A thin frame: on paper, cells near 0 end without one."""
    ax.spines[:].set(visible=True, color=style.SOFT, linewidth=0.8)
    ax.tick_params(length=0)


def _positions_table(encoding: Any, row: int) -> Figure:
    """Draw a whole table (length, d_model), its sines beside its cosines, and enlarged two rows.

    row: the first of the two, which are neighbors; their first half is enlarged.
    """
    table = _table(encoding)
    far = table.shape[1] // 4
    figure = style.new_figure(style.WIDTH, 5.6)
    note = "Enlarged: two neighbors. They differ where the waves are fast"
    titled(figure, "Each row is one position; no two rows are alike", note)
    panels = figure.subplots(2, 2, height_ratios=(10, 2.2), sharey="row")
    rim = {"path_effects": [withStroke(linewidth=2.6, foreground=style.PAPER)], "zorder": 3}
    for (ax, two), name, first in zip(panels.T, ("sines", "cosines"), (0, 1), strict=True):
        half = table[:, first::2]
        image = ax.imshow(half, vmin=-1, vmax=1, **TABLE)
        two.imshow(half[row : row + 2, :far], vmin=-1, vmax=1, **TABLE)
        ax.set_title(f"{name}: columns {first}, {first + 2}, {first + 4}, …", fontsize=style.LABEL)
        ax.add_patch(Rectangle((-0.5, row - 0.5), far, 2, fill=False, linewidth=1.2, **rim))
        link = {"arrowstyle": "-", "linewidth": 1, "shrinkA": 0, "shrinkB": 0, **rim}
        ends = {"xycoords": two.transAxes, "textcoords": ax.transData, "arrowprops": link}
        ax.annotate("", (1, 1), (far - 0.5, row + 1.5), **ends)
        two.axhline(0.5, color=style.PAPER, linewidth=3)
        for panel, columns in ((ax, 2 * far), (two, far)):
            ticks = _every(columns, columns // 4)
            panel.set_xticks(ticks, [2 * tick + first for tick in ticks])
            _framed(panel)
        _name_waves(ax, 0.9)  # left of the line
    _name_positions(panels[0, 0], _every(len(table), 20))
    panels[1, 0].set_yticks([0, 1], [f"position {row}", str(row + 1)])
    color_scale(image, list(panels[:, 1]), "number")
    return figure


def _positions_curves(encoding: Any, pairs: Sequence[int]) -> Figure:
    """Draw pairs of columns 2i and 2i+1 of a table (length, d_model), one panel for each i."""
    table = _table(encoding)
    figure = style.new_figure(style.WIDTH, 0.9 + 1.2 * len(pairs))
    panels = figure.subplots(len(pairs), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for ax, i, wave in zip(panels, pairs, wavelengths(table)[list(pairs)], strict=True):
        along = np.linspace(0, len(table) - 1, 1000)  # between the positions, for the eye
        for column, color, function in ((2 * i, style.ACCENT, np.sin), (2 * i + 1, SOFT, np.cos)):
            name = {np.sin: "sine", np.cos: "cosine"}[function]
            ax.plot(table[:, column], "o", color=color, markersize=3, label=name, clip_on=False)
            ax.plot(along, function(2 * math.pi * along / wave), color=color, linewidth=1)
        turn = f"{wave:,.{1 if wave < 100 else 0}f}"
        ax.set_title(f"pair i = {i}: one wave in {turn} positions", loc="left", fontsize=11)
        ax.set_yticks([-1, 0, 1])
        if 1.25 * wave < len(table):  # from a crest of the sine to the next one
            bracket(ax, (wave / 4, 1.5), (1.25 * wave, 1.5), "", style.ACCENT)
    panels[-1].set(xlabel="position of the word", xlim=(0, len(table) - 1), ylim=(-1.15, 1.7))
    name_lines(panels[-1])
    return figure


SOFT = style.SOFT


def wavelengths(encoding: Any) -> np.ndarray:
    """Read from a table with sine and cosine side by side: positions in one wave of each pair.

    Between positions 0 and 1 the hand of a pair turns by a part of the circle; the whole circle
    takes as many positions as that part fits into it.
    """
    first_step = _table(encoding)[1]
    return 2 * math.pi / np.arctan2(first_step[0::2], first_step[1::2])


def _positions_frequencies(
    small: Mapping[str, np.ndarray], large: Mapping[str, np.ndarray]
) -> Figure:
    """Draw the longest wave of two encodings, for few pairs and, smaller, for many -> the figure.

    small, large: for each of the two encodings, by name, the wavelength of each pair.
    """
    figure = style.new_figure(style.WIDTH, 4.9)
    title = "The longest wave of the authors’ code is longer than the paper’s"
    titled(figure, title, "The last sine of the vector, over the positions of a very long text")
    panels = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    last = max(waves[-1] for waves in small.values())
    along = np.linspace(0, last, 2000)
    for ax, waves in zip(panels, (small, large), strict=True):
        for (name, its), color in zip(waves.items(), (style.MUTED, style.ACCENT), strict=True):
            look = {"color": color, "linewidth": 2.8 if color == style.ACCENT else 1.8}
            ax.plot(along, np.sin(2 * math.pi * along / its[-1]), label=name, **look)
        low, high = (its[-1] for its in waves.values())
        times, numbers = high / low, 2 * len(waves[name])
        longer = f"{times:.0f} × as long" if times > 2 else f"only {100 * (times - 1):.1f} % longer"
        said = f"vectors of {numbers} numbers: the wave of the authors’ code is {longer}"
        ax.set_title(said, fontsize=style.LABEL)
        ax.set(xlim=(0, last), ylim=(-1.15, 1.15), yticks=[-1, 0, 1])
        if times > 2:
            ax.set_ylim(-1.7, 1.8)
            bracket(ax, (low / 4, 1.35), (1.25 * low, 1.35), "", style.MUTED)
            look = {"va": "center", "weight": "bold"}
            said = f"the {next(iter(waves))}: one wave in {low:,.0f} positions"
            ax.text(1.35 * low, 1.35, said, color=style.MUTED, **look)
            said = f"{name}, the authors’ code: one wave in {high:,.0f} positions"
            ax.text(high, -1.4, said, color=style.ACCENT, ha="right", **look)
    panels[-1].xaxis.set_major_formatter("{x:,.0f}")
    panels[-1].set_xlabel("position")
    return figure


def _clock_table(words: Sequence[str], encoding: Any, pairs: Mapping[int, str]) -> Figure:
    """Draw each position as a column of clocks, one for each pair of columns -> the figure.

    words: what stands at positions 0, 1, 2 ...; encoding (length, d_model). pairs: which pairs of
    columns, from top to bottom, and what to call each. The sine of a pair is how far its hand
    points to the right, the cosine how far up.
    """
    table, radius, step = _table(encoding), 0.29, 0.78
    figure, ax = canvas(8, 1.15 + step * len(pairs))
    heading(ax, "Every position is a setting of clocks")
    across = [2.1 + 0.77 * position for position in range(len(words))]
    for row, (i, name) in enumerate(pairs.items()):
        y = step * (len(pairs) - row) - 0.02 + 0.24
        label(ax, (1.62, y), name, size=style.LABEL, ha="right")
        for x, (right, up) in zip(across, table[:, 2 * i : 2 * i + 2], strict=False):
            turned = math.degrees(math.atan2(right, up)) % 360
            ax.add_patch(Wedge((x, y), radius, 90 - turned, 90, facecolor=TURNED))
            ax.add_patch(Circle((x, y), radius, fill=False, edgecolor=style.SOFT, linewidth=1.2))
            tip = x + 0.92 * radius * right, y + 0.92 * radius * up
            path(ax, [(x, y), tip], style.ACCENT, thick=2.6, head=False)
    for position, (x, text) in enumerate(zip(across, words, strict=True)):
        word(ax, (x, 0.42), text, size=12)
        label(ax, (x, 0.12), str(position), ha="center", color=style.MUTED)
    label(ax, (1.62, 0.12), "position", ha="right", color=style.MUTED)
    return figure


TURNED = style.tint(style.ACCENT)


def _positions_clocks(
    encoding: Any, pairs: Sequence[int], start: int, other: int, step: int
) -> Figure:
    """Draw pairs of columns as clocks, whose hand goes on by `step` from two positions.

    The sine of a pair is how far its hand points to the right, the cosine how far up: position 0
    points up, and the hand turns clockwise.
    """
    table = _table(encoding)
    figure = style.new_figure(style.WIDTH, 3.6)
    same = f"{other} to {other + step}"
    note = f"From position {start} to {start + step} (dotted) a hand turns as far as from {same}"
    titled(figure, "The step from one word to another is an angle, wherever they are", note)
    for ax, i in zip(figure.subplots(1, len(pairs)), pairs, strict=True):
        ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor=style.SOFT, linewidth=1.2))
        for begin, color, radius in ((start, style.ACCENT, 0.55), (other, style.MUTED, 0.75)):
            ends = table[[begin, begin + step], 2 * i : 2 * i + 2]
            for (x, y), position, line in zip(ends, (begin, begin + step), "-:", strict=True):
                ax.plot([0, x], [0, y], line, color=color, label=f"_{position}")
                ax.plot(x, y, "o", color=color, markersize=7, label=f"position {position}")
                look = {"ha": "center", "weight": "bold", "color": color}
                label(ax, (1.17 * x, 1.17 * y), str(position), size=style.LABEL, **look)
            last, first = np.degrees(np.arctan2(ends[:, 1], ends[:, 0]))[::-1]
            size = {"width": 2 * radius, "height": 2 * radius, "theta1": last, "theta2": first}
            ax.add_patch(Arc((0, 0), **size, color=color, linewidth=4, alpha=0.4))
        turn = math.degrees(step * 2 * math.pi / wavelengths(table)[i])
        ax.set_title(f"numbers {2 * i} and {2 * i + 1}:\n{turn:.0f}° further", fontsize=11)
        ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal")
        ax.axis("off")
    return figure


def _positions_similarity(encoding: Any, narrow: Any) -> Figure:
    """Draw dot products of position vectors, each divided by d_model/2, their square length.

    Left: all pairs of positions of `encoding`. Right: position 0 with all, by their distance; the
    axis has the colors of the map. Small in its corner, the same for `narrow`, of fewer columns.
    """
    table, narrow = _table(encoding), _table(narrow)
    figure = style.new_figure(style.WIDTH, 4.5)
    note = "Dot product of two position vectors; at 1 they are equal"
    titled(figure, "How alike two positions are depends on their distance only", note)
    figure.get_layout_engine().set(wspace=0.1)
    left, right = figure.subplots(1, 2)
    products, end = table @ table.T / (table.shape[1] / 2), len(table) - 1
    look = {"cmap": AMOUNTS, "vmin": 0.5, "vmax": 1, "aspect": "auto"}
    left.imshow(products, interpolation="nearest", **look)
    marks, far = _every(len(table), len(table) // 4), len(table) // 4
    left.set(xlabel="one position", xticks=marks, yticks=marks)
    level_name(left, "another position")
    alike = products[0, far]
    left.plot([far, end], [0, end - far], color=style.INK, linewidth=1.6)
    left.text(end - 1.5, 4, f"distance {far}:\nalways {alike:.2f}", ha="right", va="center")
    right.plot(products[0], color=style.ACCENT, linewidth=2.8, label="dot product", clip_on=False)
    ramp = right.inset_axes((-0.05, 0, 0.05, 1 / 1.02))
    ramp.imshow(np.linspace(1, 0.5, 65)[:, None], **look)
    ramp.axis("off")
    right.set(ylim=(0.5, 1.01), xlim=(0, end), xticks=marks, yticks=[0.5, 0.75, 1])
    right.tick_params(axis="y", pad=17, length=0)
    right.set_xlabel("distance between the two positions")
    right.plot(far, alike, "o", color=style.INK, markersize=8)
    row = len(table) * (1.01 - alike) / 0.51 - 0.5  # as high on the map
    link = {"arrowstyle": "-", "color": style.INK, "linewidth": 1, "linestyle": (0, (3, 2))}
    ends = {"xytext": (row + far, row), "xycoords": right.transData, "textcoords": left.transData}
    right.annotate("", (far, alike), arrowprops={**link, "shrinkA": 0, "shrinkB": 0}, **ends)
    right.annotate(f"distance {far}: {alike:.2f}", (far, alike), (4, 10), **POINTS)
    small = right.inset_axes((0.26, 0.66, 0.72, 0.2))
    few = (narrow @ narrow.T / (narrow.shape[1] / 2))[0]
    small.plot(few, color=style.SOFT, linewidth=1.6)
    back = 3 + int(few[3:].argmax())
    small.plot(back, few[back], "o", color=style.MUTED, markersize=5)
    said = {"size": style.NOTE, "color": style.MUTED, **POINTS}
    small.annotate(f"distance {back}: {few[back]:.2f}", (back, few[back]), (8, 1), **said)
    small.set(xlim=(0, end), ylim=(0, 1.1))
    small.axis("off")
    text = f"with vectors of {narrow.shape[1]} numbers it swings"
    label(small, (0, 1.45), text, color=style.MUTED)
    text = f"vectors of {table.shape[1]} numbers"
    right.text(end, 0.645, text, color=style.ACCENT, ha="right", weight="bold")
    return figure


POINTS = {"textcoords": "offset points"}


def _input_vectors(words: Sequence[str], vectors: Any, positions: Any, title: str) -> Figure:
    """Draw what goes into the encoder: for each word its vector + its position's -> the figure.

    words: the tokens; vectors (tokens, d_model), their word vectors; positions (tokens, d_model).
    On the left stand both stacks, small, with the bottom of the encoder filled; on the right that
    bottom, enlarged.
    """
    (meanings, places), shown = _first_numbers(vectors, positions, shown=4), 4
    figure, ax = canvas(8, 4.55)
    heading(ax, title, f"The first {shown} of {_table(vectors).shape[1]} numbers of each vector")
    _two_stacks(ax)
    left, wide = 2.75, 0.345 * shown
    step = (8 - left - 0.02) / len(words)
    rows = (
        ("word", 0.75, meanings),
        ("+ position", 1.5, places),
        ("= sum", 2.3, meanings + places),
    )
    for name, y, table in rows:
        weight = "bold" if name == "= sum" else "normal"
        label(ax, (left - 0.12, y + 0.17), name, ha="right", weight=weight)
        for number, (text, numbers) in enumerate(zip(words, table, strict=True)):
            x, own = left + number * step, style.WORDS.get(text, style.INK)
            mark = {"edge": own, "line": 2} if name == "= sum" else {}
            strip(ax, (x, y), wide, 0.34, numbers, limit=3, decimals=1, **mark)
            label(ax, (x + wide + 0.04, y + 0.22), "…")
            if name == "word":
                word(ax, (x + wide / 2, 0.2), text, size=12)
                arrow(ax, (x + wide / 2, 0.4), (x + wide / 2, 0.72))
                arrow(ax, (x + wide / 2, 2.67), (x + wide / 2, 3.15))
            elif name == "+ position":
                label(ax, (x + wide / 2, y + 0.5), f"position {number}", ha="center")
    long, side = (len(words) - 1) * step + wide, "encoder"
    _layer(ax, (left + long / 2, 3.4), long, 0.42, f"{side} layer 0", side, weight="bold")
    return figure


def _first_numbers(*tables: Any, shown: int) -> list[np.ndarray]:
    """Of each row the first numbers, rounded before they are added: what one reads is the sum."""
    rounded = np.vectorize(functools.partial(steady_round, decimals=1))
    return [rounded(_table(table)[:, :shown]) for table in tables]


def _shared_positions(sides: Mapping[str, tuple], positions: Any, title: str) -> Figure:
    """Draw one row of position vectors, added to the words of both sides -> the figure.

    sides: for "decoder" and "encoder" the tokens and their word vectors (tokens, d_model), at most
    as many as there are positions (length, d_model). The decoder is above, the encoder below.
    """
    shown, left, step, wide, high, middle = 2, 2.15, 1.19, 0.69, 0.32, 2.2
    (places,) = _first_numbers(positions, shown=shown)
    figure, ax = canvas(8, 5.1)
    heading(ax, title, f"The first {shown} of {_table(positions).shape[1]} numbers of each vector")

    def row(name: str, y: float, table: Any, color: str = style.INK, **look: Any) -> None:
        label(ax, (0.1, y), name, size=style.LABEL, color=color, weight="bold" if look else None)
        for number, numbers in enumerate(table):
            x = left + step * number
            strip(ax, (x, y - high / 2), wide, high, numbers, limit=3, decimals=1, **look)
            label(ax, (x + wide + 0.05, y + 0.05), "…")

    box(ax, (4, middle), 7.96, 0.56, fill=style.GROUND, line=0)
    row("position", middle, places, style.ACCENT, edge=style.ACCENT, line=1.6)
    for number in range(len(places)):
        at = left + step * number - 0.08, middle
        label(ax, at, str(number), size=style.LABEL, ha="right", color=style.ACCENT, weight="bold")
    for (side, (words, vectors)), way in zip(sides.items(), (1, -1), strict=True):
        color = {"encoder": style.ENCODER, "decoder": style.DECODER}[side]
        (meanings,), near, far = _first_numbers(vectors, shown=shown), 0.8 * way, 1.5 * way
        sums_of = meanings + places[: len(words)]
        row(f"sum, into the {side}", middle + near, sums_of, color, edge=color, line=1.6)
        row(f"word of the {side}", middle + far, meanings)
        for number, text in enumerate(words):
            x, half = left + step * number + wide / 2, way * (high / 2 + 0.03)
            arrow(ax, (x, middle + half), (x, middle + near - half), style.ACCENT, thick=2.4)
            arrow(ax, (x, middle + far - half), (x, middle + near + half))
            word(ax, (x, middle + far + 0.38 * way), text, size=12)
    return figure


def _layer(
    ax: Axes, at: tuple, width: float, height: float, text: str, side: str, filled=False, **look
) -> None:
    color = {"encoder": style.ENCODER, "decoder": style.DECODER}[side]
    fill = color if filled else style.PAPER
    box(ax, at, width, height, text, color, fill=fill, line=1.8, **look)


def _two_stacks(ax: Axes) -> None:
    """Encoder and decoder as two small towers; the bottom of the encoder is filled."""
    for name, x, words in (
        ("encoder", 0.45, "I like\ntrees"),
        ("decoder", 1.4, "<bos> me\ngustan…"),
    ):
        label(ax, (x, 0.2), words, ha="center", style="italic")
        floors = [
            ("word +\nposition", 0.95, 0.5, name == "encoder"),
            (f"{name}\nlayers", 2.02, 1.25, False),
        ]
        floors += [("word\nscores", 3.2, 0.48, False)] if name == "decoder" else []
        below = 0.4
        for text, y, height, full in floors:
            arrow(ax, (x, below), (x, y - height / 2))
            _layer(ax, (x, y), 0.78, height, text, name, full, size=style.NOTE)
            below = y + height / 2
    path(ax, [(0.45, 2.65), (0.45, 2.8), (0.92, 2.8), (0.92, 2.02), (1.01, 2.02)])


def _rows_in_pairs(
    words: Sequence[str], orders: tuple[str, str], panels: Mapping[str, tuple], title: str = ""
) -> Figure:
    """Draw the vectors of the same words in two orders, the two rows of each word side by side.

    words: s labels. orders: what to call the two orders. panels: for each title two tables
    (s, numbers), the rows of both in the order of `words`.
    """
    left, high, step = 2.05, 0.25, 0.78
    figure, ax = canvas(8, step * len(words) + 1.3)
    heading(ax, title, "The output vector of each word, in two orders of the sentence")
    wide = (8 - left - 0.4 * (len(panels) - 1) - 0.02) / len(panels)
    for column, (name, tables) in enumerate(panels.items()):
        x, same = left + column * (wide + 0.4), np.allclose(*map(_table, tables), atol=1e-4)
        how = f"{name}: {'the same' if same else 'different'} in each order"
        label(ax, (x, step * len(words) + 0.46), how, size=style.LABEL, weight="bold")
        for row, text in enumerate(words):
            y = step * (len(words) - row) - 0.06
            for order, table in enumerate(tables):
                at = (x, y - order * (high + 0.02))
                strip(ax, at, wide, high, _table(table)[row], limit=2)
                if not column:
                    label(ax, (left - 0.1, at[1] + high / 2), f"in “{orders[order]}”", ha="right")
            if not column:
                word(ax, (0.1, y), text, ha="left")
    scale(ax, (8 - 1.2, 0.14), 0.8, limit=2)
    label(ax, (8 - 1.55, 0.185), "number", ha="right")
    return figure


KINDS = {  # the name in the picture, where it stands beside its point, and its color
    "paper": ("computed as in the paper", (36, 0), style.ACCENT),
    "tensor2tensor": ("computed as in the authors’ code", (12, 4), style.MUTED),
    "learned": ("learned", (-15, 10), style.INK),
    "none": ("without positions", (0, 0), style.SOFT),
}


def _lengths_copied(
    results: Sequence[Mapping[str, Any]], trained_to: int, measure: str = "exact"
) -> Axes:
    """Draw how many rows are copied right against their length, for each kind of positions.

    results: {"kind", "seed", "length", measure}. The line is the mean of the seeds; at the first
    length that no training had, each seed is a mark, and the mean a number.
    """
    ax = style.new_figure(style.WIDTH, 3.9).subplots()
    near = range(trained_to - 2, trained_to + 6)
    lengths = sorted({row["length"] for row in results if row["length"] in near})
    ax.axvspan(trained_to + 0.5, max(lengths) + 0.3, color=style.GROUND, zorder=0)
    for x, text, side in ((0.42, "as long as in training", "right"), (0.58, "longer", "left")):
        ax.text(trained_to + x, 1.12, text, ha=side, va="center", color=style.MUTED)
    for order, (kind, (name, shift, color)) in enumerate(reversed(KINDS.items())):
        groups = {
            n: [row[measure] for row in results if (row["kind"], row["length"]) == (kind, n)]
            for n in lengths
        }
        means, new = {n: np.mean(group) for n, group in groups.items()}, trained_to + 1
        look = {"color": color, "linewidth": 3, "zorder": 2 + order, "clip_on": False}
        ax.plot(lengths, list(means.values()), label=name, **look)
        if kind == "none":
            ax.text(lengths[0], 0.05, name, color=style.MUTED)
            continue
        ax.scatter([new] * len(groups[new]), groups[new], **{**look, "linewidth": 0}, s=36)
        side = {"ha": "left" if shift[0] > 0 else "right", "va": "center", "weight": "bold"}
        said = f"{name}: {percent(means[new]) if means[new] else '0 %'}"
        ax.annotate(said, (new, means[new]), shift, textcoords="offset points", color=color, **side)
    ax.set(xlabel="digits in the row", xticks=lengths, ylim=(-0.05, 1.18))
    ax.set_xlim(min(lengths) - 0.15, max(lengths) + 0.3)
    shares(ax.yaxis)
    level_name(ax, f"rows copied without a mistake, mean of the runs (dots at {new}: each run)")
    return ax


def _padding_picture(batches: Mapping[str, Sequence[int]]) -> Figure:
    """Draw batches as tables, a row for each sentence: words grey, padding in the accent.

    batches: for each title the lengths of its sentences. Beside it stands the share of padding.
    """
    figure = style.new_figure(style.WIDTH, 3.6)
    longest = max(max(lengths) for lengths in batches.values())
    colors = ListedColormap([style.ACCENT, style.RULE])
    for ax, (title, lengths) in zip(figure.subplots(1, len(batches)), batches.items(), strict=True):
        width = max(lengths)
        is_word = np.arange(width) < np.asarray(lengths)[:, None]
        ax.pcolormesh(range(width + 1), range(len(lengths) + 1), 1.0 * is_word, cmap=colors)
        share = f"{100 * (1 - is_word.mean()):.0f} % of the batch is padding"
        ax.set_title(f"{title}:\n{share}", fontsize=style.LABEL)
        ax.set(xlabel=f"{len(lengths)} sentences, each a row of words")
        ax.set(xlim=(0, longest), ylim=(len(lengths), 0), xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
    figure.get_layout_engine().set(wspace=0.08)
    for x, said, color in ((0.02, "words", style.RULE), (0.985, "padding", style.ACCENT)):
        look = {"ha": "left" if x < 0.5 else "right", "va": "center", "weight": "bold"}
        ground = {"facecolor": color, "linewidth": 0, "pad": 3}
        place = figure.axes[0].transAxes
        figure.axes[0].text(
            x, 0.5, said, transform=place, color=style.ink_on(color), bbox=ground, **look
        )
    return figure


def _positions_explorer() -> Any:
    """An Altair chart with sliders for d_model, the base and a position: all of it is computed in
    the chart, so that it works without Python and without a network.

    Left: the table of the paper's formula for 64 positions, its sines beside its cosines. Right:
    how similar each position is to the chosen one.
    """

    def slider(name: str, label: str, value: float, low: float, high: float, step: float) -> Any:
        bind = alt.binding_range(min=low, max=high, step=step, name=label)
        return alt.param(name=name, value=value, bind=bind)

    def part(text: Any) -> Any:
        return alt.Title(text, fontSize=style.PART, frame="group", offset=10)

    length, widest, height = 64, 64, 320
    d_model = slider("d_model", "d_model ", 32, 4, widest, 4)
    exponent = slider("exponent", "base = 10 to the power of ", 4, 0.5, 5, 0.5)
    chosen = slider("chosen", "position ", 20, 0, length - 1, 1)
    cells = alt.Data(sequence=alt.SequenceParams(start=0, stop=length * widest, **{"as": "cell"}))
    table = (
        alt.Chart(cells)
        .transform_calculate(
            position=f"floor(datum.cell / {widest})", dimension=f"datum.cell % {widest}"
        )
        .transform_filter("datum.dimension < d_model")
        .transform_calculate(rate="pow(10, -exponent * 2 * floor(datum.dimension / 2) / d_model)")
        .transform_calculate(
            value="datum.dimension % 2 == 0 ? sin(datum.position * datum.rate)"
            " : cos(datum.position * datum.rate)",
            part="cos((datum.position - chosen) * datum.rate) / d_model",
        )
    )
    shade = alt.Color(
        "value:Q",
        title="number",
        legend=alt.Legend(
            orient="bottom", offset=8, gradientLength=WIDE, gradientThickness=12, values=[-1, 0, 1]
        ),
        scale=alt.Scale(domain=[-1, 1], range=list(style.SIGNED_COLORS), interpolate="rgb"),
    )
    # labels that don't touch each other
    every = "d_model <= 8 ? 1 : d_model <= 16 ? 2 : d_model <= 32 ? 4 : 8"
    across = alt.X(
        "dimension:O",
        title="column",
        axis=alt.Axis(
            labelAngle=0,
            labelOverlap=False,
            ticks=False,
            labelExpr=f"floor(datum.value / 2) % ({every}) == 0 ? datum.value : ''",
        ),
    )
    down = alt.Y(
        "position:O",
        title=None,
        axis=alt.Axis(domain=False, ticks=False, labelPadding=7, values=list(range(8, length, 8))),
    )
    tips = [
        alt.Tooltip("position:Q"),
        alt.Tooltip("dimension:Q"),
        alt.Tooltip("value:Q", format=".2f"),
    ]
    here = alt.condition("datum.position == chosen", alt.value(style.ACCENT), alt.value(style.SOFT))

    def half(name: str, odd: int, down: Any) -> Any:
        """The columns of one kind, the chosen position framed."""
        heat = table.transform_filter(f"datum.dimension % 2 == {odd}").mark_rect()
        row = alt.Chart(alt.Data(values=[{}])).transform_calculate(position="chosen")
        frame = row.mark_rect(filled=False, stroke=style.ACCENT, strokeWidth=2)
        layers = heat.encode(across, down, shade, tooltip=tips) + frame.encode(
            x=alt.value(0), x2=alt.value(WIDE), y=down
        )
        view = alt.ViewBackground(stroke=style.SOFT)  # sines near 0 end without color
        return layers.properties(width=WIDE, height=height, title=part(name), view=view)

    similar = (
        table.transform_aggregate(similarity="sum(part)", groupby=["position"])
        .mark_bar()
        .encode(
            alt.X(
                "similarity:Q",
                title="dot product",
                axis=alt.Axis(values=[-1, -0.5, 0, 0.5, 1]),
                scale=alt.Scale(domainMax=1),
            ),
            alt.Y("position:O", title=None, axis=None),
            color=here,
            tooltip=[alt.Tooltip("position:Q"), alt.Tooltip("similarity:Q", format=".2f")],
        )
    )
    whole = alt.hconcat(
        half("each position’s sines", 0, down),
        half("each position’s cosines", 1, alt.Y("position:O", title=None, axis=None)),
        similar.properties(
            width=150, height=height, title=part(alt.expr("'how like position ' + chosen"))
        ),
        spacing=24,
    )
    return whole.add_params(d_model, chosen, exponent)


def _table(vectors: Any) -> np.ndarray:
    table = as_array(vectors)
    if table.ndim != 2 or 0 in table.shape:
        wanted = "position vectors should have the shape (length, d_model)"
        raise ValueError(f"{wanted}, but theirs is {table.shape}")
    return table


def _every(count: int, step: int) -> list[int]:
    """0, step, 2 step, ... and the last one, where there is room for it."""
    step = max(step, 1)
    ticks = list(range(0, count, step))
    return ticks + [count - 1] if count - 1 - ticks[-1] >= step / 2 else ticks


def _shuffled_outputs() -> dict[str, tuple[Any, Any]]:
    """What an untrained encoder makes of "I like trees" and of "trees I like".

    Without positions and with them: two tables with a row for each of I, like, trees, of which 24
    of 512 numbers are kept.
    """
    torch.manual_seed(0)
    words = torch.randn(1, 3, 512)
    encoder = Encoder(N=2, d_model=512, d_ff=2048, h=8, dropout=0.0).eval()
    places = positional_encoding(3, 512)
    order = torch.tensor([2, 0, 1])  # trees I like
    panels = {}
    with torch.inference_mode():
        for title, added in (("without positions", 0 * places), ("with positions", places)):
            straight = encoder(words + added)[0]
            shuffled = encoder(words[:, order] + added)[0, order.argsort()]
            panels[title] = straight[:, :24], shuffled[:, :24]
    return panels


@figure(
    "positions-shuffled",
    caption="Without positions, an encoder gives each word the same vector in whatever order.",
    alt="Two tables of output vectors, with two rows for each of 'I', 'like' and 'trees': one from "
    "'I like trees', one from 'trees I like'. On the left, without positions, the two rows of a "
    "word are the same. On the right, with positions, they differ, as the headings say.",
)
def draw_positions_shuffled() -> Figure:
    words, orders = ["I", "like", "trees"], ("I like trees", "trees I like")
    title = "Without positions, the order of the words changes nothing"
    return _rows_in_pairs(words, orders, _shuffled_outputs(), title)


SENTENCE = ["I", "like", "trees", "and", "their", "shade", "in", "summer"]
CLOCKS = {
    0: "fast: once round\nin about 6 words",
    45: "slower: once round\nin about 32 words",
    128: "slow: once round\nin about 628 words",
}


@figure(
    "positions-clocks",
    caption="Every position is a setting of clocks: fast hands for neighbors, slow ones for "
    "distance.",
    alt="Three rows of eight clocks above the words 'I like trees and their shade in summer' at "
    "positions 0 to 7. All hands start pointing up. The fast hand turns by 57 degrees from word to "
    "word and comes round after 6, the middle one by 11 degrees, the slow one hardly moves.",
    hero=True,
)
def draw_positions_clocks() -> Figure:
    return _clock_table(SENTENCE, positional_encoding(len(SENTENCE), 512), CLOCKS)


@figure(
    "positions-table",
    caption="A hundred position vectors of our translator's width, 128: no color is zero.",
    alt="Two heat maps of 100 positions side by side, the 64 sines and the 64 cosines. On the left "
    "of each, blue and orange alternate fast from row to row; the further right, the slower the "
    "change, along curved bands. The right third is still: the sines blank, near 0, the cosines "
    "brown, near 1. Below, the first half of rows 30 and 31 is enlarged: they differ on the left.",
)
def draw_positions_table() -> Figure:
    return _positions_table(positional_encoding(100, 128), row=30)


@figure(
    "positions-curves",
    title="Each pair of columns is a wave, and the waves grow longer",
    caption="Each column of the table is a wave, and the waves grow longer to the right.",
    alt="Four panels over 60 positions, each with a sine and a cosine between -1 and 1. The waves "
    "of pair 0 are about 6 positions long, of pair 15 about 11, of pair 45 about 32. Those of pair "
    "255 would be about 61,000 long: the sine looks like a flat line at 0, the cosine at 1. In the "
    "first three a bracket leads from one crest of the sine to the next.",
)
def draw_positions_curves() -> Figure:
    return _positions_curves(positional_encoding(61, 512), pairs=(0, 15, 45, 255))


SLOWER = "The further right a column, the more slowly it changes"


@figure(
    "positions-paper",
    caption="The paper's position vectors: 20 positions, 512 dimensions.",
    alt="Two heat maps with one row per position, of every fourth pair of columns: the sines, and "
    "below them their cosines, up to column 255 of 511. On the left blue and orange alternate from "
    "row to row, fast; to the right ever more slowly. At the right end the rows hardly differ: "
    "the sines are nearly blank, near 0, the cosines brown, near 1.",
)
def draw_positions_paper() -> Figure:
    note = (
        "Each row is the vector of one position, of 512 numbers. Of the pairs up to column 255,\n"
    )
    note += "one in four is drawn; the other half of the columns hardly changes"
    return _sines_over_cosines(positional_encoding(20, 512)[:, :256], SLOWER, note, every=4)


@figure(
    "positions-small",
    caption="The paper's position vectors where individual columns can be seen: 10 positions, 64 "
    "dimensions.",
    alt="Two heat maps of 10 rows with square cells: the first 16 sines, and beside them their "
    "cosines. The sines start blank, the sine of 0; the cosines strong brown, the cosine of 0. The "
    "columns on the left change from row to row; those on the right nearly keep their color. Above "
    "a fast, a middle and a slow column is its wave, with a dot for each row: one and a half "
    "turns, a slope, and nearly a level line.",
)
def draw_positions_small() -> Figure:
    return _square_cells(positional_encoding(10, 64), SLOWER, pairs=16, waves=(0, 7, 15))


@figure(
    "positions-tensor2tensor",
    title="The authors’ code: first all sines, then all cosines",
    caption="The position vectors of the authors' code, Tensor2Tensor: 20 positions, 512 "
    "dimensions.",
    alt="Heat map split in the middle. The left half holds the sines and starts blank in row 0; "
    "the right half holds the cosines and starts strong brown. In both halves the colors alternate "
    "fast on the left and hardly change on the right.",
)
def draw_positions_tensor2tensor() -> Figure:
    ax = _positions_heatmap(tensor2tensor_encoding(20, 512))
    _framed(ax)
    for name, x, color in (("sines", 0.42, style.INK), ("cosines", 0.92, style.PAPER)):
        look = {"color": color, "size": style.TITLE, "weight": "bold"}
        ax.text(x, 0.5, name, transform=ax.transAxes, ha="center", **look)
    return ax.figure


def both_wavelengths(d_model: int) -> dict[str, Any]:
    """The waves of the two encodings, each measured in its own table."""
    sines, cosines = tensor2tensor_encoding(2, d_model).chunk(2, dim=1)
    side_by_side = torch.stack([sines, cosines], dim=-1).flatten(1)
    return {
        "paper": wavelengths(positional_encoding(2, d_model)),
        "Tensor2Tensor": wavelengths(side_by_side),
    }


@figure(
    "positions-frequencies",
    caption="The two encodings differ in their wavelengths, not only in the order of the columns.",
    alt="The longest wave of both encodings over 62,832 positions. Above, in vectors of 8 numbers: "
    "while Tensor2Tensor, the authors' code, goes through one wave, the paper's formula goes "
    "through ten, of 6,283 positions each. Below, smaller, in vectors of 512 numbers: the two "
    "waves nearly lie on one another; that of the code is 3.7 percent longer.",
)
def draw_positions_frequencies() -> Figure:
    return _positions_frequencies(both_wavelengths(8), both_wavelengths(512))


@figure(
    "positions-rotation",
    caption="Going three positions on turns each hand by its own angle, wherever it starts.",
    alt="Three clocks, for numbers 0 and 1, 60 and 61, 120 and 121. In each, a rust arc leads from "
    "position 1 to 4 and a grey arc from position 6 to 9. Within a clock the two arcs are "
    "equally wide; from clock to clock they narrow: 172, 58 and 20 degrees.",
)
def draw_positions_rotation() -> Figure:
    return _positions_clocks(positional_encoding(10, 512), (0, 30, 60), start=1, other=6, step=3)


@figure(
    "positions-dot-products",
    caption="The dot product of two position vectors depends on their distance only.",
    alt="Left: a table of 41 by 41 positions, strongest on the diagonal and constant along each "
    "parallel to it, of which that of distance 10 is drawn: always 0.68. A dashed line leads from "
    "it to the same number on the right: dot product against distance, on an axis with the colors "
    "of the table. For vectors of 512 numbers it falls from 1 to about 0.55 at distance 40. Small "
    "in the corner, for 8 numbers, it swings up and down, and at distance 6 it is back at 0.95.",
)
def draw_positions_dot_products() -> Figure:
    return _positions_similarity(positional_encoding(41, 512), positional_encoding(41, 8))


def _trained_words(words: list[str], side: str = "source") -> Any:
    """The vectors (words, 128) that the shipped translator reads, without positions."""
    vocab = Vocabulary(read_json(SHIPPED_MODEL / "vocabulary.json")[side]["words"])
    model = load_model(SHIPPED_MODEL)
    embed = model.src_embed if side == "source" else model.tgt_embed
    with torch.inference_mode():
        return embed(torch.tensor(vocab.encode(words)))


@figure(
    "positions-sum",
    caption="The same word at two positions: word vector + position vector = two different sums.",
    alt="Six strips of 32 of the 128 numbers. First the word 'trees'; below it two positions, 1 "
    "and 2; below them the two sums, framed; and last the difference of the sums, which is largest "
    "on the left and fades to the right.",
)
def draw_positions_sum() -> Figure:
    word, (one, two) = _trained_words(["trees"])[0, :32], positional_encoding(3, 128)[1:, :32]
    groups = [
        ("trees", [("word", word)]),
        ("", [("+ position 1", one), ("+ position 2", two)]),
        ("", [("= sum at 1", word + one), ("= sum at 2", word + two)]),
        ("", [("difference", two - one)]),
    ]
    return sums("One word at two positions gives two different sums", groups)


@figure(
    "positions-input",
    caption="What goes into the encoder: three vectors, each a word plus a position.",
    alt="Left: encoder and decoder as two small towers, the bottom of the encoder filled. Right, "
    "that bottom enlarged: three columns for 'I', 'like' and 'trees'. In each, from the bottom: "
    "the word, its vector, plus the vector of its position 0, 1 or 2, and the sum, framed in the "
    "word's color, from which an arrow leads into encoder layer 0.",
)
def draw_positions_input() -> Figure:
    words = ["I", "like", "trees"]
    vectors = _trained_words(words)
    title = "Into the encoder goes which word it is, plus where it stands"
    return _input_vectors(words, vectors, positional_encoding(3, vectors.size(1)), title)


@figure(
    "positions-output-side",
    caption="The same on the side that writes: words of another table, the same positions.",
    alt="In the middle one row of five position vectors, 0 to 4, framed. From each an arrow leads "
    "up to a sum of the decoder, where it is added to the vector of '<bos>', 'me', 'gustan', 'los' "
    "or 'árboles', and from the first four another leads down to a sum of the encoder, where the "
    "same numbers are added to 'I', 'like', 'trees' and '<eos>'.",
)
def draw_positions_output_side() -> Figure:
    written, read = "<bos> me gustan los árboles".split(), "I like trees <eos>".split()
    sides = {
        "decoder": (written, _trained_words(written, "target")),
        "encoder": (read, _trained_words(read)),
    }
    positions = load_model(SHIPPED_MODEL).tgt_positions.table[:5]
    return _shared_positions(sides, positions, "Decoder and encoder add the same positions")


@figure(
    "positions-explorer",
    title="Every position gets a row of its own",
    caption="The formula to play with: sliders for d_model, the base and a position.",
    alt="Two heat maps of 64 positions, 16 sines and 16 cosines, with position 20 framed; to their "
    "right a bar for each position, as long as its dot product with position 20, longest at 20 "
    "itself. Three sliders change d_model, the base, the position.",
)
def draw_positions_explorer() -> Any:
    return _positions_explorer()


@figure(
    "positions-learned",
    title="Beyond the lengths in training, computed and learned positions both fail",
    caption="Learned and computed positions copy equally well within the training lengths (only at "
    "a single digit, not drawn, one of three learned runs fails); beyond them neither holds out "
    "for long.",
    alt="Share of rows copied right against the number of digits, from 8 to 15. Up to 10 digits, "
    "the longest in training, the lines of computed and learned positions lie on one another near "
    "100 %. At 11 the computed ones fall to about a half, 41 and 57 %, with a dot for each of "
    "three runs, and the learned ones to 0; from 13 on all are at 0. Without positions the line is "
    "near 0 everywhere.",
)
def draw_positions_learned() -> Figure:
    found = experiments.load("positions")
    return _lengths_copied(found["results"], found["trained_to"]).figure


@functools.cache  # notebook 03 shows the numbers, and then the picture
def two_ways() -> tuple[list[int], dict[str, list[list[int]]]]:
    """All training sentences in batches, at random and by length -> their lengths, both ways."""
    pairs = [(en.split(), es.split()) for en, es in english_spanish.load("train")]
    lengths = [len(source) + 1 for source, _ in pairs]  # the words and <eos>
    similar = batch_indices(pairs, max_tokens=1024, seed=0)
    shuffled = random.Random(0).sample(range(len(pairs)), len(pairs))
    size = len(pairs) // len(similar)
    at_random = [shuffled[start : start + size] for start in range(0, len(pairs), size)]
    return lengths, {"sentences as they come": at_random, "of similar length": similar}


def _usual_batch(batches: list[list[int]], lengths: list[int]) -> list[int]:
    """The lengths of the batch whose share of padding is nearest to that of all batches."""
    words = [[lengths[i] for i in batch] for batch in batches]
    share = 1 - sum(map(sum, words)) / sum(len(batch) * max(batch) for batch in words)
    return min(words, key=lambda batch: abs(1 - sum(batch) / len(batch) / max(batch) - share))


@figure(
    "padding-saved",
    title="Sentences of similar length leave hardly any padding",
    caption="A batch of sentences taken at random, and one of sentences of similar length.",
    alt="Two tables with a row for each sentence of a batch, words grey and padding in rust. On "
    "the left the rows end at very different positions and 41 % of the table is padding; on the "
    "right nearly all rows are equally long and 3 % is padding.",
)
def draw_padding_saved() -> Figure:
    lengths, ways = two_ways()
    return _padding_picture({way: _usual_batch(batches, lengths) for way, batches in ways.items()})
