"""What else is tried with the checks of notebook 04."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import torch
from torch import Tensor

from course.chapters.ch04_attention import checks as check
from tests.course.checks.attempts import Attempts


def one_by_one(query: Tensor, key: Tensor) -> Tensor:
    """One query after the other, the softmax written out."""
    rows = []
    for q in query:
        scores = torch.stack([(q * k).sum() / len(q) ** 0.5 for k in key])
        powers = (scores - scores.max()).exp()
        rows.append(powers / powers.sum())
    return torch.stack(rows)


def with_numpy(query, key, value=None):
    scores = query.numpy() @ key.numpy().swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights if value is None else weights @ value.numpy()


def with_row(row: int, *numbers: float) -> Tensor:
    w_q = torch.zeros(4, 4)
    w_q[row] = torch.tensor(numbers)
    return w_q


ATTEMPTS = {
    check.two_weights: Attempts(
        right=[
            [0.25, 0.75],
            torch.tensor([0.25, 0.75]),
            torch.tensor([[0.25], [0.75]]),
            ("0.25", " .75 "),
            np.array([0.75, 0.25])[::-1],
            [Decimal("0.25"), Decimal("0.75")],
            [Fraction(1, 4), Fraction(3, 4)],
        ],
        slips={
            "divide the scores by the root of d_k before": [[0.175, 0.825]],
            "divided after the softmax": [[0.124, 0.583]],
        },
        mistakes={
            "Weights add up to 1": [[0.0, 1.1]],
            "ln 3 is 3": [[0.4, 0.6]],
            "Give 2 numbers": ["a quarter", ["nan", "inf"], "0.75", [10**400, 1], [0.25], None],
        },
    ),
    check.my_weights: Attempts(
        right=[one_by_one, with_numpy],
        mistakes={
            "shape (3, 5), but yours is (3, 4)": [lambda q, k: torch.ones(3, 4)],
            "add up to 5.0000, 5.0000, 5.0000": [lambda q, k: torch.ones(3, 5)],
            "Follow the equation": [lambda q, k: torch.ones(3, 5) / 5],
            "NaN": [lambda q, k: torch.full((3, 5), math.nan)],
            "in half precision (torch.float16)": [lambda q, k: one_by_one(q, k).half()],
            "Weights are floats": [
                lambda q, k: torch.nn.functional.one_hot((q @ k.T).argmax(-1), len(k))
            ],
        },
    ),
    check.my_attention: Attempts(
        right=[with_numpy],
        mistakes={
            "should have the shape (2, 3, 5, 13)": [lambda q, k, v: v],
            "numbers are not": [lambda q, k, v: torch.zeros(2, 3, 5, 13)],
        },
    ),
    check.look_at_the_verb: Attempts(
        right=[
            with_row(2, 0, 4, 0, 0),
            with_row(3, -9, 9, -9, -9),
            [[0, 0, 0, 0], [0, 0, 0, 0], [0, 3, 0, 0], [0, 3, 0, 0]],
            9 * np.eye(4)[[0, 0, 1, 0]] * [[0], [0], [1], [0]],
        ],
        mistakes={
            "the shape (4, 4), not (1, 1)": [[[1]]],
            "a tensor of the shape (4, 4)": ["like", [[0, 0], [0]]],
            "not (4,)": [torch.zeros(4)],
            "not ()": [5],
            "alike": [torch.zeros(4, 4)],
            "“like” attends to “trees”": [with_row(1, 0, 0, 4, 4), with_row(1, 0, 0, 9, 0)],
            "attends most to “I”": [with_row(2, 4, 0, 0, 0)],
            "attends most to “trees”": [torch.ones(4, 4) * 10],
            "not yet 0.9": [with_row(2, 0, 1, 0, 0)],
            "not finite": [torch.full((4, 4), math.nan)],
        },
    ),
}
