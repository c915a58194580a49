"""Assignment 9: how much, how large."""

from tests.course.grading.attempts import Wrong


def four(*numbers: float) -> str:
    return f"four_numbers = {list(numbers)}"


SIZES = """
def my_sizes(N, d_model, d_ff, vocab):
    table = {table}
    attention = {attention}
    feed_forward = {feed_forward}
    return {result}
"""
USUAL_SIZES = {
    "table": "vocab * d_model",
    "attention": "4 * d_model * d_model",
    "feed_forward": "2 * d_ff * d_model",
    "result": "table, N * (attention + feed_forward)",
}


def sizes(**mistake: str) -> str:
    return SIZES.format(**USUAL_SIZES | mistake)


FLOPS = """
def my_flops(N, d_model, d_ff, vocab, n):
    matrices = {matrices}
    logits = {logits}
    meeting = {meeting}
    forward = {forward}
    return {result}
"""
USUAL_FLOPS = {
    "matrices": "2 * n * (4 * d_model**2 + 2 * d_model * d_ff)",
    "logits": "2 * n * d_model * vocab",
    "meeting": "2 * (2 * n * d_model * n)",
    "forward": "N * (matrices + meeting) + logits",
    "result": "forward + 2 * forward",
}


def flops(**mistake: str) -> str:
    return FLOPS.format(**USUAL_FLOPS | mistake)


FIT = """
import numpy as np

def my_fit(counts, losses, floor):
    x = {x}
    y = {y}
    slope, start = {line}
    return {result}
"""
USUAL_FIT = {
    "x": "np.log(counts)",
    "y": "np.log(np.array(losses) - floor)",
    "line": "np.polyfit(x, y, 1)",
    "result": "np.exp(start), -slope",
}


def fit(**mistake: str) -> str:
    return FIT.format(**USUAL_FIT | mistake)


HELD = """
def my_held_out(counts, losses, floor, fit):
    a, alpha = {fitted}
    distance = {distance}
    measured = {measured}
    return {result}
"""
USUAL_HELD = {
    "fitted": "fit(counts[:-1], losses[:-1], floor)",
    "distance": "a / counts[-1] ** alpha",
    "measured": "losses[-1] - floor",
    "result": "distance + floor, (distance - measured) / measured",
}


def held(**mistake: str) -> str:
    return HELD.format(**USUAL_HELD | mistake)


RIGHT = {
    "four_numbers": [
        four(0.5, 0.2, 2.18, 256_000),
        "four_numbers = torch.tensor([[0.5, 0.2, 2.18, 256_000]])",
        "four_numbers = (1 / 2, 0.8 / 4, 1.98 + 0.2, 1000 * (0.8 / 0.05) ** 2)",
    ],
    "my_sizes": [
        sizes(),
        """
        def my_sizes(N, d_model, d_ff, vocab):
            shapes = [(d_model, d_model)] * 4 + [(d_model, d_ff), (d_ff, d_model)]
            return [d_model * vocab, sum(a * b for a, b in shapes for _ in range(N))]
        """,
        """
        def my_sizes(N, d_model, d_ff, vocab):
            layers = 0
            for _ in range(N):
                layers += torch.zeros(4 * d_model + 2 * d_ff, d_model).numel()
            return torch.tensor([vocab * d_model, layers])
        """,
    ],
    "my_flops": [
        flops(),
        """
        def my_flops(N, d_model, d_ff, vocab, n):
            products = [(n, d_model, vocab)]
            for _ in range(N):
                products += [(n, d_model, d_model)] * 4
                products += [(n, d_model, n), (n, n, d_model)]
                products += [(n, d_model, d_ff), (n, d_ff, d_model)]
            return 3 * sum(2 * a * b * c for a, b, c in products)
        """,
        flops(
            matrices="8 * n * d_model**2 + 4 * n * d_model * d_ff",
            meeting="4 * d_model * n**2",
            result="6 * forward / 2",
        ),
    ],
    "my_fit": [
        fit(),
        """
        from statistics import linear_regression

        def my_fit(counts, losses, floor):
            slope, start = linear_regression([math.log10(count) for count in counts],
                                             [math.log10(loss - floor) for loss in losses])
            return 10**start, abs(slope)
        """,
        """
        def my_fit(counts, losses, floor):
            x = torch.tensor(counts, dtype=torch.float64).log()
            table = torch.stack([torch.ones_like(x), -x], dim=1)
            y = (torch.tensor(losses, dtype=torch.float64) - floor).log()
            found = torch.linalg.lstsq(table, y[:, None]).solution[:, 0]
            return torch.stack([found[0].exp(), found[1]])
        """,
        fit(
            x="np.log2(counts)",
            y="np.log2(np.array(losses) - floor)",
            line="np.cov(x, y)[0, 1] / x.var(ddof=1), 0",
            result="2 ** np.mean(y - slope * x), -slope",
        ),
    ],
    "my_held_out": [
        held(),
        """
        def my_held_out(counts, losses, floor, fit):
            *counts, last = counts
            *losses, wanted = losses
            a, alpha = fit(counts, losses, floor)
            loss = floor + a * math.exp(-alpha * math.log(last))
            return torch.tensor([loss, (loss - wanted) / (wanted - floor)])
        """,
        """
        def my_held_out(counts, losses, floor, fit):
            last = counts.pop(), losses.pop()
            law = fit(counts, losses, floor)
            distance = law[0] * last[0] ** (-law[1])
            return [distance + floor, distance / (last[1] - floor) - 1.0]
        """,
    ],
    "another_floor": ["another_floor = 1.9", "another_floor = torch.tensor(1.85)"],
}

