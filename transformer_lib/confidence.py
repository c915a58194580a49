"""How confident a translator is of a sentence, compared with held-out sentences.

A network answers everything, even nonsense. But its probabilities show when it guesses: per word,
they are higher for a sentence like those it learned from than for one that is unlike them.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import floor
from pathlib import Path
from typing import Self

from transformer_lib.files import CheckpointError, read_json, write_json

FILE = "confidence.json"


@dataclass(frozen=True)
class ConfidenceThresholds:
    """Mean log-probabilities per word, in nats, as measured on held-out sentences.

    usual: all but one in `one_in` sentences reach it. lowest: all of them do. sentences: how many.
    right: only sentences whose translation was right were counted.
    """

    usual: float
    lowest: float
    sentences: int
    one_in: int = 100
    right: bool = False

    @classmethod
    def of(cls, measured: Iterable[float], one_in: int = 100, right: bool = False) -> Self:
        """The thresholds of these mean log-probabilities, one for each held-out sentence.

        ValueError if there are none.
        """
        values = sorted(measured)
        if not values:
            raise ValueError("no sentence could be translated, so there is nothing to measure")
        # Rounded down, 1e-5 to spare: in another batch or CPU a value moves by less than 1e-6.
        usual, lowest = (floor(values[i] * 1e4 - 0.1) / 1e4 for i in (len(values) // one_in, 0))
        return cls(usual, lowest, len(values), one_in, right)

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """As saved in `folder`; None if nothing was measured, CheckpointError if damaged."""
        path = Path(folder) / FILE
        if not path.exists():
            return None
        try:
            return cls(**read_json(path))
        except TypeError as error:
            raise CheckpointError(f"{path} is damaged: {error}") from None

    def save(self, folder: Path) -> None:
        """Write what `load` reads; errors as in `write_file`."""
        write_json(Path(folder) / FILE, asdict(self))

    def warning(self, mean_log_prob: float) -> str:
        """How a translation compares, in words; "" if the model is as sure of it as usual."""
        of = "right translations" if self.right else "test sentences"
        if mean_log_prob >= self.usual:
            return ""
        if mean_log_prob >= self.lowest:
            return f"unsure: less sure than it was of {self.one_in - 1} in {self.one_in} {of}"
        return f"guessing: less sure than it was of any of the {self.sentences:,} {of}"
