"""The numbers of a figure: taken from tensors, and rounded so that they stay the same."""

from typing import Any

import numpy as np
import torch


def as_array(values: Any) -> np.ndarray:
    """A tensor (of any device and type), an array or lists -> an array of doubles."""
    if isinstance(values, torch.Tensor):
        return values.detach().cpu().double().numpy()
    return np.asarray(values, float)


def steady_round(value: float, decimals: int = 2) -> float:
    """Round, but let 1/8 give 0.13 on every machine.

    0.125 lies on the edge between 0.12 and 0.13, and its last bit, which differs from machine to
    machine, would decide. Attention is full of such values (1/8, 3/8). So everything is moved up
    by 3 % of the last digit first: now the edge lies where no simple fraction does.
    """
    return round(float(value) + 0.03 * 10.0**-decimals, decimals) + 0.0  # + 0.0: never -0.0
