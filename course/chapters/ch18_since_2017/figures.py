"""Since 2017: new bends, positions and schedules, what each part is worth, and both ends."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from course import experiments
from course.drawing import style
from course.drawing.arrows import arrow, box, bracket, path
from course.drawing.cells import EDGE, NO_CELL, area, matrix, outline, scale
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
CLEAR = {"better": "clearly better", "worse": "clearly worse"}


@mpl.rc_context(style.PRINT)
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


@mpl.rc_context(style.PRINT)
def _score_squares(squares: Mapping[str, Any], title: str = "") -> Figure:
    """Draw scores (q, k) by the places of query and key -> the figure.

    squares: title -> scores. Each has a scale of its own; -inf is grey. One diagonal is outlined,
    and a label says whether its cells are alike.
    """
    figure, ax = canvas(style.WIDTH, 3.7)
    heading(ax, title, "How well one and the same word fits itself, by its places: the scores")
    side, gap, bottom = 1.65, 0.22, 0.75
    for number, (name, square) in enumerate(squares.items()):
        scores, x = as_array(square), 0.66 + number * (side + gap)
        limit = float(np.abs(np.ma.masked_invalid(scores)).max()) or 1.0
        matrix(ax, (x, bottom), side, side, scores, limit=limit)
        cell, count = side / len(scores), len(scores)
        outlined = scores.diagonal(-APART)
        for place in range(len(outlined)):
            down = bottom + side - (place + APART + 1) * cell
            outline(ax, (x + place * cell, down), cell, cell, style.INK, 1.0)
        alike = "all alike" if len(outlined) and np.ptp(outlined) < 1e-5 else "not alike"
        label(ax, (x, bottom + side + 0.38), name, size=style.LABEL, weight="bold")
        look = {"color": style.ACCENT if alike == "not alike" else style.INK}
        label(ax, (x, bottom + side + 0.15), f"outlined: {alike}", **look)
        for place in (0, count - 1):
            middle = (place + 0.5) * cell
            label(ax, (x + middle, bottom - 0.13), str(place), ha="center")
            if not number:
                label(ax, (x - 0.07, bottom + side - middle), str(place), ha="right")
        label(ax, (x + side / 2, bottom - 0.13), "key", ha="center")
    label(ax, (0.59, bottom + side / 2), "query", ha="right")
    label(ax, (0.66, 0.2), "score:")
    scale(ax, (1.4, 0.15), 1.3, limit=1)
    label(ax, (2.9, 0.2), "times the largest of its square")
    for x, said, color in ((5.8, "hidden", NO_CELL), (6.66, f"{APART} places apart", style.PAPER)):
        area(ax, (x, 0.13), 0.14, 0.14, color)
        outline(ax, (x, 0.13), 0.14, 0.14, EDGE if color == NO_CELL else style.INK, 1.0)
        label(ax, (x + 0.22, 0.2), said)
    return figure


@mpl.rc_context(style.PRINT)
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


@mpl.rc_context(style.PRINT)
def length_lines(
    lengths: Sequence[int],
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    unit: str,
    marks: Sequence[float],
    loud: Collection[str],
    beside: str = "",
) -> Figure:
    """Draw what attention takes against the length of the sentences -> the figure.

    panels: title -> {way: a number for each length}. marks: upwards, where each step multiplies.
    beside: what it means to lie below 1, where the ground is tinted. Raises ValueError for a way
    without a number for each length.
    """
    figure, axes = style.panels(len(panels), 4.0, sharey=True)
    for ax, (title, ways) in zip(axes, panels.items(), strict=True):
        doubling(ax, marks, "y")
        doubling(ax, lengths if len(panels) == 1 else lengths[1::2])
        ax.set(xlabel="words in a sentence", title=title)
        if beside:
            multiples(ax.yaxis)
            ax.axhspan(0, 1, color=style.GROUND, zorder=0)
            ax.axhline(1, color=style.SOFT, linewidth=2)
            ax.text(lengths[0], 0.09, beside, color=style.MUTED)
            ax.set_ylim(0.08, 1.7 * marks[-1])
        curves(ax, lengths, ways, loud=loud, marker="o")
    axes[0].set_ylabel(unit)
    return figure


# --- both ends -----------------------------------------------------------------------------------

THEN, NOW = 0.89, 7.11  # the middles of the two columns, in inches
WIDE, FRAME = 1.36, 1.74  # a part, and the layer around it
NAME, ZEROS, POINT = 1.92, (3.29, 3.92, 4.88), 0.021  # of the bars: names, zeros, and one point
PAPER_LAYER = (  # from the bottom up: height of the middle, what it is; a residual goes around
    (1.86, "words + positions", ""),
    (3.28, "self-attention:\n4 heads of keys", "around"),
    (4.62, "add & layer norm", ""),
    (5.35, "feed-forward:\nmax(0, z), biases", "around"),
    (6.02, "add & layer norm", ""),
)
TODAYS_LAYER = (
    (1.86, "words", ""),
    (2.56, "RMSNorm", "around"),
    (3.28, "self-attention:\nQK-norm, 2 heads\nof keys, turned", ""),
    (4.04, "add", ""),
    (4.62, "RMSNorm", "around"),
    (5.35, "feed-forward:\nSwiGLU, no biases", ""),
    (6.02, "add", ""),
)
TRAINING = {
    THEN: "Adam; the rate goes up,\nand straight down (in\nthe paper: in a curve)",
    NOW: "AdamW; the rate goes\nup, stays, goes down",
}
# Rows that change the same thing stand together, as high as what they change in both layers.
TOGETHER = {
    ("SwiGLU", "no biases"): 5.35,
    ("pre-norm", "RMSNorm"): 4.62,
    ("QK-norm", "grouped queries"): 3.28,
    ("rotary",): 1.86,
    ("AdamW", "stable"): 1.05,
}


@mpl.rc_context(style.PRINT)
def _two_models(rows: Sequence[Mapping[str, Any]], panels: Mapping[str, str]) -> Figure:
    """Draw a layer of 2017, one of today, and what lies between them, with its worth -> the figure.

    What is worth most for pronouns and for longer sentences is loud, and makes the title.

    rows: {"what"} and for each key of `panels` a number for each seed, in points; the first is the
    base, the last all of them together. panels: key -> the head of its column. A bar is strong and
    has a number where each seed lies beyond all of the base's.
    """
    if len(rows) < 3:
        raise ValueError(f"{len(rows)} rows: the base, a part and all together are needed")
    base, *parts, together = rows
    most = {key: best(parts, key)[0] for key in panels}
    figure, ax = canvas(style.WIDTH, 7.5)
    title = "{} is worth most for pronouns, {} positions for longer sentences"
    heading(
        ax,
        title.format(most.get("pronoun"), most.get("longer")),
        "A layer of 2017, one of 2026, and how many more of 100 sentences each change gets right",
    )
    for x, year, layer, side in ((THEN, "2017", PAPER_LAYER, -1), (NOW, "2026", TODAYS_LAYER, 1)):
        label(ax, (x, 6.69), year, size=style.TITLE, weight="bold", ha="center")
        _layer(ax, x, layer, side)
        box(ax, (x, 1.05), FRAME, 0.7, TRAINING[x], size=style.NOTE)
    heights = {together["what"]: 0.42}
    for names, middle in TOGETHER.items():
        ends = [middle + 0.14 * (len(names) - 1) - 0.28 * i for i in range(len(names))]
        heights |= dict(zip(names, ends, strict=True))
        edge, high = (WIDE if middle > 1.5 else FRAME) / 2, 0.28 * len(names)
        tie = (THEN + edge, middle - high / 2), NOW - THEN - 2 * edge
        area(ax, *tie, high, style.GROUND, zorder=0.5)
    for x, name in zip(ZEROS, panels.values(), strict=False):
        label(ax, (x, 6.02), name, color=style.MUTED)
        path(ax, [(x, 0.28), (x, 5.68)], style.SOFT, head=False, thick=0.75)
    for row in (*parts, together):
        y, last = heights[row["what"]], row is together
        label(ax, (NAME, y), row["what"], size=style.LABEL, weight="bold" if last else "normal")
        for x, key in zip(ZEROS, panels, strict=False):
            points = float(as_array(row[key]).mean())
            clear = verdict(row[key], base[key]) != UNCLEAR
            loud = key != "test" and row["what"] == most[key]
            color = style.ACCENT if loud else style.MUTED if clear else PALE
            area(ax, (x, y - 0.1), POINT * points, 0.2, color, zorder=2)
            if clear:
                at = x + POINT * points + (0.05 if points > 0 else -0.05), y
                look = {"color": style.ACCENT if loud else style.INK}
                look["weight"] = "bold" if loud or last else "normal"
                label(ax, at, in_points(points), ha="left" if points > 0 else "right", **look)
    ax.plot([NAME, NOW - FRAME / 2 - 0.16], [0.63] * 2, color=style.SOFT, linewidth=1)
    label(ax, (NAME + 0.5, 0.42), f"all {len(parts)}", color=style.MUTED)
    label(ax, (NAME, 0.12), "without a number: no clear difference", color=style.MUTED)
    return figure


PALE = "#C3C8CF"


def in_points(number: float) -> str:
    """A whole number of points with its sign: +3, 0, −12."""
    return f"{round(number):+d}".replace("-", "\N{MINUS SIGN}") if round(number) else "0"


def _layer(ax: Axes, x: float, parts: Sequence[tuple[float, str, str]], side: int) -> None:
    """Boxes from the bottom up, in a frame; what comes in goes around, too, on this side."""
    bottom, top = parts[0][0] + 0.29, parts[-1][0] + 0.3
    middle, tint = (x, (bottom + top) / 2), style.TINTS[style.DECODER]
    box(ax, middle, FRAME, top - bottom, color=style.DECODER, fill=tint, zorder=0)
    edge = None  # the upper edge of the last box
    adds = [y for y, words, _ in parts if words.startswith("add")]
    for y, words, way in parts:
        high = 0.32 + 0.18 * words.count("\n")
        if edge is not None:
            arrow(ax, (x, edge), (x, y - high / 2), style.SOFT)
        if way == "around":
            below, end = y - high / 2 - 0.12, x + side * WIDE / 2
            add, aside = min(place for place in adds if place > y), end + side * 0.1
            path(ax, [(x, below), (aside, below), (aside, add), (end, add)], style.SOFT)
        changed = style.GROUND if y in TOGETHER.values() else style.PAPER
        look = {"color": style.DECODER, "fill": changed, "size": style.NOTE}
        box(ax, (x, y), WIDE, high, words, **look)
        edge = y + high / 2
    arrow(ax, (x, edge), (x, top + 0.22), style.SOFT)


PANELS = {"test": "as in training", "pronoun": "with a pronoun", "longer": "longer sentences"}
BETWEEN = ("base", *(what for group in TOGETHER for what in group), "today")


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
        "2017: added": added @ w_q @ (added @ w_k).T / d_k**0.5,
        "rotary: turned": (q @ k.transpose(-2, -1))[0, 0] / d_k**0.5,
        "ALiBi: taken off": ALiBi(4)(distance)[0],
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
    "the key 3 places before the query. With positions added to the word, in 2017, its cells are "
    "not alike. With rotary positions each diagonal has one color. ALiBi is 0 on the main diagonal "
    "and falls evenly with the distance, to both sides. A window of 5 leaves a band of nine "
    "diagonals, the word and 4 on each side, and hides the rest. Each square has its own scale.",
)
def draw_positions() -> Figure:
    title = "Rotary, ALiBi and a window see only the distance; 2017 does not"
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
    alt="A row for the base and each of twenty exchanges, three panels, a mark for each seed. As "
    "in training: Muon is 12 points above the base, today 9, pre-norm and SwiGLU 6, the mixture "
    "of experts and AdamW 5, stable 4, GELU 3; below it are multi-query with 10, no positions with "
    "14. With a pronoun: Muon 25 above, today 22, SwiGLU and the mixture of experts 19, AdamW and "
    "stable 17, pre-norm 16; the window is 16 below. Longer: today 46 above, rotary 34, T5's "
    "positions 33, Muon 29, ALiBi 22, pre-norm 12, AdamW 8; multi-query is 10 below, no positions "
    "15. The others show no clear difference.",
)
def draw_worth() -> Figure:
    rows = stored_points()
    figure = seed_rows(
        rows,
        PANELS,
        title="One by one, Muon is worth most; on longer sentences, two kinds of positions",
        note="Percentage points more right sentences than the base; a dot for each seed, "
        "the band: the base's own\n“today”: nine of the changes at once",
        loud=[(found, key) for key in PANELS for found in best(rows, key)],
        strong=["today"],
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
        if row["group"] != before["group"] and row["what"] != "today":
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
    alt="A row for the base and each of twenty exchanges, a mark for each seed, in groups: clearly "
    "better, positions, no clear difference, clearly worse; and how much of the base's distance to "
    "the floor is gone, in validation loss. Muon 25 percent, today 10, SwiGLU 9, not tied and "
    "QK-norm 8, GELU and AdamW 5. Farther away than the base are stable by 5, multi-query by 10 "
    "and the window by 15. The others show no clear difference, no positions among them, with 1.",
)
def draw_language_model() -> Figure:
    from course.chapters.ch18_since_2017.experiments import nearer

    base, *rows = nearer(experiments.load("since-language-model")["runs"])
    for row in rows:
        found = verdict(row["nearer"], base["nearer"])
        which = "positions" if row["group"] == "positions" else "others"
        row["group"] = CLEAR.get(found, f"{which}: {UNCLEAR}")
    order = "better", "positions", "others", "worse"
    rows.sort(key=lambda row: -as_array(row["nearer"]).mean())
    rows.sort(key=lambda row: [part in row["group"] for part in order].index(True))
    figure = seed_rows(
        [base, *rows],
        {"nearer": ""},
        title="In a language model, too, Muon is worth most; positions are worth nothing",
        note="How much of the gap between the base's loss and the lowest possible one, the floor, "
        "each change\ncloses. A dot for each of three seeds; the grey band is the base's own. "
        "“today”: nine changes at once",
        loud=[(found, "nearer") for found in best(rows, "nearer")],
        written=lambda mean: f"{in_points(mean)} %",
    )
    [ax] = figure.axes
    ax.set_xticks(range(-10, 21, 10), ["\N{MINUS SIGN}10 %", "0 %", "10 %", "20 %"])
    ax.set_xlabel("◀ worse      part of the gap that is closed      better ▶")
    above, look = "", {"transform": ax.get_yaxis_transform(), "color": style.MUTED}
    for row, y, text in zip(rows, ax.get_yticks()[1:], ax.get_yticklabels()[1:], strict=True):
        if row["group"] != above:
            above = row["group"]
            ax.text(0.005, y - 0.15, above, va="bottom", size=style.NOTE, **look)
        text.set_color(style.MUTED if UNCLEAR in above else style.INK)
    return figure


@figure(
    "since-2017-and-2026",
    hero=True,
    caption="A layer of 2017, one of 2026, and what each difference is worth here.",
    alt="Left a layer of 2017: words plus positions, self-attention with four heads of keys, add "
    "and layer norm, feed-forward with max(0, z) and biases, add and layer norm. Right one of "
    "2026: words, RMSNorm, self-attention that is turned, with QK-norm and two heads of keys, add, "
    "RMSNorm, feed-forward with SwiGLU and without biases, add. Between them, on bands from box to "
    "box, bars for what each difference is worth on sentences as in training, with a pronoun, and "
    "longer; the clear ones are strong: SwiGLU +6, +19, +1, no biases 0, −3, −2; pre-norm +6, "
    "+16, +12, RMSNorm +1, +5, +1; QK-norm 0, −5, −1, grouped queries −3, −8, −4; rotary +2, −7, "
    "+34; AdamW +5, +17, +8, stable +4, +17, +2; today +9, +22, +46. The two that the title names "
    "are orange.",
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
    named = {names.get(way, way): found for way, found in megabytes.items()}
    lengths, loud = sorted({row["length"] for row in rows}), [names["fused"]]
    figure = length_lines(lengths, {"": named}, unit="", marks=[1, 10, 100], loud=loud)
    last, times = lengths[-1], f"{high / low:.0f}"
    title = f"At {last:,} words the formula needs {times} times the memory of the fused kernel"
    note = f"Attention without a mask, {last:,} words in all: the most megabytes in use at a time"
    titled(figure, title, note)
    [ax] = figure.axes
    ax.set(ylim=(0.6, 250), xlabel="words in each sentence")
    ax.lines[1].set(linewidth=1, marker="")
    ax.vlines(last, low, high, color=style.INK, linewidth=1.3, zorder=1)
    look = {"ha": "right", "weight": "bold", "size": style.LABEL + 1, "color": style.INK}
    ax.annotate(f"{times} ×", (last, 30), (-8, 0), va="center", **look, **POINTS)
    return figure


@figure(
    "since-fused-times",
    title="Causal attention, fused: quicker in training, and in use from 128 words on",
    caption="Where PyTorch's fused kernel with a causal mask is quicker than the formula.",
    alt="Two panels with a line for one thread and a dashed one for two: the fused kernel's time "
    "with a causal mask divided by the formula's, from 16 to 2,048 words in a sentence. In use it "
    "is above 1 at 16 words, and with two threads falls from 2.6 there to 1.2 at 64; from 128 on "
    "it is between 0.15 and 0.63. In training it is between 0.35 and 0.83 everywhere. Below 1 the "
    "ground is tinted: quicker.",
)
def draw_fused_times() -> Figure:
    rows = [row for row in experiments.load("fused")["times"] if row["mask"] == "causal"]
    panels: dict[str, dict[str, list[float]]] = {"in use": {}, "in training": {}}
    for row in rows:
        ways = panels["in use" if row["what"] == "use" else "in training"]
        name = f"{row['threads']} thread{'s' * (row['threads'] > 1)}"
        ways.setdefault(name, []).append(row["time"]["fused"])
    return length_lines(
        sorted({row["length"] for row in rows}),
        panels,
        unit="time, as a multiple of the formula's",
        marks=[0.25, 0.5, 1, 2],
        loud=["1 thread"],
        beside="quicker than the formula",
    )
