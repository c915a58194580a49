"""What the experiments of a night share: trainings on our corpus, each cached when it is done."""

import dataclasses
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from tqdm import tqdm

from course import experiments
from transformer_lib.decoding import DecoderState, inference_mode
from transformer_lib.files import read_json, write_json
from transformer_lib.metrics import pair_exact_match
from transformer_lib.model.transformer import count_parameters
from transformer_lib.recipes import RECIPES, TrainingData
from transformer_lib.text import english_spanish
from transformer_lib.text.data import cache_folder
from transformer_lib.text.tokens import EOS
from transformer_lib.training.batches import Pairs
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.optimizers import adam
from transformer_lib.training.step import batch_loss
from transformer_lib.training.trainer import train
from transformer_lib.translator import Translator

SPLITS = english_spanish.SPLITS[1:]


@dataclass(frozen=True)
class TrainSpec:
    """A model to train, and how. build: (source words, target words) -> a new model.

    training: settings that differ from the experiment's. optimizer, loss: as for `train`.
    """

    what: str
    build: Callable[[int, int], nn.Module]
    training: dict[str, Any] = field(default_factory=dict)
    optimizer: Callable[[nn.Module], Any] = adam
    loss: Callable[..., Tensor] = batch_loss


def cached(
    experiment: str, settings: dict[str, Any], measure: Callable[[], dict]
) -> dict[str, Any]:
    """The settings and what `measure` returns, from the cache if it is there, or else measured now.

    An experiment that was stopped goes on with the next training, even on another machine that has
    its stored results. The settings are the key: results with other settings, or with another
    version of PyTorch, aren't used.
    """
    settings = json.loads(json.dumps(settings))  # as a file gives them back
    about = json.dumps([experiment, torch.__version__, settings])
    name = f"{experiment}-{hashlib.sha256(about.encode()).hexdigest()[:16]}.json"
    path = Path(cache_folder()) / "experiments" / name
    if not path.exists():
        found = load_cached(experiment, settings) or settings | measure()
        write_json(path, found)
    return read_json(path)


def load_cached(experiment: str, settings: dict[str, Any]) -> dict[str, Any] | None:
    """The run with these settings among the stored ones, if there is one."""
    path = experiments.RESULTS / f"{experiment}.json"
    if not path.exists():
        return None
    content = read_json(path)
    if content["torch"] != torch.__version__.split("+")[0]:
        return None
    return next((run for run in content["runs"] if settings.items() <= complete(run).items()), None)


def complete(run: dict[str, Any]) -> dict[str, Any]:
    """A stored run, with the defaults of settings that came after it."""
    if "training" not in run:
        return run
    return run | {"training": dataclasses.asdict(TrainingConfig()) | run["training"]}


@cache
def training_data() -> TrainingData:
    """The English-Spanish corpus in the tokens of the shipped model."""
    return RECIPES["en-es"].load_data(Path())


def tuned(
    experiment: str,
    specs: Sequence[TrainSpec],
    training: TrainingConfig,
    max_lrs: Sequence[float],
    seeds: Sequence[int],
    learn: Callable[[TrainSpec, TrainingConfig], tuple[Any, dict[str, Any]]] | None = None,
    score: Callable[[Any], dict[str, Any]] | None = None,
    more_seeds: Mapping[str, Sequence[int]] | None = None,
) -> dict[str, Any]:
    """Train each spec with the first seed at every max_lr, then with the other seeds at its best.

    max_lrs: the highest learning rates to choose from; only the validation loss decides. The runs
    at a spec's best rate have "chosen": true. Short trainings can't choose, because they favor
    rates that are too high. learn: trains a spec -> what was trained, and what to store about it
    (None: `learn_to_translate`). score: what to measure of it (None: `scores`). more_seeds:
    spec.what -> further seeds at its best rate, for a spec that many others are compared with.
    """
    learn, score, more_seeds = learn or learn_to_translate, score or scores, more_seeds or {}
    runs = []

    def run(spec: TrainSpec, max_lr: float, seed: int) -> dict[str, Any]:
        progress.set_description(f"{spec.what}, {max_lr:g}, seed {seed}")
        how = dataclasses.replace(training, max_lr=max_lr, seed=seed, **spec.training)
        settings = {
            "what": spec.what,
            "max_lr": max_lr,
            "seed": seed,
            "training": dataclasses.asdict(how),
        }

        def measure() -> dict[str, Any]:
            trained, found = learn(spec, how)
            return found | score(trained)

        found = cached(experiment, settings, measure)
        progress.update(1)
        return found

    with (
        tqdm(
            total=len(specs) * (len(max_lrs) + len(seeds) - 1)
            + sum(len(more_seeds.get(spec.what, ())) for spec in specs),
            unit="training",
        ) as progress,
        suppress(KeyboardInterrupt),  # then what is complete is stored, and the next call goes on
    ):
        for spec in specs:
            first = [run(spec, max_lr, seeds[0]) for max_lr in max_lrs]
            best = min(first, key=best_loss)["max_lr"]
            further = [*seeds[1:], *more_seeds.get(spec.what, ())]
            others = [run(spec, best, seed) for seed in further]
            runs += [found | {"chosen": found["max_lr"] == best} for found in first + others]
    return {"training": dataclasses.asdict(training), "max_lrs": list(max_lrs), "runs": runs}


