"""The way around a sub-layer; what the layers compute is compared in test_transformer.py."""

import pytest
import torch
from torch import nn

from transformer_lib.model.layers import SublayerConnection

close = torch.testing.assert_close


@pytest.mark.parametrize("norm_first", [False, True])
def test_dropout_falls_on_the_sublayers_output_only(norm_first):
    around = SublayerConnection(7, dropout=0.6, norm_first=norm_first)
    around.norm = nn.Identity()  # so that the sum can be seen
    x = torch.randn(11, 5, 7)
    added = around(x, torch.ones_like) - x  # 0 where dropped, else 1 / (1 - 0.6)
    dropped = added.abs() < 1e-5
    close(added, torch.where(dropped, 0.0, 2.5))
    assert 0.4 < dropped.float().mean() < 0.8
    close(around.eval()(x, torch.ones_like), x + 1)  # not when it is used
