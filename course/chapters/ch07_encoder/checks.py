"""The exercises of notebook 07 and assignment 4: an encoder's parts, and the encoder they make.

All sizes are different primes, so that a norm over the wrong axis can't pass unseen.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.chapters.ch07_encoder.experiments import deep_stack, what_is_added
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
    wrong_verdicts,
)
from transformer_lib.model.attention import MultiHeadAttention
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
    """The number of parameters of a feed-forward network, and hints for wrong numbers."""
    product = d_model * d_ff
    return 2 * product + d_ff + d_model, {
        product: "That is one matrix: there is a second one, for the way back.",
        2 * product: "And the biases, b_1 and b_2?",
        2 * product + d_ff: "b_2 is missing.",
        2 * product + d_model: "b_1 is missing.",
        2 * product + 2 * d_model: f"b_1 is as wide as what it is added to: {d_ff}.",
        2 * product + 2 * d_ff: f"b_2 is as wide as what it is added to: {d_model}.",
    }


# --- the core: an encoder layer ------------------------------------------------------------------


def layer_inputs() -> tuple[Any, ...]:
    """x, and the parts of a layer: attention, network and two norms that can't be confused."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        parts = (
            MultiHeadAttention(6, 2),
            PositionwiseFeedForward(6, D_FF),
            nn.LayerNorm(6),
            nn.LayerNorm(6),
        )
        with torch.no_grad():
            for part in parts:
                for parameter in part.eval().parameters():
                    parameter.normal_()
    return numbers(B, S, 6, seed=8), *parts


@implement(layer_inputs)
def encoder_layer(function: Callable[..., Tensor]) -> None:
    """The core: (x, self_attn, feed_forward, norm_1, norm_2) -> a post-norm encoder layer."""
    x, attention, network, n_1, n_2 = layer_inputs()
    own_work(function, "EncoderLayer", "SublayerConnection")

    def attend(x: Tensor) -> Tensor:
        return attention(x, x, x)

    def layer(
        parts: Sequence[Callable[[Tensor], Tensor]] = (attend, network),
        norms: Sequence[Callable[[Tensor], Tensor]] = (n_1, n_2),
        skip: Sequence[int] = (),
    ) -> Tensor:
        """The layer with one thing changed; skip: sub-layers without a residual connection."""
        y = x
        for number, (part, norm) in enumerate(zip(parts, norms, strict=False)):
            y = norm(part(y) + (0 if number in skip else y))
        return y

    def as_it_is(y: Tensor) -> Tensor:
        return y

    with torch.no_grad():
        between = n_1(x + attend(x))
        pre = x + attend(n_1(x))
        summed = x + n_1(attend(x))
        mistakes = [
            (
                layer(skip=(0, 1)),
                "Both residual connections are missing: add what goes into a sub-layer to what "
                "comes out of it.",
            ),
            (layer(skip=(0,)), "The residual connection around self-attention is missing."),
            (layer(skip=(1,)), "The residual connection around the network is missing."),
            (layer(norms=(as_it_is, as_it_is)), "The norms are missing."),
            (layer(norms=(as_it_is, n_2)), "norm_1 is missing: it normalizes the first sum."),
            (layer(norms=(n_1, as_it_is)), "norm_2 is missing: it normalizes the second sum."),
            (layer(norms=(n_1, n_1)), "norm_1 is used twice; the second sum has its own, norm_2."),
            (layer(norms=(n_2, n_2)), "norm_2 is used twice; the first sum has its own, norm_1."),
            (layer(norms=(n_2, n_1)), "The norms have changed places."),
            (between, "The feed-forward network is missing."),
            (layer(parts=(network,), norms=(n_2,)), "Self-attention is missing."),
            (layer(parts=(network,)), "Self-attention is missing, and norm_2 with it."),
            (
                layer(parts=(network, attend)),
                "The feed-forward network comes first. In the paper self-attention does.",
            ),
            (
                layer(parts=(network, attend), norms=(n_2, n_1)),
                "The feed-forward network comes first. In the paper self-attention does.",
            ),
            (
                n_2(between + network(x)),
                "The network reads x as it came in. It should read what norm_1 gave.",
            ),
            (
                n_2(x + network(between)),
                "The second sum adds x as it came in. Add what the network has read.",
            ),
            (
                pre + network(n_2(pre)),
                "That is pre-norm. Here the norm comes after the sum, as in the paper.",
            ),
            (
                n_2(pre + network(pre)),
                "The first sub-layer is pre-norm: norm_1 comes after its sum, as norm_2 does.",
            ),
            (
                between + network(n_2(between)),
                "The second sub-layer is pre-norm: norm_2 comes after its sum, as norm_1 does.",
            ),
            (
                summed + n_2(network(summed)),
                "The norm comes before the sum, so nothing normalizes the sum. First add.",
            ),
            (n_1(attend(x)), "Both residual connections and the network are missing."),
            (attend(x), "That is self-attention alone."),
            (layer(skip=(0, 1), norms=(as_it_is, as_it_is)), "Those are the two parts alone."),
        ]
        right = layer()
    stops = {
        "missing 2 required positional arguments": "self_attn takes three things: query, key and "
        "value. Here all three are the same.",
        "missing 1 required positional argument": "self_attn takes three things: query, key and "
        "value. Here all three are the same.",
    }
    parts = plain(attention), plain(network), plain(n_1), plain(n_2)
    found = call(
        (lambda x: function(x, *parts)) if callable(function) else function, x, stops=stops
    )
    compare(found, right, mistakes)


