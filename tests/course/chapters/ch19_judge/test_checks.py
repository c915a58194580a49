"""What the exercises of notebook 19 take for right is what was measured."""

import math

import torch

from course import experiments
from course.chapters.ch19_judge import checks as check
from course.chapters.ch19_judge.experiments import by_way
from course.chapters.ch19_judge.policy import policy_loss

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
