"""A phrasebook: what people say to a stranger or type first, in English and Spanish.

    data/phrasebook/greetings.tsv    Hello, {name}!    ¡Hola, {name}!
    data/phrasebook/slots.tsv        city    London    Londres

A phrase with slots is a frame for many sentences. {city} and {city2} are two different cities.
"""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from transformer_lib.text.data import DATA, read_pairs, read_table

FOLDER = DATA / "phrasebook"
SLOT = re.compile(r"\{([a-z_]+)(\d?)\}")
WORD = re.compile(r"[^\W_]+")

Pair = tuple[str, str]
Slots = dict[str, list[Pair]]


class Entry(NamedTuple):
    """A phrase in both languages. topic: the name of its file."""

    english: str
    spanish: str
    topic: str


def load(folder: Path = FOLDER) -> list[Entry]:
    """All phrases, topic by topic, with unfilled slots; ValueError if a file is damaged."""
    slots = load_slots(folder)
    phrases = []
    for path in topics(folder):
        for number, pair in enumerate(read_pairs(path), start=2):
            try:
                _check_slots(pair, slots)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            phrases.append(Entry(*pair, path.stem))
    return phrases


def _check_slots(pair: Pair, slots: Slots) -> None:
    found = slots_of(pair[0])
    if set(found) != set(slots_of(pair[1])):
        raise ValueError("the two sides must have the same slots")
    if any(re.search("[{}]", SLOT.sub("", side)) for side in pair):
        raise ValueError("a slot is written {city}, or {city2} for another city")
    for name, count in Counter(name for name, _ in found).items():
        if len(slots.get(name, ())) < count:
            raise ValueError(
                f"slots.tsv has {len(slots.get(name, ()))} fillings of {name!r}, {count} needed"
            )


def slots_of(text: str) -> list[tuple[str, str]]:
    """{city} {city2} {city} -> ("city", ""), ("city", "2")"""
    return list(dict.fromkeys(SLOT.findall(text)))


def topics(folder: Path = FOLDER) -> list[Path]:
    """The files with phrases; ValueError if there are none."""
    found = sorted(path for path in folder.glob("*.tsv") if path.name != "slots.tsv")
    if not found:
        raise ValueError(f"{folder} holds no phrases: its topics are files like greetings.tsv")
    return found


def files(folder: Path = FOLDER) -> list[Path]:
    """All files from which the phrasebook's sentences are made."""
    return [*topics(folder), folder / "slots.tsv"]


def load_slots(folder: Path = FOLDER) -> Slots:
    """What each slot can be filled with, as (English, Spanish)."""
    slots: Slots = {}
    for name, english, spanish in read_table(folder / "slots.tsv", ("slot", "english", "spanish")):
        slots.setdefault(name, []).append((english, spanish))
    return slots


def sample(
    phrases: Sequence[Entry], slots: Slots, rng: random.Random, times: int = 1
) -> Iterator[Pair]:
    """The phrases in their order: each frame `times` times, filled at random, others once."""
    for phrase in phrases:
        found = slots_of(phrase.english)
        counts = Counter(name for name, _ in found)
        for _ in range(times if found else 1):
            drawn = {name: rng.sample(slots[name], count) for name, count in counts.items()}
            yield filled(phrase, {slot: drawn[slot[0]].pop() for slot in found})


def filled(phrase: Entry, fills: dict[tuple[str, str], Pair]) -> Pair:
    """Both sides with their slots filled, with a capital at the beginning of a sentence."""

    def side(text: str, which: int) -> str:
        def fill(slot: re.Match[str]) -> str:
            words = fills[slot[1], slot[2]][which]
            begins = re.fullmatch(r"(.*[.?!] )?[¿¡]?", text[: slot.start()])
            return words[0].upper() + words[1:] if begins else words

        return SLOT.sub(fill, text)

    return side(phrase.english, 0), side(phrase.spanish, 1)


# Contractions and their long forms: either way it is the same sentence.
IN_FULL = {"cant": "can not", "cannot": "can not", "wont": "will not"} | {
    f"{verb}nt": f"{verb} not"
    for verb in "is are was were do does did have has had would could should must".split()
}
SHORT = {"am": "m", "is": "s", "are": "re", "have": "ve", "will": "ll", "would": "d"}


def key(english: str) -> str:
    """A text that is the same for sentences that differ only in case, punctuation, contractions.

    I am not sure. / i'm not sure / im not sure!
    """
    text = unicodedata.normalize("NFC", english).lower().replace("'", "").replace("’", "")
    words = " ".join(IN_FULL.get(word, word) for word in WORD.findall(text)).split()
    return "".join(words[:1] + [SHORT.get(word, word) for word in words[1:]])
