"""What is packed for students and for platforms holds what it needs, and no solution.

Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/ ("Autograder
Specifications": setup.sh and run_autograder in the root of the zip, /autograder/submission,
/autograder/results/results.json and its fields).
"""

import contextlib
import io
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
from course.grading.archives import A_DATE, course, write_zip
from course.grading.assignment_files import (
    assignment,
    assignments,
    plain,
    secrets,
    student_version,
    text,
)
from course.grading.grade import Result
from course.grading.gradescope import as_results
from tests.course.grading.classroom import filled_in, hand_in, solutions

ROOT = Path(__file__).resolve().parents[3]
ATTENTION = assignment(2)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("built")
    command = ["build", "--zip", "--gradescope", "2", "--out", str(out)]
    with contextlib.redirect_stdout(io.StringIO()) as told:
        assert main(command) == 0
    (out / "told").write_text(told.getvalue())
    return out


# --- for students --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unpacked(built):
    with zipfile.ZipFile(built / "course.zip") as archive:
        archive.extractall(built)
    return built / "course"


def test_the_students_zip_has_no_solution(unpacked):
    names = "\n".join(path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*"))
    for secret in ("course/grading", "course/assignments", "tests/", "my_transformer"):
        assert secret not in names
    for path in unpacked.rglob("*"):
        if path.suffix in (".ipynb", ".py", ".md"):
            words = path.read_text(encoding="utf-8")
            for marker in ("### BEGIN SOLUTION", "### BEGIN HIDDEN"):
                assert marker not in words, path
    for source in assignments():
        notebook = json.loads((unpacked / "work" / "assignments" / source.file).read_bytes())
        assert notebook == student_version(source)
        told = plain("\n".join(text(cell) for cell in notebook["cells"]))
        assert not any(secret in told for secret in secrets(source))


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone")
def test_the_students_zip_has_the_projects_files_and_no_others(unpacked):
    """Nothing of the teacher's own: no work, no grades, no model that was trained here."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    project = set(listing.stdout.decode().split("\0"))
    files = [path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()]
    packed = {path.as_posix() for path in files}
    assert not [name for name in packed - project if not name.startswith("work/assignments/")]
    secret = ("course/grading/", "course/assignments/")
    assert not [name for name in packed if name.startswith(secret)]
    others = [name for name in project - packed if not name.startswith((".", *secret))]
    left_out = {name.split("/")[0] for name in others}
    assert left_out == {"conftest.py", "tests", ""}


def test_the_students_zip_is_the_course(unpacked):
    code = "import transformer_lib, start_jupyterlab as lab\n"
    code += "print(transformer_lib.__file__); print(lab.ORIGINALS / lab.FIRST)\n"
    run = subprocess.run(
        [sys.executable, "-P", "-B", "-c", code],
        cwd=unpacked,
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(unpacked), str(unpacked / "tools")))},
        text=True,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    library, first = run.stdout.splitlines()
    assert Path(library).is_relative_to(unpacked) and Path(first).is_relative_to(unpacked)
    assert Path(first).is_file()
    assert (unpacked / "Makefile").is_file() and (unpacked / "constraints.txt").is_file()
    assert (unpacked / "work" / "assignments" / "README.md").is_file()


def test_the_size_is_told_and_small(built):
    told = int(re.search(r"course.zip: .* \((\d+) MB\)", (built / "told").read_text())[1])
    size = (built / "course.zip").stat().st_size
    assert told == round(size / 1e6)
    guide = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")
    in_the_guide = int(re.search(r"`handout/course.zip` \((\d+) MB\)", guide)[1])
    assert in_the_guide == pytest.approx(told, abs=1)


def test_what_programs_leave_behind_is_not_packed(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "ROOT", tmp_path)
    for name in (
        "one/a.py",
        "one/__pycache__/a.pyc",
        "one/.ipynb_checkpoints/b.py",
        "one/.c",
        "d",
        "one/laboratory.html",
        "one/laboratory_subwords.html",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [name for name, _ in archives.project_files(("one", "d"))] == ["one/a.py", "d"]


def test_the_same_files_make_the_same_zip(tmp_path):
    """Whenever and wherever they are packed; and only the assignments that are asked for."""
    files = {name: b"" for name in course([ATTENTION])}
    assert [Path(name).name for name in files if "work/assignments/" in name] == [
        ATTENTION.file,
        "README.md",
    ]
    with zipfile.ZipFile(write_zip(tmp_path / "course.zip", files)) as archive:
        assert {one.date_time for one in archive.infolist()} == {A_DATE}
        assert archive.namelist() == list(files)


def test_an_older_zip_is_told(tmp_path, capsys):
    assert main(["build", "2", "--out", str(tmp_path)]) == 0
    assert "course.zip" not in capsys.readouterr().out
    (tmp_path / "course.zip").touch()
    assert main(["build", "2", "--out", str(tmp_path)]) == 0
    assert "course.zip is from an earlier build: --zip makes it again." in capsys.readouterr().out


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
    assert not (root / "source/course/assignments/my_transformer.py").exists()
    assert "course/assignments/my_transformer.py" in archives.autograder(assignment("from_scratch"))
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
    points = [(one["score"], one["max_score"]) for one in found["tests"]]
    assert points[0] == (0, 2) and points[1:] == [(5, 5), (4, 4), (2, 2), (0, 0)]
    assert "A person reads this: up to 3 points." in found["tests"][-1]["output"]


def test_results_for_gradescope():
    """Only fields of the specification, and each test says what to think about."""
    results = [
        Result(
            "you",
            one.name,
            None if one.kind == "explain" else 0.5,
            one.points,
            "to be read" if one.kind == "explain" else "Think.",
            "Words.",
        )
        for one in ATTENTION.exercises
    ]
    found = as_results(results, ATTENTION, "You: mine.ipynb was graded.")
    assert set(found) <= {
        "score",
        "execution_time",
        "output",
        "output_format",
        "visibility",
        "stdout_visibility",
        "extra_data",
        "tests",
        "leaderboard",
    }
    for one in found["tests"]:
        assert set(one) <= {
            "score",
            "max_score",
            "status",
            "name",
            "name_format",
            "number",
            "output",
            "output_format",
            "tags",
            "visibility",
            "extra_data",
        }
    hints = [one["output"] for one in found["tests"]]
    assert hints == [*4 * ["Think."], "A person reads this: up to 3 points."]
    assert found["output"] == "You: mine.ipynb was graded."
    assert sum(one["max_score"] for one in found["tests"]) == 13
