"""Real text: a word and its pieces, what dropout does, and what was worth its training."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.figure import Figure

from course import experiments
from course.drawing import style
from course.drawing.arrows import box, bracket
from course.drawing.plots import curves
from course.drawing.registry import figure
from course.drawing.words import canvas, heading, label, titled
from transformer_lib.files import read_json
from transformer_lib.text.languages import read_languages
from transformer_lib.translator import MODELS

# In inches: where the letters begin, a letter, a box, from row to row.
LEFT, CELL, HIGH, STEP = 1.35, 0.43, 0.36, 0.5


def _word_in_pieces(rows: Mapping[int, Sequence[str]]) -> Figure:
    """Draw a word as it is cut by vocabularies of several sizes, a row for each -> the figure.

    rows: size of the vocabulary -> the pieces of the word. Longer pieces are stronger. Raises
    ValueError where the pieces don't make the same word.
    """
    words = {"".join(pieces) for pieces in rows.values()}
    if len(words) != 1:
        raise ValueError(f"the pieces make several words: {words}")
    (whole,) = words
    height = 0.68 + STEP * len(rows)
    figure, ax = canvas(style.WIDTH, height + 0.45)
    few, many = list(rows)[0], list(rows)[-1]
    title = f"“{whole[1:]}” is {len(rows[few])} pieces with a vocabulary of {few:,}, "
    heading(
        ax, f"{title}{len(rows[many])} with one of {many:,}", f"{whole[0]} is the space before it"
    )
    right, top = LEFT + CELL * len(whole) + 0.2, height - 0.45
    label(ax, (LEFT - 0.25, top), "vocabulary", ha="right", color=style.MUTED)
    label(ax, (right, top), "pieces", color=style.MUTED)
    for row, (size, pieces) in enumerate(rows.items()):
        y = height - 0.86 - STEP * row
        label(ax, (LEFT - 0.25, y), f"{size:,}", size=style.LABEL + 2, ha="right", weight="bold")
        at = LEFT
        for piece in pieces:
            wide = CELL * len(piece)
            color = mpl.colors.to_hex(style.WEIGHTS(0.12 + 0.75 * (len(piece) - 1) / len(whole)))
            box(ax, (at + wide / 2, y), wide - 0.06, HIGH, fill=color, line=0, zorder=1, round=0.06)
            label(
                ax,
                (at + wide / 2, y),
                piece,
                size=style.LABEL + 2,
                ha="center",
                color=style.ink_on(color),
            )
            at += wide
        label(ax, (right, y), str(len(pieces)), size=style.LABEL + 2, weight="bold")
    return figure


def _gaps(panels: Mapping[str, Mapping[str, Sequence[tuple[int, float]]]]) -> Figure:
    """Draw losses against the step, the gap between them tinted; a panel for each training.

    panels: title -> {text: (step, loss) pairs}, two texts. The first panel is loud.
    """
    figure, axes = style.panels(len(panels), 4.2, sharey=True)
    titled(figure, "Without dropout real text is learned by heart", "Loss per token, in nats")
    figure.get_layout_engine().set(wspace=0.1)
    for ax, (title, texts) in zip(axes, panels.items(), strict=True):
        color = style.ACCENT if ax is axes[0] else style.MUTED
        lines = [list(zip(*pairs, strict=True)) for pairs in texts.values()]
        (steps, low), (_, high) = lines
        ax.fill_between(steps, low, high, color=color, alpha=0.12, linewidth=0)
        ax.set_title(title, color=color)
        for text, losses, thick in zip(texts, (low, high), (2, 3), strict=True):
            ax.plot(steps, losses, color=color, linewidth=thick)
            look = {"textcoords": "offset points", "annotation_clip": False, "color": color}
            look |= {"va": "center_baseline", "weight": "bold"}
            ax.annotate(f"{losses[-1]:.1f}", (steps[-1], losses[-1]), (8, 0), **look)
            away, va = (-7, "top") if losses is low and losses[-1] > 1 else (6, "bottom")
            look |= {"va": va, "ha": "right", "weight": "normal"}
            ax.annotate(text, (steps[-1], losses[-1]), (0, away), **look)
        turn = min(high)
        if turn < high[-1] - 0.1:
            at = steps[high.index(turn)], turn
            ax.plot(*at, "o", color=color, markersize=9, markeredgecolor=style.PAPER)
            ax.annotate(
                f"{turn:.1f}: from here\non it gets worse",
                at,
                (0, -12),
                **look | {"va": "top", "ha": "left"},
            )
        ax.set(xlabel="step of training", xlim=(0, steps[-1]), ylim=(0, 6.6), xticks=(0, 600, 1200))
        ax.set_yticks((0, 2, 4, 6))
        ax.tick_params(axis="y", length=3 * (ax is axes[0]))
        ax.xaxis.set_major_formatter("{x:,.0f}")
    return figure


def _still_falling(history: Sequence[Mapping[str, float]], last: int) -> Figure:
    """Draw the validation loss of a training; loud is its fall at the end.

    last: how many steps are the end.
    """
    steps, losses = ([entry[key] for entry in history] for key in ("step", "validation_loss"))
    end, before = steps[-1], steps.index(steps[-1] - last)
    then, now = losses[before], losses[-1]
    figure, ax = style.panel(4.0)
    note = "Loss on validation text, per token, in nats"
    titled(figure, "On real text, the loss still falls when training ends", note)
    ax.plot(steps, losses, color=style.SOFT, linewidth=3)
    ax.plot(steps[before:], losses[before:], color=style.ACCENT, linewidth=3.5, zorder=3)
    ax.fill_between(steps[before:], losses[before:], then, color=style.ACCENT, alpha=0.15, lw=0)
    ax.plot([steps[before], 1.03 * end], [then, then], color=style.ACCENT, lw=0.9)
    ax.plot(steps[before], then, "o", color=style.ACCENT, ms=10, mec=style.PAPER, zorder=4)
    bracket(ax, (1.03 * end, now), (1.03 * end, then), f"{now - then:.2f}", style.ACCENT)
    said = f"the last {last:,} steps"
    ax.text(end - last / 2, then + 0.03, said, ha="center", color=style.ACCENT)
    first = next(step for step, loss in zip(steps, losses, strict=True) if loss < 1.7)
    ax.spines["bottom"].set_bounds(first, end)
    ax.set(xlim=(first, 1.12 * end), ylim=(0.9, 1.7), xlabel="step of training")
    ax.set(yticks=(1, 1.2, 1.4, 1.6), xticks=range(last, end + 1, last))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return figure


def _score_slopes(texts: Mapping[str, Mapping[str, Sequence[float]]]) -> Figure:
    """Draw BLEU from one text to another: a thick line for each way, thin ones for its seeds.

    texts: title -> {way: a score for each seed}, two texts with the same ways; the first way is
    loud.
    """
    figure, ax = style.panel(4.2)
    note = "BLEU of two ways to rank translations: three training runs (thin) and their mean"
    titled(figure, "The choice that is better on validation is worse on test", note)
    first, second = texts.values()
    lines = {way: list(zip(first[way], second[way], strict=True)) for way in first}
    curves(ax, [0, 1], lines, loud=list(lines)[:1], names=False)
    for line in [line for line in ax.lines if line.get_label() not in lines]:
        line.set(marker="o", markersize=4, alpha=0.3)
    for x in (0, 1):
        ax.axvline(x, color=style.SOFT, linewidth=0.75, zorder=0)
    for line in [line for line in ax.lines if line.get_label() in lines]:
        line.set(marker="o", markersize=9, markeredgecolor=style.PAPER, clip_on=False)
        left, right = line.get_ydata()
        look = {"textcoords": "offset points", "color": line.get_color(), "va": "center_baseline"}
        ax.annotate(line.get_label(), (0, left), (-52, 0), ha="right", **look)
        look |= {"weight": "bold"}
        ax.annotate(f"{right - left:+.1f}", (1, right), (58, 0), ha="left", **look)
        look |= {"size": style.TITLE}
        ax.annotate(f"{left:.1f}", (0, left), (-12, 0), ha="right", **look)
        ax.annotate(f"{right:.1f}", (1, right), (12, 0), ha="left", **look)
    ax.set(xlim=(-0.6, 1.36), yticks=[])
    ax.set_xticks([0, 1], list(texts), weight="bold")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, labelsize=style.LABEL + 1, labeltop=True, labelbottom=False)
    return figure


def _score_changes(
    scores: Mapping[str, float], base: str, names: Mapping[str, str], luck: float
) -> Figure:
    """Draw how far each way of training is from the base, in points, the best on top -> the figure.

    scores: way -> BLEU, the base among them. names: way -> its name. luck: how far apart equal
    trainings can be. Raises ValueError where the base has no score.
    """
    if base not in scores:
        raise ValueError(f"the base {base!r} is none of {', '.join(map(repr, scores))}")
    change = {way: scores[way] - scores[base] for way in names}
    ranked = sorted(change, key=change.__getitem__, reverse=True)
    left = min(change.values()) - 7.5
    figure, ax = style.panel(1.5 + 0.28 * len(ranked))
    note = (
        f"Change in BLEU on the validation pairs, from {scores[base]:.1f} with Adam; one run each"
    )
    title = f"Of all changes {ranked[0]} is worth most: {change[ranked[0]]:+.1f} BLEU"
    titled(figure, title, note)
    ax.axvspan(-luck, luck, color=style.GROUND, linewidth=0, zorder=0)
    ax.axvline(0, color=style.INK, linewidth=1.2, zorder=3)
    for y, way in enumerate(ranked):
        worth, side = change[way], 1 if change[way] > 0 else -1
        loud = way == ranked[0]
        color = style.ACCENT if loud else style.SOFT
        inside = (
            {"facecolor": style.PAPER} if round(abs(worth) - luck, 1) <= 0 else {"facecolor": color}
        )
        ax.barh(y, worth, height=0.6, edgecolor=color, lw=1, zorder=2, **inside)
        look = {"va": "center_baseline", "zorder": 4}
        look |= {"weight": "bold", "color": style.ACCENT} if loud else {}
        ax.text(worth + 0.2 * side, y, f"{worth:+.1f}", ha=("left", "right")[::side][0], **look)
        ax.text(left, y, names[way], **look)
    said = f"chance: seeds lie up to {luck:.1f} apart"
    ax.text(0, -0.75, said, va="bottom", ha="center", color=style.MUTED)
    ax.set(xticks=[], yticks=[], xlim=(left, 4.5), ylim=(len(ranked) - 0.4, -0.7))
    ax.spines[:].set_visible(False)
    return figure


SIZES = (260, 300, 500, 1000, 4000, 8000)
WORD = "grandmothers"
CHANGES = {  # of the training: how each run is called in the picture
    "Muon": "Muon",
    "AdamW": "AdamW: Adam with weight decay",
    "AdamW, twice the rate": "AdamW, twice the learning rate",
    "AdamW, half the rate": "AdamW, half the learning rate",
    "dropout 0.3": "dropout of 0.3, not 0.2",
    "BPE-dropout": "BPE-dropout: words cut at random",
    "Muon and BPE-dropout": "Muon and BPE-dropout",
    "half the updates": "half as many updates",
    "R-Drop, half the updates": "half as many, and R-Drop",
    "recurrent, with attention": "a recurrent model with attention",
}


@figure(
    "real-text-pieces",
    hero=True,
    caption="A word falls into fewer pieces the more subwords there are.",
    alt="The word 'grandmothers', with the space before it, in six rows. With 260 subwords it is "
    "13 single letters; with 300 'an' and 'er' are one piece each; with 500 it has 9 pieces, with "
    "1,000 gr, and, mo, ther, s, with 4,000 grand, mo, ther, s, and with 8,000 two: grandmother "
    "and s.",
)
def draw_pieces() -> Figure:
    from course.chapters.ch14_real_text.experiments import pieces, with_fewer

    both, _ = read_languages(MODELS["tatoeba"])
    return _word_in_pieces({size: pieces(with_fewer(both.tokenizer, size), WORD) for size in SIZES})


@figure(
    "real-text-dropout",
    caption="The same model and training with and without dropout, on 1,000 real sentence pairs.",
    alt="Two panels, loss against the step, with the gap between two curves tinted. Without "
    "dropout that of the learned sentences falls from 5.0 to 0.1; that of new ones comes down to "
    "4.5, from where on it gets worse, and rises to 6.0. With dropout the gap is small: 2.2, 3.9.",
)
def draw_dropout() -> Figure:
    from course.chapters.ch14_real_text.experiments import curves

    stored = experiments.load("real-text")
    learned, new = curves(stored, "seen"), curves(stored, "validation_loss")
    names = {"no dropout": 0.0, "dropout 0.2": 0.2}
    return _gaps(
        {
            name: {"learned sentences": learned[dropout], "new sentences": new[dropout]}
            for name, dropout in names.items()
        }
    )


@figure(
    "real-text-learning-curve",
    caption="The loss of the larger translator while it was trained.",
    alt="A curve over 20,000 steps: the loss on validation text comes down to 1.0; the plot begins "
    "after 3,000 steps, at 1.6. In the last 5,000 steps it still falls by 0.12: the "
    "wedge under a level line is orange, and a bracket marks it.",
)
def draw_learning_curve() -> Figure:
    history = read_json(MODELS["tatoeba"] / "training.json")["history"]
    return _still_falling(history, last=5000)


@figure(
    "real-text-ladder",
    caption="What each change of the training is worth after 5,000 updates, one seed each. The "
    "band reaches as far as three seeds of a longer training lie apart on the test sentences.",
    alt="Bars left and right of a line for the training with Adam, 36.1, the best on top: Muon "
    "+3.1; AdamW +2.0; AdamW, twice the rate +1.3; Muon and BPE-dropout +0.2; AdamW, half the "
    "rate −1.2; dropout 0.3 −1.4; recurrent, with attention −1.5; BPE-dropout −4.0; half the "
    "updates −6.9; R-Drop, half the updates −9.5. A band around the line is chance: seeds are up "
    "to 1.4 apart, and the bars within it are outlines.",
)
def draw_sweep() -> Figure:
    runs = experiments.load("multi30k-ladder")["runs"]
    scores = {run["what"]: run["beam_bleu"]["1.4"] for run in runs}
    equal = [run["per_word"]["bleu"] for run in experiments.load("multi30k")["runs"]]
    return _score_changes(scores, "as it is", CHANGES, luck=max(equal) - min(equal))


@figure(
    "real-text-published",
    caption="Two ways to choose from the same beams: which is better depends on the sentences.",
    alt="Two thick lines, each with three thin ones for its seeds, cross on their way from a post "
    "for the validation pairs to one for the test sentences. At the left, the length penalty that "
    "is best there has a BLEU of 41.3 on average, log-probability per piece 40.8. At the right it "
    "is the other way round, for each seed: the penalty has 40.0, log-probability per piece 41.1. "
    "The changes, −1.3 and +0.3, stand at the right. The seeds lie up to 1.4 apart.",
)
def draw_published() -> Figure:
    runs = experiments.load("multi30k")["runs"]
    ours, theirs = "with a\nlength penalty", "by log-probability\nper piece"
    chosen = [run["validation_bleu"][str(run["length_penalty"])] for run in runs]
    validation = {ours: chosen, theirs: [run["per_word_validation"]["bleu"] for run in runs]}
    test = {
        ours: [run["beam"]["bleu"] for run in runs],
        theirs: [run["per_word"]["bleu"] for run in runs],
    }
    return _score_slopes({"on validation": validation, "on test": test})
