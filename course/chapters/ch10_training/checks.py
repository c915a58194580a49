"""The exercises on training: the loss, the shift, the smoothed rows, the schedule, the updates.

Notebook 10 and assignment 5 share them.
"""

import dataclasses
import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from course.checks import (
    GRADED,
    Exercise,
    Hint,
    Verdicts,
    a_kind,
    alike,
    as_number,
    drawn,
    exercise,
    expect,
    implement,
    no_slip,
    numbers_in,
    one_number,
    own_work,
    reason_of,
    same,
    whole_number,
)
from transformer_lib.model.config import TOY, ModelConfig
from transformer_lib.model.transformer import Transformer
from transformer_lib.text.batching import Batch, make_batch
from transformer_lib.text.tokens import BOS, EOS, PAD
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.loss import label_smoothed_cross_entropy
from transformer_lib.training.schedules import paper_schedule

Way = Callable[..., Any]  # a program, as somebody would hand it in


@exercise
def three_numbers(guess: Any) -> None:
    """Exercise 1: two losses, and the step of the schedule with gradient accumulation."""
    even, half, step = numbers_in(
        guess, 3, "Give three numbers in a list, such as [1.00, 1.00, 1]."
    )

    def near(number: float, other: float) -> bool:
        return abs(number - other) < 0.011

    first, second = math.log(1000), math.log(2)
    named = no_slip if step == 250 else expect  # a slip, if all else is right
    named(not (near(even, second) and near(half, first)), "The first two are exchanged.")
    base = "That is the logarithm to base {}. Nats are natural logarithms: math.log."
    for one, other, hint in (
        (-first, -second, "A loss is *minus* the logarithm, so it is positive."),
        (3, math.log10(2), base.format(10)),
        (math.log2(1000), 1, base.format("2, in bits")),
    ):
        named(not near(even, one) and not near(half, other), hint)
    expect(
        not near(even, 0.001) or near(half, second),
        "0.001 is the probability. The loss is minus its logarithm.",
    )
    expect(near(even, first), "The first: every word has 1/1000. What is minus its logarithm?")
    expect(near(half, second), "The second: minus the logarithm of 0.5.")
    from_1 = "Steps count from 1, so after 250 updates it is at 250."
    steps = {
        1000: "The schedule counts updates of the weights, and four batches make one.",
        4000: "Four batches make *one* update: divide, don't multiply.",
        251: from_1,
        249: from_1,
    }
    no_slip(step not in steps, f"The step: {steps.get(step)}")
    expect(step == 250, "The step: how many updates are 1,000 batches?")


def two_rows(found: Any) -> tuple[list, list]:
    """What is read and what is predicted, as lists; a Hint for anything else."""
    try:
        read, predict = ([*torch.as_tensor(part).tolist()] for part in found)
    except (TypeError, ValueError, RuntimeError):
        raise Hint("Return two lists of ids: what is read, and what is predicted.") from None
    return read, predict


def tell_rows_apart(found: Sequence, right: Sequence) -> None:
    for (read, predict), wanted in zip(found, right, strict=True):
        ids = wanted[0][1:]
        expect(
            len(read) == len(predict),
            f"For {ids} the rows have {len(read)} and {len(predict)} places; each word read needs "
            "one to predict.",
        )
        expect(
            alike((read, predict), wanted),
            f"For {ids} you read {read} and predict {predict}. Place by place: what is known "
            "before this word is written, and what is written then?",
        )


def from_a_batch(ids: list[int]) -> tuple[Tensor, Tensor]:
    batch = make_batch([([4], ids)])
    return batch.tgt_in[0], batch.tgt_out[0]


