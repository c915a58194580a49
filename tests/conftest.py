"""What holds for every test."""

import os

# The tensors of the tests are tiny: a second thread spends its time waiting for the first, and
# the tests took four times the processor time. No result depends on it: OMP_NUM_THREADS=4 make test
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest  # noqa: E402
import torch  # noqa: E402


@pytest.fixture(autouse=True)
def seed() -> None:
    """Random weights and inputs are the same whichever tests run, in whatever order."""
    torch.manual_seed(0)
