"""Rotary positions, ALiBi, T5 and a window: what is near, and in which order."""

import math

import pytest
import torch

from tests.transformer_lib.torch_twins import randomize
from tests.transformer_lib.variants.changed_models import (
    D_K,
    D_MODEL,
    SRC,
    H,
    changed,
    without_positions,
)
from transformer_lib.variants import ModernAttention, Rotary, Window

close = torch.testing.assert_close


def test_rotary_by_hand():
    # one pair, base 1: the hand turns by 1 radian a word
    rotary = Rotary(2)
    x = torch.tensor([1.0, 0.0]).expand(1, 1, 3, 2)
    hands = torch.tensor([[math.cos(pos), math.sin(pos)] for pos in range(3)])
    close(rotary.rotate(x)[0, 0], hands)
    close(rotary.rotate(x[:, :, 2:], start=2)[0, 0], hands[2:])


def test_rotary_turns_as_slowly_as_the_papers_positions():
    # the second of two pairs: 1 radian in 10,000^(2 / 4) words
    turned = Rotary(4).rotate(torch.tensor([0.0, 0, 1, 0]).expand(1, 1, 101, 4))[0, 0, 100]
    close(turned, torch.tensor([0, 0, math.cos(1), math.sin(1)]))


def test_rotary_scores_depend_on_the_distance_only():
    rotary = Rotary(D_K).double()
    q, k = torch.randn(2, 1, 1, 1, D_K, dtype=torch.float64)
    scores = [
        (rotary.rotate(q, start=pos + 5) * rotary.rotate(k, start=pos)).sum().item()
        for pos in (0, 3, 700)  # also beyond the table that it starts with
    ]
    assert scores == pytest.approx([scores[0]] * 3, abs=1e-4)
    assert scores[0] != pytest.approx((q * k).sum().item(), abs=1e-2)


@pytest.mark.parametrize("name", ["rotary", "ALiBi", "T5"])
def test_relative_positions_tell_the_order(name):
    # without the positions at the bottom: two words change places, and more than places changes
    swapped = SRC[:1, [1, 0, 2, 3, 4, 5, 6]]

    def outputs(what):
        model = changed(what)
        without_positions(model)
        return [model.encode(ids)[0].sort(dim=0).values for ids in (SRC[:1], swapped)]

    close(*outputs("paper"))  # blind to the order
    here, there = outputs(name)
    assert (here - there).abs().max() > 0.01


def test_a_window_hides_what_is_far():
    attn = randomize(ModernAttention(D_MODEL, H, biases=[Window(3)]))
    x = torch.randn(1, 9, D_MODEL, dtype=torch.float64)
    moved = x.clone()
    moved[:, 2] += 1
    difference = (attn(x, x, x) - attn(moved, moved, moved)).abs().sum(dim=-1)[0]
    assert (difference > 0).tolist() == [abs(i - 2) < 3 for i in range(9)]
    assert Window(2)(torch.tensor([[0, -1, -2], [1, 0, 3]])).tolist() == [
        [0.0, 0.0, -math.inf],
        [0.0, 0.0, -math.inf],
    ]
