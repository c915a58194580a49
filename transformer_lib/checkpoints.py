"""Models on disk: safetensors and JSON, nothing that could run code (see `files`)."""

import dataclasses
import re
from collections.abc import Callable, Mapping
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
from transformer_lib.structure import answer, difference, same_answer

Model = TypeVar("Model", bound=nn.Module)


def weights(model: Parts) -> dict[str, Tensor]:
    """What was trained, by name: parameters, and buffers that are saved.

    A matrix that is used in two places is listed once.
    """
    learned: dict[str, Tensor] = dict(model.named_parameters())
    buffers = dict(model.named_buffers())
    return learned | {name: buffers[name] for name in model.state_dict() if name in buffers}


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


# Names of settings in older files, and what they are called now.
RENAMED_SETTINGS = {
    "peak": "max_lr",
    "accumulate": "accumulation_steps",
    "src_vocab": "src_vocab_size",
    "tgt_vocab": "tgt_vocab_size",
}


def current_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings, which may come from an older file, by the names that they have now."""
    return {RENAMED_SETTINGS.get(name, name): value for name, value in settings.items()}


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


def save_model(
    folder: Path,
    model: Seq2SeqModel,
    dtype: torch.dtype | None = None,
    *,
    build: Callable[..., Any] | None = None,
) -> None:
    """Write config.json and model.safetensors: all that `load_model` needs.

    dtype: of the stored weights (None: unchanged). torch.float16 and torch.bfloat16 halve the file;
    a loaded model computes in float32 again.
    build: what will be handed to `load_model`, for a model with exchanged parts. Without it, the
    model's class is called with the sizes of the vocabularies and the config.

    So the model is built once more, and CheckpointError is raised, before anything is written, if
    what would be loaded isn't what is saved. Of a model inside `torch.compile` or `DataParallel`,
    the model itself is saved.
    """
    model = unwrapped(model)
    again, settings = built_again(model, build)
    if dtype is None and (types := other_dtype(model, again)):
        raise CheckpointError(
            f"the model has weights of {types[0]}, and a loaded one computes in {types[1]}: "
            f"say which to store, dtype={types[0]}"
        )
    if found := difference(model, again):
        raise CheckpointError(
            f"the model isn't saved, as another would be loaded: {found}; undo this, or write a "
            f"function that builds such a model from the entries of config.json and name it when "
            f"you save and when you load (build=...)"
        )
    stored = {name: tensor.to(dtype) for name, tensor in weights(model).items()}
    set_weights(again, stored, where="the model")
    write_json(Path(folder) / "config.json", settings)
    write_tensors(Path(folder) / "model.safetensors", stored, {"answer": answer(again)})


def unwrapped(model: Any) -> Any:
    """The model inside `torch.compile` and PyTorch's DataParallel or DistributedDataParallel."""
    wrappers = nn.DataParallel, nn.parallel.DistributedDataParallel
    inner = model.module if isinstance(model, wrappers) else getattr(model, "_orig_mod", None)
    return unwrapped(inner) if isinstance(inner, nn.Module) else model


def built_again(
    model: Seq2SeqModel, build: Callable[..., Any] | None
) -> tuple[Seq2SeqModel, dict[str, Any]]:
    """A model with random weights as `load_model` would build it, and the entries of config.json.

    The random numbers of whoever is training aren't touched.
    """
    try:
        sizes = {
            f"{side}_vocab_size": getattr(model, f"{side}_embed").table.num_embeddings
            for side in ("src", "tgt")
            if hasattr(model, f"{side}_embed")  # a language model has no source
        }
        settings = sizes | dataclasses.asdict(model.config)
        with torch.random.fork_rng(devices=[]):
            make: Callable[..., Any] = type(model)
            made = build(**settings) if build else make(*sizes.values(), model.config)
    except (AttributeError, TypeError, ValueError) as error:
        raise CheckpointError(f"the model can't be built again by its config: {error}") from None
    return made.eval(), settings


def other_dtype(model: Parts, again: Parts) -> tuple[torch.dtype, torch.dtype] | None:
    """The type of numbers in the first weight that has another type there, and that type."""
    for one, two in zip(model.parameters(), again.parameters(), strict=False):
        if one.dtype != two.dtype:
            return one.dtype, two.dtype
    return None


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
    Raises CheckpointError for files that are missing, damaged, or of another model, one with the
    same weights included: it would answer otherwise.
    """
    folder = Path(folder)
    settings = current_settings(read_json(folder / "config.json"))
    try:
        model = build(**settings)
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"{folder / 'config.json'} doesn't fit: {error}") from None
    tensors, about = read_tensors(folder / "model.safetensors")
    set_weights(model, tensors, where=str(folder / "model.safetensors"))
    check_answer(model, about, where=str(folder / "model.safetensors"))
    return model.eval()


def check_answer(model: Any, about: dict[str, Any], where: str) -> None:
    """CheckpointError if the model that was saved there, with these weights, computed otherwise."""
    if "answer" in about and not same_answer(answer(model), about["answer"]):
        raise CheckpointError(
            f"{where} was made for another model: with the same weights, it computes something "
            f"else; build the model as it was when it was saved (for load_model: build=...)"
        )
