"""Attention block by block, and in one kernel: the same numbers."""

from functools import partial

import pytest
import torch

from transformer_lib.model.attention import attention
from transformer_lib.variants import flash_attention, fused_attention

close = torch.testing.assert_close
BLOCKS = (1, 2, 4, 11, 64)


def flash_case():
    q, v = torch.randn(2, 3, 5, 7).double(), torch.randn(2, 3, 11, 13).double()
    mask = torch.rand(2, 1, 5, 11) < 0.5
    mask[0, 0, 2] = False  # a row that sees nothing
    mask[1, 0, 3, :5] = False  # nothing in its first blocks
    return 3 * q, torch.randn(2, 3, 11, 7).double(), v, mask


@pytest.mark.parametrize(
    "how", [fused_attention, *(partial(flash_attention, block=n) for n in BLOCKS)]
)
@pytest.mark.parametrize("masked", [False, True])
def test_they_are_attention(how, masked):
    *inputs, mask = flash_case()
    mask = mask if masked else None
    inputs = [x.requires_grad_() for x in inputs]
    ours, plain = how(*inputs, mask), attention(*inputs, mask)
    close(ours, plain)
    shake = torch.randn_like(plain)
    close(*(torch.autograd.grad((out * shake).sum(), inputs) for out in (ours, plain)))


def test_flash_attention_of_large_scores_stays_finite():
    q = torch.full((3, 4), 1e4)
    close(flash_attention(q, q, q, block=2), q)