TWICE = "Shifted twice: at the first place the model must predict the *first* word."
ONE_BOS = "Shifted twice: one <bos> is enough."
BEGINS = "The row that is read begins with <bos>, which is 1."
ENDS = "The row that is predicted ends with <eos>, which is 2."
TOO_LONG = (
    "What is read is one too long: after <eos> there is nothing to predict, so it isn't read."
)
two_shifted_rows = Exercise(
    "my_shift",
    "Exercise 2 of assignment 5: ids of a translation -> (tgt_in, tgt_out), two lists.",
    inputs=lambda: [([7, 5, 11],), ([13],), ([],)],
    right=[
        lambda ids: ([BOS, *ids], [*ids, EOS]),
        lambda ids: (torch.tensor([BOS, *ids]), (*ids, EOS)),
    ],
    not_allowed=("make_batch",),
    borrowed=[from_a_batch],
    read=two_rows,
    unlike=tell_rows_apart,
    mistakes={"Both rows are the same, and <bos> and <eos> are missing.": [lambda ids: (ids, ids)]},
    slips={
        "Both rows are the same: then the model learns to copy what it reads. What is predicted "
        "must be one place ahead.": [lambda ids: [[BOS, *ids, EOS]] * 2],
        "Both rows are the same: then the model learns to copy what it reads. Put <bos> in front "
        "of what is read.": [lambda ids: [[*ids, EOS]] * 2],
        "The two rows are exchanged: <bos> is read, <eos> is predicted.": [
            lambda ids: ([*ids, EOS], [BOS, *ids])
        ],
        "<bos> is given, it need not be predicted.": [lambda ids: ([BOS, *ids], [BOS, *ids, EOS])],
        "The end must be learned too: put <eos> at the end of what is predicted.": [
            lambda ids: ([BOS, *ids], ids)
        ],
        "The end must be learned too: put <eos> at the end of what is predicted, and read the last "
        "word.": [lambda ids: ([BOS, *ids[:-1]], ids)],
        TWICE: [
            lambda ids: ([BOS, *ids], [*ids[1:], EOS, PAD]),
            lambda ids: ([BOS, *ids], [*ids[1:], EOS]),
        ],
        ONE_BOS: [
            lambda ids: ([BOS, BOS, *ids], [*ids, EOS, PAD]),
            lambda ids: ([BOS, BOS, *ids], [*ids, EOS]),
        ],
        TOO_LONG: [
            lambda ids: ([BOS, *ids, EOS], [*ids, EOS]),
            lambda ids: ([BOS, *ids, EOS], [*ids, EOS, PAD]),
        ],
        BEGINS: [
            lambda ids: ([EOS, *ids], [*ids, EOS]),
            lambda ids: ([PAD, *ids], [*ids, EOS]),
        ],
        ENDS: [
            lambda ids: ([BOS, *ids], [*ids, PAD]),
            lambda ids: ([BOS, *ids], [*ids, BOS]),
        ],
    },
)


@implement(lambda: ([7, 5, 11],))
def my_shift(function: Any) -> None:
    """Exercise 3: the same, and ids stays as it is."""
    two_shifted_rows.judge(function)
    ids = [7, 5, 11]
    function(ids)
    no_slip(
        ids == [7, 5, 11],
        "Both rows are right, but the list `ids` that was handed in has changed as well. Make new "
        "lists, such as [*ids, 2].",
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


def after_updates(update: Way) -> tuple[list[Any], Tensor, list[str]]:
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
) -> Way:
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


UPDATE_SLIPS: dict[str, dict[str, Any]] = {
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
    "The softmax is applied twice: the loss wants the logits themselves.": {"softmax": True},
}


@implement(first_update)
def my_update(function: Way) -> None:
    """One update of the weights, (model, optimizer, batch, lr) -> loss."""
    expect(callable(function), "Hand over the function itself: its name, without parentheses.")
    own_work(function, "update")  # not "train": `model.train()` is a habit of PyTorch
    judge_updates(lambda: after_updates(function))


