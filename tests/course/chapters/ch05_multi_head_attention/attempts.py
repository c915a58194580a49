"""What else is tried with the checks of notebook 05."""

import numpy as np
import torch

from course.chapters.ch05_multi_head_attention import checks as check
from tests.course.checks.attempts import Attempts

W_O = torch.arange(512.0 * 512).view(512, 512).cos()
BLOCKS = W_O.unflatten(0, (8, 64))
RIGHT_THREE = tuple(part.right for part in check.three_shapes.parts)


def other(right: tuple, place: int, wrong: object) -> tuple:
    return (*right[:place], wrong, *right[place + 1 :])


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
            (BLOCKS[check.ORDER].flatten(0, 1), W_O),
            (torch.cat([W_O[64 * i : 64 * i + 64] for i in check.ORDER]), W_O),
        ],
        slips={
            "That is the old W_O": [(W_O, W_O)],
            "the way back": [(BLOCKS[torch.tensor(check.ORDER).argsort()].flatten(0, 1), W_O)],
            "columns": [(torch.cat([W_O.chunk(8, dim=1)[i] for i in check.ORDER], dim=1), W_O)],
            "Now join them": [(BLOCKS[check.ORDER], W_O)],
            "every eighth row": [
                (W_O.unflatten(0, (64, 8))[:, check.ORDER].flatten(0, 1), W_O),
            ],
        },
        mistakes={
            "The shape is (64, 512)": [(W_O[:64], W_O)],
            "a tensor, not a list": [(check.ORDER, W_O)],
        },
    ),
    check.where_from: Attempts(mistakes={"64 places": [(3, 1)]}),
    check.three_shapes: Attempts(
        right=[
            ([3, 6, 9, 16], torch.Size((3, 6, 5, 9)), [3, 5, 96]),
            (torch.tensor([3, 6, 9, 16]), (3.0, 6.0, 5.0, 9.0), (3, torch.tensor(5), 96)),
        ],
        mistakes={
            "That is halfway": [((3, 9, 6, 16), (3, 6, 9, 5), (3, 5, 96))],  # two are wrong
            "The keys: not yet": [other(RIGHT_THREE, 0, (1, 2))],
            "The merged heads: not yet": [other(RIGHT_THREE, 2, (3, 5, 9))],
            "as a tuple": [other(RIGHT_THREE, 0, 7)],
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
