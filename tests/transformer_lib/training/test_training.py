"""The schedules by hand, gradient accumulation against one big batch, and killed runs."""

import contextlib
import dataclasses
import io
import json
import math
import multiprocessing
import os
import random
import sys
import time
from types import SimpleNamespace

import pytest
import torch
from tqdm import tqdm

from transformer_lib.cli import main
from transformer_lib.decoding import greedy_decode
from transformer_lib.files import CheckpointError, read_tensors, write_tensors
from transformer_lib.model.transformer import make_model
from transformer_lib.text.batching import batch_indices, make_batch
from transformer_lib.training.batches import all_batches, batch_order
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.devices import get_device, has_fast_bf16
from transformer_lib.training.log import read_log
from transformer_lib.training.optimizers import adam, adamw, muon
from transformer_lib.training.schedules import (
    cosine_schedule,
    linear_schedule,
    paper_schedule,
    stable_schedule,
)
from transformer_lib.training.state import (
    STATE_FILE,
    TrainState,
    load_state,
    rng_states,
    save_state,
    set_rng_states,
)
from transformer_lib.training.step import batch_loss, update
from transformer_lib.training.trainer import copy_weights, train

VOCAB = 13


def copy_pairs(count, seed=0):
    rng = random.Random(seed)
    sentences = [
        [rng.randrange(4, VOCAB) for _ in range(rng.randrange(1, 6))] for _ in range(count)
    ]
    return [(ids, ids) for ids in sentences]


def small_model(dropout=0.1, seed=0, **options):
    torch.manual_seed(seed)
    return make_model(VOCAB, VOCAB, N=1, d_model=16, d_ff=32, h=2, dropout=dropout, **options)


def same_weights(one, another):
    return all(
        torch.equal(a, b) for a, b in zip(one.parameters(), another.parameters(), strict=True)
    )


# --- schedules


def test_the_papers_schedule_peaks_where_the_paper_says():
    rates = {step: paper_schedule(step, d_model=512, warmup=4000) for step in (1, 3999, 4000, 4001)}
    assert rates[4000] == pytest.approx(6.99e-4, rel=1e-3)  # (512 * 4000)^-0.5
    assert rates[4000] == max(rates.values())
    assert rates[1] == pytest.approx(rates[4000] / 4000)


def test_no_step_repeats_another_and_step_zero_is_refused():
    rising = [paper_schedule(step, 512, 4000) for step in range(1, 4001)]
    assert all(a < b for a, b in zip(rising, rising[1:], strict=False))
    with pytest.raises(ValueError, match="step=0"):
        paper_schedule(0, 512)


def test_the_linear_schedule_comes_to_rest():
    rates = [linear_schedule(step, max_lr=2.0, warmup=4, total=10) for step in range(1, 11)]
    assert rates[:4] == [0.5, 1.0, 1.5, 2.0]
    assert rates[-1] == pytest.approx(2.0 / 7)  # one step before zero
    assert all(a > b for a, b in zip(rates[3:], rates[4:], strict=False))


def test_the_cosine_schedule_falls_to_a_tenth():
    rates = [cosine_schedule(step, max_lr=2.0, warmup=4, total=8) for step in range(1, 10)]
    fall = [0.2 + 1.8 * (1 + math.cos(math.pi * way)) / 2 for way in (0.25, 0.5, 0.75)]
    assert rates == pytest.approx([0.5, 1.0, 1.5, 2.0, *fall, 0.2, 0.2])


def test_the_stable_schedule_stays_level_and_comes_to_rest():
    rates = [stable_schedule(step, max_lr=2.0, warmup=2, total=20) for step in range(1, 21)]
    assert rates == pytest.approx([1.0, *[2.0] * 16, 1.5, 1.0, 0.5])


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_the_cosine_ends_at_a_tenth_however_short_it_is(after):
    total = 5 + after
    assert cosine_schedule(5, 2.0, 5, total) == 2.0
    assert cosine_schedule(total + 1, 2.0, 5, total) == pytest.approx(0.2)
    if after:
        assert cosine_schedule(total, 2.0, 5, total) == pytest.approx(0.2)


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


# --- one step


