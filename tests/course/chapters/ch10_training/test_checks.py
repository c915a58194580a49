"""Exercises on training: right answers pass, each classic mistake gets its own hint."""

import math

import pytest
import torch
from torch.nn.functional import cross_entropy, one_hot

from course.chapters.ch10_training import checks as check
from course.checks import Hint, graded
from tests.course.checks.saying import said
from transformer_lib import label_smoothed_cross_entropy, make_batch, paper_schedule
from transformer_lib.training.step import update as library


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
        (lambda ids: ([1, *ids, 2], [*ids, 2, 0]), "one too long"),
        (lambda ids: ([0, *ids], [*ids, 2]), "begins with <bos>"),
        (lambda ids: ([1, *ids], [*ids, 0]), "ends with <eos>"),
        (lambda ids: ([1, *ids], [*ids[::-1], 2]), "you read [1, 7, 5, 11] and predict"),
        (lambda ids: make_batch([(ids, ids)])[1:], "does the whole exercise"),
        (lambda ids: ([1, *ids], ids.append(2) or ids), "has changed as well"),
        (lambda ids: ([1, *ids], ids.append(2) or list(ids)), "has changed as well"),
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


def by_hand(model, optimizer, batch, lr):
    for group in optimizer.param_groups:
        group["lr"] = lr
    optimizer.zero_grad()
    logits = model(batch.src, batch.tgt_in)
    loss = cross_entropy(logits.transpose(1, 2), batch.tgt_out, ignore_index=0, label_smoothing=0.1)
    loss.backward()
    optimizer.step()
    return loss.item()


def tensor_update(*inputs):
    return torch.tensor(by_hand(*inputs))


def new_optimizer(model, optimizer, batch, lr):
    return by_hand(model, torch.optim.SGD(model.parameters(), lr=lr), batch, lr)


def without_backward(model, optimizer, batch, lr):
    logits = model(batch.src, batch.tgt_in)
    loss = cross_entropy(logits.transpose(1, 2), batch.tgt_out, ignore_index=0, label_smoothing=0.1)
    optimizer.step()
    return loss.item()


def step_first(model, optimizer, batch, lr, clears=False):
    for group in optimizer.param_groups:
        group["lr"] = lr
    if clears:
        optimizer.zero_grad()
    optimizer.step()
    logits = model(batch.src, batch.tgt_in)
    loss = cross_entropy(logits.transpose(1, 2), batch.tgt_out, ignore_index=0, label_smoothing=0.1)
    loss.backward()
    return loss.item()


def in_training_mode(model, *inputs):
    model.train()  # a habit of PyTorch
    return by_hand(model, *inputs)


@pytest.mark.parametrize("function", [by_hand, check.an_update(), tensor_update, in_training_mode])
def test_my_update_right(capsys, function):
    assert said(capsys, check.my_update, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda *_: ..., "not tried yet"),
        (check.an_update(clears="never"), "added to the one before"),
        (check.an_update(clears="too early"), "zero_grad() stands between backward and step"),
        (check.an_update(steps=False), "No weight has moved: optimizer.step() is missing."),
        (without_backward, "No weight has a gradient: call loss.backward()."),
        (step_first, "optimizer.step() comes before loss.backward()"),
        (lambda *given: step_first(*given, clears=True), "comes before loss.backward()"),
        (check.an_update(sets_rate=False), "The learning rate stays"),
        (check.an_update(reads="tgt_out"), "very words that it has to predict"),
        (check.an_update(predicts="tgt_in"), "compares with the words that were read"),
        (check.an_update(reads="tgt_out", predicts="tgt_in"), "are exchanged"),
        (check.an_update(smoothing=0.0), "targets are hard"),
        (check.an_update(smoothing=0.3), "not as they should"),
        (check.an_update(reduction="sum"), "the sum over the words"),
        (check.an_update(smoothing=0.0, reduction="sum"), "hard and the loss is a sum"),
        (check.an_update(softmax=True), "softmax is applied twice"),
        (check.an_update(ignores=-100), "The padding counts"),
        (new_optimizer, "not yet. A new optimizer has taken the step"),
        (lambda *given: [by_hand(*given)] * 2, "as a number"),
        (lambda *given: 2 * by_hand(*given), "the loss of this batch"),
        (lambda *given: by_hand(*given) and None, "It returns nothing"),
        (lambda model, optimizer, batch, lr: model(batch), "TypeError"),
        (
            lambda model, optimizer, batch, lr: library(model, optimizer, [batch], lr, 0.1),
            "does the whole exercise",
        ),
        (7, "the function itself"),
    ],
)
def test_my_update_wrong(capsys, function, hint):
    answer = said(capsys, check.my_update, function)
    assert hint in answer and "right!" not in answer and ".." not in answer.replace("...", "")


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
        (lambda x, y: -probability(x, y)[y != 0].mean(), "The logarithm is missing"),
        (lambda x, y: -x.gather(-1, y[..., None])[..., 0][y != 0].mean(), "mean of the logits"),
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
        (lambda y, V, e: torch.where(hard(y, V) > 0, 1 - e, e / (V - 2)), "vocab_size - 2. Here"),
        (lambda y, V, e: (1 - e) * hard(y, V) + e / (V - 1), "divide by vocab_size - 1"),
        (lambda y, V, e: (1 - e) * hard(y, V) + e / (V - 2), "divide by vocab_size - 2, but"),
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


