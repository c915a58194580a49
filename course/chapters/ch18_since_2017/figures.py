"""Since 2017: new curves and positions, what each part is worth, and what replaced what."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, path, segment
from course.drawing.cells import area, matrix, outline, strip
from course.drawing.registry import figure
from course.drawing.rows import verdict
from course.drawing.values import as_array
from course.drawing.words import bold, canvas, label, muted
from transformer_lib.model.embedding import positional_encoding
from transformer_lib.variants import ALiBi, Rotary

UNCLEAR = "no clear difference"
CHANGED = {  # what replaced what
    "SwiGLU": ("max(0, z)", "SwiGLU, a gate"),
    "no biases": ("biases", "no biases"),
    "pre-norm": ("norm after sub-layers", "norm before them: pre-norm"),
    "RMSNorm": ("layer norm", "RMSNorm"),
    "QK-norm": ("raw queries and keys", "normalized: QK-norm"),
    "grouped queries": ("4 heads of keys", "2 of them: grouped queries"),
    "rotary": ("positions added", "rotary positions"),
    "AdamW": ("Adam", "AdamW"),
    "stable": ("rate falls steadily", "rate stays, then falls: stable"),
}


def in_points(number: float) -> str:
    """A whole number of points with its sign: +3, 0, −12."""
    return f"{round(number):+d}".replace("-", "\N{MINUS SIGN}") if round(number) else "0"


BETWEEN = ("base", *CHANGED, "today")


def _mean(row: Mapping[str, Any], key: str = "longer") -> float:
    return float(as_array(row[key]).mean())


def _name(row: Mapping[str, Any]) -> str:
    from course.chapters.ch18_since_2017.experiments import TOLD

    return TOLD.get(row["what"], row["what"])


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
    return {
        "rotary": (q @ k.transpose(-2, -1))[0, 0] / d_k**0.5,
        "ALiBi": ALiBi(4)(places[:, None] - places)[0],
        "sinusoids (2017)": added @ w_q @ (added @ w_k).T / d_k**0.5,
    }


@figure(
    "since-bends",
    caption="What ReLU, GELU and SiLU make of a number.",
    alt="""Three curves next to each other, what comes out against what goes in, from -4 to 1.25,
    with a dot at -1. ReLU, max(0, z), in grey, is 0 there and everywhere below 0, and has a
    corner. GELU and SiLU, in orange, have no corner and dip below 0, which is filled: at -1 they
    give -0.16 and -0.27. ReLU is thin and named behind both.""",
)
def draw_bends() -> Figure:
    z = torch.linspace(-4, 1.25, 106)  # beyond, all three are near 0 or z
    functional = torch.nn.functional
    bends = {"ReLU: max(0, z)": torch.relu, "GELU": functional.gelu, "SiLU": functional.silu}
    title = "ReLU cuts off what is below zero; GELU and SiLU let a little through"
    figure, ax = canvas(3.3, title, "Horizontal: what goes in. Vertical: what comes out.")
    wide, high, zero = 0.42, 1.2, 0.85  # inches
    for place, (name, bend) in enumerate(bends.items()):
        color, x = style.ACCENT if place else style.MUTED, 1.7 + 2.75 * place
        at, out = x + wide * z, zero + high * bend(z)
        ax.plot(at, np.full(len(z), zero), color=style.SOFT, linewidth=1)
        segment(ax, (x, zero), (x, 2.2), style.RULE, thick=1, zorder=1)
        ax.fill_between(at, out, zero, out < zero, color=style.tint(color), linewidth=0)
        corners = [(float(at[0]), zero), (x, zero), (float(at[-1]), zero + high * 1.25)]
        path(ax, corners, style.SOFT, head=False, thick=1.2, zorder=1.5)
        muted(ax, (corners[-1][0], 2.45), "ReLU" * bool(place), ha="center")
        ax.plot(at, out, color=color, linewidth=2.8)
        one = float(bend(torch.tensor(-1.0)))
        ax.plot(x - wide, zero + high * one, "o", color=color, ms=8)
        bold(ax, (float(at[0]), 2.2), name, color=color)
        label(ax, (x - wide, zero + 0.18), "−1", ha="center")
        label(ax, (x + 0.07, zero - 0.15), "0")
        said = f"−1 becomes {f'{one:.2f}' if one else 0}"
        bold(ax, (x - wide - 0.2, zero + high * one - 0.28), said, ha="center", color=color)
    return figure


@figure(
    "since-positions",
    caption="The scores of one word with itself at twelve positions, told in three ways.",
    alt="""Three squares of scores (for ALiBi, of what is added to them), positions of queries by
    positions of keys, with one outlined diagonal: the key 3 positions before the query. Below,
    larger, its cells stand side by side. With rotary positions and with ALiBi they all have one
    color. With the sinusoids of 2017, added to the word, they differ. Each square has its own
    scale.""",
)
def draw_positions() -> Figure:
    title = "With rotary positions and ALiBi, it doesn't matter where a pair stands"
    apart = 3  # places from the query back to the key, of the cells with an outline
    note = (
        "Scores of one word at twelve positions (ALiBi: what is added to them); "
        f"outlined: key {apart} positions before query"
    )
    figure, ax = canvas(4.95, title, note)
    side, bottom, foot, high = 2.1, 1.65, 0.75, 0.42
    for number, (name, square) in enumerate(_one_word_everywhere().items()):
        scores, x = as_array(square), 0.9 + 2.44 * number
        limit = float(np.abs(scores).max())
        matrix(ax, (x, bottom), side, side, scores, limit=limit)
        cell, outlined = side / len(scores), scores.diagonal(-apart)
        alike, wide = np.ptp(outlined) < 1e-5, side / len(outlined)
        said, color = ("all equal", style.INK) if alike else ("not equal", style.ACCENT)
        strip(ax, (x, foot), side, high, outlined, limit=limit)
        for place in range(len(outlined)):
            at = x + place * cell, bottom + side - (place + apart + 1) * cell
            outline(ax, at, cell, cell, style.INK, 1.5)
            outline(ax, (x + place * wide, foot), wide, high, style.INK, 1.5)
        for place in (0, len(scores) - 1):
            label(ax, (x + (place + 0.5) * cell, bottom - 0.14), f"{place}", ha="center")
            if not number:
                label(ax, (x - 0.08, bottom + side - (place + 0.5) * cell), f"{place}", ha="right")
        label(ax, (x + side / 2, bottom - 0.14), "key", ha="center")
        label(ax, (x + side / 2, foot - 0.2), said, ha="center", color=color, weight="bold")
        bold(ax, (x, bottom + side + 0.17), name, color=color)
    for y, said in ((bottom + side / 2, "query"), (foot + high / 2, "outlined")):
        label(ax, (0.82, y), said, ha="right")
    strip(ax, (2.4, 0.13), 1.4, 0.12, np.linspace(-1, 1, 65), limit=1)
    label(ax, (2.3, 0.19), "below zero", ha="right")
    label(ax, (3.9, 0.19), "above zero; each square has its own scale")
    return figure


@figure(
    "since-worth",
    caption="How many more sentences each change gets right, at its own learning rate.",
    alt="""Thirteen rows with bars in two columns, in points above the base, and bands for the
    range of ten unchanged models; no bar: no clear difference. As in training: Muon is 12 points
    above the base, today 9, pre-norm and SwiGLU 6, the small experts and AdamW 5, stable 4, GELU
    3; below it are multi-query with 10, no positions with 14. Longer: today 46 above, rotary 34,
    T5's positions 33, Muon 29, ALiBi 22, pre-norm 12, AdamW 8; multi-query is 10 below, no
    positions 15. The others have no row. Orange: the bars of Muon and of rotary.""",
)
def draw_worth() -> Figure:
    base, *rows = stored_points()
    title = "Muon clearly helps on both kinds of sentences, rotary only on longer ones"
    note = (
        "How many more of every 100 sentences are right with each "
        "change; no bar: no clear difference"
    )
    figure, ax = canvas(5.3, title, note)
    columns = {"test": (2.85, "ordinary sentences"), "longer": (5.15, "longer sentences")}
    top, pitch, point = 4.0, 0.28, 0.055  # inches

    def points(row: Mapping[str, Any], key: str) -> float:  # 0 where it isn't clear
        return _mean(row, key) * (verdict(row[key], base[key]) != UNCLEAR)

    clear = [row for row in rows if points(row, "test") or points(row, "longer")]
    clear.sort(key=lambda r: (r["what"] == "today", -points(r, "longer"), -points(r, "test")))
    last = top - pitch * len(clear)
    for key, (zero, said) in columns.items():
        at, wide = (zero + point * min(base[key]), last), point * np.ptp(base[key])
        area(ax, at, wide, top - last + 0.2, style.GROUND)
        segment(ax, (zero, last), (zero, top + 0.2), style.SOFT, thick=0.75)
        bold(ax, (zero, top + 0.4), said, ha="center")
        chance = "the range of ten\nunchanged models"
        muted(ax, (at[0] + wide / 2, last - 0.25), chance, ha="center")
        for place, row in enumerate(clear):
            y, mean = top - pitch * place - 0.14 * (row["what"] == "today"), points(row, key)
            if key == "test":
                label(ax, (0.02, y), _name(row), size=style.LABEL)
            if mean:
                loud, ha = row["what"] in ("Muon", "rotary"), "left" if mean > 0 else "right"
                area(ax, (zero, y - 0.1), point * mean, 0.2, style.ACCENT if loud else style.SOFT)
                look = {"color": style.ACCENT, "weight": "bold"} if loud else {}
                at = zero + point * mean + 0.07 * np.sign(mean), y
                label(ax, at, in_points(mean), ha=ha, **look)
    more = f"{len(rows) - len(clear)} other changes: no\nclear difference on either"
    muted(ax, (0.02, last - 0.25), more)
    return figure


@figure(
    "since-language-model",
    caption="The same changes in a language model: how much of the gap to the floor each closes.",
    alt="""Bars on rails from the base's loss, at 0 percent, to the floor, at 100: how much of
    this gap is gone. Muon 25 percent, in orange, today 10, SwiGLU 9, not tied and QK-norm 8,
    GELU and AdamW 5. Farther away than the base, to the left, are stable by 5, multi-query by 10
    and the window by 15. The others show no clear difference, no positions among them, with 1.""",
)
def draw_language_model() -> Figure:
    from course.chapters.ch18_since_2017.experiments import nearer

    base, *rows = nearer(experiments.load("since-language-model")["runs"])
    clear = [row for row in rows if verdict(row["nearer"], base["nearer"]) != UNCLEAR]
    clear.sort(key=lambda row: -_mean(row, "nearer"))
    gone = [_mean(row, "nearer") for row in clear]
    most = f"{clear[0]['what']} helps most: it closes {gone[0]:.0f}% of the gap"
    note = "How much of the gap to the floor of the loss each change closes; means of three runs"
    figure, ax = canvas(4.85, f"In a language model, too, {most}", note)
    zero, end, y = 3.2, style.WIDTH - 0.1, 3.6
    inch = (end - zero) / 100
    for x, said, ha in ((zero, "0%: no change", "left"), (end, "100%: the floor", "right")):
        muted(ax, (x, y + 0.32), said, ha=ha)
        segment(ax, (x, 0.5), (x, y + 0.2), style.SOFT, thick=0.75)
    for place, (row, mean) in enumerate(zip(clear, gone, strict=True)):
        worse, look = mean < 0, {} if place else {"color": style.ACCENT, "weight": "bold"}
        y -= 0.15 * (gone[place - 1] > 0 > mean)
        if not worse:
            area(ax, (zero, y - 0.1), end - zero, 0.2, style.GROUND)
        area(ax, (zero, y - 0.1), inch * mean, 0.2, style.SOFT if place else style.ACCENT)
        label(ax, (0.02, y), _name(row), size=style.LABEL, **look)
        at, ha = (-0.08, "right") if worse else (0.08, "left")
        label(ax, (zero + inch * mean + at, y), f"{in_points(mean)}%", ha=ha, **look)
        y -= 0.31
    same = f"{len(rows) - len(clear)} other changes, including every kind of position: {UNCLEAR}"
    muted(ax, (0.02, 0.16), same)
    return figure


@figure(
    "since-2017-and-today",
    hero=True,
    caption="What replaced the parts of 2017 in `today`, and what each change gains here.",
    alt="""A table of what replaced what, with bars for what a change is worth on longer
    sentences. Clear ones: rotary +34, in orange, pre-norm +12, AdamW +8; all nine at once, today
    +46. No bars have those with no clear difference: stable, RMSNorm, SwiGLU, QK-norm, no biases
    and grouped queries.""",
)
def draw_both_ends() -> Figure:
    rows = {row["what"]: row for row in stored_points()}
    base, *parts, together = (rows[what] for what in BETWEEN)
    clear = [row for row in parts if verdict(row["longer"], base["longer"]) != UNCLEAR]
    clear.sort(key=_mean, reverse=True)
    name = CHANGED[clear[0]["what"]][1]
    one, nine = (in_points(_mean(row)) for row in (clear[0], together))
    title = f"On longer sentences, {name} gain {one[1:]} points, and all nine changes {nine[1:]}"
    note = "What replaced what, and how many more of every 100 longer sentences come out right"
    figure, ax = canvas(4.7, title, note)
    zero, y, unclear = 4.3, 3.33, [row for row in parts if row not in clear]
    for x, said in ((0.02, "2017"), (2.0, "today (by 2024)"), (zero, "gain, one change at a time")):
        bold(ax, (x, 3.7), said)
    for row in [*clear, *unclear, together]:
        strong, loud = row in (clear[0], together), row is clear[0]
        ink = style.ACCENT if loud else style.MUTED if row in unclear else style.INK
        look = {"size": style.LABEL, "weight": "bold" if strong else "normal", "color": ink}
        y -= 0.14 * (row in (unclear[0], together))
        if row is together:
            segment(ax, (0.02, y + 0.22), (style.WIDTH, y + 0.22), style.RULE, thick=1)
            label(ax, (2.0, y), "all nine changes at once", **look)
        else:
            old, new = CHANGED[row["what"]]
            muted(ax, (0.02, y), old, size=style.LABEL)
            arrow(ax, (1.66, y), (1.9, y), style.SOFT)
            label(ax, (2.0, y), new, **look)
        if row not in unclear:
            wide = 0.07 * _mean(row)  # inches
            color = style.ACCENT if loud else style.MUTED if strong else style.SOFT
            area(ax, (zero, y - 0.12), wide, 0.24, color)
            label(ax, (zero + wide + 0.08, y), in_points(_mean(row)), **look)
        elif row is unclear[0]:
            foot, x = y - 0.28 * (len(unclear) - 1), zero + 0.15
            segment(ax, (x, y + 0.1), (x, foot - 0.1), style.SOFT)
            label(ax, (x + 0.12, (y + foot) / 2), UNCLEAR, **look)
        y -= 0.28 if row in unclear else 0.34
    segment(ax, (zero, y + 0.14), (zero, 3.53), style.SOFT, thick=0.75)
    return figure
