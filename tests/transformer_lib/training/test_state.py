"""Runs that were stopped or killed go on to the same weights."""

import json
import multiprocessing
import os
import random
import sys
import time
from itertools import pairwise
from types import SimpleNamespace

import pytest
import torch

from tests.transformer_lib.training.copy_task import (
    VOCAB,
    Stop,
    copy_pairs,
    same_weights,
    small_model,
)
from transformer_lib.cli import main
from transformer_lib.files import CheckpointError, read_tensors, write_tensors
from transformer_lib.model.transformer import make_model
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.log import read_log
from transformer_lib.training.optimizers import adam
from transformer_lib.training.state import (
    STATE_FILE,
    TrainState,
    load_state,
    rng_states,
    save_state,
    set_rng_states,
)
from transformer_lib.training.trainer import _copy_weights, train
from transformer_lib.translator import Translator


def test_a_run_from_before_a_setting_was_there_goes_on_with_its_default(tmp_path):
    pairs, held_out = copy_pairs(20), copy_pairs(5, seed=1)
    config = TrainingConfig(steps=2, validate_every=1)
    model = small_model()
    train(model, pairs, held_out, config, folder=tmp_path)
    tensors, about = read_tensors(tmp_path / STATE_FILE)
    del about["config"]["average"]
    write_tensors(tmp_path / STATE_FILE, tensors, about)
    train(small_model(), pairs, held_out, config, folder=tmp_path, resume=True)
    with pytest.raises(CheckpointError, match="started with average=1, not 2"):
        changed = TrainingConfig(steps=2, validate_every=1, average=2)
        train(small_model(), pairs, held_out, changed, folder=tmp_path, resume=True)


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_gpu_s_random_numbers_are_kept_too(monkeypatch, device):
    """With a generator of the processor in the place of the GPU's."""
    gpu = torch.Generator()
    module = SimpleNamespace(get_rng_state=gpu.get_state, set_rng_state=gpu.set_state)
    monkeypatch.setattr(torch, "get_device_module", lambda asked: {device: module}[asked.type])

    def draws():
        return torch.rand(3).tolist(), torch.rand(3, generator=gpu).tolist()

    states = rng_states(torch.device(device))
    assert sorted(states) == ["random", f"random.{device}"]
    before = draws()
    set_rng_states(states, torch.device(device))
    assert draws() == before
    assert list(rng_states(torch.device("cpu"))) == ["random"]
    set_rng_states({"random": states["random"]}, torch.device(device))
    one, other = draws()
    assert one == before[0] and other != before[1]


@pytest.mark.parametrize(
    "stop_at", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)]
)
def test_a_stopped_run_goes_on_to_the_same_weights(tmp_path, stop_at):
    config = TrainingConfig(steps=20, validate_every=5, max_tokens=64, accumulation_steps=2)
    pairs, held_out = copy_pairs(99), copy_pairs(9, seed=1)
    whole = small_model()
    history = train(whole, pairs, held_out, config, folder=tmp_path / "whole")

    validations = []

    def stop(model):
        validations.append(model)
        if len(validations) == stop_at:
            raise Stop
        return {}

    with pytest.raises(Stop):
        train(small_model(), pairs, held_out, config, folder=tmp_path / "cut", measure=stop)
    resumed = small_model(seed=99)  # its weights come from the file
    torch.manual_seed(99)
    again = train(resumed, pairs, held_out, config, folder=tmp_path / "cut", resume=True)
    assert same_weights(whole, resumed)
    assert again == history
    assert logged(tmp_path / "cut") == logged(tmp_path / "whole")


def logged(folder):
    """The log without its speeds, which are never the same."""
    steps, validations = read_log(folder)
    assert all(entry["words_per_second"] > 0 for entry in steps)
    return [entry | {"words_per_second": None} for entry in steps], validations


def test_a_run_stopped_as_soon_as_its_state_is_saved_has_its_log(tmp_path, monkeypatch):
    config = TrainingConfig(steps=10, validate_every=5, max_tokens=64)
    pairs, held_out = copy_pairs(99), copy_pairs(9, seed=1)
    train(small_model(), pairs, held_out, config, folder=tmp_path / "whole")

    def save_and_stop(folder, model, optimizer, config, run, best):
        save_state(folder, model, optimizer, config, run, best)
        if run.step:
            raise Stop

    with monkeypatch.context() as patch, pytest.raises(Stop):
        patch.setattr("transformer_lib.training.trainer.save_state", save_and_stop)
        train(small_model(), pairs, held_out, config, folder=tmp_path / "cut")
    train(small_model(), pairs, held_out, config, folder=tmp_path / "cut", resume=True)
    assert logged(tmp_path / "cut") == logged(tmp_path / "whole")


def test_what_cannot_be_resumed_is_said(tmp_path):
    pairs, held_out = copy_pairs(20), copy_pairs(5, seed=1)
    config = TrainingConfig(steps=2, validate_every=1)

    def run(config=config, model=None, resume=True):
        train(model or small_model(), pairs, held_out, config, folder=tmp_path, resume=resume)

    with pytest.raises(CheckpointError, match="nothing to resume"):
        run()
    run(resume=False)
    with pytest.raises(CheckpointError, match="already holds a training run"):
        run(resume=False)
    with pytest.raises(CheckpointError, match=r"max_tokens=1024, not 9.* only steps and patience"):
        run(TrainingConfig(steps=2, validate_every=1, max_tokens=9))
    with pytest.raises(CheckpointError, match="made for another model"):
        run(model=make_model(VOCAB, VOCAB, N=2, d_model=16, d_ff=32, h=2))
    state = tmp_path / STATE_FILE
    state.write_bytes(state.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="damaged"):
        run()


