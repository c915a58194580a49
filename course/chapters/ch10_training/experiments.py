"""What notebook 10 puts side by side: target rows, written words, penalties, the paper's table."""

from typing import Any

import torch
from torch import Tensor

from transformer_lib.text.tokens import BOS, EOS, PAD, UNK
from transformer_lib.training.loss import label_smoothed_cross_entropy

STUDENT = ["I", "am", "a", "student", "<eos>"]  # the right words of the first sentence
COLUMNS = ["I", "am", "a", "student", "thanks", "<eos>", "others"]


def as_columns(rows: Any) -> Tensor:
    """Probabilities (…, 9) of our words and signs -> (…, 7): five words, <eos>, and the rest.

    The rest are <pad>, <bos> and <unk>, which no translation holds.
    """
    from course.chapters.ch10_training.experiment_first_words import ENGLISH

    words = [*ENGLISH.encode(COLUMNS[:5]), EOS]
    rest = rows[..., [PAD, BOS, UNK]].sum(dim=-1, keepdim=True)
    return torch.cat([rows[..., words], rest], dim=-1)


def target_rows(sentence: int) -> Tensor:
    """(t, 9): a row for each word of the translation, with a 1 at that word and 0 elsewhere."""
    from course.chapters.ch10_training.experiment_first_words import ENGLISH, PAIRS
    from transformer_lib.model.embedding import one_hot

    return one_hot(torch.tensor([*PAIRS[sentence][1], EOS]), len(ENGLISH))


def written_words(model: torch.nn.Module) -> dict[str, list[str]]:
    """What a model predicts for "je suis étudiant": after the right words, and after its own.

    Five words each, also beyond an <eos>.
    """
    from course.chapters.ch10_training.experiment_first_words import ENGLISH, PAIRS
    from transformer_lib.decoding import inference_mode
    from transformer_lib.text.batching import make_batch

    batch = make_batch(PAIRS[:1])
    alone = batch.tgt_in[:, :1]  # <bos>
    with inference_mode(model):
        predicted = model(batch.src, batch.tgt_in).argmax(dim=-1)
        for _ in range(batch.tgt_in.size(1)):
            newest = model(batch.src, alone)[:, -1:].argmax(dim=-1)
            alone = torch.cat([alone, newest], dim=1)
    rows = {
        "tgt_in": batch.tgt_in,
        "tgt_out": batch.tgt_out,
        "predicted": predicted,
        "alone": alone[:, 1:],
    }
    return {name: [ENGLISH.tokens[i] for i in ids[0]] for name, ids in rows.items()}


def learn_without_shift(steps: int = 100) -> tuple[torch.nn.Module, list[dict]]:
    """A model that reads, at each place, the very word it must predict there -> it, its history.

    The task is to write rows of digits backwards.
    """
    from unittest.mock import patch

    from course.chapters.ch10_training.experiment_first_steps import TINY
    from course.experiments.digit_training import learn
    from transformer_lib.text.batching import Batch, make_batch
    from transformer_lib.training.config import TrainingConfig

    def unshifted(pairs: Any) -> Batch:
        batch = make_batch(pairs)
        return Batch(batch.src, tgt_in=batch.tgt_out, tgt_out=batch.tgt_out)

    how = TrainingConfig(steps=steps, max_tokens=512, schedule="linear", max_lr=1e-2, warmup=50)
    with patch("transformer_lib.training.batches.make_batch", unshifted):
        return learn("reverse", TINY, how)


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


def checked_update(model: torch.nn.Module, optimizer: Any, batch: Any, lr: float) -> float:
    """The library's update of one batch -> its loss."""
    from transformer_lib.training.step import update

    return update(model, optimizer, [batch], lr, smoothing=0.1)


def smoothing_penalty(vocab_size: int = 9, highest: int = 12) -> tuple[Tensor, dict, Tensor]:
    """Leads of the right word's score, the loss at each with and without smoothing, and its p."""
    leads = torch.arange(0, highest + 0.1, 0.1, dtype=torch.float64).round(decimals=1)
    logits = torch.zeros(len(leads), vocab_size, dtype=torch.float64)
    logits[:, 4] = leads
    target = torch.full((1,), 4)
    curves = {
        f"eps = {eps:g}": torch.stack(
            [label_smoothed_cross_entropy(row[None], target, eps) for row in logits]
        )
        for eps in (0.0, 0.1)
    }
    return leads, curves, logits.softmax(dim=-1)[:, 4]


def stored_rows() -> list[dict[str, Any]]:
    """The stored ablations, a row for each change: its shares of right rows over the seeds."""
    from course import experiments

    table: dict[str, dict[str, Any]] = {}
    for run in experiments.load("ablations")["runs"]:
        row = table.setdefault(
            run["what"],
            {
                "part": run["part"],
                "what": run["what"],
                "parameters": run["parameters"],
                "shares": [],
                "losses": [],
            },
        )
        row["shares"].append(run["right_rows"])
        row["losses"].append(run["validation_loss"])
    return list(table.values())
