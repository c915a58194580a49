"""How far a training has come, on disk, so that it can go on after whatever stopped it."""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from transformer_lib.checkpoints import current_name, set_weights, weights
from transformer_lib.files import CheckpointError, read_tensors, write_tensors
from transformer_lib.model.interface import Parts
from transformer_lib.renamed import current_settings
from transformer_lib.training.config import TrainingConfig

STATE_FILE = "training_state.safetensors"


@dataclass
class TrainState:
    """How far a training has come. (epoch, position): the next batch to read.

    best_loss: the validation loss of the best validation; with best_by="bleu", minus its BLEU.
    """

    step: int = 0
    epoch: int = 0
    position: int = 0
    best_loss: float = math.inf
    validations_since_best: int = 0
    history: list[dict] = field(default_factory=list)


def weight_files(folder: Path, run: TrainState, count: int) -> list[Path]:
    """The files with the weights at the last validations."""
    steps = [entry["step"] for entry in run.history[-count:]]
    return [folder / f"weights-{step}.safetensors" for step in steps]


def save_weights(folder: Path, model: Parts, run: TrainState, count: int) -> None:
    """Write those of the validation that has just been, and let go of those that came too early."""
    kept = weight_files(folder, run, count)
    write_tensors(kept[-1], weights(model))
    for path in folder.glob("weights-*.safetensors"):
        if path not in kept:
            path.unlink()


def mean_weights(files: Sequence[Path]) -> dict[str, Tensor]:
    """The mean of the weights in these files, one of which is read at a time."""
    mean: dict[str, Tensor] = {}
    for path in files:
        for name, tensor in read_tensors(path)[0].items():
            name = current_name(name)
            mean[name] = mean.get(name, 0) + tensor / len(files)
    return mean


def save_state(folder, model, optimizer, config, run, best) -> None:
    """All that the next step depends on, in one file: weights, Adam's averages, random numbers."""
    tensors = rng_states(model.generator.proj.weight.device)
    for name, parameter in weights(model).items():
        tensors[f"model/{name}"] = parameter
        tensors[f"best/{name}"] = best[name]
        for key, value in optimizer.state[parameter].items():
            tensors[f"adam.{key}/{name}"] = value
    about = {"run": dataclasses.asdict(run), "config": dataclasses.asdict(config)}
    write_tensors(folder / STATE_FILE, tensors, about)


def load_state(folder, model, optimizer, config) -> tuple[TrainState, dict[str, Tensor]]:
    """Put model, optimizer and random numbers back to where `save_state` left them."""
    path = folder / STATE_FILE
    if not path.exists():
        raise CheckpointError(f"there is nothing to resume in {folder}: it has no {STATE_FILE}")
    tensors, about = read_tensors(path)
    now = dataclasses.asdict(config)
    before = dataclasses.asdict(TrainingConfig()) | current_settings(about.get("config", {}))
    changed = [k for k in now if now[k] != before[k]]
    if changed:
        raise CheckpointError(
            f"{folder} was started with {changed[0]}={before[changed[0]]}, not "
            f"{now[changed[0]]}; resume with the same settings"
        )
    parts: dict[str, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        part, _, name = key.partition("/")
        parts.setdefault(part, {})[current_name(name)] = tensor
    set_weights(model, parts["model"], where=str(path))
    for name, parameter in weights(model).items():
        for part, tensors_of_part in parts.items():  # Adam has none before its first step
            if part.startswith("adam.") and name in tensors_of_part:  # nor Muon of each matrix
                average = tensors_of_part[name].to(parameter.device)
                optimizer.state[parameter][part.removeprefix("adam.")] = average
    set_rng_states(tensors, model.generator.proj.weight.device)
    return TrainState(**about["run"]), parts["best"]


def rng_states(device: torch.device) -> dict[str, Tensor]:
    """Where the random numbers stand that dropout draws from, on a GPU also those of its own."""
    states = {"random": torch.get_rng_state()}
    if device.type != "cpu":
        states[f"random.{device.type}"] = torch.get_device_module(device).get_rng_state()
    return states


def set_rng_states(states: dict[str, Tensor], device: torch.device) -> None:
    """Back to where they stood; what was saved on another kind of device has none for this one."""
    torch.set_rng_state(states["random"])
    if f"random.{device.type}" in states:
        torch.get_device_module(device).set_rng_state(states[f"random.{device.type}"])
