"""Real text: a word and its pieces, and what dropout does."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import matplotlib as mpl
from matplotlib.figure import Figure

from course import experiments
from course.chapters.ch12_translation.figures import loss_and_floor
from course.drawing import style
from course.drawing.arrows import box
from course.drawing.plots import curves, dot_rows, name_lines
from course.drawing.registry import figure
from course.drawing.words import canvas, heading, label, titled
from transformer_lib.files import read_json
from transformer_lib.text import everyday
from transformer_lib.text.languages import read_languages
from transformer_lib.translator import MODELS

# In inches: where the letters begin, a letter, a box, from row to row.
LEFT, CELL, HIGH, STEP = 1.35, 0.36, 0.34, 0.5


@mpl.rc_context(style.PRINT)
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


@mpl.rc_context(style.PRINT)
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


@mpl.rc_context(style.PRINT)
def _score_slopes(texts: Mapping[str, Mapping[str, Sequence[float]]]) -> Figure:
    """Draw BLEU from one text to another: a thick line for each way, thin ones for its seeds.

    texts: title -> {way: a score for each seed}, the same ways in both; the last way is loud.
    Raises ValueError for another number of texts.
    """
    if len(texts) != 2:
        raise ValueError(f"a line goes from one text to another, but here are {len(texts)} texts")
    figure = style.new_figure(style.WIDTH, 4.1)
    note = "BLEU of two ways to choose among translations; thin lines: three training runs"
    titled(figure, "The choice that is better on validation is worse on test", note)
    ax = figure.subplots()
    first, second = texts.values()
    named = {way: f"{fmean(scores):.1f}, {way}" for way, scores in second.items()}
    lines = {named[way]: list(zip(first[way], second[way], strict=True)) for way in named}
    curves(ax, [0, 1], lines, loud=list(named.values())[-1:])
    for line in [line for line in ax.lines if line.get_label() in lines]:
        mean, look = line.get_ydata()[0], {"color": line.get_color(), "weight": "bold"}
        text = f"{mean:.1f}"
        ax.annotate(
            text, (0, mean), (-8, 0), textcoords="offset points", ha="right", va="center", **look
        )
    ax.set(xlim=(-0.16, 1), yticks=[])
    ax.set_xticks([0, 1], list(texts), weight="bold")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return figure


@mpl.rc_context(style.PRINT)
def _score_changes(scores: Mapping[str, float], base: str) -> Figure:
    """Draw how far each way of training is from the base, best first, in points -> the figure.

    scores: way -> BLEU, the base among them. Raises ValueError where it isn't.
    """
    if base not in scores:
        raise ValueError(f"the base {base!r} is none of {', '.join(map(repr, scores))}")
    rows = sorted((way for way in scores if way != base), key=scores.__getitem__, reverse=True)
    figure = style.new_figure(style.WIDTH, 1.3 + 0.36 * len(rows))
    worth = scores[rows[0]] - scores[base]
    figure.suptitle(f"Of all changes {rows[0]} is worth most: {worth:+.1f} BLEU")
    ax = figure.subplots()
    dots = {way: [scores[way]] for way in rows}
    by = "{:+.1f}".format
    dot_rows(
        ax, dots, loud=rows[:1], at=1.02, written=lambda found: by(found.mean() - scores[base])
    )
    for place, way in enumerate(rows):
        color = style.ACCENT if place == 0 else style.SOFT
        ax.plot([scores[base], scores[way]], [place, place], color=color, linewidth=2, zorder=2)
    ax.axvline(scores[base], color=style.INK, linewidth=1.2, zorder=0)
    ax.text(scores[base], -0.7, f"{base}: {scores[base]:.1f}", ha="center", va="bottom")
    ax.margins(x=0.12)
    ax.set_xlabel("BLEU on the validation pairs")
    return figure


SIZES = (260, 300, 500, 1000, 4000, 8000)
WORD = "grandmothers"


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
    alt="Two curves over 20,000 steps; on the step axis each mark is twice the one before. On "
    "training text the loss comes down from 5.3 to 1.7, above a dotted line at 1.2, which label "
    "smoothing alone costs; on validation text it falls from 2.8 to 1.0, in its second half below "
    "that line.",
)
def draw_learning_curve() -> Figure:
    model = MODELS["tatoeba"]
    return loss_and_floor(model, read_json(model / "config.json")["tgt_vocab_size"])


@figure(
    "real-text-ladder",
    caption="What each change of the training is worth after 5,000 updates, one seed each.",
    alt="Rows from the best to the worst, beside a line at 36.1 for the training as it is: Muon "
    "+3.1; AdamW +2.0; AdamW, twice the rate +1.3; Muon and BPE-dropout +0.2; AdamW, half the "
    "rate −1.2; dropout 0.3 −1.4; recurrent, with attention −1.5; BPE-dropout −4.0; half the "
    "updates −6.9; R-Drop, half the updates −9.5.",
)
def draw_sweep() -> Figure:
    runs = experiments.load("multi30k-ladder")["runs"]
    return _score_changes({run["what"]: run["beam_bleu"]["1.4"] for run in runs}, base="as it is")


@figure(
    "real-text-published",
    caption="Two ways to choose from the same beams: which is better depends on the sentences.",
    alt="Two thick lines, each with three thin ones for its seeds, cross on their way from the "
    "validation pairs to the test sentences. At the left, the length penalty that is best there "
    "has a BLEU of 41.3 on average, log-probability per piece 40.8. At the right it is the other "
    "way round, for each seed: the penalty has 40.0, log-probability per piece 41.1. The seeds lie "
    "up to 1.4 apart.",
)
def draw_published() -> Figure:
    runs = experiments.load("multi30k")["runs"]
    ours, theirs = "with the length penalty\nbest on validation", "by log-probability per piece"
    chosen = [run["validation_bleu"][str(run["length_penalty"])] for run in runs]
    validation = {ours: chosen, theirs: [run["per_word_validation"]["bleu"] for run in runs]}
    test = {
        ours: [run["beam"]["bleu"] for run in runs],
        theirs: [run["per_word"]["bleu"] for run in runs],
    }
    return _score_slopes({"validation": validation, "test": test})
