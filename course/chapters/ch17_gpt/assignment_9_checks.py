"""Assignment 9: how many weights, how much work, and how far a straight line may be trusted."""

import math
from collections.abc import Callable, Sequence
from statistics import correlation, linear_regression
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from course.checks import (
    Exercise,
    Hint,
    Value,
    Values,
    a_number,
    exercise,
    expect,
    implement,
    no_slip,
    not_this,
    numbers_in,
    one_number,
    own_work,
    result_of,
)
from transformer_lib import ModelConfig
from transformer_lib.variants.language_model import LanguageModel

Fit = Callable[[Sequence[float], Sequence[float], float], tuple[float, float]]


def near(found: Sequence[float], right: Sequence[float] | None) -> bool:
    return right is not None and all(
        math.isclose(a, b, rel_tol=1e-3) for a, b in zip(found, right, strict=True)
    )


def two_numbers(wanted: str) -> Callable[[Any], list[int | float]]:
    return lambda found: numbers_in(found, 2, wanted)


# --- a law by hand -------------------------------------------------------------------------------


def thousandths(x: float) -> float:
    return round(x, 3)


law_by_hand = Values(
    "law_by_hand",
    "0.8 above the floor with 1,000 sentences, 0.4 with 4,000: 0.5, 0.2, 2.18 and 256,000.",
    Value(
        "alpha",
        read=thousandths,
        right=0.5,
        slips={
            -0.5: "The minus stands in the formula: alpha itself is above 0.",
            2: "That is the other way round: with 4 times the sentences the distance is 4^-alpha, "
            "which is one half.",
            0.25: "4^-0.25 is 0.71. Which power of 4 is one half?",
        },
    ),
    Value(
        "distance",
        read=thousandths,
        right=0.2,
        slips={
            0: "It gets smaller by the same factor with each four times, never to 0.",
            0.1: "16,000 is 4 times 4,000: one such step further, not two.",
            2.18: "That is the loss. How far is it from the floor?",
        },
    ),
    Value(
        "loss",
        read=thousandths,
        right=2.18,
        slips={
            0.2: "That is the distance. The loss is the floor and the distance together.",
            1.19: "The *distance* is halved. The floor stays.",
        },
    ),
    Value(
        "sentences",
        read=thousandths,
        right=256_000,
        slips={
            64_000: "With 64,000 it is 0.1. How much further is 0.05?",
            16_000: "0.05 is a quarter of 0.2. Each half needs 4 times the sentences.",
            32_000: "For half the distance it takes 4 times the sentences, not twice.",
            64_000 * 16: "That is one step too far: 0.025.",
        },
    ),
    as_list="Give a list of four numbers: alpha, a distance, a loss, a number of sentences.",
)


# --- weights and work ----------------------------------------------------------------------------

Shape = tuple[int, int, int, int]  # N, d_model, d_ff, vocab_size
SIZES: Shape = (3, 10, 70, 110)


def weights(
    attention: Callable[[int], int] = lambda d: 4 * d * d,
    feed_forward: Callable[[int, int], int] = lambda d, d_ff: 2 * d * d_ff,
    table: Callable[[int, int], int] = lambda d, words: words * d,
    result: Callable[[int, int, int], tuple[int, int]] = lambda table, N, each: (table, N * each),
) -> Callable[[int, int, int, int], tuple[int, int]]:
    """Weights in the table and in the layers; each option is a way to count otherwise."""
    return lambda N, d, d_ff, words: result(
        table(d, words), N, attention(d) + feed_forward(d, d_ff)
    )


def sizes(N: int, d_model: int, d_ff: int, vocab_size: int) -> tuple[int, int]:
    """What my_sizes should return."""
    return weights()(N, d_model, d_ff, vocab_size)


def which_is_wrong(found: Sequence[float], right: tuple[int, int]) -> None:
    expect(found[0] == right[0], "The table has a row for each word, d_model wide.")
    raise Hint(
        "In each layer: four matrices d_model × d_model, one d_model × d_ff and one d_ff × d_model."
    )


