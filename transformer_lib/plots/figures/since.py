"""The figures of notebook 18: what has changed since 2017, and what each change is worth."""

import torch
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.since import (
    bend_curves,
    memory_lines,
    schedule_lines,
    score_squares,
    time_lines,
    two_models,
    worth_dots,
)

NOTEBOOK = "18_since_2017"
PANELS = {"test": "like the training's", "pronoun": "with a pronoun", "longer": "longer"}
BETWEEN = ("base", "pre-norm", "RMSNorm", "no biases", "SwiGLU", "rotary", "QK-norm",
           "grouped queries", "AdamW", "stable", "today")  # fmt: skip


def stored_points() -> list[dict]:
    from transformer_lib import experiments
    from transformer_lib.experiments.since import points

    return points(experiments.load("since")["runs"])


def one_word_everywhere(length: int = 12, d_k: int = 16) -> dict[str, Tensor]:
    """Scores (q, k) of one and the same word at all places, by four ways to tell the places."""
    from transformer_lib.embedding import positional_encoding
    from transformer_lib.since import ALiBi, Rotary, Window

    torch.manual_seed(1)
    word = torch.randn(d_k)
    w_q, w_k = torch.randn(2, d_k, d_k) / d_k**0.5
    added = word + positional_encoding(length, d_k)
    same = word.expand(1, 1, length, d_k)
    q, k = Rotary(d_k)(same @ w_q, same @ w_k)
    places = torch.arange(length)
    distance = places[:, None] - places
    return {
        "2017: added to the word": added @ w_q @ (added @ w_k).T / d_k**0.5,
        "rotary: q and k turned": (q @ k.transpose(-2, -1))[0, 0] / d_k**0.5,
        "ALiBi: what the first head takes off": ALiBi(4)(distance)[0],
        "a window of 5": Window(5)(distance),
    }


@figure(
    "since-bends",
    notebook=NOTEBOOK,
    caption="Three bends of feed-forward networks: max(0, z), GELU and SiLU (without the gate).",
    alt="What comes out against what goes in, from -4 to 4. max(0, z) is 0 up to 0, with a corner, "
    "and then z. GELU and SiLU have no corner: they dip a little below 0 for small negative z, "
    "SiLU more, and come near z for large ones.",
)
def draw_bends() -> Figure:
    z = torch.linspace(-4, 4, 161)
    bends = {"max(0, z): 2017": torch.relu, "GELU": torch.nn.functional.gelu,
             "SiLU: the bend in SwiGLU's gate": torch.nn.functional.silu}  # fmt: skip
    return bend_curves(z, {name: bend(z) for name, bend in bends.items()})


@figure(
    "since-positions",
    notebook=NOTEBOOK,
    caption="One word at twelve places: its scores with itself, by four ways to tell the places.",
    alt="Four squares, places of queries by places of keys. With positions added to the word no "
    "two cells of a diagonal need be alike. With rotary positions each diagonal has one color. "
    "ALiBi is 0 on the main diagonal and falls evenly with the distance, to both sides. A window "
    "of 5 leaves a band of nine diagonals and crosses out the rest. Each square has its own scale.",
)
def draw_positions() -> Figure:
    return score_squares(one_word_everywhere())


@figure(
    "since-schedules",
    notebook=NOTEBOOK,
    caption="Three schedules, each by its own highest rate: straight down, cosine, stable.",
    alt="The learning rate against the step, up to 1,200. All three rise to their highest within "
    "120 steps. The straight one falls evenly to 0. The cosine stays high longer, falls fast in "
    "the middle and ends at a tenth. The stable one stays at the top until step 960 and then "
    "falls straight to 0.",
)
def draw_schedules() -> Figure:
    from transformer_lib.experiments.since import TRAINING
    from transformer_lib.training import SCHEDULES

    names = {"linear": "straight down (the base)", "cosine": "cosine", "stable": "stable"}
    steps = range(1, TRAINING.steps + 1)
    return schedule_lines({
        said: [SCHEDULES[name](step, 1.0, TRAINING.warmup, TRAINING.steps) for step in steps]
        for name, said in names.items()
    })  # fmt: skip


@figure(
    "since-worth",
    notebook=NOTEBOOK,
    caption="One part exchanged at a time, at its own rate: how many more sentences are right.",
    alt="A row for the base and each of twenty exchanges, three panels, a mark for each seed. Like "
    "the training's: Muon is 12 points above the base, today 9, pre-norm and SwiGLU 6, the mixture "
    "of experts and AdamW 5, stable and GELU 3; below it are grouped queries with 4, the window "
    "with 5, multi-query with 11, no positions with 14. With a pronoun: Muon 26 above, today 23, "
    "SwiGLU 21, the mixture of experts 20, AdamW 19, pre-norm and stable 18; the window is 14 "
    "below. Longer: today 46 above, rotary 33, T5's positions 32, Muon 28, ALiBi 22, pre-norm 11, "
    "AdamW 8; grouped queries are 5 below, multi-query 10, no positions 16. The others show no "
    "clear difference.",
)
def draw_worth() -> Figure:
    return worth_dots(stored_points(), PANELS)


