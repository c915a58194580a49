"""A model laid out for decoding: other places in memory, the same words."""

import types

import pytest
import torch

from tests.transformer_lib.decoding.random_models import as_ids, sources
from transformer_lib.decoding import beam_search, greedy_decode, optimize_for_decoding
from transformer_lib.model.transformer import make_model

close = torch.testing.assert_close


@pytest.mark.parametrize("tie_weights", ["none", "target", "all"])
@pytest.mark.slow
def test_laid_out_for_decoding_a_model_writes_the_same(tie_weights):
    torch.manual_seed(0)
    model = make_model(11, 11, N=2, d_model=22, d_ff=33, h=2, tie_weights=tie_weights).double()
    before, src = {name: x.clone() for name, x in model.state_dict().items()}, sources()
    quick = optimize_for_decoding(model)
    close(quick(src, src), model.eval()(src, src))
    assert greedy_decode(quick, src) == greedy_decode(model, src)
    assert as_ids(beam_search(quick, src)) == as_ids(beam_search(model, src))
    # the first model is as it was
    assert all(torch.equal(x, before[name]) for name, x in model.state_dict().items())
    assert all(x.is_contiguous() and x.requires_grad for x in model.parameters())


def test_laid_out_for_decoding_the_longer_side_of_a_matrix_is_in_one_piece():
    quick = optimize_for_decoding(make_model(11, 50, N=1, d_model=6, d_ff=7, h=2))
    layer = quick.decoder.layers[0]
    strides = {
        (50, 6): quick.generator.proj.weight.stride(),
        (6, 6): layer.cross_attn.w_k.weight.stride(),
        (7, 6): layer.feed_forward.w_1.weight.stride(),
        (6, 7): layer.feed_forward.w_2.weight.stride(),
    }
    assert strides == {(50, 6): (1, 50), (6, 6): (1, 6), (7, 6): (1, 7), (6, 7): (7, 1)}
    # and what was laid out anew can't be trained by mistake
    assert not quick.generator.proj.weight.requires_grad


@pytest.mark.skipif(torch.backends.quantized.engine == "none", reason="no 8-bit arithmetic here")
def test_with_8_bits_every_linear_layer_computes_nearly_the_same():
    torch.manual_seed(0)
    model, src = make_model(11, 11, N=1, d_model=16, d_ff=32, h=2), sources()
    quick = optimize_for_decoding(model, int8=True)
    assert not any(type(part) is torch.nn.Linear for part in quick.modules())
    exact = model.eval()(src, src)
    assert 0 < (quick(src, src) - exact).abs().max() < 0.1 * exact.abs().max()


def test_any_8_bit_arithmetic_will_do_and_where_there_is_none_that_is_said(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "torch.ao.quantization.quantize_dynamic", lambda *_, **__: asked.append(engine)
    )
    model = make_model(11, 11, N=1, d_model=4, d_ff=4, h=1)
    engines = ["fbgemm", "onednn", "qnnpack", "x86"]
    for engine in [*engines, "none"]:
        there = types.SimpleNamespace(engine=engine)
        monkeypatch.setattr(torch.backends, "quantized", there)
        if engine == "none":
            with pytest.raises(ValueError, match="no 8-bit arithmetic"):
                optimize_for_decoding(model, int8=True)
        else:
            optimize_for_decoding(model, int8=True)
    assert asked == engines
