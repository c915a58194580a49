"""Experiment: all weights or LoRA's few, when a finished translator learns a field's words.

Everything here was fixed before the second fifty sentences of data/beekeeping were looked at. Only
the learning rates were chosen, by the loss on ten of the fifty to learn from (CHOOSING).
"""

import functools
import random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.chapters.ch14_real_text.experiment_own_words import LEARN, judged
from course.experiments import experiment
from course.experiments.digit_training import one_thread
from course.experiments.long_training import cached
from transformer_lib.model.transformer import Transformer
from transformer_lib.recipes import TextPairs, old_pairs
from transformer_lib.text.batching import make_batch
from transformer_lib.text.parallel import read_parallel
from transformer_lib.training.step import batch_loss, count_tokens, validation_loss
from transformer_lib.translator import Translator
from transformer_lib.variants import replace_modules

STEPS, WARMUP, BATCH, SEEDS = 60, 10, 16, (0, 1, 2)
REPLAYS = (None, "phrasebook", "grammar")
OLD = 2000  # sentences to replay from, at most
RATES = {"all": (1e-4, 3e-4, 1e-3, 3e-3), "LoRA": (3e-4, 1e-3, 3e-3, 1e-2, 3e-2)}
CHOOSING = slice(4, None, 5)  # every fifth of the fifty


class LoRA(nn.Module):
    """A matrix that stays as it is, and the product of two thin ones that learn."""

    def __init__(self, old: nn.Linear, rank: int = 8) -> None:
        super().__init__()
        self.weight, self.bias = old.weight, old.bias
        self.A = nn.Parameter(torch.randn(old.in_features, rank) / old.in_features**0.5)
        self.B = nn.Parameter(torch.zeros(rank, old.out_features))

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias) + x @ self.A @ self.B


def add_lora(model: Transformer) -> None:
    """Freeze all weights, and add LoRA's to the matrices of both stacks."""
    model.requires_grad_(False)
    for stack in (model.encoder, model.decoder):
        replace_modules(stack, nn.Linear, LoRA)


@one_thread()
def teach(
    translator: Translator, pairs: TextPairs, rate: float, old: TextPairs = (), seed: int = 0
) -> None:
    """Train on 16 pairs at a time, and on as many old ones if there are any."""
    model, both = translator.model, (encoded(translator, some) for some in (pairs, old) if some)
    learn = [weights for weights in model.parameters() if weights.requires_grad]
    optimizer, draw, texts = torch.optim.Adam(learn, fused=True), random.Random(seed), list(both)
    torch.manual_seed(seed)
    model.train()
    for step in range(1, STEPS + 1):
        batch = make_batch([pair for text in texts for pair in draw.sample(text, BATCH)])
        loss = batch_loss(model, batch, smoothing=0.1) / count_tokens([batch])
        loss.backward()
        for group in optimizer.param_groups:
            group["lr"] = rate * min(step / WARMUP, (STEPS - step) / (STEPS - WARMUP))
        optimizer.step()
        optimizer.zero_grad()
    model.eval()


def encoded(translator: Translator, pairs: TextPairs) -> list[tuple[list[int], list[int]]]:
    src, tgt = translator.src, translator.tgt
    return [(src.encode(src.normalize(english)), tgt.encode(spanish)) for english, spanish in pairs]


@functools.cache
def fifty() -> TextPairs:
    return list(read_parallel([LEARN]))


def fresh(what: str, seed: int) -> Translator:
    """The larger translator as it comes, or with LoRA's new weights."""
    torch.manual_seed(seed)
    translator = Translator.load("tatoeba")
    if what == "LoRA":
        add_lora(translator.model)
    return translator


def chosen_rate(what: str) -> dict[str, Any]:
    """The rate with the lowest loss on ten pairs after learning from forty, mean of the seeds."""

    def loss(rate: float, seed: int) -> float:
        translator, kept = fresh(what, seed), fifty()[CHOOSING]
        teach(translator, [pair for pair in fifty() if pair not in kept], rate, seed=seed)
        return validation_loss(translator.model, [make_batch(encoded(translator, kept))])

    losses = {rate: sum(loss(rate, seed) for seed in SEEDS) / len(SEEDS) for rate in RATES[what]}
    best = min(losses, key=losses.__getitem__)
    return {"best": best, "losses": {str(rate): round(loss, 3) for rate, loss in losses.items()}}


def measure(what: str, rate: float, replay: str | None, seed: int) -> dict[str, Any]:
    """One training on all fifty, and what it learned and forgot."""
    translator = fresh(what, seed)
    old = {"phrasebook": "tatoeba", "grammar": "grammar"}
    others = old_pairs(old[replay])[:OLD] if replay else ()
    teach(translator, fifty(), rate, others, seed)
    found = judged(translator)
    weights = sum(one.numel() for one in translator.model.parameters() if one.requires_grad)
    return {"weights": weights} | {
        name: found[name] for name in ("words", "exact_match", "everyday")
    }


@experiment("lora")
def all_weights_or_few() -> dict[str, Any]:
    """What all weights, or LoRA's, learn from fifty sentences of a field, and what they forget."""
    choice = {}
    for what in RATES:
        about = {"what": what, "choosing": True, "steps": STEPS, "rates": RATES[what]}
        choice[what] = cached("lora-rates", about, functools.partial(chosen_rate, what))
    runs = [
        cached("lora", about, functools.partial(measure, **about))
        for what in RATES
        for replay in REPLAYS
        for seed in SEEDS
        for about in [{"what": what, "rate": choice[what]["best"], "replay": replay, "seed": seed}]
    ]
    return {"rates": {what: found["losses"] for what, found in choice.items()}, "runs": runs}
