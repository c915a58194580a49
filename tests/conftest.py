"""What holds for every test."""

import pytest
import torch


@pytest.fixture(autouse=True)
def seed() -> None:
    """Random weights and inputs are the same whichever tests run, in whatever order."""
    torch.manual_seed(0)
