"""The exercises of notebook 19: advantages, the loss of DPO, and tries."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, softplus

from course.chapters.ch19_judge.policy import advantages, pass_at_k
from course.chapters.ch19_judge.preferences import dpo_loss
from course.checks import ELSEWHERE, Exercise, Hint, a_number, a_tensor, expect


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


# --- the loss of DPO ------------------------------------------------------------------------------


def two_rows() -> tuple[Tensor, Tensor, float]:
    """log p of three preferred sentences and of the others: now, and at the start."""
    new = torch.tensor([[-9.0, -12.0, -7.0], [-11.0, -10.0, -8.5]])
    return new, torch.tensor([[-10.0, -11.0, -8.5], [-10.5, -10.5, -7.0]]), 0.4


def gains(new: Tensor, start: Tensor) -> Tensor:
    """How much more log p of the preferred sentence has gained than that of the other."""
    return (new - start)[0] - (new - start)[1]


my_dpo_loss = Exercise(
    "my_dpo_loss",
    "Exercise: log p of sentences now and at the start, (2, b), the preferred ones first; beta.",
    inputs=two_rows,
    right=[
        lambda new, start, beta: -logsigmoid(beta * gains(new, start)).mean(),
        lambda new, start, beta: softplus(-beta * gains(new, start)).mean(),
        lambda new, start, beta: -(beta * gains(new, start)).sigmoid().log().mean(),
        lambda new, start, beta: -(beta * (new - start)).log_softmax(dim=0)[0].mean(),
    ],
    not_allowed=("dpo_loss",),
    borrowed=[dpo_loss],
    read=a_number,
    slips={
        "The sign inside: this loss pushes the *other* sentence up.": [
            lambda new, start, beta: -logsigmoid(-beta * gains(new, start)).mean()
        ],
        "A loss is made small: minus the logarithm.": [
            lambda new, start, beta: logsigmoid(beta * gains(new, start)).mean()
        ],
        "The start is left out: what counts is how much each sentence has *gained*, ln p minus "
        "ln p at the start.": [
            lambda new, start, beta: -logsigmoid(beta * (new[0] - new[1])).mean()
        ],
        "β multiplies the difference, inside of the sigmoid.": [
            lambda new, start, beta: -beta * logsigmoid(gains(new, start)).mean(),
            lambda new, start, beta: -logsigmoid(gains(new, start)).mean(),
            lambda new, start, beta: -logsigmoid(gains(new, start) / beta).mean(),
        ],
        "That is minus the probability of the preference. Take minus its logarithm.": [
            lambda new, start, beta: -(beta * gains(new, start)).sigmoid().mean()
        ],
        "You have logarithms already, so a ratio of probabilities is a difference.": [
            lambda new, start, beta: (
                -logsigmoid(beta * (new[0] / start[0] - new[1] / start[1])).mean()
            ),
        ],
        "The logarithm of the ratio, not the ratio: no `exp`.": [
            lambda new, start, beta: -logsigmoid(beta * gains(*(new.exp(), start.exp()))).mean(),
            lambda new, start, beta: (
                -logsigmoid(beta * ((new - start).exp()[0] - (new - start).exp()[1])).mean()
            ),
        ],
        "The mean over the pairs, not their sum.": [
            lambda new, start, beta: -logsigmoid(beta * gains(new, start)).sum()
        ],
    },
)


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
