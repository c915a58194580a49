"""What else is tried with the checks of notebook 12."""

import math

from course.chapters.ch12_translation import checks as check
from tests.course.checks.attempts import Attempts
from transformer_lib.text import english_spanish

INSIDE, END = [9, 7, 5, 3], [9, 8, 7, 6]
FAULTS = ((7, 11), "sound", (11, 7), (7, 11))


def verdicts(place: int, verdict: object) -> tuple:
    return (*FAULTS[:place], verdict, *FAULTS[place + 1 :])


ATTEMPTS = {
    check.leak: Attempts(
        mistakes={
            "As a share: between 0 and 1": [(40, 60)],
            "The exact match is a number between 0 and 1": [(40, "0.6 %")],
        },
    ),
    check.grams_left: Attempts(
        right=[(INSIDE, END), (tuple(INSIDE), tuple(END))],
        slips={"exchanged": [(END, INSIDE)]},
        mistakes={
            "how many groups there are": [([10, 9, 8, 7], END)],
            "how many are wrong": [([1, 2, 3, 4], END)],
            "in *two* pairs": [(END, END)],
            "n groups of n words": [([9, 7, 6, 3], END)],
            "one group of each size": [(INSIDE, INSIDE)],
            "two lists of four": [(9, 8), ([9, 7], END)],
        },
    ),
    check.my_exact_match: Attempts(
        mistakes={
            "one number": [lambda w, r: [1.0]],
            "It gives 0.5000, but it should be 0.0714": [lambda w, r: 0.5],
            "Called with a list of 28, a list of 28, it stops with": [lambda w, r: w.equals(r)],
        }
    ),
    check.brevity_faults: Attempts(
        right=[FAULTS, verdicts(0, (11, 7))],
        slips={
            "one isn't sound": [verdicts(0, "sound")],
            "one gives 1.000 for c = 9, r = 9, and that is right": [verdicts(0, (9, 9))],
            "two gives 0.565 for c = 7, r = 11, and that is right": [verdicts(1, (7, 11))],
            "three gives 0.565 for c = 7, r = 11, and that is right": [verdicts(2, (7, 11))],
            "four gives 1.000 for c = 11, r = 7, and that is right": [verdicts(3, (11, 7))],
        },
        mistakes={
            'four: "sound", or a pair': [verdicts(3, 7), verdicts(3, (0, 7))],
        },
    ),
    check.my_brevity: Attempts(
        mistakes={
            "It gives 0.0000 for 7 words written and 11 right ones": [lambda c, r: float(c >= r)],
            "It gives 2.0000 for 13 words written and 13 right ones": [
                lambda c, r: 2.0 if c == r else math.exp(min(0, 1 - r / c))
            ],
        }
    ),
    check.my_precision: Attempts(
        mistakes={
            "It gives 0.5000 for n = 1": [lambda t, r, n: 0.5],
        },
    ),
    check.a_mistake: Attempts(
        mistakes={
            "from the long sentences": [english_spanish.load("longer")[0][0]],
            "isn't one of the 1,000": ["It is raining"],
            "in quotes": [3],
        }
    ),
}
