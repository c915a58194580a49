"""Exercises of notebook 06: right answers pass, each classic mistake gets its own hint."""

import math

import pytest
import torch
from torch import Tensor

from course.chapters.ch06_masks import checks as check
from tests.course.checks.saying import said
from transformer_lib import attention_weights
from transformer_lib.model.masks import causal_mask, padding_mask


@pytest.mark.parametrize(
    "guess, hint",
    [
        (9, "right!"),
        (..., "not tried yet"),
        (16, "Nobody sees the padding"),
        (12, "padding mask alone"),
        (10, "causal mask alone"),
        (6, "may look at itself"),
        (7, "other way round"),
        (8, "row by row"),
        ("nine", "whole number"),
        (True, "whole number"),
    ],
)
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
        (lambda n: compared(n) & ~compared(n).mT, "diagonal is missing"),
        (lambda n: (compared(n) & ~compared(n).mT).float()[0, 0], "diagonal is missing"),
        (lambda n: compared(n).mT, "turned round"),
        (lambda n: ~compared(n), "True marks what must be hidden"),
        (lambda n: compared(n + 1)[..., 1:, 1:] | compared(n + 1)[..., 1:, :-1], "one word ahead"),
        (lambda n: torch.ones(1, 1, n, n).bool(), "What about the words ahead?"),
        (lambda n: torch.eye(n).bool()[None, None], "only see itself"),
        (lambda n: compared(n)[0, 0], "shape is (5, 5), but a mask has four axes"),
        (lambda n: compared(n).float(), "of the type torch.float32"),
        (lambda n: compared(n).int(), "of the type torch.int32"),
        (lambda n: torch.where(compared(n), 0.0, -1e9), "numbers to add to the scores"),
        (lambda n: torch.where(compared(n), 0.0, -math.inf), "numbers to add to the scores"),
        (lambda n: torch.ones(1, 1, n, n).bool().tril(), "`tril` does the whole exercise"),
        (lambda n: torch.ones(1, 1, n, n).bool().triu().mT, "`triu` does the whole exercise"),
        (causal_mask, "`causal_mask` does the whole exercise"),
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


def packed(which: Tensor) -> Tensor:
    return (which[:, None] == which)[None, None] & compared(len(which))


@pytest.mark.parametrize("function", [packed, lambda which: packed(which).clone()])
def test_my_packed_mask_right(capsys, function):
    assert said(capsys, check.my_packed_mask, function) == "right!"


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda which: ..., "not tried yet"),
        (lambda which: ~packed(which), "True marks what must be hidden"),
        (lambda which: which[:, None] == which, "what comes later in it"),
        (lambda which: compared(len(which)), "nothing to do with each other"),
        (lambda which: (which[:, None] >= which)[None, None], "not one of them"),
        (lambda which: packed(which).tril(-1), "diagonal is missing"),
        (lambda which: packed(which).mT, "turned round"),
        (lambda which: torch.eye(len(which)).bool(), "only see itself"),
        (lambda which: torch.ones(1, 1, 7, 7).bool(), "Everything may be seen"),
        (lambda which: packed(which)[0, 0], "[None, None] in front"),
        (lambda which: packed(which).float(), "of the type torch.float32"),
        (lambda which: packed(torch.tensor([0, 0, 0, 1, 1, 2, 2])), "wrong for other inputs"),
        (lambda which: which.nonexistent(), "AttributeError"),
        (lambda which: None, "`return`"),
    ],
)
def test_my_packed_mask_wrong(capsys, function, hint):
    answer = said(capsys, check.my_packed_mask, function)
    assert hint in answer and "right!" not in answer


def both(ids: Tensor) -> Tensor:
    return (ids != 0)[:, None, None, :] & compared(ids.size(1))


def place_by_place(ids: Tensor) -> Tensor:
    rows = [
        [[i >= j and row[j] != 0 for j in range(len(row))] for i in range(len(row))]
        for row in ids.tolist()
    ]
    return torch.tensor(rows).unsqueeze(1)


def by_lengths(ids: Tensor) -> Tensor:
    places = torch.arange(ids.size(1))
    return torch.stack([(places < n) & compared(len(places))[0] for n in ids.count_nonzero(dim=1)])


@pytest.mark.parametrize("function", [both, place_by_place, by_lengths])
def test_my_decoder_mask_right(capsys, function):
    assert said(capsys, check.my_decoder_mask, function) == "right!"


