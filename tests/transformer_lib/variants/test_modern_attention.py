"""Attention with fewer keys, biases and changed queries: by hand and against PyTorch's."""

import math

import torch
import torch.nn.functional as F

from tests.transformer_lib.small_inputs import SRC
from tests.transformer_lib.torch_twins import randomize
from tests.transformer_lib.variants.changed_models import D_K, D_MODEL, H
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.variants import ALiBi, ModernAttention, RelativePositions, Window

close = torch.testing.assert_close


def test_the_unchanged_modern_attention_is_the_papers():
    ours, paper = randomize(ModernAttention(D_MODEL, H)), MultiHeadAttention(D_MODEL, H).double()
    paper.load_state_dict(ours.state_dict())
    x = torch.randn(3, 7, D_MODEL, dtype=torch.float64)
    mask = padding_mask(SRC) & causal_mask(7)
    close(ours(x, x, x, mask=mask), paper(x, x, x, mask=mask))
    close(ours(x[:, :5], x, x), paper(x[:, :5], x, x))


def test_biases_equal_an_added_mask_of_pytorch():
    ours = randomize(ModernAttention(D_MODEL, H, biases=[ALiBi(H), Window(3)]))
    x = torch.randn(3, 7, D_MODEL, dtype=torch.float64)
    q, k, v = (w(x).view(3, 7, H, D_K).transpose(1, 2) for w in (ours.w_q, ours.w_k, ours.w_v))
    bias = torch.full((H, 7, 7), -math.inf, dtype=torch.float64)
    for head, i, j in ((h, i, j) for h in range(H) for i in range(7) for j in range(7)):
        if i - 3 < j <= i:  # slopes for 4 heads: 1/4, 1/16, 1/64, 1/256
            bias[head, i, j] = -(i - j) / 4 ** (head + 1)
    theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    theirs = theirs.transpose(1, 2).reshape(3, 7, D_MODEL) @ ours.w_o.weight.T
    close(ours(x, x, x, mask=causal_mask(7)), theirs)


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