def rate(s, d, w):
    return d**-0.5 * min(s**-0.5, s * w**-1.5)


@pytest.mark.parametrize(
    "function",
    [
        lambda s, d, w: d**-0.5 * min(s**-0.5, s * w**-1.5),
        lambda s, d, w: (d * w) ** -0.5 * (s / w if s < w else math.sqrt(w / s)),
        lambda s, d, w: (
            torch.minimum(torch.tensor(s) ** -0.5, torch.tensor(s) * torch.tensor(w) ** -1.5)
            / torch.tensor(d).sqrt()
        ),
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
        (lambda s, d, w: rate(s + 1, d, w), "one step ahead"),
        (lambda s, d, w: rate(max(s - 1, 1), d, w), "step 1 and 2 are the same"),
        (lambda s, d, w: rate(s - 1, d, w) if s > 1 else 0, "nothing has to be sub"),
        (lambda s, d, w: d**-0.5 * min(1 / s, s * w**-1.5), "the *root* of the step"),
        (lambda s, d, w: d**-0.5 * min(s**0.5, s * w**-1.5), "never falls"),
        (lambda s, d, w: d**-0.5 * (s**-0.5 + s * w**-1.5), "compared, not added"),
        (lambda s, d, w: min(d**-0.5 * s**-0.5, s * w**-1.5), "counts for both terms"),
        (lambda s, d, w: min(s**-0.5, d**-0.5 * s * w**-1.5), "counts for both terms"),
        (lambda s, d, w: rate(s, w, d), "exchanged"),
        (lambda s, d, w: paper_schedule(s, d, w), "does the whole exercise"),
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


def nll(x, y):
    return -x.log_softmax(-1).gather(-1, y[..., None])[..., 0]


def soft(x):
    return -x.log_softmax(-1).mean(-1)


def each(x, y, e):
    return (1 - e) * nll(x, y) + e * soft(x)


def by_rows(x, y, e):
    rows = (1 - e) * one_hot(y, x.size(-1)) + e / x.size(-1)
    return -(rows * x.log_softmax(-1)).sum(-1)[y != 0].mean()


def by_kl(x, y, e):
    rows = (1 - e) * one_hot(y, x.size(-1)) + e / x.size(-1)
    kl = torch.nn.functional.kl_div(x.log_softmax(-1), rows, reduction="none").sum(-1)
    return (kl + torch.special.entr(rows).sum(-1))[y != 0].mean()


@pytest.mark.parametrize("function", [lambda x, y, e: each(x, y, e)[y != 0].mean(), by_rows, by_kl])
def test_my_smoothed_loss_right(capsys, function):
    assert said(capsys, check.my_smoothed_loss, function) == "right!"


def over_axis(x, y, e, axis):
    """The loss with a softmax over the wrong axis."""
    log_p = x.log_softmax(axis)
    of_right = log_p.gather(-1, y[..., None])[..., 0]
    return -((1 - e) * of_right + e * log_p.mean(-1))[y != 0].mean()


def spread_over(x, y, e, share):
    """The loss with a target of 1 - e at the right word, and other words' shares."""
    rows = torch.where(hard(y, x.size(-1)) > 0, 1 - e, share)
    return -(rows * x.log_softmax(-1)).sum(-1)[y != 0].mean()


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda x, y, e: ..., "not tried yet"),
        (lambda x, y, e: nll(x, y)[y != 0].mean(), "third argument isn't used"),
        (lambda x, y, e: each(x, y, 0.1)[y != 0].mean(), "isn't always 0.1"),
        (lambda x, y, e: each(x, y, e).mean(), "The padding counts too. Leave"),
        (lambda x, y, e: (each(x, y, e) * real(y)).mean(), "divide by all places"),
        (
            lambda x, y, e: (1 - e) * nll(x, y)[y != 0].mean() + e * soft(x).mean(),
            "In the smoothed part",
        ),
        (lambda x, y, e: each(x, y, e)[y != 0].sum(), "That is the sum. Divide"),
        (lambda x, y, e: each(x, y, e).sum(), "padding and all"),
        (lambda x, y, e: each(x, y, e).sum() / real(y).sum(), "still contains the padding"),
        (
            lambda x, y, e: torch.stack(
                [each(a, b, e)[b != 0].mean() for a, b in zip(x, y, strict=True)]
            ).mean(),
            "average each sentence first",
        ),
        (lambda x, y, e: each(x, y, e)[y != 0].sum() / len(x), "number of sentences"),
        (lambda x, y, e: over_axis(x, y, e, 1), "runs over the places"),
        (lambda x, y, e: over_axis(x, y, e, 0), "runs over the sentences"),
        (lambda x, y, e: each(x.softmax(-1), y, e)[y != 0].mean(), "applied twice"),
        (
            lambda x, y, e: ((e - 1) * x.gather(-1, y[..., None])[..., 0] - e * x.mean(-1))[
                y != 0
            ].mean(),
            "There is no softmax",
        ),
        (
            lambda x, y, e: (
                -((1 - e) * probability(x, y) + e * x.softmax(-1).mean(-1))[y != 0].mean()
            ),
            "The logarithm is missing",
        ),
        (
            lambda x, y, e: -((1 - e) * probability(x, y) + e / 7).log()[y != 0].mean(),
            "what the model predicts",
        ),
        (lambda x, y, e: spread_over(x, y, e, e / 7), "less than 1"),
        (lambda x, y, e: spread_over(x, y, e, e / 6), "wrong words only"),
        (
            lambda x, y, e: spread_over(x, y, e, torch.tensor([0.0] + 6 * [e / 5])),
            "wrong words without <pad>",
        ),
        (
            lambda x, y, e: ((1 - e) * nll(x, y) - e * x.log_softmax(-1)[..., 1:].mean(-1))[
                y != 0
            ].mean(),
            "left <pad> out",
        ),
        (lambda x, y, e: (nll(x, y) + e * soft(x))[y != 0].mean(), "more than 1"),
        (
            lambda x, y, e: ((1 - e) * nll(x, y) + 7 * e * soft(x))[y != 0].mean(),
            "all of `smoothing`",
        ),
        (lambda x, y, e: each(x, y, 1 - e)[y != 0].mean(), "are exchanged"),
        (lambda x, y, e: (1 - e) * nll(x, y)[y != 0].mean(), "nobody gets it"),
        (lambda x, y, e: -each(x, y, e)[y != 0].mean(), "The sign"),
        (lambda x, y, e: -probability(x, y)[y != 0].mean().log(), "logarithm of the mean"),
        (lambda x, y, e: by_rows(x[:, :-1], y[:, 1:], e), "shifted again"),
        (lambda x, y, e: each(x, y, e)[y != 0].mean() / math.log(2), "in bits"),
        (lambda x, y, e: each(x, y, e), "one number"),
        (
            lambda x, y, e: (
                -(((1 - e) * one_hot(y, x.size(-1)) + e / x.size(-1)) * x.softmax(-1).log())
                .sum(-1)[y != 0]
                .mean()
            ),
            "rounded to 0",
        ),
        (lambda x, y, e: (each(x, y, e) * real(y)).sum() / 9, "without padding"),
        (lambda x, y, e: (x * y).mean(), "must match|don't fit"),
        (lambda x, y, e: torch.tensor(1.0), "numbers aren't"),
        (lambda x, y, e: "1.0", "a tensor, not a str"),
        (
            lambda x, y, e: cross_entropy(x.transpose(1, 2), y, label_smoothing=e, ignore_index=0),
            "does the whole exercise",
        ),
        (lambda x, y, e: None, "`return`"),
        (7, "the function itself"),
    ],
)
def test_my_smoothed_loss_wrong(capsys, function, hint):
    answer = said(capsys, check.my_smoothed_loss, function)
    assert any(part in answer for part in hint.split("|")) and "right!" not in answer


