"""Training text for what visitors type: which pairs come again, and how they are changed."""

import random
import re

import pytest

from transformer_lib.text.augmentation import COPIES, FILLINGS, as_typed, augmented, invented
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


@pytest.fixture(scope="module")
def pairs():
    return list(augmented(CORPUS, PHRASES, SLOTS, random.Random(0)))


def test_the_corpus_is_there_whole_and_in_its_order(pairs):
    """But for Tom's other names: taking out what was added leaves the corpus."""
    rest = iter(pairs)
    for english, spanish in CORPUS:
        if "Tom" in english:
            assert any(re.fullmatch(r"\w+ is here\.", found) for found, _ in rest)
        else:
            assert any(found == (english, spanish) for found in rest)


def test_shares_are_as_they_are_named(pairs):
    corpus = pairs[: len(pairs) - 2 * (COPIES + FILLINGS)]
    joined = [pair for pair in corpus if re.search(r"[.?!] \w", pair[0])]
    assert 0.035 < len(joined) / len(CORPUS) < 0.065
    assert 0.12 < (len(corpus) - len(joined) - len(CORPUS)) / len(CORPUS) < 0.18
    toms = [english for english, _ in corpus if english.endswith("is here.")]
    assert 0.6 < sum(english.startswith("Tom ") for english in toms) / len(toms) < 0.8
    book = pairs[len(corpus) :]
    assert sum("suerte" in spanish for _, spanish in book) == 2 * COPIES
    assert sum(spanish.startswith("Soy") for _, spanish in book) == 2 * FILLINGS


def test_half_of_the_other_names_are_those_of_the_book(pairs):
    names = [
        found[1] for english, _ in pairs if (found := re.match(r"([A-Z]\w+) is here", english))
    ]
    others = [name for name in names if name != "Tom"]
    assert 0.4 < sum(name in ("Omar", "Yusuf") for name in others) / len(others) < 0.6


def test_a_name_is_the_same_on_both_sides(pairs):
    for english, spanish in pairs:
        if found := re.match(r"(\w+) is here", english):
            assert spanish.lower().startswith(f"{found[1].lower()} está aquí.")


def test_what_is_typed_changes_the_english_only(pairs):
    """The Spanish keeps its capitals and signs, whatever was typed."""
    spanish = {target for _, target in CORPUS + [("", "¡Buena suerte!"), ("", "Soy Omar.")]}
    for source, target in pairs:
        if source[0].islower():
            assert target[0].isupper() or target[0] in "¿¡"
            assert target in spanish or re.match(r"(\w+ está aquí|Soy)", target)


def test_typing_loses_capitals_signs_and_apostrophes_and_nothing_else():
    dice = random.Random(0)
    seen = {as_typed("I don't know Omar.", dice) for _ in range(300)}
    assert {"i dont know omar", "I don't know Omar", "I dont know Omar."} <= seen
    letters = {re.sub(r"\W", "", text).lower() for text in seen}
    assert letters == {"idontknowomar"}
    assert {"Really??", "really???"} <= {as_typed("Really?", dice) for _ in range(300)}


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
        ((0.76, 0.51, 0.0), "Isn't Ana In"),
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


def test_one_invented_name_in_three_has_a_third_syllable():
    dice = random.Random(0)
    names = [invented(dice) for _ in range(2000)]
    assert 0.29 < sum(len(name) >= 6 for name in names) / len(names) < 0.38


def test_what_is_left_out_is_left_out_as_often_as_it_says():
    dice, count = random.Random(0), 4000
    typed = [as_typed("I don't know Omar!", dice) for _ in range(count)]
    for is_so, share in (
        (str.islower, 0.75 * 0.6),
        (lambda text: text[0] == "i" and "O" in text, 0.75 * 0.4),
        (lambda text: "'" not in text, 0.5),
        (lambda text: text[-1] != "!", 0.7),
        (lambda text: re.search(r"[^!]!!$", text), 0.15 / 2),
        (lambda text: re.search(r"[^!]!!!$", text), 0.15 / 2),
    ):
        assert sum(bool(is_so(text)) for text in typed) / count == pytest.approx(share, abs=0.02)


def test_invented_names_are_many_and_look_like_names():
    dice = random.Random(0)
    names = {invented(dice) for _ in range(1000)}
    assert len(names) > 800
    assert all(re.fullmatch("[A-Z][a-z]{3,7}", name) for name in names)


def test_the_same_dice_draw_the_same_text():
    first, again, other = (
        list(augmented(CORPUS, PHRASES, SLOTS, random.Random(seed))) for seed in (0, 0, 1)
    )
    assert first == again != other


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
