"""Since 2017: new bends, positions and schedules, what each part is worth, and both ends."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, bracket, path
from course.drawing.cells import EDGE, NO_CELL, area, matrix, outline, strip
from course.drawing.plots import curves, doubling, multiples, shares
from course.drawing.registry import figure
from course.drawing.rows import seed_rows, verdict
from course.drawing.values import as_array
from course.drawing.words import canvas, heading, label, titled, width_of
from transformer_lib.model.embedding import positional_encoding
from transformer_lib.training.schedules import SCHEDULES
from transformer_lib.variants import ALiBi, Rotary, Window

POINTS = {"textcoords": "offset points"}
UNCLEAR = "no clear difference"


def _bend_curves(z: Any, bends: Mapping[str, Any]) -> Figure:
    """Draw what comes out of a bend against what goes in: the first is grey behind each other."""
    figure, axes = style.panels(len(bends), 3.2, sharey=True)
    (first, corner), *_ = bends.items()
    for ax, (name, bend) in zip(axes, bends.items(), strict=True):
        values, lowest = as_array(bend), int(np.argmin(as_array(bend)))
        ax.plot(z, as_array(corner), color=style.SOFT)
        if name == first:
            ax.plot(z, values, color=style.INK)
            ax.annotate("a corner", (0, 0), (-4, 8), ha="right", **POINTS)
        else:
            ax.plot(z, values, color=style.ACCENT, linewidth=2.8)
            at, said = (float(z[lowest]), values[lowest]), f"lowest: {values[lowest]:.2f}"
            ax.plot(*at, "o", color=style.ACCENT)
            ax.annotate(said, at, (0, -8), ha="center", va="top", color=style.ACCENT, **POINTS)
            ax.annotate(first, (1.3, 1.3), (-10, 0), ha="right", color=style.MUTED, **POINTS)
        ax.set(title=name, xlim=(float(z[0]), float(z[-1])), xticks=[-2, 0, 2], yticks=[0, 1, 2])
        ax.set(ylim=(-1, 2), xlabel="z: what goes in")
    axes[0].set_ylabel("what comes out")
    return figure


APART = 3  # places from the query back to the key, of the cells with an outline


def _score_squares(squares: Mapping[str, Any], title: str = "") -> Figure:
    """Draw scores (q, k) by the places of query and key -> the figure.

    squares: title -> scores. Each has a scale of its own; -inf is grey. One diagonal is outlined,
    and below each square its cells stand side by side.
    """
    figure, ax = canvas(style.WIDTH, 4.4)
    heading(ax, title, "How well one and the same word fits itself, at twelve places: the scores")
    side, gap, bottom = 1.65, 0.22, 1.6
    for number, (name, square) in enumerate(squares.items()):
        scores, x = as_array(square), 0.66 + number * (side + gap)
        limit = float(np.abs(np.ma.masked_invalid(scores)).max()) or 1.0
        matrix(ax, (x, bottom), side, side, scores, limit=limit)
        cell, count = side / len(scores), len(scores)
        outlined = scores.diagonal(-APART)
        for place in range(len(outlined)):
            down = bottom + side - (place + APART + 1) * cell
            outline(ax, (x + place * cell, down), cell, cell, style.INK, 1.0)
        alike = len(outlined) and np.ptp(outlined) < 1e-5
        said, color = ("all alike", style.INK) if alike else ("not alike", style.ACCENT)
        if len(outlined):
            strip(ax, (x, 0.78), side, 0.2, outlined, limit=limit, edge=style.INK, line=1.0)
        label(ax, (x + side / 2, 0.58), said, ha="center", color=color, weight="bold")
        label(ax, (x, bottom + side + 0.17), name, size=style.LABEL, weight="bold")
        for place in (0, count - 1):
            middle = (place + 0.5) * cell
            label(ax, (x + middle, bottom - 0.13), str(place), ha="center")
            if not number:
                label(ax, (x - 0.07, bottom + side - middle), str(place), ha="right")
        label(ax, (x + side / 2, bottom - 0.13), "key", ha="center")
    label(ax, (0.59, bottom + side / 2), "query", ha="right")
    label(ax, (0.66, 1.15), f"the outlined cells, whose key is {APART} places before the query:")
    ax.plot([0.66, 0.66 + 4 * side + 3 * gap], [0.36] * 2, color=style.RULE, linewidth=0.8)
    label(ax, (0.66, 0.16), "score: low")
    strip(ax, (1.4, 0.11), 1.3, 0.1, np.linspace(-1, 1, 65), limit=1)
    label(ax, (2.78, 0.16), "high, in each square by its own largest")
    area(ax, (6.27, 0.09), 0.14, 0.14, NO_CELL)
    outline(ax, (6.27, 0.09), 0.14, 0.14, EDGE, 1.0)
    label(ax, (6.49, 0.16), "hidden")
    return figure


def _schedule_lines(rates: Mapping[str, Any]) -> Figure:
    """Draw learning rates by the step, as shares of the highest one; the last is loud."""
    figure, ax = style.panel(3.2)
    ax.set(
        xlabel="step of training", ylabel="learning rate, as a share of its highest", ylim=(0, 1.22)
    )
    steps = np.arange(1, len(next(iter(rates.values()))) + 1)
    ax.set_xlim(0, len(steps))
    by_highest = {name: as_array(lr) / max(lr) for name, lr in rates.items()}
    curves(ax, steps, by_highest, loud=list(rates)[-1:], names=False)
    shares(ax.yaxis)
    last = steps[np.flatnonzero(list(by_highest.values())[-1] == 1)[-1]]
    said = f"last {1 - last / len(steps):.0%}".replace("%", " %")
    bracket(ax, (last, 1.1), (len(steps), 1.1), said, style.ACCENT)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    # each named where it is apart from the others: how far along, how far from it
    left, right = (0.37, (-4, -4), "right", "top"), (0.37, (4, 2), "left", "bottom")
    places = left, right, (0.45, (0, 8), "center", "bottom")
    for line, (part, away, ha, va) in zip(ax.lines, places, strict=False):
        place = int(part * len(steps))
        own = {"color": style.readable(line.get_color(), style.PAPER), "ha": ha, "va": va}
        own |= {"xytext": away, "textcoords": "offset points", "annotation_clip": False}
        own["weight"] = "bold" if line.get_color() == style.ACCENT else "normal"
        ax.annotate(line.get_label(), (steps[place], line.get_ydata()[place]), **own)
    return figure


def _times_by_length(panels: Mapping[str, Mapping[int, Mapping[int, float]]]) -> Figure:
    """Draw how much of the formula's time the fused kernel takes, by the length of sentences.

    panels: title -> length -> threads -> a multiple. Orange where it is quicker, and a bracket over
    the lengths at which it is quicker with each number of threads.
    """
    figure = style.new_figure(style.WIDTH, 4.4)
    titled(
        figure,
        "The fused kernel is quicker in training, and in use from 128 words on",
        "Causal attention in one program, the fused kernel; the formula, step by step, is 1 ×",
    )
    axes = figure.subplots(1, len(panels), sharey=True)
    for ax, (title, times) in zip(axes, panels.items(), strict=True):
        lengths = sorted(times)
        doubling(ax, [0.125, 0.25, 0.5, 1, 2], "y")
        doubling(ax, lengths[1::2])
        multiples(ax.yaxis)
        ax.axhline(1, color=style.INK, linewidth=1.2, zorder=1)
        for n, by_threads in times.items():
            both = by_threads.values()
            ax.plot([n, n], [min(both), max(both)], color=style.SOFT, linewidth=2, zorder=1)
            for threads, time in by_threads.items():
                color = style.ACCENT if time < 1 else style.MUTED
                face = color if threads > 1 else style.PAPER
                ax.plot(n, time, "o", markersize=8, mec=color, mfc=face, mew=1.8, label=threads)
        quicker = [n for n in lengths if max(times[n].values()) < 1]
        where = f"from {quicker[0]} words on" if quicker[0] > lengths[0] else "at every length"
        bracket(ax, (quicker[0], 0.09), (lengths[-1], 0.09), "", style.ACCENT)
        look = {"ha": "center", "color": style.ACCENT, "weight": "bold"}
        ax.text((quicker[0] * lengths[-1]) ** 0.5, 0.098, f"quicker {where}", **look)
        ax.set(title=title, xlabel="words in a sentence", ylim=(0.08, 3.2))
    for threads, time in panels["in use"][128].items():
        look = {"va": "center_baseline", "ha": "right", "color": style.ACCENT}
        said = f"{threads} thread{'s' * (threads > 1)}"
        axes[0].annotate(said, (128, time), (-9, 0), **look, **POINTS)
    for said, away, va in (("slower", 4, "bottom"), ("quicker", -4, "top")):
        look = {"va": va, "ha": "right", "color": style.MUTED}
        axes[0].annotate(f"{said} than the formula", (2048, 1), (0, away), **look, **POINTS)
    return figure


# --- both ends -----------------------------------------------------------------------------------

ZEROS, POINT, HIGH = (4.5, 5.4, 6.5), 0.024, 0.2  # of the bars: zeros, one point, height, in inches
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
    by the last one, and the best there is loud. A bar is strong and has a number where each seed
    lies beyond all of the base's.
    """
    if len(rows) < 3:
        raise ValueError(f"{len(rows)} rows: the base, a part and all together are needed")
    base, *parts, together = rows
    *_, key = panels
    parts.sort(key=lambda row: -as_array(row[key]).mean())
    one, all_of_them = (in_points(as_array(row[key]).mean()) for row in (parts[0], together))
    figure, ax = canvas(style.WIDTH, 5.3)
    name = CHANGED[parts[0]["what"]][1]
    title = f"On longer sentences, {name} bring {one}, all {len(parts)} changes {all_of_them}"
    note = "What replaced what, and how many more of 100 sentences a small translator has right"
    heading(ax, title, note)
    y = 4.0
    for x, said in ((0.02, "2017"), (2.0, "2026"), *zip(ZEROS, panels.values(), strict=False)):
        look = {"weight": "bold", "va": "bottom"} if said.isdigit() else {"color": style.MUTED}
        label(ax, (x, y), said, **{"size": style.LABEL, "va": "bottom"} | look)
    for x, _ in zip(ZEROS, panels, strict=False):
        path(ax, [(x, 0.42), (x, y - 0.16)], style.SOFT, head=False, thick=0.75)
    for row in (*parts, together):
        last = row is together
        y -= 0.42 if last else 0.325
        bold = {"size": style.LABEL, "weight": "bold" if last or row is parts[0] else "normal"}
        if last:
            path(ax, [(0.02, y + 0.21), (style.WIDTH - 0.1, y + 0.21)], style.SOFT, head=False)
            label(ax, (0.02, y), f"all {len(parts)} changes at once", **bold)
        else:
            before, after = CHANGED[row["what"]]
            label(ax, (0.02, y), before, size=style.LABEL, color=style.MUTED)
            arrow(ax, (1.66, y), (1.9, y), style.SOFT)
            label(ax, (2.0, y), after, **bold)
        for x, measure in zip(ZEROS, panels, strict=False):
            points = float(as_array(row[measure]).mean())
            clear = verdict(row[measure], base[measure]) != UNCLEAR
            loud = measure == key and row is parts[0]
            color = style.ACCENT if loud else style.MUTED if clear else PALE
            area(ax, (x, y - HIGH / 2), POINT * points, HIGH, color, zorder=2)
            if clear:
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
    """Scores (q, k) of one and the same word at all places, by four ways to tell the places."""
    torch.manual_seed(1)
    word = torch.randn(d_k)
    w_q, w_k = torch.randn(2, d_k, d_k) / d_k**0.5
    added = word + positional_encoding(length, d_k)
    same = word.expand(1, 1, length, d_k)
    q, k = Rotary(d_k)(same @ w_q, same @ w_k)
    places = torch.arange(length)
    distance = places[:, None] - places
    return {
        "sinusoids (2017)": added @ w_q @ (added @ w_k).T / d_k**0.5,
        "rotary": (q @ k.transpose(-2, -1))[0, 0] / d_k**0.5,
        "ALiBi": ALiBi(4)(distance)[0],
        "a window of 5": Window(5)(distance),
    }


