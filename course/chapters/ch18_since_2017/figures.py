"""Since 2017: new bends, positions and schedules, what each part is worth, and both ends."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, path
from course.drawing.cells import area, matrix, outline
from course.drawing.plots import curves, shares
from course.drawing.registry import figure
from course.drawing.rows import verdict
from course.drawing.values import as_array
from course.drawing.words import canvas, heading, label, titled
from transformer_lib.model.embedding import positional_encoding
from transformer_lib.training.schedules import SCHEDULES
from transformer_lib.variants import ALiBi, Rotary

POINTS = {"textcoords": "offset points"}
UNCLEAR = "no clear difference"
APART = 3  # places from the query back to the key, of the cells with an outline


def _score_squares(squares: Mapping[str, Any], title: str = "") -> Figure:
    """Draw scores (q, k) by the places of query and key -> the figure.

    squares: title -> scores. Each has a scale of its own; -inf is grey. One diagonal is outlined
    and the rest faint; below each square its cells stand side by side, in orange frames where they
    aren't alike.
    """
    figure, ax = canvas(style.WIDTH, 4.7)
    heading(ax, title, "One word at twelve places: how well it fits itself, from blue to orange")
    side, gap, bottom, foot, high = 2.1, 0.34, 1.55, 0.55, 0.42
    for number, (name, square) in enumerate(squares.items()):
        scores, x = as_array(square), 0.9 + number * (side + gap)
        limit = float(np.abs(np.ma.masked_invalid(scores)).max()) or 1.0
        matrix(ax, (x, bottom), side, side, scores, limit=limit)
        area(ax, (x, bottom), side, side, style.PAPER, alpha=0.72, zorder=2.5)
        cell, outlined = side / len(scores), scores.diagonal(-APART)
        alike = not len(outlined) or np.ptp(outlined) < 1e-5
        said, color = ("all alike", style.INK) if alike else ("not alike", style.ACCENT)
        wide = side / max(len(outlined), 1)
        for place, score in enumerate(outlined):
            at = x + place * cell, bottom + side - (place + APART + 1) * cell
            for corner, size in ((at, (cell, cell)), ((x + place * wide, foot), (wide, high))):
                area(ax, corner, *size, style.SIGNED((score / limit + 1) / 2), zorder=3)
                outline(ax, corner, *size, color, 1.2)
            if place in (0, len(outlined) - 1):
                right = place > 0
                ends = [(at[0] + right * cell, at[1]), (x + right * side, foot + high)]
                path(ax, ends, color, head=False, thick=0.8, zorder=3)
        label(ax, (x + side / 2, bottom - 0.14), "key", ha="center")
        label(ax, (x + side / 2, foot - 0.2), said, ha="center", color=color, weight="bold")
        label(ax, (x, bottom + side + 0.17), name, size=style.LABEL, weight="bold", color=color)
    label(ax, (0.8, bottom + side / 2), "query", ha="right")
    label(ax, (0.8, foot + high / 2), f"key {APART} places\nearlier", ha="right")
    return figure


# --- both ends -----------------------------------------------------------------------------------

ZERO, POINT, HIGH = 4.7, 0.06, 0.24  # of bars: the zero, a point, height, in inches
CHANGED = {  # what replaced what
    "SwiGLU": ("max(0, z)", "SwiGLU, a gate"),
    "no biases": ("biases", "no biases"),
    "pre-norm": ("norm after each part", "norm before it: pre-norm"),
    "RMSNorm": ("layer norm", "RMSNorm"),
    "QK-norm": ("no norm in attention", "a norm in it: QK-norm"),
    "grouped queries": ("4 heads of keys", "2 of them: grouped queries"),
    "rotary": ("positions added", "rotary positions"),
    "AdamW": ("Adam", "AdamW"),
    "stable": ("rate falls all along", "it stays, then falls: stable"),
}


def _two_models(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw what replaced what between 2017 and today, and what each change is worth -> the figure.

    rows: {"what"} and in "longer" a number for each seed, in points; the first is the base, the
    last all of them together. The rows are sorted, and those without a clear difference come last,
    without a bar: a bar is for what has each seed beyond all of the base's. The first and the last
    are loud.
    """
    base, *parts, together = rows

    def mean(row: Mapping[str, Any]) -> float:
        return float(as_array(row["longer"]).mean())

    clear = [row for row in parts if verdict(row["longer"], base["longer"]) != UNCLEAR]
    clear.sort(key=mean, reverse=True)
    name, count = CHANGED[clear[0]["what"]][1], len(parts)
    one, all_of_them = in_points(mean(clear[0])), in_points(mean(together))
    figure, ax = canvas(style.WIDTH, 5.15)
    title = f"On longer sentences, {name} bring {one}, all {count} changes {all_of_them}"
    heading(ax, title, "What replaced what, and how many more of 100 a small translator has right")
    for x, said in ((0.02, "2017"), (2.0, "2026")):
        label(ax, (x, 4.15), said, size=style.LABEL, weight="bold")
    y, unclear = 3.78, [row for row in parts if row not in clear]
    for row in [*clear, *unclear, together]:
        loud = row in (clear[0], together)
        ink = style.ACCENT if loud else style.MUTED if row in unclear else style.INK
        look = {"size": style.LABEL, "weight": "bold" if loud else "normal", "color": ink}
        y -= 0.14 * (row in (unclear[0], together))
        if row is together:
            label(ax, (2.0, y), f"all {count} changes at once", **look)
        else:
            old, new = CHANGED[row["what"]]
            label(ax, (0.02, y), old, size=style.LABEL, color=style.MUTED)
            arrow(ax, (1.66, y), (1.9, y), style.SOFT)
            label(ax, (2.0, y), new, **look)
        if row not in unclear:
            end = ZERO + POINT * mean(row)
            area(ax, (ZERO, y - HIGH / 2), end - ZERO, HIGH, style.ACCENT if loud else style.SOFT)
            label(ax, (max(ZERO, end) + 0.08, y), in_points(mean(row)), **look)
        elif row is unclear[0]:
            middle = y - 0.34 * (len(unclear) - 1) / 2
            label(ax, (ZERO + 0.12, middle), UNCLEAR, size=style.LABEL, color=style.MUTED)
        y -= 0.34
    path(ax, [(ZERO, y + 0.14), (ZERO, 3.98)], style.SOFT, head=False, thick=0.75)
    return figure


