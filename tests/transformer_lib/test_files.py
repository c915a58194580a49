"""Files are written whole or not at all, and nothing is unpickled."""

import errno
import os
from pathlib import Path

import pytest

import transformer_lib
from transformer_lib import files
from transformer_lib.files import keep_file, write_file


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_file(path, b"old")

    def fail(*_):
        raise OSError(errno.ENOSPC, "the disk is full")

    for step in ("fsync", "replace"):
        monkeypatch.setattr(os, step, fail)
        with pytest.raises(OSError, match="full") as caught:
            write_file(path, b"new and longer")
        assert caught.value.filename == str(path)
        assert path.read_bytes() == b"old"
        assert os.listdir(tmp_path) == ["file"]
        monkeypatch.undo()
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]


def test_nothing_is_unpickled():
    source = "".join(p.read_text() for p in Path(transformer_lib.__file__).parent.rglob("*.py"))
    assert "torch.load" not in source
    assert "pickle" not in source


def test_a_file_that_says_the_same_is_left_alone(tmp_path, monkeypatch):
    """Several processes of one training prepare the same text at the same moment."""
    path, written = tmp_path / "train.tsv", []
    monkeypatch.setattr(files, "write_file", lambda *file: written.append(file))
    keep_file(path, b"first")
    assert written == [(path, b"first")]
    path.write_bytes(b"first")
    keep_file(path, b"first")
    assert len(written) == 1
    keep_file(path, b"another")
    assert written[1:] == [(path, b"another")]
