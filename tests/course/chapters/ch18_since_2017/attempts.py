"""What else is tried with the checks of notebook 18."""

from course.chapters.ch18_since_2017 import assignment_8_checks as parts
from course.chapters.ch18_since_2017 import checks as check
from tests.course.checks.attempts import Attempts

ATTEMPTS = {
    check.my_rms_norm: Attempts(mistakes={"The shape is (2, 3)": [lambda x, s, e: x[0]]}),
    check.my_block: Attempts(
        mistakes={
            "Return three things": [lambda *given: check.step(*given)[:2]],
            "largest should be a tensor": [lambda *given: (1.0, *check.step(*given)[1:])],
            "The shape of largest is (3,)": [lambda *given: [x[:, 0] for x in check.step(*given)]],
            "the numbers aren't": [lambda *given: [x + 1 for x in check.step(*given)]],
        }
    ),
    parts.scores_by_hand: Attempts(
        right=[[7.0, 1, 1, -1, -7]],
        mistakes={
            "Number 5 of the list": [[7, 1, 1, -1, 7]],
            "list of five whole": [[7, 1, 1, -1], [7, 1, 1, -1, -7.5], "seven"],
        },
    ),
}
