"""Attention three ways, in sizes of a second: what is counted, what is timed, and beside what."""

import pytest
import torch

from course.chapters.ch18_since_2017 import experiment_fused as fused
from course.chapters.ch18_since_2017.experiment_fused import largest_tensor, peak_bytes
from transformer_lib.model.attention import attention
from transformer_lib.model.masks import causal_mask


def test_the_largest_tensor_is_counted_by_hand():
    a, b = torch.randn(3, 5), torch.randn(5, 7)
    assert largest_tensor(lambda: a @ b) == 21
    assert largest_tensor(lambda: ((a @ b) @ torch.randn(7, 2)).sum()) == 21
    assert largest_tensor(lambda: None) == 0
    assert largest_tensor(lambda: torch.ones(2, 9).max(dim=1)) == 18
    assert largest_tensor(lambda: (a @ b).topk(1, dim=0)) == 21
    assert largest_tensor(lambda: a.topk(4, dim=1)) == 12  # several tensors at once


def test_bytes_are_counted_while_they_are_held():
    def one_after_the_other():
        for _ in range(3):
            torch.zeros(1000)  # 4000 bytes, given back before the next comes

    def together():
        return [torch.zeros(1000) for _ in range(3)]

    assert 4000 <= peak_bytes(one_after_the_other) < 4100
    assert 12_000 <= peak_bytes(together) < 12_300


def test_the_formula_holds_two_tables():
    # scores before and after the division by the root; 4 heads, 64 words, 4 bytes
    q = torch.randn(1, 4, 64, 32)
    assert peak_bytes(lambda: attention(q, q, q)) == pytest.approx(2 * 4 * 64 * 64 * 4, rel=0.01)


@pytest.mark.parametrize("mask", [None, causal_mask(16)], ids=["none", "causal"])
def test_all_ways_compute_the_same(mask):
    inputs = fused.sentences(16)
    formula, *others = (way(*inputs, mask) for way in fused.WAYS.values())
    for other in others:
        torch.testing.assert_close(other, formula)
