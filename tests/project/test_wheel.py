"""The library as one file: built from the project, it works where nothing else of it is.

Installed by pip, but without what it needs: that is here, and test_imports.py looks after it.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from importlib.util import find_spec
from pathlib import Path

import editables
import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from packaging.licenses import canonicalize_license_expression

from course.site import licenses
from tests.here import ROOT


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


def outcome(installed: Path, command: list[str], cwd: Path) -> str:
    """Without the tests' variables: PyTorch takes as many threads as it does for anybody."""
    user = {"PATH": os.environ["PATH"], "HOME": str(cwd), "LANG": "C.UTF-8"}
    return subprocess.run(
        command,
        cwd=cwd,
        env=user | {"PYTHONPATH": str(installed)},
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
        of_the_library = {name for name in tracked if not name.startswith("data/models/earlier/")}
        assert listed == {Path(name).relative_to("data") for name in of_the_library if name}


def test_it_lists_the_licenses_and_holds_their_texts(installed):
    """As PEP 639 has it: an SPDX expression, and the files; not those of what others made."""
    (folder,) = installed.glob("transformer_lib-*.dist-info")
    told = message_from_string((folder / "METADATA").read_text(encoding="utf-8"))
    expression = told["License-Expression"]
    assert canonicalize_license_expression(expression) == expression
    ours = {licenses.identifier(file) for file in licenses.KINDS.values()}
    assert set(expression.split(" AND ")) == ours
    files = {"LICENSE", *(f"LICENSES/{name}.txt" for name in ours)}
    assert set(told.get_all("License-File")) == files
    assert all((folder / "licenses" / name).is_file() for name in files)


def test_it_is_the_installed_one_that_is_tried(installed, tmp_path):
    """Though the project itself is installed here, too, where its files are edited."""
    where = "from transformer_lib.text import data; print(data.__file__, data.DATA, sep='|')"
    found = outcome(installed, [sys.executable, "-P", "-c", where], tmp_path).strip().split("|")
    assert [Path(place) for place in found] == [
        installed / "transformer_lib" / "text" / "data.py",
        installed / "transformer_lib" / "data",
    ]


def test_it_translates_alone_with_both_models(installed, tmp_path):
    assert run(installed, "translate", "I like trees", cwd=tmp_path) == "Me gustan los árboles\n"
    answer = run(installed, "translate", "--model", "tatoeba", "Good morning", cwd=tmp_path)
    assert answer == "Buenos días.\n"


def test_it_trains_measures_and_looks_inside_alone(installed, tmp_path):
    """With nothing to draw with: matplotlib and Altair belong to the course."""
    run(installed, "train", "--task", "copy", "--steps", "2", "--out", "copy", cwd=tmp_path)
    assert (tmp_path / "copy" / "model.safetensors").is_file()
    few = "I like trees.\tMe gustan los árboles.\nI sleep.\tDuermo.\n"
    (tmp_path / "few.tsv").write_text(few, encoding="utf-8")
    measured = run(
        installed, "evaluate", "--model", "tatoeba", "--data", "few.tsv", "--json", cwd=tmp_path
    )
    assert json.loads(measured)["splits"]["few.tsv"]["exact_match"] == 1
    program = (
        "import sys; sys.modules.update(matplotlib=None, altair=None, course=None)\n"
        "from transformer_lib import Translator, record_attention\n"
        "maps = Translator.load().attention_maps('I like trees')\n"
        "print(sorted(maps.weights)[0])"
    )
    found = outcome(installed, [sys.executable, "-P", "-c", program], tmp_path)
    assert found == "decoder.layers.0.cross_attn\n"


@pytest.fixture(scope="module")
def packed(installed):
    """Names and texts of all files in the wheel, and of those in the source distribution."""
    (wheel,) = installed.parent.glob("*.whl")
    (sources,) = SdistBuilder(str(ROOT)).build(directory=str(installed.parent))
    with zipfile.ZipFile(wheel) as one, tarfile.open(sources) as other:
        in_sources = {m.name: other.extractfile(m).read() for m in other if m.isfile()}
        return {name: one.read(name) for name in one.namelist()}, in_sources


def test_neither_holds_a_solution_or_anything_of_the_course(packed):
    for files in packed:
        names = "\n".join(files)
        assert "transformer_lib/model/attention.py" in names
        assert "transformer_lib/py.typed" in names  # so a type checker reads its annotations
        for secret in (
            "course/",
            "models/earlier/",
            "my_transformer",
            "assignments",
            "grading",
            ".ipynb",
        ):
            assert secret not in names, secret
        assert not [name for name, text in files.items() if b"BEGIN SOLUTION" in text]


# In a Python that has nothing else installed.
WHAT_IS_FOUND = """
import importlib.util, site, sys
site.addsitedir(sys.argv[1])
print(*(name for name in sys.argv[2:] if importlib.util.find_spec(name)))
"""


def test_an_editable_install_brings_the_library_the_course_and_nothing_else(tmp_path):
    """Not `tests`, `tools` or `data`, which would hide what others call so."""
    builder = WheelBuilder(str(ROOT))
    (wheel,) = builder.build(directory=str(tmp_path / "built"), versions=["editable"])
    zipfile.ZipFile(wheel).extractall(tmp_path)
    shutil.copytree(Path(editables.__file__).parent, tmp_path / "editables")
    here = "conftest course data docs notebooks tests tools transformer_lib".split()
    program = [sys.executable, "-I", "-S", "-c", WHAT_IS_FOUND, str(tmp_path), *here]
    found = subprocess.run(program, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert found.split() == ["course", "transformer_lib"]
