"""Real text: a word and its pieces, what dropout does, and what was worth its training."""

from itertools import pairwise

import matplotlib as mpl
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch14_real_text.experiments import curves, pieces, with_fewer
from course.drawing import style
from course.drawing.arrows import box
from course.drawing.registry import figure
from course.drawing.words import bold, canvas, label, muted, titled
from transformer_lib.files import read_json
from transformer_lib.text.languages import read_languages
from transformer_lib.translator import MODELS

# In inches: where the letters begin, a letter, a box, from row to row.
LEFT, CELL, HIGH, STEP = 1.35, 0.43, 0.36, 0.5


SIZES = (260, 300, 500, 1000, 4000, 8000)
WORD = "grandmothers"


@figure(
    "real-text-pieces",
    hero=True,
    caption="A word falls into fewer pieces the more subwords there are.",
    alt="""The word 'grandmothers', with the space before it, in six rows. With 260 subwords it
    is 13 single letters; with 300 'an' and 'er' are one piece each; with 500 it has 9 pieces,
    with 1,000 gr, and, mo, ther, s, with 4,000 grand, mo, ther, s, and with 8,000 two:
    grandmother and s.""",
)
def draw_pieces() -> Figure:
    both, _ = read_languages(MODELS["tatoeba"])
    rows = {size: pieces(with_fewer(both.tokenizer, size), WORD) for size in SIZES}
    few, *_, many = rows
    whole, height = "".join(rows[few]), 0.68 + STEP * len(rows)
    title = f"“{WORD}” is {len(rows[few])} pieces with a vocabulary of {few:,}, but "
    figure, ax = canvas(height + 0.25, f"{title}only {len(rows[many])} with one of {many:,}")
    right, top = LEFT + CELL * len(whole) + 0.2, height - 0.45
    muted(ax, (LEFT - 0.25, top), "vocabulary", ha="right")
    muted(ax, (LEFT + 0.04, top), f"{whole[0]} is the space before the word")
    muted(ax, (right, top), "pieces")
    for row, (size, parts) in enumerate(rows.items()):
        y = height - 0.86 - STEP * row
        bold(ax, (LEFT - 0.25, y), f"{size:,}", size=style.LABEL + 2, ha="right")
        at = LEFT
        for piece in parts:  # the longer, the stronger
            wide = CELL * len(piece)
            color = mpl.colors.to_hex(style.WEIGHTS(0.12 + 0.75 * (len(piece) - 1) / len(whole)))
            box(ax, (at + wide / 2, y), wide - 0.06, HIGH, fill=color, line=0, zorder=1, round=0.06)
            look = {"ha": "center", "color": style.ink_on(color)}
            label(ax, (at + wide / 2, y), piece, size=style.LABEL + 2, **look)
            at += wide
        color = style.WEIGHT_COLORS[3] if size in (few, many) else style.MUTED
        bold(ax, (right, y), str(len(parts)), size=style.TITLE, color=color)
    return figure


@figure(
    "real-text-dropout",
    caption="The same model and training with and without dropout, on 1,000 real sentence pairs.",
    alt="""Two panels, loss against the step, with the gap between two curves tinted. Without
    dropout that of the sentences trained on falls from 5.0 to 0.1; that of new ones comes down
    to 4.5, a dot, and rises again, to 6.0. With dropout the gap is small: 2.2, 3.9.""",
)
def draw_dropout() -> Figure:
    stored = experiments.load("real-text")
    learned, new = curves(stored, "seen"), curves(stored, "validation_loss")
    figure, axes = style.panels(2, 4.2, sharey=True)
    title = "The loss on new sentences ends at {:.1f} without dropout, and at {:.1f} with it"
    note = "Two training runs on the same 1,000 pairs; losses are measured with dropout off"
    titled(figure, title.format(new[0.0][-1][1], new[0.2][-1][1]), note)
    figure.get_layout_engine().set(wspace=0.1)
    for ax, rate in zip(axes, (0.0, 0.2), strict=True):
        color = style.MUTED if rate else style.ACCENT
        steps, low = zip(*learned[rate], strict=True)
        steps, high = zip(*new[rate], strict=True)
        ax.fill_between(steps, low, high, color=color, alpha=0.12, linewidth=0)
        ax.set_title(f"dropout {rate}" if rate else "no dropout", color=color)
        for text, losses, thick in (("training sentences", low, 2), ("new sentences", high, 3)):
            ax.plot(steps, losses, color=color, linewidth=thick)
            look = {"textcoords": "offset points", "annotation_clip": False, "color": color}
            look |= {"va": "center_baseline", "weight": "bold"}
            ax.annotate(f"{losses[-1]:.1f}", (steps[-1], losses[-1]), (8, 0), **look)
            away, va = (-7, "top") if losses is low and losses[-1] > 1 else (6, "bottom")
            look |= {"va": va, "ha": "right", "weight": "normal"}
            ax.annotate(text, (steps[-1], losses[-1]), (-6, away), **look)
        turn = min(high)
        if turn < high[-1] - 0.1:
            at = steps[high.index(turn)], turn
            ax.plot(*at, "o", color=color, markersize=9, markeredgecolor=style.PAPER)
            ax.annotate(f"{turn:.1f}", at, (0, 8), **{**look, "va": "bottom", "ha": "center"})
        ax.set(xlabel="step of training", xlim=(0, steps[-1]), ylim=(0, 6.6), xticks=(0, 600, 1200))
        ax.set_yticks((0, 2, 4, 6))
        ax.tick_params(axis="y", length=3 * (ax is axes[0]))
        ax.grid(axis="y", linewidth=0.8)
        ax.xaxis.set_major_formatter("{x:,.0f}")
    return figure


