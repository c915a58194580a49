"""What the tests of the chapters share: the two translators that come with the library."""

import pytest

from transformer_lib import Translator


@pytest.fixture(scope="session")
def translator() -> Translator:
    return Translator.load()


@pytest.fixture(scope="session")
def larger() -> Translator:
    return Translator.load("tatoeba")
