"""What is encoded together."""

import torch

from tests.transformer_lib.decoding.random_models import babbler, sources
from transformer_lib.decoding import greedy_decode
from transformer_lib.decoding.state import encode_in_parts
from transformer_lib.interpret.patching import patch_attention

close = torch.testing.assert_close


def test_a_large_batch_is_encoded_in_parts(monkeypatch):
    monkeypatch.setattr("transformer_lib.decoding.state.AT_ONCE", 20)
    model, src, encoded = babbler().eval(), sources(), []
    encode, longer = model.encode, src.repeat(1, 3).clamp(min=2)
    monkeypatch.setattr(model, "encode", lambda part: encoded.append(len(part)) or encode(part))
    close(encode_in_parts(model, src), encode(src))
    assert encoded == [2] * 5 + [1]  # of 8 words each
    close(encode_in_parts(model, longer), encode(longer))  # a longer sentence is encoded alone
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
