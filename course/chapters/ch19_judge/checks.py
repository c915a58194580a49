"""The exercises of notebook 19: the loss of DPO, and tries."""

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, softplus

from course.chapters.ch19_judge.experiment_preferences import dpo_loss
from course.chapters.ch19_judge.policy import pass_at_k
from course.checks import ELSEWHERE, Exercise, a_number, not_this

# --- the loss of DPO ------------------------------------------------------------------------------


def two_rows() -> tuple[Tensor, Tensor, float]:
    """log p of three preferred sentences and of the others: now, and at the start."""
    new = torch.tensor([[-9.0, -12.0, -7.0], [-11.0, -10.0, -8.5]])
    return new, torch.tensor([[-10.0, -11.0, -8.5], [-10.5, -10.5, -7.0]]), 0.4


def gains(new: Tensor, start: Tensor) -> Tensor:
    """How much more log p of the preferred sentence has gained than that of the other."""
    return (new - start)[0] - (new - start)[1]


def of_gains(loss: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Tensor, float], Tensor]:
    """A loss of what each pair has gained, times beta."""
    return lambda new, start, beta: loss(beta * gains(new, start))


my_dpo_loss = Exercise(
    "my_dpo_loss",
    "Exercise: log p of n pairs, now and by the starting model, (2, n), preferred first; beta.",
    inputs=two_rows,
    right=[
        of_gains(lambda gained: -logsigmoid(gained).mean()),
        of_gains(lambda gained: softplus(-gained).mean()),
        of_gains(lambda gained: -gained.sigmoid().log().mean()),
        lambda new, start, beta: -(beta * (new - start)).log_softmax(dim=0)[0].mean(),
    ],
    not_allowed=("dpo_loss",),
    borrowed=[dpo_loss],
    read=a_number,
    slips={
        "The sign inside: this loss pushes the *other* sentence up.": [
            of_gains(lambda gained: -logsigmoid(-gained).mean())
        ],
        "A loss is made small: minus the logarithm.": [
            of_gains(lambda gained: logsigmoid(gained).mean())
        ],
        "The starting model is left out: what counts is how much each sentence has *gained*, "
        "ln p minus ln p by the starting model.": [
            lambda new, start, beta: -logsigmoid(beta * (new[0] - new[1])).mean()
        ],
        "β multiplies the difference, inside of the sigmoid.": [
            lambda new, start, beta: -beta * logsigmoid(gains(new, start)).mean(),
            lambda new, start, beta: -logsigmoid(gains(new, start)).mean(),
            lambda new, start, beta: -logsigmoid(gains(new, start) / beta).mean(),
        ],
        "That is minus the probability of the preference. Take minus its logarithm.": [
            of_gains(lambda gained: -gained.sigmoid().mean())
        ],
        "You have logarithms already, so a ratio of probabilities is a difference.": [
            lambda new, start, beta: (
                -logsigmoid(beta * (new[0] / start[0] - new[1] / start[1])).mean()
            ),
        ],
        "The logarithm of the ratio, not the ratio: no `exp`.": [
            lambda new, start, beta: -logsigmoid(beta * gains(new.exp(), start.exp())).mean(),
            lambda new, start, beta: (
                -logsigmoid(beta * ((new - start).exp()[0] - (new - start).exp()[1])).mean()
            ),
        ],
        "The mean over the pairs, not their sum.": [
            of_gains(lambda gained: -logsigmoid(gained).sum())
        ],
    },
)


# --- tries ----------------------------------------------------------------------------------------


my_pass_at_k = Exercise(
    "my_pass_at_k",
    "Exercise: tries that were drawn, how many of them are correct, k -> pass@k without bias.",
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
        "That is the probability that all k are wrong.": [
            lambda n, r, k: math.comb(n - r, k) / math.comb(n, k)
        ],
        "That is pass@1.": [lambda n, r, k: r / n],
        "Probabilities don't add up: two of the k can be correct at once.": [
            lambda n, r, k: min(1.0, k * r / n)
        ],
        "That is the probability that all k are correct.": [lambda n, r, k: (r / n) ** k],
        "That is the probability that exactly one is correct: more than one is enough, too.": [
            lambda n, r, k: r * math.comb(n - r, k - 1) / math.comb(n, k)
        ],
        "Count the choices of k in which *all* are wrong, and take their share from 1.": [
            lambda n, r, k: r / math.comb(n, k)
        ],
        ELSEWHERE: [lambda n, r, k: 1 - 35 / 210],
    },
    unlike=not_this("of all ways to take k of the tries, in which share is one correct?"),
    elsewhere={ELSEWHERE: lambda: (6, 5, 2)},  # two wrong ones can't be taken
)