def in_points(number: float) -> str:
    """A whole number of points with its sign: +3, 0, −12."""
    return f"{round(number):+d}".replace("-", "\N{MINUS SIGN}") if round(number) else "0"


NAMES = {  # in the pictures, where the short one says little
    "pre-norm": "norm before each part",
    "SwiGLU": "SwiGLU, a gate",
    "AdamW": "AdamW: weight decay",
    "QK-norm": "a norm in attention",
    "not tied": "two tables of words",
    "stable": "rate stays, then falls",
    "multi-query": "one head of keys",
    "window of 5": "sees only five words",
    "today": "nine changes at once",
}
BETWEEN = ("base", *CHANGED, "today")


def stored_points() -> list[dict]:
    from course.chapters.ch18_since_2017.experiments import points

    return points(experiments.load("since")["runs"])


def _one_word_everywhere(length: int = 12, d_k: int = 16) -> dict[str, Tensor]:
    """Scores (q, k) of one and the same word at all places, by three ways to tell the places."""
    torch.manual_seed(1)
    word = torch.randn(d_k)
    w_q, w_k = torch.randn(2, d_k, d_k) / d_k**0.5
    added = word + positional_encoding(length, d_k)
    same = word.expand(1, 1, length, d_k)
    q, k = Rotary(d_k)(same @ w_q, same @ w_k)
    places = torch.arange(length)
    distance = places[:, None] - places
    return {
        "rotary": (q @ k.transpose(-2, -1))[0, 0] / d_k**0.5,
        "ALiBi": ALiBi(4)(distance)[0],
        "sinusoids (2017)": added @ w_q @ (added @ w_k).T / d_k**0.5,
    }


