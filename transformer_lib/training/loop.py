"""The training loop by itself, to read from top to bottom; `train` is the one for long runs."""

import copy
import math
from typing import Any

import torch

from transformer_lib.model.interface import Seq2SeqModel
from transformer_lib.text.batching import batch_indices
from transformer_lib.training.batches import Pairs, all_batches, batches_of, check_pairs
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.optimizers import adam
from transformer_lib.training.step import batch_loss, count_tokens, validation_loss


def train_plain(
    model: Seq2SeqModel, pairs: Pairs, validation: Pairs, config: TrainingConfig
) -> list[dict[str, Any]]:
    """Train the model in place; it ends with its weights at the best validation.

    Arguments, weights and history are those of `train`, bit for bit (on a CPU, with the same number
    of threads). The two are written apart because what `train` adds would reach into nearly every
    line here: other processes into the batches, the count of words and the gradient; bf16 into the
    loss; resuming into where everything begins.
    ValueError for no pairs, and for settings that need `train`: bf16, patience, average, best_by.
    """
    check_plain(pairs, validation, config)
    torch.manual_seed(config.seed)  # for dropout
    optimizer, batches = adam(model), all_batches(pairs, config)
    held_out = list(batches_of(validation, batch_indices(validation, config.max_tokens, seed=0)))
    best, best_loss = copy.deepcopy(model.state_dict()), math.inf
    history, losses = [], []  # losses: since the last validation
    model.train()
    for step in range(1, config.steps + 1):
        lr = config.learning_rate(step, model.config.d_model)
        for group in optimizer.param_groups:
            group["lr"] = lr

        parts = [next(batches) for _ in range(config.accumulation_steps)]
        words = count_tokens(parts)
        losses.append(0.0)
        for batch in parts:
            loss = batch_loss(model, batch, config.smoothing) / words
            loss.backward()  # adds to the gradient of the parts before
            losses[-1] += loss.item()
        if config.grad_clip is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), config.grad_clip)
        optimizer.step()
        optimizer.zero_grad()

        if step % config.validate_every == 0 or step == config.steps:
            loss_now, mean_loss = validation_loss(model, held_out), sum(losses) / len(losses)
            entry = {"step": step, "loss": round(mean_loss, 4), "learning_rate": lr}
            history.append(entry | {"validation_loss": round(loss_now, 4)})
            losses.clear()
            if loss_now < best_loss:
                best, best_loss = copy.deepcopy(model.state_dict()), loss_now
    model.load_state_dict(best)
    model.eval()
    return history


def check_plain(pairs: Pairs, validation: Pairs, config: TrainingConfig) -> None:
    """ValueError for no pairs, and for a setting that the plain loop doesn't have."""
    check_pairs(pairs, validation, config)
    for name in ("bf16", "patience", "average", "best_by"):
        value = getattr(config, name)
        if value != getattr(TrainingConfig, name):
            raise ValueError(f"{name}={value!r} is not for the plain loop: use `train`")
