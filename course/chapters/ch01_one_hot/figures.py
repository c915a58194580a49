"""One-hot rows, and how many words of a test text a vocabulary doesn't know."""

from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure

from course.drawing import style
from course.drawing.arrows import box
from course.drawing.registry import figure
from course.drawing.words import bold, canvas, label, muted, width_of, word, word_color
from transformer_lib.model.embedding import one_hot
from transformer_lib.recipes import learn_language
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import Vocabulary

TREES = ("I like trees".split(), "the trees grew".split())
SAMPLES = (10, 100, 1_000, 10_000)  # training sentences
TESTED = "Juan couldn't buy the bicycle because he was poor"  # of the test


@figure(
    "one-hot-table",
    caption="The one-hot rows of 'I like trees' in a vocabulary of nine.",
    alt="""A table of three rows, I, like and trees, and nine columns, the vocabulary: each row
    holds one 1, in the column of its own word, and eight zeros; each word has its color.""",
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
        for slot, value in enumerate(rows[row].int().tolist()):
            at, fill = (left + wide * (slot + 0.5), y), style.PAPER
            look: dict[str, Any] = {"color": style.MUTED}
            if value:
                fill = style.readable(word_color(text))
                look = {"weight": "bold", "color": style.ink_on(fill)}
            box(
                ax,
                at,
                wide,
                high,
                "",
                fill if value else style.RULE,
                fill=fill,
                line=0.6,
                round=0.01,
            )
            label(ax, at, str(value), size=13, ha="center", **look)
    for slot, text in enumerate(vocabulary):
        x, known = left + wide * (slot + 0.5), text in words
        word(ax, (x, tall + 0.3), text, size=10, color=None if known else style.MUTED)
        muted(ax, (x, tall + 0.56), str(slot), ha="center")
    return figure


@figure(
    "unknown-words",
    caption="""The more training text a vocabulary was built from, the fewer words of the test
    text it doesn't know.""",
    alt="""A sentence of the test, 'Juan could not buy the bicycle because he was poor', in four
    rows, its unknown words blotted out. With a vocabulary from 10 training sentences five of the
    ten words are, from 100 'bicycle' and 'poor', from 1,000 'poor', from 10,000 none. Beside
    them the share of all words of the test that is unknown: 53%, 24%, 2% and 0%.""",
)
def draw_unknown_words() -> Figure:
    texts, test = (
        [english for english, _ in english_spanish.load(split)] for split in ("train", "test")
    )
    languages = [learn_language("en", texts[:size]) for size in SAMPLES]
    words, step, size = languages[-1].tokenizer(TESTED), 0.56, 13
    title = "The more text a vocabulary is made from, the fewer words are unknown"
    note = "One test sentence, with its unknown words blotted out"
    figure, ax = canvas(step * len(SAMPLES) + 1.22, title, note)
    top = step * len(SAMPLES) + 0.2
    muted(ax, (0.02, top), "vocabulary made from")
    muted(ax, (7.98, top), "unknown words in all 1,000 test sentences", ha="right")
    for row, (count, language) in enumerate(zip(SAMPLES, languages, strict=True)):
        y, x = top - step * (row + 0.8), 1.62
        bold(ax, (0.55, y), f"{count:,}", ha="right")
        label(ax, (0.61, y), "sentences", size=style.LABEL)
        known = language.vocab.ids
        for text, token in zip(words, language.tokenizer(TESTED), strict=True):
            wide = width_of(text, size)
            if token in known:
                word(ax, (x + wide / 2, y), text, size=size, color=style.INK)
            else:
                box(ax, (x + wide / 2, y), wide + 0.08, 0.27, fill=style.ACCENT, line=0, round=0.05)
            x += wide + 0.19
        unknown = [token not in known for one in test for token in language.tokenizer(one)]
        share = f"{np.mean(unknown):.0%}"
        color = style.MUTED if share == "0%" else style.ACCENT
        bold(ax, (7.98, y), share, size=style.TITLE, color=color, ha="right")
    return figure
