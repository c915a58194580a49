"""Experiment: what the optimizer and the length of training are worth on everyday sentences."""

import dataclasses
from pathlib import Path
from typing import Any

from course.chapters.ch14_real_text.experiment_everyday import references_of, score
from course.chapters.ch14_real_text.experiments import real_pairs
from course.experiments import experiment
from transformer_lib.files import read_json
from transformer_lib.recipes import tatoeba, train_recipe
from transformer_lib.text.data import cache_folder
from transformer_lib.translator import MODELS, Translator

RATES = {"adam": 2e-3, "muon": 4e-3}  # the highest; Adam's is that of other recipes here
STEPS = 2500  # a quarter of an hour each on one core; the shipped model has eight times as many


@experiment("everyday-optimizers")
def measure_optimizers() -> dict[str, Any]:
    """What Muon, and eight times the steps, are worth on everyday sentences: BLEU on validation.

    The recipe of the model that is shipped, one seed each. A run that was stopped goes on with the
    next call.
    """
    held_out, runs = references_of(real_pairs("validation")), []
    for optimizer, rate in RATES.items():
        recipe = tatoeba()
        training = dataclasses.replace(recipe.training, steps=STEPS, max_lr=rate)
        recipe = dataclasses.replace(recipe, training=training, optimizer=optimizer)
        folder = cache_folder() / "runs" / f"tatoeba-{optimizer}"
        resume = (folder / "recipe.json").exists()
        runs.append((train_recipe(recipe, folder, resume=resume, threads=1), folder))
    runs.append((Translator.load("tatoeba"), MODELS["tatoeba"]))
    return {"runs": [result(translator, folder, held_out) for translator, folder in runs]}


def result(translator: Translator, folder: Path, held_out: dict[str, list[str]]) -> dict[str, Any]:
    recipe, record = (read_json(folder / name) for name in ("recipe.json", "training.json"))
    return {
        "optimizer": recipe["optimizer"],
        **{name: recipe["training"][name] for name in ("max_lr", "steps", "seed")},
        "validation_loss": record["history"][-1]["validation_loss"],
        "bleu": score(translator, held_out, 1)["bleu"],
    }
