"""The loop: it learns, repeats with its seed, and keeps the best weights or a mean."""

import io
import math

import pytest
import torch
from tqdm import tqdm

from tests.transformer_lib.training.copy_task import (
    VOCAB,
    Stop,
    copy_pairs,
    same_weights,
    small_model,
)
from transformer_lib.decoding import greedy_decode
from transformer_lib.text.batching import make_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.schedules import paper_schedule
from transformer_lib.training.state import TrainState
from transformer_lib.training.step import batch_loss
from transformer_lib.training.trainer import is_best, train


def test_the_bar_counts_every_step_and_those_of_a_run_that_goes_on(tmp_path):
    config = TrainingConfig(steps=4, validate_every=2, max_tokens=64)
    for resume in (False, True):
        how = {"folder": tmp_path, "progress": (bar := tqdm(file=io.StringIO()))}
        train(small_model(), copy_pairs(40), copy_pairs(9), config, resume=resume, **how)
        assert bar.n == bar.total == 4


@pytest.mark.slow
def test_the_optimizer_sees_the_schedule_from_step_one_on():
    model = small_model()
    config = TrainingConfig(steps=3, warmup=10, validate_every=1, max_tokens=64)
    history = train(model, copy_pairs(50), copy_pairs(5, seed=1), config)
    assert [entry["learning_rate"] for entry in history] == [
        pytest.approx(paper_schedule(step, d_model=16, warmup=10)) for step in (1, 2, 3)
    ]


def test_accumulation_steps_the_schedule_once_per_update():
    pairs, held_out = copy_pairs(60), copy_pairs(5, seed=1)
    config = TrainingConfig(
        steps=2, accumulation_steps=3, warmup=10, validate_every=1, max_tokens=32
    )
    history = train(small_model(), pairs, held_out, config)
    assert [entry["step"] for entry in history] == [1, 2]


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


def test_what_is_stored_has_four_digits_and_the_model_is_ready_to_write():
    model, config = small_model(), TrainingConfig(steps=6, validate_every=2, max_tokens=64)
    history = train(model, copy_pairs(40), copy_pairs(9, seed=1), config)
    assert not model.training
    for name in ("loss", "validation_loss"):
        stored = [entry[name] for entry in history]
        assert stored == [round(loss, 4) for loss in stored] != [round(loss, 3) for loss in stored]


@pytest.mark.slow
def test_training_learns_to_copy():
    config = TrainingConfig(
        steps=250, schedule="linear", max_lr=1e-2, warmup=20, max_tokens=512, validate_every=125
    )
    model = small_model(dropout=0.0, norm_first=True)
    history = train(model, copy_pairs(2000), copy_pairs(50, seed=1), config)
    assert history[-1]["validation_loss"] < history[0]["validation_loss"] < math.log(VOCAB)
    held_out = copy_pairs(50, seed=2)
    written = greedy_decode(model, make_batch(held_out).src, max_length=10)
    assert sum(a == b for a, (b, _) in zip(written, held_out, strict=True)) >= 45


def test_the_seed_decides_everything():
    config = TrainingConfig(steps=6, validate_every=3, max_tokens=64)
    runs = []
    for seed in (0, 0, 1):
        model = small_model()
        train(
            model,
            copy_pairs(99),
            copy_pairs(9, seed=1),
            TrainingConfig(**vars(config) | {"seed": seed}),
        )
        runs.append(model)
    assert same_weights(runs[0], runs[1])
    assert not same_weights(runs[0], runs[2])


def test_early_stop_keeps_the_best_weights():
    config = TrainingConfig(
        steps=400,
        max_lr=0.3,
        schedule="linear",
        warmup=100,
        validate_every=5,
        patience=3,
        max_tokens=64,
    )
    losses, snapshots = [], []

    def remember(model):
        snapshots.append([p.detach().clone() for p in model.parameters()])
        return {}

    model = small_model(dropout=0.0)
    history = train(model, copy_pairs(99), copy_pairs(9, seed=1), config, measure=remember)
    losses = [entry["validation_loss"] for entry in history]
    best = losses.index(min(losses))
    assert len(losses) == best + 1 + 3 < 80  # three validations later, it stopped
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), snapshots[best], strict=True))


def test_a_run_that_comes_to_nothing_from_the_start_runs_out_of_patience():
    state, config = TrainState(), TrainingConfig(patience=2)
    for validations in (1, 2):
        assert not is_best({"validation_loss": math.inf}, state, config)
        assert state.validations_since_best == validations


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
    with pytest.raises(ValueError, match='best_by="bleu" needs'):
        train(small_model(), copy_pairs(9), copy_pairs(9), config)


@pytest.mark.slow
def test_averaging_ends_with_the_mean_of_the_last_validations(tmp_path):
    config = TrainingConfig(steps=10, validate_every=2, max_tokens=64, average=3)
    snapshots = []

    def remember(model):
        snapshots.append([p.detach().clone() for p in model.parameters()])
        return {}

    model = small_model()
    pairs, held_out = copy_pairs(99), copy_pairs(9, seed=1)
    train(model, pairs, held_out, config, folder=tmp_path / "whole", measure=remember)
    for parameter, *last in zip(model.parameters(), *snapshots[-3:], strict=True):
        torch.testing.assert_close(parameter.detach(), torch.stack(last).mean(dim=0))
    kept = {path.name for path in (tmp_path / "whole").glob("weights-*")}
    assert kept == {f"weights-{step}.safetensors" for step in (6, 8, 10)}

    def stop(_):
        if len(stopped) == 3:
            raise Stop
        stopped.append(1)
        return {}

    stopped, resumed = [], small_model(seed=99)
    with pytest.raises(Stop):
        train(small_model(), pairs, held_out, config, folder=tmp_path / "cut", measure=stop)
    train(resumed, pairs, held_out, config, folder=tmp_path / "cut", resume=True)
    assert same_weights(resumed, model)


@pytest.mark.parametrize("average", [2, 3])
def test_a_mean_needs_a_folder_to_keep_weights_in(average):
    with pytest.raises(ValueError, match=f"average={average} needs a folder"):
        train(small_model(), copy_pairs(9), copy_pairs(9), TrainingConfig(average=average))


def test_averaging_more_than_there_were_takes_all(tmp_path):
    many, two = (TrainingConfig(steps=4, validate_every=2, average=n) for n in (9, 2))
    models = [small_model(), small_model()]
    for i, (model, config) in enumerate(zip(models, (many, two), strict=True)):
        train(model, copy_pairs(20), copy_pairs(5, seed=1), config, folder=tmp_path / str(i))
    assert same_weights(*models)


def test_without_averaging_no_other_weights_are_kept(tmp_path):
    config = TrainingConfig(steps=2, validate_every=1, max_tokens=64)
    train(small_model(), copy_pairs(20), copy_pairs(5, seed=1), config, folder=tmp_path)
    assert any(tmp_path.iterdir()) and not list(tmp_path.glob("weights-*"))
