"""One-hot rows, and how many words of a test text a vocabulary doesn't know."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.arrows import box, path
from course.drawing.cells import area
from course.drawing.registry import figure
from course.drawing.values import as_array
from course.drawing.words import canvas, heading, label, width_of, word, word_color
from transformer_lib.model.embedding import one_hot
from transformer_lib.recipes import learn_language
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import Vocabulary
from transformer_lib.translator import Translator

Marked = list[tuple[str, bool]]  # the words of a sentence, and whether each is known


def _one_hot_table(table: Any, words: Sequence[str], vocabulary: Sequence[str]) -> Figure:
    """Draw small one-hot rows (n, vocab_size), every 0 and 1 -> the figure.

    words: the n words of the rows; vocabulary: what each column stands for. Raises ValueError when
    the words don't fit the table, or a row doesn't consist of one 1 and zeros.
    """
    rows = as_array(table)
    if rows.shape != (len(words), len(vocabulary)) or 0 in rows.shape:
        raise ValueError(
            f"{len(words)} words and a vocabulary of {len(vocabulary)} don't fit "
            f"a table of the shape {rows.shape}"
        )
    if not (np.isin(rows, (0, 1)).all() and (rows.sum(axis=1) == 1).all()):
        raise ValueError("in a one-hot table each row has exactly one 1, and zeros elsewhere")
    left, high, wide = 0.8, 0.42, 7.18 / len(vocabulary)
    tall = high * len(words)
    figure, ax = canvas(8, tall + 1.35)
    note = "One slot for each entry of the vocabulary, with its number"
    heading(ax, "Each word has one 1, in its own slot", note)
    for row, text in enumerate(words):
        y = tall - high * (row + 0.5) + 0.55
        word(ax, (left - 0.1, y), text, size=13, ha="right")
        for slot, value in enumerate(rows[row]):
            cell(ax, (left + wide * (slot + 0.5), y), wide, high, text if value else "")
    for slot, text in enumerate(vocabulary):
        x, known = left + wide * (slot + 0.5), text in words
        word(ax, (x, 0.36), text, size=10, color=None if known else style.MUTED)
        label(ax, (x, 0.12), str(slot), ha="center", color=style.MUTED)
    return figure


def _one_hot_row(ids: Sequence[int], words: Sequence[str], vocabulary: Sequence[str]) -> Figure:
    """Draw each id as a row with one mark, and the place around the last of them enlarged.

    Raises ValueError when ids and words differ in number or an id isn't in the vocabulary.
    """
    size, left, wide, step = len(vocabulary), 1.95, 6.0, 0.5
    if len(ids) != len(words) or not all(3 <= number < size - 3 for number in ids):
        raise ValueError(f"{len(ids)} ids don't fit {len(words)} words, or a vocabulary of {size}")
    figure, ax = canvas(8, step * len(ids) + 2.1)
    heading(ax, f"Each word is a row of {size:,} slots: one 1, else 0")
    last, low = ids[-1], 1.55
    for at, said in ((0.05, "word"), (1.17, "number"), (left, "its row, a slot for each entry")):
        label(ax, (at, low + step * len(ids) - 0.14), said, color=style.MUTED)
    label(ax, (0.05, 0.72), f"The row of “{words[-1]}” enlarged:\nits 1 is in slot {last}")
    for row, (number, text) in enumerate(zip(ids, words, strict=True)):
        y = low + step * (len(ids) - 1 - row)
        word(ax, (0.1, y), text, size=14, ha="left")
        label(ax, (left - 0.2, y), str(number), size=14, weight="bold", ha="right")
        box(ax, (left + wide / 2, y), wide, 0.32, fill=style.GROUND, line=0, round=0.03)
        x = left + wide * (number + 0.5) / size
        area(ax, (x - 0.025, y - 0.19), 0.05, 0.38, word_color(text), zorder=3)
    # The lens: seven slots around the last word's 1.
    each = 0.72
    start = min(max(x - 3.5 * each, 0.1), left + wide - 7 * each)
    for end, above in ((start, x - 0.03), (start + 7 * each, x + 0.03)):
        path(ax, [(above, low - 0.19), (end, 0.94)], style.SOFT, thick=0.8, head=False)
    for place, number in enumerate(range(last - 3, last + 4)):
        x, here = start + each * (place + 0.5), number == last
        cell(ax, (x, 0.72), each, 0.42, words[-1] if here else "")
        word(ax, (x, 0.34), vocabulary[number], size=10, color=None if here else style.MUTED)
        label(ax, (x, 0.1), str(number), ha="center", color=style.MUTED)
    return figure


def cell(ax: Axes, at: tuple[float, float], wide: float, high: float, text: str = "") -> None:
    """A slot of a one-hot row: 1 in the color of its word, or 0."""
    color = word_color(text) if text else style.PAPER
    look = {"fill": color, "line": 0.6, "round": 0.01, "size": 13}
    if text:
        box(ax, at, wide, high, "1", color, weight="bold", **look)
    else:
        box(ax, at, wide, high, **look)
        label(ax, at, "0", size=13, ha="center", color=style.MUTED)


def _distance_triangle(rows: Any, words: Sequence[str]) -> Figure:
    """Draw three vectors (3, d) as the corners of a triangle with their distances -> the figure.

    Raises ValueError for another number of vectors or words, or where the sides aren't equal (a
    triangle of other distances would need other corners).
    """
    table = as_array(rows)
    if len(words) != 3 or table.ndim != 2 or len(table) != 3:
        raise ValueError(f"three words and vectors are needed, not {len(words)} and {len(table)}")
    pairs = ((0, 1), (1, 2), (2, 0))
    sides = [float(np.linalg.norm(table[i] - table[j])) for i, j in pairs]
    if not np.allclose(sides, sides[0]):
        raise ValueError(f"the distances differ: {sides}")
    figure, ax = canvas(8, 3.4)
    root = "; every distance is √2" if np.isclose(sides[0], 2**0.5) else ""
    note = f"Beside each word its row of {table.shape[1]} slots, with its one 1{root}"
    heading(ax, "As one-hot rows, all words are equally far apart", note)
    corners = np.array([[2.75, 0.3], [5.25, 0.3], [4.0, 0.3 + 2.5 * 0.75**0.5]])
    for row, (_, y), x in zip(table, corners, (0.1, 5.75, 4.55), strict=True):
        one = x + 2.1 * (row.argmax() + 0.5) / len(row)
        box(ax, (x + 1.05, y), 2.1, 0.2, fill=style.GROUND, line=0, round=0.03)
        area(ax, (one - 0.025, y - 0.13), 0.05, 0.26, style.INK, zorder=3)
    for (i, j), side in zip(pairs, sides, strict=True):
        path(ax, [tuple(corners[i]), tuple(corners[j])], style.SOFT, head=False)
        ground = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 3}
        look = {"ha": "center", "size": 13, "color": style.ACCENT, "bbox": ground}
        label(ax, tuple(corners[[i, j]].mean(axis=0)), f"{side:.3f}", weight="bold", **look)
    for corner, text in zip(corners, words, strict=True):
        word(ax, tuple(corner), text, size=15)
    return figure


def _unknown_words(sizes: Sequence[int], known: Sequence[Sequence[Marked]], at: int) -> Figure:
    """Draw a sentence as vocabularies of several sizes know it, and how much of a text they don't.

    sizes: how many training sentences each vocabulary was built from; known: for each of them the
    sentences of the text; at: which is drawn, spelled as the last reads it. Raises ValueError when
    sizes and known don't fit.
    """
    if len(sizes) != len(known):
        raise ValueError(f"{len(sizes)} sizes of training text don't fit {len(known)} readings")
    step, size = 0.56, 13
    figure, ax = canvas(8, step * len(sizes) + 1.22)
    note = "A sentence of the test. Its unknown words are blotted out"
    heading(ax, "The more text a vocabulary comes from, the fewer words are unknown", note)
    top = step * len(sizes) + 0.2
    label(ax, (0.02, top), "vocabulary built from", color=style.MUTED)
    label(ax, (7.98, top), "unknown, of all words of the test", ha="right", color=style.MUTED)
    for row, (count, sentences) in enumerate(zip(sizes, known, strict=True)):
        y, x = top - step * (row + 0.8), 1.62
        label(ax, (0.02, y), f"{count:,} sentences", size=style.LABEL)
        for (_, is_known), (text, _) in zip(sentences[at], known[-1][at], strict=True):
            wide = width_of(text, size)
            if is_known:
                word(ax, (x + wide / 2, y), text, size=size, color=style.INK)
            else:
                box(ax, (x + wide / 2, y), wide + 0.08, 0.27, fill=style.ACCENT, line=0, round=0.05)
            x += wide + 0.19
        look = {"size": style.TITLE, "weight": "bold", "color": style.ACCENT, "ha": "right"}
        label(ax, (7.98, y), f"{100 * _unknown_share(sentences):.0f} %", **look)
    return figure


def _unknown_share(sentences: Sequence[Marked]) -> float:
    return 1 - float(np.mean([is_known for words in sentences for _, is_known in words]))


def _typical(known: Sequence[Sequence[Marked]], long: int) -> int:
    """Of the sentences of `long` words, the one of which about as much is unknown as of all."""
    overall = [_unknown_share(sentences) for sentences in known]

    def off(at: int) -> float:
        return sum(abs(_unknown_share([s[at]]) - u) for s, u in zip(known, overall, strict=True))

    return min((at for at, words in enumerate(known[0]) if len(words) == long), key=off)


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
    alt="Three words with their numbers, I 25, like 40, trees 498, and next to each a long empty "
    "bar of 955 slots with a single mark. Below, the row around the mark of trees is enlarged: "
    "seven slots, 0 0 0 1 0 0 0, with the 1 at 498.",
    hero=True,
)
def draw_one_hot_row() -> Figure:
    vocab = Translator.load().src.vocab
    return _one_hot_row(vocab.encode(TREES[0]), TREES[0], vocab.tokens)


@figure(
    "unknown-words",
    caption="The more training text a vocabulary was built from, the fewer words of the test text "
    "it doesn't know.",
    alt="A sentence of the test, 'I find the letters in these wardrobes and read them', in four "
    "rows, its unknown words blotted out. With a vocabulary from 10 training sentences five of "
    "the ten words are, from 100 'letters' and 'wardrobes', from 1,000 and 10,000 none. Beside "
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
    alt="A triangle with three equal sides. Its corners are cat, dog and gave, and at each side "
    "is the same distance, 1.414; above, that it is the root of 2. Beside each corner is a bar, "
    "the row of its word, with a mark where its 1 stands.",
)
def draw_one_hot_distances() -> Figure:
    vocab, words = Translator.load().src.vocab, ["cat", "dog", "gave"]
    return _distance_triangle(one_hot(torch.tensor(vocab.encode(words)), len(vocab)), words)
