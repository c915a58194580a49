"""The exercises on training: the loss, the shift, the smoothed rows, the schedule, the updates.

Notebook 10 and assignment 5 share them.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from course.checks import (
    GRADED,
    Hint,
    a_kind,
    as_number,
    call,
    compare,
    exercise,
    expect,
    implement,
    judge_verdicts,
    no_slip,
    one_number,
    own_work,
    reason_of,
    result_of,
    same,
    whole_number,
    with_tensors,
)
from transformer_lib.model.config import TOY, ModelConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.batching import Batch, make_batch
from transformer_lib.text.tokens import BOS, EOS, PAD
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.loss import label_smoothed_cross_entropy
from transformer_lib.training.schedules import paper_schedule


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
    named = no_slip if step == 250 else expect  # a slip, if all else is right
    named(not (near(even, second) and near(half, first)), "The first two are exchanged.")
    named(
        not near(even, -first) and not near(half, -second),
        "A loss is *minus* the logarithm, so it is positive.",
    )
    named(
        not near(even, 3) and not near(half, math.log10(2)),
        "That is the logarithm to base 10. Nats are natural logarithms: math.log.",
    )
    named(
        not near(even, math.log2(1000)) and not near(half, 1),
        "That is the logarithm to base 2, in bits. Nats are natural logarithms: math.log.",
    )
    expect(
        not near(even, 0.001) or near(half, second),
        "0.001 is the probability. The loss is minus its logarithm.",
    )
    expect(near(even, first), "The first: every word has 1/1000. What is minus its logarithm?")
    expect(near(half, second), "The second: minus the logarithm of 0.5.")
    hints = {
        1000: "The schedule counts updates of the weights, and four batches make one.",
        4000: "Four batches make *one* update: divide, don't multiply.",
        251: "Steps count from 1, so after 250 updates it is at 250.",
        249: "Steps count from 1, so after 250 updates it is at 250.",
    }
    no_slip(step not in hints, f"The step: {hints.get(step, '')}")
    expect(step == 250, "The step: how many updates are 1,000 batches?")


Shift = Callable[[list[int]], tuple[list[int], list[int]]]


@implement(lambda: ([7, 5, 11],))
def my_shift(function: Shift) -> None:
    """Exercise 3: ids of a translation -> (tgt_in, tgt_out), two lists; ids stays as it is."""
    own_work(function, "make_batch")
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    changed = False

    def shift(ids: list[int]) -> Any:
        nonlocal changed
        before = list(ids)
        found = function(ids)
        changed |= ids != before
        return found

    judge_shift(shift)
    no_slip(
        not changed,
        "Both rows are right, but the list `ids` that was handed in has changed as well. Make new "
        "lists, such as [*ids, 2].",
    )


def judge_shift(function: Shift) -> None:
    """A Hint unless it makes the two rows."""
    for ids in ([7, 5, 11], [13], []):
        found = result_of(function, list(ids))
        try:
            read, predict = (torch.as_tensor(part).tolist() for part in found)
        except (TypeError, ValueError, RuntimeError):
            raise Hint("Return two lists of ids: what is read, and what is predicted.") from None
        hints = {
            ((BOS, *ids, EOS), (BOS, *ids, EOS)): "Both rows are the same: then the model learns "
            "to copy what it reads. What is predicted must be one place ahead.",
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
            ((BOS, *ids, EOS), (*ids, EOS, PAD)): "What is read is one too long: after <eos> there "
            "is nothing to predict, so it isn't read.",
            ((PAD, *ids), (*ids, EOS)): "The row that is read begins with <bos>, which is 1.",
            ((BOS, *ids), (*ids, PAD)): "The row that is predicted ends with <eos>, which is 2.",
            ((BOS, *ids), (*ids, BOS)): "The row that is predicted ends with <eos>, which is 2.",
        }
        given, right = (tuple(read), tuple(predict)), ((BOS, *ids), (*ids, EOS))
        if given == right:
            continue
        expect(given != (tuple(ids), tuple(ids)), hints[tuple(ids), tuple(ids)])
        no_slip(given not in hints, hints.get(given, ""))
        expect(
            len(read) == len(predict),
            f"For {ids} the rows have {len(read)} and "
            f"{len(predict)} places; each word read needs one to predict.",
        )
        raise Hint(
            f"For {ids} you read {read} and predict {predict}. Place by place: what is "
            "known before this word is written, and what is written then?"
        )


def small_learner() -> tuple[Transformer, Batch]:
    """A new model with one narrow layer in each stack, and a batch of two pairs, one padded."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = Transformer(12, 12, ModelConfig(N=1, d_model=8, d_ff=16, h=2, dropout=0.0))
    return model, make_batch([([4, 5, 6], [7, 8, 9]), ([10], [11])])


