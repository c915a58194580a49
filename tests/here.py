"""The folder of the project: its files, and what commands print there."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def outcome(*command: str | Path) -> str:
    """What a command prints; AssertionError, with all that it said, if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
