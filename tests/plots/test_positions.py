"""The heat map of position vectors."""

import numpy as np
import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg

from transformer_lib.embedding import positional_encoding
from transformer_lib.plots import positions_heatmap, showing, style


def test_position_zero_is_the_top_row_and_dimension_zero_the_left_column():
    encoding = positional_encoding(7, 10)
    ax = positions_heatmap(encoding, title="seven words")
    np.testing.assert_allclose(ax.images[0].get_array(), encoding)
    top_left = ax.transData.transform((0, 0))
    assert ax.transData.transform((0, 6))[1] < top_left[1], "later positions lie further down"
    assert ax.transData.transform((9, 0))[0] > top_left[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("dimension of the vector", "position")
    assert ax.get_title() == "seven words"


def test_blue_is_negative_grey_is_zero_and_amber_is_positive():
    image = positions_heatmap([[-1.0, 0.0, 1.0]]).images[0]
    assert image.get_clim() == (-1.0, 1.0)
    expected = [style.SIGNED(value)[:3] for value in (0.0, 0.5, 1.0)]
    drawn = image.to_rgba(image.get_array())[0, :, :3]
    np.testing.assert_allclose(drawn, expected, atol=0.02)


def test_larger_values_widen_the_scale_on_both_sides():
    assert positions_heatmap([[-3.0, 1.0]]).images[0].get_clim() == (-3.0, 3.0)


@pytest.mark.parametrize("length, d_model", [(20, 512), (10, 64), (1, 2), (2, 6), (50, 128)])
def test_first_and_last_are_labelled_and_labels_never_overlap(length, d_model):
    ax = positions_heatmap(torch.zeros(length, d_model))
    FigureCanvasAgg(ax.figure).draw()
    for ticks, count in ((ax.get_xticks(), d_model), (ax.get_yticks(), length)):
        assert ticks[0] == 0 and ticks[-1] <= count - 1
        assert count - 1 - ticks[-1] <= count / 8
    across = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(a.x1 < b.x0 for a, b in zip(across, across[1:], strict=False))
    down = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(a.y0 > b.y1 for a, b in zip(down, down[1:], strict=False))


@pytest.mark.parametrize("shape", [(5,), (1, 4, 6), (0, 6)])
def test_another_shape_is_refused(shape):
    with pytest.raises(ValueError, match=r"\(length, d_model\), but theirs is"):
        positions_heatmap(torch.zeros(shape))


def test_the_summary_tells_the_two_encodings_apart():
    paper = positions_heatmap(positional_encoding(20, 64))
    slower = positions_heatmap(positional_encoding(20, 64, base=8000.0))
    assert showing.summary(paper.figure) != showing.summary(slower.figure)
