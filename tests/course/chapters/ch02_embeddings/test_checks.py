"""The exercises of notebook 02: what is right passes, and each mistake gets its own hint."""

import pytest
import torch
import torch.nn.functional as F

import transformer_lib
from course.chapters.ch02_embeddings import checks as check
from tests.course.checks.saying import said
from transformer_lib.model.embedding import one_hot
from transformer_lib.model.transformer import make_model


@pytest.mark.parametrize(
    ("checked", "attempt"),
    [
        (check.numbers_in_the_table, ...),
        (check.lookup_by_product, lambda ids, table: ...),
        (check.embed, lambda ids, table: ...),
        (check.nearest_word, lambda word, words, table: ...),
        (check.rows_that_learn, ...),
    ],
)
def test_what_was_not_tried_is_not_judged(capsys, checked, attempt):
    assert said(capsys, checked, attempt) == "not tried yet"


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (37_000 * 512, "right!"),
        (37_512, "the sum"),
        (37_000**2, "not one-hot"),
        (37_000 * 512 * 4, "bytes"),
        (512 * 512, "inside a layer"),
        (7, "rows does the table have"),
        (1.9e7 + 0.5, "whole number"),
    ],
)
def test_numbers_in_the_table(capsys, guess, words):
    assert words in said(capsys, check.numbers_in_the_table, guess)


def product(ids, table):
    return one_hot(ids, len(table)) @ table


LOOKUPS = [
    (product, "right!"),
    (lambda ids, table: F.one_hot(ids, table.shape[0]).float() @ table, "right!"),
    (lambda ids, table: torch.einsum("...v,vd->...d", one_hot(ids, len(table)), table), "right!"),
    (lambda ids, table: (one_hot(ids, len(table))[..., None] * table).sum(-2), "right!"),
    (lambda ids, table: table[ids], "as a product"),
    (lambda ids, table: F.embedding(ids, table), "as a product"),
    (lambda ids, table: table.index_select(0, ids.flatten()).view(*ids.shape, 7), "as a product"),
    (lambda ids, table: one_hot(ids, len(table)), "still one-hot"),
    (lambda ids, table: table[ids].T, "(5, 7), but it is (7, 5)"),
    (lambda ids, table: table[(ids + 1) % len(table)], "count from 0"),
    (lambda ids, table: table[ids - 1], "count from 0"),
    (lambda ids, table: table[ids] * table.shape[1] ** 0.5, "that is section 6"),
    (lambda ids, table: product(ids, table).sum(0).expand(len(ids), -1), "sum of all words"),
    (lambda ids, table: table[: len(ids)], "first rows"),
    (lambda ids, table: -table[ids], "not table[ids]"),
    (lambda ids, table: torch.stack([table[int(i)] for i in ids.flatten()]), "should give (3, 2"),
    (lambda ids, table: table[ids].tolist(), "of the type list"),
    (lambda ids, table: one_hot(ids, 7) @ table, "stops with ValueError"),
    (lambda ids, table: F.one_hot(ids, len(table)) @ table, "makes whole numbers"),
    (lambda ids, table: F.one_hot(ids).float() @ table, "as long as the table has rows"),
    (lambda ids, table: None, "returns nothing"),
    ("table", "the function itself"),
]


@pytest.mark.parametrize(("function", "words"), LOOKUPS)
def test_lookup_by_product(capsys, function, words):
    assert words in said(capsys, check.lookup_by_product, function)


PAIRS = [
    (("book", "streets"), "right!"),
    (("streets", "book"), "right!"),
    (("book", "doors"), "doors is at home"),
    (("book", "doors"), "The other word is one of the two"),
    (("dog", "streets"), "dog is at home"),
    (("dog", "house"), "Which word's are near 0?"),
    (("book", "book"), "one word"),
    (("book", "tree"), "two of the twelve"),
    ((0, 1), "two of the twelve"),
]


@pytest.mark.parametrize(("pair", "words"), PAIRS)
def test_exchanged(capsys, pair, words):
    assert words in said(capsys, check.exchanged, *pair)


