"""What else is tried with the checks of notebook 17."""

import math

import torch

from course.chapters.ch17_gpt import assignment_9_checks as how_much
from course.chapters.ch17_gpt import checks as check
from tests.course.checks.attempts import Attempts


def emptied(counts, losses, floor, fit):
    last, loss = counts.pop(), losses.pop()
    a, alpha = fit(counts, losses, floor)
    distance = a * math.exp(-alpha * math.log(last))
    return torch.tensor([floor + distance, distance / (loss - floor) - 1])


ATTEMPTS = {
    check.my_prefix_mask: Attempts(
        mistakes={
            "The shape is (1, 7, 7)": [lambda p, n: torch.ones(1, n, n) > 0],
        },
    ),
    how_much.law_by_hand: Attempts(
        right=[
            torch.tensor([[0.5, 0.2, 2.18, 256_000]]),
            (1 / 2, 0.8 / 4, 1.98 + 0.2, 1000 * (0.8 / 0.05) ** 2),
        ],
        mistakes={
            "list of four numbers": [[0.5, 0.2, 2.18], "few"],
        },
    ),
    how_much.my_sizes: Attempts(
        mistakes={
            "a row for each word": [lambda N, d, d_ff, words: (words**2, 1)],
            "In each layer": [lambda N, d, d_ff, words: (words * d, N * d * d)],
            "Return two whole numbers": [lambda N, d, d_ff, words: words * d],
        }
    ),
    how_much.my_flops: Attempts(
        mistakes={"write down each": [lambda *sizes: 7], "one number": [lambda *sizes: "many"]}
    ),
    how_much.my_fit: Attempts(
        mistakes={
            "it should be": [lambda counts, losses, floor: (1.0, 0.5)],
            "Return two numbers": [lambda counts, losses, floor: 0.5],
        }
    ),
    how_much.my_held_out: Attempts(
        right=[how_much.predicting(), emptied],
        slips=how_much.PREDICTIONS,
        mistakes={
            "Nothing was fitted": [lambda counts, losses, floor, fit: (2.0, 0.5)],
            "it should be": [how_much.predicting(points=slice(1, None))],
            "The fit got 2 points of 4": [how_much.predicting(points=slice(-2))],
            "Return two numbers": [how_much.predicting(lambda d, *rest: d)],
        },
    ),
    how_much.straight_and_wrong: Attempts(
        right=[1.9, torch.tensor(1.85)],
        slips={"go nearer to the true floor": [1.5]},
        mistakes={
            "might reach": [1.98, 2.05],
            "lies below all losses": [2.3, math.nan, 10**400],
            "Give one number": ["low"],
            "go nearer to them": [-(10**308)],
        },
    ),
}