def judge_updates(updates: Callable[[], tuple[list[Any], Tensor, list[str]]]) -> None:
    """A Hint unless what two updates did, as `after_updates` tells it, is right."""
    try:
        losses, found, did = updates()
    except Hint:
        raise
    except Exception as error:
        raise Hint(f"It stops with {reason_of(error)}.") from None
    expect(losses[0] is not None, "It returns nothing: end with `return loss.item()`.")
    right_losses, right, _ = after_updates(an_update())
    if not same(found, right):
        in_order(did)
        for hint, slip in UPDATE_SLIPS.items():
            no_slip(not same(found, after_updates(an_update(**slip))[1]), hint)
        raise Hint(
            "The weights move, but not as they should. In order: the rate, the logits, the loss, "
            "backward, step, zero_grad, once each."
        )
    given = [as_number(loss) for loss in losses]
    expect(
        alike(given, right_losses),
        "The weights are right. What it returns should be the loss of this batch, as a number: "
        "loss.item().",
    )


def example() -> tuple[Tensor, Tensor]:
    """Logits (3, 5, 7) and targets (3, 5) with 5, 3 and 1 real words."""
    logits = 2 * drawn(3, 5, 7, seed=7)
    target = torch.tensor([[4, 6, 3, 5, EOS], [6, 4, EOS, PAD, PAD], [EOS, PAD, PAD, PAD, PAD]])
    return logits, target


def picked(scores: Tensor, target: Tensor) -> Tensor:
    """The number of the right word at each place: (b, t)."""
    return scores.gather(-1, target[..., None])[..., 0]


def mean(each: Tensor, target: Tensor) -> Tensor:
    """The mean over all real words."""
    return each[target != PAD].mean()


def hard(logits: Tensor, target: Tensor) -> Tensor:
    """The loss at each place, without label smoothing."""
    return -picked(logits.log_softmax(-1), target)


def smooth(log_p: Tensor, target: Tensor, eps: float) -> Tensor:
    """The loss at each place, with label smoothing."""
    return -(1 - eps) * picked(log_p, target) - eps * log_p.mean(-1)


def a_loss(found: Any) -> Tensor:
    """The one number that was returned, in a tensor or as Python's own: a tensor ()."""
    found = as_number(found)
    if isinstance(found, Tensor):
        raise Hint(f"The loss is one number, but yours has the shape {tuple(found.shape)}.")
    expect(type(found) in (int, float), f"It should return a tensor, not {a_kind(found)}.")
    return torch.tensor(float(found))


def without_padding() -> tuple[Tensor, Tensor]:
    logits, target = example()
    return logits[:1], target[:1]


FULL = "Right for the example, but not for a batch without padding."


def one_number_of(each: Way) -> dict[str, list[Way]]:
    """Mistakes on the way from the loss at each place to one number."""
    together: dict[str, Way] = {
        "The padding counts too. Leave out the places where the target is 0.": (
            lambda losses, real: losses.mean()
        ),
        "The padding adds nothing to the sum, but you still divide by all places. Divide by the "
        "number of real words.": lambda losses, real: (losses * real).mean(),
        "That is the sum. Divide by the number of real words.": (
            lambda losses, real: losses[real].sum()
        ),
        "That is the sum, padding and all.": lambda losses, real: losses.sum(),
        "You divide by the number of real words, but the sum still contains the padding.": (
            lambda losses, real: losses.sum() / real.sum()
        ),
        "You divide by the number of sentences. Divide by the number of real words.": (
            lambda losses, real: losses[real].sum() / len(real)
        ),
        "You average each sentence first and then the sentences, so a word in a short sentence "
        "counts more. Average over all real words.": (
            lambda losses, real: ((losses * real).sum(1) / real.sum(1)).mean()
        ),
        "The sign: the loss is *minus* the logarithm.": lambda losses, real: -losses[real].mean(),
        "That is in bits. Use the natural logarithm.": (
            lambda losses, real: losses[real].mean() / math.log(2)
        ),
        FULL: lambda losses, real: losses[real].sum() / 9,
    }

    def way(total: Way) -> Way:
        return lambda x, y, *eps: total(each(x, y, *eps), y != PAD)

    return {hint: [way(total)] for hint, total in together.items()}


