"""The exercises of notebook 02: lookups, neighbors, what is learned.

`embed` belongs to assignment 1 and to the reader's own Transformer.
"""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from course.checks import (
    Exercise,
    Hint,
    alike,
    call,
    exercise,
    expect,
    implement,
    no_slip,
    result_of,
)
from transformer_lib.model.embedding import Embeddings, one_hot
from transformer_lib.text.tokens import SPECIALS

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


def a_sentence() -> tuple[Tensor, Tensor]:
    return torch.tensor([3, 0, 10, 3, 6]), small_table()


def product(ids: Tensor, table: Tensor) -> Tensor:
    return one_hot(ids, len(table)) @ table


def are_other_rows(found: Tensor, right: Tensor) -> None:
    are_vectors(found, right)
    raise Hint("The shape is right, but the rows are not table[ids].")


FETCHED = (
    "Right, but the rows were fetched by their places. Make one-hot rows of the ids, and write the "
    "lookup as a product with the table: @."
)


def multiplies(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    """In a product each row counts, most of them times 0, and 0 times NaN is NaN."""
    ids, table = a_sentence()
    table[5] = math.nan
    no_slip(bool(call(function, ids, table).isnan().all()), FETCHED)


WHOLE = "PyTorch's one_hot makes whole numbers. For the product make them .float()."
A_BATCH = (
    f"Right for one sentence. But a batch of ids of the shape (3, 2) should give (3, 2, {D_MODEL})."
)
NARROW = (
    "Right while the last word of the table is there. A one-hot row is as long as the table has "
    "rows, whatever the ids are: give one_hot that number."
)
lookup_by_product = Exercise(
    "lookup_by_product",
    "Exercise 1: (ids, table) -> one_hot(ids) @ table.",
    inputs=a_sentence,
    right=[product, lambda ids, table: (one_hot(ids, len(table))[..., None] * table).sum(-2)],
    errors={"same dtype": WHOLE},
    slips={
        "Each vector is that of the next word in the table, or of the one before: ids count "
        "from 0.": [
            lambda ids, table: table[(ids + 1) % len(table)],
            lambda ids, table: table[ids - 1],
        ],
        "Right rows, but multiplied by the root of d_model: that is section 6. Here the rows come "
        "out as they are.": [lambda ids, table: product(ids, table) * table.size(1) ** 0.5],
        "Every place holds the sum of all words: give each id a one-hot row of its own.": [
            lambda ids, table: product(ids, table).sum(0).expand(len(ids), -1)
        ],
        WHOLE: [lambda ids, table: torch.nn.functional.one_hot(ids, len(table)) @ table],
        A_BATCH: [lambda ids, table: product(ids.flatten(), table)],
        NARROW: [lambda ids, table: torch.nn.functional.one_hot(ids).float() @ table],
        FETCHED: [lambda ids, table: table[ids]],
    },
    mistakes={
        "These are the first rows of the table, whatever the ids are.": [
            lambda ids, table: table[: len(ids)]
        ],
    },
    unlike=are_other_rows,
    then=multiplies,
    elsewhere={
        A_BATCH: lambda: (torch.tensor([[3, 0], [10, 6], [1, 10]]), small_table()),
        NARROW: lambda: (torch.tensor([3, 0]), small_table()),
    },
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
    from transformer_lib.translator import Translator

    translator = Translator.load()
    words = list(ARTICLES)
    rows = translator.model.src_embed.table.weight.detach()[translator.src.vocab.encode(words)]
    one, other = (words.index(word) for word in sorted(EXCHANGED))
    rows[[one, other]] = rows[[other, one]]
    return dict(ARTICLES), rows


@exercise
def exchanged(one: str, other: str) -> None:
    """Exercise 2: which two words' rows are exchanged in `exchanged_rows`?"""
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
    right=[right_embeddings, lambda ids, table: product(ids, table * table.size(1) ** 0.5)],
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
    """Exercise 3: (word, words, table) -> the other word whose vector points most nearly alike."""
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


@exercise
def rows_that_learn(guess: Iterable[str]) -> None:
    """Exercise 4: whose rows change after one step on the source "I like trees <eos> <pad>"?"""
    kind = isinstance(guess, list | tuple | set) and all(isinstance(word, str) for word in guess)
    expect(kind, 'Give a list of tokens in quotes, such as ["I", "<eos>"].')
    words, right = set(guess), {"I", "like", "trees", "<eos>"}
    judge = no_slip if len({word.lower() for word in words ^ right}) == 1 else expect
    judge("the" not in words, "“the” isn't in the sentence, so its row wasn't used.")
    judge(
        "<pad>" not in words,
        "The padding is masked: nothing that comes out depends on it, so its row gets no gradient.",
    )
    judge(
        not words & (set(SPECIALS) - {"<eos>", "<pad>"}),
        "A row gets a gradient if its word is in the sentence. Which of your tokens doesn't?",
    )
    judge("<eos>" in words, "One is missing: it isn't a word, but it is in the sentence too.")
    names = {word.lower(): word for word in right}
    other = [word for word in words - right if word.lower() in names]
    judge(
        not other,
        f"The right word, spelled otherwise: {names[other[0].lower()]!r}." if other else "",
    )
    expect(
        words == right,
        "A row of this table gets a gradient if its word is in the sentence, and only then.",
    )
