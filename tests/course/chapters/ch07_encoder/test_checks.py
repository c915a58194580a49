"""The exercises of notebook 07: what is right passes, and each mistake gets its own hint."""

import pytest
import torch
import torch.nn.functional as F

from course.chapters.ch07_encoder import checks as check
from course.checks import Hint, graded
from tests.course.checks.saying import refused, said
from transformer_lib import EncoderLayer


@pytest.mark.parametrize(
    ("checked", "attempt"),
    [
        (check.layer_parameters, (1, ..., 2)),
        (check.encoder_layer, (lambda x, self_attn, feed_forward, norm_1, norm_2: ...,)),
        (check.feed_forward, (lambda x, w_1, b_1, w_2, b_2: ...,)),
        (check.layer_norm, (lambda x, scale, shift, eps: ...,)),
        (check.around, (lambda x, sublayer, norm, dropout, norm_first: ...,)),
        (check.encoder_layer, (...,)),
        (check.as_many_as_attention, (...,)),
    ],
)
def test_what_was_not_tried_is_not_judged(capsys, checked, attempt):
    assert said(capsys, checked, *attempt) == "not tried yet"


@pytest.mark.parametrize(
    "checked", [check.encoder_layer, check.feed_forward, check.layer_norm, check.around]
)
def test_what_is_no_solution_at_all(capsys, checked):
    assert refused(said(capsys, checked, 7), "the function itself")
    assert refused(said(capsys, checked, lambda *_: None), "`return`")
    assert refused(said(capsys, checked, lambda *_: 1.0), "not a float")
    assert refused(said(capsys, checked, lambda *_: 1 / 0), "ZeroDivisionError")
    assert refused(said(capsys, checked, lambda *_: torch.zeros(3)), "The shape is (3,)")
    wrong = said(capsys, checked, lambda x, *_: 0 * x + 9)
    assert refused(wrong, "The shape is right, the numbers aren't")


RIGHT = (4 * 512 * 512, 2 * 512 * 2048 + 2048 + 512, 4 * 512)


def test_the_parameters_of_a_layer(capsys):
    from transformer_lib import EncoderLayer, count_parameters

    assert sum(RIGHT) == count_parameters(EncoderLayer(512, 2048, 8))
    assert said(capsys, check.layer_parameters, *RIGHT) == "right!"


@pytest.mark.parametrize(
    ("place", "wrong", "hint"),
    [
        (0, 3 * 512 * 512, "W^O"),
        (0, 512 * 512, "one matrix"),
        (0, 32 * 512 * 512, "512 × 64"),
        (0, 4 * (512 * 512 + 512), "no biases"),
        (0, 5, "Attention: not yet"),
        (0, 5.5, "attention is a whole number"),
        (1, 512 * 2048, "the way back"),
        (1, 2 * 512 * 2048, "the biases"),
        (1, 2 * 512 * 2048 + 2048, "b_2 is missing"),
        (1, 2 * 512 * 2048 + 512, "b_1 is missing"),
        (1, 2 * 512 * 2048 + 1024, "b_1 is as wide"),
        (1, 2 * 512 * 2048 + 4096, "b_2 is as wide"),
        (2, 512, "two norms"),
        (2, 1024, "without a shift"),
        (2, 4, "for each feature"),
        (2, 0, "learns"),
        (2, 3072, "decoder layer"),
        (2, True, "norms is a whole number"),
    ],
)
def test_wrong_parameters(capsys, place, wrong, hint):
    attempt = list(RIGHT)
    attempt[place] = wrong
    assert refused(said(capsys, check.layer_parameters, *attempt), hint)


# --- an encoder layer ---


def right_layer(x, attend, network, norm_1, norm_2):
    x = norm_1(x + attend(x, x, x))
    return norm_2(x + network(x))


def step_by_step(x, attend, network, norm_1, norm_2):
    attended = attend(x, x, x)
    between = norm_1(attended + x)
    added = network(between)
    return norm_2(added + between)