def test_cosines_show_which_rows_are_exchanged(capsys):
    articles, rows = check.exchanged_rows()
    cosines = torch.nn.functional.normalize(rows, dim=-1)
    cosines = cosines @ cosines.T
    words = list(articles)
    own = {
        word: sum(
            float(cosines[i, j])
            for j, other in enumerate(words)
            if other != word and articles[other] == articles[word]
        )
        / 3
        for i, word in enumerate(words)
    }
    odd = sorted(own, key=own.get)[:2]
    assert set(odd) == check.EXCHANGED
    assert own[odd[1]] < 0.1 < 0.12 < sorted(own.values())[2]
    assert said(capsys, check.exchanged, *odd) == "right!"


EMBEDS = [
    (lambda ids, table: table[ids] * table.shape[1] ** 0.5, "right!"),
    (lambda ids, table: product(ids, table * torch.tensor(7.0).sqrt()), "right!"),
    (lambda ids, table: table[ids], "is missing"),
    (lambda ids, table: table[ids] * table.shape[1], "times d_model"),
    (lambda ids, table: table[ids] / table.shape[1] ** 0.5, "divided"),
    (lambda ids, table: table[ids] * len(table) ** 0.5, "number of words"),
    (lambda ids, table: table[ids] * ids.shape[1] ** 0.5, "a size of ids"),
    (lambda ids, table: table[ids] * 2, "times one number"),
    (lambda ids, table: table[ids] / table.shape[1], "divided by d_model"),
    (lambda ids, table: table[ids] + table.shape[1] ** 0.5, "added"),
    (lambda ids, table: table.T[ids] * table.shape[1] ** 0.5, "columns of the table"),
    (lambda ids, table: table[:, ids], "columns of the table"),
    (lambda ids, table: table[ids - 1] * table.shape[1] ** 0.5, "count from 0"),
    (lambda ids, table: (table[ids] * 7**0.5).sum(1), "keeps a vector of its own"),
    (lambda ids, table: table[ids.flatten()] * 7**0.5, "one long list"),
    (lambda ids, table: table[ids[0]] * 7**0.5, "first sentence only"),
    (lambda ids, table: -table[ids].square(), "not table[ids] times a root"),
    (lambda ids, table: table[ids, 0], "the shape should be"),
    (lambda ids, table: transformer_lib.Embeddings(11, 7)(ids), "does the whole exercise"),
    (lambda ids, table: one_hot(ids, len(table)), "still one-hot"),
    (lambda ids, table: 5, "of the type int"),
]


@pytest.mark.parametrize(("function", "words"), EMBEDS)
def test_embed(capsys, function, words):
    assert words in said(capsys, check.embed, function)


def searching(score, keep_itself=False, best=max, start=None):
    """A way to look for the word with the best score."""

    def search(word, words, table):
        own = table[words.index(word)]
        places = [i for i, other in enumerate(words) if keep_itself or other != word]
        return words[best(places, key=lambda i: float(score(own, table[i])))]

    return search


def cosine(a, b):
    return a @ b / (a.norm() * b.norm())


def by_matrix(word, words, table):
    unit = F.normalize(table, dim=1)
    scores = unit @ unit[words.index(word)]
    scores[words.index(word)] = -2
    return words[scores.argmax()]


def place_only(word, words, table):
    return words.index(by_matrix(word, words, table))


def second_of_two(prepared):
    """The second of the two largest products, as if the word itself were always the first."""

    def search(word, words, table):
        rows = prepared(table)
        return words[(rows @ rows[words.index(word)]).topk(2).indices[1]]

    return search


NEIGHBORS = [
    (searching(cosine), "right!"),
    (by_matrix, "right!"),
    (searching(cosine, keep_itself=True), "leave the word itself out"),
    (searching(torch.dot), "dot product is large"),
    (second_of_two(lambda table: table), "dot product is large"),
    (second_of_two(F.normalize), "right!"),
    (searching(lambda a, b: -(a - b).norm()), "smallest distance"),
    (searching(cosine, best=min), "the other way"),
    (place_only, "words[place]"),
    (searching(lambda a, b: b[2]), "dot product is large"),
    (searching(lambda a, b: -b[0].abs()), "isn't the largest"),
    (lambda word, words, table: ["plant"], "of the type list"),
    (lambda word, words, table: "plant", "start from 0"),
    (lambda word, words: word, "stops with TypeError"),
]


