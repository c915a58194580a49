"""The exercises of notebook 05: what is right passes, and each mistake gets its own hint."""

import math
import re

import pytest
import torch

from course.chapters.ch05_multi_head_attention import checks as check
from course.checks import Hint, graded
from tests.course.checks.saying import said
from transformer_lib.model.attention import MultiHeadAttention, attention_weights

RIGHT_SHAPES = ((2, 8, 7, 64), (2, 8, 7, 7), (7, 64), 4 * 512 * 512)


@pytest.mark.parametrize(
    ("checked", "attempt"),
    [
        (check.shapes, (..., (2, 8, 7, 7), (7, 64), 1)),
        (check.three_shapes, ((3, 6, 9, 16), ..., (3, 5, 96))),
        (check.split_heads, (lambda x, h: ...,)),
        (check.merge_heads, (lambda z: ...,)),
        (check.multi_head, (lambda x, w_q, w_k, w_v, w_o: ...,)),
        (check.multi_head, (...,)),
    ],
)
def test_what_was_not_tried_is_not_judged(capsys, checked, attempt):
    assert said(capsys, checked, *attempt) == "not tried yet"


def layer_of_eight():
    generator = torch.Generator().manual_seed(0)

    def random(*shape):
        return torch.randn(shape, generator=generator) / 4

    return random(3, 16), random(8, 16, 2), random(8, 16, 2), random(8, 16, 2), random(16, 16)


def test_the_fault_is_in_one_head_and_in_its_values_only():
    x, w_q, w_k, w_v, w_o = layer_of_eight()
    weights, z, out = check.suspect(x, w_q, w_k, w_v, w_o)
    right = attention_weights(x @ w_q, x @ w_k)
    torch.testing.assert_close(weights, right)
    differs = (z - right @ (x @ w_v)).abs().amax(dim=(1, 2)) > 1e-4
    head, name, other = check.FAULT
    assert differs.nonzero().flatten().tolist() == [head] and name == "W_V"
    torch.testing.assert_close(z[head], right[head] @ (x @ w_v[other]))
    torch.testing.assert_close(out, torch.cat(list(z), dim=-1) @ w_o)


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        ((5, "W_V", 2), "right!"),
        ((5, "w_v", 2), "right!"),
        ((..., ..., ...), "not tried yet"),
        ((2, "W_V", 5), "exchanged"),
        ((5, "W_Q", 2), "What else does a head compute"),
        ((5, "W_K", 2), "What else does a head compute"),
        ((5, "W_V", 3), "Not that of head 3"),
        ((4, "W_V", 2), "Head 4 is sound"),
        ((5, "W_O", 2), '"W_Q", "W_K" or "W_V"'),
        ((8, "W_V", 2), "from 0 to 7"),
        (("five", "W_V", 2), "from 0 to 7"),
    ],
)
def test_the_planted_fault(capsys, attempt, hint):
    assert hint in said(capsys, check.planted_fault, *attempt)


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        ([22, 23], "right!"),
        ((22, 23), "right!"),
        ([12, 13], "row 1"),
        ([14, 15], "word and feature"),
        ([2, 3], "transpose is missing"),
        ([24, 25], "first 5 × 2"),
        ([1, 2], "thirty numbers"),
        (22, "as a list"),
        (..., "not tried yet"),
    ],
)
def test_what_a_head_holds_in_pieces(capsys, attempt, hint):
    assert hint in said(capsys, check.in_pieces, attempt)
    codes = 10 * torch.arange(5)[:, None] + torch.arange(6)
    assert codes.view(1, 3, 5, 2)[0, 1, 2].tolist() == [22, 23]


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        ((4, 44), "right!"),
        ((5, 44), "from 0"),
        ((4, 45), "from 0 as well"),
        ((44, 4), "exchanged"),
        ((37, 4), "shuffled"),
        ((3, 1), "64 places"),
        ((..., ...), "not tried yet"),
    ],
)
def test_where_a_number_comes_from(capsys, attempt, hint):
    assert hint in said(capsys, check.where_from, *attempt)