@figure(
    "since-bends",
    caption="What three bends of feed-forward networks do: max(0, z), GELU and SiLU.",
    alt="Three curves next to each other, what comes out against what goes in, from -4 to 1.25, "
    "with a dot at -1. max(0, z), in grey, is 0 there and everywhere below 0, and has a corner. "
    "GELU and SiLU, in orange, have no corner and dip below 0: at -1 they give -0.16 and -0.27.",
)
def draw_bends() -> Figure:
    z = torch.linspace(-4, 1.25, 106)  # beyond, all three are near 0 or z
    functional = torch.nn.functional
    bends = {"max(0, z), of 2017": torch.relu, "GELU": functional.gelu, "SiLU": functional.silu}
    figure, ax = canvas(style.WIDTH, 3.2)
    heading(ax, "2017 cuts off what is below zero; GELU and SiLU let a little through")
    wide, high, zero = 0.41, 1.2, 0.98  # inches
    for place, (name, bend) in enumerate(bends.items()):
        color, x = style.ACCENT if place else style.MUTED, 1.75 + 2.75 * place
        at, out = x + wide * z, zero + high * bend(z)
        ax.plot(at, np.full(len(z), zero), color=style.SOFT, linewidth=1)
        ax.fill_between(at, out, zero, out < zero, color=style.tint(color), linewidth=0)
        ax.plot(at, out, color=color, linewidth=2.8)
        one = float(bend(torch.tensor(-1.0)))
        ax.plot(x - wide, zero + high * one, "o", color=color, ms=8)
        look = {"size": style.LABEL, "color": color}
        label(ax, (float(at[0]), 2.35), name, weight="bold", **look)
        said = f"−1 becomes {f'{one:.2f}' if one else 0}"
        label(ax, (x - wide, 0.3), said, ha="center", **look)
    return figure


@figure(
    "since-positions",
    caption="One word at twelve places: its scores with itself, by three ways to tell the places.",
    alt="Three squares, places of queries by places of keys, all faint but for one outlined "
    "diagonal, with the key 3 places before the query. Below, larger, stand its cells side by "
    "side. With rotary positions and with ALiBi they all have one color. With the sinusoids of "
    "2017, added to the word, they are not alike, and framed in orange. Each square has its own "
    "scale.",
)
def draw_positions() -> Figure:
    title = "Rotary and ALiBi see only the distance; the sinusoids of 2017 see the places"
    return _score_squares(_one_word_everywhere(), title)


@figure(
    "since-schedules",
    title="The stable schedule stays at its highest until the last fifth",
    caption="Three schedules, each by its own highest rate: straight down, cosine, stable.",
    alt="The learning rate against the step, up to 1,200. All three rise to their highest within "
    "120 steps. The straight one falls evenly to 0. The cosine stays high longer, falls fast in "
    "the middle and ends at a tenth. The stable one stays at the top until step 960 and then "
    "falls straight to 0, in a shaded band: the last fifth.",
)
def draw_schedules() -> Figure:
    from course.chapters.ch18_since_2017.experiments import TRAINING

    names = {"linear": "straight down", "cosine": "cosine", "stable": "stable: stays at the top"}
    steps = np.arange(1, TRAINING.steps + 1)
    rates = {
        said: [SCHEDULES[name](step, 1.0, TRAINING.warmup, TRAINING.steps) for step in steps]
        for name, said in names.items()
    }
    figure, ax = style.panel(3.6)
    ax.set(xlabel="step of training", ylabel="learning rate, as a share of its highest")
    curves(ax, steps, rates, loud=[names["stable"]], names=False)
    last = int(steps[np.array(rates[names["stable"]]) == 1][-1])
    ax.axvspan(last, len(steps), color=style.GROUND, zorder=0)
    middle = (last + len(steps)) / 2, 1
    ax.annotate("the last fifth", middle, (0, 8), ha="center", color=style.MUTED, **POINTS)
    place = int(0.45 * len(steps))
    sides = ((-8, -4), "right", "top"), ((8, 2), "left", "bottom"), ((0, 8), "center", "bottom")
    for line, (away, ha, va) in zip(ax.lines, sides, strict=True):
        line.set_linestyle("-")
        at, look = (steps[place], line.get_ydata()[place]), {"color": line.get_color()}
        ax.annotate(line.get_label(), at, away, ha=ha, va=va, **look, **POINTS)
    ax.set_xticks([0, TRAINING.warmup, last - 1, len(steps)])
    ax.set(xlim=(0, len(steps)), ylim=(0, 1.2))
    shares(ax.yaxis)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return figure


