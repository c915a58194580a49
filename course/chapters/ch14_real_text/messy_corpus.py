"""A small corpus with the faults that collected ones have: for learning to clean.

Its sentences are everyday ones of ours. `originals` are the pairs as they were; `lines` are the
same pairs after we have spoiled them, in the same order:

    spoilt, to be mended    remains of HTML, odd spaces, curly quotes, exchanged columns
    added, to be dropped    an empty side, letters in a wrong encoding, sides that can't say the
                            same, and pairs that stood above already, in other capitals or signs

A sentence has several translations, and sometimes another spelling with each of them. That is no
fault, but whoever splits the corpus must know it.
"""

import functools
import random
from collections.abc import Callable

from transformer_lib.text import everyday

Pair = tuple[str, str]
SENTENCES, TRANSLATIONS = 80, 6  # so many of the everyday ones, with at most so many
LONGEST = 25  # letters of an English sentence
RATIO = 3  # one side has at most so many times the words of the other
SPANISH_SIGNS = "¿¡áéíóúñü"
CURLY = str.maketrans({"'": "’"})
EVERY = 12  # one line in so many gets each kind of fault


def key(text: str) -> str:
    """What is left of a sentence when capitals, spaces and signs don't count."""
    return "".join(filter(str.isalnum, text.casefold()))


def originals(seed: int = 0) -> list[Pair]:
    """The pairs before anything was spoiled: no two alike, all translations of one sentence apart.

    About one source in six is typed without its capital or its sign.
    """
    dice = random.Random(seed)
    found: dict[Pair, Pair] = {}
    for item in dice.sample(short_ones(), SENTENCES):
        several = {key(text): text for text in item.translations if fits(item.english, text)}
        few = min(TRANSLATIONS, len(several))
        for target in dice.sample(list(several.values()), few):
            source = dice.choice([item.english] * 5 + [item.english.lower().rstrip(".!?")])
            found.setdefault((key(source), key(target)), (source, target))
    pairs = list(found.values())
    dice.shuffle(pairs)
    return pairs


@functools.cache
def short_ones() -> list[everyday.EverydayItem]:
    return [item for item in everyday.load() if len(item.english) <= LONGEST]


def fits(source: str, target: str) -> bool:
    shorter, longer = sorted((len(source.split()), len(target.split())))
    return longer <= RATIO * shorter


def lines(seed: int = 0) -> list[Pair]:
    """What somebody might have collected: the `originals`, spoiled, with lines added between."""
    dice = random.Random(f"faults {seed}")
    clean = originals(seed)
    found: list[Pair] = []
    for i, pair in enumerate(clean):
        spoiled = pair
        for spoil in (tagged, in_entities, spaced, curly, exchanged):
            if dice.randrange(EVERY) == 0:
                spoiled = spoil(pair, dice)  # one fault on a line
        found.append(spoiled)
        for add in (half_empty, broken, too_long, repeated):
            if dice.randrange(2 * EVERY) == 0:
                found += add(clean[: i + 1], dice)
    return found


# --- to be mended --------------------------------------------------------------------------------


def tagged(pair: Pair, dice: random.Random) -> Pair:
    source, target = pair
    return dice.choice(
        [
            (f"<b>{source}</b>", target),
            (source.replace(" ", "<br>", 1), target),
            (source, f"<i>{target}</i><br/>"),
        ]
    )


def in_entities(pair: Pair, dice: random.Random) -> Pair:
    source, target = pair
    for sign, entity in (("¿", "&iquest;"), ("¡", "&iexcl;"), ("é", "&eacute;"), ("á", "&aacute;")):
        target = target.replace(sign, entity)
    return source.replace("'", "&#39;").replace(" ", "&nbsp;", 1), target


def spaced(pair: Pair, dice: random.Random) -> Pair:
    source, target = pair
    return f"  {source.replace(' ', dice.choice(['  ', chr(160), '   ']), 1)}", f"{target} \xa0"


def curly(pair: Pair, dice: random.Random) -> Pair:
    return pair[0].translate(CURLY), pair[1]


def exchanged(pair: Pair, dice: random.Random) -> Pair:
    """Only where it shows: the Spanish has a sign of its own, the English none."""
    one, other = (any(sign in text.lower() for sign in SPANISH_SIGNS) for text in pair)
    return (pair[1], pair[0]) if other and not one else pair


# --- to be dropped -------------------------------------------------------------------------------


def half_empty(above: list[Pair], dice: random.Random) -> list[Pair]:
    source, target = dice.choice(above)
    return [dice.choice([("", target), (source, " "), (source, "<br>"), ("\xa0", target)])]


def broken(above: list[Pair], dice: random.Random) -> list[Pair]:
    """UTF-8 that was read as another encoding."""
    source, target = dice.choice(above)
    read_as: list[Callable[[bytes], str]] = [
        lambda raw: raw.decode("latin-1"),
        lambda raw: raw.decode("ascii", "replace"),
    ]
    if target.isascii():
        return []
    return [(source, dice.choice(read_as)(target.encode("utf-8")))]


def too_long(above: list[Pair], dice: random.Random) -> list[Pair]:
    """A sentence beside a paragraph, as where two lines have slipped."""
    source, target = dice.choice(above)
    paragraph = target
    while fits(source, paragraph):
        paragraph += " " + dice.choice(above)[1]
    return [(source, paragraph)]


def repeated(above: list[Pair], dice: random.Random) -> list[Pair]:
    source, target = dice.choice(above)
    return [dice.choice([(source, target), (source.upper(), target), (source, target.rstrip("."))])]
