"""The exercises of notebook 12: what is right passes, and each mistake gets its own hint."""

import math
from collections import Counter

import pytest

from course.chapters.ch00_start_here.checks import shipped
from course.chapters.ch12_translation import checks as check
from tests.course.checks.saying import refused, said
from transformer_lib.text import english_spanish

INSIDE, END = [9, 7, 5, 3], [9, 8, 7, 6]


@pytest.mark.parametrize(
    ("fifth", "last", "hint"),
    [
        (INSIDE, END, "right!"),
        (tuple(INSIDE), tuple(END), "right!"),
        (END, INSIDE, "exchanged"),
        ([10, 9, 8, 7], END, "how many groups there are"),
        ([1, 2, 3, 4], END, "how many are wrong"),
        (END, END, "in *two* pairs"),
        ([9, 7, 6, 3], END, "n groups of n words"),
        (INSIDE, INSIDE, "one group of each size"),
        (9, 8, "two lists of four"),
        ([9, 7], END, "two lists of four"),
        (..., ..., "not tried yet"),
    ],
)
def test_grams_left(capsys, fifth, last, hint):
    assert hint in said(capsys, check.grams_left, fifth, last)


def equal_share(written, right, change=lambda text: text):
    pairs = zip(written, right, strict=True)
    return sum(change(a) == change(b) for a, b in pairs) / len(written)


def by_loop(written, right):
    count = 0
    for place in range(len(right)):
        if written[place] == right[place]:
            count += 1
    return count / len(right)


def plain(text):
    return text.translate(str.maketrans("áéíóúñ", "aeioun"))


