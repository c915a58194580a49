"""How sure a translator is of a sentence, compared with those that were kept out of its training.

A network answers everything, even nonsense. But its probabilities show when it guesses: word for
word, it is surer of a sentence like those it learned from than of one that is unlike them.
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from transformer_lib.files import CheckpointError, read_json, write_json

FILE = "sureness.json"


@dataclass(frozen=True)
class ConfidenceThresholds:
    """Mean log-probabilities per word, in nats, as measured on held-out sentences.

    usual: all but one in `one_in` reach it. lowest: all do. sentences: how many there were.
    right: they were those whose translation was right, not all.
    """

    usual: float
    lowest: float
    sentences: int
    one_in: int = 100
    right: bool = False

    @classmethod
    def of(
        cls, measured: Iterable[float], one_in: int = 100, right: bool = False
    ) -> "ConfidenceThresholds":
        values = sorted(measured)
        # Rounded down, so that the value itself still reaches it.
        usual, lowest = (math.floor(values[i] * 1e4) / 1e4 for i in (len(values) // one_in, 0))
        return cls(usual, lowest, len(values), one_in, right)

    @classmethod
    def load(cls, folder: Path) -> "ConfidenceThresholds | None":
        """As saved in `folder`; None if nothing was measured."""
        path = Path(folder) / FILE
        if not path.exists():
            return None
        try:
            return cls(**read_json(path))
        except TypeError as error:
            raise CheckpointError(f"{path} is damaged: {error}") from None

    def save(self, folder: Path) -> None:
        write_json(Path(folder) / FILE, asdict(self))

    def doubt(self, mean_log_prob: float) -> str:
        """How a translation compares, in words; "" if the model is as sure of it as usual."""
        of = "right translations" if self.right else "test sentences"
        if mean_log_prob >= self.usual:
            return ""
        if mean_log_prob >= self.lowest:
            return f"unsure: less sure than it was of {self.one_in - 1} in {self.one_in} {of}"
        return f"guessing: less sure than it was of any of the {self.sentences:,} {of}"
