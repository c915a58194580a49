"""What notebook 04 measures: what the softmax does to random scores."""

from typing import Any

import torch


def softmax_at(d_k: int, scaled: bool) -> dict[str, Any]:
    """What the softmax does to the scores of random queries and keys of width d_k.

    500 queries, 16 keys for each, all numbers independent, with mean 0 and variance 1. slope: how
    fast the weight that is easiest to move grows with its own score, w (1 - w). sorted: the
    weights of a query, the largest first. All are means over the queries.
    """
    generator = torch.Generator().manual_seed(0)
    query = torch.randn(500, 1, d_k, generator=generator)
    key = torch.randn(500, 16, d_k, generator=generator)
    scores = (query * key).sum(dim=-1) / (d_k**0.5 if scaled else 1)
    weights = scores.softmax(dim=-1)
    return {
        "d_k": d_k,
        "scaled": scaled,
        "sorted": weights.sort(descending=True).values.mean(dim=0).tolist(),
        "largest": weights.amax(dim=-1).mean().item(),
        "slope": (weights * (1 - weights)).amax(dim=-1).mean().item(),
    }
