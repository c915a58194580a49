"""Drawings of the whole Transformer: the data reach the picture, and the counts behind it hold."""

import inspect

import numpy as np
import pytest
import torch

from transformer_lib import attention as attention_module
from transformer_lib.experiments import whole as data
from transformer_lib.plots import (
    cost_and_path,
    figure_two,
    outside_in,
    parameter_bars,
    sentence_path,
    vocabulary_ranges,
    zoom_levels,
)
from transformer_lib.plots.whole import MULTI_HEAD, SCALED_DOT_PRODUCT, Station


def texts(figure) -> list[str]:
    return [text.get_text() for ax in figure.axes for text in ax.texts]


# --- the drawing functions ---


@pytest.mark.parametrize("N", [2, 6])
def test_the_zoom_has_as_many_layers_as_the_model(N):
    written = texts(zoom_levels(N))
    assert [written.count(str(i)) for i in range(1, N + 2)] == [2] * N + [0]
    assert f"3  {N} layers that read, {N} that write" in written


def test_figure_two_shows_code_of_the_library():
    source = inspect.getsource(attention_module)
    written = " ".join(texts(figure_two()))
    for step in SCALED_DOT_PRODUCT + MULTI_HEAD:
        assert step.box in written
        for piece in step.code:
            assert piece in source and piece in written


def test_the_layer_grows_to_three_norms():
    written = texts(outside_in())
    counts = {part: written.count(part) for part in ("self", "source", "feed-\nforward", "norm")}
    assert counts == {"self": 4, "source": 5, "feed-\nforward": 6, "norm": 3}


def test_parameters_are_stacked():
    figure = parameter_bars({"a": {"x": 1_000_000, "y": 3_000_000}, "b": {"x": 0, "y": 500_000}})
    bars = [(bar.get_x(), bar.get_width()) for bar in figure.axes[0].patches]
    assert bars == [(0, 1), (0, 0), (1, 3), (0, 0.5)]
    assert {"4.0 M", "0.5 M"} <= set(texts(figure))


def test_models_with_other_parts_are_refused():
    with pytest.raises(ValueError, match="'b' has the parts y; the first model has x"):
        parameter_bars({"a": {"x": 1}, "b": {"y": 1}})


def test_ranges_are_drawn_from_end_to_end():
    figure = vocabulary_ranges({"a": (1e3, 3e3), "b": (2e3, 5e3)}, common=(2e3, 3e3), said=4e3)
    ax = figure.axes[0]
    bars = [(bar.get_x(), bar.get_width()) for bar in ax.patches[:2]]
    assert bars == [(1, 2), (2, 3)]
    assert "2,000 to 3,000" in texts(figure) and ax.lines[0].get_xdata()[0] == 4


def test_vectors_reach_the_picture_and_must_fit_their_words():
    vectors = torch.randn(2, 5)
    rows = [(["a", "b"], [Station("in", vectors)]), (["c", "d"], [Station("out", -vectors)])]
    figure = sentence_path(rows, [("x", 0.5), ("y", 0.25)])
    images = [np.ma.getdata(ax.images[0].get_array()) for ax in figure.axes if ax.images]
    np.testing.assert_allclose(images[0], vectors)
    np.testing.assert_allclose(images[1], -vectors)
    assert [bar.get_width() for bar in figure.axes[-1].patches] == [0.5, 0.25]
    with pytest.raises(ValueError, match="'in': 1 words need vectors of the shape"):
        sentence_path([(["a"], rows[0][1]), rows[1]], [])


def test_curves_are_drawn_where_their_numbers_are():
    figure = cost_and_path([1, 2], {"a": [1e6, 3e6]}, [1, 2, 3], {"a": [1, 1, 1]}, d_model=2)
    left, right = figure.axes
    np.testing.assert_array_equal(left.lines[0].get_ydata(), [1, 3])
    np.testing.assert_array_equal(right.lines[0].get_ydata(), [1, 1, 1])
    with pytest.raises(ValueError, match="'a' has 1 points for 2 lengths"):
        cost_and_path([1, 2], {"a": [1]}, [1], {"a": [1]}, d_model=2)


# --- the counts behind the figures ---


def test_every_parameter_belongs_to_one_part():
    model = data.on_paper(11, 13, N=2, d_model=10, d_ff=19, h=2)
    assert data.parts(model) == {
        "embeddings": 24 * 10, "attention": 2 * 3 * 400, "feed-forward": 4 * (380 + 29),
        "norms": 10 * 20, "generator": 130,
    }  # fmt: skip


def test_eight_rows_of_the_paper_fit_one_vocabulary_and_big_does_not():
    *eight, big = data.TABLE_3
    low, high = data.common_vocabulary(eight)
    assert (round(low), round(high)) == (41_003, 41_209)
    assert tuple(map(round, data.possible_vocabulary(big))) == (35_368, 36_344)


def test_all_outputs_come_and_the_hooks_go():
    model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Flatten())
    with data.all_outputs(model) as outputs:
        model(torch.tensor([[[-1.0, 2.0]]]))
    assert outputs["0"].tolist() == [[[0, 2]]] and outputs[""].tolist() == [[0, 2]]
    outputs.clear()
    model(torch.zeros(1, 1, 2))
    assert outputs == {}


def test_stations_are_parts_of_the_model_in_order():
    model = data.on_paper(5, 5, N=2, d_model=8, d_ff=8, h=2)
    names = data.stations(model)
    assert names[:5] == [
        "src_embed", "src_positions", "encoder.layers.0", "encoder.layers.1", "encoder"
    ]  # fmt: skip
    assert len(names) == 11 and all(model.get_submodule(name) for name in names)


def test_who_is_seen():
    x, memory = torch.randn(1, 3, 4), torch.randn(1, 2, 4)
    assert data.sees(lambda x, m: x + m[:, :1], x, memory, place=2) == ([0], [2])


@pytest.mark.parametrize("n, gaps", [(2, 1), (5, 1), (6, 2), (25, 2), (26, 3)])
def test_rounds_from_the_first_word_to_the_last(n, gaps):
    assert data.all_rounds(n) == {
        "self-attention": 1, "recurrent (GRU)": n, "convolution": -(-(n - 1) // 4),
        "with gaps": gaps,
    }  # fmt: skip
