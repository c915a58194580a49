"""Exercises of notebook 10: right answers pass, each classic mistake gets its own hint."""

import math

import pytest
import torch
from torch.nn.functional import cross_entropy, one_hot

from tests.checks.saying import said
from transformer_lib import label_smoothed_cross_entropy, paper_schedule
from transformer_lib.checks import training as check


@pytest.mark.parametrize("guess", [[6.91, 0.69, 250], (math.log(1000), math.log(2), 250.0)])
def test_three_numbers_right(capsys, guess):
    assert said(capsys, check.three_numbers, guess) == "right!"


@pytest.mark.parametrize(
    "guess, hint",
    [
        (..., "not tried yet"),
        ([0.69, 6.91, 250], "exchanged"),
        ([-6.91, -0.69, 250], "*minus*"),
        ([3.0, 0.30, 250], "base 10"),
        ([9.97, 1.0, 250], "base 2"),
        ([0.001, 0.5, 250], "is the probability"),
        ([5.0, 0.69, 250], "The first"),
        ([6.91, 0.5, 250], "The second"),
        ([6.91, 0.69, 1000], "counts updates"),
        ([6.91, 0.69, 4000], "divide"),
        ([6.91, 0.69, 251], "count from 1"),
        ([6.91, 0.69, 7], "how many updates"),
        ([6.91, 0.69], "three numbers"),
        ("a lot", "three numbers"),
        (None, "three numbers"),
    ],
)
def test_three_numbers_wrong(capsys, guess, hint):
    answer = said(capsys, check.three_numbers, guess)
    assert hint in answer and "right!" not in answer


@pytest.mark.parametrize(
    "function",
    [
        lambda ids: ([1] + ids, ids + [2]),
        lambda ids: (torch.tensor([1, *ids]), torch.tensor([*ids, 2])),
        lambda ids: ((1, *ids), (*ids, 2)),
    ],
)
def test_my_shift_right(capsys, function):
    assert said(capsys, check.my_shift, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda ids: ..., "not tried yet"),
        (lambda ids: ([1, *ids, 2], [1, *ids, 2]), "copy what it reads"),
        (lambda ids: ([*ids, 2], [*ids, 2]), "Put <bos> in front"),
        (lambda ids: (ids, ids), "<bos> and <eos> are missing"),
        (lambda ids: ([*ids, 2], [1, *ids]), "exchanged"),
        (lambda ids: ([1, *ids, 2], [*ids, 2]), "one too long"),
        (lambda ids: ([1, *ids], [1, *ids, 2]), "need not be predicted"),
        (lambda ids: ([1, *ids], ids), "The end must be learned"),
        (lambda ids: ([1, *ids[:-1]], ids), "read the last word"),
        (lambda ids: ([1, *ids], [*ids[1:], 2]), "Shifted twice"),
        (lambda ids: ([1, *ids], [*ids[1:], 2, 0]), "Shifted twice"),
        (lambda ids: ([1, 1, *ids], [*ids, 2]), "one <bos> is enough"),
        (lambda ids: ([2, *ids], [*ids, 2]), "begins with <bos>"),
        (lambda ids: ([1, *ids], [*ids, 1]), "ends with <eos>"),
        (lambda ids: ([1, *ids], [2]), "needs one to predict"),
        (lambda ids: ([1, *ids], [*ids[::-1], 2]), "it should read [1, 7, 5, 11]"),
        (lambda ids: None, "`return`"),
        (lambda ids: 5, "two lists"),
        (lambda ids: ([1, *ids],), "two lists"),
        (lambda ids: ids + 2, "TypeError"),
        (7, "the function itself"),
    ],
)
def test_my_shift_wrong(capsys, function, hint):
    answer = said(capsys, check.my_shift, function)
    assert hint in answer and "right!" not in answer


def by_loops(logits, target):
    losses = [
        -scores.log_softmax(0)[word]
        for row, words in zip(logits, target, strict=True)
        for scores, word in zip(row, words, strict=True)
        if word != 0
    ]
    return sum(losses) / len(losses)


def ce(logits, target, **how):
    return cross_entropy(logits.transpose(1, 2), target, **how)


def real(target):
    return (target != 0).float()


@pytest.mark.parametrize(
    "function",
    [
        lambda logits, target: ce(logits, target, ignore_index=0),
        lambda logits, target: cross_entropy(
            logits.flatten(0, 1), target.flatten(), ignore_index=0
        ),
        lambda logits, target: label_smoothed_cross_entropy(logits, target, 0.0),
        by_loops,
    ],
)
def test_my_loss_right(capsys, function):
    assert said(capsys, check.my_loss, function) == "right!"


