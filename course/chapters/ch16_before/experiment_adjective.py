"""Experiment: is the gender in the vector that the reader leaves at the English adjective?

The writer gets, in that vector's place, the one that the same adjective has in another sentence:
once from a sentence of the same gender (the control), once from one of the other. If the gender is
there and nowhere else, the control changes nothing and the other turns every adjective round.

One training of the additive translator takes five minutes of one core, with each seed.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch
from tqdm import tqdm

from course.chapters.ch16_before.experiments import SEEDS, SPECS, TRAINING, chosen
from course.experiments import experiment
from course.experiments.long_training import cached, learn_to_translate
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.pronouns import PronounBatch, measurable
from transformer_lib.text import english_spanish
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.translator import Translator

FROM = ("own", "same gender", "other gender")  # whose vector of the adjective the writer reads


def givers(translator: Translator, items: Sequence[PronounItem]) -> list[tuple[int, int, int]]:
    """(item, one of the same gender, one of the other), as places in `items`.

    All three have the same English adjective, and their Spanish ones the same number. The givers
    are the next ones of another pair; an item without both is left out.
    """
    words = [translator.src.tokenizer(item.english)[item.adjective] for item in items]
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, (word, item) in enumerate(zip(words, items, strict=True)):
        places[word, item.right].append(place)

    def after(place: int, form: str) -> int | None:
        alike = [i for i in places[words[place], form] if items[i].pair != items[place].pair]
        return min(alike, key=lambda i: (i - place) % len(items), default=None)

    found = []
    for place, item in enumerate(items):
        same, unlike = after(place, item.right), after(place, item.wrong)
        if same is not None and unlike is not None:
            found.append((place, same, unlike))
    return found


def exchanged(translator: Translator, items: Sequence[PronounItem]) -> dict[str, float]:
    """Whose vector is read at the adjective (see `FROM`) -> the share in the right gender.

    Works with every translator that leaves a vector for each word: Transformer and recurrent.
    """
    rows = torch.tensor(givers(translator, items))
    batch, model = PronounBatch(translator, items), translator.model
    with inference_mode(model):
        memory = model.encode(batch.src)
        first = memory.size(1) - batch.src.size(1)  # a recurrent one begins with its last states
        vectors = memory[batch.rows, first + batch.adjective]  # (items, d)
        at, here, shares = rows[:, 0], torch.arange(len(rows)), {}
        for name, giver in zip(FROM, rows.T, strict=True):
            read = memory[at].clone()
            read[here, first + batch.adjective[at]] = vectors[giver]
            decoded = model.decode(batch.tgt_in[at], read, batch.src[at])
            logits = model.generator(decoded[here, batch.adjective_out[at]])
            right, wrong = logits[here, batch.right[at]], logits[here, batch.wrong[at]]
            shares[name] = float((right > wrong).float().mean())
    return shares


@experiment("before-adjective")
def where_the_gender_waits() -> dict[str, Any]:
    """The vector at the adjective exchanged, in the additive translators and the Transformers."""
    best = {name: runs[0]["max_lr"] for name, runs in chosen().items()}
    asked = [spec for spec in SPECS if spec.what in ("additive", "transformer")]
    runs = []
    for spec, seed in tqdm([(one, seed) for one in asked for seed in SEEDS], unit="training"):
        how = dataclasses.replace(TRAINING, max_lr=best[spec.what], seed=seed)

        def measure(spec=spec, how=how) -> dict[str, Any]:
            translator, _ = learn_to_translate(spec, how)
            items = english_spanish.load_pronoun()
            measured = [item for half in (0, 1) for item in measurable(translator, items, half)]
            return {"agreement": exchanged(translator, measured)}

        settings = {"what": spec.what, "seed": seed, "training": dataclasses.asdict(how)}
        runs.append(cached("before-adjective", settings, measure))
    return {"runs": runs}
