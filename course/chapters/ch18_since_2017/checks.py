"""The exercises of notebook 18: a norm without the mean, one block of flash attention, a window."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from course.checks import (
    a_kind,
    call,
    compare,
    elsewhere,
    expect,
    implement,
    no_slip,
    own_work,
    result_of,
)


def rms_inputs() -> tuple[Tensor, Tensor, float]:
    x = torch.tensor([[[1.0, 2.0, 4.0], [0.5, -3.0, 1.0]], [[6.0, 0.0, 2.0], [-1.0, -1.0, 5.0]]])
    return x, torch.tensor([1.0, 2.0, 0.5]), 0.1


def right_rms(x: Tensor, scale: Tensor, eps: float) -> Tensor:
    """x / sqrt(mean of x^2 + eps) * scale."""
    return x / (x.square().mean(dim=-1, keepdim=True) + eps).sqrt() * scale


@implement(rms_inputs)
def my_rms_norm(function: Callable[[Tensor, Tensor, float], Tensor]) -> None:
    """Exercise: vectors (b, s, d_model), a scale (d_model) and a small number -> the same shape."""
    own_work(function, "RMSNorm", "rms_norm")
    x, scale, eps = rms_inputs()
    stops = {
        "must match the size": "The mean needs a last axis of size 1 to fit the words: "
        "`keepdim=True`."
    }
    found = call(function, x, scale, eps, stops=stops)
    square = x.square().mean(dim=-1, keepdim=True)
    centered = x - x.mean(dim=-1, keepdim=True)
    mistakes = [
        (right_rms(x, torch.ones(3), eps), "The scale is missing."),
        (right_rms(centered, scale, eps), "That is layer norm: here no mean is taken off."),
        (x / (square + eps) * scale, "The root is missing: it is the *root* of the mean square."),
        (x / (square.sqrt() + eps) * scale, "`eps` belongs inside the root."),
        (x / square.sqrt() * scale, "`eps` is missing: a vector of zeros would be divided by 0."),
        (
            x / (x.square().sum(dim=-1, keepdim=True) + eps).sqrt() * scale,
            "That is the sum of the squares. Take their mean.",
        ),
        (
            x / (x.square().mean() + eps).sqrt() * scale,
            "Each word has a mean square of its own: take it over the last axis only.",
        ),
        (
            x / (x.square().mean(dim=1, keepdim=True) + eps).sqrt() * scale,
            "You mix the words of a "
            "sentence: take the mean over the last axis, the numbers of one word.",
        ),
        (
            x / (x.mean(dim=-1, keepdim=True).square() + eps).sqrt() * scale,
            "First square, then the mean: that is the square of the mean.",
        ),
        (
            x / (centered.square().mean(dim=-1, keepdim=True) + eps).sqrt() * scale,
            "That is the standard deviation. The mean is not taken off before squaring, either.",
        ),
        (x * (square + eps).sqrt() * scale, "Divide by the root: you multiply."),
    ]
    compare(found, right_rms(x, scale, eps), mistakes)
    other = torch.tensor([[0.5, -2.0], [3.0, 1.0], [0.0, 0.0]])[None]
    elsewhere(function, right_rms(other, scale[:2], 0.01), other, scale[:2], 0.01)


def block_inputs() -> tuple[Tensor, ...]:
    """For three queries: the running results for the keys so far, and scores of four new keys."""
    largest = torch.tensor([[1.0], [3.0], [-0.5]])
    weight = torch.tensor([[2.0], [1.5], [3.0]])
    total = torch.tensor([[1.0, -2.0], [0.5, 0.25], [2.0, 1.0]])
    scores = torch.tensor([[2.0, 0.0, 1.0, -1.0], [1.0, 2.0, 0.5, 2.5], [0.0, 1.5, -2.0, 0.3]])
    values = torch.tensor([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [3.0, 0.5]])
    return largest, weight, total, scores, values


def step(
    largest: Tensor, weight: Tensor, total: Tensor, scores: Tensor, values: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The three numbers that flash attention keeps, after one more block."""
    new = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
    shrink, e = (largest - new).exp(), (scores - new).exp()
    return new, weight * shrink + e.sum(dim=-1, keepdim=True), total * shrink + e @ values


