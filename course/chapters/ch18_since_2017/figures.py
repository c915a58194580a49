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
from course.drawing.cells import area, matrix, outline, strip
from course.drawing.plots import curves, shares
from course.drawing.registry import figure
from course.drawing.rows import seed_rows, verdict
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

    squares: title -> scores. Each has a scale of its own; -inf is grey. One diagonal is outlined,
    and below each square its cells stand side by side; where they aren't alike is orange.
    """
    figure, ax = canvas(style.WIDTH, 4.75)
    heading(ax, title, "How well one and the same word fits itself, at twelve places: the scores")
    side, gap, bottom = 2.1, 0.34, 1.6
    for number, (name, square) in enumerate(squares.items()):
        scores, x = as_array(square), 0.9 + number * (side + gap)
        limit = float(np.abs(np.ma.masked_invalid(scores)).max()) or 1.0
        matrix(ax, (x, bottom), side, side, scores, limit=limit)
        cell = side / len(scores)
        outlined = scores.diagonal(-APART)
        for place in range(len(outlined)):
            down = bottom + side - (place + APART + 1) * cell
            outline(ax, (x + place * cell, down), cell, cell, style.INK, 1.0)
        alike = not len(outlined) or np.ptp(outlined) < 1e-5
        said, color = ("all alike", style.INK) if alike else ("not alike", style.ACCENT)
        wide = side / max(len(outlined), 1)
        for place, score in enumerate(outlined):
            look = {"limit": limit, "edge": color, "line": 1.0 if alike else 1.6}
            strip(ax, (x + place * wide, 0.78), wide, 0.24, [score], **look)
        label(ax, (x + side / 2, 0.58), said, ha="center", color=color, weight="bold")
        label(ax, (x, bottom + side + 0.17), name, size=style.LABEL, weight="bold", color=color)
        for place in (0, len(scores) - 1):
            middle = (place + 0.5) * cell
            label(ax, (x + middle, bottom - 0.13), str(place), ha="center")
            if not number:
                label(ax, (x - 0.07, bottom + side - middle), str(place), ha="right")
        label(ax, (x + side / 2, bottom - 0.13), "key", ha="center")
    label(ax, (0.83, bottom + side / 2), "query", ha="right")
    label(ax, (0.9, 1.18), f"The outlined cells, whose key is {APART} places before the query:")
    label(ax, (0.9, 0.16), "score: low")
    strip(ax, (1.64, 0.11), 1.3, 0.1, np.linspace(-1, 1, 65), limit=1)
    label(ax, (3.02, 0.16), "high, in each square by its own largest")
    return figure


# --- both ends -----------------------------------------------------------------------------------

ZEROS, POINT, HIGH = (4.55, 6.35, 7.4), 0.025, 0.2  # of bars: zeros, a point, height, in inches
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


def _two_models(rows: Sequence[Mapping[str, Any]], panels: Mapping[str, str]) -> Figure:
    """Draw what replaced what between 2017 and today, and what each change is worth -> the figure.

    rows: {"what"} and for each key of `panels` a number for each seed, in points; the first is the
    base, the last all of them together. panels: key -> the head of its column; the rows are sorted
    by the first one, those without a clear difference last; its best bar and the last are loud. A
    bar has a number where each seed lies beyond all of the base's.
    """
    base, *parts, together = rows
    key = next(iter(panels))

    def clear(row: Mapping[str, Any], *measures: str) -> bool:
        return any(verdict(row[measure], base[measure]) != UNCLEAR for measure in measures)

    parts.sort(key=lambda row: (not clear(row, *panels), -as_array(row[key]).mean()))
    one, all_of_them = (in_points(as_array(row[key]).mean()) for row in (parts[0], together))
    figure, ax = canvas(style.WIDTH, 5.4)
    name = CHANGED[parts[0]["what"]][1]
    title = f"On longer sentences, {name} bring {one}, all {len(parts)} changes {all_of_them}"
    note = "What replaced what, and how many more of 100 sentences a small translator has right"
    heading(ax, title, note)
    y = 4.1
    for x, said in ((0.02, "2017"), (2.0, "2026"), *zip(ZEROS, panels.values(), strict=False)):
        look = {"weight": "bold"} if said.isdigit() else {"color": style.MUTED}
        label(ax, (x, y), said, size=style.LABEL, va="bottom", **look)
    for x, _ in zip(ZEROS, panels, strict=False):
        path(ax, [(x, 0.42), (x, y - 0.16)], style.SOFT, head=False, thick=0.75)
    before = parts[0]
    for row in (*parts, together):
        last, first = row is together, row is parts[0]
        y -= 0.325 + 0.1 * (clear(row, *panels) != clear(before, *panels) or last)
        before = row
        ink = style.INK if clear(row, *panels) or last else style.MUTED
        bold = {"size": style.LABEL, "weight": "bold" if last or first else "normal", "color": ink}
        if last:
            path(ax, [(0.02, y + 0.21), (style.WIDTH - 0.1, y + 0.21)], style.SOFT, head=False)
            label(ax, (0.02, y), f"all {len(parts)} changes at once", **bold)
        else:
            old, new = CHANGED[row["what"]]
            label(ax, (0.02, y), old, size=style.LABEL, color=style.MUTED)
            arrow(ax, (1.66, y), (1.9, y), style.SOFT)
            label(ax, (2.0, y), new, **bold)
        for x, measure in zip(ZEROS, panels, strict=False):
            points = float(as_array(row[measure]).mean())
            loud, sure = measure == key and (first or last), clear(row, measure)
            color = style.ACCENT if loud else style.MUTED if sure else PALE
            area(ax, (x, y - HIGH / 2), POINT * points, HIGH, color, zorder=2)
            if sure:
                at = x + POINT * points + (0.05 if points > 0 else -0.05), y
                look = {"color": style.ACCENT if loud else style.INK}
                look["weight"] = "bold" if loud or last else "normal"
                label(ax, at, in_points(points), ha="left" if points > 0 else "right", **look)
    label(ax, (0.02, 0.16), f"a bar without a number: {UNCLEAR}", color=style.MUTED)
    return figure


PALE = "#C3C8CF"


def in_points(number: float) -> str:
    """A whole number of points with its sign: +3, 0, −12."""
    return f"{round(number):+d}".replace("-", "\N{MINUS SIGN}") if round(number) else "0"


PANELS = {"test": "as in training", "pronoun": "with a pronoun", "longer": "longer sentences"}
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
    alt="Three squares, places of queries by places of keys. In each one diagonal is outlined, "
    "with the key 3 places before the query, and below stand its cells side by side. With rotary "
    "positions each diagonal has one color. ALiBi is 0 on the main diagonal and falls evenly with "
    "the distance, to both sides. With the sinusoids of 2017, added to the word, the outlined "
    "cells are not alike, and framed in orange. Each square has its own scale.",
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
    "falls straight to 0; the area under it is shaded.",
)
def draw_schedules() -> Figure:
    from course.chapters.ch18_since_2017.experiments import TRAINING

    names = {"linear": "straight down (the base)", "cosine": "cosine", "stable": "stable"}
    steps = np.arange(1, TRAINING.steps + 1)
    rates = {
        said: [SCHEDULES[name](step, 1.0, TRAINING.warmup, TRAINING.steps) for step in steps]
        for name, said in names.items()
    }
    figure, ax = style.panel(3.4)
    ax.set(xlabel="step of training", ylabel="learning rate, as a share of its highest")
    curves(ax, steps, rates, loud=["stable"], names=False)
    top = np.array(rates["stable"])
    ax.fill_between(steps, top, color=style.tint(style.ACCENT), linewidth=0, zorder=0)
    first, last = steps[np.flatnonzero(top == 1)[[0, -1]]]
    part = f"it falls: last {1 - last / len(steps):.0%}".replace("%", " %")
    look = {"color": style.ACCENT, "weight": "bold", "ha": "center", "va": "bottom"}
    for x, said in (
        (first / 2, "warm-up"),
        ((first + last) / 2, "stable: it holds"),
        ((last + len(steps)) / 2, part),
    ):
        ax.annotate(said, (x, 1), (0, 8), **look, **POINTS)
    for line, at, away in zip(ax.lines[:-1], (0.42, 0.52), ((-6, -4), (6, 2)), strict=False):
        place, right = int(at * len(steps)), away[0] < 0
        own = {"ha": "right" if right else "left", "va": "top" if right else "bottom"}
        line.set_linestyle("-" if right else (0, (5, 2)))
        own["color"] = style.readable(line.get_color(), style.tint(style.ACCENT))
        at = steps[place], line.get_ydata()[place]
        ax.annotate(line.get_label(), at, away, **own, **POINTS)
    ax.set(xlim=(0, len(steps)), ylim=(0, 1.2))
    shares(ax.yaxis)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return figure


@figure(
    "since-worth",
    caption="One part exchanged at a time, at its own rate: how many more sentences are right.",
    alt="A row for the base and each of twenty exchanges, three panels, a dot for the mean of the "
    "seeds on a line for their range. As in training: Muon is 12 points above the base, today 9, "
    "pre-norm and SwiGLU 6, the mixture of experts and AdamW 5, stable 4, GELU 3; below it are "
    "multi-query with 10, no positions with 14. With a pronoun: Muon 25 above, today 22, SwiGLU "
    "and the mixture of experts 19, AdamW and stable 17, pre-norm 16; the window is 16 below. "
    "Longer: today 46 above, rotary 34, T5's positions 33, Muon 29, ALiBi 22, pre-norm 12, AdamW "
    "8; multi-query is 10 below, no positions 15. The others show no clear difference.",
)
def draw_worth() -> Figure:
    base, *parts, today = stored_points()
    worth = {row["what"]: sum(as_array(row[key]).mean() for key in PANELS) for row in parts}
    groups = [row["group"] for row in parts]
    parts.sort(key=lambda row: (groups.index(row["group"]), -worth[row["what"]]))
    rows = [base, *parts, today | {"what": "today: nine at once"}]
    figure = seed_rows(
        rows,
        PANELS,
        title="Muon helps most on known lengths, rotary and T5's positions on longer ones",
        note="How many more of 100 sentences are right than with the base: the mean of three runs, "
        "and their range.\nA range that reaches into the grey band, where the base's own runs lie, "
        "is no clear difference.",
        loud=[(found, key) for key in PANELS for found in best(parts, key)],
        strong=["Muon", rows[-1]["what"]],
        written=in_points,
        ticks=range(-20, 41, 20),
        spans=[(-20, 30), (-25, 39), (-20, 70)],
        quiet=True,
    )
    ax = figure.axes[0]
    for text, row in zip(ax.get_yticklabels(), rows, strict=True):
        if all(verdict(row[key], base[key]) == UNCLEAR for key in PANELS) and row is not base:
            text.set_color(style.MUTED)
    look = {"textcoords": "offset points", "va": "center_baseline", "color": style.MUTED}
    for place, before, row in zip(ax.get_yticks()[1:], rows, rows[1:], strict=False):
        if row["group"] != before["group"] and row is not rows[-1]:
            at = {"xy": (0, place), "xycoords": ax.get_yaxis_transform(), "xytext": (-222, 0)}
            ax.annotate(row["group"], **at, **look)
    return figure


def best(rows: Sequence[Mapping[str, Any]], key: str) -> list[str]:
    """The single exchanges whose mean is highest: the first, and what comes within two points."""
    means = {row["what"]: as_array(row[key]).mean() for row in rows if row["what"] != "today"}
    return [what for what, mean in means.items() if mean > max(means.values()) - 2]


@figure(
    "since-language-model",
    caption="The same exchanges in a language model: how much nearer its loss comes to the floor.",
    alt="Bars on a scale from the base's loss, at 0 percent, to the lowest possible, at 100: how "
    "much of this gap is gone, with a dot for each seed. Muon 25 percent, in orange, today 10, "
    "SwiGLU 9, not tied and QK-norm 8, GELU and AdamW 5. Farther away than the base are stable by "
    "5, multi-query by 10 and the window by 15. The others show no clear difference, no positions "
    "among them, with 1.",
)
def draw_language_model() -> Figure:
    from course.chapters.ch18_since_2017.experiments import nearer

    base, *rows = nearer(experiments.load("since-language-model")["runs"])
    clear = [row for row in rows if verdict(row["nearer"], base["nearer"]) != UNCLEAR]
    clear.sort(key=lambda row: -as_array(row["nearer"]).mean())
    most = f"{clear[0]['what']} helps most: {as_array(clear[0]['nearer']).mean():.0f} %"
    figure, ax = style.panel(4.6)
    title = f"In a language model, too, {most} of the gap is gone"
    titled(
        figure, title, "How much nearer to the lowest possible loss; a dot for each of three runs"
    )
    for y, row in enumerate(clear):
        values, color = as_array(row["nearer"]), style.SOFT if y else style.ACCENT
        ax.barh(y, 100, height=0.62, color=style.GROUND)
        ax.barh(y, values.mean(), height=0.62, color=color)
        ax.scatter(values, [y] * 3, s=12, color=style.INK, zorder=3)
        look = {"va": "center_baseline", "weight": "normal" if y else "bold"}
        at = max(0, *values) + 1.5, y
        ax.text(*at, f"{in_points(values.mean())} %", color=style.INK if y else color, **look)
    for x, said in ((0, "the base"), (100, "the lowest possible loss")):
        ax.axvline(x, color=style.INK, linewidth=1)
        ax.annotate(said, (x, -0.6), (0, 5), ha="right" if x else "left", **POINTS)
    same = f"{len(rows) - len(clear)} other changes, all kinds of positions too: {UNCLEAR}"
    ax.text(1.5, len(clear) + 0.05, same, va="center", color=style.MUTED)
    ax.set_yticks(range(len(clear)), [row["what"] for row in clear])
    ax.get_yticklabels()[0].set(color=style.ACCENT, weight="bold")
    ax.set(ylim=(len(clear) + 0.4, -0.6), xlim=(-22, 100), xticks=[])
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)
    return figure


@figure(
    "since-2017-and-2026",
    hero=True,
    caption="What replaced the parts of 2017, and what each difference is worth here.",
    alt="A table of what replaced what, with bars for what each change is worth on sentences as in "
    "training, with a pronoun, and longer; the clear ones are strong, and have a number: rotary "
    "+2, −7, +34; pre-norm +6, +16, +12; AdamW +5, +17, +8; stable +4, +17, +2; RMSNorm +1, +5, "
    "+1; SwiGLU +6, +19, +1; QK-norm 0, −5, −1; no biases 0, −3, −2; grouped queries −3, −8, −4. "
    "At the foot all nine at once, today +9, +22, +46. The +34 and the +46 are orange.",
)
def draw_both_ends() -> Figure:
    rows = {row["what"]: row for row in stored_points()}
    return _two_models(
        [rows[what] for what in BETWEEN if what in rows],
        {"longer": "longer\nsentences", "pronoun": "with a\npronoun", "test": "as in\ntraining"},
    )


WAYS = {  # of attention: their names, how high their squares and names stand
    "formula": ("the formula", 2.55, 3.05),
    "block by block": ("block by block", 1.5, 2.2),
    "fused": ("the fused kernel", 0.75, 1.13),
}


@figure(
    "since-memory",
    caption="Bytes that attention without a mask needs at a time: three ways.",
    alt="Squares for the megabytes in use at a time, by the words in a sentence, 2,048 words in "
    "all. The formula's have 2 at 16 and 32 words and then double from one to the next, to 134 at "
    "2,048, where a grid cuts the square into cells as large as the fused kernel's, which is "
    "orange. Block by block, they grow from 5 to 10 and stay so from 128 words on. Fused they have "
    "1 or 2 at every length: at 2,048 the formula's is 82 times as large.",
)
def draw_memory() -> Figure:
    megabytes: dict[str, dict[int, float]] = {}
    for row in (row for row in experiments.load("fused")["memory"] if row["mask"] == "none"):
        megabytes.setdefault(row["way"], {})[row["length"]] = row["bytes"] / 1e6
    most = max(megabytes["formula"])
    high, low = megabytes["formula"][most], megabytes["fused"][most]
    figure, ax = canvas(style.WIDTH, 5.25)
    title = f"At {most:,} words the formula needs {high / low:.0f} times the fused kernel's memory"
    heading(ax, title, "What attention without a mask holds at a time, as areas")
    inch, right = 1.85 / high**0.5, style.WIDTH - 0.1  # the side of a megabyte
    for length in sorted(megabytes["formula"], reverse=True):
        sides = {way: inch * found[length] ** 0.5 for way, found in megabytes.items()}
        middle = right - max(sides.values()) / 2
        for way, side in sides.items():
            name, y, up = WAYS[way]
            color = style.ACCENT if way == "fused" else style.SOFT
            area(ax, (middle - side / 2, y), side, side, color)
            if length == most:
                own = style.ACCENT if way == "fused" else style.INK
                said = f"{megabytes[way][length]:.{2 * (way == 'fused')}f} MB"
                label(ax, (middle, y + side + 0.13), said, ha="center", color=own)
                label(ax, (0.1, up), name, size=style.LABEL, color=own, weight="bold")
        label(ax, (middle, 0.5), f"{length:,}", ha="center")
        right = middle - max(sides.values()) / 2 - 0.15
        if length == most:  # as many cells as the other is smaller
            cell, ends = sides["fused"], (y0 := WAYS["formula"][1], y0 + sides["formula"])
            x = middle - sides["formula"] / 2
            area(ax, (x, y0), cell, cell, style.ACCENT)
            lines, look = np.arange(cell, sides["formula"], cell), {"color": style.PAPER, "lw": 0.8}
            ax.vlines(x + lines, *ends, **look)
            ax.hlines(y0 + lines, x, x + sides["formula"], **look)
    label(ax, (0.1, 0.2), "words in a sentence")
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
