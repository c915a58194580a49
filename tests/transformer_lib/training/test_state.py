"""Runs that were stopped or killed go on to the same weights."""

import multiprocessing
import os
import random
import sys
import time
from types import SimpleNamespace

import pytest
import torch

from tests.transformer_lib.training.small_training import copy_pairs, small_model
from transformer_lib import TrainingConfig, Translator, train
from transformer_lib.cli import main
from transformer_lib.files import CheckpointError, read_tensors
from transformer_lib.training.log import read_log
from transformer_lib.training.state import STATE_FILE, rng_states, set_rng_states


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_gpu_s_random_numbers_are_kept_too(monkeypatch, device):
    """With a generator of the processor in the place of the GPU's."""
    gpu = torch.Generator()
    module = SimpleNamespace(get_rng_state=gpu.get_state, set_rng_state=gpu.set_state)
    monkeypatch.setattr(torch, "get_device_module", lambda asked: {device: module}[asked.type])
    states = rng_states(torch.device(device))
    before = torch.rand(3).tolist(), torch.rand(3, generator=gpu).tolist()
    set_rng_states(states, torch.device(device))
    assert before == (torch.rand(3).tolist(), torch.rand(3, generator=gpu).tolist())
    assert list(rng_states(torch.device("cpu"))) == ["random"]  # which will do for a GPU
    set_rng_states({"random": states["random"]}, torch.device(device))
    assert torch.rand(3).tolist() == before[0]


def logged(folder):
    """The log without its speeds, which are never the same."""
    steps, validations = read_log(folder)
    assert all(entry["words_per_second"] > 0 for entry in steps)
    return [entry | {"words_per_second": None} for entry in steps], validations


def test_what_cannot_be_resumed_is_said(tmp_path):
    pairs, held_out = copy_pairs(20), copy_pairs(5, seed=1)
    config = TrainingConfig(steps=2, validate_every=1)

    def run(config=config, resume=True):
        train(small_model(), pairs, held_out, config, folder=tmp_path, resume=resume)

    with pytest.raises(CheckpointError, match="nothing to resume"):
        run()
    run(resume=False)
    with pytest.raises(CheckpointError, match="already holds a training run"):
        run(resume=False)
    with pytest.raises(CheckpointError, match=r"max_tokens=1024, not 9.* only steps and patience"):
        run(TrainingConfig(steps=2, validate_every=1, max_tokens=9))


def test_a_run_goes_on_for_more_steps_or_fewer_and_says_its_new_schedule(tmp_path, capsys):
    pairs, held_out = copy_pairs(20), copy_pairs(5, seed=1)
    how = {"validate_every": 2, "schedule": "linear", "max_lr": 1e-2, "warmup": 1}

    def run(steps, resume=True, **more):
        config = TrainingConfig(steps=steps, **how | more)
        entries = train(small_model(), pairs, held_out, config, folder=tmp_path, resume=resume)
        said = [line for line in capsys.readouterr().err.splitlines() if "steps=" in line]
        return [(entry["step"], entry["learning_rate"]) for entry in entries], said

    before, said = run(4, resume=False)
    assert said == []
    longer, (line,) = run(8)
    assert [step for step, _ in longer] == [2, 4, 6, 8] and longer[:2] == before
    assert all(f"{rate:.3g} at step {step}" in line for step, rate in longer[2:])
    assert "steps=8 instead of 4" in line and run(8, patience=3) == (longer, [])
    shorter, (line,) = run(4)
    assert shorter == longer and "it has made 8 already" in line


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
