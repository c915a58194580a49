"""The figures of notebook 11: beam search as a tree, and what decoding costs."""

import math
from functools import cache
from typing import Any

import torch
from matplotlib.figure import Figure
from torch.utils.flop_counter import FlopCounterMode

from transformer_lib import experiments
from transformer_lib.batching import source_batch
from transformer_lib.decoding import Prefixes, deciding, sharpen
from transformer_lib.plots.decoding import (
    Branch,
    Following,
    beam_stepper,
    beam_steps,
    beam_tree,
    cost_curves,
    sharpened_rows,
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


def words_through(translator: Translator, length: int, cache: bool) -> list[int]:
    """How many words go through the decoder at each step, until `length` are written."""
    seen: list[int] = []
    layer = translator.model.decoder.layers[0].feed_forward
    hook = layer.register_forward_hook(lambda _, args, __: seen.append(args[0].size(1)))
    try:
        multiplications(translator, length, cache)
    finally:
        hook.remove()
    return seen


MEANINGS = {"estoy, soy": "am", "tengo": "have", "el": "the", "al": "to the"}


@figure(
    "decoding-tree",
    notebook="11_decoding",
    caption="The complete tree of a beam of two for 'I am the student'.",
    alt="A tree in four columns of words with their summed log-probabilities. Two branches are "
    "kept: 'estoy', at first ahead with −0.95, and 'soy', −1.02. 'Soy estudiante' finishes with "
    "−1.30 and wins; 'estoy el estudiante' finishes a word later with −2.19. All others "
    "are dropped, and of those only the likeliest of each branch is drawn.",
    hero=True,
)
def draw_tree() -> Figure:
    drawn = beam_tree(
        student_steps(), title="“I am the student”: the two likeliest live on, the others are cut"
    )
    drawn.axes[0].text(
        0.01, 0.02, "\n".join(f"{spanish}: {english}" for spanish, english in MEANINGS.items()),
        transform=drawn.axes[0].transAxes, va="bottom", color="#4A4A4A", linespacing=1.35,
        fontsize=11,
    )  # fmt: skip
    return drawn


@figure(
    "decoding-stepper",
    notebook="11_decoding",
    caption="Beam search to step through: a slider lets the tree grow, and branches are dropped.",
    alt="A tree at the moment when its second words have grown and nothing is decided yet: after "
    "'estoy', which is ahead with −0.95, stand 'el' and 'al', after 'soy' stand 'estudiante' and "
    "another. The columns of word 3 and word 4 are still empty. A slider lets the tree grow.",
)
def draw_stepper() -> Any:
    return beam_stepper(student_steps(), start=3)


@figure(
    "decoding-cost",
    notebook="11_decoding",
    caption="Multiplications to write a translation, against its length, with cache and without.",
    alt="Two curves against the number of words, up to 64. Without the cache the curve bends "
    "upwards, to 1,037 million multiplications at 64 words; with it, as keys and values of the "
    "words before are kept, it is a straight line that comes to 47 million.",
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
    alt="Three panels with a row for each of the beam sizes 1, 2, 4 and 8. Likelier: the mean "
    "log-probability of the best translation rises from −2.64 to −2.53. Shorter: its mean length "
    "falls from 14.2 words to 13.9. Not more often right: 58.8 percent at first, then 58.5.",
)
def draw_wider() -> Figure:
    rows = experiments.load("beam")["rows"]
    chosen = [row for row in rows if row["split"] == "longer" and row["alpha"] == 0.0]
    return wider_beams(chosen)


SHARPENED = {
    "as the model says\n": {},
    "temperature 0.5:\nlikely words gain": {"temperature": 0.5},
    "temperature 1.5:\nrare words gain": {"temperature": 1.5},
    "top-k, k = 3: only\nthe 3 likeliest": {"top_k": 3},
    "top-p, p = 0.7: the\nfewest that add to 0.7": {"top_p": 0.7},
    "top-k, k = 1, greedy:\nalways the likeliest": {"top_k": 1},
}
FIRST_WORDS = {"estoy": "am", "soy": "am", "tengo": "have"}


def sharpened_first_words() -> tuple[dict[str, dict[str, float]], str]:
    """How likely each first word of "I am the student" is drawn, for each way to sharpen."""
    following = next_words(Translator.load(), STUDENT)(())
    words, logits = list(following), torch.tensor(list(following.values()))
    others = "all others"
    panels = {}
    for name, how in SHARPENED.items():
        p = dict(zip(words, sharpen(logits, **how).tolist(), strict=True))
        row = {f"{word} ({english})": p[word] for word, english in FIRST_WORDS.items()}
        rest = sum(p[word] for word in words if word not in FIRST_WORDS)
        panels[name] = {**row, others: rest}
    return panels, others


@figure(
    "decoding-sampling",
    notebook="11_decoding",
    caption="What temperature, top-k and top-p make of one row of probabilities.",
    alt="Six panels of bars for the first Spanish word of 'I am the student': 'estoy', 'soy', "
    "'tengo', and all others together. As the model says: 0.39, 0.36, 0.01 and 0.24. "
    "Temperature 0.5 leaves nearly nothing for the others, temperature 1.5 gives them 0.79. "
    "Top-k 3 keeps the first three, top-p 0.7 the first two, top-k 1 only 'estoy'.",
)
def draw_sampling() -> Figure:
    drawn = sharpened_rows(*sharpened_first_words())
    drawn.suptitle(f"The first Spanish word for “{STUDENT}”: how likely is each?", fontsize=14,
                   weight="bold")  # fmt: skip
    return drawn
