"""Position vectors: as a heat map, as waves, as clock hands, and compared."""

import json
import math

import matplotlib as mpl
import numpy as np
import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Arc, FancyArrowPatch, Wedge

from course.chapters.ch03_positional_encoding import figures as plots
from course.chapters.ch03_positional_encoding.figures import (
    _positions_heatmap,
    _usual_batch,
    two_ways,
    wavelengths,
)
from course.drawing import notebook_output as showing
from course.drawing import style
from course.drawing.registry import FIGURES
from transformer_lib.checkpoints import load_model
from transformer_lib.model.embedding import positional_encoding
from transformer_lib.translator import SHIPPED_MODEL


def test_position_zero_is_the_top_row_and_dimension_zero_the_left_column():
    encoding = positional_encoding(7, 10)
    ax = _positions_heatmap(encoding, title="seven words")
    np.testing.assert_allclose(ax.images[0].get_array(), encoding)
    top_left = ax.transData.transform((0, 0))
    assert ax.transData.transform((0, 6))[1] < top_left[1], "later positions lie further down"
    assert ax.transData.transform((9, 0))[0] > top_left[0]
    assert ax.get_xlabel() == "column of the vector"
    named = [label.get_text() for label in ax.get_yticklabels()]
    assert named == ["position 0", *"123456"]
    assert ax.get_title() == "seven words"


def test_the_table_shows_two_rows_again_below_it():
    table = positional_encoding(40, 16)
    sines, cosines, two_sines, two_cosines = plots._positions_table(table, row=30).axes[:4]
    for whole, two, first in ((sines, two_sines, 0), (cosines, two_cosines, 1)):
        np.testing.assert_allclose(whole.images[0].get_array(), table[:, first::2])
        np.testing.assert_allclose(two.images[0].get_array(), table[30:32, first:8:2])
    assert [label.get_text() for label in two_sines.get_yticklabels()] == ["position 30", "31"]


def test_cosines_stand_under_their_sines():
    table = positional_encoding(9, 24)
    axes = plots._sines_over_cosines(table, "title", every=3).axes[:2]
    for ax, columns in zip(axes, ([0, 6, 12, 18], [1, 7, 13, 19]), strict=True):
        np.testing.assert_allclose(ax.images[0].get_array(), table[:, columns])
    said = [label.get_text() for label in axes[1].get_xticklabels()]
    assert said == ["0, 1", "6, 7", "12, 13", "18, 19"]


def test_blue_is_negative_white_is_zero_and_orange_is_positive():
    image = _positions_heatmap([[-1.0, 0.0, 1.0]]).images[0]
    assert image.get_clim() == (-1.0, 1.0)
    expected = [style.SIGNED(value)[:3] for value in (0.0, 0.5, 1.0)]
    drawn = image.to_rgba(image.get_array())[0, :, :3]
    np.testing.assert_allclose(drawn, expected, atol=0.02)


def test_larger_values_widen_the_scale_on_both_sides():
    assert _positions_heatmap([[-3.0, 1.0]]).images[0].get_clim() == (-3.0, 3.0)


@pytest.mark.parametrize("length, d_model", [(20, 512), (10, 64), (1, 2), (2, 6), (50, 128)])
def test_first_and_last_are_labelled_and_labels_never_overlap(length, d_model):
    ax = _positions_heatmap(torch.zeros(length, d_model))
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
        _positions_heatmap(torch.zeros(shape))


def test_the_summary_tells_the_two_encodings_apart():
    paper = _positions_heatmap(positional_encoding(20, 64))
    slower = _positions_heatmap(positional_encoding(20, 64, base=8000.0))
    assert showing.summary(paper.figure) != showing.summary(slower.figure)


# --- waves, clocks, dot products ---


def test_wavelengths_are_read_from_the_table():
    expected = [2 * math.pi * 10_000 ** (2 * i / 10) for i in range(5)]
    np.testing.assert_allclose(wavelengths(positional_encoding(3, 10)), expected, rtol=1e-5)


