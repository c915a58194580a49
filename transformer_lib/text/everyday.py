"""Tests of everyday English: sentences, each with all Spanish translations that are accepted.

The files in data/everyday are written by hand: a heading for each group, an English sentence, and
indented below it the patterns of its translations (see `expand`). en-es.txt has 200 sentences to
measure translators on, doubt.txt 240 to choose and to test a confidence threshold.

    == feelings and health ==

    I am tired.
        (Yo) estoy {cansado|cansada}.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from transformer_lib.text.data import DATA

FILE = DATA / "everyday" / "en-es.txt"
DOUBT = DATA / "everyday" / "doubt.txt"
HEADING = re.compile("== (.+) ==")
CLOSING = {"(": ")", "{": "}"}


class EverydayItem(NamedTuple):
    """A sentence. translations: all accepted ones, the most literal first. group: its heading."""

    english: str
    translations: tuple[str, ...]
    group: str


def load(path: Path = FILE) -> list[EverydayItem]:
    """The sentences of the file in its order; ValueError if it is damaged."""
    items: dict[str, EverydayItem] = {}
    group = english = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        try:
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith(" "):
                if not english:
                    raise ValueError("a translation without a sentence above it")
                found = items[english].translations + tuple(expand(line.strip()))
                items[english] = EverydayItem(english, tuple(dict.fromkeys(found)), group)
                continue
            if heading := HEADING.fullmatch(line):
                group, english = heading[1], ""
                continue
            if not group or line in items:
                raise ValueError(f"{line!r} is {'there twice' if group else 'before any heading'}")
            english, items[line] = line, EverydayItem(line, (), group)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    for item in items.values():
        if not item.translations:
            raise ValueError(f"{path}: no translation of {item.english!r}")
    return list(items.values())


def expand(pattern: str) -> list[str]:
    """All sentences that a pattern stands for.

        {Hola|Buenas}   one of them                Hola / Buenas
        (Yo) no (lo) sé   with it or without       No sé / Yo no lo sé / …
        (a mí|a ti)     one of them, or neither
        Ven.!           at the end: as a statement and as an exclamation    Ven. / ¡Ven!

    They can be nested. What is left out leaves no double space, and every sentence begins with a
    capital. ValueError if a bracket is missing.
    """
    if pattern.endswith(".!"):
        return expand(pattern[:-1]) + expand(f"¡{pattern[:-2]}!")
    signs = iter([*re.findall(r"[(){}|]|[^(){}|]+", pattern), ""])
    return list(dict.fromkeys(map(tidy, alternatives(signs, end=""))))


def alternatives(signs: Iterator[str], end: str) -> list[str]:
    """The sentences read from `signs` up to the sign `end`; ValueError at a sign out of place."""
    finished: list[str] = []
    begun = [""]
    for sign in signs:
        if sign == end:
            return finished + begun
        if sign == "|" and end:
            finished, begun = finished + begun, [""]
        elif sign in CLOSING:
            choices = alternatives(signs, CLOSING[sign]) + ([""] if sign == "(" else [])
            begun = [before + choice for before in begun for choice in choices]
        elif sign in ("", "|", ")", "}"):
            raise ValueError(f"{sign or 'the end'} where {end or 'nothing like it'} should be")
        else:
            begun = [before + sign for before in begun]
    raise AssertionError("the signs end with an empty one")


def tidy(text: str) -> str:
    """Single spaces, none after `¿¡` or before `,.?!`, and a capital to begin each sentence."""
    text = re.sub(" +", " ", text).strip()
    text = re.sub("(?<=[¿¡]) | (?=[,.?!])", "", text)
    return re.sub(r"(^|[.?!] )[¿¡]?\w", lambda beginning: beginning[0].upper(), text)
