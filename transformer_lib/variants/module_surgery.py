"""Replacing parts of a model, which is how its variants are made."""

from collections.abc import Callable
from typing import Any

from torch import nn

from transformer_lib.checks import instance, said
from transformer_lib.model.layers import initialize
from transformer_lib.structure import answer


def replace_modules(
    model: nn.Module, what: str | type[nn.Module], part: Callable[[nn.Module], nn.Module]
) -> nn.Module:
    """Replace each part `old` by part(old) -> the model, which is changed in place.

    what: a name as in the figure, such as "self_attn", "feed_forward" or "tgt_positions", or a
    class, such as nn.LayerNorm. All such parts of the model are replaced; to change only its
    decoder, say, pass `model.decoder`. The matrices of the new parts are initialized as those of
    `Transformer` (Xavier), even if they were trained. Raises ValueError if there is no such part,
    or if a whole model doesn't work with the new ones (it is as before then).
    """
    if isinstance(part, nn.Module):
        raise TypeError(
            f"part must be a function that makes each part anew, as lambda old: {said(part)}"
        )
    places = [
        (owner, name, old)
        for owner in model.modules()
        for name, old in owner.named_children()
        if (isinstance(old, what) if isinstance(what, type) else name == what)
    ]
    if not places:
        wanted = what.__name__ if isinstance(what, type) else repr(what)
        raise ValueError(f"there is no part {wanted} in this {type(model).__name__}")
    new = old = model
    for owner, name, old in places:
        new = part(old)
        instance(f"the part for {name}", new, nn.Module)
        initialize(new.train(old.training))
        setattr(owner, name, new)
    try:
        try_out(model)
    except (AttributeError, IndexError, RuntimeError, TypeError, ValueError) as error:
        for owner, name, old in places:
            setattr(owner, name, old)
        raise ValueError(f"{said(new)} doesn't fit in the place of {said(old)}: {error}") from None
    return model


def try_out(model: Any) -> None:
    """Compute four words; whatever error a part raises that doesn't fit. Stacks aren't tried."""
    on_meta = any(parameter.is_meta for parameter in model.parameters())
    if hasattr(model, "encode") and hasattr(model, "decode") and not on_meta:
        answer(model)


def without_biases(model: nn.Module) -> nn.Module:
    """Remove the biases of matrices and norms: x W + b becomes x W -> the model, changed in place.

    As in PaLM (Chowdhery et al. 2022, section 2), and in most models since.
    """
    for module in model.modules():
        if isinstance(getattr(module, "bias", None), nn.Parameter):
            module.register_parameter("bias", None)
    return model
