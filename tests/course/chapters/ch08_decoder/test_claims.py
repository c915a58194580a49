"""What notebook 08 says of our translator, where no output of a cell shows it."""

import copy

import pytest
import torch

from course.chapters.ch08_decoder.experiments import decode_steps, share_right, with_borrowed_keys
from transformer_lib import Translator
from transformer_lib.text import english_spanish

CROSS = "decoder.layers.1.cross_attn"


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


def test_each_layer_has_keys_and_values_of_its_own(translator):
    layers = [layer.cross_attn for layer in translator.model.decoder.layers]
    matrices = [w for layer in layers for w in (layer.w_k.weight, layer.w_v.weight)]
    assert len({w.data_ptr() for w in matrices}) == 2 * len(layers)


def test_runners_up_are_unlikely_and_some_are_of_the_right_kind(translator):
    _, steps = decode_steps(translator, "I like trees")
    assert max(chance for step in steps for chance in step.chances[1:]) < 0.001
    named = {1: {"gusta"}, 2: {"el", "la"}, 3: {"pájaros"}}
    assert all(words <= set(steps[place].best[1:]) for place, words in named.items())


def test_one_head_reads_trees_while_gustan_is_written(translator):
    maps = translator.attention_maps("I like trees")
    gustan = maps.weights[CROSS][:, maps.tgt_out.index("gustan")]
    assert (gustan > 0.98).nonzero().tolist() == [[0, 2], [1, 1], [2, 1], [3, 1]]
    los = maps.weights[CROSS][:, maps.tgt_out.index("los"), 2]
    assert (los > 0.9).sum() == 2 and (los > 0.5).sum() == 2, "a half of the mean is two of four"
    noun = maps.weights[CROSS][:, maps.tgt_out.index("árboles"), 2]
    torch.testing.assert_close(noun, torch.ones(4), atol=0.02, rtol=0)


def turned(translator, layer):
    """The same function, with the queries, keys and values of one layer's heads turned."""
    model = copy.deepcopy(translator.model)
    attention = model.decoder.layers[layer].cross_attn
    torch.manual_seed(0)
    d_k = attention.w_q.out_features // attention.h

    def turn():
        return torch.block_diag(
            *(torch.linalg.qr(torch.randn(d_k, d_k)).Q for _ in range(attention.h))
        )

    one, other = turn(), turn()
    with torch.no_grad():
        for part, matrix in (("w_q", one), ("w_k", one), ("w_v", other)):
            linear = getattr(attention, part)
            linear.weight.copy_(matrix @ linear.weight)
            if linear.bias is not None:
                linear.bias.copy_(matrix @ linear.bias)
        attention.w_o.weight.copy_(attention.w_o.weight @ other.T)
    return Translator(model, translator.src, translator.tgt)


@pytest.mark.slow
def test_borrowing_fails_even_for_the_same_keys_turned(translator):
    """So borrowing says nothing about whether two layers' keys hold the same."""
    test = english_spanish.load("test")[:50]
    twin = turned(translator, layer=1)
    assert share_right(twin, test) > 0.95, "it is the same function"
    theirs = translator.model.decoder.layers[1].cross_attn
    mine = twin.model.decoder.layers[1].cross_attn
    mine.w_k, mine.w_v = theirs.w_k, theirs.w_v
    assert share_right(twin, test) < 0.05
    assert share_right(with_borrowed_keys(translator, 0, 1), test) == 0
