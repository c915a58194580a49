"""One-hot rows, and how many words of a test text a vocabulary doesn't know."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course.drawing import style
from course.drawing.registry import figure
from course.drawing.shapes import area, centered
from course.drawing.values import as_array


@mpl.rc_context(style.PRINT)
def one_hot_table(
    table: Any, words: Sequence[str], vocabulary: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Draw small one-hot rows (n, vocab), every 0 and 1 -> the axes.

    words: the n words of the rows; vocabulary: what each column stands for. Raises ValueError when
    the words don't fit the table, or a row doesn't consist of one 1 and zeros.
    """
    matrix = as_array(table)
    if matrix.shape != (len(words), len(vocabulary)) or 0 in matrix.shape:
        raise ValueError(
            f"{len(words)} words and a vocabulary of {len(vocabulary)} don't fit "
            f"a table of the shape {matrix.shape}"
        )
    if not (np.isin(matrix, (0, 1)).all() and (matrix.sum(axis=1) == 1).all()):
        raise ValueError("in a one-hot table each row has exactly one 1, and zeros elsewhere")
    count, width = matrix.shape
    if ax is None:
        ax = style.new_figure(style.WIDTH, 1.0 + 0.5 * count).subplots()
    ax.set(xlim=(-0.5, width - 0.5), ylim=(count - 0.5, -0.5))
    for (row, slot), value in np.ndenumerate(matrix):
        color = style.WORDS.get(words[row], style.CATEGORIES[0]) if value else style.PAPER
        ax.add_patch(
            Rectangle(
                (slot - 0.5, row - 0.5), 1, 1, facecolor=color, linewidth=0.8, edgecolor="#D0D0D0"
            )
        )
        centered(
            ax,
            slot,
            row,
            f"{value:.0f}",
            size=13,
            color=style.ink_on(color) if value else style.MUTED,
            weight="bold" if value else "normal",
        )
    labels = [f"{word}\n{slot}" for slot, word in enumerate(vocabulary)]
    ax.set_xticks(range(width), labels, fontsize=10.5)
    ax.set_yticks(range(count), words, fontsize=13, weight="bold")
    for tick in (*ax.get_yticklabels(), *ax.get_xticklabels()):
        text = tick.get_text().partition("\n")[0]
        if text in words:
            tick.set(color=style.WORDS.get(text, style.INK), weight="bold")
    ax.set_xlabel("one slot for each entry of the vocabulary, with its number")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


@mpl.rc_context(style.PRINT)
def one_hot_row(ids: Sequence[int], words: Sequence[str], vocabulary: Sequence[str]) -> Figure:
    """Draw each id as a row with one mark, and the place around the last of them enlarged.

    Raises ValueError when ids and words differ in number or an id isn't in the vocabulary.
    """
    size = len(vocabulary)
    if len(ids) != len(words) or not all(3 <= number < size - 3 for number in ids):
        raise ValueError(f"{len(ids)} ids don't fit {len(words)} words, or a vocabulary of {size}")
    figure = style.new_figure(style.WIDTH, 4.1)
    ax = figure.subplots()
    ax.set(xlim=(-3.3, 10.15), ylim=(5.6, -0.7))
    ax.axis("off")
    heads = {-2.47: "word", -0.75: "id", 5: f"one-hot row: {size:,} slots, one 1, else 0"}
    for at, words_above in heads.items():
        centered(ax, at, -0.42, words_above, weight="bold")
    for row, (number, word) in enumerate(zip(ids, words, strict=True)):
        color = style.WORDS.get(word, style.CATEGORIES[0])
        area(ax, (-3.25, row), 1.55, 0.62, color)
        centered(ax, -2.47, row + 0.31, word, color=style.ink_on(color), size=13)
        ax.text(-0.35, row + 0.31, str(number), ha="right", va="center", fontsize=15, weight="bold")
        area(ax, (0, row), 10, 0.62, "#EFEFEF")
        x = 10 * (number + 0.5) / size
        area(ax, (x - 0.045, row - 0.06), 0.09, 0.74, color)
    # The lens: seven slots around the last word's 1.
    top, left, cell, last = len(ids) + 0.75, 1.3, 1.06, ids[-1]
    color = style.WORDS.get(words[-1], style.CATEGORIES[0])
    for start, end in ((x - 0.06, left), (x + 0.06, left + 7 * cell)):
        ax.plot([start, end], [len(ids) - 0.32, top], color=style.MUTED, linewidth=1)
    for place, number in enumerate(range(last - 3, last + 4)):
        one = number == last
        at = left + place * cell
        ax.add_patch(
            Rectangle(
                (at, top),
                cell,
                0.8,
                facecolor=color if one else "#EFEFEF",
                edgecolor=style.PAPER,
                linewidth=2,
            )
        )
        centered(
            ax,
            at + cell / 2,
            top + 0.41,
            "1" if one else "0",
            size=16,
            weight="bold" if one else "normal",
            color=style.ink_on(color) if one else style.MUTED,
        )
        ax.text(
            at + cell / 2,
            top + 1.0,
            f"{number}\n{vocabulary[number]}",
            ha="center",
            va="top",
            fontsize=10,
            color=color if one else style.MUTED,
            weight="bold" if one else "normal",
        )
    return figure


