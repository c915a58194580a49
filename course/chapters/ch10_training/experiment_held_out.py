"""Experiment: what a model learns by heart and what it understands, on few pairs and on many.

The task is to write a row of digits backwards. With few rows to learn from, a model can learn each
by heart; with many, it is easier to find the rule.
"""

from typing import Any

from tqdm import tqdm

from course.experiments import experiment
from course.experiments.digit_training import Pairs, digit_pairs, learn_pairs, right_rows
from transformer_lib.model.config import TOY
from transformer_lib.model.transformer import Transformer
from transformer_lib.training.config import TrainingConfig

COUNTS = (50, 10_000)  # pairs to learn from
SEEDS = (0, 1, 2)
STEPS = 400
LOOK_AT = 50  # rows of each kind that are written out at each validation


def learn_from(pairs: Pairs, held_out: Pairs, seed: int) -> list[dict]:
    """Train a new toy model on these pairs, without label smoothing -> the history.

    Beside the losses it holds the share of rows written without a mistake, among those that the
    model learns from ("seen") and among the held-out ones ("new").
    """

    def measure(model: Transformer) -> dict[str, float]:
        return {
            "seen": round(right_rows(model, pairs[:LOOK_AT]), 3),
            "new": round(right_rows(model, held_out[:LOOK_AT]), 3),
        }

    how = TrainingConfig(
        steps=STEPS,
        max_tokens=512,
        schedule="linear",
        max_lr=5e-3,
        warmup=30,
        smoothing=0.0,
        validate_every=25,
        seed=seed,
    )
    return learn_pairs(pairs, held_out, TOY, how, measure=measure)[1]


@experiment("held-out")
def few_and_many() -> dict[str, Any]:
    """Learning curves on 50 and on 10,000 pairs: the loss on these pairs and on held-out ones."""
    pairs, held_out = digit_pairs("reverse")
    runs = [
        {"pairs": count, "seed": seed, "history": learn_from(pairs[:count], held_out, seed)}
        for count in COUNTS
        for seed in tqdm(SEEDS, unit="training", desc=f"{count} pairs")
    ]
    return {"task": "reverse", "steps": STEPS, "runs": runs}
