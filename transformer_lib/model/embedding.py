"""Ids -> vectors: which word it is, and where it stands (sections 3.4 and 3.5)."""

import math

import torch
from torch import Tensor, nn

from transformer_lib.checks import whole


def one_hot(ids: Tensor, vocab_size: int) -> Tensor:
    """(…) ids -> (…, vocab_size): 1 at the word's number, 0 elsewhere; ValueError for other ids."""
    whole("vocab_size", vocab_size)
    if ids.numel() and not 0 <= int(ids.min()) <= int(ids.max()) < vocab_size:
        raise ValueError(
            f"ids must lie between 0 and {vocab_size - 1}, but they run from "
            f"{int(ids.min())} to {int(ids.max())}"
        )
    zeros = torch.zeros(*ids.shape, vocab_size, device=ids.device)
    return zeros.scatter_(-1, ids.unsqueeze(-1), 1.0)


def positional_encoding(length: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """PE(pos, 2i) = sin(pos / base^(2i / d_model)), PE(pos, 2i+1) = cos(the same)  (section 3.5).

    -> (length, d_model). Positions count from 0, i from 0 to d_model/2 - 1. Each pair of columns
    turns like a clock's hand, once in 2 pi to almost base * 2 pi positions. ValueError if d_model
    is odd.
    """
    angles = _angles(length, d_model, base, d_model / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).float()  # sin, cos, sin ...


def tensor2tensor_encoding(length: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """The variant of the authors' own code (Tensor2Tensor) -> (length, d_model).

    Unlike the paper's, it has all sines first, then all cosines. Its slowest pair takes the full
    base * 2 pi positions: i is divided by d_model/2 - 1. ValueError if d_model is odd or below 4.
    """
    if d_model < 4:
        raise ValueError(f"d_model={d_model} must be at least 4 for the Tensor2Tensor encoding")
    angles = _angles(length, d_model, base, d_model / 2 - 1)
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


def _angles(length: int, d_model: int, base: float, steps: float) -> Tensor:
    """pos / base^(i / steps) for i = 0 ... d_model/2 - 1, in double precision."""
    if d_model % 2:
        raise ValueError(f"d_model={d_model} must be even: each sine has its cosine")
    positions = torch.arange(length, dtype=torch.float64)[:, None]
    i = torch.arange(d_model // 2, dtype=torch.float64)
    return positions / base ** (i / steps)


COMPUTED_ENCODINGS = {"paper": positional_encoding, "tensor2tensor": tensor2tensor_encoding}


class Embeddings(nn.Module):
    """embedding(word) * sqrt(d_model)  (section 3.4).  (b, s) ids -> (b, s, d_model).

    The table starts with numbers of size 1/sqrt(d_model), so that it can serve as the generator's
    matrix too; the factor brings them to size 1, the size of the positions that are added next.
    """

    def __init__(self, vocab_size: int, d_model: int):
        super().__init__()
        whole("vocab_size", vocab_size)
        self.table = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.table.weight, std=d_model**-0.5)
        self.scale = math.sqrt(d_model)

    def forward(self, ids: Tensor) -> Tensor:
        return self.table(ids) * self.scale


class PositionalEncoding(nn.Module):
    """Dropout(x + position vectors)  (section 3.5, and 5.4 for the dropout).

    x (b, s, d_model) -> the same shape. start: position of the first word of x in its sentence.
    """

    table: Tensor

    def __init__(self, d_model: int, dropout: float, kind: str = "paper"):
        super().__init__()
        if kind not in COMPUTED_ENCODINGS:
            raise ValueError(f"kind={kind!r} must be one of {', '.join(COMPUTED_ENCODINGS)}")
        self.d_model = d_model
        self.encoding = COMPUTED_ENCODINGS[kind]
        self.dropout = nn.Dropout(dropout)
        # Computed, not learned: it moves with the model but isn't saved, and grows when needed.
        self.register_buffer("table", self.encoding(256, d_model), persistent=False)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        end = start + x.size(1)
        if end > len(self.table):
            with torch.inference_mode(False):  # a table made inside couldn't be trained with later
                self.table = self.encoding(2 * end, self.d_model).to(self.table)
        return self.dropout(x + self.table[start:end])


class LearnedPositions(nn.Module):
    """Dropout(x + a trained vector for each position): row E of Table 3 in the paper.

    x (b, s, d_model) -> the same shape. Raises ValueError for a position of max_length or more.
    """

    def __init__(self, d_model: int, dropout: float, max_length: int = 256):
        super().__init__()
        whole("max_length", max_length)
        self.dropout = nn.Dropout(dropout)
        self.table = nn.Parameter(torch.randn(max_length, d_model) * d_model**-0.5)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        end = start + x.size(1)
        if end > len(self.table):
            raise ValueError(
                f"a sentence of {end} words is too long: positions were learned "
                f"only up to {len(self.table)}"
            )
        return self.dropout(x + self.table[start:end])