EXACT = {
    "sum": (equal_share, "right!"),
    "loop": (by_loop, "right!"),
    "count": (lambda w, r: sum(a == b for a, b in zip(w, r, strict=True)), "That is how many"),
    "percent": (lambda w, r: 100 * equal_share(w, r), "in percent"),
    "wrong ones": (lambda w, r: 1 - equal_share(w, r), "that is wrong"),
    "capitals": (lambda w, r: equal_share(w, r, str.lower), "Capitals count"),
    "accents": (lambda w, r: equal_share(w, r, plain), "Accents count"),
    "signs": (lambda w, r: equal_share(w, r, lambda text: text.strip("¿¡!?")), "Signs count"),
    "spaces at the ends": (lambda w, r: equal_share(w, r, str.strip), "also at the end"),
    "spaces": (lambda w, r: equal_share(w, r, str.split), "not their words"),
    "stops": (lambda w, r: w.equals(r), "Called with a list of 28, a list of 28, it stops with"),
    "part": (lambda w, r: sum(a in b for a, b in zip(w, r, strict=True)) / len(w), "with `in`"),
    "anywhere": (lambda w, r: sum(a in r for a in w) / len(w), "at its own place"),
    "words": (check.words_right, "share of words"),
    "nothing": (lambda w, r: None, "returns nothing"),
    "list": (lambda w, r: [1.0], "one number"),
    "stub": (lambda w, r: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", EXACT)
def test_exact_match(capsys, name):
    function, hint = EXACT[name]
    assert hint in said(capsys, check.my_exact_match, function)


BREVITY = {
    "min": (lambda c, r: min(1, math.exp(1 - r / c)), "right!"),
    "if": (lambda c, r: 1.0 if c >= r else math.e / math.exp(r / c), "right!"),
    "no limit": (lambda c, r: math.exp(1 - r / c), "never more than 1"),
    "upside down": (lambda c, r: min(1, math.exp(1 - c / r)), "upside down"),
    "ratio": (lambda c, r: min(1, c / r), "the ratio itself"),
    "exponent": (lambda c, r: min(1, 1 - r / c), "That is the exponent"),
    "sign": (lambda c, r: math.exp(r / c - 1) if c < r else 1, "The sign is wrong"),
    "no one": (lambda c, r: math.exp(-r / c) if c < r else 1, "The 1 is missing"),
    "always 1": (lambda c, r: 1, "too short is punished"),
    "wrong way round": (lambda c, r: 1 if c <= r else math.exp(1 - r / c), "The wrong texts"),
    "punishes long": (
        lambda c, r: math.exp(1 - r / c) if c < r else math.exp(1 - c / r),
        "Long texts",
    ),
    "stops": (lambda c, r: c / 0, "ZeroDivisionError"),
    "stub": (lambda c, r: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", BREVITY)
def test_brevity(capsys, name):
    function, hint = BREVITY[name]
    assert hint in said(capsys, check.my_brevity, function)


def groups(words, n):
    return [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]


def clipped(texts, references, n):
    right = total = 0
    for text, reference in zip(texts, references, strict=True):
        left = groups(reference, n)
        for group in groups(text, n):
            total += 1
            if group in left:
                left.remove(group)
                right += 1
    return right / total


def counters(texts, references, n):
    pairs = [
        (Counter(groups(a, n)), Counter(groups(b, n)))
        for a, b in zip(texts, references, strict=True)
    ]
    return sum((a & b).total() for a, b in pairs) / sum(a.total() for a, _ in pairs)


def unclipped(texts, references, n):
    hits = [
        group in groups(b, n)
        for a, b in zip(texts, references, strict=True)
        for group in groups(a, n)
    ]
    return sum(hits) / len(hits)


def mean(texts, references, n):
    shares = [clipped([a], [b], n) for a, b in zip(texts, references, strict=True) if len(a) >= n]
    return sum(shares) / len(shares)


def as_sets(texts, references, n):
    pairs = [(set(groups(a, n)), set(groups(b, n))) for a, b in zip(texts, references, strict=True)]
    return sum(len(a & b) for a, b in pairs) / sum(len(a) for a, _ in pairs)


def kinds(texts, references, n):
    return [set(groups(a, n)) & set(groups(b, n)) for a, b in zip(texts, references, strict=True)]


def cut(texts, references, n, more):
    pairs = [
        [
            Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1 + more))
            for words in pair
        ]
        for pair in zip(texts, references, strict=True)
    ]
    return sum((a & b).total() for a, b in pairs) / sum(a.total() for a, _ in pairs)


PRECISION = {
    "loop": (clipped, "right!"),
    "counters": (counters, "right!"),
    "no clipping": (unclipped, "at most as many times"),
    "mean": (mean, "mean over the sentences"),
    "sets": (as_sets, "use a Counter"),
    "joined": (lambda t, r, n: clipped([sum(t, [])], [sum(r, [])], n), "joined into one"),
    "recall": (lambda t, r, n: clipped(r, t, n), "recall"),
    "count": (
        lambda t, r, n: clipped(t, r, n) * sum(len(groups(a, n)) for a in t),
        "That is how many",
    ),
    "one too few": (lambda t, r, n: cut(t, r, n, -1), "last group is missing"),
    "short groups": (lambda t, r, n: cut(t, r, n, n - 1), "fewer than n words"),
    "sets against all": (
        lambda t, r, n: sum(map(len, kinds(t, r, n))) / sum(len(groups(a, n)) for a in t),
        "use a Counter",
    ),
    "words only": (lambda t, r, n: clipped(t, r, 1), "n changes nothing"),
    "stub": (lambda t, r, n: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", PRECISION)
def test_precision(capsys, name):
    function, hint = PRECISION[name]
    assert hint in said(capsys, check.my_precision, function)


def test_a_mistake_can_be_found(capsys):
    pairs = english_spanish.load("test")
    found = [one.text for one in shipped().translate([english for english, _ in pairs])]
    wrong = [e for (e, s), written in zip(pairs, found, strict=True) if s != written]
    assert said(capsys, check.a_mistake, wrong[0]) == "right!"
    right = next(e for (e, s), written in zip(pairs, found, strict=True) if s == written)
    for attempt, hint in [
        (right, "gets that one right"),
        (english_spanish.load("longer")[0][0], "from the long sentences"),
        ("It is raining", "isn't one of the 1,000"),
        (3, "in quotes"),
        (..., "not tried yet"),
    ]:
        assert hint in said(capsys, check.a_mistake, attempt)


# --- the leak ---


@pytest.mark.parametrize(
    ("leaked", "honest", "says"),
    [
        (26, 0.6, "spelled differently"),
        (60, 0.6, "how many are new"),
        (12, 0.6, "Look for each sentence"),
        (40, 0.76, "the score that was reported"),
        (40, 1.0, "the score on the old sentences"),
        (40, 0.36, "Divide by the sentences that remain"),
        (40, 0.5, "count again"),
        (40, 60, "between 0 and 1"),
        ("forty", 0.6, "a whole number"),
        (40, "0.6 %", "a number between 0 and 1"),
    ],
)
def test_a_leak_is_counted_and_left_out(capsys, leaked, honest, says):
    assert refused(said(capsys, check.leak, leaked, honest), says)


def test_the_leak_found(capsys):
    assert said(capsys, check.leak, 40, 0.6) == "right!"
    assert said(capsys, check.leak, ..., 0.6) == "not tried yet"


# --- four brevity penalties ---


def test_the_faults_of_the_brevity_penalties_are_found(capsys):
    right = ((7, 11), "sound", (11, 7), (7, 11))
    assert said(capsys, check.brevity_faults, *right) == "right!"
    assert said(capsys, check.brevity_faults, (11, 7), *right[1:]) == "right!"
    assert said(capsys, check.brevity_faults, *[...] * 4) == "not tried yet"


@pytest.mark.parametrize(
    ("place", "verdict", "hint"),
    [
        (0, "sound", "one isn't sound"),
        (0, (9, 9), "and that is right"),
        (1, (7, 11), "two gives 0.565 for c = 7, r = 11, and that is right"),
        (2, (7, 11), "and that is right"),
        (3, (11, 7), "and that is right"),
        (3, 7, "four: "),
        (3, (0, 7), "four: "),
    ],
)
def test_what_is_said_of_a_wrong_verdict(capsys, place, verdict, hint):
    verdicts = [(7, 11), "sound", (11, 7), (7, 11)]
    verdicts[place] = verdict
    assert refused(said(capsys, check.brevity_faults, *verdicts), hint)
