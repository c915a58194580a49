"""What else is tried with the checks of notebook 21."""

import math

import torch

from course.chapters.ch21_without_the_table import assignment_10_checks as judges
from course.chapters.ch21_without_the_table import checks as check
from tests.course.checks.attempts import Attempts


def by_einsum(S, q, k, v, keep):
    S = S * keep + k[:, None] * v
    return torch.einsum("n,np->p", q, S), S


def writes(change):
    """The wrong state, and something that was read."""
    return lambda S, q, k, v, keep: (q, change(S, torch.outer(k, v), keep))


HOLE, NEW = "The cat is in is the cat", "The queen's shelf is low"
ATTEMPTS = {
    check.my_step: Attempts(
        right=[by_einsum, lambda *given: list(by_einsum(*given))],
        slips={
            "y first": [lambda *given: by_einsum(*given)[::-1]],
            "Nothing is forgotten": [lambda S, q, k, v, keep: by_einsum(S, q, k, v, 1)],
            "isn't forgotten yet": [writes(lambda S, pair, keep: keep * (S + pair))],
            "The old state is gone": [writes(lambda S, pair, keep: pair)],
            "The state hasn't changed": [writes(lambda S, pair, keep: S)],
            "only been forgotten": [writes(lambda S, pair, keep: keep * S)],
            "not taken off": [writes(lambda S, pair, keep: keep * S - pair)],
            "not a part of it": [writes(lambda S, pair, keep: keep * S + (1 - keep) * pair)],
            "not the one that goes": [lambda S, q, k, v, keep: by_einsum(S, q, k, v, 1 - keep)],
            "the query only reads": [
                lambda S, q, k, v, keep: (q, keep * S + torch.outer(q, v)),
            ],
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
            "The new state isn't right": [writes(lambda S, pair, keep: 7 * S)],
            "The state is right. y is": [lambda *given: (given[3], by_einsum(*given)[1])],
            "not tried yet": [lambda *given: ...],
        },
    ),
    check.my_table: Attempts(mistakes={"not tried yet": [lambda *given: ...]}),
    check.diagnose: Attempts(
        right=[check.PLANTED],
        mistakes={
            "not tried yet": [dict.fromkeys("ABCD", ...)],
            "A isn't sound. Change the first word": [check.PLANTED | {"A": check.SOUND}],
            "B has another fault, or none. Change one": [check.PLANTED | {"B": check.LATER}],
            "C isn't sound. Change the last word": [check.PLANTED | {"C": check.SOUND}],
            "D isn't sound. Change a word of the second": [check.PLANTED | {"D": check.SOUND}],
            "A: choose one of": [check.PLANTED | {"A": "broken"}],
        },
    ),
    check.designs: Attempts(
        right=[check.DESIGNS],
        mistakes={
            "A: another way fits better. Which of": [check.DESIGNS | {"A": check.TABLE}],
            "what did the exchange cost?": [check.DESIGNS | {"B": check.BOTH}],
            "C: another way fits better. It has to quote": [check.DESIGNS | {"C": check.STATE}],
        },
    ),
    judges.group_by_hand: Attempts(
        right=[torch.tensor([[2], [-0.5], [-2], [0]]), ["2", "-0.5", "-2", "0"]],
        slips={"A tiny number is added": [[2, -0.5, -2, math.nan]]},
        mistakes={
            "Divide by": [[0.8, -0.2, -0.8, 0]],
            "where all are right: not yet": [[2, -0.5, -2, 0.3]],
            "list of four numbers": [[2, -0.5, -2]],
        },
    ),
    judges.my_loss: Attempts(
        mistakes={"of each word beta": [lambda *given: 7.0], "one number": [lambda new, *_: new]}
    ),
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
            "one number": [lambda scores, true: scores],
        }
    ),
    judges.sizes_by_hand: Attempts(
        right=[
            torch.tensor([12_288.0, 393_216, 33, 31_014_912]),
            [[12_288, 393_216, 33, 31_014_912]],
        ],
        mistakes={
            "a key *and* a value": [[6144, 32_768, 33, 31_014_912]],
            "list of four": [[12_288, 393_216, 33]],
        },
    ),
    judges.my_delta: Attempts(
        mistakes={
            "It should return a tensor": [lambda q, *rest: [*q]],
            "it should be (5, 2)": [lambda q, *rest: q],
            "the numbers aren't": [lambda q, k, v, beta: v],
        }
    ),
}
