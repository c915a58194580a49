"""What somebody typed, in the signs that a model has learned: one reading of spaces and quotes.

    “I don’t\u00a0like trees…”  ->  "I don't like trees..."

A model trained on plain text takes a no-break space or a curly apostrophe for an unknown letter and
writes nonsense. So its source text, in training as later, is normalized. The rules are data, which
a model keeps in its folder: it reads all its life as it has learned to, whatever Unicode becomes,
and the laboratory's page reads by the same table.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

# One emoji: a picture or a key, and the signs that change its look, such as the skin tone.
PICTURE = (
    "(?:[\u2190-\u2211\u2213-\u2bff\U0001f000-\U0001faff]|[0-9#*]\ufe0f?\u20e3|[©®‼⁉™ℹ〰〽㊗㊙]\ufe0f)"
    "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
)
# What joiners hold together stays: a family of emoji, and letters from Arabic to Mongolian.
JOINED = rf"{PICTURE}(?:\u200d{PICTURE})*|[\u0600-\u18af][\u200c\u200d](?=[\u0600-\u18af])"
WHOLE = re.compile(f"({JOINED})")
LOOKED_AT = (*range(0x10000), *range(0xE0000, 0xE0080))  # the others are rare scripts and emoji


# In English, regular expressions and what is read in their place. A model that has read few dashes
# and signs knows commas and words.
ENGLISH = (
    (" & ", " and "),
    ("(?<=[^0-9,;:.!? ]) - (?=[^0-9 ])", ", "),
    (" (?=[,?!]+(?: |$))", ""),
)


@dataclass(frozen=True)
class Normalizer:
    """How text is read; without rules, as it is.

    characters: {what is read: the code points that stand for it, such as "a0 2000-200a"}. rules:
    pairs of a regular expression, the same in Python and JavaScript, and what is read in its place.
    """

    characters: Mapping[str, str] = field(default_factory=dict)
    rules: Sequence[Sequence[str]] = ()

    @cached_property
    def table(self) -> dict[int, str]:
        """The number of each character -> what is read in its place; ValueError if damaged."""
        return {
            number: read
            for read, several in self.characters.items()
            for number in code_points(several)
        }

    def __bool__(self) -> bool:
        return bool(self.characters)

    def __call__(self, text: str) -> str:
        """The text as it is read. A text that has been normalized stays as it is."""
        if not self:
            return text
        parts = WHOLE.split(text)  # every second one is an emoji, or the like
        parts[::2] = [part.translate(self.table) for part in parts[::2]]
        text = re.sub(" +", " ", "".join(parts)).strip(" ")
        for pattern, read in self.rules:
            text = re.sub(pattern, read, text)
        return text

    def to_json(self) -> dict[str, Any]:
        """What `Normalizer(**...)` takes, for a file."""
        return {"characters": dict(self.characters), "rules": [list(rule) for rule in self.rules]}


AS_IT_IS = Normalizer()  # of a side that is never typed: nothing is changed


def code_points(several: str) -> Iterator[int]:
    """ "a0 2000-2002" -> 0xa0, 0x2000, 0x2001, 0x2002"""
    for one in several.split():
        first, _, last = one.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


@cache
def normalizer(language: str = "xx") -> Normalizer:
    """The rules for a new model. language: of its source; English has rules besides."""
    found = defaultdict(list)
    for number in LOOKED_AT:
        read = plain(chr(number))
        if read != chr(number):
            found[read].append(number)
    characters = {read: in_ranges(numbers) for read, numbers in found.items()}
    return Normalizer(characters, ENGLISH if language == "en" else ())


def plain(sign: str) -> str:
    """What one character is read as, by its category and name in Unicode."""
    category, name = unicodedata.category(sign), unicodedata.name(sign, "")
    if WHOLE.fullmatch(sign):
        return sign
    if sign.isspace():
        return " "
    if category in ("Cc", "Cf") or "VARIATION SELECTOR" in name or sign == "\ufffd":
        return ""
    if "APOSTROPHE" in name or name in ("GRAVE ACCENT", "ACUTE ACCENT", "PRIME"):
        return "'"
    if "QUOTATION MARK" in name or name == "DOUBLE PRIME":
        return "'" if "SINGLE" in name else '"'
    if category == "Pd" or name == "MINUS SIGN":
        return " - " if name in ("EM DASH", "HORIZONTAL BAR") else "-"
    kind = unicodedata.decomposition(sign).partition(" ")[0]
    if kind in ("<wide>", "<narrow>") or (kind == "<compat>" and category[0] in "LP"):
        same = unicodedata.normalize("NFKC", sign)
        return same if same.isascii() else sign
    return {"。": ".", "、": ","}.get(sign, sign)


def in_ranges(numbers: list[int]) -> str:
    """[0xa0, 0x2000, 0x2001, 0x2002] -> "a0 2000-2002" """
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    return " ".join("-".join(f"{end:x}" for end in one) for one in ranges)
