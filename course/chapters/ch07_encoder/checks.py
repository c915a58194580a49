"""The exercises of notebook 07 and assignment 4: an encoder's parts, and the encoder they make.

All sizes are different primes, so that a norm over the wrong axis can't pass unseen.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.chapters.ch07_encoder.experiments import deep_stack
from course.checks import (
    Hint,
    call,
    compare,
    exercise,
    expect,
    fault_in_a_stack,
    implement,
    no_slip,
    one_number,
    own_work,
    parts_right,
    plain,
    same,
    whole_number,
)
from transformer_lib.model.encoder import Encoder
from transformer_lib.model.layers import PositionwiseFeedForward, SublayerConnection

B, S, D_MODEL, D_FF = 2, 5, 7, 11


def numbers(*shape: int, seed: int = 0, mean: float = 0.0) -> Tensor:
    return mean + torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def call_with(function: Any, x: Tensor, *parts: Any) -> Tensor:
    """As `call`, for an attempt that takes x and modules, which are no part of a message."""
    return call((lambda x: function(x, *parts)) if callable(function) else function, x)


# --- 1. how many numbers -------------------------------------------------------------------------


@exercise
def layer_parameters(attention: Any, feed_forward: Any, norms: Any) -> None:
    """Exercise 1: the parameters of one encoder layer with d_model=512 and d_ff=2048."""
    attention = whole_number(attention, "attention is a whole number.")
    feed_forward = whole_number(feed_forward, "feed_forward is a whole number.")
    norms = whole_number(norms, "norms is a whole number.")
    square = 512 * 512
    hints = {
        3 * square: "And W^O?",
        square: "That is one matrix; there are four.",
        8 * 4 * square: "Each head has matrices of 512 × 64: eight of them are one of 512 × 512.",
        4 * square + 4 * 512: "The attention layers have no biases.",
    }
    norm_hints = {
        512: "That is the scale of one norm. There is a shift too, and there are two norms.",
        2 * 512: "Either one norm with scale and shift, or two norms without a shift.",
        4: "Scale and shift have a number for each feature, not one for all.",
        0: "A norm learns a scale and a shift.",
        6 * 512: "That is the decoder layer, with three norms.",
    }
    parts_right(
        ("Attention", attention, 4 * square, hints),
        ("Feed-forward", feed_forward, *network_parameters(512, 2048)),
        ("Norms", norms, 4 * 512, norm_hints),
    )


def network_parameters(d_model: int, d_ff: int) -> tuple[int, dict[int, str]]:
    """Of a feed-forward network: the right number, and hints for wrong ones."""
    product = d_model * d_ff
    return 2 * product + d_ff + d_model, {
        product: "That is one matrix: there is a way there and a way back.",
        2 * product: "And the biases, b_1 and b_2?",
        2 * product + d_ff: "b_2 is missing.",
        2 * product + d_model: "b_1 is missing.",
        2 * product + 2 * d_model: f"b_1 is as wide as what it is added to: {d_ff}.",
        2 * product + 2 * d_ff: f"b_2 is as wide as what it is added to: {d_model}.",
    }


# --- 2. feed-forward -----------------------------------------------------------------------------


def feed_forward_inputs() -> tuple[Tensor, ...]:
    shapes = ((B, S, D_MODEL), (D_MODEL, D_FF), (D_FF,), (D_FF, D_MODEL), (D_MODEL,))
    return tuple(numbers(*shape, seed=seed) for seed, shape in enumerate(shapes))


@implement(feed_forward_inputs)
def feed_forward(function: Callable[..., Tensor]) -> None:
    """Exercise 2: (x, w_1, b_1, w_2, b_2) -> max(0, x w_1 + b_1) w_2 + b_2."""
    x, w_1, b_1, w_2, b_2 = inputs = feed_forward_inputs()
    ours = PositionwiseFeedForward(D_MODEL, D_FF)
    with torch.no_grad():
        for layer, weight, bias in ((ours.w_1, w_1, b_1), (ours.w_2, w_2, b_2)):
            layer.weight.copy_(weight.T)  # nn.Linear keeps its matrix transposed
            layer.bias.copy_(bias)
        right = ours(x)
    before = x @ w_1 + b_1
    hidden = before.relu()
    own_work(function, "PositionwiseFeedForward")
    compare(
        call(function, *inputs),
        right,
        [
            (
                before @ w_2 + b_2,
                "The max is missing: without it two matrices in a row are as good as one.",
            ),
            (
                right.relu(),
                "There is one max too many: the last one cuts off all negative outputs.",
            ),
            (
                (before @ w_2 + b_2).relu(),
                "The max stands at the end. It belongs between the two matrices.",
            ),
            (
                x.relu() @ w_1 @ w_2 + b_1 @ w_2 + b_2,
                "The max is taken of x. It belongs after the first matrix.",
            ),
            ((x @ w_1).relu() @ w_2 + b_2, "b_1 is missing."),
            (
                ((x @ w_1).relu() + b_1) @ w_2 + b_2,
                "b_1 is added after the max. It belongs before it.",
            ),
            (hidden @ w_2, "b_2 is missing."),
            ((x @ w_1).relu() @ w_2, "Both biases are missing."),
            (
                F.gelu(before) @ w_2 + b_2,
                "That is GELU, which newer models use. The paper takes max(0, ·).",
            ),
            (
                before.clamp(max=0) @ w_2 + b_2,
                "You keep what is below 0. It is the other half that passes: max, not min.",
            ),
            (
                before.abs() @ w_2 + b_2,
                "That is the absolute value. Below 0 nothing should be left.",
            ),
            (hidden, "That is the hidden layer. The way back, w_2 and b_2, is missing."),
        ],
    )


# --- 3. layer norm -------------------------------------------------------------------------------


def norm_inputs() -> tuple[Tensor, Tensor, Tensor, float]:
    x = 2 * numbers(B, S, D_MODEL, seed=1, mean=3.0)
    return x, numbers(D_MODEL, seed=2), numbers(D_MODEL, seed=3), 0.5


@implement(norm_inputs)
def layer_norm(function: Callable[..., Tensor]) -> None:
    """Exercise 3: (x, scale, shift, eps) -> nn.LayerNorm over the last axis."""
    x, scale, shift, eps = inputs = norm_inputs()
    centered = x - x.mean(-1, keepdim=True)
    variance = x.var(-1, correction=0, keepdim=True)
    squares = x.square().mean(-1, keepdim=True)
    own_work(function, "layer_norm", "LayerNorm", "native_layer_norm", "fresh_norm")
    right = F.layer_norm(x, (D_MODEL,), scale, shift, eps)

    def over(axes: int | tuple[int, ...]) -> Tensor:
        moved = x - x.mean(axes, keepdim=True)
        return moved / (x.var(axes, correction=0, keepdim=True) + eps).sqrt() * scale + shift

    stops = {
        "must match the size of tensor": "Two shapes don't fit. The mean of each word needs "
        "`keepdim=True`, so that it stays a column beside its word."
    }
    found = call(function, *inputs, stops=stops)
    without = centered / variance.sqrt() * scale + shift
    if same(found, without):  # eps is missing, or too small to be seen here
        alike = call(function, torch.ones_like(x), scale, shift, eps)
        no_slip(
            not alike.isfinite().all(),
            "A small number of your own stands where eps belongs. Use the eps that is handed in.",
        )
    compare(
        found,
        right,
        [
            (
                over(1),
                "Your mean runs over the words of a sentence. Each word has a mean of its own: "
                "the last axis.",
            ),
            (
                over(0),
                "Your mean runs over the sentences of the batch. Each word has a mean of its "
                "own: the last axis.",
            ),
            (
                over((0, 1)),
                "Your mean runs over all words of all sentences: that is batch norm. Take "
                "the last axis.",
            ),
            (
                over((1, 2)),
                "Your mean runs over a whole sentence. Each word has one of its own: the "
                "last axis alone.",
            ),
            (
                over((0, 1, 2)),
                "You take one mean of all numbers. Each word has one of its own: dim=-1.",
            ),
            (
                centered / (x.std(-1, keepdim=True) + eps) * scale + shift,
                "Two things: divide by n, "
                "not n − 1 (`correction=0`), and eps belongs inside the root, with the variance.",
            ),
            (
                centered / (variance.sqrt() + eps) * scale + shift,
                "eps is added to the standard "
                "deviation. It belongs inside the root, with the variance.",
            ),
            (
                centered / (x.var(-1, keepdim=True) + eps).sqrt() * scale + shift,
                "Your variance divides "
                "by n − 1, which is torch's habit. Layer norm divides by n: `correction=0`.",
            ),
            (without, "eps is missing: a word whose numbers are all equal would be divided by 0."),
            (
                centered / x.std(-1, keepdim=True) * scale + shift,
                "eps is missing, and the standard deviation should divide by n (`correction=0`).",
            ),
            (
                centered / (variance + eps) * scale + shift,
                "You divide by the variance. Divide by its root.",
            ),
            (
                centered / (variance.sqrt() + eps).sqrt() * scale + shift,
                "You take the root of the "
                "standard deviation. It is a root already: the root is of the variance.",
            ),
            (
                centered / (x.std(-1, keepdim=True) + eps).sqrt() * scale + shift,
                "You take the root of "
                "the standard deviation. It is a root already: the root is of the variance.",
            ),
            (
                centered / (D_MODEL * variance + eps).sqrt() * scale + shift,
                "You add up the squared distances. The variance is their mean.",
            ),
            (
                centered / (squares + eps).sqrt() * scale + shift,
                "Your variance is the mean of the squares of x. Take the distances from the mean.",
            ),
            (
                x / (squares + eps).sqrt() * scale + shift,
                "The mean is used nowhere. That is RMS norm, which newer models have.",
            ),
            (x / (variance + eps).sqrt() * scale + shift, "The mean isn't subtracted."),
            (centered * scale + shift, "The division by the standard deviation is missing."),
            (centered / (variance + eps).sqrt(), "Scale and shift are missing."),
            (centered / (variance + eps).sqrt() * scale, "The shift is missing."),
            (centered / (variance + eps).sqrt() + shift, "The scale is missing."),
            (
                centered / (variance + eps).sqrt() * shift + scale,
                "Scale and shift have changed places.",
            ),
            ((centered / (variance + eps).sqrt() + shift) * scale, "First scale, then shift."),
        ],
    )
    other = 10 * eps
    no_slip(
        same(
            call(function, x, scale, shift, other), F.layer_norm(x, (D_MODEL,), scale, shift, other)
        ),
        "Right for one eps. Use the eps that is handed in.",
    )


# --- 4. around a sub-layer -----------------------------------------------------------------------


class SameDropout(nn.Module):
    """Drops the same features each time, so that it can be seen where it was used."""

    def forward(self, x: Tensor) -> Tensor:
        return x * (torch.arange(x.size(-1)) % 3 > 0) * 1.5


def around_inputs() -> tuple[Any, ...]:
    norm = nn.LayerNorm(D_MODEL)
    with torch.no_grad():
        norm.weight.copy_(numbers(D_MODEL, seed=5))
        norm.bias.copy_(numbers(D_MODEL, seed=6))
    return numbers(B, S, D_MODEL, seed=4, mean=1.0), torch.sin, norm, SameDropout()


@implement(lambda: (*around_inputs(), False))
def around(function: Callable[..., Tensor]) -> None:
    """Exercise 4: (x, sublayer, norm, dropout, norm_first) -> post-norm or pre-norm."""
    own_work(function, "SublayerConnection")
    for norm_first in (False, True):
        try:
            judge_around(function, norm_first)
        except Hint as hint:
            raise Hint(f"With norm_first={norm_first}: {hint}", hint.keeps) from None


def judge_around(function: Any, norm_first: bool) -> None:
    """A Hint if the function doesn't go around a sub-layer as it should with this norm_first."""
    x, f, norm, drop = around_inputs()
    ours = SublayerConnection(D_MODEL, dropout=0.0, norm_first=norm_first)
    ours.norm, ours.dropout = norm, drop
    with torch.no_grad():
        right = ours(x, f)
        post, pre = norm(x + drop(f(x))), x + drop(f(norm(x)))
        mistakes = [
            (
                pre if not norm_first else post,
                "This is the other one: post-norm comes out of a norm, pre-norm goes into one.",
            ),
            *shared_mistakes(x, f, norm, drop, norm_first),
        ]
    calls: list[Tensor] = []
    found = call_with(function, x, counting(f, calls), plain(norm), plain(drop), norm_first)
    again = call_with(function, x, f, plain(norm), plain(drop), norm_first)
    expect(
        same(found, again),
        "Twice the same input, two different outputs: something drops at random, although "
        "nothing is being trained. Use the dropout that is handed in.",
    )
    compare(found, right, mistakes)
    no_slip(len(calls) == 1, f"Right, but the sub-layer runs {len(calls)} times.")


