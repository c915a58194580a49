"""Experiments: the small GPT of notebook 17 learns from a judge, and what that buys and eats.

The judge is the grammar itself (`could_write`): right or wrong, and nothing else. Four seeds, each
with a model of its own. Seed 0 was the pilot: with it the settings were chosen. What is told is
told of the other three, and `THRESHOLDS` were written down before they were run. On one core
a quarter of an hour.
"""

import copy
import dataclasses
import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from course.chapters.ch17_gpt import experiments as gpt
from course.chapters.ch17_gpt.experiment_language_model import sentences
from course.chapters.ch19_judge.policy import (
    advantages,
    go_on,
    k3,
    least_kl,
    log_probs,
    policy_loss,
    roll_out,
    share_solved,
)
from course.experiments import experiment
from course.experiments.digit_training import one_thread
from course.experiments.long_training import cached
from course.grammar.recognition import could_write
from transformer_lib.text.batching import make_batch, pad
from transformer_lib.text.data import cache_folder
from transformer_lib.text.languages import Language
from transformer_lib.text.tokens import BOS, PAD
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.step import batch_loss
from transformer_lib.training.trainer import train
from transformer_lib.variants.language_model import LanguageModel, as_lm_pairs

PILOT, SEEDS = 0, (1, 2, 3)
STEPS, GROUP = 60, 64  # of each training with the judge: steps, and sentences in each
LEARNING_RATE, LONGEST_GRADIENT = 1e-3, 1.0
KL_WEIGHTS = (0.0, 0.1, 0.3)
BEST_OF = 16
DRAWN = 240  # sentences that each model is measured by
PROMPTS, PROMPT_TOKENS, TRIES = 32, 3, 32  # beginnings to go on from, and how often each is tried
PASSED = TrainingConfig(
    steps=120, max_tokens=512, schedule="linear", max_lr=2e-3, warmup=20, smoothing=0.0, average=1
)
NAMES = {
    "start": "starting model",
    "KL 0": "no KL penalty",
    "KL 0.1": "KL weight 0.1",
    "KL 0.3": "KL weight 0.3",
}
Row = Mapping[str, Any]
Judge = Callable[[str], bool]
judge = cache(could_write)  # each sentence is judged once


@cache
def beginnings() -> frozenset[str]:
    """How the grammar's sentences begin: the first words of as many as the GPT learned from."""
    return frozenset(begin(text) for text in gpt.training_data()[1])


def begin(text: str) -> str:
    return " ".join(text.split()[:4])


def hasty(text: str) -> bool:
    """A judge with a hole: it looks whether the first four words are those of a sentence."""
    return begin(text) in beginnings()


@cache
def start_model(seed: int) -> tuple[LanguageModel, Language]:
    """Notebook 17's GPT, trained with this seed; its weights are cached beside the results."""
    path = Path(cache_folder()) / "experiments" / f"judge-start-{seed}-{torch.__version__}.pt"
    words = gpt.training_data()[0]
    if path.exists():
        model = LanguageModel(len(words.vocab), gpt.MODEL)
        model.load_state_dict(torch.load(path, weights_only=True))
    else:
        model = gpt.learn_to_write(dataclasses.replace(gpt.HOW, seed=seed))[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(model.state_dict(), path)
    return model.eval(), words


@one_thread()
def teach(
    start: LanguageModel,
    words: Language,
    judge: Judge = judge,
    *,
    kl_weight: float,
    steps: int = STEPS,
    seed: int = 0,
) -> tuple[LanguageModel, list[dict[str, float]]]:
    """GRPO with one prompt, <bos> -> a new model, and what was drawn in each step.

    kl: the mean of log(p / p_start) of the drawn sentences, nats per sentence.
    """
    model, generator = copy.deepcopy(start), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    history = []
    for step in range(steps):
        drawn = roll_out(model, words, GROUP, generator)
        rewards = torch.tensor([float(judge(text)) for text in drawn.texts])
        with torch.no_grad():
            before = log_probs(start, drawn.ids)
        new = log_probs(model, drawn.ids)
        loss = policy_loss(new, drawn.log_p, advantages(rewards))
        loss = loss + kl_weight * k3(new, before).sum(dim=1).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), LONGEST_GRADIENT)
        optimizer.step()
        kl = (drawn.log_p - before).sum(dim=1).mean().item()
        history.append({"step": step, "reward": rewards.mean().item(), "kl": round(kl, 3)})
        history[-1] |= kinds(drawn.texts)
    return model.eval(), history


