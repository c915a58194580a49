"""Exercises of notebook 04: right answers pass, each classic mistake gets its own hint."""

import math

import pytest
import torch
from torch import Tensor

from course.chapters.ch04_attention import checks as check
from tests.course.checks.saying import said


@pytest.mark.parametrize("guess", [[0.25, 0.75], (0.25, 0.75), torch.tensor([0.25, 0.75])])
def test_two_weights_right(capsys, guess):
    assert said(capsys, check.two_weights, guess) == "right!"


@pytest.mark.parametrize(
    "guess, hint",
    [
        (..., "not tried yet"),
        ([0.175, 0.825], "divide the scores by the root of d_k before"),
        ([0.124, 0.583], "divided after the softmax"),
        ([0.75, 0.25], "in the other order"),
        ([0.0, 1.1], "add up to 1"),
        ([0.4, 0.6], "ln 3 is 3"),
        ("a quarter", "Give 2 numbers"),
        ([0.25], "Give 2 numbers"),
        (None, "Give 2 numbers"),
    ],
)
def test_two_weights_wrong(capsys, guess, hint):
    answer = said(capsys, check.two_weights, guess)
    assert hint in answer and "right!" not in answer


def loops(query: Tensor, key: Tensor) -> Tensor:
    """The same in another way: one query after the other, softmax written out."""
    rows = []
    for q in query:
        scores = torch.stack([(q * k).sum() / len(q) ** 0.5 for k in key])
        powers = (scores - scores.max()).exp()
        rows.append(powers / powers.sum())
    return torch.stack(rows)


@pytest.mark.parametrize(
    "function", [lambda q, k: (q @ k.T / q.size(-1) ** 0.5).softmax(dim=-1), loops]
)
def test_my_weights_right(capsys, function):
    assert said(capsys, check.my_weights, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda q, k: ..., "not tried yet"),
        (lambda q, k: (q @ k.T / 2).softmax(-1), "always divide by 2"),
        (lambda q, k: (q @ k.T / 8).softmax(-1), "always divide by 8"),
        (lambda q, k: (q @ k.T / math.sqrt(7)).softmax(0), "over the keys, the last axis"),
        (lambda q, k: (q @ k.T / math.sqrt(7)).flatten().softmax(0).view(3, 5), "of its own"),
        (lambda q, k: (q @ k.T).softmax(-1), "not scaled"),
        (lambda q, k: (q @ k.T / math.sqrt(len(k))).softmax(-1), "root of the number of keys"),
        (lambda q, k: (q @ k.T / math.sqrt(len(q))).softmax(-1), "root of the number of queries"),
        (lambda q, k: (q @ k.T / 7).softmax(-1), "should be its root"),
        (lambda q, k: (q @ k.T * math.sqrt(7)).softmax(-1), "divide by it"),
        (lambda q, k: (q @ k.T).softmax(-1) / math.sqrt(7), "comes after the softmax"),
        (lambda q, k: q @ k.T / math.sqrt(7), "softmax is missing"),
        (lambda q, k: q @ k.T, "scaling and the softmax are missing"),
        (lambda q, k: (k @ q.T / math.sqrt(7)).softmax(-1), "roles are swapped"),
        (lambda q, k: (q @ k.T / math.sqrt(7)).softmax(-1).T, "transposed matrix"),
        (lambda q, k: (q @ k.T / math.sqrt(7)).log_softmax(-1), "not log_softmax"),
        (lambda q, k: (q @ k / math.sqrt(7)).softmax(-1), "need a transpose"),
        (lambda q, k: torch.ones(3, 4), "shape (3, 5), but yours is (3, 4)"),
        (lambda q, k: torch.ones(3, 5), "add up to 5.0000, 5.0000"),
        (lambda q, k: torch.ones(3, 5) / 5, "Follow the equation"),
        (lambda q, k: torch.full((3, 5), math.nan), "NaN"),
        (lambda q, k: (e := (q @ k.T / 7**0.5).exp()) / e.sum(-1, keepdim=True), "overflows"),
        (lambda q, k: None, "`return`"),
        (lambda q, k: [1.0], "not a list"),
        (lambda q: q, "TypeError"),
        (torch.zeros(3, 5), "the function itself"),
    ],
)
def test_my_weights_wrong(capsys, function, hint):
    answer = said(capsys, check.my_weights, function)
    assert hint in answer and "right!" not in answer


