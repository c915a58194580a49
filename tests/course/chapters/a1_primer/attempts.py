"""What is tried with the check of the primer's loops."""

from course.chapters.a1_primer import checks as check
from tests.course.checks.attempts import Attempts

ATTEMPTS = {
    check.faults: Attempts(
        right=[check.LOOPS],
        slips={
            "B never changes its slope": [{**check.LOOPS, "B": "sound", "C": "no step"}],
            "shoots past it": [{**check.LOOPS, "A": "sound", "C": "gradients pile up"}],
        },
        mistakes={
            "add up from step to step": [{**check.LOOPS, "A": "sound"}],
            "A: choose one of sound, no step": [{**check.LOOPS, "A": "broken"}],
        },
    ),
}
