"""Attention with fewer keys, biases and changed queries: by hand and against PyTorch's."""

import math

import torch

from tests.transformer_lib.small_inputs import SRC
from tests.transformer_lib.torch_twins import attention_twin, randomize
from tests.transformer_lib.variants.changed_models import D_MODEL, H
from transformer_lib.model.masks import padding_mask
from transformer_lib.variants import ALiBi, ModernAttention, RelativePositions, Window

close = torch.testing.assert_close


def test_biases_equal_an_added_mask_of_pytorch():
    ours = randomize(ModernAttention(D_MODEL, H, biases=[ALiBi(H), Window(3)]))
    x = torch.randn(3, 7, D_MODEL, dtype=torch.float64)
    bias = torch.full((H, 7, 7), -math.inf, dtype=torch.float64)
    for head, i, j in ((h, i, j) for h in range(H) for i in range(7) for j in range(7)):
        if abs(i - j) < 3:  # slopes for 4 heads: 1/4, 1/16, 1/64, 1/256
            bias[head, i, j] = -abs(i - j) / 4 ** (head + 1)
    theirs, _ = attention_twin(ours)(x, x, x, attn_mask=bias.repeat(3, 1, 1))
    close(ours(x, x, x), theirs)


def test_rows_that_see_nothing_are_zero():
    # a padded query whose window holds padding only
    ours = randomize(ModernAttention(D_MODEL, H, biases=[Window(2)]))
    x = torch.randn(3, 7, D_MODEL, dtype=torch.float64)
    out = ours(x, x, x, mask=padding_mask(SRC))
    assert out.isfinite().all()
    assert (out[1, 5:] == 0).all() and (out[1, :5] != 0).all()


def test_the_fewest_buckets_that_will_do():
    """A word itself, or its neighbor, and whatever is farther."""
    distance = torch.tensor([[-3, -1, 0, 1, 3]])
    assert RelativePositions(H, True, num_buckets=4).bucket(distance).tolist() == [[3, 3, 0, 1, 1]]
    assert RelativePositions(H, False, num_buckets=2).bucket(distance).tolist() == [[0, 0, 0, 1, 1]]
