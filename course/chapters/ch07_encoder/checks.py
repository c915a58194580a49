"""The exercises of notebook 07 and assignment 4: an encoder's parts, and the encoder they make.

All sizes are different primes, so that a norm over the wrong axis can't pass unseen.
"""

import math
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.chapters.ch07_encoder.experiments import deep_stack, what_is_added
from course.checks import (
    Exercise,
    Hint,
    Value,
    Values,
    Verdicts,
    call,
    drawn,
    exercise,
    expect,
    fault_in_a_stack,
    implement,
    no_slip,
    one_number,
    own_work,
    plain,
    same,
    whole_number,
)
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.encoder import Encoder, EncoderLayer
from transformer_lib.model.layers import PositionwiseFeedForward, SublayerConnection

B, S, D_MODEL, D_FF = 2, 5, 7, 11


# --- 1. how many numbers -------------------------------------------------------------------------


def network_parameters(d_model: int, d_ff: int) -> Value:
    """How many parameters a feed-forward network has."""
    product = d_model * d_ff
    return Value(
        "Feed-forward",
        read=whole_number,
        right=2 * product + d_ff + d_model,
        slips={
            product: "That is one matrix: there is a second one, for the way back.",
            2 * product: "And the biases, b_1 and b_2?",
            2 * product + d_ff: "b_2 is missing.",
            2 * product + d_model: "b_1 is missing.",
            2 * product + 2 * d_model: f"b_1 is as wide as what it is added to: {d_ff}.",
            2 * product + 2 * d_ff: f"b_2 is as wide as what it is added to: {d_model}.",
        },
    )


SQUARE = 512 * 512
layer_parameters = Values(
    "layer_parameters",
    "Exercise 1: the parameters of one encoder layer with d_model=512 and d_ff=2048.",
    Value(
        "Attention",
        read=whole_number,
        right=4 * SQUARE,
        slips={
            3 * SQUARE: "And W^O?",
            SQUARE: "That is one matrix; there are four.",
            32 * SQUARE: "Each head has matrices of 512 × 64: eight of them are one of 512 × 512.",
            4 * SQUARE + 4 * 512: "The attention layers have no biases.",
        },
    ),
    network_parameters(512, 2048),
    Value(
        "Norms",
        read=whole_number,
        right=4 * 512,
        slips={
            512: "That is the scale of one norm. There is a shift too, and there are two norms.",
            2 * 512: "Either one norm with scale and shift, or two norms without a shift.",
            4: "Scale and shift have a number for each feature, not one for all.",
            0: "A norm learns a scale and a shift.",
            6 * 512: "That is the decoder layer, with three norms.",
        },
    ),
)


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
    return drawn(B, S, 6, seed=8), *map(plain, parts)


def as_it_is(x: Tensor) -> Tensor:
    return x


def post(x: Tensor, part: Callable, norm: Callable) -> Tensor:
    """A sub-layer, its sum, and its norm where the paper has it."""
    return norm(x + part(x))


def pre(x: Tensor, part: Callable, norm: Callable) -> Tensor:
    return x + part(norm(x))


def norm_before_sum(x: Tensor, part: Callable, norm: Callable) -> Tensor:
    return x + norm(part(x))


def no_sum(x: Tensor, part: Callable, norm: Callable) -> Tensor:
    return norm(part(x))


def run(
    x: Tensor,
    parts: Sequence[Callable],
    norms: Sequence[Callable],
    order: Sequence[int] | None = None,
    normed_by: Sequence[int | None] | None = None,
    steps: Sequence[Callable] = (post, post, post),
) -> Tensor:
    """A layer with something changed.

    order: which of its sub-layers run, by number; normed_by: with which of the norms, None for
    none; steps: how sub-layer and norm are put together, each time.
    """
    order = range(len(parts)) if order is None else order
    for i, n, step in zip(order, normed_by or order, steps, strict=False):
        x = step(x, parts[i], as_it_is if n is None else norms[n])
    return x


def layer(**change: Any) -> Callable[..., Tensor]:
    """An encoder layer, as `run` with this change."""
    return lambda x, attend, network, *norms: run(
        x, (lambda y: attend(y, y, y), network), norms, **change
    )


def the_library_s(x: Tensor, attend: Any, network: Any, *norms: Any) -> Tensor:
    ours = EncoderLayer(6, D_FF, 2, dropout=0.0)
    ours.self_attn.forward = lambda query, key, value, mask=None: attend(query, key, value)
    ours.feed_forward.forward = network
    ours.residual_self_attn.norm.forward, ours.residual_feed_forward.norm.forward = norms
    return ours(x)


