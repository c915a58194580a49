"""Ids, random numbers and model meet on the model's device, wherever that is.

No GPU is needed: tensors on PyTorch's device "meta" have no numbers, but an operation whose tensors
are on two devices fails as it would on a GPU.
"""

import pytest
import torch

from transformer_lib.interpret.pronouns import PronounBatch
from transformer_lib.model.config import TOY
from transformer_lib.text.batching import make_batch
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.variants.language_model import LanguageModel, generate

ITEM = PronounItem("I like it", "me gustan porque los", 0, 2, 1, 0, 1, "los", "me")


@pytest.fixture
def elsewhere(translator, monkeypatch):
    """A translator on another device, from which nothing can come back."""
    translator.model.to("meta")
    monkeypatch.setattr(torch.Tensor, "cpu", lambda self: self)
    with pytest.raises(RuntimeError):  # so a tensor left behind is noticed
        translator.model(torch.tensor([[4]]), torch.tensor([[1]]))
    return translator


def test_attention_maps(elsewhere):
    weights = elsewhere.attention_maps("I like trees", ["me", "gustan"]).weights
    assert {w.device.type for w in weights.values()} == {"meta"}


def test_pronouns(elsewhere):
    tensors = vars(PronounBatch(elsewhere, [ITEM])).values()
    assert len(tensors) == 12 and {x.device.type for x in tensors} == {"meta"}


@pytest.mark.parametrize("generator", [None, torch.Generator()])
def test_generate(generator):
    model = LanguageModel(11, TOY).to("meta")
    ids = torch.ones(2, 3, dtype=torch.long, device="meta")
    assert generate(model, ids, 2, generator=generator).shape == (2, 5)


def test_batches_move_as_a_whole(elsewhere):
    batch = make_batch([([4, 5], [6])]).to("meta")
    assert elsewhere.model(batch.src, batch.tgt_in).shape == (1, 2, 11)
    assert batch.tgt_out.device.type == elsewhere.device.type == "meta"
