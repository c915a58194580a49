"""Experiment: begin with the least that could translate, and add a part until it is a Transformer.

Each machine has all parts of the one before it, and one more. The residual connections and norms
come second, so that the other parts can show what they do. All learn from the same short pairs, for
the same number of steps, at the same learning rate. They are small and the training is short on
purpose: a lack shows, and a notebook can train one while you wait.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor, nn

from course.experiments import experiment, load_runs
from course.experiments.digit_training import one_thread
from course.experiments.long_training import TrainSpec, learning_curve, tuned
from transformer_lib.decoding import greedy_decode
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.masks import padding_mask
from transformer_lib.model.transformer import Transformer
from transformer_lib.recipes import TextPairs, learn_language
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import source_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.translator import Translator
from transformer_lib.variants import NoPositions, replace_modules

SIZES = ModelConfig(N=2, d_model=64, d_ff=128, h=1, dropout=0.0)
TRAINING = TrainingConfig(
    steps=800, max_tokens=256, schedule="linear", warmup=100, validate_every=800
)
MAX_LR = 0.003
SEEDS = (0, 1, 2)
LONGEST = 6  # words of an English sentence
WORDS = 200  # the most frequent ones, in which these sentences are written
SENTENCES = 200  # that are held out
SHOWN = (
    "I like trees",
    "The trees are old",
    "The queen doesn't like the king",
    "My father loves my mother",
    "My mother loves my father",
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


def build(parts: Sequence[str], src_words: int, tgt_words: int) -> Transformer:
    """A new machine. Without further parts it has embeddings, cross-attention and a feed-forward
    network in each decoder layer, and the output layer; the encoder's layers do nothing."""
    sizes = dataclasses.replace(SIZES, h=4 if "+ heads" in parts else 1)
    kind = Transformer if "+ mask" in parts else WithoutMask
    model = kind(src_words, tgt_words, sizes)
    if "+ positions" not in parts:
        for name in ("src_positions", "tgt_positions"):
            replace_modules(model, name, lambda old: NoPositions())
    if "+ residuals and norms" not in parts:
        for name in ("residual_self_attn", "residual_feed_forward", "residual_cross_attn"):
            replace_modules(model, name, lambda old: Bare())
    if "+ self-attention" not in parts:
        replace_modules(model, "residual_self_attn", lambda old: LeftOut())
        replace_modules(model, "self_attn", lambda old: nn.Identity())
        replace_modules(model.encoder, "residual_feed_forward", lambda old: LeftOut())
        replace_modules(model.encoder, "feed_forward", lambda old: nn.Identity())
    return model


ADDED = (
    "cross-attention",
    "+ residuals and norms",
    "+ self-attention",
    "+ mask",
    "+ positions",
    "+ heads",
)
MACHINES: dict[str, Callable[[int, int], Transformer]] = {  # what is added last -> how it is built
    parts[-1]: partial(build, parts) for parts in accumulate((what,) for what in ADDED)
}


def words(english: str) -> list[str]:
    return english.lower().rstrip("?").split()


@cache
def data() -> tuple[TextPairs, TextPairs]:
    """The pairs to learn from and the held-out ones: short ones of the frequent words only."""
    pairs = [pair for pair in english_spanish.load("train") if len(words(pair[0])) <= LONGEST]
    counts = Counter(word for english, _ in pairs for word in words(english))
    known = {word for word, _ in counts.most_common(WORDS)} | {*words(" ".join(SHOWN))}
    pairs = [pair for pair in pairs if known.issuperset(words(pair[0])) and pair[0] not in SHOWN]
    return pairs[:-SENTENCES], pairs[-SENTENCES:]


def untrained(what: str, seed: int) -> Translator:
    """A new machine; its words are those of the pairs that it will learn from."""
    english, spanish = zip(*data()[0], strict=True)
    src, tgt = learn_language("en", list(english)), learn_language("es", list(spanish))
    torch.manual_seed(seed)
    return Translator(MACHINES[what](len(src.vocab), len(tgt.vocab)).eval(), src, tgt)


@one_thread()
@torch.enable_grad()
def learn(spec: TrainSpec, how: TrainingConfig) -> tuple[Translator, dict[str, Any]]:
    """Train a machine once -> as a translator, and its size, time and learning curve."""
    translator = untrained(spec.what, how.seed)
    training, held_out = (
        [(translator.src.encode(english), translator.tgt.encode(spanish)) for english, spanish in p]
        for p in data()
    )
    return translator, learning_curve(translator.model, training, held_out, spec, how)


def trained(what: str, seed: int) -> Translator:
    """A machine that is trained now, as the stored ones were."""
    how = dataclasses.replace(TRAINING, max_lr=MAX_LR, seed=seed)
    return learn(TrainSpec(what, MACHINES[what]), how)[0]


def writes(translator: Translator, sentences: Sequence[str]) -> list[str]:
    """What the model writes; all words are read again each time, so that its own parts are used."""
    ids = [translator.src.encode(sentence) for sentence in sentences]
    written = greedy_decode(translator.model, source_batch(ids), max_length=12, cache=False)
    return [translator.tgt.decode(ids) for ids in written]


def scores(translator: Translator) -> dict[str, Any]:
    """The share of held-out sentences that are right to the letter, and what it writes."""
    held_out = data()[1]
    found = writes(translator, [english for english, _ in held_out])
    right = sum(a == b for a, (_, b) in zip(found, held_out, strict=True))
    own = writes(translator, SHOWN)
    return {"right": right / len(held_out), "writes": dict(zip(SHOWN, own, strict=True))}


@experiment("growing")
def grown() -> dict[str, Any]:
    """From cross-attention alone to a Transformer, a part at a time: what each can translate."""
    specs = [TrainSpec(what, made) for what, made in MACHINES.items()]
    found = tuned("growing", specs, TRAINING, [MAX_LR], SEEDS, learn, scores)
    sizes = {"sizes": dataclasses.asdict(SIZES), "words": WORDS, "longest": LONGEST}
    return sizes | {"sentences": SENTENCES, **found}


def runs_of(what: str) -> list[dict[str, Any]]:
    """The stored runs of a machine, one for each seed."""
    return load_runs("growing", what=what)
