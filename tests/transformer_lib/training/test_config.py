"""The settings of a training, and those that make no sense."""

import dataclasses

import pytest

from transformer_lib.training.config import TrainingConfig


def test_what_a_run_does_if_nothing_is_said():
    """docs/scaling.md and the notebooks say what they change of it."""
    assert dataclasses.astuple(TrainingConfig()) == (
        *(1000, 1024, 1, "paper", None, 400),  # steps, words, batches, learning rate
        *(0.1, False, 200, None, 0, 1, "loss", None),  # loss, arithmetic, validation, seed, result
    )


def test_the_papers_schedule_can_have_another_peak():
    config = TrainingConfig(schedule="paper", max_lr=0.01, warmup=4)
    rates = [config.learning_rate(step, d_model=16) for step in (1, 4, 16)]
    assert rates == pytest.approx([0.0025, 0.01, 0.005])
