"""What an encoder layer and a decoder layer are built of, besides attention."""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lib.checks import whole


class PositionwiseFeedForward(nn.Module):
    """FFN(x) = max(0, x W_1 + b_1) W_2 + b_2  (Equation 2).  (b, s, d_model) -> the same shape.

    The same small network at each position; it mixes the numbers of one word, never two words.
    """

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        whole("d_model", d_model)
        whole("d_ff", d_ff)
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(F.relu(self.w_1(x)))


class SublayerConnection(nn.Module):
    """Residual connection of a sub-layer ("Add & Norm", Figure 1): x (b, s, d_model) -> same shape.

    norm_first=False:  LayerNorm(x + Dropout(Sublayer(x)))   post-norm, the paper (section 3.1)
    norm_first=True:   x + Dropout(Sublayer(LayerNorm(x)))   pre-norm, most newer models
    """

    def __init__(self, d_model: int, dropout: float, norm_first: bool = False):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


def final_norm(d_model: int, norm_first: bool) -> nn.Module:
    """The end of a stack: with pre-norm, its last sum isn't normalized yet, so one norm follows."""
    return nn.LayerNorm(d_model) if norm_first else nn.Identity()


def initialize(model: nn.Module) -> None:
    """Xavier's uniform numbers for the matrix of each `nn.Linear` (Glorot and Bengio 2010).

    Between -a and a, a = sqrt(6 / (in + out)), so that signals keep their size on the way up and
    gradients on the way down. The model calls it once all parts are made, and no part by itself:
    then a seed's numbers would be drawn in another order, and no stored run could be repeated.
    """
    for part in model.modules():
        if isinstance(part, nn.Linear):
            nn.init.xavier_uniform_(part.weight)
