"""Boolean masks, True = may attend."""

import pytest
import torch

from transformer_lib.model.masks import causal_mask, padding_mask


def test_padding_mask_hides_the_padding():
    mask = padding_mask(torch.tensor([[5, 6, 7], [5, 0, 0]]))
    assert mask.shape == (2, 1, 1, 3) and mask.dtype == torch.bool
    assert mask[:, 0, 0].tolist() == [[True, True, True], [True, False, False]]


def test_special_tokens_other_than_padding_are_seen():
    mask = padding_mask(torch.tensor([[0, 1, 2, 3]]))
    assert mask.flatten().tolist() == [False, True, True, True]


def test_causal_mask_is_a_staircase():
    mask = causal_mask(3)
    assert mask.shape == (1, 1, 3, 3) and mask.dtype == torch.bool
    assert mask[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_causal_mask_entry_by_entry():
    mask = causal_mask(11)[0, 0]
    assert all(bool(mask[i, j]) == (j <= i) for i in range(11) for j in range(11))


def test_masks_combine():
    ids = torch.tensor([[5, 6, 0]])
    both = padding_mask(ids) & causal_mask(3)
    assert both.shape == (1, 1, 3, 3)
    assert both[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]


def test_masks_stretch_to_the_scores():
    ids = torch.tensor([[5, 6, 7, 0, 0], [5, 6, 7, 8, 9]])
    scores = torch.zeros(2, 3, 7, 5)
    hidden = scores.masked_fill(~padding_mask(ids), 1.0)
    assert hidden.sum() == 2 * 3 * 7  # two hidden keys for 3 heads and 7 queries of one sentence


@pytest.mark.slow
def test_the_mask_is_made_where_it_is_asked_for():
    assert causal_mask(3, "meta").device.type == "meta"
    assert padding_mask(torch.ones(2, 3, dtype=torch.long, device="meta")).device.type == "meta"
