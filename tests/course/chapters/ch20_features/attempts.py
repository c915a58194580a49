"""What else is tried with the checks of notebook 20."""

from course.chapters.ch20_features import checks as check
from tests.course.checks.attempts import Attempts

ATTEMPTS = {
    check.diagnose: Attempts(
        right=[check.PLANTED],
        mistakes={
            "A is not what you say. Multiply": [check.PLANTED | {"A": "sound"}],
            "How many of its features fire": [check.PLANTED | {"B": "sound"}],
            "C is not what you say. Its directions": [check.PLANTED | {"C": "not sparse"}],
            "A: say one of": [check.PLANTED | {"A": "broken"}],
            "Give a verdict for each": [{"A": "sound"}],
        },
    ),
}