def test_accumulated_batches_are_one_big_batch():
    pairs = copy_pairs(12)
    together, apart = small_model(dropout=0.0), small_model(dropout=0.0)
    for model, parts in ((together, [pairs]), (apart, [pairs[:3], pairs[3:4], pairs[4:]])):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        update(model, optimizer, [make_batch(part) for part in parts], lr=0.5, smoothing=0.1)
    for a, b in zip(together.parameters(), apart.parameters(), strict=True):
        torch.testing.assert_close(a, b)
    assert not same_weights(together, small_model(dropout=0.0))


def test_after_an_update_no_gradient_takes_room():
    model = small_model()
    update(model, adam(model), [make_batch(copy_pairs(3))], lr=0.1, smoothing=0.0)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_gradients_are_exchanged_with_the_last_of_accumulated_batches(monkeypatch):
    exchanged = []

    def sync(loss_of, now):
        exchanged.append(now)
        return contextlib.nullcontext()

    monkeypatch.setattr("transformer_lib.training.step.gradient_sync", sync)
    model = small_model(dropout=0.0)
    batches = [make_batch([([4, 5], [6])]) for _ in range(3)]
    update(model, adam(model), batches, lr=0.0, smoothing=0.0)
    assert exchanged == [False, False, True]


def test_accumulation_steps_the_schedule_once_per_update():
    pairs, held_out = copy_pairs(60), copy_pairs(5, seed=1)
    config = TrainingConfig(
        steps=2, accumulation_steps=3, warmup=10, validate_every=1, max_tokens=32
    )
    history = train(small_model(), pairs, held_out, config)
    assert [entry["step"] for entry in history] == [1, 2]


@pytest.mark.parametrize("at_a_time", [1, 40, 2_000_000])  # a word, a few words, all in one piece
def test_the_loss_is_that_of_the_whole_model_where_words_are_predicted(monkeypatch, at_a_time):
    monkeypatch.setattr("transformer_lib.training.step.LOGITS_AT_A_TIME", at_a_time)
    model, batch = small_model(dropout=0.0), make_batch(copy_pairs(7))
    whole = torch.nn.functional.cross_entropy(
        model(batch.src, batch.tgt_in).flatten(0, 1),
        batch.tgt_out.flatten(),
        ignore_index=0,
        label_smoothing=0.1,
        reduction="sum",
    )
    torch.testing.assert_close(batch_loss(model, batch, smoothing=0.1), whole)


def test_bf16_gives_nearly_the_same_loss():
    model, batch = small_model(dropout=0.0), make_batch(copy_pairs(7))
    full, half = (batch_loss(model, batch, 0.1, bf16=bf16).item() for bf16 in (False, True))
    assert half != full
    assert half == pytest.approx(full, rel=0.02)


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


def test_the_processor_is_asked_whether_it_has_bf16(monkeypatch):
    assert has_fast_bf16(torch.device("cuda"))
    supported = bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    assert has_fast_bf16(torch.device("cpu")) is supported
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert not has_fast_bf16(torch.device("cpu"))


def test_adam_has_the_papers_numbers():
    (group,) = adam(small_model()).param_groups
    decaying = (*adamw(small_model()).param_groups, *muon(small_model()).param_groups[1:])
    for each in (group, *decaying):
        assert (each["betas"], each["eps"]) == ((0.9, 0.98), 1e-9)
        assert each["fused"], "all parameters in one go, or small steps take longer"


def test_what_a_run_does_if_nothing_is_said():
    """SCALING.md and the notebooks say what they change of it."""
    assert dataclasses.astuple(TrainingConfig()) == (
        *(1000, 1024, 1, "paper", None, 400),  # steps, words, batches, learning rate
        *(0.1, False, 200, None, 0, 1, "loss"),  # loss, arithmetic, validation, seed, result
    )
    model, batch = small_model(dropout=0.0), make_batch(copy_pairs(7))
    losses = [
        update(model, torch.optim.SGD(model.parameters(), lr=0.0), [batch], 0.0, 0.1, *bf16)
        for bf16 in ((), (False,), (True,))
    ]
    assert losses[0] == losses[1] != losses[2]


# --- the loop


def test_each_epoch_has_its_number_and_begins_with_its_first_batch():
    pairs, config, run = copy_pairs(40), TrainingConfig(max_tokens=32, seed=3), TrainState()
    batches = batch_order(pairs, config, run)
    for epoch in range(3):
        order = batch_indices(pairs, 32, seed=3 + 1000 * epoch)
        for position, expected in enumerate(order, start=1):
            assert next(batches) == expected
            assert (run.epoch, run.position) == (epoch, position)
    # a run that was stopped in between goes on with the next one
    again = batch_order(pairs, config, TrainState(epoch=1, position=2))
    assert next(again) == batch_indices(pairs, 32, seed=1003)[2]


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


