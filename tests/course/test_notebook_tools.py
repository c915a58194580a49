"""The tools that run and count notebooks, by the name that they had before."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_old_command_still_runs_and_says_where_it_went():
    old = [sys.executable, "-m", "course.notebooks.count", "--help"]
    run = subprocess.run(old, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "--fix" in run.stdout
    assert "course.notebooks is now course.notebook_tools" in run.stderr
