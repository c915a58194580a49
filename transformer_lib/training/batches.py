"""Which pairs go together, epoch after epoch."""

from collections.abc import Iterable, Iterator, Sequence

from transformer_lib.text.batching import Batch, Ids, batch_indices, make_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.state import TrainState

Pairs = Sequence[tuple[Ids, Ids]]


def batch_order(pairs: Pairs, config: TrainingConfig, run: TrainState) -> Iterator[list[int]]:
    """Which pairs go together, epoch after epoch, each in an order of its own.

    `run` keeps the place.
    """
    while True:
        order = batch_indices(pairs, config.max_tokens, seed=config.seed + 1000 * run.epoch)
        while run.position < len(order):
            run.position += 1
            yield order[run.position - 1]
        run.epoch, run.position = run.epoch + 1, 0


def batches_of(pairs: Pairs, order: Iterable[list[int]]) -> Iterator[Batch]:
    for chosen in order:
        yield make_batch([pairs[i] for i in chosen])


def all_batches(pairs: Pairs, config: TrainingConfig, run: TrainState) -> Iterator[Batch]:
    """The batches themselves, in that order."""
    return batches_of(pairs, batch_order(pairs, config, run))
