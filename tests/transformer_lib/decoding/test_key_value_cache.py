"""The keys and values that decoding keeps, and what it computes only once."""

import pytest
import torch

from tests.transformer_lib.decoding.random_models import MAX, babbler, endless, sources
from transformer_lib.decoding import KeyValueCache, beam_search, greedy_decode
from transformer_lib.decoding.state import encode_in_parts
from transformer_lib.interpret.patching import patch_attention
from transformer_lib.model import masks
from transformer_lib.model.attention import MultiHeadAttention

close = torch.testing.assert_close


def keys_and_values(layer, x):
    return layer.split_heads(layer.w_k(x)), layer.split_heads(layer.w_v(x))


def test_a_cache_keeps_every_key_in_order():
    layer, cache = MultiHeadAttention(15, 3), KeyValueCache(max_length=5)
    x = torch.randn(2, 5, 15)
    with torch.no_grad():
        for i in range(5):
            cache.add(layer, x[:, i : i + 1])
            keys, values = cache.current()
            assert cache.length == i + 1 and keys.shape == values.shape == (2, 3, i + 1, 5)
        close((keys, values), keys_and_values(layer, x))


def test_attending_to_a_cache_is_attending():
    layer, cache = MultiHeadAttention(15, 3).double(), KeyValueCache(max_length=7)
    query, x = torch.randn(2, 1, 15).double(), torch.randn(2, 7, 15).double()
    mask = torch.rand(2, 1, 1, 7) < 0.5
    with torch.no_grad():
        cache.add(layer, x)
        close(cache.attend(layer, query, mask), layer(query, x, x, mask=mask))


def test_keys_of_the_memory_are_computed_once():
    model, src, calls = babbler(), sources(), []
    model.decoder.layers[1].cross_attn.w_k.register_forward_hook(lambda *_: calls.append(1))
    greedy_decode(model, src, max_length=MAX)
    assert calls == [1]


@pytest.mark.parametrize("max_length", [7, 11])
def test_rows_of_a_cache_can_be_chosen(max_length):
    layer, cache = MultiHeadAttention(15, 3), KeyValueCache(max_length)
    x = torch.randn(3, 7, 15)
    with torch.no_grad():
        cache.add(layer, x)
        cache.select(torch.tensor([2, 0, 0, 1]))
        close(cache.current(), keys_and_values(layer, x[[2, 0, 0, 1]]))
    assert cache.keys.size(2) == max_length  # with room for the words to come


def test_one_beginning_goes_on_with_itself_and_nothing_is_copied(monkeypatch):
    model, src, copied = endless(babbler()), sources(lengths=(4,)), []
    monkeypatch.setattr(KeyValueCache, "select", lambda *given: copied.append(given))
    (found,) = beam_search(model, src, beam_size=1, max_length=3)
    assert len(found[0].ids) == 3 and copied == []


def counted_masks(monkeypatch):
    made = []

    def padding_mask(ids):
        made.append(ids.shape)
        return masks.padding_mask(ids)

    for module in ("decoding.cache", "model.transformer"):
        monkeypatch.setattr(f"transformer_lib.{module}.padding_mask", padding_mask)
    return made


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_the_source_mask_is_made_once_and_not_for_each_word(monkeypatch, decode):
    made, src = counted_masks(monkeypatch), sources()
    decode(babbler(), src, max_length=MAX)
    assert made == [src.shape] * 2  # one for the encoder, one for all words of the decoder


@pytest.mark.parametrize("lengths", [(4, 4, 4), (4, 3, 4)])
def test_the_decoder_gets_a_mask_only_where_something_is_padded(lengths):
    model, given = babbler(), []
    model.decoder.layers[1].cross_attn.attention.register_forward_pre_hook(
        lambda _, args: given.append(args[3])
    )
    src = sources(lengths=lengths)
    greedy_decode(model, src, max_length=3)
    if len(set(lengths)) == 1:
        assert given == [None] * 3
    else:
        assert torch.equal(given[0], masks.padding_mask(src))
        assert len(given) > 1 and None not in given


def test_a_single_new_word_gets_no_mask_as_it_may_attend_to_all_before_it():
    model, given = endless(babbler()), []
    model.decoder.layers[1].self_attn.attention.register_forward_pre_hook(
        lambda _, args: given.append(args[3])
    )
    greedy_decode(model, sources(), max_length=3)
    assert given == [None] * 3


def test_a_source_may_have_more_words_than_a_word_has_numbers():
    model, src = babbler(), sources(lengths=(30, 29))
    assert src.size(1) > model.generator.proj.in_features
    one, other = (greedy_decode(model, src, max_length=MAX, cache=cache) for cache in (True, False))
    assert one == other


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
