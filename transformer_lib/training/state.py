"""The state of a training run, on disk, so that it can go on after whatever stopped it."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from transformer_lib.checkpoints import (
    check_answer,
    current_name,
    current_settings,
    set_weights,
    weights,
)
from transformer_lib.files import CheckpointError, read_tensors, write_tensors
from transformer_lib.model.interface import Parts, Seq2SeqModel
from transformer_lib.structure import answer
from transformer_lib.training.config import TrainingConfig

STATE_FILE = "training_state.safetensors"  # in the folder of a run
MAY_CHANGE = ("steps", "patience")  # settings: a run that goes on may be longer or shorter


@dataclass
class TrainState:
    """How far a training run has come. (epoch, position): the next batch to read.

    best_loss: the loss of the best validation; with best_by="bleu", minus its BLEU.
    """

    step: int = 0
    epoch: int = 0
    position: int = 0
    best_loss: float = math.inf
    validations_since_best: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)


def weight_files(folder: Path, run: TrainState, count: int) -> list[Path]:
    """The files with the weights at the last `count` validations."""
    steps = [entry["step"] for entry in run.history[-count:]]
    return [folder / f"weights-{step}.safetensors" for step in steps]


def save_weights(folder: Path, model: Parts, run: TrainState, count: int) -> None:
    """Write the weights at the latest validation, and delete all but those at the last `count`."""
    kept = weight_files(folder, run, count)
    write_tensors(kept[-1], weights(model))
    for path in folder.glob("weights-*.safetensors"):
        if path not in kept:
            path.unlink()


def mean_weights(files: Sequence[Path]) -> dict[str, Tensor]:
    """The mean of the weights in these files, which are read one at a time."""
    mean: dict[str, Tensor] = {}
    for path in files:
        for name, tensor in read_tensors(path)[0].items():
            name = current_name(name)
            mean[name] = mean.get(name, 0) + tensor / len(files)
    return mean


def save_state(
    folder: Path,
    model: Seq2SeqModel,
    optimizer: torch.optim.Optimizer,
    config: TrainingConfig,
    run: TrainState,
    best: dict[str, Tensor],
) -> None:
    """Write all that the next step needs: weights, the optimizer's averages, random numbers."""
    tensors = rng_states(model.generator.proj.weight.device)
    for name, parameter in weights(model).items():
        tensors[f"model/{name}"] = parameter
        tensors[f"best/{name}"] = best[name]
        for key, value in optimizer.state.get(parameter, {}).items():
            tensors[f"adam.{key}/{name}"] = value
    settings = {"run": dataclasses.asdict(run), "config": dataclasses.asdict(config)}
    about = {**settings, "answer": answer(model)}
    write_tensors(folder / STATE_FILE, tensors, about)


def load_state(
    folder: Path, model: Seq2SeqModel, optimizer: torch.optim.Optimizer, config: TrainingConfig
) -> tuple[TrainState, dict[str, Tensor], TrainingConfig]:
    """Put model, optimizer and random numbers back to where `save_state` left them.

    -> the state, the best weights so far, and the settings until then. Raises CheckpointError if
    there is nothing to resume, or if they differ from `config` in more than MAY_CHANGE.
    """
    path = folder / STATE_FILE
    if not path.exists():
        raise CheckpointError(f"there is nothing to resume in {folder}: it has no {STATE_FILE}")
    tensors, about = read_tensors(path)
    before = TrainingConfig(**current_settings(about.get("config", {})))
    if changed := differing(dataclasses.asdict(before), dataclasses.asdict(config)):
        raise CheckpointError(f"{folder} was started with {changed}")
    parts: dict[str, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        part, _, name = key.partition("/")
        parts.setdefault(part, {})[current_name(name)] = tensor
    set_weights(model, parts["model"], where=str(path))
    check_answer(model, about, where=str(path))
    for name, parameter in weights(model).items():
        for part, tensors_of_part in parts.items():  # Adam has no averages before its first step
            if part.startswith("adam.") and name in tensors_of_part:  # nor has Muon all of them
                average = tensors_of_part[name].to(parameter.device)
                optimizer.state[parameter][part.removeprefix("adam.")] = average
    set_rng_states(tensors, model.generator.proj.weight.device)
    return TrainState(**about["run"]), parts["best"], before


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The first setting that a run can't go on with, and the way out; "" if there is none."""
    for name in [*before, *now]:
        was, would_be = before.get(name), now.get(name)
        if was != would_be and name not in MAY_CHANGE:
            return (
                f"{name}={was}, not {would_be}; resume with the same settings, of which only "
                f"{' and '.join(MAY_CHANGE)} may be others"
            )
    return ""


def new_schedule(before: TrainingConfig, now: TrainingConfig, step: int, d_model: int) -> str:
    """What other steps mean for a run that goes on after `step`; "" if they are the same."""
    if now.steps == before.steps:
        return ""
    change = f"steps={now.steps} instead of {before.steps}: "
    if now.steps <= step:
        return f"{change}it has made {step} already, so it ends here"
    steps = sorted({step + 1, (step + 1 + now.steps) // 2, now.steps})
    rates = [f"{now.learning_rate(each, d_model):.3g} at step {each}" for each in steps]
    return f"{change}the learning rate will be {', '.join(rates)}"


def rng_states(device: torch.device) -> dict[str, Tensor]:
    """The states of the random number generators that dropout uses: the CPU's, and a GPU's own."""
    states = {"random": torch.get_rng_state()}
    if device.type != "cpu":
        states[f"random.{device.type}"] = torch.get_device_module(device).get_rng_state()
    return states


def set_rng_states(states: dict[str, Tensor], device: torch.device) -> None:
    """Restore these states; a run saved on another kind of device has none for this one."""
    torch.set_rng_state(states["random"])
    if f"random.{device.type}" in states:
        torch.get_device_module(device).set_rng_state(states[f"random.{device.type}"])