WRONG = {
    "four_numbers": [
        Wrong("minus", four(-0.5, 0.2, 2.18, 256_000), "The minus stands in the formula", 1),
        Wrong("inverted", four(2, 0.2, 2.18, 256_000), "the other way round", 1),
        Wrong("a quarter", four(0.25, 0.2, 2.18, 256_000), "Which power of 4", 1),
        Wrong("in a straight line", four(0.5, 0, 2.18, 256_000), "never to 0", 1),
        Wrong("two steps", four(0.5, 0.1, 2.18, 256_000), "one such step further", 1),
        Wrong("no floor", four(0.5, 0.2, 0.2, 256_000), "floor and the distance together", 1),
        Wrong("half the loss", four(0.5, 0.2, 1.19, 256_000), "The floor stays", 1),
        Wrong("too few", four(0.5, 0.2, 2.18, 64_000), "With 64,000 it is 0.1", 1),
        Wrong("twice", four(0.5, 0.2, 2.18, 32_000), "4 times the sentences, not twice", 1),
        Wrong("too far", four(0.5, 0.2, 2.18, 1_024_000), "one step too far", 1),
        Wrong("two slips", four(2, 0.1, 2.18, 256_000), "the other way round", 0),
        Wrong("something", four(0.5, 0.2, 2.5, 256_000), "loss: not yet", 0),
        Wrong("three", four(0.5, 0.2, 2.18), "list of four numbers", 0),
        Wrong("words", "four_numbers = 'few'", "list of four numbers", 0),
    ],
    "my_sizes": [
        Wrong("three matrices", sizes(attention="3 * d_model**2"), "W^O", 1),
        Wrong("cross-attention", sizes(attention="8 * d_model**2"), "no cross-attention", 1),
        Wrong("two tables", sizes(table="2 * vocab * d_model"), "is tied", 1),
        Wrong("one layer", sizes(result="table, attention + feed_forward"), "one layer", 1),
        Wrong("one way", sizes(feed_forward="d_ff * d_model"), "two matrices", 1),
        Wrong("exchanged", sizes(result="N * (attention + feed_forward), table"), "table first", 1),
        Wrong(
            "all of it",
            sizes(result="table, N * (attention + feed_forward) + table"),
            "layers alone",
            1,
        ),
        Wrong("biases", sizes(feed_forward="2 * d_ff * d_model + d_ff + d_model"), "Biases", 1),
        Wrong("norms", sizes(feed_forward="2 * d_ff * d_model + d_ff + 5 * d_model"), "Neither", 1),
        Wrong("no attention", sizes(attention="0"), "attention is missing", 1),
        Wrong("no network", sizes(feed_forward="0"), "network is missing", 1),
        Wrong("vectors", sizes(attention="4 * d_model"), "is d_model × d_model", 1),
        Wrong("words", sizes(table="vocab"), "has d_model numbers", 1),
        Wrong("square table", sizes(table="vocab**2"), "a row for each word", 0),
        Wrong("sum", sizes(result="table + N * (attention + feed_forward)"), "two whole", 0),
        Wrong("third", sizes(feed_forward="d_ff**2"), "In each layer", 0),
        Wrong(
            "four times as wide",
            sizes(feed_forward="2 * d_model * 7 * d_model"),
            "wrong for other inputs",
            1,
        ),
    ],
    "my_flops": [
        Wrong("forward only", flops(result="forward"), "That is the forward pass", 2),
        Wrong("backward only", flops(result="2 * forward"), "way back alone", 2),
        Wrong(
            "without W^O",
            flops(matrices="6 * n * d_model**2 + 4 * n * d_model * d_ff"),
            "W^O, is missing",
            2,
        ),
        Wrong("6ND", flops(meeting="0"), "6 · weights · tokens", 2),
        Wrong("one product", flops(meeting="2 * n * n * d_model"), "one product is missing", 2),
        Wrong("not squared", flops(meeting="4 * n * d_model"), "square of n", 2),
        Wrong("lookups", flops(logits="4 * n * d_model * vocab"), "The table is in it twice", 2),
        Wrong("no logits", flops(logits="0"), "The logits are missing", 2),
        Wrong("multiplications", flops(result="3 * forward // 2"), "as many additions", 2),
        Wrong(
            "one attention", flops(forward="N * matrices + meeting + logits"), "in each layer", 2
        ),
        Wrong(
            "matrices once",
            flops(matrices="4 * d_model**2 + 2 * d_model * d_ff", logits="d_model * vocab"),
            "write down each",
            0,
        ),
        Wrong(
            "multiplied only",
            flops(
                matrices="n * (4 * d_model**2 + 2 * d_model * d_ff)", logits="n * d_model * vocab"
            ),
            "matrices' products, too",
            2,
        ),
        Wrong(
            "one token",
            flops(
                matrices="2 * (4 * d_model**2 + 2 * d_model * d_ff)", logits="2 * d_model * vocab"
            ),
            "for each of the n tokens",
            2,
        ),
        Wrong("n again", flops(result="3 * forward * n"), "Once too often", 2),
        Wrong("half of it", flops(meeting="2 * n * (n + 1) * d_model"), "write down each", 0),
        Wrong("text", flops(result="'many'"), "one number", 0),
        Wrong("12 tokens", flops(meeting="4 * n * 12 * d_model"), "wrong for other inputs", 2),
        Wrong(
            "borrowed",
            """
        def my_flops(N, d_model, d_ff, vocab, n):
            sizes = ModelConfig(N=N, d_model=d_model, d_ff=d_ff, h=1, tie_weights="target")
            model = LanguageModel(vocab, sizes)
            with FlopCounterMode(display=False) as counter:
                model(torch.ones(1, n, dtype=torch.long)).sum().backward()
            return counter.get_total_flops()
        """,
            "does the whole exercise",
            0,
        ),
    ],
    "my_fit": [
        Wrong("with its floor", fit(y="np.log(losses)"), "The floor is still in it", 2),
        Wrong("minus", fit(result="np.exp(start), slope"), "The minus stands", 2),
        Wrong("logarithm of a", fit(result="start, -slope"), "That is the logarithm of a", 2),
        Wrong("logarithm, minus", fit(result="start, slope"), "alpha has the wrong sign", 2),
        Wrong("no logarithms", fit(x="counts", y="np.array(losses) - floor"), "no logarithms", 2),
        Wrong(
            "ends",
            fit(
                x="np.log([counts[0], counts[-1]])",
                y="np.log(np.array([losses[0], losses[-1]]) - floor)",
            ),
            "first and the last point",
            2,
        ),
        Wrong("count not", fit(x="counts"), "Only one of the two", 2),
        Wrong("distance not", fit(y="np.array(losses) - floor"), "Only one of the two", 2),
        Wrong(
            "log10 and exp",
            fit(x="np.log10(counts)", y="np.log10(np.array(losses) - floor)"),
            "What undoes a logarithm",
            2,
        ),
        Wrong(
            "log2 and exp",
            fit(x="np.log2(counts)", y="np.log2(np.array(losses) - floor)"),
            "What undoes a logarithm",
            2,
        ),
        Wrong(
            "log and 10 to the power", fit(result="10**start, -slope"), "What undoes a logarithm", 2
        ),
        Wrong("two bases, counts", fit(x="np.log10(counts)"), "Both logarithms need", 2),
        Wrong(
            "two bases, distances",
            fit(y="np.log10(np.array(losses) - floor)"),
            "Both logarithms need",
            2,
        ),
        Wrong("axes swapped", fit(line="np.polyfit(y, x, 1)"), "The axes are swapped", 2),
        Wrong(
            "axes swapped, slope turned",
            fit(line="np.polyfit(y, x, 1)", result="np.exp(start), -1 / slope"),
            "The axes are swapped",
            2,
        ),
        Wrong(
            "axes swapped, logarithm",
            fit(line="np.polyfit(y, x, 1)", result="start, -slope"),
            "The axes are swapped",
            2,
        ),
        Wrong(
            "other way round",
            fit(line="(lambda b, c: (1 / b, -c / b))(*np.polyfit(y, x, 1))"),
            "explained by the distances",
            2,
        ),
        Wrong("alpha first", fit(result="-slope, np.exp(start)"), "First a, then alpha", 2),
        Wrong("inverted", fit(result="np.exp(-start), -slope"), "That is 1 / a", 2),
        Wrong("first two", fit(line="np.polyfit(x[:2], y[:2], 1)"), "first two points", 2),
        Wrong("last two", fit(line="np.polyfit(x[-2:], y[-2:], 1)"), "last two points", 2),
        Wrong("another a", fit(result="2 * np.exp(start), -slope"), "it should be", 0),
        Wrong("one number", fit(result="-slope"), "Return two numbers", 0),
        Wrong("this floor", fit(y="np.log(np.array(losses) - 1.7)"), "wrong for other inputs", 2),
        Wrong(
            "borrowed",
            """
        def my_fit(counts, losses, floor):
            return check.power_law(counts, losses, floor)
        """,
            "does the whole exercise",
            0,
        ),
    ],
    "my_held_out": [
        Wrong("seen", held(fitted="fit(counts, losses, floor)"), "no prediction", 1.5),
        Wrong(
            "of the loss",
            held(result="distance + floor, (distance + floor) / losses[-1] - 1"),
            "because of the floor",
            1.5,
        ),
        Wrong(
            "no floor", held(result="distance, distance / measured - 1"), "where is the floor", 1.5
        ),
        Wrong(
            "difference", held(result="distance + floor, distance - measured"), "Which share", 1.5
        ),
        Wrong(
            "without sign",
            held(result="distance + floor, abs(distance / measured - 1)"),
            "The sign",
            1.5,
        ),
        Wrong(
            "by the prediction",
            held(result="distance + floor, measured / distance - 1"),
            "You divide by the prediction",
            1.5,
        ),
        Wrong("quotient", held(result="distance + floor, distance / measured"), "Take 1 off", 1.5),
        Wrong(
            "percent",
            held(result="distance + floor, 100 * (distance / measured - 1)"),
            "Give the share",
            1.5,
        ),
        Wrong("upwards", held(distance="a * counts[-1] ** alpha"), "*falls*", 1.5),
        Wrong(
            "distance and loss",
            held(measured="losses[-1]", result="distance, distance / measured - 1"),
            "compared with a loss",
            1.5,
        ),
        Wrong("not fitted", held(fitted="1, 0.5"), "Nothing was fitted", 0),
        Wrong(
            "first left out", held(fitted="fit(counts[1:], losses[1:], floor)"), "it should be", 0
        ),
        Wrong("two left out", held(fitted="fit(counts[:-2], losses[:-2], floor)"), "of 4", 0),
        Wrong("a loss", held(result="distance + floor"), "Return two numbers", 0),
        Wrong(
            "three points", held(fitted="fit(counts[:3], losses[:3], floor)"), "other inputs", 1.5
        ),
    ],
    "another_floor": [
        Wrong("not straight", "another_floor = 1.5", "go nearer", 1),
        Wrong("the floor", "another_floor = 1.98", "might reach", 0),
        Wrong("too high", "another_floor = 2.05", "might reach", 0),
        Wrong("no floor", "another_floor = 2.3", "lies below all losses", 0),
        Wrong("a word", "another_floor = 'low'", "Give one number", 0),
        Wrong("no number", "another_floor = float('nan')", "lies below all losses", 0),
        Wrong("too large a number", "another_floor = 10**400", "lies below all losses", 0),
        Wrong("far below", "another_floor = -(10**308)", "go nearer to them", 0),
    ],
}