@pytest.mark.parametrize(
    ("place", "wrong", "hint"),
    [
        (0, (2, 7, 8, 64), "before the transpose"),
        (0, (2, 8, 64, 7), "Only keys"),
        (0, (2, 64, 7, 8), "64 is the width"),
        (0, (2, 8, 7, 512), "its share"),
        (0, (1, 2), "After split_heads: not yet"),
        (0, 7, "tuple of whole numbers"),
        (1, (2, 7, 7), "one head"),
        (1, (2, 8, 64, 64), "how wide they are"),
        (1, (2, 8, 7, 64), "one number for each pair"),
        (1, (2, 7, 8, 8), "heads would attend to each other"),
        (2, (512, 64), "a matrix W"),
        (2, (7, 512), "all heads side by side"),
        (2, (2, 7, 64), "both sentences"),
        (2, (1, 7, 64), "no axis for the batch"),
        (2, (7, 7), "Those are the weights"),
        (1, (7, 7), "one head of one sentence"),
        (1, (8, 7, 7), "one sentence; there are two"),
        (2, (64, 7), "A row for each word"),
        (3, 3 * 512 * 512, "And W^O?"),
        (3, 32 * 512 * 512, "512 × 64"),
        (3, 512 * 512 // 2, "one head"),
        (3, 512 * 512, "one matrix"),
        (3, 4 * (512 * 512 + 512), "no biases"),
        (3, 1.5, "whole number"),
    ],
)
def test_wrong_shapes_and_counts(capsys, place, wrong, hint):
    attempt = list(RIGHT_SHAPES)
    attempt[place] = wrong
    assert hint in said(capsys, check.shapes, *attempt)


def test_right_shapes(capsys):
    assert said(capsys, check.shapes, *RIGHT_SHAPES) == "right!"
    assert said(capsys, check.shapes, *map(list, RIGHT_SHAPES[:3]), RIGHT_SHAPES[3]) == "right!"


THREE_SHAPES = ((3, 6, 9, 16), (3, 6, 5, 9), (3, 5, 96))


@pytest.mark.parametrize(
    ("place", "wrong", "hint", "keeps"),
    [
        (0, (3, 9, 6, 16), "The keys: That is halfway", 0.5),
        (0, (3, 6, 5, 16), "not as words that ask", 0.5),
        (0, (3, 6, 9, 96), "its share of the 96", 0.5),
        (0, (3, 6, 16, 9), "the keys are turned", 0.5),
        (0, (3, 16, 9, 6), "how wide is one", 0.5),
        (0, (6, 9, 16), "one sentence", 0.5),
        (0, (1, 2), "The keys: not yet", 0.0),
        (0, 7, "tuple of whole numbers", 0.0),
        (1, (3, 6, 9, 5), "It is turned", 0.5),
        (1, (3, 5, 9), "weights of its own", 0.5),
        (1, (3, 6, 9, 9), "come from different words", 0.5),
        (1, (3, 6, 5, 5), "come from different words", 0.5),
        (1, (3, 6, 5, 16), "one number for each pair", 0.5),
        (1, (3, 5, 6, 6), "heads would attend to each other", 0.5),
        (1, (6, 5, 9), "one sentence", 0.5),
        (2, (3, 9, 96), "How many queries", 0.5),
        (2, (3, 5, 16), "all of them stand side by side", 0.5),
        (2, (3, 6, 5, 16), "before they are merged", 0.5),
        (2, (3, 5, 6, 16), "the last two axes become one", 0.5),
        (2, (3, 30, 16), "heads are stacked", 0.5),
        (2, (5, 96), "one sentence", 0.5),
        (2, (3, 5, 9), "The merged heads: not yet", 0.0),
    ],
)
def test_three_shapes(place, wrong, hint, keeps):
    attempt = list(THREE_SHAPES)
    attempt[place] = wrong
    with graded(), pytest.raises(Hint, match=re.escape(hint)) as caught:
        check.three_shapes(*attempt)
    assert caught.value.keeps == keeps


def test_two_mistakes_are_no_slip():
    with graded(), pytest.raises(Hint, match="That is halfway") as caught:
        check.three_shapes((3, 9, 6, 16), (3, 6, 9, 5), (3, 5, 96))
    assert caught.value.keeps == 0.0


def test_three_right_shapes(capsys):
    assert said(capsys, check.three_shapes, *THREE_SHAPES) == "right!"
    assert said(capsys, check.three_shapes, *map(list, THREE_SHAPES)) == "right!"


def by_slices(x, h):
    d_k = x.size(-1) // h
    return torch.stack([x[..., i * d_k : (i + 1) * d_k] for i in range(h)], dim=1)


def cut(x, h):
    return x.unflatten(-1, (h, -1))


SPLIT = {
    "unflatten": (lambda x, h: cut(x, h).transpose(1, 2), "right!"),
    "slices": (by_slices, "right!"),
    "whole numbers": (lambda x, h: by_slices(x, h).long(), "right!"),
    "view alone": (lambda x, h: x.view(x.size(0), h, x.size(1), -1), "words are in pieces"),
    "transposed first": (
        lambda x, h: x.transpose(1, 2).reshape(x.size(0), h, x.size(1), -1),
        "You transpose before you cut",
    ),
    "transposed first, in order": (
        lambda x, h: cut(x.transpose(1, 2).reshape(x.shape), h).transpose(1, 2),
        "You transpose before you cut",
    ),
    "transposed first, with view": (
        lambda x, h: x.transpose(1, 2).view(x.size(0), x.size(1), h, -1),
        "You transpose before you cut",
    ),
    "words in columns": (
        lambda x, h: x.transpose(1, 2).unflatten(1, (h, -1)),
        "A head has its words in columns",
    ),
    "no transpose": (cut, "That is halfway"),
    "axes 2 and 3": (lambda x, h: cut(x, h).transpose(2, 3), "heads with their features"),
    "axes 1 and 3": (lambda x, h: cut(x, h).transpose(1, 3), "the words with the features"),
    "interleaved": (
        lambda x, h: x.unflatten(-1, (-1, h)).permute(0, 3, 1, 2),
        "h and d_k are swapped in the cut",
    ),
    "d_k heads": (
        lambda x, h: x.unflatten(-1, (-1, h)).transpose(1, 2),
        "there are h heads, each d_model / h wide",
    ),
    "d_k heads, uncut": (
        lambda x, h: x.unflatten(-1, (-1, h)),
        "h and d_k are swapped, and the heads must come before",
    ),
    "heads before sentences": (
        lambda x, h: torch.stack(x.chunk(h, dim=-1)),
        "heads come before the sentences",
    ),
    "heads below each other": (lambda x, h: torch.cat(x.chunk(h, dim=-1), dim=1), "more words"),
    "last first": (lambda x, h: by_slices(x, h).flip(1), "last head comes first"),
    "a fixed size": (lambda x, h: x.view(2, 5, h, 7).transpose(1, 2), "wrong for other inputs"),
    "the library": (
        lambda x, h: MultiHeadAttention(x.size(-1), h).split_heads(x),
        "does the whole exercise",
    ),
    "nothing": (lambda x, h: None, "returns nothing"),
    "a list": (lambda x, h: x.tolist(), "a tensor, not a list"),
    "another shape": (lambda x, h: x, "The shape is (2, 5, 21), but it should be (2, 3, 5, 7)"),
    "other numbers": (lambda x, h: by_slices(x, h) + 1, "the numbers aren't"),
    "stops": (lambda x, h: x.view(1, 2), "Called with (2, 5, 21), 3, it stops with RuntimeError"),
    "not a function": (torch.ones(2), "Hand over the function itself"),
}


@pytest.mark.parametrize(("attempt", "hint"), SPLIT.values(), ids=SPLIT)
def test_split_heads(capsys, attempt, hint):
    assert hint in said(capsys, check.split_heads, attempt)


MERGE = {
    "flatten": (lambda z: z.transpose(1, 2).flatten(2), "right!"),
    "cat": (lambda z: torch.cat(list(z.unbind(1)), dim=-1), "right!"),
    "reshape alone": (lambda z: z.reshape(z.size(0), z.size(2), -1), "the words are mixed"),
    "flatten alone": (lambda z: z.flatten(2), "The words are joined"),
    "not joined": (lambda z: z.transpose(1, 2), "join the last two"),
    "shuffled": (lambda z: z.permute(0, 2, 3, 1).flatten(2), "shuffled into each other"),
    "last first": (lambda z: z.flip(1).transpose(1, 2).flatten(2), "last head comes first"),
    "sum": (lambda z: z.sum(1), "added up"),
    "mean": (lambda z: z.mean(1), "averaged"),
    "view": (lambda z: z.transpose(1, 2).view(2, 5, 21), "`view` only works while"),
    "below each other": (lambda z: torch.cat(z.unbind(1), dim=1), "below each other"),
    "sentences joined": (lambda z: torch.cat(z.unbind(0), dim=-1), "sentences are side by side"),
    "a fixed size": (lambda z: z.transpose(1, 2).reshape(2, 5, 21), "wrong for other inputs"),
    "the library": (lambda z: MultiHeadAttention(21, 3).merge_heads(z), "does the whole exercise"),
}


@pytest.mark.parametrize(("attempt", "hint"), MERGE.values(), ids=MERGE)
def test_merge_heads(capsys, attempt, hint):
    assert hint in said(capsys, check.merge_heads, attempt)


def heads(x, w_q, w_k, w_v, divisor=None, dim=-1, swap=False, first=False, softmax=True):
    found = []
    for i in range(len(w_q)):
        i = 0 if first else i
        q, k, v = x @ w_q[i], x @ w_k[i], x @ w_v[i]
        scores = q @ k.T / (divisor or math.sqrt(q.size(-1)))
        scores = scores.T if swap else scores
        found.append((scores.softmax(dim=dim) if softmax else scores) @ v)
    return found


def looped(**mistake):
    def multi_head(x, w_q, w_k, w_v, w_o):
        return torch.cat(heads(x, w_q, w_k, w_v, **mistake), dim=-1) @ w_o

    return multi_head


def all_at_once(x, w_q, w_k, w_v, w_o):
    z = attention_weights(x @ w_q, x @ w_k) @ (x @ w_v)
    return z.transpose(0, 1).flatten(1) @ w_o


MULTI = {
    "a loop": (looped(), "right!"),
    "all at once": (all_at_once, "right!"),
    "added one by one": (
        lambda x, q, k, v, o: sum(
            z @ rows for z, rows in zip(heads(x, q, k, v), o.chunk(len(q)), strict=True)
        ),
        "right!",
    ),
    "no W^O": (lambda x, q, k, v, o: torch.cat(heads(x, q, k, v), dim=-1), "W^O is missing"),
    "joined below": (
        lambda x, q, k, v, o: torch.cat(heads(x, q, k, v), dim=0) @ o,
        "below each other",
    ),
    "joined below, no W^O": (
        lambda x, q, k, v, o: torch.cat(heads(x, q, k, v), dim=0),
        "below each other",
    ),
    "stacked": (lambda x, q, k, v, o: torch.stack(heads(x, q, k, v)), "Those are the heads"),
    "reshaped": (
        lambda x, q, k, v, o: torch.stack(heads(x, q, k, v)).reshape(x.shape) @ o,
        "reshaped, not put side by side",
    ),
    "summed": (lambda x, q, k, v, o: sum(heads(x, q, k, v)) @ o, "added up or averaged"),
    "summed, no W^O": (lambda x, q, k, v, o: sum(heads(x, q, k, v)), "added up"),
    "averaged": (
        lambda x, q, k, v, o: torch.stack(heads(x, q, k, v)).mean(0),
        "are averaged",
    ),
    "sqrt(d_model)": (looped(divisor=math.sqrt(check.D_MODEL)), "divided by √d_model"),
    "no scaling": (looped(divisor=1.0), "aren't divided by √d_k"),
    "d_k": (looped(divisor=float(check.D_K)), "square root is missing"),
    "sqrt(h)": (looped(divisor=math.sqrt(check.H)), "divided by √h"),
    "softmax over queries": (looped(dim=0), "runs over the queries"),
    "keys look": (looped(swap=True), "Queries and keys are exchanged"),
    "no softmax": (looped(softmax=False), "softmax is missing"),
    "always head 0": (looped(first=True), "Every head has the same numbers"),
    "keys for values": (
        lambda x, q, k, v, o: (
            torch.cat(
                [attention_weights(x @ a, x @ b) @ (x @ b) for a, b in zip(q, k, strict=True)], -1
            )
            @ o
        ),
        "They are for the values",
    ),
    "W^O transposed": (
        lambda x, q, k, v, o: torch.cat(heads(x, q, k, v), dim=-1) @ o.T,
        "W^O is transposed",
    ),
    "last first": (
        lambda x, q, k, v, o: torch.cat(heads(x, q, k, v)[::-1], dim=-1) @ o,
        "last head comes first",
    ),
    "something else": (lambda x, q, k, v, o: x, "the numbers aren't"),
}


@pytest.mark.parametrize(("attempt", "hint"), MULTI.values(), ids=MULTI)
def test_multi_head(capsys, attempt, hint):
    assert hint in said(capsys, check.multi_head, attempt)


# --- heads in another order ---


def blocks(w_o):
    return w_o.unflatten(0, (8, 64))


BACK = torch.tensor(check.ORDER).argsort()
ORDERS = [
    (lambda w_o: blocks(w_o)[check.ORDER].flatten(0, 1), "right!"),
    (lambda w_o: torch.cat([w_o[64 * i : 64 * i + 64] for i in check.ORDER]), "right!"),
    (lambda w_o: w_o, "That is the old W_O"),
    (lambda w_o: blocks(w_o)[BACK].flatten(0, 1), "the way back"),
    (lambda w_o: torch.cat([w_o.chunk(8, dim=1)[i] for i in check.ORDER], dim=1), "columns"),
    (lambda w_o: blocks(w_o)[check.ORDER], "Now join them"),
    (lambda w_o: w_o.unflatten(0, (64, 8))[:, check.ORDER].flatten(0, 1), "every eighth row"),
    (lambda w_o: w_o[:64], "The shape is (64, 512)"),
    (lambda w_o: -w_o, "the numbers aren't"),
    (lambda w_o: check.ORDER, "a tensor, not a list"),
    (lambda w_o: ..., "not tried yet"),
]


@pytest.mark.parametrize(("attempt", "words"), ORDERS)
def test_mended(capsys, attempt, words):
    w_o = torch.randn(512, 512)
    assert words in said(capsys, check.mended, attempt(w_o), w_o)


def test_heads_in_another_order_give_the_old_output_with_rows_of_w_o_in_that_order():
    x, w_o = torch.randn(4, 512), torch.randn(512, 512) / 22
    matrices = [torch.randn(8, 512, 64) / 22 for _ in range(3)]

    def output(w_q, w_k, w_v, w_o):
        q, k, v = (x @ w for w in (w_q, w_k, w_v))
        return torch.cat(list((q @ k.mT / 8).softmax(-1) @ v), dim=-1) @ w_o

    theirs = check.in_another_order(*matrices)
    mended = blocks(w_o)[check.ORDER].flatten(0, 1)
    right = output(*matrices, w_o)
    torch.testing.assert_close(output(*theirs, mended), right, rtol=1e-3, atol=1e-4)
    assert (output(*theirs, w_o) - right).abs().mean() > 0.1
