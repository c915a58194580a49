"""Looking inside a model without leaving a trace."""

import copy
import pickle

import pytest
import torch

from tests.transformer_lib.small_inputs import NAMES, SRC, assert_untouched, run, same, switched_off
from transformer_lib import MultiHeadAttention, greedy_decode, patch_attention
from transformer_lib.interpret.recording import attention_layers, record_attention, record_outputs

close = torch.testing.assert_close

# ---------------------------------------------------------------- recording


def test_it_is_what_the_layer_really_used(model):
    # weights @ values, merged and projected, must be what the layer put out
    calls = {}
    handles = [
        layer.register_forward_hook(
            lambda _, args, out, name=name: calls.update({name: (args, out)})
        )
        for name, layer in attention_layers(model).items()
    ]
    with record_attention(model) as weights:
        run(model)
    for handle in handles:
        handle.remove()
    assert list(weights) == NAMES
    for name, layer in attention_layers(model).items():
        (_, _, value), out = calls[name]
        values = layer.split_heads(layer.w_v(value))
        close(layer.w_o(layer.merge_heads(weights[name] @ values)), out)


def test_one_layer_alone_can_be_recorded():
    layer = MultiHeadAttention(15, 3)
    x = torch.randn(2, 7, 15)
    with record_attention(layer) as weights:
        layer(x, x, x)
    assert [tuple(recorded.shape) for recorded in weights.values()] == [(2, 3, 7, 7)]


def test_nothing_is_left_behind(model):
    with record_attention(model):
        run(model)
    assert_untouched(model)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert torch.equal(run(twin), run(model))


@pytest.mark.parametrize(
    "looking", [record_attention, lambda model: patch_attention(model, {NAMES[0]: same})]
)
def test_nothing_is_left_behind_after_an_error(model, looking):
    with pytest.raises(RuntimeError, match="on purpose"):
        with looking(model):
            raise RuntimeError("on purpose")
    assert_untouched(model)


# ---------------------------------------------------------------- while decoding


def test_recording_while_decoding_with_the_cache(model):
    src = SRC[:1]
    quiet = greedy_decode(model, src, max_length=5)
    with record_attention(model) as weights:
        assert greedy_decode(model, src, max_length=5) == quiet
    length = min(len(quiet[0]) + 1, 5)  # how many words the decoder has read in its last step

    # the last step's weights are the last rows of a run over the whole sentence
    tgt_in = torch.tensor([[1, *quiet[0]]])[:, :length]
    with record_attention(model) as whole, torch.no_grad():
        model(src, tgt_in)
    for name in NAMES:
        if "decoder" in name:
            assert weights[name].shape[2] == 1
            close(weights[name], whole[name][:, :, -1:])
        else:
            close(weights[name], whole[name])


def test_recording_and_editing_together(model):
    # The edited layer's record shows what it computed; the layers after it show the effect.
    edited, later = "encoder.layers.0.self_attn", "encoder.layers.1.self_attn"
    with record_attention(model) as before:
        run(model)
    with patch_attention(model, {edited: switched_off}), record_attention(model) as during:
        run(model)
    close(during[edited], before[edited])
    assert not torch.allclose(during[later], before[later])
    assert_untouched(model)


# ---------------------------------------------------------------- outputs of parts


def test_outputs_are_those_of_a_plain_forward(model):
    with record_outputs(model, "src_embed", "encoder.layers.0", "generator") as outputs:
        logits = run(model)
    assert list(outputs) == ["src_embed", "encoder.layers.0", "generator"]
    close(outputs["src_embed"], model.src_embed(SRC))
    close(outputs["generator"], logits)
    assert_untouched(model)


def test_an_unknown_part_is_an_error(model):
    with pytest.raises(KeyError, match="no part 'encoder.layers.9'"):
        with record_outputs(model, "src_embed", "encoder.layers.9"):
            pass
    assert_untouched(model)