@mpl.rc_context(style.PRINT)
def distance_triangle(rows: Any, words: Sequence[str]) -> Figure:
    """Draw three vectors (3, d) as the corners of a triangle with their distances -> the figure.

    Raises ValueError for another number of vectors or words, or where the sides aren't equal (a
    triangle of other distances would need other corners).
    """
    matrix = as_array(rows)
    if len(words) != 3 or matrix.ndim != 2 or len(matrix) != 3:
        raise ValueError(f"three words and vectors are needed, not {len(words)} and {len(matrix)}")
    sides = [float(np.linalg.norm(matrix[i] - matrix[j])) for i, j in ((0, 1), (1, 2), (2, 0))]
    if not np.allclose(sides, sides[0]):
        raise ValueError(f"the distances differ: {sides}")
    corners = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3**0.5]])
    figure = style.new_figure(style.WIDTH, 3.9)
    ax = figure.subplots()
    ax.set(xlim=(-1.6, 3.6), ylim=(-0.4, 2.05), aspect="equal")
    ax.set_title("As one-hot rows, all words are equally far apart")
    ax.axis("off")
    for (i, j), side in zip(((0, 1), (1, 2), (2, 0)), sides, strict=True):
        (x1, y1), (x2, y2) = corners[i], corners[j]
        ax.plot([x1, x2], [y1, y2], color=style.MUTED, linewidth=2.5, zorder=1)
        centered(
            ax,
            (x1 + x2) / 2,
            (y1 + y2) / 2,
            f"{side:.3f}",
            size=12,
            bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 3},
        )
    middle = corners.mean(axis=0)
    ax.text(
        *middle,
        "every distance:\n√2" if np.isclose(sides[0], 2**0.5) else "",
        ha="center",
        va="center",
        color=style.MUTED,
    )
    for (x, y), word in zip(corners, words, strict=True):
        centered(
            ax,
            x,
            y,
            word,
            size=15,
            weight="bold",
            color=style.PAPER,
            bbox={
                "facecolor": style.CATEGORIES[0],
                "edgecolor": "none",
                "boxstyle": "round,pad=0.4",
            },
        )
    return figure


