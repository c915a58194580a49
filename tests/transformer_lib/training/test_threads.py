"""A small model trains on one thread, a large one on all: whoever starts it, and however."""

import pytest
import torch

from transformer_lib import BASE, make_model
from transformer_lib.recipes import tatoeba_sizes
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.threads import threads_for, using_threads
from transformer_lib.training.trainer import train


@pytest.fixture(autouse=True)
def two():
    """As on a machine with two cores, where nothing was said about threads."""
    with using_threads(2):
        yield


def threads_of(config, **how) -> int:
    """With how many threads a training's validation comes."""
    pairs, seen = [([5, 6, 7], [7, 6, 5])], []
    measure = lambda _: seen.append(torch.get_num_threads()) or {}  # noqa: E731
    model = make_model(12, 12, N=1, d_model=32, d_ff=64, h=4)
    train(model, pairs, pairs, config, measure=measure, **how)
    return seen[-1]


def test_the_rule_follows_the_size_of_the_work():
    model, training, _ = tatoeba_sizes()  # on one core, and with larger batches on all
    assert threads_for(model.d_model, training.max_tokens) == 1
    assert threads_for(model.d_model, 2 * training.max_tokens) == 2
    assert threads_for(BASE.d_model, 3125) == 2  # docs/scaling.md's batches of the paper's model
    with using_threads(1):
        assert threads_for(BASE.d_model, 25_000) == 1  # never more than the process may take


def test_a_training_takes_as_many_as_the_rule_says_or_as_are_asked_for_and_gives_them_back():
    small, large = (TrainingConfig(steps=1, max_tokens=words) for words in (64, 2**20))
    assert [threads_of(small), threads_of(large), threads_of(small, threads=2)] == [1, 2, 2]
    with pytest.raises(KeyError), using_threads(1):
        raise KeyError
    assert torch.get_num_threads() == 2
