"""A config holds the paper's numbers, and those of the small models."""

import dataclasses

import pytest

from transformer_lib import BIG, SMALL, TOY, ModelConfig


@pytest.mark.parametrize(
    ("config", "numbers"),
    [
        (ModelConfig(), (6, 512, 2048, 8, 0.1, False, "none", "paper")),  # Table 3, row "base"
        (BIG, (6, 1024, 4096, 16, 0.3)),  # Table 3, row "big"
        (TOY, (2, 32, 64, 4, 0.0, True)),
        (SMALL, (2, 128, 512, 4, 0.1, False)),
    ],
)
def test_the_numbers_of_each_model(config, numbers):
    """Stored models bring their own sizes; these are asked for in new ones."""
    assert dataclasses.astuple(config)[: len(numbers)] == numbers
