"""Which positions may attend to which: boolean masks, True = may attend.

Both have four axes, (batch, head, query, key), with size 1 where nothing varies, so that they
combine with `&` and broadcast to the shape of the attention scores.
"""

import torch
from torch import Tensor

from transformer_lib.ids import PAD


def padding_mask(ids: Tensor) -> Tensor:
    """(b, s) ids -> (b, 1, 1, s): every query may look at the real tokens, not at the padding."""
    return (ids != PAD)[:, None, None, :]


def causal_mask(length: int, device: torch.device | str | None = None) -> Tensor:
    """(1, 1, t, t): position i may look at positions 0 ... i (section 3.2.3).

    The target is shifted one place to the right, so position i holds the word before the one that
    it must predict: looking at itself is no cheating.
    """
    return torch.ones(1, 1, length, length, dtype=torch.bool, device=device).tril()
