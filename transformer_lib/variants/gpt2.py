"""GPT-2's weights, read into a `LanguageModel`."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.checkpoints import set_weights
from transformer_lib.files import CheckpointError, read_json, read_tensors
from transformer_lib.model.config import ModelConfig
from transformer_lib.variants import GELUFeedForward, replace_modules
from transformer_lib.variants.language_model import LanguageModel

# Names of a layer's parts in GPT-2's files, and here.
GPT2_PARTS = {
    "ln_1": "residual_self_attn.norm",
    "ln_2": "residual_feed_forward.norm",
    "attn.c_proj": "self_attn.w_o",
    "mlp.c_fc": "feed_forward.w_1",
    "mlp.c_proj": "feed_forward.w_2",
}
GPT2_NAMES = {
    "wte.weight": "tgt_embed.table.weight",
    "wpe.weight": "tgt_positions.table",
    "ln_f.weight": "norm.weight",
    "ln_f.bias": "norm.bias",
}


def load_gpt2(folder: Path | str) -> LanguageModel:
    """GPT-2 (Radford et al. 2019) from a folder with Hugging Face's config.json, model.safetensors.

    -> the model, in eval mode. Its ids are those of GPT-2's own tokenizer, in which 0, 1 and 2 are
    ordinary tokens; write with `generate`. Unlike the paper's, it has pre-norm, learned positions,
    GELU, biases in attention, and embeddings that aren't multiplied by sqrt(d_model).
    Raises CheckpointError for files that are missing, damaged, or of another model.
    """
    folder = Path(folder)
    about = read_json(folder / "config.json")
    model = gpt2_model(about, where=str(folder / "config.json"))
    tensors, _ = read_tensors(folder / "model.safetensors")
    found: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        found |= gpt2_weights(name.removeprefix("transformer."), tensor)
    set_weights(model, found, where=str(folder / "model.safetensors"))
    return model.eval()


def gpt2_model(about: dict[str, Any], where: str) -> LanguageModel:
    """GPT-2 with random weights. about: its config.json; CheckpointError if that doesn't fit."""
    expected = {
        "model_type": "gpt2",
        "activation_function": "gelu_new",
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "tie_word_embeddings": True,
    }
    for name, value in expected.items():
        if about.get(name, value) != value:
            raise CheckpointError(f"{where} has {name}={about[name]!r}; only {value!r} is known")
    try:
        d_model, h, positions = about["n_embd"], about["n_head"], about["n_positions"]
        d_ff = about.get("n_inner") or 4 * d_model
        config = ModelConfig(
            about["n_layer"],
            d_model,
            d_ff,
            h,
            about.get("resid_pdrop", 0.1),
            norm_first=True,
            tie_weights="target",
            positions="learned",
        )
        model = LanguageModel(about["vocab_size"], config)
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{where} doesn't fit: {error!r}") from None
    model.tgt_embed.scale = 1.0
    model.tgt_positions.table = nn.Parameter(torch.zeros(positions, d_model))
    replace_modules(model, "feed_forward", lambda old: GELUFeedForward(d_model, d_ff, "tanh"))
    for name in ("w_q", "w_k", "w_v", "w_o"):
        replace_modules(model, name, lambda old: nn.Linear(d_model, d_model))
    eps = about.get("layer_norm_epsilon", 1e-5)
    replace_modules(model, nn.LayerNorm, lambda old: nn.LayerNorm(d_model, eps=eps))
    return model


def gpt2_weights(name: str, tensor: Tensor) -> dict[str, Tensor]:
    """One tensor of GPT-2's file by its name (or names) here; {} if it isn't a weight.

    GPT-2's matrices are transposed, x W instead of x W^T; one holds W^Q, W^K, W^V side by side.
    """
    if name in GPT2_NAMES:
        return {GPT2_NAMES[name]: tensor}
    if name == "lm_head.weight" or name.endswith((".attn.bias", ".attn.masked_bias")):
        return {}  # the tied table once more; the causal mask
    _, number, *middle, kind = name.split(".")
    part = ".".join(middle)
    tensor = tensor.T if tensor.dim() == 2 else tensor
    if part == "attn.c_attn":
        names = [f"layers.{number}.self_attn.{w}.{kind}" for w in ("w_q", "w_k", "w_v")]
        return dict(zip(names, tensor.chunk(3), strict=True))
    return {f"layers.{number}.{GPT2_PARTS.get(part, part)}.{kind}": tensor}
