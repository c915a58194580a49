"""What 8 bits cost: what is stored, and that a part measured again says the same."""

import pytest

from course import experiments
from course.lab.packing import in_eight_bits
from transformer_lib.text import everyday
from transformer_lib.translator import Translator


def test_8_bits_cost_less_than_a_third_of_a_point_of_bleu():
    scores = experiments.load("eight-bits")["scores"]
    half = scores["half precision"]
    stored = experiments.load("everyday")["tatoeba"]["beam 1"]
    assert half["bleu"] == pytest.approx(stored["bleu"], abs=0.2)
    page = scores["8 bits, as a page has them"]
    assert abs(page["bleu"] - half["bleu"]) <= 0.3
    assert page["the same"] < half["the same"] == 2019


def test_most_everyday_sentences_are_the_same():
    whole = Translator.load("tatoeba")
    texts = [item.english for item in everyday.load()[::4]]
    one, other = (
        [found.text for found in translator.translate(texts)]
        for translator in (whole, in_eight_bits(whole))
    )
    assert 0.85 < sum(a == b for a, b in zip(one, other, strict=True)) / len(texts)
