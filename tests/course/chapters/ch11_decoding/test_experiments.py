"""Wider beams, searched once for all penalties; and what a sentence's length does to its sum."""

import math

import pytest

from course.chapters.ch11_decoding.experiments import choose, log_prob_of, search_all
from transformer_lib.decoding import beam_search
from transformer_lib.text.batching import source_batch
from transformer_lib.text.english_spanish import load


def test_the_right_word_has_a_tenth_less_than_everything(translator):
    """Notebook 11, section 5: about 0.9 at each of nearly eight steps, and the product is 0.43."""
    pairs = load("test")[:50]
    steps = [len(translator.tgt.encode(spanish)) for _, spanish in pairs]
    steps = [count + 1 for count in steps]  # and <eos>
    sums = [log_prob_of(translator, english, spanish) for english, spanish in pairs]
    mean_steps, mean_word = sum(steps) / 50, math.exp(sum(sums) / sum(steps))
    assert 7.5 < mean_steps < 8 and mean_word == pytest.approx(0.9, abs=0.01)
    assert round(0.9**8, 2) == 0.43
    right = [math.exp(total) for total in sums]
    short = [share for share, count in zip(right, steps, strict=True) if count < mean_steps]
    assert sum(right) / 50 < sum(short) / len(short)


def test_choosing_afterwards_is_searching_again(translator):
    pairs = load("longer")[:6]
    found = search_all(translator, pairs, beam=4)
    src = source_batch([translator.src.encode(english) for english, _ in pairs])
    for alpha in (0.0, 3.0):
        again = beam_search(translator.model, src, beam_size=4, length_penalty=alpha)
        assert [one[0].ids for one in again] == [one.ids for one in choose(found, alpha)]
