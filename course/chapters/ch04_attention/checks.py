"""The exercises of notebook 04: attention by hand, in code, and aimed where you want."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.checks import (
    Hint,
    call,
    exercise,
    expect,
    implement,
    no_slip,
    own_work,
    same,
    wrong_verdicts,
)
from transformer_lib.model.attention import attention, attention_weights

# What PyTorch says when something doesn't fit -> the mistake behind it.
TRANSPOSE = "The shapes of query and key don't fit: does the key need a transpose?"
AXES = "Other axes of the key have to be exchanged: the last two, words and numbers."
SUMS = "Row sums without `keepdim=True` lose an axis, and the division no longer meets its rows."
BY_NUMBER = "`*` multiplies number by number. The product of two matrices is written `@`."
TWICE = "After the softmax comes a second one, which makes the weights nearly equal. One is enough."
ORDER = "The weights come first: weights times values."
OVERFLOW = (
    "Right for small scores; for large ones e to the power of the score overflows. Let torch's "
    "softmax do it."
)
WEIGHTS_STOP = {
    "cannot be multiplied": TRANSPOSE,
    "a (5) must match the size of tensor b (3)": SUMS,
    "a (3) must match the size of tensor b (5)": BY_NUMBER,
}
AVERAGED = (
    "The heads are averaged there. Each looks its own way: weights and results keep their axis."
)
ATTENTION_STOPS = {
    "a (2) must match the size of tensor b (3)": AVERAGED,
    "[6, 7] but got: [6, 11]": TRANSPOSE,
    "[6, 13] but got: [6, 5]": ORDER,
    "a (11) must match the size of tensor b (5)": SUMS,
    "a (11) must match the size of tensor b (13)": BY_NUMBER,
    "a (5) must match the size of tensor b (11)": BY_NUMBER,
    "must match the size of tensor b": AXES,
}


def as_tensor(given: Any, wanted: str) -> Tensor:
    """Numbers in a list, a tuple or a tensor -> a tensor; for anything else the Hint `wanted`."""
    try:
        return torch.as_tensor(given, dtype=torch.float32).detach()
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise Hint(wanted) from None


def matches(found: Tensor, make: Callable[[], Tensor]) -> bool:
    """Is it what this mistake gives? Some mistakes can't be made with every shape."""
    try:
        return same(found, make())
    except RuntimeError:
        return False


@exercise
def two_weights(guess: Any) -> None:
    """Exercise 2: q = [0, sqrt(2) ln 3], the keys [1, 0] and [0, 1]."""
    wanted = "Give 2 numbers in a list, like [0.5, 0.5]."
    found = as_tensor(guess, wanted).flatten()  # (1, 2) is what a query of one row gives
    expect(found.numel() == 2, wanted)
    scores = torch.tensor([0.0, math.sqrt(2) * math.log(3)])
    right = torch.tensor([0.25, 0.75])
    close = {"rtol": 0.0, "atol": 6e-3}
    no_slip(
        not torch.allclose(found, scores.softmax(0), **close),
        "Nearly: divide the scores by the root of d_k before the softmax. Here d_k is 2.",
    )
    no_slip(
        not torch.allclose(found, scores.softmax(0) / math.sqrt(2), **close),
        "You divided after the softmax, so the weights no longer add up to 1. Divide the scores.",
    )
    no_slip(
        not torch.allclose(found, right.flip(0), **close),
        "The right two numbers in the other order: which key does the query point along?",
    )
    expect(abs(float(found.sum()) - 1) < 0.011, "Weights add up to 1. Do yours?")
    expect(
        torch.allclose(found, right, **close),
        "First the two dot products, then the division by the root of 2, then e to the power of "
        "each, then each over their sum. Remember: e to the power of ln 3 is 3.",
    )


def weight_mistakes(query: Tensor, key: Tensor) -> dict[str, Callable[[], Tensor]]:
    """Hint -> what the function returns that makes this mistake. query (q, d_k), key (k, d_k)."""
    scores = query @ key.T
    root = math.sqrt(query.size(-1))
    return {
        "Each column adds up to 1, but each row should: the softmax must run over the keys, the "
        "last axis.": lambda: (scores / root).softmax(dim=0),
        "The softmax runs over all scores together; each row needs one of its own (dim=-1).": (
            lambda: (scores / root).flatten().softmax(0).view_as(scores)
        ),
        "The scores are not scaled: divide them by the root of d_k.": lambda: scores.softmax(-1),
        "You divide by the root of the number of keys. What counts is d_k, how many numbers "
        "a query has.": lambda: (scores / math.sqrt(key.size(0))).softmax(-1),
        "You divide by the root of the number of queries. What counts is d_k, how many numbers "
        "a query has.": lambda: (scores / math.sqrt(query.size(0))).softmax(-1),
        "You divide by d_k itself; it should be its root.": lambda: (scores / root**2).softmax(-1),
        "You always divide by 2, the root of the 4 in the drawings. Take the root of d_k, the last "
        "axis of what is handed in.": lambda: (scores / 2).softmax(-1),
        "You always divide by 8, the root of the paper's 64. Take the root of d_k, the last axis "
        "of what is handed in.": lambda: (scores / 8).softmax(-1),
        "You multiply by the root of d_k; divide by it.": lambda: (scores * root).softmax(-1),
        "The division comes after the softmax, so the rows no longer add up to 1. Scale the "
        "scores first.": lambda: scores.softmax(-1) / root,
        "These are the scaled scores. The softmax is missing.": lambda: scores / root,
        "The roles are swapped: a row should belong to a query, a column to a key.": (
            lambda: (scores.T / root).softmax(-1)
        ),
        "That is the transposed matrix: a row should belong to a query, a column to a key.": (
            lambda: (scores / root).softmax(-1).T
        ),
        "The weights are right but taken to the logarithm: use softmax, not log_softmax.": (
            lambda: (scores / root).log_softmax(-1)
        ),
        TWICE: lambda: (scores / root).softmax(-1).softmax(-1),
    }


