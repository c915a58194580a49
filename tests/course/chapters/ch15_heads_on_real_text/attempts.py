"""What else is tried with the checks of notebook 15."""

from course.chapters.ch15_heads_on_real_text import checks as check
from tests.course.checks.attempts import Attempts


def by_loop(before, after, goal):
    moved = way = 0.0
    for a, b, c in zip(before.tolist(), after.tolist(), goal.tolist(), strict=True):
        moved, way = moved + b - a, way + c - a
    return moved / way


ATTEMPTS = {
    check.my_restored: Attempts(
        right=[by_loop],
        mistakes={
            "take the mean over the sentences first": [lambda b, a, g: (a - b) / (g - b)],
            "Not 0.123": [lambda b, a, g: 0.123],
            "It should return one number, not a str": [lambda b, a, g: "much"],
            "It returns nothing": [lambda b, a, g: None],
            "not tried yet": [lambda b, a, g: ...],
        },
    ),
    check.my_lens: Attempts(
        right=[lambda *given: tuple(check.lens(*given))],
        mistakes={
            "for each sentence whether": [check.hits],
            "For 3 states it returns the shape ()": [lambda *given: check.lens(*given)[-1]],
            "a share for each layer, not a float": [lambda *given: 0.5],
            "The shape is right, the numbers aren't": [lambda *given: [0.5, 0.5, 0.5]],
            "It returns nothing": [lambda *given: None],
            "not tried yet": [lambda *given: ...],
        },
    ),
}
