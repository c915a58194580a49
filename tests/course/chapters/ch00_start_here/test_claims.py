"""What notebook 00 says of its model."""

import math

import pytest

from transformer_lib.text import english_spanish


def test_gustan_attends_mostly_to_like_and_arboles_only_to_trees(translator):
    maps = translator.attention_maps("I like trees")
    rows = dict(zip(maps.tgt_out, maps.last_cross_attention().tolist(), strict=True))
    gustan, trees = (dict(zip(maps.src, rows[word], strict=True)) for word in ("gustan", "árboles"))
    assert gustan["like"] == pytest.approx(0.75, abs=0.005)
    assert gustan["trees"] == pytest.approx(0.25, abs=0.005)
    assert trees["trees"] > 0.995


def test_the_machine_hardly_ever_gives_a_word_more_than_ninety_percent(translator):
    texts = english_spanish.load("test")[:50]
    means = [translator.translate(text).mean_log_prob for text, _ in texts]
    assert max(means) < math.log(0.91)