@figure(
    "since-language-model",
    notebook=NOTEBOOK,
    caption="The same exchanges in a language model: how much nearer its loss comes to the floor.",
    alt="A row for the base and each of twenty exchanges, a mark for each seed: how much of the "
    "base's distance to the floor is gone, in validation loss. Muon 29 percent, SwiGLU and today "
    "11, not tied and QK-norm 10, GELU and AdamW 6. Farther away than the base are stable by 6, "
    "multi-query by 12 and the window by 18. The others show no clear difference, no positions "
    "among them, with 1.",
)
def draw_language_model() -> Figure:
    from transformer_lib import experiments
    from transformer_lib.experiments.since import nearer

    rows = nearer(experiments.load("since-language-model")["runs"])
    return worth_dots(rows, {"nearer": "language model"},
                      "nearer to the floor, in validation loss: "
                      "percent of the base's mean distance")  # fmt: skip


@figure(
    "since-2017-and-2026",
    notebook=NOTEBOOK,
    hero=True,
    caption="A layer of 2017, one of 2026, and what each difference is worth here.",
    alt="Left a layer of 2017: words plus positions, self-attention with four heads of keys, add "
    "and layer norm, feed-forward with max(0, z) and biases, add and layer norm. Right one of "
    "2026: words, RMSNorm, self-attention that is turned, with QK-norm and two heads of keys, add, "
    "RMSNorm, feed-forward with SwiGLU and without biases, add. Between them what each difference "
    "is worth on test sentences, those with a pronoun, and longer ones: pre-norm +6, +18, +11, "
    "RMSNorm +1, +7, +1, no biases −1, −1, −2, SwiGLU +6, +21, 0, "
    "rotary +2, −6, +33, QK-norm 0, −3, −1, grouped queries "
    "−4, −6, −5, AdamW +5, +19, +8, stable +3, +18, +1; "
    "today +9, +23, +46.",
)
def draw_both_ends() -> Figure:
    rows = {row["what"]: row for row in stored_points()}
    return two_models([rows[what] for what in BETWEEN if what in rows],
                      {"test": "test", "pronoun": "pronoun", "longer": "longer"})  # fmt: skip


@figure(
    "since-memory",
    notebook=NOTEBOOK,
    caption="Bytes that attention without a mask needs at a time: three ways.",
    alt="Megabytes at a time without a mask against the words in a sentence, 2,048 words in all. "
    "The formula's are 2 at 16 and 32 words and then double from line to line, to 134 at 2,048. "
    "Block by block they rise from 5 to 10 and stay there from 128 words on. Fused it is 1 "
    "or 2 at every length.",
)
def draw_memory() -> Figure:
    from transformer_lib import experiments

    megabytes: dict[str, list[float]] = {}
    rows = [row for row in experiments.load("fused")["memory"] if row["mask"] == "none"]
    for row in rows:
        megabytes.setdefault(row["way"], []).append(row["bytes"] / 1e6)
    return memory_lines(sorted({row["length"] for row in rows}), megabytes,
                        "megabytes at a time, without a mask")  # fmt: skip


@figure(
    "since-fused-times",
    notebook=NOTEBOOK,
    caption="Where PyTorch's fused kernel with a causal mask is quicker than the formula.",
    alt="Two panels, the fused kernel's time with a causal mask divided by the formula's, from 16 "
    "to 2,048 words in a sentence, with one and two threads. In use it is above 1 at 16 words, "
    "with two threads up to 64, where it is 2.6 and falls, and from 128 on between 0.15 and 0.63. "
    "In training it is between 0.35 and 0.83 everywhere.",
)
def draw_fused_times() -> Figure:
    from transformer_lib import experiments

    rows = [row for row in experiments.load("fused")["times"] if row["mask"] == "causal"]
    panels: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        panel = panels.setdefault({"use": "in use", "training": "in training"}[row["what"]], {})
        name = f"fused, {row['threads']} thread{'s' * (row['threads'] > 1)}"
        panel.setdefault(name, []).append(row["time"]["fused"])
    return time_lines(sorted({row["length"] for row in rows}), panels,
                      "time with a causal mask,\nby that of the formula")  # fmt: skip
