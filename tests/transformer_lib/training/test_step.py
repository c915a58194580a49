"""One update: gradients of several batches against one big batch, and the loss in pieces."""

import contextlib

import pytest
import torch

from tests.transformer_lib.training.copy_task import copy_pairs, same_weights, small_model
from transformer_lib.text.batching import make_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.optimizers import adam
from transformer_lib.training.step import batch_loss, count_tokens, update, validation_loss
from transformer_lib.training.trainer import train


def test_accumulated_batches_are_one_big_batch():
    pairs = copy_pairs(12)
    together, apart = small_model(dropout=0.0), small_model(dropout=0.0)
    for model, parts in ((together, [pairs]), (apart, [pairs[:3], pairs[3:4], pairs[4:]])):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        update(model, optimizer, [make_batch(part) for part in parts], lr=0.5, smoothing=0.1)
    for a, b in zip(together.parameters(), apart.parameters(), strict=True):
        torch.testing.assert_close(a, b)
    assert not same_weights(together, small_model(dropout=0.0))


def test_an_update_gives_the_loss_per_word_of_all_its_batches():
    model, pairs = small_model(dropout=0.0), copy_pairs(7)
    batches = [make_batch(pairs[:2]), make_batch(pairs[2:])]
    losses = [batch_loss(model, batch, smoothing=0.1).item() for batch in batches]
    loss = update(model, adam(model), batches, lr=0.0, smoothing=0.1)
    assert loss == pytest.approx(sum(losses) / count_tokens(batches), rel=1e-5)


def test_a_long_gradient_is_made_as_short_as_asked_and_a_short_one_stays():
    def moved(grad_clip):
        model, start = small_model(dropout=0.0), small_model(dropout=0.0)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        batches = [make_batch(copy_pairs(7))]
        update(model, optimizer, batches, lr=1.0, smoothing=0.0, grad_clip=grad_clip)
        ends = zip(model.parameters(), start.parameters(), strict=True)
        return torch.cat([(a - b).detach().flatten() for a, b in ends])

    whole = moved(None)
    length = whole.norm().item()
    torch.testing.assert_close(moved(length / 4), whole / 4, rtol=1e-4, atol=1e-6)
    assert torch.equal(moved(2 * length), whole)


def test_a_run_clips_by_its_setting():
    def sgd(model):
        return torch.optim.SGD(model.parameters(), lr=0.0)

    ends = []
    for grad_clip in (None, 1e-3):
        config = TrainingConfig(
            steps=1, schedule="linear", max_lr=1.0, warmup=1, grad_clip=grad_clip
        )
        model = small_model(dropout=0.0)
        train(model, copy_pairs(9), copy_pairs(3), config, optimizer=sgd)
        ends.append(model)
    start = small_model(dropout=0.0)
    whole, clipped = (
        sum((a - b).square().sum() for a, b in zip(m.parameters(), start.parameters(), strict=True))
        for m in ends
    )
    assert whole.sqrt() > 1e-2 and clipped.sqrt().item() == pytest.approx(1e-3, rel=0.01)


def test_after_an_update_no_gradient_takes_room():
    model = small_model()
    update(model, adam(model), [make_batch(copy_pairs(3))], lr=0.1, smoothing=0.0)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_gradients_are_exchanged_with_the_last_of_accumulated_batches(monkeypatch):
    exchanged = []

    def sync(loss_of, now):
        exchanged.append(now)
        return contextlib.nullcontext()

    monkeypatch.setattr("transformer_lib.training.step.gradient_sync", sync)
    model = small_model(dropout=0.0)
    batches = [make_batch([([4, 5], [6])]) for _ in range(3)]
    update(model, adam(model), batches, lr=0.0, smoothing=0.0)
    assert exchanged == [False, False, True]


def test_each_of_several_processes_gives_as_many_gradients_as_there_are(monkeypatch):
    """Its share of a sum, of which the mean over all will be taken."""
    models = [small_model(dropout=0.0) for _ in range(3)]
    for model, count in zip(models[1:], (1, 4), strict=True):
        monkeypatch.setattr("transformer_lib.training.step.world_size", lambda count=count: count)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        update(model, optimizer, [make_batch(copy_pairs(7))], lr=0.5, smoothing=0.1)
    for start, alone, of_four in zip(*(model.parameters() for model in models), strict=True):
        torch.testing.assert_close(of_four - start, 4 * (alone - start), atol=2e-6, rtol=1e-3)


def test_validation_is_without_dropout_and_smoothing_and_training_goes_on():
    model, pairs = small_model(dropout=0.5), copy_pairs(9)
    batches = [make_batch(pairs[:4]), make_batch(pairs[4:])]
    found = validation_loss(model, batches)
    assert model.training
    model.eval()
    losses = [batch_loss(model, batch, smoothing=0.0).item() for batch in batches]
    assert found == pytest.approx(sum(losses) / count_tokens(batches))


@pytest.mark.parametrize(("at_a_time", "words"), [(1, 1), (40, 3), (2_000_000, None)])
def test_the_loss_is_that_of_the_whole_model_where_words_are_predicted(
    monkeypatch, at_a_time, words
):
    monkeypatch.setattr("transformer_lib.training.step.LOGITS_AT_A_TIME", at_a_time)
    model, batch = small_model(dropout=0.0), make_batch(copy_pairs(7))
    whole = torch.nn.functional.cross_entropy(
        model(batch.src, batch.tgt_in).flatten(0, 1),
        batch.tgt_out.flatten(),
        ignore_index=0,
        label_smoothing=0.1,
        reduction="sum",
    )
    pieces = []
    model.generator.register_forward_pre_hook(lambda _, given: pieces.append(len(given[0])))
    torch.testing.assert_close(batch_loss(model, batch, smoothing=0.1), whole)
    total, words = count_tokens([batch]), words or count_tokens([batch])
    assert pieces == [min(words, total - start) for start in range(0, total, words)]


def test_bf16_gives_nearly_the_same_loss():
    model, batch = small_model(dropout=0.0), make_batch(copy_pairs(7))
    full, half = (batch_loss(model, batch, 0.1, bf16=bf16).item() for bf16 in (False, True))
    assert half != full
    assert half == pytest.approx(full, rel=0.02)
