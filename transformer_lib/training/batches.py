"""The order of the batches, epoch after epoch."""

from collections.abc import Iterable, Iterator, Sequence

from transformer_lib.checks import instance
from transformer_lib.text.batching import Batch, Ids, batch_indices, make_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.state import TrainState

Pairs = Sequence[tuple[Ids, Ids]]  # ids of source and target


def check_pairs(pairs: Pairs, validation: Pairs, config: TrainingConfig) -> None:
    """TypeError unless config is one, ValueError without a pair to train on or to validate on."""
    instance("config", config, TrainingConfig)
    if not pairs or not validation:
        raise ValueError("training needs at least one pair to train on and one to validate on")


def batch_order(pairs: Pairs, config: TrainingConfig, run: TrainState) -> Iterator[list[int]]:
    """The indices of the pairs in each batch, without end; each epoch has an order of its own.

    run: its epoch and position say where to begin; they are updated with each batch.
    """
    while True:
        order = batch_indices(pairs, config.max_tokens, seed=config.seed + 1000 * run.epoch)
        while run.position < len(order):
            run.position += 1
            yield order[run.position - 1]
        run.epoch, run.position = run.epoch + 1, 0


def batches_of(pairs: Pairs, order: Iterable[list[int]]) -> Iterator[Batch]:
    """The batches whose pairs have these indices."""
    for chosen in order:
        yield make_batch([pairs[i] for i in chosen])


def all_batches(
    pairs: Pairs, config: TrainingConfig, run: TrainState | None = None
) -> Iterator[Batch]:
    """The batches themselves, in the order of `batch_order` (run=None: from the beginning)."""
    return batches_of(pairs, batch_order(pairs, config, run or TrainState()))
