"""Experiment: rows of digits backwards, by recurrent translators with a look back and without.

Short enough to be repeated live: a training takes seconds. What share is right for each length of
the row shows whether a state of fixed size is enough.
"""

import dataclasses
from collections import defaultdict
from typing import Any

import torch
from tqdm import tqdm

from course.experiments import experiment
from course.experiments.digit_training import DIGITS, Pairs, digit_pairs, one_thread, right_rows
from course.experiments.looking import attention_in
from transformer_lib.model.transformer import count_parameters
from transformer_lib.text.batching import make_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.trainer import train
from transformer_lib.variants.recurrent import ATTENTIONS, RecurrentConfig, RecurrentTranslator

SIZES = {"N": 1, "d_model": 64, "hidden": 64, "dropout": 0.0}
HOW = TrainingConfig(
    steps=300,
    max_tokens=512,
    schedule="linear",
    max_lr=8e-3,
    warmup=30,
    smoothing=0.0,
    validate_every=300,
)
SEEDS = (0, 1, 2)
ROW = "471903825"


@one_thread()
def learn_backwards(attention: str, seed: int = 0) -> RecurrentTranslator:
    """A recurrent translator of rows of 1 to 10 digits into the same backwards."""
    pairs, held_out = digit_pairs("reverse")
    torch.manual_seed(seed)
    config = RecurrentConfig(attention=attention, **SIZES)
    model = RecurrentTranslator(len(DIGITS), len(DIGITS), config)
    train(model, pairs, held_out, dataclasses.replace(HOW, seed=seed), progress=tqdm(disable=True))
    return model.eval()


def right_by_length(model: RecurrentTranslator) -> dict[int, float]:
    """Number of digits -> the share of held-out rows that are written without a mistake."""
    groups: dict[int, Pairs] = defaultdict(list)
    for source, target in digit_pairs("reverse")[1]:
        groups[len(source)].append((source, target))
    return {length: right_rows(model, groups[length]) for length in sorted(groups)}


def backwards_weights(model: RecurrentTranslator, row: str = ROW) -> torch.Tensor:
    """The attention weights (t, s) with which each digit, and the end, is written."""
    batch = make_batch([(DIGITS.encode([*row]), DIGITS.encode([*row[::-1]]))])
    return attention_in(model, batch)["readout.cross_attn"][0, 0]


@experiment("backwards")
def with_and_without_attention() -> dict[str, Any]:
    """Rows of digits backwards by recurrent translators: right by length, and what they look at."""
    runs = []
    for attention in tqdm(ATTENTIONS, unit="kind"):
        for seed in SEEDS:
            model = learn_backwards(attention, seed)
            right = right_by_length(model)
            run = {
                "attention": attention,
                "seed": seed,
                "parameters": count_parameters(model),
                "by_length": [{"digits": n, "right": right[n]} for n in right],
            }
            if attention != "none":
                weights = backwards_weights(model).tolist()
                run["looks"] = [[round(weight, 3) for weight in line] for line in weights]
            runs.append(run)
    return {"training": dataclasses.asdict(HOW), "sizes": SIZES, "row": ROW, "runs": runs}
