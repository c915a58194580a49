"""The course's command line, called in this process."""

import pytest

from course.cli import main
from tests.commands import caller


@pytest.fixture
def run(capsys):
    return caller(main, capsys)
