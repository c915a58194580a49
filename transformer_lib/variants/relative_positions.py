"""Where a word stands, told in other ways than by a vector added at the bottom.

`Rotary` and `QKNorm` change queries and keys before they meet; `ALiBi`, `RelativePositions` and
`Window` add to the scores what the distance of two words says. See `ModernAttention`.
"""

import math

import torch
from torch import Tensor, nn

from transformer_lib.model.embedding import positional_encoding
from transformer_lib.variants.rms_norm import RMSNorm


class NoPositions(nn.Module):
    """In the place of `PositionalEncoding`: Dropout(x), so that no word knows where it stands."""

    def __init__(self, dropout: float = 0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        return self.dropout(x)


class Rotary(nn.Module):
    """Turn each pair of numbers of q and k by an angle that grows with the position (RoPE).

    (x_2i, x_2i+1) at position pos turns by pos / base^(2i / d_k)  (Su et al. 2021, Equation 15).

    q (b, h, q, d_k), k (b, kv_heads, k, d_k) -> the same shapes. The hands of the clock are those
    of the paper's positions, but here they turn the word instead of being added to it. Two words
    turned by their positions meet as if one was turned by the difference: a score knows how far
    apart they are, not where. Llama pairs x_i with x_(i + d_k / 2): the same, in another order.
    """

    table: Tensor

    def __init__(self, d_k: int, base: float = 10_000.0):
        super().__init__()
        self.d_k, self.base = d_k, base
        self.register_buffer("table", positional_encoding(256, d_k, base), persistent=False)

    def forward(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return self.turn(q, start=k.size(2) - q.size(2)), self.turn(k)

    def turn(self, x: Tensor, start: int = 0) -> Tensor:
        """(b, h, s, d_k), whose first word stands at position `start` -> the same shape."""
        end = start + x.size(2)
        if end > len(self.table):
            self.table = positional_encoding(2 * end, self.d_k, self.base).to(self.table)
        sin, cos = self.table[start:end].to(x.dtype).unflatten(-1, (-1, 2)).unbind(dim=-1)
        first, second = x.unflatten(-1, (-1, 2)).unbind(dim=-1)  # (b, h, s, d_k / 2) each
        turned = [first * cos - second * sin, first * sin + second * cos]
        return torch.stack(turned, dim=-1).flatten(-2)


class QKNorm(nn.Module):
    """RMSNorm(q), RMSNorm(k), each head by itself: the learned scales bound the scores.

    q (b, h, q, d_k), k (b, kv_heads, k, d_k) -> the same shapes. The idea: Henry et al. 2020; with
    RMSNorm as in Qwen3 and Gemma 3.
    """

    def __init__(self, d_k: int):
        super().__init__()
        self.q_norm, self.k_norm = RMSNorm(d_k), RMSNorm(d_k)

    def forward(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return self.q_norm(q), self.k_norm(k)


class ALiBi(nn.Module):
    """-m_i * distance, with the slope m_i = 2^(-8 i / h) in head i = 1 ... h  (Press et al. 2022).

    distance (q, k) -> (h, q, k). Nothing is learned: the first heads look near, the last ones far.
    """

    slopes: Tensor

    def __init__(self, h: int):
        super().__init__()
        slopes = 2.0 ** (-8 * torch.arange(1, h + 1) / h)
        self.register_buffer("slopes", slopes[:, None, None], persistent=False)

    def forward(self, distance: Tensor) -> Tensor:
        return -self.slopes * distance.abs()


class RelativePositions(nn.Module):
    """A learned number for each head and each bucket of distances (T5: Raffel et al. 2020, 2.1).

    distance (q, k) -> (h, q, k). both_ways: for an encoder, half of the buckets is for words that
    come later; without it, all are for earlier ones. In each direction, the near half of the
    buckets holds one distance each, the others ever more, up to `farthest` words. T5 has one such
    table for all layers of a stack: hand the same part to each of them.
    """

    def __init__(self, h: int, both_ways: bool, buckets: int = 32, farthest: int = 128):
        super().__init__()
        self.directions = 2 if both_ways else 1
        if buckets < 2 * self.directions:
            raise ValueError(f"buckets={buckets} must be {2 * self.directions} or more")
        self.table = nn.Parameter(torch.zeros(buckets, h))
        self.farthest = farthest

    def forward(self, distance: Tensor) -> Tensor:
        return self.table[self.bucket(distance)].permute(2, 0, 1)

    def bucket(self, distance: Tensor) -> Tensor:
        """(q, k) distances -> (q, k) numbers of buckets."""
        buckets = len(self.table) // self.directions
        single = buckets // 2  # buckets of one distance
        later = (distance < 0).long() * (self.directions - 1) * buckets
        far = distance.abs() if self.directions == 2 else distance.clamp(min=0)
        growth = (far.clamp(min=1) / single).log() / math.log(self.farthest / single)
        wide = (single + (growth * (buckets - single)).long()).clamp(max=buckets - 1)
        return later + torch.where(far < single, far, wide)


class Window(nn.Module):
    """0 within `width` words, itself counted, and -inf beyond: sliding-window attention.

    distance (q, k) -> (q, k). Longformer (Beltagy et al. 2020), Mistral (Jiang et al. 2023). A word
    still hears of those farther off: through N layers, of (width - 1) * N words.
    """

    def __init__(self, width: int):
        super().__init__()
        if width < 1:
            raise ValueError(f"width={width} must be 1 or more: a word sees at least itself")
        self.width = width

    def forward(self, distance: Tensor) -> Tensor:
        hidden = distance.abs() >= self.width
        return torch.zeros(distance.shape, device=distance.device).masked_fill(hidden, -math.inf)
