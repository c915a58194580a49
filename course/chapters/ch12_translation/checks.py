"""The exercises of notebook 12: a leak, exact match, the parts of BLEU, a search for mistakes.

Assignment 6 asks for the parts of BLEU as well.
"""

import math
import operator
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from course.chapters.ch00_start_here.checks import shipped
from course.checks import (
    Exercise,
    Value,
    Values,
    alike,
    exercise,
    expect,
    no_slip,
    one_number,
    whole_number,
    whole_numbers,
)
from transformer_lib.text import english_spanish


def share(guess: Any) -> float:
    found = one_number(guess, f"The exact match is a number between 0 and 1, not {guess!r}.")
    expect(found <= 1, "As a share: between 0 and 1.")
    return found


leak = Values(
    "leak",
    "How many sentences of the suspicious test are old, and the exact match without them.",
    Value(
        "The old sentences",
        read=lambda guess: whole_number(
            guess, f"How many sentences? Give a whole number, not {guess!r}."
        ),
        right=40,
        slips={
            26: "That many are in the training data letter by letter. Others are, too, spelled "
            "differently: compare their words, as `words` gives them.",
            60: "That is how many are new.",
        },
        otherwise="Look for each sentence of the test, as `words`, among the training sentences.",
    ),
    Value(
        "The exact match",
        read=share,
        near=lambda found, known: abs(found - known) < 0.011,
        right=0.6,
        slips={
            0.76: "That is the score that was reported, with the old sentences in it.",
            1.0: "That is the score on the old sentences.",
            0.36: "Divide by the sentences that remain.",
        },
        otherwise="Leave the old sentences out and count again: which share of the others is right "
        "to the letter?",
    ),
)


@exercise
def grams_left(fifth: Any, last: Any) -> None:
    """Exercise 1: right 1-, 2-, 3- and 4-grams of ten words when the fifth or the last is wrong."""
    wanted = "Give two lists of four whole numbers."
    fifth, last = whole_numbers(fifth, wanted), whole_numbers(last, wanted)
    expect(len(fifth) == len(last) == 4, wanted)
    inside, end = [9, 7, 5, 3], [9, 8, 7, 6]
    no_slip(
        (fifth, last) != (end, inside),
        "The two are exchanged: the fifth word has neighbors "
        "on both sides, so it is in more groups.",
    )
    all_of_them = [10, 9, 8, 7]
    expect(
        all_of_them not in (fifth, last),
        "That is how many groups there are. How many of them don't contain the wrong word?",
    )
    expect([1, 2, 3, 4] != fifth and [1, 1, 1, 1] != last, "That is how many are wrong.")
    expect(
        fifth != [9, 8, 7, 6],
        "The fifth word is in *two* pairs: with the fourth, and with the sixth.",
    )
    expect(
        fifth == inside,
        "The fifth word wrong: n groups of n words contain it, of the 10, 9, 8, 7 that there are.",
    )
    expect(last == end, "The last word wrong: it is in one group of each size.")


def a_number(found: Any) -> int | float:
    return one_number(found, f"It should return one number, not {found!r}.")


def differ(*where: str) -> Callable[[Any, Any], None]:
    """What is left to say of wrong numbers, one for each of these inputs."""

    def unlike(found: Sequence[float], right: Sequence[float]) -> None:
        for place, one, other in zip(where, found, right, strict=True):
            expect(alike(one, other), f"It gives {one:.4f}{place}, but it should be {other:.4f}.")

    return unlike


# So many of each kind that no two mistakes come to the same share.
TWO_RIGHT = [("¿Quién duerme?", "¿Quién duerme?"), ("Voy", "Voy")]
SMALL = [("la casa", "La casa")]
ACCENTS = [("Canto", "Cantó"), ("Aqui", "Aquí")]
SIGNS = [("No sé", "¡No sé!"), ("Vas", "¿Vas?"), ("Ven", "¡Ven!"), ("Dónde", "¿Dónde?")]
BEGINNINGS = [("Me gusta", f"Me gusta {it}") for it in ("leer", "el pan", "nadar", "todo", "ella")]
ORDER = [
    (f"El {it} perro", f"El perro {it}")
    for it in ("feliz", "grande", "triste", "fuerte", "gris", "azul")
]
ENDS = [(f"{it} ", it) for it in ("Come", "Bebe", "Lee", "Canta", "Nada", "Baila")]
GAPS = [("Lee  bien", "Lee bien"), ("Come  mal", "Come mal")]
PAIRS = [*TWO_RIGHT, *SMALL, *ACCENTS, *SIGNS, *BEGINNINGS, *ORDER, *ENDS, *GAPS]