def first_update() -> tuple[Any, ...]:
    model, batch = small_learner()
    return model, torch.optim.SGD(model.parameters(), lr=1.0), batch, 0.1


EMPTY_STEP = "step without a gradient"


def after_updates(update: Callable[..., Any]) -> tuple[list[Any], Tensor, list[str]]:
    """What two updates of a new small model return, its weights after each, and what the first
    one did: "backward" for each gradient, "step" or EMPTY_STEP for each step."""
    model, batch = small_learner()
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
    losses, weights, did, first = [], [], [], []

    def on_step(*_: Any) -> None:
        found = any(w.grad is not None and w.grad.any() for w in model.parameters())
        did.append("step" if found else EMPTY_STEP)

    optimizer.register_step_pre_hook(on_step)
    for weight in model.parameters():
        weight.register_post_accumulate_grad_hook(lambda _: did.append("backward"))
    for rate in (0.5, 0.1):
        losses.append(update(model, optimizer, batch, rate))
        weights.append(torch.cat([w.detach().flatten() for w in model.parameters()]))
        first = first or list(did)
    no_slip(
        "step" in did or EMPTY_STEP in did or same(weights[0], weights[1]),
        "A new optimizer has taken the step. It forgets all that the one before remembered: use "
        "the `optimizer` that is handed in, and write `lr` into its groups.",
    )
    return losses, torch.stack(weights), first


def in_order(did: Sequence[str]) -> None:
    """A Hint unless the update took a step that found its gradients."""
    if "step" in did:
        return
    no_slip("backward" in did, "No weight has a gradient: call loss.backward().")
    no_slip(EMPTY_STEP in did, "No weight has moved: optimizer.step() is missing.")
    no_slip(
        did.index(EMPTY_STEP) > did.index("backward"),
        "optimizer.step() comes before loss.backward(), so the step finds no gradient.",
    )
    no_slip(False, "zero_grad() stands between backward and step: the step finds no gradient.")


def an_update(
    reads: str = "tgt_in",
    predicts: str = "tgt_out",
    smoothing: float = 0.1,
    reduction: str = "mean",
    softmax: bool = False,
    sets_rate: bool = True,
    clears: str = "at the end",
    steps: bool = True,
    ignores: int = PAD,
) -> Callable[..., float]:
    """The update of notebook 10, or one with a mistake."""

    def update(model: Any, optimizer: Any, batch: Any, lr: float) -> float:
        if sets_rate:
            for group in optimizer.param_groups:
                group["lr"] = lr
        logits = model(batch.src, getattr(batch, reads))
        logits = logits.softmax(dim=-1) if softmax else logits
        loss = label_smoothed_cross_entropy(
            logits, getattr(batch, predicts), smoothing, reduction=reduction, ignore_index=ignores
        )
        loss.backward()
        if clears == "too early":
            optimizer.zero_grad()
        if steps:
            optimizer.step()
        if clears == "at the end":
            optimizer.zero_grad()
        return loss.item()

    return update


@implement(first_update)
def my_update(function: Callable[[Any, Any, Any, float], float]) -> None:
    """The core exercise: one update of the weights, (model, optimizer, batch, lr) -> loss."""
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    own_work(function, "update")  # not "train": `model.train()` is a habit of PyTorch
    try:
        losses, found, did = after_updates(function)
    except Hint:
        raise
    except Exception as error:
        raise Hint(f"It stops with {reason_of(error)}.") from None
    expect(losses[0] is not None, "It returns nothing: end with `return loss.item()`.")
    right_losses, right, _ = after_updates(an_update())
    if not same(found, right):
        in_order(did)
        mistakes = {
            "From the second update on it goes wrong: each gradient is added to the one before. "
            "Set them back with optimizer.zero_grad().": {"clears": "never"},
            "The learning rate stays as it was: write `lr` into the optimizer's groups.": {
                "sets_rate": False
            },
            "The decoder reads the very words that it has to predict. It reads batch.tgt_in.": {
                "reads": "tgt_out"
            },
            "The loss compares with the words that were read. Predicted is batch.tgt_out.": {
                "predicts": "tgt_in"
            },
            "tgt_in and tgt_out are exchanged: it reads tgt_in and predicts tgt_out.": {
                "reads": "tgt_out",
                "predicts": "tgt_in",
            },
            "The targets are hard: leave label smoothing at its 0.1.": {"smoothing": 0.0},
            "The loss is the sum over the words, so a batch with more words takes a longer step. "
            "Take the mean: leave `reduction` out.": {"reduction": "sum"},
            "The targets are hard and the loss is a sum, as where the gradient was looked at. "
            "Leave `smoothing` and `reduction` out.": {"smoothing": 0.0, "reduction": "sum"},
            "The padding counts as if it were words: leave it out of the loss, which does so by "
            "itself unless `ignore_index` is changed.": {"ignores": -100},
            "The softmax is applied twice: the loss wants the logits themselves.": {
                "softmax": True
            },
        }
        for hint, slip in mistakes.items():
            no_slip(not same(found, after_updates(an_update(**slip))[1]), hint)
        raise Hint(
            "The weights move, but not as they should. In order: the rate, the logits, the loss, "
            "backward, step, zero_grad, once each."
        )
    given = [as_number(loss) for loss in losses]
    expect(
        all(isinstance(loss, float) for loss in given) and close(given, right_losses),
        "The weights are right. What it returns should be the loss of this batch, as a number: "
        "loss.item().",
    )


