"""GELU, SwiGLU and a mixture of experts, by hand and against PyTorch."""

import pytest
import torch
import torch.nn.functional as F

from tests.transformer_lib.torch_twins import randomize
from tests.transformer_lib.variants.changed_models import changed
from transformer_lib import PositionwiseFeedForward, count_parameters, make_batch
from transformer_lib.training.step import batch_loss
from transformer_lib.variants import GELUFeedForward, SwiGLU, balanced_loss

close = torch.testing.assert_close


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_feed_forward_equals_pytorchs(approximate):
    ours = randomize(GELUFeedForward(5, 7, approximate))
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    inner = F.gelu(x @ ours.w_1.weight.T + ours.w_1.bias, approximate=approximate)
    close(ours(x), inner @ ours.w_2.weight.T + ours.w_2.bias)


@pytest.mark.parametrize(("d_model", "d_ff"), [(128, 512), (10, 7)])
def test_swiglu_is_as_large_as_the_network_it_replaces(d_model, d_ff):
    old = PositionwiseFeedForward(d_model, d_ff)
    new = SwiGLU.as_large_as(old)
    assert abs(count_parameters(new) - count_parameters(old)) <= 1.5 * d_model


def test_the_balance_enters_the_loss_and_reaches_the_router():
    model = changed("mixture")
    batch = make_batch([([5, 6], [7, 8, 9]), ([5], [6])])
    plain = batch_loss(model, batch, 0.1)
    extra = balanced_loss(model, batch, 0.1, weight=0.5) - plain
    assert 6 * 0.5 * 4 * 2 <= extra.item() < 6 * 0.5 * 4 * 3  # 6 words, 4 mixtures, 2 to 3 each
    routers = [p for name, p in model.named_parameters() if "w_router" in name]
    assert all(grad.any() for grad in torch.autograd.grad(extra, routers))
    assert not model.encoder.layers[0].feed_forward.w_router._forward_hooks
