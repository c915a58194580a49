"""Masks drawn: ones where a word may be seen, the shift, the stored curves, measured influence."""

import numpy as np
import torch
from matplotlib.patches import FancyBboxPatch, Rectangle

from course.chapters.ch06_masks.experiments import measured_influence
from course.chapters.ch06_masks.figures import _staircase, _three_masks
from transformer_lib import causal_mask


def test_both_is_where_both_are():
    masks = _three_masks(torch.tensor([1, 7, 0]))
    assert masks["both"].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert torch.equal(masks["both"], masks["padding mask"] & masks["causal mask"])


def test_the_staircase_opens_one_word_more_in_each_row():
    ax = _staircase(["<bos>", "a", "b"], ["a", "b", "<eos>"]).axes[0]
    bands = [patch.get_width() for patch in ax.patches if isinstance(patch, Rectangle)]
    np.testing.assert_allclose(bands, np.array([2, 1, 0]) * bands[1])  # what the mask hides
    tiles = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(tiles) == 1 + 2 + 3 + 3, "what it may see, and what it predicts"
    words = [text.get_text() for text in ax.texts[4:-1] if text.get_text()]
    assert words == ["<bos>", "a", "<bos>", "a", "b", "<bos>", "a", "b", "<eos>"]


def test_influence_is_measured():
    sound, leaking = measured_influence().values()
    assert torch.equal(sound, causal_mask(5)[0, 0])
    assert leaking.all()