def example() -> tuple[Tensor, Tensor]:
    """Logits (3, 5, 7) and targets (3, 5) with 5, 3 and 1 real words."""
    generator = torch.Generator().manual_seed(7)
    logits = 2 * torch.randn(3, 5, 7, generator=generator)
    target = torch.tensor([[4, 6, 3, 5, EOS], [6, 4, EOS, PAD, PAD], [EOS, PAD, PAD, PAD, PAD]])
    return logits, target


def one_loss(function: Any, *inputs: Any, stops: Mapping[str, str] | None = None) -> Tensor:
    """The one number that an attempt returns, in a tensor or as Python's own: a tensor ()."""
    found = as_number(result_of(function, *inputs, stops=stops))
    if isinstance(found, Tensor):
        raise Hint(f"The loss is one number, but yours has the shape {tuple(found.shape)}.")
    expect(type(found) in (int, float), f"It should return a tensor, not {a_kind(found)}.")
    return torch.tensor(float(found))


@implement(lambda: (torch.zeros(1, 1, 3), torch.ones(1, 1).long()))
def my_loss(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    """Exercise 3: logits (b, t, vocab_size), target (b, t) -> mean loss per real word."""
    logits, target = example()
    right = label_smoothed_cross_entropy(logits, target, 0.0)
    counts = target != PAD

    def each(scores: Tensor) -> Tensor:
        return cross_entropy(scores.transpose(1, 2), target, reduction="none")

    losses, real = each(logits), each(logits) * counts
    twice = each(logits.softmax(dim=-1))
    p = logits.softmax(dim=-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)
    shifted = cross_entropy(logits[:, :-1].transpose(1, 2), target[:, 1:], ignore_index=PAD)
    found = one_loss(
        function,
        logits,
        target,
        stops={
            "Expected target size": "PyTorch's cross_entropy wants the words on axis 1: "
            "transpose the "
            "logits, or flatten both.",
            "expected scalar type": "The targets are ids, whole numbers: keep their type.",
        },
    )
    compare(
        found,
        right,
        [
            (losses.mean(), "The padding counts too. Leave out the places where the target is 0."),
            (
                real.mean(),
                "The padding adds nothing to the sum, but you still divide by all places. "
                "Divide by the number of real words.",
            ),
            (real.sum(), "That is the sum. Divide by the number of real words."),
            (losses.sum(), "That is the sum, padding and all."),
            (
                (real.sum(1) / counts.sum(1)).mean(),
                "You average each sentence first and then the "
                "sentences, so a word in a short sentence counts more. Average over all real "
                "words.",
            ),
            (
                (twice * counts).sum() / counts.sum(),
                "The softmax is applied twice: cross_entropy wants the logits themselves.",
            ),
            (
                twice.mean(),
                "The softmax is applied twice (cross_entropy wants the logits themselves), "
                "and the padding counts.",
            ),
            (-right, "The sign: the loss is *minus* the logarithm."),
            (
                (p * counts).sum() / counts.sum(),
                "That is the mean probability of the right words. The loss is minus its logarithm.",
            ),
            (
                -(p * counts).sum() / counts.sum(),
                "The logarithm is missing: that is minus the mean probability of the right words.",
            ),
            (
                -(logits.gather(-1, target.unsqueeze(-1)).squeeze(-1) * counts).sum()
                / counts.sum(),
                "That is the mean of the logits. First make log-probabilities: `log_softmax`.",
            ),
            (
                -((p * counts).sum() / counts.sum()).log(),
                "First the logarithm of each, then the mean: not the logarithm of the mean.",
            ),
            (
                shifted,
                "The target is shifted again. `make_batch` has done that: place i of the logits "
                "belongs to place i of the target.",
            ),
            (
                label_smoothed_cross_entropy(logits, target, 0.1),
                "That is with label smoothing; this exercise asks for none.",
            ),
            (right / math.log(2), "That is in bits. Use the natural logarithm."),
        ],
    )
    everything = one_loss(function, logits[:1], target[:1])
    compare(everything, label_smoothed_cross_entropy(logits[:1], target[:1], 0.0), [])


@implement(lambda: (torch.zeros(1, 1, 3), torch.ones(1, 1).long(), 0.1))
def my_smoothed_loss(function: Callable[[Tensor, Tensor, float], Tensor]) -> None:
    """Logits (b, t, vocab_size), target (b, t), smoothing -> mean smoothed loss per real word."""
    own_work(function, "cross_entropy", "CrossEntropyLoss", "label_smoothed_cross_entropy")
    logits, target = example()
    eps, counts, vocab_size = 0.2, target != PAD, logits.size(-1)
    words = counts.sum()
    log_p = logits.log_softmax(dim=-1)

    def of_target(scores: Tensor) -> Tensor:
        return -scores.gather(-1, target.unsqueeze(-1)).squeeze(-1)

    def mean(each: Tensor) -> Tensor:
        return (each * counts).sum() / words

    def smoothed(scores: Tensor, eps: float = eps) -> Tensor:
        return (1 - eps) * of_target(scores) - eps * scores.mean(dim=-1)

    hard, soft, each = of_target(log_p), -log_p.mean(dim=-1), smoothed(log_p)
    wrong_words = -log_p.sum(dim=-1) - hard
    twice = smoothed(logits.softmax(dim=-1).log_softmax(dim=-1))
    p = (-hard).exp()
    spread = "Here `smoothing` is spread over all words, the right one and the special tokens too."
    found = one_loss(
        function,
        logits,
        target,
        eps,
        stops={
            "does not match input size": "Which shapes do you put together? One loss for each "
            "place "
            "has the shape of the target.",
            "must match the size": "The shapes don't fit. One loss for each place has the shape "
            "of the "
            "target; what `gather` leaves has an axis more.",
            "same number of dimensions": "`gather` wants the ids with as many axes as the logits: "
            "unsqueeze the target.",
        },
    )
    compare(
        found,
        mean(each),
        [
            (mean(hard), "That is the loss without smoothing: the third argument isn't used."),
            (mean(smoothed(log_p, 0.1)), "`smoothing` is an argument, it isn't always 0.1."),
            (each.mean(), "The padding counts too. Leave out the places where the target is 0."),
            (
                (each * counts).mean(),
                "The padding adds nothing to the sum, but you still divide by all "
                "places. Divide by the number of real words.",
            ),
            (
                mean((1 - eps) * hard) + eps * soft.mean(),
                "In the smoothed part the padding counts too. Both parts leave it out.",
            ),
            (
                mean((1 - eps) * hard) + eps * soft.sum() / words,
                "In the smoothed part the padding counts too. Both parts leave it out.",
            ),
            ((each * counts).sum(), "That is the sum. Divide by the number of real words."),
            (each.sum(), "That is the sum, padding and all."),
            (
                each.sum() / words,
                "You divide by the number of real words, but the sum still contains the padding.",
            ),
            (
                (each * counts).sum() / len(target),
                "You divide by the number of sentences. Divide by the number of real words.",
            ),
            (
                mean(smoothed(logits.log_softmax(dim=1))),
                "The softmax runs over the places. It should run over the words, the last axis.",
            ),
            (
                mean(smoothed(logits.log_softmax(dim=0))),
                "The softmax runs over the sentences. It should run over the words, the last axis.",
            ),
            (
                ((each * counts).sum(1) / counts.sum(1)).mean(),
                "You average each sentence first and "
                "then the sentences, so a word in a short sentence counts more. Average over all "
                "real "
                "words.",
            ),
            (mean(twice), "The softmax is applied twice: log_softmax wants the logits themselves."),
            (
                mean(smoothed(logits)),
                "There is no softmax: the logits aren't logarithms of probabilities yet.",
            ),
            (
                mean(smoothed(log_p.exp())),
                "The logarithm is missing: a loss is minus the *logarithm* of a probability.",
            ),
            (
                mean(-((1 - eps) * p + eps / vocab_size).log()),
                "You smoothed what the model predicts. "
                "Smooth the target: a part of the loss for each word's logarithm.",
            ),
            (
                mean((1 - eps) * hard + eps * wrong_words / vocab_size),
                "The right word gets its share of `smoothing` "
                "as well, so your target adds up to less than 1.",
            ),
            (
                mean((1 - eps) * hard + eps * wrong_words / (vocab_size - 1)),
                "You spread `smoothing` over the wrong words only. " + spread,
            ),
            (
                mean((1 - eps) * hard + eps * (wrong_words + log_p[..., PAD]) / (vocab_size - 2)),
                "You spread `smoothing` over the wrong words without <pad>. " + spread,
            ),
            (
                mean((1 - eps) * hard - eps * log_p[..., 1:].mean(dim=-1)),
                "You left <pad> out of the vocabulary. " + spread,
            ),
            (
                mean(hard + eps * soft),
                "The right word must give `smoothing` away first: your target adds up to more "
                "than 1.",
            ),
            (
                mean((1 - eps) * hard + eps * vocab_size * soft),
                "Every word got all of `smoothing`. Divide it among them.",
            ),
            (mean(eps * hard + (1 - eps) * soft), "`smoothing` and 1 - `smoothing` are exchanged."),
            (
                mean((1 - eps) * hard),
                "The right word gives `smoothing` away, but nobody gets it: the second part is "
                "missing.",
            ),
            (-mean(each), "The sign: the loss is *minus* the logarithm."),
            (
                -mean(p).log(),
                "First the logarithm of each, then the mean: not the logarithm of the mean.",
            ),
            (
                label_smoothed_cross_entropy(logits[:, :-1], target[:, 1:], eps),
                "The target is shifted "
                "again. Place i of the logits belongs to place i of the target.",
            ),
            (mean(each) / math.log(2), "That is in bits. Use the natural logarithm."),
        ],
    )
    full = one_loss(function, logits[:1], target[:1], eps)
    right = label_smoothed_cross_entropy(logits[:1], target[:1], eps)
    expect(same(full, right), "Right for the example, but not for a batch without padding.")
    sure = one_loss(function, 60 * logits, target, eps)
    right = label_smoothed_cross_entropy(60 * logits, target, eps)
    no_slip(
        same(sure, right),
        "Right for small scores; for "
        "large ones a probability is rounded to 0, and its logarithm is lost. Which function "
        "takes the softmax and its logarithm in one?",
    )


@implement(lambda: (torch.tensor([1]), 3, 0.1))
def my_smoothed_rows(function: Callable[[Tensor, int, float], Tensor]) -> None:
    """Exercise 4: target (t), vocab_size, eps -> rows (t, vocab_size), eps spread over all."""
    target, vocab_size, eps = torch.tensor([4, 6, 2]), 7, 0.2
    hard = one_hot(target, vocab_size).float()
    right = (1 - eps) * hard + eps / vocab_size
    wrong_ones = (1 - hard) * eps
    compare(
        call(function, target, vocab_size, eps),
        right,
        [
            (hard, "Those are the hard targets: where is eps?"),
            (right[0], "There should be a row for each target."),
            (right.T, "Turned: a row for each target, a column for each word."),
            (
                (1 - eps) * hard + wrong_ones / vocab_size,
                "The right word gets its share of eps as well, so your rows add up to less than 1.",
            ),
            (
                (1 - eps) * hard + wrong_ones / (vocab_size - 1),
                "You spread eps over the wrong words only. "
                "Here it is over all of them, the right one too.",
            ),
            (
                (1 - eps) * hard + wrong_ones / (vocab_size - 2),
                "You divide eps by vocab_size - 2. Here it is "
                "spread over all words, the right one and the special tokens too.",
            ),
            (
                (1 - eps) * hard + eps / (vocab_size - 1),
                "You divide by vocab_size - 1, but give a share to all "
                "vocab_size words: the rows add up to more than 1.",
            ),
            (
                (1 - eps) * hard + eps / (vocab_size - 2),
                "You divide by vocab_size - 2, but give a share to all "
                "vocab_size words: the rows add up to more than 1.",
            ),
            (
                hard + eps / vocab_size,
                "The right word must give eps away first: the rows add up to more than 1.",
            ),
            ((1 - eps) * hard + eps, "Every word got all of eps. Divide it among them."),
            (eps * hard + (1 - eps) / vocab_size, "eps and 1 - eps are exchanged."),
            ((1 - 0.1) * hard + 0.1 / vocab_size, "eps is an argument, it isn't always 0.1."),
            (right.log(), "Those are logarithms. Give the probabilities."),
        ],
    )


BY_BATCH, WIDTH, NEVER = "counts batches", "wrong width", "never falls"
LOGGED = {"A": WIDTH, "B": NEVER, "C": BY_BATCH, "D": "sound"}


def logged_rates() -> dict[str, Tensor]:
    """What four programs logged: the learning rate of each of 12,000 updates."""
    d_model, warmup = 512, 4000
    rates = {
        "sound": lambda step: paper_schedule(step, d_model, warmup),
        BY_BATCH: lambda step: paper_schedule(4 * step, d_model, warmup),
        WIDTH: lambda step: paper_schedule(step, 4 * d_model, warmup),
        NEVER: lambda step: paper_schedule(min(step, warmup), d_model, warmup),
    }
    return {
        name: torch.tensor([rates[kind](step) for step in range(1, 12_001)])
        for name, kind in LOGGED.items()
    }


@exercise
def schedule_faults(found: dict[str, str]) -> None:
    """Exercise 6: which of `logged_rates` follows Equation 3, and what is wrong with the others?"""
    hints = {
        "sound": "reaches its highest rate at update 4,000, as high as Equation 3 says, and falls.",
        BY_BATCH: "has a peak of the right height. At which update?",
        WIDTH: "has its peak at the right update. How high should it be for d_model = 512?",
        NEVER: "rises as it should. Compare updates 4,000 and 12,000: by the root of 3 it should "
        "have fallen.",
    }
    judge_verdicts(found, LOGGED, hints)


@implement(lambda: (1, 512, 4000))
def my_schedule(function: Callable[[int, int, int], float]) -> None:
    """The paper's learning rate for a step, d_model and warmup."""
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    own_work(function, "paper_schedule", "TrainingConfig")
    d_model, warmup = 64, 11
    steps = (1, 2, 5, 11, 12, 50)
    found = []
    for step in steps:
        try:
            lr = function(step, d_model, warmup)
            expect(lr is not None, "It returns nothing: does it end with `return`?")
            found.append(float(with_tensors(lr)))
        except Hint:
            raise
        except Exception as error:
            raise Hint(
                f"Called with step={step}, d_model={d_model}, warmup={warmup}, it stops "
                f"with {reason_of(error)}."
            ) from None

    def formula(lr: Callable[[int], float]) -> list[float]:
        return [lr(step) for step in steps]

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
        "The two terms are compared, not added or multiplied: the smaller one counts.": [
            lambda s: scale * (s**-0.5 + s * warmup**-1.5),
            lambda s: scale * s**-0.5 * s * warmup**-1.5,
        ],
        "d_model counts for both terms: it comes before the bracket.": [
            lambda s: min(scale * s**-0.5, s * warmup**-1.5),
            lambda s: min(s**-0.5, scale * s * warmup**-1.5),
        ],
        "d_model and warmup are exchanged.": [
            lambda s: paper_schedule(s, warmup, d_model),
        ],
        "The paper's 512 is written into your function: d_model is handed in.": [
            lambda s: paper_schedule(s, 512, warmup),
        ],
        "The paper's 4000 is written into your function: warmup is handed in.": [
            lambda s: paper_schedule(s, d_model, 4000),
        ],
        "After the warm-up the rate falls with the *root* of the step: exponent -0.5.": [
            lambda s: scale * min(s**-1, s * warmup**-1.5),
            lambda s: scale * min(s**-1, s * warmup**-2),
        ],
    }
    for hint, forms in mistakes.items():
        for form in forms:
            no_slip(not close(found, formula(form)), hint)
    right = formula(lambda s: paper_schedule(s, d_model, warmup))
    for step, given, wanted in zip(steps, found, right, strict=True):
        expect(
            close([given], [wanted]),
            f"For step={step}, d_model={d_model}, warmup={warmup} it "
            f"gives {given:.5f}, not {wanted:.5f}.",
        )