@figure(
    "since-worth",
    caption="One part exchanged at a time, at its own rate: how many more sentences are right.",
    alt="Dots for twenty exchanges, in points above the base: to the right as in training, upward "
    "on longer sentences. As in training: Muon is 12 points above the base, today 9, pre-norm and "
    "SwiGLU 6, the mixture of experts and AdamW 5, stable 4, GELU 3; below it are multi-query with "
    "10, no positions with 14. Longer: today 46 above, rotary 34, T5's positions 33, Muon 29, "
    "ALiBi 22, pre-norm 12, AdamW 8; multi-query is 10 below, no positions 15. The others have "
    "small dots without a name. Muon, rotary and T5's positions are orange.",
)
def draw_worth() -> Figure:
    measures = "test", "longer"  # across and up
    base, *rows = stored_points()
    figure, ax = style.panel(5.4)
    title = "Muon helps most on ordinary sentences, rotary and T5 on longer ones"
    titled(figure, title, "One change at a time; the bands are where ten unchanged models lie")
    ax.axvspan(min(base["test"]), max(base["test"]), color=style.GROUND, zorder=0)
    ax.axhspan(min(base["longer"]), max(base["longer"]), color=style.GROUND, zorder=0)
    loud, together = {*best(rows, "test"), *best(rows, "longer")}, []
    for row in rows:
        x, y = (as_array(row[key]).mean() for key in measures)
        color = style.ACCENT if row["what"] in loud else style.MUTED
        clear = [verdict(row[key], base[key]) != UNCLEAR for key in measures]
        ax.plot(x, y, "o", color=color if any(clear) else style.SOFT, ms=9 if any(clear) else 4)
        name = NAMES.get(row["what"], row["what"])
        if clear == [True, False]:
            together.append((x, name))
        elif any(clear):
            look = {"color": color, "weight": "bold" if row["what"] in loud else "normal"}
            left = row["what"] in ("rotary", "ALiBi")
            look |= {"ha": "right" if left else "left", "va": "center_baseline"}
            ax.annotate(name, (x, y), (-9 if left else 9, 0), **look, **POINTS)
    look = {"va": "center", "color": style.MUTED, "size": style.NOTE}
    names = "\n".join(name for _, name in together)
    ax.annotate(names, (max(together)[0], -1), (12, 0), **look, **POINTS)
    ax.annotate(f"small dots: {UNCLEAR}", (2.5, -12), color=style.MUTED)
    for axis, ticks in ((ax.xaxis, (-10, 0, 10)), (ax.yaxis, (-10, 0, 10, 20, 30, 40))):
        axis.set_ticks(ticks, [in_points(tick) for tick in ticks])
    ax.set(xlim=(-15.5, 16.5), ylim=(-19, 50), ylabel="more longer sentences right, of 100")
    ax.set(xlabel="more ordinary sentences right, of 100")
    return figure


def best(rows: Sequence[Mapping[str, Any]], key: str) -> list[str]:
    """The single exchanges whose mean is highest: the first, and what comes within two points."""
    means = {row["what"]: as_array(row[key]).mean() for row in rows if row["what"] != "today"}
    return [what for what, mean in means.items() if mean > max(means.values()) - 2]


