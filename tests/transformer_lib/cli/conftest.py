"""The library's command line, called in this process."""

import pytest

from tests.commands import caller
from transformer_lib.cli import main


@pytest.fixture
def run(capsys):
    return caller(main, capsys)
