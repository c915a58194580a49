"""Experiment: one part of 2017 exchanged at a time, and all of them together.

Everything else is equal: corpus, batches, steps, and the number of parameters, but for those that
fewer heads of keys save. The base is the model that comes with us at half its width, trained for
fewer steps. The learning rate of each is chosen on validation. On one core four hours for the
translator, two for the language model of the grammar's sentences. `since-rates` goes on where the
best rate was the highest of the grid.
"""

import dataclasses
import statistics
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from course.chapters.ch17_gpt import experiment_language_model as language_model
from course.experiments import experiment, load_runs
from course.experiments.long_training import TrainSpec, best_loss, cache_bytes, tuned
from transformer_lib.model.transformer import Transformer
from transformer_lib.recipes import RECIPES
from transformer_lib.training.config import TrainingConfig
from transformer_lib.variants import (
    ALiBi,
    GELUFeedForward,
    MixtureOfExperts,
    ModernAttention,
    NoPositions,
    QKNorm,
    RelativePositions,
    RMSNorm,
    Rotary,
    SwiGLU,
    Window,
    adamw,
    balanced_loss,
    muon,
    replace_modules,
    without_biases,
)
from transformer_lib.variants.language_model import LanguageModel

BASE = dataclasses.replace(RECIPES["en-es"].model, d_model=64, d_ff=256)
TRAINING = dataclasses.replace(RECIPES["en-es"].training, steps=1200, warmup=120)
MAX_LRS = (2e-3, 4e-3, 8e-3)
SEEDS = (0, 1, 2)
SEEDS_OF_THE_BASE = range(10)  # sixty comparisons share it
D_MODEL, H, D_K = BASE.d_model, BASE.h, BASE.d_model // BASE.h
EXPERTS = 4
Change = Callable[[nn.Module], None]


def self_attention(
    kv_heads: int = H, qk_transforms: Callable[[], list] = list, bias: Callable | None = None
) -> Change:
    """Other self-attention in encoder and decoder. qk_transforms: makes what changes q, k.

    bias: from "both ways?" (True in the encoder) to a part that all layers of a stack share.
    """

    def change(model: nn.Module) -> None:
        stacks = [(model, False)]
        if isinstance(model, Transformer):
            stacks = [(model.encoder, True), (model.decoder, False)]
        for stack, both_ways in stacks:
            biases = [bias(both_ways)] if bias else []
            replace_modules(
                stack,
                "self_attn",
                lambda old, biases=biases: ModernAttention(
                    D_MODEL, H, kv_heads, qk_transforms=qk_transforms(), biases=biases
                ),
            )

    return change


def no_positions(model: nn.Module) -> None:
    for name in ("src_positions", "tgt_positions"):
        if hasattr(model, name):  # a language model has no source
            replace_modules(model, name, lambda old: NoPositions(BASE.dropout))


def feed_forward(part: Callable[[nn.Module], nn.Module]) -> Change:
    return lambda model: replace_modules(model, "feed_forward", part)


def experts(old: nn.Module, parts: int = EXPERTS) -> nn.Module:
    """Together as large as the one network; each word computes two of them, so half of it.

    parts: how many of the four are as large as that.
    """
    width = SwiGLU.as_large_as(old).w_1.out_features // parts
    return MixtureOfExperts(D_MODEL, [SwiGLU(D_MODEL, width) for _ in range(EXPERTS)])


def multiplications(network: nn.Module, words: int = 10) -> int:
    """How many multiplications a word needs in it, counted by PyTorch."""
    with FlopCounterMode(display=False) as counter:
        network(torch.randn(1, words, D_MODEL))
    return counter.get_total_flops() // 2 // words  # an addition comes with each


def rms_norm(model: nn.Module) -> None:
    replace_modules(model, nn.LayerNorm, lambda old: RMSNorm(D_MODEL))


def make_spec(what: str, *changes: Change, model: dict | None = None, **how: Any) -> TrainSpec:
    """model: settings that differ from the base. how: see `TrainSpec`."""
    config = dataclasses.replace(BASE, **(model or {}))

    def build(src_vocab_size: int, tgt_vocab_size: int) -> nn.Module:
        """A translator, or without source words a language model."""
        made = (
            Transformer(src_vocab_size, tgt_vocab_size, config)
            if src_vocab_size
            else LanguageModel(tgt_vocab_size, config)
        )
        for change in changes:
            change(made)
        return made

    return TrainSpec(what, build, **how)


