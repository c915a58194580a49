"""Assignment 9: how many weights, how much work, and how far a straight line may be trusted."""

import math
from collections.abc import Callable, Sequence
from statistics import correlation, linear_regression
from typing import Any

from course.checks import (
    Hint,
    exercise,
    expect,
    implement,
    in_a_row,
    no_slip,
    numbers_in,
    one_number,
    own_work,
    parts_right,
    result_of,
)

Fit = Callable[[Sequence[float], Sequence[float], float], tuple[float, float]]


def near(found: Sequence[float], right: Sequence[float], rel: float = 1e-3) -> bool:
    return all(math.isclose(a, b, rel_tol=rel) for a, b in zip(found, right, strict=True))


# --- a law by hand -------------------------------------------------------------------------------


@exercise
def law_by_hand(guess: Any) -> None:
    """0.8 above the floor with 1,000 sentences, 0.4 with 4,000: 0.5, 0.2, 2.18 and 256,000."""
    wanted = "Give a list of four numbers: alpha, a distance, a loss, a number of sentences."
    alpha, distance, loss, sentences = (round(x, 3) for x in numbers_in(in_a_row(guess), 4, wanted))
    parts_right(
        (
            "alpha",
            alpha,
            0.5,
            {
                -0.5: "The minus stands in the formula: alpha itself is above 0.",
                2: "That is the other way round: with 4 times the sentences the distance is "
                "4^-alpha, "
                "which is one half.",
                0.25: "4^-0.25 is 0.71. Which power of 4 is one half?",
            },
        ),
        (
            "distance",
            distance,
            0.2,
            {
                0: "It gets smaller by the same factor with each four times, never to 0.",
                0.1: "16,000 is 4 times 4,000: one such step further, not two.",
                2.18: "That is the loss. How far is it from the floor?",
            },
        ),
        (
            "loss",
            loss,
            2.18,
            {
                0.2: "That is the distance. The loss is the floor and the distance together.",
                1.19: "The *distance* is halved. The floor stays.",
            },
        ),
        (
            "sentences",
            sentences,
            256_000,
            {
                64_000: "With 64,000 it is 0.1. How much further is 0.05?",
                16_000: "0.05 is a quarter of 0.2. Each half needs 4 times the sentences.",
                32_000: "For half the distance it takes 4 times the sentences, not twice.",
                64_000 * 16: "That is one step too far: 0.025.",
            },
        ),
    )


# --- weights and work ----------------------------------------------------------------------------

SIZES = (3, 10, 70, 110)  # N, d_model, d_ff, vocab_size


def sizes(N: int, d_model: int, d_ff: int, vocab_size: int) -> tuple[int, int]:
    """What my_sizes should return."""
    return vocab_size * d_model, N * (4 * d_model**2 + 2 * d_model * d_ff)


