"""Experiment: does it help to multiply the embeddings by the root of d_model?

The task is to copy a row of digits. Three toy models differ only at the bottom: as in the paper;
without the factor; without it, but with a table that starts as large as the factor makes it.
"""

import dataclasses
from typing import Any

import torch
from tqdm import tqdm

from transformer_lib.config import TOY
from transformer_lib.corpora import digits
from transformer_lib.experiments import experiment
from transformer_lib.model import Transformer, make_model
from transformer_lib.tokens import Vocabulary
from transformer_lib.training import TrainingConfig, train

BOTTOMS = ("with the factor", "without", "without, but a larger table")
SEEDS = (0, 1, 2)
STEPS = 300
TRAINING, HELD_OUT = 10_000, 500
DIGITS = Vocabulary("0123456789")


def make_copier(bottom: str, seed: int) -> Transformer:
    """An untrained toy model whose bottom is one of BOTTOMS."""
    torch.manual_seed(seed)
    model = make_model(len(DIGITS), len(DIGITS), **dataclasses.asdict(TOY))
    if bottom not in BOTTOMS:
        raise ValueError(f"bottom={bottom!r} must be one of {', '.join(BOTTOMS)}")
    if bottom != "with the factor":
        for embed in (model.src_embed, model.tgt_embed):
            if bottom == "without, but a larger table":
                with torch.no_grad():
                    embed.table.weight.mul_(embed.scale)
            embed.scale = 1.0
    return model


def copying_losses(
    bottom: str, seed: int = 0, steps: int = STEPS, every: int = 25
) -> list[tuple[int, float]]:
    """Train such a model -> (step, loss per token on held-out rows) every so many steps."""
    rows = digits.make("copy", TRAINING + HELD_OUT)
    pairs = [(DIGITS.encode(source), DIGITS.encode(target)) for source, target in rows]
    model = make_copier(bottom, seed)
    how = TrainingConfig(steps=steps, schedule="linear", peak=1e-2, warmup=50,
                         validate_every=every, seed=seed)  # fmt: skip
    bar = tqdm(disable=True)
    history = train(model, pairs[:TRAINING], pairs[TRAINING:], how, bar=bar)
    return [(entry["step"], entry["validation_loss"]) for entry in history]


@experiment("embedding-scale")
def measure_scale() -> dict[str, Any]:
    """How fast toy models learn with and without the root of d_model."""
    results = []
    for bottom in tqdm(BOTTOMS, unit="bottom"):
        for seed in SEEDS:
            losses = [[step, round(loss, 3)] for step, loss in copying_losses(bottom, seed)]
            results.append({"bottom": bottom, "seed": seed, "losses": losses})
    return {"task": "copy", "d_model": TOY.d_model, "steps": STEPS, "results": results}
