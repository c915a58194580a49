"""Other models from the same parts: what was there before 2017, and what has changed since.

    recurrent.py           a recurrent translator, with attention and without
    language_model.py      a decoder alone (GPT); gpt2.py reads GPT-2's weights into it
    replacement.py         replace_modules: another part in the place of one; without_biases
    rms_norm.py            RMSNorm
    feed_forwards.py       GELUFeedForward, SwiGLU, MixtureOfExperts
    modern_attention.py    ModernAttention: fewer keys, something done to q and k, or to the scores
    relative_positions.py  Rotary, ALiBi, RelativePositions, NoPositions; Window and QKNorm
    flash_attention.py     the same numbers, block by block; PyTorch's: fused_attention

    model = make_model(1000, 1000)
    replace_modules(model, nn.LayerNorm, lambda old: RMSNorm(512))
    replace_modules(model, "feed_forward", SwiGLU.as_large_as)
    replace_modules(
        model, "self_attn", lambda old: ModernAttention(512, 8, before=[Rotary(64)])
    )

The paper's modules know nothing of this. Letters in shapes: as in `transformer_lib`.
"""

from transformer_lib.training.optimizers import adamw, muon
from transformer_lib.variants.feed_forwards import (
    GELUFeedForward,
    MixtureOfExperts,
    SwiGLU,
    balanced_loss,
    load_balance,
)
from transformer_lib.variants.flash_attention import flash_attention, fused_attention
from transformer_lib.variants.modern_attention import ModernAttention, biased_attention_weights
from transformer_lib.variants.relative_positions import (
    ALiBi,
    NoPositions,
    QKNorm,
    RelativePositions,
    Rotary,
    Window,
)
from transformer_lib.variants.replacement import replace_modules, without_biases
from transformer_lib.variants.rms_norm import RMSNorm

__all__ = [
    "ALiBi",
    "GELUFeedForward",
    "MixtureOfExperts",
    "ModernAttention",
    "NoPositions",
    "QKNorm",
    "RMSNorm",
    "RelativePositions",
    "Rotary",
    "SwiGLU",
    "Window",
    "adamw",
    "balanced_loss",
    "biased_attention_weights",
    "replace_modules",
    "flash_attention",
    "fused_attention",
    "load_balance",
    "muon",
    "without_biases",
]
