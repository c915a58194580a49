"""The files of the corpus, read once for all tests."""

import re

import pytest

from transformer_lib.text import english_spanish

NOT = re.compile(r"\b(do|does|did|is|are|was|were|could|must)n't\b")


def words(english: str) -> tuple[str, ...]:
    """The words of an English sentence, by other rules than the grammar's and the tokenizer's.

    "The queen's cat can't run?" -> the, queen, 's, cat, can, not, run, ?
    """
    english = NOT.sub(r"\1 not", english.lower().replace("can't", "can not"))
    english = english.replace("i'm", "i am").replace("'s", " 's")
    return tuple(re.findall(r"'s|\w+|[,?!]", english))


@pytest.fixture(scope="session")
def splits() -> dict[str, list[tuple[str, str]]]:
    return {name: english_spanish.load(name) for name in english_spanish.SPLITS}


@pytest.fixture(scope="session")
def train(splits) -> list[tuple[tuple[str, ...], str]]:
    """Training as (English words, Spanish text)."""
    return [(words(english), spanish) for english, spanish in splits["train"]]


@pytest.fixture(scope="session")
def tests(splits) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Every other split as (English words, Spanish text)."""
    return {
        name: [(words(english), spanish) for english, spanish in pairs]
        for name, pairs in splits.items()
        if name != "train"
    }
