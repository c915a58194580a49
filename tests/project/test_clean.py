"""`git clean -fdX`, which many type from habit, removes what programs made and nothing that people did."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = """
    work/04_attention.ipynb
    work/assignments/2_attention.ipynb
    work/my_own/dist/notes.md
    work/my_own/figures/heads.png
    work/laboratory notes.html
    notebooks/my_own.ipynb
    from_scratch/my_transformer.py
    from_scratch/my_translator/model.safetensors
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


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
def test_what_a_person_wrote_stays(tmp_path):
    def git(*arguments):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    shutil.copy(ROOT / ".gitignore", tmp_path)
    files = [tmp_path / name.strip() for name in WRITTEN + MADE]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine", encoding="utf-8")
    git("add", ".gitignore", "notebooks/my_own.ipynb")
    git("clean", "-fdX")
    assert [file for file in files if file.exists()] == files[: len(WRITTEN)]
