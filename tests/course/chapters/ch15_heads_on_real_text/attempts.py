"""What else is tried with the checks of notebook 15."""

from course.chapters.ch15_heads_on_real_text import checks as check
from tests.course.checks.attempts import Attempts

ATTEMPTS = {
    check.my_restored: Attempts(
        mistakes={
            "It should return one number, not a str": [lambda b, a, g: "much"],
            "take the mean over the sentences first": [lambda b, a, g: (a - b) / (g - b)],
        },
    ),
    check.my_lens: Attempts(
        right=[lambda *given: tuple(check.lens(*given))],
        mistakes={
            "for each sentence whether": [check.hits],
            "For 3 states it returns the shape ()": [lambda *given: check.lens(*given)[-1]],
            "a share for each layer, not a float": [lambda *given: 0.5],
        },
    ),
}
