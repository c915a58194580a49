"""What notebook 00 says of its model."""

import pytest

from transformer_lib import Translator


@pytest.fixture(scope="module")
def maps():
    return Translator.load().attention_maps("I like trees")


def test_the_heads_of_the_last_layer_disagree_about_los(maps):
    heads = maps.weights["decoder.layers.1.cross_attn"][:, maps.tgt_out.index("los")]
    assert heads.amax(dim=-1).min() > 0.75
    assert {maps.src[i] for i in heads.argmax(dim=-1).tolist()} == {"trees", "like", "<eos>"}
    rows = maps.last_cross_attention()
    assert rows[:-1].amax(dim=-1).argmin() == maps.tgt_out.index("los")  # the most spread out
