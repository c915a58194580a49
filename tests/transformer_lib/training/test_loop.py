"""The plain loop does what `train` does, to the last bit, and refuses what it can't do."""

import math

import pytest
from tqdm import tqdm

from tests.transformer_lib.training.small_training import copy_pairs, same_weights, small_model
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.loop import train_plain
from transformer_lib.training.threads import using_threads
from transformer_lib.training.trainer import train

PAIRS, HELD_OUT = copy_pairs(99), copy_pairs(9, seed=1)
SETTINGS = {
    "several epochs": {"steps": 25, "validate_every": 10, "max_tokens": 64},
    "accumulated, clipped": {
        "steps": 7,
        "validate_every": 3,
        "max_tokens": 48,
        "accumulation_steps": 3,
        "grad_clip": 0.5,
        "smoothing": 0.0,
        "seed": 4,
    },
    "best in between": {
        "steps": 24,
        "validate_every": 4,
        "max_tokens": 64,
        "max_lr": 0.1,
        "schedule": "linear",
        "warmup": 12,
    },
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_the_plain_loop_ends_with_the_weights_and_history_of_train(settings):
    config, plain, whole = TrainingConfig(**settings), small_model(), small_model()
    with using_threads(1):
        expected = train(whole, PAIRS, HELD_OUT, config, progress=tqdm(disable=True))
        history = train_plain(plain, PAIRS, HELD_OUT, config)
    assert same_weights(plain, whole) and not plain.training
    assert history == expected


@pytest.mark.parametrize("loop", [train, train_plain])
def test_weights_that_are_no_numbers_are_never_the_best(loop):
    model = small_model()
    config = TrainingConfig(steps=2, validate_every=1, schedule="linear", max_lr=1e38, warmup=1)
    history = loop(model, PAIRS, HELD_OUT, config)
    assert all(math.isnan(entry["validation_loss"]) for entry in history)
    assert same_weights(model, small_model())
