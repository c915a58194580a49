"""Masks drawn: ones where a word may be seen, and measured influence."""

import torch

from course.chapters.ch06_masks.experiments import measured_influence
from course.chapters.ch06_masks.figures import _three_masks
from transformer_lib import causal_mask


def test_both_is_where_both_are():
    masks = _three_masks(torch.tensor([1, 7, 0]))
    assert masks["both"].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert torch.equal(masks["both"], masks["padding mask"] & masks["causal mask"])


def test_influence_is_measured():
    sound, leaking = measured_influence().values()
    assert torch.equal(sound, causal_mask(5)[0, 0])
    assert leaking.all()
