"""What else is tried with the checks of notebook 01."""

import torch

from course.chapters.ch01_one_hot import checks as check
from tests.course.checks.attempts import Attempts


def with_get(tokens, vocabulary):
    places = {token: place for place, token in enumerate(vocabulary)}
    return [places.get(token, 3) for token in tokens]


def small_letters(tokens, vocabulary):
    vocabulary = [word.lower() for word in vocabulary]
    return with_get([token.lower() for token in tokens], vocabulary)


PAIR = ("tree", "trees")
ATTEMPTS = {
    check.smaller_vocabulary: Attempts(
        right=[458],
        slips={
            "measured on the test": [456],
            "four special entries": [454],
            "count from 0": [457],
            "one word in a hundred": [824],
            "no word is unknown": [955, 946],
            "There each word counts once": [794],
        },
        mistakes={"of the words are unknown": [300], "fewer columns will do": [600]},
    ),
    check.rows_of_a_batch: Attempts(
        slips={"of the type torch.bool": [lambda ids, n: ids[..., None] == torch.arange(n)]},
        mistakes={
            "(2, 3, 7), but it is (2, 3, 8)": [lambda ids, n: torch.eye(n + 1)[ids]],
            "exactly one 1": [lambda ids, n: torch.zeros(2, 3, 7)],
            "wrong slot": [lambda ids, n: torch.eye(n)[ids.flip(0)]],
        },
    ),
    check.look_up: Attempts(
        right=[with_get, lambda *given: torch.tensor(with_get(*given))],
        slips={
            "one too large": [lambda *given: [i + 1 for i in with_get(*given)]],
            "special ones come first": [lambda tokens, words: with_get(tokens, words[4:])],
            "became shorter": [
                lambda tokens, words: [words.index(t) for t in tokens if t in words]
            ],
            "which is <pad>": [lambda *given: [i if i != 3 else 0 for i in with_get(*given)]],
            "tokenizer's work": [small_letters],
        },
        mistakes={
            "stops with ValueError": [lambda tokens, words: [words.index(t) for t in tokens]],
            "[5, 6, 4] is right": [lambda tokens, words: [-1] * len(tokens)],
            "[6, 3, 5, 3] is right": [lambda *given: with_get(*given)[:3]],
            "list of numbers": [lambda tokens, words: "564"],
        },
    ),
    check.faults: Attempts(
        right=[("B", "C", PAIR), ("B", "C", ["cats", "cat"])],
        slips={
            "A isn't correct": [("A", "C", PAIR)],
            "B loses no word": [("C", "B", PAIR)],
            "A loses no word": [("B", "A", PAIR)],
            "xylophone and ukulele: not in": [("B", "C", ("xylophone", "ukulele"))],
        },
        mistakes={
            "can't be correct and lose": [("B", "B", PAIR)],
            "name of a program": [("D", "C", PAIR)],
            "different rows": [("B", "C", ("cat", "dog"))],
            "one word": [("B", "C", ("cat", "cat"))],
            "two words": [("B", "C", 5)],
        },
    ),
}
