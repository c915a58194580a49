"""Where a word stands: position vectors as a heat map, as waves, as clock hands, and compared."""

import functools
import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Wedge

from course import experiments
from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.arrows import arrow, box, bracket, path, threads
from course.drawing.cells import EDGE, area, matrix, outline, scale, strip
from course.drawing.maps import AMOUNTS, color_scale, level_name
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import (
    canvas,
    label,
    percent,
    sentence,
    titled,
    width_of,
    word,
    word_color,
)
from transformer_lib.checkpoints import load_model
from transformer_lib.files import read_json
from transformer_lib.model.embedding import positional_encoding, tensor2tensor_encoding
from transformer_lib.model.encoder import Encoder
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import batch_indices
from transformer_lib.text.digits import make
from transformer_lib.text.tokens import Vocabulary
from transformer_lib.translator import SHIPPED_MODEL

BOLD = {"size": style.LABEL, "weight": "bold"}
LOUD = {**BOLD, "color": style.ACCENT}
QUIET = {**BOLD, "color": style.MUTED}
TURNED = style.tint(style.ACCENT)
FLAT = {"aspect": "auto", "interpolation": "nearest"}


def _positions_heatmap(encoding: Any, title: str = "") -> Axes:
    """Draw position vectors (length, d_model) with values from -1 to 1 -> the axes.

    Position 0 is the top row, dimension 0 the left column. Values beyond -1 and 1 widen the scale
    on both sides. Raises ValueError for another shape.
    """
    table = _table(encoding)
    length, d_model = table.shape
    _, ax = style.panel(min(1.6 + 0.16 * length, 5.0))
    limit = max(1.0, float(abs(table).max()))
    image = ax.imshow(table, vmin=-limit, vmax=limit, cmap=style.SIGNED, **FLAT)
    rows = _every(length, length // 4)
    ax.set_yticks(rows, [str(row) if row else "position 0" for row in rows])
    ax.set_xticks(_every(d_model, d_model // 8))
    ax.set_xlabel("column of the vector")
    ax.spines[:].set_visible(False)
    ax.set_title(title)
    color_scale(image, ax, "number", [-limit, 0, limit])
    return ax


def wavelengths(encoding: Any) -> np.ndarray:
    """Read from a table with sine and cosine side by side: positions in one wave of each pair.

    Between positions 0 and 1 the hand of a pair turns by a part of the circle; the whole circle
    takes as many positions as that part fits into it.
    """
    first_step = _table(encoding)[1]
    return 2 * math.pi / np.arctan2(first_step[0::2], first_step[1::2])


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


def _name_rows(ax: Axes, at: tuple, high: float, count: int, rows: Sequence[int]) -> None:
    """Name some of the `count` rows of a map, left of it; `at` is its lower left corner."""
    for row in rows:
        y = at[1] + high * (1 - (row + 0.5) / count)
        label(ax, (at[0] - 0.1, y), str(row) if row else "position 0", ha="right")


def _key(ax: Axes, limit: float) -> None:
    """The color scale of a figure, at its right edge, in the line below the title."""
    at = 7.05, ax.get_ylim()[1] - 0.545
    scale(ax, at, 0.7, limit=limit)
    label(ax, (at[0] - 0.35, at[1] + 0.045), "number", ha="right", color=style.MUTED)


def _wave(ax: Axes, at: tuple, step: float, high: float, wave: float, span: tuple, **look) -> None:
    """Draw a sine over the positions of `span`; position 0 is `at`, and each is `step` inches."""
    along = np.linspace(*span, 600)
    values = high * np.sin(2 * math.pi * along / wave)
    ax.plot(at[0] + step * along, at[1] + values, **{"solid_capstyle": "round", **look})


@figure(
    "positions-shuffled",
    caption="Without positions, an encoder gives each word the same vector in whatever order.",
    alt="The output vector of 'trees' as a strip of colored cells, once from 'I like trees', below "
    "it from 'trees I like', and below both their difference. On the left, without positions, the "
    "two strips are the same. On the right, with positions, every number differs.",
)
def draw_positions_shuffled() -> Figure:
    note = "24 numbers of “trees” out of an untrained encoder, the sentence in two orders"
    figure, ax = canvas(2.9, "Without positions, the order of the words changes nothing", note)
    marked = {"trees": style.WORDS["trees"]}
    for text, y in (("I like trees", 1.64), ("trees I like", 1.18)):
        sentence(ax, (0.08, y), text.split(), marked, size=12)
    label(ax, (0.02, 0.59), "difference", **LOUD)
    torch.manual_seed(0)
    vectors = torch.randn(1, 3, 512)
    encoder = Encoder(N=2, d_model=512, d_ff=2048, h=8, dropout=0.0).eval()
    for name, x, loud in (("without positions", 1.6, 0), ("with positions", 4.93, 1)):
        places = loud * positional_encoding(3, 512)
        with torch.inference_mode():
            one = as_array(encoder(vectors + places)[0, 2, :24])
            other = as_array(encoder(vectors[:, [2, 0, 1]] + places)[0, 0, :24])
        apart = np.where(np.isclose(one, other, atol=1e-4), 0, one - other)
        label(ax, (x, 2.02), name, **BOLD)
        strip(ax, (x, 1.53), 3.05, 0.32, one, limit=2)
        strip(ax, (x, 1.07), 3.05, 0.32, other, limit=2)
        strip(ax, (x, 0.43), 3.05, 0.32, apart, limit=2, edge=style.ACCENT, line=1.4)
        said = {0: "no number differs", 24: "every number differs"}[np.count_nonzero(apart)]
        label(ax, (x, 0.24), said, **LOUD)
    _key(ax, limit=2)
    return figure


SENTENCE = ["I", "like", "trees", "and", "their", "shade", "in", "summer"]
CLOCKS = {
    0: "fast: once round\nin about 6 words",
    45: "slower: once round\nin about 32 words",
    77: "slow: once round\nin about 100 words",
}


@figure(
    "positions-clocks",
    caption="Every position is a setting of clocks: fast hands for neighbors, slow ones for "
    "distance.",
    alt="Three rows of eight clocks above the words 'I like trees and their shade in summer' at "
    "positions 0 to 7. All hands start pointing up. The fast hand turns by 57 degrees from word to "
    "word and begins its second round at position 7, the middle one turns by 11 degrees, the slow "
    "one by 4. The three clocks of 'trees' are framed, their hands rust: they are position 2.",
    hero=True,
)
def draw_positions_clocks() -> Figure:
    table, radius, loud = as_array(positional_encoding(len(SENTENCE), 512)), 0.29, 2
    figure, ax = canvas(4.1, "Every position is a setting of clocks")
    across = [2.15 + 0.76 * position for position in range(len(SENTENCE))]
    look = {"fill": style.PAPER, "line": 2, "zorder": 0}
    box(ax, (across[loud], 1.63), 0.72, 3.1, "", style.ACCENT, **look)
    label(ax, (across[loud], 3.37), "position 2 = these three hands", ha="center", **LOUD)
    label(ax, (across[7], 3.17), "second round", ha="center")
    for row, (i, name) in enumerate(CLOCKS.items()):
        y = 2.72 - 0.8 * row
        label(ax, (1.65, y), name, size=style.LABEL, ha="right")
        for position, (right, up) in enumerate(table[:, 2 * i : 2 * i + 2]):
            x, turned = across[position], math.degrees(math.atan2(right, up)) % 360
            color, fill = (style.ACCENT, TURNED) if position == loud else (style.MUTED, style.RULE)
            ax.add_patch(Wedge((x, y), radius, 90 - turned, 90, facecolor=fill))
            ax.add_patch(Circle((x, y), radius, fill=False, edgecolor=style.SOFT, linewidth=1.2))
            tip = x + 0.92 * radius * right, y + 0.92 * radius * up
            path(ax, [(x, y), tip], color, thick=2.6, head=False)
    for position, (x, text) in enumerate(zip(across, SENTENCE, strict=True)):
        word(ax, (x, 0.55), text, size=12, color=style.ACCENT if position == loud else style.INK)
        look = LOUD if position == loud else {"color": style.MUTED}
        label(ax, (x, 0.24), str(position), ha="center", **look)
    label(ax, (1.65, 0.24), "position", ha="right", color=style.MUTED)
    return figure


@figure(
    "positions-table",
    caption="A hundred position vectors of our translator's width, 128: no color is zero.",
    alt="Two heat maps of 100 positions, the 64 sines and the 64 cosines. On the left of each, "
    "blue and orange alternate fast from row to row; the further right, the slower the change, "
    "along curved bands. The right third is still: the sines blank, near 0, the cosines brown, "
    "near 1. Below, the rows 30 and 31 of each and their difference, which is strong on the left, "
    "in the fast waves, and fades away to the right.",
)
def draw_positions_table() -> Figure:
    table, row = as_array(positional_encoding(100, 128)), 30
    y, wide, high = 1.75, 3.35, 2.75
    note = "The 128 numbers of positions 0 to 99, a row for each position"
    figure, ax = canvas(5.6, "Even neighboring positions differ, in the fast waves", note)
    near = y + high * (1 - (row + 1) / 100)
    for x, first, name in ((0.95, 0, "sines"), (4.6, 1, "cosines")):
        half = table[:, first::2]
        one, other = half[row : row + 2]
        label(ax, (x, y + high + 0.17), name, **BOLD)
        matrix(ax, (x, y), wide, high, half, limit=1)
        path(ax, [(x - 0.1, near), (x, near)], style.ACCENT, thick=4, head=False)
        for numbers, low in ((one, 1.2), (other, 0.9), (other - one, 0.46)):
            strip(ax, (x, low), wide, 0.26, numbers, limit=1)
        label(ax, (x, 0.25), "fast waves differ", **LOUD)
        label(ax, (x + wide, 0.25), "slow waves hardly differ", ha="right")
    _name_rows(ax, (0.95, y), high, 100, (0, 99))
    named = {f"{row}, {row + 1}": near, f"{row}": 1.33, f"{row + 1}": 1.03, "difference": 0.59}
    for name, at in named.items():
        label(ax, (0.81, at), name, ha="right", **LOUD)
    _key(ax, limit=1)
    return figure


@figure(
    "positions-curves",
    caption="Each column of the table is a wave, and the waves grow longer to the right.",
    alt="Four sines over the positions 0 to 60, one under the other, with a dot for each position; "
    "in the first three one wave is rust, and a bracket above it names its length. Column 0: 6.3 "
    "positions; column 30: 10.8; column 90: 31.7. Column 510 would need 60,611 positions, and its "
    "line is practically flat over all 60.",
)
def draw_positions_curves() -> Figure:
    table, pairs, left, step, last = positional_encoding(61, 512), (0, 15, 45, 255), 1.2, 0.11, 60
    note = "Four of the 512 columns, at positions 0 to 60"
    figure, ax = canvas(5.0, "Each column is a wave, and later columns have longer waves", note)
    label(ax, (0.1, 0.16), "position")
    for at in range(0, last + 1, 10):
        place = left + step * at
        label(ax, (place, 0.16), str(at), ha="center")
        path(ax, [(place, 0.3), (place, 0.4)], style.SOFT, thick=1, head=False)
    for number, (i, wave) in enumerate(zip(pairs, wavelengths(table)[list(pairs)], strict=True)):
        y = 3.72 - 0.98 * number
        label(ax, (0.1, y), f"column {2 * i}", **BOLD)
        begin, end = min(wave / 4, last) % last, min(1.25 * wave, last)  # from crest to crest
        shade = style.ACCENT if end < last else style.SOFT
        for span, color, thick in (((0, last), style.SOFT, 1.2), ((begin, end), shade, 2.4)):
            _wave(ax, (left, y), step, 0.25, wave, span, color=color, linewidth=thick)
        for at, value in enumerate(table[:, 2 * i]):
            color = shade if begin <= at <= end else style.SOFT
            ax.plot(left + step * at, y + 0.25 * value, "o", color=color, markersize=3.6)
        if end < last:
            ends = ((left + step * at, y + 0.37) for at in (begin, end))
            bracket(ax, *ends, "", style.ACCENT)
            label(ax, (left + step * end + 0.12, y + 0.37), f"{wave:.1f} positions", **LOUD)
        else:
            said = f"one wave takes {wave:,.0f} positions: over {last} it is practically flat"
            label(ax, (left, y + 0.2), said, **LOUD)
    return figure


@figure(
    "positions-paper",
    caption="The paper's position vectors: the 256 sines of 20 positions.",
    alt="A heat map of the 256 sines of 20 positions. On the left blue and orange alternate from "
    "row to row, further right ever more slowly, along curved bands. The right half is nearly "
    "blank: a bracket says that each of its 129 columns changes by less than 0.2 from position 0 "
    "to 19.",
)
def draw_positions_paper() -> Figure:
    table = as_array(positional_encoding(20, 512))
    sines, x, y, wide, high = table[:, ::2], 1.25, 0.4, 6.67, 2.5
    still = int((np.ptp(sines, axis=0) < 0.2).sum())
    note = "Rows: positions. Columns: the sines, half of the paper’s 512 numbers"
    figure, ax = canvas(4.1, "Within 20 words, half of the sines hardly change", note)
    matrix(ax, (x, y), wide, high, sines, limit=1)
    calm, top = x + wide * (1 - still / 256), y + high
    path(ax, [(calm, y), (calm, top + 0.15)], style.INK, head=False, zorder=4)
    bracket(ax, (calm, top + 0.15), (x + wide, top + 0.15), "")
    said = f"{still} of 256 change by less than 0.2"
    label(ax, ((calm + x + wide) / 2, top + 0.35), said, ha="center", **BOLD)
    wave = wavelengths(table)[0]
    bracket(ax, (x - 0.09, top - high * wave / 20), (x - 0.09, top), "")
    said = f"sine 1 repeats\nafter {wave:.0f} words"
    label(ax, (x - 0.2, top - high * wave / 40), said, ha="right")
    _name_rows(ax, (x - 0.1, y), high, 20, (0, 10, 19))
    for at, said in ((x, "sine 1"), (x + wide, "sine 256")):
        label(ax, (at, y - 0.17), said, ha="left" if at == x else "right")
    _key(ax, limit=1)
    return figure


@figure(
    "positions-small",
    caption="The paper's position vectors where individual columns can be seen: the first 16 sines "
    "of 10 positions, 64 dimensions.",
    alt="A heat map of 10 rows and 16 columns with large cells. The columns on the left change "
    "from row to row; those on the right nearly keep their color. Three columns are framed and "
    "drawn again on the right as dots, a row of the map each: the larger the number, the further "
    "right. Downwards the dots of column 0 make a wave of one and a half turns, those of "
    "column 14 a slope, those of column 30 nearly a straight line.",
)
def draw_positions_small() -> Figure:
    table, x, y, wide, cell = as_array(positional_encoding(10, 64)), 0.92, 0.5, 3.3, 0.27
    high = cell * len(table)
    title = "Left columns of the position table swing fast, right ones slowly"
    figure, ax = canvas(
        y + high + 1.3, title, "10 positions; of 64 columns the even ones from 0 to 30, all sines"
    )
    matrix(ax, (x, y), wide, high, table[:, :32:2], limit=1)
    _name_rows(ax, (x, y), high, 10, range(10))
    along = np.linspace(0, 9, 200)
    for number, (column, how) in enumerate(((0, "fast"), (14, "slower"), (30, "hardly at all"))):
        outline(ax, (x + wide / 32 * column, y), wide / 16, high, style.ACCENT, 2)
        label(ax, (x + wide / 32 * (column + 1), y - 0.16), str(column), ha="center", **LOUD)
        zero, wave = 4.95 + 1.25 * number, wavelengths(table)[column // 2]
        label(ax, (zero, y + high + 0.37), f"column {column}", ha="center", **LOUD)
        label(ax, (zero, y + high + 0.16), how, ha="center")
        for end in (-1, 0, 1):
            side = zero + 0.42 * end
            path(ax, [(side, y), (side, y + high)], style.RULE, head=False, zorder=1)
            said = f"{end}".replace("-", "\N{MINUS SIGN}")
            label(ax, (side, y - 0.16), said, ha="center", color=style.MUTED)
        down = y + high - cell * (along + 0.5)
        ax.plot(zero + 0.42 * np.sin(2 * math.pi * along / wave), down, color=style.SOFT)
        for row, value in enumerate(table[:, column]):
            look = {"color": style.SIGNED((value + 1) / 2), "mec": style.MUTED, "mew": 0.6}
            ax.plot(zero + 0.42 * value, y + high - cell * (row + 0.5), "o", markersize=8, **look)
    return figure


@figure(
    "positions-tensor2tensor",
    caption="The position vectors of the authors' code, Tensor2Tensor: the same columns as in the "
    "paper, sorted.",
    alt="Two heat maps of 10 positions and the same 16 columns. Above, in the paper's order, a "
    "sine and a cosine take turns. From each column a line leads down to its place in the authors' "
    "code: strong lines bring the sines to the left half, grey ones the cosines to the right half.",
)
def draw_positions_tensor2tensor() -> Figure:
    pairs, x, wide, high, low, top = range(0, 128, 16), 0.92, 7.0, 1.15, 0.3, 2.5
    columns = [column for i in pairs for column in (2 * i, 2 * i + 1)]
    theirs = [*pairs, *(256 + i for i in pairs)]
    note = f"{len(columns)} of 512 columns"
    figure, ax = canvas(
        4.75, "The authors’ code sorts the columns: first all sines, then all cosines", note
    )
    for name, y, table in (
        ("the paper", top, positional_encoding(10, 512)[:, columns]),
        ("the code", low, tensor2tensor_encoding(10, 512)[:, theirs]),
    ):
        matrix(ax, (x, y), wide, high, table, limit=1)
        label(ax, (x - 0.1, y + high / 2), name, ha="right", **BOLD)
        _name_rows(ax, (x, y), high, 10, (0, 9))
    area(ax, (x + wide / 2 - 0.03, low - 0.02), 0.06, high + 0.04, style.PAPER, zorder=5)
    _key(ax, limit=1)
    cell = wide / len(columns)
    for number in range(len(columns)):
        start, odd = x + cell * (number + 0.5), number % 2
        end = x + cell * (number // 2 + 8 * odd + 0.5)
        said, look = ("cos", QUIET) if odd else ("sin", BOLD)
        ends = [(start, top - 0.03)], [(end, low + high + 0.05)]
        threads(ax, *ends, [1], style.SOFT if odd else style.INK, widest=2.4, upright=True)
        label(ax, (start, top + high + 0.14), said, ha="center", **look)
    label(ax, (x + wide / 4, low - 0.16), "8 sines", ha="center", **BOLD)
    label(ax, (x + wide * 3 / 4, low - 0.16), "8 cosines", ha="center", **QUIET)
    return figure


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
    alt="The last sine of vectors of 8 numbers, over 62,832 positions: while the rust wave of the "
    "authors' code goes round once, the grey one of the paper's formula goes round ten times. A "
    "bracket over the first grey wave says 6,283 positions, one under the rust wave 62,832. Below, "
    "the same two waves with vectors of 512 numbers nearly coincide: only 3.7 percent longer.",
)
def draw_positions_frequencies() -> Figure:
    (paper, code), (wide_paper, wide_code) = (
        [waves[-1] for waves in both_wavelengths(d_model).values()] for d_model in (8, 512)
    )
    title = f"The last wave of the authors’ code can be {code / paper:.0f} × as long as the paper’s"
    figure, ax = canvas(4.75, title, "The last sine of the position vectors")
    left, step = 0.1, 7.8 / code
    for y, high, waves in ((2.63, 0.52, (paper, code)), (0.52, 0.36, (wide_paper, wide_code))):
        path(ax, [(left, y), (left + 7.8, y)], style.RULE, thick=1, head=False, zorder=0)
        for wave, color, thick in zip(waves, (style.SOFT, style.ACCENT), (1.8, 3.5), strict=True):
            _wave(ax, (left, y), step, high, wave, (0, code), color=color, linewidth=thick)
    named = (paper, "the paper", 3.38, QUIET), (code, "the authors’ code", 1.9, LOUD)
    for wave, name, y, look in named:
        end = left + step * wave
        bracket(ax, (left, y), (end, y), "", look["color"])
        said = f"{name}: one wave in {wave:,.0f} positions"
        at = (end + 0.12, y) if wave == paper else (left, y - 0.22)
        label(ax, at, said, **{**look, "size": 13})
    label(ax, (left, 3.77), "in vectors of 8 numbers", **BOLD)
    said = f"in vectors of 512 numbers: only {100 * (wide_code / wide_paper - 1):.1f} % longer"
    label(ax, (left, 1.17), said, **BOLD)
    return figure


@figure(
    "positions-rotation",
    caption="Going three positions on turns each hand by its own angle, wherever it starts.",
    alt="The words 'I like trees and their shade in summer and autumn' at positions 0 to 9; arcs "
    "lead three words on, from 'like' to 'their' and from 'in' to 'autumn'. Below, two rows of "
    "three clocks: a fast, a middle and a slow hand. In the first row the hands go from position 1 "
    "(grey) to 4 (rust), in the second from 6 to 9, and the angle between is filled. It is the "
    "same in both rows: 172 degrees for the fast hand, 58 for the middle one, 20 for the slow one.",
)
def draw_positions_rotation() -> Figure:
    words, table = [*SENTENCE, "and", "autumn"], as_array(positional_encoding(10, 512))
    pairs, step, radius = {0: "fast hand", 30: "middle hand", 60: "slow hand"}, 3, 0.6
    note = "A hand is one pair of columns, sine and cosine"
    title = "Three words on, a hand turns by the same angle, wherever it starts"
    figure, ax = canvas(5.8, title, note)
    across = sentence(ax, (4, 4.5), words, {}, gap=0.2, ha="center")
    for position, x in enumerate(across):
        label(ax, (x, 4.28), str(position), ha="center", color=style.MUTED)
    for start, y in ((1, 2.75), (6, 0.85)):
        ends = (across[start], 4.72), (across[start + step], 4.72)
        arrow(ax, *ends, style.ACCENT, rise=0.22, thick=2)
        sentence(ax, (0.1, y + 0.1), words[start : start + 4 : 3], {}, gap=0.5)
        label(ax, (0.35 + width_of(words[start], 12), y + 0.16), "→", ha="center")
        label(ax, (0.06, y - 0.18), f"position {start} to {start + step}", color=style.MUTED)
        for number, (i, name) in enumerate(pairs.items()):
            x, turns = 2.75 + 2.1 * number, []
            for position, look in ((start, QUIET), (start + step, LOUD)):
                right, up = table[position, 2 * i : 2 * i + 2]
                turns.append(math.degrees(math.atan2(up, right)))
                at = x + 1.24 * radius * right, y + 1.24 * radius * up
                label(ax, at, str(position), ha="center", **look)
                hand = [(x, y), (x + radius * right, y + radius * up)]
                path(ax, hand, look["color"], thick=2.6, head=False)
            turn = math.degrees(step * 2 * math.pi / wavelengths(table)[i])
            rim = np.radians(turns[0] - np.linspace(0, turn - 3, 40))
            around = np.stack([x + 0.8 * radius * np.cos(rim), y + 0.8 * radius * np.sin(rim)], 1)
            path(ax, around, style.ACCENT, thick=2)
            ax.add_patch(Wedge((x, y), radius, turns[1], turns[0], facecolor=TURNED))
            ax.add_patch(Circle((x, y), radius, fill=False, edgecolor=style.SOFT, linewidth=1.2))
            if start == 1:
                label(ax, (x, 3.75), name, ha="center", **BOLD)
                said = {**LOUD, "size": 14, "ha": "center"}
                label(ax, (x, 1.83), f"{turn:.0f}° both times", **said)
    return figure


@figure(
    "positions-dot-products",
    caption="The dot product of two position vectors depends on their distance only.",
    alt="Left: a table of 41 by 41 positions, strongest on the diagonal and constant along each "
    "parallel to it. On the parallel of distance 10 two cells are marked, the pairs 3 and 13, 13 "
    "and 23: both 0.68. On the right the dot product against the distance, on an axis with the "
    "colors of the table: it falls from 1 to about 0.54 at 40, and a dot marks 0.68 at 10.",
)
def draw_positions_dot_products() -> Figure:
    table, far, end = as_array(positional_encoding(41, 512)), 10, 40
    figure = style.new_figure(style.WIDTH, 4.5)
    note = "Dot product of two position vectors; at 1 they are equal"
    titled(figure, "How alike two positions are depends on their distance only", note)
    figure.get_layout_engine().set(wspace=0.12)
    left, right = figure.subplots(1, 2)
    products = table @ table.T / 256
    look, alike = {"cmap": AMOUNTS, "vmin": 0.5, "vmax": 1, **FLAT}, products[0, far]
    left.imshow(products, **look)
    left.set(xlabel="one position", xticks=range(0, 41, 10), yticks=range(0, 41, 10))
    left.set_box_aspect(1)
    level_name(left, "another position")
    left.plot([far, end], [0, end - far], color=style.INK, linewidth=1.6)
    for one in (3, 13):
        left.plot(one + far, one, "s", color=style.INK, markersize=7)
        label(left, (one + far + 1.2, one - 0.8), f"{one} and {one + far}", **BOLD)
    label(left, (39.5, 3.2), f"{far} apart:\n{alike:.2f} everywhere", ha="right", **BOLD)
    right.plot(products[0], color=style.ACCENT, linewidth=2.8, clip_on=False)
    ramp = right.inset_axes((-0.05, 0, 0.05, 1 / 1.02))
    ramp.imshow(np.linspace(1, 0.5, 65)[:, None], **look)
    ramp.axis("off")
    right.set(ylim=(0.5, 1.01), xlim=(0, end), xticks=range(0, 41, 10), yticks=[0.5, 0.75, 1])
    right.tick_params(axis="y", pad=17, length=0)
    right.set_xlabel("distance between the two positions")
    level_name(right, "dot product")
    for ax in (left, right):
        ax.xaxis.label.set_color(style.MUTED)
    right.plot(far, alike, "o", color=style.INK, markersize=8)
    label(right, (far + 1.2, alike + 0.03), f"{far} apart: {alike:.2f}", **BOLD)
    return figure


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
    alt="The sentences 'I like trees' and 'the trees', one below the other, with the numbers of "
    "the positions under their words. Next to each a strip of 32 of the 128 numbers: 'trees' plus "
    "position 2, minus 'trees' plus position 1. Below a line the difference, a bar for each "
    "number, up or down: the longest, on the left, is 0.96 long; to the right they get shorter.",
)
def draw_positions_sum() -> Figure:
    numbers, table = _trained_words(["trees"])[0, :32], positional_encoding(3, 128)[:, :32]
    green, x, wide, zero, cell = style.WORDS["trees"], 1.95, 6.0, 0.95, 6.0 / 32
    note = "Its vector plus that of its position, 32 of 128 numbers"
    figure, ax = canvas(4.05, "One word at two positions gives two different sums", note)
    for text, place, y in (("I like trees", 2, 2.65), ("the trees", 1, 1.95)):
        row = {"size": 14, "gap": 0.2, "ha": "right"}
        across = sentence(ax, (x - 0.2, y + 0.18), text.split(), {"trees": green}, **row)
        for number, at in enumerate(across):
            look = BOLD if number == place else {"color": style.MUTED}
            label(ax, (at, y - 0.03), str(number), ha="center", **look)
        strip(ax, (x, y), wide, 0.46, numbers + table[place], limit=3, edge=green, line=2)
    label(ax, (0.15, 2.18), "\N{MINUS SIGN}", size=22, weight="bold")
    path(ax, [(0.1, 1.72), (x + wide, 1.72)], style.INK, head=False)
    label(ax, (x - 0.2, zero + 0.12), "difference", **{**LOUD, "size": 14, "ha": "right"})
    apart = as_array(table[2] - table[1])
    for place, value in enumerate(apart):
        area(ax, (x + cell * (place + 0.12), zero), 0.76 * cell, 0.7 * value, style.ACCENT)
    path(ax, [(x, zero), (x + wide, zero)], style.SOFT, thick=1, head=False)
    most = int(abs(apart).argmax())
    said = f"{apart[most]:.2f}".replace("-", "\N{MINUS SIGN}")
    label(ax, (x + cell * most - 0.03, zero + 0.7 * apart[most] + 0.06), said, ha="right", **LOUD)
    label(ax, (x + 6.1 * cell, zero - 0.6), "fast waves differ", **LOUD)
    label(ax, (x + wide, zero - 0.6), "slow waves hardly differ", ha="right")
    _key(ax, limit=3)
    return figure


def _rounded(vectors: Any) -> np.ndarray:
    """Of each row the first 4 numbers, rounded before they are added: what one reads is the sum."""
    return np.vectorize(functools.partial(steady_round, decimals=1))(as_array(vectors)[:, :4])


@figure(
    "positions-input",
    caption="What goes into the encoder: three vectors, each a word plus a position.",
    alt="Three columns, for 'I', 'like' and 'trees'. In each, from the top down: the word, the "
    "first four numbers of its vector, plus those of its position 0, 1 or 2, and the sum, framed, "
    "from which an arrow leads into encoder layer 0. The numbers are written in the cells.",
)
def draw_positions_input() -> Figure:
    words = ["I", "like", "trees"]
    meanings, places = _rounded(_trained_words(words)), _rounded(positional_encoding(3, 128))
    title = "Into the encoder goes which word it is, plus where it stands"
    figure, ax = canvas(4.45, title, "The first 4 of 128 numbers of each vector")
    lefts, wide, high = (0.95, 3.25, 5.55), 2.1, 0.42
    rows = {"word": (2.45, meanings), "position": (1.8, places), "sum": (1.15, meanings + places)}
    for name, (y, table) in rows.items():
        label(ax, (0.8, y + high / 2), name, ha="right", **BOLD)
        for x, text, numbers in zip(lefts, words, table, strict=True):
            edge, line = (word_color(text), 2) if name == "sum" else (EDGE, 0.6)
            strip(ax, (x, y), wide, high, numbers, limit=3, edge=edge, line=line, decimals=1)
            sign = {"word": "", "position": "+", "sum": "="}[name]
            look = {"size": style.TITLE, "weight": "bold", "ha": "center"}
            label(ax, (x + wide / 2, y + high + 0.11), sign, **look)
    for number, (x, text) in enumerate(zip(lefts, words, strict=True)):
        x += wide / 2
        word(ax, (x, 3.37), text, size=14)
        label(ax, (x, 3.05), f"position {number}", ha="center")
        arrow(ax, (x, 1.12), (x, 0.72))
    look = {"fill": style.GROUND, "line": 1.2, "weight": "bold"}
    box(ax, (4.3, 0.48), 6.7, 0.42, "encoder layer 0", **look)
    _key(ax, limit=3)
    return figure


@figure(
    "positions-output-side",
    caption="The same on the side that writes: words of another table, the same positions.",
    alt="In the middle a row of five position vectors, 0 to 4, framed in rust. Above them stand "
    "the words '<bos> me gustan los árboles' of the decoder, below them 'I like trees <eos>' of "
    "the encoder. Position 2 is enlarged, with four numbers: upwards it is added to 'gustan', "
    "into the decoder; downwards it is added to 'trees', into the encoder.",
)
def draw_positions_output_side() -> Figure:
    written, read, loud = "<bos> me gustan los árboles".split(), "I like trees <eos>".split(), 2
    places = _rounded(load_model(SHIPPED_MODEL).tgt_positions.table[:5])
    note = "The first 4 of 128 numbers of each vector"
    figure, ax = canvas(5.3, "Decoder and encoder add the same positions", note)
    middle, high, wide, small, lefts = 2.3, 0.38, 2.2, 0.6, (1.2, 2.15, 3.8, 6.4, 7.3)
    area(ax, (0, middle - 0.27), 8, 0.54, TURNED)
    for number, (x, numbers) in enumerate(zip(lefts, places, strict=True)):
        own, decimals = (wide, 1) if number == loud else (small, None)
        look = {"decimals": decimals, "edge": style.ACCENT, "line": 1.8}
        strip(ax, (x, middle - high / 2), own, high, numbers, limit=3, **look)
        label(ax, (x - 0.09, middle), str(number), ha="right", **LOUD)
    label(ax, (0.1, middle), "the same\npositions", **LOUD)
    _key(ax, limit=3)
    x = lefts[loud]
    sides = ("decoder", "target", written, 1), ("encoder", "source", read, -1)
    for side, table, words, way in sides:
        color, meanings = getattr(style, side.upper()), _rounded(_trained_words(words, table))
        label(ax, (0.1, middle + 0.68 * way), "word", **BOLD)
        for number, text in enumerate(words):
            at = (x - 0.1, "right") if number == loud else (lefts[number] + small / 2, "center")
            look = {"color": None if number == loud else style.MUTED, "ha": at[1]}
            word(ax, (at[0], middle + 0.68 * way), text, size=12, **look)
        own, total = meanings[loud], meanings[loud] + places[loud]
        for sign, far, numbers, edge in (("+", 0.68, own, EDGE), ("=", 1.36, total, color)):
            y, look = middle + far * way, {"edge": edge, "line": 2 if sign == "=" else 0.6}
            strip(ax, (x, y - high / 2), wide, high, numbers, limit=3, decimals=1, **look)
            gap = middle + (far - 0.34) * way
            label(ax, (x + wide / 2, gap), sign, size=style.TITLE, weight="bold", ha="center")
        arrow(ax, *((x + wide / 2, middle + way * far) for far in (1.58, 1.8)))
        said = {**BOLD, "color": color, "ha": "center"}
        label(ax, (x + wide / 2, middle + 1.95 * way), f"into the {side}", **said)
    return figure


@figure(
    "positions-explorer",
    title="A position is most like its neighbors",
    caption="The formula to play with: sliders for d_model, the base and a position.",
    alt="A heat map of the sines of 40 positions, 16 columns, with position 20 framed; to its "
    "right a bar for each position, as long as its dot product with position 20: 1 at 20 itself, "
    "0.96 at its two neighbors; these three bars are rust. Far from it the bars go up and "
    "down, and none is as long: at position 0 it is 0.65. Three sliders change d_model, the base, "
    "the position.",
)
def _positions_explorer() -> Any:
    """An Altair chart with sliders for d_model, the base and a position: all of it is computed in
    the chart, so that it works without Python and without a network.

    Left: the sines of the paper's formula for 40 positions. Right: how similar each position is to
    the chosen one, by the whole vectors.
    """

    def slider(name: str, label: str, value: float, low: float, high: float, step: float) -> Any:
        bind = alt.binding_range(min=low, max=high, step=step, name=label)
        return alt.param(name=name, value=value, bind=bind)

    def part(text: Any) -> Any:
        return alt.Title(text, fontSize=style.PART, frame="group", offset=10)

    length, widest, width, height = 40, 64, 200, 360
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
    colors = alt.Scale(domain=[-1, 1], range=list(style.SIGNED_COLORS), interpolate="rgb")
    shade = alt.Color("value:Q", legend=None, scale=colors)
    # labels that don't touch each other
    every = "d_model <= 8 ? 1 : d_model <= 16 ? 2 : d_model <= 32 ? 4 : 8"
    named = f"floor(datum.value / 2) % ({every}) == 0 ? datum.value : ''"
    axis = alt.Axis(labelAngle=0, labelOverlap=False, ticks=False, labelExpr=named)
    across = alt.X("dimension:O", title="column", axis=axis)
    look = {"labelPadding": 7, "labelExpr": "datum.value ? datum.label : 'position 0'"}
    axis = alt.Axis(domain=False, ticks=False, values=list(range(0, length, 8)), **look)
    down = alt.Y("position:O", title=None, axis=axis)
    tips = ["position:Q", "dimension:Q", alt.Tooltip("value:Q", format=".2f")]
    close = "abs(datum.position - chosen) <= 1"
    here = alt.condition(close, alt.value(style.ACCENT), alt.value(style.SOFT))
    sines = table.transform_filter("datum.dimension % 2 == 0").mark_rect()
    row = alt.Chart(alt.Data(values=[{}])).transform_calculate(position="chosen")
    frame = row.mark_rect(filled=False, stroke=style.ACCENT, strokeWidth=2)
    edge, span = row.mark_rect(filled=False, stroke=style.SOFT), [alt.value(0), alt.value(width)]
    layers = sines.encode(across, down, shade, tooltip=tips)  # sines near 0 have no color
    layers += edge.encode(x=span[0], x2=span[1], y=alt.value(0), y2=alt.value(height))
    layers += frame.encode(x=span[0], x2=span[1], y=down)
    length_of = alt.X("similarity:Q", axis=None, scale=alt.Scale(domainMax=1.3))
    level = alt.Y("position:O", title=None, axis=None)
    similar = table.transform_aggregate(similarity="sum(part)", groupby=["position"])
    tips = [alt.Tooltip("position:Q"), alt.Tooltip("similarity:Q", format=".2f")]
    bars = similar.mark_bar().encode(length_of, level, color=here, tooltip=tips)
    far = f"datum.position == (chosen < {length / 2} ? {length - 1} : 0)"
    said = similar.transform_filter(f"{close} || {far}").transform_calculate(
        at=f"{close} ? 1 : datum.similarity",  # one below the other
        text=f"({close} && datum.position != chosen ? '' : 'position ') + datum.position"
        " + ': ' + format(datum.similarity, '.2f')",
    )
    look = {"align": "left", "dx": 8, "fontSize": 13, "fontWeight": "bold"}
    said = said.mark_text(dy=alt.expr(f"{close} ? 6 * (datum.position - chosen) : 0"), **look)
    ink = alt.condition(close, alt.value(style.ACCENT), alt.value(style.MUTED))
    length_of = alt.X("at:Q", axis=None, scale=alt.Scale(domainMax=1.3))
    said = said.encode(length_of, level, text="text:N", color=ink)
    who = part(alt.expr("'how like position ' + chosen + ' (dot product)'"))
    size, what = {"height": height}, part("sines: −1 blue, 1 orange")
    left = layers.properties(width=width, title=what, **size)
    right = (bars + said).properties(width=382, title=who, **size)
    return alt.hconcat(left, right, spacing=24).add_params(d_model, chosen, exponent)


@figure(
    "positions-learned",
    caption="Learned and computed positions copy equally well within the training lengths (only at "
    "a single digit, not drawn, one of three learned runs fails); beyond them neither holds out "
    "for long.",
    alt="Four rows of 9 to 12 digits that had to be copied; the digits after the tenth, beyond all "
    "rows in training, are rust. Next to each row two bars, the shares of such rows that were "
    "copied right. With computed positions: 100, 99, 41 and 2 %; with learned positions: 100, 99, "
    "0 and 0 %. What is beyond the lengths in training is rust.",
)
def draw_positions_learned() -> Figure:
    found = experiments.load("positions")
    results, trained_to = found["results"], found["trained_to"]
    title = "Beyond the lengths in training, computed and learned positions both fail"
    figure, ax = canvas(3.9, title, "How many of such rows were copied right, mean of three runs")
    cell, wide, left = 0.31, 0.85, 0.6
    starts = {"paper": ("computed positions", 4.65), "learned": ("learned positions", 6.45)}
    for name, x in (("a row of digits to copy", 0.1), *starts.values()):
        label(ax, (x, 2.82), name, **BOLD)
    for row, length in enumerate(range(trained_to - 1, trained_to + 3)):
        y = 2.3 - 0.55 * row
        digits = make("copy", 1, min_length=length, max_length=length, seed=1)[0][0]
        label(ax, (0.35, y), str(length), ha="right", color=style.MUTED)
        for place, digit in enumerate(digits):
            new = place >= trained_to
            look = {"fill": style.ACCENT if new else style.GROUND, "line": 0}
            box(ax, (left + cell * place + 0.12 * new, y), 0.27, 0.34, digit, **look)
        color, look = (style.ACCENT, LOUD) if length > trained_to else (style.SOFT, BOLD)
        for kind, (_, x) in starts.items():
            runs = [r["exact"] for r in results if (r["kind"], r["length"]) == (kind, length)]
            area(ax, (x, y - 0.17), wide, 0.34, style.GROUND)
            area(ax, (x, y - 0.17), wide * np.mean(runs), 0.34, color)
            said = percent(np.mean(runs)) if any(runs) else "0 %"
            label(ax, (x + wide + 0.66, y), said, **{**look, "size": 14, "ha": "right"})
    x = left + 0.06 + cell * (trained_to - 0.5)
    path(ax, [(x, 0.35), (x, 2.55)], style.ACCENT, head=False)
    label(ax, (x - 0.08, 0.22), "as long as in training", ha="right", color=style.MUTED)
    label(ax, (x + 0.08, 0.22), "longer", **LOUD)
    return figure


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


def _padding(batches: list[list[int]], lengths: list[int]) -> float:
    """The share of padding in these batches."""
    places = sum(len(batch) * max(lengths[i] for i in batch) for batch in batches)
    return 1 - sum(lengths[i] for batch in batches for i in batch) / places


def _usual_batch(batches: list[list[int]], lengths: list[int]) -> list[int]:
    """The batch whose share of padding is nearest to that of all batches."""
    share = _padding(batches, lengths)
    return min(batches, key=lambda batch: abs(_padding([batch], lengths) - share))


@figure(
    "padding-saved",
    caption="Sentences of a batch taken at random, and of one of sentences of similar length.",
    alt="Sentences as rows, a word in each column, and <pad> in rust behind its end. Above, six "
    "sentences as they come: one fills its row of 14, the others end early; over all batches, 41 % "
    "is padding. Below, six of similar length: the rows of 13 are nearly full; 3 % is padding.",
)
def draw_padding_saved() -> Figure:
    lengths, ways = two_ways()
    pairs = english_spanish.load("train")
    note = "Six sentences from a batch of each kind; the percentages are of all batches"
    figure, ax = canvas(5.25, "Sentences of similar length leave hardly any padding", note)
    top, cell, high = 3.95, 0.56, 0.265
    for way, batches in ways.items():
        batch = _usual_batch(batches, lengths)
        words = {i: pairs[i][0].split() for i in batch}
        widest = {i: max(map(len, words[i])) for i in batch}
        long = max(lengths[i] for i in batch)
        fills = min((i for i in batch if lengths[i] == long), key=widest.__getitem__)
        fit = [i for i in batch if widest[i] < 8 or i == fills]
        by_length = sorted(fit, key=lengths.__getitem__)
        six = [by_length[(len(fit) - 1) * part // 5] for part in range(6)]
        drawn = [i for i in fit if i in six]  # as they come in the batch
        share = f"{100 * _padding(batches, lengths):.0f} %"
        label(ax, (0.1, top + 0.2), share, **{**LOUD, "size": 22})
        said = f"padding, sentences {way.removeprefix('sentences ')}"
        label(ax, (0.2 + width_of(share, 22), top + 0.17), said, **BOLD)
        for row, i in enumerate(drawn):
            y = top - high * (row + 1)
            text = [*words[i], "<eos>"]
            for place in range(long):
                x = 0.1 + cell * place
                at, look = (x + cell / 2 - 0.018, y + high / 2 - 0.018), {}
                if place >= len(text):
                    area(ax, (x, y), cell - 0.035, high - 0.035, TURNED)
                    look = {"color": style.ACCENT}
                label(ax, at, [*text, *long * ["<pad>"]][place], ha="center", **look)
        top -= 6 * high + 0.7
    return figure
