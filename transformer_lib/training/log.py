"""The log of a training: a line of JSON every few steps and at each validation, as it goes on."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from transformer_lib.files import CheckpointError, write_file
from transformer_lib.training.distributed import all_reduce_sum

LOG_FILE = "log.jsonl"
EVERY = 10  # steps between two lines


class Log:
    """log.jsonl in the folder of a run; without a folder, nothing is written.

    {"step": 20, "loss": 4.2, "learning_rate": 0.0001, "words_per_second": 3210}: the means since
    the line before; the words are target words. At each validation, its entry of the history.
    after: the step from which a run goes on. What was written of later steps is taken away, as the
    run is going to write it again: whenever it was killed, no line is lost and none comes twice.
    Several processes each tell their share, and one of them has the folder.
    """

    def __init__(self, folder: Path | None, after: int = 0):
        self._path = None if folder is None else Path(folder) / LOG_FILE
        self._start()
        if self._path and self._path.exists():
            before = self._path.read_bytes()
            kept = b"".join(line for line, entry in entries(before) if entry["step"] <= after)
            if kept != before:
                write_file(self._path, kept)

    def step(self, step: int, loss: float, words: int, lr: float, seconds: float) -> None:
        """One update of the weights: its loss per word, its words, how long it took."""
        self._losses.append(loss)
        self._words, self._seconds = self._words + words, self._seconds + seconds
        self._last = {"step": step, "learning_rate": lr}
        if step % EVERY == 0:
            self._write_steps()

    def validation(self, entry: dict) -> None:
        """What was found; from here on, these lines outlast a power cut, too."""
        self._write_steps()
        self._write(entry, lasting=True)

    def _start(self) -> None:
        self._losses: list[float] = []
        self._words, self._seconds = 0, 0.0

    def _write_steps(self) -> None:
        if self._losses:
            loss, words = all_reduce_sum(sum(self._losses) / len(self._losses), self._words)
            pace = round(words / max(self._seconds, 1e-9))
            self._write(self._last | {"loss": round(loss, 4), "words_per_second": pace})
            self._start()

    def _write(self, entry: dict, lasting: bool = False) -> None:
        if self._path:
            with open(self._path, "ab") as file:
                file.write(json.dumps(entry).encode() + b"\n")
                file.flush()
                if lasting:
                    os.fsync(file.fileno())


def entries(content: bytes) -> Iterator[tuple[bytes, dict]]:
    """Each line with what it says, up to the first that is not whole (yet)."""
    for line in content.splitlines(keepends=True):
        try:
            entry = json.loads(line)
            int(entry["step"])
        except (ValueError, TypeError, KeyError):
            return
        if not line.endswith(b"\n"):
            return
        yield line, entry


def read_log(folder: Path) -> tuple[list[dict], list[dict]]:
    """The entries of a run so far, also of one that is going on: every few steps; validations."""
    path = Path(folder) / LOG_FILE
    if not path.exists():
        raise CheckpointError(f"there is no training to draw in {folder}: it has no {LOG_FILE}")
    found = [entry for _, entry in entries(path.read_bytes())]
    steps = [entry for entry in found if "words_per_second" in entry]
    return steps, [entry for entry in found if "validation_loss" in entry]
