"""The feed-forward network, and the way around a sub-layer."""

import pytest
import torch
from torch import nn

from tests.transformer_lib.torch_twins import randomize
from transformer_lib.model.layers import PositionwiseFeedForward, SublayerConnection, final_norm

close = torch.testing.assert_close


def layer_norm(x, weight, bias, eps=1e-5):
    """Subtract the mean, divide by the standard deviation (eps inside the root), scale, shift."""
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)  # of all the numbers: divide by n
    return (x - mean) / (variance + eps).sqrt() * weight + bias


# ---------------------------------------------------------------- feed-forward


def test_feed_forward_by_hand():
    # one number in, two hidden units x and -x, their sum out: the absolute value of x
    ffn = PositionwiseFeedForward(d_model=1, d_ff=2)
    with torch.no_grad():
        ffn.w_1.weight.copy_(torch.tensor([[1.0], [-1.0]]))
        ffn.w_2.weight.fill_(1.0)
        ffn.w_1.bias.zero_()
        ffn.w_2.bias.fill_(10.0)
    assert ffn(torch.tensor([[3.0], [-2.0], [0.0]])).tolist() == [[13.0], [12.0], [10.0]]


def test_feed_forward_formula():
    # max(0, x W_1 + b_1) W_2 + b_2; nn.Linear keeps its matrix transposed
    ffn = randomize(PositionwiseFeedForward(d_model=7, d_ff=11))
    x = torch.randn(2, 5, 7).double()
    hidden = (x @ ffn.w_1.weight.T + ffn.w_1.bias).clamp(min=0)
    assert hidden.shape == (2, 5, 11) and (hidden == 0).any()
    close(ffn(x), hidden @ ffn.w_2.weight.T + ffn.w_2.bias)


def test_feed_forward_never_mixes_positions():
    ffn = PositionwiseFeedForward(d_model=7, d_ff=11)
    x = torch.randn(2, 5, 7)
    changed = x.clone()
    changed[1, 2] += 1
    same = (ffn(x) == ffn(changed)).all(dim=-1)
    assert same.tolist() == [[True] * 5, [True, True, False, True, True]]


def test_feed_forward_is_one_network_for_all_positions():
    ffn = PositionwiseFeedForward(d_model=7, d_ff=11).double()
    x = torch.randn(2, 5, 7).double()
    one_by_one = [[ffn(x[i, j]) for j in range(5)] for i in range(2)]
    close(ffn(x), torch.stack([torch.stack(row) for row in one_by_one]))


# ---------------------------------------------------------------- around a sub-layer


def test_layer_norm_is_the_formula():
    around = randomize(SublayerConnection(7, dropout=0.0))
    x = torch.randn(2, 5, 7).double() * 3 + 1
    close(around.norm(x), layer_norm(x, around.norm.weight, around.norm.bias))


def test_a_new_norm_gives_mean_0_and_deviation_1():
    out = SublayerConnection(64, dropout=0.0)(torch.randn(2, 5, 64) * 3 + 1, lambda x: 0 * x)
    close(out.mean(dim=-1), torch.zeros(2, 5))
    close(out.std(dim=-1, correction=0), torch.ones(2, 5), atol=1e-4, rtol=0)


def test_post_norm_formula():
    around = randomize(SublayerConnection(7, dropout=0.0, norm_first=False))
    x = torch.randn(2, 5, 7).double()
    close(around(x, torch.sin), layer_norm(x + x.sin(), around.norm.weight, around.norm.bias))


def test_pre_norm_formula():
    around = randomize(SublayerConnection(7, dropout=0.0, norm_first=True))
    x = torch.randn(2, 5, 7).double()
    close(around(x, torch.sin), x + layer_norm(x, around.norm.weight, around.norm.bias).sin())


def test_post_norm_is_the_default():
    assert SublayerConnection(7, dropout=0.0).norm_first is False


def test_pre_norm_leaves_a_free_way_through():
    # a sub-layer that says nothing changes nothing: x itself comes out, and gradients come back
    around = SublayerConnection(7, dropout=0.0, norm_first=True)
    x = torch.randn(2, 5, 7, requires_grad=True)
    out = around(x, lambda x: 0 * x)
    assert torch.equal(out, x)
    assert torch.equal(torch.autograd.grad(out.sum(), x)[0], torch.ones(2, 5, 7))


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


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_sublayer_runs_once(norm_first):
    calls = []
    around = SublayerConnection(7, dropout=0.0, norm_first=norm_first)
    x = torch.randn(2, 5, 7)
    around(x, lambda x: calls.append(x) or x)
    assert len(calls) == 1
    assert torch.equal(calls[0], around.norm(x) if norm_first else x)


def test_only_pre_norm_needs_a_norm_at_the_end():
    assert isinstance(final_norm(7, norm_first=False), nn.Identity)
    assert isinstance(final_norm(7, norm_first=True), nn.LayerNorm)
    assert final_norm(7, norm_first=True).normalized_shape == (7,)