@figure(
    "real-text-learning-curve",
    caption="The loss of the larger translator while it was trained.",
    alt="""A curve over 20,000 steps: the loss on validation text comes down to 1.0; the plot
    begins after 5,000 steps, at 1.44. In each 5,000 steps it falls, by 0.18, by 0.16, and in the
    last, in orange, still by 0.12: the steps beside the curve.""",
)
def draw_learning_curve() -> Figure:
    history = read_json(MODELS["tatoeba"] / "training.json")["history"]
    steps, losses = ([entry[key] for entry in history] for key in ("step", "validation_loss"))
    turns = [steps.index(step) for step in (5000, 10_000, 15_000, 20_000)]
    figure, ax = style.panel(3.9)
    note = "Validation loss; the learning rate falls to 0 at the end; neither axis begins at 0"
    titled(figure, "On real text, the loss is still falling when training ends", note)
    for here, there in pairwise(turns):
        color = style.ACCENT if there == turns[-1] else style.MUTED
        x, y = steps[here : there + 1], losses[here : there + 1]
        ax.plot(x, y, color=color, lw=3.5)
        ax.plot([x[0], x[-1], x[-1]], [y[0], y[0], y[-1]], color=color, lw=1)
        ax.plot(x[-1], y[-1], "o", color=color, ms=9, mec=style.PAPER, zorder=4)
        look = {"color": color, "weight": "bold", "size": style.TITLE, "va": "center_baseline"}
        ax.text(x[-1] + 150, (y[0] + y[-1]) / 2, f"{y[-1] - y[0]:.2f}".replace("-", "−"), **look)
    look = {"ha": "center", "va": "top", "color": style.ACCENT}
    ax.text(steps[-1], losses[-1] - 0.03, "training ends", **look)
    ax.set(xlim=(4750, 1.08 * steps[-1]), ylim=(0.87, 1.5), yticks=(1, 1.2, 1.4))
    ax.set(xlabel="step of training", ylabel="loss per token")
    ax.set_xticks([steps[turn] for turn in turns])
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return figure


@figure(
    "real-text-published",
    caption="Two ways to choose from the same beams: which is better depends on the sentences.",
    alt="""Two thick lines cross on their way from the validation pairs to the test sentences;
    thin ones are the three seeds of each. At the left, the length penalty that is best there has
    a BLEU of 41.3 on average, the log-probability per piece 40.8. At the right it is the other
    way round, for each seed: the penalty has 40.0, the log-probability per piece 41.1. The seeds
    lie up to 1.4 apart.""",
)
def draw_published() -> Figure:
    runs = experiments.load("multi30k")["runs"]
    figure, ax = style.panel(4.2)
    note = (
        "BLEU of two ways to choose a translation; thin lines: three "
        "training runs; thick lines: their means"
    )
    titled(figure, "The ranking that wins on the validation pairs loses on the test", note)
    penalty = [
        [run["validation_bleu"][str(run["length_penalty"])] for run in runs],
        [run["beam"]["bleu"] for run in runs],
    ]
    per_piece = [[run[key]["bleu"] for run in runs] for key in ("per_word_validation", "per_word")]
    look = {"textcoords": "offset points", "va": "center_baseline", "weight": "bold"}
    for way, scores, color in (
        ("with a\nlength penalty", penalty, style.ACCENT),
        ("by log-probability\nper piece", per_piece, style.MUTED),
    ):
        means = [sum(text) / len(text) for text in scores]
        ax.plot([0, 1], scores, color=color, lw=1, alpha=0.5)
        ax.plot([0, 1], means, "o-", color=color, lw=4, ms=11, mec=style.PAPER, zorder=4)
        numbers = [f"{mean:.1f}" for mean in means]
        for said, away, size in ((numbers, 14, style.TITLE), ((way, way), 58, style.LABEL)):
            for x, side, ha in ((0, -1, "right"), (1, 1, "left")):
                at, off = (x, means[x]), (side * away, 0)
                ax.annotate(said[x], at, off, ha=ha, color=color, size=size, **look)
    ax.set(xlim=(-0.5, 1.5), yticks=[])
    ax.set_xticks([0, 1], ["on validation", "on test"], weight="bold")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, pad=8, labelsize=style.LABEL + 1, labeltop=True, labelbottom=False)
    return figure
