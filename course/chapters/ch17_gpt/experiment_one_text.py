"""Experiment: the translator as a language model, which goes on behind "I like trees =>".

Beside it the translator that is the base of the experiment `since`, with as many parameters, the
same batches and steps; the learning rate of each is chosen on validation. It takes half an hour of
one core.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from course.chapters.ch18_since_2017 import experiments as since
from course.chapters.ch18_since_2017.experiments import BASE, MAX_LRS, SEEDS, TRAINING
from course.experiments import experiment, load_runs
from course.experiments.digit_training import one_thread
from course.experiments.long_training import (
    TrainSpec,
    best_loss,
    learning_curve,
    training_data,
    tuned,
)
from transformer_lib.decoding import greedy_decode
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.masks import causal_mask, padding_mask
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import batch_indices, source_batch
from transformer_lib.text.tokens import EOS, PAD, SPECIALS
from transformer_lib.training.config import TrainingConfig
from transformer_lib.variants.language_model import LanguageModel, prefix_mask

TRANSLATOR = since.SPECS[0]  # its base: measured there with the same text and steps
# All layers in one stack: no cross-attention, and the feed-forward networks wider instead.
ONE_STACK = dataclasses.replace(BASE, N=2 * BASE.N, d_ff=320)
ASKED = ("test", "pronoun", "longer")  # the splits that it tells of


class OneText(LanguageModel):
    """Reads `I like trees <eos> <bos> me gustan los árboles` as one text, and goes on with it.

    The signs in the middle are the arrow of the prompt. English words have the ids behind the
    Spanish ones. Batches are those of a translator, so its training, loss and greedy decoding fit:
    what is learned is the Spanish alone. mask: (b, t) ids -> (b or 1, 1, t, t), who may see whom.
    """

    def __init__(
        self,
        src_vocab_size: int,
        tgt_vocab_size: int,
        config: ModelConfig,
        mask: Callable[[Tensor], Tensor],
    ):
        super().__init__(tgt_vocab_size + src_vocab_size - len(SPECIALS), config)
        self.english = tgt_vocab_size - len(SPECIALS)  # what is added to the id of an English word
        self.mask = mask

    def encode(self, src: Tensor) -> Tensor:
        """(b, s) ids of English -> the same words' ids in the one vocabulary."""
        return torch.where(src < len(SPECIALS), src, src + self.english)

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor | None = None) -> Tensor:
        """(b, t) and the prompts (b, s) -> (b, t, d_model). Nobody sees a prompt's padding."""
        text = torch.cat([memory, tgt_in], dim=1)
        place = ((text != PAD).cumsum(dim=-1) - 1).clamp(min=0)  # padding takes none
        x = self.tgt_positions.dropout(self.tgt_embed(text) + self.tgt_positions.table[place])
        mask = self.mask(text) & padding_mask(text)
        for layer in self.layers:
            x = layer(x, mask=mask)
        return self.norm(x[:, memory.size(1) :])


def gpt_mask(text: Tensor) -> Tensor:
    """Each word sees those before it and itself."""
    return causal_mask(text.size(1), text.device)


# The prompt ends with <eos>.
both_ways = partial(prefix_mask, separator=EOS)


def one_text(what: str, mask: Callable[[Tensor], Tensor]) -> TrainSpec:
    return TrainSpec(what, lambda src, tgt: OneText(src, tgt, ONE_STACK, mask))


SPECS = (
    one_text("language model, GPT's mask", gpt_mask),
    one_text("language model, prefix mask", both_ways),
)


@one_thread()
def learn(spec: TrainSpec, how: TrainingConfig) -> tuple[nn.Module, dict[str, Any]]:
    """Train once -> the model, and its size, time and learning curve."""
    corpus = training_data()
    torch.manual_seed(how.seed)
    model = spec.build(len(corpus.src.vocab), len(corpus.tgt.vocab))
    return model, learning_curve(model, corpus.training, corpus.validation, spec, how)


@one_thread()
def scores(model: nn.Module) -> dict[str, Any]:
    """right: of each split of ASKED, the share that the model translates right to the letter."""
    return {"right": {split: right(model, split) for split in ASKED}}


def right(model: nn.Module, split: str) -> float:
    corpus, pairs = training_data(), english_spanish.load(split)
    ids = [(corpus.src.encode(english), corpus.tgt.encode(spanish)) for english, spanish in pairs]
    marks = []
    for chosen in batch_indices(ids, max_tokens=2048, seed=0):
        src = source_batch([ids[i][0] for i in chosen])
        # without a cache: it has no room for a prompt
        written = greedy_decode(model, src, max_length=corpus.tgt.longest, cache=False)
        for i, words in zip(chosen, written, strict=True):
            spanish = all(word < len(corpus.tgt.vocab) for word in words)  # nothing forbids English
            marks.append(spanish and corpus.tgt.decode(words) == pairs[i][1])
    return sum(marks) / len(pairs)


@experiment("prompting-translations")
def one_text_or_two() -> dict[str, Any]:
    """English to Spanish: encoder and decoder, or a language model and a prompt, on three seeds."""
    base = tuned("since", [TRANSLATOR], TRAINING, MAX_LRS, SEEDS)["runs"]
    found = tuned("prompting-translations", SPECS, TRAINING, MAX_LRS, SEEDS, learn, scores)
    return found | {"runs": [*map(summary_of, base), *found["runs"]]}


def summary_of(run: dict[str, Any]) -> dict[str, Any]:
    """What is stored of a translator's run, without what isn't reported here."""
    kept = "max_lr", "seed", "training", "parameters", "seconds_per_step", "history", "chosen"
    right = {split: run["right"][split] for split in ASKED}
    return {"what": "encoder and decoder", **{name: run[name] for name in kept}, "right": right}


def summary() -> list[dict[str, Any]]:
    """What is stored, a row for each way: "what", "parameters", and a list for each seed's "loss"
    on validation, in nats per Spanish word, and share right in each split of ASKED. Of each way
    only the learning rate that was best for it.
    """
    rows: dict[str, dict[str, Any]] = {}
    for run in load_runs("prompting-translations", chosen=True):
        row = {"what": run["what"], "parameters": run["parameters"]}
        row = rows.setdefault(run["what"], row | {name: [] for name in ("loss", *ASKED)})
        row["loss"].append(best_loss(run))
        for split in ASKED:
            row[split].append(run["right"][split])
    return list(rows.values())
