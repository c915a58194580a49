"""What 8 bits cost, measured on a part."""

from course.lab.packing import in_eight_bits
from transformer_lib.text import everyday
from transformer_lib.translator import Translator


def test_most_everyday_sentences_are_the_same():
    whole = Translator.load("tatoeba")
    texts = [item.english for item in everyday.load()[::4]]
    one, other = (
        [found.text for found in translator.translate(texts)]
        for translator in (whole, in_eight_bits(whole))
    )
    assert 0.85 < sum(a == b for a, b in zip(one, other, strict=True)) / len(texts)