@figure(
    "since-language-model",
    caption="The same exchanges in a language model: how much nearer its loss comes to the floor.",
    alt="Bars on a scale from the base's loss, at 0 percent, to the lowest possible, at 100: how "
    "much of this gap is gone, with a thin line for the three runs. Muon 25 percent, in orange, "
    "today 10, SwiGLU 9, not tied and QK-norm 8, GELU and AdamW 5. Farther away than the base are "
    "stable by 5, multi-query by 10 and the window by 15. The others show no clear difference, no "
    "positions among them, with 1.",
)
def draw_language_model() -> Figure:
    from course.chapters.ch18_since_2017.experiments import nearer

    base, *rows = nearer(experiments.load("since-language-model")["runs"])
    clear = [row for row in rows if verdict(row["nearer"], base["nearer"]) != UNCLEAR]
    clear.sort(key=lambda row: -as_array(row["nearer"]).mean())
    gone = [float(as_array(row["nearer"]).mean()) for row in clear]
    figure, ax = canvas(style.WIDTH, 4.95)
    most = f"{clear[0]['what']} helps most: {gone[0]:.0f} % of the gap is gone"
    note = "How far from the base to the lowest possible loss; the lines show three runs"
    heading(ax, f"In a language model, too, {most}", note)
    zero, end, y = 2.9, style.WIDTH - 0.1, 3.7
    inch = (end - zero) / 100
    area(ax, (zero, y - 0.2), end - zero, 0.4, style.GROUND)
    for x, said, ha in ((zero, "the base", "left"), (end, "the lowest possible loss", "right")):
        label(ax, (x, y + 0.36), said, ha=ha, color=style.MUTED)
    for place, (row, mean) in enumerate(zip(clear, gone, strict=True)):
        color, high = (style.SOFT, 0.2) if place else (style.ACCENT, 0.4)
        y -= 0.15 * (gone[place - 1] > 0 > mean)
        area(ax, (zero, y - high / 2), inch * mean, high, color)
        ends = zero + inch * np.array([min(row["nearer"]), max(row["nearer"])])
        ax.plot(ends, [y] * 2, color=style.INK, linewidth=1)
        look = {"color": style.INK if place else color, "weight": "normal" if place else "bold"}
        name = NAMES.get(row["what"], row["what"])
        label(ax, (0.02, y), name, size=style.LABEL, **look)
        label(ax, (max(zero, *ends) + 0.08, y), f"{in_points(mean)} %", **look)
        y -= 0.31 if place else 0.45
    path(ax, [(zero, 0.5), (zero, 3.9)], style.INK, head=False, thick=1)
    same = f"{len(rows) - len(clear)} other changes, all kinds of positions too: {UNCLEAR}"
    label(ax, (0.02, 0.16), same, color=style.MUTED)
    return figure


@figure(
    "since-2017-and-2026",
    hero=True,
    caption="What replaced the parts of 2017, and what each difference is worth here.",
    alt="A table of what replaced what, with bars for what a change is worth on longer sentences. "
    "Clear ones: rotary +34, pre-norm +12, AdamW +8; all nine at once, today +46. The +34 and the "
    "+46 are orange. Below, without bars, those with no clear difference: stable, RMSNorm, SwiGLU, "
    "QK-norm, no biases and grouped queries.",
)
def draw_both_ends() -> Figure:
    rows = {row["what"]: row for row in stored_points()}
    return _two_models([rows[what] for what in BETWEEN])


