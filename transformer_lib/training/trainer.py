"""The loop for long runs: it can be killed at any moment and resumed, with the same weights."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from transformer_lib.checkpoints import set_weights, weights
from transformer_lib.checks import whole
from transformer_lib.files import CheckpointError
from transformer_lib.model.interface import Parts, Seq2SeqModel
from transformer_lib.text.batching import Batch, batch_indices
from transformer_lib.training.batches import Pairs, batch_order, batches_of, check_pairs
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.devices import has_fast_bf16
from transformer_lib.training.distributed import (
    ProcessError,
    all_reduce_sum,
    data_parallel_loss,
    first_before_others,
    rank,
    seed_process,
    shard,
    world_size,
)
from transformer_lib.training.log import Log
from transformer_lib.training.optimizers import OptimizerOf, adam
from transformer_lib.training.state import (
    STATE_FILE,
    TrainState,
    load_state,
    mean_weights,
    new_schedule,
    save_state,
    save_weights,
    weight_files,
)
from transformer_lib.training.step import batch_loss, count_tokens, update, validation_loss
from transformer_lib.training.threads import threads_for, using_threads


def check_processes(config: TrainingConfig) -> None:
    """ProcessError unless there is a batch for each process in every update."""
    if config.accumulation_steps < world_size():
        raise ProcessError(
            f"an update of accumulation_steps={config.accumulation_steps} batches is too small for "
            f"{world_size()} processes: set it to {world_size()} or a multiple of it"
        )


def train(
    model: Seq2SeqModel,
    pairs: Pairs,
    validation: Pairs,
    config: TrainingConfig,
    *,
    folder: Path | None = None,
    resume: bool = False,
    measure: Callable[[Seq2SeqModel], dict[str, Any]] | None = None,
    progress: tqdm | None = None,
    optimizer: OptimizerOf = adam,
    loss: Callable[..., Tensor] = batch_loss,
    keep: Callable[[dict[str, Tensor]], None] | None = None,
    threads: int | None = None,
) -> list[dict[str, Any]]:
    """Train the model in place; it ends with its weights at the best validation, or with a mean.

    pairs, validation: (source ids, target ids), without special tokens.
    folder: where the run is saved at each validation, so that `resume=True` can go on from there
        after whatever stopped it, to the same weights bit for bit (on a CPU, with the same number
        of threads). It may then have other steps or another patience: with other steps, the new
        learning rates are printed. The log is there too (`training.log`). With None, nothing is
        saved.
    measure: called at each validation; what it returns is added to the history. For
        best_by="bleu", that must include "bleu".
    progress: the progress bar to use.
    optimizer: makes the optimizer of the model. loss: used in training instead of `batch_loss`
        (but not in validation).
    keep: called at each validation with the weights that the run would end with if it ended there.
    threads: how many CPU threads to use (None: by the size of the steps, `threads_for`).
    -> the history: for each validation step, learning_rate, loss and validation_loss (nats a word).

    Several processes (`distributed.process_group`) share the batches of each update, so the result
    doesn't depend on their number, except for rounding and dropout. Process 0 measures and writes;
    all read the same folder. ValueError for settings that don't fit together, CheckpointError if
    the folder holds another run, or none to resume.
    """
    check_pairs(pairs, validation, config)
    if threads is not None:
        whole("threads", threads)
    if config.best_by == "bleu" and measure is None:
        raise ValueError('best_by="bleu" needs a function that measures it (measure=...)')
    files = RunFiles(folder, model, optimizer(model), config, keep)
    with first_before_others():
        check_processes(config)
        state, best = files.begin(resume)
    seed_process(config.seed, state.step)
    log = Log(files.out, after=state.step)
    if progress is None:
        progress = tqdm(unit="step", dynamic_ncols=True, disable=rank() > 0)
    progress.reset(total=config.steps)
    progress.update(state.step)

    order = batch_order(pairs, config, state)
    own_share = shard(batch_indices(validation, config.max_tokens, seed=0))
    held_out = list(batches_of(validation, own_share))
    bf16 = config.bf16 and has_fast_bf16(next(model.parameters()).device)
    settings = (config.smoothing, bf16, data_parallel_loss(model, loss), config.grad_clip)
    losses: list[float] = []  # since the last validation
    model.train()
    with using_threads(threads or threads_for(model.config.d_model, config.max_tokens)):
        while state.step < config.steps and not _out_of_patience(state, config):
            began = time.perf_counter()
            state.step += 1
            lr = config.learning_rate(state.step, model.config.d_model)
            group = shard([next(order) for _ in range(config.accumulation_steps)])
            batches = list(batches_of(pairs, group))
            losses.append(update(model, files.optimizer, batches, lr, *settings))
            log.step(state.step, losses[-1], count_tokens(batches), lr, time.perf_counter() - began)
            progress.update(1)
            if state.step % config.validate_every == 0 or state.step == config.steps:
                entry = validate(model, held_out, losses, state.step, lr, measure)
                losses.clear()
                best = files.at_validation(entry, state, best, log)
                shown = {"loss": entry["loss"], "validation": entry["validation_loss"]}
                progress.set_postfix({name: f"{value:.3f}" for name, value in shown.items()})
    progress.close()
    set_weights(model, files.end(state, best), where="the best validation")
    model.eval()
    return state.history


def _out_of_patience(state: TrainState, config: TrainingConfig) -> bool:
    return config.patience is not None and state.validations_since_best >= config.patience


def validate(
    model: Seq2SeqModel,
    held_out: Sequence[Batch],
    losses: Sequence[float],
    step: int,
    lr: float,
    measure: Callable[[Seq2SeqModel], dict[str, Any]] | None,
) -> dict[str, Any]:
    """The history's entry for this step. losses: those of the updates since the last entry."""
    held_out_loss = validation_loss(model, held_out)
    (mean_loss,) = all_reduce_sum(sum(losses) / len(losses))
    entry = {
        "step": step,
        "loss": round(mean_loss, 4),
        "validation_loss": held_out_loss,
        "learning_rate": lr,
    }
    return entry | (measure(model) if measure is not None and rank() == 0 else {})


