"""The exercises of notebook 19: advantages, losses with a planted fault, tries, and a design."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course.chapters.ch19_judge.policy import pass_at_k
from course.checks import (
    Hint,
    a_kind,
    call,
    compare,
    elsewhere,
    exercise,
    expect,
    implement,
    no_slip,
    one_number,
    own_work,
    result_of,
    wrong_verdicts,
)


def rewards() -> Tensor:
    """Rewards for three prompts, four answers each; in the last group all are wrong."""
    return torch.tensor([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]])


def right_advantages(rewards: Tensor, correction: int = 0) -> Tensor:
    """(p, g): each group by its own mean and standard deviation."""
    centered = rewards - rewards.mean(dim=1, keepdim=True)
    return centered / (rewards.std(dim=1, correction=correction, keepdim=True) + 1e-6)


@implement(lambda: (rewards(),))
def my_advantages(function: Callable[[Tensor], Tensor]) -> None:
    """Exercise: rewards (p, g) of g answers to each of p prompts -> their advantages, (p, g)."""
    own_work(function, "advantages")
    given = rewards()
    stops = {"must match the size": "A mean for each row has to stay a column: `keepdim=True`."}
    found = call(function, given, stops=stops)
    if found.shape == given.shape:
        expect(
            not found.isnan().any(),
            "The last group has no answer that is better than another: 0 / 0. Its advantages "
            "should be 0: add something tiny to what you divide by.",
        )
    centered = given - given.mean(dim=1, keepdim=True)
    mistakes = [
        (given, "These are the rewards: what is an answer worth *compared with the others*?"),
        (centered, "The mean is off. Now divide by the standard deviation of the group."),
    ]
    for correction in (0, 1):  # PyTorch's own default is 1
        deviation = given.std(dim=1, correction=correction, keepdim=True)
        whole = (given - given.mean()) / (given.std(correction=correction) + 1e-6)
        mistakes += [
            (
                -right_advantages(given, correction),
                "The sign: what is better than its group has more than 0.",
            ),
            (whole, "You mix the prompts: each group has a mean and a deviation of its own."),
            (
                right_advantages(given.T, correction).T,
                "The wrong axis: a group is a row, the answers to one prompt.",
            ),
            (given / (deviation + 1e-6), "The group's mean isn't taken off."),
            (
                centered / (deviation**2 + 1e-6),
                "Divide by the standard deviation, not by its square.",
            ),
            (centered * deviation, "Divide by the standard deviation: you multiply."),
        ]
    sample = right_advantages(given, correction=1)  # PyTorch's own default: as good
    right = sample if torch.allclose(found, sample, atol=1e-3) else right_advantages(given)
    if found.shape == right.shape and torch.allclose(found, right, atol=1e-3):
        found = right  # whatever tiny number was added
    compare(found, right, mistakes)


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

DRAWN, RIGHT, K = 10, 3, 4


@implement(lambda: (DRAWN, RIGHT, K))
def my_pass_at_k(function: Callable[[int, int, int], float]) -> None:
    """Exercise: tries that were drawn, how many of them are right, k -> pass@k without bias."""
    own_work(function, "pass_at_k")
    found = result_of(function, DRAWN, RIGHT, K)
    found = one_number(found, f"It should return one number, not {a_kind(found)}.")
    share = RIGHT / DRAWN
    mistakes = [
        (
            1 - (1 - share) ** K,
            "Near, but each try is put back there: with the same few tries it "
            "is too low. Of the tries that were drawn, k *different* ones are taken.",
        ),
        (1 - pass_at_k(DRAWN, RIGHT, K), "That is the chance that all k are wrong."),
        (share, "That is pass@1."),
        (min(1.0, K * share), "Chances don't add up: two of the k can be right at once."),
        (share**K, "That is the chance that all k are right."),
        (
            RIGHT * math.comb(DRAWN - RIGHT, K - 1) / math.comb(DRAWN, K),
            "That is the chance that exactly one is right: more than one is enough, too.",
        ),
        (
            math.comb(RIGHT, 1) / math.comb(DRAWN, K),
            "Count the choices of k in which *all* are wrong, and take their share from 1.",
        ),
    ]
    for mistake, hint in mistakes:
        no_slip(not math.isclose(found, mistake, rel_tol=1e-6), hint)
    expect(
        math.isclose(found, pass_at_k(DRAWN, RIGHT, K), rel_tol=1e-6),
        f"Not {found:.4g}: of all ways to take k of the tries, in which share is one right?",
    )
    elsewhere(function, pass_at_k(6, 5, 2), 6, 5, 2)  # two wrong ones can't be taken


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
