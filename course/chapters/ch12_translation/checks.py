"""The exercises of notebook 12: a leak, exact match, the parts of BLEU, a search for mistakes.

Assignment 6 asks for the parts of BLEU as well.
"""

import functools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from course.chapters.ch00_start_here.checks import shipped
from course.chapters.ch12_translation import experiments as lab
from course.checks import (
    Hint,
    exercise,
    expect,
    implement,
    no_slip,
    one_number,
    own_work,
    result_of,
    whole_number,
    whole_numbers,
)
from transformer_lib.text import english_spanish


@functools.cache
def of_the_suspicious_test() -> tuple[int, int, float, float, float]:
    """How many are old, and literally so; the exact match of the new, of the old, of all."""
    pairs = lab.suspicious_test()
    train = [english for english, _ in english_spanish.load("train")]
    literal, seen = set(train), {tuple(lab.words(english)) for english in train}
    old = [tuple(lab.words(english)) in seen for english, _ in pairs]
    found = [one.text for one in shipped().translate([english for english, _ in pairs])]
    right = [text == spanish for text, (_, spanish) in zip(found, pairs, strict=True)]
    parts = [[r for r, o in zip(right, old, strict=True) if o == kind] for kind in (False, True)]
    new, known = (sum(part) / len(part) for part in parts)
    literally = sum(english in literal for english, _ in pairs)
    return sum(old), literally, new, known, sum(right) / len(right)