Match = Callable[[Sequence[str], Sequence[str]], float]


def share_if(test: Callable[[str, str], bool]) -> Match:
    return lambda written, right: sum(map(test, written, right)) / len(right)


def equal_in(change: Callable[[str], Any]) -> Match:
    return share_if(lambda one, another: change(one) == change(another))


def plain(text: str) -> str:
    return text.translate(str.maketrans("áéíóúñ", "aeioun"))


def words_right(written: Sequence[str], right: Sequence[str]) -> float:
    pairs = [
        pair
        for a, b in zip(written, right, strict=True)
        for pair in zip(a.split(), b.split(), strict=False)
    ]
    return sum(a == b for a, b in pairs) / len(pairs)


ITS_OWN_PLACE = (
    "Each translation is compared with the reference at its own place, not with all of them."
)
my_exact_match = Exercise(
    "my_exact_match",
    "Exercise 2: translations, references -> share that is right to the letter.",
    inputs=lambda: [([a for a, _ in PAIRS], [b for _, b in PAIRS])],
    right=[share_if(operator.eq)],
    read=a_number,
    slips={
        "That is in percent. Give the share, from 0 to 1.": [
            lambda written, right: 100 * share_if(operator.eq)(written, right)
        ],
        "That is how many. A share is divided by the number of sentences.": [
            lambda written, right: sum(map(operator.eq, written, right))
        ],
        "That is the share that is wrong.": [share_if(operator.ne)],
        "Capitals count: “la casa” isn't “La casa”.": [equal_in(str.lower)],
        "Accents count: “Canto” is I sing, “Cantó” is she sang.": [equal_in(plain)],
        "Capitals and accents both count.": [equal_in(lambda text: plain(text.lower()))],
        "Signs count: “¡No sé!” isn't “No sé”.": [equal_in(lambda text: text.strip("¿¡!?"))],
        "Spaces count, also at the end: compare the texts as they are.": [equal_in(str.strip)],
        "Spaces count: compare the texts, not their words.": [equal_in(str.split)],
        "Part of a sentence isn't the sentence: compare with ==, not with `in`.": [
            share_if(lambda one, another: one in another)
        ],
        "A right beginning isn't a right sentence.": [
            share_if(lambda one, another: another.startswith(one))
        ],
        "The order of the words counts: don't compare sets.": [
            equal_in(lambda text: set(text.split()))
        ],
        "That is the share of words. Count whole sentences.": [words_right],
        ITS_OWN_PLACE: [
            lambda written, right: sum(text in right for text in written) / len(written)
        ],
    },
    unlike=differ(""),
    elsewhere={ITS_OWN_PLACE: lambda: (["a", "b", "c"], ["b", "a", "c"])},
)


PENALTIES: dict[str, Callable[[int, int], float]] = {  # of c words written, r in the reference
    "one": lambda c, r: min(1, math.exp(1 - c / r)),
    "two": lambda c, r: math.exp(min(0, 1 - r / c)),
    "three": lambda c, r: math.exp(1 - r / c),
    "four": lambda c, r: min(1, c / r),
}


