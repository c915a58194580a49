"""Experiments: a language model of the grammar's English sentences, and the floor under its loss.

The sentences are drawn afresh, so that their probabilities are those of the grammar, not of a
corpus that was filtered. On one core the floor takes a minute, the models about 20.
"""

import dataclasses
from functools import cache, partial
from typing import Any

import torch
from tqdm import tqdm

from course.experiments import experiment, load, load_runs
from course.experiments.long_training import TrainSpec, cached, learning_curve
from course.grammar.random_choices import Draw
from course.grammar.splits import draw_sentence
from course.grammar.surprise import entropy_bound
from course.grammar.words import english_text
from transformer_lib.model.config import SMALL, ModelConfig
from transformer_lib.recipes import learn_language
from transformer_lib.text.languages import Language
from transformer_lib.training.config import TrainingConfig
from transformer_lib.variants.language_model import LanguageModel, as_lm_pairs

FLOOR_SENTENCES = 40_000
SENTENCES = (1_000, 3_000, 10_000, 30_000)  # to train on
WIDTHS = (16, 32, 64)  # d_model
VALIDATION, VALIDATION_SEED = 2_000, 12
SHORT_VALIDATION = 500  # of these, for a training in the notebook
SEEDS = (0, 1, 2)
TRAINING = TrainingConfig(
    steps=1500,
    schedule="linear",
    max_lr=4e-3,
    warmup=150,
    smoothing=0.0,
    max_tokens=1024,
    validate_every=250,
    average=1,
)


@experiment("floor")
def floors() -> dict[str, Any]:
    """How many nats per token of the grammar's English no language model can learn away.

    Of the language, from many sentences; and of the very sentences that models are validated on:
    some hundred others have a little more or less surprise in them (see `floor_under`).
    """
    counts = (SHORT_VALIDATION, VALIDATION)
    return {
        "grammar": entropy_bound(FLOOR_SENTENCES),
        "validation": {str(n): entropy_bound(n, VALIDATION_SEED) for n in counts},
    }


def floor_under(validation: int) -> float:
    """Nats per token of the first `validation` sentences to validate on; an upper bound, too."""
    return load("floor")["validation"][str(validation)]["nats_per_token"]


@cache
def sentences(count: int, seed: int) -> list[str]:
    """English sentences that the grammar draws, the same for a seed."""
    draw = Draw(seed)
    return [english_text(draw_sentence(draw).english) for _ in range(count)]


@cache
def language() -> Language:
    """Words of the largest training text: what is rarer is <unk> for every model."""
    return learn_language("en", sentences(max(SENTENCES), seed=11))


def encoded(count: int, seed: int) -> list[list[int]]:
    """The same as ids."""
    return [language().encode(text) for text in sentences(count, seed)]


def config(width: int) -> ModelConfig:
    return dataclasses.replace(
        SMALL, d_model=width, d_ff=4 * width, dropout=0.0, norm_first=True, tie_weights="target"
    )


def learn(
    spec: TrainSpec, how: TrainingConfig, count: int | None = None
) -> tuple[LanguageModel, dict[str, Any]]:
    """Train on so many sentences (None: the most) -> model, and size, time and learning curve."""
    training = as_lm_pairs(encoded(max(SENTENCES), seed=11)[:count])
    validation = as_lm_pairs(encoded(VALIDATION, VALIDATION_SEED))
    torch.manual_seed(how.seed)
    model = spec.build(0, len(language().vocab))
    return model, learning_curve(model, training, validation, spec, how)


def learned(spec: TrainSpec, how: TrainingConfig, count: int) -> dict[str, Any]:
    return learn(spec, how, count)[1]


def of_width(width: int) -> TrainSpec:
    return TrainSpec(str(width), lambda _, vocab_size: LanguageModel(vocab_size, config(width)))


@experiment("language-model")
def distance_to_the_floor() -> dict[str, Any]:
    """How a language model comes nearer to the floor with data, size and steps, on three seeds."""
    largest = [(count, WIDTHS[-1]) for count in SENTENCES]
    every = [*largest, *((SENTENCES[-1], width) for width in WIDTHS[:-1])]
    runs = []
    for count, width in tqdm(every, unit="model"):
        for seed in SEEDS:
            how = dataclasses.replace(TRAINING, seed=seed)
            settings = {
                "sentences": count,
                "d_model": width,
                "seed": seed,
                "training": dataclasses.asdict(how),
            }
            what = partial(learned, of_width(width), how, count)
            runs.append(cached("language-model", settings, what))
    return {"training": dataclasses.asdict(TRAINING), "runs": runs}


def distances() -> dict[str, dict[int, list[float]]]:
    """From the stored models: what grows -> {how large -> nats per token above the floor, by seed}.

    Of each model its best validation; for the steps, the largest model with the most sentences.
    """
    floor = floor_under(VALIDATION)
    found = {"sentences": {}, "weights": {}, "steps": {}}
    for run in load_runs("language-model"):
        best = min(entry["validation_loss"] for entry in run["history"]) - floor
        most, widest = run["sentences"] == max(SENTENCES), run["d_model"] == max(WIDTHS)
        if widest:
            found["sentences"].setdefault(run["sentences"], []).append(best)
        if most:
            found["weights"].setdefault(run["parameters"], []).append(best)
        if most and widest:
            for entry in run["history"]:
                above = entry["validation_loss"] - floor
                found["steps"].setdefault(entry["step"], []).append(above)
    return {what: dict(sorted(sizes.items())) for what, sizes in found.items()}
