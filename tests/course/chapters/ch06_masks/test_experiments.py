"""The leak: the helpers that measure it, and what was stored."""

import torch

from course import experiments
from course.chapters.ch06_masks import experiments as masks
from transformer_lib.text.tokens import EOS


def test_a_model_that_knows_the_answers_scores_one(monkeypatch):
    _, held_out = masks.reversing()
    pairs = held_out[:5]

    class Oracle(torch.nn.Module):
        """Knows by the position what comes next."""

        def forward(self, src, tgt_in):
            batch = masks.make_batch(pairs)
            return torch.nn.functional.one_hot(batch.tgt_out, masks.VOCAB).float()

    assert masks.next_word_accuracy(Oracle(), pairs) == 1
    right = [list(target) for _, target in pairs]
    monkeypatch.setattr(masks, "greedy_decode", lambda *_, **__: right[:4] + [[]])
    assert masks.right_rows(Oracle(), pairs) == 0.8


def test_what_was_stored_is_what_the_experiment_says_today():
    stored = experiments.load("masks")
    assert stored["steps"] == masks.STEPS and stored["held_out"] == masks.HELD_OUT
    kinds = [(run["mask"], run["seed"]) for run in stored["runs"]]
    assert kinds == [(mask, seed) for seed in masks.SEEDS for mask in ("causal", "none")]
    for run in stored["runs"]:
        last = run["history"][-1]
        assert last["step"] == masks.STEPS and last["next_word"] >= 0.95
        assert (last["right_rows"] >= 0.95) == (run["mask"] == "causal")
        assert (run["writes"] == stored["reads"][::-1]) == (run["mask"] == "causal")


def test_always_saying_the_end_gets_17_percent_right():
    """What the broken model's 0.2 is compared with: <eos> is the commonest word to predict."""
    _, held_out = masks.reversing()
    targets = [word for _, row in held_out for word in (*row, EOS)]
    shares = {word: targets.count(word) / len(targets) for word in set(targets)}
    assert max(shares, key=shares.get) == EOS
    assert round(shares[EOS], 2) == 0.17
