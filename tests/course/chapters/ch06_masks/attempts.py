"""What else is tried with the checks of notebook 06."""

import torch

from course.chapters.ch06_masks import checks as check
from tests.course.checks.attempts import Attempts


def shorter(model, src, tgt_in):
    """In another way: without the later words, is the earlier output another one?"""
    whole = model(src, tgt_in)
    parts = [model(src, tgt_in[:, :n]) for n in range(1, tgt_in.size(1))]
    return not all(torch.allclose(part, whole[:, : part.size(1)], atol=1e-5) for part in parts)


def back(t):
    return torch.arange(t)[:, None] - torch.arange(t)


ATTEMPTS = {
    check.any_causal_mask: Attempts(
        slips={
            "diagonal is missing": [lambda t: (back(t) > 0).float()],
            "of the type torch.int32": [lambda t: (back(t) >= 0)[None, None].int()],
        },
        mistakes={
            "15 places are not": [lambda t: torch.zeros(1, 1, t, t)],
        },
    ),
    check.my_decoder_mask: Attempts(
        mistakes={
            "to be added": [lambda ids: torch.zeros(2, 1, 7, 7).log()],
            "The shape is (2, 1, 7, 1)": [lambda ids: (ids != 0)[:, None, :, None]],
        },
    ),
    check.weights_of_all_heads: Attempts(
        mistakes={
            "a softmax over just these": [lambda s, m: s * 0],
            "of the same shape, not (2, 2, 5)": [lambda s, m: s[:, 0]],
        },
    ),
    check.my_leak_test: Attempts(
        right=[shorter, lambda *inputs: torch.tensor(check.leak_test()(*inputs))],
        slips={"moves an output by 0.00002": [check.leak_test(near=1e-3)]},
        mistakes={
            "always says False": [lambda *inputs: False],
            "a sound model leaks": [
                check.leak_test(places=lambda j: slice(7)),
                lambda *inputs: True,
            ],
            "yes for the sound model": [lambda *inputs: not check.leak_test()(*inputs)],
            "one word ahead": [check.leak_test([6], lambda j: 0)],
            "a leak in one place": [check.leak_test([6])],
            "a model with one layer": [check.leak_test(places=lambda j: j - 1)],
            "True or False, but it returns a Tensor": [lambda model, *ids: model(*ids)],
            "(1, 4), (1, 7), it stops with TypeError": [lambda model: True],
        },
    ),
    check.leaks: Attempts(
        right=[{(i, i + 1) for i in range(5)}, torch.tensor(check.ahead(1)).flip(0)],
        slips={
            "All leaks are there, and more": [[*check.ahead(1), (3, 3), (3, 2)]],
            "it isn't all: 4": [check.ahead(1)[1:]],
        },
        mistakes={
            "There are 6 positions": [[*check.ahead(1), (5, 6)]],
            "A leak is a *later* word": [[(3, 3), (3, 2)]],
            "Some pairs here don't leak": [[(0, 5), (1, 4)]],
            "Give pairs": [[1, 2], "all", 5],
        },
    ),
}
