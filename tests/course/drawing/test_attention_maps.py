"""Attention maps: the right number in the right place under the right word."""

import math

import numpy as np
import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg

from course.drawing.attention_maps import attention_heads, attention_heatmap

ENGLISH = ["I", "like", "trees"]
SPANISH = ["me", "gustan", "los", "árboles", "<eos>"]


def weights(*shape: int) -> torch.Tensor:
    return torch.softmax(3 * torch.randn(shape), dim=-1)


def words(labels) -> list[str]:
    return [label.get_text() for label in labels]


def test_the_first_query_is_the_top_row_and_keys_run_along_the_bottom():
    matrix = weights(5, 3)
    ax = attention_heatmap(matrix, SPANISH, ENGLISH)
    figure = ax.figure
    FigureCanvasAgg(figure).draw()
    np.testing.assert_allclose(ax.images[0].get_array(), matrix)

    labels = {label.get_text(): label.get_window_extent() for label in ax.get_yticklabels()}
    heights = [labels[word].y0 for word in SPANISH]
    assert heights == sorted(heights, reverse=True), "the first word should be at the top"
    bottom = ax.get_window_extent().y0
    extents = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert words(ax.get_xticklabels()) == ENGLISH
    assert [extent.x0 for extent in extents] == sorted(extent.x0 for extent in extents)
    assert all(extent.y1 <= bottom for extent in extents)
    assert "query" in ax.get_ylabel() and "key" in ax.get_xlabel()


def test_heads_come_in_order_under_their_names():
    matrices = weights(5, 5, 3)
    figure = attention_heads(matrices, SPANISH, ENGLISH)
    panels = [ax for ax in figure.axes if ax.images and ax.get_title()]
    assert [ax.get_title() for ax in panels] == [f"head {head}" for head in range(5)]
    for ax, matrix in zip(panels, matrices, strict=True):
        np.testing.assert_allclose(ax.images[0].get_array(), matrix)


def test_what_is_no_attention_of_these_words_is_refused():
    for draw, matrix, rows, columns, message in [
        (
            attention_heatmap,
            weights(5, 3),
            SPANISH[:4],
            ENGLISH,
            "4 words for the rows and 3 for the columns don't fit weights of 5 x 3",
        ),
        (
            attention_heatmap,
            weights(5, 3),
            ENGLISH,
            SPANISH,
            "3 words for the rows and 5 for the columns",
        ),
        (
            attention_heatmap,
            weights(1, 2, 5, 3),
            SPANISH,
            ENGLISH,
            r"\(q, k\).*\(1, 2, 5, 3\): pick one sentence",
        ),
        (
            attention_heads,
            weights(5, 3),
            SPANISH,
            ENGLISH,
            r"\(h, q, k\), but theirs is \(5, 3\)",
        ),
        (attention_heatmap, [[-4.0, 9.0]], "a", "bc", "from -4.00 to 9.00: are they scores"),
        (attention_heatmap, [[math.nan, 1.0]], "a", "bc", "run from nan"),
    ]:
        with pytest.raises(ValueError, match=message):
            draw(matrix, rows, columns)
