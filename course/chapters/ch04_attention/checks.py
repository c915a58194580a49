"""The exercises of notebook 04 and of assignment 2: attention by hand, in code, and aimed."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.checks import ELSEWHERE, Exercise, Hint, Value, Verdicts, exercise, expect, not_so
from transformer_lib.model.attention import attention, attention_weights


def as_tensor(given: Any, wanted: str) -> Tensor:
    """Numbers in a list, a tuple or a tensor -> a tensor; for anything else the Hint `wanted`."""
    try:
        return torch.as_tensor(given, dtype=torch.float32).detach()
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise Hint(wanted) from None


def two_numbers(guess: Any) -> Tensor:
    wanted = "Give 2 numbers in a list, like [0.5, 0.5]."
    found = as_tensor(guess, wanted).flatten()  # (1, 2) is what a query of one row gives
    expect(found.numel() == 2, wanted)
    return found


def add_up(found: Tensor) -> None:
    expect(abs(float(found.sum()) - 1) < 0.011, "Weights add up to 1. Do yours?")


two_weights = Value(
    "two_weights",
    "Exercise 2: q = [0, sqrt(2) ln 3], the keys [1, 0] and [0, 1].",
    read=two_numbers,
    near=lambda found, known: torch.allclose(found, torch.tensor(known), rtol=0.0, atol=6e-3),
    right=(0.25, 0.75),
    slips={
        (0.1745, 0.8255): "Nearly: divide the scores by the root of d_k before the softmax. Here "
        "d_k is 2.",
        (0.1234, 0.5837): "You divided after the softmax, so the weights no longer add up to 1. "
        "Divide the scores.",
        (0.75, 0.25): "The right two numbers in the other order: which key does the query point "
        "along?",
    },
    unlike=add_up,
    otherwise="First the two dot products, then the division by the root of 2, then e to the power "
    "of each, then each over their sum. Remember: e to the power of ln 3 is 3.",
)


# What PyTorch says when something doesn't fit -> the mistake behind it.
TRANSPOSE = "The shapes of query and key don't fit: does the key need a transpose?"
AXES = "Other axes of the key have to be exchanged: the last two, words and numbers."
SUMS = "Row sums without `keepdim=True` lose an axis, and the division no longer meets its rows."
BY_NUMBER = "`*` multiplies number by number. The product of two matrices is written `@`."
ORDER = "The weights come first: weights times values."
# What several exercises say.
NOT_SCALED = "The scores are not scaled: divide them by the root of d_k."
TWO = (
    "You always divide by 2, the root of the 4 in the drawings. Take the root of d_k, the last "
    "axis of what is handed in."
)
EIGHT = (
    "You always divide by 8, the root of the paper's 64. Take the root of d_k, the last axis of "
    "what is handed in."
)
ITSELF = "You divide by d_k itself; it should be its root."
MULTIPLIED = "You multiply by the root of d_k; divide by it."
TWICE = "After the softmax comes a second one, which makes the weights nearly equal. One is enough."
OVERFLOW = (
    "Right for small scores; for large ones e to the power of the score overflows. Let torch's "
    "softmax do it."
)


def scores(query: Tensor, key: Tensor, by: float | None = None) -> Tensor:
    """Q K^T over the root of d_k, or over `by`."""
    return query @ key.transpose(-2, -1) / (math.sqrt(query.size(-1)) if by is None else by)


def powers(query: Tensor, key: Tensor, keepdim: bool) -> Tensor:
    """The weights by exp and a sum, with no thought of large scores."""
    found = scores(query, key).exp()
    return found / found.sum(dim=-1, keepdim=keepdim)


def is_no_softmax(found: Tensor, right: Tensor) -> None:
    """What else there is to say of wrong weights."""
    q, k = right.shape
    expect(
        found.shape == right.shape,
        f"{q} queries and {k} keys need weights of the shape ({q}, {k}), but yours is "
        f"{tuple(found.shape)}.",
    )
    expect(not found.isnan().any(), "There is a NaN in the weights.")
    expect(found.is_floating_point(), f"Weights are floats, and yours are {found.dtype}.")
    sums = found.float().sum(dim=-1)
    expect(
        torch.allclose(sums, torch.ones(q), atol=1e-4),
        "The rows should add up to 1, but yours add up to "
        f"{', '.join(f'{total:.4f}' for total in sums)}.",
    )
    raise Hint(
        "The rows add up to 1, but the weights are wrong. Follow the "
        "equation: dot products, root of d_k, softmax."
    )


def random(seed: int, *shapes: tuple[int, ...]) -> tuple[Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(shape, generator=generator) for shape in shapes)


def query_and_key(times: float = 2.0) -> tuple[Tensor, ...]:
    return tuple(times * x for x in random(11, (3, 7), (5, 7)))


my_weights = Exercise(
    "my_weights",
    "The left half of the equation, softmax(Q K^T / sqrt(d_k)): (q, d_k) and (k, d_k) -> (q, k).",
    inputs=query_and_key,
    right=[
        lambda q, k: scores(q, k).softmax(-1),
        lambda q, k: torch.softmax(torch.einsum("qd,kd->qk", q, k) / q.shape[1] ** 0.5, dim=1),
    ],
    not_allowed=("attention_weights", "scaled_dot_product_attention"),
    borrowed=[lambda q, k: attention_weights(q, k)],
    mistakes={
        "These are the scores. The scaling and the softmax are missing.": [lambda q, k: q @ k.T],
    },
    slips={
        "Each column adds up to 1, but each row should: the softmax must run over the keys, the "
        "last axis.": [lambda q, k: scores(q, k).softmax(0)],
        "The softmax runs over all scores together; each row needs one of its own (dim=-1).": [
            lambda q, k: scores(q, k).flatten().softmax(0).view(len(q), len(k))
        ],
        NOT_SCALED: [lambda q, k: (q @ k.T).softmax(-1)],
        "You divide by the root of the number of keys. What counts is d_k, how many numbers "
        "a query has.": [lambda q, k: scores(q, k, len(k) ** 0.5).softmax(-1)],
        "You divide by the root of the number of queries. What counts is d_k, how many numbers "
        "a query has.": [lambda q, k: scores(q, k, len(q) ** 0.5).softmax(-1)],
        ITSELF: [lambda q, k: scores(q, k, q.size(-1)).softmax(-1)],
        TWO: [lambda q, k: scores(q, k, 2).softmax(-1)],
        EIGHT: [lambda q, k: scores(q, k, 8).softmax(-1)],
        MULTIPLIED: [lambda q, k: scores(q, k, q.size(-1) ** -0.5).softmax(-1)],
        "The division comes after the softmax, so the rows no longer add up to 1. Scale the "
        "scores first.": [lambda q, k: (q @ k.T).softmax(-1) / math.sqrt(q.size(-1))],
        "These are the scaled scores. The softmax is missing.": [scores],
        "The roles are swapped: a row should belong to a query, a column to a key.": [
            lambda q, k: scores(k, q).softmax(-1)
        ],
        "That is the transposed matrix: a row should belong to a query, a column to a key.": [
            lambda q, k: scores(q, k).softmax(-1).T
        ],
        "The weights are right but taken to the logarithm: use softmax, not log_softmax.": [
            lambda q, k: scores(q, k).log_softmax(-1)
        ],
        TWICE: [lambda q, k: scores(q, k).softmax(-1).softmax(-1)],
        TRANSPOSE: [lambda q, k: (q @ k / math.sqrt(q.size(-1))).softmax(-1)],
        SUMS: [lambda q, k: powers(q, k, keepdim=False)],
        BY_NUMBER: [lambda q, k: (q * k / math.sqrt(q.size(-1))).softmax(-1)],
        OVERFLOW: [lambda q, k: powers(q, k, keepdim=True)],
        ELSEWHERE: [lambda q, k: scores(q, k, math.sqrt(7)).softmax(-1)],
    },
    errors={
        "cannot be multiplied": TRANSPOSE,
        "a (5) must match the size of tensor b (3)": SUMS,
        "a (3) must match the size of tensor b (5)": BY_NUMBER,
    },
    unlike=is_no_softmax,
    elsewhere={
        OVERFLOW: lambda: query_and_key(80.0),
        ELSEWHERE: lambda: random(3, (2, 5), (3, 5)),
    },
)


def weighted(dim: int = -1, divisor: Callable[..., float] | None = None) -> Callable[..., Tensor]:
    """The whole equation with another axis of the softmax, or another divisor of the scores."""

    def program(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        by = divisor and divisor(query, key, value)
        return scores(query, key, by).softmax(dim) @ value

    return program


def one_head(query: Tensor, key: Tensor) -> Tensor:
    """The weights of all heads, averaged."""
    return scores(query, key).softmax(-1).mean(1, keepdim=True)


def tell_attention_apart(found: Tensor, right: Tensor) -> None:
    expect(
        found.shape == right.shape,
        f"The output should have the shape {tuple(right.shape)}, one vector of the values' width "
        f"for each query, but yours is {tuple(found.shape)}.",
    )
    raise Hint(
        "The shape is right, the numbers are not. Compare yours with the equation, step by step."
    )


def query_key_and_value(times: float = 1.0) -> tuple[Tensor, ...]:
    query, key, value = random(5, (2, 3, 5, 7), (2, 3, 11, 7), (2, 3, 11, 13))
    return times * query, key, value


AVERAGED = (
    "The heads are averaged there. Each looks its own way: weights and results keep their axis."
)
my_attention = Exercise(
    "my_attention",
    "The whole equation, (b, h, q, d_k) ... -> (b, h, q, d_v).",
    inputs=query_key_and_value,
    right=[
        weighted(),
        lambda q, k, v: torch.einsum("bhqk,bhkv->bhqv", scores(q, k).softmax(3), v),
    ],
    not_allowed=("attention", "attention_weights", "scaled_dot_product_attention"),
    borrowed=[
        lambda q, k, v: attention(q, k, v),
        lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v),
    ],
    slips={
        "These are the weights. They still have to be multiplied by the values.": [
            lambda q, k, v: scores(q, k).softmax(-1)
        ],
        "The weights are multiplied by the keys; it should be the values.": [
            lambda q, k, v: scores(q, k).softmax(-1) @ k
        ],
        NOT_SCALED: [weighted(divisor=lambda q, k, v: 1)],
        "The softmax runs over the queries; it must run over the keys, the last axis.": [
            weighted(dim=-2)
        ],
        "The softmax runs over the heads. In four axes the keys are the last one: dim=-1.": [
            weighted(dim=1)
        ],
        "The softmax runs over the batch. In four axes the keys are the last one: dim=-1.": [
            weighted(dim=0)
        ],
        "You divide by the root of the number of keys. What counts is d_k.": [
            weighted(divisor=lambda q, k, v: k.size(-2) ** 0.5)
        ],
        "You divide by the root of the value's width. What counts is d_k, the width of query and "
        "key.": [weighted(divisor=lambda q, k, v: v.size(-1) ** 0.5)],
        EIGHT: [weighted(divisor=lambda q, k, v: 8)],
        TWO: [weighted(divisor=lambda q, k, v: 2)],
        ITSELF: [weighted(divisor=lambda q, k, v: k.size(-1))],
        MULTIPLIED: [weighted(divisor=lambda q, k, v: k.size(-1) ** -0.5)],
        "You divide by the root of d_model, the width of all heads together. What is compared is "
        "d_k wide: divide by its root.": [
            weighted(divisor=lambda q, k, v: (q.size(1) * q.size(-1)) ** 0.5)
        ],
        "You divide by the root of the number of queries. What counts is d_k.": [
            weighted(divisor=lambda q, k, v: q.size(-2) ** 0.5)
        ],
        TWICE: [lambda q, k, v: scores(q, k).softmax(-1).softmax(-1) @ v],
        "You divide by the root of the number of heads. What counts is d_k, the last axis.": [
            weighted(divisor=lambda q, k, v: q.size(1) ** 0.5)
        ],
        "You divide by the root of the batch size. What counts is d_k, the last axis.": [
            weighted(divisor=lambda q, k, v: q.size(0) ** 0.5)
        ],
        "The division comes after the softmax. Scale the scores first.": [
            lambda q, k, v: scores(q, k, 1).softmax(-1) @ v / math.sqrt(q.size(-1))
        ],
        "The softmax is missing.": [lambda q, k, v: scores(q, k) @ v],
        AVERAGED: [  # with the axis of the heads, without it, or stretched
            lambda q, k, v: weighted()(q, k, v).mean(1),
            lambda q, k, v: weighted()(q, k, v).mean(1, keepdim=True),
            lambda q, k, v: weighted()(q, k, v).mean(1, keepdim=True).expand(-1, 3, -1, -1),
            lambda q, k, v: one_head(q, k) @ v,
            lambda q, k, v: (one_head(q, k) @ v).mean(1),
            lambda q, k, v: (one_head(q, k) @ v).mean(1, keepdim=True).expand(-1, 3, -1, -1),
            lambda q, k, v: one_head(q, k).squeeze(1) @ v,
        ],
        TRANSPOSE: [lambda q, k, v: (q @ k / math.sqrt(q.size(-1))).softmax(-1) @ v],
        ORDER: [lambda q, k, v: v @ scores(q, k).softmax(-1)],
        SUMS: [lambda q, k, v: powers(q, k, keepdim=False) @ v],
        BY_NUMBER: [
            lambda q, k, v: scores(q, k).softmax(-1) * v,
            lambda q, k, v: (q * k / math.sqrt(q.size(-1))).softmax(-1) @ v,
        ],
        AXES: [lambda q, k, v: (q @ k.transpose(1, 2)).softmax(-1) @ v],
        OVERFLOW: [lambda q, k, v: powers(q, k, keepdim=True) @ v],
        ELSEWHERE: [weighted(divisor=lambda q, k, v: math.sqrt(7))],
    },
    errors={
        "a (2) must match the size of tensor b (3)": AVERAGED,
        "[6, 7] but got: [6, 11]": TRANSPOSE,
        "[6, 13] but got: [6, 5]": ORDER,
        "a (11) must match the size of tensor b (5)": SUMS,
        "a (11) must match the size of tensor b (13)": BY_NUMBER,
        "a (5) must match the size of tensor b (11)": BY_NUMBER,
        "must match the size of tensor b": AXES,
    },
    unlike=tell_attention_apart,
    elsewhere={
        OVERFLOW: lambda: query_key_and_value(400.0),
        ELSEWHERE: lambda: random(3, (1, 2, 3, 5), (1, 2, 2, 5), (1, 2, 2, 3)),
    },
)


AXIS, KEYS, ROOT = "softmax over the wrong axis", "divided by √(number of keys)", "not divided"
FAULTS = ("none", AXIS, KEYS, ROOT)


PLANTED = {"A": AXIS, "B": KEYS, "C": "none"}
UNLIKE = {  # for a wrong verdict: what to measure
    "A": "With values that are all 1, each row of weights gives back their sum. Is it 1?",
    "B": "The rows add up to 1. Take two keys, then twenty: does one more key change how sharp the "
    "weights are? And compare with attention_weights.",
    "C": "Compare it with the library, for more than one size.",
}


def suspects() -> dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]]:
    """Three programs for attention, of which some have one planted fault."""
    programs = {
        "none": weighted(),
        AXIS: weighted(dim=-2),
        KEYS: weighted(divisor=lambda q, k, v: k.size(-2) ** 0.5),
    }
    return {name: programs[fault] for name, fault in PLANTED.items()}


diagnose = Verdicts(
    "diagnose",
    "The first of the deeper exercises: which fault does each of the `suspects` have?",
    PLANTED,
    FAULTS,
    not_so("none", UNLIKE),
)


@exercise
def look_at_the_verb(w_q: Any) -> None:
    """Exercise 3: a W^Q (4, 4) with which "trees" attends to "like" with more than 0.9."""
    words = ["I", "like", "trees"]
    x = torch.tensor([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])
    w_q = as_tensor(w_q, "Give a tensor of the shape (4, 4).")
    expect(w_q.shape == (4, 4), f"w_q should have the shape (4, 4), not {tuple(w_q.shape)}.")
    weights = attention_weights(x @ w_q, 2 * x)
    row = weights[2]
    expect(bool(row.isfinite().all()), "The weights are not finite numbers: smaller ones will do.")
    best = words[int(row.argmax())]
    nowhere = float(row.max()) - float(row.min()) <= 1e-3
    if nowhere and float(weights[1, 2]) > 0.9:
        raise Hint(
            "Now “like” attends to “trees”. It should be the other way round: rows 2 and 3 of w_q "
            "make the query of “trees”."
        )
    expect(
        not nowhere,
        "“trees” attends to all three words alike: its query is the sum of rows 2 and 3 of w_q, "
        "counted from 0. Are they empty?",
    )
    expect(
        best == "like",
        f"“trees” attends most to “{best}”. The key of “like” is [0, 2, 0, 0]: which number of "
        "the query meets the 2? The others meet the keys of other words, and should be smaller.",
    )
    expect(
        float(row[1]) > 0.9,
        f"“trees” attends to “like” with {float(row[1]):.2f}: the right way, but not yet 0.9. "
        "What makes a weight sharper?",
    )
