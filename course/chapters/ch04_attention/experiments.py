"""What notebook 04 measures: the softmax on random scores, and one head of the shipped model."""

from typing import Any, NamedTuple

import torch
from torch import Tensor


def softmax_at(d_k: int, scaled: bool) -> dict[str, Any]:
    """What the softmax does to the scores of random queries and keys of width d_k.

    500 queries, 16 keys for each, all numbers independent, with mean 0 and variance 1. slope: how
    fast the weight that is easiest to move grows with its own score, w (1 - w).
    """
    generator = torch.Generator().manual_seed(0)
    query = torch.randn(500, 1, d_k, generator=generator)
    key = torch.randn(500, 16, d_k, generator=generator)
    scores = (query * key).sum(dim=-1) / (d_k**0.5 if scaled else 1)
    weights = scores.softmax(dim=-1)
    return {
        "d_k": d_k,
        "scaled": scaled,
        "variance": scores.var().item(),
        "largest": weights.amax(dim=-1).mean().item(),
        "slope": (weights * (1 - weights)).amax(dim=-1).mean().item(),
    }


class Head(NamedTuple):
    """What one head makes of a sentence: x (words, d_model), query, key, value (words, d_k)."""

    words: list[str]
    x: Tensor
    w_q: Tensor  # (d_model, d_k), and so are the two others
    w_k: Tensor
    w_v: Tensor

    @property
    def query(self) -> Tensor:
        return self.x @ self.w_q

    @property
    def key(self) -> Tensor:
        return self.x @ self.w_k

    @property
    def value(self) -> Tensor:
        return self.x @ self.w_v


def real_head(layer: int = 1, head: int = 1) -> Head:
    """One encoder head of the shipped translator, and what it reads of "I like trees"."""
    from course.chapters.journey.experiments import trace
    from transformer_lib.translator import Translator

    translator = Translator.load()
    way = trace(translator)
    x = way.outputs[f"encoder.layers.{layer - 1}" if layer else "src_positions"]
    attn = translator.model.encoder.layers[layer].self_attn
    layers = (attn.w_q, attn.w_k, attn.w_v)
    return Head(way.src, x, *(w.weight.detach().T.chunk(attn.h, dim=1)[head] for w in layers))
