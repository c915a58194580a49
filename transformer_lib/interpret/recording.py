"""Look inside a model while it runs: attention weights, and the output of any module.

All of it works inside a `with` only, and leaves nothing behind.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.model.attention import Attention, MultiHeadAttention
from transformer_lib.model.interface import Parts

# The inputs of an attention: query, key, value, mask.
Inputs = tuple[Tensor, Tensor, Tensor, Tensor | None]
Hook = Callable[..., Tensor | None]  # module, inputs, output -> another output, or None


def attention_layers(model: Parts) -> dict[str, MultiHeadAttention | Attention]:
    """The attention layers of a model by name, such as "decoder.layers.0.cross_attn"."""
    inner = {part.attention for part in model.modules() if isinstance(part, MultiHeadAttention)}
    return {
        name: part
        for name, part in model.named_modules()
        if isinstance(part, MultiHeadAttention | Attention) and part not in inner
    }


def inner_attention(layer: MultiHeadAttention | Attention) -> Attention:
    """The part of an attention layer that computes its weights."""
    return layer.attention if isinstance(layer, MultiHeadAttention) else layer


def head_name(layer: str, head: int) -> str:
    """ "encoder.layers.1.self_attn", 2 -> "encoder, layer 1, head 2"; cross-attention is named."""
    part, _, number, kind = layer.split(".")
    middle = " cross-attention" if kind == "cross_attn" else ""
    return f"{part}{middle}, layer {number}, head {head}"


@contextmanager
def record_attention(model: Parts) -> Iterator[dict[str, Tensor]]:
    """Collect the weights of every attention layer that runs inside the `with`.

        with record_attention(model) as weights:
            model(src, tgt_in)
        weights["decoder.layers.0.cross_attn"]  # (b, h, t, s)

    Of a layer that runs more than once, the last weights are kept. They are computed a second time,
    from the same queries and keys, so recording doesn't change what the model computes.
    """
    weights: dict[str, Tensor] = {}

    def recorder(name: str) -> Hook:
        def hook(attention: Attention, args: Inputs, output: Tensor) -> None:
            query, key, _, mask = args
            with torch.no_grad():
                weights[name] = attention.weights(query, key, mask)

        return hook

    with hooked(model, {name: recorder(name) for name in attention_layers(model)}):
        yield weights


@contextmanager
def record_outputs(model: Parts, *names: str) -> Iterator[dict[str, Tensor]]:
    """Collect the outputs of named parts of a model inside the `with`; without a name, of all.

        with record_outputs(model, "src_embed", "encoder.layers.0") as outputs:
            model(src, tgt_in)
        outputs["encoder.layers.0"]  # (b, s, d_model)

    Of a part that runs more than once, the last output is kept. KeyError for an unknown part.
    """
    outputs: dict[str, Tensor] = {}

    def recorder(name: str) -> Hook:
        def hook(part: nn.Module, args: Any, output: Tensor) -> None:
            outputs[name] = output.detach()

        return hook

    chosen = names or [name for name, _ in model.named_modules()]
    with hooked_parts(model, {name: recorder(name) for name in chosen}):
        yield outputs


@contextmanager
def hooked(model: Parts, hooks: Mapping[str, Hook]) -> Iterator[None]:
    """Inside, the named attention layers have these hooks; KeyError for an unknown layer."""
    layers = attention_layers(model)
    unknown = [name for name in hooks if name not in layers]
    if unknown:
        raise KeyError(f"no attention layer {unknown[0]!r}; there are {', '.join(layers)}")
    with ExitStack() as stack:
        for name, hook in hooks.items():
            stack.enter_context(inner_attention(layers[name]).register_forward_hook(hook))
        yield


@contextmanager
def hooked_parts(model: Parts, hooks: Mapping[str, Hook]) -> Iterator[None]:
    """Inside, the named parts of a model have these hooks; KeyError for an unknown part."""
    parts = dict(model.named_modules())
    unknown = [name for name in hooks if name not in parts]
    if unknown:
        raise KeyError(f"the model has no part {unknown[0]!r}")
    with ExitStack() as stack:
        for name, hook in hooks.items():
            stack.enter_context(parts[name].register_forward_hook(hook))
        yield
