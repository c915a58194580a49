"""The encoder against torch.nn's, with copied weights."""

import pytest
import torch
from torch import nn

from tests.transformer_lib.torch_twins import encoder_layer_twin, encoder_twin, randomize
from transformer_lib.model.encoder import Encoder, EncoderLayer
from transformer_lib.model.masks import padding_mask

close = torch.testing.assert_close
BOTH_NORMS = pytest.mark.parametrize("norm_first", [False, True])

D_MODEL, D_FF, H = 15, 11, 3
SRC = torch.tensor([[5, 6, 7, 8, 9, 5, 2], [5, 6, 7, 2, 0, 0, 0]])
REAL = SRC != 0


def x_():
    return torch.randn(2, 7, D_MODEL, dtype=torch.float64, requires_grad=True)


@BOTH_NORMS
@pytest.mark.parametrize("masked", [False, True])
def test_a_layer_equals_pytorchs(norm_first, masked):
    ours = randomize(EncoderLayer(D_MODEL, D_FF, H, 0.0, norm_first))
    theirs = encoder_layer_twin(ours)
    x = x_()
    outputs = [
        ours(x, src_mask=padding_mask(SRC) if masked else None),
        theirs(x, src_key_padding_mask=~REAL if masked else None),
    ]
    close(outputs[0], outputs[1])
    close(*(torch.autograd.grad(out[REAL].square().sum(), x)[0] for out in outputs))


@BOTH_NORMS
@pytest.mark.parametrize("masked", [False, True])
def test_the_stack_equals_pytorchs(norm_first, masked):
    ours = randomize(Encoder(3, D_MODEL, D_FF, H, 0.0, norm_first))
    theirs = encoder_twin(ours)
    x = x_()
    outputs = [
        ours(x, src_mask=padding_mask(SRC) if masked else None),
        theirs(x, src_key_padding_mask=~REAL if masked else None),
    ]
    close(outputs[0], outputs[1])
    close(*(torch.autograd.grad(out[REAL].square().sum(), x)[0] for out in outputs))


def test_a_layer_is_the_figure():
    # Figure 1, left: attention, add & norm, feed-forward, add & norm
    layer = randomize(EncoderLayer(D_MODEL, D_FF, H, 0.0))
    norm_1, norm_2 = layer.residual_self_attn.norm, layer.residual_feed_forward.norm
    x = x_()
    y = norm_1(x + layer.self_attn(x, x, x))
    close(layer(x), norm_2(y + layer.feed_forward(y)))


@BOTH_NORMS
def test_only_pre_norm_ends_with_a_norm(norm_first):
    encoder = Encoder(2, D_MODEL, D_FF, H, 0.0, norm_first)
    assert isinstance(encoder.norm, nn.LayerNorm if norm_first else nn.Identity)
    out = encoder(torch.randn(2, 7, D_MODEL))
    close(out.mean(dim=-1), torch.zeros(2, 7))  # a new norm's output has mean 0 either way


def test_where_nothing_is_said_the_norm_comes_last_as_in_the_paper():
    encoder = Encoder(1, D_MODEL, D_FF, H)
    for layer in (*encoder.layers, EncoderLayer(D_MODEL, D_FF, H)):
        assert not layer.residual_self_attn.norm_first
    assert isinstance(encoder.norm, nn.Identity)


@BOTH_NORMS
def test_each_layer_has_weights_of_its_own(norm_first):
    encoder = Encoder(3, D_MODEL, D_FF, H, 0.1, norm_first)
    assert len(encoder.layers) == 3
    first, second, third = (dict(layer.named_parameters()) for layer in encoder.layers)
    for name in first:
        if first[name].dim() == 2:
            assert not torch.equal(first[name], second[name]), f"{name} starts equal"
            assert not torch.equal(first[name], third[name]), f"{name} starts equal"
    addresses = [parameter.data_ptr() for parameter in encoder.parameters()]
    assert len(set(addresses)) == len(addresses)


@BOTH_NORMS
def test_words_see_each_other_but_no_padding(norm_first):
    encoder = Encoder(2, D_MODEL, D_FF, H, 0.0, norm_first).double()
    x = x_()
    out = encoder(x, src_mask=padding_mask(SRC))
    (grad,) = torch.autograd.grad((out[1, 0] * torch.randn(D_MODEL)).sum(), x)
    seen = (grad != 0).any(dim=-1)  # which inputs the first word of sentence 1 depends on
    assert seen.tolist() == [[False] * 7, REAL[1].tolist()]


def test_dropout_stops_in_eval_mode():
    layer = EncoderLayer(D_MODEL, D_FF, H, dropout=0.5)
    x = torch.randn(2, 7, D_MODEL)
    assert not torch.equal(layer(x), layer(x))
    layer.eval()
    assert torch.equal(layer(x), layer(x))
