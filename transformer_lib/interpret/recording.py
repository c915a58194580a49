"""Look inside a model while it runs, and change one thing to see what depends on it.

All tools work inside a `with` only and leave nothing behind.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import singledispatch

import torch
from torch import Tensor, nn

from transformer_lib.model.attention import MultiHeadAttention, attention_weights


def attention_layers(model: nn.Module) -> dict[str, MultiHeadAttention]:
    """The attention layers of a model by name, such as "decoder.layers.0.cross_attn"."""
    return {name: m for name, m in model.named_modules() if isinstance(m, MultiHeadAttention)}


def head_name(layer: str, head: int) -> str:
    """ "encoder.layers.1.self_attn", 2 -> "encoder, layer 1, head 2"; cross-attention is named."""
    part, _, number, kind = layer.split(".")
    middle = " cross-attention" if kind == "cross_attn" else ""
    return f"{part}{middle}, layer {number}, head {head}"


@contextmanager
def record_attention(model: nn.Module) -> Iterator[dict[str, Tensor]]:
    """Collect the weights of every attention layer that runs inside the `with`.

        with record_attention(model) as weights:
            model(src, tgt_in)
        weights["decoder.layers.0.cross_attn"]  # (b, h, t, s)

    If a layer runs more than once, its last weights stay. They are computed a second time, from
    the layer's own inputs, so the model's output is the same with and without recording.
    """
    weights: dict[str, Tensor] = {}

    def recorder(name: str):
        def hook(layer, args, kwargs, output):
            with torch.no_grad():
                weights[name], _ = weights_and_values(layer, *args, **kwargs)

        return hook

    with hooked(model, {name: recorder(name) for name in attention_layers(model)}):
        yield weights


@contextmanager
def record_outputs(model: nn.Module, *names: str) -> Iterator[dict[str, Tensor]]:
    """Collect what named parts of a model put out inside the `with`; without a name, all parts.

        with record_outputs(model, "src_embed", "encoder.layers.0") as outputs:
            model(src, tgt_in)
        outputs["encoder.layers.0"]  # (b, s, d_model)

    If a part runs more than once, its last output stays. Raises KeyError for an unknown part.
    """
    parts = dict(model.named_modules())
    unknown = [name for name in names if name not in parts]
    if unknown:
        raise KeyError(f"the model has no part {unknown[0]!r}")
    outputs: dict[str, Tensor] = {}

    def recorder(name: str):
        def hook(part, args, output):
            outputs[name] = output.detach()

        return hook

    chosen = names or parts
    handles = [parts[name].register_forward_hook(recorder(name)) for name in chosen]
    try:
        yield outputs
    finally:
        for handle in handles:
            handle.remove()


@singledispatch
def weights_and_values(
    layer: MultiHeadAttention, query: Tensor, key: Tensor, value: Tensor, *, mask=None, cache=None
) -> tuple[Tensor, Tensor]:
    """What `layer` has computed inside a call with these arguments.

    Another kind of attention registers its own way to compute them.
    """
    k, v = layer.keys_and_values(key, value) if cache is None else cache.current()
    return attention_weights(layer.split_heads(layer.w_q(query)), k, mask), v


@contextmanager
def hooked(model: nn.Module, hooks: Mapping[str, Callable]) -> Iterator[None]:
    layers = attention_layers(model)
    unknown = [name for name in hooks if name not in layers]
    if unknown:
        raise KeyError(f"no attention layer {unknown[0]!r}; there are {', '.join(layers)}")
    handles = [
        layers[name].register_forward_hook(hook, with_kwargs=True) for name, hook in hooks.items()
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
