"""A small GPT of the grammar's English: how near it comes to the floor, and what it writes.

The training is short enough to be repeated live. What is drawn from it with each setting of the
dials is judged by the grammar itself (`could_write`).
"""

import dataclasses
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import torch
from tqdm import tqdm

from transformer_lib.config import ModelConfig
from transformer_lib.corpora.english_spanish.recognition import could_write
from transformer_lib.corpora.english_spanish.words import Words, english_text
from transformer_lib.decoding import sample_decode
from transformer_lib.experiments import experiment
from transformer_lib.experiments.language_model import sentences
from transformer_lib.experiments.toy import one_thread
from transformer_lib.language_model import LanguageModel, starts, unprompted
from transformer_lib.languages import Language
from transformer_lib.model import count_parameters
from transformer_lib.recipes import learn_language
from transformer_lib.training import TrainingConfig, train

TEXTS, VALIDATION = 20_000, 500
MODEL = ModelConfig(N=2, d_model=64, d_ff=256, h=4, dropout=0.0, norm_first=True,
                    tie_weights="target")  # fmt: skip
HOW = TrainingConfig(steps=1000, max_tokens=512, schedule="linear", peak=5e-3, warmup=100,
                     smoothing=0.0, validate_every=100)  # fmt: skip
DIALS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "temperature 0.5": {"temperature": 0.5},
    "temperature 1.5": {"temperature": 1.5},
    "top-k 10": {"top_k": 10},
    "top-p 0.9": {"top_p": 0.9},
}
DRAWN = 150  # sentences for each setting


@cache
def material() -> tuple[Language, list[str], list[str]]:
    """The words, sentences to learn from, and others to validate on."""
    learned = sentences(TEXTS, seed=11)
    return learn_language("en", learned), learned, sentences(VALIDATION, seed=12)


@one_thread()
def learn_to_write(
    how: TrainingConfig = HOW, bar: tqdm | None = None
) -> tuple[LanguageModel, Language, list[dict]]:
    """A new model trained on the grammar's sentences -> model, words, history."""
    words, learned, others = material()
    torch.manual_seed(how.seed)
    model = LanguageModel(len(words.vocab), MODEL)
    encoded = [unprompted([words.encode(text) for text in texts]) for texts in (learned, others)]
    return model, words, train(model, *encoded, how, bar=bar or tqdm(disable=True))


def write(
    model: LanguageModel, words: Language, count: int, seed: int = 0, **dials: Any
) -> list[str]:
    """So many sentences, drawn from the model. dials: as for `sharpen`."""
    lots = torch.Generator().manual_seed(seed)
    drawn = sample_decode(model, starts(count), generator=lots, max_length=30, **dials)
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


@experiment("writing")
def what_it_writes() -> dict[str, Any]:
    """What share of a small language model's sentences the grammar could have written, and when."""
    model, words, history = learn_to_write()
    learned = material()[1]
    rows = []
    for name, dials in tqdm(DIALS.items(), unit="setting"):
        texts = write(model, words, DRAWN, **dials)
        rows.append({"what": name, **judge(texts, learned), "first": texts[:3]})
    settings = {"model": dataclasses.asdict(MODEL), "training": dataclasses.asdict(HOW)}
    return {"sentences": TEXTS, "parameters": count_parameters(model), **settings,
            "history": history, "rows": rows}  # fmt: skip
