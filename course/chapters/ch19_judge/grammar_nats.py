"""How likely the grammar is to write a sentence: the chances of its choices, traced back."""

import math
from collections.abc import Sequence
from typing import Any

from course.grammar.recognition import DeadEnd, Retrace, words_of
from course.grammar.splits import draw_once, sounds_odd
from course.grammar.words import english_text


class CountedRetrace(Retrace):
    """Retraces choices, and adds up -log of the probability of each in `nats`.

    What is chosen but not said costs nothing, whatever it is: the sentence is the same.
    """

    def begin(self) -> None:
        super().begin()
        self.nats = 0.0

    def chance(self, probability: float, means: str = "") -> bool:
        chosen = super().chance(probability, means)
        self.nats -= math.log(probability if chosen else 1 - probability)
        return chosen

    def pick(self, items: Sequence, sure: bool = True) -> Any:
        chosen = super().pick(items, sure)
        if self.fits(chosen):
            self.nats -= math.log(list(items).count(chosen) / len(items))
        return chosen

    def weighted(self, weights: dict) -> Any:
        chosen = super().weighted(weights)
        tried = self.fitting_keys(weights)  # names of kinds are no words: all of them are tried
        if len(tried) == len(weights) or self.fits(chosen):
            self.nats -= log(weights[chosen] / math.fsum(weights.values()))
        return chosen


def log(probability: float) -> float:
    return math.log(probability) if probability else -math.inf


def grammar_nats(text: str) -> float:
    """-log of the probability with which the grammar writes this text, in nats; inf if it can't.

    All ways to it that `Retrace` tries are added up. Of choices that aren't said it doesn't try
    all, and where the grammar draws until something fits, only the last try counts: so the true
    probability may be a little larger, as with the floor (see `course.grammar.surprise`).
    """
    draw, total = CountedRetrace(words_of(text)), 0.0
    while True:
        draw.begin()
        try:
            drawn = draw_once(draw)
            if english_text(drawn.english) == text and not sounds_odd(drawn):
                total += math.exp(-draw.nats)
        except DeadEnd:
            pass
        if not draw.on():
            return -math.log(total) if total else math.inf
