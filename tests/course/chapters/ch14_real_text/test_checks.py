"""The exercises of notebook 14: what is right passes, and each mistake gets its own hint."""

import pytest

from course.chapters.ch14_real_text import checks as check
from tests.course.checks.saying import said


def with_marks(word, merges):
    """The same by text: the pieces stand between spaces."""
    text = " ".join(word)
    for a, b in merges:
        text = f" {text} ".replace(" ", "  ").replace(f" {a}  {b} ", f" {a}{b} ")
        text = " ".join(text.split())
    return text.split()


def by_places(word, merges):
    parts = list(word)
    for a, b in merges:
        i = 0
        while i < len(parts) - 1:
            if (parts[i], parts[i + 1]) == (a, b):
                parts[i : i + 2] = [a + b]
            i += 1
    return tuple(parts)


PIECES = {
    "joined": (check.in_pieces, "right!"),
    "by places": (by_places, "right!"),
    "with marks": (with_marks, "right!"),
    "longest": (check.longest_first, "longest piece"),
    "first place only": (lambda w, m: check.in_pieces(w, m, times=1), "several places"),
    "backwards": (lambda w, m: check.in_pieces(w, m[::-1]), "wrong order"),
    "one merge": (lambda w, m: check.in_pieces(w, m[:1]), "come the others"),
    "letters": (lambda w, m: list(w), "Nothing is joined"),
    "letters lost": (lambda w, m: [a + b for a, b in m if a + b in w], "the word again"),
    "text": (lambda w, m: " ".join(check.in_pieces(w, m)), "should be a list"),
    "count": (lambda w, m: len(check.in_pieces(w, m)), "a list of pieces, not an int"),
    "whole": (lambda w, m: [w], "Begin with its letters"),
    "nothing": (lambda w, m: None, "returns nothing"),
    "stops": (lambda w, m: m[9], "IndexError"),
    "stub": (lambda w, m: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", PIECES)
def test_my_pieces(capsys, name):
    function, hint = PIECES[name]
    assert hint in said(capsys, check.my_pieces, function)


def by_loop(written, accepted):
    count = 0
    for i in range(len(written)):
        if any(written[i] == one for one in accepted[i]):
            count += 1
    return count / len(written)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


ANY = {
    "loop": (by_loop, "right!"),
    "in": (lambda w, a: mean(map(lambda t, r: t in r, w, a)), "right!"),
    "count": (lambda w, a: len(w) * by_loop(w, a), "how many are right"),
    "percent": (lambda w, a: 100 * by_loop(w, a), "between 0 and 1"),
    "wrong ones": (lambda w, a: 1 - by_loop(w, a), "that is wrong"),
    "first": (lambda w, a: mean(map(lambda t, r: t == r[0], w, a)), "Only the first"),
    "all": (lambda w, a: mean(map(lambda t, r: all(t == x for x in r), w, a)), "equal all"),
    "capitals": (
        lambda w, a: mean(map(lambda t, r: t.lower() in [x.lower() for x in r], w, a)),
        "Capitals count",
    ),
    "part": (lambda w, a: mean(map(lambda t, r: any(t in x for x in r), w, a)), "a part of"),
    "anywhere": (lambda w, a: mean(t in sum(a, []) for t in w), "its own references"),
    "divided": (lambda w, a: len(w) * by_loop(w, a) / sum(map(len, a)), "not of references"),
    "a half": (lambda w, a: 0.123, "Not 0.123"),
    "a list": (lambda w, a: [True], "one number"),
    "stub": (lambda w, a: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", ANY)
def test_my_any_reference(capsys, name):
    function, hint = ANY[name]
    assert hint in said(capsys, check.my_any_reference, function)
