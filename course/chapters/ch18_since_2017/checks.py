"""The exercises of notebook 18: a norm without the mean, and one block of flash attention."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from course.checks import ELSEWHERE, Exercise, a_kind, expect, tell_apart


def rms_inputs() -> tuple[Tensor, Tensor, float]:
    x = torch.tensor([[[1.0, 2.0, 4.0], [0.5, -3.0, 1.0]], [[6.0, 0.0, 2.0], [-1.0, -1.0, 5.0]]])
    return x, torch.tensor([1.0, 2.0, 0.5]), 0.1


def mean(x: Tensor) -> Tensor:
    return x.mean(dim=-1, keepdim=True)


def right_rms(x: Tensor, scale: Tensor, eps: float) -> Tensor:
    """x / sqrt(mean of x^2 + eps) * scale."""
    return divided_by(lambda x: mean(x.square()))(x, scale, eps)


def divided_by(square: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Tensor, float], Tensor]:
    """The norm with something else in the place of the mean square."""
    return lambda x, scale, eps: x / (square(x) + eps).sqrt() * scale


KEEPDIM = "The mean needs a last axis of size 1 to fit the words: `keepdim=True`."
my_rms_norm = Exercise(
    "my_rms_norm",
    "Exercise: vectors (b, s, d_model), a scale (d_model) and a small number -> the same shape.",
    inputs=rms_inputs,
    right=[right_rms, lambda x, s, e: s * x * torch.rsqrt((x * x).mean(-1, True) + e)],
    not_allowed=("RMSNorm", "rms_norm"),
    borrowed=[lambda x, s, e: torch.rms_norm(x, (3,), s, e)],
    errors={"must match the size": KEEPDIM},
    slips={
        KEEPDIM: [divided_by(lambda x: x.square().mean(-1))],
        "The scale is missing.": [lambda x, s, e: right_rms(x, torch.ones_like(s), e)],
        "That is layer norm: here no mean is taken off.": [
            lambda x, s, e: right_rms(x - mean(x), s, e)
        ],
        "The root is missing: it is the *root* of the mean square.": [
            lambda x, s, e: x / (mean(x.square()) + e) * s
        ],
        "`eps` belongs inside the root.": [lambda x, s, e: x / (mean(x.square()).sqrt() + e) * s],
        "`eps` is missing: a vector of zeros would be divided by 0.": [
            lambda x, s, e: right_rms(x, s, 0.0)
        ],
        "That is the sum of the squares. Take their mean.": [
            divided_by(lambda x: x.square().sum(-1, True))
        ],
        "Each word has a mean square of its own: take it over the last axis only.": [
            divided_by(lambda x: x.square().mean())
        ],
        "You mix the words of a sentence: take the mean over the last axis, the numbers of one "
        "word.": [divided_by(lambda x: x.square().mean(1, True))],
        "First square, then the mean: that is the square of the mean.": [
            divided_by(lambda x: mean(x).square())
        ],
        "That is the standard deviation. The mean is not taken off before squaring, either.": [
            divided_by(lambda x: x.var(-1, correction=0, keepdim=True))
        ],
        "Divide by the root: you multiply.": [
            lambda x, s, e: x * (mean(x.square()) + e).sqrt() * s
        ],
        ELSEWHERE: [divided_by(lambda x: x.square().sum(-1, True) / 3)],
    },
    elsewhere={
        ELSEWHERE: lambda: (
            torch.tensor([[[0.5, -2.0], [3.0, 1.0], [0.0, 0.0]]]),
            torch.tensor([1.0, 2.0]),
            0.01,
        )
    },
)


def block_inputs() -> tuple[Tensor, ...]:
    """For three queries: the running results for the keys so far, and scores of four new keys."""
    largest = torch.tensor([[1.0], [3.0], [-0.5]])
    weight = torch.tensor([[2.0], [1.5], [3.0]])
    total = torch.tensor([[1.0, -2.0], [0.5, 0.25], [2.0, 1.0]])
    scores = torch.tensor([[2.0, 0.0, 1.0, -1.0], [1.0, 2.0, 0.5, 2.5], [0.0, 1.5, -2.0, 0.3]])
    values = torch.tensor([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [3.0, 0.5]])
    return largest, weight, total, scores, values


def first_block() -> tuple[Tensor, ...]:
    """Nothing is kept yet, and the largest of the scores is far below 0."""
    *_, scores, values = block_inputs()
    begin = torch.full((2, 1), -math.inf), torch.zeros(2, 1), torch.zeros(2, 2)
    return *begin, scores[:2, :3] * -100, values[:3]


Three = tuple[Tensor, Tensor, Tensor]


def block(
    largest_of: str = "both",
    off: str = "new",
    *,
    weight_by: int = 1,
    total_by: int = 1,
    anew: bool = False,
    divide: bool = False,
) -> Callable[..., Three]:
    """The three numbers that flash attention keeps, after one more block; or one thing otherwise.

    weight_by, total_by: the power of the factor by which the old sums shrink.
    """

    def run(largest: Tensor, weight: Tensor, total: Tensor, scores: Tensor, values: Tensor):
        own = scores.amax(dim=-1, keepdim=True)
        new = {"both": torch.maximum(largest, own), "own": own, "old": largest}[largest_of]
        shrink = (largest - new).exp() * (not anew)
        e = (scores - {"new": new, "own": own, "nothing": 0.0}[off]).exp()
        weight = weight * shrink**weight_by + e.sum(dim=-1, keepdim=True)
        total = total * shrink**total_by + e @ values
        return new, weight, total / weight if divide else total

    return run


step = block()


def three_tensors(found: Any) -> list[Tensor]:
    expect(
        isinstance(found, tuple | list) and len(found) == 3,
        "Return three things: largest, weight, total.",
    )
    for name, one in zip(PARTS, found, strict=True):
        expect(isinstance(one, Tensor), f"{name} should be a tensor, not {a_kind(one)}.")
    return [one.detach().float() for one in found]


PARTS = ("largest", "weight", "total")


def is_no_block(found: Sequence[Tensor], right: Three) -> None:
    for name, one, wanted in zip(PARTS, found, right, strict=True):
        expect(
            one.shape == wanted.shape,
            f"The shape of {name} is {tuple(one.shape)}, but it should be {tuple(wanted.shape)}.",
        )
    tell_apart(found, list(right))


my_block = Exercise(
    "my_block",
    "Exercise: largest (q, 1), weight (q, 1), total (q, d_v), scores (q, k), values (k, d_v) -> "
    "the first three, after these keys.",
    inputs=block_inputs,
    right=[step],
    not_allowed=("flash_attention", "logsumexp", "softmax"),
    read=three_tensors,
    slips={
        "The old sums were made with the old largest score: when a larger one comes, both shrink "
        "by e^(old - new).": [block(weight_by=0, total_by=0)],
        "weight shrinks, but total has to shrink by as much.": [block(total_by=0)],
        "total shrinks, but weight has to shrink by as much.": [block(weight_by=0)],
        "The old sums grow there: it is e^(old - new), which is 1 or less.": [
            block(weight_by=-1, total_by=-1)
        ],
        "largest forgets the keys before: it is the larger of the old one and the block's.": [
            block("own")
        ],
        "largest stays as it was: a large score in this block would make e^(score - largest) too "
        "large.": [block("old")],
        "Take the largest score off before the exponential.": [block(off="nothing")],
        "In the new terms, too, the new largest score is taken off, not the block's own.": [
            block(off="own")
        ],
        "What was kept of the keys before is lost: add to it.": [block(anew=True)],
        "Don't divide yet: that is done once, after the last block.": [block(divide=True)],
        ELSEWHERE: [
            lambda largest, *rest: (lambda new, *sums: (new.clamp(min=-0.5), *sums))(
                *step(largest.clamp(min=-0.5), *rest)
            )
        ],
    },
    unlike=is_no_block,
    elsewhere={ELSEWHERE: first_block},
)