# --- from an empty file: the feed-forward network ------------------------------------------------


def feed_forward_inputs() -> tuple[Tensor, ...]:
    shapes = ((B, S, D_MODEL), (D_MODEL, D_FF), (D_FF,), (D_FF, D_MODEL), (D_MODEL,))
    return tuple(numbers(*shape, seed=seed) for seed, shape in enumerate(shapes))


@implement(feed_forward_inputs)
def feed_forward(function: Callable[..., Tensor]) -> None:
    """From an empty file: (x, w_1, b_1, w_2, b_2) -> max(0, x w_1 + b_1) w_2 + b_2."""
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
                "The max comes at the end. It belongs between the two matrices.",
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


# --- assignment 4: layer norm --------------------------------------------------------------------


def norm_inputs() -> tuple[Tensor, Tensor, Tensor, float]:
    x = 2 * numbers(B, S, D_MODEL, seed=1, mean=3.0)
    return x, numbers(D_MODEL, seed=2), numbers(D_MODEL, seed=3), 0.5


@implement(norm_inputs)
def layer_norm(function: Callable[..., Tensor]) -> None:
    """Assignment 4: (x, scale, shift, eps) -> nn.LayerNorm over the last axis."""
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
        "`keepdim=True`, so that it stays a column, one number for each word."
    }
    found = call(function, *inputs, stops=stops)
    without = centered / variance.sqrt() * scale + shift
    if same(found, without):  # eps is missing, or too small to be seen here
        alike = call(function, torch.ones_like(x), scale, shift, eps)
        no_slip(
            not alike.isfinite().all(),
            "You use a small number of your own for eps. Use the eps that is handed in.",
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


# --- assignment 4: around a sub-layer ------------------------------------------------------------


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
    """Assignment 4: (x, sublayer, norm, dropout, norm_first) -> post-norm or pre-norm."""
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
        (
            last(drop(inner)),
            "The residual connection is missing: add x to what comes out of the sub-layer.",
        ),
        (last(x + inner), "Dropout is missing. It acts on what comes out of the sub-layer."),
        (last(drop(x + inner)), "Dropout acts on the sum. x itself must come through whole."),
        (
            last(drop(x) + inner),
            "Dropout acts on x. It should act on what comes out of the sub-layer.",
        ),
        (
            x + f(drop(norm(x))) if norm_first else norm(x + f(drop(x))),
            "Dropout acts on what goes into the sub-layer. It should act on what comes out.",
        ),
        (
            x + f(norm(drop(x))),
            "Dropout acts on what goes into the norm. It should act on what comes out of the "
            "sub-layer.",
        ),
        (
            drop(norm(x + inner)),
            "Dropout comes after the norm. It acts on what comes out of the sub-layer, before the "
            "sum.",
        ),
        (
            norm(x) + drop(f(norm(x))),
            "You add the normalized x. In pre-norm x itself is added, without a norm.",
        ),
        (x + drop(f(drop(norm(x)))), "Dropout is used twice."),
        (
            x + norm(drop(f(x))),
            "The norm is taken of the sub-layer's output alone. In post-norm "
            "it comes after the sum.",
        ),
        (
            norm(x) + drop(f(x)),
            "The norm acts on x alone. In post-norm it acts on the sum, in "
            "pre-norm on what goes into the sub-layer.",
        ),
        (x + drop(f(x)), "The norm is missing."),
        (
            x + drop(f(F.layer_norm(x, (D_MODEL,))))
            if norm_first
            else F.layer_norm(x + drop(f(x)), (D_MODEL,)),
            "The norm should be the one that is handed in: it has learned a scale and a shift.",
        ),
        (
            norm(x + drop(f(norm(x)))),
            "There are two norms, before and after. Post-norm and pre-norm have one each.",
        ),
        (x + drop(norm(f(x))), "In pre-norm the norm comes before the sub-layer, not after it."),
        (x * drop(inner), "Add, don't multiply."),
    ]


def counting(f: Callable[[Tensor], Tensor], calls: list[Tensor]) -> Callable[[Tensor], Tensor]:
    def counted(x: Tensor) -> Tensor:
        calls.append(x)
        return f(x)

    return counted


# --- 3. four norms -------------------------------------------------------------------------------

