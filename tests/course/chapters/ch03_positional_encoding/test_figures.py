"""Position vectors: as clock hands, as waves, as a heat map, and compared."""

import math

import numpy as np
import pytest
import torch
from matplotlib.patches import Rectangle

from course.chapters.ch03_positional_encoding.experiments import rows_of
from course.chapters.ch03_positional_encoding.figures import wavelengths
from course.drawing.registry import FIGURES
from course.experiments import load
from course.experiments.digit_training import DIGITS
from transformer_lib.model.embedding import positional_encoding


def maps_of(name: str) -> list[np.ndarray]:
    """The colored cells of a figure, in the order in which they are drawn."""
    return [np.asarray(image.get_array()) for image in drawn(name).images]


def drawn(name: str):
    return FIGURES[name].draw().axes[0]


def texts_of(name: str) -> list[str]:
    return [text.get_text() for text in drawn(name).texts]


# --- waves, clocks, dot products ---


def test_the_table_shows_the_sines_and_four_of_its_columns_as_waves():
    sines = positional_encoding(40, 512)[:, ::2]
    np.testing.assert_allclose(maps_of("positions-table")[0], sines)
    lines = [np.asarray(line.get_xydata()) for line in drawn("positions-table").lines]
    dots = [xy[0] for xy in lines if len(xy) == 1]
    for number, pair in enumerate((0, 45, 77, 255)):
        column = np.array(dots[40 * number : 40 * (number + 1)])
        zero = 4.5 + 1.02 * number
        np.testing.assert_allclose((column[:, 0] - zero) / 0.36, sines[:, pair], atol=1e-6)
        assert (np.diff(column[:, 1]) < 0).all(), "position 0 is at the top"
    assert {"6", "32", "100", "60,611"} <= set(texts_of("positions-table"))


def test_wavelengths_are_read_from_the_table():
    expected = [2 * math.pi * 10_000 ** (2 * i / 10) for i in range(5)]
    np.testing.assert_allclose(wavelengths(positional_encoding(3, 10)), expected, rtol=1e-5)


def test_dot_products_are_divided_by_the_square_length():
    table = positional_encoding(41, 512)
    map_, curve = FIGURES["positions-dot-products"].draw().axes
    products = map_.images[0].get_array()
    np.testing.assert_allclose(np.diag(products), 1, rtol=1e-6)
    np.testing.assert_allclose(products, table @ table.T / 256, atol=1e-6)
    for away in range(41):
        np.testing.assert_allclose(np.diag(products, away), products[0, away], atol=1e-6)
    line, (dot,) = curve.lines[0], curve.lines[1].get_xydata()
    np.testing.assert_allclose(line.get_ydata(), products[0], atol=1e-6)
    assert dot[1] == pytest.approx(products[0][10], abs=1e-6)
    said = [text.get_text() for ax in (map_, curve) for text in ax.texts]
    assert {"3 and 13", "13 and 23", "10 apart: 0.68", "0.68 everywhere"} <= set(said)


# --- sums ---


def test_input_vectors_carry_their_words_and_sums():
    texts = texts_of("positions-input")
    wanted = {"I", "like", "trees", "<eos>", "position 0", "position 3", "encoder layer 0"}
    assert wanted <= set(texts)
    words, places, totals = np.array(maps_of("positions-input")[:12]).reshape(3, 4, 4)
    np.testing.assert_allclose(words + places, totals, atol=1e-9)


def written_numbers(name: str) -> list[float]:
    texts = [text.get_text() for text in FIGURES[name].draw().axes[0].texts]
    return [float(t.replace("\N{MINUS SIGN}", "-")) for t in texts if t[-2:-1] == "."]


def test_the_numbers_that_one_reads_add_up():
    words, places, totals = np.reshape(written_numbers("positions-input"), (3, -1))
    np.testing.assert_allclose(words + places, totals, atol=1e-9)


def test_only_with_positions_does_the_order_make_a_difference():
    one, other, apart, another, last, difference = map(np.ravel, maps_of("positions-shuffled")[:6])
    np.testing.assert_allclose(one, other, atol=1e-4)
    assert not apart.any() and "no number differs" in texts_of("positions-shuffled")
    np.testing.assert_allclose(difference, another - last)
    assert np.abs(difference).min() > 0.1


def test_no_two_positions_are_alike():
    table = positional_encoding(100, 128)
    assert torch.cdist(table, table).fill_diagonal_(9).min() > 1


# --- measurements ---


def test_lengths_copied_are_means_over_seeds():
    results, ax = load("positions")["results"], drawn("positions-learned")
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    pairs = [(kind, length) for length in (9, 10, 11, 12) for kind in ("paper", "learned")]
    for (kind, length), whole, bar in zip(pairs, bars[::2], bars[1::2], strict=True):
        runs = [row["exact"] for row in results if (row["kind"], row["length"]) == (kind, length)]
        assert len(runs) == 3 and bar.get_width() / whole.get_width() == pytest.approx(
            np.mean(runs)
        )
    said = [text for text in texts_of("positions-learned") if text.endswith("%")]
    assert said == ["100%", "100%", "99%", "98%", "46%", "0%", "2%", "0%"]
    digits = [text for text in texts_of("positions-learned") if len(text) == 1]
    wanted = [DIGITS.decode(rows_of(length, 1)[0]) for length in (9, 10, 11, 12)]
    assert digits == ["9", *sum(wanted, [])], "the length of the first row, and the rows"
