"""What else is tried with the checks of notebook 13."""

from course.chapters.ch13_what_heads_learned import checks as check
from tests.course.checks.attempts import Attempts

CROSS = "decoder.layers.1.cross_attn"
FIT = "The book didn't fit in the bag because it was too "
MANY = "The books didn't fit in the bags because they were too "
PIANO = "The piano didn't fit in the car because it was too small"
ANIMAL = "The animal didn't cross the street because it was too tired"
TROPHY = "The trophy didn't fit in the box because it was too small"
COW = "The cow didn't cross the river because it was too "
TIRED, WIDE = (f"{COW}tired", "cow", "river"), (f"{COW}wide", "river", "cow")
SOUP = "The dog didn't drink the soup because it was too "
COLD, THIRSTY = (f"{SOUP}cold", "soup", "dog"), (f"{SOUP}tired", "dog", "soup")
MOUSE = ("The mouse didn't eat the cheese because it was too tired", "mouse", "cheese")
RED = ("The horse didn't eat the apple because it was too red", "apple", "horse")

ATTEMPTS = {
    check.without_the_head: Attempts(
        right=["Estrecho."],
        mistakes={"a form of estrecho": ["ancho"], "in quotes": [1]},
    ),
    check.guilty_head: Attempts(
        right=[(CROSS, 1, 0.69)],
        slips={
            "that go wrong": [(CROSS, 1, 0.31)],
            "measure the share again": [(CROSS, 1, 0.9)],
        },
        mistakes={
            "from 0 to 1": [(CROSS, 1, 69)],
            "Another one is missed more": [(CROSS, 0, 1.0)],
            "the head of the picture": [(check.LAYER, 1, 1.0)],
            "carries the gender": [(check.LAYER, 2, 1.0)],
            "as the library calls it": [("layer 1", 1, 0.69)],
        },
    ),
    check.flips: Attempts(
        right=[
            (f"{FIT}small", "small", "book", "bag"),
            (f"{MANY}small", "small", "books", "bags"),
        ],
        mistakes={
            "'chest' is not one of the words": [(f"{FIT}small", "small", "book", "chest")],
            "should be the adjective at the end": [(f"{FIT}small", "it", "book", "bag")],
            "*grande*, is the same in both genders": [(f"{FIT}big", "big", "book", "bag")],
            "*grandes*, is the same in both genders": [(f"{MANY}big", "big", "books", "bags")],
            "The translation stays": [(PIANO, "small", "piano", "car")],
            "Take other nouns: animal and street stand in": [(ANIMAL, "tired", "animal", "street")],
            "Take other nouns: trophy and box stand in": [(TROPHY, "small", "trophy", "box")],
        },
    ),
    check.alike_in_the_picture: Attempts(
        right=[(TIRED, WIDE), (list(COLD), THIRSTY)],
        slips={
            "The two are exchanged": [(WIDE, TIRED)],
            "stays: without the head fría becomes frío": [(TIRED, COLD)],
            "changes: without the head it still says ancho": [(WIDE, WIDE)],
        },
        mistakes={
            "'tired' looks most at 'cow'": [((f"{COW}tired", "river", "cow"), WIDE)],
            "'bridge' is not one of the words": [(TIRED, (f"{COW}wide", "bridge", "cow"))],
            "nouns other than animal": [(TIRED, (ANIMAL, "animal", "street"))],
            "different genders": [(TIRED, MOUSE)],
            "should be above 0.9": [(TIRED, RED)],
            "all three in parentheses": [(TIRED[0], WIDE), (TIRED, (1, 2, 3))],
        },
    ),
}
