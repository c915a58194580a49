"""What the length of a sentence does to its probability."""

import math

import pytest

from course.chapters.ch11_decoding.experiments import log_prob_of
from transformer_lib.text.english_spanish import load
from transformer_lib.translator import Translator


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


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
