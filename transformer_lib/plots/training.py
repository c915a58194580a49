"""How learning went: the loss, step by step."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes

from transformer_lib.plots import style


@mpl.rc_context(style.PRINT)
def learning_curve(
    history: Sequence[Mapping[str, Any]], ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw the loss on training and on validation text against the step -> the axes.

    history: one entry for each report, `{"step", "loss", "validation_loss" (None where it was
    not measured)}`, the training record's own form. Raises ValueError when it is empty.
    """
    if not history:
        raise ValueError("the training history is empty: there is no curve to draw")
    if ax is None:
        ax = style.new_figure(8.0, 4.0).subplots()
    looks = {
        "loss": ("training text", style.CATEGORIES[0], "-"),
        "validation_loss": ("validation text", style.CATEGORIES[2], "--"),
    }
    for key, (name, color, dashes) in looks.items():
        measured = [entry for entry in history if entry.get(key) is not None]
        if measured:
            ax.plot([entry["step"] for entry in measured], [entry[key] for entry in measured],
                    label=name, color=color, linestyle=dashes)  # fmt: skip
    ax.set_xlabel("step (one update of the weights)")
    ax.set_ylabel("loss per token")
    ax.set_ylim(bottom=0)
    ax.set_xlim(0, None)
    ax.grid(axis="y")
    ax.legend()
    if title:
        ax.set_title(title)
    return ax
