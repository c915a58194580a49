"""What the data card promises about the files, checked on their text."""

import re
from collections import Counter
from itertools import combinations

import pytest

from course.grammar import splits as grammar
from course.grammar.lexicon import ADJECTIVES, NOUN_OF_FORM, NOUNS
from transformer_lib.text import english_spanish

GUSTAR = re.compile(r"(gust|encant|qued)\w+|interesa(n|ba|ban)?")  # not: interesante


NOUN = {form.lower(): noun.english for form, noun in NOUN_OF_FORM.items()}


def nouns_in(words) -> set[str]:
    return {NOUN[word] for word in words if word in NOUN}


def adjectives_in(words) -> set[str]:
    return {word for word in words if word in ADJECTIVES}


def is_gustar(spanish: str) -> bool:
    return any(GUSTAR.fullmatch(word) for word in spanish.lower().strip("¿?¡!").split())


@pytest.fixture(scope="module")
def corpus():
    """The corpus, generated again."""
    return grammar.generate()


@pytest.fixture(scope="module")
def met_nouns(train) -> set[frozenset[str]]:
    """Every pair of nouns that stands in one training sentence."""
    return {frozenset(pair) for words, _ in train for pair in combinations(nouns_in(words), 2)}


# --- Generation --------------------------------------------------------------------------------


def test_the_grammar_writes_the_committed_files_again(corpus):
    for name, text in grammar.render(corpus).items():
        same = (english_spanish.FOLDER / name).read_bytes() == text.encode("utf-8")
        assert same, f"{name} differs"  # without pytest's own comparison of 8 MB, line by line


# --- What stands where -------------------------------------------------------------------------


def test_no_english_sentence_stands_twice_and_each_has_one_translation(splits):
    every = [pair for pairs in splits.values() for pair in pairs]
    assert len({english.lower() for english, _ in every}) == len(every)


def test_noun_adjective_pairs_never_met_in_training(train, tests):
    met = {
        (noun, adjective)
        for words, _ in train
        for noun in nouns_in(words)
        for adjective in adjectives_in(words)
    }
    new = Counter()
    for words, _ in tests["noun-adjective"]:
        pairs = {(n, a) for n in nouns_in(words) for a in adjectives_in(words)} - met
        assert pairs, f"nothing new in {' '.join(words)}"
        new.update(pairs)
    assert len(new) > 150, "few different pairs"


def test_the_two_nouns_of_a_pronoun_sentence_never_met_in_training(met_nouns):
    for item in english_spanish.load_pronoun():
        here = nouns_in(item.english.lower().replace(",", "").split())
        assert len(here) == 2
        assert frozenset(here) not in met_nouns, f"training has {here}"


def test_other_splits_have_no_noun_pair_of_the_pronoun_split(tests, met_nouns):
    held = {
        frozenset(nouns_in(item.english.lower().replace(",", "").split()))
        for item in english_spanish.load_pronoun()
    }
    for name in set(tests) - {"pronoun"}:
        for words, _ in tests[name]:
            here = {frozenset(pair) for pair in combinations(nouns_in(words), 2)}
            assert not here & held, f"{name}: {' '.join(words)}"


def test_gustar_is_about_nouns_that_nobody_likes_in_training(train, tests):
    liked = {noun for words, spanish in train if is_gustar(spanish) for noun in nouns_in(words)}
    new = Counter()
    for words, spanish in tests["gustar"]:
        assert is_gustar(spanish)
        assert nouns_in(words) - liked, f"nothing new in {' '.join(words)}"
        new.update(nouns_in(words) - liked)
    assert len(new) >= 10 and "tree" in new

    singular, plural = Counter(), Counter()
    names = {noun.lower() for noun in NOUNS}
    for words, _ in train:
        singular.update(NOUN[word] for word in words if word in names)
        plural.update(
            NOUN_OF_FORM[w].english for w in words if w in NOUN_OF_FORM and w not in NOUNS
        )
    for noun in new:
        assert singular[noun] > 50, f"{noun} is rare in training"
        assert plural[noun] > 20 or NOUNS[noun].mass, f"{noun} has no plural in training"


def test_longer_sentences_are_longer_than_any_in_training(train, tests):
    longest = max(len(words) for words, _ in train)
    assert longest == 14
    assert min(len(words) for words, _ in tests["longer"]) > longest
    assert all(
        len(words) <= longest for name in set(tests) - {"longer"} for words, _ in tests[name]
    )