def by_name(x, attend, network, norm_1, norm_2):
    x = norm_1(x + attend(query=x, key=x, value=x))
    return norm_2(x + network(x))


def layer_with(first=lambda x, a: x + a, second=lambda y, f: y + f, norms=lambda n, m: (n, m)):
    """The layer with other sums or other norms."""

    def layer(x, attend, network, norm_1, norm_2):
        norm_1, norm_2 = norms(norm_1, norm_2)
        y = norm_1(first(x, attend(x, x, x)))
        return norm_2(second(y, network(y)))

    return layer


def network_first(x, a, f, n, m):
    y = n(x + f(x))
    return m(y + a(y, y, y))


def reads_x(x, a, f, n, m):
    return m(n(x + a(x, x, x)) + f(x))


def adds_x(x, a, f, n, m):
    return m(x + f(n(x + a(x, x, x))))


def pre_norm(x, a, f, n, m):
    y = n(x)
    x = x + a(y, y, y)
    return x + f(m(x))


def first_pre_norm(x, a, f, n, m):
    y = n(x)
    x = x + a(y, y, y)
    return m(x + f(x))


def second_pre_norm(x, a, f, n, m):
    y = n(x + a(x, x, x))
    return y + f(m(y))


def norm_before_sum(x, a, f, n, m):
    x = x + n(a(x, x, x))
    return x + m(f(x))


def nothing(x):
    return x


@pytest.mark.parametrize("function", [right_layer, step_by_step, by_name])
def test_encoder_layer_right(capsys, function):
    assert said(capsys, check.encoder_layer, function) == "right!"


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (layer_with(first=lambda x, a: a, second=lambda y, f: f), "Both residual connections"),
        (layer_with(first=lambda x, a: a), "around self-attention is missing"),
        (layer_with(second=lambda y, f: f), "around the network is missing"),
        (layer_with(norms=lambda n, m: (nothing, nothing)), "The norms are missing"),
        (layer_with(norms=lambda n, m: (nothing, m)), "norm_1 is missing"),
        (layer_with(norms=lambda n, m: (n, nothing)), "norm_2 is missing"),
        (layer_with(norms=lambda n, m: (n, n)), "norm_1 is used twice"),
        (layer_with(norms=lambda n, m: (m, m)), "norm_2 is used twice"),
        (layer_with(norms=lambda n, m: (m, n)), "changed places"),
        (lambda x, a, f, n, m: n(x + a(x, x, x)), "The feed-forward network is missing"),
        (lambda x, a, f, n, m: m(x + f(x)), "Self-attention is missing"),
        (lambda x, a, f, n, m: n(x + f(x)), "Self-attention is missing, and norm_2"),
        (network_first, "comes first"),
        (reads_x, "reads x as it came in"),
        (adds_x, "adds x as it came in"),
        (pre_norm, "That is pre-norm"),
        (first_pre_norm, "The first sub-layer is pre-norm"),
        (second_pre_norm, "The second sub-layer is pre-norm"),
        (norm_before_sum, "before the sum"),
        (lambda x, a, f, n, m: a(x, x, x), "self-attention alone"),
        (lambda x, a, f, n, m: f(a(x, x, x)), "the two parts alone"),
        (lambda x, a, f, n, m: n(a(x, x, x)), "and the network are missing"),
        (lambda x, a, f, n, m: m(n(x + a(x)) + f(x)), "takes three things"),
        (lambda x, *_: EncoderLayer(6, 11, 2)(x), "write its steps yourself"),
    ],
)
def test_encoder_layer_wrong(capsys, function, hint):
    assert refused(said(capsys, check.encoder_layer, function), hint)


# --- feed-forward ---


