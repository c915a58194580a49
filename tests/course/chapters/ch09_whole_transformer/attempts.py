"""What else is tried with the checks of notebook 09."""

from course.chapters.ch09_whole_transformer import checks as check
from tests.course.checks.attempts import Attempts

ATTEMPTS = {
    check.fault: Attempts(
        right=[(0, "padding is seen"), (2, "no source positions")],
        slips={
            hint: [(0, name)]
            for name, hint in check.SPEAKS_AGAINST.items()
            if name != "padding is seen"
        },
        mistakes={
            "Give one of": [(0, "no norms")],
            "machines 0 to 4": [(7, "no source positions")],
        },
    ),
    check.design: Attempts(
        mistakes={
            "three layers": [(2, 320, 1000)],
            "multiple of 8": [(3, 321, 1000)],
            "twice d_model": [(3, 512, 600)],
            "too many": [(6, 512, 2048)],
            "room for more": [(3, 64, 128)],
        }
    ),
}
