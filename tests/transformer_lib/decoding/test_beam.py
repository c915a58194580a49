"""Beam search, against slower ways to get the same."""

import itertools
import math

import pytest

from tests.transformer_lib.decoding.random_models import (
    ALL_KINDS,
    MAX,
    SEEDS,
    as_ids,
    babbler,
    log_prob,
    sources,
    the_slow_way,
)
from transformer_lib.decoding import Hypothesis, beam_search, greedy_decode, penalty
from transformer_lib.text.tokens import EOS, PAD


def plain_beam_search(next_log_probs, beam_size, alpha):
    """The same as in the library for one sentence, without batch, tensors and cache."""
    alive, done = [((), 0.0)], []
    for _ in range(MAX):
        longer = [
            ((*ids, word), so_far + p)
            for ids, so_far in alive
            for word, p in enumerate(next_log_probs(ids))
        ]
        best = sorted(longer, key=lambda one: -one[1])[: beam_size - len(done)]
        done += [one for one in best if one[0][-1] == EOS]
        alive = [one for one in best if one[0][-1] != EOS]

    def score(one):
        return one[1] / ((5 + len(one[0])) / 6) ** alpha

    ranked = sorted(done, key=score, reverse=True) + sorted(alive, key=score, reverse=True)
    return [[word for word in ids if word != EOS] for ids, _ in ranked]


@pytest.mark.parametrize("alpha", [0.0, 0.6])
@pytest.mark.parametrize("seed", SEEDS)
@ALL_KINDS
def test_a_beam_of_one_is_greedy(seed, norm_first, positions, alpha):
    model, src = babbler(seed, norm_first, positions), sources(seed)
    found = beam_search(model, src, beam_size=1, length_penalty=alpha, max_length=MAX)
    assert as_ids(found) == [[ids] for ids in greedy_decode(model, src, max_length=MAX)]


@pytest.mark.parametrize("seed", SEEDS)
@ALL_KINDS
def test_beam_search_with_cache_equals_without(seed, norm_first, positions):
    model, src = babbler(seed, norm_first, positions), sources(seed)
    with_cache, without = (
        beam_search(model, src, beam_size=3, n_best=3, max_length=MAX, cache=cache)
        for cache in (True, False)
    )
    assert as_ids(with_cache) == as_ids(without)
    for one, other in zip(sum(with_cache, []), sum(without, []), strict=True):
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-5)
        assert one.finished == other.finished


@pytest.mark.slow
def test_a_wide_beam_equals_trying_every_sentence():
    # words <unk>, 4 and 5 besides <eos>, at most 4 of them:
    # 1 + 3 + 9 + 27 sentences that end in time, and 81 that are cut off
    model, src = babbler(seed=4, tgt_vocab_size=6), sources(lengths=(2, 5, 3))
    for i, alpha in itertools.product(range(3), [0.0, 0.6, 1.0, 3.0]):
        next_log_probs = the_slow_way(model, src[i])
        every = []
        for length in range(5):
            for ids in itertools.product([3, 4, 5], repeat=length):
                words = [*ids, EOS] if length < 4 else list(ids)
                total = log_prob(next_log_probs, words)
                score = total / ((5 + len(words)) / 6) ** alpha
                every.append(Hypothesis(list(ids), total, score, finished=length < 4))
        assert len(every) == 121
        assert sum(math.exp(one.log_prob) for one in every) == pytest.approx(1)
        every.sort(key=lambda one: (not one.finished, -one.score))

        hypotheses = beam_search(
            model, src, beam_size=121, n_best=121, length_penalty=alpha, max_length=4
        )[i]
        assert [one.ids for one in hypotheses] == [one.ids for one in every]
        for one, other in zip(hypotheses, every, strict=True):
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-5)
            assert one.score == pytest.approx(other.score, abs=1e-5)
            assert one.finished == other.finished


def test_the_length_penalty_decides():
    # or the test above would not have tried it
    model, src = babbler(seed=4, tgt_vocab_size=6), sources(lengths=(2, 5, 3))
    best = [
        as_ids(beam_search(model, src, beam_size=121, length_penalty=alpha, max_length=4))
        for alpha in (0.0, 3.0)
    ]
    lengths = [sum(len(each[0]) for each in found) for found in best]
    assert lengths[0] < lengths[1]