def in_a_loop(x, w_1, b_1, w_2, b_2):
    return torch.stack(
        [torch.stack([(word @ w_1 + b_1).clamp(min=0) @ w_2 + b_2 for word in s]) for s in x]
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x, w_1, b_1, w_2, b_2: torch.relu(x @ w_1 + b_1) @ w_2 + b_2,
        lambda x, w_1, b_1, w_2, b_2: F.linear(F.linear(x, w_1.T, b_1).relu(), w_2.T, b_2),
        in_a_loop,
    ],
)
def test_feed_forward_right(capsys, function):
    assert said(capsys, check.feed_forward, function) == "right!"


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (lambda x, w, b, v, c: (x @ w + b) @ v + c, "The max is missing"),
        (lambda x, w, b, v, c: ((x @ w + b).relu() @ v + c).relu(), "one max too many"),
        (lambda x, w, b, v, c: ((x @ w + b) @ v + c).relu(), "between the two"),
        (lambda x, w, b, v, c: (x.relu() @ w + b) @ v + c, "taken of x"),
        (lambda x, w, b, v, c: (x @ w).relu() @ v + c, "b_1 is missing"),
        (lambda x, w, b, v, c: ((x @ w).relu() + b) @ v + c, "b_1 is added after"),
        (lambda x, w, b, v, c: (x @ w + b).relu() @ v, "b_2 is missing"),
        (lambda x, w, b, v, c: (x @ w).relu() @ v, "Both biases"),
        (lambda x, w, b, v, c: F.gelu(x @ w + b) @ v + c, "GELU"),
        (lambda x, w, b, v, c: (x @ w + b).clamp(max=0) @ v + c, "not min"),
        (lambda x, w, b, v, c: (x @ w + b).abs() @ v + c, "absolute value"),
        (lambda x, w, b, v, c: (x @ w + b).relu(), "hidden layer"),
    ],
)
def test_feed_forward_wrong(capsys, function, hint):
    assert refused(said(capsys, check.feed_forward, function), hint)


# --- layer norm ---


def normed(x, scale, shift, eps, dim=-1, correction=0, eps_in=True, root=True):
    mean = x.mean(dim, keepdim=True)
    variance = ((x - mean) ** 2).mean(dim, keepdim=True)
    if correction:
        variance = variance * x.size(-1) / (x.size(-1) - 1)
    below = (variance + eps).sqrt() if eps_in else variance.sqrt() + eps
    return (x - mean) / (below if root else variance + eps) * scale + shift


def of_deviation(x, scale, shift, eps, correction):
    deviation = x.std(-1, correction=correction, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) / (deviation + eps).sqrt() * scale + shift


