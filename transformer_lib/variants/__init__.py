"""Other models from the same parts: those before 2017, and what has changed since.

    recurrent.py           a recurrent translator, with attention and without
    language_model.py      a decoder alone (GPT); gpt2.py reads GPT-2's weights into it
    module_surgery.py      replace_modules: another part in the place of one; without_biases
    rms_norm.py            RMSNorm
    feed_forwards.py       GELUFeedForward, SwiGLU, MixtureOfExperts
    modern_attention.py    ModernAttention: fewer keys, changed q and k, biased scores
    relative_positions.py  Rotary, ALiBi, RelativePositions, NoPositions; Window and QKNorm
    flash_attention.py     attention block by block; fused_attention, PyTorch's own
    sae.py                 a sparse autoencoder, which takes a model's vectors apart

    model = make_model(1000, 1000)
    replace_modules(model, nn.LayerNorm, lambda old: RMSNorm(512))
    replace_modules(model, "feed_forward", SwiGLU.as_large_as)
    replace_modules(
        model, "self_attn", lambda old: ModernAttention(512, 8, qk_transforms=[Rotary(64)])
    )

A config doesn't say which parts were exchanged, so saving and loading need a function that does it:

    def newer(**settings):  # the entries of config.json
        return replace_modules(make_model(**settings), "feed_forward", SwiGLU.as_large_as)

    save_model(folder, newer(src_vocab_size=1000, tgt_vocab_size=1000), build=newer)
    model = load_model(folder, build=newer)

The paper's modules don't depend on any of this. Letters in shapes: as in `transformer_lib`.
"""

from transformer_lib.training.optimizers import adamw, muon
from transformer_lib.variants.feed_forwards import (
    GELUFeedForward,
    MixtureOfExperts,
    SwiGLU,
    balanced_loss,
    load_balancing_loss,
)
from transformer_lib.variants.flash_attention import flash_attention, fused_attention
from transformer_lib.variants.modern_attention import ModernAttention, biased_attention_weights
from transformer_lib.variants.module_surgery import replace_modules, without_biases
from transformer_lib.variants.relative_positions import (
    ALiBi,
    NoPositions,
    QKNorm,
    RelativePositions,
    Rotary,
    Window,
)
from transformer_lib.variants.rms_norm import RMSNorm

__all__ = ["ALiBi", "GELUFeedForward", "MixtureOfExperts", "ModernAttention", "NoPositions"]
__all__ += ["QKNorm", "RMSNorm", "RelativePositions", "Rotary", "SwiGLU", "Window", "adamw"]
__all__ += ["balanced_loss", "biased_attention_weights", "replace_modules", "flash_attention"]
__all__ += ["fused_attention", "load_balancing_loss", "muon", "without_biases"]