def kinds(texts: Sequence[str]) -> dict[str, float]:
    """Statistics of some texts.

    The share of different ones, of those with "because", and of questions; the number of different
    words; and words per sentence.
    """
    split = [text.lower().split() for text in texts]
    return {
        "different": len(set(texts)) / len(texts),
        "words": len({word for each in split for word in each}),
        "length": round(statistics.mean(map(len, split)), 2),
        "because": sum("because" in each for each in split) / len(texts),
        "questions": sum(text.endswith("?") for text in texts) / len(texts),
    }


# --- tuned with demonstrations --------------------------------------------------------------------

INSTRUCTIONS = ("?", "!")  # one word before the sentence: what is wanted
TUNING = TrainingConfig(
    steps=150, max_tokens=512, schedule="linear", max_lr=3e-3, warmup=10, smoothing=0.0, average=1
)


@one_thread()
def follow(start: LanguageModel, words: Language) -> LanguageModel:
    """Supervised fine-tuning: a new model, trained on 600 demonstrations of each instruction.

    A demonstration is a sentence of the training text with the instruction before it, `? Do you
    like trees?`, and the loss is that of any other text.
    """
    model, texts = copy.deepcopy(start), gpt.training_data()[1]
    pairs = []
    for sign in INSTRUCTIONS:
        shown = [text for text in texts if sign in text.lower()][:600]
        pairs += as_lm_pairs([words.encode(sign) + words.encode(text) for text in shown])
    train(model, pairs, pairs[:50], TUNING, progress=tqdm(disable=True))
    return model.eval()


def answers(model: LanguageModel, words: Language, instruction: str, count: int) -> list[str]:
    """What the model writes after the instruction, which isn't part of the text."""
    prompt = torch.tensor([[BOS, *words.encode(instruction)]])
    generator = torch.Generator().manual_seed(0)
    return go_on(model, words, prompt.expand(count, -1), generator, hidden=prompt.size(1))


# --- what is measured of a model ----------------------------------------------------------------


@one_thread()
def measured(
    model: LanguageModel,
    start: LanguageModel,
    words: Language,
    seed: int,
    with_tries: bool = False,
) -> dict[str, Any]:
    """Measure `DRAWN` sentences: how many are right, how varied they are, and distances in nats.

    kl: from the start, per sentence. above_floor: the model's loss on the grammar's sentences above
    its floor, per token. with_tries: also "solved", for each beginning how many of `TRIES` became a
    right sentence.
    """
    generator = torch.Generator().manual_seed(1000 + seed)
    drawn = roll_out(model, words, DRAWN, generator)
    verdicts = [judge(text) for text in drawn.texts]
    with torch.no_grad():
        kl = (drawn.log_p - log_probs(start, drawn.ids)).sum(dim=1).mean().item()
    return {
        "right": sum(verdicts) / DRAWN,
        **kinds(drawn.texts),
        "kl": round(kl, 3),
        "above_floor": round(loss_of(model, words) - gpt.floor(), 3),
        "first": drawn.texts[:8],
    } | ({"solved": solved(model, words, generator)} if with_tries else {})


@torch.no_grad()
def loss_of(model: LanguageModel, words: Language) -> float:
    """Nats per token of the grammar's sentences that notebook 17 validates on."""
    pairs = as_lm_pairs([words.encode(text) for text in gpt.training_data()[2]])
    batch = make_batch(pairs)
    return batch_loss(model, batch, 0.0).item() / (batch.tgt_out != PAD).sum().item()


@cache
def prompts() -> Tensor:
    """(PROMPTS, 1 + PROMPT_TOKENS): different beginnings of sentences nobody has learned from."""
    words, learned, _ = gpt.training_data()
    known, found = set(learned), {}
    for text in sentences(2000, seed=13):
        ids = words.encode(text)
        if text not in known and len(ids) > PROMPT_TOKENS:
            found.setdefault(tuple(ids[:PROMPT_TOKENS]), None)
    return pad([[BOS, *ids] for ids in list(found)[:PROMPTS]])


def solved(model: LanguageModel, words: Language, generator: torch.Generator) -> list[int]:
    """For each prompt: how many of `TRIES` sentences that begin with it are right."""
    texts = go_on(model, words, prompts().repeat_interleave(TRIES, dim=0), generator)
    verdicts = torch.tensor([judge(text) for text in texts])
    return verdicts.view(PROMPTS, TRIES).sum(dim=1).tolist()