def test_each_panel_of_the_curves_holds_the_two_columns_of_its_pair():
    table = positional_encoding(11, 14)
    figure = plots._positions_curves(table, pairs=(0, 5))
    for ax, i in zip(figure.axes, (0, 5), strict=True):
        for (dots, wave), column in zip(
            (ax.lines[:2], ax.lines[2:4]), (2 * i, 2 * i + 1), strict=True
        ):
            np.testing.assert_allclose(dots.get_ydata(), table[:, column])
            through = np.interp(range(11), *wave.get_data())
            np.testing.assert_allclose(through, table[:, column], atol=1e-3)
    assert figure.axes[0].get_title("left") == "pair i = 0: one wave in 6.3 positions"


def test_two_encodings_with_the_same_waves_would_show_no_difference():
    waves = wavelengths(positional_encoding(2, 10))
    small, large = ({"one": waves, "another": waves * times} for times in (4, 1.01))
    above, below = plots._positions_frequencies(small, large).axes
    for ax, both in ((above, small), (below, large)):
        for line, (name, wanted) in zip(ax.lines, both.items(), strict=True):
            assert line.get_label() == name
            along, height = line.get_data()
            assert along[-1] == pytest.approx(small["another"][-1])
            np.testing.assert_allclose(height, np.sin(2 * np.pi * along / wanted[-1]), atol=1e-6)
    said = "vectors of 10 numbers: the wave of the authors’ code is"
    assert above.get_title() == f"{said} 4 × as long"
    assert below.get_title() == f"{said} only 1.0 % longer"
    texts = [text.get_text() for text in above.texts if text.get_text()]
    lengths = [f"one wave in {both[-1]:,.0f} positions" for both in small.values()]
    assert [text.rpartition(": ")[2] for text in texts] == lengths


def test_clock_hands_point_up_at_position_zero_and_turn_clockwise():
    figure = plots._positions_clocks(positional_encoding(11, 14), (0, 1), start=0, other=5, step=2)
    hands = {
        line.get_label(): line.get_xydata()[0]
        for line in figure.axes[0].lines
        if line.get_label().startswith("position")
    }
    assert list(hands) == ["position 0", "position 2", "position 5", "position 7"]
    np.testing.assert_allclose(hands["position 0"], (0, 1))
    np.testing.assert_allclose(hands["position 2"], (math.sin(2), math.cos(2)), rtol=1e-6)


def test_the_table_of_clocks_has_a_hand_for_each_position_and_pair():
    table = positional_encoding(3, 14)
    ax = plots._clock_table(["I", "fish", "trees"], table, {0: "fast", 4: "slow"}).axes[0]
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    hands = [arrow.get_path().vertices[[0, -1]] for arrow in arrows]
    ends = [tuple((end - start) / (0.92 * 0.29)) for start, end in hands]
    expected = [tuple(table[pos, 2 * i : 2 * i + 2].tolist()) for i in (0, 4) for pos in range(3)]
    np.testing.assert_allclose(ends, expected, atol=1e-6)
    colors = {text.get_text(): text.get_color() for text in ax.texts}
    assert colors["trees"] == style.chip("trees")["color"] and colors["fish"] == style.INK
    wedges = [patch for patch in ax.patches if isinstance(patch, Wedge)]
    turned = [(patch.theta2 - patch.theta1) % 360 for patch in wedges[:3]]
    np.testing.assert_allclose(turned, np.degrees([0, 1, 2]), atol=1e-4)


def test_arcs_of_a_clock_are_the_way_from_one_hand_to_the_other():
    figure = plots._positions_clocks(positional_encoding(11, 14), (0, 1), start=0, other=5, step=2)
    for ax, i in zip(figure.axes, (0, 1), strict=True):
        arcs = [patch for patch in ax.patches if isinstance(patch, Arc)]
        for arc in arcs:
            assert (arc.theta2 - arc.theta1) % 360 == pytest.approx(
                math.degrees(2 / 10_000 ** (2 * i / 14)), abs=1e-3
            )
        assert len(arcs) == 2


