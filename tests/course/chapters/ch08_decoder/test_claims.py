"""What notebook 08 says of our translator, where no output of a cell shows it."""

import pytest
import torch

from transformer_lib import Translator

CROSS = "decoder.layers.1.cross_attn"


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


def test_one_head_reads_trees_while_gustan_is_written(translator):
    maps = translator.attention_maps("I like trees")
    gustan = maps.weights[CROSS][:, maps.tgt_out.index("gustan")]
    assert (gustan > 0.98).nonzero().tolist() == [[0, 2], [1, 1], [2, 1], [3, 1]]
    los = maps.weights[CROSS][:, maps.tgt_out.index("los"), 2]
    assert (los > 0.9).sum() == 2 and (los > 0.5).sum() == 2, "a half of the mean is two of four"
    noun = maps.weights[CROSS][:, maps.tgt_out.index("árboles"), 2]
    torch.testing.assert_close(noun, torch.ones(4), atol=0.02, rtol=0)
