"""How learning went: the loss, step by step."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes

from transformer_lib.plots import style


@mpl.rc_context(style.PRINT)
def learning_curve(
    history: Sequence[Mapping[str, Any]],
    ax: Axes | None = None,
    title: str | None = None,
    floor: float | None = None,
) -> Axes:
    """Draw the loss on training and on validation text against the step -> the axes.

    history: one entry for each report, `{"step", "loss", "validation_loss" (None where it was
    not measured)}`, the training record's own form. floor: the lowest training loss there can be,
    with label smoothing (see `smoothing_floor`). Raises ValueError when the history is empty.
    """
    if not history:
        raise ValueError("the training history is empty: there is no curve to draw")
    if ax is None:
        ax = style.new_figure(8.0, 4.0).subplots()
    looks = {
        "loss": ("training text", style.CATEGORIES[0], "o-"),
        "validation_loss": ("validation text", style.CATEGORIES[2], "s--"),
    }
    for key, (name, color, look) in looks.items():
        measured = [entry for entry in history if entry.get(key) is not None]
        if measured:
            steps, losses = [e["step"] for e in measured], [e[key] for e in measured]
            size = 6 if len(measured) < 50 else 0
            ax.plot(steps, losses, look, label=name, color=color, markersize=size)
    if floor is not None:
        ax.axhline(floor, label="the least that smoothed targets allow in training",
                   color=style.MUTED, linestyle=":")  # fmt: skip
    ax.set_xlabel("step (one update of the weights)")
    ax.set_ylabel("loss per token, in nats")
    ax.set_ylim(bottom=0)
    ax.set_xlim(left=0)
    ax.grid(axis="y")
    ax.legend()
    if title:
        ax.set_title(title)
    return ax


def smoothing_floor(smoothing: float, vocab: int) -> float:
    """The cross-entropy of a model that predicts the smoothed targets exactly: their entropy.

    The right one of `vocab` words has the target 1 - smoothing + smoothing / vocab, each other
    one smoothing / vocab. Without smoothing the floor is 0.
    """
    other = smoothing / vocab
    right = 1 - smoothing + other
    return sum(-count * p * math.log(p) for count, p in ((1, right), (vocab - 1, other)) if p)