@pytest.mark.parametrize(
    "function",
    [
        normed,
        lambda x, scale, shift, eps: (
            ((x.mT - x.mean(-1)[:, None]) * (x.var(-1, correction=0)[:, None] + eps).rsqrt()).mT
            * scale
            + shift
        ),
    ],
)
def test_layer_norm_right(capsys, function):
    assert said(capsys, check.layer_norm, function) == "right!"


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (lambda *a: normed(*a, dim=1), "over the words of a sentence"),
        (lambda *a: normed(*a, dim=0), "over the sentences"),
        (lambda *a: normed(*a, dim=(0, 1)), "batch norm"),
        (lambda *a: normed(*a, dim=(1, 2)), "a whole sentence"),
        (lambda *a: normed(*a, dim=(0, 1, 2)), "one mean of all"),
        (lambda *a: normed(*a, correction=1), "divides by n − 1"),
        (lambda *a: normed(*a, eps_in=False), "belongs inside the root"),
        (lambda *a: normed(*a, correction=1, eps_in=False), "Two things"),
        (lambda *a: normed(*a, root=False), "by the variance"),
        (lambda x, a, b, eps: normed(x, a, b, 0.0), "eps is missing: "),
        (lambda x, a, b, eps: normed(x, a, b, 0.0, correction=1), "eps is missing, and"),
        (lambda x, a, b, eps: normed(x, a, b, 0.5), "handed in"),
        (
            lambda x, a, b, eps: x / (x.var(-1, correction=0, keepdim=True) + eps).sqrt() * a + b,
            "isn't subtracted",
        ),
        (lambda x, a, b, eps: (x - x.mean(-1, keepdim=True)) * a + b, "division"),
        (lambda x, a, b, eps: normed(x, 1, 0, eps), "Scale and shift are missing"),
        (lambda x, a, b, eps: normed(x, a, 0, eps), "The shift is missing"),
        (lambda x, a, b, eps: normed(x, 1, b, eps), "The scale is missing"),
        (lambda x, a, b, eps: normed(x, b, a, eps), "changed places"),
        (lambda x, a, b, eps: normed(x, a, a * b, eps), "First scale"),
        (lambda x, a, b, eps: x - x.mean(-1), "keepdim=True"),
        (lambda x, a, b, eps: of_deviation(x, a, b, eps, 0), "It is a root already"),
        (lambda x, a, b, eps: of_deviation(x, a, b, eps, 1), "It is a root already"),
        (
            lambda x, a, b, eps: (
                (x - x.mean(-1, True))
                / ((x - x.mean(-1, True)).square().sum(-1, True) + eps).sqrt()
                * a
                + b
            ),
            "You add up the squared",
        ),
        (
            lambda x, a, b, eps: (
                (x - x.mean(-1, True)) / (x.square().mean(-1, True) + eps).sqrt() * a + b
            ),
            "the squares of x",
        ),
        (lambda x, a, b, eps: x / (x.square().mean(-1, True) + eps).sqrt() * a + b, "RMS norm"),
        (lambda x, a, b, eps: F.layer_norm(x, a.shape, a, b, eps), "write its steps yourself"),
    ],
)
def test_layer_norm_wrong(capsys, function, hint):
    assert refused(said(capsys, check.layer_norm, function), hint)


# --- around a sub-layer ---


def right_around(x, f, norm, drop, norm_first):
    return x + drop(f(norm(x))) if norm_first else norm(x + drop(f(x)))


def stepwise(x, f, norm, drop, norm_first):
    way_around = x
    if norm_first:
        x = norm(x)
    y = drop(f(x)) + way_around
    return y if norm_first else norm(y)


@pytest.mark.parametrize("function", [right_around, stepwise])
def test_around_right(capsys, function):
    assert said(capsys, check.around, function) == "right!"


def post(wrong):
    """Right for pre-norm, so that the mistake is in post-norm alone."""
    return lambda x, f, n, d, first: right_around(x, f, n, d, True) if first else wrong(x, f, n, d)


def pre(wrong):
    return lambda x, f, n, d, first: wrong(x, f, n, d) if first else right_around(x, f, n, d, False)


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (post(lambda x, f, n, d: n(d(f(x)))), "norm_first=False: The residual connection"),
        (pre(lambda x, f, n, d: d(f(n(x)))), "norm_first=True: The residual connection"),
        (lambda x, f, n, d, first: right_around(x, f, n, d, not first), "the other one"),
        (lambda x, f, n, d, first: right_around(x, f, n, d, True), "norm_first=False: This is the"),
        (lambda x, f, n, d, first: right_around(x, f, n, d, False), "norm_first=True: This is the"),
        (post(lambda x, f, n, d: n(x + f(x))), "Dropout is missing"),
        (pre(lambda x, f, n, d: x + f(n(x))), "Dropout is missing"),
        (post(lambda x, f, n, d: n(d(x + f(x)))), "on the sum"),
        (pre(lambda x, f, n, d: d(x + f(n(x)))), "on the sum"),
        (post(lambda x, f, n, d: n(d(x) + f(x))), "acts on x"),
        (post(lambda x, f, n, d: n(d(x) + d(f(x)))), "on the sum"),
        (post(lambda x, f, n, d: n(x) + d(f(x))), "acts on x alone"),
        (post(lambda x, f, n, d: d(n(x + f(x)))), "after the norm"),
        (pre(lambda x, f, n, d: n(x) + d(f(n(x)))), "the normalized x"),
        (pre(lambda x, f, n, d: x + d(f(d(n(x))))), "used twice"),
        (post(lambda x, f, n, d: x + n(d(f(x)))), "output alone"),
        (post(lambda x, f, n, d: x + d(f(x))), "The norm is missing"),
        (pre(lambda x, f, n, d: x + d(f(x))), "The norm is missing"),
        (pre(lambda x, f, n, d: n(x + d(f(n(x))))), "two norms"),
        (pre(lambda x, f, n, d: x + d(n(f(x)))), "before the sub-layer"),
        (pre(lambda x, f, n, d: x * d(f(n(x)))), "don't multiply"),
        (post(lambda x, f, n, d: F.layer_norm(x + d(f(x)), (7,))), "handed in: it has"),
        (pre(lambda x, f, n, d: x + d(f(F.layer_norm(x, (7,))))), "handed in: it has"),
        (post(lambda x, f, n, d: n(x + F.dropout(f(x), 0.5))), "at random"),
        (post(lambda x, f, n, d: n(x + d(f(x)) / 2 + d(f(x)) / 2)), "runs 2 times"),
    ],
)
def test_around_wrong(capsys, function, hint):
    assert refused(said(capsys, check.around, function), hint)


