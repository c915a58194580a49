"""What is shown in a notebook's last line says what it is and how large."""

import pytest

from transformer_lib.text.batching import make_batch
from transformer_lib.text.tokens import Tokenizer, Vocabulary
from transformer_lib.variants import ALiBi, RelativePositions, RMSNorm, Rotary, Window

SHOWN = {
    "Batch(src (1, 3), tgt_in (1, 2), tgt_out (1, 2), on cpu)": make_batch([([4, 5], [6])]),
    "Vocabulary(5 tokens: '<pad>', '<bos>', '<eos>', '<unk>', 'a')": Vocabulary("a".split()),
    "Tokenizer('en', 1 proper words)": Tokenizer("en", ["Ana"]),
    "Rotary(8, base=10000.0)": Rotary(8),
    "ALiBi(4)": ALiBi(4),
    "Window(3)": Window(3),
    "RMSNorm(6, eps=1e-06)": RMSNorm(6),
    "RelativePositions(2, num_buckets=32, max_distance=128)": RelativePositions(2, True),
}


@pytest.mark.parametrize("shown", SHOWN)
def test_it_says_what_it_is(shown):
    assert repr(SHOWN[shown]) == shown


def test_a_translator_says_its_size_its_place_and_its_languages(translator):
    parameters = sum(x.numel() for x in translator.model.parameters())
    for said in (f"Transformer of {parameters:,} parameters on cpu", "'en'", "'es'", "17 tokens"):
        assert said in repr(translator)
