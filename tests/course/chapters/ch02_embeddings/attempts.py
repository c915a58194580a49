"""What else is tried with the checks of notebook 02."""

import torch
import torch.nn.functional as F

from course.chapters.ch02_embeddings import checks as check
from tests.course.checks.attempts import Attempts


def searching(score, keep_itself=False, best=max):
    """A way to look for the word with the best score."""

    def search(word, words, table):
        own = table[words.index(word)]
        places = [i for i, other in enumerate(words) if keep_itself or other != word]
        return words[best(places, key=lambda i: float(score(own, table[i])))]

    return search


def cosine(a, b):
    return a @ b / (a.norm() * b.norm())


def second_of_two(prepared):
    """The second of the two largest products, as if the word itself were always the first."""

    def search(word, words, table):
        rows = prepared(table)
        return words[(rows @ rows[words.index(word)]).topk(2).indices[1]]

    return search


ATTEMPTS = {
    check.exchanged: Attempts(
        right=[("book", "streets"), ("streets", "book")],
        slips={
            "doors is at home": [("book", "doors")],
            "The other word is one of the two": [("book", "doors")],
            "dog is at home": [("dog", "streets")],
        },
        mistakes={
            "Which word's are near 0?": [("dog", "house")],
            "one word": [("book", "book")],
            "two of the twelve": [("book", "tree"), (0, 1)],
        },
    ),
    check.embed: Attempts(
        mistakes={
            "yours is 3. Which should it be": [lambda ids, table: 3 * table[ids]],
            "not table[ids] times a root": [lambda ids, table: -table[ids].square()],
            "(2, 3, 7), but it is (2, 3)": [lambda ids, table: table[ids, 0]],
            "still one-hot": [lambda ids, table: F.one_hot(ids, len(table))],
        },
    ),
    check.nearest_word: Attempts(
        right=[searching(cosine), second_of_two(F.normalize)],
        slips={
            "leave the word itself out": [searching(cosine, keep_itself=True)],
            "dot product is large": [searching(torch.dot), second_of_two(torch.clone)],
            "smallest distance": [searching(lambda a, b: -(a - b).norm())],
            "the other way": [searching(cosine, best=min)],
            "words[place]": [lambda word, words, table: 1],
        },
        mistakes={
            "isn't the largest": [searching(lambda a, b: -b[0].abs())],
            "of the type list": [lambda word, words, table: ["plant"]],
            "start from 0": [lambda word, words, table: "plant"],
        },
    ),
}
