"""What else is tried with the checks of notebook 14."""

from course.chapters.ch14_real_text import checks as check
from tests.course.checks.attempts import Attempts


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


ATTEMPTS = {
    check.my_pieces: Attempts(
        right=[check.in_pieces, by_places, with_marks],
        slips={
            "That takes the longest piece that is known": [check.longest_first],
            "A pair may stand in several places": [lambda w, m: check.in_pieces(w, m, times=1)],
            "That is the wrong order": [lambda w, m: check.in_pieces(w, m[::-1])],
            "After the first merge come the others": [lambda w, m: check.in_pieces(w, m[:1])],
            "Nothing is joined": [lambda w, m: list(w)],
        },
        mistakes={
            "must be the word again": [lambda w, m: [a + b for a, b in m if a + b in w]],
            "the pieces should be a list": [lambda w, m: " ".join(check.in_pieces(w, m))],
            "a list of pieces, not an int": [lambda w, m: len(check.in_pieces(w, m))],
            "Begin with its letters": [lambda w, m: [w]],
            "It returns nothing": [lambda w, m: None],
            "it stops with IndexError": [lambda w, m: m[9]],
            "not tried yet": [lambda w, m: ...],
        },
    ),
    check.my_any_reference: Attempts(
        mistakes={
            "Not 0.123": [lambda w, a: 0.123],
            "It should return one number, not a list": [lambda w, a: [True]],
        },
    ),
}
