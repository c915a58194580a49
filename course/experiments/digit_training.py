"""What the experiments on rows of digits share: the data, a short training, and the score."""

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager

import torch
from tqdm import tqdm

from transformer_lib.decoding import greedy_decode
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.text import digit_tasks
from transformer_lib.text.batching import Ids, source_batch
from transformer_lib.text.tokens import Vocabulary
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.threads import using_threads
from transformer_lib.training.trainer import train

Pairs = list[tuple[Ids, Ids]]
DIGITS = Vocabulary([*"0123456789"])
TRAINING, HELD_OUT = 10_000, 500


def digit_pairs(task: str, max_length: int = 10) -> tuple[Pairs, Pairs]:
    """Rows of 1 to `max_length` digits, and what the task makes of them, as ids -> training, test.

    No row of the test is in the training data.
    """
    pairs = all_pairs(task, max_length)
    return pairs[:TRAINING], pairs[TRAINING:]


@functools.cache  # each training asks for them, and they take a tenth of its time
def all_pairs(task: str, max_length: int) -> Pairs:
    rows = digit_tasks.make(task, TRAINING + HELD_OUT, max_length=max_length)
    return [(DIGITS.encode(source), DIGITS.encode(target)) for source, target in rows]


def one_thread() -> AbstractContextManager[None]:
    """On one thread a model this small learns fastest, and in the same way on all machines."""
    return using_threads(1)


def learn(
    task: str,
    model: ModelConfig,
    training: TrainingConfig,
    change: Callable[[Transformer], None] | None = None,
    max_length: int = 10,
) -> tuple[Transformer, list[dict]]:
    """Train a new model on a task -> the model and its training history.

    The seed of `training` also decides the initial weights. change: edits the model before
    training.
    """
    return learn_pairs(*digit_pairs(task, max_length), model, training, change)


@one_thread()
def learn_pairs(
    pairs: Pairs,
    held_out: Pairs,
    model: ModelConfig,
    training: TrainingConfig,
    change: Callable[[Transformer], None] | None = None,
    measure: Callable[[Transformer], dict[str, float]] | None = None,
) -> tuple[Transformer, list[dict]]:
    """The same on these pairs. measure: as for `train`."""
    torch.manual_seed(training.seed)
    trained = Transformer(len(DIGITS), len(DIGITS), model)
    if change:
        change(trained)
    quiet = tqdm(disable=True)
    return trained, train(trained, pairs, held_out, training, measure=measure, progress=quiet)


def right_rows(model: Transformer, pairs: Pairs) -> float:
    """Share of the rows that the model writes without a mistake (greedy decoding)."""
    src = source_batch([source for source, _ in pairs])
    # without a cache: an experiment may have changed the model so that a cache doesn't fit it
    written = greedy_decode(model, src, max_length=16, cache=False)
    both = zip(written, pairs, strict=True)
    return sum(row == list(right) for row, (_, right) in both) / len(pairs)
