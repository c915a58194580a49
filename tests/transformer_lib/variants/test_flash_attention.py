"""Attention block by block, and in one kernel: the same numbers."""

import pytest
import torch

from course.chapters.ch18_since_2017.experiment_fused import largest_tensor
from transformer_lib.model.attention import attention
from transformer_lib.variants import flash_attention, fused_attention

close = torch.testing.assert_close


def flash_case(k=11):
    q, v = torch.randn(2, 3, 5, 7).double(), torch.randn(2, 3, k, 13).double()
    mask = torch.rand(2, 1, 5, k) < 0.5
    mask[0, 0, 2] = False  # a row that sees nothing
    mask[1, 0, 3, :5] = False  # nothing in its first blocks
    return 3 * q, torch.randn(2, 3, k, 7).double(), v, mask


@pytest.mark.parametrize("block", [1, 2, 4, 11, 64])
@pytest.mark.parametrize("masked", [False, True])
def test_flash_attention_is_attention(block, masked):
    *inputs, mask = flash_case()
    mask = mask if masked else None
    inputs = [x.requires_grad_() for x in inputs]
    ours, plain = flash_attention(*inputs, mask, block=block), attention(*inputs, mask)
    close(ours, plain)
    shake = torch.randn_like(plain)
    close(*(torch.autograd.grad((out * shake).sum(), inputs) for out in (ours, plain)))


@pytest.mark.parametrize("masked", [False, True])
def test_the_fused_kernel_is_attention(masked):
    *inputs, mask = flash_case()
    mask = mask if masked else None
    inputs = [x.requires_grad_() for x in inputs]
    theirs, plain = fused_attention(*inputs, mask), attention(*inputs, mask)
    close(theirs, plain)
    shake = torch.randn_like(plain)
    close(*(torch.autograd.grad((out * shake).sum(), inputs) for out in (theirs, plain)))


def test_flash_attention_needs_no_large_table():
    q = torch.randn(256, 8)
    largest = {
        how: largest_tensor(lambda how=how: how(q, q, q)) for how in (attention, flash_attention)
    }
    assert largest == {attention: 256 * 256, flash_attention: 256 * 64}


def test_flash_attention_of_large_scores_stays_finite():
    q = torch.full((3, 4), 1e4)
    close(flash_attention(q, q, q, block=2), q)


def test_a_block_of_nothing_is_refused():
    with pytest.raises(ValueError, match="block=0"):
        flash_attention(*(torch.randn(2, 3),) * 3, block=0)
