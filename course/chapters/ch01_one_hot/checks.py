"""The exercises of notebook 01: ids, unknown words, how many of them, and what rows cost.

`rows_of_a_batch` and `bytes_of_a_batch` belong to assignment 1.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.chapters.ch00_start_here.checks import shipped
from course.checks import (
    Exercise,
    Hint,
    NotTried,
    Value,
    call,
    exercise,
    expect,
    implement,
    no_slip,
    result_of,
    whole_number,
)
from transformer_lib.model.embedding import one_hot
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import PAD, SPECIALS, UNK, Vocabulary

Program = Callable[[list[str]], Tensor]


def our_vocabulary() -> Vocabulary:
    return shipped().src.vocab


def programs() -> dict[str, Program]:
    """Three programs, tokens -> one-hot rows over the English vocabulary; one is correct."""
    vocab = our_vocabulary()

    def merging(tokens: list[str]) -> Tensor:
        known = set(vocab.tokens)
        stems = [word[:-1] if word[-1:] == "s" and word[:-1] in known else word for word in tokens]
        return one_hot(torch.tensor(vocab.encode(stems)), len(vocab))

    def losing(tokens: list[str]) -> Tensor:
        ids = [number for number in vocab.encode(tokens) if number != UNK]
        return one_hot(torch.tensor(ids, dtype=torch.long), len(vocab))

    def correct(tokens: list[str]) -> Tensor:
        return one_hot(torch.tensor(vocab.encode(tokens)), len(vocab))

    return {"A": merging, "B": correct, "C": losing}


@exercise
def faults(correct: str, loses_words: str, same_row: tuple[str, str]) -> None:
    """The exercise of the core: which of `programs` is correct, which loses words, which two
    words share a row in the third?"""
    if isinstance(same_row, list | tuple) and any(word is ... for word in same_row):
        raise NotTried("not tried yet")
    for name in (correct, loses_words):
        expect(name in ("A", "B", "C"), f'Give the name of a program, such as "A", not {name!r}.')
    expect(correct != loses_words, "One and the same program can't be correct and lose words.")
    no_slip(
        loses_words != "A",
        "A loses no word: as many rows come out as tokens go in, whatever the tokens are.",
    )
    no_slip(
        loses_words == "C",
        "B loses no word. How many rows come out for tokens that the vocabulary doesn't have?",
    )
    no_slip(
        correct != "A",
        "A isn't correct. Look for two words with the same row: give it the whole vocabulary, and "
        "count how many different rows come out.",
    )
    words: Any = same_row
    expect(
        isinstance(words, list | tuple)
        and len(words) == 2
        and all(isinstance(word, str) for word in words),
        'Name two words, such as ("cat", "dog").',
    )
    vocab = our_vocabulary()
    strange = vocab.unknown(list(words))
    no_slip(
        not strange,
        f"{' and '.join(strange)}: not in the vocabulary. All unknown words share the row of "
        "<unk>; look for two known ones.",
    )
    expect(words[0] != words[1], "That is one word. Two *different* words share a row.")
    one, other = programs()["A"](list(words))
    expect(torch.equal(one, other), f"{words[0]} and {words[1]} have different rows in A.")


zeros_in_the_table = Value(
    "zeros_in_the_table",
    "Exercise 1: how many zeros are in the one-hot table of four words, vocabulary of ten?",
    read=whole_number,
    right=36,
    slips={
        40: "That is every cell of the table. How many of them hold a 1?",
        9: "That is one row. The table has a row for each word.",
        39: "One row has one 1. How many rows are there?",
    },
    mistakes={4: "That is how many ones there are."},
    otherwise="How many rows does the table have, and how many zeros are in each?",
)


def ids_of(split: str) -> Tensor:
    """The English words of a split as ids of the translator, one after the other."""
    encode = shipped().src.encode
    texts = (text for text, _ in english_spanish.load(split))
    return torch.tensor([number for text in texts for number in encode(text)])


def fewest_columns(ids: Tensor, share: float = 0.1) -> int:
    """With so many columns at most this share of the ids has none."""
    largest_first = ids.sort(descending=True).values
    return int(largest_first[int(share * len(ids))]) + 1


@exercise
def smaller_vocabulary(guess: int) -> None:
    """Exercise 2: the fewest columns with which one validation word in ten, at most, is unknown."""
    guess = whole_number(guess)
    ids = ids_of("validation")
    right, specials = fewest_columns(ids), len(SPECIALS)
    no_slip(
        guess != fewest_columns(ids_of("test")),
        "That is measured on the test. Whatever is chosen by the test is no longer tested by it: "
        "take the validation text.",
    )
    no_slip(
        guess != right - specials,
        "Those are the words. The four special entries need columns, too.",
    )
    no_slip(guess != right - 1, "That is the largest id that is kept. Ids count from 0.")
    no_slip(
        guess != fewest_columns(ids.unique()),
        "There each word counts once, however often it occurs. Count every place of the text.",
    )
    no_slip(
        guess != fewest_columns(ids, 0.01),
        "That is one word in a hundred. How many columns does one in ten need?",
    )
    no_slip(
        guess not in (len(our_vocabulary()), int(ids.max()) + 1),
        "With so many no word is unknown. One in ten may be.",
    )
    unknown = float((ids >= guess).float().mean())
    expect(guess >= right, f"With {guess} columns {unknown:.1%} of the words are unknown.")
    expect(guess <= right, f"With {guess} columns it is {unknown:.1%}; fewer columns will do.")


def two_sentences() -> tuple[Tensor, int]:
    return torch.tensor([[3, 0, 3], [1, 5, 4]]), 7  # not 6: one too large must not crash


def rows(ids: Tensor, vocab_size: int) -> Tensor:
    return torch.eye(vocab_size)[ids]


def are_no_rows(found: Tensor, right: Tensor) -> None:
    """What else there is to say of wrong one-hot rows."""
    expect(
        found.shape == right.shape,
        f"For ids of the shape {tuple(right.shape[:-1])} and {right.size(-1)} words the shape "
        f"should be {tuple(right.shape)}, but it is {tuple(found.shape)}.",
    )
    expect(
        bool((found.sum(dim=-1) == 1).all()),
        "Some row doesn't have exactly one 1. Did you start each row from zeros?",
    )
    raise Hint("A 1 is in the wrong slot: the row of a word has it at its id.")


def are_floats(function: Callable[[Tensor, int], Tensor]) -> None:
    dtype = call(function, *two_sentences()).dtype
    no_slip(
        dtype.is_floating_point,
        f"The rows are right. But the numbers are of the type {dtype}: later they are multiplied "
        "by a matrix of decimal numbers, so they should be float, as torch.zeros is.",
    )


rows_of_a_batch = Exercise(
    "rows_of_a_batch",
    "(b, s) ids, vocab_size -> (b, s, vocab_size) one-hot rows.",
    inputs=two_sentences,
    right=[rows, lambda ids, n: (ids.unsqueeze(-1) == torch.arange(n)).double()],
    not_allowed=("one_hot",),
    borrowed=[one_hot, lambda ids, n: torch.nn.functional.one_hot(ids, n).float()],
    slips={
        "The slots are along the wrong axis: the last axis should be that of the vocabulary.": [
            lambda ids, n: rows(ids, n).transpose(1, 2)
        ],
        "The vocabulary is the first axis of your answer; it should be the last.": [
            lambda ids, n: rows(ids, n).permute(2, 0, 1)
        ],
        "Sentences and words are exchanged: the first axis should count the sentences.": [
            lambda ids, n: rows(ids.T, n)
        ],
        "Each row is right, but they are all in one long list: where does a sentence end? Keep the "
        "shape of ids, and put the slots after it.": [lambda ids, n: rows(ids.flatten(), n)],
        "That is the first sentence only. What about the others?": [lambda ids, n: rows(ids[0], n)],
        "The words of a sentence share one row, so their order is lost: each word needs its own.": [
            lambda ids, n: rows(ids, n).amax(1),
            lambda ids, n: rows(ids, n).sum(1),
        ],
        "Each 1 is one place off: slots count from 0.": [
            lambda ids, n: rows(ids - 1, n),
            lambda ids, n: rows(ids + 1, n),
        ],
        "Zeros and ones are exchanged: one 1, elsewhere zeros.": [lambda ids, n: 1 - rows(ids, n)],
        "The right slot holds the id itself. Whatever the word, put a 1 there.": [
            lambda ids, n: rows(ids, n) * ids.unsqueeze(-1)
        ],
    },
    unlike=are_no_rows,
    then=are_floats,
)


@implement(lambda: (["a"], [*SPECIALS, "a"]))
def look_up(function: Callable[[list[str], list[str]], list[int]]) -> None:
    """Exercise 3: (tokens, vocabulary as a list) -> ids, with <unk> for what isn't in the list."""
    vocabulary = [*SPECIALS, "trees", "I", "like"]
    known, strange = ["I", "like", "trees"], ["like", "xylophones", "I", "Trees"]
    right = Vocabulary(vocabulary[len(SPECIALS) :]).encode(strange)
    ids = result_of(function, list(known), list(vocabulary))
    ids = ids.tolist() if isinstance(ids, Tensor) else ids
    expect(
        isinstance(ids, list),
        f"Return a list of numbers; this is of the type {type(ids).__name__}.",
    )
    no_slip(ids != [6, 7, 5], "Each id is one too large: places in the list are counted from 0.")
    no_slip(
        ids != [1, 2, 0],
        "The ordinary words start at 0 in your answer, but the four special ones come first.",
    )
    expect(
        ids == [5, 6, 4], f"For {known} and the list {vocabulary}, [5, 6, 4] is right, not {ids}."
    )
    try:
        ids = function(list(strange), list(vocabulary))
    except Exception as error:
        raise Hint(
            "Known words are right. With an unknown one your function stops with "
            f"{type(error).__name__}: what should it give there?"
        ) from None
    ids = ids.tolist() if isinstance(ids, Tensor) else ids
    no_slip(
        ids != [6, 5] and ids != [6, 5, 4],
        "The unknown words are gone, and the sentence became shorter: each keeps its place.",
    )
    no_slip(
        ids != [6, PAD, 5, PAD],
        f"Unknown words became {PAD}, which is <pad>: that one means “no word here”.",
    )
    no_slip(
        ids != [6, UNK, 5, 4],
        "“Trees” with a capital isn't in the list. Making letters small is the tokenizer's work "
        "(some words keep their capital, like I); the lookup takes each token as it is.",
    )
    expect(ids == right, f"For {strange}, {right} is right, not {ids}.")


bytes_of_a_batch = Value(
    "bytes_of_a_batch",
    "Assignment 1: the bytes of 8 sentences of 12 words as one-hot rows over 1,794 words.",
    read=whole_number,
    right=8 * 12 * 1794 * 4,
    slips={
        8 * 12 * 1794: "That is how many numbers there are. Each of them takes 4 bytes.",
        8 * 12 * 1794 * 32: "Those are bits. Eight of them make a byte.",
        8 * 12 * 1794 * 8: "8 bytes are for an id (int64). A float32 takes 4.",
        12 * 1794 * 4: "That is one sentence. The batch has 8.",
        8 * 1794 * 4: "That is one word of each sentence. A sentence has 12.",
    },
    mistakes={
        8 * 12 * 8: "That is what the ids take. A one-hot row has a number per slot.",
    },
    otherwise="Multiply sentences, words, slots, and the bytes of one float32.",
)
