"""The laboratory, written once for all its tests, and Node to run its scripts."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from course.lab import pages
from course.lab.node import Node
from tests.course.site.visits import browser as browser
from tests.course.site.visits import chromium as chromium
from transformer_lib import Translator


@pytest.fixture(scope="session")
def lab(tmp_path_factory) -> Path:
    """The folder of the laboratory."""
    return pages.write_lab(tmp_path_factory.mktemp("lab")).parent


@pytest.fixture(scope="session")
def node_of() -> Iterator[Callable]:
    """node_of(name, eight): `node` with this translator, in 8 bits or with its own numbers."""
    with ExitStack() as stack:

        @cache
        def start(name: str, eight: bool):
            try:
                return stack.enter_context(Node(Translator.load(name), eight=eight)).run
            except pages.WebError as error:
                pytest.skip(f"the JavaScript of the laboratory is not tested: {error}")

        yield start


@pytest.fixture
def node(node_of) -> Callable:
    """node(program, given): what lines of JavaScript return that know the laboratory's names."""
    return node_of("grammar", False)