def shared_mistakes(
    x: Tensor, f: Callable, norm: Callable, drop: Callable, norm_first: bool
) -> Sequence[tuple[Tensor, str]]:
    """What goes wrong with both places of the norm."""
    inner = f(norm(x)) if norm_first else f(x)
    last: Callable = (lambda y: y) if norm_first else norm
    return [
        (last(drop(inner)), "The way around is missing: add x to what the sub-layer says."),
        (last(x + inner), "Dropout is missing. It falls on what the sub-layer says."),
        (last(drop(x + inner)), "Dropout falls on the sum. x itself must come through whole."),
        (last(drop(x) + inner), "Dropout falls on x. It should fall on what the sub-layer says."),
        (
            x + f(drop(norm(x))) if norm_first else norm(x + f(drop(x))),
            "Dropout falls on what the sub-layer reads. It should fall on what it says.",
        ),
        (
            x + f(norm(drop(x))),
            "Dropout falls on what the norm reads. It should fall on what the sub-layer says.",
        ),
        (
            drop(norm(x + inner)),
            "Dropout comes after the norm. It falls on what the sub-layer says, before the sum.",
        ),
        (
            norm(x) + drop(f(norm(x))),
            "You add the normalized x. In pre-norm x itself goes around, without a norm.",
        ),
        (x + drop(f(drop(norm(x)))), "Dropout is used twice."),
        (
            x + norm(drop(f(x))),
            "The norm is taken of the sub-layer's output alone. In post-norm "
            "it comes after the sum.",
        ),
        (
            norm(x) + drop(f(x)),
            "The norm falls on x alone. In post-norm it falls on the sum, in "
            "pre-norm on what the sub-layer reads.",
        ),
        (x + drop(f(x)), "The norm is missing."),
        (
            x + drop(f(F.layer_norm(x, (D_MODEL,))))
            if norm_first
            else F.layer_norm(x + drop(f(x)), (D_MODEL,)),
            "The norm should be the one that is handed in: it has learned a scale and a shift.",
        ),
        (norm(x + drop(f(norm(x)))), "There are two norms, before and after. Each way has one."),
        (x + drop(norm(f(x))), "In pre-norm the norm comes before the sub-layer, not after it."),
        (x * drop(inner), "Add, don't multiply."),
    ]