def test_a_run_goes_on_for_more_steps_or_fewer_and_says_its_new_schedule(tmp_path, capsys):
    pairs, held_out = copy_pairs(20), copy_pairs(5, seed=1)

    def run(resume=True, **changes):
        settings = {"steps": 4, "schedule": "linear", "max_lr": 1e-2, "warmup": 1} | changes
        config = TrainingConfig(validate_every=2, **settings)
        entries = train(small_model(), pairs, held_out, config, folder=tmp_path, resume=resume)
        said = [line for line in capsys.readouterr().err.splitlines() if "steps=" in line]
        return [(entry["step"], entry["learning_rate"]) for entry in entries], said

    before, said = run(resume=False)
    assert said == []
    longer, said = run(steps=8)
    assert [step for step, _ in longer] == [2, 4, 6, 8] and longer[:2] == before
    (line,) = said
    assert "steps=8 instead of 4" in line
    for step, rate in longer[2:3] + longer[3:]:
        assert f"{rate:.3g} at step {step}" in line
    assert run(steps=8) == (longer, [])  # nothing is left to do
    shorter, (line,) = run(steps=4)
    assert shorter == longer and "it has made 8 already" in line
    assert run(steps=8, patience=3) == (longer, [])


def test_at_each_validation_the_best_weights_are_handed_out(tmp_path):
    """They are what somebody has who stops the run; at the end, what it ends with."""
    pairs, held_out = copy_pairs(99), copy_pairs(9, seed=1)
    for average in (1, 2):
        kept = []

        def keep(weights, kept=kept):
            kept.append({name: tensor.clone() for name, tensor in weights.items()})

        config = TrainingConfig(
            steps=4, validate_every=1, average=average, schedule="linear", max_lr=0.5, warmup=1
        )
        model = small_model()
        history = train(model, pairs, held_out, config, folder=tmp_path / str(average), keep=keep)
        assert len(kept) == 4
        for name, tensor in model.named_parameters():
            assert torch.equal(kept[-1][name], tensor)
        losses = [entry["validation_loss"] for entry in history]
        if average == 1:  # a rate so high that a later validation is worse
            better = [True, *(losses[i] < min(losses[:i]) for i in range(1, 4))]
            assert not all(better)
            name = "generator.proj.weight"
            moved = [not torch.equal(a[name], b[name]) for a, b in pairwise(kept)]
            assert moved == better[1:]


def test_a_part_may_have_a_name_with_a_slash(tmp_path):
    models = [small_model(seed=seed) for seed in (0, 1)]
    for model in models:
        model.add_module("in/out", torch.nn.Linear(2, 3))
    one, other = models
    config = TrainingConfig()
    save_state(tmp_path, one, adam(one), config, TrainState(), _copy_weights(one))
    load_state(tmp_path, other, adam(other), config)
    assert same_weights(one, other)


# Processes of their own that don't each import PyTorch, where they can be copied from one that has.
CONTEXT = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")


@pytest.mark.slow
def test_a_run_killed_at_any_moment_resumes_to_the_same_bytes(tmp_path):
    """The real thing: SIGKILL from outside, again and again, until the run has come to its end."""
    CONTEXT.set_forkserver_preload(["transformer_lib.cli", "torch._dynamo"])  # Adam's
    command = ["train", "--task", "copy", "--steps", "120", "--threads", "1", "--out"]
    whole = CONTEXT.Process(target=run_main, args=[*command, str(tmp_path / "whole")])
    whole.start()
    whole.join()
    assert whole.exitcode == 0

    folder, kills, steps = tmp_path / "killed", 0, []
    command.append(str(folder))
    while not (folder / "training.json").exists() and kills < 30:
        resume = ["--resume"] * (folder / "recipe.json").exists()
        process = CONTEXT.Process(target=run_main, args=[*command, *resume])
        process.start()
        kills += 1
        before = step_reached(folder)
        deadline = time.monotonic() + 300  # a hang, not a slow machine
        while step_reached(folder) == before and process.is_alive():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(random.Random(kills).random() * 0.2)
        process.kill()
        process.join()
        steps.append(step_reached(folder))
        if steps[-1]:
            Translator.load(folder).translate("3 1 4")
    assert kills >= 3, steps  # it really was killed under way
    for name in ("model.safetensors", STATE_FILE, "vocabulary.json", "config.json"):
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    history = [
        json.loads((f / "training.json").read_text())["history"]
        for f in (folder, tmp_path / "whole")
    ]
    assert history[0] == history[1]
    assert logged(folder) == logged(tmp_path / "whole")


def run_main(*words):
    """The command, without what it prints."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout = sys.stderr = nowhere
        sys.exit(main(words))


def step_reached(folder):
    """The step of the saved state, which is never half written."""
    if not (folder / STATE_FILE).exists():
        return None
    return read_tensors(folder / STATE_FILE)[1]["run"]["step"]
