"""The figures of notebook 04: who looks at whom."""

from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lib.experiments.attention import real_head, softmax_at
from transformer_lib.plots.attention_steps import (
    attention_explorer,
    equation_frames,
    projection,
    query_finds_key,
    scaling_curves,
    score_maps,
    six_steps,
)
from transformer_lib.plots.figures.registry import figure

WIDTHS = (4, 16, 64, 256, 1024)


def i_like_trees() -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values (3, 4) of "I like trees", made by hand so that they can be read.

    A word's four numbers say: who, does, what, many.
    """
    x = torch.tensor([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])
    w_q = torch.tensor([[-1.0, 2, 0, 0], [1, 0, 2, 2], [0, 1, 2, 0], [0, 0, 0, 2]])
    return x @ w_q, x @ (2 * torch.eye(4)), x @ torch.eye(4)


def thinking_machines() -> tuple[Tensor, Tensor, Tensor]:
    """Query of "Thinking", keys and values of "Thinking Machines", with the scores 112 and 96."""
    keys = torch.tensor([[1.75], [1.5]]).expand(2, 64)
    return torch.ones(64), keys, torch.tensor([[10.0, 0.0], [0.0, 10.0]])


def shared_and_separate() -> dict[str, Tensor]:
    """Scores (3, 3) of three random words: one matrix for queries and keys, and two matrices."""
    generator = torch.Generator().manual_seed(4)
    x, w, w_k = (torch.randn(*size, generator=generator) for size in ((3, 4), (4, 4), (4, 4)))
    q, k = x @ w / 2, x @ w_k / 2
    return {"one shared matrix": q @ q.T, "two matrices": q @ k.T}


@figure(
    "attention-arrow",
    notebook="04_attention",
    caption="A query finds its key: the one that points the same way gets nearly all the weight.",
    alt="Arrows from one point. A thick black one, the query of 'like', points up and right. "
    "The key of 'trees' points nearly the same way and ends in a large disk, weight 0.88; the keys "
    "of 'I' and 'like' point to the sides and end in small disks, weights 0.07 and 0.04.",
    hero=True,
)
def draw_arrow() -> Figure:
    keys = [[-0.5, 0.5], [1, -0.5], [1, 1]]
    return query_finds_key(["I", "like", "trees"], [1, 2], keys, "like")


@figure(
    "attention-projection",
    notebook="04_attention",
    caption="X · W^Q = Q with its true widths: from 128 numbers for each word to 32.",
    alt="Three heat maps. X has a row for each of 'I', 'like', 'trees' and '<eos>' and is 128 "
    "columns wide. The matrix W^Q is 128 high and 32 wide. Their product Q has the same four rows "
    "and is 32 columns wide. The row of 'trees' is framed in X and in Q.",
)
def draw_projection() -> Figure:
    head = real_head()
    return projection(head.words, head.x, head.w_q, head.query, "trees")


@figure(
    "attention-shared-matrix",
    notebook="04_attention",
    caption="Scores with one matrix for queries and keys, and with two.",
    alt="Two maps of three by three scores for 'I like trees'. With one shared matrix the map is "
    "its own mirror image along the diagonal; with two matrices it is not.",
)
def draw_shared_matrix() -> Figure:
    return score_maps(shared_and_separate(), ["I", "like", "trees"])


@figure(
    "attention-six-steps",
    notebook="04_attention",
    caption="The six steps of attention for the first word of 'Thinking Machines'.",
    alt="Two columns, 'Thinking' and 'Machines', from top to bottom: keys and values; scores 112 "
    "and 96; divided by 8, 14 and 12; softmax 0.88 and 0.12; weight times value (8.81, 0.00) and "
    "(0.00, 1.19). A blue arrow leads from the query of 'Thinking' to the score of 'Machines', "
    "too; orange ones lead from each value past the weights to weight times value. At the end "
    "arrows join the two columns to the sum, (8.81, 1.19).",
)
def draw_six_steps() -> Figure:
    return six_steps(["Thinking", "Machines"], *thinking_machines())


@figure(
    "attention-four-frames",
    notebook="04_attention",
    caption="The equation of attention in four frames: scores, scaled, softmax, times the values.",
    alt="Four maps with a row for each of 'I like trees'. The scores of 'like' are 2, 0, 8; "
    "divided by 2 they are 1, 0, 4; the softmax gives nearly all weight to 'trees'; so the output "
    "of 'like' holds the 'what' and the 'many' of trees.",
)
def draw_four_frames() -> Figure:
    words, features = ["I", "like", "trees"], ["who", "does", "what", "many"]
    drawn = equation_frames(*i_like_trees(), words, features)
    drawn.suptitle("“like” finds “trees” and takes over its value", weight="bold", fontsize=14)
    return drawn


@figure(
    "attention-scaling",
    notebook="04_attention",
    caption="What the width of queries and keys does to scores, weights and gradient, with and "
    "without the division by the root of d_k.",
    alt="Three panels against d_k from 4 to 1024. Undivided, the variance of the scores rises in a "
    "straight line, the largest weight comes near 1, and the slope of the softmax falls towards 0. "
    "Divided by the root of d_k, all three stay level.",
)
def draw_scaling() -> Figure:
    return scaling_curves([softmax_at(d_k, scaled) for d_k in WIDTHS for scaled in (False, True)])


@figure(
    "attention-explorer",
    notebook="04_attention",
    caption="Move a query and a key, and see the weights and the output follow.",
    alt="Three panels with sliders. Left: a query and the keys of I, like and trees as points in a "
    "plane; trees lies where the query points. Right: the three values, and the output near the "
    "value of trees. Below: bars of the three weights, the longest for trees.",
)
def draw_explorer() -> Any:
    words = ["I", "like", "trees"]
    keys, values = [[-1, 1.5], [1.5, -1], [2, 2]], [[-2, -1], [-0.5, 2], [1.5, 1]]
    return attention_explorer(words, keys, values, query=[1, 0.5], moved="trees")
