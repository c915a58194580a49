"""The idea of flash attention: block by block, without ever storing all attention weights."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, block: int = 64
) -> Tensor:
    """softmax(Q K^T / sqrt(d_k)) V, over `block` keys at a time (Dao et al. 2022, Algorithm 1).

    query (..., q, d_k), key (..., k, d_k), value (..., k, d_v) -> (..., q, d_v): the same numbers
    as `attention`, to rounding, while no tensor is wider than a block. Kept from block to block,
    for each query: the largest score, the sum of e^(score - largest), and the sum of
    e^(score - largest) v. A larger score shrinks both by e^(old - new).

    Only the idea: it is fast where one kernel on a GPU does it all. ValueError for block < 1.
    """
    if block < 1:
        raise ValueError(f"block={block} must be 1 or more")
    rows = query.shape[:-1]
    largest = query.new_full((*rows, 1), -math.inf)
    weight = query.new_zeros((*rows, 1))
    total = query.new_zeros((*rows, value.size(-1)))
    for start in range(0, key.size(-2), block):
        keys, values = (x[..., start : start + block, :] for x in (key, value))
        scores = query @ keys.transpose(-2, -1) / math.sqrt(query.size(-1))  # (..., q, block)
        if mask is not None:
            scores = scores.masked_fill(~mask[..., start : start + block], -math.inf)
        before, largest = largest, torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        seen = largest.masked_fill(largest == -math.inf, 0.0)  # no key so far: not inf - inf
        shrink, e = (before - seen).exp(), (scores - seen).exp()
        weight = weight * shrink + e.sum(dim=-1, keepdim=True)
        total = total * shrink + e @ values
    return total / weight.masked_fill(weight == 0, 1.0)  # a row that sees nothing stays zero


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    """softmax(Q K^T / sqrt(d_k)) V, by PyTorch's own kernel, which goes block by block as well.

    query (..., q, d_k), key (..., k, d_k), value (..., k, d_v) -> (..., q, d_v), as `attention`; a
    row that sees nothing is zero. Where PyTorch has no such kernel, it computes the formula.
    """
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