# --- four norms ---


def test_four_norms(capsys):
    norms, x = check.norms(), 3 * torch.randn(2, 5, 7) + 1
    torch.testing.assert_close(norms["B"](x), F.layer_norm(x, (7,)))
    torch.testing.assert_close(norms["D"](x), F.rms_norm(x, (7,), eps=1e-5))
    batch = F.batch_norm(x.mT, None, None, training=True).mT
    torch.testing.assert_close(norms["C"](x), batch)
    torch.testing.assert_close(norms["A"](x), F.layer_norm(x, (5, 7)))
    assert said(capsys, check.four_norms, check.NORMS) == "right!"
    assert said(capsys, check.four_norms, dict.fromkeys("ABCD", ...)) == "not tried yet"


@pytest.mark.parametrize(
    ("verdict", "hint"),
    [
        ({"A": "layer"}, "isn't “layer”. Add 7"),
        ({"B": "batch"}, "isn't “batch”. Change another sentence"),
        ({"C": "sentence"}, "isn't “sentence”. Change another word"),
        ({"C": "rms"}, "isn't “rms”. Is the mean"),
        ({"C": "group"}, "choose one of"),
    ],
)
def test_another_norm(capsys, verdict, hint):
    assert refused(said(capsys, check.four_norms, {**check.NORMS, **verdict}), hint)


# --- as many parameters as attention ---


def test_as_many_as_attention(capsys):
    from transformer_lib import MultiHeadAttention, PositionwiseFeedForward, count_parameters

    attention = count_parameters(MultiHeadAttention(512, 8))
    sizes = {
        wide: abs(count_parameters(PositionwiseFeedForward(512, wide)) - attention)
        for wide in (1022, 1023, 1024)
    }
    assert min(sizes, key=sizes.get) == 1023
    assert said(capsys, check.as_many_as_attention, 1023) == "right!"


@pytest.mark.parametrize(
    ("width", "hint"),
    [
        (1024, "leaves out the biases"),
        (2048, "the paper's"),
        (1022, "514 numbers fewer"),
        (4000, "numbers more"),
        (0, "Give a width"),
        (0.5, "whole number"),
    ],
)
def test_another_width(capsys, width, hint):
    assert refused(said(capsys, check.as_many_as_attention, width), hint)


# --- the largest addition ---


def test_largest_addition(capsys):
    assert said(capsys, check.largest_addition, 0, "feed_forward") == "right!"
    assert said(capsys, check.largest_addition, ..., ...) == "not tried yet"


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        ((0, "attention"), "0.24 times as long"),
        ((1, "feed_forward"), "Another one adds more"),
        ((2, "attention"), "The layer is 0 or 1"),
        ((1, "norm"), "The part is"),
    ],
)
def test_another_addition(capsys, attempt, hint):
    assert refused(said(capsys, check.largest_addition, *attempt), hint)