@pytest.mark.parametrize("beam_size", [2, 3, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_narrow_beam_equals_a_plain_one(seed, beam_size):
    model, src = babbler(seed, norm_first=seed == 1), sources(seed)[:5]
    slowly = [the_slow_way(model, row) for row in src]
    for alpha in (0.0, 1.0):
        found = beam_search(
            model, src, beam_size=beam_size, n_best=beam_size, length_penalty=alpha, max_length=MAX
        )
        assert as_ids(found) == [plain_beam_search(after, beam_size, alpha) for after in slowly]


def test_beam_search_in_a_batch_equals_one_by_one():
    model, src = babbler(), sources()
    together = beam_search(model, src, beam_size=3, n_best=2, max_length=MAX)
    alone = [
        beam_search(model, row[None, row != PAD], beam_size=3, n_best=2, max_length=MAX)[0]
        for row in src
    ]
    assert as_ids(together) == as_ids(alone)


@pytest.mark.parametrize("seed", SEEDS)
def test_log_prob_is_the_sum_over_the_words(seed):
    model, src = babbler(seed), sources(seed)
    found = beam_search(model, src, beam_size=3, n_best=3, length_penalty=0.6, max_length=MAX)
    for row, hypotheses in zip(src, found, strict=True):
        next_log_probs = the_slow_way(model, row)
        for one in hypotheses:
            words = [*one.ids, EOS] if one.finished else one.ids
            assert one.log_prob == pytest.approx(log_prob(next_log_probs, words), abs=1e-5)
            assert one.score == pytest.approx(one.log_prob / penalty(len(words), 0.6))
            assert one.finished or len(one.ids) == MAX


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("some", [slice(None), slice(2, 10)])
def test_a_sentence_leaves_the_batch_when_all_its_hypotheses_have_ended(beam_size, some):
    model, src, rows = babbler(), sources()[some], []
    model.generator.register_forward_hook(lambda _, args, __: rows.append(len(args[0])))
    found = beam_search(model, src, beam_size=beam_size, n_best=beam_size, max_length=30)
    lengths = [max(len(one.ids) + one.finished for one in each) for each in found]
    longest = max(lengths)
    assert (longest == 30) == (len(src) == 11)  # all but two end early
    going_on = [sum(length > step for length in lengths) for step in range(longest)]
    # each has one beginning at first, <bos>
    assert rows == [going_on[0], *(beam_size * count for count in going_on[1:])]


def test_without_being_asked_it_searches_as_in_the_paper():
    model, src = babbler(), sources()
    paper = beam_search(model, src, beam_size=4, length_penalty=0.6, n_best=1, max_length=MAX)
    assert beam_search(model, src, max_length=MAX) == paper


def test_the_n_best_come_best_first_and_differ():
    found = beam_search(babbler(), sources(), beam_size=5, n_best=5, max_length=MAX)
    finished_ones = 0
    for hypotheses in found:
        assert len(hypotheses) == 5
        assert len({tuple(one.ids) for one in hypotheses}) == 5
        ranks = [(one.finished, one.score) for one in hypotheses]  # what ended comes first
        assert ranks == sorted(ranks, reverse=True)
        finished_ones += sum(one.finished for one in hypotheses)
    assert 0 < finished_ones < 55


def test_fewer_best_are_the_first_of_more():
    model, src = babbler(), sources()
    five, two = (beam_search(model, src, beam_size=5, n_best=n, max_length=MAX) for n in (5, 2))
    assert [each[:2] for each in five] == two


def test_the_length_penalty_by_hand():
    # ((5 + length) / 6) ^ alpha
    assert penalty(1, 0.6) == 1  # one word, <eos>: (6/6)^0.6
    assert penalty(7, 1.0) == 2  # 12/6
    assert penalty(7, 0.5) == pytest.approx(math.sqrt(2))
    assert penalty(100, 0.0) == 1
