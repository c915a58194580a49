"""What else is tried with the checks of notebook 03."""

import math

import torch

from course.chapters.ch03_positional_encoding import checks as check
from tests.course.checks.attempts import Attempts


def with_logarithms(length, d_model):
    table = torch.zeros(length, d_model)
    divisors = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000.0) / d_model))
    table[:, 0::2] = torch.sin(torch.arange(length)[:, None] * divisors)
    table[:, 1::2] = torch.cos(torch.arange(length)[:, None] * divisors)
    return table


def one_wrong(length, d_model):
    table = with_logarithms(length, d_model)
    table[1, 3] = 0.5
    return table


ATTEMPTS = {
    check.wave_of_pair_384: Attempts(
        right=[6283], mistakes={"For which pos": [512, 0], "a number of positions": ["628 words"]}
    ),
    check.encoding: Attempts(
        right=[lambda *sizes: with_logarithms(*sizes).tolist()],
        mistakes={
            "position 1, column 3: it should be 0.987, and yours is 0.500": [one_wrong],
            "Are rows and columns exchanged": [lambda *sizes: -with_logarithms(*sizes).T],
            "this has (1, 7, 10)": [lambda *sizes: with_logarithms(*sizes)[None]],
            "Numbers are asked for": [lambda length, d_model: "sin"],
            "infinite or undefined": [lambda length, d_model: [math.nan]],
        },
    ),
    check.move_on: Attempts(
        mistakes={
            "From position 5, 3 further on: column 0 should be 0.989": [
                lambda vector, k: 2 * vector
            ],
            "should be (10,), but this has (4,)": [lambda vector, k: vector[:4]],
        },
    ),
    check.base_for_thirty_words: Attempts(
        right=[30, 40.0, 6],
        mistakes={
            "Position 19 is still like position 0": [10_000],
            "the second has hardly left": [100],
            "come round together": [10],
            "equally fast": [1],
            "positive number": [0, -30, 10**400, math.nan, True, "thirty"],
        },
    ),
}
