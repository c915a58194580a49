"""Exercises of notebook 06: right answers pass, each classic mistake gets its own hint."""

import math

import pytest
import torch
from torch import Tensor

from tests.checks.saying import said
from transformer_lib.checks import masks as check


@pytest.mark.parametrize(
    "guess, hint",
    [
        (9, "right!"), (..., "not tried yet"), (16, "Nobody sees the padding"),
        (12, "padding mask alone"), (10, "causal mask alone"), (6, "may look at itself"),
        (7, "other way round"), (8, "row by row"), ("nine", "whole number"), (True, "whole number"),
    ],
)  # fmt: skip
def test_how_many_may_be_seen(capsys, guess, hint):
    assert hint in said(capsys, check.how_many_may_be_seen, guess)


def compared(length: int) -> Tensor:
    places = torch.arange(length)
    return (places[:, None] >= places)[None, None]


def looped(length: int) -> Tensor:
    return torch.tensor([[[[j <= i for j in range(length)] for i in range(length)]]])


@pytest.mark.parametrize("function", [compared, looped])
def test_my_causal_mask_right(capsys, function):
    assert said(capsys, check.my_causal_mask, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda n: ..., "not tried yet"),
        (lambda n: torch.ones(1, 1, n, n).tril(-1).bool(), "diagonal is missing"),
        (lambda n: torch.ones(n, n).tril(-1), "diagonal is missing"),
        (lambda n: torch.ones(1, 1, n, n).triu().bool(), "turned round"),
        (lambda n: torch.ones(1, 1, n, n).triu(1).bool(), "True marks what must be hidden"),
        (lambda n: torch.ones(1, 1, n, n).tril(1).bool(), "one word ahead"),
        (lambda n: torch.ones(1, 1, n, n).bool(), "What about the words ahead?"),
        (lambda n: torch.eye(n).bool()[None, None], "only see itself"),
        (lambda n: compared(n)[0, 0], "shape is (5, 5), but a mask has four axes"),
        (lambda n: compared(n).float(), "of the type torch.float32"),
        (lambda n: compared(n).int(), "of the type torch.int32"),
        (lambda n: compared(5), "but not for 3"),
        (lambda n: torch.zeros(1, 1, n, n).bool(), "15 places are not"),
        (lambda n: None, "`return`"),
        (lambda n: [1], "not a list"),
        (lambda: 1, "TypeError"),
        (compared(5), "the function itself"),
    ],
)
def test_my_causal_mask_wrong(capsys, function, hint):
    answer = said(capsys, check.my_causal_mask, function)
    assert hint in answer and "right!" not in answer


@pytest.mark.parametrize(
    "function",
    [lambda ids: (ids != 0)[:, None, None, :], lambda ids: ids.bool().unsqueeze(1).unsqueeze(1)],
)
def test_my_padding_mask_right(capsys, function):
    assert said(capsys, check.my_padding_mask, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda ids: ..., "not tried yet"),
        (lambda ids: (ids == 0)[:, None, None, :], "True marks the padding"),
        (lambda ids: ids == 0, "True marks the padding"),
        (lambda ids: ids != 0, "doesn't stretch"),
        (lambda ids: (ids != 0)[:, None], "doesn't stretch"),
        (lambda ids: (ids != 0)[:, None, :, None], "padded *queries*"),
        (lambda ids: (ids > 3)[:, None, None, :], "special tokens are hidden as well"),
        (lambda ids: (ids != 2)[:, None, None, :], "Only <eos> is hidden"),
        (lambda ids: torch.ones(2, 1, 1, 7).bool(), "Which id is the padding?"),
        (lambda ids: ids[:, None, None, :], "of the type torch.int64"),
        (lambda ids: ids.nonexistent(), "AttributeError"),
        (lambda ids: None, "`return`"),
    ],
)
def test_my_padding_mask_wrong(capsys, function, hint):
    answer = said(capsys, check.my_padding_mask, function)
    assert hint in answer and "right!" not in answer


def as_the_library(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, -1e9).softmax(-1) * mask


def by_exponentials(scores: Tensor, mask: Tensor) -> Tensor:
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)