def plan(divide, step):
    """A plan from what to divide by and the step, for group g, place i in it, words, each."""

    def function(words, each):
        pairs = []
        for place in range(len(words)):
            g, i = divmod(place, each)
            group = words[g * each : (g + 1) * each]
            pairs.append((divide(words, group, i, each), step(g, i, each)))
        return pairs

    return function


def total(words, group, i, each):
    return sum(group)


def last(g, i, each):
    return g + 1 if i == each - 1 else 0


@pytest.mark.parametrize(
    "function",
    [
        plan(total, last),
        lambda words, each: torch.tensor(plan(total, last)(words, each)),
        lambda words, each: [list(pair) for pair in plan(total, last)(words, each)],
    ],
)
def test_my_updates_right(capsys, function):
    assert said(capsys, check.my_updates, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda w, k: ..., "not tried yet"),
        (plan(lambda w, group, i, k: 1, last), "nothing makes a mean"),
        (plan(lambda w, group, i, k: group[i], last), "by its own words"),
        (plan(lambda w, group, i, k: group[i] * k, last), "mean of means"),
        (plan(lambda w, group, i, k: k, last), "number of small batches doesn't"),
        (plan(lambda w, group, i, k: sum(w), last), "not all there are"),
        (plan(lambda w, group, i, k: sum(group[: i + 1]), last), "seen so far"),
        (plan(lambda w, group, i, k: sum(group) / k, last), "not their average"),
        (plan(lambda w, group, i, k: sum(group) * k, last), "once by the words"),
        (plan(total, lambda g, i, k: g * k + i + 1), "moves with every small batch"),
        (plan(total, lambda g, i, k: g * k + i), "moves with every small batch"),
        (plan(total, lambda g, i, k: (g + 1) * k if i == k - 1 else 0), "moves with every"),
        (plan(total, lambda g, i, k: g if i == k - 1 else 0), "counts from 1"),
        (plan(total, lambda g, i, k: g), "counts from 1"),
        (plan(total, lambda g, i, k: g + 1), "is given for every small batch"),
        (plan(total, lambda g, i, k: g + 1 if i == 0 else 0), "before the gradients"),
        (plan(total, lambda g, i, k: g if i == 0 else 0), "before the gradients"),
        (plan(total, lambda g, i, k: i == k - 1), "not only whether"),
        (plan(total, lambda g, i, k: g + 2 if i == k - 1 else 0), "one step too far"),
        (plan(total, lambda g, i, k: 7), "with the steps [7.0, 7.0"),
        (plan(lambda w, group, i, k: 17, last), "you divide by [17.0"),
        (plan(lambda w, group, i, k: 1, lambda g, i, k: g + 1), "And the steps"),
        (lambda w, k: [(10, 1)], "there are 1 pairs"),
        (lambda w, k: w, "a pair for each"),
        (lambda w, k: 5, "a pair for each"),
        (lambda w, k: [(10, None)] * len(w), "a pair for each"),
        (lambda w, k: None, "`return`"),
        (7, "the function itself"),
    ],
)
def test_my_updates_wrong(capsys, function, hint):
    answer = said(capsys, check.my_updates, function)
    assert any(part in answer for part in hint.split("|")) and "right!" not in answer


