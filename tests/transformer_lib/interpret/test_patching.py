"""Changing one thing inside a model: the rest goes on as before, cache or not."""

import copy

import pytest
import torch

from tests.transformer_lib.interpret.small_inputs import (
    NAMES,
    SRC,
    TGT_IN,
    assert_untouched,
    run,
    same,
    switched_off,
)
from transformer_lib.decoding import greedy_decode
from transformer_lib.interpret.patching import (
    ablate_head,
    block_attention,
    patch_attention,
    swap_attention,
)
from transformer_lib.interpret.recording import attention_layers, record_attention

close = torch.testing.assert_close


def test_editing_with_the_cache_equals_editing_without(model):
    def sharpened(weights):
        return torch.nn.functional.one_hot(weights.argmax(dim=-1), weights.size(-1)).to(weights)

    edits = {name: sharpened for name in NAMES}
    with patch_attention(model, edits):
        with_cache, without = (
            greedy_decode(model, SRC, max_length=7, cache=cache) for cache in (True, False)
        )
    assert with_cache == without


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_that_changes_nothing_changes_nothing(model, name):
    with patch_attention(model, {name: same}):
        during = run(model)
    close(during, run(model))


@pytest.mark.parametrize("name", NAMES)
def test_switching_a_layer_off_matters(model, name):
    before = run(model)
    with patch_attention(model, {name: switched_off}):
        during = run(model)
    assert not torch.allclose(before, during)
    assert torch.equal(before, run(model))
    assert_untouched(model)


def test_switching_one_head_off_equals_zeros_in_its_part_of_w_o(model):
    # head 1 writes into the numbers 5 ... 9 of what W^O reads
    def without_head_1(weights):
        weights[:, 1] = 0.0
        return weights

    name = "decoder.layers.1.cross_attn"
    with patch_attention(model, {name: without_head_1}):
        edited = run(model)
    twin = copy.deepcopy(model)
    with torch.no_grad():
        attention_layers(twin)[name].w_o.weight[:, 5:] = 0.0
    close(edited, run(twin))


def test_an_edit_gets_the_weights_that_are_recorded(model):
    seen = {}

    def look(weights):
        seen["weights"] = weights.clone()
        return weights

    with record_attention(model) as recorded:
        run(model)
    with patch_attention(model, {NAMES[3]: look}):
        run(model)
    close(seen["weights"], recorded[NAMES[3]])


def test_gradients_flow_through_an_edit(model):
    with patch_attention(model, {NAMES[0]: same}):
        edited = torch.autograd.grad(model(SRC, TGT_IN).square().sum(), list(model.parameters()))
    plain = torch.autograd.grad(model(SRC, TGT_IN).square().sum(), list(model.parameters()))
    close(edited, plain)


def test_an_unknown_layer_is_an_error(model):
    with pytest.raises(KeyError, match="decoder.layers.7.cross_attn.*encoder.layers.0.self_attn"):
        with patch_attention(model, {NAMES[0]: same, "decoder.layers.7.cross_attn": same}):
            pass
    assert_untouched(model)


WEIGHTS = torch.tensor([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.0, 0.5, 0.5]]).expand(2, 2, 3, 3)


ROWS, QUERY = torch.arange(2), torch.tensor([0, 2])


def test_switching_a_head_off():
    edited = ablate_head(1)(WEIGHTS)
    assert edited[:, 1].abs().sum() == 0
    assert torch.equal(edited[:, 0], WEIGHTS[:, 0])


def test_forbidding_a_look_spreads_it_over_the_other_words():
    edited = block_attention(ROWS, QUERY, [torch.tensor([2, 1])])(WEIGHTS)
    torch.testing.assert_close(edited[0, :, 0], torch.tensor([[0.4, 0.6, 0.0]] * 2))
    torch.testing.assert_close(edited[1, :, 2], torch.tensor([[0.0, 0.0, 1.0]] * 2))
    assert torch.equal(edited[0, :, 1:], WEIGHTS[0, :, 1:])


def test_swapping_two_numbers_in_one_row_of_one_head():
    edited = swap_attention(ROWS, 1, QUERY, torch.tensor([0, 0]), torch.tensor([2, 1]))(WEIGHTS)
    torch.testing.assert_close(edited[0, 1, 0], torch.tensor([0.5, 0.3, 0.2]))
    torch.testing.assert_close(edited[1, 1, 2], torch.tensor([0.5, 0.0, 0.5]))
    assert torch.equal(edited[:, 0], WEIGHTS[:, 0])
    assert torch.equal(edited[0, 1, 1:], WEIGHTS[0, 1, 1:])
    everywhere = swap_attention(
        ROWS, slice(None), QUERY, torch.tensor([0, 0]), torch.tensor([2, 1])
    )(WEIGHTS)
    assert torch.equal(everywhere, edited[:, [1, 1]])
