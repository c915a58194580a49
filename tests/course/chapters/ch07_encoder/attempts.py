"""What else is tried with the checks of notebook 07."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from course.chapters.ch07_encoder import checks as check
from tests.course.checks.attempts import Attempts


def by_name(x, self_attn, feed_forward, norm_1, norm_2):
    x = norm_1(x + self_attn(query=x, key=x, value=x))
    return norm_2(feed_forward(x) + x)


def always_post_norm(x, sublayer, norm, dropout, norm_first):
    return norm(x + dropout(sublayer(x)))


def twice(x, sublayer, norm, dropout, norm_first):
    sublayer(x)
    return always_post_norm(x, sublayer, norm, dropout, norm_first)


def another_dropout(x, sublayer, norm, dropout, norm_first):
    return norm(x + F.dropout(sublayer(x)))


def in_numpy(x, scale, shift, eps):
    x, scale, shift = x.numpy(), scale.numpy(), shift.numpy()
    x -= x.mean(axis=-1, keepdims=True)
    return scale * x / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + shift


def first_and_last(x, sublayer, norm, dropout, norm_first):
    first, last = (norm, lambda y: y) if norm_first else (lambda y: y, norm)
    return last(torch.add(dropout(sublayer(first(x))), x))


ATTEMPTS = {
    check.encoder_layer: Attempts(right=[by_name]),
    check.layer_norm: Attempts(right=[in_numpy]),
    check.around: Attempts(
        right=[*check.post_norm.right, first_and_last],
        slips={f"With norm_first=False: {hint}": ways for hint, ways in check.AROUND.items()}
        | {
            "With norm_first=True: This is the other one": [always_post_norm],
            "With norm_first=False: Right, but the sub-layer runs 2 times": [twice],
        },
        mistakes={
            "drops at random": [another_dropout],
        },
    ),
    check.as_many_as_attention: Attempts(
        mistakes={
            "514 numbers fewer": [1022],
            "numbers more": [4000],
            "Give a width": [0],
            "a whole number, not 0.5": [0.5],
        },
    ),
    check.largest_addition: Attempts(
        right=[(0, "feed_forward")],
        mistakes={
            "0.24 times as long": [(0, "attention")],
            "Another one adds more": [(1, "feed_forward")],
            "The layer is 0 or 1": [(2, "attention")],
            "The part is": [(1, "norm")],
        },
    ),
    check.planted_fault: Attempts(
        right=[(3, "residual")],
        slips={"count from 0": [(4, "residual")]},
        mistakes={hint: [(3, fault)] for fault, hint in check.FAULTS.items() if fault != "residual"}
        | {"Each layer has two residual connections": [(0, "residual")]},
    ),
    check.share: Attempts(
        right=[0.25, -0.25, torch.tensor(0.27)],
        mistakes={
            "5.12e+04 times as large, which is too much": [1],
            "which is too much": [1e200],
            "times as large, which isn't enough": [0.1],
            "the sub-layers add nothing": [0],
            "Give one number": ["a half", math.nan, True, math.sin],
        },
    ),
}