@implement(lambda: (torch.zeros(3, 7), torch.zeros(5, 7)))
def my_weights(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    """Exercise 3: softmax(Q K^T / sqrt(d_k)) for one sentence, (q, d_k) and (k, d_k) -> (q, k)."""
    generator = torch.Generator().manual_seed(11)
    query, key = (2 * torch.randn(size, generator=generator) for size in ((3, 7), (5, 7)))
    right = attention_weights(query, key)
    own_work(function, "attention_weights", "scaled_dot_product_attention")
    found = call(function, query, key, stops=WEIGHTS_STOP)
    two_missing = "These are the scores. The scaling and the softmax are missing."
    expect(not matches(found, lambda: query @ key.T), two_missing)
    for hint, make in weight_mistakes(query, key).items():
        no_slip(not matches(found, make), hint)
    expect(
        found.shape == right.shape,
        f"3 queries and 5 keys need weights of the shape (3, 5), but yours is "
        f"{tuple(found.shape)}.",
    )
    expect(not found.isnan().any(), "There is a NaN in the weights.")
    expect(found.is_floating_point(), f"Weights are floats, and yours are {found.dtype}.")
    sums = found.float().sum(dim=-1)
    expect(
        torch.allclose(sums, torch.ones(3), atol=1e-4),
        "The rows should add up to 1, but yours add up to "
        f"{', '.join(f'{total:.4f}' for total in sums)}.",
    )
    expect(
        same(found, right),
        "The rows add up to 1, but the weights are wrong. Follow the "
        "equation: dot products, root of d_k, softmax.",
    )
    query, key = 40 * query, 40 * key
    no_slip(
        same(call(function, query, key, stops=WEIGHTS_STOP), attention_weights(query, key)),
        OVERFLOW,
    )


@implement(lambda: (torch.zeros(2, 3, 5, 7), torch.zeros(2, 3, 11, 7), torch.zeros(2, 3, 11, 13)))
def my_attention(function: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
    """The core exercise: the whole equation, (b, h, q, d_k) ... -> (b, h, q, d_v)."""
    generator = torch.Generator().manual_seed(5)
    sizes = ((2, 3, 5, 7), (2, 3, 11, 7), (2, 3, 11, 13))
    query, key, value = (torch.randn(size, generator=generator) for size in sizes)
    weights, right = attention_weights(query, key), attention(query, key, value)
    scores = query @ key.transpose(-2, -1)
    own_work(function, "attention", "attention_weights", "scaled_dot_product_attention")
    found = call(function, query, key, value, stops=ATTENTION_STOPS)
    mistakes = {
        "These are the weights. They still have to be multiplied by the values.": (lambda: weights),
        "The weights are multiplied by the keys; it should be the values.": lambda: weights @ key,
        "The scores are not scaled: divide them by the root of d_k.": (
            lambda: scores.softmax(-1) @ value
        ),
        "The softmax runs over the queries; it must run over the keys, the last axis.": (
            lambda: (scores / math.sqrt(7)).softmax(-2) @ value
        ),
        "The softmax runs over the heads. In four axes the keys are the last one: dim=-1.": (
            lambda: (scores / math.sqrt(7)).softmax(1) @ value
        ),
        "You divide by the root of the number of keys. What counts is d_k.": (
            lambda: (scores / math.sqrt(11)).softmax(-1) @ value
        ),
        "You divide by the root of the value's width. What counts is d_k, the width of query and "
        "key.": lambda: (scores / math.sqrt(13)).softmax(-1) @ value,
        "The softmax runs over the batch. In four axes the keys are the last one: dim=-1.": (
            lambda: (scores / math.sqrt(7)).softmax(0) @ value
        ),
        "You always divide by 8, the root of the paper's 64. Take the root of d_k, the last axis "
        "of what is handed in.": lambda: (scores / 8).softmax(-1) @ value,
        "You always divide by 2, the root of the 4 in the drawings. Take the root of d_k, the last "
        "axis of what is handed in.": lambda: (scores / 2).softmax(-1) @ value,
        "You divide by d_k itself; it should be its root.": (
            lambda: (scores / 7).softmax(-1) @ value
        ),
        "You multiply by the root of d_k; divide by it.": (
            lambda: (scores * math.sqrt(7)).softmax(-1) @ value
        ),
        "You divide by the root of d_model, the width of all heads together. What is compared is "
        "d_k wide: divide by its root.": lambda: (scores / math.sqrt(21)).softmax(-1) @ value,
        "You divide by the root of the number of queries. What counts is d_k.": (
            lambda: (scores / math.sqrt(5)).softmax(-1) @ value
        ),
        TWICE: lambda: (scores / math.sqrt(7)).softmax(-1).softmax(-1) @ value,
        "You divide by the root of the number of heads. What counts is d_k, the last axis.": (
            lambda: (scores / math.sqrt(3)).softmax(-1) @ value
        ),
        "You divide by the root of the batch size. What counts is d_k, the last axis.": (
            lambda: (scores / math.sqrt(2)).softmax(-1) @ value
        ),
        "The division comes after the softmax. Scale the scores first.": (
            lambda: scores.softmax(-1) @ value / math.sqrt(7)
        ),
        "The softmax is missing.": lambda: scores / math.sqrt(7) @ value,
    }
    for hint, make in mistakes.items():
        no_slip(not matches(found, make), hint)
    one_head = weights.mean(1, keepdim=True)
    averaged = [
        right.mean(1, keepdim=True),
        one_head @ value,
        one_head @ value.mean(1, keepdim=True),
    ]
    for each in averaged:  # with the axis of the heads, without it, or stretched
        for make in (each.mean(1), each, each.expand_as(right)):
            no_slip(not same(found, make), AVERAGED)
    expect(
        found.shape == right.shape,
        f"The output should have the shape {tuple(right.shape)}, one vector of the values' width "
        f"for each query, but yours is {tuple(found.shape)}.",
    )
    expect(
        same(found, right),
        "The shape is right, the numbers are not. Compare yours with the equation, step by step.",
    )
    query = 400 * query
    no_slip(
        same(call(function, query, key, value), attention(query, key, value)),
        OVERFLOW,
    )


AXIS, KEYS, ROOT = "softmax over the wrong axis", "divided by √(number of keys)", "not divided"
FAULTS = ("none", AXIS, KEYS, ROOT)


def _faulty(fault: str) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Attention with one planted fault."""

    def program(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        width = {KEYS: key.size(-2), ROOT: 1}.get(fault, query.size(-1))
        scores = query @ key.transpose(-2, -1) / math.sqrt(width)
        return scores.softmax(dim=-2 if fault == AXIS else -1) @ value

    return program


PLANTED = {"A": AXIS, "B": KEYS, "C": "none"}
UNLIKE = {  # for a wrong verdict: what to measure
    "A": "With values that are all 1, each row of weights gives back their sum. Is it 1?",
    "B": "The rows add up to 1. Take two keys, then twenty: does one more key change how sharp the "
    "weights are? And compare with attention_weights.",
    "C": "Compare it with the library, for more than one size.",
}


def suspects() -> dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]]:
    """Three programs for attention, of which some have one planted fault."""
    return {name: _faulty(fault) for name, fault in PLANTED.items()}


@exercise
def diagnose(verdict: Any) -> None:
    """The first of the deeper exercises: which fault does each of the `suspects` have?"""
    for name, said in wrong_verdicts(verdict, PLANTED, FAULTS).items():
        sure = f"{name} isn't sound. " if said == "none" else f"{name} has another fault, or none. "
        raise Hint(sure + UNLIKE[name])


@exercise
def look_at_the_verb(w_q: Any) -> None:
    """Exercise 4: a W^Q (4, 4) with which "árboles" attends to "like" with more than 0.9."""
    attends_to_like(w_q, "árboles", "“gustan” attends to “trees”, as in section 3")


def attends_to_like(w_q: Any, noun: str, turned: str) -> None:
    """A Hint unless the query of `noun`, row 2, gives "like" more than 0.9.

    turned: what is to be said where it is row 1 that attends to "trees".
    """
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
            f"Now {turned}. It should be “{noun}” that attends to “like”: rows 2 and 3 of w_q make "
            "its query."
        )
    expect(
        not nowhere,
        f"“{noun}” attends to all three words alike: its query is the sum of rows 2 and 3 of w_q, "
        "counted from 0. Are they empty?",
    )
    expect(
        best == "like",
        f"“{noun}” attends most to “{best}”. The key of “like” is [0, 2, 0, 0]: which number of "
        "the query meets the 2? The others meet the keys of other words, and should be smaller.",
    )
    expect(
        float(row[1]) > 0.9,
        f"“{noun}” attends to “like” with {float(row[1]):.2f}: the right way, but not yet 0.9. "
        "What makes a weight sharper?",
    )
