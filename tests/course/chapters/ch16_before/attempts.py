"""What else is tried with the checks of notebook 16."""

from course.chapters.ch16_before import checks as check
from tests.course.checks.attempts import Attempts

ATTEMPTS = {
    check.my_both_ways: Attempts(
        mistakes={
            "Called with one_way, other_way, (4, 2), (3,), it stops": [lambda f, b, w, s: f(w)],
            "It returns nothing": [lambda f, b, w, s: None],
            "not tried yet": [lambda f, b, w, s: ...],
        },
    ),
    check.my_waiting: Attempts(
        mistakes={
            "Not 5": [lambda s, t, n: 5],
            "one number, not a str": [lambda s, t, n: "many"],
            "It returns nothing": [lambda s, t, n: None],
            "not tried yet": [lambda s, t, n: ...],
        },
    ),
}
