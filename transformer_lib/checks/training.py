"""The exercises of notebook 10: the loss, the shift, the smoothed rows and the schedule."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from transformer_lib.checks import Hint, call, compare, exercise, expect, implement, result_of
from transformer_lib.loss import label_smoothed_cross_entropy
from transformer_lib.tokens import BOS, EOS, PAD
from transformer_lib.training import paper_schedule


@exercise
def three_numbers(guess: Any) -> None:
    """Exercise 1: two losses, and the step of the schedule with gradient accumulation."""
    wanted = "Give three numbers in a list, such as [1.00, 1.00, 1]."
    try:
        even, half, step = (float(number) for number in guess)
    except (TypeError, ValueError):
        raise Hint(wanted) from None

    def near(number: float, other: float) -> bool:
        return abs(number - other) < 0.011

    first, second = math.log(1000), math.log(2)
    expect(not (near(even, second) and near(half, first)), "The first two are exchanged.")
    expect(not near(even, -first) and not near(half, -second), "A loss is *minus* the logarithm, "
           "so it is positive.")  # fmt: skip
    expect(not near(even, 3) and not near(half, math.log10(2)), "That is the logarithm to base "
           "10. Nats are natural logarithms: math.log.")  # fmt: skip
    expect(not near(even, math.log2(1000)) and not near(half, 1), "That is the logarithm to base "
           "2, in bits. Nats are natural logarithms: math.log.")  # fmt: skip
    expect(not near(even, 0.001) or near(half, second), "0.001 is the probability. The loss is "
           "minus its logarithm.")  # fmt: skip
    expect(near(even, first), "The first: every word has 1/1000. What is minus its logarithm?")
    expect(near(half, second), "The second: minus the logarithm of 0.5.")
    hints = {
        1000: "The schedule counts updates of the weights, and four batches make one.",
        4000: "Four batches make *one* update: divide, don't multiply.",
        251: "Steps count from 1, so after 250 updates it stands at 250.",
        249: "Steps count from 1, so after 250 updates it stands at 250.",
    }
    expect(step == 250, f"The step: {hints.get(step, 'how many updates are 1,000 batches?')}")


@implement([7, 5, 11])
def my_shift(function: Callable[[list[int]], tuple[list[int], list[int]]]) -> None:
    """Exercise 2: ids of a translation -> (tgt_in, tgt_out), two lists."""
    for ids in ([7, 5, 11], [13], []):
        found = result_of(function, list(ids))
        try:
            read, predict = (torch.as_tensor(part).tolist() for part in found)
        except (TypeError, ValueError, RuntimeError):
            raise Hint("Return two lists of ids: what is read, and what is predicted.") from None
        hints = {
            ((BOS, *ids, EOS), (BOS, *ids, EOS)): "Both rows are the same: then the model learns "
            "to copy what it reads. What is predicted must lie one place ahead.",
            ((*ids, EOS), (*ids, EOS)): "Both rows are the same: then the model learns to copy "
            "what it reads. Put <bos> in front of what is read.",
            (tuple(ids), tuple(ids)): "Both rows are the same, and <bos> and <eos> are missing.",
            ((*ids, EOS), (BOS, *ids)): "The two rows are exchanged: <bos> is read, <eos> is "
            "predicted.",
            ((BOS, *ids, EOS), (*ids, EOS)): "What is read is one too long: after <eos> there is "
            "nothing to predict, so it isn't read.",
            ((BOS, *ids), (BOS, *ids, EOS)): "<bos> is given, it need not be predicted.",
            ((BOS, *ids), tuple(ids)): "The end must be learned too: put <eos> at the end of what "
            "is predicted.",
            ((BOS, *ids[:-1]), tuple(ids)): "The end must be learned too: put <eos> at the end of "
            "what is predicted, and read the last word.",
            ((BOS, *ids), (*ids[1:], EOS, PAD)): "Shifted twice: at the first place the model "
            "must predict the *first* word.",
            ((BOS, *ids), (*ids[1:], EOS)): "Shifted twice: at the first place the model must "
            "predict the *first* word.",
            ((BOS, BOS, *ids), (*ids, EOS, PAD)): "Shifted twice: one <bos> is enough.",
            ((BOS, BOS, *ids), (*ids, EOS)): "Shifted twice: one <bos> is enough.",
            ((EOS, *ids), (*ids, EOS)): "The row that is read begins with <bos>, which is 1.",
            ((BOS, *ids), (*ids, BOS)): "The row that is predicted ends with <eos>, which is 2.",
        }
        given, right = (tuple(read), tuple(predict)), ((BOS, *ids), (*ids, EOS))
        if given == right:
            continue
        expect(given not in hints, hints.get(given, ""))
        expect(len(read) == len(predict), f"For {ids} the rows have {len(read)} and "
               f"{len(predict)} places; each word read needs one to predict.")  # fmt: skip
        raise Hint(f"For {ids} it should read {list(right[0])} and predict {list(right[1])}.")


def example() -> tuple[Tensor, Tensor]:
    """Logits (3, 5, 7) and targets (3, 5) with 5, 3 and 1 real words."""
    generator = torch.Generator().manual_seed(7)
    logits = 2 * torch.randn(3, 5, 7, generator=generator)
    target = torch.tensor([[4, 6, 3, 5, EOS], [6, 4, EOS, PAD, PAD], [EOS, PAD, PAD, PAD, PAD]])
    return logits, target


@implement(torch.zeros(1, 1, 3), torch.ones(1, 1).long())
def my_loss(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    """Exercise 3: logits (b, t, vocab), target (b, t) -> mean loss per real word."""
    logits, target = example()
    right = label_smoothed_cross_entropy(logits, target, 0.0)
    counts = target != PAD

    def each(scores: Tensor) -> Tensor:
        return cross_entropy(scores.transpose(1, 2), target, reduction="none")

    losses, real = each(logits), each(logits) * counts
    twice = each(logits.softmax(dim=-1))
    p = logits.softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    shifted = cross_entropy(logits[:, :-1].transpose(1, 2), target[:, 1:], ignore_index=PAD)
    found = call(function, logits, target, stops={
        "Expected target size": "PyTorch's cross_entropy wants the words on axis 1: transpose the "
        "logits, or flatten both.",
        "expected scalar type": "The targets are ids, whole numbers: keep their type.",
    })  # fmt: skip
    expect(found.shape == right.shape or found.numel() == 1,
           f"The loss is one number, but yours has the shape {tuple(found.shape)}.")  # fmt: skip
    compare(found.reshape(()), right, [
        (losses.mean(), "The padding counts too. Leave out the places where the target is 0."),
        (real.mean(), "The padding adds nothing to the sum, but you still divide by all places. "
         "Divide by the number of real words."),
        (real.sum(), "That is the sum. Divide by the number of real words."),
        (losses.sum(), "That is the sum, padding and all."),
        ((real.sum(1) / counts.sum(1)).mean(), "You average each sentence first and then the "
         "sentences, so a word in a short sentence counts more. Average over all real words."),
        ((twice * counts).sum() / counts.sum(), "The softmax is applied twice: cross_entropy wants "
         "the logits themselves."),
        (twice.mean(), "The softmax is applied twice (cross_entropy wants the logits themselves), "
         "and the padding counts."),
        (-right, "The sign: the loss is *minus* the logarithm."),
        ((p * counts).sum() / counts.sum(), "That is the mean probability of the right words. The "
         "loss is minus its logarithm."),
        (-((p * counts).sum() / counts.sum()).log(), "First the logarithm of each, then the mean: "
         "not the logarithm of the mean."),
        (shifted, "The target is shifted again. `make_batch` has done that: place i of the logits "
         "belongs to place i of the target."),
        (label_smoothed_cross_entropy(logits, target, 0.1), "That is with label smoothing; here "
         "it is asked without."),
        (right / math.log(2), "That is in bits. Use the natural logarithm."),
    ])  # fmt: skip
    everything = call(function, logits[:1], target[:1])
    compare(everything.reshape(()), label_smoothed_cross_entropy(logits[:1], target[:1], 0.0), [])


@implement(torch.tensor([1]), 3, 0.1)
def my_smoothed_rows(function: Callable[[Tensor, int, float], Tensor]) -> None:
    """Exercise 4: target (t), vocab, eps -> rows (t, vocab), eps spread over all words."""
    target, vocab, eps = torch.tensor([4, 6, 2]), 7, 0.2
    hard = one_hot(target, vocab).float()
    right = (1 - eps) * hard + eps / vocab
    wrong_ones = (1 - hard) * eps
    compare(call(function, target, vocab, eps), right, [
        (hard, "Those are the hard targets: where is eps?"),
        (right[0], "There should be a row for each target."),
        (right.T, "Turned: a row for each target, a column for each word."),
        ((1 - eps) * hard + wrong_ones / vocab, "The right word gets its share of eps as well, so "
         "your rows add up to less than 1."),
        ((1 - eps) * hard + wrong_ones / (vocab - 1), "You spread eps over the wrong words only. "
         "Here it is over all of them, the right one too."),
        ((1 - eps) * hard + wrong_ones / (vocab - 2), "You divide eps by vocab - 2. Here it is "
         "spread over all words, the right one and the signs too."),
        ((1 - eps) * hard + eps / (vocab - 1), "You divide by vocab - 1, but give a share to all "
         "vocab words: the rows add up to more than 1."),
        ((1 - eps) * hard + eps / (vocab - 2), "You divide by vocab - 2, but give a share to all "
         "vocab words: the rows add up to more than 1."),
        (hard + eps / vocab, "The right word must give eps away first: the rows add up to more "
         "than 1."),
        ((1 - eps) * hard + eps, "Every word got all of eps. Divide it among them."),
        (eps * hard + (1 - eps) / vocab, "eps and 1 - eps are exchanged."),
        ((1 - 0.1) * hard + 0.1 / vocab, "eps is an argument, it isn't always 0.1."),
        (right.log(), "Those are logarithms. Give the probabilities."),
    ])  # fmt: skip


@implement(1, 512, 4000)
def my_schedule(function: Callable[[int, int, int], float]) -> None:
    """Exercise 5: the paper's learning rate for a step, d_model and warmup."""
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    d_model, warmup = 64, 11
    steps = (1, 2, 5, 11, 12, 50)
    found = []
    for step in steps:
        try:
            rate = function(step, d_model, warmup)
            expect(rate is not None, "It returns nothing: does it end with `return`?")
            found.append(float(rate))
        except Hint:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise Hint(f"Called with step={step}, d_model={d_model}, warmup={warmup}, it stops "
                       f"with {reason}.") from None  # fmt: skip

    def formula(rate: Callable[[int], float]) -> list[float]:
        return [rate(step) for step in steps]

    scale = d_model**-0.5
    mistakes = {
        "The warm-up has the exponent -1.5, not -0.5: so the two terms meet at step = warmup.": [
            lambda s: scale * min(s**-0.5, s * warmup**-0.5),
        ],
        "The warm-up has the exponent -1.5, not -1.": [
            lambda s: scale * min(s**-0.5, s / warmup),
        ],
        "The smaller of the two terms, not the larger: the rate starts low.": [
            lambda s: scale * max(s**-0.5, s * warmup**-1.5),
        ],
        "There is no warm-up in it: at step 1 the rate is already at its highest. The second term "
        "is the step times warmup to the power of *minus* 1.5.": [
            lambda s: scale * s**-0.5,
        ],
        "It never falls: after the warm-up comes the root of the step.": [
            lambda s: scale * s * warmup**-1.5,
        ],
        "d_model is missing: wide models get smaller steps.": [
            lambda s: min(s**-0.5, s * warmup**-1.5),
        ],
        "d_model has the exponent -0.5: wide models get *smaller* steps.": [
            lambda s: d_model**0.5 * min(s**-0.5, s * warmup**-1.5),
            lambda s: d_model**-1 * min(s**-0.5, s * warmup**-1.5),
        ],
        "It is one step ahead: steps count from 1 already, so nothing has to be added.": [
            lambda s: paper_schedule(s + 1, d_model, warmup),
        ],
        "It is one step late: the rates of step 1 and 2 are the same.": [
            lambda s: paper_schedule(max(s - 1, 1), d_model, warmup),
        ],
        "It is one step late: steps count from 1, so nothing has to be subtracted.": [
            lambda s: paper_schedule(s - 1, d_model, warmup) if s > 1 else 0.0,
        ],
        "After the warm-up the rate falls with the *root* of the step: exponent -0.5.": [
            lambda s: scale * min(s**-1, s * warmup**-1.5),
            lambda s: scale * min(s**-1, s * warmup**-2),
        ],
    }
    for hint, forms in mistakes.items():
        for form in forms:
            expect(not close(found, formula(form)), hint)
    right = formula(lambda s: paper_schedule(s, d_model, warmup))
    for step, given, wanted in zip(steps, found, right, strict=True):
        expect(close([given], [wanted]), f"For step={step}, d_model={d_model}, warmup={warmup} it "
               f"gives {given:.5f}, not {wanted:.5f}.")  # fmt: skip


def close(some: list[float], others: list[float]) -> bool:
    return all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(some, others, strict=True))