def probability(logits, target):
    return logits.softmax(-1).gather(-1, target[..., None])[..., 0]


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda x, y: ..., "not tried yet"),
        (lambda x, y: ce(x, y), "The padding counts too"),
        (lambda x, y: (ce(x, y, reduction="none") * real(y)).mean(), "still divide by all places"),
        (lambda x, y: ce(x, y, ignore_index=0, reduction="sum"), "That is the sum. Divide"),
        (lambda x, y: ce(x, y, reduction="sum"), "padding and all"),
        (
            lambda x, y: torch.stack(
                [by_loops(a[None], b[None]) for a, b in zip(x, y, strict=True)]
            ).mean(),
            "average each sentence first",
        ),
        (lambda x, y: ce(x.softmax(-1), y, ignore_index=0), "softmax is applied twice"),
        (lambda x, y: ce(x.softmax(-1), y), "and the padding counts"),
        (lambda x, y: -ce(x, y, ignore_index=0), "The sign"),
        (lambda x, y: probability(x, y)[y != 0].mean(), "mean probability"),
        (lambda x, y: -probability(x, y)[y != 0].mean().log(), "logarithm of the mean"),
        (lambda x, y: ce(x[:, :-1], y[:, 1:], ignore_index=0), "shifted again"),
        (lambda x, y: label_smoothed_cross_entropy(x, y), "with label smoothing"),
        (lambda x, y: by_loops(x, y) / math.log(2), "in bits"),
        (lambda x, y: ce(x, y, reduction="none"), "one number"),
        (lambda x, y: cross_entropy(x, y), "on axis 1"),
        (lambda x, y: torch.tensor(1.0), "numbers aren't"),
        (lambda x, y: None, "`return`"),
        (7, "the function itself"),
    ],
)
def test_my_loss_wrong(capsys, function, hint):
    answer = said(capsys, check.my_loss, function)
    assert hint in answer and "right!" not in answer


def scattered(target, vocab, eps):
    rows = torch.full((len(target), vocab), eps / vocab)
    rows[range(len(target)), target] += 1 - eps
    return rows


def hard(target, vocab):
    return one_hot(target, vocab).float()


@pytest.mark.parametrize(
    "function", [scattered, lambda y, V, eps: (1 - eps) * hard(y, V) + eps / V]
)
def test_my_smoothed_rows_right(capsys, function):
    assert said(capsys, check.my_smoothed_rows, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda y, V, e: ..., "not tried yet"),
        (lambda y, V, e: hard(y, V), "where is eps"),
        (lambda y, V, e: scattered(y, V, e)[0], "a row for each target"),
        (lambda y, V, e: scattered(y, V, e).T, "Turned"),
        (lambda y, V, e: torch.where(hard(y, V) > 0, 1 - e, e / V), "less than 1"),
        (lambda y, V, e: torch.where(hard(y, V) > 0, 1 - e, e / (V - 1)), "wrong words only"),
        (lambda y, V, e: torch.where(hard(y, V) > 0, 1 - e, e / (V - 2)), "vocab - 2. Here"),
        (lambda y, V, e: (1 - e) * hard(y, V) + e / (V - 1), "divide by vocab - 1"),
        (lambda y, V, e: (1 - e) * hard(y, V) + e / (V - 2), "divide by vocab - 2, but"),
        (lambda y, V, e: hard(y, V) + e / V, "give eps away first"),
        (lambda y, V, e: (1 - e) * hard(y, V) + e, "all of eps"),
        (lambda y, V, e: e * hard(y, V) + (1 - e) / V, "are exchanged"),
        (lambda y, V, e: scattered(y, V, 0.1), "isn't always 0.1"),
        (lambda y, V, e: scattered(y, V, e).log(), "logarithms"),
        (lambda y, V, e: torch.zeros(3, 2), "should be (3, 7)"),
        (lambda y, V, e: torch.zeros(3, 7), "numbers aren't"),
        (lambda y, V, e: None, "`return`"),
    ],
)
def test_my_smoothed_rows_wrong(capsys, function, hint):
    answer = said(capsys, check.my_smoothed_rows, function)
    assert hint in answer and "right!" not in answer


@pytest.mark.parametrize(
    "function",
    [
        lambda s, d, w: d**-0.5 * min(s**-0.5, s * w**-1.5),
        lambda s, d, w: (d * w) ** -0.5 * (s / w if s < w else math.sqrt(w / s)),
        lambda s, d, w: torch.tensor(paper_schedule(s, d, w), dtype=torch.float64),
    ],
)
def test_my_schedule_right(capsys, function):
    assert said(capsys, check.my_schedule, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda s, d, w: ..., "not tried yet"),
        (lambda s, d, w: d**-0.5 * min(s**-0.5, s * w**-0.5), "exponent -1.5, not -0.5"),
        (lambda s, d, w: d**-0.5 * min(s**-0.5, s * w**1.5), "*minus* 1.5"),
        (lambda s, d, w: d**-0.5 * min(s**-0.5, s / w), "not -1."),
        (lambda s, d, w: d**-0.5 * max(s**-0.5, s * w**-1.5), "not the larger"),
        (lambda s, d, w: d**-0.5 * s**-0.5, "no warm-up"),
        (lambda s, d, w: d**-0.5 * s * w**-1.5, "never falls"),
        (lambda s, d, w: min(s**-0.5, s * w**-1.5), "d_model is missing"),
        (lambda s, d, w: d**0.5 * min(s**-0.5, s * w**-1.5), "exponent -0.5"),
        (lambda s, d, w: paper_schedule(s + 1, d, w), "one step ahead"),
        (lambda s, d, w: paper_schedule(max(s - 1, 1), d, w), "step 1 and 2 are the same"),
        (lambda s, d, w: paper_schedule(s - 1, d, w) if s > 1 else 0, "nothing has to be sub"),
        (lambda s, d, w: d**-0.5 * min(1 / s, s * w**-1.5), "the *root* of the step"),
        (lambda s, d, w: 0.1, "it gives 0.10000, not 0.00343"),
        (lambda s, d, w: (s - 1) ** -0.5, "ZeroDivisionError"),
        (lambda s, d, w: None, "`return`"),
        (lambda s, d, w: "fast", "ValueError"),
        (7, "the function itself"),
    ],
)
def test_my_schedule_wrong(capsys, function, hint):
    answer = said(capsys, check.my_schedule, function)
    assert hint in answer and "right!" not in answer