LOG_OF_MEAN = "First the logarithm of each, then the mean: not the logarithm of the mean."
ON_AXIS_1 = (
    "PyTorch's cross_entropy wants the words on axis 1: transpose the logits, or flatten both."
)
AS_IDS = "The targets are ids, whole numbers: keep their type."
my_loss = Exercise(
    "my_loss",
    "Exercise 3: logits (b, t, vocab_size), target (b, t) -> mean loss per real word.",
    inputs=example,
    right=[
        lambda x, y: mean(hard(x, y), y),
        lambda x, y: cross_entropy(x.flatten(0, 1), y.flatten(), ignore_index=PAD),
    ],
    read=a_loss,
    errors={"Expected target size": ON_AXIS_1, "expected target dtype": AS_IDS},
    slips=one_number_of(hard)
    | {
        "The softmax is applied twice: cross_entropy wants the logits themselves.": [
            lambda x, y: mean(hard(x.softmax(-1), y), y)
        ],
        "The softmax is applied twice (cross_entropy wants the logits themselves), and the padding "
        "counts.": [lambda x, y: hard(x.softmax(-1), y).mean()],
        "That is the mean probability of the right words. The loss is minus its logarithm.": [
            lambda x, y: mean(picked(x.softmax(-1), y), y)
        ],
        "The logarithm is missing: that is minus the mean probability of the right words.": [
            lambda x, y: -mean(picked(x.softmax(-1), y), y)
        ],
        "That is the mean of the logits. First make log-probabilities: `log_softmax`.": [
            lambda x, y: -mean(picked(x, y), y)
        ],
        LOG_OF_MEAN: [lambda x, y: -mean(picked(x.softmax(-1), y), y).log()],
        "The target is shifted again. `make_batch` has done that: place i of the logits belongs to "
        "place i of the target.": [lambda x, y: mean(hard(x[:, :-1], y[:, 1:]), y[:, 1:])],
        "That is with label smoothing; this exercise asks for none.": [
            lambda x, y: label_smoothed_cross_entropy(x, y, 0.1)
        ],
        ON_AXIS_1: [lambda x, y: cross_entropy(x, y)],
        AS_IDS: [lambda x, y: cross_entropy(x.flatten(0, 1), y.flatten().int())],
    },
    elsewhere={FULL: without_padding},
)

# How smoothing may be spread in another way: the rows of the target, made of the hard ones, and
# what is said to rows and to a loss that are made so.
SPREAD = (
    (
        lambda hot, eps, n: hot,
        "Those are the hard targets: where is eps?",
        "That is the loss without smoothing: the third argument isn't used.",
    ),
    (
        lambda hot, eps, n: 0.9 * hot + 0.1 / n,
        "eps is an argument, it isn't always 0.1.",
        "`smoothing` is an argument, it isn't always 0.1.",
    ),
    (
        lambda hot, eps, n: (1 - eps) * hot + (1 - hot) * eps / n,
        "The right word gets its share of eps as well, so your rows add up to less than 1.",
        "The right word gets its share of `smoothing` as well, so your target adds up to less than "
        "1.",
    ),
    (
        lambda hot, eps, n: (1 - eps) * hot + (1 - hot) * eps / (n - 1),
        "You spread eps over the wrong words only. Here it is over all of them, the right one too.",
        "You spread `smoothing` over the wrong words only. Here `smoothing` is spread over all "
        "words, the right one and the special tokens too.",
    ),
    (
        lambda hot, eps, n: hot + eps / n,
        "The right word must give eps away first: the rows add up to more than 1.",
        "The right word must give `smoothing` away first: your target adds up to more than 1.",
    ),
    (
        lambda hot, eps, n: (1 - eps) * hot + eps,
        "Every word got all of eps. Divide it among them.",
        "Every word got all of `smoothing`. Divide it among them.",
    ),
    (
        lambda hot, eps, n: eps * hot + (1 - eps) / n,
        "eps and 1 - eps are exchanged.",
        "`smoothing` and 1 - `smoothing` are exchanged.",
    ),
)


