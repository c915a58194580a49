"""What else is tried with the checks of notebook 05."""

import numpy as np
import torch

from course.chapters.ch05_multi_head_attention import checks as check
from tests.course.checks.attempts import Attempts

W_O = torch.arange(512.0 * 512).view(512, 512).cos()


ATTEMPTS = {
    check.planted_fault: Attempts(
        right=[(5, "W_V", 2), (5, "w_v", 2)],
        slips={"exchanged": [(2, "W_V", 5)], "Not that of head 3": [(5, "W_V", 3)]},
        mistakes={
            "What else does a head compute": [(5, "W_Q", 2), (5, "W_K", 2)],
            "Head 4 is sound": [(4, "W_V", 2)],
            '"W_Q", "W_K" or "W_V"': [(5, "W_O", 2)],
            "from 0 to 7": [(8, "W_V", 2), ("five", "W_V", 2)],
        },
    ),
    check.mended: Attempts(
        right=[
            (torch.cat([W_O[64 * i : 64 * i + 64] for i in check.ORDER]), W_O),
        ],
        slips={hint: [(way(W_O), W_O)] for hint, way in check.MENDED.items()},
        mistakes={
            "The shape is (64, 512)": [(W_O[:64], W_O)],
            "a tensor, not a list": [(check.ORDER, W_O)],
        },
    ),
    check.split_heads: Attempts(
        right=[lambda x, h: np.stack(np.split(x.numpy(), h, axis=-1), axis=1)],
        mistakes={
            "(2, 5, 21), but it should be (2, 3, 5, 7)": [lambda x, h: x],
            "a tensor, not a list": [lambda x, h: x.tolist()],
            "returns nothing": [lambda x, h: None],
            "Called with (2, 5, 21), 3, it stops with RuntimeError": [
                lambda x, h: x.unflatten(-1, (4, -1))
            ],
        },
    ),
}
