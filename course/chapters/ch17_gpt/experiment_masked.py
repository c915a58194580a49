"""Experiment: BERT's task beside GPT's, with the same parts on the same sentences.

BERT (Devlin et al. 2019, https://arxiv.org/abs/1810.04805) takes the mask away, so each place sees
all words. To learn something it has to guess words that are covered. How often is it right, where
a language model of the same size has to guess from what stands before? Two models for each of three
seeds, a minute or two each.
"""

import dataclasses
import math
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from course.chapters.ch17_gpt.experiment_language_model import (
    SEEDS,
    SENTENCES,
    TRAINING,
    VALIDATION,
    WIDTHS,
    config,
    encoded,
    language,
    learn,
    of_width,
)
from course.experiments import experiment
from course.experiments.long_training import TrainSpec, learning_curve
from transformer_lib.decoding import inference_mode
from transformer_lib.model.masks import padding_mask
from transformer_lib.text.batching import Ids, pad
from transformer_lib.text.tokens import BOS, EOS, PAD, SPECIALS
from transformer_lib.variants.language_model import LanguageModel

COVER = BOS  # a sign that no sentence has inside
SHARE = 0.15  # of the words, to be guessed
READINGS = 5  # of each sentence, covered in another way each time
WIDTH = max(WIDTHS)


class MaskedModel(LanguageModel):
    """BERT: the parts of the language model, without its mask.

    ids (b, s), some of them COVER, padded with PAD -> logits (b, s, vocab_size) for the word at
    each place, not for the next one. For `train` it is a translator whose memory is its answer.
    """

    def forward(self, ids: Tensor) -> Tensor:
        return self.generator(self.encode(ids))

    def encode(self, src: Tensor) -> Tensor:
        x, mask = self.tgt_positions(self.tgt_embed(src)), padding_mask(src)
        for layer in self.layers:
            x = layer(x, mask=mask)
        return self.norm(x)

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        return memory


def cover(ids: Ids, words: int, generator: torch.Generator) -> tuple[list[int], list[int]]:
    """A sentence as BERT reads it, and what it should say: PAD where it has nothing to guess.

    Of the words to be guessed, 80% are covered, 10% become another word and 10% stay. At least one
    word is guessed.
    """
    ids = torch.tensor(ids)
    uniform = torch.rand(len(ids), generator=generator)
    uniform[uniform.argmin()] *= SHARE  # so at least one is below it, and guessed
    another = torch.randint(len(SPECIALS), words, ids.shape, generator=generator)
    read = torch.where(
        uniform < 0.8 * SHARE, COVER, torch.where(uniform < 0.9 * SHARE, another, ids)
    )
    return read.tolist(), torch.where(uniform < SHARE, ids, PAD).tolist()


def covered(texts: list[list[int]], times: int, words: int, seed: int) -> list[tuple[Ids, Ids]]:
    """Each sentence so many times, as pairs for `train`."""
    generator = torch.Generator().manual_seed(seed)
    return [cover(ids, words, generator) for _ in range(times) for ids in texts]


def learn_to_guess(seed: int) -> tuple[MaskedModel, dict[str, Any]]:
    """Train once -> the model, and size, time and learning curve."""
    words = len(language().vocab)
    spec = TrainSpec("BERT", lambda _, vocab_size: MaskedModel(vocab_size, config(WIDTH)))
    torch.manual_seed(seed)
    model = spec.build(0, words)
    how = dataclasses.replace(TRAINING, seed=seed)
    training = covered(encoded(max(SENTENCES), seed=11), READINGS, words, seed)
    validation = covered(encoded(VALIDATION, seed=12), 1, words, seed=0)
    return model, learning_curve(model, training, validation, spec, how)


@torch.no_grad()
def each_place(model: LanguageModel, texts: list[list[int]]) -> list[tuple[int, float, bool]]:
    """For each word: how many words are before it, its loss in nats, and whether it ranks first.

    BERT reads the sentence once for each word, with that word masked; a language model reads it
    once for all.
    """
    found = []
    with inference_mode(model):
        for ids in texts:
            right, places = torch.tensor(ids), torch.arange(len(ids))
            if isinstance(model, MaskedModel):
                rows = torch.tensor([*ids, EOS]).repeat(len(ids), 1)
                rows[places, places] = COVER
                logits = model(rows)[places, places]
            else:
                logits = model(pad([[BOS, *ids]]))[0, :-1]
            nats = -logits.log_softmax(dim=-1)[places, right]
            best = logits.argmax(dim=-1) == right
            found += zip(range(len(ids)), nats.tolist(), best.tolist(), strict=True)
    return found


def summary(places: list[tuple[int, float, bool]]) -> dict[str, float]:
    return {
        "right": round(sum(best for *_, best in places) / len(places), 4),
        "nats_per_word": round(math.fsum(nats for _, nats, _ in places) / len(places), 4),
    }


@experiment("masked")
def guessing_and_going_on() -> dict[str, Any]:
    """How much easier a word is to guess with both sides in sight, for two models of one size."""
    texts = encoded(VALIDATION, seed=12)
    runs = []
    for seed in tqdm(SEEDS, unit="seed"):
        gpt, _ = learn(of_width(WIDTH), dataclasses.replace(TRAINING, seed=seed))
        bert, found = learn_to_guess(seed)
        for what, model in (("GPT", gpt), ("BERT", bert)):
            places = each_place(model, texts)
            first = [place for place in places if place[0] == 0]
            runs.append(
                {
                    "what": what,
                    "seed": seed,
                    "parameters": found["parameters"],
                    **summary(places),
                    "first_word": summary(first),
                }
            )
    return {"training": dataclasses.asdict(TRAINING), "sentences": len(texts), "runs": runs}
