"""The site, built once for all tests of a run, with the network shut off."""

import json
import os
import socket
import time
from pathlib import Path

import pytest
from filelock import FileLock

from course.site.build import MARK, build
from tests.course.site.parsed import ALL, Parsed
from tests.course.site.visits import browser as browser
from tests.course.site.visits import chromium as chromium


def no_network(*_, **__):
    raise AssertionError("building the site asks for the network")


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The folder of the site. Several processes test at once: the first of them builds it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "the site"
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / MARK).exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(socket.socket, "connect", no_network)
                patch.delenv("GITHUB_REPOSITORY", raising=False)
                start = time.process_time()
                build(folder)
                assert time.process_time() - start < 120  # seconds of a processor: 15 were measured
    return folder


@pytest.fixture(scope="session")
def everything(site) -> dict[str, Parsed]:
    """Every page, deck and laboratory by its file."""
    files = [path for pattern in ALL for path in site.glob(pattern)]
    return {
        path.relative_to(site).as_posix(): Parsed(path.read_text(encoding="utf-8"))
        for path in files
    }


@pytest.fixture(scope="session")
def pages(everything) -> dict[str, Parsed]:
    """Every page by its file's name."""
    return {name: page for name, page in everything.items() if "/" not in name}


@pytest.fixture(scope="session")
def found(site) -> list[dict[str, str]]:
    """What the search looks through."""
    text = (site / "search.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("window.found = ").partition(";\nwindow.terms = ")[0])