def without_nan(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()


@pytest.mark.parametrize("function", [as_the_library, by_exponentials, without_nan])
def test_my_masked_weights_right(capsys, function):
    assert said(capsys, check.my_masked_weights, function) == "right!"


def renormalized(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True)


def without_effect(scores: Tensor, mask: Tensor) -> Tensor:
    scores.masked_fill(~mask, -1e9)
    return scores.softmax(-1)


def with_a_root(scores: Tensor, mask: Tensor) -> Tensor:
    return as_the_library(scores, mask).square().sqrt()


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda s, m: ..., "not tried yet"),
        (lambda s, m: s.masked_fill(m, -math.inf).softmax(-1), "wrong way round"),
        (lambda s, m: s.masked_fill(m, -1e9).softmax(-1), "wrong way round"),
        (lambda s, m: s.softmax(-1) * m, "mask comes after the softmax"),
        (lambda s, m: s.masked_fill(~m, 0.0).softmax(-1), "e to the power of 0 is 1"),
        (lambda s, m: (s * m).softmax(-1), "e to the power of 0 is 1"),
        (without_effect, "has no effect"),
        (lambda s, m: s.masked_fill(~m, -1e9).softmax(0), "softmax(dim=-1)"),
        (lambda s, m: s.masked_fill(~m, -math.inf).softmax(-1), "NaN in the row"),
        (renormalized, "NaN in the row"),
        (lambda s, m: s.masked_fill(~m, -1e9).softmax(-1), "0.2 everywhere"),
        (lambda s, m: s.masked_fill(~m, -50.0).softmax(-1) * m.any(-1, True), "low enough"),
        (lambda s, m: as_the_library(s, m).detach(), "cut off"),
        (with_a_root, "gradient isn't"),
        (lambda s, m: torch.zeros(5), "not (5,)"),
        (lambda s, m: torch.zeros(3, 5), "a softmax over just these"),
        (lambda s, m: None, "`return`"),
    ],
)
def test_my_masked_weights_wrong(capsys, function, hint):
    answer = said(capsys, check.my_masked_weights, function)
    assert hint in answer and "right!" not in answer


def every_word(model, src: Tensor, tgt_in: Tensor) -> bool:
    before = model(src, tgt_in)
    for j in range(1, tgt_in.size(1)):
        changed = tgt_in.clone()
        changed[0, j] = (changed[0, j] + 1) % 14
        if not torch.equal(model(src, changed)[:, :j], before[:, :j]):
            return True
    return False


def shorter(model, src: Tensor, tgt_in: Tensor) -> bool:
    """In another way: without the later words, is the earlier output another one?"""
    whole = model(src, tgt_in)
    parts = [model(src, tgt_in[:, :n]) for n in range(1, tgt_in.size(1))]
    return not all(torch.allclose(part, whole[:, : part.size(1)], atol=1e-5) for part in parts)


@pytest.mark.parametrize("function", [every_word, shorter])
def test_my_leak_test_right(capsys, function):
    assert said(capsys, check.my_leak_test, function) == "right!"


def compare_all(model, src: Tensor, tgt_in: Tensor) -> bool:
    changed = tgt_in.clone()
    changed[0, -1] = 9
    return not torch.equal(model(src, changed), model(src, tgt_in))


def first_output_only(model, src: Tensor, tgt_in: Tensor) -> bool:
    changed = tgt_in.clone()
    changed[0, -1] = 9
    return not torch.equal(model(src, changed)[:, 0], model(src, tgt_in)[:, 0])


def last_word_only(model, src: Tensor, tgt_in: Tensor) -> bool:
    changed = tgt_in.clone()
    changed[0, -1] = 9
    return not torch.equal(model(src, changed)[:, :-1], model(src, tgt_in)[:, :-1])


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda model, src, tgt_in: ..., "not tried yet"),
        (lambda model, src, tgt_in: False, "always says False"),
        (compare_all, "a sound model leaks"),
        (lambda model, src, tgt_in: True, "a sound model leaks"),
        (lambda *inputs: not every_word(*inputs), "yes for the sound model"),
        (first_output_only, "one word ahead"),
        (last_word_only, "a leak in one place"),
        (lambda model, src, tgt_in: model(src, tgt_in), "True or False"),
        (lambda model, src, tgt_in: None, "`return`"),
        (lambda model: True, "TypeError"),
    ],
)
def test_my_leak_test_wrong(capsys, function, hint):
    answer = said(capsys, check.my_leak_test, function)
    assert hint in answer and "right!" not in answer