def test_dot_products_are_divided_by_the_square_length():
    table = positional_encoding(11, 14)
    narrow = positional_encoding(11, 6)
    map_, wide = plots._positions_similarity(table, narrow).axes
    products = map_.images[0].get_array()
    np.testing.assert_allclose(np.diag(products), 1, rtol=1e-6)
    np.testing.assert_allclose(products, table @ table.T / 7, atol=1e-6)
    for away in range(11):
        np.testing.assert_allclose(np.diag(products, away), products[0, away], atol=1e-6)
    few = wide.child_axes[-1]
    for ax, alike in ((wide, products), (few, (narrow @ narrow.T / 3).numpy())):
        curve, (dot,) = ax.lines[0], ax.lines[1].get_xydata()
        np.testing.assert_allclose(curve.get_ydata(), alike[0], atol=1e-6)
        assert dot[1] == pytest.approx(alike[0][int(dot[0])], abs=1e-6)
        said = [text.get_text() for text in ax.texts]
        assert f"distance {dot[0]:.0f}: {dot[1]:.2f}" in said


# --- sums ---


def test_one_word_at_two_positions_gives_two_different_sums():
    strips = [
        np.ravel(image.get_array()) for image in FIGURES["positions-sum"].draw().axes[0].images
    ]
    word, one, two, sum_1, sum_2, difference = strips[:6]
    for place, total in ((one, sum_1), (two, sum_2)):
        np.testing.assert_allclose(total, word + place, atol=1e-6)
    np.testing.assert_allclose(difference, sum_2 - sum_1, atol=1e-6)
    assert np.abs(difference).max() > 0.5


def test_the_end_token_fades_and_trees_does_not():
    strips = [np.ravel(i.get_array()) for i in FIGURES["positions-end-sign"].draw().axes[0].images]
    (word, _, its_sum), (end, place, what_is_left) = strips[:3], strips[3:6]

    def cosine(one, other) -> float:
        return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))

    assert cosine(word, its_sum) > 0.85 and cosine(end, what_is_left) < 0.3
    assert cosine(end, place) < -0.75, "its row points against the position"
    median = [float(np.median(np.abs(np.asarray(row)))) for row in (end, what_is_left)]
    assert median[1] < 0.5 * median[0]


def test_input_vectors_carry_their_words_and_sums():
    words, table = torch.full((2, 6), 1.04), torch.full((2, 6), -0.46)
    ax = plots._input_vectors(["one", "two"], words, table, "title").axes[0]
    texts = [text.get_text() for text in ax.texts]
    assert {"one", "two", "position 0", "position 1", "encoder layer 0"} <= set(texts)
    assert [texts.count(number) for number in ("1.0", "\N{MINUS SIGN}0.5", "0.5")] == [8, 8, 8]
    colors = [patch.get_facecolor() for patch in ax.patches]
    filled = colors.count(mpl.colors.to_rgba(style.ENCODER))
    assert filled == 1, "the bottom of the encoder, and nothing else"


def written_numbers(name: str) -> list[float]:
    texts = [text.get_text() for text in FIGURES[name].draw().axes[0].texts]
    return [float(t.replace("\N{MINUS SIGN}", "-")) for t in texts if t[-2:-1] == "."]


def test_the_numbers_that_one_reads_add_up():
    words, places, totals = np.reshape(written_numbers("positions-input"), (3, -1))
    np.testing.assert_allclose(words + places, totals, atol=1e-9)


