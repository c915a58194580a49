"""Rotary positions, ALiBi, T5 and a window: what is near, and in which order."""

import math

import torch

from tests.transformer_lib.torch_twins import randomize
from tests.transformer_lib.variants.changed_models import D_MODEL, H
from transformer_lib.variants import ModernAttention, Rotary, Window

close = torch.testing.assert_close


def test_rotary_by_hand():
    # one pair, base 1: the hand turns by 1 radian a word
    rotary = Rotary(2)
    x = torch.tensor([1.0, 0.0]).expand(1, 1, 3, 2)
    hands = torch.tensor([[math.cos(pos), math.sin(pos)] for pos in range(3)])
    close(rotary.rotate(x)[0, 0], hands)
    close(rotary.rotate(x[:, :, 2:], start=2)[0, 0], hands[2:])


def test_a_window_hides_what_is_far():
    attn = randomize(ModernAttention(D_MODEL, H, biases=[Window(3)]))
    x = torch.randn(1, 9, D_MODEL, dtype=torch.float64)
    moved = x.clone()
    moved[:, 2] += 1
    difference = (attn(x, x, x) - attn(moved, moved, moved)).abs().sum(dim=-1)[0]
    assert (difference > 0).tolist() == [abs(i - 2) < 3 for i in range(9)]