def counting(f: Callable[[Tensor], Tensor], calls: list[Tensor]) -> Callable[[Tensor], Tensor]:
    def counted(x: Tensor) -> Tensor:
        calls.append(x)
        return f(x)

    return counted


# --- 5. the encoder ------------------------------------------------------------------------------


def encoder_inputs() -> tuple[Tensor, nn.ModuleList, nn.Module]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        ours = Encoder(3, 6, D_FF, 2, dropout=0.0, norm_first=True).eval()
        with torch.no_grad():
            for parameter in ours.parameters():
                parameter.normal_()
    return numbers(B, S, 6, seed=8), ours.layers, ours.norm


@implement(encoder_inputs)
def encoder(function: Callable[..., Tensor]) -> None:
    """Exercise 5: (x, layers, norm) -> through all layers, then through the last norm."""
    x, layers, norm = encoder_inputs()
    own_work(function, "Encoder")

    def through(chosen: Sequence[nn.Module]) -> Tensor:
        y = x
        for layer in chosen:
            y = layer(y)
        return y

    with torch.no_grad():
        right = norm(through(layers))
        between = x
        for layer in layers:
            between = norm(layer(between))
        mistakes = [
            (through(layers), "The norm at the end is missing. In pre-norm the last sum has none."),
            (
                norm(layers[-1](x)),
                "Each of your layers reads x. It should read what the layer before it wrote.",
            ),
            (
                norm(layers[0](x)),
                "Only the first layer was used. (Does `return` stand inside the loop?)",
            ),
            (
                norm(through([layers[0]] * 3)),
                "You go through the first layer three times. The "
                "layers are alike in structure, but each has weights of its own.",
            ),
            (norm(through(list(layers)[::-1])), "The layers run from the last to the first."),
            (between, "The norm comes once, after the last layer, not after each."),
            (
                norm(sum(layer(x) for layer in layers)),
                "The layers stand one after another, not side by side.",
            ),
            (
                norm(x + through(layers)),
                "x is added once more at the end. Each layer has its own way around already.",
            ),
        ]
        mistakes += [
            (norm(through(list(chosen))), f"{len(chosen)} of the 3 layers were used.")
            for count in (1, 2)
            for chosen in itertools.combinations(layers, count)
        ]
        found = call_with(function, x, layers, norm)
        hint = "The layers don't show in the output. Is the result of a layer kept?"
        expect(not same(found, norm(x)), hint)
        expect(not same(found, x), "x comes out as it went in.")
        compare(found, right, mistakes)