def test_every_pair_is_seen_once_an_epoch_and_each_epoch_has_its_own_order():
    pairs = [([4 + i % 9, 4 + i // 9], [4 + i % 9, 4 + i // 9]) for i in range(60)]
    config, run = TrainingConfig(max_tokens=32), TrainState()
    batches = all_batches(pairs, config, run)
    epochs = []
    for _ in range(2):
        seen = []
        while len(seen) < len(pairs):
            seen += next(batches).src.tolist()
        epochs.append(seen)
    assert sorted(epochs[0]) == sorted(epochs[1]) == sorted([*src, 2] for src, _ in pairs)
    assert epochs[0] != epochs[1]


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
    with pytest.raises(ValueError, match="average=3 needs a folder"):
        train(small_model(), pairs, held_out, config)


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


def test_settings_that_make_no_sense_are_named():
    several = {
        "steps": 0,
        "average": 0,
        "smoothing": 1.0,
        "schedule": "square",
        "max_lr": -1.0,
        "patience": 0,
        "best_by": "chrf",
    }
    for wrong in ({name: value} for name, value in several.items()):
        ((name, value),) = wrong.items()
        with pytest.raises(ValueError, match=f"{name}={value!r}"):
            TrainingConfig(**wrong)
    with pytest.raises(ValueError, match="at least one pair"):
        train(small_model(), [], copy_pairs(1), TrainingConfig(steps=1))


# --- where it computes


def test_the_device_is_named_or_the_fastest_there(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: False)
    assert get_device("auto") == get_device("cpu") == torch.device("cpu")
    with pytest.raises(ValueError, match="device 'mps' is not there .* there is cpu$"):
        get_device("mps")
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: True)
    assert get_device("auto") == get_device("mps") == torch.device("mps")
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert get_device("auto") == get_device("cuda") == torch.device("cuda")
    assert get_device("cpu") == torch.device("cpu")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
def test_an_nvidia_gpu_comes_to_nearly_the_same_loss(tmp_path):
    config = TrainingConfig(steps=6, validate_every=3, max_tokens=64)
    pairs, held_out = copy_pairs(99), copy_pairs(9, seed=1)
    losses = []
    for device in ("cpu", "cuda"):
        model = small_model(dropout=0.0).to(device)
        train(model, pairs, held_out, config, folder=tmp_path / device)
        again = small_model(dropout=0.0).to(device)
        history = train(again, pairs, held_out, config, folder=tmp_path / device, resume=True)
        losses.append(history[-1]["validation_loss"])
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)


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


# --- stopping and going on


class Stop(Exception):
    pass


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


def test_the_log_says_what_the_history_says_and_more_often(tmp_path):
    config = TrainingConfig(steps=25, validate_every=20, max_tokens=64)
    history = train(small_model(), copy_pairs(99), copy_pairs(9), config, folder=tmp_path)
    steps, validations = read_log(tmp_path)
    assert validations == history
    assert [entry["step"] for entry in steps] == [10, 20, 25]
    assert (steps[0]["loss"] + steps[1]["loss"]) / 2 == pytest.approx(history[0]["loss"], abs=1e-4)
    assert steps[1]["learning_rate"] == history[0]["learning_rate"]


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
    with pytest.raises(CheckpointError, match="started with steps=2, not 3"):
        run(TrainingConfig(steps=3, validate_every=1))
    with pytest.raises(CheckpointError, match="made for another model"):
        run(model=make_model(VOCAB, VOCAB, N=2, d_model=16, d_ff=32, h=2))
    state = tmp_path / STATE_FILE
    state.write_bytes(state.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="damaged"):
        run()


def test_a_part_may_have_a_name_with_a_slash(tmp_path):
    models = [small_model(seed=seed) for seed in (0, 1)]
    for model in models:
        model.add_module("in/out", torch.nn.Linear(2, 3))
    one, other = models
    config = TrainingConfig()
    save_state(tmp_path, one, adam(one), config, TrainState(), copy_weights(one))
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
    while not (folder / "model.safetensors").exists() and kills < 30:
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
