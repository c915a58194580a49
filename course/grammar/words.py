"""Phrases in two languages at once, and how a finished one is written as text.

A phrase carries its English and its Spanish words side by side; `a + b` puts two phrases after
each other in both languages. Where the languages differ in order, the two sides are put together
apart. A word can be given a name (a mark), so that a finished sentence still knows where, say, its
pronoun stands.
"""

import functools
from dataclasses import dataclass

from course.grammar.lexicon import Adjective, Noun

Bond = tuple[Noun, Adjective]


@dataclass(frozen=True)
class Words:
    """A run of words of one language; `marks` holds (name, position) of the named ones."""

    words: tuple[str, ...] = ()
    marks: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: "Words | str") -> "Words":
        other = text(other) if isinstance(other, str) else other
        shifted = other.marks and tuple(
            (name, place + len(self.words)) for name, place in other.marks
        )
        return Words(self.words + other.words, self.marks + shifted)

    def __radd__(self, other: str) -> "Words":
        return text(other) + self

    def position(self, name: str) -> int:
        """The index of the word marked `name`; KeyError if there is none."""
        return dict(self.marks)[name]


@functools.cache
def text(words: str, mark: str = "") -> Words:
    """Words from a string; `mark` names the last of them."""
    parts = tuple(words.split())
    return Words(parts, ((mark, len(parts) - 1),) if mark else ())


@dataclass(frozen=True)
class Phrase:
    """The same phrase in both languages, and the (noun, adjective) pairs that belong together."""

    english: Words = Words()
    spanish: Words = Words()
    bonds: tuple[Bond, ...] = ()

    def __add__(self, other: "Phrase") -> "Phrase":
        return Phrase(
            self.english + other.english, self.spanish + other.spanish, self.bonds + other.bonds
        )


NOTHING = Phrase()


def both(english: str, spanish: str) -> Phrase:
    """A phrase from its English and its Spanish: both("every day", "todos los días")."""
    return Phrase(text(english), text(spanish))


# Words that many sentences have.
AND, WITH = both("and", "y"), both("with", "con")
IN, NEAR = both("in", "en"), both("near", "cerca de")


@dataclass(frozen=True)
class Sentence:
    """A sentence as tokens of both languages. kind: what it shows, such as "gustar"."""

    kind: str
    english: Words
    spanish: Words
    bonds: tuple[Bond, ...] = ()


def sentence(kind: str, phrase: Phrase, *bonds: Bond) -> Sentence:
    """Make a sentence from a finished phrase.

    bonds: further (noun, adjective) pairs, such as the subject and the adjective after "is".
    """
    return Sentence(kind, phrase.english, phrase.spanish, phrase.bonds + bonds)


# --- Tokens to text --------------------------------------------------------------------------

# How people write "not" after these words.
CONTRACTIONS = {
    **{word: word + "n't" for word in "do does did is are was were could must".split()},
    "can": "can't",
}


def english_text(words: Words) -> str:
    """English tokens as text.

    the dog did not run -> The dog didn't run; the king 's dog -> The king's dog
    """
    out: list[str] = []
    for word in words.words:
        if word == "not" and out and out[-1] in CONTRACTIONS:
            out[-1] = CONTRACTIONS[out[-1]]
        elif word == "not" and out[-2:] == ["I", "am"]:
            out[-2:] = ["I'm", "not"]
        elif word in (",", "?", "!", "'s"):
            out[-1] += word
        else:
            out.append(word)
    return capitalized(" ".join(out))


def spanish_text(words: Words) -> str:
    """Spanish tokens as text.

    ¿ dónde está el perro de el rey ? -> ¿Dónde está el perro del rey?
    """
    line = " " + " ".join(words.words)
    line = line.replace(" a el ", " al ").replace(" de el ", " del ")
    for sound in ("i", "hi"):  # y becomes e before an i-: español e inglés
        line = line.replace(f" y {sound}", f" e {sound}")
    for mark in ",?!":
        line = line.replace(" " + mark, mark)
    for mark in "¿¡":
        line = line.replace(mark + " ", mark)
    return capitalized(line.strip())


def capitalized(line: str) -> str:
    start = 1 if line[0] in "¿¡" else 0
    return line[:start] + line[start].upper() + line[start + 1 :]
