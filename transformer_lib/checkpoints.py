"""Models and training runs on disk: safetensors and JSON, nothing that could run code.

Every file is written beside its place first and then moved there in one step, so that a run that
is killed leaves the old file or the new one, never half of one.
"""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.files import (
    CheckpointError,
    read_json,
    read_tensors,
    write_json,
    write_tensors,
)
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.interface import Parts, Seq2SeqModel
from transformer_lib.model.transformer import Transformer
from transformer_lib.renamed import current_settings


def weights(model: Parts) -> dict[str, Tensor]:
    """The trained numbers by name; a matrix used in two places is there once."""
    return dict(model.named_parameters())


# What weights were called in files written before, and what they are called now.
RENAMED = (
    (re.compile(r"(_attn\.)((?:before|biases)\.)"), r"\1attention.\2"),
    (re.compile(r"\baround_(self_attn|cross_attn|feed_forward)\b"), r"residual_\1"),
)


def current_name(name: str) -> str:
    """The name of a weight, also if it comes from an older file."""
    for before, now in RENAMED:
        name = before.sub(now, name)
    return name


def set_weights(model: Parts, tensors: dict[str, Tensor], where: str) -> None:
    """Copy tensors into the model of the same shape."""
    own = weights(model)
    tensors = {current_name(name): tensor for name, tensor in tensors.items()}
    if own.keys() != tensors.keys():
        names = ", ".join(sorted(own.keys() ^ tensors.keys())[:3])
        raise CheckpointError(f"{where} was made for another model: the weights differ in {names}")
    for name, parameter in own.items():
        if parameter.shape != tensors[name].shape:
            raise CheckpointError(
                f"{where} was made for another model: {name} has shape "
                f"{tuple(tensors[name].shape)}, not {tuple(parameter.shape)}"
            )
    with torch.no_grad():
        for name, parameter in own.items():
            parameter.copy_(tensors[name])


def save_model(folder: Path, model: Seq2SeqModel, dtype: torch.dtype | None = None) -> None:
    """config.json and model.safetensors: all that is needed to build the same model again.

    dtype: store the weights in this kind of number (None: as they are). torch.float16 and
    torch.bfloat16 make the file half as large; what is loaded computes in float32 again.
    """
    sizes = {
        f"{side}_vocab_size": getattr(model, f"{side}_embed").table.num_embeddings
        for side in ("src", "tgt")
        if hasattr(model, f"{side}_embed")  # a language model has no source
    }
    write_json(Path(folder) / "config.json", sizes | dataclasses.asdict(model.config))
    stored = {name: tensor.to(dtype) for name, tensor in weights(model).items()}
    write_tensors(Path(folder) / "model.safetensors", stored)


def transformer(src_vocab_size: int, tgt_vocab_size: int, **settings: Any) -> Transformer:
    """A Transformer by the sizes and settings in a config.json."""
    return Transformer(src_vocab_size, tgt_vocab_size, ModelConfig(**settings))


def load_model(folder: Path, build: Callable[..., nn.Module] = transformer) -> nn.Module:
    """The model that `save_model` wrote there, ready to translate (in eval mode).

    build: makes a model from what is in config.json, if it is another than the paper's.
    """
    folder = Path(folder)
    settings = current_settings(read_json(folder / "config.json"))
    try:
        model = build(**settings)
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"{folder / 'config.json'} doesn't fit: {error}") from None
    tensors, _ = read_tensors(folder / "model.safetensors")
    set_weights(model, tensors, where=str(folder / "model.safetensors"))
    return model.eval()
