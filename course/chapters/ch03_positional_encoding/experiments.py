"""Experiment: computed positions, learned positions and none, on a task learned in seconds.

The task is to copy a row of digits: 3 1 4 -> 3 1 4. To write the third digit the model has to find
the third digit, and only the positions say which one that is.
"""

import dataclasses
from typing import Any

from tqdm import tqdm

from course.experiments import experiment
from course.experiments.digit_training import DIGITS, learn, one_thread
from transformer_lib.decoding import greedy_decode
from transformer_lib.model.config import TOY
from transformer_lib.model.transformer import Transformer
from transformer_lib.text import digit_tasks
from transformer_lib.text.batching import source_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.variants import NoPositions

KINDS = ("paper", "tensor2tensor", "learned", "none")
SEEDS = (0, 1, 2)
TRAINED_TO = 10  # digits in the longest row of the training data
LENGTHS = (*range(1, 16), 20)
STEPS = 500


def without_positions(model: Transformer) -> None:
    model.src_positions, model.tgt_positions = NoPositions(), NoPositions()


def learn_to_copy(
    kind: str,
    seed: int = 0,
    *,
    longest: int = TRAINED_TO,
    steps: int = STEPS,
    max_tokens: int = 1024,
) -> Transformer:
    """A toy Transformer trained to copy rows of 1 to `longest` digits -> the model.

    kind: "paper", "tensor2tensor" or "learned" positions, or "none". The rest: `TrainingConfig`.
    """
    config = dataclasses.replace(TOY, positions="paper" if kind == "none" else kind)
    how = TrainingConfig(
        steps=steps,
        schedule="linear",
        max_lr=1e-2,
        warmup=50,
        seed=seed,
        max_tokens=max_tokens,
        validate_every=steps // 4,
    )
    change = without_positions if kind == "none" else None
    return learn("copy", config, how, change, max_length=longest)[0]


def rows_of(length: int) -> list[list[int]]:
    """Ids of 200 rows of exactly `length` digits, in a fixed order (of length 1 there are 10)."""
    count = min(200, 10**length)
    rows = digit_tasks.make("copy", count, min_length=length, max_length=length, seed=1)
    return [DIGITS.encode(row) for row, _ in rows]


@one_thread()
def copying(model: Transformer, length: int) -> dict[str, float]:
    """How a model copies rows of this length, as shares of the rows or of the digits.

    exact: rows without a mistake. bag: rows with the right digits, in whatever order.
    digits: places that hold the right digit. begun: rows whose first ten digits are right, as many
    as the longest row of the training data has. stopped: copies that end after ten.
    """
    rows = rows_of(length)
    written = greedy_decode(model, source_batch(rows), max_length=2 * length + 2)
    pairs = list(zip(rows, written, strict=True))
    right = sum(a == b for row, copy in pairs for a, b in zip(row, copy, strict=False))
    return {
        "exact": sum(row == copy for row, copy in pairs) / len(pairs),
        "bag": sum(sorted(row) == sorted(copy) for row, copy in pairs) / len(pairs),
        "digits": right / (length * len(pairs)),
        "begun": sum(row[:TRAINED_TO] == copy[:TRAINED_TO] for row, copy in pairs) / len(pairs),
        "stopped": sum(len(copy) == TRAINED_TO for _, copy in pairs) / len(pairs),
    }


@experiment("positions")
def measure_positions() -> dict[str, Any]:
    """How far computed and learned positions reach beyond the training length, and none at all."""
    results = []
    for kind in tqdm(KINDS, unit="kind"):
        for seed in SEEDS:
            model = learn_to_copy(kind, seed)
            for length in LENGTHS:
                found = {name: round(share, 3) for name, share in copying(model, length).items()}
                results.append({"kind": kind, "seed": seed, "length": length, **found})
    return {"task": "copy", "trained_to": TRAINED_TO, "steps": STEPS, "results": results}