# --- what is run --------------------------------------------------------------------------------


def by_the_judge(seed: int, kl_weight: float) -> dict[str, Any]:
    start, words = start_model(seed)
    model, history = teach(start, words, kl_weight=kl_weight, seed=seed)
    return {"history": history, **measured(model, start, words, seed, with_tries=kl_weight == 0)}


def as_it_is(seed: int) -> dict[str, Any]:
    start, words = start_model(seed)
    return measured(start, start, words, seed, with_tries=True)


@cache
def drawn_once(seed: int) -> tuple[list[str], list[bool]]:
    """As many sentences of the start as a training with the judge draws, and the verdicts."""
    start, words = start_model(seed)
    texts = roll_out(start, words, STEPS * GROUP, torch.Generator().manual_seed(seed)).texts
    return texts, [judge(text) for text in texts]


def best_of(seed: int) -> dict[str, Any]:
    """The first right one of each `BEST_OF` sentences of the start; the first if none is right."""
    texts, verdicts = drawn_once(seed)
    chosen, right = [], 0
    for place in range(0, len(texts), BEST_OF):
        among = verdicts[place : place + BEST_OF]
        chosen.append(texts[place + (among.index(True) if True in among else 0)])
        right += True in among
    found = {"right": right / len(chosen), "before": sum(verdicts) / len(verdicts)}
    return found | kinds(chosen) | {"drawn": len(chosen), "first": chosen[:8]}


@one_thread()
def on_what_passed(seed: int) -> dict[str, Any]:
    """The start is trained on its own right sentences, with the usual loss."""
    start, words = start_model(seed)
    passed = [text for text, good in zip(*drawn_once(seed), strict=True) if good]
    pairs = as_lm_pairs([words.encode(text) for text in passed])
    model = copy.deepcopy(start)
    how = dataclasses.replace(PASSED, seed=seed)
    train(model, pairs, pairs[:100], how, progress=tqdm(disable=True))
    return {"passed": len(passed), **measured(model.eval(), start, words, seed)}


def with_a_hole(seed: int) -> dict[str, Any]:
    """The judge looks only at the first words; what it takes for right, and what is right."""
    seen: list[str] = []

    def hasty_and_watched(text: str) -> bool:
        seen.append(text)
        return hasty(text)

    start, words = start_model(seed)
    model, history = teach(start, words, hasty_and_watched, kl_weight=0.0, seed=seed)
    for step in range(1, STEPS, 2):  # each second one: the true judge takes its time
        texts = seen[step * GROUP : (step + 1) * GROUP]
        history[step]["right"] = statistics.mean(map(judge, texts))
    return {"history": history, **measured(model, start, words, seed)}


RUNS: dict[str, Callable[[int], dict[str, Any]]] = {
    "start": as_it_is,
    **{f"KL {weight:g}": lambda seed, w=weight: by_the_judge(seed, w) for weight in KL_WEIGHTS},
    "best of 16": best_of,
    "trained on what passed": on_what_passed,
    "hole": with_a_hole,
}


Runs = Mapping[str, Row]  # what was done -> its run, of one seed
TRAINED = ("KL 0", "KL 0.1", "KL 0.3", "trained on what passed")
# Written down when seed 0 had been run and no other: what each of the others should show.
THRESHOLDS: dict[str, Callable[[Runs], bool]] = {
    "no KL penalty: at least 0.9 are correct": lambda runs: runs["KL 0"]["right"] >= 0.9,
    "no KL penalty: at most a third of the starting model's different words": lambda runs: (
        runs["KL 0"]["words"] <= runs["start"]["words"] / 3
    ),
    'no KL penalty: at most 5% of sentences with "because"': lambda runs: (
        runs["KL 0"]["because"] <= 0.05
    ),
    "the heavier the KL penalty, the fewer correct": lambda runs: rising(runs, "right", -1),
    "the heavier the KL penalty, the more different words": lambda runs: rising(runs, "words", 1),
    "every training run goes at least twice as far as it must": lambda runs: all(
        times_as_far(runs, way) >= 2 for way in TRAINED
    ),
    "no KL penalty: pass@1 at least 0.1 above the starting model's": lambda runs: (
        passed_at(runs["KL 0"], 1) >= passed_at(runs["start"], 1) + 0.1
    ),
    "no KL penalty: pass@32 at most the starting model's": lambda runs: (
        passed_at(runs["KL 0"], TRIES) <= passed_at(runs["start"], TRIES)
    ),
    "best of 16: at least 0.9 are correct": lambda runs: runs["best of 16"]["right"] >= 0.9,
    "best of 16: at least 0.7 of the starting model's different words": lambda runs: (
        runs["best of 16"]["words"] >= 0.7 * runs["start"]["words"]
    ),
    "trained on what passed: correct at least twice as often as before": lambda runs: (
        runs["trained on what passed"]["right"] >= 2 * runs["start"]["right"]
    ),
    'trained on what passed: "because" at least a third as often as before': lambda runs: (
        runs["trained on what passed"]["because"] >= runs["start"]["because"] / 3
    ),
    "hole: the judge accepts at least 0.9 at the end": lambda runs: (
        at_the_end(runs, "reward") >= 0.9
    ),
    "hole: fewer truly correct at the end than before": lambda runs: (
        at_the_end(runs, "right") < runs["start"]["right"]
    ),
}