def against(rows: Way) -> Way:
    """The loss against rows of the target that are made of the hard ones, (b, t, vocab_size)."""

    def program(logits: Tensor, target: Tensor, eps: float) -> Tensor:
        n = logits.size(-1)
        target_rows = rows(one_hot(target, n), eps, n)
        return mean(-(target_rows * logits.log_softmax(-1)).sum(-1), target)

    return program


def scored(scores: Way) -> Way:
    """The smoothed loss with something else in the place of log_softmax(-1)."""
    return lambda x, y, eps: mean(smooth(scores(x), y, eps), y)


def no_share_for_padding(rows: Tensor) -> Tensor:
    return torch.cat([0 * rows[..., :1], rows[..., 1:]], dim=-1)


IN_BOTH = "In the smoothed part the padding counts too. Both parts leave it out."
SIZES = (
    "The shapes don't fit. One loss for each place has the shape of the target; what `gather` "
    "leaves has an axis more."
)
AXES = "`gather` wants the ids with as many axes as the logits: unsqueeze the target."
ROUNDED = (
    "Right for small scores; for large ones a probability is rounded to 0, and its logarithm is "
    "lost. Which function takes the softmax and its logarithm in one?"
)
my_smoothed_loss = Exercise(
    "my_smoothed_loss",
    "Logits (b, t, vocab_size), target (b, t), smoothing -> mean smoothed loss per real word.",
    inputs=lambda: (*example(), 0.2),
    right=[
        scored(lambda x: x.log_softmax(-1)),
        against(lambda hot, eps, n: (1 - eps) * hot + eps / n),
    ],
    not_allowed=("cross_entropy", "CrossEntropyLoss", "label_smoothed_cross_entropy"),
    borrowed=[
        lambda x, y, eps: cross_entropy(
            x.transpose(1, 2), y, label_smoothing=eps, ignore_index=PAD
        ),
    ],
    read=a_loss,
    errors={"must match the size": SIZES, "same number of dimensions": AXES},
    slips=one_number_of(lambda x, y, eps: smooth(x.log_softmax(-1), y, eps))
    | {in_a_loss: [against(rows)] for rows, _, in_a_loss in SPREAD}
    | {
        IN_BOTH: [
            lambda x, y, eps: (1 - eps) * mean(hard(x, y), y) - eps * x.log_softmax(-1).mean(),
            lambda x, y, eps: (
                (1 - eps) * mean(hard(x, y), y)
                - eps * x.log_softmax(-1).mean(-1).sum() / (y != PAD).sum()
            ),
        ],
        "The softmax runs over the places. It should run over the words, the last axis.": [
            scored(lambda x: x.log_softmax(1))
        ],
        "The softmax runs over the sentences. It should run over the words, the last axis.": [
            scored(lambda x: x.log_softmax(0))
        ],
        "The softmax is applied twice: log_softmax wants the logits themselves.": [
            scored(lambda x: x.softmax(-1).log_softmax(-1))
        ],
        "There is no softmax: the logits aren't logarithms of probabilities yet.": [
            scored(lambda x: x)
        ],
        "The logarithm is missing: a loss is minus the *logarithm* of a probability.": [
            scored(lambda x: x.softmax(-1))
        ],
        "You smoothed what the model predicts. Smooth the target: a part of the loss for each "
        "word's logarithm.": [
            lambda x, y, eps: mean(
                -((1 - eps) * picked(x.softmax(-1), y) + eps / x.size(-1)).log(), y
            )
        ],
        "You spread `smoothing` over the wrong words without <pad>. Here `smoothing` is spread "
        "over all words, the right one and the special tokens too.": [
            against(
                lambda hot, eps, n: no_share_for_padding(
                    (1 - eps) * hot + (1 - hot) * eps / (n - 2)
                )
            )
        ],
        "You left <pad> out of the vocabulary. Here `smoothing` is spread over all words, the "
        "right one and the special tokens too.": [
            against(lambda hot, eps, n: no_share_for_padding((1 - eps) * hot + eps / (n - 1)))
        ],
        "The right word gives `smoothing` away, but nobody gets it: the second part is missing.": [
            against(lambda hot, eps, n: (1 - eps) * hot)
        ],
        LOG_OF_MEAN: [lambda x, y, eps: -mean(picked(x.softmax(-1), y), y).log()],
        "The target is shifted again. Place i of the logits belongs to place i of the target.": [
            lambda x, y, eps: my_smoothed_loss.right[0](x[:, :-1], y[:, 1:], eps)
        ],
        SIZES: [lambda x, y, eps: mean(eps * x * y, y)],
        AXES: [lambda x, y, eps: mean(-x.log_softmax(-1).gather(-1, y), y)],
        ROUNDED: [scored(lambda x: x.softmax(-1).log())],
    },
    elsewhere={
        FULL: lambda: (*without_padding(), 0.2),
        ROUNDED: lambda: (60 * example()[0], example()[1], 0.2),
    },
)


