"""train as a student meets it: what it saves, how it goes on, and what it refuses."""

import json

import pytest
import torch

from tests.commands import refused
from transformer_lib.cli import parser
from transformer_lib.recipes import OPTIMIZERS, Recipe


@pytest.mark.slow
def test_a_training_is_not_written_over(run, tmp_path):
    """That what was trained translates, a story types (tests/users/tables.py)."""
    threads = torch.get_num_threads()
    folder = tmp_path / "reverse"
    short = ["--steps", 4, "--threads", threads]
    status, out, _ = run("train", "--task", "reverse", "--out", folder, *short)
    assert status == 0 and str(folder) in out
    refused(run("train", "--task", "reverse", "--out", folder), "already holds", "resume")
    refused(run("train", "--task", "copy", "--out", folder, "--resume"), "other settings")
    before = (folder / "model.safetensors").read_bytes()
    assert run("train", "--out", folder, "--resume")[0] == 0  # it was finished: nothing changes
    assert (folder / "model.safetensors").read_bytes() == before


@pytest.mark.slow
def test_settings_by_name_stop_and_resume(run, tmp_path):
    folder = tmp_path / "run"
    settings = ["--best-by", "bleu", "--patience", 1, "--accumulation-steps", 2]
    settings += ["--set", "validate_every=1", "max_lr=1e-9", "d_ff=48", "dropout=0.5", "steps=9"]
    assert run("train", "--task", "copy", "--out", folder, *settings)[0] == 0
    assert json.loads((folder / "config.json").read_text())["d_ff"] == 48
    recipe = json.loads((folder / "recipe.json").read_text())
    assert (recipe["training"]["accumulation_steps"], recipe["model"]["dropout"]) == (2, 0.5)
    history = json.loads((folder / "training.json").read_text())["history"]
    assert len(history) == 2, "it learns nothing, so the second validation isn't better: it stops"
    assert all("bleu" in entry for entry in history)
    whole = (folder / "model.safetensors").stat().st_size
    again = ["train", "--task", "copy", "--out", folder, "--resume", "--half", *settings]
    assert run(*again)[0] == 0  # it had ended: only the form of its weights changes
    assert (folder / "model.safetensors").stat().st_size < 0.6 * whole
    assert run(*again[:-1], "steps=4")[0] == 0  # it had made two steps, and has no patience left
    assert json.loads((folder / "recipe.json").read_text())["training"]["steps"] == 4


@pytest.mark.slow
def test_another_optimizer_is_part_of_the_recipe(run, tmp_path):
    command = ["train", "--task", "copy", "--steps", 3, "--set", "max_lr=1e-3", "--out"]
    assert run(*command, tmp_path, "--optimizer", "muon")[0] == 0
    path = tmp_path / "recipe.json"
    recipe = json.loads(path.read_text())
    assert recipe["optimizer"] == "muon"
    for name in OPTIMIZERS:
        assert parser().parse_args(["train", "--optimizer", name]).optimizer == name
    refused(run(*command, tmp_path, "--resume"), "other settings")
    assert run("train", "--resume", "--out", tmp_path)[0] == 0  # with its own
    path.write_text(json.dumps(recipe | {"optimizer": "sgd"}))
    refused(run("train", "--resume", "--out", tmp_path), "damaged", "'sgd'", "muon")
    del recipe["optimizer"]  # as before there was a choice
    assert Recipe.from_json(recipe).optimizer == "adam"


def test_a_training_that_is_stopped_says_how_it_goes_on(run, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("transformer_lib.recipes.train_recipe", stop)
    refused(run("train", "--task", "copy", "--out", tmp_path / "run"), "stopped", "--resume")
