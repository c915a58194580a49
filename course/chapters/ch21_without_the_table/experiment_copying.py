"""Experiment: how long a row a state of fixed size can copy, and what one layer of attention adds.

The text is notebook 17's: a row of different random words, and the same row again. All is as there
but for the length of the rows. To copy, a model has to know for each word of the row which one came
after it; attention looks it up in its cache, which grows with the row, a state has to hold it. Each
kind of layer gets a short convolution, as in Mamba, which shows it the last few words; so what
differs is what is kept. Every model sees the same rows in the same order.
"""

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from tqdm import tqdm

from course.chapters.ch17_gpt import experiment_induction as rows
from course.chapters.ch21_without_the_table.mixers import (
    LinearAttention,
    MinGRU,
    ShortConvolution,
    StateMixer,
    StateSpace,
    numbers,
)
from course.experiments import experiment, load_runs
from course.experiments.digit_training import one_thread
from course.experiments.long_training import cached
from transformer_lib.decoding import inference_mode
from transformer_lib.model.transformer import count_parameters
from transformer_lib.text.tokens import BOS
from transformer_lib.training.trainer import train
from transformer_lib.variants import ModernAttention, Rotary
from transformer_lib.variants.language_model import LanguageModel, as_lm_pairs

SHORTEST, LONGEST = 4, 32  # words in a row of the training text
ASKED = (4, 8, 12, 16, 20, 24, 28, 32)  # words in a row when it is measured
HELD_OUT = 100  # rows of each length
SHORT = 4  # words that the convolution sees
SEEDS = (0, 1, 2)
MAX_LRS = 8e-3, 1.6e-2  # each kind has its own, chosen at one size with the first seed
HOW = dataclasses.replace(rows.HOW, steps=1000, validate_every=250)
D, H = rows.MODEL.d_model, rows.MODEL.h
Make = Callable[[], nn.Module]


