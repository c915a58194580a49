"""One update: gradients of several batches against one big batch, and the loss in pieces."""

import pytest
import torch

from tests.transformer_lib.training.small_training import copy_pairs, small_model
from transformer_lib.text.batching import make_batch
from transformer_lib.training.step import batch_loss, count_tokens, validation_loss


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
    loss = batch_loss(model, batch, smoothing=0.1)
    torch.testing.assert_close(loss, whole)
    total, words = count_tokens([batch]), words or count_tokens([batch])
    assert pieces == [min(words, total - start) for start in range(0, total, words)]
    assert batch_loss(model, batch, smoothing=0.1, bf16=True) != loss
