"""The largest tensor on the way, beside what is counted by hand."""

from functools import partial

import pytest
import torch

from course.chapters.ch18_since_2017.largest_tensor import largest_tensor
from transformer_lib.model.attention import attention
from transformer_lib.variants import flash_attention


def test_the_largest_tensor_is_counted_by_hand():
    a, b = torch.randn(3, 5), torch.randn(5, 7)
    assert largest_tensor(lambda: a @ b) == 21
    assert largest_tensor(lambda: ((a @ b) @ torch.randn(7, 2)).sum()) == 21
    assert largest_tensor(lambda: None) == 0
    assert largest_tensor(lambda: torch.ones(2, 9).max(dim=1)) == 18
    assert largest_tensor(lambda: (a @ b).topk(1, dim=0)) == 21
    assert largest_tensor(lambda: a.topk(4, dim=1)) == 12  # several tensors at once


@pytest.mark.parametrize("length", [128, 512])
def test_the_formula_has_a_table_and_blocks_a_strip_of_it(length):
    q = torch.randn(1, 4, length, 32)
    assert largest_tensor(partial(attention, q, q, q)) == 4 * length * length
    assert largest_tensor(partial(flash_attention, q, q, q)) == 4 * length * 64
