"""What else is tried with the checks of notebook 18."""

import torch

from course.chapters.ch18_since_2017 import checks as check
from tests.course.checks.attempts import Attempts


def by_loops(n, w):
    return torch.tensor([[i - w < j <= i for j in range(n)] for i in range(n)])


UNTRIED = {"It returns nothing": [lambda *given: None], "not tried yet": [lambda *given: ...]}
ATTEMPTS = {
    check.my_rms_norm: Attempts(mistakes=UNTRIED | {"The shape is (2, 3)": [lambda x, s, e: x[0]]}),
    check.my_block: Attempts(
        mistakes=UNTRIED
        | {
            "Return three things": [lambda *given: check.step(*given)[:2]],
            "largest should be a tensor": [lambda *given: (1.0, *check.step(*given)[1:])],
            "The shape of largest is (3,)": [lambda *given: [x[:, 0] for x in check.step(*given)]],
            "the numbers aren't": [lambda *given: [x + 1 for x in check.step(*given)]],
        }
    ),
    check.my_window_mask: Attempts(
        right=[by_loops],
        mistakes=UNTRIED | {"The shape is (1, 7, 7)": [lambda n, w: by_loops(n, w)[None]]},
    ),
}
