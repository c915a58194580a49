"""Shares and means with their intervals; sentences of one group are drawn together."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor


def share(hits: Tensor) -> float:
    return hits.float().mean().item()


def interval(values: Tensor, groups: Tensor) -> list[float]:
    """95 % interval of the mean, by drawing groups of sentences anew, each group as a whole."""
    names, group = groups.unique(return_inverse=True)
    sums = torch.zeros(len(names), dtype=torch.double).index_add(0, group, values.double())
    counts = torch.zeros_like(sums).index_add(0, group, torch.ones_like(values.double()))
    generator = torch.Generator().manual_seed(0)
    drawn = torch.randint(len(names), (1000, len(names)), generator=generator)
    means = sums[drawn].sum(dim=1) / counts[drawn].sum(dim=1)
    return torch.quantile(means, torch.tensor([0.025, 0.975], dtype=torch.double)).tolist()


def score(values: Tensor, groups: Tensor) -> dict[str, Any]:
    """The mean of hits, or of any numbers, with its interval."""
    ends = interval(values, groups)
    return {"share": round(share(values), 4), "interval": [round(end, 4) for end in ends]}


def rounded(thing: Any) -> Any:
    """All numbers in what is stored, to four digits."""
    if isinstance(thing, float):
        return round(thing, 4)
    if isinstance(thing, Tensor):
        return rounded(thing.tolist())
    if isinstance(thing, Mapping):
        return {name: rounded(part) for name, part in thing.items()}
    return [rounded(part) for part in thing] if isinstance(thing, list | tuple) else thing
