"""The library as one file: built from the project, it works where nothing else of it is.

Installed by pip, but without what it needs: that is here, and test_imports.py looks after it.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder into which pip, or uv in an environment without it, has installed the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    pip = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "install"]
    uv = ["uv", "pip", "install", "--no-config", "--no-cache", "--python", sys.executable]
    offline = ["--no-index", "--no-deps", "--quiet", "--target", str(folder / "site")]
    subprocess.run([*(pip if find_spec("pip") else uv), *offline, wheel], check=True)
    return folder / "site"


def run(installed: Path, *arguments: str, cwd: Path) -> str:
    """The command that pip has made, far from the project."""
    command = shutil.which("transformer-lib", path=installed / "bin")
    return outcome(installed, [command, *arguments], cwd)


def as_a_user(home: Path) -> dict[str, str]:
    """No variable of the tests: PyTorch takes as many threads as it does for anybody."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}


def outcome(installed: Path, command: list[str], cwd: Path) -> str:
    return subprocess.run(
        command,
        cwd=cwd,
        env=as_a_user(cwd) | {"PYTHONPATH": str(installed)},
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout


def test_all_data_and_models_are_inside(installed):
    inside = installed / "transformer_lib" / "data"
    listed = {path.relative_to(inside) for path in inside.rglob("*") if path.is_file()}
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "data"], cwd=ROOT, capture_output=True, encoding="utf-8"
    ).stdout.split("\0")
    if any(tracked):  # a copy without git has nothing to compare with
        assert listed == {Path(name).relative_to("data") for name in tracked if name}


def test_it_is_the_installed_one_that_is_tried(installed, tmp_path):
    """Though the project itself is installed here, too, where its files are edited."""
    where = "from transformer_lib import corpora; print(corpora.__file__, corpora.DATA, sep='|')"
    found = outcome(installed, [sys.executable, "-P", "-c", where], tmp_path).strip().split("|")
    assert [Path(place) for place in found] == [
        installed / "transformer_lib" / "corpora" / "__init__.py",
        installed / "transformer_lib" / "data",
    ]


def test_it_translates_alone_with_both_models(installed, tmp_path):
    assert run(installed, "translate", "I like trees", cwd=tmp_path) == "Me gustan los árboles\n"
    answer = run(installed, "translate", "--model", "tatoeba", "Good morning", cwd=tmp_path)
    assert answer == "Buenos días\n"


def test_it_draws_a_figure_alone(installed, tmp_path):
    run(installed, "figures", "--only", "one-hot-row", "--out", str(tmp_path), cwd=tmp_path)
    assert len(list(tmp_path.glob("*.png"))) == 1