@exercise
def leak(leaked: Any, honest: Any) -> None:
    """How many sentences of the suspicious test are old, and the exact match without them."""
    leaked = whole_number(leaked, f"How many sentences? Give a whole number, not {leaked!r}.")
    wanted = f"The exact match is a number between 0 and 1, not {honest!r}."
    honest = one_number(honest, wanted)
    old, literally, new, known, whole = of_the_suspicious_test()
    size = len(lab.suspicious_test())
    no_slip(
        leaked != literally,
        "That many are in the training data letter by letter. Others are, too, spelled "
        "differently: compare their words, as `lab.words` gives them.",
    )
    no_slip(leaked != size - old, "That is how many are new.")
    expect(
        leaked == old,
        "Look for each sentence of the test, as `lab.words`, among the training sentences.",
    )

    def is_it(share: float) -> bool:
        return abs(honest - share) < 0.011

    expect(honest <= 1, "As a share: between 0 and 1.")
    no_slip(not is_it(whole), "That is the score that was reported, with the old sentences in it.")
    no_slip(not is_it(known), "That is the score on the old sentences.")
    no_slip(not is_it(new * (size - old) / size), "Divide by the sentences that remain.")
    expect(
        is_it(new),
        "Leave the old sentences out and count again: which share of the others is "
        "right to the letter?",
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


@implement(lambda: (["a"], ["a"]))
def my_exact_match(function: Callable[[Sequence[str], Sequence[str]], float]) -> None:
    """Exercise 2: translations, references -> share that is right to the letter."""
    pairs = [*TWO_RIGHT, *SMALL, *ACCENTS, *SIGNS, *BEGINNINGS, *ORDER, *ENDS, *GAPS]
    written, right = [a for a, _ in pairs], [b for _, b in pairs]
    share = number(function, written, right)

    def plain(text: str) -> str:
        return text.translate(str.maketrans("áéíóúñ", "aeioun"))

    def share_if(test: Callable[[str, str], bool]) -> float:
        return sum(test(a, b) for a, b in pairs) / len(pairs)

    judge(
        share,
        len(TWO_RIGHT) / len(pairs),
        {
            100 * len(TWO_RIGHT) / len(pairs): "That is in percent. Give the share, from 0 to 1.",
            2: "That is how many. A share is divided by the number of sentences.",
            share_if(lambda a, b: a != b): "That is the share that is wrong.",
            share_if(
                lambda a, b: a.lower() == b.lower()
            ): "Capitals count: “la casa” isn't “La casa”.",
            share_if(
                lambda a, b: plain(a) == plain(b)
            ): "Accents count: “Canto” is I sing, “Cantó” is she sang.",
            share_if(
                lambda a, b: plain(a.lower()) == plain(b.lower())
            ): "Capitals and accents both count.",
            share_if(
                lambda a, b: a.strip("¿¡!?") == b.strip("¿¡!?")
            ): "Signs count: “¡No sé!” isn't “No sé”.",
            share_if(
                lambda a, b: a.strip() == b.strip()
            ): "Spaces count, also at the end: compare the texts as they are.",
            share_if(
                lambda a, b: a.split() == b.split()
            ): "Spaces count: compare the texts, not their words.",
            share_if(
                lambda a, b: a in b
            ): "Part of a sentence isn't the sentence: compare with ==, not with `in`.",
            share_if(lambda a, b: b.startswith(a)): "A right beginning isn't a right sentence.",
            share_if(
                lambda a, b: set(a.split()) == set(b.split())
            ): "The order of the words counts: don't compare sets.",
            words_right(written, right): "That is the share of words. Count whole sentences.",
        },
    )
    crossed = number(function, ["a", "b", "c"], ["b", "a", "c"])
    expect(
        math.isclose(crossed, 1 / 3),
        "Each translation is compared with the reference at its own place, not with all of them.",
    )


def words_right(written: Sequence[str], right: Sequence[str]) -> float:
    pairs = [
        pair
        for a, b in zip(written, right, strict=True)
        for pair in zip(a.split(), b.split(), strict=False)
    ]
    return sum(a == b for a, b in pairs) / len(pairs)


PENALTIES: dict[str, Callable[[int, int], float]] = {  # of c words written, r in the reference
    "one": lambda c, r: min(1, math.exp(1 - c / r)),
    "two": lambda c, r: math.exp(min(0, 1 - r / c)),
    "three": lambda c, r: math.exp(1 - r / c),
    "four": lambda c, r: min(1, c / r),
}


@exercise
def brevity_faults(*verdicts: Any) -> None:
    """Exercise 3: "sound", or a pair (c, r) for which it is wrong, for each of four penalties."""
    for (name, penalty), verdict in zip(PENALTIES.items(), verdicts, strict=True):
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


@implement(lambda: (7, 11))
def my_brevity(function: Callable[[int, int], float]) -> None:
    """Assignment 6: words written, words of the reference -> the brevity penalty."""
    own_work(function, "BLEU", "corpus_bleu", "sacrebleu")
    short, long, equal = (number(function, *pair) for pair in ((7, 11), (11, 7), (13, 13)))
    if math.isclose(short, 1):
        no_slip(
            not math.isclose(long, math.exp(1 - 11 / 7)),
            "The fraction is upside down: the "
            "words of the reference, divided by the words written.",
        )
        no_slip(
            not math.isclose(long, math.exp(1 - 7 / 11)),
            "The wrong texts are punished: it is the short ones that would get off too lightly.",
        )
        raise Hint("A text that is too short is punished: 7 words for 11.")
    judge(
        short,
        math.exp(1 - 11 / 7),
        {
            math.exp(
                1 - 7 / 11
            ): "The fraction is upside down: the words of the reference, divided by "
            "the words written.",
            7 / 11: "That is the ratio itself: now exp(1 − reference / written).",
            1 - 11 / 7: "That is the exponent: `math.exp` of it.",
            math.exp(11 / 7 - 1): "The sign is wrong: 1 minus the fraction.",
            math.exp(-11 / 7): "The 1 is missing: exp(1 − reference / written).",
        },
        (7, 11),
    )
    judge(
        long,
        1.0,
        {
            math.exp(1 - 7 / 11): "A text that is long enough isn't rewarded: the penalty is never "
            "more than 1.",
            math.exp(1 - 11 / 7): "Long texts aren't punished here (their surplus words lower the "
            "precisions already): it is 1.",
            0.0: "With nothing to punish the factor is 1: BLEU is multiplied by it.",
        },
        (11, 7),
    )
    judge(equal, 1.0, {}, (13, 13))


@implement(lambda: ([["a", "b"]], [["a", "b"]], 1))
def my_precision(function: Callable[..., float]) -> None:
    """Exercise 4: texts as lists of words, their references, n -> n-gram precision of the whole."""
    own_work(function, "BLEU", "corpus_bleu", "sacrebleu")
    written = ["el el el perro", "la casa roja", "no", "no sé qué no sé", "y", "roja es la casa"]
    right = [
        "el gato negro y el perro",
        "la casa es muy roja",
        "no",
        "no sé",
        "el",
        "casa la es verde roja",
    ]
    texts, references = [t.split() for t in written], [t.split() for t in right]
    for n in (1, 2):
        found, total = matches(texts, references, n)
        each = [matches([a], [b], n) for a, b in zip(texts, references, strict=True)]
        any_of = sum(
            gram in grams(b, n)
            for a, b in zip(texts, references, strict=True)
            for gram in grams(a, n)
        )
        kinds = [
            (set(grams(a, n)), set(grams(b, n))) for a, b in zip(texts, references, strict=True)
        ]
        unordered = sum(
            (Counter(map(frozenset, grams(a, n))) & Counter(map(frozenset, grams(b, n)))).total()
            for a, b in zip(texts, references, strict=True)
        )
        joined = matches([sum(texts, [])], [sum(references, [])], n)
        recall = sum(len(grams(b, n)) for b in references)
        hints = {
            any_of / total: "A word counts at most as many times as it occurs in the "
            "reference: “el el el” has two right “el”, not three.",
            sum(f / t for f, t in each if t) / len(each): "That is the mean over the sentences. "
            "BLEU adds up all counts first, and divides once.",
            sum(f / t for f, t in each if t) / sum(t > 0 for _, t in each): "That is the mean over "
            "the sentences. BLEU adds up all counts first, and divides once.",
            sum(len(a & b) for a, b in kinds) / sum(len(a) for a, _ in kinds): "A set forgets "
            "how many times something is there: use a Counter.",
            sum(len(a & b) for a, b in kinds) / total: "A set forgets how many times something is "
            "there: use a Counter.",
            joined[0] / joined[1]: "All texts were joined into one: a word must be found in its "
            "own reference, and no group may reach over the end of a sentence.",
            found / recall: "Divide by the groups that were *written*; divided by those of the "
            "reference it is called recall.",
            unordered / total: "The order of the words in a group counts: “la casa” isn't “casa "
            "la”.",
            100 * found / total: "That is in percent. Give the share, between 0 and 1.",
            found: "That is how many. Divide by the number of groups that were written.",
        }
        size = "w words have w − n + 1 groups of n words, so 5 have 4 pairs and 3 triples."
        more_hints = {
            share_of_cuts(texts, references, n, -1): f"The last group is missing: {size}",
            share_of_cuts(texts, references, n, n - 1): "At the end of a sentence you take groups "
            f"of fewer than n words: {size}",
            share_of_cuts(
                texts, references, 1, 0
            ): "n changes nothing: you count individual words.",
        }
        hints = more_hints | hints
        judge(number(function, texts, references, n), found / total, hints, n=n)


def share_of_cuts(texts: Sequence, references: Sequence, n: int, more: int) -> float:
    """The precision if each sentence is cut into more groups, or fewer, than there are."""

    def cut(words: Sequence[str]) -> Counter:
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1 + more))

    pairs = [(cut(a), cut(b)) for a, b in zip(texts, references, strict=True)]
    return sum((a & b).total() for a, b in pairs) / sum(a.total() for a, _ in pairs)


