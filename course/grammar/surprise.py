"""How surprising the grammar's sentences are: the loss that is left for the best language model.

Each sentence comes from random choices, and their probabilities are known. A sentence can come
about in several ways, so the probability of the way that it was drawn is at most that of the
sentence: the mean of -log p(choices) is an UPPER bound of the grammar's entropy. The lowest loss
that a model can have is the entropy: at this bound, or a little below.
"""

import math
import statistics
from collections.abc import Callable, Sequence

from course.grammar.random_choices import Draw
from course.grammar.splits import draw_once, sounds_odd
from course.grammar.words import Sentence


class CountingDraw(Draw):
    """The same choices as `Draw`; `nats` adds up -log of the probability of each, in nats."""

    def __init__(self, seed: int, long: bool = False):
        super().__init__(seed, long)
        self.nats = 0.0
        self._running: list[tuple[Callable, float]] = []  # frames, and the nats before each

    def chance(self, probability: float, means: str = "") -> bool:
        chosen = super().chance(probability, means)
        self.nats -= math.log(probability if chosen else 1 - probability)
        return chosen

    def pick(self, items: Sequence, sure: bool = True):
        """Pick an option; one that is listed twice is twice as likely."""
        chosen = super().pick(items, sure)
        self.nats -= math.log(items.count(chosen) / len(items))
        return chosen

    def weighted(self, weights: dict):
        chosen = super().weighted(weights)
        self.nats -= math.log(weights[chosen] / math.fsum(weights.values()))
        return chosen

    def run(self, frame: Callable, *args, **named):
        """Run a frame; if it starts again, only its last try counts (see `draw_counted`)."""
        if self._running and self._running[-1][0] is frame:
            self.nats = self._running[-1][1]
            return frame(self, *args, **named)
        self._running.append((frame, self.nats))
        drawn = frame(self, *args, **named)
        self._running.pop()
        return drawn


def draw_counted(draw: CountingDraw) -> tuple[Sentence, float]:
    """A sentence as `draw_sentence` draws it, and -log of the probability of its choices, in nats.

    Where something is drawn until it fits, only the last try counts. That keeps the bound: a
    sentence is at least as likely to come at some try as at the first.
    """
    while True:
        draw.nats = 0.0
        drawn = draw_once(draw)
        if not sounds_odd(drawn):
            return drawn, draw.nats


def entropy_bound(count: int, seed: int = 1) -> dict[str, float]:
    """The bound from `count` sentences: nats per English sentence, and per token, <eos> included.

    standard_error: of the nats per sentence. In the long run no model does better than the entropy;
    a model that knew the grammar by heart would do at least as well as this bound.
    """
    draw = CountingDraw(seed)
    drawn = [draw_counted(draw) for _ in range(count)]
    nats = [each for _, each in drawn]
    tokens = sum(len(sentence.english.words) + 1 for sentence, _ in drawn)
    return {
        "sentences": count,
        "nats_per_sentence": statistics.mean(nats),
        "standard_error": statistics.stdev(nats) / math.sqrt(count),
        "tokens_per_sentence": tokens / count,
        "nats_per_token": sum(nats) / tokens,
    }