def close(some: Sequence[float], others: Sequence[float]) -> bool:
    return all(math.isclose(a, b, rel_tol=1e-5) for a, b in zip(some, others, strict=True))


@implement(lambda: ([1], 1))
def my_updates(function: Callable[[list[int], int], list[tuple[float, int]]]) -> None:
    """Words in each small batch, and how many make an update -> (divide by, step) for each."""
    for words, each in ([5, 2, 3, 6, 1, 8], 3), ([4, 9, 7, 2], 2), ([6, 3], 1):
        found = result_of(function, list(words), each)
        form = (
            "Return a list with a pair for each small batch: what its loss is divided by, and "
            "a step or 0."
        )
        try:
            pairs = [(float(divide), float(step)) for divide, step in found]
        except (TypeError, ValueError):
            raise Hint(form) from None
        expect(
            len(pairs) == len(words),
            f"{form} For {len(words)} small batches there are {len(pairs)} pairs.",
        )
        given_by, given_steps = zip(*pairs, strict=True)
        right_by, right_steps = divisors_and_steps(words, each)
        by_hint = hint_for(given_by, right_by, wrong_divisors(words, each))
        steps_hint = hint_for(given_steps, right_steps, wrong_steps(words, each))
        expect(not (by_hint and steps_hint), f"Divided by: {by_hint} And the steps: {steps_hint}")
        both = f"For words = {words} and {each} to an update"
        unknown = f"{both} you divide by {list(given_by)}, with the steps {list(given_steps)}."
        expect(
            by_hint != UNKNOWN and steps_hint != UNKNOWN,
            f"{unknown} Which small batches make "
            "an update together, how many words do they contain, and when is it due?",
        )
        no_slip(not by_hint, f"Divided by: {by_hint}")
        no_slip(not steps_hint, f"The steps: {steps_hint}")


