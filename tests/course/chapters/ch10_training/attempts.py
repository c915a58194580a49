"""What else is tried with the checks of notebook 10."""

import math
from fractions import Fraction

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from course.chapters.ch10_training import checks as check
from tests.course.checks.attempts import Attempts
from transformer_lib.training.step import update as library


def by_hand(model, optimizer, batch, lr, backward=True, step_first=False, clears=True):
    for group in optimizer.param_groups:
        group["lr"] = lr
    if clears:
        optimizer.zero_grad()
    if step_first:
        optimizer.step()
    logits = model.train()(batch.src, batch.tgt_in)  # `train` is a habit of PyTorch
    loss = cross_entropy(logits.transpose(1, 2), batch.tgt_out, ignore_index=0, label_smoothing=0.1)
    if backward:
        loss.backward()
    if not step_first:
        optimizer.step()
    return loss.item()


def but(**mistake):
    return lambda *inputs: by_hand(*inputs, **mistake)


def new_optimizer(model, optimizer, *inputs):
    return by_hand(model, torch.optim.SGD(model.parameters(), lr=1.0), *inputs)


def by_appending(ids):
    ids.append(2)
    backwards = np.array(ids[::-1] + [1])
    return backwards[:0:-1], np.array(ids)


def by_loops(logits, target, eps):
    losses = []
    for row, ids in zip(logits, target, strict=True):
        for scores, right in zip(row, ids, strict=True):
            log_p = scores - torch.logsumexp(scores, dim=0)
            if right:
                losses.append(-(1 - eps) * log_p[right] - eps * log_p.sum() / len(log_p))
    return float(sum(losses)) / len(losses)


