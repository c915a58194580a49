"""Attention, as a formula and as a layer.

The sizes are primes, all different: two axes that change places can't go unseen.
"""

import math

import pytest
import torch
import torch.nn.functional as F

from tests.transformer_lib.torch_twins import attention_twin, randomize
from transformer_lib.model.attention import MultiHeadAttention, attention, attention_weights

close = torch.testing.assert_close


def random_qkv(b=2, h=3, q=5, k=11, d_k=7, d_v=13):
    sizes = [(b, h, q, d_k), (b, h, k, d_k), (b, h, k, d_v)]
    return [torch.randn(*size, dtype=torch.float64, requires_grad=True) for size in sizes]


def random_mask(b=2, q=5, k=11):
    mask = torch.rand(b, 1, q, k) < 0.5
    mask[..., 3] = True  # each query sees at least one key
    return mask


def test_weights_by_hand():
    # scores [0, sqrt 2] / sqrt 2 = [0, 1]; softmax [1, e] / (1 + e)
    query = torch.tensor([[0.0, math.sqrt(2)]])
    key = torch.eye(2)
    close(attention_weights(query, key), torch.tensor([[1.0, math.e]]) / (1 + math.e))
    # the same weights, and the values 0 and 1 + e: 1/(1+e) * 0 + e/(1+e) * (1+e) = e
    close(attention(query, key, torch.tensor([[0.0], [1 + math.e]])), torch.tensor([[math.e]]))


def test_hidden_keys_get_nothing_and_the_others_share():
    mask = torch.tensor([True, False, True, True, False])
    weights = attention_weights(torch.zeros(2, 3), torch.randn(5, 3), mask)
    close(weights, torch.tensor([[1.0, 0.0, 1.0, 1.0, 0.0]] * 2) / 3)


@pytest.mark.parametrize("masked", [False, True])
def test_equals_pytorchs_attention(masked):
    inputs = random_qkv()
    mask = random_mask() if masked else None
    ours = attention(*inputs, mask)
    theirs = F.scaled_dot_product_attention(*inputs, attn_mask=mask)
    assert ours.shape == (2, 3, 5, 13)
    close(ours, theirs)
    shake = torch.randn_like(ours)
    close(*(torch.autograd.grad((out * shake).sum(), inputs) for out in (ours, theirs)))


def test_a_row_that_sees_nothing_is_zero_and_its_gradients_are_finite():
    inputs = random_qkv()
    mask = random_mask()
    mask[0, 0, 2] = False
    weights = attention_weights(*inputs[:2], mask)
    out = attention(*inputs, mask)
    assert (weights[0, :, 2] == 0).all() and (out[0, :, 2] == 0).all()
    assert weights.isfinite().all() and out.isfinite().all()
    with torch.autograd.set_detect_anomaly(True):  # an error at the first NaN on the way back
        grads = torch.autograd.grad(out.square().sum(), inputs)
    assert all(grad.isfinite().all() for grad in grads)
    assert (grads[0][0, :, 2] == 0).all()  # what saw nothing learns nothing
    assert (grads[0][0, :, 1] != 0).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_masks_work_in_every_precision(dtype):
    query, key, value = (x.detach().to(dtype) for x in random_qkv())
    mask = random_mask()
    mask[1] = False
    out = attention(query, key, value, mask)
    assert out.dtype == dtype and out.isfinite().all() and (out[1] == 0).all()


@pytest.mark.parametrize("masked", [False, True])
def test_equals_pytorchs_multihead_attention(masked):
    layer = randomize(MultiHeadAttention(15, 3))
    query, key = torch.randn(2, 7, 15).double(), torch.randn(2, 11, 15).double()
    value = torch.randn(2, 11, 15).double()
    mask = random_mask(q=7) if masked else None
    theirs, weights = attention_twin(layer)(
        query,
        key,
        value,
        average_attn_weights=False,
        attn_mask=~mask.expand(2, 3, 7, 11).flatten(0, 1) if masked else None,
    )
    close(layer(query, key, value, mask=mask), theirs)
    q, k = layer.split_heads(layer.w_q(query)), layer.split_heads(layer.w_k(key))
    close(attention_weights(q, k, mask), weights)
