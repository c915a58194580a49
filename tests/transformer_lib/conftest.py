"""A translator of random weights that knows a few words."""

import pytest
import torch

from transformer_lib.model.transformer import make_model
from transformer_lib.text.languages import Language
from transformer_lib.text.tokens import Tokenizer, Vocabulary
from transformer_lib.translator import Translator

ENGLISH = ["I", "like", "trees", "do", "not", "Ana", "?", "it", "is", "the", "queen", "'s", "duck"]
SPANISH = ["me", "gustan", "los", "árboles", "¿", "?", "Ana"]


@pytest.fixture
def translator():
    torch.manual_seed(0)
    src = Language(Tokenizer("en", proper=["I", "Ana"]), Vocabulary(ENGLISH))
    tgt = Language(Tokenizer("es", proper=["Ana"]), Vocabulary(SPANISH))
    model = make_model(len(src.vocab), len(tgt.vocab), N=2, d_model=6, d_ff=7, h=3)
    return Translator(model, src, tgt)