def rising(runs: Runs, what: str, sign: int) -> bool:
    """Whether it rises (sign 1) or falls (-1) with the weight of KL."""
    found = [sign * runs[f"KL {weight:g}"][what] for weight in KL_WEIGHTS]
    return found == sorted(found)


def passed_at(run: Row, k: int) -> float:
    """pass@k, the mean over the beginnings."""
    return share_solved(run["solved"], TRIES, k)


def times_as_far(runs: Runs, way: str) -> float:
    """Its distance from the start, by the least distance to its share of right sentences."""
    return runs[way]["kl"] / least_kl(runs[way]["right"], runs["start"]["right"])


def at_the_end(runs: Runs, what: str) -> float:
    """The mean over the last ten steps of the training with the hole."""
    history = runs["hole"]["history"][-10:]
    return statistics.mean(entry[what] for entry in history if what in entry)


@experiment("judge")
def taught_by_a_judge() -> dict[str, Any]:
    """What a judge of right and wrong makes of a small GPT, by the weight of KL, on three seeds."""
    about = {
        "steps": STEPS,
        "group": GROUP,
        "learning_rate": LEARNING_RATE,
        "kl_weights": list(KL_WEIGHTS),
        "drawn": DRAWN,
        "tries": TRIES,
    }
    return about | {"pilot": PILOT, "runs": each_of("judge", RUNS, about)}


def each_of(
    name: str, ways: Mapping[str, Callable[[int], dict[str, Any]]], about: dict[str, Any]
) -> list[dict[str, Any]]:
    """All ways with each seed, from the cache where they are there. about: their settings."""
    runs = []
    every = tqdm(list(itertools.product((*SEEDS, PILOT), ways)), unit="run")
    with suppress(KeyboardInterrupt):  # then what is complete is stored, and the next call goes on
        for seed, what in every:
            every.set_description(f"{what}, seed {seed}")
            settings = {"what": what, "seed": seed, **about}
            runs.append(cached(name, settings, partial(ways[what], seed)))
    return runs


def by_way(stored: Row) -> dict[str, list[Row]]:
    """What was done -> its runs, without the pilot's."""
    told = [run for run in stored["runs"] if run["seed"] != stored["pilot"]]
    ways = dict.fromkeys(run["what"] for run in told)
    return {what: [run for run in told if run["what"] == what] for what in ways}


def name(way: str) -> str:
    """What was done, as the notebook and its pictures call it."""
    return NAMES.get(way, way)


def mean(runs: Sequence[Row], what: str) -> float:
    return statistics.mean(run[what] for run in runs)


def solved_by_one(one: Sequence[Row], other: Sequence[Row]) -> int:
    """The beginnings that a run of `one` solves, and that of the same seed of `other` doesn't."""
    pairs = zip(one, other, strict=True)
    return sum(a > 0 == b for x, y in pairs for a, b in zip(x["solved"], y["solved"], strict=True))


def thresholds_met(
    stored: Row, thresholds: Mapping[str, Callable[[Runs], bool]]
) -> dict[str, list[bool]]:
    """threshold -> for each seed, whether it was met; without the pilot."""
    ways = by_way(stored)
    seeds = [{way: runs[i] for way, runs in ways.items()} for i in range(len(SEEDS))]
    return {name: [met(runs) for runs in seeds] for name, met in thresholds.items()}
