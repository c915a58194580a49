"""How sure a translator is of a sentence, compared with those that were kept out of its training.

A network answers everything, even nonsense. But its probabilities show when it guesses: word for
word, it is surer of a sentence like those it learned from than of one that is unlike them.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from transformer_lib.files import CheckpointError, read_json, write_json

FILE = "sureness.json"
ONE_IN = 100  # one in so many of the held-out sentences is called unsure


@dataclass(frozen=True)
class ConfidenceThresholds:
    """Mean log-probabilities per word, in nats, as measured on held-out sentences.

    usual: 99 in 100 sentences reach it. lowest: all do. sentences: how many there were.
    """

    usual: float
    lowest: float
    sentences: int

    @classmethod
    def of(cls, measured: Iterable[float]) -> "ConfidenceThresholds":
        values = sorted(measured)
        return cls(round(values[len(values) // ONE_IN], 4), round(values[0], 4), len(values))

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
        if mean_log_prob >= self.usual:
            return ""
        if mean_log_prob >= self.lowest:
            return f"unsure: less sure than of {ONE_IN - 1} in {ONE_IN} test sentences"
        return f"guessing: less sure than of any of {self.sentences:,} test sentences"