def grams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def matches(texts: Sequence, references: Sequence, n: int) -> tuple[int, int]:
    """Right groups of n words, each counted at most as often as in its reference, and all."""
    pairs = [
        (Counter(grams(a, n)), Counter(grams(b, n))) for a, b in zip(texts, references, strict=True)
    ]
    return sum((a & b).total() for a, b in pairs), sum(a.total() for a, _ in pairs)


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


# --- what the checks above share -----------------------------------------------------------------


def number(function: Any, *inputs: Any) -> float:
    lists = "A Counter counts what can't change: tuples of words, or words, not lists."
    found = result_of(function, *inputs, stops={"unhashable type: 'list'": lists})
    return float(one_number(found, f"It should return one number, not {found!r}."))


def judge(
    found: float, right: float, hints: dict[float, str], given: Any = None, n: int | None = None
) -> None:
    """Nothing, where the number is right; otherwise the first hint whose number it is."""
    if math.isclose(found, right, rel_tol=1e-6, abs_tol=1e-9):
        return
    for wrong, hint in hints.items():
        no_slip(not math.isclose(found, wrong, rel_tol=1e-6, abs_tol=1e-9), hint)
    where = f" for {given[0]} words written and {given[1]} right ones" if given else ""
    where += f" for n = {n}" if n else ""
    raise Hint(f"It gives {found:.4f}{where}, but it should be {right:.4f}.")
