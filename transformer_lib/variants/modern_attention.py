"""Attention as newer models have it: the paper's, with three places where it can be changed."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.checks import said, whole
from transformer_lib.model.attention import Attention, MultiHeadAttention


def biased_attention_weights(
    query: Tensor, key: Tensor, bias: Tensor, mask: Tensor | None = None
) -> Tensor:
    """softmax(Q K^T / sqrt(d_k) + bias): a bias of -inf hides a key, as the mask does.

    query (..., q, d_k), key (..., k, d_k), bias broadcast to (..., q, k) -> (..., q, k). Each row
    sums to 1; a row whose keys are all hidden is all zeros.
    """
    visible = bias > -math.inf
    visible = visible if mask is None else visible & mask
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1)) + bias
    weights = scores.masked_fill(~visible, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights * visible.any(dim=-1, keepdim=True)


class OpenAttention(Attention):
    """The attention of `ModernAttention`: softmax(q' k'^T / sqrt(d_k) + bias) V.

    query (b, h, q, d_k), key and value (b, kv_heads, k, d_k) -> (b, h, q, d_k).
    """

    def __init__(self, qk_transforms: Sequence[nn.Module], biases: Sequence[nn.Module]):
        super().__init__()
        self.qk_transforms = nn.ModuleList(qk_transforms)
        self.biases = nn.ModuleList(biases)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        return self.weights(query, key, mask) @ repeat_kv(query.size(1), value)

    def weights(self, query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
        """(b, h, q, d_k), (b, kv_heads, k, d_k) -> (b, h, q, k)."""
        for transform in self.qk_transforms:
            query, key = transform(query, key)
        places = torch.arange(key.size(2), device=key.device)
        # (q, k): 0 at the word itself, 1 at the one before
        distance = places[-query.size(2) :, None] - places
        bias = sum((part(distance) for part in self.biases), query.new_zeros(1))
        return biased_attention_weights(query, repeat_kv(query.size(1), key), bias, mask)


def repeat_kv(h: int, x: Tensor) -> Tensor:
    """(b, kv_heads, k, d_k) -> (b, h, k, d_k): each repeated for the query heads that share it."""
    return x.repeat_interleave(h // x.size(1), dim=1)


def check_parts(
    qk_transforms: Sequence[nn.Module], biases: Sequence[nn.Module], h: int, kv_heads: int, d_k: int
) -> None:
    """Try the parts of an attention on one word; ValueError for one that doesn't fit its heads."""
    for name, parts in (("qk_transforms", qk_transforms), ("biases", biases)):
        if not isinstance(parts, Iterable):
            raise TypeError(f"{name}={said(parts)} must be a list of parts")
    q, k = torch.zeros(1, h, 1, d_k), torch.zeros(1, kv_heads, 1, d_k)
    tried: list[tuple[nn.Module, tuple[Tensor, ...], str, set[Any]]] = [
        (
            part,
            (q, k),
            f"queries of {h} heads with d_k={d_k} numbers",
            {(tuple(q.shape), tuple(k.shape))},
        )
        for part in qk_transforms
    ]
    tried += [
        (part, (torch.zeros(1, 1, dtype=torch.long),), f"{h} heads", {((1, 1),), ((h, 1, 1),)})
        for part in biases
    ]
    for part, inputs, what, shapes in tried:
        try:
            with torch.no_grad():
                found = part(*inputs)
            found = tuple(tuple(x.shape) for x in (found if isinstance(found, tuple) else (found,)))
        except (TypeError, RuntimeError) as error:
            raise ValueError(f"{said(part)} doesn't fit {what}: {error}") from None
        if found not in shapes:
            raise ValueError(
                f"{said(part)} doesn't fit {what}: it gives {', '.join(map(str, found))}"
            )


class ModernAttention(MultiHeadAttention):
    """Multi-head attention that can be changed in three places; unchanged, it is the paper's.

    head_i = softmax(q'_i k'_i^T / sqrt(d_k) + bias_i) V_i, where q', k' = qk_transforms(q, k).

    kv_heads: heads of keys and values, each for h / kv_heads heads of queries. h is the paper;
        1 is multi-query (Shazeer 2019); between is grouped-query attention (Ainslie et al. 2023).
    qk_transforms: parts that take queries (b, h, q, d_k) and keys (b, kv_heads, k, d_k) and return
        them changed, one after the other: `Rotary`, `QKNorm`. A cache keeps the keys from before
        this, so it works with any such part.
    biases: parts that take distances (q, k), in words, and return what is added to the scores,
        (q, k) or (h, q, k): `ALiBi`, `RelativePositions`, `Window`.

    query (b, q, d_model), key and value (b, k, d_model) -> (b, q, d_model). The last query has the
    position of the last key, as in self-attention with a cache and without; attention to a memory
    has no distances, so there only kv_heads (ValueError unless it divides h) and `QKNorm` fit.
    """

    def __init__(
        self,
        d_model: int,
        h: int,
        kv_heads: int | None = None,
        *,
        qk_transforms: Sequence[nn.Module] = (),
        biases: Sequence[nn.Module] = (),
    ):
        super().__init__(d_model, h)
        self.kv_heads = h if kv_heads is None else kv_heads
        whole("kv_heads", self.kv_heads, None)
        if self.kv_heads < 1 or h % self.kv_heads:
            raise ValueError(f"h={h} must be divisible by kv_heads={self.kv_heads}")
        self.d_k = d_model // h
        check_parts(qk_transforms, biases, h, self.kv_heads, self.d_k)
        self.w_k = nn.Linear(d_model, self.d_k * self.kv_heads, bias=False)
        self.w_v = nn.Linear(d_model, self.d_k * self.kv_heads, bias=False)
        self.attention = OpenAttention(qk_transforms, biases)

    def split_heads(self, x: Tensor) -> Tensor:
        """(b, s, heads * d_k) -> (b, heads, s, d_k): keys and values have fewer heads."""
        return x.unflatten(-1, (-1, self.d_k)).transpose(1, 2)
