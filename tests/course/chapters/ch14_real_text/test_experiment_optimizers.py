"""Two short runs that differ in optimizer and rate alone, beside the model that is shipped."""

import dataclasses

from course.chapters.ch14_real_text import experiment_optimizers as optimizers
from transformer_lib.files import read_json, write_json
from transformer_lib.recipes import RECIPES
from transformer_lib.translator import MODELS, Translator


def test_the_runs_differ_in_optimizer_and_rate_alone(tmp_path, monkeypatch):
    trained = []

    def train_recipe(recipe, folder, *, resume, threads):
        trained.append((recipe, resume))
        write_json(folder / "recipe.json", recipe.to_json())
        write_json(folder / "training.json", {"history": [{"validation_loss": 2.5}]})
        return Translator.load("grammar")

    (tmp_path / "validation.tsv").write_text("I like trees.\tMe gustan los árboles.\n", "utf-8")
    monkeypatch.setattr(optimizers, "train_recipe", train_recipe)
    monkeypatch.setattr(optimizers, "tatoeba", lambda: RECIPES["en-es"])
    monkeypatch.setattr(optimizers, "cache_folder", lambda: tmp_path)
    files = {"validation": tmp_path / "validation.tsv"}
    monkeypatch.setattr(optimizers.downloads, "get", lambda name: files)
    for name in optimizers.RATES:
        (tmp_path / "runs" / f"tatoeba-{name}").mkdir(parents=True)

    found = optimizers.measure_optimizers()["runs"]
    (adam, adam_resumed), (muon, muon_resumed) = trained
    assert not adam_resumed and not muon_resumed
    assert (adam.optimizer, muon.optimizer) == ("adam", "muon")
    same = dataclasses.replace(adam.training, max_lr=muon.training.max_lr)
    assert dataclasses.replace(adam, optimizer="muon", training=same) == muon
    assert adam.training.steps == optimizers.STEPS
    assert [run["max_lr"] for run in found[:2]] == list(optimizers.RATES.values())
    assert found[0]["bleu"] > 99, "the small model knows this sentence"
    shipped = read_json(MODELS["tatoeba"] / "recipe.json")["training"]
    assert (found[2]["seed"], found[2]["steps"]) == (shipped["seed"], shipped["steps"])

    optimizers.measure_optimizers()
    assert trained[2][1] and trained[3][1], "what was stopped goes on"
