"""Experiment: begin with the least that could translate, and add a part until it is a Transformer.

As `repair`, but the residual connections and norms come second, so that the other parts can show
what they do. All learn from the same short pairs, for the same number of steps, at the same
learning rate. Small and short on purpose, so that a notebook can train one while you wait.
"""

import dataclasses
from collections import Counter
from functools import cache
from typing import Any

import torch
from torch import nn

from course.chapters.ch09_whole_transformer import experiment_repair as repair
from course.experiments import experiment, load
from course.experiments.digit_training import one_thread
from course.experiments.long_training import TrainSpec, learning_curve, tuned
from transformer_lib.decoding import greedy_decode
from transformer_lib.model.transformer import Transformer
from transformer_lib.recipes import TextPairs, learn_language
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import source_batch
from transformer_lib.training.config import TrainingConfig
from transformer_lib.translator import Translator
from transformer_lib.variants import replace_modules

TRAINING = TrainingConfig(
    steps=800, max_tokens=256, schedule="linear", warmup=100, validate_every=800
)
MAX_LRS = (0.003,)
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


def with_residuals(src_words: int, tgt_words: int) -> Transformer:
    """Embeddings, and in each decoder layer cross-attention and a feed-forward network, each with
    its add & norm; the encoder's layers do nothing."""
    model = repair.without_positions(Transformer(src_words, tgt_words, repair.SIZES))
    replace_modules(model, "residual_self_attn", lambda old: repair.LeftOut())
    replace_modules(model, "self_attn", lambda old: nn.Identity())
    replace_modules(model.encoder, "residual_feed_forward", lambda old: repair.LeftOut())
    replace_modules(model.encoder, "feed_forward", lambda old: nn.Identity())
    return model


def least(src_words: int, tgt_words: int) -> Transformer:
    """The same without residual connections and norms."""
    model = with_residuals(src_words, tgt_words)
    for name in ("residual_cross_attn", "residual_feed_forward"):
        replace_modules(model.decoder, name, lambda old: repair.Bare())
    return model


def with_self_attention(src_words: int, tgt_words: int) -> Transformer:
    return repair.without_positions(repair.WithoutMask(src_words, tgt_words, repair.SIZES))


def with_a_mask(src_words: int, tgt_words: int) -> Transformer:
    return repair.without_positions(Transformer(src_words, tgt_words, repair.SIZES))


MACHINES = {
    "cross-attention": least,
    "+ residuals and norms": with_residuals,
    "+ self-attention": with_self_attention,
    "+ mask": with_a_mask,
    "+ positions": repair.with_residuals,  # all but the heads
    "+ heads": repair.with_heads,
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
    how = dataclasses.replace(TRAINING, max_lr=MAX_LRS[0], seed=seed)
    return learn(TrainSpec(what, MACHINES[what]), how)[0]


def writes(translator: Translator, sentences: list[str]) -> list[str]:
    """What the model writes; all words are read again each time, so that its own parts are used."""
    ids = [translator.src.encode(sentence) for sentence in sentences]
    written = greedy_decode(translator.model, source_batch(ids), max_length=12, cache=False)
    return [translator.tgt.decode(ids) for ids in written]


def scores(translator: Translator) -> dict[str, Any]:
    """The share of test sentences that are right to the letter, and what it writes."""
    pairs = data()[1]
    found = writes(translator, [english for english, _ in pairs])
    right = [a == b for a, (_, b) in zip(found, pairs, strict=True)]
    return {
        "right": sum(right) / len(pairs),
        "writes": dict(zip(SHOWN, writes(translator, list(SHOWN)), strict=True)),
    }


@experiment("growing")
def grown() -> dict[str, Any]:
    """From cross-attention alone to a Transformer, a part at a time: what each can translate."""
    specs = [TrainSpec(what, build) for what, build in MACHINES.items()]
    found = tuned("growing", specs, TRAINING, MAX_LRS, SEEDS, learn, scores)
    sizes = {"sizes": dataclasses.asdict(repair.SIZES), "words": WORDS, "longest": LONGEST}
    return sizes | {"sentences": SENTENCES, **found}


def runs_of(what: str) -> list[dict[str, Any]]:
    """The stored runs of a machine, one for each seed."""
    return [run for run in load("growing")["runs"] if run["what"] == what]
