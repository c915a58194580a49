"""The laboratory, written once for all its tests, and Node to run its scripts."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from course.lab import pages
from course.lab.node import Node
from transformer_lib import Translator


@pytest.fixture(scope="session")
def lab(tmp_path_factory) -> Path:
    """The folder of the laboratory."""
    return pages.write_lab(tmp_path_factory.mktemp("lab")).parent


@pytest.fixture(scope="session")
def node() -> Iterator[Callable]:
    """node(program, given): what lines of JavaScript return that know the laboratory's names."""
    try:
        running = Node(Translator.load())
    except pages.WebError as error:
        pytest.skip(f"the JavaScript of the laboratory is not tested: {error}")
    with running as node:
        yield node.run