@exercise
def brevity_faults(one: Any, two: Any, three: Any, four: Any) -> None:
    """Exercise 3: "sound", or a pair (c, r) for which it is wrong, for each of four penalties."""
    for name, verdict in {"one": one, "two": two, "three": three, "four": four}.items():
        penalty = PENALTIES[name]
        if verdict == "sound":
            no_slip(
                name == "two",
                f"{name} isn't sound. Try a text that is too short, one that is too long and one "
                "that fits.",
            )
            continue
        wanted = f'{name}: "sound", or a pair of whole numbers (c, r), such as (7, 11).'
        pair = whole_numbers(verdict, wanted)
        expect(len(pair) == 2 and min(pair) > 0, wanted)
        given, right = penalty(*pair), PENALTIES["two"](*pair)
        hint = f"{name} gives {given:.3f} for c = {pair[0]}, r = {pair[1]}, and that is right. "
        no_slip(not math.isclose(given, right), hint + "Is there a pair for which it is wrong?")


Formula = Callable[[int, int], float]


def if_short(formula: Formula, otherwise: float = 1.0) -> Formula:
    return lambda c, r: formula(c, r) if c < r else otherwise


def limited(formula: Formula) -> list[Formula]:
    """It for all texts, for short ones alone, and never more than 1."""
    return [formula, if_short(formula), lambda c, r: min(1.0, formula(c, r))]


MANY_TO_FEW = [(7, 11), (11, 7), (13, 13)]  # words written, words of the reference
my_brevity = Exercise(
    "my_brevity",
    "Assignment 6: words written, words of the reference -> the brevity penalty.",
    inputs=lambda: MANY_TO_FEW,
    right=[PENALTIES["two"], if_short(PENALTIES["three"])],
    not_allowed=("BLEU", "corpus_bleu", "sacrebleu"),
    read=a_number,
    mistakes={"A text that is too short is punished: 7 words for 11.": [lambda c, r: 1.0]},
    slips={
        "The fraction is upside down: the words of the reference, divided by the words written.": (
            limited(lambda c, r: math.exp(1 - c / r))
        ),
        "The wrong texts are punished: it is the short ones that would get off too lightly.": [
            lambda c, r: 1.0 if c <= r else math.exp(1 - r / c)
        ],
        "That is the ratio itself: now exp(1 − reference / written).": (
            limited(lambda c, r: c / r)
        ),
        "That is the exponent: `math.exp` of it.": limited(lambda c, r: 1 - r / c),
        "The sign is wrong: 1 minus the fraction.": limited(lambda c, r: math.exp(r / c - 1))[:2],
        "The 1 is missing: exp(1 − reference / written).": limited(lambda c, r: math.exp(-r / c)),
        "A text that is long enough isn't rewarded: the penalty is never more than 1.": [
            PENALTIES["three"]
        ],
        "Long texts aren't punished here (their surplus words lower the precisions already): it "
        "is 1.": [lambda c, r: math.exp(1 - max(r / c, c / r))],
        "With nothing to punish the factor is 1: BLEU is multiplied by it.": [
            if_short(PENALTIES["three"], otherwise=0.0)
        ],
    },
    unlike=differ(*(f" for {c} words written and {r} right ones" for c, r in MANY_TO_FEW)),
)


Texts = Sequence[list[str]]


def grams(words: Sequence[str], n: int, more: int = 0, kind: type = tuple) -> list:
    """Groups of n words. more: so many are taken beyond those that there are."""
    return [kind(words[i : i + n]) for i in range(len(words) - n + 1 + more)]


def matches(texts: Texts, references: Texts, n: int, *how: Any) -> tuple[int, int]:
    """Right groups of n words, each counted at most as often as in its reference, and all."""
    pairs = [
        [Counter(grams(words, n, *how)) for words in pair]
        for pair in zip(texts, references, strict=True)
    ]
    return sum((a & b).total() for a, b in pairs), sum(a.total() for a, _ in pairs)


def precision(texts: Texts, references: Texts, n: int, *how: Any) -> float:
    right, written = matches(texts, references, n, *how)
    return right / written


def unclipped(texts: Texts, references: Texts, n: int) -> float:
    found = [
        gram in grams(reference, n)
        for text, reference in zip(texts, references, strict=True)
        for gram in grams(text, n)
    ]
    return sum(found) / len(found)


def of_each(texts: Texts, references: Texts, n: int) -> list[float]:
    """The precision of each sentence that is long enough."""
    pairs = zip(texts, references, strict=True)
    return [precision([a], [b], n) for a, b in pairs if len(a) >= n]


