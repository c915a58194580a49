"""A small model and pairs to copy, for tests of training."""

import random

import torch

from transformer_lib.model.transformer import make_model

VOCAB = 13


def copy_pairs(count, seed=0):
    rng = random.Random(seed)
    sentences = [
        [rng.randrange(4, VOCAB) for _ in range(rng.randrange(1, 6))] for _ in range(count)
    ]
    return [(ids, ids) for ids in sentences]


def small_model(dropout=0.1, seed=0):
    torch.manual_seed(seed)
    return make_model(VOCAB, VOCAB, N=1, d_model=16, d_ff=32, h=2, dropout=dropout)


def same_weights(one, another):
    return all(
        torch.equal(a, b) for a, b in zip(one.parameters(), another.parameters(), strict=True)
    )


class Stop(Exception):
    pass