NETWORK_FIRST = "The feed-forward network comes first. In the paper self-attention does."
THREE = "self_attn takes three things: query, key and value. Here all three are the same."
encoder_layer = Exercise(
    "encoder_layer",
    "One's own Transformer: (x, self_attn, feed_forward, norm_1, norm_2) -> a post-norm layer.",
    inputs=layer_inputs,
    right=[layer()],
    not_allowed=("EncoderLayer",),
    borrowed=[the_library_s],
    errors={"required positional argument": THREE},
    slips={
        "Both residual connections are missing: add what goes into a sub-layer to what comes out "
        "of it.": [layer(steps=(no_sum, no_sum))],
        "The residual connection around self-attention is missing.": [layer(steps=(no_sum, post))],
        "The residual connection around the network is missing.": [layer(steps=(post, no_sum))],
        "The norms are missing.": [layer(normed_by=(None, None))],
        "The first norm is missing: it normalizes the first sum.": [layer(normed_by=(None, 1))],
        "The second norm is missing: it normalizes the second sum.": [layer(normed_by=(0, None))],
        "The first norm is used twice. Each sub-layer has one of its own.": [
            layer(normed_by=(0, 0))
        ],
        "The second norm is used twice. Each sub-layer has one of its own.": [
            layer(normed_by=(1, 1))
        ],
        "The norms have changed places.": [layer(normed_by=(1, 0))],
        "The feed-forward network is missing.": [layer(order=[0])],
        "Self-attention is missing.": [layer(order=[1])],
        "Self-attention is missing, and the second norm with it.": [
            layer(order=[1], normed_by=[0])
        ],
        NETWORK_FIRST: [layer(order=(1, 0), normed_by=(0, 1)), layer(order=(1, 0))],
        "The network reads x as it came in. It should read what the first norm gave.": [
            lambda x, a, f, n, m: m(n(x + a(x, x, x)) + f(x))
        ],
        "The second sum adds x as it came in. Add what the network has read.": [
            lambda x, a, f, n, m: m(x + f(n(x + a(x, x, x))))
        ],
        "That is pre-norm. Here the norm comes after the sum, as in the paper.": [
            layer(steps=(pre, pre))
        ],
        "The first sub-layer is pre-norm: its norm comes after its sum, as the other one does.": [
            layer(steps=(pre, post))
        ],
        "The second sub-layer is pre-norm: its norm comes after its sum, as the other one does.": [
            layer(steps=(post, pre))
        ],
        "The norm comes before the sum, so nothing normalizes the sum. First add.": [
            layer(steps=(norm_before_sum, norm_before_sum))
        ],
        "Both residual connections and the network are missing.": [
            layer(order=[0], steps=[no_sum])
        ],
        "That is self-attention alone.": [lambda x, a, *_: a(x, x, x)],
        "Those are the two parts alone.": [lambda x, a, f, *_: f(a(x, x, x))],
        THREE: [lambda x, a, f, n, m: n(x + a(x))],
    },
)


# --- one's own Transformer: the feed-forward network ----------------------------------------------


def feed_forward_inputs() -> tuple[Tensor, ...]:
    shapes = ((B, S, D_MODEL), (D_MODEL, D_FF), (D_FF,), (D_FF, D_MODEL), (D_MODEL,))
    return tuple(drawn(*shape, seed=seed) for seed, shape in enumerate(shapes))


def with_modules(x: Tensor, w_1: Tensor, b_1: Tensor, w_2: Tensor, b_2: Tensor) -> Tensor:
    ours = PositionwiseFeedForward(*w_1.shape)  # nn.Linear keeps its matrix transposed
    ours.load_state_dict(
        {"w_1.weight": w_1.T, "w_1.bias": b_1, "w_2.weight": w_2.T, "w_2.bias": b_2}
    )
    return ours(x)