def kinds(texts: Texts, n: int) -> list[set]:
    return [set(grams(text, n)) for text in texts]


def kinds_right(texts: Texts, references: Texts, n: int) -> int:
    return sum(map(len, map(operator.and_, kinds(texts, n), kinds(references, n))))


def written_and_right() -> list[tuple[Texts, Texts, int]]:
    written = ["el el el perro", "la casa roja", "no", "no sé qué no sé", "y", "roja es la casa"]
    right = [
        "el gato negro y el perro",
        "la casa es muy roja",
        "no",
        "no sé",
        "el",
        "casa la es verde roja",
    ]
    return [([t.split() for t in written], [t.split() for t in right], n) for n in (1, 2)]


LISTS = "A Counter counts what can't change: tuples of words, or words, not lists."
SIZE = "w words have w − n + 1 groups of n words, so 5 have 4 pairs and 3 triples."
my_precision = Exercise(
    "my_precision",
    "Exercise 4: texts as lists of words, their references, n -> n-gram precision of the whole.",
    inputs=written_and_right,
    right=[precision],
    not_allowed=("BLEU", "corpus_bleu", "sacrebleu"),
    read=a_number,
    errors={"unhashable type: 'list'": LISTS},
    slips={
        LISTS: [lambda t, r, n: precision(t, r, n, 0, list)],
        f"The last group is missing: {SIZE}": [lambda t, r, n: precision(t, r, n, -1)],
        f"At the end of a sentence you take groups of fewer than n words: {SIZE}": [
            lambda t, r, n: precision(t, r, n, n - 1)
        ],
        "n changes nothing: you count individual words.": [lambda t, r, n: precision(t, r, 1)],
        "A word counts at most as many times as it occurs in the reference: “el el el” has two "
        "right “el”, not three.": [unclipped],
        "That is the mean over the sentences. BLEU adds up all counts first, and divides once.": [
            lambda t, r, n: sum(of_each(t, r, n)) / len(t),
            lambda t, r, n: sum(of_each(t, r, n)) / len(of_each(t, r, n)),
        ],
        "A set forgets how many times something is there: use a Counter.": [
            lambda t, r, n: kinds_right(t, r, n) / sum(map(len, kinds(t, n))),
            lambda t, r, n: kinds_right(t, r, n) / matches(t, r, n)[1],
        ],
        "All texts were joined into one: a word must be found in its own reference, and no group "
        "may reach over the end of a sentence.": [
            lambda t, r, n: precision([sum(t, [])], [sum(r, [])], n)
        ],
        "Divide by the groups that were *written*; divided by those of the reference it is called "
        "recall.": [lambda t, r, n: precision(r, t, n)],
        "The order of the words in a group counts: “la casa” isn't “casa la”.": [
            lambda t, r, n: precision(t, r, n, 0, frozenset)
        ],
        "That is in percent. Give the share, between 0 and 1.": [
            lambda t, r, n: 100 * precision(t, r, n)
        ],
        "That is how many. Divide by the number of groups that were written.": [
            lambda t, r, n: matches(t, r, n)[0]
        ],
    },
    unlike=differ(" for n = 1", " for n = 2"),
)


@exercise
def a_mistake(english: Any) -> None:
    """Exercise 5: a sentence of the test split that the translator gets wrong."""
    expect(isinstance(english, str), "Give the English sentence, in quotes.")
    rights = dict(english_spanish.load("test"))
    near = {sentence.lower().rstrip(".?!"): sentence for sentence in rights}
    plain = english.lower().strip().rstrip(".?!")
    elsewhere = plain in {e.lower().rstrip(".?!") for e, _ in english_spanish.load("longer")}
    expect(
        not elsewhere,
        "That one is from the long sentences. Among the ordinary ones it is "
        'harder: look in `english_spanish.load("test")`.',
    )
    expect(plain in near, 'It isn\'t one of the 1,000 sentences of `english_spanish.load("test")`.')
    sentence = near[plain]
    translation = shipped().translate(sentence).text
    expect(translation != rights[sentence], f"It gets that one right: {translation}.")
