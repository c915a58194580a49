"""Experiment: where the norm goes, and what warm-up has to do with it.

Six layers deep, as in the paper, but narrow, so that one training takes half a minute. The task is
to write a row of digits backwards.
"""

import itertools
from typing import Any

from tqdm import tqdm

from course.experiments import experiment
from course.experiments.digit_training import digit_pairs, learn, right_rows
from transformer_lib.model.config import ModelConfig
from transformer_lib.training.config import TrainingConfig

MAX_LRS = (3e-4, 1e-3, 3e-3)  # the highest learning rate
WARMUPS = (1, 100)  # steps until it is reached; 1 is: without warm-up
SEEDS = (0, 1, 2)
STEPS = 600


def deep(norm_first: bool) -> ModelConfig:
    return ModelConfig(N=6, d_model=64, d_ff=128, h=4, dropout=0.0, norm_first=norm_first)


@experiment("norms")
def post_norm_and_pre_norm() -> dict[str, Any]:
    """Learning curves of post-norm and pre-norm, with and without warm-up, on three seeds."""
    _, held_out = digit_pairs("reverse")
    every = list(itertools.product((False, True), WARMUPS, MAX_LRS, SEEDS))
    runs = []
    for norm_first, warmup, max_lr, seed in tqdm(every, unit="training"):
        how = TrainingConfig(
            steps=STEPS,
            max_tokens=512,
            schedule="linear",
            max_lr=max_lr,
            warmup=warmup,
            validate_every=50,
            seed=seed,
        )
        model, history = learn("reverse", deep(norm_first), how)
        runs.append(
            {
                "norm_first": norm_first,
                "warmup": warmup,
                "max_lr": max_lr,
                "seed": seed,
                "right_rows": round(right_rows(model, held_out), 3),
                "history": [
                    {key: entry[key] for key in ("step", "loss", "validation_loss")}
                    for entry in history
                ],
            }
        )
    return {"task": "reverse", "layers": 6, "steps": STEPS, "runs": runs}
