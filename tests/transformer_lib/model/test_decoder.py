"""The decoder against torch.nn's, with copied weights."""

import pytest
import torch
from torch import nn

from tests.transformer_lib.torch_twins import decoder_layer_twin, decoder_twin, randomize
from transformer_lib.model.decoder import Decoder, DecoderLayer
from transformer_lib.model.masks import causal_mask, padding_mask

close = torch.testing.assert_close
BOTH_NORMS = pytest.mark.parametrize("norm_first", [False, True])

D_MODEL, D_FF, H = 15, 13, 3
SRC = torch.tensor([[5, 6, 7, 8, 9, 5, 2], [5, 6, 7, 2, 0, 0, 0]])
TGT_IN = torch.tensor([[1, 5, 6, 0, 0], [1, 5, 6, 7, 8]])
REAL = TGT_IN != 0
OURS = {
    "tgt_mask": padding_mask(TGT_IN) & causal_mask(5),
    "src_mask": padding_mask(SRC),
}
THEIRS = {
    "tgt_mask": ~causal_mask(5)[0, 0],
    "tgt_key_padding_mask": TGT_IN == 0,
    "memory_key_padding_mask": SRC == 0,
}


def x_and_memory():
    return [
        torch.randn(2, length, D_MODEL, dtype=torch.float64, requires_grad=True)
        for length in (5, 7)
    ]


@BOTH_NORMS
@pytest.mark.parametrize("masked", [False, True])
def test_a_layer_equals_pytorchs(norm_first, masked):
    ours = randomize(DecoderLayer(D_MODEL, D_FF, H, 0.0, norm_first))
    theirs = decoder_layer_twin(ours)
    x, memory = x_and_memory()
    outputs = [
        ours(x, memory, **(OURS if masked else {})),
        theirs(x, memory, **(THEIRS if masked else {})),
    ]
    close(outputs[0], outputs[1])
    close(*(torch.autograd.grad(out[REAL].square().sum(), [x, memory]) for out in outputs))


@BOTH_NORMS
@pytest.mark.parametrize("masked", [False, True])
def test_the_stack_equals_pytorchs(norm_first, masked):
    ours = randomize(Decoder(3, D_MODEL, D_FF, H, 0.0, norm_first))
    theirs = decoder_twin(ours)
    x, memory = x_and_memory()
    outputs = [
        ours(x, memory, **(OURS if masked else {})),
        theirs(x, memory, **(THEIRS if masked else {})),
    ]
    close(outputs[0], outputs[1])
    close(*(torch.autograd.grad(out[REAL].square().sum(), [x, memory]) for out in outputs))


def test_a_layer_is_the_figure():
    # Figure 1, right: queries of the second attention from below, keys and values from the memory
    layer = randomize(DecoderLayer(D_MODEL, D_FF, H, 0.0))
    norm_1, norm_2 = layer.residual_self_attn.norm, layer.residual_cross_attn.norm
    norm_3 = layer.residual_feed_forward.norm
    x, memory = x_and_memory()
    mask = causal_mask(5)
    y = norm_1(x + layer.self_attn(x, x, x, mask=mask))
    z = norm_2(y + layer.cross_attn(y, memory, memory))
    close(layer(x, memory, tgt_mask=mask), norm_3(z + layer.feed_forward(z)))


@BOTH_NORMS
def test_only_pre_norm_ends_with_a_norm(norm_first):
    decoder = Decoder(2, D_MODEL, D_FF, H, 0.0, norm_first)
    assert isinstance(decoder.norm, nn.LayerNorm if norm_first else nn.Identity)


def test_where_nothing_is_said_the_norm_comes_last_as_in_the_paper():
    decoder = Decoder(1, D_MODEL, D_FF, H)
    for layer in (*decoder.layers, DecoderLayer(D_MODEL, D_FF, H)):
        assert not layer.residual_cross_attn.norm_first
    assert isinstance(decoder.norm, nn.Identity)


@BOTH_NORMS
def test_each_layer_has_weights_of_its_own(norm_first):
    decoder = Decoder(2, D_MODEL, D_FF, H, 0.1, norm_first)
    first, second = (dict(layer.named_parameters()) for layer in decoder.layers)
    for name in first:
        if first[name].dim() == 2:
            assert not torch.equal(first[name], second[name]), f"{name} starts equal"
    layer = decoder.layers[0]
    assert not torch.equal(layer.self_attn.w_q.weight, layer.cross_attn.w_q.weight)
    addresses = [parameter.data_ptr() for parameter in decoder.parameters()]
    assert len(set(addresses)) == len(addresses)


@BOTH_NORMS
def test_a_word_sees_the_words_before_it_and_the_source_without_padding(norm_first):
    decoder = Decoder(2, D_MODEL, D_FF, H, 0.0, norm_first).double()
    x, memory = x_and_memory()
    out = decoder(x, memory, **OURS)
    grads = torch.autograd.grad((out[1, 2] * torch.randn(D_MODEL)).sum(), [x, memory])
    seen = [(grad != 0).any(dim=-1).tolist() for grad in grads]
    assert seen[0] == [[False] * 5, [True, True, True, False, False]]
    assert seen[1] == [[False] * 7, (SRC[1] != 0).tolist()]


def test_a_source_of_padding_only_does_no_harm():
    layer = DecoderLayer(D_MODEL, D_FF, H, 0.0).double()
    x, memory = x_and_memory()
    out = layer(x, memory, tgt_mask=causal_mask(5), src_mask=padding_mask(torch.zeros_like(SRC)))
    grads = torch.autograd.grad(out.square().sum(), [x, memory])
    assert out.isfinite().all()
    assert grads[0].isfinite().all() and (grads[1] == 0).all()
