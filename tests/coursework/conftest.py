"""What holds for the tests of the coursework."""

import pytest

from coursework import __main__ as command_line
from coursework.wall import find_wall


@pytest.fixture(autouse=True)
def grading_goes_on(monkeypatch):
    """Where the system gives no wall, what isn't about walls is tested without one."""
    if not find_wall():
        monkeypatch.setattr(command_line, "find_wall", lambda: "no wall")
