"""Our own solution of the twelve parts, and classic mistakes in it (mistakes.yml)."""

import re
from pathlib import Path

import yaml

SOLUTION = Path(__file__).resolve().parents[3] / "course" / "assignments" / "my_transformer.py"
SOURCE = SOLUTION.read_text(encoding="utf-8")
HEADER, *BLOCKS = re.split(r"^# --- \d+\. .*\n+", SOURCE, flags=re.MULTILINE)
MISTAKES = yaml.safe_load(Path(__file__).with_name("mistakes.yml").read_text(encoding="utf-8"))


def changed(old: str, new: str) -> str:
    assert SOURCE.count(old) == 1, f"{old!r} stands {SOURCE.count(old)} times in the solution"
    return SOURCE.replace(old, new)
