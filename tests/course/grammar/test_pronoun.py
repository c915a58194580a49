"""The minimal pairs of pronoun.tsv, checked against the tokenizer and the lexicon."""

from collections import Counter

import pytest

from course.grammar.lexicon import ADJECTIVES, NOUN_OF_FORM
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import Tokenizer

ITEMS = english_spanish.load_pronoun()
PAIRS = list(zip(ITEMS[::2], ITEMS[1::2], strict=True))


@pytest.fixture(scope="module")
def english():
    return Tokenizer("en", proper=("I",))


def gender(item) -> str:
    """Of the noun that is meant, as the adjective shows it."""
    return "f" if item.right.rstrip("s").endswith("a") else "m"


def meant_first(item) -> bool:
    """Is the meant noun the subject of the main clause (the first of the two)?"""
    return item.antecedent < item.other


def fronted(item) -> bool:
    return item.english.startswith("Because")


def plural(item) -> bool:
    return item.right.endswith("s")


def test_the_english_of_a_pair_differs_in_the_adjective_alone(english):
    for a, b in PAIRS:
        x, y = english(a.english), english(b.english)
        different = [i for i, (left, right) in enumerate(zip(x, y, strict=True)) if left != right]
        assert different == [a.adjective] == [b.adjective], a.english


def test_positions_are_those_of_the_right_words(english):
    for item in ITEMS:
        tokens = english(item.english)
        assert tokens[item.pronoun] == ("they" if plural(item) else "it")
        adjective = ADJECTIVES[tokens[item.adjective]]
        meant, other = (NOUN_OF_FORM[tokens[i]] for i in (item.antecedent, item.other))
        assert meant.default_gender == gender(item) != other.default_gender
        for form, of in ((item.right, meant), (item.wrong, other)):
            assert form == adjective.form(of.default_gender, plural(item))
        words = item.spanish.replace(",", "").split()
        assert words.count(item.right) == 1 and item.wrong not in words
        assert tokens[item.antecedent] == meant.in_english(plural(item))
        assert tokens[item.other] == other.in_english(plural(item))
    for a, b in PAIRS:
        assert (a.pronoun, a.antecedent, a.other) == (b.pronoun, b.other, b.antecedent)


def test_gender_cannot_be_told_from_place_order_or_number():
    share = {
        key: count / len(ITEMS)
        for key, count in Counter((gender(item), meant_first(item)) for item in ITEMS).items()
    }
    assert len(share) == 4 and all(0.2 < value < 0.3 for value in share.values()), share
    for question in (fronted, plural):
        assert 0.35 < sum(map(question, ITEMS)) / len(ITEMS) < 0.65, question.__name__
        for g in "mf":
            same = [item for item in ITEMS if gender(item) == g]
            assert 0.35 < sum(map(question, same)) / len(same) < 0.65, (question.__name__, g)
