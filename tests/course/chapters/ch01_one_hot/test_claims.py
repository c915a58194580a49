"""What notebook 01 says where no output of a cell shows it."""

from collections import Counter
from itertools import pairwise

from transformer_lib.recipes import learn_language
from transformer_lib.text import english_spanish


def test_ids_rank_words_by_how_often_they_occur():
    texts = [english for english, _ in english_spanish.load("train")[:2_000]]
    language = learn_language("en", texts)
    counts = Counter(token for text in texts for token in language.tokenizer(text))
    often = [counts[token] for token in language.vocab.tokens[4:]]  # after the special tokens
    assert all(one >= other for one, other in pairwise(often))
    assert any(one == other for one, other in pairwise(often))  # so a larger id need not be rarer
