"""A model laid out for decoding: other places in memory, the same words."""

import types

import pytest
import torch

from tests.transformer_lib.decoding.random_models import sources
from transformer_lib.decoding import greedy_decode, optimize_for_decoding
from transformer_lib.model.transformer import make_model

close = torch.testing.assert_close


@pytest.mark.parametrize("tie_weights", ["none", "all"])
def test_laid_out_for_decoding_a_model_writes_the_same(tie_weights):
    model = make_model(11, 11, N=2, d_model=22, d_ff=33, h=2, tie_weights=tie_weights).double()
    before, src = {name: x.clone() for name, x in model.state_dict().items()}, sources()
    quick = optimize_for_decoding(model)
    close(quick(src, src), model.eval()(src, src))
    assert greedy_decode(quick, src) == greedy_decode(model, src)
    layer = quick.decoder.layers[0].feed_forward  # the longer side of a matrix is in one piece
    assert (layer.w_1.weight.stride(), layer.w_2.weight.stride()) == ((1, 33), (33, 1))
    # the first model is as it was
    assert all(torch.equal(x, before[name]) for name, x in model.state_dict().items())
    assert all(x.is_contiguous() and x.requires_grad for x in model.parameters())


@pytest.mark.skipif(torch.backends.quantized.engine == "none", reason="no 8-bit arithmetic here")
def test_with_8_bits_every_linear_layer_computes_nearly_the_same():
    model, src = make_model(11, 11, N=1, d_model=16, d_ff=32, h=2), sources()
    quick = optimize_for_decoding(model, int8=True)
    assert not any(type(part) is torch.nn.Linear for part in quick.modules())
    exact = model.eval()(src, src)
    assert 0 < (quick(src, src) - exact).abs().max() < 0.1 * exact.abs().max()


def test_where_there_is_no_8_bit_arithmetic_that_is_said(monkeypatch):
    model = make_model(11, 11, N=1, d_model=4, d_ff=4, h=1)
    monkeypatch.setattr(torch.backends, "quantized", types.SimpleNamespace(engine="none"))
    with pytest.raises(ValueError, match="no 8-bit arithmetic"):
        optimize_for_decoding(model, int8=True)
    with pytest.raises(ValueError, match="are for the CPU, but the model is on meta"):
        optimize_for_decoding(model.to("meta"), int8=True)
