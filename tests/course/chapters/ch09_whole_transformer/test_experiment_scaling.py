"""A training step against length, batch, depth and processes, in sizes of a second."""

import dataclasses
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from tqdm import tqdm

from course import experiments
from course.chapters.ch09_whole_transformer import experiment_scaling as scaling
from course.chapters.ch09_whole_transformer.experiment_scaling import (
    Setting,
    as_many,
    counted,
    doubled,
    multiplications,
)
from transformer_lib.model.config import BASE, SMALL, TOY
from transformer_lib.training.step import batch_loss
from transformer_lib.variants import fused_attention

SMALLEST = Setting(length=6, sentences=2, batches=2, model=TOY, vocabulary=20, threads=1)


def test_each_sweep_changes_one_thing():
    length, batch, depth, *processes = scaling.SWEEPS.values()
    assert {s.length * s.sentences for s in length} == {scaling.WORDS}
    alike = {dataclasses.replace(s, length=1, sentences=1, attention="") for s in length}
    assert len(alike) == 1 and len(length) == 2 * len({s.length for s in length})
    assert len({dataclasses.replace(s, sentences=1) for s in batch}) == 1
    assert len({dataclasses.replace(s, model=SMALL) for s in depth}) == 1
    for settings in processes:
        assert [(s.processes, s.threads) for s in settings] == [(1, 1), (1, 2), (2, 1)]
        assert len({dataclasses.replace(s, processes=1, threads=1) for s in settings}) == 1
        assert all(s.batches % s.processes == 0 for s in settings)


def test_batches_have_the_words_that_are_asked_for():
    batches = scaling.all_batches(SMALLEST)
    assert len(batches) == 2
    for batch in batches:
        assert batch.src.shape == batch.tgt_in.shape == batch.tgt_out.shape == (2, 6)


def test_both_ways_of_attention_train_the_same(monkeypatch):
    calls = []

    def fused(*inputs):
        calls.append(inputs[0].shape)
        return fused_attention(*inputs)

    monkeypatch.setattr(scaling, "fused_attention", fused)
    setting = dataclasses.replace(
        SMALLEST, model=dataclasses.replace(TOY, N=2, dropout=0.0), batches=1
    )
    ours = scaling.build(setting)
    theirs = scaling.build(dataclasses.replace(setting, attention="fused"))
    theirs.load_state_dict(ours.state_dict())
    (batch,) = scaling.all_batches(setting)
    calls.clear()  # the new parts were tried out
    losses = []
    for model in (ours, theirs):
        loss = batch_loss(model, batch, smoothing=0.1)
        loss.backward()
        losses.append(loss)
    torch.testing.assert_close(*losses)
    assert len(calls) == 2 * 3  # in each layer of the encoder one, of the decoder two
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad)


def test_tensors_are_weights_gradients_averages_and_more():
    weights = sum(p.numel() for p in scaling.build(SMALLEST).parameters())
    short, long = (counted(dataclasses.replace(SMALLEST, length=n)) for n in (6, 60))
    assert 16 * weights < short < long  # itself, its gradient and two averages; 4 bytes each


def test_what_stays_in_tables_is_quadratic():
    settings = [
        Setting(n, 512 // n, model=TOY, vocabulary=20, attention=way)
        for way in ("formula", "fused")
        for n in (32, 256)
    ]
    short, long, fused_short, fused_long = map(counted, settings)
    assert long > 4 * short and fused_long < 1.3 * fused_short


def test_a_time_is_that_of_the_second_step(monkeypatch):
    class Clock:
        now = 0.0

        def perf_counter(self):
            return self.now

    clock, spent = Clock(), iter([100, 3])

    def step():
        clock.now += next(spent)

    monkeypatch.setattr(scaling, "time", clock)
    assert scaling.seconds(step) == 3


def test_a_process_trains_on_its_share(monkeypatch):
    monkeypatch.setattr(scaling, "shard", lambda items: items[1::2])
    monkeypatch.setattr(scaling, "update", lambda model, optimizer, batches, **how: batches)
    (batch,) = scaling.training_step(SMALLEST)()  # of two batches
    assert batch.src.shape == (2, 6)


def test_settings_take_turns_and_the_first_round_does_not_count(monkeypatch):
    order, times = [], {1: iter([900, 1, 2]), 2: iter([900, 4, 4])}

    @contextmanager
    def processes(setting):
        def ask(what):
            if what != "seconds":
                return [10, 20]  # of two processes
            order.append(setting.sentences)
            return [0, next(times[setting.sentences])]

        yield ask

    monkeypatch.setattr(scaling, "processes", processes)
    monkeypatch.setattr(scaling, "ROUNDS", 2)
    rows = scaling.sweep([Setting(sentences=n) for n in (1, 2)], tqdm(disable=True))
    assert order == [1, 2, 2, 1, 1, 2]
    assert [row["milliseconds"]["median"] for row in rows] == [1500, 4000]
    assert [row["time"]["median"] for row in rows] == [1, 3]  # of 4 / 1 and 4 / 2
    assert all(row["resident"] == row["tensors"] == 30 for row in rows)


def test_quartiles():
    assert scaling.quartiles([5, 1, 2, 3, 4]) == {"median": 3, "low": 2, "high": 4}


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells")
def test_everything_is_measured_in_turns(monkeypatch):
    two = dataclasses.replace(SMALLEST, processes=2)
    monkeypatch.setattr(scaling, "ROUNDS", 2)
    monkeypatch.setattr(scaling, "SWEEPS", {"processes": (SMALLEST, two)})
    (rows,) = scaling.what_a_training_step_takes()["sweeps"].values()
    assert [row["processes"] for row in rows] == [1, 2]
    assert rows[0]["time"] == {"median": 1, "low": 1, "high": 1}
    assert rows[1]["time"]["median"] > 0 and rows[1]["milliseconds"]["low"] > 0
    assert rows[1]["tensors"] > 1.5 * rows[0]["tensors"]  # each holds the whole model
    assert all(row["resident"] >= 0 for row in rows)


def test_twice_as_much_is_found_between_two_lengths():
    assert doubled([10, 20, 40], [1.0, 1.5, 3.5]) == 25
    assert doubled([10, 20], [1.0, 2.0]) == 20
    assert doubled([10, 20], [1.0, 1.9]) is None


@pytest.mark.parametrize("n", [5, 40])
def test_multiplications_are_as_pytorch_counts_them(n):
    model = dataclasses.replace(TOY, N=3, dropout=0.0)
    setting = Setting(n, 1, model=model, vocabulary=20)
    (batch,) = scaling.all_batches(setting)
    with FlopCounterMode(display=False) as counter:
        scaling.build(setting)(batch.src, batch.tgt_in)
    found = multiplications(model, 20, n)
    assert counter.get_total_flops() == 2 * sum(found.values())


def test_as_many_multiplications():
    n = as_many(BASE, 37_000)
    counts = multiplications(BASE, 37_000, 1000)
    assert counts["attention"] / counts["matrices"] == pytest.approx(1000 / n)


# --- what is stored ---


def stored(sweep: str) -> list[dict]:
    return experiments.load("scaling")["sweeps"][sweep]


def test_stored_is_what_the_experiment_measures():
    for name, settings in scaling.SWEEPS.items():
        keys = {field.name for field in dataclasses.fields(Setting)}
        rows = [{key: row[key] for key in keys} for row in stored(name)]
        assert rows == [dataclasses.asdict(setting) for setting in settings], name
