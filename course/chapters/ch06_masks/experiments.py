"""Experiment: what a mask that leaks does to training, on a task that is learned in seconds.

The task is to write a row of digits backwards: 3 1 4 -> 4 1 3. Reversing, not copying: a model that
only passes on what it was shown can't be mistaken for one that has learned the task.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from course.experiments import experiment
from course.experiments.digit_training import DIGITS, Pairs, learn_pairs, right_rows
from transformer_lib.decoding import greedy_decode, inference_mode
from transformer_lib.model.config import TOY
from transformer_lib.model.masks import causal_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.text import digit_tasks
from transformer_lib.text.batching import Ids, make_batch
from transformer_lib.text.tokens import BOS, PAD, SPECIALS
from transformer_lib.training.config import TrainingConfig

TRAINING, HELD_OUT = 2_500, 500
SEEDS = (0, 1, 2)
STEPS = 300


def reversing() -> tuple[Pairs, Pairs]:
    """Rows of three to six digits and the same rows backwards, as ids: to train on, and held out.

    The id of a digit is the digit plus four: the first four belong to the special tokens.
    """
    rows = digit_tasks.make("reverse", TRAINING + HELD_OUT, min_length=3, max_length=6)
    pairs = [(DIGITS.encode(row), DIGITS.encode(backwards)) for row, backwards in rows]
    return pairs[:TRAINING], pairs[TRAINING:]


def learn_to_reverse(seed: int = 0, measure: Callable | None = None) -> tuple[Transformer, list]:
    """A new toy Transformer, trained with whatever masks the model makes -> it and its history."""
    config = TrainingConfig(
        steps=STEPS, schedule="linear", max_lr=1e-2, warmup=30, validate_every=25, seed=seed
    )
    return learn_pairs(*reversing(), TOY, config, measure=measure)


def next_word_accuracy(model: Transformer, pairs: Pairs) -> float:
    """Share of words, <eos> included, predicted right after a right beginning (teacher forcing)."""
    batch = make_batch(pairs)
    with inference_mode(model):
        best = model(batch.src, batch.tgt_in).argmax(dim=-1)
    counts = batch.tgt_out != PAD
    return float((best == batch.tgt_out)[counts].float().mean())


def written(model: Transformer, pairs: Pairs) -> list[list[int]]:
    """What the model writes for each source when it is on its own, word after word."""
    src = make_batch(pairs).src
    return greedy_decode(model, src, max_length=12, cache=False)  # so that its own masks are used


def as_digits(ids: Ids) -> list[int]:
    """The digits that the ids stand for; special tokens are left out."""
    return [i - len(SPECIALS) for i in ids if i >= len(SPECIALS)]


def sees_everything(length: int, device: torch.device | str | None = None) -> Tensor:
    """(1, 1, t, t), like `causal_mask`, but every position may look at every other: a leak."""
    return torch.ones(1, 1, length, length, dtype=torch.bool, device=device)


@contextmanager
def masked_by(mask: Callable[..., Tensor]) -> Iterator[None]:
    """Inside the `with`, every model uses this function in the place of `causal_mask`."""
    with patch("transformer_lib.model.transformer.causal_mask", mask):
        yield


@experiment("masks")
def leaking_mask() -> dict[str, Any]:
    """Learning to write digits backwards, with the causal mask and without one, on three seeds."""
    _, held_out = reversing()

    def measure(model: Transformer) -> dict[str, float]:
        return {
            "next_word": round(next_word_accuracy(model, held_out), 4),
            "right_rows": round(right_rows(model, held_out), 4),
        }

    runs = []
    for seed in SEEDS:
        for name, mask in (("causal", causal_mask), ("none", sees_everything)):
            with masked_by(mask):
                model, history = learn_to_reverse(seed, measure)
                sample = as_digits(written(model, held_out[:1])[0])
            runs.append({"mask": name, "seed": seed, "writes": sample, "history": history})
    reads = as_digits(held_out[0][0])
    return {"steps": STEPS, "held_out": HELD_OUT, "reads": reads, "runs": runs}


def influence(model: torch.nn.Module, src: Tensor, tgt_in: Tensor) -> Tensor:
    """(t, t) of True and False: does output i (row) move when the target word j (column) changes?

    src (1, s) and tgt_in (1, t) ids. The word is replaced by the next id of the vocabulary, in a
    model without dropout (eval mode).
    """
    with torch.inference_mode():
        before = model(src, tgt_in)
        moved = []
        for j in range(tgt_in.size(1)):
            changed = tgt_in.clone()
            changed[0, j] += 1
            moved.append((model(src, changed) != before).any(dim=-1)[0])
    return torch.stack(moved, dim=1)


def measured_influence() -> dict[str, Tensor]:
    """The influence in a new random model, with its causal mask and with one that leaks."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Transformer(14, 14, TOY).eval()
    src, tgt_in = torch.tensor([[5, 8, 11, 2]]), torch.tensor([[BOS, 9, 7, 5, 11]])
    sound = influence(model, src, tgt_in)
    with masked_by(sees_everything):
        leaking = influence(model, src, tgt_in)
    return {"with the causal mask": sound, "mask shows everything": leaking}
