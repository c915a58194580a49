"""What notebook 10 puts side by side: written words, a fault, penalties, the paper's table."""

from typing import Any

import torch
from torch import Tensor

from course.experiments import load_runs
from transformer_lib.training.loss import label_smoothed_cross_entropy


def written_words(model: torch.nn.Module) -> dict[str, list[str]]:
    """What a model predicts for "je suis étudiant": after the right words, and after its own.

    Five words each.
    """
    from course.chapters.ch10_training.experiment_first_words import ENGLISH, PAIRS
    from transformer_lib.text.batching import make_batch

    batch = make_batch(PAIRS[:1])
    predicted, alone = predictions(model.eval(), batch)
    rows = {
        "tgt_in": batch.tgt_in,
        "tgt_out": batch.tgt_out,
        "predicted": predicted,
        "alone": alone,
    }
    return {name: [ENGLISH.tokens[i] for i in ids[0]] for name, ids in rows.items()}


@torch.no_grad()
def predictions(model: Any, batch: Any) -> tuple[Tensor, Tensor]:
    """The ids that a model predicts: after the correct ones, and after its own."""
    forced = model(batch.src, batch.tgt_in).argmax(dim=-1)
    memory, written = model.encode(batch.src), batch.tgt_in[:, :1]  # <bos>
    for _ in range(batch.tgt_in.size(1)):
        x = model.decode(written, memory, batch.src)
        newest = model.generator(x[:, -1:]).argmax(dim=-1)
        written = torch.cat([written, newest], dim=1)
    return forced, written[:, 1:]


def new_reverser() -> torch.nn.Module:
    """A tiny new Transformer for rows of digits, always the same one, that computes in float64.

    Training is chaotic: with fewer digits each machine would soon have a run of its own.
    """
    from course.chapters.ch10_training.experiment_first_steps import TINY, double_precision
    from transformer_lib.model.transformer import Transformer

    with double_precision(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Transformer(14, 14, TINY)


def train_with_a_fault(model: torch.nn.Module, steps: int = 40) -> list[float]:
    """A training on rows of digits with one line wrong -> the loss of each step. Which line?"""
    from course.chapters.ch10_training.experiment_first_steps import LOOP
    from course.experiments.digit_training import digit_pairs, one_thread
    from transformer_lib.training.batches import all_batches
    from transformer_lib.training.optimizers import adam
    from transformer_lib.training.state import TrainState

    optimizer, losses = adam(model), []
    batches = all_batches(digit_pairs("reverse")[0], LOOP, TrainState())
    model.train()
    with one_thread():
        for step, batch in zip(range(1, steps + 1), batches, strict=False):
            optimizer.param_groups[0]["lr"] = LOOP.learning_rate(step, model.config.d_model)
            with torch.no_grad():
                memory = model.encode(batch.src)
            logits = model.generator(model.decode(batch.tgt_in, memory, batch.src))
            loss = label_smoothed_cross_entropy(logits, batch.tgt_out)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
    return losses


def smoothing_penalty() -> tuple[Tensor, Tensor, Tensor]:
    """Leads of the score of one word of nine, which is right; the loss at each without smoothing
    and with it, (2, leads); and its probability."""
    leads = torch.arange(0, 12.1, 0.1, dtype=torch.float64).round(decimals=1)
    logits = torch.zeros(len(leads), 9, dtype=torch.float64)
    logits[:, 4] = leads
    target = torch.full((1,), 4)
    losses = [
        [label_smoothed_cross_entropy(row[None], target, eps) for row in logits]
        for eps in (0.0, 0.1)
    ]
    return leads, torch.tensor(losses, dtype=torch.float64), logits.softmax(dim=-1)[:, 4]


def stored_rows() -> list[dict[str, Any]]:
    """The stored ablations, a row for each change: its shares of right rows over the seeds."""
    table: dict[str, dict[str, Any]] = {}
    for run in load_runs("ablations"):
        row = {"what": run["what"], "parameters": run["parameters"], "shares": []}
        table.setdefault(run["what"], row)["shares"].append(run["right_rows"])
    return list(table.values())
