"""One-hot rows, and how many words of a test text a vocabulary doesn't know."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from course.drawing import style
from course.drawing.arrows import box, path
from course.drawing.cells import area
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import canvas, label, width_of, word, word_color
from transformer_lib.model.embedding import one_hot
from transformer_lib.recipes import learn_language
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import Vocabulary
from transformer_lib.translator import Translator

Marked = list[tuple[str, bool]]  # the words of a sentence, and whether each is known


def _one_hot_table(table: Any, words: Sequence[str], vocabulary: Sequence[str]) -> Figure:
    """Draw small one-hot rows (n, vocab_size), every 0 and 1 -> the figure.

    words: the n words of the rows; vocabulary: what each column stands for.
    """
    rows = as_array(table)
    left, high, wide = 0.8, 0.42, 7.18 / len(vocabulary)
    tall = high * len(words)
    note = "One slot for each entry of the vocabulary, with its number"
    figure, ax = canvas(tall + 1.45, "Each word has one 1, in its own slot", note)
    for row, text in enumerate(words):
        y = tall - high * (row + 0.5) + 0.12
        word(ax, (left - 0.1, y), text, size=13, ha="right")
        for slot, value in enumerate(rows[row]):
            cell(ax, (left + wide * (slot + 0.5), y), wide, high, text if value else "")
    for slot, text in enumerate(vocabulary):
        x, known = left + wide * (slot + 0.5), text in words
        word(ax, (x, tall + 0.3), text, size=10, color=None if known else style.MUTED)
        label(ax, (x, tall + 0.56), str(slot), ha="center", color=style.MUTED)
    return figure


def _one_hot_row(ids: Sequence[int], words: Sequence[str], vocabulary: Sequence[str]) -> Figure:
    """Draw each id as a row with one mark, and the place around the last of them enlarged."""
    size, left, wide, step = len(vocabulary), 0.9, 7.02, 0.52
    figure, ax = canvas(
        step * len(ids) + 2.65, f"Each word is a row of {size:,} slots: one 1, else 0"
    )
    last, low = ids[-1], 2.0
    for slot, x, ha in ((0, left, "left"), (size - 1, left + wide, "right")):
        label(ax, (x, low + step * len(ids) - 0.17), f"slot {slot}", ha=ha, color=style.MUTED)
    for row, (number, text) in enumerate(zip(ids, words, strict=True)):
        y = low + step * (len(ids) - 1 - row)
        word(ax, (left - 0.12, y), text, size=14, ha="right")
        box(ax, (left + wide / 2, y), wide, 0.3, fill=style.GROUND, line=0, round=0.03)
        x = left + wide * (number + 0.5) / size
        area(ax, (x - 0.025, y - 0.19), 0.05, 0.38, style.readable(word_color(text)), zorder=3)
        label(ax, (x + 0.09, y), str(number), size=13, weight="bold")
    # The lens: seven slots around the last word's 1.
    each = wide / 7
    for end, above in ((left, x - 0.03), (left + wide, x + 0.03)):
        path(ax, [(above, low - 0.19), (end, 1.21)], style.SOFT, thick=0.8, head=False)
    for place, number in enumerate(range(last - 3, last + 4)):
        x, here = left + each * (place + 0.5), number == last
        cell(ax, (x, 0.9), each, 0.62, words[-1] if here else "", size=17)
        word(ax, (x, 0.37), vocabulary[number], color=None if here else style.MUTED)
        label(ax, (x, 0.1), str(number), ha="center", color=style.INK if here else style.MUTED)
    return figure


def cell(
    ax: Axes, at: tuple[float, float], wide: float, high: float, text: str = "", size: float = 13
) -> None:
    """A slot of a one-hot row: 1 in the color of its word, or 0."""
    color = style.readable(word_color(text)) if text else style.PAPER
    box(ax, at, wide, high, "", color if text else style.RULE, fill=color, line=0.6, round=0.01)
    look = {"weight": "bold", "color": style.ink_on(color)} if text else {"color": style.MUTED}
    label(ax, at, str(int(bool(text))), size=size, ha="center", **look)


def _distance_triangle(table: Tensor, words: Sequence[str]) -> Figure:
    """Draw three one-hot rows (3, d), and a triangle with their distances, all √2 -> the figure."""
    near, first, far = words
    figure, ax = canvas(
        3.75,
        f"As one-hot rows, “{first}” is as far from “{near}” as from “{far}”",
        f"Any two rows, of {table.shape[1]} slots, differ in two, by 1 each: √(1² + 1²) = √2",
    )
    slots, corners = table.argmax(dim=1), np.array([[7.5, 2.4], [5.7, 1.36], [7.5, 0.32]])
    order = slots.sort().values
    for column, slot in enumerate(order.tolist()):
        label(ax, (1.6 + 1.13 * column, 2.78), f"slot {slot}", ha="center", color=style.MUTED)
    ground = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 4}
    look = {"ha": "center", "size": style.TITLE, "weight": "bold", "bbox": ground}
    for one, other in ((0, 2), (0, 1), (1, 2)):
        color = style.ACCENT if 1 in (one, other) else style.SOFT
        path(ax, corners[[one, other]], color, thick=3, head=False)
        label(ax, corners[[one, other]].mean(axis=0), "√2", color=style.readable(color), **look)
    for corner, slot, text in zip(corners, slots, words, strict=True):
        y = corner[1]
        word(ax, (0.68, y), text, size=15, ha="right")
        for column, other in enumerate(order):
            cell(ax, (1.6 + 1.13 * column, y), 0.6, 0.44, text if slot == other else "", size=15)
        for column in range(4):
            label(ax, (1.035 + 1.13 * column, y), "0 … 0", ha="center", color=style.MUTED)
        word(ax, corner, text, size=15)
    return figure


def _unknown_words(sizes: Sequence[int], known: Sequence[Sequence[Marked]], at: int) -> Figure:
    """Draw a sentence as vocabularies of several sizes know it, and how much of a text they don't.

    sizes: how many training sentences each vocabulary was built from; known: for each of them the
    sentences of the text; at: which is drawn, spelled as the last reads it.
    """
    step, size = 0.56, 13
    note = "A sentence of the test. Its unknown words are blotted out"
    figure, ax = canvas(
        step * len(sizes) + 1.22,
        "The more text a vocabulary comes from, the fewer words are unknown",
        note,
    )
    top = step * len(sizes) + 0.2
    label(ax, (0.02, top), "vocabulary built from", color=style.MUTED)
    label(ax, (7.98, top), "unknown, of all words of the test", ha="right", color=style.MUTED)
    for row, (count, sentences) in enumerate(zip(sizes, known, strict=True)):
        y, x = top - step * (row + 0.8), 1.62
        label(ax, (0.55, y), f"{count:,}", size=style.LABEL, ha="right", weight="bold")
        label(ax, (0.61, y), "sentences", size=style.LABEL)
        for (_, is_known), (text, _) in zip(sentences[at], known[-1][at], strict=True):
            wide = width_of(text, size)
            if is_known:
                word(ax, (x + wide / 2, y), text, size=size, color=style.INK)
            else:
                box(ax, (x + wide / 2, y), wide + 0.08, 0.27, fill=style.ACCENT, line=0, round=0.05)
            x += wide + 0.19
        share = f"{100 * _unknown_share(sentences):.0f} %"
        color = style.MUTED if share == "0 %" else style.ACCENT
        label(ax, (7.98, y), share, size=style.TITLE, weight="bold", color=color, ha="right")
    return figure


def _unknown_share(sentences: Sequence[Marked]) -> float:
    return 1 - float(np.mean([is_known for words in sentences for _, is_known in words]))


def _typical(known: Sequence[Sequence[Marked]], long: int) -> int:
    """Of the sentences of `long` words, the one of which about as much is unknown as of all.

    Only the last vocabulary knows all of it: each step of the picture shows a word.
    """
    overall = [_unknown_share(sentences) for sentences in known]

    def off(at: int) -> float:
        return sum(abs(_unknown_share([s[at]]) - u) for s, u in zip(known, overall, strict=True))

    lacking = (at for at, words in enumerate(known[-2]) if _unknown_share([words]))
    return min((at for at in lacking if len(known[0][at]) == long), key=off)


TREES = ("I like trees".split(), "the trees grew".split())
SAMPLES = (10, 100, 1_000, 10_000)  # training sentences


@figure(
    "one-hot-table",
    caption="The one-hot rows of 'I like trees' in a vocabulary of nine.",
    alt="A table of three rows, I, like and trees, and nine columns, the vocabulary: each row "
    "holds one 1, in the column of its own word, and eight zeros; each word has its color.",
)
def draw_one_hot_table() -> Figure:
    vocab = Vocabulary.build(TREES)
    ids = torch.tensor(vocab.encode(TREES[0]))
    return _one_hot_table(one_hot(ids, len(vocab)), TREES[0], vocab.tokens)


@figure(
    "one-hot-row",
    caption="Each word's number, written as a row with a single 1.",
    alt="Three words, I, like, trees, and next to each a long empty bar, from slot 0 to slot 954, "
    "with a single mark and its number: 25, 40, 498. Below, the row around the mark of trees is "
    "enlarged: seven slots, 0 0 0 1 0 0 0, with the 1 at 498.",
    hero=True,
)
def draw_one_hot_row() -> Figure:
    vocab = Translator.load().src.vocab
    return _one_hot_row(vocab.encode(TREES[0]), TREES[0], vocab.tokens)


@figure(
    "unknown-words",
    caption="The more training text a vocabulary was built from, the fewer words of the test text "
    "it doesn't know.",
    alt="A sentence of the test, 'Juan could not buy the bicycle because he was poor', in four "
    "rows, its unknown words blotted out. With a vocabulary from 10 training sentences five of "
    "the ten words are, from 100 'bicycle' and 'poor', from 1,000 'poor', from 10,000 none. Beside "
    "them the share of all words of the test that is unknown: 53 %, 24 %, 2 % and 0 %.",
)
def draw_unknown_words() -> Figure:
    texts, test = (
        [english for english, _ in english_spanish.load(split)] for split in ("train", "test")
    )
    known = []
    for size in SAMPLES:
        language = learn_language("en", texts[:size])
        read = map(language.tokenizer, test)
        known.append([[(token, token in language.vocab.ids) for token in row] for row in read])
    return _unknown_words(SAMPLES, known, _typical(known, long=10))


@figure(
    "one-hot-distances",
    caption="Three words as one-hot rows: equally far apart.",
    alt="The rows of dog, cat and gave, each with a single 1, at slots 109, 121 and 680; all else "
    "is 0. To their right the words are corners of a triangle with three equal sides, each with "
    "the root of 2: in rust from cat to dog and to gave, gray between these.",
)
def draw_one_hot_distances() -> Figure:
    vocab, words = Translator.load().src.vocab, ["dog", "cat", "gave"]
    return _distance_triangle(one_hot(torch.tensor(vocab.encode(words)), len(vocab)), words)