def best_loss(run: dict[str, Any]) -> float:
    """The lowest validation loss of a run; the run ends with the weights that had it."""
    return min(entry["validation_loss"] for entry in run["history"])


def learn_to_translate(spec: TrainSpec, how: TrainingConfig) -> tuple[Translator, dict[str, Any]]:
    """Train a translator once -> the translator, and its size, time and learning curve."""
    corpus = training_data()
    torch.manual_seed(how.seed)
    model = spec.build(len(corpus.src.vocab), len(corpus.tgt.vocab))
    found = learning_curve(model, corpus.training, corpus.validation, spec, how)
    return Translator(model, corpus.src, corpus.tgt), found


def learning_curve(
    model: nn.Module, training: Pairs, validation: Pairs, spec: TrainSpec, how: TrainingConfig
) -> dict[str, Any]:
    """Train a model as its spec says -> its size, time per step and learning curve."""
    began = time.perf_counter()
    history = train(
        model,
        training,
        validation,
        how,
        progress=tqdm(disable=True),
        optimizer=spec.optimizer,
        loss=spec.loss,
    )
    seconds = time.perf_counter() - began
    return {
        "parameters": count_parameters(model),
        "seconds_per_step": round(seconds / how.steps, 4),
        "history": history,
    }


def scores(translator: Translator) -> dict[str, Any]:
    """Exact match on each split ("right"), on pronoun pairs (both sentences right), and by length.

    by_length: for each number of English tokens, how many sentences of all splits have it, and how
    many of them are right.
    """
    right, sentences, good = {}, Counter(), Counter()
    for split in SPLITS:
        pairs = english_spanish.load(split)
        written = [one.text for one in translator.translate([english for english, _ in pairs])]
        marks = [a == b for a, (_, b) in zip(written, pairs, strict=True)]
        right[split] = sum(marks) / len(marks)
        for mark, (english, _) in zip(marks, pairs, strict=True):
            length = len(translator.src.tokenizer(english))
            sentences[length] += 1
            good[length] += mark
    pairs = pair_exact_match(translator, english_spanish.load_pronoun())
    by_length = [
        {"tokens": length, "sentences": sentences[length], "right": good[length]}
        for length in sorted(sentences)
    ]
    return {"right": right, "pronoun_pairs": pairs, "by_length": by_length}


def cache_bytes(model: nn.Module, words: int = 20) -> int:
    """Bytes that a model caches for a sentence of so many source words and as many target words."""
    return written_as_long(model, torch.full((1, words), EOS)).decoder.bytes


def written_as_long(model: nn.Module, src: Tensor) -> DecoderState:
    """Read a sentence (1, s) and write as many words, greedily, with a cache -> the last state."""
    with inference_mode(model):
        state = DecoderState(model, src, src.size(1), cache=True)
        for _ in range(src.size(1)):
            state.append(state.next_logits().argmax(dim=-1))
    return state