ROTARY = self_attention(qk_transforms=lambda: [Rotary(D_K)])
TODAY = self_attention(H // 2, qk_transforms=lambda: [QKNorm(D_K), Rotary(D_K)])


def today(what: str, attention: Change) -> TrainSpec:
    """All parts of newer models together, with this change of the self-attention."""
    return make_spec(
        what,
        attention,
        no_positions,
        rms_norm,
        feed_forward(SwiGLU.as_large_as),
        without_biases,
        model={"norm_first": True},
        training={"schedule": "stable"},
        optimizer=adamw,
    )


SPECS = (
    make_spec("base"),
    make_spec("pre-norm", model={"norm_first": True}),
    make_spec("RMSNorm", rms_norm),
    make_spec("no biases", without_biases),
    make_spec("GELU", feed_forward(lambda old: GELUFeedForward(D_MODEL, BASE.d_ff))),
    make_spec("SwiGLU", feed_forward(SwiGLU.as_large_as)),
    make_spec("mixture of experts", feed_forward(experts), loss=balanced_loss),
    make_spec("no positions", no_positions),
    make_spec("rotary", ROTARY, no_positions),
    make_spec("ALiBi", self_attention(bias=lambda both_ways: ALiBi(H)), no_positions),
    make_spec(
        "T5's positions", self_attention(bias=lambda both: RelativePositions(H, both)), no_positions
    ),
    make_spec("window of 5", self_attention(bias=lambda both_ways: Window(5))),
    make_spec("QK-norm", self_attention(qk_transforms=lambda: [QKNorm(D_K)])),
    make_spec("grouped queries", self_attention(H // 2)),
    make_spec("multi-query", self_attention(1)),
    make_spec("not tied", model={"tie_weights": "none"}),
    make_spec("AdamW", optimizer=adamw),
    make_spec("Muon", optimizer=muon),
    make_spec("cosine", training={"schedule": "cosine"}),
    make_spec("stable", training={"schedule": "stable"}),
    today("today", TODAY),
)
GROUPS = {  # the parts as notebook 18 tells of them
    "norms": ("pre-norm", "RMSNorm", "no biases"),
    "feed-forward": ("GELU", "SwiGLU", "mixture of experts"),
    "positions": ("no positions", "rotary", "ALiBi", "T5's positions"),
    "attention": ("window of 5", "QK-norm", "grouped queries", "multi-query"),
    "training": ("not tied", "AdamW", "Muon", "cosine", "stable"),
    "all together": ("today",),
}
TOLD = {  # by another name than the stored one
    "window of 5": "window of ±4",
    "mixture of experts": "small experts",
    "mixture of experts, equal compute": "larger experts",
}
ELSEWHERE = "elsewhere"  # the group of what is measured in an experiment of its own
ASKED = ("test", "pronoun", "longer")  # the splits that it tells of
BEYOND = (15, 15), (16, 16), (17, 19)  # English tokens of `longer`; in training at most 14


def points(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each spec, the base first: "what", its "group", and for each split of `ASKED`
    how many percentage points each of its seeds is above the mean of the base's. Only runs with
    the chosen peak count.
    """
    right: dict[str, dict[str, list[float]]] = {}  # what -> split -> percent, of each seed
    for run in (run for run in runs if run["chosen"]):
        for split in ASKED:
            shares = right.setdefault(run["what"], {}).setdefault(split, [])
            shares.append(100 * run["right"][split])
    means = {split: statistics.mean(shares) for split, shares in right["base"].items()}
    elsewhere = dict.fromkeys(right.keys() - groups().keys(), ELSEWHERE)
    return [
        {"what": what, "group": group}
        | {split: [share - means[split] for share in right[what][split]] for split in ASKED}
        for what, group in (groups() | elsewhere).items()
        if what in right
    ]


def worth(
    rows: Sequence[dict[str, Any]], group: str, kept: dict[str, int], star: Callable[..., str]
) -> str:
    """A line for each part of a group: its mean for each split, above the base's, in points.

    rows: as `points` has them; kept: bytes of the cache, told with their share of the base's where
    they differ; star: from a row's seeds and the base's to what marks a clear difference.
    """
    base, lines = rows[0], []
    for row in rows:
        if row["group"] == group:
            told = [
                f"{split} {statistics.mean(row[split]):+5.1f}{star(row[split], base[split])}"
                for split in ASKED
            ]
            held = kept.get(row["what"], kept["base"])
            share = held / kept["base"]
            told += [] if share == 1 else [f"cache {held:,} bytes, {share:.0%}"]
            name = TOLD.get(row["what"], row["what"])
            lines.append(" ".join([f"{name:15}", *told]))
    return "\n".join(lines)


def right_between(run: dict[str, Any], first: int, last: int) -> float:
    """Exact match on the sentences with `first` to `last` English tokens."""
    asked = [entry for entry in run["by_length"] if first <= entry["tokens"] <= last]
    return sum(entry["right"] for entry in asked) / sum(entry["sentences"] for entry in asked)


def groups() -> dict[str, str]:
    """What is exchanged -> the group it belongs to, the base first."""
    return {"base": "base"} | {what: name for name, parts in GROUPS.items() for what in parts}


def nearer(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each language model, like those of `points`.

    "nearer": by how many percent each seed reduces the base's mean distance to the floor.
    """
    floor = language_model.floor_under(language_model.VALIDATION)
    above: dict[str, list[float]] = {}
    for run in (run for run in runs if run["chosen"]):
        above.setdefault(run["what"], []).append(best_loss(run) - floor)
    mean = statistics.mean(above["base"])
    return [
        {"what": what, "group": group, "nearer": [100 * (1 - one / mean) for one in above[what]]}
        for what, group in groups().items()
    ]


@experiment("since")
def parts_since_2017() -> dict[str, Any]:
    """What each part of newer models is worth here, exchanged one at a time, on three seeds."""
    kept = {one.what: cache_bytes(one.build(8, 8)) for one in SPECS}
    more = {"base": SEEDS_OF_THE_BASE[len(SEEDS) :]}
    found = tuned("since", SPECS, TRAINING, MAX_LRS, SEEDS, more_seeds=more)
    return found | {"cache_bytes_of_20_words": kept}


def with_higher_rates(
    name: str, spec: TrainSpec, training: TrainingConfig, *how: Any
) -> list[dict[str, Any]]:
    """The runs of a spec with the grid of rates extended, by doubling, until the loss rises.

    name: the experiment whose runs these go on from. how: its `learn` and `score`, see `tuned`.
    """
    rates = list(MAX_LRS)
    while True:
        first = tuned(name, [spec], training, rates, SEEDS[:1], *how)["runs"]
        if len(first) < len(rates):
            raise KeyboardInterrupt  # it was stopped in there
        if not any(run["chosen"] and run["max_lr"] == rates[-1] for run in first):
            return tuned(name, [spec], training, rates, SEEDS, *how)["runs"]
        rates.append(2 * rates[-1])


def beyond_the_grid(name: str, training: TrainingConfig, *how: Any) -> dict[str, Any]:
    """`with_higher_rates` for each spec whose best rate was the highest tried."""
    runs: list[dict[str, Any]] = []
    edge = {run["what"] for run in load_runs(name, chosen=True, max_lr=max(MAX_LRS))}
    with suppress(KeyboardInterrupt):  # then what is complete is stored, and the next call goes on
        for spec in SPECS:
            if spec.what in edge:
                runs += with_higher_rates(name, spec, training, *how)
    return {"training": dataclasses.asdict(training), "runs": runs}


@experiment("since-rates")
def rates_beyond_the_grid() -> dict[str, Any]:
    """Higher learning rates for the parts whose best rate was the highest one tried."""
    return beyond_the_grid("since", TRAINING)


def experts_of_equal_compute(old: nn.Module) -> nn.Module:
    """Each word computes two experts that are together as large as the one network; four are
    stored, so the feed-forward has twice the weights."""
    return experts(old, parts=2)


@experiment("since-experts")
def experts_at_equal_compute() -> dict[str, Any]:
    """What experts bring when each word computes as much as without them, on three seeds."""
    spec = make_spec(
        "mixture of experts, equal compute",
        feed_forward(experts_of_equal_compute),
        loss=balanced_loss,
    )
    return tuned("since-experts", [spec], TRAINING, (*MAX_LRS[1:], 2 * MAX_LRS[-1]), SEEDS)


LARGER_BASE = 500_000.0  # Llama 3's; 10,000 is that of 2017's waves and of the first rotary models


@experiment("since-rotary-base")
def rotary_with_a_larger_base() -> dict[str, Any]:
    """Rotary positions with slower hands, as in models for long texts, on three seeds."""
    slower = self_attention(qk_transforms=lambda: [Rotary(D_K, LARGER_BASE)])
    spec = make_spec("rotary, larger base", slower, no_positions)
    return tuned("since-rotary-base", [spec], TRAINING, MAX_LRS, SEEDS)


LANGUAGE_MODEL_TRAINING = dataclasses.replace(language_model.TRAINING, steps=TRAINING.steps)
LANGUAGE_MODEL = (language_model.learn, lambda model: {})


@experiment("since-language-model")
def parts_of_a_language_model() -> dict[str, Any]:
    """What each part is worth to a language model of the grammar's sentences, on three seeds."""
    return tuned(
        "since-language-model",
        SPECS,
        LANGUAGE_MODEL_TRAINING,
        MAX_LRS,
        SEEDS,
        *LANGUAGE_MODEL,
    )


@experiment("since-language-model-rates")
def rates_of_a_language_model() -> dict[str, Any]:
    """`since-rates` for the language model."""
    return beyond_the_grid("since-language-model", LANGUAGE_MODEL_TRAINING, *LANGUAGE_MODEL)
