"""Real text: a word and its pieces, what dropout does, and what was worth its training."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch10_training.figures import smoothing_floor
from course.drawing import style
from course.drawing.arrows import box
from course.drawing.plots import curves, name_lines
from course.drawing.registry import figure
from course.drawing.words import canvas, heading, label, titled
from transformer_lib.files import read_json
from transformer_lib.text import everyday
from transformer_lib.text.languages import read_languages
from transformer_lib.translator import MODELS

# In inches: where the letters begin, a letter, a box, from row to row.
LEFT, CELL, HIGH, STEP = 1.35, 0.36, 0.34, 0.5


def _word_in_pieces(rows: Mapping[int, Sequence[str]], means: Mapping[int, float]) -> Figure:
    """Draw a word as it is cut by vocabularies of several sizes, a row for each -> the figure.

    rows: size of the vocabulary -> the pieces of the word. means: size -> pieces per word in some
    text. Longer pieces are stronger. Raises ValueError where the pieces don't make the same word,
    or the sizes differ.
    """
    words = {"".join(pieces) for pieces in rows.values()}
    if len(words) != 1 or list(rows) != list(means):
        raise ValueError(f"one word and a mean for each size are needed: {words}, {list(means)}")
    (whole,) = words
    height = 0.68 + STEP * len(rows)
    figure, ax = canvas(style.WIDTH, height + 0.45)
    few, many = list(rows)[0], list(rows)[-1]
    title = f"{len(rows[few])} pieces with {few:,} subwords, {len(rows[many])} with {many:,}"
    heading(ax, title, "One word as six vocabularies cut it; per word: the mean of 200 sentences")
    right, top = LEFT + CELL * len(whole) + 0.2, height - 0.45
    label(ax, (LEFT - 0.25, top), "subwords", ha="right", color=style.MUTED)
    label(ax, (right, top), "pieces", color=style.MUTED)
    label(ax, (style.WIDTH - 0.1, top), "per word", ha="right", color=style.MUTED)
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
        label(ax, (style.WIDTH - 0.1, y), f"{means[size]:.2f}", size=style.LABEL + 2, ha="right")
    return figure


def _dropout_curves(panels: Mapping[str, Mapping[float, Sequence[tuple[int, float]]]]) -> Figure:
    """Draw a loss against the step, a panel for each text -> the figure.

    panels: title -> {dropout: (step, loss) pairs}, two dropouts; none is loud. Each curve's end has
    its number. Raises ValueError without a panel.
    """
    if not panels:
        raise ValueError("there are no panels: there is nothing to draw")
    figure, axes = style.panels(len(panels), 3.8, sharey=True)
    figure.get_layout_engine().set(wspace=0.08)
    for ax, (title, given) in zip(axes, panels.items(), strict=True):
        lines = {}
        for dropout, pairs in given.items():
            steps, losses = zip(*pairs, strict=True)
            name = f"dropout {dropout:g}" if dropout else "no dropout"
            lines[f"{name}: {losses[-1]:.2f}"] = losses
        ax.set(title=title, xlabel="step of training")
        loud = [name for name in lines if name.startswith("no")]
        curves(ax, steps, lines, loud=loud, names=False)
        name_lines(ax, wide=12)
        ax.set_xlim(0, steps[-1])
        ax.locator_params(axis="x", nbins=4)
        ax.xaxis.set_major_formatter("{x:,.0f}")
    axes[0].set_ylim(
        bottom=0, top=1.05 * max(line.get_ydata().max() for ax in axes for line in ax.lines)
    )
    axes[0].set_ylabel("loss per token, in nats")
    return figure


def _still_falling(history: Sequence[Mapping[str, float]], floor: float, last: int) -> Figure:
    """Draw the losses of a training, loud the one on validation text, which still falls at the end.

    floor: the lowest training loss that smoothed targets allow. last: how many steps are the end.
    """
    names = {"loss": "training text, with dropout and smoothed targets"}
    names["validation_loss"] = "validation text, with neither"
    steps = [entry["step"] for entry in history]
    lines = {name: [entry[key] for entry in history] for key, name in names.items()}
    figure, ax = style.panel(4.2)
    curves(ax, steps, lines, loud=[names["validation_loss"]], names=False)
    begin, end = steps[-1] - last, steps[-1]
    ax.axvspan(begin, end, color=style.GROUND, linewidth=0, zorder=0)
    at_end = {"textcoords": "offset points", "annotation_clip": False}
    for line, up in zip(list(ax.lines), (1.05, 0.92), strict=True):
        (x, ha, va) = (0.12, "left", "bottom") if up > 1 else (0.4, "right", "top")
        look, losses = {"color": line.get_color(), "va": va}, line.get_ydata()
        ax.text(x * end, up * np.interp(x * end, steps, losses), line.get_label(), ha=ha, **look)
        look["va"] = "center_baseline"
        ax.annotate(f"{losses[-1]:.2f}", (end, losses[-1]), (10, 0), **at_end, **look)
    marks = {"markersize": 9, "markeredgecolor": style.PAPER, "clip_on": False}
    line.set(marker="o", markevery=[steps.index(begin), -1], **marks)
    ax.plot([begin, end], [floor, floor], color=style.MUTED, linestyle=":", linewidth=1.4)
    said = f"{floor:.2f}: the least that\nsmoothed targets allow"
    ax.annotate(said, (end, floor), (10, -4), color=style.MUTED, **at_end)
    said = f"{losses[-1] - losses[steps.index(begin)]:.2f} in the\nlast {last:,} steps"
    look |= {"va": "top", "ha": "center", "weight": "bold"}
    ax.text((begin + end) / 2, 0.82 * losses[-1], said, **look)
    ax.set(xlim=(0, end), yscale="log", ylim=(0.6, 6.2), xlabel="step of training")
    ax.set_ylabel("loss per token, in nats")
    ax.set_yticks(range(1, 7), range(1, 7))
    ax.set_yticks([], minor=True)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.locator_params(axis="x", nbins=5)
    return figure


def _score_slopes(texts: Mapping[str, Mapping[str, Sequence[float]]]) -> Figure:
    """Draw BLEU from one text to another: a thick line for each way, thin ones for its seeds.

    texts: title -> {way: a score for each seed}, the same ways in both; the first way is loud.
    Raises ValueError for another number of texts.
    """
    if len(texts) != 2:
        raise ValueError(f"a line goes from one text to another, but here are {len(texts)} texts")
    figure, ax = style.panel(4.2)
    note = "BLEU of two ways to rank translations: three training runs (thin) and their mean"
    titled(figure, "The choice that is better on validation is worse on test", note)
    first, second = texts.values()
    lines = {way: list(zip(first[way], second[way], strict=True)) for way in first}
    curves(ax, [0, 1], lines, loud=list(lines)[:1], names=False)
    for x in (0, 1):
        ax.axvline(x, color=style.SOFT, linewidth=0.75, zorder=0)
    for line in [line for line in ax.lines if line.get_label() in lines]:
        line.set(marker="o", markersize=9, markeredgecolor=style.PAPER, clip_on=False)
        look = {"textcoords": "offset points", "color": line.get_color(), "va": "center_baseline"}
        for x, score, ha in zip((0, 1), line.get_ydata(), ("right", "left"), strict=True):
            away = 12 if x else -12
            bold = {"ha": ha, "weight": "bold", "size": style.TITLE}
            ax.annotate(f"{score:.1f}", (x, score), (away, 0), **bold, **look)
            ax.annotate(line.get_label(), (x, score), (4 * away, 0), ha=ha, **look)
    ax.set(xlim=(-0.66, 1.66), yticks=[])
    ax.set_xticks([0, 1], list(texts), weight="bold")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, labelsize=style.LABEL + 1, labeltop=True, labelbottom=False)
    return figure


def _score_changes(
    scores: Mapping[str, float], base: str, groups: Mapping[str, Mapping[str, str]], luck: float
) -> Figure:
    """Draw how far each way of training is from the base, in points -> the figure.

    scores: way -> BLEU, the base among them. groups: head -> {way: its name}. luck: how far apart
    equal trainings can be. Raises ValueError where the base has no score.
    """
    if base not in scores:
        raise ValueError(f"the base {base!r} is none of {', '.join(map(repr, scores))}")
    change = {way: score - scores[base] for way, score in scores.items()}
    best = max(change, key=change.__getitem__)
    figure, ax = style.panel(1.15 + 0.24 * len(change) + 0.32 * len(groups))
    note = (
        f"Change in BLEU on the validation pairs, from {scores[base]:.1f} with Adam; one run each"
    )
    titled(figure, f"Of all changes {best} is worth most: {change[best]:+.1f} BLEU", note)
    ax.axvspan(-luck, luck, color=style.GROUND, linewidth=0, zorder=0)
    ax.axvline(0, color=style.INK, linewidth=1.2, zorder=3)
    y, left = 0.0, 2.15 * min(change.values())  # names begin there
    for head, ways in groups.items():
        ax.text(left, y, head, weight="bold", va="center_baseline")
        for way, name in ways.items():
            y += 1
            worth, loud = change[way], way == best
            look = {"weight": "bold", "color": style.ACCENT} if loud else {}
            look["va"] = "center_baseline"
            ax.text(left + 0.3, y, name, **look)
            ax.barh(y, worth, height=0.62, color=style.ACCENT if loud else style.SOFT, zorder=2)
            look["ha"] = "left" if worth > 0 else "right"
            ax.text(worth + (0.15 if worth > 0 else -0.15), y, f"{worth:+.1f}", **look)
        y += 1.35
    said = f"by chance: three seeds\nof one recipe lie\nup to {luck:.1f} apart"
    ax.text(luck + 0.15, y - 1, said, va="bottom", color=style.MUTED)
    ax.set(xticks=[], yticks=[], xlim=(left, 2 * change[best]), ylim=(y - 0.7, -0.7))
    ax.spines[:].set_visible(False)
    return figure


SIZES = (260, 300, 500, 1000, 4000, 8000)
WORD = "grandmothers"
CHANGES = {  # of the training: what is changed -> how each run is called in the picture
    "another optimizer than Adam": {
        "Muon": "Muon",
        "AdamW": "AdamW: Adam with weight decay",
        "AdamW, twice the rate": "AdamW, twice the learning rate",
        "AdamW, half the rate": "AdamW, half the learning rate",
    },
    "against learning by heart": {
        "dropout 0.3": "dropout of 0.3, not 0.2",
        "BPE-dropout": "BPE-dropout: words cut at random",
        "Muon and BPE-dropout": "BPE-dropout and Muon",
    },
    "half as many updates": {
        "half the updates": "nothing else changed",
        "R-Drop, half the updates": "R-Drop: each sentence read twice",
    },
    "another model": {"recurrent, with attention": "recurrent, with attention"},
}


@figure(
    "real-text-pieces",
    hero=True,
    caption="A word falls into fewer pieces the more subwords there are.",
    alt="The word 'grandmothers', with the space before it, in six rows. With 260 subwords it is "
    "13 single letters; with 300 'an' and 'er' are one piece each; with 500 it has 9 pieces, with "
    "1,000 gr, and, mo, ther, s, with 4,000 grand, mo, ther, s, and with 8,000 two: grandmother "
    "and s. Beside each row, fewer and fewer pieces per word of everyday sentences.",
)
def draw_pieces() -> Figure:
    from course.chapters.ch14_real_text.experiments import pieces, pieces_per_word, with_fewer

    both, _ = read_languages(MODELS["tatoeba"])
    sets = {size: with_fewer(both.tokenizer, size) for size in SIZES}
    texts = [item.english for item in everyday.load()]
    return _word_in_pieces(
        {size: pieces(subwords, WORD) for size, subwords in sets.items()},
        {size: pieces_per_word(subwords, texts) for size, subwords in sets.items()},
    )


@figure(
    "real-text-dropout",
    title="Without dropout real text is learned by heart",
    caption="The same model and training with and without dropout, on 1,000 real sentence pairs.",
    alt="Two panels, loss against the step. On the sentences that it learned from, the curve "
    "without dropout falls from 5.0 to 0.1, the one with dropout 0.2 to 2.2. On held-out sentences "
    "the one without comes down to 4.5, turns round and rises to 6.0; with dropout it falls to "
    "3.9.",
)
def draw_dropout() -> Figure:
    from course.chapters.ch14_real_text.experiments import curves

    stored = experiments.load("real-text")
    return _dropout_curves(
        {
            "sentences it learned from": curves(stored, "seen"),
            "held-out sentences": curves(stored, "validation_loss"),
        }
    )


@figure(
    "real-text-learning-curve",
    title="On real text, the loss still falls when training ends",
    caption="The loss of the larger translator while it was trained.",
    alt="Two curves over 20,000 steps. On training text the loss comes down from 5.4 to 1.7; a "
    "dotted line under its end, at 1.2, is the least that smoothed targets allow. On validation "
    "text it falls from 2.8 to 1.0, and in the last 5,000 steps, on a band, still by 0.12.",
)
def draw_learning_curve() -> Figure:
    model = MODELS["tatoeba"]
    smoothing = read_json(model / "recipe.json")["training"]["smoothing"]
    floor = smoothing_floor(smoothing, read_json(model / "config.json")["tgt_vocab_size"])
    return _still_falling(read_json(model / "training.json")["history"], floor, last=5000)


@figure(
    "real-text-ladder",
    caption="What each change of the training is worth after 5,000 updates, one seed each. The "
    "band reaches as far as three seeds of a longer training lie apart on the test sentences.",
    alt="Bars in four groups, left and right of a line for the training with Adam, 36.1. Another "
    "optimizer: Muon +3.1; AdamW +2.0; AdamW, twice the rate +1.3; AdamW, half the rate −1.2. "
    "Against learning by heart: dropout 0.3 −1.4; BPE-dropout −4.0; Muon and BPE-dropout +0.2. "
    "Fewer updates: half the updates −6.9; R-Drop, half the updates −9.5. Another model: "
    "recurrent, with attention −1.5. A band around the line: by chance, three seeds of one recipe "
    "are up to 1.4 apart.",
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
    "The seeds lie up to 1.4 apart.",
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