def in_arrays(words, each):
    totals = np.array(words).reshape(-1, each).sum(axis=1).repeat(each)
    places = np.arange(1, len(words) + 1)
    return np.stack([totals, np.where(places % each, 0, places // each)], axis=1)


def settings(max_lr=0.01, warmup=100, steps=250):
    return {"max_lr": max_lr, "warmup": warmup, "steps": steps}


STILL = ["encoder", "src_embed"]

ATTEMPTS = {
    check.three_numbers: Attempts(
        right=[
            [6.91, 0.69, 250],
            (math.log(1000), math.log(2), Fraction(1000, 4)),
            torch.tensor([6.91, 0.69, 250]),
        ],
        slips={
            "exchanged": [[0.69, 6.91, 250]],
            "*minus*": [[-6.91, 0.69, 250], [6.91, -0.69, 250]],
            "base 10": [[3.0, 0.69, 250], [6.91, 0.3, 250]],
            "base 2": [[9.97, 0.69, 250], [6.91, 1.0, 250]],
            "counts updates": [[6.91, 0.69, 1000]],
            "divide, don't multiply": [[6.91, 0.69, 4000]],
            "count from 1": [[6.91, 0.69, 251], [6.91, 0.69, 249]],
        },
        mistakes={
            "base 2": [[9.97, 1.0, 1000]],
            "is the probability": [[0.001, 0.5, 250]],
            "The first": [[5.0, 0.69, 250]],
            "The second": [[6.91, 0.5, 250]],
            "how many updates": [[6.91, 0.69, 7]],
            "Give three numbers": [[6.91, 0.69], "a lot", None],
        },
    ),
    check.two_shifted_rows: Attempts(
        right=[by_appending],
        mistakes={
            "needs one to predict": [lambda ids: ([1, *ids], [2])],
            "you read [1, 7, 5, 11] and predict [11, 5, 7, 2]": [
                lambda ids: ([1, *ids], [*ids[::-1], 2])
            ],
            "Return two lists": [lambda ids: 5, lambda ids: (5, 5), lambda ids: [[1, *ids]]],
        },
    ),
    check.my_shift: Attempts(
        right=check.two_shifted_rows.right,
        slips={"has changed as well": [by_appending]},
    ),
    check.my_update: Attempts(
        right=[by_hand, lambda *given: torch.tensor(by_hand(*given))],
        slips={hint: [check.an_update(**how)] for hint, how in check.UPDATE_SLIPS.items()}
        | {
            "zero_grad() stands between": [check.an_update(clears="too early")],
            "optimizer.step() is missing": [check.an_update(steps=False)],
            "call loss.backward()": [but(backward=False)],
            "comes before loss.backward()": [
                but(step_first=True),
                but(step_first=True, clears=False),
            ],
            "A new optimizer has taken the step": [new_optimizer],
        },
        mistakes={
            "not as they should": [check.an_update(smoothing=0.3)],
            "the loss of this batch, as a number": [
                lambda *given: [by_hand(*given)] * 2,
                lambda *given: 2 * by_hand(*given),
            ],
            "It returns nothing": [lambda *given: by_hand(*given) and None],
            "It stops with TypeError": [lambda model: model],
            "does the whole exercise": [
                lambda model, optimizer, batch, lr: library(model, optimizer, [batch], lr, 0.1)
            ],
            "the function itself": [7],
        },
    ),
    check.my_loss: Attempts(
        right=[lambda logits, target: by_loops(logits, target, 0.0)],
        mistakes={
            "one number, but yours has the shape (3, 5)": [check.hard],
        },
    ),
    check.my_smoothed_loss: Attempts(
        right=[by_loops],
        mistakes={
            "one number": [lambda logits, target, eps: logits],
            "a tensor, not a str": [lambda logits, target, eps: "1.0"],
        },
    ),
    check.my_schedule: Attempts(
        right=[lambda *given: torch.tensor(check.rate(*given))],
        mistakes={
            "it gives 0.10000, not 0.00343": [lambda step, d_model, warmup: 0.1],
            "It should return one number": [lambda step, d_model, warmup: "fast"],
        },
    ),
    check.my_updates: Attempts(
        right=[in_arrays],
        mistakes={
            "with the steps [7.0, 7.0": [check.plan(step=lambda g, i, each: 7)],
            "you divide by [17.0": [check.plan(lambda words, group, i, each: 17)],
            "there are 1 pairs": [lambda words, each: [(10, 1)]],
            "with a pair for each": [lambda words, each: words, lambda words, each: 5],
        },
    ),
    check.settings_that_copy: Attempts(
        right=[settings()],
        mistakes={
            "Give a dict": [(0.01, 100, 250), {"max_lr": 0.01, "steps": 250}],
            "The peak is a number": [settings(max_lr="high"), settings(warmup=0.5)],
            "above 0": [settings(max_lr=-0.01), settings(max_lr=math.nan)],
            "at least 1 step": [settings(warmup=0)],
            "1 to 250 steps": [settings(steps=1000)],
            "before the warm-up does": [settings(steps=60)],
            "Try a lower peak": [settings(0.5, 10, 10)],
            "Try a higher peak": [settings(0.0001, 10, 10)],
            "What does a longer warm-up do?": [settings(0.01, 1, 10)],
            "time for more steps": [settings(0.01, 10, 10)],
        },
    ),
    check.the_fault: Attempts(
        right=[(STILL, "c"), (set(STILL), "(C)")],
        slips={
            "What feeds it?": [(["encoder"], "c")],
            "isn't the only part": [(["src_embed"], "c")],
            "no weights": [([*STILL, "src_positions"], "c")],
            "no part would move": [(STILL, "a")],
            "only badly": [(STILL, "b")],
            "still get a gradient": [(STILL, "d")],
            "fall far below": [(STILL, "e")],
        },
        mistakes={
            "list of names": [("encoder", "c")],
            "do move": [(["decoder"], "c")],
            "no part 'head'": [(["head"], "c")],
            "Not all": [([], "c")],
            "letters a to e": [(STILL, "z")],
        },
    ),
}