def test_settings_that_copy_right(capsys):
    settings = {"max_lr": 0.01, "warmup": 100, "steps": 250}
    assert said(capsys, check.settings_that_copy, settings) == "right!"


@pytest.mark.parametrize(
    "settings, hint",
    [
        (..., "not tried yet"),
        ((0.01, 100, 250), "Give a dict"),
        ({"max_lr": 0.01, "steps": 250}, "Give a dict"),
        ({"max_lr": "high", "warmup": 100, "steps": 250}, "The peak is a number"),
        ({"max_lr": 0.01, "warmup": 0.5, "steps": 250}, "whole numbers"),
        ({"max_lr": -0.01, "warmup": 100, "steps": 250}, "above 0"),
        ({"max_lr": float("nan"), "warmup": 100, "steps": 250}, "above 0"),
        ({"max_lr": 0.01, "warmup": 0, "steps": 250}, "at least 1 step"),
        ({"max_lr": 0.01, "warmup": 100, "steps": 1000}, "1 to 250 steps"),
        ({"max_lr": 0.01, "warmup": 200, "steps": 100}, "before the warm-up does"),
        ({"max_lr": 0.5, "warmup": 50, "steps": 60}, "overshoots"),
        ({"max_lr": 0.0001, "warmup": 10, "steps": 60}, "so small"),
        ({"max_lr": 0.01, "warmup": 1, "steps": 60}, "longer warm-up"),
        ({"max_lr": 0.01, "warmup": 50, "steps": 60}, "time for more steps"),
    ],
)
def test_settings_that_copy_wrong(capsys, settings, hint):
    answer = said(capsys, check.settings_that_copy, settings)
    assert hint in answer and "right!" not in answer


