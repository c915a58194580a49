"""The copying experiment: how it measures, and that what is stored says what the notebook says."""

import pytest
import torch

from course.chapters.ch03_positional_encoding import experiments as positions
from course.experiments import digit_training as toy
from transformer_lib.model.embedding import LearnedPositions, PositionalEncoding


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


def test_rows_bags_and_digits_are_counted(monkeypatch):
    rows = [[4, 5, 6], [4, 5, 6], [4, 5, 6], [4, 5, 6]]
    written = [[4, 5, 6], [6, 5, 4], [4, 5], []]
    monkeypatch.setattr(positions, "TRAINED_TO", 2)
    monkeypatch.setattr(positions, "rows_of", lambda length: rows)
    monkeypatch.setattr(positions, "greedy_decode", lambda model, src, max_length: written)
    assert positions.copying(None, 3) == {
        "exact": 0.25,
        "bag": 0.5,
        "digits": 6 / 12,
        "begun": 0.5,
        "stopped": 0.25,
    }
