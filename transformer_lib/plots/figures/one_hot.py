"""The figures of notebook 01: a word as a row with a single 1."""

import torch
from matplotlib.figure import Figure

from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.one_hot import (
    distance_triangle,
    one_hot_row,
    one_hot_table,
    unknown_words,
)

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
    from transformer_lib.embedding import one_hot
    from transformer_lib.tokens import Vocabulary

    vocab = Vocabulary.build(TREES)
    ids = torch.tensor(vocab.encode(TREES[0]))
    return one_hot_table(one_hot(ids, len(vocab)), TREES[0], vocab.tokens).figure


@figure(
    "one-hot-row",
    notebook="01_one_hot",
    caption="Each word's number, written as a row with a single 1.",
    alt="Three words with their numbers, I 25, like 40, trees 498, and beside each a long empty "
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
    notebook="01_one_hot",
    caption="The more training text a vocabulary was built from, the fewer words of the test text "
    "it doesn't know.",
    alt="A curve that falls: more than half of the test's words are unknown after 10 training "
    "sentences, about a quarter after 100, 2 % after 1,000 and none after 10,000.",
)
def draw_unknown_words() -> Figure:
    from transformer_lib.corpora import english_spanish
    from transformer_lib.recipes import learn_language

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
    "stands the same distance, 1.414; in the middle, that it is the root of 2.",
)
def draw_one_hot_distances() -> Figure:
    from transformer_lib.embedding import one_hot
    from transformer_lib.translator import Translator

    vocab, words = Translator.load().src.vocab, ["cat", "dog", "gave"]
    return distance_triangle(one_hot(torch.tensor(vocab.encode(words)), len(vocab)), words)
