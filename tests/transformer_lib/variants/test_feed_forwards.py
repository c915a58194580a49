"""GELU, SwiGLU and a mixture of experts, by hand and against PyTorch."""

import pytest
import torch
import torch.nn.functional as F

from tests.transformer_lib.torch_twins import randomize
from tests.transformer_lib.variants.changed_models import changed
from transformer_lib.model.layers import PositionwiseFeedForward
from transformer_lib.model.transformer import count_parameters
from transformer_lib.text.batching import make_batch
from transformer_lib.training.step import batch_loss
from transformer_lib.variants import (
    GELUFeedForward,
    MixtureOfExperts,
    SwiGLU,
    balanced_loss,
    load_balancing_loss,
)

close = torch.testing.assert_close


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_feed_forward_equals_pytorchs(approximate):
    ours = randomize(GELUFeedForward(5, 7, approximate))
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    inner = F.gelu(x @ ours.w_1.weight.T + ours.w_1.bias, approximate=approximate)
    close(ours(x), inner @ ours.w_2.weight.T + ours.w_2.bias)


def test_gelu_is_z_times_the_share_of_normal_numbers_below_z():
    z = torch.linspace(-3, 3, 13, dtype=torch.float64)
    share = torch.distributions.Normal(0.0, 1.0).cdf(z)
    close(GELUFeedForward(1, 1).gelu(z), z * share)


@pytest.mark.parametrize(("d_model", "d_ff"), [(128, 512), (24, 31), (10, 7)])
def test_swiglu_is_as_large_as_the_network_it_replaces(d_model, d_ff):
    old = PositionwiseFeedForward(d_model, d_ff)
    new = SwiGLU.as_large_as(old)
    assert abs(count_parameters(new) - count_parameters(old)) <= 1.5 * d_model


def test_one_expert_alone_is_that_network():
    # all experts alike: however the shares fall, they sum to 1
    expert = randomize(SwiGLU(5, 7))
    experts = [SwiGLU(5, 7).double() for _ in range(3)]
    for one in experts:
        one.load_state_dict(expert.state_dict())
    x = torch.randn(2, 11, 5, dtype=torch.float64)
    close(MixtureOfExperts(5, experts).double()(x), expert(x))


def test_each_word_gets_its_two_likeliest_experts():
    ours = randomize(MixtureOfExperts(5, [SwiGLU(5, 7) for _ in range(3)]))
    x = torch.randn(2, 11, 5, dtype=torch.float64)
    p = ours.w_router(x).softmax(dim=-1)
    for word in range(11):
        (first, one), (second, other) = sorted(
            ((p[1, word, e], e) for e in range(3)), reverse=True
        )[:2]
        both = first * ours.experts[one](x[1, word]) + second * ours.experts[other](x[1, word])
        close(ours(x)[1, word], both / (first + second))


def test_a_single_expert_is_refused():
    for top in (1, 4):
        with pytest.raises(ValueError, match=f"top_k={top} must lie between 2 and the 3 experts"):
            MixtureOfExperts(5, [SwiGLU(5, 7) for _ in range(3)], top_k=top)


def test_load_balance_by_hand():
    # even: 2 experts of 4 for each word, all alike -> top; uneven: all go to the first two
    even = torch.tensor([[9.0, 9, 0, 0], [0, 0, 9, 9]])
    assert load_balancing_loss(even, top_k=2).item() == pytest.approx(2)
    uneven = torch.tensor([[30.0, 30, 0, 0]]).expand(5, 4)
    # 4 * (1 * 1/2 + 1 * 1/2)
    assert load_balancing_loss(uneven, top_k=2).item() == pytest.approx(4)


def test_the_balance_enters_the_loss_and_reaches_the_router():
    model = changed("mixture")
    batch = make_batch([([5, 6], [7, 8, 9]), ([5], [6])])
    plain = batch_loss(model, batch, 0.1)
    extra = balanced_loss(model, batch, 0.1, weight=0.5) - plain
    assert 6 * 0.5 * 4 * 2 <= extra.item() < 6 * 0.5 * 4 * 3  # 6 words, 4 mixtures, 2 to 3 each
    routers = [p for name, p in model.named_parameters() if "w_router" in name]
    assert all(grad.any() for grad in torch.autograd.grad(extra, routers))
    assert not model.encoder.layers[0].feed_forward.w_router._forward_hooks


def test_the_balance_is_a_hundredth_and_in_single_precision_unless_told():
    model = changed("mixture").eval()
    batch = make_batch([([5, 6], [7, 8, 9]), ([5], [6])])
    plain, told = batch_loss(model, batch, 0.1), balanced_loss(model, batch, 0.1, weight=0.5)
    close(50 * (balanced_loss(model, batch, 0.1) - plain), told - plain, atol=1e-4, rtol=0)
