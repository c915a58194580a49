"""Orthography: how the sentences are written, in every file."""

import re
import unicodedata

import pytest

from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import Tokenizer, learn_truecasing

NAMES = "Ana Carmen Elena Lucía María Diego Juan Miguel Pablo Pedro".split()


@pytest.fixture(scope="module")
def every(splits):
    return [pair for pairs in splits.values() for pair in pairs]


def first_letter(text: str) -> str:
    return text.lstrip("¿¡")[0]


def test_files_are_plain_utf8_with_line_feeds():
    for name in english_spanish.SPLITS:
        content = (english_spanish.FOLDER / f"{name}.tsv").read_bytes()
        assert b"\r" not in content and not content.startswith(b"\xef\xbb\xbf")
        assert content.endswith(b"\n") and not content.endswith(b"\n\n")


def test_text_is_composed_trimmed_and_unspaced(every):
    for pair in every:
        for side in pair:
            assert unicodedata.is_normalized("NFC", side), side
            assert side == " ".join(side.split()), f"spaces in {side!r}"
            assert not re.search(r"[^\w ,?!¿¡']", side), f"odd character in {side!r}"
            assert not re.search(r" [,?!']|[¿¡] |_|,\S", side), f"spacing in {side!r}"


def test_sentences_start_with_a_capital_and_end_without_a_period(every):
    for pair in every:
        for side in pair:
            assert first_letter(side).isupper() and side[-1] != ".", side


def test_capitals_inside_a_sentence_are_names(every):
    english = {"I", "I'm", "English", "Spanish", "Sunday", "Sundays", *NAMES}
    for pair in every:
        for side, allowed in zip(pair, (english, set(NAMES)), strict=True):
            for word in side.lstrip("¿¡").split()[1:]:
                if not word.islower():
                    assert word.strip(",?!").removesuffix("'s") in allowed, side


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


def test_feminine_nouns_with_a_stressed_a_take_el_and_un(every):
    seen = set()
    for _, spanish in every:
        assert not re.search(r"\b(la|una) (agua|águila|aula)\b", spanish.lower()), spanish
        seen.update(re.findall(r"\b(?:el|un|del|al) (?:agua|águila|aula)\b", spanish.lower()))
    assert {"el agua", "un águila", "el águila", "el aula"} <= seen


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