@implement(block_inputs)
def my_block(function: Callable[..., tuple[Tensor, Tensor, Tensor]]) -> None:
    """Exercise: largest (q, 1), weight (q, 1), total (q, d_v), scores (q, k), values (k, d_v)
    -> the first three, after these keys.
    """
    own_work(function, "flash_attention", "logsumexp", "softmax")
    *_, scores, values = given = block_inputs()
    right = step(*given)
    found = result_of(function, *given)
    expect(
        isinstance(found, tuple | list) and len(found) == 3,
        "Return three things: largest, weight, total.",
    )
    names = ("largest", "weight", "total")
    for name, one, wanted in zip(names, found, right, strict=True):
        expect(isinstance(one, Tensor), f"{name} should be a tensor, not {a_kind(one)}.")
        expect(
            one.shape == wanted.shape,
            f"The shape of {name} is {tuple(one.shape)}, but it should be {tuple(wanted.shape)}.",
        )
    compare(together(found), together(right), slips(*given))
    begin = torch.full((2, 1), -math.inf), torch.zeros(2, 1), torch.zeros(2, 2)
    rest = scores[:2, :3] * -100, values[:3]  # the largest is far below 0
    elsewhere(function, step(*begin, *rest), *begin, *rest)


def together(three: tuple[Tensor, Tensor, Tensor] | list[Tensor]) -> Tensor:
    return torch.cat([one.detach().float().flatten() for one in three])


def slips(
    largest: Tensor, weight: Tensor, total: Tensor, scores: Tensor, values: Tensor
) -> list[tuple[Tensor, str]]:
    """What comes out after each of the usual mistakes, and its hint."""
    own = scores.amax(dim=-1, keepdim=True)
    new = torch.maximum(largest, own)

    def made(new: Tensor, shrink: Tensor, e: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return new, weight * shrink + e.sum(dim=-1, keepdim=True), total * shrink + e @ values

    shrink, e = (largest - new).exp(), (scores - new).exp()
    right = made(new, shrink, e)
    none = torch.ones_like(shrink)
    return [
        (
            together(made(new, none, e)),
            "The old sums were made with the old largest score: when a "
            "larger one comes, both shrink by e^(old - new).",
        ),
        (
            together((new, right[1], made(new, none, e)[2])),
            "weight shrinks, but total has to shrink by as much.",
        ),
        (
            together((new, made(new, none, e)[1], right[2])),
            "total shrinks, but weight has to shrink by as much.",
        ),
        (
            together(made(new, 1 / shrink, e)),
            "The old sums grow there: it is e^(old - new), which is 1 or less.",
        ),
        (
            together(made(own, (largest - own).exp(), (scores - own).exp())),
            "largest forgets the keys before: it is the larger of the old one and the block's.",
        ),
        (
            together(made(largest, none, (scores - largest).exp())),
            "largest stays as it was: a "
            "large score in this block would make e^(score - largest) too large.",
        ),
        (
            together(made(new, shrink, scores.exp())),
            "Take the largest score off before the exponential.",
        ),
        (
            together(made(new, shrink, (scores - own).exp())),
            "In the new terms, too, the new largest score is taken off, not the block's own.",
        ),
        (
            together((new, e.sum(dim=-1, keepdim=True), e @ values)),
            "What was kept of the keys before is lost: add to it.",
        ),
        (
            together((right[0], right[1], right[2] / right[1])),
            "Don't divide yet: that is done once, after the last block.",
        ),
    ]


def right_window(length: int, width: int) -> Tensor:
    """(length, length): each word sees itself and the width - 1 words before it."""
    distance = torch.arange(length)[:, None] - torch.arange(length)
    return (distance >= 0) & (distance < width)


@implement(lambda: (2, 1))
def my_window_mask(function: Callable[[int, int], Tensor]) -> None:
    """Exercise: how many words, and how many of them are seen -> the mask (length, length)."""
    length, width = 7, 3
    found = call(function, length, width)
    own_work(function, "Window")
    right = right_window(length, width)
    distance = torch.arange(length)[:, None] - torch.arange(length)
    mistakes = [
        (distance >= 0, "That is the causal mask: a word sees no farther back than the window."),
        (
            right_window(length, width + 1),
            "One word too many: the word itself counts as one of `width`.",
        ),
        (right_window(length, width - 1), "One word is missing: `width` words, itself among them."),
        (distance.abs() < width, "That looks ahead, too. Here nobody sees words that come later."),
        ((distance > 0) & (distance < width + 1), "A word should see itself, too."),
        ((distance > 0) & (distance < width), "A word should see itself, too."),
        (right.T, "Rows and columns are swapped: a row is who looks."),
        (~right, "The other way round: True means that it may be seen."),
    ]
    compare(found.bool() if found.shape == right.shape else found, right, mistakes)
    no_slip(
        found.dtype == torch.bool,
        f"The right ones and zeros, but of the type {found.dtype}. A mask is boolean.",
    )
    elsewhere(function, right_window(5, 2), 5, 2)
