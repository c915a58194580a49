"""How learning goes: what the loss compares, what the decoder reads, and the loss step by step."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from torch import Tensor

from course import experiments
from course.chapters.ch10_training.experiments import (
    COLUMNS,
    STUDENT,
    as_columns,
    smoothing_penalty,
    stored_rows,
    target_rows,
    written_words,
)
from course.drawing import style
from course.drawing.arrows import arrow, box, path
from course.drawing.cells import matrix
from course.drawing.plots import bar_rows, curves, name_lines
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round
from course.drawing.words import canvas, centered, heading, label, titled, word
from transformer_lib.training.schedules import paper_schedule
from transformer_lib.training.trainer import train

NAMES = {
    "loss": "rows it learns from, smoothed",
    "validation_loss": "rows it never saw",
}
TOP_LOSS = 9  # the scale of `writing_curve` ends there


def _learning_curve(
    history: Sequence[Mapping[str, Any]],
    ax: Axes | None = None,
    title: str | None = None,
    floor: float | None = None,
) -> Axes:
    """Draw the loss on training and on validation text against the step -> the axes.

    history: one entry for each report, `{"step", "loss", "validation_loss" (None where it was
    not measured)}`, the training record's own form. floor: the lowest training loss there can be,
    with label smoothing (see `smoothing_floor`). Raises ValueError when the history is empty.
    """
    if not history:
        raise ValueError("the training history is empty: there is no curve to draw")
    if ax is None:
        ax = style.new_figure(style.WIDTH, 4.0).subplots()
    for key, name in {"loss": "training text", "validation_loss": "validation text"}.items():
        measured = [entry for entry in history if entry.get(key) is not None]
        if measured:
            losses = {name: [entry[key] for entry in measured]}
            steps = [entry["step"] for entry in measured]
            curves(ax, steps, losses, loud=["validation text"], names=False)
    if floor is not None:
        said = "the least that smoothed targets allow"
        ax.axhline(floor, label=said, color=style.MUTED, linestyle=":", linewidth=1.4)
    ax.set(xlabel="step (one update of the weights)", ylabel="loss per token, in nats")
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    name_lines(ax)
    if title:
        ax.set_title(title)
    return ax


def run_curves(
    steps: Sequence[Mapping[str, Any]], validations: Sequence[Mapping[str, Any]], title: str
) -> Figure:
    """Draw how a training is going, from what its log says so far (`log.read_log`) -> the figure.

    Below each other: the loss, BLEU where it was measured, the learning rate. Raises ValueError
    when the log has no step yet.
    """
    if not steps:
        raise ValueError("the log has no step yet: there is nothing to draw")
    learned = [{"step": entry["step"], "loss": entry["loss"]} for entry in steps]
    found = [
        {"step": entry["step"], "validation_loss": entry["validation_loss"]}
        for entry in validations
    ]
    scores = [entry for entry in validations if "bleu" in entry]
    below = {"learning rate": [(entry["step"], entry["learning_rate"]) for entry in steps]}
    if scores:
        below = {"BLEU": [(entry["step"], entry["bleu"]) for entry in scores], **below}
    heights = [3, *[1.3] * len(below)]
    figure = style.new_figure(style.WIDTH, 1.4 * sum(heights))
    top, *others = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
    _learning_curve([*learned, *found], top)
    top.set_xlabel("")
    for ax, (name, pairs) in zip(others, below.items(), strict=True):
        ax.plot(*zip(*pairs, strict=True), color=style.MUTED)
        ax.set(ylabel=name, ylim=(0, None))
    others[-1].set_xlabel("step (one update of the weights)")
    last = steps[-1]
    figure.suptitle(
        f"{title}: step {last['step']:,}, {last['words_per_second']:,} target words a second"
    )
    return figure


def smoothing_floor(smoothing: float, vocab_size: int) -> float:
    """The cross-entropy of a model that predicts the smoothed targets exactly: their entropy.

    The right one of `vocab_size` words has the target 1 - smoothing + smoothing / vocab_size, each
    other one smoothing / vocab_size. Without smoothing the floor is 0.
    """
    other = smoothing / vocab_size
    right = 1 - smoothing + other
    return sum(-count * p * math.log(p) for count, p in ((1, right), (vocab_size - 1, other)) if p)


def loop_curve(history: Sequence[Mapping[str, Any]], steps: int) -> Figure:
    """Draw a training on rows of digits, also an unfinished one -> the figure.

    history: {"step", "loss", "validation_loss"} for each validation, in nats per token; steps: how
    long the training will be. Each curve ends with its loss.
    """
    from course.chapters.ch10_training.experiment_first_steps import LOOP
    from course.experiments.digit_training import DIGITS

    figure, ax = style.panel(4.2)
    learned = bool(history) and history[-1]["validation_loss"] < history[-1]["loss"]
    title = (
        "It learns the rule: the loss falls on rows it never saw, too"
        if learned
        else "Does it learn the rule? Look at rows it never saw"
    )
    titled(figure, title, "Rows of digits, to be written backwards")
    nothing = math.log(11)  # ten digits and the end, all equally likely
    floor = smoothing_floor(LOOP.smoothing, len(DIGITS))
    ax.axhline(nothing, color=style.MUTED, linestyle=":", linewidth=1.4)
    ax.axhspan(0, floor, color=style.GROUND, zorder=0)
    at = [entry["step"] for entry in history]
    for key, name in NAMES.items():
        values, loud = [entry[key] for entry in history], key == "validation_loss"
        lines = {f"{name}: {value:.2f}": values for value in values[-1:]}
        curves(ax, at, lines, loud=lines if loud else [], names=False)
        if lines and loud:
            ax.scatter(at[-1], values[-1], 64, style.ACCENT, clip_on=False, zorder=4)
    look = {"va": "center", "color": style.MUTED}
    said = f"a model that knows nothing: {nothing:.2f}"
    ax.text(0.98 * steps, nothing + 0.15, said, ha="right", **look)
    ax.text(0.02 * steps, floor / 2, f"label smoothing alone costs {floor:.2f}", **look)
    ax.set(xlim=(0, steps), ylim=(0, 3))
    ax.set(xlabel="step (one update of the weights)", ylabel="loss per token, in nats")
    name_lines(ax, wide=24)
    return figure


def _writing_curve(
    history: Sequence[Mapping[str, Any]], english: Mapping[int, str], last: int = 1100
) -> Figure:
    """Draw the loss of the translator's first steps, and beside it what it writes -> the figure.

    history: {"step", "validation_loss", "writes"}; english: for the steps that are written out,
    what their words mean. Words of the right translation are in their colors. last: the last step
    that is drawn. Raises ValueError for a step that the history hasn't.
    """
    entries = {entry["step"]: entry for entry in history if entry["step"] <= last}
    missing = sorted(set(english) - set(entries))
    if missing:
        raise ValueError(f"nothing was measured at step {missing[0]}")
    tall = 6.9
    figure = style.new_figure(style.WIDTH, tall)
    figure.suptitle("First noise, then grammar, then the right words for “I like trees”")
    ax = figure.subplots()
    losses = {"": [entry["validation_loss"] for entry in entries.values()]}
    curves(ax, list(entries), losses, names=False, linewidth=3)
    for step, meaning in english.items():
        loss = entries[step]["validation_loss"]
        beside = [
            entry["validation_loss"]
            for at, entry in entries.items()
            if step <= at <= step + 0.35 * last
        ]
        lift = 72 * 0.8 * tall * (max(beside) - loss) / TOP_LOSS  # the text stays off the curve
        ax.scatter(step, loss, s=90, color=style.ACCENT, edgecolor=style.PAPER, zorder=3)
        words = entries[step]["writes"].split()
        words = words[: 3 if len({word.lower() for word in words}) == 1 else 6]
        before = None
        for said in [*words, "…"] if len(words) < len(entries[step]["writes"].split()) else words:
            color = style.WORDS.get(said.lower())
            before = ax.annotate(
                said,
                (1, 0) if before else (step, loss),
                xycoords=before or "data",
                xytext=(8, 0) if before else (14 + 3 * bool(color), 16 + lift),
                textcoords="offset points",
                va="bottom",
                fontsize=13,
                **(style.chip(said, color) if color else {"color": style.MUTED}),
            )
        ax.annotate(
            meaning,
            (step, loss),
            xytext=(14, 4 + lift),
            textcoords="offset points",
            color=style.MUTED,
            fontsize=style.NOTE,
            style="italic",
        )
    ax.set(
        xlim=(-14, last),
        ylim=(0, TOP_LOSS),
        xlabel="training step",
        ylabel="how wrong it is on held-out text",
    )
    ax.set_xticks(range(0, last + 1, 100))
    return figure


def two_decimals(share: float) -> str:
    return f"{steady_round(share):.2f}"


def probability_bars(panels: Mapping[str, Any], words: Sequence[str], target: Any = None) -> Figure:
    """Draw how likely each word is, one panel for each distribution -> the figure.

    panels: title -> probabilities, one for each of `words`. target: a 1 at the right word, else
    zeros: an empty frame around its bars, which are loud; without it each panel's likeliest is.
    Raises ValueError when there are more or fewer, or when they don't add up to 1.
    """
    rows = {title: as_array(given) for title, given in panels.items()}
    for title, chances in rows.items():
        _check_rows(title, chances[None], words)
    if target is not None:
        target = as_array(target)
        _check_rows("target", target[None], words)
    figure, axes = style.panels(len(rows), 3.6, sharey=True)
    for ax, (title, chances) in zip(axes, rows.items(), strict=True):
        best = int((chances if target is None else target).argmax())
        bars, first = dict(zip(words, chances, strict=True)), ax is axes[0]
        look = {"loud": [words[best]], "written": two_decimals, "most": 1}
        bar_rows(ax, bars, named=first, **look)
        if target is not None and chances[best] > 0.8:  # the end of the frame is too near
            ax.texts[best].set(x=chances[best] - 0.02, ha="right", color=style.PAPER)
        ax.set_title(title)
        if target is not None:
            ax.barh(best, 1, 0.64, fill=False, edgecolor=style.ACCENT, linestyle=(0, (3, 2)))
            said = "target: 1" if first else ""
            ax.text(1.02, best, said, va="center_baseline", color=style.ACCENT)
    if target is not None and chances[best] > rows[next(iter(rows))][best]:
        note = "The probability of each word; the target is 1 for the right one, else 0"
        titled(figure, "Training moves the probability to the right word", note)
    return figure


def word_grids(grids: Mapping[str, Any], rows: Sequence[str], columns: Sequence[str]) -> Figure:
    """Draw grids of probabilities (positions, words) below each other, each row adding up to 1.

    grids: title -> grid. rows: the right word at each position. columns: what can be written; the
    last one is no word if it is "others". Numbers below 0.05 are not written. Raises ValueError
    when a grid doesn't fit the words or a row doesn't add up to 1.
    """
    grids = {name: as_array(grid) for name, grid in grids.items()}
    high, left, wide = 0.4, 1.1, 6.86 / len(columns)
    tall = 0.75 + len(grids) * (0.6 + high * len(rows))
    figure, ax = canvas(style.WIDTH, tall)
    note = "A row for each place in the sentence: how likely each word is there"
    heading(ax, _said_of_grids([*grids.values()][-1], rows, columns), note)
    top = tall - 1.22
    for title, grid in grids.items():
        if len(grid) != len(rows):
            raise ValueError(f"{title!r}: {len(rows)} positions, but {len(grid)} rows of numbers")
        _check_rows(title, grid, columns)
        bottom, right = top - high * len(rows), left + wide * len(columns)
        look = {"limit": 1, "low": 0, "cmap": style.WEIGHTS, "edge": style.RULE}
        matrix(ax, (left, bottom), right - left, high * len(rows), grid, **look)
        ys = [top - high * (i + 0.5) for i in range(len(rows))]
        xs = [left + wide * (j + 0.5) for j in range(len(columns))]
        lines = {"color": style.RULE, "linewidth": 0.8, "zorder": 2.5}
        ax.hlines([y + high / 2 for y in ys[1:]], left, right, **lines)
        ax.vlines([x - wide / 2 for x in xs[1:]], bottom, top, **lines)
        said = title if len(grids) > 1 else "right word"
        label(ax, (left - 0.16, top + 0.22), said, ha="right", color=style.MUTED)
        for x, column in zip(xs, columns, strict=True):
            color = {"color": style.MUTED, "bbox": None} if column == "others" else {}
            word(ax, (x, top + 0.22), column, **color)
        for y, row in zip(ys, rows, strict=True):
            word(ax, (left - 0.2, y), row, ha="right")
        for (i, j), share in np.ndenumerate(grid):
            if share >= 0.05:
                ink = style.ink_on(style.WEIGHTS(share))
                centered(ax, xs[j], ys[i], two_decimals(share), color=ink)
        top = bottom - 0.6
    return figure


def _said_of_grids(grid: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
    """What can be said of the right words in a grid."""
    right = [(i, list(columns).index(word)) for i, word in enumerate(rows) if word in columns]
    if len(right) < len(rows) or grid.shape != (len(rows), len(columns)):
        return ""
    least = min(grid[at] for at in right)
    said = f"The right word gets nearly all the probability: {two_decimals(least)} or more"
    return said if least > 0.9 else ""


def _smoothed_row(target: Any, words: Sequence[str], eps: float) -> Figure:
    """Draw what label smoothing takes from the right word of a target row, and gives to the others.

    target: a 1 among zeros, one number for each of `words`.
    """
    target = as_array(target)
    smoothed, right = (1 - eps) * target + eps / len(target), int(target.argmax())
    moved = smoothed - target
    figure, ax = style.panel(3.6)
    note = f"The target where “{words[right]}” is right, with label smoothing of {eps:g}"
    said = f"Smoothing moves {-moved[right]:.2f} from the right word to all the others"
    titled(figure, said, note)
    ax.bar(range(len(words)), np.minimum(smoothed, target), color=style.SOFT, width=0.7)
    bottom = np.where(moved > 0, 0, smoothed)
    ax.bar(range(len(words)), abs(moved), 0.7, bottom, color=style.ACCENT)
    for x, change in enumerate(moved):
        if x != right:
            side = np.sign(x - right)
            start, end = (right + 0.35 * side, 1 + moved[right] / 2), (x, 0.17)
            way = {"start": start, "end": end, "bend": -0.3 * side, "thick": 0.7}
            arrow(ax, color=style.ACCENT, **way)
            centered(ax, x, change + 0.06, f"{change:+.3f}", color=style.ACCENT)
    look = {"ha": "center", "weight": "bold"}
    ax.text(right, 1.03, f"{moved[right]:+.3f}", color=style.ACCENT, **look)
    ax.text(right, smoothed[right] / 2, f"{smoothed[right]:.3f}", color=style.INK, **look)
    ax.set_xticks(range(len(words)), words)
    for text in ax.get_xticklabels():
        text.set(**style.chip(text.get_text()))
    ax.tick_params(length=0, pad=10)
    ax.set(yticks=[], ylim=(0, 1.12))
    ax.spines["left"].set_visible(False)
    return figure


def _check_rows(title: str, rows: np.ndarray, words: Sequence[str]) -> None:
    """ValueError unless each row has a probability for each word, and they add up to 1."""
    if rows.ndim != 2 or rows.shape[1] != len(words):
        raise ValueError(
            f"{title!r}: {len(words)} words need as many numbers in each row, "
            f"but the shape is {rows.shape}"
        )
    totals = rows.sum(axis=1)
    if (abs(totals - 1) > 1e-3).any():
        worst = totals[abs(totals - 1).argmax()]
        raise ValueError(f"{title!r}: probabilities add up to 1, but a row's to {worst:.3f}")


def teacher_forcing(
    tgt_in: Sequence[str], tgt_out: Sequence[str], predicted: Sequence[str], alone: Sequence[str]
) -> Figure:
    """Draw where the decoder's next word comes from: in training, and when it writes alone.

    tgt_in: what it reads in training. tgt_out: the right words. predicted: what it predicts there.
    alone: what it writes when it reads its own words. Raises ValueError when the lengths differ.
    """
    rows = {"tgt_in": tgt_in, "tgt_out": tgt_out, "predicted": predicted, "alone": alone}
    if len({len(words) for words in rows.values()}) > 1:
        lengths = ", ".join(f"{name} {len(words)}" for name, words in rows.items())
        raise ValueError(f"the rows should have the same number of words: {lengths}")
    figure, ax = canvas(style.WIDTH, 6.1)
    note = "A new model that has learned nothing yet; its wrong words are orange"
    heading(ax, "In training it reads the right words, whatever it predicts", note)
    in_training = {"reads": tgt_in, "predicts": predicted, "right word": tgt_out}
    for top, said, rows in (
        (5.1, "In training, each right word is read next", in_training),
        (
            1.9,
            "Alone, it reads its own words, and errors run on",
            {"reads": [tgt_in[0], *alone[:-1]], "writes": alone},
        ),
    ):
        label(ax, (0.02, top), said, size=style.LABEL + 1, weight="bold")
        _word_rows(ax, top - 0.55, rows, tgt_out)
    return figure


def _word_rows(
    ax: Axes, top: float, rows: Mapping[str, Sequence[str]], right: Sequence[str]
) -> None:
    """Rows of word boxes under each other; the last row feeds the first, one position on."""
    wide, high, step, down = 0.95, 0.42, 1.36, 0.93
    xs = [1.7 + step * i for i in range(len(right))]
    ys = [top - down * number for number in range(len(rows))]
    for y, (name, words) in zip(ys, rows.items(), strict=True):
        label(ax, (1.05, y), name, size=style.LABEL, ha="right", weight="bold")
        wanted = [words[0], *right[:-1]] if name == "reads" else right
        for x, text, good in zip(xs, words, wanted, strict=True):
            look = {"line": 0.0}
            if text != good:
                look = {"color": style.ACCENT, "line": 1.8, "weight": "bold"}
            box(ax, (x, y), wide, high, text, **look)
            if y == top:
                path(ax, [(x, y - high / 2), (x, y - down + high / 2)])
            elif name == "right word":
                ax.plot(
                    [x, x], [y + high / 2, y + down - high / 2], color=style.MUTED, linestyle=":"
                )
    if len(rows) == 3:
        label(ax, (1.05, top - 1.5 * down), "loss", ha="right", size=style.LABEL, color=style.MUTED)
    for x, after in zip(xs, xs[1:], strict=False):  # from the end of the box up between the columns
        gap, start, end = (x + after) / 2, x + wide / 2, after - wide / 2
        path(ax, [(start, ys[-1]), (gap, ys[-1]), (gap, top), (end, top)], style.INK)


def _penalty_curves(leads: Any, losses: Mapping[str, Any], shares: Any) -> Figure:
    """Draw the loss against how far the right word's score leads, with and without smoothing.

    leads: (n,) scores of the right word above all others, evenly spaced along the axis, whose marks
    say the probability; losses: name -> loss (n,); shares: (n,)
    the probability of the right word. Raises ValueError when the lengths differ.
    """
    leads, shares = as_array(leads), as_array(shares)
    figure, ax = style.panel(4.0)
    for name, given in losses.items():
        if len(given) != len(leads):
            raise ValueError(f"{name!r}: {len(leads)} leads, but {len(given)} losses")
    lines = {name: as_array(given) for name, given in losses.items()}
    turning = [name for name, line in lines.items() if line.argmin() < len(leads) - 1]
    ax.set(xlim=(leads[0], leads[-1]), ylabel="loss, in nats")
    curves(ax, leads, lines, loud=turning)
    ax.set_ylim(bottom=-0.04)
    for name in turning:
        best = int(lines[name].argmin())
        at = leads[best], lines[name][best]
        ax.scatter(*at, s=80, color=style.ACCENT, zorder=3)
        said = f"least where its\nprobability is {steady_round(shares[best]):.2f}"
        ax.plot([at[0], at[0]], [-1, at[1]], color=style.ACCENT, linewidth=1.2, linestyle=":")
        ax.annotate(said, at, (0, 18), textcoords="offset points", color=style.ACCENT)
    ticks = [p for p in (0.5, 0.9, 0.99, 0.999, 0.9999) if shares[0] < p < shares[-1]]
    names = [f"{steady_round(shares[0]):.2f}", *(f"{p:g}" for p in ticks)]
    ax.set_xticks([leads[0], *np.interp(ticks, shares, leads)], names)
    ax.set_xlabel("probability of the right word, as its score leads by more and more")
    return figure


def _schedule_curves(rates: Mapping[tuple[int, int], Any]) -> Figure:
    """Draw learning rates against the step, from step 1 on -> the figure.

    rates: (d_model, warm-up steps) -> the rate at step 1, 2, 3, … Each curve's warm-up stands at
    its peak. The paper's own is loud.
    """
    figure = style.new_figure(style.WIDTH, 4.2)
    figure.suptitle("The longer the warm-up, the lower the peak; then all fall alike")
    ax = figure.subplots()
    ax.set(xlabel="step (one update of the weights)", ylabel="learning rate, in thousandths")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    for (d_model, warmup), given in rates.items():
        lr, loud = 1000 * as_array(given), (d_model, warmup) == OF_THE_PAPER
        color = style.ACCENT if loud else style.MUTED
        steps = np.arange(1, len(lr) + 1)
        ax.plot(steps, lr, color=color, linewidth=3 if loud else 2, zorder=3 if loud else 2)
        peak = int(lr.argmax())
        said = f"warm-up of {warmup:,} steps" + ", the paper’s" * loud
        look = {"textcoords": "offset points", "color": color}
        ax.annotate(said, (peak + 1, lr[peak]), (8, 4), **look)
    ax.set_xlim(0, max(map(len, rates.values())))
    ax.set_ylim(0, 1.1 * ax.get_ylim()[1])
    look = {"textcoords": "offset points", "color": style.MUTED, "ha": "right"}
    ax.annotate("here all are one", (len(lr), lr[-1]), (0, 8), **look)
    return figure


def loss_panels(
    panels: Mapping[str, Mapping[str, Sequence[Sequence[tuple[float, float]]]]],
    columns: int,
    top: float | None = None,
) -> Figure:
    """Draw learning curves in small panels on one scale, every run a thin line, their mean thick.

    panels: title -> {kind of curve -> its runs, each of them (step, loss) pairs}; the last kind is
    loud. columns: panels side by side. top: where the scale ends.
    Raises ValueError without a panel.
    """
    if not panels:
        raise ValueError("there are no panels: there is nothing to draw")
    lines = -(-len(panels) // columns)
    figure = style.new_figure(style.WIDTH, 0.9 + 2.5 * lines if lines > 1 else 3.7)
    axes = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    kinds = list(dict.fromkeys(kind for runs in panels.values() for kind in runs))
    for number, (ax, (title, given)) in enumerate(zip(axes.flat, panels.items(), strict=False)):
        for kind, runs in given.items():
            steps, losses = np.moveaxis(np.array(runs), -1, 0)
            curves(ax, steps[0], {kind: losses}, loud=kinds[-1:], names=False)
        ax.set_title(title, fontsize=style.LABEL)
        ax.set_xlim(0, steps[0][-1])
        ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.set_ylabel("loss per token" if number % columns == 0 else "")
    for ax in axes[-1]:
        ax.set_xlabel("step of training")
    axes[0, 0].set_ylim(0, top or axes[0, 0].get_ylim()[1])
    figure.get_layout_engine().set(wspace=0.06)
    named: set[str] = set()
    for ax in sorted(axes[0], key=_apart, reverse=True):
        name_lines(ax, but=named)
        named |= {line.get_label() for line in ax.lines}
    seeds = max(len(runs) for kinds in panels.values() for runs in kinds.values())
    said = f"thick: the mean of {seeds} seeds; thin: each of them"
    figure.supxlabel(said, color=style.MUTED, fontsize=style.NOTE)
    return figure


def _apart(ax: Axes) -> float:
    """How far from each other the curves end."""
    return float(np.ptp([line.get_ydata()[-1] for line in ax.lines]))


def before_and_after() -> tuple[Tensor, Tensor]:
    """(2, 5, 9) each: what a new model thinks of the two sentences, and what it has learned."""
    from tqdm import tqdm

    from course.chapters.ch10_training.experiment_first_words import (
        LESSON,
        PAIRS,
        new_model,
        probabilities,
    )

    model = new_model()
    before = probabilities(model)
    train(model, PAIRS, PAIRS, LESSON, progress=tqdm(disable=True))
    return before, probabilities(model)


@figure(
    "training-merci",
    caption="The first word for 'merci': what a new model thinks, what is right, what it learns.",
    alt="Two panels with a bar for each of five English words, the end token and the rest; "
    "'thanks', the right word, is orange, in a dashed frame that is as long as the target, 1. "
    "Before training the bars are of all sizes and 'thanks' gets 0.06. After training 'thanks' "
    "nearly fills its frame, with 0.89.",
)
def draw_merci() -> Figure:
    before, after = before_and_after()
    panels = {
        "before training": as_columns(before[1, 0]),
        "after training": as_columns(after[1, 0]),
    }
    return probability_bars(panels, COLUMNS, target=as_columns(target_rows(1)[0]))


@figure(
    "training-grids",
    caption="What a trained model makes of the five target rows for 'I am a student'.",
    alt="A grid with a row for each of 'I am a student <eos>' and a column for each word. In each "
    "row the cell of its right word is filled, and the trained model gives it 0.95 to 0.97, all "
    "others 0.02 or less.",
)
def draw_grids() -> Figure:
    grid = as_columns(before_and_after()[1][0])
    return word_grids({"trained model": grid}, STUDENT, COLUMNS)


@figure(
    "training-smoothed-rows",
    caption="The target for the first word of 'I am a student', with label smoothing of 0.1.",
    alt="A bar for each of nine words and signs. The bar of 'I', the right word, is 1 high. Its "
    "topmost 0.089, in orange, is taken away, which leaves 0.911. Arrows lead from there to the "
    "eight others, which get 0.011 each.",
)
def draw_smoothed_rows() -> Figure:
    from course.chapters.ch10_training.experiment_first_words import ENGLISH

    return _smoothed_row(target_rows(0)[0], ENGLISH.tokens, 0.1)


@figure(
    "training-teacher-forcing",
    caption="Teacher forcing: in training the decoder reads the right words, whatever it predicts.",
    alt="Boxes with words of a new model; its wrong ones are orange. Above, in "
    "training: the row 'reads' holds <bos> I am a student, 'predicts' mostly wrong words, 'right "
    "word' I am a student <eos>. An arrow leads from each right word to the next position of "
    "'reads'. Below, alone: the arrows start at the model's own words, and soon it repeats itself.",
)
def draw_teacher_forcing() -> Figure:
    from course.chapters.ch10_training.experiment_first_words import new_model

    return teacher_forcing(**written_words(new_model()))


@figure(
    "training-smoothing-penalty",
    title="With smoothing, being too sure costs more again",
    caption="Label smoothing makes it costly to be too sure.",
    alt="Loss against the probability of the right word, which grows to the right from 0.11 to "
    "0.9999. Without smoothing the curve falls towards 0 and never turns. With smoothing of 0.1 it "
    "falls to its least value, where the right word has probability 0.91, and then rises in a "
    "straight line.",
)
def draw_penalty() -> Figure:
    leads, curves, shares = smoothing_penalty()
    names = {
        "eps = 0": "no smoothing",
        "eps = 0.1": "label smoothing, ε = 0.1",
    }
    return _penalty_curves(leads, {names[eps]: curve for eps, curve in curves.items()}, shares)


OF_THE_PAPER = (512, 4000)  # d_model, and steps of the warm-up
SCHEDULES = ((512, 2000), (512, 4000), (512, 8000))


@figure(
    "training-schedule",
    caption="The paper's learning rate: up in a straight line, down with the root of the step.",
    alt="Three curves over 20000 steps. Each rises in a straight line to its warm-up step (2000, "
    "4000 or 8000), turns sharply and falls; the shorter the warm-up, the higher the peak, and "
    "later the three curves are one.",
)
def draw_schedule() -> Figure:
    return _schedule_curves(
        {
            (d_model, warmup): [paper_schedule(step, d_model, warmup) for step in range(1, 20_001)]
            for d_model, warmup in SCHEDULES
        }
    )


def _history_of(run: dict[str, Any], key: str) -> list[tuple[int, float]]:
    return [(entry["step"], entry[key]) for entry in run["history"]]


@figure(
    "training-held-out",
    title="Few pairs are learned by heart; from many, the rule is found",
    caption="Learned by heart and understood: the same model on 50 pairs and on 10,000.",
    alt="Two panels, loss against the step, the mean of three seeds thick and each seed thin. "
    "On 50 pairs the loss on these pairs falls to 0 while the loss on held-out pairs rises from "
    "about 2.3 to more than 4.5. On 10,000 pairs both losses fall together, close to 0.",
)
def draw_held_out() -> Figure:
    runs = experiments.load("held-out")["runs"]
    panels = {}
    learned = ("learned by heart", "the rule is found")
    for count, how in zip(sorted({run["pairs"] for run in runs}), learned, strict=True):
        chosen = [run for run in runs if run["pairs"] == count]
        panels[f"{count:,} pairs: {how}"] = {
            "pairs it learns from": [_history_of(run, "loss") for run in chosen],
            "held-out pairs": [_history_of(run, "validation_loss") for run in chosen],
        }
    return loss_panels(panels, columns=2)


@figure(
    "training-norms",
    caption="Post-norm and pre-norm, with and without warm-up, at three learning rates.",
    alt="Six panels, validation loss against the step, the mean of three seeds thick and each seed "
    "thin: three highest learning rates side by side, without warm-up above and with it below. In "
    "each panel the pre-norm curves end below the post-norm curves. In the panel at the upper "
    "right, the highest rate without warm-up, marked 'post-norm fails', post-norm stays above 1.9 "
    "while pre-norm reaches 0.11; with warm-up post-norm comes down to 0.8.",
)
def draw_norms() -> Figure:
    runs = experiments.load("norms")["runs"]
    panels = {}
    for warmup in sorted({run["warmup"] for run in runs}):
        for max_lr in sorted({run["max_lr"] for run in runs}):
            chosen = [run for run in runs if (run["warmup"], run["max_lr"]) == (warmup, max_lr)]
            panels[warmup, max_lr] = {
                kind: [
                    _history_of(run, "validation_loss")
                    for run in chosen
                    if run["norm_first"] == first
                ]
                for kind, first in (("post-norm (the paper)", False), ("pre-norm", True))
            }
    names = {
        (warmup, max_lr): ("warm-up" if warmup > 1 else "no warm-up") + f", rate {max_lr:g}"
        for warmup, max_lr in panels
    }
    drawn = loss_panels({names[key]: kinds for key, kinds in panels.items()}, columns=3)
    fails = drawn.axes[2]
    fails.set_facecolor(style.GROUND)
    own = {"transform": fails.transAxes, "ha": "right", "weight": "bold"}
    fails.text(0.96, 0.62, "post-norm fails", **own)
    for ax, (warmup, max_lr) in zip(drawn.axes, panels, strict=True):
        ax.set_title(f"highest rate {max_lr:g}" if warmup == 1 else "", fontsize=style.LABEL)
    for ax, said in zip(
        drawn.axes[::3], ("no\nwarm-up", f"warm-up\nof {warmup}\nsteps"), strict=True
    ):
        where = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
        ax.annotate(said, (0, 0.5), (-26, 0), ha="right", weight="bold", **where)
    drawn.axes[3].set_ylabel("")
    drawn.suptitle("Pre-norm learns faster; at the highest rate post-norm needs the warm-up")
    return drawn


GROUPS = {"E": "positions", "A": "heads", "B": "sizes", "C": "sizes", "D": "regularization"}


@figure(
    "training-ablations",
    caption="What each part is worth, at toy size: one change a row, three seeds.",
    alt="Three dots for each of 20 changes, in groups, and their mean at the right; a band near 90 "
    "percent is where the base's three are. Far to the left of it: no positions (2 percent), "
    "dropout 0.2 (31), no scaling (41), dropout 0.1 (50), 4 layers (56). Clearly left of it also "
    "d_k = 2, 1 layer, d_model = 32 and learned positions. The four numbers of heads, 1, 2, 8 and "
    "16, touch it or lie just beside it; so do label smoothing and pre-norm.",
)
def draw_ablations() -> Figure:
    base, *rows = stored_rows()
    groups: dict[str, list[dict[str, Any]]] = {name: [] for name in (*GROUPS.values(), "others")}
    for row in sorted(rows, key=lambda row: np.mean(row["shares"])):
        group = "E" if "positions" in row["what"] else row["part"]
        groups[GROUPS.get(group, "others")].append(row)
    left, wide, step, gap = 3.45, 3.75, 0.26, 0.16
    tall = 1.58 + step * len(rows) + gap * len(groups)
    figure, ax = canvas(style.WIDTH, tall)
    title = "Without positions hardly a row is right; the number of heads hardly matters"
    note = (
        "A model that writes rows of digits backwards, changed in one thing at a time; three seeds"
    )
    heading(ax, title, note)
    low, high = (left + wide * end(base["shares"]) for end in (min, max))
    y = tall - 1.13
    ax.fill_between([low, high], 0.45, y - 0.03, color=style.GROUND, linewidth=0, zorder=0)
    small = {"color": style.MUTED, "ha": "center"}
    said = f"unchanged: {100 * np.mean(base['shares']):.0f} %"
    label(ax, ((low + high) / 2, y + 0.11), said, **small)
    label(ax, (7.95, y + 0.11), "mean", **{**small, "ha": "right"})
    for share in (0, 0.5, 1):
        x = left + wide * share
        ax.vlines(x, 0.45, y - 0.03, color=style.RULE, linewidth=0.8, zorder=0.5)
        label(ax, (x, 0.32), f"{100 * share:.0f} %", **small)
    label(ax, (left + wide / 2, 0.12), "held-out rows without a mistake", **small)
    for name, members in groups.items():
        y -= gap
        label(ax, (0.02, y - step / 2), name, size=style.LABEL, weight="bold")
        for row in members:
            y -= step
            worst, named = row is members[0] and name == "positions", name == "heads"
            color = style.ACCENT if worst else style.INK if named else style.SOFT
            ink = {"color": style.MUTED if color == style.SOFT else color, "size": style.LABEL}
            ink["weight"] = "bold" if worst else "normal"
            middle, xs = y + step / 2, [left + wide * share for share in row["shares"]]
            ax.hlines(middle, min(xs), max(xs), color=color, linewidth=3, alpha=0.4)
            ax.scatter(xs, [middle] * 3, s=34, color=color, edgecolor=style.PAPER, lw=0.6, zorder=3)
            label(ax, (1.35, middle), row["what"], **ink)
            label(ax, (7.95, middle), f"{100 * np.mean(row['shares']):.0f} %", ha="right", **ink)
    return figure


@figure(
    "training-loop",
    caption="The loss of the loop written by hand: rows of digits, to be written backwards.",
    alt="Two curves over 400 steps. The loss on held-out rows begins at 2.3 nats, just below the "
    "dotted line of a model that knows nothing, at 2.40, and falls to 0.15, where a dot marks its "
    "end. The loss on the rows it learns from, whose targets are smoothed, runs above it and ends "
    "at 0.61, just above a band that label smoothing alone costs.",
)
def draw_loop() -> Figure:
    run = experiments.load("loop")
    return loop_curve(run["history"], run["steps"])


WRITTEN = {  # step -> in English
    0: "frightened frightened …",
    100: "to to to",
    200: "him him likes the the the …",
    275: "I like the children",
    325: "I like the wardrobes",
    725: "I like trees",
}


@figure(
    "training-writes",
    caption="What the translator writes for 'I like trees' while it learns.",
    alt="The loss on held-out text falls steeply from 8 nats to 0.3 in 1,100 steps. Beside the "
    "curve is what the translator writes for 'I like trees'. Step 0: 'asustados asustados', "
    "frightened frightened. Step 100: 'a a a', to to to. Step 200: 'le le gustan los los los'. "
    "Step 275: 'me gustan los niños', I like the children. Step 325: 'me gustan los armarios', "
    "I like the wardrobes. Step 725: 'me gustan los árboles', and that is right.",
    hero=True,
)
def draw_writes() -> Figure:
    run = experiments.load("first-steps")
    return _writing_curve(run["history"], WRITTEN)
