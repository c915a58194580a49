"""Experiment: a small model writes ahead of the translator that comes with us."""

import dataclasses
import statistics
from functools import partial
from typing import Any

import torch
from tqdm import tqdm

from course.experiments import experiment
from course.experiments.long_training import training_data
from course.experiments.timing import timed
from transformer_lib.decoding import greedy_decode, speculative_decode
from transformer_lib.model.transformer import Transformer, count_parameters, make_model
from transformer_lib.recipes import RECIPES
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import source_batch
from transformer_lib.training.trainer import train
from transformer_lib.translator import Translator

DRAFT = {"N": 1, "d_model": 64, "d_ff": 256, "h": 2, "dropout": 0.0, "tie_weights": "target"}
TRAINING = dataclasses.replace(
    RECIPES["en-es"].training, steps=1500, max_lr=4e-3, validate_every=500
)
SPLITS, SENTENCES = ("test", "longer"), 200
AHEAD = (1, 2, 3, 4, 6, 8)


@experiment("speculative")
def measure_speculative() -> dict[str, Any]:
    """How many words of a one-layer draft the translator accepts, and what time that saves."""
    translator, draft = Translator.load("grammar"), train_draft()
    splits = {}
    for split in SPLITS:
        pairs = english_spanish.load(split)[:SENTENCES]
        sources = [source_batch([translator.src.encode(english)]) for english, _ in pairs]
        splits[split] = compare(translator.model, draft, sources)
    return {
        "draft": DRAFT,
        "training": dataclasses.asdict(TRAINING),
        "parameters": {
            "model": count_parameters(translator.model),
            "draft": count_parameters(draft),
        },
        "splits": splits,
    }


def train_draft() -> Transformer:
    """On the sentences that the translator learned from, for the same words."""
    corpus = training_data()
    torch.manual_seed(TRAINING.seed)
    draft = make_model(len(corpus.src.vocab), len(corpus.tgt.vocab), **DRAFT)
    train(draft, corpus.training, corpus.validation, TRAINING)
    return draft


def compare(model: Transformer, draft: Transformer, sources: list) -> list[dict[str, Any]]:
    """For each number of words written ahead: what was accepted, and the time beside greedy's.

    time: the median over sentences of speculative by greedy, each pair measured in one go.
    """
    rows = []
    for ahead in tqdm(AHEAD, unit="setting"):
        same, ratios, found = 0, [], []
        for src in sources:
            (ids,), greedily = timed(partial(greedy_decode, model, src))
            one, seconds = timed(partial(speculative_decode, model, draft, src, ahead=ahead))
            same += one.ids == ids
            ratios.append(seconds / greedily)
            found.append(one)
        rows.append(
            {
                "ahead": ahead,
                "sentences": len(sources),
                "same": same,
                "words": sum(len(one.ids) + 1 for one in found),  # <eos> too
                "rounds": sum(one.rounds for one in found),
                "drafted": sum(one.drafted for one in found),
                "accepted": sum(one.accepted for one in found),
                "time": round(statistics.median(ratios), 3),
            }
        )
    return rows
