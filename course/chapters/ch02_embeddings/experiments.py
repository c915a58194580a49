"""Experiment: does it help to multiply the embeddings by the root of d_model?

The task is to copy a row of digits. Three toy models differ only at the bottom: as in the paper;
without the factor; without it, but with a table that starts as large as the factor makes it.
"""

from typing import Any

import torch
from tqdm import tqdm

from course.experiments import experiment
from course.experiments.digit_training import learn, one_thread
from transformer_lib.model.config import TOY
from transformer_lib.model.transformer import Transformer
from transformer_lib.training.config import TrainingConfig

BOTTOMS = ("with the factor", "without", "without, but a larger table")
SEEDS = (0, 1, 2)
STEPS = 300


def change_bottom(model: Transformer, bottom: str) -> None:
    """Make the bottom of a new model one of BOTTOMS."""
    for embed in (model.src_embed, model.tgt_embed):
        if bottom == "without, but a larger table":
            with torch.no_grad():
                embed.table.weight.mul_(embed.scale)
        if bottom != "with the factor":
            embed.scale = 1.0


@one_thread()
def copying_losses(bottom: str, seed: int) -> list[list[float]]:
    """Train a toy model on copying -> [step, loss per token on held-out rows], every so often."""
    how = TrainingConfig(
        steps=STEPS, schedule="linear", max_lr=1e-2, warmup=50, validate_every=25, seed=seed
    )
    _, history = learn("copy", TOY, how, change=lambda model: change_bottom(model, bottom))
    return [[entry["step"], round(entry["validation_loss"], 3)] for entry in history]


@experiment("embedding-scale")
def measure_scale() -> dict[str, Any]:
    """How fast toy models learn with and without the root of d_model."""
    results = []
    for bottom in tqdm(BOTTOMS, unit="bottom"):
        for seed in SEEDS:
            losses = copying_losses(bottom, seed)
            results.append({"bottom": bottom, "seed": seed, "losses": losses})
    return {"task": "copy", "d_model": TOY.d_model, "steps": STEPS, "results": results}
