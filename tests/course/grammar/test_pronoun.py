"""The minimal pairs of pronoun.tsv, checked against the tokenizer and the lexicon."""

from collections import Counter

import pytest

from course.grammar.lexicon import ADJECTIVES, NOUN_OF_FORM
from course.grammar.morphology import adjective_form
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import Tokenizer

ITEMS = english_spanish.load_pronoun()
PAIRS = list(zip(ITEMS[::2], ITEMS[1::2], strict=True))
COPULAS = {"es", "está", "son", "están", "era", "estaba", "eran", "estaban"}


@pytest.fixture(scope="module")
def english():
    return Tokenizer("en", proper=("I",))


@pytest.fixture(scope="module")
def spanish():
    return Tokenizer("es")


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


def test_the_famous_pairs_open_the_file():
    assert [item.spanish for item in ITEMS[:2]] == [
        "El animal no cruzó la calle porque estaba demasiado cansado",
        "El animal no cruzó la calle porque era demasiado ancha",
    ]
    assert ITEMS[2].english == "The trophy didn't fit in the suitcase because it was too wide"
    assert (ITEMS[2].right, ITEMS[3].right) == ("ancho", "estrecha")


def test_the_english_of_a_pair_differs_in_the_adjective_alone(english):
    for a, b in PAIRS:
        x, y = english(a.english), english(b.english)
        different = [i for i, (left, right) in enumerate(zip(x, y, strict=True)) if left != right]
        assert different == [a.adjective] == [b.adjective], a.english


def test_the_spanish_of_a_pair_differs_in_the_adjective_and_its_copula(spanish):
    for a, b in PAIRS:
        x, y = spanish(a.spanish), spanish(b.spanish)
        different = [(u, v) for u, v in zip(x, y, strict=True) if u != v]
        assert (a.right, b.right) in different, a.spanish
        for u, v in set(different) - {(a.right, b.right)}:
            assert {u, v} <= COPULAS, (a.spanish, b.spanish)


def test_positions_are_those_of_the_right_words(english):
    for item in ITEMS:
        tokens = english(item.english)
        assert tokens[item.pronoun] == ("they" if plural(item) else "it")
        adjective = ADJECTIVES[tokens[item.adjective]]
        meant, other = (NOUN_OF_FORM[tokens[i]] for i in (item.antecedent, item.other))
        assert meant.default_gender == gender(item) != other.default_gender
        assert item.right == adjective_form(adjective.spanish, gender(item), plural(item))
        assert tokens[item.antecedent] == meant.in_english(plural(item))
        assert tokens[item.other] == other.in_english(plural(item))
    for a, b in PAIRS:
        assert (a.pronoun, a.antecedent, a.other) == (b.pronoun, b.other, b.antecedent)


def test_right_and_wrong_are_the_two_genders_of_one_adjective():
    for item in ITEMS:
        words = item.spanish.replace(",", "").split()
        assert words.count(item.right) == 1 and item.wrong not in words
        ending = {"o": "a", "a": "o"}
        stem, last = (
            (item.right[:-2], item.right[-2]) if plural(item) else (item.right[:-1], item.right[-1])
        )
        assert item.wrong == stem + ending[last] + "s" * plural(item)


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


def test_training_has_the_construction_in_every_form(splits):
    """Both genders of both nouns, both orders, both numbers, and about 3 in 10 sentences."""
    seen = Counter()
    because = 0
    for english_side, spanish_side in splits["train"]:
        words = english_side.lower().replace(",", "").split()
        if "because" not in words or not {"it", "they"} & set(words):
            continue
        because += 1
        nouns = [NOUN_OF_FORM[word] for word in words if word in NOUN_OF_FORM]
        form = spanish_side.replace(",", "").split()
        adjective = next((ADJECTIVES[w] for w in reversed(words) if w in ADJECTIVES), None)
        if len(nouns) == 2 and adjective and adjective.inflects:
            many = "they" in words
            agreed = {g for g in "mf" if adjective.form(g, many) in form}
            if len(agreed) == 1:
                genders = tuple(noun.default_gender for noun in nouns)
                seen[(*genders, words[0] == "because", many)] += 1
    assert 0.2 < because / len(splits["train"]) < 0.4
    assert len(seen) == 16 and min(seen.values()) > 100, seen
