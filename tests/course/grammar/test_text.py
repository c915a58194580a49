"""Orthography: how the sentences are written, in every file."""

import re
import unicodedata

import pytest

from transformer_lib.text.tokens import Tokenizer, learn_truecasing

NAMES = "Ana Carmen Elena Lucía María Diego Juan Miguel Pablo Pedro".split()


@pytest.fixture(scope="module")
def every(splits):
    return [pair for pairs in splits.values() for pair in pairs]


def test_text_is_composed_trimmed_and_unspaced(every):
    for pair in every:
        for side in pair:
            assert unicodedata.is_normalized("NFC", side), side
            assert side == " ".join(side.split()), f"spaces in {side!r}"
            assert not re.search(r"[^\w ,?!¿¡']", side), f"odd character in {side!r}"
            assert not re.search(r" [,?!']|[¿¡] |_|,\S", side), f"spacing in {side!r}"


def test_questions_and_exclamations_are_marked_on_both_sides(every):
    for english, spanish in every:
        for mark, opening in ("?¿", "!¡"):
            asked = english.endswith(mark)
            assert english.count(mark) == spanish.count(mark) == spanish.count(opening) == asked
            assert spanish.endswith(mark) == spanish.startswith(opening) == asked


def test_spanish_contracts_a_el_and_de_el_and_avoids_y_before_i(every):
    for _, spanish in every:
        assert not re.search(r"\b(a|de) el\b", spanish.lower()), spanish
        assert not re.search(r"\by h?i", spanish.lower()), spanish


def test_english_contracts_not_and_chooses_a_or_an(every):
    for english, _ in every:
        assert not re.search(r"\b(do|does|did|is|are|was|were|could|must|can|am) not\b", english)
        for article, word in re.findall(r"\b([Aa]n?) (\w)", english):
            assert (article.lower() == "an") == (word.lower() in "aeiou"), english


def test_the_tokenizer_takes_every_sentence_apart_and_together_again(splits):
    train = splits["train"]
    for side, language in enumerate(("en", "es")):
        proper = learn_truecasing((pair[side] for pair in train), Tokenizer(language))
        assert set(proper) >= set(NAMES)
        tokenize = Tokenizer(language, proper)
        known = {word for pair in train for word in tokenize(pair[side])}
        for name in set(splits) - {"train"}:
            for pair in splits[name]:
                tokens = tokenize(pair[side])
                assert set(tokens) <= known, pair[side]
                if language == "es":
                    assert tokenize.detokenize(tokens) == pair[side]
