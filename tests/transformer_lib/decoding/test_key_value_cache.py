"""The keys and values that decoding keeps, and what it computes only once."""

import torch

from tests.transformer_lib.decoding.random_models import MAX, babbler, sources
from transformer_lib.decoding import greedy_decode
from transformer_lib.decoding.state import encode_in_parts
from transformer_lib.interpret.patching import patch_attention

close = torch.testing.assert_close


def test_keys_of_the_memory_are_computed_once():
    model, src, calls = babbler(), sources(), []
    model.decoder.layers[1].cross_attn.w_k.register_forward_hook(lambda *_: calls.append(1))
    greedy_decode(model, src, max_length=MAX)
    assert calls == [1]


def test_a_large_batch_is_encoded_in_parts(monkeypatch):
    monkeypatch.setattr("transformer_lib.decoding.state.AT_ONCE", 20)
    model, src, encoded = babbler(), sources(), []
    assert src.shape == (11, 8)
    whole = model.eval().encode(src)
    encode = model.encode
    monkeypatch.setattr(model, "encode", lambda part: encoded.append(len(part)) or encode(part))
    close(encode_in_parts(model, src), whole)
    assert encoded == [2] * 5 + [1]
    # a sentence longer than that is encoded alone
    assert len(encode_in_parts(model, src.repeat(1, 3).clamp(min=2))) == 11
    assert encoded[6:] == [1] * 11


def test_a_changed_model_gets_a_large_batch_at_once_for_the_change_may_name_rows(monkeypatch):
    monkeypatch.setattr("transformer_lib.decoding.state.AT_ONCE", 20)
    model, src, seen = babbler(), sources(), []

    def edit(weights):
        seen.append(len(weights))
        return weights

    with patch_attention(model, {"encoder.layers.0.self_attn": edit}):
        greedy_decode(model, src, max_length=1)
    assert seen == [11]
