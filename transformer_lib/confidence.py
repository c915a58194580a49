"""How sure a translator is, against sentences that were kept apart from its training.

A network answers everything, also nonsense. But its probabilities tell: of a sentence like those
it has learned from it is surer, word for word, than of one that is unlike them.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from transformer_lib.files import CheckpointError, read_json, write_json

FILE = "sureness.json"
ONE_IN = 100  # how many of the held-out sentences may be called unsure


@dataclass(frozen=True)
class ConfidenceThresholds:
    """What was measured: mean log-probabilities per word of held-out sentences, in nats.

    usual: 99 in 100 are above it. lowest: all are. sentences: how many there were.
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
        """As saved in `folder`; None where nothing was measured."""
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
        """How a translation compares, in words; nothing to say of one that is as sure as usual."""
        if mean_log_prob >= self.usual:
            return ""
        if mean_log_prob >= self.lowest:
            return f"unsure: less sure than of {ONE_IN - 1} in {ONE_IN} test sentences"
        return f"guessing: less sure than of any of {self.sentences:,} test sentences"
