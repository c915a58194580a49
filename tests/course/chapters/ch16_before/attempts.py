"""What else is tried with the check of notebook 16."""

from course.chapters.ch16_before import checks as check
from tests.course.checks.attempts import Attempts

ATTEMPTS = {
    check.my_both_ways: Attempts(
        mistakes={
            "Called with one_way, other_way, (4, 2), (3,), it stops": [lambda f, b, w, s: f(w)],
        },
    ),
}
