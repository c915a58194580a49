"""What the data card promises about the files, checked on their text."""

import re
from collections import Counter
from itertools import combinations

import pytest

from course.grammar import splits as grammar
from course.grammar.lexicon import ADJECTIVES, NOUN_OF_FORM, NOUNS
from course.grammar.random_choices import Draw
from transformer_lib.text import english_spanish

GUSTAR = re.compile(r"(gust|encant|qued)\w+|interesa(n|ba|ban)?")  # not: interesante
NOUN = {form.lower(): noun.english for form, noun in NOUN_OF_FORM.items()}


def nouns_in(words) -> set[str]:
    return {NOUN[word] for word in words if word in NOUN}


def pairs_in(words) -> set[tuple[str, str]]:
    """Every noun with every adjective."""
    return {(noun, word) for noun in nouns_in(words) for word in words if word in ADJECTIVES}


def is_gustar(spanish: str) -> bool:
    return any(GUSTAR.fullmatch(word) for word in spanish.lower().strip("¿?¡!").split())


# --- Generation --------------------------------------------------------------------------------


def test_the_grammar_writes_the_committed_training_text_again(monkeypatch):
    """Its beginning: the rest, and the other splits, are for the night."""
    monkeypatch.setitem(grammar.SIZES, "train", 40_000)
    corpus = grammar.Corpus()
    corpus.fill_train(Draw(seed=1))
    first = corpus.splits["train"][: int(grammar.TOP_UP * 40_000)]
    assert first == english_spanish.load("train")[: len(first)]


@pytest.mark.nightly
def test_the_grammar_writes_the_committed_files_again():
    for name, text in grammar.render(grammar.generate()).items():
        same = (english_spanish.FOLDER / name).read_bytes() == text.encode("utf-8")
        assert same, f"{name} differs"  # without pytest's own comparison of 8 MB, line by line


# --- What stands where -------------------------------------------------------------------------


def test_no_english_sentence_stands_twice_and_each_has_one_translation(splits):
    every = [pair for pairs in splits.values() for pair in pairs]
    assert len({english.lower() for english, _ in every}) == len(every)


def test_noun_adjective_pairs_never_met_in_training(train, tests):
    met = {pair for words, _ in train for pair in pairs_in(words)}
    new = Counter()
    for words, _ in tests["noun-adjective"]:
        pairs = pairs_in(words) - met
        assert pairs, f"nothing new in {' '.join(words)}"
        new.update(pairs)
    assert len(new) > 150, "few different pairs"


def test_the_two_nouns_of_a_pronoun_sentence_never_meet_elsewhere(train, tests):
    """Neither in training nor in another split."""
    held = {frozenset(nouns_in(words)) for words, _ in tests["pronoun"]}
    assert {len(pair) for pair in held} == {2}
    others = [tests[name] for name in tests if name != "pronoun"]
    for words, _ in sum(others, train):
        met = {frozenset(pair) for pair in combinations(nouns_in(words), 2)}
        assert not met & held, " ".join(words)


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


def test_only_longer_sentences_are_longer_than_any_in_training(tests):
    """How long those of training and of `longer` are, test_data_card.py says."""
    for name in set(tests) - {"longer"}:
        assert max(len(words) for words, _ in tests[name]) <= 14, name
