"""One-hot rows, and how many words of a test text a vocabulary doesn't know."""

from collections.abc import Sequence

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.arrows import box
from course.drawing.registry import figure
from course.drawing.words import canvas, label, width_of, word, word_color
from transformer_lib.model.embedding import one_hot
from transformer_lib.recipes import learn_language
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import Vocabulary

Marked = list[tuple[str, bool]]  # the words of a sentence, and whether each is known


def cell(
    ax: Axes, at: tuple[float, float], wide: float, high: float, text: str = "", size: float = 13
) -> None:
    """A slot of a one-hot row: 1 in the color of its word, or 0."""
    color = style.readable(word_color(text)) if text else style.PAPER
    box(ax, at, wide, high, "", color if text else style.RULE, fill=color, line=0.6, round=0.01)
    look = {"weight": "bold", "color": style.ink_on(color)} if text else {"color": style.MUTED}
    label(ax, at, str(int(bool(text))), size=size, ha="center", **look)


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
    words, vocabulary = TREES[0], vocab.tokens
    rows = one_hot(torch.tensor(vocab.encode(words)), len(vocab))
    left, high, wide = 0.8, 0.42, 7.18 / len(vocabulary)
    tall = high * len(words)
    note = f"A row for each word, and a column for each of the {len(vocabulary)} entries"
    figure, ax = canvas(tall + 1.45, "Each row has a single 1, in the column of its word", note)
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


@figure(
    "unknown-words",
    caption="The more training text a vocabulary was built from, the fewer words of the test text "
    "it doesn't know.",
    alt="A sentence of the test, 'Juan could not buy the bicycle because he was poor', in four "
    "rows, its unknown words blotted out. With a vocabulary from 10 training sentences five of "
    "the ten words are, from 100 'bicycle' and 'poor', from 1,000 'poor', from 10,000 none. Beside "
    "them the share of all words of the test that is unknown: 53%, 24%, 2% and 0%.",
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
    at, step, size = _typical(known, long=10), 0.56, 13
    title = "The more text a vocabulary is made from, the fewer words are unknown"
    note = "One test sentence, with its unknown words blotted out"
    figure, ax = canvas(step * len(SAMPLES) + 1.22, title, note)
    top = step * len(SAMPLES) + 0.2
    label(ax, (0.02, top), "vocabulary made from", color=style.MUTED)
    label(
        ax, (7.98, top), "unknown words in all 1,000 test sentences", ha="right", color=style.MUTED
    )
    for row, (count, sentences) in enumerate(zip(SAMPLES, known, strict=True)):
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
        share = f"{_unknown_share(sentences):.0%}"
        color = style.MUTED if share == "0%" else style.ACCENT
        label(ax, (7.98, y), share, size=style.TITLE, weight="bold", color=color, ha="right")
    return figure