def test_both_sides_add_the_same_positions():
    model = load_model(SHIPPED_MODEL)
    assert torch.equal(model.src_positions.table, model.tgt_positions.table)
    numbers = np.array(written_numbers("positions-output-side"))
    places, above, spanish, below, english = np.split(numbers, np.cumsum([10, 10, 10, 8]))
    np.testing.assert_allclose(places + spanish, above, atol=1e-9)
    np.testing.assert_allclose(places[:8] + english, below, atol=1e-9)


def test_rows_of_one_word_stand_together():
    first, second = torch.randn(3, 5), torch.randn(3, 5)
    ax = plots._rows_in_pairs("abc", ("x", "y"), {"only": (first, second)}).axes[0]
    rows = np.concatenate([image.get_array() for image in ax.images[:6]])
    np.testing.assert_allclose(rows[0::2], first)
    np.testing.assert_allclose(rows[1::2], second)
    texts = {text.get_text(): text.get_position() for text in ax.texts}
    assert {"in “x”", "in “y”", "only: different in each order"} <= set(texts)
    again = plots._rows_in_pairs("abc", ("x", "y"), {"only": (first, first)}).axes[0]
    assert "only: the same in each order" in [text.get_text() for text in again.texts]
    for row, text in enumerate(t for t in ax.texts if t.get_text().startswith("in ")):
        low, high = ax.images[row].get_extent()[2:]
        assert low < text.get_position()[1] < high, "beside its row"


def test_no_two_positions_are_alike():
    table = positional_encoding(100, 128)
    assert torch.cdist(table, table).fill_diagonal_(9).min() > 1


# --- measurements ---


def test_lengths_copied_are_means_over_seeds_with_a_mark_for_each_beyond_training():
    kinds = ("paper", "tensor2tensor", "learned", "none")
    results = [
        {"kind": kind, "seed": seed, "length": length, "exact": seed / 2}
        for kind in kinds
        for seed in (0, 1, 2)
        for length in (1, 2, 3)
    ]
    ax = plots._lengths_copied(results, trained_to=2)
    assert len(ax.lines) == 4
    for line in ax.lines:
        np.testing.assert_allclose(line.get_ydata(), [0.5, 0.5, 0.5])
    for points in ax.collections:
        np.testing.assert_allclose(points.get_offsets(), [(3, 0), (3, 0.5), (3, 1)])
    assert len(ax.collections) == 3, "none for the backdrop without positions"
    assert sum(text.get_text().endswith(": 50 %") for text in ax.texts) == 3


def test_padding_is_what_is_left_of_each_row():
    figure = plots._padding_picture({"some": [3, 1, 2], "equal": [2, 2]})
    some, equal = figure.axes
    words = np.asarray(some.collections[0].get_array()).reshape(3, 3) > 0.5
    assert words.sum(axis=1).tolist() == [3, 1, 2]
    assert some.get_title() == "some:\n33 % of the batch is padding"
    assert equal.get_title() == "equal:\n0 % of the batch is padding"


def test_the_explorer_computes_the_papers_formula_by_itself():
    spec = plots._positions_explorer().to_dict()
    assert {"d_model", "exponent", "chosen"} <= {param["name"] for param in spec["params"]}
    text = json.dumps(spec)
    assert "pow(10, -exponent * 2 * floor(datum.dimension / 2) / d_model)" in text
    assert "datum.dimension % 2 == 0 ? sin(datum.position * datum.rate)" in text


def test_the_batches_of_the_picture_have_the_padding_that_all_batches_have():
    lengths, ways = two_ways()
    for batches in ways.values():
        places = sum(len(batch) * max(lengths[i] for i in batch) for batch in batches)
        drawn = _usual_batch(batches, lengths)
        of_all, of_one = 1 - sum(lengths) / places, 1 - sum(drawn) / len(drawn) / max(drawn)
        assert abs(of_one - of_all) < 0.005 and f"{of_one:.0%}" == f"{of_all:.0%}"


def test_no_two_rows_are_alike():
    table = positional_encoding(100, 128)
    apart = torch.cdist(table, table) + 9 * torch.eye(100)
    assert apart.min() > 1
