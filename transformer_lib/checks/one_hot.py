"""The exercises of notebook 01: one-hot rows, ids, unknown words, and what they cost."""

from collections.abc import Callable

import torch
from torch import Tensor

from transformer_lib.checks import Hint, exercise, expect, implement, result_of, whole_number
from transformer_lib.embedding import one_hot
from transformer_lib.tokens import PAD, SPECIALS, UNK, Vocabulary


@exercise
def zeros_in_the_table(guess: int) -> None:
    """Exercise 1: how many zeros are in the one-hot table of four words, vocabulary of ten?"""
    whole_number(guess)
    expect(guess != 40, "That is every cell of the table. How many of them hold a 1?")
    expect(guess != 9, "That is one row. The table has a row for each word.")
    expect(guess != 4, "That is how many ones there are.")
    expect(guess != 39, "One row has one 1. How many rows are there?")
    expect(guess == 36, "How many rows does the table have, and how many zeros are in each?")


@implement(torch.tensor([1]), 2)
def one_hot_rows(function: Callable[[Tensor, int], Tensor]) -> None:
    """Exercise 2: (ids, vocab) -> the one-hot rows."""
    ids, vocab = torch.tensor([3, 0, 3, 1, 6]), 7
    right = one_hot(ids, vocab)
    rows = result_of(function, ids, vocab)
    expect(isinstance(rows, Tensor), f"Return a tensor; this is of the type {type(rows).__name__}.")
    expect(
        rows.shape != (vocab, len(ids)),
        "Rows and columns are swapped: each word should have a row, each slot a column.",
    )
    expect(
        rows.shape != (vocab,),
        "All words share one row, so their order is lost: give each word a row of its own.",
    )
    expect(
        rows.shape == right.shape,
        f"For {len(ids)} ids and {vocab} words the shape should be {tuple(right.shape)}, "
        f"but it is {tuple(rows.shape)}.",
    )
    expect(
        rows.dtype.is_floating_point,
        f"The shape is right. But the numbers are of the type {rows.dtype}: later the rows are "
        "multiplied by a matrix of decimal numbers, so they should be float, as torch.zeros is.",
    )
    expect(
        not torch.equal(rows, right.roll(1, dims=1)) and not torch.equal(rows, right.roll(-1, 1)),
        "Each 1 stands one place off: slots are counted from 0.",
    )
    expect(
        not torch.equal(rows, 1 - right), "Zeros and ones are exchanged: one 1, elsewhere zeros."
    )
    expect(
        bool((rows.sum(dim=1) == 1).all()),
        "Some row doesn't have exactly one 1. Did you start each row from zeros?",
    )
    expect(torch.equal(rows, right), "A 1 stands in the wrong slot: row i has it at ids[i].")


@implement(["a"], [*SPECIALS, "a"])
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
    expect(ids != [6, 7, 5], "Each id is one too large: places in the list are counted from 0.")
    expect(
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
    expect(
        ids != [6, 5] and ids != [6, 5, 4],
        "The unknown words are gone, and the sentence became shorter: each keeps its place.",
    )
    expect(
        ids != [6, PAD, 5, PAD],
        f"Unknown words became {PAD}, which is <pad>: that one means “no word here”.",
    )
    expect(
        ids != [6, UNK, 5, 4],
        "“Trees” with a capital isn't in the list. Making letters small is the tokenizer's work "
        "(some words keep their capital, like I); the lookup takes each token as it is.",
    )
    expect(ids == right, f"For {strange}, {right} is right, not {ids}.")


@exercise
def bytes_of_a_batch(guess: int) -> None:
    """Exercise 4: the bytes of 8 sentences of 12 words as one-hot rows over 1,794 words."""
    whole_number(guess)
    right = one_hot(torch.zeros(8, 12, dtype=torch.long), 1794).nbytes
    expect(guess != right // 4, "That is how many numbers there are. Each of them takes 4 bytes.")
    expect(guess != right * 2, "8 bytes are for an id (int64). A float32 takes 4.")
    expect(guess != right // 8, "That is one sentence. The batch has 8.")
    expect(guess != right // 12, "That is one word of each sentence. A sentence has 12.")
    expect(guess != 8 * 12 * 8, "That is what the ids take. A one-hot row has a number per slot.")
    expect(guess == right, "Multiply sentences, words, slots, and the bytes of one float32.")
