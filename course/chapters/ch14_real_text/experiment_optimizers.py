"""Experiment: what the optimizer and the length of training are worth on everyday sentences."""

import dataclasses
from typing import Any

from course.chapters.ch14_real_text.experiment_everyday import references_of, score
from course.experiments import experiment
from transformer_lib.files import read_json
from transformer_lib.recipes import tatoeba, train_recipe
from transformer_lib.text import downloads
from transformer_lib.text.data import cache_folder
from transformer_lib.text.parallel import read_parallel
from transformer_lib.translator import MODELS, Translator

RATES = {"adam": 2e-3, "muon": 4e-3}  # the highest; Adam's is that of other recipes here
STEPS = 2500  # a quarter of an hour each on one core; the shipped model has eight times as many


@experiment("everyday-optimizers")
def measure_optimizers() -> dict[str, Any]:
    """What Muon, and eight times the steps, are worth on everyday sentences: BLEU on validation.

    The recipe of the model that is shipped, one seed each. A run that was stopped goes on with the
    next call.
    """
    pairs = read_parallel([downloads.get("tatoeba-en-es")["validation"]])
    held_out, runs = references_of(pairs), []
    for optimizer, rate in RATES.items():
        recipe = tatoeba()
        training = dataclasses.replace(recipe.training, steps=STEPS, max_lr=rate)
        recipe = dataclasses.replace(recipe, training=training, optimizer=optimizer)
        folder = cache_folder() / "runs" / f"tatoeba-{optimizer}"
        resume = (folder / "recipe.json").exists()
        translator = train_recipe(recipe, folder, resume=resume, threads=1)
        losses = read_json(folder / "training.json")["history"]
        runs.append(_result(recipe.to_json(), losses, score(translator, held_out, 1)["bleu"]))
    shipped = MODELS["tatoeba"]
    losses = read_json(shipped / "training.json")["history"]
    bleu = score(Translator.load(shipped), held_out, 1)["bleu"]
    return {"runs": [*runs, _result(read_json(shipped / "recipe.json"), losses, bleu)]}


def _result(recipe: dict[str, Any], losses: list[dict[str, float]], bleu: float) -> dict[str, Any]:
    training = recipe["training"]
    return {
        "optimizer": recipe["optimizer"],
        "max_lr": training["max_lr"],
        "steps": training["steps"],
        "seed": training["seed"],
        "validation_loss": losses[-1]["validation_loss"],
        "bleu": bleu,
    }
