"""The exercises of notebook 15: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch15_heads_on_real_text import checks as check
from tests.course.checks.saying import said


def right(before, after, goal):
    return (after - before).mean() / (goal - before).mean()


def by_loop(before, after, goal):
    moved = way = 0.0
    for a, b, c in zip(before.tolist(), after.tolist(), goal.tolist(), strict=True):
        moved, way = moved + b - a, way + c - a
    return moved / way


RESTORED = {
    "tensor": (right, "right!"),
    "loop": (by_loop, "right!"),
    "sums": (lambda b, a, g: float((a - b).sum() / (g - b).sum()), "right!"),
    "moved": (lambda b, a, g: (a - b).mean(), "Of what way?"),
    "percent": (lambda b, a, g: 100 * right(b, a, g), "As a share"),
    "sign": (lambda b, a, g: -right(b, a, g), "sign is turned"),
    "rest": (lambda b, a, g: 1 - right(b, a, g), "still to go"),
    "from zero": (lambda b, a, g: (a - b).mean() / g.mean(), "not at 0"),
    "not moved": (lambda b, a, g: a.mean() / (g - b).mean(), "did it *move*"),
    "single": (lambda b, a, g: ((a - b) / (g - b)).mean(), "Take means first"),
    "each": (lambda b, a, g: (a - b) / (g - b), "mean over the sentences"),
    "other": (lambda b, a, g: 0.123, "Not 0.123"),
    "text": (lambda b, a, g: "much", "one number, not a str"),
    "nothing": (lambda b, a, g: None, "returns nothing"),
    "stub": (lambda b, a, g: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", RESTORED)
def test_my_restored(capsys, name):
    function, hint = RESTORED[name]
    assert hint in said(capsys, check.my_restored, function)


def lens(states, norm, generator, ids):
    hits = [generator(norm(state)).argmax(dim=-1) == ids for state in states]
    return torch.stack(hits).float().mean(dim=1)


def without_norm(states, norm, generator, ids):
    return lens(states, lambda x: x, generator, ids)


LENS = {
    "tensor": (lens, "right!"),
    "list": (lambda *a: lens(*a).tolist(), "right!"),
    "tuple of tensors": (lambda *a: tuple(lens(*a)), "right!"),
    "no norm": (without_norm, "put each state through it first"),
    "counts": (lambda *a: 7 * lens(*a), "how many are right"),
    "unlikeliest": (lambda s, n, g, i: lens(s, n, lambda x: -g(x), i), "unlikeliest"),
    "order": (lambda s, n, g, i: lens(s[::-1], n, g, i), "wrong order"),
    "each": (
        lambda s, n, g, i: torch.stack([g(n(x)).argmax(dim=-1) == i for x in s]),
        "for each sentence",
    ),
    "one": (lambda *a: lens(*a)[-1], "one share for each"),
    "number": (lambda *a: 0.5, "a share for each layer, not a float"),
    "nothing": (lambda *a: None, "returns nothing"),
    "stub": (lambda *a: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", LENS)
def test_my_lens(capsys, name):
    function, hint = LENS[name]
    assert hint in said(capsys, check.my_lens, function)


def test_no_two_mistakes_come_to_the_same():
    one = check.Example()
    several = [one.shares(), one.shares(norm=False), one.shares(turn=-1), one.shares().flip(0)]
    for i, a in enumerate(several):
        assert all(not torch.allclose(a, b) for b in several[:i])