@figure(
    "since-bends",
    title="GELU and SiLU have no corner, and dip a little below zero",
    caption="Three bends of feed-forward networks: max(0, z), GELU and SiLU (without the gate).",
    alt="Three panels, what comes out against what goes in, from -4 to 2. max(0, z) is 0 up to 0, "
    "with a corner, and then z; it is drawn in grey behind the others. GELU and SiLU have no "
    "corner: they dip below 0 for small negative z, GELU to -0.17, SiLU to -0.28, and rise towards "
    "z above it.",
)
def draw_bends() -> Figure:
    z = torch.linspace(-4, 2, 121)  # beyond, all three are near z
    bends = {
        "max(0, z)": torch.relu,
        "GELU": torch.nn.functional.gelu,
        "SiLU, in SwiGLU's gate": torch.nn.functional.silu,
    }
    return _bend_curves(z, {name: bend(z) for name, bend in bends.items()})


@figure(
    "since-positions",
    caption="One word at twelve places: its scores with itself, by four ways to tell the places.",
    alt="Four squares, places of queries by places of keys. In each one diagonal is outlined, with "
    "the key 3 places before the query, and below stand its cells side by side. With the sinusoids "
    "of 2017, added to the word, they are not alike. With rotary positions each diagonal has one "
    "color. ALiBi is 0 on the main diagonal and falls evenly with the distance, to both sides. A "
    "window of 5 leaves a band of nine diagonals, the word and 4 on each side, and hides the rest. "
    "Each square has its own scale.",
)
def draw_positions() -> Figure:
    title = "Rotary, ALiBi and a window see only the distance; sinusoids see the places"
    return _score_squares(_one_word_everywhere(), title)


