"""What notebook 01 says where no output of a cell shows it."""

from collections import Counter
from itertools import pairwise

from course.chapters.ch01_one_hot.checks import ids_of
from transformer_lib import Translator
from transformer_lib.recipes import learn_language
from transformer_lib.text import english_spanish


def test_ids_rank_words_by_how_often_they_occur():
    texts = [english for english, _ in english_spanish.load("train")[:2_000]]
    language = learn_language("en", texts)
    counts = Counter(token for text in texts for token in language.tokenizer(text))
    often = [counts[token] for token in language.vocab.tokens[4:]]  # after the special tokens
    assert all(one >= other for one, other in pairwise(often))
    assert any(one == other for one, other in pairwise(often))  # so a larger id need not be rarer


def test_the_test_has_7726_words():
    assert len(ids_of("test")) == 7726


def test_10000_sentences_have_no_word_that_the_vocabulary_lacks():
    texts = [english for english, _ in english_spanish.load("train")[:10_000]]
    some = learn_language("en", texts).vocab.tokens
    assert len(set(Translator.load().src.vocab.tokens) - set(some)) == 1
    assert set(some) <= set(Translator.load().src.vocab.tokens)
