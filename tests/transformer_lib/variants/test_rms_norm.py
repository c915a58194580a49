"""RMSNorm, by hand and against PyTorch."""

import math

import torch
from torch import nn

from tests.transformer_lib.torch_twins import randomize
from transformer_lib.variants import RMSNorm

close = torch.testing.assert_close


def test_rms_norm_by_hand():
    # the mean square of 3 and 4 is 12.5
    norm = RMSNorm(2, eps=0.0)
    close(norm(torch.tensor([3.0, 4.0])), torch.tensor([3.0, 4.0]) / math.sqrt(12.5))


def test_rms_norm_equals_pytorchs():
    ours = randomize(RMSNorm(7, eps=0.1))
    theirs = nn.RMSNorm(7, eps=0.1).double()
    theirs.weight = ours.scale
    x = torch.randn(2, 3, 7, dtype=torch.float64)
    close(ours(x), theirs(x))