@implement(lambda: (1, 2, 3, 4))
def my_sizes(function: Callable[[int, int, int, int], tuple[int, int]]) -> None:
    """Exercise: N, d_model, d_ff, vocab_size -> weights in the table, weights in the layers."""
    own_work(function, "sizes", "count_parameters", "LanguageModel")
    wanted = "Return two whole numbers: the weights of the table, and those of all layers."
    found = tuple(numbers_in(result_of(function, *SIZES), 2, wanted))
    (N, d, d_ff, vocab_size), (table, layers) = SIZES, sizes(*SIZES)
    for wrong, hint in (
        ((layers, table), "The table first, then the layers."),
        ((2 * table, layers), "The table is tied: words are read and written with the same one."),
        ((table, layers // N), "That is one layer."),
        (
            (table, N * (3 * d * d + 2 * d * d_ff)),
            "Attention has four matrices: the last one, W^O, is missing.",
        ),
        (
            (table, N * (8 * d * d + 2 * d * d_ff)),
            "There is no cross-attention in a language model: one attention in each layer.",
        ),
        (
            (table, N * (4 * d * d + d * d_ff)),
            "The feed-forward network has two matrices, one to d_ff and one back.",
        ),
        ((table, N * 4 * d * d), "The feed-forward network is missing."),
        ((table, N * 2 * d * d_ff), "The attention is missing."),
        ((table, N * (4 * d + 2 * d * d_ff)), "Each matrix of the attention is d_model × d_model."),
        ((table, N * (4 * d * d + 2 * d * d_ff + d + d_ff)), "Biases aren't asked for."),
        (
            (table, N * (4 * d * d + 2 * d * d_ff + d + d_ff + 4 * d)),
            "Neither norms nor biases are asked for.",
        ),
        ((vocab_size, layers), "Each word of the table has d_model numbers."),
        ((table, layers + table), "The second number is that of the layers alone."),
    ):
        no_slip(found != wrong, hint)
    expect(found[0] == table, "The table has a row for each word, d_model wide.")
    expect(
        found[1] == layers,
        "In each layer: four matrices d_model × d_model, one d_model × d_ff "
        "and one d_ff × d_model.",
    )


WORK = (*SIZES, 12)


def flops(N: int, d_model: int, d_ff: int, vocab_size: int, n: int) -> int:
    """What my_flops should return: 2abc for each product, and three times the forward pass."""
    table, layers = sizes(N, d_model, d_ff, vocab_size)
    return 3 * (2 * n * (table + layers) + 4 * N * n * n * d_model)


@implement(lambda: (1, 2, 3, 4, 5))
def my_flops(function: Callable[[int, int, int, int, int], int]) -> None:
    """Exercise: N, d_model, d_ff, vocab_size, tokens of a sentence -> FLOPs to train on it once."""
    own_work(function, "flops", "FlopCounterMode", "LanguageModel")
    found = result_of(function, *WORK)
    found = one_number(found, "It should return one number.")
    N, d, d_ff, vocab_size, n = WORK
    table, layers = sizes(*SIZES)
    right, meeting = flops(*WORK), 4 * N * n * n * d
    in_n = 2 * n * (table + layers)
    for wrong, hint in (
        (right // 3, "That is the forward pass. The way back costs twice as much again."),
        (
            right * 2 // 3,
            "That is the way back alone, or the forward pass twice. Together they are "
            "three forward passes.",
        ),
        (
            3 * in_n,
            "That is 6 · weights · tokens. Queries meet keys, and weights meet values: "
            "those products are missing.",
        ),
        (
            3 * (in_n + meeting // 2),
            "Of attention one product is missing: Q K^T is one, weights times V is another.",
        ),
        (
            3 * (in_n + meeting // n),
            "Each of n queries meets each of n keys: that grows with the square of n.",
        ),
        (3 * (in_n + meeting // N), "Queries meet keys in each layer."),
        (
            3 * (in_n + 2 * table * n + meeting),
            "The table is in it twice. To look a word up, "
            "nothing is multiplied: only on the way out.",
        ),
        (
            3 * (2 * n * layers + meeting),
            "The logits are missing: n vectors times a table of vocab_size columns.",
        ),
        (right // 2, "Each product has as many additions as multiplications: 2abc."),
        (3 * (in_n // 2 + meeting), "The matrices' products, too, are 2abc each."),
        (3 * (in_n // n + meeting), "The matrices are used for each of the n tokens."),
        (right * n, "Once too often times n."),
        (
            3 * (2 * n * (table + layers - N * d * d) + meeting),
            "Attention has four matrices: the product with the last one, W^O, is missing.",
        ),
    ):
        no_slip(found != wrong, hint)
    expect(
        found == right,
        f"Not {found:,}: write down each product of the forward pass with its "
        "sizes, count 2abc for it, and take three times the sum.",
    )


# --- the line through the logarithms -------------------------------------------------------------

COUNTS, FLOOR = [500, 1_500, 4_000, 20_000], 1.7
LOSSES = [2.9, 2.45, 2.26, 1.98]


def power_law(
    counts: Sequence[float], losses: Sequence[float], floor: float
) -> tuple[float, float]:
    """What my_fit should return: a and alpha of loss = floor + a * count^-alpha."""
    x, y = list(map(math.log, counts)), [math.log(loss - floor) for loss in losses]
    slope, at_1 = linear_regression(x, y)
    return math.exp(at_1), -slope


def wrong_fits(
    counts: Sequence[float], losses: Sequence[float], floor: float
) -> list[tuple[tuple[float, float], str]]:
    a, alpha = power_law(counts, losses, floor)
    x, y = list(map(math.log, counts)), [math.log(loss - floor) for loss in losses]
    back, start = linear_regression(y, x)

    def line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
        slope, at_0 = linear_regression(x, y)
        return at_0, slope

    def both_signs(x: Sequence[float], y: Sequence[float]) -> list[tuple[float, float]]:
        at_0, slope = line(x, y)
        return [(at_0, slope), (at_0, -slope), (math.exp(min(at_0, 100.0)), -slope)]

    def through(*places: int) -> tuple[float, float]:
        return power_law([counts[i] for i in places], [losses[i] for i in places], floor)

    raw = "Those are no logarithms: take that of the counts and that of the distances."
    half = "Only one of the two is a logarithm: a power law needs both."
    undone = "What undoes a logarithm has its base: exp for math.log, 10 ** … for math.log10."
    mixed = "Both logarithms need the same base: math.log for the counts and for the distances."
    swapped = (
        "The axes are swapped: the logarithm of the distance depends on that of the count, "
        "not the other way round."
    )
    ln_10 = math.log(10)
    return [
        ((alpha, a), "First a, then alpha."),
        ((a, -alpha), "The minus stands in the formula already: alpha is above 0."),
        ((math.log(a), alpha), "That is the logarithm of a."),
        ((math.log(a), -alpha), "That is the logarithm of a, and alpha has the wrong sign."),
        ((math.log10(a), alpha), "That is the logarithm of a."),
        ((1 / a, alpha), "That is 1 / a: look at a sign."),
        (
            power_law(counts, losses, 0.0),
            "The floor is still in it: fit the distance to the floor, not the loss.",
        ),
        (
            through(0, -1),
            "That is the line through the first and the last point. The others count, "
            "too: least squares.",
        ),
        (through(0, 1), "That is the line through the first two points."),
        (through(-2, -1), "That is the line through the last two points."),
        (
            (math.exp(-start / back), -1 / back),
            "There the counts are explained by the distances. "
            "Squares are to be small in the logarithm of the distance.",
        ),
        *[((math.exp(math.log(a, base)), alpha), undone) for base in (2, 10)],
        *[((base ** math.log(a), alpha), undone) for base in (2, 10)],
        *[((each, alpha * ln_10), mixed) for each in (a, 10 ** math.log(a))],
        *[((each, alpha / ln_10), mixed) for each in (a, math.exp(math.log10(a)))],
        *[
            ((at_1, slope), swapped)
            for at_1 in (math.exp(start), math.exp(-start), start)
            for slope in (back, -back, 1 / back, -1 / back)
        ],
        *[(wrong, raw) for wrong in both_signs(counts, [loss - floor for loss in losses])],
        *[(wrong, raw) for wrong in both_signs(counts, losses)],
        *[(wrong, half) for wrong in both_signs(counts, y)],
        *[(wrong, half) for wrong in both_signs(x, [loss - floor for loss in losses])],
    ]


@implement(lambda: ([1, 2], [2.0, 1.5], 1.0))
def my_fit(function: Fit) -> None:
    """Exercise: counts, losses, floor -> a and alpha, by least squares in the logarithms."""
    own_work(function, "power_law", "a_fit", "straightness")
    wanted = "Return two numbers: a and alpha."
    found = numbers_in(result_of(function, COUNTS, LOSSES, FLOOR), 2, wanted)
    right = power_law(COUNTS, LOSSES, FLOOR)
    if near(found, right):
        return
    for wrong, hint in wrong_fits(COUNTS, LOSSES, FLOOR):
        no_slip(not near(found, wrong), hint)
    raise Hint(
        f"It gives a = {found[0]:.4g} and alpha = {found[1]:.4g}, but it should be "
        f"{right[0]:.4g} and {right[1]:.4g}."
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


def held_out(
    counts: Sequence[float], losses: Sequence[float], floor: float, fit: Fit
) -> tuple[float, float]:
    """What my_held_out should return."""
    a, alpha = fit(counts[:-1], losses[:-1], floor)
    distance = a * counts[-1] ** -alpha
    return floor + distance, distance / (losses[-1] - floor) - 1


@implement(lambda: ([1, 2, 3], [2.0, 1.5, 1.4], 1.0, lambda counts, losses, floor: (1.0, 1.0)))
def my_held_out(function: Callable[..., tuple[float, float]]) -> None:
    """Exercise: counts, losses, floor, fit -> the loss predicted for the last, and its error."""
    own_work(function, "held_out")
    wanted = "Return two numbers: the predicted loss, and how far off its distance is."
    calls: list[int] = []
    losses = [*LOSSES[:-1], 2.02]
    found = numbers_in(result_of(function, COUNTS, losses, FLOOR, a_fit(calls)), 2, wanted)
    loss, error = held_out(COUNTS, losses, FLOOR, a_fit())
    if near(found, (loss, error)):
        return
    expect(bool(calls), "Nothing was fitted: call fit(counts, losses, floor).")
    with_it = power_law(COUNTS, losses, FLOOR)
    leaked = FLOOR + with_it[0] * COUNTS[-1] ** -with_it[1]
    distance, measured = loss - FLOOR, losses[-1] - FLOOR
    a, alpha = power_law(COUNTS[:-1], losses[:-1], FLOOR)
    upwards = FLOOR + a * COUNTS[-1] ** alpha
    mistakes = [
        (
            (leaked, (leaked - FLOOR) / measured - 1),
            "The last point was in the fit: that is no prediction. Fit without it.",
        ),
        (
            (distance, error),
            "The error is right. The first number is a distance: where is the floor?",
        ),
        (
            (distance, distance / losses[-1] - 1),
            "Those are distances, compared with a loss: where is the floor?",
        ),
        (
            (loss, loss / losses[-1] - 1),
            "The error of the *loss* looks small because of the floor "
            "in it. Compare the distances.",
        ),
        (
            (loss, loss - losses[-1]),
            "That is a difference. Which share of the measured distance is it?",
        ),
        ((loss, -error), "The sign: above 0 means that the prediction is too far from the floor."),
        (
            (loss, measured / distance - 1),
            "You divide by the prediction: it is measured against what was measured.",
        ),
        (
            (loss, 1 - measured / distance),
            "You divide by the prediction: it is measured against what was measured.",
        ),
        ((loss, distance / measured), "That is the quotient: 1 would mean no error. Take 1 off."),
        ((loss, 100 * error), "That is in percent. Give the share."),
        (
            (upwards, (upwards - FLOOR) / measured - 1),
            "The distance *falls* with the count: look at the sign of alpha.",
        ),
        ((loss, (loss - losses[-1]) / loss), "Compare the distances to the floor, not the losses."),
    ]
    for wrong, hint in mistakes:
        no_slip(not near(found, wrong), hint)
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
