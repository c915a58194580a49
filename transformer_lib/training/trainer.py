"""Training: the learning-rate schedules, one step, and the loop that can be killed and resumed."""

import math
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from transformer_lib.checkpoints import set_weights, weights
from transformer_lib.files import CheckpointError
from transformer_lib.model.interface import Parts, Seq2SeqModel
from transformer_lib.text.batching import batch_indices
from transformer_lib.training.batches import Pairs, batch_order, batches_of
from transformer_lib.training.config import TrainingConfig
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
from transformer_lib.training.optimizers import adam
from transformer_lib.training.state import (
    STATE_FILE,
    TrainState,
    keep_weights,
    kept_weights,
    load_state,
    mean_weights,
    save_state,
)
from transformer_lib.training.step import batch_loss, update, validation_loss, words_in


def check_processes(config: TrainingConfig) -> None:
    """ProcessError unless there is a batch for each process in every update."""
    if config.accumulate < world_size():
        raise ProcessError(
            f"an update of accumulate={config.accumulate} batches is too small for {world_size()} "
            f"processes: set accumulate to {world_size()} or a multiple of it"
        )


def train(
    model: Seq2SeqModel,
    pairs: Pairs,
    validation: Pairs,
    config: TrainingConfig,
    *,
    folder: Path | None = None,
    resume: bool = False,
    measure: Callable[[Seq2SeqModel], dict] | None = None,
    bar: tqdm | None = None,
    optimizer: Callable[[Parts], torch.optim.Optimizer] = adam,
    loss: Callable[..., Tensor] = batch_loss,
) -> list[dict]:
    """Train the model in place; it ends with the weights of its best validation, or a mean.

    pairs, validation: (source ids, target ids), without special tokens.
    folder: where the run is saved at each validation, so that `resume=True` can go on from there
        after whatever stopped it, to the same weights bit for bit (on a CPU, with the same number
        of threads). It also gets a log (`training.log`). Nothing is saved without it.
    measure: called at each validation; what it returns is added to the history. With
        best_by="bleu" it returns "bleu" among others.
    bar: the progress bar to use.
    optimizer: makes the optimizer of the model. loss: takes the place of `batch_loss` in training
        (validation keeps it).
    -> the history: for each validation its step, loss, validation_loss and learning_rate.

    Several processes (`distributed.joined`) share the batches of each update, so that it doesn't
    depend on their number, but for rounding and dropout. Process 0 measures and writes; all read
    the same folder.
    """
    if not pairs or not validation:
        raise ValueError("training needs at least one pair to train on and one to validate on")
    if config.average > 1 and folder is None:
        raise ValueError(f"average={config.average} needs a folder to keep weights in")
    if config.best_by == "bleu" and measure is None:
        raise ValueError('best_by="bleu" needs a function that measures it (measure=...)')
    optimizer = optimizer(model)
    run, writes = TrainState(), folder is not None and rank() == 0
    best = {name: tensor.detach().clone() for name, tensor in weights(model).items()}
    with first_before_others():
        check_processes(config)
        if resume:
            if folder is None:
                raise ValueError("resume=True needs the folder of the run to go on with")
            run, best = load_state(Path(folder), model, optimizer, config)
        else:
            if writes and (Path(folder) / STATE_FILE).exists():
                raise CheckpointError(
                    f"{folder} already holds a training run; go on with it (resume) or name "
                    f"another folder"
                )
            torch.manual_seed(config.seed)  # for dropout
            if writes:
                save_state(Path(folder), model, optimizer, config, run, best)
    seed_process(config.seed, run.step)

    held_out = shard(batch_indices(validation, config.max_tokens, seed=0))
    held_out = list(batches_of(validation, held_out))
    order = batch_order(pairs, config, run)
    loss_of = data_parallel_loss(model, loss)
    bar = bar if bar is not None else tqdm(unit="step", dynamic_ncols=True, disable=rank() > 0)
    bar.reset(total=config.steps)
    bar.update(run.step)
    log = Log(folder if writes else None, after=run.step)
    patience = math.inf if config.patience is None else config.patience
    losses: list[float] = []
    model.train()
    while run.step < config.steps and run.validations_since_best < patience:
        run.step += 1
        rate = config.learning_rate(run.step, model.config.d_model)
        began = time.perf_counter()
        group = shard([next(order) for _ in range(config.accumulate)])
        batches = list(batches_of(pairs, group))
        settings = (rate, config.smoothing, config.bf16)
        losses.append(update(model, optimizer, batches, *settings, loss_of))
        log.step(run.step, losses[-1], words_in(batches), rate, time.perf_counter() - began)
        bar.update(1)
        if run.step % config.validate_every == 0 or run.step == config.steps:
            held_out_loss = validation_loss(model, held_out)
            (mean_loss,) = all_reduce_sum(sum(losses) / len(losses))
            entry = {
                "step": run.step,
                "loss": round(mean_loss, 4),
                "validation_loss": round(held_out_loss, 4),
                "learning_rate": rate,
            }
            if measure is not None and rank() == 0:
                entry |= measure(model)
            run.history.append(entry)
            losses.clear()
            run.validations_since_best += 1
            cost = held_out_loss
            if config.best_by == "bleu":
                (cost,) = all_reduce_sum(-entry["bleu"] if rank() == 0 else 0)
            if cost < run.best_loss:
                run.best_loss, run.validations_since_best = cost, 0
                best = {name: tensor.detach().clone() for name, tensor in weights(model).items()}
            log.validation(entry)
            if writes and config.average > 1:
                keep_weights(Path(folder), model, run, config.average)
            if writes:
                save_state(Path(folder), model, optimizer, config, run, best)
            seed_process(config.seed, run.step)
            bar.set_postfix(loss=f"{entry['loss']:.3f}", validation=f"{held_out_loss:.3f}")
    bar.close()
    if config.average > 1:
        with first_before_others():  # so all is written
            best = mean_weights(kept_weights(Path(folder), run, config.average))
    set_weights(model, best, where="the best validation")
    model.eval()
    return run.history
