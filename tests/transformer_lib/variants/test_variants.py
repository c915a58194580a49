"""What holds of every new part in the place of one of the paper's: it learns, caches, hides."""

import dataclasses

import pytest
import torch
import torch.nn.functional as F

from tests.transformer_lib.variants.changed_models import CHANGES, SRC, H, changed, small_model
from transformer_lib.decoding import DecoderState, beam_search, greedy_decode
from transformer_lib.interpret.patching import patch_attention
from transformer_lib.interpret.recording import record_attention
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.batching import source_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.trainer import train
from transformer_lib.variants import adamw, balanced_loss, muon

close = torch.testing.assert_close

TGT_IN = torch.tensor([[1, 5, 6, 0, 0], [1, 5, 6, 7, 8], [1, 9, 9, 9, 0]])
EVERY_CHANGE = pytest.mark.parametrize("name", CHANGES)


@EVERY_CHANGE
def test_every_part_learns_and_no_parameter_is_left_out(name):
    model = small_model()
    CHANGES[name](model)
    src, tgt_in = torch.randint(4, 11, (2, 17, 13))  # words enough for every expert
    model(src, tgt_in).square().sum().backward()
    idle = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert idle == []


# --- decoding, looking inside, training


SOURCES = source_batch([[5, 6, 7], [8], [9, 10, 5, 6, 7, 8], [4, 4]])


@EVERY_CHANGE
def test_with_a_cache_it_writes_the_same_words(name):
    model = changed(name)
    words, beams = (
        [write(model, SOURCES, max_length=9, cache=cache) for cache in (True, False)]
        for write in (greedy_decode, beam_search)
    )
    assert words[0] == words[1]
    assert [each[0].ids for each in beams[0]] == [each[0].ids for each in beams[1]]


@EVERY_CHANGE
def test_with_a_cache_it_thinks_the_same(name):
    # whatever the words are, also when the rows of the batch change places
    model = changed(name)
    cached, plain = (DecoderState(model, SOURCES, 9, cache=cache) for cache in (True, False))
    for place in range(9):
        with torch.no_grad():
            close(cached.next_logits(), plain.next_logits())
        words, rows = torch.randint(3, 11, (4,)), torch.randperm(4)
        for state in (cached, plain):
            state.append(words)
            if place == 4:
                state.select(rows)


@EVERY_CHANGE
def test_no_part_sees_the_future(name):
    model = changed(name)
    later = TGT_IN.clone()
    later[1, 3:] = torch.tensor([9, 10])
    before, after = model(SRC, TGT_IN)[1], model(SRC, later)[1]
    close(before[:3], after[:3])
    assert (before[3:] - after[3:]).abs().max() > 1e-3


@EVERY_CHANGE
def test_padding_changes_nothing(name):
    model = changed(name)
    wider = F.pad(SRC, (0, 3))
    close(model(wider, TGT_IN), model(SRC, TGT_IN))
    close(model(SRC[1:2, :4], TGT_IN[1:2]), model(SRC, TGT_IN)[1:2])


@pytest.mark.parametrize("name", ["rotary", "QK-norm", "ALiBi", "window", "grouped queries"])
def test_what_is_recorded_is_what_is_used(name):
    model = changed(name)
    layer = "decoder.layers.1.self_attn"
    with record_attention(model) as weights:
        plain = model(SRC, TGT_IN)
    assert weights[layer].shape == (3, H, 5, 5)
    with patch_attention(model, {layer: lambda computed: weights[layer]}):
        close(model(SRC, TGT_IN), plain)
    with patch_attention(model, {layer: lambda computed: computed.flip(1)}):
        assert (model(SRC, TGT_IN) - plain).abs().max() > 1e-3


PAIRS = [([5 + i % 6, 5 + i % 5], [5 + i % 5, 5 + i % 6, 4]) for i in range(30)]


@pytest.mark.parametrize(("optimizer", "schedule"), [(adamw, "cosine"), (muon, "stable")])
@pytest.mark.slow
def test_it_trains_and_goes_on_after_a_stop(optimizer, schedule, tmp_path):
    config = TrainingConfig(
        steps=6, max_tokens=64, schedule=schedule, max_lr=0.01, warmup=2, validate_every=3
    )

    losses = []

    def loss(*batch):
        losses.append(balanced_loss(*batch))
        return losses[-1]

    def run(folder=None, **how):
        model = changed("mixture").float()
        history = train(
            model, PAIRS, PAIRS, config, optimizer=optimizer, loss=loss, folder=folder, **how
        )
        return history, model(SRC, TGT_IN)

    def stop(_):
        raise KeyboardInterrupt

    history, straight = run()
    assert len(losses) == 6
    assert history[-1]["validation_loss"] < history[0]["validation_loss"]
    calls = iter([lambda _: {}, stop])
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, measure=lambda model: next(calls)(model))
    resumed_history, resumed = run(tmp_path, resume=True)
    assert resumed_history == history
    close(resumed, straight, rtol=0, atol=0)


def test_the_paper_is_still_the_paper():
    # the classes of the paper import nothing from here, and their defaults are unchanged
    fields = {field.name for field in dataclasses.fields(ModelConfig)}
    assert fields == {
        "N",
        "d_model",
        "d_ff",
        "h",
        "dropout",
        "norm_first",
        "tie_weights",
        "positions",
    }
    plain = Transformer(11, 11, ModelConfig(N=1, d_model=8, d_ff=8, h=2))
    assert {type(m) for m in plain.modules() if "since" in type(m).__module__} == set()
