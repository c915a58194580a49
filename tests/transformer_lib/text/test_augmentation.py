"""Training text for what visitors type: which pairs come again, and how they are changed."""

import random
import re

import pytest

from transformer_lib.text.augmentation import as_typed, augmented, invented
from transformer_lib.text.phrasebook import Entry

CORPUS = [
    ("I don't know.", "No lo sé."),
    ("Tom is here.", "Tom está aquí."),
    ("Is it raining?", "¿Está lloviendo?"),
    ("What a day!", "¡Qué día!"),
] * 500
PHRASES = [
    Entry("Good luck!", "¡Buena suerte!", "formulas"),
    Entry("I'm {name_m}.", "Soy {name_m}.", "introductions"),
]
SLOTS = {"name_m": [("Omar", "Omar"), ("Yusuf", "Yusuf")]}


class Dice:
    """They fall as it is written; of several things they choose the first."""

    def __init__(self, *falls):
        self.falls = iter(falls)

    def random(self):
        return next(self.falls)

    def choice(self, things):
        return things[0]

    def choices(self, things, k):
        return things[:k]


# Just below and just above 0.75: some capital goes; 0.6: all of them; 0.5: the apostrophe; 0.7 and
# 0.85: the sign at the end goes, comes several times, or stays.
@pytest.mark.parametrize(
    ("falls", "typed"),
    [
        ((0.74, 0.59, 0.49, 0.69), "isnt ana in"),
        ((0.74, 0.61, 0.51, 0.71), "isn't Ana In??"),
        ((0.74, 0.61, 0.49, 0.84), "isnt Ana In??"),
        ((0.76, 0.51, 0.86), "Isn't Ana In?"),
        ((0.76, 0.49, 0.69), "Isnt Ana In"),
    ],
)
def test_how_often_each_thing_is_typed_so(falls, typed):
    assert as_typed("Isn't Ana In?", Dice(*falls)) == typed


@pytest.mark.parametrize(
    ("falls", "pairs"),
    [
        ((0.29, 0.49, 0.16, 0.06), [("Omar is here.", "Omar está aquí.")]),
        ((0.29, 0.51, 0.16, 0.06), [("Babe is here.", "Babe está aquí.")]),
        ((0.31, 0.16, 0.06), [("Tom is here.", "Tom está aquí.")]),
        (
            (0.31, 0.14, 0.74, 0.59, 0.49, 0.69, 0.04),
            [
                ("Tom is here.", "Tom está aquí."),
                ("tom is here", "Tom está aquí."),
                ("Tom is here. Tom is here.", "Tom está aquí. Tom está aquí."),
            ],
        ),
    ],
)
def test_how_often_a_pair_is_changed_so(falls, pairs):
    assert list(augmented(CORPUS[1:2], [], SLOTS, Dice(*falls))) == pairs


@pytest.mark.parametrize("pair", [("Tom!", "¡Tomás!"), ("Tomatoes", "Tom"), ("Me?", "¿Yo?")])
def test_who_is_tom_on_one_side_only_keeps_his_name(pair):
    """Nor is a die thrown for him: the next two say that nothing else happens either."""
    assert list(augmented([pair], [], SLOTS, Dice(0.99, 0.99))) == [pair]


def test_invented_names_are_many_look_like_names_and_are_drawn_again():
    one, same, other = ([invented(random.Random(i + n)) for i in range(999)] for n in (0, 0, 999))
    assert one == same != other and len({*one, *other}) > 1200
    assert all(re.fullmatch("[A-Z][a-z]{3,7}", name) for name in one)


def test_the_phrases_come_as_they_are_and_then_as_they_would_be_typed():
    book = list(augmented([], PHRASES * 9, SLOTS, random.Random(0)))
    written, typed = book[: len(book) // 2], book[len(book) // 2 :]
    for half in (written, typed):  # each of 9 frames is filled 4 times, each other comes twice
        spanish = [spanish for _, spanish in half]
        assert sum(text.startswith("Soy") for text in spanish) == 9 * 4
        assert spanish.count("¡Buena suerte!") == 9 * 2
    assert {english for english, _ in written} == {"Good luck!", "I'm Omar.", "I'm Yusuf."}
    assert {english for english, _ in typed} > {"good luck"}
    assert {spanish for _, spanish in book} == {"¡Buena suerte!", "Soy Omar.", "Soy Yusuf."}
