"""The numbers of a figure: taken from tensors, and rounded alike on every machine."""

import math
from typing import Any

import numpy as np
import torch


def as_array(values: Any) -> np.ndarray:
    """A tensor (of any device and type), an array or lists -> an array of doubles."""
    if isinstance(values, torch.Tensor):
        return values.detach().cpu().double().numpy()
    return np.asarray(values, float)


def steady_round(value: float, decimals: int = 2) -> float:
    """Round as one does at school, and the same on every machine: 1/8 gives 0.13, -1/8 gives -0.13.

    0.125 lies on the edge between 0.12 and 0.13, and its last bit, which differs from machine to
    machine, would decide. Attention is full of such values (1/8, 3/8). So the edge is moved a
    little towards zero, by 0.2 % of the last digit: far more than a last bit, and too little for
    anybody to see, for 0.1249 still gives 0.12.
    """
    size = round(abs(float(value)) + 0.002 * 10.0**-decimals, decimals)
    return math.copysign(size, value) if size else 0.0  # never -0.0


def written(value: float, decimals: int) -> str:
    """A number as it is printed in a cell: rounded, with a true minus sign."""
    return f"{steady_round(value, decimals):.{decimals}f}".replace("-", "\N{MINUS SIGN}")
