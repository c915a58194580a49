"""Attention: each query is compared with the keys, and gets a weighted mean of their values.

Letters: b batch, h heads, q query positions, k key positions, d_k = d_model / h.
Masks are boolean and broadcast to (b, h, q, k); True = may attend.
"""

import math

import torch
from torch import Tensor, nn

from transformer_lib.checks import whole


def attention_weights(query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
    """softmax(Q K^T / sqrt(d_k)): how much each query looks at each key (Equation 1, left part).

    query (..., q, d_k), key (..., k, d_k) -> (..., q, k). Each row sums to 1; a row whose keys are
    all masked is all zeros.
    """
    d_k = query.size(-1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(d_k)
    if mask is None:
        return scores.softmax(dim=-1)
    # The most negative finite number, not -inf: a row without any key would turn into NaN.
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights * mask.any(dim=-1, keepdim=True)  # such a row has no weights at all


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V  (Equation 1).

    query (..., q, d_k), key (..., k, d_k), value (..., k, d_v) -> (..., q, d_v).
    The same numbers as PyTorch's `scaled_dot_product_attention`, which on a CPU is hardly faster
    for sentences under 128 words (see docs/scaling.md), so we run the formula itself.
    """
    return attention_weights(query, key, mask) @ value


class Attention(nn.Module):
    """`attention` as a part of a model, so that its weights can be recorded and changed.

    Other kinds of attention are subclasses that compute their `weights` differently (`variants`).
    """

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        return attention(query, key, value, mask)

    def weights(self, query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
        """query (b, h, q, d_k), key (b, h, k, d_k) -> (b, h, q, k)."""
        return attention_weights(query, key, mask)


class MultiHeadAttention(nn.Module):
    """MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O  (section 3.2.2).

    head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V). All heads are projected by one matrix: its i-th
    block of d_k outputs is W_i. No biases, as in the paper. ValueError unless h divides d_model.

    query (b, q, d_model), key and value (b, k, d_model) -> (b, q, d_model).
    """

    def __init__(self, d_model: int, h: int):
        super().__init__()
        whole("d_model", d_model)
        whole("h", h)
        if d_model % h:
            raise ValueError(f"d_model={d_model} must be divisible by h={h}")
        self.h = h
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention()

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, mask: Tensor | None = None
    ) -> Tensor:
        q = self.split_heads(self.w_q(query))  # (b, h, q, d_k)
        k = self.split_heads(self.w_k(key))  # (b, h, k, d_k)
        v = self.split_heads(self.w_v(value))
        return self.w_o(self.merge_heads(self.attention(q, k, v, mask)))

    def split_heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)  # (b, s, d_model) -> (b, h, s, d_k)

    def merge_heads(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).flatten(2)  # (b, h, s, d_k) -> (b, s, d_model)
