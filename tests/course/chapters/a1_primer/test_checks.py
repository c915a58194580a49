"""The exercises of the primer: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.a1_primer import checks as check
from tests.course.checks.saying import said

RIGHT = {"A": "gradients pile up", "B": "no step", "C": "sound"}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (RIGHT, "right!"),
        (dict.fromkeys("ABC", ...), "not tried yet"),
        ({**RIGHT, "C": ...}, "C: still to be measured"),
        ({**RIGHT, "A": "broken"}, "A: choose one of sound, no step"),
        ({**RIGHT, "B": "sound", "C": "no step"}, "B never changes its slope"),
        ({**RIGHT, "A": "sound", "C": "gradients pile up"}, "shoots past it"),
        ({**RIGHT, "A": "sound"}, "add up from step to step"),
        ({"A": "sound"}, "a kind for each of them"),
        (5, "a kind for each of them"),
    ],
)
def test_faults(capsys, found, words):
    assert words in said(capsys, check.faults, found)


def test_the_loops_have_the_faults_that_are_named():
    piling, idle, sound = (check.train(name, 60) for name in "ABC")
    assert {slope for slope, _ in idle} == {0.0}
    assert abs(sound[-1][0] - 2) < 0.05 and max(slope for slope, _ in sound) <= 2
    assert max(slope for slope, _ in piling) > 2.5
    assert piling[0] == sound[0] and piling[1][1] < sound[1][1]
    with pytest.raises(ValueError, match="no loop 'D'"):
        check.train("D", 1)


def by_loops(q, k):
    return torch.stack([torch.stack([k[b] @ word for word in q[b]]) for b in range(len(q))])


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda q, k: q @ k.transpose(-2, -1), "right!"),
        (lambda q, k: torch.einsum("bsd,btd->bst", q, k), "right!"),
        (lambda q, k: (q[:, :, None] * k[:, None]).sum(dim=-1), "right!"),
        (by_loops, "right!"),
        (lambda q, k: ..., "not tried yet"),
        (lambda q, k: q @ k, "turn two axes of k"),
        (lambda q, k: q @ k.transpose(0, 1), "turn two axes of k"),
        (lambda q, k: k @ q.transpose(-2, -1), "exchanged"),
        (lambda q, k: (q @ k.transpose(-2, -1))[0], "first sentence only"),
        (lambda q, k: q[:, :, None] @ k.transpose(-2, -1)[None], "shape"),
        (lambda q, k: -(q @ k.transpose(-2, -1)), "numbers aren't"),
        (lambda q, k: None, "`return`"),
    ],
)
def test_my_products(capsys, function, words):
    assert words in said(capsys, check.my_products, function)
