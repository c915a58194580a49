"""What else is tried with the checks of notebook 17."""

import torch

from course.chapters.ch17_gpt import checks as check
from tests.course.checks.attempts import Attempts

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
}
