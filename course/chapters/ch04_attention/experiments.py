"""What notebook 04 measures: the softmax on random scores, and a head that decides a letter."""

from typing import Any, NamedTuple

import torch
from torch import Tensor


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


class Head(NamedTuple):
    """One head of a decoder layer: what the places that write Spanish ask the English words.

    tgt_out: the t words that are written, with <eos>; src: the s English ones. memory (s, d_model):
    what the encoder made of them. query (t, d_k), key and value (s, d_k).
    """

    tgt_out: list[str]
    src: list[str]
    memory: Tensor
    w_k: Tensor  # (d_model, d_k)
    query: Tensor
    key: Tensor
    value: Tensor


def real_head(text: str = "I like trees", layer: int = 1, head: int = 0) -> Head:
    """A head of the shipped translator, while it translates a text from English words."""
    from course.chapters.journey.experiments import trace
    from transformer_lib.translator import Translator

    translator = Translator.load()
    way = trace(translator, text)
    name = f"decoder.layers.{layer}.cross_attn"
    attn = translator.model.decoder.layers[layer].cross_attn
    query, key, value = (
        attn.split_heads(way.outputs[f"{name}.w_{part}"][None])[0, head] for part in "qkv"
    )
    w_k = attn.w_k.weight.detach().T.chunk(attn.h, dim=1)[head]
    return Head(way.tgt_out, way.src, way.outputs["encoder"], w_k, query, key, value)