# --- a deep stack without a norm ---


@pytest.mark.parametrize("guess", [0.25, -0.25, torch.tensor(0.25)])
def test_share_right(capsys, guess):
    state = torch.get_rng_state()
    assert said(capsys, check.share, guess) == "right!"
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(
    ("guess", "hint"),
    [
        (..., "not tried yet"),
        (1, "5.12e+04 times as large, which is too much"),
        (0.1, "times as large, which isn't enough"),
        (0, "add nothing"),
        ("a half", "Give one number"),
        (float("nan"), "Give one number"),
        (True, "Give one number"),
        (1e200, "too much"),
    ],
)
def test_share_wrong(capsys, guess, hint):
    assert hint in said(capsys, check.share, guess)


# --- points ---


def kept(checked, *attempt):
    """The share of the points that an attempt keeps when it is graded."""
    with graded():
        try:
            checked(*attempt)
        except Hint as hint:
            return hint.keeps
    return 1


def test_a_slip_keeps_half_the_points():
    assert kept(check.layer_parameters, *RIGHT) == 1
    assert kept(check.layer_parameters, RIGHT[0] * 3 // 4, *RIGHT[1:]) == 0.5
    assert kept(check.layer_parameters, RIGHT[0] * 3 // 4, 5, RIGHT[2]) == 0
    assert kept(check.layer_parameters, 5, *RIGHT[1:]) == 0
    assert kept(check.layer_norm, lambda x, a, b, eps: normed(x, b, a, eps)) == 0.5
    assert kept(check.layer_norm, lambda x, a, b, eps: normed(x, a, b, 0.5)) == 0.5
    assert kept(check.around, post(lambda x, f, n, d: x + d(f(x)))) == 0.5
    assert kept(check.around, lambda x, *_: x) == 0
    assert kept(check.encoder_layer, reads_x) == 0.5
    assert kept(check.encoder_layer, lambda x, *_: x) == 0
    assert kept(check.as_many_as_attention, 1024) == 0.5


# --- the planted fault ---


def test_the_suspect_has_one_fault_that_can_be_measured():
    suspect, x = check.suspect(), torch.randn(2, 5, 32)
    silent, whole = [], []
    for number, layer in enumerate(suspect.layers):
        for around in (layer.residual_self_attn, layer.residual_feed_forward):
            said = around(x, torch.zeros_like)
            silent.append((number, said.abs().max().item() < 1e-6))
            whole.append(torch.allclose(around(x, torch.sin)[:1], around(x[:1], torch.sin)))
        nudged = x.clone()
        nudged[0, 2] += 1
        moves = (layer.feed_forward(nudged) != layer.feed_forward(x)).any(-1)
        assert moves.sum() == 1
        torch.testing.assert_close(layer(x).square().mean(-1), torch.ones(2, 5), atol=1e-2, rtol=0)
    assert [number for number, yes in silent if yes] == [check.FAULTY_LAYER] and all(whole)


def test_the_planted_fault(capsys):
    assert said(capsys, check.planted_fault, ..., ...) == "not tried yet"
    assert said(capsys, check.planted_fault, 3, "residual") == "right!"


@pytest.mark.parametrize(
    ("layer", "fault", "hint"),
    [
        (4, "residual", "count from 0"),
        (0, "residual", "another layer"),
        (3, "meet", "does any other word move"),
        (3, "norm", "not normalized"),
        (3, "batch", "much louder"),
        (3, "x", "The fault is one of"),
        (6, "residual", "from 0 to 5"),
        (True, "residual", "whole number"),
        ("three", "residual", "whole number"),
    ],
)
def test_another_fault_than_the_planted_one(capsys, layer, fault, hint):
    assert refused(said(capsys, check.planted_fault, layer, fault), hint)
