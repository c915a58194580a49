"""What is copied into a translation, not translated: links, numbers, codes, emoji and the like.

A small model spells them badly. So it reads others of the same kind instead, which it has often
copied in training, and the real ones replace them in what it writes:

    Write to kim@uni.edu  ->  Write to info@example.org  ->  Escribe a info@example.org
                          ->  Escribe a kim@uni.edu
    It costs $1,234.56.   ->  It costs 300.              ->  Cuesta 300.  ->  Cuesta $1234.56.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from transformer_lib.text.normalizing import PICTURE

DECIMAL = r"\d+(?:[.,]\d+)*"
ALONE, ENDED = r"(?<![\w])", r"(?![\w])"  # no letter or digit before, or after
HALF = r"(?:[AaPp][Mm](?![\w])|[AaPp]\.[Mm]\.)"  # of the day
CURRENCY = "[$€£¥]"
UNIT = "(?:[kcm]?m[²³]?|km/h|[km]?g|[cm]?l|k?W|[kMGT]B|[kMG]?Hz)"
FOREIGN = "\u00c0-\u1fff\u2c00-\ud7ff"  # letters that English hasn't
NAME = rf"(?![a-z])(?=[\w]*[{FOREIGN}])[\w]+"
NOTHING = "(?!)"  # is found nowhere
# Of each kind, the regular expressions of what is found, in the order in which they are tried.
KINDS = {
    "link": r"(?:[Hh][Tt]{2}[Pp][Ss]?://|[Ww]{3}\.)\S*[\w/]",
    "email": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "tag": r"</?[A-Za-z][^<>]*>",
    # {name}, ${name}, {{ name }}, %s, %(name)s, %1$s
    "field": r"\$?\{+[^{}]*\}+|(?<![\w%])%(?:\([\w]+\)|\d\$)?[sdif]" + ENDED,
    "date": rf"{ALONE}\d+(?:/\d\d?/|-\d\d?-|\.\d\d?\.)\d\d(?:\d\d)?(?![\w]|[./-]\d)",
    "time": rf"{ALONE}\d\d?(?::\d\d)+(?: ?{HALF}|{ENDED})|{ALONE}\d\d? ?{HALF}",
    "percent": rf"{ALONE}-?{DECIMAL}(?= ?%)",
    "year": rf"{ALONE}(?:1[5-9]|20)\d\d(?![\w]|[.,:/-]\d| ?{CURRENCY}| ?°)",
    "phone": r"(?:\+\d|\(?\d(?=[\d.]*[ ()-])(?!\d*-\d+(?![\w ()-])))[\d ().-]{5,}\d",
    "number": "|".join(
        (
            rf"{CURRENCY} ?-?{DECIMAL}|{ALONE}-?{DECIMAL} ?(?:{CURRENCY}|°[CF]?|{UNIT}{ENDED})",
            rf"{ALONE}-?\d+(?:[.,:/-]\d+)+{ENDED}|{ALONE}-?\d{{4,}}{ENDED}|{ALONE}-\d+{ENDED}",
        )
    ),
    # B52, COVID-19, 4K, but not 21st or 1990s; R&D, AT&T
    "code": rf"{ALONE}(?!\d+(?:st|nd|rd|th|s){ENDED})"
    r"(?:[A-Za-z]+-?\d[\w-]*|\d+[A-Za-z][\w-]*|[A-Za-z]+(?:&[A-Za-z]+)+)",
    "name": rf"{ALONE}{NAME}(?: {NAME})*",  # José, 東京, but not café
    "emoji": rf"{PICTURE}(?:[ \u200d]*{PICTURE})*",  # several in a row are copied as one
}
# A tag isn't read. The first and the last of a sentence have their places; others belong somewhere.
FIRST, LAST, SOMEWHERE = "^", "$", ""
# Of each kind, some that a model copies well; as (English, Spanish) where these differ.
STAND_INS: dict[str, tuple[str | tuple[str, str], ...]] = {
    "link": ("www.example.com", "https://example.org", "http://example.net/map"),
    "email": ("info@example.org", "maria@example.com", "jobs@example.com"),
    "tag": (FIRST, LAST),
    "field": ("Tom", "John", "David"),
    "date": (("May 20th", "20 de mayo"), ("May 12th", "12 de mayo")),
    "time": ("7:30", "9:45", "8:15"),
    "percent": ("20", "50", "75"),
    "year": ("1990", "2012", "1998", "1984"),
    "phone": ("555-0134", "202-555-0147", "01632 960 123"),
    "number": ("120", "250", "5000", "365", "2000"),
    "code": ("MP3", "747"),
    "name": ("Tom", "John", "David"),
    "emoji": ("😀", "👍", "🎉"),
}
# How Spanish writes what was typed in English: of each kind, patterns and what takes their place.
# No comma between thousands, which would be read as the decimal one: a space from 10,000 on.
THOUSANDS = (
    (r"^([^\d]*\d),(\d{3}(?:\.\d+)?[^\d]*)$", "$1$2"),
    (r"(\d),(?=\d{3}(?:[^\d]|$))", "$1\u00a0"),
)
# How what is copied is written in Spanish: for each kind the rules (pattern, what takes its place).
SPANISH = {
    "number": (*THOUSANDS, (r"^€ ?(.+)$", "$1 €"), (r"(\d)€$", "$1 €")),
    "percent": THOUSANDS,
    "time": ((r"(\d) ?[Aa]\.?[Mm]\.?$", "$1 a. m."), (r"(\d) ?[Pp]\.?[Mm]\.?$", "$1 p. m.")),
}

Replaced = tuple[tuple[str, str], ...]  # (stand-in in a translation, what takes its place)
StandIns = Mapping[str, Sequence[str | Sequence[str]]]  # as in STAND_INS


class Place(NamedTuple):
    """What takes the place of the letters from start to end of a translation.

    lost: the model has left its stand-in out, so it stands at the end.
    """

    start: int
    end: int
    typed: str
    lost: bool = False


def pattern_of(stand_ins: StandIns) -> str:
    """A regular expression, with a group of its name for each kind that has stand-ins."""
    return "|".join(f"(?P<{kind}>{one})" for kind, one in KINDS.items() if stand_ins.get(kind))


def replace_by_stand_ins(
    text: str, stand_ins: StandIns = STAND_INS, *, lower: bool = False
) -> tuple[str, Replaced]:
    """The text for the model to read, and what was replaced: all, unless stand-ins run out.

    lower: the rest of the text is read in lower case.
    """
    between = str.lower if lower else str
    replaced: list[tuple[str, str]] = []
    read, end = "", 0
    for found in re.finditer(pattern_of(stand_ins) or NOTHING, text):
        kind = str(found.lastgroup)
        if kind == "tag":
            before, after = read + text[end : found.start()], text[found.end() :]
            pair: tuple[str, str] | None = ("", place_of_tag(before, after))
        else:
            taken = [written for written, _ in replaced if written]  # a tag has none
            pair = free_stand_in(stand_ins[kind], text, taken)
        if pair is None:
            continue
        english, spanish = pair
        read += between(text[end : found.start()]) + english
        end = found.end()
        replaced.append((spanish, in_spanish(found[0], kind)))
    read = re.sub(" +", " ", read + between(text[end:])).strip()
    return (read, tuple(replaced)) if any(map(str.isalnum, read)) else (text, ())


def place_of_tag(before: str, after: str) -> str:
    """Where a tag belongs in a translation, by what is read before it and what stands after it."""
    if not before.strip():
        return FIRST
    return SOMEWHERE if re.sub(KINDS["tag"], "", after).strip() else LAST


def free_stand_in(
    some: Sequence[str | Sequence[str]], text: str, taken: Sequence[str]
) -> tuple[str, str] | None:
    """The first, in English and Spanish, that can't be confused with what is there already."""
    for one in some:
        english, spanish = (one, one) if isinstance(one, str) else one
        clash = any(spanish in other or other in spanish for other in taken)
        if not clash and english not in text and spanish not in text:
            return english, spanish
    return None