def is_best(entry: dict[str, Any], state: TrainState, config: TrainingConfig) -> bool:
    """Add this validation to the history, and say whether it is the best so far."""
    cost = entry["validation_loss"]
    if config.best_by == "bleu":
        (cost,) = all_reduce_sum(-entry["bleu"] if rank() == 0 else 0)
    entry["validation_loss"] = round(entry["validation_loss"], 4)
    state.history.append(entry)
    state.validations_since_best += 1
    if not cost < state.best_loss:  # a loss that is no number isn't the best, either
        return False
    state.best_loss, state.validations_since_best = cost, 0
    return True


def _copy_weights(model: Parts) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in weights(model).items()}


class RunFiles:
    """The files of a training run in its folder; without a folder, there are none.

    With several processes, only the first one writes. ValueError for average > 1 without a folder.
    """

    def __init__(
        self,
        folder: Path | None,
        model: Seq2SeqModel,
        optimizer: torch.optim.Optimizer,
        config: TrainingConfig,
        keep: Callable[[dict[str, Tensor]], None] | None = None,
    ):
        if config.average > 1 and folder is None:
            raise ValueError(f"average={config.average} needs a folder to keep weights in")
        self.folder = None if folder is None else Path(folder)
        self.model, self.optimizer, self.config, self.keep = model, optimizer, config, keep
        self.out = self.folder if rank() == 0 else None

    def begin(self, resume: bool) -> tuple[TrainState, dict[str, Tensor]]:
        """Where to start, and the best weights; ValueError and CheckpointError as in `train`."""
        if resume:
            if self.folder is None:
                raise ValueError("resume=True needs the folder of the run to go on with")
            state, best, before = load_state(self.folder, self.model, self.optimizer, self.config)
            change = new_schedule(before, self.config, state.step, self.model.config.d_model)
            if change and rank() == 0:
                print(change, file=sys.stderr)
            return state, best
        if self.out and (self.out / STATE_FILE).exists():
            raise CheckpointError(
                f"{self.out} already holds a training run; go on with it (resume) or name "
                f"another folder"
            )
        torch.manual_seed(self.config.seed)  # for dropout
        state, best = TrainState(), _copy_weights(self.model)
        if self.out:
            save_state(self.out, self.model, self.optimizer, self.config, state, best)
        return state, best

    def at_validation(
        self, entry: dict[str, Any], state: TrainState, best: dict[str, Tensor], log: Log
    ) -> dict[str, Tensor]:
        """Log the history's entry and save the run -> the best weights so far."""
        if is_best(entry, state, self.config):
            best = _copy_weights(self.model)
        log.validation(entry)
        if self.out and self.config.average > 1:
            save_weights(self.out, self.model, state, self.config.average)
        if self.keep and rank() == 0:
            self.keep(self.final_weights(state, best))
        if self.out:  # last, so that what it says is there
            save_state(self.out, self.model, self.optimizer, self.config, state, best)
        seed_process(self.config.seed, state.step)
        return best

    def end(self, state: TrainState, best: dict[str, Tensor]) -> dict[str, Tensor]:
        """The weights that the run ends with, in each process."""
        with first_before_others():  # so that all is written
            return self.final_weights(state, best)

    def final_weights(self, state: TrainState, best: dict[str, Tensor]) -> dict[str, Tensor]:
        """Those of the best validation, or the mean at the last ones."""
        if self.folder is None or self.config.average == 1:
            return best
        return mean_weights(weight_files(self.folder, state, self.config.average))
