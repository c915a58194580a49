"""Boolean masks, True = may attend."""

import pytest
import torch

from transformer_lib.model.masks import causal_mask, padding_mask


def test_masks_combine():
    """All but <pad> is seen, <unk> too, and nothing that comes later."""
    mask = padding_mask(torch.tensor([[5, 3, 0], [1, 2, 4]]))
    assert mask.shape == (2, 1, 1, 3) and mask.dtype == causal_mask(3).dtype == torch.bool
    both = (mask & causal_mask(3)).int().tolist()
    assert both == [[[[1, 0, 0], [1, 1, 0], [1, 1, 0]]], [[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]]


@pytest.mark.slow
def test_the_mask_is_made_where_it_is_asked_for():
    assert causal_mask(3, "meta").device.type == "meta"
    assert padding_mask(torch.ones(2, 3, dtype=torch.long, device="meta")).device.type == "meta"
