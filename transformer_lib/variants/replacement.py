"""Another part in the place of one: how every variant of the model is made."""

from collections.abc import Callable

from torch import nn

from transformer_lib.model.layers import initialize


def replace_modules(
    model: nn.Module, what: str | type[nn.Module], part: Callable[[nn.Module], nn.Module]
) -> nn.Module:
    """Put part(old) in the place of each old part -> the model, which is changed in place.

    what: a name as in the figure, such as "self_attn", "feed_forward" or "tgt_positions", or a
    class, such as nn.LayerNorm. Everywhere in the model: hand over `model.decoder`, say, to change
    only that. The new matrices start as `Transformer` starts its own (Xavier), so they are new,
    never trained. Raises ValueError if there is no such part.
    """
    places = [
        (owner, name, old)
        for owner in model.modules()
        for name, old in owner.named_children()
        if (isinstance(old, what) if isinstance(what, type) else name == what)
    ]
    if not places:
        wanted = what.__name__ if isinstance(what, type) else repr(what)
        raise ValueError(f"there is no part {wanted} in this {type(model).__name__}")
    for owner, name, old in places:
        new = part(old).train(old.training)
        initialize(new)
        setattr(owner, name, new)
    return model


def without_biases(model: nn.Module) -> nn.Module:
    """Leave out what is added after a matrix or a norm: x W + b becomes x W -> the model.

    As in PaLM (Chowdhery et al. 2022, section 2), and most models since.
    """
    for module in model.modules():
        if getattr(module, "bias", None) is not None:
            module.bias = None
    return model
