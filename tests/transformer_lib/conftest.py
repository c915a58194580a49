"""The command line, and a translator of random weights that knows a few words."""

import pytest

from tests.commands import caller
from transformer_lib import Tokenizer, Translator, Vocabulary, make_model
from transformer_lib.cli import main
from transformer_lib.text.languages import Language

ENGLISH = ["I", "like", "trees", "do", "not", "Ana", "?", "it", "is", "the", "queen", "'s", "duck"]
SPANISH = ["me", "gustan", "los", "árboles", "¿", "?", "Ana"]


@pytest.fixture
def run(capsys):
    """The library's command line, called in this process."""
    return caller(main, capsys)


@pytest.fixture
def translator():
    src = Language(Tokenizer("en", proper=["I", "Ana"]), Vocabulary(ENGLISH))
    tgt = Language(Tokenizer("es", proper=["Ana"]), Vocabulary(SPANISH))
    model = make_model(len(src.vocab), len(tgt.vocab), N=2, d_model=6, d_ff=7, h=3)
    return Translator(model, src, tgt)
