"""What the exercises of notebook 18 take for right is what the library computes."""

import torch

from course.chapters.ch18_since_2017 import checks as check
from transformer_lib.variants import RMSNorm, flash_attention


def test_what_is_right_is_the_librarys():
    x, scale, eps = check.rms_inputs()
    norm = RMSNorm(3, eps=eps)
    norm.scale.data = scale
    torch.testing.assert_close(norm(x), check.right_rms(x, scale, eps))


def test_blocks_of_a_right_answer_are_flash_attention():
    q, k, v = torch.randn(5, 4), torch.randn(6, 4), torch.randn(6, 3)
    kept = torch.full((5, 1), -torch.inf), torch.zeros(5, 1), torch.zeros(5, 3)
    for start in (0, 2, 4):
        some = slice(start, start + 2)
        kept = check.step(*kept, q @ k[some].T / 2, v[some])
    torch.testing.assert_close(kept[2] / kept[1], flash_attention(q, k, v, block=2))
