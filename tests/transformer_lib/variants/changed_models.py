"""Small models with one part exchanged, for tests of the variants."""

import torch
from torch import nn

from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.transformer import make_model
from transformer_lib.variants import (
    ALiBi,
    GELUFeedForward,
    MixtureOfExperts,
    ModernAttention,
    NoPositions,
    QKNorm,
    RelativePositions,
    RMSNorm,
    Rotary,
    SwiGLU,
    Window,
    replace_modules,
    without_biases,
)

D_MODEL, H, D_K = 24, 4, 6


def small_model(**settings):
    sizes = {"N": 2, "d_model": D_MODEL, "d_ff": 31, "h": H, "dropout": 0.0}
    return make_model(11, 11, **sizes | settings)


def modern(kv_heads=None, qk_transforms=(), biases=()):
    """A change: these parts in every self-attention; `qk_transforms` and `biases` are made anew."""

    def change(model):
        for stack, both_ways in ((model.encoder, True), (model.decoder, False)):
            replace_modules(
                stack,
                "self_attn",
                lambda old, both_ways=both_ways: ModernAttention(
                    D_MODEL,
                    H,
                    kv_heads,
                    qk_transforms=[part() for part in qk_transforms],
                    biases=[part(both_ways) for part in biases],
                ),
            )

    return change


def without_positions(model):
    replace_modules(model, "src_positions", lambda old: NoPositions())
    replace_modules(model, "tgt_positions", lambda old: NoPositions())


def everywhere(what, part):
    return lambda model: replace_modules(model, what, part)


def mixture(old):
    return MixtureOfExperts(D_MODEL, [SwiGLU(D_MODEL, 13) for _ in range(3)])


def of_today(model):
    """All at once, as in a model of today."""
    modern(2, [lambda: QKNorm(D_K), lambda: Rotary(D_K)], [lambda both_ways: Window(3)])(model)
    replace_modules(model, nn.LayerNorm, lambda old: RMSNorm(D_MODEL))
    replace_modules(model, "feed_forward", SwiGLU.as_large_as)
    without_positions(model)
    without_biases(model)


CHANGES = {
    "paper": lambda model: None,
    "RMSNorm": everywhere(nn.LayerNorm, lambda old: RMSNorm(D_MODEL)),
    "GELU": everywhere("feed_forward", lambda old: GELUFeedForward(D_MODEL, 31)),
    "SwiGLU": everywhere("feed_forward", SwiGLU.as_large_as),
    "mixture": everywhere("feed_forward", mixture),
    "no biases": without_biases,
    "no positions": without_positions,
    "rotary": modern(qk_transforms=[lambda: Rotary(D_K)]),
    "QK-norm": modern(qk_transforms=[lambda: QKNorm(D_K)]),
    "ALiBi": modern(biases=[lambda both_ways: ALiBi(H)]),
    "T5": modern(biases=[lambda both_ways: RelativePositions(H, both_ways, 8, 9)]),
    "window": modern(biases=[lambda both_ways: Window(2)]),
    "grouped queries": modern(2),
    "multi-query": modern(1),
    "multi-query everywhere": everywhere(
        MultiHeadAttention, lambda old: ModernAttention(D_MODEL, H, 1)
    ),
    "of today": of_today,
}


def changed(name, **settings):
    """A model with this change, and random weights of a size that lets each score count."""
    model = small_model(**settings)
    CHANGES[name](model)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.2)
    return model.double().eval()