def einsums(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
    return torch.einsum("bhqk,bhkv->bhqv", torch.softmax(scores, 3), value)


@pytest.mark.parametrize(
    "function",
    [
        lambda q, k, v: (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1) @ v,
        einsums,
    ],
)
def test_my_attention_right(capsys, function):
    assert said(capsys, check.my_attention, function) == "right!"


def test_my_attention_borrowed(capsys):
    borrowed = torch.nn.functional.scaled_dot_product_attention
    assert "does the whole exercise" in said(capsys, check.my_attention, borrowed)


def scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1)


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda q, k, v: ..., "not tried yet"),
        (lambda q, k, v: (scores(q, k) / 7**0.5).softmax(-1), "These are the weights"),
        (lambda q, k, v: (scores(q, k) / 7**0.5).softmax(-1) @ k, "by the keys"),
        (lambda q, k, v: scores(q, k).softmax(-1) @ v, "not scaled"),
        (lambda q, k, v: (scores(q, k) / 7**0.5).softmax(-2) @ v, "over the queries"),
        (lambda q, k, v: (scores(q, k) / 7**0.5).softmax(1) @ v, "over the heads"),
        (lambda q, k, v: (scores(q, k) / 8).softmax(-1) @ v, "always divide by 8"),
        (lambda q, k, v: (scores(q, k) / 2).softmax(-1) @ v, "always divide by 2"),
        (lambda q, k, v: (scores(q, k) / 11**0.5).softmax(-1) @ v, "number of keys"),
        (lambda q, k, v: (scores(q, k) / 3**0.5).softmax(-1) @ v, "number of heads"),
        (lambda q, k, v: (scores(q, k) / 2**0.5).softmax(-1) @ v, "batch size"),
        (lambda q, k, v: scores(q, k).softmax(-1) @ v / 7**0.5, "after the softmax"),
        (lambda q, k, v: scores(q, k) / 7**0.5 @ v, "softmax is missing"),
        (lambda q, k, v: (q @ k / 7**0.5).softmax(-1) @ v, "transpose"),
        (lambda q, k, v: v, "should have the shape (2, 3, 5, 13)"),
        (lambda q, k, v: torch.zeros(2, 3, 5, 13), "numbers are not"),
        (lambda q, k, v: None, "`return`"),
        (7, "the function itself"),
    ],
)
def test_my_attention_wrong(capsys, function, hint):
    answer = said(capsys, check.my_attention, function)
    assert hint in answer and "right!" not in answer


def with_row(row: int, *numbers: float) -> Tensor:
    w_q = torch.zeros(4, 4)
    w_q[row] = torch.tensor(numbers)
    return w_q


TWO_ROWS = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 3, 0, 0], [0, 3, 0, 0]]


@pytest.mark.parametrize(
    "w_q", [with_row(2, 0, 4, 0, 0), with_row(3, -9, 9, -9, -9), torch.tensor(TWO_ROWS), TWO_ROWS]
)
def test_look_at_the_verb_right(capsys, w_q):
    assert said(capsys, check.look_at_the_verb, w_q) == "right!"


@pytest.mark.parametrize(
    "w_q, hint",
    [
        (..., "not tried yet"),
        ([[1]], "the shape (4, 4), not (1, 1)"),
        ("like", "a tensor of the shape (4, 4)"),
        (torch.zeros(4), "not (4,)"),
        (torch.zeros(4, 4), "alike"),
        (with_row(1, 0, 0, 4, 4), "as in section 3"),
        (with_row(2, 4, 0, 0, 0), "attends most to “I”"),
        (with_row(2, 0, 1, 0, 0), "not yet 0.9"),
        (torch.full((4, 4), math.nan), "not finite"),
    ],
)
def test_look_at_the_verb_wrong(capsys, w_q, hint):
    answer = said(capsys, check.look_at_the_verb, w_q)
    assert hint in answer and "right!" not in answer


def test_dividing_by_the_root_of_the_values_width_is_seen(capsys):
    answer = said(
        capsys,
        check.my_attention,
        lambda q, k, v: (scores(q, k) / v.size(-1) ** 0.5).softmax(-1) @ v,
    )
    assert "root of the value's width" in answer


VERDICTS = [
    (..., "not tried yet"),
    (dict.fromkeys("ABC", ...), "not tried yet"),
    ({"A": ..., "B": "none", "C": ...}, "A and C: still to be measured"),
    (dict(check.PLANTED), "right!"),
    ({**check.PLANTED, "A": "none"}, "A isn't sound. With values that are all 1"),
    ({**check.PLANTED, "B": check.ROOT}, "B has another fault, or none. The rows add up to 1"),
    ({**check.PLANTED, "C": check.AXIS}, "C has another fault, or none. Compare"),
    ({**check.PLANTED, "C": "?"}, "C: choose one of none"),
    ({"A": "none"}, 'Give a kind for each of them: {"A": …, "B": …, "C": …}.'),
]


@pytest.mark.parametrize("verdict, answer", VERDICTS)
def test_a_verdict_on_the_suspects_is_judged(capsys, verdict, answer):
    assert answer in said(capsys, check.diagnose, verdict)


def test_each_suspect_has_the_fault_that_is_planted_in_it():
    query, key, value = torch.randn(2, 7), torch.randn(5, 7), torch.randn(5, 3)
    right = {
        "none": (scores(query, key) / 7**0.5).softmax(-1) @ value,
        check.AXIS: (scores(query, key) / 7**0.5).softmax(-2) @ value,
        check.KEYS: (scores(query, key) / 5**0.5).softmax(-1) @ value,
    }
    for name, program in check.suspects().items():
        torch.testing.assert_close(program(query, key, value), right[check.PLANTED[name]])