@mpl.rc_context(style.PRINT)
def unknown_words(
    sentences: Sequence[int], unknown: Sequence[int], total: int, ax: Axes | None = None
) -> Axes:
    """Draw how many of a test text's words are unknown -> the axes.

    sentences: how many training sentences each vocabulary was built from; unknown: how many of
    the test text's `total` tokens it doesn't have. Raises ValueError when the two don't fit.
    """
    if len(sentences) != len(unknown) or not len(sentences):
        raise ValueError(
            f"{len(sentences)} sizes of training text don't fit "
            f"{len(unknown)} counts of unknown words"
        )
    if ax is None:
        ax = style.new_figure(style.WIDTH, 3.4).subplots()
    shares = [100 * count / total for count in unknown]
    ax.plot(sentences, shares, "o-", color=style.CATEGORIES[0], markersize=7, clip_on=False)
    for size, share, count in zip(sentences, shares, unknown, strict=True):
        ax.annotate(
            f"{count:,} unknown",
            (size, share),
            xytext=(6, 7),
            textcoords="offset points",
            fontsize=10.5,
        )
    ax.set_xscale("log")
    ax.set_xticks(sentences, [f"{size:,}" for size in sentences])
    ax.minorticks_off()
    ax.set_xlim(right=sentences[-1] * 2.2)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("training sentences that the vocabulary was built from")
    ax.set_ylabel("unknown, in %\nof the test's words")
    ax.grid(axis="y")
    return ax


TREES = ("I like trees".split(), "the trees grew".split())
SAMPLES = (10, 100, 1_000, 10_000)  # training sentences


@figure(
    "one-hot-table",
    notebook="01_one_hot",
    caption="The one-hot rows of 'I like trees' in a vocabulary of nine.",
    alt="A table of three rows, I, like and trees, and nine columns, the vocabulary: each row "
    "holds one 1, in the column of its own word, and eight zeros; each word has its color.",
)
def draw_one_hot_table() -> Figure:
    from transformer_lib.model.embedding import one_hot
    from transformer_lib.text.tokens import Vocabulary

    vocab = Vocabulary.build(TREES)
    ids = torch.tensor(vocab.encode(TREES[0]))
    return one_hot_table(one_hot(ids, len(vocab)), TREES[0], vocab.tokens).figure


@figure(
    "one-hot-row",
    notebook="01_one_hot",
    caption="Each word's number, written as a row with a single 1.",
    alt="Three words with their numbers, I 25, like 40, trees 498, and next to each a long empty "
    "bar of 955 slots with a single mark. Below, the row around the mark of trees is enlarged: "
    "seven slots, 0 0 0 1 0 0 0, with the 1 at 498.",
    hero=True,
)
def draw_one_hot_row() -> Figure:
    from transformer_lib.translator import Translator

    vocab = Translator.load().src.vocab
    return one_hot_row(vocab.encode(TREES[0]), TREES[0], vocab.tokens)


@figure(
    "unknown-words",
    title="The more text a vocabulary comes from, the fewer words are unknown",
    notebook="01_one_hot",
    caption="The more training text a vocabulary was built from, the fewer words of the test text "
    "it doesn't know.",
    alt="A curve that falls: more than half of the test's words are unknown after 10 training "
    "sentences, about a quarter after 100, 2 % after 1,000 and none after 10,000.",
)
def draw_unknown_words() -> Figure:
    from transformer_lib.recipes import learn_language
    from transformer_lib.text import english_spanish

    texts, test = (
        [english for english, _ in english_spanish.load(split)] for split in ("train", "test")
    )
    unknown, total = [], 0
    for size in SAMPLES:
        language = learn_language("en", texts[:size])
        read = [language.tokenizer(text) for text in test]
        unknown.append(sum(len(language.vocab.unknown(tokens)) for tokens in read))
        total = sum(map(len, read))
    return unknown_words(SAMPLES, unknown, total).figure


@figure(
    "one-hot-distances",
    notebook="01_one_hot",
    caption="Three words as one-hot rows: equally far apart.",
    alt="A triangle with three equal sides. Its corners are cat, dog and gave, and at each side "
    "is the same distance, 1.414; in the middle, that it is the root of 2.",
)
def draw_one_hot_distances() -> Figure:
    from transformer_lib.model.embedding import one_hot
    from transformer_lib.translator import Translator

    vocab, words = Translator.load().src.vocab, ["cat", "dog", "gave"]
    return distance_triangle(one_hot(torch.tensor(vocab.encode(words)), len(vocab)), words)
