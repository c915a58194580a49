"""The exercises of notebook 18: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch18_since_2017 import checks as check
from tests.course.checks.saying import said
from transformer_lib.variants import RMSNorm, flash_attention


def mean(x):
    return x.mean(dim=-1, keepdim=True)


def rms(x, scale, eps):
    return x / (mean(x**2) + eps).sqrt() * scale


NORMS = {
    "right": (rms, "right!"),
    "rsqrt": (lambda x, s, e: s * x * torch.rsqrt((x * x).mean(-1, True) + e), "right!"),
    "no scale": (lambda x, s, e: rms(x, torch.ones_like(s), e), "The scale is missing"),
    "layer norm": (lambda x, s, e: rms(x - mean(x), s, e), "That is layer norm"),
    "no root": (lambda x, s, e: x / (mean(x**2) + e) * s, "The root is missing"),
    "eps outside": (lambda x, s, e: x / (mean(x**2).sqrt() + e) * s, "inside the root"),
    "no eps": (lambda x, s, e: x / mean(x**2).sqrt() * s, "`eps` is missing"),
    "sum": (lambda x, s, e: x / ((x**2).sum(-1, True) + e).sqrt() * s, "the sum of the squares"),
    "all words": (lambda x, s, e: x / ((x**2).mean() + e).sqrt() * s, "a mean square of its own"),
    "over words": (lambda x, s, e: x / ((x**2).mean(1, True) + e).sqrt() * s, "You mix the words"),
    "square of the mean": (lambda x, s, e: x / (mean(x) ** 2 + e).sqrt() * s, "First square"),
    "deviation": (
        lambda x, s, e: x / (x.var(-1, correction=0, keepdim=True) + e).sqrt() * s,
        "standard deviation",
    ),
    "times": (lambda x, s, e: x * (mean(x**2) + e).sqrt() * s, "you multiply"),
    "no keepdim": (lambda x, s, e: x / ((x**2).mean(-1) + e).sqrt() * s, "`keepdim=True`"),
    "borrowed": (lambda x, s, e: torch.rms_norm(x, (3,), s, e), "`rms_norm` does the whole"),
    "this size only": (
        lambda x, s, e: x / ((x**2).sum(-1, True) / 3 + e).sqrt() * s,
        "other inputs",
    ),
    "shape": (lambda x, s, e: rms(x, s, e)[0], "The shape is (2, 3)"),
    "nothing": (lambda x, s, e: None, "returns nothing"),
    "stub": (lambda x, s, e: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", NORMS)
def test_my_rms_norm(capsys, name):
    function, hint = NORMS[name]
    assert hint in said(capsys, check.my_rms_norm, function)


def test_what_is_right_is_the_librarys():
    x, scale, eps = check.rms_inputs()
    norm = RMSNorm(3, eps=eps)
    norm.scale.data = scale
    torch.testing.assert_close(norm(x), check.right_rms(x, scale, eps))


def block(new="both", shrink_weight=True, shrink_total=True, off="new", add=True, divide=False):
    """A block with one thing otherwise."""

    def run(largest, weight, total, scores, values):
        own = scores.max(dim=1, keepdim=True).values
        latest = {"both": torch.maximum(largest, own), "own": own, "old": largest}[new]
        shrink = torch.exp(largest - latest)
        e = torch.exp(scores - {"new": latest, "own": own, "nothing": 0 * own}[off])
        if add:
            weight = weight * shrink if shrink_weight else weight
            total = total * shrink if shrink_total else total
        else:
            weight, total = 0, 0
        weight, total = weight + e.sum(dim=1, keepdim=True), total + e @ values
        return latest, weight, total / weight if divide else total

    return run


right_block = block()


def one_by_one(largest, weight, total, scores, values):
    for score, value in zip(scores.T, values, strict=True):
        largest, weight, total = right_block(largest, weight, total, score[:, None], value[None])
    return [largest, weight, total]


def grows(largest, weight, total, scores, values):
    new, *_ = right_block(largest, weight, total, scores, values)
    e = (scores - new).exp()
    grow = (new - largest).exp()
    return new, weight * grow + e.sum(1, True), total * grow + e @ values


BLOCKS = {
    "right": (block(), "right!"),
    "one by one": (one_by_one, "right!"),
    "nothing shrinks": (block(shrink_weight=False, shrink_total=False), "both shrink"),
    "only weight": (block(shrink_total=False), "but total has to shrink"),
    "only total": (block(shrink_weight=False), "but weight has to shrink"),
    "grows": (grows, "The old sums grow"),
    "forgets": (block(new="own"), "forgets the keys before"),
    "stays": (block(new="old"), "largest stays as it was"),
    "plain exponential": (block(off="nothing"), "before the exponential"),
    "two scales": (block(off="own"), "the new largest score is taken off"),
    "starts anew": (block(add=False), "is lost"),
    "divides": (block(divide=True), "Don't divide yet"),
    "two": (lambda *given: right_block(*given)[:2], "Return three things"),
    "numbers": (lambda *given: (1.0, *right_block(*given)[1:]), "largest should be a tensor"),
    "shape": (lambda *given: [x[:, 0] for x in right_block(*given)], "of largest is (3,)"),
    "no first block": (
        lambda m, w, t, s, v: (lambda new, *rest: (new.clamp(min=-0.5), *rest))(
            *right_block(m.clamp(min=-0.5), w, t, s, v)
        ),
        "other inputs",
    ),
    "nothing": (lambda *given: None, "returns nothing"),
    "stub": (lambda *given: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_my_block(capsys, name):
    function, hint = BLOCKS[name]
    assert hint in said(capsys, check.my_block, function)


def test_blocks_of_a_right_answer_are_flash_attention():
    q, k, v = torch.randn(5, 4), torch.randn(6, 4), torch.randn(6, 3)
    kept = torch.full((5, 1), -torch.inf), torch.zeros(5, 1), torch.zeros(5, 3)
    for start in (0, 2, 4):
        some = slice(start, start + 2)
        kept = check.step(*kept, q @ k[some].T / 2, v[some])
    torch.testing.assert_close(kept[2] / kept[1], flash_attention(q, k, v, block=2))


def by_loops(n, w):
    return torch.tensor([[i - w < j <= i for j in range(n)] for i in range(n)])


WINDOWS = {
    "loops": (by_loops, "right!"),
    "triangles": (lambda n, w: torch.ones(n, n).tril().triu(1 - w) > 0, "right!"),
    "causal": (lambda n, w: torch.ones(n, n).tril() > 0, "the causal mask"),
    "one more": (lambda n, w: by_loops(n, w + 1), "One word too many"),
    "one less": (lambda n, w: by_loops(n, w - 1), "One word is missing"),
    "ahead": (lambda n, w: by_loops(n, w) | by_loops(n, w).T, "That looks ahead"),
    "not itself": (lambda n, w: by_loops(n, w) & ~torch.eye(n).bool(), "should see itself"),
    "those before": (lambda n, w: by_loops(n, w + 1) & ~torch.eye(n).bool(), "should see itself"),
    "swapped": (lambda n, w: by_loops(n, w).T, "swapped"),
    "inverted": (lambda n, w: ~by_loops(n, w), "The other way round"),
    "numbers": (lambda n, w: by_loops(n, w).float(), "is boolean"),
    "shape": (lambda n, w: by_loops(n, w)[None], "The shape is (1, 7, 7)"),
    "this window only": (lambda n, w: by_loops(n, 3), "other inputs"),
    "nothing": (lambda n, w: None, "returns nothing"),
    "stub": (lambda n, w: ..., "not tried yet"),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_my_window_mask(capsys, name):
    function, hint = WINDOWS[name]
    assert hint in said(capsys, check.my_window_mask, function)
