"""The norm that doesn't subtract the mean."""

import torch
from torch import Tensor, nn

from transformer_lib.checks import whole


class RMSNorm(nn.Module):
    """x / sqrt(mean of x^2 + eps) * scale  (Zhang and Sennrich 2019, Equation 4).

    (…, d_model) -> the same shape. Unlike layer norm, it subtracts no mean and adds no shift.
    """

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        whole("d_model", d_model)
        self.scale = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def extra_repr(self) -> str:
        return f"{len(self.scale)}, eps={self.eps}"

    def forward(self, x: Tensor) -> Tensor:
        mean_square = x.square().mean(dim=-1, keepdim=True)
        return x * (mean_square + self.eps).rsqrt() * self.scale
