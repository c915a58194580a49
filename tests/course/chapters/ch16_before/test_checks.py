"""The exercises of notebook 16: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch16_before import checks as check
from course.chapters.ch16_before.checks import read
from tests.course.checks.saying import said


def by_cells(forward, backward, words, start):
    """With a list for each direction, as a reader may write it."""
    left, right, state = [], [None] * len(words), start
    for each in words:
        state = forward(each, state)
        left.append(state)
    state = start
    for i in range(len(words) - 1, -1, -1):
        state = backward(words[i], state)
        right[i] = state
    return torch.stack([torch.cat(pair) for pair in zip(left, right, strict=True)])


def cat(left, right):
    return torch.cat([left, right], dim=-1)


def back(step, words, start):
    return read(step, words.flip(0), start).flip(0)


def handed(f, b, w, start):
    left = read(f, w, start)
    return cat(left, back(b, w, left[-1]))


BOTH = {
    "right": (check.right_both_ways, "right!"),
    "by cells": (by_cells, "right!"),
    "not turned back": (
        lambda f, b, w, s: cat(read(f, w, s), read(b, w.flip(0), s)),
        "turn them back",
    ),
    "both from the left": (
        lambda f, b, w, s: cat(read(f, w, s), read(b, w, s)),
        "begin with the last word",
    ),
    "halves": (lambda f, b, w, s: cat(back(b, w, s), read(f, w, s)), "halves are swapped"),
    "one after the other": (handed, "a beginning of its own"),
    "nothing handed on": (
        lambda f, b, w, s: torch.stack([torch.cat([f(x, s), b(x, s)]) for x in w]),
        "handed on",
    ),
    "one step for both": (lambda f, b, w, s: check.right_both_ways(f, f, w, s), "use `forward`"),
    "last states": (
        lambda f, b, w, s: torch.cat([read(f, w, s)[-1], back(b, w, s)[0]]),
        "the last states",
    ),
    "One is below the other": (
        lambda f, b, w, s: torch.cat([read(f, w, s), back(b, w, s)]),
        "One is below the other",
    ),
    "added": (lambda f, b, w, s: read(f, w, s) + back(b, w, s), "are added"),
    "these words only": (
        lambda f, b, w, s: check.right_both_ways(check.one_way, check.other_way, w, s),
        "other inputs",
    ),
    "stops": (lambda f, b, w, s: f(w), "Called with one_way, other_way, (4, 2), (3,), it stops"),
    "nothing": (lambda f, b, w, s: None, "returns nothing"),
    "stub": (lambda f, b, w, s: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", BOTH)
def test_my_both_ways(capsys, name):
    function, hint = BOTH[name]
    assert hint in said(capsys, check.my_both_ways, function)


def test_it_is_what_pytorch_computes():
    torch.manual_seed(0)
    gru = torch.nn.GRU(2, 3, bidirectional=True)
    cells = [torch.nn.GRUCell(2, 3), torch.nn.GRUCell(2, 3)]
    for cell, end in zip(cells, ("", "_reverse"), strict=True):
        cell.load_state_dict(
            {
                name.removesuffix(f"_l0{end}"): weight
                for name, weight in gru.state_dict().items()
                if name.endswith(f"_l0{end}")
            }
        )
    words = torch.randn(5, 2)
    torch.testing.assert_close(check.right_both_ways(*cells, words, torch.zeros(3)), gru(words)[0])


def by_stamps(source, target, layers):
    """The moment at which each state is known: one after the latest of all that it needs."""

    def run(ready, moment):
        moments = []
        for word in ready:
            moment = 1 + max(moment, word)
            moments.append(moment)
        return moments

    words, ends = [0] * source, []
    for _ in range(layers):
        left, right = run(words, 0), run(words[::-1], 0)
        words = [max(pair) for pair in zip(left, right[::-1], strict=True)]
        ends.append(max(left[-1], right[-1]))
    words = [0] * target
    for end in ends:
        words = run(words, end)
    return words[-1]


WAITING = {
    "right": (check.right_waiting, "right!"),
    "by stamps": (by_stamps, "right!"),
    "layer of the decoder": (lambda s, t, n: n * (s + t), "needn't wait for the end of another"),
    "directions": (lambda s, t, n: 2 * n * s + t, "side by side"),
    "both": (lambda s, t, n: 2 * n * s + n * t, "Two things"),
    "one layer": (lambda s, t, n: s + t, "one layer on each side"),
    "other way round": (lambda s, t, n: s + n * t, "The other way round"),
    "closely": (lambda s, t, n: s + n - 1 + t, "can't follow closely"),
    "encoder alone": (lambda s, t, n: n * s, "That is the encoder"),
    "the top one later": (lambda s, t, n: n * s + t + n - 1, "when the top one"),
    "a Transformer": (lambda s, t, n: 2 * n, "not for words"),
    "a guess": (lambda s, t, n: 5, "Not 5"),
    "this model only": (lambda s, t, n: 3 * s + t, "other inputs"),
    "text": (lambda s, t, n: "many", "one number"),
    "nothing": (lambda s, t, n: None, "returns nothing"),
    "stub": (lambda s, t, n: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", WAITING)
def test_my_waiting(capsys, name):
    function, hint = WAITING[name]
    assert hint in said(capsys, check.my_waiting, function)


def test_the_formula_is_what_the_stamps_say():
    sizes = [(s, t, n) for s in (1, 2, 5, 9) for t in (1, 3, 8) for n in (1, 2, 4)]
    assert all(check.right_waiting(*size) == by_stamps(*size) for size in sizes)
