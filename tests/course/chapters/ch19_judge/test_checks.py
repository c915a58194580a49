"""The exercises of notebook 19: what is right passes, and each mistake gets its own hint."""

import math

import pytest
import torch

from course import experiments
from course.chapters.ch19_judge import checks as check
from course.chapters.ch19_judge.experiments import by_way
from course.chapters.ch19_judge.policy import advantages, policy_loss
from tests.course.checks.saying import said


def mean(r):
    return r.mean(dim=1, keepdim=True)


def deviation(r, correction=0):
    return r.std(dim=1, correction=correction, keepdim=True)


ADVANTAGES = {
    "right": (lambda r: (r - mean(r)) / (deviation(r) + 1e-6), "right!"),
    "another tiny number": (lambda r: (r - mean(r)) / (deviation(r) + 1e-4), "right!"),
    "PyTorch's deviation": (lambda r: (r - mean(r)) / (deviation(r, 1) + 1e-8), "right!"),
    "0 / 0": (lambda r: (r - mean(r)) / deviation(r), "should be 0"),
    "rewards": (lambda r: r, "compared with the others"),
    "mean only": (lambda r: r - mean(r), "Now divide"),
    "sign": (lambda r: (mean(r) - r) / (deviation(r) + 1e-6), "The sign"),
    "all prompts": (lambda r: (r - r.mean()) / (r.std(correction=0) + 1e-6), "mix the prompts"),
    "no mean": (lambda r: r / (deviation(r) + 1e-6), "mean isn't taken off"),
    "variance": (lambda r: (r - mean(r)) / (deviation(r) ** 2 + 1e-6), "not by its square"),
    "times": (lambda r: (r - mean(r)) * deviation(r), "you multiply"),
    "no column": (lambda r: (r - r.mean(dim=1)) / r.std(dim=1), "keepdim=True"),
    "sign, PyTorch's": (lambda r: (mean(r) - r) / (deviation(r, 1) + 1e-6), "The sign"),
    "all, PyTorch's": (lambda r: (r - r.mean()) / (r.std() + 1e-6), "mix the prompts"),
    "no mean, PyTorch's": (lambda r: r / (deviation(r, 1) + 1e-6), "mean isn't taken off"),
    "variance, PyTorch's": (lambda r: (r - mean(r)) / (r.var(1)[:, None] + 1e-6), "its square"),
    "columns": (lambda r: (r - r.mean(0)) / (r.std(0) + 1e-6), "wrong axis"),
    "borrowed": (lambda r: torch.stack([advantages(row) for row in r]), "does the whole"),
    "stub": (lambda r: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", ADVANTAGES)
def test_my_advantages(capsys, name):
    function, hint = ADVANTAGES[name]
    assert hint in said(capsys, check.my_advantages, function)


def test_the_right_advantages_are_those_of_the_chapter():
    given = check.rewards()
    torch.testing.assert_close(
        check.right_advantages(given), torch.stack([advantages(row) for row in given])
    )


PLACES = [(ratio, gain) for ratio in (0.1, 0.5, 0.9, 1.0, 1.1, 3.0) for gain in (1.0, -1.0, 2.0)]


def ours(ratio: float, gain: float) -> float:
    new = torch.tensor([[math.log(ratio) - 1]])
    return policy_loss(new, torch.tensor([[-1.0]]), torch.tensor([gain])).item()


def test_the_suspects_have_the_faults_that_are_planted():
    suspects = check.suspects()
    for name, fault in check.PLANTED.items():
        differs = [
            (ratio, gain)
            for ratio, gain in PLACES
            if not math.isclose(suspects[name](ratio, gain), ours(ratio, gain), abs_tol=1e-5)
        ]
        assert bool(differs) == (fault != check.NONE)
        if fault == check.ONE_SIDE:
            assert all(gain < 0 and ratio < 0.8 for ratio, gain in differs)


@pytest.mark.parametrize(
    "verdict, hint",
    [
        (check.PLANTED, "right!"),
        (dict.fromkeys("ABC", ...), "not tried yet"),
        (check.PLANTED | {"A": "none"}, "A isn't sound"),
        (check.PLANTED | {"B": check.LARGER}, "B has another fault, or none"),
        (check.PLANTED | {"C": check.SIGN}, "minus the advantage"),
        (check.PLANTED | {"C": "typo"}, "choose one of"),
    ],
)
def test_diagnose(capsys, verdict, hint):
    assert hint in said(capsys, check.diagnose, verdict)


TRIES = {
    "right": (lambda n, r, k: 1 - math.comb(n - r, k) / math.comb(n, k), "right!"),
    "put back": (lambda n, r, k: 1 - (1 - r / n) ** k, "put back"),
    "all wrong": (lambda n, r, k: math.comb(n - r, k) / math.comb(n, k), "all k are wrong"),
    "one": (lambda n, r, k: r / n, "pass@1"),
    "sum": (lambda n, r, k: min(1, k * r / n), "Chances don't add up"),
    "exactly one": (
        lambda n, r, k: r * math.comb(n - r, k - 1) / math.comb(n, k),
        "exactly one is right",
    ),
    "all right": (lambda n, r, k: (r / n) ** k, "all k are right"),
    "for these only": (lambda n, r, k: 1 - 35 / 210, "other inputs"),
    "stub": (lambda n, r, k: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", TRIES)
def test_my_pass_at_k(capsys, name):
    function, hint = TRIES[name]
    assert hint in said(capsys, check.my_pass_at_k, function)


@pytest.mark.parametrize(
    "chosen, hint",
    [
        (check.DESIGNS, "right!"),
        (dict.fromkeys("ABC", ...), "not tried yet"),
        (check.DESIGNS | {"A": check.FREE}, "A: another way"),
        (check.DESIGNS | {"C": check.LEASH}, "keeps most of the *because*"),
    ],
)
def test_designs(capsys, chosen, hint):
    assert hint in said(capsys, check.designs, chosen)


def test_the_designs_are_the_best_by_what_was_measured():
    of = by_way(experiments.load("judge"))

    def told(way: str, what: str) -> list[float]:
        return [run[what] for run in of[way]]

    # A: the judge at hand: as right as the best, and more words in use than where that is so, too
    assert min(told(check.BEST, "right")) > 0.9 > max(told(check.LEASH, "right"))
    assert max(told(check.PASSED, "right")) < 0.6
    assert min(told(check.BEST, "words")) > 5 * max(told(check.FREE, "words"))
    # B: right without a judge
    assert min(told(check.FREE, "right")) > max(told(check.LEASH, "right"))
    assert min(told(check.FREE, "right")) > max(told(check.PASSED, "right"))
    # C: right twice as often as the start, and most because of the trainings
    start = told(check.BEST, "before")  # of 3,840 sentences
    assert all(a >= 2 * b for a, b in zip(told(check.PASSED, "right"), start, strict=True))
    assert min(told(check.PASSED, "because")) > max(told(check.LEASH, "because"))