@figure(
    "since-schedules",
    title="The stable schedule stays at its highest until the last fifth",
    caption="Three schedules, each by its own highest rate: straight down, cosine, stable.",
    alt="The learning rate against the step, up to 1,200. All three rise to their highest within "
    "120 steps. The straight one falls evenly to 0. The cosine stays high longer, falls fast in "
    "the middle and ends at a tenth. The stable one stays at the top until step 960 and then "
    "falls straight to 0.",
)
def draw_schedules() -> Figure:
    from course.chapters.ch18_since_2017.experiments import TRAINING

    names = {"linear": "straight down (the base)", "cosine": "cosine", "stable": "stable"}
    steps = range(1, TRAINING.steps + 1)
    return _schedule_lines(
        {
            said: [SCHEDULES[name](step, 1.0, TRAINING.warmup, TRAINING.steps) for step in steps]
            for name, said in names.items()
        }
    )


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
    rows, heads = [base, *parts, today | {"what": "today: nine at once"}], {}
    for key, name in PANELS.items():
        most = max(parts, key=lambda row: as_array(row[key]).mean())
        heads[key] = f"{name}:\n{most['what']} {in_points(as_array(most[key]).mean())}"
    figure = seed_rows(
        rows,
        heads,
        title="Muon helps most on known lengths, rotary and T5's positions on longer ones",
        note="How many more of 100 sentences are right than with the base: the mean of three runs, "
        "and their range.\nA range that reaches into the grey band, where the base's own runs lie, "
        "is no clear difference.",
        loud=[(found, key) for key in PANELS for found in best(parts, key)],
        strong=[rows[-1]["what"]],
        written=in_points,
        ticks=range(-20, 41, 20),
        spans=[(-20, 30), (-25, 39), (-20, 70)],
        quiet=True,
    )
    ax = figure.axes[0]
    out = 20 + 72 * sum(
        max(width_of(row[at], style.LABEL) for row in rows) for at in ("what", "group")
    )
    look = {"textcoords": "offset points", "va": "center_baseline", "color": style.MUTED}
    for place, before, row in zip(ax.get_yticks()[1:], rows, rows[1:], strict=False):
        if row["group"] != before["group"] and row is not rows[-1]:
            at = {"xy": (0, place), "xycoords": ax.get_yaxis_transform(), "xytext": (-out, 0)}
            ax.annotate(row["group"], **at, **look)
    return figure


