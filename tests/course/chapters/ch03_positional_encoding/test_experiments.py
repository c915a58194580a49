"""The copying experiment: how it measures, and that what is stored says what the notebook says."""

import pytest
import torch

from course import experiments
from course.chapters.ch03_positional_encoding import experiments as positions
from course.experiments import digit_training as toy
from transformer_lib.model.embedding import LearnedPositions, PositionalEncoding
from transformer_lib.text.tokens import SPECIALS


@pytest.fixture
def little_text(monkeypatch):
    monkeypatch.setattr(toy, "TRAINING", 90)
    monkeypatch.setattr(toy, "HELD_OUT", 20)


def test_each_kind_is_trained_with_its_own_positions(little_text):
    for kind, module in (("tensor2tensor", PositionalEncoding), ("learned", LearnedPositions)):
        model = positions.learn_to_copy(kind, longest=2, steps=4)
        assert isinstance(model.src_positions, module) and model.config.positions == kind
    x = torch.randn(1, 3, 5)
    model = positions.learn_to_copy("none", longest=2, steps=4)
    assert model.src_positions(x, start=2) is x and model.tgt_positions(x) is x


def test_a_seed_fixes_the_training(little_text):
    one, same, other = (
        positions.learn_to_copy("paper", seed, longest=2, steps=4) for seed in (3, 3, 4)
    )
    assert torch.equal(one.generator.proj.weight, same.generator.proj.weight)
    assert not torch.equal(one.generator.proj.weight, other.generator.proj.weight)


def test_rows_have_their_length_and_are_digits():
    assert len(positions.rows_of(1)) == 10 and len(positions.rows_of(5, 30)) == 30
    assert {len(row) for row in positions.rows_of(5, 30)} == {5}
    assert min(map(min, positions.rows_of(5, 30))) >= len(SPECIALS)
    assert positions.DIGITS.decode(positions.DIGITS.encode("3141")) == list("3141")


def test_rows_bags_and_digits_are_counted(monkeypatch):
    rows = [[4, 5, 6], [4, 5, 6], [4, 5, 6], [4, 5, 6]]
    written = [[4, 5, 6], [6, 5, 4], [4, 5], []]
    monkeypatch.setattr(positions, "rows_of", lambda length, count: rows)
    monkeypatch.setattr(positions, "greedy_decode", lambda model, src, max_length: written)
    assert positions.copying(None, 3) == {"exact": 0.25, "bag": 0.5, "digits": 6 / 12}


def test_what_is_stored_is_whole():
    stored = experiments.load("positions")
    found = {(row["kind"], row["seed"], row["length"]) for row in stored["results"]}
    assert found == {
        (kind, seed, length)
        for kind in positions.KINDS
        for seed in positions.SEEDS
        for length in positions.LENGTHS
    }
    assert len(found) == len(stored["results"])
    assert (stored["trained_to"], stored["steps"]) == (positions.TRAINED_TO, positions.STEPS)
