"""Experiment: take one thing away, or change it, and see what it was worth (as in Table 3).

The base model is post-norm, as in the paper, with d_model and d_ff divided by eight, two layers
instead of six, four heads instead of eight, and no dropout. The task is to write a row of digits
backwards. Training is stopped early on purpose: with enough of it nearly every row of the table
would read 100 %.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from torch import nn
from tqdm import tqdm

from course.chapters.ch03_positional_encoding.experiments import without_positions
from course.experiments import experiment
from course.experiments.digit_training import digit_pairs, learn, right_rows
from transformer_lib.interpret.recording import attention_layers
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import Transformer, count_parameters
from transformer_lib.training.config import TrainingConfig

BASE = ModelConfig(N=2, d_model=64, d_ff=256, h=4, dropout=0.0)
TRAINING = TrainingConfig(
    steps=300, max_tokens=512, schedule="linear", max_lr=3e-3, warmup=100, validate_every=300
)
SEEDS = (0, 1, 2)


def without_scaling(model: Transformer) -> None:
    """Queries times sqrt(d_k): the division of the scores is undone."""
    d_k = model.config.d_model // model.config.h
    for layer in attention_layers(model).values():
        layer.w_q.register_forward_hook(lambda _, __, query: query * math.sqrt(d_k))


def narrow_keys(d_k: int) -> Callable[[Transformer], None]:
    """Queries and keys of d_k numbers, while the values keep d_model / h."""

    def narrow(model: Transformer) -> None:
        for layer in attention_layers(model).values():
            width = layer.h * d_k
            layer.w_q = nn.Linear(model.config.d_model, width, bias=False)
            layer.w_k = nn.Linear(model.config.d_model, width, bias=False)

    return narrow


class Row(NamedTuple):
    """One row of the table. part: the group it belongs to, by the paper's letters where it has one.

    model, training: what differs from the base. change: what is done to the new model.
    """

    part: str
    what: str
    model: dict[str, Any] = {}
    training: dict[str, Any] = {}
    change: Callable[[Transformer], None] | None = None


ROWS = (
    Row("base", "base"),
    Row("A", "1 head", {"h": 1}),
    Row("A", "2 heads", {"h": 2}),
    Row("A", "8 heads", {"h": 8}),
    Row("A", "16 heads", {"h": 16}),
    Row("B", "d_k = 8", change=narrow_keys(8)),
    Row("B", "d_k = 2", change=narrow_keys(2)),
    Row("C", "1 layer", {"N": 1}),
    Row("C", "4 layers", {"N": 4}),
    Row("C", "d_model = 32", {"d_model": 32}),
    Row("C", "d_model = 128", {"d_model": 128}),
    Row("C", "d_ff = 64", {"d_ff": 64}),
    Row("D", "dropout 0.1", {"dropout": 0.1}),
    Row("D", "dropout 0.2", {"dropout": 0.2}),
    Row("D", "no label smoothing", training={"smoothing": 0.0}),
    Row("D", "label smoothing 0.2", training={"smoothing": 0.2}),
    Row("E", "learned positions", {"positions": "learned"}),
    Row("E", "Tensor2Tensor's positions", {"positions": "tensor2tensor"}),
    Row("F", "no positions", change=without_positions),
    Row("F", "no scaling by √d_k", change=without_scaling),
    Row("F", "pre-norm", {"norm_first": True}),
)


def measure_row(row: Row, seed: int, held_out: list) -> dict[str, Any]:
    """Train the row's model with one seed -> its size, validation loss and share of right rows."""
    config = dataclasses.replace(BASE, **row.model)
    how = dataclasses.replace(TRAINING, seed=seed, **row.training)
    model, history = learn("reverse", config, how, row.change)
    return {
        "part": row.part,
        "what": row.what,
        "seed": seed,
        "parameters": count_parameters(model),
        "validation_loss": history[-1]["validation_loss"],
        "right_rows": round(right_rows(model, held_out), 3),
    }


@experiment("ablations")
def ablation_table() -> dict[str, Any]:
    """A table in the manner of the paper's Table 3, on three seeds: heads, sizes, positions, ..."""
    _, held_out = digit_pairs("reverse")
    every = [(row, seed) for row in ROWS for seed in SEEDS]
    runs = [measure_row(row, seed, held_out) for row, seed in tqdm(every, unit="training")]
    settings = {"model": dataclasses.asdict(BASE), "training": dataclasses.asdict(TRAINING)}
    return {"task": "reverse", **settings, "runs": runs}