@figure(
    "since-memory",
    caption="Bytes that attention without a mask needs at a time, by the formula and fused.",
    alt="Tiles for the megabytes in use at a time, in columns of nine, for sentences of 16, 256, "
    "1,024 and 2,048 words, 2,048 words in all. A tile is what the fused kernel has at 2,048: 1.6 "
    "MB. The formula has 1.6 MB at 16 words, one tile, then 17, 67 and at 2,048 words 134 MB, 82 "
    "times the kernel's. Below, in orange, the kernel has one tile or less at each length.",
)
def draw_memory() -> Figure:
    lengths = 16, 256, 1024, 2048
    used = {
        (row["way"], row["length"]): row["bytes"]
        for row in experiments.load("fused")["memory"]
        if row["mask"] == "none"
    }
    one, most = used["fused", lengths[-1]], used["formula", lengths[-1]]
    figure, ax = canvas(style.WIDTH, 4.95)
    times = f"{most / one:.0f} times the fused kernel's memory"
    note = f"What attention holds at a time; a tile is {one / 1e6:.1f} MB"
    heading(ax, f"At {lengths[-1]:,} words the formula needs {times}", note)
    side, x = 0.27, 1.55  # inches
    for length in lengths:
        for way, y, color in (("formula", 1.5, style.SOFT), ("fused", 0.78, style.ACCENT)):
            tiles = used[way, length] / one
            for tile in range(int(np.ceil(tiles))):
                at = x + side * (tile // 9), y + side * (tile % 9)
                area(ax, at, side - 0.02, (side - 0.02) * min(1, tiles - tile), color)
            said = f"{used[way, length] / 1e6:.{int(tiles < 2)}f} MB"
            look = {"color": style.ACCENT if way == "fused" else style.INK, "weight": "bold"}
            label(ax, (x, y + side * min(9, np.ceil(tiles)) + 0.12), said, **look)
        label(ax, (x, 0.35), f"{length:,}", size=style.LABEL)
        x += side * np.ceil(used["formula", length] / one / 9) + 0.48
    for y, said, color in (
        (1.62, "the formula", style.INK),
        (0.9, "the fused kernel", style.ACCENT),
    ):
        label(ax, (0.02, y), said, size=style.LABEL, weight="bold", color=color)
    label(ax, (0.02, 0.35), "words in a\nsentence")
    return figure


@figure(
    "since-fused-times",
    caption="How much slower or quicker PyTorch's fused kernel is than the formula, with two "
    "threads and a causal mask.",
    alt="A bar for each length from 16 to 2,048 words, up from a line where the fused kernel is "
    "quicker than the formula, down where it is slower. It is 2.6, 1.5 and 1.2 times slower at 16, "
    "32 and 64 words. From 128 on, in orange, it is 1.8, 5.5, 1.6, 4.9 and 6.7 times as quick.",
)
def draw_fused_times() -> Figure:
    times = {
        row["length"]: row["time"]["fused"]
        for row in experiments.load("fused")["times"]
        if (row["mask"], row["what"], row["threads"]) == ("causal", "use", 2)
    }
    first, last = min(length for length, time in times.items() if time < 1), max(times)
    figure, ax = canvas(style.WIDTH, 4.75)
    most = f"{1 / times[last]:.1f} × at {last:,}"
    title = f"From {first} words on the fused kernel is quicker, {most}"
    heading(ax, title, "Causal attention in use, on two threads: the kernel against the formula")
    line, wide, double = 1.88, 0.54, 0.68  # inches
    for twice, said in {2: "4 × as quick", 1: "2 × as quick", 0: "the formula"}.items():
        ends = [(1.3, y := line + double * twice), (style.WIDTH - 0.05, y)]
        path(ax, ends, style.RULE if twice else style.INK, head=False, thick=1, zorder=1)
        label(ax, (0.02, y), said, color=style.MUTED if twice else style.INK)
    for place, (length, time) in enumerate(times.items()):
        x, high, quick = 1.68 + 0.84 * place, -double * np.log2(time), time < 1
        area(ax, (x - wide / 2, line), wide, high, style.ACCENT if quick else style.SOFT)
        look = {"ha": "center", "color": style.ACCENT if quick else style.INK, "weight": "bold"}
        look |= {"bbox": {"facecolor": style.PAPER, "linewidth": 0, "pad": 1}} if quick else {}
        said = f"{1 / time:.1f} ×" if quick else f"{time:.1f} ×\nslower"
        label(ax, (x, line + high + (0.15 if quick else -0.25)), said, **look)
        label(ax, (x, 0.25), f"{length:,}", ha="center", size=style.LABEL)
    label(ax, (0.02, 0.25), "words in a\nsentence")
    return figure