def in_spanish(typed: str, kind: str) -> str:
    """ "$1,234.56" -> "$1234.56": as Spanish writes it. The digits stay, in their order."""
    for pattern, written in SPANISH.get(kind, ()):
        typed = re.sub(pattern, written.replace("$", "\\"), typed)
    return typed


def places(translation: str, replaced: Sequence[tuple[str, str]]) -> list[Place]:
    """Where a translation has the stand-ins, in its order, and what takes their places."""
    found, lost = [], []
    for stand_in, typed in replaced:
        here = [Place(*one.span(), typed) for one in re.finditer(as_written(stand_in), translation)]
        found += here
        if not here:
            lost.append((stand_in, typed))
    others = [
        one
        for one in re.finditer(PICTURE, translation)
        if not any(place.start <= one.start() < place.end for place in found)
    ]
    for stand_in, typed in lost:
        if others and re.match(PICTURE, stand_in):  # the model may write another emoji
            found.append(Place(*others.pop(0).span(), typed))
        else:
            found.append(Place(len(translation), len(translation), f" {typed}", lost=True))
    return sorted(found, key=lambda place: place[:2])


def as_written(stand_in: str) -> str:
    """A regular expression for a stand-in in a translation, where a link may be misspelled."""
    if stand_in in (FIRST, LAST, SOMEWHERE):
        return stand_in or NOTHING
    if re.match("[a-z]+[^@]*$", stand_in):  # ww.example.com
        return "[a-z]*" + re.escape(re.sub("^[a-z]+", "", stand_in))
    before = r"(?<!\d)(?<!\d[.,:])" if stand_in[0].isdigit() else ""
    after = r"(?![\w]|[.,:]\d)" if stand_in[-1].isdigit() else ""
    return before + re.escape(stand_in) + after


def put_back(translation: str, replaced: Sequence[tuple[str, str]]) -> str:
    """The translation with stand-ins turned back into what was typed; lost ones at the end."""
    text, end = "", 0
    for place in places(translation, replaced):
        text += translation[end : place.start] + place.typed
        end = place.end
        if text.endswith(".") and translation[end : end + 1] == ".":
            end += 1  # "a las 5 p. m.": one full stop is enough
    return text + translation[end:]


def numbers_of(text: str) -> list[str]:
    """The digits and other numbers of a text, such as ½, in its order."""
    return [sign for sign in text if unicodedata.category(sign)[0] == "N"]
