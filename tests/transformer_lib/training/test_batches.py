"""Every pair once an epoch, in an order of its own."""

from tests.transformer_lib.training.small_training import copy_pairs
from transformer_lib.text.batching import batch_indices
from transformer_lib.training.batches import batch_order
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.state import TrainState


def test_each_epoch_has_its_number_and_begins_with_its_first_batch():
    pairs, config, run = copy_pairs(40), TrainingConfig(max_tokens=32, seed=3), TrainState()
    batches = batch_order(pairs, config, run)
    for epoch in range(3):
        order = batch_indices(pairs, 32, seed=3 + 1000 * epoch)
        for position, expected in enumerate(order, start=1):
            assert next(batches) == expected
            assert (run.epoch, run.position) == (epoch, position)
