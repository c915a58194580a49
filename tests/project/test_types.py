"""The library's annotations are complete and true, as far as mypy can tell (pyproject.toml)."""

import sys

from tests.here import outcome


def test_mypy_finds_nothing():
    outcome(sys.executable, "-m", "mypy")
