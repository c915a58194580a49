"""The exercises of notebook 01: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch01_one_hot import checks as check
from tests.course.checks.saying import said


@pytest.mark.parametrize(
    ("checked", "attempt"),
    [
        (check.zeros_in_the_table, ...),
        (check.smaller_vocabulary, ...),
        (check.rows_of_a_batch, lambda ids, vocab: ...),
        (check.look_up, lambda tokens, vocabulary: ...),
        (check.bytes_of_a_batch, ...),
    ],
)
def test_what_was_not_tried_is_not_judged(capsys, checked, attempt):
    assert said(capsys, checked, attempt) == "not tried yet"


NUMBERS = [
    (check.zeros_in_the_table, 36, "right!"),
    (check.zeros_in_the_table, 40, "every cell"),
    (check.zeros_in_the_table, 9, "one row"),
    (check.zeros_in_the_table, 4, "how many ones"),
    (check.zeros_in_the_table, 39, "How many rows"),
    (check.zeros_in_the_table, 17, "how many zeros are in each"),
    (check.zeros_in_the_table, "thirty-six", "whole number"),
    (check.bytes_of_a_batch, 8 * 12 * 1794 * 4, "right!"),
    (check.bytes_of_a_batch, 8 * 12 * 1794, "4 bytes"),
    (check.bytes_of_a_batch, 8 * 12 * 1794 * 8, "int64"),
    (check.bytes_of_a_batch, 12 * 1794 * 4, "one sentence"),
    (check.bytes_of_a_batch, 8 * 1794 * 4, "one word of each"),
    (check.bytes_of_a_batch, 8 * 12 * 8, "what the ids take"),
    (check.bytes_of_a_batch, 1, "Multiply"),
    (check.bytes_of_a_batch, 0.7, "whole number"),
    (check.smaller_vocabulary, 458, "right!"),
    (check.smaller_vocabulary, 456, "measured on the test"),
    (check.smaller_vocabulary, 454, "four special entries"),
    (check.smaller_vocabulary, 457, "count from 0"),
    (check.smaller_vocabulary, 824, "one word in a hundred"),
    (check.smaller_vocabulary, 955, "no word is unknown"),
    (check.smaller_vocabulary, 946, "no word is unknown"),
    (check.smaller_vocabulary, 300, "of the words are unknown"),
    (check.smaller_vocabulary, 600, "fewer columns will do"),
    (check.smaller_vocabulary, "half", "whole number"),
]


@pytest.mark.parametrize(("checked", "guess", "words"), NUMBERS)
def test_numbers(capsys, checked, guess, words):
    assert words in said(capsys, checked, guess)


def test_one_word_in_ten_at_most_is_unknown_and_with_a_column_less_it_is_more(capsys):
    words = check.ids_of("validation")
    ids = [int(number) for number in words]
    kept = [number for number in ids if number < 458]
    assert len(kept) >= 0.9 * len(ids) > sum(number < 457 for number in ids)
    every = check.fewest_columns(words.unique())
    assert "each word counts once" in said(capsys, check.smaller_vocabulary, every).lower()


def by_loops(ids, vocab):
    rows = torch.zeros(*ids.shape, vocab)
    for sentence in range(len(ids)):
        for place, number in enumerate(ids[sentence]):
            rows[sentence, place, number] = 1
    return rows


def one_row_for_a_sentence(ids, vocab):
    rows = torch.zeros(len(ids), vocab)
    for row, numbers in enumerate(ids):
        rows[row, numbers] = 1
    return rows


BATCHES = [
    (by_loops, "right!"),
    (lambda ids, vocab: torch.eye(vocab)[ids], "right!"),
    (lambda ids, vocab: (ids.unsqueeze(-1) == torch.arange(vocab)).double(), "right!"),
    (lambda ids, vocab: by_loops(ids, vocab).mT, "along the wrong axis"),
    (lambda ids, vocab: by_loops(ids, vocab).permute(2, 0, 1), "first axis of your answer"),
    (lambda ids, vocab: by_loops(ids, vocab).transpose(0, 1), "Sentences and words"),
    (lambda ids, vocab: torch.eye(vocab)[ids.flatten()], "one long list"),
    (lambda ids, vocab: by_loops(ids, vocab)[0], "first sentence only"),
    (one_row_for_a_sentence, "share one row"),
    (lambda ids, vocab: by_loops(ids, vocab).sum(1), "share one row"),
    (lambda ids, vocab: by_loops(ids + 1, vocab), "one place off"),
    (lambda ids, vocab: by_loops(ids - 1, vocab), "one place off"),
    (lambda ids, vocab: 1 - by_loops(ids, vocab), "exchanged"),
    (lambda ids, vocab: by_loops(ids, vocab) * ids[..., None], "holds the id itself"),
    (lambda ids, vocab: by_loops(ids, vocab).long(), "torch.int64"),
    (lambda ids, vocab: ids[..., None] == torch.arange(vocab), "torch.bool"),
    (lambda ids, vocab: by_loops(ids, vocab + 1), "(2, 3, 7), but it is (2, 3, 8)"),
    (lambda ids, vocab: torch.zeros(2, 3, 7), "exactly one 1"),
    (lambda ids, vocab: by_loops(ids.flip(0), vocab), "wrong slot"),
    (lambda ids, vocab: torch.nn.functional.one_hot(ids, vocab).float(), "whole exercise"),
    (lambda ids, vocab: by_loops(ids, vocab).tolist(), "of the type list"),
    (lambda ids, vocab: by_loops(ids + 9, vocab), "stops with IndexError"),
    (lambda ids, vocab: None, "returns nothing"),
    (5, "the function itself"),
]


@pytest.mark.parametrize(("function", "words"), BATCHES)
def test_rows_of_a_batch(capsys, function, words):
    assert words in said(capsys, check.rows_of_a_batch, function)


def with_get(tokens, vocabulary):
    places = {token: place for place, token in enumerate(vocabulary)}
    return [places.get(token, 3) for token in tokens]


def with_index(tokens, vocabulary):
    return [vocabulary.index(t) if t in vocabulary else vocabulary.index("<unk>") for t in tokens]


def small_letters(tokens, vocabulary):
    vocabulary = [word.lower() for word in vocabulary]
    return with_get([token.lower() for token in tokens], vocabulary)


IDS = [
    (with_get, "right!"),
    (with_index, "right!"),
    (lambda tokens, vocabulary: torch.tensor(with_get(tokens, vocabulary)), "right!"),
    (lambda tokens, vocabulary: [i + 1 for i in with_get(tokens, vocabulary)], "one too large"),
    (lambda tokens, vocabulary: with_get(tokens, vocabulary[4:]), "special ones come first"),
    (lambda tokens, vocabulary: [vocabulary.index(token) for token in tokens], "ValueError"),
    (
        lambda tokens, vocabulary: [vocabulary.index(t) for t in tokens if t in vocabulary],
        "became shorter",
    ),
    (lambda tokens, vocabulary: [i if i != 3 else 0 for i in with_get(tokens, vocabulary)], "pad"),
    (small_letters, "tokenizer's work"),
    (lambda tokens, vocabulary: [-1] * len(tokens), "[5, 6, 4] is right"),
    (lambda tokens, vocabulary: "564", "list of numbers"),
    (lambda tokens, vocabulary: None, "returns nothing"),
    (lambda tokens: tokens, "stops with TypeError"),
]


@pytest.mark.parametrize(("function", "words"), IDS)
def test_look_up(capsys, function, words):
    assert words in said(capsys, check.look_up, function)


PAIR = ("tree", "trees")


@pytest.mark.parametrize(
    ("sound", "loses", "pair", "words"),
    [
        ("B", "C", PAIR, "right!"),
        ("B", "C", ["cats", "cat"], "right!"),
        (..., ..., (..., ...), "not tried yet"),
        ("B", "C", (..., ...), "not tried yet"),
        ("A", "C", PAIR, "A isn't sound"),
        ("C", "B", PAIR, "B loses no word"),
        ("B", "A", PAIR, "A loses no word"),
        ("B", "B", PAIR, "can't be sound and lose"),
        ("D", "C", PAIR, "name of a program"),
        ("B", "C", ("cat", "dog"), "different rows"),
        ("B", "C", ("cat", "cat"), "one word"),
        ("B", "C", ("xylophone", "ukulele"), "xylophone and ukulele: not in"),
        ("B", "C", 5, "two words"),
    ],
)
def test_faults(capsys, sound, loses, pair, words):
    assert words in said(capsys, check.faults, sound, loses, pair)


def test_the_programs_have_the_faults_that_are_named():
    programs, vocab = check.programs(), check.our_vocabulary()
    strange = ["I", "like", "xylophones"]
    assert [len(programs[name](strange)) for name in "ABC"] == [3, 3, 2]
    different = {
        name: len(set(programs[name](vocab.tokens).argmax(dim=1).tolist())) for name in "ABC"
    }
    assert different["B"] == len(vocab) and different["C"] == len(vocab) - 1  # <unk> itself is lost
    assert different["A"] < len(vocab) - 100