NORMS = {"A": "sentence", "B": "layer", "C": "batch", "D": "rms"}
MEASURE = {  # how to see that it isn't this kind
    "layer": "Add 7 to all numbers of one word: does anything move? It shouldn't.",
    "batch": "Change another sentence of the batch: does this one come out differently?",
    "sentence": "Change another word of the same sentence: does this one come out differently?",
    "rms": "Is the mean of each word 0, or does some of its level come through?",
}


def norms() -> dict[str, Callable[[Tensor], Tensor]]:
    """Four norms of (b, s, d_model), each of another of the kinds that `MEASURE` lists."""

    def over(*axes: int) -> Callable[[Tensor], Tensor]:
        def norm(x: Tensor) -> Tensor:
            variance = x.var(axes, correction=0, keepdim=True)
            return (x - x.mean(axes, keepdim=True)) / (variance + 1e-5).sqrt()

        return norm

    def rms(x: Tensor) -> Tensor:
        return x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt()

    kinds = {"layer": over(-1), "batch": over(0, 1), "sentence": over(1, 2), "rms": rms}
    return {name: kinds[kind] for name, kind in NORMS.items()}


@exercise
def four_norms(verdict: Any) -> None:
    """Exercise 3: which of the four norms is of which kind, {"A": kind, ...}."""
    wrong = wrong_verdicts(verdict, NORMS, tuple(MEASURE))
    for name in wrong:
        raise Hint(f"{name} isn't “{verdict[name]}”. {MEASURE[verdict[name]]}")


# --- 4. as many as attention ---------------------------------------------------------------------


@exercise
def as_many_as_attention(d_ff: Any) -> None:
    """Exercise 4: the d_ff for which the network has most nearly the numbers of the attention."""
    d_ff = whole_number(d_ff)
    attention = 4 * 512 * 512
    best = min(range(1, 4096), key=lambda wide: abs(network_parameters(512, wide)[0] - attention))
    expect(0 < d_ff < 100_000, "Give a width, as a whole number.")
    no_slip(d_ff != 1024, "Very nearly: that leaves out the biases, b_1 and b_2.")
    no_slip(d_ff != 2048, "That is the paper's. How many numbers does it have, against W^Q …?")
    network = network_parameters(512, d_ff)[0]
    more = "more" if network > attention else "fewer"
    expect(
        d_ff == best,
        f"That network has {abs(network - attention):,} numbers {more} than the attention. Is "
        "there a width that comes nearer?",
    )


# --- 5. what is added ----------------------------------------------------------------------------


@exercise
def largest_addition(layer: Any, part: Any) -> None:
    """Exercise 5: which sub-layer adds most to trees, against what it is added to."""
    layer = whole_number(layer, "The layer is 0 or 1.")
    expect(layer in (0, 1), "The layer is 0 or 1.")
    parts = {"attention": "x", "feed_forward": "between"}
    expect(part in parts, 'The part is "attention" or "feed_forward".')
    lengths = {
        (number, name): (found[name][2].norm() / found[below][2].norm()).item()
        for number, found in enumerate(what_is_added("I like trees"))
        for name, below in parts.items()
    }
    expect(
        (layer, part) == max(lengths, key=lengths.__getitem__),
        f"This one adds a vector {lengths[layer, part]:.2f} times as long as the one that it is "
        "added to. Another one adds more.",
    )


# --- one planted fault ---------------------------------------------------------------------------

FAULTS = {
    "meet": "Nudge one word and look at `layers[i].feed_forward`: does any other word move?",
    "residual": "Let a sub-layer return zeros, `around(x, torch.zeros_like)`: is x still there in "
    "what comes out?",
    "norm": "Look at the size of each word after each sub-layer: is any of them not normalized?",
    "batch": "Read a sentence alone, and then in a batch with a much louder one: does it come "
    "out differently?",
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
    """Exercise 2: (number of the layer, one of FAULTS)."""
    fault_in_a_stack(
        (layer, fault),
        (FAULTY_LAYER, "residual"),
        6,
        FAULTS,
        "Each layer has two residual "
        "connections, `residual_self_attn` and `residual_feed_forward`: try both, in each "
        "layer.",
    )


# --- assignment 4: a deep stack without a norm ---------------------------------------------------


@exercise
def share(guess: Any) -> None:
    """The factor by which x + factor * f(x) makes the signal about twice as large."""
    guess = one_number(guess)
    expect(math.isfinite(guess), "Give one number.")
    expect(
        guess != 0, "With a share of 0 the sub-layers add nothing, and x comes out as it went in."
    )
    with torch.random.fork_rng(devices=[]):
        signal = deep_stack(lambda x, f: x + guess * f(x))["signal"]
    times = signal[-1] / signal[0]
    seen = f"The signal becomes {times:.3g} times as large, which"
    which = "Do the sub-layers get too large a share, or too small a one?"
    expect(times <= 2.5, f"{seen} is too much. {which}")
    expect(times >= 1.5, f"{seen} isn't enough. {which}")
