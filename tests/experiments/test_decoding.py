"""Wider beams: what is chosen under another length penalty, and what is counted."""

import pytest

from transformer_lib.decoding import Hypothesis, beam_search
from transformer_lib.experiments.decoding import choose, measure, search_split
from transformer_lib.translator import Translator


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


@pytest.mark.parametrize("alpha", [0.0, 0.6, 3.0])
def test_choosing_afterwards_is_searching_again(translator, alpha):
    from transformer_lib.batching import source_batch
    from transformer_lib.corpora.english_spanish import load

    ids = [translator.src.encode(english) for english, _ in load("longer")[92:98]]
    again = beam_search(translator.model, source_batch(ids), beam_size=4, length_penalty=alpha)
    found = search_split(translator, "longer", beam=4, count=98)[92:]
    assert [one[0].ids for one in again] == [one.ids for one in choose(found, alpha)]


def test_finished_ones_come_first():
    short = Hypothesis([4], -3.0, 0.0, True)
    cut_off = Hypothesis([5, 6], -1.0, 0.0, False)
    assert choose([[cut_off, short]], 0.6) == [short]


def test_the_count():
    best = [Hypothesis([4], -1.0, 0.0, True), Hypothesis([5, 6, 7], -2.0, 0.0, True)]
    found = measure(best, [[4], [5, 6]])
    assert found == {"sentences": 2, "right": 1, "log_prob": -1.5, "words": 2.0}
