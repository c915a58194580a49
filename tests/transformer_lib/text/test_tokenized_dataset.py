"""Pairs on disk: the same as in memory, and a killed encoding leaves nothing that is believed."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from transformer_lib.text import tokenized_dataset as encoded
from transformer_lib.text.batching import batch_indices
from transformer_lib.text.tokenized_dataset import TokenizedDataset, encode_pairs


def letters(texts):
    return [[ord(letter) for letter in text] for text in texts]


@pytest.fixture
def some():
    draw = random.Random(0).randrange
    return [("a" * draw(1, 30), "é" * draw(1, 30)) for _ in range(100)]


@pytest.mark.parametrize("vocab_size", [2**16, 2**16 + 1])
def test_pairs_come_back_as_they_were(tmp_path, monkeypatch, some, vocab_size):
    monkeypatch.setattr(encoded, "AT_A_TIME", 7)
    last = chr(vocab_size - 1) * 3
    pairs = [*some, (last, "b")]
    on_disk = encode_pairs(iter(pairs), letters, vocab_size, tmp_path / "new" / "a" / "pairs")
    assert [tuple(map(list, pair)) for pair in on_disk] == [tuple(letters(pair)) for pair in pairs]
    assert list(TokenizedDataset(tmp_path / "new" / "a" / "pairs")) == list(on_disk)
    assert on_disk.lengths().tolist() == [[len(a), len(b)] for a, b in pairs]
    assert os.listdir(tmp_path / "new" / "a") == ["pairs"]
    width = (tmp_path / "new" / "a" / "pairs" / "ids").stat().st_size / on_disk.lengths().sum()
    assert width == (2 if vocab_size == 2**16 else 4)


def test_the_order_is_that_of_pairs_in_memory(tmp_path, some):
    on_disk = encode_pairs(some, letters, 1000, tmp_path / "pairs")
    in_memory = [tuple(letters(pair)) for pair in some]
    assert batch_indices(on_disk, 100, seed=3) == batch_indices(in_memory, 100, seed=3)


def test_lengths_are_known_without_reading_a_sentence(tmp_path, monkeypatch, some):
    on_disk = encode_pairs(some, letters, 1000, tmp_path / "pairs")
    monkeypatch.setattr(TokenizedDataset, "__getitem__", None)
    assert len(batch_indices(on_disk, 100, seed=3)) > 1


def test_an_encoding_that_fails_leaves_nothing(tmp_path, some):
    def complain():
        yield from some
        raise ValueError("line 101")

    with pytest.raises(ValueError, match="line 101"):
        encode_pairs(complain(), letters, 1000, tmp_path / "pairs")
    with pytest.raises(ValueError, match="no sentence pairs"):
        encode_pairs([], letters, 1000, tmp_path / "pairs")
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
def test_a_killed_encoding_leaves_nothing_that_is_believed(tmp_path):
    """SIGKILL while it writes: what it wrote has no name, and the next one is whole."""
    program = f"""
import itertools
from pathlib import Path
from transformer_lib.text import tokenized_dataset as encoded
encoded.AT_A_TIME = 10
forever = itertools.cycle([("abc", "de")])
encoded.encode_pairs(forever, lambda texts: [[5, 6]] * len(texts), 9, Path({str(tmp_path)!r}) / "x")
"""
    process = subprocess.Popen([sys.executable, "-c", program])
    deadline = time.monotonic() + 60
    while not any(part.stat().st_size for part in tmp_path.glob("*/ids")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "x").exists() and list(tmp_path.glob(".x.*.part"))
    assert list(encode_pairs([("a", "b")], letters, 1000, tmp_path / "x")) == [([97], [98])]


def test_of_two_encodings_at_a_time_the_first_stays(tmp_path, some):
    def slower():
        encode_pairs(some, letters, 1000, tmp_path / "pairs")
        yield from some

    on_disk = encode_pairs(slower(), letters, 1000, tmp_path / "pairs")
    assert len(on_disk) == 100 and os.listdir(tmp_path) == ["pairs"]


@pytest.mark.parametrize("name", ["ids", "ends", "about.json"])
def test_damaged_files_are_refused(tmp_path, some, name):
    encode_pairs(some, letters, 1000, tmp_path / "pairs")
    file = tmp_path / "pairs" / name
    for content in (file.read_bytes()[:-16], b""):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="pairs is damaged .*: delete it"):
            TokenizedDataset(tmp_path / "pairs")
    file.unlink()
    with pytest.raises(ValueError, match="damaged"):
        TokenizedDataset(tmp_path / "pairs")


def test_pairs_of_nothing_that_are_cut_off_are_missed(tmp_path):
    """The ids are whole all the same."""
    encode_pairs([("a", "b"), ("", "")], letters, 1000, tmp_path / "pairs")
    assert list(TokenizedDataset(tmp_path / "pairs")) == [([97], [98]), ([], [])]
    ends = tmp_path / "pairs" / "ends"
    ends.write_bytes(ends.read_bytes()[:-16])
    with pytest.raises(ValueError, match="too short"):
        TokenizedDataset(tmp_path / "pairs")


def test_there_is_nothing_beyond_the_end(tmp_path, some):
    on_disk = encode_pairs(some, letters, 1000, tmp_path / "pairs")
    for i in (100, -1):
        with pytest.raises(IndexError, match=f"pair {i} of 100"):
            on_disk[i]


@pytest.mark.parametrize("part", [slice(3, 6), slice(-2, None), slice(None, None, 40), slice(9, 3)])
def test_a_slice_is_a_list_of_pairs_as_of_any_sequence(tmp_path, some, part):
    on_disk = encode_pairs(some, letters, 1000, tmp_path / "pairs")
    assert on_disk[part] == [tuple(letters(pair)) for pair in some][part]
