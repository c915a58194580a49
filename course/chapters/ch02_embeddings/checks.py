"""The exercises of notebook 02: swapped rows, the nearest neighbor.

`embed` belongs to assignment 1 and to the reader's own Transformer.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from course.chapters.ch00_start_here.checks import shipped
from course.checks import Exercise, Hint, alike, exercise, expect, implement, no_slip, result_of
from transformer_lib.model.embedding import Embeddings, one_hot

VOCAB, D_MODEL = 11, 7  # primes: a swapped axis can't fit


def small_table() -> Tensor:
    """A table of different numbers, none of them 0 or 1, the same each time."""
    return torch.sin(torch.arange(VOCAB * D_MODEL, dtype=torch.float) + 1.0).view(VOCAB, D_MODEL)


def are_vectors(found: Tensor, right: Tensor) -> None:
    """A Hint unless there is one vector for each id."""
    expect(
        found.shape != (*right.shape[:-1], VOCAB),
        "The rows have one number for each word of the vocabulary: they are still one-hot rows, "
        "not yet multiplied by the table.",
    )
    expect(
        found.shape == right.shape,
        f"For ids of the shape {tuple(right.shape[:-1])} and a table of {VOCAB} x {D_MODEL} the "
        f"shape should be {tuple(right.shape)}, but it is {tuple(found.shape)}.",
    )


ARTICLES = {
    "dog": "el",
    "book": "el",
    "car": "el",
    "cat": "el",
    "house": "la",
    "street": "la",
    "table": "la",
    "door": "la",
    "houses": "las",
    "streets": "las",
    "tables": "las",
    "doors": "las",
}
EXCHANGED = {"book", "streets"}


def exchanged_rows() -> tuple[dict[str, str], Tensor]:
    """Nouns with their articles in Spanish, and their rows (12, 128); two rows are exchanged."""
    words = list(ARTICLES)
    table = shipped().model.src_embed.table.weight.detach()
    rows = table[shipped().src.vocab.encode(words)]
    one, other = (words.index(word) for word in sorted(EXCHANGED))
    rows[[one, other]] = rows[[other, one]]
    return dict(ARTICLES), rows


@exercise
def exchanged(one: str, other: str) -> None:
    """Exercise 1: which two words' rows are exchanged in `exchanged_rows`?"""
    for word in (one, other):
        expect(word in ARTICLES, f"Give two of the twelve words, such as 'dog', not {word!r}.")
    expect(one != other, "That is one word. Two *different* words' rows are exchanged.")
    words, (_, rows) = list(ARTICLES), exchanged_rows()
    cosines = torch.cosine_similarity(rows[:, None], rows, dim=-1)
    for word in (one, other):
        group = [i for i, near in enumerate(words) if ARTICLES[near] == ARTICLES[word] != word]
        own = [float(cosines[words.index(word), i]) for i in group if words[i] != word]
        judge = no_slip if EXCHANGED & {one, other} else expect
        also = " The other word is one of the two." if EXCHANGED & {one, other} else ""
        judge(
            word in EXCHANGED,
            f"{word} is at home: its cosines with the other nouns that take {ARTICLES[word]} are "
            f"{', '.join(f'{number:.2f}' for number in own)}. Which word's are near 0?{also}",
        )


def times(factor: Callable[[Tensor, Tensor], float]) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda ids, table: table[ids] * factor(ids, table)


def root(ids: Tensor, table: Tensor) -> float:
    return math.sqrt(table.size(1))


right_embeddings = times(root)


def are_no_embeddings(found: Tensor, right: Tensor) -> None:
    are_vectors(found, right)
    factor = float(found.flatten()[0] / right.flatten()[0])
    expect(
        not alike(found, right * factor),
        f"Right rows, times one number: but yours is {factor * math.sqrt(D_MODEL):.3g}. Which "
        "should it be?",
    )
    raise Hint("The shape is right, but the rows are not table[ids] times a root.")


