"""Numbers for figures: the same on every machine."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import torch

from course.drawing.values import as_array, steady_round


def test_the_last_bits_decide_nothing():
    for fraction in [1 / 8, 3 / 8, 5 / 8, 0.005, 0.385, -1 / 8, 0.0, 1.0, 1 / 16]:
        noise = np.array([-1e-6, -1e-9, 0.0, 1e-9, 1e-6])
        for decimals in (1, 2, 3):
            assert len({steady_round(fraction + error, decimals) for error in noise}) == 1


def test_a_figure_and_the_cell_above_it_print_the_same():
    """With up to two digits more in the cell; what ends in 5 goes away from zero."""
    for decimals in [0, 1, 2, 3]:
        fine = 10 ** (decimals + 2)
        for step in range(-3 * fine // 10**decimals, 3 * fine // 10**decimals + 1, 7):
            value = step / fine
            exact = Decimal(step) / fine
            school = exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
            assert steady_round(value, decimals) == float(school), value
            assert steady_round(-value, decimals) == -steady_round(value, decimals)


def test_tensors_of_any_kind_become_doubles():
    tensor = torch.tensor([[0.5, 0.25]], requires_grad=True)
    for values in (tensor, tensor.bfloat16(), [[0.5, 0.25]], np.array([[0.25, 0.5]])[:, ::-1]):
        array = as_array(values)
        assert array.dtype == np.float64 and array.tolist() == [[0.5, 0.25]]
