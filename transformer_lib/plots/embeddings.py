"""Words as vectors: how alike they are, how long they are, and where they lie on a map."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from transformer_lib.plots import style
from transformer_lib.plots.values import as_array, steady_round


@mpl.rc_context(style.PRINT)
def word_similarity(
    vectors: Any, words: Sequence[str], ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw the cosine of every two word vectors (n, d_model) -> the axes.

    The scale runs from 0 (white) to 1 (dark); vectors that point away from each other stay white.
    Raises ValueError when the words don't fit the vectors, or a vector is zero.
    """
    matrix = as_array(vectors)
    if matrix.ndim != 2 or len(matrix) != len(words) or not len(words):
        raise ValueError(f"{len(words)} words need vectors of the shape ({len(words)}, d_model), "
                         f"but theirs is {matrix.shape}")  # fmt: skip
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError(f"{words[int(lengths.argmin())]!r} has the vector 0, "
                         "which points nowhere")  # fmt: skip
    cosines = (matrix / lengths) @ (matrix / lengths).T
    own_figure = ax is None
    if ax is None:
        size = 1.6 + 0.44 * len(words)
        ax = style.new_figure(size + 0.6, size).subplots()
    image = ax.imshow(cosines, cmap=style.WEIGHTS, vmin=0, vmax=1, interpolation="nearest")
    ax.set_xticks(range(len(words)), words, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(words)), words)
    ax.set_xticks(np.arange(len(words) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(words) + 1) - 0.5, minor=True)
    ax.grid(which="minor", linewidth=0.8)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    for (row, column), cosine in np.ndenumerate(cosines):
        ax.text(column, row, f"{steady_round(cosine, 1):.1f}".replace("-", "\N{MINUS SIGN}"),
                ha="center", va="center", fontsize=10,
                color=style.ink_on(style.WEIGHTS(max(cosine, 0))))  # fmt: skip
    if title:
        ax.set_title(title)
    if own_figure:
        scale = ax.figure.colorbar(image, ax=ax, label="cosine", shrink=0.6, aspect=18, pad=0.02)
        scale.outline.set_visible(False)
        scale.set_ticks([0, 0.5, 1])
    return ax
