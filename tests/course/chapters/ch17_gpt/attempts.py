"""What else is tried with the checks of notebook 17."""

import math

import torch

from course.chapters.ch17_gpt import assignment_9_checks as how_much
from course.chapters.ch17_gpt import checks as check
from tests.course.checks.attempts import Attempts


def held(result, fitted=lambda fit, *points: fit(*(some[:-1] for some in points)), sign=-1):
    """A prediction; what comes out is made of the distance, what was measured, floor and loss."""

    def my_held_out(counts, losses, floor, fit):
        a, alpha = fitted(lambda c, y: fit(c, y, floor), counts, losses)
        distance = a * counts[-1] ** (sign * alpha)
        return result(distance, losses[-1] - floor, floor, losses[-1])

    return my_held_out


def predicted(distance, measured, floor, loss):
    return floor + distance, distance / measured - 1


def with_error(error):
    """The right loss, and another error."""
    return held(lambda d, m, floor, loss: (floor + d, error(d, m, floor, loss)))


def emptied(counts, losses, floor, fit):
    last, loss = counts.pop(), losses.pop()
    a, alpha = fit(counts, losses, floor)
    return torch.tensor(predicted(a * math.exp(-alpha * math.log(last)), loss - floor, floor, loss))


ATTEMPTS = {
    check.my_floor: Attempts(
        mistakes={
            "Not 0.25": [lambda p, n: 0.25],
            "It should return one number": [lambda p, n: "little"],
            "It returns nothing": [lambda p, n: None],
            "not tried yet": [lambda p, n: ...],
        },
    ),
    check.my_prefix_mask: Attempts(
        mistakes={
            "The shape is (1, 7, 7)": [lambda p, n: torch.ones(1, n, n) > 0],
            "It returns nothing": [lambda p, n: None],
            "not tried yet": [lambda p, n: ...],
        },
    ),
    how_much.law_by_hand: Attempts(
        right=[
            torch.tensor([[0.5, 0.2, 2.18, 256_000]]),
            (1 / 2, 0.8 / 4, 1.98 + 0.2, 1000 * (0.8 / 0.05) ** 2),
        ],
        mistakes={
            "alpha: That is the other way round": [[2, 0.1, 2.18, 256_000]],
            "loss: not yet": [[0.5, 0.2, 2.5, 256_000]],
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
        right=[held(predicted), emptied],
        slips={
            "that is no prediction": [held(predicted, lambda fit, *points: fit(*points))],
            "The error is right. The first number": [held(lambda d, m, *rest: (d, d / m - 1))],
            "compared with a loss": [held(lambda d, m, floor, loss: (d, d / loss - 1))],
            "because of the floor": [with_error(lambda d, m, floor, loss: (floor + d) / loss - 1)],
            "Which share": [with_error(lambda d, m, *rest: d - m)],
            "The sign: above 0": [with_error(lambda d, m, *rest: abs(d / m - 1))],
            "You divide by the prediction": [
                with_error(lambda d, m, *rest: m / d - 1),
                with_error(lambda d, m, *rest: 1 - m / d),
            ],
            "Take 1 off": [with_error(lambda d, m, *rest: d / m)],
            "Give the share": [with_error(lambda d, m, *rest: 100 * (d / m - 1))],
            "*falls* with the count": [held(predicted, sign=1)],
            "not the losses": [with_error(lambda d, m, floor, loss: (d - m) / (floor + d))],
        },
        mistakes={
            "Nothing was fitted": [held(predicted, lambda fit, *points: (1, 0.5))],
            "it should be": [held(predicted, lambda fit, *points: fit(*(p[1:] for p in points)))],
            "The fit got 2 points of 4": [
                held(predicted, lambda fit, *points: fit(*(some[:-2] for some in points)))
            ],
            "Return two numbers": [held(lambda d, *rest: d)],
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
