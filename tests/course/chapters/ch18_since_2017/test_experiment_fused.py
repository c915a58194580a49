"""Attention three ways, in sizes of a second: what is counted, what is timed, and beside what."""

import pytest
import torch

from course.chapters.ch18_since_2017 import experiment_fused as fused
from course.chapters.ch18_since_2017.experiment_fused import largest_tensor, peak_bytes
from transformer_lib.model.attention import attention
from transformer_lib.model.masks import causal_mask


def test_the_largest_tensor_is_counted_by_hand():
    a, b = torch.randn(3, 5), torch.randn(5, 7)
    assert largest_tensor(lambda: a @ b) == 21
    assert largest_tensor(lambda: ((a @ b) @ torch.randn(7, 2)).sum()) == 21
    assert largest_tensor(lambda: None) == 0
    assert largest_tensor(lambda: torch.ones(2, 9).max(dim=1)) == 18
    assert largest_tensor(lambda: (a @ b).topk(1, dim=0)) == 21
    assert largest_tensor(lambda: a.topk(4, dim=1)) == 12  # several tensors at once


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


def test_it_is_always_as_many_words():
    for length in fused.LENGTHS:
        query, _, _ = fused.sentences(length)
        assert query.shape[0] * query.shape[2] == 2048 and query.shape[2] == length


@pytest.mark.parametrize("mask", [None, causal_mask(16)], ids=["none", "causal"])
def test_all_ways_compute_the_same(mask):
    inputs = fused.sentences(16)
    formula, *others = (way(*inputs, mask) for way in fused.WAYS.values())
    for other in others:
        torch.testing.assert_close(other, formula)


def test_each_time_is_by_that_of_the_formula(monkeypatch):
    class Clock:
        now = 0.0

        def perf_counter(self):
            return self.now

    clock = Clock()
    spent = {"formula": [1, 2, 2], "slow": [900, 8, 12], "quick": [900, 1, 1]}  # round by round

    def runner(times):
        times = iter(times)

        def run():
            clock.now += next(times)

        return run

    monkeypatch.setattr(fused, "time", clock)
    monkeypatch.setattr(fused, "ROUNDS", 2)  # after one that makes room, and isn't counted
    found = fused.ratios({name: runner(times) for name, times in spent.items()})
    assert found == {"slow": 5.0, "quick": 0.5}


def test_everything_is_measured_at_every_length(monkeypatch):
    before = torch.get_num_threads()
    monkeypatch.setattr(fused, "WORDS", 128)
    monkeypatch.setattr(fused, "LENGTHS", (8, 128))
    monkeypatch.setattr(fused, "ROUNDS", 1)
    monkeypatch.setattr(fused, "THREADS", (1,))  # two wait for each other where others work
    torch.set_num_threads(2)
    try:
        found = fused.attention_in_one_kernel()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    keys = {(r["length"], r["mask"], r["threads"], r["what"]) for r in found["times"]}
    assert len(keys) == len(found["times"]) == 2 * 2 * 2
    assert all(row["time"].keys() == {"block by block", "fused"} for row in found["times"])
    held = {(r["length"], r["mask"], r["way"]): r["bytes"] for r in found["memory"]}
    assert len(held) == len(found["memory"]) == 2 * 2 * 3
    assert held[128, "none", "formula"] > 4 * held[8, "none", "formula"]
    assert held[128, "none", "fused"] < held[128, "none", "formula"]
