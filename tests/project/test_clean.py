"""`git clean -fdX`, which many type from habit, removes nothing that somebody wrote."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import check
from tests.here import ROOT

WRITTEN = """
    work/04_attention.ipynb
    work/assignments/2_attention.ipynb
    work/my_own/dist/notes.md
    work/my_own/figures/heads.png
    work/laboratory notes.html
    notebooks/my_own.ipynb
    work/my_transformer.py
    work/my_translator/training.safetensors
    build/my_transformer.py
    runs/mine/model.safetensors
    runs/mine/training_state.safetensors
    submissions/ana/2_attention.ipynb
    submissions/ben/my_transformer.py
    handout/teacher/2_attention.ipynb
    grades-2/to_read.csv
    grades-trial/graded/ana.json
""".strip().splitlines()
MADE = """
    .venv/bin/python
    transformer_lib/__pycache__/files.pyc
    transformer_lib.egg-info/PKG-INFO
    dist/transformer_lib.whl
    site/index.html
    figures/attention-trees.png
    work/laboratory.html
    work/.123.laboratory_subwords.html
    work/.ipynb_checkpoints/04_attention.ipynb
""".strip().splitlines()


@pytest.fixture
def clone(tmp_path):
    """A folder with what git and the style checker know of this project, and all these files."""
    if not shutil.which("git"):
        pytest.skip("there is no git")
    for name in (".gitignore", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in WRITTEN + MADE:
        file = tmp_path / name.strip()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine", encoding="utf-8")
    for command in (["init"], ["add", ".gitignore", "pyproject.toml", "notebooks"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def test_what_a_person_wrote_stays(clone):
    subprocess.run(["git", "clean", "-fdX"], cwd=clone, check=True, capture_output=True)
    there = [name for name in WRITTEN + MADE if (clone / name.strip()).exists()]
    assert there == WRITTEN


def test_make_check_looks_at_the_project_alone(clone, monkeypatch):
    """Git lists what it doesn't ignore: what readers and teachers have is left out by name."""
    monkeypatch.setattr(check, "ROOT", clone)
    changed = {path.as_posix() for path in check.changed()}
    assert changed == {".gitignore", "pyproject.toml", "notebooks/my_own.ipynb"}
    ruff = [sys.executable, "-m", "ruff", "check", "--no-cache", "--show-files"]
    shown = subprocess.run(ruff, cwd=clone, capture_output=True, text=True, check=True).stdout
    styled = {Path(line).relative_to(clone.resolve()).as_posix() for line in shown.splitlines()}
    assert styled == {"pyproject.toml", "notebooks/my_own.ipynb"}
