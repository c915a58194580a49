"""The exercises of notebook 19: advantages, losses with a planted fault, tries, and a design."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.chapters.ch19_judge.policy import advantages, pass_at_k
from course.checks import (
    ELSEWHERE,
    Exercise,
    Hint,
    a_number,
    a_tensor,
    exercise,
    expect,
    wrong_verdicts,
)


def rewards() -> Tensor:
    """Rewards for three prompts, four answers each; in the last group all are wrong."""
    return torch.tensor([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]])


def mean(rewards: Tensor) -> Tensor:
    return rewards.mean(dim=1, keepdim=True)


def deviation(rewards: Tensor, correction: int = 0) -> Tensor:
    return rewards.std(dim=1, correction=correction, keepdim=True) + 1e-6


def right_advantages(rewards: Tensor, correction: int = 0) -> Tensor:
    """(p, g): each group by its own mean and standard deviation."""
    return (rewards - mean(rewards)) / deviation(rewards, correction)


def as_one(found: Any) -> Tensor:
    """What divides by PyTorch's own deviation, or has added another tiny number, is as right."""
    found, right = a_tensor(found), right_advantages(rewards())
    if found.shape != right.shape:
        return found
    expect(not found.isnan().any(), NO_CHANCE)
    for correction in (0, 1):
        if torch.allclose(found, right_advantages(rewards(), correction), atol=1e-3):
            return right
    return found


def either(way: Callable[[Tensor, int], Tensor]) -> list[Callable[[Tensor], Tensor]]:
    """It with a deviation that divides by the number of answers, and with PyTorch's own."""
    return [lambda r: way(r, 0), lambda r: way(r, 1)]


NO_CHANCE = (
    "The last group has no answer that is better than another: 0 / 0. Its advantages should be 0: "
    "add something tiny to what you divide by."
)
COLUMN = "A mean for each row has to stay a column: `keepdim=True`."
my_advantages = Exercise(
    "my_advantages",
    "Exercise: rewards (p, g) of g answers to each of p prompts -> their advantages, (p, g).",
    inputs=lambda: (rewards(),),
    right=[
        *either(right_advantages),
        lambda r: (r - mean(r)) / (r.std(dim=1, correction=0, keepdim=True) + 1e-4),
    ],
    not_allowed=("advantages",),
    borrowed=[lambda r: torch.stack([advantages(row) for row in r])],
    read=as_one,
    errors={"must match the size": COLUMN},
    mistakes={NO_CHANCE: [lambda r: (r - mean(r)) / r.std(dim=1, keepdim=True)]},
    slips={
        COLUMN: [lambda r: (r - r.mean(dim=1)) / r.std(dim=1)],
        "These are the rewards: what is an answer worth *compared with the others*?": [lambda r: r],
        "The mean is off. Now divide by the standard deviation of the group.": [
            lambda r: r - mean(r)
        ],
        "The sign: what is better than its group has more than 0.": either(
            lambda r, correction: -right_advantages(r, correction)
        ),
        "You mix the prompts: each group has a mean and a deviation of its own.": either(
            lambda r, correction: (r - r.mean()) / (r.std(correction=correction) + 1e-6)
        ),
        "The wrong axis: a group is a row, the answers to one prompt.": either(
            lambda r, correction: right_advantages(r.T, correction).T
        ),
        "The group's mean isn't taken off.": either(
            lambda r, correction: r / deviation(r, correction)
        ),
        "Divide by the standard deviation, not by its square.": either(
            lambda r, correction: (r - mean(r)) / deviation(r, correction) ** 2
        ),
        "Divide by the standard deviation: you multiply.": either(
            lambda r, correction: (r - mean(r)) * deviation(r, correction)
        ),
    },
)


# --- losses with a planted fault ------------------------------------------------------------------

NONE, SIGN, LARGER, ONE_SIDE = (
    "none",
    "its sign",
    "takes the larger of the two",
    "clips above only",
)
FAULTS = (NONE, SIGN, LARGER, ONE_SIDE)
PLANTED = {"A": LARGER, "B": NONE, "C": ONE_SIDE}
MEASURE = {
    "A": "Advantage 1, ratio 3: where should the gain stop growing?",
    "B": "Try advantages of 1 and -1, ratios of 0.5, 1 and 3, and compare with `policy_loss`.",
    "C": "Advantage -1, ratio 0.5: this word has become rare enough. What does the loss say?",
}
Loss = Callable[[float, float], float]