def best(rows: Sequence[Mapping[str, Any]], key: str) -> list[str]:
    """The single exchanges whose mean is highest: the first, and what comes within two points."""
    means = {row["what"]: as_array(row[key]).mean() for row in rows if row["what"] != "today"}
    return [what for what, mean in means.items() if mean > max(means.values()) - 2]


@figure(
    "since-language-model",
    caption="The same exchanges in a language model: how much nearer its loss comes to the floor.",
    alt="A row for the base and each of ten exchanges, a dot for each seed, and a row for the "
    "means of ten others; how much of the base's distance to the floor is gone, in validation "
    "loss. Muon 25 percent, today 10, SwiGLU 9, not tied and QK-norm 8, GELU and AdamW 5. Farther "
    "away than the base are stable by 5, multi-query by 10 and the window by 15. The others show "
    "no clear difference, no positions among them, with 1.",
)
def draw_language_model() -> Figure:
    from course.chapters.ch18_since_2017.experiments import nearer

    base, *rows = nearer(experiments.load("since-language-model")["runs"])
    rows.sort(key=lambda row: -as_array(row["nearer"]).mean())
    found = {row["what"]: verdict(row["nearer"], base["nearer"]) for row in rows}
    same = [row for row in rows if found[row["what"]] == UNCLEAR]
    means = [as_array(row["nearer"]).mean() for row in same]
    strip_of = {"what": f"{len(same)} others", "group": UNCLEAR, "nearer": means}
    clear = [row | {"group": found[row["what"]]} for row in rows if row not in same]
    clear.insert([row["group"] for row in clear].index("worse"), strip_of)
    figure = seed_rows(
        [base, *clear],
        {"nearer": ""},
        title="In a language model, too, Muon is worth most; no kind of positions stands out",
        note="How much of the gap between the base's loss and the lowest possible one each change "
        "closes:\na dot for each of three runs. In the grey band lie the base's own. "
        "“today”: nine changes at once",
        loud=[(found, "nearer") for found in best(rows, "nearer")],
        written=lambda mean: f"{in_points(mean)} %",
    )
    [ax] = figure.axes
    ax.set_xticks(range(-10, 21, 10), ["\N{MINUS SIGN}10 %", "0 %", "10 %", "20 %"])
    ax.set_xlabel("◀ worse      part of the gap that is closed      better ▶")
    low, high = ax.get_xlim()
    for line, row in zip(ax.lines[2::2], [base, *clear], strict=True):  # it ends at the dots
        line.set_xdata([0, (max(row["nearer"]) - low) / (high - low)])
    for text in ax.texts:
        text.set_bbox({"facecolor": style.PAPER, "linewidth": 0, "pad": 2})
    names = ", ".join(row["what"].replace(" ", "\N{NO-BREAK SPACE}") for row in same)
    said = f"{UNCLEAR}, a dot for each mean:\n" + textwrap.fill(names, 46)
    y = ax.get_yticks()[1 + clear.index(strip_of)] - 0.3
    ax.text(max(means) + 1.5, y, said, va="top", color=style.MUTED, size=style.NOTE)
    return figure


