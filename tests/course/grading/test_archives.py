"""What is packed for students and for platforms holds what it needs, and no solution.

Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/ ("Autograder
Specifications": setup.sh and run_autograder in the root of the zip, /autograder/submission,
/autograder/results/results.json and its fields).
"""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from course.grading import archives
from course.grading.__main__ import main
from course.grading.assignment_files import assignment, assignments, student_version
from tests.course.grading.classroom import ATTENTION, filled_in, hand_in, solutions

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("built")
    assert main(["build", "--zip", "--gradescope", "2", "--out", str(out)]) == 0
    return out


# --- for students --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unpacked(built):
    with zipfile.ZipFile(built / "course.zip") as archive:
        archive.extractall(built)
    return built / "course"


def test_the_students_zip_has_no_solution(unpacked):
    """Nothing of the teacher's own either: no work, no grades, no model that was trained here."""
    files = [path for path in unpacked.rglob("*") if path.is_file()]
    packed = {path.relative_to(unpacked).as_posix() for path in files}
    secret = ("course/grading/", "course/assignments/", "tests/")
    assert not [name for name in packed if name.startswith(secret) or "my_transformer" in name]
    for path in files:
        if path.suffix in (".ipynb", ".py", ".md"):
            words = path.read_text(encoding="utf-8")
            # The teacher's guide names the markers, between backticks.
            assert not re.search("(?<!`)### BEGIN (SOLUTION|HIDDEN)", words), path
    for source in assignments():
        notebook = json.loads((unpacked / "work" / "assignments" / source.file).read_bytes())
        assert notebook == student_version(source)
    if (ROOT / ".git").exists():
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
        project = set(listing.stdout.decode().split("\0"))
        assert not [one for one in packed - project if not one.startswith("work/assignments/")]
        left_out = {one for one in project - packed if not one.startswith((".", *secret))}
        assert left_out == {"conftest.py", ""}


def test_the_students_zip_is_the_course(unpacked):
    code = "import transformer_lib, start_jupyterlab as lab\n"
    code += "print(transformer_lib.__file__); print(lab.ORIGINALS / lab.FIRST)\n"
    paths = os.pathsep.join((str(unpacked), str(unpacked / "tools")))
    told = subprocess.check_output(
        [sys.executable, "-P", "-B", "-c", code],
        cwd=unpacked,
        env=os.environ | {"PYTHONPATH": paths},
        text=True,
    )
    needed = [*told.splitlines(), "Makefile", "constraints.txt", "work/assignments/README.md"]
    for path in (unpacked / name for name in needed):
        assert path.is_relative_to(unpacked) and path.is_file()


# --- Gradescope ----------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_gradescope_runs_what_it_is_given(built, tmp_path):
    """As its image does, in another root: unpack, copy run_autograder, start it."""
    root = tmp_path / "autograder"
    with zipfile.ZipFile(built / "gradescope-2.zip") as archive:
        archive.extractall(root / "source")
        modes = {one.filename: one.external_attr >> 16 for one in archive.infolist()}
    assert modes["setup.sh"] == modes["run_autograder"] == 0o755
    subprocess.run(["bash", "-n", root / "source" / "setup.sh"], check=True)
    assert [path.name for path in (root / "source/course/assignments").iterdir()] == [
        ATTENTION.file
    ]
    assert "course/assignments/my_transformer.py" in archives.autograder(assignment("mine"))
    shutil.copy(root / "source" / "run_autograder", root)
    (root / "results").mkdir()
    wrong = solutions(ATTENTION) | {"two_weights": "two_weights = [0.5, 0.5]"}
    hand_in(root / "submission" / "mine.ipynb", filled_in(ATTENTION, wrong))
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env |= {"AUTOGRADER": str(root), "PYTHON": sys.executable}
    run = subprocess.run(
        ["bash", root / "run_autograder"],
        cwd=root,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found = json.loads((root / "results" / "results.json").read_bytes())
    assert set(found) <= {"output", "visibility", "stdout_visibility", "tests"}  # as specified
    assert {key for one in found["tests"] for key in one} <= {
        *("score", "max_score", "status", "name", "output", "output_format", "visibility"),
    }
    points = [(one["score"], one["max_score"]) for one in found["tests"]]
    assert points[0] == (0, 2) and points[1:] == [(5, 5), (4, 4), (2, 2), (0, 0)]
    assert found["tests"][0]["output"]
    assert "A person reads this: up to 3 points." in found["tests"][-1]["output"]
