"""The figures of notebook 01: a word as a row with a single 1."""

import matplotlib as mpl
import torch
from matplotlib.figure import Figure

from transformer_lib.plots import style
from transformer_lib.plots.embeddings import word_similarity
from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.one_hot import one_hot_table, unknown_words

TREES = ("I like trees".split(), "the trees grew".split())
SAMPLES = (10, 100, 1_000, 10_000)  # training sentences


@figure(
    "one-hot-table",
    notebook="01_one_hot",
    caption="The one-hot rows of 'I like trees', in a vocabulary of nine and in one of 955.",
    alt="Above, a table of three rows, I, like and trees, and nine columns, the vocabulary: each "
    "row holds one 1, in the column of its own word, and eight zeros. Below, the same three rows "
    "with 955 slots: a long bar with a single mark, at slot 25 for I, 40 for like, 498 for trees.",
)
@mpl.rc_context(style.PRINT)
def draw_one_hot_table() -> Figure:
    from transformer_lib.embedding import one_hot
    from transformer_lib.tokens import Vocabulary
    from transformer_lib.translator import Translator

    drawn = style.new_figure(style.WIDTH, 3.9)
    words = TREES[0]
    panels = drawn.subplots(2, 1)
    for ax, vocab in zip(panels, (Vocabulary.build(TREES), Translator.load().src.vocab),
                         strict=True):  # fmt: skip
        ids = torch.tensor(vocab.encode(words))
        one_hot_table(one_hot(ids, len(vocab)), words, vocab.tokens, ax)
    return drawn


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
    "one-hot-similarity",
    notebook="01_one_hot",
    caption="How alike one-hot rows are: every word is like itself, and like no other.",
    alt="A square of twelve rows and twelve columns of words such as cat, dog, cow, gave and sent. "
    "Only the diagonal is dark, with 1; every other cell is 0.",
)
def draw_one_hot_similarity() -> Figure:
    from transformer_lib.embedding import one_hot
    from transformer_lib.plots.figures.embeddings import SOME_WORDS
    from transformer_lib.translator import Translator

    vocab = Translator.load().src.vocab
    rows = one_hot(torch.tensor(vocab.encode(SOME_WORDS)), len(vocab))
    return word_similarity(rows, SOME_WORDS).figure
