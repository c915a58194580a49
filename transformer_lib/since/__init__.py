"""What has changed since 2017, part by part: parts to exchange in the paper's model.

exchange.py      exchange: another part in the place of one; without_biases
norms.py         RMSNorm
feed_forward.py  GELUFeedForward, SwiGLU, MixtureOfExperts
attention.py     ModernAttention: fewer keys, something done to q and k, something added to scores
positions.py     Rotary, ALiBi, RelativePositions, NoPositions; Window and QKNorm
flash.py         flash_attention: the same numbers, block by block; PyTorch's: fused_attention
optimizers.py    adamw, muon

    model = make_model(1000, 1000)
    exchange(model, nn.LayerNorm, lambda old: RMSNorm(512))
    exchange(model, "feed_forward", SwiGLU.as_large_as)
    exchange(model, "self_attn", lambda old: ModernAttention(512, 8, before=[Rotary(64)]))

The paper's modules know nothing of this. Letters in shapes: as in `transformer_lib`.
"""

from transformer_lib.since.attention import ModernAttention, biased_attention_weights
from transformer_lib.since.exchange import exchange, without_biases
from transformer_lib.since.feed_forward import (
    GELUFeedForward,
    MixtureOfExperts,
    SwiGLU,
    balanced_loss,
    load_balance,
)
from transformer_lib.since.flash import flash_attention, fused_attention
from transformer_lib.since.norms import RMSNorm
from transformer_lib.since.optimizers import adamw, muon
from transformer_lib.since.positions import (
    ALiBi,
    NoPositions,
    QKNorm,
    RelativePositions,
    Rotary,
    Window,
)

__all__ = [
    "ALiBi", "GELUFeedForward", "MixtureOfExperts", "ModernAttention", "NoPositions", "QKNorm",
    "RMSNorm", "RelativePositions", "Rotary", "SwiGLU", "Window",
    "adamw", "balanced_loss", "biased_attention_weights", "exchange", "flash_attention",
    "fused_attention", "load_balance", "muon", "without_biases",
]  # fmt: skip
