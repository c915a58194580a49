"""A small model trains on one thread, a large one on all: whoever starts it, and however."""

import json
import re

import pytest
import torch
from tqdm import tqdm

from transformer_lib import BASE, SMALL, TOY, make_model
from transformer_lib.cli import main
from transformer_lib.recipes import RECIPES, tatoeba_sizes
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.threads import threads_for, using_threads
from transformer_lib.training.trainer import train

PAIRS = [([5, 6, 7], [7, 6, 5]), ([6, 8], [8, 6]), ([9, 4, 5, 6], [6, 5, 4, 9])]
SIZES = {"N": 1, "d_model": 32, "d_ff": 64, "h": 4}


@pytest.fixture(autouse=True)
def two():
    """As on a machine with two cores, where nothing was said about threads."""
    with using_threads(2):
        yield


def trained(**how) -> tuple[torch.nn.Module, list[int]]:
    """A trained model, and with how many threads its validations came."""
    torch.manual_seed(1)
    model, seen = make_model(12, 12, **SIZES), []

    def measure(_) -> dict:
        seen.append(torch.get_num_threads())
        return {}

    config = how.pop("config", TrainingConfig(steps=3, validate_every=1))
    train(model, PAIRS, PAIRS, config, measure=measure, progress=tqdm(disable=True), **how)
    return model, seen


def test_the_rule_follows_the_size_of_the_work():
    toy = RECIPES["copy"].training.max_tokens
    assert threads_for(TOY.d_model, toy) == 1
    assert threads_for(SMALL.d_model, RECIPES["en-es"].training.max_tokens) == 1
    assert threads_for(BASE.d_model, 3125) == 2  # docs/scaling.md's batches of the paper's model
    assert threads_for(BASE.d_model, 16) == 1  # a large model, too, with hardly a word to read
    with using_threads(1):
        assert threads_for(BASE.d_model, 25_000) == 1  # never more than the process may take


def test_a_training_takes_as_many_as_the_rule_says_and_gives_them_back():
    assert trained()[1] == [1, 1, 1]
    assert torch.get_num_threads() == 2
    large = TrainingConfig(steps=1, validate_every=1, max_tokens=2**20)
    assert trained(config=large)[1] == [2]


def test_who_names_a_number_gets_it():
    assert trained(threads=2, config=TrainingConfig(steps=1))[1] == [2]


def test_a_small_training_is_the_same_on_every_machine():
    """To the bit, as it takes one thread wherever it runs."""
    weights = []
    for cores in (1, 2, 3):
        with using_threads(cores):
            weights.append(trained()[0].state_dict())
    for other in weights[1:]:
        assert all(torch.equal(other[name], weights[0][name]) for name in other)


@pytest.mark.parametrize("said, taken", [([], 1), (["--threads", "2"], 2)])
@pytest.mark.slow
def test_the_command_writes_down_what_it_took(said, taken, tmp_path):
    command = ["train", "--task", "copy", "--steps", "2", "--out", str(tmp_path / "run")]
    assert main([*command, *said]) == 0
    assert json.loads((tmp_path / "run" / "training.json").read_text())["threads"] == taken


def test_the_larger_translator_trains_on_one_core_and_with_larger_batches_on_all():
    model, training, _ = tatoeba_sizes()
    assert threads_for(model.d_model, training.max_tokens) == 1
    assert threads_for(model.d_model, 2 * training.max_tokens) == 2


def test_the_help_says_where_the_line_is(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    line = re.search(r"up to d_model=(\d+) with max_tokens=(\d+) one", said)
    width, words = map(int, line.groups())
    assert threads_for(width, words) == 1
    assert threads_for(2 * width, words) == 2


def test_threads_are_given_back_after_an_error_too():
    with pytest.raises(KeyError), using_threads(1):
        raise KeyError
    assert torch.get_num_threads() == 2
