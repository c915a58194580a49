"""Training text for a translator that visitors type to: a corpus, the phrasebook, and variations.

A corpus of example sentences is written with care, and everybody in it is called Tom. Visitors
leave out capitals and apostrophes, type several sentences at once, and use their own names. So some
pairs are repeated with English as it might be typed, or with another name on both sides.
"""

import random
import re
from collections.abc import Iterator, Sequence

from transformer_lib.text.phrasebook import Entry, Pair, Slots, sample

TYPED = 0.15  # share of the corpus that is repeated as it would be typed
JOINED = 0.05  # share of the corpus that is repeated, joined to another pair
RENAMED = 0.3  # share of the pairs with Tom in which he gets another name
FILLINGS = 4  # times a phrase with slots is filled, and as often again as it would be typed
COPIES = 2  # times a phrase without slots comes, and as often again as it would be typed
TOM = re.compile(r"\bTom\b")
SYLLABLES = [first + vowel for first in "bcdfgjklmnprstvz" for vowel in "aeiou"]


def augmented(
    corpus: Sequence[Pair], phrases: Sequence[Entry], slots: Slots, rng: random.Random
) -> Iterator[Pair]:
    """The corpus, the phrases, and their variations, as (English, Spanish)."""
    names = [name for name, _ in slots["name_m"]]
    for english, spanish in corpus:
        pair = (english, spanish)
        if TOM.search(english) and TOM.search(spanish) and rng.random() < RENAMED:
            pair = renamed(pair, rng.choice(names) if rng.random() < 0.5 else invented(rng))
        yield pair
        if rng.random() < TYPED:
            yield as_typed(pair[0], rng), pair[1]
        if rng.random() < JOINED:
            other = rng.choice(corpus)
            yield f"{pair[0]} {other[0]}", f"{pair[1]} {other[1]}"
    frames = [phrase for phrase in phrases if "{" in phrase.english]
    others = [phrase for phrase in phrases if "{" not in phrase.english]
    for typed in (False, True):
        book = [
            *sample(frames, slots, rng, times=FILLINGS),
            *[(p.english, p.spanish) for p in others] * COPIES,
        ]
        for english, spanish in book:
            yield (as_typed(english, rng) if typed else english), spanish


def renamed(pair: Pair, name: str) -> Pair:
    """The pair with Tom renamed on both sides. name: a man's, as Spanish endings agree with it."""
    return TOM.sub(name, pair[0]), TOM.sub(name, pair[1])


def invented(rng: random.Random) -> str:
    """A made-up name, such as Tavelo, which a model can only copy."""
    syllables = rng.choices(SYLLABLES, k=rng.choice([2, 2, 3]))
    return "".join(syllables).capitalize() + rng.choice(["", "", "n", "r", "s", "x", "k"])


def as_typed(english: str, rng: random.Random) -> str:
    """As somebody might type it: I don't know. -> i dont know / I dont know / I don't know!!"""
    text = english
    if rng.random() < 0.75:
        text = text.lower() if rng.random() < 0.6 else text[:1].lower() + text[1:]
    if rng.random() < 0.5:
        text = text.replace("'", "").replace("’", "")
    ending = rng.random()
    if ending < 0.7:
        return re.sub(r"[.!?]+$", "", text)
    if ending < 0.85:
        return re.sub(r"[!?]$", lambda sign: sign[0] * rng.choice([2, 3]), text)
    return text
