"""Beam search, against slower ways to get the same."""

import math

import pytest

from tests.transformer_lib.decoding.random_models import MAX, as_ids, babbler, sources, the_slow_way
from transformer_lib.decoding import beam_search, penalty
from transformer_lib.text.tokens import EOS


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


@pytest.mark.parametrize("beam_size", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_narrow_beam_equals_a_plain_one_and_one_of_1_takes_the_likeliest_word(seed, beam_size):
    model, src = babbler(seed, norm_first=seed == 1), sources(seed)[:5]
    slowly = [the_slow_way(model, row) for row in src]
    for alpha in (0.0, 1.0):
        found = beam_search(
            model, src, beam_size=beam_size, n_best=beam_size, length_penalty=alpha, max_length=MAX
        )
        assert as_ids(found) == [plain_beam_search(after, beam_size, alpha) for after in slowly]


def test_without_being_asked_it_searches_as_in_the_paper():
    model, src = babbler(), sources()
    paper = beam_search(model, src, beam_size=4, length_penalty=0.6, n_best=1, max_length=MAX)
    assert beam_search(model, src, max_length=MAX) == paper


def test_the_length_penalty_by_hand():
    # ((5 + length) / 6) ^ alpha
    assert penalty(1, 0.6) == 1  # one word, <eos>: (6/6)^0.6
    assert penalty(7, 1.0) == 2  # 12/6
    assert penalty(7, 0.5) == pytest.approx(math.sqrt(2))
    assert penalty(100, 0.0) == 1
