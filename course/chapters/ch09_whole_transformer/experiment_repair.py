"""Experiment: begin with the least that could translate, and add a part until it is a Transformer.

Each machine has all parts of the one before it, and one more. All learn from the same 100,000 pairs
for the same number of steps, and each at the better of two learning rates, which its loss on the
validation pairs decides with the first seed. Small and short on purpose, so that a lack shows.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from course.experiments import experiment
from course.experiments.long_training import TrainSpec, learn_to_translate, tuned
from transformer_lib.decoding import greedy_decode
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import source_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.translator import Translator
from transformer_lib.variants import NoPositions, replace_modules

SIZES = ModelConfig(N=2, d_model=64, d_ff=128, h=1, dropout=0.0)
TRAINING = TrainingConfig(
    steps=1_500, max_tokens=1_024, schedule="linear", warmup=100, validate_every=500
)
MAX_LRS = (0.001, 0.004)
SEEDS = (0, 1, 2)
SENTENCES = 200  # of the test split, which are written word by word
SHOWN = (
    "I like trees",
    "The trees are very old",
    "My uncle woke up",
    "The old doctor sees the young women",
    "The animal didn't cross the street because it was too tired",
)


class LeftOut(nn.Module):
    """In the place of a `SublayerConnection`: the sub-layer isn't there, x goes on as it is."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return x


class Bare(nn.Module):
    """In the place of a `SublayerConnection`: only the sub-layer, nothing added, nothing normed."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return sublayer(x)


class WithoutMask(Transformer):
    """A Transformer whose decoder may look at every word of the target, also at later ones."""

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        x = self.tgt_positions(self.tgt_embed(tgt_in))
        return self.decoder(x, memory, tgt_mask=padding_mask(tgt_in), src_mask=padding_mask(src))


def bare(model: Transformer) -> Transformer:
    """Without residual connections and norms."""
    for name in ("residual_self_attn", "residual_feed_forward", "residual_cross_attn"):
        replace_modules(model, name, lambda old: Bare())
    return model


def without_positions(model: Transformer) -> Transformer:
    for name in ("src_positions", "tgt_positions"):
        replace_modules(model, name, lambda old: NoPositions())
    return model


def least(src_words: int, tgt_words: int) -> Transformer:
    """Embeddings, cross-attention, a feed-forward network and the output layer."""
    model = without_positions(bare(Transformer(src_words, tgt_words, SIZES)))
    replace_modules(model, "residual_self_attn", lambda old: LeftOut())
    replace_modules(model, "self_attn", lambda old: nn.Identity())
    for name, part in (("residual_feed_forward", LeftOut), ("feed_forward", nn.Identity)):
        replace_modules(model.encoder, name, lambda old, part=part: part())
    return model


def with_self_attention(src_words: int, tgt_words: int) -> Transformer:
    return without_positions(bare(WithoutMask(src_words, tgt_words, SIZES)))


def with_a_mask(src_words: int, tgt_words: int) -> Transformer:
    return without_positions(bare(Transformer(src_words, tgt_words, SIZES)))


def with_positions(src_words: int, tgt_words: int) -> Transformer:
    return bare(Transformer(src_words, tgt_words, SIZES))


def with_residuals(src_words: int, tgt_words: int) -> Transformer:
    return Transformer(src_words, tgt_words, SIZES)


def with_heads(src_words: int, tgt_words: int) -> Transformer:
    return Transformer(src_words, tgt_words, dataclasses.replace(SIZES, h=4))


MACHINES = (
    TrainSpec("cross-attention", least),
    TrainSpec("+ self-attention", with_self_attention),
    TrainSpec("+ mask", with_a_mask),
    TrainSpec("+ positions", with_positions),
    TrainSpec("+ residuals and norms", with_residuals),
    TrainSpec("+ heads", with_heads),
)


def translations(translator: Translator, sentences: list[str]) -> list[str]:
    """What the model writes; all words are read again each time, so that its own parts are used."""
    ids = [translator.src.encode(sentence) for sentence in sentences]
    written = greedy_decode(translator.model, source_batch(ids), max_length=24, cache=False)
    return [translator.tgt.decode(ids) for ids in written]


def scores(translator: Translator) -> dict[str, Any]:
    """Shares right to the letter, and what it writes."""
    pairs = english_spanish.load("test")[:SENTENCES]
    found = translations(translator, [english for english, _ in pairs])
    right = sum(a == b for a, (_, b) in zip(found, pairs, strict=True))
    return {
        "right": right / SENTENCES,
        "writes": dict(zip(SHOWN, translations(translator, list(SHOWN)), strict=True)),
    }


@experiment("repair")
def repaired() -> dict[str, Any]:
    """From cross-attention alone to a Transformer, a part at a time: what each can translate."""
    found = tuned("repair", MACHINES, TRAINING, MAX_LRS, SEEDS, learn_to_translate, scores)
    return {"sizes": dataclasses.asdict(SIZES), "sentences": SENTENCES, **found}
