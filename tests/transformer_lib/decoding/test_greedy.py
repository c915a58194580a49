"""Greedy decoding, against slower ways to get the same; what it shares with beam search."""

import pytest
import torch

from tests.transformer_lib.decoding.random_models import (
    ALL_KINDS,
    MAX,
    SEEDS,
    as_ids,
    babbler,
    endless,
    sources,
    the_slow_way,
)
from transformer_lib.decoding import beam_search, greedy_decode
from transformer_lib.text.tokens import BOS, EOS, PAD


@ALL_KINDS
def test_the_models_of_these_tests_are_worth_testing(norm_first, positions):
    said = [
        tuple(ids)
        for seed in range(3)
        for ids in greedy_decode(
            babbler(seed, norm_first, positions), sources(seed), max_length=MAX
        )
    ]
    lengths = [len(ids) for ids in said]
    assert len(set(said)) >= 8
    assert len(set(lengths)) >= 3
    assert MAX in lengths and min(lengths) < 5


@pytest.mark.parametrize("seed", SEEDS)
def test_greedy_takes_the_likeliest_word_each_time(seed):
    model, src = babbler(seed), sources(seed)
    for row, ids in zip(src, greedy_decode(model, src, max_length=MAX), strict=True):
        next_log_probs, words = the_slow_way(model, row), ()
        while len(words) < MAX and EOS not in words:
            following = next_log_probs(words)
            words += (following.index(max(following)),)
        assert ids == [word for word in words if word != EOS]


@pytest.mark.parametrize("seed", SEEDS)
@ALL_KINDS
def test_greedy_with_cache_equals_without(seed, norm_first, positions):
    model, src = babbler(seed, norm_first, positions), sources(seed)
    with_cache, without = (
        greedy_decode(model, src, max_length=MAX, cache=cache) for cache in (True, False)
    )
    assert with_cache == without


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_equals_its_sentences_one_by_one(seed, cache):
    model, src = babbler(seed), sources(seed)
    together = greedy_decode(model, src, max_length=MAX, cache=cache)
    alone = [
        greedy_decode(model, row[None, row != PAD], max_length=MAX, cache=cache)[0] for row in src
    ]
    assert together == alone


@pytest.mark.parametrize("cache", [True, False])
def test_a_finished_sentence_leaves_the_batch_and_the_encoder_runs_once(cache):
    model, src = babbler(), sources()
    rows, encoded = [], []
    model.generator.register_forward_hook(lambda _, args, __: rows.append(len(args[0])))
    model.encoder.register_forward_hook(lambda _, args, __: encoded.append(len(args[0])))
    lengths = [len(ids) for ids in greedy_decode(model, src, max_length=MAX, cache=cache)]
    # a sentence of n words is asked for n + 1 of them, for <eos> too, but at most for MAX
    assert rows == [sum(length >= step for length in lengths) for step in range(MAX)]
    assert rows[0] == 11 > rows[-1]
    assert encoded == [11]


def test_greedy_ends_when_every_sentence_has():
    model = babbler()
    model.generator.forward = lambda x: torch.eye(11)[[EOS] * len(x)]
    assert greedy_decode(model, sources(), max_length=10**9, cache=False) == [[]] * 11


def test_greedy_stops_at_max_length():
    model, src = babbler(), sources()
    short, longer = (greedy_decode(model, src, max_length=n) for n in (3, MAX))
    assert short == [ids[:3] for ids in longer]
    assert any(len(ids) > 3 for ids in longer)


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_a_sentence_gets_64_words_unless_another_number_is_asked_for(decode):
    (found,) = decode(endless(babbler()), sources(lengths=(4,)))
    ids = found if decode is greedy_decode else found[0].ids
    assert len(ids) == 64


@pytest.mark.parametrize("search", ["greedy", "beam"])
def test_padding_and_bos_are_never_written(search):
    model, src = babbler(), sources()
    with torch.no_grad():
        model.generator.proj.weight[[PAD, BOS]] *= 100  # the model longs to write them
        assert (model.eval()(src, src[:, :1]).argmax(dim=-1) <= BOS).any()
    if search == "greedy":
        found = greedy_decode(model, src, max_length=MAX)
    else:
        found = sum(as_ids(beam_search(model, src, n_best=4, max_length=MAX)), [])
    words = set(sum(found, []))
    assert words and not words & {PAD, BOS, EOS}


def test_no_sentences_no_translations():
    nothing = torch.zeros(0, 3, dtype=torch.long)
    assert greedy_decode(babbler(), nothing) == beam_search(babbler(), nothing) == []


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
@pytest.mark.parametrize("training", [True, False])
def test_the_mode_is_restored_and_dropout_is_off(decode, training):
    model, src = babbler(), sources()
    model.train(training)
    assert decode(model, src, max_length=MAX) == decode(model, src, max_length=MAX)
    assert all(module.training == training for module in model.modules())


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_a_part_in_eval_mode_stays_in_it(decode):
    model = babbler().train()
    model.encoder.eval()
    decode(model, sources(), max_length=2)
    assert model.training and model.decoder.layers[0].training
    assert not any(module.training for module in model.encoder.modules())


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_the_mode_is_restored_after_an_error(decode):
    model, src = babbler().train(), sources()

    def broken(x):
        assert not model.training
        raise RuntimeError("broken on purpose")

    model.generator.forward = broken
    with pytest.raises(RuntimeError, match="on purpose"):
        decode(model, src)
    assert all(module.training for module in model.modules())
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_no_gradients_are_computed(decode):
    model, wanted = babbler(), []
    model.generator.register_forward_hook(lambda _, __, out: wanted.append(out.requires_grad))
    decode(model, sources(), max_length=3)
    assert wanted == [False] * 3
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_a_model_can_go_on_learning_after_a_long_sentence():
    # 300 words make the table of positions grow, in the middle of decoding
    model, src = babbler(), sources()
    greedy_decode(model, src[:2], max_length=300)
    model.train()(src, src).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


def test_errors_carry_the_numbers():
    model, src = babbler(), sources()
    for decode in (greedy_decode, beam_search):
        with pytest.raises(ValueError, match="max_length=0 must be 1 or more"):
            decode(model, src, max_length=0)
    with pytest.raises(ValueError, match="beam_size=0 must be 1 or more"):
        beam_search(model, src, beam_size=0)
    with pytest.raises(ValueError, match="n_best=5 must lie between 1 and beam_size=4"):
        beam_search(model, src, n_best=5)
    with pytest.raises(ValueError, match="n_best=0 must lie between 1 and beam_size=4"):
        beam_search(model, src, n_best=0)
