"""What else is tried with the checks of notebook 19."""

from course.chapters.ch19_judge import checks as check
from tests.course.checks.attempts import Attempts

ATTEMPTS = {
    check.my_dpo_loss: Attempts(mistakes={"not tried yet": [lambda new, start, beta: ...]}),
    check.my_pass_at_k: Attempts(
        mistakes={"Not 0.25": [lambda n, r, k: 0.25], "not tried yet": [lambda n, r, k: ...]},
    ),
}
