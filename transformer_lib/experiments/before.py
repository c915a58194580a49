"""Experiment: was it really better than what came before?

The recurrent translator with two kinds of attention and without, and the Transformer, all with as
many parameters, on the same corpus with the same tokens, batches and steps. The learning rate of
each is chosen on validation. It takes a night.
"""

import dataclasses
from typing import Any

from torch import nn

from transformer_lib.before import RECURRENT, RecurrentTranslator
from transformer_lib.experiments import experiment
from transformer_lib.experiments.long import Learner, tuned
from transformer_lib.model import Transformer
from transformer_lib.recipes import RECIPES

RECIPE = RECIPES["en-es"]
TRAINING = RECIPE.training
PEAKS = (5e-4, 1e-3, 2e-3, 4e-3)
SEEDS = (0, 1, 2)


def transformer(src_vocab: int, tgt_vocab: int) -> nn.Module:
    return Transformer(src_vocab, tgt_vocab, RECIPE.model)


def recurrent(attention: str) -> Learner:
    same = {"dropout": RECIPE.model.dropout, "tie_weights": RECIPE.model.tie_weights}
    config = dataclasses.replace(RECURRENT[attention], **same)
    return Learner(attention, lambda src, tgt: RecurrentTranslator(src, tgt, config))


LEARNERS = (*map(recurrent, RECURRENT), Learner("transformer", transformer))


@experiment("before")
def recurrent_and_transformer() -> dict[str, Any]:
    """Recurrent translators with attention and without beside the Transformer, on three seeds."""
    runs = tuned("before", LEARNERS, TRAINING, PEAKS, SEEDS)
    return {"training": dataclasses.asdict(TRAINING), "peaks": list(PEAKS), "runs": runs}
