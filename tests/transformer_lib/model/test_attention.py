"""Attention, as a formula and as a layer.

The sizes are primes, all different: two axes that change places can't go unseen.
"""

import pytest
import torch
import torch.nn.functional as F

from tests.transformer_lib.torch_twins import attention_twin, randomize
from transformer_lib.model.attention import MultiHeadAttention, attention

close = torch.testing.assert_close


def random_qkv():
    """b=2, h=3, q=5, k=11, d_k=7, d_v=13."""
    sizes = [(2, 3, 5, 7), (2, 3, 11, 7), (2, 3, 11, 13)]
    return [torch.randn(size, dtype=torch.float64, requires_grad=True) for size in sizes]


def random_mask():
    mask = torch.rand(2, 1, 5, 11) < 0.5
    mask[..., 3] = True  # each query sees at least one key
    return mask


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
    out = attention(*inputs, mask)
    assert (out[0, :, 2] == 0).all() and out.isfinite().all()
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


def test_equals_pytorchs_multihead_attention():
    layer = randomize(MultiHeadAttention(15, 3))
    inputs = [torch.randn(2, length, 15).double() for length in (7, 11, 11)]
    close(layer(*inputs), attention_twin(layer)(*inputs)[0])
