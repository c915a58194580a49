"""Wider beams: what is chosen under another length penalty, and what is counted."""

import math

import pytest

from course.chapters.ch11_decoding.experiments import (
    choose,
    draw_many,
    log_prob_of,
    measure,
    search_split,
    six_steps_of_french,
)
from course.chapters.ch11_decoding.figures import beam_steps
from transformer_lib.decoding import Hypothesis, beam_search
from transformer_lib.text.batching import source_batch
from transformer_lib.text.english_spanish import load
from transformer_lib.translator import Translator


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


def test_choosing_afterwards_is_searching_again(translator):
    for alpha in [0.0, 0.6, 3.0]:
        from transformer_lib.text.batching import source_batch
        from transformer_lib.text.english_spanish import load

        ids = [translator.src.encode(english) for english, _ in load("longer")[92:98]]
        again = beam_search(translator.model, source_batch(ids), beam_size=4, length_penalty=alpha)
        found = search_split(translator, "longer", beam=4, count=98)[92:]
        assert [one[0].ids for one in again] == [one.ids for one in choose(found, alpha)]


def test_a_given_translation_has_the_sum_that_the_search_gives_it(translator):
    compared = 0
    for english, _ in load("longer")[:10]:
        src = source_batch([translator.src.encode(english)])
        for one in beam_search(translator.model, src, beam_size=2, n_best=2)[0]:
            text = translator.tgt.decode(one.ids)
            if one.finished and translator.tgt.encode(text) == one.ids:
                found = log_prob_of(translator, english, text)
                assert found == pytest.approx(one.log_prob, abs=1e-3)
                compared += 1
    assert compared >= 10


def test_finished_ones_come_first():
    short = Hypothesis([4], -3.0, 0.0, True)
    cut_off = Hypothesis([5, 6], -1.0, 0.0, False)
    assert choose([[cut_off, short]], 0.6) == [short]


def test_the_count():
    best = [Hypothesis([4], -1.0, 0.0, True), Hypothesis([5, 6, 7], -2.0, 0.0, True)]
    found = measure(best, [[4], [5, 6]])
    assert found == {"sentences": 2, "right": 1, "log_prob": -1.5, "words": 2.0}


def test_draws_are_counted(translator):
    pairs = load("test")[:6]
    greedy = draw_many(translator, pairs, times=3, top_k=1)
    assert greedy == {"right": 1.0, "different": 1.0}
    wild = draw_many(translator, pairs, times=3, temperature=3.0)
    assert wild == {"right": 0.0, "different": 3.0}


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


def test_the_two_beams_of_the_illustrated_transformer():
    """After six steps the likeliest first words are "I" and "a", and "a" is dropped."""
    following = six_steps_of_french()
    first = sorted(following(()), key=following(()).get, reverse=True)[:2]
    assert first == ["I", "a"]
    steps = beam_steps(following, beam_size=2, max_length=5)
    kept = [[one.words[0] for one in step if one.fate == "kept"] for step in steps]
    assert kept[1] == ["I", "a"] and "a" not in kept[2]
    finished = [one for step in steps for one in step if one.fate == "finished"]
    best = max(finished, key=lambda one: one.log_prob)
    assert best.words == ("I", "am", "a", "student", "<eos>")
