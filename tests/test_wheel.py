"""The library as one file: built from the project, it works where nothing else of it is."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what the wheel holds, as pip would unpack it."""
    folder = tmp_path_factory.mktemp("wheel")
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, *arguments: str, cwd: Path) -> str:
    """The command line of the unpacked wheel, far from the project."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "transformer_lib", *arguments],
        cwd=cwd, env=os.environ | {"PYTHONPATH": str(installed)},
        check=True, capture_output=True, encoding="utf-8",
    ).stdout  # fmt: skip


def test_all_data_and_models_are_inside(installed):
    inside = installed / "transformer_lib" / "data"
    listed = {path.relative_to(inside) for path in inside.rglob("*") if path.is_file()}
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "data"], cwd=ROOT, capture_output=True, encoding="utf-8"
    ).stdout.split("\0")
    if any(tracked):  # a copy without git has nothing to compare with
        assert listed == {Path(name).relative_to("data") for name in tracked if name}


def test_it_translates_alone_with_both_models(installed, tmp_path):
    where = "import transformer_lib, sys; print(transformer_lib.__file__)"
    found = subprocess.run(
        [sys.executable, "-P", "-c", where], cwd=tmp_path, capture_output=True, encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(installed)}, check=True,
    ).stdout  # fmt: skip
    assert Path(found.strip()).is_relative_to(installed)
    assert run(installed, "translate", "I like trees", cwd=tmp_path) == "Me gustan los árboles\n"
    answer = run(installed, "translate", "--model", "tatoeba", "Good morning.", cwd=tmp_path)
    assert answer == "Buenos días.\n"


def test_it_draws_a_figure_alone(installed, tmp_path):
    run(installed, "figures", "--only", "one-hot-row", "--out", str(tmp_path), cwd=tmp_path)
    assert len(list(tmp_path.glob("*.png"))) == 1
