"""What else is tried with the checks of notebook 19."""

from course.chapters.ch19_judge import checks as check
from tests.course.checks.attempts import Attempts

ATTEMPTS = {
    check.my_advantages: Attempts(mistakes={"not tried yet": [lambda r: ...]}),
    check.diagnose: Attempts(
        right=[check.PLANTED],
        mistakes={
            "not tried yet": [dict.fromkeys("ABC", ...)],
            "A isn't sound. Advantage 1, ratio 3": [check.PLANTED | {"A": check.NONE}],
            "B has another fault, or none. Try": [check.PLANTED | {"B": check.LARGER}],
            "C has another fault, or none. Advantage -1": [check.PLANTED | {"C": check.LARGER}],
            "C: where the ratio is 1, it is minus": [check.PLANTED | {"C": check.SIGN}],
            "C: choose one of": [check.PLANTED | {"C": "typo"}],
        },
    ),
    check.my_pass_at_k: Attempts(
        mistakes={"Not 0.25": [lambda n, r, k: 0.25], "not tried yet": [lambda n, r, k: ...]},
    ),
    check.designs: Attempts(
        right=[check.DESIGNS],
        mistakes={
            "not tried yet": [dict.fromkeys("ABC", ...)],
            "A: another way fits better. The judge": [check.DESIGNS | {"A": check.FREE}],
            "B: another way fits better. No judge, and": [check.DESIGNS | {"B": check.LEASH}],
            "C: another way fits better. No judge. Of": [check.DESIGNS | {"C": check.LEASH}],
        },
    ),
}