@figure(
    "since-2017-and-2026",
    hero=True,
    caption="What replaced the parts of 2017, and what each difference is worth here.",
    alt="A table of what replaced what, with bars for what each change is worth on sentences as in "
    "training, with a pronoun, and longer; the clear ones are strong, and have a number: rotary "
    "+2, −7, +34; pre-norm +6, +16, +12; AdamW +5, +17, +8; stable +4, +17, +2; RMSNorm +1, +5, "
    "+1; SwiGLU +6, +19, +1; QK-norm 0, −5, −1; no biases 0, −3, −2; grouped queries −3, −8, −4. "
    "At the foot all nine at once, today +9, +22, +46. The +34 of rotary positions is orange.",
)
def draw_both_ends() -> Figure:
    rows = {row["what"]: row for row in stored_points()}
    return _two_models(
        [rows[what] for what in BETWEEN if what in rows],
        {"test": "as in\ntraining", "pronoun": "with a\npronoun", "longer": "longer\nsentences"},
    )


@figure(
    "since-memory",
    caption="Bytes that attention without a mask needs at a time: three ways.",
    alt="Megabytes in use at a time, on a scale on which each step multiplies, against the words "
    "in a sentence, 2,048 words in all. The formula's are 2 at 16 and 32 words and then double "
    "from mark to mark, to 134 at 2,048. Block by block, a thin line, they rise from 5 to 10 and "
    "stay there from 128 words on. Fused it is 1 or 2 at every length. A bracket at 2,048 words: "
    "82 times.",
)
def draw_memory() -> Figure:
    megabytes: dict[str, list[float]] = {}
    rows = [row for row in experiments.load("fused")["memory"] if row["mask"] == "none"]
    for row in rows:
        megabytes.setdefault(row["way"], []).append(row["bytes"] / 1e6)
    low, high = megabytes["fused"][-1], megabytes["formula"][-1]
    names = {"formula": f"the formula: {high:.0f} MB", "fused": f"the fused kernel: {low:.1f} MB"}
    lengths, last = sorted({row["length"] for row in rows}), rows[-1]["length"]
    figure = style.new_figure(style.WIDTH, 4.0)
    title = f"At {last:,} words the formula needs {high / low:.0f} times the fused kernel's memory"
    note = f"Attention without a mask, {last:,} words in all: the most megabytes in use at a time"
    titled(figure, title, note)
    ax = figure.subplots()
    doubling(ax, [1, 10, 100], "y")
    ax.yaxis.set_major_formatter("{x:g} MB")
    doubling(ax, lengths)
    named = {names.get(way, way): found for way, found in megabytes.items()}
    curves(ax, lengths, named, loud=[names["fused"]], marker="o")
    ax.set(ylim=(0.6, 250), xlabel="words in each sentence")
    ax.lines[1].set(linewidth=1, marker="")
    ax.vlines(last, low, high, color=style.INK, linewidth=1.3, zorder=1)
    look = {"ha": "right", "weight": "bold", "size": style.LABEL + 1, "color": style.INK}
    ax.annotate(f"{high / low:.0f} ×", (last, 30), (-8, 0), va="center", **look, **POINTS)
    return figure


@figure(
    "since-fused-times",
    caption="Where PyTorch's fused kernel with a causal mask is quicker than the formula.",
    alt="Two panels with a ring for one thread and a dot for two at each length from 16 to 2,048 "
    "words in a sentence: the fused kernel's time with a causal mask divided by the formula's. In "
    "use it is above 1 at 16 words, and with two threads falls from 2.6 there to 1.2 at 64; from "
    "128 on, where a bracket says quicker, it is between 0.15 and 0.63. In training it is between "
    "0.35 and 0.83 everywhere. What is below 1 is orange.",
)
def draw_fused_times() -> Figure:
    panels: dict[str, dict[int, dict[int, float]]] = {"in use": {}, "in training": {}}
    for row in (row for row in experiments.load("fused")["times"] if row["mask"] == "causal"):
        times = panels["in use" if row["what"] == "use" else "in training"]
        times.setdefault(row["length"], {})[row["threads"]] = row["time"]["fused"]
    return _times_by_length(panels)