def test_slips_keep_half_and_the_rest_nothing():
    kept = []
    for checked, attempt in [
        (check.three_numbers, [0.69, 6.91, 250]),
        (check.three_numbers, [0.69, 6.91, 7]),
        (check.my_shift, lambda ids: ([1, *ids], [*ids[1:], 2])),
        (check.my_shift, lambda ids: (ids, ids)),
        (check.my_updates, plan(total, lambda g, i, k: g)),
        (check.my_updates, plan(lambda w, group, i, k: 1, lambda g, i, k: g)),
    ]:
        with graded(), pytest.raises(Hint) as caught:
            checked(attempt)
        kept.append(caught.value.keeps)
    assert kept == [0.5, 0, 0.5, 0, 0.5, 0]


# --- the core exercise


@pytest.mark.parametrize(
    "still, letter, hint",
    [
        (["encoder", "src_embed"], "c", "right!"),
        (("src_embed", "encoder"), "(C)", "right!"),
        (..., ..., "not tried yet"),
        ("encoder", "c", "list of names"),
        (["encoder"], "c", "What feeds it?"),
        (["src_embed"], "c", "isn't the only part"),
        (["encoder", "src_embed", "src_positions"], "c", "no weights"),
        (["decoder"], "c", "do move"),
        (["head"], "c", "no part 'head'"),
        ([], "c", "Not all"),
        (["encoder", "src_embed"], "z", "letters a to e"),
        (["encoder", "src_embed"], "a", "no part would move"),
        (["encoder", "src_embed"], "b", "only badly"),
        (["encoder", "src_embed"], "d", "still get a gradient"),
        (["encoder", "src_embed"], "e", "fall far below"),
    ],
)
def test_the_fault(capsys, still, letter, hint):
    assert hint in said(capsys, check.the_fault, still, letter)


# --- four logged schedules ---


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ({}, "right!"),
        ({"A": "sound"}, "A has its peak at the right update. How high"),
        ({"B": "sound"}, "B rises as it should"),
        ({"C": "sound"}, "C has a peak of the right height. At which update?"),
        ({"D": "never falls"}, "D reaches its highest rate at update 4,000"),
        (dict.fromkeys("ABCD", "sound"), "(1 of 4 are right.)"),
        ({"D": "right"}, "D: choose one of sound, counts batches"),
        (dict.fromkeys("ABCD", ...), "not tried yet"),
    ],
)
def test_schedule_faults(capsys, wrong, hint):
    assert hint in said(capsys, check.schedule_faults, {**check.LOGGED, **wrong})


def test_the_logged_rates_differ_where_it_is_said():
    rates = {check.LOGGED[name]: found for name, found in check.logged_rates().items()}
    peak = {kind: (int(found.argmax()) + 1, float(found.max())) for kind, found in rates.items()}
    high = (512 * 4000) ** -0.5
    assert peak["sound"] == (4000, pytest.approx(high))
    assert peak[check.BY_BATCH] == (1000, pytest.approx(high))
    assert peak[check.WIDTH] == (4000, pytest.approx(high / 2))
    assert peak[check.NEVER] == (4000, pytest.approx(high))
    assert float(rates[check.NEVER][-1]) == pytest.approx(high)
    assert float(rates["sound"][-1]) == pytest.approx(high / 3**0.5)