UNKNOWN = "they aren't right yet."


def divisors_and_steps(words: Sequence[int], each: int) -> tuple[list[float], list[float]]:
    """What the loss of each small batch is divided by, and the step of its update, or 0."""
    places = range(len(words))
    together = [sum(words[i - i % each : i - i % each + each]) for i in places]
    return together, [(i + 1) // each if (i + 1) % each == 0 else 0 for i in places]


def hint_for(given: Sequence[float], right: Sequence[float], mistakes: Mapping[str, list]) -> str:
    """The hint of the mistake that was made; empty where it is right."""
    if close(given, right):
        return ""
    return next(
        (hint for hint, forms in mistakes.items() if any(close(given, form) for form in forms)),
        UNKNOWN,
    )


def wrong_divisors(words: Sequence[int], each: int) -> dict[str, list[list[float]]]:
    right, ones = divisors_and_steps(words, each)[0], [1.0] * len(words)
    so_far = [sum(words[i - i % each : i + 1]) for i in range(len(words))]
    return {
        "the losses are added up, and nothing makes a mean per word of the sum.": [ones],
        "each small batch by its own words. Then a word in a small batch counts more than a word "
        "in a large one, and the sum is too large.": [list(words)],
        "that is a mean of means: a word in a small batch counts more than a word in a large "
        "one.": [[each * n for n in words]],
        "the loss is summed over *words*, so the number of small batches doesn't make it a mean "
        "per word.": [[each] * len(words)],
        "only the small batches of one update belong together, not all there are.": [
            [sum(words)] * len(words)
        ],
        "you divide by the words seen so far. The gradients are added up, so all of an update need "
        "the same divisor.": [so_far],
        "it is the words of the whole update that count, not their average.": [
            [n / each for n in right]
        ],
        "once by the words is enough: not by the number of small batches as well.": [
            [n * each for n in right]
        ],
    }


def wrong_steps(words: Sequence[int], each: int) -> dict[str, list[list[float]]]:
    places = range(len(words))
    due = [(i + 1) % each == 0 for i in places]
    return {
        "the schedule moves with every small batch. It counts updates.": [
            [i + 1 for i in places],
            list(places),
            [(i + 1) * now for i, now in enumerate(due)],
            [i * now for i, now in enumerate(due)],
        ],
        "the schedule counts from 1, so the first update is step 1.": [
            [i // each * now for i, now in enumerate(due)],
            [i // each for i in places],
        ],
        "the step is given for every small batch of an update, but the weights change only once: "
        "elsewhere it is 0.": [[i // each + 1 for i in places]],
        "you update before the gradients of the other small batches are there.": [
            [i // each + 1 if i % each == 0 else 0 for i in places],
            [i // each if i % each == 0 else 0 for i in places],
            [i if i % each == 0 else 0 for i in places],
        ],
        "the number of the update is wanted, not only whether there is one.": [
            [float(now) for now in due]
        ],
        "one step too far: nothing is added to the number of the update.": [
            [(i // each + 2) * now for i, now in enumerate(due)]
        ],
    }


MOST_STEPS = 250
NEEDED, NEEDED_ELSEWHERE = 0.95, 0.85  # the grader's processor rounds in another way than theirs


@exercise
def settings_that_copy(settings: Any) -> None:
    """Highest rate, warm-up and steps with which a tiny model learns to copy rows of digits."""
    names = ("max_lr", "warmup", "steps")
    expect(
        isinstance(settings, dict) and set(settings) == set(names),
        'Give a dict with the three names "max_lr", "warmup" and "steps".',
    )
    wanted = "The peak is a number, such as 0.001; warm-up and steps are whole numbers."
    max_lr = one_number(settings["max_lr"], wanted)
    warmup, steps = (whole_number(settings[name], wanted) for name in names[1:])
    expect(0 < max_lr <= 10, f"A learning rate is above 0, and far below 10. Yours is {max_lr}.")
    expect(1 <= warmup, f"A warm-up has at least 1 step, not {warmup}.")
    expect(
        1 <= steps <= MOST_STEPS,
        f"There are 1 to {MOST_STEPS} steps, but you want {steps}. "
        "Which of the other two numbers can help?",
    )
    expect(
        warmup <= steps,
        "Training ends before the warm-up does: the rate never gets to its peak.",
    )
    share = share_of_copies(max_lr, warmup, steps)
    needed = NEEDED_ELSEWHERE if GRADED.get() else NEEDED
    for unlikely, hint in (
        (max_lr > 0.07, "The rate is so high that each step overshoots. Try a lower peak."),
        (
            max_lr < 0.002,
            "The steps are so small that it doesn't get there in time. Try a higher peak.",
        ),
        (
            warmup < 8,
            "The rate is at its highest from the start, and falls at once. What does a "
            "longer warm-up do?",
        ),
        (steps < 150, "There is time for more steps."),
        (
            warmup > 150,
            "When the warm-up is over, training nearly is, too. What does a shorter one do?",
        ),
        (True, "Change one number at a time, and see in which direction it gets better."),
    ):
        good = share >= needed
        expect(
            good or not unlikely,
            f"It copies {share:.1%} of the rows, but {needed:.0%} are wanted. {hint}",
        )


@functools.cache  # many hand in the same settings, and training takes seconds
def share_of_copies(max_lr: float, warmup: int, steps: int) -> float:
    """Share of held-out rows that a tiny model copies without a mistake after a short training."""
    from course.experiments.digit_training import digit_pairs, learn, one_thread, right_rows

    training = TrainingConfig(
        steps=steps, max_tokens=512, max_lr=max_lr, warmup=warmup, validate_every=steps
    )
    model, _ = learn("copy", dataclasses.replace(TOY, N=1), training, max_length=8)
    with one_thread():
        return right_rows(model, digit_pairs("copy", max_length=8)[1])


PARTS = (
    "src_embed",
    "tgt_embed",
    "src_positions",
    "tgt_positions",
    "encoder",
    "decoder",
    "generator",
)
FAULTS = {
    "a": "With a schedule that stays at 0 no part would move. Here some do.",
    "b": "With gradients that add up from step to step every part would move, only badly.",
    "d": "If the loss counted the padding, every part would still get a gradient.",
    "e": "Without the shift the loss would fall far below what you see, and all parts would move.",
}


@exercise
def the_fault(still: Any, letter: Any) -> None:
    """The core exercise: which parts of the model stand still in a training, and why."""
    expect(
        isinstance(still, list | tuple | set) and all(isinstance(part, str) for part in still),
        'Give the parts as a list of names, such as ["decoder", "generator"].',
    )
    names = {part.strip() for part in still}
    for name in sorted(names - set(PARTS)):
        raise Hint(f"There is no part {name!r}. They are {', '.join(PARTS)}.")
    moved = sorted(names & {"decoder", "generator", "tgt_embed"})
    expect(
        not moved,
        f"{', '.join(moved)}: here the weights do move. Compare each weight before "
        "and after, one by one.",
    )
    no_slip(
        not names & {"src_positions", "tgt_positions"},
        "The position vectors are computed: "
        "they have no weights, so they can't stand still or move.",
    )
    no_slip(
        names != {"encoder"}, "The encoder stands still, but it isn't the only part. What feeds it?"
    )
    no_slip(names != {"src_embed"}, "The source table stands still, but it isn't the only part.")
    expect(
        names == {"encoder", "src_embed"},
        "Not all. Walk through `named_parameters`, and compare each weight before and after.",
    )
    expect(
        isinstance(letter, str) and letter.strip(" ()").lower() in {*FAULTS, "c"},
        "The reason: give one of the letters a to e, in quotes.",
    )
    chosen = letter.strip(" ()").lower()
    no_slip(
        chosen == "c", f"The right parts. But the reason isn't ({chosen}): {FAULTS.get(chosen, '')}"
    )
