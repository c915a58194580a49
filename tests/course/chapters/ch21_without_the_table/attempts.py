"""What else is tried with the checks of notebook 21."""

import math

import torch

from course.chapters.ch21_without_the_table import assignment_10_checks as judges
from course.chapters.ch21_without_the_table import checks as check
from tests.course.checks.attempts import Attempts


def by_einsum(S, q, k, v, keep):
    S = S * keep + k[:, None] * v
    return torch.einsum("n,np->p", q, S), S


HOLE, NEW = "The cat is in is the cat", "The queen's shelf is low"
ATTEMPTS = {
    check.my_step: Attempts(
        right=[by_einsum, lambda *given: list(by_einsum(*given))],
        slips={hint: [way] for hint, way in check.WRITING.items()}
        | {
            "y first": [lambda *given: by_einsum(*given)[::-1]],
            "You read before you wrote": [
                lambda S, *given: (given[0] @ S, by_einsum(S, *given)[1]),
                lambda S, *given: (given[0] @ (given[-1] * S), by_einsum(S, *given)[1]),
            ],
            "The query reads, not the key": [
                lambda S, q, k, *rest: (
                    k @ by_einsum(S, q, k, *rest)[1],
                    by_einsum(S, q, k, *rest)[1],
                )
            ],
            "it takes the outer product": [lambda S, q, k, v, keep: (q, keep * S + k @ v)],
            "The query comes first": [lambda S, q, *rest: (by_einsum(S, q, *rest)[1] @ q, S)],
            "Which way round?": [lambda S, q, k, v, keep: (q @ S, keep * S + torch.outer(v, k))],
            "wrong for other inputs": [lambda S, q, k, v, keep: by_einsum(S, q, k, v, 0.9)],
        },
        mistakes={
            "Return two things": [lambda S, q, k, v, keep: q @ S],
            "The new state isn't right": [check.writes(lambda S, pair, keep: 7 * S)],
            "The state is right. y is": [lambda *given: (given[3], by_einsum(*given)[1])],
        },
    ),
    judges.group_by_hand: Attempts(slips={"A tiny number is added": [[2, -0.5, -2, math.nan]]}),
    judges.my_loss: Attempts(mistakes={"of each word beta": [lambda *given: 7.0]}),
    judges.two_mistakes: Attempts(
        right=[
            (HOLE, NEW),
            [HOLE, "The mouse wasn't in the garden"],
            (f"{HOLE}.", "the queen’s  shelf is low. "),
        ],
        slips={
            "first the wrong one that passes": [(NEW, HOLE)],
            "The hasty judge refuses": [("Cat the in is the", NEW)],
            "that is no mistake": [
                ("The cat is in the garden", NEW),
                ("the  cat is in the garden.", NEW),
            ],
            "refused rightly": [(HOLE, "The shelf queen is low's")],
            "it knows how that begins": [(HOLE, "The cat is in the garden")],
        },
        mistakes={
            "The hasty judge refuses": [("The the the", "The the")],
            "Give two sentences": [("The dog",), ("", NEW), (1, 2)],
            "At most 20 words": [(HOLE + " cat" * 20, NEW)],
        },
    ),
    judges.my_average_precision: Attempts(
        mistakes={
            "sort, and at each word": [lambda scores, true: 0.9],
        }
    ),
}
