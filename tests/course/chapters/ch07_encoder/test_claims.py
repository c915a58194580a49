"""What notebook 07 says where no output of a cell shows it, and of more seeds than it runs."""

import pytest
import torch

from course.chapters.ch07_encoder.experiments import (
    WAYS,
    deep_stack,
    gender_gap,
    held_out_neurons,
    plural_nouns,
    read_by_encoder,
    who_fires,
)
from transformer_lib import make_model


def test_a_fresh_stack_vanishes_without_sums_and_explodes_without_norms():
    for seed in [0, 1, 2]:
        neither, sums, both = (
            deep_stack(WAYS[name], seed=seed)
            for name in ("neither", "residual only", "residual and norm")
        )
        assert max(neither["signal"][-1], neither["gradient"][0]) < 1e-5
        assert min(sums["signal"][-1], sums["gradient"][0]) > 1e3
        assert 0.99 < both["signal"][-1] < 1.01 and 0.1 < both["gradient"][0] < 10


def test_a_word_in_25_is_a_masculine_plural_and_neuron_314_finds_them():
    words, _ = held_out_neurons()
    masculine = plural_nouns("m")
    assert sum(word in masculine for word in words) / len(words) == pytest.approx(1 / 25, rel=0.1)
    assert who_fires(0, 314, masculine) > 0.95 and who_fires(1, 11, plural_nouns()) > 0.85


def test_the_gender_reaches_the_words_that_need_it_in_layer_1():
    gaps = gender_gap("I like the red {}")
    last = gaps["layer 1"]
    assert min(last["the"], last["red"]) > 0.1 > 0.01 > max(last["I"], last["like"])
    assert abs(gaps["layer 0"]["red"]) < 0.01


def test_trees_comes_nearer_to_masculine_plurals_than_to_feminine_or_single_nouns():
    masculine = ["books", "cars", "cats", "dogs"]
    feminine = ["houses", "streets", "tables", "apples"]
    single = ["book", "car", "cat", "dog"]
    others = [*masculine, *feminine, *single]
    _, xs = read_by_encoder(["I like trees", *(f"I like {noun}" for noun in others)])
    first, last = (
        torch.cosine_similarity(x[:1, 2], x[1:, 2], dim=-1).view(3, 4) for x in (xs[0], xs[-1])
    )
    assert (last > first).all()  # to every noun: the sentences have everything else in common
    assert last[0].min() > last[1].max() > last[2].mean() + 0.1


def test_layers_share_no_weights():
    layers = make_model(10, 10, d_model=16, d_ff=32, h=2).encoder.layers
    assert len({parameter.data_ptr() for parameter in layers.parameters()}) == 6 * 12
    first, *others = (layer.feed_forward.w_1.weight for layer in layers)
    assert not any(torch.equal(first, other) for other in others)
