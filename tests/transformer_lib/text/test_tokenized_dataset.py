"""Pairs on disk: the same as in memory, and a killed encoding leaves nothing that is believed."""

import os
import random

import pytest

from transformer_lib.text import tokenized_dataset as encoded
from transformer_lib.text.tokenized_dataset import TokenizedDataset, encode_pairs


def letters(texts):
    return [[ord(letter) for letter in text] for text in texts]


@pytest.fixture
def some():
    draw = random.Random(0).randrange
    return [("a" * draw(1, 30), "é" * draw(1, 30)) for _ in range(100)]


@pytest.mark.parametrize(("vocab_size", "width"), [(2**16, 2), (2**16 + 1, 4)])
def test_pairs_come_back_as_they_were(tmp_path, monkeypatch, some, vocab_size, width):
    monkeypatch.setattr(encoded, "AT_A_TIME", 7)
    pairs, folder = [*some, (chr(vocab_size - 1) * 3, "b")], tmp_path / "new" / "a" / "pairs"
    on_disk = encode_pairs(iter(pairs), letters, vocab_size, folder)
    expected = [tuple(letters(pair)) for pair in pairs]
    assert list(on_disk) == list(TokenizedDataset(folder)) == expected
    assert on_disk[-3:] == expected[-3:] and len(on_disk) == 101
    assert on_disk.lengths().tolist() == [[len(a), len(b)] for a, b in pairs]
    assert os.listdir(folder.parent) == ["pairs"]
    assert (folder / "ids").stat().st_size == width * on_disk.lengths().sum()
    with pytest.raises(IndexError, match="pair 101 of 101"):
        on_disk[101]


def test_an_encoding_that_fails_leaves_nothing(tmp_path, some):
    def complain():
        yield from some
        raise ValueError("line 101")

    with pytest.raises(ValueError, match="line 101"):
        encode_pairs(complain(), letters, 1000, tmp_path / "pairs")
    with pytest.raises(ValueError, match="no sentence pairs"):
        encode_pairs([], letters, 1000, tmp_path / "pairs")
    assert os.listdir(tmp_path) == []


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
