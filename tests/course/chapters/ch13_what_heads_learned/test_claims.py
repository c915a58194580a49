"""What notebook 13 says of our translator, where no output of a cell shows it."""

import pytest
import torch

from transformer_lib import PAD, Translator
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.patching import patch_attention
from transformer_lib.interpret.pronouns import PronounBatch, measurable
from transformer_lib.interpret.recording import attention_layers
from transformer_lib.text import english_spanish


def hidden(batch, words, layer):
    """An edit: these English words are seen by no other word, of either language."""

    def edit(weights):
        others = weights.clone()
        others[batch.rows, :, :, words] = 0
        if "encoder" in layer:  # there the word sees itself
            others[batch.rows, :, words, words] = weights[batch.rows, :, words, words]
        return others / others.sum(dim=-1, keepdim=True)

    return edit


@pytest.mark.slow
def test_nothing_that_is_written_depends_on_the_pronoun():
    """Spanish drops it: hidden from all other places, no word changes that the model predicts."""
    translator = Translator.load()
    items = measurable(translator, english_spanish.load_pronoun(), half=1)
    batch, model = PronounBatch(translator, items), translator.model
    layers = [name for name in attention_layers(model) if "encoder" in name or "cross" in name]

    def written(without=None):
        edits = {} if without is None else {name: hidden(batch, without, name) for name in layers}
        with inference_mode(model), patch_attention(model, edits):
            return model(batch.src, batch.tgt_in).argmax(-1)[batch.tgt_out != PAD]

    assert len(layers) == 4 and torch.equal(written(), written(without=batch.pronoun))
    assert not torch.equal(written(), written(without=batch.antecedent))