@pytest.mark.parametrize(("function", "words"), NEIGHBORS)
def test_nearest_word(capsys, function, words):
    assert words in said(capsys, check.nearest_word, function)


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (["I", "like", "trees", "<eos>"], "right!"),
        ({"trees", "like", "<eos>", "I"}, "right!"),
        (["I", "like", "trees"], "isn't a word"),
        (["I", "like", "trees", "<eos>", "<pad>"], "masked"),
        (["<bos>", "I", "like", "trees", "<eos>"], "doesn't"),
        (["the", "trees"], "isn't in the sentence"),
        (["i", "like", "trees", "<eos>"], "spelled otherwise: 'I'"),
        (["trees", "<eos>"], "and only then"),
        ("I like trees", "list of tokens"),
        ([4, 5], "list of tokens"),
    ],
)
def test_rows_that_learn(capsys, guess, words):
    assert words in said(capsys, check.rows_that_learn, guess)


def test_only_the_words_of_the_sentence_learn():
    """What `rows_that_learn` says is so in a whole Transformer."""
    words = ["<pad>", "<bos>", "<eos>", "<unk>", "the", "I", "like", "trees"]
    model = make_model(len(words), 11, N=2, d_model=8, d_ff=16, h=2, dropout=0.0)
    src = torch.tensor([[words.index(w) for w in "I like trees <eos> <pad>".split()]])
    loss = F.cross_entropy(model(src, torch.tensor([[1, 5, 6]]))[0], torch.tensor([5, 6, 2]))
    loss.backward()
    moved = model.src_embed.table.weight.grad.abs().sum(dim=1) > 0
    assert [word for word, changes in zip(words, moved, strict=True) if changes] == [
        "<eos>",
        "I",
        "like",
        "trees",
    ]


RIGHT = {"A": "wrong row", "B": "place matters", "C": "sound", "D": "no factor"}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (RIGHT, "right!"),
        (dict.fromkeys("ABCD", ...), "not tried yet"),
        ({**RIGHT, "B": ...}, "B: still to be measured"),
        ({**RIGHT, "B": "broken"}, "B: choose one of sound, no factor"),
        ({**RIGHT, "A": "sound", "C": "wrong row"}, "Whose rows are they?"),
        ({**RIGHT, "B": "sound", "C": "place matters"}, "first place"),
        ({**RIGHT, "C": "no factor", "D": "sound"}, "C is sound"),
        ({**RIGHT, "A": "no factor", "D": "wrong row"}, "Whose rows"),
        ({**RIGHT, "D": "place matters", "B": "no factor"}, "first place"),
        (dict.fromkeys("ABCD", "sound"), "(1 of 4 are right.)"),
        ({"A": "sound"}, "a kind for each of them"),
        ("sound", "a kind for each of them"),
    ],
)
def test_faults(capsys, found, words):
    assert words in said(capsys, check.faults, found)


def test_the_four_layers_have_the_faults_that_are_named():
    layers, table = check.four_layers()
    ids = torch.tensor([[5, 5, 7]])
    sound = table[ids] * table.size(1) ** 0.5
    given = {name: layer(ids) for name, layer in layers.items()}
    assert torch.equal(given["C"], sound)
    assert torch.equal(given["D"] * 4, sound)
    assert torch.equal(given["B"][:, 0], sound[:, 0]) and not given["B"][0, 1].equal(sound[0, 1])
    assert torch.equal(given["A"], table[ids + 1] * 4)
    lengths = table.norm(dim=1)
    assert (
        lengths.min() > 0.5 and (table[:, None] - table).norm(dim=2).fill_diagonal_(9).min() > 0.3
    )
