"""Experiment: the moment at which a language model learns to copy from its own text.

The text is a row of random words, and the same row again. The first half can't be guessed. The
second can: find the place where the last word stood before, and say what came after it. A head that
looks there is called an induction head (Olsson et al. 2022); it needs another, one layer below,
that tells each word which one was before it. The rows are of different lengths: else it would be
enough to look a fixed number of words back, which one layer can do. Positions are rotary, so that
"the word before" is the same everywhere.
"""

import dataclasses
import random
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from course.experiments import experiment
from course.experiments.digit_training import one_thread
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.patching import Edit, ablate_head, patch_attention
from transformer_lib.interpret.recording import record_attention
from transformer_lib.model.config import ModelConfig
from transformer_lib.text.tokens import BOS, SPECIALS
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.trainer import train
from transformer_lib.variants import ModernAttention, NoPositions, Rotary, replace_modules
from transformer_lib.variants.language_model import LanguageModel, as_lm_pairs

WORDS, ROW = 40, 12  # kinds of words; words in a row, all different, when it is measured
SHORTEST, LONGEST = 5, 19  # words in a row of the training text
TRAINING, HELD_OUT = 20_000, 100
MODEL = ModelConfig(N=2, d_model=64, d_ff=128, h=4, dropout=0.0, norm_first=True)
HOW = TrainingConfig(
    steps=1200,
    max_tokens=1024,
    schedule="linear",
    max_lr=3e-3,
    warmup=100,
    smoothing=0.0,
    validate_every=25,
)
SEEDS = (0, 1, 2)


def repeated(count: int, seed: int, shortest: int = ROW, longest: int = ROW) -> list[list[int]]:
    """Rows of different words, each written twice. shortest, longest: words in a row."""
    draw = random.Random(seed)
    kinds = range(len(SPECIALS), len(SPECIALS) + WORDS)
    return [2 * draw.sample(kinds, draw.randint(shortest, longest)) for _ in range(count)]


def rotary_attention() -> nn.Module:
    rotary = Rotary(MODEL.d_model // MODEL.h)
    return ModernAttention(MODEL.d_model, MODEL.h, qk_transforms=[rotary])


def new_model(layers: Sequence[Callable[[], nn.Module]] = 2 * (rotary_attention,)) -> LanguageModel:
    """With these in place of self-attention, and random weights."""
    model = LanguageModel(len(SPECIALS) + WORDS, MODEL)
    replace_modules(model, "tgt_positions", lambda old: NoPositions())
    for layer, make in zip(model.layers, layers, strict=True):
        replace_modules(layer, "self_attn", lambda old, make=make: make())
    return model


def losses(model: LanguageModel, ids: Tensor) -> dict[str, float]:
    """Nats per word in the first row, and in the second after its first word.

    ids (b, 1 + 2 * ROW), with <bos>.
    """
    logits = model(ids[:, :-1])
    each = F.cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none")
    return {"first": each[:, :ROW].mean().item(), "second": each[:, ROW + 1 :].mean().item()}


def heads(model: LanguageModel, ids: Tensor) -> list[dict[str, Any]]:
    """For each head, its mean weight where an induction head looks, and on the word before.

    An induction head looks from a word of the second row to the one that came after it in the
    first. The word before is measured in both rows: `previous` in the second, `previous_first` in
    the first, without its first word.
    """
    with record_attention(model) as weights:
        model(ids[:, :-1])
    first = torch.arange(2, ROW + 1)
    second = torch.arange(ROW + 1, 2 * ROW)  # places of the words that another one follows
    looks = {
        "induction": (second, second - ROW + 1),
        "previous": (second, second - 1),
        "previous_first": (first, first - 1),
    }
    table = []
    for layer, w in weights.items():
        means = {name: w[:, :, *places].mean(dim=(0, 2)) for name, places in looks.items()}
        table += [
            {"layer": layer, "head": h} | {name: mean[h].item() for name, mean in means.items()}
            for h in range(w.size(1))
        ]
    return table


@one_thread()
def learn_to_repeat(seed: int) -> dict[str, Any]:
    """Train once -> how the losses fell, what the heads look at, and what hangs on the best one."""
    held_out = repeated(HELD_OUT, seed=-1)
    ids = torch.tensor([[BOS, *row] for row in held_out])
    torch.manual_seed(seed)
    model = new_model()

    def measure(model: LanguageModel) -> dict[str, Any]:
        with inference_mode(model):
            return losses(model, ids) | {"head": max(h["induction"] for h in heads(model, ids))}

    history = train(
        model,
        as_lm_pairs(repeated(TRAINING, seed, SHORTEST, LONGEST)),
        as_lm_pairs(held_out),
        dataclasses.replace(HOW, seed=seed),
        measure=measure,
        progress=tqdm(disable=True),
    )

    def second(edits: dict[str, Edit]) -> float:
        with patch_attention(model, edits):
            return losses(model, ids)["second"]

    with inference_mode(model):
        table = heads(model, ids)
        off = {
            f"{head['layer']}.{head['head']}": second({head["layer"]: ablate_head(head["head"])})
            for head in table
        }
        return {
            "seed": seed,
            "history": history,
            "heads": table,
            "best": max(table, key=lambda head: head["induction"]),
            "second": second({}),
            "second_with_a_head_off": off,
            "second_with_layer_1_off": second({"layers.1.self_attn": torch.zeros_like}),
        }


def fall(run: dict[str, Any]) -> int:
    """Steps in which the loss on the second row falls from 3 nats, the last time, to a half."""
    losses = {entry["step"]: entry["second"] for entry in run["history"]}
    start = max(step for step, loss in losses.items() if loss > 3)
    return min(step for step, loss in losses.items() if loss < 0.5) - start


@experiment("induction")
def repeated_words() -> dict[str, Any]:
    """When a language model learns to repeat what it has read, and which head does it: 3 seeds."""
    runs = [learn_to_repeat(seed) for seed in tqdm(SEEDS, unit="model")]
    settings = {"model": dataclasses.asdict(MODEL), "training": dataclasses.asdict(HOW)}
    return {
        "kinds_of_words": WORDS,
        "words_in_a_row": ROW,
        "in_training": [SHORTEST, LONGEST],
        **settings,
        "runs": runs,
    }