class ShortBefore(nn.Module):
    """The convolution for attention: queries and keys (b, h, t, d_k) of one text -> the same."""

    def __init__(self) -> None:
        super().__init__()
        self.short = ShortConvolution(2 * D, SHORT)

    def forward(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
        both = torch.cat([query, key], dim=1).transpose(1, 2).flatten(2)
        both, _ = self.short(both, self.short.start(len(both)))
        query, key = both.unflatten(-1, (2 * H, -1)).transpose(1, 2).chunk(2, dim=1)
        return query, key


def attention() -> nn.Module:
    return ModernAttention(D, H, qk_transforms=[ShortBefore(), Rotary(D // H)])


def linear(n: int) -> StateMixer:
    return LinearAttention(D, H, n, short=SHORT, unit_keys=True)


def space(n: int) -> StateMixer:
    return StateSpace(D, H, n, short=SHORT)


# kind -> what makes a layer of a size, its sizes, and the one at which its rate is chosen
KINDS: dict[str, tuple[Callable[[int], nn.Module], tuple[int, ...], int]] = {
    "linear attention": (linear, (2, 4, 8, 16, 32), 16),
    "state space": (space, (4, 8, 16, 32), 16),
    "minGRU": (lambda e: MinGRU(D, e, short=SHORT), (64, 256), 256),
    # with elu + 1 and its denominator
    "linear attention of 2020": (lambda n: LinearAttention(D, H, n, short=SHORT), (16,), 16),
}
ONE = "one layer of attention"
HYBRID = 4  # n of the state space that stands below one layer of attention


def models() -> dict[tuple[str, int], list[Make]]:
    """(name, size of its state) -> the layers of a model for this experiment."""
    made = {
        (kind, size): 2 * [partial(make, size)]
        for kind, (make, sizes, _) in KINDS.items()
        for size in sizes
    }
    return made | {
        (ONE, HYBRID): [partial(space, HYBRID), attention],
        ("attention", 0): 2 * [attention],
    }


def state_numbers(model: LanguageModel) -> int:
    """Numbers that its layers hand on, from word to word; of attention none."""
    mixers = [layer.self_attn for layer in model.layers]
    return sum(numbers(mixer.start(1)) for mixer in mixers if isinstance(mixer, StateMixer))


@torch.inference_mode()
def copied(model: LanguageModel, ids: Tensor) -> float:
    """The share of the second row's words, without its first, that get the highest logit.

    ids (b, 1 + 2 * words in a row), with <bos>.
    """
    words = (ids.size(1) - 1) // 2
    guessed = model(ids[:, :-1]).argmax(dim=-1)[:, words + 1 :]
    return (guessed == ids[:, words + 2 :]).float().mean().item()


def asked(words: int) -> Tensor:
    drawn = rows.repeated(HELD_OUT, seed=-1 - words, shortest=words, longest=words)
    return torch.tensor([[BOS, *row] for row in drawn])


def by_length(model: LanguageModel) -> dict[str, float]:
    """Words in a row -> the share that is copied."""
    with inference_mode(model):
        return {str(words): copied(model, asked(words)) for words in ASKED}


@one_thread()
def learn_to_copy(layers: Sequence[Make], how: Any) -> tuple[LanguageModel, dict[str, Any]]:
    """Train once -> the model, and what to store about it."""
    training = rows.repeated(rows.TRAINING, how.seed, SHORTEST, LONGEST)
    held_out = rows.repeated(2 * HELD_OUT, -1, SHORTEST, LONGEST)
    torch.manual_seed(how.seed)
    model = rows.new_model(layers)
    pairs = as_lm_pairs(training), as_lm_pairs(held_out)
    history = train(model, *pairs, how, progress=tqdm(disable=True))
    return model, {
        "parameters": count_parameters(model),
        "state": state_numbers(model),
        "validation_loss": history[-1]["validation_loss"],
        "copied": by_length(model),
    }


def learn(kind: str, size: int, max_lr: float, seed: int, steps: int = HOW.steps) -> dict[str, Any]:
    """The results of one training, cached when it is done."""
    how = dataclasses.replace(HOW, max_lr=max_lr, seed=seed, steps=steps)
    settings = {"kind": kind, "size": size, "training": dataclasses.asdict(how)}
    settings |= {"rows": [SHORTEST, LONGEST], "seed": seed, "max_lr": max_lr}
    return cached("copying", settings, lambda: learn_to_copy(models()[kind, size], how)[1])


def sizes() -> dict[str, list[int]]:
    """Kind -> its sizes."""
    found: dict[str, list[int]] = {}
    for kind, size in models():
        found.setdefault(kind, []).append(size)
    return found


def chosen_at(kind: str) -> int:
    """The size at which a kind's rate is chosen."""
    return KINDS[kind][2] if kind in KINDS else sizes()[kind][0]


@experiment("copying")
def rows_longer_than_the_state() -> dict[str, Any]:
    """How long a row each kind of layer copies, for states of several sizes, on three seeds."""
    runs = runs_of(SEEDS)
    return {
        "kinds_of_words": rows.WORDS,
        "in_training": [SHORTEST, LONGEST],
        "model": dataclasses.asdict(rows.MODEL),
        "training": dataclasses.asdict(HOW),
        "runs": runs + twice_as_long(runs),
    }


def twice_as_long(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One layer of attention once more: added when one seed of three had not learned to use it."""
    (rate,) = {run["max_lr"] for run in runs if run["kind"] == ONE and run["chosen"]}
    found = [learn(ONE, HYBRID, rate, seed, 2 * HOW.steps) for seed in SEEDS]
    return [run | {"chosen": False} for run in found]


def runs_of(seeds: Sequence[int]) -> list[dict[str, Any]]:
    """The rate of each kind is chosen at one size, by the loss with the first seed."""
    runs, kinds = [], sizes()
    with tqdm(total=len(kinds) * len(MAX_LRS), unit="model") as progress:
        for kind, every in kinds.items():
            at, tried = chosen_at(kind), []
            for max_lr in MAX_LRS:
                tried.append(learn(kind, at, max_lr, SEEDS[0]))
                progress.update(1)
            best = min(tried, key=lambda run: run["validation_loss"])["max_lr"]
            runs += [run | {"chosen": False} for run in tried if run["max_lr"] != best]
            for size in every:
                runs += [learn(kind, size, best, seed) | {"chosen": True} for seed in seeds]
    return runs


@experiment("copying-rates")
def rates_beyond_the_grid() -> dict[str, Any]:
    """Lower or higher rates for each kind, until the loss rises; where one is better, all sizes."""
    runs: list[dict[str, Any]] = []
    for kind, every in sizes().items():
        at = chosen_at(kind)
        (best,) = {run["max_lr"] for run in load_runs("copying", kind=kind, chosen=True)}
        further = 0.5 if best == min(MAX_LRS) else 2
        tried = [learn(kind, at, best, SEEDS[0]), learn(kind, at, further * best, SEEDS[0])]
        while tried[-1]["validation_loss"] < tried[-2]["validation_loss"]:
            tried.append(learn(kind, at, further * tried[-1]["max_lr"], SEEDS[0]))
        better = tried[-2]["max_lr"]
        runs += [run | {"chosen": False} for run in tried if run["max_lr"] != better]
        again = [(at, SEEDS[0])]
        if better != best:
            again = [(size, seed) for size in every for seed in SEEDS]
        runs += [learn(kind, size, better, seed) | {"chosen": True} for size, seed in again]
    return {"training": dataclasses.asdict(HOW), "runs": runs}
