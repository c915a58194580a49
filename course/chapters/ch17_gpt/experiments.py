"""A small GPT of the grammar's English: how near it comes to the floor, and what it writes.

The training is short enough to be repeated live. What is drawn from it with each setting of the
dials is judged by the grammar itself (`could_write`).
"""

import dataclasses
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor, nn
from tqdm import tqdm

from course.chapters.ch17_gpt.experiment_language_model import (
    SHORT_VALIDATION,
    VALIDATION_SEED,
    floor_under,
    sentences,
)
from course.experiments import experiment
from course.experiments.digit_training import (
    DIGITS,
    Pairs,
    digit_pairs,
    learn,
    one_thread,
    right_rows,
)
from course.grammar.recognition import could_write
from course.grammar.words import Words, english_text
from transformer_lib.decoding import sample_decode
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.transformer import Transformer, count_parameters
from transformer_lib.recipes import learn_language
from transformer_lib.text.batching import Batch
from transformer_lib.text.languages import Language
from transformer_lib.text.tokens import BOS, EOS, PAD
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.step import batch_loss
from transformer_lib.training.trainer import train
from transformer_lib.variants.language_model import (
    LanguageModel,
    as_lm_pairs,
    empty_sources,
    generate,
    prefix_mask,
)

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
    "as it is": {},
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
def learn_to_write(
    how: TrainingConfig = HOW, progress: tqdm | None = None
) -> tuple[LanguageModel, Language, list[dict]]:
    """A new model trained on the grammar's sentences -> model, words, history."""
    words, learned, others = training_data()
    torch.manual_seed(how.seed)
    model = LanguageModel(len(words.vocab), MODEL)
    progress = progress if progress is not None else tqdm(disable=True)
    encoded = [as_lm_pairs([words.encode(text) for text in texts]) for texts in (learned, others)]
    return model, words, train(model, *encoded, how, progress=progress)


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

    def write(self, count: int, seed: int = 0, power: float = 1) -> list[str]:
        """So many sentences; each word by how often it followed the two before it, and no other.

        power: of the counts; temperature T is the power 1 / T.
        """
        rng = random.Random(seed)
        return [as_text(self.words, self._draw(rng, power)) for _ in range(count)]

    def _draw(self, rng: random.Random, power: float) -> list[int]:
        ids = [BOS, BOS]
        while ids[-1] != EOS:
            seen = self.after[ids[-2], ids[-1]]
            ids += rng.choices(list(seen), [n**power for n in seen.values()])
        return ids[2:-1]


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


# --- a prompt: the task is part of the text ------------------------------------------------------

ASKED = len(DIGITS)  # the sign between a row and what is made of it
ROW_MODEL = ModelConfig(N=2, d_model=32, d_ff=96, h=4, dropout=0.0)
ROW_TRANSLATOR = ModelConfig(N=1, d_model=32, d_ff=64, h=4, dropout=0.0)
ROWS = TrainingConfig(
    steps=400,
    max_tokens=1024,
    schedule="linear",
    max_lr=1e-2,
    warmup=50,
    smoothing=0.0,
    validate_every=400,
)
SEEDS = (0, 1, 2)


class PrefixModel(LanguageModel):
    """Reads its prompt in both directions. Another mask, and nothing else."""

    def decode(
        self, tgt_in: Tensor, memory: Tensor | None = None, src: Tensor | None = None
    ) -> Tensor:
        x = self.tgt_positions(self.tgt_embed(tgt_in))
        mask = prefix_mask(tgt_in, ASKED)
        for layer in self.layers:
            x = layer(x, mask=mask)
        return self.norm(x)


def as_one_text(pairs: Pairs) -> Pairs:
    """A row, the sign, and the answer: one text that nobody has to translate."""
    return as_lm_pairs([[*source, ASKED, *target] for source, target in pairs])


def answer_loss(model: LanguageModel, batch: Batch, smoothing: float, bf16: bool = False) -> Tensor:
    """`batch_loss` of the answers alone."""
    answers = (batch.tgt_in == ASKED).cumsum(dim=-1) > 0
    answers = dataclasses.replace(batch, tgt_out=batch.tgt_out.masked_fill(~answers, PAD))
    return batch_loss(model, answers, smoothing, bf16)


def answered(model: LanguageModel, pairs: Pairs) -> float:
    """The share of rows after which the model goes on with the right answer and then ends."""
    right, by_length = 0, defaultdict(list)
    for source, target in pairs:
        by_length[len(source)].append(([BOS, *source, ASKED], [*target, EOS]))
    for rows in by_length.values():
        prompts, targets = (torch.tensor(column) for column in zip(*rows, strict=True))
        # without a cache: it doesn't fit a prompt that is read in both directions
        written = generate(model, prompts, targets.size(1), top_k=1, cache=False)
        right += (written[:, prompts.size(1) :] == targets).all(dim=1).sum().item()
    return right / len(pairs)


@one_thread()
def learn_to_answer(
    seed: int = 0,
    build: Callable[..., LanguageModel] = LanguageModel,
    loss: Callable[..., Tensor] = batch_loss,
) -> tuple[LanguageModel, float]:
    """A model trained on rows of digits and the same backwards -> the model, the share right."""
    pairs, held_out = digit_pairs("reverse")
    torch.manual_seed(seed)
    model = build(len(DIGITS) + 1, ROW_MODEL)
    how = dataclasses.replace(ROWS, seed=seed)
    train(
        model,
        as_one_text(pairs),
        as_one_text(held_out[:50]),
        how,
        progress=tqdm(disable=True),
        loss=loss,
    )
    return model, answered(model, held_out)


def translated(seed: int) -> tuple[Transformer, float]:
    """The same by encoder and decoder."""
    model, _ = learn("reverse", ROW_TRANSLATOR, dataclasses.replace(ROWS, seed=seed))
    return model, right_rows(model, digit_pairs("reverse")[1])


WAYS: dict[str, Callable[[int], tuple[nn.Module, float]]] = {
    "encoder and decoder": translated,
    "language model, GPT's mask": partial(learn_to_answer, loss=answer_loss),
    "language model, prefix mask": partial(learn_to_answer, build=PrefixModel, loss=answer_loss),
}


@experiment("prompting")
def one_text_or_two() -> dict[str, Any]:
    """Rows of digits backwards: encoder and decoder, or a language model and a prompt."""
    rows = []
    for name, way in tqdm(WAYS.items(), unit="way"):
        runs = [way(seed) for seed in SEEDS]
        rows.append(
            {
                "what": name,
                "parameters": count_parameters(runs[0][0]),
                "shares": [share for _, share in runs],
            }
        )
    return {
        "seeds": list(SEEDS),
        "training": dataclasses.asdict(ROWS),
        "language_model": dataclasses.asdict(ROW_MODEL),
        "translator": dataclasses.asdict(ROW_TRANSLATOR),
        "rows": rows,
    }