def suspects() -> dict[str, Loss]:
    """Three losses of one word: of its ratio p_new / p_old and its advantage -> a number."""

    def loss(fault: str) -> Loss:
        def of_a_word(ratio: float, advantage: float) -> float:
            low = 0.0 if fault == ONE_SIDE else 0.8
            both = ratio * advantage, min(max(ratio, low), 1.2) * advantage
            return -(max(both) if fault == LARGER else min(both))

        return of_a_word

    return {name: loss(fault) for name, fault in PLANTED.items()}


@exercise
def diagnose(verdict: Any) -> None:
    """Which fault has each of the `suspects`?"""
    for name, said in wrong_verdicts(verdict, PLANTED, FAULTS).items():
        if said == SIGN:
            raise Hint(f"{name}: where the ratio is 1, it is minus the advantage, as it should be.")
        sure = f"{name} isn't sound. " if said == NONE else f"{name} has another fault, or none. "
        raise Hint(sure + MEASURE[name])


# --- tries ----------------------------------------------------------------------------------------


def is_no_chance(found: float, right: float) -> None:
    raise Hint(f"Not {found:.4g}: of all ways to take k of the tries, in which share is one right?")


my_pass_at_k = Exercise(
    "my_pass_at_k",
    "Exercise: tries that were drawn, how many of them are right, k -> pass@k without bias.",
    inputs=lambda: (10, 3, 4),
    right=[
        lambda n, r, k: 1 - math.comb(n - r, k) / math.comb(n, k),
        lambda n, r, k: 1 - math.prod((n - r - i) / (n - i) for i in range(k)),
    ],
    not_allowed=("pass_at_k",),
    borrowed=[pass_at_k],
    read=a_number,
    slips={
        "Near, but each try is put back there: with the same few tries it is too low. Of the tries "
        "that were drawn, k *different* ones are taken.": [lambda n, r, k: 1 - (1 - r / n) ** k],
        "That is the chance that all k are wrong.": [
            lambda n, r, k: math.comb(n - r, k) / math.comb(n, k)
        ],
        "That is pass@1.": [lambda n, r, k: r / n],
        "Chances don't add up: two of the k can be right at once.": [
            lambda n, r, k: min(1.0, k * r / n)
        ],
        "That is the chance that all k are right.": [lambda n, r, k: (r / n) ** k],
        "That is the chance that exactly one is right: more than one is enough, too.": [
            lambda n, r, k: r * math.comb(n - r, k - 1) / math.comb(n, k)
        ],
        "Count the choices of k in which *all* are wrong, and take their share from 1.": [
            lambda n, r, k: r / math.comb(n, k)
        ],
        ELSEWHERE: [lambda n, r, k: 1 - 35 / 210],
    },
    unlike=is_no_chance,
    elsewhere={ELSEWHERE: lambda: (6, 5, 2)},  # two wrong ones can't be taken
)


# --- a design -------------------------------------------------------------------------------------

BEST, PASSED, FREE, LEASH = (
    "best of 16",
    "trained on what passed",
    "KL 0",
    "KL 0.3",
)
WAYS = (BEST, PASSED, FREE, LEASH)
DESIGNS = {"A": BEST, "B": FREE, "C": PASSED}
LOOK = {
    "A": "The judge may be asked for each sentence. Of the rows with more than nine in ten right, "
    "which has most words in use?",
    "B": "No judge, and variety counts for nothing: which run writes the most "
    "sentences without a mistake?",
    "C": "No judge. Of the three training runs, which keeps most of the *because*?",
}


@exercise
def designs(chosen: Any) -> None:
    """Which way for which wish? By the figures of sections 5 and 6."""
    for name in wrong_verdicts(chosen, DESIGNS, WAYS):
        raise Hint(f"{name}: another way fits better. {LOOK[name]}")
