"""What notebook 13 says of our translator, where no output of a cell shows it."""

import pytest
import torch

from course.chapters.ch13_what_heads_learned.experiment_thread import unseen_by_others
from transformer_lib import PAD
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.patching import block_attention, patch_attention
from transformer_lib.interpret.pronouns import PronounBatch, head_accuracy, measurable
from transformer_lib.interpret.recording import attention_layers
from transformer_lib.text import english_spanish


def hidden(batch, words, layer):
    """An edit: these English words are seen by no other word, of either language."""
    if "encoder" in layer:
        return unseen_by_others(batch.rows, words)
    return block_attention(batch.rows, slice(None), [words])


@pytest.fixture(scope="module")
def items(translator):
    return measurable(translator, english_spanish.load_pronoun(), half=1)


@pytest.mark.slow
def test_nothing_that_is_written_depends_on_the_pronoun(translator, items):
    """Spanish drops it: hidden from all other places, no word changes that the model predicts."""
    batch, model = PronounBatch(translator, items), translator.model
    layers = [name for name in attention_layers(model) if "encoder" in name or "cross" in name]

    def written(without=None):
        edits = {} if without is None else {name: hidden(batch, without, name) for name in layers}
        with inference_mode(model), patch_attention(model, edits):
            return model(batch.src, batch.tgt_in).argmax(-1)[batch.tgt_out != PAD]

    assert len(layers) == 4 and torch.equal(written(), written(without=batch.pronoun))
    assert not torch.equal(written(), written(without=batch.antecedent))


@pytest.mark.slow
def test_the_head_of_the_pronoun_finds_nouns_from_it_and_none_from_they(translator, items):
    def shares(pronoun):
        which = [item for item in items if pronoun in item.english.lower().split()]
        rows = head_accuracy(translator, PronounBatch(translator, which))
        place = ("pronoun", "encoder.layers.1.self_attn", 2)
        (row,) = [row for row in rows if (row["from"], row["layer"], row["head"]) == place]
        return len(which), round(100 * row["right"]), round(100 * row["other"])

    assert shares("it") == (272, 50, 46) and shares("they") == (226, 0, 0)
