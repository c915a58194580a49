"""What notebook 07 says where no output of a cell shows it, and of more seeds than it runs."""

import torch

from course.chapters.ch07_encoder.experiments import (
    WAYS,
    deep_stack,
    gender_gap,
    held_out_neurons,
    hidden_layers,
    kinds_of_words,
    likeness_of_nouns,
)


def test_a_fresh_stack_vanishes_without_sums_and_explodes_without_norms():
    for seed, told in enumerate([0.58, 0.74, 1.39]):
        neither, sums, both = (
            deep_stack(WAYS[name], seed=seed) for name in ("f(x)", "x + f(x)", "norm(x + f(x))")
        )
        assert max(neither["signal"][-1], neither["gradient"][0]) < 1e-5
        assert min(sums["signal"][-1], sums["gradient"][0]) > 1e3
        assert 0.99 < both["signal"][-1] < 1.01 and round(both["gradient"][0], 2) == told


def test_the_gender_reaches_the_words_that_need_it_in_layer_1():
    gaps = gender_gap("I like the red {}")
    last = gaps["layer 1"]
    assert min(last["the"], last["red"]) > 0.1 > 0.01 > max(last["I"], last["like"])
    assert abs(gaps["layer 0"]["red"]) < 0.01


def test_the_encoder_sets_plurals_apart_from_singulars_and_keeps_the_genders_apart():
    _, plural, feminine, cosines = likeness_of_nouns()
    same = (feminine[:, None] == feminine) & ~torch.eye(len(plural), dtype=torch.bool)
    of_plurals = plural[:, None]
    number, gender = [], []
    for cosine in (cosines[0], cosines[-1]):
        alike = cosine[of_plurals & plural & same].mean()
        number.append(alike - cosine[of_plurals & ~plural & same].mean())
        gender.append(alike - cosine[of_plurals & plural & (feminine[:, None] != feminine)].mean())
    assert number[1] > 2 * number[0] > 0.2 and 0.1 < gender[0] < gender[1] < 0.2


def test_both_neurons_fire_for_trees_and_few_others_do():
    _, (first, second) = hidden_layers(["I like trees"])
    assert first[0, 2, 314] > 0 and second[0, 2, 11] > 0
    assert max(int((values[0, 2] > 0).sum()) for values in (first, second)) < 50  # of 512


def test_the_misfits_of_the_neuron_for_plurals_are_mostly_they():
    words, values = held_out_neurons()
    plurals = kinds_of_words()["masculine plurals"] | kinds_of_words()["feminine plurals"]
    misfits = [words[i] for i in ((values[1][:, 11] > 1) & ~plurals).nonzero().flatten()]
    assert (len(misfits), misfits.count("they"), int((~plurals).sum())) == (48, 41, 7207)
