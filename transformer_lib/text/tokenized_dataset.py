"""Sentence pairs as ids on disk: encoded once, then read through a memory map.

A corpus may be larger than the memory: the system keeps the pages that are in use. Its folder holds
the ids of all sentences one after another, source, target, source, target (`ids`), the position
after each sentence (`ends`), and the number of pairs (`about.json`).
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import overload

import numpy as np

AT_A_TIME = 10_000  # pairs that are encoded together
IdPair = tuple[list[int], list[int]]


class TokenizedDataset(Sequence[IdPair]):
    """Pairs of (source ids, target ids), without special tokens, from a folder of `encode_pairs`.

    Raises ValueError if a file is missing or too short.
    """

    def __init__(self, folder: Path):
        folder = Path(folder)
        try:
            about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
            self._ids = np.memmap(folder / "ids", about["dtype"], mode="r")
            self._ends = np.memmap(folder / "ends", np.int64, mode="r")
            whole = len(self._ids) == self._ends[-1] and len(self._ends) == 2 * about["pairs"]
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{folder} is damaged ({error}): delete it") from None
        if not whole:
            raise ValueError(f"{folder} is damaged (its files are too short): delete it")

    def __len__(self) -> int:
        return len(self._ends) // 2

    def __repr__(self) -> str:
        return f"TokenizedDataset({len(self):,} pairs)"

    @overload
    def __getitem__(self, i: int) -> IdPair: ...
    @overload
    def __getitem__(self, i: slice) -> list[IdPair]: ...
    def __getitem__(self, i: int | slice) -> IdPair | list[IdPair]:
        if isinstance(i, slice):
            return [self[number] for number in range(*i.indices(len(self)))]
        if not 0 <= i < len(self):
            raise IndexError(f"pair {i} of {len(self)}")
        start = int(self._ends[2 * i - 1]) if i else 0
        middle, end = map(int, self._ends[2 * i : 2 * i + 2])
        return self._ids[start:middle].tolist(), self._ids[middle:end].tolist()

    def lengths(self) -> np.ndarray:
        """(n, 2): the number of ids in each source and target."""
        return np.diff(self._ends, prepend=0).reshape(len(self), 2)


def encode_pairs(
    pairs: Iterable[tuple[str, str]],
    encode_all: Callable[[Sequence[str]], list[list[int]]],
    vocab_size: int,
    folder: Path,
) -> TokenizedDataset:
    """Write the ids of all pairs into a new folder, and open it.

    The folder has another name until it is complete, so that one of this name always is, even if
    the machine stops in the middle. vocab_size: of the ids. ValueError for no pairs at all.
    """
    folder = Path(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    dtype = np.dtype(np.uint16 if vocab_size <= 2**16 else np.uint32)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
    try:
        count = end = 0
        pairs = iter(pairs)
        with open(beside / "ids", "wb") as ids_file, open(beside / "ends", "wb") as ends_file:
            while some := list(islice(pairs, AT_A_TIME)):
                ids = encode_all([text for pair in some for text in pair])
                ends = end + np.cumsum([len(sentence) for sentence in ids], dtype=np.int64)
                ids_file.write(np.fromiter(chain.from_iterable(ids), dtype).tobytes())
                ends_file.write(ends.tobytes())
                count, end = count + len(some), int(ends[-1])
            for file in (ids_file, ends_file):
                file.flush()
                os.fsync(file.fileno())
        if not count:
            raise ValueError("there are no sentence pairs to encode")
        about = {"pairs": count, "dtype": dtype.name}
        (beside / "about.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
        if not folder.exists():  # else another run was faster
            os.replace(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return TokenizedDataset(folder)
