"""A training step against length, batch, depth and processes, in sizes of a second."""

import dataclasses

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from course.chapters.ch09_whole_transformer import experiment_scaling as scaling
from course.chapters.ch09_whole_transformer.experiment_scaling import (
    Setting,
    as_many,
    counted,
    doubled,
    multiplications,
    peak_bytes,
)
from transformer_lib.model.attention import attention
from transformer_lib.model.config import BASE, TOY
from transformer_lib.training.step import batch_loss
from transformer_lib.variants import fused_attention

SMALLEST = Setting(length=6, sentences=2, batches=2, model=TOY, vocabulary=20, threads=1)


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


def test_what_stays_in_tables_is_quadratic():
    settings = [
        Setting(n, 512 // n, model=TOY, vocabulary=20, attention=way)
        for way in ("formula", "fused")
        for n in (32, 256)
    ]
    short, long, fused_short, fused_long = map(counted, settings)
    assert long > 4 * short and fused_long < 1.3 * fused_short


def test_twice_as_much_is_found_between_two_lengths():
    assert doubled([10, 20, 40], [1.0, 1.5, 3.5]) == 25
    assert doubled([10, 20], [1.0, 2.0]) == 20
    assert doubled([10, 20], [1.0, 1.9]) is None


def test_multiplications_are_as_pytorch_counts_them():
    for n in [5, 40]:
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


def test_bytes_are_counted_while_they_are_held():
    def one_after_the_other():
        for _ in range(3):
            torch.zeros(1000)  # 4000 bytes, given back before the next comes

    def together():
        return [torch.zeros(1000) for _ in range(3)]

    assert 4000 <= peak_bytes(one_after_the_other) < 4100
    assert 12_000 <= peak_bytes(together) < 12_300


def test_the_formula_holds_two_tables():
    # scores before and after the division by the root; 4 heads, 64 words, 4 bytes
    q = torch.randn(1, 4, 64, 32)
    assert peak_bytes(lambda: attention(q, q, q)) == pytest.approx(2 * 4 * 64 * 64 * 4, rel=0.01)
