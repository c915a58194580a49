"""A small GPT of the grammar's English: how near it comes to the floor, and what it writes.

The training is short enough to be repeated live. What is drawn from it with each setting of the
dials is judged by the grammar itself (`could_write`).
"""

import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import torch
from tqdm import tqdm

from course.chapters.ch17_gpt.experiment_language_model import (
    SHORT_VALIDATION,
    VALIDATION_SEED,
    floor_under,
    sentences,
)
from course.experiments import experiment
from course.experiments.digit_training import one_thread
from course.grammar.recognition import could_write
from course.grammar.words import Words, english_text
from transformer_lib.decoding import sample_decode
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import count_parameters
from transformer_lib.recipes import learn_language
from transformer_lib.text.languages import Language
from transformer_lib.text.tokens import BOS, EOS
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.trainer import train
from transformer_lib.variants.language_model import LanguageModel, as_lm_pairs, empty_sources

TEXTS = 20_000
MODEL = ModelConfig(
    N=2, d_model=64, d_ff=256, h=4, dropout=0.0, norm_first=True, tie_weights="target"
)
HOW = TrainingConfig(
    steps=1000,
    max_tokens=512,
    schedule="linear",
    max_lr=5e-3,
    warmup=100,
    smoothing=0.0,
    validate_every=100,
)
DIALS: dict[str, dict[str, Any]] = {
    "temperature 1": {},
    "temperature 0.5": {"temperature": 0.5},
    "temperature 1.5": {"temperature": 1.5},
    "top-k 10": {"top_k": 10},
    "top-p 0.9": {"top_p": 0.9},
}
DRAWN = 150  # sentences for each setting


def floor() -> float:
    """Nats per token of the sentences validated on here that no model can learn away for sure."""
    return floor_under(SHORT_VALIDATION)


@cache
def training_data() -> tuple[Language, list[str], list[str]]:
    """The words, sentences to learn from, and others to validate on."""
    learned = sentences(TEXTS, seed=11)
    return learn_language("en", learned), learned, sentences(SHORT_VALIDATION, VALIDATION_SEED)


@one_thread()
def learn_to_write(how: TrainingConfig = HOW) -> tuple[LanguageModel, Language, list[dict]]:
    """A new model trained on the grammar's sentences -> model, words, history."""
    words, learned, others = training_data()
    torch.manual_seed(how.seed)
    model = LanguageModel(len(words.vocab), MODEL)
    encoded = [as_lm_pairs([words.encode(text) for text in texts]) for texts in (learned, others)]
    return model, words, train(model, *encoded, how, progress=tqdm(disable=True))


def write(
    model: LanguageModel, words: Language, count: int, seed: int = 0, **dials: Any
) -> list[str]:
    """So many sentences, drawn from the model. dials: as for `sampling_distribution`."""
    generator = torch.Generator().manual_seed(seed)
    drawn = sample_decode(model, empty_sources(count), generator=generator, max_length=30, **dials)
    return [as_text(words, one.ids) for one in drawn]


def as_text(words: Language, ids: Sequence[int]) -> str:
    """As the grammar writes its words: a capital, isn't for is not."""
    proper = words.tokenizer.proper
    tokens = [proper.get(token, token) for token in words.vocab.decode(ids)]
    starts_well = tokens and tokens[0][0].isalpha()
    return english_text(Words(tuple(tokens))) if starts_well else " ".join(tokens)


def judge(texts: Iterable[str], learned: Iterable[str]) -> dict[str, float]:
    """Shares of the texts: the grammar's own, new among its own (none is in `learned`), different.

    words: how many different words there are in all of them.
    """
    texts = list(texts)
    own = {text for text in set(texts) if could_write(text)}
    known = set(learned)
    return {
        "drawn": len(texts),
        "own": sum(text in own for text in texts) / len(texts),
        "own_and_new": sum(text in own and text not in known for text in texts) / len(texts),
        "different": len(set(texts)) / len(texts),
        "words": len({word for text in texts for word in text.lower().split()}),
    }


def interval(share: float, drawn: int) -> tuple[float, float]:
    """95 % interval of a share of so many independent draws (Wilson 1927)."""
    z = 1.96
    middle = share + z**2 / (2 * drawn)
    around = z * math.sqrt(share * (1 - share) / drawn + z**2 / (4 * drawn**2))
    return tuple((middle + side) / (1 + z**2 / drawn) for side in (-around, around))


class Counted:
    """Which word follows each two words of a text, counted: a yardstick for a language model.

    With c(ab, w) how often w follows the words a b, and n(ab) how often anything does,
    p(w | ab) = (c(ab, w) + WEIGHT p(w | b)) / (n(ab) + WEIGHT); so on for p(w | b), from b alone,
    and p(w), which leans on 1 / number of words (a Dirichlet prior: MacKay and Peto 1995).
    """

    WEIGHT = 20  # near the best in validation: with 10 its loss is 2.99, with 20 and 30 2.96

    def __init__(self, words: Language, texts: Iterable[str]):
        self.words = words
        self.after: dict[tuple[int, ...], Counter] = defaultdict(Counter)
        for text in texts:
            for before, word in self.places(text):
                for start in range(3):  # after two words, after one, after none
                    self.after[before[start:]][word] += 1

    def places(self, text: str) -> list[tuple[tuple[int, ...], int]]:
        """For each word, <eos> included, the ids of the two before it, and its own."""
        ids = [BOS, BOS, *self.words.encode(text), EOS]
        return list(zip(zip(ids, ids[1:], strict=False), ids[2:], strict=False))

    def chance(self, before: tuple[int, ...], word: int) -> float:
        """p(word | before); before: two ids, one, or none."""
        fewer = self.chance(before[1:], word) if before else 1 / len(self.words.vocab)
        seen = self.after.get(before, Counter())
        return (seen[word] + self.WEIGHT * fewer) / (seen.total() + self.WEIGHT)

    def loss(self, texts: Iterable[str]) -> float:
        """Nats per token, <eos> included."""
        nats = [-math.log(self.chance(*place)) for text in texts for place in self.places(text)]
        return sum(nats) / len(nats)


@experiment("writing")
def what_it_writes() -> dict[str, Any]:
    """What share of a small language model's sentences the grammar could have written, and when."""
    model, words, history = learn_to_write()
    learned = training_data()[1]
    rows = []
    for name, dials in tqdm(DIALS.items(), unit="setting"):
        texts = write(model, words, DRAWN, **dials)
        rows.append({"what": name, **judge(texts, learned), "first": texts[:3]})
    settings = {"model": dataclasses.asdict(MODEL), "training": dataclasses.asdict(HOW)}
    sizes = {"words": len(words.vocab), "parameters": count_parameters(model)}
    return {"sentences": TEXTS, **sizes, **settings, "history": history, "rows": rows}