my_sizes = Exercise(
    "my_sizes",
    "Exercise: N, d_model, d_ff, vocab_size -> weights in the table, weights in the layers.",
    inputs=lambda: SIZES,
    right=[weights(), lambda *given: torch.tensor(weights()(*given))],
    not_allowed=("sizes", "count_parameters", "LanguageModel"),
    borrowed=[sizes],
    read=two_numbers(
        "Return two whole numbers: the weights of the table, and those of all layers."
    ),
    slips={
        "The table first, then the layers.": [lambda *given: weights()(*given)[::-1]],
        "The table is tied: words are read and written with the same one.": [
            weights(table=lambda d, words: 2 * words * d)
        ],
        "That is one layer.": [weights(result=lambda table, N, each: (table, each))],
        "Attention has four matrices: the last one, W^O, is missing.": [
            weights(lambda d: 3 * d * d)
        ],
        "There is no cross-attention in a language model: one attention in each layer.": [
            weights(lambda d: 8 * d * d)
        ],
        "The feed-forward network has two matrices, one to d_ff and one back.": [
            weights(feed_forward=lambda d, d_ff: d * d_ff)
        ],
        "The feed-forward network is missing.": [weights(feed_forward=lambda d, d_ff: 0)],
        "The attention is missing.": [weights(lambda d: 0)],
        "Each matrix of the attention is d_model × d_model.": [weights(lambda d: 4 * d)],
        "Biases aren't asked for.": [weights(feed_forward=lambda d, d_ff: 2 * d * d_ff + d_ff + d)],
        "Neither norms nor biases are asked for.": [
            weights(feed_forward=lambda d, d_ff: 2 * d * d_ff + d_ff + 5 * d)
        ],
        "Each word of the table has d_model numbers.": [weights(table=lambda d, words: words)],
        "The second number is that of the layers alone.": [
            weights(result=lambda table, N, each: (table, N * each + table))
        ],
    },
    unlike=which_is_wrong,
)


def flops(N: int, d_model: int, d_ff: int, vocab_size: int, n: int) -> int:
    """What my_flops should return: 2abc for each product, and three times the forward pass."""
    return work()(N, d_model, d_ff, vocab_size, n)


def work(
    matrices: Callable[[int, int, int], float] = lambda n, each, d: 2 * n * each,
    logits: Callable[[int, int], float] = lambda n, table: 2 * n * table,
    meeting: Callable[[int, int], float] = lambda n, d: 4 * n * n * d,
    forward: Callable[..., float] = lambda N, matrices, meeting, logits: (
        N * (matrices + meeting) + logits
    ),
    result: Callable[[float, int], float] = lambda forward, n: 3 * forward,
) -> Callable[[int, int, int, int, int], float]:
    """FLOPs of a training step; each option is a way to count otherwise."""

    def run(N: int, d: int, d_ff: int, words: int, n: int) -> float:
        table, each = weights()(1, d, d_ff, words)
        products = matrices(n, each, d), meeting(n, d), logits(n, table)
        return result(forward(N, *products), n)

    return run


def counted_by_pytorch(N: int, d_model: int, d_ff: int, vocab_size: int, n: int) -> int:
    config = ModelConfig(N=N, d_model=d_model, d_ff=d_ff, h=1, tie_weights="target")
    model = LanguageModel(vocab_size, config)
    with FlopCounterMode(display=False) as counter:
        model(torch.ones(1, n, dtype=torch.long)).sum().backward()
    return counter.get_total_flops()