embed = Exercise(
    "embed",
    "(ids, table) -> the input of the Transformer, before the positions.",
    # No id above 6, so that a column or a next row can be taken by mistake without a crash.
    inputs=lambda: (torch.tensor([[3, 0, 5], [3, 6, 1]]), small_table()),
    right=[
        right_embeddings,
        lambda ids, table: (one_hot(ids, len(table)) @ table) * root(ids, table),
    ],
    not_allowed=("Embeddings",),
    borrowed=[
        lambda ids, table: torch.func.functional_call(
            Embeddings(*table.shape), {"table.weight": table}, (ids,)
        )
    ],
    slips={
        "These are the rows themselves: the root of d_model is missing.": [
            lambda ids, table: table[ids]
        ],
        "That is times d_model. Its root is what the paper takes.": [
            times(lambda ids, table: table.size(1))
        ],
        "That is divided by the root of d_model: the vectors should get longer.": [
            times(lambda ids, table: table.size(1) ** -0.5)
        ],
        "That is divided by d_model. Which factor does the paper take, and do the vectors get "
        "longer or shorter?": [times(lambda ids, table: 1 / table.size(1))],
        "That is the root of 512, the paper's d_model. Take that of the table that is handed in.": [
            times(lambda ids, table: 512**0.5)
        ],
        "The root is added to each number. The paper multiplies.": [
            lambda ids, table: table[ids] + root(ids, table)
        ],
        "That is the root of the number of words, table.shape[0]. d_model is the width of a row.": [
            times(lambda ids, table: len(table) ** 0.5)
        ],
        "That is the root of a size of ids. d_model is the width of a row of the table.": [
            times(lambda ids, table: len(ids) ** 0.5),
            times(lambda ids, table: ids.size(1) ** 0.5),
            times(lambda ids, table: ids.numel() ** 0.5),
        ],
        "Those are columns of the table. The vector of a word is a row.": [
            lambda ids, table, power=power, take=take: take(ids, table) * table.size(1) ** power
            for power in (0.0, 0.5)
            for take in (
                lambda ids, table: table.T[ids],
                lambda ids, table: table[:, ids],
                lambda ids, table: table[:, ids].mT,
            )
        ],
        "Those are the vectors of the words before or after: ids count from 0.": [
            lambda ids, table: right_embeddings(ids - 1, table),
            lambda ids, table: right_embeddings(ids + 1, table),
        ],
        "The words of each sentence are added up: every word keeps a vector of its own.": [
            lambda ids, table: right_embeddings(ids, table).sum(1)
        ],
        "The vectors are right, but they are all in one long list: where does a sentence end? "
        "Keep the shape of ids.": [lambda ids, table: right_embeddings(ids.flatten(), table)],
        "That is the first sentence only. What about the others?": [
            lambda ids, table: right_embeddings(ids[0], table)
        ],
    },
    unlike=are_no_embeddings,
)


DOT_PRODUCT = (
    "“giant” has a long vector, so its dot product is large. The cosine divides by the lengths of "
    "both vectors."
)


@implement(lambda: ("a", ["a", "b"], torch.eye(2)))
def nearest_word(function: Callable[[str, list[str], Tensor], str]) -> None:
    """Exercise 2: (word, words, table) -> the other word whose vector points most nearly alike."""
    words = ["tree", "plant", "giant", "near", "against", "aside"]
    table = torch.tensor(
        [
            [2.0, 1.0, 0.0],
            [1.0, 0.55, 0.0],
            [9.0, -3.0, 9.0],
            [2.0, 0.2, 0.1],
            [-4.0, -2.0, 0.0],
            [0.0, 0.0, 1.0],
        ]
    )
    answer = result_of(function, "tree", list(words), table)
    no_slip(
        not isinstance(answer, int | Tensor),
        "That is a place in the table. Look up its word: words[place].",
    )
    expect(
        isinstance(answer, str), f"Return one word; this is of the type {type(answer).__name__}."
    )
    if answer == "tree":
        giant = result_of(function, "giant", list(words), table)
        no_slip(giant == "giant", DOT_PRODUCT)  # "tree" comes second, after "giant"
        raise Hint("Every word is nearest to itself: leave the word itself out.", keeps=0.5)
    no_slip(answer != "giant", DOT_PRODUCT)
    no_slip(
        answer != "near",
        "“near” has the smallest distance. The cosine asks for the direction, whatever the length.",
    )
    no_slip(answer != "against", "“against” points the other way: its cosine is -1, the smallest.")
    expect(answer == "plant", "Its cosine with “tree” isn't the largest.")
    expect(
        result_of(function, "against", list(words), table) == "aside",
        "Right for “tree”. For “against” all other cosines are 0 or negative: does your search "
        "start from 0, or take absolute values?",
    )
