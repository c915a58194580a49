"""Changing one thing inside a model: the rest goes on as before, cache or not."""

import pytest
import torch

from tests.transformer_lib.small_inputs import NAMES, SRC, assert_untouched, run, same, switched_off
from transformer_lib.decoding import greedy_decode
from transformer_lib.interpret.patching import (
    ablate_head,
    block_attention,
    patch_attention,
    swap_attention,
)

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
    places = QUERY, torch.tensor([0, 0]), torch.tensor([2, 1])
    edited = swap_attention(ROWS, 1, *places)(WEIGHTS)
    expected = WEIGHTS.clone()
    expected[0, 1, 0] = torch.tensor([0.5, 0.3, 0.2])
    expected[1, 1, 2] = torch.tensor([0.5, 0.0, 0.5])
    assert torch.equal(edited, expected)
    assert torch.equal(swap_attention(ROWS, slice(None), *places)(WEIGHTS), edited[:, [1, 1]])
