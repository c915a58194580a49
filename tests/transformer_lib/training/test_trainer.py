"""The loop: it learns, repeats with its seed, and keeps the best weights or a mean."""

import io

import pytest
import torch
from tqdm import tqdm

from tests.transformer_lib.training.small_training import (
    Stop,
    copy_pairs,
    same_weights,
    small_model,
)
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.step import batch_loss
from transformer_lib.training.trainer import train


@pytest.mark.parametrize("fast", [False, True])
def test_a_run_in_bf16_takes_float32_where_bf16_would_be_slow(fast, monkeypatch):
    monkeypatch.setattr("transformer_lib.training.trainer.has_fast_bf16", lambda device: fast)
    asked = []

    def loss(model, batch, smoothing, bf16):
        asked.append(bf16)
        return batch_loss(model, batch, smoothing)

    pairs, config = copy_pairs(7), TrainingConfig(steps=1, bf16=True, validate_every=1)
    train(small_model(), pairs, pairs, config, loss=loss)
    assert asked == [fast]


def test_the_bar_counts_every_step_and_those_of_a_run_that_goes_on(tmp_path):
    config = TrainingConfig(steps=4, validate_every=2, max_tokens=64)
    for resume in (False, True):
        bar = tqdm(file=io.StringIO())
        how = {"folder": tmp_path, "progress": bar, "resume": resume}
        train(small_model(), copy_pairs(40), copy_pairs(9), config, **how)
        assert bar.n == bar.total == 4


def test_the_seed_decides_everything():
    runs = []
    for seed in (0, 0, 1):
        config = TrainingConfig(steps=6, validate_every=3, max_tokens=64, seed=seed)
        model = small_model()
        train(model, copy_pairs(99), copy_pairs(9, seed=1), config)
        runs.append(model)
        assert not model.training
    assert same_weights(runs[0], runs[1])
    assert not same_weights(runs[0], runs[2])


def test_it_stops_where_the_loss_no_longer_falls():
    how = {"max_lr": 0.3, "schedule": "linear", "warmup": 100, "max_tokens": 64}
    config = TrainingConfig(steps=400, validate_every=5, patience=3, **how)
    history = train(small_model(dropout=0.0), copy_pairs(99), copy_pairs(9, seed=1), config)
    losses = [entry["validation_loss"] for entry in history]
    assert len(losses) == losses.index(min(losses)) + 1 + 3 < 80


def test_the_best_can_be_that_of_bleu():
    config = TrainingConfig(steps=99, validate_every=1, patience=2, max_tokens=64, best_by="bleu")
    scores, snapshots = iter([10.0, 30.0, 30.0, 20.0, 99.0]), []

    def measure(model):
        snapshots.append([p.detach().clone() for p in model.parameters()])
        return {"bleu": next(scores)}

    model = small_model()
    history = train(model, copy_pairs(99), copy_pairs(9, seed=1), config, measure=measure)
    assert [entry["bleu"] for entry in history] == [10.0, 30.0, 30.0, 20.0]
    losses = [entry["validation_loss"] for entry in history]
    assert losses.index(min(losses)) != 1, "by the loss, another would be the best"
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), snapshots[1], strict=True))


@pytest.mark.slow
def test_averaging_ends_with_the_mean_of_the_last_validations(tmp_path):
    config = TrainingConfig(steps=10, validate_every=2, max_tokens=64, average=3)
    snapshots, pairs, held_out = [], copy_pairs(99), copy_pairs(9, seed=1)

    def run(name, stop_at=9, model=None, **how):
        def remember(model):
            snapshots.append([p.detach().clone() for p in model.parameters()])
            if len(snapshots) == stop_at:
                raise Stop
            return {}

        model = model or small_model()
        train(model, pairs, held_out, config, folder=tmp_path / name, measure=remember, **how)
        return model

    whole = run("whole")
    for parameter, *last in zip(whole.parameters(), *snapshots[-3:], strict=True):
        torch.testing.assert_close(parameter.detach(), torch.stack(last).mean(dim=0))
    kept = {path.name for path in (tmp_path / "whole").glob("weights-*")}
    assert kept == {f"weights-{step}.safetensors" for step in (6, 8, 10)}
    with pytest.raises(Stop):
        run("cut", stop_at=9)
    assert same_weights(run("cut", model=small_model(seed=99), resume=True), whole)
