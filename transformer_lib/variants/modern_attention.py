"""Attention as newer models have it: the paper's, open in three places."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from transformer_lib.interpret.recording import weights_and_values
from transformer_lib.model.attention import MultiHeadAttention


def biased_attention_weights(
    query: Tensor, key: Tensor, bias: Tensor, mask: Tensor | None = None
) -> Tensor:
    """softmax(Q K^T / sqrt(d_k) + bias): a bias of -inf hides a key, as the mask does.

    query (..., q, d_k), key (..., k, d_k), bias stretchable to (..., q, k) -> (..., q, k). Each row
    sums to 1, or holds zeros only if it has no key to see.
    """
    visible = bias > -math.inf
    visible = visible if mask is None else visible & mask
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1)) + bias
    weights = scores.masked_fill(~visible, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights * visible.any(dim=-1, keepdim=True)


class ModernAttention(MultiHeadAttention):
    """Multi-head attention that can be changed in three places; unchanged, it is the paper's.

    head_i = softmax(q'_i k'_i^T / sqrt(d_k) + bias_i) V_i, where q', k' = before(q, k).

    kv_heads: heads of keys and values, each for h / kv_heads heads of queries. h is the paper;
        1 is multi-query (Shazeer 2019); between is grouped-query attention (Ainslie et al. 2023).
    before: parts that take queries (b, h, q, d_k) and keys (b, kv_heads, k, d_k) and give them
        back changed, one after the other: `Rotary`, `QKNorm`.
    biases: parts that take distances (q, k), in words, and give what is added to the scores,
        (q, k) or (h, q, k): `ALiBi`, `RelativePositions`, `Window`.

    query (b, q, d_model), key and value (b, k, d_model) -> (b, q, d_model). The last query stands
    where the last key stands, as in self-attention with a cache and without; attention to a memory
    knows no distances, so there only kv_heads and `QKNorm` fit.
    """

    def __init__(
        self,
        d_model: int,
        h: int,
        kv_heads: int | None = None,
        *,
        before: Sequence[nn.Module] = (),
        biases: Sequence[nn.Module] = (),
    ):
        super().__init__(d_model, h)
        self.kv_heads = h if kv_heads is None else kv_heads
        if self.kv_heads < 1 or h % self.kv_heads:
            raise ValueError(f"h={h} must be divisible by kv_heads={self.kv_heads}")
        width = d_model // h * self.kv_heads
        self.w_k = nn.Linear(d_model, width, bias=False)
        self.w_v = nn.Linear(d_model, width, bias=False)
        self.before = nn.ModuleList(before)
        self.biases = nn.ModuleList(biases)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, mask: Tensor | None = None, cache=None
    ) -> Tensor:
        q = self.split_heads(self.w_q(query))  # (b, h, q, d_k)
        # The cache keeps keys as they are before `before`: whatever that is, it works with a cache.
        k, v = self.keys_and_values(key, value) if cache is None else cache.read(self, key, value)
        return self.w_o(self.merge_heads(self.weights(q, k, mask) @ self.for_all_heads(v)))

    def weights(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        """(b, h, q, d_k), (b, kv_heads, k, d_k) -> (b, h, q, k)."""
        for change in self.before:
            q, k = change(q, k)
        places = torch.arange(k.size(2), device=k.device)
        distance = places[-q.size(2) :, None] - places  # (q, k): 0 at itself, 1 at the word before
        bias = sum((part(distance) for part in self.biases), q.new_zeros(1))
        return biased_attention_weights(q, self.for_all_heads(k), bias, mask)

    def keys_and_values(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        k, v = self.w_k(key), self.w_v(value)
        heads = (self.kv_heads, -1)
        return k.unflatten(-1, heads).transpose(1, 2), v.unflatten(-1, heads).transpose(1, 2)

    def for_all_heads(self, x: Tensor) -> Tensor:
        """(b, kv_heads, k, d_k) -> (b, h, k, d_k): neighboring heads of queries share one."""
        return x.repeat_interleave(self.h // self.kv_heads, dim=1)


@weights_and_values.register
def _(layer: ModernAttention, query, key, value, *, mask=None, cache=None):
    k, v = layer.keys_and_values(key, value) if cache is None else cache.current()
    q = layer.split_heads(layer.w_q(query))
    return layer.weights(q, k, mask), layer.for_all_heads(v)
