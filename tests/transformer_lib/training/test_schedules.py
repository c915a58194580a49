"""The learning rate at each step, by hand."""

import math

import pytest

from transformer_lib.training.schedules import (
    cosine_schedule,
    linear_schedule,
    paper_schedule,
    stable_schedule,
)

FALL = [0.2 + 1.8 * (1 + math.cos(math.pi * way)) / 2 for way in (0.25, 0.5, 0.75)]


@pytest.mark.parametrize(
    ("schedule", "how", "rates"),
    [
        # d_model^-0.5 = 1/2; it rises by warmup^-1.5 = 1/8, and falls as step^-0.5
        (paper_schedule, (4, 4), [1 / 16, 1 / 8, 3 / 16, 1 / 4, 0.5 * 5**-0.5, 0.5 * 6**-0.5]),
        (paper_schedule, (512,), [512**-0.5 * step * 4000**-1.5 for step in (1, 2, 3)]),
        (
            linear_schedule,
            (2.0, 4, 10),
            [0.5, 1.0, 1.5, 2.0, *(2 * n / 7 for n in range(6, 0, -1))],
        ),
        (linear_schedule, (2.0, 9, 4), [2 * step / 9 for step in (1, 2, 3, 4)]),
        (cosine_schedule, (2.0, 4, 8), [0.5, 1.0, 1.5, 2.0, *FALL, 0.2, 0.2]),
        (cosine_schedule, (2.0, 2, 2), [1.0, 2.0, 0.2]),
        (stable_schedule, (2.0, 2, 20), [1.0, *[2.0] * 16, 1.5, 1.0, 0.5]),
    ],
)
def test_each_step_by_hand(schedule, how, rates):
    assert [schedule(step, *how) for step in range(1, len(rates) + 1)] == pytest.approx(rates)