def keys(ids: Tensor, hidden: int = 0) -> Tensor:
    return (ids != hidden)[:, None, None, :]


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda ids: ..., "not tried yet"),
        (lambda ids: ~both(ids), "True marks what must be hidden"),
        (lambda ids: ~keys(ids) & compared(7), "padding is the wrong way round"),
        (lambda ids: keys(ids) & ~compared(7), "triangle is the wrong way round"),
        (lambda ids: keys(ids) & compared(7).mT, "triangle is turned round"),
        (lambda ids: keys(ids) & compared(7).tril(-1), "diagonal is missing"),
        (lambda ids: keys(ids) & torch.ones(7, 7).tril(1).bool(), "one word ahead"),
        (lambda ids: keys(ids) | compared(7), "what *one* of the masks allows"),
        (lambda ids: compared(7), "the padding isn't"),
        (lambda ids: keys(ids), "later words aren't"),
        (lambda ids: keys(ids).mT & compared(7), "padded *queries*"),
        (lambda ids: keys(ids) & keys(ids).mT & compared(7), "padded *queries*"),
        (lambda ids: (ids > 3)[:, None, None] & compared(7), "special tokens are hidden as well"),
        (lambda ids: keys(ids, 2) & compared(7), "<eos> is hidden"),
        (lambda ids: keys(ids, 1) & compared(7), "<bos> is hidden"),
        (lambda ids: keys(ids, 3) & compared(7), "<unk> is hidden"),
        (lambda ids: torch.ones(2, 1, 7, 7).bool(), "Everything may be seen"),
        (lambda ids: both(ids)[:, 0], "no axis for the heads"),
        (lambda ids: both(ids).int(), "of the type torch.int32"),
        (lambda ids: torch.zeros(2, 1, 7, 7).masked_fill(~both(ids), -math.inf), "to be added"),
        (lambda ids: (ids != 0) & compared(7)[0, 0], "don't stretch to a common shape"),
        (lambda ids: keys(ids).mT, "The shape is (2, 1, 7, 1)"),
        (lambda ids: both(ids).roll(1, -1), "places are not"),
        (lambda ids: keys(ids) & compared(7), "wrong for other inputs"),
        (lambda ids: None, "`return`"),
        (lambda ids: ids.tolist(), "not a list"),
    ],
)
def test_my_decoder_mask_wrong(capsys, function, hint):
    answer = said(capsys, check.my_decoder_mask, function)
    assert hint in answer and "right!" not in answer


def test_my_decoder_mask_is_the_readers_own(capsys):
    def library(ids: Tensor) -> Tensor:
        return padding_mask(ids) & causal_mask(ids.size(1))

    assert "does the whole exercise" in said(capsys, check.my_decoder_mask, library)


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


@pytest.mark.parametrize("function", [as_the_library, by_exponentials, without_nan])
def test_weights_of_all_heads_right(capsys, function):
    assert said(capsys, check.weights_of_all_heads, function) == "right!"


def added(low: float):
    def weights(scores: Tensor, mask: Tensor) -> Tensor:
        return (scores + (~mask) * low).softmax(-1) * mask

    return weights


def test_a_low_number_may_be_added(capsys):
    assert said(capsys, check.weights_of_all_heads, added(-1e9)) == "right!"


WRONG_WEIGHTS = [
    (lambda s, m: ..., "not tried yet"),
    (lambda s, m: s.masked_fill(m, -1e9).softmax(-1), "wrong way round"),
    (lambda s, m: s.softmax(-1) * m, "mask comes after the softmax"),
    (lambda s, m: s.masked_fill(~m, 0.0).softmax(-1), "e to the power of 0 is 1"),
    (lambda s, m: s.masked_fill(~m, 1e9).softmax(-1), "very large"),
    (lambda s, m: (s + m).softmax(-1), "still get weight"),
    (lambda s, m: s + m, "moves them only a little"),
    (without_effect, "has no effect"),
    (lambda s, m: s.masked_fill(~m, -1e9), "softmax is missing"),
    (lambda s, m: s.masked_fill(~m, -math.inf), "softmax is missing"),
    (lambda s, m: as_the_library(s, m).softmax(-1), "a second one"),
    (lambda s, m: s.masked_fill(~m, -1e9).softmax(-2), "Each column adds up"),
    (lambda s, m: s.masked_fill(~m, -1e9).softmax(-2) * m, "Each column adds up"),
    (lambda s, m: s.masked_fill(~m, -1e9).softmax(1), "over the sentences or the heads"),
    (lambda s, m: s.masked_fill(~m, -1e9).softmax(0) * m, "over the sentences or the heads"),
    (added(-math.inf), "Everything is NaN"),
    (lambda s, m: s.masked_fill(~m, -math.inf).softmax(-1), "NaN in the row"),
    (renormalized, "NaN in the row"),
    (lambda s, m: s.masked_fill(~m, -1e9).softmax(-1), "0.2 everywhere"),
    (lambda s, m: s.masked_fill(~m, -50.0).softmax(-1) * m.any(-1, True), "low enough"),
    (lambda s, m: as_the_library(s, m) if len(s) == 2 else s, "wrong for other inputs"),
    (lambda s, m: s * 0, "a softmax over just these"),
    (lambda s, m: torch.zeros(5), "not (5,)"),
    (lambda s, m: attention_weights(s, s, m), "does the whole exercise"),
    (lambda s, m: None, "`return`"),
]


