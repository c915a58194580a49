"""Positions by other means than vectors added to the embeddings.

`Rotary` and `QKNorm` change queries and keys before they are multiplied; `ALiBi`,
`RelativePositions` and `Window` add a number for the distance to each score (`ModernAttention`).
"""

import math

import torch
from torch import Tensor, nn

from transformer_lib.checks import number, whole
from transformer_lib.model.embedding import positional_encoding
from transformer_lib.variants.rms_norm import RMSNorm


class NoPositions(nn.Module):
    """Instead of `PositionalEncoding`: x (b, s, d_model) -> Dropout(x), without any positions."""

    def __init__(self, dropout: float = 0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        return self.dropout(x)


class Rotary(nn.Module):
    """Rotate each pair of numbers of q and k by an angle that grows with the position (RoPE).

    (x_2i, x_2i+1) at position pos rotates by pos / base^(2i / d_k)  (Su et al. 2021, Equation 15).

    q (b, h, q, d_k), k (b, kv_heads, k, d_k) -> the same shapes. The angles are those of the
    paper's positions, but here they rotate the vector instead of being added to it. If q and k are
    rotated by their positions, their product is as if one were rotated by the difference: a score
    depends on how far apart two words are, not on where they are. Llama pairs x_i with
    x_(i + d_k / 2), which is the same in another order.
    """

    table: Tensor

    def __init__(self, d_k: int, base: float = 10_000.0):
        super().__init__()
        whole("d_k", d_k, 2)
        number("base", base)
        if d_k % 2 or base <= 0:
            raise ValueError(f"d_k={d_k} must be even, and base={base} more than 0")
        self.d_k, self.base = d_k, base
        self.register_buffer("table", positional_encoding(256, d_k, base), persistent=False)

    def extra_repr(self) -> str:
        return f"{self.d_k}, base={self.base}"

    def forward(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return self.rotate(q, start=k.size(2) - q.size(2)), self.rotate(k)

    def rotate(self, x: Tensor, start: int = 0) -> Tensor:
        """(b, h, s, d_k), whose first word is at position `start` -> the same shape."""
        end = start + x.size(2)
        if end > len(self.table):
            with torch.inference_mode(False):  # a table made inside couldn't be trained with later
                self.table = positional_encoding(2 * end, self.d_k, self.base).to(self.table)
        sin, cos = self.table[start:end].to(x.dtype).unflatten(-1, (-1, 2)).unbind(dim=-1)
        first, second = x.unflatten(-1, (-1, 2)).unbind(dim=-1)  # (b, h, s, d_k / 2) each
        turned = [first * cos - second * sin, first * sin + second * cos]
        return torch.stack(turned, dim=-1).flatten(-2)


class QKNorm(nn.Module):
    """RMSNorm(q), RMSNorm(k), each head by itself: the learned scales bound the scores.

    q (b, h, q, d_k), k (b, kv_heads, k, d_k) -> the same shapes. Henry et al. 2020; so in Qwen3.
    """

    def __init__(self, d_k: int):
        super().__init__()
        self.q_norm, self.k_norm = RMSNorm(d_k), RMSNorm(d_k)

    def forward(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return self.q_norm(q), self.k_norm(k)


class ALiBi(nn.Module):
    """-m_i * distance, with the slope m_i = 2^(-8 i / h) in head i = 1 ... h  (Press et al. 2022).

    distance (q, k) -> (h, q, k). Nothing is learned. The first heads favor near words most.
    """

    slopes: Tensor

    def __init__(self, h: int):
        super().__init__()
        whole("h", h)
        slopes = 2.0 ** (-8 * torch.arange(1, h + 1) / h)
        self.register_buffer("slopes", slopes[:, None, None], persistent=False)

    def extra_repr(self) -> str:
        return f"{len(self.slopes)}"

    def forward(self, distance: Tensor) -> Tensor:
        return -self.slopes * distance.abs()


class RelativePositions(nn.Module):
    """A learned number for each head and each bucket of distances (T5: Raffel et al. 2020, 2.1).

    distance (q, k) -> (h, q, k). bidirectional: half of the buckets are for later words, as in an
    encoder; without it, all are for earlier ones. In each direction, the nearest half of the
    buckets hold one distance each, the others more and more, up to max_distance words. T5 shares
    one table in a stack's layers: give each the same part. ValueError below 2 buckets each way.
    """

    def __init__(self, h: int, bidirectional: bool, num_buckets: int = 32, max_distance: int = 128):
        super().__init__()
        self.directions = 2 if bidirectional else 1
        whole("h", h)
        whole("num_buckets", num_buckets, 2 * self.directions)
        whole("max_distance", max_distance)
        self.table = nn.Parameter(torch.zeros(num_buckets, h))
        self.max_distance = max_distance

    def extra_repr(self) -> str:
        buckets, h = self.table.shape
        return f"{h}, num_buckets={buckets}, max_distance={self.max_distance}"

    def forward(self, distance: Tensor) -> Tensor:
        return self.table[self.bucket(distance)].permute(2, 0, 1)

    def bucket(self, distance: Tensor) -> Tensor:
        """(q, k) distances -> (q, k) bucket numbers."""
        buckets = len(self.table) // self.directions
        single = buckets // 2  # buckets of one distance
        later = (distance < 0).long() * (self.directions - 1) * buckets
        far = distance.abs() if self.directions == 2 else distance.clamp(min=0)
        growth = (far.clamp(min=1) / single).log() / math.log(self.max_distance / single)
        wide = (single + (growth * (buckets - single)).long()).clamp(max=buckets - 1)
        return later + torch.where(far < single, far, wide)


class Window(nn.Module):
    """0 within `width` words, the word itself included, and -inf beyond: sliding-window attention.

    distance (q, k) -> (q, k). Longformer (Beltagy et al. 2020), Mistral (Jiang et al. 2023).
    In N layers, a word gets information from (width - 1) * N words away. ValueError if width < 1.
    """

    def __init__(self, width: int):
        super().__init__()
        whole("width", width)  # a word sees at least itself
        self.width = width

    def extra_repr(self) -> str:
        return f"{self.width}"

    def forward(self, distance: Tensor) -> Tensor:
        hidden = distance.abs() >= self.width
        return torch.zeros(distance.shape, device=distance.device).masked_fill(hidden, -math.inf)