my_flops = Exercise(
    "my_flops",
    "Exercise: N, d_model, d_ff, vocab_size, tokens of a sentence -> FLOPs to train on it once.",
    inputs=lambda: (*SIZES, 12),
    right=[work()],
    not_allowed=("flops", "FlopCounterMode", "LanguageModel"),
    borrowed=[flops, counted_by_pytorch],
    read=lambda found: one_number(found, "It should return one number."),
    slips={
        "That is the forward pass. The way back costs twice as much again.": [
            work(result=lambda forward, n: forward)
        ],
        "That is the way back alone, or the forward pass twice. Together they are three forward "
        "passes.": [work(result=lambda forward, n: 2 * forward)],
        "That is 6 · weights · tokens. Queries meet keys, and weights meet values: those products "
        "are missing.": [work(meeting=lambda n, d: 0)],
        "Of attention one product is missing: Q K^T is one, weights times V is another.": [
            work(meeting=lambda n, d: 2 * n * n * d)
        ],
        "Each of n queries meets each of n keys: that grows with the square of n.": [
            work(meeting=lambda n, d: 4 * n * d)
        ],
        "Queries meet keys in each layer.": [
            work(forward=lambda N, matrices, meeting, logits: N * matrices + meeting + logits)
        ],
        "The table is in it twice. To look a word up, nothing is multiplied: only on the way "
        "out.": [work(logits=lambda n, table: 4 * n * table)],
        "The logits are missing: n vectors times a table of vocab_size columns.": [
            work(logits=lambda n, table: 0)
        ],
        "Each product has as many additions as multiplications: 2abc.": [
            work(result=lambda forward, n: 3 * forward // 2)
        ],
        "The matrices' products, too, are 2abc each.": [
            work(lambda n, each, d: n * each, lambda n, table: n * table)
        ],
        "The matrices are used for each of the n tokens.": [
            work(lambda n, each, d: 2 * each, lambda n, table: 2 * table)
        ],
        "Once too often times n.": [work(result=lambda forward, n: 3 * forward * n)],
        "Attention has four matrices: the product with the last one, W^O, is missing.": [
            work(lambda n, each, d: 2 * n * (each - d * d))
        ],
    },
    unlike=not_this(
        "write down each product of the forward pass with its sizes, count 2abc "
        "for it, and take three times the sum.",
        form=",",
    ),
)


# --- the line through the logarithms -------------------------------------------------------------

COUNTS, FLOOR = [500, 1_500, 4_000, 20_000], 1.7
LOSSES = [2.9, 2.45, 2.26, 1.98]
Line = Callable[[float, float], tuple[float, float]]  # its height at 0 and its slope -> a and alpha


def plain(x: float) -> float:
    return x


def fitting(
    result: Line = lambda at_0, slope: (math.exp(at_0), -slope),
    x: Callable[[float], float] = math.log,
    y: Callable[[float], float] = math.log,
    *,
    points: Sequence[int] = (),
    floored: bool = True,
    swapped: bool = False,
) -> Fit:
    """A line through the logarithms; each option is a way to fit otherwise. points: all, if none.

    x, y: what is taken of the counts and of the distances.
    """

    def run(counts: Sequence[float], losses: Sequence[float], floor: float) -> tuple[float, float]:
        chosen = points or range(len(counts))
        xs = [x(counts[i]) for i in chosen]
        ys = [y(losses[i] - floor * floored) for i in chosen]
        slope, at_0 = linear_regression(ys, xs) if swapped else linear_regression(xs, ys)
        return result(at_0, slope)

    return run


def power_law(
    counts: Sequence[float], losses: Sequence[float], floor: float
) -> tuple[float, float]:
    """What my_fit should return: a and alpha of loss = floor + a * count^-alpha."""
    return fitting()(counts, losses, floor)


def to_power(base: float) -> Line:
    return lambda at_0, slope: (base**at_0, -slope)


READ: list[Line] = [  # what is made of the height and the slope where nothing is a logarithm
    lambda at_0, slope: (at_0, slope),
    lambda at_0, slope: (at_0, -slope),
    lambda at_0, slope: (math.exp(min(at_0, 100.0)), -slope),
]
TURNED: list[Line] = [  # and where the axes are swapped
    lambda at_0, slope, high=high, steep=steep: (high(at_0), steep(slope))
    for high in (math.exp, lambda at_0: math.exp(-at_0), plain)
    for steep in (plain, lambda b: -b, lambda b: 1 / b, lambda b: -1 / b)
]


def another_line(found: Sequence[float], right: tuple[float, float]) -> None:
    raise Hint(
        f"It gives a = {found[0]:.4g} and alpha = {found[1]:.4g}, but it should be "
        f"{right[0]:.4g} and {right[1]:.4g}."
    )


my_fit = Exercise(
    "my_fit",
    "Exercise: counts, losses, floor -> a and alpha, by least squares in the logarithms.",
    inputs=lambda: (COUNTS, LOSSES, FLOOR),
    right=[fitting(), fitting(to_power(10), math.log10, math.log10)],
    not_allowed=("power_law", "a_fit", "straightness"),
    borrowed=[power_law],
    read=two_numbers("Return two numbers: a and alpha."),
    slips={
        "First a, then alpha.": [fitting(lambda at_0, slope: (-slope, math.exp(at_0)))],
        "The minus stands in the formula already: alpha is above 0.": [
            fitting(lambda at_0, slope: (math.exp(at_0), slope))
        ],
        "That is the logarithm of a.": [
            fitting(lambda at_0, slope: (at_0, -slope)),
            fitting(lambda at_0, slope: (at_0 / math.log(10), -slope)),
        ],
        "That is the logarithm of a, and alpha has the wrong sign.": [
            fitting(lambda at_0, slope: (at_0, slope))
        ],
        "That is 1 / a: look at a sign.": [fitting(lambda at_0, slope: (math.exp(-at_0), -slope))],
        "The floor is still in it: fit the distance to the floor, not the loss.": [
            fitting(floored=False)
        ],
        "That is the line through the first and the last point. The others count, too: least "
        "squares.": [fitting(points=(0, -1))],
        "That is the line through the first two points.": [fitting(points=(0, 1))],
        "That is the line through the last two points.": [fitting(points=(-2, -1))],
        "There the counts are explained by the distances. Squares are to be small in the logarithm "
        "of the distance.": [
            fitting(lambda at_0, slope: (math.exp(-at_0 / slope), -1 / slope), swapped=True)
        ],
        "What undoes a logarithm has its base: exp for math.log, 10 ** … for math.log10.": [
            fitting(x=math.log2, y=math.log2),
            fitting(x=math.log10, y=math.log10),
            fitting(to_power(2)),
            fitting(to_power(10)),
        ],
        "Both logarithms need the same base: math.log for the counts and for the distances.": [
            fitting(x=math.log10),
            fitting(to_power(10), math.log10),
            fitting(to_power(10), y=math.log10),
            fitting(y=math.log10),
        ],
        "The axes are swapped: the logarithm of the distance depends on that of the count, not the "
        "other way round.": [fitting(line, swapped=True) for line in TURNED],
        "Those are no logarithms: take that of the counts and that of the distances.": [
            fitting(line, plain, plain, floored=floored)
            for floored in (True, False)
            for line in READ
        ],
        "Only one of the two is a logarithm: a power law needs both.": [
            *[fitting(line, x=plain) for line in READ],
            *[fitting(line, y=plain) for line in READ],
        ],
    },
    unlike=another_line,
    near=near,
)


def a_fit(calls: list[int] | None = None) -> Fit:
    """A function to hand over that does what my_fit does. calls: gets how many points it got."""

    def fit(counts: Sequence[float], losses: Sequence[float], floor: float) -> tuple[float, float]:
        if len(counts) != len(losses) or len(counts) < 2:
            raise ValueError(
                f"fit wants as many losses as counts, two or more; it got "
                f"{len(losses)} and {len(counts)}"
            )
        if calls is not None:
            calls.append(len(counts))
        return power_law(counts, losses, floor)

    return fit


def predicting(
    result: Callable[..., Any] = lambda distance, measured, floor, loss: (
        floor + distance,
        distance / measured - 1,
    ),
    points: slice = slice(-1),
    sign: int = -1,
) -> Callable[..., Any]:
    """What my_held_out should do; each option is a way to do it otherwise.

    result: of the distances predicted and measured, the floor and the measured loss.
    points: which are fitted.
    """

    def run(counts: Sequence[float], losses: Sequence[float], floor: float, fit: Fit) -> Any:
        a, alpha = fit(counts[points], losses[points], floor)
        distance = a * counts[-1] ** (sign * alpha)
        return result(distance, losses[-1] - floor, floor, losses[-1])

    return run


def held_out(
    counts: Sequence[float], losses: Sequence[float], floor: float, fit: Fit
) -> tuple[float, float]:
    """What my_held_out should return."""
    return predicting()(counts, losses, floor, fit)


def with_error(error: Callable[..., float]) -> Callable[..., Any]:
    """The right loss, and another error."""
    return predicting(lambda d, m, floor, loss: (floor + d, error(d, m, floor, loss)))


PREDICTIONS: dict[str, list[Callable]] = {
    "The last point was in the fit: that is no prediction. Fit without it.": [
        predicting(points=slice(None))
    ],
    "The error is right. The first number is a distance: where is the floor?": [
        predicting(lambda d, m, floor, loss: (d, d / m - 1))
    ],
    "Those are distances, compared with a loss: where is the floor?": [
        predicting(lambda d, m, floor, loss: (d, d / loss - 1))
    ],
    "The error of the *loss* looks small because of the floor in it. Compare the distances.": [
        with_error(lambda d, m, floor, loss: (floor + d) / loss - 1)
    ],
    "That is a difference. Which share of the measured distance is it?": [
        with_error(lambda d, m, *_: d - m)
    ],
    "The sign: above 0 means that the prediction is too far from the floor.": [
        with_error(lambda d, m, *_: 1 - d / m)
    ],
    "You divide by the prediction: it is measured against what was measured.": [
        with_error(lambda d, m, *_: m / d - 1),
        with_error(lambda d, m, *_: 1 - m / d),
    ],
    "That is the quotient: 1 would mean no error. Take 1 off.": [
        with_error(lambda d, m, *_: d / m)
    ],
    "That is in percent. Give the share.": [with_error(lambda d, m, *_: 100 * (d / m - 1))],
    "The distance *falls* with the count: look at the sign of alpha.": [predicting(sign=1)],
    "Compare the distances to the floor, not the losses.": [
        with_error(lambda d, m, floor, loss: (d - m) / (floor + d))
    ],
}


@implement(lambda: ([1, 2, 3], [2.0, 1.5, 1.4], 1.0, lambda counts, losses, floor: (1.0, 1.0)))
def my_held_out(function: Callable[..., tuple[float, float]]) -> None:
    """Exercise: counts, losses, floor, fit -> the loss predicted for the last, and its error."""
    own_work(function, "held_out")
    wanted = "Return two numbers: the predicted loss, and how far off its distance is."
    calls: list[int] = []
    losses = [*LOSSES[:-1], 2.02]
    found = numbers_in(result_of(function, COUNTS, losses, FLOOR, a_fit(calls)), 2, wanted)
    loss, error = right = held_out(COUNTS, losses, FLOOR, a_fit())
    if near(found, right):
        return
    expect(bool(calls), "Nothing was fitted: call fit(counts, losses, floor).")
    for hint, ways in PREDICTIONS.items():
        for way in ways:
            no_slip(not near(found, way(COUNTS, losses, FLOOR, a_fit())), hint)
    expect(
        calls[0] == len(COUNTS) - 1,
        f"The fit got {calls[0]} points of {len(COUNTS)}: it should get all but the last.",
    )
    raise Hint(
        f"It gives {found[0]:.4f} and {found[1]:.4f}, but it should be {loss:.4f} and {error:.4f}."
    )


# --- a line is soon straight ---------------------------------------------------------------------

TRUE_FLOOR, A, ALPHA = 1.98, 16.0, 0.45
LAW_COUNTS = [1_000, 3_000, 10_000, 30_000]
LAW_LOSSES = [TRUE_FLOOR + A * n**-ALPHA for n in LAW_COUNTS]
STRAIGHT, MILLION = 0.995, 1_000_000


def straightness(floor: float) -> tuple[float, float]:
    """With this floor: r^2 of the line through the logarithms, and the loss for a million."""
    a, alpha = power_law(LAW_COUNTS, LAW_LOSSES, floor)
    logs = [math.log(n) for n in LAW_COUNTS], [math.log(loss - floor) for loss in LAW_LOSSES]
    return correlation(*logs) ** 2, floor + a * MILLION**-alpha


@exercise
def straight_and_wrong(guess: Any) -> None:
    """Explore: a floor with a straight line that promises less than the true floor."""
    floor = one_number(guess, "Give one number, in nats.")
    expect(
        floor < min(LAW_LOSSES),
        f"A floor lies below all losses: below {min(LAW_LOSSES):.3f}.",
    )
    expect(floor > -1e6, "Seen from so far below, all losses are alike: go nearer to them.")
    square, promised = straightness(floor)
    straight, below = square >= STRAIGHT, promised < TRUE_FLOOR
    no_slip(
        straight or not below,
        f"It promises {promised:.3f}, below the true floor. But r² is "
        f"{square:.4f}: go nearer to the true floor.",
    )
    expect(
        below,
        f"It promises {promised:.3f} for a million sentences, which a model might reach. "
        "What does a floor do that is too low?",
    )
