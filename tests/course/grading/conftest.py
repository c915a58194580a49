"""What holds for the tests of the coursework."""

import os
import sys

import pytest

from course.grading import __main__ as command_line
from course.grading import sandboxes
from course.grading.limits import ROOT
from course.grading.sandboxes import find_sandbox, why_not
from tests.course.grading import copies


@pytest.fixture(autouse=True)
def grading_goes_on(monkeypatch):
    """Where the system gives no sandbox, what isn't about sandboxes is tested without one."""
    if not find_sandbox():
        monkeypatch.setattr(command_line, "find_sandbox", lambda: "no sandbox")


@pytest.fixture(autouse=True)
def started_as_copies(monkeypatch):
    """Without a sandbox; in one, a student's process is a new program."""
    if sys.platform == "linux":
        monkeypatch.setattr(sandboxes, "launch", copies.launch)


@pytest.fixture
def sandbox(request, monkeypatch, tmp_path_factory):
    """The name of a sandbox that holds, or "" for Python's guard alone; `grade` finds no other."""
    name = request.param
    if name == "container":
        why_not.cache_clear()
        if why_not(name):  # no Docker with our image
            folder = tmp_path_factory.mktemp("bin")
            (folder / "docker").write_text(
                f"#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} "
                '-m tests.course.grading.stand_in_docker "$@"\n'
            )
            (folder / "docker").chmod(0o755)
            monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
            why_not.cache_clear()
    if name and why_not(name):
        pytest.skip(f"{name} {why_not(name)}")
    monkeypatch.setattr(command_line, "find_sandbox", lambda: name)
    return name