# --- one planted fault ---------------------------------------------------------------------------

FAULTS = {
    "meet": "Nudge one word and look at `layers[i].feed_forward`: does any other word move?",
    "way": "Let a sub-layer say zeros, `around(x, torch.zeros_like)`: is x still there in what "
    "comes out?",
    "norm": "Look at the size of each word behind each sub-layer: is any of them not normalized?",
    "batch": "Read a sentence alone, and then beside a much louder one: does it come out "
    "differently?",
}
FAULTY_LAYER = 3


def suspect() -> Encoder:
    """An encoder with random weights that runs without an error, and one thing in it is wrong."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(11)
        encoder = Encoder(6, 32, 64, 4, dropout=0.0).eval()
    around = encoder.layers[FAULTY_LAYER].residual_feed_forward
    around.forward = lambda x, sublayer: around.norm(around.dropout(sublayer(x)))
    return encoder


@exercise
def planted_fault(layer: Any, fault: Any) -> None:
    """The exercise of the core: (number of the layer, one of FAULTS)."""
    fault_in_a_stack(
        (layer, fault),
        (FAULTY_LAYER, "way"),
        6,
        FAULTS,
        "Each layer has two ways "
        "around, `residual_self_attn` and `residual_feed_forward`: try both, in each "
        "layer.",
    )


# --- assignment 4: a deep stack without a norm ----------------------------------------------------


@exercise
def share(guess: Any) -> None:
    """The factor with which x + factor * f(x) makes the signal about twice as large."""
    guess = one_number(guess)
    expect(math.isfinite(guess), "Give one number.")
    expect(
        guess != 0, "With a share of 0 the sub-layers say nothing, and x comes out as it went in."
    )
    with torch.random.fork_rng(devices=[]):
        signal = deep_stack(lambda x, f: x + guess * f(x))["signal"]
    times = signal[-1] / signal[0]
    seen = f"The signal becomes {times:.3g} times as large, which"
    which = "Do the sub-layers get too large a share, or too small a one?"
    expect(times <= 2.5, f"{seen} is too much. {which}")
    expect(times >= 1.5, f"{seen} isn't enough. {which}")