def activated(activation: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """The network with something else instead of the max."""
    return lambda x, w, b, v, c: activation(x @ w + b) @ v + c


feed_forward = Exercise(
    "feed_forward",
    "One's own Transformer: (x, w_1, b_1, w_2, b_2) -> max(0, x w_1 + b_1) w_2 + b_2.",
    inputs=feed_forward_inputs,
    right=[activated(torch.relu)],
    not_allowed=("PositionwiseFeedForward",),
    borrowed=[with_modules],
    slips={
        "The max is missing: without it two matrices in a row are as good as one.": [
            activated(as_it_is)
        ],
        "There is one max too many: the last one cuts off all negative outputs.": [
            lambda *inputs: activated(torch.relu)(*inputs).relu()
        ],
        "The max comes at the end. It belongs between the two matrices.": [
            lambda *inputs: activated(as_it_is)(*inputs).relu()
        ],
        "The max is taken of x. It belongs after the first matrix.": [
            lambda x, w, b, v, c: (x.relu() @ w + b) @ v + c
        ],
        "b_1 is missing.": [lambda x, w, b, v, c: (x @ w).relu() @ v + c],
        "b_1 is added after the max. It belongs before it.": [
            lambda x, w, b, v, c: ((x @ w).relu() + b) @ v + c
        ],
        "b_2 is missing.": [lambda x, w, b, v, c: (x @ w + b).relu() @ v],
        "Both biases are missing.": [lambda x, w, b, v, c: (x @ w).relu() @ v],
        "That is GELU, which newer models use. The paper takes max(0, ·).": [activated(F.gelu)],
        "You keep what is below 0. It is the other half that passes: max, not min.": [
            activated(lambda y: y.clamp(max=0))
        ],
        "That is the absolute value. Below 0 nothing should be left.": [activated(torch.abs)],
        "That is the hidden layer. The way back, w_2 and b_2, is missing.": [
            lambda x, w, b, v, c: (x @ w + b).relu()
        ],
    },
)


# --- assignment 4: layer norm --------------------------------------------------------------------


def norm_inputs(eps: float = 0.5) -> tuple[Any, ...]:
    x = 2 * (drawn(B, S, D_MODEL, seed=1) + 3.0)
    return x, drawn(D_MODEL, seed=2), drawn(D_MODEL, seed=3), eps


def nearly_equal() -> tuple[Any, ...]:
    """Words whose numbers are so nearly equal that any eps of a size that is used hides them."""
    x, *rest = norm_inputs()
    return 1e-12 * x, *rest


def normed(
    dim: int | tuple[int, ...] = -1,
    correction: int = 0,
    below: Callable[[Tensor, float], Any] = lambda variance, eps: (variance + eps).sqrt(),
) -> Callable[..., Tensor]:
    """Layer norm with other axes, another variance, or something else below the line."""
    return lambda x, scale, shift, eps: (
        (x - x.mean(dim, keepdim=True))
        / below(x.var(dim, correction=correction, keepdim=True), eps)
        * scale
        + shift
    )


def size(x: Tensor, eps: float) -> Tensor:
    return (x.square().mean(-1, keepdim=True) + eps).sqrt()


def deviation(variance: Tensor, eps: float) -> Tensor:
    """No eps at all."""
    return variance.sqrt()


def outside(variance: Tensor, eps: float) -> Tensor:
    return variance.sqrt() + eps


def fixed(eps: float) -> Callable[[Tensor, float], Tensor]:
    """This eps, whatever is handed in."""
    return lambda variance, _: (variance + eps).sqrt()


KEEPDIM = (
    "Two shapes don't fit. The mean of each word needs `keepdim=True`, so that it stays a column, "
    "one number for each word."
)
OTHER_EPS = "Right for one eps. Use the eps that is handed in."
layer_norm = Exercise(
    "layer_norm",
    "Assignment 4: (x, scale, shift, eps) -> nn.LayerNorm over the last axis.",
    inputs=lambda: [norm_inputs(), nearly_equal()],
    right=[normed()],
    not_allowed=("layer_norm", "LayerNorm", "native_layer_norm", "fresh_norm"),
    borrowed=[lambda x, scale, shift, eps: F.layer_norm(x, scale.shape, scale, shift, eps)],
    errors={"must match the size of tensor": KEEPDIM},
    slips={
        "You use a small number of your own for eps. Use the eps that is handed in.": [
            normed(below=fixed(1e-5)),
        ],
        "Your mean runs over the words of a sentence. Each word has a mean of its own: the last "
        "axis.": [normed(dim=1)],
        "Your mean runs over the sentences of the batch. Each word has a mean of its own: the last "
        "axis.": [normed(dim=0)],
        "Your mean runs over all words of all sentences: that is batch norm. Take the last axis.": [
            normed(dim=(0, 1))
        ],
        "Your mean runs over a whole sentence. Each word has one of its own: the last axis "
        "alone.": [normed(dim=(1, 2))],
        "You take one mean of all numbers. Each word has one of its own: dim=-1.": [
            normed(dim=(0, 1, 2))
        ],
        "Two things: divide by n, not n − 1 (`correction=0`), and eps belongs inside the root, "
        "with the variance.": [normed(correction=1, below=outside)],
        "eps is added to the standard deviation. It belongs inside the root, with the variance.": [
            normed(below=outside)
        ],
        "Your variance divides by n − 1, which is torch's habit. Layer norm divides by n: "
        "`correction=0`.": [normed(correction=1)],
        "eps is missing: a word whose numbers are all equal would be divided by 0.": [
            normed(below=deviation)
        ],
        "eps is missing, and the standard deviation should divide by n (`correction=0`).": [
            normed(correction=1, below=deviation),
            normed(correction=1, below=fixed(1e-6)),
        ],
        "You divide by the variance. Divide by its root.": [normed(below=torch.add)],
        "You take the root of the standard deviation. It is a root already: the root is of the "
        "variance.": [
            normed(correction=n, below=lambda variance, eps: outside(variance, eps).sqrt())
            for n in (0, 1)
        ],
        "You add up the squared distances. The variance is their mean.": [
            normed(below=lambda variance, eps: (D_MODEL * variance + eps).sqrt())
        ],
        "Your variance is the mean of the squares of x. Take the distances from the mean.": [
            lambda x, a, b, eps: (x - x.mean(-1, keepdim=True)) / size(x, eps) * a + b
        ],
        "The mean is used nowhere. That is RMS norm, which newer models have.": [
            lambda x, a, b, eps: x / size(x, eps) * a + b
        ],
        "The mean isn't subtracted.": [
            lambda x, a, b, eps: x / size(x - x.mean(-1, keepdim=True), eps) * a + b
        ],
        "The division by the standard deviation is missing.": [normed(below=lambda *_: 1)],
        "Scale and shift are missing.": [lambda x, a, b, eps: normed()(x, 1, 0, eps)],
        "The shift is missing.": [lambda x, a, b, eps: normed()(x, a, 0, eps)],
        "The scale is missing.": [lambda x, a, b, eps: normed()(x, 1, b, eps)],
        "Scale and shift have changed places.": [lambda x, a, b, eps: normed()(x, b, a, eps)],
        "First scale, then shift.": [lambda x, a, b, eps: normed()(x, a, a * b, eps)],
        KEEPDIM: [lambda x, a, b, eps: x - x.mean(-1)],
        OTHER_EPS: [normed(below=fixed(0.5))],
    },
    elsewhere={OTHER_EPS: lambda: norm_inputs(eps=5.0)},
)


# --- assignment 4: around a sub-layer ------------------------------------------------------------


def same_dropout(x: Tensor) -> Tensor:
    """Drops the same features each time, so that it can be seen where it was used."""
    return x * (torch.arange(x.size(-1)) % 3 > 0) * 1.5


def around_inputs(norm_first: bool = False) -> tuple[Any, ...]:
    norm = nn.LayerNorm(D_MODEL)
    with torch.no_grad():
        norm.weight.copy_(drawn(D_MODEL, seed=5))
        norm.bias.copy_(drawn(D_MODEL, seed=6))
    x = drawn(B, S, D_MODEL, seed=4) + 1.0
    return x, torch.sin, plain(norm), plain(same_dropout), norm_first


def summed(add: Callable[[Tensor, Tensor, Callable], Tensor]) -> Callable[..., Tensor]:
    """The norm where it belongs, and this sum of x and what the sub-layer says."""
    return lambda x, f, n, d, first: add(x, f(n(x)), d) if first else n(add(x, f(x), d))


right_around = summed(lambda x, said, drop: x + drop(said))
# Each of them is tried with both places of the norm.
AROUND: dict[str, list[Callable]] = {
    "This is the other one: post-norm comes out of a norm, pre-norm goes into one.": [
        lambda x, f, n, d, first: right_around(x, f, n, d, not first)
    ],
    "The residual connection is missing: add x to what comes out of the sub-layer.": [
        summed(lambda x, said, drop: drop(said))
    ],
    "Dropout is missing. It acts on what comes out of the sub-layer.": [
        summed(lambda x, said, drop: x + said)
    ],
    "Dropout acts on the sum. x itself must come through whole.": [
        summed(lambda x, said, drop: drop(x + said))
    ],
    "Dropout acts on x. It should act on what comes out of the sub-layer.": [
        summed(lambda x, said, drop: drop(x) + said)
    ],
    "Dropout acts on what goes into the sub-layer. It should act on what comes out.": [
        lambda x, f, n, d, first: x + f(d(n(x))) if first else n(x + f(d(x)))
    ],
    "Dropout acts on what goes into the norm. It should act on what comes out of the sub-layer.": [
        lambda x, f, n, d, first: x + f(n(d(x)))
    ],
    "Dropout comes after the norm. It acts on what comes out of the sub-layer, before the sum.": [
        lambda x, f, n, d, first: d(n(x + f(n(x) if first else x)))
    ],
    "You add the normalized x. In pre-norm x itself is added, without a norm.": [
        lambda x, f, n, d, first: n(x) + d(f(n(x)))
    ],
    "Dropout is used twice.": [lambda x, f, n, d, first: x + d(f(d(n(x))))],
    "The norm is taken of the sub-layer's output alone. In post-norm it comes after the sum.": [
        lambda x, f, n, d, first: x + n(d(f(x)))
    ],
    "The norm acts on x alone. In post-norm it acts on the sum, in pre-norm on what goes into the "
    "sub-layer.": [lambda x, f, n, d, first: n(x) + d(f(x))],
    "The norm is missing.": [lambda x, f, n, d, first: x + d(f(x))],
    "The norm should be the one that is handed in: it has learned a scale and a shift.": [
        lambda x, f, n, d, first: right_around(
            x, f, lambda y: F.layer_norm(y, (D_MODEL,)), d, first
        )
    ],
    "There are two norms, before and after. Post-norm and pre-norm have one each.": [
        lambda x, f, n, d, first: n(x + d(f(n(x))))
    ],
    "In pre-norm the norm comes before the sub-layer, not after it.": [
        lambda x, f, n, d, first: x + d(n(f(x)))
    ],
    "Add, don't multiply.": [summed(lambda x, said, drop: x * drop(said))],
}


def around_one(norm_first: bool) -> Exercise:
    """`around` with this place of the norm."""
    return Exercise(
        "around",
        inputs=lambda: around_inputs(norm_first),
        right=[right_around],
        not_allowed=("SublayerConnection",),
        borrowed=[
            lambda x, f, norm, dropout, norm_first: SublayerConnection.forward(
                types.SimpleNamespace(norm=norm, dropout=dropout, norm_first=norm_first), x, f
            )
        ],
        slips=AROUND,
    )


post_norm, pre_norm = around_one(norm_first=False), around_one(norm_first=True)


def judge_around(function: Any, norm_first: bool) -> None:
    """A Hint if the function doesn't go around a sub-layer as it should with this norm_first."""
    x, f, *rest = around_inputs(norm_first)
    calls: list[Tensor] = []

    def counted(x: Tensor) -> Tensor:
        calls.append(x)
        return f(x)

    expect(
        same(call(function, x, f, *rest), call(function, x, counted, *rest)),
        "Twice the same input, two different outputs: something drops at random, although "
        "nothing is being trained. Use the dropout that is handed in.",
    )
    (pre_norm if norm_first else post_norm).judge(function)
    no_slip(len(calls) == 1, f"Right, but the sub-layer runs {len(calls)} times.")


@implement(around_inputs)
def around(function: Callable[..., Tensor]) -> None:
    """Assignment 4: (x, sublayer, norm, dropout, norm_first) -> post-norm or pre-norm."""
    own_work(function, "SublayerConnection")
    for norm_first in (False, True):
        try:
            judge_around(function, norm_first)
        except Hint as hint:
            raise Hint(f"With norm_first={norm_first}: {hint}", hint.keeps) from None


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


four_norms = Verdicts(
    "four_norms",
    'Exercise 3: which of the four norms is of which kind, {"A": kind, ...}.',
    NORMS,
    tuple(MEASURE),
    lambda name, said: f"{name} isn't “{said}”. {MEASURE[said]}",
)


# --- 4. as many as attention ---------------------------------------------------------------------


def a_width(guess: Any) -> int:
    d_ff = whole_number(guess)
    expect(0 < d_ff < 100_000, "Give a width, as a whole number.")
    return d_ff


def more_or_fewer(d_ff: int) -> None:
    more = network_parameters(512, d_ff).right - 4 * SQUARE
    raise Hint(
        f"That network has {abs(more):,} numbers {'more' if more > 0 else 'fewer'} than the "
        "attention. Is there a width that comes nearer?"
    )


as_many_as_attention = Value(
    "as_many_as_attention",
    "Exercise 4: the d_ff for which the network has most nearly the numbers of the attention.",
    read=a_width,
    right=1023,
    slips={
        1024: "Very nearly: that leaves out the biases, b_1 and b_2.",
        2048: "That is the paper's. How many numbers does it have, against W^Q …?",
    },
    unlike=more_or_fewer,
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
