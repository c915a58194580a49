"""Models on disk: safetensors and JSON, nothing that could run code (see `files`)."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

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
from transformer_lib.renamed_settings import current_settings

Model = TypeVar("Model", bound=nn.Module)


def weights(model: Parts) -> dict[str, Tensor]:
    """The trained parameters by name; a matrix that is used in two places is listed once."""
    return dict(model.named_parameters())


# Names of weights in older files, and what they are called now.
RENAMED = (
    (re.compile(r"(_attn\.)((?:before|biases)\.)"), r"\1attention.\2"),
    (re.compile(r"\baround_(self_attn|cross_attn|feed_forward)\b"), r"residual_\1"),
    (re.compile(r"^look\."), "readout."),
    (re.compile(r"\battention\.before\."), "attention.qk_transforms."),
)


def current_name(name: str) -> str:
    """The present name of a weight, which may come from an older file."""
    for before, now in RENAMED:
        name = before.sub(now, name)
    return name


def set_weights(model: Parts, tensors: dict[str, Tensor], where: str) -> None:
    """Copy tensors into a model; CheckpointError, naming `where`, unless names and shapes agree."""
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
    """Write config.json and model.safetensors: all that `load_model` needs.

    dtype: of the stored weights (None: unchanged). torch.float16 and torch.bfloat16 halve the file;
    a loaded model computes in float32 again.
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
    """A Transformer with the sizes and settings of a config.json."""
    return Transformer(src_vocab_size, tgt_vocab_size, ModelConfig(**settings))


@overload
def load_model(folder: Path) -> Transformer: ...
@overload
def load_model(folder: Path, build: Callable[..., Model]) -> Model: ...
def load_model(folder: Path, build: Callable[..., nn.Module] = transformer) -> nn.Module:
    """The model that `save_model` wrote there, ready to translate (in eval mode).

    build: makes a model from the entries of config.json, for any but the Transformer.
    Raises CheckpointError for files that are missing, damaged, or of another model.
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