def rows_of(rows: Way) -> Way:
    return lambda target, n, eps: rows(one_hot(target, n).float(), eps, n)


right_rows = rows_of(lambda hot, eps, n: (1 - eps) * hot + eps / n)
SHARES = (
    "You divide by vocab_size - {}, but give a share to all vocab_size words: the rows add up to "
    "more than 1."
)
my_smoothed_rows = Exercise(
    "my_smoothed_rows",
    "Exercise 4: target (t), vocab_size, eps -> rows (t, vocab_size), eps spread over all.",
    inputs=lambda: (torch.tensor([4, 6, 2]), 7, 0.2),
    right=[right_rows],
    slips={in_rows: [rows_of(rows)] for rows, in_rows, _ in SPREAD}
    | {
        "There should be a row for each target.": [lambda *given: right_rows(*given)[0]],
        "Turned: a row for each target, a column for each word.": [
            lambda *given: right_rows(*given).T
        ],
        "You divide eps by vocab_size - 2. Here it is spread over all words, the right one and the "
        "special tokens too.": [
            rows_of(lambda hot, eps, n: (1 - eps) * hot + (1 - hot) * eps / (n - 2))
        ],
        SHARES.format(1): [rows_of(lambda hot, eps, n: (1 - eps) * hot + eps / (n - 1))],
        SHARES.format(2): [rows_of(lambda hot, eps, n: (1 - eps) * hot + eps / (n - 2))],
        "Those are logarithms. Give the probabilities.": [lambda *given: right_rows(*given).log()],
    },
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


ABOUT_RATES = {
    "sound": "reaches its highest rate at update 4,000, as high as Equation 3 says, and falls.",
    BY_BATCH: "has a peak of the right height. At which update?",
    WIDTH: "has its peak at the right update. How high should it be for d_model = 512?",
    NEVER: "rises as it should. Compare updates 4,000 and 12,000: by the root of 3 it should "
    "have fallen.",
}
schedule_faults = Verdicts(
    "schedule_faults",
    "Exercise 6: which of `logged_rates` follows Equation 3, and what is wrong with the others?",
    LOGGED,
    tuple(ABOUT_RATES),
    lambda name, said: f"{name} {ABOUT_RATES[LOGGED[name]]}",
    slips=2,
    counts=True,
)


def scheduled(width: float = -0.5, fall: float = -0.5, rise: float = -1.5, of: Way = min) -> Way:
    """The paper's schedule, or one with other exponents, or another choice of the two terms."""
    return lambda step, d, w: d**width * of(step**fall, step * w**rise)


rate = scheduled()


def one_rate(found: Any) -> float:
    return one_number(found, "It should return one number, the rate at this step.")


def tell_rates_apart(found: Sequence[float], right: Sequence[float]) -> None:
    for given, wanted, (step, d_model, warmup) in zip(
        found, right, my_schedule.inputs(), strict=True
    ):
        expect(
            alike(given, wanted),
            f"For step={step}, d_model={d_model}, warmup={warmup} it gives {given:.5f}, not "
            f"{wanted:.5f}.",
        )


WIDE = "d_model has the exponent -0.5: wide models get *smaller* steps."
COMPARED = "The two terms are compared, not added or multiplied: the smaller one counts."
BRACKET = "d_model counts for both terms: it comes before the bracket."
ROOT = "After the warm-up the rate falls with the *root* of the step: exponent -0.5."
my_schedule = Exercise(
    "my_schedule",
    "The paper's learning rate for a step, d_model and warmup.",
    inputs=lambda: [(step, 64, 11) for step in (1, 2, 5, 11, 12, 50)],
    right=[
        rate,
        lambda s, d, w: (d * w) ** -0.5 * (s / w if s < w else math.sqrt(w / s)),
    ],
    not_allowed=("paper_schedule", "TrainingConfig"),
    borrowed=[lambda s, d, w: paper_schedule(s, d, w)],
    read=one_rate,
    unlike=tell_rates_apart,
    slips={
        "The warm-up has the exponent -1.5, not -0.5: so the two terms meet at step = warmup.": [
            scheduled(rise=-0.5)
        ],
        "The warm-up has the exponent -1.5, not -1.": [scheduled(rise=-1)],
        "The smaller of the two terms, not the larger: the rate starts low.": [scheduled(of=max)],
        "There is no warm-up in it: at step 1 the rate is already at its highest. The second term "
        "is the step times warmup to the power of *minus* 1.5.": [
            scheduled(of=lambda one, other: one),
        ],
        "It never falls: after the warm-up comes the root of the step.": [
            scheduled(of=lambda one, other: other),
        ],
        "d_model is missing: wide models get smaller steps.": [scheduled(width=0)],
        WIDE: [scheduled(width=0.5), scheduled(width=-1)],
        "It is one step ahead: steps count from 1 already, so nothing has to be added.": [
            lambda s, d, w: rate(s + 1, d, w)
        ],
        "It is one step late: the rates of step 1 and 2 are the same.": [
            lambda s, d, w: rate(max(s - 1, 1), d, w)
        ],
        "It is one step late: steps count from 1, so nothing has to be subtracted.": [
            lambda s, d, w: rate(s - 1, d, w) if s > 1 else 0.0
        ],
        COMPARED: [
            scheduled(of=operator.add),
            scheduled(of=operator.mul),
        ],
        BRACKET: [
            lambda s, d, w: min((d * s) ** -0.5, s * w**-1.5),
            lambda s, d, w: min(s**-0.5, d**-0.5 * s * w**-1.5),
        ],
        "d_model and warmup are exchanged.": [lambda s, d, w: rate(s, w, d)],
        "The paper's 512 is written into your function: d_model is handed in.": [
            lambda s, d, w: rate(s, 512, w)
        ],
        "The paper's 4000 is written into your function: warmup is handed in.": [
            lambda s, d, w: rate(s, d, 4000)
        ],
        ROOT: [
            scheduled(fall=-1),
            scheduled(fall=-1, rise=-2),
        ],
    },
)


def plan(
    divide: Way = lambda words, group, i, each: sum(group),
    step: Way = lambda g, i, each: (g + 1) * (i == each - 1),
) -> Way:
    """The plan of large batches in small pieces, or one with a mistake.

    group: the words of the small batches of update number g; i: the place among them.
    """

    def program(words: list[int], each: int) -> list[tuple[float, int]]:
        pairs = []
        for place in range(len(words)):
            g, i = divmod(place, each)
            group = words[g * each : (g + 1) * each]
            pairs.append((divide(words, group, i, each), step(g, i, each)))
        return pairs

    return program


FORM = (
    "Return a list with a pair for each small batch: what its loss is divided by, and a step or 0."
)


def as_plan(found: Any) -> list[tuple[float, float]]:
    try:
        return [(float(divide), float(step)) for divide, step in found]
    except (TypeError, ValueError):
        raise Hint(FORM) from None


def tell_plans_apart(found: Sequence, right: Sequence) -> None:
    for (words, each), pairs, wanted in zip(my_updates.inputs(), found, right, strict=True):
        expect(
            len(pairs) == len(words),
            f"{FORM} For {len(words)} small batches there are {len(pairs)} pairs.",
        )
        by, steps = map(list, zip(*pairs, strict=True))
        expect(
            alike(pairs, wanted),
            f"For words = {words} and {each} to an update you divide by {by}, with the steps "
            f"{steps}. Which small batches make an update together, how many words do they "
            "contain, and when is it due?",
        )


DIVISORS: dict[str, Way] = {
    "the losses are added up, and nothing makes a mean per word of the sum.": (
        lambda words, group, i, each: 1
    ),
    "each small batch by its own words. Then a word in a small batch counts more than a "
    "word in a large one, and the sum is too large.": (lambda words, group, i, each: group[i]),
    "that is a mean of means: a word in a small batch counts more than a word in a large one.": (
        lambda words, group, i, each: group[i] * each
    ),
    "the loss is summed over *words*, so the number of small batches doesn't make it a "
    "mean per word.": lambda words, group, i, each: each,
    "only the small batches of one update belong together, not all there are.": (
        lambda words, group, i, each: sum(words)
    ),
    "you divide by the words seen so far. The gradients are added up, so all of an "
    "update need the same divisor.": lambda words, group, i, each: sum(group[: i + 1]),
    "it is the words of the whole update that count, not their average.": (
        lambda words, group, i, each: sum(group) / each
    ),
    "once by the words is enough: not by the number of small batches as well.": (
        lambda words, group, i, each: sum(group) * each
    ),
}
STEPS: dict[str, list[Way]] = {
    "the schedule moves with every small batch. It counts updates.": [
        lambda g, i, each: g * each + i + 1,
        lambda g, i, each: g * each + i,
        lambda g, i, each: (g * each + i + 1) * (i == each - 1),
        lambda g, i, each: (g * each + i) * (i == each - 1),
    ],
    "the schedule counts from 1, so the first update is step 1.": [
        lambda g, i, each: g * (i == each - 1),
        lambda g, i, each: g,
    ],
    "the step is given for every small batch of an update, but the weights change "
    "only once: elsewhere it is 0.": [lambda g, i, each: g + 1],
    "you update before the gradients of the other small batches are there.": [
        lambda g, i, each: (g + 1) * (i == 0),
        lambda g, i, each: g * (i == 0),
        lambda g, i, each: g * each * (i == 0),
    ],
    "the number of the update is wanted, not only whether there is one.": [
        lambda g, i, each: int(i == each - 1)
    ],
    "one step too far: nothing is added to the number of the update.": [
        lambda g, i, each: (g + 2) * (i == each - 1)
    ],
}
my_updates = Exercise(
    "my_updates",
    "Words in each small batch, and how many make an update -> (divide by, step) for each.",
    inputs=lambda: [([5, 2, 3, 6, 1, 8], 3), ([4, 9, 7, 2], 2), ([6, 3], 1)],
    right=[plan()],
    read=as_plan,
    unlike=tell_plans_apart,
    slips={f"Divided by: {by}": [plan(way)] for by, way in DIVISORS.items()}
    | {f"The steps: {then}": [plan(step=way) for way in ways] for then, ways in STEPS.items()},
    mistakes={
        f"Divided by: {by} And the steps: {then}": [plan(divide, step) for step in steps]
        for by, divide in DIVISORS.items()
        for then, steps in STEPS.items()
    },
)


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
