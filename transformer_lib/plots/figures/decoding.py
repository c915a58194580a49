"""The figures of notebook 11: beam search as a tree, and what decoding costs."""

import math
from functools import cache
from typing import Any

import torch
from matplotlib.figure import Figure
from torch.utils.flop_counter import FlopCounterMode

from transformer_lib import experiments
from transformer_lib.batching import source_batch
from transformer_lib.decoding import Prefixes, deciding
from transformer_lib.plots.decoding import (
    Branch,
    Following,
    beam_stepper,
    beam_steps,
    beam_tree,
    cost_curves,
    wider_beams,
)
from transformer_lib.plots.figures.registry import figure
from transformer_lib.tokens import BOS, PAD
from transformer_lib.translator import Translator

STUDENT = "I am the student"
LENGTHS = (4, 8, 16, 32, 64)
WAYS = {"without cache": False, "with cache": True}


def next_words(translator: Translator, sentence: str) -> Following:
    """The words so far -> the log-probability of each word that can come next."""
    model, vocab = translator.model, translator.tgt.vocab
    src = source_batch([translator.src.vocab.encode(translator.read(sentence))])
    with deciding(model):
        memory = model.encode(src)

    def following(words: tuple[str, ...]) -> dict[str, float]:
        with deciding(model):
            x = model.decode(torch.tensor([[BOS, *vocab.encode(words)]]), memory, src)
            logits = model.generator(x[0, -1])
            logits[[PAD, BOS]] = -math.inf
            numbers = logits.log_softmax(dim=-1).tolist()
        return {word: n for word, n in zip(vocab.tokens, numbers, strict=True) if n > -math.inf}

    return following


@cache
def student_steps() -> list[list[Branch]]:
    """A beam of two for "I am the student"."""
    return beam_steps(next_words(Translator.load(), STUDENT), beam_size=2)


def multiplications(translator: Translator, length: int, cache: bool) -> int:
    """How many it takes to write `length` words, whichever, for "I like trees"."""
    src = source_batch([translator.src.vocab.encode(["I", "like", "trees"])])
    word = torch.tensor([5])
    with deciding(translator.model), FlopCounterMode(display=False) as counter:
        prefixes = Prefixes(translator.model, src, length, cache)
        for _ in range(length):
            prefixes.next_logits()
            prefixes.append(word)
    return counter.get_total_flops() // 2


@figure(
    "decoding-tree",
    notebook="11_decoding",
    caption="The complete tree of a beam of two for 'I am the student'.",
    alt="A tree in four columns of words with their summed log-probabilities. Two branches are "
    "kept: 'estoy', at first ahead with −0.95, and 'soy', −1.02. 'Soy estudiante' finishes with "
    "−1.30 and wins; 'estoy el estudiante' finishes a word later with −2.19. All others are "
    "dropped.",
)
def draw_tree() -> Figure:
    return beam_tree(student_steps())


@figure(
    "decoding-stepper",
    notebook="11_decoding",
    caption="Beam search to step through: a slider lets the tree grow, and branches are dropped.",
    alt="A tree at the moment after its first decision: of three first words 'estoy', −0.95, and "
    "'soy', −1.02, are kept, and 'tengo', −4.55, is dropped. A slider lets the tree grow.",
)
def draw_stepper() -> Any:
    return beam_stepper(student_steps())


@figure(
    "decoding-cost",
    notebook="11_decoding",
    caption="Multiplications to write a translation, against its length, with cache and without.",
    alt="Two curves against the number of words, up to 64. Without the cache the curve bends "
    "upwards, to more than a thousand million multiplications; with it, it is a straight line that "
    "stays under fifty million.",
)
def draw_cost() -> Figure:
    translator = Translator.load()
    costs = {
        way: [multiplications(translator, length, cache) for length in LENGTHS]
        for way, cache in WAYS.items()
    }
    return cost_curves(LENGTHS, costs)


@figure(
    "decoding-wider",
    notebook="11_decoding",
    caption="A wider beam finds likelier translations, shorter ones, and not more right ones.",
    alt="Three panels against the beam sizes 1, 2, 4 and 8. The mean log-probability of the best "
    "translation rises from −2.64 to −2.53, its mean length falls from 14.2 words to 13.9, and the "
    "share of right translations stays level at 59 percent.",
)
def draw_wider() -> Figure:
    rows = experiments.load("beam")["rows"]
    chosen = [row for row in rows if row["split"] == "longer" and row["alpha"] == 0.0]
    return wider_beams(chosen)
