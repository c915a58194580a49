"""The library's annotations are complete and true, as far as mypy can tell (pyproject.toml).

It keeps what it knows of PyTorch in .mypy_cache: the first run takes fifteen seconds, others one.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "transformer_lib").rglob("*.py"))
MOST = 20  # ignores
IGNORE = re.compile(r"#\s*(type|mypy):\s*ignore.*")
WITH_REASON = re.compile(r"# type: ignore\[[a-z-]+\]  # \w+( \S+)+")


def mypy(*options: str | Path) -> subprocess.CompletedProcess[str]:
    """As a person types it, in the project's folder."""
    return subprocess.run(
        [sys.executable, "-m", "mypy", *options], cwd=ROOT, capture_output=True, text=True
    )


def test_mypy_finds_nothing():
    run = mypy()
    assert run.returncode == 0, run.stdout + run.stderr


PLANTED = [
    ("def causal_mask(length: int, ", "def causal_mask(length, ", "no-untyped-def"),
    ("(ids: Tensor) -> Tensor:", "(ids: Tensor) -> int:", "return-value"),
    ("= None) -> Tensor:", "= 0) -> Tensor:", "assignment"),
]


@pytest.mark.slow
def test_mypy_finds_planted_errors(tmp_path):
    """In public functions of the model, which are read from another file in its place.

    With a cache of its own: the usual one goes by names and sizes of files, and these are alike.
    """
    masks = ROOT / "transformer_lib" / "model" / "masks.py"
    text = masks.read_text(encoding="utf-8")
    for true, planted, _ in PLANTED:
        assert text.count(true) == 1
        text = text.replace(true, planted)
    other = tmp_path / "masks.py"
    other.write_text(text, encoding="utf-8")
    cache = f"--cache-dir={tmp_path / 'cache'}"
    run = mypy(cache, "--shadow-file", masks.relative_to(ROOT), other)
    assert run.returncode == 1
    for _, _, code in PLANTED:
        assert f"[{code}]" in run.stdout, run.stdout + run.stderr


def test_each_ignore_has_its_reason():
    found = [
        line
        for path in FILES
        for line in path.read_text(encoding="utf-8").splitlines()
        if IGNORE.search(line)
    ]
    assert len(found) <= MOST
    assert not [line for line in found if not WITH_REASON.search(line)]


@pytest.mark.parametrize(
    ("line", "fine"),
    [
        ("x = f()  # type: ignore[attr-defined]  # the stubs leave it out", True),
        ("x = f()  # type: ignore[attr-defined]", False),
        ("x = f()  # type: ignore  # the stubs leave it out", False),
        ("# mypy: ignore-errors", False),
    ],
)
def test_what_counts_as_an_ignore_with_a_reason(line, fine):
    assert IGNORE.search(line)
    assert bool(WITH_REASON.search(line)) == fine


def test_no_type_is_claimed_by_a_cast():
    assert not [path for path in FILES if re.search(r"\bcast\(", path.read_text(encoding="utf-8"))]