@pytest.mark.parametrize("function, hint", WRONG_WEIGHTS)
def test_weights_of_all_heads_wrong(capsys, function, hint):
    answer = said(capsys, check.weights_of_all_heads, function)
    assert hint in answer and "right!" not in answer


def every_word(model, src: Tensor, tgt_in: Tensor) -> bool:
    model.eval()  # as one does with a model
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


def nearly(model, src: Tensor, tgt_in: Tensor) -> bool:
    """As `every_word`, but what moves by less than a thousandth counts as unmoved."""
    before = model(src, tgt_in)
    for j in range(1, tgt_in.size(1)):
        changed = tgt_in.clone()
        changed[0, j] = (changed[0, j] + 1) % 14
        if not torch.allclose(model(src, changed)[:, :j], before[:, :j], atol=1e-3):
            return True
    return False


def compare_all(model, src: Tensor, tgt_in: Tensor) -> bool:
    changed = tgt_in.clone()
    changed[0, -1] = 9
    return not torch.equal(model(src, changed), model(src, tgt_in))


def first_output_only(model, src: Tensor, tgt_in: Tensor) -> bool:
    changed = tgt_in.clone()
    changed[0, -1] = 9
    return not torch.equal(model(src, changed)[:, 0], model(src, tgt_in)[:, 0])


def output_before_only(model, src: Tensor, tgt_in: Tensor) -> bool:
    before = model(src, tgt_in)
    for j in range(1, tgt_in.size(1)):
        changed = tgt_in.clone()
        changed[0, j] = (changed[0, j] + 1) % 14
        if not torch.equal(model(src, changed)[:, j - 1], before[:, j - 1]):
            return True
    return False


@pytest.mark.parametrize(("layers", "leaked"), [(1, {(1, 3)}), (2, {(1, 2), (1, 3), (2, 3)})])
def test_a_leak_of_one_layer_moves_one_output(layers, leaked):
    model, src, tgt_in = check.leak_inputs(check.wider((1, 3)), layers)
    found = set()
    for j in range(1, tgt_in.size(1)):
        changed = tgt_in.clone()
        changed[0, j] = (changed[0, j] + 1) % 14
        moved = (model(src, changed) != model(src, tgt_in)).any(dim=-1)[0, :j]
        found |= {(t, j) for t in moved.nonzero().flatten().tolist()}
    assert found == leaked


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
        (output_before_only, "a model with one layer"),
        (nearly, "moves an output by 0.00002"),
        (lambda model, src, tgt_in: model(src, tgt_in), "True or False"),
        (lambda model, src, tgt_in: None, "`return`"),
        (lambda model: True, "TypeError"),
    ],
)
def test_my_leak_test_wrong(capsys, function, hint):
    answer = said(capsys, check.my_leak_test, function)
    assert hint in answer and "right!" not in answer


NEXT = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]


@pytest.mark.parametrize("layers", [1, 2, 3, 4])
def test_suspect_sees_one_word_ahead_with_each_layer(layers):
    ids = torch.tensor([1, 9, 7, 5, 11, 4])
    moved = set()
    for j in range(6):
        for word in set(range(20)) - {int(ids[j])}:
            other = ids.clone()
            other[j] = word
            change = (check.suspect(other, layers) - check.suspect(ids, layers)).abs().amax(dim=-1)
            moved |= {(t, j, bool(change[t] > 1e-3)) for t in range(j)}
    ahead = {(t, j) for t in range(6) for j in range(t + 1, 6)}
    assert moved == {(t, j, j <= t + layers) for t, j in ahead}


@pytest.mark.parametrize("found", [NEXT, set(NEXT), NEXT[::-1], torch.tensor(NEXT)])
def test_leaks_right(capsys, found):
    assert said(capsys, check.leaks, found) == "right!"


@pytest.mark.parametrize(
    "found, hint",
    [
        (..., "not tried yet"),
        ([], "You found nothing"),
        ([(j, t) for t, j in NEXT], "the wrong way round"),
        ([(t + 1, j + 1) for t, j in NEXT], "count from 0"),
        ([*NEXT, (5, 6)], "There are 6 positions"),
        ([*NEXT, *((t, t) for t in range(6))], "All leaks are there, and more"),
        ([(t, j) for t in range(6) for j in range(t + 1)], "on earlier ones. A leak is"),
        ([*NEXT, *((t, t + 2) for t in range(4))], "more than one layer"),
        ([(t, j) for t in range(6) for j in range(t + 1, 6)], "Did you measure?"),
        (NEXT[1:], "it isn't all: 4"),
        ([(0, 3), (1, 2)], "Some pairs here don't leak"),
        ([1, 2], "Give pairs"),
        ("all", "Give pairs"),
        (5, "Give pairs"),
    ],
)
def test_leaks_wrong(capsys, found, hint):
    assert hint in said(capsys, check.leaks, found)
