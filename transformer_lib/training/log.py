"""The log of a training run: a line of JSON every few steps, and one at each validation."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from transformer_lib.files import CheckpointError, write_file
from transformer_lib.training.distributed import all_reduce_sum

LOG_FILE = "log.jsonl"
EVERY = 10  # steps between two lines


class Log:
    """log.jsonl in the folder of a run; without a folder, nothing is written.

    {"step": 20, "loss": 4.2, "learning_rate": 0.0001, "words_per_second": 3210}: means since the
    line before, in nats and target words. At each validation, its entry of the history.
    after: the step from which a run is resumed. Lines of later steps are removed, as they will be
    written again: whenever the run was killed, no line is lost and none is there twice.
    With several processes, each reports its share, and only process 0 writes.
    """

    _words: int
    _seconds: float

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

    def validation(self, entry: dict[str, Any]) -> None:
        """Write the entry of a validation; the lines so far are safe from a power cut."""
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

    def _write(self, entry: dict[str, Any], lasting: bool = False) -> None:
        if self._path:
            with open(self._path, "ab") as file:
                file.write(json.dumps(entry).encode() + b"\n")
                file.flush()
                if lasting:
                    os.fsync(file.fileno())


def entries(content: bytes) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Each line and its entry, up to the first line that is incomplete."""
    for line in content.splitlines(keepends=True):
        try:
            entry = json.loads(line)
            int(entry["step"])
        except (ValueError, TypeError, KeyError):
            return
        if not line.endswith(b"\n"):
            return
        yield line, entry


def read_log(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Entries of steps, and of validations, even of a run that goes on; CheckpointError if none."""
    path = Path(folder) / LOG_FILE
    if not path.exists():
        raise CheckpointError(f"there is no training to draw in {folder}: it has no {LOG_FILE}")
    found = [entry for _, entry in entries(path.read_bytes())]
    steps = [entry for entry in found if "words_per_second" in entry]
    return steps, [entry for entry in found if "validation_loss" in entry]
